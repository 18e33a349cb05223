"""Driver of a worker that checks the pages of a crawl: outlives the end of the worker by a page."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from waypost.crawl import worker
from waypost.crawl.checking import check_page
from waypost.crawl.model import (
    At,
    Begin,
    CheckedRows,
    FilesUnit,
    Message,
    PageInfo,
    Position,
    Rows,
    Settings,
    SiteUnit,
    StretchUnit,
    Unit,
    Unread,
)
from waypost.crawl.rows import rendering_row
from waypost.errors import Unreadable, WaypostError
from waypost.formats.file_kinds import kind_of
from waypost.isolation.blocking import Worker, WorkerEnded
from waypost.isolation.start import SPAWN
from waypost.isolation.worker import Limits
from waypost.models.finding import DeniedRequest, Rendering
from waypost.reader.sources import PageSource, read_file, response_source

if TYPE_CHECKING:
    from waypost.crawl.studio import Studio
    from waypost.net.access import Access
    from waypost.render.model import Rendered

_TRIES, _START_TRIES = 3, 5
_START_S = 120.0
_GRACE_S = 10.0
"""Seconds of processor time beyond the time for a page, for a worker whose driver is gone."""
_MOST_KNOWN_BYTES = 128 << 20
_PAUSE_S = 0.05
"""Pause after the last message that has arrived: a wake-up for each message costs more than the message, and takes the
processor from the workers."""
_MOST_WAITING = 4
"""Pages of a unit that wait for the browser, or are in it: their bytes are in memory."""
_STEP_S = 0.2
_DECODE = msgspec.msgpack.Decoder(CheckedRows).decode
_ENCODE = msgspec.msgpack.Encoder().encode


class CheckedPage(NamedTuple):
    """Outcome of a page.

    row      number of the page in its unit, from 0.
    data     encoded `CheckedRows`; empty unless the outcome is "checked".
    """

    row: int
    info: PageInfo
    outcome: str
    error: str | None = None
    size_bytes: int | None = None
    content: str | None = None
    data: bytes = b""


class _Waiting(NamedTuple):
    """Checked page that is being rendered."""

    page: CheckedPage
    source: PageSource
    rendered: Future[Rendered]


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
    """Checks units in a worker process, unit after unit.

    known   rows of equal pages, common to the drivers of a machine.
    check   only tests replace it.
    access  secrets of origins, for pages from the web; they stay in this process.
    studio  renders a share of the pages.
    """

    progress: Callable[[int, int], None]
    """Is called with (pages done, bytes done) as a unit goes on."""

    def __init__(
        self,
        settings: Settings,
        known: KnownRows | None = None,
        check: worker.Check = check_page,
        access: Access | None = None,
        studio: Studio | None = None,
    ) -> None:
        self._settings, self._check, self._access, self._studio = settings, check, access, studio
        self._known = known or KnownRows()
        self.progress = lambda _pages, _bytes: None
        self._worker: Worker | None = None
        self._is_stopped = False

    def pages(self, unit: Unit) -> Iterator[CheckedPage]:
        """Outcome of every page of a unit, in the order of completion. Raises WaypostError without a worker."""
        if isinstance(unit, SiteUnit):
            yield from self._fetched(unit)
        elif isinstance(unit, FilesUnit) and self._studio is not None:
            yield from self._read_and_rendered(unit, self._studio)
        else:
            yield from self._read(unit)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def stop(self) -> None:
        """End the worker and the unit, from another thread: `pages` raises KeyboardInterrupt."""
        # First the flag, then the end of the worker: else another one would be started.
        self._is_stopped = True
        if self._worker is not None:
            self._worker.kill()

    def _running(self) -> Worker:
        """Prepared worker; started where necessary."""
        if self._worker is not None:
            return self._worker
        settings, words = self._settings, ""
        for _ in range(_START_TRIES):
            try:
                self._worker = started = Worker(
                    SPAWN, Limits(total_bytes=settings.memory_bytes), deadline_s=_START_S,
                    cpu_s=settings.page_s + _GRACE_S,
                )  # fmt: skip
                self._check_stopped()
                version = started.result(worker.begin, settings, self._check)
            except WorkerEnded as end:
                self.close()
                self._check_stopped()
                words = end.reason
                continue
            self._check_version(version)
            started.deadline_s = settings.page_s
            return started
        raise WaypostError(f"the checking program does not start: it {words}")

    def _check_version(self, theirs: tuple[str, str]) -> None:
        from waypost import __version__
        from waypost.registry import load

        ours = (__version__, load().version)
        # Rows of two versions would mix in one table.
        if theirs != ours:
            self.close()
            raise WaypostError(f"the checking program is of another version: {theirs} in place of {ours}")

    def _check_stopped(self) -> None:
        if self._is_stopped:
            self.close()
            raise KeyboardInterrupt

    def _lose(self, end: WorkerEnded) -> WorkerEnded:
        """End of the worker, in words about the page."""
        self.close()
        self._check_stopped()
        match end.outcome:
            case "timed_out":
                return WorkerEnded(end.outcome, f"checking this page took more than {self._settings.page_s:g} s")
            case "out_of_memory":
                return WorkerEnded(end.outcome, "the memory that one page may take was not enough")
            case _:
                return WorkerEnded("crashed", f"the program that checked this page {end.reason}")

    def _read(self, unit: StretchUnit | FilesUnit) -> Iterator[CheckedPage]:
        reading = _Reading(self._known.all())
        while True:
            try:
                known = b"".join(reading.rows)
                messages = self._running().stream(worker.read_unit, unit, reading.position, known, pause_s=_PAUSE_S)
                for message in messages:
                    page = self._take(message, reading)
                    if page is not None:
                        yield page
                    if not isinstance(message, Begin):
                        self.progress(reading.position.rows, _done_bytes(unit, reading.position))
                return
            except WorkerEnded as ended:
                end = self._lose(ended)
                # With a page begun, that page is the cause; without, the place in the source is.
                if reading.begun is not None:
                    if (page := reading.page_lost(end)) is not None:
                        yield page
                elif reading.is_stuck():
                    yield _lost_rest(unit, reading.position, end)
                    return

    def _take(self, message: Message, reading: _Reading) -> CheckedPage | None:
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

        studio = self._studio
        waiting: deque[_Waiting] = deque()
        pages = fetched_pages(unit, self._settings.fetch, self._access, studio.paces if studio else None)
        for done, (row, info, error, data, media_type) in enumerate(pages, 1):
            self._check_stopped()
            if error is not None:
                yield CheckedPage(row, info, "unreadable" if info.status else "not_fetched", error)
            else:
                page = self._check_fetched(row, info, data, media_type)
                if studio is not None and page.outcome == "checked" and studio.chooses(page.info):
                    yield from self._begin_rendering(page, fetched_source(page, data, media_type), studio, waiting)
                else:
                    yield page
            self.progress(done, unit.cost * done // len(unit.urls))
        yield from self._joined(waiting, 0)

    def _read_and_rendered(self, unit: FilesUnit, studio: Studio) -> Iterator[CheckedPage]:
        chosen: list[CheckedPage] = []
        for page in self._read(unit):
            if page.outcome == "checked" and studio.chooses(page.info):
                # The worker reads on, and has no time for further work before the end of the unit.
                chosen.append(page)
            else:
                yield page
        waiting: deque[_Waiting] = deque()
        for page in chosen:
            self._check_stopped()
            yield from self._begin_rendering(page, file_source(page), studio, waiting)
        yield from self._joined(waiting, 0)

    def _begin_rendering(
        self, page: CheckedPage, source: PageSource | str, studio: Studio, waiting: deque[_Waiting]
    ) -> Iterator[CheckedPage]:
        """Give a page to the browser. Yields pages that are done, so that few wait. `source`: page, or why not."""
        if isinstance(source, str):
            yield _not_rendered(page, source)
        elif (target := studio.target(page.info, source)) is None:
            yield page  # it is not HTML, and has no scripts
        else:
            waiting.append(_Waiting(page, source, studio.submit(target)))
            yield from self._joined(waiting, _MOST_WAITING)

    def _joined(self, waiting: deque[_Waiting], most: int) -> Iterator[CheckedPage]:
        """Pages with their rendering, until at most so many wait."""
        while len(waiting) > most or (waiting and waiting[0].rendered.done()):
            first = waiting.popleft()
            while not first.rendered.done():
                self._check_stopped()
                wait((first.rendered,), _STEP_S)
            self._check_stopped()
            yield self._with_rendering(first, first.rendered.result())

    def _with_rendering(self, waiting: _Waiting, rendered: Rendered) -> CheckedPage:
        page = waiting.page
        if rendered.outcome != "rendered":
            return _not_rendered(page, rendered.reason, rendered)
        try:
            rows, why = self._running().result(worker.check_rendered, page.info, waiting.source, rendered)
        except WorkerEnded as ended:
            rows, why = b"", f"after its scripts: {self._lose(ended).reason}"
        return page._replace(data=rows) if rows else _not_rendered(page, why)

    def _check_fetched(self, row: int, info: PageInfo, data: bytes, media_type: str | None) -> CheckedPage:
        reading = _Reading({})
        page = CheckedPage(row, info, "unreadable", "there is nothing to check")
        while True:
            try:
                for message in self._running().stream(worker.check_fetched, info, data, media_type):
                    page = self._take(message, reading) or page
                return page._replace(row=row)
            except WorkerEnded as ended:
                end = self._lose(ended)
                if reading.begun is not None:
                    if (lost := reading.page_lost(end)) is not None:
                        return lost._replace(row=row)
                elif reading.is_stuck():
                    return CheckedPage(row, info, end.outcome, end.reason, len(data))


class _Reading:
    """Place in a unit during reading.

    position  place behind the last page with an outcome.
    begun     page under check.
    rows      rows of the pages that a worker need not check again, by key.
    """

    def __init__(self, rows: dict[bytes, bytes]) -> None:
        self.rows = rows
        self.position = Position(-1)
        self.begun: Begin | None = None
        self._tried: Position | None = None
        self._stalled_at, self._stalls = Position(-2), 0

    def move(self, position: Position) -> None:
        self.position, self.begun = position, None

    def page_lost(self, end: WorkerEnded) -> CheckedPage | None:
        """Outcome of a page after the end of the worker; None for a second try."""
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
        """Whether workers have ended too often at one place, with no page begun."""
        # Only ends at the same place count: elsewhere there was progress.
        self._stalls = self._stalls + 1 if self.position == self._stalled_at else 1
        self._stalled_at = self.position
        return self._stalls >= _TRIES


def fetched_source(page: CheckedPage, data: bytes, media_type: str | None) -> PageSource | str:
    """Source of a page from the web, or the reason why there is none."""
    info = page.info
    try:
        return response_source(info.path, info.status or 200, data, info.url or "", media_type)
    except Unreadable as error:
        return error.reason


def file_source(page: CheckedPage) -> PageSource | str:
    """Source of a file, read again, or the reason why there is none."""
    try:
        data = read_file(page.info.source)
    except (OSError, Unreadable) as error:
        return str(error)
    if hashlib.sha256(data).hexdigest()[:32] != page.content:
        return "the file changed during the crawl"
    return PageSource(data, kind_of(page.info.path, data), page.info.url, None)


def _not_rendered(page: CheckedPage, why: str, rendered: Rendered | None = None) -> CheckedPage:
    """Page with its rows as it is sent, and the reason why it was not rendered."""
    rows = _DECODE(page.data)
    made = Rendering(outcome="failed", why=why)
    if rendered is not None:
        made.requests, made.errors = rendered.requests, rendered.errors
        made.denied = [DeniedRequest(kind=d.kind, host=d.host, why=d.why, count=d.count) for d in rendered.denied]
    rows.rendering = rendering_row(made)
    return page._replace(data=_ENCODE(rows))


def _checked(begun: Begin, rows: bytes) -> CheckedPage:
    row = begun.position.rows - 1
    return CheckedPage(row, begun.info, "checked", None, begun.size_bytes, begun.content, rows)


def _unread(message: Unread) -> CheckedPage:
    row = message.position.rows - 1
    return CheckedPage(row, message.info, message.outcome, message.error, content=message.content)


def _lost_rest(unit: StretchUnit | FilesUnit, position: Position, end: WorkerEnded) -> CheckedPage:
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
