"""Answers about the health of the service, signing keys, and pages fetched for a browser."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.wire.common import Closed, published


@published("health")
class Health(Closed, frozen=True, kw_only=True):
    """The process is running."""

    status: Literal["ok"]


@published("jwks", title="Signing keys")
class Jwks(Closed, frozen=True, kw_only=True):
    """The keys that sign receipts (RFC 7517)."""

    keys: tuple[Annotated[dict[str, Any], Meta(extra_json_schema={"required": ["kty", "kid"]})], ...]


@published("readiness")
class Readiness(Closed, frozen=True, kw_only=True):
    """The service can answer requests."""

    status: Literal["ready"]
    checks: dict[str, bool]
    versions: Annotated[
        dict[str, str],
        Meta(
            description="Versions for comparing replicas: of waypost, its registry of rules, its brands, the "
            "policy, the signing key; the installed release of the registry with its expiry; and with a database the "
            "files that the replicas share."
        ),
    ]
    clock_skew_ms: Annotated[
        int | None,
        Meta(
            description="Milliseconds by which the clock of this replica is ahead of the database's; "
            "negative where it is behind."
        ),
    ] = None


@published("page-request")
class PageRequest(Closed, frozen=True, kw_only=True):
    """The address of a page to fetch."""

    url: Annotated[
        str, Meta(min_length=1, max_length=8192, description="An absolute http or https URL of a public host.")
    ]


@published("page-answer")
class PageAnswer(Closed, frozen=True, kw_only=True):
    """The page at an address, as its server sent it."""

    url: Annotated[str, Meta(description="The address after redirects, without credentials and fragment.")]
    status: Annotated[int, Meta(ge=100, le=599, description="The HTTP status of the page.")]
    text: Annotated[str, Meta(description="The page, decoded by its encoding.")]
