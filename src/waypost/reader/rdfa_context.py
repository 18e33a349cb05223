"""Evaluation context of RDFa: what holds inside an element, and what the words of its attributes mean.

RDFa Core 1.1, section 7.5, steps 1 to 6, with the differences that `reader.rdfa` names.
"""

from __future__ import annotations

import re
from collections import ChainMap
from typing import Final, NamedTuple, TypeAlias

from waypost.formats.patterns import pattern
from waypost.models.page import Page, ReadError
from waypost.reader.markup import ItemTable
from waypost.reader.names import Name, property_name, resolve
from waypost.reader.tree import FORMATTING, Element
from waypost.registry.vocabulary import Vocabulary, is_misspelled_schema_org

SCHEMA: Final = "https://schema.org/"
# Spellings that mean schema.org, from right to nearly right: consumers accept the first; the others are reported.
_SCHEMA_VOCAB = pattern(r"https?://(?:www\.)?schema\.org/+#?\Z", re.IGNORECASE)
_SCHEMA_ALMOST = pattern(r"(?:https?:)?/{0,2}(?:www\.)?schema\.org(?:[/#].*)?\Z", re.IGNORECASE | re.DOTALL)
_SCHEMA_BARE = pattern(r"(?:https?:)?/{0,2}(?:www\.)?schema\.org/?\Z", re.IGNORECASE)
_PREFIX = pattern(r"(?<![^\s:])([^\s:]+):\s+(\S+)")
# The part of the initial context that pages use; an unknown prefix is the scheme of an IRI.
INITIAL_CONTEXT: Final[ChainMap[str, str]] = ChainMap({
    "schema": SCHEMA,
    "cc": "http://creativecommons.org/ns#",
    "ctag": "http://commontag.org/ns#",
    "dc": "http://purl.org/dc/terms/",
    "dc11": "http://purl.org/dc/elements/1.1/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "gr": "http://purl.org/goodrelations/v1#",
    "ical": "http://www.w3.org/2002/12/cal/icaltzd#",
    "og": "http://ogp.me/ns#",
    "org": "http://www.w3.org/ns/org#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfa": "http://www.w3.org/ns/rdfa#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "rev": "http://purl.org/stuff/rev#",
    "sioc": "http://rdfs.org/sioc/ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "v": "http://rdf.data-vocabulary.org/#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "void": "http://rdfs.org/ns/void#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
})  # fmt: skip

TARGETS: Final = ("resource", "href", "src")
# Words of `rel` that say what kind of link a link is (HTML Standard, 4.6.7, and habits of the web).
LINK_TYPES: Final = frozenset(
    {"alternate", "author", "bookmark", "canonical", "external", "help", "home", "icon", "license", "manifest", "me",
     "next", "nofollow", "noopener", "noreferrer", "prev", "publisher", "search", "stylesheet", "tag"}
)  # fmt: skip


class RelatedObject(NamedTuple):
    """Object of the `rel` of an element with `about`, which is the subject: one element, two resources."""

    element: Element


Resource: TypeAlias = "Element | RelatedObject"


class State(NamedTuple):
    """Evaluation context inside an element. subject: resource with the properties, None for the page.
    is_link: the subject is only the target of an `href` or `src` without a property.
    hanging: element with `rel` or `rev` whose objects are the next resources inside."""

    vocab: str | None = None
    prefixes: ChainMap[str, str] = INITIAL_CONTEXT
    subject: Resource | None = None
    is_link: bool = False
    hanging: Element | None = None


def has_type(element: Element) -> bool:
    return (element.attr("typeof") or "").strip() != ""


def target_of(element: Element) -> str | None:
    """Attribute of an element that names an object, None without one."""
    return next((name for name in TARGETS if element.attr(name) is not None), None)


def has_plain_value(element: Element) -> bool:
    """Whether a `property` takes a literal whatever else the element has."""
    return element.attr("content") is not None or element.attr("datatype") is not None


def element_of(resource: Resource) -> Element:
    return resource.element if isinstance(resource, RelatedObject) else resource


