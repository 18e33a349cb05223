"""A cursor is taken back only as it was given: to the same caller, for the same question, within the hour."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.store import Store, cursors
from waypost.store.errors import CursorError

NOW = 1_795_000_000_000
SECRET = b"s" * 32
BOUND = ("acme", "/v1/keys", "limit=20")
POSITION = (17, "rel_1")


@pytest.fixture
def cursor() -> str:
    return cursors.seal(SECRET, POSITION, BOUND, NOW)


def test_a_position_comes_back(cursor: str) -> None:
    assert cursors.unseal(SECRET, cursor, BOUND, NOW + 3_599_999) == POSITION


@given(position=st.lists(st.integers(-(2**63), 2**63 - 1) | st.text(max_size=40), max_size=3).map(tuple))
def test_every_position_comes_back(position: cursors.Position) -> None:
    sealed = cursors.seal(SECRET, position, BOUND, NOW)

    assert cursors.unseal(SECRET, sealed, BOUND, NOW) == position
    assert sealed.replace("-", "").replace("_", "").isalnum()


def test_it_ends_after_an_hour(cursor: str) -> None:
    with pytest.raises(CursorError, match="begin again without one"):
        cursors.unseal(SECRET, cursor, BOUND, NOW + 3_600_000)


@pytest.mark.parametrize(
    "bound",
    [
        ("other", "/v1/keys", "limit=20"),
        ("acme", "/v1/audit-events", "limit=20"),
        ("acme", "/v1/keys", "limit=21"),
        ("acme/v1", "/keys", "limit=20"),
        ("acme", "/v1/keys"),
    ],
)
def test_it_is_bound_to_owner_place_and_action(cursor: str, bound: tuple[str, ...]) -> None:
    with pytest.raises(CursorError):
        cursors.unseal(SECRET, cursor, bound, NOW)


def test_another_stores_cursor_is_none(cursor: str) -> None:
    with pytest.raises(CursorError):
        cursors.unseal(b"t" * 32, cursor, BOUND, NOW)


def test_every_changed_byte_shows(cursor: str) -> None:
    whole = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    for at in range(len(whole)):
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        text = base64.urlsafe_b64encode(changed).rstrip(b"=").decode()
        with pytest.raises(CursorError):
            cursors.unseal(SECRET, text, BOUND, NOW)


@given(text=st.text(max_size=80))
def test_any_text_is_accepted(text: str) -> None:
    with pytest.raises(CursorError):
        cursors.unseal(SECRET, text, BOUND, NOW)


def test_a_cursor_has_one_spelling_and_bounded_length(cursor: str) -> None:
    for text in (cursor + "=", cursor + "\n", " " + cursor, cursor + "A" * 600, ""):
        with pytest.raises(CursorError):
            cursors.unseal(SECRET, text, BOUND, NOW)


def test_a_store_keeps_its_secret(store: Store) -> None:
    first = store.write(cursors.secret)

    assert len(first) == 32
    assert store.write(cursors.secret) == first
    assert store.read(cursors.secret) == first
