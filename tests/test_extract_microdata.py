"""Microdata by the standard: what carries a value, which item a property belongs to, what is reported."""

from __future__ import annotations

import pytest

from waypost.models.page import Node, Page, Value
from waypost.reader import read_page
from waypost.registry import load

VOCABULARY = load().vocabulary
PERSON = 'itemscope itemtype="https://schema.org/Person"'


def page_of(markup: str, url: str | None = "https://example.com/people/") -> Page:
    return read_page(markup.encode(), VOCABULARY, url=url)


def value_of(markup: str) -> Value:
    """The one value of `p` when the markup stands in an item."""
    (node,) = (node for node in page_of(f"<div {PERSON}>{markup}</div>").nodes if "p" in node.props)
    (value,) = node.props["p"]
    return value


def rules(page: Page) -> list[str]:
    return [read_error.rule for read_error in page.read_errors]


def written(page: Page, node: Node, prop: str, index: int = 0) -> str:
    return page.text[slice(*page.span_of(node, prop, index))]


@pytest.mark.parametrize(
    ("markup", "value"),
    [
        ('<meta itemprop=p content=" a &amp; b ">', "a & b"),
        ('<a itemprop=p href="../ada">Ada</a>', "https://example.com/ada"),
        ("<area itemprop=p href=x>", "https://example.com/people/x"),
        ("<link itemprop=p href=https://schema.org/InStock>", "https://schema.org/InStock"),
        ("<img itemprop=p src=/a.png alt=x>", "https://example.com/a.png"),
        ("<audio itemprop=p src=a.ogg></audio>", "https://example.com/people/a.ogg"),
        ("<embed itemprop=p src=//media.example.com/e>", "https://media.example.com/e"),
        ("<iframe itemprop=p src=i></iframe>", "https://example.com/people/i"),
        ("<video><source itemprop=p src=s><track></video>", "https://example.com/people/s"),
        ("<video><track itemprop=p src=t></video>", "https://example.com/people/t"),
        ("<video itemprop=p src='v\n w'></video>", "https://example.com/people/v%20w"),
        ("<object itemprop=p data=o></object>", "https://example.com/people/o"),
        ("<data itemprop=p value=9.90>9,90</data>", "9.90"),
        ("<meter itemprop=p value=4>four</meter>", "4"),
        ("<time itemprop=p datetime=2026-11-20>today</time>", "2026-11-20"),
        ("<time itemprop=p>2026-11-20</time>", "2026-11-20"),
        ("<span itemprop=p content=11.19>11,19</span>", "11.19"),
        ("<p itemprop=p> one\n <b>two</b><br>three<script>x</script><style>y</style> </p>", "one two three"),
        ("<img itemprop=p alt=x>", ""),
        ("<a itemprop=p>Ada</a>", ""),
        ("<a itemprop=p href='http://[broken'>Ada</a>", "http://[broken"),
        ("<a itemprop=p href='mailto:ada@example.com'>Ada</a>", "mailto:ada@example.com"),
    ],
)
def test_each_element_has_the_value_of_the_standard(markup: str, value: str) -> None:
    assert value_of(markup) == value


def test_without_an_address_relative_urls_stay_as_they_are() -> None:
    page = page_of(f"<div {PERSON}><a itemprop=url href=../ada>Ada</a></div>", url=None)

    assert page.nodes[0].props["url"] == ["../ada"]


def test_base_and_canonical_define_the_address() -> None:
    page = page_of(
        "<html lang=en-GB><base href=/deep/er/><link rel='alternate CANONICAL' href=me>"
        f"<div {PERSON} itemid=#ada><a itemprop=url href=x>Ada</a></div>"
    )

    assert page.url == "https://example.com/deep/er/me"
    assert page.base == "https://example.com/deep/er/"
    assert page.language == "en-GB"
    assert page.nodes[0].id == "https://example.com/deep/er/#ada"
    assert page.nodes[0].props["url"] == ["https://example.com/deep/er/x"]


