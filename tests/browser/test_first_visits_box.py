"""First visits: what somebody comes for, in at most two steps, on a wide screen and on a phone.

A step is a click, a paste or a choice. Each visit ends with what the visitor wanted to know, in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import EDITOR, selected, source_of, until, write

SCREENS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
PRODUCT = {
    "@context": "https://schema.org", "@type": "Product", "name": "Lamp Linden",
    "offers": {"@type": "Offer", "price": "64,90", "priceCurrency": "EUR"},
}  # fmt: skip
RECIPE = {"@context": "https://schema.org", "@type": "Recipe", "name": "Nettle soup"}
SOUND = {**RECIPE, "image": "https://www.example.com/soup.jpg"}
SHOP = f"""<!doctype html><title>Lamp</title>
<link rel="canonical" href="https://www.example.com/lamps/linden">
<meta property="og:site_name" content="Hollow &amp; Reed">
<script type="application/ld+json">{json.dumps(PRODUCT)}</script>
<script type="application/ld+json">{json.dumps(RECIPE)}</script>"""
RDFA = '<div vocab="https://schema.org/" typeof="Recipe"><b property="name">Soup</b></div>'


@pytest.fixture(params=SCREENS)
def visitor(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    """A page whose console must stay empty and that fits its screen, with `steps` counted."""
    context = browser.new_context(**SCREENS[request.param])
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.is_phone = request.param == "phone"
    page.messages = messages
    yield page
    assert messages == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def opened(page: Any, site: Path, address: str) -> None:
    page.goto(f"{site.as_uri()}/{address}index.html")
    if address:
        page.wait_for_selector("#workbench[data-ready]")


def paste(page: Any, selector: str, text: str) -> None:
    page.eval_on_selector(
        selector,
        "(field, text) => { field.focus(); field.value = text; "
        "field.dispatchEvent(new Event('input', { bubbles: true })); }",
        text,
    )


def checks(page: Any, text: str) -> None:
    """The two steps of most visits: paste, Check."""
    write(page, text)
    page.get_by_role("button", name="Check", exact=True).click()


def outcome(page: Any, *words: str) -> str:
    for each in words:
        page.locator(".outcome", has_text=each).wait_for()
    return str(page.inner_text(".outcome"))


def test_home_names_the_error_of_the_example_at_once(visitor: Any, site: Path) -> None:
    opened(visitor, site, "")
    visitor.get_by_role("button", name="a price with a comma").click()

    visitor.locator("[data-said]", has_text="'64,90' is not a plain number").wait_for()
    assert "fails the build" in visitor.inner_text("#mini-said")


def test_page_pasted_on_home_is_checked_and_passed_on(visitor: Any, site: Path) -> None:
    opened(visitor, site, "")
    paste(visitor, "#mini-text", SHOP)
    visitor.locator("[data-said] .place").first.wait_for()
    until(visitor, "document.querySelector('[data-miniature=validate] [data-on]').href.includes('#')")
    visitor.get_by_role("link", name="Full report").click()

    outcome(visitor, "errors")
    assert source_of(visitor) == SHOP


def test_home_names_what_costs_a_result_before_advice(visitor: Any, site: Path) -> None:
    opened(visitor, site, "")
    rating = {"@type": "AggregateRating", "ratingValue": 4.5}
    offer = {"@type": "Offer", "price": "5", "priceCurrency": "EUR"}
    lamp = {"@type": "Product", "name": "Lamp", "aggregateRating": rating, "offers": offer}
    script = json.dumps({"@context": "https://schema.org", **lamp})
    paste(visitor, "#mini-text", f'<script type="application/ld+json">{script}</script>')
    visitor.locator("[data-said] .place").first.wait_for()

    found = visitor.locator("[data-said] > li").all_inner_texts()

    assert "ratingCount" in found[1], found
    assert "recommended" in found[2], found


def test_address_in_a_folder_explains_why_nothing_is_fetched(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, "www.example.com/page")

    assert "opened from a folder" in outcome(visitor, "This is a URL, not a page")
    assert "waypost validate 'https://www.example.com/page'" in visitor.inner_text(".columns")


def test_a_page_is_checked_worst_first_with_a_fix(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, SHOP)

    assert "In CI it fails the build." in outcome(visitor, "2 errors")
    price = visitor.locator(".note-box", has_text="'64,90' is not a plain number").locator("visible=true").first
    assert "write 64.90" in price.inner_text()
    assert "keeps out of product snippet results" in price.inner_text()
    assert price.get_by_role("button", name="Fix").count() == 1


def test_on_a_phone_findings_have_lines_instead_of_the_source(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, SHOP)
    outcome(visitor, "2 errors")
    order = [visitor.locator(each).bounding_box()["y"] for each in (".outcome", ".item >> nth=0", ".col-src")]

    assert visitor.is_visible(".code") != visitor.is_phone
    assert visitor.locator(".excerpts .note-box").count() == 5 * visitor.is_phone
    if visitor.is_phone:
        assert order == sorted(order)
        assert visitor.locator(".excerpts pre").first.inner_text().count("\n") == 3
        visitor.get_by_role("button", name="Edit the source").click()
        assert visitor.is_visible(".code")


def test_page_in_rdfa_is_checked_like_any_other(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, RDFA)

    assert "1 item read." in outcome(visitor, "1 error")


@pytest.mark.parametrize("text", ["<!doctype html><p>Hello</p>", "Some words, and no page."])
def test_a_page_without_structured_data_is_reported_as_one(visitor: Any, site: Path, text: str) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, text)

    assert "passes" not in outcome(visitor, "No structured data found")


def test_a_clean_page_passes(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, json.dumps({"@context": "https://schema.org", "@type": "Thing", "name": "Lamp"}))

    assert "In CI it passes." in outcome(visitor, "No errors, no warnings")


def test_a_file_is_opened_and_checked(visitor: Any, site: Path, tmp_path: Path) -> None:
    file = tmp_path / "lamp.html"
    file.write_text(SHOP)
    opened(visitor, site, "validate/")
    visitor.set_input_files("#file", file)

    outcome(visitor, "2 errors")


def test_one_of_the_examples_is_run_at_once(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    visitor.get_by_role("button", name="An event that ends before it starts").click()

    visitor.locator(".note-box", has_text="before").locator("visible=true").first.wait_for()


def test_a_wrong_value_in_the_tree_leads_to_its_place(visitor: Any, site: Path) -> None:
    opened(visitor, site, "validate/")
    checks(visitor, SHOP)
    value = visitor.locator(".val.is-error", has_text="64,90")
    assert "4:152" in value.inner_text()
    value.click()

    if visitor.is_phone:
        assert "64,90" in visitor.evaluate("document.activeElement.innerText")
    else:
        assert selected(visitor) == '"64,90"'
        assert visitor.inner_text(".col-src .num.hint") == "Line 4, column 159"


def pastes_at_once(visitor: Any, text: str, selector: str = "#place") -> None:
    """The text comes as one paste."""
    visitor.evaluate(
        """([selector, text]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          document.querySelector(selector).dispatchEvent(paste);
        }""",
        [selector, text],
    )


@pytest.mark.parametrize("selector", ["#place", "#source"])
def test_only_the_lines_that_matter_of_a_long_page_show(visitor: Any, site: Path, selector: str) -> None:
    opened(visitor, site, "validate/")
    pastes_at_once(visitor, "<p>\n" * 6000 + SHOP, selector)
    outcome(visitor, "2 errors")
    assert source_of(visitor) == "<p>\n" * 6000 + SHOP
    if visitor.is_phone:
        visitor.get_by_role("button", name="Edit the source").click()
    folded = visitor.get_by_role("button", name="⋯ lines 1 to 6,002 ⋯")
    folded.wait_for()
    assert visitor.locator(".cm-line").count() < 10

    folded.click()
    until(visitor, "document.querySelectorAll('.cm-line').length > 20")
    visitor.get_by_role("button", name="Show only findings").click()
    folded.wait_for()


def test_typing_in_a_megabyte_is_undone_step_by_step(visitor: Any, site: Path) -> None:
    page = "<p>A line of a page that is as long as most lines of a page are.</p>\n" * 16_000 + SHOP
    opened(visitor, site, "validate/")
    pastes_at_once(visitor, page)
    outcome(visitor, "2 errors")
    visitor.locator(".val.is-error", has_text="64,90").click()
    if visitor.is_phone:
        visitor.get_by_role("button", name="Edit the source").click()
        visitor.locator(".val.is-error", has_text="64,90").click()
    assert selected(visitor) == '"64,90"'

    visitor.keyboard.type('"64.90"')
    outcome(visitor, "1 error")
    assert '"price": "64.90"' in source_of(visitor)

    visitor.keyboard.press("Control+z")
    until(visitor, f"{EDITOR}.state.doc.toString().includes('64,90')")


@pytest.mark.parametrize(
    ("button", "beginning"), [("Report as HTML", b"<!doctype html>"), ("Report as image", b"\x89PNG")]
)
def test_a_report_is_passed_on_as_page_and_picture(visitor: Any, site: Path, button: str, beginning: bytes) -> None:
    opened(visitor, site, "validate/")
    write(visitor, SHOP)
    outcome(visitor, "2 errors")
    with visitor.expect_download() as download:
        visitor.get_by_text("Share", exact=True).click()
        visitor.get_by_role("button", name=button).click()

    data = download.value.path().read_bytes()
    assert data.startswith(beginning)
    if beginning[:1] == b"<":
        text = data.decode()
        assert "64,90" in text
        assert "<p>https://www.example.com/lamps/linden</p>" in text, "which page it is about"
        assert re.search(r"Checked in a browser on 20\d\d-\d\d-\d\d", text)
        assert not re.search(r"<script|src=|href=", text)
    else:
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1200, 630)


def test_card_of_a_page_explains_why_it_is_ineligible(visitor: Any, site: Path) -> None:
    opened(visitor, site, "explorer/preview/")
    write(visitor, SHOP)

    visitor.locator(".badge", has_text="Not eligible: 1 required property missing").wait_for()
    assert visitor.locator(".serp-title").first.inner_text() == "Lamp", "a result has the title of its page"
    visitor.get_by_text("image is missing").first.wait_for()


def test_a_page_with_several_items_offers_each(visitor: Any, site: Path) -> None:
    opened(visitor, site, "explorer/preview/")
    write(visitor, SHOP)
    visitor.locator("#item").wait_for()
    visitor.select_option("#item", label="Product 'Lamp Linden', line 4")

    visitor.locator(".surfaces", has_text="Lamp Linden").wait_for()
    visitor.locator(".badge", has_text="Not eligible: 1 error").wait_for()


def test_the_site_of_a_card_is_the_pages_own(visitor: Any, site: Path) -> None:
    opened(visitor, site, "explorer/preview/")
    write(visitor, SHOP)
    visitor.locator(".serp-site", has_text="Hollow & Reed").first.wait_for()

    assert "example.com" in visitor.locator(".serp-site").first.inner_text()
    assert "from og:site_name" in visitor.inner_text(".found")
    assert "Fernhill" not in visitor.inner_text("main")


def test_finding_next_to_the_card_leads_to_its_place(visitor: Any, site: Path) -> None:
    opened(visitor, site, "explorer/preview/")
    write(visitor, json.dumps({**SOUND, "totalTime": "20 minutes"}))
    visitor.locator(".badge", has_text="Eligible for recipe results").wait_for()
    visitor.get_by_role("button", name="Go to 1:").first.click()

    assert visitor.evaluate("document.activeElement.id") == "source"
    assert selected(visitor)


# With a service: its answers are given here, so that nothing leaves the machine.


@pytest.fixture
def requests_to(visitor: Any, served: str) -> Callable[..., list[Any]]:
    """Opens a page of the static server; `/api/*` answers as told, and what was asked is kept."""

    def begin(address: str, path: str, status: int, body: dict[str, Any]) -> list[Any]:
        sent: list[Any] = []

        def answer(route: Any) -> None:
            sent.append(route.request.post_data_json)
            route.fulfill(status=status, json=body)

        visitor.route(f"**{path}", answer)
        visitor.goto(f"{served}{address}index.html")
        visitor.wait_for_selector("#workbench[data-ready]")
        return sent

    return begin


def test_address_is_fetched_by_the_service_and_checked_here(
    visitor: Any, requests_to: Callable[..., list[Any]]
) -> None:
    page = {"url": "https://www.example.com/lamp", "status": 200, "text": SHOP}
    sent = requests_to("validate/", "/api/page", 200, page)
    checks(visitor, "www.example.com/lamp")

    outcome(visitor, "2 errors")
    assert sent == [{"url": "https://www.example.com/lamp"}]
    assert source_of(visitor) == SHOP
    visitor.get_by_text("About this check").click()
    assert "a request was sent to" in visitor.inner_text(".facts")


def test_the_card_of_an_address_is_drawn(visitor: Any, requests_to: Callable[..., list[Any]]) -> None:
    requests_to("explorer/preview/", "/api/page", 200, {"url": "https://www.example.com/", "status": 200, "text": SHOP})
    write(visitor, "https://www.example.com/")
    visitor.get_by_role("button", name="Show", exact=True).click()

    visitor.locator(".badge", has_text="Not eligible").wait_for()


def test_a_rejected_address_is_reported_with_the_reason(visitor: Any, requests_to: Callable[..., list[Any]]) -> None:
    requests_to(
        "validate/", "/api/page", 422, {"code": "fetch-refused", "title": "This address is not fetched", "detail": "x"}
    )
    checks(visitor, "http://intranet.example/")

    assert "This address is not fetched: x" in outcome(visitor, "Not fetched")
    checks(visitor, SHOP)
    outcome(visitor, "2 errors")
    visitor.locator("summary", has_text="About this check").click()
    assert "a request was sent to" in visitor.inner_text(".facts")
    visitor.messages[:] = [each for each in visitor.messages if "422" not in each]


def test_send_reports_its_content_and_late_edits_keep_theirs(
    visitor: Any, requests_to: Callable[..., list[Any]]
) -> None:
    sent = requests_to("explorer/preview/", "/api/ai/snippet", 500, {"code": "internal", "title": "The service failed"})
    write(visitor, json.dumps(SOUND))
    visitor.locator(".badge", has_text="Eligible").wait_for()
    write(visitor, json.dumps({**SOUND, "name": "Nettle soup with cream"}))
    visitor.get_by_role("button", name="Send to the service").click()
    visitor.locator(".facts", has_text="No live answer").wait_for()

    assert "with cream" in sent[0]["markup"]
    assert sent[0]["kind"] == "recipe"
    assert "nothing was sent" not in visitor.inner_text(".facts")
    write(visitor, json.dumps({**SOUND, "name": "Another soup"}))
    visitor.locator(".facts", has_text="before the last edit").wait_for()
    visitor.messages[:] = [each for each in visitor.messages if "500" not in each]


def test_a_click_counts_while_the_last_edit_is_drawn(visitor: Any, requests_to: Callable[..., list[Any]]) -> None:
    sent = requests_to("explorer/preview/", "/api/ai/snippet", 500, {"code": "internal", "title": "The service failed"})
    write(visitor, json.dumps(SOUND))
    visitor.locator(".badge", has_text="Eligible").wait_for()
    button = visitor.get_by_role("button", name="Send to the service")
    button.scroll_into_view_if_needed()
    button.hover()
    visitor.mouse.down()
    write(visitor, json.dumps({**SOUND, "name": "Nettle soup with cream"}))
    visitor.locator("figure", has_text="with cream").wait_for()
    visitor.mouse.up()
    visitor.locator(".facts", has_text="No live answer").wait_for()

    assert "with cream" in sent[0]["markup"]
    visitor.messages[:] = [each for each in visitor.messages if "500" not in each]


def test_a_megabyte_is_sent_complete_and_more_by_blocks(visitor: Any, requests_to: Callable[..., list[Any]]) -> None:
    sent = requests_to("explorer/preview/", "/api/ai/snippet", 503, {"code": "not-ready", "title": "Not now"})
    block = f'<script type="application/ld+json">{json.dumps(SOUND)}</script>'
    for filler in (1_000_000, 1_100_000):
        write(visitor, f"{block}<p>{'x' * filler}</p>")
        visitor.get_by_role("button", name="Send to the service").wait_for()
        with visitor.expect_response("**/api/ai/snippet"):
            visitor.get_by_role("button", name="Send to the service").click()
        visitor.locator(".sec .btn[disabled]").wait_for(state="detached")

    assert len(sent[0]["markup"]) > 1_000_000
    assert sent[-1]["markup"] == block
    visitor.messages[:] = [each for each in visitor.messages if "503" not in each]
