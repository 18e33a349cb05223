"""How much the reader costs beside the bare tree parse with source locations, both from bytes, alternated.

    python benchmarks/reader.py FOLDER [ROUNDS]

FOLDER holds .html or .html.gz files. Each page is timed in turn by each contestant; the best time of all
rounds counts, so that a busy machine read_errors both alike.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable
from pathlib import Path

import turbohtml

from waypost.reader import read_page
from waypost.registry import load

VOCABULARY = load().vocabulary


def bare(data: bytes) -> object:
    return turbohtml.parse(
        data.decode("utf-8", "replace"), source_locations=True, scripting=True, allow_declarative_shadow_roots=False
    )


def reader(data: bytes) -> object:
    return read_page(data, VOCABULARY)


def pages(folder: Path) -> list[bytes]:
    files = sorted(path for path in folder.rglob("*.html*") if path.is_file())
    return [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files]


def best(contestants: dict[str, Callable[[bytes], object]], given: list[bytes], rounds: int) -> dict[str, float]:
    """Contestant -> seconds for all pages, the best round of each page."""
    fastest = {name: [float("inf")] * len(given) for name in contestants}
    for _ in range(rounds):
        for number, data in enumerate(given):
            for name, contestant in contestants.items():
                started = time.perf_counter()
                contestant(data)  # and let go of the result again: that is part of the price
                took = time.perf_counter() - started
                fastest[name][number] = min(took, fastest[name][number])
    return {name: sum(each) for name, each in fastest.items()}


def main() -> None:
    folder = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    given = pages(folder)
    took = best({"bare parse": bare, "reader": reader}, given, rounds)
    for name, seconds in took.items():
        print(f"{name:12s} {seconds / len(given) * 1000:7.3f} ms a page  {seconds / took['bare parse']:.3f}")


if __name__ == "__main__":
    main()
