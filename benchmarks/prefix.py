"""Does a page of which only the beginning is read say what it says as a whole? Pages made at random, without end.

    python benchmarks/prefix.py [--minutes 1] [--seed 1] [--pages FOLDER]

Half of the pages are put together from the tests' pieces (tables, comments, formatting, scripts that are no JSON-LD),
half are parts of real pages (`.html` or `.html.gz`) with such pieces put in. Each is read as far as needed, or some bytes
farther, and as a whole; nodes, values, ids and every place must be equal. A difference is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from test_extract_prefix import PIECES, both

LONGEST = 120_000  # code points of a real page that is taken a part of


def real_pages(folder: Path) -> list[str]:
    found = sorted(path for path in folder.rglob("*.html*") if path.is_file())
    texts = [(gzip.decompress(p.read_bytes()) if p.suffix == ".gz" else p.read_bytes()) for p in found]
    return [text for text in (data.decode("utf-8", "replace") for data in texts) if 0 < len(text) < LONGEST]


def made(rng: random.Random, pages: list[str]) -> str:
    if not pages or rng.random() < 0.5:
        return "".join(rng.choices(PIECES, k=rng.randrange(25)))
    page = rng.choice(pages)
    at = rng.randrange(len(page))
    text = page[:at] if rng.random() < 0.5 else page[at : at + rng.randrange(40_000)]
    for _ in range(rng.randrange(6)):
        place = text.find("<", rng.randrange(len(text) + 1))
        if place >= 0:
            text = text[:place] + rng.choice(PIECES) + text[place:]
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    pages = real_pages(options.pages) if options.pages else []
    tried = in_part = differences = 0
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        markup = made(rng, pages)
        beyond = None if rng.random() < 0.4 else rng.randrange(3_000)
        partly, whole, is_part = both(markup, beyond)
        tried, in_part = tried + 1, in_part + is_part
        if partly != whole:
            differences += 1
            print(f"differs, read {beyond} bytes beyond: {markup[:2_000]!r}")
    print(f"{tried:,} pages, {in_part:,} of them read in part: {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
