"""Guard around the tools of an agent: checks of the destination before a function acts there.

    from waypost.client import Client
    from waypost.guard import Guard

    guard = Guard(Client("https://trust.example.com"))  # the key comes from WAYPOST_API_KEY

    @guard("payment", url="checkout")
    def pay(checkout: str, amount: str) -> str: ...

The wrapped function has the name, docstring and signature of the original, as frameworks need for a tool. The function
runs only after an unexpired decision to allow the action at the host of the URL. Every further outcome raises
`Stopped`, with the whole decision if one was made.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import suppress
from html import escape
from typing import Any, Protocol, TypeVar, Unpack

import msgspec

from waypost.client import Decision, Stopped
from waypost.client.operations import Details
from waypost.client.transport import approved, approved_or_raise, host_of
from waypost.models.decision import SensitiveUrl, decode_sensitive
from waypost.models.wire.decisions import CheckRequest
from waypost.safety.form_fields import is_authorization, payees_of
from waypost.safety.serialize import CHECK_URL, decision_to_dict
from waypost.service import Service

__all__ = ["Client", "Guard", "LocalClient", "PageHold", "Stopped"]

F = TypeVar("F", bound=Callable[..., Any])
STORED = 256
REUSE_S = 5.0
"""Seconds for which an allow is used again: after a freeze of the organization, or a dispute, none is older."""
_PAYMENTS = frozenset({"payment", "checkout"})
Step = tuple[str, str, Details]
"""URL, action and details of a decision to request."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PAGE_SCRIPT = """
(() => {
  const { CHECK: check, fetch: send, Request: Made, URL: Address } = globalThis;
  delete globalThis.CHECK;
  const sends = (method) => method !== "GET" && method !== "HEAD";

  const checkedFetch = async (request) => {
    if (sends(request.method) && (await check(request.url)) !== true) throw new TypeError("Failed to fetch");
    return send(request);
  };
  globalThis.fetch = async (input, init) => checkedFetch(new Made(new Made(input, init), { keepalive: false }));
  globalThis.Navigator.prototype.sendBeacon = (url, body) => {
    checkedFetch(new Made(url, { method: "POST", mode: "no-cors", credentials: "include", body })).catch(() => {});
    return true;
  };

  const old = globalThis.XMLHttpRequest.prototype, { open, send: start, abort } = old, opened = new WeakMap();
  old.open = function (method, url, ...rest) {
    open.call(this, method, url, ...rest);
    const request = { url: new Address(url, document.baseURI), waits: !rest.length || Boolean(rest[0]) };
    opened.set(this, sends(String(method).toUpperCase()) ? request : undefined);
  };
  old.abort = function () {
    opened.delete(this);
    abort.call(this);
  };
  old.send = function (body) {
    const request = opened.get(this);
    if (!request) return start.call(this, body);
    const end = (approved) => {
      if (!approved) open.call(this, "POST", "about:blank", request.waits); // which fails as any network error
      start.call(this, approved ? body : null);
    };
    // A request that the page waits for cannot wait for its check.
    if (!request.waits) return end(request.url.host === location.host);
    (async () => {
      const approved = (await check(request.url.href)) === true;
      if (opened.get(this) === request) end(approved);
    })();
  };

  delete globalThis.fetchLater;
  delete globalThis.SharedWorker;
  if (globalThis.ServiceWorkerContainer) {
    const value = async () => { throw new DOMException("this page has no service workers", "SecurityError"); };
    Object.defineProperty(ServiceWorkerContainer.prototype, "register", { value });
  }
})();
"""
"""Script for every page of a held browser.

Playwright routes no request of shared and service workers, and no request after the end of a page: `keepalive`,
beacons, `fetchLater`. Chromium sends a routed request on when its page ends before the answer of the route. So a
script's request with a body starts only after its check."""


class Client(Protocol):
    """Source of decisions: `waypost.client.Client` or `AsyncClient`, or a `LocalClient`."""

    def require(self, url: str, action: str, /, **details: Unpack[Details]) -> Any: ...


