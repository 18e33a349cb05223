"""How long the command line takes to start, against a bare interpreter, in alternated rounds.

    python benchmarks/coldstart.py [--rounds 30] [--page FILE]

Best and median of each in milliseconds, and the median over that of `python -c pass` in the same run. Bytecode is
cached in a folder of its own, warmed by one round before, whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def lanes(page: Path) -> dict[str, list[str]]:
    waypost = [sys.executable, "-m", "waypost"]
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "waypost --version": [*waypost, "--version"],
        "waypost --help": [*waypost, "--help"],
        f"waypost validate {page.name}": [*waypost, "validate", "--fail-on", "never", str(page)],
    }


def took_ms(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--page", type=Path, default=ROOT / "examples" / "site" / "recipes" / "rye-bread.html")
    args = parser.parse_args()
    commands = lanes(args.page)
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as cache:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        for turn in range(args.rounds + 1):
            for name, command in commands.items():
                took = took_ms(command, environment)
                if turn:
                    times[name].append(took)
    bare = statistics.median(times["python -c pass"])
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:<34} best {min(each):6.1f} ms  median {median:6.1f} ms  {median / bare:5.1f}x bare")


if __name__ == "__main__":
    main()
