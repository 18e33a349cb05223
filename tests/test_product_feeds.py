"""Feeds of products: every form read with its places, joined with pages and compared; other files are unreadable."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import sys
import zipfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from waypost.cli import main
from waypost.errors import Unreadable
from waypost.lint.feed_join import normal_gtin, normal_url
from waypost.models.product_feed import FeedFormat
from waypost.reader.product_feeds.model import Row, RowError
from waypost.reader.product_feeds.rows import read_feed
from waypost.registry import load
from waypost.validate.feeds.values import money, price_of_today

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ROOT = Path(__file__).parents[1]
NOW = "2026-11-20T12:00:00Z"
COLUMNS = ("id", "title", "description", "link", "image_link", "availability", "price", "brand", "gtin", "condition")
KETTLE = {
    "id": "KET-1", "title": "Loma kettle", "description": "A kettle.", "link": "https://shop.example.com/p/kettle",
    "image_link": "https://shop.example.com/img/kettle.jpg", "availability": "in_stock", "price": "49.90 EUR",
    "brand": "Loma", "gtin": "4006381333931", "condition": "new",
}  # fmt: skip
PRODUCT: dict[str, Any] = {
    "@context": "https://schema.org", "@type": "Product", "name": "Loma kettle", "sku": "KET-1",
    "gtin13": "4006381333931", "brand": "Loma", "image": "https://shop.example.com/img/kettle.jpg",
    "offers": {"@type": "Offer", "price": "49.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock",
               "itemCondition": "https://schema.org/NewCondition"},
}  # fmt: skip


def page(item: dict[str, Any] = PRODUCT, body: str = "<p>€49.90</p><button>Add to cart</button>") -> str:
    script = f'<script type="application/ld+json">{json.dumps(item)}</script>'
    canonical = '<link rel="canonical" href="https://shop.example.com/p/kettle">'
    return (
        f"<!doctype html><html lang=en><head>{canonical}{script}</head><body><h1>Loma kettle</h1>{body}</body></html>"
    )


def table(*rows: dict[str, str], mark: str = "\t", columns: tuple[str, ...] = COLUMNS) -> str:
    return "".join(f"{mark.join(row.get(name, '') for name in columns)}\n" for row in ({n: n for n in columns}, *rows))


def rss(*rows: dict[str, str], outer: str = "item") -> str:
    def item(row: dict[str, str]) -> str:
        plain = ("title", "link", "description")
        return "".join(
            f"<{n if n in plain else f'g:{n}'}>{escape(v)}</{n if n in plain else f'g:{n}'}>" for n, v in row.items()
        )

    items = "\n".join(f"<{outer}>{item(row)}</{outer}>" for row in rows)
    return f'<?xml version="1.0"?>\n<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\n{items}\n</channel></rss>'


def acp(price: int = 4990, **more: Any) -> dict[str, Any]:
    variant = {
        "id": "KET-1", "title": "Loma kettle", "url": "https://shop.example.com/p/kettle",
        "barcodes": [{"type": "EAN", "value": "4006381333931"}], "price": {"amount": price, "currency": "EUR"},
        "availability": {"available": True},
    }  # fmt: skip
    return {"id": "kettle", "title": "Loma kettle", "variants": [variant]} | more


def openai(**more: str) -> dict[str, Any]:
    return {
        "item_id": "KET-1", "title": "Loma kettle", "description": "A kettle.", "url": KETTLE["link"],
        "image_url": KETTLE["image_link"], "price": "49.90 EUR", "availability": "in_stock",
        "brand": "Loma", "seller_name": "Loma Home", "gtin": "4006381333931",
    } | more  # fmt: skip


OPENAI_TABLE = table(openai(), columns=tuple(openai()))


def parquet(*rows: dict[str, Any], schema: pa.Schema | None = None, **options: Any) -> bytes:
    stream = io.BytesIO()
    options = {"compression": "zstd"} | options
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), stream, **options)
    return stream.getvalue()


class Shop:
    """Folder with a page and a feed, and the report about both."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        (folder / "public").mkdir()
        self.write(page())

    def write(self, html: str, name: str = "kettle.html") -> None:
        (self.folder / "public" / name).write_text(html, "utf-8")

    def feed(self, data: str | bytes, name: str = "feed.tsv") -> Path:
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def report(self, *feeds: Path, more: tuple[str, ...] = ()) -> dict[str, Any]:
        options = [part for feed in feeds for part in ("--feed", str(feed))]
        main(["validate", str(self.folder / "public"), *options, "--json", "--now", NOW, *more])
        report: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return report

    def findings(self, *feeds: Path) -> list[dict[str, Any]]:
        report = self.report(*feeds)
        kinds = ("feed-", "markup-contradicts")
        return [each for file in report["files"] for each in file["findings"] if each["rule"].startswith(kinds)]


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    return Shop(tmp_path, capsys)


