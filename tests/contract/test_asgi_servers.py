"""The application runs under other ASGI servers than the one of `waypost serve`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from waypost.cli import main

httpx = pytest.importorskip("httpx")

FACTORY = "waypost.api.asgi:application"
SERVERS = {
    "granian": ["granian", "--interface", "asgi", "--factory", FACTORY, "--no-access-log", "--port"],
    "hypercorn": ["hypercorn", f"{FACTORY}()", "--bind"],
}
PRODUCT = (
    b'<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Lamp"}</script>'
)


@pytest.fixture(params=SERVERS)
def address(request: pytest.FixtureRequest, key: str, tmp_path: Path) -> Iterator[str]:
    pytest.importorskip(request.param)
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program, *arguments = SERVERS[request.param]
    variables = {"WAYPOST_DATA": str(tmp_path / "data"), "WAYPOST_OFFLINE": "1", "WAYPOST_LOG": "none"}
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    command.append(str(port) if program == "granian" else f"127.0.0.1:{port}")
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, env=os.environ | variables, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, process)
            yield address
        finally:
            process.terminate()
            assert process.wait(120) == 0, (tmp_path / "log").read_text()


@pytest.fixture
def key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """API key of a new organization in a new store."""
    data = ["--data", str(tmp_path / "data")]
    assert main(["org", "create", "Acme", *data]) == 0
    capsys.readouterr()
    assert main(["keys", "create", "--name", "t", "--scopes", "validate,agent", "--json", *data]) == 0
    made = msgspec.json.decode(capsys.readouterr().out)
    assert isinstance(made["key"], str)
    return made["key"]


def test_pages_and_decisions_are_answered(address: str, key: str) -> None:
    with httpx.Client(base_url=address, headers={"authorization": f"Bearer {key}"}, timeout=60) as client:
        html = {"content-type": "text/html"}
        small = client.post("/v1/validate", content=PRODUCT, headers=html)
        large = client.post("/v1/validate", content=PRODUCT + b"<p>" + b"x" * 400_000, headers=html)
        in_chunks = client.post("/v1/validate", content=iter([PRODUCT, b"<p>more"]), headers=html)
        decision = client.post("/v1/agent-safety", json={"url": "https://example.com/", "intended_action": "payment"})
        malformed = client.post("/v1/agent-safety", content=b"{", headers={"content-type": "application/json"})
        head = client.head("/v1/schema/Product")

    assert [answer.status_code for answer in (small, large, in_chunks, decision, malformed, head)] == [
        200, 200, 200, 200, 400, 200,
    ]  # fmt: skip
    assert small.json()["files"][0]["items"] == large.json()["files"][0]["items"]
    assert small.json()["files"][0]["items"] == in_chunks.json()["files"][0]["items"]
    assert decision.json()["action_allowed"] is False
    assert malformed.json()["code"] == "malformed-json"
    assert head.content == b""


def test_settings_that_the_service_rejects_are_an_error(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.api.asgi import application
    from waypost.api.settings import SettingsError

    assert key
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WAYPOST_SITE_URL", "http://trust.example.com")

    with pytest.raises(SettingsError, match="site_url: keys and sign-in links would travel in the clear"):
        application()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        try:
            if httpx.get(f"{address}/v1/schema/Product").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail("the server does not answer")
