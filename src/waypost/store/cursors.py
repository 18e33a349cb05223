"""Where a list goes on, as a text that nobody else can make, move to another list, or keep for long.

A cursor holds a position and when it ends, and an HMAC over both and over all that it is bound to: the
organization, the endpoint and the question. It hides nothing; it only cannot be changed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import sqlite3
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec

from waypost.store import settings
from waypost.store.errors import CursorError

Item = TypeVar("Item")
Position = tuple[int | str, ...]

VALID_MS = 3_600_000
MOST_TEXT = 512
_NAME = "cursor"
_MAC = 16


class Page(NamedTuple, Generic[Item]):
    """Some items of a list, and the position behind the last of them where there are more."""

    items: list[Item]
    next: Position | None


class _Content(msgspec.Struct, array_like=True):
    ends_at: int
    position: Position


def secret(db: sqlite3.Connection) -> bytes:
    """The store's secret for cursors, made when it is first asked for; wants to run inside `Store.write`."""
    return settings.secret(db, _NAME)


def seal(secret: bytes, position: Position, bound: Sequence[str], now: int) -> str:
    """A position as a cursor, for an hour. `bound`: the organization, the endpoint and everything that was asked."""
    content = msgspec.json.encode(_Content(now + VALID_MS, position))
    return base64.urlsafe_b64encode(_mac(secret, content, bound) + content).rstrip(b"=").decode()


def unseal(secret: bytes, text: str, bound: Sequence[str], now: int) -> Position:
    """The position in a cursor. Raises CursorError."""
    if len(text) > MOST_TEXT or not text.isascii():
        raise CursorError
    try:
        whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise CursorError from None
    mac, content = whole[:_MAC], whole[_MAC:]
    canonical = base64.urlsafe_b64encode(whole).rstrip(b"=").decode() == text
    if not (hmac.compare_digest(mac, _mac(secret, content, bound)) and canonical):
        raise CursorError
    found = msgspec.json.decode(content, type=_Content)
    if now >= found.ends_at:
        raise CursorError
    return found.position


def page(found: list[tuple[Position, Item]], limit: int) -> Page[Item]:
    """The page of a query that was asked for one row more than the limit."""
    more = len(found) > limit
    return Page([item for _, item in found[:limit]], found[limit - 1][0] if more else None)


def _mac(secret: bytes, content: bytes, bound: Sequence[str]) -> bytes:
    return hmac.digest(secret, msgspec.json.encode((list(bound), content.decode("latin-1"))), hashlib.sha256)[:_MAC]
