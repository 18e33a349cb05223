"""Names of profiles on the command line, and profiles in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError
from waypost.lint.names import why_unknown
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.registry.own_files import OwnFile


def known_profiles(names: Iterable[str]) -> tuple[str, ...]:
    """Profiles from --profile, where an argument may hold several with commas between. Raises UsageError."""
    requested, files = _split(names), profile_files(names)
    requested = [files[name].name if name in files else name for name in requested]
    known = [*shared_registry().profile_names, *(each.name for each in files.values())]
    if why := why_unknown("profile", requested, known):
        raise UsageError(f"--profile: {why}")
    return tuple(dict.fromkeys(requested))


def profile_files(names: Iterable[str]) -> dict[str, OwnFile]:
    """Profiles in files among the arguments of --profile, by path. Raises UsageError."""
    from waypost.config import is_own_file

    found: dict[str, OwnFile] = {}
    for name in filter(is_own_file, _split(names)):
        from waypost.registry.own_files import OwnFileError, read_profile

        try:
            found[name] = read_profile(Path(name))
        except OwnFileError as error:
            raise UsageError(f"--profile: {error}") from None
    return found


def _split(arguments: Iterable[str]) -> list[str]:
    return [name.strip() for argument in arguments for name in argument.split(",") if name.strip()]
