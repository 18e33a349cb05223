"""Published schemas: self-contained, with an `$id` that resolves on the site."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from waypost.registry import Registry

SCHEMA_JSON = "application/schema+json"
UNIFIED = "Unified"


def names(registry: Registry) -> list[str]:
    """Type names with a schema: the service types, and the unified model."""
    return [*registry.mappings, UNIFIED]


def title_of(registry: Registry, name: str) -> str:
    """First sentence of a schema's description, without the full stop."""
    document = registry.schema(name)
    return str(document.get("description") or document["title"]).partition(". ")[0].rstrip(".")


@lru_cache(maxsize=128)
def published(registry: Registry, name: str, site_url: str) -> bytes:
    """Bytes of a self-contained schema; references to the unified model become `$defs`.

    Service and site produce the same bytes for the same `site_url`.
    """
    document = registry.schema(name)
    address = f"{site_url}/schemas/{registry.version}/{name}.json"
    own = {"$schema": document["$schema"], "$id": address} | document
    if name != UNIFIED:
        own = _self_contained(own, registry.unified)
    return msgspec.json.format(msgspec.json.encode(own), indent=2) + b"\n"


_OUTSIDE = "../unified.schema.json#/"


def _self_contained(document: dict[str, Any], unified: dict[str, Any]) -> dict[str, Any]:
    held: dict[str, Any] = {}

    def inlined(value: Any) -> Any:
        if isinstance(value, list):
            return [inlined(item) for item in value]
        if not isinstance(value, dict):
            return value
        target = value.get("$ref", "")
        if target.startswith(_OUTSIDE):
            kind, _, name = target.removeprefix(_OUTSIDE).partition("/")
            key = f"{'' if kind == '$defs' else 'field-'}{name.lstrip('@')}"
            _hold(key, unified[kind][name])
            return {**{k: inlined(v) for k, v in value.items() if k != "$ref"}, "$ref": f"#/$defs/{key}"}
        return {key: inlined(item) for key, item in value.items()}

    def _hold(key: str, found: Any) -> None:
        if key not in held:
            held[key] = None  # a definition may lead back to itself
            held[key] = within(found)

    def within(value: Any) -> Any:
        """Part of the unified model, with the definitions to which it refers collected in `held`."""
        if isinstance(value, list):
            return [within(item) for item in value]
        if not isinstance(value, dict):
            return value
        target = value.get("$ref", "")
        if target.startswith("#/$defs/"):
            _hold(target.removeprefix("#/$defs/"), unified["$defs"][target.removeprefix("#/$defs/")])
        return {key: within(item) for key, item in value.items()}

    made: dict[str, Any] = inlined(document)
    definitions = {**made.pop("$defs", {}), **dict(sorted(held.items()))}
    return made | {"$defs": definitions} if definitions else made
