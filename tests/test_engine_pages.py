"""The browser's engine reports the expected findings of every page among the cases, in node without a browser.

Python's parser takes the part of the browser's: both make the tree of the HTML Standard. `tests/browser/test_parity.py`
compares pages in a browser.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import turbohtml
from msgspec import to_builtins
from tests.test_engine_node import CASES, NOW, REGISTRY, answers, is_text

from waypost.reader import read_page
from waypost.validate import validate_page

LEFT_OUT = {"html-too-deep", "profile-not-found"}  # too deep for JSON; of a profile that is named
PAGES = [
    path
    for path in sorted(CASES.glob("*/*-*"))
    if path.suffix in {".html", ".htm"} and is_text(path) and path.parent.name not in LEFT_OUT
]
DOM = Path(__file__).with_name("tree_in_node.js").read_text("utf-8")
START = """
const fs = require("fs");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
"""
LOAD = """
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
"""
SOURCES = f"""{DOM}{START}
let source = "";
treesFrom((given) => {{ source = given; return [["html", {{}}, []]]; }});{LOAD}
process.stdout.write(JSON.stringify(cases.map(({{ text, url }}) => {{
  source = "";
  engine.validate({{ text, url, media: "html" }});
  return source;
}})));
"""
FINDINGS = f"""{DOM}{START}
let tree = [];
treesFrom(() => tree);{LOAD}
process.stdout.write(JSON.stringify(cases.map((each) => {{
  tree = each.tree;
  const report = engine.validate({{ text: each.text, url: each.url, media: "html", now: "2026-11-20T12:00:00Z" }});
  return [report.files[0].findings.map(
    ({{ severity, rule, line, column, message }}) => `${{severity}} ${{rule}} ${{line}}:${{column}} ${{message}}`,
  ), report.not_checked.map((rule) => rule.name)];
}})));
"""


MAKER = Path(__file__).parents[1] / "benchmarks" / "contradictions.py"
COMPARED = FINDINGS.replace(
    "({ severity, rule, line, column, message }) => `${severity} ${rule} ${line}:${column} ${message}`",
    "({ rule, message, line, column, fingerprint, related, compared = [] }) => ({ rule, message, line, column, "
    "fingerprint, related: related || [], compared: compared.map(({ from, to, ...side }) => side) })",
)


def tree_of(node: Any) -> Any:
    """A node as lists that JSON has; the content of a `template` is not part of the tree."""
    if isinstance(node, turbohtml.Element):
        return [
            node.tag,
            {name: node.attr(name) for name in node.attrs},
            [tree_of(each) for each in node.children if is_part(each)],
        ]
    return node.data if isinstance(node, turbohtml.Text) else {"comment": node.data}


def is_part(node: Any) -> bool:
    return isinstance(node, turbohtml.Element | turbohtml.Text | turbohtml.Comment)


def children_of(source: str) -> list[Any]:
    document = turbohtml.parse(source, scripting=True, allow_declarative_shadow_roots=False)
    return [tree_of(each) for each in document.children if is_part(each)]


def test_the_engine_reports_the_expected_findings_of_each_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[dict[str, Any]] = [
        {
            "text": path.read_bytes().decode(),
            "url": None if "of-unknown-address" in path.stem else "https://www.example.com/page",
        }
        for path in PAGES
    ]
    made = reports(tmp_path, monkeypatch, requests, FINDINGS)

    differing = {}
    for path, (findings, missing) in zip(PAGES, made, strict=True):
        expected = json.loads((path.parent / "expected.json").read_text("utf-8"))[path.name]
        if findings != [line for line in expected if line.split(" ")[1] not in missing]:
            differing[f"{path.parent.name}/{path.name}"] = findings, expected
    assert differing == {}
    assert sum(is_in_rdfa(path) for path in PAGES) > 20


def reports(folder: Path, patch: pytest.MonkeyPatch, requests: list[dict[str, Any]], program: str) -> Any:
    """What a program says of the engine's report of each page."""
    patch.setattr(sys.modules["tests.test_engine_node"], "PROGRAM", SOURCES)
    trees = [children_of(source) for source in answers(folder, requests)]
    patch.setattr(sys.modules["tests.test_engine_node"], "PROGRAM", program)
    return answers(folder, [{**request, "tree": tree} for request, tree in zip(requests, trees, strict=True)])


WIDE = """<!doctype html><html lang="de"><title>Kanne</title><p>\U0001f600\U0001f680\r\n<h1>\U0001f3fa Kanne Luna</h1>
<p class="price">\U0001f4b6 24,90 €</p><p>\U0001f600 Ausverkauft</p><p>Nicht vorrätig</p>
<p>4,1 von 5 \u2b50 (1.234 Bewertungen)
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Kanne Luna",
"aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.9, "reviewCount": 321}, "offers": {"@type": "Offer",
"price": "19.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}</script>"""


def test_the_engine_compares_made_pages_like_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("contradictions", MAKER)
    assert spec is not None
    assert spec.loader is not None
    maker = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    texts = [WIDE, *(page.html for page in maker.made_pages(40, seed=7))]
    members = ("rule", "message", "line", "column", "fingerprint", "related", "compared")

    made = reports(tmp_path, monkeypatch, [{"text": text, "url": None} for text in texts], COMPARED)

    compared = 0
    for text, (findings, missing) in zip(texts, made, strict=True):
        report = validate_page(text.encode(), REGISTRY, now=NOW)
        expected = [
            {name: to_builtins(getattr(each, name)) for name in members}
            for each in report.findings
            if each.rule not in missing
        ]
        assert findings == json.loads(json.dumps(expected)), text
        compared += sum(bool(each["compared"]) for each in findings)
    assert compared > 20


def is_in_rdfa(path: Path) -> bool:
    return any(node.block.syntax == "rdfa" for node in read_page(path.read_bytes(), REGISTRY.vocabulary).nodes)
