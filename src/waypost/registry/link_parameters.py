"""Parameters by which the writer of a URL chooses for the user, and scopes of authorization requests.

The files are `data/places/prefilled.json` and `data/places/scopes.json`, whose `about` describes their members.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

import msgspec

from waypost.registry.world import World


class Prefilled(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"exceptions": "except"}):
    """Names of parameters that fill in a recipient, an amount or a code. `exceptions`: patterns of harmless values."""

    what: str
    names: tuple[str, ...]
    source: str
    read: str
    exceptions: tuple[str, ...] = ()

    def is_harmless(self, value: str) -> bool:
        text = value.strip().lower()
        return not text or any(fnmatchcase(text, pattern) for pattern in self.exceptions)


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Scopes of a provider of sign-ins: kind of grant -> patterns of scopes."""

    hosts: tuple[str, ...]
    source: str
    read: str
    grants: Mapping[str, tuple[str, ...]]

    def is_at(self, host: str) -> bool:
        return any(fnmatchcase(host, pattern) for pattern in self.hosts)


class Scopes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters with scopes, parameters that request access without the user, and the providers."""

    about: str
    parameters: frozenset[str]
    offline: Mapping[str, tuple[str, ...]]
    providers: tuple[Provider, ...]

    def kinds(self, providers: Iterable[Provider], pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
        """Kinds of grants that an authorization request to a host's providers asks for. Pairs have normal names."""
        scopes: set[str] = set()
        found: set[str] = set()
        for name, value in pairs:
            if name in self.parameters:
                scopes.update(value.lower().replace(",", " ").replace("+", " ").replace("|", " ").split())
            elif value.lower() in self.offline.get(name, ()):
                found.add("offline")
        # What a provider grants without a scope is known to the provider alone (RFC 6749, section 3.3).
        if not scopes:
            found.add("other")
        for scope in scopes:
            found.add(next((kind for each in providers if (kind := _kind(each, scope))), "other"))
        return frozenset(found)


def _kind(provider: Provider, scope: str) -> str:
    for kind, patterns in provider.grants.items():
        if any(fnmatchcase(scope, pattern) for pattern in patterns):
            return kind
    return ""


class _PrefilledFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    entries: tuple[Prefilled, ...]


class LinkParameters(NamedTuple):
    """Prefilling parameters by normal name, and the scopes."""

    prefilled: Mapping[str, Prefilled]
    scopes: Scopes


@lru_cache(maxsize=8)
def link_parameters_of(world: World) -> LinkParameters:
    """Parameters in the files of a world. Raises RegistryError."""
    entries: _PrefilledFile = world.read("places/prefilled.json", _PrefilledFile)
    scopes: Scopes = world.read("places/scopes.json", Scopes)
    return LinkParameters({name: entry for entry in entries.entries for name in entry.names}, scopes)


@lru_cache(maxsize=1024)
def providers_at(host: str, world: World) -> tuple[Provider, ...]:
    """Providers of sign-ins at a host, those of every host last: the provider's own words come first."""
    found = [each for each in link_parameters_of(world).scopes.providers if each.is_at(host)]
    return tuple(sorted(found, key=lambda each: each.hosts == ("*",)))
