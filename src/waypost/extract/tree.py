"""One WHATWG tree of a page, and where in the text its tags and attributes stand.

The only module that knows turbohtml. Its elements are handed out as they are (a wrapper around each
would cost more than the reading); `Element` says what the rest of the reader may ask of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import turbohtml

from waypost.extract.narrow import NarrowElement, Pairs, Wide, meant
from waypost.extract.reach import Bytes
from waypost.formats.patterns import pattern
from waypost.models.page import Span

DEEPEST = 511  # ancestors: the tree's cap on open elements turns deeper tags into siblings


class Element(Protocol):
    """What the reader asks of an element. `position` is (line, column) of the start tag, None if implied."""

    @property
    def tag(self) -> str: ...
    @property
    def parent(self) -> Any: ...
    @property
    def position(self) -> tuple[int, int] | None: ...
    @property
    def text(self) -> str: ...
    @property
    def children(self) -> Sequence[Any]: ...
    def attr(self, name: str, /) -> str | None: ...
    def closest(self, selector: str, /) -> Element | None: ...
    def matches(self, selector: str, /) -> bool: ...
    def select(self, selector: str, /) -> list[Element]: ...


FORMATTING: Final = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
_UNSEEN = frozenset({"script", "style", "noscript", "template"})


def seen_text(element: Element) -> str:
    """The text of an element without what scripts and styles hold; a line break is a line feed."""
    if isinstance(element, NarrowElement):
        return meant(seen_text(element.raw), element.pairs)
    pieces: list[str] = []
    unseen: set[Any] = set()
    for node in _raw(element).descendants:
        if unseen and node.parent in unseen:
            unseen.add(node)
        elif type(node) is turbohtml.Text:
            pieces.append(node.data)
        elif type(node) is turbohtml.Element:
            tag = node.tag
            if tag == "br":
                pieces.append("\n")
            elif tag in _UNSEEN:
                unseen.add(node)
    return "".join(pieces)


def _raw(element: Any) -> Any:
    return element.raw if type(element) is NarrowElement else element


def is_foreign(element: Element) -> bool:
    """Is it a part of a drawing or a formula, where elements end as in XML?"""
    return bool(_raw(element).namespace.value != "html")


class TagLocation(NamedTuple):
    """Spans of an element's start tag and of each attribute as a whole (`name="value"`), by lower-case name."""

    start_tag: Span
    attributes: Mapping[str, Span]


class _Attributes(Mapping[str, Span]):
    """The spans of attributes as the tree gives them: of the many, one is asked for."""

    __slots__ = ("_found",)

    def __init__(self, found: Any) -> None:
        self._found = found

    def __getitem__(self, name: str) -> Span:
        found = self._found[name]
        return Span(found[2], found[5])

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


Teller: TypeAlias = Callable[[int, int, int], None]
Finder: TypeAlias = Callable[[int, int], int]
MOST_LOCATED = 400_000  # code points


