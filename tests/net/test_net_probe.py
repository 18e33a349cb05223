"""`look` against a hostile world on loopback: what is seen, what is not, and that both are said."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import msgspec
import pytest

from waypost.errors import RegistryError
from waypost.models.observation import Observations
from waypost.net.address import PUBLIC, AddressPolicy
from waypost.net.probe import probe_async
from waypost.net.rdap import read_bootstrap, server_for, shipped_registries
from waypost.net.resolve import Answer

NOW = 1_795_000_000_000
CERTIFIED = 1_767_225_600_000
"""2026-01-01, when the certificate of the tests begins."""
REGISTERED = {
    "objectClassName": "domain",
    "ldhName": "SHOP.TEST",
    "status": ["active", "client transfer prohibited"],
    "events": [
        {"eventAction": "last changed", "eventDate": "2026-01-01T00:00:00Z"},
        {"eventAction": "registration", "eventDate": "2020-02-03T04:05:06Z"},
        {"eventAction": "expiration", "eventDate": "2030-02-03T04:05:06.5+00:00"},
    ],
}


def registry(world: Any, document: object, status: str = "200 OK") -> dict[str, str]:
    body = document if isinstance(document, bytes) else msgspec.json.encode(document)
    head = f"HTTP/1.1 {status}\nContent-Type: application/rdap+json\nContent-Length: {len(body)}"
    server = world.server(world.replies(head, body), "good")
    return {"test": f"https://pay.shop.test:{server.port}/"}


def observed(world: Any, host: str = "shop.test", *, names: Any = None, **how: Any) -> Observations:
    names = names or world.Names(shop_test=[world.HERE], pay_shop_test=[world.HERE])
    how = {"policy": world.policy, "trust": world.trust, "registries": {}, "within_s": 8, "now": lambda: NOW} | how
    return asyncio.run(probe_async(host, resolver=names, **how))


def test_what_there_is_to_see_is_seen_at_once(world: Any) -> None:
    server = world.server(world.page(b"<p>welcome"), "good")

    seen = observed(world, port=server.port, registrable="shop.test", registries=registry(world, REGISTERED))

    assert [part.status for part in seen.parts] == ["observed"] * 4
    assert seen.unknowns == ()
    assert (seen.dns.addresses, seen.dns.ttl_s, seen.dns.valid_until) == ((world.HERE,), 300, NOW + 300_000)
    assert (seen.tls.valid, seen.tls.not_before) == (True, CERTIFIED)
    assert (seen.http.answer, seen.http.body, seen.http.hops[0].host) == (200, b"<p>welcome", "shop.test")
    assert seen.registration.registered_at == 1_580_702_706_000
    assert seen.registration.expires_at == 1_896_321_906_500
    assert seen.registration.states == ("active", "client transfer prohibited")


def test_the_name_servers_of_the_registered_domain_are_requested(world: Any) -> None:
    server = world.server(world.page(b""), "good")
    names = world.Names(shop_test=[world.HERE])
    names.servers = ("ns1.dns.test", "ns2.dns.test")

    assert observed(world, port=server.port, names=names, registrable="shop.test").dns.name_servers == names.servers
    assert observed(world, port=server.port, names=names).dns.name_servers == (), "a tenant's name is no registered one"


class NeverDelegating:
    """Answers for hosts, and never for name servers."""

    def __init__(self, names: Any) -> None:
        self.resolve = names.resolve

    async def name_servers(self, domain: str, *, within_s: float) -> tuple[str, ...]:
        await asyncio.sleep(3600)
        raise AssertionError


def test_no_answer_waits_for_name_servers_that_never_come(world: Any) -> None:
    server = world.server(world.page(b"<p>welcome"), "good")
    names = NeverDelegating(world.Names(shop_test=[world.HERE]))

    seen = observed(world, port=server.port, names=names, registrable="shop.test")

    assert (seen.dns.name_servers, seen.http.body) == ((), b"<p>welcome")


def test_only_the_front_page_is_requested(world: Any) -> None:
    server = world.server(world.page(b""), "good")

    observed(world, port=server.port)

    assert [request.split(b"\r\n")[0] for request in server.requests] == [b"GET / HTTP/1.1"]


def test_caller_who_opts_in_has_the_full_address_requested(world: Any) -> None:
    server = world.server(world.page(b""), "good")

    observed(world, port=server.port, target="/pay?order=1")

    assert server.requests[0].startswith(b"GET /pay?order=1 HTTP/1.1")


@pytest.mark.parametrize(
    ("answer", "status", "unknown"),
    [
        (Answer("no_such_name"), "not_observed", "dns_not_resolved"),
        (Answer("no_address"), "not_observed", "dns_not_resolved"),
        (Answer("found"), "not_observed", "dns_not_resolved"),
        (Answer("failed"), "failed", "dns_not_resolved"),
        (Answer("timeout"), "failed", "dns_timeout"),
    ],
)
def test_a_name_without_an_address_leaves_the_rest_unknown(
    world: Any, answer: Answer, status: str, unknown: str
) -> None:
    seen = observed(world, names=world.Names(shop_test=[answer]))

    assert (seen.dns.status, seen.tls.status, seen.http.status) == (status, "not_attempted", "failed")
    assert seen.unknowns == (
        unknown,
        "tls_not_checked",
        "certificate_history_unavailable",
        "http_not_fetched",
        "registration_age_unavailable",
    )


@pytest.mark.parametrize(
    ("certificate", "host", "problem"),
    [
        ("good", "other.test", "name_mismatch"),
        ("expired", "shop.test", "expired"),
        ("self-signed", "shop.test", "self_signed"),
    ],
)
def test_certificate_that_does_not_hold_is_itself_an_observation(
    world: Any, certificate: str, host: str, problem: str
) -> None:
    server = world.server(world.page(b"unsafe"), certificate)

    seen = observed(world, host, port=server.port, names=world.Names(shop_test=[world.HERE], other_test=[world.HERE]))

    assert (seen.tls.status, seen.tls.valid, seen.tls.error) == ("observed", False, problem)
    assert seen.http.status == "failed"
    assert "http_not_fetched" in seen.unknowns
    assert server.requests == []


def test_a_certificate_of_an_unknown_issuer_is_invalid(world: Any) -> None:
    import ssl

    server = world.server(world.page(b"unsafe"), "good")

    seen = observed(world, port=server.port, trust=ssl.create_default_context())

    assert (seen.tls.valid, seen.tls.error) == (False, "untrusted_issuer")


def test_a_server_without_tls_is_a_handshake_that_failed(world: Any) -> None:
    server = world.server(world.replies("220 mail ready"), greets=True)

    seen = observed(world, port=server.port)

    assert (seen.tls.status, seen.tls.reason) == ("failed", "tls_failed")
    assert "tls_handshake_failed" in seen.unknowns


def test_a_plain_http_destination_has_no_certificate_to_check(world: Any) -> None:
    server = world.server(world.page(b"plain"))

    seen = observed(world, scheme="http", port=server.port)

    assert (seen.http.answer, seen.tls.status, seen.tls.reason) == (200, "not_attempted", "not_secure")
    assert "tls_not_checked" in seen.unknowns


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"])
def test_an_address_that_is_not_public_is_never_requested(world: Any, host: str) -> None:
    sink = world.server(world.page(b"inside"))

    seen = observed(world, host, scheme="http", port=sink.port, policy=AddressPolicy(ports=None))

    assert (seen.dns.not_public, seen.http.status, seen.http.reason) == (True, "not_attempted", "non_public_address")
    assert (sink.connections, world.connected_to) == (0, set())


@pytest.mark.parametrize("host", ["localhost", "printer.local", "db.internal"])
def test_name_of_the_local_network_is_never_even_resolved(world: Any, host: str) -> None:
    names = world.Names()

    seen = observed(world, host, names=names, policy=PUBLIC)

    assert (seen.dns.status, seen.dns.not_public, names.queries) == ("not_attempted", True, [])
    assert world.connected_to == set()


def test_name_that_points_inside_is_neither_connected_nor_revealed(world: Any) -> None:
    sink = world.server(world.page(b"inside"))
    names = world.Names(shop_test=["93.184.215.14 10.11.12.13"])

    seen = observed(world, scheme="http", port=sink.port, names=names, policy=AddressPolicy(ports=None))

    assert (seen.dns.status, seen.dns.not_public) == ("observed", True)
    assert world.connected_to == set()
    assert "10.11.12.13" not in repr(seen)


def test_a_port_outside_the_web_is_not_connected_to(world: Any) -> None:
    sink = world.server(world.page(b"mail"))

    seen = observed(world, scheme="http", port=sink.port, policy=PUBLIC)

    assert seen.http.reason == "port_not_allowed"
    assert world.connected_to == set()


def test_redirects_are_followed_by_host_to_a_reported_end(world: Any) -> None:
    last = world.server(world.page(b"<p>elsewhere"))
    first = world.server(world.sends_to(f"http://other.test:{last.port}/welcome?from=shop"))

    seen = observed(
        world, scheme="http", port=first.port, names=world.Names(shop_test=[world.HERE], other_test=[world.HERE])
    )

    assert [(hop.host, hop.status) for hop in seen.http.hops] == [("shop.test", 302), ("other.test", 200)]
    assert seen.http.body == b"<p>elsewhere"


@pytest.mark.parametrize(
    ("location", "problem"),
    [
        ("http://169.254.169.254/latest/", "non_public_address"),
        ("http://inside.test/", "non_public_address"),
        ("http://nowhere.test/", "no_such_name"),
        ("http://shop.test:22/", "connect_failed"),
    ],
)
def test_a_bad_redirect_is_reported_with_its_host(world: Any, location: str, problem: str) -> None:
    server = world.server(world.sends_to(location))
    names = world.Names(shop_test=[world.HERE], inside_test=["127.0.0.2"])

    seen = observed(world, scheme="http", port=server.port, names=names)

    assert (seen.http.status, seen.http.hops[-1].error) == ("failed", problem)
    assert "redirect_target_not_checked" in seen.unknowns
    assert not seen.dns.not_public
    assert world.connected_to == {world.HERE}


def test_a_name_bound_again_between_hops_is_checked_again(world: Any) -> None:
    server = world.server(world.sends_to("/again"))

    seen = observed(world, scheme="http", port=server.port, names=world.Names(shop_test=[world.HERE, "127.0.0.2"]))

    assert [hop.error for hop in seen.http.hops] == ["", "non_public_address"]
    assert world.connected_to == {world.HERE}


def test_too_many_redirects_are_an_unchecked_target(world: Any) -> None:
    server = world.server(lambda to, request: world.sends_to(f"{request.split()[1].decode()}x")(to, request))

    seen = observed(world, scheme="http", port=server.port)

    assert (seen.http.reason, len(seen.http.hops)) == ("too_many_redirects", 6)
    assert "redirect_target_not_checked" in seen.unknowns


def test_a_page_that_is_too_large_is_cut(world: Any) -> None:
    server = world.server(world.page(b"x" * 400_000))

    seen = observed(world, scheme="http", port=server.port)

    assert (len(seen.http.body), seen.http.truncated) == (262_144, True)


def test_an_unsuccessful_answer_has_no_content(world: Any) -> None:
    server = world.server(world.replies("HTTP/1.1 403 Forbidden\nContent-Length: 4", b"wall"))

    seen = observed(world, scheme="http", port=server.port)

    assert (seen.http.status, seen.http.answer, seen.http.body) == ("observed", 403, b"")


def test_late_parts_are_unknown_and_early_parts_stay(world: Any) -> None:
    slow = world.server(lambda to, _: to.recv(1), "good")
    registries = {"test": f"https://pay.shop.test:{slow.port}/"}

    seen = observed(world, port=slow.port, registrable="shop.test", registries=registries, within_s=3)

    assert (seen.dns.status, seen.tls.status, seen.tls.valid) == ("observed", "observed", True)
    assert (seen.http.status, seen.http.reason, seen.http.hops[0].error) == ("failed", "timeout", "timeout")
    assert (seen.registration.status, seen.registration.reason) == ("failed", "timeout")
    assert seen.unknowns == ("http_not_fetched", "registration_age_unavailable")


class Slow:
    async def resolve(self, host: str, *, within_s: float) -> Answer:
        await asyncio.sleep(3600)
        raise AssertionError


class Stubborn:
    """Goes on for a while although it is told to stop."""

    async def resolve(self, host: str, *, within_s: float) -> Answer:
        for _ in range(10):
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                continue
        return Answer("found", ("127.0.0.1",))


class Failing:
    async def resolve(self, host: str, *, within_s: float) -> Answer:
        raise RuntimeError(f"broken: {host}")


@pytest.mark.parametrize("resolver", [Slow(), Stubborn()])
def test_a_resolver_that_never_comes_back_leaves_everything_unknown(world: Any, resolver: Any) -> None:
    seen = observed(
        world, names=resolver, within_s=0.3, registrable="shop.test", registries={"test": "https://pay.shop.test/"}
    )

    assert {part.status for part in seen.parts} <= {"failed", "not_attempted"}
    assert seen.unknowns[0] == "dns_timeout"
    assert world.connected_to == set()


def test_a_resolver_that_breaks_breaks_nothing_else(world: Any) -> None:
    seen = observed(world, names=Failing(), registrable="shop.test", registries={"test": "https://pay.shop.test/"})

    assert (seen.dns.status, seen.dns.reason) == ("failed", "error")
    assert seen.registration.status == "failed"


LIES = {
    "no such domain": ({}, "404 Not Found", "not_observed", "registration_age_unavailable"),
    "too many questions": ({}, "429 Too Many Requests", "failed", "rdap_rate_limited"),
    "out of order": ({}, "500 Internal Server Error", "failed", "registration_age_unavailable"),
    "no JSON": (b"<html>", "200 OK", "failed", "registration_age_unavailable"),
    "deep JSON": (b'{"x":' * 40_000, "200 OK", "failed", "registration_age_unavailable"),
    "a list": ([], "200 OK", "failed", "registration_age_unavailable"),
    "another domain": ({"ldhName": "bank.test"}, "200 OK", "failed", "registration_age_unavailable"),
    "no date": ({"ldhName": "shop.test", "events": []}, "200 OK", "observed", "registration_age_unavailable"),
    "a bad date": (
        {"events": [{"eventAction": "registration", "eventDate": "yesterday"}]},
        "200 OK",
        "observed",
        "registration_age_unavailable",
    ),
    "a date to come": (
        {"events": [{"eventAction": "registration", "eventDate": "2126-01-01T00:00:00Z"}]},
        "200 OK",
        "observed",
        "registration_age_unavailable",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_an_unknown_age_is_never_an_old_age(world: Any, lie: str) -> None:
    document, answered, status, unknown = LIES[lie]

    seen = observed(world, names=None, registrable="shop.test", registries=registry(world, document, answered), port=1)

    assert (seen.registration.status, seen.registration.registered_at) == (status, None)
    assert unknown in seen.unknowns


def test_a_registry_that_redirects_inside_is_not_followed(world: Any) -> None:
    server = world.server(world.sends_to("http://127.0.0.2/domain/shop.test"), "good")

    seen = observed(
        world, port=1, registrable="shop.test", registries={"test": f"https://pay.shop.test:{server.port}/"}
    )

    assert (seen.registration.status, seen.registration.reason) == ("failed", "non_public_address")
    assert world.connected_to == {world.HERE}


def test_suffix_without_a_server_is_reported_to_have_none(world: Any) -> None:
    seen = observed(world, port=1, registrable="shop.test", registries={"com": "https://rdap.example/"})

    assert (seen.registration.status, seen.registration.server) == ("not_attempted", "")
    assert "registry_rdap_unsupported" in seen.unknowns


def test_the_shipped_table_knows_the_common_suffixes() -> None:
    table = shipped_registries()

    assert server_for("example.com", table) == "https://rdap.verisign.com/com/v1/"
    assert server_for("example.co.uk", table) == "https://rdap.nominet.uk/uk/"
    assert server_for("example.de", table) is None
    assert all(server.startswith("https://") and server.endswith("/") for server in table.values())


def test_a_bootstrap_file_uses_longest_suffixes_and_https_alone() -> None:
    table = read_bootstrap(
        b'{"services": [[["UK"], ["http://a.test/", "https://b.test"]], [["co.uk"], ["https://c.test/"]], [["kg"], ["http://d.test/"]]]}'
    )

    assert table == {"uk": "https://b.test/", "co.uk": "https://c.test/"}
    assert server_for("x.co.uk", table) == "https://c.test/"


@pytest.mark.parametrize("data", [b"", b"[]", b'{"services": 1}', b'{"services": [[["a"]]]}', b"[" * 100_000])
def test_invalid_bootstrap_file_is_an_error_with_its_name(data: bytes) -> None:
    with pytest.raises(RegistryError, match=r"own\.json"):
        read_bootstrap(data, "own.json")


CANARY = "kanarienvogel"


@pytest.mark.parametrize(
    "location",
    [
        f"/{CANARY}?{CANARY}#{CANARY}",
        f"http://{CANARY}:{CANARY}@127.0.0.2/{CANARY}",
        f"http://nowhere.test/{CANARY}?{CANARY}",
        f"mailto:{CANARY}",
        f"http://256.1.1.1/{CANARY}",
    ],
)
def test_only_hosts_are_stored_or_logged(world: Any, location: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = world.server(world.sends_to(location))

    seen = observed(world, scheme="http", port=server.port, target=f"/{CANARY}?{CANARY}={CANARY}#{CANARY}")

    assert CANARY.encode() in server.requests[0]
    assert CANARY not in repr(seen) + str(msgspec.json.encode(seen)) + caplog.text
