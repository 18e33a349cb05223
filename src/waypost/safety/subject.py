"""What a relationship may be about: a registrable domain, or one host where the domain is not its owner's alone."""

from __future__ import annotations

import re
from typing import NamedTuple

from waypost.errors import InvalidUrl
from waypost.models.relationship import Scope
from waypost.registry.world import World
from waypost.safety.target import normalise


class Subject(NamedTuple):
    """The exact place that a review verifies, and nothing beside it."""

    domain: str
    scope: Scope


def subject_of(text: str) -> Subject:
    """The place that a host or a URL names. Raises InvalidUrl.

    Scope `registrable` only where somebody registered the whole domain: a tenant of a host, and a name below a
    registered domain, stand for themselves alone.
    """
    target = normalise(text if "://" in text else f"https://{text}")
    if target.address:
        raise InvalidUrl("an address belongs to whoever has it today")
    if target.host == target.suffix or "." not in target.host:
        raise InvalidUrl(f"{target.host} is a suffix below which others register")
    whole = target.host == target.registrable and not target.hosted
    return Subject(target.host, "registrable" if whole else "host")


def entity_of(text: str, world: World) -> tuple[str, str]:
    """Slug and name of a listed brand by slug, name or domain; else a slug made of the text. Of a URL only the host.

    Raises InvalidUrl.
    """
    text = normalise(text.strip()).unicode_host if "://" in text else text.strip()
    asked = text.casefold()
    brand = world.brands.get(asked) or world.said_to_be(asked)
    if brand is None:
        named = (each for each in world.brands.values() if asked in map(str.casefold, (*each.names, *each.aliases)))
        brand = next(named, None)
    if brand is not None:
        return brand.slug, brand.name
    return "-".join(re.findall(r"[^\W_]+", asked))[:80] or asked[:80], text
