"""Requests a second of POST /v1/agent-safety, against a bare ASGI echo and a FastAPI application of the same functions.

    python benchmarks/service.py [--seconds 4] [--rounds 3] [--connections 1,32,256]
    python benchmarks/service.py --instructions [--at-once 1,32]

Needs `wrk`; the FastAPI peer runs where fastapi can be imported. All run on one uvicorn worker with uvloop and
httptools, in turn, each round anew. The route is whole: key, limits, strict body, decision on cached evidence, durable
record (synchronous=FULL). The peer has the same key lookup, limits, decision and store behind pydantic models. Then
/v1/validate in process against a direct call of `validate_data` and the report's encoding on the same bytes.

`--instructions` counts, with `valgrind --tool=cachegrind`, what one request takes in process: through the application
from its scope to its last message, store and writing thread included, without the server. Counts of two runs, one
twice as long, are subtracted; they do not depend on what else the machine does.
"""

import argparse
import asyncio
import contextlib
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
BODY = {"url": "https://allow.test/pay?order=1", "intended_action": "payment"}
LIMITS = {"checks": 10**9, "checks-day": 10**9, "validate": 10**9}
LUA = """
wrk.method = "POST"
wrk.body = '{body}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {key}"
"""


# ---- the contestants, each made by uvicorn in a process of its own ----


def echo() -> Any:
    import msgspec

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        body = (await receive())["body"]
        data = msgspec.json.encode(msgspec.json.decode(body))
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": data})

    return app


def waypost() -> Any:
    from waypost.api.app import create_app

    return create_app(_running())


def fastapi() -> Any:
    from typing import Annotated, Literal, get_args

    import msgspec
    from fastapi import Depends, FastAPI, Header, HTTPException, Response
    from pydantic import BaseModel, ConfigDict, Field

    from waypost.models.api_key import Key
    from waypost.models.decision import Action, SensitiveUrl
    from waypost.safety.serialize import CHECK_URL, decision_to_dict
    from waypost.store import decisions

    state = _running()
    app = FastAPI()

    class CheckBody(BaseModel):
        model_config = ConfigDict(extra="forbid")
        url: Annotated[str, Field(min_length=1, max_length=2048, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
        intended_action: Literal[get_args(Action)]  # type: ignore[valid-type]
        include: list[Literal["evidence_summary", "policy_version", "receipt"]] = []

    class DecisionBody(BaseModel):
        decision_id: str
        normalized_domain: str
        relationship_status: str
        risk_status: str
        action: str
        action_allowed: bool
        reason_codes: list[str]
        official_alternative: str | None = None
        confidence_class: str
        unknowns: list[str]
        expires_at: str
        dispute_path: str

    async def caller(authorization: Annotated[str, Header()]) -> Key:
        found = state.keyring.find(authorization.partition(" ")[2], state.now())
        if not isinstance(found, Key):
            raise HTTPException(401)
        return found

    @app.post("/v1/agent-safety", response_model=DecisionBody, response_model_exclude_none=True)
    async def agent_safety(
        request_body: CheckBody, key: Annotated[Key, Depends(caller)], response: Response
    ) -> dict[str, Any]:
        verdict = await state.limits.of_key(key, "checks", state.now())
        response.headers.update(verdict.headers)
        url = SensitiveUrl(request_body.url)
        with state.on_behalf_of(key.organization):
            checked = await state.decides(key).check_async(url, request_body.intended_action)
        decision = checked.decision
        path = f"/v1/decisions/{decision.decision_id}/disputes"
        given = decisions.DecisionRecord(
            id=decision.decision_id, organization=key.organization, environment=key.environment, key_id=key.id,
            created_at=checked.case.now, expires_at=decision.expires_at, normalized_domain=decision.normalized_domain,
            action=decision.action, url_hmac=await state.url_hmac(key.organization, url),
            document=msgspec.json.encode(decision_to_dict(decision, CHECK_URL, path)),
        )  # fmt: skip
        await state.save(given)
        return decision_to_dict(decision, (), path)

    return app


def _running() -> Any:
    from waypost.api.settings import Settings
    from waypost.api.state import open_state

    return open_state(Settings(data=os.environ["BENCH_DATA"], offline=True, log="none"))


# ---- the race ----

PROTOCOL = {"waypost": ", http='waypost.api.protocol:Wire'"}
"""Arguments of uvicorn by contestant: `waypost serve` has a protocol of its own."""
STARTING_S = 3.0
"""Seconds after the first answer: worker processes for pages are still being started, on the cores of the server."""


def make_key(folder: str, environment: str = "test") -> str:
    from waypost.models.api_key import SCOPES
    from waypost.service import clock
    from waypost.store import keys, open_store, organizations

    with open_store(Path(folder)) as store:
        now = clock()
        organization = store.write(lambda db: organizations.create(db, "Bench", "bench", now))
        key_request = keys.KeyRequest(name="bench", scopes=frozenset(SCOPES), environment=environment, limits=LIMITS)
        return store.write(lambda db: keys.create(db, organization.id, key_request, "bench", now))[1]


@contextlib.contextmanager
def server(name: str, port: int, folder: str) -> Iterator[int]:
    """The server's process id, once it answers."""
    code = (
        f"import sys; sys.path.insert(0, {str(HERE.parent)!r}); import uvicorn, service; "
        f"uvicorn.run(service.{name}(), port={port}, log_level='critical', access_log=False{PROTOCOL.get(name, '')})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "BENCH_DATA": folder})
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1)
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                time.sleep(0.05)
        time.sleep(STARTING_S)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def race(port: int, script: str, connections: int, seconds: int) -> dict[str, float]:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script]
    out = subprocess.run([*command, f"http://127.0.0.1:{port}/v1/agent-safety"], capture_output=True, text=True).stdout
    if bad := re.search(r"Non-2xx or 3xx responses: (\d+)", out):
        raise SystemExit(f"{bad[1]} answers were errors")
    found = {"rps": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])}
    for percent in ("50%", "99%"):
        number, unit = re.search(rf"{percent}\s+([\d.]+)(us|ms|s)", out).groups()
        found[percent] = float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    return found


