"""Official site links back.

Anyone may claim a brand; few can make its site lead to them. It supports a claim for its reviewer and
verifies nothing by itself: official sites link to partners, customers and the news, and no link is not a reproach.
Source: Related Website Sets and Digital Asset Links for the idea that both sides must say so, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.models.decision import Evidence, SummaryCode

if TYPE_CHECKING:
    from waypost.safety.page_claims import BrandLinks

TAKES = "back"
SUMMARY_CODE: SummaryCode = "official_site_links_back"


def observe(back: BrandLinks) -> Iterator[Evidence]:
    # Where third parties share the registrable domain, only a link to the very host counts.
    place = f".{back.target.host if back.target.hosted else back.target.registrable}"
    # The dot in front keeps `notacme.test` from ending in `acme.test`.
    if any(f".{host}".endswith(place) for host in back.linked):
        yield Evidence(
            type="reciprocal_link_check",
            status="observed",
            id="rel.reciprocal",
            summary_code=SUMMARY_CODE,
            brand=back.brand.slug,
            detail=f"the site of {back.brand.name} links to {place[1:]}",
        )
