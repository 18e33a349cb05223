"""Entries of a configuration's `ignore` that ignore nothing, as findings about the configuration."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

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
    if not any(part.ignore for part, _ in config.parts) or not _is_search(config, names):
        return []
    unused = _unused(config, inputs, files)
    reports = (_report(config, source, part.ignore, unused, site) for part, source in config.parts)
    return [report for report in reports if report is not None]


def _unused(config: Config, inputs: Sequence[Input], files: Iterable[FileReport]) -> dict[int, int]:
    """Identity of each entry that ignored nothing -> number of the pages that it is about."""
    from waypost.validate.rulebook import former_names

    aliases = former_names()
    find = by_path(inputs)
    pages: Counter[int] = Counter()
    used: set[int] = set()
    for file in files:
        if file.error is not None:
            continue
        item = find(file.path)
        settings = config.for_page(item.where if item else file.path)
        pages.update(id(entry) for entry, _ in settings.ignore)
        for finding in file.suppressed:
            if finding.suppression and finding.suppression.kind == "config":
                used.add(id(ignore_entry(finding, settings, aliases)))
    return {entry: number for entry, number in pages.items() if entry not in used}


def _is_search(config: Config, names: Sequence[str]) -> bool:
    home = config.folder.resolve()
    folders = [Path(name).resolve() for name in names if name != "-" and is_folder(name)]
    return any(folder == home or folder.parent == home for folder in folders)


def _report(
    config: Config, source: str, entries: Sequence[Ignore], unused: dict[int, int], site: str
) -> FileReport | None:
    level = config.for_page(source).rules.get(_RULE)
    severity = level.value if level else "warning"
    if severity == "off" or not any(id(entry) in unused for entry in entries):
        return None
    is_below = Path(source).absolute().is_relative_to(Path.cwd())
    report = FileReport(path=display_path(os.path.relpath(source) if is_below else source))
    for number, entry in enumerate(entries):
        if id(entry) in unused:
            report.findings.append(_finding(source, number, entry, unused[id(entry)], severity, site))
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
