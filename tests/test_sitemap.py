"""`waypost validate --sitemap` and `--urls` against a server that misbehaves in every way: it ends, and says so."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from waypost.cli import main

ERROR = "event-ends-before-start"
PAGE = (
    b'<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Event",'
    b' "startDate": "2026-05-02", "endDate": "2025-05-03"}</script>'
)
OVER = threading.Event()


class Handler(BaseHTTPRequestHandler):
    """`/page*` is a page; the other names say what is wrong with them."""

    def do_GET(self) -> None:
        self.server.requested.append(self.path)  # type: ignore[attr-defined]
        name = self.path.strip("/").partition("?")[0].partition(".")[0]
        getattr(self, f"_{name}", self._page)()

    def _send(self, body: bytes, status: int = 200, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for header, value in headers:
            self.send_header(header, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _urlset(self, *names: str, tag: str = "url", when: str = "") -> bytes:
        host = self.headers["Host"]
        root = "urlset" if tag == "url" else "sitemapindex"
        entries = "".join(f"<{tag}><loc>http://{host}/{name}</loc>{when}</{tag}>" for name in names)
        return f"<{root}>{entries}</{root}>".encode()

    def _page(self) -> None:
        if '"1"' in self.headers.get("If-None-Match", ""):
            self._send(b"", 304, ("ETag", '"1"'))
        else:
            self._send(PAGE, 200, ("Content-Type", "text/html"), ("ETag", '"1"'))

    def _robots(self) -> None:
        self._send(b"User-agent: *\nDisallow: /secret")

    def _sitemap(self) -> None:
        self._send(self._urlset("one.xml", "loop.xml", "missing", tag="sitemap"))

    def _loop(self) -> None:
        self._send(self._urlset("sitemap.xml", "loop.xml", tag="sitemap"))

    def _one(self) -> None:
        names = ("page", "page2", "broken", "circle", "large", "bomb", "secret", "headers", "inside")
        self._send(gzip.compress(self._urlset(*names)))

    def _stuck(self) -> None:
        self._send(self._urlset("page", "slow", "silent"))

    def _old(self) -> None:
        self._send(self._urlset("page", when="<lastmod>2020-01-01</lastmod>"))

    def _none(self) -> None:
        self._send(b"<urlset></urlset>")

    def _missing(self) -> None:
        self._send(b"", 404)

    def _slow(self) -> None:
        self.send_response(200)
        self.end_headers()
        while not OVER.wait(0.05):
            self.wfile.write(b".")

    def _silent(self) -> None:
        OVER.wait(20)

    def _broken(self) -> None:
        self._send(b"", 500)

    def _circle(self) -> None:
        self._send(b"", 302, ("Location", "/circle?again" if "?" not in self.path else "/circle"))

    def _large(self) -> None:
        self._send(b" " * 20_000_001)

    def _bomb(self) -> None:
        self._send(gzip.compress(b" " * 30_000_000, 1), 200, ("Content-Encoding", "gzip"))

    def _secret(self) -> None:
        raise AssertionError("this must never be asked for")

    def _headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not OVER.is_set():
            self.wfile.write(b"X-More: yes\r\n" * 100)

    def _inside(self) -> None:
        self._send(b"", 302, ("Location", "http://127.0.0.2:9/"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the base class
        """Quiet."""


class Server(ThreadingHTTPServer):
    requested: list[str]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that break off are what this is about."""


