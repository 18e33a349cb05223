"""What the pages beside the workbenches let one do, from a folder, from a static host, and from the service."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import FILES, ROOT, VIEWS, selected, source_of, until, write
from tests.browser.test_site_pages import barriers
from tests.browser.test_workbench import HOSTILE

from waypost.pages.compare import types
from waypost.pages.reference import operations
from waypost.preview.surfaces import specification
from waypost.registry import load

INERT = (
    "document.querySelectorAll('main script, main img:not(.cm-widgetBuffer), main iframe, "
    'main a[href^="javascript" i]\').length'
)


class Visit:
    """A visit to the site: what its pages loaded, and everything that their consoles said."""

    def __init__(self, browser: Any, place: str, kind: str = "") -> None:
        self.place = place
        self.kind = kind
        self.context = browser.new_context(**VIEWS["light"])
        self.page = self.context.new_page()
        self.messages: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.messages.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requested.append(request.url))

    def to(self, address: str) -> Any:
        path, _, fragment = address.partition("#")
        self.page.goto(f"{self.place}{path}index.html{f'#{fragment}' if fragment else ''}")
        return self.page


@pytest.fixture
def visit(browser: Any, place: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    made = Visit(browser, place, request.node.callspec.id)
    yield made
    assert made.messages == []
    assert all(url.startswith(place.partition("?")[0]) for url in made.requested)
    made.context.close()


@pytest.fixture
def folder(browser: Any, site: Any) -> Iterator[Visit]:
    """A visit to the folder alone, for what does not depend on where the site stands."""
    made = Visit(browser, f"{site.as_uri()}/")
    yield made
    assert made.messages == []
    made.context.close()


def typed(page: Any, selector: str, text: str) -> None:
    """Put a text of any length into a field, as pasting does."""
    page.eval_on_selector(
        selector,
        "(field, text) => { field.focus(); field.value = text; "
        "for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true })); }",
        text,
    )


@FILES
def test_home_loads_the_engine_only_for_a_miniature(visit: Visit) -> None:
    page = visit.to("")
    page.wait_for_timeout(200)
    assert not [url for url in visit.requested if "drawing." in url or "validating." in url]

    page.get_by_role("button", name="a price with a comma").click()
    until(page, "document.querySelector('[data-miniature=validate] .said li .place')")

    assert [url for url in visit.requested if "validating." in url]
    assert "'64,90' is not a plain number" in page.inner_text("[data-miniature=validate] .said li:not(.no-js) >> nth=0")


@FILES
def test_paste_box_checks_fixes_and_passes_the_text_on(visit: Visit) -> None:
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

    assert '"@type": "Recipe"' in source_of(page)


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("", "#mini-text"),
        ("explorer/compare/", "[name=first]"),
        ("api/preview-snippet/", ".try button"),
        ("safety/check/", "#check-host"),
    ],
)
def test_a_part_that_fails_to_load_reports_and_retries(address: str, field: str, browser: Any, served: str) -> None:
    visit = Visit(browser, served)
    page = visit.to(address)
    until(page, "Boolean(window.waypost.load)")
    page.route("**/assets/*.js", lambda route: route.abort())
    page.focus(field)
    until(
        page,
        "[...document.querySelectorAll('main [role=status]')]"
        ".some(each => each.textContent.includes('did not load') && each.offsetHeight > 1)",
    )

    page.unroute("**/assets/*.js")
    page.evaluate("document.activeElement.blur()")
    page.focus(field)

    until(page, "Boolean(document.querySelector('main [data-ready]'))")
    visit.context.close()


def test_a_type_is_compared_with_another_from_its_page(folder: Visit) -> None:
    page = folder.to("types/SoftwareApplication/")
    page.click("main >> text=Compare")
    until(page, "document.querySelector('#compare')?.hasAttribute('data-ready')")
    chosen = page.eval_on_selector_all("#compare select", "all => all.map(each => each.value)")

    assert chosen[0] == "SoftwareApplication" != chosen[1]
    page = folder.to("types/Recipe/")
    page.click("text=Preview this")
    until(page, "document.querySelector('#workbench')?.hasAttribute('data-ready')")
    assert page.input_value("#kind") == "recipe"


def test_an_empty_box_and_a_sound_page_report_it(folder: Visit) -> None:
    page = folder.to("")
    page.focus("#mini-text")
    page.fill("#mini-text", "")
    until(page, "document.querySelector('#mini-said').textContent.startsWith('Paste a page')")

    page.fill("#mini-text", '{"@context": "https://schema.org", "@type": "Thing", "name": "Lamp"}')

    until(page, "document.querySelector('#mini-said').textContent.startsWith('No errors, no warnings')")


@FILES
def test_what_is_pasted_drives_the_terminal_and_the_picture(visit: Visit) -> None:
    page = visit.to("")
    typed(page, "#mini-text", json.dumps({"@context": "https://schema.org", "@type": "Event", "name": "Quay fair"}))
    page.click("[data-miniature=validate] [data-check]")
    until(page, "document.querySelector('[data-card]').textContent.includes('Quay fair')")
    shell = page.inner_text("[data-shell]")

    assert shell.startswith("$ waypost validate page.html")
    assert "Event 'Quay fair', line 1: not eligible for event results" in shell
    assert "page.html:1:1: error[required-property-missing]" in shell
    until(page, "document.querySelector('[data-preview]').href.includes('#s=')")
    page.click("[data-preview]")
    page.wait_for_selector("#workbench[data-ready]")
    assert "Quay fair" in page.inner_text(".serp-card >> nth=0")


def test_a_folder_gets_its_table_on_the_front_page(folder: Visit, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(
            f'{{"@context": "https://schema.org", "@type": "Event", "name": "{name}"}}'
        )
    page = folder.to("")

    page.set_input_files("#mini-file", [tmp_path / "one.json", tmp_path / "two.json"])
    page.locator(".folder-line", has_text="2 files checked").wait_for()
    page.get_by_role("radio", name="By page").check(force=True)
    page.locator("[data-folder] tbody .place", has_text="two").first.click()

    until(page, "document.querySelector('#mini-text').value.includes('two')")


@pytest.mark.parametrize(
    ("host", "heading"),
    [
        ("impersonation.test", "RECORDED: On 20 November 2026: stop, do not pay here"),
        ("allow.test", "RECORDED: On 20 November 2026: paying was allowed until 12:05 UTC"),
        ("error.test", "Stop: no decision could be made"),
    ],
)
def test_the_front_page_decides_about_a_test_host(host: str, heading: str, folder: Visit) -> None:
    page = folder.to("")
    page.click(f".agent-home [data-host='{host}']")
    until(page, "document.querySelector('.agent-home').hasAttribute('data-ready')")

    made = " ".join(page.inner_text(".agent-home [data-shown] :is(h2, h3)").split()).replace(" :", ":")

    assert made == heading
    assert page.evaluate("location.hash") == ""


def test_homes_stop_has_nine_equal_statements_and_no_sum(folder: Visit) -> None:
    page = folder.to("")
    names = page.eval_on_selector_all("[data-miniature=check] .kv dt", "all => all.map(each => each.textContent)")

    assert names == [
        "Request", "Relationship", "Risk seen", "Evidence", "Confidence", "Unknowns", "Reason codes", "Policy",
        "Decision id",
    ]  # fmt: skip
    heading = " ".join(page.inner_text("[data-miniature=check] h3").split()).replace(" :", ":")
    assert heading == "RECORDED: On 20 November 2026: stop, do not pay here"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_in_a_miniature_stays_text(text: str, folder: Visit) -> None:
    page = folder.to("")
    before = page.evaluate(INERT)
    page.focus("#mini-text")
    until(page, "document.querySelector('[data-miniature=validate]').hasAttribute('data-ready')")

    typed(page, "#mini-text", json.dumps({"@context": "https://schema.org", "@type": text, "name": text, text: text}))
    typed(page, "#ask-host", text)
    page.press("#ask-host", "Enter")
    page.wait_for_timeout(600)

    assert page.evaluate(INERT) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


WIDTHS = json.loads((ROOT / "site" / "widths.json").read_text("utf-8"))
LIMITS = specification(load()).limits


def width(text: str, size: float) -> float:
    """How wide a text is by the table, in pixels."""
    of = {each: int(units) for units, characters in WIDTHS["characters"].items() for each in characters}
    return sum(of[each] for each in text) * size / WIDTHS["units_per_em"]


def drawn(visit: Visit, fragment: str = "") -> Any:
    page = visit.to(f"explorer/preview/#{fragment or 'kind=schema'}")
    page.wait_for_selector("[data-ready]")
    until(page, "Boolean(document.querySelector('.ruler'))")
    surface(page, "Google, desktop")
    return page


@FILES
def test_the_ruler_measures_a_line_and_its_cut(visit: Visit) -> None:
    page = drawn(visit)
    title, description = LIMITS["title-desktop"], LIMITS["description-desktop"]
    long = "Independent local reporting on the council, the schools, the harbour and the river since 1911"
    gauge = page.locator("[data-slot=title]")
    assert gauge.locator(".tag").inner_text() == "Fits"

    page.fill("#f-name", long)
    until(page, "document.querySelector('[data-slot=title] .tag').textContent === 'Is cut'")

    displayed = gauge.locator(".gauge-text > span").first.inner_text()
    assert gauge.locator(".num").inner_text() == f"{width(long, title.size):.0f} of about 580 to 600 px"
    assert long.startswith(f"{displayed} ")
    assert width(f"{displayed}…", title.size) <= title.width
    following = long[len(displayed) :].split(maxsplit=1)[0]
    assert width(f"{displayed} {following}…", title.size) > title.width
    assert gauge.locator("s").inner_text().endswith(long[len(displayed) :].strip())
    assert "An estimate" in page.inner_text(".ruler")

    page.fill("#f-description", "word " * 90)
    until(page, "document.querySelector('[data-slot=description] .tag').textContent === 'Is cut'")
    text = page.inner_text("[data-slot=description] .num")
    assert text.replace(",", "") == f"{width(('word ' * 90).strip(), description.size):.0f} of about 920 px"


def test_between_the_two_measured_widths_a_title_may_be_cut(folder: Visit) -> None:
    page = drawn(folder)
    text = "n"
    while width(f"{text}n", 20) < 590:
        text += "n"

    page.fill("#f-name", text)
    until(page, "document.querySelector('[data-slot=title] .tag').textContent !== 'Fits'")

    assert page.inner_text("[data-slot=title] .tag") == "May be cut"
    assert page.locator("[data-slot=title] s").count() == 0


PAGE = """<!doctype html><title>T</title>
<meta property="og:title" content="Bridge opens">
<meta property="og:description" content="Traffic is back.">
<meta property="og:image" content="https://www.example.com/bridge.jpg">
<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">
<meta property="og:url" content="https://www.example.com/bridge">
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Harbour bridge opens",
 "description": "Traffic is back.", "url": "https://www.example.com/bridge"}
