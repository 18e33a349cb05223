"""Background tasks of a running service: shared metrics, key usage, retention, shared files, the search index."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from waypost.api.admin import Admin
from waypost.api.metrics import Sharing
from waypost.errors import NotReady, WaypostError
from waypost.isolation.threads import ProviderThreads
from waypost.service.keyring import POLL_S
from waypost.service.search_index import index_of
from waypost.service.shared_files import POLL_S as SHARED_POLL_S
from waypost.store.errors import StoreError
from waypost.store.retention import Sweeper
from waypost.updates import load_world

if TYPE_CHECKING:
    from waypost.api.state import ServiceState
    from waypost.service.shared_files import SharedFiles

AFTER_START_S = 0.5
"""Seconds from the start of the service to the work that no first answer needs."""
FLUSH_S = 60.0
SWEEP_EVERY = 60
"""Flushes from a retention sweep to the next."""
SHARE_S = 1.0
REGISTRY_POLL_S = 2.0
RUN = "run"
"""Subfolder of the data folder for files that live only as long as the service."""


async def run_background(state: ServiceState) -> None:
    """Run the background tasks until cancelled.

    A failed task is logged and never stops the service; periodic tasks try again. Requests report such errors
    themselves.
    """
    works: list[Coroutine[Any, Any, None]] = [
        state.limits.run(),
        _tidy(state),
        _load(state),
    ]
    if state.settings.store:
        works.append(_follow_keys(state))
    works.append(_follow_registry(state) if state.shared is None else _follow_files(state, state.shared))
    if state.settings.admin_port:
        works.append(_count(state))
    async with asyncio.TaskGroup() as tasks:
        for work in works:
            tasks.create_task(_noted(state, work))


async def _load(state: ServiceState) -> None:
    """Load what the first answers do not need, so that the first search and the first network check do not wait."""
    await asyncio.sleep(AFTER_START_S)
    # Daemon threads: the end of the service does not wait for them.
    threads = ProviderThreads(1)
    if not state.settings.offline:
        await asyncio.wrap_future(threads.submit(partial(import_module, "waypost.net.probe")))
    await asyncio.wrap_future(threads.submit(partial(index_of, state.service.world, state.registry)))


async def _noted(state: ServiceState, work: Coroutine[Any, Any, None]) -> None:
    """Await a task and log its exception, so that a failure does not cancel the task group."""
    try:
        await work
    except (NotReady, StoreError) as error:
        state.logs.outage(error)
    except Exception as error:  # noqa: BLE001 - whatever it was, the service goes on
        state.logs.failure(request_id="", route="", error=error)


async def _tidy(state: ServiceState) -> None:
    rounds = 0
    while True:
        await _noted(state, asyncio.to_thread(state.keyring.flush))
        if rounds % SWEEP_EVERY == 0:
            await _noted(state, _sweep(state))
        rounds += 1
        await asyncio.sleep(FLUSH_S)


async def _follow_keys(state: ServiceState) -> None:
    """Read the keys of a database in a thread, so that a request seldom waits for them on the event loop."""
    while True:
        await asyncio.sleep(POLL_S / 2)
        with suppress(NotReady):  # a request that needs the keys then reads them, and reports it
            await asyncio.to_thread(state.keyring.refresh)


async def _follow_files(state: ServiceState, shared: SharedFiles) -> None:
    """Follow the signing keys, lists and registries that every replica has."""
    while True:
        await asyncio.sleep(SHARED_POLL_S)
        await _noted(state, _poll(shared))


async def _follow_registry(state: ServiceState) -> None:
    """Use a release of the registry as soon as it is installed in the data folder."""
    before = ""
    while True:
        await asyncio.sleep(REGISTRY_POLL_S)
        try:
            # Cached by the identity of the file: a look at the folder where nothing is new.
            if load_world(state.folder) is not state.service.world:
                await asyncio.to_thread(state.reload)
            before = ""
        except WaypostError as error:  # a damaged file: the release of before stays in use, and is reported once
            if str(error) != before:
                state.logs.outage(error)
            before = str(error)


async def _poll(shared: SharedFiles) -> None:
    with suppress(StoreError):  # it shows in every request
        await asyncio.to_thread(shared.poll)


async def _sweep(state: ServiceState) -> None:
    sweeper = Sweeper()
    while (await state.write(partial(sweeper.slice, now=state.now()))).more:
        await asyncio.sleep(sweeper.pause_s())  # lets requests use the store between two slices


async def _count(state: ServiceState) -> None:
    """Publish the counters of this process every second; serve the sum over all processes if no process does yet."""
    sharing = Sharing(state.folder / RUN, state.metrics)
    async with Admin(state.settings.admin_port, sharing.text) as admin:
        while True:
            with suppress(OSError):  # as of a full disk: other processes see older counts until there is room
                await asyncio.to_thread(sharing.write)
            await admin.listen()
            await asyncio.sleep(SHARE_S)
