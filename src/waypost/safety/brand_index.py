"""Index of the listed brands' tokens, to find a token in a host: exact, with typos, or in disguise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

import ahocorasick

from waypost.registry.world import Brand, World
from waypost.safety.typos import typos

SHORTEST_STRONG = 5
"""Letters from which a token stands for its brand by itself; shorter tokens count as common words."""
LONG = 7
"""Letters from which a token is hardly ever part of another word."""
SHORTEST_TYPO = 5
SHORTEST_DISGUISED = 3
SHORTEST_PAIRS = 4
"""Letters from which a label with a pair of letters for one, `rn` for `m`, imitates a token."""
SURE = 6
"""Letters from which a label with one plain letter for another that looks like it imitates a token."""
SHORTEST_TWO_TYPOS = 8
"""Letters from which a token is found with two typos, if its first or last three letters are intact."""
LONGEST_TYPO = 24
_EDGE = 4
"""Letters of a beginning or an end that few tokens share."""
_BEGIN, _END = slice(_EDGE), slice(-_EDGE, None)

# Characters that readers confuse in a host: 1 and l and i, 0 and o, rn and m, vv and w.
_ALIKE = str.maketrans("1i0345|!", "llo" + "eas" + "ll")
_LIKE_LETTERS = frozenset("01")
"""Digits that readers take for letters even in a label of three, `dh1`; a 5 for an s stands out there."""
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
"""Cyrillic and Greek letters that UTS #39 maps to the Latin capital; in lower case they look like the small letter."""


class BrandToken(NamedTuple):
    """Word for a brand. A `common` word counts only next to an action word; a `rare` one is in no other word.

    sectors  kinds of sector that the brand's first category belongs to, of `data/words/sectors.json`
    """

    text: str
    brand: Brand
    common: bool
    rare: bool = False
    sectors: frozenset[str] = frozenset()


class NearMatch(NamedTuple):
    """Token similar to a word, with the number of typos between token and word."""

    token: BrandToken
    typos: int


_STEMS = (
    *("bank", "banco", "banca", "banque", "post", "poste", "mail", "mobile", "online", "trade", "card", "cloud", "net"),
    *("tele", "telecom", "market", "energy", "express", "water", "power", "insurance", "capital", "invest", "internet"),
    *("trust", "union", "national", "royal", "first", "euro", "inter", "hotel", "auto", "health", "media", "food"),
)


_ANYWHERE = (
    *("financial", "finance", "indonesia", "brasil", "brazil", "canada", "america", "australia", "india", "africa"),
    *("ticket", "tickets", "credit", "services", "group", "company", "broker", "insurance", "airlines", "airways"),
)
"""Further stems of names that companies of one country or one trade share."""


def _without_stems(text: str) -> str:
    """Name without the stem of many company names at its beginning, and at its end."""
    stems = (*_STEMS, *_ANYWHERE)
    first = max((stem for stem in stems if text.startswith(stem)), key=len, default="")
    rest = text[len(first) :]
    last = max((stem for stem in stems if rest.endswith(stem)), key=len, default="")
    return rest[: len(rest) - len(last)]


def plain(text: str, prototypes: dict[int, str]) -> str:
    """Text of a host in plain letters: a character that imitates a plain letter is replaced by the letter (UTS #39)."""
    return text if text.isascii() else text.translate(prototypes)


def folded(text: str) -> str:
    """Text with easily confused characters made the same; for tokens and hosts alike."""
    text = text.translate(_ALIKE)
    for pair, letter in _PAIRS:
        if pair in text:
            text = text.replace(pair, letter)
    return text


def _shortened(word: str) -> Iterator[str]:
    """The word, then the word with one letter left out, letter by letter.

    Two words with a typo between them have an item in common.
    """
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


class _Shortened(NamedTuple):
    """Tokens by what is left, of one length, without one letter or none; with the beginnings and ends of that."""

    tokens: dict[str, list[BrandToken]]
    begins: frozenset[str]
    ends: frozenset[str]


