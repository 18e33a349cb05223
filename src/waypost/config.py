"""What a project asks of waypost: its file, what that extends, and what holds for one page and why.

The file is `waypost.toml`, or the table `[tool.waypost]` of `pyproject.toml`; `schemas/api/config.schema.json`
describes it. Patterns of paths count from the folder of the file that was found, also in what it extends; other
paths from the folder of the file they stand in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from waypost.errors import WaypostError
from waypost.formats.globs import matches
from waypost.formats.text import near
from waypost.models.finding import SEVERITIES, FileReport, Finding, Suppression

__all__ = ["Config", "ConfigError", "Held", "Holding", "added", "apply", "find", "load"]

NAMES = ("waypost.toml", "pyproject.toml")
MOST_EXTENDED = 20
Level: TypeAlias = Literal["off", "info", "warning", "error"]


class ConfigError(WaypostError):
    """A configuration cannot be used; names the file, the place in it, and what is wrong."""

    code, status = "config_fault", 422


class Ignore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Findings that are put up with: `rules` (names of rules or profiles; none: all) in `files`, and why."""

    reason: str
    files: tuple[str, ...] = ("**",)
    rules: tuple[str, ...] = ()


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for some files beyond the rest; of several the later one wins."""

    files: tuple[str, ...]
    profiles: tuple[str, ...] | None = None
    rules: dict[str, Level] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One configuration file as it is written."""

    extends: str | tuple[str, ...] = ()
    profiles: tuple[str, ...] | None = None
    rules: dict[str, Level] = {}
    overrides: tuple[Override, ...] = ()
    ignore: tuple[Ignore, ...] = ()
    exclude: tuple[str, ...] | None = None
    baseline: str | None = None
    fail_on: Literal["error", "warning", "info", "never"] | None = None
    max_warnings: int | None = None
    base_url: str | None = None
    gitignore: bool | None = None
    cache: bool | str | None = None


class Held(msgspec.Struct, frozen=True):
    """A value and where it comes from, in words."""

    value: Any
    source: str


class Holding(msgspec.Struct, frozen=True):
    """What holds for one page: `rules` by the name of a rule or profile, `ignore` in order."""

    profiles: Held | None
    rules: dict[str, Held]
    ignore: tuple[tuple[Ignore, str], ...]
    excluded: str | None


class Config(msgspec.Struct, frozen=True):
    """A configuration with everything it extends, the furthest first.

    path   the file that was found; None where there is none.
    parts  (file as written, its name for people), in the order in which they hold: the later one wins.
    """

    path: str | None = None
    parts: tuple[tuple[_File, str], ...] = ()

    @property
    def folder(self) -> Path:
        return Path(self.path).parent if self.path else Path.cwd()

    def setting(self, name: str) -> Held | None:
        """A setting of the whole run, from the last file that has it."""
        for part, source in reversed(self.parts):
            if (value := getattr(part, name)) is not None:
                return Held(value, source)
        return None

    def named(self, where: str) -> str:
        """How patterns see a file: its path from the configuration's folder; an address as it is."""
        import os

        if where.startswith(("http://", "https://")) or where == "-":
            return where
        return os.path.relpath(Path(where).absolute(), self.folder).replace(os.sep, "/")

    def excludes(self, where: str) -> str | None:
        """The pattern that keeps a file out of a folder's search."""
        asked = self.setting("exclude")
        name = self.named(where)
        return next((glob for glob in asked.value if matches(name, glob)), None) if asked else None

    def holding(self, where: str) -> Holding:
        """What holds for one page."""
        name = self.named(where)
        profiles = self.setting("profiles")
        rules: dict[str, Held] = {}
        ignore: list[tuple[Ignore, str]] = []
        for part, source in self.parts:
            rules |= {rule: Held(level, source) for rule, level in part.rules.items()}
        for part, source in self.parts:
            for number, each in enumerate(part.overrides):
                if glob := _fitting(name, each.files):
                    why = f"{source}, overrides[{number}] for {glob}"
                    rules |= {rule: Held(level, why) for rule, level in each.rules.items()}
                    profiles = Held(each.profiles, why) if each.profiles is not None else profiles
            for number, one in enumerate(part.ignore):
                if glob := _fitting(name, one.files):
                    ignore.append((one, f"{source}, ignore[{number}] for {glob}"))
        return Holding(profiles, rules, tuple(ignore), self.excludes(where))


def _fitting(name: str, globs: Collection[str]) -> str | None:
    return next((glob for glob in globs if matches(name, glob)), None)


def apply(file: FileReport, holding: Holding, aliases: Mapping[str, str]) -> None:
    """Turn rules off and change severities; what is put up with goes to `suppressed`. `aliases`: former names."""
    levels = {aliases.get(name, name): held.value for name, held in holding.rules.items()}
    found = file.findings
    if levels:
        found = [each for each in found if "off" not in (levels.get(each.rule), levels.get(each.profile or ""))]
        for each in found:
            level = levels.get(each.rule) or levels.get(each.profile or "")
            each.severity = level or each.severity
        file.suppressed = [each for each in file.suppressed if levels.get(each.rule) != "off"]
    if holding.ignore:
        kept_back = [(each, one) for each in found if (one := _ignored(each, holding, aliases))]
        found = [each for each in found if not _ignored(each, holding, aliases)]
        for each, one in kept_back:
            each.suppression = Suppression("config", one.reason or None)
            file.suppressed.append(each)
    file.findings = sorted(found, key=lambda each: (each.start, SEVERITIES.index(each.severity), each.end, each.rule))


