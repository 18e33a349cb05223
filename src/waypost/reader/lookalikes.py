"""Texts that people see in elements of Microdata or RDFa whose value search engines read from an attribute.

A price is written twice (`<span itemprop="price" content="19.99">$19.99</span>`), and the address of an image that
loads late stands in an attribute for scripts (`<img src="blank.gif" data-src="plum.jpg">`). Rules compare the two.
"""

from __future__ import annotations

import re

from waypost.formats.patterns import pattern
from waypost.models.page import LazyImage, Node, Page, Span, VisibleText
from waypost.reader.markup import ItemTable
from waypost.reader.tree import Element, visible_text

VALUE_ATTRIBUTES_COMPARED = frozenset({"content", "datetime", "value", "src"})
_PROPERTIES = frozenset(
    {"price", "lowPrice", "highPrice", "ratingValue", "name", "datePublished", "dateModified", "dateCreated",
     "datePosted", "uploadDate", "startDate", "endDate"}
)  # fmt: skip
# A longer text is a description or an article, not the value in another form.
_LONGEST_TEXT = 200
_LONGEST_ADDRESS = 2_000
_HIDDEN = '[hidden],[style*="none" i],[data-style*="none" i],[aria-hidden="true"],noscript'
_UNSEEN = "br,script,style,noscript,template"
_ADDRESS_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-srcset", "srcset")
_STAND_IN = pattern(
    r"(?:^|[._-])(?:blank|spacer|placeholder|transparent|lazy|lazyload|loading|loader|pixel|1x1|dummy|empty)"
    r"(?:[._-][a-z0-9._-]*)?\.(?:gif|png|svg|webp|jpe?g)",
    re.IGNORECASE,
)


class Lookalikes:
    """Reader of texts and addresses next to the values of a page's elements, into the page."""

    def __init__(self, page: Page, table: ItemTable) -> None:
        self.visible_texts = page.visible_texts
        self.lazy_images = page.lazy_images
        self.table = table

    def note(self, node: Node, prop: str, index: int, element: Element) -> None:
        """Record what people see of a value that stands in an attribute, where it may differ."""
        if element.tag == "img":
            if (image := self._lazy_image(element)) is not None:
                self.lazy_images[node, prop, index] = image
        elif prop in _PROPERTIES and (text := _text(element)) and element.closest(_HIDDEN) is None:
            self.visible_texts.append(VisibleText(node, prop, index, element.tag, text))

    def _lazy_image(self, element: Element) -> LazyImage | None:
        if element.attr("content") is not None or not _is_stand_in((element.attr("src") or "").strip()):
            return None
        found = [(name, _address(element, name)) for name in _ADDRESS_ATTRIBUTES if element.matches(f"[{name}]")]
        name, address = next((pair for pair in found if pair[1]), ("", ""))
        if not name:
            return None
        edits: tuple[tuple[Span, str], ...] = ()
        if self.table.dialect.syntax == "microdata" and not name.endswith("srcset"):
            edits = self._edits(element, address)
        return LazyImage(name, address, edits)

    def _edits(self, element: Element, address: str) -> tuple[tuple[Span, str], ...]:
        """Edits to give the address by a `link`: the standard reads an image's address from `src` alone."""
        tag, attributes = self.table.tree.location(element)
        written = attributes.get("itemprop")
        # A `link` cannot stand in for an image of a `picture`, nor for one that scripts or styles address by its id.
        if written is None or element.closest("picture") is not None or element.attr("id") is not None:
            return ()
        itemprop, href = (_escaped(text) for text in (element.attr("itemprop") or "", address))
        before = Span(tag.start, tag.start)
        # The white space in front of the attribute goes with it.
        start = written.start - self.table.tree.text[written.start - 1].isspace()
        return (before, f'<link itemprop="{itemprop}" href="{href}">'), (Span(start, written.end), "")


def _text(element: Element) -> str:
    """Visible text of an element, white space collapsed; "" for a long one."""
    text = element.text
    if len(text) > _LONGEST_TEXT:
        return ""
    return " ".join((visible_text(element) if element.select(_UNSEEN) else text).split())


def _is_stand_in(address: str) -> bool:
    """Whether an address is that of no picture: missing, in the page itself, or a file named as a placeholder."""
    if not address or address.startswith(("data:", "#")) or address == "about:blank":
        return True
    name = address[:_LONGEST_ADDRESS].partition("?")[0].rpartition("/")[2]
    return _STAND_IN.search(name) is not None


def _address(element: Element, attribute: str) -> str:
    """Address in an attribute, of several the first; "" without one that can be fetched."""
    written = (element.attr(attribute) or "").strip()[:_LONGEST_ADDRESS]
    if attribute.endswith("srcset"):
        written = (written.split() or [""])[0].rstrip(",")
    is_usable = not written.startswith(("data:", "#", "{", "[")) and not _is_stand_in(written)
    return written if is_usable and len(written.split()) == 1 else ""


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
