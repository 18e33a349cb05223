"""Worker process from within: does arriving work, under limits on processor time and memory that it keeps by itself."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from waypost.errors import WaypostError
from waypost.isolation.pairs import End, SharedMemory, receive_exactly

MOST_RESULT_BYTES = 64 << 20
LENGTH = 8
HEAD = struct.Struct(">QQQQQ")
"""Head of a piece of work: milliseconds of processor time; bytes of the call, and of a document behind the call; first
byte and bytes of a document in shared memory."""
_RETAINED_BYTES = 32 << 20
"""Freed memory of a worker for its next piece of work."""
_NICE = 5
"""Priority given up by workers: the process with the requests runs first."""


class Limits(NamedTuple):
    """Limits within a worker, and its answers to errors; see `Pool`."""

    memory_bytes: int
    growth_bytes: int
    pieces: int
    as_error: Callable[[WaypostError], WaypostError]


def serve(line: End, memory: SharedMemory | None, limits: Limits) -> None:
    """Main function of a worker process: do arriving work, until the stream ends or the worker is worn out."""
    _prepare()
    address_space = _AddressSpace()
    first = address_space.size_bytes()
    for piece in range(1, limits.pieces + 1):
        head = receive_exactly(line, HEAD.size)
        if head is None:
            return
        milliseconds, length, behind, at, shared = HEAD.unpack(head)
        call, document = receive_exactly(line, length), receive_exactly(line, behind)
        if call is None or document is None:
            return
        taken = address_space.size_bytes()
        _limit(milliseconds / 1000, taken + limits.memory_bytes if taken else 0)
        kind, result = _done(call, memory.read(at, shared) if shared and memory else document, limits)
        del document
        _limit(0, 0)
        stays = kind == "result" or kind == "problem"
        stays = stays and piece < limits.pieces and address_space.size_bytes() - first < limits.growth_bytes
        answer = pickle.dumps((kind, result, stays), protocol=5)
        if len(answer) > MOST_RESULT_BYTES:
            answer = pickle.dumps(("too heavy", "its report would be too long", stays))
        try:
            line.sendall(len(answer).to_bytes(LENGTH, "big") + answer)
        except OSError:  # the server is gone
            return
        if not stays:
            return


def _done(call: bytes, document: bytes, limits: Limits) -> tuple[str, Any]:
    try:
        work, arguments, has_document = pickle.loads(call)  # noqa: S301 - from our own process
        return "result", work(document, *arguments) if has_document else work(*arguments)
    except MemoryError:
        return "too heavy", "it takes too much memory"
    except WaypostError as error:
        return "problem", limits.as_error(error)
    except Exception as error:  # noqa: BLE001 - told by its type to whoever waits
        return "failed", type(error).__qualname__


def _prepare() -> None:
    # Ctrl-C and the end of a service reach every process of a terminal or a unit; the server decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError):
        os.nice(_NICE)
    # A core file would hold the caller's document.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _retain_memory()


def _retain_memory() -> None:
    """Keep freed memory in this process, up to `_RETAINED_BYTES`."""
    # glibc returns every allocation above 128 KiB to the system, and the next one comes as zeroed pages with a fault
    # each: half of the time of an ordinary page of 1 MB.
    with suppress(OSError, AttributeError, TypeError):  # musl and macOS have no such setting
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _RETAINED_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _RETAINED_BYTES)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h of glibc, mallopt(3)


def _limit(cpu_s: float, address_space: int) -> None:
    """Limit processor time and address space of the next work; 0 lifts a limit."""
    if sys.platform == "win32":  # no resource limits on Windows; only the deadline applies
        return
    import resource

    signal.setitimer(signal.ITIMER_PROF, cpu_s)  # SIGPROF ends the process, also inside native code
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space or hard, hard))


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
