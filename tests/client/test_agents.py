"""The two example agents: they act on a clear yes, and on nothing else that a service may do."""

from __future__ import annotations

import io
import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from waypost.models import decision as shapes

pytest.importorskip("httpx", reason="the extra client is not installed")

from waypost.client import responses

AGENT = Path(__file__).parent.parent.parent / "examples" / "agent"
NODE = shutil.which("node")
KINDS = ["python", pytest.param("javascript", marks=pytest.mark.skipif(NODE is None, reason="there is no node here"))]
Request = dict[str, Any]
# One process asks all it is told to, at the same time.
PROGRAM = """
const { may, require } = await import(process.argv[1]);
const asked = JSON.parse(process.argv[2]);
console.log(JSON.stringify(await Promise.all(asked.map(async ({ url, ...options }) => {
  const said = await require(url, "payment", options).then(() => "may go ahead", (stop) => String(stop));
  return [(await may(url, "payment", options)) ? 0 : 1, said];
}))));
"""


def in_javascript(requests: list[Request]) -> list[tuple[int, str]]:
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", PROGRAM, (AGENT / "check.mjs").as_uri(), json.dumps(requests)],
        env={},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [(status, message) for status, message in json.loads(done.stdout)]


def in_python(requests: list[Request], monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    main = runpy.run_path(str(AGENT / "pay.py"))["main"]
    answers = []
    for each in requests:
        monkeypatch.setenv("WAYPOST_SERVICE", each["service"])
        monkeypatch.setenv("WAYPOST_API_KEY", each["key"])
        with redirect_stdout(io.StringIO()) as message, redirect_stderr(message):
            status = main([each["url"], "12.50", "--timeout", str(each["timeoutMs"] / 1000)])
        answers.append((status, message.getvalue()))
    return answers


@pytest.fixture(params=KINDS)
def agent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, wire: Any) -> Callable[..., Any]:
    """Asks several services and tells, for each, the status and what was said."""

    def send_request(*services: str, **changed: Any) -> list[tuple[int, str]]:
        usual = {"key": wire.KEY, "url": wire.URL, "timeoutMs": 5000}
        requests = [{"service": each} | usual | changed for each in services]
        answers = in_python(requests, monkeypatch) if request.param == "python" else in_javascript(requests)
        for _, message in answers:
            assert "s3cr3t" not in message
            assert "k4n4ry" not in message
        return answers

    return send_request


def acted(message: str) -> bool:
    return "paid" in message or "may go ahead" in message


