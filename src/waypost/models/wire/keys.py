"""Bodies and answers for API keys, the organization, limits, usage and the audit log."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from waypost.models.api_key import Environment, Label, Scope
from waypost.models.wire.common import UNIQUE, Closed, NextCursor, PlainText, Time, at_least_one, published


@published("key-request", also=at_least_one("scopes", "labels"))
class KeyRequest(Closed, frozen=True, kw_only=True):
    """A key to create. Its permissions are given by scopes, by labels, or both."""

    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=80,
            pattern=r"^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0][^\u0000-\u001f\u007f-\u009f]*$",
            description="What it is for, in words that the person who rotates it will understand.",
        ),
    ]
    scopes: Annotated[
        tuple[Scope, ...],
        Meta(min_length=1, description="What it may do. `keys`, `review` and `audit` are given only by name."),
        UNIQUE,
    ] = ()
    labels: Annotated[tuple[Label, ...], Meta(min_length=1, description="Sets of scopes."), UNIQUE] = ()
    environment: Annotated[
        Environment,
        Meta(description="`test` answers about named fixtures and never uses the network; `live` is the default."),
    ] = "live"
    expires_at: Annotated[
        Time | None, Meta(description="When it expires: in 365 days by default, in 730 days at most.")
    ] = None
    limits: (
        Annotated[
            dict[str, Annotated[int, Meta(ge=1, le=1000000000)]],
            Meta(
                max_length=16,
                description="Quotas of this key alone, by the name of the limit (GET /v1/limits); never above "
                "those of the key that creates it.",
            ),
        ]
        | None
    ) = None
    ip_allowlist: Annotated[
        tuple[Annotated[str, Meta(min_length=2, max_length=64, pattern=r"^[0-9A-Fa-f.:/]+$")], ...],
        Meta(min_length=1, max_length=32, description="IP addresses and networks it may be used from; any by default."),
    ] = ()


class OrganizationName(Closed, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The organization's id.")]
    name: Annotated[str, Meta(description="Its name.")]


@published("key")
class Key(Closed, frozen=True, kw_only=True):
    """A key as it is listed, without its text, which is not stored."""

    id: Annotated[str, Meta(description="The key's id.")]
    name: Annotated[str, Meta(description="What it is for.")]
    masked: Annotated[
        str,
        Meta(pattern=r"^wp_(live|test)_\.\.\.[0-9A-Za-z]{4}$", description="Its prefix and its last four characters."),
    ]
    environment: Annotated[
        Literal["Live", "Test"], Meta(description="`live`, or `test` for fixed answers about test hosts.")
    ]
    labels: Annotated[
        tuple[str, ...], Meta(description="The labels that its scopes make up; `Read 3/4` where one is missing.")
    ]
    scopes: Annotated[tuple[Scope, ...], Meta(description="What it may do.")]
    organization: Annotated[OrganizationName, Meta(description="The organization that it belongs to.")]
    created_at: Annotated[Time, Meta(description="When it was created.")]
    last_used_at: Annotated[
        Time | None, Meta(description="When it was last used, to the minute; absent for never.")
    ] = None
    expires_at: Annotated[Time, Meta(description="When it expires.")]
    revoked_at: Annotated[Time | None, Meta(description="When it was revoked.")] = None
    replaced_by: Annotated[str | None, Meta(description="The key that replaced it.")] = None
    ip_allowlist: Annotated[
        tuple[str, ...] | None, Meta(description="IP addresses and networks it may be used from.")
    ] = None
    limits: Annotated[dict[str, int] | None, Meta(description="Quotas of this key alone.")] = None


@published("made-key", title="New key")
class MadeKey(Key, frozen=True, kw_only=True):
    """A key with its text, shown this once: store it now."""

    key: (
        Annotated[
            str,
            Meta(
                pattern=r"^wp_(live|test)_[0-9A-Za-z]{38}$",
                description="The key itself. It is not shown again; a repeated answer omits it.",
            ),
        ]
        | None
    ) = None
    replayed: Annotated[
        bool | None,
        Meta(description="The request was made before, and the key was shown then.", extra_json_schema={"const": True}),
    ] = None


@published("key-list", title="Keys")
class KeyList(Closed, frozen=True, kw_only=True):
    """The organization's keys, newest first, including revoked and expired ones."""

    items: Annotated[tuple[Key, ...], Meta(description="The keys.")]
    next_cursor: NextCursor = None


@published("rotation-request")
class RotationRequest(Closed, frozen=True, kw_only=True):
    """How the old key is retired."""

    overlap_seconds: (
        Annotated[int, Meta(ge=0, le=604800, description="Seconds that the old key stays valid; 86400 by default.")]
        | None
    ) = None


