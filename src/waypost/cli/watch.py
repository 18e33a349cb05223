"""check pages again whenever they change; Ctrl-C ends it

Checks and shows only changed pages, and pages that the change affects; the last line counts the findings of all pages.
A URL is requested every five seconds at most. With --render, the scripts of changed pages run again; a changed script
alone changes no page: save a page that loads it.
After a change of the configuration or the baseline all pages are checked again. Writes nothing: to fix pages, use
`waypost validate --fix`.

examples:
  waypost watch public/
  waypost watch src/pages --profile google/recipe
  waypost watch http://localhost:3000/ --auth "ci:$PASSWORD"
  waypost watch public/ --render

exit status: 0 ended by Ctrl-C, 2 wrong usage
"""

from __future__ import annotations

import gc
import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waypost import identity
from waypost.cli._access import add_access, unused
from waypost.cli._arguments import add_address, add_moment, add_template, number
from waypost.cli._baseline import KnownFindings
from waypost.cli._config import add_config, configurations, main_of, print_warnings, together
from waypost.cli._console import UsageError, add_colour, is_terminal, print_message
from waypost.cli._registry import known_profiles
from waypost.cli._rendering import add_rendering, render_results, renderer_for, unused_rendering
from waypost.cli._reports import Target, write_reports
from waypost.config import Config, ConfigError
from waypost.lint.inputs import InputList, collect, has_magic, is_address, without_excluded
from waypost.lint.named_profiles import settle_profiles
from waypost.lint.page import LintOptions, Result
from waypost.lint.page_sources import PageStore
from waypost.lint.results import ResultList
from waypost.lint.rule_notes import rule_notes
from waypost.lint.run import validate_inputs
from waypost.lint.site_findings import add_site_findings
from waypost.lint.texts import reader
from waypost.models.finding import FileReport
from waypost.registry import shared_registry
from waypost.report import View

if TYPE_CHECKING:
    from waypost.cli._watched_urls import WatchedUrls
    from waypost.render.renderer import Renderer

