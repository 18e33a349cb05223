"""Nodes as JSON-LD in dictionaries and lists, the same for each syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

from waypost.models.page import Node, Value

MOST_NESTED: Final = 64
"""Depth to which nodes stand inside each other; readers of JSON have limits too."""


def literal(value: Value) -> Any:
    """Value of a property in JSON: a plain string in place of one with a language, a float for a decimal."""
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, str) else value


def plain_objects(
    roots: Iterable[Node], write: Callable[[Value], Any] = literal
) -> Iterator[tuple[Node, dict[str, Any]]]:
    """(node, its JSON-LD without `@context`) of each root.

    Each node stands in full once; elsewhere it is a reference by `@id`. Nodes below `MOST_NESTED` others follow as
    objects of their own. `write` makes JSON of the values that are not nodes.
    """
    written: set[Node] = set()
    waiting = list(roots)
    for node in waiting:
        if node not in written:
            yield node, _plain_object(node, written, waiting, write)


def _plain_object(root: Node, written: set[Node], later: list[Node], write: Callable[[Value], Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    open_nodes = [(root, made, 1)]
    # No recursion: a chain of references may be as long as the page.
    written.add(root)
    while open_nodes:
        node, members, depth = open_nodes.pop()
        if node.types:
            members["@type"] = node.types[0] if len(node.types) == 1 else list(node.types)
        if node.id:
            members["@id"] = node.id
        for name, values in node.props.items():
            plain: list[Any] = []
            for value in values:
                held = (value.same_as or value) if isinstance(value, Node) else None
                if held is None:
                    plain.append(write(value))
                elif held not in written and depth < MOST_NESTED:
                    written.add(held)
                    plain.append({})
                    open_nodes.append((held, plain[-1], depth + 1))
                else:
                    plain.append({"@id": held.id} if held.id else {"@type": list(held.types)})
                    later.append(held)
            members[name] = plain[0] if len(plain) == 1 else plain
    return made
