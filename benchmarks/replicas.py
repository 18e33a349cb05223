"""Replicas of the service on one PostgreSQL: kill them and the database, revoke keys, spend quotas.

    python benchmarks/replicas.py kills [--times 200] [--replicas 3] [--seed 1]
    python benchmarks/replicas.py revoke [--times 1000] [--replicas 2]
    python benchmarks/replicas.py quotas [--replicas 3]

Each starts Debian's PostgreSQL in a folder (see `tests/postgres.py`) and replicas on ports of loopback, which have their
signing keys from it. `kills` keeps decisions and new keys coming, and SIGKILLs a replica or stops the database with `immediate`
at random times, then starts it again. Everything that was acknowledged must be there, every answer while the database
was away must be a 503 or no answer, every audit chain whole. Exit status 1 where anything is missing.

SIGKILL and `immediate` take processes away, not the machine: that a commit waits for the disk is up to the database,
whose settings the service checks when it connects.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import httpx  # noqa: E402
from tests.postgres import Server, started  # noqa: E402

from waypost.models.api_key import SCOPES  # noqa: E402
from waypost.store import keys, open_store, organizations  # noqa: E402
from waypost.store.maintenance import check  # noqa: E402
from waypost.store.wrapping import KEY_VARIABLE, new_key  # noqa: E402

CHECK = {"url": "https://shop.example.com/pay", "intended_action": "payment"}
SETTLE_S = 60
STORE_KEY = new_key()


def now() -> int:
    return int(time.time() * 1000)


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Replica:
    """A service with a data folder of its own, which is started again where it was."""

    def __init__(self, folder: Path, address: str, replicas: int) -> None:
        self.port, self.folder = free_port(), folder
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **os.environ, "WAYPOST_STORE": address, "WAYPOST_DATA": str(folder), "WAYPOST_REPLICAS": str(replicas),
            "WAYPOST_SITE_URL": "http://127.0.0.1:9", KEY_VARIABLE: STORE_KEY,
            "WAYPOST_CONFIG": str(folder / "server.toml"),
        }  # fmt: skip
        (folder / "server.toml").write_text(
            'log = "none"\n[quotas]\nfailed-auth = 1000000\n'
        )  # each revoked key is one
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "waypost", "serve", "--offline", "--port", str(self.port)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log, cwd=self.folder)

    def kill(self, how: int = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(30)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False


class Setting:
    """A database, an organization with a key of every scope, and replicas."""

    def __init__(self, server: Server, replicas: int, stack: ExitStack) -> None:
        self.server, self.address = server, server.address("postgres")
        with open_store(self.address) as store:
            self.owner = store.write(lambda db: organizations.create(db, "Acme", "ann", now())).id
            request = keys.KeyRequest(
                name="all", scopes=frozenset(SCOPES), limits={"checks": 10**6, "checks-day": 10**9, "keys": 10**6}
            )
            self.key = store.write(lambda db: keys.create(db, self.owner, request, "ann", now()))[1]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.replicas: list[Replica] = []
        for number in range(replicas):
            own = folder / str(number)
            own.mkdir(mode=0o700)
            self.replicas.append(Replica(own, self.address, replicas))
        for replica in self.replicas:
            replica.start()
            stack.callback(replica.kill)
        self.wait()

    def wait(self) -> None:
        ends = time.monotonic() + SETTLE_S
        while not all(replica.ready() for replica in self.replicas):
            assert time.monotonic() < ends, [(each.folder / "log").read_text()[-500:] for each in self.replicas]
            for replica in self.replicas:
                if not replica.is_running():
                    replica.start()
            time.sleep(0.3)


def headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


class Load:
    """Clients that ask for decisions, and now and then for a key, and note what was acknowledged."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.decisions: list[str] = []
        self.keys: list[str] = []
        self.answers: Counter[str] = Counter()
        self.away = False
        self.wrong: list[str] = []
        self.go = True

    async def client(self, number: int) -> None:
        dice = random.Random(number)
        while self.go:
            replica = dice.choice(self.setting.replicas)
            async with httpx.AsyncClient(base_url=replica.url, timeout=20, headers=headers(self.setting.key)) as client:
                for _ in range(20):
                    if self.go:
                        await self._ask(client, dice)

    async def _ask(self, client: httpx.AsyncClient, dice: random.Random) -> None:
        was_away = self.away
        try:
            if dice.random() < 0.05:
                answer = await client.post("/v1/keys", json={"name": "made", "scopes": ["agent"]})
                if answer.status_code == 201:
                    self.keys.append(answer.json()["id"])
            else:
                answer = await client.post("/v1/agent-safety", json=CHECK)
                if answer.status_code == 200:
                    self.decisions.append(answer.json()["decision_id"])
        except httpx.HTTPError:
            self.answers["none"] += 1
            await asyncio.sleep(0.05)
            return
        self.answers[str(answer.status_code)] += 1
        if was_away and self.away and answer.status_code < 300:
            self.wrong.append(f"{answer.status_code} while the database was away")
        if answer.status_code >= 500:
            await asyncio.sleep(0.05)


