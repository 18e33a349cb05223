"""An organization's own documents, newest first."""

from __future__ import annotations

from typing import Any

import pytest

from waypost.store import Store, search, snippets
from waypost.store.errors import Conflict, Unknown
from waypost.store.snippets import StoredSnippet

NOW = 1_795_000_000_000


def put(
    store: Store, organization: str, name: str, at: int = NOW, kind: str = "NewsSnippet", **more: Any
) -> StoredSnippet:
    domain = more.pop("domain", "news.example")
    unified = {"@type": "NewsArticle", "name": name} | more
    return store.write(
        lambda db: snippets.put(db, organization, kind, unified, {"title": name}, "ann", at, domain=domain)
    )


def names(store: Store, organization: str, **how: Any) -> list[str]:
    return [
        each.name for each in store.read(lambda db: snippets.find_page(db, organization, "NewsSnippet", **how)).items
    ]


def test_a_document_comes_back_as_it_was_stored(store: Store, acme: str) -> None:
    made = put(store, acme, "Größe", author={"name": "Ann"})

    assert made.unified == {"@type": "NewsArticle", "name": "Größe", "author": {"name": "Ann"}}
    assert made.snippet == {"title": "Größe"}
    assert store.read(lambda db: snippets.find(db, acme, made.id)) == made


def test_they_are_paged_newest_by_domain_time_and_page(store: Store, acme: str) -> None:
    for number in range(6):
        put(store, acme, f"n{number}", NOW + number, domain=f"{'ab'[number % 2]}.example")
    put(store, acme, "a job", kind="JobSnippet")

    assert names(store, acme) == ["n5", "n4", "n3", "n2", "n1", "n0"]
    assert names(store, acme, domain="b.example") == ["n5", "n3", "n1"]
    assert names(store, acme, since=NOW + 4) == ["n5", "n4"]
    first = store.read(lambda db: snippets.find_page(db, acme, "NewsSnippet", limit=4))
    assert names(store, acme, after=first.next) == ["n1", "n0"]
    assert names(store, acme, limit=6) == names(store, acme)


def test_no_other_organization_sees_them(store: Store, acme: str, operator: str) -> None:
    made = put(store, acme, "secret plans")

    assert names(store, operator) == []
    with pytest.raises(Unknown, match="no such snippet"):
        store.read(lambda db: snippets.find(db, operator, made.id))
    assert store.read(lambda db: search.search_snippets(db, "secret plans", operator)) == []
    assert store.read(lambda db: search.search_snippets(db, "secret plans", "")) == []


def test_there_is_an_end_to_what_an_organization_stores(
    store: Store, acme: str, operator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snippets, "MAX_STORED", 2)
    put(store, acme, "a")
    put(store, acme, "b")

    with pytest.raises(Conflict, match="at most 2"):
        put(store, acme, "c")
    assert put(store, operator, "c").name == "c"


def test_they_are_found_by_their_words(store: Store, acme: str) -> None:
    put(store, acme, "A storm over the harbour", description="Ships are tied up", domain="paper.example")
    put(store, acme, "Harbour opens again", domain="paper.example")

    def found(text: str) -> list[tuple[str, str]]:
        return [(each.name, each.matched_on) for each in store.read(lambda db: search.search_snippets(db, text, acme))]

    assert found("harbour") == [("Harbour opens again", "name"), ("A storm over the harbour", "name")]
    assert found("ships tied") == [("A storm over the harbour", "description")]
    assert found("paper.exa")[0][1] == "domain"
    assert found("storm harb") == [("A storm over the harbour", "name")]
    assert found("nothing like it") == []
    assert found('" OR whose : "w') == []


def test_a_long_name_is_found_and_returned_shortened(store: Store, acme: str) -> None:
    put(store, acme, "harbour " + "lights " * 20_000 + "last", description="ships " * 1_000 + "anchor")

    (found,) = store.read(lambda db: search.search_snippets(db, "harbour lights", acme))

    assert found.name == ("harbour " + "lights " * 20_000)[: search.MOST_NAME]
    for beyond in ("last", "anchor"):
        assert store.read(lambda db, text=beyond: search.search_snippets(db, text, acme)) == []


def test_a_page_of_long_documents_ends_early(store: Store, acme: str) -> None:
    for number in range(3):
        put(store, acme, f"n{number}", description="d" * snippets.MOST_PAGE_CHARACTERS)

    first = store.read(lambda db: snippets.find_page(db, acme, "NewsSnippet"))

    assert [each.name for each in first.items] == ["n2"]
    assert names(store, acme, after=first.next) == ["n1"]
