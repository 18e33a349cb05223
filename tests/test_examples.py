"""The sample site has the faults that its table says it has, and no others."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.registry import load
from waypost.validate import validate_page

SITE = Path(__file__).parent.parent / "examples" / "site"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EXPECTED = {
    "index.html": set(),
    "shop/loma-kettle.html": {"json-trailing-comma", "price-invalid", "recommended-property-missing"},
    "shop/fen-coat.html": {"rating-out-of-range", "enumeration-value-unknown", "recommended-property-missing"},
    "recipes/lentil-pie.html": {"required-property-missing", "duration-invalid", "recommended-property-missing"},
    "recipes/rye-bread.html": set(),
    "events/winter-programme.html": {"event-ends-before-start"},
    "news/bridge-reopens.html": {"property-wrong-case", "reference-dangling"},
    "jobs/baker.html": {"job-posting-expired", "required-property-missing", "recommended-property-missing"},
    "help/faq.html": {"rich-result-retired"},
}


def test_every_page_of_the_sample_site_has_an_entry() -> None:
    pages = {p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html")}
    table = set(re.findall(r"^\| `([^`]+)`", (SITE.parent / "README.md").read_text("utf-8"), re.MULTILINE))

    assert pages == table == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_page_of_the_sample_site_has_its_errors(name: str) -> None:
    findings = validate_page((SITE / name).read_bytes(), load(), path=name, now=NOW).findings

    displayed = {f.rule for f in findings if f.severity != "info" or f.rule == "rich-result-retired"}
    assert displayed == EXPECTED[name]
