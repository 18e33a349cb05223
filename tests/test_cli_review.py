"""`waypost review`: from a claim to a review on the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tests.command import Run

from waypost.models.relationship import OwnershipDoubt, OwnershipSnapshot
from waypost.store import doubts, open_store


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))
    return lambda *argv: command("review", *argv, *(["--offline"] if argv[:1] == ("accept",) else []))


def submitted(run: Run, domain: str = "acme.example", *more: str) -> str:
    answer = run("submit", domain, "--entity", "Acme Works", "--as", "ann", "--json", *more).json
    assert answer["review_status"] == "unreviewed"
    return str(answer["relationship_id"])


def test_others_than_the_submitter_accept_and_dispute_a_claim(run: Run) -> None:
    name = submitted(run)

    rejected = run("accept", name, "--as", "ann")
    assert (rejected.status, rejected.out) == (1, "")
    assert "someone else must review it" in rejected.err
    accepted = run("accept", name, "--as", "bea", "--reason", "linked from the imprint", "--days", "30")
    assert accepted.status == 0
    assert accepted.out.startswith("acme.example (Acme Works) is accepted until ")
    disputed = run("dispute", name, "--as", "cid", "--reason", "sold")
    assert disputed.out == "acme.example (Acme Works) is disputed: every sensitive action stops there\n"

    history = run("show", name, "--json").json["history"]
    assert [(each["act"], each["actor"], each.get("reason")) for each in history] == [
        ("submitted", "ann", None),
        ("taken_up", "bea", None),
        ("accepted", "bea", "linked from the imprint"),
        ("disputed", "cid", "sold"),
    ]


def test_where_people_pay_a_second_reviewer_is_required(run: Run) -> None:
    name = submitted(run, "acme.example", "--type", "official_payment")

    assert run("accept", name, "--as", "bea").out.endswith("approved by bea; one more reviewer is needed\n")
    assert run("accept", name, "--as", "bea").status == 1
    assert run("accept", name, "--as", "cid", "--json").json["state"] == "accepted"


def test_a_shipped_review_can_be_disputed_but_not_revoked(run: Run) -> None:
    name = "registry:paypal:paypal.com"

    assert run("dispute", name, "--as", "bea", "--reason", "sold").out.startswith("paypal.com (PayPal) is disputed")
    assert run("dispute", name, "--as", "bea", "--reason", "sold").status == 1
    assert run("accept", name, "--as", "cid").out.startswith("paypal.com (PayPal) is accepted until ")
    revoked = run("revoke", name, "--as", "bea", "--reason", "gone")

    assert (revoked.status, "ships with waypost" in revoked.err) == (1, True)
    answer = run("show", name, "--json").json
    assert [each["act"] for each in answer["history"]] == [
        "submitted",
        "taken_up",
        "accepted",
        "disputed",
        "reinstated",
    ]


@pytest.mark.parametrize("name", ["registry:paypal:nowhere.example", "registry:acme:paypal.com", "registry:x:a b"])
def test_a_review_that_does_not_ship_is_unknown(run: Run, name: str) -> None:
    assert run("dispute", name, "--as", "bea", "--reason", "sold").status == 2


def test_a_list_has_waiting_items_or_reports_none(run: Run) -> None:
    empty = run("list")
    assert (empty.status, empty.out, empty.err) == (0, "", "waypost: there are no relationships yet\n")
    assert run("list", "--json").json == []
    first, second = submitted(run), submitted(run, "www.acme.example")
    run("reject", second, "--as", "bea", "--reason", "not theirs")

    assert [(r["id"], r["scope"]) for r in run("list", "--state", "unreviewed", "--json").json] == [
        (first, "registrable")
    ]
    assert f"{second}  rejected    www.acme.example" in run("list").out


def test_a_sheet_shows_everything_about_one(run: Run) -> None:
    name = submitted(run, "www.acme.example", "--statement", "our  site")

    out = run("show", name).out

    assert "www.acme.example, this host alone" in out
    assert "Acme Works (acme-works), official_site" in out
    assert "submitted by ann" in out


def test_a_brand_is_known_by_name_slug_and_domain(run: Run) -> None:
    for name in ("PayPal", "paypal", "paypal.com"):
        run("submit", "pay.example", "--entity", name, "--as", "ann")

    (record,) = run("list", "--json").json
    assert (record["entity"], record["entity_name"], record["claims"]) == ("paypal", "PayPal", 3)


def test_hidden_characters_are_escaped_in_terminals_and_removed_from_json(run: Run, tmp_path: Path) -> None:
    hidden = "\u034f\u115f\u3164"  # printable by Unicode, and seen by no one
    name = submitted(run, "acme.example", "--statement", f"linked{hidden} there")

    output, printed = run("show", name).out, run("show", name, "--json").json

    assert "linked<U+034F><U+115F><U+3164> there" in output
    assert printed["statement"] == "linked there"


def test_a_search_marks_what_no_review_stands_behind(run: Run) -> None:
    first, second = submitted(run), submitted(run, "acme.test")
    run("accept", second, "--as", "bea")

    found = run("search", "acme wo", "--json").json
    assert [(each["id"], each["review_status"]) for each in found] == [(second, "reviewed"), (first, "unreviewed")]
    assert run("search", "acme").out.splitlines()[1].startswith("unreviewed  acme.example  Acme Works")
    assert run("search", "nobody").err == "waypost: nothing is found\n"


def test_a_file_is_imported_completely_or_not_at_all(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("domain,entity\nacme.example,Acme\nacme.test,Acme\n")
    bad.write_text("domain,entity\nother.example,Other\n10.0.0.1,Other\n")

    rejected = run("import", str(bad), "--as", "ann")
    assert rejected.status == 3
    assert "nothing was imported" in rejected.err
    assert "line 3: " in rejected.err
    assert run("import", str(good), "--as", "ann").out == "2 wait for a review\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(good.read_bytes())))
    assert run("import", "-", "--as", "ann").out == "0 wait for a review, 2 next to claims that say the same\n"
    assert {r["submitter"] for r in run("list", "--json").json} == {"ann"}


def test_the_person_is_who_is_logged_in_unless_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "dora")
    run("submit", "acme.example", "--entity", "Acme")

    (record,) = run("list", "--json").json
    assert record["submitter"] == "dora"
    assert run("submit", "acme.test", "--entity", "Acme", "--as", " ").status == 2


@pytest.mark.parametrize(
    ("argv", "status", "messages"),
    [
        (["show", "rel_nothing"], 2, "there is no relationship 'rel_nothing'"),
        (["acept", "x"], 2, "did you mean accept?"),
        (["reject", "x"], 2, "--reason"),
        (["accept", "x", "--days", "366"], 2, "1 to 365 days"),
        (["list", "--state", "new"], 2, "unknown value 'new'; choose from unreviewed, in_review"),
        (["submit", "192.0.2.1", "--entity", "Acme"], 3, "an address belongs to the host that has it today"),
        (["import", "nowhere.csv"], 3, "nowhere.csv"),
    ],
)
def test_what_cannot_be_done_is_reported(run: Run, argv: list[str], status: int, messages: str) -> None:
    ran = run(*argv)

    assert ran.status == status
    assert messages in ran.err


def test_a_folder_is_named_with_data(run: Run, tmp_path: Path) -> None:
    run("submit", "acme.example", "--entity", "Acme", "--data", str(tmp_path / "other"))

    assert run("list", "--json").json == []
    assert len(run("list", "--json", "--data", str(tmp_path / "other")).json) == 1


def test_of_addresses_in_a_file_only_hosts_are_stored(run: Run, tmp_path: Path) -> None:
    spoiled = "https://k4n4ry:k4n4ry@%s:8443/k4n4ry?k4n4ry#k4n4ry"
    sets = tmp_path / "sets.json"
    sets.write_text(
        json.dumps({"primary": spoiled % "acme.example", "associatedSites": [spoiled % "acme-shop.example"]})
    )

    assert run("import", str(sets), "--as", "ann").status == 0
    sets.unlink()

    (claim,) = run("list", "--json").json
    assert (claim["domain"], claim["entity_name"]) == ("acme-shop.example", "acme.example")
    assert "k4n4ry" not in run("show", claim["id"]).out
    assert all(b"k4n4ry" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_doubt_about_ownership_is_printed_and_decided(run: Run, tmp_path: Path) -> None:
    name = run("submit", "acme.example", "--entity", "Acme", "--as", "ann", "--json").json["relationship_id"]
    run("accept", name, "--as", "bea")
    doubt = OwnershipDoubt(
        relationship=name, organization="", domain="acme.example", entity="acme", changes=("registrar",),
        reviewed=OwnershipSnapshot(registrar="Example Registrar"), observed=OwnershipSnapshot(registrar="Another"),
    )  # fmt: skip
    with open_store(tmp_path / "data") as store:
        store.write(lambda db: doubts.raise_doubt(db, doubt, 1_795_000_000_000))

    (entries,) = run("doubts", "--json").json
    assert (entries["domain"], entries["changes"], entries["state"]) == ("acme.example", ["registrar"], "open")
    assert run("doubts").out.endswith("acme.example  acme  registrar\n")
    assert run("accept", entries["id"], "--as", "bea").err.endswith("a doubt is upheld or rejected\n")
    assert run("uphold", "doubt_unknown", "--as", "bea", "--reason", "sold").status == 2

    upheld = run("uphold", entries["id"], "--as", "bea", "--reason", "it was sold")
    assert upheld.out == "acme.example: the review is disputed, and every sensitive action stops there\n"
    assert run("show", name, "--json").json["state"] == "disputed"
    assert run("doubts").err == "waypost: no reviewed domain is in doubt\n"
    assert run("reject", entries["id"], "--as", "bea", "--reason", "no").status == 1


def test_claim_that_waits_is_sent_back_in_one_step(run: Run) -> None:
    name = submitted(run)

    done = run("send-back", name, "--as", "bea", "--reason", "which account?", "--json")

    assert (done.status, done.json["state"]) == (0, "unreviewed")
    assert [each["act"] for each in run("show", name, "--json").json["history"]] == [
        "submitted",
        "taken_up",
        "sent_back",
    ]
