"""Limit on simultaneous network checks, in all and for each organization.

A check without a free place in time is not made: a fact about this service, not about the host. The evidence is
`not_attempted`, and the decision expires within seconds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from waypost.models.decision import Target
from waypost.models.observation import Observations
from waypost.service.batches import PLACE_UNTIL
from waypost.service.observer import GRACE_S, Probe, not_made, outcome_within, without_late_parts
from waypost.service.providers import CURRENT_ORGANIZATION

MOST, MOST_EACH = 32, 4
_PROMPT_S = 0.02
"""Seconds of a wait for a place that do not count."""


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
        # A check of a batch waits until the batch ends, any other for no longer than its own time.
        ends = PLACE_UNTIL.get()
        until = began + within_s if ends is None else ends
        own, waiting = self._each.get(organization, (asyncio.Semaphore(self._most_each), 0))
        self._each[organization] = (own, waiting + 1)
        try:
            async with AsyncExitStack() as held:
                try:
                    async with asyncio.timeout(until - began):
                        # The organization's place first: who waits for it takes none of the places of all.
                        await held.enter_async_context(own)
                        await held.enter_async_context(self._all)
                except TimeoutError:
                    return not_made(target, self._now())
                waited = time.monotonic() - began
                left = min(within_s, until - began - waited)
                if left <= 0:
                    return not_made(target, self._now())
                seen = await self._observed(target, left)
                is_cut = waited > _PROMPT_S and left < within_s
                return without_late_parts(seen, self._now()) if seen is not None and is_cut else seen
        finally:
            # The entry goes with the last check, so that the table is bounded by the checks under way.
            own, waiting = self._each[organization]
            if waiting > 1:
                self._each[organization] = (own, waiting - 1)
            else:
                del self._each[organization]

    async def _observed(self, target: Target, within_s: float) -> Observations | None:
        """Observations of the probe. A hanging probe must not hold a place for as long as a batch lasts."""
        outcome = await outcome_within(self._probe(target, within_s), within_s + GRACE_S / 2)
        if outcome is None:
            # Probes keep their deadline by themselves: one that is left behind had no turn here.
            return not_made(target, self._now())
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome[0]
