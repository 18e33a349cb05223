"""JSON-LD in code: literals of JavaScript, TypeScript, PHP and YAML as JSON, each token with its place in the file.

An object is JSON-LD where it has a member "@context", "@type" or "@graph". Expressions, calls, conditions and spreads
are unknown: a value becomes a string of underscores, and an object with a spread is open for further members.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from waypost.errors import MissingExtra
from waypost.reader.literals import javascript_text, number, php_text, yaml_scalar
from waypost.reader.templates import Place

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_DEPTH: Final = 100
MOST_OBJECTS: Final = 2_000
_MINIFIED, _LONGEST_MEAN = 5_000, 500
UNKNOWN: Final = "__"
KEYWORDS: Final = frozenset({"@context", "@type", "@graph"})
_MARKED = re.compile(rb"""["'`\s{,]@(?:context|type|graph)\b|^@(?:context|type|graph)\b""", re.MULTILINE)
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{.*?\}", re.DOTALL)
_COMPLETE = re.compile(rb"[}\]]\s*(?:\Z|</script)", re.IGNORECASE)
# Functions that write their argument as it is, or nearly so.
_WRITING = re.compile(
    r"stringify|json_?encode|serial|json_?ld|schema|head|safe|sanit|escape|push|set|use[A-Z]|freeze|unshift|script",
    re.IGNORECASE,
)
# Uses of a variable of PHP that leave its members alone.
_READING = frozenset(
    {"json_encode", "wp_json_encode", "empty", "isset", "is_array", "count", "print_r", "var_export", "sizeof"}
)


class Token(NamedTuple):
    """Token of the JSON: range in its text, and range of bytes in the file."""

    start: int
    end: int
    source_start: int
    source_end: int


class CodeObject(NamedTuple):
    """Object of a file as JSON.

    places   computed parts, sorted and disjoint.
    open_at  offsets in the file of objects and lists that may get further members.
    whole    with a context: complete, where nothing else says otherwise.
    """

    text: str
    tokens: tuple[Token, ...]
    places: tuple[Place, ...]
    open_at: frozenset[int]
    whole: bool


class TextInCode(NamedTuple):
    """JSON or HTML inside a string of the code: byte range of its content, computed parts inside."""

    start: int
    end: int
    places: tuple[Place, ...]


class Syntax(NamedTuple):
    """Kinds of nodes of a grammar.

    objects, lists  containers; in PHP one kind is both.
    pairs           members; `spreads`: parts that may bring further ones, `shorthands`: members whose value is a name.
    strings         literals with the function that reads them; `templates`: strings that may hold expressions.
    wrappers        expressions around their first child, as `x as const`.
    """

    objects: frozenset[str]
    lists: frozenset[str]
    pairs: frozenset[str]
    spreads: frozenset[str]
    shorthands: frozenset[str]
    strings: frozenset[str]
    templates: frozenset[str]
    substitutions: frozenset[str]
    numbers: frozenset[str]
    constants: frozenset[str]
    wrappers: frozenset[str]
    read: Callable[[str, str], str | None]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT = Syntax(
    _set("object"), _set("array"), _set("pair"), _set("spread_element"),
    _set("shorthand_property_identifier method_definition"), _set("string"), _set("template_string"),
    _set("template_substitution"), _set("number unary_expression"), _set("true false null"),
    _set("satisfies_expression as_expression parenthesized_expression non_null_expression type_assertion"),
    javascript_text,
)  # fmt: skip
_PHP = Syntax(
    _set("array_creation_expression"), _set("array_creation_expression"), _set("array_element_initializer"),
    _set("variadic_unpacking"), _set(""), _set("string"), _set("encapsed_string heredoc nowdoc"),
    _set("variable_name dynamic_variable_name member_access_expression subscript_expression"),
    _set("integer float unary_op_expression"), _set("boolean null"), _set("parenthesized_expression cast_expression"),
    php_text,
)  # fmt: skip
_YAML = Syntax(
    _set("block_mapping flow_mapping"), _set("block_sequence flow_sequence"), _set("block_mapping_pair flow_pair"),
    _set("alias"), _set(""), _set("single_quote_scalar double_quote_scalar block_scalar plain_scalar"), _set(""),
    _set(""), _set(""), _set(""), _set("block_node flow_node block_sequence_item"), yaml_scalar,
)  # fmt: skip

# Language of the table of sources -> (module, function of the grammar, kinds of nodes).
_GRAMMARS: Final = {
    "typescript": ("tree_sitter_typescript", "language_typescript", _SCRIPT),
    "tsx": ("tree_sitter_typescript", "language_tsx", _SCRIPT),
    "php": ("tree_sitter_php", "language_php", _PHP),
    "php-only": ("tree_sitter_php", "language_php_only", _PHP),
    "yaml": ("tree_sitter_yaml", "language", _YAML),
}


