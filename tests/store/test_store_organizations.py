"""Who has keys, and who comes first."""

from __future__ import annotations

import pytest

from waypost.store import Store, audit, organizations
from waypost.store.errors import Conflict, Unknown

NOW = 1_795_000_000_000


def test_the_first_organization_is_the_operators(store: Store, operator: str, acme: str) -> None:
    first = store.read(organizations.first)

    assert first is not None
    assert first.id == operator
    assert store.read(lambda db: organizations.is_operator(db, operator))
    assert not store.read(lambda db: organizations.is_operator(db, acme))
    assert [each.name for each in store.read(organizations.find_all)] == ["Operator", "Acme"]


def test_a_new_store_has_no_operator(store: Store) -> None:
    assert store.read(organizations.first) is None
    assert not store.read(lambda db: organizations.is_operator(db, ""))


def test_an_organization_is_named_by_id_or_caseless_name(store: Store, acme: str) -> None:
    for text in (acme, "Acme", " aCmE "):
        assert store.read(lambda db, text=text: organizations.named(db, text)).id == acme
    with pytest.raises(Unknown, match="no such organization"):
        store.read(lambda db: organizations.named(db, "Nobody"))


@pytest.mark.parametrize("name", ["ACME", "Ａｃｍｅ", " Acme "])
def test_two_organizations_never_have_the_same_name(store: Store, acme: str, name: str) -> None:
    with pytest.raises(Conflict, match="already"):
        store.write(lambda db: organizations.create(db, name, "ann", NOW))


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\nb", "a\u202eb"])
def test_a_name_that_cannot_be_read_is_none(store: Store, name: str) -> None:
    with pytest.raises(Conflict, match="printable"):
        store.write(lambda db: organizations.create(db, name, "ann", NOW))
    assert store.read(organizations.find_all) == []


def test_each_organization_has_its_own_secret_for_urls(store: Store, operator: str, acme: str) -> None:
    one, other = (store.read(lambda db, each=each: organizations.url_secret(db, each)) for each in (operator, acme))

    assert len(one) == len(other) == 32
    assert one != other
    assert one == store.read(lambda db: organizations.url_secret(db, operator))


def test_its_creation_begins_its_audit(store: Store, acme: str) -> None:
    (event,) = store.read(lambda db: audit.events(db, acme)).items

    assert (event.type, event.actor, event.sequence, event.prev_hash) == ("organization.created", "ann", 1, "0" * 64)
