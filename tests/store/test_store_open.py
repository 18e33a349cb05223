"""Where the store lies, who may read it, and how it is brought up to date."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from waypost.store import data_folder, open_store
from waypost.store.errors import StoreError, StoreTooNew
from waypost.store.folder import NAME
from waypost.store.open import MIGRATIONS, numbered, schema_version, statements

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="file modes are POSIX")
SECOND = "CREATE TABLE more (text TEXT NOT NULL);\nINSERT INTO more VALUES ('a; b');\n"


@pytest.fixture
def two_steps(tmp_path: Path) -> Path:
    folder = tmp_path / "migrations"
    folder.mkdir()
    for step in MIGRATIONS.glob("*.sql"):
        (folder / step.name).write_bytes(step.read_bytes())
    (folder / f"{len(numbered(MIGRATIONS)) + 1:04}_more.sql").write_text(SECOND)
    return folder


def modes(folder: Path) -> set[int]:
    return {each.stat().st_mode & 0o777 for each in folder.iterdir()}


@POSIX
def test_only_the_owner_may_read_the_stores_files(tmp_path: Path) -> None:
    with open_store(tmp_path / "deep" / "data") as store:
        store.write(lambda db: db.execute("CREATE TABLE t (a)"))

        assert modes(store.path.parent) == {0o600}
        assert store.path.parent.stat().st_mode & 0o777 == 0o700
        assert {each.name for each in store.path.parent.iterdir()} >= {NAME, f"{NAME}-wal"}


@POSIX
def test_store_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    (tmp_path / NAME).chmod(0o644)

    open_store(tmp_path).close()

    assert modes(tmp_path) == {0o600}


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        request_body = store.write(lambda db: [db.execute(f"PRAGMA {each}").fetchone()[0] for each in PRAGMAS])

    assert request_body == ["wal", 2, 1]


PRAGMAS = ("journal_mode", "synchronous", "foreign_keys")


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        with open_store(tmp_path) as store:
            assert store.read(schema_version) == len(numbered(MIGRATIONS))

    assert [each.name for each in tmp_path.iterdir()] == [NAME]


def test_an_older_store_is_upgraded_and_backed_up(tmp_path: Path, two_steps: Path) -> None:
    folder = tmp_path / "data"
    open_store(folder).close()

    with open_store(folder, migrations=two_steps) as store:
        assert store.read(lambda db: db.execute("SELECT text FROM more").fetchall()) == [("a; b",)]

    copy = folder / f"{NAME}.before-{len(numbered(two_steps)):04}"
    db = sqlite3.connect(copy)
    assert schema_version(db) == len(numbered(MIGRATIONS))
    db.close()
    assert modes(folder) == {0o600} or sys.platform == "win32"


def test_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path, two_steps: Path) -> None:
    folder = tmp_path / "data"
    open_store(folder).close()
    (two_steps / f"{len(numbered(two_steps)):04}_more.sql").write_text(SECOND + "SELECT a FROM nowhere;\n")

    with pytest.raises(StoreError, match="no such table: nowhere"):
        open_store(folder, migrations=two_steps)

    with open_store(folder) as store:
        assert store.read(schema_version) == len(numbered(MIGRATIONS))
        assert not store.read(lambda db: db.execute("SELECT 1 FROM sqlite_master WHERE name = 'more'").fetchall())


def test_a_store_of_a_newer_version_is_rejected_untouched(tmp_path: Path, two_steps: Path) -> None:
    folder = tmp_path / "data"
    open_store(folder, migrations=two_steps).close()
    before = (folder / NAME).read_bytes()

    with pytest.raises(StoreTooNew, match=r"written by a newer waypost .* update waypost, or name another folder"):
        open_store(folder)

    assert (folder / NAME).read_bytes() == before


@pytest.mark.parametrize("content", [b"this is a letter to a friend", b"SQLite format 3\x00" + b"\x07" * 4096])
def test_file_that_is_not_a_store_is_rejected_untouched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)

    with pytest.raises(StoreError, match=NAME):
        open_store(tmp_path)

    assert (tmp_path / NAME).read_bytes() == content


def test_a_database_of_another_program_is_not_a_store(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / NAME)
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()

    with pytest.raises(StoreError, match="is not a waypost store"):
        open_store(tmp_path)


def test_a_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(StoreError, match=r"cannot open .*data"):
        open_store(tmp_path / "data")


def test_full_disks_and_unwritable_folders_are_reported_with_advice(two_steps: Path, tmp_path: Path) -> None:
    full = "PRAGMA max_page_count = 1;\nCREATE TABLE big (a);\nINSERT INTO big VALUES (zeroblob(1000000));\n"
    max(two_steps.iterdir()).write_text(full)
    with pytest.raises(StoreError, match="disk is full; free some space, or name another folder with --data"):
        open_store(tmp_path / "full", migrations=two_steps)

    (tmp_path / "closed" / NAME).mkdir(parents=True)
    with pytest.raises(StoreError, match=r"unable to open .*; make the folder writable, or name another with --data"):
        open_store(tmp_path / "closed")


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    with open_store(tmp_path) as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.read(lambda db: db.execute("CREATE TABLE t (a)"))


def test_statements_are_split_at_ends_outside_triggers() -> None:
    script = "CREATE TABLE t (a);\nCREATE TRIGGER x AFTER INSERT ON t\nBEGIN SELECT 1; SELECT 2; END;\n"

    assert [each.split()[1] for each in statements(script)] == ["TABLE", "TRIGGER"]
    with pytest.raises(StoreError, match="middle of a statement"):
        list(statements("CREATE TABLE t (a)"))


def test_a_gap_in_the_numbers_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "0002_late.sql").write_text("SELECT 1;")

    with pytest.raises(StoreError, match="without a gap"):
        numbered(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="the XDG folders are not Windows'")
def test_the_folder_comes_from_argument_environment_or_user_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("WAYPOST_DATA", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert data_folder() == tmp_path / ".local" / "share" / "waypost"

    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    assert data_folder() == tmp_path / ".local" / "share" / "waypost"

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_folder() == tmp_path / "xdg" / "waypost"

    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "mine"))
    assert data_folder() == tmp_path / "mine"
    assert data_folder("~/given") == tmp_path / "given"


def test_a_short_process_takes_nothing_from_a_long_one(tmp_path: Path) -> None:
    """POSIX ends every lock of a process on a file as soon as it closes any handle of it."""
    coming = (
        "import sys; from pathlib import Path; from waypost.store import open_store;"
        "store = open_store(Path(sys.argv[1]));"
        "print(store.read(lambda db: db.execute('SELECT count(*) FROM setting').fetchone()[0])); store.close()"
    )

    def come_and_go() -> str:
        return subprocess.run(
            [sys.executable, "-c", coming, str(tmp_path)], check=True, capture_output=True, text=True
        ).stdout.strip()

    with open_store(tmp_path) as store, open_store(tmp_path):
        store.write(lambda db: db.execute("INSERT INTO setting (name, value) VALUES ('one', x'00')"))
        before = int(come_and_go())

        store.write(lambda db: db.execute("INSERT INTO setting (name, value) VALUES ('two', x'00')"))

        assert int(come_and_go()) == before + 1
