"""Programs of others read the reports for machines, and count what the run counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from waypost.cli import main

ROOT = Path(__file__).parent.parent.parent
FORMATS = ("json", "sarif", "junit")


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Reports of one run over the sample site, by format."""
    monkeypatch.chdir(ROOT)
    files = {name: tmp_path / f"report.{name}" for name in FORMATS}
    outputs = [word for name, path in files.items() for word in ("--output", f"{name}={path}")]
    assert main(["validate", "examples/site", "--now", "2026-11-20", "--no-cache", "--verbose", *outputs]) == 1
    return files


def summary(reports: dict[str, Path]) -> dict[str, Any]:
    return dict(json.loads(reports["json"].read_text("utf-8"))["summary"])


def test_sarif_tools_counts_the_findings_of_the_run(reports: dict[str, Path]) -> None:
    loader = pytest.importorskip("sarif.loader", reason="sarif-tools is installed by .ci/run")
    counted = summary(reports)

    levels = [result["level"] for result in loader.load_sarif_file(str(reports["sarif"])).get_results()]

    assert levels.count("error") == counted["errors"] > 0
    assert levels.count("warning") == counted["warnings"] > 0
    assert levels.count("note") == counted["infos"] > 0


def test_junitparser_counts_the_failures_of_the_run(reports: dict[str, Path]) -> None:
    junitparser = pytest.importorskip("junitparser", reason="junitparser is installed by .ci/run")

    suites = junitparser.JUnitXml.fromfile(str(reports["junit"]))
    failed = [case for suite in suites for case in suite if case.is_failure]

    assert len(failed) == suites.failures == summary(reports)["errors"] > 0
    assert suites.tests == sum(len(list(suite)) for suite in suites)
    assert suites.errors == 0
