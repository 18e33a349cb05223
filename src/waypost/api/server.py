"""Server start: a single process or several on the same socket, with a graceful shutdown.

SIGTERM and SIGINT let running requests end, for `drain_s` seconds at most, with exit status 0; during the start they
end the process at once. Worker processes end when their parent is gone. SIGHUP loads new feeds, reviews and policies: a
single process opens the new ones next to the old; several processes are replaced in turn.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from waypost import tracing
from waypost.api.admin import HOST
from waypost.api.app import App, create_app
from waypost.api.background import AFTER_START_S, RUN
from waypost.api.metrics import clear
from waypost.api.settings import Settings
from waypost.api.state import open_state
from waypost.api.uvicorn_parts import unbounded
from waypost.errors import NotReady
from waypost.isolation.ending import SIGNALS, end
from waypost.isolation.lifeline import end_with_parent
from waypost.net.listen import Listening, check_free, listen, listen_on_file
from waypost.store.errors import StoreError
from waypost.store.folder import data_folder

if TYPE_CHECKING:
    from types import FrameType

    from uvicorn import Config, Server

VARIABLE = "WAYPOST_SERVING"
"""Environment variable that passes the settings to worker processes, as JSON."""
_STARTED_S = 0.05
"""Seconds from one look to the next whether the service has started."""


def socket_of(settings: Settings) -> Listening:
    """Listening socket by the settings: a UNIX socket, or host and port.

    Raises CannotListen, also for a port of the metrics that is taken.
    """
    if settings.admin_port:
        check_free(HOST, settings.admin_port, "admin_port")
    return listen_on_file(settings.socket) if settings.socket else listen(settings.host, settings.port)


class SiteBuild(Protocol):
    """Build of the site beside the service: begun when the service answers, and incomplete until its end."""

    def start(self) -> None: ...

    def is_incomplete(self) -> bool: ...


def serve(settings: Settings, sock: Listening, build: SiteBuild | None = None) -> int:
    """Run the service until a signal stops the process. Exit status 0, or 3 if a process could not start.

    build  of the site, only for a single process
    """
    _quiet()
    if settings.admin_port:
        clear(data_folder(settings.data or None) / RUN)
    if settings.workers > 1:
        return _several(settings, sock)
    return _one(settings, sock, build)


def worker_app() -> App | tracing.Traced:
    """Application factory for the worker processes of uvicorn."""
    end_with_parent()
    _quiet()
    settings = msgspec.json.decode(os.environ[VARIABLE], type=Settings)
    app = create_app(open_state(settings))
    return _traced(app) if settings.otel else app


def _traced(app: App) -> tracing.Traced:
    tracing.switch_on()
    return tracing.Traced(app)


def _one(settings: Settings, sock: Listening, build: SiteBuild | None) -> int:
    import uvicorn

    state = open_state(settings)
    app = create_app(state, build.is_incomplete) if build else create_app(state)
    server = uvicorn.Server(_config(_traced(app) if settings.otel else app, settings))
    _end_in_order(server)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, AttributeError):  # Windows has no such signal
            loop.add_signal_handler(signal.SIGHUP, lambda: asyncio.ensure_future(reload(app)))
        later = asyncio.create_task(_start_later(build, server)) if build else None
        try:
            await server.serve(sockets=[sock])
        finally:
            if later:
                later.cancel()

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(run())
    return 0 if server.started else 3


async def _start_later(build: SiteBuild, server: Server) -> None:
    """Start the build of the site when the service answers."""
    while not server.started:
        await asyncio.sleep(_STARTED_S)
    await asyncio.sleep(AFTER_START_S)
    build.start()


def _end_in_order(server: Server) -> None:
    """Let SIGTERM and SIGINT end the process with status 0.

    uvicorn restores these handlers after its shutdown and raises the signal again, which would end the process by the
    signal. A signal before the start ends it at once.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        if not server.started:
            end(number, frame)

    for number in SIGNALS:
        signal.signal(number, handle)


async def reload(app: App) -> None:
    """Load new feeds, reviews and policies. An error is logged, and the old ones stay in use."""
    state = app.state
    try:
        await asyncio.to_thread(state.reload)
    except (NotReady, StoreError) as error:
        state.logs.outage(error)
    except Exception as error:  # noqa: BLE001 - a bad file must not take a running service down
        state.logs.failure(request_id="", route="", error=error)


def _several(settings: Settings, sock: Listening) -> int:
    from waypost.api.supervisor import Supervisor

    os.environ[VARIABLE] = msgspec.json.encode(settings).decode()
    config = _config("waypost.api.server:worker_app", settings, factory=True, workers=settings.workers)
    supervisor = Supervisor(config, sockets=[sock])
    supervisor.run()
    # A process that a signal ends while it starts may say that it could not.
    return 3 if supervisor.could_not_start else 0


def _config(app: Any, settings: Settings, **more: Any) -> Config:
    import uvicorn

    return uvicorn.Config(
        app,
        # Our own log is the only one: uvicorn's would hold paths and addresses.
        log_config=None,
        access_log=False,
        server_header=False,
        # `auth.address_of` evaluates X-Forwarded-For, by the trusted proxies of the settings.
        proxy_headers=False,
        lifespan="on",
        ws="none",
        http="auto" if unbounded() else "waypost.api.protocol:Wire",
        timeout_graceful_shutdown=max(1, int(settings.drain_s)),
        **more,
    )


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _quiet() -> None:
    """Silence the loggers of uvicorn and asyncio, since their messages may contain addresses."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
