"""What is past its time goes, and nothing else."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from waypost.store import Store, decisions, idempotency, retention, sessions, usage
from waypost.store.decisions import RETENTION_MS, DecisionRecord
from waypost.store.errors import Unknown
from waypost.store.retention import Swept

NOW = 1_795_000_000_000
DAY = 86_400_000
Make = Callable[..., DecisionRecord]


def sweep(store: Store, now: int) -> Swept:
    return store.write(lambda db: retention.sweep(db, now))


def test_a_young_store_loses_nothing(store: Store, acme: str, given: Make) -> None:
    store.write(lambda db: decisions.put(db, given(acme)))
    store.write(lambda db: idempotency.begin(db, acme, "key", "t", b"", NOW))
    token = store.write(lambda db: sessions.create_link(db, acme, "ann", NOW))
    store.write(lambda db: sessions.sign_in(db, token, NOW))

    assert sweep(store, NOW + 1000) == Swept(0, 0, 0, 0)


def test_each_kind_has_its_time(store: Store, acme: str, given: Make) -> None:
    test_a_young_store_loses_nothing(store, acme, given)
    late = given(acme, created_at=NOW + 2 * DAY)
    store.write(lambda db: decisions.put(db, late))

    assert sweep(store, NOW + sessions.LINK_MS) == Swept(0, 0, 1, 0)
    assert sweep(store, NOW + sessions.SESSION_MS) == Swept(0, 0, 0, 1)
    assert sweep(store, NOW + DAY) == Swept(0, 1, 0, 0)
    assert sweep(store, NOW + RETENTION_MS) == Swept(1, 0, 0, 0)
    assert store.read(lambda db: decisions.find(db, acme, late.id, NOW + RETENTION_MS)).record == late
    with pytest.raises(Unknown):
        store.read(lambda db: decisions.find(db, acme, "any", NOW))


def test_a_slice_ends_after_its_rows_or_its_time(
    store: Store, acme: str, given: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 3)
    store.write(lambda db: decisions.put(db, *(given(acme) for _ in range(13))))

    def swept(rows: int) -> tuple[int, bool]:
        found = store.write(lambda db: retention.sweep(db, NOW + RETENTION_MS, rows))
        return found.decisions, found.more

    monkeypatch.setattr(retention, "SLICE_S", 60)
    assert swept(5) == (6, True)
    monkeypatch.setattr(retention, "SLICE_S", 0)
    assert swept(100) == (3, True)
    monkeypatch.setattr(retention, "SLICE_S", 60)
    assert swept(100) == (4, False)


def test_a_flood_of_one_kind_keeps_no_other(
    store: Store, acme: str, given: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 3)
    store.write(lambda db: decisions.put(db, *(given(acme) for _ in range(10))))
    store.write(lambda db: sessions.create_link(db, acme, "ann", NOW))

    swept = store.write(lambda db: retention.sweep(db, NOW + RETENTION_MS, 1))

    assert (swept.decisions, swept.links, swept.more) == (3, 1, True)


def test_usage_past_its_windows_is_deleted(store: Store, acme: str) -> None:
    draw = usage.Draw(
        subject=acme, policy="checks", quota=60, window_ms=60_000, day_policy="day", day_quota=9, amount=1
    )
    store.write(lambda db: usage.settle(db, [draw], NOW))

    assert sweep(store, NOW + 1000).usage == 0
    assert sweep(store, NOW + 2 * 60_000).usage == 1
    assert sweep(store, NOW + (usage.RETENTION_DAYS - 1) * DAY).usage == 0
    assert sweep(store, NOW + (usage.RETENTION_DAYS + 1) * DAY).usage == 1


def test_a_single_sweeper_works_at_a_time(
    store: Store, acme: str, given: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "FIRST_ROWS", 1)
    monkeypatch.setattr(retention, "BATCH", 1)
    monkeypatch.setattr(retention, "SLICE_S", 60)
    store.write(lambda db: decisions.put(db, *(given(acme) for _ in range(5))))
    late = NOW + RETENTION_MS
    one, other = retention.Sweeper(), retention.Sweeper()

    def slices(sweeper: retention.Sweeper, now: int) -> tuple[int, bool]:
        swept = store.write(lambda db: sweeper.slice(db, now))
        return swept.decisions, swept.more

    assert slices(one, late) == (1, True)
    assert slices(other, late) == (0, False)
    assert slices(other, late + retention.LEASE_MS) == (1, True)
    assert slices(one, late + retention.LEASE_MS) == (0, False)
    monkeypatch.setattr(retention, "BATCH", 16)
    assert slices(other, late + retention.LEASE_MS + 1) == (3, False)
    assert slices(one, late + retention.LEASE_MS + 1) == (0, False)  # nothing is left


def test_a_slow_slice_shrinks_and_pauses_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(retention.time, "perf_counter", lambda: clock[0])
    sweeper = retention.Sweeper()
    sweeper.rows = 400

    def pause_after(seconds: float) -> float:
        sweeper._began = clock[0]
        clock[0] += seconds
        return sweeper.pause_s()

    assert (pause_after(0.02), sweeper.rows) == (pytest.approx(0.8), 200)
    assert (pause_after(0.01), sweeper.rows) == (pytest.approx(0.4), 200)
    assert (pause_after(0.0001), sweeper.rows) == (pytest.approx(0.02), 300)
    for _ in range(10):
        pause_after(1)
    assert sweeper.rows == retention.LEAST_ROWS
    clock[0] += 8 * 3600
    assert pause_after(0.01) < 0.1  # more rows come than are deleted
    clock[0] += 48 * 3600
    assert pause_after(0.1) == pytest.approx(0.2)


def test_a_service_sweeps_until_nothing_is_left(
    store: Store, acme: str, given: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    background = pytest.importorskip("waypost.api.background")
    monkeypatch.setattr(retention, "FIRST_ROWS", 3)
    monkeypatch.setattr(retention, "SHARE", 1)
    store.write(lambda db: decisions.put(db, *(given(acme) for _ in range(100))))

    async def write(work: Callable[[sqlite3.Connection], Swept]) -> Swept:
        return store.write(work)

    asyncio.run(background._sweep(SimpleNamespace(write=write, now=lambda: NOW + RETENTION_MS)))

    assert store.read(lambda db: db.execute("SELECT count(*) FROM decision").fetchone()) == (0,)
