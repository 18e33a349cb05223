"""PostgreSQL, by psycopg 3 (extra `postgres`).

One connection writes, in the thread of the writer. A transaction that writes holds the advisory lock `LOCK` until its
end, over all processes and replicas, so the numbers and versions that it takes become visible in their order:
PostgreSQL makes a commit visible before it lets go of the lock, and each statement of READ COMMITTED sees every commit
before it. Decisions that wait alone are a single statement without the lock: they are only ever added, and no reader
follows their numbers.

A connection that is lost while it commits leaves an unknown outcome: an error, never a success, and nothing is
repeated. The next write connects again; after a failure it waits, up to `LONGEST_WAIT_S`.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from waypost.errors import MissingExtra
from waypost.store.engines import Connection, Cursor
from waypost.store.errors import StoreError, StoreTooNew
from waypost.store.wrapping import PLAIN, Wrapping, from_environment

if TYPE_CHECKING:
    import psycopg

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations" / "postgres"
LOCK = int.from_bytes(b"waypost", "big")
"""Advisory lock of a transaction that writes; of the database, so that stores in two schemas wait for each other."""
SIGNING = int.from_bytes(b"wpsk", "big")
"""First half of the advisory locks that a service holds for its signing keys; the second half is of a key."""
OLDEST = 14
"""Oldest major version that is still maintained (postgresql.org/support/versioning, read 2026-11-23)."""
STATEMENT_S = 5
"""Seconds of a statement, and of the wait for the lock."""
_IDLE_S = 30
"""Seconds after which the server ends a transaction whose process hangs, and frees the lock."""
_CONNECT_S = 3
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0
_PREPARED = 200

APPLICATION, _BEFORE_WRAPPING = "waypost/8", "waypost"
"""Names of the sessions: of this release by the number of its tables, and of those that cannot unwrap secrets."""
_OURS: dict[str, Any] = {
    "connect_timeout": _CONNECT_S,
    "application_name": APPLICATION,
    # A dead peer is noticed in seconds, not in two hours.
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 4_000,
}
"""Parameters of libpq that the store sets, whatever an address says."""
SCHEMES = ("postgresql://", "postgres://")

_OF_THE_DATABASE = frozenset({"42501", "42703", "42P01", "XX001", "XX002"})
"""Errors of a database that lacks rights, a column or a table (as a standby that never got the newest
migration), or is damaged: codes of PostgreSQL's manual, appendix A."""

_BEGIN = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK})"
_WHOLE = {
    "BEGIN IMMEDIATE": _BEGIN,
    "BEGIN": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}
_PHRASES = (("max(ifnull(", "greatest(coalesce("), ("ifnull(", "coalesce("))
_PARAMETER = re.compile(r"'(?:[^']|'')*'|\?|%")


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """Statement of the store in PostgreSQL's words, with psycopg's parameters."""
    if sql in _WHOLE:
        return _WHOLE[sql]
    for ours, theirs in _PHRASES:
        sql = sql.replace(ours, theirs)
    return _PARAMETER.sub(_parameter, sql)


def _parameter(found: re.Match[str]) -> str:
    text = found.group()
    return "%s" if text == "?" else text.replace("%", "%%")