@published("organization")
class Organization(Closed, frozen=True, kw_only=True):
    """The organization the key belongs to."""

    id: Annotated[str, Meta(description="Its id; receipts name it as their audience.")]
    name: Annotated[str, Meta(description="Its name.")]
    created_at: Annotated[Time, Meta(description="When it was created.")]


@published("freeze")
class Freeze(Closed, frozen=True, kw_only=True):
    """Whether the organization has frozen every sensitive action of its agents."""

    frozen: Annotated[bool, Meta(description="True: no sensitive action is allowed, and no earlier allow counts.")]
    since: Annotated[Time | None, Meta(description="When the freeze began.")] = None
    by: Annotated[str | None, Meta(description="Who started it.")] = None
    reason: Annotated[str | None, Meta(description="Why, in their words.")] = None
    end_requested_by: Annotated[str | None, Meta(description="Who requested its end; another person confirms.")] = None


@published("freeze-request")
class FreezeRequest(Closed, frozen=True, kw_only=True):
    """A reason to start or end a freeze."""

    reason: Annotated[PlainText, Meta(min_length=1, max_length=500, description="The reason, for the audit.")]


class LimitPolicy(Closed, frozen=True, kw_only=True):
    name: Annotated[str, Meta(description="The limit's name, also in problems of status 429.")]
    quota: Annotated[int, Meta(description="Maximum number of requests in a window.")]
    window_s: Annotated[
        int, Meta(description="Length of the window in seconds. A minute is any 60 seconds; a day is a day in UTC.")
    ]
    per: Annotated[Literal["key", "organization", "address"], Meta(description="Which requests are counted together.")]
    counts: Annotated[str, Meta(description="What is counted.")]
    endpoints: Annotated[tuple[str, ...], Meta(description="Where it is counted, as method and path.")]


@published("limits")
class Limits(Closed, frozen=True, kw_only=True):
    """Limits on requests."""

    policies: Annotated[tuple[LimitPolicy, ...], Meta(description="The limits on numbers of requests.")]
    body_bytes: Annotated[dict[str, int], Meta(description="Maximum size of a body in bytes, by method and path.")]
    depth: Annotated[int, Meta(description="Maximum nesting of objects and arrays in a body.")]
    nodes: Annotated[int, Meta(description="Maximum number of values in a body.")]


class QuotaUse(Closed, frozen=True, kw_only=True):
    name: Annotated[str, Meta(description="The limit, as in GET /v1/limits.")]
    quota: Annotated[int, Meta(description="Maximum number of requests in a window.")]
    window_s: Annotated[int, Meta(description="The window, in seconds.")]
    remaining: Annotated[int, Meta(description="Requests left now.")]
    reset_s: Annotated[int, Meta(description="Seconds until more requests are available.")]


class DayOfUse(Closed, frozen=True, kw_only=True):
    day: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$", description="The day, UTC.")]
    name: Annotated[str, Meta(description="The limit.")]
    used: Annotated[int, Meta(description="Requests that counted.")]


@published("usage")
class Usage(Closed, frozen=True, kw_only=True):
    """What is left of the key's quotas, and its usage by day."""

    policies: Annotated[tuple[QuotaUse, ...], Meta(description="The key's usage of each limit now.")]
    days: Annotated[
        tuple[DayOfUse, ...], Meta(description="Usage of the limits that count by day, for days with usage.")
    ]


class AuditEvent(Closed, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The event's id.")]
    sequence: Annotated[int, Meta(ge=1, description="Counts the organization's events from 1, without a gap.")]
    organization: Annotated[str, Meta(description="The organization that the event belongs to.")]
    at: Annotated[Time, Meta(description="When it happened.")]
    type: Annotated[str, Meta(description="The type of event, such as key.created.")]
    actor: Annotated[str, Meta(description="Who caused it.")]
    subject: Annotated[str, Meta(description="The id of the object that the event is about.")]
    details: Annotated[dict[str, str], Meta(description="Further facts; of a URL at most its host.")]
    prev_hash: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$", description="The hash of the event before it.")]
    hash: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$", description="Hash of this event.")]


@published("audit-list", title="Audit events")
class AuditList(Closed, frozen=True, kw_only=True):
    """Events about keys, relationships, disputes and sessions, oldest first. Each event's hash is the SHA-256 over
    `prev_hash` and its RFC 8785 JSON without `hash`; the first `prev_hash` is 64 zeros.
    """

    items: Annotated[tuple[AuditEvent, ...], Meta(description="The events.")]
    next_cursor: NextCursor = None
