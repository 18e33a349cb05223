"""Pages over connections that stay open: HTTP/1.1 and HTTP/2, encodings, proxies, and secrets that stay at home."""

from __future__ import annotations

import gzip
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import h2.config
import h2.connection
import h2.events
import pytest
from tests.net.conftest import CERTIFICATES

from waypost.net.access import Access, Secrets, crawlers
from waypost.net.crawl import CachedResponse, Crawler, Manners, PageResult
from waypost.net.wire import Limits

QUICK = Manners(rate=0, pause_s=0.01, retries=0, total_s=20, connections=1)
BASIC = {"Authorization": "Basic czNjcjN0OnMzY3IzdA=="}

Answer = tuple[int, dict[str, str], bytes]
Pages = Callable[[str, dict[str, str]], Answer]


def request_of(data: bytes) -> tuple[str, dict[str, str]]:
    """(target, headers with names in lower case) of a request."""
    first, *lines = data.decode("latin-1").partition("\r\n\r\n")[0].split("\r\n")
    return first.split(" ")[1], {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}


def over_http(pages: Pages, most: int = 1000) -> Callable[[Any, bytes], None]:
    """HTTP/1.1 with `most` requests a connection; the last one is closed without a word, as a tired server does."""

    def answer(to: Any, _: bytes) -> None:
        for _ in range(most):
            data = b""
            while b"\r\n\r\n" not in data:
                if not (piece := to.recv(65536)):
                    return
                data += piece
            status, headers, body = pages(*request_of(data))
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            to.sendall(f"HTTP/1.1 {status} x\r\nContent-Length: {len(body)}\r\n{head}\r\n".encode() + body)

    return answer


def over_http2(pages: Pages, most: int = 1000, last_word: bool = True) -> Callable[[Any, bytes], None]:
    """HTTP/2 with `most` requests a connection; with `last_word` the end is announced (GOAWAY)."""

    def answer(to: Any, _: bytes) -> None:
        left = most
        talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        talk.initiate_connection()
        to.sendall(talk.data_to_send())
        while data := to.recv(65536):
            for event in talk.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    headers = {name.decode(): value.decode() for name, value in event.headers}
                    status, more, body = pages(headers[":path"], headers)
                    given = [(name.lower(), value) for name, value in more.items()]
                    talk.send_headers(event.stream_id, [(":status", str(status)), *given])
                    for at in range(0, len(body), talk.max_outbound_frame_size):
                        talk.send_data(event.stream_id, body[at : at + talk.max_outbound_frame_size])
                    talk.end_stream(event.stream_id)
                    left -= 1
            if not left and last_word:
                talk.close_connection()
            to.sendall(talk.data_to_send())
            if not left:
                return

    return answer


class Site:
    """Server that notes what each request carried."""

    def __init__(self, world: Any, pages: Pages, *, protocol: Any = over_http, certificate: str | None = None) -> None:
        self.seen: list[dict[str, str]] = []

        def noted(target: str, headers: dict[str, str]) -> Answer:
            self.seen.append({"target": target, **headers})
            return pages(target, headers)

        self.server = world.server(protocol(noted), certificate, greets=True)
        self.port = self.server.port
        self.origin = f"{'https' if certificate else 'http'}://{world.HERE}:{self.port}"


def answered(*bodies: bytes, **headers: str) -> Pages:
    parts: Iterator[bytes] = iter(bodies)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _target, _headers: (200, named, next(parts, bodies[-1]))


def fetched(world: Any, *urls: str, access: Access | None = None, **how: Any) -> list[PageResult]:
    how = {"manners": QUICK, "robots": False, "policy": world.policy, "limits": world.limits} | how
    with Crawler(how.pop("manners"), access=access, **how) as crawler:
        found = dict(crawler.pages(urls))
    return [found[number] for number in range(len(urls))]


def with_secrets(site: Site, **headers: str) -> Access:
    return Access(secrets={site.origin: Secrets(headers or BASIC)})


def test_pages_of_a_host_share_a_connection(world: Any) -> None:
    site = Site(world, answered(b"x"))

    got = fetched(world, *(f"{site.origin}/{n}" for n in range(5)))

    assert [each.data for each in got] == [b"x"] * 5
    assert site.server.connections == 1


