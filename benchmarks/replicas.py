"""Replicas of the service on one PostgreSQL: kill them and the database, revoke keys, spend limits, upgrade, race.

    python benchmarks/replicas.py kills [--times 200] [--replicas 3] [--seed 1]
    python benchmarks/replicas.py front [--times 1000] [--within 240] [--replicas 3]
    python benchmarks/replicas.py rolling --before PYTHON [--times 5] [--replicas 3]
    python benchmarks/replicas.py speed [--before PYTHON] [--times 3] [--seconds 4]

Each starts Debian's PostgreSQL in a folder (see `tests/postgres.py`) and replicas on ports of loopback. `kills` keeps
decisions and new keys coming, and SIGKILLs a replica or stops the database with `immediate` at random times, then
starts it again. Everything that was acknowledged must be there, every answer while the database was away must be a 503
or no answer, every audit chain whole.

`front` puts nginx before the replicas (Debian's package). Under load, keys are revoked at one replica and tried at
another, and no request that was sent later than a second may be taken; a key's quota and each limit of an address are
spent through nginx, and receipts of one replica verified by the key set of another. After `--within` seconds no further
key is made, and the number that was tried is less than `--times`: exit status 1.

`rolling` starts replicas of another waypost, the one of the interpreter PYTHON, and replaces them one by one under
load, with kills of replicas and of the database in between.

`speed` counts decisions a second at 32 connections by `wrk`: on SQLite, with this waypost and the one of `--before`,
and on one, two and three replicas together, in turn, `--times` rounds of `--seconds` each.

Exit status 1 where anything does not hold. SIGKILL and `immediate` take processes away, not the machine: that a commit
waits for the disk is up to the database, whose settings the service checks when it connects.
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
from waypost.receipts import SigningKeys, verify  # noqa: E402
from waypost.store import open_store  # noqa: E402
from waypost.store.maintenance import check  # noqa: E402
from waypost.store.wrapping import KEY_VARIABLE, new_key  # noqa: E402

URL = "https://shop.example.com/pay"
CHECK = {"url": URL, "intended_action": "payment"}
ALLOWED = {"url": "https://allow.test/", "intended_action": "payment"}
SETTLE_S = 180
STORE_KEY = new_key()


def now() -> int:
    return int(time.time() * 1000)


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def environment(address: str, **more: str) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return {**known, "WAYPOST_STORE": address, KEY_VARIABLE: STORE_KEY, **more}


def command(address: str, python: str, *arguments: str, **more: str) -> str:
    """Standard output of a command of waypost. `more`: variables of its environment."""
    run, known = [python, "-P", "-m", "waypost", *arguments], environment(address, **more)
    return subprocess.run(run, env=known, check=True, stdout=subprocess.PIPE, text=True, cwd="/").stdout


class Replica:
    """A service with a data folder of its own, which is started again where it was.

    python  interpreter of the waypost that serves
    """

    def __init__(self, folder: Path, address: str, replicas: int, python: str, quotas: str) -> None:
        self.python = python
        self.port, self.folder = free_port(), folder
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = environment(
            address, WAYPOST_DATA=str(folder), WAYPOST_REPLICAS=str(replicas), WAYPOST_SITE_URL="http://127.0.0.1:9",
            WAYPOST_CONFIG=str(folder / "server.toml"),
        )  # fmt: skip
        (folder / "server.toml").write_text(f'log = "none"\ntrusted_proxies = ["127.0.0.1"]\n[quotas]\n{quotas}\n')
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [self.python, "-P", "-m", "waypost", "serve", "--offline", "--port", str(self.port)]
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

    def state(self) -> str:
        """Answer of `/readyz`, or why there is none, and the end of the log."""
        try:
            answer = httpx.get(f"{self.url}/readyz", timeout=10).text
        except httpx.HTTPError as error:
            answer = f"{type(error).__name__}: {error}"
        return f"{self.url}: {answer}\n{(self.folder / 'log').read_text()[-500:]}"


MANY = "checks = 1000000\nchecks-day = 1000000000\nkeys = 1000000\nlookups = 1000000"


class Setting:
    """A database, an organization with a key of every scope, and replicas."""

    def __init__(
        self, server: Server, replicas: int, stack: ExitStack, python: str = sys.executable, quotas: str = MANY
    ) -> None:
        self.server, self.address = server, server.address("postgres")
        scopes = ",".join(SCOPES)
        command(self.address, python, "org", "create", "Acme")
        self.key = command(self.address, python, "keys", "create", "--name", "all", "--scopes", scopes).strip()
        test = ("keys", "create", "--name", "test", "--scopes", "agent", "--environment", "test")
        self.test_key = command(self.address, python, *test).strip()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.replicas: list[Replica] = []
        for number in range(replicas):
            own = folder / str(number)
            own.mkdir(mode=0o700)
            if python != sys.executable:  # whose replicas have their signing keys in a file
                SigningKeys.open(folder / "0", now())
                for name in ("signing-keys.json", "jwks.json"):
                    (own / name).write_bytes((folder / "0" / name).read_bytes())
                    (own / name).chmod(0o600)
            self.replicas.append(Replica(own, self.address, replicas, python, quotas))
        for replica in self.replicas:
            replica.start()
            stack.callback(replica.kill)
        self.wait()

    def wait(self) -> None:
        ends = time.monotonic() + SETTLE_S
        while not all(replica.ready() for replica in self.replicas):
            assert time.monotonic() < ends, "\n".join(replica.state() for replica in self.replicas)
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
        self.allowed = 0
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
                        await self._send(client, dice)

    async def _send(self, client: httpx.AsyncClient, dice: random.Random) -> None:
        was_away = self.away
        try:
            if (drawn := dice.random()) < 0.3:
                answer = await client.post("/v1/agent-safety", json=ALLOWED, headers=headers(self.setting.test_key))
                if answer.status_code == 200:
                    self.decisions.append(answer.json()["decision_id"])
                    self.allowed += answer.json()["action_allowed"]
            elif drawn < 0.35:
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
        return outcome(f"{options.times} kills", setting, load)


def outcome(what: str, setting: Setting, load: Load) -> int:
    """Print what was acknowledged and what of it is missing. Exit status."""
    lost = missing(setting, load)
    health = check(setting.address, now())
    print(f"{what}; answers {dict(sorted(load.answers.items()))}")
    acknowledged = f"{len(load.decisions):,} decisions ({load.allowed:,} allowed) and {len(load.keys):,} keys"
    print(f"{acknowledged} acknowledged, {len(lost)} lost")
    print(
        f"audit: {sum(chain.events for chain in health.chains):,} events, {'whole' if health.is_intact else health.problems}"
    )
    print(f"{len(load.wrong)} successes while the database was away")
    return 1 if lost or load.wrong or not health.is_intact else 0


async def rolling(setting: Setting, dice: random.Random) -> Load:
    """Replace each replica by one of this waypost, and kill replicas and the database in between."""
    load = Load(setting)
    clients = [asyncio.create_task(load.client(number)) for number in range(6)]
    await asyncio.sleep(1)
    for replica in setting.replicas:
        await asyncio.to_thread(replica.kill, dice.choice((signal.SIGKILL, signal.SIGTERM)))
        replica.python = sys.executable
        replica.start()
        await asyncio.sleep(dice.uniform(0.2, 1.5))
        await asyncio.to_thread(setting.server.stop, "immediate")
        load.away = True
        await asyncio.sleep(dice.uniform(0.05, 0.5))
        load.away = False
        await asyncio.to_thread(setting.server.start)
        await asyncio.to_thread(setting.wait)
        new = [each for each in setting.replicas if each.python == sys.executable]
        killed = dice.choice(new)  # an older waypost does not start on newer tables
        await asyncio.to_thread(killed.kill)
        killed.start()
        await asyncio.to_thread(setting.wait)
    load.go = False
    await asyncio.gather(*clients)
    return load


def run_rolling(options: argparse.Namespace) -> int:
    status = 0
    for number in range(options.times):
        with started() as server, ExitStack() as stack:
            setting = Setting(server, options.replicas, stack, options.before)
            load = asyncio.run(rolling(setting, random.Random(options.seed + number)))
            sets = {json.dumps(httpx.get(f"{each.url}/.well-known/jwks.json").json()) for each in setting.replicas}
            status |= outcome(f"upgrade {number + 1} of {options.replicas} replicas", setting, load)
            print(f"{len(sets)} key set(s) over the replicas", flush=True)
            status |= len(sets) != 1
    return status


NGINX = """
worker_processes 1; pid nginx.pid; error_log error.log; daemon off;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path body; proxy_temp_path proxy;
  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream waypost {{ {servers} keepalive 32; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://waypost; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host 127.0.0.1; proxy_set_header X-Forwarded-For $remote_addr; proxy_cache off;
    }}
  }}
}}
"""


def nginx(setting: Setting, stack: ExitStack) -> str:
    """Address of nginx before the replicas."""
    folder, port = Path(stack.enter_context(tempfile.TemporaryDirectory())), free_port()
    folder.chmod(0o755)
    servers = " ".join(f"server 127.0.0.1:{replica.port};" for replica in setting.replicas)
    (folder / "nginx.conf").write_text(NGINX.format(servers=servers, port=port))
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", "nginx.conf"], stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    for _ in range(100):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=2).status_code == 200:
                return f"http://127.0.0.1:{port}"
        except httpx.HTTPError:
            time.sleep(0.1)
    raise SystemExit("nginx does not answer")


AT_ONCE, EVERY_S = 16, 0.1
"""Keys that are tried at the same time, and the pause from one request with a revoked key to the next."""


async def revoked(setting: Setting, times: int, within_s: float) -> list[float]:
    """Seconds from the answer of A that a key is revoked until the last request that B still takes was sent.

    within_s  seconds after which no further key is tried
    """

    async def once(number: int, one: httpx.AsyncClient, other: httpx.AsyncClient) -> float:
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
            await asyncio.sleep(EVERY_S)

    short = httpx.Limits(keepalive_expiry=2)  # a service closes an idle connection after five seconds
    one, other = (
        httpx.AsyncClient(base_url=replica.url, timeout=20, headers=headers(setting.key), limits=short)
        for replica in setting.replicas[:2]
    )
    found: list[float] = []
    numbers, ends = iter(range(times)), time.monotonic() + within_s

    async def in_turn() -> None:
        for number in numbers:
            if time.monotonic() >= ends:
                return
            found.append(await once(number, one, other))

    async with one, other:
        await asyncio.gather(*(in_turn() for _ in range(AT_ONCE)))
    return found


async def loaded(setting: Setting, front: str, times: int, within_s: float) -> tuple[list[float], int]:
    """Times of `revoked` while four clients ask for decisions through nginx, and the number of these decisions."""
    going, answered = True, 0

    async def client() -> None:
        nonlocal answered
        async with httpx.AsyncClient(base_url=front, timeout=20, headers=headers(setting.key)) as question:
            while going:
                answer = await question.post("/v1/agent-safety", json=CHECK)
                answered += answer.status_code == 200

    clients = [asyncio.create_task(client()) for _ in range(4)]
    try:
        return await revoked(setting, times, within_s), answered
    finally:
        going = False
        await asyncio.gather(*clients)


DECISION = "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10"
SNIPPET = {"kind": "schema", "site": {"name": "Acme", "domain": "acme.example"}}
OF_ADDRESSES: dict[str, tuple[str, str, Any, int]] = {
    "failed-auth": ("GET", "/v1/keys", None, 20),
    "preview": ("POST", "/api/ai/snippet", SNIPPET, 30),
    "pages": ("POST", "/api/page", {"url": "https://shop.example.com/"}, 10),
    "schema": ("GET", "/v1/schema", None, 600),
    "dispute-page": ("GET", f"/v1/decisions/{DECISION}/disputes", None, 30),
    "sign-in": ("GET", "/keys/sign-in", None, 10),
}


async def taken(front: str, source: str, method: str, path: str, body: Any, number: int, key: str = "") -> int:
    """Number of requests from an address, four at a time, that were not refused by a limit."""
    transport = httpx.AsyncHTTPTransport(local_address=source)
    known = headers(key) if key else headers("wp_live_nothing") if path == "/v1/keys" else {}
    turn, passed = asyncio.Semaphore(8), 0

    async with httpx.AsyncClient(base_url=front, timeout=30, transport=transport, headers=known) as client:

        async def one() -> None:
            nonlocal passed
            async with turn:
                answer = await client.request(method, path, json=body)
                passed += answer.status_code != 429

        await asyncio.gather(*(one() for _ in range(number)))
    return passed


def run_front(options: argparse.Namespace) -> int:
    quota, status = 300, 0
    failed = "failed-auth = 1000000\n"
    with started() as server, ExitStack() as stack:
        setting = Setting(server, options.replicas, stack, quotas=MANY + "\n" + failed)  # each revoked key is one
        front = nginx(setting, stack)
        found, answered = asyncio.run(loaded(setting, front, options.times, options.within))
        late = sum(each > 1 for each in found)
        print(
            f"{len(found)} of {options.times} keys revoked at A, {answered:,} decisions through nginx meanwhile; the last request that B took"
        )
        print(
            f"was sent {statistics.median(found):.2f} s later (median), {max(found):.2f} s at most; {late} later than a second"
        )
        status |= late > 0 or len(found) < options.times

        request = {"name": "few", "scopes": ["agent"], "limits": {"checks": quota}}
        text = httpx.post(f"{front}/v1/keys", json=request, headers=headers(setting.key)).json()["key"]
        passed = asyncio.run(taken(front, "127.0.0.2", "POST", "/v1/agent-safety", CHECK, 3 * quota, text))
        print(f"{options.replicas} replicas, a key's quota of {quota}: {passed} taken, {passed / quota - 1:+.1%}")
        status |= passed > 1.2 * quota

        sets = [httpx.get(f"{each.url}/.well-known/jwks.json").json() for each in setting.replicas]
        verified = 0
        for one in setting.replicas:
            body = CHECK | {"include": ["receipt"], "audience": "benchmark"}
            answer = httpx.post(f"{one.url}/v1/agent-safety", json=body, headers=headers(setting.key)).json()
            for keys_of in sets:
                result = verify(answer["receipt"], keys_of, url=URL, action="payment", audience="benchmark", now=now())
                verified += getattr(result, "reason", "") == "action_not_allowed"  # read after signature and claims
        print(f"{verified} of {len(sets) ** 2} receipts verify, each replica's by each replica's key set")
        status |= verified != len(sets) ** 2

        for replica in setting.replicas:  # with the usual limits
            replica.kill(signal.SIGTERM)
            config = replica.folder / "server.toml"
            config.write_text(config.read_text().replace(failed, ""))
            replica.start()
        setting.wait()
        for number, (name, (method, path, body, limit)) in enumerate(OF_ADDRESSES.items(), 3):
            passed = asyncio.run(taken(front, f"127.0.0.{number}", method, path, body, 2 * limit + 30))
            print(f"{name}, {limit} a minute for an address: {passed} taken, {passed / limit - 1:+.1%}")
            status |= passed > 1.2 * limit
        health = check(setting.address, now())
        events = sum(chain.events for chain in health.chains)
        print(f"audit: {events:,} events, {'whole' if health.is_intact else health.problems}")
        status |= not health.is_intact
    return int(status)


WRK = """
wrk.method = "POST"
wrk.body = '{body}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {key}"
"""
CONNECTIONS = 32


def alone(folder: Path, python: str) -> tuple[Replica, str]:
    """A service on SQLite in a folder, and a key for tests of it."""
    folder.mkdir(mode=0o700)
    command("", python, "org", "create", "Acme", WAYPOST_DATA=str(folder))
    made = ("keys", "create", "--name", "test", "--scopes", "agent", "--environment", "test")
    return Replica(folder, "", 1, python, MANY), command("", python, *made, WAYPOST_DATA=str(folder)).strip()


def raced(services: list[tuple[Replica, str]], folder: Path, seconds: int) -> float:
    """Decisions a second of all services together, with `CONNECTIONS` over all of them."""
    running = []
    for number, (service, key) in enumerate(services):
        script = folder / f"{number}.lua"
        script.write_text(WRK.format(body=json.dumps(ALLOWED), key=key))
        connections = CONNECTIONS // len(services) + (number < CONNECTIONS % len(services))
        run = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script), f"{service.url}/v1/agent-safety"]
        running.append(subprocess.Popen(run, stdout=subprocess.PIPE, text=True))
    total = 0.0
    for process in running:
        report = process.communicate(timeout=seconds + 60)[0]
        assert "Non-2xx" not in report, report
        total += float(report.split("Requests/sec:")[1].split()[0])
    return total


def run_speed(options: argparse.Namespace) -> int:
    with started() as server, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        single = {"SQLite": alone(folder / "now", sys.executable)}
        if options.before:
            single["SQLite before"] = alone(folder / "before", options.before)
        for replica, _ in single.values():
            replica.start()
            stack.callback(replica.kill)
        setting = Setting(server, 3, stack)
        while not all(replica.ready() for replica, _ in single.values()):
            time.sleep(0.3)
        replicas = [(replica, setting.test_key) for replica in setting.replicas]
        racing = {name: [each] for name, each in single.items()}
        racing |= {f"PostgreSQL, {number} replica(s)": replicas[:number] for number in (1, 2, 3)}
        found: dict[str, list[float]] = {name: [] for name in racing}
        for services in racing.values():  # connections, prepared statements, memories
            raced(services, folder, 1)
        for _ in range(options.times):
            for name, services in racing.items():
                found[name].append(raced(services, folder, options.seconds))
    usual = statistics.median(found["SQLite"])
    for name, counts in found.items():
        median, spread = statistics.median(counts), f"{min(counts):,.0f} to {max(counts):,.0f}"
        print(f"{name:24} {median:8,.0f} decisions/s ({spread}), {median / usual:.2f} of SQLite")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("kills", "front", "rolling", "speed"))
    parser.add_argument("--times", type=int)
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--before", metavar="PYTHON", help="interpreter with the waypost that is replaced, or raced")
    parser.add_argument("--within", type=float, default=240, help="of front: seconds in which a key is tried")
    parser.add_argument("--seconds", type=int, default=4, help="of speed: seconds of a round")
    options = parser.parse_args()
    options.times = options.times or {"kills": 200, "front": 1000, "rolling": 5, "speed": 3}[options.what]
    if options.what == "rolling" and not options.before:
        parser.error("rolling: name the interpreter of another waypost with --before")
    works: dict[str, Any] = {"kills": run_kills, "front": run_front, "rolling": run_rolling, "speed": run_speed}
    return int(works[options.what](options))


if __name__ == "__main__":
    raise SystemExit(main())
