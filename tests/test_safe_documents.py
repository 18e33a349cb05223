"""Nothing that runs a script and nothing that hides leaves in a document, a card or an export."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.formats.text import display_name, without_hidden
from waypost.formats.urls import is_identifier, is_web_address, runs_script
from waypost.pages.bundle import scripts
from waypost.preview import make_snippet, to_markup
from waypost.preview.cleaning import safe_document
from waypost.preview.stored_cards import safe_card
from waypost.registry import load

RUNNING = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:MsgBox(1)", "data:text/html,<b>1</b>",
    "data:text/html;base64,PGI+", " javascript:alert(1)", "\x01javascript:alert(1)", "java\tscript:alert(1)",
    "java\nscript:alert(1)",
]  # fmt: skip
ELSEWHERE = [
    "file:///etc/passwd", "blob:https://example.com/1", "ftp://example.com/", "mailto:a@example.com", "//example.com/",
    "https:example.com", "/path",
]  # fmt: skip
PAGE = "https://www.example.com/page"


def article(url: str) -> dict[str, Any]:
    """A document with the address in every place that holds one."""
    return {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "id": url,
        "name": "Ferry runs again",
        "url": url,
        "sameAs": [url, "https://social.example.com/ferry"],
        "image": [{"url": url, "width": 3}, {"url": "https://news.example.com/a.jpg"}],
        "author": [{"@type": "Person", "name": "Mira", "url": url}],
        "isPartOf": {"@type": "WebSite", "url": url},
        "breadcrumb": [{"position": 1, "name": "News", "item": url}],
        "video": [{"name": "Film", "contentUrl": url, "thumbnailUrl": [url]}],
    }


def strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for part in parts for each in strings(part)]


@pytest.mark.parametrize("url", RUNNING + ELSEWHERE)
def test_a_document_keeps_addresses_of_the_web_alone(url: str) -> None:
    safe, dropped = safe_document(article(url), load())

    assert url not in strings(safe)
    assert set(dropped) == {
        "/id", "/url", "/sameAs/0", "/image/0/url", "/author/0/url", "/isPartOf/url", "/breadcrumb/0/item",
        "/video/0/contentUrl", "/video/0/thumbnailUrl/0",
    }  # fmt: skip
    assert (safe["id"], safe["url"]) == ("about:blank", "about:blank")
    assert safe["image"] == [{"url": "https://news.example.com/a.jpg"}]
    assert "isPartOf" not in safe
    assert safe_document(safe, load()) == (safe, ())


@pytest.mark.parametrize("url", RUNNING)
@pytest.mark.parametrize("before", ["", '<script type="application/ld+json">'])
def test_no_card_or_export_has_an_address_that_runs(url: str, before: str) -> None:
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "@id": url,
        "name": "Kettle",
        "url": url,
        "sameAs": url,
        "image": [url, {"@type": "ImageObject", "url": url, "contentUrl": url}],
        "brand": {"@type": "Brand", "name": "x", "url": url},
        "offers": {"@type": "Offer", "price": "1", "priceCurrency": "EUR", "url": url},
        "additionalProperty": {"@type": "PropertyValue", "name": "link", "value": url},
    }

    made = make_snippet(f"{before}{json.dumps(data)}".encode(), url=PAGE)

    rendered = [made.unified, to_markup(made.unified), msgspec.to_builtins(made.snippet)]
    assert [text for part in rendered for text in strings(part) if runs_script(text)] == []
    assert url not in strings(to_markup(article(url)))


def test_a_card_stored_earlier_loses_its_links() -> None:
    items = [{"title": "t", "url": RUNNING[1]}]
    card = {"title": "a\u202eb", "url": RUNNING[0], "display_url": "x", "image": {"url": "data:,x"}, "items": items}

    safe = safe_card(card)

    assert safe["items"] == [{"title": "t", "url": None}]
    assert safe | {"items": []} == {"title": "ab", "url": None, "display_url": None, "image": None, "items": []}


@pytest.mark.parametrize(
    "text", ["https://example.com/javascript:1", "HTTP://EXAMPLE.com", "https://example.com/data:,"]
)
def test_an_address_of_the_web_stays_whatever_its_path(text: str) -> None:
    assert is_web_address(text)
    assert is_identifier(text)
    assert not runs_script(text)


def test_a_urn_identifies_and_other_colons_are_text() -> None:
    assert is_identifier("urn:isbn:9783161484100")
    assert not is_web_address("urn:isbn:9783161484100")
    assert not runs_script("data: 5 GB a month")


HIDDEN = {
    "direction override": "Acme\u202emoc.live", "isolate": "A\u2066cme\u2069", "marks": "A\u200e\u200fcme\u061c",
    "zero width": "Ac\u200bme\ufeff", "joiner in ASCII": "Ac\u200dme", "joiners in a row": "é\u200d\u200c\u200dé",
    "control": "Ac\x1b[31mme\x07", "tags": "Acme\U000e0041\U000e0042", "selectors": "Acme\U000e0101",
    "filler": "Acme\u3164\u115f",
}  # fmt: skip
SEEN = ["Zoë’s Café", "קפה ירושלים", "می\u200cخواهم", "क्\u200dष", "👩\u200d👧", "東京"]


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_hiding_and_reordering_characters_leave_a_name(text: str) -> None:
    name = display_name(text)

    assert name != text
    assert not {"Cc", "Cf"} & {unicodedata.category(char) for char in name}
    assert without_hidden(name) == name


@pytest.mark.parametrize("text", SEEN)
def test_a_name_of_any_script_stays_as_it_is(text: str) -> None:
    assert display_name(text) == text


def test_a_name_has_one_line_and_an_end() -> None:
    assert display_name("Acme\n\nignore all rules\u2028now") == "Acme ignore all rules now"
    assert len(display_name("x" * 10_000)) == 200


PROGRAM = """
const fs = require("fs");
const [folder, cases] = [process.argv[2], JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of ["drawing.js", "reading.js"]) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const made = cases.map((document) => engine.preview({ document, now: "2026-11-20T12:00:00Z" }).unified);
process.stdout.write(JSON.stringify(made));
"""


def test_the_browsers_engine_makes_the_same_document(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    for name, data in scripts(load()).items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "program.js").write_text(PROGRAM, "utf-8")
    whole = article("https://example.com/")
    free = ["javascript:1", "data: 5 GB", "data:,x", "data:;base64,x", "plain", {"a": ["vbscript:1", "b"]}]
    cases = [article(url) for url in RUNNING + ELSEWHERE if url.strip() == url and url.isprintable()]
    cases += [whole | {"description": text} for text in (*HIDDEN.values(), *SEEN)]
    cases += [whole | {"additionalProperty": [{"propertyID": "p", "value": each}]} for each in free]
    command = [node, tmp_path / "program.js", tmp_path]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, timeout=60, check=True)

    assert json.loads(done.stdout) == [make_snippet(case).unified for case in cases]
