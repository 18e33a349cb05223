"""What a running service does beside its requests: sharing counts, writing down uses, forgetting what is too old."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from waypost.api.admin import Admin
from waypost.api.metrics import Sharing
from waypost.api.search_index import index_of
from waypost.store.retention import sweep

if TYPE_CHECKING:
    from waypost.api.state import ServiceState

FLUSH_S = 60.0
SWEEP_EVERY = 60
"""Flushes between two sweeps."""
SWEEP_PAUSE_S = 0.1
SHARE_S = 1.0
RUN = "run"
"""The folder, below that of the data, of what lives only as long as the service."""


async def run_background(state: ServiceState) -> None:
    """Goes on until it is cancelled. What fails now is tried again; requests say by themselves what is wrong."""
    works: list[Coroutine[Any, Any, None]] = [
        state.limits.run(),
        _tidy(state),
        # Made ready now, so that the first search waits for nothing.
        asyncio.to_thread(_index, state),
    ]
    if state.settings.admin_port:
        works.append(_count(state))
    async with asyncio.TaskGroup() as tasks:
        for work in works:
            tasks.create_task(_noted(state, work))


def _index(state: ServiceState) -> None:
    index_of(state.service.world, state.registry)


async def _noted(state: ServiceState, work: Coroutine[Any, Any, None]) -> None:
    """One piece of work that fails takes no other with it."""
    try:
        await work
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


async def _sweep(state: ServiceState) -> None:
    while (await state.write(partial(sweep, now=state.now()))).more:
        await asyncio.sleep(SWEEP_PAUSE_S)  # those who wait for the store go first


async def _count(state: ServiceState) -> None:
    """Share this process's counts with the others, and show the sum of all where nobody shows it yet."""
    sharing = Sharing(state.folder / RUN, state.metrics)
    async with Admin(state.settings.admin_port, sharing.text) as admin:
        while True:
            await asyncio.to_thread(sharing.write)
            await admin.listen()
            await asyncio.sleep(SHARE_S)
