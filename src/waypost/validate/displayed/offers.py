"""Offers of an item against the page: price, currency, availability."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TypeAlias

import msgspec

from waypost.formats.currencies import currencies
from waypost.formats.numbers import is_whole, number, spelling
from waypost.formats.prices import plain_price
from waypost.models.page import Node, Span
from waypost.reader.visible import STRUCK, UNCERTAIN
from waypost.validate.displayed.amounts import Amount, amounts_in, amounts_in_line, bare_amounts
from waypost.validate.displayed.lines import Line, all_lines, each_line
from waypost.validate.displayed.page import Difference, Displayed, above, is_displayed, texts_of
from waypost.validate.displayed.words import begins

_MOST_OFFERS = 200
_LIST_PRICES = frozenset({"ListPrice", "StrikethroughPrice", "MSRP", "SRP", "InvoicePrice", "MinimumAdvertisedPrice"})
IN_STOCK = frozenset({"InStock", "OnlineOnly", "LimitedAvailability"})
_OUT_OF_STOCK = frozenset({"OutOfStock", "SoldOut", "Discontinued"})
_BADGES = frozenset(
    {"badge", "badges", "label", "labels", "tag", "flag", "ribbon", "sticker", "swatch", "variant", "variants",
     "option", "options", "size", "sizes", "legend", "tooltip", "store", "stores", "pickup"}
)  # fmt: skip
_LONGEST_STATE = 70
_NEAR = Decimal("0.011")
_FEW_LINES = 8
_MOST_LINES = 80  # without a price
_MOST_LINES_APART = 160
_ABOVE = (800, 5_000)  # characters of source
_Place: TypeAlias = tuple[str, Span]
"""Text and its span."""


class Price(msgspec.Struct, frozen=True):
    """Price in the markup. `former`: of a list, struck through."""

    node: Node
    prop: str
    number: int
    value: Decimal
    written: str
    currency: str
    former: bool


def offers_of(product: Node) -> list[Node]:
    """Offers of an item and of its variants, those inside an aggregate included."""
    found: list[Node] = []
    for holder in (product, *product.nodes("hasVariant")):
        for offer in holder.nodes("offers"):
            found += [offer, *offer.nodes("offers")]
            if len(found) > _MOST_OFFERS:
                return found
    return found


def prices_of(product: Node) -> list[Price]:
    """Prices of the offers of an item."""
    return prices_of_offers(offers_of(product))


def prices_of_offers(offers: Iterable[Node]) -> list[Price]:
    """Prices of offers; those per unit, for members and for several pieces are left out."""
    found: list[Price] = []
    for offer in offers:
        found += _prices(offer, offer, former=False)
        for each in offer.nodes("priceSpecification"):
            if any(each.props.get(name) for name in ("referenceQuantity", "validForMemberTier", "eligibleQuantity")):
                continue
            kinds = {text.rpartition("/")[2] for _, text in texts_of(each, "priceType")}
            found += _prices(each, offer, former=not kinds.isdisjoint(_LIST_PRICES))
    return found


def _prices(node: Node, offer: Node, *, former: bool) -> Iterator[Price]:
    currency = (_currency(node) or _currency(offer)).upper()
    for prop in ("price", "lowPrice", "highPrice", "minPrice", "maxPrice"):
        for index, text in texts_of(node, prop):
            value = number(text)
            if value is None and (plain := plain_price(text)) is not None:
                value = number(plain)
            if value is not None:
                yield Price(node, prop, index, value, text, currency, former)


def _currency(node: Node) -> str:
    for _, text in texts_of(node, "priceCurrency"):
        if text:
            return text
    return ""


def near_price(display: Displayed) -> tuple[list[Line], list[Amount]]:
    """(lines, amounts in them) up to the heading of level 2 that follows the first price."""
    lines: list[Line] = []
    amounts: list[Amount] = []
    first_heading = -1
    priced = -1
    for number_, line in enumerate(each_line(display.lines)):
        if line.level == 2:
            if 0 <= priced < number_:
                return lines, amounts
            first_heading = number_ if first_heading < 0 else first_heading
        if number_ >= _MOST_LINES and priced < 0:
            break
        lines.append(line)
        found = amounts_in_line(lines, number_, display.words)
        amounts += found
        if priced < 0 and any(each.kind in ("current", "regular", "former", "struck") for each in found):
            priced = number_
    # Without a price the part under the first heading is about other things.
    end = first_heading if priced < 0 <= first_heading else len(lines)
    near = [each for each in amounts if each.line < end]
    return lines[:end], near if priced >= 0 else near + _named_prices(display, lines[:end])


def _named_prices(display: Displayed, near: list[Line]) -> list[Amount]:
    """Price that stands apart from the heading, or has no sign of a currency, and whose element is called a price.

    Only where the page displays no other price of today under such a name.
    """
    for found in _amounts_apart(display, near):
        named = [each for each in found if each.named and each.kind in ("current", "regular", "struck", "former")]
        today = [each for each in named if each.kind == "current"]
        if not today:
            today = [each for each in named if each.kind == "regular"]
        if today:
            return named if _are_alike(today) else []
    return []


def _amounts_apart(display: Displayed, near: list[Line]) -> Iterator[list[Amount]]:
    """Amounts without a sign, those above the heading, and those of the page as a whole."""
    yield bare_amounts(near, display.words)
    for most in _ABOVE:
        yield amounts_in(above(display, most), display.words)
    yield amounts_in(all_lines(display.lines)[:_MOST_LINES_APART], display.words)


def _are_alike(amounts: list[Amount]) -> bool:
    """Are there amounts, and do all mean the same numbers?"""
    return bool(amounts) and all(each.numbers == amounts[0].numbers for each in amounts)


def price_differences(
    display: Displayed, product: Node, lines: list[Line], amounts: list[Amount]
) -> Iterator[Difference]:
    """Differences of price and currency from the only price of today that the page displays."""
    prices = prices_of(product)
    today = [each for each in prices if not each.former]
    # Several prices are of variants or sellers, and a free item is displayed in many ways.
    if not today or any(each.value != today[0].value for each in today) or not today[0].value > 0:
        return
    if any(is_displayed(display, each.node, each.prop, each.number) for each in today):
        return
    price = today[0]
    current = _of_today(amounts)
    if not current:
        return
    near = [each for each in current if each.line <= _end_of_offer(display, lines, current[0])]
    same = [each for each in current if _is(price.value, each)]
    if same:
        yield from _currency_difference(price, same)
        return
    first = min(near, key=lambda each: each.numbers)
    # A price in another currency is another number; several prices are of variants.
    if not _are_one_price(near) or (price.currency and _successor(price.currency) not in first.codes):
        return
    everywhere = amounts_in(all_lines(display.lines), display.words)
    if any(_is(price.value, each) and not _is_former(each, first) for each in everywhere):
        return
    yield Difference(price.node, price.prop, price.number, "price", _stated(price), first.text, first.span)


def current_amounts(display: Displayed, lines: list[Line], amounts: list[Amount]) -> list[Amount]:
    """Price of today that a page displays, the lowest of two first; empty where it is not clear."""
    current = _of_today(amounts)
    if not current:
        return []
    near = [each for each in current if each.line <= _end_of_offer(display, lines, current[0])]
    return sorted(near, key=lambda each: each.numbers) if _are_one_price(near) else []


def state_displayed(display: Displayed, lines: list[Line]) -> tuple[str, str, Span] | None:
    """("in_stock" or "out_of_stock", text, span) that a page displays; None where it is not clear."""
    out, available, buttons = _states(display, lines[1:])
    if out and not available and not buttons:
        text, span = out[0]
        return "out_of_stock", text, span
    if buttons and not out:
        text, span = (available or buttons)[0]
        return "in_stock", text, span
    return None


def _are_one_price(amounts: list[Amount]) -> bool:
    """Are amounts one price, or two next to each other: that of today and, without a word for it, the former one?"""
    return _are_alike(amounts) or (len(amounts) == 2 and abs(amounts[0].line - amounts[1].line) <= 1)


def _successor(code: str) -> str:
    """Code of today for a withdrawn one of the same money: RUB for RUR."""
    found = currencies().withdrawn.get(code)
    return str(found["now"]) if found and found["now"] else code


def _of_today(amounts: list[Amount]) -> list[Amount]:
    current = [each for each in amounts if each.kind == "current"]
    return current or _regular(amounts)


def _regular(amounts: list[Amount]) -> list[Amount]:
    """Regular prices where the page has no other price."""
    regular = [each for each in amounts if each.kind == "regular"]
    return regular if _are_alike(regular) and not any(each.kind in ("struck", "former") for each in amounts) else []


def _end_of_offer(display: Displayed, lines: list[Line], price: Amount) -> int:
    """Number of the last line that belongs to a price: up to the button to buy, or a few lines."""
    for number_, line in enumerate(lines):
        if number_ > price.line and any(begins(display.words, "buy", text.text, 12) for text in line.texts):
            return number_
    return price.line + _FEW_LINES


def _is_former(amount: Amount, price: Amount) -> bool:
    """Is an amount the former price next to a price of today?"""
    return amount.kind in ("struck", "former") and abs(amount.line - price.line) <= _FEW_LINES


def _is(value: Decimal, amount: Amount) -> bool:
    """Does an amount display a value, rounded or not?"""
    return any(abs(value - seen) < _NEAR or (is_whole(seen) and abs(value - seen) < 1) for seen in amount.numbers)


def _stated(price: Price) -> str:
    return f"{spelling(price.value) if len(price.written) > 20 else price.written} {price.currency}".strip()


def _currency_difference(price: Price, amounts: list[Amount]) -> Iterator[Difference]:
    """Difference of the currency where the number is the same."""
    first = amounts[0]
    if price.currency not in currencies().current or any(price.currency in each.codes for each in amounts):
        return
    node = price.node
    if node.get("priceCurrency") is None:
        return
    yield Difference(node, "priceCurrency", 0, "currency", price.currency, first.text, first.span)


def states_of(product: Node) -> list[tuple[Node, int, str]]:
    """(offer, index, name of the availability) of the offers of an item."""
    return states_of_offers(offers_of(product))


def states_of_offers(offers: Iterable[Node]) -> list[tuple[Node, int, str]]:
    """(offer, index, name of the availability) of offers."""
    return [
        (offer, index, text.rpartition("/")[2]) for offer in offers for index, text in texts_of(offer, "availability")
    ]


def availability_differences(display: Displayed, product: Node, lines: list[Line]) -> Iterator[Difference]:
    """Differences of the availability from words of the page, where its buttons do not say otherwise."""
    found = states_of(product)
    states = {state for _, _, state in found}
    if not found or len({state in IN_STOCK for state in states}) != 1:
        return
    node, index, state = found[0]
    if is_displayed(display, node, "availability", index):
        return
    out, available, buttons = _states(display, lines[1:])
    if not (out or available or buttons):
        buttons = _button_apart(display, len(lines))
    if all(each in IN_STOCK for each in states) and out and not available and not buttons:
        text, span = out[0]
    elif all(each in _OUT_OF_STOCK for each in states) and buttons and not out:
        text, span = (available or buttons)[0]
    else:
        return
    yield Difference(node, "availability", index, "availability", state, text, span)


def _button_apart(display: Displayed, near: int) -> list[_Place]:
    """Button that stands apart from the heading, below or above, where the page has no other there."""
    out, _, apart = _states(display, all_lines(display.lines)[near:_MOST_LINES_APART])
    for most in _ABOVE:
        # Links above the heading are of the site.
        if not (out or apart):
            out, _, apart = _states(display, above(display, most), with_links=False)
    return apart if len(apart) == 1 and not out else []


def _states(
    display: Displayed, lines: list[Line], *, with_links: bool = True
) -> tuple[list[_Place], list[_Place], list[_Place]]:
    """Texts that say out of stock, texts that say in stock, and buttons to buy the item."""
    out: list[_Place] = []
    available: list[_Place] = []
    buttons: list[_Place] = []
    for line in lines:
        for text in line.texts:
            if len(text.text) > _LONGEST_STATE or text.flags & STRUCK:
                continue
            place = (text.text, Span(text.start, text.end))
            if begins(display.words, "buy", text.text, 12):
                # Texts of links and of elements that scripts make buttons of.
                is_link = not text.button and (text.tag == "a" or len(line.texts) == 1)
                if text.button == "on" or (with_links and is_link):
                    buttons.append(place)
                continue
            is_weak = text.flags & UNCERTAIN or (not text.button and not _BADGES.isdisjoint(text.hints[:8]))
            if "?" in text.text:
                continue
            if begins(display.words, "out_of_stock", text.text, 14):
                if not is_weak:
                    out.append(place)
            elif not is_weak and begins(display.words, "in_stock", text.text, 24):
                available.append(place)
    return out, available, buttons
