"""Properties in the wrong letter case, as a consumer sees them: not at all.

The reader puts the values under the right name, so that rules can check them. A profile must not count them: the
consumer knows no property `thumbnailURL`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from waypost.models.page import Node, Value
from waypost.validate.item import RuleContext
from waypost.validate.spelling import misspelt_values

MisspeltByNode: TypeAlias = Mapping[Node, Mapping[str, int]]
"""Node -> property in the wrong letter case -> index of the first value under that spelling."""


@contextmanager
def hidden_misspelt(context: RuleContext) -> Iterator[MisspeltByNode]:
    """Take the values under a wrong spelling away while profiles are evaluated; the others keep their indexes."""
    found: dict[Node, dict[str, int]] = {}
    before: list[tuple[Node, dict[str, list[Value]]]] = []
    for node in context.nodes_by_sign.get("miscased", ()):
        wrong = dict(misspelt_values(node, context.page))
        if wrong:
            found[node] = {name: indexes[0] for name, indexes in wrong.items()}
            before.append((node, node.props))
            node.props = node.props | {name: _without(node.props[name], wrong[name]) for name in wrong}
    try:
        yield found
    finally:
        for node, props in before:
            node.props = props


def _without(values: list[Value], indexes: list[int]) -> list[Value]:
    left_out = set(indexes)
    return [None if index in left_out else value for index, value in enumerate(values)]
