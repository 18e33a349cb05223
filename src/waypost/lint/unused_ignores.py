"""Entries of a configuration's `ignore` that ignore nothing, as findings about the configuration."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from waypost.config import Config, Ignore, ignore_entry
from waypost.formats.patterns import pattern
from waypost.lint.inputs import Input, by_path, is_folder
from waypost.models.finding import FileReport, Finding
from waypost.reader.sources import display_path

_RULE = "suppression-unused"
_TABLE = pattern(r"^[ \t]*(?:\[\[\s*(?:tool\.waypost\.)?ignore\s*\]\]|ignore\s*=)", re.MULTILINE)


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
    """Each entry that ignored nothing -> number of the pages that it is about."""
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


def is_search(config: Config, names: Sequence[str]) -> bool:
    """Whether a run searches the configured folder, one in it, or one above it."""
    home = config.folder.resolve()
    folders = [Path(name).resolve() for name in names if name != "-" and is_folder(name)]
    return any(home.is_relative_to(folder) or folder.parent == home for folder in folders)


def _report(
    config: Config, source: str, entries: Sequence[Ignore], unused: dict[_Entry, int], site: str
) -> FileReport | None:
    level = config.for_page(source).rules.get(_RULE)
    severity = level.value if level else "warning"
    if severity == "off" or not any((source, number) in unused for number in range(len(entries))):
        return None
    is_below = Path(source).absolute().is_relative_to(Path.cwd())
    report = FileReport(path=display_path(os.path.relpath(source) if is_below else source))
    for number, entry in enumerate(entries):
        if pages := unused.get((source, number)):
            report.findings.append(_finding(source, number, entry, pages, severity, site))
    return report


def _finding(source: str, number: int, entry: Ignore, pages: int, severity: str, site: str) -> Finding:
    from waypost.report._words import count

    text = Path(source).read_bytes().decode("utf-8", "replace")
    places = [*_TABLE.finditer(text)]
    place = places[min(number, len(places) - 1)] if places else None
    start, end = place.span() if place else (0, 0)
    line = text.count("\n", 0, end) + 1
    rules = ", ".join(entry.rules) or "every rule"
    identity = repr((_RULE, entry.files, entry.rules, entry.reason)).encode("utf-8", "replace")
    return Finding(
        rule=_RULE,
        severity=severity,  # type: ignore[arg-type]
        authority="waypost",
        message=f"ignore[{number}] ({rules}) ignores nothing in the {count(pages, 'page')} that it is about",
        hint="remove it, or correct its rules or files",
        syntax="html",
        pointer="",
        start=len(text[:start].encode()),
        end=len(text[:end].encode()),
        line=line,
        column=1,
        end_line=line,
        end_column=1 + end - max(text.rfind("\n", 0, end) + 1, start),
        doc_url=f"{site.rstrip('/')}/rules/{_RULE}/",
        fingerprint=sha256(identity).hexdigest()[:16],
    )
