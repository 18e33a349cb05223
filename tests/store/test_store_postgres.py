"""The store on PostgreSQL: the same tables, the order of commits, lost connections, what is refused at the start."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import VARIABLE

from waypost.cli import main
from waypost.formats.ids import new_id
from waypost.models.relationship import Claim
from waypost.store import (
    Store,
    audit,
    copy_mark,
    decisions,
    keys,
    open_store,
    organizations,
    relationships,
    reviews,
    settings,
    snippets,
)
from waypost.store.copy_mark import CopiedAway
from waypost.store.decision_queue import DecisionQueue
from waypost.store.decisions import DecisionRecord
from waypost.store.engines.postgres import (
    APPLICATION,
    LOCK,
    PostgresConnection,
    check,
    translated,
    without_password,
)
from waypost.store.errors import StoreError, StoreTooNew
from waypost.store.maintenance import check as check_store
from waypost.store.maintenance import export
from waypost.store.review_steps import Review, take

NOW = 1_795_000_000_000
Make = Callable[..., DecisionRecord]

with_server = pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"without {VARIABLE}: there is no PostgreSQL")


@pytest.fixture
def there(postgres_address: str) -> Iterator[Store]:
    with open_store(postgres_address) as store:
        yield store


@pytest.fixture
def acme(there: Store) -> str:
    return there.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id


def key(store: Store, organization: str) -> keys.Key:
    request = keys.KeyRequest(name="key", scopes=frozenset({"agent"}))
    return store.write(lambda db: keys.create(db, organization, request, "ann", NOW))[0]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT id FROM t WHERE a = ? AND b = 'is it?'", "SELECT id FROM t WHERE a = %s AND b = 'is it?'"),
        ("SELECT 7 % 2, a LIKE 'x%' FROM t WHERE a = ?", "SELECT 7 %% 2, a LIKE 'x%%' FROM t WHERE a = %s"),
        ("SELECT max(ifnull(1, 0), ifnull(2, 0))", "SELECT greatest(coalesce(1, 0), coalesce(2, 0))"),
        ("BEGIN IMMEDIATE", f"BEGIN; SELECT pg_advisory_xact_lock({LOCK})"),
    ],
)
def test_a_statement_is_equal_in_the_other_dialect(ours: str, theirs: str) -> None:
    assert translated(ours) == theirs


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:geheim@db.example.com:5432/waypost?sslmode=require",
        "postgresql://ann@db.example.com:5432/waypost?password=geheim&sslmode=require",
        "postgresql://ann:geheim@[::1/waypost",
    ],
)
def test_an_address_is_printed_without_its_password(address: str) -> None:
    assert "geheim" not in without_password(address)


class Given:
    """A connection whose server answers the question for its settings; a good one unless something is changed."""

    def __init__(self, host: str = "127.0.0.1", encrypted: bool = False, **changed: Any) -> None:
        good = {"version": 150018, "replica": False, "commit": "on", "fsync": "on", "pages": "on", "encoding": "UTF8",
                "backend": 7, "schema": True}  # fmt: skip
        self.row = tuple((good | changed).values())
        self.info = type("Info", (), {"backend_pid": 7, "hostaddr": host, "host": host})
        self.pgconn = type("Raw", (), {"ssl_in_use": encrypted})

    def execute(self, _: str) -> Given:
        return self

    def fetchone(self) -> tuple[Any, ...]:
        return self.row


ADDRESS = "postgresql://ann@db.example.com/waypost"


def test_a_database_that_keeps_its_word_is_taken() -> None:
    pytest.importorskip("psycopg")
    check(Given(), ADDRESS)
    check(Given(host="192.0.2.1", encrypted=True), ADDRESS)
    check(Given(host="192.0.2.1"), f"{ADDRESS}?sslmode=disable")
    check(Given(host="/run/postgresql"), ADDRESS)
    check(Given(commit="remote_apply"), ADDRESS)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (Given(commit="off"), "synchronous_commit is off"),
        (Given(fsync="off"), "fsync is off"),
        (Given(pages="off"), "full_page_writes is off"),
        (Given(replica=True), "is a replica"),
        (Given(version=130014), "PostgreSQL 13 is too old"),
        (Given(backend=8), "a pooler stands before"),
        (Given(encoding="SQL_ASCII"), "encoding is SQL_ASCII"),
        (Given(schema=False), "no schema"),
        (Given(host="192.0.2.1"), "not encrypted"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_database_that_could_lose_writes_is_rejected(given: Given, why: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match=why):
        check(given, ADDRESS)


@with_server
def test_a_database_that_does_not_sync_is_rejected(postgres_address: str) -> None:
    import psycopg

    with psycopg.connect(postgres_address, autocommit=True) as db:
        name = db.info.dbname
        db.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off')  # type: ignore[arg-type]
    try:
        with pytest.raises(StoreError, match="synchronous_commit is off"):
            open_store(postgres_address)
    finally:
        with psycopg.connect(postgres_address, autocommit=True) as db:
            db.execute(f'ALTER DATABASE "{name}" RESET synchronous_commit')  # type: ignore[arg-type]


@with_server
def test_what_cannot_be_reached_is_reported_without_the_password(postgres_address: str) -> None:
    for address in ("postgresql://ann:geheim@127.0.0.1:1/waypost", "postgresql://ann:geheim@127.0.0.1:x/waypost"):
        with pytest.raises(StoreError) as error:
            open_store(address)
        assert "geheim" not in str(error.value)


@with_server
def test_our_names_and_timeouts_override_those_of_an_address(postgres_address: str) -> None:
    more = "application_name=mine&keepalives_idle=60&tcp_user_timeout=1&connect_timeout=90"
    with open_store(f"{postgres_address}{'&' if '?' in postgres_address else '?'}{more}") as store:
        assert store.read(lambda db: db.execute("SHOW application_name").fetchone()) == (APPLICATION,)


_SEARCH = re.compile(r"relationship_text|snippet_text|relationship_word|sqlite_")
"""Tables of the search, which each engine makes for itself."""


def sqlite_shape(db: Any) -> dict[str, set[tuple[Any, ...]]]:
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns, indexes, foreign = set(), set(), set()
    for table in tables:
        if _SEARCH.match(table):
            continue
        kinds = {"INTEGER": "bigint", "BIGINT": "bigint", "TEXT": "text", "BLOB": "bytea"}
        for _, column, kind, required, _, primary in db.execute(f"PRAGMA table_info({table})"):
            columns.add((table, column, kinds[kind], bool(required or primary), primary))
        for _, index, unique, _, partial in db.execute(f"PRAGMA index_list({table})"):
            named = tuple(row[2] for row in db.execute(f"PRAGMA index_info({index})") if row[2])  # no expressions
            indexes.add((table, "" if index.startswith("sqlite_") else index, named, bool(unique), bool(partial)))
        if primary := [column for column in db.execute(f"PRAGMA table_info({table})") if column[5]]:
            named = tuple(column[1] for column in sorted(primary, key=lambda column: column[5]))
            indexes.add((table, "", named, True, False))
        for row in db.execute(f"PRAGMA foreign_key_list({table})"):
            foreign.add((table, row[3], row[2], row[4]))
    triggers = {(name,) for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    return {"columns": columns, "indexes": indexes, "foreign": foreign, "triggers": triggers}


def postgres_shape(db: Any) -> dict[str, set[tuple[Any, ...]]]:
    here = "n.nspname = 'public'"
    primary = {
        (table, column): at
        for table, column, at in db.execute(
            "SELECT c.relname, a.attname, array_position(i.indkey::int[], a.attnum::int) + 1 FROM pg_index i"
            " JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
            f" JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey) WHERE i.indisprimary AND {here}"
        )
    }
    columns = {
        (table, column, kind, required, primary.get((table, column), 0))
        for table, column, kind, required in db.execute(
            "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'NO'"
            " FROM information_schema.columns WHERE table_schema = 'public'"
        )
        if not _SEARCH.match(table) and column != "rowid"
    }
    indexes = {
        (table, "" if constraint else index, tuple(named), unique, partial)
        for table, index, constraint, named, unique, partial in db.execute(
            "SELECT c.relname, x.relname, k.oid IS NOT NULL, (SELECT array_agg(a.attname ORDER BY o.at)"
            " FROM unnest(i.indkey) WITH ORDINALITY o (number, at)"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.number), i.indisunique, i.indpred IS NOT NULL"
            " FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_constraint k ON k.conindid = x.oid"
            f" AND k.contype IN ('p', 'u') WHERE {here}"
        )
        if not _SEARCH.match(table)
    }
    foreign = {
        row
        for row in db.execute(
            "SELECT c.relname, a.attname, f.relname, b.attname FROM pg_constraint k"
            " JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]"
            f" JOIN pg_attribute b ON b.attrelid = f.oid AND b.attnum = k.confkey[1] WHERE k.contype = 'f' AND {here}"
        )
        if not _SEARCH.match(row[0])
    }
    triggers = set(db.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"))
    return {"columns": columns, "indexes": indexes, "foreign": foreign, "triggers": triggers}


@with_server
def test_both_series_of_migrations_make_the_same_tables(there: Store, tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        ours = store.read(sqlite_shape)
    theirs = there.read(postgres_shape)

    assert theirs["columns"] == ours["columns"]
    assert theirs["indexes"] == ours["indexes"]
    assert theirs["foreign"] == ours["foreign"]
    assert ours["triggers"] - theirs["triggers"] == {("relationship_indexed",)}, "whose lexemes waypost makes"
    assert theirs["triggers"] <= ours["triggers"]


@with_server
def test_a_migration_may_take_longer_than_a_request(
    postgres_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store.engines import postgres

    open_store(postgres_address).close()
    for file in postgres.MIGRATIONS.glob("*.sql"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    last = max(int(file.name[:4]) for file in tmp_path.glob("*.sql"))
    (tmp_path / f"{last + 1:04}_long.sql").write_text("SELECT pg_sleep(1.2);\n", "utf-8")
    monkeypatch.setattr(postgres, "STATEMENT_S", 1)
    try:
        postgres.open_engine(postgres_address, migrations=tmp_path).close()
        with pytest.raises(StoreTooNew):
            open_store(postgres_address)
    finally:
        monkeypatch.undo()
        engine = postgres.PostgresEngine(postgres_address)
        engine.writing.execute("UPDATE schema_version SET version = version - 1")
        engine.close()


@with_server
def test_a_store_of_a_newer_version_is_rejected(there: Store, postgres_address: str) -> None:
    there.write(lambda db: db.execute("UPDATE schema_version SET version = version + 1"))
    try:
        with pytest.raises(StoreTooNew, match="update waypost, or name another database with --store"):
            open_store(postgres_address)
    finally:
        there.write(lambda db: db.execute("UPDATE schema_version SET version = version - 1"))


@with_server
def test_two_replicas_never_publish_versions_out_of_order(there: Store, acme: str, postgres_address: str) -> None:
    """A replica reads what is newer than the newest that it knows: it would miss an earlier version that came later."""
    rounds = 40
    seen: dict[str, keys.Key] = {}
    since = 0
    with open_store(postgres_address) as other, open_store(postgres_address) as reader:

        def write(store: Store) -> None:
            for _ in range(rounds):
                made = key(store, acme)
                store.write(lambda db, made=made: keys.revoke(db, acme, made.id, "ann", NOW))

        def read() -> int:
            found, newest = reader.read(lambda db: keys.changed(db, since))
            seen.update({each.id: each for each in found})
            return newest

        writers = [threading.Thread(target=write, args=(store,)) for store in (there, other)]
        for thread in writers:
            thread.start()
        while any(thread.is_alive() for thread in writers):
            since = read()
        since = read()

    assert len(seen) == 2 * rounds
    assert all(each.revoked_at is not None for each in seen.values()), "no revocation is missed"
    assert [each.broken for each in there.read(lambda db: [*audit.verify(db)])] == [None]


@with_server
def test_decisions_of_a_turn_are_stored_in_one_statement(there: Store, acme: str, given: Make) -> None:
    queue = DecisionQueue(there.writer)

    async def run() -> None:
        await asyncio.gather(*(queue.submit(given(acme)) for _ in range(60)))

    asyncio.run(run())

    rows = "SELECT count(*), count(DISTINCT xmin::text) FROM decision"
    assert there.read(lambda db: db.execute(rows).fetchone()) == (60, 1)


def end_backend(address: str, of: int) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as admin:
        assert admin.execute("SELECT pg_terminate_backend(%s, 5000)", (of,)).fetchone() == (True,)


@with_server
def test_a_connection_lost_before_commit_fails_one_write_only(
    there: Store, acme: str, given: Make, postgres_address: str
) -> None:
    def work(db: Any) -> None:
        decisions.put(db, given(acme))
        end_backend(postgres_address, db.raw.info.backend_pid)  # COMMIT finds nobody

    with pytest.raises(StoreError, match="could not write"):
        there.write(work)

    there.write(lambda db: decisions.put(db, given(acme)))
    assert there.read(lambda db: db.execute("SELECT count(*) FROM decision").fetchone()) == (1,)


@with_server
@pytest.mark.parametrize(
    ("error", "repair"),
    [
        ("ALTER TABLE setting RENAME TO setting_of_before", "ALTER TABLE setting_of_before RENAME TO setting"),
        ("ALTER TABLE setting RENAME COLUMN value TO old", "ALTER TABLE setting RENAME COLUMN old TO value"),
    ],
)
def test_a_database_without_a_migrations_tables_is_unusable(
    there: Store, postgres_address: str, error: str, repair: str
) -> None:
    import psycopg

    with psycopg.connect(postgres_address, autocommit=True) as db:
        db.execute(error)  # type: ignore[arg-type]
        try:
            with pytest.raises(StoreError, match="does not exist"):
                there.read(lambda db: settings.find(db, "any"))
            with pytest.raises(StoreError, match="does not exist"):
                there.write(lambda db: settings.put(db, "any", b"1"))
        finally:
            db.execute(repair)  # type: ignore[arg-type]
    there.write(lambda db: settings.put(db, "any", b"1"))
    assert there.read(lambda db: settings.find(db, "any")) == b"1"


@with_server
def test_a_reader_reconnects_and_reads_on(there: Store, acme: str, postgres_address: str) -> None:
    end_backend(postgres_address, there.reader().raw.info.backend_pid)  # type: ignore[attr-defined]

    assert there.read(lambda db: organizations.named(db, "Acme")).id == acme


@with_server
def test_closing_waits_for_a_read_on_a_new_connection(there: Store) -> None:
    ends: list[threading.Thread] = []

    def work(db: Any) -> int:
        if not ends:
            ends.append(threading.Thread(target=there.close))
            db.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        ends[0].start()
        ends[0].join(0.3)
        return int(db.execute("SELECT 7").fetchone()[0])

    assert there.read(work) == 7
    ends[0].join(10)
    with pytest.raises(StoreError, match="closed"):
        there.read(work)


@with_server
def test_work_on_a_readers_connection_cannot_write(there: Store, acme: str) -> None:
    import psycopg

    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        there.read(lambda db: db.execute("DELETE FROM setting"))


@with_server
def test_a_replica_with_other_signing_keys_does_not_start(there: Store, postgres_address: str) -> None:
    ours, next_one, theirs = {"x": "a"}, {"x": "b"}, {"x": "c"}
    there.engine.announce([ours])

    with open_store(postgres_address) as other, pytest.raises(StoreError, match=r"signing-keys\.json"):
        other.engine.announce([theirs])
    with open_store(postgres_address) as other:
        other.engine.announce([ours, next_one])


@pytest.fixture
def filled(tmp_path: Path, claim: Callable[..., Claim], given: Make) -> Path:
    """A store in a file with something of everything."""
    folder = tmp_path / "data"
    with open_store(folder) as store:
        owner = store.write(lambda db: organizations.create(db, "Operator", "ann", NOW)).id
        made = key(store, owner)
        store.write(lambda db: keys.rotate(db, owner, made.id, "ann", NOW))
        for number in range(30):
            report = claim(entity=f"e{number}", entity_name=f"Société {number}", domain=f"e{number}.example")
            filed = store.write(lambda db, report=report: reviews.submit(db, owner, report, NOW))
            if number % 3 == 0:
                store.write(lambda db, filed=filed: take(db, "approve", owner, filed.id, Review("bea", NOW, "looked")))
        for _ in range(20):
            record = given(owner, id=new_id())
            store.write(lambda db, record=record: decisions.put(db, record))
        words = {"name": "Crème brûlée", "description": "a dessert"}
        store.write(lambda db: snippets.put(db, owner, "Recipe", words, {}, "ann", NOW))
    return folder


@with_server
def test_a_copy_has_every_row_and_chain(filled: Path, postgres_address: str, claim: Any) -> None:
    from waypost.store.copying import copy_to
    from waypost.store.search import search, search_snippets

    copied = copy_to(filled, postgres_address, NOW)

    assert copied.rows["decision"] == 20
    assert check_store(postgres_address, NOW).is_intact
    with open_store(filled, even_copied=True) as source, open_store(postgres_address) as target:
        report, found = (list(export(store.reader(), NOW)) for store in (source, target))
        assert found == report
        owner = source.read(organizations.find_all)[0].id
        for request in (
            lambda db: keys.changed(db),
            lambda db: search(db, "societe 1", NOW),
            lambda db: search(db, "e7.example", NOW),
            lambda db: search_snippets(db, "creme dess", owner),
            lambda db: [chain.head for chain in audit.verify(db)],
        ):
            assert target.read(request) == source.read(request)
        more = target.write(lambda db: relationships.submit(db, claim(domain="new.example"), NOW))
        assert [each.id for each in target.read(lambda db: search(db, "new", NOW))] == [more.id]
        assert key(target, owner).id
    with pytest.raises(CopiedAway):
        copy_to(filled, postgres_address, NOW)
    with open_store(filled, even_copied=True) as source:
        source.write(lambda db: copy_mark.undo(db, "ann", NOW))
    with pytest.raises(StoreError, match="has rows already"):
        copy_to(filled, postgres_address, NOW)
    open_store(filled).close()  # unmarked


@with_server
def test_a_store_with_a_broken_chain_is_not_copied(filled: Path, postgres_address: str) -> None:
    from waypost.store.copying import copy_to
    from waypost.store.folder import NAME

    db = sqlite3.connect(filled / NAME)
    db.execute("DROP TRIGGER audit_event_unchanged")
    db.execute("UPDATE audit_event SET actor = 'eve' WHERE sequence = 3")
    db.commit()
    db.close()

    with pytest.raises(StoreError, match="is broken; nothing was copied"):
        copy_to(filled, postgres_address, NOW)
    with open_store(postgres_address) as target:
        assert target.read(organizations.find_all) == []


@with_server
def test_a_store_that_is_in_use_is_not_copied(
    filled: Path, postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store import copying

    monkeypatch.setattr(copying, "_WAIT_S", 0.05)
    with open_store(filled), pytest.raises(StoreError, match="is in use: stop the service"):
        copying.copy_to(filled, postgres_address, NOW)

    assert copying.copy_to(filled, postgres_address, NOW).rows["decision"] == 20


@with_server
def test_no_one_reads_or_writes_during_a_copy(
    filled: Path, postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store import copying
    from waypost.store.engines import sqlite

    errors: list[str] = []
    monkeypatch.setattr(sqlite, "BUSY_S", 0.05)
    monkeypatch.setattr("waypost.store.open.BUSY_S", 0.05)

    def followed(*arguments: Any) -> Any:
        with pytest.raises(StoreError) as raised:
            open_store(filled)
        errors.append(str(raised.value))
        return original(*arguments)

    original = copying._followed
    monkeypatch.setattr(copying, "_followed", followed)
    copying.copy_to(filled, postgres_address, NOW)

    assert len(errors) == 2
    assert all("another process" in error for error in errors)


@with_server
@pytest.mark.parametrize("step", ["check", "put_in_copy", "put"])
def test_copy_that_is_killed_leaves_the_store_in_use(step: str, filled: Path, postgres_address: str) -> None:
    killed = (
        "import os, sys; from pathlib import Path; from waypost.store import copy_mark, copying;"
        f" copy_mark.{step} = lambda *_: os.kill(os.getpid(), 9);"
        " copying.copy_to(Path(sys.argv[1]), sys.argv[2], 1)"
    )
    done = subprocess.run([sys.executable, "-c", killed, filled, postgres_address], check=False)

    assert done.returncode == -9
    with open_store(filled) as store:
        assert store.read(lambda db: db.execute("SELECT count(*) FROM decision").fetchone()) == (20,)
    with open_store(postgres_address) as target:
        assert target.read(organizations.find_all) == []


@with_server
@pytest.mark.parametrize("is_there", [True, False])
def test_the_outcome_of_a_lost_commit_is_found_out(
    is_there: bool, filled: Path, postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    from waypost.store import copying

    execute = PostgresConnection.execute

    def lost(self: PostgresConnection, sql: str, *parameters: Any) -> Any:
        if sql == "COMMIT" and execute(self, "SELECT count(*) FROM decision").fetchone() == (20,):
            execute(self, sql if is_there else "ROLLBACK")
            self.close()
            raise psycopg.OperationalError("the connection is lost")
        return execute(self, sql, *parameters)

    monkeypatch.setattr(PostgresConnection, "execute", lost)
    if is_there:
        assert copying.copy_to(filled, postgres_address, NOW).rows["decision"] == 20
        with pytest.raises(CopiedAway):
            open_store(filled)
    else:
        with pytest.raises(StoreError, match="nothing was copied"):
            copying.copy_to(filled, postgres_address, NOW)
        open_store(filled).close()


@with_server
def test_a_commit_without_any_answer_leaves_the_mark(
    filled: Path, postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store import copying

    def lost(self: PostgresConnection, sql: str, *parameters: Any) -> Any:
        if sql == "COMMIT" and execute(self, "SELECT count(*) FROM decision").fetchone() == (20,):
            raise StoreError("the connection is lost")
        return execute(self, sql, *parameters)

    execute = PostgresConnection.execute
    monkeypatch.setattr(copying, "OUTCOME_S", (0, 0))
    monkeypatch.setattr(copying, "_token_at", lambda _: None)
    monkeypatch.setattr(PostgresConnection, "execute", lost)

    with pytest.raises(StoreError, match="has the copy is unknown"):
        copying.copy_to(filled, postgres_address, NOW)
    with pytest.raises(CopiedAway):
        open_store(filled)


@with_server
def test_of_two_copies_at_once_one_succeeds(filled: Path, postgres_address: str) -> None:
    copy = [sys.executable, "-m", "waypost", "store", "copy", "--data", str(filled), "--to", postgres_address]
    both = [subprocess.Popen(copy, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    messages = [process.communicate()[1] for process in both]

    assert sorted(process.returncode for process in both) == [0, 3], messages
    with open_store(postgres_address) as target:
        assert target.read(lambda db: db.execute("SELECT count(*) FROM decision").fetchone()) == (20,)


@with_server
def test_chain_that_was_cut_is_missed_by_an_anchor(there: Store, acme: str, postgres_address: str) -> None:
    import psycopg

    from waypost.store.maintenance import anchor

    key(there, acme)
    stored = anchor(postgres_address)
    with psycopg.connect(postgres_address) as db:
        db.execute("SET session_replication_role = replica")
        db.execute("DELETE FROM audit_event WHERE sequence = 2")

    assert check_store(postgres_address, NOW).is_intact
    (problem,) = check_store(postgres_address, NOW, stored).problems
    assert "1 events are there, the anchor counts 2" in problem


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["org", "list", "--store", "mysql://ann:geheim@db.example.com/waypost"], "write postgresql://"),
        (["store", "backup", "--store", "postgresql://ann:geheim@127.0.0.1:1/x", "copy.db"], "pg_dump"),
        (["store", "restore", "--store", "postgresql://ann:geheim@127.0.0.1:1/x", "copy.db"], "own tools"),
        (["store", "copy", "--to", "copy.db"], "--to: write postgresql://"),
    ],
)
def test_commands_without_database_support_explain_it_without_the_address(
    command: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2

    output = capsys.readouterr().err
    assert why in output
    assert "geheim" not in output


@with_server
def test_the_commands_keep_their_rows_in_the_database(postgres_address: str, capsys: Any, tmp_path: Path) -> None:
    place = ["--store", postgres_address, "--data", str(tmp_path)]

    assert main(["org", "create", "Acme", *place]) == 0
    assert main(["keys", "create", "--name", "first", "--scopes", "agent", *place]) == 0
    assert main(["store", "check", *place]) == 0
    assert "the store is intact" in capsys.readouterr().out
    assert main(["store", "anchor", *place]) == 0
    assert capsys.readouterr().out.split()[2] == "2"
    assert list(tmp_path.iterdir()) == [], "nothing is in the folder"
