"""Acknowledged rows that a copy to PostgreSQL leaves behind, with writers next to it.

    python benchmarks/store_copy.py ADDRESS [--seconds 3]

ADDRESS is a server on which databases may be made. Two kinds of writers store decisions and print each that was
acknowledged: one has the store open all the time, as a service, the other opens it for each row, as a command does.
Meanwhile `waypost store copy` runs, again and again until it succeeds or the time is over. A row is lost if it was
acknowledged and is in neither the database nor, where nothing was copied, in the file. Exit status 1 for a lost row.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

import store
from waypost.errors import WaypostError
from waypost.store import decisions, open_store, organizations
from waypost.store.folder import NAME

ROWS = 50_000
"""Rows of the store before: the copy takes a while."""
NOW = int(time.time() * 1000)


def write(folder: Path, organization: str, kind: str) -> None:
    """A writer: prints the id of each row that was acknowledged, or an error once."""
    while True:
        try:
            with open_store(folder) as opened:
                while True:
                    given = store.given(organization, NOW)
                    opened.write(lambda db: decisions.put(db, given))  # noqa: B023 - it is done at once
                    os.write(1, f"{given.id}\n".encode())
                    if kind == "command":
                        break
            time.sleep(0.1)
        except WaypostError as error:
            os.write(2, f"{error}\n".encode())
            time.sleep(0.05)


def attempt(address: str, kind: str, seconds: float) -> tuple[int, int]:
    """Acknowledged and lost rows of a copy next to two writers of a kind."""
    name = f"waypost_copy_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(address, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    target = urlsplit(address)._replace(path=f"/{name}").geturl()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with open_store(folder) as opened:
            owner = opened.write(lambda db: organizations.create(db, "Acme", "bench", NOW)).id
            for _ in range(0, ROWS, 500):
                opened.write(lambda db: decisions.put(db, *(store.given(owner, NOW) for _ in range(500))))
        command = [sys.executable, __file__, "--write", place, owner, kind]
        logs = [(folder / f"said-{number}").open("wb") for number in range(2)]
        errors = (folder / "errors").open("wb")
        writers = [subprocess.Popen(command, stdout=log, stderr=errors) for log in logs]
        time.sleep(1)
        statuses: Counter[int] = Counter()
        until = time.monotonic() + seconds
        while time.monotonic() < until and not statuses[0]:
            copy = [sys.executable, "-m", "waypost", "store", "copy", "--data", place, "--to", target]
            done = subprocess.run(copy, capture_output=True, text=True, check=False)
            statuses[done.returncode] += 1
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[0]
        time.sleep(1)
        for writer in writers:
            writer.kill()
            writer.wait()
        acknowledged = {name for log in logs for name in Path(log.name).read_text().split()}
        if statuses[0]:
            with psycopg.connect(target) as db:
                stored = {str(found) for (found,) in db.execute("SELECT id FROM decision")}
        else:
            import sqlite3

            stored = {found for (found,) in sqlite3.connect(folder / NAME).execute("SELECT id FROM decision")}
        lost = len(acknowledged - stored)
        rejected = sorted(set((folder / "errors").read_text().splitlines()))
        exits = ", ".join(f"{count} with exit {status}" for status, count in sorted(statuses.items()))
        print(f"{kind}: copies: {exits}; {len(acknowledged)} rows acknowledged, {lost} lost")
        print(f"  last copy: {last.replace(place, 'DIR')}")
        print(f"  writers: {rejected[0].replace(place, 'DIR')[:150] if rejected else 'no error'}")
    with psycopg.connect(address, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    return len(acknowledged), lost


def main() -> int:
    if sys.argv[1:2] == ["--write"]:
        write(Path(sys.argv[2]), sys.argv[3], sys.argv[4])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--seconds", type=float, default=3)
    args = parser.parse_args()
    return 1 if sum(attempt(args.address, kind, args.seconds)[1] for kind in ("service", "command")) else 0


if __name__ == "__main__":
    raise SystemExit(main())