class LocalClient:
    """Decisions without a service, as of `waypost check`."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._made: OrderedDict[str, Decision] = OrderedDict()

    def require(self, url: str, action: str, **details: Unpack[Details]) -> Decision:
        """Decision that allows the action at the URL now. Raises Stopped, and WaypostError without a decision."""
        checked = self._service.check(url, action, **self._options(url, details))
        members = decision_to_dict(checked.decision, CHECK_URL, "")
        found = msgspec.json.decode(msgspec.json.encode(members), type=Decision)
        self._made[found.decision_id] = found
        while len(self._made) > STORED:
            self._made.popitem(last=False)
        return approved_or_raise(url, action, found)

    def _options(self, url: str, details: Details) -> dict[str, Any]:
        """Options of the service's check, read from the details as from the body of a request."""
        if not details:
            return {}
        shop = self._made.get(details.get("referred_by") or "")
        is_valid = shop is not None and shop.action_allowed and shop.action in _PAYMENTS and shop.holds()
        members: dict[str, Any] = {name: value for name, value in details.items() if name != "referred_by"}
        endpoint = members.get("payment_endpoint")
        if isinstance(endpoint, SensitiveUrl):
            members["payment_endpoint"] = endpoint.reveal()
        if isinstance(members.get("payee"), str):
            members["payee"] = {"name": members["payee"]}
        check = msgspec.convert({"url": url, **members}, CheckRequest, dec_hook=decode_sensitive)
        return {
            "counterparties": check.counterparties,
            "payment": check.payment,
            "referrer": shop.normalized_domain if shop is not None and is_valid else "",
        }


