"""Worked examples of types: markup, the record made of it with the source of every value, and the card."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from waypost.errors import RegistryError
from waypost.models.page import Node
from waypost.pages.card_gaps import cards, gaps_of
from waypost.pages.draft import Source
from waypost.pages.text import coloured
from waypost.preview import to_markup, trace
from waypost.reader import read_data
from waypost.registry import Registry
from waypost.validate import validate_parsed

_LONGEST = 140


def example_file(folder: Path, name: str) -> bytes:
    """File of a mapping's worked example. Raises RegistryError where it is missing."""
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        place = "/".join((*folder.parts[-3:], name))
        service = folder.name.partition("-")[0]
        how = (
            "write the markup of an example there"
            if name == "input.json"
            else f"`python tools/make_expected.py {service}` writes it from input.json"
        )
        raise RegistryError(place, f"the worked example of the mapping {service} is missing; {how}") from None


def examples_of(source: Source, mapping: dict[str, Any]) -> list[dict[str, Any]]:
    """Worked examples of a type: markup, record with the source of every value, and card."""
    service = mapping["title"]
    folders = sorted((source.cases / "snippets").glob(f"{service}*"))
    examples = []
    for folder in folders:
        example = _example(example_file(folder, "input.json"), source.registry, source.now)
        # One name may begin with another: the service that the page gets decides.
        if example["service"] != service:
            continue
        # `ProductSnippet-group` is a second example of ProductSnippet.
        variant = folder.name.removeprefix(service).strip("-")
        examples.append(
            {
                **example,
                "title": f"A worked example: {variant}" if variant else "A worked example",
                "id": f"example-{variant}" if variant else "example",
                "gaps": gaps_of(mapping, example["snippet"], example["findings"], cards()),
            }
        )
    return examples


# By content: a watch renders again after each edit, mostly with the same examples.
@lru_cache(maxsize=256)
def _example(markup: bytes, registry: Registry, now: Any) -> dict[str, Any]:
    page = read_data(markup, registry.vocabulary)
    made, origins = trace(page, registry, now=now)
    record = [
        {"name": name, "value": _short(value), "origin": _origin(origins.get(name, ()), name)}
        for name, value in made.unified.items()
    ]
    return {
        "service": made.service_type,
        "markup": coloured(json.dumps(json.loads(markup), indent=2, ensure_ascii=False)),
        "document": made.unified,
        "unified": coloured(json.dumps(made.unified, indent=2, ensure_ascii=False)),
        "object": coloured(json.dumps(msgspec.to_builtins(made.snippet), indent=2, ensure_ascii=False)),
        "snippet": msgspec.to_builtins(made.snippet),
        "record": record,
        "findings": validate_parsed(page, registry, now=now).findings,
    }


def _origin(origins: Any, name: str) -> str:
    if name == "@context":
        return "fixed by the mapping"
    if name == "@type":
        return "the type that the page gives"
    named = dict.fromkeys(_source_text(origin.node, origin.prop) for origin in origins)
    return ", ".join(list(named)[:3]) + (" and others" if len(named) > 3 else "") if named else "made from other fields"


def _source_text(node: Node, prop: str) -> str:
    return f"{prop} of {node.types[0]}" if node.types else prop


def _value_text(value: Any) -> str:
    """Value of a field in words, as the preview writes it (site/js/workbench/card.js)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(_value_text, value))
    if not isinstance(value, dict):
        return str(value)
    if isinstance(value.get("name"), str) and value["name"]:
        return str(value["name"])
    members = [(name, member) for name, member in value.items() if name != "@type"]
    is_named = len(value) > 2
    return ", ".join(
        f"{name} {_value_text(member)}" if is_named or isinstance(member, (dict, list)) else _value_text(member)
        for name, member in members
    )


def _short(value: Any) -> str:
    text = _value_text(value)
    # The ellipsis counts as a character.
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def minimal(examples: list[dict[str, Any]], mapping: dict[str, Any], registry: Registry) -> Any:
    """Smallest JSON-LD with a card: the required fields."""
    whole = next((item["document"] for item in examples if "itemListElement" not in item["document"]), None)
    if whole is None:
        return ""
    document = {name: value for name, value in whole.items() if name in mapping["required"]}
    return coloured(json.dumps(to_markup(document, registry), indent=2, ensure_ascii=False))


def worked_example(source: Source, service: str) -> dict[str, Any] | None:
    """First worked example of a service type; None without a checkout."""
    examples = examples_of(source, source.registry.mappings[service])
    return examples[0] if examples else None
