"""Feeds of products compared with the pages of a run: findings in the feeds, and one for each product that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from waypost.errors import MissingExtra, Unreadable
from waypost.formats.text import clip, join_words
from waypost.lint.feed_checks import RowChecks
from waypost.lint.feed_join import ProductIndex, Ref, is_other_gtin
from waypost.models.finding import Compared, FeedCounts, FileReport, Finding, Related
from waypost.models.product_feed import FeedFormat
from waypost.reader.product_feeds.model import Row, RowError
from waypost.reader.product_feeds.rows import read_feed
from waypost.reader.sources import display_path
from waypost.registry import Registry
from waypost.validate.feeds.comparison import FieldDifference, contradicts_page, differences, values_of_feed
from waypost.validate.feeds.products import PageProducts, Product, unpack_products
from waypost.validate.feeds.values import FeedValues, feed_values

_RULE = "feed-differs"
_PLACES = {"markup": "in the markup", "page": "on the page", "feed": "in the feed"}
_MOST_DIFFERENCES = 100_000
_HINT = "write price and state of a feed and of a page from one source, and upload the feed when they change"


class PageFinding(NamedTuple):
    """Finding about a product of a page. `suppression`: (rules, reason) of the page's own suppression, if any.

    covers  properties of the markup whose contradiction with the page it reports too
    values  property of the markup -> value of the feed, a further column of what the page contradicts
    item    of the page, that the product belongs to
    """

    page: int
    finding: Finding | None
    suppression: tuple[tuple[str, ...], str] | None
    values: tuple[tuple[str, Compared], ...] = ()
    covers: frozenset[str] = frozenset()
    item: int | None = None


class _Pages:
    """Products of the pages of a run: packed facts by the number of the page. The last pages stay unpacked."""

    def __init__(self, facts: Sequence[bytes]) -> None:
        self._facts = facts
        self.page = lru_cache(maxsize=64)(self._page)

    def _page(self, number: int) -> PageProducts:
        return unpack_products(self._facts[number])


def compare_feeds(
    feeds: Iterable[str],
    facts: Sequence[bytes],
    files: Sequence[str | None],
    registry: Registry,
    *,
    now: datetime,
    site: str = "",
) -> Iterator[FileReport | PageFinding]:
    """Reports about the feeds, and findings about products of pages, as they are found.

    facts  packed products by the number of the page, empty for pages without any
    files  path of each page whose address may not be known
    """
    index = ProductIndex()
    pages = _Pages(facts)
    for number, packed in enumerate(facts):
        if packed:
            index.add(number, unpack_products(packed), files[number])
    for path in feeds:
        yield from _Feed(path, index, pages, registry, now, site).compared()


class _Feed:
    """One feed: its form, its rows, and what they find."""

    def __init__(
        self, path: str, index: ProductIndex, pages: _Pages, registry: Registry, now: datetime, site: str
    ) -> None:
        self._path, self._index, self._pages, self._registry, self._now = path, index, pages, registry, now
        self._site = site.rstrip("/")
        self._name = display_path(path)
        self._form: FeedFormat | None = None
        self._by: Counter[str] = Counter()
        self._matched: set[Ref] = set()
        self._differing = 0

    def compared(self) -> Iterator[FileReport | PageFinding]:
        report = FileReport(path=self._name)
        checks = RowChecks(self._name, self._site)
        rows = 0
        try:
            for row in read_feed(self._path):
                if isinstance(row, RowError):
                    checks.unreadable(row)
                    continue
                form = self._form = self._form or form_of_row(row, self._registry)
                if form is None:
                    raise Unreadable(self._name, _unknown_form(row, self._registry))
                rows += 1
                values = feed_values(row.values, form)
                checks.row(row, values, form, is_first=rows == 1)
                yield from self._compare(row, values, form)
        except Unreadable as error:
            report.error = error.reason
        except MissingExtra as error:
            report.error = str(error)
        except OSError as error:
            report.error = (error.strerror or str(error)).lower()
        report.findings = checks.findings()
        report.feed = FeedCounts(
            format=self._form.name if self._form else "",
            rows=rows,
            matched=dict(self._by),
            rows_without_page=rows - self._by.total(),
            products_without_row=max(self._index.main - len(self._matched), 0),
            differing=self._differing,
            duplicates=checks.duplicates,
            unreadable=checks.unreadable_rows,
        )
        yield report

    def _compare(self, row: Row, values: FeedValues, form: FeedFormat) -> Iterator[PageFinding]:
        match = self._index.match(values.texts)
        if match is None:
            return
        found: list[tuple[Ref, PageProducts, Product, list[FieldDifference]]] = []
        for ref in match.refs:
            page = self._pages.page(ref[0])
            product = page.products[ref[1]]
            if match.by != "gtin" and is_other_gtin(values.texts, product):
                continue
            found.append((ref, page, product, differences(values, product, form, self._now)))
        if not found:
            return
        self._by[match.by] += 1
        self._matched.update(each[0] for each in found)
        # A product that stands on several pages, as in two languages: one that agrees is that of the feed.
        ref, page, product, differ = min(found, key=lambda each: (len(each[3]), not each[2].is_main))
        third = tuple(
            (prop, self._compared("feed", text, row.place(column)))
            for prop, text, column in values_of_feed(values, form, self._now)
        ) if product.is_main and contradicts_page(product) else ()  # fmt: skip
        if not differ:
            if third:
                yield PageFinding(ref[0], None, None, third, item=product.item)
            return
        self._differing += 1
        if self._differing > _MOST_DIFFERENCES:
            return
        finding = self._finding(row, values, product, differ)
        suppression = next(
            ((rules, reason) for start, end, rules, reason in page.suppressed
             if start <= finding.start < end and (not rules or _RULE in rules)), None,
        )  # fmt: skip
        covers = frozenset(each.stated.property for each in differ if each.stated is not None and each.seen is not None)
        yield PageFinding(ref[0], finding, suppression, third, covers, product.item)

    def _compared(self, source: str, text: str, place: tuple[int, int], what: str | None = None) -> Compared:
        return Compared(source, clip(text), *place, path=self._name if source == "feed" else None, what=what)  # type: ignore[arg-type]

    def _finding(self, row: Row, values: FeedValues, product: Product, differ: list[FieldDifference]) -> Finding:
        sides = [self._sides(row, each) for each in differ]
        first = next((each.stated for each in differ if each.stated is not None), product.place)
        where = first.location
        message = "; ".join(_sentence(each, sides_) for each, sides_ in zip(differ, sides, strict=True))
        item = values.texts.get("id") or values.texts.get("title") or ""
        several = len(differ) > 1
        return Finding(
            rule=_RULE,
            severity=differ[0].severity,
            authority="google",
            message=f"the feed {self._name} differs: {message}",
            hint=_HINT,
            syntax=product.syntax,
            block=product.block,
            pointer=first.pointer,
            property=first.property or None,
            start=where.start,
            end=where.end,
            line=where.line,
            column=where.column,
            end_line=where.end_line,
            end_column=where.end_column,
            utf16_column=where.utf16_column,
            utf16_end_column=where.utf16_end_column,
            doc_url=f"{self._site}/rules/{_RULE}/",
            fingerprint=_digest((_RULE, item, *(each.what for each in differ))),
            related=tuple(
                Related(f"{_PLACES[side.source]} it is {side.value!r}", side.line, side.column, side.path)
                for row_sides in sides for side in row_sides if side.source != "markup"
            ),
            compared=tuple(
                _named(side, each.what if several else None)
                for each, row_sides in zip(differ, sides, strict=True) for side in row_sides
            ),
            item=product.item,
        )  # fmt: skip

    def _sides(self, row: Row, differ: FieldDifference) -> list[Compared]:
        """Values of markup, page and feed, as far as they are known."""
        sides: list[Compared] = []
        if differ.stated is not None:
            where = differ.stated.location
            sides.append(self._compared("markup", differ.stated.value, (where.line, where.column)))
        if differ.seen is not None:
            sides.append(self._compared("page", differ.seen.value, (differ.seen.line, differ.seen.column)))
        sides.append(self._compared("feed", differ.feed, row.place(differ.column)))
        return sides


def _named(side: Compared, what: str | None) -> Compared:
    """Value with the property in words."""
    return Compared(side.source, side.value, side.line, side.column, side.path, what) if what else side


def _sentence(differ: FieldDifference, sides: list[Compared]) -> str:
    """The price is '24.90 EUR' in the markup and '19.90 EUR' in the feed"""
    return f"the {differ.what} is {join_words([f'{each.value!r} {_PLACES[each.source]}' for each in sides])}"


def _digest(identity: tuple[str, ...]) -> str:
    return sha256(repr(identity).encode("utf-8", "replace")).hexdigest()[:16]


def form_of_row(row: Row, registry: Registry) -> FeedFormat | None:
    """Form of a feed by the columns of its first row; None where no form has them."""
    kind = row.values.get("variant_of", "")
    names = {*row.values, *row.columns()}
    for form in registry.feeds:
        if (form.catalogue and form.catalogue == kind) or (not kind and not names.isdisjoint(form.marks)):
            return form
    return None


def _unknown_form(row: Row, registry: Registry) -> str:
    named = join_words([form.title for form in registry.feeds], "or")
    columns = ", ".join(clip(name, 30) for name in [*row.columns()][:8])
    return (
        f"its columns ({columns}) are of no known feed; a feed of {named} has link and image_link, or url and image_url"
    )
