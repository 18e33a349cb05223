"""Configuration of a project: files, files extended by them, and the settings for a page with their sources.

The file is `waypost.toml`, or the table `[tool.waypost]` of `pyproject.toml`; format:
`schemas/api/config.schema.json`. Glob patterns are relative to the folder of the main file, also in extended files;
other paths are relative to the folder of their own file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from waypost.config_errors import check_origins, message, place_of
from waypost.config_file import ConfigError, ConfigFile, extended_path
from waypost.config_tables import Ignore, Level, Tables
from waypost.formats.globs import matches
from waypost.formats.text import near
from waypost.models.finding import SEVERITIES, FileReport, Finding, Suppression
from waypost.registry.own_files import (
    OwnFile,
    OwnFileError,
    PackageRule,
    package_rules,
    read_checks,
    read_profile,
)

__all__ = ["Config", "ConfigError", "PageSettings", "Setting", "apply", "find", "ignore_entry", "load", "with_levels"]

NAMES = ("waypost.toml", "pyproject.toml")
MOST_EXTENDED = 20


class Setting(msgspec.Struct, frozen=True):
    """Value with its source, in words."""

    value: Any
    source: str


class PageSettings(msgspec.Struct, frozen=True):
    """Settings for a page: rule or profile -> level, ignored findings in order, glob that excludes the page.

    fail_on, max_warnings  thresholds of an override; None without one.
    """

    profiles: Setting | None
    rules: dict[str, Setting]
    ignore: tuple[tuple[Ignore, str], ...]
    excluded: str | None
    fail_on: Setting | None = None
    max_warnings: Setting | None = None


class Config(msgspec.Struct, frozen=True):
    """Configuration with the extended files, the most distant first.

    path    main file; None without a file.
    parts   (file as written, name for people), in order of precedence: later parts win.
    own     profiles and checks in files, without repetitions.
    package_rules  rules of installed packages.
    nested  configurations of further folders of a run, by absolute path of the folder.
    """

    path: str | None = None
    parts: tuple[tuple[Tables, str], ...] = ()
    own: tuple[OwnFile, ...] = ()
    package_rules: tuple[PackageRule, ...] = ()
    nested: dict[str, Config] = {}

    @property
    def folder(self) -> Path:
        return Path(self.path).parent if self.path else Path.cwd()

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all files of the configuration."""
        files = tuple(source for _, source in self.parts if source != "--rule")
        return (*files, *(each.path for each in self.own))

    def nearest(self, where: str) -> Config:
        """Configuration of the nearest folder at or above a file; for a URL the main configuration."""
        if not self.nested or where == "-" or "://" in where:
            return self
        folder = os.path.dirname(os.path.abspath(where))  # noqa: PTH100, PTH120 - called for each page
        while folder not in self.nested:
            above = os.path.dirname(folder)  # noqa: PTH120
            if above == folder:
                return self
            folder = above
        return self.nested[folder]

    def each(self) -> list[Config]:
        """Main and nested configurations, without repetitions."""
        return list({id(config): config for config in (self, *self.nested.values())}.values())

    def setting(self, name: str) -> Setting | None:
        """Setting of the whole run, from the last file with a value."""
        for part, source in reversed(self.parts):
            if (value := getattr(part, name)) is not None:
                return Setting(value, source)
        return None

    @property
    def own_rules(self) -> tuple[str, ...]:
        """Names of the rules in files and packages."""
        checks = (each.name for each in self.own if each.kind == "check")
        return (*checks, *(rule.name for rule in self.package_rules))

    @property
    def base_url(self) -> str | None:
        """Address at which the configured folder is published; None without an address with a scheme."""
        setting = self.setting("base_url")
        return setting.value if setting and "://" in setting.value else None

    @property
    def also(self) -> frozenset[str]:
        """Names of types and properties to accept, of every file."""
        return frozenset(name for part, _ in self.parts if part.vocabulary for name in part.vocabulary.also)

    def without_fetch(self) -> Config:
        """Configuration without the table `fetch`, which may have secrets: to be written to a file."""
        parts = tuple((msgspec.structs.replace(part, fetch=None), name) for part, name in self.parts)
        nested = {folder: config.without_fetch() for folder, config in self.nested.items()}
        return msgspec.structs.replace(self, parts=parts, nested=nested)

    @property
    def source_globs(self) -> tuple[str, ...]:
        """Globs of sources, from every file."""
        return tuple(glob for part, _ in self.parts if part.sources for glob in part.sources.files)

    def is_source(self, where: str) -> bool:
        """Whether `[sources]` of the nearest configuration has a glob for a file."""
        if (own := self.nearest(where)) is not self:
            return own.is_source(where)
        globs = self.source_globs
        return bool(globs) and _matching(self.relative(where), globs) is not None

    @property
    def has_thresholds(self) -> bool:
        """Whether an override has a threshold of its own."""
        overrides = [override for part, _ in self.parts for override in part.overrides]
        return any(override.fail_on is not None or override.max_warnings is not None for override in overrides)

    def relative(self, where: str) -> str:
        """Path for glob patterns: relative to the configuration's folder; a URL unchanged."""
        if where.startswith(("http://", "https://")) or where == "-":
            return where
        return os.path.relpath(Path(where).absolute(), self.folder).replace(os.sep, "/")

    def excludes(self, where: str) -> str | None:
        """Glob of the nearest or the main configuration that excludes a file from the walk of a folder, else None."""
        if (own := self.nearest(where)) is not self and (glob := own.excludes(where)):
            return glob
        exclude = self.setting("exclude")
        name = self.relative(where)
        return next((glob for glob in exclude.value if matches(name, glob)), None) if exclude else None

    def for_page(self, where: str) -> PageSettings:
        """Settings for a page, by path or URL."""
        if (own := self.nearest(where)) is not self:
            return own.for_page(where)
        name = self.relative(where)
        profiles = self.setting("profiles")
        rules: dict[str, Setting] = {}
        fail_on: Setting | None = None
        max_warnings: Setting | None = None
        ignore: list[tuple[Ignore, str]] = []
        # Later parts win: extended files come first, the main file after them, the command line last.
        for part, source in self.parts:
            rules |= {rule: Setting(level, source) for rule, level in part.rules.items()}
        # Overrides of every part win over `rules` of every part, so a second pass.
        for part, source in self.parts:
            for number, override in enumerate(part.overrides):
                if glob := _matching(name, override.files):
                    why = f"{source}, overrides[{number}] for {glob}"
                    rules |= {rule: Setting(level, why) for rule, level in override.rules.items()}
                    profiles = _setting(override.profiles, why) or profiles
                    fail_on = _setting(override.fail_on, why) or fail_on
                    max_warnings = _setting(override.max_warnings, why) or max_warnings
            for number, entry in enumerate(part.ignore):
                if glob := _matching(name, entry.files):
                    ignore.append((entry, f"{source}, ignore[{number}] for {glob}"))
        return PageSettings(profiles, rules, tuple(ignore), self.excludes(where), fail_on, max_warnings)


