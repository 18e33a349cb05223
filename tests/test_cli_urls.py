"""Pages that the command line fetches itself, from a server on loopback."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from waypost.cli import main
from waypost.lint.fetching import policy_for
from waypost.net.fetch import read_url

ERROR = "event-ends-before-start"
DATA = (
    '{"@context": "https://schema.org", "@type": "Event", "@id": "#x",'
    ' "startDate": "2026-05-02", "endDate": "2025-05-03"}'
)
PAGES: dict[str, tuple[int, str, bytes]] = {
    "/page": (200, "text/html; charset=utf-8", f'<script type="application/ld+json">{DATA}</script>'.encode()),
    "/latin": (200, "text/html; charset=iso-8859-1",
               f'<title>caf\xe9</title><script type="application/ld+json">{DATA}</script>'.encode("latin-1")),
    "/data": (200, "application/ld+json", DATA.encode()),
    "/unnamed": (200, "application/octet-stream", DATA.encode()),
    "/picture": (200, "image/png", b"\x89PNG\r\n\x1a\n" + bytes(40)),
    "/gone": (404, "text/html", b"<title>not here</title>"),
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/page")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path == "/inside":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.2:1/page")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        status, media_type, body = PAGES[self.path]
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the base class
        """Quiet."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any]]:
    status = main(["validate", "--json", *argv])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("path", ["/page", "/latin", "/data", "/unnamed", "/moved"])
def test_a_page_is_fetched_and_checked(site: str, capsys: pytest.CaptureFixture[str], path: str) -> None:
    status, report = checked(capsys, f"{site}{path}", "--allow-private")

    assert status == 1
    assert report["files"][0]["path"] == f"{site}{path}"
    assert ERROR in [finding["rule"] for finding in report["files"][0]["findings"]]


def test_relative_ids_resolve_against_the_final_address(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, report = checked(capsys, f"{site}/moved", "--allow-private")

    assert report["files"][0]["items"][0]["id"] == f"{site}/page#x"


def test_a_code_frame_uses_the_servers_encoding(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["validate", f"{site}/latin", "--allow-private", "--verbose"])

    assert '"endDate": "2025-05-03"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "reason"), [("/gone", "status 404"), ("/picture", "not a page but image/png")]
)  # fmt: skip
def test_an_answer_that_is_not_a_page_is_unreadable(
    site: str, capsys: pytest.CaptureFixture[str], path: str, reason: str
) -> None:
    status, report = checked(capsys, f"{site}{path}", f"{site}/page", "--allow-private")

    assert status == 3
    assert reason in report["files"][0]["error"]
    assert ERROR in [finding["rule"] for finding in report["files"][1]["findings"]]


def test_an_address_that_is_named_may_be_private(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, report = checked(capsys, f"{site}/page")

    assert status == 1
    assert report["files"][0]["fetch"] == {"outcome": "fetched", "status": 200}


def test_named_address_must_lead_to_public_hosts_by_default(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, report = checked(capsys, f"{site}/inside", "--retries", "0")

    assert status == 3
    assert "--allow-private" in report["files"][0]["error"]
    assert report["summary"]["fetches"] == {"refused": 1}


def test_pages_from_servers_and_files_stay_in_order(
    site: str, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.html").write_text("<title>nothing</title>")

    argv = (str(tmp_path), f"{site}/page", str(tmp_path / "missing.html"), "--allow-private", "--jobs")

    assert checked(capsys, *argv, "2") == checked(capsys, *argv, "1")


def test_a_redirect_may_not_lead_to_a_named_loopback(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, report = checked(capsys, f"{site}/inside", "http://127.0.0.2:1/page", "--retries", "0")

    rejected, failed = (file["fetch"]["outcome"] for file in report["files"])
    assert (rejected, failed) == ("refused", "failed")


def test_loopback_that_only_a_list_names_is_not_fetched(
    site: str, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    (tmp_path / "urls.txt").write_text(f"{site}/page\n")

    status, report = checked(capsys, "--urls", str(tmp_path / "urls.txt"), "--ignore-robots", "--retries", "0")

    assert status == 3
    assert "--allow-private" in report["files"][0]["error"]
    assert checked(capsys, "--urls", str(tmp_path / "urls.txt"), "--ignore-robots", "--allow-private")[0] == 1


def test_loopback_that_only_a_sitemap_names_is_not_fetched(
    site: str, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    (tmp_path / "sitemap.txt").write_text(f"{site}/page\n")

    status, report = checked(capsys, "--sitemap", str(tmp_path / "sitemap.txt"), "--ignore-robots", "--retries", "0")

    assert status == 3
    assert "--allow-private" in report["files"][0]["error"]


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("http://localhost:8000/", True),
        ("http://127.0.0.1:8000/", True),
        ("http://[::1]:8000/", True),
        ("http://10.0.0.1/", False),
        ("http://192.168.1.5:8080/", False),
        ("http://printer.local/", False),
        ("http://169.254.169.254/", False),
    ],
)
def test_of_private_addresses_only_loopback_may_be_named(url: str, is_allowed: bool) -> None:
    target = read_url(url)

    assert (target.host, target.port) not in policy_for([], False, [url]).named
    assert ((target.host, target.port) in policy_for([url], False).named) is is_allowed


def test_a_rejected_connection_is_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.socket()) as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen

        assert main(["validate", f"http://127.0.0.1:{closed.getsockname()[1]}/"]) == 3

    assert "127.0.0.1 cannot be reached: connection refused" in capsys.readouterr().out
