"""The two workbenches, driven as their users would: from a folder, from a static host, and from the service."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import FILES, VIEWS, _Quiet, selected, source_of, until, write

from waypost.registry import load
from waypost.validate import validate_data

HOSTILE = {
    "markup": '<script>alert(1)</script>"><img src=x onerror=alert(1)></textarea></script><script>alert(1)</script><!--'
    "\u202egnp.exe \u2066x",
    "address": "javascript:alert(1)",
    "long": "x" * 100_000,
}
"""Every kind of hostile text: those that work anywhere in a value are one, as each of them has to stay text."""

PASTE = "(field, text) => { field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); }"
"""Puts a text of any length into a field at once, as pasting does."""


SERVICES = "Object.fromEntries(Object.entries(WaypostWorkbench.kinds).map(([kind, each]) => [kind, each.service]))"


class Bench:
    """A page with a workbench, and everything that its console said."""

    def __init__(self, browser: Any, address: str) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 1000})
        self.messages: list[str] = []
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.messages.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.goto(address)
        self.page.wait_for_selector("[data-ready]")

    def close(self) -> None:
        assert self.messages == []
        self.context.close()


def preview(browser: Any, place: str, fragment: str = "#kind=schema") -> Bench:
    """The preview with a form; without a fragment it begins with a page of one's own."""
    return Bench(browser, f"{place}explorer/preview/index.html{fragment}")


def validate(browser: Any, place: str, fragment: str = "") -> Bench:
    return Bench(browser, f"{place}validate/index.html{fragment}")


@FILES
def test_every_kind_is_drawn_from_its_example(browser: Any, place: str) -> None:
    bench = preview(browser, place)
    kinds = bench.page.eval_on_selector_all("#kind option", "all => all.map(each => each.value)")
    assert len(kinds) == len(load().mappings) + 1
    services = bench.page.evaluate(SERVICES)
    for kind in kinds:
        bench.page.select_option("#kind", kind)
        bench.page.wait_for_selector(f'.surfaces[data-kind="{services.get(kind, "WebSiteSnippet")}"]')
        assert bench.page.locator(".serp-title").inner_text().strip(), kind
        assert bench.page.locator(".map tbody tr").count() >= 5, kind
    bench.close()


@FILES
def test_card_follows_the_form_as_it_is_filled_in(browser: Any, place: str) -> None:
    bench = preview(browser, place)
    bench.page.fill("#f-name", "Harbour Courier")
    bench.page.fill("#f-domain", "news.example.com")
    until(bench.page, "() => document.querySelector('.serp-title').textContent === 'Harbour Courier'")
    bench.page.get_by_text("news.example.com", exact=True).first.wait_for()
    bench.page.get_by_role("radio", name="Agent").check()
    assert "Harbour Courier" in bench.page.locator(".is-agent .serp-rows").first.inner_text()
    bench.close()


@FILES
def test_form_and_json_are_two_views_of_one_request(browser: Any, place: str) -> None:
    bench = preview(browser, place)
    bench.page.fill("#f-name", "One")
    bench.page.get_by_role("radiogroup", name="Input").get_by_role("radio", name="JSON request").check()
    request = json.loads(bench.page.input_value("#f-json"))
    assert request["site"]["name"] == "One"
    request["site"]["name"] = "Two"
    bench.page.fill("#f-json", json.dumps(request))
    bench.page.get_by_role("radiogroup", name="Input").get_by_role("radio", name="Form").check()
    assert bench.page.input_value("#f-name") == "Two"
    bench.page.get_by_role("radiogroup", name="Input").get_by_role("radio", name="JSON request").check()
    bench.page.fill("#f-json", '{"kind": ')
    assert bench.page.locator("#h-json").inner_text().startswith("Not read")
    bench.close()


