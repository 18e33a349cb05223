"""Expectations of a configuration: types and rich results of the pages of a site, or of a share of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from waypost.config import Config
from waypost.config_tables import Expect
from waypost.formats.globs import matches
from waypost.formats.text import join_words
from waypost.lint.config_findings import finding_at, is_search, name_of
from waypost.lint.inputs import Input, by_path
from waypost.models.finding import FileReport, Finding, Related, result_name
from waypost.registry import shared_registry

_RULE = "profile-not-found"
_NAMED = 3
"""Number of pages without the markup named by a finding."""
_FEW = 3
"""Smallest number of pages of a folder with a template."""


class Standing(NamedTuple):
    """Pages of an expectation for one type or profile.

    name     type or profile; empty for any structured data.
    pages    number of pages that the expectation is about.
    having   number of those with the markup.
    needed   number that must have the markup.
    lacking  first pages without the markup.
    """

    source: str
    number: int
    expect: Expect
    name: str
    pages: int
    having: int
    needed: int
    lacking: tuple[str, ...]

    @property
    def is_met(self) -> bool:
        return self.having >= self.needed

    @property
    def what(self) -> str:
        """Expected markup in words, for several pages."""
        if not self.name:
            return "have structured data"
        if "/" in self.name:
            return f"are eligible for {result_name(self.name)}"
        return f"have an item of type {self.name}"


def standings(
    config: Config, names: Sequence[str] | None, inputs: Sequence[Input], files: Iterable[FileReport]
) -> list[Standing]:
    """Standing of each expected type and profile, by the nearest configuration of each page.

    names  inputs as named. In a run over a part of a configured folder, only expectations of every page count. None:
           a run over all pages.
    """
    expected = [
        (own, source, number, each, is_whole)
        for own in config.each()
        for is_whole in [names is None or is_search(own, names)]
        for part, source in own.parts
        for number, each in enumerate(part.expect)
        if is_whole or (each.at_least is None and each.share in (None, 1))
    ]
    if not expected:
        return []
    find = by_path(inputs)
    pages: Counter[int] = Counter()
    having: Counter[tuple[int, str]] = Counter()
    lacking: dict[tuple[int, str], list[str]] = {}
    for file in files:
        if file.error is not None:
            continue
        item = find(file.path)
        where = item.where if item else file.path
        nearest = config.nearest(where)
        path = nearest.relative(where)
        has = _test(file)
        for place, (own, _, _, each, _) in enumerate(expected):
            if own is not nearest or not any(matches(path, glob) for glob in each.files):
                continue
            pages[place] += 1
            for name in _names(each):
                if has(name):
                    having[place, name] += 1
                elif len(named := lacking.setdefault((place, name), [])) < _NAMED:
                    named.append(file.path)
    return [
        Standing(source, number, each, name, pages[place], having[place, name], _needed(each, pages[place]),
                 tuple(lacking.get((place, name), ())))
        for place, (_, source, number, each, is_whole) in enumerate(expected)
        for name in _names(each)
        if pages[place] or is_whole
    ]  # fmt: skip


def unmet_expectations(
    config: Config, names: Sequence[str], inputs: Sequence[Input], files: Iterable[FileReport], site: str
) -> list[FileReport]:
    """Reports about configuration files with unmet expectations. `names`: inputs as named."""
    reports: dict[str, FileReport] = {}
    for standing in standings(config, names, inputs, files):
        level = config.for_page(standing.source).rules.get(_RULE)
        severity = level.value if level else "error"
        if severity != "off" and not standing.is_met:
            report = reports.setdefault(standing.source, FileReport(path=name_of(standing.source)))
            report.findings.append(_finding(standing, severity, site))
    return list(reports.values())


def in_words(standing: Standing) -> str:
    """Standing as a sentence: "1 of 300 pages in recipes/** are eligible for recipe results, 285 are expected"."""
    where = join_words(standing.expect.files)
    if not standing.pages:
        return f"there is no page in {where}; {standing.needed:,} are expected"
    pages = f"{standing.having:,} of {standing.pages:,} pages in {where} {standing.what}"
    return f"{pages}, {standing.needed:,} are expected"


def learn(config: Config, inputs: Sequence[Input], files: Iterable[FileReport]) -> list[Expect]:
    """Expectations that a site meets today, by folder; for rare rich results, a number of pages.

    A share is rounded down to per cent. A number is nine tenths of today's number.
    """
    find = by_path(inputs)
    pages: Counter[str] = Counter()
    having: Counter[tuple[str, str]] = Counter()
    for file in files:
        if file.error is not None:
            continue
        item = find(file.path)
        folder, slash, _ = config.relative(item.where if item else file.path).rpartition("/")
        pages[group := f"{folder}/**" if slash else "*"] += 1
        having.update((group, name) for name in {*_eligible(file), *_types(file)})
    learned = [each for group in sorted(pages) if (each := _learned(group, pages[group], having))]
    covered = {name for each in learned for name in each.profiles}
    totals: Counter[str] = Counter()
    for (_, name), number in having.items():
        if "/" in name and name not in covered:
            totals[name] += number
    few = (Expect(profiles=(name,), at_least=max(1, number * 9 // 10)) for name, number in sorted(totals.items()))
    return [*learned, *few]


def as_toml(expected: Iterable[Expect], table: str = "expect") -> Iterator[str]:
    """Expectations as tables of a configuration."""
    for each in expected:
        yield f"[[{table}]]\n"
        for key in ("files", "types", "profiles"):
            if values := getattr(each, key):
                yield f"{key} = [{', '.join(map(_quoted, values))}]\n"
        if each.at_least is not None:
            yield f"at-least = {each.at_least}\n"
        if each.share is not None:
            yield f"share = {each.share:g}\n"
        yield "\n"


def _quoted(text: str) -> str:
    import json

    # A basic string of TOML takes the escapes of JSON, and no bare DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _learned(group: str, number: int, having: Counter[tuple[str, str]]) -> Expect | None:
    from fractions import Fraction

    shares = {
        name: Fraction(count, number)
        for (folder, name), count in sorted(having.items())
        if folder == group and 2 * count >= number >= _FEW
    }
    # A result says more than the types that it needs.
    names = [name for name in shares if "/" in name] or list(shares)
    if not names:
        return None
    share = math.floor(min(shares[name] for name in names) * 100) / 100
    types, profiles = ([name for name in names if ("/" in name) is is_profile] for is_profile in (False, True))
    return Expect((group,), tuple(types), tuple(profiles), share=share)


def _names(expect: Expect) -> tuple[str, ...]:
    return (*expect.types, *expect.profiles) or ("",)


def _needed(expect: Expect, pages: int) -> int:
    if expect.at_least is None and expect.share is None:
        return max(pages, 1)
    from fractions import Fraction

    # By fractions: 0.07 of 100 pages are 7, not 8.
    share = math.ceil(Fraction(str(expect.share)) * pages) if expect.share is not None else 0
    return max(expect.at_least or 0, share, 1)


def _test(file: FileReport) -> Callable[[str], bool]:
    """Test whether a page has a type, or is eligible for a profile; the name is empty for any structured data."""
    eligible, types = _eligible(file), _types(file)
    vocabulary = shared_registry().vocabulary

    def has(name: str) -> bool:
        if not name:
            return bool(file.items)
        return name in eligible if "/" in name else any(vocabulary.is_a(each, name) for each in types)

    return has


def _eligible(file: FileReport) -> set[str]:
    return {profile for nodes in (file.items, file.verdicts) for node in nodes for profile in node.eligible}


def _types(file: FileReport) -> set[str]:
    return {name for nodes in (file.items, file.verdicts) for node in nodes for name in node.types}


def _finding(standing: Standing, severity: str, site: str) -> Finding:
    name = standing.name
    related = tuple(Related("this page lacks it", 1, 1, path) for path in standing.lacking)
    return finding_at(
        standing.source,
        ("expect", standing.number),
        rule=_RULE,
        severity=severity,
        profile=name if "/" in name else None,
        message=in_words(standing),
        hint=(
            "bring the markup back, or lower the expectation"
            if standing.pages
            else "correct the files, or remove the expectation"
        ),
        identity=(standing.expect.files, name),
        site=site,
        related=related,
    )
