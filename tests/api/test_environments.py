"""A test key and what is stored of live keys, and a live key and what is stored of test keys."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.conftest import Api

CHECK = {"url": "https://allow.test/", "intended_action": "payment"}
CLAIM = {"entity": {"name": "Acme"}, "domain": "acme.example.com", "relationship_type": "official_site"}
NEWS = {"@type": "NewsArticle", "name": "Harbour opens", "url": "https://acme.example.com/harbour"}


@pytest.fixture
def both(api: Api) -> dict[str, str]:
    """A live and a test key of the operator, with every scope."""
    return {name: api.key(environment=name)[1] for name in ("live", "test")}


def decide(api: Api, key: str) -> str:
    return str(api.call("POST", "/v1/agent-safety", key=key, json=CHECK).json()["decision_id"])


@pytest.mark.parametrize(("owner", "other"), [("live", "test"), ("test", "live")])
def test_a_decision_is_read_and_disputed_in_its_environment(
    api: Api, both: dict[str, str], owner: str, other: str
) -> None:
    path = f"/v1/decisions/{decide(api, both[owner])}"
    wording = {"claim": "wrong_risk", "statement": "It is ours."}

    assert api.call("GET", path, key=both[other]).status_code == 404
    assert api.call("POST", f"{path}/disputes", key=both[other], json=wording).status_code == 404
    assert api.call("GET", path, key=both[owner]).status_code == 200
    opened = api.call("POST", f"{path}/disputes", key=both[owner], json=wording)
    assert opened.status_code == 202

    dispute = f"/v1/disputes/{opened.json()['dispute_id']}"
    assert api.call("GET", dispute, key=both[other]).status_code == 404
    assert api.call("POST", f"{dispute}/withdraw", key=both[other]).status_code == 404
    assert api.call("GET", dispute, key=both[owner]).json()["status"] == "open"
    assert api.call("POST", f"{dispute}/withdraw", key=both[owner]).status_code == 200


def test_unknown_decisions_and_those_of_live_keys_are_indistinguishable(api: Api, both: dict[str, str]) -> None:
    found = [
        api.call("GET", f"/v1/decisions/{name}", key=both["test"]).json()
        for name in (decide(api, both["live"]), "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10")
    ]
    for document in found:
        for member in ("request_id", "instance"):
            document.pop(member)

    assert found[0] == found[1]


def test_a_test_key_reads_nothing_that_live_keys_stored(api: Api, both: dict[str, str]) -> None:
    claimed = api.call("POST", "/v1/relationships", key=both["live"], json=CLAIM).headers["location"]
    item = claimed.replace("relationships", "review-queue")
    stored = api.call("POST", "/v1/snippets/news", key=both["live"], json={"document": NEWS, "store": True})
    document = stored.headers["location"]
    decision = decide(api, both["live"])
    api.call("POST", f"/v1/decisions/{decision}/disputes", key=both["live"], json={"claim": "other", "statement": "x"})

    for path in ("/v1/review-queue", "/v1/audit-events", "/v1/snippets/news"):
        assert api.call("GET", path, key=both["live"]).json()["items"]
        assert api.call("GET", path, key=both["test"]).json() == {"items": []}
    for path in (claimed, item, document):
        assert api.call("GET", path, key=both["live"]).status_code == 200
        assert api.call("GET", path, key=both["test"]).status_code == 404
    for query in ("acme", "harbour"):
        assert api.call("GET", f"/v1/search?q={query}", key=both["live"]).json()["results"]
        found = api.call("GET", f"/v1/search?q={query}", key=both["test"]).json()["results"]
        assert not [each for each in found if each.get("domain") == "acme.example.com"]


def test_an_official_site_of_the_own_organization_is_live(api: Api, both: dict[str, str]) -> None:
    claimed = api.call("POST", "/v1/relationships", key=both["live"], json=CLAIM).headers["location"]
    path = claimed.replace("relationships", "review-queue") + "/approve"
    reviewer = api.key(organization=api.acme)[1]
    assert api.call("POST", path, key=reviewer, json={"reason": "linked from the imprint"}).status_code in {200, 409}

    assert api.call("GET", "/v1/official?q=acme.example.com", key=both["test"]).json()["results"] == []


WILDCARD = "*.example.com"


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", "/v1/check-url", {"url": f"https://{WILDCARD}/"}, "invalid-url"),
        ("POST", "/v1/agent-safety", {"url": f"https://{WILDCARD}/", "intended_action": "payment"}, "invalid-url"),
        (
            "POST",
            "/v1/agent-safety",
            {"url": "https://pay$pal.example.com/", "intended_action": "login"},
            "invalid-url",
        ),
        ("GET", f"/v1/domain?domain={WILDCARD}", None, "invalid-request"),
        ("GET", f"/v1/official?q={WILDCARD}", None, "invalid-request"),
        ("POST", "/v1/relationships", CLAIM | {"domain": WILDCARD}, "invalid-request"),
        ("POST", "/v1/relationships", CLAIM | {"url": f"https://{WILDCARD}/"}, "invalid-request"),
        ("GET", f"/v1/snippets/news?domain={WILDCARD}", None, "invalid-request"),
    ],
)
def test_a_wildcard_is_not_a_host(api: Api, both: dict[str, str], method: str, path: str, body: Any, code: str) -> None:
    answer = api.call(method, path, key=both["live"], json=body)

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert WILDCARD not in answer.text


def test_a_batch_and_an_evaluation_deny_a_wildcard(api: Api, both: dict[str, str]) -> None:
    items = [{"url": f"https://{WILDCARD}/", "intended_action": "payment"}, CHECK]
    batch = api.call("POST", "/v1/agent-safety/batch", key=both["test"], json={"items": items}).json()["results"]
    evaluation = {
        "subject": {"type": "agent", "id": "a"}, "action": {"name": "payment"},
        "resource": {"type": "host", "id": WILDCARD},
    }  # fmt: skip
    decided = api.call("POST", "/access/v1/evaluation", key=both["test"], json=evaluation).json()

    assert [each.get("error", {}).get("code") for each in batch] == ["invalid-url", None]
    assert decided["decision"] is False


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/agent-safety", CHECK),
        ("POST", "/v1/check-url", CHECK),
        ("POST", "/v1/search", {"query": "acme"}),
        ("POST", "/v1/validate", {"data": {"@type": "Event"}}),
        ("POST", "/v1/snippets/news", {"document": NEWS}),
        ("POST", "/v1/receipts/verify", {"receipt": "a.b.c"}),
        ("POST", "/access/v1/evaluation", {}),
        ("DELETE", "/v1/keys/any", None),
    ],
)
def test_an_idempotency_key_without_an_effect_is_rejected(
    api: Api, both: dict[str, str], method: str, path: str, body: Any
) -> None:
    answer = api.call(method, path, key=both["live"], json=body, headers={"Idempotency-Key": "order-7"})

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency-unsupported")
    assert answer.json()["type"].endswith("/problems/idempotency-unsupported/")


def test_an_idempotency_key_is_accepted_where_nothing_changes_too(api: Api, both: dict[str, str]) -> None:
    sent = {"Idempotency-Key": "order-7"}
    batch = {"items": [CHECK]}

    first = api.call("POST", "/v1/agent-safety/batch", key=both["live"], json=batch, headers=sent)
    second = api.call("POST", "/v1/agent-safety/batch", key=both["live"], json=batch, headers=sent)
    assert second.json() == first.json()
    assert second.headers["idempotency-replayed"] == "true"
    assert api.call("GET", "/v1/keys", key=both["live"], headers=sent).status_code == 200
    assert api.call("QUERY", "/v1/search", key=both["live"], json={"query": "a"}, headers=sent).status_code == 200


def test_the_form_of_a_dispute_takes_no_idempotency_key(api: Api, both: dict[str, str]) -> None:
    path = f"/v1/decisions/{decide(api, both['live'])}/disputes"
    form = {"Idempotency-Key": "order-7", "content-type": "application/x-www-form-urlencoded", "accept": "text/html"}

    answer = api.call("POST", path, content=b"claim=other&statement=ours", headers=form)

    assert answer.status_code == 400