def test_a_clear_yes_lets_the_agent_act(agent: Any, serving: Any, wire: Any):
    server = serving(wire.decided())

    ((status, message),) = agent(server.url)

    assert status == 0
    assert acted(message)
    head, _, body = server.seen[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/agent-safety HTTP/1.1\r\n")
    assert b"s3cr3t" not in head
    assert json.loads(body) == {"url": wire.URL, "intended_action": "payment"}


def outcomes(wire: Any) -> dict[str, Any]:
    past = wire.written(datetime.now(UTC) - timedelta(seconds=1))
    decided, answer = wire.decided, wire.answer
    good = json.dumps(wire.decision_body()).encode()
    ahead = datetime.now(UTC) + timedelta(hours=1)
    return {
        "false": decided(action_allowed=False),
        "expired": decided(expires_at=past),
        "expired by the service's own clock": answer(
            200, good, "Date: " + (datetime.now(UTC) + timedelta(hours=1)).strftime("%a, %d %b %Y %H:%M:%S GMT")
        ),
        "401": answer(401, good),
        "429": answer(429, good, "Retry-After: 60"),
        "500": answer(500, good),
        "503": answer(503, good),
        "redirect": answer(302, b"", "Location: /v1/agent-safety"),
        "malformed JSON": answer(200, good[:-1]),
        "not JSON": answer(200, good, media="text/html"),
        "a list": answer(200, b"[" + good + b"]"),
        "unknown relationship": decided(relationship_status="verified_by_moonlight"),
        "unknown risk": decided(risk_status="none"),
        "unknown confidence": decided(confidence_class="total"),
        "unknown reason": decided(reason_codes=["because"]),
        "unknown unknown": decided(unknowns=["something_else"]),
        "another action": decided(action="login"),
        "another host": decided(normalized_domain="other.example"),
        "true in words": decided(action_allowed="true"),
        "no dispute path": decided(dispute_path=None),
        "no reasons": decided(reason_codes=None),
        "a time without a zone": decided(expires_at=wire.written(ahead)[:-1]),
        "a time that is none": decided(expires_at="soon"),
        **contradictions(wire),
        "torn": lambda line, _: (line.sendall(wire.decided()[:-30]), line.close()),
        "hung up": lambda line, _: line.close(),
    }


def contradictions(wire: Any) -> dict[str, Any]:
    """Answers that allow the payment without a reason, beside a value that forbids it, or that have a member twice."""
    tables = (responses.NEVER_ALLOWED, responses.NEVER_ALLOWED_SENSITIVE)
    values = [(name, value) for table in tables for name, held in table.items() for value in sorted(held)]
    lists = ("reason_codes", "unknowns")
    made = {
        f"allowed beside {value}": wire.decided(**{name: [value] if name in lists else value}) for name, value in values
    }
    made["allowed without a reason"] = wire.decided(reason_codes=[])
    good, allowed = json.dumps(wire.decision_body()), '"action_allowed"'
    twice = {
        "allowed twice": good.replace(allowed, f'"action_allowed": false, {allowed}', 1),
        "allowed twice, once in escapes": good.replace(allowed, f'"action_allowe\\u0064": false, {allowed}', 1),
        "a member twice further in": good.replace("{", '{"further": [{"a": {"b": 1, "c": 2, "b": 3}}], ', 1),
    }  # fmt: skip
    return made | {name: wire.answer(200, text.encode()) for name, text in twice.items()}


def test_equal_names_in_different_objects_are_not_a_repetition(agent: Any, serving: Any, wire: Any):
    more = {"evidence_summary": [{"type": "a", "status": '{"b": 1'}, {"type": "a", "status": "b"}], "a": {"type": "\\"}}

    ((status, message),) = agent(serving(wire.decided(**more)).url)

    assert (status, acted(message)) == (0, True), message


def test_everything_else_stops_the_agent(agent: Any, serving: Any, wire: Any):
    tried = outcomes(wire)

    answers = agent(*(serving(reply).url for reply in tried.values()))

    wrong = [name for name, (status, messages) in zip(tried, answers, strict=True) if status != 1 or acted(messages)]
    assert not wrong
    assert all("stop" in messages.lower() for _, messages in answers)


def test_a_service_that_takes_its_time_stops_the_agent(agent: Any, serving: Any, wire: Any):
    slow = [serving(wire.silent).url, serving(wire.drip(wire.decided())).url]

    answers = agent(*slow, timeoutMs=400)

    assert [(status, acted(messages)) for status, messages in answers] == [(1, False)] * 2


@pytest.mark.parametrize(
    "changed",
    [{"service": "http://waypost.test"}, {"service": "nowhere"}, {"service": ""}, {"key": ""}, {"url": "no url"}],
    ids=str,
)
def test_an_agent_that_is_set_up_wrong_stops(agent: Any, changed: dict[str, str]):
    ((status, message),) = agent("http://127.0.0.1:1", **changed)

    assert (status, acted(message)) == (1, False)


@pytest.mark.parametrize("program", KINDS)
def test_the_agents_run_as_programs(serving: Any, wire: Any, program: str):
    command = {
        "python": [sys.executable, str(AGENT / "pay.py"), wire.URL, "12.50"],
        "javascript": [str(NODE), str(AGENT / "check.mjs"), wire.URL, "payment"],
    }[program]

    def run(reply: bytes) -> tuple[int, str]:
        env = {"WAYPOST_SERVICE": serving(reply).url, "WAYPOST_API_KEY": wire.KEY}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout

    status, output = run(wire.decided())
    assert (status, acted(output)) == (0, True)
    assert run(wire.decided(action_allowed=False)) == (1, "")


@pytest.mark.parametrize(("option", "paid"), [("", "allow.test"), ("--without-guard", "impersonation.test")])
def test_the_shopping_agent_pays_the_imitation_only_without_guard(option: str, paid: str):
    command = [sys.executable, str(AGENT / "shopping.py"), *option.split()]

    done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=60)

    *_, last = done.stdout.splitlines()
    assert (last, done.returncode) == (f"paid at {paid}", int(bool(option)))
    assert ("stopped, brand_impersonation_signal; the official site is https://allow.test/" in done.stdout) is (
        not option
    )


def in_the_javascript(table: str) -> dict[str, list[str]]:
    text = (AGENT / "check.mjs").read_text("utf-8")
    block = text[text.index(f"{table} = {{") : text.index("};", text.index(f"{table} = {{"))]
    return {name: re.findall(r'"(\w+)"', inner) for name, inner in re.findall(r"(\w+): \[(.*?)\]", block, re.DOTALL)}


@pytest.mark.parametrize("table", ["NEVER_ALLOWED", "NEVER_ALLOWED_SENSITIVE"])
def test_the_javascript_has_the_same_second_lock(table: str):
    assert {name: set(values) for name, values in in_the_javascript(table).items()} == getattr(responses, table)


def test_the_javascript_knows_the_same_values():
    assert in_the_javascript("KNOWN") == {
        "relationship_status": list(get_args(shapes.RelationshipStatus)),
        "risk_status": list(get_args(shapes.RiskStatus)),
        "confidence_class": list(get_args(shapes.ConfidenceClass)),
        "reason_codes": list(get_args(shapes.ReasonCode)),
        "unknowns": list(get_args(shapes.Unknown)),
    }


DECISIONS = Path(__file__).parent.parent / "cases" / "decisions"


def test_no_recorded_approval_contradicts_itself():
    cases = [json.loads(path.read_bytes()) for path in sorted(DECISIONS.glob("*.json"))]
    allowed = [case["decision"] for case in cases if case["decision"]["action_allowed"]]

    assert {each["action"] == "visit" for each in allowed} == {True, False}
    for each in allowed:
        for table in (responses.NEVER_ALLOWED, {} if each["action"] == "visit" else responses.NEVER_ALLOWED_SENSITIVE):
            for name, values in table.items():
                assert values.isdisjoint([each[name]] if isinstance(each[name], str) else each[name])
