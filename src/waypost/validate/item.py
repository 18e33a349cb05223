"""What a rule sees: one node, the page around it, and the way to say something about either."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from waypost.formats.dates import Moment, first_instant, is_future, is_past, last_instant
from waypost.formats.patterns import pattern
from waypost.models.finding import Authority, Severity
from waypost.models.page import Node, Page, Part, Span, Value, is_present
from waypost.registry import Registry


class FindingDraft(msgspec.Struct, kw_only=True):
    """A finding before it knows its line and column; `validate` finishes it.

    rule "" means the rule that yields it. node None means the page (or `span` alone).
    edits are (span, replacement text as it must stand in the file).
    about is what the fingerprint tells instead of the place, of a finding that stands for several: never
    anything that depends on which of them comes first.
    """

    severity: Severity
    message: str
    hint: str | None = None
    rule: str = ""
    authority: Authority | None = None
    profile: str | None = None
    node: Node | None = None
    prop: str | None = None
    index: int | None = None
    part: Part = "value"
    span: Span | None = None
    property: str | None = None
    edits: tuple[tuple[Span, str], ...] = ()
    safe: bool = True
    related: tuple[tuple[str, Any], ...] = ()
    about: tuple[str, ...] | None = None


def describe(node: Node) -> str:
    """Types and id or name of a node: fingerprints have it, so a finding keeps its fingerprint when it is moved."""
    name = node.get("name") or node.get("headline")
    return f"{' '.join(node.types)} {node.id or (name if isinstance(name, str) else '')}"[:200]


class RuleContext(msgspec.Struct, frozen=True):
    """Everything a rule may know besides its node.

    now    an aware UTC time: the only clock there is. Rules ask `is_past` and `is_future`, so that `turns` has
           every instant at which what is said about the page could become something else.
    nodes_by_sign  sign -> the nodes of the page that show it, in document order; `rulebook` names the signs.
    """

    page: Page
    registry: Registry
    now: datetime
    nodes_by_sign: dict[str, list[Node]]
    turns: list[datetime] = []

    def is_past(self, one: Moment) -> bool:
        """Is it over everywhere on earth?"""
        self.turns.append(last_instant(one))
        return is_past(one, self.now)

    def is_future(self, one: Moment) -> bool:
        """Has it begun nowhere on earth?"""
        self.turns.append(first_instant(one))
        return is_future(one, self.now)


class Item:
    """One node with its page: reading shortcuts, and `error`, `warning`, `info` to speak.

    `prop` None points at the node itself. `index` picks a value of a repeated property; `part` is
    "value", "key" (the property's name) or "type".
    """

    __slots__ = ("context", "node")

    def __init__(self, node: Node, context: RuleContext) -> None:
        self.node = node
        self.context = context

    def get(self, prop: str) -> Value:
        """The first present value of a property, else None."""
        return self.node.get(prop)

    def text(self, prop: str) -> str | None:
        """The first present value if it is a text, stripped; else None."""
        value = self.node.get(prop)
        return value.strip() if isinstance(value, str) else None

    def values(self, prop: str) -> Iterator[tuple[int, Value]]:
        """(index, value) of every present value."""
        return ((n, value) for n, value in enumerate(self.node.props.get(prop, ())) if is_present(value))

    def has(self, prop: str) -> bool:
        return self.node.get(prop) is not None

    def is_a(self, *types: str) -> bool:
        """Is the node of one of these types, or of a subtype?"""
        return self.context.registry.vocabulary.are_a(self.node.types, frozenset(types))

    @property
    def name(self) -> str:
        """What to call the node in a message: its types, or "item" when it has none."""
        return " and ".join(self.node.types) or "item"

    def error(self, prop: str | None, message: str, hint: str | None = None, **more: Any) -> FindingDraft:
        return FindingDraft(severity="error", node=self.node, prop=prop, message=message, hint=hint, **more)

    def warning(self, prop: str | None, message: str, hint: str | None = None, **more: Any) -> FindingDraft:
        return FindingDraft(severity="warning", node=self.node, prop=prop, message=message, hint=hint, **more)

    def info(self, prop: str | None, message: str, hint: str | None = None, **more: Any) -> FindingDraft:
        return FindingDraft(severity="info", node=self.node, prop=prop, message=message, hint=hint, **more)

    def rewrite(self, prop: str, text: str, index: int | None = None, part: Part = "value") -> tuple[Span, str]:
        """An edit that puts `text` in place of a value or key, quoted and escaped as the syntax needs it.

        Where the value is what people read between two tags, the attribute that goes before it is added instead,
        if the standard has one: `datetime` of a `<time>`, `content` in RDFa.
        """
        page = self.context.page
        home, at, number = page.source_of(self.node, prop, index)
        span, spelled = home.block.span(home, at, number, part), home.block.literal(text)
        if part == "value" and is_between_tags(page, span, home.block.syntax):
            key = home.block.span(home, at, number, "key").start
            tag = _tag_before(page, key)
            if opening := (_OPENING if home.block.syntax == "rdfa" else _TIME).match(page.source_text(tag, key)):
                attribute = "content" if home.block.syntax == "rdfa" else "datetime"
                after = tag + opening.end()
                return Span(after, after), f' {attribute}="{spelled}"'
        return span, spelled


_OPENING = pattern(r"<[a-z][a-z0-9-]*(?=[\s/>])", re.IGNORECASE)
_TIME = pattern(r"<time(?=[\s/>])", re.IGNORECASE)


def _tag_before(page: Page, at: int) -> int:
    """Where the tag begins that an attribute stands in: nobody needs all of a page for that."""
    step = 256
    while True:
        low = max(0, at - step)
        found = page.source_text(low, at).rfind("<")
        if found >= 0 or low == 0:
            return low + max(found, 0)
        step *= 4


def is_between_tags(page: Page, span: Span, syntax: str) -> bool:
    """Is this text of an element, which people read, and no attribute?"""
    return syntax in ("microdata", "rdfa") and page.source_text(span.start - 1, span.start) == ">"
