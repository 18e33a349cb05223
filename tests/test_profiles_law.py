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


def checked(document: Any, *options: str) -> FileReport:
    graph = document if isinstance(document, list) else [document]
    page = {"@context": "https://schema.org", "@graph": graph}
    return validate_data(page, REGISTRY, url="https://www.example.com/page", now=NOW, profiles=options)


def of(report: FileReport, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def errors(report: FileReport) -> list[str]:
    return [f"{each.profile} {each.property}" for each in report.findings if each.severity == "error"]


def test_an_earned_result_makes_the_missed_one_a_warning() -> None:
    report = checked({"@type": "Product", "name": "Kettle", "offers": {"@type": "Offer", "price": "64.90"}})

    (missed,) = of(report, "feature-not-eligible")
    assert report.items[0].eligible == ("google/product-snippet",)
    assert missed.severity == "warning"
    assert missed.message == "not eligible for merchant listing results: image, offers.priceCurrency missing"
    assert not errors(report)


def test_a_profile_requested_by_name_is_checked_in_full() -> None:
    report = checked({"@type": "Product", "name": "Kettle", "offers": OFFER}, "google/merchant-listing")

    assert errors(report) == ["google/merchant-listing image"]
    assert not of(report, "feature-not-eligible")


def test_a_profile_by_name_is_tried_without_others() -> None:
    mention = {"@type": "Article", "headline": "Bread", "about": {"@type": "Recipe", "name": "Rye bread"}}

    assert not errors(checked(mention))
    assert errors(checked(mention, "google/recipe")) == ["google/recipe image"]


def test_a_wrong_profile_name_gets_the_likely_one() -> None:
    with pytest.raises(UnknownRule) as caught:
        checked({"@type": "Recipe"}, "google/recipes")

    assert "google/recipe" in caught.value.near


def test_intents_are_given_for_a_profile_by_name() -> None:
    restaurant = {"@type": "Restaurant", "name": "The Mill", "address": "1 Mill Lane", "image": IMAGE}

    assert "google/restaurant-carousel" not in checked(restaurant).items[0].eligible
    assert "google/restaurant-carousel" in checked(restaurant, "google/restaurant-carousel").items[0].eligible


def test_a_general_result_does_not_excuse_a_specific_one() -> None:
    report = checked({"@type": "Restaurant", "name": "The Mill"})

    assert report.items[0].eligible == ("google/organization",)
    assert errors(report) == ["google/local-business address"]


def test_a_holders_requirement_is_an_error_and_others_warn() -> None:
    rating = {"@type": "AggregateRating", "ratingValue": 4}
    rated = {"@type": "Product", "name": "Kettle", "aggregateRating": rating}

    alone, adjacent = checked(rated), checked({**rated, "offers": OFFER, "image": IMAGE})

    expected = "ratingCount or aggregateRating.reviewCount"
    assert errors(alone) == [f"google/product-snippet aggregateRating.{expected}"]
    assert not errors(adjacent)
    (lack,) = of(adjacent, "required-property-missing")
    assert (lack.severity, lack.profile) == ("warning", "google/aggregate-rating")


def test_holders_name_is_missed_once_however_many_need_it() -> None:
    review = {"@type": "Review", "author": "Ada Berg", "reviewRating": {"@type": "Rating", "ratingValue": 5}}
    rating = {"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 3}

    report = checked({"@type": "Product", "offers": OFFER, "image": IMAGE, "review": review, "aggregateRating": rating})

    named = [each for each in of(report, "required-property-missing") if each.property == "name"]
    assert len(named) == 1
    assert named[0].severity == "error"


def test_equal_gaps_of_siblings_have_one_cause() -> None:
    steps = [{"@type": "HowToStep", "name": f"Step {n}"} for n in range(5)]

    report = checked({"@type": "Recipe", "name": "Rye bread", "image": IMAGE, "recipeInstructions": steps})

    missing = of(report, "required-property-missing")
    assert len({each.start for each in missing}) == 5
    assert len(set(map(cause_of, missing))) == 1


def test_a_pages_main_entity_earns_for_the_page() -> None:
    page = {
        "@type": "WebPage",
        "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": TRAIL},
        "mainEntity": {"@type": "Recipe", "name": "Rye bread", "image": IMAGE},
    }

    (item,) = checked(page).items

    assert item.eligible == ("google/breadcrumb", "google/recipe")
    assert item.service_type == "RecipeSnippet"


def test_the_trail_of_a_referring_article_is_checked() -> None:
    article = {"@type": "Article", "headline": "Bread", "isPartOf": {"@id": "https://www.example.com/page"}}
    page = {
        "@type": "WebPage",
        "@id": "https://www.example.com/page",
        "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "name": "Home"}, *TRAIL]},
    }

    report = checked([article, page])

    assert {each.profile for each in report.findings if each.severity == "error"} == {"google/breadcrumb"}


def test_a_mentioned_item_needs_nothing() -> None:
    mentioned = {"@type": "Product", "name": "Pan"}
    product = {"@type": "Product", "name": "Kettle", "image": IMAGE, "offers": OFFER}

    report = checked({**product, "isRelatedTo": mentioned, "isSimilarTo": mentioned, "isPartOf": mentioned})

    assert not errors(report)


def test_unreadable_value_is_reported_once_and_costs_the_result() -> None:
    report = checked(
        {"@type": "Event", "name": "Reading", "startDate": "soon", "location": {"@type": "Place", "address": "Lind"}}
    )

    assert not report.items[0].eligible
    reported = [each for each in report.findings if each.property == "startDate"]
    assert [(each.rule, each.severity) for each in reported] == [("date-invalid", "error")]


def test_a_reference_to_another_page_counts_as_present() -> None:
    report = checked({"@type": "Recipe", "name": "Rye bread", "image": {"@id": "https://www.example.com/#image"}})

    assert report.items[0].eligible == ("google/recipe",)


def test_organization_gets_information_only_about_what_it_could_add() -> None:
    report = checked({"@type": "Organization", "name": "The Mill"})

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
def test_a_gap_of_a_part_costs_that_part_only(part: dict[str, Any], lost: str) -> None:
    report = checked({"@type": "Product", "name": "Kettle", "image": IMAGE, "offers": OFFER | part})

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
    errors = [each for each in checked(node).findings if each.severity == "error"]

    # Where a property of another type causes the gap, the finding stands there.
    assert [each.hint for each in errors] == [hint]
