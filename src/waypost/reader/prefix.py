"""Prefix of a page that suffices for its tree: up to the last byte with a meaning for the reader.

Most pages have their structured data in a script of their head, and parsing the rest took a quarter of a lint. A
parser works from front to back: the tree of a prefix is the beginning of the page's tree, unless the rest changes
it or adds to an open element. Where the rest may do either, the whole page is parsed. A page parsed in part
therefore gives the same nodes and locations as the whole.

The end of the prefix is searched in the bytes: names of attributes and tags have no other spelling than letter case
(HTML Standard, 13.2.5.33 and 13.2.5.8, read 2026-11-22), and a script's type with character references counts as
JSON-LD. A match may stand in a comment or a text: then more is parsed than needed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Set as AbstractSet
from typing import Final

from waypost.formats.patterns import pattern
from waypost.reader.bytescan import find, lower, rfind
from waypost.reader.elements import PageElements
from waypost.reader.text import Text
from waypost.reader.tree import FORMATTING, Tree, is_foreign

_PREFIXES = 2  # that are tried before the whole page is parsed
_LEAST = 8_192  # bytes of a page below which nothing is gained
_MOST = 0.9  # of a page, above which nothing is
_NEAR = 4_096  # bytes within which a block's end tag is worth waiting for: elements of one line end there
_MOST_TAGS = 1_000  # that are counted to find where an element is closed
_MOST_WORK = 4  # times its own size that a page's tags may be searched: those left open reach to its end
_ITEMS: Final = (b"itemprop", b"itemscope", b"itemtype")
_VOID: Final = frozenset({b"meta", b"link", b"img", b"input", b"source", b"embed", b"track", b"area", b"br", b"hr"})
# HTML Standard, 13.2.4.3 (read 2026-11-22): formatting elements, and those that put a marker into their list.
_UNSETTLED = FORMATTING | {"applet", "caption", "marquee", "object", "td", "th"}
_NAME = pattern(rb"<([a-z][^\t\n\f\r />]*)")
_SUPPRESSION = pattern(rb"<!--\s{0,8}waypost-ignore")
# What stands around an attribute's name (HTML Standard, 13.2.5.32 to 13.2.5.39); words of scripts rarely have it.
_ITEM = pattern(rb"[\t\n\f\r /\"']item(?:prop|scope|type)[\t\n\f\r />=]")
_TYPED = pattern(rb"typeof[\t\n\f\r ]*=")
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*(?:=?[^\t\n\f\r />=]+|=)"
    rb"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*))?"
)
_ONE_ATTRIBUTE = pattern(_ATTRIBUTE)
_TAG = pattern(rb"<[a-z]+(?:" + _ATTRIBUTE + rb")*+")
# How nearly all scripts begin: names and values in quotes, and no type but the usual ones.
_OTHER_SCRIPT = pattern(
    rb"<script(?:[\t\n\f\r ]+(?:(?!type[\t\n\f\r />=])[a-z][a-z0-9:_-]*+(?:=\"[^\"]*+\")?"
    rb"|type=\"(?:text/javascript|module)\"))*+[\t\n\f\r /]*+>"
)
# A value with a reference, or too long to be searched for one from each place where one might begin.
_REFERENCE = rb"[\t\n\f\r ]*=[\t\n\f\r ]*(?:" + rb"|".join(
    opening + rb"(?:" + other + rb"{0,99}&|" + other + rb"{100})"
    for opening, other in ((rb"\"", rb"[^\"&]"), (rb"'", rb"[^'&]"), (rb"", rb"[^\t\n\f\r >\"'&]"))
) + rb")"  # fmt: skip
_JSON_LD = pattern(rb"ld.{0,4}json|json.{0,4}ld|type" + _REFERENCE)  # a character has up to four bytes
_CANONICAL = pattern(rb"canonical|rel" + _REFERENCE)
_MOST_ROOT_TAGS = 1_000
_MOST_ROOT_ATTRIBUTES = 10_000
_MOST_ROOT_WORK = 1_000_000


class SearchLimitExceeded(Exception):
    """The search for the end of the prefix would take longer than parsing the whole page; no real page does this."""


class Source:
    """Bytes of a page with A to Z in lower case, for the search of tags and names.

    has_our_name   "waypost" occurs in the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.lower = lower(data)
        self.has_our_name = self.has(b"waypost")
        self._base = -1
        self._left = _MOST_WORK * len(data)

    def has(self, word: bytes, start: int = 0) -> bool:
        """Whether a word in lower case occurs at or after a byte."""
        return find(self.lower, word, start) >= 0

    def positions(self, word: bytes, start: int = 0, most: int = sys.maxsize) -> list[int]:
        """Byte offsets of a word in lower case, from `start`, at most `most`."""
        found: list[int] = []
        at = find(self.lower, word, start)
        while at >= 0 and len(found) < most:
            found.append(at)
            at = find(self.lower, word, at + len(word))
        return found

    @property
    def has_suppression_comment(self) -> bool:
        """Whether the page has a comment `<!-- waypost-ignore ... -->`."""
        return self.has_our_name and _SUPPRESSION.search(self.lower) is not None

    def prefix_end(self) -> int | None:
        """End of the prefix in bytes; None where the whole page has to be parsed, or nothing is gained."""
        try:
            return self._prefix_end()
        except SearchLimitExceeded:
            return None

    def _prefix_end(self) -> int | None:
        size = len(self.lower)
        # Ignore comments and attributes may stand anywhere in a page, also behind the last item.
        if size < _LEAST or self.has_our_name:
            return None
        # RDFa values may be any element's text up to the page's end.
        if any(_TYPED.match(self.lower, at) for at in self.positions(b"typeof")):
            return None
        # Less than a tenth left: parsing twice, should the prefix be too short, would cost more than it saves.
        most = int(size * _MOST)
        end = self._script_end(most)
        if end <= most:
            end = max(end, self._item_end(end, most))
        self._base = find(self.lower, b"<base")
        # The language, the base address and the canonical address belong to the prefix wherever they stand.
        for first in (find(self.lower, b"<html"), self._base, find(self.lower, b"canonical")):
            if first >= end:
                end = self._after_tag(first)
        # A late `frameset` replaces the body (HTML Standard 13.2.6.4.7): nothing before it would remain.
        return None if end > most or self.has(b"<frameset", end) else end

    def closing_end(self, start: int, name: str, depth: int) -> int | None:
        """Byte after which the given number of open elements of a name likely are closed; None as for `prefix_end`."""
        opens, closes = b"<" + name.encode(), b"</" + name.encode()
        opened, end = find(self.lower, opens, start), start
        # Counting start and end tags by bytes may be wrong in comments or texts; the tree then says so and the page is
        # parsed whole.
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

    def may_add(self, start: int, elements: PageElements, *, language: bool) -> bool:
        """Whether the page after a byte may add to the elements found before it.

        language   the root element has `lang`.
        """
        # Any later element may be the target.
        if elements.typed and self.has(b"itemref"):  # which may refer to any element
            return True
        if not language and self.has(b"<html", start):
            return True
        if elements.base is None and self._base >= 0 and self.has(b"<base", start):
            return True
        if elements.canonical is None and self._has_canonical(start):
            return True
        # A script in `noscript` is text to a parser with scripting, and is read separately.
        return self.has(b"ld+json", start) and self._has_json_ld_in_noscript(start)

    def _has_canonical(self, start: int) -> bool:
        try:
            return any(_may_match(_CANONICAL, b"canonical", self._tag(at)) for at in self.positions(b"<link", start))
        # Unknown counts as yes: the whole page is parsed.
        except SearchLimitExceeded:
            return True

    def _has_json_ld_in_noscript(self, start: int) -> bool:
        """Whether a `noscript` after a byte may have JSON-LD: the text of those is searched."""
        at = find(self.lower, b"<noscript", start)
        while at >= 0:
            end = self._end(b"</noscript", at)
            if find(self.lower, b"ld+json", at, end) >= 0:
                return True
            at = find(self.lower, b"<noscript", end)
        return False

    def release(self) -> None:
        """Free the bytes: they need not stay in memory next to the tree of a whole page."""
        self.lower = b""

    def repeated_root(self) -> int | None:
        """Byte at which repeated `html` and `body` tags become too many to merge, else None.

        The standard merges the attributes of every repeated tag into the first, in quadratic time and memory:
        no tree is built of a page with repeats beyond any real use.
        """
        tags: list[int] = []
        repeats = False
        for name in (b"<html", b"<body"):
            found = self.positions(name, most=_MOST_ROOT_TAGS + 1)
            # `<html` may also begin `<htmlish>`: the name must end here.
            found = [at for at in found if self.lower[at + 5 : at + 6] in b"/> \t\n\f\r"]
            repeats = repeats or len(found) > 1
            tags += found
        if not repeats:
            return None
        attributes = work = 0
        for number, tag in enumerate(sorted(tags), 1):
            at = tag + 5
            while match := _ONE_ATTRIBUTE.match(self.lower, at):
                attributes, at = attributes + 1, match.end()
                if attributes > _MOST_ROOT_ATTRIBUTES:
                    return tag
            work += attributes
            if number > _MOST_ROOT_TAGS or work > _MOST_ROOT_WORK:
                return tag
        return None

    def _end(self, word: bytes, start: int) -> int:
        """Byte at which a word occurs at or after one, else the end of the page."""
        at = find(self.lower, word, start)
        return at if at >= 0 else len(self.lower)

    def _after_tag(self, at: int) -> int:
        """Likely end of the tag around a byte."""
        return self._end(b">", at) + 1

    def _tag(self, at: int) -> bytes:
        tag = _TAG.match(self.lower, at)
        if tag is None:
            return b""
        self._left -= tag.end() - at
        if self._left < 0:
            raise SearchLimitExceeded
        return tag[0]

    def _item_end(self, start: int, most: int) -> int:
        """End of the last Microdata after a byte, and of the likely block around; 0 without any."""
        last = max(self._last_item(word, start) for word in _ITEMS)
        if last < 0:
            return 0
        if last > most:
            return len(self.lower)
        name = _NAME.match(self.lower, self.lower.rfind(b"<", 0, last))
        is_void = name is None or name[1] in _VOID
        end = self._after_tag(last if name is None or is_void else self._end(b"</" + name[1], last))
        # The block around the last item often ends a line later; including its end tag spares a second attempt.
        block = find(self.lower, b"</div", end, min(end + _NEAR, len(self.lower)))
        return end if block < 0 else self._after_tag(block)

    def _last_item(self, word: bytes, start: int) -> int:
        """Last byte offset, after a byte, of a word that can be an attribute's name, -1 without any."""
        at = rfind(self.lower, word, start)
        for _ in range(_MOST_TAGS):
            if at <= 0 or _ITEM.match(self.lower, at - 1):
                break
            at = rfind(self.lower, word, start, at)
        return at

    def _script_end(self, most: int) -> int:
        """End of the last script that may be JSON-LD; 0 without any."""
        is_other = _OTHER_SCRIPT.match
        # From the back: the first match is the last script, and no other needs a check.
        for at in reversed(self.positions(b"<script")):
            if is_other(self.lower, at) is None and _may_match(_JSON_LD, b"json", self._tag(at)):
                return self._after_tag(self._end(b"</script", at)) if at <= most else len(self.lower)
        return 0


