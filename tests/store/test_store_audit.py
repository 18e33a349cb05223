"""One hash chain an organization: what is gone, changed or moved shows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.postgres import INTEGRITY_ERRORS

from waypost.store import Store, audit
from waypost.store.audit import AuditEvent

NOW = 1_795_000_000_000


def append(store: Store, organization: str, kind: str = "key.created", at: int = NOW, **details: str) -> AuditEvent:
    return store.write(lambda db: audit.append(db, organization, at, kind, "ann", "k1", **details))


@pytest.fixture
def chain(store: Store, acme: str) -> list[AuditEvent]:
    return [append(store, acme, f"key.{number}", name=f"näme {number}") for number in range(5)]


def problems(store: Store) -> list[str]:
    return [
        f"{each.broken.sequence}: {each.broken.why}"
        for each in store.read(lambda db: [*audit.verify(db)])
        if each.broken
    ]


def by_force(store: Store, *changes: str) -> None:
    """What somebody with the file in their hands may do."""

    def work(db: sqlite3.Connection) -> None:
        db.execute("DROP TRIGGER audit_event_stays")
        db.execute("DROP TRIGGER audit_event_unchanged")
        for each in changes:
            db.execute(each)

    store.write(work)


def test_a_chain_is_verified_from_published_fields_alone(store: Store, acme: str, chain: list[AuditEvent]) -> None:
    before = "0" * 64
    for event in store.read(lambda db: audit.events(db, acme)).items:
        displayed = audit.to_dict(event)
        displayed = json.loads(json.dumps(displayed))
        own = displayed.pop("hash")
        assert displayed["prev_hash"] == before
        text = json.dumps(displayed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256((before + text).encode()).hexdigest()
        assert own == before


def test_each_organization_has_a_chain_of_its_own(store: Store, operator: str, acme: str) -> None:
    one, other = append(store, operator), append(store, acme)

    assert one.sequence == other.sequence == 2
    assert one.prev_hash != other.prev_hash
    assert [each.events for each in store.read(lambda db: [*audit.verify(db)])] == [2, 2]
    assert problems(store) == []


@pytest.mark.parametrize("change", ["UPDATE audit_event SET actor = 'bea'", "DELETE FROM audit_event"])
def test_an_event_neither_changes_nor_goes(store: Store, chain: list[AuditEvent], change: str) -> None:
    with pytest.raises(INTEGRITY_ERRORS, match="the audit"):
        store.write(lambda db: db.execute(change))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (["UPDATE audit_event SET actor = 'bea' WHERE sequence = 3"], "3: it is not what was written"),
        (["UPDATE audit_event SET at = at + 1 WHERE sequence = 6"], "6: it is not what was written"),
        (["UPDATE audit_event SET details = '{}' WHERE sequence = 2"], "2: it is not what was written"),
        (["DELETE FROM audit_event WHERE sequence = 3"], "4: event 3 is missing"),
        (["DELETE FROM audit_event WHERE sequence = 1"], "2: event 1 is missing"),
        (
            [
                "DELETE FROM audit_event WHERE sequence = 3",
                "UPDATE audit_event SET sequence = sequence - 1 WHERE sequence > 3",
            ],
            "3: it does not follow the event before it",
        ),
    ],
)
@pytest.mark.sqlite("its triggers are dropped in SQLite's words")
def test_forced_changes_of_a_chain_are_found(
    store: Store, acme: str, chain: list[AuditEvent], changes: list[str], found: str
) -> None:
    by_force(store, *(f"{each} AND organization = '{acme}'" for each in changes))

    assert problems(store) == [found]


def test_an_event_is_there_only_with_what_it_records(store: Store, acme: str) -> None:
    def work(db: sqlite3.Connection) -> None:
        audit.append(db, acme, NOW, "key.created", "ann", "k1")
        raise RuntimeError("the key could not be made")

    with pytest.raises(RuntimeError):
        store.write(work)

    assert [each.type for each in store.read(lambda db: audit.events(db, acme)).items] == ["organization.created"]


def test_events_come_in_pages_oldest_first(store: Store, acme: str, operator: str, chain: list[AuditEvent]) -> None:
    append(store, operator)
    seen: list[str] = []
    position = None
    for _ in range(4):
        page = store.read(lambda db, after=position: audit.events(db, acme, limit=2, after=after))
        seen += [each.type for each in page.items]
        position = page.next
        if position is None:
            break

    assert seen == ["organization.created", *(f"key.{number}" for number in range(5))]
    assert position is None


@given(
    details=st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text(st.characters(exclude_categories=["Cs"]))
    )
)
def test_the_canonical_json_of_an_event_follows_rfc_8785(details: dict[str, str]) -> None:
    canonical = audit._canonical(details).decode()

    assert canonical == _canonical_by_hand(details)


def _canonical_by_hand(value: Any) -> str:
    """RFC 8785, section 3.2.2.2, written out: which characters are escaped, and how."""
    short = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}

    def text(each: str) -> str:
        return '"' + "".join(short.get(ord(c)) or (f"\\u{ord(c):04x}" if c < " " else c) for c in each) + '"'

    names: Callable[[str], bytes] = lambda name: name.encode("utf-16-be")  # noqa: E731
    return "{" + ",".join(f"{text(name)}:{text(value[name])}" for name in sorted(value, key=names)) + "}"
