"""ASGI application: Litestar's routes inside a layer that opens, finishes and logs every exchange."""

from __future__ import annotations

import asyncio
import gc
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from litestar import Litestar, Request, route
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler, asgi

from waypost.api.background import AFTER_START_S, run_background
from waypost.api.endpoint import endpoint_of
from waypost.api.exchange import Exchange, Resource, Send, exchange_of
from waypost.api.request import EXCHANGE, Call, Receive, Reply
from waypost.api.site import SITE_RESOURCE, Site
from waypost.api.table import route_handlers, table

if TYPE_CHECKING:
    from waypost.api.state import ServiceState

_GARBAGE = (20_000, 20, 20)
"""Thresholds of the garbage collector.

A request makes some hundred objects and leaves hardly a reference cycle. With Python's threshold of 700 the collector
runs at every second request, which takes six percent of the instructions.
"""
_SWITCH_S = 0.0005
"""Thread switch interval in seconds: the event loop hands the interpreter to the writing thread after this time.

The writer needs the interpreter six times in a batch. With Python's default of 5 ms the service answers a sixth fewer
requests, because every request waits for the write.
"""
_METHODS = ("DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT")
"""Methods that Litestar routes. Any further method is routed as OPTIONS, which every path answers."""


class App:
    """ASGI application that the server runs. Closes its state on shutdown."""

    def __init__(self, state: ServiceState, is_site_incomplete: Callable[[], bool]) -> None:
        self.state = state
        self.site = Site(state.settings, is_site_incomplete)
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
        self._by_query = frozenset(path for path, resource in resources.items() if "QUERY" in resource.endpoints)
        self._first_segments = frozenset(path[1:].partition("/")[0] for path in resources)
        self._only_with_slash = frozenset(path[:-1] for path in resources if path.endswith("/"))

    def _handlers(self, resources: dict[str, Resource]) -> Iterator[BaseRouteHandler]:
        """Litestar handlers for every path: the declared handlers, and a handler for methods that the path lacks."""
        own = [(endpoint_of(handler), handler) for handler in route_handlers()]
        hot = {endpoint.path for endpoint, handler in own if handler.opt.get("hot")}
        for path, resource in resources.items():
            if path in hot:
                self._hot[path] = HotRoute(resource)
                yield asgi(path, copy_scope=False)(self._hot[path].handle)
                continue
            # Registered first: Litestar would add its own OPTIONS handler to a path without one.
            missing_methods: Any = sorted({*_METHODS} - resource.endpoints.keys())
            template = re.sub(r"{(\w+)}", r"{\1:str}", path)
            yield route(
                template, http_method=missing_methods, opt={"resource": resource}, guards=[_guard], status_code=405
            )(_other_method)
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
            if exchange.method not in _METHODS:
                # A copy: the server must know a HEAD by the method, or it closes the connection for the missing body.
                scope = exchange.scope = {**scope, "method": self._routed(exchange.method, path)}
            scope[EXCHANGE] = exchange
            try:
                await self.litestar(scope, receive, send)
            finally:
                del scope[EXCHANGE]  # breaks the cycle of scope and exchange, so that both are freed at once
        exchange.log()

    def _routed(self, method: str, path: str) -> str:
        """Method by which Litestar finds the handler of a request."""
        if method == "HEAD":
            return "GET"  # whose body `Exchange.send` leaves out (RFC 9110 section 9.3.2)
        if method == "QUERY" and path in self._by_query:
            return "POST"  # whose function answers both; Litestar knows no QUERY
        return "OPTIONS"  # leads to `_other_method`, which answers methods that the path lacks

    def _is_file(self, path: str) -> bool:
        """Whether the path belongs to the site because no route matches.

        Litestar reads `//` as `/` and ignores a trailing slash. The API has a single spelling for every path, so other
        spellings go to the site.
        """
        first = path[1:].partition("/")[0]
        return first not in self._first_segments or "//" in path or path in self._only_with_slash

    @asynccontextmanager
    async def _lifespan(self, _: Litestar) -> AsyncIterator[None]:
        # Modules and caches live as long as the process: the collector skips them. Nothing is collected first, which
        # would take a tenth of a second: the garbage of the start is a thousand objects.
        gc.freeze()
        # The command line disables it, for commands that end soon; a closed connection is a cycle of 8 KB.
        gc.enable()
        gc.set_threshold(*_GARBAGE)
        sys.setswitchinterval(_SWITCH_S)
        # The first answers have the processor for themselves.
        warming = asyncio.get_running_loop().call_later(AFTER_START_S, self.state.pool.warm)
        background = asyncio.create_task(run_background(self.state))
        try:
            yield
        finally:
            warming.cancel()
            background.cancel()
            with suppress(asyncio.CancelledError):
                await background
            self.state.close()
            await self.state.pool.ended(at_once=True)

    def _file(self, exchange: Exchange) -> Reply:
        """Answer of the site: the file, or a 404."""
        try:
            call = exchange.begin(SITE_RESOURCE)
            return self.site.answer(call) if call else exchange.other_method()
        except Exception as error:  # noqa: BLE001 - any error is answered
            return exchange.reply_to(error)


def create_app(state: ServiceState, is_site_incomplete: Callable[[], bool] = lambda: False) -> App:
    """ASGI application of the service. Raises TableError for an invalid endpoint declaration.

    is_site_incomplete  is the site still being built? Its missing files are answered with 503 then.
    """
    return App(state, is_site_incomplete)


class HotRoute:
    """Path whose requests skip Litestar's routing; the checks and the handler function stay the same."""

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
        """Handler for Litestar, used for spellings of the path that `App` does not match directly."""
        await self.answer(exchange_of(scope), receive, send)


async def _guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Guard of every route: checks key, scopes and limits of the resource in `opt`. Raises ProblemError."""
    await exchange_of(connection.scope).enter(handler.opt["resource"], cast("Receive", connection.receive))


def _call(request: Request[Any, Any, Any]) -> Call:
    call = exchange_of(request.scope).call
    assert call is not None
    return call


async def _other_method(request: Request[Any, Any, Any]) -> Reply:
    return exchange_of(request.scope).other_method()


def _problem(request: Request[Any, Any, Any], error: Exception) -> Reply:
    """Exception handler of the application: every error becomes a problem document (RFC 9457)."""
    return exchange_of(request.scope).reply_to(error)


@cache
def _resources() -> dict[str, Resource]:
    paths: dict[str, list[Any]] = {}
    for endpoint in table():
        paths.setdefault(endpoint.path, []).append(endpoint)
    return {path: Resource.of(path, endpoints) for path, endpoints in paths.items()}
