"""First visits: somebody comes with a question and has the answer in at most two steps, on a desk and on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until

WIDTHS = {"desk": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport=WIDTHS[request.param])
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    yield page
    assert messages == []
    context.close()


def search(page: Any, site: Path, question: str, answer: str) -> None:
    """Type a question and open the answer, which is one of the first three."""
    page.goto(f"{site.as_uri()}/index.html")
    page.fill("input[role=combobox]", question)
    page.wait_for_selector("#hit-0")
    page.locator("#hits [role=option]", has=page.locator("b", has_text=answer)).first.click()
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("question", "answer", "report"),
    [
        ("false positive", "false", "case"),
        ("why are there no stars", "stars", "shows no stars"),
        ("price is not a number", "Price is not a number", "price-invalid"),
        ("rate limit", "Limits", "Retry-After"),
        ("recipe rich result", "Recipe rich result", "google/recipe"),
        ("401 unauthorized", "unauthenticated", "key"),
    ],
)
def test_a_question_typed_as_people_do_opens_its_answer(
    page: Any, site: Path, question: str, answer: str, report: str
) -> None:
    search(page, site, question, answer)

    until(page, f"document.querySelector('main').innerText.toLowerCase().includes({report.lower()!r})")


def test_stop_test_is_checked_in_two_steps(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/safety/check/index.html")
    page.get_by_role("button", name="stop.test").click()
    page.wait_for_selector(".decision h2")

    assert re.fullmatch(r"RECORDED: On \d+ \w+ 20\d\d: stop, do not pay here", page.text_content(".decision h2"))
    assert "threat_list_match" in page.inner_text(".decision")
    assert "not met" in page.inner_text(".decision")
    assert '"https://stop.test/"' in page.inner_text("[data-samples] figure:not([hidden]) code")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_typed_destination_names_what_it_needs_without_service(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/safety/check/index.html")
    page.fill("#check-host", "shop.example.com/cart")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("#checked")

    assert page.inner_text("#checked") == "Stop: no decision could be made"
    assert "opened from a folder" in page.inner_text("[data-shown]")
    assert "waypost check 'https://shop.example.com/cart' --action payment" in page.inner_text("[data-shown]")
    assert "cart" not in page.url


def test_the_same_check_is_offered_as_a_tool_call(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/safety/check/index.html#host=stop.test&action=payment")
    page.wait_for_selector(".decision h2")
    page.check("input[value=MCP]", force=True)

    call = json.loads(page.inner_text("[data-samples] figure:not([hidden]) code"))
    assert call["params"] == {
        "name": "check_destination",
        "arguments": {"url": "https://stop.test/", "intended_action": "payment"},
    }


def test_a_test_host_is_answered_from_its_record_openly(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/safety/check/index.html#host=allow.test&action=upload")
    page.wait_for_selector(".decision h2")

    heading = page.text_content(".decision h2")
    assert re.match(r"RECORDED: On \d+ \w+ 20\d\d: uploading was allowed until \d\d:\d\d", heading)
    assert page.get_attribute(".decision .verdict", "data-v") == "recorded"
    assert page.locator(".decision .verdict > svg use").get_attribute("href") == "#v-over"
    assert "not a live answer" in page.inner_text(".decision .until")
    assert "it allows nothing now" in page.inner_text(".decision .next")
    assert page.locator(".decision [data-left]").count() == 0, "a record counts nothing down"


@pytest.mark.parametrize("clock", ["2020-01-01T00:00:00Z", "2040-01-01T00:00:00Z"], ids=["before", "after"])
def test_a_record_is_displayed_alike_before_and_after_expiry(page: Any, site: Path, clock: str) -> None:
    page.clock.install(time=clock)
    page.goto(f"{site.as_uri()}/safety/check/index.html#host=allow.test&action=payment")
    page.wait_for_selector(".decision h2")

    assert page.text_content(".decision h2").startswith("RECORDED: On ")
    assert page.get_attribute(".decision .verdict", "data-v") == "recorded"


def test_a_language_chosen_before_the_script_loads_stays(page: Any, site: Path) -> None:
    held: list[Any] = []
    page.route("**/assets/ui.*.js", lambda route: held.append(route))
    page.goto(f"{site.as_uri()}/api/check-url/index.html", wait_until="commit")
    page.locator("[data-langs=''] label", has_text="Python").click()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    until(page, "document.querySelector(\"[data-langs=''] figure[hidden]\")")

    assert page.locator("[data-langs=''] figure:visible").count() == 1
    assert "import" in page.inner_text("[data-langs=''] figure:not([hidden]) code")
    assert page.evaluate("localStorage.getItem('waypost-language')") == "Python"


def test_the_language_of_samples_stays_from_page_to_page(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/api/check-url/index.html")
    page.check("input[value=Python]", force=True)
    page.goto(f"{site.as_uri()}/api/look-up-domain/index.html")

    assert page.locator("[data-langs] figure:visible").count() == 1
    assert "import" in page.inner_text("[data-langs] figure:not([hidden]) code")
