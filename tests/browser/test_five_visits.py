"""Five visitors who have never been here: each has the answer within the steps of `tests/cases/first-visits.json`.

A step is a page that is opened by its address, a click, a choice of files, or a text that is pasted or typed at once.
`pages` counts the documents on the way. `before` is the same on the site of that day, counted by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until

CASES = Path(__file__).parent.parent / "cases"
VISITS = json.loads((CASES / "first-visits.json").read_text("utf-8"))
SHOP = """<!doctype html><title>Lamp Linden | Hollow &amp; Reed</title><h1>Lamp Linden</h1>
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Lamp Linden",
"offers": {"@type": "Offer", "price": "64,90", "priceCurrency": "EUR"}}</script>"""
PASTE = """([selector, text]) => {
  const field = document.querySelector(selector), clipboardData = new DataTransfer();
  field.focus();
  clipboardData.setData("text/plain", text);
  if (!field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))) return;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
}"""


class Visitor:
    """Somebody at a browser whose console must stay empty, with steps and pages counted."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.steps: list[str] = []
        self.pages: list[str] = []
        page.on("domcontentloaded", lambda opened: self.pages.append(opened.url))

    def open(self, path: str) -> None:
        self.steps.append(f"open {path}")
        self.page.goto(self.address + path)

    def click(self, found: Any) -> None:
        self.steps.append("click")
        found.first.click()

    def paste(self, selector: str, text: str) -> None:
        self.steps.append("paste")
        self.page.evaluate(PASTE, [selector, text])

    def type(self, selector: str, text: str) -> None:
        self.steps.append("type")
        self.page.fill(selector, text)

    def choose(self, selector: str, files: list[Path]) -> None:
        self.steps.append("choose")
        self.page.set_input_files(selector, [str(file) for file in files])

    def needs_at_most(self, name: str) -> None:
        budget = VISITS[name]
        assert len(self.steps) <= budget["steps"], self.steps
        assert len(self.pages) <= budget["pages"], self.pages


@pytest.fixture
def visitor(browser: Any, served: str) -> Iterator[Visitor]:
    clipboard = ["clipboard-read", "clipboard-write"]
    context = browser.new_context(viewport={"width": 1366, "height": 768}, permissions=clipboard)
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    yield Visitor(page, served)
    assert messages == []
    context.close()


def copied(page: Any) -> str:
    until(page, "navigator.clipboard.readText().then(Boolean)")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_an_owner_repairs_a_price_where_the_page_was_pasted(visitor: Visitor) -> None:
    visitor.open("index.html")
    visitor.paste("#mini-text", SHOP)
    visitor.click(visitor.page.get_by_role("button", name=re.compile("^Fix")))

    until(visitor.page, "document.querySelector('#mini-text').value.includes('64.90')")
    until(visitor.page, "!document.querySelector('[data-said]').innerText.includes('is not a plain number')")
    visitor.needs_at_most("owner")


def test_a_consultant_has_a_table_of_fifty_pages(visitor: Visitor, tmp_path: Path) -> None:
    files = [tmp_path / f"page-{number}.html" for number in range(50)]
    for number, file in enumerate(files):
        file.write_text(SHOP.replace("Linden", f"Linden {number}"), "utf-8")
    visitor.open("index.html")
    visitor.click(visitor.page.get_by_role("link", name="Validate", exact=True))
    visitor.page.wait_for_selector("#workbench[data-ready]")
    visitor.choose("#file", files)
    until(visitor.page, "Boolean(document.querySelector('.folder-view table'))")

    table = visitor.page.inner_text(".folder-view")
    assert "50 pages" in table
    assert "is not a plain number" in table
    with visitor.page.expect_download() as report:
        visitor.click(visitor.page.get_by_role("button", name="HTML"))
    assert "Lamp Linden 49" in report.value.path().read_text("utf-8")
    visitor.needs_at_most("consultant")


def test_a_developer_copies_the_smallest_recipe(visitor: Visitor) -> None:
    visitor.open("index.html")
    visitor.type("input[role=combobox]", "recipe rich result")
    visitor.page.wait_for_selector("#hit-0")
    visitor.click(visitor.page.locator("#hit-0"))
    visitor.page.wait_for_url("**/profiles/google/recipe/**")
    visitor.click(visitor.page.get_by_role("button", name=re.compile("Smallest markup, JSON-LD")))

    assert '"@type": "Recipe"' in copied(visitor.page)
    visitor.needs_at_most("developer")


def test_an_agent_builder_sees_a_stop_and_the_request(visitor: Visitor) -> None:
    visitor.open("index.html")
    visitor.click(visitor.page.get_by_role("link", name=re.compile("^Try impersonation")))
    visitor.page.wait_for_selector(".decision h2")

    assert "do not pay here" in visitor.page.inner_text(".decision h2")
    assert '"intended_action":' in visitor.page.inner_text("[data-samples] figure:not([hidden]) code")
    visitor.click(visitor.page.locator("[data-samples] figure:not([hidden]) button"))
    assert "impersonation.test" in copied(visitor.page)
    visitor.needs_at_most("agent builder")


def test_an_operator_copies_the_command_of_the_service(visitor: Visitor) -> None:
    visitor.open("index.html")
    visitor.click(visitor.page.get_by_role("link", name="Get waypost", exact=True))
    visitor.page.wait_for_url("**/get/**")

    assert "waypost up" in visitor.page.inner_text("main")
    visitor.click(visitor.page.get_by_role("button", name=re.compile("Service and site")))
    assert "waypost up" in copied(visitor.page)
    visitor.needs_at_most("operator")
