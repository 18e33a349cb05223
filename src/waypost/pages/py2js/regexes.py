"""Regular expressions of Python as `pattern(source, flags)` of `site/js/engine/python.js` takes them.

`rx` of the engine reads `\\s`, `\\d`, `\\w` and `\\Z` as Python does. What else differs is rewritten here.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|\(\?P<|[*+?}]\+|.", re.DOTALL)
_IDENTITY = frozenset("^$\\.*+?()[]{}|/")


def converted(source: str, *, is_ascii: bool) -> str:
    """Source of the same expression. Raises `ValueError` for what JavaScript has no counterpart of."""
    made: list[str] = []
    in_class = False
    start = 0
    for found in _TOKEN.finditer(source):
        piece = found[0]
        if piece == "(?P<":
            piece = "(?<"
        elif in_class:
            if piece == "]" and len(made) > start:
                in_class = False
                made[start - 1 :] = [_class("".join(made[start:]))]
                continue
            piece = {"[": r"\[", "-": "-"}.get(piece, _escape(piece, keep="-]^"))
        elif piece == "[":
            in_class, start = True, len(made) + 1
        elif len(piece) == 2 and piece[0] in "*+?}" and piece[1] == "+":
            raise ValueError("JavaScript has no possessive quantifiers, and Python 3.11.2 takes them wrong")
        elif piece == "$":
            raise ValueError(r"$ also matches before a last line break: write \Z")
        elif piece == "\\b" and not is_ascii:
            piece = r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))"
        else:
            piece = _escape(piece)
        made.append(piece)
    return "".join(made)


def _escape(piece: str, keep: str = "") -> str:
    """Escape of a character that JavaScript's Unicode mode refuses to have escaped, without its backslash."""
    if (
        len(piece) == 2
        and piece[0] == "\\"
        and not piece[1].isalnum()
        and piece[1] not in _IDENTITY
        and piece[1] not in keep
    ):
        return piece[1]
    return piece


def _class(members: str) -> str:
    """Character class. `[^\\W\\d_]`, the letters, has no counterpart as a class in JavaScript."""
    if members.startswith("^") and "\\W" in members:
        rest = members[1:].replace("\\W", "")
        return f"(?:(?![{rest}])\\w)" if rest else "\\w"
    if members.startswith("^") and "\\S" in members:
        return f"(?:(?![{members[1:].replace(chr(92) + 'S', '')}])\\s)"
    return f"[{members}]"
