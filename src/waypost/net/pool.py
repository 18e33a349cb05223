"""Open connections of a crawl, over HTTP/1.1 and HTTP/2, to addresses checked by the guard.

httpcore2 is the HTTP client and the pool. The network backend here connects only to the addresses checked for a host
right before, or to the proxy of the user. Redirects, encodings, headers and limits belong to the caller.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpcore2

from waypost.errors import FetchFailed
from waypost.formats.ip_addresses import literal
from waypost.net.access import AccessError, Proxy
from waypost.net.encodings import unpacker
from waypost.net.fetch import DEFAULT_PORTS, Stop
from waypost.net.trust import new_trust
from waypost.net.wire import Head, Limits, connecting, dial, read_head

Certificate = tuple[str, str | None]
IDLE_S = 15.0
"""Seconds for an idle connection: fewer than servers usually wait."""
_MOST_STALE = 3
"""Tries on connections closed by the server just before a request."""


class Pool:
    """Open connections to origins and proxies, for one event loop.

    trust  TLS context of connections without a client certificate; by default with the trust store of the machine.
    """

    def __init__(self, limits: Limits, trust: ssl.SSLContext | None, together: int) -> None:
        self._limits, self._trust, self._together = limits, trust, together
        self._backend = _Backend()
        self._pools: dict[tuple[bool, Certificate | None, Proxy | None], httpcore2.AsyncConnectionPool] = {}

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    @asynccontextmanager
    async def get(
        self,
        stop: Stop,
        addresses: Sequence[str],
        headers: Mapping[str, str],
        limits: Limits,
        *,
        certificate: Certificate | None = None,
        proxy: Proxy | None = None,
    ) -> AsyncIterator[Response]:
        """Response to a GET, closed at the end. Raises FetchFailed.

        addresses  checked addresses of the host; of no use with a proxy.
        """
        if proxy is None:
            self._backend.checked[stop.host, stop.port] = tuple(addresses)
        else:
            self._backend.checked[proxy.host, proxy.port] = await _addresses_of(proxy)
        pool = self._pool(stop.scheme == "https", certificate, proxy)
        # A server may close an idle connection at any time; a request that met a closed one is made again, on another.
        for left in reversed(range(_MOST_STALE)):
            opened: list[str] = []
            try:
                with _http_errors(stop.host):
                    response = await pool.handle_async_request(self._request(stop, headers, limits, opened))
                break
            except FetchFailed as error:
                if opened or not left or error.reason != "connection_broken":
                    raise
        try:
            head = read_head(response.headers, response.status, stop.host, limits)
            yield Response(head, response, stop.host, limits)
        finally:
            await response.aclose()

    def _request(self, stop: Stop, headers: Mapping[str, str], limits: Limits, opened: list[str]) -> httpcore2.Request:
        async def trace(event: str, _: Mapping[str, Any]) -> None:
            if event.endswith("connect_tcp.started"):
                opened.append(event)

        # A default port is left out, as in the request that a proxy gets.
        port = None if stop.port == DEFAULT_PORTS[stop.scheme] else stop.port
        timeout = {"connect": limits.connect_s, "read": limits.read_s, "write": limits.read_s}
        return httpcore2.Request(
            method=b"GET",
            url=httpcore2.URL(
                scheme=stop.scheme.encode(), host=stop.host.encode(), port=port, target=stop.target.encode()
            ),
            # Names in any case: HTTP/2 has them in lower case, which the library sees to.
            headers=[(b"Host", stop.host_header.encode())]
            + [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
            extensions={"timeout": timeout, "trace": trace},
        )

    def _pool(
        self, is_secure: bool, certificate: Certificate | None, proxy: Proxy | None
    ) -> httpcore2.AsyncConnectionPool:
        key = is_secure, certificate if is_secure else None, proxy
        if key not in self._pools:
            trust = None
            if is_secure and certificate:
                trust = with_certificate(certificate)
            elif is_secure:
                trust = self._trust = self._trust or new_trust()
            way = None
            if proxy is not None:
                host = f"[{proxy.host}]" if ":" in proxy.host else proxy.host
                given = [(b"Proxy-Authorization", proxy.authorization.encode())] if proxy.authorization else []
                way = httpcore2.Proxy(f"http://{host}:{proxy.port}", headers=given)
            self._pools[key] = httpcore2.AsyncConnectionPool(
                ssl_context=trust,
                proxy=way,
                max_connections=self._together * 2,
                max_keepalive_connections=self._together,
                keepalive_expiry=IDLE_S,
                http2=True,
                network_backend=self._backend,
            )
        return self._pools[key]


class Response:
    """Response before the body is read. `head`: status and headers."""

    def __init__(self, head: Head, response: httpcore2.Response, host: str, limits: Limits) -> None:
        self.head = head
        self._response, self._host, self._limits = response, host, limits

    async def body(self) -> tuple[bytes, bool]:
        """Unpacked body, and whether it was truncated. Raises FetchFailed."""
        stream = unpacker(self.head.headers.get("content-encoding", ""), self._host)
        unpacked, packed = bytearray(), 0
        most, cut = self._limits.body_bytes, self._limits.cut
        with _http_errors(self._host):
            async for data in self._response.aiter_stream():
                packed += len(data)
                if packed > self._limits.wire_bytes:
                    if cut:
                        return bytes(unpacked[:most]), True
                    raise FetchFailed(f"{self._host} sends more than {self._limits.wire_bytes} bytes", "too_large")
                # One byte more than allowed distinguishes a body of exactly the limit from a larger one.
                unpacked += stream.unpack(data, most - len(unpacked) + 1) if stream is not None else data
                if len(unpacked) > most:
                    if cut:
                        return bytes(unpacked[:most]), True
                    raise FetchFailed(f"the page at {self._host} is larger than {most} bytes", "too_large")
        if stream is not None and packed and not stream.is_finished:
            raise FetchFailed(f"the answer of {self._host} ends in the middle", "bad_answer")
        return bytes(unpacked), False


def with_certificate(certificate: Certificate) -> ssl.SSLContext:
    """TLS context with a client certificate. Raises AccessError for an unusable certificate."""
    path, key = certificate
    trust = new_trust()

    def no_password() -> str:
        raise AccessError(f"{key or path}: the key has a password; write it to a file without one")

    try:
        trust.load_cert_chain(path, key, no_password)
    except FileNotFoundError:
        missing = path if not os.path.exists(path) else key  # noqa: PTH110 - a text for a message
        raise AccessError(f"{missing}: there is no such file") from None
    except (ssl.SSLError, OSError) as error:
        why = error.strerror.lower() if not isinstance(error, ssl.SSLError) and error.strerror else ""
        together = f" with {key}" if key else ", nor its key" if not why else ""
        raise AccessError(f"{path}{together}: {why or 'this is not a certificate and its key as PEM'}") from None
    return trust


async def _addresses_of(proxy: Proxy) -> tuple[str, ...]:
    """Addresses of a proxy, named by the user, from the machine's resolver. Raises FetchFailed."""
    if literal(proxy.host):
        return (proxy.host,)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    except OSError:
        raise FetchFailed(f"the proxy {proxy.host} has no address", "connect_failed") from None
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


