"""Vocabulary of schema.org: types, properties and members, with ancestors, domains and ranges.

`tools/make_vocabulary.py` makes the table from a named schema.org release. Names are bare (`Recipe`, `recipeYield`).
"""

from __future__ import annotations

import re
from functools import cached_property

import msgspec

from waypost.formats.patterns import pattern
from waypost.formats.text import one_letter_less

_MOST_REMEMBERED = 4096
DATA_TYPES = frozenset(
    {"Boolean", "Date", "DateTime", "Number", "Text", "Time", "Float", "Integer", "URL", "CssSelectorType",
     "PronounceableText", "XPathType"}
)  # fmt: skip


_ADDRESS = pattern(r"([a-z]{2,6})(:/{0,3}|/{1,3})(?:www\.)?([a-z0-9.\-]{7,12})(?=[/#?]|\Z)", re.IGNORECASE)
_HOME = "schema.org"
_OTHER_ENDINGS = frozenset({"schema.com", "schema.net"})


def is_misspelled_schema_org(address: str) -> bool:
    """Whether an address is schema.org's with a typing error in the scheme or the host."""
    found = _ADDRESS.match(address)
    if found is None:
        return False
    scheme, joint, host = (part.lower() for part in found.groups())
    if host == _HOME:
        return (scheme, joint) not in {("http", "://"), ("https", "://")}
    return host in _OTHER_ENDINGS or not set(one_letter_less(host)).isdisjoint(one_letter_less(_HOME))


class Term(msgspec.Struct, frozen=True, gc=False):
    """Type (`p` parents), property (`d` domains, `r` ranges, `i` inverse, `p` parents) or member (`t` types).

    `l`: layer (pending, attic, auto ...), None for core; `s`: superseding terms; `dt`: data type.
    """

    p: tuple[str, ...] = ()
    d: tuple[str, ...] = ()
    r: tuple[str, ...] = ()
    t: tuple[str, ...] = ()
    i: str | None = None
    l: str | None = None  # noqa: E741 - the table's own key
    s: tuple[str, ...] = ()
    dt: bool = False


class _Table(msgspec.Struct):
    release: str
    date: str
    types: dict[str, Term]
    properties: dict[str, Term]
    members: dict[str, Term]


class Vocabulary:
    """Terms of a schema.org release, with its date. Immutable; the private dictionaries are caches."""

    def __init__(self, data: bytes) -> None:
        table = msgspec.json.decode(data, type=_Table)
        self.release: str = table.release
        self.date: str = table.date
        self.types: dict[str, Term] = table.types
        self.properties: dict[str, Term] = table.properties
        self.members: dict[str, Term] = table.members
        self._ancestors: dict[str, frozenset[str]] = {}
        self._properties_of: dict[tuple[str, ...], frozenset[str]] = {}

    def ancestors(self, name: str) -> frozenset[str]:
        """Type and all ancestors; for an unknown name the name alone."""
        known = self._ancestors.get(name)
        if known is None:
            if name not in self.types:  # from pages: caching such names would let the cache grow without end
                return frozenset((name,))
            found, waiting = {name}, [name]
            while waiting:
                for parent in self.types[waiting.pop()].p:
                    if parent not in found:
                        found.add(parent)
                        if parent in self.types:
                            waiting.append(parent)
            known = self._ancestors[name] = frozenset(found)
        return known

    def is_a(self, name: str, of: str) -> bool:
        """Whether a type is `of` or a subtype."""
        return name == of or of in self.ancestors(name)

    def are_a(self, names: tuple[str, ...], of: frozenset[str]) -> bool:
        """Whether any of the types is in `of` or a subtype of a member of `of`."""
        for name in names:  # noqa: SIM110  the hottest call of a validation; `any` costs a generator
            if not of.isdisjoint(self._ancestors.get(name) or self.ancestors(name)):
                return True
        return False

    def properties_of(self, types: tuple[str, ...]) -> frozenset[str]:
        """Properties with one of these types or an ancestor as domain."""
        known = self._properties_of.get(types)
        if known is None:
            lines: set[str] = set()
            for name in types:
                lines |= self.ancestors(name)
            known = frozenset(name for cls in lines for name in self._by_domain.get(cls, ()))
            # Pages choose the combinations of types: a limit keeps a long-lived service from growing.
            if len(self._properties_of) < _MOST_REMEMBERED:
                self._properties_of[types] = known
        return known

    def member(self, text: str) -> str | None:
        """Bare name of an enumeration member, from a name or an IRI in any form, else None."""
        name = bare(text)
        return name if name is not None and name in self.members else None

    def type_ignoring_case(self, name: str) -> str | None:
        """Type that differs from `name` in letter case only, else None."""
        return self._types_folded.get(name.casefold())

    def property_ignoring_case(self, name: str) -> str | None:
        """Property that differs from `name` in letter case only, else None."""
        return self._properties_folded.get(name.casefold())

    @cached_property
    def _by_domain(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, term in self.properties.items():
            for domain in term.d:
                found.setdefault(domain, []).append(name)
        return found

    @cached_property
    def _types_folded(self) -> dict[str, str]:
        return {name.casefold(): name for name in self.types}

    @cached_property
    def _properties_folded(self) -> dict[str, str]:
        folded: dict[str, str] = {}
        for name in self.properties:
            # The first spelling stays where two properties differ in case only.
            folded.setdefault(name.casefold(), name)
        return folded


_PREFIXES = (
    "https://schema.org/",
    "http://schema.org/",
    "https://www.schema.org/",
    "http://www.schema.org/",
    "schema:",
)


def bare(text: str) -> str | None:
    """Bare name: `InStock` for `https://schema.org/InStock`, `http://schema.org/InStock/` and `schema:InStock`.

    None for an IRI of another vocabulary.
    """
    for prefix in _PREFIXES:
        if text.startswith(prefix):
            # `https://schema.org/#Product` and `…/Product/` occur on pages and mean the same.
            return text[len(prefix) :].lstrip("#").rstrip("/")
    return None if ":" in text or "/" in text else text
