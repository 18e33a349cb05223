"""Pages of types, unified fields and mappings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from waypost.models.profile import Profile
from waypost.pages import explorer, links
from waypost.pages.card_gaps import SLOTS
from waypost.pages.cases import cases_of_profile
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import rules_about
from waypost.pages.heads import draft
from waypost.pages.mapping_text import consumed_by, kind_of, losses, need, paths_of, shape_of, sources_of, way
from waypost.pages.site_rules import current_rules
from waypost.pages.text import coloured
from waypost.pages.worked_examples import examples_of, minimal, worked_example
from waypost.registry import Registry
from waypost.validate.rulebook import Rule


def drafts(source: Source, cards: dict[str, Any]) -> Iterator[Draft]:
    """Drafts of the explorer and of the mappings."""
    registry = source.registry
    fields = [{"name": name, **schema} for name, schema in registry.unified["properties"].items()]
    mappings = list(registry.mappings.values())
    yield explorer.explorer(registry, fields)
    yield _preview(source, mappings, cards)
    yield _types(registry, mappings)
    for mapping in mappings:
        yield _type(mapping, source, cards)
    yield _model(registry, fields, mappings)
    for field in fields:
        yield _field(field, source)
    yield _mappings(registry, mappings)
    for mapping in mappings:
        yield _mapping(mapping, source)
    yield explorer.files(registry)


def _preview(source: Source, mappings: list[dict[str, Any]], cards: dict[str, Any]) -> Draft:
    values = {"kinds": mappings, "example": worked_example(source, "NewsSnippet"), "cards": cards}
    return draft("explorer/preview/", "preview.html", values)


def _types(registry: Registry, mappings: list[dict[str, Any]]) -> Draft:
    rules = {m["title"]: len(rules_about(m["x-standard-type"], registry)) for m in mappings}
    return draft("types/", "types.html", {"mappings": mappings, "rules": rules})


def _model(registry: Registry, fields: list[dict[str, Any]], mappings: list[dict[str, Any]]) -> Draft:
    values = {"fields": fields, "mappings": mappings, "kind_of": partial(kind_of, shapes=registry.unified["$defs"])}
    return draft("model/", "model.html", values)


def _mappings(registry: Registry, mappings: list[dict[str, Any]]) -> Draft:
    delegates = registry.document("picking.json")["delegates"]
    return draft("mappings/", "mappings.html", {"mappings": mappings, "delegates": delegates})


def _type(mapping: dict[str, Any], source: Source, cards: dict[str, Any]) -> Draft:
    registry = source.registry
    standard, service = mapping["x-standard-type"], mapping["title"]
    profiles = [p for p in registry.profiles.values() if service in (p.mapping or "").split("|")]
    rules = rules_about(standard, registry)
    examples = examples_of(source, mapping)
    broken = [case for profile in profiles for case in cases_of_profile(profile.name, source, "bad")][:3]
    rows = _fields_of(mapping, registry)
    return Draft(
        f"types/{standard}/",
        "type.html",
        standard,
        mapping["description"],
        (("Types", "types/"),),
        {
            "mapping": mapping,
            "service": service,
            "fields": rows,
            "profiles": profiles,
            "rules": rules,
            "cards": cards,
            "examples": examples,
            "broken": broken,
            "schema_path": f"{registry.version}/{service}.json",
            "schema": coloured(_schema_as_written(service, registry)),
            "taken": mapping["x-source-types"],
            "minimal": minimal(examples, mapping, registry),
        },
        kind="Type",
        words=f"{service} {' '.join(mapping['x-source-types'])}",
        data=_type_data(mapping, rows, rules, profiles, registry),
        structured=(_type_article(mapping),),
    )


def _type_data(
    mapping: dict[str, Any], rows: list[dict[str, Any]], rules: list[Rule], profiles: list[Profile], registry: Registry
) -> dict[str, Any]:
    """JSON copy of a type's page."""
    service = mapping["title"]
    return {
        "standard_type": mapping["x-standard-type"],
        "service_type": service,
        "description": mapping["description"],
        "fields": rows,
        "rules": [rule.name for rule in rules],
        "profiles": [profile.name for profile in profiles],
        "schema": f"/schemas/{registry.version}/{service}.json",
    }


def _type_article(mapping: dict[str, Any]) -> dict[str, Any]:
    """Structured data of a type's own page."""
    standard = mapping["x-standard-type"]
    return {
        "@type": "TechArticle",
        "headline": standard,
        "description": mapping["description"],
        "inLanguage": "en",
        "about": {"@type": "DefinedTerm", "name": standard, "url": f"https://schema.org/{standard}"},
    }


def _fields_of(mapping: dict[str, Any], registry: Registry) -> list[dict[str, Any]]:
    """Unified fields of a type, as rows of a table."""
    return [
        {
            "name": name,
            "title": schema["title"],
            "kind": kind_of(schema, registry.unified["$defs"]),
            "need": need(name, mapping),
            "sources": sources_of(mapping["x-fields"][name]) if name in mapping["x-fields"] else [],
        }
        for name, schema in registry.unified["properties"].items()
        if name in mapping["properties"]
    ]


