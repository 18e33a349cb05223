"""What pages load at their start, and what a build says of one that loads too much."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages import budgets
from waypost.pages.check import SiteError

BUDGETS = json.loads((Path(__file__).parent.parent / "site" / "budgets.json").read_text("utf-8"))
HEAVY = "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=80_000)).encode()


def site(start: dict[str, bytes], *more: str) -> dict[str, bytes]:
    """A site of one page that loads some scripts, with every part in its place."""
    tags = "".join(f'<script src="assets/{name}.0.js" defer></script>' for name in start)
    icons = "".join(f'<link rel="icon" href="{each}">' for each in more)
    return {
        "index.html": f"<head>{tags}{icons}</head>".encode(),
        **{f"assets/{name}.0.js": b"1" for name in BUDGETS["on_demand"]},
        **{f"assets/{name}.0.js": data for name, data in start.items()},
    }


def test_a_page_within_its_budget_passes() -> None:
    budgets.check(site({"theme": b"1", "ui": b"2"}))
    budgets.check(site({"theme": b"1", "preview": HEAVY[:50_000]}))


def test_a_page_of_reading_may_not_weigh_what_a_workbench_may() -> None:
    with pytest.raises(SiteError) as refused:
        budgets.check(site({"theme": b"1", "ui": HEAVY[:50_000]}))

    weight = len(gzip.compress(HEAVY[:50_000], 9, mtime=0)) + len(gzip.compress(b"1", 9, mtime=0))
    assert refused.value.errors == [f"index.html:1: its scripts weigh {weight:,} bytes after gzip, more than 4,000"]


def test_a_workbench_that_is_too_heavy_is_refused() -> None:
    with pytest.raises(SiteError, match="more than 45,000"):
        budgets.check(site({"theme": b"1", "preview": HEAVY}))


def test_a_part_that_is_too_heavy_is_refused() -> None:
    with pytest.raises(SiteError, match=r"assets/repairing\.js: it weighs"):
        budgets.check(site({"theme": b"1"}) | {"assets/repairing.0.js": HEAVY})


def test_a_page_of_too_many_requests_is_refused() -> None:
    with pytest.raises(SiteError, match=r"index\.html:1: 6 requests at its start, more than 5"):
        budgets.check(site({"theme": b"1", "ui": b"2"}, "a.svg", "b.svg", "c.svg"))
