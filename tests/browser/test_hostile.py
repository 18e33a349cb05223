"""What strangers put into a field or a link stays text, in every field of every form and every part of every link.

Nothing here is listed by hand. Pages with fields are found in the built site, fields in the pages as each of their
choices shows them, parts of a link in what the page's own button puts there, forms of the console by walking it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until
from tests.browser.test_console import send_request

ROOT = Path(__file__).parents[2]
LONG = 200_000
HOSTILE = {
    "markup": "<script>alert(1)</script>\"'><img src=x onerror=alert(1)><svg onload=alert(1)>"
    "</textarea></title></script><script>alert(1)</script><!--\u202egnp.exe \u2066x\u2067y",
    "address": "javascript:alert(1)//https://www.example.com/",
    "long": "x" * LONG,
}
"""Every kind of hostile text: those that work anywhere in a value are one, as each of them has to stay text."""
SHORT = {name: text for name, text in HOSTILE.items() if name != "long"}
TEXT = "textarea, input" + "".join(
    f":not([type={kind}])" for kind in ("radio", "checkbox", "file", "hidden", "submit", "number")
)
"""Fields that take any text; the browser itself refuses all but numbers in a field for a number."""
SIZES = r"((min-)?height|(inline|block)-size|margin-top|tab-size): [\d.e+-]+(ch|px)?"
WORDS = r"position: sticky|(visibility|pointer-events): \w+"
# What would run, load or lead somewhere.
INERT = """() => [...document.querySelectorAll("body *")].flatMap((each) => [
  ...(each.matches("script, iframe, object, embed, link, meta, base, style, img:not(.cm-widgetBuffer)")
    ? [each.outerHTML.slice(0, 99)] : []),
  ...[...each.attributes].filter(({ name, value }) => /^on/i.test(name) || name === "srcdoc"
    || (name === "style"
      && !new RegExp(String.raw`^((SIZES_|transform: translate(Y)?\\([-\\d.px, ]+\\)|WORDS_);? ?)+$`).test(value))
    || (/^(href|src|action|formaction|xlink:href|data|poster)$/i.test(name)
      && /^[\\s\\0]*(javascript|vbscript|data:text)/i.test(value)))
    .map(({ name, value }) => `${name}=${value.slice(0, 80)}`),
])""".replace("SIZES_", SIZES).replace("WORDS_", WORDS)
# A text that turns the direction of what follows must not reach what others wrote: nothing stands behind it before the
# element that isolates it ends, or the block that it is in.
TURNED = """() => {
  const wrong = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    if (!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(text.data)) continue;
    if (text.parentElement.closest("textarea, option, script")) continue;
    for (let at = text; ; at = at.parentElement) {
      let behind = "";
      for (let next = at.nextSibling; next; next = next.nextSibling) {
        if (next.nodeType === 1 && !getComputedStyle(next).display.startsWith("inline")) break;
        behind += next.textContent;
      }
      const style = getComputedStyle(at.parentElement);
      const parts = /flex|grid/.test(style.display);
      if (behind.trim() && !parts) { wrong.push(at.parentElement.outerHTML.slice(0, 160)); break; }
      if (/isolate|plaintext/.test(style.unicodeBidi) || style.display !== "inline") break;
    }
  }
  return wrong;
}"""
FIELDS = f"""() => [...document.querySelectorAll('{TEXT}')]
  .map((each, at) => each.id || each.name || `${{each.tagName}} ${{at}}`)"""
FILL = f"""([text, only]) => {{
  for (const [at, each] of [...document.querySelectorAll('{TEXT}')].entries()) {{
    if (only !== null && at !== only) continue;
    each.value = text;
    for (const kind of ["input", "change"]) each.dispatchEvent(new Event(kind, {{ bubbles: true }}));
  }}
}}"""
CHOICES = """() => [...document.querySelectorAll("main input[type=radio]")].map((each) => [each.name, each.value])"""
CHOOSE = """([name, value]) => {
  const all = [...document.querySelectorAll("main input[type=radio]")];
  const found = all.find((each) => each.name === name && each.value === value);
  if (found && !found.checked) found.click();
}"""
HELD = """async () => {
  const [, how, text] = /^#([sj])=(.*)$/.exec(location.hash);
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream();
  const plain = how === "s" ? stream.pipeThrough(new DecompressionStream("deflate-raw")) : stream;
  return JSON.parse(await new Response(plain).text());
}"""
# Lets every timer end at once, and knows what is still under way: timers, frames and scripts that have not come.
HURRY = """(() => {
  const { setTimeout: set, clearTimeout: clear, requestAnimationFrame: frame } = window;
  const waiting = new Set(), come = new WeakSet();
  window.setTimeout = (work, _ms, ...rest) => {
    const own = set(() => { waiting.delete(own); work(...rest); });
    waiting.add(own);
    return own;
  };
  window.clearTimeout = (own) => { waiting.delete(own); clear(own); };
  window.requestAnimationFrame = (work) => {
    const own = {};
    waiting.add(own);
    return frame((time) => { waiting.delete(own); work(time); });
  };
  for (const kind of ["load", "error"]) document.addEventListener(kind, ({ target }) => come.add(target), true);
  const isIdle = () => !waiting.size && [...document.querySelectorAll("script[src]")].every((each) => come.has(each));
  window.idle = async () => {
    let turn = 0;
    do await new Promise((done) => set(done, 2)); while (!isIdle() && (turn += 1) < 10_000);
    return isIdle();
  };
})()"""
# Puts a text in the place of every string of a link, one after another and then all at once, opens each, and tells what
# of it came alive.
LINKS = f"""async ([held, texts, known]) => {{
  const inert = {INERT};
  const turned = {TURNED};
  const leaves = [];
  const find = (value, path) => {{
    if (typeof value === "string") leaves.push(path);
    else for (const [key, each] of Object.entries(value ?? {{}})) find(each, [...path, key]);
  }};
  find(held, []);
  const named = (path) => path.filter((each) => !/^\\d+$/.test(each)).join(".");
  const fresh = leaves.filter((each) => !known.includes(named(each)));
  const put = (value, path, text) => {{ path.slice(0, -1).reduce((at, key) => at[key], value)[path.at(-1)] = text; }};
  const open = async (value) => {{
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    history.replaceState(null, "", `#j=${{btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}}`);
    dispatchEvent(new Event("hashchange"));
    if (!await idle()) throw new Error("the page did not come to rest");
  }};
  const before = new Set(inert());
  const wrong = [];
  let shown = 0;
  for (const text of texts) {{
    for (const paths of [...fresh.map((each) => [each]), leaves]) {{
      const value = structuredClone(held);
      for (const path of paths) put(value, path, text);
      await open(value);
      const written = [...document.querySelectorAll("textarea")].map((each) => each.value);
      written.push(document.querySelector("main").textContent);
      shown += written.some((each) => each.includes(text.slice(0, 20)));
      for (const each of [...inert().filter((found) => !before.has(found)), ...turned()]) {{
        wrong.push(`${{paths.length > 1 ? "all" : paths[0].join(".")}}: ${{each}}`);
      }}
    }}
  }}
  return {{ leaves: leaves.map(named), shown, wrong }};
}}"""


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A page that must neither complain nor ask anything of anybody."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.add_init_script(HURRY)
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: (messages.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    yield page
    assert [each for each in messages if "the server responded with a status of 4" not in each] == []
    context.close()


def with_fields(site: Path) -> list[str]:
    """One page for each set of fields that pages have or that a script gives them."""
    found: dict[tuple[str, ...], str] = {}
    for path in sorted(site.rglob("index.html")):
        html = path.read_text("utf-8")
        main = html[html.index("<main") : html.rindex("</main>")]
        fields = sorted(
            set(re.findall(r"<(?:input|textarea|select)\b[^>]*?(?:\bname=\"[^\"]*\"|\bid=\"[^\"]*\")", main))
        )
        fields += re.findall(r"data-workbench=\"\w+\"|id=\"compare\"", main)
        if fields or path.parent == site:
            found.setdefault(tuple(fields), f"{path.relative_to(site).as_posix()}")
    return list(found.values())


def opened(page: Any, address: str) -> None:
    page.goto(f"{address}#a=Article&b=Event" if "/compare/" in address else address)
    if page.locator("#workbench, #compare").count():
        page.wait_for_selector("[data-ready]", state="attached")


def at_rest(page: Any) -> None:
    assert page.evaluate("idle()"), f"{page.url} did not come to rest"


def choices(page: Any) -> Iterator[str]:
    """Every view that the page's radio buttons lead to, for the first two kinds that it knows."""
    yield "as it opens"
    kinds = page.eval_on_selector_all("main select#kind option", "all => all.map(each => each.value)")[:2]
    for kind in kinds or [""]:
        if kind:
            page.select_option("main select#kind", kind)
            at_rest(page)
            yield kind
        waiting = [tuple(each) for each in page.evaluate(CHOICES)]
        known = set(waiting)
        while waiting:
            name, value = waiting.pop(0)
            page.evaluate(CHOOSE, [name, value])
            at_rest(page)
            yield f"{kind} {name} {value}"
            # What a choice shows is tried before the next choice hides it again.
            displayed = [each for each in map(tuple, page.evaluate(CHOICES)) if each not in known]
            known.update(displayed)
            waiting = displayed + waiting


