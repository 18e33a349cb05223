"""Validation of many inputs, in one process or several, with equal results."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from waypost.cli._arguments import processor_count
from waypost.cli._cache import Cache, StampedRead, Validity, options_digest
from waypost.cli._fixing import FixMode, FixResult, fix_input
from waypost.cli._inputs import Input
from waypost.cli._page_sources import PageStore, open_page, page_from_response, parse_page
from waypost.cli._registry import registry
from waypost.config import Config, apply
from waypost.errors import Unreadable
from waypost.extract.sources import PageSource
from waypost.formats.file_kinds import is_linked_data
from waypost.models.finding import FileReport, Finding

if TYPE_CHECKING:
    from waypost.net.crawl import Crawler, PageResult

FEW = 200
"""Pages up to which one process is faster than starting several."""
RELEASE_AFTER = 20
"""Pages after which freed memory goes back to the system. The pages that follow fetch it again, 5 % of a run after 10
pages instead of 40; after 40 the peak comes near the 80 MB that a run may take."""
GC_THRESHOLD = (20_000, 20, 20)
"""Thresholds for `gc`. Python's own 700 objects would trigger several searches while a page is read, 3 % of the time,
although a page leaves hardly any reference cycle."""


class LintOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for every page of a run.

    fix_infos  --fix also fixes information.
    fix_rules  rules and profiles named by --rule; their information is fixed, too.
    caching    record the conditions of a result for the cache.
    """

    now: datetime
    config: Config = Config()
    profiles: tuple[str, ...] = ()
    syntaxes: frozenset[str] | None = None
    secondary: tuple[str, ...] = ()
    site: str = ""
    allow_private: bool = False
    fix_mode: FixMode = ""
    unsafe: bool = False
    fix_infos: bool = False
    fix_rules: frozenset[str] = frozenset()
    caching: bool = False

    def is_fixed(self, finding: Finding) -> bool:
        """Whether --fix is about a finding: information only where it is shown, or its rule is named."""
        return (
            finding.severity != "info"
            or self.fix_infos
            or not self.fix_rules.isdisjoint({finding.rule, finding.profile or ""})
        )


class Result(msgspec.Struct):
    """Outcome for an input.

    file      report; None for a file of a searched folder without a page in it.
    why       reason for an unreadable file of a searched folder.
    facts     facts of the page for comparison with further pages, packed by `facts_of`.
    address   URL of the page, where known.
    validity  conditions under which a cache may return the result.
    """

    file: FileReport | None = None
    why: str = ""
    fixes: FixResult | None = None
    facts: bytes = b""
    address: str | None = None
    validity: Validity | None = None


def validate_inputs(
    inputs: Sequence[Input],
    options: LintOptions,
    jobs: int | None,
    store: PageStore,
    crawler: Crawler | None = None,
    cache: Cache | None = None,
) -> Iterator[tuple[int, Result]]:
    """(index, result) of every input, in the order of completion.

    jobs     number of processes, see `jobs_for`.
    crawler  fetches URLs; required with a URL among the inputs.
    cache    results of earlier runs; new results are added.
    """
    known, rest = _cached(inputs, options, cache) if cache else ({}, range(len(inputs)))
    # The configuration is applied after the cache, so that a change of a level or a suppression costs no new
    # validation.
    for index, result in known.items():
        yield index, _configured(inputs[index], result, options)
    for index, result in _validate_rest(inputs, rest, options, jobs, store, crawler):
        if cache and result.validity:
            data = msgspec.msgpack.encode((result.file, result.facts, result.address))
            cache.put(inputs[index], _cache_key(inputs[index], options), result.validity, data)
        yield index, _configured(inputs[index], result, options)


def _cached(inputs: Sequence[Input], options: LintOptions, cache: Cache) -> tuple[dict[int, Result], list[int]]:
    """(index -> result from the cache, indices of the inputs without a cached result)"""
    known: dict[int, Result] = {}
    files = [n for n, item in enumerate(inputs) if item.kind == "file"]
    # All at once, because the cache shares the reading and hashing among threads.
    hits = cache.find_all([(inputs[n], _cache_key(inputs[n], options)) for n in files])
    for index, data in zip(files, hits, strict=True):
        if data is None:
            continue
        try:
            file, facts, address = _DECODE_CACHED(data)
        except msgspec.DecodeError:
            continue
        # The cache knows a page by its place; the name in the report depends on the working directory.
        if file is not None:
            file.path = inputs[index].path
        known[index] = Result(file, facts=facts, address=address)
    return known, [n for n in range(len(inputs)) if n not in known]


