"""Find relationships by the words of a name or of a domain.

Ranking every hit of a word that nearly every row holds takes a tenth of a second where a rare word takes
microseconds. So the index hands out a bounded number of candidates in the order of the table, and only these
are put in order: by how they match, reviewed ones first. There is no score.
"""

from __future__ import annotations

import re
import sqlite3

from waypost.shapes.relationship import Found

MOST_WORDS = 8
CANDIDATES = 500
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = {
    "a", "an", "and", "co", "com", "de", "der", "die", "for", "http", "https", "inc", "la", "le", "ltd", "net", "of",
    "official", "or", "org", "site", "the", "to", "und", "website", "www",
}  # fmt: skip
# FTS5, SQLite's own; everything after the first line is common.
_CANDIDATES = "SELECT id FROM relationship_text WHERE relationship_text MATCH ? LIMIT ?"
_ROWS = (
    "SELECT r.id, r.entity_name, r.domain, r.type, r.url, r.state, r.review_expires_at"  # noqa: S608 - a constant
    f" FROM relationship r WHERE r.id IN ({_CANDIDATES}) AND r.organization IN ('', ?)"
    " AND r.state NOT IN ('rejected', 'revoked')"
)


def search(db: sqlite3.Connection, text: str, now: int, *, organization: str = "", limit: int = 20) -> list[Found]:
    """What bears all words of `text`, the last of which may be unfinished; the best first.

    `review_status` is `unreviewed` for everything but an accepted relationship whose review still holds.
    """
    query = match_of(text)
    if not query:
        return []
    rows = db.execute(_ROWS, (query, CANDIDATES, organization)).fetchall()
    asked = " ".join(words_of(text))
    found = [
        Found(
            id=name,
            name=entity,
            domain=domain,
            type=kind,
            review_status="reviewed" if state == "accepted" and (until or 0) > now else "unreviewed",
            state="expired" if state == "accepted" and (until or 0) <= now else state,
            url=url,
            matched_on="name" if _holds(entity, asked) or not _holds(domain, asked) else "domain",
        )
        for name, entity, domain, kind, url, state, until in rows
    ]
    found.sort(key=lambda each: _rank(each, asked))
    return found[:limit]


def words_of(text: str) -> list[str]:
    """The words that count, in order: those that nearly everything holds only where there is nothing else."""
    words = _WORD.findall(text.casefold()[:200])[:MOST_WORDS]
    return [each for each in words if each not in _STOP_WORDS] or words


def match_of(text: str) -> str:
    """A query for the index: whole words, each in quotes so that none is an operator; the last is a beginning."""
    words = [f'"{each}"' for each in words_of(text)]
    return " ".join(words) + "*" if words else ""


def _holds(text: str, asked: str) -> bool:
    return all(word in text.casefold() for word in asked.split())


def _rank(found: Found, asked: str) -> tuple[bool, bool, bool, int, str, str]:
    name = " ".join(_WORD.findall(found.name.casefold()))
    domain = " ".join(_WORD.findall(found.domain))
    return (
        asked not in {name, domain},
        not (name.startswith(asked) or domain.startswith(asked)),
        found.review_status != "reviewed",
        len(name),
        found.domain,
        found.id,
    )
