"""Each journey of the site from each place it is opened from; what needs a service says so where there is none.

| journey | folder | static server | service |
|---|---|---|---|
| preview all seventeen kinds | test_workbench | test_workbench | test_workbench |
| live send and comparison | here: it is not offered | test_workbench: it says so | test_workbench |
| validate a broken page, apply a fix | test_workbench | test_workbench | test_workbench |
| open a permalink in a new context | here and test_workbench | the same | the same |
| create, use, rotate, revoke a key | here: the commands | here: the commands | test_console, and here by `serve` |
| dispute a decision without a key | here: what to do | here: what to do | test_console |
| search | here | here | here |
| read an operation | here | here | here |
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until
from tests.browser.test_workbench import preview

from waypost.registry import load

KINDS = {mapping["x-kind"]: mapping["x-standard-type"] for mapping in load().mappings.values()}


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page whose console must stay empty."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    made = context.new_page()
    messages: list[str] = []
    made.on("console", lambda message: messages.append(message.text))
    made.on("pageerror", lambda error: messages.append(str(error)))
    yield made
    assert messages == []
    context.close()


def test_without_a_service_no_live_send_is_offered(browser: Any, site: Path) -> None:
    bench = preview(browser, f"{site.as_uri()}/")

    assert bench.page.get_by_role("button", name="Send to the service").count() == 0
    facts = bench.page.locator(".facts").inner_text()
    assert "Not sent" in facts
    assert "nothing was sent" in facts
    bench.close()


@pytest.mark.parametrize("kind", ["schema", "news", "recipe"])
def test_a_previews_link_opens_the_same_card_elsewhere(browser: Any, place: str, kind: str) -> None:
    bench = preview(browser, place)
    bench.page.select_option("#kind", kind)
    bench.page.fill("#f-name", "Harbour Courier & Söhne")
    # The example of the news has the first two words already: only the last says that all is drawn anew.
    until(bench.page, "document.querySelector('main').textContent.includes('Söhne')")
    bench.page.get_by_role("button", name="Copy link").click()
    # The kind stands in the address from the start; the whole card comes once it is packed.
    until(bench.page, "location.hash.length > 60")
    displayed, fragment = bench.page.locator(".serp-card").first.inner_text(), bench.page.evaluate("location.hash")
    bench.close()

    other = preview(browser, place, fragment)

    # What a link holds is unpacked, and the examples are loaded, while the page is there already.
    until(other.page, "document.querySelector('#f-name')?.value === 'Harbour Courier & Söhne'")
    until(other.page, f"document.querySelector('.serp-card')?.innerText === {json.dumps(displayed)}")
    assert other.page.input_value("#kind") == kind
    other.close()


def test_search_leads_to_an_operation_that_can_be_read(page: Any, place: str) -> None:
    page.goto(f"{place}index.html")
    page.keyboard.press("/")
    page.keyboard.type("agent-safety")
    page.locator("#hits [role=option]").filter(has_text=re.compile(r"POST /v1/agent-safety$")).first.click()
    page.wait_for_url("**/api/check-agent-safety/**")

    read = page.inner_text("main")
    assert "/v1/agent-safety" in read
    heads = {head.strip().split("\n")[0] for head in page.locator("h2").all_inner_texts()}
    assert {"Request body", "Response 200"} <= heads
    assert "intended_action" in read
    samples = page.locator("figure.codebox pre").all_inner_texts()
    assert any(text.startswith("curl -X POST") for text in samples)
    assert any("httpx.post(" in text for text in samples)
    assert any("await fetch(" in text for text in samples)


@pytest.mark.parametrize("place", ["folder", "static"], indirect=True)
def test_without_a_service_keys_and_disputes_name_their_commands(page: Any, place: str) -> None:
    page.goto(f"{place}keys/index.html")
    text = page.inner_text("main")
    for command in ("waypost org create", "waypost keys create", "waypost org login-link"):
        assert command in text
    assert page.locator("main form").count() == 0

    page.goto(f"{place}safety/dispute/index.html")
    text = page.inner_text("main")
    assert "dispute_path" in text
    assert "/disputes" in text
    assert page.locator("main form").count() == 0


@pytest.fixture
def serve(site: Path, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of `waypost serve`, and the path of a link that signs in there."""
    pytest.importorskip("uvicorn")
    stored = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    environment = {**stored, "WAYPOST_DATA": str(tmp_path / "data"), "WAYPOST_SITE": str(site)}
    made = json.loads(waypost(environment, "org", "create", "Fernhill Gazette", "--json"))
    link = waypost(environment, "org", "login-link", "--org", made["id"])
    path = re.search(r"/keys/\S+token=\S+", link)
    assert path is not None, link
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", "serve", "--port", str(port), "--offline"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=60).close()
                break
            except OSError:
                assert process.poll() is None, "waypost serve ended"
                time.sleep(0.1)
        yield address, path[0]
    finally:
        process.terminate()
        process.communicate()


def waypost(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "-m", "waypost", *words]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_a_served_site_leads_from_sign_in_to_revocation(browser: Any, serve: tuple[str, str]) -> None:
    context = browser.new_context()
    tab = context.new_page()
    tab.goto("".join(serve))
    tab.get_by_role("button", name="Sign in").click()
    tab.get_by_role("link", name="Create API key").click()
    tab.get_by_label("Name", exact=True).fill("checkout agent")
    tab.get_by_label("Write").check()
    tab.get_by_role("button", name="Review").click()
    tab.get_by_role("button", name="Create and show once").click()
    key = tab.input_value("#key")
    tab.get_by_role("link", name="I have stored it").click()
    row = tab.get_by_role("row").filter(has_text=key[-4:])
    assert "checkout agent" in row.inner_text()
    row.get_by_role("link", name="Revoke").click()
    tab.get_by_role("button", name="Revoke").click()

    assert "Revoked" in tab.get_by_role("row").filter(has_text=key[-4:]).inner_text()
    context.close()
