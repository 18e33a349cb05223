"""Files and secrets that every replica has: versions in the order of the commits, and secrets that a dump hides."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from waypost.store import Store, cursors, organizations, settings, shared_files, wrapping
from waypost.store.errors import StoreError
from waypost.store.shared_files import PART_BYTES
from waypost.store.wrapping import FILE_VARIABLE, KEY_VARIABLE, Wrapping, WrappingError, from_environment, new_key

NOW = 1_795_000_000_000


def stored(store: Store, name: str) -> bytes:
    return store.read(lambda db: shared_files.read(db, name)) or b""


def parts_of(store: Store) -> int:
    return int(store.read(lambda db: db.execute("SELECT count(*) FROM shared_part").fetchone()[0]))


def test_file_of_several_parts_comes_back_as_it_was(store: Store) -> None:
    data = os.urandom(2 * PART_BYTES + 7)
    shared_files.publish(store, "feeds/large", io.BytesIO(data), NOW)
    assert stored(store, "feeds/large") == data
    assert parts_of(store) == 3


def test_empty_and_exactly_full_files_return_too(store: Store) -> None:
    for data in (b"", b"x" * PART_BYTES):
        shared_files.publish(store, "feeds/odd", io.BytesIO(data), NOW)
        assert stored(store, "feeds/odd") == data


def test_every_change_even_a_removal_has_a_higher_version(store: Store) -> None:
    first = shared_files.publish(store, "feeds/a", io.BytesIO(b"a"), NOW)
    second = store.write(lambda db: shared_files.put(db, "rdap", b"{}", NOW))
    store.write(lambda db: shared_files.remove(db, "feeds/a", NOW))
    third = shared_files.publish(store, "feeds/a", io.BytesIO(b"a"), NOW)

    files = store.read(shared_files.find_all)
    assert [first.version, second.version, third.version] == [1, 2, 4]
    assert shared_files.version(files) == 4
    assert [file.name for file in files] == ["rdap", "feeds/a"]


def test_unreferenced_files_are_deleted_and_shared_ones_stay(store: Store) -> None:
    for name in ("feeds/a", "feeds/b"):
        shared_files.publish(store, name, io.BytesIO(b"the same"), NOW)
    shared_files.publish(store, "feeds/a", io.BytesIO(b"another"), NOW)
    assert (stored(store, "feeds/b"), parts_of(store)) == (b"the same", 2)
    store.write(lambda db: shared_files.remove(db, "feeds/b", NOW))
    assert parts_of(store) == 1


def test_a_file_changed_in_the_database_is_not_taken(store: Store) -> None:
    shared_files.publish(store, "feeds/a", io.BytesIO(b"evil.test"), NOW)
    store.write(lambda db: db.execute("UPDATE shared_part SET data = ?", (b"good.test",)).rowcount)
    with pytest.raises(StoreError, match="damaged"):
        stored(store, "feeds/a")


def test_meanwhile_deleted_parts_are_not_a_published_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(io.BytesIO):
        def seek(self, *at: int) -> int:
            monkeypatch.setattr(
                shared_files, "_PUT_PART", "DELETE FROM shared_part WHERE digest = ? AND part = ? AND data <> ?"
            )
            return super().seek(*at)

    with pytest.raises(StoreError, match="publish it again"):
        shared_files.publish(store, "feeds/a", Slow(b"evil.test"), NOW)
    assert store.read(shared_files.find_all) == []


OLD, NEW = Wrapping((b"o" * 32,)), Wrapping((b"n" * 32, b"o" * 32))


def test_a_wrapped_secret_needs_its_key_name_and_bytes() -> None:
    pytest.importorskip("cryptography")
    sealed = OLD.wrap("cursor", b"secret")
    assert b"secret" not in sealed
    assert OLD.unwrap("cursor", sealed) == NEW.unwrap("cursor", sealed) == b"secret"
    assert OLD.unwrap("cursor", b"never wrapped") == b"never wrapped"
    for other, name, value in [
        (Wrapping(), "cursor", sealed),
        (Wrapping((b"x" * 32,)), "cursor", sealed),
        (OLD, "another", sealed),
        (OLD, "cursor", sealed[:-1] + bytes([sealed[-1] ^ 1])),
    ]:
        with pytest.raises(WrappingError):
            other.unwrap(name, value)


def test_first_key_wraps_and_what_another_wrapped_is_due() -> None:
    pytest.importorskip("cryptography")
    assert OLD.is_current(OLD.wrap("cursor", b"secret"))
    assert not NEW.is_current(OLD.wrap("cursor", b"secret"))
    assert not NEW.is_current(b"secret")


def test_key_comes_from_the_environment_or_from_a_file(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    one, other, file = new_key(), new_key(), tmp_path / "store.key"
    file.write_text(f"{one}\n{other}\n")
    sealed = from_environment({KEY_VARIABLE: other}).wrap("cursor", b"secret")
    assert from_environment({FILE_VARIABLE: str(file)}).unwrap("cursor", sealed) == b"secret"
    assert from_environment({KEY_VARIABLE: f"{one},{other}"}).unwrap("cursor", sealed) == b"secret"
    assert not from_environment({})


@pytest.mark.parametrize("text", ["short", "%" * 44, "A" * 44 + "A", "kein Schlüssel"])
def test_an_invalid_key_is_rejected_and_not_repeated(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    for given in ({KEY_VARIABLE: text}, {FILE_VARIABLE: str(tmp_path / "key")}):
        with pytest.raises(WrappingError) as error:
            from_environment(given)
        assert text not in str(error.value)
    for missing in (tmp_path / "none", tmp_path):
        with pytest.raises(WrappingError, match=FILE_VARIABLE):
            from_environment({FILE_VARIABLE: str(missing)})


@pytest.fixture
def wrapped(postgres_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database whose secrets were made without a key, and a key for them."""
    from waypost.store import open_store

    with open_store(postgres_address) as store:
        store.write(lambda db: organizations.create(db, "Acme", "ann", NOW))
        store.write(cursors.secret)
    monkeypatch.setenv(KEY_VARIABLE, new_key())
    return postgres_address