</script>"""


def surface(page: Any, name: str) -> None:
    page.get_by_role("radiogroup", name="Surface").get_by_role("radio", name=name).check()


def my_page(page: Any, markup: str) -> None:
    page.get_by_role("radiogroup", name="Input").get_by_role("radio", name="Your page").check()
    write(page, markup)


@FILES
def test_the_social_cards_draw_the_head(visit: Visit) -> None:
    page = drawn(visit)
    surface(page, "Social")

    my_page(page, PAGE)
    until(page, "document.querySelector('.is-open-graph .serp-title')?.textContent === 'Bridge opens'")

    card = page.locator(".is-open-graph.serp")
    assert card.locator(".serp-address").inner_text().lower() == "example.com"
    assert "bridge.jpg" in card.locator(".serp-media").inner_text()
    assert page.locator(".is-x.serp .at-start").count() == 1


def test_open_graph_is_drawn_without_structured_data(folder: Visit) -> None:
    page = drawn(folder)
    surface(page, "Social")

    my_page(page, '<meta property="og:title" content="Harbour Courier"><p>x</p>')
    until(page, "document.querySelector('.is-open-graph .serp-title')?.textContent === 'Harbour Courier'")

    assert page.locator(".snip-gap").all_inner_texts() == [
        "No og:image given",
        "No twitter:image and no og:image given",
    ]
    write(page, "<p>nothing</p>")
    until(page, "document.querySelector('.surfaces').innerText.includes('Nothing to show')")


def test_open_graph_is_read_as_browsers_read_it(folder: Visit) -> None:
    page = drawn(folder)
    surface(page, "Social")

    my_page(
        page,
        "<!-- <meta property='og:title' content='commented out'> --><textarea><meta property='og:title' content='text'>"
        "</textarea><META Content='Salt &amp; &quot;pepper&quot; > it' onload=alert(1) property=og:title>"
        "<meta property='og:title' content='a second one'><meta name='og:description' content='by name'>",
    )
    until(page, "Boolean(document.querySelector('.is-open-graph .serp-text'))")

    assert page.inner_text(".is-open-graph .serp-title") == 'Salt & "pepper" > it'
    assert page.inner_text(".is-open-graph .serp-text") == "by name"


def test_a_page_of_unfinished_tags_is_read_at_once(folder: Visit) -> None:
    page = drawn(folder)
    surface(page, "Social")
    for piece in ("<meta ", "<!--", '<meta "', "<script ", "<h1>", "<meta property=og:title content='"):
        my_page(page, "og: " + piece * (200_000 // len(piece)))
    page.wait_for_timeout(300)

    write(page, PAGE)
    until(page, "document.querySelector('.is-open-graph .serp-title')?.textContent === 'Bridge opens'")


def test_a_word_leads_to_its_place_and_back(folder: Visit) -> None:
    page = drawn(folder)
    my_page(page, PAGE)
    until(page, "document.querySelector('.serp-text')?.textContent.includes('Traffic')")
    word = page.locator(".serp-text .word").first

    word.hover()
    assert page.inner_text(".pointed") == "description, line 9, column 17"
    assert page.locator(".m-here").inner_text() == '"Traffic is back."'

    word.click()
    assert selected(page) == '"Traffic is back."'
    assert word.get_attribute("data-here") == ""


def test_pictures_come_from_files_and_nothing_is_requested(folder: Visit) -> None:
    page = drawn(folder)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    surface(page, "Social")
    my_page(page, PAGE)
    until(page, "Boolean(document.querySelector('.serp-media'))")
    picture = (ROOT / "site" / "picture.png").read_bytes()

    page.set_input_files("#pictures", [{"name": "bridge.jpg", "mimeType": "image/png", "buffer": picture}])
    until(page, "document.querySelectorAll('.serp-media img').length === 2")

    assert all(each.startswith(("file:", "data:")) for each in requested)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_open_graph_and_lines_stay_text(text: str, folder: Visit) -> None:
    page = drawn(folder)
    before = page.evaluate(INERT)
    typed(page, "#f-name", text)
    typed(page, "#f-description", text)
    page.wait_for_timeout(400)
    assert page.evaluate(INERT) == before

    quoted = html.escape(text)
    names = ("title", "description", "image", "image:width", "image:height", "image:alt", "url", "site_name")
    metas = "".join(f'<meta property="og:{name}" content="{quoted}">' for name in names)
    surface(page, "Social")
    my_page(page, f"{metas}<script>alert(1)</script><img src=x onerror=alert(1)>{text}")
    until(page, "Boolean(document.querySelector('.is-open-graph'))")

    assert page.evaluate(INERT) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def compared(page: Any) -> dict[str, list[str]]:
    """The rows of a comparison: field -> how they compare, what one says, what the other says."""
    rows: list[list[str]] = page.eval_on_selector_all(
        ".compare tbody tr",
        "rows => rows.map(row => [row.querySelector('code'), row.querySelector('.tag'), ...row.querySelectorAll('td')]"
        ".map(each => each.textContent))",
    )
    return {name: rest for name, *rest in rows}


def test_the_script_draws_the_comparison_of_the_page(folder: Visit) -> None:
    page = folder.to("explorer/compare/")
    written = page.inner_text("[data-result]")

    page.focus("#compare [name=first]")
    until(page, "document.querySelector('#compare').hasAttribute('data-ready')")
    page.select_option("#compare [name=first]", "Recipe")
    page.select_option("#compare [name=first]", "Product")

    assert page.inner_text("[data-result]") == written


def test_on_a_phone_both_types_fit_and_headings_stay_intact(folder: Visit) -> None:
    page = folder.to("explorer/compare/#a=Product&b=SoftwareApplication")
    page.set_viewport_size({"width": 390, "height": 844})

    assert page.is_visible("#compare [name=first]")
    assert page.is_visible("#compare [name=second]")
    lines = page.eval_on_selector_all(".compare thead a", "all => all.map(each => each.getClientRects().length)")
    assert lines == [1, 1]


@FILES
def test_two_types_are_compared_and_linked(visit: Visit) -> None:
    page = visit.to("explorer/compare/#a=Recipe&b=VideoObject")
    until(page, "document.querySelector('#compare').hasAttribute('data-ready')")
    rows = compared(page)
    report = types(load())
    assert rows.keys() == {*report["Recipe"]["fields"], *report["VideoObject"]["fields"]}
    assert rows["recipeIngredient"][0] == "only Recipe"
    for name, (how, *_) in rows.items():
        one, other = (report[each]["fields"].get(name) for each in ("Recipe", "VideoObject"))
        assert (how == "same") is (one == other), name

    page.check("[name=only]")
    assert compared(page).keys() == {name for name, (how, *_) in rows.items() if how != "same"}
    page.select_option("#compare [name=second]", "Recipe")
    assert page.inner_text(".nothing") == "Nothing differs."
    assert page.evaluate("location.hash") == "#a=Recipe&b=Recipe"


@FILES
def test_two_documents_are_compared_by_field_and_linked(visit: Visit) -> None:
    page = visit.to("explorer/compare/")
    assert not [url for url in visit.requested if "registry." in url]
    page.focus("#compare [name=what] >> nth=0")
    until(page, "document.querySelector('#compare').hasAttribute('data-ready')")
    page.get_by_role("radio", name="Documents").check()
    until(page, "document.querySelectorAll('.snip').length === 2")
    one = {"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "recipeYield": "2"}
    typed(page, "#doc-first", json.dumps(one))
    typed(page, "#doc-second", json.dumps(one | {"name": "Stew", "prepTime": "PT5M"}))
    until(page, "document.querySelectorAll('.snip-title')[1].textContent === 'Stew'")
    rows = compared(page)
    assert rows["name"] == ["differs", "Soup", "Stew"]
    assert rows["@type"] == ["same", "Recipe", "Recipe"]
    assert [how for how, *_ in rows.values()].count("only second") == 1

    page.get_by_role("button", name="Copy link").click()
    until(page, "location.hash.length > 20")
    fragment = page.evaluate("location.hash")
    page.goto("about:blank")
    page = visit.to(f"explorer/compare/{fragment}")
    until(page, "document.querySelectorAll('.snip-title').length === 2")

    assert page.locator(".snip-title").all_inner_texts() == ["Soup", "Stew"]


@pytest.mark.parametrize(
    "fragment", ["a=__proto__&b=constructor", "a=%00<img>", "s=AAAA", "j=bm8", "a=Recipe&b=nothing"]
)
def test_a_comparison_of_nonsense_is_none(fragment: str, folder: Visit) -> None:
    page = folder.to(f"explorer/compare/#{fragment}")
    until(page, "document.querySelector('#compare').hasAttribute('data-ready')")

    assert page.locator(".compare tbody tr").count() > 10


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_are_compared_as_text(text: str, folder: Visit) -> None:
    page = folder.to("explorer/compare/")
    page.focus("#compare [name=first]")
    until(page, "document.querySelector('#compare').hasAttribute('data-ready')")
    before = page.evaluate(INERT)
    page.get_by_role("radio", name="Documents").check()
    until(page, "document.querySelectorAll('.snip').length === 2")

    typed(
        page, "#doc-first", json.dumps({"@type": "Recipe", "@context": "https://schema.org", "name": text, "url": text})
    )
    typed(page, "#doc-second", f"<b onclick=alert(1)>{text}</b><script type='application/ld+json'>{text}</script>")
    page.wait_for_timeout(700)

    assert page.evaluate(INERT) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@FILES
def test_explorer_is_narrowed_by_consumer_data_type_and_status(visit: Visit) -> None:
    page = visit.to("explorer/")
    names = "all => all.map(each => each.textContent)"

    def displayed() -> list[str]:
        found: list[str] = page.eval_on_selector_all("#everything tbody tr:not([hidden]) th a", names)
        return found

    whole = len(displayed())
    page.select_option("[name=data]", "date-or-time")
    assert displayed() == ["datePublished", "dateModified", "validThrough", "startDate", "endDate"]
    page.select_option("[name=data]", "")
    page.select_option("[name=consumers]", "google")
    narrowed = displayed()
    assert 0 < len(narrowed) < whole
    assert "Recipe" in narrowed
    assert "recipeIngredient" in narrowed
    assert "json-trailing-comma" not in narrowed
    page.select_option("[name=status]", "retired")

    assert displayed()
    assert set(displayed()) <= set(narrowed)
    assert page.inner_text(".filter output") == f"{len(displayed())} of {whole}"


@FILES
def test_the_address_holds_the_state_of_a_table(visit: Visit) -> None:
    page = visit.to("rules/")
    page.fill("[name=words]", "price")
    page.select_option("[name=severity]", "error")
    text = page.inner_text(".filter output")
    address = page.url
    assert address.endswith("#words=price&severity=error")

    page.goto("about:blank")
    page.goto(address)
    assert page.input_value("[name=words]") == "price"
    assert page.input_value("[name=severity]") == "error"
    assert page.inner_text(".filter output") == text
    page.goto("about:blank")
    visit.to("rules/#length=1&item=x&severity=none&words=%3Cimg%20src%3Dx%3E&__proto__=x")
    assert page.input_value("[name=words]") == "<img src=x>"
    assert page.inner_text(".filter output").startswith("0 of ")


@FILES
def test_arrows_walk_the_rows_and_enter_opens_them(visit: Visit) -> None:
    page = visit.to("explorer/")
    focused = "document.activeElement.textContent"
    page.focus(".filter [name=words]")
    page.keyboard.type("price")
    names = page.eval_on_selector_all(
        "#everything tbody tr:not([hidden]) th a", "all => all.map(each => each.textContent)"
    )

    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == names[0]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == names[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "words"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.name") == "words"
    page.keyboard.press("Enter")

    page.wait_for_url("**/index.html")
    assert page.inner_text("h1") == names[0]


def tried(visit: Visit, name: str) -> Any:
    page = visit.to(f"api/{name}/")
    page.focus(".try button")
    until(page, "document.querySelector('.try').hasAttribute('data-ready')")
    return page


def test_operation_without_a_key_is_tried_from_its_page(visit: Visit) -> None:
    page = tried(visit, "preview-snippet")
    typed(page, "[name='site.name']", 'Quay\'s "Own"')

    page.click(".try button")
    until(page, "Boolean(document.querySelector('[data-shown] figure'))")

    text, displayed = page.inner_text(".try > [role=status]"), page.inner_text("[data-shown]")
    assert r'''"name": "Quay'\''s \"Own\""''' in displayed, "the request as curl, quoted for a shell"
    assert "markup" not in displayed.partition("curl")[2], "what is left empty is left out"
    if visit.place.startswith("file:"):
        assert "opened from a folder" in text
    elif "static" in visit.kind:
        visit.messages.clear()  # the static host's own 501
        assert "501" in text
        assert "This response is not from waypost" in displayed
    else:
        assert text.startswith("Answered with 200")
        assert json.loads(page.inner_text("[data-shown] pre >> nth=1"))["snippet"]["title"] == 'Quay\'s "Own"'


def test_rejection_by_the_service_is_displayed_with_its_page(browser: Any, service: str) -> None:
    visit = Visit(browser, f"{service.rstrip('/')}/")
    page = tried(visit, "read-schema")
    page.fill("[name=type]", "../Nothing?x")
    page.click(".try button")
    until(page, "Boolean(document.querySelector('[data-shown] a'))")

    assert page.inner_text(".try > [role=status]").startswith("Answered with 404")
    assert "/v1/schema/..%2FNothing%3Fx" in page.inner_text("[data-shown]")
    page.click("[data-shown] a")
    page.wait_for_url("**/problems/*/index.html")
    page = tried(visit, "read-health")
    page.click(".try button")
    until(page, "Boolean(document.querySelector('[data-shown] figure'))")
    assert page.inner_text(".try > [role=status]").startswith("Answered with 200")
    visit.context.close()


def test_a_json_member_is_checked_before_it_is_sent(folder: Visit) -> None:
    page = tried(folder, "preview-snippet")
    page.click(".try summary")
    page.fill("[name=document]", "{nothing")
    page.click(".try summary")
    page.click(".try button")

    until(page, "document.querySelector('.try > [role=status]').textContent.startsWith('One of the fields')")

    assert page.locator("[name=document]").is_visible(), "a wrong field is unfolded"
    assert page.locator("[data-shown] figure").count() == 0
    page.fill("[name=document]", '{"name": "x"}')
    page.click(".try button")
    until(page, "Boolean(document.querySelector('[data-shown] figure'))")
    assert '"document": {' in page.inner_text("[data-shown]")


def test_no_named_field_of_an_operation_takes_a_key(site: Path) -> None:
    for operation in operations():
        main = (site / operation.address / "index.html").read_text("utf-8").partition("<main")[2]
        fields = re.findall(r'<(?:input|select|textarea|button)[^>]* name="([^"]+)"', main)
        assert not [name for name in fields if "key" in name or "auth" in name or "secret" in name], operation.address
        if operation.needs == "key":
            assert "Authorization: Bearer $WAYPOST_API_KEY" in html.unescape(re.sub("<[^>]+>", "", main))
        if operation.for_programs and operation.name != "show-dispute-form":
            assert len(re.findall(r"<section[^>]* data-try", main)) == 1, operation.address


@pytest.mark.parametrize("name", ["check-agent-safety", "preview-snippet"])
def test_no_script_adds_a_field_for_a_key(name: str, folder: Visit) -> None:
    page = folder.to(f"api/{name}/")
    before = page.eval_on_selector_all("main [name]", "all => all.map(each => each.name)")
    if page.locator(".try button").count():
        page.focus(".try button")
        until(page, "document.querySelector('.try').hasAttribute('data-ready')")

    after = page.eval_on_selector_all("main [name]", "all => all.map(each => each.name)")

    assert after == before
    assert not [each for each in after if "key" in each or "auth" in each or "secret" in each]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_in_a_request_stays_text(text: str, folder: Visit) -> None:
    for name, field in (("preview-snippet", "site.name"), ("read-schema", "type")):
        page = tried(folder, name)
        before = page.evaluate(INERT)
        page.evaluate(
            "document.querySelectorAll('.try [maxlength]').forEach(each => each.removeAttribute('maxlength'))"
        )
        typed(page, f"[name='{field}']", text)
        page.click(".try button")
        until(page, "Boolean(document.querySelector('[data-shown] figure'))")
        assert page.evaluate(INERT) == before
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_any_answer_is_displayed_as_text(browser: Any, served: str) -> None:
    visit = Visit(browser, served)
    hostile = {"code": "javascript:alert(1)", "title": "<img src=x onerror=alert(1)>", "x": "</script>"}
    visit.page.route(
        "**/v1/schema", lambda route: route.fulfill(status=500, json=hostile, content_type="application/problem+json")
    )
    page = tried(visit, "list-schemas")
    before = page.evaluate(INERT)

    page.click(".try button")
    until(page, "Boolean(document.querySelector('[data-shown] figure'))")

    assert "<img src=x" in page.inner_text("[data-shown]")
    assert page.evaluate(INERT) == before
    assert page.locator("[data-shown] a").count() == 0
    visit.context.close()


LIVE = {
    "verdict": "Paying is allowed here until 12:05 UTC",
    "dated": "On 1 March 2030: paying is allowed here until 12:05 UTC",
    "past": "On 1 March 2030: paying was allowed until 12:05 UTC",
    "tier": 3,
    "because": "Money does not come back.",
    "row": {"line": "relationship", "holds": True, "required": ["verified_official"], "found": ["verified_official"]},
    "effects": [
        {"type": "registry_review", "status": "observed", "turns": True, "text": "Without it: a stop."},
        {"type": "lexical_check", "status": "observed", "turns": False, "text": "Without it: still allowed."},
    ],
    "decision": {
        "decision_id": "00000000-0000-7000-8000-000000000000",
        "normalized_domain": "shop.example.com",
        "relationship_status": "verified_official",
        "risk_status": "no_high_risk_signal_observed",
        "action": "payment",
        "action_allowed": True,
        "reason_codes": ["official_relationship_verified"],
        "evidence_summary": [
            {"type": "lexical_check", "status": "observed"},
            {"type": "registry_review", "status": "observed"},
        ],
        "policy_version": "baseline-2026-11-29",
        "confidence_class": "high",
        "unknowns": [],
        "expires_at": "2030-03-01T12:05:00.000Z",
        "dispute_path": "/v1/decisions/00000000-0000-7000-8000-000000000000/disputes",
    },
}


def test_recorded_live_and_expired_answers_have_different_frames(browser: Any, served: str) -> None:
    visit = Visit(browser, served)
    page = visit.page
    page.clock.install(time="2030-03-01T12:00:00Z")
    page.route("**/keys/session", lambda route: route.fulfill(json={"signed_in": True, "csrf": "x"}))
    page.route("**/keys/check", lambda route: route.fulfill(json=LIVE))
    visit.to("safety/check/")

    def frame() -> tuple[Any, ...]:
        style = "getComputedStyle(document.querySelector('.decision')).borderTopStyle"
        shapes = [each.get_attribute("href") for each in page.locator(".decision .verdict use").all()]
        return page.text_content(".decision h2"), page.evaluate(style), *shapes

    page.fill("#check-host", "allow.test")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".is-recorded")
    recorded = frame()
    page.fill("#check-host", "shop.example.com")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".is-live")
    live = frame()
    evidence = page.inner_text(".cells .all")
    page.clock.run_for(400_000)
    page.wait_for_selector(".is-expired")
    expired = frame()

    assert recorded[0].startswith("RECORDED: On 20 November 2026: paying was allowed until ")
    assert live[0] == "LIVE: On 1 March 2030: paying is allowed here until 12:05 UTC"
    assert expired[0] == "EXPIRED: On 1 March 2030: paying was allowed until 12:05 UTC. Check again."
    for one, two in ((recorded, live), (live, expired), (recorded, expired)):
        assert all(mine != other for mine, other in zip(one, two, strict=True)), (one, two)
    assert evidence.index("registry_review") < evidence.index("lexical_check"), "what turns the decision comes first"
    assert page.locator(".decision .next a[href]").count() == 0
    visit.context.close()


def test_a_service_that_stops_midway_is_not_called_absent(browser: Any, served: str) -> None:
    visit = Visit(browser, served)
    visit.page.route("**/keys/session", lambda route: route.fulfill(json={"signed_in": True, "csrf": "x"}))
    visit.page.route("**/keys/check", lambda route: route.abort("connectionreset"))
    page = visit.to("safety/check/")
    page.fill("#check-host", "shop.example.com")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("#checked")

    displayed = page.inner_text("[data-shown]")

    assert "Stop: no decision could be made" in displayed
    assert f"The service at {served.rstrip('/')} stopped answering before its decision arrived" in displayed
    visit.context.close()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "There is no decision with this id at"),
        (503, "answered with status 503"),
        (None, "did not answer, so it is not known whether it has this decision"),
    ],
)
def test_only_the_services_answer_makes_a_decision_unknown(
    status: int | None, words: str, browser: Any, served: str
) -> None:
    visit = Visit(browser, served)
    visit.page.route(
        "**/disputes",
        lambda route: route.fulfill(status=status, body="") if status else route.abort("connectionrefused"),
    )
    page = visit.to("safety/check/")
    page.get_by_label("Decision id", exact=True).fill("00000000-0000-4000-8000-000000000000")

    page.get_by_role("button", name="Dispute this decision").click()
    message = page.locator("[data-dispute] [role=status]")
    message.filter(has_text=words).wait_for()

    assert "/v1/decisions/00000000-0000-4000-8000-000000000000/disputes" in message.inner_text()
    visit.context.close()


CLICK = "document.querySelector({!r}).click()".format
# Columns as high as what they hold: axe is unsure of what is scrolled out of sight, or lies below a menu.
FOUND = """
  for (const each of document.querySelectorAll("#workbench, #workbench .columns, #workbench .columns > *"))
    Object.assign(each.style, { blockSize: "max-content", maxBlockSize: "none", overflow: "visible" });
  const examples = document.querySelector("#examples");
  examples.selectedIndex = 1;
  examples.dispatchEvent(new Event("change"));
