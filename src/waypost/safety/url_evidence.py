"""Facts of a URL's path and query in a decision: evidence, unknowns, limits of a review."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from waypost.models.decision import Evidence, Target, Unknown, UrlReading
from waypost.safety.catalogue import signals_taking
from waypost.safety.policy import VERIFIED, Tier
from waypost.safety.relationship import Standing


def evidence_of(target: Target, reading: UrlReading) -> Iterator[Evidence]:
    """Evidence of a URL's path and query. No detail holds any part of them besides the destination's host."""
    for outer, inner in pairwise((*reading.through, target)):
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.redirector",
            summary_code="redirector_url",
            strength="weak",
            detail=f"the address at {outer.host} redirects to {inner.host}",
        )
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
        what = "a copy of another page" if reading.copied else reading.publishers.replace("_", " ")
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id=f"url.publisher.{'copy' if reading.copied else reading.publishers}",
            summary_code="third_party_content",
            strength="weak",
            detail=f"others than the owner of {_host_of_page(target, reading)} publish at this address: {what}",
        )


def _host_of_page(target: Target, reading: UrlReading) -> str:
    return reading.through[0].host if reading.copied and reading.through else target.host


def limited(found: Standing, reading: UrlReading) -> Standing:
    """Relationship of the page at the URL: the review of a host's owner verifies no page of somebody else."""
    if found.status not in VERIFIED and found.status != "claimed_unreviewed":
        return found
    if reading.unresolved:
        return Standing(status="unverified", reasons=("redirects_elsewhere",))
    if reading.copied or reading.publishers:
        return Standing(status="unverified", reasons=("published_by_strangers",))
    return found


def unknowns_of(found: Standing, reading: UrlReading, tier: Tier) -> Iterator[Unknown]:
    """Unknowns for a tier with the whole URL consulted. Pages of unverified owners are not listed: no page verifies."""
    further = tier.further_unknowns
    if reading.unresolved or (reading.nested and "redirect_target_not_checked" in further):
        yield "redirect_target_not_checked"
    if found.status in VERIFIED and reading.deeper and "page_content_not_inspected" in further:
        yield "page_content_not_inspected"
