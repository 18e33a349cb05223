"""Driver of the checking program: starts the program, ends a program that takes too long, and outlives the end."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from waypost.crawl.model import (
    At,
    Begin,
    CheckPage,
    FilesUnit,
    Finished,
    PageInfo,
    Position,
    ReadUnit,
    Ready,
    Response,
    Rows,
    Settings,
    SiteUnit,
    Start,
    StretchUnit,
    Unit,
    Unread,
)
from waypost.errors import WaypostError
from waypost.isolation.program import Program, ProgramEnded, Watchdog

PROGRAM = (sys.executable, "-P", "-m", "waypost.crawl.worker")
"""The checking program. `-P`: a folder named waypost in the working directory is not the package."""
_TRIES, _START_TRIES = 3, 5
_MOST_KNOWN_BYTES = 128 << 20
_PAUSE_S = 0.05
"""Pause after the last message that has arrived: a wake-up for each message costs more than the message, and takes the
processor from the programs."""
_DECODER: msgspec.msgpack.Decoder[Response] = msgspec.msgpack.Decoder(Response)


class CheckedPage(NamedTuple):
    """Outcome of a page.

    row      number of the page in its unit, from 0.
    data     encoded `CheckedRows`; empty unless the outcome is "checked".
    fetched  True for a page from the web.
    """

    row: int
    info: PageInfo
    outcome: str
    error: str | None = None
    size_bytes: int | None = None
    content: str | None = None
    data: bytes = b""


class KnownRows:
    """Rows of checked pages by key: the most recently used, within a bound on memory."""

    def __init__(self) -> None:
        self._rows: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._left = _MOST_KNOWN_BYTES

    def all(self) -> dict[bytes, bytes]:
        """Rows by key, as they are now."""
        with self._lock:
            return dict(self._rows)

    def put(self, key: bytes, rows: bytes) -> None:
        with self._lock:
            if key in self._rows:
                self._rows.move_to_end(key)
                return
            self._rows[key] = rows
            # About what a key and an entry of the dictionary take next to the rows.
            self._left -= len(rows) + 200
            while self._left < 0:
                self._left += len(self._rows.popitem(last=False)[1]) + 200


class Driver:
    """Checks units by a separate program, unit after unit.

    command   the checking program.
    known     rows of equal pages, common to the drivers of a machine.
    """

    progress: Callable[[int, int], None]
    """Is called with (pages done, bytes done) as a unit goes on."""

    def __init__(
        self,
        settings: Settings,
        watchdog: Watchdog,
        known: KnownRows | None = None,
        command: Sequence[str] = PROGRAM,
    ) -> None:
        self._settings, self._watchdog, self._command = settings, watchdog, command
        self._known = known or KnownRows()
        self.progress = lambda _pages, _bytes: None
        self._program: Program[Response] | None = None
        self.is_stopped = False

    def pages(self, unit: Unit) -> Iterator[CheckedPage]:
        """Outcome of every page of a unit, in the order of completion. Raises WaypostError without a program."""
        if isinstance(unit, SiteUnit):
            yield from self._fetched(unit)
        else:
            yield from self._read(unit)

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None

    def _running(self) -> Program[Response]:
        """Running program; started where necessary."""
        words = ""
        for _ in range(_START_TRIES):
            if self.is_stopped:
                break
            if self._program is not None:
                return self._program
            try:
                self._program = Program(
                    self._command, Start(self._settings), _DECODER, self._settings.page_s, self._watchdog
                )
            except ProgramEnded as end:
                words = end.reason
                continue
            self._check_version(self._program.ready)
            return self._program
        if self.is_stopped:
            raise KeyboardInterrupt
        raise WaypostError(f"the checking program does not start: {words or 'it ends at once'}")

    def _check_version(self, ready: Response) -> None:
        from waypost import __version__
        from waypost.registry import load

        ours = Ready(__version__, load().version)
        # Rows of two versions would mix in one table.
        if ready != ours:
            self.close()
            raise WaypostError(f"the checking program is of another version: {ready} in place of {ours}")

    def _lose(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None
        if self.is_stopped:
            raise KeyboardInterrupt

    def _read(self, unit: StretchUnit | FilesUnit) -> Iterator[CheckedPage]:
        reading = _Reading(self._known.all())
        while True:
            try:
                program = self._running()
                program.send(ReadUnit(unit, reading.position, b"".join(reading.rows)))
                while not isinstance(message := program.next(_PAUSE_S), Finished):
                    page = self._take(message, reading)
                    if page is not None:
                        yield page
                    if not isinstance(message, Begin):
                        self.progress(reading.position.rows, _done_bytes(unit, reading.position))
                program.rest()
                return
            except ProgramEnded as end:
                self._lose()
                # With a page begun, that page is the cause; without, the place in the source is.
                if reading.begun is not None:
                    if (page := reading.page_lost(end)) is not None:
                        yield page
                elif reading.is_stuck():
                    yield _lost_rest(unit, reading.position, end)
                    return

    def _take(self, message: Response, reading: _Reading) -> CheckedPage | None:
        """Outcome of a page by a message; None for a message without one."""
        page = None
        if isinstance(message, Begin):
            reading.begun = message
            if message.is_known:
                page = _checked(message, reading.rows[message.key])
                reading.move(message.position)
        elif isinstance(message, Rows) and reading.begun is not None:
            begun = reading.begun
            reading.move(begun.position)
            if message.data:
                reading.rows[begun.key] = message.data
                self._known.put(begun.key, message.data)
                page = _checked(begun, message.data)
            else:
                # A file without a page has no row, so its number is free again.
                reading.move(msgspec.structs.replace(begun.position, rows=begun.position.rows - 1))
        elif isinstance(message, Unread):
            page = _unread(message)
            reading.move(message.position)
        elif isinstance(message, At):
            reading.move(message.position)
        return page

    def _fetched(self, unit: SiteUnit) -> Iterator[CheckedPage]:
        from waypost.crawl.fetching import fetched_pages

        pages = fetched_pages(unit, self._settings.fetch)
        for done, (row, info, error, data, media_type) in enumerate(pages, 1):
            if self.is_stopped:
                raise KeyboardInterrupt
            if error is not None:
                yield CheckedPage(row, info, "unreadable" if info.status else "not_fetched", error)
            else:
                yield self._check_fetched(row, CheckPage(info, data, media_type))
            self.progress(done, unit.cost * done // len(unit.urls))

    def _check_fetched(self, row: int, request: CheckPage) -> CheckedPage:
        reading = _Reading({})
        page = CheckedPage(row, request.info, "unreadable", "there is nothing to check")
        while True:
            try:
                program = self._running()
                program.send(request)
                while not isinstance(message := program.next(), Finished):
                    page = self._take(message, reading) or page
                program.rest()
                return page._replace(row=row)
            except ProgramEnded as end:
                self._lose()
                # The program has reported the outcome and ended by itself.
                if page.outcome == "out_of_memory":
                    return page._replace(row=row)
                if reading.begun is not None:
                    if (lost := reading.page_lost(end)) is not None:
                        return lost._replace(row=row)
                elif reading.is_stuck():
                    return CheckedPage(row, request.info, end.outcome, end.reason, len(request.data))


class _Reading:
    """Place in a unit during reading.

    position  place behind the last page with an outcome.
    begun     page under check.
    rows      rows of the pages that the program need not check again, by key.
    """

    def __init__(self, rows: dict[bytes, bytes]) -> None:
        self.rows = rows
        self.position = Position(-1)
        self.begun: Begin | None = None
        self._tried: Position | None = None
        self._stalled_at, self._stalls = Position(-2), 0

    def move(self, position: Position) -> None:
        self.position, self.begun = position, None

    def page_lost(self, end: ProgramEnded) -> CheckedPage | None:
        """Outcome of a page after the end of the program; None for a second try."""
        begun = self.begun
        assert begun is not None
        self.begun = None
        # Time or memory run out again in a second try; a crash may have been a signal from outside.
        if end.outcome == "crashed" and self._tried != begun.position:
            self._tried = begun.position  # it may have been ended from outside
            return None
        self.move(begun.position)
        row = begun.position.rows - 1
        return CheckedPage(row, begun.info, end.outcome, end.reason, begun.size_bytes, begun.content)

    def is_stuck(self) -> bool:
        """Whether the program has ended too often at one place, with no page begun."""
        # Only ends at the same place count: elsewhere the program has made progress.
        self._stalls = self._stalls + 1 if self.position == self._stalled_at else 1
        self._stalled_at = self.position
        return self._stalls >= _TRIES


def _checked(begun: Begin, rows: bytes) -> CheckedPage:
    row = begun.position.rows - 1
    return CheckedPage(row, begun.info, "checked", None, begun.size_bytes, begun.content, rows)


def _unread(message: Unread) -> CheckedPage:
    row = message.position.rows - 1
    return CheckedPage(row, message.info, message.outcome, message.error, content=message.content)


def _lost_rest(unit: StretchUnit | FilesUnit, position: Position, end: ProgramEnded) -> CheckedPage:
    """Row for the pages of a unit behind an unreadable place."""
    if isinstance(unit, StretchUnit):
        begins = max(position.at, unit.start)
        error = f"bytes {begins:,} to {unit.end:,} cannot be read: {end.reason}"
        return CheckedPage(position.rows, PageInfo(unit.path, unit.path, None, begins), end.outcome, error)
    file = unit.files[min(position.at + 1, len(unit.files) - 1)]
    error = f"this file and {len(unit.files) - position.at - 2:,} more cannot be read: {end.reason}"
    return CheckedPage(position.rows, PageInfo(file.path, file.where), end.outcome, error)


def _done_bytes(unit: StretchUnit | FilesUnit, position: Position) -> int:
    if isinstance(unit, StretchUnit):
        return min(max(position.at - unit.start, 0), unit.cost)
    # `at` is the number of the last file, from 0, and -1 before the first.
    return unit.cost * (position.at + 1) // max(len(unit.files), 1)
