"""Functions of owners at brands where third parties publish, from `data/places/functions.json`.

The file's `about` describes its members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import msgspec

from waypost.registry.places import LANGUAGE_ALIAS, UrlPath, places_of
from waypost.registry.world import Brand, World

_ENDING = re.compile(r"\.[a-z]{2,6}$")
_FRAGMENT = re.compile("[/!?&=]")
_SHORT = re.compile(r"v?[0-9]{1,2}")
_MAIN = re.compile("www[0-9]?")
_COUNTRY = re.compile(r"[a-z]{2}(?:-[a-z]{2,4})?(?:-[0-9])?")


class _Labels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    every: frozenset[str]
    words: frozenset[str]


class _Paths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    folders: frozenset[str]
    pages: frozenset[str]
    before: frozenset[str]


class _Function(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hosts: tuple[str, ...]
    paths: tuple[str, ...]
    source: str
    read: str


class Functions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Members of the file."""

    about: str
    read: str
    sources: Mapping[str, Mapping[str, str]]
    main: frozenset[str]
    labels: _Labels
    paths: _Paths
    query: frozenset[str]
    content: frozenset[str]
    categories: frozenset[str]
    platforms: Mapping[str, str]
    functions: tuple[_Function, ...]
    addresses: Mapping[str, tuple[str, ...]]
    departments: frozenset[str] = frozenset()
    reserved: frozenset[str] = frozenset()

    def applies(self, brand: Brand) -> bool:
        """Whether third parties publish at a brand, at the main host or at hosts below it alone."""
        return self.is_platform(brand) or not self.departments.isdisjoint(brand.categories)

    def is_platform(self, brand: Brand) -> bool:
        """Whether third parties publish at a brand's main host too."""
        return brand.slug in self.platforms or not self.categories.isdisjoint(brand.categories)

    def is_main(self, below: Sequence[str]) -> bool:
        """Whether a host is the main one: at most `www` in front of the registrable domain. `cs` is a department."""
        return all(_MAIN.fullmatch(label) for label in below)

    @cached_property
    def at_hosts(self) -> dict[str, tuple[str, ...]]:
        """Patterns of paths by host."""
        found: dict[str, tuple[str, ...]] = {}
        for function in self.functions:
            for host in function.hosts:
                found[host] = (*found.get(host, ()), *function.paths)
        for host, paths in self.addresses.items():
            found[host] = (*found.get(host, ()), *paths, *(f"{path}/*" for path in paths))
        return found

    def has(self, host: str, below: Sequence[str], path: UrlPath, parameters: Iterable[str], fragment: str) -> bool:
        """Whether an address is a function of the owner.

        below       labels of the host in front of the registrable domain; empty also for a host reviewed by itself
        parameters  names of parameters of the query, in lower case
        """
        kinds = [self._kind(label) for label in below]
        known = self.at_hosts.get(host, ())
        if "" in kinds and not known:
            return False
        if "every" in kinds and "" not in kinds:
            return True
        # Apps of one page keep their places in the fragment: `#/login`, `#@jane`.
        if fragment and not all(self._is_word(_bare(each)) for each in _FRAGMENT.split(fragment.lower()) if each):
            return False
        names = {_bare(name) for name in parameters}
        # An empty path stands behind a language: `/de/`.
        if any(form in {"", "/"} for form in path.forms):
            return ("" not in kinds or "/" in known) and self.query.issuperset(names)
        if path.matches(known):
            return self.content.isdisjoint(names)
        return "" not in kinds and any(self._is_function(form, names) for form in path.forms)

    def is_of_owner(self, below: Sequence[str]) -> bool:
        """Whether every label in front of a registrable domain is one of the owner's."""
        return all(self._kind(label) for label in below)

    def _kind(self, label: str) -> str:
        """Kind of a label of a host: `main`, `words`, `every`; empty for any other."""
        if label in self.labels.every:
            return "every"
        if label in self.main or LANGUAGE_ALIAS.fullmatch(f"{label}.") or _COUNTRY.fullmatch(label):
            return "main"
        if label in self.labels.words or label in self.reserved:
            return "words"
        # `login-eu`: a region behind a function.
        first, dash, rest = label.partition("-")
        return self._kind(first) if dash and _COUNTRY.fullmatch(rest) else ""

    def _is_function(self, path: str, names: set[str]) -> bool:
        segments = [_bare(segment) for segment in path.split("/") if segment]
        chooses = not self.content.isdisjoint(names)
        for at, segment in enumerate(segments):
            if segment in self.paths.folders:
                return True
            rest = segments[at + 1 :]
            if segment in self.paths.pages and not chooses and all(self._is_word(each) for each in rest):
                return True
            # `/u/0/settings`: the first of several accounts in a browser, and never the page of user `0`.
            is_number = segment == "u" and bool(rest) and rest[0].isdigit()
            if not (segment in self.paths.before or is_number or _SHORT.fullmatch(segment)):
                return False
        return False

    def _is_word(self, segment: str) -> bool:
        known = self.paths.folders | self.paths.pages | self.paths.before
        return segment in known or bool(_SHORT.fullmatch(segment))


def _bare(segment: str) -> str:
    return _ENDING.sub("", segment).replace("-", "").replace("_", "")


@lru_cache(maxsize=8)
def functions_of(world: World) -> Functions:
    """Functions in the file of a world. Raises RegistryError."""
    found: Functions = world.read("places/functions.json", Functions)
    # Names of a site's own hosts are not a tenant's: there, too, the words of the path decide.
    return msgspec.structs.replace(found, reserved=places_of(world).words.reserved)
