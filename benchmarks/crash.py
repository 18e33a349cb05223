"""Kill processes that write, again and again, and look for what they had acknowledged.

    python benchmarks/crash.py [--times 30] [--processes 2] [--seed 1]

Children open one store and write from four threads each: a decision and an audit event in one transaction, and now
and then a key. Whatever is acknowledged they print. After a random time they get SIGKILL, and the parent opens what
is left, as a start does: everything that was printed must be there, every audit chain whole, no decision without its
event, and the file itself sound. Exit status 1 where anything is missing.

SIGKILL takes a process away, not the machine: that nothing waits in the drive's own cache is up to
`PRAGMA synchronous = FULL`, which the tests of the store hold it to. `--careless` acknowledges before it writes, to
show that what is lost would be found.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from functools import partial
from pathlib import Path
from typing import NamedTuple

from waypost.models.api_key import SCOPES
from waypost.store import Store, audit, decisions, keys, open_store, organizations
from waypost.store.decisions import DecisionRecord
from waypost.store.keys import KeyRequest

THREADS = 4
_DOCUMENT = b'{"normalized_domain": "shop.example", "relationship_status": "unverified", "padding": "%s"}' % (
    b"x" * 400
)
_KEY_REQUEST = KeyRequest(name="crash", scopes=frozenset(SCOPES))


class Tally(NamedTuple):
    """What was acknowledged in all, and what was wrong."""

    acknowledged: int
    lost: int
    torn: int


def write(folder: Path, careless: bool) -> None:
    """The child: writes until it is killed."""
    store = open_store(folder)
    organization_ids = [each.id for each in store.read(organizations.find_all)]
    acknowledged = threading.Lock()

    def acknowledge(line: str) -> None:
        with acknowledged:
            os.write(1, line.encode())

    def one(number: int) -> None:
        while True:
            organization, name, now = random.choice(organization_ids), str(uuid.uuid4()), time.time_ns() // 1_000_000
            if careless:
                acknowledge(f"decision {name} {organization} 0 -\n")
                time.sleep(0.01)
            if random.random() < 0.05:
                key, _ = store.write(
                    partial(keys.create, organization=organization, request=_KEY_REQUEST, actor="crash", now=now)
                )
                acknowledge(f"key {key.id} {organization} 0 -\n")
            given = DecisionRecord(
                id=name,
                organization=organization,
                environment="live",
                key_id=str(number),
                created_at=now,
                expires_at=now + 900_000,
                normalized_domain="shop.example",
                action="payment",
                url_hmac=os.urandom(32),
                document=_DOCUMENT,
            )

            def both(db: object, given: DecisionRecord = given) -> audit.AuditEvent:
                decisions.put(db, given)  # type: ignore[arg-type]
                return audit.append(db, given.organization, given.created_at, "crash.decided", "crash", given.id)  # type: ignore[arg-type]

            event = store.write(both)
            if not careless:
                acknowledge(f"decision {name} {organization} {event.sequence} {event.hash}\n")

    for number in range(THREADS):
        threading.Thread(target=one, args=(number,), daemon=True).start()
    threading.Event().wait()


def killed_after(seconds: float, folder: Path, careless: bool, processes: int) -> list[list[str]]:
    """What children acknowledged until they were killed; the clock starts with the first word of each."""
    command = [sys.executable, __file__, "--write", str(folder), *(["--careless"] if careless else [])]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(processes)]
    acknowledged: list[bytes] = []

    def follow(child: subprocess.Popen[bytes]) -> None:
        assert child.stdout
        with child:
            first = child.stdout.readline()
            killer = threading.Timer(seconds, os.kill, (child.pid, signal.SIGKILL))
            killer.start()
            acknowledged.append(first + child.stdout.read())
            killer.join()

    followers = [threading.Thread(target=follow, args=(child,)) for child in children]
    for each in followers:
        each.start()
    for each in followers:
        each.join()
    lines = [line for text in acknowledged for line in text.decode().splitlines(keepends=True)]
    return [line.split() for line in lines if line.endswith("\n")]


def inspect_store(folder: Path, acknowledged: list[list[str]]) -> tuple[int, int]:
    """How much of what was acknowledged is missing, and what is torn. Opening the store is a start like any other."""
    with open_store(folder) as store:
        there = store.read(lambda db: {row[0] for row in db.execute("SELECT id FROM decision")})
        stored_keys = {key.id for key in store.read(lambda db: list(keys.all_keys(db)))}
        events = {(e.organization, e.sequence): e for e in store.read(lambda db: list(audit.all_events(db)))}
        lost = 0
        for kind, name, organization, sequence, hash_ in acknowledged:
            if hash_ == "-":
                lost += name not in (stored_keys if kind == "key" else there)
                continue
            event = events.get((organization, int(sequence)))
            lost += name not in there or event is None or (event.hash, event.subject) != (hash_, name)
        recorded = {event.subject for event in events.values() if event.type == "crash.decided"}
        made = {event.subject for event in events.values() if event.type == "key.created"}
        torn = len(there ^ recorded) + len(stored_keys ^ made) + _unsound(store)
    return lost, torn


def _unsound(store: Store) -> int:
    broken = sum(each.broken is not None for each in store.read(lambda db: list(audit.verify(db))))
    sound = store.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
    return broken + (not sound)


def run(folder: Path, times: int, seed: int, careless: bool, processes: int) -> Tally:
    chance = random.Random(seed)
    with open_store(folder) as store:
        for name in ("Operator", "Acme", "Other"):
            store.write(lambda db, name=name: organizations.create(db, name, "crash", 0))
    acknowledged: list[list[str]] = []
    lost = torn = 0
    for number in range(times):
        acknowledged += killed_after(chance.uniform(0.02, 0.6), folder, careless, processes)
        missing, half = inspect_store(folder, acknowledged)
        lost, torn = max(lost, missing), torn + half
        print(
            f"kill {number + 1}: {len(acknowledged):,} acknowledged so far, {missing} missing, {half} torn", flush=True
        )
    return Tally(len(acknowledged), lost, torn)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--careless", action="store_true")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.write:
        write(args.write, args.careless)
    with tempfile.TemporaryDirectory() as folder:
        tally = run(Path(folder), args.times, args.seed, args.careless, args.processes)
    print(f"{args.times} kills, {tally.acknowledged:,} acknowledged, {tally.lost} lost, {tally.torn} torn")
    return 1 if tally.lost or tally.torn or not tally.acknowledged else 0


if __name__ == "__main__":
    raise SystemExit(main())
