"""Dotted paths through nodes, as profiles write them: `offers.price`, `^.name`, `priceSpecification[active].price`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.page import Node, is_present
from waypost.validate.profiles.model import EvaluationContext, PathMatch, Test
from waypost.validate.profiles.nodes import is_reference, is_role

# A text in place of one of these nodes is read as the node's name.
NAMED_BY_TEXT = frozenset(
    {"about", "applicantLocationRequirements", "author", "brand", "contributor", "creator", "director",
     "eligibleRegion", "funder", "hiringOrganization", "manufacturer", "organizer", "performer", "provider",
     "publisher"}
)  # fmt: skip
_STEP = pattern(r"(@?\w+(?:-input)?)(?:\[(\w+)\])?")


class _Step(NamedTuple):
    prop: str
    test: Test | None


class Path:
    """Compiled path: finds the values at the end, and the objects on the way without a value.

    is_simple  the path is a single property of the node.
    """

    __slots__ = ("_first", "_last", "_test", "_up", "_way", "is_simple", "text")

    def __init__(self, text: str, filters: Mapping[str, Test]) -> None:
        self.text = text
        self._up = text.startswith("^.")
        steps = []
        for part in text.removeprefix("^.").split("."):
            match = _STEP.fullmatch(part)
            assert match is not None, text
            steps.append(_Step(match[1], filters[match[2]] if match[2] else None))
        *self._way, last = steps
        self._last, self._test = last
        # Most nodes lack the first property of a path: nothing else has to be checked then.
        self._first = None if self._up or steps[0].prop[0] == "@" else steps[0].prop
        self.is_simple = not (self._up or self._way or self._test or self._last[0] == "@")

    def find(self, context: EvaluationContext, scope: Node) -> tuple[list[PathMatch], list[Node]]:
        """(present values, objects without one). Both are empty where nothing can be required."""
        if self.is_simple:
            matches = self._at(context, scope)
            return matches, [] if matches else [scope]
        if self._first is not None and self._first not in scope.props:
            return [], [scope]
        reached, names, has_reference = self._walk(context, scope)
        matches, lacking = names, []
        for node in reached:
            found = self._at(context, node)
            if found:
                matches.extend(found)
            elif is_reference(node) and node is not scope:
                has_reference = True
            else:
                lacking.append(node)
        # The way ends before the last step: the scope lacks the whole path. Behind a reference nothing is known.
        if not reached and not names and not has_reference:
            lacking.append(scope)
        return matches, lacking

    def is_present(self, context: EvaluationContext, scope: Node) -> bool:
        """Is there a present value at the end of the path?"""
        if self.is_simple:
            values = scope.props.get(self._last)
            return values is not None and (is_present(values[0]) if len(values) == 1 else any(map(is_present, values)))
        return bool(self.find(context, scope)[0])

    def objects(self, context: EvaluationContext, scope: Node) -> list[Node]:
        """Objects at the end, without references; stored, since several entries of a profile use the same path."""
        key = (scope, self.text)
        found = context.reached.get(key)
        if found is None:
            found = [node for node in self.all_objects(context, scope) if not is_reference(node)]
            context.reached[key] = found
        return found

    def all_objects(self, context: EvaluationContext, scope: Node) -> list[Node]:
        """Objects at the end, including references outside the page."""
        if self._first is not None and self._first not in scope.props:
            return []
        reached = self._walk(context, scope)[0]
        return [inner for node in reached for inner in _values(context, node, self._last, self._test)[0]]

    def _walk(self, context: EvaluationContext, scope: Node) -> tuple[list[Node], list[PathMatch], bool]:
        """(objects before the last step, texts that count as names, whether a reference ended the walk)."""
        nodes = [holder for holder, _ in context.holders(scope)] if self._up else [scope]
        names: list[PathMatch] = []
        for number, (prop, test) in enumerate(self._way):
            is_named = number == len(self._way) - 1 and self._last == "name" and prop in NAMED_BY_TEXT
            reached: list[Node] = []
            for node in nodes:
                objects, texts = _values(context, node, prop, test)
                reached.extend(objects)
                if is_named:
                    names.extend(texts)
            if not reached:
                return [], names, any(is_reference(node) for node in nodes if node is not scope)
            nodes = reached
        return nodes, names, False

    def _at(self, context: EvaluationContext, node: Node) -> list[PathMatch]:
        """Present values of the last step's property of a node."""
        if self._last == "@id":
            return [PathMatch(node, None, None, node.id)] if node.id else []
        if self._last == "@type":
            return [PathMatch(node, None, None, name) for name in node.types]
        values = node.props.get(self._last)
        if not values:
            return []
        test = self._test
        return [
            PathMatch(node, self._last, index, value)
            for index, value in enumerate(values)
            if is_present(value) and (test is None or (isinstance(value, Node) and test(context, value)))
        ]


def _values(context: EvaluationContext, node: Node, prop: str, test: Test | None) -> tuple[list[Node], list[PathMatch]]:
    """(objects, texts) of a property; the content of a Role counts in place of the Role."""
    objects: list[Node] = []
    texts: list[PathMatch] = []
    for index, value in enumerate(node.props.get(prop, ())):
        if isinstance(value, Node):
            if is_role(value) and prop in value.props:
                objects.extend(inner for inner in value.nodes(prop) if not is_role(inner))
            elif is_present(value) and (test is None or test(context, value)):
                objects.append(value)
        elif isinstance(value, str) and is_present(value):
            texts.append(PathMatch(node, prop, index, value))
    return objects, texts
