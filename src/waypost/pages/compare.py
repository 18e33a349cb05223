"""Two types, or two documents, side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from waypost.pages import links
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import rules_about
from waypost.pages.model import need, sources_of
from waypost.registry import Registry

_FIRST, _SECOND = "Product", "SoftwareApplication"
"""What the page shows before somebody chooses, and without a script."""


def drafts(source: Source) -> Iterator[Draft]:
    """The page, with one pair of types."""
    told = types(source.registry)
    yield Draft(
        "explorer/compare/",
        "compare.html",
        "Compare",
        "Two types side by side: their fields, rich results and rules. Or two documents: records, cards, findings.",
        (("Explorer", "explorer/"),),
        {
            "types": list(told),
            "first": _FIRST,
            "second": _SECOND,
            "rows": _rows(told[_FIRST], told[_SECOND], list(source.registry.unified["properties"])),
            "told": told,
            "field_link": links.field,
            "rule_link": links.rule,
        },
        kind="Tool",
        words="difference side by side diff two",
    )


def types(registry: Registry) -> dict[str, dict[str, Any]]:
    """What can be compared of each type: need and sources of its fields, its rich results, the rules about it."""
    return {
        mapping["x-standard-type"]: {
            "service": mapping["title"],
            "fields": {
                name: [need(name, mapping), ", ".join(sources_of(mapping["x-fields"].get(name, {})))]
                for name in registry.unified["properties"]
                if name in mapping["properties"]
            },
            "results": {
                each.name: each.status
                for each in registry.profiles.values()
                if mapping["title"] in (each.mapping or "").split("|")
            },
            "rules": [each.name for each in rules_about(mapping["x-standard-type"], registry)],
        }
        for mapping in registry.mappings.values()
    }


def script(registry: Registry) -> str:
    """The same, as an object of a script."""
    made = {"fields": list(registry.unified["properties"]), "types": types(registry)}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _rows(first: dict[str, Any], second: dict[str, Any], fields: list[str]) -> list[dict[str, Any]]:
    """The fields of either, with what each says and how they compare; as `rowsOf` of site/js/small/compare.js."""
    rows = []
    for name in fields:
        one, other = first["fields"].get(name), second["fields"].get(name)
        if one or other:
            how = "same" if one == other else "differs" if one and other else "first" if one else "second"
            rows.append({"name": name, "one": one, "other": other, "how": how})
    return rows