def test_itemref_takes_properties_in_tree_order() -> None:
    page = page_of(
        "<p id=b itemprop=name>first</p>"
        f'<div {PERSON} itemref="c b"><i itemprop=name>second</i></div>'
        "<div id=c><i itemprop=name>third</i><div itemprop=knows itemscope><i itemprop=name>not mine</i></div></div>"
    )

    assert page.nodes[0].props["name"] == ["first", "second", "third"]
    assert [node.props["name"] for node in page.nodes[0].nodes("knows")] == [["not mine"]]
    assert rules(page) == []
    assert len(page.roots) == 1


def test_mutually_referring_items_end() -> None:
    page = page_of(
        f"<div id=a itemprop=knows {PERSON} itemref=b></div><div id=b itemprop=knows {PERSON} itemref=a></div>"
        f"<div {PERSON} itemref=a></div>"
    )

    assert "microdata-itemref-cycle" in rules(page)
    assert sum(node.parent is None for node in page.nodes) == 1


def test_one_part_of_the_page_can_serve_two_items() -> None:
    page = page_of(
        f"<div {PERSON} itemref=x></div><div {PERSON} itemref=x></div>"
        "<p id=x><b itemprop=address itemscope itemtype=https://schema.org/PostalAddress></b></p>"
    )

    first, second, address = page.nodes
    assert first.props["address"] == second.props["address"] == [address]
    assert address.parent is first
    assert (second, "address") in address.referrers


def test_a_tag_that_the_parser_repeats_counts_once() -> None:
    page = page_of(f"<div {PERSON}><p><a itemprop=url href=/ada>Ada<div>block</div></a></p></div>")

    assert page.nodes[0].props["url"] == ["https://example.com/ada"]


def test_formatting_around_a_block_keeps_its_text() -> None:
    page = page_of(f"<div {PERSON}><b itemprop=name><p>Ada</b> Lovelace</p></div>")

    assert page.nodes[0].props["name"] == ["Ada"]


def test_a_template_is_not_on_the_page() -> None:
    page = page_of(
        f"<template><div {PERSON}></div></template><div {PERSON}><template><i itemprop=name>x</i></template>"
    )

    assert [node.props for node in page.nodes] == [{}]


def test_wrong_letter_case_is_corrected_and_remembered() -> None:
    page = page_of('<div itemscope itemtype="http://schema.org/recipe"><i itemprop="Name">Pie</i></div>')

    assert page.nodes[0].types == ("Recipe",)
    assert page.nodes[0].props == {"name": ["Pie"]}
    assert page.nodes[0].miscased == {"@type:Recipe": "recipe", "name": "Name"}


def test_other_vocabularies_are_left_alone() -> None:
    page = page_of(
        '<div itemscope itemtype="https://vocabulary.example.com/Poet"><i itemprop="Name">Ada</i>'
        "<b itemprop=work itemscope><i itemprop=Title>Notes</i></b></div>"
    )

    assert [node.foreign for node in page.nodes] == [True, True]
    assert page.nodes[0].props["Name"] == ["Ada"]


def test_a_body_tag_that_comes_late_is_found_again() -> None:
    page = page_of(f'<p>early</p>\n<body {PERSON} data-x="1"><i itemprop=name>Ada</i>')

    assert page.text[slice(*page.span_of(page.nodes[0], None, None, "type"))] == "https://schema.org/Person"
    assert page.locate(page.span_of(page.nodes[0])).line == 2


def test_each_of_several_names_has_its_own_place() -> None:
    page = page_of(
        "<div itemscope itemtype='https://schema.org/Person\n https://schema.org/Patient'>"
        "<i itemprop=' name  alternateName '>Ada</i><i itemprop=name>A.</i></div>"
    )
    (node,) = page.nodes

    assert page.text[slice(*node.block.span(node, None, 1, "type"))] == "https://schema.org/Patient"
    assert page.text[slice(*page.span_of(node, "alternateName", 0, "key"))] == "alternateName"
    assert written(page, node, "name", 1) == "A."
    assert node.block.pointer(node, "name", 1) == "/name/1"
    assert node.block.pointer(node, "alternateName") == "/alternateName"


def test_a_replaced_value_cannot_break_the_markup() -> None:
    (node,) = page_of(f"<div {PERSON}></div>").nodes

    assert node.block.literal("<a \"b\" & 'c'>") == "&lt;a &quot;b&quot; &amp; &#39;c&#39;&gt;"
