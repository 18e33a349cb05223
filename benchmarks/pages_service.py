"""POST /v1/validate of a running service: what it adds to the call, 16 clients at once, and one who floods.

    python benchmarks/pages_service.py [--rounds 15] [--seconds 10]
    python benchmarks/pages_service.py --pages FOLDER [--rounds 15]
    python benchmarks/pages_service.py --parts [--rounds 200]

The service, the direct call of `validate_page` with the report's encoding, and a bare uvicorn application that reads
the page and answers 2 kB take turns on the same bytes. Call and bare application together are the floor: what any
service takes that reads the page over HTTP before it checks it. Then 16 clients of one organization send a page each as
fast as they can, and then one organization floods with 32 connections while another sends ordinary pages, ten a second.
The last lines compare with what is asked; exit status 1 where something does not hold. `--pages` takes the pages of a folder (`*.html`, also with `.gz`)
instead of made ones, call and service in turn, by their size. `--parts` takes an ordinary page
apart: the echo, the way to a worker and back, the call inside a worker, and the entire service.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from hostile_shapes import PLAIN_PAGE, SCHEMA, filled

SIZES_KB = (10, 32, 70, 300, 1000)
CLIENTS, FLOOD = 16, 32
LEAST_KB, MOST_RATIO = 32, 1.5
LIMITS = {"checks": 10**9, "checks-day": 10**9, "validate": 10**9}


class Verdict(NamedTuple):
    """Whether what is asked holds, and what was found."""

    holds: bool
    requirement: str
    found: str


def ordinary(size: int) -> bytes:
    """A page as most are: text, and an article in JSON-LD."""
    article = {"@context": SCHEMA, "@type": "NewsArticle", "headline": "Ferry runs again", "image": "/f.jpg",
               "datePublished": "2026-11-20T08:00:00Z", "author": {"@type": "Person", "name": "A. Writer"}}  # fmt: skip
    script = f'<script type="application/ld+json">{json.dumps(article)}</script>'
    head = f'<!doctype html><html lang="en"><head><title>t</title>{script}</head><body>'
    return filled('<p class="a">The ferry to the island runs again since <a href="/t">Tuesday</a>.</p>\n', size, head)


PAGES = {"catalogue": PLAIN_PAGE, "ordinary page": ordinary}


def make_keys(folder: str) -> list[str]:
    """Text of a key for each of two organizations, without limits."""
    from waypost.models.api_key import SCOPES
    from waypost.service import clock
    from waypost.store import keys, open_store, organizations

    found = []
    with open_store(Path(folder)) as store:
        for name in ("One", "Two"):
            now = clock()
            organization = store.write(lambda db, n=name, t=now: organizations.create(db, n, "bench", t))
            request = keys.KeyRequest(name="bench", scopes=frozenset(SCOPES), environment="test", limits=LIMITS)
            found.append(
                store.write(lambda db, o=organization, t=now, r=request: keys.create(db, o.id, r, "bench", t))[1]
            )
    return found


@contextlib.contextmanager
def running() -> Iterator[tuple[int, list[str]]]:
    """(port, keys of two organizations) of a service of its own, with warm workers."""
    with tempfile.TemporaryDirectory() as folder:
        keys = make_keys(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = Path(folder, "server.toml")
        config.write_text(f'data = "{folder}"\nlog = "none"\noffline = true\n[quotas]\npreview = 1000000000\n')
        arguments = ["serve", "--config", str(config), "--port", str(port)]
        process = subprocess.Popen([sys.executable, "-m", "waypost", *arguments], env=os.environ)
        try:
            wait_for(f"http://127.0.0.1:{port}/readyz")
            for _ in range(20):  # the workers start beside the first answers
                send(http.client.HTTPConnection("127.0.0.1", port), b"<p>", keys[0])
            yield port, keys
        finally:
            process.terminate()
            process.wait(30)


def wait_for(address: str) -> None:
    """Wait until an address answers, for a minute at most."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=1).read()
            return
        time.sleep(0.1)


def send(line: http.client.HTTPConnection, page: bytes, key: str) -> tuple[float, int]:
    """(milliseconds, status) of a page."""
    headers = {"Content-Type": "text/html", "Authorization": f"Bearer {key}"}
    for last in (False, True):
        began = time.perf_counter()
        try:
            line.request("POST", "/v1/validate", page, headers)
            answer = line.getresponse()
            answer.read()
        except ConnectionError:  # the service ends connections that were idle for five seconds
            line.close()
            if last:
                raise
        else:
            break
    return (time.perf_counter() - began) * 1000, answer.status


_KNOWN: dict[str, Any] = {}


def direct(page: bytes) -> float:
    """Milliseconds of the call that the service makes. Runs in a process of the priority of a worker."""
    from waypost.registry import load
    from waypost.report.json import as_data, encode_json
    from waypost.validate import build_report, validate_page

    registry = _KNOWN.get("registry") or _KNOWN.setdefault("registry", load())
    began = time.perf_counter()
    encode_json(as_data(build_report([validate_page(page, registry, path="request")], registry)))
    return (time.perf_counter() - began) * 1000


