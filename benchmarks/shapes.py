"""Cost of one clean Product, of one finding and of a page without structured data, in a warm process.

    python benchmarks/shapes.py [--pages FOLDER] [--rounds 30] [--of product|finding|page]

The cost of an item is what a page takes longer with 100 items more, each with values of its own, and the cost of a
finding what it takes longer with an error in each of 200 items. The page without data is made, 300 kB of markup as a
shop writes it; with `--pages` it is each of the folder's pages without items. Printed is the best of the rounds, in
processor time; `--profile` prints the functions. The aims: 60 and 25 microseconds, 0.3 ms.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import pstats
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waypost.models.finding import FileReport
from waypost.registry import load
from waypost.validate import validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
FEW, MANY = 100, 200
SIZE = 300_000  # bytes of the page without data


def product(number: int) -> dict[str, Any]:
    """Product without an error or a warning."""
    address = f"https://shop.example.com/products/{number}"
    return {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": f"Enamel kettle number {number}",
        "image": f"{address}/front.jpg",
        "description": f"Kettle of steel, {number % 7 + 1} litres, with a lid and a handle of beech.",
        "sku": f"EK-{number:05}",
        "mpn": f"K{number}",
        "gtin13": gtin(number),
        "category": "Kettles",
        "brand": {"@type": "Brand", "name": "Loma"},
        "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.6", "reviewCount": str(number + 3)},
        "review": {
            "@type": "Review",
            "author": {"@type": "Person", "name": "Ana Ruiz"},
            "reviewRating": {"@type": "Rating", "ratingValue": "5"},
            "reviewBody": f"Boils fast, kettle {number} of our kitchen.",
            "datePublished": "2026-03-04",
        },
        "offers": {
            "@type": "Offer",
            "price": f"{number + 20}.95",
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
            "itemCondition": "https://schema.org/NewCondition",
            "url": address,
            "priceValidUntil": "2027-12-31",
            "hasMerchantReturnPolicy": {
                "@type": "MerchantReturnPolicy",
                "applicableCountry": "ES",
                "returnPolicyCategory": "https://schema.org/MerchantReturnFiniteReturnWindow",
                "merchantReturnDays": 30,
                "returnMethod": "https://schema.org/ReturnByMail",
                "returnFees": "https://schema.org/FreeReturn",
            },
            "shippingDetails": {
                "@type": "OfferShippingDetails",
                "shippingRate": {"@type": "MonetaryAmount", "value": "4.90", "currency": "EUR"},
                "shippingDestination": {"@type": "DefinedRegion", "addressCountry": "ES"},
                "deliveryTime": {
                    "@type": "ShippingDeliveryTime",
                    "handlingTime": {
                        "@type": "QuantitativeValue", "minValue": 0, "maxValue": 1, "unitCode": "DAY",
                    },
                    "transitTime": {
                        "@type": "QuantitativeValue", "minValue": 1, "maxValue": 3, "unitCode": "DAY",
                    },
                },
            },
        },
    }  # fmt: skip


def gtin(number: int) -> str:
    """GTIN of 13 digits with its check digit."""
    digits = f"842{number:09}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"


def with_error(number: int) -> dict[str, Any]:
    """The same product, with a day that does not exist."""
    made = product(number)
    made["review"]["datePublished"] = f"2026-02-{number % 9 + 30}"
    return made


def page(items: list[dict[str, Any]]) -> bytes:
    """Page with each item in a script of its own, as the templates of shops write them."""
    scripts = "\n".join(f'<script type="application/ld+json">{json.dumps(item)}</script>' for item in items)
    return f"<!doctype html><html lang=en><head><title>Kettles</title>{scripts}</head><body></body></html>".encode()


def without_data() -> bytes:
    """Page without structured data: navigation, texts, styles and scripts."""
    part = (
        '<div class="card card--wide"><a href="/c/{0}?ref=home#top" class="link">'
        '<img src="/img/{0}.jpg" alt="Card {0}" loading="lazy" width="320" height="240"></a>'
        "<p>Text number {0}, a few words long, with <b>an emphasis</b> and a link.</p></div>\n"
        "<script>window.dataLayer.push({{'event':'view','id':{0}}});if(a<b&&c>d){{e()}}</script>\n"
    )
    parts = [part.format(number) for number in range(SIZE // len(part))]
    return (
        f"<!doctype html><html lang=en><head><title>Cards</title></head><body>{''.join(parts)}</body></html>".encode()
    )


def best(work: Callable[[], Any], rounds: int) -> float:
    """Least processor time of a call, in microseconds."""
    times = []
    for _ in range(rounds):
        began = time.thread_time()
        work()
        times.append(time.thread_time() - began)
    return min(times) * 1e6


def check(data: bytes) -> FileReport:
    return validate_page(data, REGISTRY, now=NOW)


def costs(pages: list[bytes], rounds: int) -> dict[str, tuple[str, float]]:
    """What is measured -> (words, cost in microseconds)."""
    few, many = (page([product(number) for number in range(amount)]) for amount in (FEW, MANY))
    wrong = page([with_error(number) for number in range(MANY)])
    clean, reported = check(many).findings, check(wrong).findings
    assert not any(each.severity == "error" for each in clean)
    number = len(reported) - len(clean)
    assert number >= MANY
    of_few, of_many, of_wrong = (best(lambda data=data: check(data), rounds) for data in (few, many, wrong))  # type: ignore[misc]
    of_pages = sum(best(lambda data=data: check(data), rounds) for data in pages) / len(pages)  # type: ignore[misc]
    return {
        "product": ("clean Product with its profiles", (of_many - of_few) / (MANY - FEW)),
        "finding": (f"finding, of {number:,}", (of_wrong - of_many) / number),
        "page": (f"page without data, of {len(pages):,}", of_pages),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--profile", choices=("product", "finding", "page"))
    args = parser.parse_args()
    pages = [without_data()]
    if args.pages:
        found = [path.read_bytes() for path in sorted(args.pages.rglob("*.html"))]
        pages = [data for data in found if not (report := check(data)).items and not report.findings]
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    if args.profile:
        make = with_error if args.profile == "finding" else product
        work = pages if args.profile == "page" else [page([make(number) for number in range(MANY)])]
        work_of = cProfile.Profile()
        for data in work:
            check(data)
        work_of.enable()
        for data in work:
            check(data)
        work_of.disable()
        pstats.Stats(work_of).sort_stats("tottime").print_stats(40)
        return
    for words, cost in costs(pages, args.rounds).values():
        print(f"{cost:8.1f} µs  {words}")


if __name__ == "__main__":
    main()
