"""Sitemaps as sitemaps.org has them, and what else is found under that name."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.net import sitemap
from waypost.net.sitemap import Entry, moment, read

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PAGES = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {NAMESPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>
    <loc>
      https://example.com/a?x=1&amp;y=2
    </loc><lastmod>2026-11-01</lastmod>
  </url>
  <url><loc>https://example.com/b</loc><lastmod>soon</lastmod></url>
  <url><lastmod>2026-11-01</lastmod></url>
</urlset>""".encode()


def test_pages_have_dates_and_pictures_are_not_pages() -> None:
    found = read(PAGES)

    assert found.pages == [
        Entry("https://example.com/a?x=1&y=2", datetime(2026, 11, 1, 23, 59, 59, tzinfo=UTC)),
        Entry("https://example.com/b"),
    ]
    assert (found.sitemaps, found.error) == ([], "")


def test_an_index_names_sitemaps() -> None:
    found = read(
        f"<sitemapindex {NAMESPACE}><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>".encode()
    )

    assert found.sitemaps == [Entry("https://example.com/1.xml")]
    assert found.pages == []


def test_packed_sitemaps_and_those_without_namespace_are_read() -> None:
    assert read(gzip.compress(PAGES)) == read(PAGES)
    assert len(read(b"<urlset><url><loc>https://example.com/</loc></url></urlset>").pages) == 1


def test_a_text_is_a_list_of_addresses() -> None:
    assert [
        each.url
        for each in read(b"\xef\xbb\xbfhttps://example.com/\r\n\r\n not an address\nhttp://example.com/b ").pages
    ] == [
        "https://example.com/",
        "http://example.com/b",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<!doctype html><title>x</title>", "an HTML page"),
        (b"<html><body></body></html>", "it begins with <html>"),
        (
            b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
            "document type",
        ),
        (b"hello", "neither XML nor a list"),
        (b"", "neither XML nor a list"),
        (b"\x1f\x8bbroken", "cannot be unpacked"),
        (gzip.compress(PAGES)[:-20], "ends in the middle"),
        (b"<urlset>" + b"<a>" * 30, "nested too deep"),
    ],
)
def test_other_documents_are_named_by_their_kind(data: bytes, message: str) -> None:
    found = read(data)

    assert found.pages == []
    assert message in found.error


def test_entries_before_the_error_are_retained() -> None:
    found = read(PAGES.replace(b"<lastmod>soon", b"<lastmod soon"))

    assert [each.url for each in found.pages] == ["https://example.com/a?x=1&y=2"]
    assert "not well-formed XML" in found.error


def test_a_bomb_is_left_packed() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * (60 << 20) + b"</urlset>", compresslevel=1)

    assert "larger than the 50 MiB" in read(bomb).error


def test_more_addresses_than_allowed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MOST_ENTRIES", 1)

    found = read(PAGES)

    assert len(found.pages) == 1
    assert "lists more than" in found.error


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("2026", "2026-12-31T23:59:59+00:00"),
        ("2026-02", "2026-02-28T23:59:59+00:00"),
        ("2026-12", "2026-12-31T23:59:59+00:00"),
        ("2026-02-03", "2026-02-03T23:59:59+00:00"),
        ("2026-02-03T10:00Z", "2026-02-03T10:00:00+00:00"),
        ("2026-02-03T10:00:30.5+02:00", "2026-02-03T10:00:30+02:00"),
        ("9999-12", None),
        ("2026-02-30", None),
        ("yesterday", None),
    ],
)
def test_a_date_stands_for_its_end(text: str, read_as: str | None) -> None:
    assert moment(text) == (datetime.fromisoformat(read_as) if read_as else None)


@given(st.binary(max_size=300) | st.binary(max_size=100).map(lambda each: PAGES[:200] + each + PAGES[200:]))
def test_nothing_makes_the_reader_fail(data: bytes) -> None:
    read(data)
