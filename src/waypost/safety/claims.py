"""What a front page's own structured data says of whose it is, made ready for signals.

Only what stands at the top of its block and is nobody's publisher, author or brand counts as the page speaking of
itself: merchants, magazines and directories name brands all day and pose as none. A page that says nothing is no
better for it.
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
from waypost.safety.catalogue import taking
from waypost.safety.names import Names, names_of
from waypost.safety.relationship import speaks_for_itself
from waypost.safety.target import normalise

_ITSELF = frozenset({"Organization", "WebSite"})
_PAGE = frozenset({"WebPage", "WebSite"})
_OF_ITSELF = frozenset({"publisher", "about", "mainEntity", "copyrightHolder", "isPartOf"})
_OTHER_THINGS = frozenset(
    {"Article", "Product", "Review", "Recipe", "Event", "JobPosting", "Book", "Movie", "Course", "SoftwareApplication"}
)
"""A page about one of these names brands because it speaks of them."""
_NAMES = ("name", "legalName", "alternateName")
MOST_NAMED = 3
"""A page that calls itself more than this many things is a list of others."""
_MOST_NODES = 2000
_FORMS = "inc|incorporated|corp|corporation|co|company|ltd|limited|llc|plc|gmbh|ag|se|sa|nv|bv|oy|ab|as|spa"
_LEGAL = re.compile(rf"[\s,]+(?:{_FORMS})\.?$")
_MARKS = str.maketrans("", "", "®™©℠")


class Said(NamedTuple):
    """One organization or site that a page presents itself as. Places are hosts, as they go on the wire.

    brand     whose name it bears in full, if that is a listed one
    within    the brands whose name it bears among other words
    homes     where its `url` and `@id` are
    pictures  where its `logo` lies
    accounts  where its `sameAs` leads
    """

    brand: Brand | None
    within: tuple[Brand, ...]
    homes: tuple[Target, ...]
    pictures: tuple[Target, ...]
    accounts: tuple[Target, ...]


class Claims(NamedTuple):
    """Everything a page says of itself, and where it stands. `canonical` is where the page says it belongs."""

    target: Target
    world: World
    said: tuple[Said, ...]
    canonical: Target | None

    @property
    def foreign(self) -> bool:
        """Nobody is listed as the owner of the domain, so that what it says of itself may be untrue."""
        return not (self.target.address or names_of(self.world).owned(self.target.registrable, self.target.host))

    def official(self, brand: Brand, places: Iterable[Target]) -> Target | None:
        """The first of some places that are said to be the brand's own, reviewed or not."""
        return next((each for each in places if self._owner(each) == brand.owner), None)

    def here(self, places: Iterable[Target]) -> bool:
        return any(each.registrable == self.target.registrable for each in places)

    def _owner(self, place: Target) -> str:
        brand = self.world.said_to_be(place.registrable) or self.world.said_to_be(place.host)
        return brand.owner if brand else ""


class Back(NamedTuple):
    """The hosts to which the site of a brand links, for a destination that says it is that brand."""

    target: Target
    brand: Brand
    linked: frozenset[str]


def claims_of(target: Target, page: Page, vocabulary: Vocabulary, world: World) -> Claims:
    """Read what a page says of itself. Bounded, and never raises on a page."""
    place = _place(page.url)
    canonical = place if place and place.registrable != target.registrable else None
    nodes = page.nodes[:_MOST_NODES]
    if any(vocabulary.are_a(node.types, _OTHER_THINGS) for node in nodes if node.parent is None):
        return Claims(target, world, (), canonical)
    itself = [node for node in nodes if _presents(node, vocabulary)]
    if len({_plain(name) for node in itself for name in _texts(node, ("name",))}) > MOST_NAMED:
        itself = []
    names = names_of(world)
    return Claims(target, world, tuple(_said(node, names, world) for node in itself), canonical)


def _claimed(claims: Claims) -> Brand | None:
    if not claims.foreign:
        return None
    for each in claims.said:
        if each.brand and claims.here(each.homes) and not claims.official(each.brand, each.homes):
            return each.brand
    return None


