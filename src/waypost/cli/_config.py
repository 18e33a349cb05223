"""Configurations of a run: found, read, and extended by --rule."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError, print_message
from waypost.cli._registry import profile_files
from waypost.lint.inputs import has_magic, is_folder
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.lint.configurations import Configurations
    from waypost.lint.inputs import Input
    from waypost.registry.own_files import OwnFile


def add_config(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--config", metavar="FILE",
        help="the configuration of every file (default: of each file the nearest waypost.toml, or pyproject.toml with "
        "[tool.waypost], in or above its folder)",
    )  # fmt: skip
    which.add_argument("--no-config", action="store_true", help="use no configuration")


def configurations(args: Namespace, levels: Iterable[str] = ()) -> Configurations:
    """Configurations of the run's files, each extended by the arguments --rule NAME=LEVEL. Raises UsageError."""
    from waypost.config import Config, ConfigError, load, with_own
    from waypost.lint.configurations import Configurations
    from waypost.lint.own_requirements import registry_for
    from waypost.validate.rulebook import rule_names

    given, own = _levels(levels), own_files(args)

    def read(path: Path) -> Config:
        return extended(load(path, rule_names(), shared_registry().profile_names))

    def extended(config: Config) -> Config:
        config = _with_levels(with_own(config, own) if own else config, given)
        registry_for(config)  # an unusable check is an error before any page is read
        return config

    try:
        default = extended(Config())
        if args.no_config:
            return Configurations(read, everywhere=default)
        return Configurations(read, everywhere=read(Path(args.config)) if args.config else None, default=default)
    except ConfigError as error:
        raise UsageError(str(error)) from None


def own_files(args: Namespace) -> list[OwnFile]:
    """Profiles in files of --profile, and checks of --check-file. Raises UsageError."""
    from waypost.registry.own_files import OwnFileError, read_checks

    own = list(profile_files(getattr(args, "profiles", ())).values())
    try:
        for name in getattr(args, "check_files", ()):
            own += read_checks(Path(name))
    except OwnFileError as error:
        raise UsageError(f"--check-file: {error}") from None
    return own


def configuration(args: Namespace) -> Config:
    """Configuration of the folder that all inputs share. Raises UsageError for an unusable file."""
    return main_of(configurations(args), args.inputs)


def main_of(found: Configurations, names: Iterable[str]) -> Config:
    """Configuration of the folder that all inputs share. Raises UsageError."""
    from waypost.config import ConfigError

    try:
        return found.of_folder(str(shared_folder(names)))
    except ConfigError as error:
        raise UsageError(str(error)) from None


def together(
    found: Configurations, names: Iterable[str], inputs: Iterable[Input], levels: Iterable[str] = ()
) -> Config:
    """Configuration of the folder that all inputs share, with those of the single pages. Raises UsageError."""
    from waypost.config import ConfigError
    from waypost.lint.page import config_path

    files = (config_path(item) for item in inputs if item.kind != "url" and config_path(item) != "-")
    try:
        config = found.together(shared_folder(names), files)
        _check_levels(_levels(levels), config)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    return config


def print_warnings(found: Configurations, config: Config, inputs: Sequence[Input]) -> None:
    """Print what the configurations of a run say in vain."""
    from waypost.lint.config_warnings import config_warnings, misnamed_tables

    has_parts = config.parts or config.nested
    for warning in config_warnings(found, config, inputs) if has_parts else misnamed_tables(found.folders()):
        print_message(str(warning))


def shared_folder(names: Iterable[str]) -> Path:
    """Deepest folder above every file among the inputs; the working directory without files."""
    folders = []
    for name in names:
        if name == "-" or name.lower().startswith(("http://", "https://")):
            continue
        path = Path(name).absolute()
        # The folder of a glob is what stands before the first pattern; a file may have brackets in its name.
        while has_magic(str(path)) and not os.path.lexists(path):
            path = path.parent
        folders.append(path if is_folder(str(path)) else path.parent)
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def _levels(arguments: Iterable[str]) -> dict[str, str]:
    """Levels of rules from the arguments --rule NAME=LEVEL. Raises UsageError."""
    given = {}
    for argument in arguments:
        name, equals, level = argument.rpartition("=")
        if not equals:
            raise UsageError(f"--rule {argument}: write it as NAME=LEVEL, as in --rule offer-expired=off")
        given[name.strip()] = level.strip()
    return given


def _with_levels(config: Config, given: dict[str, str]) -> Config:
    """Configuration with the levels of the rules that it knows: `_check_levels` rejects what none knows."""
    if not given:
        return config
    from waypost.config import with_levels
    from waypost.validate.rulebook import rule_names

    names, profiles = rule_names(), shared_registry().profile_names
    own = {*config.own_rules, *(each.name for each in config.own)}
    known = {name: level for name, level in given.items() if name in own or name in names or name in profiles}
    return with_levels(config, known, "--rule", names, profiles) if known else config


def _check_levels(given: dict[str, str], config: Config) -> None:
    """Raise ConfigError for a name of --rule that no configuration of the run knows."""
    from waypost.config import with_levels
    from waypost.validate.rulebook import rule_names

    if not given:
        return
    own = {name for each in config.each() for name in (*each.own_rules, *(file.name for file in each.own))}
    others = {name: level for name, level in given.items() if name not in own}
    with_levels(config, others, "--rule", (*rule_names(), *own), shared_registry().profile_names)
