"""How many destinations are looked at over the network at once, in all and for one organization.

Who finds no room within its own time has seen nothing, and that allows nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from waypost.models.decision import Target
from waypost.models.observation import Observations
from waypost.service import ASKING
from waypost.service.looking import Look, unseen

MOST, MOST_EACH = 32, 4


class Gate:
    """A look that waits for its turn."""

    def __init__(self, look: Look, now: Callable[[], int], most: int = MOST, most_each: int = MOST_EACH) -> None:
        self._look = look
        self._now = now
        self._all = asyncio.Semaphore(most)
        self._most_each = most_each
        self._each: dict[str, tuple[asyncio.Semaphore, int]] = {}

    async def __call__(self, target: Target, within_s: float) -> Observations | None:
        organization = ASKING.get()
        began = time.monotonic()
        own, waiting = self._each.get(organization, (asyncio.Semaphore(self._most_each), 0))
        self._each[organization] = (own, waiting + 1)
        try:
            async with AsyncExitStack() as held:
                try:
                    async with asyncio.timeout(within_s):
                        await held.enter_async_context(own)
                        await held.enter_async_context(self._all)
                except TimeoutError:
                    return unseen(target, self._now(), "timeout")
                left = within_s - (time.monotonic() - began)
                return await self._look(target, left) if left > 0 else unseen(target, self._now(), "timeout")
        finally:
            own, waiting = self._each[organization]
            if waiting > 1:
                self._each[organization] = (own, waiting - 1)
            else:
                del self._each[organization]
