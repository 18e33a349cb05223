"""JUnit XML: a suite for each page, a failed case for each error and warning."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from waypost.models.finding import FileReport, Finding, Report
from waypost.report import View
from waypost.report._frame import visible


def pieces(report: Report, view: View) -> Iterator[str]:  # noqa: ARG001 - the contract of a format
    unread = sum(file.error is not None for file in report.files)
    failures = report.summary.errors + report.summary.warnings
    clean = sum(file.error is None and not _failures(file) for file in report.files)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="waypost" tests="{failures + clean + unread}" failures="{failures}" errors="{unread}">\n'
    for file in report.files:
        yield from _suite(file)
    yield "</testsuites>\n"


def _failures(file: FileReport) -> list[Finding]:
    return [finding for finding in file.findings if finding.severity != "info"]


def _suite(file: FileReport) -> Iterator[str]:
    name, failures = _attribute(file.path), _failures(file)
    tests, errors = max(len(failures), 1), int(file.error is not None)
    yield f'  <testsuite name={name} tests="{tests}" failures="{len(failures)}" errors="{errors}">\n'
    if file.error is not None:
        yield f'    <testcase name="read" classname={name}>\n'
        yield f'      <error type="unreadable" message={_attribute(file.error)}/>\n    </testcase>\n'
    elif not failures:
        yield f'    <testcase name="structured data" classname={name}/>\n'
    for finding in failures:
        yield _case(finding, file.path)
    yield "  </testsuite>\n"


def _case(finding: Finding, path: str) -> str:
    where = f"{path}:{finding.line}:{finding.column}"
    origin = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
    text = "\n".join(each for each in (where, finding.message, finding.hint, f"{origin}: {finding.doc_url}") if each)
    return (
        f"    <testcase name={_attribute(f'{finding.rule} {finding.line}:{finding.column}')} "
        f'classname={_attribute(path)} file={_attribute(path)} line="{finding.line}">\n'
        f'      <failure type="{finding.severity}" message={_attribute(finding.message)}>'
        f"{escape(_written(text))}</failure>\n    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_written(text))


def _written(text: str) -> str:
    """Text without what XML 1.0 cannot hold, not even escaped: controls, half surrogate pairs, U+FFFE, U+FFFF."""
    return "\n".join(visible(line) for line in text.split("\n"))
