"""Pages after reading: nodes with their positions, in the same form for JSON-LD, Microdata and RDFa.

Offsets inside waypost are *code points of the newline-normalised text* (`Span`), the unit of the HTML tree.
Reports hold a `Location`: bytes of the file as given, lines and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeAlias

import msgspec

if TYPE_CHECKING:
    import re

    from waypost.models.finding import FileReport

Part = Literal["node", "type", "key", "value"]
Syntax = Literal["json-ld", "microdata", "rdfa", "html"]


class Span(NamedTuple):
    """Half-open range of code points of `Page.text`."""

    start: int
    end: int


class Location(msgspec.Struct, frozen=True):
    """Range of the file: bytes (`end` exclusive), 1-based lines, 1-based columns in code points.

    The `utf16_*` columns count UTF-16 code units, as SARIF and the Language Server Protocol do.
    A byte-order mark counts in the offsets and not in the columns. LF, CRLF and a lone CR each end one line.
    """

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    utf16_column: int
    utf16_end_column: int


class LangString(str):
    """String value with the language of its markup (`@language`, BCP 47 as written), as `rdf:langString`."""

    __slots__ = ("language",)
    language: str

    def __new__(cls, text: str, language: str) -> Self:
        self = super().__new__(cls, text)
        self.language = language
        return self


class Node(msgspec.Struct, eq=False):
    """Item of structured data: a JSON-LD object, a Microdata item or an RDFa resource.

    types    schema.org types as bare names, wrong letter case corrected; a type of another vocabulary
             keeps its IRI or prefixed spelling, which contains a ":".
    id       `@id`, itemid or resource, resolved against the page's base URL where possible.
    props    property (bare schema.org name, letter case corrected; IRI outside schema.org) -> values in
             order. A value is a Node, a string, an int, a Decimal (JSON number with a fraction, as
             written), a bool or None. A reference to a node of the page *is* the target node.
    parent   the node whose property `via` contains this node in the markup; None at the top of a block.
    block    the script or item in which the node was written; computes spans.
    origin   private data of the block: the node's position there.
    miscased canonical name -> spelling before correction, for types ("@type:Recipe") and
             properties; None without corrections.
    reference  True for a pointer to a target outside the page ({"@id": ...} alone).
    foreign  True for a node without schema.org vocabulary; rules skip the node.
    referrers  (node, property) pairs that point here by id.
    same_as  the earlier node with the same id, which owns the joined properties; rules skip this node.
    borrowed (property, index) -> (node, property, index) for values joined from a `same_as` node.
    typed_by type -> the node of the same id that states it, of types that this node does not state; None without any.
    hollow   True for a node inside another whose members are all empty, where the type is not itself the value (as the
             action of an `interactionType` is): no content.
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
    hollow: bool = False
    reverse: bool = False
    referrers: Sequence[tuple[Node, str]] = ()
    same_as: Node | None = None
    borrowed: dict[tuple[str, int], tuple[Node, str, int]] | None = None
    typed_by: dict[str, Node] | None = None

    def add_referrer(self, node: Node, prop: str) -> None:
        """Record a node that points here by a property."""
        # Most nodes have no referrers and share the empty tuple: a list per node would cost memory on large pages.
        if isinstance(self.referrers, list):
            self.referrers.append((node, prop))
        else:
            self.referrers = [(node, prop)]

    def get(self, prop: str) -> Value:
        """First present value of a property, else None."""
        for value in self.props.get(prop, ()):
            if is_present(value):
                return value
        return None

    def nodes(self, prop: str) -> Iterator[Node]:
        """Node values of a property, in order."""
        return (value for value in self.props.get(prop, ()) if isinstance(value, Node))

    def language_of(self, prop: str, index: int) -> str | None:
        """Language of a value of a property, None where its markup gives none."""
        value = self.props[prop][index]
        return value.language if isinstance(value, LangString) else None

    def joined(self) -> list[tuple[str, int, Node]]:
        """(property, index, node) of the values that were joined from another node of the same id."""
        return [(prop, index, other) for (prop, index), (other, _, _) in (self.borrowed or {}).items()]

    def writer(self, prop: str, index: int) -> Node:
        """Node in which a value was written: this one, or another of the same id."""
        found = (self.borrowed or {}).get((prop, index))
        return self if found is None else found[0]

    def __repr__(self) -> str:
        return f"<Node {' '.join(self.types) or '-'} {self.id or ''} {sorted(self.props)}>"


