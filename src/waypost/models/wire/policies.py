"""Operators' own policies: the file, and the list of policies of a service."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from waypost.models.decision import Action, ConfidenceClass, EvidenceType, Unknown
from waypost.models.wire.common import UNIQUE, Closed, PlainText, Prose, Time, published

_VERSION = r"^[a-z][a-z0-9-]*-20[0-9]{2}-[01][0-9]-[0-3][0-9]$"
_Because = Annotated[
    PlainText, Meta(min_length=20, max_length=500, description="The reason, which --explain prints next to it.")
]


class TightenedTier(Closed, frozen=True, kw_only=True):
    """Requirements in addition to those of a tier."""

    tier: Annotated[int, Meta(ge=0, le=9, description="The number of the tier in the shipped policy.")]
    evidence: Annotated[
        tuple[EvidenceType, ...], Meta(max_length=20, description="Evidence that has to be observed as well."), UNIQUE
    ] = ()
    blocking_unknowns: Annotated[
        tuple[Unknown, ...], Meta(max_length=40, description="Unknowns that are a stop as well."), UNIQUE
    ] = ()
    min_confidence: Annotated[ConfidenceClass | None, Meta(description="A higher class of confidence.")] = None
    allow_s: Annotated[int | None, Meta(description="A shorter lifetime of an allow, in seconds.")] = None
    max_evidence_age_s: Annotated[int | None, Meta(description="A lower age of evidence, in seconds.")] = None
    because: _Because


class DeclaredMerchants(Closed, frozen=True, kw_only=True):
    """Shops outside the registry to pay at: each declares itself by a checkout that it signs with its own keys."""

    actions: Annotated[
        tuple[Literal["payment", "checkout"], ...],
        Meta(min_length=1, max_length=2, description="The actions at such a shop."),
        UNIQUE,
    ]
    domains: Annotated[
        tuple[Annotated[PlainText, Meta(min_length=1, max_length=253)], ...],
        Meta(min_length=1, max_length=1000, description="The registrable domains of the shops, or `*` for any shop."),
        UNIQUE,
    ]
    amounts: Annotated[
        dict[str, int],
        Meta(
            min_length=1,
            max_length=200,
            description="The most to pay at once, by ISO 4217 currency and in its minor unit: EUR = 5000 is 50 EUR. "
            "The caller names the amount and its own cap, and both bounds hold.",
            extra_json_schema={
                "propertyNames": {"pattern": "^[A-Z]{3}$"},
                "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 1000000000},
            },
        ),
    ]
    min_domain_age_days: Annotated[
        int, Meta(ge=365, le=36500, description="The least age of the domain's registration.")
    ] = 365
    min_certificate_days: Annotated[
        int,
        Meta(ge=30, le=3650, description="The least time since the first valid certificate that the service has seen."),
    ] = 90
    allow_s: Annotated[int, Meta(ge=1, le=900, description="The lifetime of an allow in seconds.")] = 300
    because: _Because


@published("policy-file")
class PolicyFile(Closed, frozen=True, kw_only=True):
    """An operator's own policy, as TOML: what it adds to a shipped policy, which it names by version."""

    policy_id: Annotated[
        str, Meta(pattern="^[a-z][a-z0-9-]{1,39}$", description="The id; `baseline` and `strict` are taken.")
    ]
    date: Annotated[str, Meta(description="The day of release, as 2026-11-29. Another content takes another day.")]
    extends: Annotated[str, Meta(pattern=_VERSION, description="The version of the shipped policy.")]
    about: Annotated[PlainText, Meta(min_length=20, max_length=500, description="Its purpose in a sentence or two.")]
    until: Annotated[str | None, Meta(description="The last day of use; every action stops afterwards.")] = None
    never: Annotated[
        tuple[Action, ...], Meta(max_length=20, description="Actions that are always a stop."), UNIQUE
    ] = ()
    tighten: Annotated[
        tuple[TightenedTier, ...], Meta(max_length=10, description="Further requirements of tiers.")
    ] = ()
    declared_merchants: Annotated[
        DeclaredMerchants | None, Meta(description="Shops outside the registry; without this member there are none.")
    ] = None


@published("policy", title="Policy")
class PolicyEntry(Closed, frozen=True, kw_only=True):
    """A policy of the service, shipped or the operator's own."""

    policy_version: Annotated[str, Meta(pattern=_VERSION, description="Its version, as in decisions.")]
    about: Annotated[str, Meta(description="Its purpose.")]
    state: Annotated[
        Literal["shipped", "submitted", "accepted", "withdrawn"],
        Meta(description="Only a shipped or accepted policy decides."),
    ]
    in_use: Annotated[bool, Meta(description="Whether this service decides by it.")] = False
    extends: Annotated[str | None, Meta(description="The shipped policy that it adds to.")] = None
    submitted_by: Annotated[str | None, Meta(description="Who submitted it.")] = None
    submitted_at: Annotated[Time | None, Meta(description="When it was submitted.")] = None
    accepted_by: Annotated[str | None, Meta(description="Who accepted it, another person.")] = None
    accepted_at: Annotated[Time | None, Meta(description="When it was accepted.")] = None
    withdrawn_by: Annotated[str | None, Meta(description="Who withdrew it.")] = None
    file: Annotated[str | None, Meta(description="The file as submitted.")] = None


@published("policy-list")
class PolicyList(Closed, frozen=True, kw_only=True):
    """The policies of the service."""

    policies: tuple[PolicyEntry, ...]


@published("policy-request")
class PolicyRequest(Closed, frozen=True, kw_only=True):
    """A policy to submit."""

    file: Annotated[Prose, Meta(min_length=1, max_length=65536, description="The text of the TOML file.")]
