"""Validation of documents by a JSON Schema of the registry, with one of two engines.

jsonschema-rs is fast and comes with the service; the plain package has jsonschema, which gives the same results
slowly. Neither fetches anything: a schema with a reference outside itself is an error of the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from waypost.errors import RegistryError


def conforms(schema: dict[str, Any], engine: str = "") -> Callable[[Any], bool]:
    """Validator for `schema` (2020-12, self-contained): document -> valid or not.

    engine  "rust" or "python"; by default the first installed. Raises ImportError for an engine by name.
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

    def reject(uri: str) -> Any:
        raise RegistryError(str(schema.get("$id", "schema")), f"it points outside itself, to {uri}")

    return jsonschema_rs.Draft202012Validator(schema, retriever=reject).is_valid


def _python(schema: dict[str, Any]) -> Callable[[Any], bool]:
    import jsonschema

    is_valid: Callable[[Any], bool] = jsonschema.Draft202012Validator(schema).is_valid
    return is_valid
