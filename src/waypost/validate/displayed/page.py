"""Main part of a page and the item that the page is about: only they are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import takewhile
from typing import NamedTuple

from waypost.formats.patterns import pattern
from waypost.formats.prices import plain_price
from waypost.models.page import Node, Page, Span, Value
from waypost.reader.visible import HIDDEN, UNCERTAIN, headings, visible_texts
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.displayed.lines import Line, Lines
from waypost.validate.displayed.words import Words, has_words, letters_of, words_of
from waypost.validate.item import is_between_tags

_TITLE = pattern(r"<title[^>]{0,200}>([^<]{0,500})")
_TEMPLATES = ("{{", "{%", "<%", "<?php", "${")
_HELD_BY = frozenset({"mainEntity", "mainEntityOfPage", "about", "subjectOf", "isPartOf", "hasPart"})
_MOST_HEADINGS = 6
_SHORTEST_NAME, _LONGEST_NAME = 8, 200
_NOT_DISPLAYED = pattern(r"<(?:title|option|script|a|textarea|button|label)\b")
_PRICES = frozenset({"price", "lowPrice", "highPrice"})
_NAMES = ("name", "headline", "title")
_LONGEST_PARAGRAPH = 240
_MOST_HEAD_LINES = 40


class Difference(NamedTuple):
    """Value of the markup that the page contradicts.

    prop, place  property of the node and index of its value; `prop` None where the markup leaves out what it means.
    what         property in words: "price".
    stated, seen   value in the markup, and on the page.
    span         of the value on the page.
    """

    node: Node
    prop: str | None
    place: int
    what: str
    stated: str
    seen: str
    span: Span


class Displayed(NamedTuple):
    """What a page displays from its main heading on.

    heading  text of the main heading, whose tag begins at `start`; `lines` begin with it.
    """

    page: Page
    vocabulary: Vocabulary
    heading: str
    start: int
    lines: Lines
    words: Words

    def head(self) -> list[Line]:
        """Lines before the next heading and before the first paragraph: where a page has its dates and authors."""
        found: list[Line] = []
        for line in self.lines:
            if line.level > 1 or len(line.joined) > _LONGEST_PARAGRAPH or len(found) >= _MOST_HEAD_LINES:
                break
            found.append(line)
        return found

    def above(self, most: int) -> list[Line]:
        """Lines above the heading, in a number of characters of the source: some pages begin with the price."""
        end = self.start
        begin = self.page.text.find("<", max(0, end - most))
        texts = takewhile(lambda text: text.start < end, visible_texts(self.page.text, begin)) if begin < end else ()
        return Lines((each for each in texts if each.level == 0), self.words).all()

    def is_displayed(self, node: Node, prop: str, index: int) -> bool:
        """Is a value itself text of the page, or one that another rule compares with the text of its element?"""
        if node.block.syntax == "json-ld":
            return False
        known = any(
            (each.node, each.prop, each.position) == (node, prop, index)
            # A text with more than a price in it has no reading there.
            and not (prop in _PRICES and plain_price(each.text) is None)
            for each in self.page.visible_texts
        )
        return known or is_between_tags(self.page, self.page.span_of(node, prop, index), node.block.syntax)


def displayed(page: Page, vocabulary: Vocabulary, names: list[str]) -> Displayed | None:
    """What a page displays under its main heading; None without a heading that is clearly the main one.

    names  of the items of the page: they choose among several headings.
    """
    words = words_of(page.language)
    found: list[tuple[str, int]] = []
    for at in headings(page.text)[:_MOST_HEADINGS]:
        texts = list(takewhile(lambda text: text.level == 1, visible_texts(page.text, at)))
        heading = " ".join(each.text for each in texts if each.block == texts[0].block)
        if heading and not texts[0].flags & (HIDDEN | UNCERTAIN):
            found.append((heading, at))
    if len(found) > 1:
        # Of a heading that stands there for each width of the screen, the first.
        found = [pair for pair in found if any(_is_same(pair[0], name) for name in names)]
    if not found and not any(headings(page.text)):
        found = _named_elements(page.text, names)
    if not found or _is_template(found[0][0]):
        return None
    heading, at = found[0]
    display = (each for each in visible_texts(page.text, at) if not _is_template(each.text))
    return Displayed(page, vocabulary, heading, at, Lines(display, words), words)


def _named_elements(text: str, names: list[str]) -> list[tuple[str, int]]:
    """(name, offset) of the only element with the name of the only item as its text: a page may do without headings."""
    if len(names) != 1 or not _SHORTEST_NAME <= len(names[0]) <= _LONGEST_NAME:
        return []
    body, name = max(text.find("<body"), 0), names[0].strip()
    for written in dict.fromkeys((escape(name, quote=False), escape(name), name)):
        found = [*re.finditer(rf"<[a-z][^<>]*>\s*{re.escape(written)}\s*</", text[body:])]
        texts = [(name, body + each.start()) for each in found if not _NOT_DISPLAYED.match(each[0])]
        if texts:
            return texts[:1]
    return []


def _is_template(text: str) -> bool:
    """Is a text, or a part of it, filled in later?"""
    return any(mark in text for mark in _TEMPLATES)


def candidates(page: Page, vocabulary: Vocabulary, kinds: frozenset[str]) -> list[Node]:
    """Items of some types that the page may be about: no parts of others."""
    return [
        node
        for node in page.nodes
        if not (node.foreign or node.reference or node.same_as is not None)
        and node.types
        and vocabulary.are_a(node.types, kinds)
        and (node.parent is None or node.via in _HELD_BY)
        and all(prop in _HELD_BY for _, prop in node.referrers)
    ]


def name_of_item(node: Node) -> tuple[str, str] | None:
    """(property, text) of the name of an item."""
    for prop in _NAMES:
        value = node.get(prop)
        if isinstance(value, str):
            return prop, value
    return None


def main_items(display: Displayed, found: list[Node]) -> list[Node]:
    """Those of the candidates that the heading names; several only where all have one name."""
    matching = [node for node in found if (named := name_of_item(node)) and _is_same(display.heading, named[1])]
    if len(found) == 1 and not matching and name_of_item(found[0]) is None:
        return found
    names = {" ".join((name_of_item(node) or ("", ""))[1].casefold().split()) for node in matching}
    return matching if len(names) == 1 or len(matching) == 1 else []


def _is_same(heading: str, name: str) -> bool:
    """Do a heading and a name mean one thing: has each most of the words of the other, or one all of them?"""
    name = unescape(name)
    if heading.casefold().strip() == name.casefold().strip():
        return True
    one, two = letters_of(heading), letters_of(name)
    if not one or not two:
        return False
    shared = len(one & two)
    return shared == min(len(one), len(two)) or shared * 2 > max(len(one), len(two))


def name_difference(display: Displayed, found: list[Node]) -> Iterator[Difference]:
    """Difference of the name of the only item: no word in common with the heading, the title or another heading."""
    if len(found) != 1:
        return
    (node,) = found
    named = name_of_item(node)
    if named is None:
        return
    prop, name = named
    name = unescape(name)
    one, two = letters_of(name), letters_of(display.heading)
    if len(one) < 2 or len(two) < 2 or not (has_words(name) and has_words(display.heading)) or one & two:
        return
    title = _TITLE.search(display.page.text[:200_000])
    lines = display.lines.all()
    others = [line.joined for line in lines if line.level][1:10]
    if any(one & letters_of(text) for text in (unescape(title[1]) if title else "", *others)):
        return
    if name.isascii() != display.heading.isascii() or _is_name_of_site(display, two):
        return
    index = first_index(node, prop)
    if not display.is_displayed(node, prop, index):
        yield Difference(node, prop, index, "name", name, display.heading, lines[0].span(0, len(lines[0].joined)))


def _is_name_of_site(display: Displayed, heading: frozenset[str]) -> bool:
    kinds = frozenset({"Organization", "WebSite", "Person", "Brand"})
    for node in display.page.nodes:
        name = node.get("name")
        if isinstance(name, str) and display.vocabulary.are_a(node.types, kinds) and letters_of(name) & heading:
            return True
    return False


def first_index(node: Node, prop: str) -> int:
    """Index of the first present value of a property."""
    value = node.get(prop)
    return next((n for n, each in enumerate(node.props.get(prop, ())) if each is value), 0)


def texts_of(node: Node, prop: str) -> Iterator[tuple[int, str]]:
    """(index, text) of the values of a property that are texts or numbers."""
    for index, value in enumerate(node.props.get(prop, ())):
        if is_plain(value):
            yield index, str(value).strip()


def is_plain(value: Value) -> bool:
    return isinstance(value, str) or (value is not None and not isinstance(value, bool | Node))
