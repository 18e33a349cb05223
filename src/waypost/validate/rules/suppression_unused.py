"""Ignore comment matches no finding.

`<!-- waypost-ignore rule: reason -->`, `data-waypost-ignore` and similar marks outlive their reason: the error was
fixed, the rule's name was misspelled, or the element moved away from its comment. A mark that remains hides the
next error of the same rule, so an unused mark is reported, as is the end of a block without a start. `--fix`
removes a comment without any use.
Source: waypost's own words, `waypost validate --help`, read 2026-11-20.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "warning"
ENGINE = "suppressions"
