"""Formats for code hosts and test runners by cause: alike findings of many pages are one entry with its places."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from waypost.models.finding import Edit, FileReport, Finding, Fix, Report, Suppression
from waypost.models.page import Location
from waypost.registry import load
from waypost.report import RuleNote, Source, View, github, html, render, sarif
from waypost.validate import build_report

VECTORS = Path(__file__).resolve().parents[2] / "shared" / "vectors"


def finding(line: int = 1, **more: Any) -> Finding:
    settled = {
        "rule": "price-invalid", "severity": "error", "authority": "google", "message": "'12,50' is not a plain number",
        "hint": "write 12.50", "syntax": "json-ld", "pointer": "/offers/0/price", "property": "price", "start": line,
        "end": line + 1, "line": line, "column": 3, "end_line": line, "end_column": 4,
        "doc_url": "/rules/price-invalid/", "fingerprint": f"f{line}",
    }  # fmt: skip
    return Finding(**(settled | more))


def pages(number: int, *findings: Finding, names: str = "p{:05}.html") -> Report:
    """Report about pages which each have the findings."""
    files = [
        FileReport(path=names.format(place), findings=[msgspec.structs.replace(each) for each in findings])
        for place in range(number)
    ]
    return build_report(files, load())


def kinds(number: int) -> list[Finding]:
    """Findings of as many causes."""
    return [finding(line, pointer=f"/offers/price{'x' * line}") for line in range(1, number + 1)]


def results(report: Report, **view: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(report, "sarif", View(**view)))["runs"][0]["results"]
    return found


def issues(report: Report) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(report, "gitlab"))
    return found


def test_sarif_has_one_result_for_a_template() -> None:
    given = pages(3_000, finding(7), finding(9, rule="name-empty", message="the name is empty", hint=None))

    found = results(given)

    assert [(each["ruleId"], each["occurrenceCount"], len(each["locations"])) for each in found] == [
        ("price-invalid", 3_000, 100), ("name-empty", 3_000, 100),
    ]  # fmt: skip
    assert found[0]["message"]["text"].endswith("3,000 places on 3,000 pages")
    assert found[0]["locations"][99]["physicalLocation"]["artifactLocation"]["uri"] == "p00099.html"


def test_sarif_by_cause_fits_the_published_schema() -> None:
    path = VECTORS / "sarif-schema-2.1.0.json"
    if not path.is_file():
        pytest.skip("the published SARIF schema is not beside this checkout")

    given = pages(3, finding(7), finding(9, fix=Fix(safe=True, edits=(Edit(1, 2, "x"),))))
    given.files[0].suppressed = [finding(11, suppression=Suppression("baseline"))]
    jsonschema.Draft7Validator(json.loads(path.read_text("utf-8"))).validate(json.loads(render(given, "sarif")))


def test_a_known_cause_and_a_new_one_stay_apart() -> None:
    given = pages(2, finding(7))
    for file in given.files:
        file.suppressed = [finding(9, suppression=Suppression("baseline"))]

    states = [(each["baselineState"], each["occurrenceCount"]) for each in results(given, baseline=True)]

    assert states == [("new", 2), ("unchanged", 2)]


def test_a_repair_is_offered_only_for_a_single_place() -> None:
    fix = Fix(safe=True, edits=(Edit(0, 1, "y"),))
    once, twice = finding(3, fix=fix), finding(4, pointer="/sku", hint="write y", fix=fix)
    given = build_report(
        [FileReport(path="a.html", findings=[once, twice]), FileReport(path="b.html", findings=[twice])], load()
    )

    found = results(given, read=lambda _: Source("x", lambda *_: Location(0, 1, 1, 1, 1, 2, 1, 2)))

    assert {each["occurrenceCount"]: "fixes" in each for each in found} == {1: True, 2: False}


@pytest.mark.parametrize("names", ["p{:05}.html", "moved/{}.html"])
def test_a_cause_keeps_its_fingerprint_when_pages_move(names: str) -> None:
    given = pages(4, finding(7), names=names)
    other = pages(9, finding(70, message="'8,00' is not a plain number", hint="write 8.00"))

    assert [each["fingerprint"] for each in issues(given)] == [each["fingerprint"] for each in issues(other)]
    assert results(given)[0]["partialFingerprints"] == results(other)[0]["partialFingerprints"]


def test_what_is_above_the_limit_of_results_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "_MOST_RESULTS", 5)

    run = json.loads(render(pages(4, *kinds(2)), "sarif", View(group_by="page")))["runs"][0]

    assert len(run["results"]) == 5
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "3 more results than the limit of 5 are left out; --group-by cause has all"


def test_a_rule_has_the_level_with_which_it_is_reported() -> None:
    doc = "A price.\n\nSource: https://schema.org/price, read 2026-11-20."
    rules = {"price-invalid": RuleNote("price-invalid", doc, "google", "error", "/rules/price-invalid/")}

    report = render(pages(2, finding(severity="info")), "sarif", View(rules=lambda: rules))

    (rule,) = json.loads(report)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["defaultConfiguration"] == {"level": "note"}
    assert rule["helpUri"] == "https://schema.org/price"  # without a site, the source explains it


def test_gitlab_has_one_issue_with_its_places() -> None:
    (issue,) = issues(pages(250, finding(7)))

    assert issue["description"] == "'12,50' is not a plain number; write 12.50; 250 places on 250 pages"
    assert issue["location"] == {"path": "p00000.html", "lines": {"begin": 7, "end": 7}}
    assert issue["content"]["body"].startswith("Further places: p00001.html:7, p00002.html:7, ")
    assert issue["content"]["body"].endswith(", and 150 more")


def test_junit_has_one_case_for_a_template() -> None:
    given = pages(120, finding(7), finding(8, rule="name-empty", severity="warning", hint=None, message="no name"))
    given.files.append(FileReport(path="broken.html", error="no such file"))

    suites = ET.fromstring(render(given, "junit").encode())

    assert {suite.get("name"): suite.get("failures") for suite in suites} == {
        "pages": "0", "price-invalid": "1", "name-empty": "0",
    }  # fmt: skip
    for counted in (suites, *suites):
        assert int(counted.get("tests", "")) == len(list(counted.iter("testcase")))
        assert int(counted.get("failures", "")) == len(list(counted.iter("failure")))
        assert int(counted.get("errors", "")) == len(list(counted.iter("error")))
    (failure,) = suites.iter("failure")
    assert failure.text is not None
    assert "120 places on 120 pages" in failure.text
    assert failure.text.rstrip().endswith("and 20 more")


def test_a_case_keeps_its_name_when_pages_and_values_change() -> None:
    def names(report: Report) -> Iterator[str | None]:
        return (case.get("name") for case in ET.fromstring(render(report, "junit").encode()).iter("testcase"))

    other = pages(3, finding(70, message="'8,00' is not a plain number", hint="write 8.00"), names="n{}.html")

    assert list(names(pages(3, finding(7)))) == list(names(other))


def test_few_findings_have_an_annotation_each() -> None:
    output = render(pages(10, finding(7)), "github", View(quiet=True))

    assert output.count("::error ") == 10


def test_many_alike_findings_have_one_annotation() -> None:
    output = render(
        pages(3_000, finding(7), finding(8, severity="warning", pointer="/sku")), "github", View(quiet=True)
    )

    assert re.findall("^::([a-z]+) file=([^,]+)", output, re.MULTILINE) == [
        ("error", "p00000.html"), ("warning", "p00000.html"),
    ]  # fmt: skip
    assert "2,999 more places; 3,000 pages" in output


def test_annotations_that_a_step_would_hide_are_log_lines() -> None:
    output = render(pages(2, *kinds(14)), "github", View(quiet=True)).splitlines()

    assert sum(line.startswith("::error ") for line in output) == github._MOST
    after = output.index("without an annotation, because a step shows 10 of each kind:")
    assert len(output[after + 1 :]) == 4
    assert all(line.startswith("error: p00000.html:") for line in output[after + 1 :])


def test_a_long_list_of_log_lines_ends_with_a_count() -> None:
    output = render(pages(2, *kinds(130)), "github", View(quiet=True)).splitlines()

    assert output[-1] == "and 20 more lines; --output html=report.html lists all"


def test_html_shows_the_worst_of_many_pages_in_full() -> None:
    given = pages(html._MOST_DETAILED + 40, finding(7))

    by_cause, by_page = render(given, "html"), render(given, "html", View(group_by="page"))

    assert by_cause.count("<details") == html._MOST_DETAILED
    assert "40 more pages with findings of the same kinds" in by_cause
    assert by_page.count("<details") == len(given.files)
    links = set(re.findall('href="#(page-[0-9]+)"', by_cause))
    assert links <= set(re.findall('id="(page-[0-9]+)"', by_cause))
    assert "p00139.html" in by_cause  # in the table of pages


@pytest.mark.parametrize("name", ["sarif", "gitlab", "junit"])
def test_one_page_has_an_entry_for_each_finding(name: str) -> None:
    output = render(pages(1, finding(7), finding(8)), name)

    assert output.count("is not a plain number") >= 2
    assert output == render(pages(1, finding(7), finding(8)), name, View(group_by="page"))