Value: TypeAlias = Node | str | int | Decimal | bool | None


def is_present(value: Value) -> bool:
    """Whether a value has content: null, blank strings, empty and hollow objects have none; False and 0 have."""
    if isinstance(value, str):
        return value != "" and not value.isspace()
    if isinstance(value, Node):
        # A type alone says something only where the type is the value.
        return not value.hollow and bool(value.props or value.id or value.types)
    return value is not None


class VisibleText(NamedTuple):
    """Text that people see in an element of Microdata or RDFa with the value in an attribute."""

    node: Node
    prop: str
    position: int
    tag: str
    text: str


class LazyImage(NamedTuple):
    """Image with a placeholder as its address. `attribute` holds the `address` of the picture."""

    attribute: str
    address: str
    edits: tuple[tuple[Span, str], ...]


class Block(Protocol):
    """JSON-LD script, or top-level item of Microdata or RDFa."""

    @property
    def syntax(self) -> Syntax: ...

    @property
    def index(self) -> int:
        """Position of the script (JSON-LD) or item (Microdata, RDFa) in the page, from 0."""
        ...

    def span(self, node: Node, prop: str | None = None, index: int | None = None, part: Part = "value") -> Span:
        """Span of a node, type, property name or value.

        part "node": the opening brace, or the item's start tag. "type": the type's token. "key": the
        property's name. "value": the value `index` of the property (0 by default); for a node as
        value, the node's opening brace or start tag.
        JSON keys and values include their quotes; attribute values exclude them.
        """
        ...

    def start_position(self, node: Node, /) -> tuple[int, int] | None:
        """1-based line and column of a node where the block has them available; None where only `span` has them."""
        ...

    def is_apart(self, node: Node, /) -> bool:
        """Does a node with a holder stand outside of it in the markup, so that itemref joins the two?"""
        ...

    def pointer(self, node: Node, prop: str | None = None, index: int | None = None) -> str:
        """JSON Pointer inside a script; elsewhere property names from the item, with an index only where a
        property repeats (`/offers/0/price`). "" is the block itself."""
        ...

    def literal(self, text: str) -> str:
        """Text in the block's syntax, with quotes and escapes, ready to replace a span."""
        ...


class ReadError(msgspec.Struct):
    """Error met while reading a page, before nodes exist. `rule` names the rule with the explanation.

    `detail` holds values for the rule's message. `edits` fix the error, as (span, replacement) pairs.
    """

    rule: str
    span: Span
    syntax: Syntax = "html"
    block: int | None = None
    pointer: str = ""
    detail: dict[str, Any] = {}
    edits: tuple[tuple[Span, str], ...] = ()
    related: tuple[tuple[str, Span], ...] = ()


class Locator(Protocol):
    """Converter from offsets of the text to locations in the file."""

    def __call__(self, span: Span, /) -> Location: ...

    def byte_range(self, span: Span, /) -> tuple[int, int]:
        """Byte offsets of a span, the end exclusive; cheaper than a `Location`, as `line_and_column` is."""
        ...

    def line_and_column(self, offset: int, /) -> tuple[int, int]:
        """1-based line and column of an offset, the column in code points."""
        ...

    def most(self, word: bytes, /) -> int:
        """Occurrences of a word of ASCII in the file, or more."""
        ...

    def may_have(self, word: bytes, match: re.Pattern[bytes], /) -> bool:
        """Whether the file has a match that begins with a word of ASCII; True also where only the text can show it."""
        ...


class Computed(Protocol):
    """Computed parts of a source, whose values are unknown.

    code    text of a file of code, with its comments; else empty.
    inside  code inside markup, as the script of a component, in a text of the page's length; else empty.
    """

    @property
    def code(self) -> str: ...

    @property
    def inside(self) -> str: ...

    def filter(self, report: FileReport, /) -> None:
        """Drop what depends on the computed parts from a report."""
        ...


