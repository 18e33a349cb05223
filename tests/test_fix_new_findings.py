"""A repair brings no finding of its own: not about the form that it writes, nor about where it writes it."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.fixes import FixedPage, broken_blocks, fix_page
from waypost.models.finding import FileReport
from waypost.registry import load
from waypost.validate import validate_page

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CASES = sorted((Path(__file__).parent / "cases" / "rules").glob("*/bad-*.html"))
# Findings about what an unreadable value hid: the repair makes it readable, and these hold of what is meant.
REVEALED = frozenset(
    {
        "date-without-offset",
        "event-in-the-past",
        "value-unfit",
        "recommended-property-missing",
        "empty-value",
        "html-in-text",
    }
)
TAGS = ("span", "div", "p", "li", "td", "h2", "time", "b")
FORMS = {
    ("Article", "datePublished"): ("May 3, 2027", "2027-5-3", "3.5.2027", "20270503", "3 May 2027 10:30:45"),
    ("Event", "startDate"): ("2027-9-13T10:00", "2027-05-03T10:00:00+0200"),
    ("Recipe", "cookTime"): ("30 minutes", "pt30m", "1 h 20 min"),
    ("OpeningHoursSpecification", "opens"): ("9:00", "5 PM", "9h30"),
    ("Offer", "price"): ("1.299,00 €", "$12.50", "12,50", "free"),
    ("Offer", "priceCurrency"): ("eur", "€"),
    ("AggregateRating", "reviewCount"): ("1,204", "12+"),
    ("Rating", "ratingValue"): ("4,5", "4 out of 5"),
    ("GeoCoordinates", "latitude"): ("52,52001",),
    ("PostalAddress", "addressCountry"): ("de", "UK"),
    ("Organization", "url"): ("www.example.com/a", "https//www.example.com/a", "//https://www.example.com/a"),
    ("Article", "isAccessibleForFree"): ("yes",),
}


def report_of(data: bytes) -> FileReport:
    return validate_page(data, REGISTRY, url="https://www.example.com/page", now=NOW)


def fixed(data: bytes) -> tuple[FixedPage, list[str]]:
    """Page after all safe repairs, and the findings that it did not have before."""
    before = report_of(data)
    page = fix_page(data, report_of, broken=broken_blocks, before=before)
    more = Counter(finding.rule for finding in page.report.findings) - Counter(each.rule for each in before.findings)
    return page, [
        f"{each.rule}: {each.message}" for each in page.report.findings if each.rule in more.keys() - REVEALED
    ]


def pages(kind: str, prop: str, form: str) -> list[str]:
    """The value in each syntax and, in HTML, in each tag."""
    document = {"@context": "https://schema.org", "@type": kind, "name": "A cake", prop: form}
    made = [f'<script type="application/ld+json">{json.dumps(document)}</script>']
    for tag in TAGS:
        value = f"<{tag} class=a NAME={prop}>{form}</{tag}>"
        value = f"<table><tr>{value}</tr></table>" if tag == "td" else value
        microdata, rdfa = value.replace("NAME", "itemprop"), value.replace("NAME", "property")
        made.append(f'<div itemscope itemtype="https://schema.org/{kind}"><b itemprop="name">A</b>{microdata}</div>')
        made.append(f'<div vocab="https://schema.org/" typeof="{kind}"><b property="name">A</b>{rdfa}</div>')
    return [f'<!doctype html><html lang="en"><title>A cake</title>{each}' for each in made]


@pytest.mark.parametrize(("kind", "prop"), FORMS, ids=lambda name: name)
def test_no_repair_of_a_value_brings_a_finding(kind: str, prop: str) -> None:
    repairs = 0
    for form in FORMS[kind, prop]:
        for page in pages(kind, prop, form):
            done, more = fixed(page.encode())
            repairs += len(done.fixed)
            assert not more, (page, done.data.decode())
    assert repairs


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_repair_of_a_case_brings_a_finding(case: Path) -> None:
    _, more = fixed(case.read_bytes())

    assert not more


def test_microdata_gets_an_element_that_html_allows() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Offer"><i itemprop=price class=x>1.299,00</i>'
        '<b itemprop="validFrom">May 3, 2027</b></div>'
    )

    done, _ = fixed(page.encode())

    assert done.data.decode() == (
        '<div itemscope itemtype="https://schema.org/Offer"><i class=x>'
        '<meta itemprop=price content="1299.00">1.299,00</i>'
        '<b><time itemprop="validFrom" datetime="2027-05-03">May 3, 2027</time></b></div>'
    )
