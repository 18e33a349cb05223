"""Every rule has pages it must speak about and pages it must be silent about.

tests/cases/rules/<rule>/bad-*   the rule appears; where a place is given, its first finding stands there
tests/cases/rules/<rule>/good-*  it does not appear
tests/cases/rules/<rule>/expected.json   all findings of each file, which every engine reports to the letter;
                                 `tools/make_expected.py` writes it

The place is `line:column`, in an HTML comment `<!-- expect: 3:9 -->` at the head of the case.
A frozen clock: 2026-11-20T12:00:00Z. The page's address is known, unless the case's name ends in `of-unknown-address`.
"""

from __future__ import annotations

import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from waypost.models.finding import FileReport, Finding
from waypost.pages.feed_cases import findings_of
from waypost.validate.rulebook import rules_by_name

CASES = Path(__file__).parent / "cases" / "rules"


def _make_expected() -> Any:
    spec = importlib.util.spec_from_file_location(
        "make_expected", Path(__file__).parents[1] / "tools" / "make_expected.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE_EXPECTED = _make_expected()
REGISTRY, NOW = MAKE_EXPECTED.REGISTRY, MAKE_EXPECTED.NOW
FOLDERS = [folder for folder in sorted(CASES.iterdir()) if MAKE_EXPECTED.cases(folder)]


BY_RULE = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def cases(folder: Path, kind: str) -> list[Path]:
    return [case for case in MAKE_EXPECTED.cases(folder) if case.name.startswith(f"{kind}-")]


@cache
def report_of(case: Path) -> FileReport:
    report: FileReport = MAKE_EXPECTED.report_of(case)
    return report


def named(case: Path) -> list[Finding]:
    return [finding for finding in report_of(case).findings if finding.rule == case.parent.name]


def place_of(case: Path) -> str | None:
    head = re.match(rb"\xef\xbb\xbf?\s*<!-- expect: (\d+:\d+) -->|<!-- expect: (\d+:\d+) -->", case.read_bytes())
    return (head[1] or head[2]).decode() if head else None


@BY_RULE
def test_page_with_the_error_is_reported_at_its_place(folder: Path) -> None:
    found = {case.name: named(case) for case in cases(folder, "bad")}

    silent = [name for name, findings in found.items() if not findings]
    assert silent == [], "the rule reports nothing there"
    for name, findings in found.items():
        if expected := place_of(folder / name):
            assert f"{findings[0].line}:{findings[0].column}" == expected, (name, findings[0].message)


@BY_RULE
def test_a_page_without_the_error_is_left_alone(folder: Path) -> None:
    found = {case.name: [finding.message for finding in named(case)] for case in cases(folder, "good")}

    assert {name: messages for name, messages in found.items() if messages} == {}


@BY_RULE
def test_a_rules_cases_have_the_expected_findings(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text("utf-8"))

    found = {case.name: MAKE_EXPECTED.findings_of(report_of(case)) for case in MAKE_EXPECTED.cases(folder)}

    assert found == expected, "`python tools/make_expected.py RULE --update` where the change is meant"


@pytest.mark.parametrize(
    "folder", sorted(CASES.glob("feed-*/*")), ids=lambda folder: f"{folder.parent.name}-{folder.name}"
)
def test_example_of_a_feed_has_the_finding_or_none(folder: Path) -> None:
    found = [finding for _, finding in findings_of(folder, REGISTRY, NOW) if finding.rule == folder.parent.name]

    assert bool(found) is folder.name.startswith("bad-")
    assert all(str(CASES) not in finding.message for finding in found)


def test_every_rule_has_cases_and_every_folder_a_rule() -> None:
    folders = {path.name for path in CASES.iterdir() if path.is_dir()}

    assert folders == set(rules_by_name())
    assert [name for name in folders for kind in ("good", "bad") if not any((CASES / name).glob(f"{kind}-*"))] == []


@pytest.mark.parametrize("name", sorted(rules_by_name()))
def test_every_rule_explains_itself(name: str) -> None:
    rule = rules_by_name()[name]

    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert rule.doc.partition("\n")[0] == f"{rule.title}.", "the first line is the title, with a full stop"
    assert len(rule.title) <= 75
    assert re.search(r"^Sources?: .+, read \d{4}-\d{2}-\d{2}\.", rule.doc, re.MULTILINE | re.DOTALL), "a dated source"
    verbs = (rule.check, rule.check_value, rule.check_page, rule.check_site, rule.explain)
    assert sum(verb is not None for verb in verbs) == (0 if rule.engine else 1)


@BY_RULE
def test_the_bytes_at_a_finding_are_of_its_page(folder: Path) -> None:
    for case in MAKE_EXPECTED.cases(folder):
        data = case.read_bytes()
        for finding in report_of(case).findings:
            assert 0 <= finding.start <= finding.end <= len(data), case.name
            assert finding.line >= 1, case.name
            assert finding.column >= 1, case.name
            for edit in finding.fix.edits if finding.fix else ():
                assert 0 <= edit.start <= edit.end <= len(data), case.name
