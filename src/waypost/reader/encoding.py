"""Encoding of a file: byte-order mark, label of the caller or of HTTP, `meta`, then UTF-8, then windows-1252.

Labels are those of the WHATWG Encoding Standard (read 2026-11-20), by the webencodings library.
"""

from __future__ import annotations

import codecs
import re
from typing import Final, TypeAlias

from waypost.formats.patterns import pattern
from waypost.reader.text import MULTIBYTE, EncodingProblem, Text

_Problems: TypeAlias = tuple[EncodingProblem, ...]
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# GBK's decoder is that of gb18030. The other two are not encodings that a page could be read in.
_CODECS: Final = {"gbk": "gb18030", "replacement": None, "x-user-defined": None}

# Comments are matched too, so that a `meta` inside one is passed over.
_META = pattern(rb"<!--(?:.*?-->|.*\Z)|<meta[\s/][^>]*(?:>|\Z)", re.IGNORECASE | re.DOTALL)
# How most pages begin: a doctype, no comment that could hide it, the label as it should be written.
_PLAIN_META = re.compile(rb"\s*(?:<!(?!--)[^>]*>)?[^!<]*(?:<(?!meta charset=)[^!<]*)*<meta charset=[\"']?([\w-]+)")
_CHARSET = pattern(rb"charset\s*+=\s*+(?:[\"']\s*+)?([^\s\"'/;>]+)", re.IGNORECASE)
_CONTENT_TYPE = pattern(rb"http-equiv\s*+=\s*+(?:[\"']\s*+)?content-type|[\s/\"']charset\s*+=", re.IGNORECASE)
_XML = pattern(rb"\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']+)")
_HEADER = pattern(r";\s*charset\s*=\s*\"?\s*([^\s\";]+)", re.IGNORECASE)

_UNMAPPED = "waypost-unmapped"
_HEAD = 4096  # bytes in which a label is searched before the bytes are tried as UTF-8


def _unmapped(error: UnicodeError) -> tuple[str, int]:
    """Character of the standard's single-byte tables where Python's have none: a C1 control, else U+FFFD."""
    assert isinstance(error, UnicodeDecodeError)
    byte = error.object[error.start]
    return (chr(byte) if 0x80 <= byte < 0xA0 else "\ufffd"), error.start + 1


codecs.register_error(_UNMAPPED, _unmapped)


_UTF_8 = frozenset({"utf-8", "utf8"})


def codec_of(label: str) -> str | None:
    """Python's name of the encoding with a label; None for a label outside the standard."""
    # Nearly every page: the table of labels need not be loaded.
    if label.strip().lower() in _UTF_8:
        return "utf-8"
    from webencodings import lookup

    encoding = lookup(label.strip())
    if encoding is None:
        return None
    return _CODECS.get(encoding.name, encoding.codec_info.name)


def decode(data: bytes, media_type: str | None = None, encoding: str | None = None) -> Text:
    """Text of a file.

    media_type  an HTTP Content-Type.
    encoding    a label that overrides what the file and HTTP say; a byte-order mark still wins.
    """
    # Escape begins ISO-2022-JP, and NUL within the first four bytes UTF-16: both would pass as ASCII.
    if data.isascii() and b"\x1b" not in data and b"\0" not in data[:4]:
        return Text(data, "ascii")
    codec, skip, problems = _choose(data, media_type, encoding)
    if codec is None:
        # A label late in the page can only matter where the bytes are not UTF-8.
        try:
            return Text(data, "utf-8", 0, problems)
        except UnicodeDecodeError:
            codec, problems = _labelled(data, len(data), problems)
            codec = codec or "cp1252"
    if codec not in MULTIBYTE:
        # Single-byte encodings cannot fail: each byte is a character or U+FFFD.
        return Text(data, codec, skip, problems, _UNMAPPED)
    try:
        return Text(data, codec, skip, problems)
    except UnicodeDecodeError:
        at = _first_error(data, skip, codec)
        return Text(data, codec, skip, (*problems, EncodingProblem("html-encoding-undecodable", at, codec)), "replace")


def _first_error(data: bytes, skip: int, codec: str) -> int:
    """Byte at which decoding fails."""
    try:
        data[skip:].decode(codec)
    except UnicodeDecodeError as error:
        return skip + error.start
    return skip


def _choose(data: bytes, media_type: str | None, encoding: str | None) -> tuple[str | None, int, _Problems]:
    """(codec or None without a known label, bytes of the byte-order mark, problems of the labels)"""
    # A byte-order mark wins over HTTP and the page (Encoding Standard 6, "decode").
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return codec, len(mark), ()
    problems: _Problems = ()
    header = _HEADER.search(media_type) if media_type else None
    for label in (encoding, header and header[1]):
        if label and (known := codec_of(label)):
            return known, 0, ()
        if label:
            problems = (*problems, EncodingProblem("html-encoding-unknown", 0, label))
    # UTF-16 without a mark: "<" with a zero byte next to it.
    if data[1:2] == b"\0" and data[:1] != b"\0":
        return "utf-16-le", 0, problems
    if data[:1] == b"\0" and data[1:2] != b"\0":
        return "utf-16-be", 0, problems
    named, problems = _labelled(data, _HEAD, problems)
    return named, 0, problems


def _labelled(data: bytes, window: int, problems: _Problems) -> tuple[str | None, _Problems]:
    """Codec of the first `meta` or XML declaration in the first `window` bytes, and the problems with its own added."""
    written = _in_the_page(data, window)
    if written is None:
        return None, problems
    label, at = written
    codec = codec_of(label)
    if codec is None:
        problem = EncodingProblem("html-encoding-unknown", at, label)
        return None, problems if problem in problems else (*problems, problem)
    # The standard's own exception: a page that could be read as ASCII this far is not UTF-16.
    return ("utf-8" if codec.startswith("utf-16") else codec), problems


def _in_the_page(data: bytes, window: int) -> tuple[str, int] | None:
    """Label and byte offset of the first declaration of an encoding, None without a declaration."""
    plain = _PLAIN_META.match(data, 0, 1024)
    if plain:
        return plain[1].decode("latin-1"), plain.start(1)
    xml = _XML.match(data, 0, 1024)
    if xml:
        return xml[1].decode("latin-1"), xml.start(1)
    for tag in _META.finditer(data, 0, window):
        written = tag[0]
        if written[:4] == b"<!--" or written[-1:] != b">" or not _CONTENT_TYPE.search(written):
            continue
        if found := _CHARSET.search(written):
            return found[1].decode("latin-1"), tag.start() + found.start(1)
    return None
