"""Names of profiles on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from waypost.cli._console import UsageError
from waypost.lint.names import why_unknown
from waypost.registry import shared_registry


def known_profiles(names: Iterable[str]) -> tuple[str, ...]:
    """Profiles from --profile, where an argument may hold several with commas between. Raises UsageError."""
    requested = [name.strip() for argument in names for name in argument.split(",") if name.strip()]
    if why := why_unknown("profile", requested, shared_registry().profile_names):
        raise UsageError(f"--profile: {why}")
    return tuple(dict.fromkeys(requested))
