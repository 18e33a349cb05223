"""What do the verdicts on a folder of pages say, and does any contradict itself?

    python benchmarks/truth.py FOLDER [--errors FILE] [--rules]

FOLDER holds pages (`.html`, `.json`, `.jsonld`, each also as `.gz`), searched with its sub-folders. Printed are the
findings by severity and rule, the errors by cause, the findings a page has before and after alike ones are folded, and
the eligible items that carry an error about a result they are said to earn: there must be none, else the exit status
is 1. --errors writes every error on a line of its own, to be read by eye: page, place, rule, profile, message and the
results of the item. --rules prints the count of every rule, else only those of errors.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from waypost.models.finding import FileReport, Finding, ItemReport, cause_of
from waypost.models.page import Node, Page
from waypost.reader import read_data, read_page
from waypost.registry import Registry, load
from waypost.validate import validate_parsed
from waypost.validate.rulebook import rules_by_name

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SUFFIXES = (".html", ".htm", ".json", ".jsonld")
NOT_ABOUT_A_RESULT = frozenset({"unknown-type", "type-wrong-case", "type-address-wrong", "json-duplicate-key"})
"""Rules whose errors inside an item need not cost its result: a type of something mentioned, a name given twice."""


class CheckedPage(NamedTuple):
    """A page of the folder with its report. `roots` are the nodes of the report's items, in the same order."""

    name: str
    page: Page
    report: FileReport
    roots: list[Node]


def pages_of(folder: Path, registry: Registry) -> Iterator[CheckedPage]:
    for path in sorted(folder.rglob("*")):
        plain = path.name.removesuffix(".gz")
        if not plain.endswith(SUFFIXES):
            continue
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        read = read_data if plain.endswith((".json", ".jsonld")) else read_page
        page = read(data, registry.vocabulary, path=path.name)
        yield CheckedPage(
            path.relative_to(folder).as_posix(), page, validate_parsed(page, registry, now=NOW), page.roots
        )


def is_within(finding: Finding, root: Node) -> bool:
    """Does a finding stand in an item? In a script by the pointers, elsewhere by the top-level item."""
    block = root.block
    if finding.syntax != block.syntax or finding.block != block.index:
        return False
    pointer = block.pointer(root)
    return finding.pointer == pointer or finding.pointer.startswith(f"{pointer}/") or block.syntax != "json-ld"


def is_contradiction(finding: Finding, item: ItemReport) -> bool:
    """Is an error about a result that the item is said to earn?"""
    if finding.profile is not None:
        return finding.profile in item.eligible
    return finding.rule not in NOT_ABOUT_A_RESULT


def kind_of(finding: Finding) -> str:
    """Cause of an error in words."""
    if finding.rule == "required-property-missing":
        return "required property missing"
    if rules_by_name()[finding.rule].explain is not None:
        return "cannot be read"
    return "unknown or misspelt type" if finding.rule in NOT_ABOUT_A_RESULT else "value costs the result"


def quantiles(counts: list[int]) -> str:
    ordered = sorted(counts) or [0]
    at = {share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.9, 0.99)}
    return f"median {at[0.5]}, 90 % {at[0.9]}, 99 % {at[0.99]}, most {ordered[-1]}"


class Truth:
    """Counts over the pages of a folder. `errors` are lines to read by eye."""

    def __init__(self) -> None:
        self.pages = self.items = self.eligible = 0
        self.by_rule: Counter[tuple[str, str]] = Counter()
        self.causes: Counter[str] = Counter()
        self.before: list[int] = []
        self.after: list[int] = []
        self.errors: list[str] = []
        self.contradictions: list[str] = []
        self.inside: Counter[str] = Counter()

    def add(self, checked: CheckedPage) -> None:
        report = checked.report
        displayed = [finding for finding in report.findings if finding.severity != "info"]
        self.pages += 1
        self.items += len(report.items)
        self.eligible += sum(bool(item.eligible) for item in report.items)
        self.before.append(len(displayed))
        self.after.append(len({cause_of(finding) for finding in displayed}))
        self.by_rule.update((finding.severity, finding.rule) for finding in report.findings)
        for finding in displayed:
            if finding.severity == "error":
                self._add_error(finding, checked)

    def _add_error(self, finding: Finding, checked: CheckedPage) -> None:
        self.causes[kind_of(finding)] += 1
        around = [pair for pair in zip(checked.report.items, checked.roots, strict=True) if is_within(finding, pair[1])]
        results = "; ".join(
            f"{' '.join(item.types)} earns {', '.join(item.eligible) or 'nothing'}" for item, _ in around
        )
        line = "\t".join((
            f"{checked.name}:{finding.line}:{finding.column}", finding.rule, finding.profile or "-", finding.message, results,
        ))  # fmt: skip
        self.errors.append(line)
        for item, _ in around:
            if item.eligible and is_contradiction(finding, item):
                self.contradictions.append(line)
            elif item.eligible:
                self.inside[finding.rule] += 1

    def lines(self, every_rule: bool) -> Iterator[str]:
        yield f"pages {self.pages}, items {self.items}, eligible items {self.eligible}"
        for severity in ("error", "warning", "info"):
            yield f"{severity} findings: {sum(n for (found, _), n in self.by_rule.items() if found == severity)}"
            for (found, rule), count in sorted(self.by_rule.items(), key=lambda each: (-each[1], each[0])):
                if found == severity and (every_rule or severity == "error"):
                    yield f"  {count:6,} {rule}"
        total = sum(self.causes.values()) or 1
        for cause, count in self.causes.most_common():
            yield f"errors, {cause}: {count} ({count / total:.0%})"
        yield f"errors and warnings a page, as found: {quantiles(self.before)}"
        yield f"errors and warnings a page, alike ones folded: {quantiles(self.after)}"
        inside = ", ".join(f"{rule} {count}" for rule, count in self.inside.most_common())
        yield f"errors in eligible items that are about another result or about something mentioned: {inside or 'none'}"
        yield f"eligible items with an error about their result: {len(self.contradictions)}"
        yield from (f"  {line}" for line in self.contradictions[:20])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--errors", type=Path, metavar="FILE")
    parser.add_argument("--rules", action="store_true")
    options = parser.parse_args()
    truth, registry = Truth(), load()
    for checked in pages_of(options.folder, registry):
        truth.add(checked)
        checked.page.release()
    print("\n".join(truth.lines(options.rules)))
    if options.errors:
        options.errors.write_text("\n".join(truth.errors) + "\n", "utf-8")
    return 1 if truth.contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
