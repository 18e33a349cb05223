"""Scripts of pages that use the engine only when somebody does something there: they load with it, on first use."""

from __future__ import annotations

from waypost import assets
from waypost.pages.loaded import smaller_js

_SHARED = ("workbench/dom", "workbench/share", "workbench/card", "workbench/findings", "workbench/mend")
"""What the workbench has too: elements, links that hold what is shown, cards, lists of findings, repairs."""
_PARTS = {"small.js": ("small/engine", "small/miniatures")}


def files() -> dict[str, bytes]:
    """The scripts, by a short name."""
    folder = assets.folder("site") / "js"
    made = {}
    for name, parts in _PARTS.items():
        script = "\n".join((folder / f"{part}.js").read_text("utf-8") for part in (*_SHARED, *parts))
        made[name] = smaller_js(f'(() => {{\n"use strict";\n{script}\n}})();\n').encode()
    return made
