"""Find relationships by the words of a name or of a domain.

Ranking every hit of a word that nearly every row holds takes a tenth of a second where a rare word takes
microseconds. So the index hands out a bounded number of candidates in the order of the table, and only these
are put in order: by how they match, reviewed ones first. There is no score.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from typing import Any, Literal, NamedTuple

from waypost.models.relationship import RelationshipMatch

MOST_WORDS = 8
CANDIDATES = 500
ENDINGS = 32


class SnippetMatch(NamedTuple):
    """A stored document that a search found."""

    id: str
    service_type: str
    name: str
    domain: str
    matched_on: Literal["name", "domain", "description"]


_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = {
    "a", "an", "and", "co", "com", "de", "der", "die", "for", "http", "https", "inc", "la", "le", "ltd", "net", "of",
    "official", "or", "org", "site", "the", "to", "und", "website", "www",
}  # fmt: skip
# FTS5, SQLite's own; everything after the first line is common.
_CANDIDATES = "SELECT rowid FROM relationship_text WHERE relationship_text MATCH ? LIMIT ?"
_COLUMNS = "r.id, r.entity_name, r.domain, r.type, r.url, r.state, r.review_expires_at"
_ROWS = (
    f"SELECT {_COLUMNS} FROM relationship_entry e JOIN relationship r ON r.id = e.id"  # noqa: S608 - a constant
    f" WHERE e.number IN ({_CANDIDATES}) AND r.organization IN ('', ?)"
    " AND (? OR r.state NOT IN ('rejected', 'revoked'))"
)


def search(
    db: sqlite3.Connection,
    text: str,
    now: int,
    *,
    organization: str = "",
    limit: int = 20,
    offset: int = 0,
    every_state: bool = False,
    reviewed_only: bool = False,
) -> list[RelationshipMatch]:
    """What bears all words of `text`, the last of which may be unfinished; the best first.

    `review_status` is `unreviewed` for everything but an accepted relationship whose review still holds. What was
    turned down or taken back is found with `every_state`. Candidates are those that a review stands behind before
    all others, so that nobody drowns them in claims.
    """
    asked = words_of(text)
    if not asked:
        return []
    query = _finished(db, asked)
    rows: list[tuple[Any, ...]] = []
    for standing in ("reviewed",) if reviewed_only else ("reviewed", "unreviewed"):
        match = f"({{name domain}} : ({query})) AND standing : {standing} AND whose : ({_whose(organization)})"
        rows += db.execute(_ROWS, (match, CANDIDATES - len(rows), organization, every_state)).fetchall()
    words = " ".join(asked)
    found = [
        RelationshipMatch(
            id=name,
            name=entity,
            domain=domain,
            type=kind,
            review_status="reviewed" if state == "accepted" and (until or 0) > now else "unreviewed",
            state="expired" if state == "accepted" and (until or 0) <= now else state,
            url=url,
            matched_on="name" if _holds(entity, words) or not _holds(domain, words) else "domain",
        )
        for name, entity, domain, kind, url, state, until in rows
    ]
    if reviewed_only:
        found = [each for each in found if each.review_status == "reviewed"]
    found.sort(key=lambda each: _rank(each, words))
    return found[offset : offset + limit]


_OWN = (
    "SELECT s.id, s.service_type, s.name, s.domain FROM snippet s WHERE s.organization = ? AND s.number IN"
    " (SELECT rowid FROM snippet_text WHERE snippet_text MATCH ? ORDER BY rowid DESC LIMIT ?) ORDER BY s.number DESC"
)


def search_snippets(
    db: sqlite3.Connection, text: str, organization: str, *, limit: int = 20, offset: int = 0
) -> list[SnippetMatch]:
    """An organization's own documents that bear all words of `text`; those named so first, then the newest."""
    query = match_of(text)
    if not query:
        return []
    words = " ".join(words_of(text))
    rows: list[tuple[Any, ...]] = []
    for each in (
        query.removesuffix("*"),
        query,
    ):  # what a whole word finds enough of is not looked for by its beginning
        if len(rows) < offset + limit:
            match = f"({{name description domain}} : ({each})) AND whose : {_word_of(organization)}"
            rows = db.execute(_OWN, (organization, match, CANDIDATES)).fetchall()
    found = [SnippetMatch(made, kind, name, domain, _matched(name, domain, words)) for made, kind, name, domain in rows]
    found.sort(key=lambda each: each.matched_on != "name")
    return found[offset : offset + limit]


def _matched(name: str, domain: str, words: str) -> Literal["name", "domain", "description"]:
    return "name" if _holds(name, words) else "domain" if _holds(domain, words) else "description"


def _whose(organization: str) -> str:
    return f'"w" OR {_word_of(organization)}' if organization else '"w"'


def _word_of(organization: str) -> str:
    return '"w' + re.sub(r"\W", "", organization) + '"'


def words_of(text: str) -> list[str]:
    """The words that count, in order: those that nearly everything holds only where there is nothing else."""
    words = _WORD.findall(text.casefold()[:200])[:MOST_WORDS]
    return [each for each in words if each not in _STOP_WORDS] or words


_ENDINGS = "SELECT term FROM relationship_word WHERE term >= ? AND term < ? ORDER BY term LIMIT ?"


def _finished(db: sqlite3.Connection, words: list[str]) -> str:
    """A query for whole words, the last of which stands for itself and for the first words that begin with it.

    To ask the index for a beginning costs as much as all words that have it: fifty times as long where each of a
    hundred thousand rows has one.
    """
    *whole, last = words
    letters = unicodedata.normalize("NFD", last)
    begins = "".join(each for each in letters if not unicodedata.combining(each))
    ends = [str(row[0]) for row in db.execute(_ENDINGS, (begins, begins + chr(0x10FFFF), ENDINGS))]
    likely = " OR ".join(f'"{each}"' for each in dict.fromkeys([last, *ends]))
    return " AND ".join([*(f'"{each}"' for each in whole), f"({likely})"])


def match_of(text: str) -> str:
    """A query for the index: whole words, each in quotes so that none is an operator; the last is a beginning."""
    words = [f'"{each}"' for each in words_of(text)]
    return " ".join(words) + "*" if words else ""


def _holds(text: str, asked: str) -> bool:
    return all(word in text.casefold() for word in asked.split())


def _rank(found: RelationshipMatch, asked: str) -> tuple[bool, bool, bool, int, str, str]:
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