def may_hold_objects(code: bytes) -> bool:
    """Fast test whether code may hold JSON-LD."""
    return b"@" in code and _MARKED.search(code) is not None


def is_minified(code: bytes) -> bool:
    """Whether code is written by a bundler, not by people: its lines are long."""
    return len(code) > _MINIFIED and code.count(b"\n") < len(code) // _LONGEST_MEAN


@cache
def parser_of(grammar: str) -> Parser:
    """Parser of a grammar. Raises MissingExtra without it."""
    from importlib import import_module

    module, function, _ = _GRAMMARS[grammar]
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(module), function)()))
    except ImportError:
        raise MissingExtra(module.replace("_", "-"), "sources", "to read JSON-LD in code") from None


class Beyond(NamedTuple):
    """First JSON-LD of a file behind the limit: byte range."""

    start: int
    end: int


def objects_in(code: bytes, grammar: str) -> Iterator[CodeObject | TextInCode | Beyond]:
    """JSON-LD in code, in document order. Raises MissingExtra where the grammar is not installed."""
    if not may_hold_objects(code):
        return
    tree = parser_of(grammar).parse(code)
    walk = _Walk(code, _GRAMMARS[grammar][2], is_php=grammar.startswith("php"))
    waiting = [tree.root_node]
    count = 0
    while waiting:
        node = waiting.pop()
        if count >= MOST_OBJECTS:
            is_further = node.type in walk.syntax.objects and walk.is_linked_data(node)
            if is_further or (node.type in walk.syntax.strings | walk.syntax.templates and walk.text_in(node)):
                yield Beyond(node.start_byte, node.start_byte + 1)
                return
        elif node.type in walk.syntax.objects and walk.is_linked_data(node):
            writer = _Writer(walk)
            writer.write_root(node)
            yield writer.result()
            count += 1
            waiting.extend(reversed(writer.unread))
            continue
        if node.type in walk.syntax.strings | walk.syntax.templates and (found := walk.text_in(node)):
            yield found
            count += 1
        waiting.extend(reversed(node.children))


