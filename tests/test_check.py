"""`waypost check` at the terminal: what it prints, how it ends, what it refuses. Nothing here asks the network."""

from __future__ import annotations

import hashlib
import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from waypost.cli import main
from waypost.models.decision import (
    ACTIONS,
    CONFIDENCE_CLASSES,
    EVIDENCE_STATUSES,
    EVIDENCE_TYPES,
    REASON_CODES,
    RELATIONSHIP_STATUSES,
    RISK_STATUSES,
    SUMMARY_CODES,
    UNKNOWNS,
    UNSPECIFIED,
)
from waypost.registry.assets import folder
from waypost.registry.world import World, load
from waypost.report.decision import View, draw, verdict
from waypost.safety.decision_record import to_record
from waypost.safety.explain import explain
from waypost.service import open_service
from waypost.service.fixtures import open_fixtures

CANARY = "k4n4ry"
STATEMENTS = (
    "Request",
    "Relationship",
    "Risk seen",
    "Evidence",
    "Confidence",
    "Unknowns",
    "Reason codes",
    "Policy",
    "Decision id",
)


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No data of the person who runs the tests, and no network."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in ("WAYPOST_DATA", "WAYPOST_STORE", "WAYPOST_SERVICE"):
        monkeypatch.delenv(name, raising=False)

    def deny(*_: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr("waypost.service.opening.network", deny)


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command: (exit status, output, errors)."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["check", *words])
        return status, *capsys.readouterr()

    return run


def test_an_invalid_brand_file_is_named_and_decides_nothing(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spoiled = World(load().files | {"brands/a/acme.json": b'{"slug": "acme"}'})
    monkeypatch.setattr("waypost.registry.world.load", lambda: spoiled)

    status, out, errors = check("--offline", "https://example.com/", "--action", "visit")

    assert status == 3
    assert out == ""
    assert "brands/a/acme.json: Object missing required field `names`" in errors


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--fixtures", "https://allow.test/", "--action", "payment"), 0),
        (("--fixtures", "https://unknown.test/", "--action", "visit"), 0),
        (("--fixtures", "https://unknown.test/", "--action", "payment"), 1),
        (("--fixtures", "https://allow.test/"), 1),
        (("--fixtures", "https://allow.test/", "--action", "payment", "--payee", "Waypost Fixture Store"), 0),
        (("--fixtures", "https://allow.test/", "--action", "payment", "--claimed-brand", "PayPal"), 1),
        (("--offline", "https://www.paypal.com/", "--action", "payment"), 1),
        (("--offline", "https://www.paypal.com/", "--action", "visit"), 0),
        (("--offline", "http://127.0.0.1/", "--action", "visit"), 1),
        (("--offline", "https://printer.local/", "--action", "visit"), 1),
        (("--offline", "https://example.com/", "--action", "pay"), 2),
        (("--offline", "https://example.com/", "--action", "unspecified"), 2),
        (("--offline", "https://example.com/", "--policy", "lenient"), 2),
        (("--offline", "https://example.com/", "--within", "60"), 2),
        (("--offline", "https://example.com/", "--include", "score"), 2),
        (("--offline",), 2),
        (("--offline", "https://a.test/", "https://b.test/"), 2),
        (("--offline", "example.com"), 3),
        (("--offline", "ftp://example.com/"), 3),
        (("--fixtures", "https://error.test/"), 3),
        (("--replay", "nowhere.json"), 3),
        (("--offline", "--batch", "nowhere.txt"), 3),
    ],
)
def test_the_exit_status_is_the_verdict(check: Any, words: tuple[str, ...], status: int) -> None:
    assert check(*words)[0] == status


