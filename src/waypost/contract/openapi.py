"""Published OpenAPI document of the API, from `schemas/api/openapi.json`."""

from __future__ import annotations

from typing import Any

import msgspec

from waypost.registry import assets

FILE = "api/openapi.json"


def document() -> dict[str, Any]:
    """OpenAPI 3.1 document as committed; a test compares the file with the endpoint table."""
    return dict(msgspec.json.decode((assets.folder("schemas") / FILE).read_bytes()))


def expanded() -> dict[str, Any]:
    """Document whose operations hold their parameters, responses and headers, in place of references to components."""
    made = document()
    components = made["components"]
    for methods in made["paths"].values():
        for operation in methods.values():
            parameters = operation.get("parameters", ())
            operation["parameters"] = [_followed(components, each) for each in parameters]
            operation["responses"] = {
                status: _with_headers(components, _followed(components, response))
                for status, response in operation["responses"].items()
            }
    return made


def _with_headers(components: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    headers = response.get("headers", {})
    return response | {"headers": {name: _followed(components, each) for name, each in headers.items()}}


def _followed(components: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Component that a reference names; any other value unchanged."""
    if "$ref" not in value:
        return value
    kind, _, name = value["$ref"].removeprefix("#/components/").partition("/")
    found: dict[str, Any] = components[kind][name]
    return found
