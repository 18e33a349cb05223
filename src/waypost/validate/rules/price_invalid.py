"""Price is not a number.

Consumers read `1299.00`: a decimal point, no thousands separator, no currency sign, no words. "1.299,00 €" or "from
5" is dropped, and the offer is as good as without a price. The currency has a property of its own. Where only one
number can be meant, the price can be rewritten safely; `1,299` alone can be read in two ways. A currency in the price
is not dropped where `priceCurrency` is missing or names another. A `priceRange` is text for people and may contain
currency signs.
Source: https://schema.org/price and
https://developers.google.com/search/docs/appearance/structured-data/product-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.currencies import currencies
from waypost.formats.numbers import number
from waypost.formats.prices import plain_price, price_currency
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.number_advice import number_advice

AUTHORITY = "google"
SEVERITY = "warning"
PROPERTIES = frozenset({"price", "lowPrice", "highPrice", "minPrice", "maxPrice"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node) or number(value) is not None:
        return
    text = str(value).lower() if isinstance(value, bool) else str(value)
    correction = plain_price(text)
    hint = f"write {correction}" if correction else number_advice(text, OTHERWISE).hint
    is_safe = True
    if correction and (mark := price_currency(text)):
        code, given = _code_of(mark), item.text("priceCurrency")
        if given is None:
            hint, is_safe = f"{hint}, and {code or 'the currency'} as priceCurrency", False
        elif code != given and (code or _is_code(mark)):
            hint, correction = f"{hint} if {given} is the currency, else give {code or mark} as priceCurrency", None
    yield item.warning(
        prop, f"{clip(text)!r} is not a plain number", hint, index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (), safe=is_safe,
    )  # fmt: skip


OTHERWISE = "write digits alone, with a point before the cents"


def _code_of(mark: str) -> str | None:
    """Code of a sign or code of a currency; None where several use the sign."""
    known = currencies()
    return mark if mark in known.current else known.signs.get(mark) or known.signs.get(mark.lower())


def _is_code(mark: str) -> bool:
    return len(mark) == 3 and mark.isascii() and mark.isalpha() and mark.isupper()