def rows_of(path: Path) -> list[Row]:
    return [row for row in read_feed(str(path)) if isinstance(row, Row)]


def errors_of(path: Path) -> list[RowError]:
    return [row for row in read_feed(str(path)) if isinstance(row, RowError)]


def test_the_forms_of_feeds_are_valid_by_their_schema() -> None:
    registry = load()
    schema = registry.document("meta/feed.schema.json")
    for path in registry.below("feeds/"):
        jsonschema.Draft202012Validator(schema).validate(registry.document(path))

    assert [each.name for each in registry.feeds] == ["openai", "merchant-center", "acp", "ucp"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("feed.tsv", table(KETTLE)),
        ("feed.csv", table(KETTLE, mark=",")),
        ("feed.txt", table(KETTLE, mark=";")),
        ("feed.tsv.gz", gzip.compress(table(KETTLE).encode())),
        ("bom.tsv", table(KETTLE).encode("utf-8-sig")),
        ("wide.tsv", table(KETTLE).encode("utf-16")),
        ("wide-le.tsv", table(KETTLE).encode("utf-16-le")),
        ("crlf.tsv", table(KETTLE).replace("\n", "\r\n")),
        ("rss.xml", rss(KETTLE)),
        ("atom.xml", rss(KETTLE, outer="entry")),
        ("wide.xml", rss(KETTLE).encode("utf-16")),
        ("openai.jsonl", json.dumps(openai()) + "\n" + json.dumps(openai(item_id="B", gtin="")) + "\n"),
        ("openai.json", json.dumps([openai()], indent=1)),
        ("acp.json", json.dumps({"products": [acp()]}, indent=1)),
        ("acp.jsonl", json.dumps(acp()) + "\n"),
        ("ucp.json", json.dumps({"ucp": {"version": "1"}, "products": [acp(price_range={})]})),
        ("openai.jsonl.gz", gzip.compress(json.dumps(openai()).encode())),
        ("openai.csv.gz", gzip.compress(OPENAI_TABLE.replace("\t", ",").encode())),
        ("openai.tsv.gz", gzip.compress(OPENAI_TABLE.encode())),
        ("openai.jsonl.zst", zstd.compress(json.dumps(openai()).encode())),
        ("openai.tsv.bz2", bz2.compress(OPENAI_TABLE.encode())),
        ("openai.parquet", parquet(openai())),
        ("openai.snappy.parquet", parquet(openai(), compression="snappy")),
        ("merchant-center.xml.gz", gzip.compress(rss(KETTLE).encode())),
        ("merchant-center.parquet", parquet(KETTLE)),
    ],
)
def test_a_row_of_each_form_finds_its_product(shop: Shop, name: str, data: str | bytes) -> None:
    feed = shop.feed(data, name)

    (counts,) = [file["feed"] for file in shop.report(feed)["files"] if "feed" in file]

    assert counts["matched"]["gtin"] == 1
    assert counts["differing"] == 0
    assert counts["unreadable"] == 0


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"price": "39.90 EUR"}, "price"),
        ({"price": "49.90 USD"}, "price"),
        ({"availability": "out_of_stock"}, "availability"),
        ({"condition": "used"}, "condition"),
        ({"title": "Birch tray"}, "name"),
        ({"image_link": "https://shop.example.com/img/tray.jpg"}, "image"),
    ],
)
def test_each_kind_of_difference_is_one_finding(shop: Shop, change: dict[str, str], what: str) -> None:
    (found,) = [each for each in shop.findings(shop.feed(table(KETTLE | change))) if each["rule"] == "feed-differs"]

    assert f"the {what} is" in found["message"]
    assert [side["source"] for side in found["compared"]][::2] == ["markup", "feed"][
        : len(found["compared"][::2])
    ] or what
    assert found["compared"][-1] == {
        "source": "feed", "value": found["compared"][-1]["value"], "line": 2,
        "column": 1 + sum(len((KETTLE | change)[name]) + 1 for name in COLUMNS[: COLUMNS.index(_column(what))]),
        "path": found["compared"][-1]["path"],
    }  # fmt: skip


