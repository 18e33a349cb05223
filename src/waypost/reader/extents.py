"""Extents of elements in the text of a page, for suppressions that name the next element."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, cast

from waypost.models.page import Span
from waypost.reader.tree import Element, Tree, value_span

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)  # fmt: skip


class Extents:
    """Elements with a start tag in the page, from the start tag to the end."""

    def __init__(self, text: str) -> None:
        self._tree = Tree(text)
        elements = self._tree.select("*")
        self._ends = self._measured(elements, len(text))
        self._elements = [element for element in elements if element.position is not None]
        self._starts = sorted(
            (self._tree.location(element).start_tag.start, n) for n, element in enumerate(self._elements)
        )

    def after(self, at: int) -> Span | None:
        """First element that starts at or after an offset."""
        found = bisect_left(self._starts, (at, -1))
        if found == len(self._starts):
            return None
        start, number = self._starts[found]
        return Span(start, self._ends[self._elements[number]])

    def having(self, attribute: str) -> list[tuple[Span, Span, str]]:
        """(extent of the element, span of the attribute's value, value) for elements with an attribute."""
        found = []
        for element in self._tree.select(f"[{attribute}]"):
            location = self._tree.location(element)
            if element in self._ends and attribute in location.attributes:
                written = value_span(self._tree.text, location.attributes[attribute], attribute)
                extent = Span(location.start_tag.start, self._ends[element])
                found.append((extent, written, element.attr(attribute) or ""))
        return found

    def _measured(self, elements: list[Element], length: int) -> dict[Element, int]:
        """Element -> end offset; without an end tag, the start of the next sibling or the end of the parent."""
        ends: dict[Element, int] = {}
        known = set(elements)
        # Parents come before children: the limit of a child is known when its turn comes.
        for element in elements:
            ends.setdefault(element, self._end(element, length))
            limit = ends[element]
            if element.position is not None and element.tag not in _VOID:
                limit = min(limit, self._tree.inside(element).end)
            # From the last child: a sibling without an end tag ends where the next one starts.
            for child in reversed(list(cast("Any", element).children)):
                if child in known:
                    ends[child] = self._end(child, limit)
                    if child.position is not None:
                        limit = self._tree.location(child).start_tag.start
        return ends

    def _end(self, element: Element, limit: int) -> int:
        """End of an element; an implied element has no tags and reaches to the limit."""
        if element.position is None:
            return limit
        end_tag = self._tree.end_tag(element)
        if end_tag is not None:
            return end_tag.end
        start_tag = self._tree.location(element).start_tag
        return start_tag.end if element.tag in _VOID else max(limit, start_tag.end)
