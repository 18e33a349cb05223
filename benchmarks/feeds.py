"""How long a threat list of a million entries takes to take in, how much memory, and how long a host to look up.

    python benchmarks/feeds.py [--entries 1000000] [--rounds 3]

Each import runs in a process of its own, from a file, so that the peak of its memory is its own. Lookups go through
`Feeds.matches` of one list: hosts that are listed and hosts that are not, in alternation. Best of the rounds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from waypost.feeds import Feeds
from waypost.feeds.ingest import ingest

FORMS = ("hosts", "plain", "csv", "openphish", "json")
LOOKUPS = 100_000


def names(count: int) -> Iterator[str]:
    chance = random.Random(1)
    for number in range(count):
        yield f"{chance.choice(('www', 'login', 'a1', 'secure-pay'))}{number}.{chance.randrange(10**7)}-shop.test"


def written(folder: Path, form: str, count: int) -> Path:
    path = folder / f"{form}.txt"
    with path.open("w") as file:
        for number, name in enumerate(names(count)):
            if form == "json":
                file.write(f'{"[" if not number else ","}"{name}"')
            else:
                file.write(
                    {
                        "hosts": f"0.0.0.0 {name}\n",
                        "plain": f"{name}\n",
                        "csv": f'{number},"2026-11-20",{name},phishing\n',
                        "openphish": f"https://{name}/wp-content/login.php?id={number}\n",
                    }[form]
                )
        file.write("]" if form == "json" else "")
    return path


def one(folder: Path, path: Path, form: str, answer: multiprocessing.SimpleQueue[tuple[float, float, int]]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    with path.open("rb") as stream:
        header = ingest(
            folder, stream, name=form, source="", form=form, column="3" if form == "csv" else None, now=0, max_age_s=1
        )
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer.put((took, (peak - before) / 1024, header.hosts + header.pages))


def lookup_us(folder: Path, count: int) -> float:
    requests = [
        name
        for pair in zip(names(count), (f"x{n}.example" for n in range(LOOKUPS // 2)), strict=False)
        for name in pair
    ]
    with Feeds.load(folder) as feeds:
        began = time.perf_counter()
        found = sum(bool(feeds.matches(host, host)) for host in requests)
        took = time.perf_counter() - began
    assert found == len(requests) // 2
    return took / len(requests) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for form in FORMS:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            path = written(folder, form, args.entries)
            rounds: list[tuple[float, float, int]] = []
            for _ in range(args.rounds):
                answer = context.SimpleQueue()
                process = context.Process(target=one, args=(folder / "feeds", path, form, answer))
                process.start()
                rounds.append(answer.get())
                process.join()
            took, memory, stored = min(rounds)
            us = min(lookup_us(folder / "feeds", args.entries) for _ in range(args.rounds))
            print(
                f"{form:<10} {stored:>9,} hosts of a file of {path.stat().st_size / 1e6:5.1f} MB in {took:5.2f} s, "
                f"{memory:4.0f} MB more than at the start; {us:4.2f} us a lookup"
            )


if __name__ == "__main__":
    main()
