"""When the machine fails: an error that says so, nothing half-written, and on as soon as it can."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from waypost.errors import NotReady
from waypost.models.api_key import SCOPES
from waypost.service.keyring import Keyring
from waypost.store import Store, audit, clock, decisions, keys, open_store, organizations, relationships, sessions
from waypost.store.decisions import DecisionRecord
from waypost.store.engines.sqlite import SqliteEngine, connect
from waypost.store.errors import ClockBehind, StoreError
from waypost.store.folder import NAME
from waypost.store.keys import KeyRequest
from waypost.store.write_lock import WriteLock

NOW = 1_795_000_000_000
DAY = 86_400_000
Make = Callable[..., DecisionRecord]
KEY_REQUEST = KeyRequest(name="shop", scopes=frozenset(SCOPES))


def count(store: Store, table: str) -> int:
    found: int = store.read(lambda db: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    return found


FILLS_THE_DISK = """
import resource, signal, sys
from pathlib import Path
from waypost.store import audit, decisions, keys, open_store, organizations
from waypost.store.decisions import DecisionRecord
from waypost.store.errors import StoreError

now = 1_795_000_000_000
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = open_store(Path(sys.argv[1]))
whose = store.write(lambda db: organizations.create(db, "Acme", "ann", now)).id
resource.setrlimit(resource.RLIMIT_FSIZE, (900_000, 900_000))

def put(db, number):
    given = DecisionRecord(id=f"d{number}", organization=whose, environment="live", key_id="k", created_at=now,
                  expires_at=now, normalized_domain="acme.example", action="payment", url_hmac=b"h" * 32,
                  document=b"1" * 5000)
    decisions.put(db, given)
    audit.append(db, whose, now, "test.put", "ann", given.id)

kept, failed = [], 0
for number in range(400):
    try:
        store.write(lambda db: put(db, number))
        kept.append(number)
    except StoreError as fault:
        failed += 1
print(len(kept), failed, flush=True)
stored = store.read(lambda db: [row[0] for row in db.execute("SELECT id FROM decision ORDER BY number")])
assert stored == [f"d{each}" for each in kept], (len(stored), len(kept))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX")
def test_a_full_disk_fails_the_write_and_retains_rows(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FILLS_THE_DISK, str(tmp_path)], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    stored, failed = (int(each) for each in done.stdout.split())
    assert stored > 10
    assert failed > 10
    with open_store(tmp_path) as store:
        assert count(store, "decision") == stored
        (chain,) = store.read(lambda db: [*audit.verify(db)])
        assert (chain.events, chain.broken) == (stored + 1, None)
        assert store.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
        store.write(lambda db: audit.append(db, chain.organization, NOW, "test.after", "ann", "x"))


@pytest.mark.sqlite("locks of a file")
def test_locked_store_fails_the_write_and_goes_on_afterwards(store: Store, acme: str, given: Make) -> None:
    store.write(lambda db: db.execute("PRAGMA busy_timeout = 1"))
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreError, match="locked"):
        store.write(lambda db: decisions.put(db, given(acme)))
    assert count(store, "decision") == 0, "others read on meanwhile"
    other.execute("ROLLBACK")
    other.close()

    store.write(lambda db: decisions.put(db, given(acme)))
    assert count(store, "decision") == 1


@pytest.mark.sqlite("a file that is gone")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a file that is in use")
@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
def test_a_missing_file_fails_writes_until_it_returns(store: Store, acme: str, given: Make, replaced: bool) -> None:
    away = store.path.with_name("away")
    store.path.rename(away)
    if replaced:
        shutil.copy(away, store.path)

    with pytest.raises(StoreError, match="was removed or replaced while in use"):
        store.write(lambda db: decisions.put(db, given(acme)))

    away.rename(store.path)
    store.write(lambda db: decisions.put(db, given(acme)))
    assert count(store, "decision") == 1


