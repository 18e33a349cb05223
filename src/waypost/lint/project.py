"""Project: validation of single pages with the project's configuration and baseline.

Changed files are read again, so that an editor, a watcher or a test run needs no restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from waypost import baseline as baselines
from waypost import validate
from waypost.baseline import BaselineError, Known
from waypost.config import Config, ConfigError, apply, load
from waypost.lint.configurations import Configurations, Stamp, stamp
from waypost.lint.known import name_from
from waypost.lint.own_requirements import registry_for
from waypost.lint.written_in import Tracer
from waypost.models.finding import FileReport
from waypost.models.page import Page
from waypost.registry import Registry
from waypost.validate.rulebook import former_names, rule_names

if TYPE_CHECKING:
    from waypost.lint.config_warnings import ConfigWarning

UNKNOWN = "-"
"""Path of a page without a file."""


class Project:
    """Validator for pages, each under the configuration of its folder.

    config   configuration for every page; None: the nearest file in or above the page's folder, or no
             configuration with `use_config` False.
    home     start folder of the search for a configuration, for a page without a file.
    site     base URL of `doc_url`.

    tracer   finds the source lines of findings on built pages.
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
        self._home = home or Path.cwd()
        everywhere = None if use_config and config is None else Config()
        self._configs = Configurations(self._read, everywhere=everywhere)
        self._path = config
        self.tracer = Tracer()
        self._warnings: dict[str, tuple[Stamp, list[ConfigWarning]]] = {}
        self._baselines: dict[str, tuple[Stamp, Known]] = {}

    def configure(self, home: Path | None, site: str | None) -> None:
        """Set options that are known only after the start; None leaves an option unchanged."""
        self._home = home or self._home
        self.site = self.site if site is None else site

    def config(self, where: str = UNKNOWN) -> Config:
        """Configuration for a page. Raises ConfigError."""
        if self._path is not None:
            return self._configs.at(self._path)
        self._configs.renew()  # a file may have come or gone since
        return self._configs.of(where) if where != UNKNOWN else self._configs.of_folder(str(self._home))

    def config_warnings(self, where: str = UNKNOWN) -> list[ConfigWarning]:
        """Warnings about the configuration for a page: settings without effect. Raises ConfigError."""
        from waypost.lint.config_warnings import misnamed_tables, warnings_about

        config = self.config(where)
        misnamed = [*misnamed_tables(self._configs.folders())]
        now = stamp(config.files)
        known = self._warnings.get(config.path or "")
        if known is None or known[0] != now:
            known = self._warnings[config.path or ""] = now, [*warnings_about(config)] if config.parts else []
        return [*misnamed, *known[1]]

    def _read(self, path: Path) -> Config:
        return load(path, rule_names(), self.registry.profile_names)

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
            page, registry_for(config, self.registry), now=now, profiles=names, site=self.site, also=config.also
        )
        if not profiles:  # the configuration's profiles are about the pages that have them
            report.findings[:] = [finding for finding in report.findings if finding.rule != "profile-not-found"]
        if settings.rules or settings.ignore:
            apply(report, settings, former_names())
        if use_baseline and where != UNKNOWN and (baseline := config.setting("baseline")):
            self._mark_known(report, baseline.value, where)
        return report

    def _mark_known(self, file: FileReport, path: str, where: str) -> None:
        now = stamp([path])
        if not now:
            return  # the configured baseline does not exist yet
        known = self._baselines.get(path)
        if known is None or known[0] != now:
            try:
                known = self._baselines[path] = now, baselines.read(Path(path).read_bytes())
            except BaselineError as error:
                raise ConfigError(f"{path}: {error}") from None
            except OSError as error:
                raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}") from None
        name = name_from(path, where)
        baselines.mark([file], known[1], lambda _: name)
