"""Program for reading and checking the pages of a crawl, under limits: `python -m waypost.crawl.worker`.

Messages (`messages`, `model`) go over standard input and output. A page that ends the program, or takes too long, costs
the process alone: the driver knows the page by the message `Begin`, and starts the program again behind the page.
"""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO, TypeAlias

import msgspec

from waypost import __version__
from waypost.crawl import archives
from waypost.crawl.checking import check_page
from waypost.crawl.model import (
    At,
    Begin,
    CheckedRows,
    CheckPage,
    CrawlFile,
    FilesUnit,
    Finished,
    PageInfo,
    Position,
    ReadUnit,
    Ready,
    Request,
    Response,
    Rows,
    Settings,
    Start,
    StretchUnit,
    Unread,
)
from waypost.errors import Unreadable
from waypost.extract.sources import PageSource, read_file, response_source, without_credentials
from waypost.formats.file_kinds import kind_of
from waypost.isolation.messages import receive, send
from waypost.isolation.process import GC_THRESHOLD, release_free_memory
from waypost.registry import Registry, load

Check: TypeAlias = Callable[[PageInfo, PageSource, Registry, Settings], CheckedRows | None]
_ENCODE = msgspec.msgpack.Encoder().encode
_DECODER = msgspec.msgpack.Decoder(Request)
_LARGE_BYTES = 4 << 20
"""Size of a page after which freed memory is returned to the system. Smaller pages reuse the memory of earlier ones."""
_KEY = 16
"""Bytes of a key."""
_GRACE_S = 10
"""Seconds between the driver's limit and the end by the system, for a program without a driver."""
OUT_OF_MEMORY = 77
"""Exit status after a page with too little memory."""


def main(check: Check = check_page) -> int:
    """Serve a driver until the pipe is closed. Only tests replace `check`."""
    output = _own_output()
    with suppress(BrokenPipeError):
        start = receive(sys.stdin.buffer, _DECODER)
        if not isinstance(start, Start):
            return 2
        _limit_resources(start.settings)
        return _Worker(sys.stdin.buffer, output, start.settings, check).serve()
    return 0


def _own_output() -> IO[bytes]:
    """Standard output for messages alone: prints of libraries go to standard error."""
    # The copy stays the pipe when descriptor 1 becomes standard error.
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own