@contextmanager
def _http_errors(host: str) -> Iterator[None]:
    """Errors of the library as FetchFailed, without the library's texts, which may quote a header."""
    try:
        yield
    except httpcore2.ProxyError as error:
        status = str(error).partition(" ")[0]
        why = f"answers with status {status}" if status.isdigit() else "does not connect"
        raise FetchFailed(f"the proxy for {host} {why}", "proxy") from None
    except httpcore2.LocalProtocolError:
        raise FetchFailed(f"no request to {host} can be made of this URL", "bad_request") from None
    except httpcore2.RemoteProtocolError as error:
        # Closed before or in a response; the latter is how HTTP/2 says goodbye.
        if "disconnected" in str(error) or "ConnectionTerminated" in str(error):
            raise FetchFailed(f"{host} broke the connection off", "connection_broken") from None
        if "too large" in str(error).lower() or "too long" in str(error).lower():
            raise FetchFailed(f"{host} sent more headers than are read", "headers_too_large") from None
        raise FetchFailed(f"{host} does not answer in good HTTP", "bad_answer") from None
    except httpcore2.TimeoutException:
        raise FetchFailed(f"{host} takes too long", "timeout") from None
    except (httpcore2.NetworkError, httpcore2.ConnectionNotAvailable):
        raise FetchFailed(f"{host} broke the connection off", "connection_broken") from None


class _Backend(httpcore2.AsyncNetworkBackend):
    """Connections to checked addresses alone. `checked`: (host, port) -> addresses."""

    def __init__(self) -> None:
        self.checked: dict[tuple[str, int], tuple[str, ...]] = {}

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        within = timeout or 6.0
        with connecting(host, within):
            async with asyncio.timeout(within):
                return _Socket(await dial(self.checked[host, port], port), host)


class _Socket(httpcore2.AsyncNetworkStream):
    """Connection without TLS."""

    def __init__(self, taken: socket.socket, host: str) -> None:
        self._socket, self._host = taken, host

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        # Data that is there already is returned without a pause: a server that always has some would stop every clock.
        await asyncio.sleep(0)
        async with _in_time(self._host, timeout):
            return await asyncio.get_running_loop().sock_recv(self._socket, max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        async with _in_time(self._host, timeout, httpcore2.WriteError):
            await asyncio.get_running_loop().sock_sendall(self._socket, buffer)

    async def aclose(self) -> None:
        self._socket.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        host, within = server_hostname or self._host, timeout or 6.0
        try:
            with connecting(host, within):
                async with asyncio.timeout(within):
                    reader, writer = await asyncio.open_connection(
                        sock=self._socket, ssl=ssl_context, server_hostname=host
                    )
        except BaseException:
            self._socket.close()
            raise
        return _Tls(reader, writer, host)

    def get_extra_info(self, info: str) -> Any:
        if info != "is_readable":
            return None
        try:
            # Of an idle connection: the server has closed it, or sends what nobody requested.
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True


class _Tls(httpcore2.AsyncNetworkStream):
    """Connection with TLS."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader, self._writer, self._host = reader, writer, host

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        async with _in_time(self._host, timeout):
            return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        async with _in_time(self._host, timeout, httpcore2.WriteError):
            self._writer.write(buffer)
            await self._writer.drain()

    async def aclose(self) -> None:
        # An orderly TLS shutdown could be delayed by the server.
        self._writer.transport.abort()

    def get_extra_info(self, info: str) -> Any:
        match info:
            case "ssl_object":
                return self._writer.get_extra_info("ssl_object")
            case "is_readable":
                return self._reader.at_eof() or self._writer.transport.is_closing()
            case _:
                return None


@asynccontextmanager
async def _in_time(host: str, within_s: float | None, broken: type[Exception] | None = None) -> AsyncIterator[None]:
    """Bound of a read or write. Raises FetchFailed, or `broken` for a broken connection."""
    try:
        async with asyncio.timeout(within_s):
            yield
    except TimeoutError:
        raise FetchFailed(f"{host} fell silent for {within_s:g} s", "timeout") from None
    except (OSError, EOFError):
        if broken is not None:
            raise broken from None
        raise FetchFailed(f"{host} broke the connection off", "connection_broken") from None
