"""JSON-LD blocks broken on purpose, each with the value that was meant: quotes, commas, colons, brackets, cut ends.

Every block is the same for the same seed. `benchmarks/fixes.py --broken N` and `tests/test_fix_broken_json.py` use them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_TEXTS = (
    "Loma kettle", "Soup, slow and easy", "Ratio 2:1, stirred", "Tea: black, green", 'A 5\\" pan', "It's done",
    "Caf\\u00e9 au lait", "https://example.com/a?b=1,2#c", "one\\ntwo", "[not a list], {nor an object}", "", "Größe 38",
    'say \\"hi\\", then go', "C:\\\\pages\\\\a", "10 // 2", "/* star */", "<b>bold</b>", "a = b", "50 %", "null",
)  # fmt: skip
_KEYS = ("name", "description", "sku", "image", "url", "offers", "brand", "review", "author", "text", "price", "@id")
_SPACES = (("", ""), (" ", ""), (" ", "\n  "), ("", "\n"))


class BrokenBlock(NamedTuple):
    """Broken text of a block, the value before it was broken, and the names of the breaks."""

    text: str
    intended: Any
    breaks: tuple[str, ...]


def broken_blocks(number: int, seed: int = 16) -> Iterator[BrokenBlock]:
    """`number` blocks that the strict decoder rejects, each broken in one to three ways."""
    source = random.Random(seed)
    names = sorted(_BREAKS)
    while number:
        whole = _document(source)
        text, made = whole, []
        for _ in range(source.choice((1, 1, 1, 2, 2, 3))):
            name = source.choice(names)
            changed = _BREAKS[name](text, source)
            if changed is not None:
                text = changed
                made.append(name)
        if parsed(text) is None:
            number -= 1
            yield BrokenBlock(text, json.loads(whole), tuple(made))


def parsed(text: str) -> Any:
    """Value of a text as strict JSON (RFC 8259), in a list of one; None where it is none."""
    try:
        return [json.loads(text, parse_constant=_no_constant)]
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _document(source: random.Random) -> str:
    gap, line = source.choice(_SPACES)

    def value(depth: int) -> str:
        kind = source.random()
        if depth < 3 and kind < 0.2:
            return "[" + f",{gap}".join(value(depth + 1) for _ in range(source.randint(1, 3))) + "]"
        if depth < 3 and kind < 0.4:
            return obj(depth + 1, source.randint(1, 3))
        if kind < 0.5:
            return source.choice(("12", "4.50", "true", "null", "-3"))
        return f'"{source.choice(_TEXTS)}"'

    def obj(depth: int, size: int, start: tuple[str, ...] = ()) -> str:
        members = [*start, *(f'"{key}":{gap}{value(depth)}' for key in source.sample(_KEYS, size))]
        return "{" + line + f",{line or gap}".join(members) + (line and "\n") + "}"

    return obj(0, source.randint(2, 5), ('"@context": "https://schema.org"', '"@type": "Product"'))


_Break = Callable[[str, random.Random], str | None]


def _dropping(marks: str) -> _Break:
    """Break that drops one of these characters."""

    def drop(text: str, source: random.Random) -> str | None:
        places = [n for n, c in enumerate(text) if c in marks]
        at = source.choice(places) if places else -1
        return text[:at] + text[at + 1 :] if at >= 0 else None

    return drop


def _adding(marks: str) -> _Break:
    """Break that adds a character anywhere."""

    def add(text: str, source: random.Random) -> str | None:
        at = source.randint(0, len(text))
        return text[:at] + source.choice(marks) + text[at:]

    return add


def _swapping(old: str, new: str) -> _Break:
    """Break that writes another character in place of one."""

    def swap(text: str, source: random.Random) -> str | None:
        places = [n for n, c in enumerate(text) if c == old]
        at = source.choice(places) if places else -1
        return text[:at] + new + text[at + 1 :] if at >= 0 else None

    return swap


def _single_quotes(text: str, _: random.Random) -> str | None:
    return text.replace('"', "'")


def _cut(text: str, source: random.Random) -> str | None:
    return text[: source.randint(len(text) // 3, len(text) - 1)]


def _trailing_comma(text: str, source: random.Random) -> str | None:
    places = [n for n, c in enumerate(text) if c in "}]"]
    at = source.choice(places) if places else -1
    return text[:at] + "," + text[at:] if at >= 0 else None


def _raw_newline(text: str, _: random.Random) -> str | None:
    return text.replace("\\n", "\n").replace(", ", ",\n") if "\\n" in text else None


def _bare_keys(text: str, _: random.Random) -> str | None:
    return text.replace('"name":', "name:").replace('"offers":', "offers:")


_BREAKS: dict[str, _Break] = {
    "quote dropped": _dropping('"'),
    "quote added": _adding('"'),
    "quotes single": _single_quotes,
    "quote curly": _swapping('"', "”"),
    "comma dropped": _dropping(","),
    "comma added": _adding(","),
    "comma trailing": _trailing_comma,
    "comma is a semicolon": _swapping(",", ";"),
    "colon dropped": _dropping(":"),
    "colon added": _adding(":"),
    "colon is an equals sign": _swapping(":", "="),
    "bracket dropped": _dropping("{}[]"),
    "bracket added": _adding("{}[]"),
    "bracket swapped": _swapping("]", "}"),
    "end cut": _cut,
    "newline raw": _raw_newline,
    "escape bad": _dropping("\\"),
    "keys bare": _bare_keys,
}
