"""list the JSON Schemas of the registry, or print one

NAME is a snippet's type (NewsSnippet), the schema.org type it is made from (NewsArticle), Unified, or
a file of the registry such as api/report.

examples:
  waypost schema
  waypost schema NewsArticle
  waypost schema api/report > report.schema.json
  waypost schema Recipe --as pydantic > recipe.py
  waypost schema Unified --as typescript > unified.ts
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any, Literal

from waypost.cli._console import UsageError, write, write_json

if TYPE_CHECKING:
    from waypost.registry import Registry

PLACE = 40
_ENDING = ".schema.json"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="the schema to print; without it all are listed")
    parser.add_argument(
        "--as", choices=("pydantic", "typescript"), dest="language", help="print models in code: of Unified or a type"
    )
    parser.add_argument("--json", action="store_true", help="the list as JSON (one schema always is)")


def run(args: Namespace) -> int:
    import msgspec

    from waypost.registry import load

    registry = load()
    if args.language:
        write([_models(registry, args.name, args.language)])
        return 0
    if args.name:
        write([msgspec.json.format(_schema(registry, args.name), indent=2).decode(), "\n"])
        return 0
    rows = list(_schemas(registry))
    if args.json:
        write_json(rows)
        return 0
    names = max((len(row["name"]) for row in rows), default=0)
    types = max((len(row.get("standard_type", "")) for row in rows), default=0)
    write(f"{row['name']:<{names}}  {row.get('standard_type', ''):<{types}}  {row['title']}\n" for row in rows)
    return 0


def _models(registry: Registry, name: str | None, language: Literal["pydantic", "typescript"]) -> str:
    """Code of the models of a type. Raises UsageError."""
    from waypost.errors import UnknownType
    from waypost.registry.schema_code import model_code

    if not name:
        raise UsageError(f"--as {language}: name a type, such as NewsArticle, or Unified")
    try:
        return model_code(registry, name, language)
    except UnknownType as unknown:
        raise UsageError(
            f"--as {language}: {unknown}; models are made of Unified and of the types in the list"
        ) from None


def _schemas(registry: Registry) -> list[dict[str, str]]:
    """Rows of the list of schemas: the snippets, the unified model, then further schemas by file name."""
    rows = [
        {"name": name, "standard_type": mapping["x-standard-type"], "title": _first_sentence(mapping)}
        for name, mapping in registry.mappings.items()
    ]
    if "unified.schema.json" in registry.files:
        rows.append({"name": "Unified", "title": _first_sentence(registry.unified)})
    others = (path for path in registry.files if path.endswith(_ENDING) and path != "unified.schema.json")
    return rows + [
        {"name": path.removesuffix(_ENDING), "title": _first_sentence(registry.document(path))}
        for path in others
        if not path.startswith("mappings/")
    ]


def _first_sentence(schema: dict[str, Any]) -> str:
    text = str(schema.get("description") or schema.get("title") or "")
    return text.partition(". ")[0].partition(": ")[0].rstrip(".")


def _schema(registry: Registry, name: str) -> bytes:
    """Schema as JSON, by file name, by snippet type, or by the schema.org type. Raises UsageError."""
    import msgspec

    from waypost.errors import UnknownType

    path = f"{name.removesuffix('.json').removesuffix('.schema')}{_ENDING}"
    if path in registry.files:
        return registry.files[path]
    try:
        return msgspec.json.encode(registry.schema(name))
    except UnknownType as unknown:
        raise UsageError(f"{unknown}" if unknown.near else f"{unknown}; `waypost schema` lists them") from None
