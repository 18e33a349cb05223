"""Durable decisions a second, and what a look at the keys, the search and the audit cost.

    python benchmarks/store.py [--seconds 2] [--rounds 3]
    python benchmarks/store.py --retention [ADDRESS]

Decisions go through the store's writer as the service sends them, from 1 to 512 tasks that each wait for theirs; in
alternation with the floor, one connection that commits each by itself under the same `synchronous = FULL`. The ratio
is the median of the rounds, all else the best of them. Keys are looked up among 20,000, found and not found. The
search is asked among 100,000 relationships for a word that all bear and for one that one bears; that, the keys and
the audit are told in time of the processor.

`--retention` instead measures how long a decision takes to be durable while old rows are deleted as in the service, in
alternation with windows in which none are; on an empty database at ADDRESS, or in a file.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from waypost.formats.ids import new_id
from waypost.models.api_key import SCOPES, hash_of, new_text
from waypost.models.relationship import Claim
from waypost.service.keyring import Keyring
from waypost.store import Store, audit, decisions, keys, open_store, organizations, relationships, search, settings
from waypost.store.decision_queue import DecisionQueue
from waypost.store.decisions import DecisionRecord
from waypost.store.engines.sqlite import connect
from waypost.store.keys import KeyRequest

WAITING = (1, 8, 32, 128, 512)
KEYS = 20_000
RELATIONSHIPS = 100_000
OLD_ROWS = 150_000
EVERY_S = 0.004
"""Seconds between two decisions next to retention: not so many that they wait for each other."""
NOW = 1_795_000_000_000
_DOCUMENT = b'{"normalized_domain": "shop.example", "relationship_status": "unverified", "padding": "%s"}' % (
    b"x" * 500
)


def given(organization: str, now: int = NOW) -> DecisionRecord:
    return DecisionRecord(
        id=str(uuid.uuid4()),
        organization=organization,
        environment="live",
        key_id="0b5a6b0e-8f0a-4f6b-9d0e-0a4f6d1c2b3a",
        created_at=now,
        expires_at=now + 900_000,
        normalized_domain="shop.example",
        action="payment",
        url_hmac=os.urandom(32),
        document=_DOCUMENT,
    )


async def together(store: Store, organization: str, waiting: int, seconds: float) -> tuple[float, float, float]:
    """Decisions a second with so many waiting, and how long each waited in ms: the half, and the slowest of 100."""
    took: list[float] = []
    queue = DecisionQueue(store.writer)
    ends = time.perf_counter() + seconds

    async def one() -> None:
        while (began := time.perf_counter()) < ends:
            await queue.submit(given(organization))
            took.append((time.perf_counter() - began) * 1000)

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(waiting)))
    rate = len(took) / (time.perf_counter() - began)
    took.sort()
    return rate, took[len(took) // 2], took[len(took) * 99 // 100]


def alone(path: Path, organization: str, seconds: float) -> float:
    """The floor: one connection, one commit each."""
    db = connect(path, "rw")
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        db.execute("BEGIN IMMEDIATE")
        decisions.put(db, given(organization))
        db.execute("COMMIT")
        count += 1
    rate = count / (time.perf_counter() - began)
    db.close()
    return rate


def each_us(work: Callable[[], Any], times: int) -> float:
    """Microseconds of the processor: what others do on the machine is not counted."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times * 1e6


def writing(folder: Path, seconds: float, rounds: int) -> None:
    with open_store(folder) as store:
        organization_id = store.write(lambda db: organizations.create(db, "Acme", "bench", NOW)).id
        floors: list[float] = []
        best: dict[int, tuple[float, float, float]] = {}
        ratios: dict[int, list[float]] = {waiting: [] for waiting in WAITING}
        for _ in range(rounds):
            for waiting in WAITING:
                floors.append(alone(store.path, organization_id, seconds))
                found = asyncio.run(together(store, organization_id, waiting, seconds))
                best[waiting] = max(best.get(waiting, (0.0, 0.0, 0.0)), found)
                ratios[waiting].append(found[0] / floors[-1])
        print(f"one connection, one commit each: {max(floors):,.0f} decisions/s at best")
        for waiting, (rate, half, slow) in best.items():
            times = statistics.median(ratios[waiting])
            print(f"{waiting:4} waiting: {rate:,.0f} decisions/s, {times:.1f} x, {half:.2f} ms, p99 {slow:.2f} ms")
        appended = min(
            each_us(lambda: store.write(lambda db: _hundred(db, organization_id)), 20) / 100 for _ in range(rounds)
        )
        print(f"an audit event, a hundred in a transaction: {appended:.0f} us")


def _hundred(db: sqlite3.Connection, organization: str) -> None:
    for _ in range(100):
        audit.append(db, organization, NOW, "bench.done", "bench", "x", domain="shop.example")


