"""Reader of sources: templates and code become the page that they would make, as far as they say it themselves."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.formats.source_kinds import ANY, CODE, IN_MARKDOWN, has_grammars
from waypost.models.finding import FileReport, Finding, Fix
from waypost.models.page import Page, ReadError, Span
from waypost.reader import Piece, read_pieces
from waypost.reader.code_objects import (
    MOST_OBJECTS,
    UNKNOWN,
    Beyond,
    CodeObject,
    TextInCode,
    may_hold_objects,
    objects_in,
)
from waypost.reader.encoding import decode
from waypost.reader.json_block import Places
from waypost.reader.source_regions import Regions, regions_of
from waypost.reader.sources import PageSource, parse_output
from waypost.reader.templates import Masked, Place, json_ranges, mask, mask_json
from waypost.reader.text import Text
from waypost.registry.vocabulary import Vocabulary

# Rules about what is missing, or about numbers of items.
_LACKING = frozenset(
    {
        "breadcrumb-position", "breadcrumb-single-item", "json-empty-block", "jsonld-context-missing",
        "rdfa-vocab-missing", "recommended-property-missing", "required-property-missing", "suppression-unused",
        "type-missing",
    }
)  # fmt: skip
# A source is a part of a page: other files hold what it refers to.
_OF_WHOLE_PAGES = frozenset(
    {
        "list-item-outside-list", "microdata-itemref-missing-target", "microdata-orphan-property", "profile-limit",
        "profile-not-found", "rdfa-property-outside-item", "reference-dangling", "several-products",
    }
)  # fmt: skip
# Rules that count the values of a property, and point to its name.
_COUNTING = frozenset({"breadcrumb-single-item", "value-unfit"})
_TO_THE_VALUE = re.compile(rb"""["']?\s*(?::|=>)\s*""")
_NAMES = ("name", "headline", "title")
_OF_GO = frozenset({ANY, ".gohtml", ".gotmpl", ".tmpl", ".html.tmpl"})
_RECOMMENDED = "recommended-property-missing"
_UNEARNED = "feature-not-eligible"  # also a consequence of values that are unknown


class Computed(NamedTuple):
    """What a source computes.

    masked   the markup; `objects`: JSON-LD in code.
    code     text of a file of code, for its comments; empty for markup.
    inside   code inside markup in a text of the same length, for its comments; empty without a `waypost-ignore`.
    partial  offsets of nodes with an id and without a name, additions to a node of another file.
    """

    masked: Masked
    objects: tuple[CodeObject, ...]
    texts: tuple[Masked, ...]
    language: str
    data: bytes
    code: str = ""
    partial: frozenset[int] = frozenset()
    inside: str = ""

    def filter(self, report: FileReport) -> None:
        """Drop what depends on computed parts: findings, verdicts, absence and fixes."""
        places = sorted(set(self.masked.places))
        apart = [_Part(*block, list(text.places)) for text in self.texts for block in text.blocks]
        apart += (_Part(*_extent(found), list(found.places)) for found in self.objects)
        open_at = self.masked.open_at.union(
            *(text.open_at for text in self.texts), *(found.open_at for found in self.objects)
        )
        fragments = [_extent(found) for found in self.objects if not found.whole]
        blocks = [*((part.start, part.end) for part in apart), *self.masked.blocks]
        unknown = _Unknown(
            places, apart, open_at, self._unearned(), fragments, blocks, self.masked.loose, self.data, self.partial
        )
        report.findings = [found for found in report.findings if unknown.leaves(found)]
        report.suppressed = [found for found in report.suppressed if unknown.leaves(found)]
        for found in report.findings:
            found.fix = self._usable_fix(found, unknown)
        # Structured data may come in by what is computed.
        if places or self.objects or self.texts or report.items:
            report.absence = None
        if places or open_at or fragments or any(part.places for part in apart):
            self._drop_verdicts(report)

    def _drop_verdicts(self, report: FileReport) -> None:
        """Drop the verdicts, which follow from values that are unknown."""
        report.verdicts, report.advice = [], []
        for finding in (*report.findings, *report.suppressed):
            finding.verdict, finding.advice = None, ()
        for item in report.items:
            item.eligible = item.retired = ()
            if not (item.name or "").strip("_"):
                item.name = None
            if item.id and UNKNOWN in item.id:
                item.id = None
            item.types = tuple(each for each in item.types if each.strip("_"))

    def _unearned(self) -> list[tuple[int, int]]:
        """Byte ranges in which a value is unknown."""
        blocks = [
            block
            for masked in (self.masked, *self.texts)
            for block in masked.blocks
            if any(block[0] <= place.start < block[1] for place in masked.places)
        ]
        return blocks + [_extent(found) for found in self.objects if found.places or found.open_at]

    def _usable_fix(self, finding: Finding, unknown: _Unknown) -> Fix | None:
        """Fix that touches nothing computed, in the notation of the code; None for another one."""
        fix = finding.fix
        if fix is None or any(unknown.touches(edit.start, edit.end) for edit in fix.edits):
            return None
        inside = next((found for found in self.objects if _contains(found, finding)), None)
        if inside is None:
            return fix
        from waypost.reader.code_fixes import in_code

        return in_code(fix, inside, self.data, self.language)


