"""Every profile is data of the grammar, and names only what exists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry as References
from referencing import Resource

from waypost.models.finding import result_words, words_by_result
from waypost.registry import load
from waypost.registry.assets import folder
from waypost.validate.rulebook import rules_by_name

SCHEMAS = folder("schemas")
REGISTRY = load()
META = {
    name: json.loads((SCHEMAS / "meta" / name).read_text("utf-8"))
    for name in ("profile.schema.json", "profile-consumer.schema.json")
}
FILES = sorted((SCHEMAS / "profiles" / "google").glob("*.json"))
CONSUMER = json.loads((SCHEMAS / "profiles" / "google.json").read_text("utf-8"))
KEYWORDS = {"@id", "@type"}


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def problems(document: Any, meta: str) -> list[str]:
    """What two validators say; they must agree on whether there is anything to say."""
    references = References().with_resources(
        (f"meta/{name}", Resource.from_contents(each)) for name, each in META.items()
    )
    checker = jsonschema.Draft202012Validator(
        META[meta], registry=references, format_checker=jsonschema.FormatChecker()
    )
    ours = [error.message for error in checker.iter_errors(document)]
    own_base = {**META[meta], "$id": f"https://registry.example/meta/{meta}"}
    known = jsonschema_rs.Registry(
        [
            (f"https://registry.example/meta/{name}", {**each, "$id": f"https://registry.example/meta/{name}"})
            for name, each in META.items()
        ]
    )
    theirs = [
        error.message
        for error in jsonschema_rs.Draft202012Validator(own_base, registry=known, validate_formats=True).iter_errors(
            document
        )
    ]
    assert bool(ours) == bool(theirs), (ours, theirs)
    return ours


def conditions(document: Any) -> Iterator[dict[str, Any]]:
    """Every condition of a document, inner ones too."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("when", "applies_when"):
                yield from inner(value)
            elif key == "filters":
                for each in value.values():
                    yield from inner(each)
            else:
                yield from conditions(value)
    elif isinstance(document, list):
        for each in document:
            yield from conditions(each)


