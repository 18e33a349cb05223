"""Words that people read on pages, by language: `of_kind(words_of("de"), "buy")`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from waypost.formats.patterns import pattern
from waypost.validate.displayed.word_lists import visible_words

_MOST_WORDS = 6  # of a phrase
_EDGES: Final = " \t\n.,:;!*•·✓✔✗✘●○|–—-()[]\"'«»„“”→›…"
_SAME = {"no": "nb", "nn": "nb"}
_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)*")


class Words(msgspec.Struct, frozen=True):
    """Words of some languages: kind -> words, of each language; `known` has the words of the kinds asked for so far."""

    languages: tuple[dict[str, str], ...]
    known: dict[str, frozenset[str]]


def of_kind(words: Words, kind: str) -> frozenset[str]:
    """Words of a kind, such as "out_of_stock"."""
    found = words.known.get(kind)
    if found is None:
        found = frozenset(word.casefold() for language in words.languages for word in language[kind].split(", "))
        words.known[kind] = found
    return found


def is_one(words: Words, kind: str, text: str) -> bool:
    """Is a text a phrase of a kind?"""
    return plain(text) in of_kind(words, kind)


def begins(words: Words, kind: str, text: str, most: int = 0) -> str:
    """Phrase of a kind with which a text begins; "" without one. `most`: further characters that may follow."""
    flat, phrases = plain(text), of_kind(words, kind)
    if flat in phrases:
        return flat
    for phrase in _heads(flat):
        if phrase in phrases and len(flat[len(phrase) :]) <= most:
            return phrase
    longest = ""
    if not has_words(flat):
        for phrase in phrases:
            if len(phrase) > len(longest) and flat.startswith(phrase) and len(flat[len(phrase) :]) <= most:
                longest = phrase
    return longest


def ends(words: Words, kind: str, text: str) -> bool:
    """Does a text end with a phrase of a kind, as a label does?"""
    flat, phrases = plain(text), of_kind(words, kind)
    if flat in phrases:
        return True
    parts = flat.split(" ")
    return any(" ".join(parts[-number:]) in phrases for number in range(1, min(len(parts), _MOST_WORDS) + 1))


def plain(text: str) -> str:
    """Text in small letters, without marks around it."""
    return " ".join(text.casefold().split()).strip(_EDGES)


def _heads(flat: str) -> list[str]:
    """Beginnings of a text of whole words, the longest first."""
    ends = [found.end() for found in _WORD.finditer(flat[:120])][:_MOST_WORDS]
    return [flat[:end] for end in reversed(ends)]


def words_of(language: str | None) -> Words:
    """Words of a language and English; of all languages where it is unknown or has none."""
    return _words_of((language or "").partition("-")[0].lower())


@lru_cache(maxsize=64)
def _words_of(language: str) -> Words:
    known = visible_words().languages
    name = _SAME.get(language, language)
    if name not in known:
        return Words(tuple(known.values()), {})
    return Words((known["en"],) if name == "en" else (known[name], known["en"]), {})


def letters_of(text: str) -> frozenset[str]:
    """Words of at least three letters or digits, for the comparison of names."""
    return frozenset(word for word in _WORD.findall(text.casefold()) if len(word) > 2)


def has_words(text: str) -> bool:
    """Are the words of a text separated by spaces?"""
    return text.isascii() or not any("\u3040" <= c <= "\u9fff" or "\u0e00" <= c <= "\u0eff" for c in text)
