"""find every fault of the structured data in pages, and say exactly where it is

FILE may be HTML (.html .htm .xhtml), JSON-LD (.json .jsonld), Markdown (.md .markdown: JSON-LD and elements in the
text, and JSON in the front matter), a web archive (.warc), any of them compressed (.gz), or anything else that holds
HTML or JSON. A folder is searched for such files; hidden ones are left out.

examples:
  waypost validate public/
  waypost validate 'public/**/*.html' --profile google/article --format sarif --output waypost.sarif
  waypost validate https://example.com/ --fail-on warning
  waypost validate --sitemap https://example.com/sitemap.xml --modified-since 7d
  waypost validate public/ --output sarif=waypost.sarif --output html=waypost.html
  waypost validate public/ --diff
  waypost validate public/ --since origin/main
  waypost validate public/ --baseline waypost-baseline.json --write-baseline
  curl -s https://example.com/ | waypost validate - --base-url https://example.com/

a page says itself what is put up with, and why (RULE may be left out for all of them):
  <!-- waypost-ignore RULE, RULE: reason -->           in the next element
  <!-- waypost-ignore-start RULE: reason --> and <!-- waypost-ignore-end -->   between the two
  <!-- waypost-ignore-file RULE: reason -->            in the whole page
  <div data-waypost-ignore="RULE: reason">             in this element

exit status: 0 no finding at or above --fail-on, 1 there are some, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from waypost.cli import _work
from waypost.cli._arguments import add_address, add_moment, count, number
from waypost.cli._baseline import apply, check_writable
from waypost.cli._config import add_config, configuration, with_levels, without_excluded
from waypost.cli._console import Progress, add_colour, write, write_bytes
from waypost.cli._fetching import add_fetching, crawler_for, from_lists, from_sitemaps, in_words, limited
from waypost.cli._inputs import DATA, Found, collect
from waypost.cli._mending import Mending
from waypost.cli._reading import Kept
from waypost.cli._registry import known_profiles, registry
from waypost.cli._reports import Target, notes, reader, targets, write_reports
from waypost.cli._run import UNREADABLE, UsageError, say
from waypost.cli._whole import add_site_findings
from waypost.config import Config
from waypost.formats.text import near
from waypost.models.finding import SEVERITIES, FileReport, Report
from waypost.net.presence import PAGES
from waypost.report import View, format_names

if TYPE_CHECKING:
    from waypost.cli._cache import Cache
    from waypost.cli._since import Change
    from waypost.net.crawl import Crawler

PLACE = 10
FINDINGS = 1


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="*", metavar="FILE|DIR|GLOB|URL|-", help="what to check; - is standard input")
    add(
        "--format",
        choices=format_names(),
        default=None,
        metavar="FORMAT",
        help=f"{', '.join(format_names())} (default text)",
    )
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    add("--output", action="append", default=[], metavar="[FORMAT=]FILE",
        help="write the report there, whole or not at all; FORMAT=FILE is one more, as often as you like")  # fmt: skip
    add("--statistics", action="store_true", help="in place of the findings, how often each rule found something")
    add("--since", metavar="REF",
        help="count only what was not there at this commit of git; pages that are the same are left out")  # fmt: skip
    add("--no-gitignore", action="store_false", dest="gitignore", default=None,
        help="search folders also for what .gitignore names")  # fmt: skip
    add("--force-exclude", action="store_true",
        help="leave out what the configuration excludes even where it is named, as hooks name every file")  # fmt: skip
    add("--profile", action="append", default=[], metavar="NAME", dest="profiles",
        help="judge in full by a profile such as google/recipe, even where no item asks for it")  # fmt: skip
    add("--fix", action="store_const", const="fix", default="", dest="mending",
        help="make every safe repair in the files themselves, then report what is left; of - the mended page is "
        "written to standard output")  # fmt: skip
    add("--diff", action="store_const", const="diff", dest="mending",
        help="show what --fix would change, and change nothing; exit with 1 if there is something")  # fmt: skip
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: also repairs that guess at what was meant")
    add("--baseline", metavar="FILE", help="findings that are known: they are marked and do not count")
    add("--write-baseline", nargs="?", const="", default=None, metavar="FILE",
        help="write everything that is found to the baseline: FILE, else that of --baseline")  # fmt: skip
    add("--show-suppressed", action="store_true",
        help="show also what does not count: suppressed in the page, or in the baseline")  # fmt: skip
    add("--rule", action="append", default=[], metavar="NAME=LEVEL", dest="levels",
        help="set a rule, or all findings of a profile, to off, info, warning or error")  # fmt: skip
    add_config(parser)
    add("--max-warnings", type=count, default=None, metavar="N", help="exit with 1 if there are more warnings than N")
    add("--fail-on", choices=(*SEVERITIES, "never"), default=None, metavar="SEVERITY",
        help="exit with 1 from this severity up: error (default), warning, info or never")  # fmt: skip
    add("--syntax", action="append", default=[], metavar="LIST", dest="syntaxes",
        help="judge only these of json-ld, microdata, rdfa (default: all three); opengraph, microformat, dublincore, "
        "rdfa-full are listed besides (needs waypost[syntaxes])")  # fmt: skip
    add("-v", "--verbose", action="store_true", help="show information too, and the items of each page")
    add("-q", "--quiet", action="store_true", help="no summary and no progress")
    add_colour(parser)
    add("--jobs", type=number, default=None, metavar="N",
        help="processes to use; 0 is one for each processor (default: 1 for few files, else 0)")  # fmt: skip
    add("--cache", metavar="DIR",
        help="keep what was found in DIR, so that pages that have not changed are not judged again (default: "
        ".waypost-cache beside the configuration; none without one)")  # fmt: skip
    add("--no-cache", action="store_true", help="neither use nor keep what was found before")
    add("--cache-strict", action="store_true",
        help="read every page to see whether it has changed, whatever its size and time say")  # fmt: skip
    add_address(parser)
    add("--stdin-name", metavar="NAME", help="what to call standard input; its ending says what it holds")
    add_moment(parser)
    add_fetching(parser)
    add("--site", default=os.environ.get("WAYPOST_SITE", ""), metavar="URL",
        help="the address of a waypost site, put before the pages of rules (default: $WAYPOST_SITE)")  # fmt: skip


def run(args: Namespace) -> int:
    if not (args.inputs or args.urls or args.sitemap):
        raise UsageError("nothing to check; name files, folders or URLs, or - for standard input")
    if [*args.inputs, *args.urls].count("-") > 1:
        raise UsageError("standard input can be read once; name it once")
    targets(args.output, args.format)
    config = with_levels(configuration(args), args.levels)
    _fill(args, config)
    baseline = _baseline(args)
    syntaxes, secondary = _syntaxes(args.syntaxes)
    wanted = _work.Wanted(
        now=args.now or datetime.now(UTC),
        config=config,
        profiles=known_profiles(args.profiles),
        syntaxes=syntaxes,
        secondary=secondary,
        site=args.site,
        allow_private=args.allow_private,
        mending=args.mending,
        unsafe=args.unsafe_fixes,
    )
    if args.mending == "fix" and "-" in args.inputs and len(args.inputs) > 1:
        raise UsageError("--fix: mend standard input alone; its page goes to standard output")
    if args.unsafe_fixes and not args.mending:
        raise UsageError("--unsafe-fixes says which repairs to make; add --fix to make them, or --diff to see them")
    with ExitStack() as ends:
        return _run(args, config, wanted, baseline, ends)


def _run(args: Namespace, config: Config, wanted: _work.Wanted, baseline: str | None, ends: ExitStack) -> int:
    from waypost.validate import report

    cache = _cache(args, config, wanted)
    wanted = msgspec.structs.replace(wanted, caching=cache is not None)
    found, troubles, crawler = _found(args, config, cache, ends)
    change = _since(args.since, found)
    found = change.found if change else found
    kept = ends.enter_context(closing(Kept()))
    results = _judged(found, wanted, kept, crawler, cache, args)
    if cache:
        cache.save(quiet=args.quiet)
    if change:
        troubles += change.mark_known(results, wanted, kept, cache)
    elif len(results) > 1:
        add_site_findings(found.inputs, results, wanted, kept)
    files = [*(result.file for result in results if result.file is not None), *troubles]
    if baseline:
        apply(files, found, baseline, rewrite=args.write_baseline is not None, quiet=args.quiet)
    made = report(files, registry(), skipped=sum(result.file is None for result in results))
    if args.verbose:
        for what, result in zip(found.inputs, results, strict=True):
            if result.why:
                say(f"{what.path}: skipped, {result.why}")
    if not args.quiet and (fates := in_words(files)):
        say(fates)
    if args.mending:
        return _finish_mending(made, results, found, kept, args)
    return _finish(made, found, kept, args)


def _cache(args: Namespace, config: Config, wanted: _work.Wanted) -> Cache | None:
    if args.no_cache or wanted.mending or wanted.secondary:
        return None
    from waypost.cli._cache import Cache, folder_for

    setting = config.setting("cache")
    folder = folder_for(args.cache, setting.value if setting else None, config.path)
    return Cache(folder, registry(), wanted.now, strict=args.cache_strict) if folder else None


def _judged(
    found: Found,
    wanted: _work.Wanted,
    kept: Kept,
    crawler: Crawler | None,
    cache: Cache | None,
    args: Namespace,
) -> list[_work.Result]:
    """What became of every input, in their order."""
    progress = Progress(len(found.inputs), args.quiet)
    results = [_work.Result()] * len(found.inputs)
    faulty = 0
    for done, (index, result) in enumerate(_work.judged(found.inputs, wanted, args.jobs, kept, crawler, cache), 1):
        results[index] = result
        faulty += bool(result.file and result.file.findings)
        progress(done, faulty)
    progress.close()
    return results


def _found(
    args: Namespace, config: Config, cache: Cache | None, ends: ExitStack
) -> tuple[Found, list[FileReport], Crawler | None]:
    """(what to check, what went wrong with lists of it, who fetches what is on the web)"""
    found = collect(args.inputs, args.base_url, args.stdin_name, gitignore=args.gitignore)
    listed = from_lists(args.urls, args.base_url)
    if not (args.sitemap or listed or any(each.kind == "url" for each in found.inputs)):
        return without_excluded(found, config, named_too=args.force_exclude), [], None
    named = [*found.inputs, *listed]
    answers = ends.enter_context(closing(cache.answers())) if cache else None
    crawler = ends.enter_context(crawler_for(args, named, answers))
    more = from_sitemaps(args, crawler, sum(each.kind == "url" for each in named))
    inputs = {(each.kind, each.path): each for each in reversed([*named, *more.inputs])}
    unchanged = bool(more.left_out) and not inputs
    all_ = Found([*reversed(inputs.values())], [*found.empty, *more.empty], unchanged)
    left = without_excluded(all_, config, named_too=args.force_exclude)
    return limited(left, args.max_urls), more.troubles, crawler


def _since(ref: str | None, found: Found) -> Change | None:
    if not ref:
        return None
    from waypost.cli._since import changed_since

    return changed_since(ref, found)


def _fill(args: Namespace, config: Config) -> None:
    """What the command line leaves open, the configuration says."""
    defaults = {"fail_on": "error", "max_warnings": None, "base_url": None, "baseline": None, "gitignore": True}
    for name, otherwise in defaults.items():
        if getattr(args, name) is None:
            held = config.setting(name)
            setattr(args, name, held.value if held else otherwise)


def _baseline(args: Namespace) -> str | None:
    """The baseline to use."""
    if args.write_baseline is None:
        return str(args.baseline) if args.baseline else None
    path = args.write_baseline or args.baseline
    if not path:
        raise UsageError("--write-baseline: name the file, as in --baseline waypost-baseline.json --write-baseline")
    check_writable(path)
    return str(path)


def _finish_mending(made: Report, results: list[_work.Result], found: Found, kept: Kept, args: Namespace) -> int:
    """Show or write what was mended; what is said about it goes to standard error."""
    told = [(each.file.path, each.mending) for each in results if each.file and each.mending]
    through = next((mending.data for _, mending in told if mending.data is not None), None)
    if args.mending == "diff":
        write(mending.diff for _, mending in told)
    elif through is not None:
        write_bytes(through)
    for path, mending in told:
        for why in mending.left:
            say(f"{path}:{why}" if why[:1].isdigit() else f"{path}: {why}")
    if not args.quiet:
        say(_mended(args.mending, [mending for _, mending in told]))
    judged = _finish(made, found, kept, args, shown=args.mending == "fix" and through is None)
    if args.mending == "diff" and judged != UNREADABLE:
        return FINDINGS if any(mending.fixed for _, mending in told) else 0
    return judged


def _mended(mode: str, all_of_them: list[Mending]) -> str:
    from waypost.report import _words

    fixed, files = sum(each.fixed for each in all_of_them), sum(bool(each.fixed) for each in all_of_them)
    unsafe = sum(each.unsafe for each in all_of_them)
    verb = "would be made" if mode == "diff" else "made"
    said = f"{_words.count(fixed, 'repair')} {verb} in {_words.count(files, 'file')}" if fixed else f"no repairs {verb}"
    return said + (f"; {unsafe:,} more with --unsafe-fixes" if unsafe else "")


def _finish(made: Report, found: Found, kept: Kept, args: Namespace, *, shown: bool = True) -> int:
    """Write the reports; the exit status. Not `shown`: only those to files, standard output has something else."""
    asked = [each for each in targets(args.output, args.format) if shown or each.path is not None]
    view = View(
        read=reader(found, kept),
        rules=notes(args.site),
        verbose=args.verbose,
        quiet=args.quiet,
        suppressed=args.show_suppressed,
        baseline=bool(args.baseline or args.write_baseline or args.since),
        statistics=args.statistics,
    )
    asked_for = dict.fromkeys([*args.inputs, *args.urls, *args.sitemap])
    empty = [*found.empty] if made.files else [*asked_for] * (not found.unchanged)
    status = _status(made, args, bool(empty))
    write_reports(made, asked, view, args.colour)
    for each in empty:
        say(f"nothing to check: no page in {each} ({' '.join((*PAGES, *DATA))}, or one of them with .gz)")
    if Target("text", None) not in asked:
        for file in made.files:
            if file.error is not None:
                say(f"{file.path}: {file.error}")
    if not args.quiet and shown and all(each.path for each in asked):
        from waypost.report._words import verdict

        say(f"{verdict(made)}; the report is in {' and '.join(str(each.path) for each in asked)}")
    return status


def _status(made: Report, args: Namespace, empty: bool) -> int:
    if empty or any(file.error is not None for file in made.files):
        return UNREADABLE
    summary = made.summary
    if args.max_warnings is not None and summary.warnings > args.max_warnings:
        return FINDINGS
    counts = {"error": summary.errors, "warning": summary.warnings, "info": summary.infos}
    if args.fail_on == "never":
        return 0
    return FINDINGS if any(counts[each] for each in SEVERITIES[: SEVERITIES.index(args.fail_on) + 1]) else 0


_SYNTAXES = ("json-ld", "microdata", "rdfa")
_SECONDARY = ("opengraph", "microformat", "dublincore", "rdfa-full")


def _syntaxes(listed: list[str]) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """(the syntaxes to judge, None for all; those to list besides)"""
    known = (*_SYNTAXES, *_SECONDARY)
    asked = [name.strip().lower() for each in listed for name in each.split(",") if name.strip()]
    for name in asked:
        if name not in known:
            meant = near(name, known)
            hint = f"; did you mean {meant[0]}?" if meant else f"; there are {', '.join(known)}"
            raise UsageError(f"--syntax: there is no syntax named {name!r}{hint}")
    besides = tuple(name for name in _SECONDARY if name in asked)
    if besides:
        _need_extruct(besides)
    return frozenset(asked).intersection(_SYNTAXES) or None, besides


def _need_extruct(syntaxes: tuple[str, ...]) -> None:
    from waypost.errors import MissingExtra
    from waypost.extract.secondary import read_secondary

    try:
        read_secondary(b"", syntaxes)
    except MissingExtra as missing:
        raise UsageError(f"--syntax: {missing}") from None
