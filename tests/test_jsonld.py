"""JSON-LD in, nodes and places out."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.page import LangString, Node, Page
from waypost.reader import read_data, read_page
from waypost.reader.positions import Positions, pointer
from waypost.registry import load

VOCABULARY = load().vocabulary
EXAMPLES = Path(__file__).parents[2] / "shared" / "eval" / "schemaorg-examples"


def read(data: Any, url: str | None = "https://www.example.com/page") -> Page:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return read_data(text.encode(), VOCABULARY, url=url)


def only(data: Any) -> Node:
    (node, *_) = read(data).nodes
    return node


def rules(page: Page) -> list[str]:
    return [read_error.rule for read_error in page.read_errors]


def written(page: Page, node: Node, prop: str, index: int = 0, part: Any = "value") -> str:
    span = page.span_of(node, prop, index, part)
    return page.text[span.start : span.end]


@pytest.mark.parametrize(
    "name",
    [
        "https://schema.org/Recipe",
        "http://schema.org/Recipe",
        "http://www.schema.org/Recipe",
        "schema:Recipe",
        "Recipe",
    ],
)
def test_a_type_is_the_same_however_it_is_spelled(name: str) -> None:
    assert only({"@context": "https://schema.org", "@type": name, "name": "a"}).types == ("Recipe",)


@pytest.mark.parametrize(
    "context",
    [
        "https://schema.org",
        "http://schema.org/",
        "https://www.schema.org",
        "//schema.org/",
        "https://schema.org/docs/jsonldcontext.jsonld",
        ["https://schema.org", {"@language": "en"}],
        [{"x": "https://example.com/x"}, "https://schema.org"],
        {"@vocab": "https://schema.org/"},
        {"Recipe": "https://schema.org/Recipe", "name": "https://schema.org/name"},
    ],
)
def test_every_spelling_of_the_vocabulary_gives_one_node(context: Any) -> None:
    page = read({"@context": context, "@type": "Recipe", "name": "Plum cake"})

    assert page.nodes[0].types == ("Recipe",)
    assert page.nodes[0].props == {"name": ["Plum cake"]}
    assert rules(page) == (["jsonld-context-http"] if context == "http://schema.org/" else [])


def test_a_prefix_and_aliases_are_followed() -> None:
    context = {"s": "https://schema.org/", "kind": "@type", "key": "@id", "title": "s:name", "has": "@value"}

    node = only({"@context": context, "kind": "s:Recipe", "key": "#r", "title": {"has": "Plum cake"}})

    assert (node.types, node.id, node.props) == (
        ("Recipe",),
        "https://www.example.com/page#r",
        {"name": ["Plum cake"]},
    )


def test_graphs_and_lists_are_walked_wherever_they_stand() -> None:
    graph = [{"@type": "A"}, [{"@type": "B"}, [{"@graph": [{"@type": "C", "name": {"@type": "D"}}]}]]]

    page = read([{"@context": "https://schema.org", "@graph": graph}, {"@context": "https://schema.org", "@type": "E"}])

    assert [node.types[0] for node in page.nodes] == ["A", "B", "C", "D", "E"]
    assert [node.block.pointer(node) for node in page.nodes][2:4] == [
        "/0/@graph/1/1/0/@graph/0",
        "/0/@graph/1/1/0/@graph/0/name",
    ]


def test_wrappers_are_removed_and_places_are_the_values() -> None:
    name = ["a", {"@value": "b", "@language": "de"}, {"@list": ["c", {"@set": [["d"]]}]}]

    page = read({"@context": "https://schema.org", "@type": "Recipe", "name": name})
    (node,) = page.nodes

    assert node.props["name"] == ["a", "b", "c", "d"]
    assert isinstance(node.props["name"][1], LangString)
    assert [written(page, node, "name", n) for n in range(4)] == ['"a"', '"b"', '"c"', '"d"']
    assert node.block.pointer(node, "name", 3) == "/name/2/@list/1/@set/0/0"


def test_containers_of_an_inline_context_are_opened() -> None:
    context = [
        "https://schema.org",
        {"title": {"@id": "name", "@container": "@language"}, "parts": {"@id": "hasPart", "@container": "@index"}},
    ]

    node = only(
        {"@context": context, "@type": "Book", "title": {"en": "a", "de": ["b"]}, "parts": {"1": {"name": "c"}}}
    )

    assert [(value, value.language) for value in node.props["name"] if isinstance(value, LangString)] == [
        ("a", "en"),
        ("b", "de"),
    ]
    assert [part.props for part in node.nodes("hasPart")] == [{"name": ["c"]}]


def test_a_reverse_property_makes_the_inner_node_the_subject() -> None:
    page = read(
        {"@context": "https://schema.org", "@type": "Organization", "@reverse": {"worksFor": {"@type": "Person"}}}
    )
    organization, person = page.nodes

    assert person.props["worksFor"] == [organization]
    assert page.roots == [person]


def test_members_of_nest_belong_to_the_node_itself() -> None:
    node = only({"@context": "https://schema.org", "@type": "Recipe", "@nest": [{"name": "a"}, {"url": "b"}]})

    assert node.props == {"name": ["a"], "url": ["b"]}


def test_null_and_empty_values_stay_without_harm() -> None:
    node = only(
        {"@context": "https://schema.org", "@type": "Recipe", "name": None, "image": [], "video": {}, "url": [None]}
    )

    assert node.get("name") is None
    assert node.get("video") is None
    assert node.props["image"] == []


def test_a_number_keeps_the_digits_it_was_written_with() -> None:
    node = only('{"@context": "https://schema.org", "@type": "Offer", "price": 9.90, "position": 3}')

    assert (str(node.props["price"][0]), node.props["position"][0]) == ("9.90", 3)
    assert isinstance(node.props["price"][0], Decimal)


def test_letter_case_is_corrected_and_remembered() -> None:
    node = only({"@context": "https://schema.org", "@type": "recipe", "thumbnailURL": "a", "Query-input": "b"})

    assert (node.types, set(node.props)) == (("Recipe",), {"thumbnailUrl", "query-input"})
    assert node.miscased is not None
    assert node.miscased["@type:Recipe"] == "recipe"
    assert node.miscased["thumbnailUrl"] == "thumbnailURL"


def test_action_properties_keep_their_suffix() -> None:
    node = only({"@context": "https://schema.org", "@type": "SearchAction", "query-input": "required name=q"})

    assert node.props == {"query-input": ["required name=q"]}


def test_what_belongs_to_another_vocabulary_is_left_alone() -> None:
    page = read(
        [
            {"@context": "https://www.w3.org/ns/activitystreams", "type": "Note", "name": "a"},
            {"@context": {"foaf": "http://xmlns.com/foaf/0.1/"}, "@type": "foaf:Person", "foaf:name": "b"},
        ]
    )

    assert all(node.foreign for node in page.nodes)
    assert page.roots == []
    assert rules(page) == ["jsonld-remote-context"]


def test_schema_org_type_under_an_unknown_context_is_ours() -> None:
    page = read({"@context": "https://example.com/context", "@type": "https://schema.org/Recipe", "schema:name": "a"})

    assert [(node.foreign, node.props) for node in page.nodes] == [(False, {"name": ["a"]})]


@pytest.mark.parametrize(
    ("given", "resolved"),
    [
        ("#me", "https://www.example.com/page#me"),
        ("/about", "https://www.example.com/about"),
        ("_:b", "_:b"),
        ("urn:isbn:1", "urn:isbn:1"),
        ("https://example.org/x", "https://example.org/x"),
    ],
)
def test_an_id_is_resolved_against_the_page(given: str, resolved: str) -> None:
    assert only({"@context": "https://schema.org", "@type": "Thing", "@id": given, "name": "a"}).id == resolved


@pytest.mark.parametrize(("kind", "resolved"), [("WebPage", "https://www.example.com/page"), ("Thing", None)])
def test_an_empty_id_names_the_page(kind: str, resolved: str | None) -> None:
    assert only({"@context": "https://schema.org", "@type": kind, "@id": "", "name": "a"}).id == resolved


def test_without_an_address_a_relative_id_stays() -> None:
    page = read({"@context": "https://schema.org", "@type": "Thing", "@id": "#me"}, url=None)

    assert page.nodes[0].id == "#me"


def test_an_object_with_an_id_alone_is_a_reference() -> None:
    page = read({"@context": "https://schema.org", "@type": "Article", "author": {"@id": "#a", "@type": "Person"}})

    assert [node.reference for node in page.nodes] == [False, True]


def test_block_that_cannot_be_read_costs_no_other_block() -> None:
    good = '{"@context": "https://schema.org", "@type": "Recipe", "name": "a"}'
    scripts = "".join(f'<script type="application/ld+json">{body}</script>' for body in ("no JSON", good, "{", good))

    page = read_page(scripts.encode(), VOCABULARY)

    assert len([node for node in page.nodes if node.types == ("Recipe",)]) == 2
    assert [block.index for block in page.blocks] == [0, 1, 2, 3]


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"@graph":[', '[{"b":['])
@pytest.mark.parametrize("times", [150, 900, 30_000])
def test_no_depth_is_too_deep_to_be_read(opening: str, times: int) -> None:
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")

    page = read(f'[{{"@context": "https://schema.org", "@type": "Thing"}}, {opening * times + closing * times}]')

    assert len(page.nodes) <= 401
    assert times < 200 or "json-too-deep" in rules(page)


def test_hundred_thousand_items_are_read_up_to_the_limit() -> None:
    page = read("[" + ",".join(['{"@context":"https://schema.org","@type":"Thing"}'] * 100_010) + "]")

    assert len(page.nodes) == 100_000
    assert rules(page) == ["json-too-large"]


@pytest.mark.parametrize(
    "path", sorted(EXAMPLES.glob("*.txt")) or [None], ids=lambda path: path.stem if path else "none"
)
def test_the_vocabularys_own_examples_are_read(path: Path | None) -> None:
    if path is None:
        pytest.skip("the schema.org example sets are not here")
    for example in re.findall(
        r"^JSON:\s*(.*?)(?=^TYPES:|\Z)", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        page = read_page(example.encode(), VOCABULARY)
        assert_places(page)


def assert_places(page: Page) -> None:
    """Every key and value of every node stands where its span says."""
    for node in page.nodes:
        if node.block.syntax != "json-ld":
            continue
        opening = page.span_of(node)
        assert page.text[opening.start : opening.end] == "{"
        for prop, values in node.props.items():
            for index, value in enumerate(values):
                raw = written(page, node, prop, index)
                key = written(page, node, prop, index, "key")
                if page.read_errors:
                    assert raw
                elif isinstance(value, Node):
                    assert raw == "{"
                else:
                    assert json.loads(raw, parse_float=Decimal) == value
                    assert isinstance(json.loads(key), str)


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=150, deadline=None)
@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_pointer_leads_to_its_values_slice(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    positions = Positions(text)
    waiting: list[tuple[Any, Any]] = [((), value)]
    seen = set()
    while waiting:
        way, part = waiting.pop()
        entry = positions.find(way)
        assert json.loads(text[entry.start : entry.end]) == part
        if way and isinstance(way[1], str):
            assert json.loads(text[entry.key_start : entry.key_end]) == way[1]
        seen.add(way)
        members = enumerate(part) if isinstance(part, list) else part.items() if isinstance(part, dict) else ()
        waiting.extend(((way, step), inner) for step, inner in members)
        count = len(part) if isinstance(part, (dict, list)) else 0
        assert len(positions.members(entry.start)) == count or not isinstance(part, (dict, list))
    assert pointer(["a/b", "~", 0]) == "/a~1b/~0/0"


NAMES = st.sampled_from(
    ["@type", "@id", "name", "author", "@graph", "@list", "@set", "@value", "@reverse", "@nest", "x:y"]
)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["Person", "#a", "schema:Thing", "_:b", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=15,
)
CONTEXTS = st.sampled_from(
    [
        "https://schema.org",
        None,
        {"x": "https://schema.org/", "author": {"@id": "x:author", "@container": "@list", "@type": "@id"}},
        {"@vocab": "https://schema.org/", "author": {"@reverse": "x:y"}, "name": "@id", "@language": "de"},
        [{"x": "name", "name": "x"}, 3, "https://example.com/", {"author": None}],
    ]
)


@settings(max_examples=250, deadline=None)
@given(CONTEXTS, st.dictionaries(NAMES, DOCUMENTS, max_size=5))
def test_whatever_keywords_are_combined_every_value_has_its_place(context: Any, document: dict[str, Any]) -> None:
    page = read({"@context": context, **document})

    for node in page.nodes:
        for prop, values in node.props.items():
            for index, value in enumerate(values):
                raw = written(page, node, prop, index)
                pointed = node.block.pointer(node, prop, index)
                assert pointed.startswith("/") or node.reverse
                if not isinstance(value, Node):
                    assert value is None or json.loads(raw) == value
