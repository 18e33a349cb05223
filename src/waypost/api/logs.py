"""Log of the service: a JSON line for each request, with a fixed list of fields.

No parameter takes a URL, a header, a body or the text of an exception. Values that do not match the pattern of their
field are left out.
"""

from __future__ import annotations

import errno
import os
import re
import select
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

import msgspec

from waypost.formats.text import timestamp

# The descriptor, not `sys.stderr`, whose buffer could split a line.
STDERR = 2
MOST_FRAMES = 40
MOST_CAUSES = 5
OTHER = "other"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"})
ROUTE = re.compile(r"/[A-Za-z0-9._{}/-]{0,127}")
"""Pattern of a route template such as `/v1/schema/{type}`; parameter values never appear."""
_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_CODE = re.compile(r"[A-Z0-9_]{1,64}")
_SLUG = re.compile(r"[a-z0-9-]{1,64}")


class Lines:
    """Writer of lines to a descriptor, each in a single system call, so that lines of several processes do not mix.

    A line without room in a pipe or socket, after a stop of the reader, is left out; the number of omitted lines comes
    before the next line. Errors, as of a full disk, are ignored.
    """

    def __init__(self, descriptor: int = STDERR) -> None:
        self._descriptor = descriptor
        self._left_out = 0

    def __call__(self, line: bytes) -> None:
        with suppress(OSError):
            if not _has_room(self._descriptor):
                self._left_out += 1
                return
            if self._left_out:
                gap = {"ts": _now(), "event": "left-out", "lines": self._left_out}
                self._left_out = 0
                line = msgspec.json.encode(gap) + b"\n" + line
            os.write(self._descriptor, line)


def _has_room(descriptor: int) -> bool:
    """Whether a write of a line does not wait: a pipe with any room has room for PIPE_BUF bytes (pipe(7))."""
    # On Windows `select` is for sockets alone.
    return os.name != "posix" or bool(select.select((), (descriptor,), (), 0)[1])


class Logs:
    """Logger of a service. `kind` is "json" or "none"."""

    def __init__(self, kind: str = "json", write: Callable[[bytes], object] | None = None) -> None:
        self._write = (write or Lines()) if kind == "json" else None
        self.enabled = self._write is not None

    def request(
        self,
        *,
        request_id: str,
        route: str,
        method: str,
        status: int,
        seconds: float,
        trace_id: str = "",
        bytes_in: int = 0,
        bytes_out: int = 0,
        key_id: str = "",
        org_id: str = "",
        problem: str = "",
        decision_id: str = "",
        cause: str = "",
    ) -> None:
        """Log an answered request. `route` is the template of the path; `seconds` becomes `dur_ms`.

        cause  of a 503, by `cause_of`
        """
        if self._write is None:
            return
        event = {
            "ts": _now(),
            "event": "request",
            "request_id": _matching(_ID, request_id),
            "trace_id": _matching(_ID, trace_id),
            "route": _matching(ROUTE, route) or OTHER,
            "method": method if method in METHODS else OTHER,
            "status": int(status),
            "dur_ms": round(seconds * 1000, 3),
            "bytes_in": int(bytes_in),
            "bytes_out": int(bytes_out),
            "key_id": _matching(_ID, key_id),
            "org_id": _matching(_ID, org_id),
            "problem": _matching(_SLUG, problem),
            "decision_id": _matching(_ID, decision_id),
            "cause": _matching(_ID, cause),
        }
        self._write(msgspec.json.encode({name: value for name, value in event.items() if value != ""}) + b"\n")

    def outage(self, error: BaseException) -> None:
        """Log an outage, such as of the store, met by a background task: its cause, without stack frames."""
        if self._write is not None:
            self._write(msgspec.json.encode({"ts": _now(), "event": "outage", "cause": cause_of(error)}) + b"\n")

    def failure(self, *, request_id: str, route: str, error: BaseException) -> None:
        """Log an unexpected exception: types, codes and stack frames, never messages or local variables."""
        if self._write is None:
            return
        event = {
            "ts": _now(),
            "event": "failure",
            "request_id": _matching(_ID, request_id),
            "route": _matching(ROUTE, route) or OTHER,
            "faults": [
                {"type": kind_of(cause), **code_of(cause), "frames": frames_of(cause.__traceback__)}
                for cause in _chain(error)
            ],
        }
        self._write(msgspec.json.encode(event) + b"\n")


def kind_of(error: BaseException) -> str:
    """Qualified type name, `sqlite3.OperationalError`; without the module for built-in types."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def code_of(error: BaseException) -> dict[str, str]:
    """Code of an error of SQLite, PostgreSQL or the system, the cause of a failed store: `SQLITE_FULL`, `ENOSPC`."""
    number = error.errno if isinstance(error, OSError) else None
    names = (
        getattr(error, "sqlite_errorname", None),
        getattr(error, "sqlstate", None),
        errno.errorcode.get(number or 0),
    )
    return next(({"code": name} for name in names if isinstance(name, str) and _CODE.fullmatch(name)), {})


def cause_of(error: BaseException) -> str:
    """Cause of an outage as a word: the code of the database or the system, otherwise the type of the error."""
    return next((found["code"] for cause in _chain(error) if (found := code_of(cause))), kind_of(error))


def frames_of(trace: TracebackType | None) -> list[str]:
    """Stack frames as `module:line function`, the innermost last, at most `MOST_FRAMES`."""
    frames = [
        f"{frame.f_globals.get('__name__', '?')}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(trace)
    ]
    return frames[-MOST_FRAMES:]


def _chain(error: BaseException) -> list[BaseException]:
    """Exception with its causes and contexts, at most `MOST_CAUSES`."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    # Chains can be circular: an exception may be raised again while handling what it caused.
    while cause is not None and cause not in found and len(found) < MOST_CAUSES:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found


def _matching(pattern: re.Pattern[str], text: str) -> str:
    return text if isinstance(text, str) and pattern.fullmatch(text) else ""


def _now() -> str:
    return timestamp(time.time_ns() // 1_000_000)
