"""Policies of the operator over the wire and at the console, and the freeze at the console."""

from __future__ import annotations

import pytest
from tests.api.conftest import Api
from tests.api.test_console import Browser, hidden

FILE = """policy_id = "acme"
date = "2026-11-20"
extends = "baseline-2026-11-29"
about = "Acme's agents upload nothing at all."
never = ["upload"]
"""
VERSION = "acme-2026-11-29"
FILE = FILE.replace("2026-11-20", "2026-11-29")
WHY = {"reason": "the trial is over"}


@pytest.fixture
def browser(api: Api) -> Browser:
    return Browser(api)


@pytest.fixture
def later(api: Api) -> Api:
    """Service after the day of the policy."""
    api.clock.tick(20 * 86_400)
    return api


def test_a_policy_goes_from_a_file_to_use_and_back(later: Api) -> None:
    _, ann = later.key("review")
    _, bea = later.key("review")

    submitted = later.call("POST", "/v1/policies", key=ann, json={"file": FILE})
    assert submitted.json()["state"] == "submitted"
    assert later.call("POST", f"/v1/policies/{VERSION}/accept", key=ann).status_code == 409
    accepted = later.call("POST", f"/v1/policies/{VERSION}/accept", key=bea)
    assert accepted.json()["state"] == "accepted"
    entries = later.call("GET", "/v1/policies", key=ann).json()["policies"]
    assert [each["state"] for each in entries if each["policy_version"] == VERSION] == ["accepted"]
    assert [each["policy_version"] for each in entries if each.get("in_use")] == [later.state.service.policy]
    withdrawn = later.call("POST", f"/v1/policies/{VERSION}/withdraw", key=ann, json=WHY)
    assert withdrawn.json()["state"] == "withdrawn"
    assert later.call("POST", "/v1/policies/none-2026-11-29/accept", key=bea).status_code == 404


def test_an_error_in_a_policy_names_its_line(later: Api) -> None:
    _, ann = later.key("review")

    answer = later.call("POST", "/v1/policies", key=ann, json={"file": FILE.replace("upload", "fly")})
    future = later.call("POST", "/v1/policies", key=ann, json={"file": FILE.replace("2026-11-29", "2031-11-29", 1)})

    assert answer.status_code == future.status_code == 422
    assert answer.json()["errors"][0]["detail"].startswith("line 5: never[0]")
    assert "in the future" in future.json()["errors"][0]["detail"]


def test_another_organization_decides_about_no_policy(later: Api) -> None:
    _, other = later.key("review", organization=later.organization("Third"))

    answer = later.call("POST", "/v1/policies", key=other, json={"file": FILE})

    assert answer.status_code == 403
    assert later.call("GET", "/v1/policies", key=other).status_code == 200


def test_a_service_stops_deciding_by_a_withdrawn_policy(later: Api) -> None:
    _, ann = later.key("agent", "review")
    _, bea = later.key("review")
    later.call("POST", "/v1/policies", key=ann, json={"file": FILE})
    later.call("POST", f"/v1/policies/{VERSION}/accept", key=bea)
    later.state.service.policy = VERSION
    body = {"url": "https://shop.example.com/", "intended_action": "upload", "include": ["policy_version"]}

    stopped = later.call("POST", "/v1/agent-safety", key=ann, json=body)
    later.call("POST", f"/v1/policies/{VERSION}/withdraw", key=ann, json=WHY)
    without = later.call("POST", "/v1/agent-safety", key=ann, json=body)

    assert stopped.json()["policy_version"] == VERSION
    assert "action_not_permitted" in stopped.json()["reason_codes"]
    assert without.status_code == 503


def test_policies_at_the_console(later: Api, browser: Browser) -> None:
    csrf = browser.sign_in("ann")

    wrong = browser.send("/keys/policies/", {"csrf": csrf, "file": FILE.replace("upload", "fly")})
    assert wrong.status_code == 422
    assert "line 5: never[0]" in wrong.text
    assert browser.send("/keys/policies/", {"csrf": csrf, "file": FILE}).status_code == 303
    answer = browser.get("/keys/policies/")
    assert "another person has to accept it" in answer.text
    assert browser.send(f"/keys/policies/{VERSION}", {"csrf": csrf, "step": "accept"}).status_code == 409
    csrf = browser.sign_in("bea")
    assert browser.send(f"/keys/policies/{VERSION}", {"csrf": csrf, "step": "accept"}).status_code == 303
    assert "accepted by bea" in browser.get("/keys/policies/").text
    left = browser.send(f"/keys/policies/{VERSION}", {"csrf": csrf, "step": "withdraw", "reason": "over"})
    assert left.status_code == 303
    assert "withdrawn by bea" in browser.get("/keys/policies/").text


def test_another_organization_sees_policies_without_forms(later: Api, browser: Browser) -> None:
    csrf = browser.sign_in("eve", later.organization("Third"))

    answer = browser.get("/keys/policies/")
    assert answer.status_code == 200
    assert "Submit a policy" not in answer.text
    assert browser.send("/keys/policies/", {"csrf": csrf, "file": FILE}).status_code == 403


def test_two_people_end_a_freeze_at_the_console(api: Api, browser: Browser) -> None:
    csrf = browser.sign_in("ann")
    assert "Start a freeze" in browser.get("/keys/freeze/").text

    started = browser.send("/keys/freeze/", {"csrf": csrf, "step": "start", "reason": "a key was stolen"})
    assert (started.status_code, started.headers["location"]) == (303, "/keys/freeze/")
    assert "a key was stolen" in browser.get("/keys/freeze/").text
    assert "Show the freeze" in browser.get("/keys/").text
    browser.send("/keys/freeze/", {"csrf": csrf, "step": "end", "reason": "it is revoked"})
    assert "Withdraw your request" in browser.get("/keys/freeze/").text
    assert browser.send("/keys/freeze/", {"csrf": csrf, "step": "end", "reason": "again"}).status_code == 409
    csrf = browser.sign_in("bea")
    assert "Confirm the end" in browser.get("/keys/freeze/").text
    assert hidden(browser.get("/keys/freeze/"))["csrf"]
    browser.send("/keys/freeze/", {"csrf": csrf, "step": "end", "reason": "confirmed"})
    assert "Start a freeze" in browser.get("/keys/freeze/").text


def test_decisions_and_receipts_from_before_a_freeze_are_frozen(api: Api) -> None:
    _, ann = api.key("agent", "review")
    body = {"url": "https://shop.example.com/", "intended_action": "payment", "include": ["receipt"]}
    made = api.call("POST", "/v1/agent-safety", key=ann, json=body).json()
    receipt = {"receipt": made["receipt"]}
    path = f"/v1/decisions/{made['decision_id']}"

    before = api.call("POST", "/v1/receipts/verify", key=ann, json=receipt).json()
    api.call("POST", "/v1/freeze", key=ann, json={"reason": "a key was stolen"})
    after = api.call("POST", "/v1/receipts/verify", key=ann, json=receipt).json()
    stored = api.call("GET", path, key=ann).json()

    assert before["valid"] is True
    assert (after["valid"], after["reason"]) == (False, "frozen")
    assert after["decision_id"] == made["decision_id"]
    assert (stored["frozen"], stored["expired"]) == (True, True)
