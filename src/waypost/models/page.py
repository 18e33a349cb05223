"""A page as the reader leaves it: nodes with their places, whatever syntax they were written in.

Offsets inside waypost are *code points of the newline-normalised text* (`Span`), because that is what
the tree reports; what leaves waypost is a `Place`: bytes of the file as given, lines and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias

import msgspec

Part = Literal["node", "type", "key", "value"]
Syntax = Literal["json-ld", "microdata", "rdfa", "html"]


class Span(NamedTuple):
    """Half-open range of code points of `Page.text`."""

    start: int
    end: int


class Place(msgspec.Struct, frozen=True):
    """A range of the file: bytes (`end` exclusive), 1-based lines, 1-based columns in code points.

    The `utf16_*` columns count UTF-16 code units, as SARIF and the Language Server Protocol do.
    A byte-order mark is in the offsets and is no column. LF, CRLF and a lone CR each end one line.
    """

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    utf16_column: int
    utf16_end_column: int


class Tagged(str):
    """A text with the language its markup gives it (`@language`, BCP 47 as written)."""

    __slots__ = ("language",)
    language: str

    def __new__(cls, text: str, language: str) -> Self:
        self = super().__new__(cls, text)
        self.language = language
        return self


class Node(msgspec.Struct, eq=False):
    """One thing the markup describes.

    types    schema.org types as bare names, wrong letter case corrected; a type of another vocabulary
             keeps its IRI or prefixed spelling (it holds a ":").
    id       `@id`, itemid or resource, resolved against the page where that is possible.
    props    property (bare schema.org name, letter case corrected; IRI for others) -> its values in
             order. A value is a Node, a text, an int, a Decimal (a JSON number with a fraction, as
             written), a bool or None. A reference to a node of the page *is* that node.
    parent   the node whose property `via` holds this one in the markup; None at the top of a block.
    block    where it was written; knows the places.
    origin   the block's own note of where this node lies; nobody else reads it.
    miscased canonical name -> the spelling that was corrected, for types ("@type:Recipe") and
             properties; None when nothing was.
    reference  True for a pointer whose target the page does not have ({"@id": ...} alone).
    foreign  True when the node belongs to no schema.org vocabulary: no rule of ours speaks about it.
    referrers  (node, property) pairs that point here by id.
    same_as  the earlier node with the same id that has taken this one's properties over; rules skip
             such a node.
    borrowed (property, index) -> (node, property, index) for values that came from a `same_as` node.
    reverse  True when `via` was written as a reverse property (`@reverse`): this node is the subject.
    """

    block: Block
    origin: Any
    parent: Node | None = None
    via: str | None = None
    types: tuple[str, ...] = ()
    id: str | None = None
    props: dict[str, list[Value]] = {}
    miscased: dict[str, str] | None = None
    reference: bool = False
    foreign: bool = False
    reverse: bool = False
    referrers: Sequence[tuple[Node, str]] = ()
    same_as: Node | None = None
    borrowed: dict[tuple[str, int], tuple[Node, str, int]] | None = None

    def refer(self, node: Node, prop: str) -> None:
        """Note that a node points here by a property. Most are pointed at by nobody and share one tuple."""
        if isinstance(self.referrers, list):
            self.referrers.append((node, prop))
        else:
            self.referrers = [(node, prop)]

    def get(self, prop: str) -> Value:
        """The first present value of a property, else None."""
        for value in self.props.get(prop, ()):
            if is_present(value):
                return value
        return None

    def nodes(self, prop: str) -> Iterator[Node]:
        """The values of a property that are nodes."""
        return (value for value in self.props.get(prop, ()) if isinstance(value, Node))

    def __repr__(self) -> str:
        return f"<Node {' '.join(self.types) or '-'} {self.id or ''} {sorted(self.props)}>"


Value: TypeAlias = Node | str | int | Decimal | bool | None


def is_present(value: Value) -> bool:
    """Not null, not a blank text, not an object without content. False and 0 are present."""
    if isinstance(value, str):
        return value != "" and not value.isspace()
    if isinstance(value, Node):
        return bool(value.props or value.id or value.types)
    return value is not None


class Block(Protocol):
    """One script of JSON-LD, or one top-level item of Microdata or RDFa."""

    @property
    def syntax(self) -> Syntax: ...

    @property
    def index(self) -> int:
        """Which script (JSON-LD) or item (others) of the page, from 0."""
        ...

    def span(self, node: Node, prop: str | None = None, index: int | None = None, part: Part = "value") -> Span:
        """Where something is written.

        part "node": the opening brace, or the item's start tag. "type": the type's token. "key": the
        property's name. "value": the value `index` of the property (0 by default); of a node that is
        a value, its opening brace or start tag.
        JSON keys and values with their quotes; attributes without; the text of an element.
        """
        ...

    def begins(self, node: Node, /) -> tuple[int, int] | None:
        """Line and column, both from 1, at which a node is written, where that costs less than its span; else None."""
        ...

    def pointer(self, node: Node, prop: str | None = None, index: int | None = None) -> str:
        """JSON Pointer inside a script; property names from the item, with an index only where a
        property repeats, elsewhere (`/offers/0/price`). "" is the block itself."""
        ...

    def spelled(self, text: str) -> str:
        """`text` as it must be written in this syntax in place of a span (quotes and escapes included)."""
        ...


class Trouble(msgspec.Struct):
    """A fault met while reading, before there are nodes to judge. `rule` names the rule that explains it.

    `detail` holds what that rule's message needs. `edits` mend it, as (span, replacement) pairs.
    """

    rule: str
    span: Span
    syntax: Syntax = "html"
    block: int | None = None
    pointer: str = ""
    detail: dict[str, Any] = {}
    edits: tuple[tuple[Span, str], ...] = ()
    related: tuple[tuple[str, Span], ...] = ()


class Placing(Protocol):
    """Turns offsets of the text into places of the file."""

    def __call__(self, span: Span, /) -> Place: ...

    def bytes_of(self, span: Span, /) -> tuple[int, int]:
        """The bytes of the file, the second exclusive; cheaper than the whole place, as what follows is."""
        ...

    def line_and_column(self, offset: int, /) -> tuple[int, int]:
        """Both from 1, the column in code points."""
        ...


class Words(Protocol):
    """A text that is read in parts, and put together only if somebody asks for all of it."""

    @property
    def whole(self) -> str: ...

    def __getitem__(self, part: slice, /) -> str: ...


class Page:
    """A page that was read: its nodes, what went wrong on the way, and how offsets become places.

    path       as the caller named it; "-" for standard input.
    text       decoded, newlines normalised to LF, lone surrogates replaced.
    url        the page's own address (canonical link, else the URL it came from), None if unknown.
    base       what relative URLs resolve against (`<base>`, else the URL it came from, else canonical).
    blocks     every script and item, in document order within its syntax.
    nodes      every node, document order; references and `same_as` nodes included.
    roots      nodes that no other node holds or refers to, document order: the items of the report.
    troubles   what went wrong while reading, in document order.
    place      Span -> Place.
    held       what blocks look places up in; lives as long as the page, so keep the page to ask for places.
    """

    __slots__ = (
        "_words", "base", "blocks", "by_id", "held", "language", "nodes", "path", "place", "roots", "speaks",
        "troubles", "url",
    )  # fmt: skip

    def __init__(self, path: str, text: str | Words, place: Placing) -> None:
        self.path = path
        self._words = text
        self.place = place
        self.url: str | None = None
        self.base: str | None = None
        self.language: str | None = None
        self.blocks: list[Block] = []
        self.nodes: list[Node] = []
        self.roots: list[Node] = []
        self.by_id: dict[str, Node] = {}
        self.troubles: list[Trouble] = []
        self.speaks = False
        self.held: list[Any] = []

    @property
    def text(self) -> str:
        """All of it. Of a part, ask `written`."""
        return self._words if isinstance(self._words, str) else self._words.whole

    def written(self, start: int, end: int) -> str:
        """What stands in a span."""
        return self._words[start:end]

    def let_go(self) -> None:
        """Take the nodes apart, for the one who read the page and is done with it.

        They point at one another both ways. Left alone they wait for the garbage collector, which takes longer to
        find them than the page took to judge, while the next page gets memory that no cache holds.
        """
        for node in self.nodes:
            node.parent = node.same_as = node.borrowed = None
            node.props.clear()
            node.referrers = ()

    def span_of(self, node: Node, prop: str | None = None, index: int | None = None, part: Part = "value") -> Span:
        """Where a node, property or value is written, through joins of nodes with one id.

        Something the node does not have is placed at the node itself.
        """
        node, prop, index = self.home(node, prop, index)
        if prop is not None and prop not in node.props:
            return node.block.span(node, None, None, "node")
        return node.block.span(node, prop, index, part if prop is not None or part == "type" else "node")

    def begins(self, node: Node) -> tuple[int, int]:
        """Line and column, both from 1, at which a node is written."""
        return node.block.begins(node) or self.place.line_and_column(self.span_of(node).start)

    def home(self, node: Node, prop: str | None, index: int | None) -> tuple[Node, str | None, int | None]:
        """The node, property and index under which a value was written (it may have been borrowed)."""
        if node.borrowed and prop is not None:
            return node.borrowed.get((prop, index or 0), (node, prop, index))
        return node, prop, index
