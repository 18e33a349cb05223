"""Relative @id without a base URL.

`/about` is resolved against the page's address. This page was read from a file and names no canonical address, so
the id stays open. The markup has no error; `--base-url`, or a canonical link in the page, settles which node the
id names. Ids with a fragment only (`#me`) hold inside the page and are ignored.
Source: W3C JSON-LD 1.1, section 4.1.3 (base IRI), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, RuleContext

AUTHORITY = "json"
SEVERITY = "info"
# A scheme, a fragment of this page, or a blank node: none depends on the page's address.
_SETTLED = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|#|_:")


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    if context.page.base is not None:
        return
    relative = [node for node in context.page.nodes if node.id and not node.foreign and not _SETTLED.match(node.id)]
    if relative:
        first = relative[0]
        # One finding a page: all of them have one cause.
        more = f" (and {len(relative) - 1} more)" if len(relative) > 1 else ""
        yield FindingDraft(
            severity="info",
            message=f"the @id {clip(first.id or '')} is relative, and the page's address is unknown{more}",
            hint="name the page's address with --base-url, or write the id in full",
            node=first,
            span=first.block.span(first, "@id"),
        )
