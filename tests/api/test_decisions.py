"""Decisions over the wire: the mission's fields to the letter, and every error a stop."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.conftest import Api, codes

URL = "https://shop.example.com/pay?token=secret#part"
FIELDS = [
    "decision_id", "normalized_domain", "relationship_status", "risk_status", "action", "action_allowed",
    "reason_codes", "confidence_class", "unknowns", "expires_at", "dispute_path",
]  # fmt: skip


def check(api: Api, key: str, path: str = "/v1/agent-safety", **body: Any) -> Any:
    return api.call("POST", path, key=key, json={"url": URL, "intended_action": "payment", **body})


def test_a_decision_has_the_interfaces_fields_and_dispute_address(api: Api) -> None:
    _, key = api.key("agent")
    answer = check(api, key)
    document = answer.json()
    assert answer.status_code == 200
    assert list(document) == FIELDS
    assert document["normalized_domain"] == "shop.example.com"
    assert (document["action"], document["action_allowed"]) == ("payment", False)
    assert document["dispute_path"] == f"/v1/decisions/{document['decision_id']}/disputes"
    assert answer.headers["link"] == f'<{document["dispute_path"]}>; rel="dispute"'
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", [{"claimed_brand": "PayPal"}, {"payee": {"name": "paypal.com"}}])
def test_the_owner_that_the_caller_names_binds_the_decision(api: Api, name: dict[str, Any]) -> None:
    _, key = api.key("agent", environment="test")
    document = check(api, key, url="https://allow.test/", **name).json()
    assert document["action_allowed"] is False
    assert "counterparty_mismatch" in document["reason_codes"]
    assert document["official_alternative"] == "https://paypal.com/"
    assert check(api, key, url="https://allow.test/", claimed_brand="waypost-fixture").json()["action_allowed"] is True


def test_check_url_reports_evidence_and_policy_without_an_action(api: Api) -> None:
    _, key = api.key("check")
    document = api.call("POST", "/v1/check-url", key=key, json={"url": URL}).json()
    assert (document["action"], document["action_allowed"]) == ("unspecified", False)
    assert {"type": "lexical_check", "status": "observed", "id": "lex"} in document["evidence_summary"]
    assert document["policy_version"] == api.state.service.policy


def test_what_can_be_included_is_included_on_request(api: Api) -> None:
    _, key = api.key("agent")
    document = check(api, key, include=["evidence_summary", "policy_version"]).json()
    assert document["evidence_summary"]
    assert document["policy_version"]


def test_a_receipt_matches_its_decision_and_is_verified_offline(api: Api) -> None:
    from waypost.receipts import verify

    key, text = api.key("agent")
    document = check(api, text, include=["receipt"]).json()
    jwks = api.call("GET", "/.well-known/jwks.json").json()
    held = verify(document["receipt"], jwks, url=URL, action="payment", audience=key.organization, now=api.clock.now)
    assert not held or held.claims.ok is False
    assert api.state.signing.jwks(api.clock.now) == jwks


@pytest.mark.parametrize(
    ("host", "allowed", "status"),
    [
        ("allow.test", True, "verified_official"),
        ("stop.test", False, "unverified"),
        ("impersonation.test", False, "suspected_impersonation"),
        ("unknown.test", False, "unverified"),
    ],
)
def test_a_test_key_is_answered_about_the_named_hosts(api: Api, host: str, allowed: bool, status: str) -> None:
    _, key = api.key("agent", environment="test")
    document = check(api, key, url=f"https://{host}/").json()
    assert (document["action_allowed"], document["relationship_status"]) == (allowed, status)
    assert ("official_alternative" in document) == (status == "suspected_impersonation")


def test_fixture_without_a_decision_is_a_503_with_retry(api: Api) -> None:
    _, key = api.key("agent", environment="test")
    answer = check(api, key, url="https://error.test/")
    assert (answer.status_code, answer.json()["code"]) == (503, "not-ready")
    assert answer.headers["retry-after"]


def test_a_live_key_knows_no_fixtures(api: Api) -> None:
    _, key = api.key("agent")
    assert check(api, key, url="https://allow.test/").json()["action_allowed"] is False


@pytest.mark.parametrize(
    ("body", "status", "code", "errors"),
    [
        ({"url": URL}, 422, "invalid-request", ["#/intended_action: required"]),
        ({"url": URL, "intended_action": "pay"}, 422, "unknown-action", ["#/intended_action: enum"]),
        (
            {"url": 1, "intended_action": "payment", "a/b~c": 1},
            422,
            "invalid-request",
            ["#/a~1b~0c: unknown-member", "#/url: type"],
        ),
        ({"url": "shop.example.com/k4n4ry", "intended_action": "payment"}, 422, "invalid-url", []),
        ({"url": "ftp://shop.example.com/k4n4ry", "intended_action": "payment"}, 422, "unsupported-scheme", []),
        (
            {"url": "https://a.example.com/\u0001", "intended_action": "payment"},
            422,
            "invalid-request",
            ["#/url: pattern"],
        ),
    ],
)
def test_all_errors_of_a_request_have_their_places(
    api: Api, body: dict[str, Any], status: int, code: str, errors: list[str]
) -> None:
    _, key = api.key("agent")
    answer = api.call("POST", "/v1/agent-safety", key=key, json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (codes(answer) if errors else []) == errors
    assert "k4n4ry" not in answer.text


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"", {}, 400, "empty-body"),
        (b"{", {}, 400, "malformed-json"),
        (b'{"url": "\xff"}', {}, 400, "malformed-json"),
        (b"[" * 8000, {}, 400, "too-deep"),
        (b'{"url":' + b"[" * 40 + b"]" * 40 + b"}", {}, 400, "too-deep"),
        (b'{"url": "a", "url": "b"}', {}, 400, "duplicate-member"),
        (b'{"url": NaN}', {}, 400, "malformed-json"),
        (b"{} {}", {}, 400, "malformed-json"),
        (b" " * 9000, {}, 413, "body-too-large"),
        (b"{}", {"content-type": "text/plain"}, 415, "unsupported-media-type"),
        (b"{}", {"content-type": "application/json; charset=utf-16"}, 415, "unsupported-media-type"),
        (b"{}", {"content-encoding": "gzip"}, 415, "unsupported-media-type"),
        (b"{}", {"waypost-deadline-ms": "1e3"}, 422, "invalid-request"),
    ],
)
def test_unreadable_body_is_a_problem_and_never_a_500(
    api: Api, content: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    _, key = api.key("agent")
    sent = {"content-type": "application/json", **headers}
    answer = api.call("POST", "/v1/agent-safety", key=key, content=content, headers=sent)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    if status == 415:
        assert answer.headers["accept-post"] == "application/json"


def test_deadline_is_a_number_of_milliseconds_in_its_bounds(api: Api) -> None:
    _, key = api.key("agent")
    body = {"url": URL, "intended_action": "payment"}
    # 50 ms may be too few for a database server on a busy machine: then there is no decision.
    ok, bad = {200, 503} if api.state.settings.store else {200}, {400}
    for text, expected in (
        ("50", ok),
        ("5000", {200}),
        ("", bad),
        ("49", bad),
        ("5001", bad),
        ("1.5", bad),
        ("٥٠", bad),
    ):
        answer = api.call(
            "POST", "/v1/agent-safety", key=key, json=body, headers={"waypost-deadline-ms": text.encode()}
        )
        assert answer.status_code in expected, text


def test_decision_is_read_again_by_its_own_organization_alone(api: Api) -> None:
    _, key = api.key("agent")
    _, foreign = api.key("agent", organization=api.other)
    document = check(api, key).json()
    path = f"/v1/decisions/{document['decision_id']}"
    again = api.call("GET", path, key=key).json()
    assert {name: again[name] for name in FIELDS} == document
    assert again["expired"] is False
    api.clock.tick(3600)
    assert api.call("GET", path, key=key).json()["expired"] is True
    missing, other = (api.call("GET", each, key=foreign) for each in ("/v1/decisions/nothing", path))
    assert other.status_code == missing.status_code == 404
    assert {**other.json(), "instance": "", "request_id": ""} == {**missing.json(), "instance": "", "request_id": ""}


def test_a_batch_answers_each_item_and_undecided_ones_stop(api: Api) -> None:
    _, key = api.key("agent", environment="test")
    items = [{"url": f"https://{host}.test/", "intended_action": "payment"} for host in ("allow", "error", "allow")]
    document = api.call("POST", "/v1/agent-safety/batch", key=key, json={"items": items}).json()
    assert [each.get("action_allowed") for each in document["results"]] == [True, None, True]
    assert document["results"][1]["error"]["code"] == "not-ready"
    ended = api.call(
        "POST", "/v1/agent-safety/batch", key=key, json={"items": items, "semantic": "deny_on_first_deny"}
    ).json()
    assert (len(ended["results"]), ended["stopped_at"]) == (2, 1)


def test_worker_reads_a_long_body_with_the_same_errors(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a body made to take long would hold up everybody else on the event loop."""
    _, key = api.key("agent")
    items = [{"url": f"https://allow.test/{'a' * 1000}", "intended_action": "visit"} for _ in range(20)]

    def rejected(*_: Any) -> None:
        raise AssertionError("read on the event loop")

    monkeypatch.setattr("waypost.service.body.read", rejected)
    document = api.call("POST", "/v1/agent-safety/batch", key=key, json={"items": items})
    assert [each["action_allowed"] for each in document.json()["results"]] == [True] * 20
    items[19]["url"] = 7  # type: ignore[assignment]
    refusal = api.call("POST", "/v1/agent-safety/batch", key=key, json={"items": items})
    assert [each["pointer"] for each in refusal.json()["errors"]] == ["#/items/19/url"]


