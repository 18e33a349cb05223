"""Finding relationships by their words."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.models.relationship import Claim
from waypost.store import Store, open_store, relationships, search
from waypost.store.search import CANDIDATES, ENDINGS, words_of

NOW = 1_795_000_000_000
Make = Callable[..., Claim]


@pytest.fixture
def filled(store: Store, claim: Make) -> Store:
    entries = [
        ("acme-bank", "Acme Bank", "acmebank.example"),
        ("acme", "Acme", "acme.example"),
        ("societe", "Société Générale", "societe.example"),
        ("acme-shop", "Acme Shop", "shop.acme.test"),
    ]
    for at, (entity, name, domain) in enumerate(entries, NOW - 10):
        made = claim(entity=entity, entity_name=name, domain=domain)
        store.write(lambda db, at=at, made=made: relationships.submit(db, made, at))
    return store


def names(store: Store, text: str, now: int = NOW, **more: object) -> list[str]:
    return [each.name for each in store.read(lambda db: search.search(db, text, now, **more))]  # type: ignore[arg-type]


def test_the_full_name_comes_before_its_beginning(filled: Store) -> None:
    assert names(filled, "acme") == ["Acme", "Acme Bank", "Acme Shop"]
    assert names(filled, "ACME ba") == ["Acme Bank"]
    assert names(filled, "shop.acme.test") == ["Acme Shop"]
    assert names(filled, "nobody") == []


def test_accents_do_not_matter(filled: Store) -> None:
    assert names(filled, "societe generale") == ["Société Générale"]
    assert names(filled, "Société") == ["Société Générale"]


def test_only_a_review_that_holds_makes_a_result_reviewed(filled: Store) -> None:
    record = filled.read(lambda db: relationships.find_many(db))[1]
    filled.write(lambda db: relationships.accept(db, record.id, "bea", NOW, days=10))
    day = relationships.DAY_MS

    def states(now: int) -> dict[str, str]:
        found = filled.read(lambda db: search.search(db, "acme", now))
        return {each.name: each.review_status for each in found}

    assert states(NOW) == {"Acme": "reviewed", "Acme Bank": "unreviewed", "Acme Shop": "unreviewed"}
    assert states(NOW + 10 * day)["Acme"] == "unreviewed"
    filled.write(lambda db: relationships.dispute(db, record.id, "bea", NOW, "doubts"))
    assert states(NOW)["Acme"] == "unreviewed"


def test_rejected_claims_and_those_of_others_are_not_found(filled: Store, claim: Make) -> None:
    record = filled.read(lambda db: relationships.find_many(db))[0]
    filled.write(lambda db: relationships.reject(db, record.id, "bea", NOW, "no"))
    own = claim(entity_name="Acme Inside", domain="inside.example", organization="org_1")
    filled.write(lambda db: relationships.submit(db, own, NOW))

    assert names(filled, "acme") == ["Acme", "Acme Shop"]
    assert names(filled, "acme", organization="org_1") == ["Acme", "Acme Shop", "Acme Inside"]


def test_a_universal_word_costs_no_more_than_the_candidates(store: Store, claim: Make) -> None:
    def fill(db: object) -> None:
        for number in range(CANDIDATES + 50):
            made = claim(entity=f"e{number}", entity_name=f"Common {number}", domain=f"e{number}.example")
            relationships.submit(db, made, NOW)  # type: ignore[arg-type]

    store.write(fill)

    assert len(names(store, "common", limit=10_000)) == CANDIDATES
    assert names(store, "common 540") == ["Common 540"]


def test_universal_words_count_only_alone() -> None:
    assert words_of("https://www.acme.com/") == ["acme"]
    assert words_of("the official site of") == ["the", "official", "site", "of"]


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("search")) as store:
        yield store


@given(st.text(max_size=80))
def test_no_text_is_an_operator_of_the_index(shared_store: Store, text: str) -> None:
    shared_store.read(lambda db: search.search(db, text, NOW))


def test_rejected_claims_are_found_by_requesting_every_state(filled: Store) -> None:
    record = filled.read(lambda db: relationships.find_many(db))[0]
    filled.write(lambda db: relationships.reject(db, record.id, "bea", NOW, "no"))

    found = filled.read(lambda db: search.search(db, "acme", NOW, every_state=True))

    assert {each.name: (each.state, each.review_status) for each in found}["Acme Bank"] == ("rejected", "unreviewed")


def test_reviewed_records_alone_are_found_on_request(filled: Store) -> None:
    record = filled.read(lambda db: relationships.find_many(db))[1]
    filled.write(lambda db: relationships.accept(db, record.id, "bea", NOW, days=10))

    assert names(filled, "acme", reviewed_only=True) == ["Acme"]
    assert names(filled, "acme", NOW + 10 * relationships.DAY_MS, reviewed_only=True) == []


def test_no_one_drowns_a_review_in_claims(store: Store, claim: Make) -> None:
    def fill(db: sqlite3.Connection) -> None:
        for number in range(CANDIDATES + 20):
            made = claim(entity=f"acme-{number}", entity_name="Acme", domain=f"acme{number}.example")
            relationships.submit(db, made, NOW)

    store.write(fill)
    true = store.write(lambda db: relationships.submit(db, claim(domain="true.example"), NOW)).id
    store.write(lambda db: relationships.accept(db, true, "bea", NOW))

    found = store.read(lambda db: search.search(db, "acme", NOW, limit=10_000))

    assert len(found) == CANDIDATES
    assert found[0].domain == "true.example"
    store.write(lambda db: relationships.dispute(db, true, "bea", NOW, "sold"))
    assert store.read(lambda db: search.search(db, "acme", NOW, reviewed_only=True)) == []


def test_organizations_own_are_not_drowned_in_those_of_others(store: Store, claim: Make) -> None:
    def fill(db: sqlite3.Connection) -> None:
        for number in range(CANDIDATES + 20):
            made = claim(entity_name="Acme", domain=f"acme{number}.example", organization="org_2")
            relationships.submit(db, made, NOW)

    store.write(fill)
    own = claim(entity_name="Acme Inside", domain="inside.example", organization="org_1")
    store.write(lambda db: relationships.submit(db, own, NOW))

    assert names(store, "acme", organization="org_1") == ["Acme Inside"]
    assert names(store, "acme") == []


def test_further_pages_follow_the_first(filled: Store) -> None:
    assert [names(filled, "acme", limit=1, offset=at) for at in range(4)] == [
        ["Acme"],
        ["Acme Bank"],
        ["Acme Shop"],
        [],
    ]


@given(st.text(max_size=80), st.text(max_size=20))
def test_no_text_finds_what_is_anothers(shared_store: Store, text: str, organization: str) -> None:
    shared_store.read(lambda db: search.search(db, text, NOW, organization=organization))
    shared_store.read(lambda db: search.search_snippets(db, text, organization))


def test_an_unfinished_word_is_completed_and_finished_ones_match(store: Store, claim: Make) -> None:
    def fill(db: sqlite3.Connection) -> None:
        for number in range(ENDINGS + 20):
            made = claim(entity=f"e{number}", entity_name=f"Abc{number:03}", domain=f"e{number}.example")
            relationships.submit(db, made, NOW)

    store.write(fill)

    assert len(names(store, "abc", limit=100)) == ENDINGS
    assert names(store, "abc051") == ["Abc051"]
    assert len(names(store, "abc04", limit=100)) == 10


def test_the_beginning_of_an_accented_word_is_found_too(filled: Store) -> None:
    assert names(filled, "soci") == names(filled, "Socié") == ["Société Générale"]
