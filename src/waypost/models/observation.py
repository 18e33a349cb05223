"""Network observations of a destination: hosts, times and codes; never a path, a query or credentials.

Every time is in milliseconds since 1970, UTC.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from waypost.models.decision import Evidence, Unknown

Status = Literal["observed", "not_observed", "not_attempted", "failed"]
"""`not_observed`: the probe ran and found nothing. `failed`: the probe could not run. Only `observed` is evidence."""
CertificateError = Literal[
    "name_mismatch", "expired", "not_yet_valid", "self_signed", "untrusted_issuer", "revoked", "invalid"
]


class Hop(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Hop of a redirect chain.

    host    as on the wire: lower case, A-labels, no brackets, no trailing dot
    status  HTTP status of the host's answer, 0 without a request or an answer
    error   reason why the chain ends here, as a word: `reason` of `FetchDenied` or `FetchFailed`; empty otherwise
    """

    scheme: str
    host: str
    port: int
    status: int = 0
    error: str = msgspec.field(default="", name="fault")


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one network probe.

    reason       why the status is not `observed`, as a word; empty otherwise
    unknowns     codes for the decision: facts that the probe could not establish
    observed_at  time of the probe
    valid_until  time from which the probe should be repeated
    """

    status: Status
    reason: str = ""
    unknowns: tuple[Unknown, ...] = ()
    observed_at: int
    valid_until: int


class DnsObservation(Observation, frozen=True, kw_only=True):
    """Addresses of a host name. `not_public`: an address outside the public internet, so no connection was made.

    aliases       names of the CNAME chain
    ttl_s         lifetime of the answer in seconds
    name_servers  name servers of the registrable domain, in lower case, sorted; empty when not known
    """

    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    ttl_s: int = 0
    not_public: bool = False
    name_servers: tuple[str, ...] = ()


class TlsObservation(Observation, frozen=True, kw_only=True):
    """Certificate of the host. `valid`: trusted issuer, right name, right time.

    not_before  start of a valid certificate: the certificate's age, not the site's
    not_after   end of a valid certificate
    error       defect of an invalid certificate
    issuer      organization that issued a valid certificate, or its common name
    organization  organization that a valid certificate was issued to, where the certificate names one
    organization_id  identifier of the organization in a register, by ETSI EN 319 412-1: `NTRGB-12345678`
    """

    valid: bool = False
    error: CertificateError | None = msgspec.field(default=None, name="fault")
    not_before: int | None = None
    not_after: int | None = None
    issuer: str = ""
    organization: str = ""
    organization_id: str = ""


class HttpObservation(Observation, frozen=True, kw_only=True):
    """HTTP answer after redirects.

    hops        hosts of the redirect chain, the destination first; only the last may have an `error`
    answer      final HTTP status, 0 without an answer
    media_type  Content-Type as sent
    body        first 256 kB of a 2xx answer; never logged
    truncated   the body was longer
    """

    hops: tuple[Hop, ...] = ()
    answer: int = 0
    media_type: str | None = None
    body: bytes = b""
    truncated: bool = False

    def __repr__(self) -> str:
        # Without the body: an observation may end up in a log or a traceback.
        size = f"body={len(self.body)} bytes"
        return f"HttpObservation(status={self.status!r}, answer={self.answer}, hops={self.hops!r}, {size})"


class RegistrationObservation(Observation, frozen=True, kw_only=True):
    """Registration data (RDAP) of the registrable domain.

    server         host of the RDAP server, empty without a request
    registered_at  time of registration; None when the registry leaves the time out
    expires_at     end of the registration
    states         in the registry's words: "active", "client hold", "pending delete"
    registrar      name of the registrar
    name_servers   names in lower case, sorted
    """

    server: str = ""
    registered_at: int | None = None
    expires_at: int | None = None
    states: tuple[str, ...] = ()
    registrar: str = ""
    name_servers: tuple[str, ...] = ()


class Observations(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """Results of all probes of one destination. `observed_at` is the start of the first."""

    host: str
    observed_at: int
    dns: DnsObservation
    tls: TlsObservation
    http: HttpObservation
    registration: RegistrationObservation

    @property
    def parts(self) -> tuple[Observation, ...]:
        return self.dns, self.tls, self.http, self.registration

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """Unknowns of all probes without repeats, in the order of `parts`."""
        return tuple(dict.fromkeys(unknown for part in self.parts for unknown in part.unknowns))


class StoredSignal(NamedTuple):
    """Signal against a destination, in a service's memory.

    subject   (scheme, host, port) of the destination, or (domain,) for registration data
    evidence  None: observed to be gone
    """

    subject: tuple[str, ...]
    name: str
    evidence: Evidence | None