class Guard:
    """Guard over a source of decisions. An allow is reused for the same URL, action and details only.

    client   source of decisions; a client with coroutines (`AsyncClient`) is for async functions alone
    reuse_s  seconds for which an allow is reused, never past its expiry
    """

    def __init__(self, client: Client, *, reuse_s: float = REUSE_S) -> None:
        self._client = client
        self._reuse_s = reuse_s
        self._stored_at: dict[tuple[bytes, str], float] = {}
        self._is_async = inspect.iscoroutinefunction(client.require)
        self._allowed: OrderedDict[tuple[bytes, str], Decision] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(
        self, action: str, *, url: str | Callable[..., Any], details: Callable[..., Details] | None = None
    ) -> Callable[[F], F]:
        """Decorator of a function for an action at a URL, or at each URL of a list.

        url      name of the parameter with the URL or the list, or a function from the arguments to it
        details  function from the arguments to whom the caller means and what is paid, as in `Client.require`
        """

        def decorate(function: F) -> F:
            is_async = _is_async(function)
            if self._is_async and not is_async:
                raise TypeError("a client with coroutines guards async functions alone; use waypost.client.Client")
            if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
                raise TypeError("a generator acts after it was called, when its decision may be over; guard a function")
            find = _finder(function, url)
            describe: Callable[..., Details] = details or _no_details

            async def guarded_async(*args: Any, **kwargs: Any) -> Any:
                checked, about = find(*args, **kwargs), describe(*args, **kwargs)
                decisions = [await self.require_async(each, action, **about) for each in checked]
                # Found again after the wait, in which the argument may have been changed by another task.
                _still_allowed(checked, find(*args, **kwargs), action, decisions)
                if describe(*args, **kwargs) != about:
                    raise Stopped("stop: the payment is not the one that was checked", ("other_destination",))
                return await function(*args, **kwargs)

            def guarded(*args: Any, **kwargs: Any) -> Any:
                checked, about = find(*args, **kwargs), describe(*args, **kwargs)
                decisions = [self.require(each, action, **about) for each in checked]
                _still_allowed(checked, find(*args, **kwargs), action, decisions)
                return function(*args, **kwargs)

            made: F = functools.wraps(function)(guarded_async if is_async else guarded)  # type: ignore[assignment]
            return made

        return decorate

    def require(self, url: str, action: str, **details: Unpack[Details]) -> Decision:
        """Decision that allows the action at the URL now. Raises Stopped in every other case.

        details  whom the caller means and what is paid, as in `Client.require`
        """
        key = _key(url, action, details)
        if stored := self._stored(key, url):
            return stored
        try:
            return self._store(key, url, self._client.require(url, action, **details))
        except Exception as error:  # noqa: BLE001  no error whatever may approve an action
            raise _as_stop(error) from None

    async def require_async(self, url: str, action: str, **details: Unpack[Details]) -> Decision:
        """Decision that allows the action at the URL now. Raises Stopped in every other case."""
        key = _key(url, action, details)
        if stored := self._stored(key, url):
            return stored
        try:
            if self._is_async:
                return self._store(key, url, await self._client.require(url, action, **details))
            return self._store(key, url, await asyncio.to_thread(self._client.require, url, action, **details))
        except Exception as error:  # noqa: BLE001  no error whatever may approve an action
            raise _as_stop(error) from None

    def before_request(self, action: str) -> Callable[[Any], None]:
        """Hook for `httpx.Client(event_hooks={"request": [...]})`: checks every request, redirects included."""

        def check(request: Any) -> None:
            self.require(str(request.url), action)

        return check

    def before_request_async(self, action: str) -> Callable[[Any], Awaitable[None]]:
        """The same hook for `httpx.AsyncClient`."""

        async def check(request: Any) -> None:
            await self.require_async(str(request.url), action)

        return check

    def before_call(self, actions: Mapping[str, str]) -> Callable[[str, Mapping[str, Any]], None]:
        """Hook for a proxy of tools, as of an MCP server: (name, arguments) before the call is passed on.

        actions  action by name of a tool; an empty action passes the call on, and a tool that is not named is a stop

        Every web address in the arguments is checked, at any depth. A tool with an action and without an address is a
        stop. Payees in the arguments are part of a payment's check.
        """

        def check(name: str, arguments: Mapping[str, Any]) -> None:
            action = actions.get(name)
            if action is None:
                raise Stopped("stop: the guard knows no action of this tool", ("unknown_action",))
            if action:
                urls = addresses_in(arguments)
                if not urls:
                    raise Stopped("stop: there is no URL to check", ("invalid-url",))
                body = msgspec.json.encode(arguments, enc_hook=str).decode()
                details = _payee(payees_of(body, "application/json")) if action in _PAYMENTS else Details()
                for url in urls:
                    self.require(url, action, **details)

        return check

    def hold(self, page: Any, action: str, *, forms: str = "") -> PageHold:
        """Hold on a context with all its pages, given or of a given page, of Playwright's sync API.

        forms  action of what sends a form or a body; the hold's own action unless given
        """
        made, context = PageHold(self, action, forms), _context_of(page)
        context.expose_binding(made.binding, made.check)
        context.add_init_script(_PAGE_SCRIPT.replace("CHECK", made.binding))
        context.route("**/*", made.handle)
        context.route_web_socket("**/*", made.handle_socket)
        return made

    async def hold_async(self, page: Any, action: str, *, forms: str = "") -> PageHold:
        """Hold on a context with all its pages, given or of a given page, of Playwright's async API."""
        made, context = PageHold(self, action, forms), _context_of(page)
        await context.expose_binding(made.binding, made.check_async)
        await context.add_init_script(_PAGE_SCRIPT.replace("CHECK", made.binding))
        await context.route("**/*", made.handle_async)
        await context.route_web_socket("**/*", made.handle_socket_async)
        return made

    def _stored(self, key: tuple[bytes, str], url: str) -> Decision | None:
        """Stored decision, if recent and still an allow for the action at the URL."""
        # Tools of an agent run in several threads.
        with self._lock:
            found, at = self._allowed.get(key), self._stored_at.get(key, 0.0)
        # A stored allow may have expired since.
        if found is None or isinstance(approved(url, key[1], found), Stopped):
            return None
        return found if time.monotonic() - at < self._reuse_s else None

    def _store(self, key: tuple[bytes, str], url: str, decision: Any) -> Decision:
        if not isinstance(decision, Decision):
            raise Stopped("stop: no decision could be had", ("unreadable",))
        allowed = approved_or_raise(url, key[1], decision)
        with self._lock:
            self._allowed[key] = allowed
            self._stored_at[key] = time.monotonic()
            while len(self._allowed) > STORED:
                last, _ = self._allowed.popitem(last=False)
                self._stored_at.pop(last, None)
        return allowed


