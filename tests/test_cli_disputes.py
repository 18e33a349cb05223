"""`waypost disputes`: a reviewer on the machine agrees, or does not."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.command import Run

from waypost.models.wire.disputes import DisputeRequest
from waypost.store import decisions, disputes, open_store, organizations, relationships
from waypost.store.decisions import DecisionRecord
from waypost.store.disputes import PUBLIC

WHILE_REVIEWS_HOLD = 1_796_000_000_000
NAME = "7c1f6a9e-1d53-4c0a-9a5e-2f4b8d6c0e11"


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path))
    return command


def lodged(folder: Path, domain: str = "acme.example", who: str = PUBLIC, at: int | None = None) -> str:
    """A dispute about a decision that a review had allowed, given to somebody else than the operator."""
    now = at or int(time.time() * 1000)
    members = {"normalized_domain": domain, "relationship_status": "verified_official", "action": "payment"}
    with open_store(folder) as store:

        def work(db: Any) -> str:
            if organizations.first(db) is None:
                organizations.create(db, "Operator", "ann", now)
                organizations.create(db, "Acme", "ann", now)
            organization_id = organizations.named(db, "Acme").id
            given = DecisionRecord(
                id=NAME,
                organization=organization_id,
                environment="live",
                key_id="k",
                created_at=now,
                expires_at=now + 1,
                normalized_domain=domain,
                action="payment",
                url_hmac=b"h" * 32,
                document=json.dumps(members).encode(),
            )
            decisions.put(db, given)
            wording = DisputeRequest(
                claim="wrong_relationship", statement="sold\x1b[31m\u202e\u115f last week", contact="me@acme.example"
            )
            return disputes.lodge(db, decisions.find(db, organization_id, NAME, now), wording, who, now).id

        return store.write(work)


def accepted(run: Run) -> str:
    name = run("review", "submit", "acme.example", "--entity", "Acme", "--as", "ann", "--json").json["relationship_id"]
    run("review", "accept", name, "--as", "bea", "--offline")
    return str(name)


def test_an_upheld_dispute_stops_every_action(run: Run, tmp_path: Path) -> None:
    relationship = accepted(run)
    name = lodged(tmp_path)

    assert run("disputes", "list").out.split() == [name, "open", _today(), "acme.example", "wrong_relationship"]
    output = run("disputes", "show", name).out
    assert "about       acme.example, payment" in output
    assert "open by public" in output
    assert "sold\\u001b[31m\\u202e<U+115F> last week" in output
    assert run("disputes", "show", name, "--json").json["statement"] == "sold[31m last week"
    done = run("disputes", "uphold", name, "--reason", "the register says so", "--as", "cid")
    assert (done.status, done.out) == (0, "the dispute about acme.example is upheld\n")

    with open_store(tmp_path) as store:
        assert store.read(lambda db: relationships.get(db, relationship)).state == "disputed"
    assert "upheld by cid: the register says so" in run("disputes", "show", name).out
    assert run("disputes", "list").err == "waypost: no dispute waits for a reviewer\n"


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def test_a_rejected_dispute_changes_nothing_and_is_settled_once(run: Run, tmp_path: Path) -> None:
    relationship = accepted(run)
    name = lodged(tmp_path)

    answer = run("disputes", "reject", name, "--reason", "it was not sold", "--as", "cid", "--json").json
    assert (answer["status"], answer["contact"]) == ("rejected", "me@acme.example")
    again = run("disputes", "uphold", name, "--reason", "or was it", "--as", "cid")

    assert (again.status, again.out) == (1, "")
    assert "is rejected and cannot become upheld" in again.err
    with open_store(tmp_path) as store:
        assert store.read(lambda db: relationships.get(db, relationship)).state == "accepted"


def test_a_shipped_review_can_be_doubted_this_way(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.cli.disputes.now_ms", lambda: WHILE_REVIEWS_HOLD)
    name = lodged(tmp_path, "paypal.com", at=WHILE_REVIEWS_HOLD)

    run("disputes", "uphold", name, "--reason", "a test", "--as", "cid")

    with open_store(tmp_path) as store:
        (found,) = store.read(lambda db: relationships.about(db, "paypal.com", "paypal.com"))
    assert (found.id, found.state) == ("registry:paypal:paypal.com", "disputed")


def test_who_opened_it_does_not_decide_it(run: Run, tmp_path: Path) -> None:
    name = lodged(tmp_path, who="bea")

    rejected = run("disputes", "reject", name, "--reason", "mine", "--as", "bea")

    assert rejected.status == 1
    assert "someone else must" in rejected.err


@pytest.mark.parametrize("step", [("show",), ("uphold", "--reason", "x"), ("reject", "--reason", "x")])
def test_foreign_and_invalid_disputes_are_absent(run: Run, tmp_path: Path, step: tuple[str, ...]) -> None:
    name = lodged(tmp_path)

    for target in ((NAME,), (name, "--org", "Acme")):
        rejected = run("disputes", step[0], *target, *step[1:])
        assert (rejected.status, rejected.out) == (2, "")
        assert "there is no such dispute" in rejected.err


def test_without_an_organization_the_first_step_is_explained(run: Run) -> None:
    assert "waypost org create" in run("disputes", "list").err
