"""Value is not a number.

A number has a decimal point and no unit, separator or words: "about 3", "3 kg" or "1,204" cannot be counted with. A
unit goes to the object's `unitCode` or `unitText`, a currency to its `currency`. The `value` of a MonetaryAmount or a
QuantitativeValue is a number, too, while that of a PropertyValue may be any text.
Source: schema.org release 30.1 (rangeIncludes Number only), https://schema.org/Number and https://schema.org/value
("For QuantitativeValue and MonetaryAmount, the recommended type for values is 'Number'"), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import is_plain_integer, number
from waypost.formats.prices import written_range
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.number_advice import number_advice
from waypost.validate.value_kinds import KINDS, holders

AUTHORITY = "vocabulary"
SEVERITY = "warning"
# A number or an object with one, by the vocabulary; half a bathroom is Google's own example. A salary and a
# fee belong to their profiles.
NUMBER_OR_OBJECT = frozenset(
    {"amount", "annualPercentageRate", "broadcastFrequencyValue", "doseValue", "downPayment", "endOffset",
     "exchangeRateSpread", "interestRate", "membershipPointsEarned", "monthlyMinimumRepaymentAmount",
     "numberOfAxles", "numberOfBathroomsTotal", "numberOfBedrooms", "numberOfDoors", "numberOfForwardGears",
     "numberOfPreviousOwners", "numberOfRooms", "orderQuantity", "repetitions", "seatingCapacity", "startOffset",
     "vehicleSeatingCapacity"}
)  # fmt: skip
PROPERTIES = KINDS.number | NUMBER_OR_OBJECT | {"value"}
VALUES = frozenset({"text", "number", "boolean"})
_AMOUNTS = frozenset({"MonetaryAmount", "QuantitativeValue"})
_BOUNDS = frozenset({"value", "minValue", "maxValue"})


def is_no_number(value: Value) -> bool:
    return not is_plain_integer(value) and number(value) is None


WHEN = is_no_number


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        return
    is_amount = _is_amount(item)
    # A PropertyValue and a LocationFeatureSpecification have a value of any kind, also next to another type.
    if prop == "value" and (not is_amount or item.is_a("PropertyValue")):
        return
    text = str(value).lower() if isinstance(value, bool) else str(value)
    hint, correction, apart = number_advice(text, f"{prop} takes a number alone, with a point before its decimals")
    if is_amount and prop in _BOUNDS:
        if (found := written_range(text)) and not correction:
            hint = f"write {found[0]} as minValue and {found[1]} as maxValue"
        elif apart:
            hint += "; currency has the currency" if item.is_a("MonetaryAmount") else "; unitText has the unit"
    if apart:
        correction = None
    yield item.warning(
        prop, f"{clip(text)!r} is not a number", hint, index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )  # fmt: skip


def _is_amount(item: Item) -> bool:
    """Is the node an amount by its type or, without a type, by the property that holds it?"""
    node = item.node
    if node.types and not item.is_a("StructuredValue"):
        return False
    if item.is_a(*_AMOUNTS):
        return True
    vocabulary = item.context.registry.vocabulary
    return any(
        vocabulary.are_a(holder.types, _AMOUNTS)
        if via == "value"
        else not node.types and via in vocabulary.properties and not _AMOUNTS.isdisjoint(vocabulary.properties[via].r)
        for holder, via in holders(node)
    )
