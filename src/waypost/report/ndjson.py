"""Report as one JSON object a line, as they come: `kind` is file, finding or, at the end, summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from waypost.models.finding import Report
from waypost.report import View
from waypost.report.json import encode_json, file_data, summary_data


def pieces(report: Report, view: View) -> Iterator[str]:
    for file in report.files:
        data = file_data(file, view.suppressed)
        findings = data.pop("findings") + data.pop("suppressed", [])
        yield _line({"kind": "file"} | data)
        for finding in findings:
            yield _line({"kind": "finding", "path": file.path} | finding)
    yield _line(
        {
            "kind": "summary",
            "version": report.version,
            "registry_version": report.registry_version,
            "summary": summary_data(report.summary),
            "tool": report.tool,
        }
    )


def _line(data: dict[str, Any]) -> str:
    return encode_json(data).decode() + "\n"
