"""Bytes to text, and offsets of that text back to bytes, lines and columns of the file as given.

Which encoding: byte-order mark, what the caller or HTTP says, `meta`, then UTF-8, then windows-1252;
labels mean what the WHATWG Encoding Standard says they mean (read 2026-11-20).
"""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_left, bisect_right
from functools import cache, cached_property
from sys import getsizeof
from typing import NamedTuple

from waypost.extract.bytescan import count, utf8_count
from waypost.extract.narrow import Narrow, Narrower, Wide
from waypost.formats.patterns import pattern
from waypost.models.page import Location, Span

# Python's codec -> the labels the Encoding Standard gives it (lower case).
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
    "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
    "windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
    "iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
    "iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
    "windows-949",
}
_MULTIBYTE = frozenset({"utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932",
                        "cp949"})  # fmt: skip
# Where the byte 13 is a carriage return wherever it stands, so that it can be dropped before decoding.
_ONE_BYTE_RETURNS = frozenset({"ascii", "utf-8", "cp1252", "cp1251", "cp1250", "iso8859-2", "iso8859-15"})
_RETURN = pattern(rb"\r\n?")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_META = pattern(rb"<!--(?:.*?-->|.*\Z)|<meta[\s/][^>]*(?:>|\Z)", re.IGNORECASE | re.DOTALL)
# How most pages begin: a doctype, no comment that could hide it, the label as it should be written.
_PLAIN_META = re.compile(rb"\s*(?:<!(?!--)[^>]*>)?[^!<]*+(?:<(?!meta charset=)[^!<]*+)*+<meta charset=[\"']?([\w-]+)")
_CHARSET = pattern(rb"charset\s*+=\s*+(?:[\"']\s*+)?([^\s\"'/;>]+)", re.IGNORECASE)
_CONTENT_TYPE = pattern(rb"http-equiv\s*+=\s*+(?:[\"']\s*+)?content-type|[\s/\"']charset\s*+=", re.IGNORECASE)
_XML = pattern(rb"\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']+)")
_HEADER = pattern(r";\s*charset\s*=\s*\"?\s*([^\s\";]+)", re.IGNORECASE)

_SHIFTING = "iso2022_jp"
_UNMAPPED = "waypost-unmapped"
_STEP = 4096
_NEAR = 256  # a place this far from the nearest known one is remembered
_PIECE = 8192  # bytes decoded at a time
_FOUR_BYTES = (0xF0, 0xF1, 0xF2, 0xF3, 0xF4)
_HEAD = 4096  # where a label is looked for before the bytes are tried as UTF-8


def _unmapped(fault: UnicodeError) -> tuple[str, int]:
    """What the standard's single-byte tables hold where Python's have nothing: C1 controls, else U+FFFD."""
    assert isinstance(fault, UnicodeDecodeError)
    byte = fault.object[fault.start]
    return (chr(byte) if 0x80 <= byte < 0xA0 else "\ufffd"), fault.start + 1


codecs.register_error(_UNMAPPED, _unmapped)


@cache
def _codecs() -> dict[str, str]:
    return {label: codec for codec, labels in _LABELS.items() for label in labels.split()}


def codec_of(label: str) -> str | None:
    """Python's name for the encoding that a label means, None for a label the standard does not know."""
    return _codecs().get(label.strip().lower())


class Doubt(NamedTuple):
    """Something wrong with the encoding. `rule` explains it; `at` is a byte of the file, `label` as written."""

    rule: str
    at: int
    label: str


class Beginning:
    """A text of which the beginning was decoded, and the rest is if somebody asks for it."""

    def __init__(self, words: str | Wide, places: Places) -> None:
        self.words = words
        self._places = places

    def __getitem__(self, part: slice) -> str:
        inside = part.stop is not None and part.stop <= len(self.words)
        return self.words[part] if inside else self.whole[part]

    @property
    def whole(self) -> str:
        return self._places.rest.text


