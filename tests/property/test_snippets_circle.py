"""A unified document becomes JSON-LD and comes back as it was; and no node, however broken, breaks the reading."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waypost.errors import NothingToShow
from waypost.preview import make_snippet, to_markup
from waypost.preview.catalogue import Catalogue, Mapping, Member, Shape, catalogue_of
from waypost.preview.unified import CONTEXT
from waypost.registry import load

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CALM = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@cache
def books() -> Catalogue:
    return catalogue_of(load())


@cache
def validator() -> Any:
    return jsonschema_rs.validator_for(books().registry.unified, validate_formats=True)


# Letters of several scripts, what JSON and HTML escape, and what looks like a reference but must survive.
_WORD = st.text("aZé漢b&<;\"'\\#|", min_size=1, max_size=6)
_PLAIN = st.one_of(
    st.lists(_WORD, min_size=1, max_size=3).map(" ".join), st.sampled_from(["AT&T", "&amp;", "a &lt; b", "5 < 6"])
).filter(lambda text: "<" not in text or "< " in text)
_URL = st.sampled_from(["https://example.com/a", "https://example.org/b?c=1&d=2", "https://example.com/%C3%A9/"])
_COUNT = st.integers(0, 10**12)
_NUMBER = st.one_of(st.integers(0, 10**6), st.sampled_from([0.5, 4.25, 47.80012]))
_MOMENT = st.sampled_from(["2026", "2026-11", "2026-11-20", "2026-11-20T10:30:00+01:00", "2026-11-20T10:30Z"])
_MONEY = st.sampled_from(["0", "64.90", "1299.00", ".5", "58000"])
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "count": _COUNT,
    "date": _MOMENT,
    "duration": st.sampled_from(["PT1H", "P1DT2H30M", "PT12M41S", "P2W"]),
    "enum": st.sampled_from(["LikeAction", "FollowAction"]),
    "html": st.sampled_from(["<p>Bake &amp; sell</p>", "plain", "<ul><li>a</li></ul>"]),
    "language": st.sampled_from(["en", "de-AT", "zh-Hans"]),
    "money": _MONEY,
    "notes": _PLAIN,
    "number": _NUMBER,
    "pixels": st.integers(1, 10_000),
    "plain": _PLAIN,
    "score": _NUMBER,
    "term": _PLAIN.filter(lambda text: not text.startswith("#")),
    "text": _PLAIN,
    "tidy": st.one_of(_PLAIN, st.booleans(), st.just({"@type": "Thing", "name": "x"})),
    "time": st.sampled_from(["06:30", "18:00", "24:00"]),
    "type": st.sampled_from(["Thing", "Organization"]),
    "url": _URL,
    "words": _PLAIN.filter(lambda text: "," not in text),
}


def one(member: Member, depth: int) -> st.SearchStrategy[Any]:
    """A value of a member, not a list."""
    kind = member.kinds[-1]
    if member.choices:
        return st.sampled_from(member.choices)
    return shaped(books().shapes[kind], depth) if kind in books().shapes else SCALARS[kind]


def of(member: Member, depth: int) -> st.SearchStrategy[Any]:
    if not member.many:
        return one(member, depth)
    names = member.unique
    same = None if names is None else repr if not names else lambda entry: repr([entry.get(name) for name in names])
    return st.lists(one(member, depth), min_size=1, max_size=3, unique_by=same)


@st.composite
def shaped(draw: st.DrawFn, shape: Shape, depth: int) -> dict[str, Any]:
    """An object of the model: what is required, what has a default, and a few more members."""
    usable = [m for m in shape.members.values() if m.kinds not in (("none",), ("position",), ("code",), ("property",))]
    if depth <= 0:
        usable = [m for m in usable if m.kinds[-1] not in books().shapes or m.name in shape.required]
    always = {*shape.required, *ALWAYS.get(shape.name, ())}
    needed = [m.name for m in usable if m.name in always or m.default is not None]
    optional = [m.name for m in usable if m.name not in needed]
    filled = draw(st.lists(st.sampled_from(optional), min_size=1, max_size=3, unique=True)) if optional else []
    names = {*needed, *filled}
    return {m.name: draw(of(m, depth - 1)) for m in usable if m.name in names}


# Written by hand because a document in normal form holds them only in this way.
LOCAL: dict[str, st.SearchStrategy[Any]] = {
    "identifier": st.just([{"propertyID": "identifier", "value": "88213"}]),
    "additionalProperty": st.just(
        [{"propertyID": "Voltage", "value": 230}, {"propertyID": "p:1", "value": "x", "name": "y"}]
    ),
    "location": st.just([{"@type": "Place", "name": "Grain Exchange", "address": {"addressLocality": "Salzburg"}}]),
    "isPartOf": st.just({"@type": "WebSite", "name": "Courier", "url": "https://example.com/"}),
    "eligibleRegion": st.just([{"@type": "Country", "name": "AT", "included": True}]),
}
BY_SERVICE: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("PersonSnippet", "isPartOf"): st.just({"@type": "ProfilePage", "url": "https://example.com/a"}),
    ("OrganizationSnippet", "isPartOf"): st.just({"@type": "ProfilePage", "url": "https://example.com/a"}),
    ("OrganizationSnippet", "location"): st.just([{"@type": "Place", "address": {"addressLocality": "Salzburg"}}]),
    ("JobSnippet", "location"): st.just([{"@type": "VirtualLocation"}, {"@type": "Place", "name": "Hall"}]),
}
ALWAYS = {"Variant": {"url"}}
OWN = {"VideoSnippet": {"video"}, "ReviewSnippet": {"aggregateRating", "review"}}
NEVER = {"itemListElement"}


def numbered(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"position": place, **entry} for place, entry in enumerate(entries, 1)]


@st.composite
def documents(draw: st.DrawFn, mapping: Mapping) -> dict[str, Any]:
    names = [n for n in mapping.fields if n not in {"id", "url", "name"} | NEVER | OWN.get(mapping.service, set())]
    made: dict[str, Any] = {"name": draw(_PLAIN), "url": "https://example.com/a"}
    made["id"] = draw(st.sampled_from([made["url"], "https://example.com/a#it", "urn:x:1"]))
    for name in draw(st.lists(st.sampled_from(names), max_size=8, unique=True)):
        member = mapping.fields[name]
        special = BY_SERVICE.get((mapping.service, name), LOCAL.get(name))
        made[name] = draw(of(member, 2) if special is None else special)
        if member.sort:
            made[name] = numbered(made[name])
    if made.get("alternateName"):
        made["alternateName"] = [name for name in made["alternateName"] if name != made["name"]] or ["also"]
    if mapping.service == "ReviewSnippet":
        review = draw(shaped(books().shapes["Review"], 2))
        made["review"] = [{"reviewBody": "Fine.", **review, "name": made["name"]}]
    if mapping.service in ("PersonSnippet", "OrganizationSnippet") and {"datePublished", "dateModified"} & made.keys():
        made["isPartOf"] = {"@type": "ProfilePage", "url": made["url"]}
    if mapping.service == "VideoSnippet":
        made["video"] = [{"name": made["name"], "url": made["url"]}]
        for name, own in (
            ("description", "description"),
            ("duration", "duration"),
            ("datePublished", "uploadDate"),
            ("validThrough", "expires"),
        ):
            if name in made:
                made["video"][0][own] = made[name]
        if "image" in made:
            made["video"][0]["thumbnailUrl"] = [image["url"] for image in made["image"]]
    return {"@context": CONTEXT, "@type": mapping.standard, **made}


@pytest.mark.parametrize("service", sorted(load().mappings))
def test_unified_to_json_ld_to_unified_closes_the_circle(service: str) -> None:
    mapping = books().mappings[service]

    @CALM
    @given(documents(mapping))
    def circle(document: dict[str, Any]) -> None:
        validator().validate(document)

        again = make_snippet(to_markup(document, books().registry), books().registry, now=NOW)

        assert again.unified == document

    circle()


_NAMES = st.sampled_from(
    ["@id", "@type", "name", "headline", "url", "image", "offers", "author", "itemListElement", "item", "mainEntity",
     "aggregateRating", "ratingValue", "price", "address", "comment", "hasVariant", "isVariantOf", "video",
     "breadcrumb",
     "openingHours", "recipeInstructions", "startDate", "identifier", "additionalProperty", "value", "position"]
)  # fmt: skip
_ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from(["", " ", "Product", "Recipe", "ItemList", "Person", "https://[", "https://example.com/#a", "#a"]),
    st.sampled_from(["P", "4/0", "1e999", "９", "\ud800"]),
)  # fmt: skip
_JUNK = st.recursive(
    _ODD,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_NAMES, inner, max_size=6)),
    max_leaves=40,
)
_TYPES = st.sampled_from(sorted({m["x-standard-type"] for m in load().mappings.values()} | {"ItemList", "ProfilePage"}))


@CALM
@given(_TYPES, st.dictionaries(_NAMES, _JUNK, max_size=8))
def test_any_value_is_a_document_or_a_reason(kind: str, thing: dict[str, Any]) -> None:
    source = {"@context": CONTEXT, **thing, "@type": kind, "@id": "#a"}
    try:
        rendered = make_snippet(source, books().registry, now=NOW)
    except NothingToShow:
        return

    validator().validate(msgspec.json.decode(msgspec.json.encode(rendered.unified)))
    assert len(rendered.snippet.title) <= 70
    assert (
        make_snippet(to_markup(rendered.unified, books().registry), books().registry, now=NOW).unified
        == rendered.unified
    )


def test_circles_in_the_graph_end() -> None:
    graph = [
        {"@type": "Product", "@id": "#a", "name": "Pot", "isVariantOf": {"@id": "#b"}, "review": {"@id": "#c"}},
        {"@type": "ProductGroup", "@id": "#b", "hasVariant": [{"@id": "#a"}] * 50, "isVariantOf": {"@id": "#b"}},
        {"@type": "Review", "@id": "#c", "itemReviewed": {"@id": "#a"}, "author": {"@id": "#c"}},
        {"@type": "DiscussionForumPosting", "@id": "#d", "headline": "x", "comment": [{"@id": "#d"}] * 50},
    ]

    rendered = make_snippet({"@context": CONTEXT, "@graph": graph}, books().registry, now=NOW)

    assert len(msgspec.json.encode(rendered.unified)) < 2_000_000
