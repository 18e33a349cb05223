"""Parts of a mapping in words: kinds of value, sources of a field, ways of reading, and what is lost."""

from __future__ import annotations

from typing import Any

from waypost.registry import Registry

_ELSEWHERE = {
    "page": "the page's own {}",
    "wrapper": "{} of the WebPage item around it",
    "trail": "{} of the page's BreadcrumbList",
}
# Information lost by a way of reading, for the page of a mapping.
_LOSES = {
    "plain": "HTML tags are removed",
    "html": "HTML tags other than p, ul, li and br are removed",
    "first-words": "text after 70 characters",
    "words": "split at commas",
    "term": "an IRI is shortened to its name",
    "enum": "an IRI is shortened to its name",
    "choice": "spelling is normalized",
    "tidy": "deeply nested values",
    "page-url": "the fragment",
    "count": "thousands separators",
    "hours": "text becomes ranges of days and times",
}
_WAYS = {
    "boolean": "true or false",
    "choice": "one of a list",
    "enum": "one of a list",
    "html": "text with paragraphs and lists",
    "id": "identifier",
    "plain": "text without markup",
    "term": "schema.org name",
    "url": "URL",
    "words": "list of words",
}


def kind_of(schema: dict[str, Any], shapes: dict[str, Any]) -> str:
    """Kind of value of a field in words: "Text", "List: Person or organization", "true or false"."""
    if "$ref" in schema:
        return str(shapes[shape_of(schema)]["title"])
    if "const" in schema:
        return "always the same"
    if schema.get("type") == "array":
        return f"List: {kind_of(schema['items'], shapes)}"
    names = {
        "boolean": "true or false",
        "string": "Text",
        "number": "Number",
        "integer": "Whole number",
        "object": "Object",
    }
    return names.get(str(schema.get("type")), "Any")


def shape_of(schema: dict[str, Any]) -> str:
    """Name of the shape of a field's value, or of its members' values; empty without one."""
    return str(schema.get("items", schema).get("$ref", "")).rpartition("/")[2]


def way(name: str, shapes: dict[str, Any]) -> str:
    """How a value is read, in words."""
    return str(shapes[name]["title"]) if name in shapes else _WAYS.get(name, name)


def sources_of(field: dict[str, Any]) -> list[str]:
    """Sources of a field, in order of preference."""
    return [word for word in map(_source, field.get("from", ())) if word]


def _source(source: Any) -> str:
    if isinstance(source, str):
        return "the item itself" if source == "." else source
    if "field" in source:
        return f"the unified {source['field']}"
    path = "the item itself" if source.get("path") == "." else str(source.get("path", ""))
    path += f" and {source['join']}" if "join" in source else ""
    return _ELSEWHERE.get(str(source.get("of")), "{}").format(path)


def losses(field: dict[str, Any]) -> list[str]:
    """Information lost on the way into a field."""
    ways = field["as"] if isinstance(field["as"], list) else [field["as"]]
    lost = [_LOSES[way] for way in ways if way in _LOSES]
    if len(field["from"]) > 1 and field.get("take") != "all":
        lost.append("only the first source with a value is used")
    if "unique" in field:
        lost.append(f"entries with the same {' and '.join(field['unique'])}")
    if any(isinstance(source, dict) and source.get("back") is False for source in field["from"]):
        lost.append("the name of the source property")
    return lost


def need(field: str, mapping: dict[str, Any]) -> str:
    """Need of a type for a field: "always present", "recommended" or "optional"."""
    if field in mapping["required"]:
        return "always present"
    return "recommended" if field in mapping["x-recommended"] else "optional"


def paths_of(field: dict[str, Any]) -> list[str]:
    return [path if isinstance(path, str) else str(path.get("path", "")) for path in field.get("from", ())]


def consumed_by(service: str, registry: Registry) -> set[str]:
    """Properties required or recommended by rich results of a type, first step of the path."""
    paths: set[str] = set()
    for profile in registry.profiles.values():
        if service not in (profile.mapping or "").split("|"):
            continue
        for entry in (*profile.required, *profile.recommended):
            paths_ = [entry.path or "", *entry.any_of, *(path for group in entry.any_of_groups for path in group)]
            paths |= {path.split(".")[0].partition("[")[0] for path in paths_}
    return paths - {""}
