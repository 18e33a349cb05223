"""Which addresses, names and ports may be connected to: a value that is passed along, never a switch.

`PUBLIC` is what everything uses. `ALLOW_PRIVATE` is what an operator asks for by name. Only tests make one
that knows loopback alone.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

import msgspec

from waypost.formats.ip_addresses import Address, Network, is_local_name, literal, not_public

_PRIVATE = (
    "127.0.0.0/8",
    "::1/128",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "100.64.0.0/10",
    "fc00::/7",
    "fe80::/10",
)
_EXACT = frozenset({"a metadata address", "an address with a zone"})


class AddressPolicy(msgspec.Struct, frozen=True):
    """Where a connection may go.

    allow         networks that are let through although they are not public
    local_names   whether `localhost`, `.local`, `.internal` and their like may be asked for
    ports         the ports that may be used; none means any
    named         (host, port) pairs that somebody named by hand: any port, and where the host says itself that it
                  is private (`localhost`, 10.0.0.1), that too. A name that only turns out to lead inside gains nothing.
    """

    allow: tuple[Network, ...] = ()
    local_names: bool = False
    ports: frozenset[int] | None = frozenset({80, 443})
    named: frozenset[tuple[str, int]] = frozenset()

    def towards(self, host: str, port: int) -> AddressPolicy:
        """What holds for one destination."""
        if (host, port) not in self.named:
            return self
        address = literal(host)
        says_so = is_local_name(host) if address is None else bool(not_public(address))
        return ALLOW_PRIVATE if says_so else msgspec.structs.replace(self, ports=None)

    def refusal(self, address: Address) -> str:
        """What speaks against an address, as a noun with its article; empty when it may be used.

        A metadata address, which answers with a machine's own keys, is let through by its exact network alone;
        so is an address with a zone.
        """
        kind = not_public(address)
        if not kind:
            return ""
        widest = address.max_prefixlen if kind in _EXACT else 0
        for network in self.allow:
            if network.version == address.version and network.prefixlen >= widest and address in network:
                return ""
        return kind

    def refuses_name(self, host: str) -> bool:
        """Whether a name may not even be asked for."""
        return not self.local_names and is_local_name(host)

    def refuses_port(self, port: int) -> bool:
        return self.ports is not None and port not in self.ports


def allowing(networks: Iterable[str], *, ports: frozenset[int] | None = None) -> AddressPolicy:
    """A policy that also lets these networks through, on any port unless some are named."""
    return AddressPolicy(allow=tuple(ipaddress.ip_network(each) for each in networks), ports=ports)


PUBLIC = AddressPolicy()
ALLOW_PRIVATE = AddressPolicy(
    allow=tuple(ipaddress.ip_network(each) for each in _PRIVATE), local_names=True, ports=None
)
