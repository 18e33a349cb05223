"""One report in every format, beside its approved text.

    tests/cases/reports/given.json      the report, with UTF-16 columns
    tests/cases/reports/pages/          the pages it speaks of
    tests/cases/reports/approved.*      what each format makes of it

After a wanted change, `WAYPOST_APPROVE=1 pytest tests/test_report_formats.py` writes the approved files anew;
read the difference before you keep it.
"""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from waypost.models.finding import FileReport, Finding, ItemReport, Report, Severity, Summary, Suppression
from waypost.models.page import Span
from waypost.reader.encoding import decode
from waypost.registry import load
from waypost.report import RuleNote, Source, View, format_names, render
from waypost.validate import validate_page

CASES = Path(__file__).parent / "cases" / "reports"
PAGES = CASES / "pages"
VECTORS = Path(__file__).resolve().parents[2] / "shared" / "vectors"
GIVEN = msgspec.json.decode((CASES / "given.json").read_bytes(), type=Report)
ENDINGS = {"json": "json", "ndjson": "ndjson", "sarif": "sarif", "junit": "xml", "gitlab": "gitlab.json",
           "markdown": "md", "html": "html"}  # fmt: skip


def page(path: str) -> Source | None:
    if not (PAGES / path).is_file():
        return None
    text = decode((PAGES / path).read_bytes())
    offset = text.offset
    return Source(text.string, lambda start, end: text.locate(Span(offset(start), offset(end))))


def notes() -> dict[str, RuleNote]:
    doc = "A price is no decimal number.\n\nThe consumer reads a number.\n\nSource: example, read 2026-11-20."
    name = "price-not-a-number"
    return {name: RuleNote(name, doc, "google", "error", f"https://waypost.test/rules/{name}/")}


def made(name: str, report: Report = GIVEN, **view: Any) -> str:
    return render(report, name, View(read=page, rules=notes, group_by="page", **view))


def nasty() -> Report:
    """A report whose every text tries to be something else."""
    text = "a\"b'c<d>&e%f,g:h|i`j\n::error::k\r\x1b[31m\x00\u202e]]>--><!--\ud800\uffff@everyone"
    found = Finding(
        rule="a-rule", severity="error", authority="json", message=text, hint=text, syntax="json-ld", pointer=text,
        property=text, start=0, end=1, line=1, column=1, end_line=1, end_column=2, doc_url="/rules/a-rule/",
        fingerprint="f",
    )  # fmt: skip
    files = [FileReport(path=f"{text}.html", findings=[found]), FileReport(path="b", error=text)]
    return Report(registry_version="0" * 12, files=files, summary=Summary(files=2, errors=1),
                  tool={"name": "waypost", "version": "0"})  # fmt: skip


@pytest.mark.usefixtures("undecided_names")
@pytest.mark.parametrize("name", format_names())
def test_each_format_is_as_approved(name: str) -> None:
    approved = CASES / f"approved.{ENDINGS.get(name, f'{name}.txt')}"
    output = made(name)
    if os.environ.get("WAYPOST_APPROVE"):
        approved.write_text(output, encoding="utf-8", newline="")

    assert output == approved.read_bytes().decode("utf-8")


def test_text_is_the_first_format() -> None:
    assert format_names()[0] == "text"


@pytest.mark.parametrize("name", format_names())
def test_a_report_of_nothing_has_a_form_too(name: str) -> None:
    nothing = Report(registry_version="0" * 12, files=[], summary=Summary(), tool=GIVEN.tool)

    assert made(name, nothing)


@pytest.mark.parametrize("name", format_names())
def test_hostile_text_breaks_no_format(name: str) -> None:
    output = made(name, nasty())

    output.encode("utf-8")
    assert "\x1b" not in output
    assert "\x00" not in output


def test_html_has_no_script_and_takes_nothing_from_elsewhere() -> None:
    output = made("html", nasty())

    assert not re.search(r"<script|<link|<img|<iframe|\bon\w+=|javascript:|@import|url\(", output, re.IGNORECASE)
    assert "default-src 'none'" in output
    assert "&lt;d&gt;" in output


