"""The registry as every command of one process shares it."""

from __future__ import annotations

from functools import cache

from waypost.registry import Registry, load


@cache
def registry() -> Registry:
    """The registry of this project, read once."""
    return load()


def profile_names(registry: Registry) -> list[str]:
    """Every profile by its name, such as google/recipe, sorted."""
    return registry.profile_names
