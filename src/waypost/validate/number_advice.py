"""Advice for a value that should be a number: the hint names the numbers that the text can mean."""

from __future__ import annotations

from typing import NamedTuple

from waypost.formats.prices import written_number, written_range


class Advice(NamedTuple):
    """What to write. `number` is the only number that the text can mean; `apart`: words or a unit stand next to it."""

    hint: str
    number: str | None = None
    apart: bool = False


def number_advice(text: str, otherwise: str, *, whole: bool = False) -> Advice:
    """Advice for a text that is no plain number; `otherwise` is the hint where it names none. `whole`: a count."""
    numbers, apart = written_number(text, whole=whole)
    if len(numbers) == 2:
        return Advice(f"write {numbers[0]} or {numbers[1]}, whichever is meant", None, apart)
    if numbers:
        return Advice(f"write {numbers[0]}{' alone' if apart else ''}", numbers[0], apart)
    if found := written_range(text):
        return Advice(f"write one number, {found[0]} or {found[1]}")
    return Advice(otherwise)
