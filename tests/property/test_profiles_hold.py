"""Whatever a page says, the profiles answer; and what they ask for is named, never invented."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.registry import load
from waypost.validate import validate_data

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TYPES = sorted({name for profile in REGISTRY.profiles.values() for name in profile.types if name[0].isupper()})
SHAPED = sorted({name for shape in REGISTRY.consumers["google"].shapes.values() for name in shape.types})
PROPERTIES = sorted(
    {
        part.partition("[")[0]
        for source in (*REGISTRY.profiles.values(), *REGISTRY.consumers["google"].shapes.values())
        for entry in (*source.required, *source.recommended, *source.limits)
        for path in (entry.path, entry.each, entry.absent, *entry.any_of)
        if path
        for part in path.removeprefix("^.").split(".")
    }
)

plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=12),
    st.sampled_from(["2026-01-01", "https://www.example.com/a", "EUR", "InStock", "http://schema.org/InStock", "1"]),
)  # fmt: skip


def node(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    types = st.one_of(st.sampled_from(TYPES + SHAPED), st.lists(st.sampled_from(TYPES + SHAPED), max_size=3))
    ids = st.sampled_from(["#a", "#b", "https://www.example.com/#c"])
    named = st.fixed_dictionaries({}, optional={"@type": types, "@id": ids})
    members = st.dictionaries(st.sampled_from(PROPERTIES), st.one_of(inner, st.lists(inner, max_size=3)), max_size=6)
    return st.builds(lambda one, other: {**other, **one}, named, members)


graphs = st.lists(st.recursive(node(plain), lambda inner: node(st.one_of(plain, inner)), max_leaves=12), max_size=4)


@settings(max_examples=150, deadline=None)
@given(graphs, st.sampled_from([(), ("google/recipe",), tuple(REGISTRY.profiles)]))
def test_the_profiles_answer_to_any_graph(graph: list[dict[str, Any]], requested: tuple[str, ...]) -> None:
    report = validate_data(
        {"@context": "https://schema.org", "@graph": graph},
        REGISTRY,
        url="https://www.example.com/",
        now=NOW,
        profiles=requested,
    )

    for item in report.items:
        assert set(item.eligible) <= REGISTRY.profiles.keys()
        assert not set(item.eligible) & set(item.retired)
    # A profile that was named and has nothing to judge is an error of its own, whatever became of the result.
    for finding in (finding for finding in report.findings if finding.rule != "profile-not-found"):
        if finding.profile is not None and REGISTRY.profiles[finding.profile].status == "restricted":
            assert finding.severity != "error" or finding.rule not in ("required-property-missing", "value-unfit")
        if finding.profile is not None and REGISTRY.profiles[finding.profile].status == "retired":
            assert finding.severity == "info"


GOOD = sorted((Path(__file__).parents[1] / "cases" / "profiles").glob("*/good-*.json"))


def emptied(value: Any, random: Random, empty: Any) -> tuple[Any, Any]:
    """A value whose objects have lost the content of some members: (with those members empty, without them)."""
    if isinstance(value, list):
        pairs = [emptied(each, random, empty) for each in value]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if not isinstance(value, dict):
        return value, value
    filled: dict[str, Any] = {}
    left_out: dict[str, Any] = {}
    for name, each in value.items():
        if name[0] != "@" and random.random() < 0.3:
            filled[name] = empty
        else:
            filled[name], left_out[name] = emptied(each, random, empty)
    return filled, left_out


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(GOOD),
    st.randoms(use_true_random=False),
    st.sampled_from(["", " ", None, [], {"@type": "Thing"}, {"@type": "Thing", "name": "", "image": {"url": " "}}]),
)
def test_an_empty_member_costs_what_a_missing_one_does(path: Path, random: Random, empty: Any) -> None:
    filled, left_out = emptied(json.loads(path.read_text("utf-8")), random, empty)

    assert eligible(filled) == eligible(left_out)


def eligible(members: Any) -> list[tuple[str, ...]]:
    report = validate_data(members, REGISTRY, url="https://www.example.com/page", now=NOW)
    return [item.eligible for item in report.items if item.eligible]
