"""Operations with a key, tried from their pages: the key is in memory alone, and goes to the reader's base address."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    yield context.new_page()
    context.close()


def opened(page: Any, site: str, name: str = "check-agent-safety") -> None:
    page.goto(f"{site.rstrip('/')}/api/{name}/index.html")
    page.focus("#try-key")
    until(page, "document.querySelector('.try').hasAttribute('data-ready')")


def sent(page: Any, key: str) -> str:
    """What the page shows after a request."""
    page.evaluate("document.querySelector('[data-shown]').replaceChildren()")
    page.fill("#try-key", key)
    page.click(".try button[type=submit]")
    until(page, "Boolean(document.querySelector('[data-shown] figure'))")
    return str(page.inner_text(".try"))


def test_a_key_is_sent_and_stored_nowhere(page: Any, up: dict[str, Any], tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "waypost", "keys", "create", "--data", str(tmp_path / "data"), "--name", "trying",
         "--environment", "test", "--scopes", "agent", "--json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    key = json.loads(made.stdout)["key"]
    requests: list[Any] = []
    page.on("request", lambda request: requests.append(request))
    opened(page, up["site_url"])

    allowed = sent(page, key)
    page.fill("#try-url", "https://stop.test/")
    stopped = sent(page, key)
    page.click(".try summary")
    page.fill("#try-include", '["nothing"]')
    rejected = sent(page, key)

    assert "Answered with 200" in allowed
    assert '"action_allowed": true' in allowed
    assert '"action_allowed": false' in stopped
    assert "#/include" in page.inner_text("[data-problem]")
    assert "Answered with 4" in rejected
    assert "$WAYPOST_API_KEY" in allowed
    assert key not in allowed + stopped + rejected
    of_key = [each for each in requests if each.headers.get("authorization") == f"Bearer {key}"]
    assert [each.url for each in of_key] == [f"{up['site_url']}/v1/agent-safety"] * 3
    assert all(key not in each.url for each in requests)
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state, location.href])"
    assert key not in page.evaluate(stored)
    page.goto(f"{up['site_url']}/api/")
    page.go_back()
    assert page.input_value("#try-key") == ""


def test_nothing_is_sent_to_an_address_out_of_reach(page: Any, served: str) -> None:
    page.goto(f"{served}api/check-url/")
    page.evaluate("localStorage.setItem('waypost-base', 'https://checks.example.com')")
    requests: list[str] = []
    messages: list[str] = []
    opened(page, served)
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))

    displayed = sent(page, "wp_test_" + "a" * 38)

    assert "The base address https://checks.example.com cannot be reached from this page" in displayed
    assert "curl -X POST 'https://checks.example.com/v1/agent-safety'" in displayed
    assert requests == []
    assert messages == []


def test_an_empty_field_of_the_key_sends_nothing(page: Any, served: str) -> None:
    requests: list[str] = []
    opened(page, served, "read-decision")
    page.fill("#try-decision_id", "00000000-0000-4000-8000-000000000000")
    page.on("request", lambda request: requests.append(request.url))

    assert "Nothing was sent: this operation needs a key" in sent(page, "")
    assert "Nothing was sent: the key has a character that keys do not have" in sent(page, "two words")
    assert requests == []
