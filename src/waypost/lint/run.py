"""Validation of many inputs, in one process or several, with equal results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from waypost.config import Config
from waypost.errors import Unreadable
from waypost.formats.decoders import decoder
from waypost.formats.source_kinds import has_grammars
from waypost.isolation.process import processor_count, return_large_blocks, tune_garbage_collector
from waypost.lint.cache import options_digest
from waypost.lint.caches import Caches
from waypost.lint.inputs import IN_MEMORY, Input
from waypost.lint.own_requirements import digest_of
from waypost.lint.page import (
    LintOptions,
    Result,
    apply_config,
    as_source,
    config_path,
    profiles_for,
    validate_input,
    validate_stored,
)
from waypost.lint.page_sources import PageStore, open_page, page_from_response, parse_page
from waypost.models.finding import FileReport
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.lint.fetching import PageFetcher
    from waypost.lint.written_in import Tracer
    from waypost.net.crawl import PageResult

FEW = 200
"""Pages up to which one process is faster than starting several."""


def validate_inputs(
    inputs: Sequence[Input],
    options: LintOptions,
    jobs: int | None,
    store: PageStore,
    crawler: PageFetcher | None = None,
    cache: Caches | None = None,
) -> Iterator[tuple[int, Result]]:
    """(index, result) of every input, in the order of completion.

    jobs     number of processes, see `jobs_for`.
    crawler  fetches URLs; required with a URL among the inputs.
    cache    results of earlier runs; new results are added.
    """
    known, rest = _cached(inputs, options, cache) if cache else ({}, range(len(inputs)))
    tracer: list[Tracer] = []
    # The configuration is applied after the cache, so that a change of a level or a suppression costs no new
    # validation.
    for index, result in known.items():
        yield index, _configured(inputs[index], result, options, tracer)
    for index, result in _validate_rest(inputs, rest, options, jobs, store, crawler):
        if cache and result.validity:
            data = msgspec.msgpack.encode((result.file, result.facts, result.address))
            cache.put(inputs[index], _cache_key(inputs[index], options), result.validity, data, options.config)
        yield index, _configured(inputs[index], result, options, tracer)


def _cached(inputs: Sequence[Input], options: LintOptions, cache: Caches) -> tuple[dict[int, Result], list[int]]:
    """(index -> result from the cache, indices of the inputs without a cached result)"""
    known: dict[int, Result] = {}
    files = [n for n, item in enumerate(inputs) if item.kind == "file"]
    # All at once, because the cache shares the reading and hashing among threads.
    hits = cache.find_all([(inputs[n], _cache_key(inputs[n], options)) for n in files], options.config)
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


def source_settings(options: LintOptions, config: Config) -> list[str]:
    """Settings of the choice of sources and of the reading of code."""
    return [f"template={options.template}", f"code={has_grammars()}", *config.source_globs]


_DECODE_CACHED: Callable[[bytes], tuple[FileReport | None, bytes, str | None]] = decoder(
    tuple[FileReport | None, bytes, str | None]
)


def _cache_key(item: Input, options: LintOptions) -> bytes:
    config = options.config.nearest(config_path(item))
    further = [*sorted(config.also), digest_of(config.own, config.package_rules), *source_settings(options, config)]
    further += ["products"] * options.with_products
    return options_digest(item, (*profiles_for(config_path(item), options), *further), options.syntaxes, options.site)


def _configured(item: Input, result: Result, options: LintOptions, tracer: list[Tracer]) -> Result:
    """Result with the configuration applied, and with the source lines of its findings.

    With --fix the configuration is applied already: only findings that count are fixed.
    """
    if result.file is not None and not options.fix_mode:
        apply_config(config_path(item), result.file, options)
    if result.file is not None and result.file.findings and item.kind == "file":
        if not tracer:
            # The first finding of a run loads it: a run without findings never does.
            from waypost.lint.written_in import Tracer

            tracer.append(Tracer())
        tracer[0].trace(result.file, item.where)
    return result


def _validate_rest(
    inputs: Sequence[Input],
    rest: Sequence[int],
    options: LintOptions,
    jobs: int | None,
    store: PageStore,
    crawler: PageFetcher | None,
) -> Iterator[tuple[int, Result]]:
    # Mostly a `range`, which takes no memory.
    has_urls = any(item.kind == "url" for item in inputs)
    local = [n for n in rest if inputs[n].kind != "url"] if has_urls else rest
    if len(local) > IN_MEMORY:
        return_large_blocks()
    if (jobs := jobs_for(jobs, len(local))) <= 1:
        for index in local:
            yield index, validate_input(inputs[index], options, store)
            # After the first page: all that it loaded is exempt from collection from then on.
            tune_garbage_collector()
    else:
        from waypost.lint.processes import validate_in_processes

        yield from validate_in_processes(inputs, local, options, jobs, store)
    if len(local) < len(rest):
        assert crawler is not None
        yield from _validate_urls(inputs, options, store, crawler)


def _validate_urls(
    inputs: Sequence[Input], options: LintOptions, store: PageStore, crawler: PageFetcher
) -> Iterator[tuple[int, Result]]:
    """(index, result) of every URL input, as the responses arrive."""
    from waypost.lint.fetching import fetch_inputs, fetch_report

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
    return validate_stored(item, source, options, store)


def jobs_for(requested: int | None, pages: int) -> int:
    """Number of processes. 0: one per processor; None: a single process for few pages, else one per processor."""
    if requested is not None:
        return min(requested or processor_count(), max(pages, 1))
    return processor_count() if pages >= FEW else 1


def facts_only(inputs: Sequence[Input], options: LintOptions, cache: Caches | None) -> list[Result]:
    """Facts of pages outside the validation, with empty reports."""
    known = _cached(inputs, options, cache)[0] if cache else {}
    results = [known.get(index) or _facts(item, options) for index, item in enumerate(inputs)]
    for item, result in zip(inputs, results, strict=True):
        result.file = FileReport(path=item.path)
    return results


def _facts(item: Input, options: LintOptions) -> Result:
    from waypost.validate.site_facts import facts_of

    try:
        source = as_source(open_page(item, options.allow_private), item.path, config_path(item), options)
        page = parse_page(source, item.path, options.syntaxes)
        if page.computed is not None:
            return Result()
    except Unreadable:
        return Result()
    return Result(facts=facts_of(page, shared_registry().vocabulary), address=page.url)
