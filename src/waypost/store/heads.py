"""Heads of the audit chains, counted and signed, in a file apart from the database.

A chain shows every change but the loss of its end. The file has the number of events and the last hash of every
organization, under an HMAC whose key is a file of its own. The writer advances the file after a commit, before it lets
go of the lock. A head advances only over the chain that it closes, so events that were cut off stay missed, whatever
is written later.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from waypost.store import settings
from waypost.store.engines import Connection
from waypost.store.errors import StoreError

FILE = "audit-heads.json"
KEY_FILE = "audit.key"
FORMAT = "waypost-audit-heads/1"
ANCHOR = "waypost-audit-1"
"""First word of an anchor's lines: then organization, number of events, last hash."""
_MARK = "audit_heads"
"""Setting of a store with a file of heads: without the setting a missing file is made."""
_KEY_BYTES = 32


class Head(NamedTuple):
    """End of an organization's chain: number of events, hash of the last event."""

    organization: str
    events: int
    hash: str

    def __str__(self) -> str:
        return f"{ANCHOR} {self.organization} {self.events} {self.hash}"


class HeadsInvalid(StoreError):
    """File of heads that is missing, unreadable or not signed with the key of the store."""


class Heads:
    """File of heads in the folder of a store. `advance` and `seal` need the write lock."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._key_path = folder / KEY_FILE
        self._seen = -1

    def advance(self, db: Connection) -> None:
        """Note the events since the last call. Errors of the disk leave the file as it is, for the next call."""
        newest = int(db.execute(_NEWEST).fetchone()[0])
        # A commit without a new event leaves the file as it is.
        if newest == self._seen:
            return
        with suppress(OSError, HeadsInvalid):  # an invalid file stays: `check` reports it
            known = self._known(db)
            # After the loss of a tail, numbers are given again: then all chains are read, as at the first call.
            since = self._seen if newest > self._seen else -1
            moved = [head for head in found(db, since) if _follows(db, known.get(head.organization), head)]
            current = known | {head.organization: head for head in moved}
            if current != known:
                self._write(current)
            if current and settings.find(db, _MARK) is None:
                settings.put(db, _MARK, b"1")
            self._seen = newest

    def seal(self, db: Connection) -> None:
        """Replace the file by the heads of the chains as they are. Raises OSError."""
        self._write({head.organization: head for head in found(db)})

    def read(self, db: Connection) -> dict[str, Head]:
        """Signed heads by organization; empty for a store that never had any. Raises HeadsInvalid."""
        try:
            return self._known(db)
        except OSError as error:
            raise HeadsInvalid(f"{error.filename}: {(error.strerror or str(error)).lower()}") from None

    def _known(self, db: Connection) -> dict[str, Head]:
        try:
            document = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            if settings.find(db, _MARK) is None:
                return {}
            raise HeadsInvalid(f"{FILE} is missing") from None
        except (ValueError, RecursionError):
            raise HeadsInvalid(f"{FILE} cannot be read") from None
        try:
            key = self._key_path.read_bytes()
        except FileNotFoundError:
            raise HeadsInvalid(f"{KEY_FILE} is missing") from None
        try:
            heads = {name: Head(name, int(events), str(text)) for name, events, text in document["heads"]}
            is_signed = hmac.compare_digest(str(document["mac"]), _mac(key, heads))
        except (KeyError, TypeError, ValueError):
            raise HeadsInvalid(f"{FILE} cannot be read") from None
        if not is_signed or document.get("format") != FORMAT or document.get("count") != len(heads):
            raise HeadsInvalid(f"{FILE} was not signed with {KEY_FILE}")
        return heads

    def _write(self, heads: Mapping[str, Head]) -> None:
        document = {
            "format": FORMAT,
            "count": len(heads),
            "heads": sorted(heads.values()),
            "mac": _mac(self._key(), heads),
        }
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{FILE}.")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(document, indent=1).encode() + b"\n")
                file.flush()
                # Before the rename: a power cut must leave the old file or the new one, never an empty one.
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _key(self) -> bytes:
        """Key of the signatures, made at the first call."""
        with suppress(FileExistsError):
            handle = os.open(self._key_path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
        return self._key_path.read_bytes()


_NEWEST = "SELECT ifnull(max(number), 0) FROM audit_event"
_FOUND = (
    "SELECT organization, sequence, hash FROM audit_event WHERE number IN"
    " (SELECT max(number) FROM audit_event GROUP BY organization) ORDER BY organization"
)
# By an expression: for `GROUP BY organization` SQLite would read the entire index of organizations.
_FOUND_SINCE = _FOUND.replace("GROUP BY organization)", "WHERE number > ? GROUP BY organization || '')")
_AT = "SELECT hash FROM audit_event WHERE organization = ? AND sequence = ?"
_LENGTH = "SELECT count(*) FROM audit_event WHERE organization = ?"
_EMPTY = (
    "SELECT id FROM organization WHERE NOT EXISTS"
    " (SELECT 1 FROM audit_event WHERE audit_event.organization = organization.id) ORDER BY number"
)


def found(db: Connection, since: int = -1) -> Iterator[Head]:
    """Heads of the chains as they are in the database, of those with an event after the number `since`.

    All chains take half a second at a million events, in which the writer stores nothing else.
    """
    rows = db.execute(_FOUND_SINCE, (since,)) if since >= 0 else db.execute(_FOUND)
    return (Head(*row) for row in rows.fetchall())


def missing(db: Connection, heads: Iterable[Head], source: str) -> Iterator[str]:
    """Descriptions of chains that do not reach a head any more, or lead to another. `source`: origin of the heads."""
    for head in heads:
        length = db.execute(_LENGTH, (head.organization,)).fetchone()[0]
        if length < head.events:
            yield f"audit of {head.organization}: {length} events are there, {source} counts {head.events}"
        elif not _is_at(db, head):
            yield f"audit of {head.organization}: event {head.events} is not the one that {source} names"


def without_events(db: Connection) -> Iterator[str]:
    """Descriptions of organizations without a single event, though making an organization is an event."""
    for (organization,) in db.execute(_EMPTY):
        yield f"audit of {organization}: there is no event, not even of its creation"


def read_anchor(text: str) -> list[Head]:
    """Heads of an anchor as `waypost store anchor` prints it. Raises StoreError."""
    heads = []
    for line in filter(None, map(str.strip, text.splitlines())):
        words = line.split()
        if len(words) != 4 or words[0] != ANCHOR or not (words[2].isascii() and words[2].isdigit()):
            raise StoreError(f"this is not a line of an anchor: it begins with {ANCHOR} and has four words")
        heads.append(Head(words[1], int(words[2]), words[3]))
    if not heads:
        raise StoreError("the anchor is empty")
    return heads


def _follows(db: Connection, known: Head | None, head: Head) -> bool:
    """Whether a chain still leads over its known head."""
    return known is None or (head.events >= known.events and _is_at(db, known))


def _is_at(db: Connection, head: Head) -> bool:
    row = db.execute(_AT, (head.organization, head.events)).fetchone()
    return row is not None and row[0] == head.hash


def _mac(key: bytes, heads: Mapping[str, Head]) -> str:
    text = json.dumps([FORMAT, len(heads), sorted(heads.values())], separators=(",", ":"))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
