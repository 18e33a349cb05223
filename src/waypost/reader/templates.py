"""Markup of templates: what an engine computes is masked in place, so that every offset stays that of the file.

The values of `{{ price }}`, `{% if %}`, `<% %>`, `<?php ?>`, `@json($x)` and `{expr}` are unknown. A value becomes
letters or, outside of strings of JSON, a string; a statement becomes spaces. Of the branches of a condition inside a
JSON-LD script the first is read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from waypost.reader.brackets import closing_bracket

MOST_PLACES: Final = 20_000
"""Limit of computed parts in a file; later ones are read as text."""

_LONGEST, _LONGEST_CODE = 4_000, 100_000
_SCRIPT = re.compile(rb"<script\b[^>]{0,2000}\bld\+json[^>]{0,2000}>(.*?)(?:</script|\Z)", re.DOTALL | re.IGNORECASE)
_RAW = re.compile(rb"<(script|style)\b[^>]{0,2000}>.*?</\1", re.DOTALL | re.IGNORECASE)
_ID_BEFORE = re.compile(rb'"@id"\s*:\s*(?:"[^"]*)?\Z')
_ID_ATTRIBUTE = re.compile(rb"\b(?:itemid|resource|about)\s*=\s*[\"']\Z", re.IGNORECASE)
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)

# Engines that may write anything between their marks; in file order, the longest mark first.
_CODE_MARKS = re.compile(rb"<%|<\?(?:php\b|=)")
_MARKS = re.compile(rb"\{%-?\s*(?:comment|raw|verbatim)\b|\{\{!--|\{\{--|\{\{\{|\{\{|\{%|\{#|\{!!")
_MARKS_IN_JSON = re.compile(_MARKS.pattern + rb"|[$@#]\{")
_ENDS = {
    b"{{!--": b"--}}", b"{{--": b"--}}", b"{{{": b"}}}", b"{{": b"}}", b"{%": b"%}", b"{#": b"#}", b"{!!": b"!!}",
    b"<%": b"%>", b"${": b"}", b"@{": b"}", b"#{": b"}",
}  # fmt: skip
_END_OF_COMMENT = re.compile(rb"\{%-?\s*end(?:comment|raw|verbatim)\s*-?%\}")
# An at sign starts a directive or an expression: `"@@type"`, `"@("@")type"` and `"{{ '@' }}type"` stand for "@type".
_AT = re.compile(rb"""\"(?:@@|@\("@"\)|\{\{\s*(?:'@'|"@")\s*\}\}|\{!!\s*(?:'@'|"@")\s*!!\})(?=[a-z]+\")""")
_BLADE = re.compile(rb"(?<![\w@])@([a-zA-Z]+)(\s*\()?")
_RAZOR = re.compile(rb"(?<![\w@])@(?:\*|\(|\{|[A-Za-z_])")
_KEYWORDS = frozenset({b"context", b"type", b"id", b"graph", b"value", b"language", b"list", b"set", b"reverse"})
_RAZOR_STATEMENTS = frozenset(
    {b"if", b"for", b"foreach", b"while", b"switch", b"using", b"model", b"section", b"else", b"inject", b"page",
     b"functions", b"addTagHelper"}
)  # fmt: skip

_HEAD = re.compile(rb"(?:\{\{\{?|\{%|\{!!|\{|<%|<\?(?:php|=)?|@)[-~+_]*\s*([#/^>!:=*]?)\s*(\}?)\s*([A-Za-z]*)")
_OPENING = frozenset(
    {b"if", b"unless", b"for", b"foreach", b"forelse", b"while", b"case", b"switch", b"range", b"with", b"block",
     b"define", b"ifchanged", b"isset", b"empty", b"each", b"auth", b"guest", b"capture", b"filter"}
)  # fmt: skip
_ELSE = frozenset({b"else", b"elsif", b"elif", b"elseif", b"when", b"default"})
_STATEMENTS = _OPENING | _ELSE | frozenset(
    {b"end", b"template", b"partial", b"include", b"extends", b"import", b"set", b"assign", b"render"}
)  # fmt: skip
_PRINTING = re.compile(rb"\b(?:echo|print|the_\w+|esc_\w+)\b")


