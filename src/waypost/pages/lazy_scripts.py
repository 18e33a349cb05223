"""Scripts loaded when a part of a page is first used, such as the engine for a miniature.

A page names the scripts (`frame.loads`); site/js/ui/policy.js loads them as classic scripts, which work from a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from waypost.pages import check_destination, modules
from waypost.pages.compare import script
from waypost.pages.draft import Source
from waypost.registry import assets
from waypost.report._style import STYLE, brand

_FINDINGS = ("drawing.js", "reading.js", "validating.js")


def files(source: Source) -> dict[str, bytes]:
    """Scripts by short name."""
    registry = source.registry
    return {
        "small.js": modules.script("small/miniatures.js"),
        "compare.js": modules.script("small/compare.js", made=_constant("types", "TYPES", script(registry))),
        "check.js": modules.script(
            "small/check.js", made=_constant("destinations", "DESTINATIONS", check_destination.script(source))
        ),
        "try.js": modules.script("small/try.js"),
        "case.js": modules.script("small/case.js"),
        "files.js": modules.script("workbench/folder.js", made={"data/report-style.js": _report_style()}),
        "folder.js": modules.script("workers/folder.js"),
        # Bundled and minified by tools/make_editor.py; its licences stand at its head.
        "editor.js": (assets.folder("site") / "vendor" / "editor.js").read_bytes(),
    }


def lists(paths: Mapping[str, str]) -> dict[str, list[str]]:
    """Addresses of the scripts loaded by parts of pages, in order, by name of the part."""
    return {
        "findings": [paths[name] for name in (*_FINDINGS, "small.js")],
        "compare": [paths["compare.js"]],
        "engine": [paths[name] for name in (*_FINDINGS, "examples.js")],
        "try": [paths["try.js"]],
        "check": [paths["check.js"]],
        "case": [*(paths[name] for name in _FINDINGS), paths["case.js"]],
    }


def _report_style() -> str:
    """Module with the style of the reports of the command line, for those of the browser."""
    constants = {"REPORT_STYLE": STYLE, "BRAND": brand("structured data report")}
    return "".join(f"export const {name} = {json.dumps(text)};\n" for name, text in constants.items())


def _constant(name: str, constant: str, literal: str) -> dict[str, str]:
    """Module `data/NAME.js` of one constant."""
    return {f"data/{name}.js": f"export const {constant} = {literal};\n"}
