"""Microdata by the algorithm of the HTML Standard, section 5 (read 2026-11-20).

Two differences, as consumers do and reported: a `content` attribute counts on any element, and an item with a type
whose own `itemprop` belongs to no item is an item of the page (so are samples of Google's page about videos, read
2026-11-28).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from waypost.models.page import Node, Page, ReadError, Value
from waypost.reader.lookalikes import VALUE_ATTRIBUTES_COMPARED, Lookalikes
from waypost.reader.markup import (
    Carrier,
    Dialect,
    ItemBlock,
    ItemTable,
    TextLimitExceeded,
    UnclosedAttributes,
    Values,
    originals,
    value_attribute,
)
from waypost.reader.names import note_spelling, property_name, resolve, type_name
from waypost.reader.tree import FORMATTING, Element, Tree
from waypost.registry.vocabulary import DATA_TYPES, Vocabulary

MOST_REFERRED = 100_000  # properties that itemref adds to the items of one page
MOST_VISITED = 1_000_000  # elements visited to find those properties
MOST_STEPS = 3_000_000  # from items to their holders, looking for cycles; the longest chain takes two thirds of them
_MOST_AROUND = 20  # elements with a type around a property, each of which counts it
_MOST_RELATED = 20
_VALUE_TAGS = frozenset({"a", "img", "link", "meta"})
_LONGEST_CHAIN = 2_000  # items that hold one another through itemref


def read(
    page: Page, tree: Tree, vocabulary: Vocabulary, elements: list[Element], values: Values
) -> Iterable[tuple[Element, Node]]:
    """Nodes of a page with the element of the item, in document order. Raises TextLimitExceeded.

    elements   elements with itemscope, itemprop or itemtype, in document order.
    """
    reader = _ItemReader(page, tree, vocabulary, values)
    reader.collect(elements)
    reader.follow_references(elements)
    reader.find_holders()
    reader.make_nodes()
    reader.fill()
    reader.report()
    return reader.nodes.items()


def _name_of(vocabulary: Vocabulary, _: Element, word: str) -> str:
    return property_name(vocabulary, word).name


def _words(carrier: Element) -> list[str]:
    return (carrier.attr("itemprop") or "").split()


class _ItemReader:
    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, values: Values) -> None:
        self.base = page.base
        self.blocks = page.blocks
        self.read_errors = page.read_errors
        self.tree = tree
        self.vocabulary = vocabulary
        self.values = values
        self.items: list[Element] = []
        self.nodes: dict[Element, Node] = {}
        self.referring: list[Element] = []
        self.referred: set[Element] = set()
        # The elements with itemprop by the item around them. A page may have as many as it has bytes for, so that
        # nothing is remembered of them but what their attributes do not say.
        self.of_item: dict[Element | None, list[Element]] = {}
        self.are_items: set[Element] = set()
        self.holders: dict[Element, Element] = {}
        self.steps_left = MOST_STEPS
        self.clones: dict[Element, Element] = {}
        self.repeats: dict[Element, list[Element]] = {}
        self.contents: list[Element] = []
        self.attributed: set[Element] = set()  # whose value is an attribute, next to what people see
        self.unscoped: dict[Element, list[Element]] = {}  # with the properties inside
        self.orphans = page.orphans
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
        self.table = ItemTable(dialect, tree)
        page.keep_alive.append(self.table)
        self.lookalikes = Lookalikes(page, self.table)
        self.unclosed = UnclosedAttributes(self.table)

    def add_error(self, rule: str, element: Element, attribute: str, word: int | None = None, **detail: object) -> None:
        """Add a read error at the value of an attribute, or at a word in it."""
        span = self.table.attribute_span(element, attribute, word)
        self.read_errors.append(ReadError(rule, span, "microdata", None, "", dict(detail)))

    def collect(self, elements: list[Element]) -> None:
        """Collect the items, and the elements with properties by the item around them."""
        firsts = originals(elements)
        for element in elements:
            if firsts and element.tag in FORMATTING:
                first = firsts[element.position]
                if first is not element:
                    self.clones[element] = first
                    self.repeats.setdefault(first, []).append(element)
                    continue
            is_item = element.matches("[itemscope]")
            if is_item:
                self.items.append(element)
                self.are_items.add(element)
                if element.matches("[itemref]"):
                    self.referring.append(element)
            elif element.matches("[itemtype]"):
                self.unscoped[element] = []
                self._check_quote(element, "itemtype", element.attr("itemtype") or "")
            written = element.attr("itemprop")
            if not written or written.isspace():
                continue
            self._check_quote(element, "itemprop", written)
            # An item's own `itemprop` belongs to the item around it, hence the parent (HTML Standard 5.2.5).
            owner = element.parent.closest("[itemscope]")
            if self.unscoped and owner is not None:
                # Each property at the innermost type without itemscope alone: in all of them they would be too many.
                above = element.parent.closest("[itemtype]")
                if above in self.unscoped and above.parent.closest("[itemscope]") == owner:
                    self.unscoped[above].append(element)
            if self.clones:
                owner = self.clones.get(owner, owner)
            if owner in self.of_item:
                self.of_item[owner].append(element)
            else:
                self.of_item[owner] = [element]

    def follow_references(self, elements: list[Element]) -> None:
        """Add the targets of itemref, in tree order. Raises TextLimitExceeded."""
        if not self.referring:
            return
        order = {element: number for number, element in enumerate(elements)}
        targets: dict[str, Element] = {}
        for element in self.tree.select("[id]"):
            # The first element of an id wins, as in `getElementById`.
            targets.setdefault(element.attr("id") or "", element)
        owners = {carrier: owner for owner, carriers in self.of_item.items() for carrier in carriers}
        groups: dict[Element, list[Element]] = {}
        left, unvisited = MOST_REFERRED, MOST_VISITED
        for item in self.referring:
            found = dict.fromkeys(self.of_item.get(item, ()))
            for position, word in enumerate((item.attr("itemref") or "").split()):
                target = targets.get(word)
                if target is None:
                    self.add_error("microdata-itemref-missing-target", item, "itemref", position, id=word)
                    continue
                # Many items refer to the same footer or address: its properties are collected once.
                if target not in groups:
                    groups[target], visited = self._within(target, owners)
                    unvisited -= visited
                left -= len(groups[target])
                if left < 0 or unvisited < 0:
                    raise TextLimitExceeded(item)
                found.update(dict.fromkeys(groups[target]))
                self.referred.update(groups[target])
            if found:
                # Properties come in tree order, not in the order of `itemref` (HTML Standard 5.2.5, last step).
                self.of_item[item] = sorted(found, key=order.__getitem__)

    def _within(self, target: Element, owners: dict[Element, Element | None]) -> tuple[list[Element], int]:
        """Elements with properties in the target of a reference, up to the next item; number of elements visited."""
        visited = 0
        found = [target] if target in owners else []
        # What is inside a referred item belongs to that item.
        if target.attr("itemscope") is None:
            around = target.parent.closest("[itemscope]")
            around = self.clones.get(around, around) if around is not None else None
            below = target.select("[itemprop]")
            found.extend(
                carrier for carrier in below if carrier in owners and owners[carrier] == around and carrier != target
            )
            visited = len(below)
        return found, visited

    def find_holders(self) -> None:
        """Find the holder of each item; an item that would hold itself loses the property.

        Raises TextLimitExceeded where the chains of items are too many and too long to follow.
        """
        for item in self.items:
            circular: set[Element] = set()
            for carrier in self.of_item.get(item, ()):
                if carrier in self.are_items:
                    # Nesting alone cannot make a circle; only `itemref` can.
                    if self.referring and self._would_hold_itself(item, carrier):
                        self.add_error("microdata-itemref-cycle", item, "itemref", names=_words(carrier))
                        circular.add(carrier)
                        continue
                    # An item may be a value of several items; the first holder counts as the parent, the others as
                    # referrers.
                    self.holders.setdefault(carrier, item)
            if circular and len(circular) < len(self.of_item[item]):
                self.of_item[item] = [carrier for carrier in self.of_item[item] if carrier not in circular]

    def _would_hold_itself(self, item: Element, child: Element) -> bool:
        above: Element | None = item
        for _ in range(_LONGEST_CHAIN):
            self.steps_left -= 1
            if self.steps_left < 0:
                raise TextLimitExceeded(item)
            if above == child:
                return True
            if above not in self.holders:
                return False
            above = self.holders[above]
        # Too long to follow: treated as a circle, so that the walk over nodes ends.
        return True

    def make_nodes(self) -> None:
        """Make the nodes, holders first; top-level items are the blocks, numbered in document order."""
        blocks: dict[Element, ItemBlock] = {}
        for item in self.items:
            if item not in self.holders:
                blocks[item] = ItemBlock(self.table, len(blocks))
        self.blocks.extend(blocks.values())
        for item in self.items:
            chain = []
            above: Element | None = item
            while above is not None and above not in self.nodes:
                chain.append(above)
                above = self.holders.get(above)
            # An item can be referred to before its holder is written: holders first, however the page is ordered.
            for link in reversed(chain):
                holder = self.holders.get(link)
                parent = self.nodes[holder] if holder is not None else None
                via = self._named(parent, _words(link)[0])[0] if parent is not None else None
                block = parent.block if parent is not None else blocks[link]
                node = self.nodes[link] = Node(block, self.table.enter(link), parent, via)
                self._describe(node, link, parent)

    def _describe(self, node: Node, item: Element, parent: Node | None) -> None:
        """Set types and id of an item."""
        given = item.attr("itemtype") or ""
        self._check_quote(item, "itemtype", given)
        written = given.split()
        types: dict[str, None] = {}
        for position, word in enumerate(written):
            name, spelled, absolute = type_name(self.vocabulary, word)
            if spelled is not None:
                note_spelling(node, f"@type:{name}", spelled)
            # `itemtype` takes absolute URLs only (HTML Standard 5.2.2); a bare name is understood and reported.
            if not absolute and name in self.vocabulary.types:
                self.add_error("microdata-itemtype-not-absolute", item, "itemtype", position, written=word, name=name)
            types[name] = None
        node.types = self.table.shared(types)
        if types:
            node.foreign = all(":" in name for name in types)
        else:
            # Without a type, names mean what they mean around the item.
            node.foreign = parent is None or parent.foreign
            if parent is None and self.of_item.get(item):
                self.add_error("microdata-itemscope-without-itemtype", item, "itemscope")
        identifier = item.attr("itemid")
        if identifier is not None:
            node.id = resolve(identifier, self.base) or None
            if not types:
                self.add_error("microdata-itemid-without-itemtype", item, "itemid", id=identifier)

    def fill(self) -> None:
        """Set properties and values, in tree order."""
        for item in self.items:
            # Released as they are read: a large page need not keep its lists next to its nodes.
            carriers = self.of_item.pop(item, None)
            if not carriers:
                continue
            node = self.nodes[item]
            props = node.props
            names: list[str] = []
            written: list[Element | Carrier] = []
            for carrier in carriers:
                value = self._value(carrier, node)
                differs = carrier in self.attributed
                for word in _words(carrier):
                    name, spelled = self._named(node, word)
                    if spelled is not None:
                        note_spelling(node, name, spelled)
                    if name in props:
                        props[name].append(value)
                    else:
                        props[name] = [value]
                    names.append(name)
                    written.append(carrier)
                    if differs:
                        self.lookalikes.note(node, name, len(props[name]) - 1, carrier)
                    if isinstance(value, Node) and value.parent is not node:
                        value.add_referrer(node, name)
            self.table.fill(node.origin, names, written)

    def _named(self, node: Node, word: str) -> tuple[str, str | None]:
        """Name of a property, and the spelling if corrected; names of foreign vocabularies stay as written."""
        if node.foreign:
            return word, None
        name, spelled, _ = property_name(self.vocabulary, word)
        return name, spelled

    def _value(self, element: Element, node: Node) -> Value:
        if element in self.are_items:
            if (element.attr("content") or "").rstrip()[-1:] == "=":
                self.unclosed.check(element, "content", is_name=False)
            return self.nodes[element]
        # A text that several items refer to is read once; reading it again for each would be quadratic.
        if element in self.referred and element in self.read_before:
            return self.read_before[element]
        attribute = value_attribute(element)
        if attribute == "content" and element.tag != "meta" and not node.foreign:
            self.contents.append(element)
        if attribute in VALUE_ATTRIBUTES_COMPARED and not node.foreign:
            self.attributed.add(element)
        value = self.values.of(element, attribute)
        if attribute is not None and value[-1:] == "=":
            self.unclosed.check(element, attribute, is_name=False)
        # Mis-nested formatting splits an element; its text may stand in a clone.
        if not value and attribute is None:
            value = next(filter(None, map(self.values.text, self.repeats.get(element, ()))), "")
        if element in self.referred:
            self.read_before[element] = value
        return value

    def _check_quote(self, element: Element, attribute: str, written: str) -> None:
        if "<" in written or written[-1:] == "=":
            self.unclosed.check(element, attribute, is_name=True)

    def _node_around(self, element: Element) -> Node | None:
        item = element.closest("[itemscope]")
        return self.nodes.get(self.clones.get(item, item)) if item is not None else None

    def report(self) -> None:
        """Add the errors reported once per page: properties of no item, and `content` outside `meta`."""
        # Properties outside of any item, unless an `itemref` gives them one.
        orphans = [carrier for carrier in self.of_item.get(None, ()) if carrier not in self.referred]
        if orphans:
            self.orphans.update(self.nodes[carrier] for carrier in orphans if carrier in self.are_items)
        # Where markup is part of a value, items may begin and end anywhere: nothing else is reported about them.
        if self.unclosed.found:
            self.read_errors.extend(self.unclosed.errors(self._node_around))
            return
        if orphans:
            self._report_orphans(self._report_unscoped(orphans) if self.unscoped else orphans)
        elif self.unscoped:
            self._report_unscoped(orphans)
        if self.contents:
            first = self.contents[0]
            self.add_error("microdata-content-attribute", first, "content", tag=first.tag, count=len(self.contents))

    def _report_orphans(self, orphans: list[Element]) -> None:
        """Report properties outside of any item. An item with a type that is one is an item of the page."""
        lost: list[Element] = []
        apart: list[Element] = []
        for orphan in orphans:
            is_item = orphan in self.are_items and bool(self.nodes[orphan].types)
            (apart if is_item else lost).append(orphan)
        self.orphans.difference_update(self.nodes[orphan] for orphan in apart)
        for found, is_item in ((lost, False), (apart, True)):
            if found:
                words = [word for carrier in found for word in _words(carrier)]
                names, count = list(dict.fromkeys(words))[:50], len(found) if is_item else len(words)
                self.add_error(
                    "microdata-orphan-property", found[0], "itemprop", names=names, count=count, is_item=is_item,
                    is_of_page=all(carrier.tag == "meta" and carrier.closest("head") is not None for carrier in found),
                )  # fmt: skip

    def _report_unscoped(self, orphans: list[Element]) -> list[Element]:
        """Report elements with a type and without itemscope, with the properties lost in each; returns the others."""
        lost: dict[Element, list[Element]] = {element: [] for element in self.unscoped}
        others = []
        for orphan in orphans:
            above = orphan.parent.closest("[itemtype]")
            if above not in lost:
                others.append(orphan)
            # A property inside several untyped scopes is lost in each; the bound keeps nested ones linear.
            for _ in range(_MOST_AROUND):
                if above not in lost:
                    break
                lost[above].append(orphan)
                above = above.parent.closest("[itemtype]")
        for element, below in lost.items():
            names = [type_name(self.vocabulary, word).name for word in (element.attr("itemtype") or "").split()]
            is_value = (
                not DATA_TYPES.isdisjoint(names)
                or element.tag in _VALUE_TAGS
                or element.attr("typeof") is not None
                or (element.attr("itemprop") is not None and element.attr("content") is not None)
            )
            self.add_error(
                "microdata-itemtype-without-itemscope", element, "itemtype", lost=len(below), is_value=is_value,
                type=next((name for name in names if name in self.vocabulary.types), None),
                **self._taken(element, is_value),
            )  # fmt: skip
            inside = (below or self.unscoped[element])[:_MOST_RELATED]
            spans = (self.table.attribute_span(orphan, "itemprop", None) for orphan in inside)
            self.read_errors[-1].related = tuple(("a property that is lost with it", span) for span in spans)
        return others

    def _taken(self, element: Element, is_value: bool) -> dict[str, Any]:
        """What the item around an element with a type and without itemscope takes from it, for `ReadError.detail`.

        owner   the item around it, if it is a property of the item or has properties inside; None where the type is
                too much.
        prop    property that it is; None without one.
        content span of the text that the property has as its value.
        taken   number of the properties inside.
        effects rule ("" for any) and place of the findings that follow from it.
        """
        inside = self.unscoped[element]
        words = _words(element)
        around = element.parent.closest("[itemscope]") if (inside or words) and not is_value else None
        owner = self.nodes.get(self.clones.get(around, around)) if around is not None else None
        if owner is None:
            return {"owner": None, "prop": None, "content": None, "taken": 0, "effects": []}
        span = self.table.attribute_span
        keys = [span(carrier, "itemprop", n) for carrier in inside for n, _ in enumerate(_words(carrier))]
        content = self.tree.content(element) if words and value_attribute(element) is None else None
        effects = [("property-not-of-type", key) for key in keys]
        return {
            "owner": owner,
            "prop": self._named(owner, words[0])[0] if words else None,
            "content": content,
            "taken": len(keys),
            "effects": [*effects, ("", content)] if content is not None else effects,
        }
