"""Markdown of static sites: JSON-LD and elements among the text, and JSON-LD in the front matter.

Nothing is rendered. Code is masked in place, so that offsets stay those of the file; the rest is read as the
HTML it becomes. Of the front matter (YAML, TOML or JSON) the members `schema`, `jsonld`, `structured_data` and
alike are read if they hold JSON, as text or in YAML's flow style.
Source: CommonMark 0.31.2, sections 4.4 to 4.6 and 6.1, read 2026-11-20.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.models.page import Page, ReadError, Span
from waypost.reader import SYNTAXES, Piece, read_page
from waypost.reader.encoding import decode
from waypost.registry.vocabulary import Vocabulary

KEYS = frozenset({"schema", "jsonld", "ldjson", "structureddata", "schemaorg", "schemajson", "schemajsonld"})
"""Members of the front matter that hold structured data, without - and _, in lower case."""

# Any indentation and `>`: in lists and quotations fences stand behind the marks of the block around them.
_FENCE = re.compile(rb"[ \t>]*(`{3,}|~{3,})([^\r\n]*)")
# Beginnings of HTML blocks (CommonMark 4.6): their text is HTML up to the end that each type has.
_VERBATIM = re.compile(rb" {0,3}<(script|pre|style|textarea)(?=[\s>]|\Z)", re.IGNORECASE)
_VERBATIM_END = re.compile(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_ELEMENT = re.compile(rb" {0,3}</?[a-z][a-z0-9-]*(?=[\s/>]|\Z)", re.IGNORECASE)
_ITEM = re.compile(rb" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|\Z)")
# Backticks close where as many follow; an escaped `<` begins no tag (CommonMark 6.1 and 2.4).
_SPAN = re.compile(rb"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\\<")
_YAML = re.compile(r"([\"']?)([\w-]+)\1[ \t]*:(?=\s)[ \t]*", re.ASCII)
_TOML = re.compile(r"([\"']?)([\w-]+)\1[ \t]*=[ \t]*", re.ASCII)
_TOML_TABLE = re.compile(r"\[{1,2}([\w-]+)[\].]", re.ASCII)
_TYPED = re.compile(r"@(?:type|context|graph)\b")
_MOST_FRONT_MATTER = 1 << 20


class FrontMatterJson(NamedTuple):
    """Piece of JSON in the front matter, as offsets in its text; without JSON, the offsets of the key."""

    key: str
    start: int
    end: int
    is_json: bool


def read_markdown(
    data: bytes,
    vocabulary: Vocabulary,
    *,
    path: str = "-",
    url: str | None = None,
    syntaxes: Iterable[str] = SYNTAXES,
    pieces: Iterable[Piece] = (),
) -> Page:
    """Nodes of a file of Markdown. Never raises on a page. `pieces`: JSON-LD in its code."""
    front, body = front_matter(data)
    # Places in the front matter are offsets in the text of the file, which has no byte-order mark and LF newlines.
    start = decode(data, encoding="utf-8").offset(front[0]) if front else 0
    text = _text(data[front[0] : front[1]]) if front else ""
    found = list(_front_matter_json(text)) if front and len(text) <= _MOST_FRONT_MATTER else []
    further = [Piece(start + piece.start, text[piece.start : piece.end]) for piece in found if piece.is_json]
    further += pieces
    page = read_page(
        masked(data, body), vocabulary, path=path, url=url, encoding="utf-8", syntaxes=syntaxes, further=further
    )
    page.is_html = False
    for piece in found:
        if not piece.is_json:
            span = Span(start + piece.start, start + piece.end)
            page.read_errors.append(ReadError("front-matter-not-read", span, detail={"key": piece.key}))
    page.read_errors.sort(key=lambda read_error: read_error.span)
    return page


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def front_matter(data: bytes) -> tuple[tuple[int, int] | None, int]:
    """((start, end) of the front matter with its fences, start of the text after it), in bytes."""
    skip = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for fence, ends in ((b"---", rb"(?m)^(?:---|\.\.\.)[ \t]*\r?$"), (b"+++", rb"(?m)^\+\+\+[ \t]*\r?$")):
        # A fence is a line of its own; a hundred bytes hold any white space behind it.
        if re.match(re.escape(fence) + rb"[ \t]*\r?\n", data[skip : skip + 100]):
            end = re.compile(ends).search(data, data.index(b"\n", skip) + 1)
            return ((skip, end.end()), end.end()) if end else (None, skip)
    if data[skip : skip + 1] == b"{":
        try:
            length = json.JSONDecoder().raw_decode(data[skip : skip + _MOST_FRONT_MATTER].decode("utf-8", "replace"))[1]
        except (ValueError, RecursionError):
            return None, skip
        # `raw_decode` counts characters; offsets in the file are bytes.
        end_ = skip + len(data[skip:].decode("utf-8", "replace")[:length].encode())
        return (skip, end_), end_
    return None, skip


def _front_matter_json(text: str) -> Iterator[FrontMatterJson]:
    """The structured data of a front matter."""
    if text.startswith("{"):
        yield from _json_members(text)
        return
    at = text.index("\n") + 1
    member, is_toml = (_TOML, True) if text.startswith("+") else (_YAML, False)
    while 0 < at < len(text):
        match = member.match(text, at) or (_TOML_TABLE.match(text, at) if is_toml else None)
        following = text.find("\n", at) + 1
        if match is not None and _is_ours(key := match[match.lastindex or 1]):
            end = _block_end(text, following, is_toml=is_toml, table=match.re is _TOML_TABLE)
            piece = None
            if match.re is not _TOML_TABLE:
                piece = _toml(text, match.end()) if is_toml else _yaml(text, match.end(), end)
            if piece is not None:
                yield FrontMatterJson(key, *piece, is_json=True)
                # Behind the JSON, whose own lines may look like members.
                following = text.find("\n", piece[1]) + 1
            elif _TYPED.search(text, at, end):
                yield FrontMatterJson(key, at, at + len(match[0].rstrip(" \t:=")), is_json=False)
                following = end
        at = following


def _is_ours(key: str) -> bool:
    return key.replace("-", "").replace("_", "").lower() in KEYS


def _block_end(text: str, at: int, *, is_toml: bool, table: bool) -> int:
    """End of a member's lines: the next line without indentation; in TOML, the next table."""
    while 0 < at < len(text):
        line = text[at : text.find("\n", at) + 1 or len(text)]
        if is_toml and table and (line.startswith(("[", "+++")) and not _is_ours(line.strip("[] \n").split(".")[0])):
            return at
        if not is_toml and line.strip() and line[0] not in " \t}]":
            return at
        if is_toml and not table and _TOML.match(line):
            return at
        at += len(line)
    return len(text)


