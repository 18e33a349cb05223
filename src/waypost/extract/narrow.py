"""A page's text without characters beyond U+FFFF, for the tree, which reads two-byte texts in two thirds of the time.

Each such character (on most pages some emoji) is replaced by a stand-in, one for one, so that offsets stay. The
stand-ins are C1 controls that a page cannot mean: a numeric character reference to one of them stands for a
character of windows-1252 instead (HTML Standard, 13.2.5.80, read 2026-11-20), and a text that holds one as it is
is left alone. So what the tree says can be turned back exactly.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

# U+0085 is white space for Python; the gaps are what a reference may stand for.
STAND_INS: Final = (0x80, *range(0x82, 0x85), *range(0x86, 0x8D), 0x8E, *range(0x91, 0x9D), 0x9E, 0x9F)
_MOST_LOOKED_AT = 10_000  # bytes that may begin a stand-in; pages have a few hundred


Pairs: TypeAlias = tuple[tuple[str, str], ...]


class Narrow(NamedTuple):
    """`text` for the tree; `pairs` of a stand-in and what it stands for."""

    text: str
    pairs: Pairs


class Wide:
    """A text that has a narrow one: put together only if somebody asks for all of it."""

    def __init__(self, pieces: list[str], narrow: Narrow) -> None:
        self.narrow = narrow
        self._pieces = pieces

    def __len__(self) -> int:
        return len(self.narrow.text)

    def __getitem__(self, part: slice) -> str:
        return meant(self.narrow.text[part], self.narrow.pairs)

    @cached_property
    def whole(self) -> str:
        return "".join(self._pieces)


class Narrower:
    """Collects the text of a page piece by piece; the pieces that need nothing are kept as they are."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.stand_ins: dict[str, str] | None = {}

    def take(self, text: str, raw: bytes) -> None:
        """The next piece with characters beyond U+FFFF, as text and as UTF-8."""
        if self.stand_ins is not None:
            self._replace(raw, self.stand_ins)
        else:
            self.pieces.append(text)

    def _replace(self, raw: bytes, stand_ins: dict[str, str]) -> None:
        low = 0
        while (at := raw.find(b"\xf0", low)) >= 0:  # U+10000 to U+3FFFF, beyond which nothing is written
            character = str(raw[at : at + 4], "utf-8")
            stand_in = stand_ins.get(character)
            if stand_in is None:
                if len(stand_ins) == len(STAND_INS):
                    self.stand_ins = None
                    return
                stand_in = stand_ins[character] = chr(STAND_INS[len(stand_ins)])
            self.pieces.append(str(raw[low:at], "utf-8"))
            self.pieces.append(stand_in)
            low = at + 4
        self.pieces.append(str(raw[low:], "utf-8"))

    def narrow(self, data: bytes) -> Narrow | None:
        """What was collected of a page; None where nothing was replaced or not everything could be."""
        if not self.stand_ins or _has_stand_in(data):
            return None
        return Narrow("".join(self.pieces), tuple((stand_in, meant) for meant, stand_in in self.stand_ins.items()))


def _has_stand_in(data: bytes) -> bool:
    """May a text in UTF-8 hold a C1 control?"""
    at = -1
    for _ in range(_MOST_LOOKED_AT):
        at = data.find(b"\xc2", at + 1)
        if at < 0:
            return False
        if data[at + 1] < 0xA0:
            return True
    return True


def meant(text: str, pairs: Pairs) -> str:
    """What the tree says, in the page's own characters."""
    if not text.isascii():
        for stand_in, character in pairs:
            if stand_in in text:
                text = text.replace(stand_in, character)
    return text


class NarrowElement:
    """An element of a tree of narrow text that speaks as one of the page's own text would. Equal where `raw` is."""

    __slots__ = ("pairs", "raw")

    def __init__(self, raw: Any, pairs: Pairs) -> None:
        self.raw = raw
        self.pairs = pairs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NarrowElement) and self.raw is other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    @property
    def tag(self) -> str:
        return meant(self.raw.tag, self.pairs)

    @property
    def parent(self) -> Any:
        parent = self.raw.parent
        return NarrowElement(parent, self.pairs) if hasattr(parent, "tag") else parent

    @property
    def position(self) -> tuple[int, int] | None:
        position: tuple[int, int] | None = self.raw.position
        return position

    @property
    def text(self) -> str:
        return meant(self.raw.text, self.pairs)

    @property
    def children(self) -> list[Any]:
        return [NarrowElement(each, self.pairs) if hasattr(each, "tag") else each for each in self.raw.children]

    def attr(self, name: str, /) -> str | None:
        value = self.raw.attr(name)
        return value if value is None else meant(value, self.pairs)

    def closest(self, selector: str, /) -> NarrowElement | None:
        found = self.raw.closest(selector)
        return found if found is None else NarrowElement(found, self.pairs)

    def matches(self, selector: str, /) -> bool:
        return bool(self.raw.matches(selector))

    def select(self, selector: str, /) -> list[Any]:
        return [NarrowElement(each, self.pairs) for each in self.raw.select(selector)]
