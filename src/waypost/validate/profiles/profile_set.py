"""Compiled profiles: selection by the types of a node, and requirements."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import NamedTuple

from waypost.models.page import Node
from waypost.models.profile import Condition, Consumer, Entry, Profile, Shape, Status
from waypost.registry import Registry
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.profiles.conditions import compile_condition
from waypost.validate.profiles.footprint import Footprint, footprint_of
from waypost.validate.profiles.model import EvaluationContext, Level, Outcome, Test
from waypost.validate.profiles.requirements import Definitions, EntryCheck, Requirements, paths_of
from waypost.validate.profiles.subjects import Subject
from waypost.validate.profiles.values import AcceptedKinds

DATA_VOCABULARY = "data-vocabulary.org"
_MOST_REMEMBERED = 4096


class Feature:
    """Profile, compiled at the first use. `rank` is the position among the profiles."""

    def __init__(self, profile: Profile, profile_set: ProfileSet, rank: int) -> None:
        self.profile = profile
        self.name = profile.name
        self.rank = rank
        self.is_conditional = profile.applies_when is not None
        self.is_own = profile.name.partition("/")[0] != "google"
        self._profile_set = profile_set

    @cached_property
    def requirements(self) -> Requirements:
        return self._profile_set.requirements(self.profile, None, is_profile=True)

    @cached_property
    def footprint(self) -> Footprint:
        return self._profile_set.footprint(self.profile)

    @cached_property
    def _condition(self) -> Test | None:
        when = self.profile.applies_when
        return self._profile_set.test(when) if when else None

    @cached_property
    def reviewable_types(self) -> frozenset[str]:
        """Types of items that the consumer shows the ratings of."""
        enum = self._profile_set.consumer.enums.get("reviewableType")
        return frozenset(enum.members if enum else ())

    @cached_property
    def _supposed_condition(self) -> Test | None:
        when = self.profile.supposed_when
        return self._profile_set.test(when) if when else None

    @cached_property
    def required_names(self) -> frozenset[str]:
        """First property of each required path."""
        paths = [path for entry in self.profile.required for path in ((entry.each,) if entry.each else paths_of(entry))]
        return frozenset(path.removeprefix("^.").partition(".")[0] for path in paths)

    @cached_property
    def optional_names(self) -> frozenset[str]:
        """First property of each path that is read, of a profile that requires none; else none."""
        entries = () if self.profile.required else (*self.profile.recommended, *self.profile.limits)
        paths = [path for entry in entries for path in ((entry.each,) if entry.each else paths_of(entry))]
        # A name says what an item is, whether the result shows it or not.
        own = ("name",) if paths else ()
        return frozenset((*own, *(path.removeprefix("^.").partition(".")[0].partition("[")[0] for path in paths)))

    @cached_property
    def owed_by_entries(self) -> frozenset[str]:
        """Properties that a list for summaries requires of the item of each entry."""
        paths = (path for entry in self.profile.required for path in paths_of(entry))
        return frozenset(path.removeprefix("item.") for path in paths if path.startswith("item."))

    def applies(self, context: EvaluationContext, node: Node) -> bool | None:
        """Does the consumer consider the node at all? `None` where the markup cannot show it."""
        return True if self._condition is None else self._condition(context, node)

    def is_supposed(self, context: EvaluationContext, node: Node) -> bool:
        """Does an earned result count although the markup cannot show whether the consumer considers the node?"""
        return self._supposed_condition is not None and self._supposed_condition(context, node) is True

    def evaluate(self, context: EvaluationContext, node: Node) -> Outcome:
        return self.requirements.evaluate(context, node)

    def status(self, today: str) -> Status:
        """Status of the rich result on a day (YYYY-MM-DD): supported until the day of retirement."""
        profile = self.profile
        return "supported" if profile.retired_on is not None and today < profile.retired_on else profile.status

    def types_in(self, types: tuple[str, ...], vocabulary: Vocabulary) -> frozenset[str]:
        """Types by which the profile applies to a node with `types`; empty if the profile does not apply."""
        included, profile = frozenset(self.profile.types), self.profile
        if profile.exclude_types and vocabulary.are_a(types, frozenset(profile.exclude_types)):
            return frozenset()
        alone = frozenset(profile.exclude_alone)
        # A page may give a node thousands of types that no one knows.
        lines = [vocabulary.ancestors(name) for name in types if name in vocabulary.types or name in included]
        return frozenset().union(*(included & line for line in lines if not alone & line))


class Features:
    """Features of nodes with some types, each with the types by which it applies."""

    def __init__(self, pairs: Iterable[tuple[Feature, frozenset[str]]]) -> None:
        self.pairs = tuple(pairs)

    @cached_property
    def footprint(self) -> Footprint:
        """Properties that the features read."""
        footprint = Footprint()
        for feature, _ in self.pairs:
            footprint |= feature.footprint
        return footprint


class Evaluation(NamedTuple):
    """Feature applied to a node.

    types    types of the profile by which the feature applies.
    applies  whether the consumer considers the node at all; `None` where the markup cannot show it.
    outcome  gaps of the node; `None` if the consumer does not consider it, or no longer shows the result.
    """

    feature: Feature
    types: frozenset[str]
    status: Status
    applies: bool | None
    is_considered: bool
    outcome: Outcome | None


def evaluate_plainly(
    context: EvaluationContext, node: Node, features: Features, today: str, requested: frozenset[str] = frozenset(),
    *, asserted: bool = False,
) -> list[Evaluation]:  # fmt: skip
    """Evaluate features on a node, one after another. `shapes` gives the same evaluations with less work.

    requested  names of features of which the caller asserts what the markup cannot show.
    asserted   the caller asserts the conditions of the features.
    """
    evaluations = []
    for feature, types in features.pairs:
        context.asserting = feature.name in requested
        applies = True if asserted else feature.applies(context, node)
        context.asserting = False
        is_considered = bool(applies) or (applies is None and feature.is_supposed(context, node))
        status = feature.status(today)
        is_evaluated = is_considered and status != "retired"
        outcome = feature.evaluate(context, node) if is_evaluated else None
        evaluations.append(Evaluation(feature, types, status, applies, is_considered, outcome))
    return evaluations


class ProfileSet:
    """Profiles of a consumer with shared filters, kinds and shapes, compiled once."""

    def __init__(self, consumer: Consumer, profiles: dict[str, Profile]) -> None:
        self.consumer = consumer
        self._profiles = profiles
        self._kinds: dict[str, AcceptedKinds] = {}
        self._shapes: dict[str, Requirements] = {}
        self._tests: dict[str, Test] = {}
        self._filters = {name: compile_condition(condition, {}) for name, condition in consumer.filters.items()}
        self._definitions = Definitions(self._filters, self._accepted_kinds, self._shape)

    def footprint(self, profile: Profile) -> Footprint:
        return footprint_of(profile, self.consumer, self._profiles)

    def test(self, condition: Condition) -> Test:
        """Compile a condition, once for equal conditions."""
        # Conditions are JSON data, which has no hash.
        written = repr(condition)
        if written not in self._tests:
            self._tests[written] = compile_condition(condition, self._filters)
        return self._tests[written]

    def requirements(self, source: Profile | Shape, loses: str | None, *, is_profile: bool) -> Requirements:
        """Compile the entries of a profile or shape."""
        parts = (
            (Level.REQUIRED, source.required),
            (Level.RECOMMENDED, source.recommended),
            (Level.LIMIT, source.limits),
        )
        checks = [self._check(entry, level) for level, entries in parts for entry in entries]
        return Requirements(checks, loses, is_profile)

    def _check(self, entry: Entry, level: Level) -> EntryCheck:
        return EntryCheck(entry, level, self._definitions, self.test(entry.when) if entry.when else None)

    def _accepted_kinds(self, written: str) -> AcceptedKinds:
        if written not in self._kinds:
            self._kinds[written] = AcceptedKinds(written, self.consumer, self._types_of)
        return self._kinds[written]

    def _shape(self, name: str) -> Requirements:
        """Requirements of a shape, or of the profile named by the shape."""
        if name not in self._shapes:
            shape = self.consumer.shapes[name]
            self._shapes[name] = self.requirements(self._source(shape), shape.loses, is_profile=shape.rule is not None)
        return self._shapes[name]

    def _types_of(self, shape: Shape) -> tuple[frozenset[str], frozenset[str]]:
        """(included, excluded) types of a shape."""
        source = self._source(shape)
        return frozenset(source.types), frozenset(source.exclude_types)

    def _source(self, shape: Shape) -> Profile | Shape:
        if not shape.rule:
            return shape
        return self._profiles[shape.rule if "/" in shape.rule else f"{self.consumer.name}/{shape.rule}"]


class ProfileIndex:
    """Features of a registry, by name and by the types of nodes."""

    def __init__(self, registry: Registry) -> None:
        self.vocabulary = registry.vocabulary
        profiles = registry.profiles
        sets = {name: ProfileSet(consumer, profiles) for name, consumer in registry.consumers.items()}
        self.features = {
            name: Feature(profile, sets[name.partition("/")[0]], rank)
            for rank, (name, profile) in enumerate(profiles.items())
        }
        self.old_vocabulary = next(
            (feature for feature in self.features.values() if DATA_VOCABULARY in feature.profile.types), None
        )
        self._summaries = [feature for feature in self.features.values() if feature.profile.summary]
        self._by_types: dict[tuple[tuple[str, ...], frozenset[str]], Features] = {}

    def features_for(self, types: tuple[str, ...], own: frozenset[str] = frozenset()) -> Features:
        """Features of nodes with `types`; of a project's own profiles only those in `own`."""
        known = self._by_types.get((types, own))
        if known is None:
            features = (each for each in self.features.values() if not each.is_own or each.name in own)
            matched = ((feature, feature.types_in(types, self.vocabulary)) for feature in features)
            known = Features((feature, matching) for feature, matching in matched if matching)
            if len(self._by_types) < _MOST_REMEMBERED:
                self._by_types[types, own] = known
        return known

    def summary_of(self, subject: Subject) -> Feature | None:
        """Feature of the list of a subject whose entries are summaries of other pages, and have a URL of their own."""
        node, (holder, via) = subject.node, subject.siblings or (None, "")
        if holder is None or via != "item" or node.get("url") is None:
            return None
        are_a = self.vocabulary.are_a
        for feature in self._summaries:
            profile = feature.profile
            if are_a(holder.types, frozenset(profile.types)) and are_a(node.types, frozenset(profile.item_types)):
                return feature
        return None

    def excuses(self, earned: frozenset[str], missed: frozenset[str]) -> bool:
        """Does a result earned by some types excuse a result missed by the types `missed`?

        More general types are not an excuse: a result as Organization does not excuse the result as LocalBusiness.
        """
        ancestors = self.vocabulary.ancestors
        return not all(any(general != name and general in ancestors(name) for name in missed) for general in earned)


@lru_cache(maxsize=32)
def profile_index(registry: Registry) -> ProfileIndex:
    """Compiled profiles of a registry."""
    return ProfileIndex(registry)