class BrandIndex:
    """Index over the tokens of the brands of a world; built once per world, and in part at the first use.

    exact      automaton over every token, unchanged
    disguised  automaton over strong tokens, folded
    whole      folded tokens of any length, for whole labels with a digit or pair in place of a letter, and for whole
               words in foreign letters
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._read_words()
        self._read_tokens()
        self._strong = [token for token in self.tokens.values() if not token.common]
        self.exact = _automaton(self.tokens)
        self.whole = {folded(text): token for text, token in self.tokens.items()}
        self._words_around: dict[str, tuple[str, ...]] = {}
        self._by_deletion: dict[int, _Shortened] = {}

    @cached_property
    def disguised(self) -> ahocorasick.Automaton:
        return _automaton({folded(token.text): token for token in self._strong})

    @cached_property
    def prototypes(self) -> dict[int, str]:
        """Characters that imitate a plain letter -> the letter."""
        return {ord(char): latin for char, latin in _IN_SMALL_TYPE.items()} | {
            ord(char): prototype
            for prototype, imitations in self.world.document("confusables.json")["looks_like"].items()
            for char in imitations
            if not char.isascii()
        }

    def build(self) -> None:
        """Make every table in advance of the first host that takes the table."""
        _ = self.disguised, self.prototypes, self._garbled, self._ends, self._known, self._owned
        for length in range(SHORTEST_TYPO - 2, LONGEST_TYPO + 1):
            self._left_over(length)

    def _read_words(self) -> None:
        """Read the lists of ordinary words and names, of action words, and of special domains."""
        world = self.world
        ordinary = world.document("words/ordinary.json") if "words/ordinary.json" in world.files else {}
        sectors = world.document("words/sectors.json") if "words/sectors.json" in world.files else {}
        self._rare = frozenset(ordinary.get("rare", ()))
        self._sectors = {kind: frozenset(names) for kind, names in sectors.items() if isinstance(names, list)}
        self.everyday: frozenset[str] = frozenset(ordinary.get("same", ()))
        self._harmless = frozenset(ordinary.get("near", ()))
        self._holding: frozenset[str] = frozenset(ordinary.get("holding", ()))
        words = world.document("words/action.json")
        self.words: dict[str, tuple[int, int, int]] = dict.fromkeys(words["words"], (0, 0, -1))
        self.words |= dict.fromkeys(words["business"], (0, -1, 0)) | dict.fromkeys(words["urgent"], (-1, 0, 0))
        self.machines: frozenset[str] = frozenset(sectors.get("machine_words", ()))
        self.customers: frozenset[str] = frozenset(world.document("suffixes/business-services.json")["domains"])
        self.storage: frozenset[str] = frozenset(world.document("suffixes/storage.json")["domains"])
        self.crowded: frozenset[str] = frozenset(world.document("words/crowded-suffixes.json")["suffixes"])

    def _read_tokens(self) -> None:
        self.tokens: dict[str, BrandToken] = {}
        # Without a reviewed domain there is nothing official to point to, and no way to know who imitates whom.
        for brand in (brand for brand in self.world.brands.values() if brand.official_domains):
            sectors = self._sectors_of(brand)
            for text in brand.tokens:
                self._add(text, brand, sectors, common=len(text) < SHORTEST_STRONG)
            for text in brand.short_or_common_tokens:
                self._add(text, brand, sectors, common=True)

    def _add(self, text: str, brand: Brand, sectors: frozenset[str], *, common: bool) -> None:
        # A token that two brands claim stays with the first.
        self.tokens.setdefault(text, BrandToken(text, brand, common, common and text in self._rare, sectors))

    def _sectors_of(self, brand: Brand) -> frozenset[str]:
        first = brand.categories[0] if brand.categories else ""
        return frozenset(kind for kind, names in self._sectors.items() if first in names)

    @cached_property
    def _known(self) -> frozenset[str]:
        """Words that are no typo: tokens, and words of the lists."""
        return frozenset().union(self.tokens, self.words, self._harmless, self._holding)

    @cached_property
    def _owned(self) -> frozenset[str]:
        """Domains of brands, and of content networks."""
        world = self.world
        return frozenset().union(world.infrastructure, world.official, world.further, world.site_domains)

    @cached_property
    def _indistinct(self) -> frozenset[str]:
        return frozenset(token.text for token in self._strong if not self._is_distinctive(token.text))

    @cached_property
    def _garbled(self) -> dict[frozenset[str], BrandToken]:
        """Tokens that are like many company names, by their letters."""
        garbled: dict[frozenset[str], BrandToken] = {}
        for token in self._strong:
            if token.text in self._indistinct:
                garbled.setdefault(frozenset(token.text), token)
        return garbled

    @cached_property
    def _ends(self) -> dict[str, list[BrandToken]]:
        """Long tokens by their first and last letters."""
        ends: dict[str, list[BrandToken]] = {}
        for token in self._strong:
            if len(token.text) >= SHORTEST_TWO_TYPOS and token.text not in self._indistinct:
                ends.setdefault(f"{token.text[:3]}-", []).append(token)
                ends.setdefault(f"-{token.text[-3:]}", []).append(token)
        return ends

    def _left_over(self, length: int) -> _Shortened:
        """Tokens by what has `length` letters after one letter or none is left out. Built for lengths that are met."""
        found = self._by_deletion.get(length)
        if found is None:
            tokens: dict[str, list[BrandToken]] = {}
            for token in self._strong:
                if length <= len(token.text) <= length + 1:
                    for key in _shortened(token.text):
                        if len(key) == length:
                            tokens.setdefault(key, []).append(token)
            begins, ends = frozenset(map(itemgetter(_BEGIN), tokens)), frozenset(map(itemgetter(_END), tokens))
            found = self._by_deletion[length] = _Shortened(tokens, begins, ends)
        return found

    def _is_distinctive(self, text: str) -> bool:
        """Whether enough of a token is left, apart from stems in many company names, to detect typos."""
        if not (text.startswith(_STEMS) or text.endswith(_STEMS)):
            return True
        for stem in _STEMS:
            if text.startswith(stem) or text.endswith(stem):
                return len(text) - len(stem) >= SHORTEST_TYPO
        return True

    def has_own_core(self, text: str) -> bool:
        """Whether a long token is its brand's own word, so that two typos in it still point to the brand."""
        return len(_without_stems(text)) >= SHORTEST_TWO_TYPOS

    def covered(self, token: BrandToken, text: str, start: int, end: int) -> bool:
        """Whether the span is part of an ordinary word around a strong token."""
        if token.common:
            return False
        words = self._words_around.get(token.text)
        if words is None:
            words = self._words_around[token.text] = tuple(word for word in self._holding if token.text in word)
        for word in words:
            at = text.find(word)
            if at >= 0 and at <= start and end <= at + len(word):
                return True
        return False

    def owned(self, registrable: str, host: str) -> bool:
        """Whether a host is below a listed domain, or is a content network's own, and never an imitation."""
        owned = self._owned
        place = host
        while place:
            if place in owned and (len(place) >= len(registrable) or place in self.world.infrastructure):
                return True
            place = place.partition(".")[2]
        return False

    def whole_disguise(self, label: str, text: str | None = None) -> BrandToken | None:
        """Token that a whole label imitates by digits or pairs of letters: `paypa1`, `dh1`, `arnazon`.

        One plain letter for another, `paypai`, counts from SURE letters on. `text` is the label folded.
        """
        token = self.whole.get(folded(label) if text is None else text)
        if token is None or token.text == label or len(label) < len(token.text):
            return None
        text = token.text
        digits = sum(char.isdigit() for char in label)
        # A label of digits is a number, as in the reversed addresses of access networks.
        numeral = 2 * digits > len(label) or (len(label) < SHORTEST_STRONG and digits > 1)
        # Three letters that begin with a digit are read as a number and a unit: `1bk`.
        numeral = numeral or (len(label) < SHORTEST_PAIRS and label[0].isdigit())
        if numeral or len(text) < SHORTEST_DISGUISED or any(char.isdigit() for char in text):
            return None
        if len(label) < SHORTEST_PAIRS and not set(label) <= {*text, *_LIKE_LETTERS}:
            return None
        pairs = len(label) > len(text) >= SHORTEST_PAIRS
        return token if digits or pairs or len(text) >= SURE else None

    def is_numbered_word(self, text: str) -> bool:
        """Whether a text is an ordinary word with a number behind it: `general1` is not a disguise of `generali`."""
        word = text.rstrip("0123456789")
        return word != text and (word in self._harmless or word in self.words)

    def near(self, word: str) -> NearMatch | None:
        """Nearest token with one typo, or two in a long token. None for a token or a known word, numbered or not.

        A typo in a name that is like many company names counts as two.
        """
        word = word.rstrip("0123456789")
        if not SHORTEST_TYPO - 1 <= len(word) <= LONGEST_TYPO:
            return None
        if word in self._known:
            return None
        # A name that begins or ends like many company names is too near to others for any typo but its own letters
        # in disorder or doubled: `sberbnak`, `netfliix`.
        garbled = self._garbled.get(frozenset(word))
        if garbled and typos(word, garbled.text, 1) <= 1:
            return NearMatch(garbled, 1)
        return self._nearest(word, self._candidates(word))

    def _candidates(self, word: str) -> list[BrandToken]:
        """Tokens that may be near a word, or the tokens with its beginning or end where no token is one typo away."""
        # Two words with one typo between them agree after one letter is left out of either (SymSpell), so that
        # a few dictionary lookups replace a distance to each of some thousand tokens.
        whole, (shortened, begins, ends) = self._left_over(len(word)).tokens, self._left_over(len(word) - 1)
        candidates = list(whole.get(word, ()))
        # What is left begins like the word where the letter is missing behind the beginning, and ends like the word
        # where it is missing before the end: most words share neither with a token.
        first = 0 if word[_END] in ends else max(len(word) - _EDGE, 0)
        last = len(word) if word[_BEGIN] in begins else min(_EDGE, len(word))
        for at in range(first, last):
            candidates += shortened.get(word[:at] + word[at + 1 :], ())
        if not candidates and len(word) >= SHORTEST_TWO_TYPOS - 2:
            letters = set(word)
            candidates = [
                token
                for end in (f"{word[:3]}-", f"-{word[-3:]}")
                for token in self._ends.get(end, ())
                # A typo changes two letters at most, so that four tell most words from most tokens.
                if len(letters.symmetric_difference(token.text)) <= 4
            ]
        return candidates

    def _nearest(self, word: str, candidates: Iterable[BrandToken]) -> NearMatch | None:
        best: NearMatch | None = None
        for token in candidates:
            # After a first hit only a token with one typo can be nearer.
            indistinct = token.text in self._indistinct
            most = 1 if best or indistinct or len(token.text) < SHORTEST_TWO_TYPOS else 2
            apart = typos(word, token.text, most)
            if indistinct and apart == 1 and word[0] == token.text[0]:
                best = best or NearMatch(token, 2)
            elif (
                not indistinct
                and apart <= most
                and (best is None or (apart, -len(token.text)) < (best.typos, -len(best.token.text)))
            ):
                best = NearMatch(token, apart)
        return best


def _automaton(tokens: dict[str, BrandToken]) -> ahocorasick.Automaton:
    made = ahocorasick.Automaton()
    for text, token in tokens.items():
        made.add_word(text, token)
    made.make_automaton()
    return made


@lru_cache(maxsize=4)
def brand_index_of(world: World) -> BrandIndex:
    """Index of a world, built on the first call and then cached."""
    return BrandIndex(world)
