"""Rows of a checked page for the tables of a crawl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from waypost.crawl.model import CheckedRows
from waypost.crawl.shapes import digest, digest_of
from waypost.models.finding import FileReport, Finding, ItemReport, Rendering, cause_of
from waypost.report._causes import _is_unread as is_unread

_MISSED = "feature-not-eligible"


def rows_of(file: FileReport, url: str | None, paths: list[str], facts: bytes) -> CheckedRows:
    """Rows of a page from its report. `url`: the page's own address; `paths`: of its shape."""
    missed = missed_by_item(file)
    items = [item_row(number, item, missed[number]) for number, item in enumerate(file.items)]
    findings = [finding_row(each, file) for each in (*file.findings, *file.suppressed)]
    rendering = rendering_row(file.rendering) if file.rendering is not None else None
    return CheckedRows(url, page_row(file, digest_of(paths), missed), items, findings, paths, facts, rendering)


def rendering_row(made: Rendering) -> list[Any]:
    """Columns of the table of renderings, in order, without `page`."""
    kinds = [change.kind for change in made.changes]
    return [
        made.outcome,
        made.why,
        made.url,
        len(made.items),
        sorted({name for item in made.items for name in item.eligible}),
        kinds.count("added"),
        kinds.count("removed"),
        kinds.count("changed"),
        made.requests,
        sum(each.count for each in made.denied),
        len(made.errors),
    ]


def page_row(file: FileReport, shape: str | None, missed: list[list[str]]) -> list[Any]:
    """Columns of a page from the check, in the order of the table: from `shape` on."""
    eligible = {name for item in file.items for name in item.eligible}
    severities = [finding.severity for finding in file.findings]
    return [
        shape,
        sorted({item.syntax for item in file.items}),
        len(file.items),
        severities.count("error"),
        severities.count("warning"),
        severities.count("info"),
        sorted(eligible),
        # Another item of the page may have what this one misses.
        sorted({name for names in missed for name in names} - eligible),
        file.truncated,
    ]


def missed_by_item(file: FileReport) -> list[list[str]]:
    """Missed rich results of the items, sorted."""
    missed: list[set[str]] = [set() for _ in file.items]
    for number, finding in _blocking(file):
        if finding.profile and finding.profile not in file.items[number].eligible:
            missed[number].add(finding.profile)
    return [sorted(names) for names in missed]


def _blocking(file: FileReport) -> Iterator[tuple[int, Finding]]:
    for finding in file.findings:
        if finding.item is None or finding.item >= len(file.items):
            continue
        if finding.severity == "error" or finding.rule == _MISSED:
            yield finding.item, finding


def item_row(number: int, item: ItemReport, missed: list[str]) -> list[Any]:
    """Columns of an item, in the order of the table, without `page`."""
    return [
        number,
        list(item.types),
        item.name,
        item.id,
        item.syntax,
        item.line,
        item.column,
        item.service_type,
        list(item.eligible),
        missed,
        list(item.retired),
    ]


def finding_row(finding: Finding, file: FileReport) -> list[Any]:
    """Columns of a finding, in the order of the table, without `page`."""
    return [
        finding.item,
        finding.rule,
        finding.severity,
        finding.authority,
        finding.profile,
        finding.property,
        finding.pointer,
        finding.message,
        finding.hint,
        finding.syntax,
        finding.line,
        finding.column,
        finding.start,
        finding.end,
        finding.fingerprint,
        cause_digest(finding),
        None if finding.fix is None else "safe" if finding.fix.safe else "unsafe",
        finding.suppression is None and _blocks(finding, file),
        finding.suppression.kind if finding.suppression else None,
        finding.scope,
    ]


def _blocks(finding: Finding, file: FileReport) -> bool:
    """Whether a finding keeps its item from a rich result, or consumers from reading the item."""
    if is_unread(finding):
        return True
    if finding.item is None or finding.item >= len(file.items) or not finding.profile:
        return False
    if finding.severity != "error" and finding.rule != _MISSED:
        return False
    return finding.profile not in file.items[finding.item].eligible


_CAUSES: dict[tuple[str | None, ...], str] = {}
_MOST_CAUSES = 4096


def cause_digest(finding: Finding) -> str:
    """Digest of the cause that alike findings share, see `cause_of`."""
    # Most pages of a template have the same findings, whose cause takes longer than the rest of a row.
    key = (finding.severity, finding.rule, finding.profile, finding.pointer, finding.property,
           finding.hint or finding.message)  # fmt: skip
    found = _CAUSES.get(key)
    if found is None:
        if len(_CAUSES) >= _MOST_CAUSES:
            _CAUSES.clear()
        found = _CAUSES[key] = digest("\0".join(part or "" for part in cause_of(finding)))
    return found