class ResourceContext:
    """States of the elements of a page, each computed once.

    originals    place of a start tag -> the element made for it, where the parser repeated it as clones
    meaningless  elements with types of schema.org without a vocabulary, and the errors about them
    """

    def __init__(self, page: Page, vocabulary: Vocabulary, table: ItemTable) -> None:
        self.base = page.base
        self.read_errors = page.read_errors
        self.vocabulary = vocabulary
        self.table = table
        self.states: dict[Element | None, State] = {None: State()}
        self.originals: dict[tuple[int, int] | None, Element] = {}
        self.meaningless: list[tuple[Element, ReadError]] = []

    def add_error(self, rule: str, element: Element, attribute: str, word: int | None = None, **detail: object) -> None:
        span = self.table.attribute_span(element, attribute, word)
        self.read_errors.append(ReadError(rule, span, "rdfa", None, "", dict(detail)))

    # What holds where

    # States depend on all ancestors. Climbing to the first known one, and not to the root each time, keeps deep pages
    # linear.
    def inside(self, element: Element) -> State:
        """State inside an element, computed from the outermost ancestor without a known state."""
        waiting: list[Element] = []
        above: Element | None = element
        while above not in self.states:
            assert above is not None
            waiting.append(above)
            parent = above.parent
            above = parent if hasattr(parent, "tag") else None
        state = self.states[above]
        for ancestor in reversed(waiting):
            state = self.states[ancestor] = self._enter(state, ancestor)
        return state

    def around(self, element: Element) -> State:
        parent = element.parent
        return self.inside(parent) if hasattr(parent, "tag") else self.states[None]

    def _enter(self, state: State, element: Element) -> State:
        vocab, prefixes, subject, is_link, hanging = state
        written = element.attr("vocab")
        # Present but empty differs from absent: `vocab=""` ends the vocabulary of the ancestors.
        if written is not None:
            vocab = self._vocab(element, written.strip())
        written = element.attr("prefix")
        if written:
            prefixes = ChainMap(self._prefixes(element, written), *prefixes.maps)
        is_typed = has_type(element)
        # A bare `typeof="Product"` has no meaning by the standard. Reading it as schema.org, with one error, says
        # more than silence.
        if is_typed and vocab is None and self._is_vocab_missing(element):
            vocab = SCHEMA
        is_about, is_property = element.attr("about") is not None, element.attr("property") is not None
        if self._has_relation(element, state._replace(vocab=vocab, prefixes=prefixes)):
            is_object = is_typed and not is_about
            subject = RelatedObject(element) if is_about else self._original(element)
            hanging = None if is_object or target_of(element) else element
            is_link = not is_object and hanging is None and element.attr("resource") is None
        elif is_typed:
            subject, is_link, hanging = self._original(element), False, None
        elif is_about:
            subject, is_link, hanging = element, False, None
        # With `property` and no literal, `resource` and `href` are the value, not a new subject (RDFa Core 7.5, step
        # 5).
        elif is_property and not has_plain_value(element):
            hanging = None
        elif element.attr("resource") is not None:
            subject, is_link, hanging = element, False, None
        elif element.attr("href") is not None or element.attr("src") is not None:
            subject, is_link, hanging = element, True, None
        elif is_property:
            hanging = None
        # Most elements change nothing: sharing the state keeps a page's states as few as its RDFa attributes.
        if prefixes is state.prefixes and (vocab, subject, is_link, hanging) == (
            state.vocab,
            state.subject,
            state.is_link,
            state.hanging,
        ):
            return state
        return State(vocab, prefixes, subject, is_link, hanging)

    def _subject(self, element: Element) -> tuple[Resource | None, bool]:
        """New subject of an element (RDFa Core 7.5, steps 5 and 6), and whether it is only the target of a link."""
        around = self.around(element)
        if element.attr("about") is not None:
            return self._original(element), False
        if self.has_relation(element):
            return around.subject, around.is_link
        if element.attr("property") is not None and not has_plain_value(element):
            return around.subject, around.is_link
        if has_type(element) or target_of(element):
            state = self.inside(element)
            return state.subject, state.is_link
        return around.subject, around.is_link

    def has_relation(self, element: Element) -> bool:
        """Whether the `rel` or `rev` of an element has an effect."""
        if element.attr("rel") is None and element.attr("rev") is None:
            return False
        inside = self.inside(element)
        return self._has_relation(element, self.around(element)._replace(vocab=inside.vocab, prefixes=inside.prefixes))

    def _has_relation(self, element: Element, around: State) -> bool:
        """Same, in a state around the element with the vocabulary and prefixes inside it."""
        if element.attr("rel") is None and element.attr("rev") is None:
            return False
        # A relation of the page itself (`<link rel="alternate">`), or of a link's target, is none of an item.
        if element.attr("about") is None and (around.subject is None or around.is_link):
            return False
        return bool(self._related(element, "rel", around) or self._related(element, "rev", around))

    def is_hanging(self, element: Element) -> bool:
        """Whether an element has a relation whose objects are the next resources inside."""
        return self.inside(element).hanging == element

    def _vocab(self, element: Element, written: str) -> str | None:
        if not written:
            return None
        if _SCHEMA_VOCAB.match(written):
            return SCHEMA
        if _SCHEMA_ALMOST.match(written) or is_misspelled_schema_org(written):
            self.add_error("rdfa-vocab-misspelled", element, "vocab", written=written, home="vocab")
            return SCHEMA
        return written

    def _prefixes(self, element: Element, written: str) -> dict[str, str]:
        """Lower-case prefix -> IRI. A prefix for schema.org needs the slash at its end."""
        numbers: dict[str, int] = {}
        for number, word in enumerate(written.split()):
            numbers.setdefault(word, number)
        found: dict[str, str] = {}
        for name, iri in _PREFIX.findall(written):
            if not _SCHEMA_VOCAB.match(iri) and (_SCHEMA_BARE.match(iri) or is_misspelled_schema_org(iri)):
                self.add_error("rdfa-vocab-misspelled", element, "prefix", numbers[iri], written=iri, home="prefix")
                iri = SCHEMA
            # Prefixes are compared without letter case (RDFa Core 1.1).
            found[name.lower()] = iri
        return found

    def _is_vocab_missing(self, element: Element) -> bool:
        """Whether a bare type of schema.org is written without a vocabulary; reports it."""
        words = (element.attr("typeof") or "").split()
        for number, word in enumerate(words):
            if word in self.vocabulary.types:
                self.add_error("rdfa-vocab-missing", element, "typeof", number, name=word)
                self.meaningless.append((element, self.read_errors[-1]))
                return True
        return False

    def _original(self, element: Element) -> Element:
        """Element itself; for a clone made for mis-nested formatting, the original."""
        if not self.originals or element.tag not in FORMATTING or element.position is None:
            return element
        return self.originals.get(element.position, element)

    # What names mean

    def _expanded(self, state: State, word: str) -> str | None:
        """IRI of a word, or a schema.org name behind its address; None for a word without meaning here."""
        prefix, colon, rest = word.partition(":")
        if not colon:
            return None if state.vocab is None else state.vocab + word
        known = state.prefixes.get(prefix.lower())
        # "https://example.com" looks like a prefix "https" with the rest "//...": an IRI, whatever prefixes are
        # declared.
        return word if known is None or rest.startswith("//") else known + rest

    def property_of(self, state: State, word: str) -> Name | None:
        iri = self._expanded(state, word)
        return None if iri is None else property_name(self.vocabulary, iri)

    def _names(self, element: Element, state: State) -> list[Name]:
        """Properties by `property`."""
        words = element.attr("property")
        return [name for word in words.split() if (name := self.property_of(state, word))] if words else []

    def _related(self, element: Element, attribute: str, state: State) -> list[Name]:
        """Properties by `rel` or `rev`. Words like "nofollow" are ignored."""
        words = element.attr(attribute)
        if not words:
            return []
        found = []
        # Next to `property` only words with a prefix count (HTML+RDFa 1.1, 3.1).
        is_property = element.attr("property") is not None
        is_link = not has_type(element) and target_of(element) is not None
        for word in words.split():
            prefix, colon, rest = word.partition(":")
            if colon:
                if prefix.lower() not in state.prefixes and not rest.startswith("//"):
                    continue
            elif is_property or (is_link and word.lower() in LINK_TYPES):
                continue
            name = self.property_of(state, word)
            if name and (name.is_foreign or name.name in self.vocabulary.properties):
                found.append(name)
        return found

    def _identifier(self, element: Element, attribute: str) -> str | None:
        """IRI in an attribute that names a resource, or the name of a blank node."""
        written = (element.attr(attribute) or "").strip()
        if attribute in ("about", "resource"):
            # Square brackets mark a safe CURIE (RDFa Core 7.4.3), of which an empty one names nothing.
            if written == "[]":
                return None
            written = written.strip("[]")
            prefix, colon, rest = written.partition(":")
            if prefix == "_" and colon:
                return written
            known = self.inside(element).prefixes.get(prefix.lower()) if colon and rest[:2] != "//" else None
            if known is not None:
                return known + rest
        return resolve(written, self.base) or self.base or None
