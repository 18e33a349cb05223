"""What is past its time goes, and nothing else."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from waypost.store import Store, decisions, idempotency, retention, sessions
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


def test_a_long_absence_is_swept_up_piece_by_piece(
    store: Store, acme: str, given: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MOST_AT_ONCE", 3)
    for _ in range(7):
        store.write(lambda db: decisions.put(db, given(acme)))

    swept = [sweep(store, NOW + RETENTION_MS) for _ in range(3)]

    assert [each.decisions for each in swept] == [3, 3, 1]
    assert [each.more for each in swept] == [True, True, False]


def test_a_service_sweeps_until_nothing_is_left(
    store: Store, acme: str, given: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping = pytest.importorskip("waypost.api.background")
    monkeypatch.setattr(retention, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(keeping, "SWEEP_PAUSE_S", 0)
    store.write(lambda db: decisions.put(db, *(given(acme) for _ in range(10))))

    async def write(work: Callable[[sqlite3.Connection], Swept]) -> Swept:
        return store.write(work)

    asyncio.run(keeping._sweep(SimpleNamespace(write=write, now=lambda: NOW + RETENTION_MS)))

    assert store.read(lambda db: db.execute("SELECT count(*) FROM decision").fetchone()) == (0,)
