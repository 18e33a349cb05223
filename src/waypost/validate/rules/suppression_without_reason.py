"""Finding ignored without a reason.

A reader of `<!-- waypost-ignore rule -->` cannot determine a year later whether the comment may go. A few words behind
a colon will do: `<!-- waypost-ignore offer-expired: the shop shows last year's prices on purpose -->`.
Source: waypost's own words, `waypost validate --help`, read 2026-11-20.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "info"
ENGINE = "suppressions"
