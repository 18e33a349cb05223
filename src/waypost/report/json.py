"""The report as data, as `schemas/api/report.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from waypost.report import View
from waypost.shapes.finding import FileReport, Finding, ItemReport, Report, Summary

_SOMETIMES = frozenset({"suppressed", "baselined", "fetches"})


def pieces(report: Report, view: View) -> Iterator[str]:
    yield msgspec.json.format(encoded(as_data(report, view.suppressed)), indent=2).decode()
    yield "\n"


def as_data(report: Report, suppressed: bool = False) -> dict[str, Any]:
    """The report as dictionaries and lists, members in the order of the schema; what is absent is left out.

    Findings that do not count are told only where `suppressed` asks for them.
    """
    return {
        "version": report.version,
        "registry_version": report.registry_version,
        "files": [file_data(file, suppressed) for file in report.files],
        "summary": summary_data(report.summary),
        "tool": report.tool,
    }


def summary_data(summary: Summary) -> dict[str, Any]:
    """The counts; those of what does not count, or is not from the web, only where there is something."""
    data: dict[str, Any] = msgspec.to_builtins(summary)
    return {name: number for name, number in data.items() if number or name not in _SOMETIMES}


def file_data(file: FileReport, suppressed: bool = False) -> dict[str, Any]:
    """One file of the report."""
    data: dict[str, Any] = {
        "path": file.path,
        "items": [item_data(item) for item in file.items],
        "findings": [finding_data(finding) for finding in file.findings],
    }
    if suppressed and file.suppressed:
        data["suppressed"] = [finding_data(finding) for finding in file.suppressed]
    if file.secondary is not None:
        data["secondary"] = file.secondary
    if file.error is not None:
        data["error"] = file.error
    if file.truncated:
        data["truncated"] = True
    if file.fetch is not None:
        data["fetch"] = msgspec.to_builtins(file.fetch)
    return data


def item_data(item: ItemReport) -> dict[str, Any]:
    """One root item; the two lists of profiles are always there."""
    data: dict[str, Any] = msgspec.to_builtins(item)
    for always in ("eligible", "retired"):
        data.pop(always, None)
        data[always] = list(getattr(item, always))
    return data


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding; UTF-16 columns are for the formats that count so and stay out."""
    data: dict[str, Any] = msgspec.to_builtins(finding)
    data.pop("utf16_column", None)
    data.pop("utf16_end_column", None)
    data.setdefault("fingerprint", "")
    return data


def encoded(data: Any) -> bytes:
    """Compact JSON. A page can hold half a surrogate pair, which UTF-8 cannot: U+FFFD stands for it."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(data))


def _mended(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, dict):
        return {_mended(key): _mended(value) for key, value in data.items()}
    return [_mended(value) for value in data] if isinstance(data, list | tuple) else data
