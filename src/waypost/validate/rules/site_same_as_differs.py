"""An organization points to different profiles on different pages.

`sameAs` names further pages about the same organization. Where two pages each name a profile that is missing on
the second, some profiles are out of date. A page that only names fewer is no contradiction.
Source: https://schema.org/sameAs, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.formats.text import clip

if TYPE_CHECKING:
    from waypost.validate.whole import Remark, Site

AUTHORITY = "waypost"
SEVERITY = "warning"


def check_site(site: Site) -> Iterator[Remark]:
    from waypost.validate.whole import contradicted

    for case in site.cases:
        if case.prop == "sameAs":
            yield contradicted(case, f"sameAs of {clip(case.of)}", "give one list on all pages")
