"""Worker processes that validate inputs. Paths go out and reports come back, never a page."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import msgspec

from waypost.cli._inputs import Input
from waypost.cli._page_sources import PageStore
from waypost.cli._registry import registry
from waypost.cli._validation import LintOptions, Result, tune_garbage_collector, validate_input
from waypost.errors import WaypostError

RANGE = 20
"""Pages that a process takes at a time."""
_DECODE = msgspec.msgpack.Decoder(list[Result]).decode


def validate_in_processes(
    inputs: Sequence[Input], local: Sequence[int], options: LintOptions, jobs: int, store: PageStore
) -> Iterator[tuple[int, Result]]:
    """(index, result) of the inputs with the indices `local`. Raises WaypostError when a worker is killed."""
    # A forked process starts with the loaded modules, but must not inherit locks held by a thread.
    _load_checks()
    tune_garbage_collector()
    context = get_context("fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn")
    files = [n for n in local if inputs[n].kind != "stdin"]
    ranges = [files[n : n + RANGE] for n in range(0, len(files), RANGE)]
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_interrupts)
    try:
        waiting = {pool.submit(_validate_range, [inputs[n] for n in part], options): part for part in ranges}
        for index in local:
            if inputs[index].kind == "stdin":
                yield index, validate_input(inputs[index], options, store)
        for done in as_completed(waiting):
            yield from zip(waiting[done], _DECODE(done.result()), strict=True)
    except BrokenProcessPool:
        raise WaypostError(
            "a worker process was ended from outside, perhaps for lack of memory; try --jobs 1"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _load_checks() -> None:
    from waypost import extract  # noqa: F401 - loaded for the processes to come
    from waypost.validate import profiles  # noqa: F401
    from waypost.validate.rulebook import rules_by_name

    rules_by_name()
    assert registry().vocabulary


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent: a terminal interrupts every process of the group."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _validate_range(inputs: list[Input], options: LintOptions) -> bytes:
    return msgspec.msgpack.encode([validate_input(item, options, PageStore()) for item in inputs])
