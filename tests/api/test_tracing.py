"""Spans of OpenTelemetry: where time went, in the caller's trace, without anything of what was asked about."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.api.canary import Tokens
from tests.api.conftest import Api

from waypost import tracing

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
Spans = Callable[[], list[Any]]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    """Switches spans on; the finished ones so far."""
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    exporter = InMemorySpanExporter()
    provider = tracing.switch_on(exporter)

    def finished() -> list[Any]:
        provider.force_flush()
        return list(exporter.get_finished_spans())

    yield finished
    tracing.switch_off()
    provider.shutdown()


@pytest.fixture
def traced(api: Api, spans: Spans) -> Api:
    api.app = tracing.Traced(api.app)
    return api


def names(found: list[Any]) -> list[str]:
    return sorted(each.name.removeprefix("waypost.") for each in found)


def test_decision_is_a_span_tree_in_the_callers_trace(traced: Api, spans: Spans) -> None:
    _, key = traced.key("agent", environment="test")
    sent = {"url": "https://allow.test/", "intended_action": "payment"}

    answer = traced.call(
        "POST", "/v1/agent-safety", key=key, json=sent, headers={"traceparent": f"00-{TRACE}-{SPAN}-01"}
    )

    made = {each.name: each for each in spans()}
    request, decision = made["waypost.request"], made["waypost.decision"]
    assert {f"{each.context.trace_id:032x}" for each in made.values()} == {TRACE}
    assert f"{request.parent.span_id:016x}" == SPAN
    assert decision.parent.span_id == made["waypost.store.save"].parent.span_id == request.context.span_id
    assert dict(request.attributes) == {
        "http.request.method": "POST",
        "http.route": "/v1/agent-safety",
        "http.response.status_code": 200,
        "waypost.request_id": answer.headers["x-request-id"],
        "waypost.decision_id": answer.json()["decision_id"],
    }
    assert decision.attributes["waypost.action_allowed"] is answer.json()["action_allowed"] is True
    assert decision.attributes["waypost.action"] == "payment"


def test_a_read_of_the_store_belongs_to_its_request(traced: Api, spans: Spans) -> None:
    _, key = traced.key()
    for sampled, expected in (("01", {TRACE}), ("00", set())):
        before = len(spans())
        headers = {"traceparent": f"00-{TRACE}-{SPAN}-{sampled}"}
        request_body = {"url": "https://shop.example.com/", "intended_action": "payment"}
        traced.call("GET", "/v1/organization", key=key, headers=headers)
        traced.call("POST", "/v1/agent-safety", key=key, json=request_body, headers=headers)

        made = spans()[before:]
        requests = [each.context.span_id for each in made if each.name == "waypost.request"]
        decisions = [each.context.span_id for each in made if each.name == "waypost.decision"]
        reads = [each for each in made if each.name == "waypost.store.read"]
        assert {f"{each.context.trace_id:032x}" for each in reads} == expected
        assert {each.parent.span_id for each in reads} == {*requests, *decisions}


def test_an_unsampled_request_calls_the_sampler_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    exporter = InMemorySpanExporter()
    provider = tracing.switch_on(exporter)
    requests: list[str] = []
    request = provider.sampler.should_sample

    def should_sample(context: Any, trace_id: int, name: str, *more: Any) -> Any:
        requests.append(name)
        return request(context, trace_id, name, *more)

    monkeypatch.setattr(provider.sampler, "should_sample", should_sample)
    api.app = tracing.Traced(api.app)
    _, key = api.key("agent", environment="test")
    try:
        api.call("POST", "/v1/agent-safety", key=key, json={"url": "https://allow.test/", "intended_action": "payment"})
    finally:
        tracing.switch_off()
        provider.shutdown()

    assert requests == ["waypost.request"]
    assert exporter.get_finished_spans() == ()


def test_some_of_the_requests_are_sampled_completely(
    api: Api, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    spans: Spans = request.getfixturevalue("spans")
    api.app = tracing.Traced(api.app)
    _, key = api.key("agent", environment="test")
    for _ in range(40):
        api.call("POST", "/v1/agent-safety", key=key, json={"url": "https://allow.test/", "intended_action": "payment"})

    found = spans()
    traces = [each.context.trace_id for each in found if each.name == "waypost.request"]
    assert 0 < len(traces) < 40
    assert len({*traces}) == len(traces)
    for name in ("waypost.decision", "waypost.store.save"):
        assert [each.context.trace_id for each in found if each.name == name] == traces


def test_a_caller_who_samples_nothing_has_no_spans(traced: Api, spans: Spans) -> None:
    for flags, count in (("00", 0), ("01", 1)):
        traced.call("GET", "/healthz", headers={"traceparent": f"00-{TRACE}-{SPAN}-{flags}"})
        assert len([each for each in spans() if each.name == "waypost.request"]) == count


@pytest.mark.parametrize("header", ["", "00-0-0-01", f"00-{'0' * 32}-{SPAN}-01", f"ff-{TRACE}-{SPAN}-01", "x" * 5000])
def test_without_a_good_header_a_logged_trace_begins(
    open_api: Callable[..., Api], spans: Spans, header: str, capfd: pytest.CaptureFixture[str]
) -> None:
    api = open_api(log="json")
    api.app = tracing.Traced(api.app)

    api.call("GET", "/v1/limits", headers={"traceparent": header} if header else {})

    (request,) = [each for each in spans() if each.name == "waypost.request"]
    (line,) = [json.loads(each) for each in capfd.readouterr().err.splitlines() if '"request"' in each]
    assert request.parent is None
    assert line["trace_id"] == f"{request.context.trace_id:032x}"


def test_nothing_of_a_request_stands_in_a_span(traced: Api, spans: Spans) -> None:
    _, key = traced.key()
    tokens = Tokens(key)
    sent = {"url": tokens.url("shop.test"), "intended_action": "payment", "claimed_brand": tokens["member"]}
    headers = tokens.headers()
    tries: list[tuple[str, str, Any]] = [
        ("POST", "/v1/agent-safety", {"json": sent}),
        ("POST", "/v1/check-url", {"json": sent}),
        ("POST", "/v1/agent-safety", {"json": sent | {"intended_action": tokens["member"]}}),
        ("POST", "/v1/agent-safety/batch", {"json": {"items": [sent]}}),
        ("POST", "/v1/agent-safety", {"content": tokens["body"].encode()}),
        ("GET", f"/v1/search?q={tokens['query']}", {}),
        ("QUERY", "/v1/search", {"json": {"query": tokens["query"]}}),
        ("GET", f"/v1/domain?domain={tokens['path']}.test", {}),
        ("GET", f"/v1/schema/{tokens['path']}", {}),
        ("GET", f"/{tokens['path']}?{tokens['query']}", {}),
        ("PUT", f"/v1/decisions/{tokens['path']}", {}),
        ("POST", "/v1/validate", {"json": {"data": {"@type": tokens["member"], "url": tokens.url("a.test")}}}),
        ("POST", "/access/v1/search/action", {"json": {"subject": {"type": "a", "id": tokens["member"]},
                                                      "resource": {"type": "url", "id": tokens.url("b.test")}}}),
    ]  # fmt: skip
    for method, path, more in tries:
        traced.call(method, path, key=key, headers=headers, **more)

    found = spans()
    assert len([each for each in found if each.name == "waypost.request"]) == len(tries)
    assert {"pool", "store.read", "store.save", "decision"} <= {*names(found)}
    assert tokens.found("\n".join(each.to_json() for each in found)) == []
    assert "shop.test" not in "".join(each.to_json() for each in found)
    assert not [each.name for each in found if each.events]


def test_spans_that_are_off_import_nothing_and_make_nothing() -> None:
    program = (
        "import sys, waypost.api.server, waypost.api.app, waypost.tracing as t; "
        "print(t.span('a') is t.span('b', action='payment'), [m for m in sys.modules if m.startswith('opentel')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "True []"
