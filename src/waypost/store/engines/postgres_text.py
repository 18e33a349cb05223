"""Full-text search on PostgreSQL, by lexemes that waypost makes: no extension, dictionary or locale of the server.

A lexeme is a run of letters and digits without case and accents, as SQLite's tokenizer makes them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from waypost.store.engines import Connection

MAX_LEXEME = 255
"""Characters of a lexeme; PostgreSQL takes 2046 bytes."""
MAX_LEXEMES = 5_000
"""Lexemes of a row; a `tsvector` is at most a megabyte."""
_WORD = re.compile(r"[^\W_]+")


def lexemes(text: str) -> list[str]:
    """Different lexemes of a text, in order."""
    letters = unicodedata.normalize("NFD", text.casefold())
    folded = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return [word[:MAX_LEXEME] for word in dict.fromkeys(_WORD.findall(folded))][:MAX_LEXEMES]


_ENTRY = "INSERT INTO relationship_entry (id) VALUES (?) RETURNING number"
_TEXT = "INSERT INTO relationship_text (number, words, whose, standing) VALUES (?, array_to_tsvector(?::text[]), ?, ?)"
_WORDS = "INSERT INTO relationship_word (term) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING"


def add_relationship(db: Connection, name: str, text: str, owner: str, standing: str) -> None:
    """Index a new relationship by its id; SQLite has a trigger for this."""
    number = db.execute(_ENTRY, (name,)).fetchone()[0]
    words = lexemes(text)
    db.execute(_TEXT, (number, words, owner, standing))
    db.execute(_WORDS, (words,))


_SNIPPET = "INSERT INTO snippet_text (number, words, whose) VALUES (?, array_to_tsvector(?::text[]), ?)"


def add_snippet(db: Connection, number: int, text: str, owner: str) -> None:
    """Index a new document by its number."""
    db.execute(_SNIPPET, (number, lexemes(text), owner))


def query(words: Sequence[str], endings: Sequence[str] = (), *, is_prefix: bool = False) -> str:
    """Text of a `tsquery`: every word; the last word or one of the endings, or with any ending for `is_prefix`."""
    *whole, last = [" & ".join(f"'{lexeme}'" for lexeme in lexemes(word)) for word in words]
    others = [" & ".join(f"'{lexeme}'" for lexeme in lexemes(word)) for word in endings]
    if is_prefix:
        last += ":*" if last else ""
    likely = " | ".join(f"({text})" for text in dict.fromkeys([last, *others]) if text)
    return " & ".join([*(f"({text})" for text in whole if text), *([f"({likely})"] if likely else [])])