def _yaml(text: str, at: int, end: int) -> tuple[int, int] | None:
    """JSON as a block of text (`|`), as YAML's flow style, or in single quotes."""
    line_end = text.find("\n", at, end)
    line_end = end if line_end < 0 else line_end
    value = text[at:line_end].strip()
    if re.fullmatch(r"[|>][+-]?\d?[+-]?(?:\s+#.*)?", value):
        return _as_json(text, line_end + 1, end)
    if value[:1] in {"{", "["}:
        return _as_json(text, at, end)
    # Two single quotes stand for one in YAML: the JSON inside would have other offsets than the file.
    if value[:1] == "'" and value.endswith("'") and len(value) > 2 and "''" not in value[1:-1]:
        return _as_json(text, text.index("'", at) + 1, text.rindex("'", at, line_end))
    return None


def _toml(text: str, at: int) -> tuple[int, int] | None:
    """JSON in a string of TOML without escapes."""
    for quotes in ("'''", '"""', "'"):
        if text.startswith(quotes, at):
            start = at + len(quotes)
            close = text.find(quotes, start)
            # Basic strings have escapes, which would move the offsets; literal strings have none.
            if close < 0 or (quotes == '"""' and "\\" in text[start:close]):
                return None
            return _as_json(text, start, close)
    return None


