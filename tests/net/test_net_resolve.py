"""The system's resolver, asked through a name server on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from waypost.net.resolve import Answer, SystemResolver

ZONE = {
    ("shop.test.", "A"): ["shop.test. 120 IN CNAME edge.test.", "edge.test. 60 IN A 192.0.2.1"],
    ("shop.test.", "AAAA"): ["shop.test. 120 IN CNAME edge.test.", "edge.test. 90 IN AAAA 2001:db8::1"],
    ("four.test.", "A"): ["four.test. 300 IN A 192.0.2.4"],
    ("four.test.", "AAAA"): [],
    ("empty.test.", "A"): [],
    ("empty.test.", "AAAA"): [],
    ("half.test.", "A"): ["half.test. 30 IN A 192.0.2.5"],
    ("empty.test.", "NS"): [],
    ("delegated.test.", "NS"): [
        "delegated.test. 300 IN NS NS2.dns.test.",
    ],
}
SILENT = {"silent.test.", "half.test."}
BROKEN = {"broken.test."}


def reply(wire: bytes) -> bytes | None:
    question = dns.message.from_wire(wire)
    name, kind = question.question[0].name.to_text(), dns.rdatatype.to_text(question.question[0].rdtype)
    answer = dns.message.make_response(question)
    answer.flags |= dns.flags.RA
    if (name, kind) in ZONE:
        answer.answer = [dns.rrset.from_text(*line.split(" ")) for line in ZONE[name, kind]]
    elif name in SILENT:
        return None
    else:
        answer.set_rcode(dns.rcode.SERVFAIL if name in BROKEN else dns.rcode.NXDOMAIN)
    return answer.to_wire()


@pytest.fixture(scope="module")
def resolver() -> Iterator[SystemResolver]:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            wire, sender = server.recvfrom(4096)
            if not wire:
                return
            answer = reply(wire)
            if answer:
                server.sendto(answer, sender)

    thread = threading.Thread(target=serve)
    thread.start()
    request_body = dns.asyncresolver.Resolver(configure=False)
    request_body.nameservers, request_body.port = ["127.0.0.1"], server.getsockname()[1]
    yield SystemResolver(request_body)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as farewell:
        farewell.sendto(b"", server.getsockname())
    thread.join()
    server.close()


def resolve(resolver: SystemResolver, host: str, within_s: float = 5) -> Answer:
    return asyncio.run(resolver.resolve(host, within_s=within_s))


def test_both_address_kinds_have_aliases_and_the_shortest_ttl(resolver: SystemResolver) -> None:
    assert resolve(resolver, "shop.test") == Answer("found", ("192.0.2.1", "2001:db8::1"), ("edge.test",), 60)


def test_one_kind_of_address_is_enough(resolver: SystemResolver) -> None:
    assert resolve(resolver, "four.test") == Answer("found", ("192.0.2.4",), (), 300)


def test_one_kind_is_enough_when_the_other_never_comes(resolver: SystemResolver) -> None:
    assert resolve(resolver, "half.test") == Answer("found", ("192.0.2.5",), (), 30)


@pytest.mark.parametrize(
    ("host", "outcome"),
    [
        ("nowhere.test", "no_such_name"),
        ("empty.test", "no_address"),
        ("silent.test", "timeout"),
        ("broken.test", "failed"),
        (f"{'a' * 64}.test", "failed"),
    ],
)
def test_a_name_without_addresses_has_a_reason(resolver: SystemResolver, host: str, outcome: str) -> None:
    assert resolve(resolver, host, 0.3).outcome == outcome


def test_name_servers_come_from_dns_or_stay_empty(resolver: SystemResolver) -> None:
    def servers(domain: str) -> tuple[str, ...]:
        return asyncio.run(resolver.name_servers(domain, within_s=0.3))

    assert servers("delegated.test") == ("ns2.dns.test",)
    assert [servers(domain) for domain in ("nowhere.test", "empty.test", "silent.test", "broken.test")] == [()] * 4


def test_localhost_is_never_requested() -> None:
    assert resolve(SystemResolver(), "api.localhost").addresses == ("127.0.0.1", "::1")
