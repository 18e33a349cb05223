"""Check requests, evidence and decisions, with every enumeration of the decision.

Sentences for the codes: `data/codes.json`.
"""

from __future__ import annotations

from typing import Any, Literal, NoReturn, get_args

import msgspec

Action = Literal[
    "payment",
    "login",
    "upload",
    "submission",
    "account_creation",
    "checkout",
    "identity_file_transfer",
    "business_document_transfer",
    "send_personal_data",
    "send_operational_data",
    "durable_account_creation",
    "visit",
]
RelationshipStatus = Literal[
    "unverified",
    "suspected_impersonation",
    "verified_official",
    "verified_affiliate",
    "claimed_unreviewed",
    "disputed",
    "declared_merchant",
]
RiskStatus = Literal[
    "no_high_risk_signal_observed",
    "high_risk_signal_observed",
    "elevated_risk_signal_observed",
    "risk_not_assessed",
]
ConfidenceClass = Literal["high", "medium", "low", "insufficient"]
EvidenceType = Literal[
    "automated_network_check",
    "registry_review",
    "lexical_check",
    "url_structure_check",
    "structured_data_claim",
    "reciprocal_link_check",
    "threat_list_check",
    "registration_data_check",
    "certificate_check",
    "human_review",
    "caller_supplied",
]
EvidenceStatus = Literal["observed", "not_observed", "not_attempted", "failed", "stale", "conflicting"]
FirstReasonCode = Literal[
    "brand_impersonation_signal",
    "no_decisive_signal",
    "official_relationship_verified",
    "affiliate_relationship_verified",
    "relationship_claim_unreviewed",
    "relationship_disputed",
    "relationship_review_expired",
    "brand_name_similarity",
    "threat_list_match",
    "redirect_to_other_domain",
    "insecure_transport",
    "non_public_address",
    "recently_registered",
    "required_evidence_missing",
]
LaterReasonCode = Literal[
    "credentials_in_url",
    "risk_beside_verified_owner",
    "risk_signal_blocks_action",
    "action_unspecified",
    "redirects_elsewhere",
    "published_by_strangers",
    "counterparty_mismatch",
    "ownership_changed",
    "sign_in_receiver_not_verified",
    "filled_in_by_url",
    "not_a_function_of_the_owner",
    "payee_mismatch",
    "actions_frozen",
    "merchant_declared",
    "amount_not_permitted",
    "action_not_permitted",
]
"""Codes for policies with the code in `further_reasons`; records of older policies have none of the codes."""
ReasonCode = Literal[FirstReasonCode, LaterReasonCode]
SummaryCode = Literal[
    "homoglyph_of_brand",
    "official_domain_embedded",
    "brand_combosquat",
    "brand_typo",
    "brand_on_shared_hosting",
    "brand_tld_variant",
    "structured_data_claims_other_domain",
    "structured_data_logo_hotlinked",
    "redirect_chain_unresolved",
    "userinfo_in_url",
    "ip_literal_host",
    "insecure_scheme",
    "tls_invalid",
    "tls_name_mismatch",
    "shortener_url",
    "mixed_script_host",
    "brand_with_action_word",
    "brand_split_over_labels",
    "brand_below_other_domain",
    "non_public_host",
    "unusual_port",
    "official_site_links_back",
    "redirector_url",
    "third_party_content",
    "filled_in_by_url",
    "outside_owner_functions",
    "registered_after_review",
    "registration_ending",
    "not_registered",
    "ownership_differs",
    "page_requests_secrets",
]
Unknown = Literal[
    "official_relationship_not_confirmed",
    "dns_not_resolved",
    "dns_timeout",
    "tls_not_checked",
    "tls_handshake_failed",
    "http_not_fetched",
    "redirect_target_not_checked",
    "registration_age_unavailable",
    "registry_rdap_unsupported",
    "rdap_rate_limited",
    "certificate_history_unavailable",
    "threat_list_not_configured",
    "threat_list_stale",
    "page_content_not_inspected",
    "structured_data_not_inspected",
    "public_suffix_list_stale",
    "brand_registry_stale",
    "shared_hosting_tenant_not_attributable",
    "idn_display_ambiguous",
    "policy_input_incomplete",
    "claimed_brand_unknown",
    "ownership_continuity_unknown",
    "sign_in_receiver_not_checked",
    "network_check_not_made",
    "alternative_review_expired",
    "page_publisher_unknown",
    "payee_not_verified",
    "merchant_evidence_not_read",
]
Strength = Literal["decisive", "strong", "medium", "weak", "context"]
Inclusion = Literal["evidence_summary", "policy_version", "receipt"]

