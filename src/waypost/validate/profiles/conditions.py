"""Conditions of profiles: true, false, or None where the markup cannot show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from waypost.formats.numbers import number
from waypost.models.page import Node
from waypost.models.profile import Condition
from waypost.validate.profiles.look import Look, equals, holders
from waypost.validate.profiles.paths import Path, Test


def compile_condition(condition: Condition, filters: Mapping[str, Test]) -> Test:
    """A condition as a function of the scope object."""
    (form, told), *_ = condition.items()
    match form:
        case "present":
            return Path(told, filters).present
        case "absent":
            path = Path(told, filters)
            return lambda look, node: not path.present(look, node)
        case "path":
            return _compared(condition, filters)
        case "type":
            return _typed(told, filters)
        case "nested":
            return _nested(told.get("by"), told.get("in"))
        case "not":
            inner = compile_condition(told, filters)
            return lambda look, node: None if (truth := inner(look, node)) is None else not truth
        case "all":
            return _all([compile_condition(each, filters) for each in told])
        case "any":
            return _any([compile_condition(each, filters) for each in told])
        case "intent":
            return lambda look, _: True if look.asserting else None
    return {"last_item": _is_last_item, "external_url": _is_elsewhere, "page": _is_home_page}[form]


def intents(condition: Condition | None) -> list[str]:
    """What a caller would have to assert for a condition to become decidable, in words."""
    found: list[str] = []
    waiting: list[Any] = [condition]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, dict):
            found += [each["intent"]] if "intent" in each else []
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
    return found


def types_decide(condition: Condition | None) -> bool:
    """Do the types of the scope alone decide a condition?"""
    waiting: list[Any] = [condition] if condition else []
    while waiting:
        each = waiting.pop()
        if not isinstance(each, dict) or not each.keys() <= {"type", "any", "all", "not"}:
            return False
        if "type" in each and "path" in each["type"]:
            return False
        waiting += [*each.get("any", ()), *each.get("all", ()), *([each["not"]] if "not" in each else [])]
    return True


def _as_set(names: str | Sequence[str]) -> frozenset[str]:
    return frozenset((names,) if isinstance(names, str) else names)


def _compared(condition: Condition, filters: Mapping[str, Test]) -> Test:
    path = Path(condition["path"], filters)
    if "gt" in condition:
        bound = condition["gt"]

        def above(look: Look, node: Node) -> bool:
            numbers = (number(hit.value) for hit in path.look(look, node)[0])
            return any(each is not None and each > bound for each in numbers)

        return above
    wanted = condition["is"] if isinstance(condition["is"], list) else [condition["is"]]

    def same(look: Look, node: Node) -> bool:
        return any(equals(hit.value, each) for hit in path.look(look, node)[0] for each in wanted)

    return same


def _typed(told: Mapping[str, Any], filters: Mapping[str, Test]) -> Test:
    wanted, never = _as_set(told["is"]), _as_set(told.get("except", ()))
    path = Path(told["path"], filters) if "path" in told else None

    def typed(look: Look, node: Node) -> bool | None:
        things = path.all_objects(look, node) if path else [node]
        if any(look.are_a(each.types, wanted) and not look.are_a(each.types, never) for each in things):
            return True
        return None if things and not any(each.types for each in things) else False

    return typed


def _nested(by: Sequence[str] | None, within: Sequence[str] | None) -> Test:
    types = frozenset(within) if within else None

    def nested(look: Look, node: Node) -> bool:
        return any(
            (by is None or prop in by) and (types is None or look.are_a(holder.types, types))
            for holder, prop in holders(node)
        )

    return nested


def _all(tests: Sequence[Test]) -> Test:
    def every(look: Look, node: Node) -> bool | None:
        known: bool | None = True
        for test in tests:
            found = test(look, node)
            if found is False:
                return False
            known = known if found else None
        return known

    return every


def _any(tests: Sequence[Test]) -> Test:
    def some(look: Look, node: Node) -> bool | None:
        known: bool | None = False
        for test in tests:
            found = test(look, node)
            if found:
                return True
            known = known if found is False else None
        return known

    return some


def _is_last_item(look: Look, node: Node) -> bool:
    for holder, prop in holders(node):
        if holder not in look.last:
            look.last[holder] = _last_of(list(holder.nodes(prop)))
        if look.last[holder] is node:
            return True
    return False


def _last_of(items: list[Node]) -> Node | None:
    """The item with the highest position; the last one where positions are missing or equal."""
    positions = [number(item.get("position")) for item in items]
    known = [each for each in positions if each is not None]
    if len(known) == len(items) and len(set(known)) == len(known) and known:
        return items[positions.index(max(known))]
    return items[-1] if items else None


def _is_elsewhere(look: Look, node: Node) -> bool | None:
    url, own = node.get("url"), look.page.url
    if not isinstance(url, str):
        return False
    if own is None:
        return None
    try:
        return urldefrag(urljoin(look.page.base or own, url.strip()))[0] != urldefrag(own)[0]
    except ValueError:
        return False


def _is_home_page(look: Look, _: Node) -> bool | None:
    if look.page.url is None:
        return None
    try:
        parts = urlsplit(look.page.url)
    except ValueError:
        return None
    return parts.path in ("", "/") and not parts.query