def one_connection(port: int, key: str, rounds: int) -> list[Verdict]:
    line = http.client.HTTPConnection("127.0.0.1", port)
    niced = ProcessPoolExecutor(1, initializer=os.nice, initargs=(5,))
    print(
        f"{'one connection':16} {'kB':>6} {'direct ms':>10} {'echo ms':>8} {'service ms':>11} "
        f"{'ratio of the best':>18} {'of medians':>11} {'floor':>6}"
    )
    verdicts = []
    with echoing("httptools") as echo_port:
        echo = http.client.HTTPConnection("127.0.0.1", echo_port)
        for name, shape in PAGES.items():
            ratios, floors = [], []
            for size in SIZES_KB:
                page = shape(size * 1000)
                calls, echoes, answers = [], [], []
                for _ in range(rounds):
                    calls.append(niced.submit(direct, page).result())
                    echoes.append(send(echo, page, key)[0])
                    answers.append(send(line, page, key)[0])
                ratio, floor = min(answers) / min(calls), (min(calls) + min(echoes)) / min(calls)
                medians = statistics.median(answers) / statistics.median(calls)
                print(
                    f"{name:16} {size:6} {min(calls):10.2f} {min(echoes):8.2f} {min(answers):11.2f} "
                    f"{ratio:18.2f} {medians:11.2f} {floor:6.2f}",
                    flush=True,
                )
                if size >= LEAST_KB:
                    ratios.append(f"{ratio:.2f}")
                    floors.append(f"{floor:.2f}")
            holds = max(map(float, ratios)) <= MOST_RATIO
            found = f"{', '.join(ratios)}; floor {', '.join(floors)}"
            verdicts.append(
                Verdict(holds, f"{name}, at most {MOST_RATIO} times the direct call from {LEAST_KB} kB up", found)
            )
    return verdicts


# ---- pages of a folder ----

BANDS_KB = (0, 32, 70, 300, 1000)


def read_pages(folder: Path) -> list[bytes]:
    """Texts of the pages of a folder, at most 1 MB each as the service takes them."""
    found = [each.read_bytes() for each in sorted(folder.glob("**/*.html"))]
    found += [gzip.decompress(each.read_bytes()) for each in sorted(folder.glob("**/*.html.gz"))]
    return [page for page in found if len(page) <= 1_000_000]


def pages_of(port: int, key: str, folder: Path, rounds: int) -> list[Verdict]:
    """Ratios of the best service's to the best direct time of each page of a folder."""
    line = http.client.HTTPConnection("127.0.0.1", port)
    niced = ProcessPoolExecutor(1, initializer=os.nice, initargs=(5,))
    took: list[tuple[int, float, float]] = []
    for page in read_pages(folder):
        calls, answers = [], []
        for _ in range(rounds):
            calls.append(niced.submit(direct, page).result())
            answers.append(send(line, page, key)[0])
        took.append((len(page), min(calls), min(answers)))
    print(
        f"{'from kB':>8} {'pages':>6} {'direct ms':>10} {'service ms':>11} {'ratio: median':>14} {'95th':>6} {'worst':>6}"
    )
    for least, below in pairwise((*BANDS_KB, 10**6)):
        band = [each for each in took if least * 1000 <= each[0] < below * 1000]
        if not band:
            continue
        ratios = sorted(answer / call for _, call, answer in band)
        print(
            f"{least:8} {len(band):6} {statistics.median(call for _, call, _ in band):10.2f} "
            f"{statistics.median(answer for _, _, answer in band):11.2f} {statistics.median(ratios):14.2f} "
            f"{ratios[int(len(ratios) * 0.95)]:6.2f} {ratios[-1]:6.2f}"
        )
    large = [(call, answer) for size, call, answer in took if size >= LEAST_KB * 1000]
    within = sum(answer <= MOST_RATIO * call for call, answer in large)
    found = f"{within} of {len(large)}; added up {sum(a for _, a in large) / sum(c for c, _ in large):.2f} times"
    requirement = f"pages of a folder, at most {MOST_RATIO} times the direct call from {LEAST_KB} kB up"
    return [Verdict(within == len(large), requirement, found)]


# ---- what a page of the service is made of ----

PARTS_KB = (32, 70, 300, 1000)
_ANSWER = b"x" * 2000
_ECHO = """
import uvicorn
async def app(scope, receive, send):
    more = True
    while more:
        message = await receive()
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2000")]})
    await send({"type": "http.response.body", "body": b"x" * 2000})
uvicorn.run(app, port=%d, log_level="critical", access_log=False, lifespan="off", http="%s")
"""


def nothing(_: bytes) -> bytes:
    """Work of a worker that takes no time."""
    return _ANSWER