class Decoded(NamedTuple):
    """`text` has LF newlines and no byte-order mark; `places` turns its offsets into places of the file.

    words  the text, or what it can be put together from: as much of it as was asked for.
    """

    words: str | Wide
    places: Places
    codec: str
    doubts: tuple[Doubt, ...]

    @property
    def text(self) -> str:
        if self.places.is_part:
            return self.places.rest.text
        return self.words if isinstance(self.words, str) else self.words.whole

    @property
    def all_words(self) -> str | Wide | Beginning:
        """The text, where not all was asked for with what follows."""
        return Beginning(self.words, self.places) if self.places.is_part else self.words

    @property
    def narrow(self) -> Narrow | None:
        """The text as the tree reads it faster, where it has characters beyond U+FFFF."""
        return None if isinstance(self.words, str) else self.words.narrow

    @property
    def is_ascii_compatible(self) -> bool:
        """Does what is written in ASCII stand in the bytes just so?"""
        return not self.codec.startswith("utf-16") and self.codec != _SHIFTING

    @property
    def length(self) -> int:
        """Code points of all of the text, decoded or not."""
        return len(self.words) + self.places.length_beyond


def decode(
    data: bytes, media_type: str | None = None, encoding: str | None = None, *, until: int | None = None
) -> Decoded:
    """The text of a file.

    media_type  an HTTP Content-Type.
    encoding    a label the caller insists on.
    until       a byte at which a character and no line feed begins, where the text before it may do: in ASCII and
                UTF-8 the rest is looked at for its faults alone.
    """
    if data.isascii() and b"\x1b" not in data and b"\0" not in data[:4]:
        return _decoded(data, "ascii", 0, (), until=until)
    codec, skip, doubts = _choose(data, media_type, encoding)
    if codec is None:
        # A label late in the page can only matter to what is not plainly UTF-8.
        try:
            return _decoded(data, "utf-8", 0, doubts, until=until)
        except UnicodeDecodeError:
            codec, doubts = _labelled(data, len(data), doubts)
            codec = codec or "cp1252"
    if codec not in _MULTIBYTE:
        return _decoded(data, codec, skip, doubts, _UNMAPPED)
    if codec == _SHIFTING:
        raw = _shifted(data)[0]
        text = raw.replace("\r\n", "\n").replace("\r", "\n")
        return Decoded(text, Places(data, text, codec, 0, "replace", has_returns=raw != text), codec, doubts)
    try:
        return _decoded(data, codec, skip, doubts, until=until if codec == "utf-8" else None)
    except UnicodeDecodeError:
        doubts = (*doubts, Doubt("html-encoding-undecodable", _first_fault(data, skip, codec), codec))
        return _decoded(data, codec, skip, doubts, "replace")


def _decoded(
    data: bytes,
    codec: str,
    skip: int,
    doubts: tuple[Doubt, ...],
    errors: str = "strict",
    until: int | None = None,
) -> Decoded:
    """Raises UnicodeDecodeError where `errors` is "strict"."""
    returns = b"\r" in data
    stop = None if until is None else max(until, skip)
    end = len(data) if stop is None else stop
    if (codec == "utf-8" and errors == "strict") or (codec == "ascii" and returns):
        words, known = _in_pieces(data, codec, skip, end, has_returns=returns)
        if codec == "utf-8":
            _decodable(data, end)
        places = Places(data, words, codec, skip, errors, has_returns=returns, known=known, until=stop)
        return Decoded(words, places, codec, doubts)
    body = data[skip:end] if skip or until is not None else data
    if not returns:
        text = str(body, codec, errors)
    elif codec not in _ONE_BYTE_RETURNS:
        text = str(body, codec, errors).replace("\r\n", "\n").replace("\r", "\n")
    elif _LONE_RETURN.search(body) is None:
        text = str(body.replace(b"\r", b""), codec, errors)
    else:
        text = str(_RETURN.sub(b"\n", body), codec, errors)
    places = Places(data, text, codec, skip, errors, has_returns=returns, until=stop)
    return Decoded(text, places, codec, doubts)


def _decodable(data: bytes, start: int) -> None:
    """Raises UnicodeDecodeError where what follows a place is no UTF-8; nothing of it is kept."""
    rest, end = memoryview(data), len(data)
    while start < end:
        high = start + _PIECE
        start += codecs.utf_8_decode(rest[start:high], "strict", high >= end)[1]


