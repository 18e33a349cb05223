"""The site in a browser: nothing on the console under its strict policy, no barrier for anybody, all by keyboard.

One page of each kind stands for its kind. WAYPOST_AXE names the folder that holds `axe.min.js` (npm axe-core 4.14).
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import ROOT, VIEWS, until

from waypost.contract.headers import page_headers

KINDS = [
    "",
    "explorer/",
    "explorer/preview/",
    "explorer/compare/",
    "types/",
    "types/Product/",
    "model/",
    "model/image/",
    "mappings/",
    "mappings/NewsArticle/",
    "schemas/",
    "rules/",
    "rules/price-invalid/",
    "rules/json-trailing-comma/",
    "profiles/",
    "profiles/google/recipe/",
    "validate/",
    "safety/",
    "safety/check/",
    "safety/how/",
    "safety/reading/",
    "safety/replay/",
    "safety/replay/payment-at-an-impersonating-host/",
    "safety/reasons/",
    "safety/reasons/brand_impersonation_signal/",
    "safety/unknowns/dns_timeout/",
    "safety/evidence/registry_review/",
    "safety/signals/",
    "safety/signals/brand-typo/",
    "safety/policies/",
    "safety/policies/strict-2026-11-20/",
    "safety/dispute/",
    "api/",
    "api/check-agent-safety/",
    "api/preview-snippet/",
    "api/limits/",
    "api/errors/",
    "problems/",
    "problems/invalid-request/",
    "keys/",
    "messages/",
    "messages/missing-field/",
    "get/",
    "docs/",
    "docs/agents/",
    "security/",
    "changelog/",
]
PARTS = 5
"""Tests that walk over many pages are cut into so many, that two workers share them."""
MISSING = "404.html"
"""It names its files from the root of its host, so it is looked at on a server."""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WIDTHS = (390, 961, 1024, 1249, 1600)
"""Widths of screens, in pixels, on both sides of each at which pages are laid out anew. 320: test_every_page.py."""
COLOUR = ["color-contrast", "link-in-text-block"]
LAYOUT = ["target-size", "scrollable-region-focusable"]
DESKTOP = {"light": [*COLOUR, *LAYOUT], "dark": COLOUR, "tablet": LAYOUT, "320": LAYOUT, "rtl": LAYOUT}
"""Rules of axe by view of a desk: those whose answer can change, because they read colours (`COLOUR`) or boxes
(`LAYOUT`). The rest (`DOCUMENT`) read the document, once on a wide screen, and once on a phone with all others, where
other parts are visible."""
DOCUMENT = {"runOnly": TAGS, "rules": {name: {"enabled": False} for name in [*COLOUR, *LAYOUT]}}
# What axe is unsure of counts as well, but for the contrast of lone signs (an arrow key, a dot, stars, a comma between
# two links, which are looked at for themselves): it reads no text in them. Their colours are tokens, whose contrast
# tests/test_pages_appearance.py works out. What sticks is laid where it belongs first, the side navigation is laid open
# and the stage of a card loses its pattern of lines: axe cannot tell what stands behind a text that something overlaps
# or cuts off, or that stands on a drawn ground.
AXE = """async (rules) => {
  for (const each of document.querySelectorAll("body *")) {
    if (getComputedStyle(each).position === "sticky") each.style.position = "static";
    if (each.matches(".side-in")) Object.assign(each.style, { maxBlockSize: "none", overflow: "visible" });
    if (each.matches(".stage")) each.style.backgroundImage = "none";
  }
  const found = await axe.run(document, { ...rules, resultTypes: ["violations", "incomplete"] });
  const own = (node) => [...document.querySelector(node.target[0]).childNodes].filter((each) => each.nodeType === 3);
  const isSign = (node) => !/[\\p{L}\\p{N}]/u.test(own(node).map((each) => each.data).join(""));
  const unsure = found.incomplete.map((each) => ({
    ...each, nodes: each.id === "color-contrast" ? each.nodes.filter((node) => !isSign(node)) : each.nodes,
  })).filter((each) => each.nodes.length);
  const said = ({ id, nodes: [first] }) => `${id}: ${first.html} ${first.failureSummary}`;
  return [["violates", found.violations], ["unsure of", unsure]]
    .flatMap(([word, all]) => all.map((each) => `${word} ${said(each)}`));
}"""

STYLED = sorted(
    set().union(*(re.findall(r"\[([a-z-]+)", path.read_text("utf-8")) for path in (ROOT / "site/css").glob("*.css")))
    - {"href", "for"}
)
"""Attributes that a style sheet asks for."""
MOST_ALIKE = 3
# Of rows that repeat one another (the rules, the fields of the model), a few stay: a row is taken away where three
# before it had its elements, classes and styled attributes, behind a neighbour of the same shape. Colours and boxes
# come of nothing else; whether a text is short enough for a small target counts too. The rules that read the document
# have read all rows before, and on a phone every rule reads all. (For the first view of twelve pages, axe took 77.5 s
# with the colours and boxes of all rows, and 47.3 s so, on 2026-11-27.)
THINNED = """([styled, most]) => {
  const shape = (each) => `<${[
    each.localName, each.classList.value, ...styled.map((name) => each.getAttribute(name)), each.textContent.length < 5,
    ...[...each.children].map(shape),
  ].join("|")}>`;
  for (const home of document.querySelectorAll("main tbody, main ul, main ol, main dl")) {
    const met = {};
    let before = "";
    for (const each of [...home.children]) {
      const own = shape(each);
      met[before + own] = (met[before + own] ?? 0) + 1;
      if (met[before + own] > most) each.remove(); else before = own;
    }
  }
}"""


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    context = browser.new_context(**VIEWS["light"])
    yield context.new_page()
    context.close()


def file_of(address: str) -> str:
    return address if address.endswith(".html") else f"{address}index.html"


def console_of(page: Any) -> list[str]:
    """What a page says on the console from now on."""
    messages: list[str] = []
    page.on("console", lambda message: messages.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: messages.append(f"{page.url}: {error}"))
    return messages


def barriers(page: Any, hand: str) -> list[str]:
    """What axe reports of the page as it stands, in each view of a desk (`DESK`) or on a phone. On a desk, rows that
    repeat others are gone afterwards (`THINNED`)."""
    if hand == "phone":
        return [f"phone: {each}" for each in page.evaluate(AXE, {"runOnly": TAGS})]
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size(VIEWS["light"]["viewport"])
    found = [f"light: {each}" for each in page.evaluate(AXE, DOCUMENT)]
    page.evaluate(THINNED, [STYLED, MOST_ALIKE])
    for name, rules in DESKTOP.items():
        view = VIEWS.get(name, VIEWS["light"])
        page.emulate_media(color_scheme=view["color_scheme"], reduced_motion="reduce")  # colours change at once
        page.set_viewport_size(view["viewport"])
        page.evaluate("(dir) => { document.documentElement.dir = dir; }", "rtl" if name == "rtl" else "ltr")
        found += [f"{name}: {each}" for each in page.evaluate(AXE, {"runOnly": rules})]
    page.set_viewport_size(VIEWS["light"]["viewport"])
    page.emulate_media(color_scheme="light")
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_each_kind_of_page_is_accessible_and_fits_its_screen(part: int, hand: tuple[str, Any], served: str) -> None:
    name, page = hand
    wrong: list[str] = []

    for address in (*KINDS, MISSING)[part::PARTS]:
        page.goto(f"{served}{file_of(address)}")
        for width in () if name == "phone" else WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            wide = page.evaluate("document.documentElement.scrollWidth")
            wrong += [f"{address}: {wide} px in {width} px"] if wide > width else []
        wrong += [f"{address}: {each}" for each in barriers(page, name)]

    assert not wrong, "\n".join(wrong)


def test_static_host_and_a_service_give_the_same_files(served: str, service: str) -> None:
    """What needs nothing but the files is tried in a browser from one of the two."""

    def given(root: str, path: str) -> tuple[bytes, dict[str, str]]:
        with urllib.request.urlopen(f"{root.rstrip('/')}/{path}", timeout=120) as answer:
            return answer.read(), {name: answer.headers[name] for name in page_headers()}

    for address in (*KINDS, "assets-of-home"):
        if address == "keys/":
            continue  # the console of a service
        path = f"{address}index.html"
        if address == "assets-of-home":
            path = re.findall(r'src="(assets/[^"]+)"', given(served, "index.html")[0].decode())[-1]
        assert given(served, path) == given(service, path), path


def most_requests(address: str) -> int:
    """Files that a page may load before anybody uses it."""
    if address == "404.html":
        return 7  # it searches for the name in its address, in the part of the index of its section
    return 12 if address.startswith(("explorer/preview/", "validate/")) else 5


CONTROLS = """() => [...document.querySelectorAll("button, input, select, textarea, .nav, .side, .copy")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.offsetParent)
  .map((each) => each.outerHTML.slice(0, 90))"""


def test_in_a_folder_each_kind_of_page_stays_offline(tab: Any, site: Path) -> None:
    """From a server: tests/browser/test_every_page.py."""
    root = f"{site.as_uri()}/"
    messages = console_of(tab)
    requests: list[str] = []
    printed: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))

    for address in KINDS:
        before = len(requests)
        tab.goto(f"{root}{address}index.html")
        assert len(requests) - before <= most_requests(address), requests[before:]
        if address in {"validate/", "explorer/preview/"}:
            continue  # what is typed there is the content
        tab.emulate_media(media="print")
        printed += [f"{address}: {each}" for each in tab.evaluate(CONTROLS)]
        tab.emulate_media(media="screen")
    tab.focus("input[role=combobox]")
    until(tab, "Boolean(window.waypost.entries)")

    assert messages == []
    assert printed == []
    assert {url for url in requests if not url.startswith(root)} == set()


def test_the_missing_page_offers_similar_addresses(tab: Any, served: str, site: Path) -> None:
    messages = console_of(tab)
    missing_page = (site / "404.html").read_text("utf-8")
    tab.route(
        "**/rules/price-invlid/", lambda route: route.fulfill(status=404, body=missing_page, content_type="text/html")
    )

    tab.goto(f"{served}rules/price-invlid/")
    tab.wait_for_selector("[data-nearest] a")

    assert tab.get_attribute("[data-nearest] a", "href") == "/rules/price-invalid/index.html"
    assert [each for each in messages if "404" not in each] == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("event-ends-before-start", "Event ends before it starts"),
        ("datePublished", "datePublished"),
        ("no_decisive_signal", "No decisive signal"),
        ("newsart", "NewsArticle"),
        ("recpie", "Recipe"),
        ("google/recipe", "Recipe rich result"),
    ],
)
def test_search_finds_ids_first_then_beginnings_then_typos(typed: str, first: str, tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/index.html")

    tab.keyboard.press("/")
    tab.keyboard.type(typed)
    tab.wait_for_selector("#hit-0")

    assert tab.inner_text("#hit-0 b") == first


def test_search_is_a_combobox_for_the_keyboard_alone(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/docs/agents/index.html")
    tab.keyboard.press("/")
    box = tab.locator("input[role=combobox]")

    tab.keyboard.type("price-inv")
    tab.wait_for_selector("#hit-0")
    assert box.get_attribute("aria-expanded") == "true"
    assert box.get_attribute("aria-activedescendant") is None

    tab.keyboard.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") == "hit-0"
    assert tab.locator("#hit-0").get_attribute("aria-selected") == "true"

    tab.keyboard.press("Escape")
    assert box.get_attribute("aria-expanded") == "false"
    assert tab.evaluate("document.activeElement.getAttribute('role')") == "combobox"

    tab.keyboard.type("a")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rules/price-invalid/index.html")


def test_what_is_not_written_is_reported_as_not_found(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/index.html")
    tab.fill("input[role=combobox]", "zzzzqq")
    until(tab, "document.querySelector('.find [role=status]').textContent.startsWith('Nothing')")

    tab.fill("input[role=combobox]", "zzzzqq <img src=x onerror=alert(1)>")
    tab.wait_for_selector("#hit-0")

    assert tab.locator(".hits img").count() == 0


def test_the_theme_follows_the_system_until_chosen(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["dark"])
    page = context.new_page()
    page.goto(f"{site.as_uri()}/index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.get_attribute(".theme", "aria-pressed") == "true"
    dark = page.evaluate(ground)

    page.click(".theme")
    assert page.get_attribute(".theme", "aria-pressed") == "false"
    light = page.evaluate(ground)
    page.goto(f"{site.as_uri()}/rules/index.html")

    assert page.evaluate(ground) == light != dark
    context.close()


def test_on_a_phone_one_button_shows_the_navigation(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["phone"])
    page = context.new_page()
    page.goto(f"{site.as_uri()}/rules/index.html")
    assert not page.is_visible(".nav")
    assert not page.is_visible(".side")

    page.click(".menu")

    assert page.is_visible(".nav")
    assert page.is_visible(".side")
    assert page.get_attribute(".menu", "aria-expanded") == "true"
    context.close()


def test_a_table_is_filtered_and_reports_how_many_remain(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/rules/index.html")
    whole = int(tab.inner_text(".filter output").split()[0])

    tab.fill(".filter [name=words]", "type")
    tab.select_option(".filter [name=severity]", "error")

    left = tab.locator("#rules tbody tr:visible").count()
    assert 0 < left < whole
    assert tab.inner_text(".filter output") == f"{left} of {whole}"


def test_without_scripts_everything_can_be_read(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["phone"], java_script_enabled=False)
    page = context.new_page()

    for address in ("", "rules/", "explorer/preview/", "validate/", "keys/"):
        page.goto(f"{site.as_uri()}/{address}index.html")
        assert page.is_visible("h1")
        assert page.is_visible(".nav")
        assert not page.is_visible(".js >> nth=0")
    assert page.is_visible(".side")
    context.close()


def test_page_on_paper_has_its_content_and_no_controls(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/safety/reading/index.html")
    tab.emulate_media(media="print")

    assert tab.is_visible(".decision >> nth=0")
    for hidden in (".top", ".side", ".foot"):
        assert not tab.is_visible(hidden)


def test_the_side_navigation_ends_on_a_complete_line(tab: Any, site: Path) -> None:
    for height in (700, 811, 900):
        tab.set_viewport_size({"width": 1440, "height": height})
        for address in ("api/check-agent-safety/", "rules/price-invalid/", "types/Product/"):
            tab.goto(f"{site.as_uri()}/{address}index.html")
            cut = tab.evaluate("""() => {
              const box = document.querySelector(".side-in").getBoundingClientRect();
              return [...document.querySelectorAll(".side-in h2, .side-in li")].flatMap((each) => {
                const lines = each.getBoundingClientRect();
                const row = parseFloat(getComputedStyle(each).lineHeight);
                const over = (lines.bottom - box.bottom) / row;
                return lines.top < box.bottom - 1 && Math.abs(over - Math.round(over)) > 0.05
                  ? [`${each.textContent}: ${over}`] : [];
              });
            }""")
            assert cut == [], (address, height)


def test_on_a_phone_each_cell_names_its_column(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["phone"])
    page = context.new_page()
    for address, column in (
        ("rules/", "Severity"),
        ("api/check-agent-safety/", "Meaning"),
        ("docs/agents/", "belongs to"),
    ):
        page.goto(f"{site.as_uri()}/{address}index.html")
        label = f"td[data-column='{column}']"
        assert page.eval_on_selector(label, "cell => getComputedStyle(cell, '::before').content") == f'"{column}"'
        assert page.evaluate(
            "[...document.querySelectorAll('.wide')].every((each) => each.scrollWidth <= each.clientWidth)"
        )
    page.goto(f"{site.as_uri()}/docs/mcp/index.html")
    assert page.eval_on_selector("td:nth-child(2)", "cell => getComputedStyle(cell, '::before').content") == "none"
    context.close()


def test_on_a_phone_the_filters_are_folded_until_needed(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["phone"])
    page = context.new_page()
    page.goto(f"{site.as_uri()}/explorer/index.html")
    assert page.is_visible(".filter [name=words]")
    assert not page.is_visible(".filter [name=status]")

    page.get_by_label("More filters").check()

    assert page.is_visible(".filter [name=status]")
    context.close()


def test_explorer_is_folded_by_group_and_opens_on_request(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["phone"])
    page = context.new_page()
    page.goto(f"{site.as_uri()}/explorer/index.html")
    folds = page.locator(".groups details")
    assert folds.count() > 3
    assert page.locator(".groups details[open]").count() == 1
    assert page.evaluate("document.documentElement.scrollHeight") < 8000
    names = folds.locator("summary h2").all_inner_texts()
    assert names[:3] == ["Types", "Rich results", "Fields of the unified model"]
    counts = folds.locator("summary .num").all_inner_texts()
    assert page.inner_text(".filter output") == f"{sum(map(int, counts))} in all"

    page.fill(".filter [name=words]", "price-invalid")

    assert page.locator(".groups details:visible summary h2").all_inner_texts() == ["Rules: Google"]
    assert page.get_by_role("link", name="Price is not a number").is_visible()
    context.close()


def test_browser_without_scripts_opens_a_group_of_the_explorer(browser: Any, site: Path) -> None:
    context = browser.new_context(**VIEWS["phone"], java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.as_uri()}/explorer/index.html")
    link = page.get_by_role("link", name="Recipe rich result", exact=True)
    assert not link.is_visible()

    page.locator("summary", has_text="Rich results").click()

    assert link.is_visible()
    context.close()


def test_each_kind_of_check_of_a_decision_stands_once(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/safety/check/index.html")
    tab.get_by_role("button", name="stop.test").click()
    tab.wait_for_selector(".decision")

    lines = tab.locator(".decision dt:text-is('Evidence') + dd li").all_inner_texts()

    assert "threat_list_check: observed, match" in [line.partition("\n")[0] for line in lines]
    assert len({line.partition(":")[0] for line in lines}) == len(lines)


def test_an_expired_decision_reports_it_and_offers_nothing(tab: Any, site: Path) -> None:
    tab.goto(f"{site.as_uri()}/safety/check/index.html")
    tab.get_by_role("button", name="allow.test").click()
    tab.wait_for_selector(".decision")
    end = tab.evaluate(
        """() => {
          const panel = document.querySelector(".decision");
          panel.dataset.expires = new Date(Date.now() + 1500).toISOString();
          for (const [name, value] of [["data-left", ""], ["role", "status"]]) {
            const made = document.createElement("span");
            made.setAttribute(name, value);
            panel.querySelector(".until").append(made);
          }
          waypost.until(panel);
          return panel.querySelector("[role=status]").textContent;
        }"""
    )
    assert end == "Expires in one minute"

    until(tab, "document.querySelector('.decision h2').textContent.startsWith('EXPIRED')")

    assert tab.locator(".decision >> nth=0 >> .next a[href]").count() == 0
    assert tab.get_attribute(".verdict >> nth=0", "data-v") == "over"


def test_code_is_copied_as_it_stands(browser: Any, served: str) -> None:
    context = browser.new_context(**VIEWS["light"], permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{served}rules/price-invalid/index.html")

    page.click(".copy >> nth=0")
    until(page, "document.querySelector('.copy').textContent === 'Copied Example 1'")
    page.click(".copy >> nth=0")

    assert re.search(r'"price": "64,90"', page.evaluate("navigator.clipboard.readText()"))
    until(page, "document.querySelector('.copy').textContent === 'Copy Example 1'")
    context.close()
