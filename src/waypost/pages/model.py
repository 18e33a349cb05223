"""Explorer: pages of types, unified fields, mappings and registry files, and tables of every entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from waypost.errors import RegistryError
from waypost.extract import read_data
from waypost.models.page import Node
from waypost.models.profile import Profile
from waypost.pages import links
from waypost.pages.card_gaps import SLOTS, cards, gaps_of
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import heading_id, rule_groups, rules_about
from waypost.pages.heads import draft
from waypost.pages.rules import cases_of_profile
from waypost.pages.text import coloured
from waypost.preview import to_markup, trace
from waypost.registry import Registry
from waypost.validate import validate_parsed
from waypost.validate.rulebook import Rule, rules_by_name

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
_LONGEST = 140


def drafts(source: Source, cards: dict[str, Any]) -> Iterator[Draft]:
    """Drafts of the explorer and of the mappings."""
    registry = source.registry
    fields = [{"name": name, **schema} for name, schema in registry.unified["properties"].items()]
    mappings = list(registry.mappings.values())
    yield _explorer(registry, fields)
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
    yield _files(registry)


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


def kind_of(schema: dict[str, Any], shapes: dict[str, Any]) -> str:
    """Kind of value of a field in words: "Text", "List: Person or organization", "true or false"."""
    if "$ref" in schema:
        return str(shapes[_shape_of(schema)]["title"])
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


def _shape_of(schema: dict[str, Any]) -> str:
    """Name of the shape of a field's value, or of its members' values; empty without one."""
    return str(schema.get("items", schema).get("$ref", "")).rpartition("/")[2]


def _way(name: str, shapes: dict[str, Any]) -> str:
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


def _losses(field: dict[str, Any]) -> list[str]:
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


def _explorer(registry: Registry, fields: list[dict[str, Any]]) -> Draft:
    results = list(map(_result_row, registry.profiles.values()))
    groups = [
        TableGroup("Types", ("Type", "About", "Card"), list(_type_rows(registry))),
        TableGroup("Rich results", ("Rich result", "Types", "Status"), results),
        TableGroup("Fields of the unified model", ("Field", "About", "Value"), list(_field_rows(registry, fields))),
        *(
            TableGroup(f"Rules: {heading}", ("Rule", "Severity"), list(map(_rule_row, rules)))
            for heading, rules in rule_groups().items()
        ),
    ]
    kinds = sorted({row.data for group in groups for row in group.rows} - {""})
    structured = (_dataset(registry),)
    return draft("explorer/", "explorer.html", {"groups": groups, "kinds": kinds}, structured=structured)


@dataclass(frozen=True)
class Row:
    """Row of the explorer's table.

    consumers  who uses the row: a search engine, the cards, or any reader of the page; for the table's filter
    title      title of the page, if not the name
    by         authority
    status     severity of a rule, status of a rich result
    data       kind of data of a field
    counts     number of fields and rules
    """

    name: str
    link: str
    kind: str
    more: str
    consumers: str
    about: str = ""
    title: str = ""
    by: str = ""
    status: str = ""
    data: str = ""
    counts: str = ""


@dataclass(frozen=True)
class TableGroup:
    """Rows under a heading, folded on the page."""

    heading: str
    columns: tuple[str, ...]
    rows: list[Row]

    @property
    def id(self) -> str:
        return heading_id(self.heading.replace(":", ""))


_GOOGLE, _CARDS, _READERS = "google", "cards", "readers"


def _type_rows(registry: Registry) -> Iterator[Row]:
    for mapping in registry.mappings.values():
        name = mapping["x-standard-type"]
        results = [p for p in registry.profiles.values() if mapping["title"] in (p.mapping or "").split("|")]
        yield Row(
            name=name,
            link=f"types/{name}/",
            kind="type",
            about=mapping["description"],
            more=mapping["title"],
            # A retired rich result is not a reason to find the type under Google.
            consumers=f"{_CARDS} {_GOOGLE}" if any(profile.status != "retired" for profile in results) else _CARDS,
            counts=f"{len(mapping['properties'])} fields, {len(rules_about(name, registry))} rules",
        )


def _field_rows(registry: Registry, fields: list[dict[str, Any]]) -> Iterator[Row]:
    consumed = {m["title"]: _consumed(m["title"], registry) for m in registry.mappings.values()}
    for field in fields:
        name = field["name"]
        users = [m for m in registry.mappings.values() if name in m["properties"]]
        is_consumed = any(
            path.split(".")[0] in consumed[m["title"]] for m in users for path in _paths(m["x-fields"].get(name, {}))
        )
        yield Row(
            name=name,
            link=links.field(name),
            kind="field",
            about=str(field["description"]),
            more=kind_of(field, registry.unified["$defs"]),
            consumers=f"{_CARDS} {_GOOGLE}" if is_consumed else _CARDS,
            data=_data_of(field, registry.unified["$defs"]),
            counts=f"{len(users)} types" if len(users) != 1 else f"{users[0]['x-standard-type']} only",
        )


def _rule_row(rule: Rule) -> Row:
    return Row(
        name=rule.name,
        link=links.rule(rule.name),
        kind="rule",
        title=rule.title,
        more=rule.severity,
        status=rule.severity,
        by=rule.authority,
        consumers={"google": _GOOGLE, "waypost": _CARDS}.get(rule.authority, _READERS),
    )


def _result_row(profile: Profile) -> Row:
    return Row(
        name=profile.name,
        link=links.rule(profile.name),
        kind="result",
        title=profile.heading,
        about=", ".join(profile.types),
        more=profile.status,
        status=profile.status,
        by="google",
        consumers=_GOOGLE,
    )


_DATA = {
    "Url": "URL", "Moment": "date or time", "Duration": "duration", "string": "text", "boolean": "true or false",
    "number": "number", "integer": "number", "object": "object",
}  # fmt: skip


def _data_of(schema: dict[str, Any], shapes: dict[str, Any]) -> str:
    """Kind of data of a field, in a word for the table's filter; for a list, the kind of the members."""
    if schema.get("type") == "array":
        return _data_of(schema["items"], shapes)
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name:
        return _DATA.get(name) or _data_of(shapes[name], shapes)
    if "enum" in schema or "const" in schema:
        return "one of a list"
    if "anyOf" in schema:
        ways = {_data_of(option, shapes) for option in schema["anyOf"]}
        return ways.pop() if len(ways) == 1 else "several"
    return _DATA[schema["type"]]


