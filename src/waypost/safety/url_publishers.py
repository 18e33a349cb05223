"""Publishers at an address of a host: its owner or third parties, as far as brands, places and functions show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

import msgspec

from waypost.models.decision import Target
from waypost.registry.functions import functions_of
from waypost.registry.places import DEVICE_SIGN_IN, Publishers, UrlPath, places_of, unquote_fully
from waypost.registry.world import World
from waypost.safety.relationship import is_run_by_owner
from waypost.safety.target import UrlParts


class _PublishersAt(NamedTuple):
    """Entries for a host: patterns of entries without `when`, of all entries, and the names in `when`."""

    entries: tuple[Publishers, ...]
    plain: tuple[str, ...]
    paths: tuple[str, ...]
    needed: frozenset[str]


@lru_cache(maxsize=4096)
def _publishers_at(target: Target, world: World) -> _PublishersAt:
    """Entries for a host, with what shows soonest that no entry is about an address."""
    places, own_name = places_of(world), own_name_of(target, world)
    index = places.publishers
    found = index.entries(target.host, own_name)
    if not found:
        return _NOWHERE
    of_domain = index.entries(target.registrable, own_name.rpartition(".")[2])
    if found is of_domain:
        return _everywhere(world)
    return _summary(tuple(entry for entry in found if entry.is_about(target.host, places.words.reserved)), of_domain)


@lru_cache(maxsize=4)
def _everywhere(world: World) -> _PublishersAt:
    """Entries for the hosts of registered brands that have none of their own: nine of ten."""
    entries = places_of(world).publishers.everywhere
    return _summary(entries, entries)


def _summary(entries: tuple[Publishers, ...], of_domain: tuple[Publishers, ...]) -> _PublishersAt:
    # Where third parties publish on the host or its domain, any name may be the code of an invitation.
    if not all(entry.is_general for entry in (*entries, *of_domain)):
        entries = tuple(
            msgspec.structs.replace(entry, names="path") if entry.names == "code" else entry for entry in entries
        )
    return _PublishersAt(
        entries,
        tuple(dict.fromkeys(path for entry in entries if not entry.when for path in entry.paths)),
        tuple(dict.fromkeys(path for entry in entries for path in entry.paths)),
        frozenset(name for entry in entries for name in entry.when),
    )


_NOWHERE = _PublishersAt((), (), (), frozenset())


def own_name_of(target: Target, world: World) -> str:
    """Host without its public suffix, for a domain of a registered brand; empty for a third party's domain."""
    return ".".join(target.own_labels) if world.brand_at(target.registrable) else ""


def publishers_of(parts: UrlParts, world: World) -> str:
    """Kind of content of third parties at an address, or `device_sign_in`; empty for none.

    The front page is of the host's owner, except with a fragment that is a place, and on a tenant's host.
    """
    entries, plain, paths, needed = _publishers_at(parts.target, world)
    if entries and parts.path == "/" and not parts.query:
        fragment = bool(parts.fragment)
        entries = tuple(e for e in entries if e.names == "host" or (fragment and any("#" in path for path in e.paths)))
    if not entries:
        return ""
    path, words = UrlPath(parts.path, parts.fragment, _wiki_title(parts.query)), places_of(world).words
    names = _names(parts) if needed else frozenset()
    # One search in place of one for each entry, without the paths of those that need a parameter of another name.
    if not path.matches(plain if needed.isdisjoint(names) else paths):
        return ""
    found = ""
    for entry in entries:
        # A sign-in of a device is the owner's own page, unless another entry says who publishes there.
        if entry.what != found and entry.applies(path, names, words):
            found = entry.what
            if found != DEVICE_SIGN_IN:
                break
    return found


def is_beyond_functions(parts: UrlParts, world: World, parameters: Sequence[tuple[str, str]] | None = None) -> bool:
    """Whether third parties publish at a brand, and the address is not one of the owner's functions.

    parameters  those of query and fragment, where they were read before
    """
    target = parts.target
    brand = world.brand_at(target.registrable) or world.brand_at(target.host)
    if brand is None or not (functions := functions_of(world)).applies(brand):
        return False
    if not functions.is_platform(brand) and functions.is_main(_below(target, world)):
        return False
    if parameters is None or parts.fragment:
        parameters = parse_qsl(parts.query, keep_blank_values=True)
    names = {name.lower() for name, _ in parameters}
    path, fragment = UrlPath(parts.path), unquote_fully(parts.fragment)
    return not functions.has(target.host, _below(target, world), path, names, fragment)


def _below(target: Target, world: World) -> tuple[str, ...]:
    """Labels of a host in front of the registrable domain. A host reviewed by itself is as good as a domain."""
    return () if target.host in world.official else target.own_labels[:-1]


def is_unlisted(target: Target, world: World) -> bool:
    """Whether a host of a brand where third parties publish may be a third party's, whatever the path."""
    brand = world.brand_at(target.registrable) or world.brand_at(target.host)
    if brand is None or not (functions := functions_of(world)).applies(brand) or target.host in functions.at_hosts:
        return False
    return not functions.is_of_owner(_below(target, world))


def _wiki_title(query: str) -> str:
    """Last `title` of a query, which names a wiki's page; empty for none."""
    if "title" not in query.lower() and "%" not in query:
        return ""
    return next((value for name, value in reversed(parse_qsl(query)) if name.lower() == "title"), "")


def _names(parts: UrlParts) -> frozenset[str]:
    """Names of the parameters of query and fragment, in lower case."""
    pairs = f"{parts.query}&{parts.fragment}".split("&") if parts.query or parts.fragment else []
    # `#/join?partner=1`: behind the place of an app of one page.
    return frozenset(unquote(pair.partition("=")[0]).rpartition("?")[2].lower() for pair in pairs)


def is_of_owner(inner: UrlParts, outer: Target, world: World) -> bool:
    """Whether a URL is of a target's owner, as far as brands and domains show.

    Of a host where third parties publish, only the front page is: no one else publishes there.
    """
    there = inner.target
    if there.host == outer.host:
        return True
    # The listed host itself: names below it are third parties' from their front page on.
    front = inner.path == "/" and not inner.query and there.host in world.user_content and not there.hosted
    if not ((front or is_run_by_owner(world, there)) and is_run_by_owner(world, outer)):
        return False
    here, over = world.brand_at(outer.registrable), world.brand_at(there.registrable)
    return there.registrable == outer.registrable or bool(here and over and here.owner == over.owner)
