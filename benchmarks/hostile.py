"""Processor time that hostile documents take, from 1 kB to 1 MB, against a plain catalogue of the same size.

    python benchmarks/hostile.py [--only WORDS] [--sizes 1,10,100,1000]
    python benchmarks/hostile.py --command
    python benchmarks/hostile.py --service [--seconds 2]

A document is judged, its report is encoded and its card made, as the service does it, in a process of its own for each
shape (`hostile_shapes.py`). A shape fails if a kilobyte of it takes more than 20 times the time of a plain one, or if
a kilobyte takes 2.5 times as long in the largest size as in the one before and half as long as a plain one at least;
then the exit status is 1. `--command` judges the largest size by `waypost validate`. `--service` sends each shape
without a key to a running service, while another client asks for 20 decisions a second, and shows how long those take.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from hostile_shapes import PLAIN, PLAIN_PAGE, SHAPES, Shape

MOST_S = 90
"""Processor time after which a shape is given up."""
MOST_TIMES, MOST_GROWTH = 20, 2.5
ENOUGH_S = 0.04
"""Time that is measured at least: the clock of some machines ticks in hundredths of a second."""
URL = "https://example.com/p"
MOST_PUBLIC = 15_000
"""Bytes of a document that a caller without a key may send."""


@lru_cache
def _registry() -> Any:
    from waypost.registry import load

    return load()


def judge(data: bytes, html: bool) -> None:
    """Judge a document, encode the report, make the card."""
    from waypost.errors import WaypostError
    from waypost.preview import make_snippet
    from waypost.report.json import as_data, encode_json
    from waypost.validate import build_report, validate_data, validate_page

    registry = _registry()
    file = (validate_page if html else validate_data)(data, registry, path="p", url=URL)
    encode_json(as_data(build_report([file], registry)))
    with suppress(WaypostError):
        make_snippet(data, registry, url=URL)


def microseconds(data: bytes, html: bool) -> float:
    """Processor time of a kilobyte."""
    began, count = time.process_time(), 0
    while (took := time.process_time() - began) < ENOUGH_S:
        judge(data, html)
        count += 1
    return took / count * 1e6 / (len(data) / 1000)


def shape_of(name: str) -> tuple[bool, Shape]:
    plain = {"plain page": (True, PLAIN_PAGE), "plain data": (False, PLAIN)}
    return plain.get(name) or SHAPES[name]


def measure(name: str, sizes: list[int]) -> None:
    """Print the time of a kilobyte in every size; the process that runs this is for one shape alone."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S + 1))
    html, shape = shape_of(name)
    judge(shape(300), html)
    for size in sizes:
        print(f"{microseconds(shape(size), html):.2f}", flush=True)


