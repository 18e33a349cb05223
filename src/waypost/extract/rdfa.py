"""RDFa Lite 1.1 with `content`, `datetime`, `about`, by the processing rules of RDFa Core 1.1, section 7.5.

Only elements with a `typeof`, and the targets of `about` or `resource`, become nodes; `meta property="og:..."`
belongs to the page and is ignored. Sources: W3C RDFa Lite 1.1 (second edition), RDFa Core 1.1
(third edition), HTML+RDFa 1.1, RDFa Core Initial Context, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections import ChainMap
from functools import partial
from typing import Final, NamedTuple
from weakref import ref

from waypost.extract.lookalikes import VALUE_ATTRIBUTES_COMPARED, Lookalikes
from waypost.extract.markup import Dialect, ItemBlock, ItemTable, Values, originals
from waypost.extract.markup import value_attribute as microdata_attribute
from waypost.extract.names import Name, note_spelling, property_name, resolve, type_name
from waypost.extract.tree import FORMATTING, Element, Tree
from waypost.formats.patterns import pattern
from waypost.models.page import Node, Page, ReadError, Value
from waypost.registry.vocabulary import Vocabulary, is_misspelled_schema_org

SCHEMA: Final = "https://schema.org/"
# Spellings that mean schema.org, from right to nearly right: consumers accept the first; the others are reported.
_SCHEMA_VOCAB = pattern(r"https?://(?:www\.)?schema\.org/+#?\Z", re.IGNORECASE)
_SCHEMA_ALMOST = pattern(r"(?:https?:)?/{0,2}(?:www\.)?schema\.org(?:[/#].*)?\Z", re.IGNORECASE | re.DOTALL)
_SCHEMA_BARE = pattern(r"(?:https?:)?/{0,2}(?:www\.)?schema\.org/?\Z", re.IGNORECASE)
_PREFIX = pattern(r"(?<![^\s:])([^\s:]+):\s+(\S+)")
# The part of the initial context that pages use; an unknown prefix is the scheme of an IRI.
_INITIAL: Final[ChainMap[str, str]] = ChainMap({
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


class _State(NamedTuple):
    """Evaluation context inside an element. subject: element of the node with the properties, None for the page.
    is_link: the subject is only the target of an `href` or `src` without a property."""

    vocab: str | None = None
    prefixes: ChainMap[str, str] = _INITIAL
    subject: Element | None = None
    is_link: bool = False


def value_attribute(element: Element) -> str | None:
    """Attribute with an element's value; None where the text is the value."""
    # The order of RDFa Core 7.5, step 11, with `datetime` where HTML+RDFa 3.1 puts it.
    for name in ("content", "datetime", "resource", "href", "src"):
        if element.attr(name) is not None:
            return name
    # A link without a target is its text; other elements without these attributes are read as Microdata reads them.
    return None if element.tag in {"a", "area"} else microdata_attribute(element)


def read(
    page: Page, tree: Tree, vocabulary: Vocabulary, elements: list[Element], values: Values
) -> dict[Element, Node]:
    """Nodes of a page by the element of the node. Raises TextLimitExceeded.

    elements   the typed elements; without a `typeof` among them the page has no RDFa.
    """
    if not any(element.matches("[typeof]:not([typeof=''])") for element in elements):
        return {}
    reader = _ResourceReader(page, tree, vocabulary, values)
    carriers = tree.select("[typeof],[property]")
    reader.make_nodes(carriers)
    reader.fill(carriers)
    reader.report()
    return reader.closed()


def _name_of(known: ref[_ResourceReader], element: Element, word: str) -> str | None:
    reader = known()
    name = reader.property_of(reader.inside(element), word) if reader else None
    return name.name if name else None


