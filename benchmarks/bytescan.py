"""Search and counts in bytes: stringzilla beside plain `bytes` methods, and its SHA-256 beside hashlib's.

    python benchmarks/bytescan.py [MEGABYTES]

Each pair is timed alternated on one text; the best of nine rounds counts. What is faster differs from machine to
machine: stringzilla picks its routines by the instructions that the processor has.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable

import stringzilla

from waypost.reader import bytescan
from waypost.reader.bytescan import Plain

LINE = '<li><a href="/caf\u00e9/{n}">Caf\u00e9 n\u00b0 {n}</a> <b>Se\u00f1or</b></li>\n'


def best(function: Callable[[], object]) -> float:
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def main() -> None:
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 300_000
    data = "".join(LINE.format(n=n) for n in range(size // 50)).encode()[:size]
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "find a rare word": (lambda: bytescan.find(data, b"ld+json"), lambda: Plain.find(data, b"ld+json")),
        "find the last": (lambda: bytescan.rfind(data, b"itemprop"), lambda: Plain.rfind(data, b"itemprop")),
        "count lines": (lambda: bytescan.count(data, b"\n"), lambda: Plain.count(data, b"\n")),
        "count CRLF": (lambda: bytescan.count(data, b"\r\n"), lambda: Plain.count(data, b"\r\n")),
        "count characters": (lambda: bytescan.utf8_count(data), lambda: Plain.utf8_count(data)),
        "lower case": (lambda: bytescan.lower(data), lambda: Plain.lower(data)),
        "SHA-256 / hashlib": (
            lambda: stringzilla.Sha256().update(data).digest(),
            lambda: hashlib.sha256(data).digest(),
        ),
    }
    print(f"{'':20} {'stringzilla':>12} {'plain':>12}  of {len(data) / 1e6:.1f} MB")
    for name, (fast, plain) in pairs.items():
        times = [(best(fast), best(plain)) for _ in range(9)]
        print(f"{name:20} {min(t[0] for t in times) * 1e6:9.0f} us {min(t[1] for t in times) * 1e6:9.0f} us")


if __name__ == "__main__":
    main()
