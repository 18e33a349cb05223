"""Rules that a project adds: checks in files, and modules of installed packages.

A module of a package has the form of a module of `validate.rules`: a docstring, constants, and one of `check`,
`check_value` and `check_page`. A function that fails costs its own findings only: the failure is a finding.
"""

from __future__ import annotations

import importlib
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from waypost.formats.text import clip
from waypost.models.finding import SEVERITIES
from waypost.models.page import Span
from waypost.registry import Registry
from waypost.registry.own_files import OwnFile, OwnFileError, PackageRule, error_at
from waypost.validate.item import FindingDraft, Item
from waypost.validate.rulebook import Rule, rule_of, rules_by_name
from waypost.validate.table_rules import Check, table_rule, unknown_field

_VERBS = ("check", "check_value", "check_page")
_Drafts = Iterable[FindingDraft]


def own_rules(registry: Registry) -> Iterator[Rule]:
    """Rules that a registry has beyond those of waypost. Raises OwnFileError."""
    taken: dict[str, str] = dict.fromkeys(rules_by_name(), "waypost")
    for each in registry.own:
        if each.kind == "check":
            _claim(each.name, each.path, taken)
            yield _check(each)
    for rule in registry.package_rules:
        _claim(rule.name, f"{rule.package} {rule.version}", taken)
        yield _rule(rule)


def _claim(name: str, source: str, taken: dict[str, str]) -> None:
    if taken.setdefault(name, source) != source:
        raise OwnFileError(f"the rule {name!r} of {source} has the name of a rule of {taken[name]}; rename it")


def _check(own: OwnFile) -> Rule:
    try:
        check = msgspec.json.decode(own.data, type=Check)
    except msgspec.ValidationError as error:
        raise OwnFileError(str(error), own.path, 1) from None
    if wrong := unknown_field(check) or _bad_pattern(check):
        raise error_at(own, *wrong)
    try:
        return Rule(**table_rule(own.name, check))
    except Exception as error:  # noqa: BLE001 - a pattern, or a member of another kind of check
        raise error_at(own, "when", f"when: {error}") from None


def _bad_pattern(check: Check) -> tuple[str, str] | None:
    """(member, message) of a pattern that is not a regular expression."""
    conditions = [("when", check.when), *((f"cases[{n}].when", case.when) for n, case in enumerate(check.cases))]
    for member, when in conditions:
        for name in ("matches", "does_not_match"):
            if isinstance(when, dict) and name in when:
                try:
                    re.compile(when[name])
                except re.error as error:
                    return f"{member}.{name}", f"{member}.{name}: this is not a regular expression ({error})"
    return None


def _rule(package_rule: PackageRule) -> Rule:
    source = f"the rule {package_rule.name!r} of {package_rule.package} {package_rule.version}"
    try:
        module = importlib.import_module(package_rule.module)
    except Exception as error:  # noqa: BLE001 - whatever the package does when it is loaded
        raise OwnFileError(f"{source} cannot be loaded: {_failure(error)}") from None
    if not isinstance(module, ModuleType) or not (module.__doc__ or "").strip():
        raise OwnFileError(f"{source}: the module {package_rule.module} has no docstring, which is the rule's page")
    verbs = [verb for verb in _VERBS if callable(getattr(module, verb, None))]
    if len(verbs) != 1:
        raise OwnFileError(f"{source}: the module {package_rule.module} needs exactly one of {', '.join(_VERBS)}")
    if (severity := getattr(module, "SEVERITY", "warning")) not in SEVERITIES:
        raise OwnFileError(f"{source}: SEVERITY is {severity!r}; there are {', '.join(SEVERITIES)}")
    found = rule_of(module, package_rule.name, authority="project", severity="warning")
    names = {field: frozenset(getattr(found, field)) for field in ("applies_to", "properties", "values")}
    guarded = _guarded(found, package_rule, getattr(found, verbs[0]))
    others = dict.fromkeys({"check", "check_value", "check_page", "check_site", "explain"} - {verbs[0]})
    return msgspec.structs.replace(
        found, **names, **others, authority="project", engine="", when=_lenient(found.when),
        concerns=_lenient(found.concerns), **{verbs[0]: guarded},
    )  # fmt: skip


def _guarded(rule: Rule, package_rule: PackageRule, function: Callable[..., _Drafts]) -> Callable[..., _Drafts]:
    def run(subject: Any, *given: Any) -> Iterator[FindingDraft]:
        try:
            for draft in function(subject, *given) or ():
                if not isinstance(draft, FindingDraft):
                    raise TypeError(f"it yields {type(draft).__name__}, not the result of item.error or item.warning")
                if draft.severity not in SEVERITIES:
                    raise ValueError(f"{draft.severity!r} is not a severity")
                draft.rule, draft.authority, draft.profile, draft.read_error = "", None, None, None
                yield draft
        except Exception as error:  # noqa: BLE001 - a failure of one rule must not cost the others
            node = subject.node if isinstance(subject, Item) else None
            yield FindingDraft(
                severity="error", node=node, part="node", span=None if node is not None else Span(0, 0),
                message=f"the rule {rule.name} failed here, so that it is unknown whether it is met: {_failure(error)}",
                hint=f"report it to the authors of {package_rule.package} {package_rule.version}",
            )  # fmt: skip

    return run


def _lenient(condition: Callable[..., bool] | None) -> Callable[..., bool] | None:
    """Condition that is true where it fails: then the rule itself is called."""
    if condition is None:
        return None

    def holds(*given: Any) -> bool:
        try:
            return bool(condition(*given))
        except Exception:  # noqa: BLE001
            return True

    return holds


def _failure(error: BaseException) -> str:
    """Error in words, with the place in the code of the package."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if frame.filename != __file__ and "importlib" not in frame.filename]
    place = f" ({Path(inner[-1].filename).name}:{inner[-1].lineno})" if inner else ""
    return f"{type(error).__name__}: {clip(str(error), 200)}{place}"
