"""Which addresses and names count as public."""

from __future__ import annotations

import ipaddress

import pytest

from waypost.formats.ip_addresses import is_local_name, literal, not_public
from waypost.net.address import ALLOW_PRIVATE, PUBLIC, AddressPolicy

PUBLIC_ADDRESSES = ["93.184.215.14", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1111"]
KINDS = {
    "127.255.255.254": "a loopback address",
    "0.1.2.3": "an unspecified address",
    "172.31.255.255": "a private address",
    "100.127.255.255": "an address shared behind a carrier",
    "192.0.0.170": "a reserved address",
    "192.0.0.192": "a metadata address",
    "168.63.129.16": "a metadata address",
    "100.100.100.200": "a metadata address",
    "192.88.99.1": "a 6to4 address",
    "198.19.255.255": "an address for measurements",
    "203.0.113.9": "a documentation address",
    "239.1.2.3": "a multicast address",
    "240.0.0.1": "a reserved address",
    "::": "an unspecified address",
    "::7f00:1": "an IPv4 address inside IPv6",
    "::ffff:808:808": "an IPv4 address inside IPv6",
    "64:ff9b::808:808": "a NAT64 address",
    "64:ff9b:1:ffff::1": "a NAT64 address",
    "2002:808:808::1": "a 6to4 address",
    "2620:4f:8000::1": "a reserved address",
    "2001::1": "a Teredo address",
    "2001:20::1": "a reserved address",
    "3fff:fff::1": "a documentation address",
    "fec0::1": "a private address",
    "fd00:ec2::254": "a metadata address",
    "ff0e::1": "a multicast address",
    "4000::1": "a reserved address",
    "2606:4700::1111%eth0": "an address with a zone",
}


@pytest.mark.parametrize("text", PUBLIC_ADDRESSES)
def test_an_address_of_the_public_internet_may_be_used(text: str) -> None:
    assert PUBLIC.refusal(ipaddress.ip_address(text)) == ""


@pytest.mark.parametrize("text", KINDS)
def test_any_other_address_is_rejected_with_its_kind(text: str) -> None:
    assert PUBLIC.refusal(ipaddress.ip_address(text)) == KINDS[text]


def test_no_address_that_the_standard_library_rejects_passes() -> None:
    for network in ("0.0.0.0/0", "::/0", "2000::/3"):
        for part in ipaddress.ip_network(network).subnets(prefixlen_diff=10):
            address = part[1]
            assert address.is_global or not_public(address), address


@pytest.mark.parametrize("text", ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd12::1", "169.254.3.4"])
def test_private_addresses_are_used_on_request(text: str) -> None:
    assert ALLOW_PRIVATE.refusal(ipaddress.ip_address(text)) == ""


@pytest.mark.parametrize(
    "text", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "fe80::1%eth0", "::ffff:127.0.0.1", "224.0.0.1"]
)
def test_metadata_and_disguised_addresses_are_not_used_even_then(text: str) -> None:
    assert ALLOW_PRIVATE.refusal(ipaddress.ip_address(text))


def test_a_policy_that_knows_one_address_knows_no_other() -> None:
    policy = AddressPolicy(allow=(ipaddress.ip_network("127.0.0.1"),))

    assert policy.refusal(ipaddress.ip_address("127.0.0.1")) == ""
    assert policy.refusal(ipaddress.ip_address("127.0.0.2")) == "a loopback address"


@pytest.mark.parametrize(
    ("name", "local"),
    [
        ("localhost", True),
        ("LocalHost.", True),
        ("a.b.localhost", True),
        ("printer.local", True),
        ("metadata.google.internal", True),
        ("nas.home.arpa", True),
        ("localhost.example.com", False),
        ("notlocalhost", False),
        ("internal.example.com", False),
        ("local.test", False),
    ],
)
def test_names_of_the_local_network_are_known(name: str, local: bool) -> None:
    assert is_local_name(name) is local


def test_an_address_with_or_without_brackets_is_a_host() -> None:
    assert literal("[::1]") == literal("::1") == ipaddress.ip_address("::1")
    assert literal("example.com") is None
