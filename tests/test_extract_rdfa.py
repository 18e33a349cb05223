"""RDFa Lite: whose property it is, what names mean, and how much of the web's RDFa is none of ours."""

from __future__ import annotations

import pytest

from waypost.models.page import Page, Value
from waypost.reader import read_page
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
def test_each_element_has_the_value_of_the_standard(markup: str, value: Value) -> None:
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


def test_a_typed_item_may_be_a_value_by_rel() -> None:
    page = page_of(
        f"<div {PERSON}><div rel='knows nofollow' typeof=Person><i property=name>Mary</i></div>"
        "<a rel=nofollow typeof=Book href=/notes><i property=name>Notes</i></a></div>"
    )

    ada, mary, book = page.nodes
    assert ada.props == {"knows": [mary]}
    assert page.roots == [ada, book]
    assert mary.block.pointer(mary, "name") == "/knows/name"


def test_names_follow_prefix_and_vocab() -> None:
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


def test_resource_that_the_page_describes_elsewhere_is_that_item() -> None:
    page = page_of(f"<div {PERSON}><a property=knows href=#mary>Mary</a></div><div {PERSON} resource=#mary></div>")

    ada, mary = page.nodes
    assert ada.props["knows"] == [mary]
    assert mary.referrers == [(ada, "knows")]


def test_wrong_letter_case_is_corrected_and_remembered() -> None:
    page = page_of('<div vocab="https://schema.org/" typeof="person"><i property="Name">Ada</i></div>')

    assert page.nodes[0].types == ("Person",)
    assert page.nodes[0].miscased == {"@type:Person": "person", "name": "Name"}
    assert page.text[slice(*page.span_of(page.nodes[0], "name", 0, "key"))] == "Name"


def test_both_syntaxes_on_one_element_make_two_items() -> None:
    page = page_of(
        f'<div itemscope itemtype="https://schema.org/Person" {PERSON}><i itemprop=name property=name>Ada</i></div>'
        '<script type="Application/LD+JSON; charset=utf-8">{"@context":"https://schema.org","@type":"Book"}</script>'
        f"<div {PERSON}></div>"
    )

    assert [node.block.syntax for node in page.nodes] == ["microdata", "rdfa", "json-ld", "rdfa"]
    assert [node.props.get("name") for node in page.nodes] == [["Ada"], ["Ada"], None, None]


def test_rel_without_a_type_holds_the_items_inside() -> None:
    page = page_of(
        '<div typeof="schema:Product"><div rel="schema:offers"><p><b typeof="schema:Offer">'
        '<i property="schema:price">5</i></b></p><b typeof="schema:Offer"></b></div></div>'
    )

    product, first, second = page.nodes
    assert product.props == {"offers": [first, second]}
    assert (first.parent, first.via, first.props) == (product, "offers", {"price": ["5"]})
    assert page.roots == [product]
    assert first.block.pointer(first, "price") == "/offers/0/price"
    assert page.text[slice(*page.span_of(product, "offers", 1))].startswith('<b typeof="schema:Offer"></b>'[:10])
    assert page.text[slice(*page.span_of(product, "offers", 1, "key"))] == "schema:offers"


def test_rel_with_an_address_has_that_value() -> None:
    page = page_of(
        f"<div {PERSON}><link rel=schema:image href=/ada.png><a rel='url nofollow' href=/ada>Ada</a>"
        "<div rel=sameAs><a href=https://a.example.com/>A</a><img src=/b></div>"
        "<a rel=author href=/lord>by</a><a rel=next href=/2>2</a></div>"
    )

    (ada,) = page.nodes
    assert ada.props == {
        "image": ["https://example.com/ada.png"],
        "url": ["https://example.com/ada"],
        "sameAs": ["https://a.example.com/", "https://example.com/b"],
    }
    assert page.text[slice(*page.span_of(ada, "image"))] == "/ada.png"
    assert page.text[slice(*page.span_of(ada, "url", 0, "key"))] == "url"
    assert page.text[slice(*page.span_of(ada, "sameAs", 1))] == "/b"
    assert page.text[slice(*page.span_of(ada, "sameAs", 1, "key"))] == "sameAs"


def test_rel_around_properties_is_an_item_without_a_type() -> None:
    page = page_of(
        f"<div {PERSON}><div rel=address><i property=addressLocality>Bern</i> <i property=name>x</i></div></div>"
    )

    ada, address = page.nodes
    assert ada.props == {"address": [address]}
    assert address.props == {"addressLocality": ["Bern"], "name": ["x"]}
    assert (address.types, address.parent, address.via) == ((), ada, "address")
    assert page.text[slice(*page.span_of(address, "addressLocality"))] == "Bern"


def test_rev_makes_the_item_around_an_inner_value() -> None:
    page = page_of(
        f"<div {PERSON}><i property=name>Ada</i>"
        "<div rev='schema:author'><p typeof=Book><i property=name>Notes</i></p></div></div>"
    )

    ada, book = page.nodes
    assert book.props == {"name": ["Notes"], "author": [ada]}
    assert page.roots == [book]
    assert page.text[slice(*page.span_of(book, "author", 0, "key"))] == "schema:author"


