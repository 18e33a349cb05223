"""Reasons of a decision: from the relationship, from signals, and from the lines of the policy that stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from waypost.models.decision import LATER_REASON_CODES, Evidence, ReasonCode, Unknown
from waypost.models.explanation import Line
from waypost.safety.policy import VERIFIED, Policy
from waypost.safety.relationship import Standing

_REASON_OF_CODE: dict[str, ReasonCode] = {
    "insecure_scheme": "insecure_transport",
    "tls_invalid": "insecure_transport",
    "tls_name_mismatch": "insecure_transport",
    "non_public_host": "non_public_address",
    "userinfo_in_url": "credentials_in_url",
}
_REASON_OF_ID: dict[str, ReasonCode] = {
    "net.http.redirect": "redirect_to_other_domain",
    "net.rdap": "recently_registered",
    "list.match": "threat_list_match",
}
_NOT_ABOUT_RISK: frozenset[ReasonCode] = frozenset(
    {
        "official_relationship_verified",
        "affiliate_relationship_verified",
        "relationship_claim_unreviewed",
        "relationship_review_expired",
        "brand_name_similarity",
        "required_evidence_missing",
    }
)
"""Reasons about owner and coverage, which explain no stop for a risk."""


_COVERAGE: frozenset[Line] = frozenset({"evidence", "unknowns", "confidence"})
"""Lines of a policy about what was observed."""


def reasons_of(
    found: Standing,
    evidence: Sequence[Evidence],
    deciding: tuple[Line, ...],
    policy: Policy,
    withholding: frozenset[Unknown],
    action: str,
) -> tuple[ReasonCode, ...]:
    """Reasons of the decision, never empty: first reasons from the relationship, then reasons from signals."""
    reasons: list[ReasonCode] = list(found.reasons)
    if "non_public_address" in reasons:
        return ("non_public_address",)
    for piece in evidence:
        if piece.strength == "context":
            continue
        if why := _REASON_OF_ID.get(piece.id) or _REASON_OF_CODE.get(piece.summary_code or ""):
            reasons.append(why)
    if deciding:
        # Some unknowns have a reason of their own.
        if _is_evidence_missing(found, deciding, policy, is_withheld=not withholding <= _WITH_REASON.keys()):
            reasons.append("required_evidence_missing")
        if withholding:
            reasons += [why for unknown, why in _WITH_REASON.items() if unknown in withholding]
        if "redirector_url" in [piece.summary_code for piece in evidence]:
            reasons.append("redirects_elsewhere")
        reasons += _of_stop(found, deciding, reasons, policy, action)
    # A released policy answers with the codes of its day: its callers know no others.
    codes = dict.fromkeys(
        [code for code in reasons if code not in LATER_REASON_CODES or code in policy.further_reasons]
    )
    return tuple(codes) or ("no_decisive_signal",)


_WITH_REASON: dict[Unknown, ReasonCode] = {
    "sign_in_receiver_not_checked": "sign_in_receiver_not_verified",
    "page_publisher_unknown": "not_a_function_of_the_owner",
}
"""Reasons of unknowns with which a relationship is not confirmed."""


def _is_evidence_missing(found: Standing, deciding: tuple[Line, ...], policy: Policy, *, is_withheld: bool) -> bool:
    """Whether a known owner is stopped for what was not observed, or for an unknown about ownership or the URL."""
    # The amount of a declared merchant has a reason of its own.
    is_declared = found.status == "declared_merchant" and not found.contradicted
    if found.status not in VERIFIED and not is_declared:
        return False
    withheld = is_withheld and "relationship" in deciding and not found.contradicted and bool(policy.further_reasons)
    return withheld or not _COVERAGE.isdisjoint(deciding)


def _of_stop(
    found: Standing, deciding: tuple[Line, ...], reasons: Sequence[ReasonCode], policy: Policy, action: str
) -> Iterator[ReasonCode]:
    """Reasons of a stop for a risk without a code, and of a stop for an action that is missing or never allowed."""
    if "risk" in deciding and _NOT_ABOUT_RISK.issuperset(reasons):
        yield "risk_beside_verified_owner" if found.status in VERIFIED else "risk_signal_blocks_action"
    if "action" in deciding and action in policy.never:
        yield "action_not_permitted"
    elif deciding == ("action",):
        yield "action_unspecified"
