"""Common parts of Microdata and RDFa: values of elements, and the spans of names and values in tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from weakref import ref

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Part, ReadError, Span, Syntax
from waypost.reader.names import resolve
from waypost.reader.tree import FORMATTING, Element, Tree, value_span, visible_text

# HTML Standard, 5.2.4 "Values", read 2026-11-20.
URL_ATTRIBUTES: Final = {
    "a": "href", "area": "href", "link": "href", "object": "data",
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "source": "src", "track": "src", "video": "src",
}  # fmt: skip
VALUE_ATTRIBUTES: Final = {"data": "value", "meter": "value", "meta": "content"}
_ADDRESSES: Final = frozenset({"resource", "href", "src"})
_UNSEEN = "br,script,style,noscript,template"
_TOKEN = pattern(r"[^\t\n\f\r ]+")
_NEXT_ATTRIBUTE = pattern(r"[\s\"'>][A-Za-z][A-Za-z0-9_:-]*\s*=\s*\Z")
_BEHIND_VALUE = ("", *" \t\n\f\r/>")
_LONGEST_ENDING = 100
_MOST_UNCLOSED = 100
_FEW = 16  # names or words that are searched without an index
_MOST_ALIKE = 4096


def originals(elements: Sequence[Element]) -> dict[tuple[int, int] | None, Element]:
    """Position -> element written there, where the tree has clones of elements for mis-nested formatting; mostly empty.

    elements   in document order: without clones the positions grow, and need not be stored.
    """
    last = (0, -1)
    for element in elements:
        if element.tag in FORMATTING:
            position = element.position
            # A clone repeats the position of its original, so that positions do not grow there.
            if position is None or position <= last:
                break
            last = position
    else:
        return {}
    found: dict[tuple[int, int] | None, Element] = {}
    for element in elements:
        if element.tag in FORMATTING:
            found.setdefault(element.position, element)
    return found


class TextLimitExceeded(Exception):
    """The values of a page would be many times as long as the page: nested properties repeat their text."""

    def __init__(self, element: Element) -> None:
        super().__init__(element.tag)
        self.element = element


class Values:
    """Values of elements, as text, up to a limit in proportion to the page."""

    def __init__(self, base: str | None, most: int) -> None:
        self.base = base
        self.left = most

    def of(self, element: Element, attribute: str | None) -> str:
        """Value of an attribute, or without one the text of the element. Raises TextLimitExceeded."""
        if attribute is None:
            return self.text(element)
        written = element.attr(attribute) or ""
        # Counted before the value is made: the limit guards memory.
        self.left -= len(written)
        if self.left < 0:
            raise TextLimitExceeded(element)
        if attribute in _ADDRESSES or URL_ATTRIBUTES.get(element.tag) == attribute:
            return resolve(written, self.base)
        return written.strip()

    def text(self, element: Element) -> str:
        """Visible text of an element, white space collapsed, line breaks as spaces. Raises TextLimitExceeded."""
        text = element.text
        self.left -= len(text)
        if self.left < 0:
            raise TextLimitExceeded(element)
        if element.select(_UNSEEN):
            text = visible_text(element)
        return " ".join(text.split())


def value_attribute(element: Element) -> str | None:
    """Attribute with an element's Microdata value; None where the text is the value.

    `content` counts on any element, as for consumers; in the standard only on `meta`.
    """
    if element.matches("[content]"):
        return "content"
    tag = element.tag
    if tag == "time":
        return "datetime" if element.matches("[datetime]") else None
    return URL_ATTRIBUTES.get(tag) or VALUE_ATTRIBUTES.get(tag)


class Dialect(NamedTuple):
    """Attribute names of a syntax. `name_of` maps a token of the key attribute to a property's name."""

    syntax: Syntax
    scope: str
    types: str
    keys: str
    ids: tuple[str, ...]
    value_attribute: Callable[[Element], str | None]
    name_of: Callable[[Element, str], str | None]


class Carrier(NamedTuple):
    """Place of a value whose name or text stands elsewhere than usual: by `rel` or `rev`, or copied from a pattern.

    key, keys  element and attribute with the name.
    value      element with the value.
    attribute  attribute with the value; None where it is the element's text, "" where it is a node.
    """

    key: Element
    keys: str
    value: Element
    attribute: str | None


