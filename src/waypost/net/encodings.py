"""Content encodings of pages: gzip, deflate, Brotli and Zstandard, unpacked piece by piece and never beyond a limit.

Brotli and Zstandard come with the extra `web`; Python 3.14 has Zstandard. A server is offered the installed encodings.
"""

from __future__ import annotations

import sys
import zlib
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from waypost.errors import FetchFailed, install_command

_ZSTD_WINDOW_LOG = 23
"""Window of Zstandard at most: 8 MB (RFC 9659, section 3)."""


class Unpacker(Protocol):
    """Stream of one encoding."""

    def unpack(self, data: bytes, most: int) -> bytes:
        """Unpacked bytes, about `most` at the most; the rest stays packed. Raises FetchFailed."""
        ...

    @property
    def is_finished(self) -> bool:
        """Whether the end of the stream was read."""
        ...


def unpacker(encoding: str, host: str) -> Unpacker | None:
    """Unpacker for a Content-Encoding; None for content that is not packed. Raises FetchFailed."""
    name = encoding.strip().lower()
    match name:
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return _Zlib(host, "gzip", 16 + zlib.MAX_WBITS)
        case "deflate":
            return _Zlib(host, "deflate", zlib.MAX_WBITS)
        case "br" if _is_installed("brotli"):
            return _Brotli(host)
        case "zstd" if _is_installed(_ZSTD):
            return _Zstandard(host)
        case "br" | "zstd":
            raise FetchFailed(f"{host} packs its answer as {name}; to read it: {install_command('web')}", "bad_answer")
        case _:
            raise FetchFailed(f"{host} packs its answer in a way that was not requested", "bad_answer")


@cache
def accepted() -> str:
    """Value of Accept-Encoding."""
    optional = [name for name, module in (("br", "brotli"), ("zstd", _ZSTD)) if _is_installed(module)]
    return ", ".join(["gzip", "deflate", *optional])


_GZIP_MARK = 0x1F
_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


@cache
def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package above it
        return False


def _damaged(host: str, encoding: str) -> FetchFailed:
    return FetchFailed(f"what {host} sent as {encoding} is none", "bad_answer")


class _Zlib:
    """gzip, and deflate with or without the header of zlib, which many servers leave out (RFC 9110, 8.4.1.2)."""

    def __init__(self, host: str, encoding: str, window: int) -> None:
        self._host, self._encoding, self._window = host, encoding, window
        self._inflate = zlib.decompressobj(window)
        self._has_begun = False

    def unpack(self, data: bytes, most: int) -> bytes:
        if not self._has_begun and data:
            self._has_begun = True
            # The low half of a header's first byte is 8 (RFC 1950); a raw block of that kind would be of no use.
            if self._encoding == "deflate" and data[0] & 15 != 8:
                self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        unpacked = bytearray()
        try:
            while data and len(unpacked) < most:
                # A body may have several members (RFC 1952, section 2.2); other bytes behind one are ignored, as in
                # browsers.
                if self._inflate.eof:
                    if self._encoding != "gzip" or data[0] != _GZIP_MARK:
                        break
                    self._inflate = zlib.decompressobj(self._window)
                unpacked += self._inflate.decompress(data, most - len(unpacked))
                data = self._inflate.unused_data if self._inflate.eof else b""
        except zlib.error:
            raise _damaged(self._host, self._encoding) from None
        return bytes(unpacked)

    @property
    def is_finished(self) -> bool:
        return self._inflate.eof


class _Brotli:
    def __init__(self, host: str) -> None:
        self._host = host
        self._module = import_module("brotli")
        self._stream: Any = self._module.Decompressor()

    def unpack(self, data: bytes, most: int) -> bytes:
        unpacked = bytearray()
        try:
            unpacked += self._stream.process(data, output_buffer_limit=most)
            # The rest of a piece waits in the stream, which takes no further piece before.
            while len(unpacked) < most and not self._stream.can_accept_more_data():
                unpacked += self._stream.process(b"", output_buffer_limit=most - len(unpacked))
        except self._module.error:
            raise _damaged(self._host, "br") from None
        return bytes(unpacked)

    @property
    def is_finished(self) -> bool:
        return bool(self._stream.is_finished())


class _Zstandard:
    def __init__(self, host: str) -> None:
        self._host = host
        self._module: Any = import_module(_ZSTD)
        self._frame = self._new()

    def _new(self) -> Any:
        limit = {self._module.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        return self._module.ZstdDecompressor(options=limit)

    def unpack(self, data: bytes, most: int) -> bytes:
        unpacked = bytearray()
        try:
            while data and len(unpacked) < most:
                # A body may have several frames (RFC 8878, section 3).
                if self._frame.eof:
                    self._frame = self._new()
                unpacked += self._frame.decompress(data, most - len(unpacked))
                data = self._frame.unused_data if self._frame.eof else b""
        except self._module.ZstdError:
            raise _damaged(self._host, "zstd") from None
        return bytes(unpacked)

    @property
    def is_finished(self) -> bool:
        return bool(self._frame.eof)
