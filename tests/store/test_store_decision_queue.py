"""Decisions and work that event loops give to the writer: stored together, each with its own result or error."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from typing import Any

import pytest
from tests.postgres import INTEGRITY_ERRORS

from waypost.formats.ids import new_id
from waypost.store import Store, clock, decisions, organizations
from waypost.store.decision_queue import DecisionQueue
from waypost.store.decisions import DecisionRecord
from waypost.store.errors import ClockBehind, StoreClosed, StoreError

NOW = 1_795_000_000_000


@pytest.fixture
def acme(store: Store) -> str:
    return store.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id


def given(organization: str, **other: Any) -> DecisionRecord:
    members = {
        "id": new_id(),
        "organization": organization,
        "environment": "live",
        "key_id": "k",
        "created_at": NOW,
        "expires_at": NOW + 1000,
        "normalized_domain": "shop.example",
        "action": "payment",
        "url_hmac": b"\x00" * 32,
        "document": '{"reason_codes":["näh"]}'.encode(),
    }
    return DecisionRecord(**(members | other))


def stored_ids(store: Store) -> list[str]:
    return store.read(lambda db: [row[0] for row in db.execute("SELECT id FROM decision ORDER BY number")])


async def all_of(queue: DecisionQueue, *decisions: DecisionRecord) -> list[Any]:
    return await asyncio.gather(*(queue.submit(each) for each in decisions), return_exceptions=True)


class Busy:
    """A writer that is held up until `go`."""

    def __init__(self, store: Store) -> None:
        self.go, begun = threading.Event(), threading.Event()

        def work(_: sqlite3.Connection) -> None:
            begun.set()
            self.go.wait(30)

        store.writer.submit(work)
        begun.wait(30)


@pytest.mark.parametrize("many", [1, 64, 65, 200])
def test_a_decision_is_stored_before_a_client_gets_it(store: Store, acme: str, many: int) -> None:
    queue, made = DecisionQueue(store.writer), [given(acme) for _ in range(many)]

    async def one(each: DecisionRecord) -> DecisionRecord:
        await queue.submit(each)
        return store.read(lambda db: decisions.find(db, acme, each.id, NOW)).record

    async def run() -> list[DecisionRecord]:
        return await asyncio.gather(*(one(each) for each in made))

    assert asyncio.run(run()) == made


def test_decisions_during_a_write_share_the_next_statement(
    store: Store, acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    before = decisions.put_at_once

    def counting(db: Any, some: Any) -> bool:
        batches.append(len(some))
        return before(db, some)

    monkeypatch.setattr(decisions, "put_at_once", counting)
    queue, made = DecisionQueue(store.writer), [given(acme) for _ in range(20)]
    busy = Busy(store)

    async def run() -> None:
        waiting = [queue.submit(each) for each in made]
        await asyncio.sleep(0.01)
        assert not any(each.done() for each in waiting)
        busy.go.set()
        await asyncio.gather(*waiting)

    asyncio.run(run())
    assert batches == [20]
    assert stored_ids(store) == [each.id for each in made]


def test_clock_is_read_by_one_statement_as_by_several(store: Store, acme: str) -> None:
    """To the millisecond: the slack itself is on time, a millisecond more is behind."""
    store.write(lambda db: decisions.put(db, given(acme)))
    queue = DecisionQueue(store.writer)
    on_time, late = NOW - clock.SLACK_MS, NOW - clock.SLACK_MS - 1

    (good,) = asyncio.run(all_of(queue, given(acme, created_at=on_time)))
    (bad,) = asyncio.run(all_of(queue, given(acme, created_at=late)))

    assert good is None
    assert isinstance(bad, ClockBehind)
    assert len(stored_ids(store)) == 2
    store.write(lambda db: clock.trust(db, "ann", late))
    assert asyncio.run(all_of(queue, given(acme, created_at=late))) == [None], "a person has forgiven it"


def test_decision_that_cannot_be_stored_is_reported_without_trace(store: Store, acme: str) -> None:
    queue, twice = DecisionQueue(store.writer), given(acme)
    asyncio.run(all_of(queue, twice))

    (again,) = asyncio.run(all_of(queue, twice))
    (stranger,) = asyncio.run(all_of(queue, given("nobody")))

    assert isinstance(again, INTEGRITY_ERRORS)
    assert isinstance(stranger, INTEGRITY_ERRORS)
    assert stored_ids(store) == [twice.id]
    assert asyncio.run(all_of(queue, given(acme))) == [None]


def test_an_unstorable_decision_costs_those_that_wait_nothing(store: Store, acme: str) -> None:
    queue, made = DecisionQueue(store.writer), [given(acme) for _ in range(4)]
    made[2] = given(acme, id=made[0].id)

    results = asyncio.run(all_of(queue, *made))

    assert [result for result in results if not isinstance(result, INTEGRITY_ERRORS)] == [None] * 3
    assert isinstance(results[2], INTEGRITY_ERRORS)
    assert stored_ids(store) == [made[0].id, made[1].id, made[3].id]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
@pytest.mark.sqlite("locks of a folder")
def test_all_waiting_callers_learn_of_a_held_lock(store: Store, acme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.store.write_lock import WriteLock

    monkeypatch.setattr(store.engine.write_lock, "_timeout_s", 0.05)
    other = WriteLock(store.path.parent, 0)
    assert other.acquire()
    queue = DecisionQueue(store.writer)

    async def run() -> list[Any]:
        more = store.writer.submit_from(asyncio.get_running_loop(), lambda _: 1)
        return await asyncio.gather(more, *(queue.submit(given(acme)) for _ in range(3)), return_exceptions=True)

    assert [type(each) for each in asyncio.run(run())] == [StoreError] * 4
    other.release()
    other.close()
    assert asyncio.run(all_of(queue, given(acme))) == [None]
    assert len(stored_ids(store)) == 1


@pytest.mark.sqlite("a file that is full")
def test_a_full_disk_is_reported_and_later_writes_succeed(store: Store, acme: str) -> None:
    pages = store.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    store.write(lambda db: db.execute(f"PRAGMA max_page_count = {pages}"))
    queue = DecisionQueue(store.writer)
    big = b'"' + b"x" * 20_000 + b'"'

    rejected = asyncio.run(all_of(queue, *(given(acme, document=big) for _ in range(3))))
    store.write(lambda db: db.execute("PRAGMA max_page_count = 100000"))

    assert [type(each) for each in rejected] == [StoreError] * 3
    assert stored_ids(store) == []
    assert asyncio.run(all_of(queue, given(acme, document=big))) == [None]


def test_store_that_was_closed_is_reported_to_all_callers(store: Store, acme: str) -> None:
    queue = DecisionQueue(store.writer)
    store.close()

    assert [type(each) for each in asyncio.run(all_of(queue, given(acme), given(acme)))] == [StoreClosed] * 2


def test_loop_that_ended_early_leaves_the_next_one_working(store: Store, acme: str) -> None:
    queue, first, second = DecisionQueue(store.writer), given(acme), given(acme)
    busy = Busy(store)

    async def goes_away() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(queue.submit(first), 0.02)

    asyncio.run(goes_away())
    busy.go.set()

    assert asyncio.run(all_of(queue, second)) == [None]
    assert stored_ids(store) == [first.id, second.id], "who asked went away; it is written all the same"
