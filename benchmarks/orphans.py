"""End the parent of `waypost serve --workers`, again and again: the port is free and nobody serves on.

    python benchmarks/orphans.py [--times 20] [--workers 2] [--starting]

Each round starts the service on the same port, waits until it answers, kills the parent with SIGKILL, and measures the
seconds until no worker is left and the port can be bound. Exit status 1 where that takes more than --within seconds.
With --starting the parent gets SIGTERM at a random moment of its start, and must end with status 0 in the same time.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

WAYPOST = [sys.executable, "-m", "waypost"]
EVERY_S = 0.02
LONGEST_S = 15.0


def environment(port: int) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return {**own, "WAYPOST_SITE_URL": f"http://127.0.0.1:{port}"}


def free_port() -> int:
    """Port of 127.0.0.1 that is free, below the range from which systems choose the ports of outgoing connections: one
    of those may be in use by another process before a service binds it."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        if is_free(port):
            return port


def launch(data: Path, port: int, workers: int) -> subprocess.Popen[bytes]:
    """Service that has just been started."""
    return subprocess.Popen(
        [*WAYPOST, "serve", "--port", str(port), "--data", str(data), "--workers", str(workers), "--offline"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(port),
    )


def start(data: Path, port: int, workers: int) -> subprocess.Popen[bytes]:
    """Service that answers."""
    process = launch(data, port, workers)
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            return process
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise SystemExit("the service never answered")


def descendants(pid: int) -> set[int]:
    """Process ids below a process."""
    below: dict[int, set[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        below.setdefault(int(fields[1]), set()).add(int(status.parent.name))
    found, ahead = set(), [pid]
    while ahead:
        own = below.get(ahead.pop(), set()) - found
        found |= own
        ahead += own
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen()
        except OSError:
            return False
    return True


def killed(process: subprocess.Popen[bytes], port: int) -> tuple[float, float, set[int]]:
    """(seconds until the port is free, seconds until no process is left, processes left at the end)"""
    below = descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    began, free_s, left = time.monotonic(), LONGEST_S, below
    while left and time.monotonic() - began < LONGEST_S:
        if free_s == LONGEST_S and is_free(port):
            free_s = time.monotonic() - began
        left = {pid for pid in left if is_alive(pid)}
        time.sleep(EVERY_S)
    if free_s == LONGEST_S and is_free(port):
        free_s = time.monotonic() - began
    return free_s, time.monotonic() - began, left


def catches_sigterm(pid: int) -> bool:
    """Whether a process has a handler of SIGTERM; before its first line, Python has none."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def ended_early(data: Path, port: int, workers: int, after_s: float) -> tuple[int, float, set[int]]:
    """(exit status, seconds until no process is left, processes left at the end) of a service that gets SIGTERM
    `after_s` seconds into its start.
    """
    process = launch(data, port, workers)
    while not catches_sigterm(process.pid):
        time.sleep(0.001)
    time.sleep(after_s)
    below = descendants(process.pid)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    below |= descendants(process.pid)
    try:
        status = process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    while (left := {pid for pid in below if is_alive(pid)}) and time.monotonic() - began < LONGEST_S:
        time.sleep(EVERY_S)
    return status, time.monotonic() - began, left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--within", type=float, default=2.0, help="seconds")
    parser.add_argument("--starting", action="store_true", help="SIGTERM at random moments of the start")
    options = parser.parse_args()
    slow, worst = 0, 0.0
    with tempfile.TemporaryDirectory() as name:
        data, port = Path(name) / "data", free_port()
        command = [*WAYPOST, "org", "create", "Acme", "--data", str(data)]
        subprocess.run(command, check=True, capture_output=True, env=environment(port))
        if options.starting:
            return starting(data, port, options)
        for number in range(1, options.times + 1):
            free_s, gone_s, left = killed(start(data, port, options.workers), port)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            worst = max(worst, free_s, gone_s)
            slow += bool(left) or max(free_s, gone_s) > options.within
            print(f"{number}: port free after {free_s:.2f} s, no process left after {gone_s:.2f} s", flush=True)
    print(
        f"{'DOES NOT HOLD' if slow else 'HOLDS'}: after each of {options.times} kills of the parent the port is free and "
        f"no process is left within {options.within:g} s (the slowest {worst:.2f} s; {slow} were later or left one)"
    )
    return int(slow > 0)


def starting(data: Path, port: int, options: argparse.Namespace) -> int:
    began = time.monotonic()
    killed(start(data, port, options.workers), port)
    start_s, bad, worst = time.monotonic() - began, 0, 0.0
    for number in range(1, options.times + 1):
        after_s = random.uniform(0, 1.2 * start_s)
        status, gone_s, left = ended_early(data, port, options.workers, after_s)
        free = is_free(port)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        worst = max(worst, gone_s)
        bad += bool(left) or status != 0 or not free or gone_s > options.within
        print(f"{number}: after {after_s:.2f} s of {start_s:.2f}: status {status}, gone in {gone_s:.2f} s", flush=True)
    print(
        f"{'DOES NOT HOLD' if bad else 'HOLDS'}: SIGTERM at each of {options.times} moments of the start ends the service "
        f"with status 0, and the port is free within {options.within:g} s (the slowest {worst:.2f} s; {bad} did not)"
    )
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
