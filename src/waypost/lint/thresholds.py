"""Findings that fail a run, by the thresholds of the command line, of the configuration, and of its overrides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from waypost.config import Config, Setting
from waypost.lint.inputs import Input, by_path
from waypost.models.finding import SEVERITIES, FileReport, Report, Severity


class Thresholds(NamedTuple):
    """Limits of a run.

    fail_on, max_warnings  limits for pages without a limit of their own.
    is_fail_on_named, is_max_warnings_named  the limit comes from the command line, and overrides of the configuration
                           do not count.
    """

    fail_on: str
    max_warnings: int | None
    is_fail_on_named: bool
    is_max_warnings_named: bool


class Failing(NamedTuple):
    """Severities of the findings that fail a run: `everywhere`, except in files with others, see `by_path`."""

    everywhere: frozenset[Severity]
    by_path: dict[str, frozenset[Severity]]


def is_failing(report: Report, failing: Failing) -> bool:
    """Whether a finding fails the run."""
    if not failing.by_path:
        summary = report.summary
        counts = {"error": summary.errors, "warning": summary.warnings, "info": summary.infos}
        return any(counts[severity] for severity in failing.everywhere)
    return any(
        finding.severity in failing.by_path.get(file.path, failing.everywhere)
        for file in report.files
        for finding in file.findings
    )


def failing_severities(report: Report, limits: Thresholds, config: Config, inputs: Sequence[Input]) -> Failing:
    """Severities of the findings that fail the run. Warnings do where more are found than a limit allows."""
    if not (config.has_thresholds or config.nested):
        too_many = limits.max_warnings is not None and report.summary.warnings > limits.max_warnings
        return Failing(_severities(limits.fail_on, too_many), {})
    find = by_path(inputs)

    def limits_of(file: FileReport) -> tuple[str, tuple[str, int | None]]:
        # The configuration matches paths of files, a report shows names.
        item = find(file.path)
        where = item.where if item and item.kind != "stdin" else file.path
        own = config.nearest(where)
        settings = own.for_page(where)
        fail_on, limit = settings.fail_on, settings.max_warnings
        level, group = limits.fail_on, ("", limits.max_warnings)
        if own is not config:
            # The limits of the run come from another configuration. A limit counts the files of one together.
            fail_on = fail_on or own.setting("fail_on") or Setting("error", "")
            limit = limit or own.setting("max_warnings") or Setting(None, "")
        if fail_on and not limits.is_fail_on_named:
            level = fail_on.value
        if limit and not limits.is_max_warnings_named:
            # `max-warnings` of an override counts its files together, so a group is the override that set the limit.
            group = (limit.source, limit.value)
        return level, group

    warnings: Counter[tuple[str, int | None]] = Counter()
    for file in report.files:
        warnings[limits_of(file)[1]] += sum(finding.severity == "warning" for finding in file.findings)
    exceeded = {group for group, number in warnings.items() if group[1] is not None and number > group[1]}
    everywhere = _severities(limits.fail_on, ("", limits.max_warnings) in exceeded)
    others: dict[str, frozenset[Severity]] = {}
    for file in report.files:
        level, group = limits_of(file)
        if (own := _severities(level, group in exceeded)) != everywhere:
            others[file.path] = own
    return Failing(everywhere, others)


def _severities(fail_on: str, is_warning: bool) -> frozenset[Severity]:
    failing = {severity for severity in SEVERITIES[: (*SEVERITIES, "never").index(fail_on) + 1] if fail_on != "never"}
    return frozenset(failing | ({"warning"} if is_warning else set()))
