"""Text of a file, with conversion of its offsets to bytes, lines and columns of the file as given."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property
from sys import getsizeof
from typing import NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.page import Location, Span
from waypost.reader.bytescan import count, find, utf8_count
from waypost.reader.legacy import SHIFTING, character_starts, shifted

# Encodings in which a byte may be a part of a character, so that counting bytes gives no place. UTF-8 counts as one
# where it has errors.
MULTIBYTE = frozenset({"utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5hkscs", "euc_jp", SHIFTING, "cp932", "cp949"})
# Smaller steps take memory, larger ones time: a location counts through half a step on average.
_STEP = 8192  # bytes from one checkpoint to the next
_RETURN = pattern(rb"\r\n?")


class EncodingProblem(NamedTuple):
    """Problem with a label or with the bytes. `rule` explains it; `at` is a byte of the file, `label` as written."""

    rule: str
    at: int
    label: str


class Text:
    """Text of a file with LF newlines and without byte-order mark; `locate` leads back to the file.

    string    the text.
    codec     Python's name of the encoding.
    problems  with labels and bytes.

    Locations in single-byte encodings and in UTF-8 without errors come from checkpoints at every 8 KiB, made at the
    first request: byte, offset, lines and UTF-16 units. A location then costs a count within a piece, anywhere
    in the text. Other encodings take bytes from `legacy.character_starts`.
    """

    def __init__(
        self, data: bytes, codec: str, skip: int = 0, problems: tuple[EncodingProblem, ...] = (), errors: str = "strict"
    ) -> None:
        """Decode a file. Raises UnicodeDecodeError where `errors` is "strict".

        skip   bytes of the byte-order mark.
        """
        self.codec = codec
        self.problems = problems
        self._data = data
        self._skip = skip
        self._is_legacy = codec in MULTIBYTE and (codec != "utf-8" or errors == "replace")
        self._has_returns = b"\r" in data
        # Lines are counted in the bytes, by SIMD, where a line feed ends each and stands for nothing else.
        self._counts_bytes = not self._is_legacy
        body = data[skip:] if skip else data
        if not self._is_legacy:
            self.string = str(self._without_returns(body), codec, errors)
        else:
            raw = shifted(body)[0] if codec == SHIFTING else str(body, codec, errors)
            self.string = raw.replace("\r\n", "\n").replace("\r", "\n") if "\r" in raw else raw
        self._one_byte = codec != "utf-8" or self.string.isascii()
        # For each checkpoint: lines before it, offset of its line's start, UTF-16 units beyond one a character before.
        self._lines, self._line_starts, self._extra = [0], [0], [0]
        # Four bytes a character in memory (PEP 393) mean that some are beyond U+FFFF, which UTF-16 has two units for.
        self._is_wide = not self.string.isascii() and getsizeof(self.string) >= 4 * len(self.string)

    @property
    def is_ascii_compatible(self) -> bool:
        """Whether characters of ASCII stand in the file as their own bytes."""
        return not self.codec.startswith("utf-16") and self.codec != SHIFTING

    def locate(self, span: Span) -> Location:
        """Location in the file of a span of the text."""
        start, end = self._clamped(span)
        start_byte, end_byte = self._byte_range(start, end)
        line, line_start = self._line(start, start_byte)
        end_line, end_line_start = line, line_start
        if end - start > _STEP:
            end_line, end_line_start = self._line(end, end_byte)
        # The usual span is short and within its line: a count in it replaces a second search by checkpoints.
        elif inside := self.string.count("\n", start, end):
            end_line, end_line_start = line + inside, self.string.rfind("\n", start, end) + 1
        column, end_column = start - line_start + 1, end - end_line_start + 1
        return Location(
            start=start_byte,
            end=end_byte,
            line=line + 1,
            column=column,
            end_line=end_line + 1,
            end_column=end_column,
            utf16_column=column + self._extra_units(line_start, start),
            utf16_end_column=end_column + self._extra_units(end_line_start, end),
        )

    __call__ = locate

    def byte_range(self, span: Span) -> tuple[int, int]:
        """Byte offsets of a span, the end exclusive; cheaper than a location."""
        return self._byte_range(*self._clamped(span))

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset, the column in code points."""
        offset = min(max(offset, 0), len(self.string))
        line, start = self._line(offset, self._byte(offset) if self._counts_bytes else 0)
        return line + 1, offset - start + 1

    def most(self, word: bytes) -> int:
        """Occurrences of a word of ASCII in the file, or more: some encodings have its bytes within characters.

        Searched in the bytes, by SIMD, ten times as fast as in the text.
        """
        return count(self._data, word) if self.is_ascii_compatible else self.string.count(word.decode())

    def may_have(self, word: bytes, match: re.Pattern[bytes]) -> bool:
        """Whether the file has a match that begins with a word of ASCII; also True where only the text can show it.

        A search for the word by SIMD, tried at each of its places, takes a tenth of the time of a pattern's own.
        """
        if not self.is_ascii_compatible:
            return True
        at = find(self._data, word)
        while at >= 0:
            if match.match(self._data, at):
                return True
            at = find(self._data, word, at + len(word))
        return False

    def offset(self, byte: int) -> int:
        """Offset of the character that a byte of the file belongs to; the length of the text behind its end."""
        if byte >= len(self._data):
            return len(self.string)
        if byte < self._skip:
            return 0
        if self._is_legacy:
            return bisect_right(self._starts, byte) - 1
        offsets, starts = self._checkpoints
        number = bisect_right(starts, byte) - 1
        start = starts[number]
        # Including the byte itself: any byte of a character then counts to the character, not to the next.
        characters = byte + 1 - start if self._one_byte else utf8_count(self._data[start : byte + 1])
        if self._has_returns:
            characters -= count(self._data, b"\r\n", start, byte + 1)
        return offsets[number] + characters - 1

    def length_before(self, byte: int) -> int:
        """Length of the text before a byte that starts a character other than a line feed; cheaper than `offset`."""
        if not self._is_legacy:
            return self.offset(byte)
        # Decoding what is before takes less than the table of `legacy`, which costs four bytes a character.
        before = str(self._data[self._skip : byte], self.codec, "replace")
        return len(before) - before.count("\r\n")

    def _clamped(self, span: Span) -> tuple[int, int]:
        start = min(max(span.start, 0), len(self.string))
        return start, min(max(span.end, start), len(self.string))

    def _without_returns(self, body: bytes) -> bytes:
        """Bytes with LF newlines, of an encoding in which the byte 13 is always a carriage return."""
        if not self._has_returns:
            return body
        # Dropping a byte takes a twentieth of the time of replacing a pair; a lone one is rare.
        if count(body, b"\r") == count(body, b"\r\n"):
            return body.replace(b"\r", b"")
        self._counts_bytes = False
        return _RETURN.sub(b"\n", body)

    @cached_property
    def _checkpoints(self) -> tuple[list[int], list[int]]:
        """Offsets of the text, and the byte of the file at each; for encodings with a table only the offsets."""
        if self._is_legacy:
            return list(range(0, max(len(self.string), 1), _STEP)), []
        data, low, end = self._data, self._skip, len(self._data)
        offsets, starts = [0], [low]
        while low < end:
            high = min(low + _STEP, end)
            while not self._one_byte and high < end and data[high] & 0xC0 == 0x80:  # inside a character
                high += 1
            # A pair of CR and LF is one character of the text, and must not be parted.
            if self._has_returns and data[high - 1 : high + 1] == b"\r\n":
                high += 1
            size = high - low if self._one_byte else utf8_count(data[low:high])
            offsets.append(offsets[-1] + size - (count(data, b"\r\n", low, high) if self._has_returns else 0))
            starts.append(high)
            low = high
        return offsets, starts

    @cached_property
    def _starts(self) -> array[int]:
        return character_starts(self._data, self.codec, self._skip)

    def _byte(self, at: int) -> int:
        """Byte of the file at which the character at an offset begins."""
        if self._is_legacy:
            return self._starts[at]
        offsets, starts = self._checkpoints
        number = bisect_right(offsets, at) - 1
        return self._end_of(offsets[number], at, starts[number])

    def _byte_range(self, start: int, end: int) -> tuple[int, int]:
        first = self._byte(start)
        if self._is_legacy or end - start > _STEP:
            return first, self._byte(end)
        return first, self._end_of(start, end, first)

    def _end_of(self, start: int, end: int, byte: int) -> int:
        """End in the file of a part of the text that begins at a byte."""
        if not self._has_returns:
            return byte + end - start if self._one_byte else _after(self._data, byte, end - start)
        size = end - start if self._one_byte else len(self.string[start:end].encode())
        if self.string.find("\n", start, end) >= 0:
            size += self._carriages(byte, size)
        return byte + size

    def _carriages(self, low: int, size: int) -> int:
        """Number of carriage returns of CRLF from the byte `low` on, in a part that has `size` bytes without them."""
        # The part is longer in the file by the returns in it, which may hold further ones: until no more are found.
        data, found, more = self._data, 0, self._data.count(b"\r\n", low, low + size)
        while more > found:
            found = more
            more = data.count(b"\r\n", low, low + size + found)
        return found + (data[low + size + found - 1 : low + size + found + 1] == b"\r\n")

    def _line(self, at: int, byte: int) -> tuple[int, int]:
        """(lines before, offset of the line's start)"""
        number = self._measured(at)
        low, line, start = self._checkpoints[0][number], self._lines[number], self._line_starts[number]
        inside = self._newlines(number, at, byte)
        return (line + inside, self.string.rfind("\n", low, at) + 1) if inside else (line, start)

    def _newlines(self, number: int, at: int, byte: int) -> int:
        """Number of line feeds from a checkpoint to an offset, which is at a byte."""
        if self._counts_bytes:
            return count(self._data, b"\n", self._checkpoints[1][number], byte)
        return self.string.count("\n", self._checkpoints[0][number], at)

    def _extra_units(self, start: int, end: int) -> int:
        """UTF-16 code units of a part of the text beyond one a character."""
        if not self._is_wide or start == end:
            return 0
        if end - start <= _STEP:
            return _second_units(self.string[start:end])
        return self._extra_before(end) - self._extra_before(start)

    def _extra_before(self, at: int) -> int:
        offsets, _ = self._checkpoints
        number = bisect_right(offsets, at) - 1
        for known in range(len(self._extra), number + 1):
            low, high = offsets[known - 1 : known + 1]
            self._extra.append(self._extra[-1] + _second_units(self.string[low:high]))
        return self._extra[number] + _second_units(self.string[offsets[number] : at])

    def _measured(self, at: int) -> int:
        """Number of the last checkpoint at or before an offset, with lines known up to there."""
        offsets, starts = self._checkpoints
        number = bisect_right(offsets, at) - 1
        for known in range(len(self._lines), number + 1):
            low, high = offsets[known - 1 : known + 1]
            inside = self._newlines(known - 1, high, starts[known] if self._counts_bytes else 0)
            self._lines.append(self._lines[-1] + inside)
            self._line_starts.append(self.string.rfind("\n", low, high) + 1 if inside else self._line_starts[-1])
        return number


def _after(data: bytes, start: int, characters: int) -> int:
    """Byte after a number of characters of UTF-8."""
    end = start + characters
    # A byte holds one character at most: each round goes on by the characters that the bytes so far did not hold.
    while start < len(data) and (missing := characters - utf8_count(data[start:end])):
        start, end, characters = end, end + missing, missing
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return end


def _second_units(text: str) -> int:
    """Number of characters with two units in UTF-16."""
    return 0 if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
