"""Results of profile evaluation: gaps, outcomes, and the shared state of the evaluation of a page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from waypost.models.page import Node, Page, Value
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.item import RuleContext
from waypost.validate.profiles.nodes import holders

_Found = TypeVar("_Found")

_MANY_OUTCOMES = 1_000


class Level(IntEnum):
    """Cost of a gap."""

    REQUIRED = 0  # the rich result itself
    SOFT = 1  # a warning
    RECOMMENDED = 2  # a place in the one line about missing recommended properties
    UNCERTAIN = 3  # information: the markup does not show whether the entry applies
    LIMIT = 4  # a warning about a value that should be different or not there


class Gap(NamedTuple):
    """Difference between an entry of a profile and the markup.

    kind        "missing" (`node` has nothing at `path`), "unfit" (value `value_index` of `prop` does not fit) or
                "limit" (a wrong value or number of values).
    path        as the profile writes it, from the evaluated node, without filters and a leading `^`; alternatives
                are joined by `|`.
    local_path  part of `path` from the object of the entry on: equal for a gap reached on two ways.
    problem     description of the wrong value; empty for a missing value.
    note        `rule` of the entry: the consumer's own words.
    loses       loss through the gap, for nodes below the evaluated node.
    certain     False if a code rule reports the value anyway.
    of_holder   `node` is the holder of the evaluated node (a path with `^`).
    by_own_profile  the profile of the nested node also reports the gap.
    """

    kind: str
    node: Node
    path: str
    local_path: str = ""
    prop: str | None = None
    value_index: int | None = None
    problem: str = ""
    note: str | None = None
    loses: str | None = None
    certain: bool = True
    severity: str | None = None
    of_holder: bool = False
    by_own_profile: bool = False

    def below(self, prefix: str, loses: str | None = None) -> Gap:
        """The same gap seen from the node above."""
        path = self.path if self.of_holder else prefixed(prefix, self.path)
        return self._replace(path=path, loses=self.loses or loses)


def prefixed(prefix: str, path: str) -> str:
    """Put a prefix in front of every alternative of a path."""
    return "|".join([prefix + part for part in path.split("|")]) if "|" in path else prefix + path


class Outcome:
    """Gaps between a set of requirements and a node.

    required           gaps by which the node misses the rich result.
    soft, limits       gaps reported as warnings.
    recommended        missing recommended path -> node without the path.
    maybe_recommended  missing path -> intents under which the path is recommended.
    maybe_required     missing path -> intents under which the path is required.
    is_short           a required list is under its minimum length: a warning, and no result.
    """

    __slots__ = ("is_short", "limits", "maybe_recommended", "maybe_required", "recommended", "required", "soft")

    def __init__(self) -> None:
        self.is_short = False
        self.required: list[Gap] = []
        self.soft: list[Gap] = []
        self.limits: list[Gap] = []
        self.recommended: dict[str, Node] = {}
        self.maybe_recommended: dict[str, tuple[str, ...]] = {}
        self.maybe_required: dict[str, tuple[str, ...]] = {}

    def add(self, level: Level, gap: Gap) -> None:
        if level is Level.REQUIRED:
            self.required.append(gap)
        elif level is Level.LIMIT:
            self.limits.append(gap)
        else:
            self.soft.append(gap)

    def recommend(self, path: str, node: Node) -> None:
        """Record a missing recommended path, once."""
        self.recommended.setdefault(path, node)

    def suppose(self, path: str, intents: tuple[str, ...], *, required: bool) -> None:
        """Record a missing path that would be required or recommended under some intents, once."""
        (self.maybe_required if required else self.maybe_recommended).setdefault(path, intents)

    def lift(self, inner: Outcome, prefix: str, level: Level, loses: str | None) -> None:
        """Add the gaps of a nested node, with the path to that node as `prefix`."""
        # Where it is uncertain whether the object is needed at all, none of its gaps counts.
        if level is Level.UNCERTAIN:
            return
        if level is Level.REQUIRED:
            self.required += [gap.below(prefix) for gap in inner.required]
        else:
            reported = (gap for gap in inner.required if gap.certain and not gap.by_own_profile)
            self.soft += [gap.below(prefix, loses) for gap in reported]
        self.soft += [gap.below(prefix, loses) for gap in inner.soft]
        self.limits += [gap.below(prefix) for gap in inner.limits]
        for path, node in inner.recommended.items():
            self.recommend(prefixed(prefix, path), node)
        for path, intents in inner.maybe_recommended.items():
            self.suppose(prefixed(prefix, path), intents, required=False)
        for path, intents in inner.maybe_required.items():
            self.suppose(prefixed(prefix, path), intents, required=True)


class PathMatch(msgspec.Struct, frozen=True, gc=False):
    """Present value at the end of a path, with node, property and index. `prop` is `None` for @id and @type."""

    node: Node
    prop: str | None
    index: int | None
    value: Value


class Fit(msgspec.Struct, frozen=True):
    """Result of fitting a value. Without `mismatch` and `shape` the value fits.

    mismatch  reason in words.
    shape     shape for the evaluation of the node.
    certain   no code rule reports the value.
    """

    mismatch: str | None = None
    shape: str | None = None
    certain: bool = False


class Kinds(Protocol):
    """Kinds of values that an entry accepts."""

    def fit(self, context: EvaluationContext, match: PathMatch, /) -> Fit: ...


class EvaluationContext:
    """State of the evaluation of a page, shared by the checks.

    The checks ask it for what depends on more than types, property names and kinds of values: `shapes` records that.

    outcomes   (node, requirements) -> outcome; `None` during the evaluation.
    last_items (holder of a list, property) -> last item of the list.
    reached    (node, path) -> objects at the end of the path, without references.
    asserting  True during the evaluation of a profile requested by name: intents count as given.
    has_shapes  no node was met so far whose outcome depends on where its evaluation began, see `shapes`.
    """

    __slots__ = (
        "_most_outcomes", "_stated_apart", "are_a", "asserting", "has_shapes", "last_items", "outcomes", "page",
        "reached", "rule_context", "vocabulary",
    )  # fmt: skip

    def __init__(self, rule_context: RuleContext) -> None:
        self.rule_context = rule_context
        self.page: Page = rule_context.page
        self.vocabulary: Vocabulary = rule_context.registry.vocabulary
        self.are_a = self.vocabulary.are_a
        self.asserting = False
        self.has_shapes = True
        self.outcomes: dict[tuple[Node, Hashable], Outcome | None] = {}
        self.last_items: dict[tuple[Node, str], Node | None] = {}
        self.reached: dict[tuple[Node, str], list[Node]] = {}
        self._most_outcomes = _MANY_OUTCOMES
        self._stated_apart: dict[Node, None] | None = None

    def fit(self, accepted: Kinds, match: PathMatch) -> Fit:
        """Fit of a value with the kinds that an entry accepts."""
        return accepted.fit(self, match)

    def test_value(self, function: Callable[[Value], _Found], match: PathMatch) -> _Found:
        """Result of a function of a value."""
        return function(match.value)

    def test_node(self, test: Test, node: Node) -> bool | None:
        """Result of a condition about the values of a node, or about the page."""
        return test(self, node)

    def holders(self, node: Node) -> Sequence[tuple[Node, str]]:
        """(node, property) pairs that hold a node."""
        return holders(node)

    def compare_values(self) -> None:
        """Note that values are compared with each other."""

    @property
    def stated_apart(self) -> dict[Node, None]:
        """Nodes that the markup first holds inside another node, and that stand for themselves elsewhere."""
        if self._stated_apart is None:
            merged = self.rule_context.nodes_by_sign.get("merged", ())
            self._stated_apart = dict.fromkeys(
                node.same_as for node in merged if node.same_as is not None and node.parent is None
            )
        return self._stated_apart

    def forget(self) -> None:
        """Drop the results of nodes without referrers. Call only between two subjects.

        On a page of many thousand items the results would take most of the memory. A nested node with a profile is
        evaluated once more; results of nodes with referrers stay.
        """
        if len(self.outcomes) + len(self.reached) > self._most_outcomes:
            self.outcomes = {key: found for key, found in self.outcomes.items() if key[0].referrers}
            self.reached = {key: found for key, found in self.reached.items() if key[0].referrers}
            # Twice what stays: a page full of references is not searched again after every subject.
            self._most_outcomes = _MANY_OUTCOMES + 2 * (len(self.outcomes) + len(self.reached))


Test: TypeAlias = Callable[[EvaluationContext, Node], bool | None]
"""Condition about a node; `None` where the markup cannot show the answer."""
