"""`fetch` against a hostile world on loopback."""

from __future__ import annotations

import gzip
import logging
import traceback
from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import FetchDenied, FetchFailed
from waypost.net.address import PUBLIC, AddressPolicy
from waypost.net.fetch import Fetched, fetch, read_url
from waypost.net.resolve import Answer
from waypost.net.wire import Limits

ANY_PORT = AddressPolicy(ports=None)


def fetched(world: Any, url: str, names: Any = None, **how: Any) -> Fetched:
    how = {"policy": world.policy, "limits": world.limits, "trust": world.trust} | how
    return fetch(url, resolver=names or world.Names(shop_test=[world.HERE]), **how)


def test_a_page_arrives_with_media_type_and_redirects(world: Any) -> None:
    last = world.server(world.page(b"<p>hello"))
    first = world.server(world.sends_to(f"http://www.shop.test:{last.port}/new", 301))

    got = fetched(
        world,
        f"http://shop.test:{first.port}/old",
        world.Names(shop_test=[world.HERE], www_shop_test=[world.HERE]),
    )

    assert (got.status, got.data, got.media_type) == (200, b"<p>hello", "text/html; charset=utf-8")
    assert [(hop.host, hop.status) for hop in got.hops] == [("shop.test", 301), ("www.shop.test", 200)]
    assert got.url.reveal() == f"http://www.shop.test:{last.port}/new"
    assert str(got.url) == f"http://www.shop.test:{last.port}"


def test_page_that_is_not_there_is_an_answer_too(world: Any) -> None:
    server = world.server(world.replies("HTTP/1.1 404 Not Found\nContent-Length: 4", b"gone"))

    got = fetched(world, f"http://shop.test:{server.port}/")

    assert (got.status, got.data) == (404, b"gone")


def test_a_packed_page_is_unpacked(world: Any) -> None:
    server = world.server(world.page(gzip.compress(b"<p>hello"), "Content-Encoding: gzip"))

    assert fetched(world, f"http://shop.test:{server.port}/").data == b"<p>hello"


def test_request_carries_no_credentials_no_cookie_and_no_fragment(world: Any) -> None:
    def answer(to: Any, request: bytes) -> None:
        way = "/again" if b"GET /start" in request else None
        reply = world.sends_to(way) if way else world.page(b"")
        reply(to, request)

    server = world.server(answer)

    fetched(world, f"http://anna:secret@shop.test:{server.port}/start?a=b#part")

    received = b"".join(server.requests)
    assert b"GET /start?a=b HTTP/1.1" in received
    assert f"Host: shop.test:{server.port}".encode() in received
    for hidden in (b"anna", b"secret", b"part", b"ookie", b"uthorization", b"YW5uYT"):
        assert hidden not in received


def test_proxies_of_the_environment_are_not_used(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, server = world.server(world.page(b"proxy")), world.server(world.page(b"origin"))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{world.HERE}:{proxy.port}")

    assert fetched(world, f"http://shop.test:{server.port}/").data == b"origin"
    assert proxy.connections == 0


FORBIDDEN_HOSTS = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127。0。0。1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "127%2e0%2e0%2e1",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:0:7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "localhost",
    "LOCALHOST.",
    "api.localhost",
    "printer.local",
    "metadata.google.internal",
    "router.home.arpa",
    "ｌｏｃａｌｈｏｓｔ",
    "anna@localhost",
    "example.com@127.0.0.1",
    "example.com:80@127.0.0.1",
]


@pytest.mark.parametrize("host", FORBIDDEN_HOSTS)
def test_a_host_that_is_not_public_is_rejected_everywhere(world: Any, host: str) -> None:
    sink = world.server(world.page(b"inside"))
    names = world.Names()

    with pytest.raises(FetchDenied) as raised:
        fetched(world, f"http://{host}:{sink.port}/", names, policy=ANY_PORT)

    assert raised.value.reason == "non_public_address"
    assert (sink.connections, world.connected_to, names.queries) == (0, set(), [])


@pytest.mark.parametrize(
    "url",
    [
        "http:\\\\127.0.0.1:{port}\\@example.com",
        "http:\\\\127.0.0.1:{port}/",
        "http:127.0.0.1:{port}/",
        "http:////127.0.0.1:{port}/",
        " \thttp://127.0\n.0.1:{port}/",
        "HTTP://127.0.0.1:{port}?@example.com",
        "http://127.0.0.1:{port}#@example.com/",
    ],
)
def test_an_ambiguous_url_is_checked_by_its_actual_host(world: Any, url: str) -> None:
    sink = world.server(world.page(b"inside"))

    with pytest.raises(FetchDenied) as raised:
        fetched(world, url.format(port=sink.port), policy=ANY_PORT)

    assert raised.value.reason == "non_public_address"
    assert (sink.connections, world.connected_to) == (0, set())


