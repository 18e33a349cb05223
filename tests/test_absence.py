"""Pages without structured data: the verdict says so, and why where the page shows it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from waypost.models.finding import FileReport
from waypost.registry import load
from waypost.report import View, render
from waypost.validate import build_report, validate_page

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CASES = Path(__file__).parent / "cases" / "absence"
SAMPLES = {path.stem: path.read_text("utf-8") for path in sorted(CASES.glob("*.html"))}
SHELL = SAMPLES["app-shell-vue"]
PARTLY = {path.stem: path.read_text("utf-8") for path in sorted((CASES.parent / "unread").glob("*.html"))}
ITEM = '{"@context": "https://schema.org", "@type": "Person", "name": "A"}'
WITH_DATA = f'<script type="application/ld+json">{ITEM}</script>{SHELL}'
BROKEN = '<script type="application/ld+json">{"@context": "https://schema.org" "@type": }</script>'


def checked(text: str, path: str = "a.html") -> FileReport:
    return validate_page(text.encode(), REGISTRY, path=path, now=NOW)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_verdict_names_the_reason(name: str) -> None:
    file = checked(SAMPLES[name])
    report = render(build_report([file], REGISTRY), "text")

    assert file.absence is not None
    assert name.startswith(f"{file.absence.reason}-")
    assert report.startswith("no structured data in 1 file")
    assert "nothing wrong" not in report
    assert not [each for each in file.findings if each.severity == "error"]
    if file.absence.text:
        assert f"no structured data: {file.absence.text}" in report
        for form in ("html", "markdown", "json"):
            assert file.absence.text[:15] in render(build_report([file], REGISTRY), form).replace("\\", "")


def test_formats_for_machines_show_absence_in_their_own_way() -> None:
    report = build_report([checked(SHELL), checked("<p>Hello", "b.html")], REGISTRY)
    reason = "the page is the shell of an app"

    (run,) = json.loads(render(report, "sarif"))["runs"]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    suites = ElementTree.fromstring(render(report, "junit", View(group_by="page")))
    together = ElementTree.fromstring(render(report, "junit"))
    annotations = [line for line in render(report, "github").splitlines() if line.startswith("::")]
    issues = json.loads(render(report, "gitlab"))

    assert [note["level"] for note in notes] == ["note", "note"]
    assert reason in notes[0]["message"]["text"]
    assert notes[1]["message"]["text"] == "no structured data"
    assert [case.findtext("system-out", "")[:18] for case in suites.iter("testcase")] == ["no structured data"] * 2
    assert suites.get("failures") == "0"
    texts = [text for case in together.iter("testcase") if (text := case.findtext("system-out"))]
    assert [text.partition(" (")[0] for text in texts] == [
        f"1 page without structured data: {name}" for name in ("a.html", "b.html")
    ]
    assert reason in texts[0]
    assert [line.split(":")[2][:7] for line in annotations] == ["notice "]
    assert reason in annotations[0]
    assert [issue["severity"] for issue in issues] == ["info"]


@pytest.mark.parametrize("text", [WITH_DATA, BROKEN])
def test_a_page_with_items_or_errors_is_not_empty(text: str) -> None:
    assert checked(text).absence is None


@pytest.mark.parametrize("name", PARTLY)
def test_a_page_with_items_reports_what_its_scripts_write(name: str) -> None:
    file = checked(PARTLY[name])
    report = build_report([file], REGISTRY)
    text = render(report, "text")

    assert file.items
    assert (file.unread is not None) == name.startswith("unread-")
    if file.unread is None:
        assert text.startswith("nothing wrong in 1 file")
    else:
        assert text.startswith("nothing wrong in what was read of 1 file")
        assert f"not read: {file.unread.text}, see line 1" in text
        assert report.summary.unread == 1
        for form in ("html", "markdown", "json", "sarif", "github", "gitlab"):
            assert file.unread.text[:30] in render(report, form).replace("\\", "")


def test_a_run_counts_and_names_the_pages_without_data() -> None:
    files = [checked(WITH_DATA), *(checked(SHELL, f"{name}.html") for name in "bcdef"),
             checked(SAMPLES["none-nothing"], "z.html")]  # fmt: skip

    report = build_report(files, REGISTRY)
    lines = render(report, "text").splitlines()

    assert report.summary.without_data == 6
    assert lines[0].startswith("nothing wrong in 1 file; 1 item; 6 pages without structured data")
    assert any(
        line.startswith("5 pages without structured data: b.html, c.html and 3 more (the page is") for line in lines
    )
    assert "1 page without structured data: z.html" in lines


def test_a_named_profile_is_missing_on_such_a_page() -> None:
    file = validate_page(SHELL.encode(), REGISTRY, now=NOW, profiles=["google/recipe"])

    assert [each.rule for each in file.findings] == ["profile-not-found"]


def test_the_reasons_fit_their_schema() -> None:
    document = REGISTRY.document("absence.json")

    jsonschema.Draft202012Validator(REGISTRY.document("meta/absence.schema.json")).validate(document)
    reported = json.loads((Path(__file__).parent.parent / "schemas/api/report.schema.json").read_bytes())
    entries = set(reported["$defs"]["absence"]["properties"]["reason"]["enum"])
    assert {each["reason"] for each in (*document["reasons"], *document["in_part"])} | {
        "none",
        "json-without-type",
    } == entries
