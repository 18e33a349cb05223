"""Main part of a page and main item of the markup: other parts and items are not compared."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

import msgspec

from waypost.formats.patterns import pattern
from waypost.formats.prices import plain_price
from waypost.models.page import Node, Page, Span, Value
from waypost.reader.visible import HIDDEN, UNCERTAIN, Text, headings, visible_texts
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.displayed.lines import Line, Lines, all_lines, each_line, lines_of, span_of
from waypost.validate.displayed.words import Words, has_words, letters_of, words_of
from waypost.validate.item import is_between_tags

_TITLE = pattern(r"<title[^>]{0,200}>([^<]{0,500})")
_TEMPLATE = pattern(r"\{[{%]|<(?:%|\?php)|\$\{")
_HELD_BY = frozenset({"mainEntity", "mainEntityOfPage", "about", "subjectOf", "isPartOf", "hasPart"})
_MOST_HEADINGS = 6
_SHORTEST_NAME = 8
_LONGEST_NAME = 200
_NOT_DISPLAYED = pattern(r"<(?:title|option|script|a|textarea|button|label)\b")
_START_TAG = pattern(r"<[a-z][^<>]*>\s*")
_END_TAG = pattern(r"\s*</")
_LONGEST_TAG = 4_000
_NAMED_AFTER = frozenset({"Organization", "WebSite", "Person", "Brand"})
_PRICES = frozenset({"price", "lowPrice", "highPrice"})
_NAMES = ("name", "headline", "title")
_LONGEST_PARAGRAPH = 240
_MOST_HEAD_LINES = 40


class Difference(msgspec.Struct, frozen=True):
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


class Displayed(msgspec.Struct, frozen=True):
    """What a page displays from its main heading on.

    heading  text of the main heading, whose tag begins at `start`; `lines` begin with it.
    """

    page: Page
    vocabulary: Vocabulary
    heading: str
    start: int
    lines: Lines
    words: Words


def head_of(display: Displayed) -> Iterator[Line]:
    """Lines before the next heading and before the first paragraph: where a page has its dates and authors."""
    for number, line in enumerate(each_line(display.lines)):
        if line.level > 1 or len(line.joined) > _LONGEST_PARAGRAPH or number >= _MOST_HEAD_LINES:
            return
        yield line


def above(display: Displayed, most: int) -> list[Line]:
    """Lines above the heading, in a number of characters of the source: some pages begin with the price."""
    end = display.start
    begin = display.page.text.find("<", max(0, end - most))
    found: list[Text] = []
    for text in visible_texts(display.page.text, begin) if begin < end else ():
        if text.start >= end:
            break
        if text.level == 0:
            found.append(text)
    return all_lines(lines_of(found, display.words))


def is_displayed(display: Displayed, node: Node, prop: str, index: int) -> bool:
    """Is a value itself text of the page, or one that another rule compares with the text of its element?"""
    if node.block.syntax == "json-ld":
        return False
    page = display.page
    for each in page.visible_texts:
        is_it = each.node is node and each.prop == prop and each.position == index
        # A text with more than a price in it has no reading there.
        if is_it and (prop not in _PRICES or plain_price(each.text) is not None):
            return True
    return is_between_tags(page, page.span_of(node, prop, index), node.block.syntax)


def displayed(page: Page, vocabulary: Vocabulary, names: list[str]) -> Displayed | None:
    """What a page displays under its main heading; None without a heading that is clearly the main one.

    names  of the items of the page: they choose among several headings.
    """
    first = _main_heading(page.text, names)
    if first is None or _TEMPLATE.search(first.text):
        return None
    words = words_of(page.language)
    lines = lines_of(_filled_in(first), words)
    return Displayed(page, vocabulary, first.text, first.start, lines, words)


def _main_heading(text: str, names: list[str]) -> _Heading | None:
    """The first heading with the name of an item, or the only heading, or an element in place of headings."""
    found: list[_Heading] = []
    number = 0
    for at in headings(text):
        heading = _heading_at(text, at)
        # Of a heading that stands there for each width of the screen, the first.
        if heading is not None and any(_is_same(heading.text, name) for name in names):
            return heading
        if heading is not None:
            found.append(heading)
        number += 1
        if number == _MOST_HEADINGS:
            break
    if not number:
        return _named_element(text, names)
    return found[0] if len(found) == 1 else None


class _Heading(msgspec.Struct, frozen=True):
    """Heading, or an element in place of a heading.

    text   of the heading, whose start tag is at `start`.
    texts  read from there on; `more`, read as they are requested.
    """

    text: str
    start: int
    texts: list[Text]
    more: Iterator[Text]


def _heading_at(text: str, at: int) -> _Heading | None:
    """Heading at an offset; None for an empty or hidden heading."""
    texts: list[Text] = []
    more = visible_texts(text, at)
    each = next(more, None)
    while each is not None:
        texts.append(each)
        each = next(more, None) if each.level == 1 else None
    if not texts or texts[0].level != 1 or texts[0].flags & (HIDDEN | UNCERTAIN):
        return None
    words = [each.text for each in texts if each.level == 1 and each.block == texts[0].block]
    return _Heading(" ".join(words), at, texts, more)


def _filled_in(heading: _Heading) -> Iterator[Text]:
    """Texts from a heading on, without placeholders of templates."""
    for each in heading.texts:
        if _TEMPLATE.search(each.text) is None:
            yield each
    for each in heading.more:
        if _TEMPLATE.search(each.text) is None:
            yield each


def _named_element(text: str, names: list[str]) -> _Heading | None:
    """The first element with the name of the only item as its text: a page may do without headings."""
    if len(names) != 1 or not _SHORTEST_NAME <= len(names[0]) <= _LONGEST_NAME:
        return None
    name, body = names[0].strip(), max(text.find("<body"), 0)
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for written in (escaped, escaped.replace('"', "&quot;").replace("'", "&#x27;"), name):
        at = text.find(written, body)
        while at >= 0 and written:
            start = _start_of_element(text, body, at)
            if start >= 0 and _END_TAG.match(text, at + len(written)):
                return _Heading(name, start, [], visible_texts(text, start))
            at = text.find(written, at + 1)
    return None


def _start_of_element(text: str, body: int, at: int) -> int:
    """Offset of the start tag right before a text; -1 without a tag, for a link, and for a text that nobody reads."""
    before = text[max(body, at - _LONGEST_TAG) : at]
    tag = before.rfind("<")
    if tag < 0 or _START_TAG.fullmatch(before[tag:]) is None or _NOT_DISPLAYED.match(before[tag:]):
        return -1
    return at - len(before[tag:])


def main_nodes(page: Page) -> list[Node]:
    """Items that the page may be about: no parts of others."""
    return [
        node
        for node in page.nodes
        if (node.parent is None or node.via in _HELD_BY)
        and node.types
        and not (node.foreign or node.reference or node.same_as is not None)
        and all(prop in _HELD_BY for _, prop in node.referrers)
    ]


def candidates(nodes: list[Node], vocabulary: Vocabulary, kinds: frozenset[str]) -> list[Node]:
    """Nodes of some types."""
    return [node for node in nodes if vocabulary.are_a(node.types, kinds)]


class Named(msgspec.Struct, frozen=True):
    """Property with the name of an item, and the name."""

    prop: str
    text: str


def name_of_item(node: Node) -> Named | None:
    """Name of an item."""
    for prop in _NAMES:
        value = node.get(prop)
        if isinstance(value, str):
            return Named(prop, value)
    return None


def main_items(display: Displayed, found: list[Node]) -> list[Node]:
    """Candidates that the heading names; several only where all have one name."""
    matching: list[Node] = []
    names: set[str] = set()
    for node in found:
        named = name_of_item(node)
        if named is not None and _is_same(display.heading, named.text):
            matching.append(node)
            names.add(" ".join(named.text.casefold().split()))
    if len(found) == 1 and not matching and name_of_item(found[0]) is None:
        return found
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
    node = found[0]
    named = name_of_item(node)
    if named is None:
        return
    name: str = unescape(named.text)
    one, two = letters_of(name), letters_of(display.heading)
    if len(one) < 2 or len(two) < 2 or not one.isdisjoint(two):
        return
    if not has_words(name) or not has_words(display.heading):
        return
    title = _TITLE.search(display.page.text[:200_000])
    lines = all_lines(display.lines)
    others = [line.joined for line in lines if line.level][1:10]
    if any(not one.isdisjoint(letters_of(text)) for text in (unescape(title[1]) if title else "", *others)):
        return
    if name.isascii() != display.heading.isascii() or _is_name_of_site(display, two):
        return
    index = first_index(node, named.prop)
    if not is_displayed(display, node, named.prop, index):
        span = span_of(lines[0], 0, len(lines[0].joined))
        yield Difference(node, named.prop, index, "name", name, display.heading, span)


def _is_name_of_site(display: Displayed, heading: frozenset[str]) -> bool:
    for node in display.page.nodes:
        name = node.get("name")
        is_owner = isinstance(name, str) and display.vocabulary.are_a(node.types, _NAMED_AFTER)
        if is_owner and not heading.isdisjoint(letters_of(str(name))):
            return True
    return False


def first_index(node: Node, prop: str) -> int:
    """Index of the first present value of a property."""
    value = node.get(prop)
    for index, each in enumerate(node.props.get(prop, ())):
        if each is value:
            return index
    return 0


def texts_of(node: Node, prop: str) -> Iterator[tuple[int, str]]:
    """(index, text) of the values of a property that are texts or numbers."""
    for index, value in enumerate(node.props.get(prop, ())):
        if is_plain(value):
            yield index, str(value).strip()


def is_plain(value: Value) -> bool:
    return isinstance(value, str) or (value is not None and not isinstance(value, bool | Node))
