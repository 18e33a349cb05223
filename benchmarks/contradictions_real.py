"""Markup against the page on pages of your own: contradictions are seeded into their markup, one at a time.

    python benchmarks/contradictions_real.py DIR             how many are found, by kind
    python benchmarks/contradictions_real.py DIR --missed    also each one that is not found

DIR has product pages (.html, .html.gz). In a page with one product the markup of a price, an availability, a rating or
a count is changed, where the page as it is has no such contradiction. A seed counts as visible where the page displays
the true value somewhere; the share of the visible ones that is found is the recall.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import NamedTuple, TypeAlias

from waypost.formats.numbers import number, spelling
from waypost.models.page import Node, Page, Span
from waypost.reader.sources import PageSource, parse_source
from waypost.registry import Registry, load
from waypost.validate import validate_page
from waypost.validate.displayed.compare import PRODUCTS
from waypost.validate.displayed.offers import offers_of, prices_of
from waypost.validate.displayed.page import candidates, texts_of
from waypost.validate.displayed.words import Words, of_kind, words_of
from waypost.validate.item import is_between_tags

RULES = ("markup-contradicts-page", "visible-value-differs")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style|noscript|template|select)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_HIDDEN = re.compile(r"<([a-z]+)\b[^>]*\bdisplay:\s*none[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_OTHER = {"InStock": "OutOfStock", "OutOfStock": "InStock"}
_Place: TypeAlias = tuple[Node, str, int, str]
"""Node, property, index of its value, and what is written there."""
_MARKS = ((",", "."), (".", ","), (" ", ","), ("", "."), ("", ","), ("'", "."))


class Seed(NamedTuple):
    """Change of the markup. `properties`: those of a true report; `is_visible`: the page displays the true value."""

    kind: str
    edits: tuple[tuple[Span, str], ...]
    properties: frozenset[str]
    is_visible: bool


def pages_of(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in sorted(folder.rglob("*.htm*")):
        data = path.read_bytes()
        yield path, gzip.decompress(data) if path.suffix == ".gz" else data


def seeds_of(page: Page, product: Node) -> Iterator[Seed]:
    words = words_of(page.language)
    visible = _HIDDEN.sub(" ", _UNSEEN.sub(" ", page.text[max(page.text.find("<body"), 0) :]))
    text = _TAG.sub(" ", visible)
    seen = " ".join(unescape(text).casefold().split())
    prices = [each for each in prices_of(product) if not each.former]
    places = [(each.node, each.prop, each.number, each.written) for each in prices]
    if len({each.value for each in prices}) == 1 and not _are_text(page, places):
        value = prices[0].value
        is_seen = any(spelled in seen for spelled in _spelled(value))
        changed = spelling((value * Decimal("1.37")).quantize(Decimal("0.01")) + 3)
        yield _seed(page, "price", places, changed, is_seen, {each.prop for each in prices})
    states = [
        (offer, "availability", index, text.rpartition("/")[2])
        for offer in offers_of(product) for index, text in texts_of(offer, "availability")
    ]  # fmt: skip
    if len(names := {name for *_, name in states}) == 1 and (other := _OTHER.get(min(names))):
        phrases = of_kind(words, "out_of_stock" if other == "InStock" else "buy")
        elements = re.sub(r"\s*([<>])\s*", r"\1", visible.casefold())
        is_seen = any(f">{phrase}<" in elements for phrase in phrases)
        yield _seed(page, "availability", states, other, is_seen, {"availability"})
    for rating in product.nodes("aggregateRating"):
        for prop in ("reviewCount", "ratingCount"):
            for index, text in texts_of(rating, prop):
                count = number(text)
                is_seen = count is not None and _counted(count, seen, words)
                if count is not None and not (rating.get("reviewCount") and prop == "ratingCount"):
                    changed = str(int(count) * 3 + 7)
                    place = (rating, prop, index, text)
                    if not _are_text(page, [place]):
                        yield _seed(page, "count", [place], changed, is_seen, {prop})


def _spelled(value: Decimal) -> set[str]:
    """Spellings of an amount: 1,299.00, 1.299,00, 1 299,00, 1299.00, and the same without its cents if there are none."""
    plain = f"{value:,.2f}"
    with_cents = {plain.replace(",", "\0").replace(".", point).replace("\0", group) for group, point in _MARKS}
    without = (
        {plain[:-3].replace(",", group) for group, _ in _MARKS} if plain.endswith(".00") and value >= 100 else set()
    )
    return with_cents | without


def _counted(count: Decimal, seen: str, words: Words) -> bool:
    """Does a text display a number of reviews or ratings, next to their word or in brackets?"""
    # The labels of the bars of a distribution are no count.
    seen = seen.replace(" 5 4 3 2 1 ", " ")
    digits = f"{count:.0f}"
    if f"({digits})" in seen:
        return True
    places = [found.span() for found in re.finditer(rf"(?<![\d.,]){digits}(?![\d.,])", seen)]
    near = (seen[max(start - 25, 0) : end + 25] for start, end in places)
    return any(word in text for text in near for kind in ("reviews", "ratings") for word in of_kind(words, kind))


def _are_text(page: Page, places: list[_Place]) -> bool:
    """Are the values themselves text of the page, so that a change of the markup changes it too?"""
    return any(
        node.block.syntax != "json-ld" and is_between_tags(page, page.span_of(node, prop, index), node.block.syntax)
        for node, prop, index, _ in places
    )


def _seed(page: Page, kind: str, places: list[_Place], changed: str, is_seen: bool, properties: set[str]) -> Seed:
    edits = {}
    for node, prop, index, written in places:
        span = page.span_of(node, prop, index)
        edits[span] = page.source_text(*span).replace(written, changed, 1)
    return Seed(kind, tuple(sorted(edits.items())), frozenset(properties), is_seen)


def reported(data: bytes, registry: Registry) -> set[str | None]:
    report = validate_page(data, registry, path="page.html", now=NOW)
    return {each.property for each in report.findings if each.rule in RULES}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missed", action="store_true")
    args = parser.parse_args()
    registry = load()
    made, visible, found, found_visible = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for path, data in pages_of(args.folder):
        page = parse_source(PageSource(data, "html", None, None), path.name, registry.vocabulary)
        products = [node for node in candidates(page, registry.vocabulary, PRODUCTS) if node.get("offers") is not None]
        if len(products) != 1:
            continue
        before = reported(data, registry)
        for seed in seeds_of(page, products[0]):
            if any(text == page.source_text(*span) for span, text in seed.edits) or not seed.properties.isdisjoint(
                before
            ):
                continue
            # A mark of the byte order says UTF-8 before anything that the page declares.
            text = page.text
            for span, changed in reversed(seed.edits):
                text = text[: span.start] + changed + text[span.end :]
            is_found = not seed.properties.isdisjoint(reported(text.encode("utf-8-sig"), registry))
            made[seed.kind] += 1
            visible[seed.kind] += seed.is_visible
            found[seed.kind] += is_found
            found_visible[seed.kind] += is_found and seed.is_visible
            if args.missed and seed.is_visible and not is_found:
                print(f"missed: {seed.kind} of {path.name}")
    for kind in made:
        print(
            f"{kind:>13}: {found[kind]} of {made[kind]} found; {found_visible[kind]} of {visible[kind]} whose true "
            f"value the page displays ({found_visible[kind] / max(visible[kind], 1):.0%})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
