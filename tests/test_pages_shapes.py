"""Templates of a folder in the browser: the same paths, names and groups as those of a crawl."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from waypost.crawl.shapes import digest_of, paths_of, templates
from waypost.models.page import Node, Page
from waypost.pages import modules
from waypost.reader.sources import PageSource, parse_source
from waypost.registry import load

CASES = Path(__file__).parent / "cases" / "rules"
REGISTRY = load()

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node runs the scripts of the site")


def pages() -> list[Page]:
    return [
        parse_source(PageSource(path.read_bytes(), "html", None, None), str(path), REGISTRY.vocabulary)
        for path in sorted(CASES.glob("*/good-*.html"))
    ]


def tree_of(node: Node, above: tuple[int, ...] = ()) -> dict[str, Any]:
    """Node as JSON; one that holds itself ends where it comes again."""
    props = {
        prop: [tree_of(value, (*above, id(node))) if isinstance(value, Node) else str(value) for value in values]
        for prop, values in node.props.items()
    }
    ends = id(node) in above
    return {"types": list(node.types), "syntax": node.block.syntax, "props": {} if ends else props}


SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const valueOf = (each) => (typeof each === "string" ? each : node(each));
const propsOf = (props) => new Map(Object.entries(props).map(([prop, values]) => [prop, values.map(valueOf)]));
const node = ({ types, syntax, props }) => ({ types, block: { syntax }, props: propsOf(props) });
const pages = given.map((roots, number) => ({ number, paths: pathsOf({ roots: roots.map(node) }) }));
const templates = templatesOf(pages).map((each) => each.pages.length);
console.log(JSON.stringify({ paths: pages.map(({ paths }) => paths), templates }));
"""


def test_paths_and_templates_are_those_of_a_crawl() -> None:
    read = pages()
    given = json.dumps([[tree_of(root) for root in page.roots] for page in read])

    script = modules.joined("workbench/shapes.js") + SCRIPT
    done = subprocess.run(["node", "-e", script], input=given, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    paths = [paths_of(page) for page in read]
    assert len(paths) > 50
    assert found["paths"] == paths
    shapes: dict[str, tuple[int, list[str]]] = {}
    for each in paths:
        if digest := digest_of(each):
            shapes[digest] = (shapes.get(digest, (0, each))[0] + 1, each)
    leaders = templates(shapes)
    groups: dict[str | None, list[int]] = {}
    for number, each in enumerate(paths):
        digest = digest_of(each)
        groups.setdefault(leaders[digest] if digest else None, []).append(number)
    sizes = sorted(len(group) for group in groups.values())
    assert sorted(found["templates"]) == sizes
