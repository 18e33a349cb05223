"""A word in the page keeps back what is not found.

`<!-- waypost-ignore rule: reason -->`, `data-waypost-ignore` and their like outlive what they were written for: the
fault was mended, the rule's name was misspelled, or the element moved away from its comment. What stays behind hides
the next fault of the kind, so a word that is of no use is told itself, as is the end of a block that nothing started.
A comment that is of no use at all is taken away by `--fix`.
Source: waypost's own words, `waypost validate --help`, read 2026-11-20.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "warning"
ENGINE = "suppressions"
