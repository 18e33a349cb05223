"""Processes that write to one store take turns, and none waits for one that is gone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from waypost.store import Store, audit, open_store, organizations
from waypost.store.errors import StoreError
from waypost.store.open import MIGRATIONS, numbered, schema_version
from waypost.store.write_lock import WriteLock

NOW = 1_795_000_000_000
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has SQLite's own waiting")


@POSIX
def test_who_holds_the_turn_writes_and_the_others_wait(tmp_path: Path) -> None:
    mine, theirs = WriteLock(tmp_path, 0), WriteLock(tmp_path, 0)

    assert mine.acquire()
    assert not theirs.acquire()
    mine.release()
    assert theirs.acquire()

    mine.close()
    theirs.close()


@POSIX
@pytest.mark.sqlite("locks of a folder")
def test_a_write_without_a_turn_fails_and_others_succeed(
    store: Store, acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.engine.write_lock, "_timeout_s", 0)
    monkeypatch.setattr("waypost.store.open.BUSY_S", 0)
    other = WriteLock(store.path.parent, 0)

    assert other.acquire()

    with pytest.raises(StoreError, match="locked by another process"):
        store.write(lambda db: audit.append(db, acme, NOW, "test.one", "ann", "x"))
    with pytest.raises(StoreError, match="does not let go"):
        open_store(store.path.parent)
    other.close()

    assert store.write(lambda db: audit.append(db, acme, NOW, "test.two", "ann", "x")).sequence == 2


@POSIX
@pytest.mark.sqlite("locks of a folder")
def test_a_start_during_another_upgrade_reports_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.store.open.BUSY_S", 0)
    older = tmp_path / "migrations"
    older.mkdir()
    for number in range(1, 10):
        shutil.copy(numbered(MIGRATIONS)[number], older)
    open_store(tmp_path, migrations=older).close()
    upgrading = WriteLock(tmp_path, 0)

    assert upgrading.acquire()
    with pytest.raises(StoreError, match="bringing it up to date"):
        open_store(tmp_path)
    upgrading.close()

    with open_store(tmp_path) as store:
        assert store.read(schema_version) == len(numbered(MIGRATIONS))


HOLDS_FOR_EVER = """
import sys, time
from pathlib import Path
from waypost.store.write_lock import WriteLock
if WriteLock(Path(sys.argv[1]), 0).acquire():
    print("mine", flush=True)
    time.sleep(60)
"""


@POSIX
@pytest.mark.sqlite("locks of a folder")
def test_a_process_that_dies_gives_its_turn_back(store: Store, acme: str) -> None:
    command = [sys.executable, "-c", HOLDS_FOR_EVER, str(store.path.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "mine\n"
        process.kill()

    store.write(lambda db: audit.append(db, acme, NOW, "test.one", "ann", "x"))


APPENDS = """
import sys
from pathlib import Path
from waypost.store import audit, open_store
with open_store(Path(sys.argv[1])) as store:
    for number in range(150):
        store.write(lambda db: audit.append(db, sys.argv[2], int(sys.argv[3]), "test.theirs", "bea", str(number)))
"""


def test_two_processes_write_one_chain(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        organization_id = store.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id
        with subprocess.Popen([sys.executable, "-c", APPENDS, str(tmp_path), organization_id, str(NOW)]) as process:
            for number in range(150):
                name = str(number)
                store.write(lambda db, name=name: audit.append(db, organization_id, NOW, "test.ours", "ann", name))
        assert process.returncode == 0

        (chain,) = store.read(lambda db: [*audit.verify(db)])
        assert (chain.events, chain.broken) == (301, None)


def test_threads_write_one_chain_through_two_stores(tmp_path: Path) -> None:
    with open_store(tmp_path) as store, open_store(tmp_path) as again:
        organization_id = store.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id

        def write(each: Store) -> None:
            for _ in range(50):
                each.write(lambda db: audit.append(db, organization_id, NOW, "test.done", "ann", "x"))

        threads = [threading.Thread(target=write, args=(each,)) for each in (store, again) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        (chain,) = store.read(lambda db: [*audit.verify(db)])
        assert (chain.events, chain.broken) == (301, None)
