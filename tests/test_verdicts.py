"""What an item earns: nothing by what says nothing, and stars by the content that carries them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from waypost.models.finding import FileReport, NodeVerdict
from waypost.registry import load
from waypost.report import View
from waypost.report._causes import causes, result_lines, verdict_lines, verdicts
from waypost.validate import validate_data, validate_page

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOME = "https://www.example.com/"
RATING = {"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 3}
PRICE = {"@type": "Offer", "price": 3}
REVIEW = {"@type": "Review", "author": {"@type": "Person", "name": "Ann"}, "reviewRating": {"@type": "Rating", "ratingValue": 4}}  # fmt: skip  # noqa: E501
JOB = {"@type": "JobPosting", "title": "Baker", "description": "Bakes all night.", "datePosted": "2026-11-01",
       "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "addressCountry": "DE"}}}  # fmt: skip
KETTLE = {"@type": "Product", "name": "Kettle", "image": f"{HOME}a.jpg"}
VIDEO = {"@type": "VideoObject", "name": "Baking", "uploadDate": "yesterday", "thumbnailUrl": f"{HOME}a.jpg"}


def checked(node: dict[str, Any]) -> FileReport:
    return validate_data({"@context": "https://schema.org"} | node, REGISTRY, url=HOME, now=NOW)


@pytest.mark.parametrize(
    ("node", "results", "errors"),
    [
        ({"@type": "Book", "name": "Rye", "aggregateRating": RATING}, ["aggregate-rating"], []),
        ({"@type": "Book", "name": "Rye", "review": REVIEW}, ["review-snippet"], []),
        ({"@type": "Person", "name": "Ann", "aggregateRating": RATING}, [], []),
        ({"@type": "Organization"}, [], []),
        ({"@type": "Organization", "name": " "}, [], []),
        (KETTLE | {"offers": {"@type": "Offer"}}, [], ["required-property-missing"]),
        (KETTLE | {"aggregateRating": RATING | {"ratingValue": 0, "ratingCount": 0}}, [], ["rating-count-zero"]),
        ({"@type": "SoftwareApplication", "name": "Oven", "offers": PRICE, "aggregateRating": RATING}, [], ["required-property-missing"]),  # noqa: E501
        (JOB | {"hiringOrganization": {"@type": "Organization", "url": HOME}}, [], ["required-property-missing"]),
        (JOB | {"hiringOrganization": "The Mill"}, ["job-posting"], []),
        ({"@type": "Course", "name": "Baking", "description": "All about rye."}, [], []),
        ({"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Why rye?", "answerCount": 0}}, [], []),
        ({"@type": "BlogPosting", "headline": "Rye", "datePublished": "yesterday"}, ["article"], []),
        ({"@type": "Recipe", "name": "Rye", "image": f"{HOME}a.jpg", "video": VIDEO}, ["recipe"], []),
        ({"@type": "Movie", "name": "{{ title }}", "image": f"{HOME}a.jpg"}, [], ["placeholder-value"]),
        ({"@type": "Movie", "name": "XXX", "image": f"{HOME}a.jpg"}, ["movie"], []),
        ({"@type": "Movie", "name": "Learn <?php", "image": [f"{HOME}a.jpg", "undefined"]}, ["movie"], []),
    ],
)  # fmt: skip
def test_what_an_item_earns(node: dict[str, Any], results: list[str], errors: list[str]) -> None:
    report = checked(node)

    assert report.items[0].eligible == tuple(f"google/{name}" for name in results)
    assert [each.rule for each in report.findings if each.severity == "error"] == errors


def test_an_action_is_a_value_by_its_type_alone() -> None:
    counter = {"@type": "InteractionCounter", "interactionType": {"@type": "LikeAction"}, "userInteractionCount": 3}

    report = checked({"@type": "Article", "headline": "Rye", "interactionStatistic": counter})

    assert "empty-value" not in {each.rule for each in report.findings}


def test_a_price_that_costs_one_result_names_it() -> None:
    offer = {"@type": "Offer", "price": "from 5", "priceCurrency": "EUR"}

    report = checked(KETTLE | {"offers": offer, "review": REVIEW})

    (found,) = [each for each in report.findings if "merchant listing" in each.message and each.property != "offers"]
    assert (found.rule, found.severity, found.profile) == ("price-invalid", "warning", "google/merchant-listing")
    assert found.message == "'from 5' is not a plain number; not eligible for merchant listing results"


def test_an_unowned_typed_item_is_of_the_page() -> None:
    page = b"""<div itemprop="offers" itemscope itemtype="https://schema.org/Organization">
        <b itemprop="name">Loma</b></div><p itemprop="name">Kettle</p>"""

    report = validate_page(page, REGISTRY, url=HOME, now=NOW)

    assert [each.types for each in report.items] == [("Organization",)]
    found = [each for each in report.findings if each.rule == "microdata-orphan-property"]
    assert [(each.severity, each.line) for each in found] == [("info", 1), ("warning", 2)]


def test_findings_of_a_lost_item_are_reported_once() -> None:
    lost = '<div itemtype="https://schema.org/Product"><b itemprop="name">A</b><i itemprop="sku">B</i></div>'
    stored = '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">A</b></div>'

    (alone,) = validate_page(lost.encode(), REGISTRY, url=HOME, now=NOW).findings
    adjacent = validate_page((lost + stored).encode(), REGISTRY, url=HOME, now=NOW).findings[0]

    assert alone.message == adjacent.message == "this Product is not read: the 2 properties in it count for no item"
    assert (alone.severity, adjacent.severity) == ("error", "warning")
    assert len(alone.related) == 2


def test_a_list_misses_results_that_its_items_miss() -> None:
    sold = KETTLE | {"offers": {"@type": "Offer", "price": 3, "priceCurrency": "EUR"}}
    items = [{"@type": "ListItem", "position": n, "item": item} for n, item in enumerate((sold, KETTLE), 1)]

    report = checked({"@type": "ItemList", "itemListElement": items})

    assert "google/product-snippet" not in report.items[0].eligible
    assert [each.rule for each in report.findings if each.severity == "error"] == ["required-property-missing"]


def test_a_guessed_script_reports_its_breaking_place_only() -> None:
    script = '{"@context": "https://schema.org", "@type": "Product", "name": "A "b" c", "descripton": "x, "sku": "1"}'

    (broken,) = validate_page(f'<script type="application/ld+json">{script}</script>'.encode(), REGISTRY).findings

    assert broken.rule == "json-unescaped-quote"
    assert [each.message for each in broken.related] == ["another error in this script may follow from this one"]


def test_a_script_that_cannot_be_read_leads_the_verdict() -> None:
    broken = '{"@context": "https://schema.org", "@type": "Product", "name": "Loma kettle" "sku": "1"}'
    hopeless = '{"@context": "https://schema.org", "@type": "Product", "name": "A "b" c", "x": "y, "sku": "1"}'
    sound = json.dumps({"@context": "https://schema.org"} | KETTLE)
    page = "\n".join(f'<script type="application/ld+json">{each}</script>' for each in (sound, broken, hopeless))

    file = validate_page(page.encode(), REGISTRY)
    report = list(verdict_lines(verdicts(file, View())))

    assert report[0].startswith("JSON-LD script, line 3: search engines cannot read this script, see 3:102: ")
    assert report[1].startswith(
        "Product 'Loma kettle', line 2: search engines cannot read this script, see 2:113: a comma is missing"
    )
    assert [cause.first.rule for cause in causes([file], View())][:2] == ["json-missing-comma", "json-unescaped-quote"]
    assert next(result_lines([file, file])) == "search engines cannot read 4 scripts on 2 pages: errors in the JSON"


def test_script_of_the_pages_own_data_is_one_information() -> None:
    page = b'<script type="application/ld+json">{"siteId": 7, "name": "Kettle", "offers": {"price": "x"}}</script>'

    report = validate_page(page, REGISTRY)

    assert [(each.rule, each.severity) for each in report.findings] == [("jsonld-application-data", "info")]
    assert report.items == []


def test_a_name_missing_in_list_and_item_counts_once() -> None:
    courses = [{"@type": "Course", "url": f"{HOME}{n}", "name": f"Baking {n}", "description": "Bread."} for n in "abc"]
    del courses[1]["name"]
    entries = [{"@type": "ListItem", "position": n, "item": course} for n, course in enumerate(courses, 1)]

    errors = [
        each for each in checked({"@type": "ItemList", "itemListElement": entries}).findings if each.severity == "error"
    ]

    assert [(each.pointer, each.message) for each in errors] == [
        ("/itemListElement/1/item", "itemListElement.item.name is missing; carousel results need it")
    ]


def test_misplaced_names_are_one_action() -> None:
    report = checked(KETTLE | {"price": "3.00", "priceCurrency": "EUR", "blogId": "1", "postId": "2"})

    found = causes([report], View())

    rules = {"property-not-of-type", "unknown-property"}
    lines = {each.first.message: (each.count, list(each.values)) for each in found if each.first.rule in rules}
    assert lines == {
        "price is not a property of Product": (2, ["price", "priceCurrency"]),
        "the property 'blogId' is not in schema.org 30.1 of 2026-09-16": (2, ["'blogId'", "'postId'"]),
    }


def by_type(report: FileReport) -> dict[str, NodeVerdict]:
    return {" ".join(each.types): each for each in report.verdicts}


TRAIL = {"@type": "BreadcrumbList", "@id": "#trail", "itemListElement": [
    {"@type": "ListItem", "position": 1, "name": "Bread", "item": HOME}, {"@type": "ListItem", "position": 2, "name": "Rye"}]}  # fmt: skip  # noqa: E501
CITED = {"@type": "Book", "@id": "#cited", "name": "Crusts", "author": {"@id": "#writer"}}
WRITER = {"@type": "LocalBusiness", "@id": "#writer", "name": "Ghost"}


def test_each_node_has_a_verdict_and_citations_have_none() -> None:
    graph = [
        {"@type": "BlogPosting", "headline": "Rye", "isPartOf": {"@id": "#page"}, "publisher": {"@id": "#mill"},
         "citation": {"@id": "#cited"}},
        {"@type": "WebPage", "@id": "#page", "name": "Rye", "breadcrumb": {"@id": "#trail"}},
        {"@type": "Bakery", "@id": "#mill", "name": "The Mill"}, TRAIL, CITED, WRITER,
    ]  # fmt: skip

    report = checked({"@graph": graph})
    found = by_type(report)

    assert set(found) == {"BlogPosting", "WebPage", "Bakery", "BreadcrumbList"}
    assert found["BlogPosting"].eligible == ("google/article",)
    assert found["BreadcrumbList"].eligible == ("google/breadcrumb",)
    assert (found["Bakery"].via, found["Bakery"].eligible) == ("publisher", ("google/organization",))
    assert [(each.profile, each.why, each.severity) for each in found["Bakery"].not_eligible] == [
        ("google/local-business", "address missing", "warning")
    ]
    assert not [each for each in report.findings if each.severity == "error"]


@pytest.mark.parametrize("holder", ["WebPage", "Product", "Article", "WebSite"])
@pytest.mark.parametrize("is_nested", [True, False])
def test_a_trail_has_its_verdict_under_any_holder(holder: str, is_nested: bool) -> None:
    node = {"@type": holder, "name": "Rye", "headline": "Rye", "breadcrumb": TRAIL if is_nested else {"@id": "#trail"}}

    report = checked({"@graph": [node] if is_nested else [node, TRAIL]})

    assert by_type(report)["BreadcrumbList"].eligible == ("google/breadcrumb",)


def test_a_profile_page_is_named_by_its_person() -> None:
    graph = [
        {"@type": "ProfilePage", "@id": "#page", "url": HOME},
        {"@type": "Person", "@id": "#ada", "name": "Ada", "mainEntityOfPage": {"@id": "#page"}},
    ]

    report = checked({"@graph": graph})
    lines = list(verdict_lines(verdicts(report, View())))

    assert lines[0].startswith("ProfilePage, line 1: not eligible for profile page results; 1 thing to do: mainEntity")
    assert not any("Person" in line for line in lines)


OVER = {"@type": "Event", "name": "Fair", "location": {"@type": "Place", "name": "Hall", "address": "1 A St, Rye"}}
SOLD = KETTLE | {"offers": {"@type": "Offer", "price": 3, "priceCurrency": "EUR", "priceValidUntil": "2020-01-31"}}
CLOSED = JOB | {"hiringOrganization": "The Mill", "validThrough": "2026-11-02"}
FILM = VIDEO | {"uploadDate": "2019-01-01T09:00:00Z", "expires": "2020-01-01"}


@pytest.mark.parametrize(
    ("node", "lapses"),
    [
        (OVER | {"startDate": "2019-05-01T19:00:00+02:00"}, ["the event ended on 2019-05-01T19:00:00+02:00"]),
        (OVER | {"startDate": "2019-05-01", "endDate": "2019-05-03"}, ["the event ended on 2019-05-03"]),
        (OVER | {"startDate": "2026-11-20T11:00:00Z"}, []),
        (OVER | {"startDate": "2027-05-01", "endDate": "2019-05-03"}, []),
        (OVER | {"startDate": "2019-05-01", "eventStatus": "https://schema.org/EventPostponed"}, []),
        (CLOSED, ["applications closed on 2026-11-02"]),
        (CLOSED | {"validThrough": "2027-11-02"}, []),
        (SOLD, ["the price was valid until 2020-01-31"]),
        (SOLD | {"offers": [SOLD["offers"], {"@type": "Offer", "price": 4, "priceCurrency": "EUR"}]}, []),
        (FILM, ["the video expired on 2020-01-01"]),
    ],
)  # fmt: skip
def test_a_date_that_is_past_stands_in_the_verdict(node: dict[str, Any], lapses: list[str]) -> None:
    report = checked(node)
    (verdict,) = report.verdicts
    lines = list(verdict_lines(verdicts(report, View())))

    assert verdict.eligible
    assert [each.text for each in verdict.lapsed] == lapses
    assert any(f", but {text}" in line for line in lines for text in lapses) == bool(lapses)
    words = list(result_lines([report, report]))
    assert (" past)" in words[0]) == bool(lapses)


def test_a_named_profile_is_checked_on_its_types_item() -> None:
    rated = KETTLE | {"aggregateRating": RATING}
    data = {"@context": "https://schema.org"} | rated

    free = validate_data(data, REGISTRY, url=HOME, now=NOW)
    named = validate_data(data, REGISTRY, url=HOME, now=NOW, profiles=["google/merchant-listing"])
    absent = validate_data(data, REGISTRY, url=HOME, now=NOW, profiles=["google/recipe"])

    assert not [each for each in free.findings if each.severity == "error"]
    assert [(each.rule, each.profile) for each in named.findings if each.severity == "error"] == [
        ("required-property-missing", "google/merchant-listing")
    ]
    assert [each.profile for each in named.verdicts[0].not_eligible] == ["google/merchant-listing"]
    assert [each.rule for each in absent.findings if each.severity == "error"] == ["profile-not-found"]


def test_an_item_with_a_retired_result_has_a_line() -> None:
    report = checked({"@type": "HowTo", "name": "Bake", "step": [{"@type": "HowToStep", "text": "Wait."}]})

    assert next(verdict_lines(verdicts(report, View()))) == "HowTo 'Bake', line 1: no longer shown: how-to results"


@pytest.mark.parametrize(
    ("node", "is_eligible"),
    [
        ({"image": f"{HOME}a.jpg"}, False),
        ({"name": "", "image": f"{HOME}a.jpg"}, False),
        ({"name": "", "url": HOME}, True),
        ({"url": HOME, "logo": f"{HOME}a.png"}, True),
        ({"legalName": "Mill Ltd"}, True),
    ],
)
def test_an_organization_that_nothing_identifies_earns_nothing(node: dict[str, Any], is_eligible: bool) -> None:
    report = checked({"@type": "Organization"} | node)

    assert ("google/organization" in report.items[0].eligible) == is_eligible
    assert ("google/organization" in report.verdicts[0].eligible) == is_eligible


@pytest.mark.parametrize(
    ("graph", "hint"),
    [
        ([{"@type": "ProfilePage", "@id": "#page"},
          {"@type": "Person", "@id": "#ada", "name": "Ada", "mainEntityOfPage": {"@id": "#page"}}],
         f'say "mainEntity": {{"@id": "{HOME}#ada"}}: the Person refers to it by mainEntityOfPage only'),
        ([{"@type": "Organization", "name": "Mill", "mainEntityOfPage": {"@type": "ProfilePage", "url": HOME, "breadcrumb": TRAIL}}],  # noqa: E501
         "add mainEntity with the Organization: the Organization refers to it by mainEntityOfPage only"),
        ([{"@type": "Product", "@id": "#kettle", "name": "Kettle"},
          {"@type": "Offer", "@id": "#offer", "price": 3, "priceCurrency": "EUR", "itemOffered": {"@id": "#kettle"}}],
         None),
    ],
)  # fmt: skip
def test_a_reversed_relation_is_a_ready_hint(graph: list[dict[str, Any]], hint: str | None) -> None:
    report = checked({"@graph": graph})

    missing = [each for each in report.findings if each.rule == "required-property-missing"]

    assert hint in [each.hint for each in missing] if hint else not missing
