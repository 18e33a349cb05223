"""Dispatcher: calls every rule for the nodes and values that meet the rule's conditions.

Conditions on types and property names are evaluated once for nodes with the same types and names (a plan); a condition
on a value once for the rules with the same condition; signs once per page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from waypost.models.page import LangString, Node, Page, Value, is_present
from waypost.registry import Registry
from waypost.validate.item import FindingDraft, Item, RuleContext
from waypost.validate.rulebook import ANY, Rule, if_imported, imported, rules_of

_MOST_PLANNED_NAMES = 100  # properties of a node; a plan for more would hardly be used again

# By exact class: `bool` is a subclass of `int`, and must not be checked as a number.
VALUE_CLASSES: dict[str, tuple[type, ...]] = {
    "text": (str, LangString), "thing": (Node,), "number": (int, Decimal), "boolean": (bool,),
}  # fmt: skip
_Check: TypeAlias = Callable[[Item], Iterable[FindingDraft]]
_ValueCheck: TypeAlias = Callable[[Item, str, int, Value], Iterable[FindingDraft]]
_PageCheck: TypeAlias = Callable[[RuleContext], Iterable[FindingDraft]]
_When: TypeAlias = Callable[[Value], bool]
_Group: TypeAlias = tuple[_When | None, tuple[tuple[Rule, _ValueCheck], ...]]
"""Rules with the same condition."""
_ByClass: TypeAlias = dict[type, tuple[_Group, ...]]
RuleDrafts: TypeAlias = Iterator[tuple[Rule, FindingDraft]]


class _Plan(NamedTuple):
    """Calls for nodes with the same types and property names.

    values  (property, class of a value -> the groups of rules to call).
    """

    nodes: tuple[tuple[Rule, _Check], ...]
    values: tuple[tuple[str, _ByClass], ...]


class _Rules(NamedTuple):
    """Rules by the kind of function, in the order of their names.

    node, value  rules about nodes and about values, by property; "*" for any.
    signed       rules about nodes with a sign.
    typed        rules about values with a condition on the types of the node.
    """

    page: tuple[tuple[Rule, _PageCheck], ...]
    node: dict[str, list[Rule]]
    value: dict[str, list[Rule]]
    signed: tuple[Rule, ...]
    typed: tuple[Rule, ...]


@lru_cache(maxsize=32)
def _rules(registry: Registry) -> _Rules:
    rules = rules_of(registry).values()
    about_values = tuple(rule for rule in rules if rule.check_value)
    return _Rules(
        page=tuple((rule, _page_check(rule)) for rule in rules if rule.check_page),
        node=_by_property(rule for rule in rules if rule.check and not rule.sign),
        value=_by_property(about_values),
        signed=tuple(rule for rule in rules if rule.check and rule.sign),
        typed=tuple(rule for rule in about_values if rule.applies_to != ANY),
    )


def _page_check(rule: Rule) -> _PageCheck:
    """Function about a page, imported at once where every page calls it."""
    check: _PageCheck = (if_imported if rule.sign else imported)(rule.check_page)
    return check


def _by_property(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {"*": []}
    for rule in rules:
        for name in rule.properties:
            found.setdefault(name, []).append(rule)
    return found


def rule_drafts(context: RuleContext) -> RuleDrafts:
    """Call every rule where the conditions hold, and yield the drafts."""
    return chain(_about_read_errors(context), _about_nodes(context), _about_signs(context), _about_page(context))


def _about_read_errors(context: RuleContext) -> RuleDrafts:
    rules = rules_of(context.registry)
    for error in context.page.read_errors:
        rule = rules[error.rule]
        if rule.explain is None:
            assert rule.check_page is not None, error.rule
            continue
        draft = rule.explain(error)
        draft.read_error = error
        yield rule, draft


def _about_page(context: RuleContext) -> RuleDrafts:
    for rule, check_page in _rules(context.registry).page:
        if rule.sign and rule.sign not in context.nodes_by_sign:
            continue
        for draft in check_page(context):
            yield rule, draft


def _about_signs(context: RuleContext) -> RuleDrafts:
    for rule in _rules(context.registry).signed:
        for node in context.nodes_by_sign.get(rule.sign, ()):
            for draft in rule.check(Item(node, context)):  # type: ignore[misc]
                yield rule, draft


def _about_nodes(context: RuleContext) -> RuleDrafts:
    registry = context.registry
    may_lack = "empty" in context.nodes_by_sign  # otherwise every value is present
    for node in context.page.nodes:
        # Values of a joined node stand in the head that took them over, and are checked there once.
        if node.foreign or node.same_as is not None:
            continue
        props = node.props
        names = tuple(props)
        plan = (_plan if len(names) <= _MOST_PLANNED_NAMES else _make_plan)(registry, node.types, names)
        item = Item(node, context)
        for rule, check in plan.nodes:
            for draft in check(item):
                yield rule, draft
        for prop, by_class in plan.values:
            for index, value in enumerate(props[prop]):
                for when, checks in by_class.get(value.__class__, ()):
                    if when is not None and not when(value):
                        continue
                    # Tried after the condition, which far fewer values meet.
                    if may_lack and not is_present(value):
                        break
                    for rule, check_value in checks:
                        for draft in check_value(item, prop, index, value):
                            yield rule, draft


class _TypeRules:
    """Rules for nodes of some types, by property, put together when a node first has the property."""

    def __init__(self, registry: Registry, types: tuple[str, ...]) -> None:
        self._rules = _rules(registry)
        self._lines = frozenset().union(*map(registry.vocabulary.ancestors, types))
        self._excluded = {rule.name for rule in self._rules.typed if not self._applies(rule)}
        self._node: dict[str, tuple[Rule, ...]] = {}
        self._value: dict[str, _ByClass] = {}

    def _applies(self, rule: Rule) -> bool:
        return rule.applies_to == ANY or not rule.applies_to.isdisjoint(self._lines)

    def about_nodes(self, name: str) -> tuple[Rule, ...]:
        """Rules about nodes with a property; "*" for those about any node."""
        known = self._node.get(name)
        if known is None:
            rules = self._rules.node.get(name)
            if rules is None:  # from pages: storing such names would let the table grow without end
                return ()
            known = self._node[name] = tuple(filter(self._applies, rules))
        return known

    def about_values(self, name: str) -> _ByClass:
        """Rules about the values of a property, by class of value."""
        by_property = self._rules.value
        name = name if name in by_property else "*"
        known = self._value.get(name)
        if known is None:
            rules = by_property["*"] if name == "*" else (*by_property[name], *by_property["*"])
            known = self._value[name] = _grouped(rule for rule in rules if rule.name not in self._excluded)
        return known


@lru_cache(maxsize=1024)
def _rules_for(registry: Registry, types: tuple[str, ...]) -> _TypeRules:
    return _TypeRules(registry, types)


def _make_plan(registry: Registry, types: tuple[str, ...], names: tuple[str, ...]) -> _Plan:
    rules = _rules_for(registry, types)
    found = {rule.name: rule for name in ("*", *names) for rule in rules.about_nodes(name)}
    nodes = [
        (rule, imported(rule.check))
        for rule in sorted(found.values(), key=_order)
        if rule.check and (rule.concerns is None or rule.concerns(registry, types, names))
    ]
    values = ((name, rules.about_values(name)) for name in names)
    return _Plan(tuple(nodes), tuple((name, by_class) for name, by_class in values if by_class))


_plan = lru_cache(maxsize=4096)(_make_plan)
"""Plans are kept, since most nodes of a site repeat an earlier node's types and names."""