def _setting(value: Any, source: str) -> Setting | None:
    return Setting(value, source) if value is not None else None


def _matching(name: str, globs: Collection[str]) -> str | None:
    return next((glob for glob in globs if matches(name, glob)), None)


def apply(file: FileReport, settings: PageSettings, aliases: Mapping[str, str]) -> None:
    """Turn rules off, change severities, and move ignored findings to `suppressed`.

    `aliases`: former name of a rule -> current name.
    """
    levels = {aliases.get(name, name): setting.value for name, setting in settings.rules.items()}
    found = file.findings
    if levels:
        found = [f for f in found if "off" not in (levels.get(f.rule), levels.get(f.profile or ""))]
        for finding in found:
            finding.severity = levels.get(finding.rule) or levels.get(finding.profile or "") or finding.severity
        # A rule that is off reports nothing, not even suppressed.
        file.suppressed = [finding for finding in file.suppressed if levels.get(finding.rule) != "off"]
    remaining = []
    for finding in found:
        if entry := ignore_entry(finding, settings, aliases):
            finding.suppression = Suppression("config", entry.reason or None)
            file.suppressed.append(finding)
        else:
            remaining.append(finding)
    # Changed severities change the order of findings at one place.
    file.findings = sorted(remaining, key=lambda f: (f.start, SEVERITIES.index(f.severity), f.end, f.rule))


def ignore_entry(finding: Finding, settings: PageSettings, aliases: Mapping[str, str]) -> Ignore | None:
    """First matching entry of `ignore` for a finding; None without a match. `aliases` as in `apply`."""
    for entry, _ in settings.ignore:
        names = {aliases.get(name, name) for name in entry.rules}
        if not names or finding.rule in names or finding.profile in names:
            return entry
    return None


def find(start: Path) -> Path | None:
    """Nearest configuration in a folder or above, up to the root of the repository; None without one."""
    folder = start.absolute()
    for here in (folder, *folder.parents):
        if path := find_in(here):
            return path
        # A configuration above the repository belongs to another project.
        if _is_there(here / ".git"):
            return None
    return None


def find_in(folder: Path) -> Path | None:
    """Configuration in a folder; None without one."""
    for name in NAMES:
        path = folder / name
        if _is_there(path, Path.is_file) and _has_table(path):
            return path
    return None


def _is_there(path: Path, test: Callable[[Path], bool] = Path.exists) -> bool:
    """Whether a path is there; False in a folder that may not be searched."""
    try:
        return test(path)
    except PermissionError:
        return False


