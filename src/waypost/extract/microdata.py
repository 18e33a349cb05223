"""Microdata by the algorithm of the HTML Standard, section 5 (read 2026-11-20).

Two differences, both with consumers and against silence: a `content` attribute counts on any element,
and an item whose own `itemprop` belongs to no item is read as a top-level one. Both are reported.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from waypost.extract.markup import FORMATTING, Dialect, ItemBlock, Sheet, TooMuchText, Values, Written, value_attribute
from waypost.extract.names import property_name, resolve, type_name
from waypost.extract.tree import Element, Tree
from waypost.shapes.page import Node, Page, Trouble, Value
from waypost.vocabulary import Vocabulary

MOST_REFERRED = 100_000  # properties that itemref adds to the items of one page
_LONGEST_CHAIN = 2_000  # items that hold one another through itemref


class _Carrier(NamedTuple):
    """An element with itemprop: its number in document order, its words, and the item around it."""

    number: int
    element: Element
    words: list[str]
    is_item: bool
    owner: Element | None


def read(
    page: Page, tree: Tree, vocabulary: Vocabulary, elements: list[Element], values: Values
) -> dict[Element, Node]:
    """The nodes of a page by the element of each item, in document order. Raises `TooMuchText`.

    elements   everything with itemscope, itemprop or itemtype, in document order.
    """
    reader = _Reader(page, tree, vocabulary, values)
    reader.collect(elements)
    reader.follow_references()
    reader.find_holders()
    reader.make_nodes()
    reader.fill()
    reader.report()
    return {item: reader.nodes[item] for item in reader.items}


def _name_of(vocabulary: Vocabulary, _: Element, word: str) -> str:
    return property_name(vocabulary, word).name


class _Reader:
    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, values: Values) -> None:
        self.base = page.base
        self.blocks = page.blocks
        self.troubles = page.troubles
        self.tree = tree
        self.vocabulary = vocabulary
        self.values = values
        self.items: list[Element] = []
        self.nodes: dict[Element, Node] = {}
        self.referring: list[Element] = []
        self.referred: set[Element] = set()
        self.carriers: list[_Carrier] = []
        self.of_item: dict[Element | None, list[_Carrier]] = {}
        self.holders: dict[Element, tuple[Element, str]] = {}
        self.clones: dict[Element, Element] = {}
        self.repeats: dict[Element, list[Element]] = {}
        self.contents: list[Element] = []
        self.read_before: dict[Element, str] = {}
        dialect = Dialect(
            "microdata",
            "itemscope",
            "itemtype",
            "itemprop",
            ("itemid",),
            value_attribute,
            partial(_name_of, vocabulary),
        )
        self.sheet = Sheet(dialect, tree)
        page.held.append(self.sheet)

    def say(self, rule: str, element: Element, attribute: str, word: int | None = None, **detail: object) -> None:
        """Note a fault at the value of an attribute, or at one of its words."""
        span = self.sheet.attribute_span(element, attribute, word)
        self.troubles.append(Trouble(rule, span, "microdata", None, "", dict(detail)))

    def collect(self, elements: list[Element]) -> None:
        """Items, and the elements that carry properties with the item each stands in."""
        seen: dict[tuple[int, int] | None, Element] = {}
        for number, element in enumerate(elements):
            if element.tag in FORMATTING:
                first = seen.setdefault(element.position, element)
                if first is not element:
                    self.clones[element] = first
                    self.repeats.setdefault(first, []).append(element)
                    continue
            is_item = element.matches("[itemscope]")
            if is_item:
                self.items.append(element)
                if element.matches("[itemref]"):
                    self.referring.append(element)
            elif element.matches("[itemtype]"):
                self.say("microdata-itemtype-without-itemscope", element, "itemtype")
            written = element.attr("itemprop")
            words = written.split() if written else None
            if not words:
                continue
            owner = element.parent.closest("[itemscope]")
            if self.clones:
                owner = self.clones.get(owner, owner)
            carrier = _Carrier(number, element, words, is_item, owner)
            self.of_item.setdefault(owner, []).append(carrier)
            self.carriers.append(carrier)

    def follow_references(self) -> None:
        """Add what itemref points at, in tree order."""
        if not self.referring:
            return
        targets: dict[str, Element] = {}
        for element in self.tree.select("[id]"):
            targets.setdefault(element.attr("id") or "", element)
        by_element = {carrier.element: carrier for carrier in self.carriers}
        groups: dict[Element, list[_Carrier]] = {}
        left = MOST_REFERRED
        for item in self.referring:
            found = {carrier.number: carrier for carrier in self.of_item.get(item, ())}
            for position, word in enumerate((item.attr("itemref") or "").split()):
                target = targets.get(word)
                if target is None:
                    self.say("microdata-itemref-missing-target", item, "itemref", position, id=word)
                    continue
                if target not in groups:
                    groups[target] = self._within(target, by_element)
                left -= len(groups[target])
                if left < 0:
                    raise TooMuchText(item)
                found.update((carrier.number, carrier) for carrier in groups[target])
                self.referred.update(carrier.element for carrier in groups[target])
            if found:
                self.of_item[item] = [found[number] for number in sorted(found)]

    def _within(self, target: Element, by_element: dict[Element, _Carrier]) -> list[_Carrier]:
        """The properties that an element referred to brings: its own, and those below it up to the next item."""
        own = by_element.get(target)
        found = [own] if own else []
        if target.attr("itemscope") is None:
            around = target.parent.closest("[itemscope]")
            around = self.clones.get(around, around) if around is not None else None
            below = (by_element.get(element) for element in target.select("[itemprop]"))
            found.extend(each for each in below if each and each.owner == around and each is not own)
        return found

    def find_holders(self) -> None:
        """Which item holds which; an item that would hold itself loses that property."""
        for item in self.items:
            kept = []
            for carrier in self.of_item.get(item, ()):
                if carrier.is_item:
                    if self.referring and self._would_hold_itself(item, carrier.element):
                        self.say("microdata-itemref-cycle", item, "itemref", names=carrier.words)
                        continue
                    self.holders.setdefault(carrier.element, (item, carrier.words[0]))
                kept.append(carrier)
            if kept:
                self.of_item[item] = kept

    def _would_hold_itself(self, item: Element, child: Element) -> bool:
        above: Element | None = item
        for _ in range(_LONGEST_CHAIN):
            if above == child:
                return True
            if above not in self.holders:
                return False
            above = self.holders[above][0]
        return True

    def make_nodes(self) -> None:
        """A node for each item, holders first; items at the top are the blocks, numbered in document order."""
        blocks: dict[Element, ItemBlock] = {}
        for item in self.items:
            if item not in self.holders:
                blocks[item] = ItemBlock(self.sheet, len(blocks))
        self.blocks.extend(blocks.values())
        for item in self.items:
            chain = []
            above: Element | None = item
            while above is not None and above not in self.nodes:
                chain.append(above)
                above = self.holders[above][0] if above in self.holders else None
            for each in reversed(chain):
                holder, word = self.holders.get(each, (None, ""))
                parent = self.nodes[holder] if holder is not None else None
                via = self._named(parent, word)[0] if parent is not None else None
                block = parent.block if parent is not None else blocks[each]
                node = self.nodes[each] = Node(block, len(self.sheet.written), parent, via)
                self.sheet.written.append(Written(each, {}))
                self._describe(node, each, parent)

    def _describe(self, node: Node, item: Element, parent: Node | None) -> None:
        """Types and id of an item."""
        written = (item.attr("itemtype") or "").split()
        types: dict[str, None] = {}
        for position, word in enumerate(written):
            name, spelled, absolute = type_name(self.vocabulary, word)
            if spelled is not None:
                node.miscased = {**(node.miscased or {}), f"@type:{name}": spelled}
            if not absolute and ":" not in name:
                self.say("microdata-itemtype-not-absolute", item, "itemtype", position, written=word, name=name)
            types[name] = None
        node.types = tuple(types)
        if types:
            node.foreign = all(":" in name for name in types)
        else:
            node.foreign = parent is None or parent.foreign
            if parent is None and self.of_item.get(item):
                self.say("microdata-itemscope-without-itemtype", item, "itemscope")
        identifier = item.attr("itemid")
        if identifier is not None:
            node.id = resolve(identifier, self.base) or None
            if not types:
                self.say("microdata-itemid-without-itemtype", item, "itemid", id=identifier)

    def fill(self) -> None:
        """Properties and their values, in tree order."""
        for item in self.items:
            node = self.nodes[item]
            written = self.sheet.written[node.origin].properties
            for carrier in self.of_item.get(item, ()):
                value = self._value(carrier, node)
                for word in carrier.words:
                    name, spelled = self._named(node, word)
                    if spelled is not None:
                        node.miscased = {**(node.miscased or {}), name: spelled}
                    if name in node.props:
                        node.props[name].append(value)
                        written[name].append(carrier.element)
                    else:
                        node.props[name] = [value]
                        written[name] = [carrier.element]
                    if isinstance(value, Node) and value.parent is not node:
                        value.referrers.append((node, name))

    def _named(self, node: Node, word: str) -> tuple[str, str | None]:
        """What a property is called, and its spelling if that was corrected; another vocabulary's stay as they are."""
        if node.foreign:
            return word, None
        name, spelled, _ = property_name(self.vocabulary, word)
        return name, spelled

    def _value(self, carrier: _Carrier, node: Node) -> Value:
        element = carrier.element
        if carrier.is_item:
            return self.nodes[element]
        if element in self.referred and element in self.read_before:
            return self.read_before[element]
        attribute = value_attribute(element)
        if attribute == "content" and element.tag != "meta" and not node.foreign:
            self.contents.append(element)
        value = self.values.of(element, attribute)
        if not value and attribute is None:
            value = next(filter(None, map(self.values.text, self.repeats.get(element, ()))), "")
        if element in self.referred:
            self.read_before[element] = value
        return value

    def report(self) -> None:
        """What is said once a page: properties of no item, and `content` where the standard has none."""
        orphans = [each for each in self.of_item.get(None, ()) if each.element not in self.referred]
        if orphans:
            names = list(dict.fromkeys(word for each in orphans for word in each.words))[:50]
            self.say("microdata-orphan-property", orphans[0].element, "itemprop", names=names, count=len(orphans))
        if self.contents:
            first = self.contents[0]
            self.say("microdata-content-attribute", first, "content", tag=first.tag, count=len(self.contents))
