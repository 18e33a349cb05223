"""The card on a terminal keeps its frame, whatever the page says."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from waypost.models.snippet import Snippet
from waypost.report._terminal import cells
from waypost.report.card import draw

CASES = sorted((Path(__file__).parent / "cases" / "snippets").glob("*/expected.json"))


def snippet_of(path: Path) -> Snippet:
    return msgspec.convert(json.loads(path.read_text(encoding="utf-8"))["snippet"], Snippet)


PRODUCT = snippet_of(next(path for path in CASES if path.parent.name == "ProductSnippet"))


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_every_line_of_the_frame_is_equally_wide(path: Path, width: int) -> None:
    lines = draw(snippet_of(path), width=width).splitlines()

    framed = [line for line in lines if line[0] in "╭│╰"]
    assert {cells(line) for line in framed} == {min(width, 88)}
    assert all(cells(line) <= width for line in lines)


def test_the_card_has_title_stars_price_and_facts() -> None:
    drawn = draw(PRODUCT, width=80)

    assert "Loma gooseneck kettle 1.2 l" in drawn
    assert "★★★★½ 4.6/5 (213) · €64.90" in drawn
    assert "Returns       30-day returns, free" in drawn
    assert "ProductSnippet of Product: Google has a rich result of this kind; whether a page\nqualifies was" in drawn


def test_wide_characters_take_two_cells() -> None:
    wide = msgspec.structs.replace(PRODUCT, title="漢字" * 30)

    framed = [line for line in draw(wide, width=60).splitlines() if line.startswith("│")]

    assert {cells(line) for line in framed} == {60}


def test_a_page_cannot_paint_on_the_terminal() -> None:
    sly = msgspec.structs.replace(PRODUCT, title="a\x1b[31mb\u202ec", description="x\x07y")

    drawn = draw(sly, width=80)

    assert "\x1b" not in drawn
    assert "\u202e" not in drawn
    assert "\x07" not in drawn


def test_colour_changes_only_colour() -> None:
    import re

    painted = draw(PRODUCT, width=80, colour=True)

    assert painted != draw(PRODUCT, width=80)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == draw(PRODUCT, width=80)


def test_a_retired_result_is_reported_as_retired() -> None:
    assert "Google no longer shows" in draw(msgspec.structs.replace(PRODUCT, status="retired"), width=80)
