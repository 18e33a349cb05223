"""Search of relationships and snippets by words of names and domains.

Ranking every row of a very common word takes a tenth of a second, where a rare word takes microseconds. Therefore the
index returns at most CANDIDATES rows, in the order of the table, and only the candidates are sorted: by quality of the
match, reviewed relationships first. Matches have no score.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from waypost.models.relationship import RelationshipMatch
from waypost.store.engines import Connection, is_sqlite

# Bounds of the work for a query: words of the query, rows that are sorted, and completions of its last word.
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
# Words of so many names and domains that they select nothing, and cost the index its most common entries.
_STOP_WORDS = {
    "a", "an", "and", "co", "com", "de", "der", "die", "for", "http", "https", "inc", "la", "le", "ltd", "net", "of",
    "official", "or", "org", "site", "the", "to", "und", "website", "www",
}  # fmt: skip
_WORDS = "INSERT INTO relationship_word (term) VALUES (?) ON CONFLICT DO NOTHING"


def add_words(db: Connection, text: str) -> None:
    """Add the words of a new relationship to those by which SQLite completes an unfinished word."""
    db.executemany(_WORDS, [(word,) for word in dict.fromkeys(_WORD.findall(_without_accents(text.lower())))])


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


# FTS5 and `tsvector`, SQLite's and PostgreSQL's own; everything after them is common.
_CANDIDATES = "SELECT rowid FROM relationship_text WHERE relationship_text MATCH ? LIMIT ?"
_POSTGRES_CANDIDATES = (
    "SELECT number FROM relationship_text WHERE words @@ ?::tsquery AND standing = ? AND whose IN ('', ?)"
    " ORDER BY number LIMIT ?"
)
_COLUMNS = "r.id, r.entity_name, r.domain, r.type, r.url, r.state, r.review_expires_at"
_ROWS = (
    f"SELECT {_COLUMNS} FROM relationship_entry e JOIN relationship r ON r.id = e.id"  # noqa: S608 - a constant
    # An expression, as in `_OWN`: SQLite would rather read all relationships of the owners than the candidates.
    f" WHERE e.number IN ({_CANDIDATES}) AND r.organization || '' IN ('', ?)"
    " AND (? OR r.state NOT IN ('rejected', 'revoked'))"
)
_POSTGRES_ROWS = _ROWS.replace(_CANDIDATES, _POSTGRES_CANDIDATES)


def search(
    db: Connection,
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
    find = _candidates(db, query_words, organization)
    rows: list[tuple[Any, ...]] = []
    for standing in ("reviewed",) if reviewed_only else ("reviewed", "unreviewed"):
        statement, match = find(standing)
        # The owner stands in the index and in the statement: the index selects fast, the table decides.
        rows += db.execute(statement, (*match, CANDIDATES - len(rows), organization, every_state)).fetchall()
    words = " ".join(query_words)
    found = [_match(row, words, now) for row in rows]
    if reviewed_only:
        found = [match for match in found if match.review_status == "reviewed"]
    found.sort(key=lambda match: _rank(match, words))
    return found[offset : offset + limit]


def _match(row: tuple[Any, ...], words: str, now: int) -> RelationshipMatch:
    """Match from a row of `_ROWS`. The state is `expired` once the review is over, which no job writes."""
    name, entity, domain, kind, url, state, until = row
    return RelationshipMatch(
        id=name,
        name=entity,
        domain=domain,
        type=kind,
        review_status="reviewed" if state == "accepted" and (until or 0) > now else "unreviewed",
        state="expired" if state == "accepted" and (until or 0) <= now else state,
        url=url,
        matched_on="name" if _has_all(entity, words) or not _has_all(domain, words) else "domain",
    )


def _candidates(db: Connection, words: list[str], organization: str) -> Callable[[str], tuple[str, tuple[str, ...]]]:
    """Function from a standing to a statement and the parameters of its full-text search."""
    endings = _endings(db, words[-1])
    if not is_sqlite(db):
        from waypost.store.engines.postgres_text import query

        text = query(words, endings)
        return lambda standing: (_POSTGRES_ROWS, (text, standing, organization))
    likely = " OR ".join(f'"{word}"' for word in dict.fromkeys([words[-1], *endings]))
    found = " AND ".join([*(f'"{word}"' for word in words[:-1]), f"({likely})"])
    owners = _owners(organization)
    return lambda standing: (
        _ROWS,
        (f"({{name domain}} : ({found})) AND standing : {standing} AND whose : ({owners})",),
    )


MOST_NAME = 240
"""Characters of a document's name that are compared and returned."""
_OWN_COLUMNS = f"s.id, s.service_type, substr(s.name, 1, {MOST_NAME}), s.domain"
_OWN = (
    f"SELECT {_OWN_COLUMNS} FROM snippet s WHERE s.organization || '' = ? AND s.number IN"  # noqa: S608 - a constant
    " (SELECT rowid FROM snippet_text WHERE snippet_text MATCH ? ORDER BY rowid DESC LIMIT ?) ORDER BY s.number DESC"
)
_POSTGRES_OWN = (
    f"SELECT {_OWN_COLUMNS} FROM snippet s WHERE s.organization = ? AND s.number IN"  # noqa: S608 - a constant
    " (SELECT number FROM snippet_text WHERE words @@ ?::tsquery AND whose = ? ORDER BY number DESC LIMIT ?)"
    " ORDER BY s.number DESC"
)


def search_snippets(db: Connection, text: str, organization: str, *, limit: int = 20) -> list[SnippetMatch]:
    """Documents of an organization with every word of `text`; matches in the name first, then the newest."""
    query_words = words_of(text)
    if not query_words:
        return []
    words = " ".join(query_words)
    rows: list[tuple[Any, ...]] = []
    for is_prefix in (False, True):  # by a prefix only if whole words find too few
        if len(rows) < limit:
            statement, match = _own_match(db, query_words, organization, is_prefix=is_prefix)
            rows = db.execute(statement, (organization, *match, CANDIDATES)).fetchall()
    found = [SnippetMatch(made, kind, name, domain, _matched(name, domain, words)) for made, kind, name, domain in rows]
    found.sort(key=lambda match: match.matched_on != "name")
    return found[:limit]


def _own_match(db: Connection, words: list[str], organization: str, *, is_prefix: bool) -> tuple[str, tuple[str, ...]]:
    """Statement for an organization's documents and the parameters of its full-text search."""
    if not is_sqlite(db):
        from waypost.store.engines.postgres_text import query

        return _POSTGRES_OWN, (query(words, is_prefix=is_prefix), organization)
    text = _quoted(words) + ("*" if is_prefix else "")
    return _OWN, (f"({{name description domain}} : ({text})) AND whose : {_word_of(organization)}",)


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


def _endings(db: Connection, last: str) -> list[str]:
    """First ENDINGS words of the index that begin with an unfinished word.

    A prefix query costs as much as a query of every word with the prefix: fifty times as long where 100,000
    rows have such a word.
    """
    # The index has its words without accents.
    begins = _without_accents(last)
    return [str(row[0]) for row in db.execute(_ENDINGS, (begins, begins + chr(0x10FFFF), ENDINGS))]


def _quoted(words: list[str]) -> str:
    # In quotes a word like NOT is not an operator of the index.
    return " ".join(f'"{word}"' for word in words)


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