class Place(NamedTuple):
    """Computed part of a file: byte range. `supplies`: items, members or elements may come in here."""

    start: int
    end: int
    supplies: bool = False


class Masked(NamedTuple):
    """File of the same length without its computed parts.

    places   sorted, disjoint.
    blocks   byte ranges of JSON-LD.
    open_at  offsets of the brackets of JSON-LD inside which a member may come in.
    loose    a statement may bring in markup.
    """

    data: bytes
    places: tuple[Place, ...]
    blocks: tuple[tuple[int, int], ...]
    open_at: frozenset[int]
    loose: bool


def json_ranges(data: bytes, *, is_json: bool) -> list[tuple[int, int]]:
    """Byte ranges of JSON-LD: content of the scripts, or the whole document."""
    return [(0, len(data))] if is_json else [found.span(1) for found in _SCRIPT.finditer(data)]


def mask(data: bytes, *, is_json: bool, language: str = "", known: Iterable[Place] = ()) -> Masked:
    """Mask the computed parts. `known`: parts that the syntax of the language gives, as the expressions of Svelte."""
    at_signs = [found.span() for found in _AT.finditer(data)]
    out = bytearray(data)
    for start, end in at_signs:
        out[start:end] = b'"@'.rjust(end - start)
    data = bytes(out)
    first = [*known, *_found(data, _CODE_MARKS)]
    neutral = _blanked(data, first)
    ranges = json_ranges(neutral, is_json=is_json)
    raw = [] if is_json else [found.span() for found in _RAW.finditer(neutral)]
    elsewhere = list(_outside(_found(neutral, _marks_outside(language)), raw))
    places = sorted({*_outside(first, ranges), *elsewhere, *_directives(neutral, language, raw)})
    places = [place for place in _disjoint(places) if not any(low <= place.start < high for low, high in ranges)]
    loose = False
    computed: list[Place] = []
    neutral = _blanked(data, places)
    for start, end, supplies in places:
        statement = supplies or is_statement(data[start:end])
        value = _attribute_around(neutral, start)
        out[start:end] = blanked(data[start:end], b" " if statement and value is None else b"_")
        if value is not None:
            if _ID_ATTRIBUTE.search(data, max(0, value[0] - 20), value[0]):
                out[start:end] = named(out[start:end], data[start:end])
            # Of a value with a computed part nothing is known.
            computed.append(Place(*value))
        loose |= may_supply(data[start:end]) if statement else _may_bring_markup(data, start, end)
        computed.append(Place(start, end))
    open_at: set[int] = set()
    for low, high in ranges:
        inside = [place for place in first if low <= place.start < high]
        inside += (Place(low + place.start, low + place.end) for place in _found(data[low:high], _MARKS_IN_JSON))
        inside += (Place(low + p.start, low + p.end, p.supplies) for p in _directives(data[low:high], language, []))
        computed += mask_json(data, low, high, _disjoint(sorted(inside)), out, open_at)
    return Masked(bytes(out), tuple(_merged(computed)), tuple(ranges), frozenset(open_at), loose)


def _marks_outside(language: str) -> re.Pattern[bytes]:
    return _MARKS_IN_JSON if language in {".jsp", ".jspf"} else _MARKS


def _found(data: bytes, marks: re.Pattern[bytes]) -> list[Place]:
    """Parts between the marks of the engines, sorted and disjoint."""
    found: list[Place] = []
    end = 0
    for mark in marks.finditer(data):
        start = mark.start()
        if start < end:
            continue
        if len(found) >= MOST_PLACES:
            break
        if (end_ := _end_of(data, mark)) >= 0:
            end = end_
            found.append(Place(start, end))
    return found


def _end_of(data: bytes, mark: re.Match[bytes]) -> int:
    """End of a computed part; -1 where it does not end."""
    opening = mark[0]
    if opening.startswith(b"{%") and len(opening) > 2:
        close = _END_OF_COMMENT.search(data, mark.end(), mark.end() + _LONGEST_CODE)
        return close.end() if close else -1
    if opening.startswith(b"<?"):
        at = data.find(b"?>", mark.end(), mark.end() + _LONGEST_CODE)
        # PHP allows an open tag at the end of the file.
        return at + 2 if at >= 0 else len(data)
    closing = _ENDS[opening]
    at = data.find(closing, mark.end(), mark.end() + _LONGEST)
    return at + len(closing) if at >= 0 else -1