def test_the_live_answer_is_compared_with_the_browsers_own(browser: Any, service: str) -> None:
    bench = preview(browser, f"{service}/")
    kinds = bench.page.eval_on_selector_all("#kind option", "all => all.map(each => each.value)")
    services = bench.page.evaluate(SERVICES)
    for kind in kinds:
        bench.page.select_option("#kind", kind)
        # The example of a kind is loaded; an answer from before would be about something else.
        bench.page.wait_for_selector(f'.surfaces[data-kind="{services.get(kind, "WebSiteSnippet")}"]')
        bench.page.get_by_role("button", name="Send to the service").click()
        until(bench.page, "() => !document.querySelector('.facts').textContent.includes('Not sent')")
        assert "Same as this browser" in bench.page.locator(".facts").inner_text(), (
            kind,
            bench.page.locator(".facts").inner_text(),
        )
        assert "registry" in bench.page.locator(".facts").inner_text()
    bench.close()


def test_a_send_without_a_service_keeps_local_work(browser: Any, served: str) -> None:
    bench = preview(browser, f"{served.rstrip('/')}/")
    bench.page.get_by_role("button", name="Send to the service").click()
    until(bench.page, "() => document.body.textContent.includes('No live answer')")
    assert bench.page.locator(".serp-title").count() == 1
    bench.messages = [each for each in bench.messages if "501" not in each and "404" not in each]
    bench.close()


class _Cutting(_Quiet):
    """A service whose connection ends in the middle of an answer: before its head, behind it, or within its body."""

    sent = b""

    def do_POST(self) -> None:  # noqa: N802 - the name that the library calls
        self.rfile.read(int(self.headers["content-length"]))
        self.wfile.write(self.sent)
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", HEAD, HEAD + b'{"snippet": {"title": "Ha'], ids=["nothing", "head", "half"])
def test_an_interrupted_send_reports_where_it_went_only(browser: Any, site: Path, sent: bytes) -> None:
    handler = type("_Cut", (_Cutting,), {"sent": sent})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    bench = preview(browser, f"{address}/")
    bench.page.wait_for_selector(".surfaces[data-kind]")
    before = bench.page.inner_text(".surfaces")

    bench.page.get_by_role("button", name="Send to the service").click()
    bench.page.get_by_text("No complete answer", exact=True).wait_for()

    facts = bench.page.inner_text(".facts")
    assert f"A request was sent to {address}/api/ai/snippet." in bench.page.inner_text("main")
    assert "No live answer" in facts
    assert "This browser" in facts
    assert "nothing was sent" not in facts
    assert bench.page.inner_text(".surfaces") == before
    assert bench.page.get_by_role("button", name="Send to the service").is_enabled()
    bench.messages = [each for each in bench.messages if "ERR_" not in each]
    bench.close()
    server.shutdown()
    server.server_close()


@FILES
def test_a_broken_page_is_checked_and_a_fix_applies(browser: Any, place: str) -> None:
    bench = validate(browser, place)
    text = '<p>é</p>\n<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recpie"}</script>'
    write(bench.page, text)
    bench.page.wait_for_selector(".note-box b")
    assert "Recpie" in bench.page.locator(".note-box").inner_text()
    bench.page.locator(".note-box .num").first.click()
    chosen = selected(bench.page)
    assert chosen == '"Recpie"'
    write(bench.page, text.replace("Recpie", "recipe"))
    until(bench.page, "() => document.querySelector('.note-box')?.textContent.includes('recipe')")
    assert [bench.page.inner_text(f".edits {each}") for each in ("del", "ins")] == ["recipe", "Recipe"]
    bench.page.get_by_role("button", name="Fix", exact=True).click()
    assert '"Recipe"' in source_of(bench.page)
    bench.page.get_by_role("button", name="Undo", exact=True).click()
    assert '"recipe"' in source_of(bench.page)
    bench.close()


MANY = """<p>𝒳 é</p> <script type="application/ld+json">
[{"@context": "https://schema.org", "@type": "Product", "name": "𝒳",
  "offers": {"@type": "Offer", "price": "1,5", "priceCurrency": "EUX"}},
 {"@context": "https://schema.org", "@type": "Event", "name": "\u202ex & <y>",
  "startDate": "2026-13-45", "strtDate": "x", "name": "z"}]
</script>
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Event", "name": "a", "startDate": "2026-05-03", "endDate": "2026-05-01",}
</script>
<!-- waypost-ignore-start price-invalid: agreed with the shop -->
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Offer", "price": "2,5", "priceCurrency": "EUR"}
</script>
<!-- waypost-ignore-end -->
"""


