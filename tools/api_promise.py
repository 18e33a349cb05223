"""Compatibility contract of the API: the parts of the OpenAPI document that a later version may extend but not remove.

`schemas/api/promise.json` holds the contract of the last release; `tools/make_openapi.py --release` writes the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

FILE = "api/promise.json"


def promised(description: dict[str, Any]) -> dict[str, Any]:
    """Contract by operation id: path, scopes, required and optional inputs, and the members of successful answers."""
    return {
        operation["operationId"]: {
            "at": f"{method.upper().removeprefix('X-WAYPOST-')} {path}",
            "needs": operation["x-waypost-needs"],
            "must_send": sorted(_sent(description, operation, required=True)),
            "may_send": sorted(_sent(description, operation, required=False)),
            "answers": {
                status: sorted(_members(description, answer))
                for status, answer in operation["responses"].items()
                if status.startswith("2")
            },
        }
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    }


def broken(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Sentences, each about a part of the contract `before` that the contract `now` breaks."""
    for name, old in before.items():
        new = now.get(name)
        if new is None:
            yield f"{name} is gone"
            continue
        if new["at"] != old["at"]:
            yield f"{name} moved from {old['at']} to {new['at']}"
        if set(old["needs"]) - set(new["needs"]):
            yield f"{name}: {', '.join(set(old['needs']) - set(new['needs']))} is not enough any more"
        for member in sorted(set(new["must_send"]) - set(old["must_send"])):
            yield f"{name}: {member} must be sent now"
        for member in sorted(set(old["may_send"]) - set(new["may_send"])):
            yield f"{name}: {member} may not be sent any more"
        for status, members in old["answers"].items():
            if status not in new["answers"]:
                yield f"{name}: there is no {status} any more"
            for member in sorted(set(members) - set(new["answers"].get(status, ()))):
                yield f"{name}: {member} is gone from the {status}"


def _sent(description: dict[str, Any], operation: dict[str, Any], *, required: bool) -> Iterator[str]:
    for parameter in (_followed(description, each) for each in operation.get("parameters", ())):
        if parameter["required"] or not required:
            yield f"{parameter['in']} {parameter['name']}"
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = _followed(description, content["schema"])
        names = schema.get("required", ()) if required else schema.get("properties", ())
        yield from (f"body {name}" for name in names)


def _members(description: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    for media, content in answer.get("content", {}).items():
        yield media
        schema = _followed(description, content["schema"])
        yield from (f"{media} {name}" for name in schema.get("properties", ()))


def _followed(description: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Component that a reference names; any other value unchanged."""
    if "$ref" not in schema:
        return schema
    kind, _, name = schema["$ref"].removeprefix("#/components/").partition("/")
    found: dict[str, Any] = description["components"][kind][name]
    return found
