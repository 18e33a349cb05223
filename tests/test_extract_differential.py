"""Microdata as extruct reads it: the same, or different for a reason that the standard gives."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.extract import read_page
from waypost.registry import load
from waypost.shapes.page import Node

microdata = pytest.importorskip("extruct.w3cmicrodata", reason="extruct is not installed")

VOCABULARY = load().vocabulary
BASE = "https://example.com/"
PAGES = Path(__file__).parent.parent.parent / "shared" / "eval" / "pages"
Leaf = tuple[tuple[str, ...], str, str]

CLEAN = """<!doctype html><title>Pie</title>
<div itemscope itemtype="https://schema.org/Recipe" itemid="https://example.com/pie">
 <h1 itemprop="name headline">Apple  pie</h1> <img itemprop=image src=/pie.jpg alt="">
 <time itemprop=prepTime datetime=PT20M>20 minutes</time> <a itemprop=url href="pie">here</a>
 <ul><li itemprop=recipeIngredient>6 apples<li itemprop=recipeIngredient>1 egg<li itemprop=recipeIngredient>1 egg</ul>
 <p itemprop=author itemscope itemtype="https://schema.org/Person"><b itemprop=name>Ada &amp; Mary</b></p>
 <div itemprop=aggregateRating itemscope itemtype="https://schema.org/AggregateRating">
  <meta itemprop=ratingValue content=4.5><data itemprop=ratingCount value=12>a dozen</data></div>
</div>
<div itemscope itemtype="https://schema.org/Person https://schema.org/Patient"><i itemprop=name>Zoë</i></div>
"""


def plain(value: object) -> str:
    """White space apart: extruct puts line breaks where a block begins, the standard does not."""
    return "".join(str(value).split())


def of_extruct(item: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    types = item.get("type") or []
    names = [types] if isinstance(types, str) else types
    yield path, "@type", " ".join(sorted(name.rpartition("/")[2].lower() for name in names))
    for name, values in item.get("properties", {}).items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, dict):
                yield from of_extruct(value, (*path, name.lower()))
            else:
                yield path, name.lower(), plain(value)


def of_waypost(node: Node, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    yield path, "@type", " ".join(sorted(name.rpartition("/")[2].lower() for name in node.types))
    for name, values in node.props.items():
        for value in values:
            if isinstance(value, Node):
                yield from of_waypost(value, (*path, name.lower()))
            else:
                yield path, name.lower(), plain(value)


def compared(data: bytes) -> tuple[Counter[Leaf], Counter[Leaf]]:
    page = read_page(data, VOCABULARY, url=BASE, syntaxes={"microdata"})
    page.base = BASE
    items = microdata.MicrodataExtractor().extract(page.text, base_url=BASE)
    tops = [node for node in page.nodes if node.parent is None]
    return (
        Counter(leaf for item in items for leaf in of_extruct(item)),
        Counter(leaf for node in tops for leaf in of_waypost(node)),
    )


def test_clean_microdata_reads_the_same() -> None:
    theirs, ours = compared(CLEAN.encode())

    assert ours == theirs


@pytest.mark.parametrize(
    ("markup", "leaf"),
    [
        ("<time itemprop=p>2026-11-20</time>", "2026-11-20"),  # extruct: nothing; the standard: the text
        ("<img itemprop=p>", ""),  # extruct: the address of the page; the standard: nothing
        ("<a itemprop=p content=x href=y>z</a>", "x"),  # extruct: the link; `content` is read wherever it is
        ("<p itemprop=p>a<noscript><b>b</b></noscript></p>", "a"),  # extruct: with what scripts would hide
    ],
)
def test_where_it_reads_differently_the_reason_is_written_here(markup: str, leaf: str) -> None:
    theirs, ours = compared(f"<div itemscope itemtype=https://schema.org/Person>{markup}</div>".encode())

    assert theirs != ours
    assert ours[(), "p", leaf] == 1


@pytest.mark.skipif(not PAGES.is_dir(), reason="no real pages beside the checkout")
def test_on_real_pages_nearly_every_leaf_is_the_same() -> None:
    same = all_of_theirs = 0
    for path in sorted(PAGES.glob("*.gz")):
        theirs, ours = compared(gzip.decompress(path.read_bytes()))
        same += (theirs & ours).total()
        all_of_theirs += theirs.total()

    assert same / all_of_theirs > 0.985
