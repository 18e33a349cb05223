"""Number has more digits than a double holds.

JSON has no bound for numbers, and most programs read them as doubles: above 9007199254740991 the last digits change,
so that the number of an account, an article or a post becomes another one. In quotation marks it stays as it is. A
count so large is an error of its own, which `integer-expected` reports, and of a measure no one misses the digits.
Source: RFC 8259 (6), https://www.rfc-editor.org/rfc/rfc8259#section-6, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import is_exact
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
VALUES = frozenset({"number"})
NUMBERS = frozenset({"Number", "Integer", "Float"})


def loses_digits(value: Value) -> bool:
    return isinstance(value, int) and not is_exact(value)


WHEN = loses_digits


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    term = item.context.registry.vocabulary.properties.get(prop)
    is_number = term is not None and not NUMBERS.isdisjoint(term.r)
    # The value of a PropertyValue is an identifier as often as a measure.
    if is_number and not (prop == "value" and item.is_a("PropertyValue")):
        return
    text = str(value)
    yield item.warning(
        prop, f"{clip(text)} changes its last digits where it is read as a double", f'write "{clip(text)}", in quotes',
        index=index, edits=(item.rewrite(prop, text, index),),
    )  # fmt: skip