def _in_pieces(data: bytes, codec: str, low: int, end: int, *, has_returns: bool) -> tuple[str | Wide, _Known]:
    """The text between two bytes, with LF newlines, and where its pieces start.

    As fast as in one go, and places come for free.
    """
    pieces: list[str] = []
    narrower: Narrower | None = None
    offsets, starts = [0], [low]
    wide: list[tuple[int, int]] = []
    length, lone_returns = 0, False
    while low < end:
        high = min(low + _PIECE, end)
        while high < end and data[high] & 0xC0 == 0x80:  # inside a character
            high += 1
        if has_returns and high < end and data[high - 1 : high + 1] == b"\r\n":
            high += 1
        piece = data[low:high]
        if has_returns and b"\r" in piece:
            # Dropping a byte takes a twentieth of the time of replacing a pair; a lone one is rare.
            lone = _LONE_RETURN.search(piece)
            lone_returns = lone_returns or lone is not None
            piece = piece.replace(b"\r", b"") if lone is None else _RETURN.sub(b"\n", piece)
        text = str(piece, codec)
        size = len(text)
        if getsizeof(text) >= 4 * size and not text.isascii():  # as in `_may_be_wide`
            wide.append((length, length + size))
            narrower = narrower or Narrower(pieces.copy())
            narrower.take(text, piece)
        elif narrower is not None:
            narrower.pieces.append(text)
        pieces.append(text)
        length += size
        low = high
        offsets.append(length)
        starts.append(low)
    starts[-1] = min(low, end)
    narrow = narrower.narrow(data[:end]) if narrower is not None else None
    return Wide(pieces, narrow) if narrow is not None else "".join(pieces), _Known(offsets, starts, wide, lone_returns)


def _first_fault(data: bytes, skip: int, codec: str) -> int:
    """The byte at which decoding fails."""
    try:
        data[skip:].decode(codec)
    except UnicodeDecodeError as fault:
        return skip + fault.start
    return skip


def _choose(data: bytes, media_type: str | None, encoding: str | None) -> tuple[str | None, int, tuple[Doubt, ...]]:
    """(codec or None when nothing says, bytes of the byte-order mark, what was wrong with the labels)"""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return codec, len(mark), ()
    doubts: tuple[Doubt, ...] = ()
    header = _HEADER.search(media_type) if media_type else None
    for label in (encoding, header and header[1]):
        if label and (known := codec_of(label)):
            return known, 0, ()
        if label:
            doubts = (*doubts, Doubt("html-encoding-unknown", 0, label))
    if data[1:2] == b"\0" and data[:1] != b"\0":
        return "utf-16-le", 0, doubts
    if data[:1] == b"\0" and data[1:2] != b"\0":
        return "utf-16-be", 0, doubts
    named, doubts = _labelled(data, _HEAD, doubts)
    return named, 0, doubts


def _labelled(data: bytes, window: int, doubts: tuple[Doubt, ...]) -> tuple[str | None, tuple[Doubt, ...]]:
    """What the first `meta` or XML declaration in the first `window` bytes says."""
    written = _in_the_page(data, window)
    if written is None:
        return None, doubts
    label, at = written
    codec = codec_of(label)
    if codec is None:
        doubt = Doubt("html-encoding-unknown", at, label)
        return None, doubts if doubt in doubts else (*doubts, doubt)
    # The standard's own exception: a page that could be read as ASCII this far is not UTF-16.
    return ("utf-8" if codec.startswith("utf-16") else codec), doubts


def _in_the_page(data: bytes, window: int) -> tuple[str, int] | None:
    """(label, byte offset) of the first declaration of an encoding."""
    plain = _PLAIN_META.match(data, 0, 1024)
    if plain:
        return plain[1].decode("latin-1"), plain.start(1)
    declared = _XML.match(data, 0, 1024)
    if declared:
        return declared[1].decode("latin-1"), declared.start(1)
    for tag in _META.finditer(data, 0, window):
        written = tag[0]
        if (
            written[:4] != b"<!--"
            and written[-1:] == b">"
            and _CONTENT_TYPE.search(written)
            and (found := _CHARSET.search(written))
        ):
            return found[1].decode("latin-1"), tag.start() + found.start(1)
    return None


