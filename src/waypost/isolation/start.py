"""Start of worker processes, and how they ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from waypost.isolation.lifeline import PARENT
from waypost.isolation.pairs import End, SharedMemory, socket_pair
from waypost.isolation.worker import Limits, serve

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

SPAWN = multiprocessing.get_context("spawn")
# forkserver: a plain fork would copy locks held by the threads of a server. Windows has only spawn.
FORK_SERVER = (
    multiprocessing.get_context("forkserver") if "forkserver" in multiprocessing.get_all_start_methods() else SPAWN
)
PAUSES_S = (0.005, 0.02, 0.1, 0.4)
"""Seconds before each further attempt to start a worker."""


class NotStarted(Exception):
    """No worker process could be started."""


def start_worker(
    context: BaseContext,
    limits: Limits,
    memory: SharedMemory | None = None,
    is_closed: Callable[[], bool] = lambda: False,
    inherited: Sequence[End] = (),
) -> tuple[End, BaseProcess]:
    """Start a worker process: (our end of its sockets, process). Raises NotStarted, also once `is_closed()`.

    inherited  our ends for other workers, which a plain fork would hold open

    The closed socket of a killed fork server is noticed slightly before multiprocessing can start a new server; the
    pauses cover this gap.
    """
    os.environ[PARENT] = str(os.getpid())  # for the fork server, if this starts it
    # hypercorn and Dask run workers as daemons, which may start no process; ours end with the daemon anyway.
    multiprocessing.process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # noqa: SLF001
    is_fork = context.get_start_method() == "fork"
    for pause_s in PAUSES_S:
        if is_closed():
            break
        ours, theirs = socket_pair()
        ends = (*inherited, ours) if is_fork else ()
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, memory, limits, ends), daemon=True
        )
        try:
            with _interrupts_held():
                process.start()
        except (ConnectionError, EOFError):
            ours.close()
            time.sleep(pause_s)
        else:
            return ours, process
        finally:
            # Closed on this side, so that the death of the worker ends the stream.
            theirs.close()
    raise NotStarted


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Context in which Ctrl-C waits: a process that is started ignores it before its first own line."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def took_too_long(process: BaseProcess) -> bool:
    """Whether the limit on processor time ended a process."""
    return process.exitcode is not None and -process.exitcode == getattr(signal, "SIGPROF", None)


def took_too_much_memory(process: BaseProcess) -> bool:
    """Whether native code aborted a process, as it does when an allocation fails."""
    return process.exitcode == -signal.SIGABRT


def end_of(process: BaseProcess) -> str:
    """How a process ended, as the end of a sentence."""
    status = process.exitcode
    if status is None or status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