class Tree:
    """The tree of one page. Locations are fetched when asked for: they cost more than all the rest.

    text  as the tree reads it: a stand-in for each character beyond U+FFFF. Elements speak the page's own.
    tell  is told (offset, line from 1, column from 0) of each start tag that a location is asked of.
    find  the offset of a (line from 1, column from 0). With it the tree of a long text is built without locations,
          which would be half of its memory, and they are worked out from the tags: from the text, or where a tag is
          not that simple from a second tree that has them.
    until the tree is built of the text before this offset alone; `unsettled` tells whether that will do.
    """

    text: str
    _pairs: Pairs | None

    def __init__(
        self, text: str | Wide, tell: Teller | None = None, find: Finder | None = None, until: int | None = None
    ) -> None:
        self.text, self._pairs = (text, None) if isinstance(text, str) else text.narrow
        self._tell = tell
        self._until = until
        built = self.text if until is None else f"{self.text[:until]}<{_END}>"
        self._find = find if len(built) > MOST_LOCATED else None
        self._document: Any = turbohtml.parse(
            built,
            source_locations=self._find is None,
            scripting=True,
            allow_declarative_shadow_roots=False,
        )
        self._has_templates: bool | None = None
        self._end: Any = None

    @property
    def root(self) -> Element:
        """The `html` element; there always is one."""
        root: Element = self._document.root
        return root if self._pairs is None else NarrowElement(root, self._pairs)

    def survey(self, selector: str) -> list[Element]:
        """Like `select`, once for a page: a select that asks for templates too costs hardly more than without."""
        mark = "" if self._until is None else f",{_END}"
        found: list[Element] = self._document.select(f":is({selector},template{mark})")
        if mark and found and found[-1].tag == _END:
            self._end = found.pop()
        self._has_templates = any(each.tag == "template" for each in found)
        return self._handed_out(found)

    def unsettled(self) -> tuple[str, int] | None:
        """What keeps the tree of a text's beginning, once surveyed, from being that of the whole text so far.

        None where it is, so that the rest need not be read. Else the name of the outermost element that has to be
        closed first, and how many open ones of that name it and what it holds are; ("", 0) where nothing helps.

        Whatever follows goes where the mark at the text's end stands, and can change what is there already in two
        ways. It adds to the text of elements that are still open. And formatting elements that are open are closed and
        opened anew around it (HTML Standard, 13.2.4.3 and 13.2.6.4.7, "adoption agency"; read 2026-11-22), which moves
        what they hold; of those put off for later the mark's own ancestors tell, but for those before a cell or an
        object. A mark that is missing fell into a tag, a comment or a script; one that something follows was moved away
        from a table that is open.
        """
        end = self._end
        if end is None or end.next_sibling is not None or is_foreign(end) or end.closest("template"):
            return "", 0
        above, found = end.parent, None
        open_: dict[str, int] = {}
        while hasattr(above, "tag"):
            tag = above.tag
            open_[tag] = open_.get(tag, 0) + 1
            if tag in _UNSETTLED or above.matches("[itemprop]:not([itemscope])"):
                found = tag, open_[tag]
            above = above.parent
        return found

    def select(self, selector: str) -> list[Element]:
        """Elements in document order; what stands in a `template` is not part of the page."""
        if self._has_templates is None:
            self._has_templates = bool(self._document.select("template"))
        return self._handed_out(self._document.select(selector))

    def _handed_out(self, found: list[Element]) -> list[Element]:
        if self._has_templates and found:
            found = [each for each in found if each.closest("template") is None]
        return found if self._pairs is None else [NarrowElement(each, self._pairs) for each in found]

    def script(self, element: Element) -> Span:
        """Where the text of a script stands."""
        raw = _raw(element)
        if self._find is not None:
            if raw.namespace.value == "html" and (tag := self._tag(raw, self._find)) is not None:
                return Span(tag.end(), tag.end() + len(raw.text))
            return self._located.script(self._counterpart(raw))
        found = raw.source_location
        if found is None:
            return self.inside(element)
        start, end, _ = found
        if self._tell is not None:
            self._tell(start[2], start[0], start[1])
        return Span(start[5], end[2] if end is not None else len(self.text))

    def inside(self, element: Element) -> Span:
        """From the end of an element's start tag to its end tag, or to the end of the text."""
        end_tag = self.end_tag(element)
        return Span(self.location(element).start_tag.end, end_tag.start if end_tag else len(self.text))

    def content(self, element: Element) -> Span:
        """From the end of an element's start tag to its end tag; without an end tag, to the next tag of any kind."""
        raw = _raw(element)
        if self._find is not None:
            span = self._plain_content(raw, self._find)
            return self._located.content(self._counterpart(raw)) if span is None else span
        start, end = self.location(element).start_tag.end, self.end_tag(element)
        if end is not None:
            return Span(start, max(start, end.start))
        found = self.text.find("<", start)
        return Span(start, found if found >= 0 else len(self.text))

    def end_tag(self, element: Element) -> Span | None:
        """The end tag of an element, None where it has none."""
        raw = _raw(element)
        if self._find is not None:
            return self._located.end_tag(self._counterpart(raw))
        found = raw.source_location
        if found is None and raw.tag not in _MERGED:
            found = self._original(raw)
            if found is None:
                return self.end_tag(raw.parent) if hasattr(raw.parent, "tag") else None
        end = found[1] if found is not None else None
        return Span(end[2], end[5]) if end is not None else None

    def start_position(self, element: Element) -> tuple[int, int] | None:
        """Line (from 1) and column (from 0) of an element's start tag; None where only its location tells that.

        A clone has the position of the tag that it repeats. The whole location costs fifty times as much.
        """
        raw = _raw(element)
        position: tuple[int, int] | None = None if raw.tag in _MERGED else raw.position
        return position

    def location(self, element: Element) -> TagLocation:
        """Where an element is written; of a clone the tag it repeats, of a merged one every tag it came from."""
        raw = _raw(element)
        if self._find is not None:
            return self._read(raw, self._find)
        found = raw.source_location
        if raw.tag in _MERGED:
            return self._merged(raw, found)
        if found is None:
            found = self._original(raw)
        if found is None:
            parent = raw.parent
            return self.location(parent) if hasattr(parent, "tag") else _NOWHERE
        if self._tell is not None:
            line, column, offset, *_ = found.start_tag
            self._tell(offset, line, column)
        return _location(found)

    def _read(self, raw: Any, find: Finder) -> TagLocation:
        """The location of an element as its tag in the text has it."""
        if raw.position is None and raw.tag not in _MERGED:
            return self.location(raw.parent) if hasattr(raw.parent, "tag") else _NOWHERE
        tag = self._tag(raw, find)
        if tag is not None:
            start_tag = Span(*tag.span())
            attributes = attribute_spans(self.text, start_tag)
            if raw.tag not in _MERGED or all(name in attributes for name in raw.attrs):
                return TagLocation(start_tag, attributes)
        return self._located.location(self._counterpart(raw))

    def _tag(self, raw: Any, find: Finder) -> re.Match[str] | None:
        """The start tag of an element, None where the text does not simply have it at its position."""
        position = raw.position
        if position is None:
            return None
        start = find(*position)
        tag = _START_TAG.match(self.text, start)
        if tag is None or tag[1].lower() != raw.tag:
            return None
        if self._tell is not None:
            self._tell(start, *position)
        return tag

    def _plain_content(self, raw: Any, find: Finder) -> Span | None:
        """The content of an element that holds text alone and ends with its end tag; None of others."""
        tag = self._tag(raw, find)
        if tag is None or any(type(child) is not turbohtml.Text for child in raw.children):
            return None
        start, name = tag.end(), tag[1].lower()
        end = self.text.find("<", start)
        closed = self.text[end : end + len(name) + 3]
        is_closed = end >= 0 and closed[:2] == "</" and closed[2:-1].lower() == name and closed[-1] in _SPACE + "/>"
        return Span(start, end) if is_closed else None

    @cached_property
    def _located(self) -> Tree:
        """The same tree with locations."""
        return Tree(self.text, self._tell, until=self._until)

    def _counterpart(self, raw: Any) -> Any:
        """The element of the tree with locations that is this one's twin: both trees are alike."""
        return self._twins[raw]

    @cached_property
    def _twins(self) -> dict[Any, Any]:
        return {_raw(each): twin for each, twin in zip(self.select("*"), self._located.select("*"), strict=True)}

    def _original(self, element: Any) -> Any:
        """The location of the tag that a clone for mis-nested formatting repeats: it has the same position."""
        if element.position is None:
            return None
        for each in self._document.select(element.tag):
            if each.position == element.position and each.source_location is not None:
                return each.source_location
        return None

    def _merged(self, element: Any, found: Any) -> TagLocation:
        """`html` and `body` take over attributes of later tags, which leave no trace in the tree."""
        known = _location(found) if found is not None else None
        if known is not None and all(name in known.attributes for name in element.attrs):
            return known
        tags = self._root_tags.get(element.tag, ())
        if known is None:
            if not tags:
                return _NOWHERE
            start = tags[0]
            known = TagLocation(Span(start.start, start.end), {})
        attributes = dict(known.attributes)
        for tag in tags:
            for name, span in attribute_spans(self.text, tag).items():
                attributes.setdefault(name, span)
        return TagLocation(known.start_tag, attributes)

    @cached_property
    def _root_tags(self) -> dict[str, list[Span]]:
        """Every `html` and `body` start tag that the tokenizer sees."""
        found: dict[str, list[Span]] = {"html": [], "body": []}
        line, line_start = 1, 0
        for token in turbohtml.tokenize(self.text, capture_source=True):
            if token.type != turbohtml.TokenType.START_TAG or token.tag not in found or token.source is None:
                continue
            while line < token.line:
                line_start = self.text.find("\n", line_start) + 1
                line += 1
            start = line_start + token.col
            found[token.tag].append(Span(start, start + len(token.source)))
        return found