class UnclosedAttributes:
    """Attributes without a closing quote: their values end at the quote that opens the value of another attribute."""

    def __init__(self, table: ItemTable) -> None:
        self.table = table
        self.found: dict[tuple[Element, str], int] = {}  # element and attribute -> offset at which the quote is missing

    def check(self, element: Element, attribute: str, *, is_name: bool) -> None:
        """Add an attribute if its quote is missing. `is_name`: its value is made of names or addresses of names."""
        start, end = self.table.attribute_span(element, attribute)
        text = self.table.tree.text
        if text[start - 1] not in "\"'" or len(self.found) >= _MOST_UNCLOSED:
            return
        written = text[start:end]
        # Behind a quote that opens a value its text follows; behind one that closes it, a space or the end of the tag.
        is_opening = text[end + 1 : end + 2] not in _BEHIND_VALUE
        ending = _NEXT_ATTRIBUTE.search(written[-_LONGEST_ENDING:]) if is_opening else None
        tag_end = written.find(">")
        if tag_end < 0:
            # The rest of the tag alone: only in names it cannot be part of the value.
            if not is_name or ending is None:
                return
            tag_end = max(len(written) - _LONGEST_ENDING, 0) + ending.start()
        elif ending is None and not (is_name and "<" in written[tag_end:]):
            return
        self.found[element, attribute] = start + len(written[:tag_end].rstrip("/ \t\n\f\r"))

    def errors(self, node_of: Callable[[Element], Node | None]) -> Iterator[ReadError]:
        """Read errors, in the block of the node that an element belongs to."""
        text = self.table.tree.text
        for (element, attribute), at in self.found.items():
            start = self.table.attribute_span(element, attribute).start
            node = node_of(element)
            yield ReadError(
                "html-attribute-unclosed",
                Span(start, at),
                self.table.dialect.syntax,
                node.block.index if node is not None else None,
                "",
                {"attribute": attribute, "value": text[start:at]},
                ((Span(at, at), text[start - 1]),),
            )


class ItemTable:
    """Elements of the nodes of a syntax, for the spans of the blocks. A node's `origin` is an index into `elements`.

    The page owns the table and blocks refer to it weakly: nodes refer to each other in cycles, and must not keep
    a tree of many times the page's size in memory until the next garbage collection.
    """

    def __init__(self, dialect: Dialect, tree: Tree) -> None:
        self.dialect = dialect
        self.tree = tree
        self.elements: list[Element] = []
        # For each node its properties, a name per value in order, and the elements with the values. Few spans are
        # requested of very many: the tables are small rather than fast, and most items share their names.
        self._names: list[tuple[str, ...]] = []
        self._carriers: list[tuple[Element | Carrier, ...]] = []
        self._alike: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._sorted: dict[int, dict[str, list[Element | Carrier]]] = {}
        self._long: dict[tuple[Element, str], tuple[Span, list[Span]]] = {}
        self._numbers: dict[tuple[Element, str], dict[str | None, int]] = {}

    def enter(self, element: Element) -> int:
        """Add the element of a node; returns its number."""
        self.elements.append(element)
        self._names.append(())
        self._carriers.append(())
        return len(self.elements) - 1

    def fill(self, number: int, names: Iterable[str], carriers: Iterable[Element | Carrier]) -> None:
        """Set the properties of a node, a name per value, and the elements with the values."""
        self._names[number] = self.shared(names)
        self._carriers[number] = tuple(carriers)

    def shared(self, names: Iterable[str]) -> tuple[str, ...]:
        """Names as a tuple, the same object for nodes with equal names."""
        found = tuple(names)
        if len(found) <= _FEW and len(self._alike) < _MOST_ALIKE:
            return self._alike.setdefault(found, found)
        return found

    def carriers(self, number: int, prop: str) -> list[Element | Carrier]:
        """Elements or carriers of the values of a property of a node, in order."""
        names, carriers = self._names[number], self._carriers[number]
        if len(names) <= _FEW:
            many = names.count(prop)
            if many <= 1:
                return [carriers[names.index(prop)]] if many else []
            return [carrier for name, carrier in zip(names, carriers, strict=True) if name == prop]
        found = self._sorted.get(number)
        if found is None:
            found = self._sorted[number] = {}
            for name, carrier in zip(names, carriers, strict=True):
                found.setdefault(name, []).append(carrier)
        return found.get(prop, [])

    def attribute_span(self, element: Element, attribute: str, number: int | None = None) -> Span:
        """Span of an attribute's value, or of a word in it; of the start tag where the element lacks the attribute."""
        if number is None:
            location = self.tree.location(element)
            span = location.attributes.get(attribute)
            return location.start_tag if span is None else value_span(self.tree.text, span, attribute)
        value, words = self._long.get((element, attribute)) or self._words(element, attribute)
        return words[number] if number < len(words) else value

    def _words(self, element: Element, attribute: str) -> tuple[Span, list[Span]]:
        """Span of an attribute's value and spans of its words; no words where references hide their number.

        Each of thousands of words may have a finding: the spans of a long value are computed once.
        """
        value = self.attribute_span(element, attribute)
        # The words are those of the source, in which a character reference may stand for white space or a letter.
        words = [Span(*match.span()) for match in _TOKEN.finditer(self.tree.text, value.start, value.end)]
        many = len((element.attr(attribute) or "").split())
        found = value, words if len(words) == many else []
        if many > _FEW:
            self._long[element, attribute] = found
        return found

    def key_span(self, carrier: Element | Carrier, prop: str) -> Span:
        carrier, keys = (carrier.key, carrier.keys) if isinstance(carrier, Carrier) else (carrier, self.dialect.keys)
        numbers = self._numbers.get((carrier, keys))
        if numbers is None:
            words = (carrier.attr(keys) or "").split()
            numbers = {}
            for number, word in enumerate(words):
                numbers.setdefault(word, number)
                numbers.setdefault(self.dialect.name_of(carrier, word), number)
            if len(words) > _FEW:
                self._numbers[carrier, keys] = numbers
        return self.attribute_span(carrier, keys, numbers.get(prop, 0))

    def value_span(self, carrier: Element | Carrier) -> Span:
        """Span of a value; of the start tag where it is a node."""
        element = value_element(carrier)
        if isinstance(carrier, Carrier):
            attribute, is_node = carrier.attribute, carrier.attribute == ""
        else:
            is_node = element.attr(self.dialect.scope) is not None
            attribute = None if is_node else self.dialect.value_attribute(element)
        if attribute is None and not is_node:
            return self.tree.content(element)
        location = self.tree.location(element)
        if is_node or attribute is None:
            return location.start_tag
        span = location.attributes.get(attribute)
        return value_span(self.tree.text, span, attribute) if span is not None else location.start_tag

    def id_span(self, element: Element) -> Span:
        location = self.tree.location(element)
        for attribute in self.dialect.ids:
            if attribute in location.attributes:
                return value_span(self.tree.text, location.attributes[attribute], attribute)
        return location.start_tag


