"""The policies, proved: every cell of every shipped table is walked, and every loosened file is refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import PolicyError, UnknownPolicy
from waypost.models.decision import (
    ACTIONS,
    CONFIDENCE_CLASSES,
    EVIDENCE_STATUSES,
    EVIDENCE_TYPES,
    RELATIONSHIP_STATUSES,
    RISK_STATUSES,
    UNKNOWNS,
    UNSPECIFIED,
)
from waypost.registry.world import load
from waypost.safety.policy import HARMLESS, VERIFIED, Facts, Policy, Tier, failed_lines, find, policies, read

WORLD = load()
POLICIES = policies(WORLD)
versions = pytest.mark.parametrize("version", sorted(POLICIES))


class Required(dict[str, str]):
    """Evidence of the types that a tier requires. A look at any other type is an error, as none of it may decide."""

    def get(self, kind: str, default: Any = None) -> Any:
        assert kind in self, f"{kind} is not required"
        return self[kind]


def cells(tier: Tier) -> Iterator[tuple[tuple[str, ...], frozenset[str], dict[str, str]]]:
    """Every status of every evidence type that the tier requires, with each set of blocking unknowns."""
    kinds = tier.evidence
    blocking = sorted(tier.blocking_unknowns)
    unknowns = [
        frozenset(some) for count in range(len(blocking) + 1) for some in itertools.combinations(blocking, count)
    ]
    for statuses in itertools.product(EVIDENCE_STATUSES, repeat=len(kinds)):
        evidence = Required(zip(kinds, statuses, strict=True))
        for unknown in unknowns:
            yield statuses, unknown, evidence


@versions
def test_no_cell_of_the_table_allows_on_less(version: str) -> None:
    """Missing evidence never becomes approval for a sensitive action."""
    for tier in POLICIES[version].tiers:
        action, allowed, walked = tier.actions[0], 0, 0
        corners = list(itertools.product(RELATIONSHIP_STATUSES, RISK_STATUSES, CONFIDENCE_CLASSES))
        for statuses, unknown, evidence in cells(tier):
            complete = all(status == "observed" for status in statuses)
            for relationship, risk, confidence in corners:
                facts = Facts(
                    relationship=relationship, risk=risk, confidence=confidence, evidence=evidence, unknowns=unknown
                )
                walked += 1
                if failed_lines(tier, action, facts):
                    continue
                allowed += 1
                assert complete
                assert not unknown
                assert not tier.sensitive or (relationship in VERIFIED and risk == "no_high_risk_signal_observed")
        best = CONFIDENCE_CLASSES.index(tier.min_confidence) + 1
        assert allowed == len(tier.relationship) * len(tier.risk) * best
        assert walked >= 96 * len(EVIDENCE_STATUSES) ** len(tier.evidence)


@versions
def test_every_action_has_a_tier_and_most_are_sensitive(version: str) -> None:
    policy = POLICIES[version]

    for action in ACTIONS:
        tier = policy.tier(action)
        assert action in tier.actions
        assert tier.sensitive == (action not in HARMLESS)


@versions
def test_an_unnamed_action_has_the_strictest_tier_and_stops(version: str) -> None:
    tier = POLICIES[version].tier(UNSPECIFIED)
    best = Facts(
        relationship="verified_official",
        risk="no_high_risk_signal_observed",
        confidence="high",
        evidence=dict.fromkeys(EVIDENCE_TYPES, "observed"),
        unknowns=frozenset(),
    )

    assert tier.tier == max(each.tier for each in POLICIES[version].tiers)
    assert failed_lines(tier, "payment", best) == ()
    assert failed_lines(tier, UNSPECIFIED, best) == ("action",)


facts = st.builds(
    Facts,
    relationship=st.sampled_from(RELATIONSHIP_STATUSES),
    risk=st.sampled_from(RISK_STATUSES),
    confidence=st.sampled_from(CONFIDENCE_CLASSES),
    evidence=st.dictionaries(st.sampled_from(EVIDENCE_TYPES), st.sampled_from(EVIDENCE_STATUSES)),
    unknowns=st.frozensets(st.sampled_from(UNKNOWNS)),
)
best_facts = st.builds(
    Facts,
    relationship=st.sampled_from(sorted(VERIFIED)),
    risk=st.just("no_high_risk_signal_observed"),
    confidence=st.just("high"),
    evidence=st.fixed_dictionaries(
        {kind: st.sampled_from(["observed", "observed", "failed"]) for kind in EVIDENCE_TYPES}
    ),
    unknowns=st.frozensets(st.sampled_from(UNKNOWNS), max_size=2),
)


@given(facts | best_facts, st.sampled_from(ACTIONS), st.sampled_from(sorted(POLICIES)), st.data())
def test_what_a_tier_does_not_read_changes_nothing(
    given_: Facts, action: str, version: str, data: st.DataObject
) -> None:
    tier = POLICIES[version].tier(action)
    unread = [kind for kind in EVIDENCE_TYPES if kind not in tier.evidence]
    other = dict(given_.evidence) | {data.draw(st.sampled_from(unread)): data.draw(st.sampled_from(EVIDENCE_STATUSES))}
    harmless = data.draw(st.frozensets(st.sampled_from(sorted(set(UNKNOWNS) - tier.blocking_unknowns))))

    changed = msgspec.structs.replace(
        given_, evidence=other, unknowns=(given_.unknowns & tier.blocking_unknowns) | harmless
    )

    assert failed_lines(tier, action, changed) == failed_lines(tier, action, given_)


@given(facts | best_facts, st.sampled_from(ACTIONS), st.sampled_from(sorted(POLICIES)), st.data())
def test_less_evidence_never_turns_a_stop_into_an_allow(
    given_: Facts, action: str, version: str, data: st.DataObject
) -> None:
    """The lattice rule of the decision."""
    tier = POLICIES[version].tier(action)
    poorer = dict(given_.evidence) | {
        data.draw(st.sampled_from(EVIDENCE_TYPES)): data.draw(st.sampled_from(EVIDENCE_STATUSES[1:]))
    }
    worse = msgspec.structs.replace(
        given_, evidence=poorer, unknowns=given_.unknowns | {data.draw(st.sampled_from(UNKNOWNS))}
    )

    assert set(failed_lines(tier, action, given_)) <= set(failed_lines(tier, action, worse))


def loosened(change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(WORLD.files["policies/baseline-2026-11-20.json"])
    change(document)
    return json.dumps(document).encode()


def tier_of(document: dict[str, Any], number: int) -> dict[str, Any]:
    return next(tier for tier in document["tiers"] if tier["tier"] == number)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: tier_of(d, 3)["relationship"].append("unverified"), "no review"),
        (lambda d: tier_of(d, 2)["relationship"].append("claimed_unreviewed"), "no review"),
        (lambda d: tier_of(d, 2)["relationship"].append("disputed"), "no review"),
        (lambda d: tier_of(d, 3)["relationship"].append("suspected_impersonation"), "no review"),
        (lambda d: tier_of(d, 3)["risk"].append("risk_not_assessed"), "risk"),
        (lambda d: tier_of(d, 2)["risk"].append("elevated_risk_signal_observed"), "risk"),
        (lambda d: tier_of(d, 3)["evidence"].remove("registry_review"), "registry_review"),
        (lambda d: tier_of(d, 2)["evidence"].remove("lexical_check"), "lexical_check"),
        (lambda d: tier_of(d, 2).update(min_confidence="low"), "confidence"),
        (lambda d: tier_of(d, 3)["actions"].remove("payment"), "exactly one"),
        (lambda d: tier_of(d, 0)["actions"].append("payment"), "exactly one"),
        (lambda d: (tier_of(d, 3)["actions"].remove("login"), tier_of(d, 0)["actions"].append("login")), "tier 0"),
        (lambda d: tier_of(d, 0).update(tier=9), "strictest"),
        (lambda d: d.update(date="2026-11-21"), "says it is"),
        (lambda d: d.update(score=5), "unknown field"),
        (lambda d: d.pop("stop_s"), "stop_s"),
        (lambda d: tier_of(d, 3)["evidence"].remove("automated_network_check"), "automated_network_check"),
        (lambda d: tier_of(d, 3).update(min_confidence="medium"), "high confidence"),
        (lambda d: tier_of(d, 3).update(blocking_unknowns=[]), "encryption"),
        (lambda d: tier_of(d, 3).update(further_unknowns=["redirect_target_not_checked"]), "unknown destination"),
        (lambda d: tier_of(d, 2).update(further_unknowns=["claimed_brand_unknown"]), "unknown brand"),
        (lambda d: tier_of(d, 2).update(because=" "), "because"),
        (lambda d: tier_of(d, 3).update(allow_s=978_307_200), "allow_s"),
        (lambda d: tier_of(d, 2).update(allow_s=0), "allow_s"),
        (lambda d: tier_of(d, 3).update(max_evidence_age_s=-1), "max_evidence_age_s"),
        (lambda d: tier_of(d, 0).update(allow_s=978_307_200), "allow_s"),
        (lambda d: d["stop_s"].update(missing_evidence=-1), "missing_evidence"),
        (lambda d: d["stop_s"].update(threat_list_match=978_307_200), "threat_list_match"),
    ],
)
def test_a_policy_that_weakens_sensitive_actions_is_rejected(
    change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    with pytest.raises(PolicyError, match=reason):
        read(loosened(change), "baseline-2026-11-20")


def test_a_policy_as_shipped_reads_back_unchanged() -> None:
    assert isinstance(read(loosened(lambda document: None), "baseline-2026-11-20"), Policy)


def test_a_policy_is_found_by_version_or_name() -> None:
    assert find(WORLD).version == "baseline-2026-11-29"
    assert find(WORLD, "strict").version == "strict-2026-11-29"
    with pytest.raises(UnknownPolicy, match="baseline-2026-11-29"):
        find(WORLD, "baseline-2026-11-21")