def test_hostile_text_stays_text_in_every_field(tab: Any, site: Path) -> None:
    met: set[str] = set()
    wrong: list[str] = []
    pages = with_fields(site)
    assert len(pages) > 6

    for name in pages:
        opened(tab, f"{site.as_uri()}/{name}")
        before = set(tab.evaluate(INERT))
        for view in choices(tab):
            fields = tab.evaluate(FIELDS)
            fresh = [at for at, field in enumerate(fields) if field not in met]
            if not fresh:
                continue
            met.update(fields)
            # All fields at once, but for the long text, which is drawn as often as there are fields.
            tries = [(kind, text, None) for kind, text in SHORT.items()]
            tries += [("long", HOSTILE["long"], at) for at in fresh]
            for kind, text, only in tries:
                tab.evaluate(FILL, [text, only])
                at_rest(tab)
                alive = [*(each for each in tab.evaluate(INERT) if each not in before), *tab.evaluate(TURNED)]
                wrong += [f"{name} {view} {kind}: {each}" for each in alive]
                if only is not None:
                    tab.evaluate(FILL, ["", only])

    assert wrong == []
    assert made_by_scripts() - met == set(), met


def made_by_scripts() -> set[str]:
    """The ids of the text fields that scripts make, where they are plain: none may have been missed."""
    text = "".join(path.read_text("utf-8") for path in (ROOT / "site" / "js").rglob("*.js"))
    return set(re.findall(r"el\(\"textarea\", \{ id: \"([\w-]+)\"", text))