def _order(rule: Rule) -> str:
    return rule.name.replace("-", "_")


def _grouped(rules: Iterable[Rule]) -> _ByClass:
    """Value rules by class of value and by condition."""
    by_class: dict[type, dict[_When | None, list[tuple[Rule, _ValueCheck]]]] = {}
    for rule in rules:
        for kind in VALUE_CLASSES if rule.values == ANY else rule.values:
            for value_class in VALUE_CLASSES[kind]:
                group = by_class.setdefault(value_class, {}).setdefault(if_imported(rule.when), [])
                group.append((rule, if_imported(rule.check_value)))
    return {
        value_class: tuple((when, tuple(checks)) for when, checks in groups.items())
        for value_class, groups in by_class.items()
    }


def nodes_by_sign(page: Page) -> dict[str, list[Node]]:
    """Sign -> the nodes with the sign, in document order; `rulebook` lists the signs."""
    found: dict[str, list[Node]] = {}
    for node in page.nodes:
        for sign in _signs(node):
            found.setdefault(sign, []).append(node)
    return found


def _signs(node: Node) -> Iterable[str]:  # noqa: C901 - every value of a page passes here, once
    """Signs of a node, without repetitions."""
    if node.foreign or node.same_as is not None:
        return ["foreign"] * node.foreign + ["merged"] * (node.same_as is not None)
    signs = ["reference"] if node.reference else []
    if node.id is not None:
        signs.append("id")
    if node.miscased:
        signs.append("miscased")
    for values in node.props.values():
        if len(values) != 1:
            signs.append("several" if values else "empty")
        for value in values:
            value_class = value.__class__
            if value_class is str or value_class is LangString:
                if "#" in value:  # type: ignore[operator]
                    signs.append("#")
                if "&" in value:  # type: ignore[operator]
                    signs.append("&")
                if "<" in value:  # type: ignore[operator]
                    signs.append("<")
                if value_class is LangString:
                    signs.append("language")
                if not value or value.isspace():  # type: ignore[union-attr]
                    signs.append("empty")
            elif (value_class is Node or value is None) and not is_present(value):
                signs.append("empty")
    return set(signs) if len(signs) > 1 else signs
