"""One thread writes, those who wait share a transaction, and nobody's error is another's."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, wait
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import INTEGRITY_ERRORS

from waypost.store import Store, open_store
from waypost.store.engines import Connection
from waypost.store.errors import StoreClosed, StoreError

ROW = "INSERT INTO t VALUES (?)"


@pytest.fixture
def table(store: Store) -> Store:
    store.write(lambda db: db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)"))
    return store


def put(value: int) -> Callable[[sqlite3.Connection], int]:
    def work(db: sqlite3.Connection) -> int:
        db.execute(ROW, (value,))
        return value

    return work


def rows(store: Store) -> list[int]:
    return [row[0] for row in store.read(lambda db: db.execute("SELECT a FROM t ORDER BY a").fetchall())]


class Held:
    """Keeps the writer busy, so that what is queued meanwhile ends up in one transaction."""

    def __init__(self, store: Store) -> None:
        self.go, begun = threading.Event(), threading.Event()

        def work(db: sqlite3.Connection) -> None:
            begun.set()
            self.go.wait(30)

        self.future = store.writer.submit(work)
        begun.wait(30)


def test_what_is_written_is_there_for_the_next_reader(table: Store) -> None:
    assert table.write(put(7)) == 7

    assert rows(table) == [7]


def test_those_who_wait_share_a_transaction(table: Store) -> None:
    held = Held(table)
    seen: list[list[int]] = []

    def observe(db: sqlite3.Connection) -> None:
        seen.append(rows(table))  # another connection: it sees what is committed

    futures = [table.writer.submit(each) for each in (put(1), observe, put(2))]
    held.go.set()
    wait(futures)

    assert seen == [[]]
    assert rows(table) == [1, 2]


def test_one_that_fails_is_undone_alone_and_reported_alone(table: Store) -> None:
    held = Held(table)

    def half(db: sqlite3.Connection) -> None:
        db.execute(ROW, (50,))
        db.execute(ROW, (1,))  # taken: the key is not unique

    futures: list[Any] = [table.writer.submit(each) for each in (put(1), half, put(2))]
    held.go.set()
    wait(futures)

    assert [futures[0].result(), futures[2].result()] == [1, 2]
    with pytest.raises(INTEGRITY_ERRORS):
        futures[1].result()
    assert rows(table) == [1, 2]


def test_a_failing_write_leaves_nothing_and_others_succeed(table: Store) -> None:
    def half(db: sqlite3.Connection) -> None:
        db.execute(ROW, (50,))
        raise KeyError("half way")

    with pytest.raises(KeyError):
        table.write(half)
    table.write(put(2))

    assert rows(table) == [2]


def test_work_that_undoes_the_transaction_takes_everybodys_word_back(table: Store) -> None:
    held = Held(table)

    def rollback(db: sqlite3.Connection) -> None:
        db.execute("ROLLBACK")  # as a full disk does
        raise sqlite3.OperationalError("database or disk is full")

    futures: list[Any] = [table.writer.submit(each) for each in (put(1), rollback, put(2))]
    held.go.set()
    wait(futures)

    for future in futures:
        with pytest.raises(StoreError, match="could not write: database or disk is full"):
            future.result()
    assert rows(table) == []
    assert table.write(put(3)) == 3


@pytest.mark.sqlite("locks of a file")
def test_locked_store_is_an_error_and_not_the_end(table: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    table.write(lambda db: db.execute("PRAGMA busy_timeout = 1"))
    other = sqlite3.connect(table.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreError, match="locked"):
        table.write(put(1))
    other.execute("COMMIT")
    other.close()

    assert table.write(put(1)) == 1


def test_closing_writes_the_queue_and_takes_no_more(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.write(lambda db: db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)"))
    held = Held(store)
    futures = [store.writer.submit(put(each)) for each in range(2000)]
    closing = threading.Thread(target=store.close)
    closing.start()
    held.go.set()
    closing.join()

    assert [future.result(0) for future in futures] == list(range(2000))
    with pytest.raises(StoreClosed):
        store.write(put(1))
    store.close()
    with open_store(tmp_path) as again:
        assert rows(again) == list(range(2000))


def test_abandoned_work_is_not_done(table: Store) -> None:
    held = Held(table)
    given_up, stored = table.writer.submit(put(1)), table.writer.submit(put(2))
    assert given_up.cancel()
    held.go.set()
    wait([stored])

    with pytest.raises(CancelledError):
        given_up.result()
    assert rows(table) == [2]


def test_each_thread_reads_by_itself(table: Store) -> None:
    mine = table.reader()
    theirs: list[sqlite3.Connection] = []
    thread = threading.Thread(target=lambda: theirs.append(table.reader()))
    thread.start()
    thread.join()

    assert table.reader() is mine
    assert theirs[0] is not mine


def test_closing_leaves_a_long_read_to_its_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.store.open.CLOSE_S", 0.01)
    store = open_store(tmp_path)
    reading, closed = threading.Event(), threading.Event()
    found: list[object] = []

    def read(db: Connection) -> list[tuple[int]]:
        rows = db.execute("SELECT 1 UNION SELECT 2")
        reading.set()
        closed.wait(20)
        return rows.fetchall()

    thread = threading.Thread(target=lambda: found.append(store.read(read)))
    thread.start()
    reading.wait(20)
    store.close()
    closed.set()
    thread.join()

    assert found == [[(1,), (2,)]]
    with pytest.raises(StoreClosed):
        store.read(lambda db: db.execute("SELECT 1").fetchone())


WRITES_UNTIL_KILLED = """
import sys
from pathlib import Path
from waypost.store import open_store
store = open_store(Path(sys.argv[1]))
store.write(lambda db: db.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY)"))
at = store.read(lambda db: db.execute("SELECT coalesce(max(a), 0) FROM t").fetchone()[0])
while True:
    futures = []
    for _ in range(20):
        at += 1
        futures.append(store.writer.submit(lambda db, at=at: db.execute("INSERT INTO t VALUES (?)", (at,)) and at))
    for each in futures:
        print(each.result(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_killed_process_loses_no_acknowledged_write(tmp_path: Path) -> None:
    acknowledged: set[int] = set()
    for kill_after in (1, 7, 45, 130):
        with subprocess.Popen(
            [sys.executable, "-c", WRITES_UNTIL_KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            for _ in range(kill_after):
                acknowledged.add(int(process.stdout.readline()))
            os.kill(process.pid, signal.SIGKILL)
            acknowledged |= {int(line) for line in process.stdout.read().splitlines(keepends=True) if line[-1] == "\n"}

    with open_store(tmp_path) as store:
        assert acknowledged <= set(rows(store))
        assert store.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
    assert len(acknowledged) >= 183
