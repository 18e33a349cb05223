"""Sources of the brands' domains: public lists by publisher, date and address, and what counts as a review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import msgspec

from waypost.registry.world import DATA, OfficialDomain, World, document

_GUESSED = "general_knowledge"
"""Kind of evidence that counts for nothing in a review."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """List or page that names domains.

    publisher   who keeps it; two lists of one publisher are not independent evidence
    kind        kind of evidence, `account_system` or `editors` for example
    path, url   file or page of the publisher, and address to open; empty where there is none to open
    date        day of the version, or of the reading where path or statement name the version, ISO 8601
    statement   meaning for the domain; `says` in the file
    """

    publisher: str
    kind: str
    path: str
    url: str
    date: str
    licence: str
    statement: str = msgspec.field(name="says")


@cache
def sources() -> dict[str, Source]:
    """Name -> source, from `data/sources.json`. Raises RegistryError."""
    return msgspec.convert(document(DATA / "sources.json")["sources"], dict[str, Source])


def sources_of(world: World) -> dict[str, Source]:
    """Name -> source, of the package or of the release in use. Raises RegistryError."""
    return world.read("sources.json", _Sources).sources  # type: ignore[no-any-return]


class _Sources(msgspec.Struct, frozen=True):
    sources: dict[str, Source]


def publishers(names: Iterable[str], known: Mapping[str, Source] | None = None) -> frozenset[str]:
    """Publishers of the sources that someone can open; `known` are those of the package by default."""
    known = sources() if known is None else known
    return frozenset(known[name].publisher for name in names if name in known and known[name].url)


def is_reviewed(names: Iterable[str], known: Mapping[str, Source] | None = None) -> bool:
    """Whether sources make a review: two publishers, or one publisher and a second kind of evidence."""
    known, names = sources() if known is None else known, tuple(names)
    named_by = publishers(names, known)
    kinds = {known[name].kind for name in names} - {_GUESSED}
    return len(named_by) >= 2 or (len(named_by) == 1 and len(kinds) >= 2)


def problems(entry: OfficialDomain, known: Mapping[str, Source] | None = None) -> list[str]:
    """Reasons why a domain cannot count as reviewed: unknown sources, or too few."""
    known = sources() if known is None else known
    unknown = [name for name in entry.sources if name not in known]
    if unknown:
        return [f"{entry.domain}: there is no source {name!r} in sources.json" for name in unknown]
    if not is_reviewed(entry.sources, known):
        return [f"{entry.domain}: a review takes two publishers, or one and a second kind of evidence"]
    return []


def brand_errors(world: World) -> Iterator[str]:
    """Errors of the brand files: a domain or word of two brands, a review without enough sources."""
    known, words = sources_of(world), dict[str, str]()
    for brand in world.brands.values():
        for kind, values in (("domain", brand.domains), ("word", (*brand.tokens, *brand.short_or_common_tokens))):
            for value in values:
                if (other := words.setdefault(f"{kind} {value}", brand.slug)) != brand.slug:
                    yield f"{brand.slug}: the {kind} {value} belongs to {other} too"
        for entry in brand.official_domains:
            yield from (f"{brand.slug}: {problem}" for problem in problems(entry, known))
        if brand.closed and brand.official_domains:
            yield f"{brand.slug}: a business that has ended has no reviewed domain, see {brand.closed}"
        # The first one is what a decision names as the official site in place of an imitation.
        if brand.official_domains and brand.official_domains[0].role != "principal":
            yield f"{brand.slug}: the first reviewed domain is not the principal one"
