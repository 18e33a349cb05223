"""Facts of a URL's path and query in a decision: evidence, unknowns, limits of a review."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from waypost.models.decision import Evidence, Target, Unknown, UrlReading
from waypost.safety.catalogue import signals_taking
from waypost.safety.policy import VERIFIED, Tier
from waypost.safety.relationship import Standing
from waypost.safety.target import USUAL_PORTS

POSES = "url.userinfo.official"
"""Id of the evidence of a user name that reads like an official host."""


def evidence_of(target: Target, reading: UrlReading) -> Iterator[Evidence]:
    """Evidence of a URL's path and query. No detail holds any part of them except the destination's host."""
    if reading.poses_as:
        yield Evidence(
            type="lexical_check",
            status="observed",
            id=POSES,
            summary_code="userinfo_in_url",
            strength="decisive",
            brand=reading.poses_as,
            detail=f"a user name that reads like an official host stands before {target.host}",
        )
    for outer, inner in pairwise((*reading.through, target)):
        yield _redirector(outer, inner)
        # Every hop is a host that the agent's request would reach.
        for signal in signals_taking("target"):
            yield from signal.observe(outer)
    if reading.unresolved:
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.unresolved",
            summary_code="redirect_chain_unresolved",
            strength="weak",
            detail=f"the address at {target.host} redirects, and where to cannot be read",
        )
    if reading.copied or reading.publishers:
        yield _publisher(target, reading)
    if reading.hands_over:
        hosts = reading.receivers or reading.sign_in
        receivers = ", ".join(dict.fromkeys(receiver.host for receiver in hosts))
        # Without a code and a strength: a sign-in through another host is usual, and no reason or risk by itself.
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.receiver",
            detail=f"the result of the sign-in goes to {receivers or 'a receiver that the URL does not name'}",
        )
    if reading.hands_over and reading.grants:
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.grants",
            detail=f"the receiver may from then on use: {', '.join(reading.grants)}",
        )
    if reading.beyond_functions:
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.function",
            summary_code="outside_owner_functions",
            strength="weak",
            detail=f"others than the owner publish at {target.registrable}, and the address is not a known function",
        )
    if reading.prefilled:
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id=f"url.prefilled.{reading.prefilled}",
            summary_code="filled_in_by_url",
            strength="weak",
            detail=f"the URL chooses for the user: {reading.prefilled.replace('_', ' ')}",
        )


def _redirector(outer: Target, inner: Target) -> Evidence:
    return Evidence(
        type="url_structure_check",
        status="observed",
        id="url.redirector",
        summary_code="redirector_url",
        strength="weak",
        detail=f"the address at {outer.host} redirects to {inner.host}",
    )


def _publisher(target: Target, reading: UrlReading) -> Evidence:
    content = "a copy of another page" if reading.copied else reading.publishers.replace("_", " ")
    return Evidence(
        type="url_structure_check",
        status="observed",
        id=f"url.publisher.{'copy' if reading.copied else reading.publishers}",
        summary_code="third_party_content",
        strength="weak",
        detail=f"others than the owner of {_host_of_page(target, reading)} publish at this address: {content}",
    )


def _host_of_page(target: Target, reading: UrlReading) -> str:
    return reading.through[0].host if reading.copied and reading.through else target.host


def limited(found: Standing, target: Target, reading: UrlReading) -> Standing:
    """Relationship of the page at the URL: the review of a host's owner verifies no page of another person.

    A review counts for every port of the reviewed name, and for the usual ports of names below: a machine below may
    have another operator.
    """
    if found.status not in VERIFIED and found.status != "claimed_unreviewed":
        return found
    if reading.unresolved:
        return Standing(status="unverified", reasons=("redirects_elsewhere",))
    if reading.copied or reading.publishers:
        return Standing(status="unverified", reasons=("published_by_strangers",))
    if reading.prefilled:
        return Standing(status="unverified", reasons=("filled_in_by_url",))
    if (
        target.port not in USUAL_PORTS
        and found.status in VERIFIED
        and (found.review is None or found.review.domain != target.host)
    ):
        return Standing(status="unverified", reasons=("required_evidence_missing",))
    return found


def unknowns_of(
    found: Standing, reading: UrlReading, tier: Tier, action: str, *, is_receiver_reviewed: bool
) -> Iterator[Unknown]:
    """Unknowns for a tier with the whole URL consulted. Pages of unverified owners are not listed: no page verifies.

    A sign-in for another site happens at the host itself, and its result goes to that site. Any other action than a
    login at such a URL redirects to a third party.
    """
    further = tier.further_unknowns
    consulted = "redirect_target_not_checked" in further
    leads_on = reading.nested or (reading.hands_over and action != "login")
    if reading.unresolved or (leads_on and consulted):
        yield "redirect_target_not_checked"
    elif reading.hands_over and consulted and "sign_in_receiver_not_checked" not in further:
        # Policies older than the review of receivers list the unknown without any weight.
        yield "sign_in_receiver_not_checked"
    if "sign_in_receiver_not_checked" in further and not is_receiver_reviewed:
        yield "sign_in_receiver_not_checked"
    if found.status in VERIFIED and reading.beyond_functions and "page_publisher_unknown" in further:
        yield "page_publisher_unknown"
    if found.status in VERIFIED and reading.deeper and "page_content_not_inspected" in further:
        yield "page_content_not_inspected"
