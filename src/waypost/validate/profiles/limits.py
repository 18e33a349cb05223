"""Bounds of a single value in entries of profiles, as functions from the value to the problem or `None`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from operator import gt, le, lt
from typing import Any, TypeAlias

from waypost.formats.dates import moment
from waypost.formats.numbers import number
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.models.profile import Entry
from waypost.validate.profiles.nodes import equals

Limit: TypeAlias = Callable[[Value], str | None]

_MOST_SEARCHED = 2_000  # characters of a text that a pattern is searched in


def limits_of(entry: Entry) -> Iterator[Limit]:
    """Compile the bounds of an entry."""
    if entry.equals is not None:
        yield _equal_to(entry.equals)
    if entry.pattern is not None:
        yield _matching(re.compile(entry.pattern), entry.rule or f"it does not match {entry.pattern}")
    if entry.min is not None:
        yield _bounded(entry.min, lt, "at least")
    if entry.max is not None:
        yield _bounded(entry.max, gt, "at most")
    if entry.gt is not None:
        yield _bounded(entry.gt, le, "above")
    if entry.time:
        yield _without_time
    if entry.max_length is not None:
        yield _at_most(entry.max_length)
    if entry.min_length is not None:
        yield _at_least(entry.min_length)


def _without_time(value: Value) -> str | None:
    found = moment(value)
    if found is None or found.form == "datetime":
        return None
    return f"it is {_displayed(value)}, a date without time and time zone"


def _equal_to(literal: Any) -> Limit:
    return lambda value: None if equals(value, literal) else f"it is {_displayed(value)}, but must be {_text(literal)}"


def _bounded(bound: float, is_outside: Callable[[Any, Any], bool], words: str) -> Limit:
    # The decimal as it is written in the profile: 0.1 of a float is another number.
    exact_bound = Decimal(str(bound))
    plain_bound = int(bound) if bound == int(bound) else exact_bound

    def limit(value: Value) -> str | None:
        if value.__class__ is int and not is_outside(value, plain_bound):
            return None  # the usual case, without arithmetic on decimals
        exact = number(value)
        if exact is None or not is_outside(exact, exact_bound):
            return None
        return f"it is {exact}, but must be {words} {exact_bound.normalize():f}"

    return limit


def _matching(pattern: re.Pattern[str], words: str) -> Limit:
    def limit(value: Value) -> str | None:
        is_match = not isinstance(value, str) or pattern.search(value[:_MOST_SEARCHED])
        return None if is_match else f"{_displayed(value)} does not fit: {words}"

    return limit


def _at_most(most: int) -> Limit:
    def limit(value: Value) -> str | None:
        is_longer = isinstance(value, str) and len(value) > most
        return f"it has {len(str(value))} characters, but only {most} are allowed" if is_longer else None

    return limit


def _at_least(least: int) -> Limit:
    def limit(value: Value) -> str | None:
        is_shorter = isinstance(value, str) and len(value) < least
        return f"it has {len(str(value))} characters, but at least {least} are needed" if is_shorter else None

    return limit


def _text(literal: object) -> str:
    return str(literal).lower() if isinstance(literal, bool) else str(literal)


def _displayed(value: object) -> str:
    return "the object" if isinstance(value, Node) else repr(clip(_text(value)))
