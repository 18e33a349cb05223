"""Keys in memory: whoever revokes one, wherever, ends it within a second."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.models.api_key import SCOPES, Key, new_text
from waypost.service.keyring import POLL_S, Keyring
from waypost.store import Store, keys, open_store, organizations
from waypost.store.errors import StoreError
from waypost.store.keys import KeyRequest

NOW = 1_795_000_000_000
DAY = 86_400_000


class Clock:
    """Seconds that pass when they are told to."""

    at = 100.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        opened.write(lambda db: organizations.create(db, "Acme", "ann", NOW))
        yield opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ring(store: Store, clock: Clock) -> Keyring:
    return Keyring(store, monotonic=clock)


def create(store: Store, **changed: Any) -> tuple[Key, str]:
    organization_id = store.read(organizations.find_all)[0].id
    key_request = KeyRequest(**({"name": "shop", "scopes": frozenset(SCOPES)} | changed))
    return store.write(lambda db: keys.create(db, organization_id, key_request, "ann", NOW))


def revoke(store: Store, key: Key) -> None:
    store.write(lambda db: keys.revoke(db, key.organization, key.id, "ann", NOW))


def test_a_key_is_found_by_its_text(store: Store, ring: Keyring) -> None:
    key, text = create(store)

    assert ring.find(text, NOW) == key


@pytest.mark.parametrize(
    "text", ["", "secret", "wp_live_", "wp_live_" + "0" * 38, "Bearer x", "\ud800" * 46, "x" * 10_000]
)
def test_invalid_and_unowned_keys_are_indistinguishable(store: Store, ring: Keyring, text: str) -> None:
    create(store)

    assert ring.find(text, NOW) == "unknown"
    assert ring.find(new_text("live"), NOW) == "unknown"


def test_only_a_keys_holder_learns_of_its_expiry(store: Store, ring: Keyring) -> None:
    key, text = create(store, valid_ms=DAY)
    wrong = text[:20] + ("a" if text[20] != "a" else "b") + text[21:]

    assert ring.find(text, NOW + DAY - 1) == key
    assert ring.find(text, NOW + DAY) == "expired"
    assert ring.find(wrong, NOW + DAY) == "unknown"


def test_a_key_is_good_from_its_networks_alone(store: Store, ring: Keyring) -> None:
    key, text = create(store, ip_allowlist=("192.0.2.0/24",))

    assert ring.find(text, NOW, "192.0.2.9") == key
    assert ring.find(text, NOW, "198.51.100.1") == "address"
    assert ring.find(text, NOW) == "address"


def test_within_a_second_every_change_is_seen(store: Store, ring: Keyring, clock: Clock) -> None:
    assert POLL_S <= 1
    key, text = create(store)
    assert ring.find(text, NOW) == key
    revoke(store, key)
    assert ring.find(text, NOW) == key, "not asked again yet"

    clock.at += POLL_S

    assert ring.find(text, NOW) == "revoked"


def test_a_key_from_another_process_is_known_at_once(store: Store, ring: Keyring) -> None:
    create(store)
    assert ring.find("no key", NOW) == "unknown"
    key, text = create(store)

    found = ring.find(text, NOW)

    assert isinstance(found, Key)
    assert found.id == key.id


def test_a_refresh_is_seen_at_once(store: Store, ring: Keyring) -> None:
    key, text = create(store)
    ring.find(text, NOW)
    revoke(store, key)

    ring.refresh()

    assert ring.find(text, NOW) == "revoked"


def test_a_rotated_key_ends_with_its_overlap(store: Store, ring: Keyring) -> None:
    old, text = create(store)
    new, new_one = store.write(lambda db: keys.rotate(db, old.organization, old.id, "ann", NOW, 60))

    found = ring.find(text, NOW + 59_999)
    assert isinstance(found, Key)
    assert found.replaced_by == new.id
    assert ring.find(text, NOW + 60_000) == "expired"
    assert ring.find(new_one, NOW + 60_000) == new


REVOKES = """
import sys
from pathlib import Path
from waypost.store import keys, open_store
with open_store(Path(sys.argv[1])) as store:
    store.write(lambda db: keys.revoke(db, sys.argv[2], sys.argv[3], "ann", int(sys.argv[4])))
"""


def test_what_another_process_revokes_is_revoked_here(store: Store, ring: Keyring, clock: Clock) -> None:
    key, text = create(store)
    assert ring.find(text, NOW) == key

    arguments = [str(store.path.parent), key.organization, key.id, str(NOW)]
    subprocess.run([sys.executable, "-c", REVOKES, *arguments], check=True)
    clock.at += POLL_S

    assert ring.find(text, NOW) == "revoked"


def last_used(store: Store, key: Key) -> int | None:
    return store.read(lambda db: keys.find(db, key.organization, key.id)).last_used_at


def test_when_a_key_was_used_is_recorded_on_request(store: Store, ring: Keyring) -> None:
    (used, text), (idle, _) = create(store), create(store)
    for at in (NOW, NOW + 3, NOW + 5):
        ring.find(text, at)
    assert last_used(store, used) is None

    ring.flush()

    assert last_used(store, used) == NOW + 5
    assert last_used(store, idle) is None


def test_use_that_was_not_written_waits_for_later(store: Store, ring: Keyring) -> None:
    key, text = create(store)
    ring.find(text, NOW)
    store.write(lambda db: db.execute("PRAGMA query_only = ON"))
    with pytest.raises(StoreError):
        ring.flush()
    # Only a connection of its own gets the writer out of this again.
    with open_store(store.path.parent) as other:
        ring._store = other
        ring.flush()
        assert last_used(other, key) == NOW


def test_leaving_writes_it_down_too(store: Store, clock: Clock) -> None:
    key, text = create(store)

    with Keyring(store, monotonic=clock) as ring:
        ring.find(text, NOW)

    assert last_used(store, key) == NOW
