"""Workers of a caller without an event loop: results in order, whatever becomes of a worker."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import WaypostError
from waypost.isolation.blocking import Worker, WorkerEnded, results_in_order
from waypost.isolation.worker import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and forks are those of Linux")
FORK = multiprocessing.get_context("fork") if sys.platform != "win32" else multiprocessing.get_context()


def started(others: Iterable[Worker], limits: Limits = Limits()) -> Worker:  # noqa: B008 - immutable
    return Worker(FORK, limits, others=others)


def results(work: Any, items: Sequence[Any], *arguments: Any, **more: Any) -> list[Any]:
    how: dict[str, Any] = {"start": started, "workers": 2, "at_a_time": 3} | more
    return list(results_in_order(work, items, *arguments, **how))


def slow_first(items: Sequence[int]) -> Iterator[int]:
    for item in items:
        time.sleep(0.3 if item == 0 else 0)
        yield item * 2


def pids(items: Sequence[int]) -> Iterator[int]:
    for _ in items:
        yield os.getpid()


def killed_at(items: Sequence[int], bad: int, once: str) -> Iterator[int]:
    for item in items:
        if item == bad and not (once and Path(once).exists()):
            if once:
                Path(once).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield item


def test_results_come_in_order_however_long_each_takes() -> None:
    assert results(slow_first, range(20)) == [n * 2 for n in range(20)]


def test_an_item_that_ends_two_workers_is_given_up_alone() -> None:
    found = results(killed_at, range(10), 4, "")

    assert isinstance(found[4], WorkerEnded)
    assert found[:4] + found[5:] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert str(found[4]) == "was ended by SIGKILL"


def test_an_item_of_a_killed_worker_is_tried_again(tmp_path: Path) -> None:
    assert results(killed_at, range(10), 4, str(tmp_path / "killed")) == list(range(10))


def test_workers_that_cannot_begin_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(others: Iterable[Worker]) -> Worker:
        worker = started(others)
        worker.kill()
        return worker

    with pytest.raises(WaypostError, match="ended from outside, perhaps for lack of memory"):
        results(pids, range(4), start=killed)


def test_a_worker_is_replaced_after_its_pieces() -> None:
    found = results(pids, range(9), workers=1, start=partial(started, limits=Limits(pieces=2)))

    assert [found.count(pid) for pid in dict.fromkeys(found)] == [6, 3]


@pytest.mark.parametrize(
    ("limits", "work", "argument", "outcome"),
    [
        ({"deadline_s": 0.2}, time.sleep, 30, "timed_out"),
        ({"cpu_s": 0.2}, sum, range(10**12), "timed_out"),
        ({"limits": Limits(memory_bytes=64 << 20)}, bytearray, 1 << 30, "out_of_memory"),
        ({"limits": Limits(total_bytes=1 << 30)}, bytearray, 1 << 30, "out_of_memory"),
        ({}, int, "no number", "failed"),
        ({}, signal.raise_signal, signal.SIGKILL, "crashed"),
    ],
)
def test_work_beyond_a_limit_ends_its_worker(limits: dict[str, Any], work: Any, argument: Any, outcome: str) -> None:
    worker = Worker(FORK, **limits)

    with pytest.raises(WorkerEnded) as ended:
        worker.result(work, argument)

    assert ended.value.outcome == outcome
    worker.close()


def test_workers_end_with_the_process_that_started_them() -> None:
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        workers: list[Worker] = []
        for _ in range(2):
            workers.append(started(workers))
        found = [worker.result(os.getpid) for worker in workers]
        os.write(writer, " ".join(map(str, found)).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(parent, 0)
    children = os.read(reader, 100).decode().split()

    until = time.monotonic() + 120
    while any(_runs(pid) for pid in children) and time.monotonic() < until:
        time.sleep(0.05)

    assert len(children) == 2
    assert not any(_runs(pid) for pid in children)


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
