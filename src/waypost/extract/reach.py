"""How much of a page its tree must be built of: up to the last byte that can mean anything to the reader.

Most pages say what they mean in a script of their head, and their tree took two fifths of all the time a page takes.
A tree is built from front to back: that of a page's beginning is the beginning of the page's tree, as far as what
follows does not come back to what was. Where it may, or something is left open that it would add to, the whole page
is read (`Tree.unsettled`). So nothing here decides what a page means: it finds a place before which all of it
stands, and a page that is read so far gives what it would give as a whole.

What could mean something is looked for in the bytes, as they would have to be written: names of attributes and tags
have no other spelling than letter case (HTML Standard, 13.2.5.33 and 13.2.5.8, read 2026-11-22), and a script's type
has one with character references, which is taken for ours. What is found may stand in a comment or a text: then more
is read than needed.
"""

from __future__ import annotations

import re
import sys
from typing import Final

from waypost.extract.bytescan import find, lower, rfind
from waypost.formats.patterns import pattern

_LEAST = 8_192  # bytes of a page below which nothing is to be gained
_MOST = 0.9  # of a page, above which nothing is
_NEAR = 4_096  # bytes within which a block's end tag is worth waiting for: what stands in a line ends there
_MOST_TAGS = 1_000  # that are counted to find where an element is closed
_MOST_WORK = 4  # how often its own size the tags of a page may be looked at: those left open reach to its end
_ITEMS: Final = (b"itemprop", b"itemscope", b"itemtype")
_VOID: Final = frozenset({b"meta", b"link", b"img", b"input", b"source", b"embed", b"track", b"area", b"br", b"hr"})
_NAME = pattern(rb"<([a-z][^\t\n\f\r />]*)")
_SPOKEN = pattern(rb"<!--\s{0,8}waypost-ignore")
# What an attribute's name stands between (HTML Standard, 13.2.5.32 to 13.2.5.39): a script's words mostly do not.
_ITEM = pattern(rb"[\t\n\f\r /\"']item(?:prop|scope|type)[\t\n\f\r />=]")
_TYPED = pattern(rb"typeof[\t\n\f\r ]*=")
_VALUE = rb"[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*)"
_TAG = pattern(rb"<[a-z]+(?:[\t\n\f\r /]*(?:=?[^\t\n\f\r />=]+|=)(?:" + _VALUE + rb")?)*+")
# How nearly all scripts begin: names and values in quotes, and no type but the usual ones.
_OTHER_SCRIPT = pattern(
    rb"<script(?:[\t\n\f\r ]+(?:(?!type[\t\n\f\r />=])[a-z][a-z0-9:_-]*+(?:=\"[^\"]*+\")?"
    rb"|type=\"(?:text/javascript|module)\"))*+[\t\n\f\r /]*+>"
)
# A value with a reference, or too long to be looked through for one from each place where one might begin.
_REFERENCE = rb"[\t\n\f\r ]*=[\t\n\f\r ]*(?:" + rb"|".join(
    opening + rb"(?:" + other + rb"{0,99}&|" + other + rb"{100})"
    for opening, other in ((rb"\"", rb"[^\"&]"), (rb"'", rb"[^'&]"), (rb"", rb"[^\t\n\f\r >\"'&]"))
) + rb")"  # fmt: skip
_JSON_LD = pattern(rb"ld.{0,4}json|json.{0,4}ld|type" + _REFERENCE)  # a character has up to four bytes
_CANONICAL = pattern(rb"canonical|rel" + _REFERENCE)


class _TooCostly(Exception):
    """The page is no real one: reading it as a whole takes less than finding out how far it must be read."""