class Page:
    """Page after reading: nodes, read errors, and the conversion of offsets to locations.

    path         as the caller named the page; "-" for standard input.
    text         decoded, newlines normalised to LF, lone surrogates replaced.
    url          the page's own address (canonical link, else the URL of the fetch), None if unknown.
    base         base for relative URLs (`<base>`, else the URL of the fetch, else canonical).
    blocks       every script and item, in document order within a syntax.
    nodes        every node, document order; references and `same_as` nodes included.
    roots        nodes without holder or referrer, document order: the items of the report.
    orphans      items of Microdata without a type whose own property belongs to no item: no roots.
    visible_texts  texts that people see next to values in attributes, in document order.
    lazy_images  (node, property, index) of an image with a placeholder as its address -> the picture's own.
    read_errors  errors met while reading, in document order.
    broken_blocks  numbers of the JSON-LD scripts that are not strict JSON after all their safe fixes.
    locate       Span -> Location.
    computed     parts of a source that its template or code computes; None for output.
    is_html      the text is that of a page which people see: not JSON, nor Markdown.
    has_suppressions  the page contains a `waypost-ignore` comment or attribute.
    keep_alive   lookup data of the blocks, which refer to it weakly: spans need the page alive.
    """

    __slots__ = (
        "base",
        "blocks",
        "broken_blocks",
        "by_id",
        "computed",
        "guessed",
        "has_suppressions",
        "is_html",
        "keep_alive",
        "language",
        "lazy_images",
        "locate",
        "nodes",
        "orphans",
        "path",
        "read_errors",
        "roots",
        "text",
        "url",
        "visible_texts",
    )  # fmt: skip

    def __init__(self, path: str, text: str, locate: Locator) -> None:
        self.path = path
        self.text = text
        self.locate = locate
        self.url: str | None = None
        self.base: str | None = None
        self.language: str | None = None
        self.blocks: list[Block] = []
        self.nodes: list[Node] = []
        self.roots: list[Node] = []
        self.orphans: set[Node] = set()
        self.by_id: dict[str, Node] = {}
        self.visible_texts: list[VisibleText] = []
        self.lazy_images: dict[tuple[Node, str, int], LazyImage] = {}
        self.read_errors: list[ReadError] = []
        self.broken_blocks: set[int] = set()
        self.guessed: dict[int, ReadError] = {}
        self.computed: Computed | None = None
        self.has_suppressions = False
        self.is_html: bool = False
        self.keep_alive: list[Any] = []

    def lazy_image(self, node: Node, prop: str, index: int) -> LazyImage | None:
        """Picture in whose place a value is a placeholder."""
        return self.lazy_images.get((node, prop, index))

    def source_text(self, start: int, end: int) -> str:
        """Text of a span."""
        return self.text[start:end]

    def release(self) -> None:
        """Break the reference cycles between nodes. Call when the page is no longer needed."""
        # Nodes point at each other both ways. The garbage collector takes longer to find such cycles than the
        # check of the page took, and until then the next page gets memory outside the CPU caches.
        self.visible_texts.clear()
        self.lazy_images.clear()
        for node in self.nodes:
            node.parent = node.same_as = node.borrowed = node.typed_by = None
            node.props.clear()
            node.referrers = ()

    def span_of(self, node: Node, prop: str | None = None, index: int | None = None, part: Part = "value") -> Span:
        """Span of a node, property or value, through joins of nodes with one id.

        A property that the node lacks has the span of the node.
        """
        node, prop, index = self.source_of(node, prop, index)
        if prop is not None and prop not in node.props:
            return node.block.span(node, None, None, "node")
        return node.block.span(node, prop, index, part if prop is not None or part == "type" else "node")

    def start_position(self, node: Node) -> tuple[int, int]:
        """1-based line and column of a node."""
        return node.block.start_position(node) or self.locate.line_and_column(self.span_of(node).start)

    def source_of(self, node: Node, prop: str | None, index: int | None) -> tuple[Node, str | None, int | None]:
        """Node, property and index under which a value was written: another node's if the value is borrowed."""
        if node.borrowed and prop is not None:
            return node.borrowed.get((prop, index or 0), (node, prop, index))
        return node, prop, index