def keyring(folder: Path, rounds: int) -> None:
    with open_store(folder) as store:
        organization_id = store.write(lambda db: organizations.create(db, "Acme", "bench", NOW)).id
        key_request = KeyRequest(name="bench", scopes=frozenset(SCOPES))
        texts = store.write(
            lambda db: [keys.create(db, organization_id, key_request, "bench", NOW)[1] for _ in range(KEYS)]
        )
        ring = Keyring(store)
        first = each_us(ring.refresh, 1) / 1000
        print(f"{KEYS:,} keys: read in {first:.0f} ms, asked again in {each_us(ring.refresh, 1000):.0f} us")
        strangers = [new_text("live") for _ in range(1000)]
        wrong = [text[:-1] + ("a" if text[-1] != "a" else "b") for text in texts[:1000]]
        for name, lookups in (("found", texts[::20]), ("unknown", strangers), ("mistyped", wrong)):
            best = min(
                each_us(lambda lookups=lookups: [ring.find(text, NOW) for text in lookups], 20) for _ in range(rounds)
            )
            print(f"a key that is {name}: {best / len(lookups):.2f} us")
        db = store.reader()
        sha = [hash_of(text) for text in texts[:1000]]
        query = "SELECT id, scopes FROM api_key WHERE sha256 = ?"
        best = min(each_us(lambda: [db.execute(query, (each,)).fetchone() for each in sha], 5) for _ in range(rounds))
        print(f"the same by a query each: {best / len(sha):.2f} us")


def searching(folder: Path, rounds: int) -> None:
    with open_store(folder) as store:

        def fill(db: sqlite3.Connection) -> None:
            for number in range(RELATIONSHIPS):
                claim = Claim(
                    domain=f"common{number}.example",
                    scope="registrable",
                    entity=f"common-{number}",
                    entity_name=f"Common Works {number}",
                    type="official_site",
                    submitter="bench",
                    origin="bench",
                    source="form",
                )
                relationships.submit(db, claim, NOW)

        took = each_us(lambda: store.write(fill), 1) / 1e6
        print(f"{RELATIONSHIPS:,} relationships filed in {took:.1f} s")
        for what, text in (("all bear", "common works"), ("one bears", "54321"), ("none bears", "nothing")):
            best = min(
                each_us(lambda text=text: store.read(lambda db: search.search(db, text, NOW)), 5) for _ in range(rounds)
            )
            print(f"a search for a word that {what}: {best / 1000:.2f} ms")


def retention(place: Path | str, seconds: float, rounds: int) -> None:
    from waypost.api.background import _sweep
    from waypost.store.decisions import RETENTION_MS

    old = NOW - RETENTION_MS - 1
    with open_store(place) as store:
        organization_id = store.write(lambda db: organizations.create(db, "Acme", "bench", old)).id
        expired = [msgspec.structs.replace(given(organization_id), created_at=old, expires_at=old) for _ in range(500)]
        for _ in range(OLD_ROWS // len(expired)):
            rows = [msgspec.structs.replace(row, id=new_id(), url_hmac=os.urandom(32)) for row in expired]
            store.write(lambda db, rows=rows: decisions.put(db, *rows))

        async def write(work: Callable[[Any], Any]) -> Any:
            return await store.writer.submit_from(asyncio.get_running_loop(), work)

        async def window(*, is_swept: bool) -> list[float]:
            took: list[float] = []
            queue = DecisionQueue(store.writer)

            async def one() -> None:
                began = time.perf_counter()
                await queue.submit(given(organization_id))
                took.append((time.perf_counter() - began) * 1000)

            store.write(lambda db: settings.remove(db, "retention"))  # the lease of the window before
            state: Any = SimpleNamespace(write=write, now=lambda: NOW)
            sweeping = asyncio.create_task(_sweep(state)) if is_swept else None
            tasks = []
            ends = time.perf_counter() + seconds
            while time.perf_counter() < ends:
                tasks.append(asyncio.create_task(one()))
                await asyncio.sleep(EVERY_S)
            await asyncio.gather(*tasks)
            if sweeping is not None:
                assert not sweeping.done(), "no old row is left: make more, or measure shorter"
                sweeping.cancel()
            return sorted(took)

        count = "SELECT count(*) FROM decision WHERE created_at = ?"
        p95: dict[bool, list[float]] = {False: [], True: []}
        all_took: dict[bool, list[float]] = {False: [], True: []}
        deleted = 0
        for _ in range(rounds):
            for is_swept in (False, True):
                before = store.read(lambda db: db.execute(count, (old,)).fetchone()[0])
                took = asyncio.run(window(is_swept=is_swept))
                deleted += before - store.read(lambda db: db.execute(count, (old,)).fetchone()[0])
                p95[is_swept].append(took[len(took) * 95 // 100])
                all_took[is_swept] += took
        for name, is_swept in (("quiet", False), ("next to retention", True)):
            found = sorted(all_took[is_swept])
            half, slow, slower = (found[len(found) * part // 1000] for part in (500, 950, 990))
            print(f"{name}: {half:.2f} ms, p95 {slow:.2f} ms, p99 {slower:.2f} ms, at most {found[-1]:.1f} ms")
        ratio = statistics.median(next_to / quiet for quiet, next_to in zip(p95[False], p95[True], strict=True))
        print(f"p95 next to retention: {ratio:.2f} x quiet (median of {rounds} pairs)")
        print(f"{deleted / (seconds * rounds):,.0f} old rows deleted a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--retention", nargs="?", const="", metavar="ADDRESS")
    args = parser.parse_args()
    if args.retention is not None:
        with tempfile.TemporaryDirectory() as folder:
            retention(args.retention or Path(folder), args.seconds, args.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        writing(Path(folder) / "writing", args.seconds, args.rounds)
        keyring(Path(folder) / "keys", args.rounds)
        searching(Path(folder) / "search", args.rounds)


if __name__ == "__main__":
    main()