def _may_match(pattern_: re.Pattern[bytes], word: bytes, tag: bytes) -> bool:
    """Whether a pattern for a word or a character reference matches a tag: few tags have either."""
    return (word in tag or b"&" in tag) and pattern_.search(tag) is not None


def parse(source: Source, text: Text, syntaxes: AbstractSet[str]) -> tuple[Tree, PageElements]:
    """Tree of a page, or of an equivalent prefix, and its elements for the reader.

    source   bytes of the page; released where the whole page is parsed.
    """
    end = source.prefix_end() if text.is_ascii_compatible else None
    # Few attempts: each parses again, and pages that need a third are rare.
    for _ in range(_PREFIXES):
        if end is None:
            break
        tree = Tree(text.string, until=text.length_before(end))
        elements = PageElements(tree, syntaxes, source.has_our_name)
        end = _further_end(source, end, tree, elements)
        if end == 0:
            return tree, elements
    # The lower-case copy is as large as the page, and the tree of the whole page is the peak of memory.
    source.release()
    tree = Tree(text.string)
    return tree, PageElements(tree, syntaxes, source.has_our_name)


def _further_end(source: Source, end: int, tree: Tree, elements: PageElements) -> int | None:
    """End of a longer prefix where one is too short; 0 if it suffices, None if the whole page is needed."""
    open_ = unsettled(tree)
    if open_ is not None:
        return source.closing_end(end, *open_) if open_[1] else None
    if any(map(is_foreign, elements.scripts)):  # these may end without an end tag, and then last to the page's end
        return None
    return None if source.may_add(end, elements, language=tree.root.attr("lang") is not None) else 0


def unsettled(tree: Tree) -> tuple[str, int] | None:
    """Open element because of which the tree of a prefix, once surveyed, is not the beginning of the page's tree.

    None where the prefix is settled. Else the name of the outermost element that has to be closed first, and the
    number of open elements of that name from there inwards; ("", 0) where only the whole page helps.

    The rest of a page goes where the end mark stands, and can change elements before the mark in two ways: more text
    in elements that are still open; and open formatting elements, closed and opened again around the rest with their
    content moved (HTML Standard, 13.2.4.3 and 13.2.6.4.7, "adoption agency"; read 2026-11-22). Formatting put off for
    later is an ancestor of the mark too, except before a cell or an object. A missing mark fell into a tag, a comment
    or a script; a mark with a next sibling was moved out of an open table.
    """
    end = tree.end_mark
    if end is None or end.next_sibling is not None or is_foreign(end) or end.closest("template"):
        return "", 0
    above, found = end.parent, None
    open_: dict[str, int] = {}
    while hasattr(above, "tag"):
        tag = above.tag
        open_[tag] = open_.get(tag, 0) + 1
        if tag in _UNSETTLED or above.matches("[itemprop]:not([itemscope])"):
            found = tag, open_[tag]
        above = above.parent
    return found
