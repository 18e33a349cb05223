"""Facts of the products of a page for the comparison with feeds: identifiers, values, and what the page displays.

A run stores only these facts, with places, so that no page is read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

import msgspec

from waypost.formats.numbers import number, spelling
from waypost.formats.text import clip
from waypost.models.page import Location, Node, Page, Span, Value
from waypost.reader.names import resolve
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.displayed.amounts import Amount
from waypost.validate.displayed.lines import span_of, until_next_heading
from waypost.validate.displayed.offers import (
    current_amounts,
    near_price,
    prices_of_offers,
    state_displayed,
    states_of_offers,
)
from waypost.validate.displayed.page import candidates, displayed, main_items, main_nodes, name_of_item, texts_of
from waypost.validate.displayed.ratings import counts_in, ratings_in
from waypost.validate.feeds.values import amount_text
from waypost.validate.suppressions import suppressed_ranges

_PRODUCT = frozenset({"Product"})
_GROUP = frozenset({"ProductGroup"})
_OTHERS = frozenset({"isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor", "isVariantOf"})
_GTINS = ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "isbn")
_MOST_PRODUCTS, _MOST_OFFERS, _MOST_VALUES = 500, 200, 30
_LONGEST = 300


class Stated(msgspec.Struct, frozen=True, array_like=True):
    """Value in the markup with the place."""

    value: str
    property: str
    pointer: str
    location: Location


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """Value that the page displays, with the place.

    numbers     possible readings
    currencies  codes for the sign
    """

    value: str
    line: int
    column: int
    numbers: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()


class Product(msgspec.Struct, frozen=True, array_like=True):
    """Product, variant, or offer with identifiers of its own.

    ids      gtin, mpn, brand, sku, group -> values
    urls     of the product itself, absolute
    place    of the node; its value is the name
    stated   field -> values of the markup; "price" has texts such as "19.90 EUR", "low" and "high" the bounds
    seen     field -> value that the page displays
    is_main  the page is about this product
    """

    ids: dict[str, tuple[str, ...]]
    urls: tuple[str, ...]
    syntax: str
    block: int
    item: int | None
    place: Stated
    stated: dict[str, tuple[Stated, ...]]
    seen: dict[str, Seen]
    is_main: bool


class PageProducts(msgspec.Struct, frozen=True, array_like=True):
    """Products of a page. `suppressed` as in `PageFacts`."""

    url: str | None
    products: tuple[Product, ...]
    suppressed: tuple[tuple[int, int, tuple[str, ...], str], ...] = ()


_pack = msgspec.msgpack.Encoder().encode
unpack_products = msgspec.msgpack.Decoder(PageProducts).decode


def products_of(page: Page, vocabulary: Vocabulary) -> bytes:
    """Facts of the products of a page, packed; empty without any."""
    nodes = list(_nodes(page, vocabulary))
    if not nodes:
        return b""
    reader = _Reader(page, vocabulary)
    products = tuple(made for node, group in nodes for made in reader.products(node, group))[:_MOST_PRODUCTS]
    suppressed = tuple(suppressed_ranges(page)) if page.has_suppressions else ()
    return _pack(PageProducts(page.url, products, suppressed)) if products else b""


def _nodes(page: Page, vocabulary: Vocabulary) -> Iterator[tuple[Node, Node | None]]:
    """(product, its group) of a page, without what is related to another."""
    number_ = 0
    for node in page.nodes:
        if node.foreign or node.reference or node.same_as is not None or not node.types or node.via in _OTHERS:
            continue
        if not vocabulary.are_a(node.types, _PRODUCT) or number_ >= _MOST_PRODUCTS:
            continue
        if vocabulary.are_a(node.types, _GROUP) and any(node.nodes("hasVariant")):
            continue
        number_ += 1
        group = node.parent if node.via == "hasVariant" else next(node.nodes("isVariantOf"), None)
        group = group or next((other for other, prop in node.referrers if prop == "hasVariant"), None)
        yield node, group


class _Reader:
    """Reader of the products of a page."""

    def __init__(self, page: Page, vocabulary: Vocabulary) -> None:
        self._page = page
        self._items = {node: number_ for number_, node in enumerate(page.roots)}
        self._main, self._seen = _seen_on_page(page, vocabulary)

    def products(self, node: Node, group: Node | None) -> Iterator[Product]:
        """Product of a node, or one for each offer with an identifier of the offer."""
        holders = [node, *([group] if group is not None else [])]
        offers = [*node.nodes("offers")] or [*(group.nodes("offers") if group is not None else ())]
        offers = [each for offer in offers for each in (offer, *offer.nodes("offers"))][:_MOST_OFFERS]
        own = [offer for offer in offers if any(offer.get(name) is not None for name in ("sku", *_GTINS, "url", "mpn"))]
        places = {str(offer.get("sku") or offer.get("url") or "") for offer in own}
        if len(own) > 1 and len(places) == len(own):
            for offer in own:
                yield self._product(node, [offer, *holders], [offer])
        else:
            yield self._product(node, holders if len(offers) != 1 else [*holders, *offers], offers)

    def _product(self, node: Node, holders: list[Node], offers: list[Node]) -> Product:
        ids = {name: values for name, values in self._ids(holders).items() if values}
        is_main = node in self._main or any(holder in self._main for holder in holders)
        item: Node | None = node
        for _ in range(20):
            if item is None or item in self._items:
                break
            item = item.parent or (item.referrers[0][0] if item.referrers else None)
        named = name_of_item(node)
        prices = {price.value for price in prices_of_offers(offers) if not price.former}
        # Of several prices the page displays one, which may be that of another variant.
        is_one = len(holders) == 1 or not any(holder in self._main for holder in holders[1:]) or len(prices) == 1
        seen = self._seen if is_main and is_one else {}
        return Product(
            ids, tuple(self._urls(holders)), node.block.syntax, node.block.index,
            self._items.get(item) if item is not None else None,
            self._stated(node, None, 0, clip(named.text, _LONGEST) if named else ""),
            {name: values for name, values in self._values(node, holders, offers).items() if values},
            seen, is_main,
        )  # fmt: skip

    def _ids(self, holders: list[Node]) -> dict[str, tuple[str, ...]]:
        return {
            "gtin": tuple(dict.fromkeys(text for prop in _GTINS for text in _texts(holders, prop))),
            "mpn": tuple(_texts(holders, "mpn")),
            "brand": tuple(_texts(holders, "brand")),
            "sku": tuple(dict.fromkeys([*_texts(holders, "sku"), *_texts(holders, "productID")])),
            "group": tuple(
                dict.fromkeys([*_texts(holders, "inProductGroupWithID"), *_texts(holders, "productGroupID")])
            ),
        }

    def _urls(self, holders: list[Node]) -> Iterator[str]:
        for holder in holders[:2]:
            for text in _texts([holder], "url"):
                url = resolve(text, self._page.base)
                if url.startswith(("http://", "https://")):
                    yield url[:2_000]

    def _values(self, node: Node, holders: list[Node], offers: list[Node]) -> dict[str, tuple[Stated, ...]]:
        found: dict[str, list[Stated]] = {}
        for price in prices_of_offers(offers)[:_MOST_VALUES]:
            name = {"lowPrice": "low", "highPrice": "high"}.get(price.prop, "former" if price.former else "price")
            text = amount_text(price.value, price.currency)
            found.setdefault(name, []).append(self._stated(price.node, price.prop, price.number, text))
        for offer, index, state in states_of_offers(offers)[:_MOST_VALUES]:
            found.setdefault("availability", []).append(self._stated(offer, "availability", index, state))
        for holder in (*offers, node):
            for index, text in texts_of(holder, "itemCondition"):
                stated = self._stated(holder, "itemCondition", index, text.rpartition("/")[2])
                found.setdefault("condition", []).append(stated)
        for holder in holders[::-1]:
            for index, text in texts_of(holder, "name"):
                if text and holder not in offers:
                    found.setdefault("name", []).append(self._stated(holder, "name", index, clip(text, _LONGEST)))
            for index, value in enumerate(holder.props.get("image", ())[:_MOST_VALUES]):
                if address := _address(value):
                    url = resolve(address, self._page.base)[:2_000]
                    found.setdefault("image", []).append(self._stated(holder, "image", index, url))
            for rating in holder.nodes("aggregateRating"):
                self._add_rating(rating, found)
        return {name: tuple(values[:_MOST_VALUES]) for name, values in found.items()}

    def _add_rating(self, rating: Node, found: dict[str, list[Stated]]) -> None:
        best = number(str(rating.get("bestRating") or 5)) or Decimal(5)
        for index, text in texts_of(rating, "ratingValue"):
            value = number(text.replace(",", "."))
            if value is not None and best > 0:
                found.setdefault("rating", []).append(
                    self._stated(rating, "ratingValue", index, spelling(round(value * 5 / best, 3)))
                )
        for prop in ("reviewCount", "ratingCount"):
            for index, text in texts_of(rating, prop):
                if number(text) is not None:
                    found.setdefault("rating_count", []).append(self._stated(rating, prop, index, text))

    def _stated(self, node: Node, prop: str | None, index: int, value: str) -> Stated:
        home, source_prop, source_index = self._page.source_of(node, prop, index)
        known = source_prop if source_prop in home.props else None
        location = self._page.locate(self._page.span_of(node, prop, index))
        return Stated(value, prop or "", home.block.pointer(home, known, source_index), location)


def _seen_on_page(page: Page, vocabulary: Vocabulary) -> tuple[frozenset[Node], dict[str, Seen]]:
    """(products that the page is about, field -> value displayed near the main heading)"""
    if not page.is_html or page.computed is not None:
        return frozenset(), {}
    found = candidates(main_nodes(page), vocabulary, _PRODUCT | _GROUP)
    names = [named.text for node in found if (named := name_of_item(node))]
    display = displayed(page, vocabulary, names) if found else None
    if display is None:
        return frozenset(found if len(found) == 1 else ()), {}
    main = main_items(display, found)
    lines, amounts = near_price(display)
    seen: dict[str, Seen] = {}

    def add(name: str, text: str, span: Span, numbers: Iterable[Decimal] = (), codes: Iterable[str] = ()) -> None:
        line, column = page.locate.line_and_column(span.start)
        seen[name] = Seen(
            clip(text, _LONGEST), line, column, tuple(spelling(each) for each in numbers), tuple(sorted(codes))
        )

    first = lines[0] if lines else None
    if first is not None:
        add("name", display.heading, span_of(first, 0, len(first.joined)))
    current: list[Amount] = current_amounts(display, lines, amounts)
    if current:
        amount = current[0]
        add("price", amount.text, amount.span, amount.numbers, amount.codes if len(amount.codes) < 40 else ())
    if (state := state_displayed(display, lines)) is not None:
        name, text, span = state
        add(f"availability:{name}", text, span)
    near = list(until_next_heading(lines, 80))
    ratings, counts = list(ratings_in(near, display.words)), list(counts_in(near, display.words))
    if len({(each.value, each.scale) for each in ratings}) == 1:
        rating = ratings[0]
        add("rating", rating.text, rating.span, [rating.value * 5 / rating.scale if rating.scale else rating.value])
    if len({each.value for each in counts}) == 1 and not counts[0].rounded:
        add("rating_count", counts[0].text, counts[0].span, [counts[0].value])
    return frozenset(main), seen if main else {}


def _texts(holders: Iterable[Node], prop: str) -> Iterator[str]:
    """Texts of a property of the first node with the property; of a node the name."""
    for holder in holders:
        found = [text for value in holder.props.get(prop, ())[:_MOST_VALUES] if (text := _text(value))]
        if found:
            yield from found
            return


def _text(value: Value) -> str:
    if isinstance(value, Node):
        value = value.get("name") or value.get("value")
    return (
        str(value).strip()[:_LONGEST] if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else ""
    )


def _address(value: Value) -> str:
    if isinstance(value, Node):
        value = value.get("url") or value.get("contentUrl") or value.id
    return value.strip() if isinstance(value, str) else ""