def exported(bench: Bench, button: str) -> str:
    if not bench.page.get_by_role("button", name=button, exact=True).is_visible():
        bench.page.get_by_text("Export", exact=True).click()
    with bench.page.expect_download() as download:
        bench.page.get_by_role("button", name=button, exact=True).click()
    return download.value.path().read_text("utf-8")


def command_line(text: str, kind: str) -> str:
    """What `waypost validate -` prints, its documentation of rules left out."""
    command = [sys.executable, "-m", "waypost", "validate", "-", "--no-config", "--format", kind]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout


def test_reports_are_those_of_the_command_line(browser: Any, site: Path) -> None:
    bench = validate(browser, f"{site.as_uri()}/")
    write(bench.page, MANY)
    bench.page.wait_for_selector(".note-box b")

    sarif, answer = json.loads(exported(bench, "SARIF")), json.loads(command_line(MANY, "sarif"))
    for rule in answer["runs"][0]["tool"]["driver"]["rules"]:
        for documentation in rule.keys() - {"id"}:
            del rule[documentation]
    assert len(answer["runs"][0]["results"]) > 6
    assert {name for each in answer["runs"][0]["results"] for name in each} >= {"fixes", "relatedLocations"}
    assert sarif == answer

    assert exported(bench, "JUnit") == command_line(MANY, "junit")
    annotations = [line for line in command_line(MANY, "github").splitlines() if line.startswith("::")]
    assert exported(bench, "GitHub annotations").splitlines() == annotations
    report, answer = json.loads(exported(bench, "Report as JSON")), json.loads(command_line(MANY, "json"))
    for one, other in zip(report["files"][0].items(), answer["files"][0].items(), strict=True):
        assert one == other
    assert report["summary"] == answer["summary"]
    bench.close()


def test_values_with_findings_stand_below_their_item(browser: Any, site: Path) -> None:
    bench = validate(browser, f"{site.as_uri()}/")
    write(bench.page, MANY)
    bench.page.wait_for_selector(".item")
    product = bench.page.locator(".item", has=bench.page.get_by_role("button", name=re.compile("^Product")))
    assert "line 2:2" in product.inner_text()
    assert any("EUX" in each for each in product.locator(".val.is-error, .val.is-warning").all_inner_texts())
    assert "2026-13-45" not in product.inner_text()
    bench.close()


CONTRADICTED = """<!doctype html><html lang="en"><title>Plum press</title><h1>\U0001f351 Plum press</h1>
<p>\U0001f4b6</p><p class="price">$24.90</p><script type="application/ld+json">{"@context": "https://schema.org",
"@type": "Product", "name": "Plum press", "image": "https://www.example.com/plum.jpg",
"offers": {"@type": "Offer", "price": "19.90", "priceCurrency": "USD"}}</script>"""


@FILES
def test_values_that_differ_stand_side_by_side(browser: Any, place: str) -> None:
    bench = validate(browser, place)
    write(bench.page, CONTRADICTED)
    table = bench.page.locator(".note-box .compared").locator("visible=true").first
    table.wait_for()

    assert table.locator("th").all_inner_texts() == ["Markup", "Page"]
    assert table.locator("b").all_inner_texts() == ["19.90 USD", "$24.90"]
    assert table.locator("button").all_inner_texts() == ["4:39", "2:26"]
    report, answer = json.loads(exported(bench, "Report as JSON")), json.loads(command_line(CONTRADICTED, "json"))
    assert report["files"] == answer["files"]
    table.locator("button").last.click()
    assert selected(bench.page) == "$24.90"
    bench.close()


def test_the_verdict_of_an_item_is_a_list(browser: Any, site: Path) -> None:
    bench = validate(browser, f"{site.as_uri()}/")
    write(bench.page, MANY)
    bench.page.wait_for_selector(".verdicts .verdicts")
    product = bench.page.locator(".verdicts > li", has=bench.page.locator("b", has_text="Product '𝒳', line 2"))

    text = product.locator("li").all_inner_texts()

    assert "not eligible for product snippet results" in text, text
    assert any(each.startswith("2 things to do: ") for each in text), text
    bench.close()


