"""Connection to a validated address, with a single HTTP/1.1 exchange on it and every byte counted.

No general client is used, because the connected address must be the checked address, and bytes must be counted
before they are stored. Both are easy to verify in a page of code over h11, and impossible through a connection pool.
No cookies, credentials or proxies, and no settings from the environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

import h11
import msgspec

from waypost.errors import FetchFailed

AGENT = "waypost"
# "Connection Attempt Delay": 250 ms is the recommended value (RFC 8305, section 5).
_STAGGER_S = 0.25
_MOST_TRIED = 8
# Interim responses (1xx) have no limit in HTTP; a server could send them for ever.
_MOST_INTERIM = 8
_LONGEST_NAME = 100
_PIECE = 16384
"""Bytes per read: few, so that a hostile answer never blocks the event loop."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a fetch, redirects included.

    `cut` truncates a larger body to `body_bytes` instead of failing; for probes, never for validation.
    `wire_bytes` counts received bytes of a hop, headers included, before unpacking.
    """

    total_s: float = 20.0
    connect_s: float = 6.0
    read_s: float = 6.0
    redirects: int = 5
    header_bytes: int = 65536
    header_count: int = 128
    wire_bytes: int = 21_000_000
    body_bytes: int = 20_000_000
    cut: bool = False


class Validity(msgspec.Struct, frozen=True):
    """Validity of a verified certificate, in milliseconds since 1970, UTC, with the organizations of both parties."""

    not_before: int
    not_after: int
    issuer: str = ""
    organization: str = ""
    organization_id: str = ""


class Head(msgspec.Struct, frozen=True):
    """Status and headers of a response; names in lower case, values unchanged, repeated ones joined with a comma."""

    status: int
    headers: dict[str, str]


async def dial(addresses: Sequence[str], port: int) -> socket.socket:
    """Socket to the address that answers first; attempts start in turn, staggered (RFC 8305).

    Raises the OSError of the last address when none answers.
    """
    queue = _by_turns(addresses)[:_MOST_TRIED]
    waiting: set[asyncio.Task[socket.socket]] = set()
    error: BaseException = OSError("no address")
    try:
        while queue or waiting:
            if queue:
                waiting.add(asyncio.create_task(_reach(queue.pop(0), port)))
            done, waiting = await asyncio.wait(
                waiting, timeout=_STAGGER_S if queue else None, return_when=asyncio.FIRST_COMPLETED
            )
            won = [task.result() for task in done if task.exception() is None]
            for spare in won[1:]:
                # Two attempts may succeed at once: the second socket has no other owner.
                spare.close()
            # An attempt that fails at once starts the next without waiting for the stagger.
            if won:
                return won[0]
            error = next((f for task in done if (f := task.exception())), error)
    finally:
        await _give_up(waiting)
    raise error


def _by_turns(addresses: Sequence[str]) -> list[str]:
    """Addresses with IPv4 and IPv6 alternating, otherwise in their order."""
    four = [address for address in addresses if ":" not in address]
    six = [address for address in addresses if ":" in address]
    return [address for address in chain.from_iterable(zip_longest(four, six)) if address]


async def _reach(address: str, port: int) -> socket.socket:
    taken = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        taken.setblocking(False)
        await asyncio.get_running_loop().sock_connect(taken, (address, port))
    except BaseException:
        taken.close()
        raise
    return taken


async def _give_up(tasks: Iterable[asyncio.Task[socket.socket]]) -> None:
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    for late in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(late, socket.socket):
            # A connection may have succeeded between the cancellation and its delivery.
            late.close()


class Connection:
    """Open connection. `host` is its name in TLS and in messages; `validity` is that of its certificate."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, limits: Limits, deadline: float
    ) -> None:
        self._reader, self._writer = reader, writer
        self._host, self._limits, self._deadline = host, limits, deadline
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.header_bytes)
        self._taken = 0
        self._cut_short = False
        self.validity = _validity(writer)

    def close(self) -> None:
        """Abort the connection: an orderly TLS shutdown could be delayed by the server."""
        self._writer.transport.abort()

    async def request(self, host_header: str, target: str, accept: str) -> Head:
        """Send a GET and read the head of the response. Raises FetchFailed."""
        request = h11.Request(
            method="GET",
            target=target,
            headers=[
                ("Host", host_header),
                ("User-Agent", AGENT),
                ("Accept", accept),
                ("Accept-Encoding", "gzip, identity"),
                ("Connection", "close"),  # one exchange: the next hop is checked and connected again
            ],
        )
        try:
            self._writer.write((self._http.send(request) or b"") + (self._http.send(h11.EndOfMessage()) or b""))
        except h11.LocalProtocolError:
            raise FetchFailed(f"no request to {self._host} can be made of this URL", "bad_request") from None
        for _ in range(_MOST_INTERIM):
            event = await self._event()
            if isinstance(event, h11.Response):
                return read_head(event.headers.raw_items(), event.status_code, self._host, self._limits)
        raise FetchFailed(f"{self._host} does not come to an answer", "bad_answer")

    async def body(self, encoding: str) -> tuple[bytes, bool]:
        """Unpacked body, and whether it was truncated. Raises FetchFailed."""
        unpack = _unpacker(encoding, self._host)
        unpacked, packed = bytearray(), 0
        most = self._limits.body_bytes
        while True:
            event = await self._event()
            if not isinstance(event, h11.Data):
                break
            data = bytes(event.data)
            packed += len(data)
            if unpack is not None and not unpack.eof:
                try:
                    # One byte more than allowed distinguishes a body of exactly the limit from a larger one.
                    data = unpack.decompress(data, most - len(unpacked) + 1)
                except zlib.error:
                    raise FetchFailed(f"what {self._host} sent as gzip is none", "bad_answer") from None
            elif unpack is not None:
                continue  # behind the end of the gzip stream: received and counted, never unpacked
            unpacked += data
            if len(unpacked) > most:
                if self._limits.cut:
                    return bytes(unpacked[:most]), True
                raise FetchFailed(f"the page at {self._host} is larger than {most} bytes", "too_large")
        if self._cut_short and self._limits.cut:
            return bytes(unpacked), True
        if unpack is not None and packed and not unpack.eof:
            raise FetchFailed(f"the answer of {self._host} ends in the middle", "bad_answer")
        return bytes(unpacked), False

    async def _event(self) -> object:
        """Next event of the response; None after a cut. Raises FetchFailed."""
        while True:
            try:
                event = self._http.next_event()
                if event is not h11.NEED_DATA:
                    return event
                self._http.receive_data(await self._read())
            except h11.RemoteProtocolError as error:
                if error.error_status_hint == 431:
                    raise FetchFailed(f"{self._host} sent more headers than are read", "headers_too_large") from None
                raise FetchFailed(f"{self._host} does not answer in good HTTP", "bad_answer") from None
            if self._cut_short:
                return None

    async def _read(self) -> bytes:
        if asyncio.get_running_loop().time() > self._deadline:
            # A server that always has data ready would never run into the timeout of a read.
            raise FetchFailed(f"{self._host} takes too long", "timeout")
        try:
            async with asyncio.timeout(self._limits.read_s):
                data = await self._reader.read(_PIECE)
        except TimeoutError:
            raise FetchFailed(f"{self._host} fell silent for {self._limits.read_s:g} s", "timeout") from None
        except (OSError, EOFError):
            raise FetchFailed(f"{self._host} broke the connection off", "connection_broken") from None
        self._taken += len(data)
        if self._taken > self._limits.wire_bytes:
            if not self._limits.cut:
                raise FetchFailed(f"{self._host} sends more than {self._limits.wire_bytes} bytes", "too_large")
            self._cut_short = True
        return data