_DECODE_CACHED = msgspec.msgpack.Decoder(tuple[FileReport | None, bytes, str | None]).decode


def _cache_key(item: Input, options: LintOptions) -> bytes:
    further = sorted(options.config.also)
    return options_digest(item, (*profiles_for(item, options), *further), options.syntaxes, options.site)


def profiles_for(item: Input, options: LintOptions) -> tuple[str, ...]:
    if options.profiles or not options.config.parts:
        return options.profiles
    setting = options.config.for_page(_config_path(item)).profiles
    return setting.value if setting else ()


def _config_path(item: Input) -> str:
    """Path by which the configuration knows an input."""
    return item.where if item.kind != "stdin" else item.path


def _configured(item: Input, result: Result, options: LintOptions) -> Result:
    """Result with the configuration applied. With --fix `_check` has applied it: only findings that count are fixed."""
    if result.file is not None and not options.fix_mode:
        apply_config(item, result.file, options)
    return result


def apply_config(item: Input, file: FileReport, options: LintOptions) -> None:
    """Apply the configuration's levels and suppressions for an input to the report, in place."""
    if options.config.parts:
        from waypost.validate.rulebook import former_names

        holding = options.config.for_page(_config_path(item))
        if holding.rules or holding.ignore:
            apply(file, holding, former_names())


def _validate_rest(
    inputs: Sequence[Input],
    rest: Sequence[int],
    options: LintOptions,
    jobs: int | None,
    store: PageStore,
    crawler: Crawler | None,
) -> Iterator[tuple[int, Result]]:
    local = [n for n in rest if inputs[n].kind != "url"]
    if (jobs := jobs_for(jobs, len(local))) <= 1:
        for index in local:
            yield index, validate_input(inputs[index], options, store)
            # After the first page: all that it loaded is exempt from collection from then on.
            tune_garbage_collector()
    else:
        from waypost.cli._worker_pool import validate_in_processes

        yield from validate_in_processes(inputs, local, options, jobs, store)
    if len(local) < len(rest):
        assert crawler is not None
        yield from _validate_urls(inputs, options, store, crawler)


def _validate_urls(
    inputs: Sequence[Input], options: LintOptions, store: PageStore, crawler: Crawler
) -> Iterator[tuple[int, Result]]:
    """(index, result) of every URL input, as the responses arrive."""
    from waypost.cli._fetching import fetch_inputs, fetch_report

    for index, answer in fetch_inputs(inputs, crawler):
        item = inputs[index]
        result = _validate_response(item, answer, options, store)
        if result.file is not None:
            result.file.fetch = fetch_report(answer, item.where)
        yield index, result


def _validate_response(item: Input, answer: PageResult, options: LintOptions, store: PageStore) -> Result:
    if answer.url is None:
        return Result(FileReport(path=item.path, error=answer.reason))
    try:
        source = page_from_response(item, answer.status, answer.data, answer.url.reveal(), answer.media_type)
    except Unreadable as error:
        why = f"{error.reason}; {answer.reason}" if answer.reason else error.reason
        return Result(FileReport(path=item.path, error=why))
    store[item.path] = source
    return _validate_stored(item, source, options, store)


def jobs_for(requested: int | None, pages: int) -> int:
    """Number of processes. 0: one per processor; None: a single process for few pages, else one per processor."""
    if requested is not None:
        return min(requested or processor_count(), max(pages, 1))
    return processor_count() if pages >= FEW else 1


def facts_only(inputs: Sequence[Input], options: LintOptions, cache: Cache | None) -> list[Result]:
    """Facts of pages outside the validation, with empty reports."""
    known = _cached(inputs, options, cache)[0] if cache else {}
    results = [known.get(index) or _facts(item, options) for index, item in enumerate(inputs)]
    for item, result in zip(inputs, results, strict=True):
        result.file = FileReport(path=item.path)
    return results


