"""Relationships and lists in memory: fast, and never the old word."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import NotReady
from waypost.feeds import Feeds
from waypost.feeds.file import write
from waypost.feeds.formats import Entry
from waypost.models.decision import Decision
from waypost.models.relationship import Claim
from waypost.registry import world as worlds
from waypost.safety.target import of_host
from waypost.service import Service
from waypost.service.providers import CURRENT_ORGANIZATION, FRESH_S, StoredRelationships, ThreatLists
from waypost.store import relationships
from waypost.store.open import Store, open_store

NOW = 1_795_000_000_000
HOST = of_host("shop.nettle.test")
CLAIM = Claim(
    domain=HOST.host, scope="host", entity="nettle", entity_name="Nettle", type="official_site", submitter="ann",
    origin="nettle.test", source="form", organization="org",
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


class Known(StoredRelationships):
    """Relationships with a clock by hand."""

    def __init__(self, store: Store) -> None:
        self.seconds = 0.0
        super().__init__(store, monotonic=lambda: self.seconds)


def accepted(store: Store) -> str:
    """Id of a relationship that another than the submitter accepted."""
    name = store.write(lambda db: relationships.submit(db, CLAIM, NOW)).id
    store.write(lambda db: relationships.accept(db, name, "bea", NOW, "seen"))
    return name


def in_organization(known: StoredRelationships, name: str = "org") -> list[str] | None:
    token = CURRENT_ORGANIZATION.set(name)
    try:
        found = known.recent(HOST, NOW)
        return None if found is None else [each.state for each in found]
    finally:
        CURRENT_ORGANIZATION.reset(token)


def read(known: StoredRelationships, name: str = "org") -> list[str]:
    token = CURRENT_ORGANIZATION.set(name)
    try:
        return [each.state for each in known(HOST, NOW)]
    finally:
        CURRENT_ORGANIZATION.reset(token)


def test_an_answer_stays_in_memory_for_its_organization(store: Store) -> None:
    accepted(store)
    known = Known(store)

    assert in_organization(known) is None
    assert read(known) == ["accepted"]
    assert in_organization(known) == ["accepted"]
    assert in_organization(known, "another") is None
    assert read(known, "another") == []

    known.seconds += FRESH_S
    assert in_organization(known) is None
    assert read(known) == ["accepted"]
    assert in_organization(known) == ["accepted"]


def test_a_change_by_this_process_counts_at_once(store: Store) -> None:
    name = accepted(store)
    known = Known(store)
    read(known)

    store.write(lambda db: relationships.revoke(db, name, "bea", NOW + 1, "sold"))

    assert in_organization(known) is None
    assert read(known) == []


def test_another_processs_change_counts_after_freshness(store: Store, tmp_path: Path) -> None:
    name = accepted(store)
    known = Known(store)
    read(known)

    with open_store(tmp_path) as other:
        other.write(lambda db: relationships.dispute(db, name, "bea", NOW + 1, "an objection"))

    assert in_organization(known) == ["accepted"]
    known.seconds += FRESH_S
    assert in_organization(known) is None
    assert read(known) == ["disputed"]


def test_a_failing_store_never_repeats_a_stale_answer(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Known(store)
    service = Service(worlds.load(), known=known, now=lambda: NOW)
    service.check("https://shop.nettle.test/", "visit")

    def fails(*_: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(relationships, "version", fails)
    assert service.check("https://shop.nettle.test/", "visit")
    known.seconds += FRESH_S
    with pytest.raises(NotReady):
        service.check("https://shop.nettle.test/", "visit")


def test_a_hanging_store_delays_neither_loop_nor_deadlines(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(relationships, "version", lambda _: released.wait(20))
    service = Service(worlds.load(), known=Known(store), now=lambda: NOW)

    async def run() -> tuple[Decision | Exception, bool]:
        late = asyncio.create_task(service.check_async("https://shop.nettle.test/", "visit", within_s=0.2))
        others = asyncio.create_task(asyncio.sleep(0))
        await others
        was_free = not late.done()
        (result,) = await asyncio.gather(late, return_exceptions=True)
        return result, was_free

    try:
        result, was_free = asyncio.run(run())
    finally:
        released.set()
    assert was_free
    assert isinstance(result, NotReady)


def test_a_list_is_read_once_for_each_host(tmp_path: Path) -> None:
    entry = Entry(host=HOST.host, page=False)
    write(tmp_path, [entry], name="made", source="made.txt", form="hosts", column=None, fetched_at=NOW, max_age_s=60)
    with Feeds.load(tmp_path) as feeds:
        lists = ThreatLists(feeds, worlds.load())

        assert lists.recent(HOST, NOW) is None
        read = lists(HOST, NOW)
        assert [piece.id for piece in read] == ["list", "list.match"]
        assert lists.recent(HOST, NOW) == read
        (check, _) = lists.recent(HOST, NOW + 60_000) or ()
        assert check.status == "stale", "an old list is told, also from memory"
