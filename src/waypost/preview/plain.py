"""Values of a node as texts of a surface, in any form of a page."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from waypost.formats.dates import moment
from waypost.formats.numbers import number, plain_number, price
from waypost.formats.patterns import pattern
from waypost.models.json_value import Json, JsonObject
from waypost.models.page import Node, Value
from waypost.preview.card import star_rating
from waypost.preview.show import SHOWS, Wording, in_currency, scalar_text

_DEEPEST = 3
_LISTS = frozenset({"dayOfWeek", "priceSpecification"})
_AMOUNTS = ("price", "lowPrice", "minPrice", "value", "highPrice", "maxPrice")
_DATES = frozenset({"date", "moment"})
_ISO = pattern(r"[0-9]{4}(?:-[0-9][0-9]){0,2}(?:T[0-9][0-9]:[0-9][0-9][^ ]*)?")


def text_of(show: str, values: Iterable[Value], words: Json, most: int) -> str:
    """Values as a text; "" without one.

    show  a word of `x-card`, or "stars" (a rating), "money" (an offer or an amount), "host" (an address)
    """
    plain: list[Json] = [as_plain(value) for value in values]
    if show == "stars":
        return next((found.text for value in plain if (found := star_rating(_rating(value)))), "")
    if show == "money":
        return next((text for value in plain if (text := _money(value, words))), "")
    if show == "number":
        plain = [found if found is not None else value for value in plain for found in [_whole(value)]]
    if show in _DATES:
        plain = [value for value in plain if isinstance(value, str) and _ISO.fullmatch(value)]
    return SHOWS[show](plain, Wording(words, {}, most)) or ""


def date_of(show: str, values: Iterable[Value]) -> str:
    """First date among values displayed as dates; "" otherwise."""
    if show not in _DATES:
        return ""
    found = (str(value) for value in values if isinstance(value, str) and _ISO.fullmatch(value))
    return next((value for value in found if moment(value)), "")


def stars_of(show: str, values: Iterable[Value]) -> float:
    """Stars from 1 to 5 of values displayed as ratings; -1 otherwise."""
    if show != "stars":
        return -1.0
    return next((float(found.stars) for value in values if (found := star_rating(_rating(as_plain(value))))), -1.0)


def as_plain(value: Value, depth: int = 0) -> Json:
    """Value in the form of a unified document: objects of single values, bare names of schema.org."""
    if isinstance(value, Node):
        if depth >= _DEEPEST:
            return {"name": value.get("name")} if isinstance(value.get("name"), str) else None
        made: JsonObject = {"@type": value.types[0]} if value.types else {}
        for prop, held in value.props.items():
            plain = [each for one in held if (each := as_plain(one, depth + 1)) is not None]
            if plain:
                made[prop] = plain if prop in _LISTS else plain[0]
        return made
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, str):
        return _bare(str(value))
    return str(value) if isinstance(value, Decimal) else value


def _bare(value: str) -> str:
    for beginning in ("https://schema.org/", "http://schema.org/"):
        if value.startswith(beginning) and value[len(beginning) :].isalnum():
            return value.removeprefix(beginning)
    return value


def _rating(value: Json) -> JsonObject:
    """Members of a rating as numbers, with the usual scale of 1 to 5."""
    held = value if isinstance(value, dict) else {"ratingValue": value}
    given = {key: _amount(held.get(key)) for key in ("ratingValue", "bestRating", "worstRating")}
    counts = {key: _whole(held.get(key)) for key in ("ratingCount", "reviewCount")}
    return {"bestRating": 5, "worstRating": 1} | {
        key: found for key, found in (given | counts).items() if found is not None
    }


def _amount(value: Json) -> int | float | None:
    found = number(scalar_text(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if found is None:
        return None
    return plain_number(found)


def _whole(value: Json) -> int | None:
    found = _amount(value)
    return found if isinstance(found, int) else None


def _money(value: Json, words: Json) -> str:
    held = value if isinstance(value, dict) else {"price": value}
    for key in _AMOUNTS:
        text = scalar_text(held.get(key))
        if price(text) is not None:
            code = held.get("priceCurrency", held.get("currency"))
            return in_currency(text, code if isinstance(code, str) else None, words)
    return ""
