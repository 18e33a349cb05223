"""Script of JSON-LD: positions of nodes and values, and the values of an object under its context."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from waypost.models.page import LangString, Node, Part, ReadError, Span, Syntax, Value
from waypost.reader.context import Context, Term
from waypost.reader.positions import Entry, JsonPath, Positions, pointer, steps

if TYPE_CHECKING:
    from waypost.reader.dirtytokens import Repair


WRAPPERS: Final = ("@value", "@list", "@set")
_FEW = 16  # values of a property that are searched without an index


class Places(NamedTuple):
    """Places of JSON that stands in its file in another notation: starts of its tokens, and their spans there."""

    starts: Sequence[int]
    spans: Sequence[Span]

    def span(self, start: int, end: int, size: int) -> Span:
        """Span in the file of a part of the JSON, which is `size` characters long."""
        first, last = bisect_right(self.starts, start) - 1, bisect_left(self.starts, end) - 1
        first, last = max(first, 0), max(last, 0)
        low = min(self.spans[first].start + start - self.starts[first], self.spans[first].end)
        until = self.starts[last + 1] if last + 1 < len(self.starts) else size
        inside = self.spans[last].start + end - self.starts[last]
        high = self.spans[last].end if end >= until else min(inside, self.spans[last].end)
        return Span(low, max(low, high))


class JsonBlock:
    """Script of JSON-LD. Positions are computed at the first request.

    places  where the JSON is made from code; its own offsets count from `start` otherwise.
    """

    __slots__ = ("_places", "_texts", "encoded", "index", "places", "positions", "start", "text")
    syntax: Final[Syntax] = "json-ld"

    def __init__(self, text: str, start: int, index: int, places: Places | None = None) -> None:
        self.text = text
        self.start = start
        self.index = index
        self.positions = Positions(text)
        self.places = places
        self.encoded = False  # its quotes are character references
        self._places: dict[Node, dict[str, list[tuple[JsonPath, JsonPath]]]] = {}
        self._texts: dict[Node, list[int]] = {}  # which entries of a list of types are types

    def span(self, node: Node, prop: str | None = None, index: int | None = None, part: Part = "value") -> Span:
        """See `waypost.models.page.Block.span`; `prop` may also be "@id"."""
        path, raw, context = node.origin
        if part == "type":
            return self._type_span(node, index)
        if prop is None:
            return self._opening(path)
        if prop == "@id":
            key = context.find(raw, "@id")
            return self._span(self.positions.find((path, key))) if key else self._opening(path)
        place = self._place(node, prop, index)
        if place is None:
            return self._opening(path)
        key_path, value_path = place
        if part == "key":
            entry = self.positions.find(key_path)
            return self.range(entry.key_start, entry.key_end)
        values = node.props.get(prop, ())
        at = index or 0
        if at < len(values) and isinstance(values[at], Node):
            return self._opening(value_path)
        return self._span(self.positions.find(value_path))

    def start_position(self, _: Node) -> tuple[int, int] | None:
        """See `waypost.models.page.Block.start_position`: unknown without the span."""
        return None

    def is_apart(self, _: Node) -> bool:
        """See `waypost.models.page.Block.is_apart`."""
        return False

    def pointer(self, node: Node, prop: str | None = None, index: int | None = None) -> str:
        """See `waypost.models.page.Block.pointer`."""
        place = None if prop is None else self._place(node, prop, index)
        return pointer(steps(node.origin[0] if place is None else place[1]))

    def literal(self, text: str) -> str:
        """JSON string that is safe inside a script element."""
        # "</script" and "<!--" would end or change the script element around the JSON (HTML Standard 4.12.1.3).
        written = encode_basestring(text).replace("</", "<\\/").replace("<!--", "\\u003c!--")
        if not self.encoded:
            return written
        from html import escape

        return escape(written)

    def read_error(self, rule: str, path: JsonPath, detail: dict[str, Any], at: Part = "value") -> ReadError:
        """Read error at the value (or key, or opening brace) under a path."""
        entry = self.positions.find(path)
        span = self._span(entry)
        if at == "key":
            span = self.range(entry.key_start, entry.key_end)
        elif at == "node":
            span = self._opening(path)
        return ReadError(rule, span, "json-ld", self.index, pointer(steps(path)), detail)

    def read_error_of(self, repair: Repair) -> ReadError:
        """Read error for a repair of the tolerant decoder."""
        at = self.range
        return ReadError(
            repair.rule,
            at(repair.start, repair.end),
            "json-ld",
            self.index,
            repair.pointer,
            repair.detail,
            tuple((at(a, b), text) for a, b, text in repair.edits),
            tuple((message, at(a, b)) for message, a, b in repair.related),
        )

    def _span(self, entry: Entry) -> Span:
        return self.range(entry.start, entry.end)

    def range(self, start: int, end: int) -> Span:
        """Span in the page of a part of the block."""
        if self.places is not None:
            return self.places.span(start, end, len(self.text))
        return Span(self.start + start, self.start + end)

    def _opening(self, path: JsonPath) -> Span:
        start = self.positions.start(path)
        return self.range(start, min(start + 1, len(self.text)))

    def _type_span(self, node: Node, index: int | None) -> Span:
        path, raw, context = node.origin
        key = context.find(raw, "@type")
        if key is None:
            return self._opening(path)
        given = raw[key]
        if isinstance(given, list):
            texts = self._texts.get(node)
            if texts is None:  # once: findings may want the span of each type in turn
                texts = self._texts[node] = [n for n, type_ in enumerate(given) if isinstance(type_, str)]
            if index is not None and index < len(texts):
                return self._span(self.positions.find(((path, key), texts[index])))
            if len(texts) == 1:
                return self._span(self.positions.find(((path, key), texts[0])))
        return self._span(self.positions.find((path, key)))

    def _place(self, node: Node, prop: str, index: int | None) -> tuple[JsonPath, JsonPath] | None:
        """(path to the key, path to the value) of a value of a property."""
        quick = plain_place(node, prop, index or 0)
        if quick is not None:
            return quick
        places = self._places.get(node)
        if places is None:
            places = self._places[node] = places_of(node)
        found = places.get(prop)
        if not found:
            return None
        # Nodes are shown by their opening brace: the whole object would underline half a page.
        at = index or 0
        if at < len(found):
            return found[at]
        return found[-1][0], found[-1][0]


def plain_place(node: Node, prop: str, index: int) -> tuple[JsonPath, JsonPath] | None:
    """Same as `places_of`, for a property written once, under its own name and without wrappers."""
    path, raw, context = node.origin
    if not context.plain or prop not in raw or context.keys.get(prop) != prop or "@nest" in raw:
        return None
    value, at = raw[prop], (path, prop)
    if not isinstance(value, list):
        alone = len(node.props.get(prop, ())) == 1 and not index and not is_wrapped(value)
        return (at, at) if alone else None
    if not index < len(value) == len(node.props.get(prop, ())) <= _FEW or any(map(is_wrapped, value)):
        return None
    return at, (at, index)


def is_wrapped(value: Any) -> bool:
    """Whether a value may hold further values of the same property."""
    return isinstance(value, list) or (isinstance(value, dict) and any(key in value for key in WRAPPERS))


def places_of(node: Node) -> dict[str, list[tuple[JsonPath, JsonPath]]]:
    """Property -> paths to its values, in the order of `Node.props`.

    An empty array has no values: the only path is that of the array.
    """
    path, raw, context = node.origin
    places: dict[str, list[tuple[JsonPath, JsonPath]]] = {}
    hollow: dict[str, tuple[JsonPath, JsonPath]] = {}
    for _, value, at, term in properties_of(raw, path, context):
        if isinstance(term, Term) and term.kind != "property":
            continue
        name = term if isinstance(term, str) else term.name
        found = places.setdefault(name, [])
        found.extend((at, inner) for _, inner in values_of(value, at, term, context))
        hollow.setdefault(name, (at, at))
    # A reversed node holds the outer one as a value, which is written nowhere: its place is the key around.
    if node.reverse and node.via and node.parent is not None:
        key_path = node.origin[0]
        while key_path and isinstance(key_path[1], int):
            key_path = key_path[0]
        places.setdefault(node.via, []).append((key_path, node.parent.origin[0]))
    return {name: found or [hollow[name]] for name, found in places.items()}


def properties_of(
    raw: dict[str, Any], path: JsonPath, context: Context
) -> Iterator[tuple[str, Any, JsonPath, str | Term]]:
    """(key, value, path, meaning of the key) for members of an object, including members of `@nest`."""
    waiting = [(raw, path)]
    # No recursion: a page may nest `@nest` in `@nest` as deep as JSON goes.
    while waiting:
        raw, path = waiting.pop()
        for key, value in raw.items():
            term = context.keys.get(key) or context.key(key)
            if isinstance(term, Term) and term.name == "@nest" and term.kind == "keyword":
                nested = value if isinstance(value, list) else [value]
                paths: list[JsonPath] = [(path, key)]
                if isinstance(value, list):
                    paths = [((path, key), n) for n in range(len(value))]
                waiting.extend((inner, at) for inner, at in zip(nested, paths, strict=True) if isinstance(inner, dict))
            else:
                yield key, value, (path, key), term


def values_of(value: Any, path: JsonPath, term: str | Term, context: Context) -> Iterator[tuple[Any, JsonPath]]:
    """Values of a property with their paths: wrappers and lists taken off, objects unchanged."""
    if isinstance(term, Term) and term.container and isinstance(value, dict):
        yield from contained(value, path, term, context)
        return
    language = context.language
    if isinstance(term, Term) and term.tongues:
        language = term.language
    waiting: list[tuple[Any, JsonPath]] = [(value, path)]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, list):
            # Reversed, since the last of `waiting` comes next: values keep the order in which they were written.
            waiting.extend((value[n], (path, n)) for n in range(len(value) - 1, -1, -1))
        elif isinstance(value, dict):
            if key := context.find(value, "@value"):
                yield literal_of(value[key], value, context), (path, key)
            elif key := context.find(value, "@list") or context.find(value, "@set"):
                waiting.append((value[key], (path, key)))
            else:
                yield value, path
        elif language and isinstance(value, str):
            yield LangString(value, language), path
        else:
            yield value, path


def contained(value: dict[str, Any], path: JsonPath, term: Term, context: Context) -> Iterator[tuple[Any, JsonPath]]:
    """Values of a map by language, index, id or type. Any object that is not a map is a value."""
    if "@language" in term.container:
        # A language map (JSON-LD 1.1, section 4.2.4): keys are language tags.
        for language, texts in value.items():
            for text, at in values_of(texts, (path, language), "", context):
                tagged = isinstance(text, str) and language != "@none"
                yield (LangString(text, language) if tagged else text), at
    elif term.container & {"@index", "@id", "@type", "@graph"} and not is_object(value, context):
        for key, inner in value.items():
            yield from values_of(inner, (path, key), "", context)
    else:
        yield from values_of(value, path, "", context)


def is_object(value: dict[str, Any], context: Context) -> bool:
    """Whether an object is a node or a wrapper, not a map."""
    return any(context.find(value, keyword) for keyword in ("@type", "@id", "@value", "@list", "@set", "@graph"))


def literal_of(value: Any, wrapper: dict[str, Any], context: Context) -> Value:
    # `@value` takes a literal (JSON-LD 1.1, section 9.5); `_check_literals` reports anything else.
    if isinstance(value, (dict, list)):
        return None
    key = context.find(wrapper, "@language")
    language = wrapper[key] if key else None
    if isinstance(value, str) and isinstance(language, str):
        return LangString(value, language)
    return value  # type: ignore[no-any-return]
