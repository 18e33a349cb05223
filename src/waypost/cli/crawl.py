"""check millions of pages from web archives, folders and sitemaps into Parquet tables

SOURCE is a web archive (.warc .warc.gz), a folder or file of pages, a sitemap (.xml, or the address of one or of a
site), a list of addresses (.txt, one a line), or an address that fsspec knows, such as s3://bucket/crawl/.

Each page is checked as `waypost validate` does, in a process with limits on memory and time: a page that
crashes it becomes a row with the reason. The tables are in DIR: pages, items, findings, shapes; with --render also
renderings. After an interruption --resume does the rest. `waypost report DIR` shows what to fix first.

examples:
  waypost crawl crawl-*.warc.gz --out crawl-2026-11
  waypost crawl https://example.com/sitemap.xml --out crawl-2026-11 --workers 4
  waypost crawl --out crawl-2026-11 --resume
  waypost crawl https://example.com/sitemap.xml --out crawl-2026-11 --render --render-share 0.1
  waypost crawl s3://archive/2026/ --out s3://results/2026-11 --cluster tcp://scheduler:8786
  waypost report crawl-2026-11

exit status: 0 no finding at or above --fail-on, 1 there are some, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import os
import re
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from waypost import __version__, identity
from waypost.cli._access import access, unused
from waypost.cli._arguments import add_address, add_moment, feed_file, number
from waypost.cli._config import add_config, configuration, configurations, together
from waypost.cli._console import UNREADABLE, StatusLine, UsageError, print_message
from waypost.cli._extras import require
from waypost.cli._fetching import add_fetching, crawler_for, limit_urls, read_sitemaps, read_url_lists
from waypost.cli._registry import known_profiles
from waypost.cli._rendering import add_rendering, browser_of, searched_folders, unused_rendering
from waypost.isolation.process import processor_count
from waypost.lint.fetching import policy_for
from waypost.lint.inputs import Input, InputList, collect, is_address, without_excluded
from waypost.models.finding import SEVERITIES
from waypost.reader.sources import without_credentials
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.crawl.analysis import Totals
    from waypost.crawl.folder import CrawlFolder, Plan
    from waypost.crawl.local import Tally
    from waypost.crawl.model import CrawlFile, FetchSettings, RenderSettings, Settings, Unit
    from waypost.crawl.studio import Studio
    from waypost.crawl.tables import Tables
    from waypost.lint.configurations import Configurations
    from waypost.models.finding import FileReport
    from waypost.net.access import Access

PLACE = 15
DEFAULT_SHARE = 0.05
"""Share of the pages to render: the templates of most sites are among one page in twenty."""
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LISTS = (".txt",)
_SITEMAPS = (".xml", ".xml.gz")


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="*", metavar="SOURCE", help="archives, folders, files, sitemaps, lists of addresses")
    add("--out", required=True, metavar="DIR", help="where the tables are written: a new folder, or an s3:// address")
    add(
        "--resume",
        action="store_true",
        help="continue the crawl in DIR, with its sources and settings",
    )
    add("--dry-run", action="store_true", help="list the units of work; read no page")
    add("--workers", type=number, default=0, metavar="N",
        help="processes on this machine; 0 is one for each processor (default)")  # fmt: skip
    add("--cluster", metavar="ADDRESS",
        help="the scheduler of a Dask cluster, as in tcp://scheduler:8786, whose workers reach SOURCE and DIR "
        "(needs waypost[dask])")  # fmt: skip
    add("--stretch", type=_size, default=128 << 20, metavar="SIZE",
        help="bytes of an archive in one unit of work: 128M (default)")  # fmt: skip
    add("--page-seconds", type=_seconds, default=30.0, metavar="S", help="timeout of checking one page in seconds (30)")
    add("--memory", type=_size, default=2 << 30, metavar="SIZE",
        help="most memory of one worker: 2G (default); 0 for no limit")  # fmt: skip
    add("--profile", action="append", default=[], metavar="NAME", dest="profiles",
        help="check all requirements of a profile such as google/recipe, even where no item asks for it")  # fmt: skip
    add("--check-file", action="append", default=[], metavar="FILE|DIR", dest="check_files",
        help="apply a check of your own too, or those of a folder")  # fmt: skip
    add("--feed", action="append", type=feed_file, default=[], metavar="FILE", dest="feeds",
        help="compare the products of all pages with a feed, as waypost validate does; repeat "
        "it for several")  # fmt: skip
    add("--fail-on", choices=(*SEVERITIES, "never"), default="error", metavar="SEVERITY",
        help="exit with 1 from this severity up: error (default), warning, info or never")  # fmt: skip
    add("--no-gitignore", action="store_false", dest="gitignore", default=True,
        help="also search files and folders that .gitignore excludes")  # fmt: skip
    add("-q", "--quiet", action="store_true", help="no summary and no progress")
    add_config(parser)
    add_address(parser)
    add_moment(parser)
    add_fetching(parser)
    add_rendering(parser, has_share=True)
    add("--site", default=os.environ.get("WAYPOST_SITE") or identity.site(), metavar="URL",
        help="the address of a waypost site: findings link to its pages (default: $WAYPOST_SITE)")  # fmt: skip


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d{1,9})([kmg]?)(?:i?b)?", text, re.ASCII | re.IGNORECASE)
    if not found:
        raise ArgumentTypeError(f"{text!r} is not a size; write it as 128M or 2G")
    return int(found[1]) * _SIZES[found[2].lower()]


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", text, re.ASCII) or not float(text):
        raise ArgumentTypeError(f"{text!r} is not a number of seconds; give more than 0")
    return float(text)


def run(args: Namespace) -> int:
    require("waypost crawl", "crawl", *["dask"] * bool(args.cluster))
    from waypost.crawl.folder import CrawlFolder
    from waypost.crawl.storage import StorageError
    from waypost.crawl.tables import published

    if args.stretch < 1 << 10:
        raise UsageError("--stretch: a unit of work has at least 1k")
    args.access = None
    _check_rendering(args)
    folder, schema = CrawlFolder(args.out), published(shared_registry())
    # Before anything is read or written: a crawl of hours must not end at a missing browser.
    browser = browser_of(args) if args.render else None
    with ExitStack() as stack, ExitStack() as rendering:
        plan = _resumed(args, folder) if args.resume else _planned(args, schema)
        if args.dry_run:
            _print_plan(plan, folder.missing(plan), args)
            return 0
        for message in () if plan.settings.render else unused_rendering(args):
            print_message(message)
        units = folder.missing(plan)
        requests = _access(args, plan) if units else None
        studio = _studio(args, plan, units, browser, requests, rendering)
        stack.enter_context(folder.held())
        if args.resume:
            folder.tidy()
        else:
            folder.begin(plan)
        for name, reason in plan.errors:
            print_message(f"{name}: {reason}")
        try:
            if units:
                _run(args, units, folder, plan, schema, requests, studio)
                rendering.close()
            elif not args.quiet:
                print_message(f"{args.out}: nothing is missing")
            _compare(folder, plan, schema)
        except KeyboardInterrupt:
            print_message(f"stopped; {_goes_on(args)}")
            raise SystemExit(130) from None  # 128 + SIGINT, as shells count
        except StorageError as error:
            raise StorageError(f"{error}; {_goes_on(args)}") from None
        return _finish(args, folder, plan)


def _check_rendering(args: Namespace) -> None:
    """Raise UsageError for options about rendering that cannot be together."""
    if args.render_share is not None and not args.render:
        raise UsageError("--render-share needs --render")
    if args.cluster and args.render:
        raise UsageError("--cluster: the browser is on this machine; leave the cluster out, or --render")


def _studio(
    args: Namespace,
    plan: Plan,
    units: Sequence[Unit],
    browser: str | None,
    requests: Access | None,
    stack: ExitStack,
) -> Studio | None:
    """Running browser for the pages of a crawl; None where no page is rendered. Raises UsageError without a browser."""
    render = plan.settings.render
    if render is None or not any(map(_can_be_rendered, units)):
        return None
    if args.cluster:
        raise UsageError("--cluster: this crawl was begun with --render, whose browser is on this machine")
    from waypost.crawl.studio import Studio
    from waypost.render.browsers import NoBrowser

    try:
        return stack.enter_context(Studio(plan.settings, render, browser or browser_of(args), {}, requests))
    except NoBrowser as error:
        raise UsageError(f"--render: {error}") from None


def _can_be_rendered(unit: Unit) -> bool:
    """Whether the browser can be given what the pages of a unit request."""
    from waypost.crawl.model import FilesUnit, SiteUnit
    from waypost.crawl.storage import is_remote

    if isinstance(unit, FilesUnit):
        return any(not is_remote(file.where) for file in unit.files)
    return isinstance(unit, SiteUnit)


def _render_settings(args: Namespace, units: Sequence[Unit]) -> RenderSettings | None:
    """Settings of --render. Raises UsageError where no page can be rendered."""
    if not args.render:
        return None
    from waypost.crawl.model import RenderSettings

    why = "the files that their scripts load cannot be read"
    if not any(map(_can_be_rendered, units)):
        raise UsageError(
            f"--render: archives, and files at addresses such as s3://, cannot be rendered: {why}; "
            "name folders, files, sitemaps or lists of addresses, or try `waypost validate ARCHIVE --render`"
        )
    if not all(map(_can_be_rendered, units)):
        print_message(f"--render: pages of archives, and of addresses such as s3://, are not rendered: {why}")
    folders = tuple(str(each) for each in searched_folders(args.inputs))
    return RenderSettings(
        share=DEFAULT_SHARE if args.render_share is None else args.render_share,
        timeout_s=args.render_timeout,
        folders=folders,
    )


def _resumed(args: Namespace, folder: CrawlFolder) -> Plan:
    plan = folder.resume(shared_registry().version)
    if args.render and (plan.settings.render is None or args.render_share not in {None, plan.settings.render.share}):
        share = f"--render-share {plan.settings.render.share:g}" if plan.settings.render else "no --render"
        raise UsageError(f"--resume: {args.out} was begun with {share}; leave the options out")
    named = _sources(args)
    if named and named != plan.sources:
        raise UsageError(
            f"--resume: {args.out} was begun with other sources ({' '.join(plan.sources)}); leave them out"
        )
    return plan


def _sources(args: Namespace) -> tuple[str, ...]:
    """Sources as they stand in the plan, which is a file: without passwords."""
    return tuple(map(without_credentials, (*args.inputs, *args.urls, *args.sitemap)))


def _planned(args: Namespace, schema: Tables) -> Plan:
    """Plan of a new crawl. Raises UsageError where there is nothing to check."""
    from waypost.crawl.folder import Plan
    from waypost.crawl.plan import numbered

    if not (args.inputs or args.urls or args.sitemap):
        raise UsageError("nothing to crawl; name archives, folders, sitemaps or lists of addresses")
    sources = _sources(args)
    configs = configurations(args)
    with ExitStack() as stack:
        units, errors, fetch, config = _units(args, configs, stack)
    if not units:
        raise UsageError(f"nothing to crawl in {' '.join(sources)}" + "".join(f"; {n}: {why}" for n, why in errors))
    return Plan(
        tables=schema.version,
        waypost=__version__,
        registry=shared_registry().version,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        sources=sources,
        settings=_settings(args, config, fetch, units),
        units=numbered(units),
        errors=tuple(errors),
    )


def _settings(args: Namespace, config: Config, fetch: FetchSettings, units: Sequence[Unit]) -> Settings:
    from waypost.crawl.model import Settings

    return Settings(
        now=args.now or datetime.now(UTC),
        site=args.site,
        profiles=known_profiles(args.profiles),
        config=config.without_fetch(),
        page_s=args.page_seconds,
        memory_bytes=args.memory,
        fetch=fetch,
        feeds=_feeds(args, config),
        render=_render_settings(args, units),
    )


def _feeds(args: Namespace, config: Config) -> tuple[str, ...]:
    """Feeds of products, of the command line or else of the configuration. Raises UsageError for a missing file."""
    setting = config.setting("feeds")
    feeds = args.feeds or (setting.value if setting else ())
    for feed in feeds:
        if not os.path.isfile(feed):  # noqa: PTH113
            raise UsageError(f"--feed: there is no file {feed}")
    return tuple(feeds)


def _units(
    args: Namespace, configs: Configurations, stack: ExitStack
) -> tuple[list[Unit], list[tuple[str, str]], FetchSettings, Config]:
    """(units, sources that cannot be read, settings of fetching, configuration of each file)"""
    from waypost.crawl.plan import archive_units, file_units, site_units
    from waypost.reader.archives import is_archive

    local, files = _sorted_inputs(args)
    found, errors, config = _local_files(local, args, configs)
    files += found
    units: list[Unit] = []
    for file, size in files:
        if is_archive(file.where):
            units += archive_units(file.where, file.path, size, args.stretch)
    units += file_units([(file, size) for file, size in files if _is_plain_page(file)], args.stretch)
    urls, unread = _addresses(args, config, stack)
    units += site_units(without_credentials(item.where) for item in urls)
    return units, errors + unread, _fetch_settings(args, urls), config


def _sorted_inputs(args: Namespace) -> tuple[list[str], list[tuple[CrawlFile, int]]]:
    """(local inputs, remote files with their sizes). Lists and sitemaps among the inputs go to their options."""
    from waypost.crawl.model import CrawlFile
    from waypost.crawl.storage import files_below, is_remote, without_file_scheme
    from waypost.reader.archives import is_archive

    local: list[str] = []
    files: list[tuple[CrawlFile, int]] = []
    for name in map(without_file_scheme, args.inputs):
        if is_address(name) and is_archive(name):
            raise UsageError(f"{name}: archives are not read over HTTP; name a file, or an s3:// address")
        if is_address(name) or name.lower().endswith(_SITEMAPS):
            args.sitemap.append(name)
        elif is_remote(name):
            files += [(CrawlFile(where, where, None, walked=where != name), size) for where, size in files_below(name)]
        elif name.lower().endswith(_LISTS):
            args.urls.append(name)
        else:
            local.append(name)
    return local, files


def _local_files(
    names: Sequence[str], args: Namespace, configs: Configurations
) -> tuple[list[tuple[CrawlFile, int]], list[tuple[str, str]], Config]:
    """(files of this machine with their sizes, names that cannot be read, configuration of each file)"""
    from waypost.config import ConfigError
    from waypost.crawl.model import CrawlFile

    files: list[tuple[CrawlFile, int]] = []
    try:
        found = collect(names, args.base_url, gitignore=args.gitignore, unread=True, configs=configs)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    config = together(configs, args.inputs, found.inputs)
    found = without_excluded(found, config)
    errors = [(name, "there is no page in it") for name in found.empty]
    for item in found.inputs:
        try:
            size = os.stat(item.where).st_size  # noqa: PTH116 - called millions of times
        except OSError as error:
            errors.append((item.path, (error.strerror or str(error)).lower()))
            continue
        files.append((CrawlFile(item.where, item.path, item.url, item.walked), size))
    return files, errors, config


def _fetch_settings(args: Namespace, urls: Sequence[Input]) -> FetchSettings:
    from waypost.crawl.model import FetchSettings

    if not (args.sitemap or urls):  # the modules that fetch would take longer to load than the rest of the command
        return FetchSettings()
    policy = policy_for([*filter(is_address, args.sitemap)], args.allow_private, [item.where for item in urls])
    return FetchSettings(
        rate=args.rate,
        connections=args.connections,
        retries=args.retries,
        timeout_s=args.timeout,
        total_s=args.max_time,
        robots=not args.ignore_robots,
        allow_private=args.allow_private,
        named=() if args.allow_private else tuple(sorted(policy.named)),
        agent="" if args.access.is_own else args.access.agent,
    )


def _is_plain_page(file: CrawlFile) -> bool:
    from waypost.lint.inputs import is_page
    from waypost.reader.archives import is_archive

    return not is_archive(file.where) and (not file.walked or is_page(file.where))


def _addresses(args: Namespace, config: Config, stack: ExitStack) -> tuple[list[Input], list[tuple[str, str]]]:
    """(addresses of lists and sitemaps, sitemaps that cannot be read)"""
    from_lists = read_url_lists(args.urls, args.base_url)
    if not (args.sitemap or from_lists):
        return [], []
    crawler = stack.enter_context(crawler_for(args, config, from_lists, None))
    args.access = crawler.access
    sitemaps = read_sitemaps(args, crawler, len(from_lists))
    inputs = {item.path: item for item in reversed([*from_lists, *sitemaps.inputs])}
    selected = without_excluded(InputList([*reversed(inputs.values())], []), config)
    errors = [(file.path, file.error or "") for file in sitemaps.errors] + [
        (n, "it lists no page") for n in sitemaps.empty
    ]
    return [*limit_urls(selected, args.max_urls).inputs], errors


def _print_plan(plan: Plan, units: list[Unit], args: Namespace) -> None:
    for line in _work_lines(units):
        print(line)
    for name, reason in plan.errors:
        print(f"cannot be read: {name}: {reason}")
    missing = "" if len(units) == len(plan.units) else f"; {len(plan.units) - len(units):,} are done"
    print(f"{len(units):,} units of work into {args.out}{missing}; nothing was read")


def _work_lines(units: list[Unit]) -> Iterator[str]:
    """Line for each kind of unit: stretches of archives, files, sites."""
    from waypost.crawl.model import FilesUnit, SiteUnit, StretchUnit

    stretches = [unit for unit in units if isinstance(unit, StretchUnit)]
    groups = [unit for unit in units if isinstance(unit, FilesUnit)]
    sites = [unit for unit in units if isinstance(unit, SiteUnit)]
    if stretches:
        archives = len({unit.where for unit in stretches})
        total = sum(unit.cost for unit in stretches)
        yield f"{len(stretches):,} stretches of {archives:,} archives, {total / (1 << 20):,.0f} MiB"
    if groups:
        yield f"{sum(len(unit.files) for unit in groups):,} files in {len(groups):,} units"
    if sites:
        yield f"{sum(len(unit.urls) for unit in sites):,} addresses of {len(sites):,} sites, to fetch"


def _run(
    args: Namespace,
    units: list[Unit],
    folder: CrawlFolder,
    plan: Plan,
    schema: Tables,
    requests: Access | None,
    studio: Studio | None,
) -> None:
    from waypost.crawl.local import Tally, run_units

    line, tally = StatusLine(quiet=args.quiet, patience_s=0.5, pace_s=0.2), Tally(units)

    def draw() -> None:
        line.draw(lambda: _progress(tally))

    try:
        if args.cluster:
            from waypost.crawl.cluster import run_on_cluster

            notify = (lambda _: None) if args.quiet else print_message
            run_on_cluster(units, args.out, plan, address=args.cluster, tally=tally, draw=draw, notify=notify)
        else:
            workers = args.workers or processor_count()
            run_units(
                units, folder, plan, schema, workers=workers, tally=tally, draw=draw, access=requests, studio=studio
            )
    finally:
        line.close()
    if not args.quiet:
        print_message(f"{tally.pages:,} pages in {tally.seconds:,.1f} s, {tally.rate():,.0f} a second")


def _access(args: Namespace, plan: Plan) -> Access | None:
    """Secrets for the pages of a crawl; with --resume, given again. None where nothing is fetched."""
    from waypost.crawl.model import SiteUnit

    urls = [url for unit in plan.units if isinstance(unit, SiteUnit) for url in unit.urls]
    if not urls:
        for message in unused(args):
            print_message(message)
        return None
    requests: Access | None = args.access
    if requests is None or args.cluster:
        named = filter(is_address, (*args.inputs, *args.sitemap) or plan.sources)
        requests = access(args, configuration(args), named, urls, netrc=not args.cluster)
    if args.cluster and requests.secrets:
        raise UsageError("--cluster: secrets stay on this machine; leave the cluster out")
    return requests


def _goes_on(args: Namespace) -> str:
    return f"what is done stays done: waypost crawl --out {shlex.quote(args.out)} --resume"


def _compare(folder: CrawlFolder, plan: Plan, schema: Tables) -> None:
    """Write the findings about the pages of each host together, unless they are there."""
    from waypost.crawl import site
    from waypost.crawl.analysis import connect

    if not folder.files.exists(site.FILE):
        site.compare_pages(folder, connect(folder), plan, schema, shared_registry())


def _progress(tally: Tally) -> str:
    left = tally.left_s()
    failed = tally.pages - tally.outcomes["checked"]
    parts = [f"{tally.share():4.0%}", f"{tally.pages:,} pages", f"{tally.rate():,.0f} a second"]
    parts += [f"{failed:,} not checked"] if failed else []
    parts += [f"{_duration(left)} left"] if left is not None else []
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _finish(args: Namespace, folder: CrawlFolder, plan: Plan) -> int:
    """Print the summary of the whole crawl, and return the exit status."""
    from waypost.crawl.analysis import totals
    from waypost.report._words import count

    found = totals(folder)
    counts = {"error": found.errors, "warning": found.warnings, "info": found.infos}
    feeds = _feed_reports(args, folder, plan)
    for report in feeds:
        for finding in report.findings:
            counts[finding.severity] += 1
    if not args.quiet:
        unread = f", {found.pages - found.checked:,} could not be" if found.pages > found.checked else ""
        numbers = ", ".join(
            [count(found.errors, "error"), count(found.warnings, "warning"), count(found.items, "item")]
        )
        for line in _rendering_lines(found, plan):
            print_message(line)
        more = f"waypost report {shlex.quote(args.out)} says more"
        print_message(f"{count(found.checked, 'page')} checked{unread}: {numbers}; {more}")
    if found.checked < found.pages or plan.errors or any(report.error for report in feeds):
        return UNREADABLE
    failing = SEVERITIES[: SEVERITIES.index(args.fail_on) + 1] if args.fail_on != "never" else ()
    return int(any(counts[severity] for severity in failing))


def _rendering_lines(found: Totals, plan: Plan) -> Iterator[str]:
    """Counts of the rendered pages, where a crawl has some."""
    render = plan.settings.render
    if render is None:
        return
    from waypost.report._words import count

    if not found.rendered + found.not_rendered:
        yield f"--render: no page is in the share of {render.share:g}; a larger one is --render-share 1"
        return
    failed = f"; {count(found.not_rendered, 'page')} could not be rendered" if found.not_rendered else ""
    yield f"{count(found.rendered, 'page')} rendered, {found.differ:,} differ after scripts{failed}"


def _feed_reports(args: Namespace, folder: CrawlFolder, plan: Plan) -> list[FileReport]:
    """Reports about the feeds, whose findings and counts are printed."""
    if not plan.settings.feeds:
        return []
    from waypost.crawl.site import feed_reports
    from waypost.report._feeds import feed_lines

    reports = feed_reports(folder)
    for report in reports:
        if report.error:
            print_message(f"{report.path}: {report.error}")
        for each in () if args.quiet else report.findings:
            hint = f"; {each.hint}" if each.hint else ""
            print_message(
                f"{report.path}:{each.line}:{each.column}: {each.severity}[{each.rule}]: {each.message}{hint}"
            )
    for line in () if args.quiet else feed_lines(reports):
        print_message(line)
    return reports
