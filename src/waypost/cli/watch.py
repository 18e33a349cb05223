"""judge pages again whenever they change, until Ctrl-C

Only what has changed is judged again and shown, with what it makes of other pages; the last line counts what is
wrong in all of them. A change of the configuration or of the baseline has everything judged again. Nothing is ever
written: to mend pages, see `waypost validate --fix`.

examples:
  waypost watch public/
  waypost watch src/pages --profile google/recipe

exit status: 0 it was ended by Ctrl-C, 2 wrong usage
"""

from __future__ import annotations

import gc
import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from waypost.cli import _work
from waypost.cli._arguments import add_address, add_moment, number
from waypost.cli._baseline import apply
from waypost.cli._config import add_config, configuration, configuration_path, with_levels, without_excluded
from waypost.cli._console import add_colour, is_terminal
from waypost.cli._inputs import Found, collect
from waypost.cli._reading import Kept
from waypost.cli._registry import known_profiles, registry
from waypost.cli._reports import Target, notes, reader, write_reports
from waypost.cli._run import UsageError, say
from waypost.cli._whole import add_site_findings
from waypost.config import Config, Setting
from waypost.models.finding import FileReport
from waypost.report import View

PLACE = 15
SETTLED_S = 0.1
"""Changes are waited for until nothing has changed for this long: a build writes many pages, and each in pieces."""
MOST_WAITS = 50
AT_REST = 9
"""Between two looks at least so many times as long as one takes: a large site costs a tenth of a processor."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"

Stamp = tuple[int, int, int]


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="*", metavar="FILE|DIR|GLOB", default=["."], help="what to watch (default: this folder)")
    add("--interval", type=seconds, default=0.5, metavar="SECONDS", help="how often to look for changes (default 0.5)")
    add("--profile", action="append", default=[], metavar="NAME", dest="profiles",
        help="judge in full by a profile such as google/recipe")  # fmt: skip
    add("--rule", action="append", default=[], metavar="NAME=LEVEL", dest="levels",
        help="set a rule, or all findings of a profile, to off, info, warning or error")  # fmt: skip
    add("--baseline", metavar="FILE", help="findings that are known: they do not count")
    add("--no-gitignore", action="store_false", dest="gitignore", default=None,
        help="search folders also for what .gitignore names")  # fmt: skip
    add_config(parser)
    add("-v", "--verbose", action="store_true", help="show information too")
    add_colour(parser)
    add("--jobs", type=number, default=None, metavar="N", help="processes to use; 0 is one for each processor")
    add_address(parser)
    add_moment(parser)
    add("--site", default=os.environ.get("WAYPOST_SITE", ""), metavar="URL",
        help="the address of a waypost site, put before the pages of rules (default: $WAYPOST_SITE)")  # fmt: skip


def seconds(text: str) -> float:
    """A pause between two looks."""
    try:
        given = float(text)
    except ValueError:
        given = -1
    if not 0.01 <= given <= 3600:
        raise ArgumentTypeError(f"{text!r} is no pause; give seconds from 0.01 to 3600")
    return given


def run(args: Namespace) -> int:
    for name in args.inputs:
        if name == "-" or name.lower().startswith(("http://", "https://")):
            raise UsageError(f"{name}: only files and folders can be watched")
    watch = Watch(args)
    gc.enable()  # it was turned off for commands that end soon
    try:
        watch.begin()
        took = 0.0
        while True:
            time.sleep(max(args.interval, AT_REST * took))
            began = time.monotonic()
            watch.look()
            took = time.monotonic() - began
    except KeyboardInterrupt:
        return 0


class _Setting(NamedTuple):
    """What holds for all pages, and the state of the files that say so."""

    stamps: dict[str, Stamp | None]
    config: Config
    baseline: str | None


class Watch:
    """What is known of the pages that are watched.

    told   path in the report -> what was last said of the page, also because of what other pages say.
    """

    def __init__(self, args: Namespace) -> None:
        self.args = args
        self.told: dict[str, FileReport] = {}
        self._results: dict[str, _work.Result] = {}
        self._setting = self._settings()
        self._stamps: dict[str, Stamp | None] = {}
        self._has_shown = False

    def begin(self) -> None:
        """Judge everything."""
        from waypost.report._words import count

        self._judge(self._found(), everything=True)
        say(f"watching {count(len(self._stamps), 'file')}; Ctrl-C ends it")

    def look(self) -> bool:
        """Judge what has changed since the last look; False if nothing has."""
        everything = self._setting_changed()
        found = self._found()
        if not everything and _stamps(found) == self._stamps:
            return False
        try:
            self._judge(self._settled(found), everything=everything)
        except UsageError as fault:  # the baseline is gone, or none any more
            say(str(fault))
        return True

    def _settled(self, found: Found) -> Found:
        """The files when nothing changes any more."""
        before = _stamps(found)
        for _ in range(MOST_WAITS):
            time.sleep(SETTLED_S)
            found = self._found()
            now = _stamps(found)
            if now == before:
                break
            before = now
        return found

    def _found(self) -> Found:
        config = self._setting.config
        gitignore = _first(self.args.gitignore, config.setting("gitignore"), True)
        base_url = _first(self.args.base_url, config.setting("base_url"), None)
        return without_excluded(collect(self.args.inputs, base_url, None, gitignore=gitignore), config)

    def _judge(self, found: Found, *, everything: bool) -> None:
        """Judge what is new or different, forget what is gone, and show of what there is something new to say."""
        now = _stamps(found)
        changed = [each for each in found.inputs if everything or now[each.path] != self._stamps.get(each.path)]
        gone = [path for path in self._stamps if path not in now]
        self._stamps = now
        wanted = _work.Wanted(
            now=self.args.now or datetime.now(UTC),
            config=self._setting.config,
            profiles=known_profiles(self.args.profiles),
            site=self.args.site,
        )
        with closing(Kept()) as kept:
            for index, result in _work.judged(changed, wanted, self.args.jobs, kept):
                self._results[changed[index].path] = result
            for path in gone:
                self._results.pop(path, None)
            before, self.told = self.told, self._told(found, wanted, kept)
        paths = {each.path for each in changed}
        fresh = [
            file
            for path, file in self.told.items()
            if path in paths or _said(file) != _said(before.get(path, FileReport(path=path)))
        ]
        self._show(fresh, gone, found)

    def _told(self, found: Found, wanted: _work.Wanted, kept: Kept) -> dict[str, FileReport]:
        """What is to be said of every page, and of all of them together."""
        from msgspec.structs import replace

        results = [replace(self._results[each.path]) for each in found.inputs]
        for result in results:
            if result.file is not None:
                copies = [replace(each) for each in result.file.findings]
                result.file = replace(result.file, findings=copies, suppressed=[*result.file.suppressed])
        if len(results) > 1:
            add_site_findings(found.inputs, results, wanted, kept)
        files = [result.file for result in results if result.file is not None]
        if self._setting.baseline:
            apply(files, found, self._setting.baseline, rewrite=False, quiet=True)
        return {file.path: file for file in files}

    def _show(self, fresh: list[FileReport], gone: list[str], found: Found) -> None:
        from waypost.report._words import verdict
        from waypost.validate import report

        view = View(
            read=reader(found, Kept()),
            rules=notes(self.args.site),
            verbose=self.args.verbose,
            quiet=True,
            baseline=bool(self._setting.baseline),
        )
        if is_terminal(sys.stdout):
            sys.stdout.write(_CLEAR)
        elif self._has_shown:
            sys.stdout.write("\n")
        self._has_shown = True
        for path in gone:
            sys.stdout.write(f"{path} is gone\n")
        write_reports(report(fresh, registry()), [Target("text", None)], view, self.args.colour)
        all_ = report([*self.told.values()], registry())
        sys.stdout.write(f"{datetime.now().astimezone():%H:%M:%S} {verdict(all_)}\n")
        sys.stdout.flush()

    def _settings(self) -> _Setting:
        """Raises UsageError where the configuration cannot be used."""
        path = configuration_path(self.args)
        config = with_levels(configuration(self.args), self.args.levels)
        baseline = _first(self.args.baseline, config.setting("baseline"), None)
        files = [path, *(source for _, source in config.parts), baseline]
        return _Setting({str(each): _stamp(str(each)) for each in files if each}, config, baseline)

    def _setting_changed(self) -> bool:
        """Read the configuration again if it has changed; one that cannot be used is told, and the old one kept."""
        path = configuration_path(self.args)
        now = {name: _stamp(name) for name in self._setting.stamps}
        if now == self._setting.stamps and (path is None or str(path) in now):
            return False
        try:
            self._setting = self._settings()
        except UsageError as fault:
            say(f"{fault}; what held before still does")
            self._setting = self._setting._replace(stamps=now | ({str(path): _stamp(str(path))} if path else {}))
            return False
        return True


def _said(file: FileReport) -> list[tuple[str, str, str]]:
    return [(each.rule, each.fingerprint, each.severity) for each in file.findings]


def _first(given: Any, held: Setting | None, otherwise: Any) -> Any:
    """What the command line says, else the configuration."""
    if given is not None:
        return given
    return held.value if held else otherwise


def _stamps(found: Found) -> dict[str, Stamp | None]:
    return {each.path: _stamp(each.where) for each in found.inputs}


def _stamp(path: str) -> Stamp | None:
    """When and how a file was last changed, as far as can be seen without reading it; None if it is not there."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