def test_options_are_sent_with_commands_and_links(browser: Any, site: Path) -> None:
    place = f"{site.as_uri()}/"
    bench = validate(browser, place)
    output = bench.page.locator(".outcome")
    offer = {"@type": "Offer", "price": "1.5", "priceCurrency": "EUR"}
    product = {"@type": "Product", "name": "x", "image": "https://www.example.com/a.png", "offers": offer}
    write(bench.page, json.dumps({"@context": "https://schema.org", **product}))
    bench.page.wait_for_selector(".note-box b")
    assert "In CI it passes." in output.inner_text()

    bench.page.get_by_text("Options", exact=True).click()
    bench.page.select_option("#fail", "warning")
    until(bench.page, "() => document.querySelector('.outcome').textContent.includes('it fails')")
    bench.page.select_option("#profile", "google/merchant-listing")
    until(bench.page, "() => document.querySelector('.code').textContent.includes('shippingDetails')")
    bench.page.fill("#address", "not an address")
    assert "left out" in bench.page.locator("#address-hint").inner_text()
    bench.page.fill("#address", "https://www.example.com/page")
    assert bench.page.locator("#address-hint").inner_text() == ""
    bench.page.fill("#types", "Event")
    until(bench.page, "() => document.querySelector('.outcome').textContent.includes('No structured data')")
    bench.page.fill("#types", "Thing")
    until(bench.page, "() => document.querySelector('.outcome').textContent.includes('1 item ')")
    bench.page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    bench.page.keyboard.press("Escape")
    bench.page.get_by_text("Export", exact=True).click()
    # This site was built without a repository and a package: neither a job nor a hook could install anything.
    assert bench.page.get_by_role("button", name="Copy as CI job").count() == 0
    assert bench.page.get_by_role("button", name="Copy as pre-commit hook").count() == 0
    bench.page.get_by_text("Share", exact=True).click()
    bench.page.get_by_role("button", name="Copy link").click()
    until(bench.page, "() => location.hash.length > 10")
    fragment, found = bench.page.evaluate("location.hash"), output.inner_text()
    bench.close()

    other = validate(browser, place, fragment)
    other.page.wait_for_selector(".note-box b")
    assert other.page.input_value("#profile") == "google/merchant-listing"
    assert other.page.input_value("#types") == "Thing"
    assert other.page.input_value("#address") == "https://www.example.com/page"
    assert other.page.input_value("#fail") == "warning"
    assert other.page.locator(".outcome").inner_text() == found
    other.close()


@FILES
def test_what_the_browser_cannot_check_is_named(browser: Any, place: str) -> None:
    bench = validate(browser, place)
    write(bench.page, '<div typeof="schema:Thing"><b property="name">x</b></div>')
    bench.page.wait_for_selector("details >> text=About this check")
    text = bench.page.locator("details", has_text="About this check").text_content()
    assert "fetching a URL" in text
    bench.close()


