"""The report as data, as `schemas/api/report.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from waypost.models.finding import FileReport, Finding, Report, Summary
from waypost.report import View

_SOMETIMES = frozenset({"without_data", "unread", "suppressed", "baselined", "causes", "fetches"})


def pieces(report: Report, view: View) -> Iterator[str]:
    data = _around(report, [])
    files = (file if _is_plain(file) else file_data(file, view.suppressed) for file in report.files)
    yield from around_lists(data, ("files", files, 0))


def around_lists(data: dict[str, Any], *lists: tuple[str, Iterable[Any], int]) -> Iterator[str]:
    """Indented JSON of an object with lists, empty in `data`, that get their members one by one.

    Equal to the JSON of the whole, which need not be in memory. `lists`: (name, members, levels between the object and
    the list), in the order of the document.
    """
    after = indented(data)
    for name, members, depth in lists:
        before, empty, after = after.partition(f'"{name}": []')
        assert empty, f"the list {name} must be empty"
        yield f'{before}"{name}": ['
        inset = "\n" + "  " * (2 + depth)
        first = True
        for member in members:
            # Each line break is layout: in a JSON string it is escaped (RFC 8259, section 7).
            yield f"{'' if first else ','}{inset}{indented(member).replace(chr(10), inset)}"
            first = False
        yield f"{'' if first else inset[:-2]}]"
    yield f"{after}\n"


def indented(data: Any) -> str:
    return msgspec.json.format(encode_json(data), indent=2).decode()


def as_data(report: Report) -> dict[str, Any]:
    """Report as dictionaries and lists, members in the order of the schema, absent members left out."""
    return _around(report, [file_data(file) for file in report.files])


def _around(report: Report, files: list[Any]) -> dict[str, Any]:
    return {
        "version": report.version,
        "registry_version": report.registry_version,
        "files": files,
        "summary": summary_data(report.summary),
        "tool": report.tool,
    }


def _is_plain(file: FileReport) -> bool:
    """Whether a file needs no conversion: most files of most runs have no findings."""
    return not (file.findings or file.suppressed)


def summary_data(summary: Summary) -> dict[str, Any]:
    """Counts as a dictionary; counts of suppressed, baselined and fetched only when not zero."""
    data: dict[str, Any] = msgspec.to_builtins(summary)
    return {name: number for name, number in data.items() if number or name not in _SOMETIMES}


def file_data(file: FileReport, suppressed: bool = False) -> dict[str, Any]:
    """File of the report as a dictionary."""
    data: dict[str, Any] = msgspec.to_builtins(file)
    if not suppressed:
        data.pop("suppressed", None)
    for finding in (*data["findings"], *data.get("suppressed", ())):
        _shorten(finding)
    return data


def finding_data(finding: Finding) -> dict[str, Any]:
    """Finding as a dictionary, without the UTF-16 columns."""
    data: dict[str, Any] = msgspec.to_builtins(finding)
    _shorten(data)
    return data


def _shorten(finding: dict[str, Any]) -> None:
    # SARIF and editors count in UTF-16; they read the finding, not this report.
    finding.pop("utf16_column", None)
    finding.pop("utf16_end_column", None)
    finding.setdefault("fingerprint", "")


def encode_json(data: Any) -> bytes:
    """Compact JSON in UTF-8, lone surrogates replaced by U+FFFD."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(data)))


def _without_surrogates(data: Any) -> Any:
    if isinstance(data, str):
        # Through UTF-16, where two halves that meet are the character again and only a lone one is replaced.
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, dict):
        return {_without_surrogates(key): _without_surrogates(value) for key, value in data.items()}
    return [_without_surrogates(value) for value in data] if isinstance(data, list | tuple) else data
