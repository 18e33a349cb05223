"""Rules that are data: a file `schemas/checks/<rule>.json` is a rule, as a module of `validate/rules/` is.

`schemas/meta/check.schema.json` says what a file holds. `site/js/engine/checks.js` reads the same files in the
browser, function for function; `tests/cases/rules/<rule>/expected.json` holds the findings that both must report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from waypost.formats.dates import is_before, moment
from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.finding import Authority, Severity
from waypost.models.page import Node, ReadError, Value
from waypost.validate.item import FindingDraft, Item, RuleContext
from waypost.validate.value_kinds import KINDS

Fields: TypeAlias = Mapping[str, Any]
Safe: TypeAlias = bool | Literal["as-read"]


class Corrections(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fixes for a value outside a list: the word equal to the value in upper case, without `ignoring`.

    `unsure` maps further spellings to words; those fixes are not safe.
    """

    ignoring: str = ""
    hint: str | None = None
    unsure: dict[str, str] = {}


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message of a check. The first case with all its conditions true is reported."""

    message: str
    when: dict[str, Any] = {}
    hint: str | None = None
    severity: Severity | None = None


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """File of `schemas/checks/`; the members are described in its grammar."""

    title: str
    description: str
    source: str
    read: str
    authority: Authority
    severity: Severity
    kind: Literal["read-error", "value", "pair"]
    aliases: tuple[str, ...] = ()
    types: frozenset[str] = frozenset({"*"})
    properties: frozenset[str] = frozenset()
    property_kinds: tuple[str, ...] = ()
    except_properties: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset({"text"})
    subject: Literal["value", "name", "id"] = "value"
    pairs: tuple[tuple[str, str], ...] = ()
    compare: Literal["date", "number", "text"] = "text"
    at: Literal["first", "second"] = "second"
    when: dict[str, Any] | str = {}
    message: str = ""
    hint: str | None = None
    cases: tuple[Case, ...] = ()
    corrections: Corrections | None = None
    related: str | None = None
    edit: str | None = None
    safe: Safe = True
    per_block: bool = False

    @property
    def doc(self) -> str:
        """Documentation in the form of a rule module's docstring."""
        return f"{self.title}\n\n{self.description}\nSource: {self.source}, read {self.read}."

    def messages(self) -> tuple[Case, ...]:
        return self.cases or (Case(self.message),)


def rule_in_file(path: Path) -> dict[str, Any]:
    """Fields of a `Rule` for a file of `schemas/checks/`. Raises `msgspec.ValidationError`."""
    return table_rule(path.stem, msgspec.json.decode(path.read_bytes(), type=Check))


def table_rule(name: str, check: Check) -> dict[str, Any]:
    """Fields of a `Rule` for a check."""
    fields: dict[str, Any] = {
        "name": name, "text": check.doc, "authority": check.authority, "severity": check.severity,
        "aliases": check.aliases, "applies_to": check.types,
    }  # fmt: skip
    return fields | _RULES[check.kind](check)


_VALUE_FIELDS = frozenset({"property", "value", "length"})
_PAIR_FIELDS = frozenset({"first_property", "first", "second_property", "second"})


def unknown_field(check: Check) -> tuple[str, str] | None:
    """(member, message) of a template with a field that the check's kind does not have."""
    known = _PAIR_FIELDS if check.kind == "pair" else _VALUE_FIELDS
    templates = [("message", check.message), ("hint", check.hint), ("related", check.related), ("edit", check.edit)]
    templates += [(f"cases[{n}].message", case.message) for n, case in enumerate(check.cases)]
    templates += [(f"cases[{n}].hint", case.hint) for n, case in enumerate(check.cases)]
    for member, template in templates:
        for found in _FIELD.finditer(template or ""):
            if found[2] not in known:
                return member, f"{member}: there is no field {{{found[2]}}}; there are {', '.join(sorted(known))}"
            if found[4] and found[2] != "length":
                return member, f"{member}: only {{length,}} is a number"
    return None


# Templates: {name} clipped to 60 characters, {name 40} to 40, {'name'} in quotes, {name,} with thousands separated.

_FIELD = pattern(r"\{('?)([a-z_]+)\1(?: ([0-9]+))?(,?)\}")


def fill(template: str, fields: Fields) -> str:
    """Message or hint with the fields of its template."""

    def replaced(found: re.Match[str]) -> str:
        quote, name, most, separated = found.groups()
        text = f"{fields[name]:,}" if separated else clip(str(fields[name]), int(most or 60))
        return repr(text) if quote else text

    return _FIELD.sub(replaced, template)


