"""Differences between a row of a feed and a product of a page: `differences(values, product, form, now)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.models.finding import Severity
from waypost.models.product_feed import FeedFormat
from waypost.validate.displayed.words import has_words, letters_of
from waypost.validate.feeds.products import Product, Seen, Stated
from waypost.validate.feeds.values import FeedValues, Money, amount_text, price_of_today, rating_out_of_five, state_of

_STATES = {
    "instock": "in_stock", "onlineonly": "in_stock", "limitedavailability": "in_stock", "outofstock": "out_of_stock",
    "soldout": "out_of_stock", "discontinued": "out_of_stock", "preorder": "preorder", "presale": "preorder",
    "backorder": "backorder", "madetoorder": "backorder",
}  # fmt: skip
_CONDITIONS = {
    "newcondition": "new", "usedcondition": "used", "damagedcondition": "used", "refurbishedcondition": "refurbished",
    "new": "new", "used": "used", "refurbished": "refurbished",
}  # fmt: skip
_WORDS = {
    "in_stock": "in stock", "out_of_stock": "out of stock", "preorder": "preorder", "backorder": "backorder",
}  # fmt: skip
_PRICES = ("price", "priceCurrency", "lowPrice", "highPrice")
_PROPERTIES = {
    "name": "title", "ratingValue": "rating", "reviewCount": "rating_count", "ratingCount": "rating_count",
}  # fmt: skip
_NEAR = Decimal("0.011")
_SIZE = pattern(r"[-_](?:\d{2,5}x\d{0,5}|\d{2,5}w|scaled|large|small|medium|grande|master|thumb|\d{2,5})\Z")


class FieldDifference(NamedTuple):
    """Value in which a row differs from the page.

    what    in words: "price"
    column  column of the feed
    stated  value of the markup; None where only the page differs
    seen    value that the page displays; None where that is not clear
    """

    what: str
    column: str
    severity: Severity
    feed: str
    stated: Stated | None
    seen: Seen | None


def differences(values: FeedValues, product: Product, form: FeedFormat, now: datetime) -> list[FieldDifference]:
    """Differences in price, availability, condition, name, image and rating, the most severe first."""
    found = [
        *_price(values, product, now),
        *_availability(values, product, form),
        *_condition(values, product, form),
        *_rating(values, product),
        *_name(values, product),
        *_image(values, product),
    ]
    return sorted(found, key=lambda each: each.severity == "info")


def values_of_feed(values: FeedValues, form: FeedFormat, now: datetime) -> Iterator[tuple[str, str, str]]:
    """(property of the markup, value of the feed, column), for the third column of a contradiction."""
    for field, amount in price_of_today(values.texts, now)[:1]:
        price = amount_text(amount.value, amount.currency)
        yield from ((prop, price, values.columns[field]) for prop in _PRICES)
    if state := state_of(values.texts.get("availability", ""), form.availability):
        yield "availability", _WORDS.get(state, state), values.columns["availability"]
    for prop, name in _PROPERTIES.items():
        if name in values.texts:
            yield prop, values.texts[name], values.columns[name]


def contradicts_page(product: Product) -> bool:
    """Does the page display another price, state, rating or count than the markup of the product?"""
    price = product.seen.get("price")
    prices = [value for each in product.stated.get("price", ()) if (value := number(each.value.partition(" ")[0]))]
    if price is not None and prices and not any(_is_displayed(Money(each, ""), price) for each in prices):
        return True
    states = {_STATES.get(each.value.casefold()) for each in product.stated.get("availability", ())}
    displayed = {name.partition(":")[2] for name in product.seen if name.startswith("availability:")}
    if displayed and states and displayed.isdisjoint(states):
        return True
    for name, most in (("rating", Decimal("0.1")), ("rating_count", Decimal(0))):
        seen = product.seen.get(name)
        value = number(seen.numbers[0]) if seen is not None and seen.numbers else None
        if value is not None and any(_differ(value, each.value, most) for each in product.stated.get(name, ())):
            return True
    return False


def _price(values: FeedValues, product: Product, now: datetime) -> Iterator[FieldDifference]:
    today = price_of_today(values.texts, now)
    if not today:
        return
    stated, seen = product.stated.get("price", ()), product.seen.get("price")
    bounds = (product.stated.get("low", ()), product.stated.get("high", ()))
    is_stated = not (stated or bounds[0]) or any(
        _is_price(amount, each) for _, amount in today for each in stated
    ) or any(_is_between(amount, *bounds) for _, amount in today)  # fmt: skip
    is_seen = seen is None or any(_is_displayed(amount, seen) for _, amount in today)
    # A page in another currency has other numbers; where the markup agrees, its sign may be read in another way.
    if is_stated and (is_seen or seen is None or not _is_one_currency(today[0][1], seen)):
        return
    if is_stated and stated:
        # The page contradicts markup and feed alike: that is the finding of another rule.
        return
    field, amount = today[0]
    text = amount_text(amount.value, amount.currency)
    first = stated[0] if stated else bounds[0][0] if bounds[0] else None
    yield FieldDifference("price", values.columns[field], "warning", text, first, seen)


def _is_price(amount: Money, stated: Stated) -> bool:
    text, _, currency = stated.value.partition(" ")
    value = number(text)
    is_currency = not (amount.currency and currency) or amount.currency == currency
    return value is not None and is_currency and abs(value - amount.value) < _NEAR


def _is_between(amount: Money, low: tuple[Stated, ...], high: tuple[Stated, ...]) -> bool:
    """Is an amount within the range of an aggregate offer?"""
    if not low:
        return False
    least = number(low[0].value.partition(" ")[0])
    most = number(high[0].value.partition(" ")[0]) if high else None
    is_currency = not amount.currency or low[0].value.partition(" ")[2] in ("", amount.currency)
    return (
        least is not None
        and is_currency
        and least - _NEAR < amount.value
        and (most is None or amount.value < most + _NEAR)
    )


def _is_one_currency(amount: Money, seen: Seen) -> bool:
    return not (amount.currency and seen.currencies) or amount.currency in seen.currencies


def _is_displayed(amount: Money, seen: Seen) -> bool:
    numbers = [value for each in seen.numbers if (value := number(each)) is not None]
    return any(
        abs(amount.value - each) < _NEAR or (each == each.to_integral_value() and abs(amount.value - each) < 1)
        for each in numbers
    )


def _availability(values: FeedValues, product: Product, form: FeedFormat) -> Iterator[FieldDifference]:
    state = state_of(values.texts.get("availability", ""), form.availability)
    if state not in _WORDS:
        return
    stated = [each for each in product.stated.get("availability", ()) if each.value.casefold() in _STATES]
    page = {name.partition(":")[2]: seen for name, seen in product.seen.items() if name.startswith("availability:")}
    other = {"in_stock": "out_of_stock", "out_of_stock": "in_stock"}.get(state, "")
    seen = page.get(other) or next(iter(page.values()), None)
    if stated and any(_STATES[each.value.casefold()] == state for each in stated):
        return
    if stated or other in page:
        first = stated[0] if stated else None
        yield FieldDifference(
            "availability", values.columns["availability"], "warning", _WORDS[state], first, seen
        )  # fmt: skip


def _condition(values: FeedValues, product: Product, form: FeedFormat) -> Iterator[FieldDifference]:
    condition = state_of(values.texts.get("condition", ""), form.condition)
    stated = [each for each in product.stated.get("condition", ()) if each.value.casefold() in _CONDITIONS]
    if condition and stated and all(_CONDITIONS[each.value.casefold()] != condition for each in stated):
        yield FieldDifference("condition", values.columns["condition"], "warning", condition, stated[0], None)


def _rating(values: FeedValues, product: Product) -> Iterator[FieldDifference]:
    rating, stated = rating_out_of_five(values.texts), product.stated.get("rating", ())
    if rating is not None and stated and all(_differ(rating, each.value, Decimal("0.1")) for each in stated):
        text = values.texts["rating"]
        yield FieldDifference(
            "rating", values.columns["rating"], "warning", text, stated[0], product.seen.get("rating")
        )
    count, counts = number(values.texts.get("rating_count", "")), product.stated.get("rating_count", ())
    # A feed is some hours older than the page: a few further reviews are no difference.
    if count is not None and counts and all(_differ(count, each.value, max(Decimal(3), count / 10)) for each in counts):
        yield FieldDifference(
            "number of ratings", values.columns["rating_count"], "info", values.texts["rating_count"], counts[0],
            product.seen.get("rating_count"),
        )  # fmt: skip


def _differ(value: Decimal, text: str, most: Decimal) -> bool:
    other = number(text)
    return other is not None and abs(other - value) > most


def _name(values: FeedValues, product: Product) -> Iterator[FieldDifference]:
    """Difference of the name: no word in common with the markup and the heading of the page."""
    title, stated = values.texts.get("title", ""), product.stated.get("name", ())
    seen = product.seen.get("name")
    own = letters_of(title)
    others = [each.value for each in stated] + ([seen.value] if seen else [])
    if len(own) < 2 or not stated or not has_words(title):
        return
    if any(len(letters_of(text)) < 2 or own & letters_of(text) or text.isascii() != title.isascii() for text in others):
        return
    yield FieldDifference("name", values.columns["title"], "info", title, stated[0], seen)


def _image(values: FeedValues, product: Product) -> Iterator[FieldDifference]:
    """Difference of the image: none of the file names of the feed is one of the markup, whatever folder and size."""
    own = {_stem(url) for url in _urls(values.texts.get("image", ""), values.texts.get("more_images", ""))}
    stated = product.stated.get("image", ())
    if not own or not stated or "" in own or own & {_stem(each.value) for each in stated}:
        return
    yield FieldDifference(
        "image", values.columns["image"], "info", values.texts["image"].split(",")[0], stated[0], None
    )


def _urls(*texts: str) -> Iterable[str]:
    return [url.strip() for text in texts for url in text.split(",") if url.strip()]


def _stem(url: str) -> str:
    """Name of the file of a picture without ending and size; empty where the address has none."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        return ""
    name = path.rstrip("/").rpartition("/")[2].partition("@")[0]
    stem = name.rpartition(".")[0] or name
    return _SIZE.sub("", stem.casefold())