def _as_json(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Span without white space around, if the piece starts like JSON-LD. Errors inside are for the reader to find."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if text[start : start + 1] in {"{", "["} and _is_json(text[start:end]) else None


def _is_json(text: str) -> bool:
    """Whether a piece is JSON, or near enough to have quoted keys: YAML's own style is not reported as broken JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return re.match(r"[\[{\s]*\"@\w+\"\s*:", text) is not None
    return True


def _json_members(text: str) -> Iterator[FrontMatterJson]:
    """The members of front matter in JSON."""
    decoder, at = json.JSONDecoder(), 1
    space = re.compile(r"[\s,]*")
    try:
        while text[at := space.match(text, at).end()] != "}":  # type: ignore[union-attr]
            start = at
            key, at = decoder.raw_decode(text, at)
            at = re.compile(r"\s*:\s*").match(text, at).end()  # type: ignore[union-attr]
            value, end = decoder.raw_decode(text, at)
            if isinstance(key, str) and _is_ours(key):
                if isinstance(value, dict | list):
                    yield FrontMatterJson(key, at, end, is_json=True)
                elif isinstance(value, str) and _TYPED.search(value):
                    yield FrontMatterJson(key, start, start + len(key) + 2, is_json=False)
            at = end
    # Broken front matter is a matter for the site generator; nothing in it is known to be ours.
    except (ValueError, IndexError, AttributeError, RecursionError):
        return


def masked(data: bytes, body: int) -> bytes:
    """Bytes of the file with a space for every `<` in front matter and code: offsets stay the same."""
    out = bytearray(_hidden(data[:body]))
    fence = b""
    until: re.Pattern[bytes] | None = None
    in_list, was_blank = False, True
    for line in data[body:].splitlines(keepends=True):
        is_blank = not line.strip()
        if until is not None:
            out += line
            if until.search(line):
                until = None
        elif fence:
            out += _hidden(line)
            close = _FENCE.match(line)
            # A closing fence is at least as long as the opening one and has no info string (CommonMark 4.5).
            if close and close[1].startswith(fence) and not close[2].strip():
                fence = b""
        elif opening := _FENCE.match(line):
            fence = opening[1]
            out += _hidden(line)
        elif (until := _until(line)) is not None:
            out += line
            first = _VERBATIM.match(line) or re.match(rb" {0,3}<!--", line)
            if until.search(line, first.end() if first else 0):
                until = None
        # Indented code cannot interrupt a paragraph (CommonMark 4.4); inside a list the indentation is the item's.
        elif line[:1] == b"\t" or line[:4] == b"    ":
            out += _hidden(line) if was_blank and not in_list else _without_code(line)
            is_blank = is_blank or (was_blank and not in_list)  # code goes on
        else:
            in_list = bool(_ITEM.match(line)) or (in_list and (is_blank or line[:1] == b" "))
            out += _without_code(line)
        was_blank = is_blank
    return bytes(out)


def _until(line: bytes) -> re.Pattern[bytes] | None:
    """Pattern for the end of the block of HTML that a line starts; None for any other line."""
    if _VERBATIM.match(line):
        return _VERBATIM_END
    if re.match(rb" {0,3}<!--", line):
        return _COMMENT_END
    return _BLANK if _ELEMENT.match(line) else None


_COMMENT_END = re.compile(rb"-->")
_BLANK = re.compile(rb"\A[ \t]*\r?\n?\Z")


def _hidden(data: bytes) -> bytes:
    return data.replace(b"<", b" ")


def _without_code(line: bytes) -> bytes:
    return _SPAN.sub(lambda code: _hidden(code[0]), line) if b"<" in line else line