class _Part(NamedTuple):
    """JSON-LD in code: byte range, and its computed parts."""

    start: int
    end: int
    places: list[Place]


class _Unknown(NamedTuple):
    """What is unknown in a file, as byte ranges and offsets; `places` are outside of `apart`, the JSON-LD in code."""

    places: list[Place]
    apart: list[_Part]
    open_at: frozenset[int]
    unearned: list[tuple[int, int]]
    fragments: list[tuple[int, int]]
    blocks: list[tuple[int, int]]
    loose: bool
    data: bytes
    partial: frozenset[int]

    def leaves(self, finding: Finding) -> bool:
        """Whether a finding holds whatever the computed parts are."""
        if finding.rule in _OF_WHOLE_PAGES or (finding.property and not finding.property.strip("_")):
            return False
        if self.touches(finding.start, finding.end):
            return False
        block = _around(self.blocks, finding.start)
        if block is None:
            return not (self.loose and finding.rule in {*_LACKING, _UNEARNED})
        if finding.rule == _UNEARNED and _around(self.unearned, finding.start):
            return False
        if finding.rule in _LACKING and (
            finding.start in self.open_at or finding.start in self.partial or _around(self.fragments, finding.start)
        ):
            return False
        if finding.rule in _COUNTING and self._has_open_list(finding.end):
            return False
        # One finding for several properties, some of them of an object inside.
        if finding.rule == _RECOMMENDED and "." in (finding.property or ".") and self._is_open_inside(finding.start):
            return False
        # The brackets of a block that statements take apart are no errors.
        return not (finding.authority == "json" and any(block[0] <= at < block[1] for at in self.open_at))

    def _has_open_list(self, at: int) -> bool:
        """Whether the value behind the name of a property is a list with a loop or a spread."""
        value = _TO_THE_VALUE.match(self.data, at)
        return value is not None and value.end() in self.open_at

    def _is_open_inside(self, at: int) -> bool:
        """Whether the block of an object is open at a later place."""
        block = _around(self.blocks, at)
        return block is not None and any(at < each < block[1] for each in self.open_at)

    def touches(self, start: int, end: int) -> bool:
        """Whether a range touches a computed part."""
        around = [part for part in self.apart if part.start <= start < part.end]
        # An object inside an expression of another one has its own unknown parts.
        inner = max(around, key=lambda part: part.start, default=None)
        return _overlaps(inner.places if inner else self.places, start, end)


def _around(ranges: Iterable[tuple[int, int]], at: int) -> tuple[int, int] | None:
    return next((each for each in ranges if each[0] <= at <= each[1]), None)


