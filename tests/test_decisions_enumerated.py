"""A sample of the enumeration of `benchmarks/decisions_enumerated.py`, which holds every combination to its rules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "decisions_enumerated.py"
STEP = 13
"""Prime to the number of values of every dimension, so that a sample has every pair of values."""


@pytest.fixture(scope="module")
def enumeration() -> Any:
    spec = importlib.util.spec_from_file_location("decisions_enumerated", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["decisions_enumerated"] = module
    spec.loader.exec_module(module)
    return module


def test_every_decision_follows_the_rules_of_the_design(enumeration: Any) -> None:
    made, broken, ways = enumeration.run(STEP)

    assert made * STEP >= 26_240
    assert broken == []
    assert [change for change in ways if not enumeration.why(change)] == []


def test_the_scope_of_an_upheld_dispute_allows_nothing(enumeration: Any) -> None:
    disputed = [kind for kind in enumeration.kinds() if enumeration.is_disputed(kind)][:: 7 * STEP]

    for kind in disputed:
        decision = enumeration.decided(kind)
        assert not decision.action_allowed, kind
        assert kind.network == "private" or decision.relationship_status == "disputed", kind


@pytest.mark.parametrize("policy", ["baseline-2026-11-20", "strict-2026-11-20"])
def test_older_policies_allow_the_same(enumeration: Any, policy: str) -> None:
    kinds = {kind._replace(policy=policy) for kind in enumeration.kinds() if kind.policy.startswith(policy[:6])}

    for kind in sorted(kinds)[:: 7 * STEP]:
        assert enumeration.decided(kind).action_allowed == enumeration.is_allowed(kind), kind


def test_the_enumeration_notices_an_engine_that_is_wrong(enumeration: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right = enumeration.decided
    changed = {
        "allowed is": {"action_allowed": True},
        "is not true": {"reason_codes": ("threat_list_match",)},
        "stopped for": {"reason_codes": ("official_relationship_verified",)},
        "nothing decisive": {"reason_codes": ("no_decisive_signal",)},
    }

    for error, members in changed.items():
        monkeypatch.setattr(
            enumeration, "decided", lambda kind, members=members: msgspec.structs.replace(right(kind), **members)
        )
        _, broken, _ = enumeration.run(40 * STEP + 1)
        assert any(error in each for each in broken), error


def test_every_way_from_stop_to_allow_is_possible(enumeration: Any) -> None:
    """No entry of the list excuses a change that nobody makes."""
    for way in enumeration.WAYS:
        values = set(enumeration.DIMENSIONS[way.dimension])
        assert way.before <= values
        assert way.after <= values
        assert any(
            not enumeration.is_allowed(kind) and enumeration.is_allowed(other)
            for kind in enumeration.kinds()
            if getattr(kind, way.dimension) in way.before
            for (dimension, _, after), other in enumeration.changes(kind)
            if dimension == way.dimension and after in (way.after or {after})
        ), way