def _dataset(registry: Registry) -> dict[str, Any]:
    return {
        "@type": "Dataset",
        "name": "The waypost registry",
        "description": f"JSON Schema files of {len(registry.mappings)} structured-data types, one unified model of 54 "
        "fields, and what search engines require before they show a rich result, each with a dated source.",
        "license": ["https://spdx.org/licenses/MIT.html", "https://creativecommons.org/licenses/by-sa/3.0/"],
        "creator": {"@type": "Organization", "name": "The waypost authors"},
        "version": registry.version,
        "isAccessibleForFree": True,
    }


def _type(mapping: dict[str, Any], source: Source, cards: dict[str, Any]) -> Draft:
    registry = source.registry
    standard, service = mapping["x-standard-type"], mapping["title"]
    profiles = [p for p in registry.profiles.values() if service in (p.mapping or "").split("|")]
    rules = rules_about(standard, registry)
    examples = _examples(source, mapping)
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
            "minimal": _minimal(examples, mapping, registry),
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


def _examples(source: Source, mapping: dict[str, Any]) -> list[dict[str, Any]]:
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


def _minimal(examples: list[dict[str, Any]], mapping: dict[str, Any], registry: Registry) -> Any:
    """Smallest JSON-LD with a card: the required fields."""
    whole = next((item["document"] for item in examples if "itemListElement" not in item["document"]), None)
    if whole is None:
        return ""
    document = {name: value for name, value in whole.items() if name in mapping["required"]}
    return coloured(json.dumps(to_markup(document, registry), indent=2, ensure_ascii=False))


def worked_example(source: Source, service: str) -> dict[str, Any] | None:
    """First worked example of a service type; None without a checkout."""
    examples = _examples(source, source.registry.mappings[service])
    return examples[0] if examples else None


def _field(field: dict[str, Any], source: Source) -> Draft:
    registry, name = source.registry, field["name"]
    users = [m for m in registry.mappings.values() if name in m["properties"]]
    properties = _properties_read(name, users)
    rules = [rule for rule in rules_by_name().values() if properties & rule.properties]
    shapes = registry.unified["$defs"]
    shape = shapes.get(_shape_of(field))
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
    paths = (path for mapping in mappings for path in _paths(mapping["x-fields"].get(name, {})))
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


def _paths(field: dict[str, Any]) -> list[str]:
    return [path if isinstance(path, str) else str(path.get("path", "")) for path in field.get("from", ())]


def _mapping(mapping: dict[str, Any], source: Source) -> Draft:
    registry, standard = source.registry, mapping["x-standard-type"]
    shapes = registry.unified["$defs"]
    steps = [
        {
            "name": name,
            "sources": sources_of(field),
            "way": " or ".join(
                _way(name, shapes) for name in ([field["as"]] if isinstance(field["as"], str) else field["as"])
            ),
            "losses": _losses(field),
            "slots": _slots_of(name, mapping),
        }
        for name, field in mapping["x-fields"].items()
    ]
    read = _read_properties(mapping)
    consumed = _consumed(mapping["title"], registry) - read
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
    read = {path.split(".")[0] for field in fields for path in _paths(field)}
    joined = {source.get("join", "") for field in fields for source in field["from"] if isinstance(source, dict)}
    return read | joined


def _consumed(service: str, registry: Registry) -> set[str]:
    """Properties required or recommended by rich results of a type, first step of the path."""
    paths: set[str] = set()
    for profile in registry.profiles.values():
        if service not in (profile.mapping or "").split("|"):
            continue
        for entry in (*profile.required, *profile.recommended):
            paths_ = [entry.path or "", *entry.any_of, *(path for group in entry.any_of_groups for path in group)]
            paths |= {path.split(".")[0].partition("[")[0] for path in paths_}
    return paths - {""}


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


def _files(registry: Registry) -> Draft:
    files = [(path, len(data)) for path, data in registry.files.items()]
    values = {"files": files, "digest": registry.version}
    return draft("schemas/", "schemas.html", values, structured=(_dataset(registry),))
