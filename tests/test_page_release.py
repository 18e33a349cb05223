"""What is known of a page by a short way is what the long way says, and what was judged is let go at once."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from waypost.models.page import Node
from waypost.reader import read_page
from waypost.registry import load
from waypost.validate import validate_page

CASES = Path(__file__).parent / "cases"
REGISTRY = load()
PAGES = sorted(CASES.rglob("*.html"))
MIXED = """<!doctype html>\n<p>\N{SNOWMAN} \N{GRINNING FACE}<body itemscope itemtype="https://schema.org/Recipe">
<a itemscope itemtype="https://schema.org/Person"><div itemprop="name">\N{GRINNING FACE} A</div></a>\n
  <i vocab="https://schema.org/" typeof="Book"><p property="name">B</p></i><b itemscope itemtype="https://schema.org/Book">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Thing",
 "subjectOf": {"@type": "Article", "about": {"@id": "#a"}}, "@id": "#a"}</script>"""


def shapes_of(page: bytes) -> list[bytes]:
    text = page.decode("utf-8", "replace")
    return [page, b"\xef\xbb\xbf" + page, text.replace("\n", "\r\n").encode(), text.encode("utf-16")]


@pytest.mark.parametrize("number", range(4))
def test_line_of_an_item_is_that_of_its_place(number: int) -> None:
    compared = 0
    for page in (MIXED.encode(), *(path.read_bytes() for path in PAGES)):
        read = read_page(shapes_of(page)[number], REGISTRY.vocabulary)
        for node in read.nodes:
            place = read.locate(read.span_of(node))
            assert read.start_position(node) == (place.line, place.column), node
            compared += 1

    assert compared > 100


def test_checked_page_leaves_no_node_to_the_garbage_collector() -> None:
    page = MIXED.encode()
    validate_page(page, REGISTRY)  # what is remembered between pages is remembered now
    gc.collect()
    gc.disable()
    try:
        before = nodes_alive()  # other tests keep some
        validate_page(page, REGISTRY)
        after = nodes_alive()
    finally:
        gc.enable()

    assert after == before


def nodes_alive() -> int:
    return sum(isinstance(each, Node) for each in gc.get_objects())
