"""WHATWG tree of a page, and the spans of tags and attributes in the text.

Only this module knows turbohtml. Elements are handed out without a wrapper, which would cost more
than the reading; `Element` declares the attributes and methods in use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

import turbohtml

from waypost.models.page import Span

DEEPEST = 511  # ancestors: the tree's cap on open elements turns deeper tags into siblings


class Element(Protocol):
    """Element of turbohtml. `position` is (line, column) of the start tag, None if implied."""

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
_INVISIBLE = frozenset({"script", "style", "noscript", "template"})


def visible_text(element: Element) -> str:
    """Text of an element without scripts and styles; a line break is a line feed."""
    pieces: list[str] = []
    hidden: set[Any] = set()
    raw: Any = element
    for node in raw.descendants:
        # Descendants come in document order, parents first: what is inside a hidden element is hidden by its parent.
        if hidden and node.parent in hidden:
            hidden.add(node)
        elif type(node) is turbohtml.Text:
            pieces.append(node.data)
        elif type(node) is turbohtml.Element:
            tag = node.tag
            if tag == "br":
                pieces.append("\n")
            elif tag in _INVISIBLE:
                hidden.add(node)
    return "".join(pieces)


def is_foreign(element: Element) -> bool:
    """Whether an element is part of SVG or MathML, where elements end as in XML."""
    raw: Any = element
    return bool(raw.namespace.value != "html")


class TagLocation(NamedTuple):
    """Spans of an element's start tag and of each attribute as a whole (`name="value"`), by lower-case name."""

    start_tag: Span
    attributes: Mapping[str, Span]


class _Attributes(Mapping[str, Span]):
    """Spans of attributes from turbohtml, converted at a request: callers use few of many."""

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