def test_rel_with_about_holds_the_inner_items() -> None:
    page = page_of(f"<div {PERSON} about=#ada rel=schema:knows><p typeof=Person><i property=name>Mary</i></p></div>")

    ada, mary = page.nodes
    assert (ada.id, ada.props) == ("https://example.com/people/#ada", {"knows": [mary]})
    assert (mary.parent, mary.props) == (ada, {"name": ["Mary"]})


@pytest.mark.parametrize("attributes", ["rel=stylesheet href=/s.css", "rel=alternate", "rel=schema:image href=/i.png"])
def test_a_relation_outside_of_items_makes_none(attributes: str) -> None:
    page = page_of(f"<link {attributes}><div {PERSON}><i property=name>Ada</i></div>")

    assert [node.props for node in page.nodes] == [{"name": ["Ada"]}]
    assert page.read_errors == []


def test_about_next_to_a_property_names_its_item() -> None:
    page = page_of(
        f"<div {PERSON}><i property=name>Ada</i><p about=#mary property=name>Mary</p></div>"
        "<p vocab=https://schema.org/ about=#joe typeof=Person property=name>Joe</p>"
    )

    ada, mary, joe = page.nodes
    assert (ada.props, mary.props, joe.props) == ({"name": ["Ada"]}, {"name": ["Mary"]}, {"name": ["Joe"]})
    assert (mary.id, joe.id) == ("https://example.com/people/#mary", "https://example.com/people/#joe")
    assert page.text[slice(*page.span_of(joe, "name"))] == "Joe"


@pytest.mark.parametrize("tag", ["html", "head", "body"])
def test_type_of_the_root_is_that_of_the_document(tag: str) -> None:
    tags = {name: f"<{name}>" for name in ("html", "head", "body")}
    tags[tag] = f'<{tag} vocab="https://schema.org/" typeof=WebPage>'
    page = page_of(
        f"{tags['html']}{tags['head']}<title property=name>A</title></head>{tags['body']}"
        "<a vocab='https://schema.org/' property=url href=/people/>here</a>"
    )

    assert [node.id for node in page.nodes] == ["https://example.com/people/"]
    if tag != "head":
        assert page.nodes[0].props["url"] == ["https://example.com/people/"]


def test_a_pattern_is_copied_and_makes_no_item() -> None:
    page = page_of(
        f'<div {PERSON}><i property=name>Ada</i><link property="rdfa:copy" href="#home"></div>'
        f'<div {PERSON}><link property="rdfa:copy" resource="_:zip"></div>'
        '<div vocab="https://schema.org/" resource="#home" typeof="rdfa:Pattern">'
        "<p property=address typeof=PostalAddress>"
        '<i property=addressLocality>Bern</i></p><link property="rdfa:copy" resource="_:zip"></div>'
        '<div vocab="https://schema.org/" resource="_:zip" typeof="rdfa:Pattern"><i property=telephone>1</i></div>'
    )

    ada, other, address = page.nodes
    assert ada.props == {"name": ["Ada"], "address": [address], "telephone": ["1"]}
    assert other.props == {"telephone": ["1"]}
    assert (address.parent, address.block.index, other.block.index) == (ada, 0, 1)
    assert page.roots == [ada, other]
    assert address.block.pointer(address, "addressLocality") == "/address/addressLocality"
    assert page.text[slice(*page.span_of(other, "telephone"))] == "1"


def test_patterns_that_copy_each_other_end() -> None:
    pattern = (
        '<p resource="_:{}" typeof="rdfa:Pattern"><i property=name>{}</i>'
        '<link property="rdfa:copy" resource="_:{}"></p>'
    )
    page = page_of(
        f'<div vocab="https://schema.org/"><div typeof=Person><link property="rdfa:copy" resource="_:a"></div>'
        f"{pattern.format('a', 'A', 'b')}{pattern.format('b', 'B', 'a')}</div>"
    )

    assert [(node.types, node.props) for node in page.nodes] == [(("Person",), {"name": ["A", "B"]})]


def test_blank_node_is_one_item_in_all_the_page() -> None:
    page = page_of(
        f"<div {PERSON} resource=_:a><i property=name>Ada</i></div>"
        f"<div {PERSON} about=_:a><i property=email>a@x.test</i></div>"
        f"<div {PERSON}><link property=knows resource=_:a></div>"
    )

    ada, _, other = page.nodes
    assert ada.props == {"name": ["Ada"], "email": ["a@x.test"]}
    assert other.props == {"knows": [ada]}


def test_a_prefix_works_in_an_identifier() -> None:
    page = page_of(
        f'<div prefix="ex: https://x.test/" {PERSON} resource="ex:ada"><link property=sameAs resource="[ex:b]"></div>'
    )

    assert (page.nodes[0].id, page.nodes[0].props) == ("https://x.test/ada", {"sameAs": ["https://x.test/b"]})


def test_a_property_with_datatype_describes_its_links_target() -> None:
    page = page_of(f"<div {PERSON}><a property=name datatype='' typeof=Person href=/ada>Ada</a></div>")

    assert [node.props for node in page.nodes] == [{}, {"name": ["Ada"]}]
    assert page.nodes[1].id == "https://example.com/ada"