_MERGED = frozenset({"html", "body"})  # the attributes of several tags
_END = "waypost-end"  # stands behind the beginning of a text; in no text whose beginning alone is read
# HTML Standard, 13.2.4.3 (read 2026-11-22): formatting elements, and those that put a marker into their list.
_UNSETTLED = FORMATTING | {"applet", "caption", "marquee", "object", "td", "th"}
_NOWHERE = TagLocation(Span(0, 0), {})


def _location(found: Any) -> TagLocation:
    start, _, attributes = found
    return TagLocation(Span(start[2], start[5]), _Attributes(attributes))


_SPACE = "\t\n\f\r "
# HTML Standard, 13.2.5.32 to 13.2.5.40 (read 2026-11-22): of a tag that the tokenizer has taken for one.
_NAMED = r"[\t\n\f\r /]*(?P<whole>(?P<name>=[^\t\n\f\r />=]*|[^\t\n\f\r />=]+)(?P<value>[\t\n\f\r ]*=[\t\n\f\r ]*"
_VALUE = r"(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*))?)"
_NO_VALUE = r"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?=>))?"
_ATTRIBUTE = pattern(_NAMED + _VALUE + "(?(value)|" + _NO_VALUE + ")")
_START_TAG = pattern(
    r"<([A-Za-z][^\t\n\f\r />]*)(?:" + re.sub(r"\?P<\w+>", "?:", _NAMED + _VALUE + _NO_VALUE) + r")*+[\t\n\f\r /]*+>"
)


