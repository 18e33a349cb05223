"""Baseline by value: known findings of each page. Entries match by fingerprint, wherever on the page they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from waypost.models.finding import FileReport, Finding, Suppression

VERSION = 1
SITE = "."
"""Key for findings about the whole site, which may be reported at any page."""


class BaselineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Known finding, `count` times on a page. The message is for people and never compared."""

    rule: str
    fingerprint: str
    message: str
    count: int = 1


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Known findings by page: path relative to the baseline's folder, or URL."""

    version: int
    files: dict[str, list[BaselineEntry]]


def encode(baseline: Baseline) -> bytes:
    """Bytes of the file: sorted, one entry a line, for readable diffs."""
    lines = []
    for path, entries in sorted(baseline.files.items()):
        known = sorted(entries, key=lambda entry: (entry.rule, entry.message, entry.fingerprint))
        body = ",\n".join(
            f"      {msgspec.json.format(msgspec.json.encode(entry), indent=0).decode()}" for entry in known
        )
        lines.append(f"    {msgspec.json.encode(path).decode()}: [\n{body}\n    ]")
    body = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    return f'{{\n  "version": {baseline.version},\n  "files": {body}\n}}\n'.encode()


def _base_fingerprint(finding: Finding) -> str:
    """Fingerprint without the number that separates equal findings of a page."""
    return finding.fingerprint.partition("-")[0]


def create(
    files: Iterable[FileReport],
    name: Callable[[str], str],
    before: Baseline | None = None,
    *,
    is_whole_site: bool = True,
) -> Baseline:
    """Baseline of all findings. Pages without a report, or unreadable, keep their entries from `before`.

    name           path in the report -> key in the baseline.
    is_whole_site  False: the files are a part of the pages, and findings about the site stay known.
    """
    # Pages outside this run keep what is known about them.
    known = {path: list(entries) for path, entries in before.files.items()} if before else {}
    found: dict[str, list[Finding]] = {}
    for file in files:
        if file.error is not None:
            continue
        # An entry even without findings, so that what was fixed leaves the baseline.
        found.setdefault(name(file.path), [])
        for finding in [*file.findings, *known_already(file)]:
            found.setdefault(SITE if finding.scope == "site" else name(file.path), []).append(finding)
    of_site = known.get(SITE, []) if not is_whole_site else []
    known |= {path: _entries(findings) for path, findings in found.items()}
    # A partial run may see only some findings about the site; the others are kept.
    again = {_key(entry) for entry in known.get(SITE, [])}
    if others := [entry for entry in of_site if _key(entry) not in again]:
        known[SITE] = [*known[SITE], *others]
    return Baseline(VERSION, {path: entries for path, entries in known.items() if entries})


def known_already(file: FileReport) -> list[Finding]:
    """Findings known from a commit of git: they are on the page like the others."""
    return [finding for finding in file.suppressed if finding.suppression and finding.suppression.kind == "baseline"]


def _entries(findings: Sequence[Finding]) -> list[BaselineEntry]:
    counts = Counter((finding.rule, _base_fingerprint(finding)) for finding in findings)
    # Of equal findings the first gives the message.
    messages = {(finding.rule, _base_fingerprint(finding)): finding.message for finding in reversed(findings)}
    return [BaselineEntry(*key, without_surrogates(messages[key]), count) for key, count in counts.items()]


def without_surrogates(text: str) -> str:
    # JSON from msgspec is UTF-8, which cannot hold a lone surrogate of a page.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mark(
    files: Iterable[FileReport], baseline: Baseline, name: Callable[[str], str], reason: str | None = None
) -> dict[str, list[BaselineEntry]]:
    """Move known findings to `suppressed`. Returns the unmatched entries by path of the report."""
    stale: dict[str, list[BaselineEntry]] = {}
    of_site = _counts(baseline.files.get(SITE, []))
    for file in files:
        if file.error is not None:
            continue
        known = baseline.files.get(name(file.path), [])
        # Counted, not listed: two equal findings need two entries, and a third is new.
        remaining = _counts(known)
        # What a commit of git made known uses up its entry here, else the entry would look stale.
        for finding in known_already(file):
            remaining[finding.rule, _base_fingerprint(finding)] -= 1
        file.findings[:] = list(_new_findings(file, remaining, of_site, reason))
        if unmatched := [_with_count(entry, remaining) for entry in known if remaining[_key(entry)] > 0]:
            stale[file.path] = unmatched
    return stale


def _key(entry: BaselineEntry) -> tuple[str, str]:
    return entry.rule, entry.fingerprint


def _counts(entries: Iterable[BaselineEntry]) -> Counter[tuple[str, str]]:
    return Counter({_key(entry): entry.count for entry in entries})


def _new_findings(
    file: FileReport, of_page: Counter[tuple[str, str]], of_site: Counter[tuple[str, str]], reason: str | None
) -> Iterable[Finding]:
    """Findings outside the baseline. Known findings go to `suppressed`, and the counters go down."""
    for finding in file.findings:
        key = finding.rule, _base_fingerprint(finding)
        left = of_site if finding.scope == "site" else of_page
        if left[key] > 0:
            left[key] -= 1
            finding.suppression = Suppression("baseline", reason)
            file.suppressed.append(finding)
        else:
            yield finding


def _with_count(entry: BaselineEntry, counts: Mapping[tuple[str, str], int]) -> BaselineEntry:
    return msgspec.structs.replace(entry, count=counts[_key(entry)])
