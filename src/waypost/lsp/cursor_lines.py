"""Cursors in JSON-LD of lines and words: mappings of YAML, tables of TOML, `dict` in templates of Hugo."""

from __future__ import annotations

import re

from waypost.lsp.cursor import TOML, Container, Cursor, find_cursor

_KEY = re.compile(
    r"""(?P<key>"[^"\n]*"?|'[^'\n]*'?|[^\s"'\[\]{}:#,&*!|>%@`-][^:#\n]*?)"""
    r"""(?P<colon>[ \t]*:(?=\s|\Z)[ \t]*)?(?P<value>.*)\Z"""
)
_SCALAR = re.compile(r"""(?P<quote>["']?)(?P<text>[^"'#\n]*)""")
_HEADER = re.compile(r"[ \t]*(\[\[?)([^\]\n]*)")
_WORD_OF_DICT = re.compile(r"""\{\{-?|-?\}\}|"(?:[^"\\\n]|\\.)*"?|`[^`]*`?|[()|]|/\*.*?\*/|[^\s()|"`{}]+""", re.DOTALL)


def in_yaml(text: str, offset: int) -> Cursor | None:
    """Cursor in mappings of YAML. `text`: a file, blank outside of YAML."""
    stack: list[tuple[int, Container]] = [(-1, Container("["))]
    found: Cursor | None = None
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        is_here = start <= offset <= start + len(line)
        if not is_here and (not line.strip() or line.lstrip().startswith("#") or line.startswith("---")):
            continue
        known = {id(container) for _, container in stack}
        cursor = _yaml_line(line, start, offset if is_here else -1, stack)
        found = found or cursor
        is_left = found is not None and all(container is not found.around for _, container in stack)
        if found is not None and start > offset and id(found.around) in known and is_left:
            break
    return found


def _yaml_line(line: str, start: int, offset: int, stack: list[tuple[int, Container]]) -> Cursor | None:
    """Read a line into the stack of (column, mapping). Returns the cursor of the line, if any."""
    body = line.lstrip(" ")
    column = len(line) - len(body)
    if offset >= 0 and not body:
        column = offset - start
    while body == "-" or body.startswith("- "):
        _pop(stack, column)
        parent = stack[-1][1]
        inner = body[1:].lstrip(" ")
        column += len(body) - len(inner)
        body = inner
        # The entry of a list is a mapping of its own, or a value of its owner.
        if body == "" or _is_mapping(body):
            stack.append((column, parent.inner("{")))
        else:
            return _yaml_value(body, start + column, offset, parent)
    _pop(stack, column)
    if stack[-1][0] < column:
        stack.append((column, stack[-1][1].inner("{")))
    here = stack[-1][1]
    read = _KEY.match(body)
    if read is None or not read["colon"]:
        if 0 <= offset - start - column <= len(body.rstrip()):
            quoted = body[:1] in {'"', "'"}
            end = start + column + len(body.rstrip().rstrip("\"'")) if quoted else start + column + len(body.rstrip())
            return Cursor(start + column + quoted, max(end, start + column + quoted), here, True, "" if quoted else '"')
        return None
    key = read["key"].strip("\"'")
    low = start + column + read.start("key")
    if low <= offset <= low + len(read["key"]):
        quoted = read["key"][:1] in {'"', "'"}
        here.key = key
        return Cursor(low + quoted, low + quoted + len(key), here, True, "" if quoted else '"')
    here.add(key)
    return _yaml_value(read["value"], start + column + read.start("value"), offset, here)


def _is_mapping(body: str) -> bool:
    read = _KEY.match(body)
    return read is not None and bool(read["colon"])


def _yaml_value(written: str, at: int, offset: int, owner: Container) -> Cursor | None:
    value = _SCALAR.match(written)
    assert value is not None
    text = value["text"].rstrip()
    low = at + value.start("text")
    if low <= offset <= low + len(text):
        return Cursor(low, low + len(text), owner, False)
    if text:
        owner.add_value(text)
    return None


def _pop(stack: list[tuple[int, Container]], column: int) -> None:
    """Leave the mappings right of a column."""
    while len(stack) > 1 and stack[-1][0] > column:
        stack.pop()


