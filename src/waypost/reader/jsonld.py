"""JSON-LD reader: text of a script in, nodes and read errors out.

Most pages take the short path: strict JSON under schema.org's own context. Inline contexts, wrappers and
containers go through `values_of`, and so do the positions of values: both always agree.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from waypost.models.page import Node, Page, Part, ReadError, Span, Value
from waypost.reader.context import SCHEMA, Context, Remark, Term, empty_context, schema_context
from waypost.reader.json_block import JsonBlock, Places, properties_of, values_of
from waypost.reader.json_text import NOTHING, decoded
from waypost.reader.names import note_spelling
from waypost.reader.positions import JsonPath
from waypost.registry.vocabulary import Vocabulary

MOST_DEPTH = 200
MOST_NODES = 100_000
MOST_CONTEXT_TERMS = 200_000
MOST_READ_ERRORS = 200  # of one kind or another in one block, past the repairs
_KEYWORD = re.compile(r'"@(?:type|id|graph|context)"', re.IGNORECASE)
_PAGES: Final = frozenset({"WebPage", "WebSite"})


def read_block(
    page: Page, text: str, start: int, index: int, vocabulary: Vocabulary, places: Places | None = None
) -> None:
    """Read a script (or a file) of JSON-LD into the page.

    text   content of the script, as in `Page.text`.
    start  offset of the content in `Page.text`.
    index  number of the script in the page, from 0.
    places  of JSON made from code.
    """
    block = JsonBlock(text, start, index, places)
    page.blocks.append(block)
    value = decoded(block, page)
    if "@context" not in text and "schema.org" not in text and isinstance(value, (dict, list)) and value:
        types = _type_texts(value)
        # Without a context, types of schema.org alone show that the script is meant for search engines.
        if not any(_is_known(name, vocabulary) for name in types) and (types or _KEYWORD.search(text) is None):
            detail = {"name": types[0]} if types else {}
            page.read_errors.append(block.read_error("jsonld-application-data", (), detail, "node"))
            return
    if value is not NOTHING:
        _BlockReader(page, block, vocabulary).read(value)


def _type_texts(value: Any) -> list[str]:
    """Types in the objects of a value, as written and in document order."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if key.lower() == "@type":
                    found += (each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, str))
        if isinstance(value, (dict, list)):
            waiting.extend(reversed(list(value.values()) if isinstance(value, dict) else value))
    return found


def _is_known(name: str, vocabulary: Vocabulary) -> bool:
    """Whether a type is one of schema.org's, in any letter case and behind any prefix."""
    bare = re.split("[:/#]", name.strip())[-1]
    return bare in vocabulary.types or vocabulary.type_ignoring_case(bare) is not None


_Task = tuple[Any, "Node | None", JsonPath, Context, int]


