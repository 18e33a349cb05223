"""Baselines: files of known findings, so that only new findings count.

People review a baseline and store the file with the pages (`schemas/api/baseline.schema.json`). There are two kinds:

causes  known causes with the number of places, for a site: further values and pages of a template are known too
values  known findings page by page, by value
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from waypost.baseline import causes, values
from waypost.baseline.causes import CauseBaseline, KnownCause
from waypost.baseline.values import Baseline, BaselineEntry
from waypost.errors import WaypostError
from waypost.models.finding import FileReport

__all__ = [
    "Baseline", "BaselineEntry", "BaselineError", "CauseBaseline", "Gone", "Known", "KnownCause", "encode", "mark",
    "read",
]  # fmt: skip

Known = Baseline | CauseBaseline
_BY_VERSION: dict[int, type[Known]] = {values.VERSION: Baseline, causes.VERSION: CauseBaseline}


class BaselineError(WaypostError):
    """File without a valid baseline."""

    code, status = "baseline_fault", 422


class Gone(NamedTuple):
    """Known findings that a run did not meet: page (empty for a site), text, number of places."""

    path: str
    text: str
    places: int


class _Version(msgspec.Struct):
    version: int


def read(data: bytes) -> Known:
    """Baseline from the bytes of a file. Raises BaselineError."""
    try:
        version = msgspec.json.decode(data, type=_Version).version
        if version not in _BY_VERSION:
            known = " and ".join(map(str, _BY_VERSION))
            raise BaselineError(f"this is a baseline of version {version}; this waypost knows the versions {known}")
        return msgspec.json.decode(data, type=_BY_VERSION[version])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BaselineError(f"this is not a baseline ({error})") from None


def encode(known: Known) -> bytes:
    """Bytes of the file: sorted, one entry a line, for readable diffs."""
    return causes.encode(known) if isinstance(known, CauseBaseline) else values.encode(known)


def mark(files: Sequence[FileReport], known: Known, name: Callable[[str], str]) -> list[Gone]:
    """Move known findings to `suppressed`. Returns the known findings without a match.

    name  path in the report -> key in a baseline by value.
    """
    if isinstance(known, CauseBaseline):
        return [Gone("", entry.text, entry.count) for entry in causes.mark(files, known)]
    return [
        Gone(path, f"{entry.rule} ({entry.message})", entry.count)
        for path, entries in values.mark(files, known, name).items()
        for entry in entries
    ]