@FILES
def test_a_link_opens_the_same_in_another_context(browser: Any, place: str) -> None:
    bench = validate(browser, place)
    write(bench.page, '{"@context": "https://schema.org", "@type": "Bok"}')
    bench.page.wait_for_selector(".note-box b")
    bench.page.get_by_text("Share", exact=True).click()
    bench.page.get_by_role("button", name="Copy link").click()
    until(bench.page, "() => location.hash.length > 10")
    fragment = bench.page.evaluate("location.hash")
    bench.close()
    other = validate(browser, place, fragment)
    assert "Bok" in source_of(other.page)
    other.close()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_stays_text_in_every_field_and_link(browser: Any, site: Path, text: str) -> None:
    place = f"{site.as_uri()}/"
    bench = preview(browser, place)
    for name in ("name", "domain", "description"):
        bench.page.eval_on_selector(
            f"#f-{name}", "(field, text) => { field.value = text; field.dispatchEvent(new Event('input')) }", text
        )
    bench.page.select_option("#kind", "news")
    document = json.dumps(
        {"name": text, "description": text, "url": text, "author": [{"@type": "Person", "name": text}]}
    )
    bench.page.fill("#f-json", document)
    bench.page.wait_for_timeout(400)
    assert bench.page.locator("#workbench script, #workbench img:not(.cm-widgetBuffer), #workbench iframe").count() == 0
    assert bench.page.locator('#workbench a[href^="javascript"]').count() == 0
    bench.close()
    bench = validate(browser, place)
    write(bench.page, f"<div itemscope itemtype='https://schema.org/Bok'><b itemprop=name>{text}</b></div>{text}")
    bench.page.wait_for_timeout(400)
    assert bench.page.locator("#workbench script, #workbench img:not(.cm-widgetBuffer)").count() == 0
    bench.close()


def test_a_link_that_has_nonsense_is_ignored(browser: Any, site: Path) -> None:
    for fragment in ("", "#s=AAAA", "#j=bm8", "#s=" + "A" * 5000, "#kind=__proto__", "#j=eyJraW5kIjoiX19wcm90b19fIn0"):
        preview(browser, f"{site.as_uri()}/", fragment).close()
        validate(browser, f"{site.as_uri()}/", fragment).close()


class Loads:
    """The scripts that a bench asked for, by their short names in order."""

    def __init__(self, browser: Any, address: str) -> None:
        self.requested: list[str] = []
        context = browser.new_context()
        self.page = context.new_page()
        self.messages: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requested.append(request.url.rpartition("/")[2]))
        self.page.goto(address)
        self.page.wait_for_selector("[data-ready]")

    @property
    def scripts(self) -> list[str]:
        return [name.partition(".")[0] for name in self.requested if name.endswith(".js")]

    @property
    def parts(self) -> list[str]:
        """Scripts after those at the start, without the editor, which comes with the first sign of a reader."""
        return [name for name in self.scripts[2:] if name != "editor"]


@pytest.mark.parametrize(("address", "own"), [("explorer/preview/", "preview"), ("validate/", "validate")])
def test_a_bench_begins_with_its_script_and_the_editor(browser: Any, place: str, address: str, own: str) -> None:
    bench = Loads(browser, f"{place}{address}index.html")
    assert bench.scripts[:2] == ["theme", own]
    bench.page.mouse.move(200, 200)  # the editor comes with the first sign of a reader
    bench.page.wait_for_selector("#source.cm-content")
    assert bench.scripts == ["theme", own, "editor"]
    assert len(bench.requested) <= 6
    assert bench.messages == []
    bench.page.context.close()


@FILES
def test_parts_of_the_engine_load_once_when_needed(browser: Any, place: str) -> None:
    bench = Loads(browser, f"{place}validate/index.html")
    bench.page.focus("#source")
    write(bench.page, '{"@context": "https://schema.org", "@type": "Recpie"}')
    bench.page.wait_for_selector(".note-box b")
    assert bench.parts == ["drawing", "reading", "validating"]

    write(bench.page, '{"@context": "https://schema.org", "@type": "Recipe",}')
    bench.page.wait_for_selector(".note-box >> text=json-trailing-comma")

    assert bench.parts == ["drawing", "reading", "validating", "repairing"]
    assert bench.messages == []
    bench.page.context.close()


@FILES
def test_a_preview_loads_parts_by_kind_and_input(browser: Any, place: str) -> None:
    bench = Loads(browser, f"{place}explorer/preview/index.html#kind=event")
    bench.page.wait_for_selector('.surfaces[data-kind="EventSnippet"]')
    assert sorted(bench.parts) == ["examples", "reading", "surfaces"]

    bench.page.fill("#f-json", '{"@type": "Festival", "name": "Harbour days"}')
    until(bench.page, "() => document.querySelector('.serp-title').textContent === 'Harbour days'")
    assert len(bench.parts) == 3

    bench.page.get_by_role("radio", name="Your page").check()
    write(bench.page, '{"@context": "https://schema.org", "@type": "Festival", "name": "Quay", "url": ""}')
    bench.page.wait_for_selector(".note-box b")
    assert bench.parts[3:] == ["validating"]
    assert bench.messages == []
    bench.page.context.close()