def _schema_as_written(service: str, registry: Registry) -> str:
    """Text of a mapping's file, with its order and layout."""
    paths = registry.below("mappings/", ".schema.json")
    return registry.files[next(path for path in paths if registry.document(path)["title"] == service)].decode()


def _field(field: dict[str, Any], source: Source) -> Draft:
    registry, name = source.registry, field["name"]
    users = [m for m in registry.mappings.values() if name in m["properties"]]
    properties = _properties_read(name, users)
    rules = [rule for rule in current_rules().values() if properties & rule.properties]
    shapes = registry.unified["$defs"]
    shape = shapes.get(shape_of(field))
    schema = {key: value for key, value in field.items() if key != "name"}
    return Draft(
        links.field(name),
        "field.html",
        name,
        str(field["description"]),
        (("Types", "types/"), ("Unified model", "model/")),
        {
            "field": field,
            "kind": kind_of(field, shapes),
            "schema": coloured(json.dumps(schema, indent=2, ensure_ascii=False)),
            "used": [_use_of(name, mapping) for mapping in users],
            "rules": rules,
            "shape": shape,
            "kind_of": partial(kind_of, shapes=shapes),
            "examples": [
                coloured(json.dumps(example, indent=2, ensure_ascii=False)) for example in field.get("examples", ())
            ],
        },
        kind="Field",
        words=f"{field['title']} {' '.join(sorted(properties))}",
        data={
            "name": name,
            "title": field["title"],
            "description": field["description"],
            "schema": schema,
            "types": [m["x-standard-type"] for m in users],
            "rules": [rule.name for rule in rules],
        },
        structured=(_field_term(field),),
    )


def _properties_read(name: str, mappings: list[dict[str, Any]]) -> set[str]:
    """Properties of schema.org that the mappings read into a field."""
    paths = (path for mapping in mappings for path in paths_of(mapping["x-fields"].get(name, {})))
    return {path.split(".")[-1] for path in paths if path not in (".", "")}


def _field_term(field: dict[str, Any]) -> dict[str, Any]:
    """Structured data of a field's own page."""
    return {
        "@type": "DefinedTerm",
        "name": field["name"],
        "description": field["description"],
        "inDefinedTermSet": {"@type": "DefinedTermSet", "name": "The unified model"},
    }


def _use_of(name: str, mapping: dict[str, Any]) -> dict[str, Any]:
    """Use of a field by a type, as a row of a table."""
    return {
        "standard": mapping["x-standard-type"],
        "need": need(name, mapping),
        "service": mapping["title"],
        "sources": sources_of(mapping["x-fields"][name]) if name in mapping["x-fields"] else [],
    }


def _mapping(mapping: dict[str, Any], source: Source) -> Draft:
    registry, standard = source.registry, mapping["x-standard-type"]
    shapes = registry.unified["$defs"]
    steps = [
        {
            "name": name,
            "sources": sources_of(field),
            "way": " or ".join(
                way(name, shapes) for name in ([field["as"]] if isinstance(field["as"], str) else field["as"])
            ),
            "losses": losses(field),
            "slots": _slots_of(name, mapping),
        }
        for name, field in mapping["x-fields"].items()
    ]
    read = _read_properties(mapping)
    consumed = consumed_by(mapping["title"], registry) - read
    unread = registry.vocabulary.properties_of((standard,)) - read
    return Draft(
        f"mappings/{standard}/",
        "mapping.html",
        f"Mapping of {standard}",
        f"Which properties of {standard} fill each unified field and each part of the card, and what is dropped.",
        (("Mappings", "mappings/"),),
        {
            "mapping": mapping,
            "standard": standard,
            "steps": steps,
            "asked": sorted(consumed & unread),
            "unread": sorted(unread),
            "filled": [name for name in mapping["properties"] if name not in mapping["x-fields"]],
        },
        kind="Mapping",
        words=f"{standard} {mapping['title']} dropped lost",
    )


def _read_properties(mapping: dict[str, Any]) -> set[str]:
    """Properties of a type that a field is made from."""
    fields = mapping["x-fields"].values()
    # The first step of a path is a property of the type; the rest belongs to its value.
    read = {path.split(".")[0] for field in fields for path in paths_of(field)}
    joined = {source.get("join", "") for field in fields for source in field["from"] if isinstance(source, dict)}
    return read | joined


def _slots_of(field: str, mapping: dict[str, Any]) -> list[str]:
    """Slots of the card with the content of a field."""
    card = mapping["x-card"]
    slots = ["title"] if field == "name" else ["address"] if field == "url" else []
    slots += [slot for slot in SLOTS if _reads(card[slot], field)]
    slots += [fact["label"] for fact in card["facts"] if _reads(fact["from"], field)]
    slots += [
        f"badge {badge['text']}"
        for badge in card["badges"]
        if any(condition["path"].split(".")[0] == field for condition in badge["when"])
    ]
    slots += ["list below"] if any(group["from"].split(".")[0] == field for group in card["items"]["groups"]) else []
    return slots


def _reads(paths: list[Any], field: str) -> bool:
    """Whether a path of the card begins with the field."""
    return any((path["path"] if isinstance(path, dict) else path).split(".")[0] == field for path in paths)
