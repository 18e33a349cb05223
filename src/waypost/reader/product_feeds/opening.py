"""Bytes of a feed, unpacked within limits, and the encoding."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zipfile
import zlib
from bz2 import BZ2File
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from typing import IO, Any, BinaryIO

from waypost.errors import MissingExtra, Unreadable
from waypost.reader.sources import display_path

MOST_BYTES = 8 << 30
"""Bytes of a feed, unpacked."""
_MOST_RATIO = 400  # a feed of alike rows is packed about 50 times
_FREE_BYTES = 64 << 20  # below which no ratio counts
_HEAD = 4096
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_COLUMNAR = b"PAR1"
_ZSTD_MARK = b"\x28\xb5\x2f\xfd"
_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
_OTHER_FILES = (
    (b"PARE", "this Parquet file is encrypted; write the feed without encryption to check it"),
    (b"\xd0\xcf\x11\xe0", "this is an Excel file; export it as tab-separated text"),
    (b"%PDF", "this is a PDF file, not a feed"),
)


class _Limited(io.RawIOBase):
    """Unpacked bytes of a stream. Raises Unreadable beyond the limit, and for damaged data."""

    def __init__(
        self, stream: IO[bytes] | gzip.GzipFile, name: str, packed_bytes: int, errors: tuple[type[Exception], ...] = ()
    ) -> None:
        self._stream, self._name, self._packed = stream, name, packed_bytes
        self._errors: tuple[type[Exception], ...] = (
            EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, *errors,
        )  # fmt: skip
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except self._errors as error:
            raise Unreadable(self._name, f"the compressed data is damaged ({error})") from None
        self._read += len(data)
        is_bomb = self._packed and self._read > max(_FREE_BYTES, self._packed * _MOST_RATIO)
        if is_bomb or self._read > MOST_BYTES:
            raise Unreadable(self._name, f"it unpacks to more than {self._read >> 20} MiB, which is not read")
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Bytes of a feed, unpacked from gzip, zstd, bzip2 or from a ZIP archive of one file.

    Raises Unreadable, MissingExtra for zstd, and OSError.
    """
    name = display_path(path)
    with open(path, "rb") as file:  # noqa: PTH123 - as the other readers of inputs
        head, size = file.read(4), os.fstat(file.fileno()).st_size
        file.seek(0)
        for mark, why in _OTHER_FILES:
            if head.startswith(mark):
                raise Unreadable(name, why)
        if head.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=file) as packed:
                yield _plain(_Limited(packed, name, size), name)
        elif head.startswith(b"PK\x03\x04"):
            with _only_member(file, name) as packed:
                yield _plain(_Limited(packed, name, size), name)
        elif head.startswith(b"BZh"):
            with BZ2File(file) as packed:
                yield _plain(_Limited(packed, name, size, (OSError,)), name)
        elif head.startswith(_ZSTD_MARK):
            with closing(_zstd_file(file)) as packed:
                yield _plain(_Limited(packed, name, size, (import_module(_ZSTD).ZstdError,)), name)
        else:
            yield io.BufferedReader(_Limited(file, name, 0), 1 << 16)


def is_columnar(path: str) -> bool:
    """Is a file in Parquet? Raises OSError."""
    with open(path, "rb") as file:  # noqa: PTH123 - as the other readers of inputs
        return file.read(4) == _COLUMNAR


def _plain(stream: _Limited, name: str) -> BinaryIO:
    """Buffered bytes. Raises Unreadable for a file that cannot be read from its beginning to its end."""
    buffered = io.BufferedReader(stream, 1 << 16)
    if buffered.peek(4)[:4] == _COLUMNAR:
        raise Unreadable(name, "this is a Parquet file inside of another compression; unpack it first")
    return buffered


def _zstd_file(file: IO[bytes]) -> Any:
    """Reader of zstd. Raises MissingExtra."""
    try:
        return import_module(_ZSTD).ZstdFile(file)
    except ImportError:
        raise MissingExtra(_ZSTD, "feeds", "to unpack a feed in zstd") from None


@contextmanager
def _only_member(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            if len(members) != 1:
                is_sheet = any(each.filename == "[Content_Types].xml" for each in members[:50])
                what = "this is a spreadsheet" if is_sheet else f"this archive has {len(members):,} files"
                raise Unreadable(name, f"{what}; export one feed as tab-separated text")
            with archive.open(members[0]) as member:
                yield member
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise Unreadable(name, f"the archive is damaged ({error})") from None


def encoding_of(stream: BinaryIO) -> str:
    """Encoding of a feed by the mark of the byte order, or by zeros; UTF-8 otherwise. Consumes nothing."""
    head = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    pairs = len(head) // 2
    if pairs and head[1::2].count(0) > pairs * 0.4 and head[::2].count(0) < pairs * 0.1:
        return "utf-16-le"
    if pairs and head[::2].count(0) > pairs * 0.4 and head[1::2].count(0) < pairs * 0.1:
        return "utf-16-be"
    return "utf-8"


def text_of(stream: BinaryIO) -> io.TextIOWrapper:
    """Text of a feed. Bytes outside of UTF-8 become lone surrogates, which `damage` finds."""
    encoding = encoding_of(stream)
    return io.TextIOWrapper(stream, encoding, errors="surrogateescape" if "8" in encoding else "replace", newline=None)


def damage(text: str) -> str:
    """Error in the characters of a text, in words; empty without one."""
    if "\0" in text:
        return "it contains a NUL character"
    if text.isascii():
        return ""
    if any("\udc80" <= character <= "\udcff" for character in text):
        return "it is not UTF-8"
    return "it has characters that cannot be decoded" if "\ufffd" in text else ""
