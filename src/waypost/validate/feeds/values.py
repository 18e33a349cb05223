"""Values of a row of a feed: price of today, state, condition, rating."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from waypost.formats.currencies import currencies
from waypost.formats.dates import is_future, is_past, moment
from waypost.formats.numbers import number, spelling
from waypost.formats.patterns import pattern
from waypost.formats.prices import plain_price, price_currency
from waypost.models.product_feed import FeedFormat

_CODE = pattern(r"\b[A-Za-z]{3}\b")


class Money(NamedTuple):
    """Amount with the code of the currency; empty without one."""

    value: Decimal
    currency: str


class FeedValues(NamedTuple):
    """Row of a feed by fields: field -> text, and field -> column."""

    texts: Mapping[str, str]
    columns: Mapping[str, str]


def amount_text(value: Decimal, currency: str) -> str:
    """Amount with currency for people: "19.90 EUR"."""
    digits = spelling(value)
    return f"{digits}{'0' * (len(digits.partition('.')[2]) == 1)} {currency}".strip()


def feed_values(values: Mapping[str, str], form: FeedFormat) -> FeedValues:
    """Row by fields. `values`: column -> text."""
    texts: dict[str, str] = {}
    columns: dict[str, str] = {}
    for field, names in form.names.items():
        for name in names:
            if text := values.get(name):
                texts[field], columns[field] = text, name
                break
    return FeedValues(texts, columns)


def money(text: str) -> Money | None:
    """Amount of a price as feeds write it: "19.99 EUR", "EUR 19.99", "19,99 EUR", "19.99"; None for another text."""
    flat = " ".join(text.split())
    if len(flat) > 64:
        return None
    found = _CODE.search(flat)
    code = found[0].upper() if found else ""
    plain = (flat[: found.start()] + flat[found.end() :]).strip() if found else flat
    value = number(plain)
    if value is None and (written := plain_price(flat)) is not None:
        value = number(written)
    if value is None or value < 0:
        return None
    if not code:
        sign = price_currency(flat) or ""
        code = currencies().signs.get(sign, "")
    return Money(value, code)


def price_of_today(texts: Mapping[str, str], now: datetime) -> list[tuple[str, Money]]:
    """(field, amount) of the prices that a row can mean now: of the sale, the usual one, or both near its dates."""
    usual, sale = money(texts.get("price", "")), money(texts.get("sale_price", ""))
    if sale is None or sale.value <= 0:
        return [("price", usual)] if usual is not None else []
    start, _, end = texts.get("sale_dates", "").partition("/")
    begins, ends = moment(start.strip()), moment(end.strip())
    if (begins is not None and is_future(begins, now)) or (ends is not None and is_past(ends, now)):
        return [("price", usual)] if usual is not None else []
    # Within the first and the last day the time zone decides.
    is_sure = (begins is None or is_past(begins, now)) and (ends is None or is_future(ends, now))
    found = [("sale_price", sale)]
    return found if is_sure or usual is None else [*found, ("price", usual)]


def state_of(text: str, known: Mapping[str, str]) -> str:
    """State or condition that a value of a feed means; empty for an unknown one."""
    flat = " ".join(text.split()).casefold()
    return known.get(flat) or known.get(flat.replace(" ", "_")) or ""


def rating_out_of_five(texts: Mapping[str, str]) -> Decimal | None:
    """Average rating of a row on a scale to five."""
    value, best = number(texts.get("rating", "")), number(texts.get("rating_scale", "5"))
    return value * 5 / best if value is not None and best and best > 0 else None