@pytest.fixture
def server() -> Iterator[Server]:
    OVER.clear()
    made = Server(("127.0.0.1", 0), Handler)
    made.requested = []
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    OVER.set()
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def site(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    status = main(["validate", "--json", "--no-config", "--rate", "0", "--retries", "0", *argv])
    out, err = capsys.readouterr()
    return status, json.loads(out), err


def test_a_crawl_of_a_misbehaving_site_reports_each_page(
    server: Server, site: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, report, err = checked(capsys, "--sitemap", f"{site}/sitemap.xml")

    fates = {file["path"].removeprefix(site): file for file in report["files"]}
    assert [finding["rule"] for finding in fates["/page"]["findings"]] == [
        finding["rule"] for finding in fates["/page2"]["findings"]
    ]
    assert ERROR in [finding["rule"] for finding in fates["/page"]["findings"]]
    for path, outcome, message in (
        ("/broken", "fetched", "status 500"),
        ("/circle", "failed", "redirects in a circle"),
        ("/large", "failed", "larger than 20000000 bytes"),
        ("/bomb", "failed", "larger than 20000000 bytes"),
        ("/secret", "disallowed", "robots.txt of 127.0.0.1 does not allow it"),
        ("/headers", "failed", "more headers than are read"),
        ("/inside", "refused", "127.0.0.2 is a loopback address"),
    ):
        assert fates[path]["fetch"]["outcome"] == outcome, path
        assert re.search(message, fates[path]["error"]), path
    assert fates["/missing"]["error"] == "the server answered with status 404"
    assert status == 3
    assert report["summary"]["fetches"] == {"disallowed": 1, "failed": 4, "fetched": 3, "refused": 1}
    assert "9 addresses: 2 fetched, 1 answered with an error, 1 not allowed by robots.txt, 1 refused, 4 failed" in err
    assert server.requested.count("/sitemap.xml") == server.requested.count("/loop.xml") == 1


def test_endless_pages_cost_their_time_only(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, report, _ = checked(capsys, "--sitemap", f"{site}/stuck.xml", "--timeout", "1")

    fates = {file["path"].removeprefix(site): file for file in report["files"]}
    assert status == 3
    for path in ("/slow", "/silent"):
        assert fates[path]["fetch"]["outcome"] == "failed"
        assert "1 s" in fates[path]["error"], "which is what one page may take"


def test_pages_unchanged_since_a_day_are_left_out(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, report, err = checked(capsys, "--sitemap", f"{site}/old.xml", "--modified-since", "2026-01-01")

    assert (status, report["files"]) == (0, [])
    assert "1 pages have not changed since 2026-01-01" in err


def test_a_sitemap_without_pages_is_nothing_to_check(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = checked(capsys, "--sitemap", f"{site}/none.xml")

    assert status == 3
    assert "nothing to check" in err


def test_a_local_sitemaps_private_pages_are_rejected(
    site: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(f"<urlset><url><loc>{site}/page</loc></url></urlset>", encoding="utf-8")

    status, report, _ = checked(capsys, "--sitemap", str(file))
    assert (status, report["files"][0]["fetch"]["outcome"]) == (3, "refused")

    status, report, _ = checked(capsys, "--sitemap", str(file), "--allow-private")
    assert (status, report["files"][0]["fetch"]["outcome"]) == (1, "fetched")


def test_a_list_of_addresses_is_fetched_each_once(
    server: Server, site: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "urls.txt"
    file.write_text(f"# mine\n{site}/page # the first\n\n{site}/page\n{site}/secret\nno address\n", encoding="utf-8")

    _, report, _ = checked(capsys, "--urls", str(file), "--allow-private")

    assert [(each["path"].removeprefix(site), each["fetch"]["outcome"]) for each in report["files"]] == [
        ("/page", "fetched"), ("/secret", "disallowed"), ("no address", "refused"),
    ]  # fmt: skip
    assert server.requested.count("/page") == 1


def test_with_a_cache_only_what_has_changed_is_sent(
    site: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    argv = ("--urls", str(tmp_path / "urls.txt"), "--allow-private", "--cache", str(tmp_path / "kept"))
    (tmp_path / "urls.txt").write_text(f"{site}/page\n", encoding="utf-8")

    _, first, _ = checked(capsys, *argv)
    _, second, err = checked(capsys, *argv)

    assert second["files"][0]["fetch"] == {"outcome": "unchanged", "status": 200}
    assert second["files"][0]["findings"] == first["files"][0]["findings"]
    assert "1 address: 1 unchanged since the last run" in err


def test_more_pages_than_allowed_are_left_out_and_reported(
    site: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "urls.txt"
    file.write_text(f"{site}/page\n{site}/page2\n{site}/page3\n", encoding="utf-8")

    _, report, err = checked(capsys, "--urls", str(file), "--max-urls", "2")

    assert len(report["files"]) == 2
    assert "1 of 3 addresses are left out; --max-urls 2 allows no more" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--urls", "missing.txt"), "no such file"),
        (("--urls", "-", "-"), "standard input can be read once"),
        (("--sitemap", "x.xml", "--max-urls", "0"), "give 1 or more"),
        (("--sitemap", "x.xml", "--modified-since", "lately"), "as 7d for seven days"),
        (("--sitemap", "x.xml", "--timeout", "0"), "more than 0 seconds"),
    ],
)
def test_an_impossible_combination_is_rejected(
    capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], message: str
) -> None:
    assert main(["validate", *argv]) == 2
    assert message in capsys.readouterr().err