@pytest.mark.parametrize(
    "words", [("--offline", "example.com"), ("--fixtures", "https://error.test/"), ("--replay", "nowhere.json")]
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_decision_is_named_a_stop(check: Any, words: tuple[str, ...], form: tuple[str, ...]) -> None:
    assert "no decision: treat it as a stop" in check(*words, *form)[2]


def test_an_unknown_policy_names_the_policies(check: Any) -> None:
    status, _, message = check("--offline", "https://example.com/", "--policy", "lenient")

    assert status == 2
    assert "there is no policy named 'lenient'; there are baseline and strict" in message


def test_a_mistyped_action_gets_the_likely_name(check: Any) -> None:
    assert "did you mean payment?" in check("https://example.com/", "--action", "paymet")[2]


def test_a_person_reads_verb_statements_and_possible_changes(check: Any) -> None:
    status, out, _ = check(f"https://paypa1.com/{CANARY}", "--offline", "--action", "payment")

    lines = out.splitlines()
    assert status == 1
    assert lines[0] == "[x] Stop: do not pay here"
    assert re.fullmatch(r"paypa1\.com · expires 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC; check again after that", lines[1])
    labels = [line[:14].strip() for line in lines if line[:1].isupper()]
    assert labels == [*STATEMENTS, "Official", "Would change"]
    assert "suspected_impersonation: The destination seems to imitate a brand" in out
    assert "Official      https://paypal.com/" in out
    assert "check again without --offline" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("host", "action", "first"),
    [
        ("allow.test", "checkout", r"\[\+\] Completing an order is allowed here until \d\d:\d\d(:\d\d)? UTC"),
        ("allow.test", "visit", r"\[\+\] Visiting is allowed here until \d\d:\d\d(:\d\d)? UTC"),
        ("unknown.test", "login", r"\[x\] Stop: not enough is known to sign in here"),
        ("stop.test", "upload", r"\[x\] Stop: do not upload here"),
        ("impersonation.test", "visit", r"\[x\] Stop: do not visit here"),
        ("127.0.0.1", "visit", r"\[x\] Stop: do not visit here"),
        ("allow.test", "", r"\[x\] Stop: no action was named, and without one nothing is allowed"),
    ],
)
def test_the_first_line_is_what_to_do(check: Any, host: str, action: str, first: str) -> None:
    words = ("--action", action) if action else ()

    assert re.fullmatch(first, check("--fixtures", f"https://{host}/", *words)[1].splitlines()[0])


def test_absent_unknowns_are_reported_as_none(check: Any) -> None:
    out = check("--fixtures", "https://allow.test/", "--action", "payment")[1]

    assert "Unknowns      None listed: an empty list, not a missing one." in out


def test_nothing_is_summed_up_and_no_stop_continues(check: Any) -> None:
    for host in ("allow.test", "stop.test", "impersonation.test", "unknown.test"):
        for action in ACTIONS:
            out = check("--fixtures", f"https://{host}/", "--action", action, "--explain")[1].lower()
            assert not re.search(r"\bscore|\brating|\bgrade|\d ?%|anyway|\bsafe\b|\btrusted\b", out)


