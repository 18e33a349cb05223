"""Profiles that are named for several pages: each named file, and one page of a folder or list, must have its item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, Result, config_path, profiles_for
from waypost.lint.results import ResultList

_NOT_FOUND = "profile-not-found"


class Lacking(NamedTuple):
    """Number of pages without anything for a named profile.

    source  path of the configuration that names the profile; empty for the command line.
    first   path of the first page.
    """

    source: str
    profile: str
    pages: int
    of: int
    first: str


def settle_profiles(inputs: Sequence[Input], results: list[Result] | ResultList, options: LintOptions) -> list[Lacking]:
    """Drop `profile-not-found` of profiles that another page has something for, except in files that are named.

    Returns how many pages lack each dropped profile.
    """
    lacking = _found_somewhere(inputs, results, options)
    dropped = {(each.source, each.profile) for each in lacking}
    for number in range(len(results)) if dropped else ():
        result = results[number]
        is_named = bool(options.profiles) and inputs[number].kind == "file" and not inputs[number].walked
        if result.file is not None and not is_named:
            source = _source(inputs[number], options)
            for findings in (result.file.findings, result.file.suppressed):
                findings[:] = [
                    each for each in findings if each.rule != _NOT_FOUND or (source, each.profile) not in dropped
                ]
            results[number] = result
    return lacking


def _found_somewhere(
    inputs: Sequence[Input], results: list[Result] | ResultList, options: LintOptions
) -> list[Lacking]:
    """Named profiles without anything on some pages of a configuration, but not on all of them."""
    named: Counter[tuple[str, str | None]] = Counter()
    missing: Counter[tuple[str, str | None]] = Counter()
    first: dict[tuple[str, str | None], str] = {}
    for item, result in zip(inputs, results, strict=True):
        if result.file is not None and result.file.error is None:
            source = _source(item, options)
            named.update((source, name) for name in profiles_for(config_path(item), options))
            found = [*result.file.findings, *result.file.suppressed]
            for finding in found:
                if finding.rule == _NOT_FOUND:
                    missing[key := (source, finding.profile)] += 1
                    first.setdefault(key, item.path)
    return [
        Lacking(source, profile or "", lost, named[source, profile], first[source, profile])
        for (source, profile), lost in missing.items()
        if lost < named[source, profile]
    ]


def _source(item: Input, options: LintOptions) -> str:
    """Path of the configuration with the profiles of a page; empty for profiles of the command line."""
    return "" if options.profiles else options.config.nearest(config_path(item)).path or ""
