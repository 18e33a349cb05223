"""RDFa 1.1 by the processing rules of RDFa Core 1.1, section 7.5, with property copying of HTML+RDFa 1.1.

Elements with a `typeof`, and other subjects of properties (by `about`, `resource`, `rel`), become nodes;
`meta property="og:..."` belongs to the page and is ignored. Two differences, for the sake of what pages mean: a bare
word of `rel` counts only if it is a property and not a type of link in HTML, and only around or on an item.
Sources: W3C RDFa Lite 1.1 (second edition), RDFa Core 1.1 (third edition), HTML+RDFa 1.1, RDFa Core Initial
Context, read 2026-11-20; RDFa Core 1.1, 7.5 (chaining) and HTML+RDFa 1.1, 3.5 (copying), read 2026-11-28.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple, TypeAlias
from weakref import ref

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Page, ReadError, Value
from waypost.reader.lookalikes import VALUE_ATTRIBUTES_COMPARED, Lookalikes
from waypost.reader.markup import Carrier, Dialect, ItemBlock, ItemTable, UnclosedAttributes, Values, originals
from waypost.reader.markup import value_attribute as microdata_attribute
from waypost.reader.names import Name, note_spelling, property_name, resolve, type_name
from waypost.reader.tree import FORMATTING, Element, Tree
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


_COPY: Final = "http://www.w3.org/ns/rdfa#copy"
_PATTERN: Final = "http://www.w3.org/ns/rdfa#Pattern"
_MOST_COPIED = 100_000  # values that copying may add to the items of one page
_MOST_LEVELS = 1_024  # of items in items; a tree has fewer
_TARGETS: Final = ("resource", "href", "src")
_DOCUMENT_TAGS: Final = frozenset({"html", "head", "body"})
# Words of `rel` that say what kind of link a link is (HTML Standard, 4.6.7, and habits of the web).
LINK_TYPES: Final = frozenset(
    {"alternate", "author", "bookmark", "canonical", "external", "help", "home", "icon", "license", "manifest", "me",
     "next", "nofollow", "noopener", "noreferrer", "prev", "publisher", "search", "stylesheet", "tag"}
)  # fmt: skip


class _Object(NamedTuple):
    """Object of the `rel` of an element with `about`, which is the subject: one element, two resources."""

    element: Element


_Resource: TypeAlias = "Element | _Object"


class _State(NamedTuple):
    """Evaluation context inside an element. subject: resource with the properties, None for the page.
    is_link: the subject is only the target of an `href` or `src` without a property.
    hanging: element with `rel` or `rev` whose objects are the next resources inside."""

    vocab: str | None = None
    prefixes: ChainMap[str, str] = INITIAL_CONTEXT
    subject: _Resource | None = None
    is_link: bool = False
    hanging: Element | None = None


def value_attribute(element: Element) -> str | None:
    """Attribute with an element's value; None where the text is the value."""
    # The order of RDFa Core 7.5, step 11, with `datetime` where HTML+RDFa 3.1 puts it.
    for name in ("content", "datetime"):
        if element.attr(name) is not None:
            return name
    # With a datatype the value is a literal, so that an address next to it is not.
    if element.attr("datatype") is not None:
        return None
    for name in _TARGETS:
        if element.attr(name) is not None:
            return name
    # A link without a target is its text; other elements without these attributes are read as Microdata reads them.
    return None if element.tag in {"a", "area"} else microdata_attribute(element)


def read(
    page: Page, tree: Tree, vocabulary: Vocabulary, elements: list[Element], values: Values
) -> Iterable[tuple[Element, Node]]:
    """Nodes of a page with the element of the node. Raises TextLimitExceeded.

    elements   the typed elements; without a `typeof` among them the page has no RDFa.
    """
    if not any(element.matches("[typeof]:not([typeof=''])") for element in elements):
        return ()
    reader = _ResourceReader(page, tree, vocabulary, values)
    carriers = tree.select("[typeof],[property],[rel],[rev]")
    # An object of an unfinished `rel` may be written by an address alone.
    if any(reader.is_hanging(element) for element in carriers):
        carriers = tree.select("[typeof],[property],[rel],[rev],[about],[resource],[href],[src]")
    reader.make_nodes(carriers)
    reader.fill(carriers)
    reader.report()
    return reader.closed()


