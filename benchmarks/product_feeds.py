"""Feeds of products of any size: time, processor time and memory of a run with a feed, for each form.

    python benchmarks/product_feeds.py                 100,000 rows, 500 pages
    python benchmarks/product_feeds.py --rows 1000000 --form table

Made pages and feeds in a temporary folder; each run is a process of its own. A share of the rows differs in its price. Exit
status 1 where a difference is missed, one is reported falsely, or ten times as many rows take more than twice the memory.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

FORMS = ("table", "rss", "jsonl", "acp", "jsonl.gz", "jsonl.zst", "parquet")
NAMES = {"table": "feed.tsv", "rss": "feed.xml", "jsonl": "feed.jsonl", "acp": "feed.json", "jsonl.gz": "feed.jsonl.gz",
         "jsonl.zst": "feed.jsonl.zst", "parquet": "feed.parquet"}  # fmt: skip
COLUMNS = ("id", "title", "description", "link", "image_link", "availability", "price", "brand", "gtin", "condition")
HOME = "https://shop.example.com"
MOST_GROWTH = 2.0


def price_of(number: int) -> int:
    return 100 + number % 9_000


def row(number: int, every: int) -> dict[str, str]:
    """Row of a feed; every `every`-th differs from its page."""
    cents = price_of(number) * 100 + 90 + (500 if number % every == 0 else 0)
    return {
        "id": f"SKU-{number}", "title": f"Loma kettle {number}", "description": "A kettle for the stove, of steel. " * 8,
        "link": f"{HOME}/p/{number}?utm_source=feed", "image_link": f"{HOME}/img/{number}.jpg",
        "availability": "in_stock", "price": f"{cents / 100:.2f} EUR", "brand": "Loma", "gtin": "", "condition": "new",
    }  # fmt: skip


def page(number: int) -> str:
    price = f"{price_of(number)}.90"
    item = {
        "@context": "https://schema.org", "@type": "Product", "name": f"Loma kettle {number}", "sku": f"SKU-{number}",
        "image": f"{HOME}/img/{number}.jpg", "brand": {"@type": "Brand", "name": "Loma"},
        "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR",
                   "availability": "https://schema.org/InStock"},
    }  # fmt: skip
    return (
        f'<!doctype html><html lang=en><link rel=canonical href="{HOME}/p/{number}">'
        f'<script type="application/ld+json">{json.dumps(item)}</script>'
        f"<h1>Loma kettle {number}</h1><p class=price>€{price}</p><button>Add to cart</button></html>"
    )


def pieces(form: str, rows: int, every: int) -> Iterator[str]:
    """A feed of a form."""
    made = (row(number, every) for number in range(rows))
    if form == "table":
        yield "\t".join(COLUMNS) + "\n"
        yield from ("\t".join(each[name] for name in COLUMNS) + "\n" for each in made)
    elif form == "rss":
        yield '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>\n'
        yield from (
            f"<item>{''.join(f'<g:{name}>{text}</g:{name}>' for name, text in each.items())}</item>\n" for each in made
        )
        yield "</channel></rss>\n"
    elif form == "jsonl":
        yield from (json.dumps(each) + "\n" for each in openai_rows(made))
    else:
        yield '{"products": ['
        for number, each in enumerate(made):
            amount = {"amount": round(float(each["price"].split()[0]) * 100), "currency": "EUR"}
            variant = {"id": each["id"], "title": each["title"], "url": each["link"], "price": amount,
                       "availability": {"available": True}}  # fmt: skip
            yield f"{',' * bool(number)}\n{json.dumps({'id': each['id'], 'variants': [variant]})}"
        yield "]}\n"


def openai_rows(made: Iterator[dict[str, str]]) -> Iterator[dict[str, str]]:
    names = {"id": "item_id", "link": "url", "image_link": "image_url"}
    for each in made:
        yield {names.get(name, name): text for name, text in each.items()} | {"seller_name": "Loma Home"}


def write_feed(feed: Path, form: str, rows: int, every: int) -> None:
    """Write a feed of a form: a compressed one by the end of its name."""
    name, _, packing = form.partition(".")
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        made = openai_rows(row(number, every) for number in range(rows))
        schema = pa.schema([(column, pa.string()) for column in next(openai_rows(iter([row(0, every)])))])
        with pq.ParquetWriter(feed, schema, compression="zstd") as writer:
            while part := list(islice(made, 50_000)):
                writer.write_table(pa.Table.from_pylist(part, schema=schema))
        return
    from backports.zstd import open as open_zstd

    opened = {"": open, "gz": gzip.open, "zst": open_zstd}[packing]
    with opened(feed, "wt", encoding="utf-8") as file:
        file.writelines(pieces(name, rows, every))


class Run(NamedTuple):
    """Run of the command: seconds by the clock, user time of the processor in seconds, peak memory in MiB, counts."""

    took: float
    user: float
    memory: float
    counts: dict[str, int]

    def __str__(self) -> str:
        return f"{self.took:.1f} s, {self.user:.1f} s of user time, {self.memory:.0f} MiB"


def measured(folder: Path, feed: Path | None) -> Run:
    """Run over the pages, with a feed or without."""
    command = [sys.executable, "-m", "waypost", "validate", str(folder / "public"), "--format", "json", "--jobs", "1",
               "--fail-on", "never", "--output", str(folder / "report.json")]  # fmt: skip
    command += ["--feed", str(feed)] if feed else []
    start = time.monotonic()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - start
    if status:
        raise SystemExit(f"status {status}: {' '.join(command)}")
    files = json.loads((folder / "report.json").read_text("utf-8"))["files"]
    counts: dict[str, int] = next((file["feed"] for file in files if "feed" in file), {})
    counts["findings"] = sum(each["rule"] == "feed-differs" for file in files for each in file["findings"])
    return Run(took, usage.ru_utime, usage.ru_maxrss / 1024, counts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--form", choices=FORMS, action="append")
    args = parser.parse_args()
    expected = len(range(0, min(args.rows // 10, args.pages), args.every))
    status = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "public").mkdir()
        for number in range(args.pages):
            (folder / "public" / f"{number}.html").write_text(page(number), "utf-8")
        print(f"{args.pages:,} pages without a feed: {measured(folder, None)}")
        for form in args.form or FORMS:
            peaks = []
            for rows in (args.rows // 10, args.rows):
                feed = folder / NAMES[form]
                # Elsewhere: the memory of a process counts in the peak of those that it starts.
                writer = get_context("spawn").Process(target=write_feed, args=(feed, form, rows, args.every))
                writer.start()
                writer.join()
                run = measured(folder, feed)
                counts = run.counts
                peaks.append(run.memory)
                size = feed.stat().st_size >> 20
                print(f"{form}: {rows:,} rows, {size} MiB: {run}, {counts['differing']} products differ")
                differing = len(range(0, min(rows, args.pages), args.every))
                if counts["rows"] != rows or counts["differing"] != differing or counts["findings"] != differing:
                    print(f"expected {differing} differences: {counts}")
                    status = 1
            status = status if peaks[1] <= MOST_GROWTH * peaks[0] else 1
    return status if expected else 1


if __name__ == "__main__":
    sys.exit(main())
