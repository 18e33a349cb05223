"""Objections: with a key, and in a browser by the address that the decision names."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.conftest import Api, codes

REQUEST = {"url": "https://shop.example.com/pay?token=secret", "intended_action": "payment"}
WORDS = {"claim": "wrong_risk", "statement": "The redirect leads to our own checkout."}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
NOBODYS = "/v1/decisions/00000000-0000-4000-8000-000000000000/disputes"


@pytest.fixture
def path(api: Api) -> str:
    """Where a decision of Other's can be disputed."""
    _, agent = api.key("agent", organization=api.other)
    document: str = api.call("POST", "/v1/agent-safety", key=agent, json=REQUEST).json()["dispute_path"]
    return document


def test_an_objection_with_a_key_is_filed_and_followed(api: Api, path: str) -> None:
    _, key = api.key("dispute", organization=api.other)
    words = WORDS | {"contact": "ann@example.com", "evidence": ["https://shop.example.com/imprint"]}

    opened = api.call("POST", path, key=key, json=words)

    assert opened.status_code == 202
    assert set(opened.json()) == {"dispute_id", "status", "created_at", "decision_id"}
    read = api.call("GET", opened.headers["location"], key=key).json()
    assert {name: read[name] for name in words} == words
    taken_back = api.call("POST", f"{opened.headers['location']}/withdraw", key=key)
    assert taken_back.json()["status"] == "withdrawn"
    assert api.call("POST", f"{opened.headers['location']}/withdraw", key=key).status_code == 409


def test_json_without_a_key_is_rejected_unread(api: Api, path: str) -> None:
    answer = api.call("POST", path, content=b"not json", headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


def test_a_key_disputes_decisions_of_its_own_organization_alone(api: Api, path: str) -> None:
    _, key = api.key("dispute")

    answers = [api.call("POST", each, key=key, json=WORDS) for each in (path, NOBODYS)]

    assert [each.status_code for each in answers] == [404, 404]
    assert answers[0].json()["detail"] == answers[1].json()["detail"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"claim": "boring"}, "#/claim: enum"),
        ({"statement": ""}, "#/statement: minLength"),
        ({"statement": "x" * 2001}, "#/statement: maxLength"),
        ({"evidence": ["file:///etc/passwd"]}, "#/evidence/0: pattern"),
        ({"status": "upheld"}, "#/status: unknown-member"),
    ],
)
def test_invalid_members_of_an_objection_are_named(api: Api, path: str, changed: dict[str, Any], expected: str) -> None:
    _, key = api.key("dispute", organization=api.other)

    assert expected in codes(api.call("POST", path, key=key, json=WORDS | changed))


def test_page_displays_the_decision_to_anyone_with_its_address(api: Api, path: str) -> None:
    answer = api.call("GET", path)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "form-action 'self'" in answer.headers["content-security-policy"]
    assert "shop.example.com" in answer.text
    assert "no_decisive_signal" in answer.text
    assert "token=secret" not in answer.text
    assert api.other.id not in answer.text


def test_the_page_shows_a_decision_without_an_action(api: Api) -> None:
    _, key = api.key("check", organization=api.other)
    checked = api.call("POST", "/v1/check-url", key=key, json={"url": "https://shop.example.com/"}).json()

    answer = api.call("GET", f"/v1/decisions/{checked['decision_id']}/disputes")

    assert checked["action"] == "unspecified"
    assert answer.status_code == 200
    assert "No action was named <code>unspecified</code>" in answer.text


def test_the_page_takes_an_objection_without_a_key(api: Api, path: str) -> None:
    _, key = api.key("dispute", organization=api.other)
    sent = "claim=outdated&statement=Two%0D%0Alines&contact=me%40example.com&evidence="

    answer = api.call("POST", path, content=sent, headers=FORM)

    assert answer.status_code == 202
    name = answer.text.partition("<code>")[2].partition("</code>")[0]
    document = api.call("GET", f"/v1/disputes/{name}", key=key).json()
    assert (document["claim"], document["statement"]) == ("outdated", "Two\nlines")
    assert "contact" not in document


def test_without_rights_every_unknown_address_gets_the_same_page(api: Api, path: str) -> None:
    api.clock.tick(31 * 86_400)
    gone, never = api.call("GET", path), api.call("GET", NOBODYS)

    assert (gone.status_code, never.status_code) == (404, 404)
    same = [each.text.replace(each.headers["x-request-id"], "") for each in (gone, never)]
    assert same[0] == same[1]


def test_a_rejected_form_gets_a_page_without_its_values(api: Api, path: str) -> None:
    answer = api.call("POST", path, content="claim=canary-1&statement=canary-2", headers=FORM)

    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert "claim" in answer.text
    assert "canary" not in answer.text


def test_text_of_a_third_party_is_never_markup(api: Api, path: str) -> None:
    _, reviewer = api.key("review")
    api.call("POST", path, content="claim=other&statement=%3Cscript%3Ealert(1)%3C/script%3E", headers=FORM)

    (item,) = api.call("GET", "/v1/review-queue", key=reviewer).json()["items"]

    assert item["dispute"]["statement"] == "<script>alert(1)</script>"
    assert item["dispute"]["opened_by"] == "public"


def test_the_page_is_limited_by_address(api: Api, path: str) -> None:
    answers = [api.call("GET", path).status_code for _ in range(31)]

    assert answers == [200] * 30 + [429]
    assert api.call("POST", path, content="claim=other&statement=x", headers=FORM).status_code == 429


def test_the_same_objection_sent_twice_is_filed_once(api: Api, path: str) -> None:
    _, key = api.key("dispute", organization=api.other)
    headers = {"Idempotency-Key": "objection-1"}

    first, again = (api.call("POST", path, key=key, json=WORDS, headers=headers) for _ in range(2))

    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]