def fill_edit(template: str, fields: Fields) -> str:
    """Replacement text of a fix: fields are stripped and never clipped."""
    return _FIELD.sub(lambda found: str(fields[found[2]]).strip(), template)


def _draft(check: Check, case: Case, fields: Fields, **more: Any) -> FindingDraft:
    """Finding of one case."""
    hint = case.hint or check.hint
    return FindingDraft(
        severity=case.severity or check.severity,
        message=fill(case.message, fields),
        hint=fill(hint, fields) if hint else None,
        **more,
    )


# Errors met while reading: `when` compares members of the error's detail; true means present and not false.


def count_suffix(error: ReadError) -> str:
    """End of a message that counts further errors of the rule in the same block; empty for a single error."""
    others = error.detail.get("count", 1) - 1
    return f" (and {others:,} more in this block)" if others > 0 else ""


def _read_error(check: Check) -> dict[str, Any]:
    def explain(error: ReadError) -> FindingDraft:
        detail = error.detail
        case = next(case for case in check.messages() if _describes(case.when, detail))
        draft = _draft(check, case, detail)
        draft.message += count_suffix(error) if check.per_block else ""
        draft.safe = bool(detail.get("safe", True)) if check.safe == "as-read" else check.safe
        draft.edits = ((error.span, fill_edit(check.edit, detail)),) if check.edit else ()
        return draft

    return {"explain": explain}


def _describes(when: Mapping[str, Any], detail: Fields) -> bool:
    found = ((detail.get(name), value) for name, value in when.items())
    return all(given not in (None, False) if value is True else given == value for given, value in found)


# Values: every condition of `when` must hold for the value, or for the text that `subject` reads from it. Conditions
# on the value alone are the rule's `when`, which the dispatcher tries first; the others need the page or the clock.

_Condition: TypeAlias = Callable[[Value, str], bool]
_PageCondition: TypeAlias = Callable[[RuleContext, Value, str], bool]


def _text_of(value: Value, subject: str) -> str | None:
    """Text to check: the value itself, or the `name` or `@id` of a node; None for a node without."""
    if isinstance(value, Node):
        text = value.get("name") if subject == "name" else value.id if subject == "id" else None
        return text if isinstance(text, str) else None
    return str(value)


def _matches(when: Mapping[str, Any], expression: str) -> _Condition:
    expected = pattern(expression, re.IGNORECASE if when.get("ignore_case") else 0)
    # A bound in characters, so that no pattern takes long on a text of a megabyte.
    longest = when.get("longest", 100_000)
    return lambda _, text: len(text) <= longest and expected.search(text.strip()) is not None


def _does_not_match(when: Mapping[str, Any], expression: str) -> _Condition:
    matches = _matches(when, expression)
    return lambda value, text: not matches(value, text)


def _is_not_a(_: Mapping[str, Any], kind: str) -> _Condition:
    def holds(value: Value, _: str) -> bool:
        found = number(value)
        return found is None or (kind == "whole number" and found != found.to_integral_value())

    return holds


def _is_below(_: Mapping[str, Any], bound: int) -> _Condition:
    return lambda value, _: (found := number(value)) is not None and found < bound


def _is_one_of(_: Mapping[str, Any], words: Sequence[str]) -> _Condition:
    return lambda _, text: text.strip() in words


def _is_not_one_of(_: Mapping[str, Any], words: Sequence[str]) -> _Condition:
    return lambda _, text: text.strip() not in words


def _is_longer_than(_: Mapping[str, Any], most: int) -> _Condition:
    return lambda _, text: len(text.strip()) > most


def _is_date(tense: str) -> _PageCondition:
    def holds(context: RuleContext, value: Value, _: str) -> bool:
        found = moment(value)
        return bool(found and (context.is_past(found) if tense == "past" else context.is_future(found)))

    return holds


def _is_page_address(_: bool) -> _PageCondition:
    return lambda context, _, text: text.strip() == (context.page.url or None)


_CONDITIONS: dict[str, Callable[[Mapping[str, Any], Any], _Condition]] = {
    "matches": _matches,
    "does_not_match": _does_not_match,
    "one_of": _is_one_of,
    "not_one_of": _is_not_one_of,
    "longer_than": _is_longer_than,
    "not_a": _is_not_a,
    "below": _is_below,
}
_PAGE_CONDITIONS: dict[str, Callable[[Any], _PageCondition]] = {"date": _is_date, "is_page_address": _is_page_address}