class _Walk:
    """Tree of a file: texts of nodes, keys of members, uses of names."""

    def __init__(self, code: bytes, syntax: Syntax, *, is_php: bool) -> None:
        self.code = code
        self.syntax = syntax
        self.is_php = is_php

    def text(self, node: Node) -> str:
        return self.code[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def members(self, node: Node) -> Iterator[tuple[Node | None, Node | None]]:
        """(key, value) of an object; no key for a spread or a computed name, no value for a shorthand."""
        for child in node.named_children:
            if child.type in self.syntax.pairs:
                yield self._pair(child)
            elif child.type in self.syntax.shorthands:
                yield child.child_by_field_name("name") or child, None
            elif (child.type == "flow_node" and child.named_children) or child.type != "comment":  # `{a, b: 1}` of YAML
                yield None, child

    def _pair(self, pair: Node) -> tuple[Node | None, Node | None]:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if not self.is_php:
            if key is not None and key.type == "computed_property_name":
                inner = key.named_children[0] if key.named_children else None
                return (inner, value) if inner is not None and inner.type == "string" else (None, value)
            return (self.unwrapped(key) if key is not None else None), value
        parts = [child for child in pair.named_children if child.type != "comment"]
        if len(parts) == 2:
            return parts[0], parts[1]
        return None, parts[0] if parts else None

    def key_text(self, key: Node | None) -> str | None:
        if key is None:
            return None
        if key.type in self.syntax.strings | self.syntax.templates:
            return self.literal(key)
        if self.is_php:
            return None
        text = self.text(key)
        return text if re.fullmatch(r"[\w$@:/.#-]+", text) else None

    def is_linked_data(self, node: Node) -> bool:
        """Whether an object has a keyword of JSON-LD. An object as type is a member of a JSON Schema."""
        members = [(self.key_text(key), value) for key, value in self.members(node)]
        return any(key in KEYWORDS for key, _ in members) and not any(
            key == "@type" and value is not None and self._is_object(self.unwrapped(value)) for key, value in members
        )

    def _is_object(self, node: Node) -> bool:
        is_list = node.type in self.syntax.lists
        return node.type in self.syntax.objects and (
            not is_list or any(key is not None for key, _ in self.members(node))
        )

    def unwrapped(self, node: Node) -> Node:
        for _ in range(MOST_DEPTH):
            inner = [child for child in node.named_children if child.type not in {"comment", "anchor", "tag"}]
            if node.type not in self.syntax.wrappers or not inner:
                break
            node = inner[-1] if node.type in {"type_assertion", "cast_expression"} else inner[0]
        return node

    def literal(self, node: Node) -> str | None:
        """Text of a string without expressions; None for another one."""
        if any(child.type in self.syntax.substitutions for child in node.named_children):
            return None
        if node.type in {"heredoc", "nowdoc"}:
            body = next((child for child in node.named_children if child.type.endswith("_body")), None)
            if body is None or any(c.type in self.syntax.substitutions for c in body.named_children):
                return None
            return self.text(body)
        return self.syntax.read(self.text(node), node.type)

    def text_in(self, node: Node) -> TextInCode | None:
        """JSON or scripts of JSON-LD inside a string; None for another string, one with escapes, and a part of one."""
        code = self.code[node.start_byte : node.end_byte]
        if b"@" not in code or b"\\" in code or not re.search(rb'"@(?:context|type|graph)"', code):
            return None
        if self._is_snapshot(node):
            return None
        content = [child for child in node.named_children if child.type.endswith("_body")] or [node]
        margin = 0 if content[0] is not node else 1
        start, end = content[0].start_byte + margin, content[0].end_byte - margin
        if not re.match(rb'\s*[\[{]\s*[{"]', self.code[start:end]) and b"ld+json" not in code:
            return None
        if not _COMPLETE.search(self.code[start:end]):
            return None  # the beginning of a text, to which the code appends what is unknown
        substitutions = (child for child in content[0].named_children if child.type in self.syntax.substitutions)
        return TextInCode(start, end, tuple(Place(child.start_byte, child.end_byte) for child in substitutions))

    def _is_snapshot(self, node: Node) -> bool:
        """Whether a string is the snapshot of a test: a print of objects, with commas after the last members."""
        call = node.parent.parent if node.parent is not None and node.parent.type == "arguments" else None
        function = call.child_by_field_name("function") if call is not None else None
        return function is not None and self.text(function).endswith("Snapshot")

    def is_changed(self, node: Node) -> bool:
        """Whether further members may come in where the object is used: by its variable or by a call."""
        around = node.parent
        while around is not None and (around.type in self.syntax.wrappers or around.type == "argument"):
            node, around = around, around.parent
        if around is None:
            return False
        if around.type == "arguments":
            call = around.parent
            function = call.child_by_field_name("function") if call is not None else None
            return function is not None and not _WRITING.search(self.text(function))
        name = None
        if around.type == "variable_declarator":
            name = around.child_by_field_name("name")
        elif around.type == "assignment_expression":
            name = around.child_by_field_name("left")
        elif around.type == "binary_expression":
            return True
        return name is not None and self._is_variable_changed(self.text(name))

    def _is_variable_changed(self, name: str) -> bool:
        text = self.code.decode("utf-8", "replace")
        word = re.escape(name)
        if self.is_php:
            calls = re.findall(rf"(\w+)\s*\((?:[^()]|\([^()]*\))*?{word}\b", text)
            changes = rf"{word}\s*(?:\[|\+=)|\.\.\.\s*{word}\b|\+\s*{word}\b|{word}\s*\+|&\s*{word}\b"
            return any(call.lower() not in _READING for call in calls) or re.search(changes, text) is not None
        changes = rf"(?<![\w$.]){word}\s*(?:\?\.|\.|\[)|\.\.\.\s*{word}\b|(?:assign|merge\w*|extend)\(\s*{word}\b"
        return re.search(changes, text) is not None


class _Writer:
    """Writer of an object as JSON. `unread`: parts of the tree that it did not look into."""

    def __init__(self, walk: _Walk) -> None:
        self.walk = walk
        self.syntax = walk.syntax
        self.parts: list[str] = []
        self.length = 0
        self.tokens: list[Token] = []
        self.places: list[Place] = []
        self.open_at: set[int] = set()
        self.unread: list[Node] = []
        self.whole = False
        self.is_changed = False
        self.scope = 0

    def result(self) -> CodeObject:
        return CodeObject(
            "".join(self.parts), tuple(self.tokens), tuple(sorted(self.places)), frozenset(self.open_at), self.whole
        )

    def write_root(self, node: Node) -> None:
        keys = {self.walk.key_text(key) for key, _ in self.walk.members(node)}
        self.whole = "@context" in keys
        self.is_changed = self.walk.is_changed(node)
        self.scope = node.start_byte
        if not self.whole or self.is_changed:
            self.open_at.add(node.start_byte)
        self.write(node, 0)

    def put(self, text: str, start: int, end: int) -> None:
        self.tokens.append(Token(self.length, self.length + len(text), start, end))
        self.parts.append(text)
        self.length += len(text)

    def put_unknown(self, node: Node) -> None:
        """Write a computed value; what stands inside is looked at on its own."""
        self.put(f'"{UNKNOWN}"', node.start_byte, node.end_byte)
        self.places.append(Place(node.start_byte, node.end_byte))
        self.unread.append(node)

    def _write_id(self, node: Node, depth: int) -> None:
        """Write an id: equal expressions inside one root are one id, different expressions different ids."""
        node = self.walk.unwrapped(node)
        before = len(self.places)
        self.write(node, depth)
        if len(self.places) > before and self.tokens[-1].source_start == node.start_byte:
            words = f"{self.scope} {' '.join(self.walk.text(node).split())}"
            self.parts[-1] = f'"{UNKNOWN}{sha256(words.encode()).hexdigest()[:12]}"'
            last = self.tokens[-1]
            self.length = last.start + len(self.parts[-1])
            self.tokens[-1] = last._replace(end=self.length)

    def write(self, node: Node, depth: int) -> None:
        """Write the value of an expression."""
        node = self.walk.unwrapped(node)
        kind, syntax = node.type, self.syntax
        if depth > MOST_DEPTH or (self.is_changed and self._is_filled_later(node)):
            self.put_unknown(node)
        elif kind in syntax.objects and (kind not in syntax.lists or self._has_keys(node)):
            self._write_object(node, depth)
        elif kind in syntax.lists:
            self._write_list(node, depth)
        elif kind in syntax.strings | syntax.templates:
            self._write_string(node)
        elif kind in syntax.numbers and (literal := number(self.walk.text(node))) is not None:
            self.put(literal, node.start_byte, node.end_byte)
        elif kind in syntax.constants:
            self.put(self.walk.text(node).lower(), node.start_byte, node.end_byte)
        else:
            self.put_unknown(node)

    def _is_filled_later(self, node: Node) -> bool:
        """Whether a value is an empty list or object, for the code below to fill: `image: []`."""
        is_empty = node.type in self.syntax.lists | self.syntax.objects and self.syntax is not _YAML
        return is_empty and not any(child.type != "comment" for child in node.named_children)

    def _has_keys(self, node: Node) -> bool:
        """Whether an array of PHP has keys."""
        return any(key is not None for key, _ in self.walk.members(node))

    def _write_object(self, node: Node, depth: int) -> None:
        start = node.start_byte
        self.put("{", start, start + (self.walk.code[start : start + 5] == b"array") * 5 + 1)
        separator = ""
        for key, value in self.walk.members(node):
            name = self.walk.key_text(key)
            if key is None or name is None or name == "<<":
                self.open_at.add(start)
                self.unread.extend(each for each in (key, value) if each is not None)
                self.places.extend(Place(each.start_byte, each.end_byte) for each in (value,) if each is not None)
                continue
            if separator:
                self.put(separator, key.start_byte, key.start_byte)
            self.put(json.dumps(name, ensure_ascii=False), key.start_byte, key.end_byte)
            self.put(":", key.end_byte, key.end_byte)
            if value is not None and name == "@id":
                self._write_id(value, depth + 1)
            elif value is not None:
                self.write(value, depth + 1)
            elif self.walk.syntax is _YAML:
                self.put("null", key.start_byte, key.end_byte)
            else:
                # `{name}` is the name of a member and of a variable.
                self.put(f'"{UNKNOWN}"', key.end_byte, key.end_byte)
                self.places.append(Place(key.end_byte, key.end_byte))
            separator = ","
        self.put("}", node.end_byte - 1, node.end_byte)

    def _write_list(self, node: Node, depth: int) -> None:
        self.put("[", node.start_byte, node.start_byte + 1)
        separator = ""
        for child in node.named_children:
            if child.type == "comment":
                continue
            element: Node | None = child
            if child.type in self.syntax.pairs:
                element = self.walk._pair(child)[1]  # noqa: SLF001 - the same module
            if element is None:
                continue
            if separator:
                self.put(separator, child.start_byte, child.start_byte)
            if element.type in self.syntax.spreads:
                self.open_at.add(node.start_byte)
                self.put_unknown(element)
            else:
                self.write(element, depth + 1)
            separator = ","
        self.put("]", node.end_byte - 1, node.end_byte)

    def _write_string(self, node: Node) -> None:
        text = self.walk.literal(node)
        if text is None or _TEMPLATE.search(text):
            self.put_unknown(node)
        elif self.syntax is _YAML and (literal := number(text)) and node.type == "plain_scalar":
            self.put(literal, node.start_byte, node.end_byte)
        elif (
            self.syntax is _YAML and node.type == "plain_scalar" and text.lower() in {"true", "false", "null", "~", ""}
        ):
            self.put("null" if text in {"~", ""} else text.lower(), node.start_byte, node.end_byte)
        else:
            self.put(json.dumps(text, ensure_ascii=False), node.start_byte, node.end_byte)
