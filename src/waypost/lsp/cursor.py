"""Cursors in unfinished JSON-LD: string or name at the cursor, and the objects around.

Unfinished JSON is rarely valid: tokens are enough to find the place of a cursor, in JSON and in the literals of
JavaScript, TypeScript, PHP, Ruby and TOML, whose objects differ in the sign after a name and in the quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

KEYWORDS: Final = ("@type", "@id", "@context", "@graph")
_MARKS = frozenset({"@type", "@context", "@graph"})


@dataclass(eq=False)
class Container:
    """Object or list, possibly incomplete.

    via     property of the object around that holds the container, past lists and brackets.
    key     name of the current value; `types` and `names` as far as written.
    opening "{" of an object, "[" of a list, "(" of brackets around an expression.
    """

    opening: str = "{"
    parent: Self | None = None
    via: str | None = None
    types: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    key: str | None = None

    @property
    def owner(self) -> Self:
        """The container, or the object around a list."""
        found = self
        while found.opening != "{" and found.parent is not None:
            found = found.parent
        return found

    @property
    def is_linked_data(self) -> bool:
        """Whether the container, or an object around, has a keyword of JSON-LD."""
        around: Container | None = self
        while around is not None:
            if not _MARKS.isdisjoint(around.names):
                return True
            around = around.parent
        return False

    def add(self, name: str) -> None:
        """Begin a member."""
        self.key = name
        self.names.add(name)

    def add_value(self, text: str) -> None:
        """Note a text: the value of "@type" is a type."""
        owner = self.owner
        if owner.key == "@type" and owner.opening == "{":
            owner.types.append(text)

    def inner(self, opening: str) -> Self:
        """Container inside."""
        return type(self)(opening, self, self.key if self.opening == "{" else self.via)


class Cursor(NamedTuple):
    """Place of the cursor in an object.

    start, end  code points of the text that a completion replaces.
    is_key      a name is due, not a value.
    quote       quotes of a completion: empty inside of quotes.
    """

    start: int
    end: int
    around: Container
    is_key: bool
    quote: str = ""


class Notation(NamedTuple):
    """Notation of objects.

    assigns  signs between a name and its value.
    bare     names stand without quotes.
    quote    usual quotes.
    keyed_lists  a list with names is an object, as in PHP.
    """

    tokens: re.Pattern[str]
    assigns: frozenset[str]
    bare: bool = False
    quote: str = '"'
    keyed_lists: bool = False


_STRINGS = r'"(?:[^"\\\n]|\\.)*"?'
_OF_CODE = rf"""(?s:/\*.*?(?:\*/|\Z))|(?<!:)//[^\n]*|{_STRINGS}|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?"""
JSON: Final = Notation(re.compile(rf"{_STRINGS}|[{{}}\[\]:,]|[\w@$]+"), frozenset(":"))
SCRIPT: Final = Notation(
    re.compile(rf"{_OF_CODE}|=>|\.\.\.|[\w$]+|\S"), frozenset(":"), bare=True, quote="'"
)  # fmt: skip
PHP: Final = Notation(
    re.compile(rf"(?s:\?>.*?(?:<\?(?:php|=)|\Z))|{_OF_CODE}|=>|\#(?!\[)[^\n]*|\$?[\w]+|\S"), frozenset({"=>"}),
    quote="'", keyed_lists=True,
)  # fmt: skip
TOML: Final = Notation(
    re.compile(rf"\#[^\n]*|{_STRINGS}|'[^'\n]*'?|[\w-]+|\S"), frozenset("="), bare=True
)  # fmt: skip

_QUOTES = "\"'`"
_LISTING = frozenset({"map", "flatMap"})
_CLOSING = frozenset("}])")
_OPENING = frozenset("{[(")


def find_cursor(
    text: str, offset: int, notation: Notation, low: int = 0, high: int | None = None, root: Container | None = None
) -> Cursor | None:
    """Cursor in a range of a text; None where neither a name nor a value of an object is due."""
    scan = _Scan(notation, offset, root or Container("["))
    for token in notation.tokens.finditer(text, low, len(text) if high is None else high):
        if not scan.take(token):
            break
    return scan.result()


