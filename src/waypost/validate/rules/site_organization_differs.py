"""Organization described differently across pages.

Examples are the same address with two names, or the same name with two numbers or two homes: a reader of several
pages cannot determine which is true. Give the organization an `@id` and describe it in full on one page; the remaining
pages need only refer to the id. A longer form of the same name is not a difference. Branches (every kind of
LocalBusiness) are ignored: branches share a name and differ in the rest.
Source: https://developers.google.com/search/docs/appearance/structured-data/organization, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.formats.text import clip

if TYPE_CHECKING:
    from waypost.validate.site_comparison import Site, SiteDraft

AUTHORITY = "waypost"
SEVERITY = "warning"
_LEFT_TO_OTHERS = frozenset({"logo", "sameAs"})


def check_site(site: Site) -> Iterator[SiteDraft]:
    from waypost.validate.site_comparison import contradiction_draft

    for conflict in site.contradictions:
        if conflict.prop not in _LEFT_TO_OTHERS and (not conflict.is_id or conflict.prop == "url"):
            yield contradiction_draft(
                conflict,
                f"{conflict.prop} of the organization {clip(conflict.subject)}",
                "say the same everywhere, under one @id",
            )
