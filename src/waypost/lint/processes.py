"""Worker processes that validate inputs. Paths go out and reports come back, never a page."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import get_context

import msgspec

from waypost.isolation.blocking import Worker, WorkerEnded, results_in_order
from waypost.isolation.process import tune_garbage_collector
from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, Result, validate_input
from waypost.lint.page_sources import PageStore
from waypost.models.finding import FileReport
from waypost.registry import shared_registry

AT_A_TIME = 20
"""Pages that a process takes at a time."""
_DIED = "the process that checked this page was ended from outside, perhaps for lack of memory"
_DECODE = msgspec.msgpack.Decoder(Result).decode


def validate_in_processes(
    inputs: Sequence[Input], local: Sequence[int], options: LintOptions, jobs: int, store: PageStore
) -> Iterator[tuple[int, Result]]:
    """(index, result) of the inputs with the indices `local`, in order. A page whose worker dies has an error.

    Raises WaypostError where workers die without a page.
    """
    for index in local:
        if inputs[index].kind == "stdin":
            yield index, validate_input(inputs[index], options, store)
    rest = [n for n in local if inputs[n].kind != "stdin"]
    _load_checks()
    tune_garbage_collector()
    # A forked process starts with the loaded modules, but must not inherit locks held by a thread.
    context = get_context("fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn")
    results = results_in_order(
        _validate, [inputs[n] for n in rest], options,
        start=lambda others: Worker(context, others=others), workers=jobs, at_a_time=AT_A_TIME,
    )  # fmt: skip
    for index, result in zip(rest, results, strict=True):
        if isinstance(result, WorkerEnded):
            error = f"waypost {result.reason}; please report it" if result.outcome == "failed" else _DIED
            yield index, Result(FileReport(path=inputs[index].path, error=error))
        else:
            yield index, _DECODE(result)


def _load_checks() -> None:
    from waypost import reader  # noqa: F401 - loaded for the processes to come
    from waypost.validate import profiles  # noqa: F401
    from waypost.validate.rulebook import load_rules

    load_rules()
    assert shared_registry().vocabulary


def _validate(inputs: Sequence[Input], options: LintOptions) -> Iterator[bytes]:
    for item in inputs:
        yield msgspec.msgpack.encode(validate_input(item, options, PageStore()))
