"""The smallest markup of each rich result is eligible in every syntax and template, and nothing in it can go."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import jinja2
import pytest

from waypost.models.finding import FileReport
from waypost.pages.changes import Release
from waypost.pages.frame import families_of_results
from waypost.pages.result_history import history_of
from waypost.pages.smallest import STACKS, Written, smallest, variable, written
from waypost.reader.sources import PageSource, parse_source, with_language
from waypost.registry import load
from waypost.validate import validate_data, validate_page, validate_parsed

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = "https://www.example.com/"
# A place without what is only recommended, a price without a value, and marks that stand for themselves.
SPARE = {
    "google/book-actions": {"price", "priceCurrency"},
    "google/event": {"name", "address"},
    "google/paywalled": {"hasPart", "isAccessibleForFree", "cssSelector"},
    "google/shipping-policy": {"value", "currency"},
}
SYNTAXES = ("JSON-LD", "Microdata", "RDFa")
FORMS = [(profile, form) for profile, markup in smallest().items() for form in written(markup)]


def eligible(report: FileReport, profile: str) -> bool:
    errors = [finding for finding in report.findings if finding.severity == "error"]
    return any(profile in item.eligible for item in report.items) and not errors


def steps(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Ways to every property of a markup."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in entries:
        if step != "@type":
            if isinstance(step, str):
                yield (*way, step)
            yield from steps(part, (*way, step))


def test_every_current_result_has_smallest_markup() -> None:
    current = {name for name, profile in REGISTRY.profiles.items() if profile.status != "retired"}

    assert set(smallest()) == current


@pytest.mark.parametrize(
    ("profile", "form"),
    [(name, form) for name, form in FORMS if form.title in SYNTAXES],
    ids=lambda each: each if isinstance(each, str) else each.title,
)
def test_the_smallest_markup_is_eligible(profile: str, form: Written) -> None:
    report = validate_page(form.text.encode(), REGISTRY, url=URL, now=NOW, profiles=(profile,))

    assert eligible(report, profile), [finding.message for finding in report.findings]


@pytest.mark.parametrize("profile", smallest())
def test_no_property_of_the_smallest_markup_can_go(profile: str) -> None:
    markup = smallest()[profile]
    needless = []
    for way in steps(markup):
        less = copy.deepcopy(markup)
        holder: Any = less
        for step in way[:-1]:
            holder = holder[step]
        del holder[way[-1]]
        report = validate_data(
            {"@context": "https://schema.org", **less}, REGISTRY, url=URL, now=NOW, profiles=(profile,)
        )
        if eligible(report, profile) and way[-1] not in SPARE.get(profile, ()):
            needless.append(way)

    assert needless == []


@pytest.mark.parametrize("stack", STACKS)
def test_a_template_of_each_result_has_no_error(stack: str) -> None:
    wrong = []
    for profile, form in FORMS:
        if form.title == stack:
            name = f"page.{form.ending}"
            source = with_language(PageSource(form.text.encode(), "html", None, None), name, "yes")
            page = parse_source(source, name, REGISTRY.vocabulary)
            report = validate_parsed(page, REGISTRY, now=NOW, profiles=(profile,))
            bad = {"profile-not-found", "required-property-missing"}
            loud = [finding for finding in report.findings if finding.severity != "info"]
            if not report.items or any(each.severity == "error" or each.rule in bad for each in loud):
                wrong.append((profile, [finding.message for finding in loud]))

    assert wrong == []


def named(value: Any) -> Any:
    """Markup with names as a template reaches them: a keyword without its sign, others with _ for -."""
    if isinstance(value, dict):
        return {key.lstrip("@").replace("-", "_"): named(part) for key, part in value.items()}
    return [named(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("stack", ["Liquid", "Jinja"])
def test_a_template_that_is_filled_in_is_eligible(stack: str) -> None:
    environment = jinja2.Environment(autoescape=True)
    environment.filters["json"] = environment.filters["tojson"]
    wrong = []
    for profile, markup in smallest().items():
        form = next(each for each in written(markup) if each.title == stack)

        page = environment.from_string(form.text).render({variable(markup): named(markup)})

        report = validate_page(page.encode(), REGISTRY, url=URL, now=NOW, profiles=(profile,))
        if not eligible(report, profile):
            wrong.append((profile, page))

    assert wrong == []


def test_a_result_belongs_to_one_family() -> None:
    named = [name for names in families_of_results().values() for name in names]

    assert len(named) == len(set(named))
    assert {name.removeprefix("google/") for name in REGISTRY.profiles} == set(named)


def test_the_history_of_a_result_is_dated() -> None:
    events = history_of("google/faq", REGISTRY, [Release("0.1", "2026-01-02", {"Rich results": {"google/faq": "a"}})])

    assert [event.day for event in events] == sorted((event.day for event in events), reverse=True)
    assert any("Google stopped showing the result" in event.text for event in events)
    assert any("waypost 0.1" in event.text for event in events)
