"""Heavy work ends in time, whatever it does, and never takes the service with it."""

from __future__ import annotations

import asyncio
import operator
import os
import pickle
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from types import SimpleNamespace
from typing import Any

import pytest

from waypost.api.request import Call
from waypost.isolation import workers
from waypost.isolation.fair_queue import FairQueue, QueueFull, Turn
from waypost.isolation.workers import Busy, Pool, TooHeavy, WorkerLost, WorkFailed, usual_workers
from waypost.service.body import JSON
from waypost.service.page_work import HTML, Situation, validate
from waypost.service.problems import ProblemError
from waypost.service.workers import page_workers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of this kind there")
SITUATION = Situation(datetime(2026, 11, 20, tzinfo=UTC), "")


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as opened:
        yield opened


class Using:
    """A pool and the loop it is used on."""

    def __init__(self, runner: asyncio.Runner, **settings: Any) -> None:
        self._runner = runner
        self.pool = page_workers(**settings)

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return self._runner.run(self.pool.run(work, *arguments))

    def together(self, *all_of: Awaitable[Any]) -> list[Any]:
        async def gathered() -> list[Any]:
            return await asyncio.gather(*all_of, return_exceptions=True)

        return self._runner.run(gathered())

    def close(self) -> None:
        async def closed() -> None:
            self.pool.close()
            await self.pool.ended()

        self._runner.run(closed())


@pytest.fixture
def opened(runner: asyncio.Runner) -> Iterator[Callable[..., Using]]:
    """Opens pools with limits of one's own; closes them."""
    found: list[Using] = []

    def make(**settings: Any) -> Using:
        found.append(Using(runner, **settings))
        return found[-1]

    yield make
    for each in found:
        each.close()


@pytest.fixture
def using(opened: Callable[..., Using]) -> Using:
    return opened(workers=2, each=2, waiting=2, deadline_s=20, cpu_s=0.5, memory_bytes=64 << 20)


def page(items: int) -> bytes:
    one = '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">%d</b></div>'
    return ("<!doctype html><title>t</title>" + "".join(one % n for n in range(items))).encode()


def test_a_page_is_checked_as_it_would_be_here(using: Using):
    data = page(50)

    there = using.run(validate, data, HTML, JSON, SITUATION)

    assert there == validate(data, HTML, JSON, SITUATION)
    assert b'"items":50' in there


@pytest.mark.parametrize(
    "now",
    [datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 11, 20, 8, 0, 0, 123_457, UTC)],
)
def test_situation_in_a_worker_is_exact_to_the_microsecond(now: datetime):
    situation = Situation(now, "https://waypost.test")

    there = pickle.loads(pickle.dumps(situation, protocol=5))

    assert there == situation
    assert there.now.utcoffset() == UTC.utcoffset(None)


def test_a_document_of_any_length_reaches_its_worker_completely(opened: Callable[..., Using]):
    using = opened(workers=1)

    for size in (0, 1, 65_535, 65_536, 5_000_000, 65_537, 2):
        document = bytes(size % 251 + n % 5 for n in range(min(size, 1000))).ljust(size, b"-")
        assert using.run(operator.add, document, b"!") == document + b"!", size


def test_an_error_in_a_worker_is_reported_unchanged(using: Using):
    with pytest.raises(ProblemError) as raised:
        using.run(validate, b'{"data": {}, "type": "Recipee"}', JSON, JSON, SITUATION)

    assert (raised.value.code, raised.value.more) == ("invalid-request", {"did_you_mean": ["Recipe"]})
    assert [error["pointer"] for error in raised.value.errors] == ["#/type"]


def test_work_that_takes_too_much_processor_time_is_ended(using: Using):
    with pytest.raises(TooHeavy, match="it takes too long; use `waypost validate` for it"):
        using.run(sum, range(10**12))


def test_processor_time_grows_with_what_is_sent(opened: Callable[..., Using]):
    using = opened(workers=1, cpu_s=0.2, cpu_s_a_megabyte=1000)

    assert using.run(_after, 0.5, b"x" * 1_000_000)
    with pytest.raises(TooHeavy):
        using.run(_after, 60, b"")


def _after(seconds: float, _: bytes) -> bool:
    """Use so much processor time."""
    while time.process_time() < seconds:
        pass
    return True


def test_work_that_only_waits_is_ended_at_its_deadline(opened: Callable[..., Using]):
    using = opened(deadline_s=0.3)

    with pytest.raises(TooHeavy, match="it takes too long"):
        using.run(time.sleep, 60)


