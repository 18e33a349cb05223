"""What Preview copies works where it is pasted."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until, write

RDFA = (
    "<!doctype html><title>x</title><body vocab='https://schema.org/'><div typeof='Product'><b property='name'>Pot"
    "</b><div property='offers' typeof='Offer'><b property='price'>12.50</b><meta property='priceCurrency' "
    "content='EUR'></div></div>"
)
ARTICLE = {
    "@context": "https://schema.org", "@type": "Article", "headline": "It's \"$HOME\" `here` \\ é 漢",
    "url": "https://www.example.com/a",
}  # fmt: skip
BLOCK = f'<script type="application/ld+json">{json.dumps(ARTICLE)}</script>'
PAGES = {
    "JSON-LD": f"<!doctype html><title>It's</title>{BLOCK}",
    "long": f"<!doctype html><title>x</title>{BLOCK}<p>{'It is a long page. ' * 12_000}",
    "RDFa": RDFA,
    "a line that ends a here-document": f"<!doctype html>{BLOCK}\nWAYPOST\n<p>{'word ' * 8_000}",
}


@pytest.fixture
def tab(browser: Any, service: str) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.goto(f"{service}/explorer/preview/")
    page.wait_for_selector("[data-ready]")
    yield page
    context.close()


def given(page: Any, text: str) -> None:
    write(page, text)
    page.wait_for_selector(".sec figure code")
    until(page, "() => !/Checking|Being checked/.test(document.querySelector('#workbench').innerText)")


def copied(page: Any, language: str) -> str:
    """Text that the button puts into the clipboard."""
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    if language:
        page.locator("[aria-label='Language'] label", has_text=re.compile(f"^{language}$")).click()
    page.locator("[aria-label='Use it'] .codebox button", has_text="Copy").click()
    until(page, "() => window.copied")
    text: str = page.evaluate("window.copied")
    return text


def run(folder: Path, *command: str) -> str:
    made = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder, check=False)
    assert made.returncode == 0, made.stderr[-1000:]
    return made.stdout


@pytest.mark.parametrize("kind", PAGES)
def test_the_request_that_is_copied_works_in_a_shell(tab: Any, tmp_path: Path, kind: str) -> None:
    given(tab, PAGES[kind])
    (tmp_path / "request.sh").write_text(copied(tab, "curl"), "utf-8")

    answer = json.loads(run(tmp_path, "bash", "request.sh"))

    assert answer["snippet"]["title"] == ("Pot" if kind == "RDFa" else ARTICLE["headline"])


def test_request_that_is_copied_works_in_python_and_javascript(tab: Any, tmp_path: Path) -> None:
    given(tab, PAGES["JSON-LD"])
    (tmp_path / "request.py").write_text(copied(tab, "Python"), "utf-8")
    assert ast.literal_eval(run(tmp_path, sys.executable, "request.py"))["title"] == ARTICLE["headline"]
    node = shutil.which("node")
    if node:
        (tmp_path / "request.mjs").write_text(copied(tab, "JavaScript"), "utf-8")
        assert "here" in run(tmp_path, node, "request.mjs")


def test_page_in_rdfa_is_drawn_as_by_the_service(tab: Any) -> None:
    given(tab, RDFA)

    assert "€12.50" in tab.inner_text(".surfaces")
    tab.get_by_role("button", name="Send to the service").click()
    tab.wait_for_selector(".serp")
    assert "Differs" not in tab.inner_text("#workbench")


@pytest.mark.parametrize("text", ["<p>Nothing here", "https://www.example.com/it's"])
def test_a_page_without_a_card_copies_a_command(tab: Any, text: str) -> None:
    given(tab, text)

    command = copied(tab, "").split()

    assert command[:2] == ["waypost", "preview"]
    assert command[2] == ("page.html" if text.startswith("<") else "'https://www.example.com/it%27s'")


def test_a_page_without_an_address_is_given_none(tab: Any) -> None:
    given(tab, json.dumps({"@context": "https://schema.org", "@type": "Article", "headline": "A"}))
    tab.locator("summary", has_text="Record").click()

    assert "about:blank" not in tab.inner_text("#workbench")
    assert tab.locator(".map tr", has_text="url").locator(".absent").count() == 1
    assert "about:blank" not in copied(tab, "JSON")


def test_a_gap_of_the_card_is_a_finding(tab: Any) -> None:
    page = {
        "@context": "https://schema.org", "@type": "Product", "name": "{{ title }}", "image": "[object Object]",
        "brand": "Brand: Loma", "offers": {"@type": "Offer", "price": "Price: 12 EUR", "priceCurrency": "EUR"},
    }  # fmt: skip
    given(tab, json.dumps(page))
    tab.wait_for_selector(".snip-gap")

    assert sorted(tab.locator(".snip-gap").all_inner_texts(), reverse=True) == [
        "No valid price: 'Price: 12 EUR' is not a plain number",
        "No valid picture: '[object Object]' is a placeholder",
    ]
    assert tab.locator(".serp-title .snip-doubt").first.inner_text() == "a placeholder that was never filled in"


def test_an_empty_optional_slot_has_no_gap(tab: Any) -> None:
    given(tab, json.dumps({"@context": "https://schema.org", "@type": "Article", "headline": "A"}))

    assert tab.locator(".serp").count() >= 1
    assert tab.locator(".snip-gap").count() == 0


def test_a_half_star_and_a_stock_are_drawn(tab: Any) -> None:
    page = {
        "@context": "https://schema.org", "@type": "Product", "name": "Pot",
        "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.6, "ratingCount": 2},
        "offers": {"@type": "Offer", "price": "5", "priceCurrency": "EUR", "availability": "https://schema.org/SoldOut"},
    }  # fmt: skip
    given(tab, json.dumps(page))

    assert tab.locator(".snip-stars").first.text_content() == "★★★★★"
    assert tab.locator(".snip-stars .snip-half").count() >= 1
    assert "€5 · Sold out" in tab.inner_text(".surfaces")