class _BlockReader:
    """Walk over a decoded block, outside in and in document order, without recursion."""

    def __init__(self, page: Page, block: JsonBlock, vocabulary: Vocabulary) -> None:
        self.page = page
        self.block = block
        self.schema = schema_context(vocabulary)
        self.empty = empty_context(vocabulary)
        self.waiting: list[_Task] = []
        self.read_errors: list[ReadError] = []
        self.terms_left = MOST_CONTEXT_TERMS
        self.reported: set[str] = set()
        self.remote = False
        self.unnamed: list[tuple[Node, JsonPath]] = []  # with an empty `@id`
        self.scoped: dict[tuple[Context, tuple[str, ...]], Context] = {}

    def read(self, value: Any) -> None:
        if value is None:
            self.add_error("json-empty-block", (), {})
        elif not isinstance(value, (dict, list)):
            self.add_error("json-not-an-object", (), {"kind": _kind(value), "is_member": False})
        elif not value:
            self.add_error("json-empty-block", (), {"kind": "object" if isinstance(value, dict) else "list"})
        waiting = self.waiting
        waiting.append((value, None, (), self.empty, 0))
        while waiting:
            raw, node, path, context, depth = waiting.pop()
            if node is None:
                self._top(raw, path, context, depth)
            else:
                self._fill(raw, node, path, context, depth)
        for node, path in self.unnamed:
            self._check_empty_id(node, path)
        # The stack takes objects out of order; errors are reported in the order of the text.
        self.page.read_errors.extend(sorted(self.read_errors, key=lambda read_error: read_error.span))

    def add_error(
        self, rule: str, path: JsonPath, detail: dict[str, Any], *, at: Part = "value", once: bool = False
    ) -> None:
        """Add a read error at a value, at its key, or (at "node") at its opening brace."""
        if (once and rule in self.reported) or len(self.read_errors) >= MOST_READ_ERRORS:
            return
        self.reported.add(rule)
        self.read_errors.append(self.block.read_error(rule, path, detail, at))

    def _top(self, raw: Any, path: JsonPath, context: Context, depth: int) -> None:
        """Read a value outside any property: the block, a member of `@graph` or of `@included`."""
        if isinstance(raw, list):
            if depth < MOST_DEPTH:
                self.waiting.extend((raw[n], None, (path, n), context, depth + 1) for n in range(len(raw) - 1, -1, -1))
            else:
                self.add_error("json-too-deep", path, {"most": MOST_DEPTH}, at="node", once=True)
            return
        if not isinstance(raw, dict):
            if path and raw is not None:
                is_member = isinstance(path[1], int)
                self.add_error("json-not-an-object", path, {"kind": _kind(raw), "is_member": is_member})
            return
        if "@context" in raw:
            context = self._context(raw["@context"], (path, "@context"), context)
        # `{"@context": ..., "@graph": [...]}` is an envelope, not an item.
        if _is_only_container(raw, context):
            self._containers(raw, path, context, depth)
            return
        # Without any context nothing has a meaning. Consumers assume schema.org, so that it is assumed here and
        # reported.
        if context.vocab is None and not context.terms and not self.remote:
            context = self.schema
            if not _is_self_contained(raw):
                self._without_context(raw, path)
        node = Node(self.block, None)
        self._fill(raw, node, path, context, depth, scoped=True)

    def _context(self, given: Any, path: JsonPath, context: Context, is_apart: bool = False) -> Context:
        """Context after a local context is applied. `is_apart`: it is written in the definition of a term."""
        if isinstance(given, (dict, list)):
            # A context is copied wherever one is nested: the budget bounds the sum of all copies.
            self.terms_left -= 8 + len(given) + len(context.terms)
        if self.terms_left < 0:
            # The context is there but not read: no second error may say that it is missing.
            self.reported.add("jsonld-context-missing")
            self.add_error(
                "json-too-large", path, {"what": "context definitions", "most": MOST_CONTEXT_TERMS}, once=True
            )
            return context
        remarks: list[Remark] = []
        made = context.extended(given, remarks)
        for remark in remarks:
            self.remote |= remark.rule == "jsonld-remote-context"
            at = path
            for step in remark.steps if not is_apart else ():
                at = (at, step)
            self.add_error(remark.rule, at, remark.detail, at="node" if is_apart else "value", once=is_apart)
        return made

    def _scoped(self, raw: dict[str, Any], path: JsonPath, context: Context) -> tuple[Context, Context]:
        """Contexts of a node's own members and of the nodes inside, by the contexts of its types' definitions.

        Such a context ends with the node, unless it says otherwise (JSON-LD 1.1, 4.1.8 and 4.1.9, read 2026-11-28).
        """
        names: set[str] = set()
        for key in ("@type", *context.aliases.get("@type", ())):
            given = raw.get(key)
            names.update(name for name in (given if isinstance(given, list) else [given]) if isinstance(name, str))
        types = tuple(sorted(names & context.scopes))
        if not types:
            return context, context
        made = self.scoped.get((context, types))
        if made is None:
            made = context
            for name in types:
                made = self._context(context.terms[name]["@context"], path, made, is_apart=True)
            self.scoped[context, types] = made
        own = (context.terms[name]["@context"] for name in types)
        propagates = any(isinstance(local, dict) and local.get("@propagate") is True for local in own)
        return made, made if propagates else context

    def _containers(self, raw: dict[str, Any], path: JsonPath, context: Context, depth: int) -> None:
        """Queue the contents of `@graph` and `@included`."""
        for keyword in ("@included", "@graph"):
            if key := context.find(raw, keyword):
                self.waiting.append((raw[key], None, (path, key), context, depth + 1))

    def _fill(  # noqa: C901 - one loop over the members, kept in one piece: it is the hot path
        self, raw: dict[str, Any], node: Node, path: JsonPath, context: Context, depth: int, scoped: bool = False
    ) -> None:
        if not scoped and "@context" in raw:
            context = self._context(raw["@context"], (path, "@context"), context)
        around = context  # of the nodes inside
        if context.scopes:
            context, around = self._scoped(raw, path, context)
        node.origin = (path, raw, context)
        if depth >= MOST_DEPTH:
            self.add_error("json-too-deep", path, {"most": MOST_DEPTH}, at="node", once=True)
            return
        if len(self.page.nodes) >= MOST_NODES:
            self.add_error("json-too-large", path, {"what": "nodes", "most": MOST_NODES}, at="node", once=True)
            return
        self.page.nodes.append(node)
        props = node.props
        keys, types = context.keys, context.types
        block = self.block
        children: list[_Task] = []
        # Two loops that do the same: without definitions of its own a context needs no wrapper, container or language,
        # and most pages have none. The slow loop for all takes 16 % more bytecodes for the lint of a page.
        if not context.plain or context is not around or "@nest" in raw:
            self._fill_slowly(raw, node, path, context, around, depth, children)
        else:
            for key, value in raw.items():
                name = keys.get(key)
                # Looked up in the dictionary first: a method call for each key of each node is what this loop would
                # spend most on.
                if name is None:
                    name = context.key(key)
                if type(name) is not str:
                    if key == "@type" and type(value) is str and not node.types:
                        known = types.get(value)
                        # A type that was seen before and is spelled right: the usual `@type`.
                        if known is not None and known[1] is None:
                            node.types = known[2]
                            continue
                    if name.kind != "property":  # type: ignore[union-attr]
                        self._keyword(name, key, value, node, (path, key), context, depth, children)  # type: ignore[arg-type]
                        continue
                    name = self._note(node, name)  # type: ignore[arg-type]
                kind = type(value)
                if kind is dict:
                    if "@value" not in value and "@list" not in value and "@set" not in value:
                        # The node is made now, as its parent's value, and filled when its turn comes: no recursion,
                        # whatever the depth.
                        child = Node(block, None, node, name)
                        children.append((value, child, (path, key), context, depth + 1))
                        values: list[Value] = [child]
                    else:
                        values = self._wrapped(value, node, name, (path, key), context, depth, children)
                elif kind is list:
                    values = self._list_values(value, node, name, (path, key), context, depth, children)
                else:
                    values = [value]
                if name in props:
                    props[name].extend(values)
                else:
                    props[name] = values
        if node.reverse:
            _turn(node)
        _finish(node, context)
        # `waiting` is a stack: reversed, children are read in document order.
        if children:
            children.reverse()
            self.waiting.extend(children)

    def _fill_slowly(
        self,
        raw: dict[str, Any],
        node: Node,
        path: JsonPath,
        context: Context,
        around: Context,
        depth: int,
        children: list[_Task],
    ) -> None:
        """Same as `_fill`, under any context and with `@nest`."""
        for key, value, at, term in properties_of(raw, path, context):
            if isinstance(term, Term) and term.kind != "property":
                self._keyword(term, key, value, node, at, context, depth, children, around)
                continue
            name = term if isinstance(term, str) else self._note(node, term)
            values = self._wrapped(value, node, name, at, context, depth, children, term, around)
            node.props.setdefault(name, []).extend(values)

    def _note(self, node: Node, term: Term) -> str:
        """Name of a property; records the spelling."""
        if term.spelled is not None:
            note_spelling(node, term.name, term.spelled)
        return term.name

    def _list_values(
        self,
        items: list[Any],
        node: Node,
        name: str,
        path: JsonPath,
        context: Context,
        depth: int,
        children: list[_Task],
    ) -> list[Value]:
        """Values of a list: plain values quickly, wrapped ones by `_wrapped`."""
        values: list[Value] = []
        before = len(children)
        for number, value in enumerate(items):
            kind = type(value)
            if kind is dict and "@value" not in value and "@list" not in value and "@set" not in value:
                child = Node(self.block, None, node, name)
                children.append((value, child, (path, number), context, depth + 1))
                values.append(child)
            elif kind is dict or kind is list:
                # A wrapper in the list: begun again by the way that reads all of them, so that both agree.
                del children[before:]
                return self._wrapped(items, node, name, path, context, depth, children)
            else:
                values.append(value)
        return values

    def _wrapped(
        self,
        given: Any,
        node: Node,
        name: str,
        path: JsonPath,
        context: Context,
        depth: int,
        children: list[_Task],
        term: str | Term = "",
        around: Context | None = None,
    ) -> list[Value]:
        """Values of a property in any wrapper. `around`: context of the nodes inside, None for the same."""
        values: list[Value] = []
        inner = around or context
        coerced = False
        if isinstance(term, Term):
            coerced = term.coerce in ("@id", "@vocab")
            if term.context is not None:
                inner = self._context(term.context, path, inner, is_apart=True)
        for value, at in values_of(given, path, term, context):
            if isinstance(value, dict):
                child = Node(self.block, None, node, name)
                children.append((value, child, at, inner, depth + 1))
                values.append(child)
            # `"@type": "@id"` in the context makes a text a reference. Only local ones become nodes; an address of
            # another page stays a text.
            elif coerced and isinstance(value, str) and value[:1] in ("#", "_"):
                child = Node(self.block, None, node, name)
                children.append(({"@id": value}, child, at, inner, depth + 1))
                values.append(child)
            else:
                values.append(value)
        self._check_literals(given, path, context)
        return values

    def _check_literals(self, given: Any, path: JsonPath, context: Context) -> None:
        """Report value objects with unknown members or without a literal."""
        members = [(given, path)] if not isinstance(given, list) else [(v, (path, n)) for n, v in enumerate(given)]
        for value, at in members:
            if not isinstance(value, dict):
                continue
            key = context.find(value, "@value")
            if key is None:
                continue
            if isinstance(value[key], (dict, list)):
                self.add_error("value-object-invalid", at, {"kind": _kind(value[key])}, at="node")
            elif more := [key for key in value if key[:1] != "@" and not isinstance(context.key(key), Term)]:
                self.add_error("value-object-invalid", at, {"more": more[0]}, at="node")

    def _keyword(
        self,
        term: Term,
        key: str,
        value: Any,
        node: Node,
        at: JsonPath,
        context: Context,
        depth: int,
        children: list[_Task],
        around: Context | None = None,
    ) -> None:
        """Read a member that is not a property of the node. `around`: see `_wrapped`."""
        name = term.name
        around = around or context
        if term.kind == "reverse":
            self._reversed(value, node, name, at, around, depth, children)
            return
        if term.spelled is not None and name[:1] == "@":
            self.add_error("jsonld-unknown-keyword", at, {"written": key, "meant": name}, at="key")
        if term.kind == "drop":
            return
        if name == "@type":
            # `@type` may be written under an alias too: both hold.
            node.types += tuple(name for name in self._types(value, node, at, around) if name not in node.types)
        elif name == "@id":
            self._identify(value, node, at, context)
        elif name in ("@graph", "@included"):
            # Contents of a graph are nodes of their own, not values of this one.
            children.append((value, None, at, around, depth + 1))
        elif name == "@reverse" and isinstance(value, dict):
            for prop, subjects in value.items():
                inner = context.key(prop)
                # Keywords cannot be reversed (JSON-LD 1.1, section 4.8).
                if isinstance(inner, Term) and inner.kind != "property":
                    continue
                inverse = inner if isinstance(inner, str) else inner.name
                self._reversed(subjects, node, inverse, (at, prop), around, depth, children)

    def _reversed(
        self, given: Any, node: Node, name: str, path: JsonPath, context: Context, depth: int, children: list[_Task]
    ) -> None:
        """Queue the nodes that have this node as a value."""
        for value, at in values_of(given, path, "", context):
            if isinstance(value, dict):
                child = Node(self.block, None, node, name)
                child.reverse = True
                children.append((value, child, at, context, depth + 1))

    def _types(self, given: Any, node: Node, path: JsonPath, context: Context) -> tuple[str, ...]:
        if type(given) is str:
            name, spelled, _ = context.type(given)
            if spelled is not None:
                note_spelling(node, f"@type:{name}", spelled)
            return (name,) if name else ()
        found: dict[str, None] = {}
        for number, type_ in enumerate(given if isinstance(given, list) else [given]):
            if not isinstance(type_, str):
                at = (path, number) if isinstance(given, list) else path
                self.add_error("jsonld-keyword-value-invalid", at, {"keyword": "@type", "kind": _kind(type_)})
                continue
            name, spelled, _ = context.type(type_)
            if spelled is not None:
                note_spelling(node, f"@type:{name}", spelled)
            if name:
                found[name] = None
        return tuple(found)

    def _identify(self, given: Any, node: Node, path: JsonPath, context: Context) -> None:
        if isinstance(given, str):
            node.id = context.resolve(given.strip(), self.page.base)
            if not given or given.isspace():
                self.unnamed.append((node, path))
        else:
            self.add_error("jsonld-keyword-value-invalid", path, {"keyword": "@id", "kind": _kind(given)})

    def _check_empty_id(self, node: Node, path: JsonPath) -> None:
        """Take the id from a node with an empty one, unless it is the page itself."""
        if node.via == "mainEntityOfPage" or self.schema.vocabulary.are_a(node.types, _PAGES):
            return
        node.id = None
        # A mere reference is reported as the empty value that it is.
        node.reference = False
        if node.props or node.types:
            self.add_error("jsonld-id-empty", path, {})

    def _without_context(self, raw: dict[str, Any], path: JsonPath) -> None:
        """Report a missing context, with the edit that adds it."""
        rule = "jsonld-context-missing"
        if rule in self.reported or "jsonld-context-invalid" in self.reported or not raw:
            return
        self.reported.add(rule)
        # An empty context is replaced; an absent one is added behind the opening brace.
        if "@context" in raw:
            read_error = self.block.read_error(rule, (path, "@context"), {"kind": "empty"})
            read_error.edits = ((read_error.span, '"https://schema.org"'),)
        else:
            read_error = self.block.read_error(rule, path, {"kind": "absent"}, "node")
            after = Span(read_error.span.end, read_error.span.end)
            read_error.edits = ((after, '"@context": "https://schema.org", '),)
        self.read_errors.append(read_error)