def _overlaps(places: list[Place], start: int, end: int) -> bool:
    at = bisect_left(places, (start,)) - 1
    return any(
        (place.start < end and start < place.end) or (place.start, place.end) == (start, end)
        for place in places[max(at, 0) : at + 3]
    ) or any(start <= place.start < end for place in places[max(at, 0) : at + 200])


def _extent(found: CodeObject) -> tuple[int, int]:
    return found.tokens[0].source_start, found.tokens[-1].source_end


def _contains(found: CodeObject, finding: Finding) -> bool:
    start, end = _extent(found)
    return start <= finding.start < end


def needs_grammar(data: bytes, language: str) -> bool:
    """Whether JSON-LD or markup in code is to be read, which takes a grammar of the extra `sources`."""
    from waypost.reader.jsx_markup import LANGUAGES, may_hold_markup

    if language in LANGUAGES and may_hold_markup(data):
        return True
    return any(may_hold_objects(code.data) for code in regions_of(data, language).code)


def read_source(
    source: PageSource,
    path: str,
    vocabulary: Vocabulary,
    syntaxes: Iterable[str] | None = None,
    encoding: str | None = None,
) -> Page:
    """Page of a source, with `computed`. Raises MissingExtra where it has JSON-LD in code and a grammar is missing."""
    regions = regions_of(source.data, source.language)
    text = decode(source.data, source.media_type, encoding if source.kind == "html" else "utf-8")
    objects: list[CodeObject] = []
    texts: list[Masked] = []
    beyond: list[Beyond] = []
    if syntaxes is None or "json-ld" in syntaxes:
        for found in _in_code(regions, source):
            if source.language == IN_MARKDOWN and not _has_toml(source.data) and _is_json(found, source.data):
                continue  # JSON of the front matter is read with the Markdown
            if isinstance(found, Beyond):
                beyond.append(found)
            elif isinstance(found, CodeObject):
                objects.append(found)
            else:
                texts.append(_masked_text(source.data, found))
    pieces = sorted([*_pieces_of_objects(objects, text), *_pieces_of_texts(texts, text)])
    jsx = _jsx(source, syntaxes)
    if jsx is not None:
        masked = jsx
        output = source._replace(data=masked.data, kind="html", language="")
        page = parse_output(output, path, vocabulary, syntaxes, encoding or "utf-8", pieces)
        page.is_html = False
    elif source.language in CODE:
        masked = Masked(source.data, (), (), frozenset(), loose=False)
        page = read_pieces(text, pieces, vocabulary, path=path, url=source.url)
    else:
        masked = mask(regions.data, is_json=source.kind == "json", language=source.language, known=regions.expressions)
        output = source._replace(data=masked.data, language="")
        page = parse_output(output, path, vocabulary, syntaxes, encoding, pieces)
    page.text = _with_objects(page.text, text.string, pieces)
    if objects:
        page.read_errors = [error for error in page.read_errors if error.rule != "front-matter-not-read"]
    page.read_errors += (_too_many(found, text) for found in beyond)
    page.guessed.clear()  # the computed parts are what the recovery guessed about
    if source.language == IN_MARKDOWN and not (objects or texts or masked.places):
        return page  # a page like another
    code = text.string if source.language in CODE else ""
    if code:
        page.has_suppressions = b"waypost-ignore" in source.data
    inside = "" if code else _code_inside(regions, source, text.string)
    page.has_suppressions |= bool(inside)
    partial = frozenset(_partial(page))
    page.computed = Computed(masked, tuple(objects), tuple(texts), source.language, source.data, code, partial, inside)
    return page


def _code_inside(regions: Regions, source: PageSource, text: str) -> str:
    """Code of a component or of PHP, everything else blank; empty where the lengths differ."""
    if source.language == IN_MARKDOWN or b"waypost-ignore" not in source.data:
        return ""
    out = " " * len(text)
    for code in regions.code:
        own = decode(code.data, source.media_type, "utf-8").string
        if len(own) == len(text) and "waypost-ignore" in own:
            out = own
    return out if out.strip() else ""