def _ignored(finding: Finding, holding: Holding, aliases: Mapping[str, str]) -> Ignore | None:
    for one, _ in holding.ignore:
        names = {aliases.get(name, name) for name in one.rules}
        if not names or finding.rule in names or finding.profile in names:
            return one
    return None


def find(start: Path) -> Path | None:
    """The nearest configuration in a folder or above it, as far as the root of its repository."""
    folder = start.absolute()
    for here in (folder, *folder.parents):
        for name in NAMES:
            path = here / name
            if path.is_file() and (name != "pyproject.toml" or _table(path) is not None):
                return path
        if (here / ".git").exists():
            return None
    return None


def load(path: Path, known: Collection[str] = (), profiles: Collection[str] = ()) -> Config:
    """Read a configuration and what it extends. `known` are the rules there are (former names too).

    Raises ConfigError.
    """
    parts = tuple(_parts(path, (), known, profiles))
    return Config(str(path.absolute()), parts)


def added(
    config: Config, levels: Mapping[str, str], source: str, known: Collection[str], profiles: Collection[str]
) -> Config:
    """A configuration with levels of rules beyond it, which win over all that its files say. Raises ConfigError."""
    try:
        more = msgspec.convert({"overrides": [{"files": ["**"], "rules": dict(levels)}]}, type=_File)
    except msgspec.ValidationError:
        wrong = next(level for level in levels.values() if level not in get_args(Level))
        raise ConfigError(f"{source}: {wrong!r} is no level; there are {', '.join(get_args(Level))}") from None
    _check(more, Path(source), known, profiles)
    return Config(config.path, (*config.parts, (more, source)))


def _parts(
    path: Path, above: tuple[Path, ...], known: Collection[str], profiles: Collection[str]
) -> Iterator[tuple[_File, str]]:
    if path.resolve() in above:
        raise ConfigError(f"{path}: extends itself, by way of {' and '.join(each.name for each in above)}")
    if len(above) > MOST_EXTENDED:
        raise ConfigError(f"{path}: more than {MOST_EXTENDED} files extend each other")
    read = _read(path)
    _check(read, path, known, profiles)
    for name in (read.extends,) if isinstance(read.extends, str) else read.extends:
        yield from _parts(path.parent / name, (*above, path.resolve()), known, profiles)
    if read.baseline is not None:
        read = msgspec.structs.replace(read, baseline=str(path.parent / read.baseline))
    if isinstance(read.cache, str):
        read = msgspec.structs.replace(read, cache=str(path.parent / read.cache))
    yield read, str(path)


def _table(path: Path) -> dict[str, Any] | None:
    """What a file says to waypost; None where a pyproject.toml says nothing to it."""
    import tomllib

    try:
        told = tomllib.loads(path.read_bytes().decode())
    except OSError as fault:
        raise ConfigError(f"{path}: {(fault.strerror or str(fault)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        if path.name == "pyproject.toml":
            return None  # whose file it is will hear of it elsewhere
        raise ConfigError(f"{path}: this is no TOML ({fault})") from None
    if path.name != "pyproject.toml":
        return told
    table = told.get("tool", {}).get("waypost") if isinstance(told.get("tool"), dict) else None
    return table if isinstance(table, dict) else None


def _read(path: Path) -> _File:
    table = _table(path)
    if table is None:
        raise ConfigError(f"{path}: there is no table [tool.waypost] in it")
    try:
        return msgspec.convert(table, type=_File)
    except msgspec.ValidationError as fault:
        raise ConfigError(f"{path}: {_told(str(fault))}") from None


_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`(?: - at `\$\.?(.*)`)?")
_PLACED = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?\Z", re.DOTALL)


def _told(fault: str) -> str:
    """What msgspec says, in our words and with what was probably meant."""
    if found := _UNKNOWN.match(fault):
        place = found[2] or ""
        shape = Override if place.startswith("overrides") else Ignore if place.startswith("ignore") else _File
        keys = [field.encode_name for field in msgspec.structs.fields(shape)]
        meant = near(found[1], keys)
        hint = f"did you mean {' or '.join(meant)}?" if meant else f"there are {', '.join(keys)}"
        return f"there is no key {found[1]!r}{f' in {place}' if place else ''}; {hint}"
    said = _PLACED.match(fault)
    assert said is not None
    return f"{said[2]}: {said[1].lower()}" if said[2] else said[1].lower()


def _check(read: _File, path: Path, known: Collection[str], profiles: Collection[str]) -> None:
    """Every rule and profile that is named is there."""
    places: list[tuple[str, Collection[str], Collection[str]]] = [
        ("rules", read.rules, (*known, *profiles)),
        ("profiles", read.profiles or (), profiles),
    ]
    for number, each in enumerate(read.overrides):
        places.append((f"overrides[{number}].rules", each.rules, (*known, *profiles)))
        places.append((f"overrides[{number}].profiles", each.profiles or (), profiles))
    places += [(f"ignore[{n}].rules", each.rules, (*known, *profiles)) for n, each in enumerate(read.ignore)]
    for place, names, there in places:
        for name in names:
            if known and name not in there:
                what = "profile" if place.endswith("profiles") else "rule or profile"
                meant = near(name, there)
                hint = f"; did you mean {' or '.join(meant)}?" if meant else "; `waypost rules` lists them"
                raise ConfigError(f"{path}: {place}: there is no {what} named {name!r}{hint}")
    for number, one in enumerate(read.ignore):
        if not one.reason.strip():
            raise ConfigError(f"{path}: ignore[{number}].reason: say why, in a few words")
    if read.max_warnings is not None and read.max_warnings < 0:
        raise ConfigError(f"{path}: max-warnings: {read.max_warnings} is less than none")
