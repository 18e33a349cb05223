"""What `waypost validate --jobs` gains: a folder of pages repeated, one process against several, in alternated rounds.

python benchmarks/jobs.py PAGES [--times 10] [--jobs 2] [--rounds 3]

The best round of each counts. Beside the time it prints what all processes together took of the processors: on a
busy machine the time says little, and one process's share over the other's is the most that there is to gain.
"""

from __future__ import annotations

import argparse
import gzip
import os
import resource
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


def took(folder: Path, jobs: int) -> tuple[float, float]:
    """Seconds by the clock, and of the processors."""
    command = [sys.executable, "-m", "waypost", "validate", "--format", "json", "--fail-on", "never", "--no-config"]
    began, used = time.perf_counter(), processor_seconds()
    subprocess.run([*command, "--jobs", str(jobs), str(folder)], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began, processor_seconds() - used


def processor_seconds() -> float:
    """Of all processes that were started here and have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
        best = dict.fromkeys((1, options.jobs), (float("inf"), float("inf")))
        for _ in range(options.rounds):
            for jobs, known in best.items():
                clock, used = took(folder, jobs)
                best[jobs] = min(known[0], clock), min(known[1], used)
    print(f"{files} files, {os.cpu_count()} processors")
    for jobs, (seconds, used) in best.items():
        gain, most = best[1][0] / seconds, jobs * best[1][1] / used
        print(
            f"--jobs {jobs}: {seconds:6.2f} s  {files / seconds:6.0f} pages/s  {gain:.2f}x"
            f"  ({used:.2f} s of the processors, so {most:.2f}x at most)"
        )


if __name__ == "__main__":
    main()
