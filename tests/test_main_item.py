"""Main item of a page: the one that the page's heading, title, address and marks are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from waypost.errors import NothingToShow
from waypost.models.page import Node
from waypost.preview import make_snippet
from waypost.preview.catalogue import catalogue_of
from waypost.preview.pick import main_node
from waypost.reader import read_page
from waypost.registry import load

REGISTRY = load()
CASES = Path(__file__).parent / "cases"
VISITS = json.loads((CASES / "visits" / "expected.json").read_text("utf-8"))
PAGES = json.loads((CASES / "main" / "expected.json").read_text("utf-8"))
# A profile page is about its person.
STANDS_FOR = {"ProfilePage": "Person"}


def main_item(path: Path) -> Node:
    node = main_node(read_page(path.read_bytes(), REGISTRY.vocabulary), catalogue_of(REGISTRY))
    assert node is not None
    return node


@pytest.mark.parametrize(("name", "case"), VISITS.items())
def test_no_teaser_comes_before_the_item_of_a_page(name: str, case: dict[str, str]) -> None:
    expected = case["main"]

    assert STANDS_FOR.get(expected, expected) in main_item(CASES / "visits" / name).types


@pytest.mark.parametrize(("name", "case"), PAGES.items())
def test_the_main_item_is_what_the_page_is_about(name: str, case: dict[str, str]) -> None:
    node = main_item(CASES / "main" / name)

    assert case["main"] in node.types
    if "name" in case:
        assert case["name"] in [node.get(prop) for prop in ("name", "headline", "title")]


def test_no_teaser_has_the_card_of_a_film() -> None:
    page = read_page((CASES / "main" / "02-film-among-articles.html").read_bytes(), REGISTRY.vocabulary)

    with pytest.raises(NothingToShow, match=r"^Movie has no card: there is nothing to draw$"):
        make_snippet(page, REGISTRY)
