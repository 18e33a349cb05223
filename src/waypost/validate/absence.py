"""Absence of structured data: the verdict about a page without any, with the reason where the page shows one.

Data: `schemas/absence.json`. The same in the browser: `site/js/engine/absence.js`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.finding import Absence, Finding
from waypost.models.page import Node, Page
from waypost.reader.bytescan import find, lower
from waypost.registry import Registry

_MOST = 2_000_000  # characters of a page that are searched
_LONGEST_TYPE = 60


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
    for sign in _signs(registry):
        if sign.words and all(find(small_letters, word) < 0 for word in sign.words):
            continue
        found = sign.pattern.search(text, *sign.bounds(body))
        if found is None or (sign.needs is not None and sign.needs.search(text) is None):
            continue
        words = sign.text.replace("{0}", found[1] or "") if "{0}" in sign.text else sign.text
        line, _ = page.locate.line_and_column(found.start())
        return Absence(reason=sign.reason, text=words, hint=sign.hint, line=line)
    return _other_vocabulary(page, foreign) if foreign is not None else Absence(reason="none")


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
    within: int | None
    text: str
    hint: str

    def bounds(self, body: int) -> tuple[int, ...]:
        """Start and end of the search; `body` is the start of the page's body."""
        return () if self.within is None else (body, body + self.within)


_KNOWN: dict[str, list[_Sign]] = {}  # by version of the registry


def _signs(registry: Registry) -> list[_Sign]:
    known = _KNOWN.get(registry.version)
    if known is None:
        document = registry.document("absence.json")
        hints = document["hints"]
        known = _KNOWN[registry.version] = [
            _Sign(
                each["reason"],
                pattern(each["pattern"], re.IGNORECASE | re.ASCII),
                pattern(each["needs"], re.IGNORECASE | re.ASCII) if "needs" in each else None,
                [word.encode() for word in each.get("words", ())],
                each.get("within"),
                each["text"],
                hints.get(each["hint"], each["hint"]),
            )
            for each in document["reasons"]
        ]
    return known
