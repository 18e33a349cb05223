"""The look: every pair of text and ground has its contrast, and no page sums a decision up."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages.page_assets import fallback

ROOT = Path(__file__).parent.parent
SITE = ROOT / "site"
TOKENS = (SITE / "css" / "tokens.css").read_text("utf-8")

READING = [("ink", ground) for ground in ("ground", "surface", "surface-2", "surface-3")]
READING += [("ink", f"{kind}-wash") for kind in ("go", "stop", "heed", "open")]
READING += [("on-waymark", "waymark")]
OTHER = list(itertools.product(("ink-2", "ink-3", "lake"), ("ground", "surface", "surface-2")))
OTHER += [("ink-2", f"{kind}-wash") for kind in ("go", "stop", "heed", "open", "lake")]
OTHER += [
    (kind, ground) for kind in ("go", "stop", "heed", "open") for ground in (f"{kind}-wash", "surface", "surface-2")
]
OTHER += [("lake-strong", "lake-wash"), ("on-lake", "lake"), ("on-lake", "lake-strong"), ("ink-2", "surface-3")]
OTHER += list(itertools.product(("tok-key", "tok-str", "tok-num", "tok-punct"), ("surface", "surface-2")))
EDGES = list(itertools.product(("line-strong", "focus"), ("ground", "surface", "surface-2")))


def colours() -> dict[str, tuple[str, str]]:
    """Token -> its colour in light and in dark."""
    found = re.findall(r"--([\w-]+):\s*(?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));", TOKENS)
    return {name: (light or same, dark or same) for name, light, dark, same in found}


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("text", "ground", "least"),
    [(*pair, 7) for pair in READING] + [(*pair, 4.5) for pair in OTHER] + [(*pair, 3) for pair in EDGES],
)
def test_text_is_readable_on_its_ground_in_both_themes(text: str, ground: str, least: float) -> None:
    found = colours()

    assert contrast(found[text][0], found[ground][0]) >= least
    assert contrast(found[text][1], found[ground][1]) >= least


def test_browsers_without_light_dark_get_every_token_in_both() -> None:
    css = fallback("--ink: light-dark(#151b23, #edf0f3); --shadow: 0 1px light-dark(rgb(1 2 3 / .1), rgb(0 0 0 / .4));")

    assert "--ink: #151b23;" in css
    assert "--ink: #edf0f3;" in css
    assert "--shadow: 0 1px rgb(1 2 3 / .1);" in css
    assert "light-dark(rgb" not in css
    assert fallback(TOKENS).count("--ink:") == 3


# A decision is never summed up. These words would do it; each template about decisions is without them.
SUMMING_UP = re.compile(
    r"\b(?:scor\w*|rat(?:ed|ing)\w*|grade\w*|gauge\w*|percent\w*|trust level|stars?)\b"
    r"|(?:\d|\}\}) ?%(?!\})|<meter|<progress",
    re.IGNORECASE,
)
ABOUT_DECISIONS = sorted(
    [
        *(SITE / "templates").glob("safety*.html"),
        *(SITE / "templates").glob("polic*.html"),
        *(SITE / "templates").glob("code*.html"),
        *(SITE / "templates").glob("signal*.html"),
        SITE / "templates" / "parts" / "decision.html",
        SITE / "css" / "decision.css",
        SITE / "js" / "small" / "until.js",
        SITE / "codes.json",
        SITE / "docs" / "agents.md",
    ]
)


@pytest.mark.parametrize("path", ABOUT_DECISIONS, ids=lambda path: path.name)
def test_nothing_that_shows_a_decision_sums_it_up(path: Path) -> None:
    text = re.sub(r"\{#.*?#\}", "", path.read_text("utf-8"), flags=re.DOTALL)
    if path.suffix == ".css":
        text = text.replace("100%", "")  # the width of a box

    assert len(ABOUT_DECISIONS) > 14
    assert SUMMING_UP.findall(text) == []


def test_what_the_lint_is_for_would_be_found() -> None:
    for text in ("a score of 87", "rated 87 %", "<meter value=3>", "Trust level high", "grade A"):
        assert SUMMING_UP.search(text), text


def test_a_stop_never_offers_to_go_on() -> None:
    for path in (SITE / "templates" / "parts" / "decision.html", SITE / "templates" / "home.html"):
        assert not re.search(r"continue|proceed|go on anyway|ignore", path.read_text("utf-8"), re.IGNORECASE)


def test_the_first_layout_leaves_deferred_parts_for_later() -> None:
    styles = "".join(path.read_text("utf-8") for path in sorted((SITE / "css").glob("*.css")))
    left_out = set(re.findall(r":root\[data-js\] (.+?):not\(\[data-laid\]\)", styles))
    (later,) = re.findall(r'querySelectorAll\("(.+?)"\)', (SITE / "js" / "ui" / "late.js").read_text("utf-8"))

    named = {part for each in left_out for part in each.removeprefix(":is(").removesuffix(")").split(", ")}

    assert named == set(later.split(", "))


def test_no_animation_hides_the_contents_of_an_element() -> None:
    """Chromium counts an element as moved (CLS 0.29 on Preview) when such an animation begins after the first paint."""
    styles = "".join(path.read_text("utf-8") for path in sorted((SITE / "css").glob("*.css")))
    animations = re.findall(r"@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*", styles)

    assert any("late" in each for each in animations)
    assert not [each for each in animations if "content-visibility" in each]
