"""Canonical JSON (RFC 8785): the bytes that signatures over JSON cover."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_DEEPEST = 64
_EXACT = 2**53
"""Integers from here on are rounded by the numbers of JavaScript, which RFC 8785 follows."""


def canonical_json(value: Any) -> bytes:
    """Canonical bytes of a decoded JSON value. Raises ValueError for a value without them."""
    return "".join(_pieces(value, 0)).encode()


def _pieces(value: Any, depth: int) -> list[str]:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, Mapping):
        # Members are sorted by their UTF-16 code units (RFC 8785, 3.2.3).
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        members = [f"{_text(name)}:{''.join(_pieces(value[name], depth + 1))}" for name in names]
        return ["{", ",".join(members), "}"]
    if isinstance(value, list | tuple):
        return ["[", ",".join("".join(_pieces(each, depth + 1)) for each in value), "]"]
    if isinstance(value, str):
        return [_text(value)]
    if value is None or isinstance(value, bool):
        return [{None: "null", True: "true", False: "false"}[value]]
    return [_number(value)]


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """Number as ECMAScript writes it (RFC 8785, 3.2.2.3)."""
    if isinstance(value, int) and -_EXACT < value < _EXACT:
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("JSON has no such number")
    if number == 0:
        return "0"
    _, digits, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    text, sign = "".join(map(str, digits)), "-" if number < 0 else ""
    point = len(text) + int(exponent)
    if 0 < point <= 21:
        whole = text.ljust(point, "0")
        return f"{sign}{whole[:point]}{'.' if whole[point:] else ''}{whole[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{text}"
    fraction = f".{text[1:]}" if text[1:] else ""
    return f"{sign}{text[0]}{fraction}e{point - 1:+d}"
