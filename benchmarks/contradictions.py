"""Markup against the page: 200 made product pages, true ones and ones with a seeded contradiction.

    python benchmarks/contradictions.py              what is found of what is seeded, and what is reported falsely
    python benchmarks/contradictions.py --write DIR  also write the pages
    python benchmarks/contradictions.py --pages DIR  reports on pages of your own, to be read by eye

Templates after those of common shop systems, in 20 locales, with what stands near a price in shops: struck prices,
savings, delivery, instalments, prices per unit, options, other products, single reviews, texts that styles hide. Each
page is made from facts of the item; a contradiction changes one of them in the markup alone. Exit status 1 where less
than 80 % of the contradictions is found, or less than 98 % of what is reported is true.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from waypost.registry import load
from waypost.validate import validate_page

PAGES = 200
RULES = ("markup-contradicts-page", "visible-value-differs")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
STATES = {"InStock": "stock", "OutOfStock": "out"}


class Locale(NamedTuple):
    """Language, currency, how a price is written, and words of a shop."""

    tag: str
    currency: str
    price: str
    group: str
    point: str
    cents: int
    words: dict[str, str]


def _words(text: str) -> dict[str, str]:
    keys = ("buy", "stock", "out", "was", "save", "ship", "related", "reviews", "out_of", "desc", "vat")
    return dict(zip(keys, text.split(" | "), strict=True))


LOCALES = (
    Locale("en-US", "USD", "${}", ",", ".", 2, _words(
        "Add to cart | In stock | Sold out | Was | You save | Free shipping over | You may also like | reviews | out of 5"
        " | Description | plus tax")),
    Locale("en-GB", "GBP", "£{}", ",", ".", 2, _words(
        "Add to basket | In stock | Out of stock | RRP | Save | Delivery | Related products | customer reviews | out of 5"
        " | Details | inc. VAT")),
    Locale("en-CA", "CAD", "${}", ",", ".", 2, _words(
        "Add to cart | Available | Sold out | Regular price | Save | Shipping from | Customers also bought | reviews"
        " | out of 5 | Description | each")),
    Locale("de-DE", "EUR", "{} €", ".", ",", 2, _words(
        "In den Warenkorb | Auf Lager | Ausverkauft | statt | Sie sparen | zzgl. Versand | Ähnliche Produkte | Bewertungen"
        " | von 5 | Beschreibung | inkl. MwSt.")),
    Locale("de-CH", "CHF", "CHF {}", "'", ".", 2, _words(
        "In den Warenkorb | Sofort lieferbar | Nicht lieferbar | UVP | Sie sparen | Versand | Das könnte dir gefallen"
        " | Bewertungen | von 5 | Beschreibung | inkl. MwSt.")),
    Locale("fr-FR", "EUR", "{} €", "\u202f", ",", 2, _words(
        "Ajouter au panier | En stock | Rupture de stock | au lieu de | Vous économisez | Livraison | Produits similaires"
        " | avis | sur 5 | Description | TTC")),
    Locale("es-ES", "EUR", "{} €", ".", ",", 2, _words(
        "Añadir al carrito | En stock | Agotado | Antes | Ahorras | Envío | Productos relacionados | opiniones | de 5"
        " | Descripción | IVA incl.")),
    Locale("it-IT", "EUR", "€ {}", ".", ",", 2, _words(
        "Aggiungi al carrello | Disponibile | Esaurito | Prezzo di listino | Risparmi | Spedizione | Prodotti correlati"
        " | recensioni | su 5 | Descrizione | IVA incl.")),
    Locale("pt-BR", "BRL", "R$ {}", ".", ",", 2, _words(
        "Adicionar ao carrinho | Em estoque | Esgotado | De | Economize | Frete | Produtos relacionados | avaliações | de 5"
        " | Descrição | cada")),
    Locale("nl-NL", "EUR", "€ {}", ".", ",", 2, _words(
        "In winkelwagen | Op voorraad | Uitverkocht | Adviesprijs | Je bespaart | Verzendkosten | Gerelateerde producten"
        " | beoordelingen | van 5 | Omschrijving | incl. btw")),
    Locale("sv-SE", "SEK", "{} kr", " ", ",", 0, _words(
        "Lägg i varukorgen | I lager | Slut i lager | Ord. pris | Du sparar | Frakt | Liknande produkter | recensioner"
        " | av 5 | Beskrivning | inkl. moms")),
    Locale("da-DK", "DKK", "{} kr.", ".", ",", 2, _words(
        "Læg i kurv | På lager | Udsolgt | Før | Du sparer | Fragt | Lignende produkter | anmeldelser | ud af 5"
        " | Beskrivelse | inkl. moms")),
    Locale("pl-PL", "PLN", "{} zł", "\u00a0", ",", 2, _words(
        "Dodaj do koszyka | Dostępny | Produkt niedostępny | Cena regularna | Oszczędzasz | Dostawa | Podobne produkty"
        " | opinii | z 5 | Opis | z VAT")),
    Locale("cs-CZ", "CZK", "{} Kč", "\u00a0", ",", 0, _words(
        "Do košíku | Skladem | Vyprodáno | Původní cena | Ušetříte | Doprava | Podobné produkty | recenzí | z 5 | Popis"
        " | s DPH")),
    Locale("tr-TR", "TRY", "{} TL", ".", ",", 2, _words(
        "Sepete Ekle | Stokta var | Tükendi | Eski fiyat | Kazancınız | Kargo | Benzer ürünler | yorum | / 5 | Açıklama"
        " | KDV dahil")),
    Locale("ja-JP", "JPY", "¥{}", ",", ".", 0, _words(
        "カートに入れる | 在庫あり | 在庫切れ | 通常価格 | 割引 | 送料 | 関連商品 | 件のレビュー | / 5 | 商品説明 | 税込")),
    Locale("ko-KR", "KRW", "{}원", ",", ".", 0, _words(
        "장바구니 담기 | 재고 있음 | 품절 | 정가 | 할인 | 배송비 | 관련 상품 | 개 리뷰 | / 5 | 상품 설명 | (VAT)")),
    Locale("ru-RU", "RUB", "{} ₽", "\u00a0", ",", 0, _words(
        "В корзину | В наличии | Нет в наличии | Старая цена | Вы экономите | Доставка | Похожие товары | отзывов | из 5"
        " | Описание | с НДС")),
    Locale("hu-HU", "HUF", "{} Ft", " ", ",", 0, _words(
        "Kosárba | Raktáron | Elfogyott | Eredeti ár | Megtakarítás | Szállítás | Hasonló termékek | értékelés | / 5"
        " | Leírás | bruttó")),
    Locale("en-IN", "INR", "₹{}", ",", ".", 0, _words(
        "Add to cart | In stock | Currently unavailable | MRP was | You save | Delivery | Similar products | ratings"
        " | out of 5 | Details | each")),
)  # fmt: skip

ITEMS = ("Plum press", "Copper kettle", "Linen apron", "Walnut board", "Enamel jug", "Oak stool", "Wool throw",
         "Glass carafe", "Garden lantern", "Cherry pitter", "Steel whisk", "Clay teapot", "Felt slippers")  # fmt: skip
MAKES = ("Loma", "Fjordal", "Karsten", "Miravel", "Tolle", "Brightwater")


class Facts(NamedTuple):
    """What a page says about its item. `was`: None without a sale."""

    name: str
    price: Decimal
    was: Decimal | None
    currency: str
    state: str
    rating: Decimal | None
    count: int


class Made(NamedTuple):
    """A page, and what was changed in its markup: "" for nothing."""

    name: str
    html: str
    seeded: str


class Page:
    """Parts of a page in a locale."""

    def __init__(self, facts: Facts, locale: Locale, chance: random.Random) -> None:
        self.facts, self.locale, self.chance = facts, locale, chance
        self.words = locale.words

    def money(self, value: Decimal) -> str:
        whole, _, cents = f"{value:.2f}".partition(".")
        digits = self._grouped(whole)
        if self.locale.cents:
            digits += f"{self.locale.point}{cents}"
        return escape(self.locale.price.format(digits))

    def _grouped(self, whole: str) -> str:
        if self.locale.tag == "en-IN" and len(whole) > 3:
            head, tail = whole[:-3], whole[-3:]
            pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
            return ",".join((*pairs, tail))
        return f"{int(whole):,}".replace(",", self.locale.group)

    def other(self) -> Decimal:
        value = Decimal(self.chance.randint(300, 90_000)) / 100
        return value if self.locale.cents else Decimal(int(value) * 100 + 90)

    def number(self, value: Decimal) -> str:
        return str(value).replace(".", self.locale.point) if self.locale.point == "," else str(value)

    def related(self, tag: str = "h2", classes: str = "related products") -> str:
        cards = "".join(
            f'<li class="card"><a href="/p/{n}"><h3>{escape(self.chance.choice(MAKES))} {self.chance.choice(ITEMS)}</h3>'
            f'<span class="price">{self.money(self.other())}</span></a></li>'
            for n in range(4)
        )
        return f'<section class="{classes}"><{tag}>{self.words["related"]}</{tag}><ul>{cards}</ul></section>'

    def reviews(self) -> str:
        if self.facts.rating is None:
            return ""
        each = "".join(
            f'<li><span class="stars">{self.chance.randint(1, 5)} {self.words["out_of"]}</span><p>Lorem ipsum.</p></li>'
            for _ in range(3)
        )
        return f'<h2>{self.words["reviews"].capitalize()}</h2><ul class="review-list">{each}</ul>'

    def stars(self, classes: str = "rating") -> str:
        if self.facts.rating is None:
            return ""
        shapes = (
            f"{self.number(self.facts.rating)} {self.words['out_of']} ({self.facts.count} {self.words['reviews']})",
            f"★★★★☆ {self.number(self.facts.rating)} <a href='#r'>{self.facts.count} {self.words['reviews']}</a>",
            f"<b>{self.number(self.facts.rating)}</b> <span>({self.facts.count})</span>",
        )
        return f'<div class="{classes}">{self.chance.choice(shapes)}</div>'

    def state(self) -> str:
        return self.words[STATES[self.facts.state]]

    def button(self) -> str:
        if self.facts.state == "InStock":
            return f'<button type="submit" class="btn">{self.words["buy"]}</button>'
        shapes = (
            f'<button type="submit" class="btn" disabled>{self.words["out"]}</button>',
            f'<button type="submit" class="btn" disabled>{self.words["buy"]}</button>',
            "",
        )
        return self.chance.choice(shapes)

    def head(self, extra: str = "") -> str:
        return (
            f'<!doctype html>\n<html lang="{self.locale.tag}">\n<head><meta charset="utf-8">\n'
            f"<title>{escape(self.facts.name)} | Example shop</title>\n"
            f'<link rel="canonical" href="https://shop.example.com/{self.chance.randint(1, 9999)}">\n{extra}</head>\n<body>\n'
            f'<header><nav><a href="/">Example shop</a> <a href="/sale">Sale</a></nav><div class="minicart">0 '
            f"<span>{self.money(Decimal(0))}</span></div></header>\n<main>\n"
        )

    def foot(self) -> str:
        return f"</main>\n<footer><p>{self.words['ship']} {self.money(self.other())}</p></footer>\n</body></html>\n"


def json_ld(facts: Facts, chance: random.Random) -> str:
    offer: dict[str, Any] = {
        "@type": "Offer", "price": str(facts.price), "priceCurrency": facts.currency,
        "availability": f"https://schema.org/{facts.state}",
    }  # fmt: skip
    if chance.random() < 0.3:
        offer["price"] = float(facts.price) if facts.price % 1 else int(facts.price)
    if facts.was and chance.random() < 0.5:
        offer["priceSpecification"] = {
            "@type": "UnitPriceSpecification", "priceType": "https://schema.org/StrikethroughPrice",
            "price": str(facts.was), "priceCurrency": facts.currency,
        }  # fmt: skip
    item: dict[str, Any] = {
        "@context": "https://schema.org", "@type": "Product", "name": facts.name,
        "image": "https://shop.example.com/a.jpg", "offers": [offer] if chance.random() < 0.3 else offer,
    }  # fmt: skip
    if facts.rating is not None:
        prop = chance.choice(["reviewCount", "ratingCount"])
        item["aggregateRating"] = {"@type": "AggregateRating", "ratingValue": str(facts.rating), prop: facts.count}
    data: Any = item
    if chance.random() < 0.3:
        data = {"@context": "https://schema.org", "@graph": [{"@type": "WebPage", "name": facts.name}, item]}
    text = json.dumps(data, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 1]))
    return f'<script type="application/ld+json">{text}</script>\n'


def plugin_shop(page: Page, stated: Facts) -> str:
    """Like the plugin for WordPress: prices in `del` and `ins`, repeated for screen readers."""
    f, w = page.facts, page.words
    amount = f'<span class="amount"><bdi>{page.money(f.price)}</bdi></span>'
    if f.was:
        amount = (
            f'<del aria-hidden="true"><span class="amount"><bdi>{page.money(f.was)}</bdi></span></del> '
            f'<span class="screen-reader-text">{w["was"]}: {page.money(f.was)}.</span> <ins aria-hidden="true">{amount}</ins>'
            f'<span class="screen-reader-text">{page.money(f.price)}</span>'
        )
    stock = "in-stock" if f.state == "InStock" else "out-of-stock"
    return (
        page.head(json_ld(stated, page.chance))
        + f'<div class="product type-product"><div class="summary entry-summary">'
        f'<h1 class="product_title">{escape(f.name)}</h1>{page.stars("woocommerce-product-rating")}'
        f'<p class="price">{amount} <small class="woocommerce-price-suffix">{w["vat"]}</small></p>'
        f"<div><p>Lorem ipsum dolor sit amet.</p></div>"
        f'<p class="stock {stock}">{page.state()}</p><form class="cart">{page.button()}</form></div>'
        f"<h2>{w['desc']}</h2><p>Lorem ipsum {page.money(page.other())} dolor.</p>{page.reviews()}{page.related()}</div>"
        + page.foot()
    )


def theme_shop(page: Page, stated: Facts) -> str:
    """Like the default theme of a hosted shop: both prices and the badge are always there, styles choose."""
    f, w = page.facts, page.words
    was = f'<s class="price-item price-item--regular">{page.money(f.was)}</s>' if f.was else "<s></s>"
    is_hidden = f.state == "InStock"
    button = (
        f'<button name="add" type="submit"><span>{w["buy"]}</span></button>'
        if is_hidden
        else f'<button name="add" type="submit" disabled><span>{w["out"]}</span></button>'
    )
    return (
        page.head(json_ld(stated, page.chance))
        + f'<product-info><div class="product__title"><h1>{escape(f.name)}</h1></div>'
        f'<div class="price price--large"><div class="price__container"><div class="price__regular">'
        f'<span class="visually-hidden">Regular price</span><span class="price-item price-item--regular">'
        f'{page.money(f.price)}</span></div><div class="price__sale"><span class="visually-hidden">Regular price</span>'
        f'<span>{was}</span><span class="visually-hidden">Sale price</span><span class="price-item price-item--sale">'
        f"{page.money(f.price)}</span></div></div>"
        f'<span class="badge price__badge-sold-out">{w["out"]}</span></div>'
        f'<div class="product__tax">{w["ship"]} {page.money(page.other())}</div>{page.stars("jdgm-preview-badge rating")}'
        f'<product-form><form>{button}</form></product-form><div class="product__description">Lorem ipsum.</div>'
        f"</product-info>{page.related('h2', 'complementary-products')}" + page.foot()
    )


def large_shop(page: Page, stated: Facts) -> str:
    """Much around the price: savings, instalments, price per unit, delivery, options."""
    f, w = page.facts, page.words
    was = (
        f'<span class="list">{w["was"]}: <span class="strike" style="text-decoration:line-through">{page.money(f.was)}</span></span>'
        if f.was
        else ""
    )
    save = f'<div class="savings">{w["save"]} {page.money(f.was - f.price)} (12%)</div>' if f.was else ""
    options = "".join(f"<option>{n} / {page.money(page.other())}</option>" for n in ("S", "M", "L"))
    return (
        page.head() + f'<ul class="breadcrumb"><li>Home</li><li>Kitchen</li></ul><div id="center">'
        f'<h1 id="title"><span>{escape(f.name)}</span></h1><a href="/brand">{MAKES[0]}</a>{page.stars("averageStarRating rating")}'
        f'<div id="price"><span class="priceToPay">{page.money(f.price)}</span> {was}{save}'
        f'<div class="installments">4 x {page.money(f.price / 4)}</div>'
        f'<span class="unit-price">({page.money(page.other())} / kg)</span></div>'
        f'<div class="delivery">{w["ship"]}: {page.money(page.other())}</div><select>{options}</select>'
        f'<div id="availability"><span>{page.state()}</span></div>{page.button()}<ul><li>Lorem</li></ul></div>'
        f"<h2>{w['desc']}</h2><p>Lorem.</p>{page.related('h2', 'carousel')}{page.reviews()}"
        + json_ld(stated, page.chance) + page.foot()
    )  # fmt: skip


def utility_shop(page: Page, stated: Facts) -> str:
    """Utility classes, no names that say what a price is."""
    f, w = page.facts, page.words
    was = f'<span class="ml-2 text-gray-500 line-through">{page.money(f.was)}</span>' if f.was else ""
    return (
        page.head(json_ld(stated, page.chance))
        + f'<div class="grid grid-cols-2"><img src="a.jpg" alt=""><div class="flex flex-col">'
        f'<h1 class="text-3xl font-bold">{escape(f.name)}</h1><div class="mt-3"><span class="text-2xl">{page.money(f.price)}'
        f'</span>{was}</div>{page.stars("flex items-center stars")}<p class="mt-4 text-sm">{page.state()}</p>'
        f'<div class="mt-6">{page.button()}</div><p class="text-xs">{w["ship"]} {page.money(page.other())}</p></div></div>'
        f'<div class="mt-20"><h2 class="text-xl">{w["related"]}</h2><div class="grid">'
        f"<div><p>{MAKES[1]} {ITEMS[2]}</p><p>{page.money(page.other())}</p></div>"
        f"<div><p>{MAKES[2]} {ITEMS[3]}</p><p>{page.money(page.other())}</p></div></div></div>" + page.foot()
    )


def microdata_shop(page: Page, stated: Facts) -> str:
    """Microdata: values in attributes, texts for people beside them."""
    f, w = page.facts, page.words
    was = f"<s>{page.money(f.was)}</s> " if f.was else ""
    rating = ""
    if stated.rating is not None:
        rating = (
            '<div itemprop="aggregateRating" itemscope itemtype="https://schema.org/AggregateRating">'
            f'<meta itemprop="ratingValue" content="{stated.rating}"><meta itemprop="reviewCount" content="{stated.count}">'
            f"{page.stars()}</div>"
        )
    price = f'<meta itemprop="price" content="{stated.price}">{page.money(f.price)}'
    if page.chance.random() < 0.5:
        price = f'<span itemprop="price" content="{stated.price}">{page.money(f.price)}</span>'
    return (
        page.head() + '<article itemscope itemtype="https://schema.org/Product">'
        f'<h1 itemprop="name">{escape(f.name)}</h1><img itemprop="image" src="/a.jpg" alt="">{rating}'
        '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
        f'<link itemprop="availability" href="https://schema.org/{stated.state}">'
        f'<meta itemprop="priceCurrency" content="{stated.currency}"><p class="product-price">{was}{price}</p>'
        f"<p>{page.state()}</p>{page.button()}</div><h2>{w['desc']}</h2><p>Lorem.</p></article>{page.related()}"
        + page.foot()
    )


def rdfa_shop(page: Page, stated: Facts) -> str:
    """RDFa Lite, and a table of data."""
    f, w = page.facts, page.words
    rating = ""
    if stated.rating is not None:
        rating = (
            '<div property="aggregateRating" typeof="AggregateRating">'
            f'<meta property="ratingValue" content="{stated.rating}"><meta property="reviewCount" content="{stated.count}">'
            f"{page.stars()}</div>"
        )
    was = f"<tr><th>{w['was']}</th><td>{page.money(f.was)}</td></tr>" if f.was else ""
    return (
        page.head() + '<div vocab="https://schema.org/" typeof="Product">'
        f'<h1 property="name">{escape(f.name)}</h1><img property="image" src="https://shop.example.com/a.jpg" alt="">{rating}'
        f'<div property="offers" typeof="Offer"><meta property="price" content="{stated.price}">'
        f'<meta property="priceCurrency" content="{stated.currency}">'
        f'<link property="availability" href="https://schema.org/{stated.state}">'
        f"<table>{was}<tr><th>{f.name.split()[0]}</th><td><strong>{page.money(f.price)}</strong></td></tr>"
        f"<tr><th>{w['ship']}</th><td>{page.money(page.other())}</td></tr></table><p>{page.state()}</p>{page.button()}</div></div>"
        f"<h2>{w['desc']}</h2><p>Lorem.</p>{page.related('h3', 'you-may-also-like')}" + page.foot()
    )


def bold_shop(page: Page, stated: Facts) -> str:
    """Cents in smaller type where there are any, a bar that repeats the price, two headings of the first level."""
    f = page.facts
    amount = page.money(f.price)
    whole, point, cents = amount.partition(page.locale.point)
    if page.locale.cents and point and cents[:2].isdigit():
        amount = f"{whole}{point}<sup>{cents[:2]}</sup>{cents[2:]}"
    was = f'<div class="former-price">{page.words["was"]} {page.money(f.was)}</div>' if f.was else ""
    return (
        page.head(json_ld(stated, page.chance))
        + f'<h1 class="logo">Example shop</h1><section class="pdp"><h1>{escape(f.name)}</h1>'
        f'<p class="sku">SKU 12-4471</p>{was}<div class="pdp-price">{amount}</div>{page.stars("pdp-rating stars")}'
        f"<div class='pdp-stock'><i></i> {page.state()}</div>{page.button()}"
        f'<div class="sticky-bar"><b>{page.money(f.price)}</b></div></section>'
        f"<h2>{page.words['desc']}</h2><p>Lorem {page.money(page.other())}</p><aside>{page.related('h4', 'x')}</aside>"
        + page.foot()
    )


TEMPLATES: tuple[Callable[[Page, Facts], str], ...] = (
    plugin_shop, theme_shop, large_shop, utility_shop, microdata_shop, rdfa_shop, bold_shop,
)  # fmt: skip
KINDS = ("", "price", "currency", "availability", "rating", "count", "sale")


def changed(facts: Facts, kind: str, chance: random.Random) -> Facts:
    """Facts as the markup states them, with a contradiction of a kind."""
    if kind == "price":
        return facts._replace(price=facts.price + Decimal(chance.choice([3, 5, 10, 40, 100])))
    if kind == "sale":
        return facts._replace(price=facts.was or facts.price, was=None)
    if kind == "currency":
        return facts._replace(currency="NOK" if facts.currency not in ("SEK", "DKK") else "EUR")
    if kind == "availability":
        return facts._replace(state="OutOfStock" if facts.state == "InStock" else "InStock")
    if kind == "rating":
        return facts._replace(rating=(facts.rating or 0) + Decimal("1.6"))
    if kind == "count":
        return facts._replace(count=facts.count * 3 + 7)
    return facts


def made_pages(number: int = PAGES, seed: int = 2026) -> list[Made]:
    chance = random.Random(seed)
    pages: list[Made] = []
    for n in range(number):
        locale, template, kind = LOCALES[n % len(LOCALES)], TEMPLATES[n % len(TEMPLATES)], KINDS[(n // 3) % len(KINDS)]
        price = Decimal(chance.randint(400, 180_000)) / 100
        if not locale.cents:
            price = Decimal(int(price) * 10 + 9)
        was = (price * Decimal("1.25")).quantize(Decimal("0.01") if locale.cents else Decimal(1))
        facts = Facts(
            f"{chance.choice(MAKES)} {chance.choice(ITEMS)} {chance.randint(2, 9)}",
            price, was if kind == "sale" or chance.random() < 0.4 else None, locale.currency,
            "InStock" if chance.random() < 0.6 else "OutOfStock",
            Decimal(chance.randint(21, 33)) / 10 if kind in ("rating", "count") or chance.random() < 0.6 else None,
            chance.randint(3, 900),
        )  # fmt: skip
        text = template(Page(facts, locale, chance), changed(facts, kind, chance))
        pages.append(Made(f"{n:03}-{template.__name__}-{locale.tag}-{kind or 'true'}.html", text, kind))
    return pages


OF_KIND = {
    "price": {"price"}, "sale": {"price"}, "currency": {"priceCurrency"}, "availability": {"availability"},
    "rating": {"ratingValue"}, "count": {"reviewCount", "ratingCount"}, "": set(),
}  # fmt: skip


def measured(pages: list[Made]) -> int:
    registry = load()
    seeded, found, false = Counter[str](), Counter[str](), 0
    reported = 0
    for page in pages:
        report = validate_page(page.html.encode(), registry, path=page.name, url=None, now=NOW)
        findings = [each for each in report.findings if each.rule in RULES]
        true = [each for each in findings if each.property in OF_KIND[page.seeded]]
        reported += len(findings)
        for each in findings:
            if each not in true:
                false += 1
                print(f"false: {page.name}:{each.line}: {each.message}")
        if page.seeded:
            seeded[page.seeded] += 1
            found[page.seeded] += bool(true)
            if not true:
                print(f"missed: {page.name}")
    for kind in seeded:
        print(f"{kind:>14}: {found[kind]:>3} of {seeded[kind]} found")
    recall, precision = found.total() / seeded.total(), (reported - false) / max(reported, 1)
    print(f"{len(pages)} pages: {recall:.1%} of the contradictions found, {precision:.1%} of {reported} reports true")
    return 0 if recall >= 0.8 and precision >= 0.98 else 1


def print_reports(folder: Path) -> None:
    """Print each report on the pages of a folder, to be read by eye."""
    registry = load()
    for path in sorted(folder.rglob("*.htm*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for each in validate_page(data, registry, path=path.name, now=NOW).findings:
            if each.rule in RULES:
                places = ", ".join(f"{related.line}:{related.column}" for related in each.related)
                print(f"{path.name}:{each.line}:{each.column} ({places}) {each.message}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="DIR")
    parser.add_argument("--pages", type=Path, metavar="DIR")
    parser.add_argument("--number", type=int, default=PAGES)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    if args.pages:
        print_reports(args.pages)
        return 0
    pages = made_pages(args.number, args.seed)
    if args.write:
        args.write.mkdir(parents=True, exist_ok=True)
        for page in pages:
            (args.write / page.name).write_text(page.html, "utf-8")
    return measured(pages)


if __name__ == "__main__":
    sys.exit(main())