def _facts(item: Input, options: LintOptions) -> Result:
    from waypost.validate.site_facts import facts_of

    try:
        page = parse_page(open_page(item, options.allow_private), item.path, options.syntaxes)
    except Unreadable:
        return Result()
    return Result(facts=facts_of(page, registry().vocabulary), address=page.url)


def validate_input(item: Input, options: LintOptions, store: PageStore) -> Result:
    """Result of an input, before the configuration is applied."""
    # The stamp is taken before the read: a change in between must not be stored under the new stamp.
    read = StampedRead(item.where) if options.caching and item.kind == "file" else None
    try:
        source = open_page(item, options.allow_private)
    except Unreadable as error:
        return Result(None, error.reason) if item.walked else Result(FileReport(path=item.path, error=error.reason))
    if read is not None:
        turns: list[datetime] = []
        result = validate_source(item, source, options, turns)
        # A page on which waypost itself failed is tried again in the next run.
        if result.file is None or result.file.error is None:
            result.validity = read.validity(source.data, options.now, turns)
        return result
    if item.kind == "stdin":
        store[item.path] = source
    return _validate_stored(item, source, options, store)


def _validate_stored(item: Input, source: PageSource, options: LintOptions, store: PageStore) -> Result:
    result = validate_source(item, source, options)
    if result.fixes and result.fixes.data is not None:
        store[item.path] = source._replace(data=result.fixes.data)
    return result


def validate_source(
    item: Input, source: PageSource, options: LintOptions, turns: list[datetime] | None = None
) -> Result:
    """Result of a page. `turns` collects the instants at which findings about dates change."""
    # A folder of a site holds much JSON that is not structured data, such as package.json; a named file is always read.
    if item.walked and source.kind == "json" and ".jsonld" not in item.path.lower() and not is_linked_data(source.data):
        return Result()
    profiles = profiles_for(item, options)
    result = Result()

    def check(data: bytes) -> FileReport:
        return _check(item, source._replace(data=data), options, profiles, turns, result)

    try:
        file, fixes = check(source.data), None
        if options.fix_mode:
            file, fixes = fix_input(
                item, source, file, check, options.fix_mode, unsafe=options.unsafe, only=options.is_fixed
            )
            if fixes.data is not None:
                source = source._replace(data=fixes.data)
    except Exception as error:  # noqa: BLE001 - an error of ours on one page must not cost the others
        return Result(FileReport(path=item.path, error=f"waypost failed on this page, please report it ({error!r})"))
    if item.walked and source.kind == "markdown" and not (file.items or file.findings or file.suppressed):
        return Result()  # a text without structured data
    if options.secondary and source.kind == "html":
        file.secondary = _secondary(source, options.secondary)
    result.file, result.fixes = file, fixes
    return result


def _check(
    item: Input,
    source: PageSource,
    options: LintOptions,
    profiles: tuple[str, ...],
    turns: list[datetime] | None,
    result: Result,
) -> FileReport:
    """Findings of a page; `result` receives the page's facts and address."""
    from waypost import validate
    from waypost.validate.site_facts import facts_of

    page = parse_page(source, item.path, options.syntaxes)
    file = validate.validate_parsed(
        page, registry(), now=options.now, profiles=profiles, site=options.site, change_times=turns,
        also=options.config.also,
    )  # fmt: skip
    result.facts, result.address = facts_of(page, registry().vocabulary), page.url
    page.release()
    if options.fix_mode:
        apply_config(item, file, options)
    if options.syntaxes is not None:
        # A suppression may concern a syntax that was not read, so it cannot be called unused.
        file.findings[:] = [finding for finding in file.findings if finding.rule != "suppression-unused"]
    return file


def _secondary(source: PageSource, syntaxes: tuple[str, ...]) -> dict[str, list[Any]]:
    from waypost.extract.secondary import read_secondary

    read = read_secondary(source.data, syntaxes, url=source.url, media_type=source.media_type)
    plain: dict[str, list[Any]] = msgspec.to_builtins(read, enc_hook=str, str_keys=True)
    return plain


def release_free_memory() -> None:
    """Return freed memory to the system, where the C library can: pages of all sizes leave gaps that it would keep."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def tune_garbage_collector() -> None:
    """Exempt loaded objects from garbage collection, and collect rarely afterwards. Later calls have no effect."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLD)
        gc.enable()
