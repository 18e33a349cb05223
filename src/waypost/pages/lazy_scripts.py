"""Scripts loaded when a part of a page is first used, such as the engine for a miniature.

A page names the scripts (`frame.loads`); site/js/ui/policy.js loads them as classic scripts, which work from a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from waypost.pages import check_destination
from waypost.pages.compare import script
from waypost.pages.draft import Source
from waypost.pages.minify import minify_js
from waypost.registry import assets

_SHARED = tuple(f"workbench/{name}" for name in ("dom", "share", "card", "causes", "findings", "fix", "engine"))
"""Scripts shared with the workbench: elements, links with state, cards, findings, fixes, the engine."""
_CARDS = ("drawing.js", "examples.js")
_FINDINGS = ("drawing.js", "reading.js", "validating.js")


def files(source: Source) -> dict[str, bytes]:
    """Scripts by short name."""
    registry = source.registry
    return {
        "small.js": _joined(*_SHARED, "workbench/outcome", "workbench/intake", "small/miniatures"),
        "compare.js": _joined(*_SHARED, "small/compare", before=f"const KNOWN={script(registry)};"),
        "check.js": _joined(
            "workbench/dom",
            "workbench/intake",
            "small/until",
            "small/check",
            before=f"const CHECKED={check_destination.script(source)};",
        ),
        "try.js": _joined("workbench/dom", "small/try"),
        "case.js": _joined("workbench/dom", "workbench/fix", "workbench/engine", "small/case"),
    }


def surfaces() -> bytes:
    """Further surfaces of the preview and the Open Graph of a page, loaded with the first card."""
    return _joined("small/surfaces", before=f"const RULER={_ruler()};")


def lists(paths: Mapping[str, str]) -> dict[str, list[str]]:
    """Addresses of the scripts loaded by parts of pages, in order, by name of the part."""
    return {
        "cards": [paths[name] for name in (*_CARDS, "small.js")],
        "findings": [paths[name] for name in (*_FINDINGS, "small.js")],
        "compare": [paths["compare.js"]],
        "engine": [paths[name] for name in (*_FINDINGS, "examples.js")],
        "try": [paths["try.js"]],
        "check": [paths["check.js"]],
        "case": [*(paths[name] for name in _FINDINGS), paths["case.js"]],
    }


def _joined(*parts: str, before: str = "") -> bytes:
    folder = assets.folder("site") / "js"
    text = "\n".join((folder / f"{part}.js").read_text("utf-8") for part in parts)
    return f'(()=>{{"use strict";{before}{minify_js(text)}}})();\n'.encode()


def _ruler() -> str:
    """Character widths, and known lengths at which texts are cut, as an object literal of a script."""
    site = assets.folder("site")
    widths = json.loads((site / "widths.json").read_text("utf-8"))
    limits = json.loads((site / "ruler.json").read_text("utf-8"))["limits"]
    ruler = {"em": widths["units_per_em"], "limits": limits, "widths": widths["characters"]}
    return (
        json.dumps(ruler, ensure_ascii=False, separators=(",", ":"))
        .replace("\u2028", "\\u2028")
        .replace("<", "\\u003c")
    )
