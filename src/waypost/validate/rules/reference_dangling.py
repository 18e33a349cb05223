"""A reference points to something of this page that is not there.

`{"@id": "#author"}` stands for the node of this page with that `@id`. No node has it, so the property is
as good as empty. The usual causes: a letter or a slash that differs, or a block that is no longer
published. A reference to another page (`https://example.com/about#me`) is fine: the node may be there.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.shapes.page import Node, Page
from waypost.text import clip, near
from waypost.validate.item import Draft, Item

AUTHORITY = "json"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})


def check(item: Item) -> Iterator[Draft]:
    node, page = item.node, item.scene.page
    if not node.reference or node.id is None or not _is_of_this_page(node.id, page):
        return
    meant = near(node.id, page.by_id, most=1)
    name = clip(_short(node, page))
    yield Draft(
        severity="warning",
        message=f"no node of this page has the @id {name}",
        hint=f"did you mean {clip(meant[0])}?" if meant else "add the node, or write its properties here",
        node=node,
        span=node.block.span(node, "@id"),
    )


def _is_of_this_page(name: str, page: Page) -> bool:
    if name[:1] == "#" or name[:2] == "_:":
        return True
    address, hash_, _ = name.partition("#")
    return bool(hash_) and address in {page.url, page.base}


def _short(node: Node, page: Page) -> str:
    """The id as it was probably written: its fragment."""
    assert node.id is not None
    address, hash_, fragment = node.id.partition("#")
    return f"#{fragment}" if hash_ and address in {page.url, page.base, ""} else node.id
