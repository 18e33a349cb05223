"""Clients of the service: `Client` blocks, `AsyncClient` has coroutines. Both carry out `transport.conversation`.

The methods are made from the functions in `operations` and `requests`, with their parameters and docstrings.
"""

from __future__ import annotations

import ipaddress
import os
import queue
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, Unpack

from waypost.client import requests
from waypost.client.errors import ClientError, NoAnswer
from waypost.client.methods import async_method, method, or_raise
from waypost.client.operations import AsyncOperations, Details, Operations, agent_safety
from waypost.client.requests import Url
from waypost.client.responses import Decision
from waypost.client.transport import (
    MOST_BYTES,
    RETRIES,
    Failure,
    Request,
    Response,
    Send,
    Wait,
    approved,
    approved_or_raise,
    conversation,
    result,
)
from waypost.errors import MissingExtra

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

TIMEOUT_S = 10.0
"""Seconds for a request of one check, repetitions included; a batch has more, by its items. The service itself observes
a destination for up to 1.5 seconds."""
MOST_AT_ONCE = 64
KEY_VARIABLE, SERVICE_VARIABLE = "WAYPOST_API_KEY", "WAYPOST_SERVICE"


class _Setup:
    """Setup of both clients. The key is stored in the headers of the connection only, in no attribute."""

    def __init__(
        self, base_url: str | None, key: str | None, *, timeout_s: float, retries: int, transport: Any = None
    ) -> None:
        self.base_url = _address(base_url or os.environ.get(SERVICE_VARIABLE, ""))
        text = _key(key if key is not None else os.environ.get(KEY_VARIABLE, ""))
        # Of a shorter text the twelve shown characters would be too much.
        self._masked = f"{text[:8]}...{text[-4:]}" if len(text) > 24 else "..."
        self._redact: Callable[[str], str] = lambda reason: reason.replace(text, self._masked)
        self._timeout_s = timeout_s
        self._retries = retries
        self._options: dict[str, Any] = {
            "base_url": self.base_url,
            # A compressed answer could unpack to any size.
            "headers": {"authorization": f"Bearer {text}", "accept-encoding": "identity", "accept": "application/json"},
            "follow_redirects": False,
            "transport": transport,
            # Plain http goes to this machine only, and through no proxy: a proxy would see the key.
            "trust_env": self.base_url.startswith("https:"),
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, key={self._masked!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client holds a key and is not to be copied or written down; make another")

    def _arguments(self, request: Request[Any], timeout_s: float) -> dict[str, Any]:
        """Arguments of httpx's `stream`."""
        headers = dict(request.headers)
        if request.body is not None:
            headers["content-type"] = "application/json"
        return {
            "method": request.method,
            "url": request.path,
            "params": request.params or None,
            "content": request.body,
            "headers": headers,
            "timeout": timeout_s,
        }


_UNSENDABLE = "the question cannot be reached"


class Client(_Setup, Operations):
    """Client with blocking methods. Several threads may share a client; call `close`, or use a `with` block.

    base_url   the service's address, WAYPOST_SERVICE by default. Plain http to this machine only.
    key        an API key, WAYPOST_API_KEY by default
    timeout_s  seconds for a request, repetitions included; a batch has a twentieth more for each further item
    retries    how often a request may be repeated, where a repetition does no harm
    transport  an httpx transport, for tests

    Raises ClientError, and MissingExtra if httpx is not installed.
    """

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(base_url, key, timeout_s=timeout_s, retries=retries, transport=transport)
        self._http = _httpx().Client(**self._options)
        # The header with the key is in the connection pool only from here on.
        del self._options
        self._free = threading.Semaphore(MOST_AT_ONCE)

    def require(self, url: Url, action: str, **details: Unpack[Details]) -> Decision:
        """Decision that allows the action at the URL now. Raises Stopped in every other case.

        details  further parameters of `agent_safety`: claimed_brand, payee, payment_endpoint, amount and others
        """
        return approved_or_raise(url, action, self._decision(url, action, **details))

    def may(self, url: Url, action: str) -> bool:
        """Whether the action may go ahead at the URL now. Raises nothing: an error is a no."""
        return isinstance(approved(url, action, self._decision(url, action)), Decision)

    batch = method(requests.batch)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _decision(self, url: Url, action: str, **details: Unpack[Details]) -> Decision | NoAnswer:
        try:
            return self._result(agent_safety(url, action, **details))
        except Exception:  # noqa: BLE001 - no error whatever may approve an action
            return NoAnswer(_UNSENDABLE, "unaskable")

    def _result(self, request: Request[T]) -> T | NoAnswer:
        steps = conversation(request.repeatable, request.within_s(self._timeout_s), self._retries)
        outcome: Response | Failure | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return result(request, end.value, self._redact)
            outcome = None
            if isinstance(step, Wait):
                time.sleep(step.seconds)
            else:
                outcome = self._send_within(request, step)

    def _send_within(self, request: Request[Any], step: Send) -> Response | Failure:
        """Send in a new thread with a deadline: httpx's timeout restarts at every byte from a slow server."""
        # A thread may outlive its request where the server sends slowly, so the number of threads is limited.
        if not self._free.acquire(timeout=step.within_s):
            return Failure("timeout")
        outcome: queue.SimpleQueue[Response | Failure] = queue.SimpleQueue()

        def send() -> None:
            try:
                outcome.put(self._send(request, step))
            finally:
                self._free.release()

        threading.Thread(target=send, name="waypost-client", daemon=True).start()
        try:
            return outcome.get(timeout=step.within_s)
        except queue.Empty:
            return Failure("timeout")

    def _send(self, request: Request[Any], step: Send) -> Response | Failure:
        until = time.monotonic() + step.within_s
        try:
            with self._http.stream(**self._arguments(request, step.within_s)) as response:
                body = bytearray()
                # A server that compresses nonetheless is refused, before httpx unpacks anything.
                if _is_encoded(response):
                    return Failure("encoded")
                for piece in response.iter_bytes():
                    body += piece
                    # Counted while reading, as Content-Length may be missing or wrong.
                    if len(body) > MOST_BYTES:
                        return Failure("too_large")
                    if time.monotonic() > until:
                        return Failure("timeout")
                return _response(response, body)
        except Exception as error:  # noqa: BLE001 - its text may contain the request
            return _failure(error)


class AsyncClient(_Setup, AsyncOperations):
    """Client with coroutines for the methods of `Client`."""

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(base_url, key, timeout_s=timeout_s, retries=retries, transport=transport)
        self._http = _httpx().AsyncClient(**self._options)
        del self._options

    async def require(self, url: Url, action: str, **details: Unpack[Details]) -> Decision:
        """Decision that allows the action at the URL now. Raises Stopped in every other case.

        details  further parameters of `agent_safety`: claimed_brand, payee, payment_endpoint, amount and others
        """
        return approved_or_raise(url, action, await self._decision(url, action, **details))

    async def send(self, request: Request[T]) -> T:
        """Content of the response to a request made by a function of `waypost.client.requests`. Raises NoAnswer."""
        outcome: T | NoAnswer = await self._result(request)
        return or_raise(outcome)

    async def may(self, url: Url, action: str) -> bool:
        """Whether the action may go ahead at the URL now. Raises nothing: an error is a no."""
        return isinstance(approved(url, action, await self._decision(url, action)), Decision)

    batch = async_method(requests.batch)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def _decision(self, url: Url, action: str, **details: Unpack[Details]) -> Decision | NoAnswer:
        try:
            return await self._result(agent_safety(url, action, **details))
        except Exception:  # noqa: BLE001 - no error whatever may approve an action
            return NoAnswer(_UNSENDABLE, "unaskable")

    async def _result(self, request: Request[T]) -> T | NoAnswer:
        import anyio

        steps = conversation(request.repeatable, request.within_s(self._timeout_s), self._retries)
        outcome: Response | Failure | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return result(request, end.value, self._redact)
            outcome = None
            if isinstance(step, Wait):
                await anyio.sleep(step.seconds)
                continue
            outcome = Failure("timeout")
            with anyio.move_on_after(step.within_s):
                outcome = await self._send(request, step)

    async def _send(self, request: Request[Any], step: Send) -> Response | Failure:
        try:
            async with self._http.stream(**self._arguments(request, step.within_s)) as response:
                body = bytearray()
                if _is_encoded(response):
                    return Failure("encoded")
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > MOST_BYTES:
                        return Failure("too_large")
                return _response(response, body)
        except Exception as error:  # noqa: BLE001 - its text may contain the request
            return _failure(error)


def connections() -> httpx.AsyncBaseTransport:
    """Transport with a pool of connections, to share among clients with different keys."""
    library = _httpx()
    made: httpx.AsyncBaseTransport = library.AsyncHTTPTransport(limits=library.Limits(max_connections=100))
    return made


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("httpx", "client", "to ask a service") from None
    return httpx


def _is_encoded(response: httpx.Response) -> bool:
    return response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}


def _response(response: httpx.Response, body: bytearray) -> Response:
    return Response(response.status_code, dict(response.headers.items()), bytes(body))


def _failure(error: Exception) -> Failure:
    return Failure("timeout" if isinstance(error, _httpx().TimeoutException) else "connection")


def _address(text: str) -> str:
    """Base URL of the service. Raises ClientError without the address in the message: an address may contain a key."""
    import ada_url

    if not text:
        raise ClientError(f"name the service: give its address, or set {SERVICE_VARIABLE}")
    try:
        found = ada_url.URL(text)
    except ValueError:
        raise ClientError("the service's address is not a URL; write it as https://trust.example.com") from None
    if found.protocol not in {"https:", "http:"} or found.username or found.password or found.search or found.hash:
        raise ClientError("the service's address has a scheme, a host and a port, and nothing else")
    if found.pathname.strip("/"):
        raise ClientError("the service's address has no path; /v1 is added to it")
    if found.protocol == "http:" and not _is_this_machine(found.hostname):
        raise ClientError("the key would be sent unencrypted; use https, or http to this machine alone")
    return f"{found.protocol}//{found.host}"


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        # A name that resolves to this machine may resolve elsewhere tomorrow.
        return False


def _key(text: str) -> str:
    text = text.strip()
    if not text:
        raise ClientError(f"a key is needed: give it, or set {KEY_VARIABLE}")
    # A line break in a header would begin another one; httpx's own error would quote the key.
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise ClientError("the key has a character that keys do not have")
    return text