ACTIONS: tuple[Action, ...] = get_args(Action)
RELATIONSHIP_STATUSES: tuple[RelationshipStatus, ...] = get_args(RelationshipStatus)
RISK_STATUSES: tuple[RiskStatus, ...] = get_args(RiskStatus)
CONFIDENCE_CLASSES: tuple[ConfidenceClass, ...] = get_args(ConfidenceClass)
EVIDENCE_TYPES: tuple[EvidenceType, ...] = get_args(EvidenceType)
EVIDENCE_STATUSES: tuple[EvidenceStatus, ...] = get_args(EvidenceStatus)
REASON_CODES: tuple[ReasonCode, ...] = get_args(ReasonCode)
LATER_REASON_CODES: frozenset[ReasonCode] = frozenset(get_args(LaterReasonCode))
SUMMARY_CODES: tuple[SummaryCode, ...] = get_args(SummaryCode)
UNKNOWNS: tuple[Unknown, ...] = get_args(Unknown)
STRENGTHS: tuple[Strength, ...] = get_args(Strength)

UNSPECIFIED = "unspecified"
"""Action in the decision of a check without an intended action: strictest tier, never allowed."""


class SensitiveUrl:
    """URL as given, which may contain a secret; only scheme and host are ever displayed.

    `str`, `repr`, `format` and a pickle contain the display text. Only `reveal()` returns the URL, so that
    a search for this word finds every use.
    """

    __slots__ = ("_canonical", "_display", "_text")

    def __init__(self, text: str, display: str = "[a url]") -> None:
        # `__setattr__` of the class raises, to keep the URL immutable.
        _SET_TEXT(self, text)
        _SET_DISPLAY(self, display)
        _SET_CANONICAL(self, "")

    @property
    def canonical(self) -> str:
        """URL as the parser serialised it, or empty before parsing. As secret as the URL; saves a second parse."""
        text: str = object.__getattribute__(self, "_canonical")
        return text

    def set_canonical(self, canonical: str) -> None:
        """Store the parser's serialisation."""
        # No change of value: the serialisation follows from the text alone.
        _SET_CANONICAL(self, canonical)

    def reveal(self) -> str:
        """Whole URL with path and query. Never for a log, a store, a metric or a message."""
        text: str = object.__getattribute__(self, "_text")
        return text

    def __str__(self) -> str:
        display: str = object.__getattribute__(self, "_display")
        return display

    def __repr__(self) -> str:
        return f"SensitiveUrl({str(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a SensitiveUrl never changes")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SensitiveUrl) and self.reveal() == other.reveal()

    def __hash__(self) -> int:
        return hash(self.reveal())

    def __reduce__(self) -> tuple[type[SensitiveUrl], tuple[str, str]]:
        return SensitiveUrl, (str(self), str(self))

    def __copy__(self) -> SensitiveUrl:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SensitiveUrl:
        return self


# The slots' own functions: three calls of `object.__setattr__` take 2,100 instructions more.
_SET_TEXT, _SET_DISPLAY, _SET_CANONICAL = (
    vars(SensitiveUrl)[name].__set__ for name in ("_text", "_display", "_canonical")
)


def decode_sensitive(kind: type, value: object) -> SensitiveUrl:
    """msgspec `dec_hook` for a `CheckRequest`. Raises TypeError."""
    if kind is SensitiveUrl and isinstance(value, str):
        return SensitiveUrl(value)
    raise TypeError("a URL is a string")