@pytest.mark.sqlite("a file that became read-only")
def test_a_read_only_store_fails_writes_and_serves_reads(store: Store, acme: str, given: Make) -> None:
    """As on a file system that was mounted anew after a fault of the disk."""
    path = store.path
    engine = SqliteEngine(path, connect(path, "ro", check_same_thread=False), WriteLock(path.parent, 0))
    with Store(engine) as fallen:
        with pytest.raises(StoreError, match="readonly"):
            fallen.write(lambda db: decisions.put(db, given(acme)))
        with pytest.raises(StoreError, match="readonly"):
            fallen.write(lambda db: keys.create(db, acme, KEY_REQUEST, "ann", NOW))

        assert count(fallen, "decision") == count(fallen, "api_key") == 0
        assert fallen.read(lambda db: organizations.named(db, "Acme")).id == acme


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is read-only to root")
def test_store_on_a_read_only_system_does_not_open(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    (tmp_path / NAME).chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError):
            open_store(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_a_damaged_store_answers_nothing(tmp_path: Path, given: Make) -> None:
    with open_store(tmp_path) as store:
        organization_id = store.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id
        store.write(lambda db: [decisions.put(db, given(organization_id, id=f"d{n}")) for n in range(200)])
    data = bytearray((tmp_path / NAME).read_bytes())
    data[4096 * 3 :] = b"\x5a" * (len(data) - 4096 * 3)
    (tmp_path / NAME).write_bytes(data)

    with pytest.raises(StoreError), open_store(tmp_path) as store:
        store.read(lambda db: decisions.find(db, organization_id, "d7", NOW))


def test_where_the_keys_cannot_be_read_no_key_holds(store: Store, acme: str) -> None:
    times = iter(range(100))
    ring = Keyring(store, monotonic=lambda: next(times))
    _, text = store.write(lambda db: keys.create(db, acme, KEY_REQUEST, "ann", NOW))
    assert not isinstance(ring.find(text, NOW), str)
    store.write(lambda db: db.execute("ALTER TABLE api_key RENAME TO gone"))

    with pytest.raises(NotReady, match="keys cannot be read"):
        ring.find(text, NOW)


class Latecomer:
    """A store whose newest record is of a day from now."""

    def __init__(self, store: Store, organization: str, given: Make) -> None:
        self.store, self.organization, self.given = store, organization, given
        self.key, _ = store.write(lambda db: keys.create(db, organization, KEY_REQUEST, "ann", NOW))
        token = store.write(lambda db: sessions.create_link(db, organization, "ann", NOW))
        store.write(lambda db: decisions.put(db, given(organization, created_at=NOW + DAY)))
        self.token = token


@pytest.fixture
def late(store: Store, acme: str, given: Make) -> Latecomer:
    return Latecomer(store, acme, given)


def test_while_the_clock_is_behind_nothing_is_granted(late: Latecomer) -> None:
    store, acme, now = late.store, late.organization, NOW + DAY - clock.SLACK_MS - 1

    for grant in (
        lambda db: decisions.put(db, late.given(acme, created_at=now)),
        lambda db: keys.create(db, acme, KEY_REQUEST, "ann", now),
        lambda db: keys.rotate(db, acme, late.key.id, "ann", now),
        lambda db: sessions.create_link(db, acme, "ann", now),
        lambda db: sessions.sign_in(db, late.token, now),
        lambda db: relationships.accept(db, "rel_1", "ann", now),
    ):
        before = count(store, "audit_event")
        with pytest.raises(ClockBehind, match="60 s behind the newest record"):
            store.write(grant)
        assert count(store, "audit_event") == before
    assert count(store, "decision") == 1


def test_revocations_never_wait_for_the_clock(late: Latecomer) -> None:
    revoked = late.store.write(lambda db: keys.revoke(db, late.organization, late.key.id, "ann", NOW - DAY))

    assert revoked.state(NOW) == "revoked"


def test_a_small_step_back_is_nothing(late: Latecomer) -> None:
    at = NOW + DAY - clock.SLACK_MS

    late.store.write(lambda db: decisions.put(db, late.given(late.organization, created_at=at)))


def test_a_forgiven_clock_is_watched_again(late: Latecomer) -> None:
    store, acme = late.store, late.organization

    behind = store.write(lambda db: clock.trust(db, "ann", NOW))

    assert behind == DAY
    assert store.read(lambda db: clock.behind_ms(db, NOW)) == 0
    store.write(lambda db: decisions.put(db, late.given(acme, created_at=NOW + 1000)))
    with pytest.raises(ClockBehind):
        store.write(lambda db: decisions.put(db, late.given(acme, created_at=NOW - DAY)))
