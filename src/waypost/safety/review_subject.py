"""Subject of a relationship: a registrable domain, or a single host where the domain has several owners."""

from __future__ import annotations

import re
from typing import NamedTuple

from waypost.errors import InvalidUrl
from waypost.formats.text import display_name
from waypost.formats.urls import has_two_hosts
from waypost.models.relationship import Scope
from waypost.registry.world import World
from waypost.safety.target import normalise


class ReviewSubject(NamedTuple):
    """Domain or host that a review verifies, exactly."""

    domain: str
    scope: Scope


def subject_of(text: str) -> ReviewSubject:
    """Subject that a host or a URL names. Raises InvalidUrl.

    Scope `registrable` only for a registered domain; a tenant of a host and a name below a registered domain
    have scope `host`.
    """
    target = normalise(text if "://" in text else f"https://{text}")
    if target.address:
        raise InvalidUrl("an address belongs to the host that has it today")
    if target.host == target.suffix or "." not in target.host:
        raise InvalidUrl(f"{target.host} is a suffix below which others register")
    whole = target.host == target.registrable and not target.hosted
    return ReviewSubject(target.host, "registrable" if whole else "host")


def is_url_of(url: str, domain: str) -> bool:
    """Whether a URL leads to a reviewed domain or host, without credentials and read alike by every program."""
    try:
        subject, target = subject_of(domain), normalise(url)
    except InvalidUrl:
        return False
    own = target.registrable if subject.scope == "registrable" else target.host
    return own == subject.domain and not target.userinfo and not has_two_hosts(url)


def entity_of(text: str, world: World) -> tuple[str, str]:
    """Slug and name of a listed brand by slug, name or domain; else a slug made of the text. A URL is cut to its host.

    Raises InvalidUrl.
    """
    # What a reviewer reads is what is compared with the brands: "Ac\u200bme" is Acme.
    text = display_name(text)
    if not text:
        raise InvalidUrl("a name has a character that can be seen")
    text = normalise(text).unicode_host if "://" in text else text
    name = text.casefold()
    brand = world.brands.get(name) or world.brand_at(name)
    if brand is None:
        named = (brand for brand in world.brands.values() if name in map(str.casefold, (*brand.names, *brand.aliases)))
        brand = next(named, None)
    if brand is not None:
        return brand.slug, brand.name
    return "-".join(re.findall(r"[^\W_]+", name))[:80] or name[:80], text