class PostgresConnection:
    """Connection of psycopg in the shape of `Connection`. Not thread-safe.

    wrapping  keys of the secrets
    origin    see `origin_of`
    """

    def __init__(self, raw: psycopg.Connection[Any], wrapping: Wrapping = PLAIN, origin: str = "") -> None:
        self._raw = raw
        self.wrapping = wrapping
        self.origin = origin
        self._warned = ""
        raw.add_notice_handler(self._notice)

    @property
    def raw(self) -> psycopg.Connection[Any]:
        return self._raw

    @property
    def in_transaction(self) -> bool:
        # INTRANS or INERROR; a lost connection is UNKNOWN.
        return self._raw.info.transaction_status in (2, 3)

    @property
    def is_lost(self) -> bool:
        return bool(self._raw.closed)

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        self._warned = ""
        cursor: Cursor = self._raw.execute(translated(sql), parameters or None)
        self._check(sql, cursor)
        return cursor

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Cursor:
        self._warned = ""
        rows = list(parameters)
        cursor: psycopg.Cursor[Any] = self._raw.cursor()
        if len(rows) == 1:
            cursor.execute(translated(sql), rows[0])
        elif rows:
            cursor.executemany(translated(sql), rows)
        self._check(sql, cursor)
        made: Cursor = cursor
        return made

    def close(self) -> None:
        self._raw.close()

    def _notice(self, notice: Any) -> None:
        if (notice.severity_nonlocalized or notice.severity) == "WARNING":
            self._warned = str(notice.message_primary)

    def _check(self, sql: str, cursor: Any) -> None:
        """Raises StoreError where a commit did not commit, or not as far as the server was told to."""
        if sql == "COMMIT" and cursor.statusmessage != "COMMIT":
            raise StoreError("the database undid the transaction")
        if self._warned and not self.in_transaction:
            # As "canceling wait for synchronous replication": the row is here, and maybe on no other machine.
            raise StoreError(f"whether the database stored it safely is unknown: {self._warned}")


class PostgresEngine:
    """Database at an address, with one connection for the writer. `acquire` connects again where that was lost."""

    def __init__(self, address: str) -> None:
        psycopg = _psycopg()
        self.error: type[Exception] = psycopg.Error
        self.integrity_error: type[Exception] = psycopg.IntegrityError
        self._lost: tuple[type[Exception], ...] = (psycopg.OperationalError, psycopg.InterfaceError)
        self._address = address
        self._wrapping = from_environment()
        self.name = without_password(address)
        self._lock = threading.Lock()
        self._wait_s = 0.0
        self._not_before = 0.0
        self._announced: frozenset[int] = frozenset()
        self._writing: PostgresConnection | None = self._connect()

    @property
    def writing(self) -> Connection:
        assert self._writing is not None
        return self._writing

    def acquire(self) -> bool:
        """Whether the database can be reached. Raises StoreError."""
        if self._writing is None or self._writing.is_lost:
            if self._writing is not None:
                self._writing.close()
            self._writing = self._connect_again()
            # Advisory locks of a session end with it.
            self._announce(self._writing.raw, self._announced)
        return True

    def release(self) -> None:
        """The lock ends with the transaction."""

    def after_commit(self) -> None:
        """The heads of the chains are in the same database: `waypost store anchor` prints them, to be kept apart."""

    def reading(self) -> Connection:
        return self._connect_again(read_only=True)

    def as_store_error(self, error: BaseException) -> StoreError | None:
        if isinstance(error, StoreError):
            return error
        if not isinstance(error, self._lost) and getattr(error, "sqlstate", None) not in _OF_THE_DATABASE:
            return None
        failure = StoreError(f"the store failed: {summary(error)}")
        failure.__cause__ = error
        return failure

    def read_error(self, error: Exception) -> Exception:
        return self.as_store_error(error) or error

    def announce(self, keys: Sequence[Mapping[str, Any]]) -> None:
        assert self._writing is not None
        # 31 bits: the two-key form of PostgreSQL's advisory locks takes two signed `int`.
        marks = frozenset(int.from_bytes(sha256(str(key["x"]).encode()).digest()[:4], "big") >> 1 for key in keys)
        self._announced = marks
        if not self._announce(self._writing.raw, marks):
            raise StoreError(
                "another replica signs with other keys than this one, and neither would verify the other's receipts; "
                "put its signing-keys.json into this replica's data folder"
            )

    def _announce(self, raw: Any, marks: frozenset[int]) -> bool:
        """Hold a shared lock for each key while connected. Whether the others hold none, or one of these."""
        try:
            for mark in sorted(marks):
                raw.execute("SELECT pg_advisory_lock_shared(%s::int, %s::int)", (SIGNING, mark))
            others = {mark for (mark,) in raw.execute(_ANNOUNCED, (SIGNING, raw.info.backend_pid)).fetchall()}
        except self.error as error:
            raise StoreError(f"the signing keys could not be announced: {summary(error)}") from None
        return not others or bool(others & marks)

    def is_lost(self, db: Connection) -> bool:
        return isinstance(db, PostgresConnection) and db.is_lost

    def close(self) -> None:
        if self._writing is not None:
            self._writing.close()

    def _connect_again(self, *, read_only: bool = False) -> PostgresConnection:
        """Connection, unless the last attempt failed a moment ago. Raises StoreError."""
        with self._lock:
            if time.monotonic() < self._not_before:
                raise StoreError("the database cannot be reached")
            try:
                made = self._connect(read_only=read_only)
            except StoreError:
                self._wait_s = min(max(self._wait_s * 2, FIRST_WAIT_S), LONGEST_WAIT_S)
                self._not_before = time.monotonic() + self._wait_s
                raise
            self._wait_s = self._not_before = 0.0
            return made

    def _connect(self, *, read_only: bool = False) -> PostgresConnection:
        psycopg = _psycopg()
        settings = {
            "statement_timeout": f"{STATEMENT_S}s",
            "lock_timeout": f"{STATEMENT_S}s",
            "idle_in_transaction_session_timeout": f"{_IDLE_S}s",
            "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "on" if read_only else "off",
            "client_min_messages": "warning",
            "timezone": "UTC",
        }
        try:
            # The store begins its transactions itself.
            raw = psycopg.connect(**parameters_of(self._address) | _OURS, autocommit=True)
        except psycopg.Error as error:
            raise StoreError(f"cannot open {self.name}: {summary(error)}") from None
        try:
            check(raw, self._address)
            # In one round trip: a request may wait for the connection.
            setting = ", set_config(%s, %s, false)" * len(settings)
            values = [text for pair in settings.items() for text in pair]
            row: Any = raw.execute((_ORIGIN + setting).encode(), values).fetchone()
            raw.prepared_max = _PREPARED
        except psycopg.Error as error:
            raw.close()
            raise StoreError(f"cannot open {self.name}: {summary(error)}") from None
        except BaseException:
            raw.close()
            raise
        return PostgresConnection(raw, self._wrapping, str(row[0]))


