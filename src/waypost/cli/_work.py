"""Judging many pages, here or in several processes; the results are the same and in the same order."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from waypost.cli._inputs import Input, Kind, is_binary, is_linked_data, kind_of, read
from waypost.cli._registry import registry
from waypost.errors import FetchFailed, FetchRefused, Unreadable, WaypostError
from waypost.shapes.finding import FileReport

FEW = 200
"""Starting processes costs more than judging this many pages."""
RANGE = 20
"""Pages that a process takes at a time: paths go out, findings come back, no page ever does."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How every page of a run is judged."""

    now: datetime
    profiles: tuple[str, ...] = ()
    syntaxes: frozenset[str] | None = None
    site: str = ""
    allow_private: bool = False


Result = FileReport | None
"""None: a file of a folder that is no page."""
Kept = dict[str, tuple[bytes, str | None]]
"""Path in the report -> bytes and media type of a page that cannot be read twice."""


def judged(inputs: Sequence[Input], wanted: Wanted, jobs: int, kept: Kept) -> Iterator[tuple[int, Result]]:
    """(index, result) of every input, in no order; with one job in theirs."""
    if jobs <= 1:
        for index, each in enumerate(inputs):
            yield index, judge(each, wanted, kept)
            _settle()
        return
    yield from _shared(inputs, wanted, jobs, kept)


def jobs_for(asked: int | None, pages: int) -> int:
    """How many processes: as asked, else one for each processor we may use, and one for few pages."""
    if asked is not None:
        return min(asked or _processors(), max(pages, 1))
    return _processors() if pages >= FEW else 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def judge(what: Input, wanted: Wanted, kept: Kept) -> Result:
    """One page; a reason instead of findings when it cannot be read."""
    media_type: str | None = None
    url = what.url
    try:
        if what.kind == "url":
            data, url, media_type = _fetched(what, wanted)
        else:
            data = read(what)
    except (Unreadable, FetchFailed, FetchRefused) as fault:
        reason = fault.reason if isinstance(fault, Unreadable) else str(fault)
        return None if what.walked else FileReport(path=what.path, error=reason)
    if what.kind != "file":
        kept[what.path] = data, media_type
    kind = kind_here(what, data, media_type)
    if kind == "json" and what.walked and ".jsonld" not in what.where.lower() and not is_linked_data(data):
        return None
    return _judge(data, kind, what.path, url, media_type, wanted)


def kind_here(what: Input, data: bytes, media_type: str | None) -> Kind:
    """HTML or JSON, by what the server says of it, else by its name, else by its beginning."""
    essence = (media_type or "").partition(";")[0].strip().lower()
    if essence in {"text/html", "application/xhtml+xml"}:
        return "html"
    if essence == "application/json" or essence.endswith("+json"):
        return "json"
    return kind_of("" if what.kind == "url" else what.path, data)


def _judge(data: bytes, kind: Kind, path: str, url: str | None, media_type: str | None, wanted: Wanted) -> FileReport:
    from waypost import validate
    from waypost.extract import SYNTAXES, read_data, read_page

    book = registry()
    try:
        if kind == "json":
            page = read_data(data, book.vocabulary, path=path, url=url)
        else:
            syntaxes = wanted.syntaxes or SYNTAXES
            page = read_page(data, book.vocabulary, path=path, url=url, media_type=media_type, syntaxes=syntaxes)
        return validate.judge(page, book, now=wanted.now, profiles=wanted.profiles, site=wanted.site)
    except Exception as fault:  # noqa: BLE001 - a fault of ours on one page must not cost the others
        return FileReport(path=path, error=f"waypost failed on this page, please report it ({fault!r})")


def _fetched(what: Input, wanted: Wanted) -> tuple[bytes, str, str | None]:
    """(body, address of the page, Content-Type); an answer that is no page is not judged as one."""
    from waypost.net.address import ALLOW_PRIVATE, PUBLIC
    from waypost.net.fetch import fetch

    got = fetch(what.where, policy=ALLOW_PRIVATE if wanted.allow_private else PUBLIC)
    if got.status >= 400:
        raise Unreadable(what.path, f"the server answered with status {got.status}")
    if is_binary(got.data):
        raise Unreadable(what.path, f"this is no page but {got.media_type or 'binary data'}")
    return got.data, what.url or got.url.reveal(), got.media_type


def _shared(inputs: Sequence[Input], wanted: Wanted, jobs: int, kept: Kept) -> Iterator[tuple[int, Result]]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # What a forked process inherits it need not load again; this process has no threads yet.
    _load()
    _settle()
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    files = [n for n, each in enumerate(inputs) if each.kind == "file"]
    ranges = [files[n : n + RANGE] for n in range(0, len(files), RANGE)]
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_deaf)
    try:
        waiting = {pool.submit(_judge_range, [inputs[n] for n in part], wanted): part for part in ranges}
        for index, each in enumerate(inputs):
            if each.kind != "file":
                yield index, judge(each, wanted, kept)
        for done in as_completed(waiting):
            yield from zip(waiting[done], _DECODE(done.result()), strict=True)
    except BrokenProcessPool:
        raise WaypostError(
            "a worker process was ended from outside, perhaps for lack of memory; try --jobs 1"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _load() -> None:
    """Everything that judging takes."""
    from waypost import extract, validate  # noqa: F401 - loaded for the processes to come
    from waypost.validate.rulebook import rulebook

    rulebook()
    assert registry().vocabulary


def _settle() -> None:
    """What was loaded stays until the end and is never searched for garbage; from here on pages come and go."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def _deaf() -> None:
    """Ctrl-C reaches every process of the terminal; the first one decides."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


_DECODE = msgspec.msgpack.Decoder(list[FileReport | None]).decode


def _judge_range(inputs: list[Input], wanted: Wanted) -> bytes:
    return msgspec.msgpack.encode([judge(each, wanted, {}) for each in inputs])
