"""Keys in the store: shown once, listed masked, exchanged with an overlap, ended at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, get_args

import pytest
from tests.postgres import INTEGRITY_ERRORS

from waypost.models.api_key import EDGES, Key, KeyRequestError, State, hash_of, is_key
from waypost.store import Store, audit, keys
from waypost.store.errors import Conflict, Unknown
from waypost.store.keys import KeyRequest

NOW = 1_795_000_000_000
DAY = 86_400_000
SCOPES = frozenset({"agent", "check"})


def create(store: Store, organization: str, now: int = NOW, holder: str = "", **changed: Any) -> tuple[Key, str]:
    key_request = KeyRequest(**({"name": "shop", "scopes": SCOPES} | changed))
    return store.write(lambda db: keys.create(db, organization, key_request, "ann", now, holder=holder))


def rotate(store: Store, key: Key, now: int = NOW, **how: int) -> tuple[Key, str]:
    return store.write(lambda db: keys.rotate(db, key.organization, key.id, "ann", now, **how))


def revoke(store: Store, key: Key, now: int = NOW) -> Key:
    return store.write(lambda db: keys.revoke(db, key.organization, key.id, "ann", now))


def find(store: Store, key: Key) -> Key:
    return store.read(lambda db: keys.find(db, key.organization, key.id))


@pytest.mark.sqlite("it reads the file")
def test_a_key_is_returned_once_and_stored_as_hash(store: Store, acme: str) -> None:
    key, text = create(store, acme)

    assert is_key(text)
    assert key.hash == hash_of(text)
    assert key.masked == f"wp_live_...{text[-4:]}"
    assert key.organization_name == "Acme"
    assert key == find(store, key)
    for file in store.path.parent.iterdir():
        assert text.encode() not in file.read_bytes()
        assert text[8:40].encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("wrong", "member"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "a\x00"}, "name"),
        ({"valid_ms": 0}, "expires_at"),
        ({"valid_ms": 731 * DAY}, "expires_at"),
        ({"scopes": frozenset()}, "scopes"),
        ({"ip_allowlist": ("nowhere",)}, "ip_allowlist"),
    ],
)
def test_an_impossible_key_is_rejected_with_the_wrong_member(
    store: Store, acme: str, wrong: dict[str, Any], member: str
) -> None:
    with pytest.raises(KeyRequestError) as raised:
        create(store, acme, **wrong)

    assert raised.value.member == member
    assert store.read(lambda db: keys.find_page(db, acme)).items == []


def test_there_is_no_key_without_an_organization(store: Store) -> None:
    with pytest.raises(Unknown, match="no such organization"):
        create(store, "nobody")


def test_keys_are_paged_newest_first(store: Store, acme: str, operator: str) -> None:
    names = [create(store, acme, name=f"k{number}")[0].name for number in range(5)]
    create(store, operator)

    first = store.read(lambda db: keys.find_page(db, acme, limit=3))
    second = store.read(lambda db: keys.find_page(db, acme, limit=3, after=first.next))

    assert [each.name for each in first.items + second.items] == names[::-1]
    assert second.next is None
    assert store.read(lambda db: keys.find_page(db, acme, limit=5)).next is None


def test_a_rotated_key_is_good_until_the_overlap_ends(store: Store, acme: str) -> None:
    old, _ = create(store, acme, valid_ms=30 * DAY, ip_allowlist=("192.0.2.0/24",), limits={"checks": 5})

    new, text = rotate(store, old, NOW + DAY, overlap_s=3600)

    assert new.hash == hash_of(text) != old.hash
    for name in ("name", "scopes", "environment", "ip_allowlist", "limits", "organization", "holder"):
        assert getattr(new, name) == getattr(old, name), name
    assert new.expires_at == NOW + DAY + 30 * DAY
    old = find(store, old)
    assert old.replaced_by == new.id
    assert old.state(NOW + DAY + 3_599_999) == "rotating"
    assert old.state(NOW + DAY + 3_600_000) == "expired"


def test_an_overlap_never_lengthens_a_life(store: Store, acme: str) -> None:
    old, _ = create(store, acme, valid_ms=1000)

    rotate(store, old, NOW, overlap_s=604_800)

    assert find(store, old).expires_at == NOW + 1000
    with pytest.raises(KeyRequestError, match="overlap"):
        rotate(store, old, NOW, overlap_s=604_801)


def test_without_an_overlap_the_old_key_ends_at_once(store: Store, acme: str) -> None:
    old, _ = create(store, acme)

    rotate(store, old, NOW + 1, overlap_s=0)

    assert find(store, old).state(NOW + 1) == "expired"


def test_revoking_is_immediate_and_can_be_repeated(store: Store, acme: str) -> None:
    key, _ = create(store, acme)

    first, again = revoke(store, key, NOW + 1), revoke(store, key, NOW + 2)

    assert first == again
    assert first.revoked_at == NOW + 1
    events = store.read(lambda db: audit.events(db, acme)).items
    assert [each.type for each in events] == ["organization.created", "key.created", "key.revoked"]


def in_state(store: Store, organization: str, state: State) -> Key:
    key, _ = create(store, organization, valid_ms=DAY if state != "expired" else 1)
    if state == "rotating":
        rotate(store, key)
    if state == "revoked":
        revoke(store, key)
    return find(store, key)


@pytest.mark.parametrize(("before", "after"), list(product(get_args(State), ("rotating", "revoked"))))
def test_a_step_outside_the_table_is_rejected(store: Store, acme: str, before: State, after: State) -> None:
    key = in_state(store, acme, before)
    act: Callable[..., Any] = rotate if after == "rotating" else revoke
    assert key.state(NOW + 1) == before

    if after in EDGES[before]:
        act(store, key, NOW + 1)
        assert find(store, key).state(NOW + 1) == after
    elif before == after == "revoked":
        assert act(store, key, NOW + 1) == key
    else:
        with pytest.raises(Conflict, match="make a new one"):
            act(store, key, NOW + 1)
        assert find(store, key) == key


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE api_key SET scopes = 'agent keys'",
        "UPDATE api_key SET organization = 'other'",
        "UPDATE api_key SET revoked_at = NULL",
        "UPDATE api_key SET expires_at = expires_at + 1",
        "UPDATE api_key SET holder = 'bea'",
        "DELETE FROM api_key",
    ],
)
def test_even_sql_gives_a_key_no_further_rights(store: Store, acme: str, change: str) -> None:
    key, _ = create(store, acme)
    revoke(store, key)

    with pytest.raises(INTEGRITY_ERRORS):
        store.write(lambda db: db.execute(change))


def test_a_copy_of_the_keys_follows_changes(store: Store, acme: str, operator: str) -> None:
    one, _ = create(store, acme)
    two, _ = create(store, operator)
    found, version = store.read(keys.changed)
    assert [each.id for each in found] == [one.id, two.id]

    assert store.read(lambda db: keys.changed(db, version)) == ([], version)
    store.write(lambda db: keys.record_use(db, {one.id: NOW}))
    assert store.read(lambda db: keys.changed(db, version)) == ([], version), "use is no change"
    new, _ = rotate(store, one)
    revoke(store, two)

    found, version = store.read(lambda db: keys.changed(db, version))
    assert {each.id for each in found} == {one.id, new.id, two.id}
    assert store.read(lambda db: keys.changed(db, version)) == ([], version)


def test_when_a_key_was_last_used_never_goes_back(store: Store, acme: str) -> None:
    key, _ = create(store, acme)

    store.write(lambda db: keys.record_use(db, {key.id: NOW + 10, "nobody": NOW}))
    store.write(lambda db: keys.record_use(db, {key.id: NOW + 5}))

    assert find(store, key).last_used_at == NOW + 10


def test_a_keys_holder_is_new_or_its_maker(store: Store, acme: str) -> None:
    first, _ = create(store, acme)
    minted, _ = create(store, acme, holder=first.holder)
    at_the_console, _ = create(store, acme, holder="bea@acme")

    assert first.holder == minted.holder == f"key:{first.id}"
    assert rotate(store, minted)[0].holder == first.holder
    assert at_the_console.holder == "bea@acme"
    assert create(store, acme)[0].holder != first.holder
