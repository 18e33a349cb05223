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
    head = " and ".join(found) if found else "nothing new" if summary.baselined else "nothing wrong"
    if found:
        head += f" in {_of(report)}"
    elif summary.files > unread:
        head += f" in {count(summary.files - unread, 'file')}"
    else:
        head = "nothing was checked"
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
    if summary.files > unread:
        parts.append(count(summary.items, "item") if summary.items else "no structured data was found")
    if unread:
        parts.append(f"{count(unread, 'file')} could not be read")
    if summary.baselined:
        parts.append(f"{summary.baselined:,} in the baseline")
    if summary.suppressed:
        parts.append(f"{summary.suppressed:,} suppressed")
    if summary.skipped:
        parts.append(f"{count(summary.skipped, 'file')} skipped as no page")
    return parts
