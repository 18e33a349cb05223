"""Operators' own policies: files with errors at their lines, two people, and decisions that replay to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import Run

from waypost.models.decision import ACTIONS
from waypost.registry.world import load
from waypost.safety.own_policy import OwnPolicyError, read_policy
from waypost.safety.policy import find
from waypost.store import audit, open_store, organizations, own_policies
from waypost.store.errors import Conflict, ReviewError, Unknown
from waypost.store.open import Store

from .test_declared_merchants import POLICY, decided
from .test_safety_links import NOW

WORLD = load()
VERSION = "acme-pay-2026-11-29"
STRICTER = """policy_id = "acme"
date = "2026-11-29"
extends = "baseline-2026-11-29"
about = "Acme uploads nothing and pays nowhere without a list."
never = ["upload", "login"]

[[tighten]]
tier = 3
evidence = ["threat_list_check"]
blocking_unknowns = ["ownership_continuity_unknown"]
allow_s = 60
because = "Money goes nowhere without a threat list."
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        opened.write(lambda db: organizations.create(db, "Operator", "ann", NOW))
        yield opened


def test_a_policy_adds_to_the_shipped_one() -> None:
    base, made = find(WORLD, "baseline-2026-11-29"), read_policy(STRICTER, "acme.toml", WORLD).policy

    assert made.version == "acme-2026-11-29"
    assert made.never == {"upload", "login"}
    for action in ACTIONS:
        before, after = base.tier(action), made.tier(action)
        assert set(before.evidence) <= set(after.evidence)
        assert before.blocking_unknowns <= after.blocking_unknowns
        assert after.allow_s <= before.allow_s
        assert after.relationship == before.relationship
    assert made.tier("payment").allow_s == 60


@pytest.mark.parametrize(
    ("change", "line", "member", "message"),
    [
        (('policy_id = "acme"', 'policy_id = "strict"'), 1, "policy_id", "choose another id"),
        (('"2026-11-29"\nextends', '"2026-11-31"\nextends'), 2, "date", "not a day"),
        (('"2026-11-29"\nextends', '"2026-01-02"\nextends'), 2, "date", "older than"),
        (("baseline-2026-11-29", "baseline-2026-11-20"), 3, "extends", "too old"),
        (("baseline-2026-11-29", "baseline-2031-11-20"), 3, "extends", "no policy named"),
        (('never = ["upload"', 'never = ["visit"'), 5, "never", "gives nothing away"),
        (('never = ["upload"', 'never = ["fly"'), 5, "never[0]", "invalid enum value"),
        (("tier = 3", "tier = 7"), 8, "tighten[0].tier", "no tier 7"),
        (("allow_s = 60", "allow_s = 3600"), 11, "tighten[0].allow_s", "give 1 to 300"),
        (("allow_s = 60", 'min_confidence = "low"'), 11, "tighten[0].min_confidence", "requires high"),
        (("ownership_continuity_unknown", "idn_display_ambiguous"), 10, "tighten[0].blocking_unknowns", "no effect"),
        (('policy_id = "acme"', 'policy_id = "Acme!"'), 1, "policy_id", "as acme-pay"),
        (("baseline-2026-11-29", "baseline"), 3, "extends", "as baseline-2026-11-29"),
        (('never = ["upload", "login"]', 'until = "2026-11-28"'), 5, "until", "before 2026-11-29"),
        (('date = "2026-11-29"\n', ""), 1, "", "date is missing"),
        (("because =", "reason ="), 12, "tighten[0].reason", "no such member"),
        (("never =", "never"), 5, "", "not TOML"),
    ],
)
def test_an_error_names_line_and_member(change: tuple[str, str], line: int, member: str, message: str) -> None:
    with pytest.raises(OwnPolicyError) as caught:
        read_policy(STRICTER.replace(*change), "acme.toml", WORLD)

    (error,) = caught.value.errors
    assert (error.line, error.member) == (line, member)
    assert message in error.message