def _too_many(beyond: Beyond, text: Text) -> ReadError:
    span = Span(text.offset(beyond.start), text.offset(beyond.end))
    return ReadError("json-too-large", span, detail={"what": "objects in code", "most": MOST_OBJECTS})


def _partial(page: Page) -> Iterator[int]:
    """Offsets in the file of nodes with an id and without a name, additions to a node of another file."""
    for node in page.nodes:
        if node.id and not node.reference and not any(node.get(prop) for prop in _NAMES):
            yield page.locate.byte_range(node.block.span(node, part="node"))[0]


def _jsx(source: PageSource, syntaxes: Iterable[str] | None) -> Masked | None:
    """Markup of JSX; None for other code, and where no syntax of markup is read."""
    from waypost.reader.jsx_markup import LANGUAGES, markup_of

    is_read = syntaxes is None or not {"microdata", "rdfa"}.isdisjoint(syntaxes)
    return markup_of(source.data) if source.language in LANGUAGES and is_read else None


def _in_code(regions: Regions, source: PageSource) -> Iterator[CodeObject | TextInCode | Beyond]:
    data, language = source.data, source.language
    if language != IN_MARKDOWN or has_grammars():
        for code in regions.code:
            yield from objects_in(code.data, code.grammar)
    if language in _OF_GO:
        from waypost.reader.hugo_dicts import dicts_in

        yield from dicts_in(data)
    elif language == IN_MARKDOWN and _has_toml(data):
        from waypost.reader.markdown import front_matter
        from waypost.reader.toml_objects import tables_in

        if front := front_matter(data)[0]:
            yield from tables_in(data, front[0] + 3, front[1] - 3)


def _has_toml(data: bytes) -> bool:
    """Whether the front matter of Markdown is TOML."""
    return data.removeprefix(b"\xef\xbb\xbf").startswith(b"+++")


def _is_json(found: CodeObject | TextInCode | Beyond, data: bytes) -> bool:
    return not isinstance(found, CodeObject) or data[found.tokens[0].source_start :][:1] == b"{"


def _masked_text(data: bytes, found: TextInCode) -> Masked:
    """JSON-LD inside a string, alone or in scripts."""
    inner = data[found.start : found.end]
    ranges = [(found.start + low, found.start + high) for low, high in json_ranges(inner, is_json=False)]
    blocks = ranges or [(found.start, found.end)]
    out, open_at = bytearray(data), set[int]()
    places: list[Place] = []
    for low, high in blocks:
        within = [place for place in found.places if low <= place.start < high]
        places += mask_json(data, low, high, within, out, open_at)
    return Masked(bytes(out), tuple(sorted(places)), tuple(blocks), frozenset(open_at), loose=False)


def _pieces_of_objects(objects: list[CodeObject], text: Text) -> Iterator[Piece]:
    for found in objects:
        starts = [token.start for token in found.tokens]
        spans = [Span(text.offset(token.source_start), text.offset(token.source_end)) for token in found.tokens]
        yield Piece(spans[0].start, found.text, Places(starts, spans))


def _pieces_of_texts(texts: list[Masked], text: Text) -> Iterator[Piece]:
    for masked in texts:
        for low, high in masked.blocks:
            start = text.offset(low)
            json = masked.data[low:high].decode("utf-8", "replace").replace("\r\n", "\n")
            yield Piece(start, json)


def _with_objects(read: str, written: str, pieces: list[Piece]) -> str:
    """Text of the page with the objects of the code as they are written, their tokens in the quotes of JSON."""
    if not pieces or len(read) != len(written):
        return read
    text = list(read)
    for piece in pieces:
        for span in piece.places.spans if piece.places else [Span(piece.start, piece.start + len(piece.text))]:
            text[span.start : span.end] = written[span.start : span.end]
            if span.end - span.start > 1 and text[span.start] in "'`" and text[span.end - 1] == text[span.start]:
                text[span.start] = text[span.end - 1] = '"'
    return "".join(text)