def test_a_part_that_fails_is_reported_and_loads_later(browser: Any, served: str) -> None:
    bench = Loads(browser, f"{served.rstrip('/')}/validate/index.html")
    bench.page.route("**/validating.*.js", lambda route: route.abort())
    write(bench.page, '{"@context": "https://schema.org", "@type": "Recpie"}')
    bench.page.wait_for_selector("text=A part of this page did not load. Reload it.")
    assert bench.page.inner_text("#workbench .lede") == "Not checked"

    bench.page.unroute("**/validating.*.js")
    write(bench.page, '{"@context": "https://schema.org", "@type": "Recpie", "name": "Soup"}')

    bench.page.wait_for_selector(".note-box >> text=Recpie")
    bench.page.context.close()


def test_work_in_progress_is_announced_in_words(browser: Any, served: str) -> None:
    bench = Loads(browser, f"{served.rstrip('/')}/validate/index.html")
    held: list[Any] = []
    bench.page.route("**/validating.*.js", lambda route: held.append(route))
    write(bench.page, '{"@context": "https://schema.org", "@type": "Recpie"}')

    report = bench.page.locator('[role="status"]', has_text="the rules…")
    report.wait_for()
    for route in held:
        route.continue_()

    bench.page.wait_for_selector(".note-box >> text=Recpie")
    bench.page.context.close()


def test_only_scripts_that_the_build_lists_pass_the_policy(browser: Any, site: Path) -> None:
    bench = Loads(browser, f"{site.as_uri()}/validate/index.html")
    report = bench.page.evaluate(
        """() => ["https://elsewhere.test/reading.js", "../assets/reading.0123456789.js", "/assets/x.js",
                  "data:text/javascript,1", "../assets/../assets/search.js", ""].map((url) => {
            try { return String(waypost.policy.createScriptURL(url)); } catch (fault) { return fault.constructor.name; }
        })"""
    )

    assert report == ["TypeError"] * 6
    (reading,) = (path.name for path in (site / "assets").glob("reading.*.js"))
    passed = bench.page.evaluate("(url) => String(waypost.policy.createScriptURL(url))", f"../assets/{reading}")
    assert passed == f"../assets/{reading}"
    bench.page.context.close()


def test_a_later_edit_cancels_the_check_of_earlier_text(browser: Any, site: Path) -> None:
    """The long text takes seconds; while it is judged the page answers, and what is typed then is judged instead."""
    bench = Loads(browser, f"{site.as_uri()}/validate/index.html")
    write(bench.page, '{"@context": "https://schema.org", "@type": "Recpie"}')
    bench.page.wait_for_selector(".note-box >> text=Recpie")
    offer = {"@type": "Offer", "price": "12,50", "priceCurrency": "EUR"}
    graph = [{"@type": "Product", "name": f"Lamp {number}", "offers": offer} for number in range(5_000)]
    write(bench.page, json.dumps({"@context": "https://schema.org", "@graph": graph}))
    bench.page.wait_for_selector("#workbench .lede >> text=Checking…")

    write(bench.page, '{"@context": "https://schema.org", "@type": "Bok"}')
    bench.page.wait_for_selector(".note-box >> text=Bok")
    bench.page.wait_for_timeout(500)

    assert "Bok" in bench.page.inner_text(".note-box")
    assert "1 error. 1 item read. In CI it fails the build." in bench.page.inner_text(".outcome")
    assert bench.messages == []
    bench.page.context.close()


def misspelt(names: list[str]) -> str:
    """A thing for each property, whose name begins with a capital letter: each has a hint of its own."""
    graph = [{"@type": "Thing", "name": "x", f"{name[0].upper()}{name[1:]}": "x"} for name in names]
    return json.dumps({"@context": "https://schema.org", "@graph": graph})


