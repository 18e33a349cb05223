"""diff: compare two builds of a site: rich results lost and won, changed values, new findings

OLD and NEW are folders, files, patterns, web archives, URLs, or reports of `waypost validate --format json`. Pages are
paired by their path. A page that is equal to the byte is not read further. Alike changes of a folder are one entry.

examples:
  waypost diff public-main public
  waypost diff report-main.json report.json --fail-on lost-eligibility,new-error,gone-page
  waypost diff https://www.example.com/ https://staging.example.com/ --format markdown

exit status: 0 nothing that --fail-on names, 1 something, 2 wrong usage, 3 an input could not be read
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from waypost.cli._access import access, add_access, unused
from waypost.cli._arguments import add_moment
from waypost.cli._config import add_config, configurations, together
from waypost.cli._console import add_colour, coloured, print_message, write
from waypost.errors import Unreadable
from waypost.models.comparison import CHANGE_KINDS, ChangeKind
from waypost.report.comparison import FORMS

if TYPE_CHECKING:
    from waypost.models.comparison import Comparison

PLACE = 12
FAIL_ON = "lost-eligibility,new-error"
UNREADABLE = 3


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("old", metavar="OLD", help="the state before: a folder, file, pattern, archive, URL or JSON report")
    add("new", metavar="NEW", help="the state after")
    add("--fail-on", type=_kinds, default=_kinds(FAIL_ON), metavar="LIST",
        help=f"exit with 1 for any of these: {', '.join(CHANGE_KINDS)}, or never (default: {FAIL_ON})")  # fmt: skip
    add("--format", choices=FORMS, default="text", metavar="FORMAT", help=f"{', '.join(FORMS)} (default text)")
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    add("--output", metavar="FILE", help="write the report to a file")
    add("-q", "--quiet", action="store_true", help="no progress")
    add_config(parser)
    add_colour(parser)
    add_moment(parser)
    add_access(parser)


def _kinds(text: str) -> frozenset[ChangeKind]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["never"]:
        return frozenset()
    if unknown := [name for name in names if name not in CHANGE_KINDS]:
        raise ArgumentTypeError(f"there is no change {unknown[0]!r}; there are {', '.join(CHANGE_KINDS)}, and never")
    return frozenset(kind for kind in CHANGE_KINDS if kind in names)


def run(args: Namespace) -> int:
    from waypost.reader.page_names import PageNames
    from waypost.report._terminal import Paint
    from waypost.report.comparison import pieces

    args.inputs = [args.new]
    try:
        compared = _compared(args)
    except Unreadable as error:
        print_message(str(error))
        return UNREADABLE
    paint = Paint(args.format == "text" and not args.output and coloured(args.colour, sys.stdout))
    write(pieces(compared, args.format, paint, PageNames((args.new, args.old))), args.output)
    if any(change.kind == "unreadable" for change in compared.changes):
        return UNREADABLE
    return int(any(change.kind in args.fail_on for change in compared.changes))


def _compared(args: Namespace) -> Comparison:
    import msgspec

    from waypost.cli._console import Progress
    from waypost.lint.comparison import Side, compare
    from waypost.lint.inputs import is_address
    from waypost.lint.page import LintOptions

    options = LintOptions(now=args.now or datetime.now(UTC))
    configs = configurations(args)
    old, new = Side(args.old, options), Side(args.new, options)
    config = together(configs, args.inputs, [*old.inputs, *new.inputs])
    old.options = new.options = msgspec.structs.replace(options, config=config)
    urls = [name for name in (args.old, args.new) if is_address(name)]
    if not urls:
        for message in unused(args):
            print_message(message)
    old.access = new.access = access(args, config, urls) if urls else None
    progress = Progress(len({*old.paths, *new.paths}), args.quiet)
    compared = compare(old, new, lambda done: progress(done, 0))
    progress.close()
    return compared
