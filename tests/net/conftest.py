"""A hostile world on loopback: servers that do as they are told and count who came, and a resolver that lies.

`here` stands for the public internet: the tests' policy lets 127.0.0.1 through and nothing else.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from waypost.net.address import AddressPolicy
from waypost.net.resolve import Answer
from waypost.net.wire import Limits

HERE = "127.0.0.1"
CERTIFICATES = Path(__file__).parent / "certificates"

_connects: list[str] = []
sys.addaudithook(lambda event, what: _connects.append(str(what[1][0])) if event == "socket.connect" else None)


class Server:
    """Accepts, notes what was asked, and lets `answer(socket, request)` do the rest; with `greets` it speaks first."""

    def __init__(
        self,
        answer: Callable[[socket.socket, bytes], None],
        certificate: str | None = None,
        greets: bool = False,
    ) -> None:
        self._greets = greets
        self.requests: list[bytes] = []
        self.connections = 0
        self._answer = answer
        self._trust = None
        if certificate:
            self._trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._trust.load_cert_chain(CERTIFICATES / f"{certificate}.pem")
        self._listening = socket.create_server((HERE, 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(taken)
            thread = threading.Thread(target=self._talk, args=(taken,))
            self._threads.append(thread)
            thread.start()

    def _talk(self, taken: socket.socket) -> None:
        try:
            with taken:
                plain = self._trust.wrap_socket(taken, server_side=True) if self._trust else taken
                with plain:
                    request = b""
                    while not self._greets and b"\r\n\r\n" not in request and (piece := plain.recv(65536)):
                        request += piece
                    self.requests.append(request)
                    self._answer(plain, request)
        except OSError:
            pass

    def close(self) -> None:
        # A listening socket that is only closed leaves its accept() asleep.
        for each in [self._listening, *self._open]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._listening.close()
        for thread in self._threads:
            thread.join()


class Names:
    """A resolver that answers from a table: one answer after another for each name, the last one for ever."""

    def __init__(self, **table: list[Answer | str]) -> None:
        self.table = {name.replace("_", "."): list(answers) for name, answers in table.items()}
        self.queries: list[str] = []
        self.servers: tuple[str, ...] = ()

    async def name_servers(self, domain: str, *, within_s: float) -> tuple[str, ...]:
        return self.servers

    async def resolve(self, host: str, *, within_s: float) -> Answer:
        self.queries.append(host)
        answers = self.table.get(host, [Answer("no_such_name")])
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return found if isinstance(found, Answer) else Answer("found", tuple(found.split()), ttl_s=300)


def replies(head: str, body: bytes = b"") -> Callable[[socket.socket, bytes], None]:
    """An answer given whole."""
    return lambda to, _: to.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)


def page(body: bytes, *headers: str) -> Callable[[socket.socket, bytes], None]:
    more = "".join(f"\n{each}" for each in headers)
    return replies(f"HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nContent-Length: {len(body)}{more}", body)


def sends_to(location: str, status: int = 302) -> Callable[[socket.socket, bytes], None]:
    return replies(f"HTTP/1.1 {status} Moved\nLocation: {location}\nContent-Length: 0")


class World:
    """The helpers above in one fixture, and servers that are gone after the test."""

    HERE, Names, Answer = HERE, Names, Answer
    replies, page, sends_to = staticmethod(replies), staticmethod(page), staticmethod(sends_to)
    policy = AddressPolicy(allow=(ip_network(HERE),), ports=None)
    limits = Limits(total_s=10, connect_s=5, read_s=5)

    def __init__(self) -> None:
        self._servers: list[Server] = []
        self._before = len(_connects)

    def server(
        self, answer: Callable[[socket.socket, bytes], None], certificate: str | None = None, greets: bool = False
    ) -> Server:
        self._servers.append(Server(answer, certificate, greets))
        return self._servers[-1]

    @staticmethod
    def join(one: socket.socket, other: socket.socket) -> None:
        """Pass on what each side sends, until one of them ends."""
        with selectors.DefaultSelector() as ready:
            for side in (one, other):
                ready.register(side, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if not (data := key.fileobj.recv(65536)):  # type: ignore[union-attr]
                        return
                    (other if key.fileobj is one else one).sendall(data)

    @property
    def connected_to(self) -> set[str]:
        """Every address that this process has tried to connect to during the test."""
        return set(_connects[self._before :])

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(CERTIFICATES / "authority.pem"))

    def close(self) -> None:
        for server in self._servers:
            server.close()


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()
    assert all(address.startswith("127.") for address in made.connected_to)
