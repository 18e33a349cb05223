"""What a running service does beside its requests: sharing counts, writing down uses, forgetting what is too old."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from waypost.api.finding import index_of
from waypost.errors import WaypostError
from waypost.store.retention import sweep

if TYPE_CHECKING:
    from waypost.api.running import Running

FLUSH_S = 60.0
SWEEP_EVERY = 60
"""Flushes between two sweeps."""


async def keep(running: Running) -> None:
    """Goes on until it is cancelled. What fails now is tried again; requests say by themselves what is wrong."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(running.limits.keep())
        tasks.create_task(_tidy(running))
        # Made ready now, so that the first search waits for nothing.
        tasks.create_task(asyncio.to_thread(index_of, running.service.world, running.registry))


async def _tidy(running: Running) -> None:
    rounds = 0
    while True:
        try:
            await asyncio.to_thread(running.keyring.flush)
            if rounds % SWEEP_EVERY == 0:
                await running.write(partial(sweep, now=running.now()))
        except WaypostError as fault:
            running.logs.failure(request_id="", route="", fault=fault)
        rounds += 1
        await asyncio.sleep(FLUSH_S)
