"""One look at a page by the profiles: what every check may ask about it, remembered while it lasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.formats.numbers import number
from waypost.models.page import Node, Page, Value
from waypost.registry.vocabulary import Vocabulary, bare
from waypost.validate.item import RuleContext

if TYPE_CHECKING:
    from waypost.validate.profiles.paths import Path
    from waypost.validate.profiles.requirements import Outcome, Requirements

_ROLES = frozenset({"Role", "OrganizationRole", "EmployeeRole", "PerformanceRole", "LinkRole"})
_MOST_HOLDERS = 50
_MANY = 1_000


class Look:
    """The page, the vocabulary, and what was found out so far.

    outcomes   (node, requirements) -> what was found; None while it is being found.
    last       holder of a list -> the last of its items.
    reached    (node, path) -> the objects at its end that something may be demanded of.
    asserting  True while a profile is judged that was asked for by name: intents count as given.
    """

    __slots__ = ("_most", "are_a", "asserting", "context", "last", "outcomes", "page", "reached", "vocabulary")

    def __init__(self, context: RuleContext) -> None:
        self.context = context
        self.page: Page = context.page
        self.vocabulary: Vocabulary = context.registry.vocabulary
        self.are_a = self.vocabulary.are_a
        self.asserting = False
        self.outcomes: dict[tuple[Node, Requirements], Outcome | None] = {}
        self.last: dict[Node, Node | None] = {}
        self.reached: dict[tuple[Node, str], list[Node]] = {}
        self._most = _MANY

    def forget(self) -> None:
        """Let go of what was found in nodes that nothing refers to. Only between the nodes that ask.

        Of a page of many thousand items it would be most of the memory. Who asks again for something inside such a
        node (its content, for a result of its own) works it out once more; what a node that several refer to
        lacks stays known, whatever it holds.
        """
        if len(self.outcomes) + len(self.reached) > self._most:
            self.outcomes = {key: found for key, found in self.outcomes.items() if key[0].referrers}
            self.reached = {key: found for key, found in self.reached.items() if key[0].referrers}
            self._most = _MANY + 2 * (len(self.outcomes) + len(self.reached))

    def objects(self, path: Path, node: Node) -> list[Node]:
        """What `path` reaches from a node; several entries of one profile ask for the same."""
        found = self.reached.get((node, path.text))
        if found is None:
            found = self.reached[node, path.text] = path.objects(self, node)
        return found


def is_reference(node: Node) -> bool:
    """Does it only point somewhere that this page does not show? Nothing inside it can be demanded."""
    return node.reference or (not node.props and node.id is not None)


def is_role(node: Node) -> bool:
    """Does it only stand in front of the real value (schema.org/Role)?"""
    return not _ROLES.isdisjoint(node.types)


def holders(node: Node) -> Sequence[tuple[Node, str]]:
    """The (node, property) pairs that hold this node; a bounded number."""
    found = node.referrers[:_MOST_HOLDERS]
    if node.parent is not None and node.via is not None and not node.reverse:
        return [(node.parent, node.via), *found]
    return found


_TRUTH = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}


def truth(value: Value) -> bool | None:
    """What a value says as a boolean, None if it is none."""
    if isinstance(value, bool):
        return value
    text = value.id if isinstance(value, Node) else value
    return _TRUTH.get(bare(text.strip()) or "") if isinstance(text, str) else None


def said(value: Value) -> str | None:
    """The text of a value, or the bare name of what it points to."""
    text = value.id if isinstance(value, Node) else value
    if not isinstance(text, str):
        return None if text is None or isinstance(text, bool) else str(text)
    text = text.strip()
    return bare(text) or text


def equals(value: Value, literal: Any) -> bool:
    """Do they say the same? Numbers, booleans and names are compared by what they mean."""
    if isinstance(literal, bool):
        return truth(value) is literal
    if isinstance(literal, int | float):
        exact = None if isinstance(value, Node) else number(value)
        return exact is not None and exact == literal
    return bool(said(value) == literal)
