"""Ignore a finding where it stands, and add the properties that an item lacks, in the source on the validate page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import source_of, until, write

PAGE = """<!doctype html>
<title>Kettle</title>
  <script type="application/ld+json">
  {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Kettle",
    "offers": {"@type": "Offer", "price": "64,90", "priceCurrency": "EUR"}
  }
  </script>
"""


@pytest.fixture
def page(browser: Any, site: Path) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    made = context.new_page()
    messages: list[str] = []
    made.on("console", lambda message: messages.append(message.text))
    made.on("pageerror", lambda error: messages.append(str(error)))
    made.goto(f"{site.as_uri()}/validate/index.html")
    made.wait_for_selector("#source")
    yield made
    assert messages == []
    context.close()


def test_a_finding_is_ignored_where_it_stands(page: Any) -> None:
    write(page, PAGE)
    until(page, "document.querySelector('.outcome .lede').textContent.startsWith('1 thing keeps')")
    page.locator(".note-box.is-error").get_by_role("button", name="Ignore here").click()

    until(page, "!document.querySelector('.note-box.is-error')")
    assert "  <!-- waypost-ignore price-invalid: the reason -->\n  <script" in source_of(page)
    page.get_by_role("button", name="Undo").click()
    until(page, "Boolean(document.querySelector('.note-box.is-error'))")
    assert source_of(page) == PAGE


def test_missing_properties_are_added_without_values(page: Any) -> None:
    write(page, PAGE.replace('"64,90"', "64.90"))
    until(page, "Boolean(document.querySelector('.note-box.is-warning'))")
    page.get_by_role("button", name="Add the missing properties").first.click()

    page.get_by_text("The missing properties are added without values: fill them in.").wait_for()
    assert '{\n    "image": "",\n    "@context"' in source_of(page)


def test_json_has_no_place_for_a_comment(page: Any) -> None:
    write(page, '{"@context": "https://schema.org", "@type": "Product", "name": "Kettle"}')
    until(page, "Boolean(document.querySelector('.note-box'))")

    assert page.get_by_role("button", name="Ignore here").count() == 0
