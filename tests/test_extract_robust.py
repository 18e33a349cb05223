"""No page, however broken or large, breaks the reader or keeps it."""

from __future__ import annotations

import gc
import random
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.page import Node, Page, Span
from waypost.reader import microdata, read_data, read_page
from waypost.reader.markup import ItemTable
from waypost.reader.prefix import Source
from waypost.reader.tree import Element
from waypost.registry import load

VOCABULARY = load().vocabulary
PERSON = '<div itemscope itemtype="https://schema.org/Person">'
PIECES = [
    PERSON, "</div>", "<p>", "</p>", "<b itemprop=name>", "</b>", "<a itemprop='url image' href='../x'>",
    "</a>", "<table>", "<tr><td>", "</table>", "<template>", "</template>", "<svg>", "</svg>", "<select>",
    "<frameset>", "<html itemscope lang=en>", "<body itemscope itemtype=https://schema.org/WebPage>",
    "<noscript>", "</noscript>", "<div itemprop=knows itemscope itemref='a b'>",
    "<p id=a itemprop=name content=''>", "<p id=b>", "\r\n", "\r", "\x00",
    "<div vocab=https://schema.org/ typeof='Person foaf:Agent' property=knows resource='#x'>",
    "<i property='name x:y'>", "<div prefix='x: https://x.example/' typeof=x:Y>",
    "<time itemprop=birthDate datetime=", "<meta itemprop=name content",
    '<script type="application/ld+json">{"@type":"Person","name":"x"', "}</script>", "<!--", "-->",
    "<![CDATA[", "é", "𝔏", "<base href=//[>", "<link rel=canonical href=/x>", "&amp;&#0;&notin",
    "<div itemprop itemscope itemtype>", "\x0c\t",
]  # fmt: skip


def read(markup: str | bytes) -> Page:
    return read_page(markup if isinstance(markup, bytes) else markup.encode(), VOCABULARY, url="https://example.com/")


def rules(page: Page) -> set[str]:
    return {read_error.rule for read_error in page.read_errors}


def assert_every_place_is_in_the_file(page: Page, data: bytes) -> None:
    for node in page.nodes:
        spans = [page.span_of(node), page.span_of(node, None, None, "type")]
        for prop, values in node.props.items():
            spans += [page.span_of(node, prop, index, "key") for index in range(len(values))]
            spans += [page.span_of(node, prop, index, "value") for index in range(len(values))]
            assert node.block.pointer(node, prop, 0).startswith("/")
        for span in spans:
            assert 0 <= span.start <= span.end <= len(page.text)
            place = page.locate(span)
            assert 0 <= place.start <= place.end <= len(data)
            assert 1 <= place.line <= place.end_line
    for read_error in page.read_errors:
        assert 0 <= read_error.span.start <= read_error.span.end <= len(page.text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["utf-8", "utf-16", "cp1252", "cp932"]))
def test_every_page_is_read_with_places_inside_the_file(pieces: list[str], codec: str) -> None:
    data = "".join(pieces).encode(codec, "replace")

    assert_every_place_is_in_the_file(read(data), data)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_a_damaged_page_is_still_a_page(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray("".join(chance.choices(PIECES, k=60)).encode())
    for _ in range(12):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(4)] = bytes(chance.randrange(256) for _ in range(chance.randrange(4)))

    assert_every_place_is_in_the_file(read(bytes(data)), bytes(data))


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"<", b"\r", b"<!--", b"<html", b"\xff" * 99]
)
def test_what_is_hardly_a_page_has_no_items(data: bytes) -> None:
    assert read(data).nodes == []
    assert read_data(data, VOCABULARY).nodes == []


def test_twenty_thousand_nested_items_are_reported_as_too_deep() -> None:
    page = read(PERSON + '<div itemprop=knows itemscope itemtype="https://schema.org/Person">' * 20_000)

    assert len(page.nodes) == 20_001
    assert "html-too-deep" in rules(page)
    assert all(isinstance(node, Node) for node in page.nodes)


def test_a_hundred_thousand_items_are_all_there() -> None:
    page = read((PERSON + "<i itemprop=name>x</i></div>\n") * 100_000)

    assert len(page.nodes) == len(page.roots) == len(page.blocks) == 100_000
    assert page.locate(page.span_of(page.nodes[-1], "name")).line == 100_000


def test_twenty_megabytes_are_read() -> None:
    page = read(b"<p>some text of a page</p>\n" * 777_777 + (PERSON + "<i itemprop=name>x</i></div>").encode())

    assert [node.props for node in page.nodes] == [{"name": ["x"]}]


def test_nested_properties_do_not_multiply_the_page() -> None:
    page = read(PERSON + "<div itemprop=description>" * 400 + "x" * 200_000)

    assert page.nodes == []
    assert rules(page) == {"html-values-too-large"}


