"""Conditions of profiles: true, false, or `None` where the markup cannot show the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from waypost.formats.numbers import number
from waypost.models.page import Node
from waypost.models.profile import Condition
from waypost.validate.profiles.model import EvaluationContext, Test
from waypost.validate.profiles.nodes import equals, holders
from waypost.validate.profiles.paths import Path


def compile_condition(condition: Condition, filters: Mapping[str, Test]) -> Test:
    """Compile a condition into a function of the context and the scope object."""
    (form, operand), *_ = condition.items()
    match form:
        case "present":
            return Path(operand, filters).is_present
        case "absent":
            path = Path(operand, filters)
            return lambda context, node: not path.is_present(context, node)
        case "number":
            return _recorded(_numeric(Path(operand, filters)))
        case "path":
            return _recorded(_compared(condition, filters))
        case "type":
            return _typed(operand, filters)
        case "nested":
            return _recorded(_nested(operand.get("by"), operand.get("in")))
        case "not":
            test = compile_condition(operand, filters)
            # What the markup cannot show stays unknown when denied.
            return lambda context, node: None if (truth := test(context, node)) is None else not truth
        case "all":
            return _every([compile_condition(inner, filters) for inner in operand])
        case "any":
            return _some([compile_condition(inner, filters) for inner in operand])
        case "intent":
            return lambda context, _: True if context.asserting else None
    return _recorded({"last_item": _is_last_item, "external_url": _has_external_url, "page": _is_home_page}[form])


def _recorded(test: Test) -> Test:
    """Condition on a value, a holder or the page, which the context may record."""
    return lambda context, node: context.test_node(test, node)


def intents(condition: Condition | None) -> list[str]:
    """Intents in a condition, in words: assertions by the caller without which the condition is undecidable."""
    found: list[str] = []
    waiting: list[Any] = [condition]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict):
            found += [part["intent"]] if "intent" in part else []
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return found


def _as_set(names: str | Sequence[str]) -> frozenset[str]:
    return frozenset((names,) if isinstance(names, str) else names)


def _numeric(path: Path) -> Test:
    return lambda context, node: any(number(match.value) is not None for match in path.find(context, node)[0])


def _compared(condition: Condition, filters: Mapping[str, Test]) -> Test:
    path = Path(condition["path"], filters)
    if "gt" in condition:
        bound = condition["gt"]

        def above(context: EvaluationContext, node: Node) -> bool:
            numbers = (number(match.value) for match in path.find(context, node)[0])
            return any(amount is not None and amount > bound for amount in numbers)

        return above
    expected = condition["is"] if isinstance(condition["is"], list) else [condition["is"]]

    def same(context: EvaluationContext, node: Node) -> bool:
        return any(equals(match.value, literal) for match in path.find(context, node)[0] for literal in expected)

    return same


def _typed(operand: Mapping[str, Any], filters: Mapping[str, Test]) -> Test:
    expected, never = _as_set(operand["is"]), _as_set(operand.get("except", ()))
    path = Path(operand["path"], filters) if "path" in operand else None

    def typed(context: EvaluationContext, node: Node) -> bool | None:
        nodes = path.all_objects(context, node) if path else [node]
        if any(context.are_a(found.types, expected) and not context.are_a(found.types, never) for found in nodes):
            return True
        # Without a type the markup does not say whether the condition holds.
        return None if nodes and not any(found.types for found in nodes) else False

    return typed


def _nested(by: Sequence[str] | None, within: Sequence[str] | None) -> Test:
    types = frozenset(within) if within else None

    def nested(context: EvaluationContext, node: Node) -> bool:
        return any(
            (by is None or prop in by) and (types is None or context.are_a(holder.types, types))
            for holder, prop in holders(node)
        )

    return nested


def _every(tests: Sequence[Test]) -> Test:
    def every(context: EvaluationContext, node: Node) -> bool | None:
        known: bool | None = True
        for test in tests:
            found = test(context, node)
            if found is False:
                return False
            known = known if found else None  # undecided, unless a later test is false
        return known

    return every


def _some(tests: Sequence[Test]) -> Test:
    def some(context: EvaluationContext, node: Node) -> bool | None:
        known: bool | None = False
        for test in tests:
            found = test(context, node)
            if found:
                return True
            known = known if found is False else None  # undecided, unless a later test is true
        return known

    return some


def _is_last_item(context: EvaluationContext, node: Node) -> bool:
    for holder, prop in holders(node):
        if (holder, prop) not in context.last_items:
            context.last_items[holder, prop] = _last_of(list(holder.nodes(prop)))
        if context.last_items[holder, prop] is node:
            return True
    return False


def _last_of(items: list[Node]) -> Node | None:
    """Item with the highest position; the last item where positions are missing or equal."""
    positions = [number(item.get("position")) for item in items]
    known = [position for position in positions if position is not None]
    if len(known) == len(items) and len(set(known)) == len(known) and known:
        return items[positions.index(max(known))]
    return items[-1] if items else None


def _has_external_url(context: EvaluationContext, node: Node) -> bool | None:
    url, own = node.get("url"), context.page.url
    if not isinstance(url, str):
        return False
    if own is None:
        return None
    try:
        # A fragment names a part of the same page.
        return urldefrag(urljoin(context.page.base or own, url.strip()))[0] != urldefrag(own)[0]
    except ValueError:
        return False


def _is_home_page(context: EvaluationContext, _: Node) -> bool | None:
    if context.page.url is None:
        return None
    try:
        parts = urlsplit(context.page.url)
    except ValueError:
        return None
    return parts.path in ("", "/") and not parts.query
