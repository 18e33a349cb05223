"""Write the section "All keys" of site/docs/configuration.md from the schema of the configuration.

    python tools/make_configuration.py [--check]

With --check nothing is written: the status is 1 where the page says otherwise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "site" / "docs" / "configuration.md"
SCHEMA = json.loads((ROOT / "schemas" / "api" / "config.schema.json").read_text("utf-8"))
HEADING = "## All keys\n"
KINDS = {"string": "string", "integer": "whole number", "boolean": "true or false", "array": "list", "object": "table"}


def reference() -> Iterator[str]:
    """The section, piece by piece: the keys of the file, then those of each table."""
    yield "\nThe schema is [api/config](/schemas/), for editors that complete keys.\n\n"
    yield from rows(SCHEMA, "")
    for name, each in SCHEMA["properties"].items():
        inner = resolved(each.get("items", each))
        if "properties" in inner:
            heading = f"[[{name}]]" if "items" in each else f"[{name}]"
            yield f"\n### `{heading}`\n\n{each.get('description') or inner['description']}\n\n"
            yield from rows(inner, name)


def rows(schema: dict[str, Any], table: str) -> Iterator[str]:
    yield "| key | value | meaning |\n|---|---|---|\n"
    required = set(schema.get("required", ()))
    for name, each in sorted(schema["properties"].items()):
        text = each.get("description") or resolved(each).get("description", "")
        yield f"| `{name}`{' (required)' if name in required and table else ''} | {kind(each)} | {escaped(text)} |\n"


def kind(schema: dict[str, Any]) -> str:
    schema = resolved(schema)
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema and "type" not in schema:
        return " or ".join(kind(each) for each in schema["anyOf"])
    kinds = schema.get("type", "string")
    name = " or ".join(KINDS.get(each, each) for each in ([kinds] if isinstance(kinds, str) else kinds))
    if name == "list" and "items" in schema:
        inner = resolved(schema["items"])
        return "list of tables" if inner.get("type") == "object" else "list of strings"
    return name


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return SCHEMA["$defs"][name] if name else schema


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    text = TARGET.read_text("utf-8")
    made = text.partition(HEADING)[0] + HEADING + "".join(reference())
    if "--check" in sys.argv:
        return int(made != text)
    TARGET.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
