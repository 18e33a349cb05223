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

The module is imported when the rule is first called: `validate.rule_index` reads the constants from the source. It
reads literals, unions of them with `KINDS.…` and imported sets, and differences of such. Where a constant is another
expression, or the module has other statements, the module is imported at each start.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from waypost.models.finding import Authority, Severity
from waypost.models.page import ReadError, Value
from waypost.registry import Registry, assets
from waypost.validate import rule_index, rules
from waypost.validate.item import FindingDraft, Item, RuleContext
from waypost.validate.rule_index import FIELDS, VERBS, Entry
from waypost.validate.table_rules import rule_in_file
from waypost.validate.value_kinds import KINDS

ANY = frozenset({"*"})
_IN_WHEEL = Path(__file__).with_name(rule_index.NAME)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Rule as data: a single function is set, or `engine` names the part of the validator with the reports.

    A rule of the index has a `source`, and functions of the class `Late`.
    """

    name: str
    authority: Authority
    severity: Severity
    text: str = ""
    source: Source | None = None
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
    def doc(self) -> str:
        """Documentation: a module's docstring."""
        return self.source.rule().text if self.source else self.text

    @property
    def title(self) -> str:
        """Error in a few words: the first line of the documentation, without its full stop."""
        return self.doc.partition("\n")[0].strip().removesuffix(".")


class Source:
    """Source of a rule, read when something is needed that the index has not."""

    __slots__ = ("_name", "_rule")

    def __init__(self, name: str) -> None:
        self._name = name
        self._rule: Rule | None = None

    @property
    def is_read(self) -> bool:
        return self._rule is not None

    def rule(self) -> Rule:
        """The rule with its functions and its documentation."""
        if self._rule is None:
            self._rule = _read(self._name)
        return self._rule


class Late:
    """Function of a rule, imported when it is first called."""

    __slots__ = ("_function", "_name", "source")

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self._name = name
        self._function: Callable[..., Any] | None = None

    def __call__(self, *given: Any) -> Any:
        return (self._function or self.imported())(*given)

    def imported(self) -> Callable[..., Any]:
        """The function itself."""
        found: Callable[..., Any] = getattr(self.source.rule(), self._name)
        self._function = found
        return found


def imported(function: Any) -> Any:
    """The function itself in place of a `Late`."""
    return function.imported() if function.__class__ is Late else function


def if_imported(function: Any) -> Any:
    """The function itself in place of a `Late` whose rule is imported already: a call costs less."""
    return function.imported() if function.__class__ is Late and function.source.is_read else function


def rule_of(module: ModuleType, name: str = "", **defaults: Any) -> Rule:
    """Rule of a module; `name` by default from the module's name."""
    found: dict[str, Any] = {
        field: getattr(module, field.upper()) for field in FIELDS if hasattr(module, field.upper())
    }
    found |= {verb: getattr(module, verb) for verb in ("concerns", *VERBS) if hasattr(module, verb)}
    name = name or module.__name__.rpartition(".")[2].replace("_", "-")
    return Rule(**{"name": name, "text": (module.__doc__ or "").strip(), **defaults, **found})


@cache
def rules_by_name() -> dict[str, Rule]:
    """Every code rule by name, sorted."""
    compiled = rules.__spec__ and rules.__spec__.cached
    in_checkout = Path(compiled).with_name(rule_index.NAME) if compiled and not sys.dont_write_bytecode else None
    entries = rule_index.current(Path(rules.__path__[0]), _tables(), _IN_WHEEL, in_checkout)
    return {entry["name"]: _rule(entry) for entry in entries}


def load_rules() -> None:
    """Import every rule: for processes that fork, and those that check many pages or answer requests."""
    for rule in rules_by_name().values():
        if rule.source:
            rule.source.rule()


def rules_about_site() -> tuple[Rule, ...]:
    """Rules about several pages together."""
    return tuple(rule for rule in rules_by_name().values() if rule.check_site)


def _tables() -> Path:
    return assets.folder("schemas") / "checks"


def _rule(entry: Entry) -> Rule:
    source = Source(entry["of"])
    if "import" in entry:
        return source.rule()
    fields: dict[str, Any] = {"name": entry["name"], "source": source}
    for field in ("authority", "severity", "sign", "engine"):
        if field in entry:
            fields[field] = entry[field]
    for field in ("applies_to", "values"):
        if field in entry:
            fields[field] = frozenset(entry[field])
    if "properties" in entry:
        kinds = (getattr(KINDS, kind) for kind in entry.get("kinds", ()))
        sets = map(_named, entry.get("sets", ()))
        fields["properties"] = (
            frozenset(entry["properties"]).union(*kinds, *sets).difference(entry.get("other_than", ()))
        )
    if "aliases" in entry:
        fields["aliases"] = tuple(entry["aliases"])
    if "when" in entry:
        fields["when"] = _named(entry["when"]) if entry["when"] else Late(source, "when")
    for verb in ("verb", "concerns"):
        if verb in entry:
            name = entry[verb] if verb == "verb" else verb
            fields[name] = Late(source, name)
    return Rule(**fields)


def _named(name: str) -> Any:
    """Value of "module:name"."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _read(name: str) -> Rule:
    """Rule of a file."""
    if name.endswith(".json"):
        return Rule(**rule_in_file(_tables() / name))
    module = name.removesuffix(".py")
    rule = rule_of(importlib.import_module(f"{rules.__name__}.{module}"))
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
