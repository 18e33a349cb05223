"""Decisions as data: what was asked, seen and known, and the decision that must come of it, member for member.

tests/cases/decisions/<name>.json   `asked` is a `DecisionInput` with a URL for its target; `seen` changes parts of
                                    what `everything-seen.json` shows, and null is nobody having looked
The brands are those of tests/cases/signals/brands, which nobody owns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.models.decision import ACTIONS, Decision
from waypost.models.observation import Observations
from waypost.registry.world import World, load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.serialize import decision_to_dict
from waypost.safety.target import normalise

FOLDER = Path(__file__).parent / "cases"
CASES = sorted((FOLDER / "decisions").glob("*.json"))
SHIPPED = load()
WORLD = World(
    {path: data for path, data in SHIPPED.files.items() if not path.startswith(("brands/", "sites.json"))}
    | {f"brands/x/{path.name}": path.read_bytes() for path in (FOLDER / "signals" / "brands").glob("*.json")}
    | {"sites.json": b'{"sites": []}'}
)
EVERYTHING: dict[str, Any] = json.loads((FOLDER / "decisions" / "given" / "everything-seen.json").read_text())


def case_of(request: dict[str, Any]) -> DecisionInput:
    target = normalise(request["url"])
    seen = request["seen"]
    if seen is not None:
        whole = {
            name: part | seen.get(name, {}) if isinstance(part, dict) else part for name, part in EVERYTHING.items()
        }
        seen = msgspec.convert(whole | {"host": target.host}, Observations)
    given = {name: value for name, value in request.items() if name not in {"url", "seen"}}
    return msgspec.structs.replace(
        msgspec.convert({"decision_id": "d", "target": msgspec.to_builtins(target), **given}, DecisionInput), seen=seen
    )


def decided(path: Path) -> tuple[Decision, dict[str, Any]]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return decide(case_of(document["asked"]), WORLD), document


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_this_request_and_evidence_lead_to_this_decision(path: Path) -> None:
    decision, document = decided(path)

    message = decision_to_dict(decision, include={"policy_version"})
    assert {name: value for name, value in message.items() if name != "decision_id"} == document["decision"]
    assert list(decision.deciding) == document["deciding"]
    assert "k4n4ry" not in repr(decision)


def test_the_cases_cover_relationships_risks_and_both_ends() -> None:
    decisions = [decided(path)[0] for path in CASES]

    assert len(decisions) >= 12
    assert {each.relationship_status for each in decisions} == {
        "unverified", "suspected_impersonation", "verified_official", "verified_affiliate", "claimed_unreviewed",
        "disputed",
    }  # fmt: skip
    assert len({each.risk_status for each in decisions}) == 4
    assert {each.action_allowed for each in decisions} == {True, False}
    assert {each.action for each in decisions} <= {*ACTIONS, "unspecified"}