@contextlib.contextmanager
def echoing(protocol: str = "waypost.api.protocol:Wire") -> Iterator[int]:
    """Port of an application that reads a body and answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", _ECHO % (port, protocol)], env=os.environ)
    try:
        wait_for(f"http://127.0.0.1:{port}/")
        yield port
    finally:
        process.terminate()
        process.wait(30)


async def in_worker(page: bytes, rounds: int) -> tuple[float, float]:
    """Best milliseconds of the way to a worker and back, and of the call inside a worker."""
    from waypost.service.workers import page_workers

    pool = page_workers(workers=1)
    ways, calls = [], []
    try:
        for _ in range(rounds):
            began = time.perf_counter()
            await pool.run(nothing, page)
            ways.append((time.perf_counter() - began) * 1000)
            calls.append(await pool.run(direct, page))
    finally:
        pool.close()
        await pool.ended()
    return min(ways), min(calls)


def parts(port: int, key: str, rounds: int) -> None:
    print(f"{'ordinary page kB':>16} {'direct ms':>10} {'in a worker':>11} {'way':>6} {'echo':>6} {'service ms':>11}")
    niced = ProcessPoolExecutor(1, initializer=os.nice, initargs=(5,))
    line = http.client.HTTPConnection("127.0.0.1", port)
    with echoing() as echo_port:
        echo = http.client.HTTPConnection("127.0.0.1", echo_port)
        for size in PARTS_KB:
            page = ordinary(size * 1000)
            calls, echoes, answers = [], [], []
            for _ in range(rounds):
                calls.append(niced.submit(direct, page).result())
                echoes.append(send(echo, page, key)[0])
                answers.append(send(line, page, key)[0])
            way, inside = asyncio.run(in_worker(page, rounds))
            print(
                f"{size:16} {min(calls):10.2f} {inside:11.2f} {way:6.2f} {min(echoes):6.2f} {min(answers):11.2f}",
                flush=True,
            )


def clients(
    port: int, key: str, page: bytes, many: int, ends: float, found: list[tuple[float, int]]
) -> list[threading.Thread]:
    """Threads that send a page again and again, each on a connection of its own."""

    def work() -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.perf_counter() < ends:
            found.append(send(line, page, key))

    threads = [threading.Thread(target=work) for _ in range(many)]
    for thread in threads:
        thread.start()
    return threads


def summary(found: list[tuple[float, int]]) -> str:
    took = sorted(each for each, _ in found)
    statuses = dict(Counter(status for _, status in found))
    last = took[min(len(took) - 1, int(len(took) * 0.99))]
    return f"{len(found)} answers {statuses}, p50 {took[len(took) // 2]:.0f} ms, p99 {last:.0f} ms"


def failures_in(found: list[tuple[float, int]]) -> int:
    return sum(status != 200 for _, status in found)


def together(port: int, key: str, seconds: float) -> list[Verdict]:
    bad = 0
    for name, size in (("ordinary page", 70), ("catalogue", 70), ("catalogue", 1000)):
        found: list[tuple[float, int]] = []
        page = PAGES[name](size * 1000)
        for thread in clients(port, key, page, CLIENTS, time.perf_counter() + seconds, found):
            thread.join()
        print(f"{CLIENTS} clients, {name} of {size} kB: {summary(found)}", flush=True)
        bad += failures_in(found)
    return [Verdict(not bad, f"{CLIENTS} clients at once, no answer but 200", f"{bad} others")]


def flood(port: int, keys: list[str], seconds: float) -> list[Verdict]:
    quiet: list[tuple[float, int]] = []
    bad, lates = 0, []
    page = ordinary(70_000)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for name, size in (("nobody", 0), ("ordinary page", 70), ("catalogue", 300)):
        loud: list[tuple[float, int]] = []
        quiet = []
        ends = time.perf_counter() + seconds
        threads = clients(port, keys[0], PAGES[name](size * 1000), FLOOD, ends, loud) if size else []
        while time.perf_counter() < ends:
            quiet.append(send(line, page, keys[1]))
            time.sleep(max(0.1 - quiet[-1][0] / 1000, 0))
        for thread in threads:
            thread.join()
        bad += failures_in(quiet)
        lates.append(f"{sorted(took for took, _ in quiet)[int(len(quiet) * 0.99)]:.0f} ms beside {name}")
        flooding = f"; the flood: {summary(loud)}" if loud else ""
        print(
            f"ordinary pages of 70 kB beside {name} of {size} kB in {FLOOD} connections: {summary(quiet)}{flooding}",
            flush=True,
        )
    requirement = f"beside {FLOOD} connections of another organization every ordinary page is answered"
    return [Verdict(not bad, requirement, f"{bad} were not; p99 {', '.join(lates)}")]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--pages", type=Path, metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    with running() as (port, keys):
        if options.parts:
            parts(port, keys[0], options.rounds)
            return 0
        if options.pages:
            verdicts = pages_of(port, keys[0], options.pages, options.rounds)
        else:
            verdicts = one_connection(port, keys[0], options.rounds)
            verdicts += together(port, keys[0], options.seconds)
            verdicts += flood(port, keys, options.seconds)
    for verdict in verdicts:
        print(f"{'HOLDS' if verdict.holds else 'DOES NOT HOLD'}: {verdict.requirement} ({verdict.found})")
    return int(not all(verdict.holds for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