@pytest.mark.parametrize(
    "addresses",
    [
        "127.0.0.1",
        "192.0.2.7 127.0.0.1",
        "169.254.169.254",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::1",
        "fe80::1%lo",
        "localhost",
        "0x7f.1",
        "[93.184.215.14]",
    ],
)
def test_a_name_with_one_private_address_is_rejected_entirely(world: Any, addresses: str) -> None:
    sink = world.server(world.page(b"inside"))

    with pytest.raises(FetchDenied) as raised:
        fetched(
            world,
            f"http://shop.test:{sink.port}/",
            world.Names(shop_test=[f"93.184.215.14 {addresses}"]),
            policy=ANY_PORT,
        )

    assert raised.value.reason == "non_public_address"
    assert (sink.connections, world.connected_to) == (0, set())


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "//169.254.169.254/",
        "http://0xa9.0xfe.0xa9.0xfe/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://127.0.0.2/",
        "http://127。0。0。2/",
        "http://localhost/",
        "http:\\\\127.0.0.2\\",
        "http://shop.test@127.0.0.2/",
        "http://inside.test/",
    ],
)
def test_a_redirect_to_where_nothing_public_is_goes_nowhere(world: Any, location: str) -> None:
    server = world.server(world.sends_to(location))
    names = world.Names(shop_test=[world.HERE], inside_test=["127.0.0.2"])

    with pytest.raises(FetchDenied) as raised:
        fetched(world, f"http://shop.test:{server.port}/", names)

    assert raised.value.reason == "non_public_address"
    assert (server.connections, world.connected_to) == (1, {world.HERE})


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://shop.test/", "javascript:alert(1)", "data:,x", "gopher://shop.test/"]
)
def test_a_redirect_to_another_scheme_goes_nowhere(world: Any, location: str) -> None:
    server = world.server(world.sends_to(location))

    with pytest.raises(FetchDenied) as raised:
        fetched(world, f"http://shop.test:{server.port}/")

    assert raised.value.reason == "unsupported_scheme"


def test_a_name_rebound_between_two_hops_is_checked_again(world: Any) -> None:
    server = world.server(world.sends_to("/again"))
    names = world.Names(shop_test=[world.HERE, "127.0.0.2"])

    with pytest.raises(FetchDenied):
        fetched(world, f"http://shop.test:{server.port}/", names)

    assert names.queries == ["shop.test", "shop.test"]
    assert world.connected_to == {world.HERE}


def test_within_a_hop_a_name_is_resolved_once(world: Any) -> None:
    server = world.server(world.page(b"fine"))
    names = world.Names(shop_test=[world.HERE, "127.0.0.2"])

    assert fetched(world, f"http://shop.test:{server.port}/", names).data == b"fine"
    assert names.queries == ["shop.test"]
    assert world.connected_to == {world.HERE}


def test_the_next_validated_address_replaces_an_unresponsive_one(world: Any) -> None:
    server = world.server(world.page(b"fine"))

    got = fetched(
        world,
        f"http://shop.test:{server.port}/",
        world.Names(shop_test=["127.0.0.2 127.0.0.1"]),
        policy=AddressPolicy(allow=(ip_network("127.0.0.0/30"),), ports=None),
    )

    assert got.data == b"fine"


@pytest.mark.parametrize(
    ("host", "advice"),
    [
        ("127.0.0.1", "--allow-private"),
        ("localhost", "--allow-private"),
        ("169.254.169.254", "nothing is ever fetched"),
    ],
)
def test_a_rejection_names_the_option_that_permits_it(world: Any, host: str, advice: str) -> None:
    with pytest.raises(FetchDenied, match=advice):
        fetched(world, f"http://{host}/", policy=PUBLIC)


def test_a_port_outside_the_web_is_rejected(world: Any) -> None:
    server = world.server(world.page(b""))

    with pytest.raises(FetchDenied, match="neither 80 nor 443"):
        fetched(world, f"http://example.com:{server.port}/", policy=PUBLIC)


@pytest.mark.parametrize(
    "url",
    ["", "shop.test", "/a", "http://", "http://a b/", "http://256.1.1.1/", "http://a..b/", "http://x/" + "y" * 9000],
)
def test_what_is_not_a_url_is_rejected(world: Any, url: str) -> None:
    with pytest.raises(FetchDenied) as raised:
        fetched(world, url)

    assert raised.value.reason == "invalid_url"