def _column(what: str) -> str:
    return {"name": "title", "image": "image_link"}.get(what, what)


def test_a_product_with_several_differences_is_one_finding(shop: Shop) -> None:
    found = shop.findings(shop.feed(table(KETTLE | {"price": "39.90 EUR", "availability": "out_of_stock"})))

    assert [each["rule"] for each in found] == ["feed-differs"]
    assert [(side["what"], side["source"], side["value"]) for side in found[0]["compared"]] == [
        ("price", "markup", "49.90 EUR"), ("price", "page", "€49.90"), ("price", "feed", "39.90 EUR"),
        ("availability", "markup", "InStock"), ("availability", "page", "Add to cart"),
        ("availability", "feed", "out of stock"),
    ]  # fmt: skip


def test_what_the_page_contradicts_gets_the_feed_as_third_column(shop: Shop) -> None:
    shop.write(page(body="<p>€59.90</p><button>Add to cart</button>"))

    (found,) = shop.findings(shop.feed(table(KETTLE)))

    assert found["rule"] == "markup-contradicts-page"
    assert [(side["source"], side["value"]) for side in found["compared"]] == [
        ("markup", "49.90 EUR"), ("page", "€59.90"), ("feed", "49.90 EUR"),
    ]  # fmt: skip


def test_a_difference_from_both_replaces_the_contradiction(shop: Shop) -> None:
    shop.write(page(body="<p>€59.90</p><button>Add to cart</button>"))

    (found,) = shop.findings(shop.feed(table(KETTLE | {"price": "39.90 EUR"})))

    assert [side["value"] for side in found["compared"]] == ["49.90 EUR", "€59.90", "39.90 EUR"]


@pytest.mark.parametrize(
    ("sale", "dates", "today"),
    [
        ("39.90 EUR", "", "39.90"),
        ("39.90 EUR", "2026-11-01T00:00+0100/2026-11-30T23:59+0100", "39.90"),
        ("39.90 EUR", "2026-12-01T00:00+0100/2026-12-31T23:59+0100", "49.90"),
        ("39.90 EUR", "2026-10-01T00:00+0100/2026-10-31T23:59+0100", "49.90"),
        ("", "", "49.90"),
    ],
)
def test_a_sale_price_counts_within_its_dates(sale: str, dates: str, today: str) -> None:
    texts = {"price": "49.90 EUR", "sale_price": sale, "sale_dates": dates}

    found = price_of_today(texts, datetime(2026, 11, 20, 12, tzinfo=UTC))

    assert [f"{amount.value:.2f}" for _, amount in found] == [today]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("19.99 EUR", ("19.99", "EUR")),
        ("EUR 19.99", ("19.99", "EUR")),
        ("19,99 EUR", ("19.99", "EUR")),
        ("1,299.00 USD", ("1299.00", "USD")),
        ("19.99", ("19.99", "")),
        ("€19.99", ("19.99", "EUR")),
        ("on request", None),
        ("", None),
        ("-5 EUR", None),
    ],
)
def test_a_price_of_a_feed_is_read(text: str, expected: tuple[str, str] | None) -> None:
    found = money(text)

    assert (found and (str(found.value), found.currency)) == expected


def test_variants_are_joined_each_with_its_row(shop: Shop) -> None:
    def variant(sku: str, price: str) -> dict[str, Any]:
        return {
            "@type": "Product",
            "name": f"Loma kettle {sku}",
            "sku": sku,
            "offers": PRODUCT["offers"] | {"price": price},
        }

    group = {"@context": "https://schema.org", "@type": "ProductGroup", "name": "Loma kettle", "productGroupID": "KET",
             "brand": "Loma", "hasVariant": [variant("RED", "49.90"), variant("BLUE", "59.90")]}  # fmt: skip
    shop.write(page(group))
    red, blue = (
        {"id": sku, "gtin": "", "price": price} for sku, price in (("RED", "49.90 EUR"), ("BLUE", "55.00 EUR"))
    )

    found = [
        each for each in shop.findings(shop.feed(table(KETTLE | red, KETTLE | blue))) if each["severity"] != "info"
    ]

    assert [each["pointer"] for each in found] == ["/hasVariant/1/offers/price"]


