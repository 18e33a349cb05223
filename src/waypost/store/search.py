"""Search of relationships and snippets by words of names and domains.

Ranking every row of a very common word takes a tenth of a second, where a rare word takes microseconds. Therefore the
index returns at most CANDIDATES rows, in the order of the table, and only the candidates are sorted: by quality of the
match, reviewed relationships first. Matches have no score.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from typing import Any, Literal, NamedTuple

from waypost.models.relationship import RelationshipMatch

MAX_WORDS = 8
CANDIDATES = 500
ENDINGS = 32


class SnippetMatch(NamedTuple):
    """Stored document found by a search."""

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
    """Relationships with every word of `text`, best first. The last word may be a prefix.

    `review_status` is `reviewed` only for an accepted relationship with a valid review. Rejected and revoked
    relationships are found with `every_state`. Reviewed candidates are read first: a flood of claims cannot displace
    reviewed relationships.
    """
    query_words = words_of(text)
    if not query_words:
        return []
    query = _finished(db, query_words)
    rows: list[tuple[Any, ...]] = []
    for standing in ("reviewed",) if reviewed_only else ("reviewed", "unreviewed"):
        match = f"({{name domain}} : ({query})) AND standing : {standing} AND whose : ({_owners(organization)})"
        rows += db.execute(_ROWS, (match, CANDIDATES - len(rows), organization, every_state)).fetchall()
    words = " ".join(query_words)
    found = [
        RelationshipMatch(
            id=name,
            name=entity,
            domain=domain,
            type=kind,
            review_status="reviewed" if state == "accepted" and (until or 0) > now else "unreviewed",
            state="expired" if state == "accepted" and (until or 0) <= now else state,
            url=url,
            matched_on="name" if _has_all(entity, words) or not _has_all(domain, words) else "domain",
        )
        for name, entity, domain, kind, url, state, until in rows
    ]
    if reviewed_only:
        found = [match for match in found if match.review_status == "reviewed"]
    found.sort(key=lambda match: _rank(match, words))
    return found[offset : offset + limit]


_OWN = (
    "SELECT s.id, s.service_type, s.name, s.domain FROM snippet s WHERE s.organization = ? AND s.number IN"
    " (SELECT rowid FROM snippet_text WHERE snippet_text MATCH ? ORDER BY rowid DESC LIMIT ?) ORDER BY s.number DESC"
)


def search_snippets(
    db: sqlite3.Connection, text: str, organization: str, *, limit: int = 20, offset: int = 0
) -> list[SnippetMatch]:
    """Documents of an organization with every word of `text`; matches in the name first, then the newest."""
    query = match_of(text)
    if not query:
        return []
    words = " ".join(words_of(text))
    rows: list[tuple[Any, ...]] = []
    for words_query in (query.removesuffix("*"), query):  # by a prefix only if whole words find too few
        if len(rows) < offset + limit:
            match = f"({{name description domain}} : ({words_query})) AND whose : {_word_of(organization)}"
            rows = db.execute(_OWN, (organization, match, CANDIDATES)).fetchall()
    found = [SnippetMatch(made, kind, name, domain, _matched(name, domain, words)) for made, kind, name, domain in rows]
    found.sort(key=lambda match: match.matched_on != "name")
    return found[offset : offset + limit]


def _matched(name: str, domain: str, words: str) -> Literal["name", "domain", "description"]:
    return "name" if _has_all(name, words) else "domain" if _has_all(domain, words) else "description"


def _owners(organization: str) -> str:
    return f'"w" OR {_word_of(organization)}' if organization else '"w"'


def _word_of(organization: str) -> str:
    return '"w' + re.sub(r"\W", "", organization) + '"'


def words_of(text: str) -> list[str]:
    """Words of a query, in order, at most MAX_WORDS. Stop words are dropped unless the query has only stop words."""
    words = _WORD.findall(text.casefold()[:200])[:MAX_WORDS]
    return [word for word in words if word not in _STOP_WORDS] or words


_ENDINGS = "SELECT term FROM relationship_word WHERE term >= ? AND term < ? ORDER BY term LIMIT ?"


def _finished(db: sqlite3.Connection, words: list[str]) -> str:
    """Query of whole words; the last word is expanded to the first ENDINGS words of the index with the same prefix.

    A prefix query costs as much as a query of every word with the prefix: fifty times as long where 100,000
    rows have such a word.
    """
    *whole, last = words
    letters = unicodedata.normalize("NFD", last)
    begins = "".join(letter for letter in letters if not unicodedata.combining(letter))
    ends = [str(row[0]) for row in db.execute(_ENDINGS, (begins, begins + chr(0x10FFFF), ENDINGS))]
    likely = " OR ".join(f'"{word}"' for word in dict.fromkeys([last, *ends]))
    return " AND ".join([*(f'"{word}"' for word in whole), f"({likely})"])


def match_of(text: str) -> str:
    """Query of the index: words in quotes, which keeps a word like NOT from being an operator; the last is a prefix."""
    words = [f'"{word}"' for word in words_of(text)]
    return " ".join(words) + "*" if words else ""


def _has_all(text: str, query_words: str) -> bool:
    return all(word in text.casefold() for word in query_words.split())


def _rank(found: RelationshipMatch, query_words: str) -> tuple[bool, bool, bool, int, str, str]:
    name = " ".join(_WORD.findall(found.name.casefold()))
    domain = " ".join(_WORD.findall(found.domain))
    return (
        query_words not in {name, domain},
        not (name.startswith(query_words) or domain.startswith(query_words)),
        found.review_status != "reviewed",
        len(name),
        found.domain,
        found.id,
    )
