"""The configuration as the command line finds, checks and adds to it."""

from __future__ import annotations

import glob
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._inputs import Found, is_folder
from waypost.cli._registry import profile_names, registry
from waypost.cli._run import UsageError

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
    """What holds for this run. Raises UsageError where a configuration cannot be used."""
    from waypost.config import Config, ConfigError, load
    from waypost.validate.rulebook import rule_names

    try:
        path = configuration_path(args)
        return load(path, rule_names(), profile_names(registry())) if path else Config()
    except ConfigError as fault:
        raise UsageError(str(fault)) from None


def configuration_path(args: Namespace) -> Path | None:
    """The configuration that holds for this run; None where there is none or none is to be used."""
    from waypost.config import find

    if args.no_config:
        return None
    return Path(args.config) if args.config else find(shared_folder(args.inputs))


def shared_folder(names: Iterable[str]) -> Path:
    """The folder that all files among the inputs share; the working directory where there are none."""
    folders = []
    for name in names:
        if name == "-" or name.lower().startswith(("http://", "https://")):
            continue
        path = Path(name).absolute()
        while glob.has_magic(str(path)) and not os.path.lexists(path):
            path = path.parent
        folders.append(path if is_folder(str(path)) else path.parent)
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def without_excluded(found: Found, config: Config, *, named_too: bool = False) -> Found:
    """What a search of folders and patterns found, without what the configuration leaves out.

    named_too  also of what was named; then it is well if nothing is left.
    """
    if config.setting("exclude") is None:
        return found
    left = [
        each for each in found.inputs if not ((each.walked or each.listed or named_too) and config.excludes(each.where))
    ]
    return found._replace(inputs=left, unchanged=found.unchanged or (named_too and bool(found.inputs) and not left))


def with_levels(config: Config, levels: Iterable[str]) -> Config:
    """The configuration with what --rule NAME=LEVEL says beyond it."""
    from waypost.config import ConfigError, with_levels
    from waypost.validate.rulebook import rule_names

    given = {}
    for each in levels:
        name, equals, level = each.rpartition("=")
        if not equals:
            raise UsageError(f"--rule {each}: write it as NAME=LEVEL, as in --rule offer-expired=off")
        given[name.strip()] = level.strip()
    try:
        return with_levels(config, given, "--rule", rule_names(), profile_names(registry())) if given else config
    except ConfigError as fault:
        raise UsageError(str(fault)) from None
