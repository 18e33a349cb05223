"""One organization under several ids.

Every `@id` is an item of its own: an organization described under two ids is two organizations, each with a part of the
facts. The usual causes: two plugins that describe the publisher, an id with the address of each page or language
(`#organization` alone), `http` here and `https` there, or a slash at the end. Compared are organizations of one name
whose ids are on the host of their page. Branches (every kind of LocalBusiness) share a name and stay apart.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-29.
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
    from waypost.validate.site_comparison import SiteDraft, pages_in_words

    for name, (first, odd, *others) in site.split_organizations():
        here, there = clip(odd.text, 120), clip(first.text, 120)
        is_near = first.places[0].page == odd.places[0].page
        where = "on the same page" if is_near else f"on {pages_in_words(first.count)}"
        more = f"; there {'is 1 more id' if len(others) == 1 else f'are {len(others):,} more ids'}" if others else ""
        related = [(first.places[0], f"{there}, as {where}")]
        related += [(each.places[0], clip(each.text, 120)) for each in others]
        yield SiteDraft(
            severity="warning",
            message=f"the @id of {clip(name, 80)} is {here} here and {there} {where}{more}",
            hint=f"use one @id everywhere, such as {there}",
            place=odd.places[0],
            about=(name, odd.text),
            related=related[:20],
        )
