"""Markup differs from the visible text.

A price, a rating, a date or a name is written twice, in an attribute for machines and as text for people, and the two
disagree: one of them was forgotten. Search engines ask that the markup represents what the page shows. Only what has
one reading is compared: a rounded rating or price, a day more or less by the time zone, a price in another currency,
a hidden text and a name that shares a word are left alone.
Source: https://developers.google.com/search/docs/appearance/structured-data/sd-policies, read 2026-11-23.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from waypost.formats.currencies import currencies
from waypost.formats.date_guesses import guess
from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.formats.prices import plain_price
from waypost.formats.text import clip
from waypost.models.page import Value, VisibleText
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "google"
SEVERITY = "warning"

PRICES = frozenset({"price", "lowPrice", "highPrice"})
RATING = pattern(r"(?:\d{1,2})(?:[.,]\d{1,2})?(?= ?(?:/|out of|von|sur|de|av|af|van) ?(?:5|10)\b|$)")
DAY = pattern(r"\d{4}-\d\d-\d\d(?!\d)")
CODE = pattern(r"[A-Z]{3}")
WORD = pattern(r"[^\W_]{3,}")
SHARED_SIGNS = {
    "$": frozenset({"USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "BRL", "ARS", "CLP", "COP"}),
    "¥": frozenset({"JPY", "CNY"}),
    "kr": frozenset({"SEK", "NOK", "DKK", "ISK"}),
}
MOST_DAYS = 20_000


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for visible in context.page.visible_texts:
        value = visible.node.props[visible.prop][visible.position]
        if isinstance(value, str) and _differs(visible, value, context):
            yield Item(visible.node, context).warning(
                visible.prop,
                f"the markup says {clip(value)!r} and people read {clip(visible.text)!r}",
                "correct the one that is wrong, and write both from one value",
                index=visible.position,
            )


def _differs(visible: VisibleText, value: str, context: RuleContext) -> bool:
    if visible.prop in PRICES:
        return _is_other_price(value, visible.text, visible.node.get("priceCurrency"))
    if visible.prop == "ratingValue":
        return _is_other_rating(value, visible.text)
    if visible.prop == "name":
        return visible.tag == "h1" and _is_other_name(value, visible.text)
    return _is_other_day(value, visible.text, context.page.language)


def _is_other_price(value: str, text: str, currency: Value) -> bool:
    written, plain = number(value), plain_price(text)
    if written is None or plain is None or plain == "0":
        return False
    named = _currencies_in(text)
    # A price in another currency is another number, not an error.
    if named and not (isinstance(currency, str) and currency.strip() in named):
        return False
    seen = number(plain)
    assert seen is not None
    is_cents_raised = seen in (written * 100, written * 10)  # $19 and 99 in smaller type
    # People read "$20" for 19.99.
    is_rounded = "." not in plain and abs(seen - written) < 1
    return seen != written and not is_cents_raised and not is_rounded


def _currencies_in(text: str) -> set[str]:
    """Codes of the currencies that a text may name."""
    known = currencies()
    named = {code for sign, code in known.signs.items() if sign in text}
    return named.union(
        set(CODE.findall(text)) & known.current.keys(), *(codes for sign, codes in SHARED_SIGNS.items() if sign in text)
    )


def _is_other_rating(value: str, text: str) -> bool:
    written, found = number(value), RATING.match(text)
    if written is None or found is None:
        return False
    digits = found[0].replace(",", ".")
    # The visible number is rounded to its last place; 1.001 allows for binary fractions.
    step = (1.0, 0.1, 0.01)[len(digits.partition(".")[2])]
    return float(digits) <= 10 and abs(float(digits) - float(written)) > step * 1.001


def _is_other_name(value: str, text: str) -> bool:
    one, other = (set(WORD.findall(name.casefold())) for name in (value, text))
    # No word in common, out of several: anything less is a shorter or longer title.
    return len(one) > 1 and len(other) > 1 and not one & other


def _is_other_day(value: str, text: str, language: str | None) -> bool:
    found, seen = DAY.match(value), guess(text, language)
    if found is None or seen is None:
        return False
    try:
        days = abs((date.fromisoformat(found[0]) - date.fromisoformat(seen)).days)
    except ValueError:
        return False
    # A day of difference comes from time zones; half a century from a misread number.
    return 1 < days < MOST_DAYS