def test_work_that_takes_too_much_memory_is_ended(using: Using):
    with pytest.raises(TooHeavy, match="it takes too much memory"):
        using.run(operator.mul, b"x", 1 << 30)


def test_the_text_of_a_failure_stays_in_its_process(using: Using):
    with pytest.raises(WorkFailed) as raised:
        using.run(int, "k4n4ry")

    assert str(raised.value) == "a worker process failed (ValueError)"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS])
def test_a_worker_that_dies_costs_its_own_work_alone(using: Using, how: signal.Signals):
    pool = using.pool
    lost, done = using.together(pool.run(signal.raise_signal, how), pool.run(operator.add, 1, 2))

    assert isinstance(lost, WorkerLost)
    assert done == 3
    assert using.run(operator.add, 2, 2) == 4


def test_workers_leave_ending_to_the_server(using: Using):
    for how in (signal.SIGINT, signal.SIGTERM):
        assert using.run(signal.raise_signal, how) is None


async def at_work(pool: Pool) -> asyncio.Task[None]:
    """Work without an end that a worker has begun."""
    work = asyncio.create_task(pool.run(time.sleep, 60))
    for _ in range(12000):
        if any(worker.job for worker in pool._workers):
            break
        await asyncio.sleep(0.01)
    return work


async def worker_with_work(pool: Pool, other_than: int = 0) -> int:
    """Process id of a worker that has begun work."""
    async with asyncio.timeout(60):
        while True:
            found = [worker.pid or 0 for worker in pool._workers if worker.job and worker.pid != other_than]
            if found:
                return found[0]
            await asyncio.sleep(0.01)


def test_work_of_a_killed_worker_is_done_by_another(using: Using, runner: asyncio.Runner):
    async def killed() -> Any:
        work = asyncio.create_task(using.pool.run(time.sleep, 2))
        os.kill(await worker_with_work(using.pool), signal.SIGKILL)
        return await asyncio.gather(work, return_exceptions=True)

    assert runner.run(killed()) == [None]


def test_work_that_kills_two_workers_is_given_up(using: Using, runner: asyncio.Runner):
    async def killed_twice() -> list[Any]:
        work = asyncio.create_task(using.pool.run(time.sleep, 60))
        first = await worker_with_work(using.pool)
        os.kill(first, signal.SIGKILL)
        os.kill(await worker_with_work(using.pool, other_than=first), signal.SIGKILL)
        return await asyncio.gather(work, return_exceptions=True)

    (error,) = runner.run(killed_twice())

    assert isinstance(error, WorkerLost)
    assert using.run(operator.add, 2, 2) == 4


def test_no_work_goes_to_a_worker_that_has_ended(using: Using, runner: asyncio.Runner):
    async def killed_while_idle() -> list[Any]:
        pid = await using.pool.run(os.getpid)
        (worker,) = using.pool._workers
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(10):
            while worker.is_open:
                await asyncio.sleep(0)
            assert worker in using.pool._workers, "it is not buried yet"
            return [pid, *[await using.pool.run(os.getpid) for _ in range(2)]]

    dead, *answers = runner.run(killed_while_idle())

    assert dead not in answers


def test_an_idle_worker_that_is_killed_costs_no_request(using: Using):
    os.kill(using.run(os.getpid), signal.SIGKILL)

    answers = [using.together(using.pool.run(operator.add, 2, 2))[0] for _ in range(3)]

    assert answers[-1] == 4
    assert all(answer == 4 or isinstance(answer, WorkerLost) for answer in answers)


def test_workers_that_die_at_once_restart_ever_less_often(using: Using, monkeypatch: pytest.MonkeyPatch):
    started = 0
    start = workers.start_worker

    def dying(*arguments: Any) -> Any:
        nonlocal started
        started += 1
        made = start(*arguments)
        os.kill(made[-1].pid, signal.SIGKILL)
        return made

    monkeypatch.setattr(workers, "start_worker", dying)
    monkeypatch.setattr(workers, "MOST_PAUSE_S", 60)
    monkeypatch.setattr(workers, "PAUSE_S", 60)

    async def until_none_is_left() -> None:
        using.pool.warm()
        for _ in range(2400):
            await asyncio.sleep(0.05)
            if started >= 4 and not using.pool._workers and not using.pool._starting:
                break
        await asyncio.sleep(1)

    using.together(until_none_is_left())

    assert started == 4  # two, and each once more
    monkeypatch.undo()
    using.pool._not_before = 0.0  # as if the pause were over
    assert using.run(operator.add, 2, 2) == 4