"""
OPTIONS = """
  for (const each of document.querySelectorAll(".sum, .columns")) each.hidden = true;
  document.querySelector("details.pop").open = true;
"""
EMPTIED = """
  const area = document.querySelector("#f-json");
  area.value = "{}";
  area.dispatchEvent(new Event("input"));
"""
# What is opened, what is done there, and what is there when it is done.
USED = {
    "home": ("", CLICK("[data-try]"), ".said .place"),
    "own": ("explorer/preview/", CLICK(".starts button"), ".serp"),
    "ruler": ("explorer/preview/#kind=schema", "", ".ruler"),
    "social": ("explorer/preview/#kind=news", CLICK("input[value=social]"), ".is-open-graph"),
    "agent": ("explorer/preview/#kind=recipe", CLICK("input[value=agent]"), ".is-agent"),
    "no card": ("explorer/preview/#kind=news", EMPTIED, ".surfaces .snip-gap"),
    "pair": ("explorer/compare/#a=Recipe&b=Event", "", "#compare[data-ready]"),
    "documents": ("explorer/compare/#a=Recipe&b=Event", CLICK("[value=documents]"), ".snip"),
    "tried": ("api/preview-snippet/", CLICK(".try button"), "[data-shown] figure"),
    "options": ("validate/", OPTIONS, ".pop-in"),
    "found": ("validate/", FOUND, ".note-box >> visible=true"),
    "edited": ("rules/price-invalid/", CLICK("[data-case] button"), ".case-told:not(:empty)"),
}  # fmt: skip


@pytest.mark.parametrize("state", USED)
def test_a_page_that_was_used_has_no_barrier(state: str, hand: tuple[str, Any], site: Any) -> None:
    name, page = hand
    address, act, done, *more = USED[state]
    path, _, fragment = address.partition("#")
    page.goto(f"{site.as_uri()}/{path}index.html{f'#{fragment}' if fragment else ''}")
    if "explorer" in path or path == "validate/":
        page.wait_for_selector("[data-ready]", state="attached")
    if clicked := re.match(r"document\.querySelector\((['\"])(.+)\1\)\.click", act):
        page.wait_for_selector(clicked[2], state="attached")
    page.evaluate(f"() => {{ {act} }}")
    if path == "explorer/preview/":
        page.evaluate("() => { document.querySelector('#workbench').style.blockSize = 'max-content'; }")
    for each in (done, *more):
        page.wait_for_selector(each)
        if more and each == done:
            page.click(each)
    page.evaluate("scrollTo(0, 0)")  # the bar stays above what it covers
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")

    assert barriers(page, name) == []
    assert wide <= 0


# Examples that are edited where they stand.

STATUS = ".case-told"


def reported(page: Any, words: str) -> bool:
    until(page, f"(document.querySelector('{STATUS}')?.textContent ?? '').includes({json.dumps(words)})")
    return True


@FILES
def test_example_of_a_rule_is_edited_fixed_and_reset(visit: Visit) -> None:
    page = visit.to("rules/price-invalid/")
    before = page.locator("#fails + .cases > figure").first.inner_text()
    assert not any("validating" in url for url in visit.requested)

    page.get_by_role("button", name="Edit: ").first.click()
    assert reported(page, "price-invalid reports it once")
    area = page.locator("figure textarea")
    assert json.loads(area.input_value())["offers"]["price"] == "64,90"

    area.locator("xpath=..").get_by_role("button", name="Go to 7:14").click()
    chosen = area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert chosen == '"64,90"'
    area.locator("xpath=..").get_by_role("button", name="Fix").click()
    assert reported(page, "price-invalid reports nothing here")
    assert json.loads(area.input_value())["offers"]["price"] == "64.90"
    area.fill('{"@context": "https://schema.org", "@type": "Offer", "price": "free"}')
    assert reported(page, "price-invalid reports it")

    page.get_by_role("button", name="Put back: ").click()
    assert page.locator("figure textarea").count() == 0
    assert page.locator("#fails + .cases > figure").first.inner_text() == before


def test_passing_pages_and_rich_results_are_checked_in_place_too(folder: Visit) -> None:
    page = folder.to("rules/price-invalid/")
    page.locator("#passes + .cases").get_by_role("button", name="Edit: ").first.click()
    assert reported(page, "price-invalid reports nothing here")

    page = folder.to("profiles/google/recipe/")
    page.locator("#fails + .cases").get_by_role("button", name="Edit: ").first.click()
    assert reported(page, "google/recipe reports it")


def test_an_example_names_checks_of_the_command_line_alone(folder: Visit) -> None:
    page = folder.to("rules/html-encoding-unknown/")
    page.get_by_role("button", name="Edit: ").first.click()
    assert reported(page, "checked by the command line and the service only")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_in_an_example_stays_text(text: str, folder: Visit) -> None:
    page = folder.to("rules/price-invalid/")
    page.get_by_role("button", name="Edit: ").first.click()
    reported(page, "price-invalid reports it")
    page.locator("figure textarea").fill(json.dumps({"@context": "https://schema.org", "@type": text, "price": text}))
    page.wait_for_timeout(600)
    assert page.evaluate(INERT) == 0
