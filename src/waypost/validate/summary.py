"""Summary of a run over several files."""

from __future__ import annotations

from collections.abc import Sequence

from waypost.models.finding import SEVERITIES, Cause, FileReport, Report, Summary, cause_of
from waypost.registry import Registry


def build_report(files: Sequence[FileReport], registry: Registry | None, skipped: int = 0) -> Report:
    """Put the reports of several files together and count their findings.

    registry  None for a report as text, which does not show the version of the registry, a digest of all its files
    skipped   number of files without a report
    """
    from waypost import __version__

    summary = Summary(files=len(files), skipped=skipped)
    causes: set[Cause] = set()
    for file in files:
        is_rendered = file.rendering is not None and file.rendering.outcome == "rendered"
        summary.items += len(file.rendering.items if file.rendering and is_rendered else file.items)
        summary.without_data += file.absence is not None
        summary.unread += file.unread is not None
        if file.fetch is not None:
            summary.fetches[file.fetch.outcome] = summary.fetches.get(file.fetch.outcome, 0) + 1
        for finding in file.findings:
            causes.add(cause_of(finding))
            if finding.severity == "error":
                summary.errors += 1
            elif finding.severity == "warning":
                summary.warnings += 1
            else:
                summary.infos += 1
        for finding in file.suppressed:
            if finding.suppression and finding.suppression.kind == "baseline":
                summary.baselined += 1
            else:
                summary.suppressed += 1
    for severity in SEVERITIES:
        if number := sum(cause[0] == severity for cause in causes):
            summary.causes[f"{severity}s"] = number
    return Report(
        registry_version=registry.version if registry else "",
        files=files,
        summary=summary,
        tool={"name": "waypost", "version": __version__},
    )