class _ResourceReader:
    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, values: Values) -> None:
        self.base = page.base
        self.blocks = page.blocks
        self.read_errors = page.read_errors
        self.tree = tree
        self.vocabulary = vocabulary
        self.values = values
        self.nodes: dict[Element, Node] = {}
        self.states: dict[Element | None, _State] = {None: _State()}
        self.originals: dict[tuple[int, int] | None, Element] = {}
        self.written: list[list[str | Element]] = []  # of each node: a property, its carrier, the next, ...
        self.outside: list[tuple[Element, str]] = []
        self.of_links: list[tuple[Element, str]] = []
        self.named: dict[str, Node] = {}
        self.tops = 0
        ids = ("about", "resource", "href", "src")
        names = partial(_name_of, ref(self))  # the sheet is ours: a strong one would be a circle around the tree
        self.table = ItemTable(Dialect("rdfa", "typeof", "typeof", "property", ids, value_attribute, names), tree)
        page.keep_alive.extend((self, self.table))
        self.lookalikes = Lookalikes(page, self.table)

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
        vocab, prefixes, subject, is_link = state
        written = element.attr("vocab")
        # Present but empty differs from absent: `vocab=""` ends the vocabulary of the ancestors.
        if written is not None:
            vocab = self._vocab(element, written.strip())
        written = element.attr("prefix")
        if written:
            prefixes = ChainMap(self._prefixes(element, written), *prefixes.maps)
        if (element.attr("typeof") or "").strip():
            # A bare `typeof="Product"` has no meaning by the standard. Reading it as schema.org, with one error, says
            # more than silence.
            if vocab is None and self._is_vocab_missing(element):
                vocab = SCHEMA
            subject, is_link = self._original(element), False
        # With `property` and no `content`, `resource` and `href` are the value, not a new subject (RDFa Core 7.5, step
        # 5).
        elif element.attr("property") is None or element.attr("content") is not None:
            if element.attr("about") is not None or element.attr("resource") is not None:
                subject, is_link = element, False
            elif element.attr("href") is not None or element.attr("src") is not None:
                subject, is_link = element, True
        # Most elements change nothing: sharing the state keeps a page's states as few as its RDFa attributes.
        if prefixes is state.prefixes and (vocab, subject, is_link) == (state.vocab, state.subject, state.is_link):
            return state
        return _State(vocab, prefixes, subject, is_link)

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
        """Properties of which an element is a value.

        A typed element may also be a value by `rel`, as in full RDFa; words like "nofollow" are ignored.
        """
        words = element.attr("property")
        if words is not None:
            return [name for word in words.split() if (name := self.property_of(state, word))]
        words = element.attr("rel")
        if not words or not (element.attr("typeof") or "").strip():
            return []
        found = (self.property_of(state, word) for word in words.split())
        return [name for name in found if name and name.name in self.vocabulary.properties]

    # The nodes

    def make_nodes(self, carriers: list[Element]) -> None:
        """Make a node per `typeof`, and per `about` or `resource` with properties."""
        self.originals = originals(carriers)
        for element in carriers:
            if (element.attr("typeof") or "").strip():
                if self._original(element) == element:
                    self._make(element)
                continue
            subject = self.around(element).subject
            if subject is not None and subject not in self.nodes and not self.around(element).is_link:
                self._make(subject)

    def _make(self, element: Element) -> None:
        outer, state = self.around(element), self.inside(element)
        parent, via = None, None
        is_typed = (element.attr("typeof") or "").strip() != ""
        # Where `content` is given, the text is the value, and the typed element is a node of its own.
        holds = outer.subject is not None and not outer.is_link and element.attr("content") is None
        if is_typed and holds and (names := self._names(element, state)):
            # The carriers come in document order, so that a parent's node exists before those inside it.
            parent = self.nodes.get(outer.subject)  # type: ignore[arg-type]
            via = names[0].name
            parent = parent if via else None
        if parent is None:
            block = ItemBlock(self.table, self.tops)
            self.tops += 1
            self.blocks.append(block)
        else:
            assert isinstance(parent.block, ItemBlock)
            block = parent.block
        node = self.nodes[element] = Node(block, self.table.enter(element), parent, via)
        self.written.append([])
        self._describe(node, element, state)

    def _describe(self, node: Node, element: Element, state: _State) -> None:
        types: dict[str, None] = {}
        for word in (element.attr("typeof") or "").split():
            iri = self._expanded(state, word)
            name, spelled, _ = type_name(self.vocabulary, iri) if iri else Name(f"_:{word}")
            if spelled is not None:
                note_spelling(node, f"@type:{name}", spelled)
            types[name] = None
        node.types = self.table.shared(types)
        node.foreign = bool(types) and all(":" in name for name in types)
        is_value = element.attr("property") is not None
        # On a typed element `href` names the item; next to a plain `property` it is the value.
        for attribute in ("about", "resource", "href", "src") if types or not is_value else ("about", "resource"):
            written = element.attr(attribute)
            if written is not None:
                # Square brackets mark a safe CURIE (RDFa Core 7.4.3); the address inside counts.
                node.id = resolve(written.strip().strip("[]"), self.base) or None
                break
        if node.id is not None:
            self.named.setdefault(node.id, node)

    def fill(self, carriers: list[Element]) -> None:
        """Set properties and values, in document order."""
        for element in carriers:
            # Clones of mis-nested formatting repeat attributes that were written once.
            if element.tag in FORMATTING and self._original(element) != element:
                continue
            state = self.inside(element)
            names = self._names(element, state)
            if not names and not element.attr("property"):
                continue
            around = self.around(element)
            subject = (around if element.attr("content") is None else state).subject
            node = self.nodes.get(subject) if subject is not None else None
            if node is None:
                self._note_stray(element, names, around)
            elif names:
                self._add(node, element, names)

    def _note_stray(self, element: Element, names: list[Name], around: _State) -> None:
        """Record a property of the page or of a link's target; only names of schema.org are reported."""
        ours = next((name.name for name in names if not name.is_foreign), None)
        if ours is not None:
            (self.of_links if around.is_link else self.outside).append((element, ours))

    def _add(self, node: Node, element: Element, names: list[Name]) -> None:
        value = self._value(element)
        differs = not node.foreign and value_attribute(element) in VALUE_ATTRIBUTES_COMPARED
        written = self.written[node.origin]
        for name, spelled, _ in names:
            if spelled is not None:
                note_spelling(node, name, spelled)
            if name in node.props:
                node.props[name].append(value)
            else:
                node.props[name] = [value]
            written += name, element
            if differs:
                self.lookalikes.note(node, name, len(node.props[name]) - 1, element)
            if isinstance(value, Node) and value.parent is not node:
                value.add_referrer(node, name)

    def _value(self, element: Element) -> Value:
        if element.attr("content") is None and element in self.nodes:
            return self.nodes[element]
        attribute = value_attribute(element)
        value = self.values.of(element, attribute)
        # An address that names an item of this page is that item: a reference, not a text.
        if attribute in {"resource", "href"} and value in self.named:
            return self.named[value]
        return value

    def closed(self) -> dict[Element, Node]:
        """Nodes by element. Afterwards only names are requested, and states for them are computed again."""
        for number, written in enumerate(self.written):
            if written:
                self.table.fill(number, written[::2], written[1::2])  # type: ignore[arg-type]
                written.clear()
        nodes, self.nodes, self.named, self.written = self.nodes, {}, {}, []
        self.states, self.read_errors = {None: _State()}, []
        return nodes

    def report(self) -> None:
        """Add the errors reported once per page: properties without an item."""
        for rule, found in (("rdfa-property-outside-item", self.outside), ("rdfa-property-of-link", self.of_links)):
            if found:
                # A bound for the message: a page may have any number of such properties.
                names = list(dict.fromkeys(name for _, name in found))[:50]
                self.add_error(rule, found[0][0], "property", names=names, count=len(found))
