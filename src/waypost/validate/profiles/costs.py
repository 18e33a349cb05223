"""Cost of a name that is wrong: whether a node without its type would miss a rich result."""

from __future__ import annotations

from waypost.models.page import Node
from waypost.models.profile import Entry, Profile
from waypost.validate.item import RuleContext
from waypost.validate.profiles.model import Level
from waypost.validate.profiles.nodes import holders
from waypost.validate.profiles.profile_set import ProfileIndex, profile_index
from waypost.validate.profiles.requirements import level_of


def costs_result(context: RuleContext, node: Node, types: tuple[str, ...]) -> bool:
    """Does a node that is not read as one of `types` cost a rich result: its own, or one of its holder?"""
    index = profile_index(context.registry)
    if node.parent is None and any(_requires(feature.profile) for feature, _ in index.features_for(types).pairs):
        return True
    return any(_needs(index, holder, prop) for holder, prop in holders(node))


def _requires(profile: Profile) -> bool:
    return profile.status != "retired" and any(map(_is_strict, profile.required))


def _is_strict(entry: Entry) -> bool:
    return entry.when is None and level_of(entry, Level.REQUIRED) is Level.REQUIRED


def _needs(index: ProfileIndex, holder: Node, prop: str) -> bool:
    """Does a rich result of the holder require the property, with no alternative on the page?"""
    if holder.foreign:
        return False
    for feature, _ in index.features_for(holder.types).pairs:
        if feature.profile.status == "retired":
            continue
        for entry in filter(_is_strict, feature.profile.required):
            names = {_first(path) for path in _paths(entry)}
            if prop in names and not any(name in holder.props for name in names - {prop}):
                return True
    return False


def _paths(entry: Entry) -> tuple[str, ...]:
    if entry.each:
        return (entry.each,)
    if entry.path:
        return (entry.path,)
    return (*entry.any_of, *(path for group in entry.any_of_groups for path in group))


def _first(path: str) -> str:
    """First property of a path, without a filter; the path itself where it leads to the holder."""
    return path.partition(".")[0].partition("[")[0]