class Bytes:
    """A page's bytes as they are looked through: `lower` is the page with A to Z in lower case.

    names_us   does it hold our name?
    """

    def __init__(self, data: bytes) -> None:
        self.lower = lower(data)
        self.names_us = self.holds(b"waypost")
        self._base = -1
        self._left = _MOST_WORK * len(data)

    def holds(self, word: bytes, start: int = 0) -> bool:
        """Does a word in lower case stand at or after a place?"""
        return find(self.lower, word, start) >= 0

    def each(self, word: bytes, start: int = 0, most: int = sys.maxsize) -> list[int]:
        """The first places at or after one at which a word in lower case stands."""
        found: list[int] = []
        at = find(self.lower, word, start)
        while at >= 0 and len(found) < most:
            found.append(at)
            at = find(self.lower, word, at + len(word))
        return found

    @property
    def speaks(self) -> bool:
        """Does the page hold a comment for waypost (`<!-- waypost-ignore ... -->`)?"""
        return self.names_us and _SPOKEN.search(self.lower) is not None

    def reach(self) -> int | None:
        """Bytes of the page of which a tree may do; None where it may not, or would not be worth it."""
        try:
            return self._reach()
        except _TooCostly:
            return None

    def _reach(self) -> int | None:
        size = len(self.lower)
        if size < _LEAST or self.names_us:
            return None
        if any(_TYPED.match(self.lower, at) for at in self.each(b"typeof")):
            return None
        most = int(size * _MOST)
        far = self._script_end(most)
        if far <= most:
            far = max(far, self._item_end(far, most))
        self._base = find(self.lower, b"<base")
        for once in (find(self.lower, b"<html"), self._base, find(self.lower, b"canonical")):
            if once >= far:
                far = self._after_tag(once)
        return None if far > most or self.holds(b"<frameset", far) else far

    def closed(self, far: int, name: str, depth: int) -> int | None:
        """Where that many open elements of a name likely are closed beyond a place; None as for `reach`."""
        opens, closes = b"<" + name.encode(), b"</" + name.encode()
        opened, end = find(self.lower, opens, far), far
        for _ in range(_MOST_TAGS):
            end = find(self.lower, closes, end)
            if end < 0:
                return None
            while 0 <= opened < end:
                depth += 1
                opened = find(self.lower, opens, opened + len(opens))
            depth -= 1
            end = self._after_tag(end)
            if not depth:
                return end if end <= len(self.lower) * _MOST else None
        return None

    def says_more(self, far: int, *, items: bool, base: bool, canonical: bool, language: bool) -> bool:
        """May what lies beyond a place say something that the page's beginning could not?

        items, base, canonical, language   did it say that?
        """
        if items and self.holds(b"itemref"):  # what is referred to may be any element
            return True
        if not language and self.holds(b"<html", far):
            return True
        if not base and self._base >= 0 and self.holds(b"<base", far):
            return True
        if not canonical and self._names_canonical(far):
            return True
        return self.holds(b"ld+json", far) and self._is_behind_noscript(b"ld+json", far)

    def _names_canonical(self, far: int) -> bool:
        """May a link beyond a place be the canonical one?"""
        try:
            return any(_may_be(_CANONICAL, b"canonical", self._tag(at)) for at in self.each(b"<link", far))
        except _TooCostly:
            return True

    def _is_behind_noscript(self, word: bytes, far: int) -> bool:
        """Does a word stand in a `noscript` beyond a place? What these hold is looked at as a text."""
        at = find(self.lower, b"<noscript", far)
        while at >= 0:
            end = self._end(b"</noscript", at)
            if find(self.lower, word, at, end) >= 0:
                return True
            at = find(self.lower, b"<noscript", end)
        return False

    def let_go(self) -> None:
        """What is not looked through again need not lie beside the tree of a whole page."""
        self.lower = b""

    def _end(self, word: bytes, start: int) -> int:
        """Where a word stands at or after a place, else the end of the page."""
        at = find(self.lower, word, start)
        return at if at >= 0 else len(self.lower)

    def _after_tag(self, at: int) -> int:
        """Where the tag that a place is in likely ends."""
        return self._end(b">", at) + 1

    def _tag(self, at: int) -> bytes:
        tag = _TAG.match(self.lower, at)
        if tag is None:
            return b""
        self._left -= tag.end() - at
        if self._left < 0:
            raise _TooCostly
        return tag[0]

    def _item_end(self, far: int, most: int) -> int:
        """Behind the last Microdata beyond `far`, and the block that it likely stands in; 0 without any."""
        last = max(self._last_item(word, far) for word in _ITEMS)
        if last < 0:
            return 0
        if last > most:
            return len(self.lower)
        name = _NAME.match(self.lower, self.lower.rfind(b"<", 0, last))
        is_void = name is None or name[1] in _VOID
        end = self._after_tag(last if name is None or is_void else self._end(b"</" + name[1], last))
        block = find(self.lower, b"</div", end, min(end + _NEAR, len(self.lower)))
        return end if block < 0 else self._after_tag(block)

    def _last_item(self, word: bytes, far: int) -> int:
        """The last place beyond `far` of a word that can be the name of an attribute, -1 without any."""
        at = rfind(self.lower, word, far)
        for _ in range(_MOST_TAGS):
            if at <= 0 or _ITEM.match(self.lower, at - 1):
                break
            at = rfind(self.lower, word, far, at)
        return at

    def _script_end(self, most: int) -> int:
        """Behind the last script that may be JSON-LD; 0 without any."""
        is_other = _OTHER_SCRIPT.match
        for at in reversed(self.each(b"<script")):
            if is_other(self.lower, at) is None and _may_be(_JSON_LD, b"json", self._tag(at)):
                return self._after_tag(self._end(b"</script", at)) if at <= most else len(self.lower)
        return 0


def _may_be(pattern_: re.Pattern[bytes], word: bytes, tag: bytes) -> bool:
    """Does a tag have what a pattern looks for? It is a word, or holds a reference: few tags have either."""
    return (word in tag or b"&" in tag) and pattern_.search(tag) is not None
