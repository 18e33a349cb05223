"""Invalid @id.

The id holds a space or another character that no address may hold, or begins with `www.` and is taken for a file
next to the page. Such an id joins nothing: a second node for the same item rarely has the same error. A `javascript:`
or `data:` address is not a name either; no card or document of waypost has it as its id.
Source: RFC 3987, section 2.2; W3C JSON-LD 1.1, section 3.3, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.formats.urls import runs_script, scheme_of
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "json"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
SIGN = "id"
_FORBIDDEN = pattern(r"[\s<>\"{}|\\^`]")
_HOST_TAKEN_FOR_A_PATH = pattern(r"(?:.*/)?(www\.[a-z0-9-]+\.[a-z]{2,}(?:[/#].*)?)\Z", re.IGNORECASE)


def check(item: Item) -> Iterator[FindingDraft]:
    name = item.node.id
    if name is None or len(name) > 2000:
        return
    if runs_script(name):
        message = f"the @id {clip(name, 40)} is a {scheme_of(name)}: address, which names nothing"
        yield _draft(item, message, "give one with https://, or leave it out")
    elif found := _FORBIDDEN.search(name):
        what = "a space" if found[0].isspace() else found[0]
        yield _draft(
            item, f"the @id {clip(name)} holds {what}, which no address may hold", "encode it, or leave it out"
        )
    elif name[:4] == "www." or "/www." in name.replace("://www.", "://"):
        # As written, since the @id was resolved against the page's address (JSON-LD 1.1 API, IRI expansion).
        span = item.node.block.span(item.node, "@id")
        written = item.context.page.source_text(*span).strip('"')
        if written[:4].lower() == "www." and _HOST_TAKEN_FOR_A_PATH.match(written):
            yield _draft(
                item, f"the @id {clip(written)} has no scheme and is taken for a path", f"write https://{clip(written)}"
            )


def _draft(item: Item, message: str, hint: str) -> FindingDraft:
    node = item.node
    return FindingDraft(severity="warning", message=message, hint=hint, node=node, span=node.block.span(node, "@id"))
