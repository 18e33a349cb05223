"""What the vocabulary rules stand on: the lists of kinds, the suggestions, and fixes that mend."""

from __future__ import annotations

import importlib.util
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.finding import FileReport
from waypost.registry import load
from waypost.registry.vocabulary import DATA_TYPES
from waypost.validate import validate_data, validate_page
from waypost.validate.value_kinds import KINDS, is_property_of, may_be_value_of, nearest

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "rules"
REGISTRY = load()
VOCABULARY = REGISTRY.vocabulary
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGE_URL = "https://www.example.com/page"


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_lists_of_kinds_are_those_of_the_vocabulary() -> None:
    maker = tool("make_kinds")

    made = maker.kinds(json.loads((ROOT / "schemas" / "vocabulary" / "schemaorg.json").read_bytes()))

    stored = (ROOT / "src" / "waypost" / "data" / "kinds.json").read_text(encoding="utf-8")
    assert maker.written(made) == stored, "run tools/make_kinds.py"


def test_pending_terms_are_not_an_error() -> None:
    pending = [name for name, term in VOCABULARY.properties.items() if term.l == "pending"]

    assert len(pending) > 300
    assert not KINDS.attic.intersection(pending)


@pytest.mark.parametrize(
    ("kind", "written", "intended"),
    [
        ("types", "Recipie", "Recipe"),
        ("types", "LocalBuisness", "LocalBusiness"),
        ("types", "Local Business", "LocalBusiness"),
        ("properties", "recipeIngredients", "recipeIngredient"),
        ("properties", "priceCurency", "priceCurrency"),
        ("properties", "date_published", "datePublished"),
    ],
)
def test_a_typo_is_named_with_the_likely_name(kind: str, written: str, intended: str) -> None:
    assert nearest(VOCABULARY, kind, written)[0] == intended


def test_what_is_near_nothing_has_no_suggestion() -> None:
    assert nearest(VOCABULARY, "types", "Kaffeekanne") == ()


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_suggestions_stand_any_text(name: str) -> None:
    found = nearest(VOCABULARY, "properties", name)

    assert len(found) <= 2
    assert all(each in VOCABULARY.properties for each in found)


def test_every_property_belongs_to_its_types_in_the_vocabulary() -> None:
    for name, term in VOCABULARY.properties.items():
        assert all(is_property_of(VOCABULARY, (domain,), name) for domain in term.d), name


def test_every_value_fits_where_the_vocabulary_expects_it() -> None:
    for name, term in VOCABULARY.properties.items():
        assert all(may_be_value_of(VOCABULARY, (kind,), name) for kind in term.r if kind not in DATA_TYPES), name


def checked(data: bytes, suffix: str) -> FileReport:
    validate = validate_page if suffix == ".html" else validate_data
    return validate(data, REGISTRY, url=PAGE_URL, now=NOW)


def with_fixes(data: bytes, report: FileReport, rule: str) -> bytes | None:
    """The page with every safe fix that the rule offers; None when there is none."""
    edits = {
        (edit.start, edit.end, edit.text)
        for finding in report.findings
        if finding.rule == rule and finding.fix and finding.fix.safe
        for edit in finding.fix.edits
    }
    for start, end, text in sorted(edits, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data if edits else None


def offered(report: FileReport, rule: str) -> set[tuple[str, str | None]]:
    """Where the rule offers safe fixes."""
    return {(f.pointer, f.property) for f in report.findings if f.rule == rule and f.fix and f.fix.safe}


FIXABLE = [
    case
    for case in sorted(CASES.glob("*/bad-*"))
    if case.suffix in {".html", ".json"} and not case.parent.name.startswith("json-")
]


@pytest.mark.parametrize("case", FIXABLE, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_safe_fix_fixes_what_it_is_offered_for(case: Path) -> None:
    rule, data = case.parent.name, case.read_bytes()
    report = checked(data, case.suffix)
    better = with_fixes(data, report, rule)
    if better is None:
        return

    after = checked(better, case.suffix)

    fixed = offered(report, rule)
    assert fixed
    assert fixed.isdisjoint(offered(after, rule))


def test_pointer_of_a_key_keeps_digits_of_other_scripts() -> None:
    path = CASES / "unknown-property" / "bad-digits-of-another-script.json"

    found = validate_data(path.read_bytes(), REGISTRY, now=NOW).findings

    assert [each.pointer for each in found if each.rule == "unknown-property"] == ["/author/١٢"]
