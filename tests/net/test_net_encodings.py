"""Each content encoding: unpacked whole, in single bytes, and never beyond the limit."""

from __future__ import annotations

import gzip
import importlib
import sys
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from waypost.errors import FetchFailed
from waypost.net import encodings

brotli = pytest.importorskip("brotli", reason="the extra web is not installed")
zstd = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

PAGE = "<title>Müsli</title>".encode() * 500


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-Gzip", gzip.compress),
    "gzip in two members": ("gzip", lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:])),
    "gzip before other bytes": ("gzip", lambda data: gzip.compress(data) + b"\n\n<!-- 12 ms -->"),
    "deflate": ("deflate", zlib.compress),
    "deflate without a header": ("deflate", raw_deflate),
    "brotli": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
    "zstd in two frames": ("zstd", lambda data: zstd.compress(data[:100]) + zstd.compress(data[100:])),
}


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_packed_page_is_unpacked_piece_by_piece(name: str, size: int) -> None:
    encoding, pack = PACKERS[name]
    packed = pack(PAGE)
    stream = encodings.unpacker(encoding, "shop.test")
    assert stream is not None

    pieces = [stream.unpack(packed[at : at + size], 1 << 20) for at in range(0, len(packed), size)]

    assert b"".join(pieces) == PAGE
    assert stream.is_finished


@pytest.mark.parametrize("name", PACKERS)
def test_half_of_a_page_is_not_finished(name: str) -> None:
    encoding, pack = PACKERS[name]
    packed = pack(PAGE)
    stream = encodings.unpacker(encoding, "shop.test")
    assert stream is not None

    stream.unpack(packed[: len(packed) // 3], 1 << 20)

    assert not stream.is_finished


@pytest.mark.parametrize("name", PACKERS)
def test_a_bomb_takes_no_more_memory_than_allowed(name: str) -> None:
    encoding, pack = PACKERS[name]
    bomb = pack(bytes(200_000_000))
    stream = encodings.unpacker(encoding, "shop.test")
    assert stream is not None

    tracemalloc.start()
    unpacked = stream.unpack(bomb, 1_000_001)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 1_000_001 <= len(unpacked) < 2_000_000
    assert most < 10_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_what_is_not_packed_so_is_an_error(encoding: str) -> None:
    stream = encodings.unpacker(encoding, "shop.test")
    assert stream is not None

    with pytest.raises(FetchFailed, match=f"what shop.test sent as {encoding} is none"):
        stream.unpack(b"<p>not packed at all</p>" * 50, 1 << 20)


def test_a_zstd_window_beyond_8_mb_is_rejected() -> None:
    frame = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    packed = frame.compress(PAGE) + frame.flush()
    stream = encodings.unpacker("zstd", "shop.test")
    assert stream is not None

    with pytest.raises(FetchFailed):
        stream.unpack(packed, 1 << 20)


def test_without_the_extra_a_server_is_offered_less(monkeypatch: pytest.MonkeyPatch) -> None:
    assert encodings.accepted() == "gzip, deflate, br, zstd"

    monkeypatch.setattr(encodings, "_is_installed", lambda _: False)
    with pytest.raises(FetchFailed, match=r"br; to read it: pip install .*\[web\]"):
        encodings.unpacker("br", "shop.test")
    assert encodings.accepted.__wrapped__() == "gzip, deflate"


def test_an_encoding_beyond_the_offer_is_rejected() -> None:
    with pytest.raises(FetchFailed, match="not requested"):
        encodings.unpacker("gzip, br", "shop.test")