def attribute_spans(text: str, tag: Span) -> dict[str, Span]:
    """The attributes inside a start tag, by lower-case name, the first of each name."""
    found: dict[str, Span] = {}
    at = text.find("<", tag.start) + 1
    while at < tag.end and text[at] not in _SPACE + "/>":
        at += 1
    while match := _ATTRIBUTE.match(text, at, tag.end):
        found.setdefault(match["name"].lower(), Span(*match.span("whole")))
        at = match.end()
    return found


def value_span(text: str, attribute: Span, name: str) -> Span:
    """The value inside an attribute's span, without quotes; where it has no value, the name."""
    at = attribute.start + len(name)
    while at < attribute.end and text[at] in _SPACE:
        at += 1
    if at >= attribute.end or text[at] != "=":
        return Span(attribute.start, attribute.start + len(name))
    at += 1
    while at < attribute.end and text[at] in _SPACE:
        at += 1
    if at < attribute.end and text[at] in "\"'":
        closed = attribute.end - (1 if attribute.end - at > 1 and text[attribute.end - 1] == text[at] else 0)
        return Span(at + 1, max(at + 1, closed))
    return Span(at, attribute.end)


_ROOT_ATTRIBUTE = pattern(rb"[\s/]*(?:=?[^\s/>=]+|=)(?:\s*=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s>\"'][^\s>]*))?")
_AFTER_NAME = b"/> \t\n\v\f\r"
MOST_ROOT_TAGS = 1_000
MOST_ROOT_ATTRIBUTES = 10_000
MOST_ROOT_WORK = 1_000_000


def repeated_root(page: Bytes) -> int | None:
    """The byte at which repeated `html` and `body` tags become too many to merge, else None.

    The standard merges the attributes of each such tag into the first, in quadratic time and memory:
    the tree is never built of a page that repeats them beyond any real use.
    """
    tags: list[int] = []
    repeats = False
    for name in (b"<html", b"<body"):
        found = [at for at in page.each(name, most=MOST_ROOT_TAGS + 1) if page.lower[at + 5 : at + 6] in _AFTER_NAME]
        repeats = repeats or len(found) > 1
        tags += found
    if not repeats:
        return None
    attributes = work = 0
    for number, tag in enumerate(sorted(tags), 1):
        at = tag + 5
        while match := _ROOT_ATTRIBUTE.match(page.lower, at):
            attributes, at = attributes + 1, match.end()
            if attributes > MOST_ROOT_ATTRIBUTES:
                return tag
        work += attributes
        if number > MOST_ROOT_TAGS or work > MOST_ROOT_WORK:
            return tag
    return None


def is_too_deep(elements: Sequence[Element]) -> Element | None:
    """The first element below the tree's cap, where ownership can no longer be told."""
    depths: dict[Any, int] = {}
    for element in elements:
        above = _raw(element).parent
        waiting = []
        while above is not None and above not in depths:
            waiting.append(above)
            above = above.parent
        depth = depths[above] if above is not None else -1
        for each in reversed(waiting):
            depth += 1
            depths[each] = depth
        if depth >= DEEPEST:
            return element
    return None
