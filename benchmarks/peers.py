"""Whole lint against its floor and its peers, alternated in one run, single process each, pages in memory.

    python benchmarks/peers.py PAGES [--rounds 5] [--adobe NODE_MODULES --vocabulary schemaorg-all-https.jsonld]

PAGES is a folder of .html or .html.gz files. In each round each contestant goes through all pages, as it would in
use; the best time of each page over all rounds counts, so that a busy machine troubles all alike. Prints milliseconds a page and the
ratios that count; absolute numbers are this machine's. What lives after warming up is frozen for the garbage
collector, as the command line does it, for all contestants of this process. For the npm peer:

    npm install --prefix FOLDER @adobe/structured-data-validator@1.7.1 @marbec/web-auto-extractor@2.2.1
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import extruct
import turbohtml

from waypost.extract import read_page
from waypost.registry import load
from waypost.validate import validate_page

URL = "https://www.example.com/"
BARE, READER, LINT, EXTRUCT, ADOBE = "bare parse", "reader", "whole lint", "extruct json-ld+microdata", "adobe"
_DECODED: dict[bytes, str] = {}


def pages_in(folder: Path) -> list[bytes]:
    found = sorted(p for p in folder.rglob("*.html*") if p.is_file())
    return [gzip.decompress(p.read_bytes()) if p.suffix == ".gz" else p.read_bytes() for p in found]


class Adobe:
    """A Node process that validates all pages once for each line we send."""

    def __init__(self, modules: Path, vocabulary: Path, pages: list[bytes], folder: Path) -> None:
        names = []
        for number, page in enumerate(pages):
            path = folder / f"{number}.html"
            path.write_bytes(page)
            names.append(str(path))
        listing = folder / "list.txt"
        listing.write_text("\n".join(names), encoding="utf-8")
        script = Path(__file__).with_name("adobe.mjs")
        self.process = subprocess.Popen(
            ["node", str(script), str(modules.resolve()), str(vocabulary.resolve()), str(listing)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.last: dict[str, Any] = self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if line.startswith("{"):
                return dict(json.loads(line))
        raise SystemExit("the Node peer ended; run benchmarks/adobe.mjs by hand to see why")

    def round(self) -> list[float]:
        """Seconds for each page."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.last = self._answer()
        return [ms / 1000 for ms in self.last["ms"]]


def contestants() -> dict[str, Callable[[bytes], object]]:
    """Each from the bytes of a page, but extruct: it gets text that was decoded before the clock starts."""
    registry = load()
    vocabulary = registry.vocabulary

    def bare(page: bytes) -> object:
        text = page.decode("utf-8", "replace")
        return turbohtml.parse(text, source_locations=True, scripting=True, allow_declarative_shadow_roots=False)

    def extruct_(page: bytes) -> object:
        return extruct.extract(_DECODED[page], base_url=URL, syntaxes=["json-ld", "microdata"], errors="ignore")

    return {
        BARE: bare,
        READER: lambda page: read_page(page, vocabulary, url=URL),
        LINT: lambda page: validate_page(page, registry, url=URL),
        EXTRUCT: extruct_,
    }


def keep_best(best: list[float], times: list[float]) -> None:
    best[:] = map(min, best, times)


def a_round(rivals: dict[str, Callable[[bytes], object]], pages: list[bytes]) -> dict[str, list[float]]:
    """Seconds for each page, by contestant."""
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for name, work in rivals.items():
        for page in pages:
            began = time.perf_counter()
            work(page)  # and let go of the result again: that is part of the price
            times[name].append(time.perf_counter() - began)
    return times


def told(best: dict[str, list[float]], rounds: dict[str, float], pages: list[bytes]) -> None:
    """The best time of each page, and the best whole round: that one has the garbage collectors' pauses in it."""
    totals = {name: sum(times) for name, times in best.items()}
    print(f"{'':40} {'best of each page':>24} {'best round':>24}")
    for name, seconds in totals.items():
        columns = (
            f"{each / len(pages) * 1000:8.3f} ms {len(pages) / each:6.0f} pages/s" for each in (seconds, rounds[name])
        )
        print(f"{name:40}", *(f"{column:>24}" for column in columns))
    for one, other in ((READER, BARE), (LINT, BARE), (EXTRUCT, LINT), (ADOBE, LINT)):
        if one in totals:
            print(f"{f'{one} / {other}':40} {totals[one] / totals[other]:24.2f} {rounds[one] / rounds[other]:24.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--adobe", type=Path, help="a node_modules folder that holds the npm peer")
    parser.add_argument("--vocabulary", type=Path, help="schemaorg-all-https.jsonld for the npm peer")
    options = parser.parse_args()
    pages = pages_in(options.pages)
    _DECODED.update((page, page.decode("utf-8", "replace")) for page in pages)
    rivals = contestants()
    best: dict[str, list[float]] = {}
    rounds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        adobe = Adobe(options.adobe, options.vocabulary, pages, Path(folder)) if options.adobe else None
        for number in range(options.rounds + 1):
            times = a_round(rivals, pages)
            if adobe is not None:
                times[ADOBE] = adobe.round()
            if number == 0:  # warming up
                gc.collect()
                gc.freeze()
                continue
            for name, each in times.items():
                keep_best(best.setdefault(name, each), each)
                rounds[name] = min(rounds.get(name, sum(each)), sum(each))
        if adobe is not None:
            print(f"adobe crashed on {adobe.last['crashed']} of {len(pages)} pages, {adobe.last['findings']} findings")
            adobe.process.kill()
    told(best, rounds, pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
