"""A host read once for all signals: which brands' tokens stand in it, where, and beside what."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, NamedTuple

from waypost.models.decision import Target
from waypost.safety.names import LONG, Names, Token, folded, plain
from waypost.safety.target import scripts_of

Place = Literal["registered", "tenant", "subdomain"]
How = Literal["label", "word", "front", "back", "inside", "split"]
Beside = Literal["echo", "nothing", "urgent", "urging", "business", "action", "little", "other"]
Size = Literal["common", "middling", "long"]
Kind = Literal["exact", "accented", "disguised", "one-slip", "two-slips"]

_ECHOES = frozenset({"com", "net", "org", "co", "io", "ca", "uk", "au", "de", "fr", "ie", "nz", "us", "eu", "gov"})
_LONGEST_WORD = 16
MOST_HITS = 12
"""Tokens looked at in one label: a label that holds more is one that somebody filled."""
_GLUED = frozenset({"front", "back"})
_LATIN_1_END = "\u0100"
"""Below it stand the accented letters of French, German, Italian, Portuguese, Spanish and the Nordic languages."""


class Rest(NamedTuple):
    """What stands around a token: letters that no word explains, then words that press, that trade, and others."""

    unexplained: int
    urgent: int
    business: int
    action: int


_NOTHING = Rest(0, 0, 0, 0)


class Hit(NamedTuple):
    """A brand's token in a host.

    how    the whole label; a word between hyphens; glued at the front or back of a word; inside one;
           split: whole words of the host make the token, separators left out
    kind   accented: in disguise by accents alone that many languages write, on a word that is one in itself
    place  the label somebody registered; a label that a host lets to a tenant; a label below a registered name
    echo   a top-level domain's name follows as a word: `brand-com-...`
    """

    token: Token
    kind: Kind
    how: How
    place: Place
    label: str
    start: int
    end: int
    rest: Rest
    echo: bool

    @property
    def beside(self) -> Beside:
        """What sort of words stand beside the token."""
        rest = self.rest
        if self.echo:
            return "echo"
        if self.how == "label":
            return "nothing"
        if rest.urgent:
            return "urgent" if rest.unexplained <= 2 and not rest.business else "urging"
        if rest.business:
            return "business"
        if rest.unexplained <= 2:
            return "little" if rest.unexplained else "action"
        return "other"

    @property
    def size(self) -> Size:
        return "common" if self.token.common else "long" if len(self.token.text) >= LONG else "middling"

    @property
    def strong(self) -> bool:
        return not self.token.common

    @property
    def written(self) -> str:
        return self.label[self.start : self.end]


class Reading:
    """The own labels of a target in plain letters, and every hit in them. Empty for a domain that is somebody's own."""

    def __init__(self, target: Target, names: Names) -> None:
        self.target = target
        self.names = names
        self.owned = bool(target.address) or names.owned(target.registrable, target.host)
        own = target.own_labels
        self.imitated = len(target.unicode_host) != len(target.host)
        self.written = own
        if self.imitated:
            self.written = tuple(target.unicode_host.split(".")[: len(own)])
            own = tuple(plain(label, names.looks_like) for label in self.written)
        self.labels = own

    @property
    def crowded(self) -> bool:
        """The name stands under a top-level domain that is cheap and open to all."""
        return self.target.suffix.rpartition(".")[2] in self.names.crowded

    @property
    def pressing(self) -> bool:
        """Some label of the host holds a word that presses for an action."""
        return self.around.urgent > 0

    def place(self, at: int) -> Place:
        if at < len(self.labels) - 1:
            return "subdomain"
        return "tenant" if self.target.hosted else "registered"

    @cached_property
    def hits(self) -> list[Hit]:
        """Tokens as they are written, then in disguise, then with slips; the last two only where nothing else is."""
        if self.owned:
            return []
        found: list[Hit] = []
        for at, label in enumerate(self.labels):
            exact = self._exact(at, label)
            found += exact
            if not any(hit.strong and hit.how != "inside" for hit in exact):
                found += self._disguised(at, label) or self._slipped(at, label)
        if not any(hit.strong and hit.how != "inside" and hit.kind == "exact" for hit in found):
            found += self._split()
        return found

    def _split(self) -> list[Hit]:
        """Tokens that begin and end with a word of the host and run over a hyphen or a dot."""
        text = ".".join(self.labels)
        words = text.replace(".", "-").split("-")
        if len(words) < 2:
            return []
        joined = "".join(words)
        starts, ends, at = set(), set(), 0
        for word in words:
            starts.add(at)
            at += len(word)
            ends.add(at)
        found = []
        for end, token in self.names.exact.iter(joined):
            start = end + 1 - len(token.text)
            if token.common or start not in starts or end + 1 not in ends or token.text in words:
                continue
            rest = self.explain("-".join(_without(words, start, end + 1)))
            found.append(Hit(token, "exact", "split", self.place(len(self.labels) - 1), text, 0, 0, rest, echo=False))
        return found

    def _exact(self, at: int, label: str) -> list[Hit]:
        spans = [(end + 1 - len(token.text), end + 1, token) for end, token in self.names.exact.iter(label)]
        if len(spans) > 1:
            spans = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[:2] != s[:2] for o in spans)]
        del spans[MOST_HITS:]
        found = []
        for start, end, token in spans:
            kind = self._kind(at, label, start, end, token)
            if hit := self._hit(token, kind, at, label, start, end):
                found.append(hit)
        return found

    def _kind(self, at: int, label: str, start: int, end: int, token: Token) -> Kind:
        """Whether the token stands there in its own letters, accents of the brand's own name included."""
        written = self.written[at]
        if written == label:
            return "exact"
        there = written[start:end] if len(written) == len(label) else written
        if token.text in there:
            return "exact"
        if any("".join(name.casefold().split()) in written.replace("-", "") for name in token.brand.spelled):
            return "exact"
        return "accented" if token.common and all(c < _LATIN_1_END for c in there) else "disguised"

    def _disguised(self, at: int, label: str) -> list[Hit]:
        text = folded(label)
        if text == label:
            return []
        found = []
        for end, token in self.names.disguised.iter(text):
            start, stop = _unfold(label, end + 1 - len(folded(token.text)), end + 1)
            if label[start:stop] != token.text and (hit := self._hit(token, "disguised", at, label, start, stop)):
                found.append(hit)
        return found or self._veiled(at, label)

    def _veiled(self, at: int, label: str) -> list[Hit]:
        """Words in foreign letters that are read as a whole token, be it an ordinary word otherwise."""
        if self.written[at] == label or len(self.written[at]) != len(label):
            return []
        found = []
        start = 0
        for word in label.split("-"):
            token = self.names.veiled.get(folded(word))
            end = start + len(word)
            foreign = scripts_of(self.written[at][start:end]) not in {(), ("Latin",)}
            if foreign and token and token.text != word:
                found += [hit for hit in (self._hit(token, "disguised", at, label, start, end),) if hit]
            start = end + 1
        return found

    def _slipped(self, at: int, label: str) -> list[Hit]:
        found = []
        start = 0
        for word in label.split("-"):
            if near := self.names.near(word):
                kind: Kind = "one-slip" if near.slips == 1 else "two-slips"
                if hit := self._hit(near.token, kind, at, label, start, start + len(word)):
                    found.append(hit)
            start += len(word) + 1
        return found

    def _hit(self, token: Token, kind: Kind, at: int, label: str, start: int, end: int) -> Hit | None:
        left, right = start == 0 or label[start - 1] == "-", end == len(label) or label[end] == "-"
        if token.common and not (left or right):
            return None
        if not (left and right) and self.names.covered(token.text, label, start, end):
            return None
        how: How = "inside"
        if end - start == len(label):
            how = "label"
        elif left and right:
            how = "word"
        elif left or right:
            how = "front" if left else "back"
        if token.common and how in _GLUED and not self._speaks(token.text, how, label[:start], label[end:]):
            return None
        before, after = self.explain(label[:start]), self.explain(label[end:])
        rest = _together(before, after)
        return Hit(token, kind, how, self.place(at), label, start, end, rest, self._echo(at, label, end))

    def _speaks(self, text: str, how: How, before: str, after: str) -> bool:
        """A short token glued to others means its brand if it is no word, every one of them is, and one presses."""
        if text in self.names.everyday or (len(text) < 4 and how == "back"):
            return False
        rest = _together(self.explain(before), self.explain(after))
        return rest.urgent > 0 and rest.unexplained == 0 and rest.business == 0

    def _echo(self, at: int, label: str, end: int) -> bool:
        following = label[end:].lstrip("-") if label[end : end + 1] == "-" else ""
        if end == len(label) and at + 1 < len(self.labels):
            following = self.labels[at + 1]
        return following.partition("-")[0] in _ECHOES

    @cached_property
    def around(self) -> Rest:
        """The words of every label together, tokens included. The usual `www` presses nobody."""
        rest = _NOTHING
        for label in self.labels[self.labels[:1] == ("www",) :]:
            rest = _together(rest, self.explain(label))
        return rest

    def explain(self, piece: str) -> Rest:
        """The words of a piece such that as few letters as can be stay over."""
        if not piece:
            return _NOTHING
        words = self.names.words
        best = [(0, 0, 0, 0)]
        for end in range(1, len(piece) + 1):
            over, urgent, business, action = best[end - 1]
            found = (over + piece[end - 1].isalpha(), urgent, business, action)
            for start in range(max(0, end - _LONGEST_WORD), end - 1):
                counts = words.get(piece[start:end])
                if counts and (end - start > 2 or _stands_alone(piece, start, end)):
                    over, urgent, business, action = best[start]
                    found = min(found, (over, urgent + counts[0], business + counts[1], action + counts[2]))
            best.append(found)
        over, urgent, business, action = best[-1]
        return Rest(over, -urgent, -business, -action)


def _together(one: Rest, other: Rest) -> Rest:
    return Rest(one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3])


def _stands_alone(piece: str, start: int, end: int) -> bool:
    """A word of two letters counts only between other things, or at an end."""
    return start == 0 or end == len(piece) or not piece[start - 1].isalpha() or not piece[end].isalpha()


def _without(words: list[str], start: int, end: int) -> list[str]:
    """The words that lie outside a span of all words together."""
    left, at = [], 0
    for word in words:
        if at + len(word) <= start or at >= end:
            left.append(word)
        at += len(word)
    return left


def _unfold(label: str, start: int, end: int) -> tuple[int, int]:
    """Where a span of the folded label lies in the label itself: a pair that became one letter moves the rest."""
    places = [len(folded(label[:at])) for at in range(len(label) + 1)]
    return places.index(start) if start in places else start, _last(places, end)


def _last(places: list[int], value: int) -> int:
    return len(places) - 1 - places[::-1].index(value) if value in places else len(places) - 1
