"""Mutated pages and JSON, until the time is up: nothing crashes, nothing hangs, no place is out of range.

    python benchmarks/fuzz.py [--minutes 10] [--pages FOLDER] [--seed N] [--keep FOLDER]

Seeds are the project's cases and examples, and the pages of FOLDER. Each round takes one, cuts, doubles,
swaps and inserts pieces (of other seeds, and of a list of tokens that readers trip over), and runs the whole
lint and the preview. An input that raises, takes longer than `--limit` seconds or yields a place outside the
file is written to `--keep`, and the run ends with 1.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
import traceback
from pathlib import Path

from waypost.errors import WaypostError
from waypost.preview import make_snippet
from waypost.registry import Registry, load
from waypost.validate import validate_data, validate_page

ROOT = Path(__file__).resolve().parent.parent
TOKENS = [
    b"<script type=application/ld+json>", b"</script>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b'"@context"', b'"@id"',
    b'"@graph"', b'"@type"', b'"@reverse"', b'"@list"', b'"@value"', b'"@vocab"', b"{", b"}", b"[", b"]", b",", b":",
    b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n", b"&quot;",
    b"&amp;amp;", b"NaN", b"null", b"1e999", b"-0", b"9" * 400, b"<div itemscope itemprop=a>", b"itemref='a b c'",
    b" itemtype='https://schema.org/Product'", b"<meta itemprop=name content=x>", b"<template>", b"</template>",
    b"<body itemscope>", b"<html lang=x>", b"<noscript>", b"<svg>", b"<table><tr>", b"vocab='https://schema.org/'",
    b" typeof='Product Offer'", b" property='name price'", b" resource='#a'", b"<base href='http://[bad'>", b"<a href='//'>",
    b"\xf0\x9d\x84\x9e", b"\xe4\xb8\xad", b"2026-02-31", b"P1Y2M", b"<time itemprop=x>", b"http://schema.org/", b"schema:",
]  # fmt: skip


def seeds(folder: Path | None) -> list[bytes]:
    roots = [ROOT / "tests" / "cases", ROOT / "examples", *([folder] if folder else [])]
    found = []
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.suffix in {".html", ".json", ".jsonld"}:
                found.append(path.read_bytes())
            elif path.suffix == ".gz":
                found.append(gzip.decompress(path.read_bytes()))
    return found


def mutated(seed: bytes, others: list[bytes], chance: random.Random) -> bytes:
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 2, 3, 8, 30))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 2, 8, 60, 600)))
        match chance.randrange(6):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = chance.choice(TOKENS)
            case 2:
                data[at:at] = data[at:end] * chance.choice((1, 2, 20))
            case 3:
                other = chance.choice(others)
                start = chance.randrange(len(other) + 1)
                data[at:end] = other[start : start + 300]
            case 4 if data:
                data[min(at, len(data) - 1)] = chance.randrange(256)
            case _:
                data[at:end] = chance.choice(TOKENS)
    return bytes(data[:400_000])


def check_input(data: bytes, registry: Registry) -> None:
    """Lint and preview one input; raises when a promise is broken."""
    as_data = data.lstrip()[:1] in (b"{", b"[")
    for validate in (validate_page, validate_data) if as_data else (validate_page,):
        report = validate(data, registry, url="https://www.example.com/page")
        for finding in report.findings:
            if not 0 <= finding.start <= finding.end <= len(data) or finding.line < 1 or finding.column < 1:
                raise AssertionError(f"a place outside the file: {finding}")
    try:
        make_snippet(data, registry)
    except WaypostError:
        return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds one input may take")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"))
    options = parser.parse_args()
    chance, pool, registry = random.Random(options.seed), seeds(options.pages), load()
    ends, count, size, slowest = time.monotonic() + options.minutes * 60, 0, 0, 0.0
    bad = 0
    while time.monotonic() < ends and bad < 20:
        data = mutated(chance.choice(pool), pool, chance)
        began = time.monotonic()
        try:
            check_input(data, registry)
        except Exception:  # noqa: BLE001 - finding any is the point
            bad += 1
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{options.seed}-{count}.bin").write_bytes(data)
            traceback.print_exc()
        took = time.monotonic() - began
        slowest = max(slowest, took)
        if took > options.limit:
            bad += 1
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{options.seed}-{count}-slow.bin").write_bytes(data)
            print(f"input {count} of {len(data)} bytes took {took:.1f} s")
        count += 1
        size += len(data)
    print(f"{count} inputs, {size / 1e6:.0f} MB, slowest {slowest:.2f} s, {bad} broke a promise")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
