"""Evaluation by shape: what nodes with the same types, properties and kinds of values have in common is evaluated once.

Nodes of one template differ in their values. A plan has the outcome of a node of one shape, and the results of all
tests of values that led to it: where the values of another node of the shape give the same results, it has the same
outcome. Otherwise, and for the first node of a shape, `evaluate_plainly` evaluates the node, as it can evaluate all.

A shape ends at the properties that the profiles do not read. Nodes that contain themselves by references, deep nodes
and large ones have no shape; a page with one of them is evaluated plainly from there on, since the outcome of such a
node depends on the node at which the evaluation began.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from waypost.models.page import LangString, Node, Value
from waypost.registry import Registry
from waypost.validate.profiles.model import EvaluationContext, Fit, Gap, Kinds, Outcome, PathMatch, Test
from waypost.validate.profiles.nodes import holders
from waypost.validate.profiles.profile_set import Evaluation, Features, evaluate_plainly

_MOST_REMEMBERED = 60_000  # marks of all shapes, and tests of all plans; each takes up to 150 bytes
_MOST_VARIANTS = 3  # plans of one shape, whose values gave other results
_MOST_MARKS = 250  # of a shape; also bounds the tests of its plan
_MOST_READ = 1_500
_DEEPEST = 8
_MOST_HOLDERS = 2
_LONGEST = 200  # characters of types, or of a problem that a test found
_END = ...
_PLAINLY: list[_Plan] = []
"""Plans of a shape that is always evaluated plainly."""

_Key: TypeAlias = tuple[Any, ...]


class _Marks:
    """Marks of a shape, and the nodes that have it in the order of the marks."""

    def __init__(self, today: str) -> None:
        self.marks: list[Any] = [today]
        self.numbers: dict[Node, int] = {}
        self.is_common = True
        self._around: set[Node] = set()  # nodes that hold the one that is read

    def read(self, node: Node, names: frozenset[str], depth: int = 0) -> bool:
        """Add a node; False where the outcome of a node may depend on the node at which the evaluation began."""
        marks, types = self.marks, node.types
        if node in self.numbers:
            marks.append((self.numbers[node],))
            return node not in self._around
        if depth > _DEEPEST or len(marks) > _MOST_READ:
            return False
        if len(types) > 1 or (types and len(types[0]) > _LONGEST):
            self.is_common &= sum(map(len, types)) <= _LONGEST
        self.numbers[node] = len(self.numbers)
        self._around.add(node)
        marks += (types, node.reference, node.hollow, node.id and True, not node.props, node.miscased is None)
        for name, values in node.props.items():
            if name in names:
                marks.append(name)
                for value in values:
                    if value.__class__ is str or value.__class__ is LangString:
                        marks.append(value == "" or value.isspace())
                    elif isinstance(value, Node):
                        if not self.read(value, names, depth + 1):
                            return False
                    else:
                        marks.append(value.__class__)
        marks.append(_END)
        self._around.discard(node)
        return True

    def read_holders(self, node: Node, names: frozenset[str]) -> bool:
        """Add the holders of a node."""
        around = holders(node)
        self.is_common &= len(around) <= _MOST_HOLDERS
        for holder, prop in around[:_MOST_HOLDERS]:
            self.marks.append(prop)
            if not self.read(holder, names):
                return False
        return True


class _Template(NamedTuple):
    """Outcome of a node of a shape, with numbers in place of the nodes of gaps."""

    is_short: bool
    required: tuple[tuple[Gap, int], ...]
    soft: tuple[tuple[Gap, int], ...]
    limits: tuple[tuple[Gap, int], ...]
    recommended: tuple[tuple[str, int], ...]
    maybe_recommended: dict[str, tuple[str, ...]]
    maybe_required: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, outcome: Outcome, numbers: Mapping[Node, int]) -> _Template:
        # Without the node: a plan outlives the page.
        required, soft, limits = (
            tuple((gap._replace(node=_NO_NODE), numbers[gap.node]) for gap in found)
            for found in (outcome.required, outcome.soft, outcome.limits)
        )
        recommended = tuple((path, numbers[node]) for path, node in outcome.recommended.items())
        return cls(
            outcome.is_short, required, soft, limits, recommended, outcome.maybe_recommended, outcome.maybe_required
        )

    @property
    def size(self) -> int:
        return 3 * len(self.required + self.soft + self.limits) + len(self.recommended)

    def outcome(self, nodes: Sequence[Node]) -> Outcome:
        outcome = Outcome()
        outcome.is_short = self.is_short
        outcome.required = [gap._replace(node=nodes[number]) for gap, number in self.required]
        outcome.soft = [gap._replace(node=nodes[number]) for gap, number in self.soft]
        outcome.limits = [gap._replace(node=nodes[number]) for gap, number in self.limits]
        outcome.recommended = {path: nodes[number] for path, number in self.recommended}
        outcome.maybe_recommended, outcome.maybe_required = self.maybe_recommended, self.maybe_required
        return outcome


_NO_NODE: Any = None


def _has_one_holder(_: EvaluationContext, node: Node) -> bool:
    """Is the node below which a node stands the only one that holds it?"""
    return node.parent is not None and not node.reverse and not node.referrers


class _Plan(NamedTuple):
    """Evaluations of the nodes of a shape whose values give the same results.

    nodes, values, fits  tests, with the number of the node, the property and the index of the value, and the result.
    """

    nodes: tuple[tuple[Test, int, bool | None], ...]
    values: tuple[tuple[Callable[[Value], Any], int, str, int, Any], ...]
    fits: tuple[tuple[Kinds, int, str, int, Fit], ...]
    evaluations: tuple[tuple[Evaluation, _Template | None], ...]

    def is_of(self, context: EvaluationContext, nodes: Sequence[Node]) -> bool:
        """Do all tests give the results of the plan?"""
        for test, number, expected in self.nodes:
            if test(context, nodes[number]) is not expected:
                return False
        for function, number, prop, index, result in self.values:
            if function(_value(nodes[number], prop, index)) != result:
                return False
        for accepted, number, prop, index, fit in self.fits:
            node = nodes[number]
            found = accepted.fit(context, PathMatch(node, prop or None, index, _value(node, prop, index)))
            if found is not fit and found != fit:
                return False
        return True

    @property
    def size(self) -> int:
        tests = len(self.nodes) + len(self.values) + len(self.fits)
        return tests + sum(4 + template.size for _, template in self.evaluations if template)

    def evaluations_of(self, nodes: Sequence[Node]) -> list[Evaluation]:
        return [
            evaluation if template is None else evaluation._replace(outcome=template.outcome(nodes))
            for evaluation, template in self.evaluations
        ]


def _value(node: Node, prop: str, index: int) -> Value:
    return node.props[prop][index] if prop else node.id


class _Recorder(EvaluationContext):
    """Context of a plain evaluation that records the tests of values. `is_plan`: all were recorded."""

    __slots__ = ("_numbers", "fits", "is_plan", "nodes", "plain", "values")

    def __init__(self, plain: EvaluationContext, numbers: Mapping[Node, int]) -> None:
        super().__init__(plain.rule_context)
        self.plain = plain
        self._numbers = numbers
        self.is_plan = True
        self.nodes: dict[tuple[Test, Node], bool | None] = {}
        self.values: dict[tuple[Callable[[Value], Any], Node, str, int], Any] = {}
        self.fits: dict[tuple[Kinds, Node, str, int], Fit] = {}

    def fit(self, accepted: Kinds, match: PathMatch) -> Fit:
        found = accepted.fit(self.plain, match)
        # The types of a node, which have no property, are part of the shape.
        if match.prop is not None or match.value is match.node.id:
            self.fits[accepted, match.node, match.prop or "", match.index or 0] = found
            self.is_plan &= found.mismatch is None or len(found.mismatch) < _LONGEST
        return found

    def test_value(self, function: Callable[[Value], Any], match: PathMatch) -> Any:
        found = function(match.value)
        if match.prop is not None or match.value is match.node.id:
            self.values[function, match.node, match.prop or "", match.index or 0] = found
            self.is_plan &= not isinstance(found, str) or len(found) < _LONGEST
        return found

    def test_node(self, test: Test, node: Node) -> bool | None:
        found = self.nodes[test, node] = test(self.plain, node)
        return found

    def holders(self, node: Node) -> Sequence[tuple[Node, str]]:
        # Part of the shape are those of the node itself, and the only holder of a node that was read in it.
        if self._numbers.get(node) != 0:
            self.is_plan &= node.parent in self._numbers and self.test_node(_has_one_holder, node) is True
        return holders(node)

    def compare_values(self) -> None:
        self.is_plan = False

    def plan(self, evaluations: list[Evaluation]) -> _Plan | None:
        """Plan of the evaluation; None where something was tested that is not part of the shape."""
        if not self.is_plan:
            return None
        number = self._numbers.__getitem__
        try:
            return _Plan(
                tuple((test, number(node), found) for (test, node), found in self.nodes.items()),
                tuple((test, number(node), name, n, found) for (test, node, name, n), found in self.values.items()),
                tuple((kinds, number(node), name, n, found) for (kinds, node, name, n), found in self.fits.items()),
                tuple(
                    (each._replace(outcome=None), _Template.of(each.outcome, self._numbers) if each.outcome else None)
                    for each in evaluations
                ),
            )
        except KeyError:
            return None


class ShapePlans:
    """Plans of the profiles of a registry, by shape. Where they take too much memory, all are dropped."""

    def __init__(self) -> None:
        self._plans: dict[_Key, list[_Plan]] = {}
        self._size = 0

    def evaluate(self, context: EvaluationContext, node: Node, features: Features, today: str) -> list[Evaluation]:
        """Evaluations of the features on a node: those of `evaluate_plainly`."""
        if not context.has_shapes:
            return evaluate_plainly(context, node, features, today)
        marks, footprint = _Marks(today), features.footprint
        context.has_shapes = marks.read(node, footprint.names) and (
            not footprint.reads_holders or marks.read_holders(node, footprint.of_holders)
        )
        if not (context.has_shapes and marks.is_common and len(marks.marks) <= _MOST_MARKS):
            return evaluate_plainly(context, node, features, today)
        key = tuple(marks.marks)
        plans = self._plans.get(key)
        if plans is None:
            # Most shapes occur once: only the second node of a shape pays for the record.
            self._make_room(len(key))
            self._plans[key] = []
            return evaluate_plainly(context, node, features, today)
        if plans is _PLAINLY:
            return evaluate_plainly(context, node, features, today)
        nodes = list(marks.numbers)
        for plan in plans:
            if plan.is_of(context, nodes):
                return plan.evaluations_of(nodes)
        if len(plans) >= _MOST_VARIANTS:
            return evaluate_plainly(context, node, features, today)
        recorder = _Recorder(context, marks.numbers)
        evaluations = evaluate_plainly(recorder, node, features, today)
        made = recorder.plan(evaluations)
        if made is None:
            self._plans[key] = _PLAINLY
        else:
            self._make_room(made.size)
            plans.append(made)
        return evaluations

    def _make_room(self, size: int) -> None:
        if self._size + size > _MOST_REMEMBERED:
            self._plans.clear()
            self._size = 0
        self._size += size


@lru_cache(maxsize=4)
def shape_plans(_: Registry) -> ShapePlans:
    """Plans of a registry."""
    return ShapePlans()
