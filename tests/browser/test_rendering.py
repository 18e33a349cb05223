"""Pages after their scripts in the machine's Chromium: verdicts about both pages, a browser without connections."""

from __future__ import annotations

import json
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from waypost.models.finding import FileReport
from waypost.net.crawl import Crawler

CASES = Path(__file__).parent.parent / "cases" / "rendering"
EXPECTED: dict[str, Any] = json.loads((CASES / "expected.json").read_text("utf-8"))
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ENDED = {"loop-without-end", "memory-without-end"}
"""Pages whose scripts never end: each takes the time that it has."""


@pytest.fixture(scope="module")
def browser() -> str:
    pytest.importorskip("playwright", reason="waypost[render] is not installed")
    from waypost.render.browsers import NoBrowser, find_browser

    try:
        return find_browser()
    except NoBrowser as error:
        if os.environ.get("WAYPOST_BROWSER") == "required":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def rendered(browser: str) -> dict[str, FileReport]:
    """Reports of all made pages, by name."""
    from waypost.lint.inputs import collect
    from waypost.lint.page import LintOptions, validate_input
    from waypost.lint.page_sources import PageStore, open_page
    from waypost.lint.rendering import add_rendering, target_of
    from waypost.render.model import Limits
    from waypost.render.renderer import Renderer

    options = LintOptions(now=NOW)
    inputs = [each for each in collect([str(CASES)], None).inputs if each.where.endswith(".html")]
    inputs = [each for each in inputs if Path(each.where).parent == CASES]
    sources = [open_page(each, allow_private=False) for each in inputs]
    files = {}
    with closing(PageStore()) as store, Crawler(robots=False) as crawler:
        with Renderer(crawler, browser, limits=Limits(total_s=60)) as renderer:
            usual = [n for n, each in enumerate(inputs) if Path(each.where).stem not in ENDED]
            found = dict(renderer.render((n, target_of(inputs[n], sources[n], [CASES])) for n in usual))
        with Renderer(crawler, browser, limits=Limits(total_s=3)) as renderer:
            rest = [n for n in range(len(inputs)) if n not in found]
            found |= dict(renderer.render((n, target_of(inputs[n], sources[n], [CASES])) for n in rest))
        for number, after in found.items():
            file = validate_input(inputs[number], options, store).file
            assert file is not None
            add_rendering(inputs[number], sources[number], file, after, options, store)
            files[Path(inputs[number].where).stem] = file
    return files


def verdict_of(nodes: Any) -> list[str]:
    return [f"{' '.join(each.types)}: {', '.join(each.eligible) or 'none'}" for each in nodes if each.via is None]


def row_of(file: FileReport) -> dict[str, Any]:
    made = file.rendering
    assert made is not None
    if made.outcome == "failed":
        return {"raw": verdict_of(file.verdicts), "failed": True}
    changes = [
        " ".join([each.kind, *each.types, *(f"{v.property}={v.raw}->{v.rendered}" for v in each.values)])
        for each in made.changes
    ]
    row = {"raw": verdict_of(file.verdicts), "rendered": verdict_of(made.verdicts), "changes": changes}
    if scripts := [each.script for each in made.changes if each.script]:
        row["scripts"] = scripts
    mine = [each for each in file.findings if each.page or each.rule.startswith("rendered-")]
    if found := sorted({f"{each.severity} {each.rule} {each.page or 'both'}" for each in mine}):
        row["findings"] = found
    if made.errors:
        row["errors"] = made.errors
    return row


def test_every_made_page_has_a_row() -> None:
    assert {path.stem for path in CASES.glob("*.html")} == EXPECTED.keys()
    assert len(EXPECTED) >= 30


@pytest.mark.parametrize("name", EXPECTED)
def test_both_verdicts_about_a_made_page(rendered: dict[str, FileReport], name: str) -> None:
    assert row_of(rendered[name]) == EXPECTED[name]
