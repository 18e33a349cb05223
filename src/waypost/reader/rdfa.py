"""RDFa 1.1 by the processing rules of RDFa Core 1.1, section 7.5, with property copying of HTML+RDFa 1.1.

Elements with a `typeof`, and other subjects of properties (by `about`, `resource`, `rel`), become nodes;
`meta property="og:..."` belongs to the page and is ignored. Two differences, for the sake of what pages mean: a bare
word of `rel` counts only if it is a property and not a type of link in HTML, and only around or on an item.
Sources: W3C RDFa Lite 1.1 (second edition), RDFa Core 1.1 (third edition), HTML+RDFa 1.1, RDFa Core Initial
Context, read 2026-11-20; RDFa Core 1.1, 7.5 (chaining) and HTML+RDFa 1.1, 3.5 (copying), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final
from weakref import ref

from waypost.models.page import Node, Page, Value
from waypost.reader.lookalikes import VALUE_ATTRIBUTES_COMPARED, Lookalikes
from waypost.reader.markup import Carrier, Dialect, ItemBlock, ItemTable, UnclosedAttributes, Values, originals
from waypost.reader.markup import value_attribute as microdata_attribute
from waypost.reader.names import Name, note_spelling, type_name
from waypost.reader.rdfa_context import (
    TARGETS,
    RelatedObject,
    Resource,
    ResourceContext,
    State,
    element_of,
    has_plain_value,
    has_type,
    target_of,
)
from waypost.reader.tree import FORMATTING, Element, Tree
from waypost.registry.vocabulary import Vocabulary

_COPY: Final = "http://www.w3.org/ns/rdfa#copy"
_PATTERN: Final = "http://www.w3.org/ns/rdfa#Pattern"
_MOST_COPIED = 100_000  # values that copying may add to the items of one page
_MOST_LEVELS = 1_024  # of items in items; a tree has fewer
_DOCUMENT_TAGS: Final = frozenset({"html", "head", "body"})


def value_attribute(element: Element) -> str | None:
    """Attribute with an element's value; None where the text is the value."""
    # The order of RDFa Core 7.5, step 11, with `datetime` where HTML+RDFa 3.1 puts it.
    for name in ("content", "datetime"):
        if element.attr(name) is not None:
            return name
    # With a datatype the value is a literal, so that an address next to it is not.
    if element.attr("datatype") is not None:
        return None
    for name in TARGETS:
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


class _ResourceReader(ResourceContext):
    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, values: Values) -> None:
        ids = ("about", "resource", "href", "src")
        names = partial(_name_of, ref(self))  # the sheet is ours: a strong one would be a circle around the tree
        table = ItemTable(Dialect("rdfa", "typeof", "typeof", "property", ids, value_attribute, names), tree)
        super().__init__(page, vocabulary, table)
        self.blocks = page.blocks
        self.tree = tree
        self.values = values
        self.nodes: dict[Resource, Node] = {}
        # Of each node: a property, its carrier, the next, ...
        self.written: list[list[str | Element | Carrier]] = []
        self.outside: list[tuple[Element, str]] = []
        self.of_links: list[tuple[Element, str]] = []
        self.named: dict[str, Node] = {}
        self.copiers: dict[Node, None] = {}
        self.completed: set[Element] = set()
        self.tops = 0
        page.keep_alive.extend((self, self.table))
        self.lookalikes = Lookalikes(page, self.table)
        self.unclosed = UnclosedAttributes(self.table)

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
            if has_type(element) and element not in self.nodes:
                self._make(element)

    def _holder(self, resource: Resource) -> tuple[Resource | None, list[Name]]:
        """Resource of which another one is a value by the way it is written, and the properties of which it is."""
        element = element_of(resource)
        around = self.around(element)
        state = self.inside(element)
        has_relation = self.has_relation(element)
        if has_relation and (isinstance(resource, RelatedObject) or element.attr("about") is None):
            subject = element if isinstance(resource, RelatedObject) else around.subject
            if names := self._related(element, "rel", state):
                return subject, names
        if isinstance(resource, RelatedObject):
            return None, []
        # Where a literal is given, the text is the value, and the typed element is a node of its own.
        is_value = not has_plain_value(element) and element.attr("about") is None and has_type(element)
        if is_value and around.subject is not None and not around.is_link and (names := self._names(element, state)):
            return around.subject, names
        if around.hanging is not None and resource != around.subject and has_type(element):
            return self._hung(around.hanging, "rel")
        return None, []

    def _hung(self, hanging: Element, attribute: str) -> tuple[Resource | None, list[Name]]:
        """Subject of an unfinished `rel` or `rev`, and its properties."""
        names = self._related(hanging, attribute, self.inside(hanging))
        return (hanging if hanging.attr("about") is not None else self.around(hanging).subject), names

    def _make(self, resource: Resource) -> None:
        element = element_of(resource)
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

    def _describe(self, node: Node, resource: Resource, element: Element) -> None:
        state = self.inside(element)
        is_object = isinstance(resource, RelatedObject)
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
        for attribute in ("about", *TARGETS) if types or not is_value or is_object else ("about", "resource"):
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
        if has_type(element) and element.attr("about") is None:
            return self.nodes[element], ""
        attribute = target_of(element) or ""
        return self._address(element, attribute), attribute

    def _address(self, element: Element, attribute: str) -> Value:
        """Value of an attribute with an address; an item of this page, where it names one."""
        written = self.values.of(element, attribute)
        identifier = self._identifier(element, attribute) if attribute == "resource" else written
        if identifier in self.named:
            return self.named[identifier]
        return identifier if identifier is not None else written

    def _complete(self, hanging: Element, element: Element, subject: Resource, object_: Resource | None) -> None:
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
            self._relate(node, hanging, element_of(subject), (self.nodes[subject], ""))
        elif subject != object_:
            about = "about" if element.attr("about") is not None else target_of(element)
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
        is_usual = isinstance(value, Node) or not has_type(element)
        carrier: Element | Carrier = element if is_usual else Carrier(element, "property", element, attribute)
        for name in names:
            self._put(node, name, value, carrier)
            if differs:
                self.lookalikes.note(node, name.name, len(node.props[name.name]) - 1, element)

    def _value(self, element: Element) -> tuple[Value, str | None]:
        """Value of an element with `property`, and the attribute with it, None for its text."""
        is_related = self.has_relation(element)
        if not has_plain_value(element):
            is_named = element.attr("about") is not None
            if not is_named and not is_related and element in self.nodes and has_type(element):
                return self.nodes[element], ""
            attribute = value_attribute(element)
            # An address that names an item of this page is that item: a reference, not a text.
            if attribute in ("resource", "href") and not is_related:
                return self._address(element, attribute), attribute
        attribute = value_attribute(element)
        if is_related and attribute in TARGETS:
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
        found = [(element_of(resource), node) for resource, node in self.nodes.items()]
        self.nodes, self.named, self.written, self.copiers = {}, {}, [], {}
        self.states, self.read_errors = {None: State()}, []
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
