"""An organization points to different profiles on different pages.

`sameAs` says which other pages are about the same organization. Where one page names a profile that others do not,
and they name one that it does not, some of them are out of date. A page that only names fewer is no contradiction.
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
