"""Pages say which program made them, and findings name the setting or the template that fixes them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from waypost.models.finding import FileReport, Report, Summary
from waypost.reader import read_page
from waypost.registry import load
from waypost.report import View
from waypost.report._causes import advice_lines
from waypost.report.json import encode_json, file_data
from waypost.validate import validate_page
from waypost.validate.rulebook import rules_by_name

REGISTRY = load()
FILES = {Path(path).stem: REGISTRY.document(path) for path in REGISTRY.below("generators/")}
GRAMMAR = jsonschema_rs.Draft202012Validator(REGISTRY.document("meta/generator.schema.json"), validate_formats=True)
CASES = Path(__file__).parent / "cases" / "generators"
EXPECTED = json.loads((CASES / "expected.json").read_text("utf-8"))
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


BROWSER = """
const fs = require("fs");
const [folder, parts] = [process.argv[2], JSON.parse(process.argv[3])];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const advising = Waypost.load(WaypostRegistry).part("advising");
const answers = JSON.parse(fs.readFileSync(0, "utf8")).map(({page, items, findings}) => {
  for (const each of findings) delete each.advice;
  return {advice: advising.advise(page, items, findings), findings: findings.map((each) => each.advice || [])};
});
process.stdout.write(JSON.stringify(answers));
"""


def report_of(page: bytes, path: str = "page.html") -> FileReport:
    return validate_page(page, REGISTRY, path=path, url="https://www.example.com/page", now=NOW)


def lines_of(*files: FileReport) -> list[str]:
    return list(advice_lines(list(files), View()))


@pytest.mark.parametrize("name", FILES)
def test_each_file_follows_the_grammar_and_names_existing_items(name: str) -> None:
    generator: dict[str, Any] = FILES[name]

    assert not [error.message for error in GRAMMAR.iter_errors(generator)]
    rules = {rule for fix in generator["fixes"] for rule in fix.get("rules", ())}
    types = {*generator["types"], *(kind for fix in generator["fixes"] for kind in fix.get("types", ()))}
    words = {word for fix in generator["fixes"] for path in fix.get("properties", ()) for word in path.split(".")}
    assert rules <= rules_by_name().keys()
    assert types <= REGISTRY.vocabulary.types.keys()
    assert words <= REGISTRY.vocabulary.properties.keys()
    assert all(re.compile(mark["pattern"]).groups <= 1 for mark in generator["marks"])


@pytest.mark.parametrize("name", FILES)
def test_page_made_with_it_names_it_with_the_setting(name: str) -> None:
    found = lines_of(report_of((CASES / name / "bad-page.html").read_bytes()))

    assert found == EXPECTED[name]
    assert [line for line in found if line.startswith(f"Its structured data comes from {FILES[name]['name']}")]


@pytest.mark.parametrize("name", FILES)
def test_a_page_with_something_alike_names_nothing(name: str) -> None:
    assert lines_of(report_of((CASES / name / "good-page.html").read_bytes())) == []


def test_finding_knows_its_advice_and_a_note_has_none() -> None:
    report = report_of((CASES / "woocommerce" / "bad-page.html").read_bytes())

    advised = [
        (finding.severity, [report.advice[each].generator for each in finding.advice]) for finding in report.findings
    ]
    assert ("error", ["WooCommerce"]) in advised
    assert all(not names for severity, names in advised if severity == "info")


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("WooCommerce 8.9.1", "it writes no gtin before version 9.2"),
        ("WooCommerce 9.1", "it writes no gtin before version 9.2"),
        ("WooCommerce 9.2.3", "it writes the gtin only from a valid GTIN"),
        ("WooCommerce 10.0", "it writes the gtin only from a valid GTIN"),
        ("WooCommerce", "it writes the gtin only from a valid GTIN"),
    ],
)
def test_advice_is_that_of_the_version_of_the_page(version: str, advice: str) -> None:
    page = (CASES / "woocommerce" / "bad-page.html").read_bytes()
    page = page.replace(b"WooCommerce 8.2.1", version.encode()).replace(b'"price":"abc"', b'"price":"4"')

    found = " ".join(lines_of(report_of(page)))

    assert advice in found
    assert ("before version" in found) == ("before version" in advice)


def test_pages_of_a_site_are_counted_by_their_generator() -> None:
    page = (CASES / "woocommerce" / "bad-page.html").read_bytes()

    (line,) = lines_of(report_of(page, "a.html"), report_of(page, "b.html"))

    assert line.startswith("The structured data of 2 pages comes from WooCommerce 8.2: it takes the price")


def test_a_finding_that_does_not_count_brings_no_advice() -> None:
    report = report_of((CASES / "woocommerce" / "bad-page.html").read_bytes())
    report.findings = [finding for finding in report.findings if finding.severity == "info"]

    assert lines_of(report) == []


@pytest.mark.parametrize(
    "format_", ["json", "ndjson", "sarif", "junit", "github", "gitlab", "html", "markdown", "text"]
)
def test_every_format_carries_the_advice(format_: str) -> None:
    from importlib import import_module

    report = Report(
        registry_version=REGISTRY.version,
        files=[report_of((CASES / "woocommerce" / "bad-page.html").read_bytes())],
        summary=Summary(files=1, errors=1),
        tool={"name": "waypost", "version": "0"},
    )

    written = "".join(import_module(f"waypost.report.{format_}").pieces(report, View()))

    assert "WooCommerce" in written
    assert "it takes the price" in written


def test_the_browser_gives_the_same_advice(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    pytest.importorskip("rjsmin", reason="the site needs the extra `site`")
    from waypost.pages.bundle import scripts

    for name, data in scripts(REGISTRY).items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "program.js").write_text(BROWSER, "utf-8")
    requests, ours = [], []
    for path in sorted(CASES.glob("*/*.html")):
        page = read_page(path.read_bytes(), REGISTRY.vocabulary)
        blocks = [
            {"syntax": each.syntax, "index": each.index, "start": getattr(each, "start", 0)} for each in page.blocks
        ]
        report = json.loads(encode_json(file_data(report_of(path.read_bytes()))))
        requests.append({"page": {"text": page.text, "blocks": blocks}, **report})
        found = [finding.get("advice", []) for finding in report["findings"]]
        ours.append({"advice": report.get("advice", []), "findings": found})

    parts = [f"{part}.js" for part in ("drawing", "reading", "validating", "advising")]
    ran = subprocess.run(
        [node, str(tmp_path / "program.js"), str(tmp_path), json.dumps(parts)],
        input=json.dumps(requests), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-2000:]
    assert json.loads(ran.stdout) == ours
