"""Brackets of code: the end of an expression that begins with a bracket, past strings, comments and templates."""

from __future__ import annotations

import re

from waypost.models.page import Span

_SIGN = re.compile(rb"""["'`/\\()\[\]{}]""")
_PAIRS = {ord("("): ord(")"), ord("["): ord("]"), ord("{"): ord("}")}
_MOST = 400_000
_DEEPEST = 40
"""Templates inside expressions of templates."""


def closing_bracket(data: bytes, at: int, most: int = _MOST, depth: int = 0) -> int:
    """Offset behind the bracket that closes the one at `at`; the end of the data where none does."""
    stack = [_PAIRS[data[at]]]
    position, end = at + 1, min(len(data), at + most)
    while found := _SIGN.search(data, position, end):
        sign, position = data[found.start()], found.end()
        if sign in b"\"'":
            position = _after_string(data, found.start(), end)
        elif sign == ord("`"):
            position = _after_template(data, found.start(), end, depth)
        elif sign == ord("/"):
            position = _after_comment(data, found.start(), end)
        elif sign in _PAIRS:
            stack.append(_PAIRS[sign])
        elif sign == stack[-1]:
            stack.pop()
            if not stack:
                return position
    return end


def extent_in_code(text: str, at: int) -> Span | None:
    """Member, object or line that follows an offset of code: up to the bracket that closes it; None at the end.

    Lines of YAML have no brackets: the lines below that are further to the right belong to the first.
    """
    following = re.compile(r"[\s}]*(?=[^\s}])").match(text, at)
    if following is None:
        return None
    start = following.end()
    line = text.find("\n", start)
    line = len(text) if line < 0 else line
    for bracket in re.finditer(r"[({\[]", text[start:line]):
        data = text[start + bracket.start() :].encode("utf-8", "replace")
        end = start + bracket.start() + len(data[: closing_bracket(data, 0)].decode("utf-8", "ignore"))
        if end > line:
            return Span(start, end)
    column = start - (text.rfind("\n", 0, start) + 1)
    deeper = re.compile(rf"(?:\n(?:[ \t]*(?=\n)|[ \t]{{{column + 1},}}[^\n]*))*").match(text, line)
    is_parent = text[start:line].rstrip().endswith(":")
    return Span(start, deeper.end() if deeper and is_parent else line)


def _after_string(data: bytes, at: int, end: int) -> int:
    quote = data[at]
    position = at + 1
    while position < end:
        sign = data[position]
        if sign == ord("\\"):
            position += 1
        elif sign == quote:
            return position + 1
        elif sign == ord("\n"):
            return at + 1  # an apostrophe in a text, as in "don't"
        position += 1
    return at + 1


def _after_template(data: bytes, at: int, end: int, depth: int) -> int:
    position = at + 1
    while position < end:
        sign = data[position]
        if sign == ord("\\"):
            position += 1
        elif sign == ord("`"):
            return position + 1
        elif data.startswith(b"${", position) and depth < _DEEPEST:
            position = closing_bracket(data, position + 1, end - position, depth + 1) - 1
        position += 1
    return end


def _after_comment(data: bytes, at: int, end: int) -> int:
    if data.startswith(b"//", at) and data[at - 1 : at] != b":":
        line = data.find(b"\n", at, end)
        return end if line < 0 else line
    if data.startswith(b"/*", at):
        close = data.find(b"*/", at + 2, end)
        return end if close < 0 else close + 2
    return at + 1
