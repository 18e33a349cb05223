"""List links to a missing page.

An ItemList names its pages; a missing page makes the list wrong and a carousel shorter. There is one finding for
every address, and only where the absence is certain, as for breadcrumbs.
Source: https://developers.google.com/search/docs/appearance/structured-data/carousel, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.validate.site_comparison import Site, SiteDraft

AUTHORITY = "waypost"
SEVERITY = "warning"


def check_site(site: Site) -> Iterator[SiteDraft]:
    from waypost.validate.site_comparison import missing_page_draft

    for url, statement in site.missing_pages(is_breadcrumb=False):
        yield missing_page_draft(url, statement, "the list", "correct the address, or take the page out of the list")
