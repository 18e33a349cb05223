"""Words that people read on pages, by language: `words_of("de")`. Data: `data/visible/words.json`."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import msgspec

from waypost.formats.patterns import pattern

_DATA = Path(__file__).resolve().parents[2] / "data" / "visible" / "words.json"
_MOST_WORDS = 6  # of a phrase
_EDGES: Final = " \t\n.,:;!*•·✓✔✗✘●○|–—-()[]\"'«»„“”→›…"
_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)*")


class VisibleWords(msgspec.Struct, frozen=True):
    """The file: sign of a currency -> its codes, and language -> kind of words -> words."""

    signs: dict[str, str]
    languages: dict[str, dict[str, str]]


@cache
def visible_words() -> VisibleWords:
    return msgspec.json.decode(_DATA.read_bytes(), type=VisibleWords)


class Words:
    """Words of some languages, by kind."""

    def __init__(self, languages: tuple[dict[str, str], ...]) -> None:
        self._sets: dict[str, frozenset[str]] = {}
        self._languages = languages

    def of(self, kind: str) -> frozenset[str]:
        """Words of a kind, such as "out_of_stock"."""
        found = self._sets.get(kind)
        if found is None:
            found = self._sets[kind] = frozenset(
                word.casefold() for language in self._languages for word in language[kind].split(", ")
            )
        return found

    def is_one(self, kind: str, text: str) -> bool:
        """Is a text a phrase of a kind?"""
        return plain(text) in self.of(kind)

    def begins(self, kind: str, text: str, most: int = 0) -> str:
        """Phrase of a kind with which a text begins; "" without one. `most`: further characters that may follow."""
        flat = plain(text)
        if flat in self.of(kind):
            return flat
        for phrase in _heads(flat):
            if phrase in self.of(kind) and len(flat) - len(phrase) <= most:
                return phrase
        if not has_words(flat):
            found = [each for each in self.of(kind) if flat.startswith(each) and len(flat) - len(each) <= most]
            return max(found, key=len, default="")
        return ""

    def ends(self, kind: str, text: str) -> bool:
        """Does a text end with a phrase of a kind, as a label does?"""
        flat = plain(text)
        if flat in self.of(kind):
            return True
        words = flat.split(" ")
        return any(" ".join(words[-number:]) in self.of(kind) for number in range(1, min(len(words), _MOST_WORDS) + 1))


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
    language = {"no": "nb", "nn": "nb"}.get(language, language)
    if language not in known:
        return Words(tuple(known.values()))
    return Words((known[language], known["en"]) if language != "en" else (known["en"],))


def letters_of(text: str) -> frozenset[str]:
    """Words of at least three letters or digits, for the comparison of names."""
    return frozenset(word for word in _WORD.findall(text.casefold()) if len(word) > 2)


def has_words(text: str) -> bool:
    """Are the words of a text separated by spaces?"""
    return text.isascii() or not any("\u3040" <= c <= "\u9fff" or "\u0e00" <= c <= "\u0eff" for c in text)
