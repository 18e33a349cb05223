"""What `waypost validate --jobs` gains: a folder of pages repeated, one process against several, in alternated rounds.

python benchmarks/jobs.py PAGES [--times 10] [--jobs 2] [--rounds 3]
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def laid_out(pages: Path, folder: Path, times: int) -> int:
    """Write each page so many times; how many files there are then."""
    number = 0
    for path in sorted(path for path in pages.rglob("*.html*") if path.is_file()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for _ in range(times):
            (folder / f"{number}.html").write_bytes(data)
            number += 1
    return number


def took(folder: Path, jobs: int) -> float:
    command = [sys.executable, "-m", "waypost", "validate", "--format", "json", "--fail-on", "never", "--no-config"]
    began = time.perf_counter()
    subprocess.run([*command, "--jobs", str(jobs), str(folder)], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = laid_out(options.pages, folder, options.times)
        best = {1: float("inf"), options.jobs: float("inf")}
        for _ in range(options.rounds):
            for jobs, known in best.items():
                best[jobs] = min(known, took(folder, jobs))
    print(f"{files} files, {os.cpu_count()} processors")
    for jobs, seconds in best.items():
        gain = best[1] / seconds
        print(f"--jobs {jobs}: {seconds:6.2f} s  {files / seconds:6.0f} pages/s  {gain:.2f}x")


if __name__ == "__main__":
    main()
