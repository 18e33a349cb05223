"""Rules of the site that is built: those of waypost, and those of the company whose site it is."""

from __future__ import annotations

from waypost.registry import Registry
from waypost.validate.rulebook import Rule, rules_by_name, rules_of

_CURRENT: list[dict[str, Rule]] = []


def use(registry: Registry) -> None:
    """Build the pages of the rules of a registry, until the next call."""
    _CURRENT[:] = [rules_of(registry)] if registry.is_extended else []


def current_rules() -> dict[str, Rule]:
    """Rules of the site by name, sorted."""
    return _CURRENT[0] if _CURRENT else rules_by_name()
