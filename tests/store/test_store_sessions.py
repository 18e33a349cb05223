"""A link signs in once; a session lasts a working day; only hashes are kept."""

from __future__ import annotations

import pytest

from waypost.store import Store, audit, sessions
from waypost.store.errors import Conflict, Unknown
from waypost.store.sessions import LINK_MS, SESSION_MS, Session

NOW = 1_795_000_000_000


def link(store: Store, organization: str, person: str = "ann") -> str:
    return store.write(lambda db: sessions.create_link(db, organization, person, NOW))


def sign_in(store: Store, token: str, now: int = NOW) -> tuple[Session, str]:
    return store.write(lambda db: sessions.sign_in(db, token, now))


def find(store: Store, cookie: str, now: int = NOW) -> Session | None:
    return store.read(lambda db: sessions.find(db, cookie, now))


def test_a_link_signs_in_once(store: Store, acme: str) -> None:
    token = link(store, acme)

    session, cookie = sign_in(store, token)

    assert session.organization.name == "Acme"
    assert find(store, cookie) == session
    with pytest.raises(Unknown, match="it works once"):
        sign_in(store, token)


def test_checking_a_link_uses_nothing_up(store: Store, acme: str) -> None:
    token = link(store, acme)

    assert all(store.read(lambda db: sessions.is_link_valid(db, token, NOW)) for _ in range(3))
    sign_in(store, token)
    assert not store.read(lambda db: sessions.is_link_valid(db, token, NOW))


def test_links_last_a_quarter_hour_and_sessions_eight_hours(store: Store, acme: str) -> None:
    late, token = link(store, acme), link(store, acme)

    with pytest.raises(Unknown):
        sign_in(store, late, NOW + LINK_MS)
    _, cookie = sign_in(store, token, NOW + LINK_MS - 1)
    assert find(store, cookie, NOW + LINK_MS + SESSION_MS - 2)
    assert find(store, cookie, NOW + LINK_MS + SESSION_MS - 1) is None


def test_who_signed_out_is_out(store: Store, acme: str) -> None:
    _, cookie = sign_in(store, link(store, acme))

    store.write(lambda db: sessions.end(db, cookie))

    assert find(store, cookie) is None


@pytest.mark.parametrize("text", ["", "x", "\ud800", "a" * 10_000])
def test_no_other_text_is_a_cookie_or_a_link(store: Store, acme: str, text: str) -> None:
    sign_in(store, link(store, acme))

    assert find(store, text) is None
    with pytest.raises(Unknown):
        sign_in(store, text)


def test_each_session_has_its_own_form_token(store: Store, acme: str) -> None:
    (one, cookie), (other, _) = (sign_in(store, link(store, acme)) for _ in range(2))

    assert one.csrf != other.csrf
    assert one.csrf not in {"", cookie}
    found = find(store, cookie)
    assert found is not None
    assert found.csrf == one.csrf


def test_an_operators_person_has_one_name_without_namesakes_elsewhere(store: Store, operator: str, acme: str) -> None:
    assert sign_in(store, link(store, operator, "ann"))[0].holder == "ann"
    assert sign_in(store, link(store, acme, "ann"))[0].holder == f"ann@{acme}"


@pytest.mark.parametrize("person", ["", " ", "a\nb", "key:1", "x" * 81])
def test_who_signs_in_has_a_name(store: Store, acme: str, person: str) -> None:
    with pytest.raises(Conflict):
        link(store, acme, person)


@pytest.mark.sqlite("it reads the file")
def test_nothing_that_opens_the_console_is_in_the_store(store: Store, acme: str) -> None:
    token = link(store, acme)
    session, cookie = sign_in(store, token)

    for file in store.path.parent.iterdir():
        data = file.read_bytes()
        assert not any(each.encode() in data for each in (token, cookie, session.csrf))


def test_links_and_sessions_are_in_the_audit(store: Store, acme: str) -> None:
    sign_in(store, link(store, acme))

    events = store.read(lambda db: audit.events(db, acme)).items
    assert [each.type for each in events] == ["organization.created", "session.link_made", "session.begun"]
