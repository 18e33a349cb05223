"""JUnit XML: a suite for each page, a case for each finding, failed where the finding fails the run."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from waypost.models.finding import FileReport, Finding, Report
from waypost.report import View, page_of
from waypost.report._causes import absence_in_words, advice_of
from waypost.report._frame import visible


def pieces(report: Report, view: View) -> Iterator[str]:
    tests = failures = unread = 0
    # Counts stand in the first tag, so the files are gone through twice.
    for file in report.files:
        tests += _tests(file, view)
        failures += _failures(file, view)
        unread += file.error is not None
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="waypost" tests="{tests}" failures="{failures}" errors="{unread}">\n'
    for file in report.files:
        yield from _suite(file, view)
    yield "</testsuites>\n"


def _cases_of(file: FileReport, view: View) -> list[Finding]:
    """Findings with a case: errors and warnings, and information where it is shown or fails the run."""
    with_info = view.verbose or any("info" in failing for failing in (view.failing, *view.failing_by_path.values()))
    return [finding for finding in file.findings if with_info or finding.severity != "info"]


def _tests(file: FileReport, view: View) -> int:
    if file.error is not None:
        return 1
    cases = len(_cases_of(file, view))
    return cases + 1 if file.absence is not None else max(cases, 1)


def _failures(file: FileReport, view: View) -> int:
    return sum(finding.severity in view.failing_in(file) for finding in file.findings)


def _suite(file: FileReport, view: View) -> Iterator[str]:
    name, displayed = _attribute(file.path), _cases_of(file, view)
    counts = f'tests="{_tests(file, view)}" failures="{_failures(file, view)}" errors="{int(file.error is not None)}"'
    yield f"  <testsuite name={name} {counts}>\n"
    if file.error is not None:
        yield f'    <testcase name="read" classname={name}>\n'
        yield f'      <error type="unreadable" message={_attribute(file.error)}/>\n    </testcase>\n'
    elif file.absence is not None:
        why = absence_in_words(file.absence)
        text = escape(_written(f"no structured data{f': {why}' if why else ''}"))
        yield f'    <testcase name="structured data" classname={name}>\n'
        yield f"      <system-out>{text}</system-out>\n    </testcase>\n"
    elif not displayed:
        yield f'    <testcase name="structured data" classname={name}/>\n'
    for finding in displayed:
        yield _case(finding, file, finding.severity in view.failing_in(file))
    yield "  </testsuite>\n"


def _case(finding: Finding, file: FileReport, fails: bool) -> str:
    path = file.path
    where = f"{path}:{finding.line}:{finding.column}"
    origin = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
    lines = (where, finding.message, finding.hint, *advice_of(file, finding), f"{origin}: {page_of(finding)}")
    text = "\n".join(filter(None, lines))
    body = escape(_written(text))
    outcome = (
        f'      <failure type="{finding.severity}" message={_attribute(finding.message)}>{body}</failure>\n'
        if fails
        else f"      <system-out>{finding.severity}: {body}</system-out>\n"
    )
    return (
        f"    <testcase name={_attribute(f'{finding.rule} {finding.line}:{finding.column}')} "
        f'classname={_attribute(path)} file={_attribute(path)} line="{finding.line}">\n{outcome}    </testcase>\n'
    )


def _attribute(text: str) -> str:
    return quoteattr(_written(text))


def _written(text: str) -> str:
    """Text without what XML 1.0 cannot hold, not even escaped: controls, half surrogate pairs, U+FFFE, U+FFFF."""
    return "\n".join(visible(line) for line in text.split("\n"))
