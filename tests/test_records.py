"""A decision recorded under a policy of its day is made again to the letter, for as long as there is waypost.

A record is added with every policy and never changed: a policy that goes, or an engine that judges otherwise, fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from waypost.registry.world import load
from waypost.safety.decision_record import replay

RECORDS = sorted((Path(__file__).parent / "cases" / "records").glob("*.json"))


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_a_recorded_decision_of_each_policy_is_made_again(record: Path) -> None:
    case, decision = replay(record.read_bytes(), record.name, load())
    assert case.policy == decision.policy_version == record.stem
    assert decision.action_allowed is False


def test_every_policy_has_a_record() -> None:
    from waypost.registry.world import DATA

    assert {path.stem for path in RECORDS} == {path.stem for path in (DATA / "policies").glob("*.json")}
