"""The registry as every command of one process shares it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from waypost.cli._run import UsageError
from waypost.registry import Registry, load


@cache
def registry() -> Registry:
    """The registry of this project, read once."""
    return load()


def profile_names(registry: Registry) -> list[str]:
    """Every profile by its name, such as google/recipe, sorted."""
    return registry.profile_names


def known_profiles(names: Iterable[str]) -> tuple[str, ...]:
    """Profiles as they are asked for, also several in one name with commas between. Raises UsageError."""
    from waypost.formats.text import near

    known = profile_names(registry())
    asked = [name.strip() for listed in names for name in listed.split(",") if name.strip()]
    for name in asked:
        if name not in known:
            meant = near(name, known) or [each for each in known if each.endswith(f"/{name}")]
            hint = f"; did you mean {' or '.join(meant)}?" if meant else "; `waypost rules` lists them"
            raise UsageError(f"--profile: there is no profile named {name!r}{hint}")
    return tuple(dict.fromkeys(asked))
