"""Template pages: placeholders are masked, and findings that depend on placeholders are dropped.

The values of `{{ price }}`, `{% if %}`, `<% %>` and `<?php ?>` are unknown. A finding stays only if no value can
remove the error: a misspelled type next to a placeholder is always wrong.

- No findings about a value with a placeholder, nor about the syntax of a block with placeholders outside strings.
- No findings about missing items where a template may insert them: in a block of JSON-LD with a statement or a
  placeholder outside strings; in Microdata and RDFa of a page with statements.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from waypost.models.finding import FileReport, Finding

MOST_PLACES = 20_000
"""Limit of placeholders in a document; later placeholders are validated as text."""

_OPENING = re.compile(rb"\{\{\{|\{\{|\{%|\{#|<%|<\?(?:php\b|=)")
_OPENING_IN_JSON = re.compile(_OPENING.pattern + rb"|[$@]\{")
_CLOSING = {b"{{{": b"}}}", b"{{": b"}}", b"{%": b"%}", b"{#": b"#}", b"<%": b"%>", b"${": b"}", b"@{": b"}"}
_LONGEST, _LONGEST_CODE = 4_000, 100_000
_SCRIPT = re.compile(rb"<script\b[^>]{0,2000}\bld\+json[^>]{0,2000}>(.*?)</script", re.DOTALL | re.IGNORECASE)
_RAW = re.compile(rb"<(script|style)\b[^>]{0,2000}>.*?</\1", re.DOTALL | re.IGNORECASE)
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NOT_BREAK = re.compile(rb"[^\r\n]")
_STATEMENTS = (b"{%", b"{#", b"<%", b"<?")
# In Go's templates, Handlebars and Mustache statements look like values.
_STATEMENT = re.compile(
    rb"\{\{[-~]?\s*(?:[#/^>!]|(?:if|else|end|range|with|block|define|template|partial|include)\b(?!\s*[|.}]))"
    rb"|\{\{[-~]?\s*(?:else|end)\s*[-~]?\}\}"
)
_OUTPUT = (b"<%=", b"<%-", b"<?=")
# Rules about missing items, or about numbers of items.
_LACKING = frozenset(
    {
        "breadcrumb-position", "breadcrumb-single-item", "json-empty-block", "jsonld-context-missing",
        "microdata-itemref-missing-target", "microdata-orphan-property", "profile-limit", "rdfa-property-outside-item",
        "rdfa-vocab-missing", "recommended-property-missing", "reference-dangling", "required-property-missing",
        "suppression-unused", "type-missing",
    }
)  # fmt: skip
_UNEARNED = "feature-not-eligible"  # also a consequence of unreadable values, such as placeholders


class Placeholder(NamedTuple):
    """Placeholder of a template: byte range. `quoted`: inside a string of JSON-LD."""

    start: int
    end: int
    quoted: bool


class Block(NamedTuple):
    """Content of a JSON-LD script. `open`: a template may insert members."""

    start: int
    end: int
    has_places: bool
    open: bool


class Masked(NamedTuple):
    """Document of the same length with masked placeholders. `places`: sorted, disjoint placeholders."""

    data: bytes
    places: tuple[Placeholder, ...]
    blocks: tuple[Block, ...]
    has_statements: bool

    def filter(self, report: FileReport) -> FileReport:
        """Drop findings that depend on placeholders."""
        if self.places:
            ends = [place.end for place in self.places]
            report.findings = [f for f in report.findings if not self._touches(f, ends) and self._holds(f)]
        return report

    def _touches(self, finding: Finding, ends: Sequence[int]) -> bool:
        """Whether a finding overlaps a placeholder."""
        if finding.property and not finding.property.strip("_"):
            return True
        next_ = bisect_right(ends, finding.start)
        return next_ < len(ends) and self.places[next_].start < finding.end

    def _holds(self, finding: Finding) -> bool:
        block = next((block for block in self.blocks if block.start <= finding.start <= block.end), None)
        if block is None:
            return not (self.has_statements and finding.rule in {*_LACKING, _UNEARNED})
        if finding.rule == _UNEARNED:
            return not block.has_places
        return not (block.open and (finding.rule in _LACKING or finding.authority == "json"))


def blocks_of(data: bytes, *, is_json: bool) -> list[tuple[int, int]]:
    """Byte ranges of JSON-LD: content of the scripts, or the whole document."""
    return [(0, len(data))] if is_json else [found.span(1) for found in _SCRIPT.finditer(data)]


def mask(data: bytes, *, is_json: bool) -> Masked:
    """Mask placeholders without moving other bytes."""
    if _OPENING_IN_JSON.search(data) is None:
        return Masked(data, (), (), has_statements=False)
    spans = blocks_of(data, is_json=is_json)
    out = bytearray(data)
    places: list[Placeholder] = []
    has_statements = False
    # JSON-LD is masked below, by its own rules.
    elsewhere = spans if is_json else [found.span() for found in _RAW.finditer(data)]
    for start, end in _places(data, _OPENING):
        if not any(low <= start < high for low, high in elsewhere):  # other scripts and styles have their own syntax
            statement = _is_statement(data[start:end])
            has_statements |= statement
            # A statement leaves nothing behind, a value some text.
            out[start:end] = _blank(data[start:end], b" " if statement else b"_")
            places.append(Placeholder(start, end, quoted=False))
    blocks = []
    for low, high in spans:
        inner = list(_masked_json(data, low, high, out))
        places += inner
        blocks.append(Block(low, high, bool(inner), any(not placeholder.quoted for placeholder in inner)))
    return Masked(bytes(out), tuple(sorted(places)), tuple(blocks), has_statements)


def _places(data: bytes, opening: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """Byte ranges of placeholders, sorted and disjoint."""
    end = 0
    for found in islice(opening.finditer(data), MOST_PLACES):
        start = found.start()
        if start < end:
            continue
        closing = _CLOSING.get(found[0], b"?>")
        at = data.find(closing, found.end(), found.end() + (_LONGEST_CODE if closing == b"?>" else _LONGEST))
        if at < 0 and closing == b"?>":  # PHP allows an open tag at the end of the file
            at = len(data) - len(closing)
        if at >= 0:
            end = at + len(closing)
            yield start, end


def _masked_json(data: bytes, low: int, high: int, out: bytearray) -> Iterator[Placeholder]:
    """Mask the placeholders of a block: in strings as letters, elsewhere as a string or as blanks."""
    text = data[low:high]
    taken = list(_places(text, _OPENING_IN_JSON))
    neutral = bytearray(text)
    for start, end in taken:
        # A quote inside a placeholder is not a quote of the JSON.
        neutral[start:end] = b"_" * (end - start)
    strings = [found.span() for found in _STRING.finditer(bytes(neutral))]
    at = 0
    for start, end in taken:
        while at < len(strings) and strings[at][1] <= start:
            at += 1
        quoted = at < len(strings) and strings[at][0] < start
        if quoted:
            written = b"_" * (end - start)
        elif _is_statement(text[start:end]) and not _is_value(text, start):
            written = _blank(text[start:end], b" ")
        else:
            # A value outside a string becomes a string of the same length, so that the JSON stays readable.
            written = b'"' + b"_" * (end - start - 2) + b'"'
        out[low + start : low + end] = written
        yield Placeholder(low + start, low + end, quoted)


def _is_value(text: bytes, at: int) -> bool:
    """Whether a colon precedes an offset."""
    while at > 0 and text[at - 1] in b" \t\r\n":
        at -= 1
    return at > 0 and text[at - 1] == ord(":")


def _is_statement(text: bytes) -> bool:
    return (text.startswith(_STATEMENTS) and not text.startswith(_OUTPUT)) or _STATEMENT.match(text) is not None


def _blank(text: bytes, by: bytes) -> bytes:
    return _NOT_BREAK.sub(by, text)
