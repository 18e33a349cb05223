"""Does a document conform to a JSON Schema of the registry? One question, two engines behind it.

jsonschema-rs answers fast; where it has no wheel, jsonschema gives the same answer slowly. Nothing is ever
fetched: a schema that points outside itself is a fault of the registry, not a reason to go on the network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from waypost.errors import RegistryError


def conforms(schema: dict[str, Any], engine: str = "") -> Callable[[Any], bool]:
    """A function that says whether a document conforms to `schema` (2020-12, self-contained).

    engine  "rust" or "python" to have that one; by default the first that this machine has.
    """
    if engine != "python":
        try:
            return _rust(schema)
        except ImportError:
            if engine == "rust":
                raise
    return _python(schema)


def _rust(schema: dict[str, Any]) -> Callable[[Any], bool]:
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise RegistryError(str(schema.get("$id", "schema")), f"it points outside itself, to {uri}")

    return jsonschema_rs.Draft202012Validator(schema, retriever=refuse).is_valid


def _python(schema: dict[str, Any]) -> Callable[[Any], bool]:
    import jsonschema

    is_valid: Callable[[Any], bool] = jsonschema.Draft202012Validator(schema).is_valid
    return is_valid
