"""A project as those who judge its files one by one see it: what its configuration says, and what its baseline knows.

Both are read again when they have changed, so that an editor, a watcher or a test run need not be started anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from waypost import baseline as baselines
from waypost import validate
from waypost.baseline import Baseline, BaselineError
from waypost.config import Config, ConfigError, apply, find, load
from waypost.extract import read_data, read_page
from waypost.extract.markdown import read_markdown
from waypost.models.finding import FileReport
from waypost.models.page import Page
from waypost.registry import Registry
from waypost.validate.rulebook import former_names, rule_names

__all__ = ["UNKNOWN", "Kind", "Project", "read"]

Kind = Literal["html", "json", "markdown"]

_Stamp = tuple[tuple[str, int, int], ...]
UNKNOWN = "-"
"""Where a page lies that is no file."""


def read(
    data: bytes,
    kind: Kind,
    registry: Registry,
    *,
    path: str = UNKNOWN,
    url: str | None = None,
    media_type: str | None = None,
    encoding: str | None = None,
) -> Page:
    """A page that was read. Of HTML the encoding may be insisted on; everything else is UTF-8."""
    words = registry.vocabulary
    if kind == "json":
        return read_data(data, words, path=path, url=url)
    if kind == "markdown":
        return read_markdown(data, words, path=path, url=url)
    return read_page(data, words, path=path, url=url, media_type=media_type, encoding=encoding)


class _Read(NamedTuple):
    """Something that was read, and the state of the files it came from."""

    stamp: _Stamp
    value: Config | Baseline


class Project:
    """Judges pages under the configuration that holds for each.

    config   the configuration to use wherever a page lies; None: the nearest one in or above its folder, or
             none at all where `use_config` is False.
    home     the folder from which a configuration is looked for where a page is no file.
    site     the address in front of the pages of rules.
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
        self._configs: dict[str, _Read] = {}
        self._baselines: dict[str, _Read] = {}

    def settle(self, home: Path | None, site: str | None) -> None:
        """Take over what is known only now; None leaves it as it is."""
        self._home = home or self._home
        self.site = self.site if site is None else site

    def config(self, where: str = UNKNOWN) -> Config:
        """What holds for a page. Raises ConfigError."""
        folder = Path(where).parent if where != UNKNOWN else self._home
        path = self._path or (find(folder) if self._use_config else None)
        if path is None:
            return Config()
        known = self._configs.get(str(path))
        if known is None or known.stamp != _stamp(each[0] for each in known.stamp):
            config = load(path, rule_names(), self.registry.profile_names)
            known = _Read(_stamp((str(path), *(source for _, source in config.parts))), config)
            self._configs[str(path)] = known
        assert isinstance(known.value, Config)
        return known.value

    def judge(
        self, page: Page, where: str = UNKNOWN, *, now: datetime | None = None, profiles: Sequence[str] = (),
        config: Config | None = None, use_baseline: bool = True,
    ) -> FileReport:  # fmt: skip
        """Everything that is to be said about a page: what is put up with is in `suppressed`. Raises ConfigError.

        profiles  to judge in full by these; by those of the configuration where none are named.
        config    what holds for the page, where that has been looked up before.
        """
        config = config or self.config(where)
        holding = config.holding(where)
        asked = tuple(profiles) or (holding.profiles.value if holding.profiles else ())
        told = validate.judge(page, self.registry, now=now, profiles=asked, site=self.site)
        if holding.rules or holding.ignore:
            apply(told, holding, former_names())
        if use_baseline and where != UNKNOWN and (held := config.setting("baseline")):
            self._mark_known(told, held.value, where)
        return told

    def _mark_known(self, file: FileReport, path: str, where: str) -> None:
        """A baseline that is not there yet knows nothing."""
        stamp = _stamp([path])
        if not stamp:
            return
        known = self._baselines.get(path)
        if known is None or known.stamp != stamp:
            try:
                known = _Read(stamp, baselines.read(Path(path).read_bytes()))
            except BaselineError as fault:
                raise ConfigError(f"{path}: {fault}") from None
            except OSError as fault:
                raise ConfigError(f"{path}: {(fault.strerror or str(fault)).lower()}") from None
            self._baselines[path] = known
        assert isinstance(known.value, Baseline)
        name = os.path.relpath(Path(where).absolute(), Path(path).resolve().parent).replace(os.sep, "/")
        baselines.mark([file], known.value, lambda _: name)


def _stamp(paths: Iterable[str]) -> _Stamp:
    """Files that are there, each with its size and the time of its last change."""
    found = []
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue
        found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)