def test_receipt_is_verified_and_a_changed_one_is_not(api: Api) -> None:
    _, key = api.key("agent")
    document = api.call("POST", "/v1/agent-safety", key=key, json=REQUEST | {"include": ["receipt"]}).json()

    def verdict(receipt: str) -> dict[str, Any]:
        answer = api.call("POST", "/v1/receipts/verify", key=key, json={"receipt": receipt})
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    held = verdict(document["receipt"])
    assert (held["valid"], held["decision_id"]) == (True, document["decision_id"])
    assert held["expires_at"] <= document["expires_at"]
    head, claims, signature = document["receipt"].split(".")
    swapped = "A" if signature[10] != "A" else "B"
    assert verdict(f"{head}.{claims}.{signature[:10]}{swapped}{signature[11:]}")["reason"] == "bad_signature"
    assert verdict("a.b.c") == {"valid": False, "reason": "malformed"}
    api.clock.tick(3600)
    assert verdict(document["receipt"]) == {"valid": False, "reason": "expired"}


def test_only_the_key_that_objected_takes_the_objection_back(api: Api, path: str) -> None:
    _, admin = api.key("keys", "dispute", organization=api.other)
    made = [
        api.call("POST", "/v1/keys", key=admin, json={"name": each, "scopes": ["dispute"]}).json()
        for each in ("one", "two")
    ]
    opened = api.call("POST", path, key=made[0]["key"], json=WORDS).json()["dispute_id"]
    public = api.call("POST", path, content="claim=other&statement=x", headers=FORM)
    publics = public.text.partition("<code>")[2].partition("</code>")[0]

    for name, key in ((opened, made[1]["key"]), (opened, admin), (publics, made[0]["key"]), (publics, admin)):
        answer = api.call("POST", f"/v1/disputes/{name}/withdraw", key=key)
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")
        assert api.call("GET", f"/v1/disputes/{name}", key=key).json()["status"] == "open"
    heir = api.call("POST", f"/v1/keys/{made[0]['id']}/rotate", key=admin).json()["key"]
    assert api.call("POST", f"/v1/disputes/{opened}/withdraw", key=heir).json()["status"] == "withdrawn"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/v1/relationships",
            {"entity": {"name": "Acme"}, "domain": "acme.test", "relationship_type": "official_site"},
        ),
        ("/v1/review-queue/x/approve", {"reason": "fine"}),
        ("/v1/review-queue/x/reject", {"reason": "fine"}),
        ("/v1/review-queue/x/request-changes", {"reason": "fine"}),
        ("/v1/review-queue/x/uphold", {"reason": "fine"}),
    ],
)
def test_a_test_key_changes_nothing_live(shared: Api, path: str, body: dict[str, Any]) -> None:
    _, trial = shared.key(environment="test")

    answer = shared.call("POST", path, key=trial, json=body)

    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")
    assert "live key" in answer.json()["detail"]


def test_a_test_keys_dispute_has_no_effect(api: Api, path: str) -> None:
    _, reviewer = api.key("review")
    _, live = api.key("dispute", organization=api.other)
    _, trial = api.key("dispute", "agent", environment="test", organization=api.other)
    document = api.call("POST", "/v1/agent-safety", key=trial, json=REQUEST).json()

    rejected = api.call("POST", path, key=trial, json=WORDS)
    own = api.call("POST", document["dispute_path"], key=trial, json=WORDS)

    assert (rejected.status_code, rejected.json()["code"]) == (404, "not-found")
    assert own.status_code == 202
    assert api.call("GET", own.headers["location"], key=live).status_code == 404
    displayed = api.call("GET", own.headers["location"], key=trial).json()
    assert (displayed["environment"], displayed["effect"]) == ("Test", "none")
    assert "changes nothing" in displayed["effect_detail"]
    assert api.call("GET", "/v1/review-queue", key=reviewer).json()["items"] == []
    upheld = api.call("POST", f"/v1/review-queue/{displayed['dispute_id']}/uphold", key=reviewer, json={"reason": "so"})
    assert upheld.status_code == 404


@pytest.mark.parametrize("claim", ["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"])
def test_an_upheld_objection_of_any_kind_stops_the_host(api: Api, path: str, claim: str) -> None:
    _, key = api.key("dispute", "agent", organization=api.other)
    _, reviewer = api.key("review")
    visit = REQUEST | {"intended_action": "visit"}

    def allowed() -> Any:
        document = api.call("POST", "/v1/agent-safety", key=key, json=visit).json()
        return document["action_allowed"], document["relationship_status"], document["reason_codes"]

    name = api.call("POST", path, key=key, json=WORDS | {"claim": claim}).json()["dispute_id"]
    assert allowed()[0] is True
    upheld = api.call("POST", f"/v1/review-queue/{name}/uphold", key=reviewer, json={"reason": "so it is"}).json()

    assert upheld["dispute"]["effect"] == "destination_disputed"
    assert allowed() == (False, "disputed", ["relationship_disputed"])
    ended = api.call("POST", f"/v1/review-queue/{name}/approve", key=reviewer, json={"reason": "settled"}).json()
    assert ended["dispute"]["effect"] == "ended"
    assert allowed()[0] is True


def test_public_objects_to_a_decision_once_from_each_address(api: Api, path: str) -> None:
    sent = "claim=other&statement=x"

    assert api.call("POST", path, content=sent, headers=FORM).status_code == 202
    again = api.call("POST", path, content=sent, headers=FORM)

    assert again.status_code == 409
    assert again.headers["content-type"].startswith("text/html")
    assert "already waits" in again.text