def test_a_connection_that_the_server_closed_is_opened_again(world: Any) -> None:
    site = Site(world, answered(b"x"), protocol=lambda pages: over_http(pages, most=2))

    got = fetched(world, *(f"{site.origin}/{n}" for n in range(6)))

    assert [(each.data, each.attempts) for each in got] == [(b"x", 1)] * 6
    assert site.server.connections == 3


@pytest.fixture
def http2(world: Any) -> Callable[..., Site]:
    def made(pages: Pages, **how: Any) -> Site:
        site = Site(world, pages, protocol=lambda noted: over_http2(noted, **how), certificate="good")
        site.server._trust.set_alpn_protocols(["h2", "http/1.1"])
        return site

    return made


def test_http2_is_used_where_the_server_offers_it(world: Any, http2: Callable[[Pages], Site]) -> None:
    site = http2(answered(gzip.compress(b"x"), content_encoding="gzip"))
    manners = Manners(rate=0, retries=0, connections=4)

    got = fetched(world, *(f"{site.origin}/{n}" for n in range(8)), trust=world.trust, manners=manners)

    assert [each.data for each in got] == [b"x"] * 8
    assert site.server.connections == 1
    assert site.seen[0][":authority"] == f"127.0.0.1:{site.port}"


@pytest.mark.parametrize("last_word", [True, False])
def test_an_http2_connection_that_ends_is_opened_again(world: Any, http2: Callable[..., Site], last_word: bool) -> None:
    site = http2(answered(b"x"), most=2, last_word=last_word)

    got = fetched(world, *(f"{site.origin}/{n}" for n in range(6)), trust=world.trust)

    assert [(each.data, each.reason) for each in got] == [(b"x", "")] * 6
    assert site.server.connections == 3


def test_a_bomb_over_http2_is_left(world: Any, http2: Callable[[Pages], Site]) -> None:
    site = http2(answered(gzip.compress(bytes(30_000_000)), content_encoding="gzip"))

    (got,) = fetched(world, f"{site.origin}/", trust=world.trust)

    assert got.outcome == "failed"
    assert "larger than" in got.reason


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_a_bomb_is_left_at_the_limit(world: Any, encoding: str) -> None:
    from tests.net.test_net_encodings import PACKERS

    name = {"br": "brotli"}.get(encoding, encoding)
    site = Site(world, answered(PACKERS[name][1](bytes(30_000_000)), content_encoding=encoding))

    (got,) = fetched(world, f"{site.origin}/", limits=Limits(body_bytes=1_000_000))

    assert (got.outcome, got.reason) == ("failed", "the page at 127.0.0.1 is larger than 1000000 bytes")


def test_headers_that_never_end_are_left(world: Any) -> None:
    site = Site(world, answered(b"x", **{f"x{n}": "y" * 1000 for n in range(80)}))

    (got,) = fetched(world, f"{site.origin}/")

    assert (got.outcome, got.reason) == ("failed", "127.0.0.1 sent more headers than are read")


def test_interim_answers_without_end_meet_the_clock(world: Any) -> None:
    def answer(to: Any, _: bytes) -> None:
        while True:
            to.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100)

    server = world.server(answer, greets=True)

    (got,) = fetched(world, f"http://127.0.0.1:{server.port}/", limits=Limits(total_s=0.3))

    assert (got.outcome, got.reason) == ("failed", "127.0.0.1 took longer than 0.3 s")


def test_secrets_are_sent_to_their_origin_alone(world: Any) -> None:
    other = Site(world, answered(b"other"))
    site = Site(
        world,
        lambda target, _: (302, {"Location": f"{other.origin}/landed"}, b"") if target == "/" else (200, {}, b"x"),
    )
    access = with_secrets(site, **BASIC, Cookie="session=s3cr3t", **{"X-Token": "s3cr3t"})

    got = fetched(world, f"{site.origin}/", f"{site.origin}/page", f"{other.origin}/page", access=access)

    assert [each.data for each in got] == [b"other", b"x", b"other"]
    assert all(each["x-token"] == each["cookie"].removeprefix("session=") == "s3cr3t" for each in site.seen)
    assert len(other.seen) == 2
    assert not {"authorization", "cookie", "x-token"} & set().union(*other.seen)


