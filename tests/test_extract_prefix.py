"""A page of which only the beginning is read gives what it gives as a whole, or is read as a whole."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.page import Node, Page
from waypost.reader import prefix, read_page
from waypost.reader.elements import PageElements
from waypost.reader.encoding import decode
from waypost.reader.prefix import Source
from waypost.reader.tree import Tree
from waypost.registry import load
from waypost.validate import validate_page

LONG = "<p>What else the page says.</p>" * 400
JSON_LD = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","url":"a"}</script>'
ITEM = '<div itemscope itemtype="https://schema.org/Thing"><b itemprop=name>Loma</b></div>'
PIECES = [
    JSON_LD, ITEM, "<script type='application/ld&#43;json'>{}</script>", "<script data-x='>' TYPE=application/ld+json>",
    '<script type="text/ld-json">{"@context":1}</script>', "<script>", "</script>", "<noscript>", "</noscript>",
    "<div itemscope itemtype=https://schema.org/Product>", "</div>", "<div>", "<p itemprop=description>", "<p>", "</p>",
    "<b itemprop=name>", "<b>", "</b>", "<i itemscope>", "</i>", "<a itemprop=url href=x>", "<a>", "</a>", "<table>",
    "<tr>", "<td>", "<td itemprop=color>", "</td>", "</table>", "<caption>", "<object>", "</object>", "<template>",
    "</template>", "<svg>", "</svg>", "<math><mi>", "</math>", "<foreignObject>", "<select>", "<option>", "</select>",
    "<title>", "</title>", "<textarea>", "</textarea>", "<!--", "-->", "<base href=/b/>", "<html lang=de>", "<head>",
    "<link rel=canonical href=/c>", "<link rel='&#99;anonical' href=/d>", "</head>", "<body>", "<body itemscope>",
    "</body>", "<frameset>", "<li>", "<form>", "<button>", "<nobr itemprop=sku>", "<span itemprop=mpn>1</span>",
    "<meta itemprop=color content=red>", "<span itemscope itemref=a>", "<p id=a>", "<p typeof = Thing property=name>",
    "ld+json", "itemprop", "text", "&amp;", "\r\n", "\n", "\u00e9", "\U0001f600", "<", ">", "</", "'", '"',
]  # fmt: skip


def contents(page: Page) -> list[Any]:
    """Everything that a page says, with its spans."""
    numbers = {id(node): number for number, node in enumerate(page.nodes)}
    errors = [(error.rule, error.span) for error in page.read_errors]
    found: list[Any] = [page.url, page.base, page.language, page.has_suppressions, errors]
    for node in page.nodes:
        found.append((node.types, node.id, node.block.index, node.block.span(node), node.block.pointer(node)))
        for name, values in node.props.items():
            for index, value in enumerate(values):
                parts = [node.block.span(node, name, index, part) for part in ("key", "value")]
                found.append((name, numbers.get(id(value)) if isinstance(value, Node) else value, parts))
    return found


def both(markup: str, beyond: int | None = None) -> tuple[list[Any], list[Any], bool]:
    """Contents of a page read as far as needed (and some bytes beyond), and as a whole; was it read less far?"""
    data, length = markup.encode(), len(decode(markup.encode()).string)
    vocabulary = load().vocabulary
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefix, "_LEAST", 0)
        patch.setattr(prefix, "_MOST", 1.0)
        prefix_end, unsettled = Source.prefix_end, prefix.unsettled
        in_part = []

        def farther(self: Source) -> int | None:
            end = prefix_end(self)
            if end is None or beyond is None:
                return end
            end = min(end + beyond, len(data))
            while end < len(data) and (
                data[end] & 0xC0 == 0x80 or data[end - 1 : end + 1] == b"\r\n" or data[end - 1 : end] == b"<"
            ):
                end += 1
            return end

        def watched(tree: Tree) -> tuple[str, int] | None:
            open_ = unsettled(tree)
            in_part.append(open_ is None and (tree.until or 0) < length)
            return open_

        patch.setattr(Source, "prefix_end", farther)
        patch.setattr(prefix, "unsettled", watched)
        partly = contents(read_page(data, vocabulary, url="https://example.com/"))
        patch.setattr(Source, "prefix_end", lambda _: None)
        return partly, contents(read_page(data, vocabulary, url="https://example.com/")), any(in_part)


@settings(max_examples=int(os.environ.get("WAYPOST_EXAMPLES", "50")), deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=14), st.lists(st.sampled_from(PIECES), max_size=14),
    st.none() | st.integers(0, 60),
)  # fmt: skip
def test_a_part_is_read_like_the_full_page(first: list[str], then: list[str], beyond: int | None) -> None:
    partly, whole, _ = both("".join([*first, *then]), beyond)

    assert partly == whole


@pytest.mark.parametrize("markup", [JSON_LD, ITEM, "<title>nothing</title>"])
def test_what_follows_the_last_relevant_tag_is_not_read(markup: str) -> None:
    partly, whole, is_part = both(f"<html lang=en><head><link rel=canonical href=/>{markup}{LONG}")

    assert is_part
    assert partly == whole


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param(f"<p itemscope><q itemprop=name>x<meta itemprop=sku content=1>{LONG}</q>", id="an open value"),
        pytest.param(f"<div itemscope><i><p><u itemprop=name>x</u>{LONG}</i>", id="open formatting"),
        pytest.param(f"<p itemscope><b itemprop=name>x</p></div><table><td>{LONG}", id="formatting behind a cell"),
        pytest.param(f"<!-- {JSON_LD}{LONG}", id="a comment"),
        pytest.param(f"<div itemscope><table><tr><meta itemprop=name content=x>{LONG}", id="a table"),
        pytest.param(f"<svg>{JSON_LD}{LONG}", id="a drawing"),
        pytest.param(f"<svg><script type=application/ld+json>{{}}</p>{LONG}", id="a script of a drawing"),
        pytest.param(f"<template>{JSON_LD}{LONG}</template>", id="a template"),
        pytest.param(f"<textarea>{JSON_LD}{LONG}</textarea>", id="a text field"),
        pytest.param(f"<div title='{JSON_LD}{LONG.replace(chr(39), '')}'>", id="an attribute"),
    ],
)
def test_what_is_left_open_is_read_to_its_end(markup: str) -> None:
    partly, whole, is_part = both(markup)

    assert not is_part
    assert partly == whole


@pytest.mark.parametrize(
    "late",
    [
        "<base href=https://example.org/>", "<link rel=canonical href=/late>", "<link rel='&#99anonical' href=/late>",
        "<html lang=de>", "<noscript><p class=ld+json></noscript>", ITEM, JSON_LD, "<P ItemProp=name>",
        "<p typeof=Thing vocab=https://schema.org/>", "<script type=application/ld&plus;json>{}</script>",
        "<script data-a='>' type=application/LD+JSON>{}</script>", "<!-- waypost-ignore -->",
        '<script type="application/ld\u00e9json">{"@context":1}</script>',
        "<p data-waypost-ignore>", '<script type=text/json-ld>{"@context":1}</script>',
    ],
)  # fmt: skip
@pytest.mark.parametrize("page", [JSON_LD, ITEM])
def test_what_comes_late_is_heard(page: str, late: str) -> None:
    partly, whole, _ = both(f"<title>x</title>{page}{LONG}{late}{LONG}")

    assert partly == whole
    assert partly != both(f"<title>x</title>{page}{LONG}{' ' * len(late)}{LONG}")[0]


def test_what_a_frameset_takes_away_is_gone() -> None:
    partly, whole, is_part = both(f"<title>x</title><base>{ITEM.replace('Loma', '')}<div></div><frameset>{LONG}")

    assert not is_part
    assert partly == whole


@pytest.mark.parametrize("text", [LONG, f"\u00e9{LONG}", LONG.replace("</p>", "</p>\r\n")], ids=["ASCII", "é", "CRLF"])
def test_a_page_without_data_is_not_read_at_all(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[int | None] = []
    made = Tree.__init__

    def noted(self: Tree, text: str, until: int | None = None) -> None:
        ends.append(until)
        made(self, text, until)

    monkeypatch.setattr(Tree, "__init__", noted)

    page = read_page(f"\ufeff{text}".encode(), load().vocabulary)

    assert ends == [0]
    assert page.nodes == []


@pytest.mark.parametrize("meta", ["", "<meta charset=utf-8>", "<meta charset=windows-1252>"])
@pytest.mark.parametrize("error", [b"\xff", b"caf\xe9", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\xc2\x80"])
@pytest.mark.parametrize("end", ["", LONG])
def test_the_encoding_of_a_page_comes_from_its_entirety(meta: str, error: bytes, end: str) -> None:
    page = (meta + JSON_LD.replace('"a"', '"\u00e9"') + LONG).encode() + error + end.encode()
    partly = validate_page(page, load())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "prefix_end", lambda _: None)
        whole = validate_page(page, load())

    assert partly == whole
    is_utf8 = error.decode(errors="ignore").encode() == error
    assert ("html-encoding-undecodable" in [finding.rule for finding in whole.findings]) == (
        "utf-8" in meta and not is_utf8
    )


MULTIBYTE = ["gb18030", "big5", "euc-jp", "euc-kr", "shift_jis", "utf-16le", "utf-16be", "iso-2022-jp", "koi8-r"]


@pytest.mark.parametrize("label", MULTIBYTE)
@pytest.mark.parametrize("error", [b"", b"\xff", b"\x81\x00", b"\x00\xd8", b"a"])
def test_other_encodings_are_read_to_their_end(label: str, error: bytes) -> None:
    name = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "euc-kr": "cp949", "shift_jis": "cp932"}.get(label, label)
    page = (JSON_LD + LONG).encode(name) + error
    partly = validate_page(page, load(), media_type=f"text/html; charset={label}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "prefix_end", lambda _: None)
        whole = validate_page(page, load(), media_type=f"text/html; charset={label}")

    assert partly == whole
    assert [item.types for item in partly.items] == [("Thing",)]


def test_a_tag_that_only_decoding_shows_is_seen() -> None:
    page = f"{LONG}<scr\x1b(Bipt type=application/ld+json>{JSON_LD.partition('>')[2]}{LONG}".encode()

    assert validate_page(page, load(), media_type="text/html; charset=iso-2022-jp").items


def test_the_text_limit_of_a_page_counts_all() -> None:
    item = f"<div itemscope itemtype=https://schema.org/Thing>{'<div itemprop=name>' * 100}{'x' * 20_000}"
    page = f"{item}{'</div>' * 101}{LONG * 120}"
    assert Source(page.encode()).prefix_end()

    partly = validate_page(page.encode(), load())

    assert len(partly.items) == 1
    assert "html-values-too-large" not in {finding.rule for finding in partly.findings}


@pytest.mark.parametrize("opening", ["<script a ", '<script a="', "<script a='", "<script type=x type=x "])
def test_open_tags_are_not_searched_for_each_of_them(opening: str) -> None:
    assert Source(opening.encode() * 10_000).prefix_end() is None


def test_nor_is_one_of_links_left_open() -> None:
    page = Source(f"{JSON_LD}{'<link a ' * 10_000}".encode())
    end = page.prefix_end()

    assert end
    assert page.may_add(end, PageElements(Tree("<title>x</title>"), frozenset(), False), language=True)


def test_a_type_of_many_names_is_searched_once() -> None:
    assert Source(f"<script {'type=' * 200_000} a=&>{LONG}".encode()).prefix_end() is None


def test_everything_found_in_a_page_is_in_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = load()
    folder = Path(__file__).parent.parent.parent / "shared" / "eval" / "pages"
    if not folder.is_dir():
        pytest.skip("the pages are not here")
    import gzip

    pages = [gzip.decompress(path.read_bytes()) for path in sorted(folder.rglob("*.html.gz"))]
    partly = [validate_page(page, registry, url="https://example.com/") for page in pages]
    monkeypatch.setattr(Source, "prefix_end", lambda _: None)

    assert len(pages) > 100
    assert partly == [validate_page(page, registry, url="https://example.com/") for page in pages]


@given(st.binary(max_size=300), st.binary(min_size=1, max_size=3))
def test_words_are_found_where_they_are(data: bytes, word: bytes) -> None:
    assert Source(data).positions(word.lower()) == [
        m.start() for m in re.finditer(re.escape(word.lower()), data.lower())
    ]
