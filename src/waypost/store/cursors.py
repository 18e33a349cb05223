"""Cursors of paginated lists, signed and valid for an hour.

A cursor has a position and an expiry, with an HMAC over position, expiry, organization, endpoint and parameters of the
list. Clients can read a cursor, but cannot change it or use it for another list.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec

from waypost.store import settings
from waypost.store.engines import Connection
from waypost.store.errors import CursorError

Item = TypeVar("Item")
Position = tuple[int | str, ...]

VALID_MS = 3_600_000
MAX_LENGTH = 512
NAME = "cursor"
_MAC = 16


class Page(NamedTuple, Generic[Item]):
    """Items of a list. `next`: position of the last item, None at the end of the list."""

    items: list[Item]
    next: Position | None


class _Content(msgspec.Struct, array_like=True):
    ends_at: int
    position: Position


def secret(db: Connection) -> bytes:
    """Secret of the store for cursors, made at the first call. Runs inside `Store.write`."""
    return settings.secret(db, NAME)


def seal(secret: bytes, position: Position, bound: Sequence[str], now: int) -> str:
    """Cursor of a position, for an hour. `bound`: organization, endpoint and parameters of the request."""
    content = msgspec.json.encode(_Content(now + VALID_MS, position))
    return base64.urlsafe_b64encode(_mac(secret, content, bound) + content).rstrip(b"=").decode()


def unseal(secret: bytes, text: str, bound: Sequence[str], now: int) -> Position:
    """Position in a cursor. Raises CursorError."""
    # Before any decoding: the text is a third party's.
    if len(text) > MAX_LENGTH or not text.isascii():
        raise CursorError
    try:
        whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise CursorError from None
    mac, content = whole[:_MAC], whole[_MAC:]
    # The last character may have unused bits: without this check several texts would stand for the same bytes.
    canonical = base64.urlsafe_b64encode(whole).rstrip(b"=").decode() == text
    if not (hmac.compare_digest(mac, _mac(secret, content, bound)) and canonical):
        raise CursorError
    # Only what `seal` wrote gets here, so that decoding cannot fail.
    found = msgspec.json.decode(content, type=_Content)
    if now >= found.ends_at:
        raise CursorError
    return found.position


def page(found: list[tuple[Position, Item]], limit: int) -> Page[Item]:
    """Page of a query with a LIMIT of `limit` + 1: the extra row shows whether the list goes on."""
    more = len(found) > limit
    return Page([item for _, item in found[:limit]], found[limit - 1][0] if more else None)


def _mac(secret: bytes, content: bytes, bound: Sequence[str]) -> bytes:
    return hmac.digest(secret, msgspec.json.encode((list(bound), content.decode("latin-1"))), hashlib.sha256)[:_MAC]
