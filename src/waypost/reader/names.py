"""Names of types and properties in the model, from IRIs or bare words; URLs resolved against the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.page import Node
from waypost.registry.vocabulary import Vocabulary

_SCHEMA = pattern(r"https?://(?:www\.)?schema\.org/+#?(?=.)", re.IGNORECASE)
_SCHEMA_WITHOUT_SCHEME = pattern(r"(?://)?(?:www\.)?schema\.org/+#?(?=.)|/+(?=[A-Za-z]+\Z)", re.IGNORECASE)


class Name(NamedTuple):
    """Name in the model. `spelled` is the spelling before a correction, else None; `absolute`: written as an IRI."""

    name: str
    spelled: str | None = None
    absolute: bool = True

    @property
    def is_foreign(self) -> bool:
        return ":" in self.name


def type_name(vocabulary: Vocabulary, written: str) -> Name:
    """Name of a type, from itemtype or an expanded typeof."""
    schema = _SCHEMA.match(written)
    absolute = schema is not None
    if schema is None and ":" in written:
        return Name(written)
    schema = schema or _SCHEMA_WITHOUT_SCHEME.match(written)
    name = written[schema.end() :].rstrip("/") if schema else written
    if name in vocabulary.types:
        return Name(name, None, absolute)
    corrected = vocabulary.type_ignoring_case(name)
    return Name(corrected, name, absolute) if corrected else Name(name, None, absolute)


def property_name(vocabulary: Vocabulary, written: str) -> Name:
    """Name of a property, from itemprop or an expanded RDFa property."""
    schema = _SCHEMA.match(written)
    if schema is None and ":" in written:
        return Name(written)
    name = written[schema.end() :].rstrip("/") if schema else written
    if name in vocabulary.properties:
        return Name(name, None, schema is not None)
    corrected = vocabulary.property_ignoring_case(name)
    return Name(corrected, name, schema is not None) if corrected else Name(name, None, schema is not None)


def note_spelling(node: Node, name: str, spelled: str) -> None:
    """Record in `node.miscased` the spelling of a name whose letter case was corrected."""
    if node.miscased is None:
        node.miscased = {}
    node.miscased[name] = spelled


_IGNORED = str.maketrans("", "", "\t\n\r")
_SCHEME = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")


def resolve(written: str, base: str | None) -> str:
    """Absolute URL; as written if absolute, broken, or without a base."""
    # Tabs and newlines inside a URL are removed, white space around it stripped (URL Standard 4.4).
    url = written.strip("\t\n\f\r ")
    if "\n" in url or "\t" in url or "\r" in url:
        url = url.translate(_IGNORED)
    if not url or base is None or _SCHEME.match(url):
        return url
    try:
        return _joiner()(base, url)
    except (ValueError, UnicodeError):
        return url


@cache
def _joiner() -> Callable[[str, str], str]:
    """URL join of ada, imported at the first relative URL: most pages have only absolute ones."""
    import ada_url

    return ada_url.join_url
