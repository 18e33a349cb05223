"""Absence of structured data: the verdict about a page without any, with the reason where the page shows one, and about
a page with some, of which a script writes more.

Data: `schemas/absence.json`. The same in the browser: `site/js/engine/absence.js`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.finding import Absence, Finding
from waypost.models.page import Node, Page
from waypost.reader.bytescan import find, lower
from waypost.registry import Registry

_MOST = 2_000_000  # characters of a page that are searched
_LONGEST_TYPE = 60
_MOST_MATCHES = 50
_MOST_BLANK = 1_000


def absence_of(page: Page, findings: list[Finding], registry: Registry) -> Absence | None:
    """Absence of structured data on a page; None for a page with items, or with errors that keep them from it."""
    if page.roots or any(each.severity != "info" and each.syntax != "html" for each in findings):
        return None
    foreign = next((node for node in page.nodes if node.foreign and node.types), None)
    if foreign is not None and foreign.block.syntax != "rdfa":
        return _other_vocabulary(page, foreign)
    if any(block.syntax == "json-ld" for block in page.blocks):
        return Absence(
            reason="json-without-type",
            text="its JSON has no @type of schema.org",
            hint='say what it describes: "@context": "https://schema.org" and an @type, such as Article',
        )
    text = page.source_text(0, _MOST)
    # A pattern takes a hundred times as long as the search for a word that each of its matches has.
    small_letters = lower(text.encode(errors="replace"))
    body = len(small_letters[: max(find(small_letters, b"<body"), 0)].decode())
    for sign in _signs(registry).reasons:
        if sign.words and not any(_has(small_letters, word, sign.after) for word in sign.words):
            continue
        found = sign.search(text, *sign.bounds(body))
        if found is None or (sign.needs is not None and sign.needs.search(text) is None):
            continue
        words = sign.text.replace("{0}", found[1] or "") if "{0}" in sign.text else sign.text
        line, _ = page.locate.line_and_column(found.start())
        return Absence(reason=sign.reason, text=words, hint=sign.hint, line=line)
    return _other_vocabulary(page, foreign) if foreign is not None else Absence(reason="none")


def _has(small_letters: bytes, word: bytes, after: re.Pattern[bytes] | None) -> bool:
    """Whether a word is there, followed by a match of `after`: scripts have words of markup too."""
    at = find(small_letters, word)
    while at >= 0 and after is not None and after.match(small_letters, at + len(word)) is None:
        at = find(small_letters, word, at + len(word))
    return at >= 0


def unread_part(page: Page, registry: Registry) -> Absence | None:
    """Further structured data of a page with items, written by a script; None without a sign of such a script."""
    text = page.text
    if page.computed is not None or text[:_MOST_BLANK].lstrip(" \t\n\f\r").startswith(("{", "[")):
        return None
    # Few pages have one of these, and a pattern takes a hundred times as long as the search for a word.
    scripts = sum(block.syntax == "json-ld" for block in page.blocks)
    if page.locate.most(b"ld+json") <= scripts or text.count("ld+json", 0, _MOST) <= scripts:
        if not page.locate.may_have(b"setAttribute(", _ITEM_WRITER_IN_BYTES):
            return None
        first = text.find("setAttribute(", 0, _MOST)
        if first < 0 or _ITEM_WRITER.search(text, first, _MOST) is None:
            return None
    text = text[:_MOST]
    for sign in _signs(registry).in_part:
        found = sign.search(text)
        if found is not None:
            line, _ = page.locate.line_and_column(found.start())
            return Absence(reason=sign.reason, text=sign.text, hint=sign.hint, line=line)
    return None


def _is_in_script(text: str, at: int) -> bool:
    """Whether an offset is in the text of a script that is not JSON-LD itself."""
    start = text.rfind("<script", 0, at)
    end = text.find(">", start) if start >= 0 else -1
    return 0 <= end < at and text.find("</script", end, at) < 0 and "ld+json" not in text[start:end]


_ITEM_WRITER = pattern(r"setAttribute\([ \t\n\f\r]{0,9}[\"'`]item")
_ITEM_WRITER_IN_BYTES = pattern(
    rb"setAttribute\([ \t\n\f\r]{0,18}[\"'`]item"
)  # CR and LF are one character of the text


def _other_vocabulary(page: Page, node: Node) -> Absence:
    name = node.types[0]
    short = name if len(name) <= _LONGEST_TYPE else f"{name[: _LONGEST_TYPE - 1]}…"
    line, _ = page.start_position(node)
    hint = "search engines read schema.org: add its types next to the others"
    return Absence(
        reason="other-vocabulary", text=f"its markup is of another vocabulary ({short})", hint=hint, line=line
    )


class _Sign(NamedTuple):
    reason: str
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None
    words: list[bytes]
    after: re.Pattern[bytes] | None
    within: int | None
    text: str
    hint: str
    is_in_script: bool

    def search(self, text: str, *bounds: int) -> re.Match[str] | None:
        """First match that counts."""
        if not self.is_in_script:
            return self.pattern.search(text, *bounds)
        found = islice(self.pattern.finditer(text, *bounds), _MOST_MATCHES)
        return next((each for each in found if _is_in_script(text, each.start())), None)

    def bounds(self, body: int) -> tuple[int, ...]:
        """Start and end of the search; `body` is the start of the page's body."""
        return () if self.within is None else (body, body + self.within)


class _Signs(NamedTuple):
    """Signs on pages without structured data, and on pages with some."""

    reasons: list[_Sign]
    in_part: list[_Sign]


@lru_cache(maxsize=32)
def _signs(registry: Registry) -> _Signs:
    document = registry.document("absence.json")
    return _Signs(*([_sign(each, document["hints"]) for each in document[name]] for name in ("reasons", "in_part")))


def _sign(row: dict[str, Any], hints: dict[str, str]) -> _Sign:
    return _Sign(
        row["reason"],
        pattern(row["pattern"], re.IGNORECASE | re.ASCII),
        pattern(row["needs"], re.IGNORECASE | re.ASCII) if "needs" in row else None,
        [word.encode() for word in row.get("words", ())],
        pattern(row["after"].encode()) if "after" in row else None,
        row.get("within"),
        row["text"],
        hints.get(row["hint"], row["hint"]),
        row.get("in") == "script",
    )
