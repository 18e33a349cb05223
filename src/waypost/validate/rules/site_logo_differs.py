"""Different logos across pages.

An organization has a single logo; given two, chance decides which is shown. Often a template was forgotten when
the logo changed. Pictures with the same file name count as the same logo, in any size, format and folder.
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


def check_site(site: Site) -> Iterator[SiteDraft]:
    from waypost.validate.site_comparison import contradiction_draft

    for conflict in site.contradictions:
        if conflict.prop == "logo":
            yield contradiction_draft(
                conflict, f"the logo of {clip(conflict.subject)}", "name one picture on all pages"
            )
