"""Long pages get a tree without locations: what is read from the text instead is what the tree would have said."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.extract import positions, tree
from waypost.extract.encoding import decode
from waypost.extract.tree import Tree
from waypost.models.page import Page
from waypost.registry import load
from waypost.validate import validate_page
from waypost.validate.profiles.model import EvaluationContext, Outcome

PIECES = [
    "<p itemprop=a>", "</p>", "<b itemprop='b'>", "</b>", "<i  itemprop = \"i\"\n>", "</i>", "<table>", "<td x>",
    "</td>", "</table>", "<br/>", "</br>", "<a href=/x/>", "</a>", "<div a= >", "<div a=\n>", "<div \"b'=c/d e>",
    "</div>", '<div A="1" a=2 =x=y "=>', "<svg>", "<image viewBox=1 />", "</svg>", "<script>",
    "<!--<script>", "</script>",
    "<!--", "-->", "<body b=1>", "<html lang=en>", "<select>", "<option value=1>", "</select>", "<textarea>\n",
    "</textarea>", "<title>", "</title>", "<li>", "<image>", "<form>", "</form>", "text", " < ", "&amp;", "\n", "\r\n",
    "é", "😀", "\t", "<", ">", "</", "<noscript>", "</noscript>", "<dd itemprop=d", " itemscope",
]  # fmt: skip


def both(markup: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Tree, Tree]:
    made = []
    for most in (len(markup) + 1, -1):
        with monkeypatch.context() as patch:
            patch.setattr(tree, "MOST_LOCATED", most)
            decoded = decode(markup.encode())
            made.append(Tree(decoded.words, decoded.places.tell, decoded.places.at))
    return made[0], made[1]


def told(tree: Tree, element: Any) -> tuple[object, ...]:
    start_tag, attributes = tree.location(element)
    script = tree.script(element) if element.tag == "script" else None
    return element.tag, start_tag, dict(attributes), tree.content(element), tree.inside(element), script


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_a_tree_without_locations_knows_them_all(pieces: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        located, bare = both("".join(pieces), monkeypatch)

    whole = [told(located, each) for each in located.select("*")]

    assert [told(bare, each) for each in bare.select("*")] == whole


def test_plain_tags_need_no_second_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    _, bare = both('<body a><p itemprop=b c="d">e</p><img src=f><script>"</p>"</script>', monkeypatch)

    for name in ("body", "img", "p", "script"):
        bare.location(bare.select(name)[0])
    bare.script(bare.select("script")[0])
    bare.content(bare.select("p")[0])

    assert "_located" not in vars(bare)


def test_the_same_is_said_of_a_page_whatever_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [path.read_bytes() for path in sorted((Path(__file__).parent / "cases").rglob("*.html"))]
    assert len(pages) > 20

    def reports() -> list[object]:
        return [(each.items, each.findings) for each in map(validate_page, pages)]

    whole = reports()
    monkeypatch.setattr(tree, "MOST_LOCATED", -1)

    assert reports() == whole


@given(st.lists(st.sampled_from(["a", "é", "\n", "\r\n", "x" * 5000, "\n" * 300]), max_size=20))
def test_a_line_and_a_column_lead_to_an_offset_and_back(pieces: list[str]) -> None:
    decoded = decode("".join(pieces).encode())
    asked = range(0, len(decoded.text), max(1, len(decoded.text) // 40))

    there = [(at, decoded.places.line_and_column(at)) for at in asked]
    back = decode("".join(pieces).encode()).places

    for (at, (line, column)), again in product(there, (1, 2)):
        assert (back if again == 1 else decoded.places).at(line, column - 1) == at


def test_what_was_found_in_things_that_nobody_refers_to_is_let_go_of() -> None:
    from waypost.models.page import Node

    block: Any = None
    nodes = [Node(block, number) for number in range(2_000)]
    nodes[7].add_referrer(nodes[8], "author")
    context = EvaluationContext(_RuleContext())  # type: ignore[arg-type]
    context.outcomes = {(node, None): Outcome() for node in nodes}  # type: ignore[misc]

    context.forget()

    assert [node for node, _ in context.outcomes] == [nodes[7]]


class _RuleContext:
    page: Page | None = None
    registry = load()


def test_places_in_json_are_the_same_when_those_of_small_objects_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    event = '{"@type":"Event","name":"Fair %d","startDate":["soon"],"location":{"@type":"Place","geo":"x","url":"a b"}}'
    graph = ",\n".join(event % number for number in range(40))
    page = (
        f'<script type="application/ld+json">{{"@context":"https://schema.org","@graph":[{graph}]}}</script>'.encode()
    )
    whole = validate_page(page)
    assert len(whole.findings) > 80

    monkeypatch.setattr(positions, "_MOST_KEPT", 1)

    assert validate_page(page) == whole
