"""A breadcrumb leads to a page that is not there.

The trail that is shown under a result would end in an error page. Told once for each address, and only where that can
be known: the page was fetched and the server said 404 or 410, or the pages lie in a folder that is the site (their
addresses agree with where they lie) and it has no file for this one. Where a file with redirects lies there too,
nothing is said.
Source: https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.validate.whole import Remark, Site

AUTHORITY = "waypost"
SEVERITY = "warning"


def check_site(site: Site) -> Iterator[Remark]:
    from waypost.validate.whole import leading_nowhere

    for url, voice in site.lost(is_breadcrumb=True):
        yield leading_nowhere(url, voice, "the breadcrumb", "correct the address, or leave this step out of the trail")