class ItemBlock:
    """Top-level item of Microdata or RDFa, with the items inside."""

    __slots__ = ("_table", "index", "syntax")

    def __init__(self, table: ItemTable, index: int) -> None:
        self._table = ref(table)
        self.index = index
        self.syntax: Syntax = table.dialect.syntax

    @property
    def table(self) -> ItemTable:
        table = self._table()
        assert table is not None, "places can be requested as long as the page is kept"
        return table

    def span(self, node: Node, prop: str | None = None, index: int | None = None, part: Part = "value") -> Span:
        """See `waypost.models.page.Block.span`; `prop` may also be "@id"."""
        table = self.table
        element = table.elements[node.origin]
        if part == "type":
            return self._type(node, element, index)
        if prop == "@id":
            return table.id_span(element)
        carriers = table.carriers(node.origin, prop) if prop is not None else None
        # A property without a carrier came from another node of the same id.
        if prop is None or not carriers:
            return table.tree.location(element).start_tag
        carrier = carriers[min(index or 0, len(carriers) - 1)]
        if part == "key":
            return table.key_span(carrier, prop)
        return table.value_span(carrier)

    def start_position(self, node: Node) -> tuple[int, int] | None:
        """See `waypost.models.page.Block.start_position`."""
        table = self.table
        found = table.tree.start_position(table.elements[node.origin])
        return None if found is None else (found[0], found[1] + 1)

    def is_apart(self, node: Node) -> bool:
        """See `waypost.models.page.Block.is_apart`."""
        if self.syntax != "microdata" or node.parent is None:
            return False
        elements = self.table.elements
        owner = elements[node.origin].parent.closest("[itemscope]")
        # By position: a clone that the parser makes of mis-nested formatting is the same item.
        return owner is None or owner.position != elements[node.parent.origin].position

    def pointer(self, node: Node, prop: str | None = None, index: int | None = None) -> str:
        """See `waypost.models.page.Block.pointer`."""
        table = self.table
        steps: list[str] = []
        if prop is not None:
            steps.extend(_step(prop, index or 0, len(table.carriers(node.origin, prop))))
        # Deeper than any tree of the parser: a bound in case holders form a circle.
        while node.parent is not None and node.via is not None and len(steps) < 1024:
            carriers = [value_element(carrier) for carrier in table.carriers(node.parent.origin, node.via)]
            element = table.elements[node.origin]
            steps.extend(_step(node.via, carriers.index(element) if element in carriers else 0, len(carriers)))
            node = node.parent
        return "".join(f"/{step}" for step in reversed(steps))

    def literal(self, text: str) -> str:
        """Text that is safe in an attribute with any quotes, and between tags."""
        for character, reference in _REFERENCES:
            text = text.replace(character, reference)
        return text

    def _type(self, node: Node, element: Element, index: int | None) -> Span:
        """Span of a type by number; without a number, of the misspelled type or of all types."""
        types = self.table.dialect.types
        if index is None and node.miscased is not None:
            words = (element.attr(types) or "").split()
            wrong = tuple(written for name, written in node.miscased.items() if name.startswith("@type:"))
            index = next((n for n, word in enumerate(words) if wrong and word.endswith(wrong)), None)
        return self.table.attribute_span(element, types, index)


def value_element(carrier: Element | Carrier) -> Element:
    return carrier.value if isinstance(carrier, Carrier) else carrier


_REFERENCES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"))


def _step(prop: str, index: int, many: int) -> list[str]:
    """Parts of a pointer for a property, innermost first."""
    name = prop.replace("~", "~0").replace("/", "~1")
    # As in JSON-LD, where one value needs no list.
    return [str(index), name] if many > 1 else [name]
