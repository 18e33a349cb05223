"""Input and output of rules: a node with its context, and drafts of findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

import msgspec

from waypost.formats.dates import Moment, first_instant, is_future, is_past, last_instant
from waypost.formats.patterns import pattern
from waypost.models.finding import Authority, Severity
from waypost.models.page import Node, Page, Part, ReadError, Span, Value, is_present
from waypost.registry import Registry


class FindingDraft(msgspec.Struct, kw_only=True):
    """Finding without line, column and fingerprint, to be completed by the collector.

    rule        the rule's name; "" is the yielding rule.
    node        `None` is the page, or `span` alone.
    prop, index, part  point at a value of the node, at its key or at the node.
    property    property in the report, if different from `prop`.
    edits       (span, replacement text in the syntax of the file).
    related     (message, span or arguments of `Page.span_of`).
    compared    (source, value, span) of values that differ; the first stands at the place of the finding.
    about       text for the fingerprint in place of pointer and value, for a finding about several places. The text
                must not depend on the order of the places.
    read_error  error explained by the draft, with span, pointer and edits.
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
    compared: tuple[tuple[Literal["markup", "page", "feed"], str, Span], ...] = ()
    about: tuple[str, ...] | None = None
    read_error: ReadError | None = None


# Part of fingerprints in people's baselines: another limit would make known findings new.
_LONGEST_DESCRIPTION = 200


def describe(node: Node) -> str:
    """Types and id or name of a node, for fingerprints: unchanged if the node moves."""
    name = node.get("name") or node.get("headline")
    types = node.types[: _LONGEST_DESCRIPTION + 1]  # all that the text has room for
    return f"{' '.join(types)} {node.id or (name if isinstance(name, str) else '')}"[:_LONGEST_DESCRIPTION]


_NAMES = ("name", "headline", "title")
_LONGEST_NAME = 120


def name_of(node: Node) -> str | None:
    """Name of a node for people, on one line and at most `_LONGEST_NAME` characters; `None` without one."""
    for prop in _NAMES:
        value = node.get(prop)
        # Cut before it is split: a name may be as long as a page.
        if isinstance(value, str) and (name := " ".join(value[: 4 * _LONGEST_NAME].split())):
            return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    return None


def kind_of_place(node: Node) -> str:
    """Property that holds a node; the types of an item, which none holds."""
    return node.via or ",".join(node.types)


class RuleContext(msgspec.Struct, frozen=True):
    """Page, registry and clock for rules.

    now            aware UTC time. Rules compare by `is_past` and `is_future` only, which record in `change_times` the
                   instants at which a finding could change.
    empty_required  (node, property) pairs without content that a rich result requires: the profiles report them.
    empty_recommended  (place, property) pairs without content that a rich result recommends; `kind_of_place` is the
                   place, so that alike objects of a list count as one.
    moved          (node, property that is not of its type) -> hint where a rich result needs the value.
    also           names of types and properties that the project uses beyond those of the vocabulary.
    costly_types    nodes whose type in the wrong letter case costs a rich result.
    nodes_by_sign  sign -> nodes of the page with the sign, in document order; `rulebook` lists the signs.
    """

    page: Page
    registry: Registry
    now: datetime
    nodes_by_sign: dict[str, list[Node]]
    change_times: list[datetime] = []
    empty_required: set[tuple[Node, str]] = set()
    empty_recommended: set[tuple[str, str]] = set()
    also: frozenset[str] = frozenset()
    costly_types: set[Value] = set()
    moved: dict[tuple[Node, str], str] = {}

    def is_empty_required(self, node: Node, prop: str) -> bool:
        """Does a rich result require the property of the node, which has no content?"""
        return (node, prop) in self.empty_required

    def is_empty_recommended(self, node: Node, prop: str) -> bool:
        """Does a rich result recommend the property, without content, of nodes in the place of this one?"""
        return (kind_of_place(node), prop) in self.empty_recommended

    def hint_for(self, node: Node, prop: str) -> str | None:
        """Hint where a rich result needs the value of a property that is not of the node's type."""
        return self.moved.get((node, prop))

    def is_past(self, moment: Moment) -> bool:
        """Is the moment over everywhere on earth?"""
        self.change_times.append(last_instant(moment))
        return is_past(moment, self.now)

    def is_future(self, moment: Moment) -> bool:
        """Has the moment begun nowhere on earth?"""
        self.change_times.append(first_instant(moment))
        return is_future(moment, self.now)