def test_offers_with_skus_of_their_own_are_variants(shop: Shop) -> None:
    offers = [PRODUCT["offers"] | {"sku": "RED"}, PRODUCT["offers"] | {"sku": "BLUE", "price": "59.90"}]
    shop.write(page(PRODUCT | {"offers": offers, "gtin13": "", "sku": ""}))
    row = {"id": "BLUE", "gtin": "", "price": "59.90 EUR"}

    assert [each for each in shop.findings(shop.feed(table(KETTLE | row))) if each["severity"] != "info"] == []


def test_a_range_of_prices_holds_each_price_in_it(shop: Shop) -> None:
    offer = {"@type": "AggregateOffer", "lowPrice": "30", "highPrice": "60", "priceCurrency": "EUR"}
    shop.write(page(PRODUCT | {"offers": offer}, body=""))

    assert shop.findings(shop.feed(table(KETTLE))) == []
    assert len(shop.findings(shop.feed(table(KETTLE | {"price": "70 EUR"})))) == 1


@pytest.mark.parametrize(
    ("change", "by"),
    [
        ({}, "gtin"),
        ({"gtin": ""}, "id"),
        ({"gtin": "", "id": "OTHER"}, "url"),
        ({"gtin": "4006381333948", "id": "OTHER", "link": "https://shop.example.com/p/other"}, None),
        ({"gtin": "4006381333948"}, None),
    ],
)
def test_a_row_is_joined_by_the_first_identifier_that_fits(shop: Shop, change: dict[str, str], by: str | None) -> None:
    (counts,) = [file["feed"] for file in shop.report(shop.feed(table(KETTLE | change)))["files"] if "feed" in file]

    assert list(counts["matched"]) == [by] * (by is not None)
    assert counts["rows_without_page"] == (by is None)


def test_a_page_without_an_address_is_found_by_its_path(shop: Shop) -> None:
    html = page(PRODUCT | {"sku": "", "gtin13": ""}).replace("canonical", "alternate")
    shop.write(html, "p.html")
    (shop.folder / "public" / "kettle.html").unlink()
    feed = shop.feed(table(KETTLE | {"id": "A", "gtin": "", "link": "https://shop.example.com/public/p"}))

    (counts,) = [file["feed"] for file in shop.report(feed)["files"] if "feed" in file]

    assert counts["matched"] == {"url": 1}


