"""Made archives for `waypost crawl`: the same findings as `waypost validate`, and what the crawl costs above the check.

python benchmarks/crawl.py make FOLDER [--pages 100000] [--seed 20]      pages of three templates, as WARC files
python benchmarks/crawl.py run FOLDER [--workers 1 2] [--rounds 1]       bare check and crawl in turn, as many processes at once
python benchmarks/crawl.py same FOLDER                                   findings by rule, against `waypost validate`
python benchmarks/crawl.py kills FOLDER [--times 20] [--cluster]         kills at random, against an undisturbed crawl

`run` prints the seconds of the processors, which a busy machine changes less than the clock: those of as
many processes that read archives and check each page in a loop, and those of the crawl with all its processes. From the
first follows what three billion pages need.

`kills` ends the crawl itself or one of its worker processes with SIGKILL, and with `--cluster` a worker or the
scheduler of a Dask cluster on this machine; it goes on with `--resume` until `--times` processes were killed. The
tables must be equal, row by row. Exit status 1 where they are not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

WORDS = [
    "kettle",
    "lamp",
    "oak",
    "river",
    "bridge",
    "stone",
    "paper",
    "cloud",
    "winter",
    "garden",
    "copper",
    "silver",
    "north",
    "harbour",
    "lentil",
    "pie",
]
NOW = "2026-11-20T00:00:00+00:00"
FILES = 8


def text(of: random.Random, words: int) -> str:
    return " ".join(of.choices(WORDS, k=words))


def product(of: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    offer = {"@type": "Offer", "price": f"{of.randint(1, 900)}.{of.randint(10, 99)}", "priceCurrency": "EUR",
             "availability": "https://schema.org/InStock"}  # fmt: skip
    item = {"@type": "Product", "name": text(of, 3), "image": f"https://shop.example.com/{number}.jpg", "offers": offer,
            "sku": f"S{number}"}  # fmt: skip
    if of.random() < 0.4:
        item["aggregateRating"] = {"@type": "AggregateRating", "ratingValue": 4.5, "reviewCount": 12}
    if of.random() < 0.1:
        offer["price"] = offer["price"].replace(".", ",")
    if of.random() < 0.05:
        del offer["price"]
    return "shop", item


def article(of: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    item: dict[str, Any] = {
        "@type": "NewsArticle", "headline": text(of, 8), "datePublished": f"2026-{of.randint(1, 9):02}-11T09:00:00+01:00",
        "image": [f"https://news.example.com/{number}.jpg"], "author": {"@type": "Person", "name": text(of, 2)},
    }  # fmt: skip
    if of.random() < 0.5:
        item["dateModified"] = "2026-10-01T10:00:00+01:00"
    if of.random() < 0.2:
        item["datePublished"] = "11 March 2026"
    return "news", item


def recipe(of: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    item: dict[str, Any] = {
        "@type": "Recipe", "name": text(of, 3), "image": f"https://food.example.com/{number}.jpg", "totalTime": "PT1H",
        "recipeIngredient": [text(of, 2) for _ in range(of.randint(3, 9))],
        "recipeInstructions": [{"@type": "HowToStep", "text": text(of, 9)} for _ in range(of.randint(2, 6))],
    }  # fmt: skip
    if of.random() < 0.25:
        del item["image"]
    if of.random() < 0.15:
        item["totalTime"] = "1 hour"
    return "food", item


TEMPLATES = (product, article, recipe)


def page(of: random.Random, number: int) -> tuple[str, bytes]:
    host, item = TEMPLATES[number % len(TEMPLATES)](of, number)
    data = json.dumps({"@context": "https://schema.org", **item}, indent=1)
    if of.random() < 0.01:
        data = data[:-2] + ",\n}"
    url = f"https://{host}.example.com/{number}"
    body = "".join(f"<p class=t{n % 7}>{text(of, 60)}</p>\n" for n in range(of.randint(10, 60)))
    return url, (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{item.get("name", "")}</title>'
        f'<link rel="canonical" href="{url}"><script type="application/ld+json">\n{data}\n</script></head><body>{body}'
        "</body></html>"
    ).encode()


def record(url: str, body: bytes, number: int) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-{1 + number % 20:02}T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def make(folder: Path, pages: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    of = random.Random(seed)
    size = 0
    each = -(-pages // FILES)
    for number in range(FILES):
        with (folder / f"made-{number:02}.warc.gz").open("wb") as file:
            for n in range(number * each, min(pages, (number + 1) * each)):
                url, body = page(of, n)
                size += len(body)
                file.write(gzip.compress(record(url, body, n), 6, mtime=0))
    (folder / "pages.txt").write_text(str(pages))
    print(f"{pages:,} pages, {size / pages / 1000:.1f} kB each")


def bare(folder: Path, number: int, processes: int) -> Iterator[int]:
    """The check alone, of every `processes`th archive: each record read, each page checked; yields 1 for each page."""
    from waypost.crawl.archives import Passed, read_stretch
    from waypost.registry import load
    from waypost.validate import validate_page

    registry, now = load(), datetime.fromisoformat(NOW)
    for path in sorted(folder.glob("*.warc.gz"))[number::processes]:
        with path.open("rb") as file:
            for found in read_stretch(file, 0, path.stat().st_size):
                if not isinstance(found, Passed):
                    validate_page(found.data, registry, url=found.url, media_type=found.media_type, now=now)
                    yield 1


def used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def took(*commands: list[str]) -> tuple[float, float]:
    """Seconds of commands at once: by the clock, and of the processors."""
    began, before = time.perf_counter(), used()
    for process in [subprocess.Popen(command) for command in commands]:
        if process.wait() > 1:
            raise SystemExit(f"{process.args!r}: status {process.returncode}")
    return time.perf_counter() - began, used() - before


def run(folder: Path, workers: list[int], rounds: int) -> None:
    pages = int((folder / "pages.txt").read_text())
    for number in workers * rounds:
        alone = [[sys.executable, __file__, "bare", str(folder), "--part", str(n), str(number)] for n in range(number)]
        clock, base = took(*alone)
        print(
            f"bare check, {number} at once: {clock:,.1f} s, {base:,.1f} s of processors, {1000 * base / pages:.3f} ms a page"
        )
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, "-m", "waypost", "crawl", "--no-config", "-q", "--now", NOW, str(folder)]
            clock, spent = took([*command, "--out", f"{out}/crawl", "--workers", str(number)])
        print(f"crawl, {number} workers: {clock:,.1f} s, {spent:,.1f} s of processors, {spent / base - 1:+.1%}")
        days = 3e9 * base / pages / 86_400
        print(f"3,000,000,000 pages: {days:,.0f} days of one processor, {24 * days / 1000:,.1f} hours of 1,000")


def same(folder: Path) -> None:
    from waypost.crawl.analysis import connect
    from waypost.crawl.folder import CrawlFolder

    with tempfile.TemporaryDirectory() as out:
        common = ["--no-config", "--now", NOW, str(folder), "--fail-on", "never"]
        subprocess.run([sys.executable, "-m", "waypost", "crawl", "--out", f"{out}/crawl", *common], check=True)
        command = [
            sys.executable,
            "-m",
            "waypost",
            "validate",
            "-q",
            "--output",
            f"ndjson={out}/report.ndjson",
            *common,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        expected: Counter[tuple[str, str, str]] = Counter()
        with Path(out, "report.ndjson").open() as lines:
            for line in lines:
                each = json.loads(line)
                if "rule" in each:
                    expected[each["rule"], each["severity"], each.get("scope", "page")] += 1
        rows = connect(CrawlFolder(f"{out}/crawl")).execute(
            "SELECT rule, severity, scope, count(*) FROM findings WHERE suppressed IS NULL GROUP BY ALL"
        )
        found = Counter({(rule, severity, scope): number for rule, severity, scope, number in rows.fetchall()})
    for key in sorted({*expected, *found}):
        mark = "" if expected[key] == found[key] else "   DIFFERENT"
        print(f"{key[0]:40} {key[1]:8} {key[2]:5} validate {expected[key]:9,} crawl {found[key]:9,}{mark}")
    print("equal" if expected == found else "DIFFERENT")


class Cluster:
    """Scheduler and two workers of Dask on this machine, each in a process group of its own."""

    def __init__(self) -> None:
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start what is not running, and wait for the workers."""
        from distributed import Client

        port = self.address.rsplit(":", 1)[1]
        parts = {"scheduler": ["scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]}
        for number in (1, 2):
            parts[f"worker {number}"] = ["worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        for name, arguments in parts.items():
            if name not in self.processes or self.processes[name].poll() is not None:
                self.processes[name] = subprocess.Popen(
                    [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
        with Client(self.address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)

    def kill(self, dice: random.Random) -> str:
        name = dice.choice(sorted(self.processes))
        if name == "scheduler":
            self.close()  # workers end some time after their scheduler
        else:
            with suppress(ProcessLookupError):
                os.killpg(self.processes[name].pid, signal.SIGKILL)
            self.processes[name].wait()
        return name.split()[0]

    def close(self) -> None:
        """Kill the scheduler first, then the workers."""
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def killed(process: subprocess.Popen[bytes], dice: random.Random) -> str:
    """Name of the process of a crawl that was killed: itself or, as often, one of its workers."""
    lists = Path(f"/proc/{process.pid}/task").glob("*/children")  # a thread's children are listed with the thread
    children = [child for each in lists for child in each.read_text().split()]
    if not children or dice.random() < 0.5:
        process.kill()
        return "crawl"
    with suppress(ProcessLookupError):
        os.kill(int(dice.choice(children)), signal.SIGKILL)
    return "worker"


def kills(folder: Path, times: int, dice: random.Random, *, cluster: bool) -> bool:
    """Whether a crawl whose processes were killed has the tables of an undisturbed one."""
    from waypost.crawl.analysis import connect
    from waypost.crawl.folder import CrawlFolder

    crawl = [sys.executable, "-m", "waypost", "crawl", "-q"]
    usual = ["--no-config", "--now", NOW, "--stretch", "64k", "--workers", "2", str(folder)]
    done: Counter[str] = Counter()
    equal = True
    with tempfile.TemporaryDirectory() as out, ExitStack() as stack:
        began = time.monotonic()
        if subprocess.run([*crawl, *usual, "--out", f"{out}/whole"], check=False).returncode > 1:
            raise SystemExit("the undisturbed crawl failed")
        seconds, number = time.monotonic() - began, 0
        where: list[str] = []
        if cluster:
            dask = Cluster()
            stack.callback(dask.close)
            where = ["--cluster", dask.address]
        while done.total() < times:
            number += 1
            target = f"{out}/killed{number}"
            for _ in range(3 * times):
                if cluster:
                    dask.start()
                resumed = ["--resume"] if Path(target, "crawl.json").exists() else usual
                process = subprocess.Popen([*crawl, *resumed, *where, "--out", target], stderr=subprocess.DEVNULL)
                while process.poll() is None:
                    if done.total() < times:
                        time.sleep(dice.uniform(0.2, 1) * seconds / 3)
                        if process.poll() is None:
                            done[dask.kill(dice) if cluster else killed(process, dice)] += 1
                    else:
                        process.wait()
                if process.returncode in (0, 1):
                    break
            for table in ("pages", "items", "findings", "shapes"):
                one, other = (
                    connect(CrawlFolder(place)).execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall()
                    for place in (f"{out}/whole", target)
                )
                equal &= one == other
                print(
                    f"crawl {number}, {table}: {len(other):,} rows, {'equal' if one == other else 'DIFFERENT'}",
                    flush=True,
                )
    print(f"killed: {dict(done)}; {'equal' if equal else 'DIFFERENT'}")
    return equal


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("act", choices=("make", "run", "same", "kills", "bare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar="N")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--cluster", action="store_true")
    options = parser.parse_args()
    if options.act == "make":
        make(options.folder, options.pages, options.seed)
    elif options.act == "run":
        run(options.folder, options.workers, options.rounds)
    elif options.act == "same":
        same(options.folder)
    elif options.act == "kills":
        raise SystemExit(not kills(options.folder, options.times, random.Random(options.seed), cluster=options.cluster))
    else:
        sum(bare(options.folder, *options.part))


if __name__ == "__main__":
    main()