class PageHold:
    """Hold on a browser's pages: navigations, forms and whatever else sends a body go to checked addresses only.

    Made by `Guard.hold` and `Guard.hold_async`. Playwright does not route the requests that a redirect causes. So a
    redirect of a navigation is answered with a page that navigates, which is checked in turn; a redirect to another
    host, or one that would repeat a body, is a stop. A WebSocket is opened to a checked address only. Pages have no
    shared and no service workers, and no requests after the end of a page. Images, scripts and other GET requests of a
    page, WebSockets of workers, and what a worker sends while its page leaves or closes are not held.

    An authorization request is checked as a login, too. A payment to another host than the page's is checked at the
    page with that host as the endpoint, and then at the endpoint, to which the decision about the page leads. Payees in
    the fields of a payment are part of the check.

    stops    stops of navigations and forms, in their order
    blocked  stops of requests and WebSockets of scripts
    """

    def __init__(self, guard: Guard, action: str, forms: str = "") -> None:
        self._guard, self._action, self._forms = guard, action, forms or action
        self._shops: OrderedDict[str, str] = OrderedDict()
        # A context may be held for several actions, and takes each name of a binding once.
        self.binding = f"waypost_{secrets.token_hex(8)}"
        self.stops: list[Stopped] = []
        self.blocked: list[Stopped] = []

    def raise_if_stopped(self) -> None:
        """Raise the first stop of a navigation or a form, since a click raises none by itself."""
        if self.stops:
            raise self.stops[0]

    def check(self, _source: Any, url: str) -> bool:
        """Whether a script of a page may send to a URL, for Playwright's sync API."""
        try:
            self._guard.require(url, self._action)
        except Exception as error:  # noqa: BLE001  no error whatever may let a request start
            self.blocked.append(_as_stop(error))
            return False
        return True

    async def check_async(self, _source: Any, url: str) -> bool:
        """Whether a script of a page may send to a URL, for Playwright's async API."""
        try:
            await self._guard.require_async(url, self._action)
        except Exception as error:  # noqa: BLE001  no error whatever may let a request start
            self.blocked.append(_as_stop(error))
            return False
        return True

    def handle(self, route: Any) -> None:
        """Handler of `page.route` in the sync API."""
        request = route.request
        if not _sends(request):
            route.continue_()
            return
        try:
            steps = self._steps(request)
            step = next(steps, None)
            while step is not None:
                step = _following(steps, self._guard.require(step[0], step[1], **step[2]))
            # Fetched here, since Playwright follows redirects of a continued request without asking.
            route.fulfill(**_fulfilment(request, route.fetch(max_redirects=0)))
            return
        except Exception as error:  # noqa: BLE001  no error whatever may let a request go on
            self._record(request, error)
        with suppress(Exception):  # a page that closed has no route left
            route.abort("blockedbyclient")

    async def handle_async(self, route: Any) -> None:
        """Handler of `page.route` in the async API."""
        request = route.request
        if not _sends(request):
            await route.continue_()
            return
        try:
            steps = self._steps(request)
            step = next(steps, None)
            while step is not None:
                step = _following(steps, await self._guard.require_async(step[0], step[1], **step[2]))
            await route.fulfill(**_fulfilment(request, await route.fetch(max_redirects=0)))
            return
        except Exception as error:  # noqa: BLE001  no error whatever may let a request go on
            self._record(request, error)
        with suppress(Exception):  # a page that closed has no route left
            await route.abort("blockedbyclient")

    def handle_socket(self, socket: Any) -> None:
        """Handler of `route_web_socket` in the sync API."""
        try:
            self._guard.require(_of_http(socket.url), self._action)
        except Exception as error:  # noqa: BLE001  no error whatever may open a connection
            self.blocked.append(_as_stop(error))
            socket.close()
        else:
            socket.connect_to_server()

    async def handle_socket_async(self, socket: Any) -> None:
        """Handler of `route_web_socket` in the async API."""
        try:
            await self._guard.require_async(_of_http(socket.url), self._action)
        except Exception as error:  # noqa: BLE001  no error whatever may open a connection
            self.blocked.append(_as_stop(error))
            await socket.close()
        else:
            socket.connect_to_server()

    def _steps(self, request: Any) -> Generator[Step, Decision, None]:
        """Decisions that a request takes, in their order. Raises Stopped for fields with two payees."""
        sends = request.method not in {"GET", "HEAD"}
        action = self._forms if sends else self._action
        details = Details()
        if action in _PAYMENTS:
            page = _page_of(request)
            leads_on = bool(page) and host_of(page) != host_of(request.url)
            if sends:
                details = _payee(payees_of(request.post_data or "", request.headers.get("content-type", "")))
                if leads_on:
                    shop = yield page, action, Details(payment_endpoint=request.url, **details)
                    details = Details(referred_by=shop.decision_id)
            elif leads_on and (known := self._shops.get(host_of(page))):
                details = Details(referred_by=known)
        decision = yield request.url, action, details
        if action in _PAYMENTS:
            self._shops[host_of(request.url)] = decision.decision_id
            while len(self._shops) > STORED:
                self._shops.popitem(last=False)
        if request.is_navigation_request() and action != "login" and is_authorization(request.url):
            yield request.url, "login", Details()

    def _record(self, request: Any, error: Exception) -> None:
        (self.stops if request.is_navigation_request() else self.blocked).append(_as_stop(error))


def _following(steps: Generator[Step, Decision, None], decision: Decision) -> Step | None:
    try:
        return steps.send(decision)
    except StopIteration:
        return None


