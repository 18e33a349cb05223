"""graph: show the entities of a site, how they are connected, and where they contradict each other

Entities are nodes with an @id, and organizations, people, products, places, events and works with a name. Findings are
those of `waypost validate` about pages together (a reference that no page describes, one organization under several
ids, contradicting values), entities on a host for tests, and entities without any connection.

examples:
  waypost graph public/
  waypost graph public/ --format html --output entities.html
  waypost graph crawl.warc.gz --format mermaid
  waypost graph public/ --format json-ld --output entities.jsonld

exit status: 0 nothing found, 1 something found, 2 wrong usage, 3 an input could not be read
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from waypost.cli._arguments import add_address, add_moment
from waypost.cli._config import add_config, configurations, together
from waypost.cli._console import Progress, UsageError, add_colour, check_output, coloured, print_message, write
from waypost.report.graph import FORMS

PLACE = 13
FINDINGS, UNREADABLE = 1, 3


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE|DIR|GLOB|URL",
        help="pages of a site, a web archive, or the folder of a crawl, whose sources are read again")  # fmt: skip
    add("--format", choices=FORMS, default="text", metavar="FORMAT", help=f"{', '.join(FORMS)} (default text)")
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    add("--output", metavar="FILE", help="write the graph to a file")
    add("-q", "--quiet", action="store_true", help="no progress")
    add_config(parser)
    add_colour(parser)
    add_address(parser)
    add_moment(parser)


def _sources(name: str) -> list[str]:
    """Sources of the crawl in a folder; for other inputs the input. Raises UsageError for sources that are gone."""
    plan = Path(name) / "crawl.json"
    if not plan.is_file():
        return [name]
    try:
        sources: list[str] = msgspec.json.decode(plan.read_bytes(), type=_Plan).sources
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{plan}: this is not the plan of a crawl ({error})") from None
    if gone := [each for each in sources if not Path(each).exists()]:
        raise UsageError(f"{name}: the crawl has read {gone[0]}, which is not here; name its pages or a web archive")
    return sources


class _Plan(msgspec.Struct):
    sources: list[str]


def run(args: Namespace) -> int:
    from waypost.lint.graph import graph_of
    from waypost.lint.inputs import collect, why_without_page, without_excluded
    from waypost.lint.page import LintOptions
    from waypost.reader.page_names import PageNames
    from waypost.report._terminal import Paint
    from waypost.report.graph import headline, pieces

    if args.output:
        check_output(args.output)
    args.inputs = [source for name in args.inputs for source in _sources(name)]
    configs = configurations(args)
    found = collect(args.inputs, args.base_url, configs=configs)
    config = together(configs, args.inputs, found.inputs)
    found = without_excluded(found, config)
    for name in found.empty:
        print_message(why_without_page(name))
    options = LintOptions(now=args.now or datetime.now(UTC), config=config)
    progress = Progress(len(found.inputs), args.quiet)
    graph = graph_of(found.inputs, options, lambda done: progress(done, 0))
    progress.close()
    for path, reason in graph.unreadable.items():
        print_message(f"{path}: {reason}")
    if not graph.pages and (found.empty or graph.unreadable):
        return UNREADABLE
    paint = Paint(args.format == "text" and not args.output and coloured(args.colour, sys.stdout))
    write(pieces(graph, args.format, paint, PageNames()), args.output)
    if args.output and not args.quiet:
        print_message(f"{headline(graph)}; the graph is in {args.output}")
    if found.empty or graph.unreadable:
        return UNREADABLE
    return FINDINGS if any(finding.severity != "info" for finding in graph.findings) else 0
