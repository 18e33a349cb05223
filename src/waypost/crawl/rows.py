"""Rows of a checked page for the tables of a crawl."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from waypost.crawl.model import CheckedRows
from waypost.crawl.shapes import digest_of
from waypost.models.finding import FileReport, Finding, ItemReport, cause_of
from waypost.report._causes import _is_unread as is_unread

_MISSED = "feature-not-eligible"


def rows_of(file: FileReport, url: str | None, paths: list[str], facts: bytes) -> CheckedRows:
    """Rows of a page from its report. `url`: the page's own address; `paths`: of its shape."""
    missed = missed_by_item(file)
    items = [[*item_row(number, item, missed[number]).values()] for number, item in enumerate(file.items)]
    findings = [[*finding_row(each, file).values()] for each in (*file.findings, *file.suppressed)]
    page = page_row(file, digest_of(paths), missed)
    return CheckedRows(url, [*page.values()], items, findings, paths, facts)


def page_row(file: FileReport, shape: str | None, missed: list[list[str]]) -> dict[str, Any]:
    """Columns of a page from the check, in the order of the table."""
    eligible = {name for item in file.items for name in item.eligible}
    severities = [finding.severity for finding in file.findings]
    return {
        "shape": shape,
        "syntaxes": sorted({item.syntax for item in file.items}),
        "items": len(file.items),
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "infos": severities.count("info"),
        "eligible": sorted(eligible),
        "missed": sorted({name for names in missed for name in names} - eligible),
        "truncated": file.truncated,
    }


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


def item_row(number: int, item: ItemReport, missed: list[str]) -> dict[str, Any]:
    """Columns of an item, in the order of the table, without `page`."""
    return {
        "item": number,
        "types": list(item.types),
        "name": item.name,
        "id": item.id,
        "syntax": item.syntax,
        "line": item.line,
        "column": item.column,
        "service_type": item.service_type,
        "eligible": list(item.eligible),
        "missed": missed,
        "retired": list(item.retired),
    }


def finding_row(finding: Finding, file: FileReport) -> dict[str, Any]:
    """Columns of a finding, in the order of the table, without `page`."""
    return {
        "item": finding.item,
        "rule": finding.rule,
        "severity": finding.severity,
        "authority": finding.authority,
        "profile": finding.profile,
        "property": finding.property,
        "pointer": finding.pointer,
        "message": finding.message,
        "hint": finding.hint,
        "syntax": finding.syntax,
        "line": finding.line,
        "column": finding.column,
        "start": finding.start,
        "end": finding.end,
        "fingerprint": finding.fingerprint,
        "cause": cause_digest(finding),
        "fix": None if finding.fix is None else "safe" if finding.fix.safe else "unsafe",
        "blocks": finding.suppression is None and _blocks(finding, file),
        "suppressed": finding.suppression.kind if finding.suppression else None,
        "scope": finding.scope,
    }


def _blocks(finding: Finding, file: FileReport) -> bool:
    """Whether a finding keeps its item from a rich result, or consumers from reading the item."""
    if is_unread(finding):
        return True
    if finding.item is None or finding.item >= len(file.items) or not finding.profile:
        return False
    if finding.severity != "error" and finding.rule != _MISSED:
        return False
    return finding.profile not in file.items[finding.item].eligible


def cause_digest(finding: Finding) -> str:
    """Digest of the cause that alike findings share, see `cause_of`."""
    return _digest("\0".join(part or "" for part in cause_of(finding)))


@lru_cache(1024)  # most pages of a template have the same causes
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
