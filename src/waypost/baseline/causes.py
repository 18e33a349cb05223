"""Baseline by cause: what is known of a site, whatever its pages are called and whichever values they have.

A cause may have as many places as were known, or the known number of places per page: a shop that grows has more pages
of a template, each with the same mistake. Further places are new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

import msgspec

from waypost.baseline.values import known_already, without_surrogates
from waypost.models.finding import FileReport, Finding, Suppression, without_indexes

VERSION = 2

Key = tuple[str, str, tuple[str, ...], str]
"""Rule, profile, types of the node, pointer without indexes."""


class KnownCause(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Known cause with the number of places. The message is an example for people.

    It decides which of the places are known only where there are more than allowed.
    """

    rule: str
    profile: str = ""
    types: tuple[str, ...] = ()
    pointer: str = ""
    count: int = 1
    message: str

    @property
    def key(self) -> Key:
        return self.rule, self.profile, self.types, self.pointer

    @property
    def text(self) -> str:
        """Cause in words: rule, node and pointer."""
        where = " ".join(part for part in (" and ".join(self.types), self.pointer) if part)
        return f"{self.rule} ({where}: {self.message})" if where else f"{self.rule} ({self.message})"


class CauseBaseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Known causes of a site. `pages` is the number of pages that had been checked."""

    version: int
    pages: int
    causes: tuple[KnownCause, ...]


def encode(known: CauseBaseline) -> bytes:
    """Bytes of the file: sorted, one cause a line, for readable diffs."""
    causes = sorted(known.causes, key=lambda cause: cause.key)
    lines = ",\n".join(f"    {msgspec.json.format(msgspec.json.encode(cause), indent=0).decode()}" for cause in causes)
    body = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "version": {known.version},\n  "pages": {known.pages},\n  "causes": {body}\n}}\n'.encode()


def key_of(finding: Finding, file: FileReport) -> Key:
    """Key of the cause of a finding, without values, indexes and the page."""
    types: tuple[str, ...] = ()
    if finding.verdict is not None:
        types = file.verdicts[finding.verdict].types
    elif finding.item is not None:
        types = file.items[finding.item].types
    return finding.rule, finding.profile or "", types, without_indexes(finding.pointer)


def create(files: Iterable[FileReport]) -> CauseBaseline:
    """Baseline of all findings of readable pages."""
    pages = 0
    counts: Counter[Key] = Counter()
    messages: dict[Key, str] = {}
    for file in files:
        if file.error is not None:
            continue
        pages += 1
        for finding in [*file.findings, *known_already(file)]:
            key = key_of(finding, file)
            counts[key] += 1
            messages.setdefault(key, without_surrogates(finding.message))
    causes = (
        KnownCause(rule=rule, profile=profile, types=types, pointer=pointer, count=count,
                   message=messages[rule, profile, types, pointer])
        for (rule, profile, types, pointer), count in counts.items()
    )  # fmt: skip
    return CauseBaseline(VERSION, pages, tuple(sorted(causes, key=lambda cause: cause.key)))


def merged(known: CauseBaseline, other: CauseBaseline) -> CauseBaseline:
    """Causes of both baselines, with the greater number of places, for a run over a part of the pages."""
    causes = {cause.key: cause for cause in other.causes}
    for cause in known.causes:
        if cause.key not in causes or causes[cause.key].count < cause.count:
            causes[cause.key] = cause
    return CauseBaseline(VERSION, max(known.pages, other.pages), tuple(causes[key] for key in sorted(causes)))


def mark(files: Sequence[FileReport], known: CauseBaseline) -> list[KnownCause]:
    """Move findings of known causes to `suppressed`, up to the allowed number. Returns what is left of the causes.

    Where a cause has more places than allowed, those with another message than the known one are new, then the last
    ones. Reads the files twice.
    """
    examples = {cause.key: cause.message for cause in known.causes}
    alike: Counter[Key] = Counter()
    pages = 0
    for file in files:
        if file.error is None:
            pages += 1
            alike.update(key for each in file.findings if examples.get(key := key_of(each, file)) == each.message)
    left = {cause.key: _allowed(cause, known.pages, pages) for cause in known.causes}
    found: Counter[Key] = Counter()
    for file in files:
        if file.error is not None:
            continue
        new: list[Finding] = []
        # What a commit of git made known uses up a place here, else it would look gone.
        for finding in known_already(file):
            found[key := key_of(finding, file)] += 1
            left[key] = left.get(key, 0) - 1
        for finding in file.findings:
            key = key_of(finding, file)
            found[key] += 1
            is_alike = examples.get(key) == finding.message
            alike[key] -= is_alike
            if left.get(key, 0) > (0 if is_alike else alike[key]):
                left[key] -= 1
                finding.suppression = Suppression("baseline")
                file.suppressed.append(finding)
            else:
                new.append(finding)
        file.findings[:] = new
    return [
        msgspec.structs.replace(cause, count=cause.count - found[cause.key])
        for cause in known.causes
        # A part of a site has fewer places.
        if pages >= known.pages and found[cause.key] < cause.count
    ]


def _allowed(cause: KnownCause, pages_then: int, pages_now: int) -> int:
    return max(cause.count, ceil(cause.count / max(pages_then, 1) * pages_now))
