"""Project: validation of single pages with the project's configuration and baseline.

Changed files are read again, so that an editor, a watcher or a test run needs no restart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from waypost import baseline as baselines
from waypost import validate
from waypost.baseline import BaselineError, Known
from waypost.config import Config, ConfigError, apply, find, load
from waypost.lint.known import name_from
from waypost.models.finding import FileReport
from waypost.models.page import Page
from waypost.registry import Registry
from waypost.validate.rulebook import former_names, rule_names

_Stamp = tuple[tuple[str, int, int], ...]
UNKNOWN = "-"
"""Path of a page without a file."""


class _Cached(NamedTuple):
    """Configuration or baseline with the state of the source files."""

    stamp: _Stamp
    value: Config | Known


class Project:
    """Validator for pages, each under the configuration of its folder.

    config   configuration for every page; None: the nearest file in or above the page's folder, or no
             configuration with `use_config` False.
    home     start folder of the search for a configuration, for a page without a file.
    site     base URL of `doc_url`.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        config: Path | None = None,
        use_config: bool = True,
        home: Path | None = None,
        site: str = "",
    ) -> None:
        self.registry = registry
        self.site = site
        self._path = config
        self._use_config = use_config
        self._home = home or Path.cwd()
        self._configs: dict[str, _Cached] = {}
        self._baselines: dict[str, _Cached] = {}

    def configure(self, home: Path | None, site: str | None) -> None:
        """Set options that are known only after the start; None leaves an option unchanged."""
        self._home = home or self._home
        self.site = self.site if site is None else site

    def config(self, where: str = UNKNOWN) -> Config:
        """Configuration for a page. Raises ConfigError."""
        folder = Path(where).parent if where != UNKNOWN else self._home
        path = self._path or (find(folder) if self._use_config else None)
        if path is None:
            return Config()
        known = self._configs.get(str(path))
        # A stat per file instead of reading and checking the TOML for every page.
        if known is None or known.stamp != _stamp(name for name, _, _ in known.stamp):
            config = load(path, rule_names(), self.registry.profile_names)
            # Of every extended file, too: a change in any of them counts.
            known = _Cached(_stamp((str(path), *(source for _, source in config.parts))), config)
            self._configs[str(path)] = known
        assert isinstance(known.value, Config)
        return known.value

    def check(
        self, page: Page, where: str = UNKNOWN, *, now: datetime | None = None, profiles: Sequence[str] = (),
        config: Config | None = None, use_baseline: bool = True,
    ) -> FileReport:  # fmt: skip
        """Report about a page, ignored and known findings in `suppressed`. Raises ConfigError.

        profiles  profiles to check in full; by default the profiles of the configuration.
        config    configuration for the page, to save a second lookup.
        """
        config = config or self.config(where)
        settings = config.for_page(where)
        names = tuple(profiles) or (settings.profiles.value if settings.profiles else ())
        report = validate.validate_parsed(
            page, self.registry, now=now, profiles=names, site=self.site, also=config.also
        )
        if not profiles:  # the configuration's profiles are about the pages that have them
            report.findings[:] = [finding for finding in report.findings if finding.rule != "profile-not-found"]
        if settings.rules or settings.ignore:
            apply(report, settings, former_names())
        if use_baseline and where != UNKNOWN and (baseline := config.setting("baseline")):
            self._mark_known(report, baseline.value, where)
        return report

    def _mark_known(self, file: FileReport, path: str, where: str) -> None:
        stamp = _stamp([path])
        if not stamp:
            return  # the configured baseline does not exist yet
        known = self._baselines.get(path)
        if known is None or known.stamp != stamp:
            try:
                known = _Cached(stamp, baselines.read(Path(path).read_bytes()))
            except BaselineError as error:
                raise ConfigError(f"{path}: {error}") from None
            except OSError as error:
                raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}") from None
            self._baselines[path] = known
        assert not isinstance(known.value, Config)
        name = name_from(path, where)
        baselines.mark([file], known.value, lambda _: name)


def _stamp(paths: Iterable[str]) -> _Stamp:
    """(path, mtime in ns, size) of the existing files."""
    found = []
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue
        found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)
