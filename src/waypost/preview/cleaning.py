"""Safe form of a unified document: no address that is not of the web, no hidden character.

Every document passes here before a card or markup is made of it: read from a page, sent to the service, or stored
earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from waypost.formats.text import without_hidden
from waypost.formats.urls import is_identifier, is_web_address, runs_script
from waypost.models.json_value import Json, JsonObject
from waypost.preview.documents import NOWHERE
from waypost.registry import Registry

_DEEPEST = 100


class SafeDocument(NamedTuple):
    """Document, and JSON Pointers of the addresses that were dropped from it."""

    document: JsonObject
    dropped: tuple[str, ...]


class _Names(NamedTuple):
    """Names of members by their schema.

    urls    the value is an address, or a list of addresses.
    needy   the object is nothing without its `url`.
    free    the value is any JSON, as the page wrote it.
    """

    urls: frozenset[str]
    needy: frozenset[str]
    free: frozenset[str]


def safe_document(document: JsonObject, registry: Registry) -> SafeDocument:
    """Document without the addresses that a reader must not follow: only http, https and `about:blank` stay.

    An `id` may also be a `urn:`. A value of free form loses strings that would run a script. An object that required
    the dropped address goes too. A document keeps its `url` and `id`: they become `about:blank` and the `url`.
    """
    walk = _Walk(_names_of(registry))
    made: JsonObject = {}
    for name, value in document.items():
        safe = walk.value(value, name, f"/{name}")
        if safe is not None:
            made[name] = safe
    if walk.dropped:
        made.setdefault("url", NOWHERE)
        made.setdefault("id", made["url"])
        made = {name: made[name] for name in registry.unified["properties"] if name in made}
    return SafeDocument(made, tuple(walk.dropped))


class _Walk:
    def __init__(self, names: _Names) -> None:
        self.names = names
        self.dropped: list[str] = []

    def value(self, value: Json, name: str, at: str, *, free: bool = False) -> Json:
        """Safe value of a member; None for one that is dropped."""
        if isinstance(value, str):
            return self._string(value, name, at, free=free)
        if isinstance(value, list):
            return self._list(value, name, at, free=free)
        return self._object(value, name, at, free=free) if isinstance(value, dict) else value

    def _list(self, values: list[Json], name: str, at: str, *, free: bool) -> list[Json] | None:
        safe = (self.value(value, name, f"{at}/{number}", free=free) for number, value in enumerate(values))
        remaining: list[Json] = [each for each in safe if each is not None]
        if remaining != values and all(isinstance(each, str) for each in remaining):
            # Texts that differ in hidden characters alone are one text without them, and such lists hold each once.
            remaining = list(dict.fromkeys(remaining))
        return remaining if remaining or not values else None

    def _object(self, held: JsonObject, name: str, at: str, *, free: bool) -> JsonObject | None:
        if at.count("/") > _DEEPEST:
            return None
        made: JsonObject = {}
        for key, value in held.items():
            safe = self.value(value, key, f"{at}/{_escaped(key)}", free=free or key in self.names.free)
            if safe is not None or value is None:
                made[key] = safe
        lost = held.keys() - made.keys()
        # A property without its value says nothing, nor does a link without its address.
        needed = "value" if "propertyID" in held else "url" if name in self.names.needy else ""
        return None if lost and (needed in lost or not made.keys() - {"@type"}) else made

    def _string(self, value: str, name: str, at: str, *, free: bool) -> str | None:
        if free:
            allowed = not runs_script(value)
        elif name == "id":
            allowed = is_identifier(value) or value == NOWHERE
        else:
            allowed = name not in self.names.urls or is_web_address(value) or value == NOWHERE
        if not allowed:
            self.dropped.append(at)
            return None
        # A text of hidden characters alone is none; one that was empty stays.
        return without_hidden(value) or (None if value else "")


def _escaped(key: str) -> str:
    """Key as a part of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


@lru_cache(maxsize=8)
def _names_of(registry: Registry) -> _Names:
    members = list(_members(registry.unified))
    shapes = registry.unified["$defs"]
    return _Names(
        urls=_referring(members, {"Url"}),
        needy=_referring(members, {name for name, shape in shapes.items() if "url" in shape.get("required", ())}),
        free=_referring(members, {"Tidy"}),
    )


def _members(unified: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """(name, schema) of every member of the document and of its shapes."""
    yield from unified["properties"].items()
    for shape in unified["$defs"].values():
        yield from shape.get("properties", {}).items()


def _referring(members: Iterable[tuple[str, JsonObject]], shapes: Iterable[str]) -> frozenset[str]:
    targets = {f"#/$defs/{name}" for name in shapes}
    return frozenset(name for name, schema in members if schema.get("items", schema).get("$ref") in targets)