def _directives(data: bytes, language: str, raw: list[tuple[int, int]]) -> Iterator[Place]:
    """Directives of Blade and expressions of Razor, which end with their brackets."""
    if language == ".blade.php":
        for found in _BLADE.finditer(data):
            if found[1].lower() not in _KEYWORDS and not _is_within(found.start(), raw):
                end = closing_bracket(data, found.end() - 1) if found[2] else found.end()
                yield Place(found.start(), end, found[1] not in {b"json", b"lang", b"yield"})
    elif language in {".cshtml", ".razor"}:
        for found in _RAZOR.finditer(data):
            if not _is_within(found.start(), raw) and (place := _razor(data, found.start())):
                yield place


def _razor(data: bytes, at: int) -> Place | None:
    sign = data[at + 1 : at + 2]
    if sign == b"*":
        end = data.find(b"*@", at + 2, at + _LONGEST_CODE)
        return Place(at, end + 2, supplies=True) if end >= 0 else None
    if sign in b"({":
        return Place(at, closing_bracket(data, at + 1), sign == b"{")
    name = re.compile(rb"[A-Za-z_]\w*").match(data, at + 1)
    assert name is not None
    if name[0] in _KEYWORDS:
        return None
    end = name.end()
    if name[0] in _RAZOR_STATEMENTS:
        line = data.find(b"\n", end)
        return Place(at, len(data) if line < 0 else line, supplies=True)
    member = re.compile(rb"\??\.[A-Za-z_]\w*")
    while end < len(data):
        if data[end : end + 1] in {b"(", b"["}:
            end = closing_bracket(data, end)
        elif further := member.match(data, end):
            end = further.end()
        else:
            break
    return Place(at, end)


