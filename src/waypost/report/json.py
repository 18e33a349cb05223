"""The report as data, as `schemas/api/report.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from waypost.models.finding import FileReport, Finding, Report, Summary
from waypost.report import View

_SOMETIMES = frozenset({"suppressed", "baselined", "fetches"})


def pieces(report: Report, view: View) -> Iterator[str]:
    files = [file if _is_plain(file) else file_data(file, view.suppressed) for file in report.files]
    yield msgspec.json.format(encode_json(_around(report, files)), indent=2).decode()
    yield "\n"


def as_data(report: Report, suppressed: bool = False) -> dict[str, Any]:
    """The report as dictionaries and lists, members in the order of the schema; what is absent is left out.

    Findings that do not count are told only where `suppressed` asks for them.
    """
    return _around(report, [file_data(file, suppressed) for file in report.files])


def _around(report: Report, files: list[Any]) -> dict[str, Any]:
    return {
        "version": report.version,
        "registry_version": report.registry_version,
        "files": files,
        "summary": summary_data(report.summary),
        "tool": report.tool,
    }


def _is_plain(file: FileReport) -> bool:
    """Is all of it told as it is? Most files of most runs are."""
    return not (file.findings or file.suppressed)


def summary_data(summary: Summary) -> dict[str, Any]:
    """The counts; those of what does not count, or is not from the web, only where there is something."""
    data: dict[str, Any] = msgspec.to_builtins(summary)
    return {name: number for name, number in data.items() if number or name not in _SOMETIMES}


def file_data(file: FileReport, suppressed: bool = False) -> dict[str, Any]:
    """One file of the report."""
    data: dict[str, Any] = msgspec.to_builtins(file)
    if not suppressed:
        data.pop("suppressed", None)
    for finding in (*data["findings"], *data.get("suppressed", ())):
        _shorten(finding)
    return data


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding; UTF-16 columns are for the formats that count so and stay out."""
    data: dict[str, Any] = msgspec.to_builtins(finding)
    _shorten(data)
    return data


def _shorten(finding: dict[str, Any]) -> None:
    finding.pop("utf16_column", None)
    finding.pop("utf16_end_column", None)
    finding.setdefault("fingerprint", "")


def encode_json(data: Any) -> bytes:
    """Compact JSON. A page can hold half a surrogate pair, which UTF-8 cannot: U+FFFD stands for it."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(data)))


def _without_surrogates(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, dict):
        return {_without_surrogates(key): _without_surrogates(value) for key, value in data.items()}
    return [_without_surrogates(value) for value in data] if isinstance(data, list | tuple) else data