def test_html_lets_long_names_break_at_their_joints() -> None:
    found = msgspec.structs.replace(
        next(each for each in GIVEN.files if each.findings).findings[0],
        message="aggregateRating.reviewCount of applicantLocationRequirements, see schema.org <b>",
    )

    output = made("html", msgspec.structs.replace(GIVEN, files=[FileReport(path="a.html", findings=[found])]))

    assert "aggregateRating.<wbr>reviewCount of applicant<wbr>LocationRequirements, see schema.org &lt;b&gt;" in output


def test_html_about_one_clean_page_names_its_results() -> None:
    items = [ItemReport(types=("Organization",), syntax="json-ld", line=1, column=1, eligible=("google/organization",))]
    clean = FileReport(path="about.html", items=items)

    output = made("html", msgspec.structs.replace(GIVEN, files=[clean], summary=Summary(files=1, items=1)))

    assert "<h1>Nothing wrong in 1 file; 1 item</h1>" in output
    assert "<h2>about.html</h2>" in output
    assert "organization results" in output


def test_html_prints_results_below_an_items_name() -> None:
    recipe = {"@context": "https://schema.org", "@type": "Recipe", "name": "<Pie>", "image": "/a.jpg"}
    page = f'<script type="application/ld+json">{json.dumps(recipe)}</script>'.encode()

    output = made("html", msgspec.structs.replace(GIVEN, files=[validate_page(page, load())]))

    item = "<li><b>Recipe &#x27;&lt;Pie&gt;&#x27;, line 1</b>\n<ul>\n"
    assert f"{item}<li>eligible for recipe results</li>\n<li>recommended: " in output


def test_sarif_fits_the_published_schema() -> None:
    path = VECTORS / "sarif-schema-2.1.0.json"
    if not path.is_file():
        pytest.skip("the published SARIF schema is not beside this checkout")
    validator = jsonschema.Draft7Validator(json.loads(path.read_text(encoding="utf-8")))

    marked = nasty()
    marked.files[0].suppressed = [msgspec.structs.replace(marked.files[0].findings[0], suppression=Suppression("page"))]
    for report in (GIVEN, nasty(), marked):
        validator.validate(json.loads(made("sarif", report)))


