"""Queue that is fair by holder and by address: the account with the least used time comes next.

A holder is an organization, or all requests without a key together. The holder with the least used time of the workers
is served first, and of a holder the address with the least. So neither a flood of cheap pages nor a few slow pages cost
other holders time. A holder has a share of the places in the queue and a share of the workers; an address without a key
has a share of the holder's.
"""

from __future__ import annotations

import math
from collections import deque
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

Job = TypeVar("Job")
_OF_PLACES = 4
"""Places without a key, divided by the places of a single address."""
_LEAST_S = 0.001
"""Least cost of a job, so that jobs without a duration take turns too."""
_MOST_RETRY_S = 30
_SPENT = itemgetter(0)


class Turn(NamedTuple):
    """Account of a job: `holder` is an organization's id, or empty without a key."""

    holder: str = ""
    address: str = ""


class QueueFull(Exception):
    """No place in the queue, of the holder's share or at all. `retry_after_s` is in seconds."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(retry_after_s)
        self.retry_after_s = retry_after_s


class _Account(Generic[Job]):
    """Account of a holder or of an address. `spent` is the time used, in seconds; `jobs` wait at an address."""

    __slots__ = ("addresses", "jobs", "running", "spent", "waiting")

    def __init__(self, spent: float) -> None:
        self.spent = spent
        self.running = self.waiting = 0
        self.jobs: deque[Job] = deque()
        self.addresses: dict[str, _Account[Job]] = {}

    @property
    def is_busy(self) -> bool:
        return self.running + self.waiting > 0


class FairQueue(Generic[Job]):
    """Queue of jobs, first in first out for each address.

    most     waiting jobs at most
    share    waiting jobs of a holder at most
    at_once  running jobs of a holder at most
    """

    def __init__(self, *, most: int, share: int, at_once: int) -> None:
        self._most = most
        self._share = share
        self._at_once = at_once
        self._share_of_address = max(share // _OF_PLACES, 1)
        # One worker of those for all without a key stays free for another address.
        self._at_once_of_address = max(at_once - 1, 1)
        self._waiting = 0
        self._mean_s = _LEAST_S
        self._holders: dict[str, _Account[Job]] = {}

    def __len__(self) -> int:
        return self._waiting

    def add(self, turn: Turn, job: Job) -> None:
        """Append a job. Raises QueueFull."""
        holder = _opened(self._holders, turn.holder)
        if self._waiting >= self._most or holder.waiting >= self._share:
            raise QueueFull(self.retry_after_s(turn))
        address = _opened(holder.addresses, turn.address)
        if not turn.holder and address.waiting >= self._share_of_address:
            raise QueueFull(self.retry_after_s(turn))
        address.jobs.append(job)
        self._count(holder, address)

    def put_back(self, turn: Turn, job: Job) -> None:
        """Put a job back in front of the jobs of its address, past all shares."""
        holder = _opened(self._holders, turn.holder)
        address = _opened(holder.addresses, turn.address)
        address.jobs.appendleft(job)
        self._count(holder, address)

    def _count(self, holder: _Account[Job], address: _Account[Job]) -> None:
        for account in (holder, address):
            account.waiting += 1
        self._waiting += 1

    def next(self) -> tuple[Turn, Job] | None:
        """Take the next job off the queue; None without a runnable job."""
        if not self._waiting:
            return None
        turn = self._first()
        if turn is None:
            return None
        holder = self._holders[turn.holder]
        address = holder.addresses[turn.address]
        for account in (holder, address):
            account.waiting -= 1
            account.running += 1
        self._waiting -= 1
        return turn, address.jobs.popleft()

    def _first(self) -> Turn | None:
        """Turn of the next runnable job: of equals, the first to arrive."""
        found, least = None, math.inf
        for name, holder in self._holders.items():
            if not holder.waiting or holder.running >= self._at_once or holder.spent >= least:
                continue
            runnable = [
                (address.spent, text)
                for text, address in holder.addresses.items()
                if address.waiting and (name or address.running < self._at_once_of_address)
            ]
            if runnable:
                least = holder.spent
                found = Turn(name, min(runnable, key=_SPENT)[1])
        return found

    def done(self, turn: Turn, seconds: float) -> None:
        """Charge the time of a finished job."""
        cost = max(seconds, _LEAST_S)
        # A moving mean over some sixteen jobs: the hint for Retry-After follows the load of now.
        self._mean_s += (cost - self._mean_s) / 16
        holder = self._holders[turn.holder]
        for account in (holder, holder.addresses[turn.address]):
            account.running -= 1
            account.spent += cost
        _forget(holder.addresses)
        _forget(self._holders)

    def drop(self, turn: Turn, job: Job) -> None:
        """Take a job off the queue before its turn."""
        holder = self._holders[turn.holder]
        address = holder.addresses[turn.address]
        address.jobs.remove(job)
        for account in (holder, address):
            account.waiting -= 1
        self._waiting -= 1

    def retry_after_s(self, turn: Turn) -> int:
        """Seconds until the waiting jobs of the holder are probably done."""
        account = self._holders.get(turn.holder)
        waiting = account.waiting + 1 if account else 1
        return min(max(math.ceil(waiting * self._mean_s / self._at_once), 1), _MOST_RETRY_S)


def _opened(accounts: dict[str, _Account[Job]], name: str) -> _Account[Job]:
    """Account of a name. A return after a pause brings no priority for the unused time."""
    account = accounts.get(name)
    if account is None or not account.is_busy:
        least = _least_of_busy(accounts)
        floor = least if least < math.inf else 0.0
        if account is None:
            account = accounts[name] = _Account(floor)
        account.spent = max(account.spent, floor)
    return account


def _forget(accounts: dict[str, _Account[Job]]) -> None:
    """Drop the idle accounts without more used time than the busy ones."""
    floor = _least_of_busy(accounts)
    if floor == math.inf:  # no one uses any
        accounts.clear()
        return
    for name in [name for name, account in accounts.items() if not account.is_busy and account.spent <= floor]:
        del accounts[name]


def _least_of_busy(accounts: dict[str, _Account[Job]]) -> float:
    """Least used time of the busy accounts; infinite without any."""
    least = math.inf
    for account in accounts.values():
        if account.is_busy and account.spent < least:
            least = account.spent
    return least
