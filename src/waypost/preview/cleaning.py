"""Safe form of a unified document: no address that is not of the web, no hidden character.

Every document passes here before a card or markup is made of it: read from a page, sent to the service, or stored
earlier. The second interpreter is `site/js/engine/safe.js`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from waypost.formats.text import without_hidden
from waypost.formats.urls import is_identifier, is_web_address, runs_script
from waypost.registry import Registry

NOWHERE = "about:blank"
_DEEPEST = 100


class SafeDocument(NamedTuple):
    """Document, and JSON Pointers of the addresses that were dropped from it."""

    document: dict[str, Any]
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


def safe_document(document: dict[str, Any], registry: Registry) -> SafeDocument:
    """Document without the addresses that a reader must not follow: only http, https and `about:blank` stay.

    An `id` may also be a `urn:`. A value of free form loses strings that would run a script. An object that required
    the dropped address goes too. A document keeps its `url` and `id`: they become `about:blank` and the `url`.
    """
    walk = _Walk(_names_of(registry))
    made = {name: safe for name, value in document.items() if (safe := walk.value(value, name, f"/{name}")) is not None}
    if walk.dropped:
        made.setdefault("url", NOWHERE)
        made.setdefault("id", made["url"])
        made = {name: made[name] for name in registry.unified["properties"] if name in made}
    return SafeDocument(made, tuple(walk.dropped))


def safe_card(card: dict[str, Any]) -> dict[str, Any]:
    """Card as JSON, stored earlier, without links that a reader must not follow."""
    picture = card.get("image")
    items = [_linked(item) for item in card.get("items", ())]
    made = _linked(card) | {"items": items}
    if isinstance(picture, dict) and not is_web_address(str(picture.get("url", ""))):
        made["image"] = None
    return {name: made[name] for name in card if name in made}


def _linked(part: dict[str, Any]) -> dict[str, Any]:
    """Part of a card, its texts without hidden characters, its `url` None unless it is a web address."""
    made = {name: without_hidden(value) if isinstance(value, str) else value for name, value in part.items()}
    if made.get("url") and not is_web_address(made["url"]):
        made |= {"url": None} | ({"display_url": None} if "display_url" in made else {})
    return made


class _Walk:
    def __init__(self, names: _Names) -> None:
        self.names = names
        self.dropped: list[str] = []

    def value(self, value: Any, name: str, at: str, *, free: bool = False) -> Any:
        """Safe value of a member; None for one that is dropped."""
        if isinstance(value, str):
            return self._string(value, name, at, free=free)
        if isinstance(value, list):
            return self._list(value, name, at, free=free)
        return self._object(value, name, at, free=free) if isinstance(value, dict) else value

    def _list(self, values: list[Any], name: str, at: str, *, free: bool) -> list[Any] | None:
        safe = (self.value(value, name, f"{at}/{number}", free=free) for number, value in enumerate(values))
        remaining = [each for each in safe if each is not None]
        if remaining != values and all(isinstance(each, str) for each in remaining):
            # Texts that differ in hidden characters alone are one text without them, and such lists hold each once.
            remaining = list(dict.fromkeys(remaining))
        return remaining if remaining or not values else None

    def _object(self, held: dict[str, Any], name: str, at: str, *, free: bool) -> dict[str, Any] | None:
        if at.count("/") > _DEEPEST:
            return None
        made = {}
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


def _members(unified: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, schema) of every member of the document and of its shapes."""
    yield from unified["properties"].items()
    for shape in unified["$defs"].values():
        yield from shape.get("properties", {}).items()


def _referring(members: Iterable[tuple[str, dict[str, Any]]], shapes: Iterable[str]) -> frozenset[str]:
    targets = {f"#/$defs/{name}" for name in shapes}
    return frozenset(name for name, schema in members if schema.get("items", schema).get("$ref") in targets)
