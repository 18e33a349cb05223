"""Schemas of the tools: published schemas bundled into one document each, without references to other files."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from waypost.registry import Registry

_ANNOTATIONS = frozenset({"title", "description"})


def bundled(registry: Registry, name: str) -> dict[str, Any]:
    """Schema `api/<name>.schema.json` with referenced schemas under `$defs`."""
    held: dict[str, Any] = {}
    root = f"api/{name}.schema.json"
    document: dict[str, Any] = _inlined(registry, registry.document(root), root, held)
    document.pop("$id", None)  # a client must not resolve `#/$defs/...` against an address that it could fetch
    document.pop("examples", None)
    if held:
        document["$defs"] = held
    return document


def written_out(document: dict[str, Any]) -> dict[str, Any]:
    """Bundled schema with each definition in the place of its references. Raises ValueError for a recursive schema.

    Many clients show a model the properties alone: the descriptions and the values behind a reference would be lost.
    """
    held = document.get("$defs", {})
    return {name: _without_refs(part, held, ()) for name, part in document.items() if name != "$defs"}


def _without_refs(value: Any, held: dict[str, Any], inside: tuple[str, ...]) -> Any:
    """Part of a schema with definitions written out; `inside` are the names of the definitions around the part."""
    if isinstance(value, list):
        return [_without_refs(item, held, inside) for item in value]
    if not isinstance(value, dict):
        return value
    made = {name: _without_refs(part, held, inside) for name, part in value.items() if name != "$ref"}
    if not isinstance(target := value.get("$ref"), str):
        return made
    name = target.removeprefix("#/$defs/")
    if name in inside:
        raise ValueError(f"{name} leads back to itself")
    definition = _without_refs(held[name], held, (*inside, name))
    if {*definition} & {*made} <= _ANNOTATIONS:
        return definition | made
    return made | {"allOf": [definition]}


def _inlined(registry: Registry, value: Any, file: str, held: dict[str, Any]) -> Any:
    """Part of the schema `file` with references into `held`. Adds the referenced parts to `held`."""
    if isinstance(value, list):
        return [_inlined(registry, item, file, held) for item in value]
    if not isinstance(value, dict):
        return value
    made = {name: _inlined(registry, item, file, held) for name, item in value.items() if name not in {"$ref", "$defs"}}
    if isinstance(target := value.get("$ref"), str):
        made["$ref"] = f"#/$defs/{_hold(registry, target, file, held)}"
    return made


def _hold(registry: Registry, target: str, file: str, held: dict[str, Any]) -> str:
    """Name in `held` for the target of a reference of the schema `file`."""
    other, _, pointer = target.partition("#")
    source = f"api/{other}" if other else file
    steps = pointer.strip("/").split("/") if pointer.strip("/") else []
    stem = source.rpartition("/")[2].removesuffix(".schema.json")
    # `properties/x` and `$defs/x` must not share a name: the one often leads to the other.
    name = ".".join([stem, *(step.lstrip("$") for step in steps if step != "properties")])
    if name not in held:
        held[name] = {}  # a definition may lead back to itself
        found: Any = registry.document(source)
        for step in steps:
            found = found[step]
        made = _inlined(registry, deepcopy(found), source, held)
        for member in ("$schema", "$id", "examples"):
            made.pop(member, None)
        held[name] = made
    return name
