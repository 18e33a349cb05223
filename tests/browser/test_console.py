"""The console and the dispute form, from a sign-in link to a revoked key, as a person would go through them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ASKED = {"url": "https://shop.example.com/cart", "intended_action": "payment"}


@pytest.fixture
def up(site: Path, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What `waypost up` printed of a running service."""
    pytest.importorskip("uvicorn")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", "up", "--json", "--port", "0", "--offline", "--no-build", "--data",
         str(tmp_path / "data")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**kept, "WAYPOST_SITE": str(site)},
    )  # fmt: skip
    try:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        for _ in range(100):
            try:
                urllib.request.urlopen(f"{told['site_url']}/healthz", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield told
    finally:
        process.terminate()
        process.communicate()


def ask(site: str, key: str) -> tuple[int, dict[str, Any]]:
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{site}/v1/agent-safety", json.dumps(_ASKED).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read())


def test_a_key_is_created_used_rotated_and_revoked(browser: Any, up: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Create API key").click()
    page.get_by_label("Name", exact=True).fill("checkout agent")
    page.get_by_label("Write").check()
    page.get_by_role("button", name="Review").click()
    assert "It can" in page.inner_text("main")
    assert "It cannot" in page.inner_text("main")
    page.get_by_role("button", name="Create it and show it once").click()
    key = page.input_value("#key")
    assert re.fullmatch(r"wp_live_[0-9A-Za-z]{38}", key)
    page.get_by_role("link", name="I have stored it").click()
    assert key not in page.content()
    assert f"wp_live_...{key[-4:]}" in page.inner_text("main")
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])").find(key) == -1

    status, decision = ask(up["site_url"], key)
    assert (status, decision["action_allowed"]) == (200, False)

    row = page.get_by_role("row").filter(has_text="checkout agent")
    row.get_by_role("link", name="Rotate").click()
    page.get_by_role("button", name="Rotate and show the new key once").click()
    fresh = page.input_value("#key")
    assert fresh != key
    page.get_by_role("link", name="I have stored it").click()
    assert ask(up["site_url"], fresh)[0] == 200

    page.get_by_role("row").filter(has_text=fresh[-4:]).get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke").click()
    time.sleep(1.0)
    status, problem = ask(up["site_url"], fresh)
    assert (status, problem["code"]) == (401, "key-revoked")

    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{up['site_url']}/keys/")
    assert fresh[-4:] not in page.inner_text("main")
    assert said == []
    context.close()


def test_a_sign_in_link_works_once_and_looking_at_it_burns_nothing(browser: Any, up: dict[str, Any]) -> None:
    for _ in range(2):  # a prefetch, then the person
        with urllib.request.urlopen(up["sign_in_url"], timeout=10) as looked:
            assert looked.status == 200
    first, second = browser.new_context(), browser.new_context()
    page = first.new_page()
    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    assert page.url == f"{up['site_url']}/keys/"
    other = second.new_page()
    other.goto(up["sign_in_url"])
    assert other.get_by_role("button", name="Sign in").count() == 0
    first.close()
    second.close()


def test_a_decision_is_disputed_without_a_key(browser: Any, up: dict[str, Any]) -> None:
    _, decision = ask(up["site_url"], up["key"])
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{up['site_url']}{decision['dispute_path']}")
    shown = page.inner_text("main")
    assert "shop.example.com" in shown
    assert "/cart" not in shown
    page.get_by_label("Why").fill("This shop is ours.")
    page.get_by_role("button", name="Send the objection").click()
    assert "waits for a review" in page.inner_text("main")
    page.goto(f"{up['site_url']}/v1/decisions/{'0' * 8}-0000-4000-8000-{'0' * 12}/disputes")
    assert "There is nothing here" in page.inner_text("main")
    context.close()


def test_a_signed_in_person_checks_any_destination_and_disputes_the_decision(browser: Any, up: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{up['site_url']}/safety/check/")
    page.fill("#check-host", "https://shop.example.com/cart?token=s3cret")
    page.select_option("#check-action", "payment")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("#checked")
    assert "Nobody is signed in here" in page.inner_text("[data-shown]")

    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{up['site_url']}/safety/check/")
    page.fill("#check-host", "https://shop.example.com/cart?token=s3cret")
    page.select_option("#check-action", "payment")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".decision")
    shown = page.inner_text(".decision")
    assert page.inner_text(".decision h2") == "Stop: not enough is known to pay here"
    assert "shop.example.com" in shown
    assert "relationship: not met" in shown
    assert "s3cret" not in shown + page.url
    path = page.get_attribute(".next a", "href")

    page.get_by_role("link", name="Dispute this decision").click()
    assert "shop.example.com" in page.inner_text("main")

    page.goto(f"{up['site_url']}/safety/check/")
    page.get_by_label("Decision id", exact=True).fill(re.findall(r"decisions/([0-9a-f-]{36})/", str(path))[0])
    page.get_by_role("button", name="Dispute this decision").click()
    page.wait_for_url("**/disputes")
    assert "shop.example.com" in page.inner_text("main")
    assert said == []
    context.close()


def test_samples_name_the_service_that_gave_the_page_and_no_host_of_files(
    browser: Any, up: dict[str, Any], served: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{up['site_url']}/api/check-agent-safety/")
    assert f"curl -X POST '{up['site_url']}/v1/agent-safety'" in page.inner_text(".samples pre >> nth=0")

    page.goto(f"{served}api/check-agent-safety/index.html")

    assert served.rstrip("/") not in page.inner_text(".samples")
    context.close()


def test_the_search_finds_and_an_operation_is_read(browser: Any, up: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(up["site_url"])
    page.keyboard.press("/")
    page.keyboard.type("/v1/agent-safety")
    page.locator("#hits [role=option]").filter(has_text="/v1/agent-safety").first.click()
    page.wait_for_url("**/api/**")
    assert "/v1/agent-safety" in page.inner_text("main")
    assert "curl" in page.inner_text("main")
    context.close()