class _Known(NamedTuple):
    """What was learnt about a text in UTF-8 while it was decoded, all sorted.

    offsets, starts  offsets of the text whose bytes are known, and those bytes.
    wide             the ranges that may have characters past U+FFFF.
    lone_returns     do lines end with a carriage return alone?
    """

    offsets: list[int]
    starts: list[int]
    wide: list[tuple[int, int]]
    lone_returns: bool


class Places:
    """`Span` of the normalised text -> `Location` in the file.

    Everything is worked out when first asked for, from the nearest place below that is known, in steps of
    4,096 code points, so that a place costs the same wherever it is.

    known    what was learnt while decoding; all sorted.
    until    the byte at which `words` end, where they are the beginning of a text alone: for what lies beyond it all
             of it is decoded.
    """

    def __init__(
        self, data: bytes, words: str | Wide, codec: str, skip: int, errors: str, *, has_returns: bool,
        known: _Known | None = None, until: int | None = None,
    ) -> None:  # fmt: skip
        self._until = until
        self.is_part = until is not None
        self._data = data
        self._words = words
        # Lines and lengths are those of the narrow text, which is there already.
        self._text = text = words if isinstance(words, str) else words.narrow.text
        self._codec = codec
        self._skip = skip
        self._errors = errors
        self._has_returns = has_returns
        self._known = known
        self._is_wide = text is not words or _may_be_wide(text)
        self._plain = codec not in _MULTIBYTE or (codec == "utf-8" and text.isascii())
        # Encoding back is exact where nothing was replaced and no two byte sequences mean one character.
        self._re_encodes = errors == "strict" and codec in {"utf-8", "utf-16-le", "utf-16-be"}
        # Offsets of the text whose lines are known, the lines before each, and the offset where its line starts.
        self._marks, self._lines, self._starts = [0], [0], [0]
        self._bytes = [0]
        # Is it UTF-8 in which every line ends with a line feed?
        self._counts_bytes = (known is not None and not known.lone_returns) or (codec == "ascii" and not has_returns)
        self._returns: list[tuple[int, int]] = [(0, 0)]
        self._walked: dict[int, array[int]] = {}

    def tell(self, offset: int, line: int, column: int) -> None:
        """Say that a character of the text stands in a line (from 1) at a column (from 0)."""
        at = bisect_right(self._marks, offset)
        if offset - self._marks[at - 1] > _NEAR:
            self._mark(at, offset, line - 1, offset - column)

    @property
    def length_beyond(self) -> int:
        """Code points of the text that were not decoded."""
        if self._until is None:
            return 0
        beyond: int = utf8_count(self._data[self._until :])
        return beyond - int(count(self._data, b"\r\n", self._until)) if self._has_returns else beyond

    @cached_property
    def rest(self) -> Decoded:
        """All of a text of which the beginning was decoded."""
        return _decoded(self._data, self._codec, self._skip, ())

    def __call__(self, span: Span) -> Location:
        text = self._text
        if span.end > len(text) and self.is_part:
            return self.rest.places(span)
        start = min(max(span.start, 0), len(text))
        end = min(max(span.end, start), len(text))
        start_byte, end_byte = self._ends(start, end)
        line, line_start = self._line(start)
        end_line, end_line_start = line, line_start
        if end - start > _STEP:
            end_line, end_line_start = self._line(end)
        elif end > start and (inside := text.count("\n", start, end)):
            end_line, end_line_start = line + inside, text.rfind("\n", start, end) + 1
        column, end_column = start - line_start + 1, end - end_line_start + 1
        wide, end_wide = column, end_column
        if self._is_wide:
            wide = self._width(line_start, start) + 1
            same = end_line_start == line_start
            end_wide = wide + self._width(start, end) if same else self._width(end_line_start, end) + 1
        return Location(
            start=start_byte,
            end=end_byte,
            line=line + 1,
            column=column,
            end_line=end_line + 1,
            end_column=end_column,
            utf16_column=wide,
            utf16_end_column=end_wide,
        )

    def byte_range(self, span: Span) -> tuple[int, int]:
        """The bytes of the file, the second exclusive; cheaper than the whole place."""
        size = len(self._text)
        if span.end > size and self.is_part:
            return self.rest.places.byte_range(span)
        start = min(max(span.start, 0), size)
        return self._ends(start, min(max(span.end, start), size))

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Both from 1, the column in code points."""
        if offset > len(self._text) and self.is_part:
            return self.rest.places.line_and_column(offset)
        offset = min(max(offset, 0), len(self._text))
        line, start = self._line(offset)
        return line + 1, offset - start + 1

    def at(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (from 0) of the text that was decoded."""
        text, marks, lines, starts = self._text, self._marks, self._lines, self._starts
        number = bisect_left(lines, line) - 1  # the last mark in this line or an earlier one
        low, left = marks[number], line - 1 - lines[number]
        if not left:
            return starts[number] + column
        while (inside := text.count("\n", low, low + _STEP)) < left and low + _STEP < len(text):
            low, left = low + _STEP, left - inside
        for _ in range(left):
            low = text.find("\n", low) + 1
        return low + column

    def offset(self, byte: int) -> int:
        """The offset in the text of the character that a byte of the file belongs to (bisecting places)."""
        if self.is_part:
            return self.rest.places.offset(byte)
        low, high = 0, len(self._text)
        while low < high:
            middle = (low + high + 1) // 2
            if self._byte(middle) <= byte:
                low = middle
            else:
                high = middle - 1
        return low

    def reached(self, byte: int) -> int:
        """Like `offset`, of a byte that was decoded and at which a character begins."""
        byte = max(byte, self._skip)
        if self._plain and not self._has_returns:
            return byte - self._skip
        if self._known is None:
            return self.offset(byte)
        offsets, starts, *_ = self._known
        piece = bisect_right(starts, byte) - 1
        before = self._data[starts[piece] : byte]
        return offsets[piece] + len(str(before, self._codec)) - before.count(b"\r\n")

    @cached_property
    def _raw(self) -> str:
        """The text before its newlines were normalised."""
        if not self._has_returns:
            return self._text
        body = self._data[self._skip :]
        return _shifted(body)[0] if self._codec == _SHIFTING else str(body, self._codec, self._errors)

    def _line(self, at: int) -> tuple[int, int]:
        """(lines before, offset where the line starts)"""
        text, marks = self._text, self._marks
        number = bisect_right(marks, at) - 1
        low, line, start = marks[number], self._lines[number], self._starts[number]
        if at - low > _STEP and self._counts_bytes:
            line, start = self._line_by_bytes(at, low, line, start)
            self._mark(number + 1, at, line, start)
            return line, start
        while at - low > _STEP:
            high = low + _STEP
            inside = text.count("\n", low, high)
            if inside:
                line, start = line + inside, text.rfind("\n", low, high) + 1
            low, number = high, number + 1
            self._mark(number, low, line, start)
        inside = text.count("\n", low, at)
        if inside:
            line, start = line + inside, text.rfind("\n", low, at) + 1
        if at - low > _NEAR:
            self._mark(number + 1, at, line, start)
        return line, start

    def _line_by_bytes(self, at: int, low: int, line: int, start: int) -> tuple[int, int]:
        """What `_line` says, from what it says of an offset far below: many bytes are counted as fast as few."""
        first, end = self._byte(low), self._byte(at)
        last = self._data.rfind(b"\n", first, end)
        if last < 0:
            return line, start
        return line + count(self._data, b"\n", first, end), at - utf8_count(self._data[last + 1 : end])

    def _mark(self, number: int, at: int, line: int, start: int) -> None:
        self._marks.insert(number, at)
        self._lines.insert(number, line)
        self._starts.insert(number, start)

    def _width(self, start: int, end: int) -> int:
        """UTF-16 code units of a part of the text."""
        if end - start <= _STEP:
            if self._text[start:end].isascii():  # no stand-in is
                return end - start
            return _utf16_units(self._words[start:end])
        return self._units_before(end) - self._units_before(start)

    def _units_before(self, at: int) -> int:
        """UTF-16 code units of the text up to an offset."""
        starts, more = self._wide
        number = bisect_right(starts, at) - 1
        return at + more[number] + (self._more_units(starts[number], at) if number % 2 else 0)

    def _more_units(self, start: int, end: int) -> int:
        """How many characters of a part of the text need two UTF-16 code units."""
        if self._known is None:
            return _second_units(self._words[start:end])
        # In UTF-8 these are the characters with four bytes, and their first bytes stand for nothing else.
        low, high = self._known_byte(start, self._known), self._known_byte(end, self._known)
        return sum(self._data.count(byte, low, high) for byte in _FOUR_BYTES)

    @cached_property
    def _wide(self) -> tuple[list[int], list[int]]:
        """Where pieces that may have characters past U+FFFF start (odd) and end (even), and how many are before."""
        size = len(self._text)
        pieces = self._known.wide if self._known else [(low, low + _STEP) for low in range(0, size, _STEP)]
        starts, more = [0], [0]
        for low, high in pieces:
            before = more[-1]
            starts += low, high
            more += before, before + self._more_units(low, high)
        return starts, more

    def _ends(self, start: int, end: int) -> tuple[int, int]:
        """The bytes of the file at which two characters of the normalised text start."""
        first = self._byte(start)
        if self._known is not None and end - start <= _NEAR:
            piece = self._text[start:end]
            if piece.isascii() and not (self._has_returns and "\n" in piece):  # no stand-in is
                return first, first + end - start
        return first, self._byte(end)

    def _byte(self, at: int) -> int:
        """The byte of the file at which a character of the normalised text starts."""
        if self._known is not None:
            return self._known_byte(at, self._known)
        if self._has_returns:
            at = self._raw_offset(at)
        if self._plain:
            return self._skip + at
        if not self._re_encodes:
            return self._byte_by_decoding(at)
        step, sizes = at // _STEP, self._bytes
        while len(sizes) <= step:
            low = (len(sizes) - 1) * _STEP
            sizes.append(sizes[-1] + len(self._raw[low : low + _STEP].encode(self._codec)))
        return self._skip + sizes[step] + len(self._raw[step * _STEP : at].encode(self._codec))

    def _known_byte(self, at: int, known: _Known) -> int:
        """The same from the nearest offset below whose byte is known."""
        offsets, starts, *_ = known
        number = bisect_right(offsets, at)
        before, byte = offsets[number - 1], starts[number - 1]
        if self._has_returns:
            piece = self._words[before:at]
            byte += len(piece.encode())
            if "\n" in piece:
                byte += self._carriages(starts[number - 1], byte - starts[number - 1])
        else:
            byte = _after(self._data, byte, at - before)
        if at - before > _NEAR:
            offsets.insert(number, at)
            starts.insert(number, byte)
        return byte

    def _carriages(self, low: int, size: int) -> int:
        """How many carriage returns of CRLF stand among the bytes from `low` that are `size` without them."""
        data, found, more = self._data, 0, self._data.count(b"\r\n", low, low + size)
        while more > found:
            found = more
            more = data.count(b"\r\n", low, low + size + found)
        return found + (data[low + size + found - 1 : low + size + found + 1] == b"\r\n")

    def _raw_offset(self, at: int) -> int:
        """Offset in the text as decoded, before CRLF became one character."""
        raw, returns = self._raw, self._returns
        while returns[-1][0] <= at and returns[-1][1] < len(raw):
            before, low = returns[-1]
            high = low + _STEP
            if raw[high - 1 : high + 1] == "\r\n":
                high += 1
            high = min(high, len(raw))
            returns.append((before + high - low - raw.count("\r\n", low, high), high))
        before, low = returns[bisect_right(returns, (at, len(raw) + 1)) - 1]
        found = raw.find("\r\n", low, low + _STEP + 2)
        while 0 <= found < low + at - before:
            before -= 1
            found = raw.find("\r\n", found + 2, low + _STEP + 2)
        return low + at - before

    def _byte_by_decoding(self, at: int) -> int:
        """The same where bytes were replaced, or where two byte sequences mean one character."""
        if self._codec == _SHIFTING:
            starts = self._shifted_starts
            return self._skip + (starts[at] if at < len(starts) else len(self._data) - self._skip)
        lines = self._byte_lines
        number = bisect_right(lines, (at, len(self._data))) - 1
        before, low = lines[number]
        high = lines[number + 1][1] if number + 1 < len(lines) else len(self._data)
        piece = self._data[low:high]
        try:
            text = piece.decode(self._codec)
            if text.encode(self._codec) == piece:
                return low + len(text[: at - before].encode(self._codec))
        except UnicodeError:
            pass
        if number not in self._walked:
            self._walked[number] = _walk(piece + _AHEAD if high < len(self._data) else piece, self._codec)
        starts = self._walked[number]
        return low + (starts[at - before] if at - before < len(starts) else len(piece))

    @cached_property
    def _shifted_starts(self) -> array[int]:
        return _shifted(self._data[self._skip :])[1]

    @cached_property
    def _byte_lines(self) -> list[tuple[int, int]]:
        """(characters before, byte) of each line: no encoding but UTF-16 has the byte 10 inside a character."""
        data, codec = self._data, self._codec
        found, characters, low = [(0, self._skip)], 0, self._skip
        while not codec.startswith("utf-16") and (high := data.find(b"\n", low) + 1):
            if high < len(data):
                characters += len((data[low:high] + _AHEAD).decode(codec, "replace")) - len(_AHEAD)
                found.append((characters, high))
            low = high
        return found