def _presents(node: Node, vocabulary: Vocabulary) -> bool:
    """Whether a node is the page speaking of itself."""
    if node.parent is not None or node.reference or node.foreign or node.same_as is not None:
        return False
    if not vocabulary.are_a(node.types, _ITSELF):
        return False
    return all(prop in _OF_ITSELF and vocabulary.are_a(other.types, _PAGE) for other, prop in node.referrers)


def _said(node: Node, names: Names, world: World) -> Said:
    texts = [_plain(text) for text in _texts(node, _NAMES)]
    brand = next((found for text in texts if (found := _by_name(world).get(text))), None)
    words = {word for text in texts for word in text.split()}
    within = {names.tokens[word].brand.slug: names.tokens[word].brand for word in words if _telling(word, names)}
    return Said(
        brand,
        tuple(within.values()),
        tuple(_places((*node.props.get("url", ()), node.id))),
        tuple(_places(_addresses(node, "logo"))),
        tuple(_places(node.props.get("sameAs", ()))),
    )


def _telling(word: str, names: Names) -> bool:
    return word in names.tokens and not names.tokens[word].common


@cache
def _by_name(world: World) -> dict[str, Brand]:
    """Listed brands by their names in full, those left out that are ordinary words or somebody else's too."""
    names = names_of(world)
    found: dict[str, Brand | None] = {}
    for brand in world.brands.values():
        for name in {_plain(each) for each in (*brand.names, *brand.aliases)}:
            token = names.tokens.get(name.replace(" ", ""))
            if len(name) > 2 and (token is None or not token.common):
                found[name] = None if name in found else brand
    return {name: brand for name, brand in found.items() if brand}


def _plain(text: str) -> str:
    """A name without letter case, marks, spacing and legal form."""
    flat = " ".join(text[:200].translate(_MARKS).casefold().split())
    return _LEGAL.sub("", flat)


def _texts(node: Node, props: Iterable[str]) -> Iterator[str]:
    return (value for prop in props for value in node.props.get(prop, ())[:20] if isinstance(value, str))


def _addresses(node: Node, prop: str) -> Iterator[Value]:
    """The values of a property that holds an address, or an image that has one."""
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
    """The host of an absolute address, or none."""
    if not text or "://" not in text[:10]:
        return None
    try:
        return normalise(text.strip())
    except InvalidUrl:
        return None


def evidence_of(claims: Claims, said_anything: bool, observed_at: int, valid_until: int) -> tuple[Evidence, ...]:
    """That the page was read, and what its own data speaks of. A page without any says nothing for or against it."""
    check = Evidence(
        type="structured_data_claim",
        status="observed" if said_anything else "not_observed",
        id="sd",
        observed_at=observed_at,
        valid_until=valid_until,
    )
    found = [each for signal in taking("claims") for each in signal.observe(claims)]
    times = {"observed_at": observed_at, "valid_until": valid_until}
    return check, *(msgspec.structs.replace(each, **times) for each in found)


def evidence_back(back: Back | None, brand: Brand, observed_at: int) -> tuple[Evidence, ...]:
    """Whether the brand's own site links to who claims to be it; none where that site could not be read."""
    if back is None:
        return (Evidence(type="reciprocal_link_check", status="failed", id="rel.reciprocal", brand=brand.slug),)
    found = [each for signal in taking("back") for each in signal.observe(back)]
    missing = Evidence(type="reciprocal_link_check", status="not_observed", id="rel.reciprocal", brand=brand.slug)
    return tuple(msgspec.structs.replace(each, observed_at=observed_at) for each in found or [missing])


def claim_of(claims: Claims) -> tuple[Relationship, ...]:
    """What the page says it is while it points to nowhere but itself, as a claim: unreviewed, and never more."""
    brand = _claimed(claims)
    if brand is None:
        return ()
    whole = speaks_for_itself(claims.world, claims.target)
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
