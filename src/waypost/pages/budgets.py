"""Size budgets of pages and scripts (`site/budgets.json`), enforced by a checked build."""

from __future__ import annotations

import gzip
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from waypost.pages.check import SiteError
from waypost.registry import assets

ALLOWANCE = 1.02
"""What a build may exceed a budget by. Builds of zlib differ: zlib-ng, which some systems have in its place, packs the
scripts up to half a percent worse, and no user's site should fail by that. A test holds the budgets to the byte."""
_LOADED = re.compile(r'<(?:script [^>]*?src|link rel="(?:stylesheet|icon)" [^>]*?href)="([^"]+)"')


class Start(NamedTuple):
    """Initial load of a page.

    script        short name of the page's own script; "any page" without an own script
    requests      the page and the files named in the HTML
    script_bytes  size of the scripts together after gzip
    """

    script: str
    requests: int
    script_bytes: int


def check(files: Mapping[str, bytes], allowance: float = ALLOWANCE) -> None:
    """Raise SiteError where a page, or a part of the engine, is above the budget times the allowance."""
    budgets = load()
    if errors := list(_excesses(files, budgets, allowance)):
        raise SiteError(errors)


def load() -> dict[str, Any]:
    """Budgets of the site, in bytes after gzip."""
    budgets: dict[str, Any] = json.loads((assets.folder("site") / "budgets.json").read_bytes())
    return budgets


def weights(files: Mapping[str, bytes]) -> dict[str, dict[str, float]]:
    """Weights of a site by group and part, as the budgets have them."""
    most: dict[str, float] = {}
    for _, start in starts(files):
        most[start.script] = max(most.get(start.script, 0), start.script_bytes)
    budgets, parts = load(), on_demand(files)
    requests = max(start.requests for _, start in starts(files))
    at_start = {name: most.get(name, 0) for name in budgets["scripts_at_start"]}
    pages = sum(name.endswith(".html") for name in files)
    return {
        "requests_at_start": {"requests": requests},
        "scripts_at_start": at_start,
        "stylesheets": {"stylesheet": max(stylesheets(files).values(), default=0)},
        "on_demand": {name: parts[name] for name in budgets["on_demand"]},
        "bytes_per_page": {name: growing(name, parts) / pages for name in budgets["bytes_per_page"]},
    }


def starts(files: Mapping[str, bytes]) -> Iterator[tuple[str, Start]]:
    """(page, initial load) of every page."""
    named = {posixpath.basename(path): path for path in files if path.startswith("assets/")}
    for page, data in files.items():
        if not page.endswith(".html"):
            continue
        loaded = [posixpath.basename(link) for link in _LOADED.findall(data.decode())]
        scripts = [name for name in loaded if name.endswith(".js")]
        weight = sum(gzipped(files[named[name]]) for name in scripts)
        own = [name.partition(".")[0] for name in scripts if not name.startswith(("theme.", "ui."))]
        yield page, Start(own[0] if own else "any page", 1 + len(loaded), weight)


def on_demand(files: Mapping[str, bytes]) -> dict[str, int]:
    """Scripts loaded on demand: short name -> bytes after gzip."""
    return _assets(files, ".js")


def stylesheets(files: Mapping[str, bytes]) -> dict[str, int]:
    """Stylesheets: short name -> bytes after gzip."""
    return _assets(files, ".css")


def _assets(files: Mapping[str, bytes], ending: str) -> dict[str, int]:
    return {
        posixpath.basename(path).partition(".")[0]: gzipped(data)
        for path, data in files.items()
        if path.startswith("assets/") and path.endswith(ending)
    }


def growing(name: str, parts: Mapping[str, int]) -> int:
    """Weight of what grows with the pages: a script and its parts (`search`, `search-rules`, ...)."""
    return sum(weight for part, weight in parts.items() if part == name or part.startswith(f"{name}-"))


@lru_cache(maxsize=64)
def gzipped(data: bytes) -> int:
    return len(gzip.compress(data, 9, mtime=0))


def _excesses(files: Mapping[str, bytes], budgets: dict[str, Any], allowance: float) -> Iterator[str]:
    for page, start in starts(files):
        # A page without an own budget has that of any page.
        part = start.script if start.script in budgets["scripts_at_start"] else "any page"
        most = budgets["scripts_at_start"][part]
        if start.script_bytes > most * allowance:
            yield f"{page}:1: its scripts weigh {_excess(start.script_bytes, most, part)}"
        if start.requests > budgets["requests_at_start"]["requests"]:
            yield f"{page}:1: {_excess(start.requests, budgets['requests_at_start']['requests'], 'requests')}"
    for name, weight in stylesheets(files).items():
        if weight > (most := budgets["stylesheets"]["stylesheet"]) * allowance:
            yield f"assets/{name}.css: it weighs {_excess(weight, most, 'stylesheet')}"
    parts = on_demand(files)
    pages = sum(name.endswith(".html") for name in files)
    for name, most in budgets["on_demand"].items():
        if parts[name] > most * allowance:
            yield f"assets/{name}.js: it weighs {_excess(parts[name], most, name)}"
    for name, ratio in budgets["bytes_per_page"].items():
        weight, most = growing(name, parts), round(ratio * pages)
        if weight > most * allowance:
            yield f"assets/{name}*.js: together they weigh {_excess(weight, most, name)}"


def _excess(weight: int, most: int, part: str) -> str:
    unit = "requests at its start" if part == "requests" else "bytes after gzip"
    return (
        f"{weight:,} {unit}, more than {most:,}: make it smaller, or raise the budget with a reason: "
        f"python tools/budget.py --raise {part!r} --because TEXT"
    )
