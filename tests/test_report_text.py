"""The report for people: every finding with its line of the page and a mark under the fault."""

from __future__ import annotations

import unicodedata

import pytest

from waypost.models.finding import FileReport, Finding, Related, Report, Summary
from waypost.report import Source, View, render
from waypost.report._frame import frame, visible


def finding(**more: object) -> Finding:
    settled = {
        "rule": "price-not-a-number", "severity": "error", "authority": "google", "message": "the price is no number",
        "syntax": "json-ld", "pointer": "/price", "start": 0, "end": 1, "line": 1, "column": 1, "end_line": 1,
        "end_column": 2, "doc_url": "/rules/price-not-a-number/",
    }  # fmt: skip
    return Finding(**(settled | more))  # type: ignore[arg-type]


def report_of(*findings: Finding, path: str = "page.html", **more: object) -> Report:
    file = FileReport(path=path, findings=list(findings), **more)  # type: ignore[arg-type]
    count = {s: sum(f.severity == s for f in findings) for s in ("error", "warning", "info")}
    summary = Summary(files=1, errors=count["error"], warnings=count["warning"], infos=count["info"])
    return Report(registry_version="0" * 12, files=[file], summary=summary, tool={"name": "waypost", "version": "0"})


def rendered(report: Report, text: str = "", **view: object) -> str:
    def no_place(start: int, end: int) -> None:
        raise AssertionError("the text needs no place")

    return render(report, "text", View(read=lambda _: Source(text, no_place), **view))  # type: ignore[arg-type]


def cells(text: str) -> int:
    """Columns that a terminal gives a text, counted by another hand than the renderer's."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def marked(text: str) -> tuple[str, str]:
    """The printed line of the code frame, and the part of it that stands over the mark."""
    lines = text.splitlines()
    below = next(n for n, line in enumerate(lines) if line.rstrip().endswith("^"))
    line, mark = lines[below - 1], lines[below]
    start, size = mark.index("^"), mark.count("^")
    over, column = "", 0
    for char in line:
        if start <= column < start + size:
            over += char
        column += cells(char)
    return line, over


def test_the_mark_stands_under_the_value() -> None:
    text = 'x\n  "price": "12,50",\n'

    output = rendered(report_of(finding(line=2, column=12, end_line=2, end_column=19)), text)

    assert marked(output) == ('  2 |   "price": "12,50",', '"12,50"')
    assert "page.html:2:12: error[price-not-a-number]: the price is no number" in output


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('\t\t"name": "x"', '"x"'),
        ('a\t"name": "x"', '"x"'),
        ('"日本語": "価格"', '"価格"'),
        ('"e\u0301te\u0301": "x"', '"x"'),
        ('"🍲": "x"', '"x"'),
    ],
)
def test_tabs_and_wide_characters_do_not_move_the_mark(line: str, value: str) -> None:
    column = line.index(value) + 1

    output = rendered(report_of(finding(column=column, end_column=column + len(value))), line)

    assert marked(output)[1] == value


def test_a_long_line_is_cut_around_the_error() -> None:
    line = "a" * 300_000 + '"wrong"' + "b" * 300_000

    drawn = frame(line, 300_000, 300_007, 80)

    assert len(drawn.text) <= 80
    assert drawn.text.startswith("…")
    assert drawn.text.endswith("…")
    assert drawn.text[drawn.before : drawn.before + drawn.length] == '"wrong"'


@pytest.mark.parametrize("width", [24, 40, 79, 100])
@pytest.mark.parametrize("char", ["x", "日", "e\u0301", "\t", "\x00", "\u202e", "🍲"])
def test_no_frame_is_wider_than_the_terminal(width: int, char: str) -> None:
    line = char * 500

    for start in (0, 1, 20, 250, 498, 499, 500):
        drawn = frame(line, start, start + 1, width)

        assert cells(drawn.text) <= width
        assert drawn.before + 1 <= width


def test_control_and_hiding_characters_are_spelled_out() -> None:
    assert visible("a\x1b[31mb\u202ec\u200bd\x07\ud800") == "a␛[31mb<U+202E>c<U+200B>d␇<U+D800>"


def test_nothing_of_a_page_reaches_the_terminal_raw() -> None:
    nasty = "\x1b]0;owned\x07\u202e"
    report = finding(message=nasty, hint=nasty, related=(Related(message=nasty, line=1, column=1),))

    output = rendered(report_of(report, path=f"{nasty}.html"), nasty)

    assert "\x1b" not in output
    assert "\x07" not in output
    assert "\u202e" not in output


def test_place_past_the_page_is_reported_without_a_frame() -> None:
    output = rendered(report_of(finding(line=9, end_line=9)), "one line")

    assert "page.html:9:1" in output
    assert "^" not in output


def test_a_place_of_several_lines_is_marked_in_one() -> None:
    output = rendered(report_of(finding(line=1, column=3, end_line=2, end_column=4)), "a <b\nc>d")

    assert marked(output)[1] == "<b"


def test_information_is_printed_only_on_request() -> None:
    report = report_of(finding(severity="info", message="worth knowing"))

    assert "worth knowing" not in rendered(report)
    assert "--verbose" in rendered(report)
    assert "worth knowing" in rendered(report, verbose=True)


def test_colours_only_on_request() -> None:
    report = report_of(finding())

    assert "\x1b" not in rendered(report)
    assert "\x1b[1;31m" in rendered(report, colour=True)


def test_long_messages_are_folded_at_words() -> None:
    report = report_of(finding(message="word " * 60, hint="more " * 60))

    output = rendered(report, width=60) + rendered(report, width=60, verbose=True)

    assert max(map(len, output.splitlines())) <= 60


def test_wide_characters_and_the_summary_fit_the_terminal() -> None:
    report = report_of(finding(message="価格 は 数字 で は ありません " * 12, hint="数字 を 書く " * 12))
    report.summary.warnings, report.summary.infos = 1234, 56

    output = rendered(report, width=60)

    assert max(map(cells, output.splitlines())) <= 60
    assert output.startswith("1 error and 1,234 warnings in 1 file; no structured data was\n  found\n  (56 of ")


def test_an_unreadable_page_has_a_reason() -> None:
    output = rendered(report_of(error="no such file"))

    assert "1 file could not be read" in output.splitlines()[0]
    assert "unreadable: page.html: no such file" in output


def test_pages_unreadable_for_one_reason_are_counted() -> None:
    report = report_of(error="no such file")
    report.files = [*(FileReport(path=f"{n}.html", error="it is refused") for n in range(600)), *report.files]

    lines = [line for line in rendered(report).splitlines() if line.startswith("unreadable")]

    assert lines == [
        *(f"unreadable: {n}.html: it is refused" for n in range(3)),
        "unreadable: 597 more for the same reason (--verbose shows them)",
        "unreadable: page.html: no such file",
    ]
    assert rendered(report, verbose=True).count("unreadable: ") == 601


def test_quiet_leaves_the_findings_alone() -> None:
    assert rendered(report_of(), quiet=True) == ""
    assert "1 error" not in rendered(report_of(finding()), quiet=True)
