"""Judging many pages, here or in several processes; the results are the same and in the same order."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from waypost.cli._cache import Cache, Proof, Reading, key_of
from waypost.cli._inputs import Input, is_linked_data
from waypost.cli._mending import Mending, Mode, mended
from waypost.cli._reading import Kept, Opened, answered, opened, page_of
from waypost.cli._registry import registry
from waypost.cli._run import processors
from waypost.config import Config, apply
from waypost.errors import Unreadable, WaypostError
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.net.crawl import Came, Crawler

FEW = 200
"""Starting processes costs more than judging this many pages."""
RANGE = 20
"""Pages that a process takes at a time: paths go out, findings come back, no page ever does."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How every page of a run is judged. `caching`: note what each result rests on, so that it may be kept."""

    now: datetime
    config: Config = Config()
    profiles: tuple[str, ...] = ()
    syntaxes: frozenset[str] | None = None
    secondary: tuple[str, ...] = ()
    site: str = ""
    allow_private: bool = False
    mending: Mode = ""
    unsafe: bool = False
    caching: bool = False


class Result(msgspec.Struct):
    """What became of one input. `file` None: a file of a folder that is no page.

    why      why it could not even be read, then.
    facts    what other pages may say otherwise, packed.
    address  the page's own, where it is known.
    proof    what the result rests on, where it may be kept.
    """

    file: FileReport | None = None
    why: str = ""
    mending: Mending | None = None
    facts: bytes = b""
    address: str | None = None
    proof: Proof | None = None


def judged(
    inputs: Sequence[Input],
    wanted: Wanted,
    jobs: int | None,
    kept: Kept,
    crawler: Crawler | None = None,
    cache: Cache | None = None,
) -> Iterator[tuple[int, Result]]:
    """(index, result) of every input, in no order.

    jobs     processes, as `jobs_for` takes them.
    crawler  fetches what is on the web.
    cache    knows results of earlier runs.
    """
    known, left = _known(inputs, wanted, cache) if cache else ({}, range(len(inputs)))
    for index, result in known.items():
        yield index, _ruled(inputs[index], result, wanted)
    for index, result in _judged(inputs, left, wanted, jobs, kept, crawler):
        if cache and result.proof:
            cache.keep(inputs[index], _key(inputs[index], wanted), result.proof, _remembered(result))
        yield index, _ruled(inputs[index], result, wanted)


def _known(inputs: Sequence[Input], wanted: Wanted, cache: Cache) -> tuple[dict[int, Result], list[int]]:
    """(index -> result that an earlier run came to, the indices of what is left to judge)"""
    known: dict[int, Result] = {}
    files = [n for n, what in enumerate(inputs) if what.kind == "file"]
    found = cache.find_all([(inputs[n], _key(inputs[n], wanted)) for n in files])
    for index, data in zip(files, found, strict=True):
        if data is None:
            continue
        try:
            file, facts, address = _DECODE_KEPT(data)
        except msgspec.DecodeError:
            continue
        if file is not None:
            file.path = inputs[index].path
        known[index] = Result(file, facts=facts, address=address)
    return known, [n for n in range(len(inputs)) if n not in known]


def _remembered(result: Result) -> bytes:
    return msgspec.msgpack.encode((result.file, result.facts, result.address))


def _key(what: Input, wanted: Wanted) -> bytes:
    return key_of(what, _profiles(what, wanted), wanted.syntaxes, wanted.site)


def _profiles(what: Input, wanted: Wanted) -> tuple[str, ...]:
    if wanted.profiles or not wanted.config.parts:
        return wanted.profiles
    held = wanted.config.for_page(_where(what)).profiles
    return held.value if held else ()


def _where(what: Input) -> str:
    """How the configuration knows an input."""
    return what.where if what.kind != "stdin" else what.path


def _ruled(what: Input, result: Result, wanted: Wanted) -> Result:
    """A result under what the configuration says. What was mended is so already: only what counts is mended."""
    if result.file is not None and not wanted.mending:
        rule(what, result.file, wanted)
    return result


