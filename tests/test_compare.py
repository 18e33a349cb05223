"""The page that compares waypost with other tools has the figures of its file, and the build refuses others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from waypost.errors import RegistryError

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages import comparison, guides

SITE = Path(__file__).parent.parent / "site"
FIGURES = json.loads((SITE / comparison.FILE).read_text("utf-8"))
PAGE = (SITE / "docs" / "compare.md").read_text("utf-8")


def test_the_page_is_the_one_of_its_figures() -> None:
    guides._check_figures(PAGE)


def test_a_figure_that_was_changed_by_hand_is_rejected() -> None:
    caught = FIGURES["validators"]["waypost"]["sample"]["bad_with_finding"]

    with pytest.raises(RegistryError, match=r"compare\.md: it differs from site/comparison\.json"):
        guides._check_figures(PAGE.replace(f"| waypost | {caught} |", f"| waypost | {caught + 1} |"))


def test_what_another_tool_does_better_is_on_the_page() -> None:
    slower = json.loads(json.dumps(FIGURES))
    slower["validators"]["extruct"]["pages"]["pages_per_second"]["median"] = 10_000

    worse = comparison.page(slower).partition("## Where another tool is better")[2]

    assert "- extruct processes more pages per second." in worse
    assert "- checks the meta tags of Twitter and Facebook: structured-data-testing-tool, not waypost." in worse


def test_every_feature_and_tool_has_a_source() -> None:
    named = {name for feature in FIGURES["features"] for name in feature["has"]}

    assert named | FIGURES["versions"].keys() <= FIGURES["sources"].keys()
