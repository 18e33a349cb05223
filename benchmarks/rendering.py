"""Measure the rendering of pages: pages a second, and memory over many pages.

    python benchmarks/rendering.py [--pages 500] [--together 2]

Made product pages, each with 40 elements, two scripts of its folder and markup that a script writes after a request for
data. Prints pages a second, and the memory of this process and of all processes below it (driver and browser) after
each hundred pages. The calibration is a loop of the processor beside which a loaded machine can be recognised.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from waypost.net.crawl import Crawler
from waypost.render.browsers import find_browser
from waypost.render.folders import ORIGIN
from waypost.render.model import Limits, Target
from waypost.render.renderer import Renderer

LIBRARY = """
const h = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
"""
SHOP = """
fetch(`/data/${document.body.dataset.number}.json`).then((answer) => answer.json()).then((product) => {
  const rows = Array.from({ length: 40 }, (_, row) => h("p", { class: "row" }, `${product.name} ${row}`));
  document.body.append(h("h1", {}, product.name), ...rows, h("script", { type: "application/ld+json" }, JSON.stringify(product)));
});
"""


def made_site(folder: Path, pages: int) -> None:
    (folder / "data").mkdir()
    (folder / "library.js").write_text(LIBRARY)
    (folder / "shop.js").write_text(SHOP)
    for number in range(pages):
        offer = {"@type": "Offer", "price": f"{number}.00", "priceCurrency": "EUR"}
        product = {"@context": "https://schema.org", "@type": "Product", "name": f"Kettle {number}", "offers": offer}
        (folder / "data" / f"{number}.json").write_text(json.dumps(product))


def targets(folder: Path, pages: int) -> Iterator[tuple[int, Target]]:
    for number in range(pages):
        page = (
            f'<!doctype html><html lang="en"><title>Kettle</title><body data-number="{number}">'
            '<script src="/library.js"></script><script src="/shop.js"></script>'
        )
        yield number, Target(f"{ORIGIN}/{number}.html", page.encode(), "text/html", root=folder, base=f"{ORIGIN}/")


def memory_mb(top: int) -> tuple[float, float]:
    """Proportional memory of a process, and of all processes below it, in megabytes."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    below, found = {top}, True
    while found:
        more = {each for each, parent in parents.items() if parent in below} - below
        below |= more
        found = bool(more)
    return _pss(top), sum(_pss(each) for each in below - {top})


def _pss(process: int) -> float:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(text.partition("\nPss:")[2].split()[0]) / 1024


def calibration_s() -> float:
    """Seconds of a fixed amount of work."""
    start = time.perf_counter()
    sum(range(20_000_000))
    return time.perf_counter() - start


def main() -> int:
    import os

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--together", type=int, default=2)
    options = parser.parse_args()
    print(f"calibration before: {calibration_s():.2f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as name, Crawler(robots=False) as crawler:
        folder = Path(name)
        made_site(folder, options.pages)
        with Renderer(crawler, find_browser(), limits=Limits(total_s=60), pages=options.together) as renderer:
            start = since = time.perf_counter()
            failed = 0
            for done, (_, page) in enumerate(renderer.render(targets(folder, options.pages)), 1):
                failed += page.outcome != "rendered" or b'"Product"' not in page.html
                if done % 100 == 0 or done == options.pages:
                    own, browser = memory_mb(os.getpid())
                    now = time.perf_counter()
                    rate = (done % 100 or 100) / (now - since)
                    print(
                        f"{done:>5} pages: {rate:5.1f} a second; {own:.0f} MB here, {browser:.0f} MB driver and browser"
                    )
                    since = now
            print(f"{options.pages / (time.perf_counter() - start):.1f} pages a second, {failed} failed")
    print(f"calibration after: {calibration_s():.2f} s; load {os.getloadavg()[0]:.1f}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