@given(
    st.text() | st.from_regex(r"https?:[/\\\\]*[^\s]{0,30}") | st.builds("http://{}/{}".format, st.text(), st.text())
)
def test_any_text_is_a_place_or_is_rejected(text: str) -> None:
    try:
        stop = read_url(text)
    except FetchDenied as rejected:
        assert rejected.reason in {"invalid_url", "unsupported_scheme"}  # noqa: PT017 - either outcome is right
    else:
        assert stop.host == stop.host.lower()
        assert stop.host.isascii()
        assert read_url(stop.href) == stop


def test_redirects_end(world: Any) -> None:
    def further(to: Any, request: bytes) -> None:
        world.sends_to(f"/{int(request.split()[1][1:]) + 1}")(to, request)

    server = world.server(further)

    with pytest.raises(FetchFailed) as failed:
        fetched(world, f"http://shop.test:{server.port}/0")

    assert failed.value.reason == "too_many_redirects"
    assert server.connections == 6


def test_a_circle_of_redirects_is_seen(world: Any) -> None:
    server = world.server(world.sends_to("/"))

    with pytest.raises(FetchFailed, match="in a circle"):
        fetched(world, f"http://shop.test:{server.port}/")

    assert server.connections == 1


def drip(to: Any, first: bytes, rest: bytes) -> None:
    """One piece after another until the other side has had enough."""
    to.sendall(first)
    while True:
        to.sendall(rest)


ENDLESS = {
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-More: yes\r\n", "headers_too_large"),
    "one header": (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 4096, "headers_too_large"),
    "status line": (b"HTTP/1.1 200 ", b"x" * 4096, "headers_too_large"),
    "body": (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096, "too_large"),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 512, "too_large"),
    "chunk extension": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=",
        b"x" * 4096,
        "headers_too_large",
    ),
    "trailers": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"X-More: yes\r\n",
        "headers_too_large",
    ),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", "bad_answer"),
    "empty lines": (b"", b"\r\n" * 2048, "bad_answer"),
    "nonsense": (b"", b"\0" * 4096, "bad_answer"),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_what_never_ends_is_ended(world: Any, what: str) -> None:
    first, rest, reason = ENDLESS[what]
    server = world.server(lambda to, _: drip(to, first, rest))

    with pytest.raises(FetchFailed) as failed:
        fetched(
            world,
            f"http://shop.test:{server.port}/",
            limits=Limits(total_s=30, body_bytes=200_000, wire_bytes=300_000),
        )

    assert failed.value.reason in {reason, "too_large"}


