"""Nodes and values as profiles read them: references, roles, holders, and equality by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from waypost.formats.numbers import number
from waypost.models.page import Node, Value, is_present
from waypost.registry.vocabulary import bare

_ROLES = frozenset({"Role", "OrganizationRole", "EmployeeRole", "PerformanceRole", "LinkRole"})
_MOST_HOLDERS = 50


def is_reference(node: Node) -> bool:
    """Does the node only point outside the page? Properties of a reference cannot be required."""
    return node.reference or (not node.props and node.id is not None)


def has_content(node: Node) -> bool:
    """Does the node have a single present value?"""
    return any(map(is_present, chain.from_iterable(node.props.values())))


def is_role(node: Node) -> bool:
    """Does the node only stand in front of the real value? Source: schema.org/Role."""
    return not _ROLES.isdisjoint(node.types)


def holders(node: Node) -> Sequence[tuple[Node, str]]:
    """(node, property) pairs that hold the node, at most 51."""
    referrers = node.referrers[:_MOST_HOLDERS]
    if node.parent is not None and node.via is not None and not node.reverse:
        return [(node.parent, node.via), *referrers]
    return referrers


_TRUTH = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}


def truth(value: Value) -> bool | None:
    """Boolean of a value, `None` for a value with another meaning."""
    if isinstance(value, bool):
        return value
    text = value.id if isinstance(value, Node) else value
    return _TRUTH.get(bare(text.strip()) or "") if isinstance(text, str) else None


def text_of(value: Value) -> str | None:
    """Text of a value, or the bare name of an IRI."""
    text = value.id if isinstance(value, Node) else value
    if not isinstance(text, str):
        return None if text is None or isinstance(text, bool) else str(text)
    text = text.strip()
    return bare(text) or text


def equals(value: Value, literal: Any) -> bool:
    """Does the value mean the same as a literal of a profile? Numbers, booleans and names compare by meaning."""
    if isinstance(literal, bool):
        return truth(value) is literal
    if isinstance(literal, int | float):
        exact = None if isinstance(value, Node) else number(value)
        return exact is not None and exact == literal
    # Google's own example writes "Math solver" where its table says "Math Solver".
    text = text_of(value)
    return text is not None and text.lower() == literal.lower()