def test_itemref_does_not_multiply_the_page() -> None:
    people = '<div itemscope itemtype="https://schema.org/Person" itemref=x></div>' * 2_000
    page = read(people + "<div id=x>" + "<i itemprop=name>x</i>" * 2_000 + "</div>")

    assert page.nodes == []
    assert rules(page) == {"html-values-too-large"}


@pytest.mark.parametrize(
    "markup",
    [
        "".join(f"<body a{n}>" for n in range(8_000)),
        "".join("<HTML " + " ".join(f"a{n}-{m}" for m in range(2_000)) + ">" for n in range(40)),
        "".join("<bOdY " + " ".join(f"a{n}-{m}='>'" for m in range(20_000)) + ">" for n in range(4)),
    ],
    ids=["many tags", "many attributes", "quoted brackets"],
)
def test_endless_roots_are_rejected_before_the_tree_is_built(markup: str) -> None:
    page = read(markup + PERSON)

    assert page.nodes == []
    assert rules(page) == {"html-repeated-root-tag"}


def test_few_repeated_roots_are_what_the_web_is_like() -> None:
    conditional = "".join(f"<!--[if IE {n}]><html class='ie{n}'><![endif]-->" for n in range(6, 11))

    assert Source(f"{conditional}<html><body class=a><p><body class=b>".encode()).repeated_root() is None


@pytest.mark.parametrize(
    "markup",
    [PERSON + "<i itemprop=knows itemscope>", "<div vocab=https://schema.org/ typeof=Person><i property=knows typeof>"],
    ids=["Microdata", "RDFa"],
)
def test_a_page_lets_go_of_its_tree_at_once(markup: str) -> None:
    """The tree is many times the page; it must not wait for the garbage collector."""
    page = read(markup)
    trees = [weakref.ref(sheet.tree) for sheet in page.keep_alive]

    gc.disable()
    try:
        del page
        assert trees
        assert [tree() for tree in trees] == [None] * len(trees)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "written",
    [
        'itemscope itemref="{}"', 'itemscope itemtype="{}"', 'vocab="https://schema.org/" typeof="{}"',
        'typeof="Book" prefix="{}"',
    ],
)  # fmt: skip
def test_the_words_of_an_attribute_are_located_once(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scans = []
    locate = ItemTable._words

    def counted(self: ItemTable, element: Element, attribute: str) -> tuple[Span, list[Span]]:
        located = locate(self, element, attribute)
        if len(located[1]) > 100:
            scans.append(attribute)
        return located

    monkeypatch.setattr(ItemTable, "_words", counted)
    words = " ".join(f"w{n}: https://schema.org" if "prefix" in written else f"w{n}" for n in range(200))

    page = read_page(f"<p {written.format(words)}><b itemprop=name property=name>x</b>".encode(), VOCABULARY)
    spans = {error.span for error in page.read_errors}
    for node in page.nodes:
        spans |= {page.span_of(node, None, number, "type") for number in range(len(node.types))}

    assert len(scans) == 1
    assert len(spans) > 100 or "prefix" in written


def test_chains_of_items_end_after_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    item = "<div itemscope itemtype=https://schema.org/Person itemprop=knows id=a{} itemref=a{}></div>"
    page = "".join(item.format(n, n + 1) for n in range(40)).encode()

    assert len(read_page(page, VOCABULARY).nodes) == 40

    monkeypatch.setattr(microdata, "MOST_STEPS", 700)  # 40 items take 40 * 41 / 2
    assert "html-values-too-large" in rules(read_page(page, VOCABULARY))


def test_popular_reference_is_searched_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = " ".join(f"a{n}" for n in range(20))
    around = "".join(f"<div id=a{n}>" for n in range(20))
    item = "<p itemscope itemtype=https://schema.org/Book>" + "<b itemprop=name>x</b>" * 50
    page = f"<div itemscope itemtype=https://schema.org/Book itemref='{names}'></div>{around}{item}".encode()

    assert len(read_page(page, VOCABULARY).nodes) == 2

    monkeypatch.setattr(microdata, "MOST_VISITED", 900)
    assert "html-values-too-large" in rules(read_page(page, VOCABULARY))


@pytest.mark.parametrize("written", ["<meta http-equiv={}>", "<meta charset={}>", "{}<p>", "<p prefix='{}'>"])
def test_no_pattern_goes_back_over_a_long_run(written: str) -> None:
    """From each place of a run to its end would be 45 thousand million steps: no such test would end."""
    for run in (" ", "a", "<meta "):
        data = b"\xff" + written.format(run * 300_000).encode() + b"<b typeof=Book>"
        assert read_page(data, VOCABULARY).nodes is not None
