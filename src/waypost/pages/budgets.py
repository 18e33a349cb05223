"""What pages may weigh: `site/budgets.json`, which a checked build holds them to."""

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

_LOADED = re.compile(r'<(?:script [^>]*?src|link rel="(?:stylesheet|icon)" [^>]*?href)="([^"]+)"')


class Start(NamedTuple):
    """What a page loads at its start. `script` is the short name of its own script, if that is not the one of any page.

    requests      the page itself and everything that its HTML names
    script_bytes  of all scripts, after gzip
    """

    script: str
    requests: int
    script_bytes: int


def check(files: Mapping[str, bytes]) -> None:
    """Raise SiteError where a page, or a part of the engine, weighs more than it may."""
    budgets = json.loads((assets.folder("site") / "budgets.json").read_bytes())
    if faults := list(_faults(files, budgets)):
        raise SiteError(faults)


def starts(files: Mapping[str, bytes]) -> Iterator[tuple[str, Start]]:
    """Of each page what it loads at its start."""
    named = {posixpath.basename(path): path for path in files if path.startswith("assets/")}
    for page, data in files.items():
        if not page.endswith(".html"):
            continue
        loaded = [posixpath.basename(link) for link in _LOADED.findall(data.decode())]
        scripts = [each for each in loaded if each.endswith(".js")]
        weight = sum(gzipped(files[named[each]]) for each in scripts)
        own = [each.partition(".")[0] for each in scripts if not each.startswith(("theme.", "ui."))]
        yield page, Start(own[0] if own else "any page", 1 + len(loaded), weight)


def on_demand(files: Mapping[str, bytes]) -> dict[str, int]:
    """Scripts that come when they are used, by their short names: bytes after gzip."""
    return {
        posixpath.basename(path).partition(".")[0]: gzipped(data)
        for path, data in files.items()
        if path.startswith("assets/") and path.endswith(".js")
    }


@lru_cache(maxsize=64)
def gzipped(data: bytes) -> int:
    return len(gzip.compress(data, 9, mtime=0))


def _faults(files: Mapping[str, bytes], budgets: dict[str, Any]) -> Iterator[str]:
    for page, start in starts(files):
        most = budgets["scripts_at_start"].get(start.script, budgets["scripts_at_start"]["any page"])
        if start.script_bytes > most:
            yield f"{page}:1: its scripts weigh {start.script_bytes:,} bytes after gzip, more than {most:,}"
        if start.requests > budgets["requests_at_start"]:
            yield f"{page}:1: {start.requests} requests at its start, more than {budgets['requests_at_start']}"
    weights = on_demand(files)
    for name, most in budgets["on_demand"].items():
        if weights[name] > most:
            yield f"assets/{name}.js: it weighs {weights[name]:,} bytes after gzip, more than {most:,}"
