"""Measure the rendering of pages: processor time a page, pages a second, and memory over many pages.

    python benchmarks/rendering.py [--pages 500] [--together 2]

Made product pages, each with 40 elements, two scripts of its folder and markup that a script writes after a request for
data. Prints pages a second, the memory of this process and of all processes below it (driver and browser), and the
processor time of each kind of process a page, after each hundred pages. On a machine with other work the processor time
counts: 0.4 s a page are five pages a second on two processors.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Self

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


def processes_below(top: int) -> set[int]:
    """Process ids of all processes that a process has started, directly or not."""
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
    return below - {top}


def memory_mb(top: int) -> tuple[float, float]:
    """Proportional memory of a process, and of all processes below it, in megabytes."""
    return _pss(top), sum(_pss(each) for each in processes_below(top))


class Clock:
    """Processor time by kind of process, sampled, since a browser ends while its driver goes on."""

    def __init__(self, top: int) -> None:
        self._top = top
        self._seconds: dict[int, tuple[str, float]] = {}
        self._ended: dict[int, float] = {}
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._is_done.wait(0.25):
            self.read()

    def read(self) -> dict[str, float]:
        """Seconds by kind: python, driver, and the browser's main process, renderers and others."""
        for process in {self._top, *processes_below(self._top)}:
            try:
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b" ", b"\0").split(b"\0")
            except OSError:
                continue
            kind = next((word[7:].decode() for word in words if word.startswith(b"--type=")), "")
            is_driver = any(word.endswith(b"/node") for word in words[:1])
            name = "python" if process == self._top else kind or ("driver" if is_driver else "browser")
            tick = os.sysconf("SC_CLK_TCK")
            self._seconds[process] = name, (int(fields[11]) + int(fields[12])) / tick
            if name == "zygote":
                # Renderers live shorter than a sample may take: what the ended ones used, their parent knows.
                self._ended[process] = (int(fields[13]) + int(fields[14])) / tick
        total: dict[str, float] = defaultdict(float)
        for name, seconds in list(self._seconds.values()):
            total[name] += seconds
        total["renderer"] = max(total["renderer"], sum(self._ended.values()))
        return dict(total)


def _pss(process: int) -> float:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(text.partition("\nPss:")[2].split()[0]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--together", type=int, default=2)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as name, Crawler(robots=False) as crawler, Clock(os.getpid()) as clock:
        folder = Path(name)
        made_site(folder, options.pages)
        with Renderer(crawler, find_browser(), limits=Limits(total_s=60), pages=options.together) as renderer:
            start = since = time.perf_counter()
            failed, used = 0, clock.read()
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
            times = {kind: (value - used.get(kind, 0)) / options.pages for kind, value in clock.read().items()}
    parts = ", ".join(f"{kind} {value:.3f}" for kind, value in sorted(times.items(), key=lambda each: -each[1]))
    print(f"processor time: {sum(times.values()):.3f} s a page ({parts}); load {os.getloadavg()[0]:.1f}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
