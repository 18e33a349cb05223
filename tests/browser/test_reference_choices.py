"""Choices of the API reference: an answer of its own, the language of all samples, and the base address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.conftest import until


@pytest.fixture
def page(browser: Any, served: str) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    made = context.new_page()
    messages: list[str] = []
    made.on("console", lambda message: messages.append(message.text))
    made.goto(f"{served}api/check-agent-safety/")
    yield made
    assert messages == []
    context.close()


def test_the_answer_is_switched_apart_from_the_language(page: Any, served: str) -> None:
    page.check("input[value=Python]", force=True)
    page.check("input[value=Stop]", force=True)

    assert page.locator("figure[data-lang=Python]").is_visible()
    assert "threat_list_match" in page.inner_text("figure[data-lang=Stop]")
    assert not page.locator("figure[data-lang=Allow]").is_visible()
    page.goto(f"{served}api/check-url/")
    until(page, "!document.querySelector('figure[data-lang=Python]').hidden")
    assert page.locator("figure[data-lang=Allow]").is_visible()


def test_the_base_address_holds_on_every_page(page: Any, served: str) -> None:
    page.locator(".base-of summary").click()
    page.fill("#base-url", "https://checks.example.com/")
    with page.expect_navigation():
        page.get_by_role("button", name="Use it").click()

    page.goto(f"{served}api/check-url/")
    until(page, "document.querySelector('figure[data-lang]').textContent.includes('https://checks.example.com/v1')")
    assert "127.0.0.1:8000" not in page.inner_text("main")
