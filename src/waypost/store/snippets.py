"""Stored documents of organizations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from waypost.formats.ids import new_id
from waypost.store import clock
from waypost.store.cursors import Page, Position, page
from waypost.store.engines import Connection, is_sqlite
from waypost.store.errors import Conflict, Unknown
from waypost.store.rows import NEWEST, Rows

MAX_STORED = 100_000
"""Documents of an organization."""
MOST_INDEXED = 4000
"""Characters of a name and of a description whose words a search finds."""
MOST_PAGE_CHARACTERS = 256 << 10
"""Characters of documents and cards after which a page of a list ends."""


class StoredSnippet(msgspec.Struct, frozen=True, kw_only=True):
    """Stored document. `unified` and `snippet` are JSON of the service."""

    id: str
    organization: str
    service_type: str
    domain: str
    name: str
    created_at: int
    created_by: str
    unified: Mapping[str, Any]
    snippet: Mapping[str, Any]


_LAST = "SELECT coalesce(max(sequence), 0) FROM snippet WHERE organization = ?"
_PUT = (
    "INSERT INTO snippet (id, organization, sequence, service_type, domain, name, created_at, created_by, unified,"
    " snippet) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number"
)
# FTS5, SQLite's own.
_INDEX = "INSERT INTO snippet_text (rowid, name, description, domain, whose) VALUES (?, ?, ?, ?, ?)"


def put(
    db: Connection,
    organization: str,
    service_type: str,
    unified: Mapping[str, Any],
    snippet: Mapping[str, Any],
    actor: str,
    now: int,
    domain: str = "",
) -> StoredSnippet:
    """Store a document of a host. Raises Conflict if the organization has MAX_STORED, and ClockBehind."""
    clock.check(db, now)
    last = db.execute(_LAST, (organization,)).fetchone()[0]
    if last >= MAX_STORED:
        raise Conflict(f"an organization stores at most {MAX_STORED:,} documents")
    name = str(unified.get("name", ""))
    words, description = name[:MOST_INDEXED], str(unified.get("description", ""))[:MOST_INDEXED]
    made = new_id()
    texts = (msgspec.json.encode(unified).decode(), msgspec.json.encode(snippet).decode())
    row = (made, organization, last + 1, service_type, domain, name, now, actor, *texts)
    number = db.execute(_PUT, row).fetchone()[0]
    if is_sqlite(db):
        # The owner is a word of the index, so that the index itself returns the documents of one organization alone.
        db.execute(_INDEX, (number, words, description, domain, f"w{organization.replace('-', '')}"))
    else:
        from waypost.store.engines.postgres_text import add_snippet

        add_snippet(db, number, f"{words} {description} {domain}", organization)
    return find(db, organization, made)


_SNIPPETS = Rows(StoredSnippet, unified=msgspec.json.decode, snippet=msgspec.json.decode)
_FIND = f"SELECT {_SNIPPETS.columns} FROM snippet WHERE organization = ? AND id = ?"  # noqa: S608 - a constant
_PAGE = (
    f"SELECT {_SNIPPETS.columns}, sequence FROM snippet WHERE organization = ? AND service_type = ? AND sequence < ?"  # noqa: S608 - a constant
    " AND (? = '' OR domain = ?) AND created_at >= ? ORDER BY sequence DESC LIMIT ?"
)


def find(db: Connection, organization: str, name: str) -> StoredSnippet:
    """Document of an organization by id. Raises Unknown."""
    if (found := _SNIPPETS.first(db, _FIND, (organization, name))) is None:
        raise Unknown("snippet")
    return found


def find_page(
    db: Connection,
    organization: str,
    service_type: str,
    *,
    domain: str = "",
    since: int = 0,
    limit: int = 100,
    after: Position | None = None,
) -> Page[StoredSnippet]:
    """Page of an organization's documents of a type, newest first; of a domain, not older than `since`.

    A page ends after `MOST_PAGE_CHARACTERS` of documents and cards, and has one document at least.
    """
    start = after[0] if after else NEWEST
    params = (organization, service_type, start, domain, domain, since, limit + 1)
    found: list[tuple[Position, StoredSnippet]] = []
    length = 0
    # Row by row: the rest of a page that is too long is never read.
    for *row, unified, snippet, sequence in db.execute(_PAGE, params):
        found.append(((sequence,), _SNIPPETS.read((*row, unified, snippet))))
        if length > MOST_PAGE_CHARACTERS:
            return page(found, len(found) - 1)
        length += len(unified) + len(snippet)
    return page(found, limit)