@pytest.mark.parametrize(
    ("data", "rule", "line", "text"),
    [
        (table(KETTLE, KETTLE), "feed-id-duplicated", 3, "stands in line 2 already"),
        (table(KETTLE | {"price": "49.90"}), "feed-value-invalid", 2, "has no currency"),
        (table(KETTLE | {"price": "soon"}), "feed-value-invalid", 2, "is not a price"),
        (table(KETTLE | {"availability": "maybe"}), "feed-value-invalid", 2, "is not a value of availability"),
        (table(KETTLE | {"title": "x" * 200}), "feed-value-invalid", 2, "200 characters"),
        (table(KETTLE | {"title": ""}), "feed-value-missing", 2, "title is missing"),
        (json.dumps(openai(seller_name="")) + "\n", "feed-value-missing", 1, "seller_name is missing"),
        (json.dumps(openai(brand="")) + "\n", "feed-value-missing", 1, "brand is missing"),
        (json.dumps(openai(availability="preorder")) + "\n", "feed-value-invalid", 1, "is not a value of availability"),
        (table(KETTLE, columns=COLUMNS[:-4]), "feed-value-missing", 1, "no column price"),
        (table(KETTLE) + "a\tb\n", "feed-row-unreadable", 3, "2 fields and the header 10"),
        (table(KETTLE) + "\t" * 12 + "x\n", "feed-row-unreadable", 3, "13 fields and the header 10"),
        (table(KETTLE | {"title": "a\0b"}), "feed-row-unreadable", 2, "NUL"),
        (table(KETTLE | {"title": "Käse"}).encode("latin-1"), "feed-row-unreadable", 2, "not UTF-8"),
        (table(KETTLE).replace("condition", "price", 1), "feed-row-unreadable", 1, "occurs twice in the header"),
        (table(KETTLE | {"title": '"open'}, KETTLE | {"id": "B"}), "feed-row-unreadable", 2, "is not closed"),
        (table(KETTLE | {"title": "x" * 2_000_000}), "feed-row-unreadable", 2, "longer than"),
        (rss(KETTLE) + "<", "feed-row-unreadable", 4, "cannot be read from here on"),
        ('{"id": "A", "price": NaN}\n' + json.dumps(openai()), "feed-row-unreadable", 1, "not valid JSON"),
        ('{"id": "A" "price": {}}\n' + json.dumps(openai()), "feed-row-unreadable", 1, "not valid JSON"),
        (json.dumps([openai()])[:-1], "feed-row-unreadable", 1, "ends inside"),
        (json.dumps(openai()) + "\n{bad}\n", "feed-row-unreadable", 2, "not valid JSON"),
        ('[{"item_id": 1}, ' + '{"a":' * 3000 + "1" + "}" * 3000 + "]", "feed-row-unreadable", 1, "nested too deep"),
        (json.dumps([openai()]) + "]", "feed-row-unreadable", 1, "stands where none is open"),
        ("", "feed-row-unreadable", 1, "the feed is empty"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_feed_has_its_place(shop: Shop, data: str | bytes, rule: str, line: int, text: str) -> None:
    found = [each for each in shop.findings(shop.feed(data)) if each["rule"] == rule and text in each["message"]]

    assert [each["line"] for each in found] == [line]
    assert found[0]["hint"]


STRUCTURED = (
    rss(KETTLE)
    .replace("<title>", "<g:structured_title><g:digital_source_type>default</g:digital_source_type><g:content>")
    .replace("</title>", "</g:content></g:structured_title>")
)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (json.dumps(openai()) + "\n", "minimal.jsonl"),
        (json.dumps(openai(item_id="x" * 120, brand="x" * 90, availability="pre_order")) + "\n", "long.jsonl"),
        (STRUCTURED, "structured.xml"),
        (table(KETTLE | {"availability": "out of stock"}), "older.tsv"),
        (json.dumps(acp(condition=["open box"])) + "\n", "acp.jsonl"),
    ],
)
def test_what_a_specification_allows_is_valid(shop: Shop, data: str, name: str) -> None:
    found = [each for each in shop.findings(shop.feed(data, name)) if each["rule"] != "feed-differs"]

    assert found == []


def test_availability_and_condition_of_ucp_are_compared(shop: Shop) -> None:
    product = acp(price_range={}, description={"plain": "A kettle."})
    variant = {"availability": {"status": "low_stock"}, "condition": "used", "description": {"plain": "A kettle."}}
    product["variants"][0] |= variant

    (found,) = shop.findings(shop.feed(json.dumps(product) + "\n"))

    assert "the condition is" in found["message"]
    assert "the availability is" not in found["message"]


def test_a_sale_for_openai_has_no_dates(shop: Shop) -> None:
    sale = {"price": "59.90 EUR", "sale_price": "49.90 EUR", "sale_price_effective_date": "2030-01-01/2030-02-01"}

    assert shop.findings(shop.feed(json.dumps(openai(**sale)) + "\n")) == []
    assert (
        len(
            shop.findings(
                shop.feed(table(KETTLE | sale, columns=(*COLUMNS, "sale_price", "sale_price_effective_date")))
            )
        )
        == 1
    )


def _zipped(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, table(KETTLE))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"PAR1....", "the Parquet file is damaged"),
        (parquet(KETTLE)[:-9], "the Parquet file is damaged"),
        (b"PARE....", "encrypted"),
        (gzip.compress(parquet(KETTLE)), "Parquet file inside of another compression"),
        (parquet(schema=pa.schema([("id", pa.string())])), "no rows"),
        (b"\x28\xb5\x2f\xfd....", "damaged"),
        (zstd.compress(b"id\tlink\n" + b"a" * (80 << 20)), "unpacks to more than"),
        (zstd.compress(table(KETTLE).encode())[:-9], "damaged"),
        (bz2.compress(table(KETTLE).encode())[:-9], "damaged"),
        (gzip.compress(b"id\tlink\n" + b"a" * (80 << 20)), "unpacks to more than"),
        (gzip.compress(table(KETTLE).encode())[:-20], "damaged"),
        (_zipped("a.tsv", "b.tsv"), "2 files"),
        (_zipped("[Content_Types].xml", "sheet.xml"), "spreadsheet"),
        (_zipped("a.tsv")[:-30], "damaged"),
        ("<!doctype html><html><body>Not found", "web page"),
        ("<html><body></body></html>", "web page"),
        ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><rss><item><title>&x;</title></item></rss>', "DOCTYPE"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><rss/>', "DOCTYPE"),
        ("<a>" * 70, "nested more than"),
        ("<urlset><url/></urlset>", "no items"),
        ('{"a": 1}', "columns"),
        ("[1, 2]", "no products"),
        ("a,b\n1,2\n", "no known feed"),
        (table(), "a header and no rows"),
    ],
)
def test_another_file_than_a_feed_is_unreadable(shop: Shop, data: str | bytes, text: str) -> None:
    report = shop.report(shop.feed(data))

    (why,) = [file["error"] for file in report["files"] if file["path"].endswith("feed.tsv")]
    assert text in why


