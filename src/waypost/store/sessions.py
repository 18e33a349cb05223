"""Sign-in to the console: a link for a single use, then a session. Of tokens and cookies only hashes are stored."""

from __future__ import annotations

import hmac
import secrets

import msgspec

from waypost.models.api_key import hash_of
from waypost.store import audit, clock, organizations
from waypost.store.engines import Connection
from waypost.store.errors import Conflict, Unknown
from waypost.store.organizations import Organization

LINK_MS = 15 * 60_000
SESSION_MS = 8 * 3_600_000


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Session of a person in an organization. `csrf`: token to be sent back by forms."""

    organization: Organization
    actor: str
    expires_at: int
    csrf: str

    @property
    def holder(self) -> str:
        """Name for reviews and submissions: the person, the same in every session."""
        return self.actor


_LINK = "INSERT INTO login_link (sha256, organization, actor, created_at, expires_at) VALUES (?, ?, ?, ?, ?)"


def create_link(db: Connection, organization: str, person: str, now: int) -> str:
    """Token for a single sign-in within LINK_MS. Raises Unknown, Conflict, ClockBehind."""
    clock.check(db, now)
    person = person.strip()
    # A colon marks the holders that are keys (`key:...`): no one signs in under the name of a key.
    if not person or len(person) > 80 or not person.isprintable() or ":" in person:
        raise Conflict("who signs in has a name of at most 80 printable characters, without a colon")
    if organizations.find(db, organization) is None:
        raise Unknown("organization")
    actor = person if organizations.is_operator(db, organization) else f"{person}@{organization}"
    token = secrets.token_urlsafe(32)
    db.execute(_LINK, (hash_of(token), organization, actor, now, now + LINK_MS))
    audit.append(db, organization, now, "session.link_made", actor, organization)
    return token


_OPEN_LINK = "SELECT organization, actor FROM login_link WHERE sha256 = ? AND used_at IS NULL AND expires_at > ?"
_USE = "UPDATE login_link SET used_at = ? WHERE sha256 = ? AND used_at IS NULL AND expires_at > ?"
_SIGN_IN = "INSERT INTO session (sha256, organization, actor, created_at, expires_at) VALUES (?, ?, ?, ?, ?)"


def is_link_valid(db: Connection, token: str, now: int) -> bool:
    """Whether a link would sign in. The link stays unused."""
    return db.execute(_OPEN_LINK, (hash_of(token), now)).fetchone() is not None


def sign_in(db: Connection, token: str, now: int) -> tuple[Session, str]:
    """Session of a link, which is used up, and the text of the cookie. Raises Unknown and ClockBehind."""
    clock.check(db, now)
    row = db.execute(_OPEN_LINK, (hash_of(token), now)).fetchone()
    # The update has the same condition again: of two requests with the same link a single one gets a session.
    if row is None or not db.execute(_USE, (now, hash_of(token), now)).rowcount:
        raise Unknown("sign-in link; it works once, for a quarter of an hour")
    organization, actor = row
    cookie = secrets.token_urlsafe(32)
    db.execute(_SIGN_IN, (hash_of(cookie), organization, actor, now, now + SESSION_MS))
    audit.append(db, organization, now, "session.begun", actor, organization)
    session = find(db, cookie, now)
    assert session is not None
    return session, cookie


_FIND = "SELECT organization, actor, expires_at FROM session WHERE sha256 = ? AND expires_at > ?"
_END = "DELETE FROM session WHERE sha256 = ?"


def find(db: Connection, cookie: str, now: int) -> Session | None:
    """Session of a cookie; None after the end of the session."""
    row = db.execute(_FIND, (hash_of(cookie), now)).fetchone()
    if row is None:
        return None
    organization = organizations.find(db, row[0])
    assert organization is not None
    return Session(organization=organization, actor=row[1], expires_at=row[2], csrf=_csrf(cookie))


def end(db: Connection, cookie: str) -> None:
    """End the session of a cookie."""
    db.execute(_END, (hash_of(cookie),))


def _csrf(cookie: str) -> str:
    """Token derived from the cookie: need not be stored, and fits a single session."""
    return hmac.digest(cookie.encode(), b"csrf", "sha256").hex()
