"""Decisions are kept for thirty days, for who asked, and hold nothing of a URL but its host."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from waypost.store import Store, decisions
from waypost.store.decisions import RETENTION_MS, DecisionRecord, StoredDecision
from waypost.store.errors import Unknown

NOW = 1_795_000_000_000
Make = Callable[..., DecisionRecord]


def put(store: Store, given: DecisionRecord) -> str:
    store.write(lambda db: decisions.put(db, given))
    return given.id


def find(store: Store, organization: str, name: str, now: int = NOW) -> StoredDecision:
    return store.read(lambda db: decisions.find(db, organization, name, now))


def test_a_decision_comes_back_as_it_was_given(store: Store, acme: str, given: Make) -> None:
    made = given(acme, members={"reason_codes": ["näh"]})
    put(store, made)

    found = find(store, acme, made.id)

    assert found.record == made
    assert found.document["reason_codes"] == ["näh"]
    assert not found.expired
    assert found.superseded_by == ""


def test_it_expires_to_the_millisecond(store: Store, acme: str, given: Make) -> None:
    name = put(store, given(acme, expires_at=NOW + 900_000))

    assert not find(store, acme, name, NOW + 899_999).expired
    assert find(store, acme, name, NOW + 900_000).expired


def test_no_other_organization_finds_it(store: Store, acme: str, operator: str, given: Make) -> None:
    name = put(store, given(acme))

    with pytest.raises(Unknown, match="no such decision"):
        find(store, operator, name)
    with pytest.raises(Unknown, match="no such decision"):
        find(store, acme, "00000000-0000-4000-8000-000000000000")


def test_the_holder_of_its_id_may_dispute_it(store: Store, acme: str, given: Make) -> None:
    name = put(store, given(acme))

    assert store.read(lambda db: decisions.by_capability(db, name, NOW)).record.organization == acme
    with pytest.raises(Unknown, match="no such decision"):
        store.read(lambda db: decisions.by_capability(db, "another", NOW))
    with pytest.raises(Unknown, match="no such decision"):
        store.read(lambda db: decisions.by_capability(db, name, NOW + RETENTION_MS))


def test_after_thirty_days_it_is_gone_even_unswept(store: Store, acme: str, given: Make) -> None:
    name = put(store, given(acme))

    assert find(store, acme, name, NOW + RETENTION_MS - 1)
    with pytest.raises(Unknown):
        find(store, acme, name, NOW + RETENTION_MS)


def test_a_later_one_on_equal_url_and_action_supersedes(store: Store, acme: str, operator: str, given: Make) -> None:
    first = put(store, given(acme))
    put(store, given(acme, url_hmac=b"x" * 32))
    put(store, given(acme, action="login"))
    put(store, given(acme, environment="test"))
    put(store, given(operator))
    assert find(store, acme, first).superseded_by == ""

    second, third = put(store, given(acme)), put(store, given(acme))

    assert find(store, acme, first).superseded_by == third
    assert find(store, acme, second).superseded_by == third
    assert find(store, acme, third).superseded_by == ""
