"""RDFa Lite: whose property it is, what names mean, and how much of the web's RDFa is none of ours."""

from __future__ import annotations

import pytest

from waypost.extract import read_page
from waypost.models.page import Page, Value
from waypost.registry import load

VOCABULARY = load().vocabulary
PERSON = 'vocab="https://schema.org/" typeof="Person"'


def page_of(markup: str) -> Page:
    return read_page(markup.encode(), VOCABULARY, url="https://example.com/people/")


def rules(page: Page) -> list[str]:
    return [read_error.rule for read_error in page.read_errors]


@pytest.mark.parametrize(
    ("markup", "value"),
    [
        ("<span property=name> Ada\n <b>L.</b></span>", "Ada L."),
        ("<span property=name content='Ada L.'>Ada</span>", "Ada L."),
        ("<a property=name href=ada>Ada</a>", "https://example.com/people/ada"),
        ("<a property=name>Ada</a>", "Ada"),
        ("<img property=name src=/a.png>", "https://example.com/a.png"),
        ("<time property=name datetime=2026-11-20>today</time>", "2026-11-20"),
        ("<time property=name>2026-11-20</time>", "2026-11-20"),
        ("<data property=name value=9.90>9,90</data>", "9.90"),
        ("<link property=name href=http://schema.org/InStock>", "http://schema.org/InStock"),
        ("<span property=name resource=#me>me</span>", "https://example.com/people/#me"),
        ("<object property=name data=o></object>", "https://example.com/people/o"),
    ],
)
def test_each_element_carries_its_value_where_the_standard_says(markup: str, value: Value) -> None:
    (node,) = page_of(f"<div {PERSON}>{markup}</div>").nodes

    assert node.props == {"name": [value]}


def test_items_nest_by_property_and_typeof() -> None:
    page = page_of(
        f"<div {PERSON}><div property='knows colleague' typeof=Person resource=#mary><i property=name>Mary</i></div>"
        "<div typeof=Book><i property=name>Notes</i></div><i property=name>Ada</i></div>"
    )

    ada, mary, book = page.nodes
    assert ada.props == {"knows": [mary], "colleague": [mary], "name": ["Ada"]}
    assert (mary.parent, mary.via, mary.id) == (ada, "knows", "https://example.com/people/#mary")
    assert (book.parent, book.props) == (None, {"name": ["Notes"]})
    assert page.roots == [ada, book]
    assert mary.block.pointer(mary, "name") == "/knows/name"


def test_an_item_with_a_type_may_be_a_value_by_rel() -> None:
    page = page_of(
        f"<div {PERSON}><div rel='knows nofollow' typeof=Person><i property=name>Mary</i></div>"
        "<a rel=nofollow typeof=Book href=/notes><i property=name>Notes</i></a></div>"
    )

    ada, mary, book = page.nodes
    assert ada.props == {"knows": [mary]}
    assert page.roots == [ada, book]
    assert mary.block.pointer(mary, "name") == "/knows/name"


def test_names_mean_what_prefix_and_vocab_say() -> None:
    page = page_of(
        '<div prefix="s: https://schema.org/ x: https://vocabulary.example.com/"><div typeof="s:Person x:Poet">'
        "<i property='schema:name x:pen'>Ada</i><i property=bare>no</i></div></div>"
    )

    (node,) = page.nodes
    assert node.types == ("Person", "https://vocabulary.example.com/Poet")
    assert node.props == {"name": ["Ada"], "https://vocabulary.example.com/pen": ["Ada"]}
    assert not node.foreign


def test_open_graph_makes_no_items() -> None:
    page = page_of('<html prefix="og: https://ogp.me/ns#"><meta property="og:title" content=x><body>')

    assert (page.nodes, page.read_errors) == ([], [])


def test_open_graph_next_to_an_item_is_left_alone() -> None:
    page = page_of(f'<meta property="og:title" content=x><meta property="fb:app_id" content=1><div {PERSON}></div>')

    assert len(page.nodes) == 1
    assert page.read_errors == []


def test_foreign_items_are_marked_so() -> None:
    page = page_of('<div typeof="sioc:Item foaf:Document" about="/a"><i property="dc:title">x</i></div>')

    assert [node.foreign for node in page.nodes] == [True]


def test_a_resource_that_the_page_describes_elsewhere_is_that_item() -> None:
    page = page_of(f"<div {PERSON}><a property=knows href=#mary>Mary</a></div><div {PERSON} resource=#mary></div>")

    ada, mary = page.nodes
    assert ada.props["knows"] == [mary]
    assert mary.referrers == [(ada, "knows")]


def test_wrong_letter_case_is_corrected_and_remembered() -> None:
    page = page_of('<div vocab="https://schema.org/" typeof="person"><i property="Name">Ada</i></div>')

    assert page.nodes[0].types == ("Person",)
    assert page.nodes[0].miscased == {"@type:Person": "person", "name": "Name"}
    assert page.text[slice(*page.span_of(page.nodes[0], "name", 0, "key"))] == "Name"


def test_both_syntaxes_on_the_same_elements_make_two_items_in_document_order() -> None:
    page = page_of(
        f'<div itemscope itemtype="https://schema.org/Person" {PERSON}><i itemprop=name property=name>Ada</i></div>'
        '<script type="Application/LD+JSON; charset=utf-8">{"@context":"https://schema.org","@type":"Book"}</script>'
        f"<div {PERSON}></div>"
    )

    assert [node.block.syntax for node in page.nodes] == ["microdata", "rdfa", "json-ld", "rdfa"]
    assert [node.props.get("name") for node in page.nodes] == [["Ada"], ["Ada"], None, None]