PLACE = 15
SETTLED_S = 0.1
"""Pause without a change before pages are checked: a build writes many pages, piece by piece."""
MAX_WAITS = 50
REST_FACTOR = 9
"""Pause between two polls in multiples of the time a poll takes: a large site costs a tenth of a processor."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"

Stamp = tuple[int, int, int]


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="*", metavar="FILE|DIR|GLOB|URL", default=["."], help="what to watch (default: this folder)")
    add("--interval", type=seconds, default=0.5, metavar="SECONDS", help="seconds between two checks for changes (0.5)")
    add("--profile", action="append", default=[], metavar="NAME", dest="profiles",
        help="check all requirements of a profile such as google/recipe")  # fmt: skip
    add("--check-file", action="append", default=[], metavar="FILE|DIR", dest="check_files",
        help="apply a check of your own too, or those of a folder")  # fmt: skip
    add("--rule", action="append", default=[], metavar="NAME=LEVEL", dest="levels",
        help="set the severity of a rule or profile: off, info, warning or error")  # fmt: skip
    add("--baseline", metavar="FILE", help="file of known findings, which do not count")
    add("--no-gitignore", action="store_false", dest="gitignore", default=None,
        help="also search files and folders that .gitignore excludes")  # fmt: skip
    add_template(add)
    add_config(parser)
    add("-v", "--verbose", action="store_true", help="also show findings of severity info")
    add_colour(parser)
    add("--jobs", type=number, default=None, metavar="N", help="processes to use; 0 is one for each processor")
    add_address(parser)
    add_moment(parser)
    add("--site", default=os.environ.get("WAYPOST_SITE") or identity.site(), metavar="URL",
        help="the address of a waypost site: findings link to its pages (default: $WAYPOST_SITE)")  # fmt: skip
    add("--allow-private", action="store_true", help="request a URL on a private network too")
    add_access(parser)
    add_rendering(parser)


def seconds(text: str) -> float:
    """Pause between two polls, 0.01 to 3600 seconds."""
    try:
        given = float(text)
    except ValueError:
        given = -1
    if not 0.01 <= given <= 3600:
        raise ArgumentTypeError(f"{text!r} is not a pause; give seconds from 0.01 to 3600")
    return given


def run(args: Namespace) -> int:
    for name in args.inputs:
        if name == "-":
            raise UsageError("-: only files, folders and URLs can be watched")
        if is_address(name):
            continue
        # A pattern may match pages later, and so may an empty folder; a misspelled name never does.
        if not has_magic(name) and not os.path.lexists(name):
            raise UsageError(f"{name}: no such file or directory; name a file, a folder or a pattern that is there")
    watch = Watch(args)
    gc.enable()  # `main` disables it, for commands that end soon
    try:
        watch.begin()
        took = 0.0
        while True:
            # Polling works on every file system; its cost is bounded by the time that it takes.
            time.sleep(max(args.interval, REST_FACTOR * took))
            began = time.monotonic()
            watch.poll()
            took = time.monotonic() - began
    except KeyboardInterrupt:
        return 0
    finally:
        watch.close()


class _Setting(NamedTuple):
    """Configuration of every page and baselines, with the stamps of their files."""

    stamps: dict[str, Stamp | None]
    config: Config
    known: KnownFindings


class Watch:
    """State of the watched pages.

    reports  path in the report -> last report of the page, with the findings about the site as a whole.
    """

    def __init__(self, args: Namespace) -> None:
        self.args = args
        self.reports: dict[str, FileReport] = {}
        self._results: dict[str, Result] = {}
        self._has_baseline_option = args.baseline is not None
        args.write_baseline, args.baseline_by, args.quiet = None, None, True
        self._configs = configurations(args, args.levels)
        self._inputs = self._search()
        self._setting = self._settings(self._inputs)
        self._last_error: str | None = None
        self._stamps: dict[str, Stamp | None] = {}
        self._has_output = False
        self._web = self._watched_urls()
        self._stack = ExitStack()
        for message in unused_rendering(args):
            print_message(message)
        self._renderer = self._opened_renderer() if args.render else None

    def begin(self) -> None:
        """Check every page."""
        from waypost.report._words import count

        self._validate(self._collect(), everything=True)
        print_message(f"watching {count(len(self._stamps), 'page' if self._web else 'file')}; Ctrl-C ends it")

    def poll(self) -> bool:
        """Check the pages changed since the last poll; False without a change."""
        self._configs.renew()  # a configuration may have come or gone
        everything = self._setting_changed()
        inputs = self._collect()
        if not everything and self._stamps_of(inputs) == self._stamps:
            return False
        # One poll may see a page half written by the build.
        try:
            self._validate(self._wait_until_settled(inputs), everything=everything)
        except UsageError as error:  # the baseline was deleted, or is not a baseline any more
            print_message(str(error))
        return True

    def close(self) -> None:
        # The browser first: the crawler of the URLs makes its requests.
        self._stack.close()
        if self._web:
            self._web.close()

    def _opened_renderer(self) -> Renderer:
        """Renderer for the whole watch. Raises UsageError without a browser."""
        crawler = self._web.crawler if self._web else None
        if crawler is None:
            from waypost.net.crawl import Crawler

            crawler = self._stack.enter_context(Crawler(robots=False))
        args = Namespace(**{**vars(self.args), "quiet": False})
        try:
            return renderer_for(args, self._setting.config, crawler, self._stack)
        except UsageError:
            self.close()
            raise

    def _watched_urls(self) -> WatchedUrls | None:
        """Requests of the URLs among the inputs; None without one. Raises UsageError for an unusable secret."""
        urls = [name for name in self.args.inputs if is_address(name)]
        if not urls:
            for message in unused(self.args):
                print_message(message)
            return None
        from waypost.cli._watched_urls import WatchedUrls

        return WatchedUrls(self.args, self._setting.config, urls)

    def _stamps_of(self, inputs: InputList) -> dict[str, Stamp | None]:
        """State of every page, by which a change is seen."""
        if self._web is None:
            return {item.path: _stamp(item.where) for item in inputs.inputs}
        web = self._web
        web.refresh([item.where for item in inputs.inputs if item.kind == "url"])
        return {
            item.path: web.stamp(item.where) if item.kind == "url" else _stamp(item.where) for item in inputs.inputs
        }

    def _store(self, inputs: InputList) -> PageStore:
        return self._web.store(inputs.inputs) if self._web else PageStore()

    def _wait_until_settled(self, inputs: InputList) -> InputList:
        """Inputs once no file has changed for `SETTLED_S` seconds."""
        before = self._stamps_of(inputs)
        for _ in range(MAX_WAITS):
            time.sleep(SETTLED_S)
            inputs = self._collect()
            now = self._stamps_of(inputs)
            if now == before:
                # A build that writes without a pause is checked anyway after `MAX_WAITS` rounds.
                break
            before = now
        return inputs

    def _search(self) -> InputList:
        """Every page of the watched folders. Raises UsageError for an unusable configuration."""
        try:
            return collect(
                self.args.inputs, self.args.base_url, None, gitignore=self.args.gitignore, configs=self._configs,
                sources=self.args.template != "no",
            )  # fmt: skip
        except ConfigError as error:
            raise UsageError(str(error)) from None

    def _collect(self) -> InputList:
        try:
            self._inputs = self._search()
        except UsageError:
            pass  # reported as a change of the settings
        return without_excluded(self._inputs, self._setting.config)

    def _validate(self, inputs: InputList, *, everything: bool) -> None:
        """Check new and changed pages, drop deleted ones, and print the reports that differ from the last ones."""
        now = self._stamps_of(inputs)
        # A folder that disappears is an input without a stamp; it is reported, and its pages are gone until it is back.
        changed = [
            item
            for item in inputs.inputs
            if everything or item.path not in self._stamps or now[item.path] != self._stamps[item.path]
        ]
        gone = [path for path, stamp in self._stamps.items() if path not in now and stamp is not None]
        self._stamps = now
        options = LintOptions(
            now=self.args.now or datetime.now(UTC),
            config=self._setting.config,
            profiles=known_profiles(self.args.profiles),
            site=self.args.site,
            template=self.args.template,
        )
        with closing(self._store(inputs)) as store:
            results = ResultList(len(changed), in_memory=True)
            for index, result in validate_inputs(changed, options, self.args.jobs, store, self._web):
                results[index] = result
            if self._renderer is not None:
                render_results(changed, results, options, store, self._renderer, self.args)
            self._results |= {item.path: result for item, result in zip(changed, results, strict=True)}
            self._results = {path: result for path, result in self._results.items() if path in now}
            # Findings about the site depend on every page: a page can get or lose one without having changed itself.
            before, self.reports = self.reports, self._site_reports(inputs, options, store)
            paths = {item.path for item in changed}
            fresh = [
                file
                for path, file in self.reports.items()
                if path in paths or _identities(file) != _identities(before.get(path, FileReport(path=path)))
            ]
            # With the same store, which has the pages after their scripts.
            self._print(fresh, gone, inputs, store)

    def _site_reports(self, inputs: InputList, options: LintOptions, store: PageStore) -> dict[str, FileReport]:
        """Reports of every page, with findings about the site. `_results` stays unchanged."""
        from msgspec.structs import replace

        # Copies, since findings about the site are added to the reports and differ from poll to poll.
        results = [replace(self._results[item.path]) for item in inputs.inputs]
        for result in results:
            if result.file is not None:
                copies = [replace(finding) for finding in result.file.findings]
                result.file = replace(result.file, findings=copies, suppressed=[*result.file.suppressed])
        settle_profiles(inputs.inputs, results, options)
        if len(results) > 1:
            add_site_findings(inputs.inputs, results, options, store)
        files = [result.file for result in results if result.file is not None]
        self._setting.known.apply(files, inputs, is_whole_site=True)
        return {file.path: file for file in files}

    def _print(self, fresh: list[FileReport], gone: list[str], inputs: InputList, store: PageStore) -> None:
        from waypost.report._frame import visible
        from waypost.report._notes import rendering_lines
        from waypost.report._words import verdict
        from waypost.validate import build_report

        # A terminal shows the present state alone; a log keeps every report.
        if is_terminal(sys.stdout):
            sys.stdout.write(_CLEAR)
        elif self._has_output:
            sys.stdout.write("\n")
        self._has_output = True
        for path in gone:
            sys.stdout.write(f"{path} is gone\n")
        view = View(
            read=reader(inputs, store),
            rules=partial(rule_notes, self.args.site, self._setting.config.each()),
            verbose=self.args.verbose,
            quiet=True,
            baseline=bool(self._setting.known),
        )
        write_reports(build_report(fresh, shared_registry()), [Target("text", None)], view, self.args.colour)
        for line in rendering_lines(fresh):
            sys.stdout.write(f"{visible(line)}\n")
        total = build_report([*self.reports.values()], shared_registry())
        sys.stdout.write(f"{datetime.now().astimezone():%H:%M:%S} {verdict(total)}\n")
        sys.stdout.flush()

    def _settings(self, inputs: InputList) -> _Setting:
        """Read configurations and baselines. Raises UsageError where one cannot be used."""
        main = main_of(self._configs, self.args.inputs)
        config = together(self._configs, self.args.inputs, inputs.inputs, self.args.levels)
        args = Namespace(**vars(self.args))
        if not self._has_baseline_option:
            args.baseline = setting.value if (setting := main.setting("baseline")) else None
        known = KnownFindings(args, is_one=self._has_baseline_option, is_checked=False)
        known.use(config)
        print_warnings(self._configs, config, inputs.inputs)
        files = [file for each in config.each() for file in each.files]
        return _Setting({path: _stamp(path) for path in (*files, *known.paths)}, config, known)

    def _setting_changed(self) -> bool:
        """Read changed configurations again. An unusable file is reported, and the old settings stay."""
        try:
            inputs = self._search()
            files = together(self._configs, self.args.inputs, inputs.inputs).each()
        except UsageError as error:
            return self._report_unusable(error)
        now = {name: _stamp(name) for name in self._setting.stamps}
        if now == self._setting.stamps and all(name in now for each in files for name in each.files):
            self._last_error = None
            return False
        try:
            # A configuration is often saved half edited: the watch goes on and waits for the next save.
            self._setting = self._settings(inputs)
        except UsageError as error:
            return self._report_unusable(error)
        self._last_error = None
        return True

    def _report_unusable(self, error: UsageError) -> bool:
        # Once, and not at every poll.
        if self._last_error != str(error):
            print_message(f"{error}; what held before still does")
        self._last_error = str(error)
        return False


def _identities(file: FileReport) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.fingerprint, finding.severity) for finding in file.findings]


def _stamp(path: str) -> Stamp | None:
    """(time of the last change in ns, size in bytes, inode); None for a missing file."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
