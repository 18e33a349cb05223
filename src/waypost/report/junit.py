"""JUnit XML: a case for each finding, failed where the finding fails the run; for several pages, for alike findings.

A suite is a page; in a report by cause, a rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from waypost.models.finding import FileReport, Finding, Report, without_indexes
from waypost.report import View, page_of
from waypost.report._causes import CauseReport, about, advice_of, cause_digest, causes, extent, more_values
from waypost.report._frame import visible
from waypost.report._notes import absence_in_words, absence_lines
from waypost.report._words import count

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MOST_PLACES = 100
"""Places that a case about several pages names."""


def pieces(report: Report, view: View) -> Iterator[str]:
    yield from _by_cause(report, view) if view.by_cause(report) else _by_page(report, view)


def _by_page(report: Report, view: View) -> Iterator[str]:
    tests = failures = unread = 0
    # Counts stand in the first tag, so the files are gone through twice.
    for file in report.files:
        tests += _tests(file, view)
        failures += _failures(file, view)
        unread += file.error is not None
    yield _HEAD
    yield f'<testsuites name="waypost" tests="{tests}" failures="{failures}" errors="{unread}">\n'
    for file in report.files:
        yield from _suite(file, view)
    yield "</testsuites>\n"


def _by_cause(report: Report, view: View) -> Iterator[str]:
    """Suite of the pages, then a suite for each rule with a case for each cause."""
    found = causes(report.files, view, most=_MOST_PLACES, findings_of=lambda file: _cases_of(file, view))
    rules: dict[str, list[CauseReport]] = {}
    for cause in found:
        rules.setdefault(cause.first.rule, []).append(cause)
    unread = [file.path for file in report.files if file.error is not None]
    absent = list(absence_lines(report.files))
    failures = sum(bool(cause.failing) for cause in found)
    tests = 1 + len(unread) + len(absent) + len(found)
    yield _HEAD
    yield f'<testsuites name="waypost" tests="{tests}" failures="{failures}" errors="{len(unread)}">\n'
    checked = f"{count(len(report.files), 'page')} checked"
    number = 1 + len(unread) + len(absent)
    yield f'  <testsuite name="pages" tests="{number}" failures="0" errors="{len(unread)}">\n'
    yield f'    <testcase name={_attribute(checked)} classname="pages"/>\n'
    for file in report.files:
        if file.error is not None:
            yield _unread(file)
    for line in absent:
        yield f'    <testcase name="structured data" classname="pages">\n{_output(line)}    </testcase>\n'
    yield "  </testsuite>\n"
    for rule, causes_of_rule in rules.items():
        failing = sum(bool(cause.failing) for cause in causes_of_rule)
        yield f'  <testsuite name={_attribute(rule)} tests="{len(causes_of_rule)}" failures="{failing}" errors="0">\n'
        yield from map(_case_of_cause, causes_of_rule)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _case_of_cause(cause: CauseReport) -> str:
    first, place = cause.first, cause.places[0]
    further = [f"{each.path}:{each.line}:{each.column}" for each in cause.places[1:]]
    if left := cause.count - len(cause.places):
        further.append(f"and {left:,} more")
    what = about(cause.item, first)
    origin = f"{first.authority}, {first.profile}" if first.profile else first.authority
    lines = (f"{place.path}:{place.line}:{place.column}", what, first.hint, *cause.advice, extent(cause),
             more_values(cause.values), f"{origin}: {page_of(first)}", *further)  # fmt: skip
    body = escape(_written("\n".join(filter(None, lines))))
    # A name that stays when pages and values change: the history of a test is kept by it.
    name = " ".join(filter(None, (first.rule, first.profile, without_indexes(first.pointer), cause_digest(first)[:8])))
    outcome = (
        f'      <failure type="{first.severity}" message={_attribute(what)}>{body}</failure>\n'
        if cause.failing
        else f"      <system-out>{first.severity}: {body}</system-out>\n"
    )
    return (
        f"    <testcase name={_attribute(name)} classname={_attribute(first.rule)} file={_attribute(place.path)} "
        f'line="{place.line}">\n{outcome}    </testcase>\n'
    )


def _unread(file: FileReport) -> str:
    return (
        f'    <testcase name="read" classname={_attribute(file.path)}>\n'
        f'      <error type="unreadable" message={_attribute(file.error or "")}/>\n    </testcase>\n'
    )


def _output(text: str) -> str:
    return f"      <system-out>{escape(_written(text))}</system-out>\n"


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
        yield _unread(file)
    elif file.absence is not None:
        why = absence_in_words(file.absence)
        text = f"no structured data{f': {why}' if why else ''}"
        yield f'    <testcase name="structured data" classname={name}>\n{_output(text)}    </testcase>\n'
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
