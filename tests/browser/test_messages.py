"""A sentence of Search Console is a way in: pasted into the search, into the box of home and into Validate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A tab in which nothing may be written to the console."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    tab = context.new_page()
    messages: list[str] = []
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    yield tab
    assert messages == []
    context.close()


SENTENCE = 'Missing field "hasMerchantReturnPolicy" (in "offers")'
OPENED = "location.pathname.endsWith('/messages/missing-field/hasMerchantReturnPolicy/index.html')"


def test_a_sentence_in_the_search_opens_its_page(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/docs/index.html")
    tab.fill("input[role=combobox]", "項目「hasMerchantReturnPolicy」がありません")
    tab.wait_for_selector("#hit-0")

    tab.press("input[role=combobox]", "Enter")

    until(tab, OPENED)


def test_a_sentence_in_the_box_of_home_opens_its_page(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/index.html")
    tab.fill("#mini-text", SENTENCE)

    tab.click("[data-check]")

    until(tab, OPENED)


def test_a_sentence_in_validate_opens_its_page(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/validate/index.html")
    box = tab.locator("main input[type=text], main input:not([type])").first
    box.fill(SENTENCE)

    box.press("Enter")

    until(tab, OPENED)


@pytest.mark.parametrize("width", [320, 1366])
def test_a_message_fits_its_screen(tab: Any, site: Path, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 768})
    for page in ("messages/", "messages/missing-field/", "messages/object-type/location/", "rules/price-invalid/"):
        tab.goto(f"{site.as_uri()}/{page}index.html")
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), page


def test_a_missing_page_loads_one_part_of_the_index(tab: Any, served: str) -> None:
    loaded: list[str] = []
    tab.on("request", lambda request: loaded.append(request.url.rpartition("/")[2].partition(".")[0]))

    tab.goto(f"{served}404.html")
    until(tab, "[...document.scripts].some((each) => each.src.includes('search-'))")

    assert [name for name in loaded if name.startswith("search-")] == ["search-site"]