AMOUNT = pa.struct([("amount", pa.int64()), ("currency", pa.string())])
TYPED: list[tuple[str, pa.DataType, Any, str]] = [
    ("price", pa.float32(), 19.9, "19.9"),
    ("price", pa.decimal128(10, 2), Decimal("20.00"), "20.00"),
    ("price", AMOUNT, {"amount": 990, "currency": "EUR"}, "9.90 EUR"),
    ("gtin", pa.int64(), 4006381333931, "4006381333931"),
    ("is_eligible_search", pa.bool_(), True, "true"),
    ("brand", pa.binary(), "Käse".encode(), "Käse"),
    ("brand", pa.dictionary(pa.int8(), pa.string()), "Loma", "Loma"),
    ("additional_image_urls", pa.list_(pa.string()), ["a", "b"], "a,b"),
    ("availability_date", pa.timestamp("ns"), 1_800_000_000_000_000_001, "2027-01-15 08:00:00.000000001"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "value", "text"), TYPED)
def test_columns_of_every_type_are_texts(shop: Shop, name: str, kind: pa.DataType, value: Any, text: str) -> None:
    (row,) = rows_of(
        shop.feed(parquet({"Item ID": "A", name: value}, schema=pa.schema([("Item ID", pa.string()), (name, kind)])))
    )

    assert row.values == {"item_id": "A", name: text}
    assert row.place(name) == (1, 2)


def test_an_error_in_parquet_names_row_and_column(shop: Shop) -> None:
    schema = pa.schema([(name, pa.binary() if name == "brand" else pa.string()) for name in openai()])
    bad = [
        openai(),
        openai(item_id="B", gtin="", brand=b"K\xe4se"),
        openai(item_id="B", gtin="", price="soon", brand=b"a\0"),
    ]

    found = [each for each in shop.findings(shop.feed(parquet(*bad, schema=schema))) if each["rule"] != "feed-differs"]

    brand, price = list(openai()).index("brand") + 1, list(openai()).index("price") + 1
    assert {(each["line"], each["column"], each["rule"]) for each in found} == {
        (2, brand, "feed-row-unreadable"), (2, brand, "feed-value-missing"), (3, brand, "feed-row-unreadable"),
        (3, price, "feed-value-invalid"), (3, 1, "feed-id-duplicated"),
    }  # fmt: skip
    messages = " ".join(each["message"] for each in found)
    assert "the brand of row 2 cannot be read as it stands: it is not UTF-8" in messages
    assert "the brand of row 3 cannot be read as it stands: it contains a NUL" in messages
    assert "stands in row 2 already" in messages


def test_a_damaged_column_of_parquet_is_named(shop: Shop) -> None:
    rows = [openai(item_id=f"{number}", gtin="", title=f"Kettle {number * 7919 % 1000}") for number in range(1000)]
    data = bytearray(parquet(*rows, row_group_size=500))
    column = pq.ParquetFile(io.BytesIO(bytes(data))).metadata.row_group(1).column(list(openai()).index("title"))
    data[column.data_page_offset : column.data_page_offset + 40] = b"\xff" * 40

    found = read_feed(str(shop.feed(bytes(data))))

    *rest, last = list(found)
    assert len(rest) == 500
    assert isinstance(last, RowError)
    assert (last.line, last.column, last.is_last) == (501, 2, True)
    assert "from row 501 on" in last.message