def test_a_batch_counts_each_of_its_items(api: Api) -> None:
    _, key = api.key("agent")
    items = [{"url": URL, "intended_action": "payment"}] * 50
    assert api.call("POST", "/v1/agent-safety/batch", key=key, json={"items": items}).status_code == 200
    rejected = api.call("POST", "/v1/agent-safety/batch", key=key, json={"items": items})
    assert (rejected.status_code, rejected.json()["code"]) == (429, "quota-exceeded")
    assert int(rejected.headers["retry-after"]) >= 1
    assert rejected.json()["type"].startswith("https://iana.org/")


def test_a_payment_at_a_foreign_host_stops_without_payee(api: Api) -> None:
    _, key = api.key("agent", environment="test")
    payee = {"type": "iban", "id": "DE89 3704 0044 0532 0130 00"}
    own = check(api, key, url="https://allow.test/", payment_endpoint="https://allow.test/pay")
    foreign = check(api, key, url="https://allow.test/", payment_endpoint="https://foreign.test/", payee=payee)

    assert own.json()["action_allowed"] is True
    assert foreign.json()["action_allowed"] is False
    assert "payee_mismatch" in foreign.json()["reason_codes"]
    assert "payee_not_verified" in foreign.json()["unknowns"]
    assert "3704" not in foreign.text


def test_only_an_own_allowed_checkout_is_a_referrer(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.service import Service

    seen: list[str] = []
    inner = Service.check_async

    async def spied(self: Service, *args: Any, **more: Any) -> Any:
        seen.append(more.get("referrer", ""))
        return await inner(self, *args, **more)

    monkeypatch.setattr(Service, "check_async", spied)
    (_, key), (_, other) = (
        api.key("agent", environment="test"),
        api.key("agent", organization=api.other, environment="test"),
    )
    ids = [
        check(api, key, url="https://allow.test/", intended_action=action).json()["decision_id"]
        for action in ("payment", "visit")
    ]
    stop = check(api, key, url="https://stop.test/").json()["decision_id"]

    def referrer(name: str, text: str = key) -> str:
        assert check(api, text, url="https://stop.test/", referred_by=name).json()["action_allowed"] is False
        return seen[-1]

    assert [referrer(name) for name in (*ids, stop)] == ["allow.test", "", ""]
    assert referrer(ids[0], other) == ""
    assert referrer("00000000-0000-4000-8000-000000000000") == ""
    api.clock.now += 3_600_000
    assert referrer(ids[0]) == ""