def validate_in_process(folder: str, key: str, rounds: int = 400) -> None:
    """Microseconds of the route and of the call that it is made of."""
    os.environ["BENCH_DATA"] = folder
    from waypost.report.json import as_data, encode_json
    from waypost.validate import build_report, validate_data

    state = _running()
    from waypost.api.app import create_app

    app = create_app(state)
    data = json.dumps(
        {"@context": "https://schema.org", "@type": "Recipe", "name": "Nettle soup", "image": "https://example.com/a.jpg",
         "author": {"@type": "Person", "name": "A. Cook"}, "recipeIngredient": [f"{n} g nettles" for n in range(1, 30)],
         "recipeInstructions": [{"@type": "HowToStep", "text": f"Step {n}"} for n in range(20)]}
    ).encode()  # fmt: skip
    headers = [(b"host", b"127.0.0.1:2"), (b"content-type", b"application/ld+json"),
               (b"authorization", f"Bearer {key}".encode())]  # fmt: skip
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
             "path": "/v1/validate", "raw_path": b"/v1/validate", "query_string": b"", "root_path": "",
             "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}  # fmt: skip
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    def direct() -> None:
        file = validate_data(data, state.registry, path="request", now=state.utc())
        encode_json(as_data(build_report([file], state.registry)))

    async def run() -> tuple[float, float]:
        route: list[float] = []
        call: list[float] = []
        for _ in range(rounds):
            began = time.perf_counter()
            await app(dict(scope), receive, send)
            middle = time.perf_counter()
            direct()
            route.append(middle - began)
            call.append(time.perf_counter() - middle)
        return min(route), min(call)

    route, call = asyncio.run(run())
    assert sent[0]["status"] == 200, sent[:2]
    print(f"\n/v1/validate in process, {len(data)} bytes: {route * 1e6:.0f} us, validate_data and encoding "
          f"{call * 1e6:.0f} us: {route / call:.2f}x")  # fmt: skip
    state.close()


# ---- what one request takes, counted ----

WARM, COUNTED = 300, 960
"""Requests before the count begins to matter, and the difference between the two runs."""
MOST_TRIES = 20
"""Most requests before the first that is answered with a decision."""
SLOWER = 50
"""How many times slower a program runs that is counted: threads are to have their turns as often as otherwise."""