def test_thousands_of_findings_are_displayed_in_parts(browser: Any, site: Path) -> None:
    registry = load()
    names = [name for name in sorted(registry.vocabulary.properties) if name[0].islower()]
    findings = validate_data(misspelt(names).encode(), registry).findings
    others = {
        int(each.pointer.split("/")[2]) for each in findings if each.rule != "property-wrong-case" and each.pointer
    }
    source = misspelt([name for number, name in enumerate(names) if number not in others][:450])
    bench = Loads(browser, f"{site.as_uri()}/validate/index.html")
    write(bench.page, source)
    more = bench.page.get_by_role("button", name="Show more: 250 are left")
    more.wait_for()
    assert bench.page.locator(".note-box").count() == 200

    more.click()
    bench.page.get_by_role("button", name="Show more: 50 are left").click()

    assert bench.page.locator(".note-box").count() == 450
    bench.page.context.close()


@pytest.mark.parametrize("text", ["x" * 1_000_000, "<script>alert(1)</script>" * 40_000], ids=["word", "scripts"])
def test_a_megabyte_in_every_form_stays_inert(browser: Any, site: Path, text: str) -> None:
    bench = preview(browser, f"{site.as_uri()}/")
    for name in ("name", "domain", "description"):
        bench.page.eval_on_selector(f"#f-{name}", PASTE, text)
    bench.page.select_option("#kind", "news")
    bench.page.wait_for_selector("#f-json")
    person = {"@type": "Person", "name": text}
    document = {"name": text, "description": text, "url": text, "author": [person]}
    bench.page.eval_on_selector("#f-json", PASTE, json.dumps(document))
    bench.page.get_by_role("radio", name="Your page").check()
    markup = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Quay", text: text}
    write(bench.page, json.dumps(markup))
    until(bench.page, "() => document.querySelector('.serp-title')?.textContent === 'Quay'")
    assert bench.page.locator("#workbench script, #workbench img:not(.cm-widgetBuffer), #workbench iframe").count() == 0
    assert bench.page.evaluate("document.getElementById('workbench').textContent.length") < 100_000
    bench.close()
    bench = validate(browser, f"{site.as_uri()}/")
    write(bench.page, json.dumps(markup))
    bench.page.wait_for_selector(".note-box b")
    assert bench.page.locator("#workbench script, #workbench img:not(.cm-widgetBuffer)").count() == 0
    assert bench.page.evaluate("document.getElementById('workbench').textContent.length") < 100_000
    bench.close()


@pytest.mark.parametrize("address", ["validate/", "explorer/preview/"])
def test_content_for_readers_without_scripts_yields_to_the_script(browser: Any, served: str, address: str) -> None:
    page = browser.new_context(**VIEWS["phone"]).new_page()
    page.route(re.compile(r"/assets/(validate|preview)\."), lambda route: route.abort())
    page.goto(f"{served}{address}")
    is_visible = "() => document.querySelector('.first .note').checkVisibility()"
    assert not page.evaluate(is_visible)

    until(page, is_visible)

    page.context.close()


