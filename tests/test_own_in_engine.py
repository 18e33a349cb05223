"""The engine of a company's site checks the company's profiles and checks as the command line does."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from waypost.lint.own_requirements import Requirements, requirements_at
from waypost.pages.bundle import scripts
from waypost.registry import shared_registry
from waypost.validate import validate_data

EXAMPLE = Path(__file__).parent.parent / "examples" / "own-rules"
CASES = Path(__file__).parent / "cases" / "rules"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
IN_PYTHON = "acme-brand-in-name"
PROGRAM = """
const fs = require("fs");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const answer = cases.map(({ text, profiles }) => {
  const report = engine.validate({ text, profiles, media: "json", now: "2026-11-20T12:00:00Z" });
  return [report.files[0], report.not_checked];
});
process.stdout.write(JSON.stringify(answer));
"""


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Configuration of the company, with its package installed."""
    packages = tmp_path / "packages"
    shutil.copytree(EXAMPLE / "src" / "acme_rules", packages / "acme_rules")
    info = packages / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n", "utf-8")
    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["waypost.rules"]
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[waypost.rules]\n{lines}", "utf-8")
    monkeypatch.syspath_prepend(str(packages))
    shutil.copytree(EXAMPLE / "site", tmp_path / "site")
    yield tmp_path / "site" / "waypost.toml"
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_rules"]:
        del sys.modules[name]


def in_browser(folder: Path, found: Requirements, requests: list[dict[str, Any]]) -> Any:
    """Reports of the engine, with what it does not check. Skips without node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    parts = scripts(found.registry, usual=found.usual)
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    (folder / "program.js").write_text(PROGRAM, "utf-8")
    ran = subprocess.run(
        [node, str(folder / "program.js"), str(folder), json.dumps(list(parts))],
        input=json.dumps(requests), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


def in_python(found: Requirements, text: str, profiles: list[str]) -> list[tuple[Any, ...]]:
    report = validate_data(
        text.encode(), found.registry, now=NOW, profiles=profiles or found.profiles, also=found.also
    )  # fmt: skip
    found.apply(report, named=bool(profiles))
    return [
        (each.severity, each.rule, each.authority, each.profile, each.line, each.column, each.message, each.hint)
        for each in report.findings
        if each.rule != IN_PYTHON
    ]


def in_order(file: dict[str, Any]) -> list[tuple[Any, ...]]:
    names = ("severity", "rule", "authority", "profile", "line", "column", "message", "hint")
    return [tuple(each.get(name) for name in names) for each in file["findings"]]


def texts() -> list[str]:
    """Documents of the company, and documents of other cases about products and offers."""
    own = [(EXAMPLE / "site" / name).read_text("utf-8") for name in ("bad.jsonld", "good.jsonld")]
    cases = [path for path in sorted(CASES.glob("*/*")) if path.suffix in {".json", ".jsonld"}]
    read = [path.read_bytes().decode("utf-8", "replace") for path in cases]
    return own + [text for text in read if re.search(r'"Product"|"Offer"', text)][:150]


def test_both_engines_agree_on_every_document(company: Path, tmp_path: Path) -> None:
    found = requirements_at(company)
    requests = [{"text": text, "profiles": []} for text in texts()]

    reports = in_browser(tmp_path, found, requests)

    assert len(requests) > 50
    for request, (file, _) in zip(requests, reports, strict=True):
        assert in_order(file) == in_python(found, request["text"], []), request["text"]
    assert {each["rule"] for each in reports[0][0]["findings"]} >= {"acme-sku", "required-property-missing"}
    assert "project" not in {each["authority"] for each in reports[1][0]["findings"]}


def test_a_named_profile_takes_the_place_of_the_usual_ones(company: Path, tmp_path: Path) -> None:
    found = requirements_at(company)
    text = texts()[0]

    ((google, _), (both, _)) = in_browser(
        tmp_path, found, [{"text": text, "profiles": ["google/recipe"]}, {"text": text, "profiles": ["acme/product"]}]
    )

    assert in_order(google) == in_python(found, text, ["google/recipe"])
    assert in_order(both) == in_python(found, text, ["acme/product"])


def test_levels_and_further_names_count_as_on_the_command_line(company: Path, tmp_path: Path) -> None:
    company.write_text(
        company.read_text("utf-8")
        + '[rules]\nacme-sku = "info"\n"acme/product" = "warning"\nprice-invalid = "off"\n'
        + '[vocabulary]\nalso = ["acmeNo"]\n',
        "utf-8",
    )
    text = json.dumps(
        {"@context": "https://schema.org", "@type": "Product", "name": "A", "sku": "X", "acmeNo": "1",
         "offers": {"@type": "Offer", "price": "12,50", "priceCurrency": "EUR"}}
    )  # fmt: skip
    found = requirements_at(company)

    ((file, _),) = in_browser(tmp_path, found, [{"text": text, "profiles": []}])

    assert in_order(file) == in_python(found, text, [])
    assert ("info", "acme-sku") in {(each["severity"], each["rule"]) for each in file["findings"]}
    assert {"price-invalid", "unknown-property"}.isdisjoint(each["rule"] for each in file["findings"])


def test_the_site_names_the_rules_no_browser_runs(company: Path, tmp_path: Path) -> None:
    path = company.parent / "acme-old.json"
    check = json.loads((EXAMPLE / "src/acme_rules/checks/acme-sku.json").read_text("utf-8"))
    path.write_text(json.dumps(check | {"when": {"does_not_match": "^X\\-"}}), "utf-8")
    company.write_text(f'checks = ["acme-old.json"]\n{company.read_text("utf-8")}', "utf-8")

    ((_, not_checked),) = in_browser(tmp_path, requirements_at(company), [{"text": "{}", "profiles": []}])

    why = {each["name"]: each["why"] for each in not_checked}
    assert "rule in Python of acme-rules" in why[IN_PYTHON]
    assert "not one of JavaScript" in why["acme-old"]


def test_a_site_without_a_company_has_nothing_of_one() -> None:
    registry = shared_registry()

    assert b'"usual"' not in scripts(registry)["validating.js"]
