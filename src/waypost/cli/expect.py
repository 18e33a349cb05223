"""expect: show or learn which rich results and types the pages of a site must have

Without an option, prints how the pages stand to each [[expect]] of the configuration. --learn prints what the site has
today as such tables: what most pages of a folder have, and how many pages have a rare rich result. `waypost validate`
then fails where a template loses its markup.

examples:
  waypost expect public/
  waypost expect public/ --learn
  waypost expect public/ --learn --write

exit status: 0 every expectation is met, 1 one is not, 2 wrong usage, 3 an input could not be read
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._arguments import add_address, add_moment
from waypost.cli._config import add_config, configurations, together
from waypost.cli._console import Progress, UsageError, print_message, write

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.lint.inputs import InputList
    from waypost.lint.results import ReportFiles

PLACE = 13
UNMET, UNREADABLE = 1, 3
_NEW = "waypost.toml"


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE|DIR|GLOB", help="pages of the site, best all of them")
    add("--learn", action="store_true", help="print what the pages have today as [[expect]] tables")
    add("--write", action="store_true",
        help=f"with --learn: add the tables to the configuration; without one, to a new {_NEW}")  # fmt: skip
    add("-q", "--quiet", action="store_true", help="no progress")
    add_config(parser)
    add_address(parser)
    add_moment(parser)


def run(args: Namespace) -> int:
    from waypost.lint.inputs import collect, why_without_page, without_excluded
    from waypost.lint.page import LintOptions
    from waypost.lint.page_sources import PageStore
    from waypost.lint.results import ReportFiles, ResultList
    from waypost.lint.run import validate_inputs

    if args.write and not args.learn:
        raise UsageError("--write needs --learn")
    configs = configurations(args)
    found = collect(args.inputs, args.base_url, configs=configs)
    config = together(configs, args.inputs, found.inputs)
    found = without_excluded(found, config)
    for name in found.empty:
        print_message(why_without_page(name))
    options = LintOptions(now=args.now or datetime.now(UTC), config=config)
    progress = Progress(len(found.inputs), args.quiet)
    with closing(PageStore()) as store, closing(ResultList(len(found.inputs))) as results:
        for done, (index, result) in enumerate(validate_inputs(found.inputs, options, None, store, None, None), 1):
            results[index] = result
            progress(done, 0)
        progress.close()
        files = ReportFiles(results, [])
        unreadable = [file for file in files if file.error is not None]
        for file in unreadable:
            print_message(f"{file.path}: {file.error}")
        status = _learn(args, config, found, files) if args.learn else _show(config, found, files)
    return UNREADABLE if unreadable or found.empty else status


def _show(config: Config, found: InputList, files: ReportFiles) -> int:
    from waypost.lint.expectations import in_words, standings

    expected = standings(config, None, found.inputs, files)
    if not expected:
        print_message("the configuration has no [[expect]]; --learn prints what the pages have today")
    write(f"{'met' if each.is_met else 'NOT MET'}: {in_words(each)}\n" for each in expected)
    return 0 if all(each.is_met for each in expected) else UNMET


def _learn(args: Namespace, config: Config, found: InputList, files: ReportFiles) -> int:
    from waypost.lint.expectations import as_toml, learn

    target = Path(config.path) if config.path else Path(_NEW)
    learned = learn(config, found.inputs, files)
    if not learned:
        print_message("no folder has three pages or more with the same markup, and no page has a rich result")
        return UNMET
    text = "".join(as_toml(learned, "tool.waypost.expect" if target.name == "pyproject.toml" else "expect"))
    if not args.write:
        write([text])
        return 0
    before = target.read_text("utf-8") if target.exists() else ""
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    write([before, gap, text.removesuffix("\n")], str(target))
    from waypost.report._words import count

    print_message(f"{count(len(learned), 'expectation')} added to {target}")
    return 0