def _conditions(when: Mapping[str, Any]) -> tuple[_Condition, ...]:
    """Conditions on a value alone."""
    return tuple(make(when, when[name]) for name, make in _CONDITIONS.items() if name in when)


def _holds(conditions: Sequence[_Condition], value: Value, text: str) -> bool:
    for condition in conditions:  # noqa: SIM110 - most values of a page pass here; `all` makes a generator for each
        if not condition(value, text):
            return False
    return True


def _value(check: Check) -> dict[str, Any]:
    assert isinstance(check.when, dict)
    conditions, subject_of = _conditions(check.when), check.subject
    page_conditions = tuple(make(check.when[name]) for name, make in _PAGE_CONDITIONS.items() if name in check.when)
    words = check.when.get("not_one_of", ())
    cases = [(case, _conditions(case.when)) for case in check.messages()]

    def when(value: Value) -> bool:
        text = _text_of(value, subject_of)
        return text is not None and _holds(conditions, value, text)

    def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
        text = _text_of(value, subject_of)
        if text is None or not all(condition(item.context, value, text) for condition in page_conditions):
            return
        case = next(case for case, own in cases if _holds(own, value, text))
        fields: dict[str, Any] = {"property": prop, "value": text, "length": len(text.strip())}
        draft = _draft(check, case, fields, node=item.node, prop=prop, index=index)
        replacement, draft.safe = fill_edit(check.edit, fields) if check.edit else None, check.safe is True
        if check.corrections:
            replacement, draft.safe = _correction(check.corrections, words, text)
            draft.hint = _correction_hint(check.corrections, replacement) or draft.hint
        draft.edits = (item.rewrite(prop, replacement, index),) if replacement else ()
        yield draft

    properties = frozenset().union(check.properties, *(getattr(KINDS, kind) for kind in check.property_kinds))
    return {
        "properties": properties - check.except_properties,
        "values": check.values,
        "when": when if conditions else None,
        "check_value": check_value,
    }


def _correction_hint(corrections: Corrections, word: str | None) -> str | None:
    return fill(corrections.hint, {"correction": word}) if word and corrections.hint else None


def _correction(corrections: Corrections, words: Iterable[str], text: str) -> tuple[str | None, bool]:
    """Word for a text outside the list, if known, and whether the fix is safe."""

    def folded(word: str) -> str:
        return "".join(character for character in word.upper() if character not in corrections.ignoring)

    key = folded(text.strip())
    word = next((word for word in words if folded(word) == key), None)
    return (word, True) if word else (corrections.unsure.get(key), False)


# Pairs: two properties of one node are compared.

_READERS: dict[str, Callable[[Item, str], Any]] = {
    "date": lambda item, prop: moment(item.text(prop)),
    "number": lambda item, prop: number(item.get(prop)),
    "text": lambda item, prop: item.text(prop) or None,
}
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "second before first": lambda first, second: is_before(second, first),
    "second below first": lambda first, second: second < first,
    "second not above first": lambda first, second: second <= first,
    "second same as first": lambda first, second: first.casefold() == second.casefold(),
}


def _pair(check: Check) -> dict[str, Any]:
    assert isinstance(check.when, str)
    read, relation = _READERS[check.compare], _RELATIONS[check.when]

    def check_node(item: Item) -> Iterator[FindingDraft]:
        for first, second in check.pairs:
            low, high = read(item, first), read(item, second)
            if low is None or high is None or not relation(low, high):
                continue
            fields = {
                "first_property": first, "first": _written(item, first, low),
                "second_property": second, "second": _written(item, second, high),
            }  # fmt: skip
            case = next(case for case in check.messages() if not case.when or item.is_a(case.when["type"]))
            place, counterpart = (second, first) if check.at == "second" else (first, second)
            related = ((fill(check.related, fields), (item.node, counterpart)),) if check.related else ()
            yield _draft(check, case, fields, node=item.node, prop=place, related=related)

    return {"properties": frozenset(second for _, second in check.pairs), "check": check_node}


def _written(item: Item, prop: str, value: Any) -> Any:
    return value if isinstance(value, Decimal) else item.text(prop)


_RULES: dict[str, Callable[[Check], dict[str, Any]]] = {"read-error": _read_error, "value": _value, "pair": _pair}