@pytest.mark.parametrize("address", ["validate/", "explorer/preview/"])
def test_typed_text_survives_the_arrival_of_the_editor(browser: Any, served: str, address: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    held: list[Any] = []
    page.route("**/assets/editor*", lambda route: held.append(route))
    page.goto(f"{served}{address}")
    page.wait_for_selector("[data-ready]")

    page.focus("#source")
    page.keyboard.type('{"@context": "https://schema.org", "@type": "Event", "name": "Fair"')
    assert page.evaluate("document.querySelector('#source').matches('textarea')")
    held[0].continue_()
    page.wait_for_selector("#source.cm-content")
    page.keyboard.type("}")

    assert source_of(page) == '{"@context": "https://schema.org", "@type": "Event", "name": "Fair"}'
    page.wait_for_selector(".note-box")
    page.context.close()


@pytest.mark.parametrize(("address", "box"), [("validate/", "#source"), ("explorer/preview/", "#source")])
def test_back_and_a_reload_find_what_was_typed(browser: Any, served: str, address: str, box: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    text = '{"@context": "https://schema.org", "@type": "Event", "name": "Spring fair"}'
    holds = (
        "([box, text]) => ((at) => at && (at.value ?? at.textContent).includes(text))(document.querySelector(box))"
        " && document.querySelector('.finds, .note-box')"
    )
    page.goto(f"{served}{address}")
    page.wait_for_selector("[data-ready]")
    page.fill(box, text)
    page.wait_for_selector(".finds, .note-box")

    page.goto(f"{served}rules/")
    page.go_back()
    until(page, holds, [box, text])

    page.reload()
    until(page, holds, [box, text])

    page.fill(box, "")
    until(page, "() => history.state === null")
    page.context.close()


def test_back_finds_what_was_typed_on_the_home_page(browser: Any, served: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    page.goto(served)
    page.fill("#mini-text", '{"@type": "Event"}')

    page.goto(f"{served}rules/")
    page.go_back()

    until(page, "() => document.querySelector('#mini-text').value.includes('Event')")
    page.context.close()


def test_back_and_reload_restore_homes_text_and_findings(browser: Any, served: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    text = '{"@context": "https://schema.org", "@type": "recipe", "name": "Soup"}'
    holds = "text => document.querySelector('#mini-text').value === text && document.querySelector('.said .place')"
    page.goto(served)
    page.focus("#mini-text")
    page.fill("#mini-text", text)
    until(page, "() => history.state?.box && document.querySelector('.said .place')")

    page.goto(f"{served}rules/")
    page.go_back()
    until(page, holds, text)

    page.reload()
    until(page, holds, text)

    page.fill("#mini-text", "")
    until(page, "() => history.state === null")
    page.context.close()


COMPARES_EVENT = "document.querySelector('#h-rules ~ .two h3').textContent.includes('Event')"
KEEPS_HOST = "document.querySelector('[data-ready] #check-host')?.value === 'shop.example.com'"


@pytest.mark.parametrize(
    ("address", "box", "value", "holds"),
    [
        ("explorer/compare/", "[name=first]", "Event", COMPARES_EVENT),
        ("explorer/compare/#a=Article&b=Recipe", "[name=first]", "Event", "location.hash === '#a=Event&b=Recipe'"),
        ("safety/check/", "#check-host", "shop.example.com", KEEPS_HOST),
        ("safety/check/#host=stop.test", "#check-host", "shop.example.com", KEEPS_HOST),
    ],
)
def test_a_choice_before_the_script_loads_counts(
    browser: Any, served: str, address: str, box: str, value: str, holds: str
) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    held: list[Any] = []
    is_open = False
    page.route(
        re.compile(r"/assets/(?!theme)[^/]*\.js"), lambda route: route.continue_() if is_open else held.append(route)
    )
    page.goto(f"{served}{address}", wait_until="commit")
    page.wait_for_selector(box)
    page.focus(box)
    page.locator(box).select_option(value) if box == "[name=first]" else page.fill(box, value)
    page.wait_for_timeout(100)

    is_open = True
    for route in held:
        route.continue_()

    until(page, f"() => {holds}")
    page.context.close()


@pytest.mark.parametrize("address", ["", "validate/", "explorer/preview/"])
def test_the_button_for_a_file_is_named_once(browser: Any, served: str, address: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    page.goto(f"{served}{address}")
    page.wait_for_selector("input[type=file]", state="attached")

    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]

    named = [
        each["role"]["value"]
        for each in tree
        if not each["ignored"] and each.get("name", {}).get("value") in ("Open a file", "Open files")
    ]
    assert named == ["button"]
    page.context.close()


def test_a_report_on_paper_omits_the_box(browser: Any, served: str) -> None:
    page = browser.new_context(**VIEWS["light"]).new_page()
    page.goto(f"{served}validate/")
    page.wait_for_selector("[data-ready]")
    write(page, '{"@context": "https://schema.org", "@type": "Event", "name": "Spring fair"}')
    page.wait_for_selector(".note-box")

    page.emulate_media(media="print")

    page.wait_for_selector(".excerpts .note-box")
    assert not page.is_visible("#source")
    page.context.close()