class Item:
    """Node with context: access to values, and `error`, `warning`, `info` to make drafts.

    Without `prop` a draft points at the node. `index` selects a value of a repeated property; `part` is "value", "key"
    (the property's name) or "type".
    """

    __slots__ = ("context", "node")

    def __init__(self, node: Node, context: RuleContext) -> None:
        self.node = node
        self.context = context

    def of_type(self, name: str) -> Item:
        """Item of the node that states a type: another one of the same id, where the type came from there."""
        typed_by = self.node.typed_by
        return self if typed_by is None else Item(typed_by.get(name, self.node), self.context)

    def get(self, prop: str) -> Value:
        """First present value of a property, else `None`."""
        return self.node.get(prop)

    def text(self, prop: str) -> str | None:
        """First present value of a property if a text, stripped; else `None`."""
        value = self.node.get(prop)
        return value.strip() if isinstance(value, str) else None

    def values(self, prop: str) -> Iterator[tuple[int, Value]]:
        """(index, value) of every present value of a property."""
        return ((n, value) for n, value in enumerate(self.node.props.get(prop, ())) if is_present(value))

    def has(self, prop: str) -> bool:
        return self.node.get(prop) is not None

    def is_a(self, *types: str) -> bool:
        """Is the node of a type in `types`, or of a subtype?"""
        return self.context.registry.vocabulary.are_a(self.node.types, frozenset(types))

    @property
    def name(self) -> str:
        """Name of the node for messages: its types, or "item" without types."""
        return " and ".join(self.node.types) or "item"

    def error(self, prop: str | None, message: str, hint: str | None = None, **more: Any) -> FindingDraft:
        return FindingDraft(severity="error", node=self.node, prop=prop, message=message, hint=hint, **more)

    def warning(self, prop: str | None, message: str, hint: str | None = None, **more: Any) -> FindingDraft:
        return FindingDraft(severity="warning", node=self.node, prop=prop, message=message, hint=hint, **more)

    def info(self, prop: str | None, message: str, hint: str | None = None, **more: Any) -> FindingDraft:
        return FindingDraft(severity="info", node=self.node, prop=prop, message=message, hint=hint, **more)

    def rewrite(self, prop: str, text: str, index: int | None = None) -> tuple[Span, str]:
        """Edit to replace a value by `text`, quoted and escaped for the syntax.

        A value between two tags is text for people. The edit then adds the attribute with precedence over the text:
        `datetime` of a `<time>`, `content` in RDFa. In Microdata, where only `meta` has `content`, the property moves
        to a `<time>` around the text or, for a number or a code, to a `<meta>` in front of it.
        """
        page = self.context.page
        # A value that a reference brought here is written at the node where it stands.
        home, source_prop, source_index = page.source_of(self.node, prop, index)
        block = home.block
        span, literal = block.span(home, source_prop, source_index, "value"), block.literal(text)
        if is_between_tags(page, span, block.syntax):
            key = block.span(home, source_prop, source_index, "key").start
            tag = _tag_before(page, key)
            if opening := _OPENING.match(page.source_text(tag, key)):
                name = opening[0][1:].lower()
                is_time = block.syntax == "microdata" and name == "time"
                after = tag + opening.end()
                if is_time or block.syntax == "rdfa":
                    return Span(after, after), f' {"datetime" if is_time else "content"}="{literal}"'
                if name not in _WITHOUT_ELEMENTS and _FOR_MACHINES.fullmatch(text):
                    return _with_own_element(page, tag, span, text, literal)
        return span, literal


_FOR_MACHINES = pattern(
    r"-?\d+(?:\.\d+)?(?:/\d+)?|\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?|\d{4}-\d\d-\d\d(?:T[\d:.+\-Z]*)?"
    r"|P[\dA-Z.]+|[A-Z]{3}",
    re.ASCII,
)  # a number, a time, a date, a duration, a currency: machines read them, whatever people read in their place
_OPENING = pattern(r"<[a-z][a-z0-9-]*(?=[\s/>])", re.IGNORECASE)


_ITEMPROP = pattern(r"\sitemprop\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+)", re.IGNORECASE)
_TIME = pattern(r"\d\d:|\d{4}-\d\d-|P", re.ASCII)
_WITHOUT_ELEMENTS = frozenset(
    {"title", "textarea", "option", "select", "script", "style", "table", "thead", "tbody", "tfoot", "tr"}
)
_LONGEST_WRAPPED = 200


def _with_own_element(page: Page, tag: int, span: Span, text: str, literal: str) -> tuple[Span, str]:
    """Edit that moves the property of a start tag at `tag` into an element of its own inside it."""
    start_tag = page.source_text(tag, span.start)
    itemprop = _ITEMPROP.search(start_tag)
    if itemprop is None:
        return span, literal
    start, rest = tag + itemprop.start(), start_tag[itemprop.end() :]
    if _TIME.match(text) and span.end - span.start <= _LONGEST_WRAPPED:
        displayed = page.source_text(span.start, span.end)
        if "<" not in displayed:
            return Span(start, span.end), f'{rest}<time{itemprop[0]} datetime="{literal}">{displayed}</time>'
    return Span(start, span.start), f'{rest}<meta{itemprop[0]} content="{literal}">'


def _tag_before(page: Page, offset: int) -> int:
    """Offset of the start tag around an attribute at `offset`."""
    # Search backwards in growing steps: the text of a large page is decoded in parts.
    step = 256
    while True:
        low = max(0, offset - step)
        found = page.source_text(low, offset).rfind("<")
        if found >= 0 or low == 0:
            return low + max(found, 0)
        step *= 4


def is_between_tags(page: Page, span: Span, syntax: str) -> bool:
    """Is the span the text of an element, which people read, and not an attribute?"""
    return syntax in ("microdata", "rdfa") and page.source_text(span.start - 1, span.start) == ">"