def inner(condition: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield condition
    for word in ("all", "any"):
        for each in condition.get(word, ()):
            yield from inner(each)
    if "not" in condition:
        yield from inner(condition["not"])


def entries(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in ("required", "recommended", "limits"):
        yield from document.get(part, ())


def paths(document: dict[str, Any]) -> Iterator[str]:
    for entry in entries(document):
        yield from (entry[word] for word in ("path", "absent", "each") if word in entry)
        yield from entry.get("any_of", ())
        yield from (path for group in entry.get("any_of_groups", ()) for path in group)
        yield from entry.get("values", {})
    for condition in conditions(document):
        yield from (condition[word] for word in ("present", "absent", "path") if word in condition)
        if "type" in condition and "path" in condition["type"]:
            yield condition["type"]["path"]


def kinds(document: dict[str, Any]) -> Iterator[str]:
    for entry in entries(document):
        for written in (entry.get("value"), entry.get("prefer"), *entry.get("values", {}).values()):
            yield from written.split("|") if written else ()


DOCUMENTS = {path.stem: read(path) for path in FILES} | {
    f"shape {name}": shape for name, shape in CONSUMER["shapes"].items()
}


def test_there_are_the_gallerys_and_the_retired_results() -> None:
    assert len(REGISTRY.profiles) == len(FILES) > 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_profile_is_of_its_schema(path: Path) -> None:
    assert not problems(read(path), "profile.schema.json")


def test_the_consumer_file_is_of_its_schema() -> None:
    assert not problems(CONSUMER, "profile-consumer.schema.json")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_profile_bears_the_name_of_its_file(path: Path) -> None:
    assert read(path)["name"] == f"google/{path.stem}"


@pytest.mark.parametrize(
    "wrong",
    [
        {"recommended": [{"path": "a b"}]},
        {"recommended": [{"path": "a", "any_of": ["b", "c"]}]},
        {"recommended": [{"path": "a", "when": {"presnet": "b"}}]},
        {"recommended": [{"path": "a", "when": {"present": "b", "absent": "c"}}]},
        {"applies_when": {"all": [{"present": "a"}, {"is": 3}]}},
        {"retired_on": "2026-01-01"},
        {"checked": {"sources": ["CL"], "confidence": "high"}},
        {"doc": "http://example.com/"},
        {"status": "gone"},
    ],
    ids=json.dumps,
)
def test_a_typo_in_a_profile_is_found(wrong: dict[str, Any]) -> None:
    assert problems({**read(SCHEMAS / "profiles/google/recipe.json"), **wrong}, "profile.schema.json")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_is_made_of_properties_of_the_vocabulary(name: str) -> None:
    vocabulary = REGISTRY.vocabulary

    for path in paths(DOCUMENTS[name]):
        for segment in path.removeprefix("^.").split("."):
            bare = re.sub(r"\[\w+\]$|-input$", "", segment)
            assert bare in vocabulary.properties or segment in KEYWORDS or segment in CONSUMER["off_vocabulary"], path


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_type_and_kind_and_filter_exists(name: str) -> None:
    types, document = REGISTRY.vocabulary.types, DOCUMENTS[name]
    named = [
        *document.get("types", ()),
        *document.get("exclude_types", ()),
        *document.get("exclude_alone", ()),
        *document.get("item_types", ()),
    ]
    for condition in conditions(document):
        for word in ("is", "except"):
            expected = condition.get("type", {}).get(word, ())
            named += [expected] if isinstance(expected, str) else expected
        named += condition.get("nested", {}).get("in", ())

    for each in named:
        assert each in types or each in CONSUMER["off_vocabulary"], each
    for kind in kinds(document):
        home, _, rest = kind.partition(":")
        if rest:
            assert rest in CONSUMER[{"enum": "enums", "types": "enums", "shape": "shapes"}[home]], kind
            assert home != "types" or CONSUMER["enums"][rest]["kind"] == "type"
        else:
            assert kind in CONSUMER["values"] or kind in types, kind
    for path in paths(document):
        assert set(re.findall(r"\[(\w+)\]", path)) <= CONSUMER["filters"].keys()
    if "rule" in document:
        assert document["rule"] in DOCUMENTS


@pytest.mark.parametrize("name", CONSUMER["enums"])
def test_members_of_an_enumeration_are_of_the_vocabulary(name: str) -> None:
    vocabulary, enumeration = REGISTRY.vocabulary, CONSUMER["enums"][name]
    known = {"member": vocabulary.members, "type": vocabulary.types, "property": vocabulary.properties}.get(
        enumeration["kind"]
    )

    assert known is None or set(enumeration["members"]) <= known.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_profile_states_its_sources_and_their_dates(path: Path) -> None:
    checked = read(path)["checked"]

    assert {source.split(" ")[0] for source in checked["sources"]} <= CONSUMER["sources"].keys()
    assert checked["date"] <= CONSUMER["as_of"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_entry_is_a_pattern_that_python_reads_otherwise(name: str) -> None:
    for entry in entries(DOCUMENTS[name]):
        if "pattern" in entry:
            re.compile(entry["pattern"])


def test_every_replacement_of_a_profile_is_a_rule() -> None:
    report = {entry["told_by"] for document in DOCUMENTS.values() for entry in entries(document) if "told_by" in entry}

    assert report
    assert report <= rules_by_name().keys()


def test_the_registry_knows_every_profile_by_name() -> None:
    assert set(REGISTRY.profiles) == {f"google/{path.stem}" for path in FILES}
    assert REGISTRY.profiles["google/faq"].retired_on == "2026-05-07"
    assert REGISTRY.consumers["google"].shapes["Offer"].loses == "price"


def test_a_result_without_a_phrase_has_its_title() -> None:
    """Words that differ from the name are the profile's title, within a sentence: "How-to" is "how-to"."""
    for name, words in words_by_result().items():
        assert words.casefold() == REGISTRY.profiles[f"google/{name}"].title.casefold()
        assert words != name.replace("-", " ")
        assert result_words(f"google/{name}") == words
