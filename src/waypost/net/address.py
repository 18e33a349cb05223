"""Policies for addresses, names and ports of connections. A policy is passed as a value, never a global switch.

`PUBLIC` is the default; an operator requests `ALLOW_PRIVATE` by name. Only tests make a policy for loopback alone.
"""

from __future__ import annotations

import ipaddress

import msgspec

from waypost.formats.ip_addresses import Address, Network, is_local, is_local_name, not_public

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
    """Policy for the destination of a connection.

    allow         allowed networks that are not public
    local_names   whether `localhost`, `.local`, `.internal` and similar names may be resolved
    ports         allowed ports; None for any
    named         (host, port) pairs given by the user: any port, and private addresses for visibly private hosts
                  (`localhost`, 10.0.0.1). A public name that resolves to a private address is denied.
    """

    allow: tuple[Network, ...] = ()
    local_names: bool = False
    ports: frozenset[int] | None = frozenset({80, 443})
    named: frozenset[tuple[str, int]] = frozenset()

    def towards(self, host: str, port: int) -> AddressPolicy:
        """Policy for a destination."""
        # A name typed by the user may lead into their own network; one found in a page, a list or a redirect may not.
        if (host, port) not in self.named:
            return self
        return ALLOW_PRIVATE if is_local(host) else msgspec.structs.replace(self, ports=None)

    def refusal(self, address: Address) -> str:
        """Kind of a denied address, a noun with its article; empty for an allowed one.

        A metadata address, which serves credentials of the machine, is allowed only by a network of exactly this
        address; so is an address with a zone.
        """
        kind = not_public(address)
        if not kind:
            return ""
        # 169.254.0.0/16 in `allow` must not open 169.254.169.254, where clouds serve credentials.
        widest = address.max_prefixlen if kind in _EXACT else 0
        for network in self.allow:
            if network.version == address.version and network.prefixlen >= widest and address in network:
                return ""
        return kind

    def denies_name(self, host: str) -> bool:
        """Whether a name must not be resolved."""
        return not self.local_names and is_local_name(host)

    def denies_port(self, port: int) -> bool:
        return self.ports is not None and port not in self.ports


PUBLIC = AddressPolicy()
ALLOW_PRIVATE = AddressPolicy(
    allow=tuple(ipaddress.ip_network(network) for network in _PRIVATE), local_names=True, ports=None
)
