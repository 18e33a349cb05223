"""Which types have a card, and which card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from waypost.registry import Registry, load
from waypost.registry.assets import folder

FACTS = Path(__file__).parent.parent.parent / "shared" / "facts" / "type-dispatch.json"


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load()


def test_the_made_table_is_the_measured_one(registry: Registry) -> None:
    if not FACTS.is_file():
        pytest.skip("the measured dispatch table is not on this machine")
    measured = json.loads(FACTS.read_text(encoding="utf-8"))["dispatch"]
    wrappers = {"@mainEntity": "mainEntity", "@items": "itemListElement.item"}
    dispatch = registry.service_types

    added = json.loads((folder("schemas") / "vocabulary" / "additions.json").read_text("utf-8"))["types"]
    expected = {name: service for name, service in measured.items() if service not in wrappers}
    # Measured with release 30.0: later releases add types and change none. A medical specialty is a type and a value.
    assert {name: dispatch.services.get(name) for name in expected} == expected
    assert dispatch.services.keys() - expected.keys() <= added.keys() | registry.vocabulary.members.keys()
    for name, service in measured.items():
        if service in wrappers:
            assert (found := dispatch.delegate_of(name)) is not None
            assert found.path == wrappers[service]


def test_seventeen_services_have_their_own_rank(registry: Registry) -> None:
    dispatch = registry.service_types

    files = list((folder("schemas") / "mappings").glob("*.json"))
    assert len(registry.mappings) == len(files)
    assert len(set(dispatch.page_rank.values())) == len(set(dispatch.tie_rank.values())) == len(files)


@pytest.mark.parametrize(
    ("types", "service", "standard"),
    [
        (("Bakery",), "LocalBusinessSnippet", "Bakery"),
        (("Hospital",), "LocalBusinessSnippet", "Hospital"),
        (("ReviewNewsArticle",), "NewsSnippet", "ReviewNewsArticle"),
        (("BlogPosting", "TechArticle"), "ArticleSnippet", "BlogPosting"),
        (("Product", "IndividualProduct"), "ProductSnippet", "IndividualProduct"),
        (("Organization", "Restaurant"), "LocalBusinessSnippet", "Restaurant"),
        (("WebPage", "FAQPage"), "QASnippet", "FAQPage"),
        (("Person", "ex:Author"), "PersonSnippet", "Person"),
    ],
)
def test_the_most_specific_type_with_a_card_counts(
    registry: Registry, types: tuple[str, ...], service: str, standard: str
) -> None:
    assert registry.service_types.service(types) == (service, standard)


@pytest.mark.parametrize(
    "name", ["ClaimReview", "CourseInstance", "OperatingSystem", "Thing", "HowTo", "Movie", "Nonsense"]
)
def test_some_types_have_no_card(registry: Registry, name: str) -> None:
    assert registry.service_types.service((name,)) is None


def test_pages_represent_their_main_item_unless_they_have_cards(registry: Registry) -> None:
    def main_type(name: str) -> str | None:
        found = registry.service_types.delegate_of(name)
        return found.type if found else None

    assert main_type("ItemPage") == "WebPage"
    assert main_type("ProfilePage") == "ProfilePage"
    assert main_type("FAQPage") is None
    assert main_type("HowToSection") is None


def test_names_from_pages_do_not_fill_the_cache(registry: Registry) -> None:
    dispatch = registry.service_types
    assert dispatch.service_of("Product")

    before = len(dispatch._known)
    assert not any(dispatch.service_of(f"Invented{number}") for number in range(100))

    assert len(dispatch._known) == before
