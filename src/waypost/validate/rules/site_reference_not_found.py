"""Reference to an @id that no page describes.

`{"@id": "https://example.com/#us"}` stands for the node with that `@id` on the page at `https://example.com/`. That
page is part of the run, and no page has such a node, so the property is as good as empty. The usual causes: a plugin
that was removed, an id that a template writes in another way, or a letter that differs. An id of a page outside the run
is never reported.
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

    for iri, statement in site.unknown_references():
        more = f", nor do {pages_in_words(statement.count - 1)} find it" if statement.count > 1 else ""
        yield SiteDraft(
            severity="warning",
            message=f"{statement.places[0].prop} refers to {clip(iri, 120)}, which no page describes{more}",
            hint=f"describe it on {clip(iri.partition('#')[0], 120)}, or use the @id of the node that is meant",
            place=statement.places[0],
            about=(iri,),
            related=[(place, "it is referred to here too") for place in statement.places[1:]],
        )
