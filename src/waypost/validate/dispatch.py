"""Which rule is called for which node and value: as few calls as can be, and nothing is missed.

What names alone decide is worked out once for all nodes with the same types and properties (a plan). What values
show at a glance (a sign) is looked for once for all rules. A rule that has nothing to say about plain values is not
asked about those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from waypost.models.page import LangString, Node, Page, Value, is_present
from waypost.registry import Registry
from waypost.validate.item import FindingDraft, Item, RuleContext
from waypost.validate.rulebook import ANY, Rule, rules_by_name

MOST_REMEMBERED = 100  # properties of a node whose plan is remembered
MOST_PLANS = 4096

VALUE_CLASSES: dict[str, tuple[type, ...]] = {
    "text": (str, LangString), "thing": (Node,), "number": (int, Decimal), "boolean": (bool,),
}  # fmt: skip
_Check: TypeAlias = Callable[[Item], Iterable[FindingDraft]]
_ValueCheck: TypeAlias = Callable[[Item, str, int, Value], Iterable[FindingDraft]]
_When: TypeAlias = Callable[[Value], bool]
# Rules with the same condition: it is evaluated once for all of them.
_Group: TypeAlias = tuple[_When | None, tuple[tuple[Rule, _ValueCheck], ...]]
Told: TypeAlias = Iterator[tuple[Rule, FindingDraft]]


class _Plan(NamedTuple):
    """What there is to call for nodes with the same types and the same properties.

    values  (property, class of a value -> the groups of rules that look at it)
    """

    nodes: tuple[tuple[Rule, _Check], ...]
    values: tuple[tuple[str, dict[type, tuple[_Group, ...]]], ...]


class _Rules(NamedTuple):
    """Rules by what calls them."""

    page: tuple[Rule, ...]
    node: tuple[Rule, ...]
    value: tuple[Rule, ...]
    signed: tuple[Rule, ...]


@cache
def _rules() -> _Rules:
    rules = rules_by_name().values()
    return _Rules(
        page=tuple(rule for rule in rules if rule.check_page),
        node=tuple(rule for rule in rules if rule.check and not rule.sign),
        value=tuple(rule for rule in rules if rule.check_value),
        signed=tuple(rule for rule in rules if rule.check and rule.sign),
    )


def about_page(context: RuleContext) -> Told:
    """What the rules say that look at the page as a whole."""
    for rule in _rules().page:
        if rule.sign and rule.sign not in context.nodes_by_sign:
            continue
        for draft in rule.check_page(context):  # type: ignore[misc]
            yield rule, draft


def about_signs(context: RuleContext) -> Told:
    """What the rules say that wake up at a sign."""
    for rule in _rules().signed:
        for node in context.nodes_by_sign.get(rule.sign, ()):
            for draft in rule.check(Item(node, context)):  # type: ignore[misc]
                yield rule, draft


def about_nodes(context: RuleContext) -> Told:
    """What the other rules say about each node and its values."""
    registry = context.registry
    plans = _plans(registry)
    may_lack = "empty" in context.nodes_by_sign  # else every value is present
    for node in judged(context.page):
        props = node.props
        names = tuple(props)
        plan = plans.get((node.types, names)) or _plan(registry, node.types, names)
        item = Item(node, context)
        for rule, check in plan.nodes:
            for draft in check(item):
                yield rule, draft
        for prop, by_class in plan.values:
            for index, value in enumerate(props[prop]):
                for when, checks in by_class.get(value.__class__, ()):
                    if when is not None and not when(value):
                        continue
                    if may_lack and not is_present(value):
                        break
                    for rule, check_value in checks:
                        for draft in check_value(item, prop, index, value):
                            yield rule, draft


@lru_cache(maxsize=4)
def _plans(_: Registry) -> dict[tuple[tuple[str, ...], tuple[str, ...]], _Plan]:
    return {}


def _plan(registry: Registry, types: tuple[str, ...], names: tuple[str, ...]) -> _Plan:
    """Most nodes of a site have the types and properties of some earlier node, so plans are remembered."""
    plan = _made(registry, types, names)
    plans = _plans(registry)
    if len(plans) < MOST_PLANS and len(names) <= MOST_REMEMBERED:
        plans[types, names] = plan
    return plan


class _Fitting(NamedTuple):
    """The rules that apply to nodes of some types; those about values by the property they look at."""

    node: tuple[Rule, ...]
    value: dict[str, tuple[Rule, ...]]


@lru_cache(maxsize=1024)
def _fitting(registry: Registry, types: tuple[str, ...]) -> _Fitting:
    are_a = registry.vocabulary.are_a

    def fits(rule: Rule) -> bool:
        return rule.applies_to == ANY or are_a(types, rule.applies_to)

    by_name: dict[str, tuple[Rule, ...]] = {"*": ()}
    for rule in filter(fits, _rules().value):
        for name in rule.properties:
            by_name[name] = (*by_name.get(name, ()), rule)
    return _Fitting(tuple(filter(fits, _rules().node)), by_name)


def _made(registry: Registry, types: tuple[str, ...], names: tuple[str, ...]) -> _Plan:
    fitting = _fitting(registry, types)
    nodes = []
    for rule in fitting.node:
        wakes = "*" in rule.properties or not rule.properties.isdisjoint(names)
        if wakes and rule.check and (rule.concerns is None or rule.concerns(registry, types, names)):
            nodes.append((rule, rule.check))
    always = fitting.value["*"]
    rules = ((name, (*fitting.value.get(name, ()), *always)) for name in names)
    looked_at = ((name, _grouped(tuple(rule.name for rule in found))) for name, found in rules if found)
    return _Plan(tuple(nodes), tuple((name, by_class) for name, by_class in looked_at if by_class))


@lru_cache(maxsize=1024)
def _grouped(names: tuple[str, ...]) -> dict[type, tuple[_Group, ...]]:
    """The rules about a property by the class of value they look at, and those that are silent alike together."""
    by_class: dict[type, dict[_When | None, list[tuple[Rule, _ValueCheck]]]] = {}
    for rule in map(rules_by_name().__getitem__, names):
        for kind in VALUE_CLASSES if rule.values == ANY else rule.values:
            for each in VALUE_CLASSES[kind]:
                group = by_class.setdefault(each, {}).setdefault(rule.when, [])
                group.append((rule, rule.check_value))  # type: ignore[arg-type]
    return {each: tuple((when, tuple(checks)) for when, checks in groups.items()) for each, groups in by_class.items()}


def judged(page: Page) -> Iterator[Node]:
    """The nodes that rules speak about."""
    return (node for node in page.nodes if not node.foreign and node.same_as is None)


def signs(page: Page) -> dict[str, list[Node]]:  # noqa: C901 - one look at every value of a page, kept in one piece
    """Sign -> the nodes that show it, in document order; `rulebook` says what each sign means."""
    shown: dict[str, list[Node]] = {}
    for node in page.nodes:
        if node.foreign or node.same_as is not None:
            for sign in ("foreign",) * node.foreign + ("merged",) * (node.same_as is not None):
                shown.setdefault(sign, []).append(node)
            continue
        seen = ["reference"] if node.reference else []
        if node.id is not None:
            seen.append("id")
        if node.miscased:
            seen.append("miscased")
        for values in node.props.values():
            if len(values) != 1:
                seen.append("several" if values else "empty")
            for value in values:
                kind = value.__class__
                if kind is str or kind is LangString:
                    if "#" in value:  # type: ignore[operator]
                        seen.append("#")
                    if "&" in value:  # type: ignore[operator]
                        seen.append("&")
                    if "<" in value:  # type: ignore[operator]
                        seen.append("<")
                    if kind is LangString:
                        seen.append("language")
                    if not value or value.isspace():  # type: ignore[union-attr]
                        seen.append("empty")
                elif (kind is Node or value is None) and not is_present(value):
                    seen.append("empty")
        for sign in set(seen) if len(seen) > 1 else seen:
            if sign in shown:
                shown[sign].append(node)
            else:
                shown[sign] = [node]
    return shown