def links(page: Any) -> Iterator[tuple[str, Any]]:
    """What the page's own button puts into a link, for every kind that the page knows."""
    kinds = page.eval_on_selector_all("main select#kind option", "all => all.map(each => each.value)")
    for kind in kinds or [""]:
        if kind:
            page.select_option("main select#kind", kind)
        page.evaluate("history.replaceState(null, '', '#')")
        page.get_by_role("button", name="Copy link").first.click()
        until(page, "/^#[sj]=/.test(location.hash)")
        yield kind, page.evaluate(HELD)


@pytest.mark.parametrize("name", ["explorer/preview/", "validate/", "explorer/compare/"])
def test_hostile_text_stays_text_in_every_link(name: str, tab: Any, site: Path) -> None:
    address = f"{site.as_uri()}/{name}index.html"
    opened(tab, f"{address}#kind=schema" if "/preview/" in address else address)
    begin(tab)
    known: list[str] = []

    for kind, value in dict(links(tab)).items():
        found = tab.evaluate(LINKS, [value, [*SHORT.values()], known])
        assert found["wrong"] == [], kind
        assert found["leaves"]
        assert found["shown"] > 0, kind
        known += found["leaves"]
        if kind in ("", "schema"):
            assert tab.evaluate(LINKS, [value, [HOSTILE["long"]], []])["wrong"] == []