class _Scan:
    """Scan of the tokens, up to the end of the object around the cursor."""

    def __init__(self, notation: Notation, offset: int, root: Container) -> None:
        self.notation = notation
        self.offset = offset
        self.stack = [root]
        self.found: Cursor | None = None
        self.is_due = root.opening == "{"  # a name is due
        self.before = "," if root.opening == "{" else ""
        self.ended = 0
        self.waiting: str | None = None  # text that becomes a name with the sign behind it
        self.is_passed = False

    def take(self, token: re.Match[str]) -> bool:
        """Read a token; False behind the object around the cursor."""
        text, start, end = token[0], token.start(), token.end()
        if text.startswith(("//", "/*", "?>")) or (text[0] == "#" and len(text) > 1):
            if start < self.offset < end:
                self.is_passed = True  # inside a comment
            return True
        if not self.is_passed and start >= self.offset and self.found is None and not self._is_at(text, start):
            self._find_between()
        if text[0] in _QUOTES:
            self._take_string(text, start)
        elif text in _OPENING:
            self._open(text)
        elif text in _CLOSING:
            self._close()
        elif text in self.notation.assigns:
            self._assign()
        elif text in {",", ";"}:
            self.waiting, self.is_due = None, True
        else:
            self._take_word(text, start)
        self.before, self.ended = text, end
        return self.found is None or self.found.around in self.stack

    def result(self) -> Cursor | None:
        if self.found is None and not self.is_passed:
            self._find_between()
        return self.found

    def _is_at(self, text: str, start: int) -> bool:
        """Whether a string or a word begins at the cursor: the cursor then counts as inside."""
        return start == self.offset and (text[0] in _QUOTES or text[0].isalnum() or text[0] in "@$_")

    def _find_between(self) -> None:
        """Note a cursor between two tokens, where a name or a value is due."""
        self.is_passed = True
        here = self.stack[-1]
        if self.offset < self.ended:
            return
        quote = self.notation.quote
        if self.is_due and here.opening == "{" and self.before in {"{", ",", ";"}:
            self.found = Cursor(self.offset, self.offset, here, True, quote)
        elif self.before in self.notation.assigns and here.opening == "{":
            self.found = Cursor(self.offset, self.offset, here, False, quote)
        elif here.opening == "[" and self.before in {"[", ","} and here.owner is not here:
            self.found = Cursor(self.offset, self.offset, here, self._is_keyed(here), quote)

    def _is_keyed(self, here: Container) -> bool:
        return self.notation.keyed_lists and bool(here.names)

    def _take_string(self, text: str, start: int) -> None:
        is_whole = len(text) > 1 and text.endswith(text[0])
        content = text[1 : -1 if is_whole else None]
        here = self.stack[-1]
        low, high = start + 1, start + 1 + len(content)
        if low <= self.offset <= high and not self.is_passed:
            self.is_passed = True
            is_key = self.is_due and (here.opening == "{" or self._is_keyed(here))
            self.found = Cursor(low, high, here, is_key)
            self.waiting = None
            if is_key and here.opening == "{":
                self.before = text
                here.key = content
            self.is_due = self.is_due and is_key
            return
        self.waiting = content if self.is_due else None
        if not (self.is_due and here.opening == "{"):
            here.add_value(content)

    def _take_word(self, text: str, start: int) -> None:
        here = self.stack[-1]
        is_name = self.is_due and here.opening == "{" and self.before in {"{", ",", ";"}
        if start <= self.offset <= start + len(text) and not self.is_passed and (text[0].isalnum() or text[0] in "_@$"):
            self.is_passed = True
            if is_name:
                self.found = Cursor(start, start + len(text), here, True, self.notation.quote)
                here.key = text
                self.waiting = None
                return
        self.waiting = text if is_name and self.notation.bare else None

    def _assign(self) -> None:
        here = self.stack[-1]
        if self.waiting is not None and (here.opening == "{" or self.notation.keyed_lists):
            here.opening = "{"
            here.add(self.waiting)
        self.waiting, self.is_due = None, False

    def _open(self, sign: str) -> None:
        here = self.stack[-1]
        kind = sign
        if sign == "(":
            # The list `array(...)` of PHP; the arguments of a call belong to the call.
            kind = "[" if self.notation.keyed_lists and self.before.lower() == "array" else "("
        made = here.inner(kind)
        # What a call makes is unknown; `items.map(...)` makes a list.
        if kind == "(" and re.fullmatch(r"[\w$]+", self.before) and self.before not in _LISTING:
            made.via = None
        self.stack.append(made)
        self.waiting, self.is_due = None, kind != "("

    def _close(self) -> None:
        if len(self.stack) > 1:
            self.stack.pop()
        self.waiting, self.is_due = None, False