def _is_within(at: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(low <= at < high for low, high in ranges)


def _outside(places: Iterable[Place], ranges: list[tuple[int, int]]) -> Iterator[Place]:
    return (place for place in places if not _is_within(place.start, ranges))


def _disjoint(places: Iterable[Place]) -> list[Place]:
    """Sorted places without those that begin inside an earlier one."""
    apart: list[Place] = []
    for place in places:
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
    return apart


def _merged(places: Iterable[Place]) -> Iterator[Place]:
    """Sorted places, each overlap as one."""
    last: Place | None = None
    for place in sorted(places):
        if last is not None and place.start < last.end:
            last = Place(last.start, max(last.end, place.end))
            continue
        if last is not None:
            yield last
        last = place
    if last is not None:
        yield last


def mask_json(
    data: bytes, low: int, high: int, places: list[Place], out: bytearray, open_at: set[int]
) -> Iterator[Place]:
    """Mask the parts of a block of JSON: in strings by letters, elsewhere by a string or by spaces.

    open_at  takes the offsets of brackets inside which members may come in.
    """
    text = data[low:high]
    # A quote inside a computed part is not a quote of the JSON.
    neutral = bytearray(text)
    for start, end, _ in places:
        neutral[start - low : end - low] = b"_" * (end - start)
    strings = [(low + a, low + b) for a, b in (found.span() for found in _STRING.finditer(bytes(neutral)))]
    starts = [start for start, _ in strings]
    out[low:high] = text
    left_out = _other_branches(data, places, high)
    loose: list[tuple[Place, bool]] = []
    for place in _disjoint(sorted([*left_out, *places], key=lambda each: (each.start, -each.end))):
        at = bisect_left(starts, place.start) - 1
        if at >= 0 and strings[at][1] > place.start:
            out[place.start : place.end] = blanked(data[place.start : place.end], b"_")
            if _ID_BEFORE.search(out, max(low, strings[at][0] - 20), place.start):
                out[place.start : place.end] = named(out[place.start : place.end], data[place.start : place.end])
            yield Place(place.start, place.end)
        else:
            statement = place.supplies or is_statement(data[place.start : place.end])
            out[place.start : place.end] = blanked(data[place.start : place.end], b" ")
            loose.append((place, statement))
    # From the end, so that what follows a part is known to be a value or not.
    for place, statement in reversed(loose):
        yield _settle(place, statement, low, high, out, data)
    supplying = [p.start for p, s in loose if s and may_supply(data[p.start : p.end])]
    _note_open(out, low, high, supplying, open_at)
    _note_open(out, low, high, [p.start for p, s in loose if not s and out[p.start : p.start + 1] == b" "], open_at)


def _settle(place: Place, statement: bool, low: int, high: int, out: bytearray, data: bytes) -> Place:
    """Write a string for a part outside of strings where a value is due; a number in two parts is one value."""
    start, end = place.start, place.end
    before, after = out[low:start].rstrip()[-1:], out[end:high].lstrip()[:1]
    if not statement:
        while end < high and out[end] not in b' \t\r\n,:{}[]"':
            end += 1
        while start > low and out[start - 1] not in b' \t\r\n,:{}[]"':
            start -= 1
        after = out[end:high].lstrip()[:1]
        joined = after == b'"' and out[end:high].lstrip()[1:2] == b"_" and before in b":["
        is_value = joined or after in b",}]:" or before == b":"
    else:
        is_value = before == b":" and after in b",}]"
    if is_value and after == b"[":
        is_value = False
    if is_value and end - start >= 2:
        follows = end + (len(out[end:high]) - len(out[end:high].lstrip()))
        if not statement and after == b'"' and out[follows + 1 : follows + 2] == b"_":
            # `{{ a }} {{ b }}`: one value.
            stop = out.find(b'"', follows + 1)
            out[start : stop + 1] = b'"' + b"_" * (stop - start - 1) + b'"'
        else:
            inner = bytearray(b"_" * (end - start - 2))
            if before == b":" and _ID_BEFORE.search(out, max(low, start - 20), start):
                inner = named(inner, data[start:end])
            out[start:end] = b'"' + inner + b'"'
    return Place(start, end)


def _note_open(out: bytearray, low: int, high: int, at: list[int], open_at: set[int]) -> None:
    """Add the innermost brackets around offsets; around a list, also those of its owner."""
    if not at:
        return
    waiting = sorted(at, reverse=True)
    stack: list[int] = []
    skip = _STRING
    position = low
    while position < high and waiting:
        while waiting and waiting[-1] <= position:
            open_at.update(stack[-1:])
            if stack and out[stack[-1]] == ord("["):
                open_at.update(stack[-2:])
            waiting.pop()
        sign = out[position]
        if sign == ord('"'):
            string = skip.match(out, position, high)
            position = string.end() if string else position + 1
            continue
        if sign in b"{[":
            stack.append(position)
        elif sign in b"}]" and stack:
            stack.pop()
        position += 1
    if waiting and stack:
        open_at.update(stack)


def _other_branches(data: bytes, places: list[Place], high: int) -> list[Place]:
    """Ranges of the branches after the first of each condition."""
    stack: list[tuple[bytes, int]] = []
    found: list[Place] = []
    for place in places:
        sign, brace, word = _head(data[place.start : place.end])
        closes = bool(brace) or word.startswith(b"end") or sign == b"/"
        if (word in _ELSE or sign == b"^") and stack:
            opener, other = stack[-1]
            if opener in {b"case", b"switch"} and other == 0:
                stack[-1] = opener, -1
            elif other <= 0:
                stack[-1] = opener, place.start
        elif closes and stack:
            opener, other = stack[-1]
            if word in {b"end", b""} or sign == b"/" or word == b"end" + opener or brace:
                stack.pop()
                if other > 0:
                    found.append(Place(other, place.end, supplies=True))
        elif (word in _OPENING and is_statement(data[place.start : place.end])) or sign == b"#":
            stack.append((word, 0))
    found += (Place(other, high, supplies=True) for _, other in stack if other > 0)
    return found


def _head(text: bytes) -> tuple[bytes, bytes, bytes]:
    """(sign, closing brace, first word) of a computed part."""
    found = _HEAD.match(text)
    return (found[1], found[2], found[3].lower()) if found else (b"", b"", b"")


def is_statement(text: bytes) -> bool:
    """Whether a computed part leaves nothing behind, or several things: a condition, a loop, an included part."""
    sign, brace, word = _head(text)
    if text.startswith(b"<?"):
        return not text.startswith(b"<?=") and (
            bool(brace) or word in _STATEMENTS or word.startswith(b"end") or not _PRINTING.search(text)
        )
    if text.startswith(b"<%"):
        return (sign in b"#!@" and bool(sign)) or (
            not text.startswith((b"<%=", b"<%-", b"<%:")) or bool(brace) or word in _STATEMENTS
        )
    if text.startswith((b"{%", b"{#", b"{{--", b"{{!")):
        return True
    if text.startswith((b"{{", b"@")):
        if sign and sign in b"#/^>!*":
            return True
        # A name of a variable may be a keyword of another engine.
        is_alone = re.match(rb"[-~]?\s*[\w]+\s*[-~]?\}\}", text[2:]) is not None and word not in {b"else", b"end"}
        dotted = re.match(rb"\{\{[-~]?\s*\w+\s*[|.]", text) is not None
        return word in _STATEMENTS and not (is_alone or dotted)
    return False


def _attribute_around(data: bytes, at: int) -> tuple[int, int] | None:
    """Range of the attribute's value in quotes around an offset; None outside of one."""
    low = max(0, data.rfind(b"<", max(0, at - 2_000), at))
    quote = data.rfind(b'"', low, at)
    if quote < 0 or data[quote - 1 : quote] != b"=":
        quote = data.rfind(b"'", low, at)
        if quote < 0 or data[quote - 1 : quote] != b"=":
            return None
    end = data.find(data[quote : quote + 1], at, at + _LONGEST_CODE)
    return (quote + 1, end) if end >= 0 and b">" not in data[low:quote] else None


_SUPPLIES_NOTHING = re.compile(
    rb"\{\{[-~]?\s*(?:/\*|!|--|\$[\w.]+\s*:?=|(?:else|end)\b|/)|\{#|\{%[-+]?\s*(?:assign|set|comment|raw|end|else)|<%[#-]?-|<%#"
)


def may_supply(text: bytes) -> bool:
    """Whether members or elements may come in by a statement: not by a comment, an assignment or the end of a loop."""
    return _SUPPLIES_NOTHING.match(text) is None


_ATTRIBUTE_OR_VALUE = re.compile(rb"(?:itemprop|property)\s*=[^<>]*>\s*\Z", re.IGNORECASE)


def _may_bring_markup(data: bytes, start: int, end: int) -> bool:
    """Whether an output may hold elements: one between tags, unless it is the text of a property."""
    head = data[max(0, start - 400) : start]
    opened = head.rfind(b"<")
    if opened > head.rfind(b">"):
        return False  # inside a tag
    return not (_ATTRIBUTE_OR_VALUE.search(head) and data[end : end + 100].lstrip().startswith(b"</"))


def _blanked(data: bytes, places: Iterable[Place]) -> bytes:
    out = bytearray(data)
    for start, end, _ in places:
        out[start:end] = blanked(data[start:end], b"_")
    return bytes(out)


_NOT_BREAK = re.compile(rb"[^\r\n\x80-\xff]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")


def named(mask: bytearray, expression: bytes) -> bytearray:
    """Mask of a computed id: different letters for different expressions, since one id is one node."""
    name = sha256(re.sub(rb"\s+", b"", expression)).hexdigest().encode()
    at = [each for each, sign in enumerate(mask) if sign == ord("_")][2:]
    for each, sign in zip(at, name, strict=False):
        mask[each] = sign
    return mask


def blanked(text: bytes, by: bytes) -> bytes:
    """Text of the same bytes and characters without its letters, so that columns stay."""
    if text.isascii():
        return re.sub(rb"[^\r\n]", by, text)
    # Characters of as many bytes: a no-break space, an em space; or letters of two and three.
    wide = (
        {1: by, 2: "\u00a0".encode(), 3: "\u2003".encode()}
        if by == b" "
        else {1: by, 2: b"\xc2\xaa", 3: b"\xe3\x81\x82"}
    )
    return _NOT_BREAK.sub(lambda found: wide[len(found[0])], text)
