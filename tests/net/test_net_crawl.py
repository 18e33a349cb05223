"""Many pages, fetched politely, from servers on loopback that are anything but."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from waypost.net import crawl
from waypost.net.crawl import CachedResponse, Crawler, Manners, PageResult
from waypost.net.wire import Limits

QUICK = Manners(rate=0, pause_s=0.01, retries=1, total_s=20)


class Site:
    """A server whose pages are a table: path -> (status, headers, body), or what does the answering itself."""

    def __init__(self, world: Any, pages: dict[str, Any]) -> None:
        self.pages = pages
        self.server = world.server(self._answer)
        self.at = f"http://{world.HERE}:{self.server.port}"
        self.requested: list[str] = []

    def _answer(self, to: Any, request: bytes) -> None:
        path = request.split(b" ")[1].decode()
        self.requested.append(path)
        page = self.pages.get(path, (404, "", b"not here"))
        if callable(page):
            page = page(to, request)
            if page is None:
                return
        status, headers, body = page
        more = f"{headers}\r\n" if headers else ""
        to.sendall(
            f"HTTP/1.1 {status} x\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode()
            + body
        )


@pytest.fixture
def site(world: Any) -> Callable[..., Site]:
    return lambda **pages: Site(world, {f"/{name.replace('_', '.')}": page for name, page in pages.items()})


def crawler(world: Any, manners: Manners = QUICK, **how: Any) -> Crawler:
    return Crawler(manners, policy=world.policy, limits=how.pop("limits", world.limits), **how)


def results_of(world: Any, site: Site, *paths: str, **how: Any) -> list[PageResult]:
    with crawler(world, **how) as fetching:
        found = dict(fetching.pages([f"{site.at}{path}" for path in paths]))
    assert sorted(found) == list(range(len(paths))), "each address comes to exactly one end"
    return [found[n] for n in range(len(paths))]


def test_every_address_comes_to_one_end(world: Any, site: Callable[..., Site]) -> None:
    there = site(a=(200, "", b"a"), b=(200, "", b"b"))

    got = results_of(world, there, "/a", "/nothing", "/b", "ftp://x")

    assert [(each.outcome, each.status, each.data) for each in got[:3]] == [
        ("fetched", 200, b"a"), ("fetched", 404, b"not here"), ("fetched", 200, b"b"),
    ]  # fmt: skip
    assert got[3].outcome == "refused"


def test_robots_is_fetched_once_and_obeyed_after_redirects_too(world: Any, site: Callable[..., Site]) -> None:
    there = site(
        robots_txt=(200, "", b"user-agent: waypost\ndisallow: /private"),
        a=(200, "", b"a"), moved=(302, "Location: /private/x", b""),
    )  # fmt: skip

    got = results_of(world, there, "/a", "/private", "/moved")

    assert [each.outcome for each in got] == ["fetched", "disallowed", "disallowed"]
    assert "robots.txt of 127.0.0.1 does not allow it" in got[1].reason
    assert there.requested.count("/robots.txt") == 1
    assert "/private" not in there.requested
    assert "/private/x" not in there.requested


def test_of_your_own_site_robots_is_not_fetched(world: Any, site: Callable[..., Site]) -> None:
    there = site(robots_txt=(200, "", b"user-agent: *\ndisallow: /"), a=(200, "", b"a"))

    assert results_of(world, there, "/a", robots=False)[0].outcome == "fetched"
    assert there.requested == ["/a"]


@pytest.mark.parametrize("status", [500, 503])
def test_where_robots_cannot_be_read_nothing_is_fetched(world: Any, site: Callable[..., Site], status: int) -> None:
    there = site(robots_txt=(status, "", b""), a=(200, "", b"a"))

    (got,) = results_of(world, there, "/a")

    assert got.outcome == "disallowed"
    assert f"status {status}" in got.reason
    assert "/a" not in there.requested


def test_passing_errors_are_retried_and_lasting_ones_reported(world: Any, site: Callable[..., Site]) -> None:
    answers = iter([(503, "Retry-After: 0", b""), (200, "", b"at last")])
    there = site(busy=lambda to, request: next(answers), broken=(500, "", b"x"), gone=(404, "", b""))

    busy, broken, gone = results_of(world, there, "/busy", "/broken", "/gone", robots=False)

    assert (busy.status, busy.data, busy.attempts) == (200, b"at last", 2)
    assert (broken.status, broken.attempts) == (500, 2)
    assert (gone.status, gone.attempts) == (404, 1)


def test_a_server_that_requests_an_hour_is_left_alone(world: Any, site: Callable[..., Site]) -> None:
    there = site(a=(429, "Retry-After: 3600", b""), b=(200, "", b"b"))

    got = results_of(world, there, "/a", "/b", robots=False, manners=Manners(rate=0, connections=1))

    assert (got[0].status, got[0].attempts) == (429, 1)
    assert got[1].outcome == "not_fetched"
    assert "requested a pause of 3600 s" in got[1].reason


def test_a_host_that_never_answers_is_given_up(world: Any, site: Callable[..., Site]) -> None:
    over = threading.Event()
    there = site(**{f"p{n}": lambda to, request: over.wait(5) and None for n in range(6)})
    manners = Manners(rate=0, retries=0, patience=2, connections=1)
    limits = Limits(total_s=0.2, connect_s=0.2, read_s=0.1)

    got = results_of(world, there, *(f"/p{n}" for n in range(6)), robots=False, manners=manners, limits=limits)
    over.set()

    assert [each.outcome for each in got] == ["failed", "failed", *["not_fetched"] * 4]
    assert "2 times in a row nothing came" in got[-1].reason
    assert len(there.requested) == 2


def test_pages_left_when_time_ends_are_reported(world: Any, site: Callable[..., Site]) -> None:
    there = site(a=(200, "", b"a"), b=(200, "", b"b"))

    got = results_of(world, there, "/a", "/b", robots=False, manners=Manners(rate=0.001, total_s=60))

    assert [each.outcome for each in got] == ["fetched", "not_fetched"]
    assert "the time for fetching, 60 s, was over" in got[1].reason


def test_one_host_gets_a_bounded_number_of_connections(world: Any, site: Callable[..., Site]) -> None:
    there_now, most, lock = 0, 0, threading.Lock()

    def answer(to: Any, request: bytes) -> tuple[int, str, bytes]:
        nonlocal there_now, most
        with lock:
            there_now += 1
            most = max(most, there_now)
        threading.Event().wait(0.02)
        with lock:
            there_now -= 1
        return 200, "", b"x"

    there = site(**{f"p{n}": answer for n in range(10)})

    results_of(world, there, *(f"/p{n}" for n in range(10)), robots=False, manners=Manners(rate=0, connections=2))

    assert 1 <= most <= 2


class Memory(dict[str, CachedResponse]):
    recall = dict.get

    def keep(self, url: str, answer: CachedResponse) -> None:
        self[url] = answer


def test_what_has_not_changed_is_not_sent_again(world: Any, site: Callable[..., Site]) -> None:
    def answer(to: Any, request: bytes) -> tuple[int, str, bytes]:
        return (304, 'ETag: "1"', b"") if b'If-None-Match: "1"' in request else (200, 'ETag: "1"', b"page")

    there = site(a=answer, moved=(302, "Location: /a", b""), secret=(200, 'ETag: "2"\r\nCache-Control: no-store', b"s"))
    memory = Memory()
    paths = ("/a", "/moved", "/secret")

    first = results_of(world, there, *paths, robots=False, memory=memory)
    second = results_of(world, there, *paths, robots=False, memory=memory)

    assert [each.outcome for each in first] == ["fetched"] * 3
    assert [each.outcome for each in second] == ["unchanged", "unchanged", "fetched"]
    assert [each.data for each in second] == [each.data for each in first]
    assert second[1].url.reveal() == f"{there.at}/a"


def pages_of_sitemap(world: Any, site: Site, start: str = "/sitemap.xml", **how: Any) -> Any:
    with crawler(world, **how.pop("crawl", {})) as fetching:
        return fetching.sitemap_pages(f"{site.at}{start}", **how)


def index(*urls: str) -> tuple[int, str, bytes]:
    return (
        200,
        "",
        f"<sitemapindex>{''.join(f'<sitemap><loc>{u}</loc></sitemap>' for u in urls)}</sitemapindex>".encode(),
    )


def urls(*urls: str) -> tuple[int, str, bytes]:
    return 200, "", f"<urlset>{''.join(f'<url><loc>{u}</loc></url>' for u in urls)}</urlset>".encode()


def test_an_index_that_leads_in_a_circle_ends(world: Any, site: Callable[..., Site]) -> None:
    there = site()
    there.pages |= {
        "/sitemap.xml": index(f"{there.at}/sitemap.xml", f"{there.at}/one.xml", f"{there.at}/gone.xml"),
        "/one.xml": index(f"{there.at}/sitemap.xml", f"{there.at}/two.xml"),
        "/two.xml": urls("https://example.com/a", "https://example.com/a", "https://example.com/b"),
    }

    found = pages_of_sitemap(world, there)

    assert found.pages == ["https://example.com/a", "https://example.com/b"]
    assert found.errors == [(f"{there.at}/gone.xml", "the server answered with status 404")]
    assert there.requested.count("/sitemap.xml") == 1


def test_an_index_without_an_end_has_one(world: Any, site: Callable[..., Site]) -> None:
    there = site()
    for number in range(8):
        there.pages[f"/{number}"] = index(f"{there.at}/{number + 1}")

    found = pages_of_sitemap(world, there, "/0")

    assert found.errors == [(f"{there.at}/4", "it lies too deep: an index names an index")]
    assert "/4" not in there.requested


def test_the_sitemaps_of_a_site_come_from_its_robots(world: Any, site: Callable[..., Site]) -> None:
    there = site(mine_xml=urls("https://example.com/a"), sitemap_xml=urls("https://example.com/b"))

    assert pages_of_sitemap(world, there, "/").pages == ["https://example.com/b"]
    there.pages["/robots.txt"] = (200, "", f"Sitemap: {there.at}/mine.xml".encode())
    assert pages_of_sitemap(world, there, "/").pages == ["https://example.com/a"]


def test_no_more_pages_are_taken_than_requested(world: Any, site: Callable[..., Site]) -> None:
    there = site(sitemap_xml=urls(*(f"https://example.com/{n}" for n in range(5))))

    found = pages_of_sitemap(world, there, crawl={"manners": Manners(rate=0, urls=4)}, already=1)

    assert (len(found.pages), found.over) == (3, 2)


def test_a_crawl_ends_even_if_an_address_does_not(
    world: Any, site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = site(a=(200, "", b"a"))
    monkeypatch.setattr(crawl, "_GRACE_S", 0.1)
    monkeypatch.setattr(Crawler, "_result", lambda self, errand: asyncio.Event().wait())

    (got,) = results_of(world, there, "/a", manners=Manners(rate=0, total_s=0.1))

    assert got.outcome == "not_fetched"
