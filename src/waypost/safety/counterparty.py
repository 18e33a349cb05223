"""Counterparty of a caller: the intended owner, compared with the owner of the destination.

A name never verifies a destination: a name contradicts the destination's owner, or is unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from waypost.errors import InvalidUrl
from waypost.models.decision import Evidence, ReasonCode, Target
from waypost.models.relationship import Relationship
from waypost.registry.world import Brand, World
from waypost.safety.policy import VERIFIED
from waypost.safety.relationship import Standing
from waypost.safety.target import normalise

UNKNOWN = ""
"""Counterparty without an entry in the registry or a review of the destination."""
_WORD = re.compile(r"[^\W_]+")
_DOMAIN = re.compile(r"[\w.-]+\.[\w-]{2,63}/?")


class Comparison(NamedTuple):
    """Comparison of a counterparty with the owner of a destination. `brand` is None for other entities."""

    outcome: Literal["same", "other", "unknown", "unconfirmed"]
    brand: Brand | None = None


def counterparties_of(
    names: Iterable[str], target: Target, known: Iterable[Relationship], world: World
) -> tuple[str, ...]:
    """Slugs of brands and entities by name, slug or domain; UNKNOWN for every other name.

    The caller's own text goes no further than this function. The destination's own domain is not a counterparty.
    """
    entities = {folded(each.entity, world): each.entity for each in known}
    found: list[str] = []
    for name in names:
        domain = _domain_in(name)
        # A caller who names the destination's own domain says nothing about its owner.
        if domain is not None and target.registrable in {domain.registrable, domain.host}:
            continue
        brand = world.brand_at(domain.registrable) or world.brand_at(domain.host) if domain else None
        key = folded(name, world)
        slugs = [brand.slug] if brand else [*_by_name(world).get(key, ()), *filter(None, [entities.get(key)])]
        # Of brands with one name, the one that owns the destination: naming it contradicts nothing.
        owner = world.brand_at(target.registrable)
        own = [slug for slug in slugs if owner and slug == owner.slug]
        found.append((own or slugs or [UNKNOWN])[0])
    return tuple(dict.fromkeys(found))


def _domain_in(name: str) -> Target | None:
    """Target of a name in the form of a domain or a URL, else None."""
    text = name.strip()
    if "://" not in text and not _DOMAIN.fullmatch(text):
        return None
    try:
        return normalise(text if "://" in text else f"https://{text}")
    except InvalidUrl:
        return None


@lru_cache(maxsize=8)
def _by_name(world: World) -> dict[str, tuple[str, ...]]:
    """Folded name -> slugs of the brands with this name."""
    found: dict[str, tuple[str, ...]] = {}
    for brand in world.brands.values():
        for name in {folded(text, world) for text in (brand.slug, *brand.names, *brand.aliases)} - {""}:
            found[name] = (*found.get(name, ()), brand.slug)
    return found


@lru_cache(maxsize=8192)
def folded(name: str, world: World) -> str:
    """Letters and digits of a name in one form, without a legal form at the end."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    # "Acme GmbH & Co. KG" has several; a name made of nothing else keeps its last word.
    while len(words) > 1 and words[-1] in _legal_forms(world):
        words.pop()
    return "".join(words)


@lru_cache(maxsize=8)
def _legal_forms(world: World) -> frozenset[str]:
    path = "words/legal-forms.json"
    return frozenset(world.document(path)["words"]) if path in world.files else frozenset()


def comparisons(
    counterparties: Iterable[str], found: Standing, target: Target, world: World, receivers: Sequence[str] = ()
) -> list[Comparison]:
    """Comparison of each counterparty with the owner of the destination.

    receivers  entities of the reviewed receivers of a sign-in, which a caller may have in mind too
    """
    return [_comparison(slug, found, target, world, receivers) for slug in counterparties]


def _comparison(slug: str, found: Standing, target: Target, world: World, receivers: Sequence[str]) -> Comparison:
    if slug == UNKNOWN:
        return Comparison("unknown")
    brand = world.brands.get(slug)
    if found.status in VERIFIED:
        entities = (found.review.entity if found.review else "", *receivers)
        owners = [world.brands.get(entity) for entity in entities]
        same = slug in entities or any(brand and owner and brand.owner == owner.owner for owner in owners)
        return Comparison("same" if same else "other", brand)
    # Claims and lapsed reviews confirm no one; a domain that the registry has under the name contradicts no one.
    near = world.brand_at(target.registrable)
    return Comparison("unconfirmed" if near and brand and near.owner == brand.owner else "other", brand)


def evidence_of(compared: Iterable[Comparison]) -> Iterator[Evidence]:
    """Evidence of the comparisons, which never makes a decision milder."""
    for each in compared:
        yield Evidence(
            type="caller_supplied",
            status="conflicting"
            if each.outcome == "other"
            else "observed"
            if each.outcome == "same"
            else "not_observed",
            id=f"caller.counterparty.{each.outcome}",
            brand=each.brand.slug if each.brand else "",
        )


def bound(found: Standing, compared: Sequence[Comparison]) -> Standing:
    """Relationship of a destination, bound to the intended owner."""
    other = next((each for each in compared if each.outcome == "other"), None)
    if any(each.outcome == "unknown" for each in compared):
        found = msgspec.structs.replace(found, unknowns=(*found.unknowns, "claimed_brand_unknown"))
    if other is None:
        return found
    reasons: tuple[ReasonCode, ...] = (*found.reasons, "counterparty_mismatch")
    return msgspec.structs.replace(found, reasons=reasons, contradicted=True, intended=other.brand)