def _after(data: bytes, start: int, characters: int) -> int:
    """The byte at which so many characters of UTF-8 have passed since one."""
    end = start + characters
    while start < len(data) and (missing := characters - utf8_count(data[start:end])):
        start, end, characters = end, end + missing, missing
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return end


# What a decoder must see behind a line to treat a character cut short at its end as in the whole file.
_AHEAD = b"\n\n\n"


def _walk(piece: bytes, codec: str) -> array[int]:
    """The byte at which each character of a piece starts, found by trying."""
    starts, at = array("q"), 0
    while at < len(piece):
        for length in (1, 2, 3, 4):
            try:
                text = piece[at : at + length].decode(codec)
            except UnicodeDecodeError:
                continue
            if text:
                starts.extend([at] * len(text))
                at += length
                break
        else:
            starts.append(at)
            try:
                piece[at : at + 16].decode(codec)
                at += 1
            except UnicodeDecodeError as fault:
                at += max(fault.end - fault.start, 1)
    return starts


_SHIFT = pattern(rb"\x1b(?:\([BJI]|\$[@B])|[^\x1b]+|\x1b")


def _shifted(data: bytes) -> tuple[str, array[int]]:
    """ISO-2022-JP as text, and the byte at which each character starts. (Python's decoder gives no places.)"""
    text: list[str] = []
    starts, mode = array("q"), b"\x1b(B"
    for match in _SHIFT.finditer(data):
        piece, at = match[0], match.start()
        if piece[:1] == b"\x1b" and len(piece) == 3:
            mode = piece
            continue
        if mode[1:2] == b"(":
            text.append(_half_width(piece) if mode == b"\x1b(I" else piece.decode("ascii", "replace"))
            starts.extend(range(at, at + len(piece)))
            continue
        offset = 0
        while offset < len(piece):
            size = 2 if all(0x21 <= byte <= 0x7E for byte in piece[offset : offset + 2]) else 1
            pair = bytes(byte | 0x80 for byte in piece[offset : offset + 2])
            plain = chr(piece[offset]) if piece[offset] <= 0x20 else "\ufffd"
            text.append(pair.decode("euc_jp", "replace")[0] if size == len(pair) == 2 else plain)
            starts.append(at + offset)
            offset += size
    return "".join(text), starts


def _half_width(piece: bytes) -> str:
    return "".join(chr(byte + 0xFF40) if 0x21 <= byte <= 0x5F else chr(byte) for byte in piece)


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 if _may_be_wide(text) else len(text)


def _second_units(text: str) -> int:
    """How many characters need two UTF-16 code units."""
    return _utf16_units(text) - len(text)


def _may_be_wide(text: str) -> bool:
    """May there be characters that UTF-16 needs two units for? PEP 393: these alone take four bytes in memory."""
    return not text.isascii() and getsizeof(text) >= 4 * len(text)
