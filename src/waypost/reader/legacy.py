"""Byte offsets of characters in encodings without a simple way back from the text: one table for the whole file.

Used for multi-byte encodings other than UTF-8, and for UTF-8 with errors. Elsewhere `Text` counts bytes from
checkpoints. The table costs four bytes a character, and is built when the first location is requested.
"""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Iterator
from itertools import accumulate

from waypost.formats.patterns import pattern

SHIFTING = "iso2022_jp"  # Python's decoder reads other escape sequences than the standard, and reports no offsets
_SHIFT = pattern(rb"\x1b(?:\([BJI]|\$[@B])|[^\x1b]+|\x1b")


def character_starts(data: bytes, codec: str, skip: int) -> array[int]:
    """Byte at which each character of the text begins, newlines normalised, and last the length of the file.

    skip   bytes of the byte-order mark.
    """
    body = data[skip:]
    text, starts = shifted(body) if codec == SHIFTING else (str(body, codec, "replace"), _starts(body, codec))
    found = array("I")
    low = 0
    while (at := text.find("\r\n", low)) >= 0:
        found.extend(starts[low : at + 1])
        low = at + 2
    found.extend(starts[low:])
    found.append(len(body))
    return array("I", [skip + start for start in found]) if skip else found


def _starts(body: bytes, codec: str) -> array[int]:
    """Byte at which each character begins, carriage returns included."""
    starts = array("I")
    low = 0
    for start, end in _undecodable(body, codec):
        starts.extend(_valid_starts(body, low, start, codec))
        starts.append(start)  # U+FFFD
        low = end
    starts.extend(_valid_starts(body, low, len(body), codec))
    return starts


def _undecodable(body: bytes, codec: str) -> list[tuple[int, int]]:
    """Byte ranges that decode to a single U+FFFD."""
    found: list[tuple[int, int]] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        found.append((error.start, error.end))
        return "\ufffd", error.end

    # Decoders report the bytes of an error to a handler alone; "replace" would hide how many one U+FFFD stands for.
    codecs.register_error("waypost-note", note)
    str(body, codec, "waypost-note")
    return found


def _valid_starts(body: bytes, low: int, high: int, codec: str) -> Iterator[int] | range:
    """Same, for a range of bytes without errors."""
    piece = body[low:high]
    if not piece or (piece.isascii() and not codec.startswith("utf-16")):
        return range(low, high)
    text = piece.decode(codec)
    try:
        # Each different character is encoded once: encoding the text character by character takes far longer.
        sizes = {character: len(character.encode(codec)) for character in set(text)}
        if text.encode(codec) == piece and sum(map(sizes.__getitem__, text)) == len(piece):
            return accumulate(map(sizes.__getitem__, text[:-1]), initial=low)
    except UnicodeEncodeError:
        pass  # one of two characters that share their bytes
    return iter(_tried_starts(piece, low, codec))


def _tried_starts(piece: bytes, low: int, codec: str) -> array[int]:
    """Same, by trying lengths, where two byte sequences stand for the same character."""
    starts, at = array("I"), 0
    while at < len(piece):
        for length in (1, 2, 3, 4):
            try:
                text = piece[at : at + length].decode(codec)
            except UnicodeDecodeError:
                continue
            # One sequence may stand for two characters (Big5's 0x88 0x62): both begin at it.
            if text:
                starts.extend([low + at] * len(text))
                at += length
                break
        else:
            starts.append(low + at)
            at += 1
    return starts


def shifted(data: bytes) -> tuple[str, array[int]]:
    """ISO-2022-JP as text, and the byte at which each character begins (Encoding Standard, 12.2)."""
    text: list[str] = []
    starts, mode = array("I"), b"\x1b(B"
    for match in _SHIFT.finditer(data):
        piece, at = match[0], match.start()
        if piece[:1] == b"\x1b" and len(piece) == 3:
            mode = piece
            continue
        if mode[1:2] == b"(":
            text.append(_half_width(piece) if mode == b"\x1b(I" else piece.decode("ascii", "replace"))
            # One byte a character in these modes.
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
    """Katakana of half width (JIS X 0201)."""
    return "".join(chr(byte + 0xFF40) if 0x21 <= byte <= 0x5F else chr(byte) for byte in piece)
