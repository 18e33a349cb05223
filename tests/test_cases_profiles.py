"""Markup that a profile speaks about, and markup that it accepts or leaves alone.

tests/cases/profiles/google-<id>/bad-*   the profile says something, and exactly what stands in APPROVED
tests/cases/profiles/google-<id>/good-*  it has no error and no warning
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.models.finding import FileReport, Finding
from waypost.registry import load
from waypost.validate import validate_data

CASES = Path(__file__).parent / "cases" / "profiles"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()


def cases(kind: str) -> list[Path]:
    return sorted(CASES.glob(f"*/{kind}-*.json"))


def profile_of(case: Path) -> str:
    return case.parent.name.replace("-", "/", 1)


def checked(case: Path, *options: str) -> FileReport:
    return validate_data(case.read_bytes(), REGISTRY, url="https://www.example.com/page", now=NOW, profiles=options)


def own_findings(case: Path) -> list[Finding]:
    return [finding for finding in checked(case).findings if finding.profile == profile_of(case)]


def loud(findings: list[Finding]) -> list[str]:
    return [f"{each.severity} {each.property}" for each in findings if each.severity != "info"]


def case_id(case: Path) -> str:
    return f"{case.parent.name}/{case.stem}"


UNANSWERED = "warning mainEntity.acceptedAnswer or mainEntity.suggestedAnswer"
# Case -> severity and property of everything above information that its profile says.
APPROVED: dict[str, list[str]] = {
    "google-aggregate-rating/bad-of-a-book-without-name": ["warning name"],
    "google-article/bad-dates-without-time": ["warning datePublished", "warning dateModified"],
    "google-breadcrumb/bad-first-without-item": ["error itemListElement.item"],
    "google-breadcrumb/bad-item-is-a-name": ["warning itemListElement.item"],
    "google-breadcrumb/bad-item-is-an-object-without-id": ["error itemListElement.item"],
    "google-breadcrumb/bad-item-without-host": ["warning itemListElement.item"],
    "google-breadcrumb/bad-of-the-page-without-names": ["error itemListElement.name or itemListElement.item.name"],
    "google-breadcrumb/bad-words-as-positions-and-the-last-without-item": ["error itemListElement.item"],
    "google-carousel-beta/bad-an-entry-without-image": ["warning itemListElement.item.image"],
    "google-course-list/bad-without-description": ["error description"],
    "google-dataset/bad-short-description": ["warning None", "warning description"],
    "google-dataset/bad-without-description": ["error description", "warning None"],
    "google-event/bad-address-of-empty-parts": ["warning None", "warning location.address"],
    "google-event/bad-in-a-list": ["error startDate"],
    "google-event/bad-in-a-list-with-a-date-and-no-place": [
        "error location",
        "warning None",
        "error location",
        "warning None",
        "error location",
        "warning None",
    ],
    "google-event/bad-mixed-with-the-virtual-place-alone": ["error location"],
    "google-event/bad-online-on-two-platforms": ["error location"],
    "google-event/bad-online-without-a-location": ["error location"],
    "google-event/bad-online": ["warning None", "error location"],
    "google-event/bad-place-as-text": ["error location"],
    "google-event/bad-place-without-address": ["warning location.address"],
    "google-event/bad-virtual-place": ["warning None", "error location"],
    "google-faq/bad-retired": [],
    "google-image-metadata/bad-a-claim-without-an-address": ["warning contentUrl or url"],
    "google-job-posting/bad-address-without-its-parts": ["warning None"],
    "google-job-posting/bad-remote-without-country": [
        "error applicantLocationRequirements or jobLocation",
        "warning None",
    ],
    "google-job-posting/bad-without-country": ["error jobLocation.address.addressCountry"],
    "google-job-posting/bad-without-place": ["error jobLocation"],
    "google-local-business/bad-address-as-text": ["warning None", "warning address"],
    "google-local-business/bad-address-as-url": ["warning None", "error address"],
    "google-local-business/bad-in-a-list-with-an-empty-address": [
        "warning None",
        "error address",
        "warning None",
        "error address",
        "warning None",
        "error address",
    ],
    "google-local-business/bad-without-address": ["error address", "warning None"],
    "google-math-solver/bad-another-kind": ["error learningResourceType"],
    "google-merchant-listing/bad-free": ["warning None"],
    "google-merchant-listing/bad-without-image-and-currency": ["warning None"],
    "google-product-snippet/bad-a-model-with-an-empty-offer": [
        "warning None",
        "error offers.price or offers.priceSpecification.price",
    ],
    "google-product-snippet/bad-neither-offer-nor-rating": ["error review, aggregateRating or offers"],
    "google-product-snippet/bad-notes-are-a-text": [
        "warning None",
        "error review.reviewRating",
        "warning review.positiveNotes.itemListElement or review.negativeNotes.itemListElement",
    ],
    "google-product-snippet/bad-offer-without-price": [
        "warning None",
        "error offers.price or offers.priceSpecification.price",
    ],
    "google-product-snippet/bad-rated-without-offer": ["warning offers"],
    "google-product-variants/bad-variant-without-code": [
        "warning None",
        "warning hasVariant.sku (or one of 6 others)",
    ],
    "google-profile-page/bad-little-said": ["warning None"],
    "google-profile-page/bad-nameless": ["warning None", "error mainEntity.name or mainEntity.alternateName"],
    "google-qapage/bad-answer-without-text": ["error mainEntity.acceptedAnswer.text"],
    "google-qapage/bad-no-answers-and-an-empty-list": [
        "warning mainEntity.acceptedAnswer or mainEntity.suggestedAnswer"
    ],
    "google-qapage/bad-no-answers-by-a-text": ["warning mainEntity.acceptedAnswer or mainEntity.suggestedAnswer"],
    "google-qapage/bad-no-answers-yet": ["warning mainEntity.acceptedAnswer or mainEntity.suggestedAnswer"],
    "google-qapage/bad-two-questions": [
        "warning None",
        "error mainEntity.answerCount",
        "error mainEntity",
        "error mainEntity.answerCount",
    ],
    "google-recipe/bad-blank-name": ["error name"],
    "google-recipe/bad-calories-without-yield": ["error recipeYield"],
    "google-recipe/bad-nothing-recommended": ["warning None"],
    "google-recipe/bad-step-without-text": ["warning recipeInstructions.text or recipeInstructions.itemListElement"],
    "google-recipe/bad-without-image": ["error image"],
    "google-return-policy/bad-on-a-product": [
        "warning applicableCountry with returnPolicyCategory or merchantReturnLink"
    ],
    "google-return-policy/bad-on-a-product-without-country": ["warning applicableCountry"],
    "google-return-policy/bad-on-a-product-without-days": ["warning None", "warning merchantReturnDays"],
    "google-review-snippet/bad-alone-without-the-thing": ["error itemReviewed", "warning datePublished"],
    "google-review-snippet/bad-inside-a-product": ["warning reviewRating"],
    "google-review-snippet/bad-notes-about-a-book": ["warning reviewRating"],
    "google-review-snippet/bad-rating-is-a-number": ["error reviewRating"],
    "google-software-app/bad-aggregate-offer": ["error offers.price"],
    "google-software-app/bad-unrated": ["error aggregateRating or review"],
    "google-video/bad-a-date-without-time": ["warning uploadDate"],
    "google-video/bad-inside-a-recipe": ["warning uploadDate"],
}


@pytest.mark.parametrize("case", cases("bad"), ids=case_id)
def test_a_profile_reports_exactly_the_errors(case: Path) -> None:
    assert own_findings(case), "the profile said nothing"
    assert loud(own_findings(case)) == APPROVED[case_id(case)]


@pytest.mark.parametrize("case", cases("good"), ids=case_id)
def test_a_profile_accepts_valid_items_and_ignores_others(case: Path) -> None:
    assert not [finding.message for finding in own_findings(case) if finding.severity != "info"]
