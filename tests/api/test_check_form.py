"""The form that checks a destination for a person who is signed in: the session, the token, the same origin."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.conftest import Api
from tests.api.test_console import Browser

CHECK = {"url": "https://shop.example.com/cart?token=s3cret", "intended_action": "payment"}


@pytest.fixture
def browser(api: Api) -> Browser:
    return Browser(api)


def session(browser: Browser) -> Any:
    answer = browser.get("/keys/session", Accept="application/json")
    assert answer.status_code == 200
    return answer.json()


def test_a_browser_learns_its_session_and_its_token(browser: Browser) -> None:
    assert session(browser) == {"signed_in": False}

    browser.sign_in()

    found = session(browser)
    assert found["signed_in"] is True
    assert found["organization"] == "Acme"
    assert found["csrf"]


def test_signed_in_person_gets_a_decision_with_its_row(api: Api, browser: Browser) -> None:
    browser.sign_in()

    answer = browser.send("/keys/check", CHECK | {"csrf": session(browser)["csrf"]})

    found = answer.json()
    decision = found["decision"]
    assert answer.status_code == 200
    assert found["verdict"].startswith("Stop: ")
    assert found["row"]["holds"] is False
    assert found["row"]["line"] == "relationship"
    assert (decision["normalized_domain"], decision["action"]) == ("shop.example.com", "payment")
    assert "s3cret" not in answer.text
    assert api.call("GET", decision["dispute_path"], headers={"Accept": "text/html"}).status_code == 200


def test_a_decision_of_the_form_is_the_organizations_own(api: Api, browser: Browser) -> None:
    browser.sign_in()
    made = browser.send("/keys/check", CHECK | {"csrf": session(browser)["csrf"]}).json()["decision"]

    path = f"/v1/decisions/{made['decision_id']}"

    assert api.call("GET", path, key=api.key("agent")[1]).status_code == 200
    assert api.call("GET", path, key=api.key("agent", organization=api.other)[1]).status_code == 404


@pytest.mark.parametrize(
    ("headers", "token", "status", "code"),
    [
        ({}, "of another session", 403, "csrf"),
        ({"Sec_Fetch_Site": "cross-site"}, "", 403, "csrf"),
        ({"Sec_Fetch_Site": "same-site"}, "", 403, "csrf"),
        ({"Sec_Fetch_Site": "", "Origin": "https://elsewhere.test"}, "", 403, "csrf"),
        ({"Cookie": ""}, "", 401, "unauthenticated"),
        ({"Content-Type": "application/json"}, "", 415, "unsupported-media-type"),
    ],
    ids=["token", "cross-site", "same-site", "origin", "no session", "json"],
)
def test_no_other_page_or_person_can_send_the_form(
    browser: Browser, headers: dict[str, str], token: str, status: int, code: str
) -> None:
    browser.sign_in()
    fields = CHECK | {"csrf": token or session(browser)["csrf"]}

    answer = browser.send("/keys/check", fields, **headers)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "action_allowed" not in answer.text
