"""Payments of callers, compared with the files of merchants' hosts: read once in minutes, a few hosts at a time."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable

from waypost.models.decision import Target
from waypost.models.payment import MerchantFiles, Payment, PaymentRequest
from waypost.net.merchant import is_reusable, unread
from waypost.safety.merchant import needs_files, read_merchant
from waypost.safety.payment import payment_of
from waypost.service.observer import Observed, Observer

Read = Callable[[Target, float], Awaitable[MerchantFiles]]
"""(target, seconds) -> files of the target's host."""
AT_ONCE = 8
_MOST_STORED = 1024


class Merchants:
    """Reader of merchants' files with a memory. Not thread-safe: for a single event loop.

    read  reads the files of a host; None to stay offline
    """

    def __init__(self, read: Read | None, now: Callable[[], int]) -> None:
        self._read = read
        self._now = now
        # Of one process: hashes of payees are compared within a decision, and match nothing elsewhere.
        self._key = secrets.token_bytes(32)
        self._places = asyncio.Semaphore(AT_ONCE)
        self._stored: dict[tuple[str, int], MerchantFiles] = {}

    async def observed(
        self, target: Target, request: PaymentRequest, observer: Observer, within_s: float
    ) -> tuple[Observed, Payment]:
        """Observations of a destination, and the payment compared with the files of its host, read next to them."""
        files = None
        if self._read is None or not needs_files(request, target):
            observed = observer.recent(target) or await observer.observe(target, within_s)
        else:
            reading = asyncio.ensure_future(self.files(target, within_s))
            try:
                observed = observer.recent(target) or await observer.observe(target, within_s)
                files = await reading
            finally:
                # Also where the caller was cancelled: no request outlives the one that began it.
                reading.cancel()
        return observed, self.payment(request, files, observed)

    def payment(self, request: PaymentRequest, files: MerchantFiles | None, observed: Observed | None) -> Payment:
        """Payment of a caller, compared with the files of the destination's host and with its certificate."""
        tls = observed.seen.tls if observed and observed.seen else None
        organization_id = tls.organization_id if tls and tls.valid else ""
        return payment_of(request, self._key, read_merchant(request, files, organization_id, self._now()))

    async def files(self, target: Target, within_s: float) -> MerchantFiles:
        """Files of a host within some seconds; files that failed where there is no place or no answer in time."""
        place = target.host, target.port
        stored = self._stored.get(place)
        if stored is not None and is_reusable(stored, self._now()):
            return stored
        self._stored.pop(place, None)
        try:
            assert self._read is not None
            async with asyncio.timeout(within_s), self._places:
                files = await self._read(target, within_s)
        except Exception:  # noqa: BLE001  a failure of any kind is a file that was not read
            return unread(target.host, self._now())
        if files.host != target.host:
            return unread(target.host, self._now())
        if is_reusable(files, self._now()):
            while len(self._stored) >= _MOST_STORED:
                del self._stored[next(iter(self._stored))]
            self._stored[place] = files
        return files
