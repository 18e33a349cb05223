"""Every rich result that is shown has a picture, on its page and in the gallery; a retired one says so."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages import pictures
from waypost.pages.draft import Source
from waypost.pages.smallest import smallest
from waypost.registry import load
from waypost.registry.world import load as load_world

REGISTRY = load()
SOURCE = Source(REGISTRY, load_world(), datetime(2026, 11, 20, 12, tzinfo=UTC))
CURRENT = [name for name, profile in REGISTRY.profiles.items() if profile.status != "retired"]
RETIRED = [name for name, profile in REGISTRY.profiles.items() if profile.status == "retired"]


@pytest.mark.parametrize("profile", CURRENT)
def test_a_result_has_a_picture_and_its_text(profile: str, built_site: Path) -> None:
    text = (built_site / f"profiles/{profile}/index.html").read_text("utf-8")

    cards = re.findall(r'<div class="serp-card" role="img" aria-label="([^"]+)">(.*?)</div></div><figcaption>', text)

    assert cards
    for label, card in cards:
        words = re.findall(r'<span dir="auto">', card)
        assert words, "a picture without words"
        assert len(label) > len(REGISTRY.profiles[profile].title.split(" (")[0])


@pytest.mark.parametrize("profile", RETIRED)
def test_a_retired_result_has_no_picture(profile: str, built_site: Path) -> None:
    text = (built_site / f"profiles/{profile}/index.html").read_text("utf-8")

    assert "serp-card" not in text
    assert "so there is no picture of it" in text


def test_the_gallery_has_each_result_once(built_site: Path) -> None:
    text = (built_site / "profiles/index.html").read_text("utf-8")
    entries = re.findall(r'<li data-status="(\w+)"(.*?)</li>', text, re.DOTALL)

    assert len(entries) == len(REGISTRY.profiles)
    assert {status for status, entry in entries if 'role="img"' not in entry} == {"retired"}
    assert sum('role="img"' in entry for _, entry in entries) == len(CURRENT)


@pytest.mark.parametrize("profile", sorted(smallest()))
def test_numbers_lead_from_words_to_lines(profile: str) -> None:
    drawn = pictures.drawn(profile, SOURCE)
    assert drawn is not None
    lines = dict(re.findall(r'<span data-w="(\d)">(.*)</span>', str(drawn.markup)))

    assert drawn.words
    assert [number for number, _, _ in drawn.words] == list(range(1, len(drawn.words) + 1))
    assert lines
    assert set(map(int, lines)) <= {number for number, _, _ in drawn.words}


def test_a_word_stands_in_the_line_of_its_number() -> None:
    drawn = pictures.drawn("google/event", SOURCE)
    assert drawn is not None
    lines = dict(re.findall(r'<span data-w="(\d)">(.*)</span>', str(drawn.markup)))
    number = next(number for number, text, _ in drawn.words if text == "Bread day")

    assert "&#34;Bread day&#34;" in lines[str(number)]


def test_the_link_to_the_preview_holds_the_page() -> None:
    drawn = pictures.drawn("google/product-snippet", SOURCE)
    assert drawn is not None

    held = json.loads(base64.urlsafe_b64decode(drawn.preview.removeprefix("#j=") + "=="))

    assert held == {"markup": pictures.example_page(smallest()["google/product-snippet"])}
