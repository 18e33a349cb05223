"""Numbers and ratings in the spellings that consumers read.

A plain number is a JSON number, or a string with a decimal point, without thousands separator, currency or unit.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

from waypost.formats.patterns import pattern

_NUMBER = pattern(r"[+-]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_MOST = 64
_HUGE = Decimal("1e60")
_LARGEST_EXPONENT = 400
_MANY = 10**9
_MOST_DIGITS = 16
LARGEST_EXACT = 2**53 - 1
"""Largest whole number up to which a double holds each one exactly."""


def exact_decimal(written: str) -> Decimal | None:
    """JSON number as a Decimal with all digits; None for exponents beyond +-400, which no arithmetic handles."""
    try:
        value = Decimal(written)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= _LARGEST_EXPONENT else None


def number(value: object) -> Decimal | None:
    """Number, also from a string ("4.5", "-3", "1e3"), else None. True and False are not numbers."""
    if isinstance(value, str):
        # Long strings are not cached: a cache of pages' texts would only take memory.
        return _parse_cached(value) if len(value) <= _MOST else _parse(value)
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        result = Decimal(value)
        return result if abs(result) < _HUGE else None
    return None


def _parse(text: str) -> Decimal | None:
    text = text.strip()
    return Decimal(text) if len(text) <= _MOST and _NUMBER.fullmatch(text) else None


_parse_cached = lru_cache(maxsize=4096)(_parse)


def is_whole(value: Decimal) -> bool:
    """Has a number no fraction?"""
    return value == value.to_integral_value()


def spelling(value: Decimal) -> str:
    """Digits of a number, the same for equal numbers: 1.0 is 1."""
    digits = f"{value:f}" if value else "0"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def is_plain_integer(value: object) -> bool:
    """Whether a value is a non-negative integer of few digits. Cheap test for most numbers; False decides nothing."""
    if value.__class__ is int:
        return 0 <= value < _MANY
    # `isdecimal` is true of the digits of every script.
    return isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < _MOST_DIGITS


def is_exact(value: Decimal | int) -> bool:
    """Do programs that read numbers as doubles keep all digits of a whole number? RFC 8259, section 6."""
    return -LARGEST_EXACT <= value <= LARGEST_EXACT


def digits_of(value: Decimal | int) -> str:
    """Number without an exponent; "" for very long ones, because their text takes quadratic time."""
    if isinstance(value, int):
        return str(value) if value.bit_length() < 256 else ""
    return f"{value:f}" if value.is_finite() and abs(value.adjusted()) < _MOST else ""


def as_written(text: str) -> int | float:
    """Number of a text: a float where the text has a point."""
    return float(text) if "." in text else int(text)


def price(value: object) -> Decimal | None:
    """Price of a document as a number; None for other values than strings of numbers."""
    try:
        found = Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        return None
    return found if found is not None and found.is_finite() else None


def plain_number(value: Decimal) -> int | float:
    """Number as in JSON: an integer where whole."""
    return int(value) if is_whole(value) else float(value)


def thousands(digits: str) -> str:
    """ASCII digits with thousands separated: 1,299."""
    return f"{int(digits):,}"


def tenths(value: float) -> int | float:
    """Number rounded to one decimal place. Halves are rounded up: `round` would round them to even."""
    rounded = float(Decimal(str(value)).quantize(Decimal("0.1"), rounding="ROUND_HALF_UP"))
    return int(rounded) if rounded.is_integer() else rounded


class Rating(NamedTuple):
    """Rating as written. `out_of` is the scale of a percentage or fraction ("90%", "6/10"), else None."""

    value: Decimal
    out_of: Decimal | None


_FRACTION = pattern(r"([+-]?\d{1,9}(?:\.\d{1,60})?) ?/ ?(\d{1,9}(?:\.\d{1,9})?)", re.ASCII)
_PERCENT = pattern(r"([+-]?\d{1,9}(?:\.\d{1,60})?) ?%", re.ASCII)


def rating(value: object) -> Rating | None:
    """Rating from a number, a percentage or a fraction, else None."""
    plain = number(value)
    if plain is not None:
        return Rating(plain, None)
    if not isinstance(value, str) or len(value) > _MOST:
        return None
    if found := _PERCENT.fullmatch(value.strip()):
        return Rating(Decimal(found[1]), Decimal(100))
    if found := _FRACTION.fullmatch(value.strip()):
        return Rating(Decimal(found[1]), Decimal(found[2]))
    return None
