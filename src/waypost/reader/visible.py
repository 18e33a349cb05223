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
_OUTSIDE_PAGE = (
    ("<!--", "-->"), ("<script", "</script"), ("<template", "</template"), ("<noscript", "</noscript"),
    ("<style", "</style"),
)  # fmt: skip
_STEP = 16  # tags that are read at once
_MOST_NAMES = 30  # of a class
_MOST_WORDS = 40
_MOST_HINTS = 24  # words of the elements around
_MOST_OPEN = 200  # elements: deeper ones are read as siblings
_MOST_CLOSED = 40  # elements by one end tag
_MOST_HEADINGS = 20
_LONGEST_CACHED = 300  # characters of a tag whose reading is cached

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

# A tag up to its first ">", which is its end unless that stands in a value.
_TAG = pattern(r"<(?:!--|(?:/?[a-zA-Z]|[!?])[^>]*>?)")
# Without possessive groups: those of Python 3.11.2 keep what a failed turn has read.
_WHOLE = pattern(r"<(/?)([a-zA-Z][^\t\n\f\r />]*)((?:[^>\"']+|\"[^\"]*\"|'[^']*')*)>?")
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
    tag: str
    flags: int
    hints: tuple[str, ...]
    level: int
    button: str


class _Tag(msgspec.Struct, frozen=True):
    """Tag as written.

    kind    start tag, end tag; "skip": source left out up to the text `name`; "split": tag with `>` in a value.
    breaks  the tag ends a line.
    """

    kind: Literal["start", "end", "skip", "split", "other"]
    name: str = ""
    breaks: bool = False
    attributes: str = ""
    flags: int = 0
    level: int = 0


_OUTSIDE = _Open("", 0, (), 0, "")
_NO_ATTRIBUTES: tuple[int, tuple[str, ...], bool] = (0, (), False)


def headings(text: str) -> list[int]:
    """Offsets of the start tags of main headings that are not in a script, a comment or a template."""
    found: list[int] = []
    for each in _HEADING.finditer(text):
        if not _is_within(text, each.start()):
            found.append(each.start())
            if len(found) == _MOST_HEADINGS:
                break
    return found


def _is_within(text: str, at: int) -> bool:
    """Is an offset in a comment or in an element whose content is no part of the page: is an end tag next?"""
    for opening, closing in _OUTSIDE_PAGE:
        end = text.find(closing, at, at + _MOST_AHEAD)
        if end >= 0 and text.find(opening, at, end) < 0:
            return True
    return False


def visible_texts(text: str, start: int) -> Iterator[Text]:
    """Texts from the start tag at an offset to the end of the main part of the page, within limits.

    Read as they are requested: most comparisons need a few lines under a heading.
    """
    reading = _Reading(text[: start + _MOST_SCANNED], start, 0, [], [], 0, after=False, spaced=False)
    # A text is complete when the tag behind it is read: white space there belongs to the next one.
    while _read_on(reading):
        if reading.found:
            yield from reading.found
            reading.found = []
    yield from reading.found


class _Reading(msgspec.Struct):
    """State of a reading: `open` are the open elements since the start, `found` the texts that nobody has taken."""

    text: str
    at: int
    steps: int
    open: list[_Open]
    found: list[Text]
    block: int
    after: bool
    spaced: bool


def _read_on(reading: _Reading) -> bool:
    """Read on by some tags; False at the end of the part."""
    text, at = reading.text, reading.at
    for _ in range(_STEP):
        found = _TAG.search(text, at)
        if found is None:
            return False
        start = found.start()
        if start > at:
            _take_text(reading, at, start)
        at = found.end()
        tag = _cached_tag(found[0]) if at - start <= _LONGEST_CACHED else _read_tag(found[0])
        if tag.kind == "split":
            whole = _WHOLE.match(text, start)
            if whole is None:
                return False
            at = whole.end()
            tag = _read_tag(whole[0])
        if tag.breaks:
            reading.block += 1
            reading.after = False
        if tag.kind == "start":
            _open(reading.open, tag)
        elif tag.kind == "end":
            reading.after = not tag.breaks
            if not _close(reading.open, tag.name):
                return False
        elif tag.kind == "skip":
            at = text.find(tag.name, at)
            if at < 0:
                return False
            at += len(tag.name) if tag.name == _END_OF_COMMENT else 0
    reading.at = at
    reading.steps += 1
    return reading.steps * _STEP < _MOST_TAGS


