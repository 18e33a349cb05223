"""The site for those who use no mouse: where the focus goes after an act, and what a screen reader is told.

What is told is the text of the live regions: `role=status`, `role=alert`, `aria-live`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import VIEWS, source_of, until, write
from tests.browser.test_first_visits_box import SHOP, outcome

LISTENER = """window.told = [];
addEventListener("DOMContentLoaded", () => new MutationObserver((changes) => {
  for (const { target } of changes) {
    const holder = target.nodeType === 1 ? target : target.parentElement;
    const region = holder?.closest("[role=status], [role=alert], [aria-live], output");
    if (region) window.told.push(region.innerText.replace(/\\s+/g, " ").trim());
  }
}).observe(document, { subtree: true, childList: true, characterData: true }));"""
FOCUSED = "(selector) => document.activeElement?.matches(selector)"
HAS_RING = """(here) => {
  const style = getComputedStyle(here);
  const beside = here.matches(".seg input, input[type=file]") ? getComputedStyle(here.nextElementSibling) : style;
  const editor = here.closest(".editor, .cm-content") && here.closest(".editor, .cm-editor");
  const around = editor ? getComputedStyle(editor) : beside;
  return around.outlineStyle !== "none" && parseFloat(around.outlineWidth) >= 2;
}"""
STOP = f"""() => {{
  const here = document.activeElement;
  if (!here || here === document.body) return null;
  const known = window.stops ||= new Map();
  const box = here.getBoundingClientRect();
  const again = known.has(here);
  known.set(here, true);
  const ring = ({HAS_RING})(here);
  return {{again, ring, what: here.outerHTML.slice(0, 90), isSeen: box.bottom > 0 && box.top < innerHeight}};
}}"""
AGAIN = f"""() => [...window.stops.keys()].filter((each) => each.isConnected).map((each) => {{
  each.focus();
  return {{hasFocus: document.activeElement === each, ring: ({HAS_RING})(each), what: each.outerHTML.slice(0, 90)}};
}})"""
LEFT = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
  .filter((each) => each.checkVisibility({visibilityProperty: true}) && !window.stops.has(each)
    && !(each.type === "radio" && document.querySelector(`input[name="${each.name}"]:checked`) !== each))
  .map((each) => each.outerHTML.slice(0, 90))"""
LEFT_ALONE = """<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Product", "name": "Mug", "image": "https://shop.example.com/mug.jpg",
 "offers": {"@type": "Offer", "price": "18,50", "priceCurrency": "EUR"},
 "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.7"}}
</script>"""
"""Once the price is a number, the rating is an error of a result of its own."""
KINDS = (
    "", "validate/", "explorer/preview/", "safety/check/", "keys/", "explorer/", "explorer/compare/",
    "api/check-agent-safety/", "rules/price-invalid/", "docs/ci/",
)  # fmt: skip


MOST_STOPS = 500


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(**VIEWS["light"], permissions=["clipboard-read", "clipboard-write"])
    context.add_init_script(LISTENER)
    yield context.new_page()
    context.close()


def announced(page: Any, words: str) -> None:
    until(page, "(words) => window.told.some((each) => each.includes(words))", words)


def press(page: Any, button: Any) -> None:
    """Press a button as the keyboard does; what was told before is forgotten."""
    button.focus()
    page.evaluate("window.told.length = 0")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("kind", KINDS)
