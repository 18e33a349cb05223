"""Claims of a front page about the page's own identity, read from structured data for signals.

A claim is a node at the top of a block, and no publisher, author or brand of another node: merchants, magazines and
directories name brands all day and pose as none. A page without claims gains no trust from the absence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from waypost.errors import InvalidUrl
from waypost.models.decision import Evidence, Target
from waypost.models.page import Node, Page, Value
from waypost.models.relationship import Relationship
from waypost.registry.vocabulary import Vocabulary
from waypost.registry.world import Brand, World
from waypost.safety.brand_index import BrandIndex, brand_index_of
from waypost.safety.catalogue import signals_taking
from waypost.safety.relationship import is_run_by_owner
from waypost.safety.target import split

_ITSELF = frozenset({"Organization", "WebSite"})
_PAGE = frozenset({"WebPage", "WebSite"})
_OF_ITSELF = frozenset({"publisher", "about", "mainEntity", "copyrightHolder", "isPartOf"})
_SUBJECT_TYPES = frozenset(
    {"Article", "Product", "Review", "Recipe", "Event", "JobPosting", "Book", "Movie", "Course", "SoftwareApplication"}
)
"""Types of pages about a subject: the page names brands without claiming to be a brand."""
_NAMES = ("name", "legalName", "alternateName")
MOST_NAMED = 3
"""Limit of names on a page; a page with more names is a directory."""
# The page is a third party's: each list that is read here is cut, so that no page costs more than a bounded time.
_MOST_NODES = 2000
_FORMS = "inc|incorporated|corp|corporation|co|company|ltd|limited|llc|plc|gmbh|ag|se|sa|nv|bv|oy|ab|as|spa"
_LEGAL = re.compile(rf"[\s,]+(?:{_FORMS})\.?$")
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_SECRET_FIELD = re.compile(
    r"<input\b[^>]{0,400}?\b(?:type\s?=\s?[\"']?password|autocomplete\s?=\s?[\"']?cc-|"
    r"(?:name|id)\s?=\s?[\"']?(?:card[_-]?num|cc[_-]?num|cvv|cvc))",
    re.IGNORECASE,
)
_MARKS = str.maketrans("", "", "®™©℠")


class Claim(NamedTuple):
    """Organization or site that a page presents as itself. Hosts are targets, with A-labels.

    brand     listed brand with exactly the claimed name, or None
    within    brands with a token among the words of the name
    homes     hosts of `url` and `@id`
    pictures  hosts of `logo`
    accounts  hosts of `sameAs`
    """

    brand: Brand | None
    within: tuple[Brand, ...]
    homes: tuple[Target, ...]
    pictures: tuple[Target, ...]
    accounts: tuple[Target, ...]


class PageClaims(NamedTuple):
    """Claims of the page at a target.

    canonical  host of the canonical link; None on the same domain
    title      title in plain letters
    secrets    the page has a field for a password or a card
    """

    target: Target
    world: World
    claims: tuple[Claim, ...]
    canonical: Target | None
    title: str = ""
    secrets: bool = False

    @property
    def foreign(self) -> bool:
        """Whether the domain has no listed owner, so claims may be false."""
        return not (self.target.address or brand_index_of(self.world).owned(self.target.registrable, self.target.host))

    def official(self, brand: Brand, places: Iterable[Target]) -> Target | None:
        """First place on a listed domain of the brand's owner, reviewed or not."""
        return next((place for place in places if self._owner(place) == brand.owner), None)

    def here(self, places: Iterable[Target]) -> bool:
        return any(place.registrable == self.target.registrable for place in places)

    def _owner(self, place: Target) -> str:
        brand = self.world.brand_at(place.registrable) or self.world.brand_at(place.host)
        return brand.owner if brand else ""


class BrandLinks(NamedTuple):
    """Hosts linked from a brand's own site, to compare with a destination claiming to be the brand."""

    target: Target
    brand: Brand
    linked: frozenset[str]


def claims_of(target: Target, page: Page, vocabulary: Vocabulary, world: World) -> PageClaims:
    """Claims of a page about itself. Bounded in time; raises nothing, whatever the page holds."""
    place = _place(page.url)
    canonical = place if place and place.registrable != target.registrable else None
    nodes = page.nodes[:_MOST_NODES]
    found = _TITLE.search(page.text)
    title, secrets = _plain(found[1]) if found else "", _SECRET_FIELD.search(page.text) is not None
    # An article or a shop's product page has organizations at the top too, and is about them.
    if any(vocabulary.are_a(node.types, _SUBJECT_TYPES) for node in nodes if node.parent is None):
        return PageClaims(target, world, (), canonical, title, secrets)
    own = [node for node in nodes if _presents(node, vocabulary)]
    if len({_plain(name) for node in own for name in _texts(node, ("name",))}) > MOST_NAMED:
        own = []
    names = brand_index_of(world)
    claims = tuple(_claim(node, names, world) for node in own)
    return PageClaims(target, world, claims, canonical, title, secrets)