def _turn(node: Node) -> None:
    """Add the outer node to a node that was written under a reverse property."""
    assert node.parent is not None
    assert node.via is not None
    node.props.setdefault(node.via, []).append(node.parent)
    node.parent.add_referrer(node, node.via)


def _finish(node: Node, context: Context) -> None:
    """Set `foreign` and `reference` of a node."""
    types = node.types
    if types:
        if ":" in types[0]:
            # One type of schema.org among several is enough for the rules to apply.
            node.foreign = all(":" in name for name in types)
    elif node.props:
        node.foreign = all(":" in name for name in node.props)
    else:
        node.foreign = node.parent.foreign if node.parent is not None else context.vocab != SCHEMA
    if not node.props and node.id is not None:
        # An object with only an identifier points to a node; one with a type at the top is an item without content.
        node.reference = node.parent is not None or not types


_CONTAINER_KEYWORDS = frozenset({"@graph", "@included", "@context", "@id", "@index"})


def _is_only_container(raw: dict[str, Any], context: Context) -> bool:
    """Whether an object only holds a graph."""
    if not (context.find(raw, "@graph") or context.find(raw, "@included")):
        return False
    for key in raw:
        term = context.key(key)
        if isinstance(term, str) or term.name not in _CONTAINER_KEYWORDS:
            return False
    return True


def _is_self_contained(raw: dict[str, Any]) -> bool:
    """Whether an object needs no context: all names are keywords or IRIs."""
    if any(key[:1] != "@" and "://" not in key for key in raw):
        return False
    types = raw.get("@type", ())
    return all(isinstance(type_, str) and "://" in type_ for type_ in (types if isinstance(types, list) else [types]))


def _kind(value: Any) -> str:
    """Kind of a value, in the words of a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"
