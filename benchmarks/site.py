"""How long the site takes: the whole build, a second one, and a build by a watch after one file changed.

    python benchmarks/site.py [--rounds 5]

Each round is a fresh process. Wall and processor time are both told: on a busy machine only the latter says much.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def built(folder: str) -> dict[str, float]:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(ROOT / "build.py"), "--output", folder, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {**json.loads(done.stdout), "wall_s": time.perf_counter() - began}


def again() -> tuple[float, float]:
    """Wall and processor seconds of a second build in one process, after a guide was changed: what a watch does."""
    from waypost.pages import Settings, build
    from waypost.registry import load

    registry, written = load(), {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            wall, used = time.perf_counter(), time.process_time()
            build(
                registry, Path(folder), cases=ROOT / "tests" / "cases", settings=Settings(checked=False), before=written
            )
        return time.perf_counter() - wall, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        runs = [built(folder) for _ in range(rounds)]
    best = {name: min(run[name] for run in runs) for name in ("render_s", "examples_s", "check_s", "wall_s")}
    last = runs[-1]
    print(f"{last['pages']} pages, {last['files']} files; best of {rounds}:", json.dumps(best))
    print(f"a second build writes {last['written']} files")
    times = [again() for _ in range(rounds)]
    print(f"by a watch: {min(t[0] for t in times):.2f} s, {min(t[1] for t in times):.2f} s of the processor")


if __name__ == "__main__":
    main()
