"""What is known and put up with: findings written down once, so that only new ones count.

A baseline is a file for people to review and to keep with the pages (`schemas/api/baseline.schema.json`).
Its entries are recognised by fingerprint, wherever on their page they have moved to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from waypost.errors import WaypostError
from waypost.models.finding import FileReport, Finding, Suppression

__all__ = ["Baseline", "BaselineError", "Known", "encoded", "made", "mark", "read"]

VERSION = 1
SITE = "."
"""Under this name stands what is told of the site as a whole, at whichever page."""


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A finding that is put up with, `count` times on its page. The message is for people alone."""

    rule: str
    fingerprint: str
    message: str
    count: int = 1


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is put up with, by page: a path relative to the baseline's folder, or an address."""

    version: int
    files: dict[str, list[Known]]


class BaselineError(WaypostError):
    """A file that was named as a baseline is none."""

    code, status = "baseline_fault", 422


def read(data: bytes) -> Baseline:
    """A baseline from its file. Raises BaselineError."""
    try:
        found = msgspec.json.decode(data, type=Baseline)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as fault:
        raise BaselineError(f"this is no baseline ({fault})") from None
    if found.version != VERSION:
        raise BaselineError(f"this is a baseline of version {found.version}; this waypost knows version {VERSION}")
    return found


def encoded(baseline: Baseline) -> bytes:
    """The file: sorted, one entry a line, so that a change to it can be reviewed."""
    lines = []
    for path, entries in sorted(baseline.files.items()):
        known = sorted(entries, key=lambda each: (each.rule, each.message, each.fingerprint))
        body = ",\n".join(
            f"      {msgspec.json.format(msgspec.json.encode(each), indent=0).decode()}" for each in known
        )
        lines.append(f"    {msgspec.json.encode(path).decode()}: [\n{body}\n    ]")
    body = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    return f'{{\n  "version": {baseline.version},\n  "files": {body}\n}}\n'.encode()


def _print(finding: Finding) -> str:
    """The fingerprint without the number that tells equal ones of a page apart."""
    return finding.fingerprint.partition("-")[0]


def made(files: Iterable[FileReport], name: Callable[[str], str], before: Baseline | None = None) -> Baseline:
    """Everything that was found, as a baseline; of pages that were not looked at, what `before` says of them.

    name  path in the report -> how the baseline calls the page. Pages that could not be read count as not looked at.
    """
    told = {path: list(entries) for path, entries in before.files.items()} if before else {}
    found: dict[str, list[Finding]] = {}
    for file in files:
        if file.error is not None:
            continue
        found.setdefault(name(file.path), [])
        for each in file.findings:
            found.setdefault(SITE if each.scope == "site" else name(file.path), []).append(each)
    told |= {path: _entries(findings) for path, findings in found.items()}
    return Baseline(VERSION, {path: entries for path, entries in told.items() if entries})


def _entries(findings: Sequence[Finding]) -> list[Known]:
    counts = Counter((each.rule, _print(each)) for each in findings)
    messages = {(each.rule, _print(each)): each.message for each in reversed(findings)}
    return [Known(rule, print_, _readable(messages[rule, print_]), number) for (rule, print_), number in counts.items()]


def _readable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mark(
    files: Iterable[FileReport], baseline: Baseline, name: Callable[[str], str], reason: str | None = None
) -> dict[str, list[Known]]:
    """Move what is known from `findings` to `suppressed`; (page, entries that nothing fits any more) of these files."""
    stale: dict[str, list[Known]] = {}
    of_site = Counter({(each.rule, each.fingerprint): each.count for each in baseline.files.get(SITE, [])})
    for file in files:
        if file.error is not None:
            continue
        known = baseline.files.get(name(file.path), [])
        left = Counter({(each.rule, each.fingerprint): each.count for each in known})
        file.findings[:] = list(_unknown(file, left, of_site, reason))
        if gone := [_less(each, left) for each in known if left[each.rule, each.fingerprint] > 0]:
            stale[file.path] = gone
    return stale


def _unknown(
    file: FileReport, of_page: Counter[tuple[str, str]], of_site: Counter[tuple[str, str]], reason: str | None
) -> Iterable[Finding]:
    """The findings that are not in the baseline; the others go to `suppressed`, and what is left counts down."""
    for finding in file.findings:
        key = finding.rule, _print(finding)
        left = of_site if finding.scope == "site" else of_page
        if left[key] > 0:
            left[key] -= 1
            finding.suppression = Suppression("baseline", reason)
            file.suppressed.append(finding)
        else:
            yield finding


def _less(known: Known, left: Mapping[tuple[str, str], int]) -> Known:
    return msgspec.structs.replace(known, count=left[known.rule, known.fingerprint])
