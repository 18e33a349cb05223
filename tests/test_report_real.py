"""Reports of real runs, over the sample site and every case of a rule, fit what is promised of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from waypost.cli import main

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "schemas" / "api" / "report.schema.json").read_text(encoding="utf-8"))
SARIF = ROOT.parent / "shared" / "vectors" / "sarif-schema-2.1.0.json"
INPUTS = (
    str(ROOT / "examples" / "site"),
    str(ROOT / "tests" / "cases" / "rules"),
)


@cache
def report(form: str, folder: Path) -> dict[str, Any]:
    output = folder / form
    main(["validate", *INPUTS, "--now", "2026-11-20", "--format", form, "--output", str(output), "--quiet"])
    made: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


def test_every_report_fits_its_schema(folder: Path) -> None:
    made = report("json", folder)

    assert made["summary"]["errors"] > 50
    assert not [error.message for error in jsonschema_rs.Draft202012Validator(SCHEMA).iter_errors(made)]


def test_no_page_is_failed_on(folder: Path) -> None:
    assert not [(file["path"], file["error"]) for file in report("json", folder)["files"] if "error" in file]


def test_findings_of_a_file_have_fingerprints_of_their_own(folder: Path) -> None:
    for file in report("json", folder)["files"]:
        prints = [finding["fingerprint"] for finding in file["findings"]]
        assert len(set(prints)) == len(prints), file["path"]


def test_every_sarif_log_fits_the_published_schema(folder: Path) -> None:
    if not SARIF.is_file():
        pytest.skip("the published SARIF schema is not beside this checkout")
    log = report("sarif", folder)

    results = log["runs"][0]["results"]
    assert len(results) > 100
    # The engine is slow: of results made alike one stands for all.
    alike = {(each["ruleId"], *each, *each["properties"]): each for each in results}
    log = log | {"runs": [log["runs"][0] | {"results": list(alike.values())}]}
    # One pattern of that schema is no ECMA-262 expression, which the strict engine refuses.
    validator = jsonschema.Draft7Validator(json.loads(SARIF.read_text(encoding="utf-8")))
    assert not [error.message for error in validator.iter_errors(log)]


def test_every_rule_in_sarif_carries_its_help(folder: Path) -> None:
    for rule in report("sarif", folder)["runs"][0]["tool"]["driver"]["rules"]:
        assert "ource" in rule["help"]["text"], rule["id"]