@pytest.mark.parametrize("width", ["40", "60", "200"])
def test_the_panel_fits_the_terminal(check: Any, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setattr("waypost.cli.check.width_of", lambda stream: int(width))

    out = check("--fixtures", "https://impersonation.test/", "--action", "payment", "--explain")[1]

    assert max(map(len, out.splitlines())) <= max(int(width), 64)


def test_colour_is_never_the_only_sign(check: Any) -> None:
    words = ("--fixtures", "https://stop.test/", "--action", "payment", "--explain")
    plain, coloured = check(*words)[1], check(*words, "--color", "always")[1]

    def comparable(text: str) -> str:
        return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d\d:\d\d:\d\d", "", re.sub(r"\x1b\[[\d;]*m", "", text))

    assert "\x1b[" in coloured
    assert comparable(coloured) == comparable(plain)


def test_an_explanation_names_the_deciding_row_and_each_signal(check: Any) -> None:
    out = check("https://paypal-login.com/", "--offline", "--action", "payment", "--explain")[1]
    answer = json.loads(
        check("https://paypal-login.com/", "--offline", "--action", "payment", "--explain", "--json")[1]
    )

    explanation = answer.pop("explanation")
    rows = {row["line"]: row for row in explanation["lines"]}
    assert (explanation["policy_version"], explanation["tier"]) == ("baseline-2026-11-29", 3)
    failed = ["relationship", "risk", "evidence", "unknowns", "confidence"]
    assert [line for line, row in rows.items() if not row["holds"]] == failed
    assert rows["relationship"]["consequence"] == "action_requires_verified_relationship"
    (signal,) = explanation["signals"]
    assert (signal["summary_code"], signal["brand"]) == ("brand_with_action_word", "paypal")
    assert signal["about"]
    assert "Source:" not in signal["about"]
    for text in (
        "baseline-2026-11-29, tier 3: payment, checkout, login",
        "risk_signal_blocks_action",
        signal["detail"],
    ):
        assert text in " ".join(out.split())


def test_optional_members_stand_in_the_interfaces_order(check: Any) -> None:
    plain = json.loads(check("https://example.com/", "--offline", "--json", "--action", "payment")[1])
    # Without an action the members are those of /v1/check-url.
    whole = json.loads(check("https://example.com/", "--offline", "--json")[1])

    assert not {"evidence_summary", "policy_version", "official_alternative", "dispute_path"} & set(plain)
    assert list(whole)[6:10] == ["reason_codes", "evidence_summary", "policy_version", "confidence_class"]
    assert whole["action"] == "unspecified"
    assert {"type": "lexical_check", "status": "observed", "id": "lex"} in whole["evidence_summary"]
    members = {"type", "status", "id", "observed_at", "valid_until", "summary_code"}
    assert all(set(each) <= members for each in whole["evidence_summary"])
    assert None not in [value for each in whole["evidence_summary"] for value in each.values()]


def test_objections_are_offered_only_with_a_service(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("https://example.com/", "--offline", "--json")
    assert "dispute_path" not in json.loads(check(*words)[1])

    answer = json.loads(check(*words, "--service", "https://waypost.test/")[1])
    assert answer["dispute_path"] == f"https://waypost.test/v1/decisions/{answer['decision_id']}/disputes"

    monkeypatch.setenv("WAYPOST_SERVICE", "https://waypost.test")
    assert "Dispute       https://waypost.test/v1/decisions/" in check(*words[:2])[1]


def test_without_a_decision_json_is_a_problem_document(check: Any) -> None:
    status, out, stderr = check(f"https://exa mple.com/{CANARY}", "--offline", "--json")

    problem = json.loads(out)["error"]
    assert status == 3
    assert (problem["code"], problem["status"]) == ("invalid-url", 422)
    assert problem["type"] == "/problems/invalid-url"
    assert CANARY not in out + stderr


@pytest.mark.parametrize("text", ["paypa1.com", f"PAYPA1.com/{CANARY}?x=1", f"paypa1.com:443/{CANARY}", "//paypa1.com"])
def test_a_host_without_scheme_is_an_error_with_advice(check: Any, text: str) -> None:
    status, out, stderr = check(text, "--offline")

    assert (status, out) == (3, "")
    assert "it has no scheme: write https://paypa1.com/" in stderr
    assert CANARY not in stderr


@pytest.mark.parametrize("text", [CANARY, f"{CANARY}@paypa1.com", f"{CANARY}.nosuchsuffix", "mailto:a@paypa1.com"])
def test_text_that_is_not_a_host_is_not_repeated(check: Any, text: str) -> None:
    status, _, stderr = check(text, "--offline")

    assert status == 3
    assert "write https" not in stderr
    assert CANARY not in stderr


@pytest.mark.parametrize("junk", [b"", b"this is no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_an_unreadable_store_is_never_a_decision(check: Any, tmp_path: Path, junk: bytes) -> None:
    (tmp_path / "waypost").mkdir()
    (tmp_path / "waypost" / "waypost.sqlite3").write_bytes(junk)

    status, out, stderr = check("https://www.paypal.com/", "--offline", "--action", "visit")

    assert status == 3
    assert not out
    assert "Traceback" not in stderr


def test_a_damaged_list_is_reported_as_too_old(check: Any, tmp_path: Path) -> None:
    (tmp_path / "waypost" / "feeds").mkdir(parents=True)
    (tmp_path / "waypost" / "feeds" / "bad.feed").write_bytes(b"junk")

    answer = json.loads(check("https://example.com/", "--offline", "--json", "--action", "payment")[1])

    assert "threat_list_stale" in answer["unknowns"]
    assert "threat_list_not_configured" not in answer["unknowns"]


def urls(tmp_path: Path, *lines: str) -> str:
    path = tmp_path / "urls.txt"
    path.write_text("\r\n".join(lines), encoding="utf-8-sig")
    return str(path)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["https://allow.test/"], 0),
        (["https://allow.test/", "https://stop.test/"], 1),
        (["https://stop.test/", "no url", "https://allow.test/"], 3),
        (["https://error.test/"], 3),
        (["", "  "], 3),
    ],
)
def test_a_batch_ends_with_its_worst_outcome(check: Any, tmp_path: Path, lines: list[str], status: int) -> None:
    assert check("--fixtures", "--batch", urls(tmp_path, *lines), "--action", "payment", "--json")[0] == status


def test_a_batch_has_a_line_per_url_in_order(check: Any, tmp_path: Path) -> None:
    file = urls(tmp_path, "https://slow.test/", "", "https://allow.test/", "nothing", "https://stop.test/")
    words = ("--fixtures", "--batch", file, "--action", "payment", "--within", "0.05")

    answer = [json.loads(line) for line in check(*words, "--json")[1].splitlines()]
    lines = check(*words)[1].splitlines()

    assert [each.get("normalized_domain") for each in answer] == ["slow.test", "allow.test", None, "stop.test"]
    assert answer[2]["error"]["code"] == "invalid-url"
    assert [line.split()[0] for line in lines] == ["stop", "allow", "none", "stop"]
    assert "line 4" in lines[2]


def test_a_batch_may_come_from_standard_input(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"https://allow.test/\n")))

    assert check("--fixtures", "--batch", "-", "--action", "payment")[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--batch", "urls.txt", "https://example.com/"),
        ("--batch", f"https://example.com/{CANARY}"),
        ("--batch", "urls.txt", "--record", "x.json"),
        ("--replay", "x.json", "https://example.com/"),
        ("--replay", "x.json", "--action", "visit"),
        ("--fixtures", "https://allow.test/", "--record", "x.json"),
        ("https://example.com/", "--record", f"https://example.com/{CANARY}"),
        ("https://example.com/", "--record", "nowhere/x.json"),
    ],
)
def test_contradicting_options_are_rejected_before_any_work(check: Any, words: tuple[str, ...]) -> None:
    status, out, stderr = check(*words)

    assert (status, out) == (2, "")
    assert CANARY not in stderr