def load(path: Path, known: Collection[str] = (), profiles: Collection[str] = ()) -> Config:
    """Read a configuration and the extended files. `known`: all rules, with former names. Raises ConfigError."""
    read = list(_parts(path, ()))
    own = tuple(dict.fromkeys(each for part in read for each in part.own))
    rules = tuple(dict.fromkeys(each for part in read for each in part.package_rules))
    _check_unique(own)
    names = (*known, *(each.name for each in own if each.kind == "check"), *(rule.name for rule in rules))
    own_profiles = tuple(each.name for each in own if each.kind == "profile")
    for part in read:
        _check(part.file, part.source, names if known else (), (*profiles, *own_profiles))
    return Config(str(path.absolute()), tuple((part.file, str(part.source.path)) for part in read), own, rules)


def with_own(config: Config, own: Collection[OwnFile]) -> Config:
    """Configuration with further profiles and checks in files. Raises ConfigError."""
    together = tuple(dict.fromkeys((*config.own, *own)))
    _check_unique(together)
    return msgspec.structs.replace(config, own=together)


def _check_unique(own: Collection[OwnFile]) -> None:
    paths: dict[tuple[str, str], str] = {}
    for each in own:
        other = paths.setdefault((each.kind, each.name), each.path)
        if other != each.path:
            raise ConfigError(f"{each.path}: there is another {each.kind} named {each.name!r}, in {other}", each.path)


def is_own_file(name: str) -> bool:
    """Whether the name of a profile is the path of a file."""
    return name.endswith(".json") or name.startswith((".", "/"))


class _Part(NamedTuple):
    """Configuration file with the profiles, checks and rules that it names."""

    file: Tables
    source: ConfigFile
    own: tuple[OwnFile, ...]
    package_rules: tuple[PackageRule, ...]


def with_levels(
    config: Config, levels: Mapping[str, str], source: str, known: Collection[str], profiles: Collection[str]
) -> Config:
    """Configuration with additional levels of rules, which win over every file. Raises ConfigError."""
    try:
        # As an override for all files, because overrides win over `rules` in `for_page`.
        more = msgspec.convert({"overrides": [{"files": ["**"], "rules": dict(levels)}]}, type=Tables)
    except msgspec.ValidationError:
        wrong = next(level for level in levels.values() if level not in get_args(Level))
        raise ConfigError(f"{source}: {wrong!r} is not a level; there are {', '.join(get_args(Level))}") from None
    names = (*known, *config.own_rules)
    profiles = (*profiles, *(each.name for each in config.own if each.kind == "profile"))
    if unknown := _unknown_name(more, names if known else (), profiles):
        raise ConfigError(f"{source}: {unknown[1].partition(': ')[2]}")
    return msgspec.structs.replace(config, parts=(*config.parts, (more, source)))


def _parts(path: Path, above: tuple[tuple[Path, str], ...]) -> Iterator[_Part]:
    """Extended files before the file. `above`: (path, place of the name) of the files that extend the file."""
    place = above[-1][1] if above else str(path)
    # Only the chain above: two files may extend a common third one.
    if path.resolve() in [file for file, _ in above]:
        chain = " and ".join(file.name for file, _ in above)
        raise _at(place, f"extends: {path} extends itself, by way of {chain}")
    if len(above) > MOST_EXTENDED:
        raise _at(place, f"extends: more than {MOST_EXTENDED} files extend each other")
    try:
        file = ConfigFile(path)
    except ConfigError as error:
        if above and not error.line:
            raise _at(place, f"extends: {error}") from None
        raise
    read = _read(file)
    names = (read.extends,) if isinstance(read.extends, str) else read.extends
    for number, name in enumerate(names):
        key = "extends" if isinstance(read.extends, str) else f"extends[{number}]"
        inner = extended_path(file, name, key)
        yield from _parts(inner, (*above, (path.resolve(), file.place(key))))
    if read.baseline is not None:
        # Relative to the file in which they stand, which may be in another folder.
        read = msgspec.structs.replace(read, baseline=str(path.parent / read.baseline))
    if read.feeds is not None:
        for number, feed in enumerate(read.feeds):
            if "://" in feed:  # not repeated: an address may hold a password
                raise file.error(
                    f"feeds[{number}]", f"feeds[{number}]: a feed is a file; download it, then name the file"
                )
        read = msgspec.structs.replace(read, feeds=tuple(str(path.parent / feed) for feed in read.feeds))
    if isinstance(read.cache, str):
        read = msgspec.structs.replace(read, cache=str(path.parent / read.cache))
    yield _with_own(read, file)


