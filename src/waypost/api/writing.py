"""Writing to the store from the event loop: what is asked for in one turn of it goes to the writer as one.

So the loop is woken once for many answers, which costs more than the writing itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar, cast

from waypost.store import decisions
from waypost.store.decisions import Given
from waypost.store.open import Connection, Store
from waypost.store.writer import Outcome

T = TypeVar("T")
Work = Callable[[Connection], Any]
_Waiting = tuple["asyncio.Future[Any]", ...]


class Writing:
    """For one event loop at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: list[tuple[Work, _Waiting]] = []
        self._given: list[tuple[Given, asyncio.Future[Any]]] = []

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do something in the store; done when it is durable. Raises what the work raises, and StoreFault."""
        done = self._waiting()
        self._asked.append((work, (done,)))
        return cast("T", await done)

    async def keep(self, given: Given) -> None:
        """Keep a decision. Those of one turn go in together, by one statement. Raises StoreFault."""
        done = self._waiting()
        self._given.append((given, done))
        await done

    def _waiting(self) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        if not self._asked and not self._given:
            loop.call_soon(self._hand_over, loop)
        return loop.create_future()

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        asked, self._asked = self._asked, []
        given, self._given = self._given, []
        if given:
            asked.append((partial(_keep, [each for each, _ in given]), tuple(done for _, done in given)))
        try:
            writing = self._store.writer.together([work for work, _ in asked])
        except Exception as fault:  # noqa: BLE001 - everybody who waits must hear of it
            _fail(asked, fault)
            return

        def heard(future: Future[list[Outcome]]) -> None:
            try:
                loop.call_soon_threadsafe(_tell, asked, future)
            except RuntimeError:
                return  # the loop was closed: nobody waits any more

        writing.add_done_callback(heard)


def _keep(given: list[Given], db: Connection) -> None:
    decisions.put(db, *given)


def _tell(asked: list[tuple[Work, _Waiting]], future: Future[list[Outcome]]) -> None:
    fault = future.exception()
    if fault is not None:
        _fail(asked, fault)
        return
    for (_, waiting), (result, why) in zip(asked, future.result(), strict=True):
        for done in waiting:
            if done.done():  # who asked went away; it is written all the same
                continue
            if why is None:
                done.set_result(result)
            else:
                done.set_exception(why)


def _fail(asked: list[tuple[Work, _Waiting]], fault: BaseException) -> None:
    for _, waiting in asked:
        for done in waiting:
            if not done.done():
                done.set_exception(fault)
