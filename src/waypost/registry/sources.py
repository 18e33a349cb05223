"""Sources of the brands' domains: public lists by publisher, date and address, and what counts as a review."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import msgspec

from waypost.registry.world import DATA, OfficialDomain, document

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


def publishers(names: Iterable[str]) -> frozenset[str]:
    """Publishers of the sources that someone can open."""
    known = sources()
    return frozenset(known[name].publisher for name in names if name in known and known[name].url)


def is_reviewed(names: Iterable[str]) -> bool:
    """Whether sources make a review: two publishers, or one publisher and a second kind of evidence."""
    names = tuple(names)
    named_by = publishers(names)
    kinds = {sources()[name].kind for name in names} - {_GUESSED}
    return len(named_by) >= 2 or (len(named_by) == 1 and len(kinds) >= 2)


def problems(entry: OfficialDomain) -> list[str]:
    """Reasons why a domain cannot count as reviewed: unknown sources, or too few."""
    unknown = [name for name in entry.sources if name not in sources()]
    if unknown:
        return [f"{entry.domain}: there is no source {name!r} in sources.json" for name in unknown]
    if not is_reviewed(entry.sources):
        return [f"{entry.domain}: a review takes two publishers, or one and a second kind of evidence"]
    return []