@pytest.mark.parametrize("first", [b"", b"H", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_sender_of_single_bytes_meets_the_clock(world: Any, first: bytes) -> None:
    import time

    def slowly(to: Any, _: bytes) -> None:
        to.sendall(first)
        while True:
            to.sendall(b"x")
            time.sleep(0.02)

    server = world.server(slowly)

    with pytest.raises(FetchFailed) as failed:
        fetched(world, f"http://shop.test:{server.port}/", limits=Limits(total_s=0.5, read_s=0.4))

    assert failed.value.reason in {"timeout", "bad_answer"}


def test_a_silent_server_is_left(world: Any) -> None:
    server = world.server(lambda to, _: to.recv(1))

    with pytest.raises(FetchFailed) as failed:
        fetched(world, f"http://shop.test:{server.port}/", limits=Limits(total_s=20, read_s=0.2))

    assert failed.value.reason == "timeout"


def test_a_handshake_that_never_comes_is_left(world: Any) -> None:
    server = world.server(lambda to, _: to.recv(1))

    with pytest.raises(FetchFailed) as failed:
        fetched(world, f"https://shop.test:{server.port}/", limits=Limits(total_s=20, connect_s=0.3))

    assert failed.value.reason == "connect_timeout"


def test_a_resolver_that_never_answers_is_left(world: Any) -> None:
    import asyncio

    class Silent:
        async def resolve(self, host: str, *, within_s: float) -> Answer:
            await asyncio.sleep(3600)
            raise AssertionError

    with pytest.raises(FetchFailed) as failed:
        fetched(world, "http://shop.test/", Silent(), limits=Limits(connect_s=0.2))

    assert failed.value.reason == "dns_timeout"


def test_a_bomb_does_not_go_off(world: Any) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    server = world.server(world.page(bomb, "Content-Encoding: gzip"))

    with pytest.raises(FetchFailed) as failed:
        fetched(world, f"http://shop.test:{server.port}/", limits=Limits(body_bytes=1_000_000))

    assert failed.value.reason == "too_large"


def test_on_request_the_beginning_of_a_bomb_is_stored(world: Any) -> None:
    server = world.server(world.page(gzip.compress(b"\0" * 50_000_000), "Content-Encoding: gzip"))

    got = fetched(world, f"http://shop.test:{server.port}/", limits=Limits(body_bytes=1000, cut=True))

    assert (len(got.data), got.truncated) == (1000, True)


@pytest.mark.parametrize(
    "answer",
    [
        ("HTTP/1.1 200 OK\nContent-Length: 10\nContent-Encoding: gzip", b"not packed"),
        ("HTTP/1.1 200 OK\nContent-Encoding: gzip", gzip.compress(b"x" * 1000)[:-9]),
        ("HTTP/1.1 200 OK\nContent-Encoding: gzip", gzip.compress(b"x" * 1000)[:10]),
        ("HTTP/1.1 200 OK\nContent-Encoding: br\nContent-Length: 1", b"x"),
        ("HTTP/1.1 200 OK\nContent-Encoding: gzip, gzip\nContent-Length: 1", b"x"),
        ("HTTP/1.1 200 OK\nContent-Length: 10", b"short"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", b"5\r\nab"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", b"xyz\r\n"),
        ("HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 4", b"abcd"),
        ("HTTP/1.1 302 Found\nLocation: /one\nLocation: http://169.254.169.254/\nContent-Length: 0", b""),
        ("SMTP ready", b""),
    ],
)
def test_an_answer_that_is_broken_is_not_a_page(world: Any, answer: tuple[str, bytes]) -> None:
    server = world.server(world.replies(*answer))

    with pytest.raises(FetchFailed) as failed:
        fetched(world, f"http://shop.test:{server.port}/")

    assert failed.value.reason == "bad_answer"


def test_over_tls_the_name_is_checked_despite_pinning(world: Any) -> None:
    server = world.server(world.page(b"safe"), "good")

    assert fetched(world, f"https://shop.test:{server.port}/").data == b"safe"


@pytest.mark.parametrize(
    ("certificate", "host"), [("good", "other.test"), ("expired", "shop.test"), ("self-signed", "shop.test")]
)
def test_an_invalid_certificate_is_not_a_way_in(world: Any, certificate: str, host: str) -> None:
    server = world.server(world.page(b"unsafe"), certificate)
    names = world.Names(shop_test=[world.HERE], other_test=[world.HERE])

    with pytest.raises(FetchFailed, match=f"the certificate of {host} is not valid") as failed:
        fetched(world, f"https://{host}:{server.port}/", names)

    assert failed.value.reason == "tls_invalid"
    assert server.requests == []


def test_plain_http_on_the_secure_port_fails(world: Any) -> None:
    server = world.server(world.page(b"plain"))

    with pytest.raises(FetchFailed):
        fetched(world, f"https://shop.test:{server.port}/", limits=Limits(connect_s=2))


CANARY = "kanarienvogel"
CANARY_URL = f"http://{CANARY}:{CANARY}@shop.test:{{port}}/{CANARY}/?{CANARY}={CANARY}#{CANARY}"
FAILURES: dict[str, Any] = {
    "refused": lambda w: w.sends_to(f"http://{CANARY}@127.0.0.2/{CANARY}?{CANARY}#{CANARY}"),
    "no url": lambda w: w.sends_to(f"http://256.1.1.1/{CANARY}"),
    "scheme": lambda w: w.sends_to(f"ftp://shop.test/{CANARY}"),
    "circle": lambda w: w.sends_to(f"/{CANARY}/?{CANARY}={CANARY}"),
    "broken": lambda w: w.replies(f"HTTP/1.1 200 OK\nX{CANARY} : x"),
    "odd packing": lambda w: w.replies(f"HTTP/1.1 200 OK\nContent-Encoding: {CANARY}\nContent-Length: 0"),
    "unknown host": lambda w: w.sends_to(f"http://nowhere.test/{CANARY}"),
    "too large": lambda w: w.page(b"x" * 20_000),
}


@pytest.mark.parametrize("error", FAILURES)
def test_errors_and_logs_contain_the_host_only(world: Any, error: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = world.server(FAILURES[error](world))

    with pytest.raises((FetchDenied, FetchFailed)) as raised:
        fetched(world, CANARY_URL.format(port=server.port), limits=Limits(body_bytes=10_000))

    report = "".join(traceback.format_exception(raised.value, chain=True)) + repr(raised.value) + caplog.text
    assert CANARY not in report
    assert CANARY.encode() in b"".join(server.requests)


def test_what_was_fetched_shows_only_its_host(world: Any) -> None:
    server = world.server(world.page(b"fine"))

    got = fetched(world, CANARY_URL.format(port=server.port))

    assert CANARY not in repr(got)
    assert CANARY in got.url.reveal()
    assert f"{CANARY}@" not in got.url.reveal()