def open_engine(address: str, *, migrations: Path = MIGRATIONS) -> PostgresEngine:
    """Database at an address, checked and brought up to date. Raises StoreError, StoreTooNew, MissingExtra."""
    engine = PostgresEngine(address)
    try:
        migrate(engine, migrations)
    except engine.error as error:
        engine.close()
        raise StoreError(f"cannot open {engine.name}: {summary(error)}") from None
    except BaseException:
        engine.close()
        raise
    return engine


_ANNOUNCED = (
    "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = %s AND objsubid = 2"
    " AND pid <> %s AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_OLD_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?"
# Every way to older rows starts a server or makes a database: a promoted standby, a restored backup or disk.
_ORIGIN = (
    "SELECT concat(extract(epoch FROM pg_postmaster_start_time()), ' ',"
    " (SELECT oid FROM pg_database WHERE datname = current_database()))"
)
_CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"


def has_old_sessions(db: Connection) -> bool:
    """Whether a replica of a release that cannot unwrap secrets is connected, as in a rolling upgrade."""
    return bool(db.execute(_OLD_SESSIONS, (_BEFORE_WRAPPING,)).fetchone()[0])


def clock(db: Connection) -> int:
    """Clock of the database, in milliseconds since 1970."""
    return int(db.execute(_CLOCK).fetchone()[0])


_HAS_VERSION = "SELECT to_regclass('schema_version') IS NOT NULL"
_VERSION = "SELECT version FROM schema_version"
_TABLES = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"
_SET_VERSION = "UPDATE schema_version SET version = ?, changed_at = ?"


def schema_version(db: Connection) -> int:
    """Number of the last migration applied; 0 for a database without a store."""
    return int(db.execute(_VERSION).fetchone()[0]) if db.execute(_HAS_VERSION).fetchone()[0] else 0


def migrate(engine: PostgresEngine, folder: Path = MIGRATIONS) -> None:
    """Apply the missing migrations in a single transaction, under the lock. Raises StoreError and StoreTooNew.

    The series has the numbers of SQLite's; its first file makes what SQLite's files until the same number make.
    """
    steps = {int(file.name[:4]): file for file in sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))}
    known = max(steps)
    db = engine.writing
    if schema_version(db) == known:
        return
    # Replicas may start together: the lock lets a single one migrate, and the others find the version raised.
    db.execute("BEGIN IMMEDIATE")
    try:
        # What a migration does to a large table may take longer than a request may.
        db.execute("SET LOCAL statement_timeout = 0")
        version = schema_version(db)
        if version > known:
            raise StoreTooNew(engine.name, version, known)
        if not version and db.execute(_TABLES).fetchone()[0]:
            raise StoreError(f"{engine.name} holds tables that are not waypost's; name a database of its own")
        for number in sorted(steps):
            if number > version:
                # Without parameters psycopg sends the whole file as it is.
                assert isinstance(db, PostgresConnection)
                db.raw.execute(steps[number].read_text(encoding="utf-8").encode())
        db.execute(_SET_VERSION, (known, int(time.time() * 1000)))
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


