"""Every rule has pages it must speak about and pages it must be silent about.

tests/cases/rules/<rule>/bad-*   the rule appears; where a place is given, its first finding stands there
tests/cases/rules/<rule>/good-*  it does not appear

The place is `line:column`, in an HTML comment `<!-- expect: 3:9 -->` at the head of the case, or in a
file of the same name ending in `.expect`. A frozen clock: 2026-11-20T12:00:00Z.
The page's address is known, unless the case's name ends in `of-unknown-address`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.extract.markdown import read_markdown
from waypost.models.finding import FileReport, Finding
from waypost.registry import load
from waypost.validate import judge, validate_data, validate_page
from waypost.validate.rulebook import rules_by_name

CASES = Path(__file__).parent / "cases" / "rules"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGE_URL = "https://www.example.com/page"
REGISTRY = load()


def cases(kind: str) -> list[Path]:
    return sorted(p for p in CASES.glob(f"*/{kind}-*") if p.suffix in {".html", ".json", ".jsonld", ".md"})


def judged(case: Path) -> FileReport:
    if case.suffix == ".md":
        page = read_markdown(case.read_bytes(), REGISTRY.vocabulary, path=case.name, url=PAGE_URL)
        return judge(page, REGISTRY, now=NOW)
    validate = validate_page if case.suffix == ".html" else validate_data
    url = None if "of-unknown-address" in case.stem else PAGE_URL
    return validate(case.read_bytes(), REGISTRY, path=case.name, url=url, now=NOW)


def named(case: Path) -> list[Finding]:
    return [finding for finding in judged(case).findings if finding.rule == case.parent.name]


def place_of(case: Path) -> str | None:
    beside = case.with_suffix(".expect")
    if beside.exists():
        return beside.read_text(encoding="utf-8").strip()
    head = re.match(rb"\xef\xbb\xbf?\s*<!-- expect: (\d+:\d+) -->|<!-- expect: (\d+:\d+) -->", case.read_bytes())
    return (head[1] or head[2]).decode() if head else None


def case_id(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


@pytest.mark.parametrize("case", cases("bad"), ids=case_id)
def test_a_page_with_the_fault_is_told_so_at_its_place(case: Path) -> None:
    found = named(case)

    assert found, f"{case_id(case)}: the rule said nothing"
    if expected := place_of(case):
        assert f"{found[0].line}:{found[0].column}" == expected, found[0].message


@pytest.mark.parametrize("case", cases("good"), ids=case_id)
def test_a_page_without_the_fault_is_left_alone(case: Path) -> None:
    found = named(case)

    assert not found, found[0].message


@pytest.mark.parametrize("rule", sorted(rules_by_name()))
def test_every_rule_has_a_good_and_a_bad_case(rule: str) -> None:
    folder = CASES / rule

    assert any(folder.glob("bad-*")), f"{rule} has no page it speaks about"
    assert any(folder.glob("good-*")), f"{rule} has no page it is silent about"


@pytest.mark.parametrize("folder", sorted(p.name for p in CASES.iterdir() if p.is_dir()))
def test_every_folder_of_cases_belongs_to_a_rule(folder: str) -> None:
    assert folder in rules_by_name()


@pytest.mark.parametrize("name", sorted(rules_by_name()))
def test_every_rule_explains_itself(name: str) -> None:
    rule = rules_by_name()[name]

    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert rule.title.endswith("."), "the first line is a sentence that names the fault"
    assert len(rule.title) <= 100
    assert re.search(r"^Sources?: .+, read \d{4}-\d{2}-\d{2}\.", rule.doc, re.MULTILINE | re.DOTALL), "a dated source"
    verbs = (rule.check, rule.check_value, rule.check_page, rule.check_site, rule.explain)
    assert sum(verb is not None for verb in verbs) == (0 if rule.engine else 1)


@pytest.mark.parametrize("case", [*cases("bad"), *cases("good")], ids=case_id)
def test_the_bytes_at_a_finding_are_what_it_names(case: Path) -> None:
    """A finding about a property stands on that property's key or value, or on the node that lacks it."""
    data = case.read_bytes()

    for finding in judged(case).findings:
        assert 0 <= finding.start <= finding.end <= len(data)
        assert finding.line >= 1
        assert finding.column >= 1
        for edit in finding.fix.edits if finding.fix else ():
            assert 0 <= edit.start <= edit.end <= len(data)