def test_secrets_come_back_after_a_detour(world: Any) -> None:
    home = ""
    other = Site(world, lambda *_: (302, {"Location": f"{home}/end"}, b""))
    site = Site(
        world, lambda target, _: (302, {"Location": f"{other.origin}/"}, b"") if target == "/" else (200, {}, b"x")
    )
    home = site.origin

    (got,) = fetched(world, f"{site.origin}/", access=with_secrets(site))

    assert got.data == b"x"
    assert [each.get("authorization") for each in site.seen] == [BASIC["Authorization"]] * 2
    assert "authorization" not in other.seen[0]


def test_a_password_in_the_url_is_not_reported(world: Any) -> None:
    site = Site(world, lambda _, headers: (200 if headers.get("authorization") else 401, {}, b"x"))
    url = f"http://s3cr3t:s3cr3t@127.0.0.1:{site.port}"

    got = fetched(world, f"{url}/a", f"{site.origin}/b")

    assert [each.status for each in got] == [200, 401]
    assert site.seen[0]["authorization"] == BASIC["Authorization"]
    assert got[0].url is not None
    assert got[0].url.reveal() == f"{site.origin}/a"


def test_without_its_secret_an_origin_is_not_requested(world: Any) -> None:
    site = Site(world, answered(b"x"))

    (got,) = fetched(world, f"{site.origin}/", access=Access(missing={site.origin: "TOKEN is not set"}))

    assert (got.outcome, got.reason, site.seen) == ("refused", "TOKEN is not set", [])


def test_the_user_agent_has_a_version(world: Any) -> None:
    site = Site(world, answered(b"x"))

    fetched(world, f"{site.origin}/")
    fetched(world, f"{site.origin}/", access=Access(agent=crawlers()["googlebot"].agent))

    assert site.seen[0]["user-agent"].startswith("waypost/0.")
    assert "Googlebot/2.1" in site.seen[1]["user-agent"]


class Memory(dict[str, CachedResponse]):
    recall = dict.get

    def keep(self, url: str, answer: CachedResponse) -> None:
        self[url] = answer


def test_the_cache_stores_no_secret(world: Any) -> None:
    def pages(target: str, headers: dict[str, str]) -> Answer:
        validators = {"/tag": {"ETag": '"1"'}, "/date": {"Last-Modified": "Sun, 01 Nov 2026 10:00:00 GMT"}}[target]
        is_known = "if-none-match" in headers or "if-modified-since" in headers
        return (304 if is_known else 200), validators, b"" if is_known else b"x"

    site, memory = Site(world, pages), Memory()
    urls = [f"http://s3cr3t:s3cr3t@127.0.0.1:{site.port}{path}" for path in ("/tag", "/date")]

    fetched(world, *urls, memory=memory)
    again = fetched(world, *urls, memory=memory)

    assert [each.outcome for each in again] == ["unchanged", "fetched"]
    assert "s3cr3t" not in repr(memory)
    assert list(memory) == [f"{site.origin}/tag", f"{site.origin}/date"]


def test_each_user_agent_has_a_cache_of_its_own(world: Any) -> None:
    site, memory = Site(world, answered(b"for waypost", b"for google", etag='"1"')), Memory()

    fetched(world, f"{site.origin}/", memory=memory)
    (got,) = fetched(world, f"{site.origin}/", memory=memory, access=Access(agent="shop/1.0"))

    assert (got.outcome, got.data) == ("fetched", b"for google")


def require_certificate(site: Site) -> None:
    trust: ssl.SSLContext = site.server._trust
    trust.verify_mode = ssl.CERT_REQUIRED
    trust.load_verify_locations(CERTIFICATES / "authority.pem")


