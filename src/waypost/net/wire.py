"""One connection to one of the validated addresses, and one HTTP/1.1 exchange on it, with everything counted.

Why no general client: what must hold here is that the address which was checked is the one connected to, and
that every byte is counted before it is kept. Both are plain to see in a page of code over h11 and impossible
to see through a connection pool. No cookies, no credentials, no proxies, nothing from the environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest

import h11
import msgspec

from waypost.errors import FetchFailed

AGENT = "waypost"
_STAGGER_S = 0.25
_MOST_TRIED = 8
_MOST_INTERIM = 8
_PIECE = 16384
"""Bytes taken at a time: little enough that a hostile answer never holds up what else is going on."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one fetch may cost, redirects included.

    `cut` keeps the first `body_bytes` of a larger body instead of giving up: for looking, not for judging.
    `wire_bytes` counts what arrives, headers included, before it is unpacked; per hop.
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
    """When a verified certificate began and ends, in milliseconds since 1970, UTC."""

    not_before: int
    not_after: int


class Head(msgspec.Struct, frozen=True):
    """Status and headers of an answer; header names in lower case, values as they came, repeated ones joined."""

    status: int
    headers: dict[str, str]


async def dial(addresses: Sequence[str], port: int) -> socket.socket:
    """A connection to whichever address answers first; each next one is tried a moment after (RFC 8305).

    Raises OSError, that of the last address, when none answers.
    """
    queue = _by_turns(addresses)[:_MOST_TRIED]
    waiting: set[asyncio.Task[socket.socket]] = set()
    fault: BaseException = OSError("no address")
    try:
        while queue or waiting:
            if queue:
                waiting.add(asyncio.create_task(_reach(queue.pop(0), port)))
            done, waiting = await asyncio.wait(
                waiting, timeout=_STAGGER_S if queue else None, return_when=asyncio.FIRST_COMPLETED
            )
            won = [task.result() for task in done if task.exception() is None]
            for spare in won[1:]:
                spare.close()
            if won:
                return won[0]
            fault = next((f for task in done if (f := task.exception())), fault)
    finally:
        await _give_up(waiting)
    raise fault


def _by_turns(addresses: Sequence[str]) -> list[str]:
    """IPv4 and IPv6 by turns, each in the order given."""
    four = [each for each in addresses if ":" not in each]
    six = [each for each in addresses if ":" in each]
    return [each for each in chain.from_iterable(zip_longest(four, six)) if each]


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
            late.close()