class Tree:
    """Tree of a page. Locations are fetched at a request: they cost more than the rest of the reading.

    text   the whole text of the page.
    until  end of the prefix that is parsed (see `prefix`), None for the whole text.
    """

    def __init__(self, text: str, until: int | None = None) -> None:
        self.text = text
        self.until = until
        self.end_mark: Any = None  # the element that stands for the text after `until`, None where it is not an element
        self._document: Any = turbohtml.parse(
            text if until is None else f"{text[:until]}<{_END}>",
            source_locations=True,
            # With scripting, the content of `noscript` in the head is text, as for a browser (HTML Standard
            # 13.2.6.4.4).
            scripting=True,
            # A declarative shadow root would take its template's content out of the tree that is searched.
            allow_declarative_shadow_roots=False,
        )
        self._has_templates: bool | None = None
        self._by_position: dict[str, dict[tuple[int, int] | None, list[Any]]] = {}

    @property
    def root(self) -> Element:
        """`html` element; always present."""
        root: Element = self._document.root
        return root

    def survey(self, selector: str) -> list[Element]:
        """Same as `select`, once for a page and first: finds templates and the end mark in the same pass."""
        mark = "" if self.until is None else f",{_END}"
        found: list[Element] = self._document.select(f":is({selector},template{mark})")
        if mark and found and found[-1].tag == _END:
            self.end_mark = found.pop()
        self._has_templates = any(element.tag == "template" for element in found)
        return self._outside_templates(found)

    def select(self, selector: str) -> list[Element]:
        """Elements in document order; content of a `template` is not part of the page."""
        if self._has_templates is None:
            self._has_templates = bool(self._document.select("template"))
        return self._outside_templates(self._document.select(selector))

    def _outside_templates(self, found: list[Element]) -> list[Element]:
        if self._has_templates and found:
            return [element for element in found if element.closest("template") is None]
        return found

    def script(self, element: Element) -> Span:
        """Span of a script's text."""
        raw: Any = element
        found = raw.source_location
        if found is None:
            return self.inside(element)
        start, end, _ = found
        return Span(start[5], end[2] if end is not None else len(self.text))

    def inside(self, element: Element) -> Span:
        """Span from the end of an element's start tag to its end tag, or to the end of the text."""
        end_tag = self.end_tag(element)
        return Span(self.location(element).start_tag.end, end_tag.start if end_tag else len(self.text))

    def content(self, element: Element) -> Span:
        """Span of an element's content; without an end tag, up to the next tag of any kind."""
        start, end = self.location(element).start_tag.end, self.end_tag(element)
        if end is not None:
            return Span(start, max(start, end.start))
        # An unclosed element would else underline the rest of the page.
        found = self.text.find("<", start)
        return Span(start, found if found >= 0 else len(self.text))

    def end_tag(self, element: Element) -> Span | None:
        """Span of an element's end tag, None without an end tag."""
        raw: Any = element
        found = raw.source_location
        if found is None and raw.tag not in _MERGED:
            found = self._original(raw)
            if found is None:
                return self.end_tag(raw.parent) if hasattr(raw.parent, "tag") else None
        end = found[1] if found is not None else None
        return Span(end[2], end[5]) if end is not None else None

    def start_position(self, element: Element) -> tuple[int, int] | None:
        """Line (from 1) and column (from 0) of a start tag; None where only `location` knows them.

        A clone has the position of its original. A location costs fifty times as much.
        """
        return None if element.tag in _MERGED else element.position

    def location(self, element: Element) -> TagLocation:
        """Location of an element; for a clone, of the original; for `html` and `body`, merged from all their tags."""
        raw: Any = element
        found = raw.source_location
        if raw.tag in _MERGED:
            return self._merged(raw, found)
        if found is None:
            found = self._original(raw)
        if found is None:
            parent = raw.parent
            return self.location(parent) if hasattr(parent, "tag") else _NOWHERE
        return _location(found)

    def _original(self, element: Any) -> Any:
        """Location of the original of a clone for mis-nested formatting: both have the same position."""
        if element.position is None:
            return None
        written = self._by_position.get(element.tag)
        if written is None:
            written = self._by_position[element.tag] = {}
            for candidate in self._document.select(element.tag):
                written.setdefault(candidate.position, []).append(candidate)
        located = (candidate.source_location for candidate in written.get(element.position, ()))
        return next((found for found in located if found is not None), None)

    def _merged(self, element: Any, found: Any) -> TagLocation:
        """Location of `html` or `body`, which take over attributes of later tags without a trace in the tree."""
        known = _location(found) if found is not None else None
        if known is not None and all(name in known.attributes for name in element.attrs):
            return known
        tags = self._root_tags.get(element.tag, ())
        if known is None:
            if not tags:
                return _NOWHERE
            known = TagLocation(tags[0], {})
        attributes = dict(known.attributes)
        for tag in tags:
            for name, span in self._root_attributes(tag).items():
                # The first tag that has an attribute wins; later tags only add (HTML Standard 13.2.6.4.7).
                attributes.setdefault(name, span)
        return TagLocation(known.start_tag, attributes)

    def _root_attributes(self, tag: Span) -> dict[str, Span]:
        """Attributes of a start tag of `html` or `body`, parsed as those of a `p`: three characters less."""
        source = self.text[tag.start : tag.end]
        # A parser merges attributes of `html` and `body`, and so loses where each stood; those of a `p` keep their
        # spans.
        found = turbohtml.parse(f"<p{source[5:]}", source_locations=True).select("p")[0].source_location
        shift = tag.start + 3
        return {name: Span(span[2] + shift, span[5] + shift) for name, span in found[2].items()} if found else {}

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
_END = "waypost-end"  # stands behind a prefix of a text; in no text of which only a prefix is parsed
_NOWHERE = TagLocation(Span(0, 0), {})
_SPACE = "\t\n\f\r "


def _location(found: Any) -> TagLocation:
    start, _, attributes = found
    return TagLocation(Span(start[2], start[5]), _Attributes(attributes))


def value_span(text: str, attribute: Span, name: str) -> Span:
    """Span of the value inside an attribute's span, without quotes; without a value, that of the name."""
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


def is_too_deep(elements: Sequence[Element]) -> Element | None:
    """First element below the tree's cap, where its item is unknown."""
    depths: dict[Any, int] = {}
    for element in elements:
        above = element.parent
        waiting: list[Element] = []
        # Up to the first ancestor with a known depth: each element of the page is climbed once.
        while above is not None and above not in depths:
            waiting.append(above)
            above = above.parent
        depth = depths[above] if above is not None else -1
        for ancestor in reversed(waiting):
            depth += 1
            depths[ancestor] = depth
        if depth >= DEEPEST:
            return element
    return None
