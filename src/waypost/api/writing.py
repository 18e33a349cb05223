"""Writing to the store from the event loop: what is asked for while the writer is busy goes to it as one.

So the loop is woken once for many answers, which costs more than the writing itself; and what comes while the writer
waits for the disk is taken as soon as it is done, without the loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from waypost.store import decisions
from waypost.store.decisions import Given
from waypost.store.open import Connection, Store
from waypost.store.writer import Outcome, Quick

T = TypeVar("T")
Work = Callable[[Connection], Any]
MANY = 48
"""Decisions for which the writer is called at once: with those that come until it looks, about one statement full."""
_Asked = tuple[Work | Quick, tuple["asyncio.Future[Any]", ...]]


class Writing:
    """For one event loop at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._gathered: _Gathered | None = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do something in the store; done when it is durable. Raises what the work raises, and StoreError."""
        gathered = self._of_loop()
        done = gathered.loop.create_future()
        gathered.asked.append((work, (done,)))
        if not gathered.called:
            gathered.call()
        return cast("T", await done)

    async def keep(self, given: Given) -> None:
        """Keep a decision; done when it is durable. Raises StoreError."""
        await self.keeping(given)

    def keeping(self, given: Given) -> asyncio.Future[None]:
        """Begin to keep a decision: what comes back is done when it is durable, or has a StoreError.

        Those that wait at the same time go in together, by one statement.
        """
        gathered = self._of_loop()
        done: asyncio.Future[None] = gathered.loop.create_future()
        gathered.given.append((given, done))
        if not gathered.called:
            gathered.call_soon()
        return done

    def _of_loop(self) -> _Gathered:
        """What waits in the running loop. `asyncio.get_running_loop` asks the system for the process at every call."""
        if self._gathered is None or not self._gathered.loop.is_running():
            self._gathered = _Gathered(self._store, asyncio.get_running_loop())
        return self._gathered


class _Gathered:
    """What waits for the writer in one loop. Filled by the loop's thread and emptied by the writer's.

    called  the writer knows that something waits; it takes all that does when it comes to it
    """

    __slots__ = ("_alone", "_soon", "_store", "asked", "called", "given", "loop")

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self.loop = loop
        self.called = False
        self._soon = False
        self._alone = True
        self.asked: deque[_Asked] = deque()
        self.given: deque[tuple[Given, asyncio.Future[Any]]] = deque()

    def call(self) -> None:
        self.called = True
        batch = _Batch(self)
        try:
            self._store.writer.together(batch.take, batch.heard)
        except Exception as fault:  # noqa: BLE001 - everybody who waits must hear of it
            _tell(self.taken(), [], fault)

    def call_soon(self) -> None:
        """Call the writer at the end of this turn; at once where the last decision was alone, or where many wait.

        It asks for the interpreter some five times a batch, and each time both threads stop: for few of many it is not
        worth it. Many are written while the loop goes on with the rest of its turn, which would wait for nothing else.
        """
        if self._alone or len(self.given) >= MANY:
            self.call()
        elif not self._soon:
            self._soon = True
            self.loop.call_soon(self._end_of_turn)

    def _end_of_turn(self) -> None:
        self._soon = False
        if self.given and not self.called:
            self.call()

    def taken(self) -> list[_Asked]:
        self.called = False  # whoever asks from here on calls again, though it may be taken here
        asked: list[_Asked] = []
        given: list[Given] = []
        waiting: list[asyncio.Future[Any]] = []
        with suppress(IndexError):
            while True:
                asked.append(self.asked.popleft())
        with suppress(IndexError):
            while True:
                one, done = self.given.popleft()
                given.append(one)
                waiting.append(done)
        if given:
            self._alone = len(given) == 1
            asked.append((Quick(partial(_keep_at_once, given), partial(_keep, given)), tuple(waiting)))
        return asked


class _Batch:
    """What was taken at once, and who waits for it."""

    __slots__ = ("_asked", "_of")

    def __init__(self, of: _Gathered) -> None:
        self._of = of
        self._asked: list[_Asked] = []

    def take(self) -> list[Work | Quick]:
        self._asked = self._of.taken()
        return [work for work, _ in self._asked]

    def heard(self, outcomes: list[Outcome], fault: BaseException | None) -> None:
        """The writer is done with it."""
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self._of.loop.call_soon_threadsafe(_tell, self._asked, outcomes, fault)


def _keep(given: list[Given], db: Connection) -> None:
    decisions.put(db, *given)


def _keep_at_once(given: list[Given], db: Connection) -> bool:
    return decisions.put_at_once(db, given)


def _tell(asked: list[_Asked], outcomes: list[Outcome], fault: BaseException | None) -> None:
    if fault is not None:
        outcomes = [(None, fault)] * len(asked)
    for (_, waiting), (result, why) in zip(asked, outcomes, strict=True):
        for done in waiting:
            if done.done():  # who asked went away; it is written all the same
                continue
            if why is None:
                done.set_result(result)
            else:
                done.set_exception(why)
