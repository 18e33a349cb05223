"""report on a crawl: rich results, causes, templates, and what to fix first

DIR is the folder of `waypost crawl --out`. The report has: for each rich result, how many pages are eligible,
how many are not, and why; the causes of the findings, and the templates of the site that they are on; the ten fixes
that make most pages eligible; with --since, what has changed.

examples:
  waypost report crawl-2026-11
  waypost report crawl-2026-11 --output report.html
  waypost report crawl-2026-11 --since crawl-2026-10 --output report.html --output report.md
  waypost report crawl-2026-11 --since crawl-2026-10 --fail-on lost-eligibility,new-error
  waypost report crawl-2026-11 --sql "SELECT rule, count(*) FROM findings GROUP BY rule ORDER BY 2 DESC"

the tables of --sql: pages, items, findings, shapes, and renderings of `waypost crawl --render`; with --since also
old_pages, old_items, old_findings, old_shapes, old_renderings

exit status: 0 the report is made, 1 something that --fail-on names has changed, 2 wrong usage, 3 there is no crawl in
DIR
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, check_output, indented_json, print_message, write
from waypost.cli._extras import require

if TYPE_CHECKING:
    from waypost.crawl.analysis import CrawlReport
    from waypost.crawl.folder import CrawlFolder

PLACE = 16
KINDS = ("lost-eligibility", "new-error", "gone-page", "new-page")
FORMATS = ("markdown", "html", "json")
_ENDINGS = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".json": "json"}


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", metavar="DIR", help="the folder of a crawl, or its s3:// address")
    add("--since", action="append", default=[], metavar="DIR",
        help="an earlier crawl, for changes and a time line; repeat it for more, the oldest first")  # fmt: skip
    add("--fail-on", type=_kinds, default=(), metavar="LIST",
        help=f"with --since: exit with 1 for any of these: {', '.join(KINDS)}")  # fmt: skip
    add("--format", choices=FORMATS, default=None, metavar="FORMAT", help="markdown (default), html or json")
    add("--output", action="append", default=[], metavar="[FORMAT=]FILE",
        help="write the report there, in the format of --format, else of its ending (.html .md .json)")  # fmt: skip
    add(
        "--sql",
        metavar="QUERY",
        help="print the result of a query (DuckDB) instead of the report; --format json for programs",
    )
    add("-q", "--quiet", action="store_true", help="do not print where the report is")


def _kinds(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if unknown := [name for name in names if name not in KINDS]:
        raise ArgumentTypeError(f"there is no change {unknown[0]!r}; there are {', '.join(KINDS)}")
    return names


def run(args: Namespace) -> int:
    if args.fail_on and not args.since:
        raise UsageError("--fail-on needs --since: name the earlier crawl")
    require("waypost report", "crawl")
    from waypost.crawl.folder import CrawlFolder

    folder, earlier = CrawlFolder(args.folder), [CrawlFolder(name) for name in args.since]
    if args.sql is not None:
        write(_answer(args, folder, earlier))
        return 0
    targets = [_target(name, args.format) for name in args.output] or [(args.format or "markdown", None)]
    # Before the analysis: minutes of work must not end at a folder that cannot be written.
    for _, path in targets:
        if path is not None:
            check_output(path)
    from waypost.crawl.analysis import report_of

    report = report_of(folder, earlier)
    for form, path in targets:
        write(_pieces(report, form), path)
    if not args.quiet and all(path for _, path in targets):
        print_message(f"the report is in {' and '.join(str(path) for _, path in targets)}")
    return int(any(_print_changes(report, args)))


def _print_changes(report: CrawlReport, args: Namespace) -> Iterator[bool]:
    """Print each change that --fail-on names; True for each."""
    found = report.changes.kinds if report.changes else {}
    for kind in args.fail_on:
        if number := found.get(kind, 0):
            print_message(f"{kind}: {number:,} since {args.since[-1]}")
            yield True


def _target(name: str, form: str | None) -> tuple[str, str | None]:
    """(format, path) of an output. Raises UsageError for an unknown ending."""
    head, equals, path = name.partition("=")
    if equals and head in FORMATS:
        return head, path
    found = form or next((each for ending, each in _ENDINGS.items() if name.lower().endswith(ending)), None)
    if found is None:
        raise UsageError(
            f"--output {name}: its ending names no format; write html={name}, markdown={name} or json={name}"
        )
    return found, name


def _pieces(report: CrawlReport, form: str) -> Iterator[str]:
    from waypost.crawl import report_text

    if form == "json":
        yield indented_json(report)
    else:
        yield from report_text.pieces(report, "html" if form == "html" else "markdown")


def _answer(args: Namespace, folder: CrawlFolder, earlier: list[CrawlFolder]) -> Iterator[str]:
    """Rows of a query as text with tabs between, or as JSON. Raises UsageError for an impossible query."""
    from waypost.crawl.analysis import query

    if args.format == "html":
        raise UsageError("--sql: the answer is text, or JSON with --format json")
    try:
        columns, rows = query(folder, args.sql, earlier)
    except ValueError as error:
        raise UsageError(f"--sql: {error}") from None
    if args.format == "json":
        yield indented_json([dict(zip(columns, map(_plain, row), strict=True)) for row in rows])
        return
    # A tab or a line break in a value would be read as the next column or row.
    for row in (columns, *rows):
        yield (
            "\t".join("" if value is None else str(value).replace("\t", " ").replace("\n", " ") for value in row) + "\n"
        )


def _plain(value: Any) -> Any:
    # Dates and decimals of DuckDB have no type in JSON.
    return value if isinstance(value, str | int | float | bool | list | dict | None) else str(value)
