"""Dotted paths through nodes, as profiles write them: `offers.price`, `^.name`, `priceSpecification[active].price`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Value, is_present
from waypost.validate.profiles.look import Look, holders, is_reference, is_role

Test = Callable[[Look, Node], bool | None]

# A text in place of one of these things is read as its name.
NAMED_BY_TEXT = frozenset(
    {"about", "applicantLocationRequirements", "author", "brand", "contributor", "creator", "director",
     "eligibleRegion", "funder", "hiringOrganization", "manufacturer", "organizer", "performer", "provider",
     "publisher"}
)  # fmt: skip
_STEP = pattern(r"(@?\w+(?:-input)?)(?:\[(\w+)\])?")


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A present value and where it stands. `prop` is None for @id and @type."""

    node: Node
    prop: str | None
    at: int | None
    value: Value


class _Step(NamedTuple):
    prop: str
    test: Test | None


class Path:
    """A compiled path. `look` says what stands at its end and which objects on the way lack it."""

    __slots__ = ("_last", "_test", "_up", "_way", "first", "simple", "text")

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
        # The property that a scope must have for anything to be reached; None where it is not so simple.
        self.first = None if self._up or steps[0].prop[0] == "@" else steps[0].prop
        self.simple = not (self._up or self._way or self._test or self._last[0] == "@")

    def look(self, look: Look, scope: Node) -> tuple[list[Hit], list[Node]]:
        """(present values, objects that lack one). Where nothing can be demanded both are empty."""
        if self.simple:
            values = scope.props.get(self._last)
            if not values:
                return [], [scope]
            hits = [Hit(scope, self._last, n, value) for n, value in enumerate(values) if is_present(value)]
            return hits, [] if hits else [scope]
        if self.first is not None and self.first not in scope.props:
            return [], [scope]
        reached, named, excused = self._walk(look, scope)
        hits, lacking = named, []
        for node in reached:
            found = self._at(look, node)
            if found:
                hits.extend(found)
            elif is_reference(node) and node is not scope:
                excused = True
            else:
                lacking.append(node)
        if not reached and not named and not excused:
            lacking.append(scope)
        return hits, lacking

    def present(self, look: Look, scope: Node) -> bool:
        """Is there a present value at its end?"""
        if self.simple:
            values = scope.props.get(self._last)
            if not values:
                return False
            first = values[0]
            if isinstance(first, str) and first and not first.isspace():
                return True  # what is most common, first
            return any(map(is_present, values))
        return bool(self.look(look, scope)[0])

    def objects(self, look: Look, scope: Node) -> list[Node]:
        """The objects at its end that something may be demanded of."""
        return [node for node in self.all_objects(look, scope) if not is_reference(node)]

    def all_objects(self, look: Look, scope: Node) -> list[Node]:
        """The objects at its end, those without a target on this page included."""
        if self.first is not None and self.first not in scope.props:
            return []
        reached = self._walk(look, scope)[0]
        return [each for node in reached for each in _things(look, node, self._last, self._test)[0]]

    def _walk(self, look: Look, scope: Node) -> tuple[list[Node], list[Hit], bool]:
        """(objects before the last step, texts that count as names, whether a reference ended the walk)."""
        nodes = [holder for holder, _ in holders(scope)] if self._up else [scope]
        named: list[Hit] = []
        for n, (prop, test) in enumerate(self._way):
            ends = n == len(self._way) - 1 and self._last == "name" and prop in NAMED_BY_TEXT
            reached: list[Node] = []
            for node in nodes:
                things, texts = _things(look, node, prop, test)
                reached.extend(things)
                if ends:
                    named.extend(texts)
            if not reached:
                return [], named, any(is_reference(node) for node in nodes if node is not scope)
            nodes = reached
        return nodes, named, False

    def _at(self, look: Look, node: Node) -> list[Hit]:
        if self._last == "@id":
            return [Hit(node, None, None, node.id)] if node.id else []
        if self._last == "@type":
            return [Hit(node, None, None, name) for name in node.types]
        found: list[Hit] = []
        values = node.props.get(self._last)
        if not values:
            return found
        for n, value in enumerate(values):
            if is_present(value) and (self._test is None or (isinstance(value, Node) and self._test(look, value))):
                found.append(Hit(node, self._last, n, value))
        return found


def _things(look: Look, node: Node, prop: str, test: Test | None) -> tuple[list[Node], list[Hit]]:
    """(objects, texts) that a property holds; what a Role holds in its turn counts for the Role."""
    things: list[Node] = []
    texts: list[Hit] = []
    values = node.props.get(prop)
    if not values:
        return things, texts
    for n, value in enumerate(values):
        if isinstance(value, Node):
            if is_role(value) and prop in value.props:
                things.extend(each for each in value.nodes(prop) if not is_role(each))
            elif is_present(value) and (test is None or test(look, value)):
                things.append(value)
        elif isinstance(value, str) and is_present(value):
            texts.append(Hit(node, prop, n, value))
    return things, texts
