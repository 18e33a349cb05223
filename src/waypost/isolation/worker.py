"""Worker process from within: does arriving work, under limits on processor time and memory that it keeps by itself."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import GeneratorType
from typing import Any, NamedTuple

from waypost.errors import WaypostError
from waypost.isolation.pairs import End, SharedMemory, receive_exactly

MOST_RESULT_BYTES = 64 << 20
LENGTH = 8
HEAD = struct.Struct(">QQQQQ")
"""Head of a piece of work: milliseconds of processor time; bytes of the call, and of a document behind the call; first
byte and bytes of a document in shared memory."""
TOO_MUCH_MEMORY = "it takes too much memory"


class Limits(NamedTuple):
    """Limits within a worker, and its answers to errors. 0 sets no limit; see `Pool`.

    total_bytes     address space of the process at most
    retained_bytes  freed memory kept for the next piece of work
    nice            priority given up: the process with the requests runs first
    """

    memory_bytes: int = 0
    growth_bytes: int = 0
    pieces: int = 0
    as_error: Callable[[WaypostError], WaypostError] | None = None
    total_bytes: int = 0
    retained_bytes: int = 0
    nice: int = 0


def serve(line: End, memory: SharedMemory | None, limits: Limits, inherited: Sequence[End] = ()) -> None:
    """Main function of a worker process: do arriving work, until the stream ends or the worker is worn out.

    inherited  ends of other pairs that a forked process must not hold open
    """
    for end in inherited:
        end.close()
    _prepare(limits)
    address_space = _AddressSpace()
    first = address_space.size_bytes()
    piece = 0
    while True:
        piece += 1
        head = receive_exactly(line, HEAD.size)
        if head is None:
            return
        milliseconds, length, behind, at, shared = HEAD.unpack(head)
        call, document = receive_exactly(line, length), receive_exactly(line, behind)
        if call is None or document is None:
            return
        taken = address_space.size_bytes() if limits.memory_bytes else 0
        _limit(milliseconds / 1000, taken + limits.memory_bytes if taken else limits.total_bytes)
        try:
            data = memory.read(at, shared) if shared and memory else document
            kind, result = _done(call, data, limits, line, milliseconds / 1000)
            del data, document
            _limit(0, 0)
            stays = (
                (kind == "result" or kind == "problem")
                and (not limits.pieces or piece < limits.pieces)
                and (not limits.growth_bytes or address_space.size_bytes() - first < limits.growth_bytes)
            )
            answer = pickle.dumps((kind, result, stays), protocol=5)
            if len(answer) > MOST_RESULT_BYTES:
                answer = pickle.dumps(("too heavy", "its report would be too long", stays))
            _send(line, answer)
        except OSError:  # the server is gone
            return
        if not stays:
            return


def _send(line: End, answer: bytes) -> None:
    line.sendall(len(answer).to_bytes(LENGTH, "big") + answer)


def _done(call: bytes, document: bytes, limits: Limits, line: End, cpu_s: float) -> tuple[str, Any]:
    try:
        work, arguments, has_document = pickle.loads(call)  # noqa: S301 - from our own process
        result = work(document, *arguments) if has_document else work(*arguments)
        if not isinstance(result, GeneratorType):
            return "result", result
        for message in result:
            answer = pickle.dumps(("message", message, True), protocol=5)
            try:
                _send(line, answer)
            except OSError:
                raise SystemExit(0) from None  # who waited for the messages is gone
            _limit_time(cpu_s)  # that of a message
        return "result", None
    except MemoryError:
        return "too heavy", TOO_MUCH_MEMORY
    except WaypostError as error:
        return "problem", error if limits.as_error is None else limits.as_error(error)
    except Exception as error:  # noqa: BLE001 - reported by its type to whoever waits
        return "failed", type(error).__qualname__


def _prepare(limits: Limits) -> None:
    # Ctrl-C and the end of a service reach every process of a terminal or a unit; the server decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with suppress(OSError):
        os.dup2(2, 1)  # prints of libraries must not get into the output of the caller
    if sys.platform == "win32":
        return
    import resource

    if limits.nice:
        with suppress(OSError):
            os.nice(limits.nice)
    # A core file would hold the caller's document.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.retained_bytes:
        _retain_memory(limits.retained_bytes)


def _retain_memory(size: int) -> None:
    """Keep freed memory in this process, up to `size` bytes."""
    # glibc returns every allocation above 128 KiB to the system, and the next one comes as zeroed pages with a fault
    # each: half of the time of an ordinary page of 1 MB.
    with suppress(OSError, AttributeError, TypeError):  # musl and macOS have no such setting
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, size)
        mallopt(_M_TRIM_THRESHOLD, size)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h of glibc, mallopt(3)


def _limit(cpu_s: float, address_space: int) -> None:
    """Limit processor time and address space of the next work; 0 lifts a limit."""
    if sys.platform == "win32":  # no resource limits on Windows; only the deadline applies
        return
    import resource

    _limit_time(cpu_s)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # A soft limit above the hard one is refused.
    soft = address_space if hard == resource.RLIM_INFINITY else min(address_space, hard)
    with suppress(ValueError, OSError):  # macOS knows the limit and refuses it
        resource.setrlimit(resource.RLIMIT_AS, (soft or hard, hard))


def _limit_time(cpu_s: float) -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, cpu_s)  # SIGPROF ends the process, also inside native code


class _AddressSpace:
    """Address space of this process. Read twice for each piece of work, from a file kept open."""

    def __init__(self) -> None:
        self._file = -1
        with suppress(OSError):
            self._file = os.open("/proc/self/statm", os.O_RDONLY)
        self._page = _page_bytes()

    def size_bytes(self) -> int:
        """Size in bytes; 0 for an unknown size, and then no limit is set."""
        try:
            return int(os.pread(self._file, 64, 0).split()[0]) * self._page
        except (OSError, ValueError, AttributeError):
            return 0


def _page_bytes() -> int:
    try:
        import resource
    except ImportError:
        return 0
    return resource.getpagesize()
