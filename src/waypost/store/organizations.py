"""Organizations, which own keys. The first organization is the operator's and reviews global relationships."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Sequence

import msgspec

from waypost.formats.ids import new_id
from waypost.store import audit, settings
from waypost.store.engines import Connection
from waypost.store.errors import Conflict, Unknown
from waypost.store.rows import Rows
from waypost.store.wrapping import wrapping_of

MAX_NAME = 120


class Organization(msgspec.Struct, frozen=True, kw_only=True):
    """`created_at` is milliseconds since 1970, UTC."""

    id: str
    name: str
    created_at: int


_CREATE = (
    "INSERT INTO organization (id, name, folded_name, created_at, url_secret) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (folded_name) DO NOTHING"
)


def create(db: Connection, name: str, actor: str, now: int) -> Organization:
    """Create an organization. Raises Conflict if the name is invalid, or taken in any letter case."""
    name = unicodedata.normalize("NFC", name.strip())
    # The name stands in logs and on terminals, where a control character would act.
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise Conflict(f"an organization's name is 1 to {MAX_NAME} printable characters")
    made = Organization(id=new_id(), name=name, created_at=now)
    secret = settings.wrapped(db, _secret_name(made.id), secrets.token_bytes(32))
    row = (made.id, name, _folded(name), now, secret)
    # The unique column decides: two processes may create the same name at the same moment.
    if not db.execute(_CREATE, row).rowcount:
        raise Conflict(f"there is an organization {name!r} already")
    audit.append(db, made.id, now, "organization.created", actor, made.id, name=name)
    return made


_ORGANIZATIONS = Rows(Organization)
_FIND = f"SELECT {_ORGANIZATIONS.columns} FROM organization WHERE id = ?"  # noqa: S608 - a constant
_NAMED = f"SELECT {_ORGANIZATIONS.columns} FROM organization WHERE id = ? OR folded_name = ?"  # noqa: S608 - a constant
_FIRST = f"SELECT {_ORGANIZATIONS.columns} FROM organization ORDER BY number LIMIT 1"  # noqa: S608 - a constant
_ALL = f"SELECT {_ORGANIZATIONS.columns} FROM organization ORDER BY number"  # noqa: S608 - a constant
_KEYED_BY = "SELECT url_secret FROM organization WHERE id = ?"


def find(db: Connection, name: str) -> Organization | None:
    """Organization of an id."""
    return _ORGANIZATIONS.first(db, _FIND, (name,))


def named(db: Connection, text: str) -> Organization:
    """Organization of an id or name, as typed by a person. Raises Unknown."""
    found = _ORGANIZATIONS.first(db, _NAMED, (text, _folded(text.strip())))
    if found is None:
        raise Unknown("organization")
    return found


def first(db: Connection) -> Organization | None:
    """Operator's organization; None in a new store."""
    return _ORGANIZATIONS.first(db, _FIRST)


def is_operator(db: Connection, organization: str) -> bool:
    found = first(db)
    return found is not None and found.id == organization


def find_all(db: Connection) -> list[Organization]:
    """Organizations in order of creation. For the operator only."""
    return _ORGANIZATIONS.all(db, _ALL)


def url_secret(db: Connection, organization: str) -> bytes:
    """Key of the HMACs of an organization's URLs. Raises Unknown."""
    row = db.execute(_KEYED_BY, (organization,)).fetchone()
    if row is None:
        raise Unknown("organization")
    return wrapping_of(db).unwrap(_secret_name(organization), bytes(row[0]))


_SECRETS = "SELECT id, url_secret FROM organization"
_SET_SECRET = "UPDATE organization SET url_secret = ? WHERE id = ?"  # noqa: S105 - SQL


def has_other_wrapping(db: Connection, names: Sequence[str]) -> bool:
    """Whether `wrap_secrets` would change a secret."""
    wrapping = wrapping_of(db)
    stored = [bytes(row[1]) for row in db.execute(_SECRETS).fetchall()]
    stored += [found for name in names if (found := settings.find(db, name)) is not None]
    return not all(map(wrapping.is_current, stored))


def wrap_secrets(db: Connection, names: Sequence[str]) -> int:
    """Wrap the secrets of the organizations and the settings `names` by the first key. Returns their number.

    Raises StoreError where one is wrapped with a key that is missing.
    """
    wrapping, changed = wrapping_of(db), 0
    for organization, stored in db.execute(_SECRETS).fetchall():
        if not wrapping.is_current(bytes(stored)):
            name = _secret_name(organization)
            secret = wrapping.unwrap(name, bytes(stored))
            changed += db.execute(_SET_SECRET, (wrapping.wrap(name, secret), organization)).rowcount
    for name in names:
        stored = settings.find(db, name)
        if stored is not None and not wrapping.is_current(stored):
            settings.put(db, name, wrapping.wrap(name, wrapping.unwrap(name, stored)))
            changed += 1
    settings.put(db, settings.WRAPPED, b"1")
    return changed


def _secret_name(organization: str) -> str:
    return f"url_secret {organization}"


def _folded(name: str) -> str:
    # Compatible forms are one name: fullwidth letters would let an organization pose as another in a list.
    return unicodedata.normalize("NFKC", name).casefold()
