"""Scripts that come when a part of a page is first used: the engine for a miniature. Further surfaces of a card.

A page names what it loads (`frame.loads`), and site/js/ui/policy.js loads it, as scripts, so that it works from a
folder too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from waypost.pages.compare import script
from waypost.pages.minify import minify_js
from waypost.registry import Registry, assets

_SHARED = tuple(f"workbench/{each}" for each in ("dom", "share", "card", "findings", "mend", "engine"))
"""What the workbench has too: elements, links that hold what is shown, cards, findings, repairs, the engine."""
_CARDS = ("drawing.js", "examples.js")
_FINDINGS = ("drawing.js", "reading.js", "judging.js")


def files(registry: Registry) -> dict[str, bytes]:
    """The scripts, by a short name."""
    return {
        "small.js": _joined(*_SHARED, "small/miniatures"),
        "compare.js": _joined(*_SHARED, "small/compare", before=f"const KNOWN={script(registry)};"),
        "try.js": _joined("workbench/dom", "small/try"),
        "case.js": _joined("workbench/dom", "workbench/mend", "workbench/engine", "small/case"),
    }


def surfaces() -> bytes:
    """The further surfaces of the preview, a part of what that page loads at its start."""
    return _joined("small/surfaces", before=f"const RULER={_ruler()};")


def lists(paths: Mapping[str, str]) -> dict[str, list[str]]:
    """What each part of a page loads, in order: addresses of the site."""
    return {
        "cards": [paths[name] for name in (*_CARDS, "small.js")],
        "findings": [paths[name] for name in (*_FINDINGS, "small.js")],
        "compare": [paths["compare.js"]],
        "engine": [paths[name] for name in (*_FINDINGS, "examples.js")],
        "try": [paths["try.js"]],
        "case": [*(paths[name] for name in _FINDINGS), paths["case.js"]],
    }


def _joined(*parts: str, before: str = "") -> bytes:
    folder = assets.folder("site") / "js"
    text = "\n".join((folder / f"{part}.js").read_text("utf-8") for part in parts)
    return f'(()=>{{"use strict";{before}{minify_js(text)}}})();\n'.encode()


def _ruler() -> str:
    """The widths of characters and what is known of where they are cut, as an object of a script."""
    site = assets.folder("site")
    widths = json.loads((site / "widths.json").read_text("utf-8"))
    limits = json.loads((site / "ruler.json").read_text("utf-8"))["limits"]
    kept = {"em": widths["units_per_em"], "limits": limits, "widths": widths["characters"]}
    return (
        json.dumps(kept, ensure_ascii=False, separators=(",", ":")).replace("\u2028", "\\u2028").replace("<", "\\u003c")
    )
