"""Spelling of names in the markup: properties that are written in the wrong letter case."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node, Page

_AS_GOOGLE_WRITES = frozenset({"xPath"})
_MOST_COMPARED = 200


def misspelt_values(node: Node, page: Page) -> Iterator[tuple[str, list[int]]]:
    """(property, indexes of the values under the wrong spelling) of a node, in the order of reading.

    Where the right spelling stands next to a wrong one, its values are not among the indexes.
    """
    for name, written in (node.miscased or {}).items():
        if name[0] == "@" or written in _AS_GOOGLE_WRITES or name not in node.props:
            continue
        values = node.props[name]
        indexes = range(len(values))
        if len(values) <= _MOST_COMPARED:
            keys = ((index, page.source_text(*page.span_of(node, name, index, "key"))) for index in indexes)
            wrong = [index for index, key in keys if not key.rstrip('"').endswith(name)]
        else:
            wrong = list(indexes)
        if wrong:
            yield name, wrong


def is_type_misspelt(node: Node) -> bool:
    """Is every type of the node written in the wrong letter case?"""
    miscased = node.miscased
    if not miscased or not node.types:
        return False
    return all(f"@type:{name}" in miscased for name in node.types)
