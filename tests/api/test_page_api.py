"""A page fetched for the box of the site: what is fetched, and what never is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.api.conftest import Api

from waypost.api.handlers import page
from waypost.net import fetch
from waypost.net.address import ALLOW_PRIVATE
from waypost.service import page_work

PAGES = {
    "/": ("text/html; charset=iso-8859-1", "<title>caf\u00e9</title>".encode("latin-1")),
    "/logo.png": ("image/png", b"\x89PNG\r\n\x1a\n\0"),
    "/large": ("text/html", b"x" * (page.MOST_PAGE + 1)),
}


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        media, data = PAGES.get(self.path, ("text/html", b"gone"))
        self.send_response(200 if self.path in PAGES else 404)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def online(open_api: Callable[..., Api]) -> Api:
    return open_api(offline=False)


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetches may reach this machine, as no fetch of a service may."""
    monkeypatch.setattr(fetch, "fetch_async", partial(fetch.fetch_async, policy=ALLOW_PRIVATE))


def send_request(api: Api, url: str) -> Any:
    return api.call("POST", "/api/page", json={"url": url})


def test_a_page_comes_as_text_whatever_its_encoding(online: Api, near: None, site: str) -> None:
    answer = send_request(online, f"{site}/#part")

    assert answer.status_code == 200
    assert answer.json() == {"url": f"{site}/", "status": 200, "text": "<title>café</title>"}


def test_no_page_is_decoded_on_the_event_loop(
    online: Api, near: None, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_work, "decode", None)  # of this process; workers have their own

    assert send_request(online, f"{site}/").json()["text"] == "<title>café</title>"


def test_a_missing_page_is_reported_by_its_status(online: Api, near: None, site: str) -> None:
    assert send_request(online, f"{site}/gone").json()["status"] == 404


@pytest.mark.parametrize(
    ("path", "status", "code"), [("/logo.png", 422, "fetch-refused"), ("/large", 502, "fetch-failed")]
)
def test_what_is_not_a_page_is_not_handed_on(
    online: Api, near: None, site: str, path: str, status: int, code: str
) -> None:
    answer = send_request(online, f"{site}{path}")

    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/latest",
     "http://0x7f.1/", "ftp://192.0.2.1/", "file:///etc/passwd", "https://192.0.2.1:8443/", "no address"],
)  # fmt: skip
def test_only_public_addresses_of_the_web_are_fetched(online: Api, url: str) -> None:
    answer = send_request(online, url)

    assert (answer.status_code, answer.json()["code"]) == (422, "fetch-refused")
    assert "--allow-private" not in answer.text
    assert "latest" not in answer.text


def test_an_offline_service_reports_it(api: Api) -> None:
    answer = send_request(api, "https://www.example.com/")

    assert answer.json()["code"] == "fetch-refused"
    assert "offline" in answer.json()["detail"]


def test_an_address_may_request_ten_pages_a_minute(api: Api) -> None:
    statuses = [send_request(api, "https://www.example.com/").status_code for _ in range(11)]

    assert statuses == [422] * 10 + [429]