def run(name: str, sizes: list[int]) -> list[float]:
    """What `measure` prints for a shape; infinite for a size that was given up."""
    arguments = [sys.executable, __file__, "--measure", name, "--sizes", ",".join(str(size / 1000) for size in sizes)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode > 0:
        print(done.stderr[-1500:], file=sys.stderr)
    found = [float(line) for line in done.stdout.split()]
    return found + [float("inf")] * (len(sizes) - len(found))


def table(sizes: list[int], only: str) -> int:
    plain = {html: run(f"plain {'page' if html else 'data'}", sizes) for html in (True, False)}
    print("microseconds a kB, and times a plain document, in " + ", ".join(f"{size / 1000:g} kB" for size in sizes))
    for html, found in plain.items():
        print(f"{'plain page' if html else 'plain data':46}" + "".join(f"{each:9.0f}" for each in found))
    failed = 0
    for name, (html, _) in SHAPES.items():
        if only not in name:
            continue
        found = run(name, sizes)
        times = [mine / theirs for mine, theirs in zip(found, plain[html], strict=True)]
        growth = found[-1] / found[-2] if len(found) > 1 else 1.0
        bad = max(times) > MOST_TIMES or (growth > MOST_GROWTH and times[-1] > 0.5)
        failed += bad
        cells = "".join(f"{each:9.0f}" for each in found) + "  " + "".join(f"{each:6.1f}" for each in times)
        print(f"{name:46}{cells}  growth {growth:5.2f}{'  FAILS' if bad else ''}", flush=True)
    print(f"{len(SHAPES)} shapes, {failed} fail")
    return 1 if failed else 0


def command(size: int, only: str) -> int:
    """Judge every shape by `waypost validate`, a process each."""
    slowest = (0.0, "")
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (html, shape) in SHAPES.items():
            if only not in name:
                continue
            file = Path(folder, "page.html" if html else "data.jsonld")
            file.write_bytes(shape(size))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            arguments = ["validate", "--format", "json", "--fail-on", "never", "--no-config", "--jobs", "1", str(file)]
            done = subprocess.run([sys.executable, "-m", "waypost", *arguments], capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            slowest = max(slowest, (took, name))
            broken += done.returncode != 0
            print(f"{name:46}{took:8.2f} s{'' if done.returncode == 0 else f'  exit {done.returncode}'}", flush=True)
    print(f"slowest: {slowest[1]}, {slowest[0]:.2f} s; {broken} ended with another status than 0")
    return 1 if broken else 0


# ---- the service ----


def post(port: int, path: str, body: bytes, key: str = "") -> tuple[float, int]:
    """(milliseconds, status) of a request on a connection of its own."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    return (time.perf_counter() - began) * 1000, status


def decisions(port: int, key: str, seconds: float) -> list[float]:
    """Milliseconds of 20 decisions a second; those that wait for another are counted from when they were due."""
    body = json.dumps({"url": "https://allow.test/pay", "intended_action": "payment"}).encode()
    found, due = [], time.perf_counter()
    for _ in range(int(seconds * 20)):
        time.sleep(max(due - time.perf_counter(), 0))
        took, status = post(port, "/v1/agent-safety", body, key)
        assert status == 200, status
        found.append(max(took, (time.perf_counter() - due) * 1000))
        due += 0.05
    return found


def p99(found: list[float]) -> float:
    return statistics.quantiles(found, n=100)[98]


def service(seconds: float, only: str) -> int:
    from pages_service import running

    with running() as (port, keys):
        post(port, "/api/ai/snippet", b'{"kind": "schema", "site": {"name": "n"}}')
        quiet = decisions(port, keys[0], 15)
        print(f"quiet: p50 {statistics.median(quiet):.1f} ms, p99 {p99(quiet):.1f} ms")
        every, worst, statuses = [], (0.0, ""), {}
        for name, (_, shape) in SHAPES.items():
            if only not in name:
                continue
            body = json.dumps({"kind": "news", "markup": shape(MOST_PUBLIC // 2).decode("utf-8", "replace")}).encode()
            ends = time.perf_counter() + seconds

            def send(body: bytes = body, ends: float = ends) -> None:
                while time.perf_counter() < ends:
                    began = time.perf_counter()
                    _, status = post(port, "/api/ai/snippet", body)
                    statuses[status] = statuses.get(status, 0) + 1
                    time.sleep(max(began + 0.5 - time.perf_counter(), 0))

            sender = threading.Thread(target=send)
            sender.start()
            found = decisions(port, keys[0], seconds)
            sender.join()
            every += found
            worst = max(worst, (p99(found), name))
        print(f"beside {len(SHAPES)} shapes, each sent twice a second: p50 {statistics.median(every):.1f} ms, "
              f"p99 {p99(every):.1f} ms; worst shape {worst[1]}: {worst[0]:.1f} ms; answers {statuses}")  # fmt: skip
    return 0 if p99(every) < p99(quiet) + 50 else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="WORDS", help="shapes with these words in their name")
    parser.add_argument("--sizes", default="1,10,100,1000", help="in kB")
    parser.add_argument("--command", action="store_true", help="through `waypost validate`, the last size alone")
    parser.add_argument("--service", action="store_true", help="decisions of a service that gets every shape")
    parser.add_argument("--seconds", type=float, default=2, help="that the service gets each shape")
    parser.add_argument("--measure", metavar="SHAPE", help="print the numbers of one shape, no more")
    options = parser.parse_args()
    sizes = [int(float(size) * 1000) for size in options.sizes.split(",")]
    if options.measure:
        measure(options.measure, sizes)
        return 0
    if options.command:
        return command(sizes[-1], options.only)
    return service(options.seconds, options.only) if options.service else table(sizes, options.only)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
