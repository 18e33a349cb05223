"""What only shows when several pages are looked at together: one thing told in two ways, links to pages not there.

Of each page only its facts are kept, packed; places are looked up at the end, in the few pages that something is to be
said about. What is told of a thing on fewer pages, or in less detail, is no contradiction: only two values for what
has one value are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import NamedTuple, TypeAlias
from urllib.parse import SplitResult, urlsplit

import msgspec

from waypost.extract.names import resolve
from waypost.formats.dates import is_before, moment, read_duration
from waypost.formats.numbers import number as read_number
from waypost.formats.text import clip
from waypost.models.finding import Finding, Related, Severity
from waypost.models.page import LangString, Node, Page, Value, is_present
from waypost.registry import Registry
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.collector import FindingCollector
from waypost.validate.item import FindingDraft, RuleContext
from waypost.validate.rulebook import Rule, rules_about_site
from waypost.validate.suppressions import suppressed_ranges

SINGLE = frozenset(
    {"name", "legalName", "datePublished", "dateCreated", "startDate", "endDate", "birthDate", "deathDate",
     "foundingDate", "uploadDate", "duration", "price", "sku", "isbn", "mpn", "gtin", "gtin8", "gtin12", "gtin13",
     "gtin14", "taxID", "vatID", "leiCode", "duns"}
)  # fmt: skip
"""Properties of which a thing has one value, and that do not change between two pages of one day."""

_TEXTS = frozenset({"name", "legalName"})
_NUMBERS = frozenset({"sku", "isbn", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "taxID", "vatID", "duns"})
_SEPARATORS = re.compile(r"[\s.\-]+")
_DATES = frozenset(
    {"datePublished", "dateCreated", "startDate", "endDate", "birthDate", "deathDate", "foundingDate", "uploadDate"}
)
_ADDRESSES = ("url", "logo", "sameAs")
_ORGANIZATION = frozenset({"Organization"})
_BRANCH = frozenset({"LocalBusiness"})  # branches share a name and differ in everything else
_LISTS = frozenset({"BreadcrumbList", "ItemList"})
MOST_THINGS, MOST_LINKS, MOST_VALUES = 200, 1_000, 50
"""Of one page; beyond that nothing more is compared."""
MOST_PLACES = 20
"""Places that are kept of one value; the others are counted."""
MOST_FINDINGS = 1_000
_MOST_UNPACKED_BYTES = 4 << 20
"""Facts of all pages that may lie unpacked, which takes six times as much; more are unpacked for each look."""
_LONGEST = 200
_LONGEST_URL = 2_000


class Thing(msgspec.Struct, frozen=True, array_like=True):
    """A thing that other pages may tell of too: node `number` of its page.

    `facts` are property -> values as said, packed: most things are told of once, or in the same words on every page.
    """

    number: int
    id: str | None
    is_organization: bool
    packed: msgspec.Raw

    @property
    def facts(self) -> dict[str, tuple[str, ...]]:
        return _DECODE_THING(self.packed)


class Link(msgspec.Struct, frozen=True, array_like=True):
    """The address of another page in a list: `prop` of node `number` of the page."""

    number: int
    prop: str
    url: str
    is_breadcrumb: bool


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """What one page says that others may contradict. `silent`: (start, end, rules, reason) of its words to hush us."""

    url: str | None
    language: str
    things: tuple[Thing, ...]
    links: tuple[Link, ...]
    silent: tuple[tuple[int, int, tuple[str, ...], str], ...]


def facts_of(page: Page, vocabulary: Vocabulary) -> bytes:
    """The facts of a page, packed; empty where it has none."""
    things: list[Thing] = []
    links: list[Link] = []
    numbers: dict[int, int] = {}
    for number, node in enumerate(page.nodes):
        if node.same_as is not None or node.reference or node.foreign or not node.props:
            continue
        if not _LISTS.isdisjoint(node.types) and len(links) < MOST_LINKS:
            numbers = numbers or {id(each): n for n, each in enumerate(page.nodes)}
            links += _links(page, node, numbers)
        elif (node.id is not None or "Organization" in node.types) and len(things) < MOST_THINGS:
            thing = _thing(page, node, number, vocabulary)
            if thing is not None:
                things.append(thing)
    if not things and not links:
        return b""
    silent = tuple(suppressed_ranges(page)) if page.has_suppressions else ()
    language = (page.language or "").partition("-")[0].lower()
    return _ENCODE(Facts(page.url, language, tuple(things), tuple(links[:MOST_LINKS]), silent))


def _thing(page: Page, node: Node, number: int, vocabulary: Vocabulary) -> Thing | None:
    are_a = vocabulary.are_a
    is_organization = are_a(node.types, _ORGANIZATION) and not are_a(node.types, _BRANCH)
    named = node.id if node.id is not None and "://" in node.id else None
    if named is None and not is_organization:
        return None
    facts: dict[str, tuple[str, ...]] = {}
    for prop, values in node.props.items():
        if prop in SINGLE:
            present = [value for value in values if is_present(value) and not isinstance(value, Node)]
            if len(present) == 1 == len(values):
                facts[prop] = (_said(present[0], prop, node),)
        elif is_organization and prop in _ADDRESSES:
            found = (_address(value, page.base) for value in values[:MOST_VALUES])
            if addresses := tuple(dict.fromkeys(each for each in found if each)):
                facts[prop] = addresses
    return Thing(number, named, is_organization, msgspec.Raw(_ENCODE(facts))) if facts else None


def _said(value: Value, prop: str, node: Node) -> str:
    """A value as text; a price with its currency, since only prices in one currency can contradict each other."""
    said = clip(str(value), _LONGEST)
    if prop == "price":
        return f"{said} {node.get('priceCurrency') or ''}".strip()
    return f"{said}\0{value.language.partition('-')[0].lower()}" if isinstance(value, LangString) else said


def _address(value: Value, base: str | None) -> str | None:
    if isinstance(value, Node):
        value = value.get("url") or value.get("contentUrl") or value.id
    url = resolve(value, base) if isinstance(value, str) else ""
    return url if "://" in url and _parts(url) is not None else None


def _parts(url: str) -> SplitResult | None:
    """A URL taken apart; None for what is none, or longer than is compared."""
    try:
        parts = urlsplit(url) if len(url) <= _LONGEST_URL else None
        return parts if parts is not None and parts.hostname else None
    except ValueError:
        return None


def _links(page: Page, node: Node, numbers: Mapping[int, int]) -> Iterator[Link]:
    """Addresses that a list gives its members, each at the node that holds it."""
    is_breadcrumb = "BreadcrumbList" in node.types
    for value in node.props.get("itemListElement", ())[:MOST_LINKS]:
        if isinstance(value, Node) and "ListItem" in value.types:
            holder, prop = value, "url" if value.get("url") is not None else "item"
        else:
            holder, prop = node, "itemListElement"
        said = holder.get(prop) if holder is value else value
        url = said if isinstance(said, str) else (said.get("url") or said.id) if isinstance(said, Node) else None
        url = resolve(url, page.base).partition("#")[0] if isinstance(url, str) else ""
        if url.startswith(("http://", "https://")) and url != page.url and _parts(url) is not None:
            yield Link(numbers.get(id(holder), numbers[id(node)]), prop, url, is_breadcrumb)


_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder(Facts).decode
_DECODE_THING = msgspec.msgpack.Decoder(dict[str, tuple[str, ...]]).decode


class Place(NamedTuple):
    """A property of a node of a page, both by their numbers."""

    page: int
    number: int
    prop: str


class Voice(msgspec.Struct):
    """One value of a fact, on how many pages it is told, where on the first of them, and which was the last."""

    said: str
    count: int = 0
    places: list[Place] = []
    last: int = -1

    def heard(self, place: Place) -> None:
        """It is told on another page."""
        self.last = place.page
        self.count += 1
        if self.count <= MOST_PLACES:
            self.places.append(place)


class Case(NamedTuple):
    """A fact that is told in more than one way: the most frequent first.

    of       what is told of: its `@id`, or for an organization without one its address or name.
    is_id    whether it is an `@id`.
    voices   the ways in which it is told, at least two.
    """

    of: str
    is_id: bool
    prop: str
    voices: list[Voice]


class Remark(msgspec.Struct, kw_only=True):
    """Something to be said at one place, with others that belong to it. `about` goes into the fingerprint."""

    severity: Severity
    message: str
    hint: str
    place: Place
    about: tuple[str, ...]
    related: list[tuple[Place, str]] = []


class Site:
    """The facts of all pages of a run, as rules see them."""

    def __init__(self, facts: Sequence[bytes], is_there: Callable[[str], bool | None]) -> None:
        self._facts = facts
        self._is_there = is_there
        small = sum(map(len, facts)) <= _MOST_UNPACKED_BYTES
        self._unpacked = [*self._unpack()] if small else None

    def pages(self) -> Iterable[tuple[int, Facts]]:
        """(number, facts) of every page that has some."""
        return self._unpack() if self._unpacked is None else self._unpacked

    def _unpack(self) -> Iterator[tuple[int, Facts]]:
        return ((number, _DECODE(each)) for number, each in enumerate(self._facts) if each)

    @cached_property
    def cases(self) -> list[Case]:
        """Every fact of a thing that is told in two ways that cannot both be meant."""
        repeated = self._repeated()
        told: dict[_Question, dict[str, Voice]] = {}
        together: dict[_Question, set[str]] = {}
        known: dict[
            tuple[tuple[str, str], str, bytes], list[tuple[_Question, str, Voice]]
        ] = {}  # most pages tell of the site in the same words
        for number, facts in self.pages():
            here: dict[_Question, str] = {}
            for thing in facts.things:
                for subject in _subjects(thing, facts):
                    if hash(subject) not in repeated:
                        continue
                    words = (subject, facts.language, bytes(thing.packed))
                    answers = known.get(words)
                    if answers is None:
                        answers = known[words] = [
                            (question, norm, told.setdefault(question, {}).setdefault(norm, Voice(said)))
                            for question, norm, said in _answers(subject, thing, facts)
                        ]
                    for question, norm, voice in answers:
                        other = here.setdefault(question, norm)
                        if other != norm:  # a page that says both means two things by one name
                            together.setdefault(question, set()).update((other, norm))
                        if voice.last != number:
                            voice.heard(Place(number, thing.number, question[1]))
        made = (
            _case(question, voices, together.get(question, set()))
            for question, voices in told.items()
            if len(voices) > 1
        )
        return [case for case in made if case is not None]

    def _repeated(self) -> set[int]:
        """Hashes of what more than one page tells of: most things are told of once, and need not be kept."""
        once: set[int] = set()
        again: set[int] = set()
        for _, facts in self.pages():
            here = {hash(subject) for thing in facts.things for subject in _subjects(thing, facts)}
            again |= here & once
            once |= here
        return again

    def lost(self, is_breadcrumb: bool) -> Iterator[tuple[str, Voice]]:
        """Addresses in lists that are known to lead nowhere, and where they are given."""
        found: dict[str, Voice] = {}
        for number, facts in self.pages():
            for link in facts.links:
                if link.is_breadcrumb is is_breadcrumb and (link.url in found or self._is_there(link.url) is False):
                    voice = found.setdefault(link.url, Voice(link.url))
                    if voice.last != number:
                        voice.heard(Place(number, link.number, link.prop))
        return iter(found.items())


def _subjects(thing: Thing, facts: Facts) -> Iterator[tuple[str, str]]:
    """Under what a thing is known: its id; an organization without one under its address, else its name."""
    if thing.id is not None:
        yield "", thing.id
        return
    told = thing.facts
    if "url" in told:
        yield _home(facts), _bare(told["url"][0])
    elif "name" in told:
        yield _home(facts), _plain(told["name"][0])


def _home(facts: Facts) -> str:
    """Pages of different sites speak of different things, even where these have one name."""
    parts = _parts(facts.url) if facts.url else None
    return f"on {(parts.hostname or '').removeprefix('www.') if parts else ''}"


_Question: TypeAlias = tuple[tuple[str, str], str, str]
"""What is asked of all pages: (subject, property, among which pages)."""


def _answers(subject: tuple[str, str], thing: Thing, facts: Facts) -> Iterator[tuple[_Question, str, str]]:
    """(question, the answer in a form to compare, the answer as said) of every fact of a thing."""
    for prop, values in thing.facts.items():
        said, _, language = values[0].partition("\0")
        group = (language or facts.language) if prop in _TEXTS else _currency(said) if prop == "price" else ""
        if prop in _ADDRESSES:
            kept = tuple(sorted({_logo(each) if prop == "logo" else _bare(each) for each in values}))
            norm, said = "\n".join(kept), ", ".join(values)
        else:
            norm = _norm(said, prop)
        yield (subject, prop, group), norm, said


def _currency(said: str) -> str:
    amount, _, currency = said.rpartition(" ")
    return currency if amount else ""


def _norm(said: str, prop: str) -> str:
    """A value in the form in which equal ones are equal."""
    if prop in _NUMBERS:
        return _SEPARATORS.sub("", _plain(said)).lstrip("0")
    if prop == "price":
        amount = read_number(said.rpartition(" ")[0] or said)
        return f"{amount.normalize():f}" if amount is not None else _plain(said)
    if prop == "duration" and (length := read_duration(said)) is not None:
        return f"{length}"
    return _plain(said)


def _case(question: _Question, voices: Mapping[str, Voice], together: set[str]) -> Case | None:
    """The voices that contradict the one that is heard most; `together` are heard beside others on one page."""
    subject, prop, _ = question
    ranked = sorted(voices.items(), key=lambda each: (-each[1].count, each[1].places[0]))
    most, first = ranked[0]
    if most in together:
        return None
    others = [voice for norm, voice in ranked[1:] if norm not in together and not _agree(norm, most, prop)]
    if not others:
        return None
    return Case(subject[1], not subject[0], prop, [first, *others])


def _agree(one: str, two: str, prop: str) -> bool:
    """Can both be meant? A longer name has the shorter one in it; a list of addresses may leave some out."""
    if prop in _TEXTS:
        return one in two or two in one
    if prop in ("sameAs", "logo"):
        ours, theirs = set(one.split("\n")), set(two.split("\n"))
        return ours <= theirs or theirs <= ours
    if prop in _DATES:
        first, second = moment(one), moment(two)
        return first is not None and second is not None and not (is_before(first, second) or is_before(second, first))
    if prop == "url":
        return one.startswith(two) or two.startswith(one) or one.partition("/")[0] == two.partition("/")[0]
    return False


def _plain(said: str) -> str:
    """A value without what makes no difference: white space, letter case, HTML entities."""
    from html import unescape

    return " ".join(unescape(said.partition("\0")[0]).split()).casefold()


def _bare(url: str) -> str:
    """An address without what makes no difference to people: scheme, www, case of the host, a slash at the end."""
    parts = _parts(url)
    if parts is None:
        return url
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"


_SIZE = re.compile(r"(?:[-_]\d{2,4}x\d{2,4}|@\dx)?(?:\.[a-z]{3,4})?\Z", re.IGNORECASE)


def _logo(url: str) -> str:
    """A picture by its name, without size and format: one logo comes in several, from here and from elsewhere."""
    return _SIZE.sub("", _bare(url).partition("?")[0].rpartition("/")[2])


def judge(
    facts: Sequence[bytes],
    registry: Registry,
    read: Callable[[int], Page | None],
    *,
    now: datetime,
    is_there: Callable[[str], bool | None] = lambda _: None,
    site: str = "",
) -> list[tuple[int, Finding, tuple[tuple[str, ...], str] | None]]:
    """What is to be said about pages together: (number of the page, finding, who on the page hushes it).

    facts     what `facts_of` gave, one for each page, by number.
    read      the page of a number again, to find places in it; None where it cannot be had.
    is_there  is there a page at an address of the site? None where that cannot be known.
    site      address in front of `doc_url`.
    """
    whole = Site(facts, is_there)
    library = _Library(read)
    made = []
    for rule in rules_about_site():
        assert rule.check_site is not None
        for number, remark in enumerate(rule.check_site(whole)):
            if number >= MOST_FINDINGS:
                break
            if (finding := library.finding(rule, remark, registry, now, site)) is not None:
                hushed = _hushed(_DECODE(facts[remark.place.page]).silent, finding)
                made.append((remark.place.page, finding, hushed))
    return made


def _hushed(
    silent: Iterable[tuple[int, int, tuple[str, ...], str]], finding: Finding
) -> tuple[tuple[str, ...], str] | None:
    for start, end, rules, reason in silent:
        if start <= finding.start < end and (not rules or finding.rule in rules):
            return rules, reason
    return None


class _Library:
    """Pages that are read again; the last few are kept at hand."""

    AT_HAND = 50

    def __init__(self, read: Callable[[int], Page | None]) -> None:
        self._read = read
        self._pages: dict[int, Page | None] = {}

    def page(self, number: int) -> Page | None:
        if number not in self._pages:
            if len(self._pages) >= self.AT_HAND:
                del self._pages[next(iter(self._pages))]
            self._pages[number] = self._read(number)
        return self._pages[number]

    def finding(self, rule: Rule, remark: Remark, registry: Registry, now: datetime, site: str) -> Finding | None:
        page, node = self._node(remark.place)
        if page is None or node is None:
            return None
        related = [self._related(place, message, remark.place.page) for place, message in remark.related]
        draft = FindingDraft(
            severity=remark.severity,
            message=remark.message,
            hint=remark.hint,
            node=node,
            prop=remark.place.prop,
            index=0,
            about=remark.about,
        )
        collector = FindingCollector(RuleContext(page=page, registry=registry, now=now, nodes_by_sign={}), site)
        collector.add(draft, rule)
        (finding,) = collector.findings()
        finding.scope = "site"
        finding.related = tuple(each for each in related if each is not None)
        return finding

    def _node(self, place: Place) -> tuple[Page | None, Node | None]:
        """The node of a place, where the page still has one: it may have been changed meanwhile."""
        page = self.page(place.page)
        if page is None or place.number >= len(page.nodes) or place.prop not in page.nodes[place.number].props:
            return None, None
        return page, page.nodes[place.number]

    def _related(self, place: Place, message: str, here: int) -> Related | None:
        page, node = self._node(place)
        if page is None or node is None:
            return None
        line, column = page.locate.line_and_column(page.span_of(node, place.prop, 0).start)
        return Related(message=message, line=line, column=column, path=page.path if place.page != here else None)


def contradicted(case: Case, what: str, hint: str, severity: Severity = "warning") -> Remark:
    """A case as a remark: at the first place that deviates from what most pages say, with all the others."""
    first, *others = case.voices
    odd = others[0]
    told = f"{what} is {_apart(odd, first)} here and {_apart(first, odd)} on {_pages(first.count)}"
    if further := len(others) - 1:
        told += f"; there {'is' if further == 1 else 'are'} {further} more"
    places = [(first.places[0], f"{_apart(first, odd)}, as on {_pages(first.count)}")]
    for voice in others:
        places += [(place, _apart(voice, first)) for place in voice.places[voice is odd :]]
    return Remark(
        severity=severity,
        message=told,
        hint=hint,
        place=odd.places[0],
        about=(case.of, case.prop, *sorted(_plain(voice.said)[:80] for voice in case.voices)),
        related=places[: MOST_PLACES + 1],
    )


def _apart(one: Voice, other: Voice) -> str:
    """What one voice says and another does not; of a long address its end, where the difference lies."""
    if "://" not in one.said:
        return f'"{clip(one.said, 80)}"'
    theirs = {_bare(each) for each in other.said.split(", ")}
    own = [each for each in one.said.split(", ") if _bare(each) not in theirs]
    shown = [each if len(each) <= 100 else f"…{each[-80:]}" for each in own[:3]]
    return ", ".join(shown) + (f" and {len(own) - 3} more" if len(own) > 3 else "")


def _pages(number: int) -> str:
    return "another page" if number == 1 else f"{number:,} pages"


def leading_nowhere(url: str, voice: Voice, what: str, hint: str) -> Remark:
    """An address without a page as a remark: at the first place that gives it, with the others."""
    more = f", and {_pages(voice.count - 1)} too" if voice.count > 1 else ""
    return Remark(
        severity="warning",
        message=f"{what} leads to {clip(url, 120)}, where there is no page{more}",
        hint=hint,
        place=voice.places[0],
        about=(url,),
        related=[(place, "it leads there too") for place in voice.places[1:]],
    )
