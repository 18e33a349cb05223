"""Comparison of the pages of a site: contradicting facts, and links to missing pages.

An entity described on fewer pages, or in less detail, is not a contradiction. A contradiction is a property with a
single value and two values in the markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import unescape
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import msgspec

from waypost.formats.dates import is_before, moment, read_duration
from waypost.formats.numbers import number as read_number
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.finding import Severity
from waypost.validate.site_facts import URLS, Entity, PageFacts, split_url, unpack_facts

_TEXTS = frozenset({"name", "legalName"})
_NUMBERS = frozenset({"sku", "isbn", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "taxID", "vatID", "duns"})
_SEPARATORS = pattern(r"[\s.\-]+")
_DATES = frozenset(
    {"datePublished", "dateCreated", "startDate", "endDate", "birthDate", "deathDate", "foundingDate", "uploadDate"}
)
_IMAGE_SIZE = pattern(r"(?:[-_]\d{2,4}x\d{2,4}|@\dx)?(?:\.[a-z]{3,4})?\Z", re.IGNORECASE)
MOST_FINDINGS = 1_000
"""Findings of one rule about a site."""
_MOST_KNOWN = 1_000
_MOST_REFERENCES = 20_000
_MOST_NAMES = 5_000  # organizations, and ids of one
_MOST_PLACES = 20  # places stored of one statement; the others are counted
_MOST_UNPACKED_BYTES = 256 << 10  # facts of all pages; unpacked they take six times as much memory

_Subject: TypeAlias = tuple[str, str]
"""(kind, name): an `@id` has the kind "", another name the site on which it is used."""
_Fact: TypeAlias = tuple[_Subject, str, str]
"""(subject, property, group): values are compared within a group, a language or currency."""
_Description: TypeAlias = tuple[int, int, int, int]


class Place(NamedTuple):
    """Property of a node of a page, both by number."""

    page: int
    number: int
    prop: str


class Statement(msgspec.Struct):
    """Value of a fact: the number of pages with the value, the first places, and the last page."""

    text: str
    count: int = 0
    places: list[Place] = []
    last_page: int = -1

    def add(self, place: Place) -> None:
        """Count a place, at most one a page."""
        if self.last_page == place.page:
            return
        self.last_page = place.page
        self.count += 1
        if self.count <= _MOST_PLACES:
            self.places.append(place)


class Contradiction(NamedTuple):
    """Fact with more than one value.

    subject     `@id`; for an organization without `@id` the URL or name.
    is_id       whether the subject is an `@id`.
    statements  the values, at least two, the most frequent first.
    """

    subject: str
    is_id: bool
    prop: str
    statements: list[Statement]


class SiteDraft(msgspec.Struct, kw_only=True):
    """Finding at one place, with related places. `about` goes into the fingerprint."""

    severity: Severity
    message: str
    hint: str
    place: Place
    about: tuple[str, ...]
    related: list[tuple[Place, str]] = []


class Site:
    """Facts of the pages of a run, for rules.

    facts     packed facts by the number of the page, see `facts_of`.
    is_there  whether the site has a page at a URL; `None` if unknown.
    """

    def __init__(self, facts: Sequence[bytes], is_there: Callable[[str], bool | None]) -> None:
        self._facts = facts
        self._is_there = is_there
        small = sum(map(len, facts)) <= _MOST_UNPACKED_BYTES
        self._unpacked = dict(self._unpack()) if small else None

    def pages(self) -> Iterable[tuple[int, PageFacts]]:
        """(number, facts) of every page with facts."""
        return self._unpack() if self._unpacked is None else self._unpacked.items()

    def _unpack(self) -> Iterator[tuple[int, PageFacts]]:
        return ((number, unpack_facts(packed)) for number, packed in enumerate(self._facts) if packed)

    def _page(self, number: int) -> PageFacts:
        return unpack_facts(self._facts[number]) if self._unpacked is None else self._unpacked[number]

    @cached_property
    def contradictions(self) -> list[Contradiction]:
        """Facts with two values of which one must be wrong, in the order of the pages."""
        found: list[tuple[tuple[int, ...], Contradiction]] = []
        for _, same in groupby(self._descriptions(), itemgetter(0)):
            # Most subjects are on a single page, and need no comparison.
            rows = iter(same)
            on_first_page = [next(rows)]
            for row in rows:
                on_first_page.append(row)
                if row[1] != on_first_page[0][1]:
                    found += self._compared(chain(on_first_page, rows))
                    break
        return [contradiction for _, contradiction in sorted(found, key=itemgetter(0))]

    def _descriptions(self) -> Iterable[_Description]:
        """(hash of a subject, page, entity of the page, subject of the entity) of every description of a subject."""
        rows = (
            (hash(subject), number, position, which)
            for number, facts in self.pages()
            for position, entity in enumerate(facts.entities)
            for which, subject in enumerate(_subjects(entity, facts))
        )
        if self._unpacked is not None:
            return sorted(rows)
        from waypost.spill import in_order

        return in_order(rows)

    def _compared(self, rows: Iterable[_Description]) -> Iterator[tuple[tuple[int, ...], Contradiction]]:
        """(first place, contradiction) of the descriptions of a subject, or of subjects with the same hash."""
        statements: dict[_Fact, dict[str, Statement]] = {}
        first: dict[_Fact, tuple[int, ...]] = {}
        on_one_page: dict[_Fact, set[str]] = {}
        # Most pages describe the site in the same words: these are compared once.
        known: dict[tuple[_Subject, str, bytes], list[tuple[_Fact, str, Statement]]] = {}
        for number, same in groupby(rows, itemgetter(1)):
            facts = self._page(number)
            here: dict[_Fact, str] = {}
            for _, _, position, which in same:
                entity = facts.entities[position]
                subject = next(islice(_subjects(entity, facts), which, None))
                words = (subject, facts.language, bytes(entity.packed))
                stated = known.get(words)
                if stated is None:
                    if len(known) >= _MOST_KNOWN:
                        known.clear()
                    stated = known[words] = []
                    for rank, (fact, norm, text) in enumerate(_facts(subject, entity, facts)):
                        first.setdefault(fact, (number, position, which, rank))
                        stated.append((fact, norm, statements.setdefault(fact, {}).setdefault(norm, Statement(text))))
                for fact, norm, statement in stated:
                    other = here.setdefault(fact, norm)
                    if other != norm:  # a page that states both uses one name for two entities
                        on_one_page.setdefault(fact, set()).update((other, norm))
                    statement.add(Place(number, entity.number, fact[1]))
        for fact, by_norm in statements.items():
            contradiction = _contradiction(fact, by_norm, on_one_page.get(fact, set())) if len(by_norm) > 1 else None
            if contradiction is not None:
                yield first[fact], contradiction

    def unknown_references(self) -> Iterator[tuple[str, Statement]]:
        """Ids, at most `MOST_FINDINGS`, that a page of the run should describe and no page describes.

        The page of an id is the page at the address before its fragment. An id of a page outside the run is unknown.
        """
        used: dict[str, Statement] = {}
        known: set[str] = set()
        homes: set[str] = set()
        for number, facts in self.pages():
            known.update(facts.described, (entity.id for entity in facts.entities if entity.id is not None))
            if facts.url is not None:
                homes.add(_without_scheme(facts.url))
            for reference in facts.references:
                if reference.id not in used and len(used) >= _MOST_REFERENCES:
                    continue
                statement = used.setdefault(reference.id, Statement(reference.id))
                statement.add(Place(number, reference.number, reference.prop))
        unknown = (
            (iri, statement)
            for iri, statement in used.items()
            if iri not in known and "#" in iri and _without_scheme(iri.partition("#")[0]) in homes
        )
        return islice(unknown, MOST_FINDINGS)

    def split_organizations(self) -> Iterator[tuple[str, list[Statement]]]:
        """Names of the site's organizations with several ids, each with its places, the most frequent first.

        Only ids on the host of their page count: an id of another site is the word of its owner.
        """
        ids: dict[_Subject, dict[str, Statement]] = {}
        names: dict[_Subject, str] = {}
        for number, facts in self.pages():
            host = _site_of(facts)
            for entity in facts.entities:
                if not entity.is_organization or entity.id is None or f"on {_host(entity.id)}" != host:
                    continue
                name = entity.facts.get("name")
                subject = (host, _folded(name[0])) if name else None
                if subject is not None and (subject in ids or len(ids) < _MOST_NAMES):
                    by_id = ids.setdefault(subject, {})
                    names.setdefault(subject, entity.facts["name"][0].partition("\0")[0])
                    if entity.id in by_id or len(by_id) < _MOST_NAMES:
                        by_id.setdefault(entity.id, Statement(entity.id)).add(Place(number, entity.number, "name"))
        for subject, by_id in ids.items():
            if len(by_id) > 1:
                yield names[subject], sorted(by_id.values(), key=lambda each: (-each.count, each.places[0]))

    def missing_pages(self, is_breadcrumb: bool) -> Iterator[tuple[str, Statement]]:
        """URLs in lists that are known to have no page, at most `MOST_FINDINGS`, and the places of the links."""
        found: dict[str, Statement] = {}
        for number, facts in self.pages():
            for link in facts.links:
                if link.is_breadcrumb is not is_breadcrumb:
                    continue
                statement = found.get(link.url)
                if statement is None:
                    if len(found) >= MOST_FINDINGS or self._is_there(link.url) is not False:
                        continue
                    statement = found[link.url] = Statement(link.url)
                statement.add(Place(number, link.number, link.prop))
        return iter(found.items())


def _subjects(entity: Entity, facts: PageFacts) -> Iterator[_Subject]:
    """Name for the comparison of an entity: the id; for an organization without id the URL or name."""
    if entity.id is not None:
        yield "", entity.id
        return
    values = entity.facts
    if "url" in values:
        yield _site_of(facts), _without_scheme(values["url"][0])
    elif "name" in values:
        yield _site_of(facts), _folded(values["name"][0])


def _host(url: str) -> str:
    parts = split_url(url)
    return (parts.hostname or "").removeprefix("www.") if parts else ""


def _site_of(facts: PageFacts) -> str:
    """Kind of a subject without an `@id`: pages of two sites may mean two entities by one name."""
    return f"on {_host(facts.url) if facts.url else ''}"


def _facts(subject: _Subject, entity: Entity, facts: PageFacts) -> Iterator[tuple[_Fact, str, str]]:
    """(fact, value in a form to compare, value as written) of every property of an entity."""
    for prop, values in entity.facts.items():
        text, _, language = values[0].partition("\0")
        group = (language or facts.language) if prop in _TEXTS else _currency(text) if prop == "price" else ""
        if prop in URLS:
            shortened = {_image_name(url) if prop == "logo" else _without_scheme(url) for url in values}
            norm, text = "\n".join(sorted(shortened)), ", ".join(values)
        else:
            norm = _norm(text, prop)
        yield (subject, prop, group), norm, text


def _currency(text: str) -> str:
    amount, _, currency = text.rpartition(" ")
    return currency if amount else ""


def _norm(text: str, prop: str) -> str:
    """Value in a form in which equal values are equal."""
    if prop in _NUMBERS:
        # Identifiers are written with and without separators and leading zeros (a GTIN-14 of a GTIN-13).
        return _SEPARATORS.sub("", _folded(text)).lstrip("0")
    if prop == "price":
        amount = read_number(text.rpartition(" ")[0] or text)
        return f"{amount.normalize():f}" if amount is not None else _folded(text)
    if prop == "duration" and (length := read_duration(text)) is not None:
        return f"{length}"
    return _folded(text)


def _contradiction(fact: _Fact, by_norm: Mapping[str, Statement], on_one_page: set[str]) -> Contradiction | None:
    """Statements in contradiction to the most frequent statement, without norms `on_one_page` with another."""
    subject, prop, _ = fact
    ranked = sorted(by_norm.items(), key=lambda entry: (-entry[1].count, entry[1].places[0]))
    most, first = ranked[0]
    if most in on_one_page:
        return None
    others = [statement for norm, statement in ranked[1:] if norm not in on_one_page and not _agree(norm, most, prop)]
    return Contradiction(subject[1], not subject[0], prop, [first, *others]) if others else None


def _agree(norm: str, other: str, prop: str) -> bool:
    """Can both be true? A longer name contains the shorter one; a list of URLs may leave some out."""
    if prop in _TEXTS:
        return norm in other or other in norm
    if prop in ("sameAs", "logo"):
        urls, other_urls = set(norm.split("\n")), set(other.split("\n"))
        return urls <= other_urls or other_urls <= urls
    if prop in _DATES:
        first, second = moment(norm), moment(other)
        return first is not None and second is not None and not (is_before(first, second) or is_before(second, first))
    if prop == "url":
        is_path_of = norm.startswith(other) or other.startswith(norm)
        return is_path_of or norm.partition("/")[0] == other.partition("/")[0]
    return False


def _folded(text: str) -> str:
    """Value without white space around words, letter case, HTML entities and language."""
    return " ".join(unescape(text.partition("\0")[0]).split()).casefold()


def _without_scheme(url: str) -> str:
    """URL without the parts that people ignore: scheme, www, case of the host, a slash at the end."""
    parts = split_url(url)
    if parts is None:
        return url
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"


def _image_name(url: str) -> str:
    """Name of an image without size and format: a logo comes in several sizes, from several hosts."""
    return _IMAGE_SIZE.sub("", _without_scheme(url).partition("?")[0].rpartition("/")[2])


def contradiction_draft(contradiction: Contradiction, fact: str, hint: str) -> SiteDraft:
    """Draft about a contradiction, at the first place deviating from most pages; further places are related."""
    first, *others = contradiction.statements
    odd = others[0]
    message = f"{fact} is {_difference(odd, first)} here and {_difference(first, odd)} on {pages_in_words(first.count)}"
    if further := len(others) - 1:
        message += f"; there {'is' if further == 1 else 'are'} {further} more"
    related = [(first.places[0], f"{_difference(first, odd)}, as on {pages_in_words(first.count)}")]
    for statement in others:
        related += [(place, _difference(statement, first)) for place in statement.places[statement is odd :]]
    norms = sorted(_folded(statement.text)[:80] for statement in contradiction.statements)
    return SiteDraft(
        severity="warning",
        message=message,
        hint=hint,
        place=odd.places[0],
        about=(contradiction.subject, contradiction.prop, *norms),
        related=related[: _MOST_PLACES + 1],
    )


def _difference(statement: Statement, other: Statement) -> str:
    """Text of a statement; for URLs only the URLs missing in `other`, and only the end of a long URL."""
    if "://" not in statement.text:
        return f'"{clip(statement.text, 80)}"'
    other_urls = {_without_scheme(url) for url in other.text.split(", ")}
    own = [url for url in statement.text.split(", ") if _without_scheme(url) not in other_urls]
    displayed = [url if len(url) <= 100 else f"…{url[-80:]}" for url in own[:3]]
    return ", ".join(displayed) + (f" and {len(own) - 3} more" if len(own) > 3 else "")


def pages_in_words(count: int) -> str:
    """Number of further pages: "another page", "3 pages"."""
    return "another page" if count == 1 else f"{count:,} pages"


def missing_page_draft(url: str, statement: Statement, link: str, hint: str) -> SiteDraft:
    """Draft about a URL without a page, at the first link; further links are related."""
    more = f", and {pages_in_words(statement.count - 1)} too" if statement.count > 1 else ""
    return SiteDraft(
        severity="warning",
        message=f"{link} leads to {clip(url, 120)}, where there is no page{more}",
        hint=hint,
        place=statement.places[0],
        about=(url,),
        related=[(place, "it leads there too") for place in statement.places[1:]],
    )