def test_a_client_certificate_is_presented_to_its_origin(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
    site = Site(world, answered(b"inside"), certificate="good")
    require_certificate(site)
    given = Access(secrets={site.origin: Secrets(certificate=(str(CERTIFICATES / "good.pem"), None))})

    (got,) = fetched(world, f"{site.origin}/", access=given)
    (without,) = fetched(world, f"{site.origin}/")

    assert got.data == b"inside"
    assert without.outcome == "failed"


class Proxy:
    """Proxy that answers plain requests itself and connects tunnels to one place."""

    def __init__(self, world: Any, authorization: str = "") -> None:
        import socket

        self.seen: list[tuple[str, dict[str, str]]] = []
        self.place: int = 0

        def answer(to: Any, data: bytes) -> None:
            target, headers = request_of(data)
            self.seen.append((target, headers))
            if headers.get("proxy-authorization", "") != authorization:
                to.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            elif not data.startswith(b"CONNECT "):
                to.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nby proxy!")
            else:
                to.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                with socket.create_connection(("127.0.0.1", self.place)) as there:
                    world.join(to, there)

        self.server = world.server(answer)
        self.address = f"127.0.0.1:{self.server.port}"


def test_a_proxy_of_the_environment_is_used(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy(world, authorization=BASIC["Authorization"])
    monkeypatch.setenv("HTTP_PROXY", f"http://s3cr3t:s3cr3t@{proxy.address}")

    (got,) = fetched(world, "http://shop.test/page?q=1", resolver=world.Names())

    assert got.data == b"by proxy!"
    target, headers = proxy.seen[0]
    assert target == "http://shop.test/page?q=1"
    assert headers["host"] == "shop.test"


def test_a_tunnel_has_the_certificate_of_the_host(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, site = Proxy(world), Site(world, answered(b"through"), certificate="good")
    proxy.place = site.port
    monkeypatch.setenv("HTTPS_PROXY", proxy.address)
    access = Access(secrets={"https://shop.test": Secrets(BASIC)})

    good, wrong = fetched(
        world, "https://shop.test/", "https://other.test/", trust=world.trust, resolver=world.Names(), access=access
    )

    assert good.data == b"through"
    assert site.seen[0]["authorization"] == BASIC["Authorization"]
    assert "authorization" not in proxy.seen[0][1]
    assert "certificate of other.test is not valid" in wrong.reason


@pytest.mark.parametrize(
    ("names", "url"), [({}, "http://10.0.0.1/"), ({"inside_test": ["10.0.0.1"]}, "http://inside.test/")]
)
def test_private_addresses_are_rejected_through_a_proxy_too(
    world: Any, monkeypatch: pytest.MonkeyPatch, names: dict[str, list[Any]], url: str
) -> None:
    proxy = Proxy(world)
    monkeypatch.setenv("HTTP_PROXY", proxy.address)

    (got,) = fetched(world, url, resolver=world.Names(**names))

    assert (got.outcome, proxy.seen) == ("refused", [])


def test_this_machine_and_no_proxy_are_requested_directly(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, site = Proxy(world), Site(world, answered(b"direct"))
    monkeypatch.setenv("HTTP_PROXY", proxy.address)
    monkeypatch.setenv("NO_PROXY", "shop.test")

    got = fetched(
        world, f"{site.origin}/", f"http://shop.test:{site.port}/", resolver=world.Names(shop_test=["127.0.0.1"])
    )

    assert [each.data for each in got] == [b"direct"] * 2
    assert proxy.seen == []


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("socks5://s3cr3t:s3cr3t@127.0.0.1:1", "HTTP_PROXY is not the address of a proxy such as"),
        ("http://s3cr3t@", "HTTP_PROXY is not the address of a proxy"),
        ("http://s3cr3t:s3cr3t@127.0.0.1:1", "127.0.0.1 cannot be reached"),
    ],
)
def test_an_unusable_proxy_is_named_without_its_password(
    world: Any, monkeypatch: pytest.MonkeyPatch, address: str, reason: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", address)

    (got,) = fetched(world, "http://shop.test/", resolver=world.Names())

    assert got.outcome == "failed"
    assert got.reason.startswith(reason)
    assert "s3cr3t" not in got.reason


def test_the_status_of_a_proxy_is_reported(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy(world, authorization="Basic else")
    monkeypatch.setenv("HTTPS_PROXY", f"http://s3cr3t:s3cr3t@{proxy.address}")

    (got,) = fetched(world, "https://shop.test/", resolver=world.Names(), trust=world.trust)

    assert (got.outcome, got.reason) == ("failed", "the proxy for shop.test answers with status 407")