def test_a_column_that_stands_twice_is_named(shop: Shop) -> None:
    twice = parquet({"id": "A", "g:id": "B", "link": "c"})

    error, row = read_feed(str(shop.feed(twice)))

    assert isinstance(error, RowError)
    assert (error.column, error.is_header) == (2, True)
    assert row.values["id"] == "A"  # type: ignore[union-attr]


@pytest.mark.parametrize(("data", "package"), [(parquet(openai()), "pyarrow"), (zstd.compress(b"id\tlink\n"), "zstd")])
def test_a_feed_without_its_package_names_the_extra(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, data: bytes, package: str
) -> None:
    for name in ("pyarrow", "pyarrow.parquet", "backports.zstd", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)

    (why,) = [file["error"] for file in shop.report(shop.feed(data))["files"] if file["path"].endswith("feed.tsv")]

    assert package in why
    assert "[feeds]" in why


def test_an_archive_of_one_file_is_read(shop: Shop) -> None:
    assert len(rows_of(shop.feed(_zipped("a.tsv")))) == 1


def test_a_feed_that_is_missing_is_unreadable(shop: Shop) -> None:
    (why,) = [file["error"] for file in shop.report(shop.folder / "none.tsv")["files"] if "error" in file]

    assert "no such file" in why


@pytest.mark.parametrize("named", ["-", "https://ann:secret@shop.example.com/feed.xml"])
@pytest.mark.parametrize("command", [("validate",), ("crawl", "--out", "crawl")], ids=["validate", "crawl"])
def test_a_feed_is_a_file_not_an_address(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], named: str
) -> None:
    assert main([*command, "public", "--feed", named]) == 2

    message = capsys.readouterr().err
    assert "a feed is read from a file" in message
    assert "secret" not in message


def test_quoted_fields_may_hold_marks_quotes_and_lines(shop: Shop) -> None:
    quoted = 'id,title,link,price\n1,"a ""b"", c\nd",https://shop.example.com/1,"1,50 EUR"\n2,e,f,g\n'

    first, second = rows_of(shop.feed(quoted))

    assert first.values["title"] == 'a "b", c\nd'
    assert first.place("title") == (2, 3)
    assert first.place("price") == (3, 31)
    assert (second.line, second.values["id"]) == (4, "2")


def test_places_in_xml_and_json_are_those_of_the_value(shop: Shop) -> None:
    xml, catalogue = shop.feed(rss(KETTLE), "a.xml"), shop.feed(json.dumps({"products": [acp()]}, indent=1), "a.json")

    assert rows_of(xml)[0].place("price") == (3, rss(KETTLE).split("\n")[2].index("<g:price>") + 1)
    line, column = rows_of(catalogue)[0].place("price")
    text = catalogue.read_text().split("\n")[line - 1]
    assert text[: column - 1].strip() == '"price":'
    assert text[column - 1 :] == "{"


def test_rows_beyond_a_hundred_alike_are_counted(shop: Shop) -> None:
    found = shop.findings(shop.feed(table(*(KETTLE | {"id": str(n), "price": "?"} for n in range(150)))))

    invalid = [each for each in found if each["rule"] == "feed-value-invalid"]
    assert len(invalid) == 100
    assert invalid[-1]["message"].endswith("(50 further rows are alike)")


