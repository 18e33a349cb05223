"""Findings of feeds of products in the reports of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, apply_config
from waypost.lint.product_feeds import PageFinding, compare_feeds
from waypost.lint.results import ResultList
from waypost.lint.site_findings import add_finding
from waypost.models.finding import FileReport, Finding
from waypost.registry import shared_registry
from waypost.validate.site_facts import unpack_facts

_CONTRADICTS = "markup-contradicts-page"


class ProductFacts(Sequence[bytes]):
    """Packed products of pages, from their packed facts."""

    def __init__(self, facts: Sequence[bytes]) -> None:
        self._facts = facts

    def __len__(self) -> int:
        return len(self._facts)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        packed = self._facts[index]
        return unpack_facts(packed).products if packed else b""

    def __iter__(self) -> Iterator[bytes]:
        return (unpack_facts(packed).products if packed else b"" for packed in self._facts)


def add_feed_findings(
    feeds: Sequence[str], inputs: Sequence[Input], results: ResultList, options: LintOptions
) -> list[FileReport]:
    """Add the findings about products to the reports of their pages. Returns the reports about the feeds."""
    reports: list[FileReport] = []
    files = [item.where if item.kind == "file" else None for item in inputs]
    found = compare_feeds(
        feeds, ProductFacts(results.facts), files, shared_registry(), now=options.now, site=options.site
    )
    for each in found:
        if isinstance(each, FileReport):
            apply_config(each.path, each, options)
            reports.append(each)
            continue
        result = results[each.page]
        if result.file is not None and result.file.error is None:
            _add(inputs[each.page], result.file, each, options)
            results[each.page] = result
    return reports


def _add(item: Input, file: FileReport, each: PageFinding, options: LintOptions) -> None:
    finding = each.finding
    if finding is not None:
        add_finding(item, file, finding, each.suppression, options)
        if finding in file.findings:
            # One finding for a product: its columns hold what the page contradicts, too.
            file.findings[:] = [other for other in file.findings if not _is_covered(other, each)]
    by_property = dict(each.values)
    for other in file.findings:
        side = by_property.get(other.property or "") if _is_about(other, each) else None
        if side is not None and all(value.source != "feed" for value in other.compared):
            other.compared = (*other.compared, side)


def _is_about(finding: Finding, each: PageFinding) -> bool:
    return finding.rule == _CONTRADICTS and (each.item is None or finding.item == each.item)


def _is_covered(finding: Finding, each: PageFinding) -> bool:
    return _is_about(finding, each) and finding.property in each.covers