class Connection:
    """An open connection. `host` is the name it is for, in messages too; `validity` that of its certificate."""

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
        """At once: a polite farewell could be kept waiting."""
        self._writer.transport.abort()

    async def ask(self, host_header: str, target: str, accept: str, more: Mapping[str, str] | None = None) -> Head:
        """Send one GET and read the head of its answer; `more` are further headers. Raises FetchFailed."""
        request = h11.Request(
            method="GET",
            target=target,
            headers=[
                ("Host", host_header),
                ("User-Agent", AGENT),
                ("Accept", accept),
                ("Accept-Encoding", "gzip, identity"),
                ("Connection", "close"),
                *(more or {}).items(),
            ],
        )
        try:
            self._writer.write((self._http.send(request) or b"") + (self._http.send(h11.EndOfMessage()) or b""))
        except h11.LocalProtocolError:
            raise FetchFailed(f"no request to {self._host} can be made of this URL", "bad_request") from None
        for _ in range(_MOST_INTERIM):
            event = await self._event()
            if isinstance(event, h11.Response):
                return self._head(event)
        raise FetchFailed(f"{self._host} does not come to an answer", "bad_answer")

    def _head(self, response: h11.Response) -> Head:
        raw = response.headers.raw_items()
        if len(raw) > self._limits.header_count or sum(len(n) + len(v) for n, v in raw) > self._limits.header_bytes:
            raise FetchFailed(f"{self._host} sent more headers than are read", "headers_too_large")
        headers: dict[str, str] = {}
        for name, value in raw:
            key, text = name.decode("ascii").lower(), _text(value)
            if key == "location" and headers.get(key, text) != text:
                raise FetchFailed(f"{self._host} redirects to two places at once", "bad_answer")
            headers[key] = f"{headers[key]}, {text}" if key in headers and key != "location" else text
        return Head(response.status_code, headers)

    async def body(self, encoding: str) -> tuple[bytes, bool]:
        """The body, unpacked, and whether it was cut. Raises FetchFailed."""
        unpack = _unpacker(encoding, self._host)
        kept, packed = bytearray(), 0
        most = self._limits.body_bytes
        while True:
            event = await self._event()
            if not isinstance(event, h11.Data):
                break
            data = bytes(event.data)
            packed += len(data)
            if unpack is not None and not unpack.eof:
                try:
                    data = unpack.decompress(data, most - len(kept) + 1)
                except zlib.error:
                    raise FetchFailed(f"what {self._host} sent as gzip is none", "bad_answer") from None
            elif unpack is not None:
                continue
            kept += data
            if len(kept) > most:
                if self._limits.cut:
                    return bytes(kept[:most]), True
                raise FetchFailed(f"the page at {self._host} is larger than {most} bytes", "too_large")
        if self._cut_short and self._limits.cut:
            return bytes(kept), True
        if unpack is not None and packed and not unpack.eof:
            raise FetchFailed(f"the answer of {self._host} ends in the middle", "bad_answer")
        return bytes(kept), False

    async def _event(self) -> object:
        """The next thing of the answer. Raises FetchFailed."""
        while True:
            try:
                event = self._http.next_event()
                if event is not h11.NEED_DATA:
                    return event
                self._http.receive_data(await self._read())
            except h11.RemoteProtocolError as fault:
                if fault.error_status_hint == 431:
                    raise FetchFailed(f"{self._host} sent more headers than are read", "headers_too_large") from None
                raise FetchFailed(f"{self._host} does not answer in good HTTP", "bad_answer") from None
            if self._cut_short:
                return None

    async def _read(self) -> bytes:
        if asyncio.get_running_loop().time() > self._deadline:
            # A sender who never lets us wait would otherwise never meet the clock.
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


async def connect(
    host: str,
    addresses: Sequence[str],
    port: int,
    *,
    trust: ssl.SSLContext | None,
    limits: Limits,
    deadline: float,
) -> Connection:
    """Connect to one of these addresses and no other; `trust` makes it TLS in the name of `host`.

    `deadline` is in the running loop's time. Raises FetchFailed; a certificate's fault is its `__cause__`.
    """
    try:
        async with asyncio.timeout(limits.connect_s):
            taken = await dial(addresses, port)
            return await _wrapped(taken, host, trust, limits, deadline)
    except ssl.SSLCertVerificationError as fault:
        raise FetchFailed(
            f"the certificate of {host} is not valid: {fault.verify_message or 'not verified'}", "tls_invalid"
        ) from fault
    except (ssl.SSLError, ConnectionAbortedError):
        raise FetchFailed(f"no secure connection to {host} comes about", "tls_failed") from None
    except TimeoutError:
        raise FetchFailed(f"{host} does not answer within {limits.connect_s:g} s", "connect_timeout") from None
    except (OSError, EOFError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) and fault.strerror else "the connection broke off"
        raise FetchFailed(f"{host} cannot be reached: {why}", "connect_failed") from None


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
    begins, ends = (int(ssl.cert_time_to_seconds(certificate[each])) for each in ("notBefore", "notAfter"))
    return Validity(begins * 1000, ends * 1000)


def _unpacker(encoding: str, host: str) -> zlib._Decompress | None:
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        case _:
            raise FetchFailed(f"{host} packs its answer in a way that was not asked for", "bad_answer")


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
