"""A decision recorded under a policy of its day is made again to the letter, for as long as there is waypost.

A record is added with every policy and never changed: a policy that goes, or an engine that judges otherwise, fails.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from waypost.registry.world import DATA, load
from waypost.safety.decision_record import replay

RECORDS = sorted((Path(__file__).parent / "cases" / "records").glob("*.json"))


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_a_recorded_decision_of_each_policy_is_made_again(record: Path) -> None:
    case, decision = replay(record.read_bytes(), record.name, load())
    assert case.policy == decision.policy_version == record.stem
    assert decision.action_allowed is False


def test_every_policy_has_a_record() -> None:
    assert {path.stem for path in RECORDS} == {path.stem for path in (DATA / "policies").glob("*.json")}


def test_released_policies_have_the_bytes_of_their_release() -> None:
    """Whoever recorded a digest of a policy can compare it for good: not even a word of its prose changes."""
    files = (DATA / "policies").glob("*.json")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    recorded = (RECORDS[0].parent / "policies.sha256").read_text("utf-8").splitlines()
    assert digests == {name: digest for digest, name in (line.split() for line in recorded)}
