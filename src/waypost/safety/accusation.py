"""Accusation of a destination: a decisive name, or two facts of different kinds that point to one brand.

A name alone is a resemblance: companies, suppliers and fans bear a brand's name too. It becomes an accusation with a
fact of another kind: a young domain, free hosting, a threat list, a page that shows the brand next to a field for a
password or a card, or a redirect to a third party. A certificate or name servers of the brand's own group end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from waypost.models.decision import Evidence, Target
from waypost.models.observation import Observations
from waypost.registry.world import Brand, World
from waypost.safety.brand_index import brand_index_of
from waypost.safety.counterparty import folded
from waypost.safety.network_evidence import YOUNG_MS
from waypost.safety.relationship import imitation
from waypost.safety.target import of_host, registrable_domain
from waypost.safety.url_evidence import POSES

Fact = Literal["name", "claim", "hosting", "registration", "list", "page", "redirect"]
_YOUNG_NAME_MS = 90 * 86_400_000
"""Registrations younger than this, in milliseconds, are a fact next to a name; those of YOUNG_MS are a risk alone."""
_FREE_HOSTING = "host.free"
_YOUNG = "net.rdap.young"
_FACTS: dict[str, Fact] = {
    _FREE_HOSTING: "hosting",
    _YOUNG: "registration",
    "net.rdap": "registration",
    "list.match": "list",
    "sd.requests-secrets": "page",
    "net.http.redirect": "redirect",
}
_WEIGHTY = frozenset({"decisive", "strong"})
_WHOLE_NAME = re.compile(r"lex\.homoglyph\.\w+-label|host\.shared\.\w+-label")
"""Ids of signals about a complete label: a lookalike, or a tenant with exactly the brand's name."""
_UNREGISTERED = frozenset({"onion", "alt"})
"""Top-level domains whose names are keys or belong to other systems, and are not chosen freely (RFC 7686, RFC 9476)."""
_SERVES_OTHERS = frozenset({"hosting", "cloud", "domains", "developer", "security"})
"""Categories of brands whose name servers answer for their customers."""


class Accusation(NamedTuple):
    """Result of weighing the facts. `evidence` replaces the evidence of the decision.

    accused    brand that the destination is suspected to imitate
    resembles  brand to which a single fact points, which is not an accusation
    named      strongest evidence that points to this brand
    decisive   the name alone decides
    """

    evidence: list[Evidence]
    accused: Brand | None = None
    resembles: Brand | None = None
    named: Evidence | None = None
    decisive: bool = False


def weigh(
    target: Target, evidence: Sequence[Evidence], seen: Observations | None, world: World, now: int
) -> Accusation:
    """Accusation of a destination that no review in force covers."""
    pieces = list(evidence)
    if target.labels[-1:] and target.labels[-1] in _UNREGISTERED:
        pieces = [
            piece for piece in pieces if not (piece.type == "lexical_check" and piece.brand and piece.id != POSES)
        ]
    brand = imitation(pieces, world)
    if brand is None:
        return Accusation(pieces)
    pointing = [piece for piece in pieces if piece.brand == brand.slug and piece.strength in _WEIGHTY]
    poses = any(piece.id == POSES for piece in pointing)
    if not poses and seen is not None and _is_of_brand(target, seen, brand, world):
        return Accusation(pieces)
    pieces += _further_facts(target, seen, world, now)
    decisive = poses or any(_is_decisive(piece, target, brand, world) for piece in pointing)
    if decisive or len(_facts(pieces, pointing, brand, seen, world)) > 1:
        return Accusation(pieces, accused=brand, decisive=decisive)
    return Accusation(pieces, resembles=brand, named=pointing[0])


def _is_decisive(piece: Evidence, target: Target, brand: Brand, world: World) -> bool:
    if piece.id.startswith("lex.embedded."):
        return writes_official_domain(target, brand, world)
    return _WHOLE_NAME.match(piece.id) is not None and (piece.strength == "decisive" or piece.id.startswith("host."))


def writes_official_domain(target: Target, brand: Brand, world: World) -> bool:
    """Whether a listed domain of the brand's owner is written into the host's own labels, with dots or hyphens."""
    words = ".".join(target.own_labels).replace("-", ".").split(".")
    for start in range(len(words)):
        for end in range(start + 2, len(words) + 1):
            owner = world.brand_at(".".join(words[start:end]))
            if owner is not None and owner.owner == brand.owner:
                return True
    return False


def _further_facts(target: Target, seen: Observations | None, world: World, now: int) -> Iterator[Evidence]:
    """Facts that are evidence only next to a name or a claim."""
    if is_on_free_hosting(target, world):
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id=_FREE_HOSTING,
            detail=f"anyone may take a name below {target.suffix}",
        )
    registered = seen.registration.registered_at if seen is not None else None
    if seen is not None and registered is not None and YOUNG_MS <= now - registered < _YOUNG_NAME_MS:
        days = (now - registered) // 86_400_000
        yield Evidence(
            type="registration_data_check",
            status="observed",
            id=_YOUNG,
            strength="medium",
            detail=f"{target.registrable} was registered {days} days ago",
            observed_at=seen.registration.observed_at,
            valid_until=seen.registration.valid_until,
        )


def is_on_free_hosting(target: Target, world: World) -> bool:
    """Whether anyone may take a name below the target's suffix, which businesses do not pay for."""
    if not target.hosted:
        return False
    services = brand_index_of(world).customers
    return target.suffix not in services and of_host(target.suffix).registrable not in services


def _facts(
    evidence: Iterable[Evidence], pointing: Iterable[Evidence], brand: Brand, seen: Observations | None, world: World
) -> set[Fact]:
    """Kinds of the facts against a destination."""
    facts: set[Fact] = {"name" if piece.type == "lexical_check" else "claim" for piece in pointing}
    for piece in evidence:
        fact = _FACTS.get(piece.id)
        if fact is None or piece.status != "observed" or (piece.brand and piece.brand != brand.slug):
            continue
        if fact == "redirect" and seen is not None and _ends_at_brand(seen, brand, world):
            continue
        facts.add(fact)
    return facts


def _is_of_brand(target: Target, seen: Observations, brand: Brand, world: World) -> bool:
    """Whether certificate or name servers show the brand's own organization behind a destination.

    Neither verifies it: the destination stays unverified.
    """
    tls = seen.tls
    if tls.status == "observed" and tls.valid and tls.organization:
        names = {folded(name, world) for each in _group(brand, world) for name in (*each.names, *each.aliases)}
        if folded(tls.organization, world) in names:
            return True
    if target.hosted or seen.dns.status != "observed" or not _SERVES_OTHERS.isdisjoint(brand.categories):
        return False
    servers = {registrable_domain(name) for name in seen.dns.name_servers}
    return bool(servers) and all(name is not None and _owns(brand, name, world) for name in servers)


def _group(brand: Brand, world: World) -> Iterator[Brand]:
    """Brands of the brand's owner, the brand itself included."""
    return (each for each in world.brands.values() if each.owner == brand.owner)


def _owns(brand: Brand, domain: str, world: World) -> bool:
    owner = world.official.get(domain)
    return owner is not None and owner.owner == brand.owner


def _ends_at_brand(seen: Observations, brand: Brand, world: World) -> bool:
    """Whether every redirect leads to a reviewed domain of the brand's owner, as its own further domains redirect."""
    return all(_owns(brand, of_host(hop.host).registrable, world) for hop in seen.http.hops[1:] if ":" not in hop.host)