def _claimed(claims: PageClaims) -> Brand | None:
    if not claims.foreign:
        return None
    for claim in claims.claims:
        if claim.brand and claims.here(claim.homes) and not claims.official(claim.brand, claim.homes):
            return claim.brand
    return None


def _presents(node: Node, vocabulary: Vocabulary) -> bool:
    """Whether a node is a claim of the page about itself."""
    if node.parent is not None or node.reference or node.foreign or node.same_as is not None:
        return False
    if not vocabulary.are_a(node.types, _ITSELF):
        return False
    return all(prop in _OF_ITSELF and vocabulary.are_a(referrer.types, _PAGE) for referrer, prop in node.referrers)


def _claim(node: Node, names: BrandIndex, world: World) -> Claim:
    texts = [_plain(text) for text in _texts(node, _NAMES)]
    brand = next((found for text in texts if (found := _by_name(world).get(text))), None)
    words = {word for text in texts for word in text.split()}
    within = {names.tokens[word].brand.slug: names.tokens[word].brand for word in words if _is_distinctive(word, names)}
    return Claim(
        brand,
        tuple(within.values()),
        tuple(_places((*node.props.get("url", ()), node.id))),
        tuple(_places(_addresses(node, "logo"))),
        tuple(_places(node.props.get("sameAs", ()))),
    )


def _is_distinctive(word: str, names: BrandIndex) -> bool:
    return word in names.tokens and not names.tokens[word].common


@cache
def _by_name(world: World) -> dict[str, Brand]:
    """Listed brands by full name, without ordinary words and without names shared by two brands."""
    names = brand_index_of(world)
    found: dict[str, Brand | None] = {}
    for brand in world.brands.values():
        for name in {_plain(name) for name in (*brand.names, *brand.aliases)}:
            token = names.tokens.get(name.replace(" ", ""))
            if len(name) > 2 and (token is None or not token.common):
                # None marks a name shared by two brands: no claim can be attributed.
                found[name] = None if name in found else brand
    return {name: brand for name, brand in found.items() if brand}


def _plain(text: str) -> str:
    """Name without letter case, trademark signs, spacing and legal form."""
    flat = " ".join(text[:200].translate(_MARKS).casefold().split())
    return _LEGAL.sub("", flat)


def _texts(node: Node, props: Iterable[str]) -> Iterator[str]:
    return (value for prop in props for value in node.props.get(prop, ())[:20] if isinstance(value, str))


def _addresses(node: Node, prop: str) -> Iterator[Value]:
    """URLs in the values of a property, including URLs of images."""
    for value in node.props.get(prop, ())[:20]:
        if isinstance(value, Node):
            yield from (*value.props.get("url", ())[:5], *value.props.get("contentUrl", ())[:5], value.id)
        else:
            yield value


def _places(values: Iterable[Value]) -> Iterator[Target]:
    for value in list(values)[:20]:
        text = value.id if isinstance(value, Node) else value
        if isinstance(text, str) and (place := _place(text)):
            yield place


def _place(text: str | None) -> Target | None:
    """Target of an absolute URL, or None."""
    # A relative URL is on the page's own host and says nothing about others.
    if not text or "://" not in text[:10]:
        return None
    try:
        return split(text.strip()).target
    except InvalidUrl:
        return None


def evidence_of(claims: PageClaims, has_data: bool, observed_at: int, valid_until: int) -> tuple[Evidence, ...]:
    """Evidence of reading the page, and the signals. A page without data is neither for nor against the destination."""
    check = Evidence(
        type="structured_data_claim",
        status="observed" if has_data else "not_observed",
        id="sd",
        observed_at=observed_at,
        valid_until=valid_until,
    )
    found = [piece for signal in signals_taking("claims") for piece in signal.observe(claims)]
    times = {"observed_at": observed_at, "valid_until": valid_until}
    return check, *(msgspec.structs.replace(piece, **times) for piece in found)


def evidence_back(back: BrandLinks | None, brand: Brand, observed_at: int) -> tuple[Evidence, ...]:
    """Evidence of links from the brand's own site; status `failed` where `back` is None, the site unread."""
    if back is None:
        return (Evidence(type="reciprocal_link_check", status="failed", id="rel.reciprocal", brand=brand.slug),)
    found = [piece for signal in signals_taking("back") for piece in signal.observe(back)]
    missing = Evidence(type="reciprocal_link_check", status="not_observed", id="rel.reciprocal", brand=brand.slug)
    return tuple(msgspec.structs.replace(piece, observed_at=observed_at) for piece in found or [missing])


def claim_of(claims: PageClaims) -> tuple[Relationship, ...]:
    """Unreviewed relationship for a page claiming to be a brand and pointing to the page's own domain; else empty."""
    brand = _claimed(claims)
    if brand is None:
        return ()
    # Below a hosting service the domain has other owners than the page.
    whole = is_run_by_owner(claims.world, claims.target)
    domain = claims.target.registrable if whole else claims.target.host
    return (
        Relationship(
            id=f"page:{brand.slug}:{domain}",
            domain=domain,
            entity=brand.slug,
            scope="registrable" if whole else "host",
            review_source="the page's own data",
        ),
    )
