"""Microdata and JSON-LD as extruct reads them: the same, or different for a reason that the standard gives."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.models.page import Node
from waypost.reader import read_page
from waypost.registry import load

microdata = pytest.importorskip("extruct.w3cmicrodata", reason="extruct is not installed")
jsonld = pytest.importorskip("extruct.jsonld", reason="extruct is not installed")

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
            if isinstance(value, Node) and value.parent is node:
                yield from of_waypost(value, (*path, name.lower()))
            elif not isinstance(value, Node):
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


CLEAN_JSON = """<!doctype html><title>Pie</title><script type="application/ld+json">
{"@context": "https://schema.org/", "@graph": [
  {"@type": "Recipe", "@id": "#pie", "name": "Apple pie", "recipeIngredient": ["6 apples", "1 egg", "1 egg"],
   "image": {"@type": "ImageObject", "url": "https://example.com/pie.jpg", "width": 640},
   "author": [{"@type": "Person", "name": "Ad\\u00e1"}, {"@id": "#mary"}],
   "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.50, "ratingCount": 12},
   "keywords": [], "video": null, "isFamilyFriendly": true},
  {"@type": ["Person", "Patient"], "@id": "#mary", "schema:name": {"@value": "Mary", "@language": "en"}}]}
</script><script type="application/ld+json">[[{"@context": "http://schema.org", "@type": "http://schema.org/Person",
 "name": "Zoë"}]]</script>"""
KEYWORDS_WITHOUT_VALUE = frozenset({"@context", "@id", "@language", "id", ""})
TRANSPARENT = frozenset({"@graph", "@list", "@set", "@reverse", "@value"})
Flat = tuple[str, str]


def bare(name: str) -> str:
    return name.rstrip("/").replace(":", "/").rpartition("/")[2].lower()


def scalar(value: object) -> str:
    return plain(value) if isinstance(value, str | bool) else repr(float(str(value)))


def leaves_of_extruct(items: object) -> Counter[Flat]:
    """Every (property, value) and every ("@type", name) of what a block holds, however deep."""
    found: Counter[Flat] = Counter()
    waiting: list[tuple[object, str]] = [(items, "")]
    while waiting:
        value, prop = waiting.pop()
        if isinstance(value, list):
            waiting.extend((each, prop) for each in value)
        elif isinstance(value, dict):
            for key, each in value.items():
                if key not in KEYWORDS_WITHOUT_VALUE:
                    is_type = key in {"@type", "type"}
                    waiting.append((each, "@type" if is_type else prop if key in TRANSPARENT else bare(key)))
        elif value is not None:
            found[prop, bare(str(value)) if prop == "@type" else scalar(value)] += 1
    return found


def leaves_of_waypost(nodes: Iterable[Node]) -> Counter[Flat]:
    found: Counter[Flat] = Counter()
    for node in nodes:
        found.update(("@type", bare(name)) for name in node.types)
        for name, values in node.props.items():
            for index, value in enumerate(values):
                if not isinstance(value, Node) and value is not None and (name, index) not in (node.borrowed or ()):
                    found[bare(name), scalar(value)] += 1
    return found


def compared_json(data: bytes) -> tuple[Counter[Flat], Counter[Flat], list[str]]:
    page = read_page(data, VOCABULARY, url=BASE, syntaxes={"json-ld"})
    errors = [read_error.rule for read_error in page.read_errors]
    if any(rule.startswith("json-") for rule in errors):
        return Counter(), Counter(), errors  # there extruct reads nothing, or reads no further
    items = jsonld.JsonLdExtractor().extract(page.text, base_url=BASE)
    return leaves_of_extruct(items), leaves_of_waypost(page.nodes), errors


def without_types(leaves: Counter[Flat]) -> Counter[Flat]:
    return Counter({leaf: count for leaf, count in leaves.items() if leaf[0] != "@type"})


def test_clean_json_ld_reads_the_same() -> None:
    theirs, ours, _ = compared_json(CLEAN_JSON.encode())

    assert ours == theirs
    assert ours["ratingvalue", "4.5"] == 1
    assert ours["@type", "patient"] == 1


@pytest.mark.parametrize(
    ("markup", "leaf"),
    [
        # The type of the script is compared by its essence (HTML Standard, MIME types); extruct looks for one spelling.
        ('<script type="application/ld+json; charset=utf-8">{"@type": "Person", "name": "A"}</script>', ("name", "A")),
        ('<script type=" Application/LD+JSON ">{"@type": "Person", "name": "A"}</script>', ("name", "A")),
    ],
)
def test_different_readings_of_json_ld_have_their_reasons(markup: str, leaf: Flat) -> None:
    theirs, ours, _ = compared_json(markup.encode())

    assert (ours[leaf], theirs[leaf]) == (1, 0)


@pytest.mark.skipif(not PAGES.is_dir(), reason="no real pages beside the checkout")
def test_real_pages_with_clean_json_ld_keep_every_leaf() -> None:
    clean = 0
    for path in sorted(PAGES.glob("*.gz")):
        theirs, ours, errors = compared_json(gzip.decompress(path.read_bytes()))
        clean += bool(theirs)
        # A node that is told twice under one id has its types twice with us, and once where it was written.
        assert without_types(ours) == without_types(theirs), (path.name, errors)
        assert {name for prop, name in ours if prop == "@type"} == {name for prop, name in theirs if prop == "@type"}

    assert clean > 70