def test_feeds_of_the_configuration_are_compared(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.feed(table(KETTLE | {"price": "39.90 EUR"}))
    (shop.folder / "waypost.toml").write_text('feeds = ["feed.tsv"]\n[rules]\nfeed-differs = "error"\n', "utf-8")
    monkeypatch.chdir(shop.folder)

    found = shop.findings()

    assert [(each["rule"], each["severity"]) for each in found] == [("feed-differs", "error")]


def test_a_comment_of_the_page_ignores_the_difference(shop: Shop) -> None:
    shop.write(page().replace("<head>", "<head><!-- waypost-ignore-file feed-differs: sale of tomorrow -->"))

    assert shop.findings(shop.feed(table(KETTLE | {"price": "39.90 EUR"}))) == []


@pytest.mark.parametrize("form", ["text", "html", "markdown", "sarif", "junit", "github", "gitlab", "ndjson", "json"])
def test_every_format_of_the_report_names_the_feed(shop: Shop, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    feed = shop.feed(table(KETTLE | {"price": "39.90 EUR"}))

    main(["validate", str(shop.folder / "public"), "--feed", str(feed), "--format", form, "--now", NOW])

    out = capsys.readouterr().out
    assert "39.90 EUR" in out
    if form == "html":
        assert out.index(">Markup<") < out.index(">Page<") < out.index(">Feed<")


def test_the_report_is_valid_by_its_schema(shop: Shop) -> None:
    report = shop.report(shop.feed(table(KETTLE | {"price": "39.90 EUR", "availability": "out_of_stock"})))
    schema = json.loads((ROOT / "schemas" / "api" / "report.schema.json").read_text("utf-8"))

    jsonschema.Draft202012Validator(schema).validate(report)


def test_without_a_feed_a_report_has_none(shop: Shop) -> None:
    assert all("feed" not in file for file in shop.report()["files"])


def test_a_folder_of_many_pages_is_joined(shop: Shop) -> None:
    rows = []
    for number in range(300):
        item = PRODUCT | {"sku": f"S{number}", "gtin13": "", "offers": PRODUCT["offers"] | {"price": str(number + 1)}}
        shop.write(page(item, body="").replace("/p/kettle", f"/p/{number}"), f"{number}.html")
        rows.append(KETTLE | {"id": f"S{number}", "gtin": "", "price": f"{number + 1 + (number == 7)} EUR",
                              "link": f"https://shop.example.com/p/{number}?utm_source=feed"})  # fmt: skip
    report = shop.report(shop.feed(table(*rows)), more=("--jobs", "1"))

    (counts,) = [file["feed"] for file in report["files"] if "feed" in file]
    assert counts["matched"] == {"id": 300}
    assert counts["differing"] == 1
    assert counts["products_without_row"] == 1


def test_a_crawl_compares_its_pages_with_a_feed(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    feed = shop.feed(table(KETTLE | {"price": "39.90 EUR"}, KETTLE | {"id": "B", "gtin": "", "link": "", "price": "x"}))
    crawl = ["crawl", str(shop.folder / "public"), "--out", str(shop.folder / "crawl"), "--workers", "1"]

    status = main([*crawl, "--feed", str(feed), "--fail-on", "error", "--now", NOW])

    err = capsys.readouterr().err
    assert status == 1
    assert f"{feed}:3:" in err
    assert "2 rows (merchant-center), 1 matched with a product" in err
    main(["report", str(shop.folder / "crawl")])
    assert "'49.90 EUR' in the markup, '€49.90' on the page and '39.90 EUR' in the feed" in capsys.readouterr().out


def test_addresses_without_campaigns_and_slashes_are_one() -> None:
    assert normal_url("https://www.Shop.example.com/p/a/?utm_source=x&b=2&a=1#c") == normal_url(
        "http://shop.example.com/p/a?a=1&b=2"
    )
    assert normal_gtin("4006381333931") == normal_gtin("04006381333931")
    assert normal_gtin("0000000000000") == ""


def test_the_example_shows_what_its_readme_promises(capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "examples" / "feeds"

    main(["validate", str(folder / "shop"), "--feed", str(folder / "feed.tsv"), "--json", "--now", NOW])

    found = [each for file in json.loads(capsys.readouterr().out)["files"] for each in file["findings"]]
    assert {each["rule"] for each in found if each["rule"].startswith("feed-")} == {
        "feed-differs", "feed-id-duplicated", "feed-value-invalid",
    }  # fmt: skip


def test_a_form_names_a_field_once() -> None:
    def fields(form: FeedFormat) -> list[str]:
        return [column.field for column in form.columns if column.field]

    assert all(len(fields(form)) == len(set(fields(form))) for form in load().feeds)


def test_an_unreadable_reason_names_the_feed(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<urlset/>")

    with pytest.raises(Unreadable, match="no items"):
        list(read_feed(str(path)))
    assert errors_of(_table_with_error(tmp_path))[0].line == 2


def _table_with_error(folder: Path) -> Path:
    path = folder / "b.tsv"
    path.write_text("id\tlink\n1\t2\t3\n")
    return path
