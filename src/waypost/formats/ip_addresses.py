"""IP addresses: those outside the public internet, and networks of a customer. Pure functions, without network access.

The table replaces `is_global` of the standard library, which differs between versions and counts multicast,
IPv4 inside IPv6 and a cloud's metadata address as global. Sources: the IANA special-purpose
address registries (RFC 6890 and its updates), read 2026-11-20, and the clouds' own pages for metadata.
"""

from __future__ import annotations

import ipaddress
from functools import cache, lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "a metadata address",
        (
            "169.254.169.254/32",
            "169.254.170.2/32",
            "169.254.170.23/32",
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.192/32",
            "fd00:ec2::254/128",
            "fd00:ec2::23/128",
            "fd20:ce::254/128",
        ),
    ),
    ("a loopback address", ("127.0.0.0/8", "::1/128")),
    ("an unspecified address", ("0.0.0.0/8", "::/128")),
    ("a private address", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10")),
    ("a link-local address", ("169.254.0.0/16", "fe80::/10")),
    ("an address shared behind a carrier", ("100.64.0.0/10",)),
    ("a multicast address", ("224.0.0.0/4", "ff00::/8")),
    (
        "a documentation address",
        ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    ),
    ("an address for measurements", ("198.18.0.0/15", "2001:2::/48")),
    ("a discard address", ("100::/64", "100:0:0:1::/64")),
    ("an IPv4 address inside IPv6", ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96")),
    ("a NAT64 address", ("64:ff9b::/96", "64:ff9b:1::/48")),
    ("a 6to4 address", ("2002::/16", "192.88.99.0/24")),
    ("a Teredo address", ("2001::/32",)),
    (
        "a reserved address",
        (
            *("192.0.0.0/24", "240.0.0.0/4", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24"),
            *("2001::/23", "2620:4f:8000::/48"),
        ),
    ),
)
_LOCAL_NAMES = (".localhost", ".localdomain", ".local", ".internal", ".home.arpa")
"""Ends of names with another meaning on every network: RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal` (2024)."""


def literal(host: str) -> Address | None:
    """IP address in a URL's host, with or without brackets; None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_local(host: str) -> bool:
    """Whether a host of a URL is visibly not on the public internet: an address or a name of a private network."""
    address = literal(host)
    return is_local_name(host) if address is None else bool(not_public(address))


def is_loopback(host: str) -> bool:
    """Whether a host of a URL is this machine: `localhost`, 127.0.0.1, [::1]."""
    address = literal(host)
    if address is None:
        return host.rstrip(".").lower() == "localhost"
    return address.is_loopback


@cache
def _table() -> tuple[tuple[Network, str], ...]:
    return tuple((ipaddress.ip_network(network), kind) for kind, networks in _KINDS for network in networks)


def not_public(address: Address) -> str:
    """Reason why an address is outside the public internet, as a noun with its article; empty if public.

    Transition addresses (mapped, NAT64, 6to4, Teredo) are never public: a router on the
    way may turn them into any IPv4 address. An IPv6 address is public only inside 2000::/3.
    """
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
        return "an address with a zone"
    for network, kind in _table():
        if address.version == network.version and address in network:
            return kind
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_UNICAST:
        return "a reserved address"
    return "" if address.is_global else "a reserved address"


def is_local_name(host: str) -> bool:
    """Whether a name belongs to the local machine or network: `localhost`, `.local`, `.internal` and similar."""
    return f".{host.rstrip('.').lower()}".endswith(_LOCAL_NAMES)


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Network of the customer behind an address: an IPv4 address, or the /64 of an IPv6 address.

    A customer gets at least a /64, so single IPv6 addresses would be no limit.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(found) >> 64 << 64))