def _limit_resources(settings: Settings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts every process of the group
    try:
        import resource
    except ImportError:  # Windows
        return
    # A crash on a strange page must not fill the disk with core files.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if settings.memory_bytes:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        # A soft limit above the hard one is refused.
        limit = settings.memory_bytes if hard == resource.RLIM_INFINITY else min(settings.memory_bytes, hard)
        with suppress(ValueError, OSError):  # macOS knows the limit and refuses it
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


class _Worker:
    def __init__(self, requests: IO[bytes], responses: IO[bytes], settings: Settings, check: Check) -> None:
        self._requests, self._responses = requests, responses
        self._settings, self._check = settings, check
        self._registry = load()
        self._known: set[bytes] = set()
        self._alarm_s = int(settings.page_s) + _GRACE_S if hasattr(signal, "alarm") else 0

    def serve(self) -> int:
        # Before `Ready`: the time for loading must not count for the first page.
        self._load()
        self._send(Ready(__version__, self._registry.version))
        while (request := receive(self._requests, _DECODER)) is not None:
            if isinstance(request, ReadUnit):
                self._known = {request.known[n : n + _KEY] for n in range(0, len(request.known), _KEY)}
                if isinstance(request.unit, StretchUnit):
                    self._read_stretch(request.unit, request.position)
                else:
                    self._read_files(request.unit, request.position)
            elif isinstance(request, CheckPage):
                self._check_fetched(request)
            self._send(Finished())
        return 0

    def _load(self) -> None:
        """Load rules and tables, exempt from garbage collection, and collect rarely afterwards."""
        from waypost import extract  # noqa: F401 - loaded here
        from waypost.validate import profiles, site_facts  # noqa: F401
        from waypost.validate.rulebook import rules_by_name

        rules_by_name()
        assert self._registry.vocabulary
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLD)

    def _send(self, message: Response) -> None:
        send(self._responses, message)

    def _alive(self, position: Position) -> None:
        self._send(At(position))
        self._wind_up()

    def _wind_up(self) -> None:
        if self._alarm_s:
            signal.alarm(self._alarm_s)

    def _read_stretch(self, unit: StretchUnit, position: Position) -> None:
        resumed = position.at if position.at >= 0 else None
        rows, passed = position.rows, 0
        with _opened(unit.where) as file:
            # The offsets of the plan are about the archive as it was.
            if file.seek(0, os.SEEK_END) != unit.size_bytes:
                self._unread(Position(unit.end, 0, rows + 1), _whole(unit), "the archive has changed meanwhile")
                return
            self._alive(position)
            for record in archives.read_stretch(file, unit.start, unit.end, resumed):
                # Resumed at a record, of whose pages some may have an outcome already.
                is_behind = (record.offset, record.inner) > (position.at, position.inner)
                here = Position(record.offset, record.inner, rows)
                if isinstance(record, archives.Passed):
                    passed += 1
                    # A sign of life: an archive may hold thousands of images in a row.
                    if passed % 100 == 0:
                        self._alive(here)
                    continue
                if not is_behind:
                    continue
                rows += 1
                here = Position(record.offset, record.inner, rows)
                name = f"{unit.path}#{without_credentials(record.url)}" if record.url else unit.path
                info = PageInfo(name, unit.path, record.url or None, record.offset, record.seen, record.status)
                if record.error:
                    self._unread(here, info, record.error)
                    continue
                self._page(here, info, record.data, record.media_type, partial(_record_source, info, record))

    def _read_files(self, unit: FilesUnit, position: Position) -> None:
        rows = position.rows
        for number, file in enumerate(unit.files):
            if number <= position.at:
                continue
            here = Position(number, 0, rows + 1)
            info = PageInfo(file.path, file.where, file.url, walked=file.walked)
            # Before the read, which may take long on a slow disk.
            self._alive(Position(number - 1, 0, rows))
            try:
                data = _read(file)
            except Unreadable as error:
                if not file.walked:
                    rows += 1
                    self._unread(here, info, error.reason)
                continue
            source = PageSource(data, kind_of(file.path, data), file.url, None)
            rows += self._page(here, info, data, source.kind, partial(_same, source))

    def _check_fetched(self, request: CheckPage) -> None:
        info = request.info
        # The driver holds no rows of earlier fetched pages.
        self._known.clear()
        self._page(
            Position(0, 0, 1), info, request.data, request.media_type,
            lambda: response_source(info.path, info.status or 200, request.data, info.url or "", request.media_type),
        )  # fmt: skip

    def _page(
        self, here: Position, info: PageInfo, data: bytes, media_type: str | None, source: Callable[[], PageSource]
    ) -> bool:
        """Check a page, unless one with the same key was; False for a file without a page."""
        content = hashlib.sha256(data).hexdigest()[:32]
        key = self._key(content, info, media_type)
        is_known = key in self._known
        self._wind_up()
        self._send(Begin(here, info, len(data), content, key, is_known))
        if is_known:
            return True
        try:
            rows = self._check(info, source(), self._registry, self._settings)
            encoded = _ENCODE(rows) if rows is not None else b""
        except Unreadable as error:
            self._unread(here, info, error.reason, content=content)
            return True
        except MemoryError:
            self._unread(here, info, "the memory that one page may take was not enough", "out_of_memory", content)
            raise SystemExit(OUT_OF_MEMORY) from None  # what is left of the memory is in pieces
        except Exception as error:  # noqa: BLE001 - an error of ours on one page must not cost the others
            reason = f"waypost failed on this page, please report it ({error!r})"
            self._unread(here, info, reason, content=content)
            return True
        self._send(Rows(encoded))
        if encoded:
            # The driver has received the rows by now and keeps them.
            self._known.add(key)
        if len(data) >= _LARGE_BYTES:
            release_free_memory()
        return rows is not None

    def _key(self, content: str, info: PageInfo, media_type: str | None) -> bytes:
        """Key of a page: equal keys have equal rows."""
        # The URL resolves relative addresses, so equal bytes elsewhere may have other findings.
        parts = [content, media_type or "", info.url or "", str(info.walked)]
        if self._settings.config.parts:  # its globs are about paths
            parts.append(info.source)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()[:_KEY]

    def _unread(
        self, here: Position, info: PageInfo, error: str, outcome: str = "unreadable", content: str | None = None
    ) -> None:
        self._send(Unread(here, info, error, outcome, content))
        self._wind_up()


def _same(source: PageSource) -> PageSource:
    return source


def _record_source(info: PageInfo, record: archives.Record) -> PageSource:
    source = response_source(info.path, 200, record.data, record.url, record.media_type)
    # Without a URL in the record there is no base for relative addresses.
    return source if record.url else source._replace(url=None)


def _whole(unit: StretchUnit) -> PageInfo:
    return PageInfo(unit.path, unit.path)


def _read(file: CrawlFile) -> bytes:
    """Bytes of a file, decompressed. Raises Unreadable."""
    if "://" in file.where:
        from waypost.crawl.storage import read_remote

        return read_remote(file.where, file.path)
    try:
        return read_file(file.where)
    except OSError as error:
        raise Unreadable(file.path, (error.strerror or str(error)).lower()) from None


def _opened(where: str) -> IO[bytes]:
    if "://" in where:
        from waypost.crawl.storage import open_remote

        return open_remote(where)
    return open(where, "rb", buffering=1 << 18)  # noqa: PTH123 - closed by the caller


if __name__ == "__main__":
    sys.exit(main())
