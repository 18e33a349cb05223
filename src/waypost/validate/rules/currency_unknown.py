"""Currency is not an ISO 4217 code.

A price without a readable currency is not shown. The code has three capital letters: `EUR`, not `€`, `Euro` or
`eur`. Codes of digital money that ISO does not list (BTC) are left alone, as schema.org allows them.
Source: https://schema.org/priceCurrency and ISO 4217 as of the registry's table, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.currencies import currencies
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"priceCurrency", "currency", "salaryCurrency", "currenciesAccepted"})

DIGITAL = frozenset({"BTC", "XBT", "ETH", "LTC", "XRP", "DOGE", "USDT", "USDC", "BCH", "ADA", "SOL"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node | bool):
        return
    known = currencies()
    text = str(value)
    code = text.strip()
    # Shops do take these, although ISO 4217 has no codes for them.
    if code in known.current or code in known.withdrawn or code in DIGITAL:
        return
    if prop == "currenciesAccepted":
        return  # a text for people, often a list
    folded = code.upper()
    # "eur" first, as it may be only a code in lower case; signs such as "€" come second.
    correction = folded if folded in known.current else known.signs.get(code) or known.signs.get(code.lower())
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a currency code",
        f"write {correction}" if correction else "write the three capital letters of ISO 4217",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )
