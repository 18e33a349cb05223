"""The listed brands' names, made ready for being found in a host: exactly, nearly, or in disguise."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import ahocorasick
from rapidfuzz.distance import OSA

from waypost.registry.world import Brand, World

SHORTEST_STRONG = 5
"""Letters a token needs to mean its brand by itself; shorter ones count as common words."""
LONG = 7
"""Letters from which a token hardly ever stands inside another word."""
SHORTEST_TYPO = 5
TWO_SLIPS = 8
"""Letters from which a token is still known with two slips in it, if its first or last three are whole."""
LONGEST_TYPO = 24

# What people read for one another in a host: 1 and l and i, 0 and o, rn and m, vv and w.
_ALIKE = str.maketrans("1i0345|!", "llo" + "eas" + "ll")
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_IN_SMALL_TYPE = {
    "\u0432": "b",
    "\u043a": "k",
    "\u043c": "m",
    "\u043d": "h",
    "\u0442": "t",
    "\u03ba": "k",
    "\u03c4": "t",
}
"""Cyrillic and Greek letters that UTS #39 likens to the Latin capital, and that stand for the small one as well."""


class Token(NamedTuple):
    """A word that stands for a brand; `common`: only beside an action word."""

    text: str
    brand: Brand
    common: bool


class Near(NamedTuple):
    """A token that a word nearly is, and how many slips lie between them."""

    token: Token
    slips: int


_STEMS = (
    *("bank", "banco", "banca", "banque", "post", "poste", "mail", "mobile", "online", "trade", "card", "cloud", "net"),
    *("tele", "telecom", "market", "energy", "express", "water", "power", "insurance", "capital", "invest", "internet"),
    *("trust", "union", "national", "royal", "first", "euro", "inter", "hotel", "auto", "health", "media", "food"),
)


def plain(text: str, looks_like: dict[int, str]) -> str:
    """A host's text in plain letters: each character that imitates one becomes it (UTS #39); others stay."""
    return text if text.isascii() else text.translate(looks_like)


def folded(text: str) -> str:
    """Letters and digits that are read for one another made the same, in a token and in a host alike."""
    text = text.translate(_ALIKE)
    for pair, one in _PAIRS:
        if pair in text:
            text = text.replace(pair, one)
    return text


def _shortened(word: str) -> Iterator[str]:
    """The word, and the word with one letter left out: two words one slip apart share one of these."""
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


class Names:
    """An index over every token of every brand. Made once for a world, never changed.

    exact      automaton over all tokens as they are written
    disguised  automaton over the tokens that are strong, with letters that look alike made the same
    veiled     every token but the shortest ones in that form: what a word in foreign letters may be as a whole
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.tokens: dict[str, Token] = {}
        for brand in world.brands.values():
            for text in brand.tokens:
                self._add(text, brand, common=len(text) < SHORTEST_STRONG)
            for text in brand.short_or_common_tokens:
                self._add(text, brand, common=True)
        ordinary = world.document("words/ordinary.json") if "words/ordinary.json" in world.files else {}
        self.everyday: frozenset[str] = frozenset(ordinary.get("same", ()))
        self._harmless = frozenset(ordinary.get("near", ()))
        holding: list[str] = ordinary.get("holding", [])
        words = world.document("words/action.json")
        self.words: dict[str, tuple[int, int, int]] = dict.fromkeys(words["words"], (0, 0, -1))
        self.words |= dict.fromkeys(words["business"], (0, -1, 0)) | dict.fromkeys(words["urgent"], (-1, 0, 0))
        self.looks_like = {ord(one): latin for one, latin in _IN_SMALL_TYPE.items()} | {
            ord(one): prototype
            for prototype, those in world.document("confusables.json")["looks_like"].items()
            for one in those
            if not one.isascii()
        }
        strong = [token for token in self.tokens.values() if not token.common]
        self.exact = _automaton(self.tokens)
        self.disguised = _automaton({folded(token.text): token for token in strong})
        self.veiled = {folded(text): token for text, token in self.tokens.items() if len(text) >= SHORTEST_STRONG}
        every = "\n".join(holding)
        self.ordinary: dict[str, tuple[str, ...]] = {
            token.text: tuple(word for word in holding if token.text in word) for token in strong if token.text in every
        }
        self._one: dict[str, list[Token]] = {}
        self._ends: dict[str, list[Token]] = {}
        for token in strong:
            if self._telling(token.text):
                for key in _shortened(token.text):
                    self._one.setdefault(key, []).append(token)
                if len(token.text) >= TWO_SLIPS:
                    self._ends.setdefault(f"{token.text[:3]}-", []).append(token)
                    self._ends.setdefault(f"-{token.text[-3:]}", []).append(token)
        self.customers: frozenset[str] = frozenset(world.document("suffixes/business-services.json")["domains"])
        self.crowded: frozenset[str] = frozenset(world.document("words/crowded-suffixes.json")["suffixes"])

    def _add(self, text: str, brand: Brand, *, common: bool) -> None:
        self.tokens.setdefault(text, Token(text, brand, common))

    def _telling(self, text: str) -> bool:
        """Enough of a token is its own, beside what many companies are called, for a slip in it to be one."""
        if not (text.startswith(_STEMS) or text.endswith(_STEMS)):
            return True
        for stem in _STEMS:
            if text.startswith(stem) or text.endswith(stem):
                return len(text) - len(stem) >= SHORTEST_TYPO
        return True

    def covered(self, token: str, text: str, start: int, end: int) -> bool:
        """Whether what stands there is part of an ordinary word that holds the token."""
        for word in self.ordinary.get(token, ()):
            at = text.find(word)
            if at >= 0 and at <= start and end <= at + len(word):
                return True
        return False

    def owned(self, registrable: str, host: str) -> bool:
        """Below what a listed brand or a further site is said to own, names are nobody's disguise."""
        world = self.world
        place = host
        while len(place) >= len(registrable):
            if place in world.official or place in world.further or place in world.site_domains:
                return True
            place = place.partition(".")[2]
        return False

    def near(self, word: str) -> Near | None:
        """The token that this word is with one slip in it, or two in a long one; None for the token itself."""
        length = len(word)
        if not SHORTEST_TYPO - 1 <= length <= LONGEST_TYPO:
            return None
        if word in self.tokens or word in self.words or word in self._harmless:
            return None
        one = self._one
        candidates = [token for key in _shortened(word) if key in one for token in one[key]]
        if not candidates and length >= TWO_SLIPS - 2:
            candidates = [*self._ends.get(f"{word[:3]}-", ()), *self._ends.get(f"-{word[-3:]}", ())]
        best: Near | None = None
        for token in candidates:
            most = 1 if best or len(token.text) < TWO_SLIPS else 2
            apart = OSA.distance(word, token.text, score_cutoff=most)
            if apart <= most and (best is None or (apart, -len(token.text)) < (best.slips, -len(best.token.text))):
                best = Near(token, apart)
        return best


def _automaton(tokens: dict[str, Token]) -> ahocorasick.Automaton:
    made = ahocorasick.Automaton()
    for text, token in tokens.items():
        made.add_word(text, token)
    made.make_automaton()
    return made


@cache
def names_of(world: World) -> Names:
    """The index of a world, made once."""
    return Names(world)
