"""Code rules, found by scanning `validate/rules/`: a module is a rule, without a list to edit.

A rule module has a docstring, its page on the site: the first line names the error, then come what and why, the
surprising case, and a line `Source: ..., read YYYY-MM-DD.` The file name, with - for _, is the rule's name.

Constants that every rule has:

    AUTHORITY   "vocabulary" | "google" | "waypost" | "json" | "html"; "project" for a rule of a project
    SEVERITY    its usual severity, for lists ("error" | "warning" | "info")

A rule has exactly one function (none when ENGINE = "profiles": the profiles report under its name):

    check(item)                             of a node
    check_value(item, prop, index, value)   of one present value of a node
    check_page(context)                     of the page as a whole
    check_site(site)                        of all pages of a run, see `validate.site_rules`; yields `SiteDraft`s; the
                                            module's name begins with site_
    explain(read_error)                     of an error met while reading: `ReadError.rule` is the rule's name. A rule
                                            that needs more than the error finds it among the page's by `check_page`

`explain` returns a `FindingDraft`, the first three yield drafts. A rule declares conditions on nodes and values. The
dispatcher calls the function only where every declared condition holds; the function may rely on the conditions.

    APPLIES_TO  the node has a type of the set, or a subtype; {"*"}, the default, is every schema.org node
    PROPERTIES  check: the node has a property of the set; check_value: the value is a value of a property of the set;
                {"*"}, the default, is any
    WHEN        check_value: WHEN(value) is true. Evaluated once for rules with the same function: prefer a function of
                `validate.value_conditions`
    VALUES      check_value: the value is one of "text", "thing" (a node), "number", "boolean"
    SIGN        check, check_page: the node (a node of the page) has the sign: "id"; "miscased" (a type or property);
                "several" (a property has more than one value); "empty" (a property has no value, or one that is not
                present); "language" (a text has one); "#", "&", "<" (in a text); for check_page also "foreign",
                "reference" and "merged" (`same_as` another node)
    concerns    check: concerns(registry, types, names) is true. Called once for nodes with the same types and property
                names

A former name of a rule stays in ALIASES = ("old-name",).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

import msgspec

from waypost.models.finding import Authority, Severity
from waypost.models.page import ReadError, Value
from waypost.registry import Registry
from waypost.registry.assets import modules
from waypost.validate import rules
from waypost.validate.item import FindingDraft, Item, RuleContext
from waypost.validate.table_rules import table_rules

ANY = frozenset({"*"})


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Rule as data: a single function is set, or `engine` names the part of the validator with the reports."""

    name: str
    authority: Authority
    severity: Severity
    doc: str
    applies_to: frozenset[str] = ANY
    properties: frozenset[str] = ANY
    values: frozenset[str] = ANY
    sign: str = ""
    when: Callable[[Value], bool] | None = None
    aliases: tuple[str, ...] = ()
    engine: str = ""
    concerns: Callable[[Registry, tuple[str, ...], tuple[str, ...]], bool] | None = None
    check: Callable[[Item], Iterable[FindingDraft]] | None = None
    check_value: Callable[[Item, str, int, Value], Iterable[FindingDraft]] | None = None
    check_page: Callable[[RuleContext], Iterable[FindingDraft]] | None = None
    check_site: Callable[[Any], Iterable[Any]] | None = None
    explain: Callable[[ReadError], FindingDraft] | None = None

    @property
    def title(self) -> str:
        """Error in a few words: the first line of the documentation, without its full stop."""
        return self.doc.partition("\n")[0].strip().removesuffix(".")


_FIELDS = ("authority", "severity", "applies_to", "properties", "values", "sign", "when", "aliases", "engine")


def rule_of(module: ModuleType, name: str = "", **defaults: Any) -> Rule:
    """Rule of a module; `name` by default from the module's name."""
    found: dict[str, Any] = {
        field: getattr(module, field.upper()) for field in _FIELDS if hasattr(module, field.upper())
    }
    found |= {
        verb: getattr(module, verb)
        for verb in ("concerns", "check", "check_value", "check_page", "check_site", "explain")
        if hasattr(module, verb)
    }
    name = name or module.__name__.rpartition(".")[2].replace("_", "-")
    return Rule(**{"name": name, "doc": (module.__doc__ or "").strip(), **defaults, **found})


@cache
def rules_by_name() -> dict[str, Rule]:
    """Every code rule by name, sorted."""
    found = [*map(_load, modules(rules.__path__)), *(Rule(**fields) for fields in table_rules())]
    return {rule.name: rule for rule in sorted(found, key=lambda rule: rule.name.replace("-", "_"))}


@cache
def rules_about_site() -> tuple[Rule, ...]:
    """Rules about several pages together. A run with cached page reports loads no other rules."""
    return tuple(_load(name) for name in modules(rules.__path__) if name.startswith("site_"))


@cache
def _load(name: str) -> Rule:
    rule = rule_of(importlib.import_module(f"{rules.__name__}.{name}"))
    assert (rule.check_site is not None) == name.startswith("site_"), f"{name}: the name does not say what it checks"
    return rule


@lru_cache(maxsize=32)
def rules_of(registry: Registry) -> dict[str, Rule]:
    """Every rule of a registry by name, sorted: those of waypost, and those that a project adds."""
    if not registry.is_extended:
        return rules_by_name()
    from waypost.validate.own_rules import own_rules

    found = (*rules_by_name().values(), *own_rules(registry))
    return {rule.name: rule for rule in sorted(found, key=lambda rule: rule.name.replace("-", "_"))}


def former_names() -> dict[str, str]:
    """Former name of a rule -> its name."""
    return {former: rule.name for rule in rules_by_name().values() for former in rule.aliases}


def rule_names() -> list[str]:
    """Names and former names of the rules."""
    return [name for rule in rules_by_name().values() for name in (rule.name, *rule.aliases)]
