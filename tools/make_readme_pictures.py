"""Draw docs/pictures/*.svg, the terminal pictures of the README, from what the commands print today.

    python tools/make_readme_pictures.py [--check]

Each picture has its own background, light or dark as the reader's system asks, and needs no font: the length of each
line is given. `--check` writes nothing and exits with status 1 if a picture is out of date.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import textwrap
from html import escape
from pathlib import Path

from waypost.cli import main as waypost

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
COMMANDS = {
    "finding": "waypost validate examples/site/shop/loma-kettle.html --now 2026-11-20",
    "card": "waypost preview examples/site/recipes/rye-bread.html --now 2026-11-20",
}
COLUMNS, CELL, LINE, EDGE = 100, 8, 17, 16
STYLE = """
.ground{fill:#f7f8fa;stroke:#d0d5dc}text{fill:#1b2129;font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.b{font-weight:700}.d{fill:#5c6570}.r{fill:#b3261e}.y{fill:#855600}.g{fill:#1a6b35}.u,.c{fill:#1a57b5}
@media(prefers-color-scheme:dark){.ground{fill:#12161c;stroke:#353d48}text{fill:#e4e8ee}.d{fill:#98a2af}.r{fill:#ff8078}
.y{fill:#eab54a}.g{fill:#6fce8c}.u,.c{fill:#83b4ff}}
"""
CLASSES = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "94": "u", "36": "c"}
_CODE = re.compile(r"\x1b\[([\d;]*)m")


def printed(command: str) -> str:
    """Output of a command in the checkout, with colours."""
    output, before = io.StringIO(), Path.cwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(output):
            waypost([*command.split()[1:], "--color", "always"])
    finally:
        os.chdir(before)
    return output.getvalue()


def wrapped(line: str) -> list[str]:
    """Parts of a line, none longer than the picture is wide. Long lines are sentences, which have no colour inside."""
    if len(_CODE.sub("", line)) <= COLUMNS:
        return [line]
    return textwrap.wrap(line, COLUMNS + len(line) - len(_CODE.sub("", line)), subsequent_indent="  ")


def spans(line: str) -> str:
    """A line with its colour codes as tspan elements."""
    first, *rest = _CODE.split(line)
    parts = [escape(first, quote=False)]
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        names = " ".join(CLASSES[code] for code in codes.split(";") if code in CLASSES)
        inside = escape(text, quote=False)
        parts.append(f'<tspan class="{names}">{inside}</tspan>' if names and text else inside)
    return "".join(parts)


def draw(command: str) -> str:
    lines = [f"\x1b[2m$\x1b[0m {command}", *printed(command).rstrip().splitlines()]
    lines = [part for line in lines for part in wrapped(line)]
    columns = max(len(_CODE.sub("", line)) for line in lines)
    width, height = columns * CELL + 2 * EDGE, len(lines) * LINE + 2 * EDGE
    rows = [
        f'<text x="{EDGE}" y="{EDGE + LINE * number - 5}" textLength="{len(plain) * CELL}" '
        f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{spans(line)}</text>'
        for number, line in enumerate(lines, 1)
        if (plain := _CODE.sub("", line))
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'role="img" aria-label="{escape(command)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *rows, "</svg>\n",
    ])  # fmt: skip


def main() -> int:
    status = 0
    for name, command in COMMANDS.items():
        path, picture = FOLDER / f"{name}.svg", draw(command)
        if "--check" in sys.argv:
            if not path.is_file() or path.read_text("utf-8") != picture:
                print(f"{path.relative_to(ROOT)} is out of date: python tools/make_readme_pictures.py")
                status = 1
        else:
            path.write_text(picture, "utf-8")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
