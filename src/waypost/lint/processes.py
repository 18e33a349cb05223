"""Worker processes that validate inputs. Paths go out and reports come back, never a page."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

import msgspec

from waypost.errors import WaypostError
from waypost.isolation.process import tune_garbage_collector
from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, Result, validate_input
from waypost.lint.page_sources import PageStore
from waypost.models.finding import FileReport
from waypost.registry import shared_registry

RANGE = 20
"""Pages that a process takes at a time."""
_DIED = "the process that checked this page was ended from outside, perhaps for lack of memory"
_MOST_IDLE_DEATHS = 3
"""Deaths of workers between two pages, before the run is given up."""
_DECODE = msgspec.msgpack.Decoder(list[Result]).decode


def validate_in_processes(
    inputs: Sequence[Input], local: Sequence[int], options: LintOptions, jobs: int, store: PageStore
) -> Iterator[tuple[int, Result]]:
    """(index, result) of the inputs with the indices `local`. A page whose worker dies has an error for a report.

    Raises WaypostError where workers die without a page.
    """
    for index in local:
        if inputs[index].kind == "stdin":
            yield index, validate_input(inputs[index], options, store)
    left = [n for n in local if inputs[n].kind != "stdin"]
    idle_deaths = 0
    while left:
        pool = _Pool(inputs, options, jobs)
        done: set[int] = set()
        for index, result in pool.results(left):
            done.add(index)
            yield index, result
        left = [n for n in left if n not in done]
        # Of the pages at work when the pool broke, one ended its worker: each is tried in a process of its own.
        for index in (suspects := [n for n in left if pool.is_at_work(n)]):
            alone = dict(_Pool(inputs, options, 1).results([index]))
            yield index, alone.get(index) or Result(FileReport(path=inputs[index].path, error=_DIED))
        left = [n for n in left if n not in suspects]
        idle_deaths += bool(left and not suspects)
        if idle_deaths > _MOST_IDLE_DEATHS:
            raise WaypostError("worker processes are ended from outside, perhaps for lack of memory; try --jobs 1")


class _Pool:
    """Processes for some of the inputs, until one of them dies."""

    def __init__(self, inputs: Sequence[Input], options: LintOptions, jobs: int) -> None:
        # A forked process starts with the loaded modules, but must not inherit locks held by a thread.
        _load_checks()
        tune_garbage_collector()
        context = get_context("fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn")
        self._inputs, self._options = inputs, options
        self._at_work = context.RawArray("b", len(inputs))
        self._pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(self._at_work,))

    def results(self, indices: Sequence[int]) -> Iterator[tuple[int, Result]]:
        """(index, result) of each input, in the order of completion; ends early where a process dies."""
        ranges = [indices[n : n + RANGE] for n in range(0, len(indices), RANGE)]
        try:
            waiting = {
                self._pool.submit(_validate_range, [(n, self._inputs[n]) for n in part], self._options): part
                for part in ranges
            }
            for done in as_completed(waiting):
                if not isinstance(done.exception(), BrokenProcessPool):
                    yield from zip(waiting[done], _DECODE(done.result()), strict=True)
        except BrokenProcessPool:
            return  # before every range was submitted
        finally:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def is_at_work(self, index: int) -> bool:
        """Whether a process had begun an input, and not finished it."""
        return bool(self._at_work[index])


def _load_checks() -> None:
    from waypost import extract  # noqa: F401 - loaded for the processes to come
    from waypost.validate import profiles  # noqa: F401
    from waypost.validate.rulebook import rules_by_name

    rules_by_name()
    assert shared_registry().vocabulary


_at_work: Any = None
"""In a worker: a byte for each input, 1 while a process is at work on it."""


def _begin(at_work: Any) -> None:
    """Start a worker. Ctrl-C is left to the parent: a terminal interrupts every process of the group."""
    global _at_work  # noqa: PLW0603 - the arguments of a task could not share memory
    _at_work = at_work
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _validate_range(inputs: list[tuple[int, Input]], options: LintOptions) -> bytes:
    results = []
    for index, item in inputs:
        _at_work[index] = 1
        results.append(validate_input(item, options, PageStore()))
        _at_work[index] = 0
    return msgspec.msgpack.encode(results)
