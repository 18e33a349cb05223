"""Imports point down only, and sockets and SQL each have one home."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "waypost"

# From the top down; a module may import from the layers below its own, and from its own package.
LAYERS: list[set[str]] = [
    {"__main__"},
    {"cli"},
    {"lsp", "pytest_plugin"},
    {"api", "pages"},
    {"service", "project", "client"},
    {"validate", "preview", "safety", "report", "fix", "baseline", "contract", "receipts"},
    {"extract", "store", "net", "feeds"},
    {"config"},
    {"registry"},
    {"models"},
    {"formats"},
    {"errors"},
]
# `validate` and `preview` read what they are given: the reader is their first step, not a result handed in.
# A settled exception is better than a parameter that every caller would fill the same way.
STRANGERS = {
    ("api", "pages"),
    ("pages", "api"),
    ("safety", "net"),
    ("safety", "store"),
    ("safety", "feeds"),
    ("validate", "net"),
    ("report", "extract"),
}
SOLE_HOMES = {
    "turbohtml": {"extract/tree.py", "pages/markdown_pages.py"},
    "sqlite3": {"store/"},
    "socket": {"net/"},
    "ssl": {"net/"},
    "httpx": {"net/", "client"},
    "dns": {"net/"},
    "stringzilla": {"extract/bytescan.py"},
    "extruct": {"extract/secondary.py"},
    "pygls": {"lsp/"},
    "lsprotocol": {"lsp/"},
    "pytest": {"pytest_plugin.py"},
}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, inside functions too, by its full dotted name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(path: Path) -> str:
    """The layer's word for a file: its folder below `waypost`, or its own name."""
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def level(name: str) -> int | None:
    return next((n for n, layer in enumerate(LAYERS) if name in layer), None)


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_imports_point_down_only(path: Path) -> None:
    own = part(path)
    if own == "__init__":
        return
    mine = level(own)
    assert mine is not None, f"{own} has no layer: name it in LAYERS"

    for name in imports(path):
        if not name.startswith("waypost."):
            continue
        other = name.split(".")[1]
        theirs = level(other)
        if other == own or theirs is None:
            continue
        assert theirs > mine, f"{own} may not import {name}: it stands beside or above it"
        assert (own, other) not in STRANGERS, f"{own} takes what {other} found as an argument, never the module"


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_every_part_of_the_outside_world_has_one_home(path: Path) -> None:
    where = path.relative_to(SOURCE).as_posix()

    for name in imports(path):
        homes = SOLE_HOMES.get(name.split(".")[0])
        assert homes is None or any(where.startswith(home) for home in homes), f"{name} belongs in {homes}"
