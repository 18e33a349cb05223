"""Offsets of the text lead back to the bytes, lines and columns of the file, whatever its encoding."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.page import Node, Page, Span
from waypost.reader import read_page
from waypost.reader.encoding import codec_of, decode
from waypost.registry import load

VOCABULARY = load().vocabulary
TEXTS = {"ascii": "Ada Lovelace", "latin-1": "Zoë Müller", "wide": "アダ・ラブレス", "astral": "Ada 𝔏 👩‍🔬"}
PAGE = """<!doctype html>
<html><head><title>{name}</title></head><body>
<input type=hidden value={name}><p>{name}</p>
<div itemscope ITEMTYPE = "https://schema.org/Person">
  <h1 itemprop="name alternateName">{name}</h1> <a itemprop=url
   href = /ada>{name}</a>
  <meta itemprop='description' content='{name} &amp; co.'><p>{name}
</div>
<p>{name}</p>
<section vocab="https://schema.org/" typeof="Book"><b property="name">{name}</b>
<i property=author typeof=Person><span property="name" content="{name}"></span></i></section>
</body></html>
"""


def page_of(data: bytes, **more: str) -> Page:
    return read_page(data, VOCABULARY, url="https://example.com/", **more)


def written(page: Page, data: bytes, encoding: str, node: Node, prop: str, part: str) -> str:
    """The text of the file at a place."""
    place = page.locate(page.span_of(node, prop, 0, part))  # type: ignore[arg-type]
    return data[place.start : place.end].decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
@pytest.mark.parametrize("kind", TEXTS)
def test_keys_and_values_stand_exactly_where_they_are_written(kind: str, mark: bytes, newline: str) -> None:
    name = TEXTS[kind]
    data = mark + PAGE.format(name=name).replace("\n", newline).encode()

    page = page_of(data, media_type="text/html; charset=utf-8")

    person, book, author = page.nodes
    assert [node.types for node in page.nodes] == [("Person",), ("Book",), ("Person",)]
    assert written(page, data, "utf-8", person, "name", "key") == "name"
    assert written(page, data, "utf-8", person, "alternateName", "key") == "alternateName"
    assert written(page, data, "utf-8", person, "name", "value") == name
    assert written(page, data, "utf-8", person, "url", "value") == "/ada"
    assert written(page, data, "utf-8", person, "description", "value") == f"{name} &amp; co."
    assert written(page, data, "utf-8", book, "name", "value") == name
    assert written(page, data, "utf-8", book, "author", "value") == "<i property=author typeof=Person>"
    assert written(page, data, "utf-8", author, "name", "value") == name
    assert person.props["url"] == ["https://example.com/ada"]
    assert person.props["description"] == [f"{name} & co."]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("kind", TEXTS)
def test_lines_and_columns_count_as_editors_do(kind: str, newline: str) -> None:
    name = TEXTS[kind]
    data = b"\xef\xbb\xbf" + PAGE.format(name=name).replace("\n", newline).encode()

    page = page_of(data)
    place = page.locate(page.span_of(page.nodes[1], "name", 0, "value"))

    line = PAGE.format(name=name).split("\n")[9]
    column = line.index("<b property") + len('<b property="name">')
    assert (place.line, place.column) == (10, column + 1)
    assert (place.end_line, place.end_column) == (10, column + len(name) + 1)
    assert place.utf16_end_column - place.utf16_column == len(name.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("label", "codec", "name"),
    [
        ("windows-1252", "cp1252", "Zoë “Müller”"),
        ("iso-8859-1", "cp1252", "€ “quoted”"),
        ("shift_jis", "cp932", "アダ・ラブレス"),
        ("euc-kr", "cp949", "에이다 러브레이스"),
        ("gb2312", "gb18030", "阿达·洛芙莱斯"),
        ("big5", "big5hkscs", "愛達·勒芙蕾絲"),
        ("koi8-r", "koi8-r", "Ада Лавлейс"),
        ("euc-jp", "euc_jp", "アダ・ラブレス"),
    ],
)
def test_a_meta_names_the_encoding_and_places_stay_exact(label: str, codec: str, name: str) -> None:
    text = f"<!doctype html>\r\n<!-- <meta charset=koi8-u> -->\r\n<meta charset={label}>\r\n"
    data = (text + PAGE.format(name=name).replace("\n", "\r\n")).encode(codec)

    page = page_of(data)

    person = page.nodes[0]
    assert person.props["name"] == [" ".join(name.split())]
    place = page.locate(page.span_of(person, "url", 0, "value"))
    assert data[place.start : place.end] == b"/ada"
    place = page.locate(page.span_of(person, "name", 0, "value"))
    assert data[place.start : place.end].decode(codec) == name


def test_an_encoding_that_shifts_is_placed_behind_its_shifts() -> None:
    data = ("<meta charset=iso-2022-jp>" + PAGE.format(name="アダとラブレス")).encode("iso2022_jp")

    page = page_of(data)

    place = page.locate(page.span_of(page.nodes[0], "name", 0, "value"))
    assert page.nodes[0].props["name"] == ["アダとラブレス"]
    assert (b"\x1b$B" + data[place.start : place.end]).decode("iso2022_jp") == "アダとラブレス"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
def test_pages_in_utf_16_are_read_too(codec: str, mark: str) -> None:
    data = (mark + PAGE.format(name="Zoë 👩").replace("\n", "\r\n")).encode(codec)

    page = page_of(data)

    place = page.locate(page.span_of(page.nodes[0], "name", 0, "value"))
    assert data[place.start : place.end].decode(codec) == "Zoë 👩"
    assert place.line == 5


def test_a_late_meta_decides_for_bytes_outside_utf_8() -> None:
    data = b"<title>x</title>" + b" " * 9000 + "<meta charset=windows-1251><p>Ада".encode("cp1251")

    assert decode(data).string.endswith("Ада")


def test_undecodable_bytes_do_not_shift_what_follows() -> None:
    data = b"<meta charset=utf-8><p>caf\xe9 \xe2\x82 \xf0\x9f</p>\r\n" * 400 + PAGE.format(name="Zoë").encode()

    page = page_of(data)

    place = page.locate(page.span_of(page.nodes[0], "name", 0, "value"))
    assert data[place.start : place.end].decode() == "Zoë"
    assert page.read_errors[0].rule == "html-encoding-undecodable"
    assert page.locate(page.read_errors[0].span).start == data.index(b"\xe9")


def test_labels_mean_what_browsers_mean_by_them() -> None:
    assert codec_of(" Latin1 ") == "cp1252"
    assert codec_of("GB2312") == "gb18030"
    assert codec_of("utf8mb4") is None


ENCODINGS = ["utf-8", "windows-1252", "shift_jis", "euc-jp", "gbk", "big5", "euc-kr", "iso-2022-jp", "utf-16le"]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(ENCODINGS))
def test_every_offset_leads_in_order_to_a_byte(data: bytes, label: str) -> None:
    """Whatever the bytes: offsets grow with the text, and each character is what its bytes decode to."""
    read = decode(data, encoding=label)
    starts = [read.locate(Span(n, n)).start for n in range(len(read.string) + 1)]

    assert starts == sorted(starts)
    assert starts[-1] == len(data)
    for n, character in enumerate(read.string):
        piece = data[starts[n] : starts[n + 1]]
        if character not in "\ufffd\n" and read.codec not in {"iso2022_jp", "big5hkscs"}:
            assert piece.decode(read.codec, "waypost-unmapped" if len(piece) == 1 else "strict") == character