def secrets_of(store: Store) -> tuple[bytes, bytes]:
    def read(db: wrapping.Any) -> tuple[bytes, bytes]:
        return cursors.secret(db), organizations.url_secret(db, organizations.find_all(db)[0].id)

    return store.write(read)


def test_a_wrapped_database_holds_no_secret_in_the_clear(wrapped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.store import open_store

    with open_store(wrapped) as store:
        before = secrets_of(store)
        assert store.write(lambda db: organizations.wrap_secrets(db, (cursors.NAME,))) == 2
        assert secrets_of(store) == before
        stored = store.read(lambda db: [bytes(row[0]) for row in db.execute("SELECT url_secret FROM organization")])
        stored.append(store.read(lambda db: settings.find(db, cursors.NAME)) or b"")
        assert all(map(wrapping.is_wrapped, stored))
        made = store.write(lambda db: organizations.create(db, "Later", "ann", NOW)).id
        row = store.read(lambda db: db.execute("SELECT url_secret FROM organization WHERE id = ?", (made,)).fetchone())
        assert wrapping.is_wrapped(bytes(row[0]))

    monkeypatch.setenv(KEY_VARIABLE, f"{new_key()} {os.environ[KEY_VARIABLE]}")
    with open_store(wrapped) as store:
        assert store.read(lambda db: organizations.has_other_wrapping(db, (cursors.NAME,)))
        assert store.write(lambda db: organizations.wrap_secrets(db, (cursors.NAME,))) == 3
    monkeypatch.setenv(KEY_VARIABLE, os.environ[KEY_VARIABLE].split()[0])
    with open_store(wrapped) as store:
        assert secrets_of(store) == before
    monkeypatch.setenv(KEY_VARIABLE, new_key())
    with open_store(wrapped) as store, pytest.raises(StoreError, match="another key"):
        secrets_of(store)
