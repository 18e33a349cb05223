"""Lookup of domains."""

from __future__ import annotations

from waypost.formats.text import display_name, timestamp
from waypost.models.wire.lookup import DomainProfile, DomainQuery, OwnerOfDomain
from waypost.operations.context import Context
from waypost.operations.table import FROM_OTHERS, Method, Tool, operation
from waypost.safety.relationship import applies, holds
from waypost.safety.serialize import evidence_summary, host_members
from waypost.service import Checked
from waypost.service.hosts import host_of, in_url

_VERIFIED = frozenset({"verified_official", "verified_affiliate"})


@operation(
    "GET /v1/domain",
    id="lookUpDomain",
    title="Look up a domain",
    tag="Lookup",
    scope="domain",
    limit="lookups",
    network=True,
    answer="What is known about the domain.",
    problems=("domain-only",),
    client=Method(
        "domain",
        "DomainProfile",
        "Profile of a domain, given as a host without the rest of a URL.",
        {"domain": "host"},
    ),
    tool=Tool(
        "domain_profile",
        remarks=f"It approves nothing: call check_destination before an action. {FROM_OTHERS}",
        summary=lambda found: f"relationship {found['relationship_status']}, risk {found['risk_status']}",
    ),
    example={
        "normalized_domain": "shop.example.com",
        "unicode_domain": "shop.example.com",
        "registrable_domain": "example.com",
        "public_suffix": "com",
        "is_idn": False,
        "scripts": ["Latin"],
        "relationship_status": "unverified",
        "risk_status": "no_high_risk_signal_observed",
        "official_for": [],
        "evidence_summary": [{"type": "lexical_check", "status": "observed", "id": "lex"}],
        "unknowns": ["official_relationship_not_confirmed", "threat_list_not_configured"],
        "expires_at": "2026-11-20T09:02:00.000Z",
    },
)
async def domain_profile(query: DomainQuery, context: Context) -> DomainProfile:
    """What the decision engine knows about a host: from its name, reviews, threat lists and, if enabled, network
    checks. It permits nothing: request a decision before you act. An unknown domain also gets a response, which lists
    the unknowns. A full URL is rejected before any check.
    """
    target = host_of(query.domain, context.place("domain"))
    checked = await context.check(f"https://{in_url(target)}/")
    decision, seen = checked.decision, checked.case.seen
    return DomainProfile(
        **host_members(target),
        relationship_status=decision.relationship_status,
        risk_status=decision.risk_status,
        official_for=await context.aside(lambda: owners(checked, context)),
        evidence_summary=evidence_summary(decision),
        unknowns=decision.unknowns,
        expires_at=timestamp(decision.expires_at),
        observed_at=None if seen is None else timestamp(seen.observed_at),
    )


def owners(checked: Checked, context: Context) -> tuple[OwnerOfDomain, ...]:
    """Owners of the domain by valid reviews; empty unless the decision verified the domain."""
    # What the decision does not stand behind is not shown as official.
    if checked.decision.relationship_status not in _VERIFIED:
        return ()
    case = checked.case
    found: dict[tuple[str, str], OwnerOfDomain] = {}
    for review in context.reviews_of(checked):
        if review.state == "accepted" and holds(review, case.now) and applies(review, case.target):
            name, kind = context.owner_of(review)
            found[review.entity, kind] = OwnerOfDomain(review.entity, display_name(name), kind)
    return tuple(found.values())
