"""The ASGI application: Litestar's routes behind one layer that begins, ends and logs every exchange."""

from __future__ import annotations

import asyncio
import gc
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from litestar import Litestar, Request, route
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler, asgi

from waypost.api.background import run_background
from waypost.api.endpoint import endpoint_of
from waypost.api.exchange import Exchange, Resource, Send, exchange_of
from waypost.api.request import EXCHANGE, Call, Receive, Reply
from waypost.api.site import SITE_RESOURCE, Site
from waypost.api.table import route_handlers, table

if TYPE_CHECKING:
    from waypost.api.state import ServiceState

_GARBAGE = (20_000, 20, 20)
"""A request makes some hundred objects and leaves hardly a cycle of them behind. Python's own threshold of 700 has it
searched for cycles at every second request, which takes six of a hundred instructions."""
_SWITCH_S = 0.0005
"""Seconds after which the thread that answers releases the interpreter to the writing thread, which requests it six
times a batch. With Python's own 5 ms a sixth fewer requests are answered: all wait for the write."""
_METHODS = ("DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT")
"""The methods that Litestar routes. Any other one is routed as OPTIONS, which every path answers."""


class App:
    """The application that the server runs. It closes its state on shutdown."""

    def __init__(self, state: ServiceState) -> None:
        self.state = state
        self.site = Site(state.settings)
        resources = _resources()
        self._hot: dict[str, HotRoute] = {}
        self.litestar = Litestar(
            [*self._handlers(resources)],
            dependencies={
                "call": Provide(_call, sync_to_thread=False),
                "site": Provide(lambda: self.site, sync_to_thread=False),
            },
            exception_handlers={
                NotFoundException: lambda request, _: self._file(exchange_of(request.scope)),
                Exception: _problem,
            },
            openapi_config=None,
            logging_config=None,
            lifespan=[self._lifespan],
        )
        self._first_segments = frozenset(path[1:].partition("/")[0] for path in resources)
        self._only_with_slash = frozenset(path[:-1] for path in resources if path.endswith("/"))

    def _handlers(self, resources: dict[str, Resource]) -> Iterator[BaseRouteHandler]:
        """The handlers of all paths, each path's own and one for the methods that it does not have."""
        own = [(endpoint_of(handler), handler) for handler in route_handlers()]
        hot = {endpoint.path for endpoint, handler in own if handler.opt.get("hot")}
        for path, resource in resources.items():
            if path in hot:
                self._hot[path] = HotRoute(resource)
                yield asgi(path, copy_scope=False)(self._hot[path].handle)
                continue
            # First, as Litestar adds a handler for OPTIONS of its own to a path that has none.
            others: Any = sorted({*_METHODS} - resource.endpoints.keys())
            template = re.sub(r"{(\w+)}", r"{\1:str}", path)
            yield route(template, http_method=others, opt={"resource": resource}, guards=[_guard], status_code=405)(
                _other_method
            )
        for endpoint, handler in own:
            if endpoint.path not in hot:
                handler.opt["resource"] = resources[endpoint.path]
                handler.guards = [_guard]
                yield handler

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.litestar(scope, receive, send)
            return
        exchange = Exchange(self.state, scope)
        path: str = scope["path"]
        if hot := self._hot.get(path):
            await hot.answer(exchange, receive, send)
        elif self._is_file(path):
            await exchange.send(self._file(exchange), send)
        else:
            if exchange.method == "HEAD":  # GET, whose body `Exchange.send` leaves out (RFC 9110 section 9.3.2)
                scope["method"] = "GET"
            elif exchange.method not in _METHODS:
                scope["method"] = "OPTIONS"
            scope[EXCHANGE] = exchange
            try:
                await self.litestar(scope, receive, send)
            finally:
                del scope[EXCHANGE]  # else each would hold the other until the garbage collector comes
        exchange.log()

    def _is_file(self, path: str) -> bool:
        """Whether no route can be meant. Litestar reads `//` as `/` and ignores a last slash; one spelling is ours."""
        first = path[1:].partition("/")[0]
        return first not in self._first_segments or "//" in path or path in self._only_with_slash

    @asynccontextmanager
    async def _lifespan(self, _: Litestar) -> AsyncIterator[None]:
        gc.collect()
        gc.freeze()  # nothing that is here now is ever garbage
        gc.set_threshold(*_GARBAGE)
        sys.setswitchinterval(_SWITCH_S)
        background = asyncio.create_task(run_background(self.state))
        try:
            yield
        finally:
            background.cancel()
            with suppress(asyncio.CancelledError):
                await background
            self.state.close()

    def _file(self, exchange: Exchange) -> Reply:
        """The site's answer: a file, or that there is none."""
        try:
            call = exchange.begin(SITE_RESOURCE)
            return self.site.answer(call) if call else exchange.other_method()
        except Exception as error:  # noqa: BLE001 - any error is answered
            return exchange.reply_to(error)


def create_app(state: ServiceState) -> App:
    """The service as an ASGI application. Raises TableError."""
    return App(state)


class HotRoute:
    """One path whose requests do not pass through Litestar's routing: the same checks around the same function."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    async def answer(self, exchange: Exchange, receive: Receive, send: Send) -> None:
        try:
            call = await exchange.enter(self._resource, receive)
            reply = await call.endpoint.handle(call) if call else exchange.other_method()
        except Exception as error:  # noqa: BLE001 - any error is answered
            reply = exchange.reply_to(error)
        await exchange.send(reply, send)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """The same as a handler of Litestar, which knows further spellings of the path."""
        await self.answer(exchange_of(scope), receive, send)


async def _guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """The key, its scopes and its limits, by the handler's `opt`. Raises ProblemError."""
    await exchange_of(connection.scope).enter(handler.opt["resource"], cast("Receive", connection.receive))


def _call(request: Request[Any, Any, Any]) -> Call:
    call = exchange_of(request.scope).call
    assert call is not None
    return call


async def _other_method(request: Request[Any, Any, Any]) -> Reply:
    return exchange_of(request.scope).other_method()


def _problem(request: Request[Any, Any, Any], error: Exception) -> Reply:
    """The one exception handler: every error is a problem (RFC 9457)."""
    return exchange_of(request.scope).reply_to(error)


@cache
def _resources() -> dict[str, Resource]:
    paths: dict[str, list[Any]] = {}
    for endpoint in table():
        paths.setdefault(endpoint.path, []).append(endpoint)
    return {path: Resource.of(path, endpoints) for path, endpoints in paths.items()}
