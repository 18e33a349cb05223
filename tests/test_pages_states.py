"""Pictures of states: four signs at one post, in the colour of the text, where nothing is found, read or allowed."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from waypost.pages import Settings, render
from waypost.pages.draft import Source
from waypost.registry import assets, load
from waypost.registry.world import load as load_world

SOURCE = Source(load(), load_world(), datetime(2026, 11, 20, 12, tzinfo=UTC), assets.cases())
STATES = ("empty", "stop", "expired", "error")


@pytest.fixture(scope="module")
def missing() -> str:
    files, _ = render(SOURCE, Settings(only="404"))
    return files["404.html"].decode()


def test_every_state_is_a_sign_at_the_same_post(missing: str) -> None:
    drawn = dict(re.findall(r'<symbol id="s-(\w+)"[^>]*>(.*?)</symbol>', missing))

    assert tuple(drawn) == STATES
    assert all("V59M10 60h44M20 60l3-4M44 60l-3-4" in each for each in drawn.values())
    assert len({each.partition("/>")[2] for each in drawn.values()}) == len(STATES)


def test_states_have_the_colour_of_the_text(missing: str) -> None:
    drawn = " ".join(re.findall(r'<symbol id="s-\w+".*?</symbol>', missing))

    assert set(re.findall(r"(?:fill|stroke)=[\"']([^\"']+)", drawn)) == {"none", "currentColor"}


@pytest.mark.parametrize(
    ("place", "state"),
    [
        ("templates/missing.html", "error"),
        ("templates/layout.html", "empty"),
        ("js/workbench/validate.js", "empty"),
        ("js/workbench/preview.js", "empty"),
        ("js/workbench/folder.js", "empty"),
        ("js/small/check.js", "stop"),
        ("js/small/until.js", "expired"),
    ],
)
def test_places_without_content_show_their_state(place: str, state: str) -> None:
    assert f"s-{state}" in (assets.folder("site") / place).read_text("utf-8")
