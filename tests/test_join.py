"""Nodes with one id are one node, and the roots are what nobody holds."""

from __future__ import annotations

import json
from typing import Any

from waypost.models.page import Node, Page
from waypost.reader import read_data, read_page
from waypost.registry import load

VOCABULARY = load().vocabulary
URL = "https://www.example.com/page"


def graph(*nodes: dict[str, Any]) -> Page:
    text = json.dumps({"@context": "https://schema.org", "@graph": nodes})
    return read_data(text.encode(), VOCABULARY, url=URL)


def roots(page: Page) -> list[str]:
    return [node.types[0] for node in page.roots]


def test_a_reference_becomes_the_node_it_stands_for() -> None:
    page = graph({"@type": "Article", "author": {"@id": "#a"}}, {"@type": "Person", "@id": "#a", "name": "A. Cook"})
    article = page.nodes[0]

    (author,) = article.nodes("author")

    assert author.props == {"name": ["A. Cook"]}
    assert author.referrers == [(article, "author")]
    assert roots(page) == ["Article"]


def test_a_reference_without_a_target_stays_one() -> None:
    page = graph({"@type": "Article", "author": {"@id": "#nobody"}})

    (author,) = page.nodes[0].nodes("author")

    assert author.reference


def test_the_first_node_of_an_id_gains_others_properties() -> None:
    page = graph(
        {"@type": "Person", "@id": "#a", "name": "A. Cook", "url": "u"},
        {"@type": "Person", "@id": "#a", "name": "A. Cook", "url": ["u", "v"], "jobTitle": "Cook"},
    )
    first, second = page.nodes

    assert first.props == {"name": ["A. Cook"], "url": ["u", "v"], "jobTitle": ["Cook"]}
    assert second.same_as is first
    assert roots(page) == ["Person"]


def test_a_borrowed_value_is_placed_where_it_was_written() -> None:
    page = graph(
        {"@type": "Person", "@id": "#a", "url": "u"}, {"@type": "Person", "@id": "#a", "url": "v", "name": "N"}
    )
    first = page.nodes[0]

    spans = [page.span_of(first, "url", 1), page.span_of(first, "name"), page.span_of(first, "name", None, "key")]

    assert [page.text[span.start : span.end] for span in spans] == ['"v"', '"N"', '"name"']


def test_blocks_and_syntaxes_are_joined() -> None:
    page = read_page(
        b'<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe", "@id": "#r",'
        b' "author": {"@id": "#a"}}</script>'
        b'<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Person", "@id": "#a",'
        b' "name": "A. Cook"}</script>'
        b'<div itemscope itemtype="https://schema.org/Recipe" itemid="#r"><b itemprop="name">Plum cake</b></div>',
        VOCABULARY,
        url=URL,
    )
    recipe = page.by_id[f"{URL}#r"]

    assert recipe.get("name") == "Plum cake"
    assert [author.get("name") for author in recipe.nodes("author")] == ["A. Cook"]
    assert page.roots == [recipe]


def test_blank_node_is_known_in_its_own_block_only() -> None:
    page = read_page(
        b'<script type="application/ld+json">{"@context": "https://schema.org", "@id": "_:a", "@type": "Person",'
        b' "name": "one"}</script>'
        b'<script type="application/ld+json">{"@context": "https://schema.org", "@id": "_:a", "@type": "Person",'
        b' "name": "two"}</script>',
        VOCABULARY,
    )

    assert [node.props["name"] for node in page.roots] == [["one"], ["two"]]


def test_a_node_that_points_at_itself_is_a_root() -> None:
    page = graph({"@type": "Article", "@id": "#a", "mainEntityOfPage": {"@id": "#a"}})

    assert roots(page) == ["Article"]


def test_of_a_circle_the_first_node_is_the_root() -> None:
    page = graph(
        {"@type": "Person", "@id": "#p", "name": "A. Cook"},
        {"@type": "WebPage", "@id": "#w", "mainEntity": {"@id": "#r"}},
        {"@type": "Recipe", "@id": "#r", "mainEntityOfPage": {"@id": "#w"}, "author": {"@id": "#p"}},
        {"@type": "Thing", "name": "alone"},
    )

    assert roots(page) == ["WebPage", "Thing"]


def test_a_circle_with_an_outer_referrer_has_no_root() -> None:
    page = graph(
        {"@type": "WebPage", "@id": "#w", "mainEntity": {"@id": "#r"}},
        {"@type": "Recipe", "@id": "#r", "mainEntityOfPage": {"@id": "#w"}},
        {"@type": "WebSite", "hasPart": {"@type": "Thing", "subjectOf": {"@id": "#w"}}},
    )

    assert roots(page) == ["WebSite"]


def test_references_and_empty_nodes_are_not_roots() -> None:
    page = graph({"@id": "https://example.org/x"}, {}, {"@type": "Thing"})

    assert roots(page) == ["Thing"]


def test_type_of_a_reference_helps_a_node_without_one() -> None:
    page = graph({"@type": "Article", "author": {"@type": "Person", "@id": "#a"}}, {"@id": "#a", "name": "A. Cook"})

    assert page.by_id[f"{URL}#a"].types == ("Person",)


def test_equal_nodes_without_an_id_are_not_repeated() -> None:
    address = {"@type": "PostalAddress", "addressCountry": "DE"}

    page = graph(
        {"@type": "Organization", "@id": "#o", "address": address},
        {"@type": "Organization", "@id": "#o", "address": [address, {**address, "addressCountry": "AT"}]},
    )

    assert [each.get("addressCountry") for each in page.nodes[0].nodes("address")] == ["DE", "AT"]


def test_mutually_referring_nodes_are_joined_in_passing() -> None:
    count = 5_000
    nodes: list[dict[str, Any]] = [
        {"@type": "Thing", "@id": f"#{n}", "subjectOf": [{"@id": f"#{(n + 1) % count}"}, {"@id": "#0"}]}
        for n in range(count)
    ]

    page = graph(*nodes, *nodes)

    assert len(page.by_id) == count
    assert page.roots == [page.nodes[0]]


def test_a_long_list_of_references_is_followed_in_order() -> None:
    people = [{"@type": "Person", "@id": f"#{n}", "name": f"{n}"} for n in range(300)]

    page = graph({"@type": "Article", "author": [{"@id": f"#{n}"} for n in range(300)]}, *people)

    assert [author.get("name") for author in page.nodes[0].nodes("author")] == [f"{n}" for n in range(300)]
    assert all(isinstance(author, Node) for author in page.nodes[0].props["author"])


def test_a_type_is_placed_where_it_is_stated() -> None:
    page = graph({"@id": "#a", "@type": "Thing", "name": "A"}, {"@id": "#a", "@type": "book", "isbn": "1"})

    (book,) = page.roots
    assert (book.types, book.miscased) == (("Thing", "Book"), {"@type:Book": "book"})
    assert book.typed_by == {"Book": page.nodes[1]}


def test_type_of_an_unread_context_stays_with_its_script() -> None:
    def script(context: Any, **members: Any) -> str:
        return f'<script type="application/ld+json">{json.dumps({"@context": context, "@id": "#a"} | members)}</script>'

    first = script("https://schema.org", **{"@type": "Book", "name": "A"})
    second = script(["https://schema.org", "https://context.test/"], **{"@type": ["Scroll", "Thing"], "length": 2})

    for markup in (first + second, second + first):
        (book,) = read_page(markup.encode(), load().vocabulary, url="https://example.com/").roots
        assert set(book.types) == {"Book", "Thing"}