async def kills(setting: Setting, times: int, dice: random.Random) -> Load:
    load = Load(setting)
    clients = [asyncio.create_task(load.client(number)) for number in range(8)]
    for number in range(times):
        await asyncio.sleep(dice.uniform(0.05, 0.6))
        if dice.random() < 0.25:
            await asyncio.to_thread(setting.server.stop, "immediate")
            load.away = True
            await asyncio.sleep(dice.uniform(0.05, 0.5))
            load.away = False
            await asyncio.to_thread(setting.server.start)
        else:
            replica = dice.choice(setting.replicas)
            await asyncio.to_thread(replica.kill)
            replica.start()
        if number % 20 == 19:
            await asyncio.to_thread(setting.wait)
            print(f"{number + 1} kills, {len(load.decisions):,} decisions acknowledged", flush=True)
    await asyncio.to_thread(setting.wait)
    load.go = False
    await asyncio.gather(*clients)
    return load


def missing(setting: Setting, load: Load) -> list[str]:
    with open_store(setting.address) as store:
        there = store.read(lambda db: {row[0] for row in db.execute("SELECT id FROM decision")})
        made = store.read(lambda db: {row[0] for row in db.execute("SELECT id FROM api_key")})
        noted = store.read(
            lambda db: {row[0] for row in db.execute("SELECT subject FROM audit_event WHERE type = 'key.created'")}
        )
    lost = [f"decision {name}" for name in load.decisions if name not in there]
    lost += [f"key {name}" for name in load.keys if name not in made]
    lost += [f"audit of key {name}" for name in load.keys if name not in noted]
    return lost


def run_kills(options: argparse.Namespace) -> int:
    with started() as server, ExitStack() as stack:
        setting = Setting(server, options.replicas, stack)
        load = asyncio.run(kills(setting, options.times, random.Random(options.seed)))
        lost = missing(setting, load)
        health = check(setting.address, now())
    print(f"{options.times} kills; answers {dict(sorted(load.answers.items()))}")
    print(f"{len(load.decisions):,} decisions and {len(load.keys):,} keys acknowledged, {len(lost)} lost")
    print(
        f"audit: {sum(chain.events for chain in health.chains):,} events, {'whole' if health.is_intact else health.problems}"
    )
    print(f"{len(load.wrong)} successes while the database was away")
    return 1 if lost or load.wrong or not health.is_intact else 0


def run_revoke(options: argparse.Namespace) -> int:
    """Seconds from the answer of A that a key is revoked until the last request that B still takes was sent."""

    async def once(setting: Setting, number: int, one: httpx.AsyncClient, other: httpx.AsyncClient) -> float:
        made = (await one.post("/v1/keys", json={"name": f"k{number}", "scopes": ["agent"]})).json()
        name, text = made["id"], made["key"]
        first = await other.post("/v1/agent-safety", json=CHECK, headers=headers(text))
        assert first.status_code == 200, first.text
        gone = await one.post(f"/v1/keys/{name}/revoke")
        assert gone.status_code < 300, gone.text
        since, last = time.monotonic(), 0.0
        while True:
            sent = time.monotonic() - since
            if (await other.post("/v1/agent-safety", json=CHECK, headers=headers(text))).status_code != 200:
                return last
            last = sent
            await asyncio.sleep(0.02)

    async def all_of(setting: Setting) -> list[float]:
        one, other = (
            httpx.AsyncClient(base_url=replica.url, timeout=20, headers=headers(setting.key))
            for replica in setting.replicas[:2]
        )
        turn = asyncio.Semaphore(8)

        async def limited(number: int) -> float:
            async with turn:
                return await once(setting, number, one, other)

        async with one, other:
            return await asyncio.gather(*(limited(number) for number in range(options.times)))

    with started() as server, ExitStack() as stack:
        found = asyncio.run(all_of(Setting(server, max(options.replicas, 2), stack)))
    late = sum(each > 1 for each in found)
    print(
        f"{len(found)} revoked at A; the last request that B took was sent {statistics.median(found):.2f} s later (median),"
    )
    print(f"{max(found):.2f} s at most")
    print(f"{late} later than a second")
    return 1 if late else 0


def run_quotas(options: argparse.Namespace) -> int:
    """Share by which a key's quota is exceeded over all replicas."""
    quota = 300

    async def all_of(setting: Setting, text: str) -> Counter[int]:
        answers: Counter[int] = Counter()

        async def client(replica: Replica) -> None:
            async with httpx.AsyncClient(base_url=replica.url, timeout=20, headers=headers(text)) as client:
                for _ in range(2 * quota):
                    answers[(await client.post("/v1/agent-safety", json=CHECK)).status_code] += 1

        await asyncio.gather(*(client(replica) for replica in setting.replicas))
        return answers

    with started() as server, ExitStack() as stack:
        setting = Setting(server, options.replicas, stack)
        with open_store(setting.address) as store:
            request = keys.KeyRequest(name="few", scopes=frozenset({"agent"}), limits={"checks": quota})
            text = store.write(lambda db: keys.create(db, setting.owner, request, "ann", now()))[1]
        begun = time.monotonic()
        answers = asyncio.run(all_of(setting, text))
        took = time.monotonic() - begun
        sets = [json.dumps(httpx.get(f"{each.url}/.well-known/jwks.json").json()) for each in setting.replicas]
    over = answers[200] / quota - 1
    print(f"{options.replicas} replicas, a quota of {quota} a minute: {dict(answers)} in {took:.0f} s, {over:+.1%}")
    print(f"{len(set(sets))} key set(s) over the replicas")
    return 1 if over > 0.2 or len(set(sets)) > 1 else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("kills", "revoke", "quotas"))
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    works: dict[str, Any] = {"kills": run_kills, "revoke": run_revoke, "quotas": run_quotas}
    return int(works[options.what](options))


if __name__ == "__main__":
    raise SystemExit(main())
