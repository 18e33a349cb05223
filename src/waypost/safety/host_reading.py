"""Brand tokens in a host, with place and neighbouring words; read once for every signal."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, NamedTuple

from waypost.models.decision import Target
from waypost.registry.world import hosting_suffixes
from waypost.safety.brand_index import LONG, SHORTEST_STRONG, BrandIndex, BrandToken, folded, plain
from waypost.safety.target import scripts_of

LabelLevel = Literal["registered", "tenant", "subdomain"]
Alignment = Literal["label", "word", "front", "back", "inside", "split"]
Neighbours = Literal["echo", "nothing", "urgent", "urging", "business", "action", "little", "other"]
TokenSize = Literal["common", "middling", "long"]
MatchKind = Literal["exact", "accented", "disguised", "one-typo", "two-typos"]

# Top-level domains of many brands: as a word behind a brand they imitate the brand's own address.
_ECHOES = frozenset({"com", "net", "org", "co", "io", "ca", "uk", "au", "de", "fr", "ie", "nz", "us", "eu", "gov"})
_REGIONS = frozenset({"au", "ca", "de", "eu", "fr", "ie", "nz", "uk", "us"})
_LONGEST_WORD = 16
MOST_MATCHES = 12
"""Most tokens of one label; a label with more was made to cost time."""
# Domains that services keep files of their users or of others at begin or end so: `static-acme.test`.
_CONTENT = ("cdn", "static", "usercontent")
_ENDINGS = ("com-", "org-", "net-", "gov-")
_FEW_LETTERS = 2
"""Letters outside known words in a label that is made of known words."""
_PART_OF_WORD = 4
"""Letters outside known words from which the known ones are by chance: `fee` in `coffeehouse`."""
_GLUED = frozenset({"front", "back"})
_LATIN_1_END = "\u0100"
"""Upper bound of the accented letters of French, German, Italian, Portuguese, Spanish and the Nordic languages."""


class WordCounts(NamedTuple):
    """Counts for the text around a token: letters outside known words, then numbers of words by kind."""

    unexplained: int
    urgent: int
    business: int
    action: int


_NOTHING = WordCounts(0, 0, 0, 0)


class TokenMatch(NamedTuple):
    """Brand token in a host.

    alignment  label: the whole label; word: between hyphens; front, back: glued to the rest of a word; inside: within
               a word; split: whole words of the host make the token, separators left out
    kind       accented: different by common accents alone, and the token is an ordinary word
    level      registered: the registered label; tenant: a label let by a hosting service; subdomain: a label below
    echo       the name of a top-level domain follows as a word: `brand-com-...`
    """

    token: BrandToken
    kind: MatchKind
    alignment: Alignment
    level: LabelLevel
    label: str
    start: int
    end: int
    words_around: WordCounts
    echo: bool

    @property
    def neighbours(self) -> Neighbours:
        """Kind of the words next to the token."""
        around = self.words_around
        if self.echo:
            return "echo"
        if self.alignment == "label":
            return "nothing"
        if around.urgent:
            return "urgent" if around.unexplained <= 2 and not around.business else "urging"
        if around.business:
            return "business"
        if around.unexplained <= 2:
            return "little" if around.unexplained else "action"
        return "other"

    @property
    def size(self) -> TokenSize:
        return "common" if self.token.common else "long" if len(self.token.text) >= LONG else "middling"

    @property
    def strong(self) -> bool:
        return not self.token.common

    @property
    def written(self) -> str:
        return self.label[self.start : self.end]


class HostReading:
    """Own labels of a target in plain letters, with the brand tokens found. No match where the domain has an owner."""

    def __init__(self, target: Target, names: BrandIndex) -> None:
        self.target = target
        self.names = names
        hosting = target.host.removeprefix("www.") in hosting_suffixes()  # the service itself, no tenant of it
        self.owned = bool(target.address) or hosting or names.owned(target.registrable, target.host)
        own = target.own_labels
        # A-labels are longer than what they stand for: another length means letters beyond ASCII.
        self.imitated = len(target.unicode_host) != len(target.host)
        self.written = own
        if self.imitated:
            self.written = tuple(target.unicode_host.split(".")[: len(own)])
            own = tuple(plain(label, names.prototypes) for label in self.written)
        self.labels = own

    @property
    def crowded(self) -> bool:
        """Whether the top-level domain is cheap and open to all."""
        return self.target.suffix.rpartition(".")[2] in self.names.crowded

    @property
    def restricted(self) -> bool:
        """Whether the registry of the suffix knows who registers a name."""
        return self.names.world.is_restricted(self.target.host)

    @cached_property
    def stored(self) -> bool:
        """Whether programs keep files or run functions below the domain."""
        return any(".".join(self.target.labels[at:]) in self.names.storage for at in range(len(self.target.labels)))

    @property
    def serves_businesses(self) -> bool:
        """Whether businesses get hosts named after themselves from a service that they pay for."""
        return self.target.registrable in self.names.customers or self.target.suffix in self.names.customers

    def is_machine(self, match: TokenMatch) -> bool:
        """Whether a word of another label is one of machines: `cdn.acme.host.test`, `acme.static-host.test`."""
        if match.level != "subdomain" or match.alignment == "split":
            return False
        others = (label for label in self.labels if label != match.label)
        words = self.names.machines
        return any(part.rstrip("0123456789") in words for label in others for part in label.split("-")) or (
            not self.target.hosted and (self.labels[-1].startswith(_CONTENT) or self.labels[-1].endswith(_CONTENT))
        )

    def is_deep(self, match: TokenMatch) -> bool:
        """Whether a service's own label stands between the name and the registered label: `acme.mail.service.test`."""
        return match.level == "subdomain" and match.label not in self.labels[-2:]

    def is_below_itself(self, match: TokenMatch) -> bool:
        """Whether the registered label is a name of the same owner, so that a label below it adds nothing."""
        named = self.names.tokens.get(self.labels[-1]) if self.labels and not self.target.hosted else None
        return match.level == "subdomain" and named is not None and named.brand.owner == match.token.brand.owner

    def urges(self, match: TokenMatch) -> bool:
        """Whether the host urges an action in words other than the match: `pay` in `paypal` urges nothing.

        A domain that begins like the end of another urges the reader to stop there.
        """
        return self.continues or self.words_outside(match).urgent > 0

    @property
    def continues(self) -> bool:
        """Whether the domain begins like the end of another: `com-session.test`."""
        return self.labels[-1].startswith(_ENDINGS)

    def reads_like_request(self, match: TokenMatch) -> bool:
        """Whether the rest of the host reads like a request: an urgent word, or a domain of other words or numbers."""
        return self.urges(match) or self.domain_requests

    @cached_property
    def domain_requests(self) -> bool:
        """Whether the domain is made of numbers or known words, some of them a request."""
        domain = self.labels[-1]
        words = self.explain(domain)
        few = words.unexplained <= _FEW_LETTERS and not words.business
        return few and (words.action + words.urgent > 0 or any(char.isdigit() for char in domain))

    def words_outside(self, match: TokenMatch) -> WordCounts:
        """Words of the labels together, without the match and `www`."""
        # A split match was read over all labels already.
        if match.alignment == "split":
            return match.words_around
        return _sum(match.words_around, self.words_of_others(match.label))

    def words_of_others(self, own: str) -> WordCounts:
        """Words of the labels other than `own` and `www`, except known words by chance within longer ones."""
        rest = _NOTHING
        for label in self.labels:
            if label not in {own, "www"}:
                words = [self.explain(word) for word in label.split("-")]
                for each in words:
                    rest = _sum(rest, each) if each.unexplained <= _PART_OF_WORD else rest
        return rest

    def level(self, at: int) -> LabelLevel:
        if at < len(self.labels) - 1:
            return "subdomain"
        return "tenant" if self.target.hosted else "registered"

    @cached_property
    def matches(self) -> list[TokenMatch]:
        """Exact tokens, then disguised ones, then typos; the last two only in labels without an exact token."""
        if self.owned:
            return []
        found: list[TokenMatch] = []
        for at, label in enumerate(self.labels):
            exact = self._exact(at, label)
            found += exact
            if not any(match.strong and match.alignment != "inside" for match in exact):
                found += self._disguised(at, label) or self._typos(at, label)
            elif whole := self.names.whole_disguise(label):  # a name that holds another: `acrnepost`
                found += [each for each in (self._match(whole, "disguised", at, label, 0, len(label)),) if each]
        if not any(match.strong and match.alignment != "inside" and match.kind == "exact" for match in found):
            found += self._split()
        # Whoever registers a name below such a suffix is known to the registry; a label further down is not.
        return [match for match in found if match.level != "registered"] if found and self.restricted else found

    def _split(self) -> list[TokenMatch]:
        """Tokens across a hyphen or a dot, from the start of a word of the host to the end of a word."""
        text = ".".join(self.labels)
        words = text.replace(".", "-").split("-")
        if len(words) < 2:
            return []
        joined = "".join(words)
        tokens = [
            (end + 1 - len(token.text), end + 1, token)
            for end, token in self.names.exact.iter(joined)
            if not token.common and token.text not in text
        ]
        if not tokens:
            return []
        # Positions in the joined words: a token counts only from the start of a word to the end of a word.
        starts, ends, at = set(), set(), 0
        for word in words:
            starts.add(at)
            at += len(word)
            ends.add(at)
        found = []
        for start, end, token in tokens:
            if start not in starts or end not in ends:
                rest = self._run_on(words, joined, start, end)
                if rest is None:
                    continue
            else:
                rest = self.explain("-".join(_without(words, start, end)))
            found.append(
                TokenMatch(token, "exact", "split", self.level(len(self.labels) - 1), text, 0, 0, rest, echo=False)
            )
        return found

    def _run_on(self, words: list[str], joined: str, start: int, end: int) -> WordCounts | None:
        """Words around a long token that crosses a separator and runs on into other words: `acme-bankverify`.

        None unless the rest is known words, one of them urgent and none about business.
        """
        if end - start < LONG:
            return None
        at, pieces = 0, []
        for word in words:
            pieces.append(joined[at : max(at, min(at + len(word), start))])
            pieces.append(joined[min(max(at, end), at + len(word)) : at + len(word)])
            at += len(word)
        rest = self.explain("-".join(piece for piece in pieces if piece))
        return rest if rest.urgent and rest.unexplained <= 1 and not rest.business else None

    def _exact(self, at: int, label: str) -> list[TokenMatch]:
        hits = list(self.names.exact.iter(label))
        if not hits:
            return []
        spans = [(end + 1 - len(token.text), end + 1, token) for end, token in hits]
        if len(spans) > 1:  # a token inside a longer one adds nothing
            spans = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[:2] != s[:2] for o in spans)]
        del spans[MOST_MATCHES:]
        found = []
        for start, end, token in spans:
            kind = self._kind(at, label, start, end, token)
            if match := self._match(token, kind, at, label, start, end):
                found.append(match)
        return found

    def _kind(self, at: int, label: str, start: int, end: int, token: BrandToken) -> MatchKind:
        """Kind of an exact match; accents in the brand's own name keep the match `exact`."""
        written = self.written[at]
        if written == label:
            return "exact"
        there = written[start:end] if len(written) == len(label) else written
        if token.text in there:
            return "exact"
        if any("".join(name.casefold().split()) in written.replace("-", "") for name in token.brand.non_ascii_names):
            return "exact"
        return "accented" if token.common and all(c < _LATIN_1_END for c in there) else "disguised"

    def _disguised(self, at: int, label: str) -> list[TokenMatch]:
        text = folded(label)
        if whole := self.names.whole_disguise(label, text):
            match = self._match(whole, "disguised", at, label, 0, len(label))
            return [match] if match else []
        found = self._short_disguised(at, label)
        if text == label:
            return found
        for end, token in self.names.disguised.iter(text):
            start, stop = _unfold(label, end + 1 - len(folded(token.text)), end + 1)
            # The span begins within a number: its digits stand for no letters.
            number = start > 0 and label[start - 1 : start + 1].isdigit()
            if number or self.names.is_numbered_word(label[start:stop]):
                continue
            if label[start:stop] != token.text and (match := self._match(token, "disguised", at, label, start, stop)):
                found.append(match)
        return found or self._veiled(at, label)

    def _short_disguised(self, at: int, label: str) -> list[TokenMatch]:
        """Words of a label that imitate a short token whole, next to an urgent word: `dh1-parcel`."""
        if "-" not in label or not any(map(str.isdigit, label)):
            return []
        found = []
        start = 0
        for word in label.split("-"):
            token = None if word.isalpha() else self.names.whole_disguise(word)
            if token and token.common and not any(map(str.isdigit, token.text)):
                match = self._match(token, "disguised", at, label, start, start + len(word))
                found += [match] if match and match.words_around.urgent else []
            start += len(word) + 1
        return found

    def _veiled(self, at: int, label: str) -> list[TokenMatch]:
        """Words in foreign letters that look like a whole token; here the token may be an ordinary word."""
        if self.written[at] == label or len(self.written[at]) != len(label):
            return []
        found = []
        start = 0
        for word in label.split("-"):
            token = self.names.whole.get(folded(word))
            end = start + len(word)
            foreign = scripts_of(self.written[at][start:end]) not in {(), ("Latin",)}
            if foreign and token and len(token.text) >= SHORTEST_STRONG and token.text != word:
                found += [match for match in (self._match(token, "disguised", at, label, start, end),) if match]
            start = end + 1
        return found

    def _typos(self, at: int, label: str) -> list[TokenMatch]:
        found = []
        start = 0
        for word in label.split("-"):
            if near := self.names.near(word):
                kind: MatchKind = "one-typo" if near.typos == 1 else "two-typos"
                if match := self._match(near.token, kind, at, label, start, start + len(word)):
                    found.append(match)
            start += len(word) + 1
        return found

    def _match(
        self, token: BrandToken, kind: MatchKind, at: int, label: str, start: int, end: int
    ) -> TokenMatch | None:
        left, right = start == 0 or label[start - 1] == "-", end == len(label) or label[end] == "-"
        # Short tokens are in many words: only at an edge of a word may they mean the brand.
        if token.common and not (left or right):
            return None
        if not (left and right) and self.names.covered(token, label, start, end):
            return None
        alignment: Alignment = "inside"
        if end - start == len(label):
            alignment = "label"
        elif left and right:
            alignment = "word"
        elif left or right:
            alignment = "front" if left else "back"
        if token.common and alignment in _GLUED and not self._names_brand(token, alignment, label[:start], label[end:]):
            return None
        before, after = self.explain(label[:start]), self.explain(label[end:])
        rest = _sum(before, after)
        return TokenMatch(
            token, kind, alignment, self.level(at), label, start, end, rest, self._echo(at, label, start, end)
        )

    def _names_brand(self, token: BrandToken, alignment: Alignment, before: str, after: str) -> bool:
        """Whether a short token within a word stands for the brand.

        Never an everyday word. The rest of the word must be known words: at least one urgent, none about business.
        Next to a name that is part of no word, any known word does.
        """
        if token.text in self.names.everyday or (len(token.text) < 4 and alignment == "back"):
            return False
        rest = _sum(self.explain(before), self.explain(after))
        if token.rare and rest.unexplained == 0 and len(before) + len(after) > _FEW_LETTERS:
            return rest.urgent + rest.action > 0
        return rest.urgent > 0 and rest.unexplained == 0 and rest.business == 0

    def _echo(self, at: int, label: str, start: int, end: int) -> bool:
        following = label[end:].lstrip("-") if label[end : end + 1] == "-" else ""
        if end == len(label) and at + 1 < len(self.labels):
            following = self.labels[at + 1]
            if following[-1:].isdigit() and following.rstrip("0123456789")[2:] == "-":
                return False  # a region of machines: `us-1`
            if following in _REGIONS and self.names.world.brand_at(f"{label}.{following}") is None:
                return False  # a region of a service, `acme.eu.service.test`: the brand has no such domain
        ending, _, rest = following.partition("-")
        short = end - start < SHORTEST_STRONG and at + 1 == len(self.labels)
        if short and ending in _REGIONS and self.names.world.brand_at(f"{label[start:end]}.{ending}") is None:
            return False  # `acm-fr` is a branch
        if ending == "co" and not rest and at + 1 == len(self.labels):
            return False  # `acme-co.test` is a company
        return ending in _ECHOES

    def explain(self, piece: str) -> WordCounts:
        """Words of a piece of a label, split with the fewest letters left unexplained.

        Dynamic programming over the end of the piece; counts are negative, so `min` prefers more urgent words.
        """
        if not piece:
            return _NOTHING
        words = self.names.words
        best = [(0, 0, 0, 0)]
        for end in range(1, len(piece) + 1):
            over, urgent, business, action = best[end - 1]
            found = (over + piece[end - 1].isalpha(), urgent, business, action)
            # No known word is longer: the cost is linear in the piece.
            for start in range(max(0, end - _LONGEST_WORD), end - 1):
                counts = words.get(piece[start:end])
                if counts and (end - start > 2 or _stands_alone(piece, start, end)):
                    over, urgent, business, action = best[start]
                    found = min(found, (over, urgent + counts[0], business + counts[1], action + counts[2]))
            best.append(found)
        over, urgent, business, action = best[-1]
        return WordCounts(over, -urgent, -business, -action)


def _sum(first: WordCounts, second: WordCounts) -> WordCounts:
    return WordCounts(first[0] + second[0], first[1] + second[1], first[2] + second[2], first[3] + second[3])


def _stands_alone(piece: str, start: int, end: int) -> bool:
    """Whether a short word is delimited by an end or a character that is not a letter."""
    return start == 0 or end == len(piece) or not piece[start - 1].isalpha() or not piece[end].isalpha()


def _without(words: list[str], start: int, end: int) -> list[str]:
    """Words outside a span of the joined words."""
    left, at = [], 0
    for word in words:
        if at + len(word) <= start or at >= end:
            left.append(word)
        at += len(word)
    return left


def _unfold(label: str, start: int, end: int) -> tuple[int, int]:
    """Span in the label for a span in the folded label, where pairs became single letters."""
    places = [len(folded(label[:at])) for at in range(len(label) + 1)]
    return places.index(start) if start in places else start, _last(places, end)


def _last(places: list[int], value: int) -> int:
    return len(places) - 1 - places[::-1].index(value) if value in places else len(places) - 1
