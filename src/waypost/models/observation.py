"""What the network showed of a destination. Hosts, times and codes; never a path, a query or credentials.

Every time is in milliseconds since 1970, UTC.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from waypost.models.decision import Unknown

Status = Literal["observed", "not_observed", "not_attempted", "failed"]
"""`not_observed`: we looked and there is none. `failed`: we could not look. Only `observed` is evidence."""
CertificateError = Literal[
    "name_mismatch", "expired", "not_yet_valid", "self_signed", "untrusted_issuer", "revoked", "invalid"
]


class Hop(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One station on the way to an answer.

    host    as on the wire: lower case, A-labels, no brackets, no trailing dot
    status  the HTTP status it answered with, 0 when it was not asked or did not answer
    fault   why the way ends here, as a word: the `reason` of a refusal or failure; empty when it does not
    """

    scheme: str
    host: str
    port: int
    status: int = 0
    fault: str = ""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One look at one thing.

    reason       why it is not `observed`, as a word; empty when it is
    unknowns     what remains unknown after it, as the decision names it
    observed_at  when we looked
    valid_until  when it should be looked at again
    """

    status: Status
    reason: str = ""
    unknowns: tuple[Unknown, ...] = ()
    observed_at: int
    valid_until: int


class DnsSeen(Seen, frozen=True, kw_only=True):
    """The name's addresses. `not_public` says that one of them is not of the public internet: nothing was connected.

    aliases  the names that CNAME records lead over
    ttl_s    how long the answer may be kept, in seconds
    """

    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    ttl_s: int = 0
    not_public: bool = False


class TlsSeen(Seen, frozen=True, kw_only=True):
    """The certificate shown for the host. `valid`: a trusted issuer, the right name, the right time.

    not_before  when a valid one begins: its age, not the site's
    not_after   when a valid one ends
    fault       what is wrong with one that is not valid
    """

    valid: bool = False
    fault: CertificateError | None = None
    not_before: int | None = None
    not_after: int | None = None


class HttpSeen(Seen, frozen=True, kw_only=True):
    """What the host answered, redirects followed.

    hops        every host on the way, the destination first; the last one may bear a fault
    answer      the HTTP status at the end, 0 without an answer
    media_type  the Content-Type as sent
    body        the first 256 kB of a 2xx answer; not for a log
    truncated   there was more
    """

    hops: tuple[Hop, ...] = ()
    answer: int = 0
    media_type: str | None = None
    body: bytes = b""
    truncated: bool = False

    def __repr__(self) -> str:
        return (
            f"HttpSeen(status={self.status!r}, answer={self.answer}, hops={self.hops!r}, body={len(self.body)} bytes)"
        )


class RegistrationSeen(Seen, frozen=True, kw_only=True):
    """What the registry says of the registrable domain.

    server         the host that was asked, empty when none was
    registered_at  when it was registered; none when the registry does not say
    expires_at     when the registration ends
    states         as the registry names them: "active", "client hold", "pending delete"
    """

    server: str = ""
    registered_at: int | None = None
    expires_at: int | None = None
    states: tuple[str, ...] = ()


class Observations(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one look at a destination showed, and when it began."""

    host: str
    observed_at: int
    dns: DnsSeen
    tls: TlsSeen
    http: HttpSeen
    registration: RegistrationSeen

    @property
    def parts(self) -> tuple[Seen, ...]:
        return self.dns, self.tls, self.http, self.registration

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What remains unknown, each named once, in the order of the parts."""
        return tuple(dict.fromkeys(each for part in self.parts for each in part.unknowns))
