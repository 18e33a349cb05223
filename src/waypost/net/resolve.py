"""From a host name to addresses. A resolver is an argument, so tests answer what a hostile one would.

Only DNS is asked, by the machine's own configuration: no hosts file, no search list, no cache of ours.
"""

from __future__ import annotations

import asyncio
from typing import Literal, Protocol

import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver
import msgspec

from waypost.formats.ip_addresses import literal

Outcome = Literal["found", "no_such_name", "no_address", "timeout", "failed"]
MOST_ADDRESSES = 64
"""An answer with more is cut there; all that is kept is judged."""

_OTHER_S = 0.3
_ONE_TRY_S = 0.6
"""Seconds for one packet to one name server: a lost one is sent again, a dead server passed over."""


class Answer(msgspec.Struct, frozen=True):
    """What a resolver said about a name.

    addresses   as text, IPv4 first; empty unless `outcome` is `found`
    aliases     the names that CNAME records led over, without trailing dots
    ttl_s       how long the answer may be kept, in seconds; 0 when unknown
    """

    outcome: Outcome
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    ttl_s: int = 0


class Resolver(Protocol):
    async def resolve(self, host: str, *, within_s: float) -> Answer:
        """All addresses of a name given as A-labels without a trailing dot. Never raises for what the network does."""
        ...


class SystemResolver:
    """The name servers that this machine is configured with, or those given."""

    def __init__(self, servers: dns.asyncresolver.Resolver | None = None) -> None:
        self._servers = servers

    async def resolve(self, host: str, *, within_s: float) -> Answer:
        if host == "localhost" or host.endswith(".localhost"):
            # RFC 6761, 6.3: these never go to a name server.
            return Answer("found", ("127.0.0.1", "::1"))
        answers = await self._both(host, within_s)
        found = [each for each in answers if each.outcome == "found"]
        if not found:
            return min(answers, key=lambda each: _WEIGHT[each.outcome])
        addresses = tuple(address for each in found for address in each.addresses)
        return Answer(
            "found",
            addresses[:MOST_ADDRESSES],
            max((each.aliases for each in found), key=len),
            min(each.ttl_s for each in found),
        )

    async def _both(self, host: str, within_s: float) -> list[Answer]:
        """What came of asking for both kinds of address; once there is one, the other is not waited for long."""
        asked = {asyncio.create_task(self._ask(host, kind, within_s)): kind for kind in ("A", "AAAA")}
        waiting = set(asked)
        try:
            came, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            if waiting:
                has_some = any(each.result().outcome == "found" for each in came)
                _, waiting = await asyncio.wait(waiting, timeout=_OTHER_S if has_some else None)
        finally:
            for each in waiting:
                each.cancel()
        return [Answer("timeout") if each in waiting else each.result() for each in asked]

    async def _ask(self, host: str, kind: str, within_s: float) -> Answer:
        try:
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
"""Which of two fruitless answers says more: a name server that failed may be hiding an address."""


def _read(answer: dns.resolver.Answer) -> Answer:
    if answer.rrset is None:
        return Answer("no_address")
    chain = answer.chaining_result
    aliases = tuple(record.target.to_text(omit_final_dot=True).lower() for each in chain.cnames for record in each)
    return Answer(
        "found",
        tuple(record.address for record in answer.rrset),
        aliases,
        int(chain.minimum_ttl),
    )


def literal_answer(host: str) -> Answer | None:
    """The answer for a host that is an address already, none for a name."""
    address = literal(host)
    return Answer("found", (str(address),)) if address is not None else None
