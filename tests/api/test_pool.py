"""Heavy work ends in time, whatever it does, and never takes the service with it."""

from __future__ import annotations

import asyncio
import operator
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from typing import Any

import pytest

from waypost.api.validation_task import ValidationOptions, validate_document
from waypost.api.workers import Busy, Pool, TooHeavy, WorkerLost, WorkFailed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of this kind there")
NOW = datetime(2026, 11, 20, tzinfo=UTC)
HTML = ValidationOptions(html=True, url=None, profiles=(), site="", now=NOW)


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool(workers=2, waiting=2, deadline_s=20, cpu_s=1, memory_bytes=64 << 20) as opened:
        yield opened


def run(pool: Pool, work: Callable[..., Any], *arguments: Any) -> Any:
    return asyncio.run(pool.run(work, *arguments))


def together(*all_of: Awaitable[Any]) -> list[Any]:
    async def gathered() -> list[Any]:
        return await asyncio.gather(*all_of, return_exceptions=True)

    return asyncio.run(gathered())


def page(items: int) -> bytes:
    one = '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">%d</b></div>'
    return ("<!doctype html><title>t</title>" + "".join(one % n for n in range(items))).encode()


def test_a_page_is_judged_as_it_would_be_here(pool: Pool):
    data = page(200)

    there = run(pool, validate_document, data, HTML)

    assert there == validate_document(data, HTML)
    assert len(there.items) == 200


def test_work_that_takes_too_much_processor_time_is_ended(pool: Pool):
    with pytest.raises(TooHeavy, match="it takes too long; use `waypost validate` for it"):
        run(pool, sum, range(10**12))


def test_work_that_only_waits_is_ended_at_its_deadline():
    with Pool(deadline_s=0.3) as pool, pytest.raises(TooHeavy, match="it takes too long"):
        run(pool, time.sleep, 60)


def test_work_that_takes_too_much_memory_is_ended(pool: Pool):
    with pytest.raises(TooHeavy, match="it takes too much memory"):
        run(pool, operator.mul, b"x", 1 << 30)


def test_what_a_failure_says_stays_where_it_happened(pool: Pool):
    with pytest.raises(WorkFailed) as told:
        run(pool, int, "k4n4ry")

    assert str(told.value) == "a worker process failed (ValueError)"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_worker_that_dies_costs_its_own_work_alone(pool: Pool, how: signal.Signals):
    lost, done = together(pool.run(signal.raise_signal, how), pool.run(operator.add, 1, 2))

    assert isinstance(lost, WorkerLost)
    assert done == 3
    assert run(pool, operator.add, 2, 2) == 4


def test_a_worker_that_is_killed_at_work_is_replaced(pool: Pool):
    async def killed() -> Any:
        work = asyncio.create_task(pool.run(time.sleep, 60))
        for _ in range(2000):
            if pool._running:
                break
            await asyncio.sleep(0.01)
        os.kill(next(iter(pool._running)).pid, signal.SIGKILL)
        return await asyncio.gather(work, return_exceptions=True)

    (fault,) = asyncio.run(killed())

    assert isinstance(fault, WorkerLost)
    assert run(pool, operator.add, 2, 2) == 4


@pytest.mark.skipif(not hasattr(forkserver, "_forkserver"), reason="workers are not forked here")
def test_even_the_process_that_workers_come_from_may_die(pool: Pool):
    assert run(pool, operator.add, 1, 1) == 2

    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)

    for _ in range(3):
        assert run(pool, operator.add, 1, 1) == 2


def test_who_finds_nothing_to_start_a_worker_from_is_told_to_ask_again(pool: Pool, monkeypatch: pytest.MonkeyPatch):
    def refused(_: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(BaseProcess, "start", refused)

    (answer,) = together(pool.run(operator.add, 1, 1))

    assert isinstance(answer, WorkerLost)
    assert answer.status == 503


def test_who_comes_when_as_much_waits_as_may_is_told_to_come_back():
    with Pool(workers=1, waiting=2, wait_s=60, deadline_s=60) as pool:
        answers = together(*(pool.run(time.sleep, 0.2) for _ in range(5)))

        assert [type(each) for each in answers] == [type(None)] * 3 + [Busy] * 2
        assert (Busy.status, Busy.retry_after_s) == (503, 1)
        assert run(pool, operator.add, 2, 2) == 4


def test_what_waited_too_long_for_its_turn_is_not_begun():
    with Pool(workers=1, waiting=1, wait_s=0.1) as pool:
        first, second = together(pool.run(time.sleep, 0.5), pool.run(operator.add, 1, 1))

    assert first is None
    assert isinstance(second, Busy)


def test_what_waited_has_its_whole_time_when_its_turn_comes(monkeypatch: pytest.MonkeyPatch):
    given: list[float] = []

    class Timer(threading.Timer):
        def __init__(self, seconds: float, *rest: Any) -> None:
            given.append(seconds)
            super().__init__(seconds, *rest)

    monkeypatch.setattr(threading, "Timer", Timer)
    with Pool(workers=1, waiting=1, deadline_s=20) as pool:
        together(pool.run(time.sleep, 0.1), pool.run(operator.add, 1, 1))

    assert given == [20, 20]


def test_closing_ends_what_runs_and_takes_nothing_more():
    pool = Pool(workers=1, waiting=1)

    async def closed() -> list[Any]:
        work = asyncio.create_task(pool.run(time.sleep, 60))
        for _ in range(2000):
            if pool._running:
                break
            await asyncio.sleep(0.01)
        pool.close()
        return await asyncio.gather(work, return_exceptions=True)

    (fault,) = asyncio.run(closed())
    assert isinstance(fault, Busy)
    with pytest.raises(Busy):
        run(pool, operator.add, 1, 1)
