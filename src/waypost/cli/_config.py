"""Configuration of a run: found, read, and extended by --rule."""

from __future__ import annotations

import glob
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError
from waypost.lint.inputs import is_folder
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.config import Config


def add_config(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--config", metavar="FILE",
        help="the configuration (default: the nearest waypost.toml, or pyproject.toml with [tool.waypost], in or above "
        "the folder that all inputs share)",
    )  # fmt: skip
    which.add_argument("--no-config", action="store_true", help="use no configuration")


def configuration(args: Namespace) -> Config:
    """Configuration of the run. Raises UsageError for an unusable file."""
    from waypost.config import Config, ConfigError, load
    from waypost.validate.rulebook import rule_names

    try:
        path = configuration_path(args)
        return load(path, rule_names(), shared_registry().profile_names) if path else Config()
    except ConfigError as error:
        raise UsageError(str(error)) from None


def configuration_path(args: Namespace) -> Path | None:
    """Path of the configuration in force; None with --no-config, and where no file is found."""
    from waypost.config import find

    if args.no_config:
        return None
    return Path(args.config) if args.config else find(shared_folder(args.inputs))


def shared_folder(names: Iterable[str]) -> Path:
    """Deepest folder above every file among the inputs; the working directory without files."""
    folders = []
    for name in names:
        if name == "-" or name.lower().startswith(("http://", "https://")):
            continue
        path = Path(name).absolute()
        # The folder of a glob is what stands before the first pattern; a file may have brackets in its name.
        while glob.has_magic(str(path)) and not os.path.lexists(path):
            path = path.parent
        folders.append(path if is_folder(str(path)) else path.parent)
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def with_levels(config: Config, levels: Iterable[str]) -> Config:
    """Configuration extended by the arguments --rule NAME=LEVEL. Raises UsageError."""
    from waypost.config import ConfigError
    from waypost.config import with_levels as extend
    from waypost.validate.rulebook import rule_names

    given = {}
    for argument in levels:
        name, equals, level = argument.rpartition("=")
        if not equals:
            raise UsageError(f"--rule {argument}: write it as NAME=LEVEL, as in --rule offer-expired=off")
        given[name.strip()] = level.strip()
    try:
        return extend(config, given, "--rule", rule_names(), shared_registry().profile_names) if given else config
    except ConfigError as error:
        raise UsageError(str(error)) from None
