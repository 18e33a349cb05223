"""Objections: with a key, and in a browser by the address that the decision names."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.conftest import Api, codes

ASKED = {"url": "https://shop.example.com/pay?token=secret", "intended_action": "payment"}
WORDS = {"claim": "wrong_risk", "statement": "The redirect leads to our own checkout."}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
NOBODYS = "/v1/decisions/00000000-0000-4000-8000-000000000000/disputes"


@pytest.fixture
def path(api: Api) -> str:
    """Where a decision of Other's can be disputed."""
    _, agent = api.key("agent", organization=api.other)
    told: str = api.call("POST", "/v1/agent-safety", key=agent, json=ASKED).json()["dispute_path"]
    return told


def test_an_objection_with_a_key_is_filed_and_can_be_followed(api: Api, path: str) -> None:
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


def test_json_without_a_key_is_refused_before_anything_is_read(api: Api, path: str) -> None:
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
def test_what_an_objection_cannot_say_is_named(api: Api, path: str, changed: dict[str, Any], expected: str) -> None:
    _, key = api.key("dispute", organization=api.other)

    assert expected in codes(api.call("POST", path, key=key, json=WORDS | changed))


def test_the_page_shows_what_the_decision_said_to_whoever_knows_its_address(api: Api, path: str) -> None:
    answer = api.call("GET", path)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "form-action 'self'" in answer.headers["content-security-policy"]
    assert "shop.example.com" in answer.text
    assert "no_decisive_signal" in answer.text
    assert "token=secret" not in answer.text
    assert api.other.id not in answer.text


def test_the_page_takes_an_objection_without_a_key(api: Api, path: str) -> None:
    _, key = api.key("dispute", organization=api.other)
    sent = "claim=outdated&statement=Two%0D%0Alines&contact=&evidence="

    answer = api.call("POST", path, content=sent, headers=FORM)

    assert answer.status_code == 202
    name = answer.text.partition("<code>")[2].partition("</code>")[0]
    told = api.call("GET", f"/v1/disputes/{name}", key=key).json()
    assert (told["claim"], told["statement"]) == ("outdated", "Two\nlines")
    assert "contact" not in told


def test_to_a_stranger_every_address_that_leads_nowhere_looks_the_same(api: Api, path: str) -> None:
    api.clock.tick(31 * 86_400)
    gone, never = api.call("GET", path), api.call("GET", NOBODYS)

    assert (gone.status_code, never.status_code) == (404, 404)
    same = [each.text.replace(each.headers["x-request-id"], "") for each in (gone, never)]
    assert same[0] == same[1]


def test_a_form_that_cannot_be_taken_is_answered_with_a_page_that_repeats_nothing_of_it(api: Api, path: str) -> None:
    answer = api.call("POST", path, content="claim=canary-1&statement=canary-2", headers=FORM)

    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert "claim" in answer.text
    assert "canary" not in answer.text


def test_what_a_stranger_writes_is_text_and_never_markup(api: Api, path: str) -> None:
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


def test_a_receipt_is_verified_and_a_changed_one_is_not(api: Api) -> None:
    _, key = api.key("agent")
    told = api.call("POST", "/v1/agent-safety", key=key, json=ASKED | {"include": ["receipt"]}).json()

    def verdict(receipt: str) -> dict[str, Any]:
        answer = api.call("POST", "/v1/receipts/verify", key=key, json={"receipt": receipt})
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    held = verdict(told["receipt"])
    assert (held["valid"], held["decision_id"]) == (True, told["decision_id"])
    assert held["expires_at"] <= told["expires_at"]
    head, claims, signature = told["receipt"].split(".")
    swapped = "A" if signature[10] != "A" else "B"
    assert verdict(f"{head}.{claims}.{signature[:10]}{swapped}{signature[11:]}")["reason"] == "bad_signature"
    assert verdict("a.b.c") == {"valid": False, "reason": "malformed"}
    api.clock.tick(3600)
    assert verdict(told["receipt"]) == {"valid": False, "reason": "expired"}
