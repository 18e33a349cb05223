"""How the profiles of a page live together: who is asked, what excuses what, and what is told once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from waypost.errors import UnknownRule
from waypost.models.finding import FileReport, Finding, cause_of
from waypost.registry import load
from waypost.validate import validate_data

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
IMAGE = "https://www.example.com/photo.jpg"
OFFER = {"@type": "Offer", "price": "64.90", "priceCurrency": "EUR"}
TRAIL = [
    {"@type": "ListItem", "position": 1, "name": "Home", "item": "https://www.example.com/"},
    {"@type": "ListItem", "position": 2, "name": "Bread"},
]


def judged(document: Any, *asked: str) -> FileReport:
    graph = document if isinstance(document, list) else [document]
    page = {"@context": "https://schema.org", "@graph": graph}
    return validate_data(page, REGISTRY, url="https://www.example.com/page", now=NOW, profiles=asked)


def of(report: FileReport, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def errors(report: FileReport) -> list[str]:
    return [f"{each.profile} {each.property}" for each in report.findings if each.severity == "error"]


def test_a_result_that_is_earned_makes_the_missed_one_a_single_warning() -> None:
    report = judged({"@type": "Product", "name": "Kettle", "offers": {"@type": "Offer", "price": "64.90"}})

    (missed,) = of(report, "feature-not-eligible")
    assert report.items[0].eligible == ("google/product-snippet",)
    assert missed.severity == "warning"
    assert missed.message == "not eligible for merchant listing results: image, offers.priceCurrency missing"
    assert not errors(report)


def test_a_profile_requested_by_name_is_checked_in_full() -> None:
    report = judged({"@type": "Product", "name": "Kettle", "offers": OFFER}, "google/merchant-listing")

    assert errors(report) == ["google/merchant-listing image"]
    assert not of(report, "feature-not-eligible")


def test_a_profile_requested_by_name_is_tried_where_no_other_applies() -> None:
    mention = {"@type": "Article", "headline": "Bread", "about": {"@type": "Recipe", "name": "Rye bread"}}

    assert not errors(judged(mention))
    assert errors(judged(mention, "google/recipe")) == ["google/recipe image"]


def test_a_name_that_is_not_a_profile_gets_the_likely_one() -> None:
    with pytest.raises(UnknownRule) as caught:
        judged({"@type": "Recipe"}, "google/recipes")

    assert "google/recipe" in caught.value.near


def test_intents_are_taken_as_given_for_a_profile_requested_by_name() -> None:
    restaurant = {"@type": "Restaurant", "name": "The Mill", "address": "1 Mill Lane", "image": IMAGE}

    assert "google/restaurant-carousel" not in judged(restaurant).items[0].eligible
    assert "google/restaurant-carousel" in judged(restaurant, "google/restaurant-carousel").items[0].eligible


def test_a_more_general_result_does_not_excuse_a_more_specific_one() -> None:
    report = judged({"@type": "Restaurant", "name": "The Mill"})

    assert report.items[0].eligible == ("google/organization",)
    assert errors(report) == ["google/local-business address"]


def test_what_the_holder_requires_of_its_content_is_an_error_and_what_it_does_not_is_a_warning() -> None:
    rating = {"@type": "AggregateRating", "ratingValue": 4}
    rated = {"@type": "Product", "name": "Kettle", "aggregateRating": rating}

    alone, beside = judged(rated), judged({**rated, "offers": OFFER, "image": IMAGE})

    wanted = "ratingCount or aggregateRating.reviewCount"
    assert errors(alone) == [f"google/product-snippet aggregateRating.{wanted}"]
    assert not errors(beside)
    (lack,) = of(beside, "required-property-missing")
    assert (lack.severity, lack.profile) == ("warning", "google/aggregate-rating")


def test_the_holders_name_is_missed_once_however_many_need_it() -> None:
    review = {"@type": "Review", "author": "Ada Berg", "reviewRating": {"@type": "Rating", "ratingValue": 5}}
    rating = {"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 3}

    report = judged({"@type": "Product", "offers": OFFER, "image": IMAGE, "review": review, "aggregateRating": rating})

    named = [each for each in of(report, "required-property-missing") if each.property == "name"]
    assert len(named) == 1
    assert named[0].severity == "error"


def test_like_lacks_of_siblings_keep_their_places_and_have_one_cause() -> None:
    steps = [{"@type": "HowToStep", "name": f"Step {n}"} for n in range(5)]

    report = judged({"@type": "Recipe", "name": "Rye bread", "image": IMAGE, "recipeInstructions": steps})

    lacks = of(report, "required-property-missing")
    assert len({each.start for each in lacks}) == 5
    assert len(set(map(cause_of, lacks))) == 1


def test_a_pages_main_entity_earns_for_the_page() -> None:
    page = {
        "@type": "WebPage",
        "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": TRAIL},
        "mainEntity": {"@type": "Recipe", "name": "Rye bread", "image": IMAGE},
    }

    (item,) = judged(page).items

    assert item.eligible == ("google/breadcrumb", "google/recipe")
    assert item.service_type == "RecipeSnippet"


def test_the_trail_of_a_page_that_an_article_refers_to_is_checked() -> None:
    article = {"@type": "Article", "headline": "Bread", "isPartOf": {"@id": "https://www.example.com/page"}}
    page = {
        "@type": "WebPage",
        "@id": "https://www.example.com/page",
        "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "name": "Home"}, *TRAIL]},
    }

    report = judged([article, page])

    assert {each.profile for each in report.findings if each.severity == "error"} == {"google/breadcrumb"}


def test_what_is_only_mentioned_asks_for_nothing() -> None:
    mentioned = {"@type": "Product", "name": "Pan"}
    product = {"@type": "Product", "name": "Kettle", "image": IMAGE, "offers": OFFER}

    report = judged({**product, "isRelatedTo": mentioned, "isSimilarTo": mentioned, "isPartOf": mentioned})

    assert not errors(report)


def test_an_unreadable_value_is_reported_once_and_costs_the_result() -> None:
    report = judged(
        {"@type": "Event", "name": "Reading", "startDate": "soon", "location": {"@type": "Place", "address": "Lind"}}
    )

    assert not report.items[0].eligible
    told = [each for each in report.findings if each.property == "startDate"]
    assert [(each.rule, each.severity) for each in told] == [("date-invalid", "error")]


def test_a_reference_to_another_page_counts_as_present() -> None:
    report = judged({"@type": "Recipe", "name": "Rye bread", "image": {"@id": "https://www.example.com/#image"}})

    assert report.items[0].eligible == ("google/recipe",)


def test_an_organization_gets_information_only_about_what_it_could_add() -> None:
    report = judged({"@type": "Organization", "name": "The Mill"})

    assert report.items[0].eligible == ("google/organization",)
    assert {each.severity for each in report.findings} == {"info"}


POLICY = {"@type": "MerchantReturnPolicy", "applicableCountry": "CH"}
FINITE = "https://schema.org/MerchantReturnFiniteReturnWindow"
DELIVERY = {
    "@type": "ShippingDeliveryTime",
    "transitTime": {"@type": "QuantitativeValue", "minValue": 1, "maxValue": 2},
}


@pytest.mark.parametrize(
    ("part", "lost"),
    [
        ({"hasMerchantReturnPolicy": {**POLICY, "returnPolicyCategory": FINITE}}, "return policy"),
        ({"hasMerchantReturnPolicy": POLICY}, "return policy"),
        ({"shippingDetails": {"@type": "OfferShippingDetails", "deliveryTime": DELIVERY}}, "delivery time"),
    ],
)  # fmt: skip
def test_a_gap_of_a_part_costs_the_part_and_no_more(part: dict[str, Any], lost: str) -> None:
    report = judged({"@type": "Product", "name": "Kettle", "image": IMAGE, "offers": OFFER | part})

    costs = {each.message.partition("costs ")[2] for each in of(report, "required-property-missing")}
    assert report.items[0].eligible == ("google/merchant-listing", "google/product-snippet")
    assert f"the {lost}" in costs
    assert "the offers" not in costs


JOB = {
    "@type": "JobPosting",
    "title": "Baker",
    "description": "Bakes.",
    "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "addressCountry": "DE"}},
}


def list_item(**members: Any) -> dict[str, Any]:
    return {"@type": "BreadcrumbList", "itemListElement": [TRAIL[0], {"@type": "ListItem", **members}]}


@pytest.mark.parametrize(
    ("node", "hint"),
    [
        (list_item(item={"@type": "Thing", "@id": IMAGE, "name": "Bread", "position": 2}),
         "position stands inside item: move it out, to the ListItem"),
        (list_item(name="Bread", item={"@type": "WebPage", "@id": IMAGE, "position": 2}),
         "position stands inside item: move it out, to the ListItem"),
        (JOB | {"hiringOrganization": {"@type": "Organization", "name": "Lind", "datePosted": "2026-11-01"}},
         "move it out of hiringOrganization, to the JobPosting"),
        ({"@type": "Event", "name": "Fair", "location": {"@type": "Place", "address": "A", "startDate": "2027-01-01"}},
         "move it out of location, to the Event"),
        ({"@type": "Product", "name": "Chair", "hasVariant": {"@type": "Product", "name": "Red", "offers": OFFER}},
         "hasVariant belongs to ProductGroup: write ProductGroup as the type"),
        ({"@type": "Product", "name": "Chair", "productGroupID": "C1"},
         "productGroupID belongs to ProductGroup: write ProductGroup as the type"),
        ({"@type": "Product", "name": "Chair", "variesBy": "https://schema.org/color"},
         "variesBy belongs to ProductGroup: write ProductGroup as the type"),
        ({"@type": "Product", "name": "Chair"}, None),
    ],
)  # fmt: skip
def test_a_missing_property_that_stands_elsewhere_has_a_hint(node: dict[str, Any], hint: str | None) -> None:
    errors = [each for each in judged(node).findings if each.severity == "error"]

    # Where a property of another type causes the gap, the finding stands there.
    assert [each.hint for each in errors] == [hint]
