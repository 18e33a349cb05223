"""Whole lint against its floor and its peers, alternated in one run, one process each, pages in memory.

    python benchmarks/peers.py PAGES [--rounds 5] [--adobe NODE_MODULES --vocabulary schemaorg-all-https.jsonld]

PAGES is a folder of .html or .html.gz files. Prints milliseconds a page (best round) and the ratios that
count; absolute numbers are this machine's. For the npm peer:

    npm install --prefix FOLDER @adobe/structured-data-validator@1.7.1 @marbec/web-auto-extractor@2.2.1
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from waypost.extract import read_page
from waypost.extract.tree import Tree
from waypost.registry import load
from waypost.validate import validate_page


def pages_in(folder: Path) -> list[bytes]:
    found = sorted(p for p in folder.rglob("*.html*") if p.is_file())
    return [gzip.decompress(p.read_bytes()) if p.suffix == ".gz" else p.read_bytes() for p in found]


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


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

    def round(self) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.last = self._answer()
        return float(self.last["ms"]) / 1000


def contestants(pages: list[bytes]) -> dict[str, Callable[[], float]]:
    registry = load()
    texts = [page.decode("utf-8", "replace") for page in pages]

    def lint() -> None:
        for page in pages:
            validate_page(page, registry, url="https://www.example.com/")

    def reader() -> None:
        for page in pages:
            read_page(page, registry.vocabulary, url="https://www.example.com/")

    def bare() -> None:
        for page in pages:
            Tree(page.decode("utf-8", "replace"))

    def extruct_() -> None:
        import extruct

        for text in texts:
            extruct.extract(text, base_url="https://www.example.com/", syntaxes=["json-ld", "microdata"], errors="ignore")

    named = {"bare parse": bare, "reader": reader, "whole lint": lint, "extruct json-ld+microdata": extruct_}
    return {name: lambda work=work: timed(work) for name, work in named.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--adobe", type=Path, help="a node_modules folder that holds the npm peer")
    parser.add_argument("--vocabulary", type=Path, help="schemaorg-all-https.jsonld for the npm peer")
    options = parser.parse_args()
    pages = pages_in(options.pages)
    rivals = contestants(pages)
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.adobe:
            adobe = Adobe(options.adobe, options.vocabulary, pages, Path(folder))
            rivals["adobe"] = adobe.round
        for _ in range(options.rounds):
            for name, run in rivals.items():
                best[name] = min(best.get(name, 1e9), run())
        if options.adobe:
            print(f"adobe crashed on {adobe.last['crashed']} of {len(pages)} pages, {adobe.last['findings']} findings")
            adobe.process.kill()
    for name, seconds in best.items():
        per_page = seconds / len(pages)
        print(f"{name:28} {per_page * 1000:8.3f} ms/page {1 / per_page:8.0f} pages/s")
    print(f"reader / bare parse          {best['reader'] / best['bare parse']:8.2f}")
    print(f"extruct / whole lint         {best['extruct json-ld+microdata'] / best['whole lint']:8.2f}")
    if "adobe" in best:
        print(f"adobe / whole lint           {best['adobe'] / best['whole lint']:8.2f}")
    print(
        f"peak resident memory         {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB (all contestants)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
