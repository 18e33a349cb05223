"""Breadcrumb links to a missing page.

The trail under a result would end in an error page. There is one finding for every address, and only where the
absence is certain: the page was fetched and the server answered 404 or 410, or the checked folder is the site
(addresses agree with file names) and has no file for the address. In a folder with a file of redirects nothing is
reported.
Source: https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
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

    for url, statement in site.missing_pages(is_breadcrumb=True):
        yield missing_page_draft(
            url, statement, "the breadcrumb", "correct the address, or leave this step out of the trail"
        )
