"""Limit on simultaneous network checks, in all and for each organization.

Without a free place in time a check observes nothing, and the decision is a stop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from waypost.models.decision import Target
from waypost.models.observation import Observations
from waypost.service.observer import Probe, unobserved
from waypost.service.providers import CURRENT_ORGANIZATION

MOST, MOST_EACH = 32, 4


class OutboundLimit:
    """Probe with a limit on simultaneous calls of another probe.

    most       checks at once, over all organizations
    most_each  checks at once for an organization
    """

    def __init__(self, probe: Probe, now: Callable[[], int], most: int = MOST, most_each: int = MOST_EACH) -> None:
        self._probe = probe
        self._now = now
        self._all = asyncio.Semaphore(most)
        self._most_each = most_each
        self._each: dict[str, tuple[asyncio.Semaphore, int]] = {}

    async def __call__(self, target: Target, within_s: float) -> Observations | None:
        organization = CURRENT_ORGANIZATION.get()
        began = time.monotonic()
        own, waiting = self._each.get(organization, (asyncio.Semaphore(self._most_each), 0))
        self._each[organization] = (own, waiting + 1)
        try:
            async with AsyncExitStack() as held:
                try:
                    async with asyncio.timeout(within_s):
                        # The organization's place first: who waits for it takes none of the places of all.
                        await held.enter_async_context(own)
                        await held.enter_async_context(self._all)
                except TimeoutError:
                    return unobserved(target, self._now(), "timeout")
                left = within_s - (time.monotonic() - began)
                return await self._probe(target, left) if left > 0 else unobserved(target, self._now(), "timeout")
        finally:
            # The entry goes with the last check, so that the table is bounded by the checks under way.
            own, waiting = self._each[organization]
            if waiting > 1:
                self._each[organization] = (own, waiting - 1)
            else:
                del self._each[organization]
