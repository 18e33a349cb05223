"""Pages that are not finished: what a template engine will fill in is masked, and what depends on it is left unsaid.

`{{ price }}`, `{% if %}`, `<% %>` and `<?php ?>` stand where nobody can know what will be. A finding is kept only
where it holds whatever is filled in: a misspelled type beside a placeholder is as wrong as anywhere.

- Nothing is said of a value that a placeholder is part of, nor of the syntax of a block that has placeholders
  outside its strings.
- Nothing is said to be missing where something may yet come in: in a block of JSON-LD with a statement or a
  placeholder outside its strings; in Microdata and RDFa of a page with statements.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from waypost.models.finding import FileReport, Finding

MOST_PLACES = 20_000
"""Places of one document; what a page of such size lacks is for the command line to say."""

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
# What is said of something that is not there, or of how many there are.
_LACKING = frozenset(
    {
        "breadcrumb-position", "breadcrumb-single-item", "json-empty-block", "jsonld-context-missing",
        "microdata-itemref-missing-target", "microdata-orphan-property", "profile-limit", "rdfa-property-outside-item",
        "rdfa-vocab-missing", "recommended-property-missing", "reference-dangling", "required-property-missing",
        "suppression-unused", "type-missing",
    }
)  # fmt: skip
_UNEARNED = "feature-not-eligible"  # sums up what is unreadable too, and a placeholder is


class Placeholder(NamedTuple):
    """Something to be filled in: its bytes, and whether it stands inside a string of JSON-LD."""

    start: int
    end: int
    quoted: bool


class Block(NamedTuple):
    """The content of a script of JSON-LD; `open`: anything may come in."""

    start: int
    end: int
    has_places: bool
    open: bool


class Masked(NamedTuple):
    """A document of the same length whose placeholders are harmless, and where they were, in order and apart."""

    data: bytes
    places: tuple[Placeholder, ...]
    blocks: tuple[Block, ...]
    has_statements: bool

    def filter(self, report: FileReport) -> FileReport:
        """Leave unsaid what cannot be known."""
        if self.places:
            ends = [place.end for place in self.places]
            report.findings = [each for each in report.findings if not self._touches(each, ends) and self._holds(each)]
        return report

    def _touches(self, finding: Finding, ends: Sequence[int]) -> bool:
        """Is it about something to be filled in?"""
        if finding.property and not finding.property.strip("_"):
            return True
        next_ = bisect_right(ends, finding.start)
        return next_ < len(ends) and self.places[next_].start < finding.end

    def _holds(self, finding: Finding) -> bool:
        block = next((each for each in self.blocks if each.start <= finding.start <= each.end), None)
        if block is None:
            return not (self.has_statements and finding.rule in {*_LACKING, _UNEARNED})
        if finding.rule == _UNEARNED:
            return not block.has_places
        return not (block.open and (finding.rule in _LACKING or finding.authority == "json"))


def blocks_of(data: bytes, *, is_json: bool) -> list[tuple[int, int]]:
    """Where JSON-LD stands in a document: the content of its scripts, or all of it."""
    return [(0, len(data))] if is_json else [found.span(1) for found in _SCRIPT.finditer(data)]


def mask(data: bytes, *, is_json: bool) -> Masked:
    """Make placeholders harmless without moving anything."""
    if _OPENING_IN_JSON.search(data) is None:
        return Masked(data, (), (), has_statements=False)
    spans = blocks_of(data, is_json=is_json)
    out = bytearray(data)
    places: list[Placeholder] = []
    has_statements = False
    elsewhere = spans if is_json else [found.span() for found in _RAW.finditer(data)]
    for start, end in _places(data, _OPENING):
        if not any(low <= start < high for low, high in elsewhere):  # what other scripts hold is theirs
            statement = _is_statement(data[start:end])
            has_statements |= statement
            out[start:end] = _blank(data[start:end], b" " if statement else b"_")
            places.append(Placeholder(start, end, quoted=False))
    blocks = []
    for low, high in spans:
        inner = list(_masked_json(data, low, high, out))
        places += inner
        blocks.append(Block(low, high, bool(inner), any(not each.quoted for each in inner)))
    return Masked(bytes(out), tuple(sorted(places)), tuple(blocks), has_statements)


def _places(data: bytes, opening: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """Where placeholders stand, in order and apart."""
    end = 0
    for found in islice(opening.finditer(data), MOST_PLACES):
        start = found.start()
        if start < end:
            continue
        closing = _CLOSING.get(found[0], b"?>")
        at = data.find(closing, found.end(), found.end() + (_LONGEST_CODE if closing == b"?>" else _LONGEST))
        if at < 0 and closing == b"?>":  # PHP need not close what runs to the end
            at = len(data) - len(closing)
        if at >= 0:
            end = at + len(closing)
            yield start, end


def _masked_json(data: bytes, low: int, high: int, out: bytearray) -> Iterator[Placeholder]:
    """Mask the placeholders of one block: in strings as letters, elsewhere as a string or as nothing."""
    text = data[low:high]
    taken = list(_places(text, _OPENING_IN_JSON))
    neutral = bytearray(text)
    for start, end in taken:
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
            written = b'"' + b"_" * (end - start - 2) + b'"'
        out[low + start : low + end] = written
        yield Placeholder(low + start, low + end, quoted)


def _is_value(text: bytes, at: int) -> bool:
    """Does a colon stand before it?"""
    while at > 0 and text[at - 1] in b" \t\r\n":
        at -= 1
    return at > 0 and text[at - 1] == ord(":")


def _is_statement(text: bytes) -> bool:
    return (text.startswith(_STATEMENTS) and not text.startswith(_OUTPUT)) or _STATEMENT.match(text) is not None


def _blank(text: bytes, by: bytes) -> bytes:
    return _NOT_BREAK.sub(by, text)