@pytest.mark.parametrize(
    ("change", "member"),
    [
        (('["*"]', '["paypal.com"]'), "declared_merchants.domains[0]"),
        (('["*"]', '["*", "shop.test"]'), "declared_merchants.domains[0]"),
        (('["*"]', '["www.shop.test"]'), "declared_merchants.domains[0]"),
        *(
            (('["*"]', f'["{name}"]'), "declared_merchants.domains[0]")
            for name in ("com", "co.uk", "https://shop.test", "shop.test:443", "shop.test/", "Shop.test", "shöp.test")
        ),
        (('["*"]', '["shop.github.io"]'), "declared_merchants.domains[0]"),
        (("EUR = 5000", "XXQ = 5000"), "declared_merchants.amounts.XXQ"),
        (("EUR = 5000", "EUR = 0"), "declared_merchants.amounts.EUR"),
        (("EUR = 5000 }", "EUR = 5000 }\nmin_domain_age_days = 30"), "declared_merchants.min_domain_age_days"),
        (('["payment", "checkout"]', '["login"]'), "declared_merchants.actions[0]"),
        (("[declared_merchants]", 'never = ["payment"]\n[declared_merchants]'), "declared_merchants.actions"),
    ],
)
def test_declared_merchants_are_named_exactly(change: tuple[str, str], member: str) -> None:
    with pytest.raises(OwnPolicyError) as caught:
        read_policy(POLICY.replace(*change), "acme.toml", WORLD)

    assert [error.member for error in caught.value.errors] == [member]


def test_an_action_of_never_stops_with_a_reason() -> None:
    decision = decided(policy_file=POLICY.replace("[declared", 'never = ["checkout"]\n[declared').replace(
        '["payment", "checkout"]', '["payment"]'), action="checkout")  # fmt: skip

    assert decision.action_allowed is False
    assert "action_not_permitted" in decision.reason_codes


def test_two_people_release_a_policy(store: Store) -> None:
    submitted = store.write(lambda db: own_policies.submit(db, VERSION, POLICY, NOW, "ann"))

    assert submitted.state == "submitted"
    assert store.read(own_policies.accepted) == {}
    with pytest.raises(ReviewError, match="another person"):
        store.write(lambda db: own_policies.accept(db, VERSION, NOW, "Ann"))
    store.write(lambda db: own_policies.accept(db, VERSION, NOW, "bea"))
    assert store.read(own_policies.accepted) == {VERSION: POLICY}

    with pytest.raises(Conflict, match="new date"):
        store.write(lambda db: own_policies.submit(db, VERSION, POLICY + "#", NOW, "ann"))
    with pytest.raises(Unknown, match=r"^there is no such policy in the store$"):
        store.write(lambda db: own_policies.accept(db, "other-2026-11-29", NOW, "bea"))
    store.write(lambda db: own_policies.withdraw(db, VERSION, NOW, "ann", "the trial is over"))
    assert store.read(own_policies.accepted) == {}
    kinds = [event.type for event in store.read(lambda db: list(audit.all_events(db)))]
    assert kinds[1:] == ["policy.submitted", "policy.accepted", "policy.withdrawn"]


def test_the_commands_from_file_to_replay(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))
    file, record = tmp_path / "acme.toml", tmp_path / "record.json"
    file.write_text(STRICTER.replace("acme", "acme-pay", 1))
    command("org", "create", "Acme", "--as", "ann")
    check = ("check", "https://www.paypal.com/signin", "--action", "upload", "--policy", "acme-pay", "--offline")

    assert command("policy", "check", str(file)).status == 0
    assert command(*check).status == 2
    assert command("policy", "add", str(file), "--as", "ann").status == 0
    assert command(*check).status == 2
    assert command("policy", "accept", VERSION, "--as", "ann").status == 1
    assert command("policy", "accept", VERSION, "--as", "bea").status == 0
    assert "accepted" in command("policy", "list").out
    assert command("policy", "show", "acme-pay").out == file.read_text()
    assert command("policy", "show", "strict-2026-11-29").json["policy_id"] == "strict"
    stopped = command(*check, "--json", "--record", str(record))
    assert "action_not_permitted" in stopped.json["reason_codes"]
    assert command("policy", "withdraw", VERSION, "--reason", "over", "--as", "ann").status == 0
    assert command(*check).status == 2
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "elsewhere"))
    assert "to the letter" in command("check", "--replay", str(record)).err


def test_a_file_with_errors_is_not_submitted(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))
    file = tmp_path / "acme.toml"
    command("org", "create", "Acme", "--as", "ann")
    file.write_text(STRICTER.replace("tier = 3", "tier = 7"))

    broken = command("policy", "add", str(file), "--as", "ann")
    file.write_text(STRICTER.replace("2026-11-29", "2036-11-29", 1))
    future = command("policy", "add", str(file), "--as", "ann")

    assert (broken.status, future.status) == (1, 2)
    assert broken.out.startswith(f"{file}:8: tighten[0].tier: there is no tier 7")
    assert "in the future" in future.err
    assert command("policy", "check", str(tmp_path / "missing.toml")).status == 3