def in_toml(text: str, offset: int) -> Cursor | None:
    """Cursor in tables of TOML. `text`: a file, blank outside of TOML."""
    tables: dict[tuple[str, ...], Container] = {(): Container("{")}
    headers = list(re.finditer(r"(?m)^[ \t]*\[\[?[^\]\n]*", text))
    sections = [(0, ())]
    for found in headers:
        header = _HEADER.match(found[0])
        assert header is not None
        path = tuple(re.findall(r"""[^\s."']+""", header[2]))
        sections.append((found.end(), path))
    cursor: Cursor | None = None
    for number, (start, path) in enumerate(sections):
        end = headers[number].start() if number < len(headers) else len(text)
        table = _table(tables, path, is_new=number > 0 and headers[number - 1][0].lstrip().startswith("[["))
        for low, high in _statements(text, start, end):
            inside = low <= offset <= high
            read = find_cursor(text, offset if inside else -1, TOML, low, high, table)
            cursor = cursor or (read if inside else None)
    return cursor


def _statements(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Ranges of the lines of a table; lines inside of brackets stay together."""
    ranges: list[tuple[int, int]] = []
    depth, low = 0, start
    for found in re.finditer(r"""\n|\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\[\]{}]|\Z""", text[start:end]):
        sign = found[0]
        depth += (sign in {"[", "{"}) - (sign in {"]", "}"})
        if sign in {"\n", ""} and depth <= 0:
            ranges.append((low, start + found.start()))
            low, depth = start + found.end(), 0
    return ranges


def _table(tables: dict[tuple[str, ...], Container], path: tuple[str, ...], *, is_new: bool) -> Container:
    for length in range(1, len(path) + 1):
        part = path[:length]
        if part not in tables or (is_new and length == len(path)):
            parent = tables[path[: length - 1]]
            parent.names.add(part[-1])
            made = Container("{", parent, part[-1])
            tables[part] = made
    return tables[path]


def in_dicts(text: str, offset: int, low: int, high: int) -> Cursor | None:
    """Cursor in `dict` of a template of Hugo: names and values in turn, `(dict ...)` and `(slice ...)` inside."""
    stack = [_Frame(Container("["))]
    found: Cursor | None = None
    for token in _WORD_OF_DICT.finditer(text, low, high):
        word, here = token[0], stack[-1]
        if word in {"{{", "{{-"} or word.startswith("/*"):
            continue
        if word in {"(", ")", "|", "}}", "-}}"}:
            _turn(word, stack)
        elif word in {"dict", "slice"} and not here.kind:
            here.begin(word)
        elif word[0] in '"`':
            content = word[1 : -1 if len(word) > 1 and word[-1] == word[0] else None]
            start = token.start() + 1
            if found is None and start <= offset <= start + len(content) and here.kind:
                found = Cursor(start, start + len(content), here.container, here.is_key)
                here.pass_over(content)
            else:
                here.take(content)
        else:
            here.take(None)
        if found is not None and all(frame.container is not found.around for frame in stack):
            break
    return found


class _Frame:
    """Brackets of an action: a `dict`, a `slice` or another call."""

    def __init__(self, container: Container) -> None:
        self.container = container
        self.kind = ""
        self.is_key = False

    def begin(self, word: str) -> None:
        self.kind = word
        self.container.opening = "{" if word == "dict" else "["
        self.is_key = word == "dict"

    def take(self, text: str | None) -> None:
        """Read an argument; None for a computed argument."""
        if self.kind == "dict" and self.is_key and text is not None:
            self.container.add(text)
        elif self.kind and text is not None:
            self.container.add_value(text)
        self._turn()

    def pass_over(self, text: str) -> None:
        if self.is_key:
            self.container.key = text
        self._turn()

    def _turn(self) -> None:
        self.is_key = self.kind == "dict" and not self.is_key


def _turn(sign: str, stack: list[_Frame]) -> None:
    """Open or close brackets; a pipe or the end of the action ends a call without brackets."""
    if sign == "(":
        stack.append(_Frame(stack[-1].container.inner("(")))
    elif sign == ")" and len(stack) > 1:
        stack.pop()
        stack[-1].take(None)
    elif sign in {"}}", "-}}"} or (sign == "|" and len(stack) == 1):
        stack[:] = [_Frame(Container("["))]
