"""Imports point down only, and sockets and SQL each have one home."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "waypost"

# From the top down; a module may import from the layers below its own, and from its own package.
LAYERS: list[set[str]] = [
    {"__main__"},
    {"cli"},
    {"guard", "library", "lsp", "mcp", "pytest_plugin", "rules"},
    {"api", "pages"},
    {"operations"},
    {"service", "client", "crawl"},
    {"lint"},
    {"validate", "preview", "safety", "report", "fixes", "baseline", "contract", "receipts"},
    {"render"},
    {"reader", "store", "net", "feeds", "isolation", "updates", "spill"},
    {"config"},
    {"config_errors"},
    {"config_file", "config_tables"},
    {"registry"},
    {"models"},
    {"formats", "tracing"},
    {"errors", "identity"},
]
# `validate` and `preview` read what they are given: the reader is their first step, not a result handed in.
# A settled exception is better than a parameter that every caller would fill the same way.
STRANGERS = {
    ("safety", "net"),
    ("safety", "store"),
    ("safety", "feeds"),
    ("validate", "net"),
    ("report", "reader"),
}
# Interfaces translate; what two of them need stands in a layer below.
INTERFACES = {"cli", "api", "mcp", "lsp", "pages", "client", "guard", "library", "pytest_plugin"}
BETWEEN_INTERFACES = {
    ("cli/serve.py", "api"): "starts the service",
    ("cli/up.py", "api"): "starts the service",
    ("cli/_server.py", "api"): "reads the settings of the service that it starts",
    ("cli/_server.py", "pages"): "builds the site that it serves",
    ("cli/build.py", "pages"): "builds the site",
    ("cli/lsp.py", "lsp"): "starts the language server",
    ("cli/mcp.py", "mcp"): "starts the agents' server",
    ("cli/mcp.py", "client"): "gives the agents' server the client of the service that it forwards to",
    ("guard.py", "client"): "a guard is wrapped around a client",
    ("mcp/", "client"): "the agents' server may be a client of a service elsewhere",
}
SOLE_HOMES = {
    "turbohtml": {"reader/tree.py", "pages/markdown_pages.py"},
    "tuf": {"updates/"},
    "securesystemslib": {"updates/"},
    "sqlite3": {"store/", "spill.py"},  # a run's own temporary file
    "psycopg": {"store/engines/"},
    "socket": {"net/", "isolation/pairs.py", "cli/_warm.py", "cli/_warm_helper.py"},  # a user with itself
    "ssl": {"net/"},
    "httpx": {"net/", "client"},
    "httpcore2": {"net/"},
    "dns": {"net/"},
    "stringzilla": {"reader/bytescan.py"},
    "extruct": {"reader/secondary.py"},
    "tree_sitter": {"reader/code_objects.py", "reader/jsx_markup.py"},
    "mcp": {"mcp/"},
    "mcp_types": {"mcp/"},
    "pydantic": {"mcp/"},
    "opentelemetry": {"tracing.py"},
    "pygls": {"lsp/"},
    "lsprotocol": {"lsp/"},
    "playwright": {"render/"},
    "pytest": {"pytest_plugin.py"},
    "pyarrow": {"crawl/", "reader/product_feeds/parquet.py"},
    "duckdb": {"crawl/"},
    "fsspec": {"crawl/"},
    "distributed": {"crawl/"},
}


def test_the_published_table_of_layers_is_the_checked_one() -> None:
    text = (SOURCE.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| layer, from the top |")[2].partition("\n\n")[0]

    rows = [set(re.findall(r"`(\w+)`", line.split("|")[1])) for line in table.splitlines()[2:]]

    assert rows == LAYERS
    there = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert there - {"__init__"} == set().union(*LAYERS)


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> list[str]:
    """Every module that a file imports, inside functions too, by its full dotted name."""
    names: list[str] = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def part(path: Path) -> str:
    """The layer's word for a file: its folder below `waypost`, or its own name."""
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def level(name: str) -> int | None:
    return next((n for n, layer in enumerate(LAYERS) if name in layer), None)


def test_imports_point_down_only() -> None:
    wrong: list[str] = []
    for path in modules():
        own = part(path)
        mine = level(own)
        if own == "__init__":
            continue
        assert mine is not None, f"{own} has no layer: name it in LAYERS"
        for name in imports(path):
            other = name.split(".")[1] if name.startswith("waypost.") else own
            theirs = level(other)
            if other == own or theirs is None:
                continue
            where = path.relative_to(SOURCE).as_posix()
            if theirs <= mine:
                wrong.append(f"{where} may not import {name}: {other} stands beside or above {own}")
            elif (own, other) in STRANGERS:
                wrong.append(f"{where}: {own} takes what {other} found as an argument, never the module {name}")

    assert wrong == []


def test_no_interface_imports_another_one() -> None:
    used: set[tuple[str, str]] = set()
    wrong: list[str] = []
    for path in modules():
        own, where = part(path), path.relative_to(SOURCE).as_posix()
        if own not in INTERFACES:
            continue
        others = {name.split(".")[1] for name in imports(path) if name.startswith("waypost.")} & INTERFACES - {own}
        for other in others:
            reasons = {(place, name) for place, name in BETWEEN_INTERFACES if name == other and where.startswith(place)}
            used |= reasons
            if not reasons:
                wrong.append(f"{where} imports {other}: what both need stands in a layer below")

    assert wrong == []
    assert used == BETWEEN_INTERFACES.keys(), "an exception that nothing needs any more"


def test_every_part_of_the_outside_world_has_one_home() -> None:
    wrong = [
        f"{where}: {name} belongs in {homes}"
        for path in modules()
        for name in imports(path)
        if (homes := SOLE_HOMES.get(name.split(".")[0]))
        and not any((where := path.relative_to(SOURCE).as_posix()).startswith(home) for home in homes)
    ]

    assert wrong == []


def dotted(path: Path) -> str:
    """`waypost.reader.tree` for a file, `waypost.reader` for the `__init__.py` of a package."""
    parts = ["waypost", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", [path for path in modules() if path.name == "__init__.py"], ids=dotted)
def test_no_attribute_of_a_package_hides_its_module(path: Path) -> None:
    package = import_module(dotted(path))
    names = [file.stem for file in path.parent.glob("*.py") if file.stem not in ("__init__", "__main__")]
    names += [file.parent.name for file in path.parent.glob("*/__init__.py")]

    for name in names:
        module = import_module(f"{package.__name__}.{name}")
        assert getattr(package, name) is module, f"`import {module.__name__} as x` gives {getattr(package, name)!r}"


def imported_on_load(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports outside functions; those for the type checker alone are included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imported_on_load(node)


def import_graph() -> dict[str, set[str]]:
    """Module -> modules of the package that it imports on load; of a package only what its `__init__` defines."""
    paths = {dotted(path): path for path in modules()}
    graph: dict[str, set[str]] = {name: set() for name in paths}
    for name, path in paths.items():
        for node in imported_on_load(parsed(path)):
            if isinstance(node, ast.Import):
                graph[name].update(alias.name for alias in node.names)
            elif node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                graph[name].update(each if each in paths else node.module for each in inside)
        graph[name] &= paths.keys() - {name}
    return graph


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = graph[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def test_no_module_imports_itself_even_for_types() -> None:
    graph = import_graph()

    assert not [name for name in graph if name in reachable(graph, name)]
