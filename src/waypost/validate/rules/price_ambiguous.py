"""Price with three decimals can be read in two ways.

A point is always the decimal point to consumers: `40.000` is 40. Where people write the point between thousands, the
same text is 40000, and a thousandth of the price is shown. The dinars of Bahrain, Iraq, Jordan, Kuwait, Libya and
Tunisia and the rial of Oman have three decimals, so that there is nothing to ask there. A price by the litre or the
kilowatt hour, with its `referenceQuantity` or unit, may have three decimals in any currency.
Source: https://schema.org/price ("Avoid using these symbols as a readability separator") and the minor units of
ISO 4217, read 2026-11-28.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.currencies import currencies
from waypost.formats.patterns import pattern
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PRICES = frozenset({"price", "lowPrice", "highPrice", "minPrice", "maxPrice"})
PROPERTIES = PRICES | {"value", "minValue", "maxValue"}
VALUES = frozenset({"text", "number"})
# Three or four decimals in ISO 4217, and what is no money.
MORE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND", "CLF", "UYW"})
NO_DECIMALS = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
     "XPF"}
)  # fmt: skip
THREE_DECIMALS = pattern(r"([1-9]\d{0,2})\.(\d{3})", re.ASCII)
_LONGEST = 12


def has_three_decimals(value: Value) -> bool:
    """Is the value one to three digits, a point and three digits?"""
    text = "" if isinstance(value, Node) else str(value)
    return len(text) < _LONGEST and THREE_DECIMALS.fullmatch(text.strip()) is not None


WHEN = has_three_decimals


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    currency = _currency_of(item, prop)
    if currency not in currencies().current or currency in MORE_DECIMALS or _is_by_unit(item):
        return
    text = str(value).strip()
    whole, decimals = text.split(".")
    number = f"{whole}.{decimals.rstrip('0')}".rstrip(".")
    thousands = f"{whole}{decimals}"
    if currency in NO_DECIMALS:
        hint = f"{currency} has no decimals: write {thousands}" + (f" or {whole}" if decimals == "000" else "")
    elif decimals.endswith("0"):
        hint = f"write {thousands} or {whole}.{decimals[:2]}, whichever is meant"
    else:
        hint = f"write {thousands} if that is the price, or round it to two decimals"
    yield item.warning(
        prop, f"{text!r} can be read as {number} or {thousands} {currency}; consumers read {number}", hint, index=index
    )


def _currency_of(item: Item, prop: str) -> str | None:
    """Code of the currency of a price, or of a MonetaryAmount or the object that holds its value."""
    node: Node | None = item.node
    name = "priceCurrency" if prop in PRICES else "currency"
    # A price specification has the currency of its offer.
    for _ in range(2):
        if node is None:
            return None
        own, further = node.get(name), node.get("salaryCurrency")
        code = own or further
        if isinstance(code, str):
            return code.strip()
        node = node.parent
    return None


def _is_by_unit(item: Item) -> bool:
    """Is the price one for a litre, a kilowatt hour or another quantity?"""
    # The unit of a salary is the time in which it is paid.
    return item.is_a("PriceSpecification", "Offer") and any(
        item.has(name) for name in ("referenceQuantity", "unitCode", "unitText", "eligibleQuantity")
    )
