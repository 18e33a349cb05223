"""Entries of a configuration's `ignore` that ignore nothing, as findings about the configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from waypost.config import Config, ignore_entry
from waypost.config_tables import Ignore
from waypost.lint.config_findings import finding_at, is_search, name_of
from waypost.lint.inputs import Input, by_path
from waypost.models.finding import FileReport, Finding

_RULE = "suppression-unused"


def unused_ignores(
    config: Config, names: Sequence[str], inputs: Sequence[Input], files: Iterable[FileReport], site: str
) -> list[FileReport]:
    """Reports about the configuration files with an entry that ignores nothing in any page it is about.

    names  inputs as named. Only a search of the configuration's folder, or of a folder in it, says anything: a single
           page need not have what another has.
    """
    configs = [each for each in config.each() if any(part.ignore for part, _ in each.parts)]
    if not configs:
        return []
    unused = _unused(config, inputs, files)
    reports: dict[str, FileReport] = {}
    for each in configs:
        for part, source in each.parts if is_search(each, names) else ():
            if source not in reports and (report := _report(each, source, part.ignore, unused, site)):
                reports[source] = report
    return [*reports.values()]


_Entry: TypeAlias = tuple[str, int]
"""File of a configuration, and position among its entries: several configurations may extend one file."""


def _unused(config: Config, inputs: Sequence[Input], files: Iterable[FileReport]) -> dict[_Entry, int]:
    """Entry without effect -> number of the pages that the entry is about."""
    from waypost.validate.rulebook import former_names

    aliases = former_names()
    find = by_path(inputs)
    entries = {
        id(entry): (source, number)
        for each in config.each() for part, source in each.parts for number, entry in enumerate(part.ignore)
    }  # fmt: skip
    pages: Counter[_Entry] = Counter()
    used: set[_Entry] = set()
    for file in files:
        if file.error is not None:
            continue
        item = find(file.path)
        settings = config.for_page(item.where if item else file.path)
        pages.update(entries[id(entry)] for entry, _ in settings.ignore)
        for finding in file.suppressed:
            if finding.suppression and finding.suppression.kind == "config":
                used.add(entries[id(ignore_entry(finding, settings, aliases))])
    return {entry: number for entry, number in pages.items() if entry not in used}


def _report(
    config: Config, source: str, entries: Sequence[Ignore], unused: dict[_Entry, int], site: str
) -> FileReport | None:
    level = config.for_page(source).rules.get(_RULE)
    severity = level.value if level else "warning"
    if severity == "off" or not any((source, number) in unused for number in range(len(entries))):
        return None
    report = FileReport(path=name_of(source))
    for number, entry in enumerate(entries):
        if pages := unused.get((source, number)):
            report.findings.append(_finding(source, number, entry, pages, severity, site))
    return report


def _finding(source: str, number: int, entry: Ignore, pages: int, severity: str, site: str) -> Finding:
    from waypost.report._words import count

    rules = ", ".join(entry.rules) or "every rule"
    return finding_at(
        source,
        ("ignore", number),
        rule=_RULE,
        severity=severity,
        message=f"ignore[{number}] ({rules}) ignores nothing in the {count(pages, 'page')} that it is about",
        hint="remove it, or correct its rules or files",
        identity=(entry.files, entry.rules, entry.reason),
        site=site,
    )
