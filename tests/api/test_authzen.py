"""AuthZEN Authorization API 1.0: the decision in that specification's words, and its certification scenario."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.api.canary import Tokens
from tests.api.conftest import SITE, Api

ONE, SEVERAL = "/access/v1/evaluation", "/access/v1/evaluations"
CASES = json.loads((Path(__file__).parents[1] / "cases" / "authzen" / "scenario.json").read_text("utf-8"))
AGENT = {"type": "agent", "id": "buyer-1"}


def at(host: str, action: str = "payment", **more: Any) -> dict[str, Any]:
    """Request about an action at a host."""
    return {"subject": AGENT, "action": {"name": action}, "resource": {"type": "host", "id": host}, **more}


@pytest.fixture(scope="module")
def trial(shared: Api) -> str:
    return shared.key("agent", environment="test", limits={"checks": 100_000})[1]


def one(api: Api, key: str, request: Any) -> Any:
    return api.call("POST", "/access/v1/evaluation", key=key, json=request)


def several(api: Api, key: str, request: Any) -> Any:
    return api.call("POST", "/access/v1/evaluations", key=key, json=request)


@pytest.mark.parametrize(
    ("host", "permitted", "reason"),
    [
        ("allow.test", True, "official_relationship_verified"),
        ("stop.test", False, "threat_list_match"),
        ("impersonation.test", False, "brand_impersonation_signal"),
        ("unknown.test", False, "no_decisive_signal"),
        ("slow.test", False, "no_decisive_signal"),
    ],
)
def test_a_decision_is_complete_and_its_permission_alone_decides(
    shared: Api, trial: str, host: str, permitted: bool, reason: str
) -> None:
    document = one(shared, trial, at(host)).json()

    context = document["context"]
    assert document["decision"] is context["action_allowed"] is permitted
    assert (context["normalized_domain"], context["action"]) == (host, "payment")
    assert reason in context["reason_codes"]
    assert context["expires_at"] > "2026-11-20T10:00:00.000Z"
    assert context["dispute_path"] == f"/v1/decisions/{context['decision_id']}/disputes"
    assert {"unknowns", "confidence_class", "policy_version"} <= context.keys()
    assert ("official_alternative" in context) is (host == "impersonation.test")


def test_the_decision_is_stored_as_any_other(shared: Api, trial: str) -> None:
    made = one(shared, trial, at("allow.test")).json()["context"]

    assert shared.call("GET", f"/v1/decisions/{made['decision_id']}", key=trial).json()["action_allowed"] is True


def test_without_decisions_one_is_an_error_and_several_a_denial(shared: Api, trial: str) -> None:
    alone = one(shared, trial, at("error.test"))
    adjacent = several(shared, trial, {"evaluations": [at("error.test"), at("allow.test")]}).json()["evaluations"]

    assert (alone.status_code, alone.json()["code"]) == (503, "not-ready")
    assert [each["decision"] for each in adjacent] == [False, True]
    assert adjacent[0]["context"]["reason"] == "not-ready"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"action": {"name": "read"}}, "unknown-action"),
        ({"action": {"name": "unspecified"}}, "unknown-action"),
        ({"action": {"name": ""}}, "unknown-action"),
        ({"resource": {"type": "document", "id": "allow.test"}}, "unknown-resource-type"),
        ({"resource": {"type": "URL", "id": "https://allow.test/"}}, "unknown-resource-type"),
        ({"resource": {"type": "url", "id": "allow.test"}}, "invalid-url"),
        ({"resource": {"type": "url", "id": ""}}, "invalid-url"),
        ({"resource": {"type": "url", "id": "ftp://allow.test/"}}, "unsupported-scheme"),
        ({"resource": {"type": "url", "id": f"https://allow.test/{'x' * 9000}"}}, "invalid-url"),
        ({"resource": {"type": "host", "id": "https://allow.test/"}}, "domain-only"),
        ({"resource": {"type": "host", "id": "allow.test:8443"}}, "domain-only"),
        ({"resource": {"type": "domain", "id": "not%2ea.host"}}, "invalid-request"),
    ],
)
def test_an_undecidable_subject_is_a_denial_with_its_reason(
    shared: Api, trial: str, changed: dict[str, Any], reason: str
) -> None:
    alone = one(shared, trial, at("allow.test") | changed)
    (adjacent,) = several(shared, trial, at("allow.test") | {"evaluations": [changed]}).json()["evaluations"]

    assert alone.status_code == 200
    assert alone.json() == adjacent
    assert (adjacent["decision"], adjacent["context"]["reason"]) == (False, reason)


def test_unknown_members_change_nothing(shared: Api, trial: str) -> None:
    more = {"properties": {"department": "Sales"}, "future": [1]}
    request = {name: part | more for name, part in at("allow.test").items()}
    request |= {"foo": "bar", "context": {"time": "2026-11-20T10:00:00Z", "ip": "192.0.2.1"}}

    assert one(shared, trial, request).json()["decision"] is True
    options = {"evaluations_semantic": "execute_all", "another": "value"}
    document = several(shared, trial, request | {"evaluations": [{"foo": 1}], "options": options}).json()
    assert [each["decision"] for each in document["evaluations"]] == [True]


def test_the_owner_that_the_caller_names_binds_the_decision(shared: Api, trial: str) -> None:
    document = one(shared, trial, at("allow.test", context={"claimed_brand": "PayPal"})).json()

    assert document["decision"] is False
    assert "counterparty_mismatch" in document["context"]["reason_codes"]
    assert one(shared, trial, at("allow.test", context={"claimed_brand": "waypost-fixture"})).json()["decision"] is True


@pytest.mark.parametrize(
    "context",
    [
        {"payment_endpoint": "https://pay.elsewhere.test/"},
        {"payment_endpoint": "not an address"},
        {"signed_checkout": "e30.e30.e30", "amount": {"currency": "EUR", "value": 1}},
        {"payee": {"name": "PayPal"}},
    ],
)
def test_the_payment_in_the_context_binds_the_decision(shared: Api, trial: str, context: Any) -> None:
    assert one(shared, trial, at("allow.test", context=context)).json()["decision"] is False
    assert one(shared, trial, at("allow.test", context={})).json()["decision"] is True


@pytest.mark.parametrize("context", [{"amount": {"currency": "EUR"}}, {"payee": 1}, {"payment_endpoint": ""}])
def test_an_unreadable_payment_in_the_context_is_an_error(shared: Api, trial: str, context: Any) -> None:
    assert one(shared, trial, at("allow.test", context=context)).status_code == 400


@pytest.mark.parametrize(
    ("semantic", "decisions"),
    [
        ({}, [True, False, True]),
        ({"options": {}}, [True, False, True]),
        ({"options": {"evaluations_semantic": "execute_all"}}, [True, False, True]),
        ({"options": {"evaluations_semantic": "deny_on_first_deny"}}, [True, False]),
    ],
)
def test_several_are_answered_in_order_until_a_requested_denial(
    shared: Api, trial: str, semantic: dict[str, Any], decisions: list[bool]
) -> None:
    hosts = ["allow.test", "stop.test", "allow.test"]
    request = {"subject": AGENT, "action": {"name": "payment"}, **semantic}
    request["evaluations"] = [{"resource": {"type": "host", "id": host}} for host in hosts]

    document = several(shared, trial, request).json()

    assert list(document) == ["evaluations"]
    assert [each["decision"] for each in document["evaluations"]] == decisions
    assert [each["context"]["normalized_domain"] for each in document["evaluations"]] == hosts[: len(decisions)]


@pytest.mark.parametrize("semantic", ["permit_on_first_permit", "", "EXECUTE_ALL", 1, None])
def test_any_other_semantic_is_rejected_entirely(shared: Api, trial: str, semantic: Any) -> None:
    answer = several(shared, trial, {"evaluations": [at("allow.test")], "options": {"evaluations_semantic": semantic}})

    assert (answer.status_code, answer.json()["status"]) == (400, 400)
    assert answer.json()["errors"][0]["pointer"] == "#/options/evaluations_semantic"


def test_an_evaluation_takes_missing_members_from_the_defaults(shared: Api, trial: str) -> None:
    defaults = at("allow.test") | {"context": {"claimed_brand": "PayPal"}}
    own = [{}, {"context": {}}, {"context": {}, "resource": {"id": "stop.test"}}, {"context": {}, "action": None}]

    document = several(shared, trial, defaults | {"evaluations": own}).json()["evaluations"]

    assert [each["decision"] for each in document] == [False, True, False, False]
    assert document[2]["context"]["normalized_domain"] == "stop.test"
    assert document[3]["context"]["errors"][0]["pointer"] == "#/action"


def test_each_of_several_counts_as_one_request(shared: Api) -> None:
    _, key = shared.key("agent", environment="test", limits={"checks": 3})
    three = {"evaluations": [at("allow.test")] * 3}

    assert several(shared, key, {"evaluations": [at("allow.test")] * 4}).json()["code"] == "quota-exceeded"
    shared.clock.tick(61)
    assert several(shared, key, three).status_code == 200
    assert one(shared, key, at("allow.test")).status_code == 429


def test_more_than_fifty_are_rejected(shared: Api, trial: str) -> None:
    answer = several(shared, trial, at("allow.test") | {"evaluations": [{}] * 51})

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "#/evaluations")


@pytest.mark.parametrize(
    ("media", "body", "code"),
    [
        ("application/json", b"", "empty-body"),
        ("application/json", b"{", "malformed-json"),
        ("application/json", b'{"subject": 1, "subject": 2}', "duplicate-member"),
        ("application/json", b"[]", "invalid-request"),
        ("application/json", b"null", "invalid-request"),
        ("text/plain", json.dumps(at("allow.test")).encode(), "unsupported-media-type"),
        ("application/x-www-form-urlencoded", b"a=b", "unsupported-media-type"),
    ],
)
@pytest.mark.parametrize("path", [ONE, SEVERAL])
def test_a_body_that_cannot_be_read_is_a_400(
    shared: Api, trial: str, path: str, media: str, body: bytes, code: str
) -> None:
    answer = shared.call("POST", path, key=trial, content=body, headers={"Content-Type": media})

    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (400, 400, code)


@pytest.mark.parametrize("sent", ["a-1", "order 7/retry#2", "{x: 1}"])
def test_the_request_id_comes_back_as_it_was_sent(shared: Api, trial: str, sent: str) -> None:
    for request in (at("allow.test"), {}):
        answer = shared.call("POST", ONE, key=trial, json=request, headers={"X-Request-ID": sent})
        assert answer.headers["x-request-id"] == sent


@pytest.mark.parametrize("sent", ["x" * 257, "wp_test_KEY"])
def test_a_request_id_too_long_or_secret_is_replaced(shared: Api, trial: str, sent: str) -> None:
    sent = sent.replace("wp_test_KEY", trial)
    answer = shared.call("POST", ONE, key=trial, json=at("allow.test"), headers={"X-Request-ID": sent})

    assert re.fullmatch("[0-9a-f-]{36}", answer.headers["x-request-id"])


def test_a_live_key_gets_neither_test_hosts_nor_scenario(shared: Api) -> None:
    _, live = shared.key("agent")
    alice = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}}

    assert one(shared, live, at("allow.test")).json()["decision"] is False
    document = one(shared, live, alice | {"resource": {"type": "record", "id": "record-1"}}).json()
    assert (document["decision"], document["context"]["reason"]) == (False, "unknown-resource-type")


def test_only_host_and_action_reach_answers_logs_and_store(
    open_api: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    api = open_api(log="json")
    _, key = api.key("agent", environment="test", limits={"checks": 100_000})
    tokens = Tokens(key)
    secret = tokens["body"]
    subject = {"type": secret, "id": secret, "properties": {secret: secret}}
    messages = []
    for resource in (
        {"type": "url", "id": tokens.url("allow.test")},
        {"type": "url", "id": tokens.url("error.test")},
        {"type": "url", "id": tokens.url("allow.test", scheme="ftp")},
        {"type": "host", "id": tokens.url("allow.test")},
        {"type": secret, "id": secret},
        {"type": "url", "id": {secret: secret}},
    ):
        request = {"subject": subject, "resource": resource, "context": {secret: secret}, tokens["member"]: secret}
        for action in ("payment", secret):
            whole = request | {"action": {"name": action, "properties": {secret: secret}}}
            messages += [one(api, key, whole).text, several(api, key, whole | {"evaluations": [{}, whole]}).text]
    captured = capfd.readouterr()

    assert captured.err.count('"event":"request"') == 24
    assert tokens.found(tmp_path, captured.out, captured.err, api.state.metrics.text(), *messages) == []


def test_the_configuration_names_the_endpoints_that_there_are(shared: Api) -> None:
    answer = shared.call("GET", "/.well-known/authzen-configuration")

    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "policy_decision_point": SITE,
        "access_evaluation_endpoint": f"{SITE}{ONE}",
        "access_evaluations_endpoint": f"{SITE}{SEVERAL}",
        "search_resource_endpoint": f"{SITE}/access/v1/search/resource",
        "search_action_endpoint": f"{SITE}/access/v1/search/action",
    }
    assert shared.call("GET", "/access/v1/search/subject").status_code == 404


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: f"{case['id']} {case['about']}")
def test_the_certification_scenario_of_the_working_group(shared: Api, trial: str, case: dict[str, Any]) -> None:
    headers = {"X-Request-ID": "bfe9eb29-ab87-4ca3-be83-a1d5d8305716"}
    answer = shared.call("POST", case["path"], key=trial, json=case["request"], headers=headers)

    assert answer.status_code == case["status"]
    assert answer.headers["x-request-id"] == headers["X-Request-ID"]
    if case["status"] == 200:
        document = answer.json()
        found = (
            [each["decision"] for each in document["evaluations"]]
            if "evaluations" in document
            else document["decision"]
        )
        assert found == case["decision"]


def test_the_scenario_covers_every_test_id_of_its_levels() -> None:
    found = {re.split(r"[ab]", case["id"])[0] for case in CASES["cases"]}

    assert found == set(CASES["ids"])


def search(api: Api, key: str, part: str, **members: Any) -> Any:
    request = {"subject": AGENT, **members}
    if part == "action":
        return api.call("POST", "/access/v1/search/action", key=key, json=request)
    return api.call("POST", "/access/v1/search/resource", key=key, json=request)


FIXTURE = {"context": {"claimed_brand": "waypost-fixture"}}


@pytest.mark.parametrize(
    ("kind", "name"), [("host", "allow.test"), ("domain", "allow.test"), ("url", "https://allow.test/")]
)
def test_search_for_resources_finds_where_the_action_is_permitted(
    shared: Api, trial: str, kind: str, name: str
) -> None:
    answer = search(
        shared, trial, "resource", action={"name": "payment"}, resource={"type": kind, "id": "x"}, **FIXTURE
    )

    (found,) = answer.json()["results"]
    assert (found["type"], found["id"], answer.json()["page"]) == (kind, name, {"next_token": "", "count": 1})
    stored = shared.call("GET", f"/v1/decisions/{found['properties']['decision_id']}", key=trial).json()
    assert (stored["action_allowed"], stored["expires_at"]) == (True, found["properties"]["expires_at"])


def test_a_search_for_actions_finds_what_each_evaluation_permits(shared: Api, trial: str) -> None:
    every = ("payment", "login", "visit", "upload", "checkout")
    for host in ("allow.test", "stop.test", "impersonation.test", "unknown.test", "error.test"):
        resource = {"type": "host", "id": host}
        found = {each["name"] for each in search(shared, trial, "action", resource=resource).json()["results"]}
        permitted = {name for name in every if one(shared, trial, at(host, name)).json().get("decision")}
        assert found & {*every} == permitted
        assert bool(found) is (host in {"allow.test", "unknown.test"})


@pytest.mark.parametrize(
    ("part", "changed", "reason"),
    [
        ("resource", {"action": {"name": "read"}}, "unknown-action"),
        ("resource", {"resource": {"type": "document"}}, "unknown-resource-type"),
        ("resource", {"resource": {"type": "record"}}, "unknown-resource-type"),
        ("resource", {"context": {"claimed_brand": "no such brand"}}, None),
        ("action", {"resource": {"type": "record", "id": "record-1"}}, "unknown-resource-type"),
        ("action", {"resource": {"type": "url", "id": "no url"}}, None),
        ("action", {"resource": {"type": "host", "id": "allow.test:8443"}}, None),
    ],
)
def test_a_search_for_something_unknown_finds_nothing(
    shared: Api, trial: str, part: str, changed: dict[str, Any], reason: str | None
) -> None:
    request = {"action": {"name": "payment"}, "resource": {"type": "host", "id": "allow.test"}, **FIXTURE} | changed

    answer = search(shared, trial, part, **request)

    document = answer.json()
    assert (answer.status_code, document["results"], document["page"]) == (200, [], {"next_token": "", "count": 0})
    assert document.get("context", {}).get("reason") == reason


def test_a_search_is_paged_and_each_destination_counts(shared: Api) -> None:
    _, key = shared.key("agent", environment="test", limits={"checks": 7})
    request = {"action": {"name": "visit"}, "resource": {"type": "host"}}
    answer = search(shared, key, "resource", **request, page={"limit": 3})
    token = answer.json()["page"]["next_token"]
    second = search(shared, key, "resource", **request, page={"limit": 3, "token": token})
    other = search(shared, key, "resource", action={"name": "login"}, resource={"type": "host"}, page={"token": token})

    assert token
    first_ids, second_ids = ([each["id"] for each in one.json()["results"]] for one in (answer, second))
    assert not {*first_ids} & {*second_ids}
    assert (other.status_code, other.json()["code"]) == (400, "invalid-cursor")
    assert search(shared, key, "resource", **request).status_code == 429
    shared.clock.tick(61)
    assert (
        search(shared, key, "action", resource={"type": "host", "id": "allow.test"}).json()["code"] == "quota-exceeded"
    )


@pytest.mark.parametrize(
    ("part", "body", "pointer"),
    [
        ("resource", {"resource": {"type": "host"}}, "#/action"),
        ("resource", {"action": {"name": "visit"}}, "#/resource"),
        ("resource", {"action": {"name": "visit"}, "resource": {"type": "host"}, "page": {"limit": 0}}, "#/page/limit"),
        ("action", {}, "#/resource"),
        ("action", {"resource": {"type": "host"}}, "#/resource/id"),
    ],
)
def test_an_incomplete_search_is_a_400(shared: Api, trial: str, part: str, body: dict[str, Any], pointer: str) -> None:
    answer = search(shared, trial, part, **body)

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


@pytest.mark.parametrize("kind", ["host", "document"])
@pytest.mark.parametrize("path", ["evaluation", "evaluations", "search/resource", "search/action"])
def test_deadline_that_is_not_a_number_is_a_400(shared: Api, trial: str, path: str, kind: str) -> None:
    request = {**at("allow.test"), "resource": {"type": kind, "id": "allow.test"}}
    body = {**request, "evaluations": [{}]} if path == "evaluations" else request

    answer = shared.call("POST", f"/access/v1/{path}", key=trial, json=body, headers={"Waypost-Deadline-Ms": "soon"})

    assert (answer.status_code, answer.json()["errors"][0]["header"]) == (400, "Waypost-Deadline-Ms")


def test_what_the_configuration_names_is_there(shared: Api, trial: str) -> None:
    document = shared.call("GET", "/.well-known/authzen-configuration").json()

    for name, address in document.items():
        if name != "policy_decision_point":
            path = address.removeprefix(SITE)
            assert shared.call("POST", path, key=trial, json={}).status_code == 400, name
    assert "search_subject_endpoint" not in document
