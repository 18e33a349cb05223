"""The two clients: one that waits, one to be awaited. Both carry out the same conversation."""

from __future__ import annotations

import ipaddress
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from waypost.client import requests as asking
from waypost.client.errors import ClientError, NoAnswer, Stopped
from waypost.client.requests import Check, Url
from waypost.client.responses import (
    Batch,
    Decision,
    Dispute,
    DomainProfile,
    KeptDecision,
    MadeSnippet,
    OfficialPage,
    SchemaIndex,
    SearchPage,
    SnippetPage,
    Validation,
)
from waypost.client.transport import (
    MOST_BYTES,
    RETRIES,
    Answer,
    Asked,
    Failure,
    Send,
    Wait,
    approved,
    conversation,
    result,
)
from waypost.errors import MissingExtra

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

TIMEOUT_S = 10.0
"""For one question with all its repetitions. The service itself looks at a destination for 1.5 seconds."""
MOST_AT_ONCE = 64
KEY_VARIABLE, SERVICE_VARIABLE = "WAYPOST_API_KEY", "WAYPOST_SERVICE"


class _Setup:
    """What both clients are made with. The key is in the headers of the connection and in no attribute of ours."""

    def __init__(
        self, base_url: str | None, key: str | None, *, timeout_s: float, retries: int, transport: Any = None
    ) -> None:
        self.base_url = _address(base_url or os.environ.get(SERVICE_VARIABLE, ""))
        text = _key(key if key is not None else os.environ.get(KEY_VARIABLE, ""))
        self._masked = f"{text[:8]}...{text[-4:]}" if len(text) > 24 else "..."
        self._redact: Callable[[str], str] = lambda said: said.replace(text, self._masked)
        self._timeout_s = timeout_s
        self._retries = retries
        self._options: dict[str, Any] = {
            "base_url": self.base_url,
            "headers": {"authorization": f"Bearer {text}", "accept-encoding": "identity", "accept": "application/json"},
            "follow_redirects": False,
            "transport": transport,
            # What goes to this machine itself goes through no proxy: it would see the key.
            "trust_env": self.base_url.startswith("https:"),
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, key={self._masked!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client holds a key and is not to be copied or written down; make another")

    def _request(self, asked: Asked[Any], within_s: float) -> dict[str, Any]:
        headers = dict(asked.headers)
        if asked.body is not None:
            headers["content-type"] = "application/json"
        return {
            "method": asked.method,
            "url": asked.path,
            "params": asked.query or None,
            "content": asked.body,
            "headers": headers,
            "timeout": within_s,
        }


class Client(_Setup):
    """Asks a service and waits. May be used by several threads at once; close it, or use it with `with`.

    base_url   the service's address; WAYPOST_SERVICE without it. Plain http only to this machine itself.
    key        an API key; WAYPOST_API_KEY without it
    timeout_s  for each question, everything counted
    retries    how often a question may be asked again where that does no harm
    transport  an httpx transport, for tests

    Raises ClientError, and MissingExtra where httpx is not installed.
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
        del self._options
        self._free = threading.Semaphore(MOST_AT_ONCE)

    def require(self, url: Url, action: str, *, claimed_brand: str | None = None) -> Decision:
        """The decision, if this action may go ahead at this URL now. Raises Stopped in every other case."""
        found = self._asked(lambda: asking.agent_safety(url, action, claimed_brand=claimed_brand))
        verdict = approved(url, action, found)
        if isinstance(verdict, Stopped):
            raise verdict
        return verdict

    def may(self, url: Url, action: str) -> bool:
        """Whether this action may go ahead at this URL now."""
        found = self._asked(lambda: asking.agent_safety(url, action))
        return isinstance(approved(url, action, found), Decision)

    def agent_safety(
        self,
        url: Url,
        action: str,
        *,
        include: Iterable[str] = (),
        claimed_brand: str | None = None,
        audience: str | None = None,
    ) -> Decision:
        """The decision, whatever it says. `include`: evidence_summary, policy_version, receipt. Raises NoAnswer."""
        return self._ask(
            asking.agent_safety(url, action, include=include, claimed_brand=claimed_brand, audience=audience)
        )

    def check_url(self, url: Url, action: str | None = None, *, include: Iterable[str] = ()) -> Decision:
        """The decision with what it rests on; without an action none is allowed. Raises NoAnswer."""
        return self._ask(asking.check_url(url, action, include=include))

    def batch(self, checks: Sequence[Check], *, until_first_stop: bool = False) -> Batch:
        """Up to 50 decisions at once. An entry that is a Problem is a stop. Raises NoAnswer."""
        return self._ask(asking.batch(checks, until_first_stop=until_first_stop))

    def decision(self, decision_id: str) -> KeptDecision:
        """A decision of your organization, again. Raises NoAnswer."""
        return self._ask(asking.decision(decision_id))

    def dispute(
        self,
        decision_id: str,
        claim: str,
        statement: str,
        *,
        contact: str | None = None,
        evidence: Iterable[str] = (),
    ) -> Dispute:
        """Object to a decision. Raises NoAnswer."""
        return self._ask(asking.dispute(decision_id, claim, statement, contact=contact, evidence=evidence))

    def read_dispute(self, dispute_id: str) -> Dispute:
        """How far an objection has come. Raises NoAnswer."""
        return self._ask(asking.read_dispute(dispute_id))

    def domain(self, host: str) -> DomainProfile:
        """What is known of a domain; a host and nothing else of a URL. Raises NoAnswer."""
        return self._ask(asking.domain(host))

    def official(
        self,
        query: str,
        *,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> OfficialPage:
        """Relationships that passed review. Raises NoAnswer."""
        return self._ask(asking.official(query, kind=kind, limit=limit, cursor=cursor))

    def search(
        self,
        query: str,
        *,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SearchPage:
        """Records; those that no review stands behind say so. Raises NoAnswer."""
        return self._ask(asking.search(query, kind=kind, limit=limit, cursor=cursor))

    def validate(
        self,
        *,
        data: Any = None,
        html: str | None = None,
        kind: str | None = None,
        syntax: str | None = None,
        profile: str | None = None,
        base_url: str | None = None,
    ) -> Validation:
        """What is wrong with JSON-LD (`data`) or a page (`html`). Raises NoAnswer."""
        return self._ask(
            asking.validate(data=data, html=html, kind=kind, syntax=syntax, profile=profile, base_url=base_url)
        )

    def schemas(self) -> SchemaIndex:
        """The schemas there are. Raises NoAnswer."""
        return self._ask(asking.schemas())

    def schema(self, name: str) -> dict[str, Any]:
        """A JSON Schema, by its service type, its standard type, or `Unified`. Raises NoAnswer."""
        return self._ask(asking.schema(name))

    def snippets(
        self,
        kind: str = "news",
        *,
        domain: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SnippetPage:
        """Documents that your organization stored, the newest first. Raises NoAnswer."""
        return self._ask(asking.snippets(kind, domain=domain, since=since, limit=limit, cursor=cursor))

    def make_snippet(
        self,
        kind: str,
        *,
        document: Mapping[str, Any] | None = None,
        data: Any = None,
        html: str | None = None,
        base_url: str | None = None,
        store: bool = False,
    ) -> MadeSnippet:
        """The card of a document, of JSON-LD or of a page. Raises NoAnswer."""
        return self._ask(
            asking.make_snippet(kind, document=document, data=data, html=html, base_url=base_url, store=store)
        )

    def jwks(self) -> dict[str, Any]:
        """The keys that receipts are signed with, for `waypost.receipts.verify`. Raises NoAnswer."""
        return self._ask(asking.jwks())

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, asked: Asked[T]) -> T:
        found = self._found(asked)
        if isinstance(found, NoAnswer):
            raise found
        return found

    def _asked(self, ask: Callable[[], Asked[T]]) -> T | NoAnswer:
        """The same for those to whom everything that can go wrong is a stop."""
        try:
            return self._found(ask())
        except Exception:  # noqa: BLE001 - whatever it is, nothing was approved
            return NoAnswer("the question cannot be asked", "unaskable")

    def _found(self, asked: Asked[T]) -> T | NoAnswer:
        talk = conversation(asked.repeatable, self._timeout_s, self._retries)
        came: Answer | Failure | None = None
        while True:
            try:
                step = talk.send(came)
            except StopIteration as end:
                return result(asked, end.value, self._redact)
            came = None
            if isinstance(step, Wait):
                time.sleep(step.seconds)
            else:
                came = self._within(asked, step)

    def _within(self, asked: Asked[Any], step: Send) -> Answer | Failure:
        """Ask in a thread of its own: a server that sends a byte now and then would hold us for ever."""
        if not self._free.acquire(timeout=step.within_s):
            return Failure("timeout")
        came: queue.SimpleQueue[Answer | Failure] = queue.SimpleQueue()

        def ask() -> None:
            try:
                came.put(self._sent(asked, step))
            finally:
                self._free.release()

        threading.Thread(target=ask, name="waypost-client", daemon=True).start()
        try:
            return came.get(timeout=step.within_s)
        except queue.Empty:
            return Failure("timeout")

    def _sent(self, asked: Asked[Any], step: Send) -> Answer | Failure:
        until = time.monotonic() + step.within_s
        try:
            with self._http.stream(**self._request(asked, step.within_s)) as response:
                body = bytearray()
                if _is_encoded(response):
                    return Failure("encoded")
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > MOST_BYTES:
                        return Failure("too_large")
                    if time.monotonic() > until:
                        return Failure("timeout")
                return _answer(response, body)
        except Exception as fault:  # noqa: BLE001 - its text may hold the request
            return _failure(fault)


class AsyncClient(_Setup):
    """The same to be awaited; see `Client`."""

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

    async def require(self, url: Url, action: str, *, claimed_brand: str | None = None) -> Decision:
        """The decision, if this action may go ahead at this URL now. Raises Stopped in every other case."""
        found = await self._asked(lambda: asking.agent_safety(url, action, claimed_brand=claimed_brand))
        verdict = approved(url, action, found)
        if isinstance(verdict, Stopped):
            raise verdict
        return verdict

    async def may(self, url: Url, action: str) -> bool:
        """Whether this action may go ahead at this URL now."""
        found = await self._asked(lambda: asking.agent_safety(url, action))
        return isinstance(approved(url, action, found), Decision)

    async def agent_safety(
        self,
        url: Url,
        action: str,
        *,
        include: Iterable[str] = (),
        claimed_brand: str | None = None,
        audience: str | None = None,
    ) -> Decision:
        """See `Client.agent_safety`."""
        return await self._ask(
            asking.agent_safety(url, action, include=include, claimed_brand=claimed_brand, audience=audience)
        )

    async def check_url(self, url: Url, action: str | None = None, *, include: Iterable[str] = ()) -> Decision:
        """See `Client.check_url`."""
        return await self._ask(asking.check_url(url, action, include=include))

    async def batch(self, checks: Sequence[Check], *, until_first_stop: bool = False) -> Batch:
        """See `Client.batch`."""
        return await self._ask(asking.batch(checks, until_first_stop=until_first_stop))

    async def decision(self, decision_id: str) -> KeptDecision:
        """See `Client.decision`."""
        return await self._ask(asking.decision(decision_id))

    async def dispute(
        self,
        decision_id: str,
        claim: str,
        statement: str,
        *,
        contact: str | None = None,
        evidence: Iterable[str] = (),
    ) -> Dispute:
        """See `Client.dispute`."""
        return await self._ask(asking.dispute(decision_id, claim, statement, contact=contact, evidence=evidence))

    async def read_dispute(self, dispute_id: str) -> Dispute:
        """See `Client.read_dispute`."""
        return await self._ask(asking.read_dispute(dispute_id))

    async def domain(self, host: str) -> DomainProfile:
        """See `Client.domain`."""
        return await self._ask(asking.domain(host))

    async def official(
        self,
        query: str,
        *,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> OfficialPage:
        """See `Client.official`."""
        return await self._ask(asking.official(query, kind=kind, limit=limit, cursor=cursor))

    async def search(
        self,
        query: str,
        *,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SearchPage:
        """See `Client.search`."""
        return await self._ask(asking.search(query, kind=kind, limit=limit, cursor=cursor))

    async def validate(
        self,
        *,
        data: Any = None,
        html: str | None = None,
        kind: str | None = None,
        syntax: str | None = None,
        profile: str | None = None,
        base_url: str | None = None,
    ) -> Validation:
        """See `Client.validate`."""
        return await self._ask(
            asking.validate(data=data, html=html, kind=kind, syntax=syntax, profile=profile, base_url=base_url)
        )

    async def schemas(self) -> SchemaIndex:
        """See `Client.schemas`."""
        return await self._ask(asking.schemas())

    async def schema(self, name: str) -> dict[str, Any]:
        """See `Client.schema`."""
        return await self._ask(asking.schema(name))

    async def snippets(
        self,
        kind: str = "news",
        *,
        domain: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SnippetPage:
        """See `Client.snippets`."""
        return await self._ask(asking.snippets(kind, domain=domain, since=since, limit=limit, cursor=cursor))

    async def make_snippet(
        self,
        kind: str,
        *,
        document: Mapping[str, Any] | None = None,
        data: Any = None,
        html: str | None = None,
        base_url: str | None = None,
        store: bool = False,
    ) -> MadeSnippet:
        """See `Client.make_snippet`."""
        return await self._ask(
            asking.make_snippet(kind, document=document, data=data, html=html, base_url=base_url, store=store)
        )

    async def jwks(self) -> dict[str, Any]:
        """See `Client.jwks`."""
        return await self._ask(asking.jwks())

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(self, asked: Asked[T]) -> T:
        found = await self._found(asked)
        if isinstance(found, NoAnswer):
            raise found
        return found

    async def _asked(self, ask: Callable[[], Asked[T]]) -> T | NoAnswer:
        try:
            return await self._found(ask())
        except Exception:  # noqa: BLE001 - whatever it is, nothing was approved
            return NoAnswer("the question cannot be asked", "unaskable")

    async def _found(self, asked: Asked[T]) -> T | NoAnswer:
        import anyio

        talk = conversation(asked.repeatable, self._timeout_s, self._retries)
        came: Answer | Failure | None = None
        while True:
            try:
                step = talk.send(came)
            except StopIteration as end:
                return result(asked, end.value, self._redact)
            came = None
            if isinstance(step, Wait):
                await anyio.sleep(step.seconds)
                continue
            came = Failure("timeout")
            with anyio.move_on_after(step.within_s):
                came = await self._sent(asked, step)

    async def _sent(self, asked: Asked[Any], step: Send) -> Answer | Failure:
        try:
            async with self._http.stream(**self._request(asked, step.within_s)) as response:
                body = bytearray()
                if _is_encoded(response):
                    return Failure("encoded")
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > MOST_BYTES:
                        return Failure("too_large")
                return _answer(response, body)
        except Exception as fault:  # noqa: BLE001 - its text may hold the request
            return _failure(fault)


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("httpx", "client", "to ask a service") from None
    return httpx


def _is_encoded(response: httpx.Response) -> bool:
    return response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}


def _answer(response: httpx.Response, body: bytearray) -> Answer:
    return Answer(response.status_code, dict(response.headers.items()), bytes(body))


def _failure(fault: Exception) -> Failure:
    return Failure("timeout" if isinstance(fault, _httpx().TimeoutException) else "connection")


def _address(text: str) -> str:
    """The service's address as we use it. Raises ClientError, which does not repeat it: a key may stand in it."""
    import ada_url

    if not text:
        raise ClientError(f"say which service to ask: give its address, or set {SERVICE_VARIABLE}")
    try:
        found = ada_url.URL(text)
    except ValueError:
        raise ClientError("the service's address is no URL; write it as https://waypost.example") from None
    if found.protocol not in {"https:", "http:"} or found.username or found.password or found.search or found.hash:
        raise ClientError("the service's address has a scheme, a host and a port, and nothing else")
    if found.pathname.strip("/"):
        raise ClientError("the service's address has no path; /v1 is added to it")
    if found.protocol == "http:" and not _is_this_machine(found.hostname):
        raise ClientError("the key would travel in the clear; use https, or plain http to this machine itself alone")
    return f"{found.protocol}//{found.host}"


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _key(text: str) -> str:
    text = text.strip()
    if not text:
        raise ClientError(f"a key is needed: give it, or set {KEY_VARIABLE}")
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise ClientError("the key has characters that no key has")
    return text