def begin(page: Any) -> None:
    """Something to share, on pages that open empty."""
    if page.locator("#source").count():
        page.select_option("#examples", index=1)
        page.get_by_text("Share", exact=True).click()
    if page.locator("input[name=what][value=documents]").count():
        page.evaluate(CHOOSE, ["what", "documents"])
        page.wait_for_selector("#doc-first")


def test_every_page_that_makes_a_link_is_tried() -> None:
    scripts = [path for path in (ROOT / "site" / "js").rglob("*.js") if "shareButton(" in path.read_text("utf-8")]

    # `takeaway` is the part of the validate page with its links.
    assert {path.stem for path in scripts} - {"share"} == {"preview", "takeaway", "compare"}


FORMS = """() => [...document.querySelectorAll("form[method=post]")].map((each, at) => ({
  at, action: new URL(each.action || location.href, location.href).pathname,
  fields: [...each.elements].filter((field) => field.name).map((field) => field.name),
}))"""
SUBMIT = """([at, text, hidden]) => {
  const form = document.querySelectorAll("form[method=post]")[at];
  form.noValidate = true;
  for (const each of form.elements) {
    if (each.type === "hidden" ? !hidden : hidden) continue;
    if (each.tagName === "SELECT") each.append(new Option(text, text));
    if (each.tagName === "INPUT" && !["checkbox", "radio"].includes(each.type)) each.type = "text";
    if (["checkbox", "radio"].includes(each.type)) each.checked = true;
    else if (each.name) each.value = text;
  }
  form.submit();
}"""


def test_hostile_text_stays_text_in_every_console_form(tab: Any, up: dict[str, Any]) -> None:
    _, decision = send_request(up["site_url"], up["key"])
    tab.goto(up["sign_in_url"])
    tab.get_by_role("button", name="Sign in").click()
    tried: dict[str, set[str]] = {}
    waiting = ["/keys/", decision["dispute_path"]]
    seen = set(waiting)
    wrong: list[str] = []
    while waiting:
        path = waiting.pop()
        tab.goto(up["site_url"] + path)
        further = tab.eval_on_selector_all("main a", "all => all.map(each => new URL(each.href).pathname)")
        for each in further:
            shape = re.sub(r"[0-9a-f-]{20,}", "ID", each)
            if re.match(r"/(?:keys|reviews?|console)/", each) and shape not in seen:
                seen.add(shape)
                waiting.append(each)
        for form in tab.evaluate(FORMS):
            shape = re.sub(r"[0-9a-f-]{20,}", "ID", form["action"])
            if shape in tried or shape.endswith("/sign-out"):
                continue
            tried[shape] = set(form["fields"])
            for hidden in (True, False):
                for kind, text in HOSTILE.items():
                    tab.goto(up["site_url"] + path)
                    if form["at"] >= len(tab.evaluate(FORMS)):
                        continue  # it did what it is for
                    with tab.expect_navigation():
                        tab.evaluate(SUBMIT, [form["at"], text, hidden])
                    alive = [*tab.evaluate(INERT), *tab.evaluate(TURNED)]
                    wrong += [f"{shape} {kind}: {each}" for each in alive]
                    for inner in tab.evaluate(FORMS):  # a form that leads to another, as the review of a key does
                        step = re.sub(r"[0-9a-f-]{20,}", "ID", inner["action"])
                        if step not in tried and not step.endswith("/sign-out"):
                            tried[step] = set(inner["fields"])
                            with tab.expect_navigation():
                                tab.evaluate(SUBMIT, [inner["at"], text, True])
                            wrong += [f"{step} {kind}: {each}" for each in tab.evaluate(INERT)]
                            break

    assert wrong == []
    assert {"name", "statement", "contact", "evidence", "csrf"} <= set().union(*tried.values()), tried
    assert len(tried) >= 4, tried
