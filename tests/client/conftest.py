"""A decision as a service would give it, and a server on loopback that answers with any bytes at any pace."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

KEY = "wp_live_k4n4ryk4n4ryk4n4ryk4n4ryk4n4ryk4n4ryk"
URL = "https://shop.example/cart?token=s3cr3t"

Reply = Callable[[socket.socket, bytes], None]


def decision_body(**changed: Any) -> dict[str, Any]:
    """A decision that lets a payment at shop.example go ahead; None takes a member away."""
    members = {
        "decision_id": "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10",
        "normalized_domain": "shop.example",
        "relationship_status": "verified_official",
        "risk_status": "no_high_risk_signal_observed",
        "action": "payment",
        "action_allowed": True,
        "reason_codes": ["official_relationship_verified"],
        "confidence_class": "high",
        "unknowns": ["threat_list_not_configured"],
        "expires_at": written(datetime.now(UTC) + timedelta(minutes=5)),
        "dispute_path": "/v1/decisions/9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10/disputes",
    }
    return {name: value for name, value in (members | changed).items() if value is not None}


def written(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def answer(status: int, body: bytes, *headers: str, media: str = "application/json") -> bytes:
    """An HTTP answer as it goes over the wire."""
    head = [f"HTTP/1.1 {status} X", f"Content-Type: {media}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(head).encode() + body


def decided(**changed: Any) -> bytes:
    return answer(200, json.dumps(decision_body(**changed)).encode())


class Server:
    """Answers every request in the same way. `seen` are the requests as they came."""

    def __init__(self, reply: bytes | Reply) -> None:
        self._reply = reply if callable(reply) else lambda line, _: line.sendall(reply)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.seen: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._listening.accept()
            except OSError:
                return
            self._open.append(line)
            threading.Thread(target=self._converse, args=(line,), daemon=True).start()

    def _converse(self, line: socket.socket) -> None:
        try:
            line.settimeout(10)
            while request := _request(line):
                self.seen.append(request)
                self._reply(line, request)
        except OSError:
            return
        finally:
            line.close()

    def close(self) -> None:
        self._listening.close()
        for each in self._open:
            each.close()


def _request(line: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = line.recv(65536)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(each.lower().split(b":", 1) for each in head.split(b"\r\n")[1:])
    while len(body) < int(fields.get(b"content-length", b"0")):
        body += line.recv(65536)
    return head + b"\r\n\r\n" + body


def drip(data: bytes, pause_s: float = 0.05) -> Reply:
    """Send a byte now and then."""

    def reply(line: socket.socket, _: bytes) -> None:
        for byte in data:
            line.sendall(bytes([byte]))
            time.sleep(pause_s)

    return reply


def silent(line: socket.socket, _: bytes) -> None:
    time.sleep(10)


@pytest.fixture
def serving() -> Iterator[Callable[[bytes | Reply], Server]]:
    servers: list[Server] = []

    def start(reply: bytes | Reply) -> Server:
        servers.append(Server(reply))
        return servers[-1]

    yield start
    for each in servers:
        each.close()


@pytest.fixture
def wire() -> Any:
    """The helpers above, for tests that cannot import this file."""
    import types

    return types.SimpleNamespace(
        KEY=KEY,
        URL=URL,
        decision_body=decision_body,
        written=written,
        answer=answer,
        decided=decided,
        drip=drip,
        silent=silent,
    )
