"""Main item of a page: the one that the page's heading, title, address and marks are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from waypost.preview.catalogue import catalogue_of
from waypost.preview.pick import main_node
from waypost.reader import read_page
from waypost.registry import load

REGISTRY = load()
CASES = Path(__file__).parent / "cases"
VISITS = json.loads((CASES / "visits" / "expected.json").read_text("utf-8"))
# A profile page is about its person.
MAIN = {"ProfilePage": "Person"}


def main_types(path: Path) -> tuple[str, ...]:
    node = main_node(read_page(path.read_bytes(), REGISTRY.vocabulary), catalogue_of(REGISTRY))
    return node.types if node is not None else ()


@pytest.mark.parametrize(("name", "case"), VISITS.items())
def test_no_teaser_comes_before_the_item_of_a_page(name: str, case: dict[str, str]) -> None:
    expected = case["main"]

    assert MAIN.get(expected, expected) in main_types(CASES / "visits" / name)