def utf16(text: str, line: int, column: int) -> int:
    """The offset, in UTF-16 code units, of a 1-based line and UTF-16 column."""
    before = text.split("\n")[: line - 1]
    return sum(len(each.encode("utf-16-le")) // 2 + 1 for each in before) + column - 1


def test_sarif_marks_ignored_findings_and_omits_none() -> None:
    file = next(file for file in GIVEN.files if file.findings)
    counted = file.findings[0]
    known, forgiven = (
        msgspec.structs.replace(counted, suppression=why)
        for why in (Suppression("baseline"), Suppression("page", "an old page"))
    )
    report = msgspec.structs.replace(
        GIVEN, files=[FileReport(path=file.path, findings=[counted], suppressed=[known, forgiven])]
    )

    log = json.loads(render(report, "sarif", View(baseline=True)))

    results = log["runs"][0]["results"]
    assert [each["baselineState"] for each in results] == ["new", "unchanged", "new"]
    assert [[why["kind"] for why in each["suppressions"]] for each in results] == [[], ["external"], ["inSource"]]
    assert results[2]["suppressions"][0]["justification"] == "an old page"
    without = json.loads(render(GIVEN, "sarif"))["runs"][0]["results"]
    assert not any({"baselineState", "suppressions"} & each.keys() for each in without)


def test_sarif_columns_count_utf16_code_units() -> None:
    text = (PAGES / "kettle.html").read_text(encoding="utf-8")
    units = text.encode("utf-16-le")
    run = json.loads(made("sarif"))["runs"][0]
    (result,) = (each for each in run["results"] if each["ruleId"] == "json-duplicate-key")

    def at(region: dict[str, int], **end: int) -> str:
        start = utf16(text, region["startLine"], region["startColumn"])
        last = utf16(text, region.get("endLine", region["startLine"]), region.get("endColumn", 1)) if not end else 0
        return units[2 * start : 2 * (last or start + end["length"])].decode("utf-16-le")

    assert run["columnKind"] == "utf16CodeUnits"
    assert at(result["locations"][0]["physicalLocation"]["region"]) == '"description"'
    assert at(result["relatedLocations"][0]["physicalLocation"]["region"], length=13) == '"description"'


def test_sarif_fixes_delete_exactly_their_target() -> None:
    text = (PAGES / "kettle.html").read_text(encoding="utf-8")
    results = json.loads(made("sarif"))["runs"][0]["results"]
    (fixed,) = (each for each in results if each["ruleId"] == "json-trailing-comma")
    (change,) = fixed["fixes"][0]["artifactChanges"][0]["replacements"]

    region = change["deletedRegion"]
    start = utf16(text, region["startLine"], region["startColumn"])
    end = utf16(text, region["endLine"], region["endColumn"])

    assert text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == ","
    assert change["insertedContent"]["text"] == ""


def test_sarif_rules_carry_their_help() -> None:
    driver = json.loads(made("sarif"))["runs"][0]["tool"]["driver"]
    (rule,) = (each for each in driver["rules"] if each["id"] == "price-not-a-number")

    assert rule["help"]["text"].startswith("A price is no decimal number.")
    assert rule["helpUri"] == "https://waypost.test/rules/price-not-a-number/"
    assert rule["fullDescription"]["text"] == "The consumer reads a number."


def test_a_workflow_command_ends_where_its_line_ends() -> None:
    output = made("github", nasty(), quiet=True)

    assert [line.partition(" ")[0] for line in output.splitlines()] == ["::error", "::error"]
    properties = output.splitlines()[0].partition(" ")[2].partition("::")[0]
    assert [each.partition("=")[0] for each in properties.split(",")] == [
        "file", "line", "endLine", "col", "endColumn", "title",
    ]  # fmt: skip


@pytest.mark.parametrize("failing", [(), ("error",), ("error", "warning"), ("warning",), ("error", "warning", "info")])
def test_junit_fails_exactly_what_fails_the_run(failing: tuple[Severity, ...]) -> None:
    suites = ET.fromstring(made("junit", failing=frozenset(failing)).encode())

    expected = [each.severity for file in GIVEN.files for each in file.findings if each.severity in failing]
    assert [failure.get("type") for failure in suites.iter("failure")] == expected
    cases = [case for case in suites.iter("testcase") if case.get("line")]
    assert len(cases) >= sum(each.severity != "info" for file in GIVEN.files for each in file.findings)


def test_junit_is_xml_with_true_counts() -> None:
    for report in (GIVEN, nasty()):
        suites = ET.fromstring(made("junit", report).encode())

        for counted in (suites, *suites.iter("testsuite")):
            assert int(counted.get("tests", "")) == len(list(counted.iter("testcase")))
            assert int(counted.get("failures", "")) == len(list(counted.iter("failure")))
            assert int(counted.get("errors", "")) == len(list(counted.iter("error")))


def test_gitlab_fingerprints_are_unique() -> None:
    issues = json.loads(made("gitlab", verbose=True))

    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 7


def test_every_line_of_ndjson_is_an_object_with_kind() -> None:
    lines = [json.loads(line) for line in made("ndjson").splitlines()]

    assert [line["kind"] for line in lines].count("finding") == 6
    assert lines[-1]["kind"] == "summary"


def test_a_comment_in_markdown_stays_below_what_github_takes() -> None:
    (first, *_) = GIVEN.files[0].findings
    files = [
        FileReport(
            path="a.html", findings=[msgspec.structs.replace(first, property=f"p{number}", pointer=f"/p{number}x")]
        )
        for number in range(1200)
    ]
    many = Report(registry_version="0" * 12, files=files, summary=Summary(files=1200, errors=1200), tool=GIVEN.tool)

    output = made("markdown", many)

    assert len(output) < 65_536
    assert re.search(r"… and [\d,]+ more lines", output)


def test_markdown_mentions_no_user_and_keeps_its_table() -> None:
    rows = [line for line in made("markdown", nasty()).splitlines() if line.startswith("| error")]

    assert len(rows) == 1
    outside_code = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", rows[0])
    assert "@everyone" not in outside_code
    assert "everyone" in outside_code
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5
