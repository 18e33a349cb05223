"""What pages load at their start, and what a build says of one that loads too much."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages import budgets
from waypost.pages.check import SiteError

BUDGETS = json.loads((Path(__file__).parent.parent / "site" / "budgets.json").read_text("utf-8"))
HEAVY = "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=120_000)).encode()


def site(start: dict[str, bytes], *more: str) -> dict[str, bytes]:
    """A site of one page that loads some scripts, with every part in its place."""
    tags = "".join(f'<script src="assets/{name}.0.js" defer></script>' for name in start)
    icons = "".join(f'<link rel="icon" href="{each}">' for each in more)
    return {
        "index.html": f"<head>{tags}{icons}</head>".encode(),
        **{f"assets/{name}.0.js": b"1" for name in [*BUDGETS["on_demand"], *BUDGETS["bytes_per_page"]]},
        **{f"assets/{name}.0.js": data for name, data in start.items()},
    }


@pytest.mark.skipif("ng" in zlib.ZLIB_RUNTIME_VERSION, reason="the budgets are in bytes of zlib, not of zlib-ng")
def test_the_site_keeps_its_budgets_to_the_byte(built_site: Path) -> None:
    files = {
        path.relative_to(built_site).as_posix(): path.read_bytes() for path in built_site.rglob("*") if path.is_file()
    }

    budgets.check(files, allowance=1)


def test_zlib_that_packs_a_little_worse_fails_no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    most = BUDGETS["scripts_at_start"]["any page"]
    files = site({"ui": b"1"})
    del files["assets/search.0.js"]
    monkeypatch.setattr(budgets, "on_demand", lambda files: dict.fromkeys(["search", *BUDGETS["on_demand"]], 1))
    monkeypatch.setattr(budgets, "gzipped", lambda data: round(most * 1.01))

    budgets.check(files)
    with pytest.raises(SiteError, match=f"bytes after gzip, more than {most:,}"):
        budgets.check(files, allowance=1)


def test_a_page_within_its_budget_passes() -> None:
    budgets.check(site({"theme": b"1", "ui": b"2"}))
    budgets.check(site({"theme": b"1", "preview": HEAVY[:50_000]}))


def test_a_page_of_reading_weighs_less_than_a_workbench() -> None:
    with pytest.raises(SiteError) as raised:
        budgets.check(site({"theme": b"1", "ui": HEAVY[:50_000]}))

    weight = len(gzip.compress(HEAVY[:50_000], 9, mtime=0)) + len(gzip.compress(b"1", 9, mtime=0))
    (message,) = raised.value.errors
    most = BUDGETS["scripts_at_start"]["any page"]
    assert message.startswith(f"index.html:1: its scripts weigh {weight:,} bytes after gzip, more than {most:,}: ")
    assert message.endswith("python tools/budget.py --raise 'any page' --because TEXT")


def test_a_workbench_that_is_too_heavy_is_rejected() -> None:
    with pytest.raises(SiteError, match=r"python tools/budget\.py --raise 'preview'"):
        budgets.check(site({"theme": b"1", "preview": HEAVY}))


def test_a_stylesheet_that_is_too_heavy_is_rejected() -> None:
    with pytest.raises(SiteError, match=r"assets/home\.css: it weighs .*python tools/budget\.py --raise 'stylesheet'"):
        budgets.check(site({"theme": b"1"}) | {"assets/home.0.css": HEAVY})


def test_a_part_that_is_too_heavy_is_rejected() -> None:
    with pytest.raises(SiteError, match=r"assets/repairing\.js: it weighs"):
        budgets.check(site({"theme": b"1"}) | {"assets/repairing.0.js": HEAVY})


def test_the_search_may_grow_with_the_pages() -> None:
    index = {"assets/search.0.js": HEAVY[:1_500], "assets/search-rules.0.js": HEAVY[1_500:3_000]}
    pages = {f"{number}.html": b"<p>a</p>" for number in range(100)}

    budgets.check(site({"ui": b"1"}) | index | pages)
    with pytest.raises(SiteError, match=r"assets/search\*\.js: together they weigh .* --raise 'search'"):
        budgets.check(site({"ui": b"1"}) | index)


def test_each_raised_budget_has_a_reason() -> None:
    assert all(row["because"].strip() and row["to"] > row["from"] for row in BUDGETS["raised"])


def test_a_page_of_too_many_requests_is_rejected() -> None:
    message = r"index\.html:1: 6 requests at its start, more than 5: .*python tools/budget\.py --raise 'requests'"
    with pytest.raises(SiteError, match=message):
        budgets.check(site({"theme": b"1", "ui": b"2"}, "a.svg", "b.svg", "c.svg"))
