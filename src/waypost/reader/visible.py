"""Texts that people see in a part of a page, with their places: `visible_texts(text, start)`.

Read from the text without a tree: pages are parsed only as far as their markup goes (see `prefix`), a tree does not
keep the places of texts, and a comparison needs the neighbourhood of one heading. Styles are not applied: an element is
hidden by `hidden`, by `display: none` of its own, as `template` or by being for scripts; a class that likely hides it
makes a text uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import Final, Literal

import msgspec

from waypost.formats.patterns import pattern

_MOST_SCANNED = 400_000  # characters of source
_MOST_TAGS = 6_000
_MOST_AHEAD = 60_000
_MOST_NAMES = 30  # of a class
_MOST_WORDS = 40
_MOST_HINTS = 24  # words of the elements around
_MOST_OPEN = 200  # elements: deeper ones are read as siblings
_MOST_CLOSED = 40  # elements by one end tag

HIDDEN: Final = 1
APART: Final = 2
STRUCK: Final = 4
UNCERTAIN: Final = 8
"""Flags of a text: not displayed; of navigation, footer or other items; struck through; hidden by a class, perhaps."""

_DISPLAYED: Final = 16
_BY_BROWSER = {
    "data-waypost-hidden": HIDDEN, "data-waypost-struck": STRUCK, "data-waypost-displayed": _DISPLAYED
}  # fmt: skip
"""Attributes of a rendered page (`render/serialise.js`): what the browser displays, by all of its styles."""

# Source up to a tag, and the tag up to its first ">", which is its end unless that stands in a value.
_TOKEN = pattern(r"([^<]*(?:<(?!/?[a-zA-Z]|[!?])[^<]*)*)(?:<(/?[a-zA-Z][^\t\n\f\r />]*|!--|[!?])([^>]*)>?|\Z)")
# Without possessive groups: those of Python 3.11.2 keep what a failed turn has read.
_WHOLE = pattern(r"</?[a-zA-Z][^\t\n\f\r />]*((?:[^>\"']+|\"[^\"]*\"|'[^']*')*)>?")
_END_OUTSIDE_PAGE = pattern(r"</(script|template|noscript|style)")
_HEADING = pattern(r"<[hH]1[> \t\n\f\r]")
_ATTRIBUTE = pattern(
    r"([^\t\n\f\r \"'>/=]+)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r \"'>]+)))?"
)
_END_OF_COMMENT = "-->"
_RAW = frozenset({"script", "style", "noscript", "textarea", "iframe", "title", "noembed", "noframes", "xmp"})
_WITHOUT_DISPLAY = frozenset(
    {"template", "svg", "math", "head", "datalist", "dialog", "object", "audio", "video", "canvas", "select", "option"}
)
_OTHERS = frozenset({"nav", "footer", "aside"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins",
     "kbd", "link", "mark", "meta", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "svg", "time",
     "tt", "u", "var", "wbr"}
)  # fmt: skip
_STRIKING = frozenset({"del", "s", "strike"})
_CLOSES_ITSELF = frozenset({"p", "li", "option", "dt", "dd", "tr", "td", "th"})
_HIDING_CLASSES = frozenset(
    {"hidden", "hide", "is-hidden", "d-none", "u-hidden", "invisible", "uk-hidden", "display-none", "js-hidden", "dn",
     "modal", "popup", "drawer", "offcanvas", "tooltip", "mobile-nav", "mini-cart", "minicart", "cart-drawer"}
)  # fmt: skip
_NAMING = frozenset(
    {"class", "id", "itemprop", "rel", "data-testid", "data-test", "data-test-id", "data-qa", "data-cy", "data-hook",
     "data-aut-id", "data-automation", "data-automation-id"}
)  # fmt: skip
"""Attributes whose words say what an element is."""
_NOTABLE = _NAMING | {"hidden", "aria-hidden", "disabled", "aria-disabled", "style", *_BY_BROWSER}
_WORD = pattern(r"[A-Za-z][a-z]+|[A-Z]+")
_OF_OTHERS = frozenset(
    {"related", "recommend", "recommended", "recommendation", "recommendations", "upsell", "upsells", "crosssell",
     "similar", "recently", "alsobought", "breadcrumb", "breadcrumbs", "menu", "footer", "newsletter", "comments",
     "sidebar", "suggested", "suggestions", "accessories"}
)  # fmt: skip
_OF_LAYOUT = frozenset({"no", "not", "without", "has", "have", "with", "hide"})
"""Words before those of others in names that say how a page is laid out: `no-sidebar` is no sidebar."""
_PAIRS_OF_OTHERS = pattern("cross-sell|cross_sell|also-like|also-bought|you-may|more-from|up-sell|read-more")
_NONE = pattern(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LINE_THROUGH = pattern(r"line-through", re.IGNORECASE)
_END_OF_AREA = frozenset({"main", "body", "html"})


class Text(msgspec.Struct, frozen=True):
    """Piece of text between two tags.

    text     without references, white space collapsed, never blank.
    start    offset in the source of its first character.
    end      offset behind its last one.
    block    number of its paragraph: texts of one line have the same.
    tag      innermost element.
    hints    words of classes and ids of the elements around, the innermost first.
    flags    see above.
    after    it follows the end of an element of the same line, so that a text before it is of another element.
    spaced   white space stands before it.
    level    of the heading around: 1 to 6, 0 without.
    button   in a button: "on", "off" where it is disabled, "" outside.
    """

    text: str
    start: int
    end: int
    block: int
    tag: str
    hints: tuple[str, ...]
    flags: int
    after: bool
    spaced: bool
    level: int
    button: str


class _Open(msgspec.Struct, frozen=True):
    """Open element: flags, words, level and button, those of the elements around included."""

    flags: int
    hints: tuple[str, ...]
    level: int
    button: str


class _Element(msgspec.Struct, frozen=True):
    """Element by the name in its tag.

    kind    start tag, end tag; "skip": source left out up to the end tag, or of a comment; "alone": without content.
    name    in small letters; "" of a comment or declaration.
    breaks  the tag ends a line.
    flags   of the element by its name; `level` of a heading.
    """

    kind: Literal["start", "end", "skip", "alone"]
    name: str
    breaks: bool
    flags: int = 0
    level: int = 0


_OUTSIDE = _Open(0, (), 0, "")
_NO_ATTRIBUTES: tuple[int, tuple[str, ...], bool] = (0, (), False)


def headings(text: str) -> Iterator[int]:
    """Offsets of the start tags of main headings that are not in a script, a comment or a template."""
    for each in _HEADING.finditer(text, 0):
        if not _is_within(text, each.start()):
            yield each.start()


def _is_within(text: str, at: int) -> bool:
    """Is an offset in a comment or in an element whose content is no part of the page: is an end tag next?"""
    most = at + _MOST_AHEAD
    end = text.find(_END_OF_COMMENT, at, most)
    if end >= 0 and text.find("<!--", at, end) < 0:
        return True
    begun: set[str] = set()
    for each in _END_OUTSIDE_PAGE.finditer(text, at, most):
        name = each[1]
        if name not in begun and text.find(f"<{name}", at, each.start()) < 0:
            return True
        begun.add(name)
    return False


def visible_texts(  # noqa: C901 - one loop over the tags, kept in one piece: it is the hot path
    text: str, start: int
) -> Iterator[Text]:
    """Texts from the start tag at an offset to the end of the main part of the page, within limits.

    Read as they are requested: most comparisons need a few lines under a heading.
    """
    # Open elements since the start, and each element once a text in it needs it.
    stack: list[tuple[_Element, str]] = []
    known: list[_Open | None] = []
    block, after, spaced = 0, False, False
    left, at, most = _MOST_TAGS, start, start + _MOST_SCANNED
    while left > 0 and at >= 0:
        for found in _TOKEN.finditer(text, at, most):
            source, name, attributes = found.groups()
            # A text is complete when the tag behind it is read: white space there belongs to the next one.
            if not name:
                return
            if source and source.isspace():
                spaced = True
            elif source and not (here := _innermost(stack, known)).flags & HIDDEN:
                words = source.strip()
                # What stands next to other items is of them, except in a heading, which may have a name like theirs.
                is_read = not here.flags & APART or here.level == 1
                plain = " ".join((unescape(words) if "&" in words else words).split()) if is_read else ""
                if plain:
                    first = found.start() + source.index(words[0])
                    tag = stack[-1][0].name if stack else ""
                    yield Text(
                        plain, first, first + len(words), block, tag, here.hints, here.flags, after,
                        spaced or source[0].isspace(), here.level, here.button,
                    )  # fmt: skip
                spaced, after = source[-1].isspace(), False
            element, at = _element(name), 0
            if attributes and element.name and (attributes.count('"') % 2 or "'" in attributes):
                attributes, at = _whole(text, found.start() + len(source), most)
            if element.breaks:
                block, after = block + 1, False
            if element.kind == "start":
                _open(stack, known, element, attributes)
            elif element.kind == "end":
                after = not element.breaks
                if stack and stack[-1][0].name == element.name:
                    stack.pop()
                    known.pop()
                elif not _close(stack, known, element.name):
                    return
            elif element.kind == "skip":
                # What looks like the end of a comment's tag need not be one.
                behind = (at or found.end()) if element.name else found.start() + len(source) + len("<!--")
                at = _behind(text, element.name, behind, most)
            left -= 1
            if at or not left:
                break


def _whole(text: str, start: int, most: int) -> tuple[str, int]:
    """(attributes, end) of a tag that may have a `>` in a value."""
    whole = _WHOLE.match(text, start, most)
    return (whole[1], whole.end()) if whole else ("", -1)


def _behind(text: str, name: str, at: int, most: int) -> int:
    """Offset of the end tag of an element that is skipped, or behind the end of a comment; -1 without one."""
    if name:
        return text.find(f"</{name}", at, most)
    closed = text.find(_END_OF_COMMENT, at, most)
    return closed + len(_END_OF_COMMENT) if closed >= 0 else -1


@lru_cache(maxsize=1024)
def _element(written: str) -> _Element:
    """Element of a tag by the name as written, "/div" of an end tag."""
    if written[0] in "!?":
        return _Element("skip" if written == "!--" else "alone", "", breaks=False)
    name = written.removeprefix("/").lower()
    breaks = name not in _INLINE
    if written[0] == "/":
        return _Element("end", name, breaks)
    if name in _RAW:
        return _Element("skip", name, breaks=False)
    if name in _VOID:
        return _Element("alone", name, breaks)
    flags = HIDDEN if name in _WITHOUT_DISPLAY else APART if name in _OTHERS else STRUCK if name in _STRIKING else 0
    level = int(name[1]) if len(name) == 2 and name[0] == "h" and name[1] in "123456" else 0
    return _Element("start", name, breaks, flags, level)


def _innermost(stack: list[tuple[_Element, str]], known: list[_Open | None]) -> _Open:
    """Innermost open element, read at the first text inside."""
    here = known[-1] if known else _OUTSIDE
    if here is not None:
        return here
    number = len(stack) - 1
    while number and known[number - 1] is None:
        number -= 1
    inner = known[number - 1] if number else None
    for element, attributes in stack[number:]:
        inner = _inside(inner or _OUTSIDE, element, attributes)
        known[number] = inner
        number += 1
    return inner or _OUTSIDE


def _open(stack: list[tuple[_Element, str]], known: list[_Open | None], element: _Element, attributes: str) -> None:
    """Put the element of a start tag on the stack of the open ones."""
    if element.name in _CLOSES_ITSELF and stack and stack[-1][0].name == element.name:
        stack.pop()
        known.pop()
    # Only in SVG and MathML, which are not read, does a slash end an element.
    if len(stack) < _MOST_OPEN and not (attributes.endswith("/") and _innermost(stack, known).flags & HIDDEN):
        stack.append((element, attributes))
        known.append(None)


def _inside(outer: _Open, element: _Element, attributes: str) -> _Open:
    """Element inside another one: flags, words, level and button of both."""
    # What is below an element that is hidden or of other items counts as little, whatever its class says.
    is_apart = outer.flags & HIDDEN or (outer.flags & APART and outer.level != 1)
    flags, hints, is_off = _read_attributes(attributes) if attributes and not is_apart else _NO_ATTRIBUTES
    flags |= element.flags
    is_button = element.name == "button"
    if not (flags or hints or element.level or is_button):
        return outer
    around = hints + outer.hints[:_MOST_HINTS] if hints else outer.hints
    button = ("off" if is_off else "on") if is_button else outer.button
    return _Open(flags | outer.flags, around, element.level or outer.level, button)


def _close(stack: list[tuple[_Element, str]], known: list[_Open | None], name: str) -> bool:
    """Take the innermost element with a name off the stack, with those inside; False at the end of the part."""
    for depth in range(1, min(len(stack), _MOST_CLOSED) + 1):
        if stack[-depth][0].name == name:
            for _ in range(depth):
                stack.pop()
                known.pop()
            return True
    return name not in _END_OF_AREA and not (name == "article" and not stack)


@lru_cache(maxsize=2048)
def _read_attributes(attributes: str) -> tuple[int, tuple[str, ...], bool]:
    """(flags, words of class and id, whether the element is disabled) of a start tag."""
    flags, is_off = 0, False
    hints: tuple[str, ...] = ()
    for found in _ATTRIBUTE.finditer(attributes[:4_000]):
        name = found[1].lower()
        if name not in _NOTABLE:
            continue
        value = found[2] or found[3] or found[4] or ""
        if name == "hidden":
            flags |= 0 if value.lower() == "until-found" else HIDDEN
        elif name == "aria-hidden":
            flags |= HIDDEN if value.lower() == "true" else 0
        elif name in _BY_BROWSER:
            flags |= _BY_BROWSER[name]
        elif name == "disabled" or (name == "aria-disabled" and value.lower() == "true"):
            is_off = True
        elif name == "style":
            flags |= (HIDDEN if _NONE.search(value) else 0) | (STRUCK if _LINE_THROUGH.search(value) else 0)
        elif name in _NAMING:
            words, of_class = _read_class(value, name == "class")
            hints += words
            flags |= of_class
    if flags & _DISPLAYED:
        flags &= ~(_DISPLAYED | UNCERTAIN)
    return flags, hints, is_off


def _read_class(value: str, is_class: bool) -> tuple[tuple[str, ...], int]:
    """Words of the names in a class or id, and the flags that they set."""
    small = value.lower()
    names = value.split()
    read = value if len(names) <= _MOST_NAMES else " ".join(names[:_MOST_NAMES])
    found = _WORD.findall(read)[:_MOST_WORDS]
    words = tuple(found) if small == value else tuple([word.lower() for word in found])
    flags = 0
    if is_class and not _HIDING_CLASSES.isdisjoint(names if small == value else small.split()):
        flags |= UNCERTAIN
    if is_class and "line-through" in small:
        flags |= STRUCK
    if _PAIRS_OF_OTHERS.search(small) or (not _OF_OTHERS.isdisjoint(words) and _is_of_others(words)):
        flags |= APART
    return words, flags


def _is_of_others(words: tuple[str, ...]) -> bool:
    """Is an element one of others by its words?"""
    return any(word in _OF_OTHERS and (at == 0 or words[at - 1] not in _OF_LAYOUT) for at, word in enumerate(words))