class Target(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """Destination without path, query and credentials: the part of a URL that may be probed and stored.

    host          as on the wire: lower case, A-labels, no trailing dot; an address without brackets
    unicode_host  host for people to read
    registrable   public suffix and one label; the host for an address or a bare suffix
    suffix        public suffix, our own hosting suffixes included; empty for an address
    labels        labels of `host`, left to right; empty for an address
    scripts       UAX #24 names of the scripts in `unicode_host`, sorted, without Common and Inherited
    port          port in use, 80 or 443 by default
    address       canonical form of an IP literal, or empty
    hosted        third parties can register below the suffix: the registrable domain is a hosting tenant
    userinfo      the URL had credentials, which are not stored
    userinfo_poses  a host name in place of the user name: `https://brand.example@other.test`
    """

    scheme: str
    host: str
    unicode_host: str
    registrable: str
    suffix: str
    labels: tuple[str, ...]
    scripts: tuple[str, ...] = ()
    port: int = 443
    address: str = ""
    hosted: bool = False
    userinfo: bool = False
    userinfo_poses: bool = False

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels left of the public suffix, chosen by the owner."""
        return self.labels[: len(self.labels) - self.suffix.count(".") - 1] if self.suffix else self.labels


class UrlReading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts that the path and the query of a URL gave about its destination, without their text.

    through     hosts that redirect to the destination, the submitted one first
    unresolved  the last of these hosts, or the destination, redirects, and where to cannot be read
    nested      a parameter holds the URL of another owner, and whether it is led to is not known, or a device's code
    copied      the host shows a copy of the destination's page
    publishers  kind of content that others than the host's owner publish at this address: form, shop, payment_link
    deeper      the URL is of another page than the front page, which alone is fetched
    hands_over  the result of a sign-in goes to another owner, or to a receiver that the URL does not name
    receivers   hosts of other owners among these receivers
    sign_in     hosts that receive the result of a sign-in, of any owner
    app_receives  such a receiver is an app, is not named, or cannot be read: no review can be about it
    grants      kinds of what the receiver may do from then on, more than knowing who the user is: mail, files, money
    beyond_functions  third parties publish at the brand, and the address is not one of the owner's functions
    prefilled   kind of choice that the URL makes for the user: device_code, invitation, recipient, amount
    poses_as    slug of the brand with the official host that the user name reads like; empty for none
    """

    through: tuple[Target, ...] = ()
    unresolved: bool = False
    nested: bool = False
    copied: bool = False
    publishers: str = ""
    deeper: bool = False
    hands_over: bool = False
    receivers: tuple[Target, ...] = ()
    sign_in: tuple[Target, ...] = ()
    app_receives: bool = False
    grants: tuple[str, ...] = ()
    prefilled: str = ""
    beyond_functions: bool = False
    poses_as: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether the URL leads nowhere else and poses as nothing, and no others publish, receive or fill in there."""
        return not (
            self.through
            or self.unresolved
            or self.copied
            or self.publishers
            or self.hands_over
            or self.prefilled
            or self.beyond_functions
            or self.poses_as
        )


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Observation about a destination, or a check that failed.

    summary_code  result of the check
    strength      weight of the result
    brand         slug of the brand concerned
    detail        sentence; never contains a path, a query string or user input other than the host
    observed_at, valid_until  milliseconds since 1970, UTC
    suggested_alternative  official address of the brand that the host only resembles, or empty
    """

    type: EvidenceType
    status: EvidenceStatus
    id: str = ""
    summary_code: SummaryCode | None = None
    observed_at: int | None = None
    valid_until: int | None = None
    strength: Strength = "context"
    brand: str = ""
    detail: str = ""
    suggested_alternative: str = ""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Decision about an action at a destination. `expires_at` is milliseconds since 1970, UTC.

    official_alternative  present only with a suspected impersonation, or with another owner than the caller means
    evidence              basis of the decision
    deciding              conditions of the policy tier that failed; empty when all hold
    """

    decision_id: str
    normalized_domain: str
    relationship_status: RelationshipStatus
    risk_status: RiskStatus
    action: str
    action_allowed: bool
    reason_codes: tuple[ReasonCode, ...]
    confidence_class: ConfidenceClass
    unknowns: tuple[Unknown, ...]
    expires_at: int
    policy_version: str
    evidence: tuple[Evidence, ...] = ()
    official_alternative: str | None = None
    deciding: tuple[str, ...] = ()
