"""Microdata and RDFa in JSX: its elements as HTML of the same length, everything around them blank.

The names of attributes in JSX (`itemProp`) are those of HTML in another letter case, which HTML does not tell apart.
An expression is computed; elements inside of it (`offers.map(...)`) are read as if they came once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from waypost.reader.code_objects import parser_of
from waypost.reader.templates import Masked, Place, blanked

if TYPE_CHECKING:
    from tree_sitter import Node

LANGUAGES: Final = frozenset({".jsx", ".tsx", ".js", ".mjs"})
MOST_NODES: Final = 200_000
_MARK = re.compile(rb"\bitem(?:Scope|Prop|Type)\b|\btypeof=[\"']|\btypeOf=")
_ELEMENTS = frozenset({"jsx_element", "jsx_self_closing_element", "jsx_fragment"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


def may_hold_markup(code: bytes) -> bool:
    """Fast test whether code may hold Microdata or RDFa in JSX."""
    return b"</" in code and _MARK.search(code) is not None


def markup_of(code: bytes) -> Masked | None:
    """Markup of the elements in code; None without any. Raises MissingExtra where the grammar is not installed."""
    if not may_hold_markup(code):
        return None
    made = _Markup(code)
    waiting = [parser_of("tsx").parse(code).root_node]
    count = 0
    while waiting and count < MOST_NODES:
        node = waiting.pop()
        count += 1
        if node.type in _ELEMENTS and _MARK.search(code, node.start_byte, node.end_byte):
            made.element(node)
        else:
            waiting.extend(node.named_children)
    if not made.places and made.out == blanked(code, b" "):
        return None
    return Masked(bytes(made.out), tuple(sorted(made.places)), (), frozenset(), loose=made.is_loose)


class _Markup:
    """HTML in the making. `is_loose`: an expression or a component may bring in elements."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.out = bytearray(blanked(code, b" "))
        self.places: list[Place] = []
        self.is_loose = False

    def element(self, root: Node) -> None:
        """Copy an element, with the elements inside of it and of its expressions."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type == "jsx_self_closing_element":
                self._tag(node, closes=True)
            elif node.type in {"jsx_opening_element", "jsx_closing_element"}:
                self._tag(node, closes=False)
            elif node.type in {"jsx_text", "html_character_reference"}:
                self._keep(node)
            elif node.type == "jsx_expression":
                self._expression(node, waiting)
            else:
                waiting.extend(node.children)

    def _keep(self, node: Node) -> None:
        self.out[node.start_byte : node.end_byte] = self.code[node.start_byte : node.end_byte]

    def _computed(self, node: Node, by: bytes) -> None:
        start, end = node.start_byte, node.end_byte
        self.out[start:end] = blanked(self.code[start:end], by)
        self.places.append(Place(start, end))

    def _expression(self, node: Node, waiting: list[Node]) -> None:
        """Expression between tags: the text of an element, or elements with code around them."""
        inner: list[Node] = []
        search = list(node.named_children)
        while search:
            child = search.pop()
            if child.type in _ELEMENTS:
                inner.append(child)
            else:
                search.extend(child.named_children)
        if all(child.type == "comment" for child in node.named_children):
            return
        is_text = not inner and _is_value(node)
        if not inner:
            self.places.append(Place(node.start_byte, node.end_byte))
        if is_text:
            self.out[node.start_byte : node.end_byte] = blanked(self.code[node.start_byte : node.end_byte], b"_")
        self.is_loose |= not is_text
        waiting.extend(inner)

    def _tag(self, node: Node, *, closes: bool) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return  # the tag of a fragment
        written = self.code[name.start_byte : name.end_byte].decode("utf-8", "replace")
        is_component = written[:1].isupper() or "." in written
        self._keep(node)
        if is_component:
            # What a component renders is its own matter.
            self.out[name.start_byte : name.end_byte] = b"x" * (name.end_byte - name.start_byte)
            self.is_loose = True
            self.places.append(Place(node.start_byte, node.end_byte))
        for attribute in node.named_children:
            if attribute.type == "jsx_expression":
                self._computed(attribute, b" ")  # `{...props}` may bring in further attributes
                self.is_loose = True
            elif attribute.type == "jsx_attribute" and len(attribute.named_children) == 2:
                self._value(attribute.named_children[1])
        if closes and written.lower() not in _VOID:
            self._close(node, name)

    def _value(self, node: Node) -> None:
        """Value of an attribute: a string as it is, a string in braces without them, else computed."""
        if node.type != "jsx_expression":
            return
        start, end = node.start_byte, node.end_byte
        inner = node.named_children[0] if node.named_children else None
        self.out[start:end] = blanked(self.code[start:end], b" ")
        if inner is not None and inner.type == "string":
            self._keep(inner)
            return
        if end - start >= 2:
            self.out[start], self.out[end - 1] = ord('"'), ord('"')
            self.out[start + 1 : end - 1] = blanked(self.code[start + 1 : end - 1], b"_")
        self.places.append(Place(start, end))

    def _close(self, node: Node, name: Node) -> None:
        """End an element that HTML would leave open: as a void element of the same length."""
        start, end = name.start_byte, name.end_byte
        if end - start >= 3:
            self.out[start:end] = b"wbr".ljust(end - start)
            # The empty text of the element stands behind its tag.
            self.places.append(Place(node.start_byte, min(node.end_byte + 1, len(self.code))))
        else:
            self._computed(node, b" ")


def _is_value(expression: Node) -> bool:
    """Whether an expression is the text of an element with a property, such as `<b itemProp="name">{name}</b>`."""
    element = expression.parent
    if element is None or element.type != "jsx_element":
        return False
    opening = element.child_by_field_name("open_tag") or element.children[0]
    attributes = (child for child in opening.named_children if child.type == "jsx_attribute")
    return any((each.text or b"").startswith((b"itemProp", b"itemprop", b"property")) for each in attributes)