@pytest.fixture
def record(check: Any, tmp_path: Path) -> Path:
    path = tmp_path / "record.json"
    check(f"https://paypal-login.com/{CANARY}", "--offline", "--action", "login", "--record", str(path))
    return path


def test_a_record_is_decided_again_to_the_letter(check: Any, record: Path) -> None:
    status, out, stderr = check("--replay", str(record), "--json", "--include", "evidence_summary,policy_version")

    decision = json.loads(record.read_text())["decision"]
    answer = json.loads(out)
    assert status == 1
    made = datetime.fromtimestamp(json.loads(record.read_text())["case"]["now"] / 1000, UTC)
    assert answer["recorded"]["decided_at"].startswith(f"{made:%Y-%m-%dT%H:%M:%S}")
    assert answer["recorded"]["file"] == str(record)
    assert answer["decision_id"] == decision["decision_id"]
    assert len(answer["evidence_summary"]) == len(decision["evidence"])
    assert "the same decision, to the letter" in stderr
    assert CANARY not in record.read_text()


def test_a_record_on_a_terminal_is_not_live(check: Any, record: Path) -> None:
    day = datetime.fromtimestamp(json.loads(record.read_text())["case"]["now"] / 1000, UTC)

    _, out, _ = check("--replay", str(record))

    first, second, third, *_ = out.splitlines()
    assert first == f"[=] RECORDED {day.day} {day:%B %Y}: Stop: do not sign in here"
    assert second.startswith("paypal-login.com · decided ")
    assert third == "This is a record, not a live answer: check again before you act."


def test_a_recorded_allow_never_exits_as_an_allow(check: Any, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    live, _, _ = check("https://example.com/", "--offline", "--action", "visit", "--record", str(path))

    replayed, out, _ = check("--replay", str(path), "--json")

    assert (live, replayed) == (0, 4)
    assert json.loads(out)["recorded"]["file"] == str(path)


def test_a_recorded_allow_is_written_in_the_past() -> None:
    made = 1795176000000
    with open_fixtures(now=lambda: made) as service:
        decision, case = service.check("https://allow.test/", "upload")
        view = View(sentences=service.world.document("codes.json"), recorded_at=made)
        explanation = explain(decision, service.world, case.now)
    assert decision.action_allowed
    late = msgspec.structs.replace(decision, expires_at=decision.expires_at + 86_400_000)

    out, out_late = (" ".join(draw(each, explanation, view).split()) for each in (decision, late))

    assert out.startswith("[=] RECORDED 20 November 2026: Uploading was allowed until 12:15 UTC allow.test · decided ")
    assert out_late.startswith(
        "[=] RECORDED 20 November 2026: Uploading was allowed until 12:15 UTC on 21 November 2026"
    )
    assert "[+]" not in out
    assert "it allows nothing now" in out


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda text: text.replace("paypal-login", "paypal-logon"), "changed after it was written"),
        (lambda text: text.replace('"action": "login"', '"action": "visit"'), "changed after it was written"),
        (lambda text: text.replace('"sha256": "', '"sha256": "0'), "changed after it was written"),
        (lambda text: text[:-40], "not JSON"),
        (lambda text: "", "not JSON"),
        (lambda text: "[1]", "not a record of a decision"),
        (lambda text: '{"decision_id": "x"}', "not a record of a decision"),
        (lambda text: text.replace("waypost-record/1", "waypost-record/2"), "another form"),
        (lambda text: "[" * 100_000, "not JSON"),
        (lambda text: " " * (5 << 20), "too large"),
    ],
)
def test_an_altered_or_foreign_record_is_rejected_in_words(check: Any, record: Path, spoil: Any, why: str) -> None:
    record.write_text(spoil(record.read_text()))

    status, out, stderr = check("--replay", str(record))

    assert (status, out) == (3, "")
    assert why in stderr


