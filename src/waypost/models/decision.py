"""What is asked about a destination, what was seen of it, and what was decided.

Every enumeration of the decision stands here once. Each code has its sentence in `data/codes.json`.
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
ReasonCode = Literal[
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
SUMMARY_CODES: tuple[SummaryCode, ...] = get_args(SummaryCode)
UNKNOWNS: tuple[Unknown, ...] = get_args(Unknown)
STRENGTHS: tuple[Strength, ...] = get_args(Strength)

UNSPECIFIED = "unspecified"
"""What a check without an intended action is echoed as: judged by the strictest tier, never allowed."""


class SensitiveUrl:
    """A URL as given, which may hold a secret: only its scheme and host are ever shown.

    `str`, `repr`, `format` and `copy` give the shown part; a pickle holds nothing else. The whole text
    comes out by `reveal()` alone, so that every place that uses it can be found by that word.
    """

    __slots__ = ("_canonical", "_shown", "_text")

    def __init__(self, text: str, shown: str = "[a url]") -> None:
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_shown", shown)
        object.__setattr__(self, "_canonical", "")

    @property
    def canonical(self) -> str:
        """The same as its parser wrote it when it was read, if it was: as secret as the URL, and never parsed twice."""
        text: str = object.__getattribute__(self, "_canonical")
        return text

    def was_read_as(self, canonical: str) -> None:
        """Remember what the parser wrote, which follows from the text alone."""
        object.__setattr__(self, "_canonical", canonical)

    def reveal(self) -> str:
        """The whole URL with its path and query. Never for a log, a store, a metric or a message."""
        text: str = object.__getattribute__(self, "_text")
        return text

    def __str__(self) -> str:
        shown: str = object.__getattribute__(self, "_shown")
        return shown

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


def decode_sensitive(kind: type, value: object) -> SensitiveUrl:
    """The `dec_hook` with which msgspec reads a `CheckRequest`."""
    if kind is SensitiveUrl and isinstance(value, str):
        return SensitiveUrl(value)
    raise TypeError("a URL is a string")


class CheckRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller asks. Read it with `dec_hook=decode_sensitive`.

    `claimed_brand` is whom the caller believes to be dealing with, `audience` who a receipt is for.
    """

    url: SensitiveUrl
    intended_action: Action | None = None
    include: tuple[Inclusion, ...] = ()
    claimed_brand: str | None = None
    audience: str | None = None


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A destination cut down to what may be looked at and kept: no path, no query, no credentials.

    host          as it goes on the wire: lower case, A-labels, no trailing dot; an address without brackets
    unicode_host  the same for people to read
    registrable   the public suffix and one label; the host itself for an address or a bare suffix
    suffix        the public suffix, our own hosting suffixes included; empty for an address
    labels        of `host`, left to right; empty for an address
    scripts       UAX #24 names of the scripts in `unicode_host`, sorted, Common and Inherited left out
    port          as used, 80 or 443 where none was written
    address       the canonical form of an IP literal, or empty
    hosted        the suffix lets strangers register below it: the registrable domain is a tenant of somebody
    userinfo      credentials stood before the host; they are not kept
    userinfo_poses  a host name stood where the user name belongs: `https://brand.example@other.test`
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
        """The labels left of the public suffix: what somebody chose."""
        return self.labels[: len(self.labels) - self.suffix.count(".") - 1] if self.suffix else self.labels


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was seen about a destination, or could not be.

    `summary_code` says what was seen, `strength` how much it weighs, `brand` the slug of whom it concerns.
    `detail` is a sentence that never holds a path, a query string or anything the person typed but the
    host. `observed_at` and `valid_until` are milliseconds since 1970, UTC.
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


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A current observation with an expiry, never a label. `expires_at` is milliseconds since 1970, UTC.

    `official_alternative` is there only with a suspected impersonation. `evidence` is everything the
    decision rests on; `deciding` names the lines of the policy that did not hold, empty when all did.
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