@pytest.mark.skipif(not hasattr(forkserver, "_forkserver"), reason="workers are not forked here")
def test_even_the_process_that_workers_come_from_may_die(opened: Callable[..., Using]):
    using = opened(workers=1, pieces=1)
    assert using.run(operator.add, 1, 1) == 2

    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)

    for _ in range(3):
        assert using.run(operator.add, 1, 1) == 2


def test_without_workers_the_client_is_advised_to_retry(using: Using, monkeypatch: pytest.MonkeyPatch):
    def rejected(_: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(BaseProcess, "start", rejected)

    (answer,) = using.together(using.pool.run(operator.add, 1, 1))

    assert isinstance(answer, WorkerLost)
    assert answer.status == 503


def test_with_a_full_queue_the_client_is_advised_to_return(opened: Callable[..., Using]):
    using = opened(workers=1, waiting=2, wait_s=60, deadline_s=60)
    using.run(operator.add, 1, 1)

    answers = using.together(*(using.pool.run(time.sleep, 0.2) for _ in range(5)))

    assert [type(each) for each in answers] == [type(None)] * 3 + [Busy] * 2
    assert answers[3].status == 503
    assert 1 <= answers[3].retry_after_s <= 30
    assert using.run(operator.add, 2, 2) == 4


def test_work_that_waited_too_long_is_not_begun(opened: Callable[..., Using]):
    using = opened(workers=1, waiting=1, wait_s=0.1)
    while using.together(using.pool.run(operator.add, 1, 1)) != [2]:
        pass  # the worker is starting

    first, second = using.together(using.pool.run(time.sleep, 0.5), using.pool.run(operator.add, 1, 1))

    assert first is None
    assert isinstance(second, Busy)


def test_all_of_sixteen_long_pages_are_waited_for(opened: Callable[..., Using]):
    """What may not wait at all may wait behind a long page, as long as that may take."""
    using = opened(workers=1, wait_s=0)
    while not isinstance(using.together(using.pool.run(len, b""))[0], int):
        pass  # the worker is starting

    found = using.together(*(using.pool.run(len, b"-" * 1_000_000) for _ in range(16)))

    assert found == [1_000_000] * 16


def test_a_worker_is_replaced_after_its_share_of_work(opened: Callable[..., Using]):
    using = opened(workers=1, pieces=3)

    found = [using.run(os.getpid) for _ in range(6)]

    assert [found.count(each) for each in dict.fromkeys(found)] == [3, 3]


def test_a_worker_that_has_grown_is_replaced(opened: Callable[..., Using]):
    using = opened(workers=1, growth_bytes=8 << 20)
    first = using.run(os.getpid)
    assert using.run(os.getpid) == first

    using.run(_grow, 32 << 20)

    assert using.run(os.getpid) != first


def _grow(size: int) -> None:
    """Keep so many bytes in this process."""
    globals()["_KEPT"] = bytearray(size)


def test_one_holder_never_has_all_workers(opened: Callable[..., Using], runner: asyncio.Runner):
    pool = opened(workers=2).pool
    order: list[str] = []

    async def one(name: str, seconds: float) -> None:
        await pool.run(time.sleep, seconds, turn=Turn(name))
        order.append(name)

    async def request_body() -> None:
        flood = [asyncio.create_task(one("flood", 0.3)) for _ in range(4)]
        await asyncio.sleep(0)
        await one("quiet", 0)
        await asyncio.gather(*flood)

    runner.run(request_body())

    assert order.index("quiet") <= 1


def test_there_is_one_worker_more_than_cores_in_all():
    assert usual_workers(1) >= 2
    assert usual_workers(1000) == 2


def test_closing_ends_what_runs_and_takes_nothing_more(using: Using, runner: asyncio.Runner):
    async def closed() -> list[Any]:
        work = await at_work(using.pool)
        using.pool.close()
        return await asyncio.gather(work, return_exceptions=True)

    (error,) = runner.run(closed())
    assert isinstance(error, Busy)
    with pytest.raises(Busy):
        using.run(operator.add, 1, 1)


# ---- the queue ----


def queue(**more: int) -> FairQueue[str]:
    return FairQueue(**{"most": 100, "share": 50, "at_once": 100, **more})


def order_of(waiting: FairQueue[str], seconds: Callable[[str], float]) -> str:
    """Jobs in the order in which they are done, one at a time."""
    found = ""
    while taken := waiting.next():
        turn, job = taken
        found += job
        waiting.done(turn, seconds(job))
    return found


def test_holders_take_turns_however_much_one_of_them_sends():
    waiting = queue()
    for _ in range(4):
        waiting.add(Turn("loud", "a"), "L")
    for _ in range(2):
        waiting.add(Turn("quiet", "a"), "q")

    assert order_of(waiting, lambda _: 1) == "LqLqLL"


def test_the_addresses_of_a_holder_take_turns():
    waiting = queue()
    for _ in range(4):
        waiting.add(Turn("", "192.0.2.1"), "L")
    for _ in range(2):
        waiting.add(Turn("", "192.0.2.2"), "q")

    assert order_of(waiting, lambda _: 1) == "LqLqLL"


def test_an_address_without_a_key_never_takes_all_places():
    waiting = queue(share=8, at_once=2)
    for _ in range(2):
        waiting.add(Turn("", "192.0.2.1"), "L")
    with pytest.raises(QueueFull):
        waiting.add(Turn("", "192.0.2.1"), "L")
    waiting.add(Turn("", "192.0.2.2"), "q")
    for _ in range(8):
        waiting.add(Turn("organization", "192.0.2.1"), "o")

    taken = [job[1] for job in iter(waiting.next, None)]

    assert sorted(taken) == ["L", "o", "o", "q"], "the second L waits for the first"


def test_work_put_back_is_the_next_of_its_address():
    waiting = queue(share=2)
    waiting.add(Turn("a"), "1")
    (turn, first) = waiting.next() or (Turn(), "")
    waiting.add(Turn("a"), "2")
    waiting.add(Turn("a"), "3")
    waiting.put_back(turn, first)
    waiting.done(turn, 1)

    assert order_of(waiting, lambda _: 1) == "123"


def test_who_sends_what_takes_long_has_fewer_turns():
    waiting = queue()
    for _ in range(3):
        waiting.add(Turn("heavy"), "H")
    for _ in range(6):
        waiting.add(Turn("light"), "l")

    assert order_of(waiting, lambda job: 3 if job == "H" else 1) == "HlllHlllH"


def test_a_client_saves_nothing_up_during_a_pause():
    waiting = queue()
    waiting.add(Turn("busy"), "b")
    for _ in range(10):
        taken = waiting.next()
        assert taken is not None
        waiting.add(Turn("busy"), "b")
        waiting.done(taken[0], 1)
    for _ in range(2):
        waiting.add(Turn("late"), "l")
        waiting.add(Turn("busy"), "b")

    assert order_of(waiting, lambda _: 1) == "blblb"


def test_holder_gets_a_bounded_share_of_places_and_workers():
    waiting = queue(most=3, share=2, at_once=1)
    waiting.add(Turn("loud"), "L")
    waiting.add(Turn("loud"), "L")

    with pytest.raises(QueueFull):
        waiting.add(Turn("loud"), "L")
    waiting.add(Turn("quiet"), "q")
    with pytest.raises(QueueFull):
        waiting.add(Turn("third"), "t")
    assert [taken[1] for taken in (waiting.next(), waiting.next()) if taken] == ["L", "q"]
    assert waiting.next() is None


def test_a_client_that_left_leaves_neither_queue_nor_account():
    waiting = queue()
    waiting.add(Turn("a", "x"), "1")
    waiting.add(Turn("a", "y"), "2")
    waiting.drop(Turn("a", "x"), "1")

    assert order_of(waiting, lambda _: 1) == "2"
    assert len(waiting) == 0
    assert not waiting._holders


@pytest.mark.parametrize(
    ("address", "counted"),
    [("2001:db8:1:2::7", "2001:db8:1:2::"), ("2001:db8:1:2:3::8", "2001:db8:1:2::"), ("192.0.2.7", "192.0.2.7")],
)
def test_without_a_key_an_ipv6_customer_is_one_address(address: str, counted: str):
    taken: list[Turn] = []

    class Recording:
        async def run(self, *_: Any, turn: Turn) -> None:
            taken.append(turn)

    call = Call(SimpleNamespace(pool=Recording()), None, {"headers": []}, None, "", {})  # type: ignore[arg-type]
    call.address = address
    asyncio.run(call.in_worker(len, b""))

    assert taken == [Turn("", counted)]