def rule(what: Input, file: FileReport, wanted: Wanted) -> None:
    """Let the configuration have its say."""
    if wanted.config.parts:
        from waypost.validate.rulebook import former_names

        holding = wanted.config.for_page(_where(what))
        if holding.rules or holding.ignore:
            apply(file, holding, former_names())


def _judged(
    inputs: Sequence[Input], left: Sequence[int], wanted: Wanted, jobs: int | None, kept: Kept, crawler: Crawler | None
) -> Iterator[tuple[int, Result]]:
    here = [n for n in left if inputs[n].kind != "url"]
    if (jobs := jobs_for(jobs, len(here))) <= 1:
        for index in here:
            yield index, judge(inputs[index], wanted, kept)
            _settle()
    else:
        yield from _shared(inputs, here, wanted, jobs, kept)
    if len(here) < len(left):
        assert crawler is not None
        yield from _fetched(inputs, wanted, kept, crawler)


def _fetched(inputs: Sequence[Input], wanted: Wanted, kept: Kept, crawler: Crawler) -> Iterator[tuple[int, Result]]:
    """Every page from the web, judged when it is there."""
    from waypost.cli._fetching import fates, fetch_of

    for index, came in fates(inputs, crawler):
        what = inputs[index]
        result = _judge_answer(what, came, wanted, kept)
        if result.file is not None:
            result.file.fetch = fetch_of(came, what.where)
        yield index, result


def _judge_answer(what: Input, came: Came, wanted: Wanted, kept: Kept) -> Result:
    if came.url is None:
        return Result(FileReport(path=what.path, error=came.reason))
    try:
        found = answered(what, came.status, came.data, came.url.reveal(), came.media_type)
    except Unreadable as fault:
        return Result(
            FileReport(path=what.path, error=f"{fault.reason}; {came.reason}" if came.reason else fault.reason)
        )
    kept[what.path] = found
    return _judge_kept(what, found, wanted, kept)


def jobs_for(asked: int | None, pages: int) -> int:
    """How many processes: as asked, else one for each processor we may use, and one for few pages."""
    if asked is not None:
        return min(asked or processors(), max(pages, 1))
    return processors() if pages >= FEW else 1


def facts_alone(inputs: Sequence[Input], wanted: Wanted, cache: Cache | None) -> list[Result]:
    """The facts of pages that are not judged, each with a report that says nothing."""
    known = _known(inputs, wanted, cache)[0] if cache else {}
    made = [known.get(index) or _facts(what, wanted) for index, what in enumerate(inputs)]
    for what, result in zip(inputs, made, strict=True):
        result.file = FileReport(path=what.path)
    return made


def _facts(what: Input, wanted: Wanted) -> Result:
    from waypost.validate.whole import facts_of

    try:
        page = page_of(opened(what, wanted.allow_private), what.path, wanted.syntaxes)
    except Unreadable:
        return Result()
    return Result(facts=facts_of(page, registry().vocabulary), address=page.url)


def judge(what: Input, wanted: Wanted, kept: Kept) -> Result:
    """One page, before the configuration has its say; a reason instead of findings when it cannot be read."""
    reading = Reading(what.where) if wanted.caching and what.kind == "file" else None
    try:
        found = opened(what, wanted.allow_private)
    except Unreadable as fault:
        return Result(None, fault.reason) if what.walked else Result(FileReport(path=what.path, error=fault.reason))
    if reading is not None:
        turns: list[datetime] = []
        result = judge_opened(what, found, wanted, turns)
        if result.file is None or result.file.error is None:
            result.proof = reading.proof(found.data, wanted.now, turns)
        return result
    if what.kind == "stdin":
        kept[what.path] = found
    return _judge_kept(what, found, wanted, kept)


def _judge_kept(what: Input, found: Opened, wanted: Wanted, kept: Kept) -> Result:
    result = judge_opened(what, found, wanted)
    if result.mending and result.mending.data is not None:
        kept[what.path] = found._replace(data=result.mending.data)
    return result


