"""Sentences of several formats."""

from __future__ import annotations

from waypost.models.finding import Report, Summary


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`, `1,200 files`"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def verdict(report: Report) -> str:
    """Result of a run in a line: numbers of causes with their places, then of files."""
    summary = report.summary
    unread = sum(file.error is not None for file in report.files)
    found = [
        _places(summary.causes.get(f"{noun}s", number), number, noun)
        for number, noun in ((summary.errors, "error"), (summary.warnings, "warning"))
        if number
    ]
    checked = summary.files - unread
    with_data = checked - summary.without_data
    if found:
        head = f"{' and '.join(found)} in {_of(report)}"
    elif not checked:
        head = "nothing was checked"
    elif not with_data:
        head = f"no structured data in {count(checked, 'file')}"
    else:
        read = "what was read of " if summary.unread else ""
        head = f"{'nothing new' if summary.baselined else 'nothing wrong'} in {read}{count(with_data, 'file')}"
    return "; ".join([head, *_besides(summary, unread)])


def _places(causes: int, places: int, noun: str) -> str:
    """`3 errors`, and `3 errors (188 places)` where alike findings are one error."""
    return count(causes, noun) + (f" ({places:,} places)" if places > causes else "")


def _of(report: Report) -> str:
    faulty = sum(any(f.severity != "info" for f in file.findings) for file in report.files)
    total = report.summary.files
    return count(total, "file") if faulty == total else f"{faulty:,} of {count(total, 'file')}"


def _besides(summary: Summary, unread: int) -> list[str]:
    parts = []
    checked = summary.files - unread
    if summary.items:
        parts.append(count(summary.items, "item"))
    if summary.without_data and (summary.without_data < checked or summary.errors or summary.warnings):
        parts.append(f"{count(summary.without_data, 'page')} without structured data")
    elif checked and not (summary.items or summary.without_data):
        parts.append("no structured data was found")
    if unread:
        parts.append(f"{count(unread, 'file')} could not be read")
    if summary.baselined:
        parts.append(f"{summary.baselined:,} in the baseline")
    if summary.suppressed:
        parts.append(f"{summary.suppressed:,} suppressed")
    if summary.skipped:
        parts.append(f"{count(summary.skipped, 'file')} skipped as no page")
    return parts