@lru_cache(maxsize=4096)
def _cached_tag(written: str) -> _Tag:
    return _read_tag(written)


def _read_tag(written: str) -> _Tag:
    """Read a tag without the attributes, which `_open` reads where they count."""
    if written[1] in "!?":
        return _Tag("skip", _END_OF_COMMENT) if written == "<!--" else _Tag("other")
    whole = _WHOLE.match(written)
    if whole is None or whole.end() < len(written):
        return _Tag("split")
    name = whole[2].lower()
    breaks = name not in _INLINE
    if whole[1]:
        return _Tag("end", name, breaks)
    if name in _RAW:
        return _Tag("skip", f"</{name}")
    if name in _VOID:
        return _Tag("other", "", breaks)
    flags = HIDDEN if name in _WITHOUT_DISPLAY else APART if name in _OTHERS else STRUCK if name in _STRIKING else 0
    level = int(name[1]) if len(name) == 2 and name[0] == "h" and name[1] in "123456" else 0
    return _Tag("start", name, breaks, whole[3], flags, level)


def _open(stack: list[_Open], tag: _Tag) -> None:
    """Put the element of a start tag on the stack of the open ones."""
    if stack and tag.name in _CLOSES_ITSELF and stack[-1].tag == tag.name:
        stack.pop()
    outer = stack[-1] if stack else _OUTSIDE
    # Only in SVG and MathML, which are not read, does a slash end an element.
    if len(stack) >= _MOST_OPEN or (outer.flags & HIDDEN and tag.attributes.endswith("/")):
        return
    # What is below an element that is hidden or of other items counts as little, whatever its class says.
    is_apart = outer.flags & HIDDEN or (outer.flags & APART and outer.level != 1)
    flags, hints, is_off = _read_attributes(tag.attributes) if tag.attributes and not is_apart else _NO_ATTRIBUTES
    around = (*hints, *outer.hints[:_MOST_HINTS]) if hints else outer.hints
    button = ("off" if is_off else "on") if tag.name == "button" else outer.button
    stack.append(_Open(tag.name, flags | tag.flags | outer.flags, around, tag.level or outer.level, button))


def _close(stack: list[_Open], name: str) -> bool:
    """Take the innermost element with a name off the stack, with those inside; False at the end of the part."""
    for depth in range(1, min(len(stack), _MOST_CLOSED) + 1):
        if stack[-depth].tag == name:
            for _ in range(depth):
                stack.pop()
            return True
    return name not in _END_OF_AREA and not (name == "article" and not stack)


def _take_text(reading: _Reading, start: int, end: int) -> None:
    source = reading.text[start:end]
    words = source.strip()
    if not words:
        reading.spaced = True
        return
    here = reading.open[-1] if reading.open else _OUTSIDE
    if here.flags & HIDDEN:
        return
    first = start + source.index(words[0])
    plain = " ".join((unescape(words) if "&" in words else words).split())
    if plain:
        reading.found.append(
            Text(plain, first, first + len(words), reading.block, here.tag, here.hints, here.flags, reading.after,
                 reading.spaced or source[0].isspace(), here.level, here.button)
        )  # fmt: skip
    reading.spaced = source[-1].isspace()
    reading.after = False


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
    words = tuple([word.lower() for word in _WORD.findall(read)[:_MOST_WORDS]])
    flags = 0
    if is_class and not _HIDING_CLASSES.isdisjoint(small.split()):
        flags |= UNCERTAIN
    if is_class and ("line-through" in small):
        flags |= STRUCK
    if _PAIRS_OF_OTHERS.search(small) or (not _OF_OTHERS.isdisjoint(words) and _is_of_others(words)):
        flags |= APART
    return words, flags


def _is_of_others(words: tuple[str, ...]) -> bool:
    """Is an element one of others by its words?"""
    return any(word in _OF_OTHERS and (at == 0 or words[at - 1] not in _OF_LAYOUT) for at, word in enumerate(words))
