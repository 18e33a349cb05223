"""Resolution of host names. A resolver is passed as an argument, so that tests can play a hostile one.

Only DNS is queried, by the machine's configuration: no hosts file, no search list, no cache.
"""

from __future__ import annotations

import asyncio
from typing import Literal, Protocol, runtime_checkable

import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver
import msgspec

from waypost.formats.ip_addresses import literal

Outcome = Literal["found", "no_such_name", "no_address", "timeout", "failed"]
MOST_ADDRESSES = 64
"""Most addresses of an answer; further ones are dropped, and those left are all checked."""

MOST_NAME_SERVERS = 16
_OTHER_S = 0.3
_ONE_TRY_S = 0.6
"""Seconds for a packet to a name server: after that it is sent again, and a dead server is skipped."""


class Answer(msgspec.Struct, frozen=True):
    """Answer of a resolver for a name.

    addresses   as strings, IPv4 first; empty unless `outcome` is `found`
    aliases     names of the CNAME chain, without trailing dots
    ttl_s       lifetime of the answer in seconds; 0 when unknown
    """

    outcome: Outcome
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    ttl_s: int = 0


class Resolver(Protocol):
    async def resolve(self, host: str, *, within_s: float) -> Answer:
        """Addresses of a name in A-labels without a trailing dot. Never raises for a failure of the network."""
        ...


@runtime_checkable
class DelegationResolver(Protocol):
    async def name_servers(self, domain: str, *, within_s: float) -> tuple[str, ...]:
        """Name servers of a domain in A-labels, sorted; empty for a failure of the network."""
        ...


class SystemResolver:
    """Resolver with the name servers of this machine's configuration, or given ones."""

    def __init__(self, servers: dns.asyncresolver.Resolver | None = None) -> None:
        self._servers = servers

    async def resolve(self, host: str, *, within_s: float) -> Answer:
        if host == "localhost" or host.endswith(".localhost"):
            # RFC 6761, 6.3: these never go to a name server.
            return Answer("found", ("127.0.0.1", "::1"))
        answers = await self._both(host, within_s)
        found = [answer for answer in answers if answer.outcome == "found"]
        if not found:
            # Of two failures the one that says most: NXDOMAIN is about the name, whatever record was requested.
            return min(answers, key=lambda answer: _WEIGHT[answer.outcome])
        # All addresses of both kinds, since each is checked before any is connected to.
        addresses = tuple(address for answer in found for address in answer.addresses)
        return Answer(
            "found",
            addresses[:MOST_ADDRESSES],
            max((answer.aliases for answer in found), key=len),
            # Evidence lasts no longer than its shortest-lived part.
            min(answer.ttl_s for answer in found),
        )

    async def name_servers(self, domain: str, *, within_s: float) -> tuple[str, ...]:
        try:
            answer = await self._configured().resolve(
                dns.name.from_text(f"{domain}."), "NS", raise_on_no_answer=False, lifetime=within_s
            )
        except (dns.exception.DNSException, OSError):
            return ()
        names = {str(record.target.to_text(omit_final_dot=True)).lower() for record in answer.rrset or ()}
        return tuple(sorted(names)[:MOST_NAME_SERVERS])

    async def _both(self, host: str, within_s: float) -> list[Answer]:
        """Answers for IPv4 and IPv6. After the first success the second is awaited for a moment only."""
        tasks = {asyncio.create_task(self._query(host, kind, within_s)): kind for kind in ("A", "AAAA")}
        waiting = set(tasks)
        try:
            # A server that drops AAAA queries would otherwise cost its whole timeout on each destination.
            done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if waiting:
                has_some = any(task.result().outcome == "found" for task in done)
                _, waiting = await asyncio.wait(waiting, timeout=_OTHER_S if has_some else None)
        finally:
            for task in waiting:
                task.cancel()
        return [Answer("timeout") if task in waiting else task.result() for task in tasks]

    async def _query(self, host: str, kind: str, within_s: float) -> Answer:
        try:
            # The dot at the end makes the name absolute: no search list is applied.
            name = dns.name.from_text(f"{host}.")
            answer = await self._configured().resolve(name, kind, raise_on_no_answer=False, lifetime=within_s)
        except dns.resolver.NXDOMAIN:
            return Answer("no_such_name")
        except dns.exception.Timeout:
            return Answer("timeout")
        except (dns.exception.DNSException, OSError):
            return Answer("failed")
        return _read(answer)

    def _configured(self) -> dns.asyncresolver.Resolver:
        if self._servers is None:
            self._servers = dns.asyncresolver.Resolver()
            self._servers.timeout = _ONE_TRY_S
        return self._servers


_WEIGHT: dict[Outcome, int] = {"no_such_name": 0, "timeout": 1, "failed": 2, "no_address": 3, "found": 4}
"""Rank of unsuccessful answers, the lowest is reported: NXDOMAIN first, then failures, which may hide an address."""


def _read(answer: dns.resolver.Answer) -> Answer:
    if answer.rrset is None:
        return Answer("no_address")
    chain = answer.chaining_result
    aliases = tuple(record.target.to_text(omit_final_dot=True).lower() for cname in chain.cnames for record in cname)
    return Answer(
        "found",
        tuple(record.address for record in answer.rrset),
        aliases,
        int(chain.minimum_ttl),
    )


def literal_answer(host: str) -> Answer | None:
    """Answer for a host that is an address; None for a name."""
    address = literal(host)
    return Answer("found", (str(address),)) if address is not None else None
