"""Scripts that come when a part of a page is first used: the engine for a miniature, further surfaces of a card.

A page names what it loads (`frame.loads`), and site/js/ui/policy.js loads it, as scripts, so that it works from a
folder too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from waypost import assets
from waypost.pages.compare import script
from waypost.pages.loaded import smaller_js
from waypost.registry import Registry

_SHARED = ("workbench/dom", "workbench/share", "workbench/card", "workbench/findings", "workbench/mend")
"""What the workbench has too: elements, links that hold what is shown, cards, lists of findings, repairs."""
_ENGINE = ("registry.js", "workbench.js")


def files(registry: Registry) -> dict[str, bytes]:
    """The scripts, by a short name."""
    return {
        "small.js": _joined(*_SHARED, "small/engine", "small/miniatures"),
        "surfaces.js": _joined("small/surfaces", before=f"const RULER={_ruler()};\n"),
        "compare.js": _joined(*_SHARED, "small/engine", "small/compare", before=f"const KNOWN={script(registry)};\n"),
        "try.js": _joined("workbench/dom", "small/try"),
    }


def lists(paths: Mapping[str, str]) -> dict[str, list[str]]:
    """What each part of a page loads, in order: addresses of the site."""
    return {
        "home": [paths[name] for name in (*_ENGINE, "small.js")],
        "surfaces": [paths["surfaces.js"]],
        "compare": [paths["compare.js"]],
        "engine": [paths[name] for name in _ENGINE],
        "try": [paths["try.js"]],
    }


def _joined(*parts: str, before: str = "") -> bytes:
    return b'(() => {\n"use strict";\n' + before.encode() + b"".join(_text(part) for part in parts) + b"})();\n"


def _text(part: str) -> bytes:
    return smaller_js((assets.folder("site") / "js" / f"{part}.js").read_text("utf-8")).encode()


@cache
def _ruler() -> str:
    """The widths of characters and what is known of where they are cut, as an object of a script."""
    site = assets.folder("site")
    widths = json.loads((site / "widths.json").read_text("utf-8"))
    limits = json.loads((site / "ruler.json").read_text("utf-8"))["limits"]
    kept = {"em": widths["units_per_em"], "limits": limits, "widths": widths["characters"]}
    return (
        json.dumps(kept, ensure_ascii=False, separators=(",", ":")).replace("\u2028", "\\u2028").replace("<", "\\u003c")
    )
