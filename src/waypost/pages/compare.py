"""Page to compare two types, or two documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from waypost.pages import links
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import rules_about
from waypost.pages.heads import draft
from waypost.pages.mapping_text import need, sources_of
from waypost.registry import Registry

_FIRST, _SECOND = "Product", "SoftwareApplication"
"""Types shown first, and without a script."""


def drafts(source: Source) -> Iterator[Draft]:
    """Draft of the page, with a pair of types."""
    compared = types(source.registry)
    values = {
        "types": list(compared),
        "first": _FIRST,
        "second": _SECOND,
        "rows": _rows(compared[_FIRST], compared[_SECOND], list(source.registry.unified["properties"])),
        "told": compared,
        "field_link": links.field,
        "rule_link": links.rule,
    }
    yield draft("explorer/compare/", "compare.html", values)


def types(registry: Registry) -> dict[str, dict[str, Any]]:
    """Standard type -> need and sources of the fields, rich results, and rules about the type."""
    return {
        mapping["x-standard-type"]: {
            "service": mapping["title"],
            "fields": {
                name: [need(name, mapping), ", ".join(sources_of(mapping["x-fields"].get(name, {})))]
                for name in registry.unified["properties"]
                if name in mapping["properties"]
            },
            "results": {
                profile.name: profile.status
                for profile in registry.profiles.values()
                if mapping["title"] in (profile.mapping or "").split("|")
            },
            "rules": [rule.name for rule in rules_about(mapping["x-standard-type"], registry)],
        }
        for mapping in registry.mappings.values()
    }


def script(registry: Registry) -> str:
    """Data for the comparison of types, as an object literal of a script."""
    made = {"fields": list(registry.unified["properties"]), "types": types(registry)}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _rows(first: dict[str, Any], second: dict[str, Any], fields: list[str]) -> list[dict[str, Any]]:
    """Rows of the comparison, field by field; `rowsOf` of site/js/small/compare.js gives the same."""
    rows = []
    for name in fields:
        one, other = first["fields"].get(name), second["fields"].get(name)
        if one or other:
            how = "same" if one == other else "differs" if one and other else "first" if one else "second"
            rows.append({"name": name, "one": one, "other": other, "how": how})
    return rows
