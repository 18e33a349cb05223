"""What the pages beside the workbenches let one do, from a folder, from a static host, and from the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.test_site_pages import VIEWS, until
from tests.browser.test_workbench import HOSTILE

INERT = "document.querySelectorAll('main script, main img, main iframe, main a[href^=\"javascript\" i]').length"


class Visit:
    """A visit to the site: what its pages loaded, and everything that their consoles said."""

    def __init__(self, browser: Any, place: str) -> None:
        self.place = place
        self.context = browser.new_context(**VIEWS["light"])
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda fault: self.said.append(str(fault)))
        self.page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def to(self, address: str) -> Any:
        path, _, fragment = address.partition("#")
        self.page.goto(f"{self.place}{path}index.html{f'#{fragment}' if fragment else ''}")
        return self.page


@pytest.fixture
def visit(browser: Any, place: str) -> Iterator[Visit]:
    made = Visit(browser, place)
    yield made
    assert made.said == []
    assert all(url.startswith(place.partition("?")[0]) for url in made.asked)
    made.context.close()


@pytest.fixture
def folder(browser: Any, site: Any) -> Iterator[Visit]:
    """A visit to the folder alone, for what does not depend on where the site stands."""
    made = Visit(browser, f"{site.as_uri()}/")
    yield made
    assert made.said == []
    made.context.close()


def typed(page: Any, selector: str, text: str) -> None:
    """Put a text of any length into a field, as pasting does."""
    page.eval_on_selector(
        selector,
        "(field, text) => { field.focus(); field.value = text; "
        "for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true })); }",
        text,
    )


def test_home_loads_the_engine_only_when_somebody_uses_a_miniature(visit: Visit) -> None:
    page = visit.to("")
    page.wait_for_timeout(200)
    assert not [url for url in visit.asked if "registry." in url or "workbench." in url]
    assert "'64,90' is not a plain number" in page.inner_text("[data-miniature=validate] .said")

    page.focus("#mini-text")
    until(page, "document.querySelector('[data-miniature=validate]').hasAttribute('data-ready')")

    assert [url for url in visit.asked if "registry." in url]
    assert page.inner_text("[data-miniature=validate] .said li >> nth=0").startswith("error")


def test_the_paste_box_judges_moves_the_caret_mends_and_hands_on_what_was_pasted(visit: Visit) -> None:
    page = visit.to("")
    page.focus("#mini-text")
    page.fill("#mini-text", '{"@context": "https://schema.org", "@type": "recipe", "name": "Soup"}')
    until(
        page, "document.querySelector('.said .place') && document.querySelector('.said').textContent.includes('Recipe')"
    )

    page.click(".said .place >> nth=0")
    chosen = page.eval_on_selector("#mini-text", "area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert chosen
    page.click(".said >> text=Fix")
    assert '"@type": "Recipe"' in page.input_value("#mini-text")
    until(page, "document.querySelector('[data-miniature=validate] [data-on]').href.includes('#')")
    page.click("[data-miniature=validate] [data-on]")
    page.wait_for_selector("[data-ready]")

    assert '"@type": "Recipe"' in page.input_value("#source")


def test_an_empty_paste_box_and_a_sound_page_say_so(folder: Visit) -> None:
    page = folder.to("")
    page.focus("#mini-text")
    page.fill("#mini-text", "")
    until(page, "document.querySelector('#mini-said').textContent.startsWith('Paste a page')")

    page.fill("#mini-text", '{"@context": "https://schema.org", "@type": "Thing", "name": "Lamp"}')

    until(page, "document.querySelector('#mini-said').textContent.startsWith('Nothing to say')")


def test_the_miniature_card_follows_its_form_through_all_kinds(visit: Visit) -> None:
    page = visit.to("")
    page.focus(".mini-form select")
    until(page, "document.querySelector('[data-miniature=preview]').hasAttribute('data-ready')")
    kinds = page.eval_on_selector_all(".mini-form option", "all => all.map(each => each.value)")
    assert len(kinds) == 17
    for kind in kinds:
        page.select_option(".mini-form select", kind)
        assert page.inner_text("[data-card] .snip-title") == page.input_value(".mini-form input").strip(), kind
    page.fill(".mini-form input", "Another name")
    until(page, "document.querySelector('[data-card] .snip-title').textContent === 'Another name'")

    page.click("[data-miniature=preview] [data-on]")
    page.wait_for_selector("#workbench[data-ready]")

    assert page.input_value("#kind") == kinds[-1]


def test_the_stop_on_the_home_page_has_nine_equal_statements_and_no_sum(folder: Visit) -> None:
    page = folder.to("")
    names = page.eval_on_selector_all("[data-miniature=check] .kv dt", "all => all.map(each => each.textContent)")

    assert names == [
        "Asked", "Relationship", "Risk seen", "Evidence", "Confidence", "Unknowns", "Reason codes", "Policy",
        "Decision id",
    ]  # fmt: skip
    assert page.inner_text("[data-miniature=check] h3") == "Stop: do not pay here"


@pytest.mark.parametrize("text", HOSTILE, ids=["script", "handler", "end tags", "address", "bidi", "long"])
def test_hostile_text_in_a_miniature_stays_text(text: str, folder: Visit) -> None:
    page = folder.to("")
    before = page.evaluate(INERT)
    page.focus("#mini-text")
    until(page, "document.querySelector('[data-miniature=validate]').hasAttribute('data-ready')")

    typed(page, "#mini-text", json.dumps({"@context": "https://schema.org", "@type": text, "name": text, text: text}))
    typed(page, ".mini-form input", text)
    page.wait_for_timeout(600)

    assert page.evaluate(INERT) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
