"""Time from `waypost up` in an empty folder to its first answers, of this checkout and of others in turn.

    python benchmarks/ready.py --rounds 5
    python benchmarks/ready.py --rounds 5 PYTHON...    the Pythons of other environments with waypost, in the same run

Each round starts every version once: `up --offline --json` on a free port, with the site built beside it, the store made and
the key printed. Printed are the medians of the wall time and of the processor time of the service, without that of the
build of the site, until the address is printed, until `/readyz` answers 200, and until a decision is answered with the
printed key. Exit status 1 where this checkout takes longer than `--most` seconds to be ready.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

AIM_S = 2.0
PATIENCE_S = 120
POINTS = ("printed", "ready", "decided")
BODY = json.dumps({"url": "https://shop.example.com/cart", "intended_action": "payment"}).encode()


def processor_s(process: int) -> float:
    """Seconds of the processor that a process has taken, without its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answer(address: str, body: bytes | None = None, key: str = "") -> dict[str, Any]:
    """Answer to a request, as soon as there is one of status 200."""
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=PATIENCE_S) as found:
                decoded: dict[str, Any] = json.loads(found.read())
                return decoded
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def start(python: str, folder: Path) -> dict[str, tuple[float, float]]:
    """Wall and processor time of a start: point -> both, in seconds."""
    found: dict[str, tuple[float, float]] = {}
    command = [python, "-m", "waypost", "up", "--offline", "--json", "--port", "0", "--data", str(folder / "data")]
    begun = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:

        def note(point: str) -> None:
            found[point] = (time.perf_counter() - begun, processor_s(process.pid))

        try:
            assert process.stdout is not None
            summary = json.loads(process.stdout.readline())
            note("printed")
            assert answer(f"{summary['base_url']}/readyz")["status"] == "ready"
            note("ready")
            decision = answer(f"{summary['base_url']}/v1/agent-safety", BODY, summary["key"])
            assert decision["action_allowed"] is False, decision
            note("decided")
        finally:
            process.send_signal(signal.SIGINT)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("others", nargs="*", metavar="PYTHON", help="Python of another environment with waypost")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=float, default=AIM_S, metavar="SECONDS")
    options = parser.parse_args()
    pythons = [sys.executable, *options.others]
    runs: dict[str, list[dict[str, tuple[float, float]]]] = {python: [] for python in pythons}
    for _ in range(options.rounds):
        for python in pythons:
            with tempfile.TemporaryDirectory() as folder:
                runs[python].append(start(python, Path(folder)))
    print(f"{'seconds, median of ' + str(options.rounds):40} {'wall':>8} {'processor':>10}")
    for python, found in runs.items():
        print(python)
        for point in POINTS:
            wall, processor = (statistics.median(run[point][n] for run in found) for n in (0, 1))
            print(f"  {point:38} {wall:8.2f} {processor:10.2f}")
    return int(statistics.median(run["ready"][0] for run in runs[sys.executable]) > options.most)


if __name__ == "__main__":
    raise SystemExit(main())
