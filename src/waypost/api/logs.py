"""One JSON line a request, made from a list of what may be in it.

There is no way to hand in anything else: no URL, no header, no body, no text of an exception. What does not look like
what it should be is left out.
"""

from __future__ import annotations

import os
import re
import time
import traceback
from collections.abc import Callable
from types import TracebackType

import msgspec

from waypost.formats.text import timestamp

STDERR = 2
MOST_FRAMES = 40
MOST_CAUSES = 5
OTHER = "other"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
ROUTE = re.compile(r"/[A-Za-z0-9._{}/-]{0,127}")
"""What a route's template may look like. The template, `/v1/schema/{type}`, never what stood in its place."""
_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_SLUG = re.compile(r"[a-z0-9-]{1,64}")


def to_stderr(line: bytes) -> None:
    """One write, so that the lines of several processes do not mix. A log that cannot be written stops nothing."""
    try:
        os.write(STDERR, line)
    except OSError:
        return


class Logs:
    """The log of a service: "json", or "none"."""

    def __init__(self, kind: str = "json", write: Callable[[bytes], object] = to_stderr) -> None:
        self._write = write if kind == "json" else None
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
    ) -> None:
        """A request has been answered. `route` is the template of its path."""
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
        }
        self._write(msgspec.json.encode({name: each for name, each in event.items() if each != ""}) + b"\n")

    def failure(self, *, request_id: str, route: str, error: BaseException) -> None:
        """Something failed that nobody foresaw: its types and where, never what it says or what its frames held."""
        if self._write is None:
            return
        event = {
            "ts": _now(),
            "event": "failure",
            "request_id": _matching(_ID, request_id),
            "route": _matching(ROUTE, route) or OTHER,
            "faults": [{"type": kind_of(each), "frames": frames_of(each.__traceback__)} for each in _chain(error)],
        }
        self._write(msgspec.json.encode(event) + b"\n")


def kind_of(error: BaseException) -> str:
    """`sqlite3.OperationalError`; built-in ones by their bare name."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def frames_of(trace: TracebackType | None) -> list[str]:
    """`module:line function`, the innermost last."""
    frames = [
        f"{frame.f_globals.get('__name__', '?')}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(trace)
    ]
    return frames[-MOST_FRAMES:]


def _chain(error: BaseException) -> list[BaseException]:
    """An exception, and what led to it."""
    found: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in found and len(found) < MOST_CAUSES:
        found.append(each)
        each = each.__cause__ or each.__context__
    return found


def _matching(pattern: re.Pattern[str], text: str) -> str:
    return text if isinstance(text, str) and pattern.fullmatch(text) else ""


def _now() -> str:
    return timestamp(time.time_ns() // 1_000_000)