def read_head(raw: Sequence[tuple[bytes, bytes]], status: int, host: str, limits: Limits) -> Head:
    """Head of a response within the limits of headers. Raises FetchFailed."""
    if len(raw) > limits.header_count or sum(len(n) + len(v) for n, v in raw) > limits.header_bytes:
        raise FetchFailed(f"{host} sent more headers than are read", "headers_too_large")
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("ascii").lower(), _text(value)
        # Two different targets: a client that takes the other one would go where nothing was checked.
        if key == "location" and headers.get(key, text) != text:
            raise FetchFailed(f"{host} redirects to two places at once", "bad_answer")
        headers[key] = f"{headers[key]}, {text}" if key in headers and key != "location" else text
    return Head(status, headers)


async def connect(
    host: str,
    addresses: Sequence[str],
    port: int,
    *,
    trust: ssl.SSLContext | None,
    limits: Limits,
    deadline: float,
) -> Connection:
    """Connection to one of the addresses; with `trust` over TLS in the name of `host`.

    `deadline` is in the running loop's time. Raises FetchFailed, with a certificate's error as its `__cause__`.
    """
    with connecting(host, limits.connect_s):
        async with asyncio.timeout(limits.connect_s):
            taken = await dial(addresses, port)
            return await _wrapped(taken, host, trust, limits, deadline)


@contextlib.contextmanager
def connecting(host: str, within_s: float) -> Iterator[None]:
    """Errors of a connection and its TLS as FetchFailed, with a certificate's error as the `__cause__`."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise FetchFailed(
            f"the certificate of {host} is not valid: {error.verify_message or 'not verified'}", "tls_invalid"
        ) from error
    except (ssl.SSLError, ConnectionAbortedError):
        raise FetchFailed(f"no secure connection to {host} comes about", "tls_failed") from None
    except TimeoutError:
        raise FetchFailed(f"{host} does not answer within {within_s:g} s", "connect_timeout") from None
    except (OSError, EOFError, ValueError) as error:
        raise FetchFailed(f"{host} cannot be reached: {_reason(error)}", "connect_failed") from None


def _reason(error: Exception) -> str:
    """Reason why a connection failed, in the system's words: asyncio's own name the address as a tuple."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return "the connection broke off"


async def _wrapped(
    taken: socket.socket, host: str, trust: ssl.SSLContext | None, limits: Limits, deadline: float
) -> Connection:
    try:
        reader, writer = await asyncio.open_connection(
            sock=taken, ssl=trust, server_hostname=host if trust is not None else None
        )
    except BaseException:
        with contextlib.suppress(OSError):
            taken.close()
        raise
    return Connection(reader, writer, host, limits, deadline)


def _validity(writer: asyncio.StreamWriter) -> Validity | None:
    certificate = writer.get_extra_info("peercert")
    if not certificate:
        return None
    begins, ends = (int(ssl.cert_time_to_seconds(certificate[name])) for name in ("notBefore", "notAfter"))
    issuer, subject = (
        {name: value for part in certificate.get(party, ()) for name, value in part} for party in ("issuer", "subject")
    )
    name = str(issuer.get("organizationName") or issuer.get("commonName") or "")
    # Only a validated organization: the common name of a subject is a host.
    organization = str(subject.get("organizationName") or "")
    # Of qualified certificates for websites, by its name or its object identifier (X.520, 2.5.4.97).
    identifier = str(subject.get("organizationIdentifier") or subject.get("2.5.4.97") or "")
    parties = (text[:_LONGEST_NAME] for text in (name, organization, identifier))
    return Validity(begins * 1000, ends * 1000, *parties)


def _unpacker(encoding: str, host: str) -> zlib._Decompress | None:
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        case _:
            raise FetchFailed(f"{host} packs its answer in a way that was not requested", "bad_answer")


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
