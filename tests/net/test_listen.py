"""Listening sockets: what a client that never reads can make the system keep."""

from __future__ import annotations

import contextlib
import socket
import time

import pytest

from waypost.net import listen as listening


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no such option")
def test_system_throws_away_what_a_client_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "STUCK_S", 0.2)
    with listening.listen("127.0.0.1", 0) as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(10)
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            accepted.setblocking(False)
            sent = accepted.send(b"a" * 1_000_000)

        time.sleep(2)

        assert received(client) < sent


@pytest.mark.skipif(not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="this system has no such option")
def test_the_system_buffers_little_for_a_slow_client() -> None:
    with listening.listen("127.0.0.1", 0) as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            accepted.setblocking(False)
            sent = 0
            with contextlib.suppress(BlockingIOError):
                while sent < 10_000_000:
                    sent += accepted.send(b"a" * 10_000)

    assert sent < listening.UNSENT + 100_000


def test_connection_that_is_cut_off_leaves_nothing_to_send() -> None:
    with listening.listen("127.0.0.1", 0) as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(10)
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        accepted.setblocking(False)
        sent = accepted.send(b"a" * 1_000_000)

        listening.discard_unsent(accepted)
        accepted.close()

        assert received(client) < sent


def received(client: socket.socket) -> int:
    """Bytes until the connection ends, in order or not."""
    count = 0
    try:
        while data := client.recv(65536):
            count += len(data)
    except ConnectionError:
        pass
    return count
