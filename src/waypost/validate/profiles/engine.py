"""Profiles compiled: which ones speak about nodes of given types, and what each asks for."""

from __future__ import annotations

from functools import cached_property, lru_cache

from waypost.models.page import Node
from waypost.models.profile import Consumer, Entry, Profile, Shape, Status
from waypost.registry import Registry
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.profiles.conditions import compile_condition, types_decide
from waypost.validate.profiles.fitting import Kinds
from waypost.validate.profiles.look import Look
from waypost.validate.profiles.paths import Test
from waypost.validate.profiles.requirements import Check, Level, Maker, Outcome, Requirements

DATA_VOCABULARY = "data-vocabulary.org"
_REMEMBERED = 1024


class Feature:
    """One profile and what it compiles to, the latter when a node first asks."""

    def __init__(self, profile: Profile, house: House, rank: int) -> None:
        self.profile = profile
        self.name = profile.name
        self.rank = rank
        self.is_conditional = profile.applies_when is not None
        self._house = house
        self._types_decide = types_decide(profile.applies_when)
        self._by_types: dict[tuple[str, ...], bool] = {}

    @cached_property
    def requirements(self) -> Requirements:
        return self._house.requirements(self.profile, None, is_profile=True)

    @cached_property
    def _applies(self) -> Test | None:
        when = self.profile.applies_when
        return self._house.test(when) if when else None

    def applies(self, look: Look, node: Node) -> bool:
        """Does the consumer look at such a node at all?"""
        if self._applies is None:
            return True
        if not self._types_decide:
            return self._applies(look, node) is True
        known = self._by_types.get(node.types)
        if known is None:
            known = self._applies(look, node) is True
            if len(self._by_types) < _REMEMBERED:
                self._by_types[node.types] = known
        return known

    def judge(self, look: Look, node: Node) -> Outcome:
        return self.requirements.judge(look, node)

    def status(self, today: str) -> Status:
        """What the result is on a day (YYYY-MM-DD): supported until it was retired."""
        profile = self.profile
        return "supported" if profile.retired_on is not None and today < profile.retired_on else profile.status

    def types_in(self, types: tuple[str, ...], vocabulary: Vocabulary) -> frozenset[str]:
        """Those of the profile's types by which a node with `types` asks for it; none when it does not."""
        wanted, profile = frozenset(self.profile.types), self.profile
        if profile.exclude_types and vocabulary.are_a(types, frozenset(profile.exclude_types)):
            return frozenset()
        alone = frozenset(profile.exclude_alone)
        lines = [vocabulary.ancestors(name) for name in types]
        return frozenset().union(*(wanted & line for line in lines if not alone & line))


class House:
    """The profiles of one consumer with what they share."""

    def __init__(self, consumer: Consumer, profiles: dict[str, Profile]) -> None:
        self.consumer = consumer
        self._profiles = profiles
        self._kinds: dict[str, Kinds] = {}
        self._shapes: dict[str, Requirements] = {}
        self.filters: dict[str, Test] = {}
        self.filters.update({name: compile_condition(each, {}) for name, each in consumer.filters.items()})
        self._tests: dict[str, Test] = {}
        self._maker = Maker(self.filters, self.kinds, self.shape, consumer.shapes)

    def test(self, condition: dict[str, object]) -> Test:
        """A condition, compiled once however often it is written."""
        written = repr(condition)
        if written not in self._tests:
            self._tests[written] = compile_condition(condition, self.filters)
        return self._tests[written]

    def kinds(self, written: str) -> Kinds:
        if written not in self._kinds:
            self._kinds[written] = Kinds(written, self.consumer, self._types_of)
        return self._kinds[written]

    def shape(self, name: str) -> Requirements:
        """What a shape asks for. Where it names a profile, what that one asks for."""
        if name not in self._shapes:
            shape = self.consumer.shapes[name]
            source = self._profiles[f"{self.consumer.name}/{shape.rule}"] if shape.rule else shape
            self._shapes[name] = self.requirements(source, shape.loses, is_profile=shape.rule is not None)
        return self._shapes[name]

    def requirements(self, source: Profile | Shape, loses: str | None, *, is_profile: bool) -> Requirements:
        parts = ((Level.REQUIRED, source.required), (Level.WANTED, source.recommended), (Level.LIMIT, source.limits))
        checks = [self._check(entry, level) for level, entries in parts for entry in entries]
        return Requirements(checks, loses, is_profile)

    def _check(self, entry: Entry, level: Level) -> Check:
        return Check(entry, level, self._maker, self.test(entry.when) if entry.when else None)

    def _types_of(self, shape: Shape) -> tuple[frozenset[str], frozenset[str]]:
        source = self._profiles[f"{self.consumer.name}/{shape.rule}"] if shape.rule else shape
        return frozenset(source.types), frozenset(source.exclude_types)


class Engine:
    """All features, and for types of nodes the few that matter."""

    def __init__(self, registry: Registry) -> None:
        self.vocabulary = registry.vocabulary
        profiles = registry.profiles
        houses = {name: House(consumer, profiles) for name, consumer in registry.consumers.items()}
        self.features = {
            name: Feature(profile, houses[name.partition("/")[0]], rank)
            for rank, (name, profile) in enumerate(profiles.items())
        }
        self.old_vocabulary = next(
            (each for each in self.features.values() if DATA_VOCABULARY in each.profile.types), None
        )
        self._for: dict[tuple[str, ...], tuple[tuple[Feature, frozenset[str]], ...]] = {}

    def features_for(self, types: tuple[str, ...]) -> tuple[tuple[Feature, frozenset[str]], ...]:
        """(feature, its types that the node has) for every feature that nodes of these types ask for."""
        known = self._for.get(types)
        if known is None:
            matched = ((each, each.types_in(types, self.vocabulary)) for each in self.features.values())
            known = tuple((each, by) for each, by in matched if by)
            if len(self._for) < 4096:
                self._for[types] = known
        return known

    def excuses(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Does a result earned by the types `one` excuse lacking that of the types `other`?

        Not when every type it was earned by is more general: an Organization is no excuse for a LocalBusiness.
        """
        ancestors = self.vocabulary.ancestors
        return not all(any(each != name and each in ancestors(name) for name in other) for each in one)


@lru_cache(maxsize=4)
def engine(registry: Registry) -> Engine:
    """The compiled profiles of a registry."""
    return Engine(registry)
