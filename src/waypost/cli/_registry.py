"""Registry shared by the commands of a process."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from waypost.cli._console import UsageError
from waypost.registry import Registry, load


@cache
def registry() -> Registry:
    """Registry of the project, loaded once per process."""
    return load()


def profile_names(registry: Registry) -> list[str]:
    """Names of the profiles, such as google/recipe, sorted."""
    return registry.profile_names


def known_profiles(names: Iterable[str]) -> tuple[str, ...]:
    """Profiles from --profile, where an argument may hold several with commas between. Raises UsageError."""
    from waypost.formats.text import near

    known = profile_names(registry())
    requested = [name.strip() for argument in names for name in argument.split(",") if name.strip()]
    for name in requested:
        if name not in known:
            similar = near(name, known) or [profile for profile in known if profile.endswith(f"/{name}")]
            hint = f"; did you mean {' or '.join(similar)}?" if similar else "; `waypost rules` lists them"
            raise UsageError(f"--profile: there is no profile named {name!r}{hint}")
    return tuple(dict.fromkeys(requested))
