"""Stylesheets and scripts of the pages: joined in order, minified, named by content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from waypost.pages import modules
from waypost.pages.minify import minify_css, minify_js

STYLES = ("tokens", "base", "frame", "parts", "card")
READING = ("reading", "decision", "figures", "contents", "cases")
RESULTS = (*READING, "surface", "pictures")
HOME = ("decision", "figures", "surface", "folder", "home")
BENCH = ("forms", "bench", "folder", "validate", "surface", "surfaces")
TOOLS = ("reading", "decision", "forms", "tools", "console")
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><path d="M11 1.5h3V26.5h-3z" fill="#5d6570"/>'
    '<path d="M3.5 4.5h16.2L25.5 9l-5.8 4.5H3.5Z" fill="#f4b91f" stroke="#151b23" stroke-width="1.5"'
    ' stroke-linejoin="round"/></svg>\n'
)
_PAIR = re.compile(r"light-dark\(((?:[^()]|\([^()]*\))*?),\s*((?:[^()]|\([^()]*\))*?)\)")


def assets(site: Path) -> dict[str, bytes]:
    """Files loaded by pages, by short name.

    The stylesheets of home, of the rich results, of the workbench (preview, validate), of the further tools and of the
    console include the site's common styles, to save a request.
    """
    css, js = site / "css", site / "js"
    tokens, *rest = [(css / f"{name}.css").read_text("utf-8") for name in STYLES]
    style = "".join([tokens, fallback(tokens), *rest])
    return {
        "site.css": minify_css(style + _read(css, READING)).encode(),
        "results.css": minify_css(style + _read(css, RESULTS)).encode(),
        "home.css": minify_css(style + _read(css, HOME)).encode(),
        "bench.css": minify_css(style + _read(css, BENCH)).encode(),
        "tools.css": minify_css(style + _read(css, TOOLS)).encode(),
        "theme.js": f"{minify_js((js / 'theme.js').read_text('utf-8'))}\n".encode(),
        "ui.js": modules.script("ui/every-page.js"),
        "icon.svg": ICON.encode(),
        "picture.png": (site / "picture.png").read_bytes(),
    }


def _read(folder: Path, names: tuple[str, ...]) -> str:
    return "".join((folder / f"{name}.css").read_text("utf-8") for name in names)


def listing(script: bytes, paths: Mapping[str, str]) -> bytes:
    """Script of every page, preceded by the names (without ".js") of scripts to load on demand."""
    scripts = [path.removeprefix("assets/").removesuffix(".js") for path in paths.values()]
    return f"window.waypost={{scripts:{json.dumps(' '.join(scripts))}}};\n".encode() + script


def hashed(name: str, data: bytes) -> str:
    """Path of an asset: the name with ten digits of the content's SHA-256, so browsers may cache the file for ever."""
    stem, _, ending = name.rpartition(".")
    return f"assets/{stem}.{hashlib.sha256(data).hexdigest()[:10]}.{ending}"


def fallback(tokens: str) -> str:
    """Tokens for browsers without `light-dark()`, where a declaration with the function is ignored."""
    paired = re.findall(r"(--[\w-]+):\s*([^;]*light-dark\([^;]*);", tokens)

    def taken(side: int) -> str:
        return " ".join(f"{name}: {_PAIR.sub(lambda pair: pair[side], value)};" for name, value in paired)

    return (
        "@supports not (color: light-dark(#000, #fff)) {\n"
        f":root {{ {taken(1)} }}\n"
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {taken(2)} }} }}\n'
        f':root[data-theme="dark"] {{ {taken(2)} }}\n}}\n'
    )
