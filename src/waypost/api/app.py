"""The ASGI application: each path of the table has its route, the site has the rest."""

from __future__ import annotations

import asyncio
import gc
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from litestar import Litestar
from litestar.handlers import asgi
from litestar.types import Receive, Scope, Send

from waypost.api.background import keep
from waypost.api.endpoint import Endpoint
from waypost.api.exchange import Route
from waypost.api.request import MEMBERS
from waypost.api.site import Site
from waypost.api.table import table

if TYPE_CHECKING:
    from waypost.api.state import Running


_GARBAGE = (20_000, 20, 20)
"""A request makes some hundred objects and leaves hardly a ring of them behind. Python's own 700 have it searched for
rings at every second request, which takes six of a hundred instructions."""


_TURN_S = 0.0005
"""After how long the thread that answers lets go of the interpreter where the thread that writes asks for it, which it
does six times a batch. With Python's own 5 ms a sixth fewer requests are answered: all wait for the write."""


class App:
    """What the server runs. It closes what it runs on when it is shut down.

    A path without members is looked up here and its route called at once: Litestar finds the same one, but takes a
    tenth of a request for that. Members of a path are found here too, and Litestar is given a plain path: in its 2.25
    an ASGI handler whose path has members answers no HTTP request (`routing_trie/traversal.py` asks for them by
    method, they are kept by "asgi").
    """

    def __init__(self, running: Running) -> None:
        paths: dict[str, list[Endpoint]] = {}
        for each in table():
            paths.setdefault(each.path, []).append(each)
        self.running = running
        self.site = running.site = Site(running)
        routes = {path: Route(running, tuple(endpoints)) for path, endpoints in paths.items()}
        self.litestar = Litestar(
            [_handler(_plain(path), route) for path, route in routes.items()],
            openapi_config=None,
            logging_config=None,
            lifespan=[self._life],
        )
        self._plain = {path: route for path, route in routes.items() if "{" not in path}
        self._others = [(_pattern(path), _plain(path)) for path in paths if "{" in path]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.litestar(scope, receive, send)
            return
        path = scope["path"]
        if route := self._plain.get(path) or (self._plain.get(path[:-1]) if path.endswith("/") else None):
            await route(scope, receive, send)
            return
        for pattern, plain in self._others:
            if found := pattern.fullmatch(path):
                told: Any = {**scope, "path": plain, MEMBERS: found.groupdict()}
                await self.litestar(told, receive, send)
                return
        await self.site(scope, receive, send)

    @asynccontextmanager
    async def _life(self, _: Litestar) -> AsyncIterator[None]:
        gc.collect()
        gc.freeze()  # what is here now stays: looking through it again and again finds nothing
        gc.set_threshold(*_GARBAGE)
        sys.setswitchinterval(_TURN_S)
        keeping = asyncio.create_task(keep(self.running))
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            self.running.close()


def create_app(running: Running) -> App:
    """The service as an ASGI application. Raises TableError."""
    return App(running)


def _pattern(path: str) -> re.Pattern[str]:
    """A path with members; a last slash more makes no difference."""
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)) + "/?")


def _plain(path: str) -> str:
    """A path of the table as Litestar knows it."""
    return re.sub(r"{(\w+)}", r":\1", path)


def _handler(path: str, route: Any) -> Any:
    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        await route(scope, receive, send)

    return asgi(path, copy_scope=False)(handle)
