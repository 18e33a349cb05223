"""find errors in the structured data of pages, each with its line and column

FILE may be HTML (.html .htm .xhtml), JSON-LD (.json .jsonld), Markdown (.md .markdown: JSON-LD and elements in the
text, and JSON in the front matter), a web archive (.warc), any of them compressed (.gz), or any other file with
HTML or JSON. Sources are checked too: templates (.liquid .njk .twig .php .vue and more), where what the engine computes
is unknown and not reported, and with waypost[sources] the JSON-LD in code (.js .ts .tsx .mdx .yaml and more).
Folders are searched for such files, except hidden ones.

examples:
  waypost validate public/
  waypost validate 'public/**/*.html' --profile google/article --output waypost.sarif
  waypost validate https://example.com/ --fail-on warning
  waypost validate --sitemap https://example.com/sitemap.xml --modified-since 7d
  waypost validate public/ --render
  waypost validate public/ --output sarif=waypost.sarif --output html=waypost.html
  waypost validate public/ --feed feed.tsv
  waypost validate public/ --diff
  waypost validate public/ --since origin/main
  waypost validate public/ --baseline waypost-baseline.json --write-baseline
  curl -s https://example.com/ | waypost validate - --base-url https://example.com/

comments in a page ignore findings, with a reason (without RULE: all findings):
  <!-- waypost-ignore RULE, RULE: reason -->           in the next element
  <!-- waypost-ignore-start RULE: reason --> and <!-- waypost-ignore-end -->   between the two
  <!-- waypost-ignore-file RULE: reason -->            in the entire page
  <div data-waypost-ignore="RULE: reason">             in this element
  // waypost-ignore RULE: reason                       in code: in the next member or object

exit status: 0 no finding at or above --fail-on, 1 there are some, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from waypost import identity
from waypost.cli._arguments import add_address, add_moment, add_template, count, feed_file, number
from waypost.cli._baseline import KnownFindings
from waypost.cli._config import add_config, configurations, main_of, print_warnings, together
from waypost.cli._console import (
    UNREADABLE,
    Progress,
    UsageError,
    add_colour,
    coloured,
    print_message,
    width_of,
    write,
    write_bytes,
)
from waypost.cli._fetching import add_fetching, crawler_for, fetch_summary, limit_urls, read_sitemaps, read_url_lists
from waypost.cli._registry import known_profiles
from waypost.cli._rendering import add_rendering, render_results, renderer_for
from waypost.cli._reports import Target, targets, write_reports
from waypost.config import Config, ConfigError
from waypost.formats.text import near
from waypost.isolation.process import RELEASE_AFTER, release_free_memory
from waypost.lint.inputs import IN_MEMORY, InputList, by_path, collect, why_without_page, without_excluded
from waypost.lint.named_profiles import settle_profiles
from waypost.lint.own_requirements import registry_for
from waypost.lint.page import LintOptions, Result
from waypost.lint.page_sources import PageStore
from waypost.lint.results import ReportFiles, ResultList
from waypost.lint.rule_notes import rule_notes
from waypost.lint.run import validate_inputs
from waypost.lint.texts import reader
from waypost.lint.thresholds import Thresholds, failing_severities, is_failing
from waypost.models.finding import SEVERITIES, FileReport, Report
from waypost.reader.sources import without_credentials
from waypost.registry import shared_registry
from waypost.report import View, format_names

if TYPE_CHECKING:
    from waypost.lint.caches import Caches
    from waypost.lint.configurations import Configurations
    from waypost.lint.fixing import FixResult
    from waypost.lint.git_changes import GitChange
    from waypost.net.crawl import Crawler

PLACE = 10
FINDINGS = 1
MANY_FILES, MANY_FINDINGS = 20, 50
"""Size of a run after which a baseline is suggested."""


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    report, fixing, known, selection, speed = (
        parser.add_argument_group(title).add_argument
        for title in ("report", "fix", "known and ignored findings", "what is checked", "processes and cache")
    )
    add("inputs", nargs="*", metavar="FILE|DIR|GLOB|URL|-", help="what to check; - reads standard input")
    _add_report(report)
    _add_fixing(fixing)
    _add_known(known)
    _add_selection(selection)
    _add_speed(speed)
    add("--feed", action="append", type=feed_file, default=[], metavar="FILE", dest="feeds",
        help="compare the products of the pages with a feed: Merchant Center (TSV, RSS, Atom), OpenAI (CSV, TSV, JSON "
        "lines), JSON of the Agentic Commerce Protocol or UCP, also .gz; repeat it for several")  # fmt: skip
    add("--rule", action="append", default=[], metavar="NAME=LEVEL", dest="levels",
        help="set the severity of a rule or profile: off, info, warning or error")  # fmt: skip
    add_config(parser)
    add("--max-warnings", type=count, default=None, metavar="N", help="exit with 1 if there are more warnings than N")
    add("--fail-on", choices=(*SEVERITIES, "never"), default=None, metavar="SEVERITY",
        help="exit with 1 from this severity up: error (default), warning, info or never")  # fmt: skip
    add("--fail-on-empty", action="store_true",
        help="exit with 1 if a named page, or every page of a folder or list, has no structured data")  # fmt: skip
    add_colour(parser)
    add_address(parser)
    add_moment(parser)
    add_fetching(parser)
    add_rendering(parser)


def _add_report(add: Callable[..., object]) -> None:
    add(
        "--format",
        choices=format_names(),
        default=None,
        metavar="FORMAT",
        help=f"{', '.join(format_names())} (default text)",
    )
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    add("--output", action="append", default=[], metavar="[FORMAT=]FILE",
        help="write the report to a file, in the format of --format, else of the file's ending "
        "(.json .ndjson .sarif .xml .html .md); repeat FORMAT=FILE for further reports")  # fmt: skip
    add("--group-by", choices=("cause", "page"), default=None,
        help="in sarif, github, gitlab, junit and html: alike findings of all pages together (default for several "
        "pages), or each finding at its page")  # fmt: skip
    add("--statistics", action="store_true", help="count the findings of each rule instead of listing them")
    add("--explain", action="store_true",
        help="add the documentation of each rule with a finding to the text report")  # fmt: skip
    add("-v", "--verbose", action="store_true", help="also show findings of severity info, and the items of each page")
    add("-q", "--quiet", action="store_true", help="no summary and no progress")
    add("--site", default=os.environ.get("WAYPOST_SITE") or identity.site(), metavar="URL",
        help="the address of a waypost site: findings link to its pages (default: $WAYPOST_SITE)")  # fmt: skip


def _add_fixing(add: Callable[..., object]) -> None:
    add("--fix", action="store_true", dest="is_fixing",
        help="apply every safe fix to the files, then report the rest; findings of severity info are fixed with "
        "--verbose, or if --rule names their rule; with - the fixed page is written to standard output")  # fmt: skip
    add("--diff", "--dry-run", action="store_const", const="diff", default="", dest="fix_mode",
        help="show what --fix would change, and change nothing, also next to --fix; exit with 1 if there is "
        "something")  # fmt: skip
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that guess the meaning")


def _add_known(add: Callable[..., object]) -> None:
    add("--since", metavar="REF",
        help="count only findings that are new since this git commit; unchanged pages are skipped")  # fmt: skip
    add("--baseline", metavar="FILE", help="file of known findings, which are marked and do not count")
    add("--write-baseline", nargs="?", const="", default=None, metavar="FILE",
        help="write all findings to the baseline: FILE, else that of --baseline")  # fmt: skip
    add("--baseline-by", choices=("cause", "value"), default=None,
        help="with --write-baseline: know findings by cause, so that other values and further pages of a template are "
        "not new (default for several pages), or each by page and value")  # fmt: skip
    add("--show-suppressed", action="store_true",
        help="also show findings that are suppressed in the page, or in the baseline")  # fmt: skip


def _add_selection(add: Callable[..., object]) -> None:
    add("--no-gitignore", action="store_false", dest="gitignore", default=None,
        help="also search files and folders that .gitignore excludes")  # fmt: skip
    add("--force-exclude", action="store_true",
        help="apply the configuration's excludes also to named files (for hooks, which name every file)")  # fmt: skip
    add("--profile", action="append", default=[], metavar="NAME", dest="profiles",
        help="check all requirements of a profile such as google/recipe, also where no item has its type; "
        "or those of a file of your own, ./product.json")  # fmt: skip
    add("--check-file", action="append", default=[], metavar="FILE|DIR", dest="check_files",
        help="apply a check of your own, or those of a folder; `waypost schema meta/check` shows the form")  # fmt: skip
    add("--syntax", action="append", default=[], metavar="LIST", dest="syntaxes",
        help="check only these of json-ld, microdata, rdfa (default: all three); opengraph, microformat, dublincore, "
        "rdfa-full are also listed (needs waypost[syntaxes])")  # fmt: skip
    add_template(add)
    add("--stdin-name", metavar="NAME", help="file name of standard input, for the report; its ending sets the format")


def _add_speed(add: Callable[..., object]) -> None:
    add("--jobs", type=number, default=None, metavar="N",
        help="processes to use; 0 is one for each processor (default: 1 for few files, else 0)")  # fmt: skip
    add("--cache", metavar="DIR",
        help="keep results in DIR, so that unchanged pages are not checked again (default: "
        ".waypost-cache next to the configuration; none without one)")  # fmt: skip
    add("--no-cache", action="store_true", help="neither use nor keep earlier results")
    add("--cache-strict", action="store_true",
        help="read every page to detect changes, instead of its size and time")  # fmt: skip


def run(args: Namespace) -> int:
    # In any order: `--dry-run --fix` must not write, as it does not with other tools.
    args.fix_mode = args.fix_mode or ("fix" if args.is_fixing else "")
    _check_arguments(args)
    configs = configurations(args, args.levels)
    config = main_of(configs, args.inputs)
    if not args.quiet:
        _print_without_effect(args, config)
    named = (args.fail_on is not None, args.max_warnings is not None)
    is_one_baseline = args.baseline is not None or bool(args.write_baseline)
    _fill(args, config)
    args.thresholds = Thresholds(args.fail_on, args.max_warnings, *named)
    known = KnownFindings(args, is_one=is_one_baseline)
    syntaxes, secondary = _syntaxes(args.syntaxes)
    options = LintOptions(
        now=args.now or datetime.now(UTC),
        config=config,
        profiles=known_profiles(args.profiles),
        syntaxes=syntaxes,
        secondary=secondary,
        site=args.site,
        template=args.template,
        allow_private=args.allow_private,
        fix_mode=args.fix_mode,
        unsafe=args.unsafe_fixes,
        fix_infos=args.verbose,
        fix_rules=frozenset(level.partition("=")[0].strip() for level in args.levels),
        with_products=bool(args.feeds),
    )
    if args.fix_mode == "fix" and "-" in args.inputs and len(args.inputs) > 1:
        raise UsageError("--fix: fix standard input alone; its page goes to standard output")
    if args.render and args.fix_mode:
        raise UsageError("--render reports and --fix changes files: give one of them")
    if args.unsafe_fixes and not args.fix_mode:
        raise UsageError("--unsafe-fixes needs --fix, which applies the fixes, or --diff, which shows them")
    with ExitStack() as stack:
        return _run(args, configs, options, known, stack)


def _print_without_effect(args: Namespace, config: Config) -> None:
    from waypost.cli._without_effect import without_effect

    setting = config.setting("cache")
    is_cached = bool(args.cache or (config.path and not (setting and setting.value is False)))
    is_cached = is_cached and not (args.no_cache or args.fix_mode or _syntaxes(args.syntaxes)[1])
    for message in without_effect(args, targets(args.output, args.format), is_cached=is_cached):
        print_message(message)


def _check_arguments(args: Namespace) -> None:
    """Raise UsageError where the arguments name no page, standard input twice, or an impossible output."""
    if not (args.inputs or args.urls or args.sitemap):
        raise UsageError("nothing to check; name files, folders or URLs, or - for standard input")
    if [*args.inputs, *args.urls].count("-") > 1:
        raise UsageError("standard input can be read once; name it once")
    targets(args.output, args.format)


def _run(args: Namespace, configs: Configurations, options: LintOptions, known: KnownFindings, stack: ExitStack) -> int:
    from waypost.validate import build_report

    cache = _cache(args, options)
    found, errors, crawler, config = _collect(args, configs, cache, stack)
    cache = cache if cache and cache.has_any(config) else None
    options = msgspec.structs.replace(options, caching=cache is not None, config=config)
    known.use(config)
    if not args.quiet:
        print_warnings(configs, config, found.inputs)
    change = _since(args.since, found)
    found = change.selection if change else found
    store = stack.enter_context(closing(PageStore()))
    results = stack.enter_context(
        closing(ResultList(len(found.inputs), in_memory=bool(change or known or args.fix_mode)))
    )
    # Before the pages are read: a run without a browser says so at once.
    renderer = renderer_for(args, config, crawler, stack) if args.render else None
    _validate(found, options, store, crawler, cache, args, results)
    if renderer is not None:
        render_results(found.inputs, results, options, store, renderer, args)
    if cache and (why := cache.save()) and not args.quiet:
        print_message(why)
    lacking = settle_profiles(found.inputs, results, options)
    if change:
        errors += change.mark_known(results, options, store, cache)
    elif len(results) > 1:
        from waypost.lint.site_findings import add_site_findings

        add_site_findings(found.inputs, results, options, store)
    if args.feeds:
        from waypost.lint.feed_findings import add_feed_findings

        errors += add_feed_findings(args.feeds, found.inputs, results, options)
    if (config.parts or config.nested) and not (change or args.syntaxes):
        from waypost.lint.expectations import unmet_expectations
        from waypost.lint.unused_ignores import unused_ignores

        files_so_far = ReportFiles(results, errors)
        errors += unused_ignores(config, args.inputs, found.inputs, files_so_far, args.site)
        errors += unmet_expectations(config, args.inputs, found.inputs, files_so_far, args.site)
    files = ReportFiles(results, errors)
    known.apply(files, found, is_whole_site=change is None)
    is_text = all(target.name == "text" for target in targets(args.output, args.format))
    report = build_report(files, None if is_text else shared_registry(), skipped=files.skipped)
    _print_skipped(found, results, files, args)
    for each in () if args.quiet else lacking:
        print_message(f"{each.profile}: nothing for it on {each.pages:,} of {each.of:,} pages, such as {each.first}")
    if args.fix_mode:
        return _finish_fixes(report, results, found, store, args, options.config)
    return _finish(report, found, store, args, options.config)


def _print_skipped(found: InputList, results: Sequence[Result], files: Sequence[FileReport], args: Namespace) -> None:
    """Print which files could not be read (with --verbose), and a summary of the pages from the web."""
    if args.verbose:
        for item, result in zip(found.inputs, results, strict=True):
            if result.why:
                print_message(f"{item.path}: skipped, {result.why}")
    if not args.quiet and (summary := fetch_summary(files)):
        print_message(summary)


def _cache(args: Namespace, options: LintOptions) -> Caches | None:
    if args.no_cache or options.fix_mode or options.secondary:
        return None
    from waypost.lint.caches import Caches

    return Caches(args.cache, shared_registry(), options.now, strict=args.cache_strict)


def _validate(
    found: InputList,
    options: LintOptions,
    store: PageStore,
    crawler: Crawler | None,
    cache: Caches | None,
    args: Namespace,
    results: ResultList,
) -> None:
    """Validate the inputs and store the results."""
    if len(found.inputs) > IN_MEMORY and not args.quiet:
        _print_without_folder()
    progress = Progress(len(found.inputs), args.quiet)
    with_findings = 0
    arrived = validate_inputs(found.inputs, options, args.jobs, store, crawler, cache)
    for done, (index, result) in enumerate(arrived, 1):
        results[index] = result
        with_findings += bool(result.file and result.file.findings)
        progress(done, with_findings)
        if done % RELEASE_AFTER == 0:
            release_free_memory()
    progress.close()


def _print_without_folder() -> None:
    from waypost.spill import has_folder

    if not has_folder():
        print_message("results stay in memory: no folder for temporary files can be written (TMPDIR may name one)")


def _collect(
    args: Namespace, configs: Configurations, cache: Caches | None, stack: ExitStack
) -> tuple[InputList, list[FileReport], Crawler | None, Config]:
    """(inputs, reports of unreadable sitemaps, crawler for the URLs among the inputs, configuration of each file)"""
    try:
        found = collect(
            args.inputs, args.base_url, args.stdin_name, gitignore=args.gitignore, configs=configs,
            sources=args.template != "no",
        )  # fmt: skip
    except ConfigError as error:
        raise UsageError(str(error)) from None
    config = together(configs, args.inputs, found.inputs, args.levels)
    from_lists = read_url_lists(args.urls, args.base_url or config.base_url)
    if not (args.sitemap or from_lists or any(item.kind == "url" for item in found.inputs)):
        return without_excluded(found, config, named_too=args.force_exclude), [], None, config
    named = [*found.inputs, *from_lists]
    responses = stack.enter_context(closing(stored)) if cache and (stored := cache.responses(config)) else None
    crawler = stack.enter_context(crawler_for(args, config, named, responses))
    more = read_sitemaps(args, crawler, sum(item.kind == "url" for item in named))
    # Of two inputs with the same path the first counts: in reverse order it replaces the later one.
    inputs = {(item.kind, item.path): item for item in reversed([*named, *more.inputs])}
    unchanged = bool(more.left_out) and not inputs
    every = InputList([*reversed(inputs.values())], [*found.empty, *more.empty], unchanged, found.passed_by)
    selected = without_excluded(every, config, named_too=args.force_exclude)
    return limit_urls(selected, args.max_urls), more.errors, crawler, config


def _since(ref: str | None, found: InputList) -> GitChange | None:
    if not ref:
        return None
    from waypost.lint.git_changes import GitError, changed_since

    try:
        return changed_since(ref, found)
    except GitError as error:
        raise UsageError(f"--since: {error}") from None


def _fill(args: Namespace, config: Config) -> None:
    """Set options left open on the command line from the configuration of the run, else to defaults."""
    args.feeds = args.feeds or ((setting := config.setting("feeds")) and setting.value) or []
    defaults = {"fail_on": "error", "max_warnings": None, "baseline": None}
    for name, default in defaults.items():
        if getattr(args, name) is None:
            setting = config.setting(name)
            setattr(args, name, setting.value if setting else default)


def _finish_fixes(
    report: Report, results: Sequence[Result], found: InputList, store: PageStore, args: Namespace, config: Config
) -> int:
    """Write the diff, or the fixed page of standard input, then the reports; the exit status."""
    fixes = [(result.file.path, result.fixes) for result in results if result.file and result.fixes]
    fixed_stdin = next((fix.data for _, fix in fixes if fix.data is not None), None)
    if args.fix_mode == "diff":
        write(fix.diff for _, fix in fixes)
    elif fixed_stdin is not None:
        write_bytes(fixed_stdin)
    _print_fix_messages(fixes, args)
    to_stdout = args.fix_mode == "fix" and fixed_stdin is None
    status = _finish(report, found, store, args, config, to_stdout=to_stdout)
    # As formatters do with a diff: a job of CI fails where something can be fixed, whatever else was found.
    if args.fix_mode == "diff" and status != UNREADABLE:
        return FINDINGS if any(fix.fixed for _, fix in fixes) else 0
    return status


def _print_fix_messages(fixes: list[tuple[str, FixResult]], args: Namespace) -> None:
    for path, fix in fixes:
        for why in fix.left:
            print_message(f"{path}:{why}" if why[:1].isdigit() else f"{path}: {why}")
    if not args.quiet:
        print_message(_fix_summary(args.fix_mode, [fix for _, fix in fixes]))


def _fix_summary(mode: str, fixes: list[FixResult]) -> str:
    from waypost.report._words import count

    fixed, files = sum(fix.fixed for fix in fixes), sum(bool(fix.fixed) for fix in fixes)
    unsafe = sum(fix.unsafe for fix in fixes)
    verb = "can be fixed" if mode == "diff" else "fixed"
    summary = f"{count(fixed, 'finding')} {verb} in {count(files, 'file')}" if fixed else f"nothing {verb}"
    return summary + (f"; {unsafe:,} {'more ' if fixed else ''}with --unsafe-fixes" if unsafe else "")


def _finish(
    report: Report, found: InputList, store: PageStore, args: Namespace, config: Config, *, to_stdout: bool = True
) -> int:
    """Write the reports and return the exit status. `to_stdout` False: standard output is in use, write only files."""
    outputs = [target for target in targets(args.output, args.format) if to_stdout or target.path is not None]
    is_text = Target("text", None) in outputs
    failing = failing_severities(report, args.thresholds, config, found.inputs)
    view = View(
        read=reader(found, store),
        rules=partial(rule_notes, args.site, config.each()),
        verbose=args.verbose,
        quiet=args.quiet,
        suppressed=args.show_suppressed,
        baseline=bool(args.has_baseline or args.since),
        statistics=args.statistics,
        failing=failing.everywhere,
        failing_by_path=failing.by_path,
        group_by=args.group_by,
    )
    empty = _inputs_without_pages(report, found, args)
    is_unreadable = bool(empty) or any(file.error is not None for file in report.files)
    status = UNREADABLE if is_unreadable else int(is_failing(report, failing))
    if args.fail_on_empty and status == 0 and (missing := _without_data(report, found)):
        print_message(missing)
        status = FINDINGS
    write_reports(report, outputs, view, args.colour)
    if args.explain and is_text:
        write(_explanations(report, view, config.each()))
    for name in empty:
        print_message(why_without_page(name))
    for name in () if args.quiet else found.passed_by:
        print_message(f"{name} was not searched (git ignores it, or its name is hidden): name it to check its pages")
    if not is_text:
        _print_errors(report)
    if not args.quiet and to_stdout:
        _print_written(report, outputs)
        if is_text and status == FINDINGS and not args.fix_mode:
            _suggest_baseline(report, args)
    return status


def _suggest_baseline(report: Report, args: Namespace) -> None:
    """Print, after the first run over an existing site, the command that makes its findings known."""
    findings = report.summary.errors + report.summary.warnings
    if args.has_baseline or args.since or len(report.files) < MANY_FILES or findings < MANY_FINDINGS:
        return
    import shlex

    inputs = " ".join(shlex.quote(without_credentials(name)) for name in args.inputs) or "..."
    print_message(
        "to fail on new findings only, make these known: "
        f"waypost validate {inputs} --baseline waypost-baseline.json --write-baseline"
    )


def _without_data(report: Report, found: InputList) -> str:
    """Message about missing structured data: on a page that is named, or on all pages of folders and lists."""
    find = by_path(found.inputs)
    empty = searched = 0
    for file in report.files:
        item = find(file.path)
        if item is None:
            continue
        if item.walked or item.from_list:
            searched += 1
            empty += file.absence is not None
        elif file.absence is not None:
            return f"{file.path}: no structured data (--fail-on-empty)"
    return f"no structured data on any of {searched:,} pages (--fail-on-empty)" if 0 < empty == searched else ""


def _inputs_without_pages(report: Report, found: InputList, args: Namespace) -> list[str]:
    if report.files:
        return [*found.empty]
    # That every page is excluded, or unchanged since --since, is not a mistake.
    named = map(without_credentials, [*args.inputs, *args.urls, *args.sitemap])
    return [] if found.unchanged else [*dict.fromkeys(named)]


def _print_written(report: Report, outputs: Sequence[Target]) -> None:
    """Print verdict and places of the reports, where nothing of them was shown."""
    if all(target.path for target in outputs):
        from waypost.report._words import verdict

        print_message(f"{verdict(report)}; the report is in {' and '.join(str(target.path) for target in outputs)}")


def _print_errors(report: Report) -> None:
    """Print why files could not be read, which only a text report on standard output shows."""
    for file in report.files:
        if file.error is not None:
            print_message(f"{file.path}: {file.error}")


def _explanations(report: Report, view: View, configs: Sequence[Config]) -> Iterator[str]:
    """Documentation of each rule and profile with a finding in the text report, in alphabetical order."""
    from waypost.cli.rules import explanation
    from waypost.report._terminal import Paint
    from waypost.validate.rulebook import rules_of

    registries = [registry_for(each) for each in configs]
    books = [rules_of(registry) for registry in registries]
    names: set[str | None] = set()
    sentences: dict[str, dict[str, None]] = {}
    for file in report.files:
        for finding in view.counting(file):
            if finding.search_console:
                sentences.setdefault(finding.rule, {})[finding.search_console] = None
            rule = next((book[finding.rule] for book in books if finding.rule in book), None)
            by_profile = finding.profile and rule is not None and rule.engine == "profiles"
            names |= {finding.profile, finding.rule} if by_profile else {finding.rule}
    paint = Paint(coloured("auto", sys.stdout))
    for name in sorted(filter(None, names)):
        yield "\n"
        registry = next(
            each for each, book in zip(registries, books, strict=True) if name in book or name in each.profile_names
        )
        yield from explanation(registry, name, paint, width_of(sys.stdout) or 100)
        for sentence in sentences.get(name, ()):
            yield f"Search Console's sentence for a finding above: {sentence}\n"


_SYNTAXES = ("json-ld", "microdata", "rdfa")
_SECONDARY = ("opengraph", "microformat", "dublincore", "rdfa-full")


def _syntaxes(arguments: list[str]) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """(syntaxes to check, None for no limit; further syntaxes to list). Raises UsageError."""
    known = (*_SYNTAXES, *_SECONDARY)
    names = [name.strip().lower() for argument in arguments for name in argument.split(",") if name.strip()]
    for name in names:
        if name not in known:
            similar = near(name, known)
            hint = f"; did you mean {similar[0]}?" if similar else f"; there are {', '.join(known)}"
            raise UsageError(f"--syntax: there is no syntax named {name!r}{hint}")
    secondary = tuple(name for name in _SECONDARY if name in names)
    if secondary:
        _require_extruct(secondary)
    return frozenset(names).intersection(_SYNTAXES) or None, secondary


def _require_extruct(syntaxes: tuple[str, ...]) -> None:
    from waypost.errors import MissingExtra
    from waypost.reader.secondary import read_secondary

    try:
        read_secondary(b"", syntaxes)
    except MissingExtra as missing:
        raise UsageError(f"--syntax: {missing}") from None
