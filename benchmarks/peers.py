"""Whole lint against its floor and its peers, alternated in one run, single process each, pages in memory.

    python benchmarks/peers.py PAGES [--rounds 5] [--adobe NODE_MODULES --vocabulary schemaorg-all-https.jsonld]

PAGES is a folder of .html or .html.gz files. Each contestant has a process of its own, as in use: beside another one
its memory is where the other left room. Where it lies makes several percent, so each is started anew a few times. In
each round each goes through all pages while the others wait; the best time of each page over all rounds counts, so
that a busy machine read_errors all alike. Prints milliseconds a page and the ratios that count; absolute numbers are this
machine's and this interpreter's (one that was built without --enable-optimizations takes 5 to 10 % longer).
What lives after warming up is frozen for the garbage collector, which is called as seldom as in the command line, in
each Python process. For the npm peer:

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

URL = "https://www.example.com/"
BARE, READER, LINT, EXTRUCT, ADOBE = "bare parse", "reader", "whole lint", "extruct json-ld+microdata", "adobe"


def pages_in(folder: Path) -> list[bytes]:
    found = sorted(p for p in folder.rglob("*.html*") if p.is_file())
    return [gzip.decompress(p.read_bytes()) if p.suffix == ".gz" else p.read_bytes() for p in found]


class Contestant:
    """A process that goes through all pages once for each line we send, and answers with milliseconds a page."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.command = [str(part) for part in command]
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.last: dict[str, Any] = self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if line.startswith("{"):
                return dict(json.loads(line))
        raise SystemExit(f"a contestant ended; to see why: {' '.join(self.command)}")

    def round(self) -> list[float]:
        """Seconds for each page."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.last = self._answer()
        return [ms / 1000 for ms in self.last["ms"]]


def node_peer(modules: Path, vocabulary: Path, pages: list[bytes], folder: Path) -> Contestant:
    names = []
    for number, page in enumerate(pages):
        path = folder / f"{number}.html"
        path.write_bytes(page)
        names.append(str(path))
    listing = folder / "list.txt"
    listing.write_text("\n".join(names), encoding="utf-8")
    script = Path(__file__).with_name("adobe.mjs")
    return Contestant(["node", script, modules.resolve(), vocabulary.resolve(), listing])


def bare() -> Callable[[bytes], object]:
    import turbohtml

    def work(page: bytes) -> object:
        text = page.decode("utf-8", "replace")
        return turbohtml.parse(text, source_locations=True, scripting=True, allow_declarative_shadow_roots=False)

    return work


def reader() -> Callable[[bytes], object]:
    from waypost.reader import read_page
    from waypost.registry import load

    vocabulary = load().vocabulary
    return lambda page: read_page(page, vocabulary, url=URL)


def lint() -> Callable[[bytes], object]:
    from waypost.registry import load
    from waypost.validate import validate_page

    registry = load()
    return lambda page: validate_page(page, registry, url=URL)


def extruct_() -> Callable[[str], object]:
    import extruct

    return lambda text: extruct.extract(text, base_url=URL, syntaxes=["json-ld", "microdata"], errors="ignore")


RIVALS: dict[str, Callable[[], Callable[[Any], object]]] = {BARE: bare, READER: reader, LINT: lint, EXTRUCT: extruct_}


def compete(name: str, pages: list[bytes]) -> None:
    """Be a contestant. Each works from the bytes of a page, but extruct from text that was decoded before."""
    from waypost.isolation.process import GC_THRESHOLD

    work = RIVALS[name]()
    given: Sequence[Any] = [page.decode("utf-8", "replace") for page in pages] if name == EXTRUCT else pages
    print(json.dumps({"ready": len(pages)}), flush=True)
    for number, _ in enumerate(sys.stdin):
        times = []
        for page in given:
            began = time.perf_counter()
            work(page)  # and let go of the result again: that is part of the price
            times.append((time.perf_counter() - began) * 1000)
        if number == 0:  # warming up
            gc.collect()
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLD)
        print(json.dumps({"ms": times}), flush=True)


def keep_best(best: list[float], times: list[float]) -> None:
    best[:] = map(min, best, times)


def print_best(best: dict[str, list[float]], rounds: dict[str, float], pages: list[bytes]) -> None:
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
    parser.add_argument("--rounds", type=int, default=5, help="for each start")
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--adobe", type=Path, help="a node_modules folder that holds the npm peer")
    parser.add_argument("--vocabulary", type=Path, help="schemaorg-all-https.jsonld for the npm peer")
    parser.add_argument("--contestant", choices=RIVALS, help="be one of them (what the others are started with)")
    options = parser.parse_args()
    pages = pages_in(options.pages)
    if options.contestant:
        compete(options.contestant, pages)
        return 0
    best: dict[str, list[float]] = {}
    rounds: dict[str, float] = {}
    print(f"Python {sys.version.split()[0]}, {options.starts} starts of {options.rounds} rounds, {len(pages)} pages")
    with tempfile.TemporaryDirectory() as folder:
        me = [sys.executable, Path(__file__).resolve(), options.pages]
        for start in range(options.starts):
            rivals = {name: Contestant([*me, "--contestant", name]) for name in RIVALS}
            if options.adobe:
                rivals[ADOBE] = node_peer(options.adobe, options.vocabulary, pages, Path(folder))
            for number in range(options.rounds + 1):
                for name, rival in rivals.items():
                    times = rival.round()
                    if number:  # the first is for warming up
                        keep_best(best.setdefault(name, times), times)
                        rounds[name] = min(rounds.get(name, sum(times)), sum(times))
            if ADOBE in rivals and not start:
                last = rivals[ADOBE].last
                print(f"adobe crashed on {last['crashed']} of {len(pages)} pages, {last['findings']} findings")
            for rival in rivals.values():
                rival.process.kill()
                rival.process.wait()
    print_best(best, rounds, pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