def _with_own(read: Tables, file: ConfigFile) -> _Part:
    """Part with the names of its own profiles in place of their paths."""
    own: list[OwnFile] = []
    rules: list[PackageRule] = []

    def named(names: tuple[str, ...] | None, key: str) -> tuple[str, ...] | None:
        if names is None or not any(map(is_own_file, names)):
            return names
        found = []
        for number, name in enumerate(names):
            if is_own_file(name):
                own.append(read_at(f"{key}[{number}]", read_profile, name))
                name = own[-1].name
            found.append(name)
        return tuple(found)

    def read_at(key: str, read_file: Callable[[Path], Any], name: str) -> Any:
        try:
            return read_file(Path(os.path.normpath(file.path.parent / name)))
        except OwnFileError as error:
            if error.line:
                raise ConfigError(str(error), error.path, error.line) from None
            raise file.error(key, f"{key.partition('[')[0]}: {error}") from None

    profiles = named(read.profiles, "profiles")
    overrides = tuple(
        msgspec.structs.replace(each, profiles=named(each.profiles, f"overrides[{number}].profiles"))
        for number, each in enumerate(read.overrides)
    )
    for number, name in enumerate(read.checks):
        own += read_at(f"checks[{number}]", read_checks, name)
    for number, name in enumerate(read.packages):
        try:
            rules += package_rules(name)
        except OwnFileError as error:
            raise file.error(f"packages[{number}]", f"packages: {error}") from None
    tables = msgspec.structs.replace(read, profiles=profiles, overrides=overrides)
    return _Part(tables, file, tuple(own), tuple(rules))


def _at(place: str, message: str) -> ConfigError:
    path, _, line = place.rpartition(":")
    return ConfigError(f"{place}: {message}", path or place, int(line) if line.isdigit() else 0)


def _has_table(path: Path) -> bool:
    """Whether a file is a configuration: a pyproject.toml without the table belongs to other tools."""
    return path.name != "pyproject.toml" or ConfigFile(path).table is not None


def _read(file: ConfigFile) -> Tables:
    if file.table is None:
        raise ConfigError(f"{file.path}: there is no table [tool.waypost] in it", str(file.path))
    check_origins(file)
    try:
        return msgspec.convert(file.table, type=Tables)
    except msgspec.ValidationError as error:
        raise file.error(place_of(str(error), file.table), message(str(error))) from None


def _check(read: Tables, file: ConfigFile, known: Collection[str], profiles: Collection[str]) -> None:
    """Check names of rules and profiles, reasons and counts. Raises ConfigError."""
    if wrong := _unknown_name(read, known, profiles):
        raise file.error(*wrong)
    for number, entry in enumerate(read.ignore):
        if not entry.reason.strip():
            place = f"ignore[{number}].reason"
            raise file.error(place, f"{place}: say why, in a few words")
    for number, expected in enumerate(read.expect):
        place = f"expect[{number}]"
        if expected.share is not None and not 0 < expected.share <= 1:
            raise file.error(f"{place}.share", f"{place}.share: {expected.share:g} is not above 0 and up to 1")
        if expected.at_least is not None and expected.at_least < 1:
            raise file.error(f"{place}.at-least", f"{place}.at-least: {expected.at_least} is less than one")
    limits = [("max-warnings", read.max_warnings)]
    limits += [(f"overrides[{n}].max-warnings", override.max_warnings) for n, override in enumerate(read.overrides)]
    for place, limit in limits:
        if limit is not None and limit < 0:
            raise file.error(place, f"{place}: {limit} is less than none")


def _unknown_name(read: Tables, known: Collection[str], profiles: Collection[str]) -> tuple[str, str] | None:
    """(key, message) of the first name that is not a rule or profile. Without `known` no name is checked."""
    places: list[tuple[str, Collection[str], Collection[str]]] = [
        ("rules", read.rules, (*known, *profiles)),
        ("profiles", read.profiles or (), profiles),
    ]
    for number, override in enumerate(read.overrides):
        places.append((f"overrides[{number}].rules", override.rules, (*known, *profiles)))
        places.append((f"overrides[{number}].profiles", override.profiles or (), profiles))
    places += [(f"expect[{n}].profiles", each.profiles, profiles) for n, each in enumerate(read.expect)]
    places += [(f"ignore[{n}].rules", entry.rules, (*known, *profiles)) for n, entry in enumerate(read.ignore)]
    for place, names, allowed in places if known else ():
        for number, name in enumerate(names):
            if name not in allowed:
                what = "profile" if place.endswith("profiles") else "rule or profile"
                similar = near(name, allowed)
                hint = f"; did you mean {' or '.join(similar)}?" if similar else "; `waypost rules` lists them"
                key = f"{place}.{name}" if isinstance(names, dict) else f"{place}[{number}]"
                return key, f"{place}: there is no {what} named {name!r}{hint}"
    return None
