"""Different sameAs profiles across pages.

`sameAs` names further pages about the same organization. Where two pages each name a profile that is missing on
the second, some profiles are out of date. A page that only names fewer is not a contradiction.
Source: https://schema.org/sameAs, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.formats.text import clip

if TYPE_CHECKING:
    from waypost.validate.site_comparison import Site, SiteDraft

AUTHORITY = "waypost"
SEVERITY = "warning"


def check_site(site: Site) -> Iterator[SiteDraft]:
    from waypost.validate.site_comparison import contradiction_draft

    for conflict in site.contradictions:
        if conflict.prop == "sameAs":
            yield contradiction_draft(conflict, f"sameAs of {clip(conflict.subject)}", "give one list on all pages")