def _name_of(known: ref[_ResourceReader], element: Element, word: str) -> str | None:
    reader = known()
    name = reader.property_of(reader.inside(element), word) if reader else None
    return name.name if name else None


def _is_typed(element: Element) -> bool:
    return (element.attr("typeof") or "").strip() != ""


def _target(element: Element) -> str | None:
    """Attribute of an element that names an object, None without one."""
    return next((name for name in _TARGETS if element.attr(name) is not None), None)


def _has_plain_value(element: Element) -> bool:
    """Whether a `property` takes a literal whatever else the element has."""
    return element.attr("content") is not None or element.attr("datatype") is not None


def _element_of(resource: _Resource) -> Element:
    return resource.element if isinstance(resource, _Object) else resource


class _ResourceReader:
    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, values: Values) -> None:
        self.base = page.base
        self.blocks = page.blocks
        self.read_errors = page.read_errors
        self.tree = tree
        self.vocabulary = vocabulary
        self.values = values
        self.nodes: dict[_Resource, Node] = {}
        self.states: dict[Element | None, _State] = {None: _State()}
        self.originals: dict[tuple[int, int] | None, Element] = {}
        # Of each node: a property, its carrier, the next, ...
        self.written: list[list[str | Element | Carrier]] = []
        self.outside: list[tuple[Element, str]] = []
        self.of_links: list[tuple[Element, str]] = []
        self.named: dict[str, Node] = {}
        self.copiers: dict[Node, None] = {}
        self.completed: set[Element] = set()
        self.meaningless: list[tuple[Element, ReadError]] = []  # types without a vocabulary
        self.tops = 0
        ids = ("about", "resource", "href", "src")
        names = partial(_name_of, ref(self))  # the sheet is ours: a strong one would be a circle around the tree
        self.table = ItemTable(Dialect("rdfa", "typeof", "typeof", "property", ids, value_attribute, names), tree)
        page.keep_alive.extend((self, self.table))
        self.lookalikes = Lookalikes(page, self.table)
        self.unclosed = UnclosedAttributes(self.table)

    def add_error(self, rule: str, element: Element, attribute: str, word: int | None = None, **detail: object) -> None:
        span = self.table.attribute_span(element, attribute, word)
        self.read_errors.append(ReadError(rule, span, "rdfa", None, "", dict(detail)))

    # What holds where

    # States depend on all ancestors. Climbing to the first known one, and not to the root each time, keeps deep pages
    # linear.
    def inside(self, element: Element) -> _State:
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

    def around(self, element: Element) -> _State:
        parent = element.parent
        return self.inside(parent) if hasattr(parent, "tag") else self.states[None]

    def _enter(self, state: _State, element: Element) -> _State:
        vocab, prefixes, subject, is_link, hanging = state
        written = element.attr("vocab")
        # Present but empty differs from absent: `vocab=""` ends the vocabulary of the ancestors.
        if written is not None:
            vocab = self._vocab(element, written.strip())
        written = element.attr("prefix")
        if written:
            prefixes = ChainMap(self._prefixes(element, written), *prefixes.maps)
        is_typed = _is_typed(element)
        # A bare `typeof="Product"` has no meaning by the standard. Reading it as schema.org, with one error, says
        # more than silence.
        if is_typed and vocab is None and self._is_vocab_missing(element):
            vocab = SCHEMA
        is_about, is_property = element.attr("about") is not None, element.attr("property") is not None
        if self._has_relation(element, state._replace(vocab=vocab, prefixes=prefixes)):
            is_object = is_typed and not is_about
            subject = _Object(element) if is_about else self._original(element)
            hanging = None if is_object or _target(element) else element
            is_link = not is_object and hanging is None and element.attr("resource") is None
        elif is_typed:
            subject, is_link, hanging = self._original(element), False, None
        elif is_about:
            subject, is_link, hanging = element, False, None
        # With `property` and no literal, `resource` and `href` are the value, not a new subject (RDFa Core 7.5, step
        # 5).
        elif is_property and not _has_plain_value(element):
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
        return _State(vocab, prefixes, subject, is_link, hanging)

    def _subject(self, element: Element) -> tuple[_Resource | None, bool]:
        """New subject of an element (RDFa Core 7.5, steps 5 and 6), and whether it is only the target of a link."""
        around = self.around(element)
        if element.attr("about") is not None:
            return self._original(element), False
        if self.has_relation(element):
            return around.subject, around.is_link
        if element.attr("property") is not None and not _has_plain_value(element):
            return around.subject, around.is_link
        if _is_typed(element) or _target(element):
            state = self.inside(element)
            return state.subject, state.is_link
        return around.subject, around.is_link

    def has_relation(self, element: Element) -> bool:
        """Whether the `rel` or `rev` of an element has an effect."""
        if element.attr("rel") is None and element.attr("rev") is None:
            return False
        inside = self.inside(element)
        return self._has_relation(element, self.around(element)._replace(vocab=inside.vocab, prefixes=inside.prefixes))

    def _has_relation(self, element: Element, around: _State) -> bool:
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

    def _expanded(self, state: _State, word: str) -> str | None:
        """IRI of a word, or a schema.org name behind its address; None for a word without meaning here."""
        prefix, colon, rest = word.partition(":")
        if not colon:
            return None if state.vocab is None else state.vocab + word
        known = state.prefixes.get(prefix.lower())
        # "https://example.com" looks like a prefix "https" with the rest "//...": an IRI, whatever prefixes are
        # declared.
        return word if known is None or rest.startswith("//") else known + rest

    def property_of(self, state: _State, word: str) -> Name | None:
        iri = self._expanded(state, word)
        return None if iri is None else property_name(self.vocabulary, iri)

    def _names(self, element: Element, state: _State) -> list[Name]:
        """Properties by `property`."""
        words = element.attr("property")
        return [name for word in words.split() if (name := self.property_of(state, word))] if words else []

    def _related(self, element: Element, attribute: str, state: _State) -> list[Name]:
        """Properties by `rel` or `rev`. Words like "nofollow" are ignored."""
        words = element.attr(attribute)
        if not words:
            return []
        found = []
        # Next to `property` only words with a prefix count (HTML+RDFa 1.1, 3.1).
        is_property = element.attr("property") is not None
        is_link = not _is_typed(element) and _target(element) is not None
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

    # The nodes

    def make_nodes(self, carriers: list[Element]) -> None:
        """Make a node per `typeof`, and per other resource with properties."""
        self.originals = originals(carriers)
        for element in carriers:
            original = self._original(element)
            if original != element:
                continue
            for attribute in ("typeof", "property"):
                written = element.attr(attribute)
                if written and ("<" in written or written[-1:] == "="):
                    self.unclosed.check(element, attribute, is_name=True)
            subject, is_link = self._subject(element)
            has_properties = element.attr("property") is not None or self.has_relation(element)
            # Carriers come in document order, so that a parent's node exists before those inside it.
            if has_properties and subject is not None and not is_link and subject not in self.nodes:
                self._make(subject)
            if _is_typed(element) and element not in self.nodes:
                self._make(element)

    def _holder(self, resource: _Resource) -> tuple[_Resource | None, list[Name]]:
        """Resource of which another one is a value by the way it is written, and the properties of which it is."""
        element = _element_of(resource)
        around = self.around(element)
        state = self.inside(element)
        has_relation = self.has_relation(element)
        if has_relation and (isinstance(resource, _Object) or element.attr("about") is None):
            subject = element if isinstance(resource, _Object) else around.subject
            if names := self._related(element, "rel", state):
                return subject, names
        if isinstance(resource, _Object):
            return None, []
        # Where a literal is given, the text is the value, and the typed element is a node of its own.
        is_value = not _has_plain_value(element) and element.attr("about") is None and _is_typed(element)
        if is_value and around.subject is not None and not around.is_link and (names := self._names(element, state)):
            return around.subject, names
        if around.hanging is not None and resource != around.subject and _is_typed(element):
            return self._hung(around.hanging, "rel")
        return None, []

    def _hung(self, hanging: Element, attribute: str) -> tuple[_Resource | None, list[Name]]:
        """Subject of an unfinished `rel` or `rev`, and its properties."""
        names = self._related(hanging, attribute, self.inside(hanging))
        return (hanging if hanging.attr("about") is not None else self.around(hanging).subject), names

    def _make(self, resource: _Resource) -> None:
        element = _element_of(resource)
        holder, names = self._holder(resource)
        via = names[0].name if names else None
        parent = self.nodes.get(holder) if holder is not None and via else None
        if parent is None:
            via = None
            block = ItemBlock(self.table, self.tops)
            self.tops += 1
            self.blocks.append(block)
        else:
            assert isinstance(parent.block, ItemBlock)
            block = parent.block
        node = self.nodes[resource] = Node(block, self.table.enter(element), parent, via)
        self.written.append([])
        self._describe(node, resource, element)

    def _describe(self, node: Node, resource: _Resource, element: Element) -> None:
        state = self.inside(element)
        is_object = isinstance(resource, _Object)
        types: dict[str, None] = {}
        for word in (element.attr("typeof") or "").split() if not is_object else ():
            iri = self._expanded(state, word)
            name, spelled, _ = type_name(self.vocabulary, iri) if iri else Name(f"_:{word}")
            if spelled is not None:
                note_spelling(node, f"@type:{name}", spelled)
            types[name] = None
        node.types = self.table.shared(types)
        node.foreign = bool(types) and all(":" in name for name in types)
        is_value = element.attr("property") is not None
        is_document = False
        # On a typed element `href` names the item; next to a plain `property` it is the value.
        for attribute in ("about", *_TARGETS) if types or not is_value or is_object else ("about", "resource"):
            if element.attr(attribute) is not None and not (is_object and attribute == "about"):
                node.id = self._identifier(element, attribute)
                break
        else:
            # The types of these elements are those of the document (HTML+RDFa 1.1, 3.1).
            is_document = element.tag in _DOCUMENT_TAGS and not self.has_relation(element)
            if is_document and types and not self.around(element).subject:
                node.id = self.base
        # A link to the page itself stays an address: it is the page's address that is meant.
        if node.id is not None and not is_document:
            self.named.setdefault(node.id, node)

    def fill(self, carriers: list[Element]) -> None:
        """Set properties and values, in document order."""
        for element in carriers:
            # Clones of mis-nested formatting repeat attributes that were written once.
            if element.tag in FORMATTING and self._original(element) != element:
                continue
            state, around = self.inside(element), self.around(element)
            has_relation = self.has_relation(element)
            is_property = element.attr("property") is not None
            if not is_property and not has_relation and around.hanging is None:
                continue
            subject, is_link = self._subject(element)
            node = self.nodes.get(subject) if subject is not None else None
            if around.hanging is not None and subject is not None:
                self._complete(around.hanging, element, subject, around.subject)
            if has_relation and node is not None and state.hanging != element:
                self._relate(node, element, element, self._object(element))
            names = self._names(element, state) if is_property else []
            if is_property and node is None:
                self._note_stray(element, names, is_link)
            elif names and node is not None:
                self._add(node, element, names)
        if self.copiers:
            self._copy()

    def _note_stray(self, element: Element, names: list[Name], is_link: bool) -> None:
        """Record a property of the page or of a link's target; only names of schema.org are reported."""
        ours = next((name.name for name in names if not name.is_foreign), None)
        if ours is not None:
            (self.of_links if is_link else self.outside).append((element, ours))

    def _object(self, element: Element) -> tuple[Value, str]:
        """Object of a `rel` or `rev` on an element, and the attribute with it, "" for a node."""
        if _is_typed(element) and element.attr("about") is None:
            return self.nodes[element], ""
        attribute = _target(element) or ""
        return self._address(element, attribute), attribute

    def _address(self, element: Element, attribute: str) -> Value:
        """Value of an attribute with an address; an item of this page, where it names one."""
        written = self.values.of(element, attribute)
        identifier = self._identifier(element, attribute) if attribute == "resource" else written
        if identifier in self.named:
            return self.named[identifier]
        return identifier if identifier is not None else written

    def _complete(self, hanging: Element, element: Element, subject: _Resource, object_: _Resource | None) -> None:
        """Give the subject of an unfinished `rel` or `rev` its object (RDFa Core 7.5, step 12)."""
        holder, _ = self._hung(hanging, "rel")
        node = self.nodes.get(holder) if holder is not None else None
        if node is None:
            return
        if subject == object_:
            # The object without a name, which is the subject of each property inside.
            if hanging in self.completed:
                return
            self.completed.add(hanging)
        if subject in self.nodes:
            self._relate(node, hanging, _element_of(subject), (self.nodes[subject], ""))
        elif subject != object_:
            about = "about" if element.attr("about") is not None else _target(element)
            if about is not None:
                address = self._identifier(element, "about") if about == "about" else self._address(element, about)
                if address is not None:
                    known = self.named.get(address) if isinstance(address, str) else None
                    self._relate(node, hanging, element, (known or address, about))

    def _relate(self, node: Node, key: Element, element: Element, found: tuple[Value, str]) -> None:
        """Add an object to a node by `rel`, and the node to the object by `rev`.

        key      element with `rel` or `rev`.
        element  element of the object.
        found    the object, and the attribute with it, "" for a node.
        """
        value, attribute = found
        state = self.inside(key)
        for name in self._related(key, "rel", state):
            self._put(node, name, value, Carrier(key, "rel", element, attribute))
        if isinstance(value, Node) and key.attr("rev") is not None:
            subject = self.table.elements[node.origin]
            for name in self._related(key, "rev", state):
                self._put(value, name, node, Carrier(key, "rev", subject, ""))

    def _put(self, node: Node, name: Name, value: Value, carrier: Element | Carrier) -> None:
        """Add a value to a node."""
        if name.spelled is not None:
            note_spelling(node, name.name, name.spelled)
        if name.name in node.props:
            node.props[name.name].append(value)
        else:
            node.props[name.name] = [value]
        self.written[node.origin] += name.name, carrier
        if isinstance(value, Node) and value.parent is not node:
            value.add_referrer(node, name.name)
        if name.name == _COPY:
            self.copiers[node] = None

    def _add(self, node: Node, element: Element, names: list[Name]) -> None:
        """Add the value of an element with `property` to a node."""
        value, attribute = self._value(element)
        differs = not node.foreign and attribute in VALUE_ATTRIBUTES_COMPARED
        # The usual place is where the element says so: of a typed element it is the start tag.
        is_usual = isinstance(value, Node) or not _is_typed(element)
        carrier: Element | Carrier = element if is_usual else Carrier(element, "property", element, attribute)
        for name in names:
            self._put(node, name, value, carrier)
            if differs:
                self.lookalikes.note(node, name.name, len(node.props[name.name]) - 1, element)

    def _value(self, element: Element) -> tuple[Value, str | None]:
        """Value of an element with `property`, and the attribute with it, None for its text."""
        is_related = self.has_relation(element)
        if not _has_plain_value(element):
            is_named = element.attr("about") is not None
            if not is_named and not is_related and element in self.nodes and _is_typed(element):
                return self.nodes[element], ""
            attribute = value_attribute(element)
            # An address that names an item of this page is that item: a reference, not a text.
            if attribute in ("resource", "href") and not is_related:
                return self._address(element, attribute), attribute
        attribute = value_attribute(element)
        if is_related and attribute in _TARGETS:
            attribute = None
        value = self.values.of(element, attribute)
        if attribute is not None and value[-1:] == "=":
            self.unclosed.check(element, attribute, is_name=False)
        return value, attribute

    # Property copying (HTML+RDFa 1.1, 3.5)

    def _copy(self) -> None:
        """Give each node with `rdfa:copy` what its pattern has, and remove the patterns that were copied."""
        used: dict[Node, None] = {}
        left = _MOST_COPIED
        for node in self.copiers:
            seen: dict[Node, None] = {}
            present = {(name, value) for name, values in node.props.items() for value in values}
            patterns = list(_patterns(node.props[_COPY]))
            for pattern_ in patterns:
                if pattern_ in seen:
                    continue
                seen[pattern_] = None
                for name, value, carrier in list(self._written_in(pattern_)):
                    left -= 1
                    if left < 0:
                        return
                    if name == _COPY:
                        patterns += _patterns([value])
                    elif node is not pattern_ and (name, value) not in present:
                        present.add((name, value))
                        self._take(node, pattern_, name, value, carrier)
                more = [name for name in pattern_.types if name != _PATTERN and name not in node.types]
                if more:
                    node.types += tuple(more)
                    node.foreign = all(":" in name for name in node.types)
            used |= seen
        for node in self.copiers:
            self._forget_copies(node)
        self._remove(used)

    def _written_in(self, node: Node) -> Iterator[tuple[str, Value, Element | Carrier]]:
        counts: dict[str, int] = {}
        written = self.written[node.origin]
        for name, carrier in zip(written[::2], written[1::2], strict=True):
            assert isinstance(name, str)
            number = counts[name] = counts.get(name, -1) + 1
            yield name, node.props[name][number], carrier

    def _take(self, node: Node, pattern_: Node, name: str, value: Value, carrier: Element | Carrier) -> None:
        if isinstance(value, Node) and value.parent is pattern_:
            value.parent = node  # the first that copies it holds it
        miscased = pattern_.miscased or {}
        self._put(node, Name(name, miscased.get(name)), value, carrier)

    def _forget_copies(self, node: Node) -> None:
        # A copy of anything but patterns stays as it is.
        if not all(_PATTERN in value.types for value in node.props[_COPY] if isinstance(value, Node)):
            return
        del node.props[_COPY]
        written = zip(self.written[node.origin][::2], self.written[node.origin][1::2], strict=True)
        self.written[node.origin][:] = [part for pair in written if pair[0] != _COPY for part in pair]

    def _remove(self, patterns: dict[Node, None]) -> None:
        """Remove patterns: they are not part of the page's data once they were copied."""
        self.nodes = {resource: node for resource, node in self.nodes.items() if node not in patterns}
        gone = {node.block for node in patterns if node.parent is None}
        self.blocks[:] = [block for block in self.blocks if block not in gone]
        for node in self.nodes.values():
            top = node
            for _ in range(_MOST_LEVELS):
                if top.parent is None:
                    break
                top = top.parent
            node.block = top.block
            if node.referrers:
                node.referrers = [pair for pair in node.referrers if pair[0] not in patterns]
        own = [block for block in self.blocks if isinstance(block, ItemBlock) and block.syntax == "rdfa"]
        for number, block in enumerate(own):
            block.index = number

    def closed(self) -> list[tuple[Element, Node]]:
        """Nodes with their elements. Afterwards only names are requested, and states for them are computed again."""
        for number, written in enumerate(self.written):
            if written:
                self.table.fill(number, written[::2], written[1::2])  # type: ignore[arg-type]
                written.clear()
        found = [(_element_of(resource), node) for resource, node in self.nodes.items()]
        self.nodes, self.named, self.written, self.copiers = {}, {}, [], {}
        self.states, self.read_errors = {None: _State()}, []
        return found

    def _node_around(self, element: Element) -> Node | None:
        subject = self.inside(element).subject
        return self.nodes.get(subject) if subject is not None else None

    def report(self) -> None:
        """Add the errors reported once per page: properties without an item."""
        for element, error in self.meaningless:
            node = self.nodes.get(element)
            # With the type of its top all of an item is lost.
            error.block = node.block.index if node is not None and node.parent is None else None
        # Where markup is part of a value, items may begin and end anywhere: nothing else is reported about them.
        if self.unclosed.found:
            self.read_errors.extend(self.unclosed.errors(self._node_around))
            return
        for rule, found in (("rdfa-property-outside-item", self.outside), ("rdfa-property-of-link", self.of_links)):
            if found:
                # A bound for the message: a page may have any number of such properties.
                names = list(dict.fromkeys(name for _, name in found))[:50]
                self.add_error(rule, found[0][0], "property", names=names, count=len(found))


def _patterns(values: Iterable[Value]) -> Iterator[Node]:
    return (value for value in values if isinstance(value, Node) and _PATTERN in value.types)
