"""Same @id, different facts across pages.

Nodes with one `@id` are a single item on every page, with a single name, date or number: given two, a reader of
the entire site picks either. The finding stands at the first page that deviates from the majority. A page with
fewer facts does not contradict the rest, nor does a page in another language, a price in another currency, a
longer form of the same name, or a day without its time.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-20.
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
    from waypost.validate.site_facts import SINGLE

    for conflict in site.contradictions:
        if conflict.is_id and conflict.prop in SINGLE:
            yield contradiction_draft(
                conflict,
                f"{conflict.prop} of {clip(conflict.subject)}",
                "say the same everywhere, or give different items different ids",
            )