def test_every_control_is_reached_in_order_with_visible_focus(browser: Any, site: Path, kind: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    page.goto(f"{site.as_uri()}/{kind}index.html")
    page.wait_for_load_state("networkidle")
    stops, is_at_the_end, again = [], False, 0
    while not is_at_the_end and again < MOST_STOPS:
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            is_at_the_end = True
        elif stop["again"]:
            again += 1
        else:
            stops.append(stop)

    assert is_at_the_end, "the focus goes in a circle and never comes to the end"
    assert [each["what"] for each in stops if not (each["ring"] and each["isSeen"])] == []
    assert page.evaluate(LEFT) == []

    # The order is the document's; what dark colours can change is the ring, and what is there to be reached.
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(AGAIN)
    assert len(dark) > len(stops) / 2
    assert [each["what"] for each in dark if not (each["hasFocus"] and each["ring"])] == []
    assert page.evaluate(LEFT) == []
    page.context.close()


def test_focus_in_the_homes_picture_goes_to_the_box(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/index.html")
    page.focus("#mini-text")
    page.fill("#mini-text", '{"@context": "https://schema.org", "@type": "Event", "name": "Quay fair"}')
    page.focus("[data-card] button.word")
    page.evaluate(
        "document.querySelectorAll('[data-card] button.word').forEach((each) => { each.dataset.first = ''; })"
    )
    page.evaluate("document.querySelector('#mini-text').dispatchEvent(new Event('input'))")

    page.wait_for_selector("[data-card] button.word:not([data-first])", timeout=120_000)

    assert page.evaluate(FOCUSED, "#mini-text")


def test_a_phones_menu_opens_the_navigation_and_escape_returns(browser: Any, site: Path) -> None:
    page = browser.new_context(**VIEWS["phone"]).new_page()
    page.goto(f"{site.as_uri()}/rules/index.html")
    page.focus(".menu")
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED, ".nav a:first-child")

    page.keyboard.press("Escape")

    assert page.evaluate(FOCUSED, ".menu")
    assert page.get_attribute(".menu", "aria-expanded") == "false"
    assert not page.is_visible(".nav")
    page.context.close()


def test_a_result_is_announced_and_the_focus_stays(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/validate/index.html")
    page.wait_for_selector("[data-ready]")
    write(page, SHOP)
    outcome(page, "2 errors")

    press(page, page.get_by_role("button", name="Check", exact=True))
    announced(page, "2 errors")
    assert page.evaluate(FOCUSED, "button.btn-go")

    press(page, page.get_by_role("button", name="safe fix"))
    until(page, FOCUSED, "#source")

    press(page, page.get_by_text("Share", exact=True))
    press(page, page.get_by_role("button", name="Copy link"))
    announced(page, "Copied")


def test_a_safe_fix_with_a_new_finding_is_reported(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/validate/index.html")
    page.wait_for_selector("[data-ready]")
    write(page, LEFT_ALONE)
    outcome(page, "1 error")

    press(page, page.get_by_role("button", name="Apply 1 safe fix"))

    announced(page, "Nothing was fixed: the fix would lead to another finding.")
    assert source_of(page) == LEFT_ALONE


def test_a_check_is_announced_and_errors_belong_to_fields(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/safety/check/index.html")
    page.fill("#check-host", "stop.test")
    press(page, page.get_by_role("button", name="Check", exact=True))
    announced(page, "stop, do not pay here")
    assert page.evaluate(FOCUSED, "[type=submit]")

    page.fill("#check-host", "!!")
    press(page, page.get_by_role("button", name="Check", exact=True))
    announced(page, "Stop: no decision could be made. This is neither a URL nor a host")
    assert page.get_attribute("#check-host", "aria-invalid") == "true"
    assert page.inner_text(f"#{page.get_attribute('#check-host', 'aria-describedby')}").startswith("This is neither")

    page.fill("#check-host", "stop.test")
    assert page.get_attribute("#check-host", "aria-invalid") == "false"


def test_a_services_answer_is_announced_and_the_focus_stays(page: Any, service: str) -> None:
    page.goto(f"{service}/explorer/preview/")
    page.fill("#source", SHOP)
    page.locator(".badge", has_text="ligible").wait_for()

    press(page, page.get_by_role("button", name="Send to the service"))

    announced(page, "The service answered: same as this browser.")
    assert page.evaluate("document.activeElement.textContent") == "Send to the service"


def test_a_comparison_is_announced(page: Any, site: Path) -> None:
    page.goto(f"{site.as_uri()}/explorer/compare/index.html")
    page.focus("select[name=second]")
    page.select_option("select[name=second]", "Recipe")

    announced(page, "only of Recipe")
