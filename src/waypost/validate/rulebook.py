"""The code rules, found by scanning `validate/rules/`: one module, one rule, no list to edit.

A rule module has a docstring (its page on the site: first line names the fault, then what and why, the
surprising case, and a line `Source: ..., read YYYY-MM-DD.`), the constants

    AUTHORITY   "vocabulary" | "google" | "waypost" | "json" | "html"
    SEVERITY    its usual severity, for lists ("error" | "warning" | "info")

and exactly one of (none when ENGINE = "profiles": the profile engine speaks in its name)

    check(item)                    of nodes: APPLIES_TO = frozenset of types (subtypes count; {"*"} is every
                                   schema.org node) and, optional, PROPERTIES = frozenset of properties of
                                   which the node must have at least one. Where names alone decide whether
                                   there can be anything to say, concerns(registry, types, names) -> bool:
                                   it is asked once for all nodes alike. Where there is something to say only
                                   of nodes that show a sign, SIGN: "id"; "miscased" (a type or property);
                                   "several" (a property has more than one value); "empty" (it has none, or one
                                   that is not present); "language" (a text has one); "#", "&", "<" (in a text);
                                   for check_page also "foreign", "reference" and "twin" (`same_as`)
    check_value(item, prop, index, value)   of present values: PROPERTIES says which, {"*"} is all;
                                   APPLIES_TO optional; VALUES = frozenset of "text", "thing", "number",
                                   "boolean" for some kinds only; UNLESS(value) is True of values about which
                                   there is nothing to say, and shared by rules that are silent alike
    check_site(site)               of all pages of a run together, see `validate.whole`; yields `Remark`s; its
                                   module's name begins with site_
    check_page(scene)              of the page as a whole; with SIGN only where a node shows it
    explain(trouble)               of a fault met while reading: the reader's `ReadError.rule` is its name

The others yield `Draft`s; `explain` returns one. The file name, with - for _, is the rule's name.
A former name stays in ALIASES = ("old-name",).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any

import msgspec

from waypost.models.finding import Authority, Severity
from waypost.models.page import ReadError, Value
from waypost.registry import Registry
from waypost.registry.assets import modules
from waypost.validate import rules
from waypost.validate.item import Draft, Item, Scene

ANY = frozenset({"*"})


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule as data. One of the five callables is there, or `engine` names who speaks for it."""

    name: str
    authority: Authority
    severity: Severity
    doc: str
    applies_to: frozenset[str] = ANY
    properties: frozenset[str] = ANY
    values: frozenset[str] = ANY
    sign: str = ""
    unless: Callable[[Value], bool] | None = None
    aliases: tuple[str, ...] = ()
    engine: str = ""
    concerns: Callable[[Registry, tuple[str, ...], tuple[str, ...]], bool] | None = None
    check: Callable[[Item], Iterable[Draft]] | None = None
    check_value: Callable[[Item, str, int, Value], Iterable[Draft]] | None = None
    check_page: Callable[[Scene], Iterable[Draft]] | None = None
    check_site: Callable[[Any], Iterable[Any]] | None = None
    explain: Callable[[ReadError], Draft] | None = None

    @property
    def title(self) -> str:
        """The fault in one line: the first line of the documentation."""
        return self.doc.partition("\n")[0].strip()


_FIELDS = ("authority", "severity", "applies_to", "properties", "values", "sign", "unless", "aliases", "engine")


def _rule(module: ModuleType) -> Rule:
    found: dict[str, Any] = {
        field: getattr(module, field.upper()) for field in _FIELDS if hasattr(module, field.upper())
    }
    found |= {
        verb: getattr(module, verb)
        for verb in ("concerns", "check", "check_value", "check_page", "check_site", "explain")
        if hasattr(module, verb)
    }
    name = module.__name__.rpartition(".")[2].replace("_", "-")
    return Rule(name=name, doc=(module.__doc__ or "").strip(), **found)


@cache
def rulebook() -> dict[str, Rule]:
    """Every code rule by name, sorted."""
    return {rule.name: rule for rule in map(_load, modules(rules.__path__))}


@cache
def site_rules() -> tuple[Rule, ...]:
    """The rules about all pages together. A run over pages that are all known from before needs no others."""
    return tuple(_load(name) for name in modules(rules.__path__) if name.startswith("site_"))


@cache
def _load(name: str) -> Rule:
    rule = _rule(importlib.import_module(f"{rules.__name__}.{name}"))
    assert (rule.check_site is not None) == name.startswith("site_"), f"{name}: the name does not say what it judges"
    return rule


def former_names() -> dict[str, str]:
    """Former name of a rule -> its name."""
    return {former: rule.name for rule in rulebook().values() for former in rule.aliases}


def rule_names() -> list[str]:
    """Every rule by its name, and by its former ones."""
    return [name for rule in rulebook().values() for name in (rule.name, *rule.aliases)]
