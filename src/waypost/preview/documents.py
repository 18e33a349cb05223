"""Values of unified documents by their paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from waypost.models.json_value import Json

NOWHERE = "about:blank"
"""URL of a document without an address."""


def values_at(document: Json, path: str) -> list[Json]:
    """Every value at a dotted path of a document, through lists."""
    values: list[Json] = [document]
    for step in path.split("."):
        values = [value[step] for value in _opened(values) if isinstance(value, dict) and step in value]
    return list(_opened(values))


def _opened(values: Iterable[Json]) -> Iterator[Json]:
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value