def send_requests(folder: str, key: str, requests: int, at_once: int) -> None:
    """Send requests to the application in this process, so many at a time."""
    import uvloop

    os.environ["BENCH_DATA"] = folder
    app = waypost()
    body = json.dumps(BODY).encode()
    headers = [(b"host", b"127.0.0.1:18200"), (b"content-length", str(len(body)).encode()),
               (b"authorization", f"Bearer {key}".encode()), (b"content-type", b"application/json")]  # fmt: skip
    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
             "method": "POST", "scheme": "http", "path": "/v1/agent-safety", "raw_path": b"/v1/agent-safety",
             "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}  # fmt: skip
    failures = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message.get("status", 200) != 200:
            failures.append(message["status"])

    async def one() -> None:
        await app({**scope, "headers": list(headers), "state": {}}, receive, send)

    async def run() -> None:
        async with app.litestar.lifespan():
            sys.setswitchinterval(sys.getswitchinterval() * SLOWER)
            await asyncio.sleep(0.5)  # what is made ready beside the first requests
            # Slowed down fifty times, the first decisions miss their deadline while files are loaded, and are 503.
            for _ in range(MOST_TRIES):
                failures.clear()
                await one()
                if not failures:
                    break
            for _ in range(requests // at_once):
                await asyncio.gather(*(one() for _ in range(at_once)))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
    if failures:
        raise SystemExit(f"{len(failures)} answers were errors")


def instructions(folder: str, key: str, at_once: int) -> int:
    """Instructions of one request where so many come at once."""

    def counted(requests: int) -> int:
        code = f"import sys; sys.path.insert(0, {str(HERE.parent)!r}); import service; "
        code += f"service.send_requests({folder!r}, {key!r}, {requests}, {at_once})"
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        run = subprocess.run(
            [*command, sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
        )
        if run.returncode:
            raise SystemExit(run.stderr)
        return int(re.search(r"I\s+refs:\s+([\d,]+)", run.stderr)[1].replace(",", ""))

    return (counted(WARM + 2 * COUNTED) - counted(WARM + COUNTED)) // COUNTED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", default="1,32,256")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--at-once", default="1,32")
    options = parser.parse_args()
    if options.instructions:
        if shutil.which("valgrind") is None:
            raise SystemExit("valgrind is needed: install it from your system's packages")
        for at_once in (int(each) for each in options.at_once.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                print(
                    f"{at_once:>3} at once: {instructions(folder, make_key(folder), at_once):,} instructions a request"
                )
        return 0
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is needed: install it from your system's packages")
    names = ["echo", "waypost"] + (["fastapi"] if importlib.util.find_spec("fastapi") else [])
    with tempfile.TemporaryDirectory() as folder:
        key = make_key(folder)
        script = Path(folder) / "post.lua"
        script.write_text(LUA.format(body=json.dumps(BODY), key=key))
        print(f"{'connections':>11} {'':10} {'requests/s':>11} {'p50 ms':>8} {'p99 ms':>8}")
        for connections in (int(each) for each in options.connections.split(",")):
            seen: dict[str, list[dict[str, float]]] = {name: [] for name in names}
            for number in range(options.rounds):
                for place, name in enumerate(names):
                    port = 18200 + number * 10 + place
                    with server(name, port, folder):
                        race(port, str(script), connections, 1)
                        seen[name].append(race(port, str(script), connections, options.seconds))
            best = {name: max(each["rps"] for each in runs) for name, runs in seen.items()}
            for name, runs in seen.items():
                p50, p99 = (statistics.median(each[percent] for each in runs) for percent in ("50%", "99%"))
                print(f"{connections:>11} {name:10} {best[name]:11.0f} {p50:8.2f} {p99:8.2f}")
            ratios = [f"waypost / echo {best['waypost'] / best['echo']:.2f}"]
            if "fastapi" in best:
                ratios.append(f"waypost / fastapi {best['waypost'] / best['fastapi']:.2f}")
            print(f"{'':11} {'; '.join(ratios)}")
        validate_in_process(folder, key)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