def _page_of(request: Any) -> str:
    """Address of the page that sends a request; empty where the browser does not say."""
    with suppress(Exception):  # a request of a new window or a worker has no frame
        if host_of(url := str(request.frame.url)):
            return url
    return str(request.headers.get("referer") or request.headers.get("origin") or "")


def _payee(found: Mapping[str, str]) -> Details:
    """Payee among the fields of a request. Raises Stopped for more than one."""
    if len(found) > 1:
        raise Stopped("stop: the request names more than one payee", ("payee_mismatch",))
    return next((Details(payee={"type": kind, "id": name}) for name, kind in found.items()), Details())


def addresses_in(value: Any) -> tuple[str, ...]:
    """Web addresses among the texts of a value, at any depth, without repeats."""
    found: dict[str, None] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, str) and each.strip().lower().startswith(("http:", "https:")):
            found[each.strip()] = None
    return tuple(found)


def _no_details(*_args: Any, **_kwargs: Any) -> Details:
    return Details()


def _context_of(page: Any) -> Any:
    """Context of a page, because a route of a page leaves out the windows that the page opens; a context itself."""
    return getattr(page, "context", page)


def _of_http(url: str) -> str:
    """Address of the HTTP request that opens a WebSocket."""
    scheme, colon, rest = url.partition(":")
    plain = {"ws": "http", "wss": "https"}.get(scheme.lower(), scheme)
    return f"{plain}{colon}{rest}"


def _sends(request: Any) -> bool:
    """Whether a browser's request is a navigation or may have a body."""
    return bool(request.is_navigation_request()) or request.method not in {"GET", "HEAD"}


def _fulfilment(request: Any, answer: Any) -> dict[str, Any]:
    """Arguments of Playwright's `route.fulfill`. Raises Stopped for a redirect that cannot be checked."""
    import ada_url

    location = answer.headers.get("location")
    if answer.status not in _REDIRECTS or not location:
        return {"response": answer}
    to = ada_url.join_url(request.url, location)
    # The decision is about the host that was asked about.
    if host_of(to) != host_of(request.url):
        raise Stopped("stop: the destination redirects to another host", ("redirects_elsewhere",))
    # RFC 9110, sections 15.4.8 and 15.4.9: 307 and 308 keep the method and the body.
    if not request.is_navigation_request() or (answer.status in {307, 308} and request.method != "GET"):
        raise Stopped("stop: a redirect would repeat what was sent", ("redirect_target_not_checked",))
    page = f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(to)}">'
    return {"status": 200, "content_type": "text/html; charset=utf-8", "body": page}


def _key(url: str, action: str, details: Details) -> tuple[bytes, str]:
    """Key of a stored decision: a digest, because URL and details may hold secrets."""
    members = {name: each.reveal() if isinstance(each, SensitiveUrl) else each for name, each in details.items()}
    text = repr((url, sorted(members.items())))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), action


def _as_stop(error: Exception) -> Stopped:
    """Stop for an error, without the error's text, because the text may hold the URL."""
    return error if isinstance(error, Stopped) else Stopped("stop: no decision could be had", ("no-decision",))


def _is_async(function: Callable[..., Any]) -> bool:
    """Whether a function or a callable object makes a coroutine."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _still_allowed(checked: tuple[str, ...], now: tuple[str, ...], action: str, decisions: list[Decision]) -> None:
    """Raise Stopped for what changed while decisions were awaited: the caller's arguments, or the time."""
    if now != checked:
        raise Stopped("stop: the URL is not the one that was checked", ("other_destination",))
    for url, decision in zip(checked, decisions, strict=True):
        approved_or_raise(url, action, decision)


def _finder(function: Callable[..., Any], url: str | Callable[..., Any]) -> Callable[..., tuple[str, ...]]:
    """Function from the arguments of a call to the URLs. Raises TypeError for an unknown parameter."""
    signature = inspect.signature(function)
    if isinstance(url, str) and url not in signature.parameters:
        raise TypeError(f"{getattr(function, '__name__', 'the function')} has no parameter {url}")

    def find(*args: Any, **kwargs: Any) -> tuple[str, ...]:
        if isinstance(url, str):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            found = bound.arguments[url]
        else:
            found = url(*args, **kwargs)
        urls = tuple(found) if isinstance(found, list | tuple) else (found,)
        if not urls or not all(isinstance(each, str) for each in urls):
            raise Stopped("stop: there is no URL to check", ("invalid-url",))
        return urls

    return find
