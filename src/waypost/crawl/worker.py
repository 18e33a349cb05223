"""Reading and checking of the pages of a crawl, within a worker process (`waypost.isolation`).

A page that ends the worker, or takes too long, costs the process alone: the driver knows the page by the message
`Begin`, and another worker goes on behind the page.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Callable, Generator, Iterator
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
    CrawlFile,
    FilesUnit,
    Message,
    PageInfo,
    Position,
    Rows,
    Settings,
    StretchUnit,
    Unread,
)
from waypost.errors import Unreadable
from waypost.formats.file_kinds import kind_of
from waypost.isolation.process import GC_THRESHOLD, release_free_memory
from waypost.reader.sources import PageSource, read_file, response_source, without_credentials
from waypost.registry import Registry, load
from waypost.render.model import Rendered

Check: TypeAlias = Callable[[PageInfo, PageSource, Registry, Settings], CheckedRows | None]
_ENCODE = msgspec.msgpack.Encoder().encode
_LARGE_BYTES = 4 << 20
"""Size of a page after which freed memory is returned to the system. Smaller pages reuse the memory of earlier ones."""
_KEY = 16
"""Bytes of a key."""
_checker: _Checker


def begin(settings: Settings, check: Check) -> tuple[str, str]:
    """Prepare this process for the pages of a crawl: load rules and tables. (version, digest of the registry)"""
    global _checker  # noqa: PLW0603 - for the pieces of work of this process
    from waypost import reader  # noqa: F401 - loaded here: the time for loading must not count for the first page
    from waypost.validate import profiles, site_facts  # noqa: F401
    from waypost.validate.rulebook import load_rules

    _checker = _Checker(settings, check)
    load_rules()
    assert _checker.registry.vocabulary
    # What is loaded is exempt from garbage collection, and collections are rare afterwards.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLD)
    return __version__, _checker.registry.version


def read_unit(unit: StretchUnit | FilesUnit, position: Position, known: bytes) -> Iterator[Message]:
    """Read and check a unit from a place on. `known`: keys of pages with rows, 16 bytes each, see `Begin`."""
    _checker.known = {known[n : n + _KEY] for n in range(0, len(known), _KEY)}
    if isinstance(unit, StretchUnit):
        yield from _checker.read_stretch(unit, position)
    else:
        yield from _checker.read_files(unit, position)


def check_fetched(info: PageInfo, data: bytes, media_type: str | None) -> Iterator[Message]:
    """Check a page fetched by the driver."""
    # The driver holds no rows of earlier fetched pages.
    _checker.known = set()
    yield from _checker.page(
        Position(0, 0, 1), info, data, media_type,
        lambda: response_source(info.path, info.status or 200, data, info.url or "", media_type),
    )  # fmt: skip


def check_rendered(info: PageInfo, source: PageSource, rendered: Rendered) -> tuple[bytes, str]:
    """(encoded rows of a page as it is sent and after its scripts, reason where there are none)"""
    return _checker.rendered(info, source, rendered)


class _Checker:
    def __init__(self, settings: Settings, check: Check) -> None:
        self._settings, self._check = settings, check
        self.registry = load()
        self.known: set[bytes] = set()

    def read_stretch(self, unit: StretchUnit, position: Position) -> Iterator[Message]:
        resumed = position.at if position.at >= 0 else None
        rows, passed = position.rows, 0
        with _opened(unit.where) as file:
            # The offsets of the plan are about the archive as it was.
            if file.seek(0, os.SEEK_END) != unit.size_bytes:
                yield Unread(Position(unit.end, 0, rows + 1), _whole(unit), "the archive has changed meanwhile")
                return
            yield At(position)
            for record in archives.read_stretch(file, unit.start, unit.end, resumed):
                # Resumed at a record, of whose pages some may have an outcome already.
                is_behind = (record.offset, record.inner) > (position.at, position.inner)
                here = Position(record.offset, record.inner, rows)
                if isinstance(record, archives.Passed):
                    passed += 1
                    # A sign of life: an archive may hold thousands of images in a row.
                    if passed % 100 == 0:
                        yield At(here)
                    continue
                if not is_behind:
                    continue
                rows += 1
                here = Position(record.offset, record.inner, rows)
                name = f"{unit.path}#{without_credentials(record.url)}" if record.url else unit.path
                info = PageInfo(name, unit.path, record.url or None, record.offset, record.seen, record.status)
                if record.error:
                    yield Unread(here, info, record.error)
                    continue
                yield from self.page(here, info, record.data, record.media_type, partial(_record_source, info, record))

    def read_files(self, unit: FilesUnit, position: Position) -> Iterator[Message]:
        rows = position.rows
        for number, file in enumerate(unit.files):
            if number <= position.at:
                continue
            here = Position(number, 0, rows + 1)
            info = PageInfo(file.path, file.where, file.url, walked=file.walked)
            # Before the read, which may take long on a slow disk.
            yield At(Position(number - 1, 0, rows))
            try:
                data = _read(file)
            except Unreadable as error:
                if not file.walked:
                    rows += 1
                    yield Unread(here, info, error.reason)
                continue
            source = PageSource(data, kind_of(file.path, data), file.url, None)
            rows += yield from self.page(here, info, data, source.kind, partial(_same, source))

    def page(
        self, here: Position, info: PageInfo, data: bytes, media_type: str | None, source: Callable[[], PageSource]
    ) -> Generator[Message, None, bool]:
        """Check a page, unless one with the same key was; False for a file without a page."""
        content = hashlib.sha256(data).hexdigest()[:32]
        key = self._key(content, info, media_type)
        is_known = key in self.known
        yield Begin(here, info, len(data), content, key, is_known)
        if is_known:
            return True
        try:
            rows = self._check(info, source(), self.registry, self._settings)
            encoded = _ENCODE(rows) if rows is not None else b""
        except Unreadable as error:
            yield Unread(here, info, error.reason, content=content)
            return True
        except MemoryError:
            raise  # what is left of the memory is in pieces: the worker ends
        except Exception as error:  # noqa: BLE001 - an error of ours on one page must not cost the others
            reason = f"waypost failed on this page, please report it ({error!r})"
            yield Unread(here, info, reason, content=content)
            return True
        yield Rows(encoded)
        if encoded:
            # The driver has received the rows by now and keeps them.
            self.known.add(key)
        if len(data) >= _LARGE_BYTES:
            release_free_memory()
        return rows is not None

    def rendered(self, info: PageInfo, source: PageSource, rendered: Rendered) -> tuple[bytes, str]:
        try:
            rows = check_page(info, source, self.registry, self._settings, rendered)
        except Unreadable as error:
            return b"", error.reason
        except MemoryError:
            raise  # as for a page as it is sent
        except Exception as error:  # noqa: BLE001 - an error of ours on one page must not cost the others
            return b"", f"waypost failed on this page, please report it ({error!r})"
        if len(rendered.html) >= _LARGE_BYTES:
            release_free_memory()
        return _ENCODE(rows), ""

    def _key(self, content: str, info: PageInfo, media_type: str | None) -> bytes:
        """Key of a page: equal keys have equal rows."""
        # The URL resolves relative addresses, so equal bytes elsewhere may have other findings.
        parts = [content, media_type or "", info.url or "", str(info.walked)]
        if self._settings.config.parts or self._settings.config.nested:  # its globs are about paths
            parts.append(info.source)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()[:_KEY]


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
