"""Stretches of web archives: every record once, whatever is wrong with the one before it."""

from __future__ import annotations

import gzip
import io
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("fastwarc")

from tests.crawl.archives import page, pages, record

from waypost.crawl.archives import Passed, Record, read_stretch

PACKED = pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])


def joined(records: list[bytes], packed: bool) -> bytes:
    return b"".join(map(gzip.compress, records) if packed else records)


def read(data: bytes, start: int = 0, end: int | None = None) -> list[Record]:
    found = read_stretch(io.BytesIO(data), start, len(data) if end is None else end)
    return [each for each in found if not isinstance(each, Passed)]


@PACKED
@pytest.mark.parametrize("stretches", [1, 2, 7, 100])
def test_each_page_is_in_one_stretch(packed: bool, stretches: int) -> None:
    data = joined([record("", b"x", kind="warcinfo"), *pages(12)], packed)
    edges = [len(data) * n // stretches for n in range(stretches + 1)]

    found = [each.url for start, end in pairwise(edges) for each in read(data, start, end)]

    assert found == [f"https://shop{n % 2}.example.com/{n}" for n in range(12)]


@PACKED
@pytest.mark.parametrize("length", [4 << 30, 10_000, 5], ids=["4 GB", "into the next records", "too short"])
def test_a_record_of_wrong_length_costs_no_other(packed: bool, length: int) -> None:
    wrong = record("https://example.com/wrong", page(1), length=length)

    found = read(joined([*pages(2), wrong, *pages(3)], packed))

    assert [each.url for each in found if not each.error] == [
        *(f"https://shop{n % 2}.example.com/{n}" for n in range(2)),
        *(f"https://shop{n % 2}.example.com/{n}" for n in range(3)),
    ]
    assert "https://example.com/wrong" in [each.url for each in found if each.error]


@PACKED
@pytest.mark.parametrize("lost", [1, 30, 200])
def test_an_archive_that_breaks_off_reports_its_last_record(packed: bool, lost: int) -> None:
    data = joined(pages(3), packed)[: -lost - 4]

    *whole, last = read(data)

    assert [each.error for each in whole] == ["", ""]
    assert last.error == "the archive breaks off in this record"


def test_a_damaged_record_of_a_packed_archive_costs_itself() -> None:
    first, second, third = (gzip.compress(each) for each in pages(3))
    broken = bytearray(second)
    broken[len(broken) // 2] ^= 0xFF

    found = read(first + bytes(broken) + third)

    assert [bool(each.error) for each in found] == [False, True, False]


def test_an_archive_packed_as_one_is_read_too() -> None:
    found = read(gzip.compress(b"".join(pages(3))))

    assert [(each.offset, each.inner) for each in found] == [(0, 0), (0, 1), (0, 2)]


def test_what_is_not_an_archive_is_reported(tmp_path: Path) -> None:
    (found,) = read(b"<html>no archive at all</html>")

    assert found.error == "the archive is damaged here"