def forged(record: Path, change: Any) -> None:
    """A record whose digest was made to fit again."""
    document = json.loads(record.read_text())
    change(document)
    del document["sha256"]

    encoded = msgspec.json.Encoder(order="sorted").encode(document)
    document["sha256"] = hashlib.sha256(encoded).hexdigest()
    record.write_text(json.dumps(document))


def allow(document: dict[str, Any]) -> None:
    document["decision"] |= {"action_allowed": True, "deciding": []}


def break_policy(document: dict[str, Any]) -> None:
    document["case"]["policy"] = "own-2020-01-01"


def break_case(document: dict[str, Any]) -> None:
    document["case"]["surprise"] = 1


def make_older(document: dict[str, Any]) -> None:
    document["waypost"], document["world"] = "0.0.1", "000000000000"


def test_a_forged_decision_is_found_out_by_deciding_again(check: Any, record: Path) -> None:
    forged(record, allow)

    status, _, stderr = check("--replay", str(record))

    assert status == 3
    assert "the record leads to another decision" in stderr


def test_a_record_of_an_unknown_policy_is_rejected(check: Any, record: Path) -> None:
    forged(record, break_policy)

    assert "a policy that this waypost does not have" in check("--replay", str(record))[2]


def test_another_wayposts_record_is_good_while_results_agree(check: Any, record: Path) -> None:
    forged(record, make_older)
    assert check("--replay", str(record))[0] == 1

    forged(record, allow)
    assert "it was made by waypost 0.0.1 with data 000000000000" in check("--replay", str(record))[2]


def test_records_are_made_with_the_clock_in_them() -> None:
    with open_service(offline=True) as service:
        decision, case = service.check("https://example.com/", "payment")
        document = json.loads(to_record(case, decision, service.world))

    assert document["case"]["now"] == case.now
    assert document["world"] == load().version


SCHEMA = json.loads((folder("schemas") / "api" / "decision.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("more", [(), ("--include", "evidence_summary,policy_version", "--explain")])
def test_every_decision_fits_its_schema(check: Any, more: tuple[str, ...]) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(SCHEMA)
    for host in ("allow.test", "stop.test", "impersonation.test", "unknown.test", "paypal-login.com", "[::1]"):
        for action in ("payment", "visit"):
            answer = json.loads(check("--fixtures", f"http://{host}/", "--action", action, "--json", *more)[1])
            assert [violation.message for violation in validator.iter_errors(answer)] == []


def test_the_schema_knows_every_code_and_no_other() -> None:
    members, evidence = SCHEMA["properties"], SCHEMA["$defs"]["evidence"]["properties"]

    assert members["action"]["enum"] == [*ACTIONS, UNSPECIFIED]
    assert members["relationship_status"]["enum"] == list(RELATIONSHIP_STATUSES)
    assert members["risk_status"]["enum"] == list(RISK_STATUSES)
    assert members["confidence_class"]["enum"] == list(CONFIDENCE_CLASSES)
    assert members["reason_codes"]["items"]["enum"] == list(REASON_CODES)
    assert members["unknowns"]["items"]["enum"] == list(UNKNOWNS)
    assert evidence["type"]["enum"] == list(EVIDENCE_TYPES)
    assert evidence["status"]["enum"] == list(EVIDENCE_STATUSES)
    assert evidence["summary_code"]["enum"] == list(SUMMARY_CODES)


def test_the_fixtures_fit_their_schema() -> None:
    schema = json.loads((folder("schemas") / "meta" / "fixtures.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)

    assert list(Draft202012Validator(schema).iter_errors(load().document("fixtures.json"))) == []


def test_every_action_has_its_words(check: Any) -> None:
    sentences = World(load().files).document("codes.json")
    with open_service(offline=True) as service:
        for action in ACTIONS:
            decision = service.check("https://example.com/", action).decision
            assert re.fullmatch(
                r"Stop: not enough is known to [a-z ]+ here|[A-Z][a-z ]+ is allowed here until .*",
                verdict(decision, sentences),
            )


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("ftp://shop.example/", "The URL is of a kind that no check knows"),
        ("no url", "A text is not an absolute http or https URL"),
    ],
)
def test_a_problems_title_stays_whatever_its_class_is_called(check: Any, tmp_path: Path, url: str, title: str) -> None:
    (tmp_path / "urls.txt").write_text(f"{url}\n")

    out = check("--batch", str(tmp_path / "urls.txt"), "--offline", "--json")[1]

    assert json.loads(out)["error"]["title"] == title
