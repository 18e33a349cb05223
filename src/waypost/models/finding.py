"""What waypost says about a page. The shape of the report is `schemas/api/report.schema.json`."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Severity = Literal["error", "warning", "info"]
Authority = Literal["vocabulary", "google", "waypost", "json", "html"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


def _nothing() -> list[Any]:
    """What comes from a factory of our own is written where it is empty too, whatever `omit_defaults` says."""
    return []


def _no_names() -> tuple[str, ...]:
    return ()


class Edit(msgspec.Struct, frozen=True):
    """Replace the bytes `start` to `end` (exclusive) of the file with `text` (UTF-8 unless the page says otherwise)."""

    start: int
    end: int
    text: str


class Fix(msgspec.Struct, frozen=True):
    """A repair. `safe`: it cannot change what the author meant."""

    safe: bool
    edits: tuple[Edit, ...]


class Related(msgspec.Struct, frozen=True, omit_defaults=True):
    """Another place that belongs to a finding; as in `Finding`; `path` is that of the page, if it is another one."""

    message: str
    line: int
    column: int
    path: str | None = None


class Suppression(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a finding does not count: a word in the page, the configuration, or the baseline; `reason` as given."""

    kind: Literal["page", "config", "baseline"]
    reason: str | None = None


class Finding(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One fault, with its place, its authority and what to do.

    `start` and `end` are byte offsets in the file as given, `end` exclusive. Lines and columns are
    1-based, columns in code points (`utf16_*` in UTF-16 units; not part of the JSON report).
    `fingerprint` survives moved lines, other indentation and another order of keys. `scope` "site": it shows only
    where several pages are looked at together, and is told at one of them.
    """

    rule: str
    severity: Severity
    authority: Authority
    profile: str | None = None
    message: str
    hint: str | None = None
    syntax: str
    block: int | None = None
    pointer: str
    property: str | None = None
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    doc_url: str
    fingerprint: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    suppression: Suppression | None = None
    scope: Literal["page", "site"] = "page"
    utf16_column: int = 1
    utf16_end_column: int = 1


class ItemReport(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One root item of a page: what it is and which rich results its markup qualifies for.

    The last two are always there.
    """

    types: tuple[str, ...]
    id: str | None = None
    syntax: str
    line: int
    column: int
    service_type: str | None = None
    eligible: tuple[str, ...] = msgspec.field(default_factory=_no_names)
    retired: tuple[str, ...] = msgspec.field(default_factory=_no_names)


class Fetch(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How a page from the web was had. `status` 0: no answer; `url`: where it ended, where that is not what was asked.

    outcome  fetched, unchanged (the server said that what is remembered holds), disallowed (by robots.txt), refused
             (we do not go there), failed (no answer came about), not_fetched (its turn never came).
    """

    outcome: Literal["fetched", "unchanged", "disallowed", "refused", "failed", "not_fetched"]
    status: int = 0
    url: str | None = None
    attempts: int = 1


class FileReport(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Everything said about one file. `error` instead of findings when it could not be read.

    `items` and `findings` are always there.
    `secondary` holds what the syntaxes that are listed on request, and not judged, say: syntax -> things.
    `suppressed` are findings that do not count, each with its `suppression`.
    `fetch` is there for what came, or should have come, from the web.
    """

    path: str
    items: list[ItemReport] = msgspec.field(default_factory=_nothing)
    findings: list[Finding] = msgspec.field(default_factory=_nothing)
    suppressed: list[Finding] = []
    secondary: dict[str, list[Any]] | None = None
    error: str | None = None
    truncated: bool = False
    fetch: Fetch | None = None


class Summary(msgspec.Struct, omit_defaults=False, kw_only=True):
    """Counts over all files; `skipped` counts files of a folder walk that are no pages.

    Errors, warnings and infos do not count what is `suppressed` (by the page or the configuration) or `baselined`.
    `fetches`: how many addresses there were of each outcome; none where nothing is from the web.
    """

    files: int = 0
    items: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    skipped: int = 0
    suppressed: int = 0
    baselined: int = 0
    fetches: dict[str, int] = {}


class Report(msgspec.Struct, kw_only=True):
    """The result of one run, the same from the command line and the service."""

    version: int = 1
    registry_version: str
    files: list[FileReport]
    summary: Summary
    tool: dict[str, str]