_SETTINGS = (
    "SELECT current_setting('server_version_num')::int, pg_is_in_recovery(), current_setting('synchronous_commit'),"
    " current_setting('fsync'), current_setting('full_page_writes'), current_setting('server_encoding'),"
    " pg_backend_pid(), current_schema() IS NOT NULL"
)


def check(raw: Any, address: str) -> None:
    """Raises StoreError for a database that could lose what it acknowledged, or that answers for another one."""
    version, is_replica, synchronous, fsync, pages, encoding, backend, has_schema = raw.execute(_SETTINGS).fetchone()
    info = raw.info
    if version < OLDEST * 10_000:
        raise StoreError(f"PostgreSQL {version // 10_000} is too old; waypost needs {OLDEST} or newer")
    # Advisory locks and settings belong to a session, which a pooler shares between clients.
    if backend != info.backend_pid:
        raise StoreError(
            "a pooler stands before the database and changes sessions; connect to the database itself, since waypost "
            "holds few connections and keeps them"
        )
    if is_replica:
        raise StoreError(
            "the database is a replica and takes no writes; name the primary, or several hosts with "
            "target_session_attrs=read-write"
        )
    for name, value in (("synchronous_commit", synchronous), ("fsync", fsync), ("full_page_writes", pages)):
        if value == "off":
            raise StoreError(f"{name} is off: acknowledged rows would be lost in a crash; switch it on")
    if encoding != "UTF8":
        raise StoreError(f"the database's encoding is {encoding}; create it with ENCODING 'UTF8'")
    if not has_schema:
        raise StoreError("the database has no schema to use; create the one that search_path names")
    if not _is_near(info) and not raw.pgconn.ssl_in_use and parameters_of(address).get("sslmode") != "disable":
        raise StoreError(
            "the connection to another machine is not encrypted; add ?sslmode=verify-full to the address, or "
            "?sslmode=disable if the network itself is safe"
        )


def _is_near(info: Any) -> bool:
    address = info.hostaddr or info.host
    return address.startswith(("/", "@", "127.")) or address in {"", "::1", "localhost"}


def is_address(text: str) -> bool:
    return text.startswith(SCHEMES)


def parameters_of(address: str) -> dict[str, Any]:
    """Parameters of an address for libpq. Raises StoreError, which does not repeat the address."""
    from psycopg.conninfo import conninfo_to_dict

    try:
        return dict(conninfo_to_dict(address))
    except _psycopg().Error:
        raise StoreError(
            "the address of the store cannot be read; write postgresql://user@host:5432/database"
        ) from None


def without_password(address: str) -> str:
    """Address for messages: host, port and database; nothing that could hold a secret."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
        host = parts.hostname or dict(parse_qsl(parts.query)).get("host", "")
    except ValueError:
        return "postgresql://..."
    return f"postgresql://{host}{port}{parts.path}"


def summary(error: BaseException) -> str:
    """First line of an error of the driver, without the values of rows."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    lines = str(primary or error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("psycopg", "postgres", "for a store on PostgreSQL") from None
    return psycopg
