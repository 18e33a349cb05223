"""The files behind the snippets fit their meta schemas, the vocabulary and each other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from waypost.preview.catalogue import Member, catalogue_of
from waypost.preview.show import SHOWS
from waypost.preview.transforms import TRANSFORMS
from waypost.registry import load

REGISTRY = load()
BOOKS = catalogue_of(REGISTRY)
META = {name: REGISTRY.document(f"meta/{name}.schema.json") for name in ("mapping", "picking", "card-words")}
MAPPINGS = REGISTRY.below("mappings/", ".schema.json")
README = Path(__file__).parent.parent / "schemas" / "README.md"
ENGINE_WORDS = {"code", "property", "none", "table"}


def members() -> list[tuple[str, Member]]:
    fields = [(f"{s}.{m.name}", m) for s, mapping in BOOKS.mappings.items() for m in mapping.fields.values()]
    return fields + [(f"{s}.{m.name}", m) for s, shape in BOOKS.shapes.items() for m in shape.members.values()]


def test_model_has_exactly_fifty_four_fields_and_is_closed() -> None:
    unified = REGISTRY.unified

    assert len(unified["properties"]) == 54
    assert unified["additionalProperties"] is False
    assert unified["required"] == ["@context", "@type", "id", "name", "url"]


def test_every_field_has_title_description_and_fitting_examples() -> None:
    unified = REGISTRY.unified
    for name, schema in unified["properties"].items():
        own = jsonschema_rs.validator_for({**schema, "$defs": unified["$defs"]}, validate_formats=True)
        assert schema["title"], name
        assert schema["description"].endswith("."), name
        assert schema["examples"], name
        for example in schema["examples"]:
            own.validate(example)
    for example in unified["examples"]:
        jsonschema.Draft202012Validator(unified).validate(example)


def lists(schema: Any) -> list[Any]:
    if isinstance(schema, list):
        return [found for each in schema for found in lists(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "array" else []
    return own + [found for key, each in schema.items() if key != "examples" for found in lists(each)]


def objects(schema: Any) -> list[Any]:
    shapes = {name: each for name, each in schema["$defs"].items() if name != "Tidy"}
    return [each for each in shapes.values() if each.get("type") == "object"]


def test_no_list_is_empty_and_every_shape_closed() -> None:
    assert all(each["minItems"] == 1 for each in lists(REGISTRY.unified))
    assert all(each["additionalProperties"] is False for each in objects(REGISTRY.unified))


@pytest.mark.parametrize("path", MAPPINGS)
def test_mapping_fits_its_meta_schema_and_is_a_schema(path: str) -> None:
    mapping = REGISTRY.document(path)

    jsonschema.Draft202012Validator(META["mapping"]).validate(mapping)
    jsonschema.Draft202012Validator.check_schema(mapping)


@pytest.mark.parametrize(("path", "meta"), [("picking.json", "picking"), ("card-words.json", "card-words")])
def test_the_small_files_fit_theirs(path: str, meta: str) -> None:
    jsonschema.Draft202012Validator(META[meta]).validate(REGISTRY.document(path))


@pytest.mark.parametrize("service", sorted(BOOKS.mappings))
def test_mapping_has_a_schema_for_every_field_it_fills(service: str) -> None:
    document = REGISTRY.mappings[service]

    assert set(document["properties"]) == {"@context", "@type", *document["x-fields"]}
    assert set(document["x-recommended"]) <= set(document["x-fields"])


def test_every_source_is_a_property_of_the_vocabulary() -> None:
    vocabulary = REGISTRY.vocabulary
    for where, member in members():
        for source in member.sources:
            for name in [*source.path.split("."), *source.only, source.join, *source.fill.values()]:
                assert not name or name[0] == "@" or name in vocabulary.properties, (where, name)
            for name in (*source.types, *source.not_):
                assert name in vocabulary.types, (where, name)


def test_every_word_of_the_files_is_known_and_used() -> None:
    used = {kind for _, member in members() for kind in member.kinds}
    used |= {source.as_ for _, member in members() for source in member.sources if source.as_}
    displayed = {fact["show"] for mapping in BOOKS.mappings.values() for fact in mapping.card["facts"]}
    transforms, shapes = set(TRANSFORMS) | ENGINE_WORDS, set(BOOKS.shapes)

    assert used <= transforms | shapes
    assert transforms - used == set()
    assert shapes - used == set()
    assert displayed == set(SHOWS)
    assert set(META["mapping"]["$defs"]["transform"]["anyOf"][0]["enum"]) == transforms
    assert set(META["mapping"]["$defs"]["show"]["enum"]) == set(SHOWS)


def test_the_readme_documents_every_word() -> None:
    documented = set(re.findall(r"`([^`]+)`", README.read_text(encoding="utf-8")))
    keys = set(META["mapping"]["$defs"]["source"]["anyOf"][1]["properties"])
    conditions = set(META["mapping"]["$defs"]["condition"]["properties"])

    assert set(TRANSFORMS) | ENGINE_WORDS | set(SHOWS) | keys | conditions <= documented


def test_cards_read_only_fields_that_their_mapping_fills() -> None:
    for service, mapping in BOOKS.mappings.items():
        paths = re.findall(r'"(?:path|from)": "([^"]+)"', json.dumps(mapping.card["facts"] + mapping.card["badges"]))
        groups = [group["from"] for group in mapping.card["items"]["groups"]]
        for path in [*paths, *groups]:
            assert path.split(".")[0] in {"@type", *mapping.fields}, (service, path)


def test_every_field_of_the_model_has_a_mapping() -> None:
    filled = {name for mapping in BOOKS.mappings.values() for name in mapping.fields}

    assert filled | {"@context", "@type"} == set(BOOKS.order)


def read_by(member: Member) -> set[str]:
    """The properties of the thing itself that a field or member is filled from."""
    found: set[str] = set()
    for source in member.sources:
        found |= {source.path.split(".")[0], *source.only, *source.fill.values()}
        if source.path == ".":
            for inner in BOOKS.shapes[member.kinds[-1]].members.values():
                found |= read_by(inner)
    return found


def test_what_a_rich_result_reads_reaches_the_document() -> None:
    """Every required or recommended property of a live profile with a card is a source of its mapping."""
    self_carrying = {"return-policy", "shipping-policy", "loyalty-program"}
    checked = 0
    for path in REGISTRY.below("profiles/google/"):
        profile = REGISTRY.document(path)
        if not profile.get("mapping") or profile["status"] == "retired" or Path(path).stem in self_carrying:
            continue
        for service in profile["mapping"].split("|"):
            fields = BOOKS.mappings[service].fields.values()
            known = {"@id", "@type", "url", "mainEntity", "^"}.union(*(read_by(member) for member in fields))
            for entry in [*profile.get("required", ()), *profile.get("recommended", ())]:
                paths = [entry[key] for key in ("each", "path") if key in entry][:1] or entry.get("any_of", [])
                for start in (re.split(r"[.\[]", each)[0] for each in paths):
                    checked += 1
                    assert start in known, (path, service, start)
    assert checked > 150