def judge_opened(what: Input, found: Opened, wanted: Wanted, turns: list[datetime] | None = None) -> Result:
    """One page whose bytes are known. `turns` takes the instants at which something else would be said."""
    from waypost import validate
    from waypost.validate.whole import facts_of

    if what.walked and found.kind == "json" and ".jsonld" not in what.path.lower() and not is_linked_data(found.data):
        return Result()

    profiles = _profiles(what, wanted)
    made = Result()

    def said(data: bytes) -> FileReport:
        page = page_of(found._replace(data=data), what.path, wanted.syntaxes)
        told = validate.judge(page, registry(), now=wanted.now, profiles=profiles, site=wanted.site, turns=turns)
        made.facts, made.address = facts_of(page, registry().vocabulary), page.url
        page.release()
        if wanted.mending:
            rule(what, told, wanted)
        if wanted.syntaxes is not None:  # what the others would have used cannot be called unused
            told.findings[:] = [each for each in told.findings if each.rule != "suppression-unused"]
        return told

    try:
        file, mending = said(found.data), None
        if wanted.mending:
            file, mending = mended(what, found, file, said, wanted.mending, wanted.unsafe)
            if mending.data is not None:
                found = found._replace(data=mending.data)
    except Exception as fault:  # noqa: BLE001 - a fault of ours on one page must not cost the others
        return Result(FileReport(path=what.path, error=f"waypost failed on this page, please report it ({fault!r})"))
    if what.walked and found.kind == "markdown" and not (file.items or file.findings or file.suppressed):
        return Result()  # text like any other
    if wanted.secondary and found.kind == "html":
        file.secondary = _secondary(found, wanted.secondary)
    made.file, made.mending = file, mending
    return made


def _secondary(found: Opened, syntaxes: tuple[str, ...]) -> dict[str, list[Any]]:
    from waypost.extract.secondary import read_secondary

    read = read_secondary(found.data, syntaxes, url=found.url, media_type=found.media_type)
    plain: dict[str, list[Any]] = msgspec.to_builtins(read, enc_hook=str, str_keys=True)
    return plain


def _shared(
    inputs: Sequence[Input], here: Sequence[int], wanted: Wanted, jobs: int, kept: Kept
) -> Iterator[tuple[int, Result]]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # What a forked process inherits it need not load again; but it must not inherit locks that a thread holds.
    _load()
    _settle()
    context = get_context("fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn")
    files = [n for n in here if inputs[n].kind != "stdin"]
    ranges = [files[n : n + RANGE] for n in range(0, len(files), RANGE)]
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_deaf)
    try:
        waiting = {pool.submit(_judge_range, [inputs[n] for n in part], wanted): part for part in ranges}
        for index in here:
            if inputs[index].kind == "stdin":
                yield index, judge(inputs[index], wanted, kept)
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
    from waypost import extract  # noqa: F401 - loaded for the processes to come
    from waypost.validate import profiles  # noqa: F401
    from waypost.validate.rulebook import rules_by_name

    rules_by_name()
    assert registry().vocabulary


GARBAGE = (20_000, 20, 20)
"""A page makes some thousand objects, and is taken apart when it was judged: hardly a ring of them is left behind.
Python's own 700 have the page searched for rings several times while it is read, which takes three of a hundred."""


def _settle() -> None:
    """What was loaded stays until the end and is never searched for garbage; from here on pages come and go."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()


def _deaf() -> None:
    """Ctrl-C reaches every process of the terminal; the first one decides."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


_DECODE = msgspec.msgpack.Decoder(list[Result]).decode
_DECODE_KEPT = msgspec.msgpack.Decoder(tuple[FileReport | None, bytes, str | None]).decode


def _judge_range(inputs: list[Input], wanted: Wanted) -> bytes:
    return msgspec.msgpack.encode([judge(each, wanted, Kept()) for each in inputs])
