"""QUERY over the wire: through uvicorn, and through nginx by the configuration that ships."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.test_serving import running

pytest.importorskip("uvicorn", reason="the extra server is not installed")

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
DEPLOYED = Path(__file__).parents[1] / "deploy" / "nginx.conf"
Sent = tuple[int, dict[str, str], Any]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    with running("--no-build", "--data", str(tmp_path_factory.mktemp("data"))) as (_, report):
        yield int(report["site_url"].rpartition(":")[2]), report["key"]


def send(port: int, key: str, query: str, method: str = "QUERY", **headers: str) -> Sent:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
    line.request(method, "/v1/search", json.dumps({"query": query, "limit": 3}), sent)
    answer = line.getresponse()
    text = answer.read()
    line.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, json.loads(text or b"null")


def names(answer: Sent) -> list[str]:
    assert answer[0] == 200, answer
    return [hit["name"] for hit in answer[2]["results"]]


@contextmanager
def nginx_before(port: int, folder: Path) -> Iterator[int]:
    """nginx by the configuration that ships, with the addresses of this test and a cache that it must not use."""
    assert NGINX
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = int(free.getsockname()[1])
    text = DEPLOYED.read_text("utf-8").replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    text = re.sub(r"listen 443 ssl;", f"listen 127.0.0.1:{own};", text)
    text = re.sub(r"\n *ssl_certificate\w* [^\n]+", "", text).replace("/var/log/nginx/", f"{folder}/")
    assert "ssl" not in text
    paths = " ".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"pid {folder}/pid; error_log {folder}/errors; events {{}} http {{ {paths} "
        f"proxy_cache_path {folder}/cache keys_zone=all:1m;\n{text} }}",
        "utf-8",
    )
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(config), "-g", "daemon off; user root;"])
    try:
        for _ in range(2400):
            try:
                socket.create_connection(("127.0.0.1", own), 5).close()
                break
            except OSError:
                time.sleep(0.05)
        yield own
    finally:
        process.terminate()
        process.wait(120)


def check(port: int, key: str) -> None:
    first, other = send(port, key, "adidas"), send(port, key, "siemens")

    assert names(first) == names(send(port, key, "adidas", "POST"))
    assert names(first) != names(other)
    assert (first[1]["accept-query"], first[1]["cache-control"]) == ('"application/json"', "private, max-age=30")
    assert send(port, key, "no such name at all")[2]["results"] == []
    assert send(port, "wp_live_nobody", "adidas")[0] == 401


def test_uvicorn_takes_a_query_with_a_body(service: tuple[int, str]) -> None:
    check(*service)


@pytest.mark.skipif(NGINX is None, reason="there is no nginx here")
def test_nginx_in_front_passes_a_query_on(service: tuple[int, str], tmp_path: Path) -> None:
    port, key = service
    with nginx_before(port, tmp_path) as own:
        check(own, key)
    log = (tmp_path / "waypost.log").read_text("utf-8")
    assert log.count('"QUERY" 200') == 3
    assert "search" not in log


def test_both_parsers_of_uvicorn_know_the_method() -> None:
    h11 = pytest.importorskip("h11")
    httptools = pytest.importorskip("httptools")
    request = b"QUERY /v1/search HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}"

    line = h11.Connection(h11.SERVER)
    line.receive_data(request)
    parser = httptools.HttpRequestParser(type("Nothing", (), {})())
    parser.feed_data(request)

    assert (line.next_event().method, parser.get_method()) == (b"QUERY", b"QUERY")
