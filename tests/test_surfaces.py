"""Surfaces of a page: every rich result has a layout, every word its place, and the browser draws the same."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.cli import main
from waypost.models.page import Page
from waypost.models.surface import Limit
from waypost.pages.bundle import scripts
from waypost.preview import make_snippet
from waypost.preview.layouts import Scope, cut, width_of
from waypost.preview.surfaces import letter_widths, specification, surfaces_of, to_data
from waypost.reader import read_data, read_page
from waypost.registry import load
from waypost.report._surfaces import draw_html, draw_text

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
TITLED = b"<title>Hours</title>"
PROGRAM = """
const fs = require("fs");
const [folder, parts, texts] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const now = "2026-11-20T12:00:00Z";
process.stdout.write(JSON.stringify(texts.map((markup) => engine.surfaces({ markup, now }))));
"""


def drawn(data: bytes, *, is_json: bool = False) -> tuple[list[dict[str, Any]], Page]:
    page = (read_data if is_json else read_page)(data, REGISTRY.vocabulary)
    return to_data(surfaces_of(page, REGISTRY, now=NOW), page), page


def words(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield from part["words"]
        for entry in part.get("entries", ()):
            yield from words(entry)


def every_word(surfaces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [word for surface in surfaces for result in surface["results"] for word in words(result["parts"])]


def surface(surfaces: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(each for each in surfaces if each["surface"] == name)


def made_surfaces() -> Any:
    path = ROOT / "tools" / "make_surfaces.py"
    spec = importlib.util.spec_from_file_location("make_surfaces", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_result_that_is_not_retired_has_a_layout() -> None:
    with_layout = {profile for layout in specification(REGISTRY).layouts for profile in layout.profiles}

    assert with_layout == {name for name, each in REGISTRY.profiles.items() if each.status != "retired"}


def test_the_table_of_surfaces_is_what_the_cases_draw() -> None:
    module = made_surfaces()

    assert module.page() == (ROOT / "docs" / "surfaces.md").read_text("utf-8")
    assert all(module.sample(each.name) for each in specification(REGISTRY).layouts)


@pytest.mark.parametrize("path", sorted((CASES / "snippets").glob("*/input.json")), ids=lambda path: path.parent.name)
def test_words_stand_at_the_places_that_they_name(path: Path) -> None:
    data = path.read_bytes()
    surfaces, _ = drawn(data, is_json=True)
    placed = [(word, place) for word in every_word(surfaces) for place in word.get("places", ())]

    assert placed
    for word, place in placed:
        line = data.decode().splitlines()[place["line"] - 1]
        assert line[place["column"] - 1 :].strip(), word
        assert place["start"] < place["end"]


def test_a_page_with_a_title_alone_has_surfaces() -> None:
    surfaces, _ = drawn(TITLED)

    (result,) = surface(surfaces, "google-phone")["results"]
    assert [word["text"] for word in words(result["parts"])] == ["Hours"]
    assert next(words(result["parts"]))["places"] == [{"line": 1, "column": 8, "start": 7, "end": 12}]


def test_a_page_without_head_and_items_has_none() -> None:
    assert drawn(b"<p>Nothing")[0] == []


def test_phone_results_have_the_host_without_steps() -> None:
    surfaces, _ = drawn((CASES / "surfaces" / "plain-title-and-description.html").read_bytes())

    def address(name: str) -> str:
        parts = surface(surfaces, name)["results"][0]["parts"]
        return str(next(part for part in parts if part["part"] == "address")["words"][0]["text"])

    assert (address("google-phone"), address("google-desktop")) == (
        "museum.example.com",
        "museum.example.com › visit",
    )


def test_a_retired_result_is_named_with_its_day() -> None:
    page = {"@context": "https://schema.org", "@type": "FAQPage", "name": "Questions", "mainEntity": []}
    surfaces, _ = drawn(json.dumps(page).encode(), is_json=True)

    (retired,) = surface(surfaces, "google-desktop")["retired"]
    assert retired["title"].startswith("FAQ")
    assert retired["retired_on"] >= "2026"


def test_every_surface_and_result_names_dated_documentation() -> None:
    found = specification(REGISTRY)

    for source in [each.source for each in found.layouts] + [s for view in found.views for s in view.sources]:
        assert source.title
        assert source.url
        assert datetime.fromisoformat(source.dated).year >= 2025
    assert all(each.documented and each.differs for each in (*found.layouts, *found.views))


def scope() -> Scope:
    widths, em = letter_widths()
    page, _ = read_page(b"", REGISTRY.vocabulary), None
    return Scope(page, None, {}, {}, "desktop", {}, {}, widths, em, {})


@given(st.text(max_size=300))
def test_a_cut_text_fits_and_is_the_beginning(text: str) -> None:
    limit = Limit(name="title", title="Title", size=20, width=600)
    where = scope()

    beginning = cut(text, limit, where)

    assert text.startswith(beginning)
    assert width_of(beginning, limit, where) <= limit.width * where.em
    assert beginning == text or width_of(text, limit, where) > limit.width * where.em


def test_hostile_words_stay_text_in_html_and_terminal() -> None:
    page = b'<title>&lt;img src=x onerror=alert(1)&gt;</title><meta name=description content="&lt;/p&gt;\x1b[31mred">'
    surfaces, _ = drawn(page)

    html, text = draw_html(surfaces, "<script>"), draw_text(surfaces)

    assert "<img" not in html
    assert "<script" not in html
    assert "\x1b" not in text


def test_a_document_has_surfaces_without_places() -> None:
    preview = make_snippet((CASES / "snippets" / "RecipeSnippet" / "input.json").read_bytes(), REGISTRY, now=NOW)

    surfaces = to_data(surfaces_of(None, REGISTRY, preview=preview, now=NOW), None)

    assert surface(surfaces, "google-desktop")["results"][0]["title"] == "Text result"
    assert all("places" not in word for word in every_word(surfaces))


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the engine")
def test_the_browsers_engine_draws_the_same_surfaces(tmp_path: Path) -> None:
    files = [
        *CASES.glob("surfaces/*.json"),
        *CASES.glob("snippets/*/input.json"),
        *CASES.glob("profiles/*/good-*.json"),
    ]
    made = scripts(REGISTRY)
    for name, script in made.items():
        (tmp_path / name).write_bytes(script)
    (tmp_path / "program.cjs").write_text(PROGRAM, "utf-8")
    texts = [path.read_text("utf-8") for path in sorted(files)]
    command = ["node", str(tmp_path / "program.cjs"), str(tmp_path), json.dumps(list(made))]
    answer = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, timeout=300, check=True)

    for text, theirs in zip(texts, json.loads(answer.stdout), strict=True):
        for word in every_word(theirs):
            word["places"] = [
                {k: v for k, v in each.items() if k not in ("from", "to")} for each in word.get("places", ())
            ]
            if not word["places"]:
                del word["places"]
        ours = drawn(text.encode(), is_json=True)[0]
        for word in every_word(ours):
            if not word.get("places", True):
                del word["places"]
        assert theirs == json.loads(json.dumps(ours))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["preview", *arguments])
    return status, capsys.readouterr().out


def test_preview_of_a_plain_page_draws_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CASES / "surfaces" / "plain-title-and-description.html")

    status, out = run(capsys, path)

    assert status == 0
    assert "Google, desktop: Text result" in out
    assert "museum.example.com › visit" in out


def test_preview_draws_the_surfaces_that_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CASES / "surfaces" / "plain-x-large.html")

    _, out = run(capsys, path, "--surface", "x")
    assert "[picture 2:1] https://news.example.com/wide.jpg" in out
    assert "Google" not in out

    status, data = run(capsys, path, "--json")
    assert status == 0
    assert [each["surface"] for each in json.loads(data)["surfaces"]][-1] == "agent"
