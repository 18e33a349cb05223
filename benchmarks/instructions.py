"""Instructions of fixed commands, requests and decisions, held to a budget that can only be raised with a reason.

    python benchmarks/instructions.py                          count each lane and compare with its budget
    python benchmarks/instructions.py LANE...                  only these
    python benchmarks/instructions.py --raise LANE --because TEXT
    python benchmarks/instructions.py --write                  count each lane and write it, where a budget fell

`benchmarks/budgets.json` has the last accepted count of each lane, how often it calls its most called functions, and the
lines that run in those of waypost that do most. A count depends on the build of Python and on the packages, not on the
load of the machine: with a fixed hash seed it repeats to 0.1 %, and lines repeat exactly. Each lane checks status and
output of what it counts. Exit status 1 where a lane takes 3 % more than its budget, or where 8 % more lines run in one of
those functions: the message has the functions that are called more often or do more. Without valgrind, or with another Python than the one in the file,
nothing is compared, and the exit status is 0.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import platform
import pstats
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FILE = HERE / "budgets.json"
_HERE_FIRST = f"import sys; sys.path.insert(0, {str(HERE)!r}); import instructions as i; "
ALLOWED = 1.03
ALLOWED_LINES = 1.08
"""More lines in one function may be hidden in a lane of which the start is two thirds."""
REQUESTS = 60
"""Requests or decisions of a lane that are profiled and traced."""
COUNTED = 600
"""Requests of a lane that are counted; its count is that of one. The start takes 4,000 times as much and varies by a
thousandth on a busy machine, which in the count of each of 60 requests was 6 percent."""
UNLIMITED = dict.fromkeys(("checks", "checks-day", "validate"), 10**9)
_MOST_CALLED = 80
_LEAST_SHARE = 0.005
"""Share of a lane's lines from which a function is compared."""
_NAMED = 8


class Lane(NamedTuple):
    """Work that is counted. `by_lines`: functions are compared too; a trace takes fifty times as long as the work.

    arguments  of the command line; empty for a lane of `request` in this file
    status     expected exit status
    expected   text that the output has
    """

    arguments: list[str]
    status: int = 0
    expected: str = ""
    by_lines: bool = True


PAGE = "examples/site/shop/loma-kettle.html"
LANES = {
    "version": Lane(["--version"], expected="0."),
    "validate-page": Lane(["validate", PAGE], 1, "price-invalid"),
    "validate-22-pages": Lane(
        ["validate", "examples/site", "tests/cases/generators", "--jobs", "1", "--fail-on", "never"], 0, "errors"
    ),
    "check": Lane(["check", "https://shop.example.com/cart", "--action", "payment", "--offline"], 1, "Stop"),
    "check-500-hosts": Lane(["check", "--batch", "HOSTS", "--action", "payment", "--offline", "--json"], 1, "}"),
    "preview": Lane(["preview", "examples/site/recipes/rye-bread.html"], 0, "eligible"),
    "build-guides": Lane(["build", "--only", "docs/", "--output", "FOLDER"], 0, "pages", by_lines=False),
    "service-start": Lane([]),
    "request-agent-safety": Lane([]),
    "request-validate": Lane([]),
    "decision-new-host": Lane([]),
    "decision-known-host": Lane([]),
    "decision-authorization-url": Lane([]),
}
NOW = 1_796_083_200_000
"""Clock of the decisions, in milliseconds since 1970: 2026-12-01. Reviews expire at fixed times."""


# ---- what is counted in process ----


def service(requests: int, path: str, body: bytes, media: str, expected: bytes) -> None:
    """Open a service in this process and send it requests, one after another."""
    import asyncio

    from waypost.api.app import create_app
    from waypost.api.settings import Settings
    from waypost.api.state import open_state
    from waypost.models.api_key import SCOPES
    from waypost.registry import load
    from waypost.service import clock
    from waypost.store import keys, organizations

    with tempfile.TemporaryDirectory() as folder:
        state = open_state(Settings(data=folder, offline=True, log="none"), registry=load())
        organization = state.store.write(lambda db: organizations.create(db, "One", "bench", clock()))
        required = keys.KeyRequest(name="bench", scopes=frozenset(SCOPES), environment="live", limits=UNLIMITED)
        _, text = state.store.write(lambda db: keys.create(db, organization.id, required, "bench", clock()))
        state.keyring.refresh()
        app = create_app(state)
        headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {text}".encode()),
                   (b"content-length", str(len(body)).encode()), (b"content-type", media.encode())]  # fmt: skip
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
                 "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
                 "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}  # fmt: skip

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def one() -> None:
            sent: list[Any] = []

            async def send(message: Any) -> None:
                sent.append(message)

            await app({**scope, "headers": list(headers), "state": {}}, receive, send)
            answer = b"".join(message.get("body", b"") for message in sent)
            assert sent[0]["status"] == 200, answer
            assert expected in answer, answer

        async def run() -> None:
            for _ in range(requests):
                await one()
            state.close()
            await state.pool.ended()

        asyncio.run(run())


def new_hosts(number: int) -> Iterator[str]:
    """Addresses of hosts that nobody knows, each with another name of two ordinary words and a number."""
    words = ("garden", "river", "stone", "paper", "lamp", "violet", "north", "amber", "cedar", "harbor")
    for n in range(number):
        yield f"https://{words[n % 10]}-{words[n * 7 % 9]}{n}.{words[n * 3 % 10]}{n}.example/checkout"


def decisions(name: str, number: int) -> None:
    """Decide about as many URLs, none of them twice, with all evidence at hand: reading of the URL and decision."""
    import decision

    from waypost.models.decision import Evidence
    from waypost.registry.world import load
    from waypost.safety.decide import decide
    from waypost.safety.decision_input import DecisionInput
    from waypost.safety.url_reading import read_address
    from waypost.service import Service

    decision.NOW = NOW
    world = load()
    service = Service(world, now=lambda: NOW)
    service.warm_up()
    urls, action, expected = list(new_hosts(number)), "payment", "no_decisive_signal"
    if name == "decision-known-host":
        domains = [
            brand.official_domains[0].domain for brand in world.brands.values() if len(brand.official_domains) == 1
        ]
        urls, action = [f"https://{each}/" for each in domains if each not in world.user_content], "visit"
        expected = "official_relationship_verified"
    elif name == "decision-authorization-url":
        ends = [f"?client_id=7&response_type=code&scope=openid&redirect_uri={quote(url, safe='')}" for url in urls]
        urls = [f"https://accounts.google.com/o/oauth2/v2/auth{end}" for end in ends]
        action, expected = "login", "sign_in_receiver_not_verified"
    no_match = Evidence(type="threat_list_check", status="observed", id="list.miss", observed_at=NOW)
    for url in urls[:number]:
        address = read_address(url, world)
        given = DecisionInput(
            decision_id="x", target=address.target, reading=address.reading, action=action, now=NOW,
            policy=service.policy, seen=decision.everything_seen(address.target.host), further=(no_match,),
        )  # fmt: skip
        made = decide(given, world)
        assert expected in made.reason_codes, (url, made)


def request(name: str, requests: int) -> None:
    """Lane of a request or a decision, in this process."""
    if name.startswith("decision-"):
        decisions(name, requests)
    elif name == "request-validate":
        article = {"@context": "https://schema.org", "@type": "Product", "name": "Kettle"}
        page = f'<!doctype html><title>t</title><script type="application/ld+json">{json.dumps(article)}</script>'
        service(requests, "/v1/validate", page.encode(), "text/html", b"required-property-missing")
    else:
        body = {"url": "https://shop.example.com/cart", "intended_action": "payment"}
        service(requests, "/v1/agent-safety", json.dumps(body).encode(), "application/json", b'"action_allowed":false')


# ---- counting ----


def environment() -> dict[str, str]:
    stored = {name: os.environ[name] for name in ("HOME", "PATH", "VIRTUAL_ENV") if name in os.environ}
    return {**stored, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}


def hosts() -> str:
    """500 addresses: names that resemble a brand, names that do not, and names of many labels."""
    words = ("garden", "login", "paypa1", "micros0ft", "account", "river", "shop", "secure", "bank", "tools")
    made = (f"{words[n % 10]}-{words[n * 7 % 9]}{n}.{words[n * 3 % 10]}.example" for n in range(500))
    return "".join(f"https://{host}/\n" for host in made)


def in_process(name: str, requests: int) -> list[str]:
    return [
        "-c",
        f"{_HERE_FIRST}i.request({name!r}, {requests})",
    ]


def arguments_of(lane: Lane, folder: str) -> list[str]:
    """Arguments of a lane, with the places in a folder of the run."""
    places = {"HOSTS": f"{folder}/hosts.txt", "FOLDER": f"{folder}/site"}
    return [places.get(each, each) for each in lane.arguments]


def count(name: str, folder: str) -> int:
    """Instructions of a lane. Raises SystemExit where it does not do what is expected."""
    lane = LANES[name]
    if lane.arguments:
        return valgrind(["-m", "waypost", *arguments_of(lane, folder)], lane)
    if name == "service-start":
        return valgrind(in_process("request-agent-safety", 0), lane)
    # The first requests load what the others use.
    few, many = (valgrind(in_process(name, number), lane) for number in (20, 20 + COUNTED))
    return (many - few) // COUNTED


def run(command: list[str], lane: Lane, before: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*before, sys.executable, *command], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    if done.returncode != lane.status or lane.expected not in done.stdout:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def valgrind(command: list[str], lane: Lane) -> int:
    counted = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    run(command, lane, [])  # compiles modules and fills what a second run finds
    found = re.search(r"I\s+refs:\s+([\d,]+)", run(command, lane, counted).stderr)
    assert found
    return int(found[1].replace(",", ""))


def calls(name: str, folder: str) -> dict[str, int]:
    """Calls of the functions of a lane that are called most: function -> number."""
    lane = LANES[name]
    profile = f"{folder}/{name}.profile"
    if lane.arguments:
        command = ["-m", "cProfile", "-o", profile, "-m", "waypost", *arguments_of(lane, folder)]
    else:
        requests = 0 if name == "service-start" else REQUESTS
        which = "request-agent-safety" if name == "service-start" else name
        command = [
            "-c",
            f"{_HERE_FIRST}i.profiled({which!r}, {requests}, {profile!r})",
        ]
    subprocess.run([sys.executable, *command], cwd=ROOT, env=environment(), capture_output=True, check=False)
    stats: Any = pstats.Stats(profile)
    found: dict[str, int] = {}
    for (path, _, function), (_, number, *_) in stats.stats.items():
        short = path.rpartition("/waypost/")[2].removesuffix(".py") if "/waypost/" in path else Path(path).stem
        found[f"{short}:{function}"] = found.get(f"{short}:{function}", 0) + number
    return dict(sorted(found.items(), key=lambda row: (-row[1], row[0]))[:_MOST_CALLED])


def profiled(name: str, requests: int, path: str) -> None:
    profile = cProfile.Profile()
    profile.runcall(request, name, requests)
    profile.dump_stats(path)


def lines(name: str, folder: str) -> dict[str, int]:
    """Lines that run in the functions of waypost that do most in a lane: function -> number."""
    lane, file = LANES[name], f"{folder}/{name}.lines"
    command = (
        ["-c", f"{_HERE_FIRST}i.traced({arguments_of(lane, folder)!r}, {file!r})"]
        if lane.arguments
        else ["-c", f"{_HERE_FIRST}i.traced([], {file!r}, {name!r})"]
    )
    subprocess.run([sys.executable, *command], cwd=ROOT, env=environment(), capture_output=True, check=False)
    found: dict[str, int] = json.loads(Path(file).read_bytes())
    least = sum(found.values()) * _LEAST_SHARE
    return {function: number for function, number in found.items() if number >= least}


def traced(arguments: list[str], file: str, name: str = "") -> None:
    """Run a command, or a lane of requests, and write how many lines run in each function of waypost."""
    found: dict[Any, int] = {}

    def inside(frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            found[frame.f_code] = found.get(frame.f_code, 0) + 1
        return inside

    def entered(frame: Any, event: str, _: Any) -> Any:
        path = frame.f_code.co_filename
        return inside if event == "call" and "/waypost/" in path and frame.f_code.co_name != "<module>" else None

    sys.argv = ["waypost", *arguments]
    threading.settrace(entered)
    sys.settrace(entered)
    try:
        if arguments:
            runpy.run_module("waypost", run_name="__main__", alter_sys=True)
        else:
            request(
                "request-agent-safety" if name == "service-start" else name, 0 if name == "service-start" else REQUESTS
            )
    finally:
        sys.settrace(None)
        named: dict[str, int] = {}
        for code, number in found.items():
            # A function with its comprehensions and inner functions.
            function = code.co_qualname.partition(".<locals>")[0]
            short = code.co_filename.rpartition("/waypost/")[2].removesuffix(".py")
            named[f"{short}:{function}"] = named.get(f"{short}:{function}", 0) + number
        Path(file).write_text(json.dumps(dict(sorted(named.items(), key=lambda row: (-row[1], row[0])))), "utf-8")


# ---- comparing ----


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanes", nargs="*", metavar="LANE", help=", ".join(LANES))
    parser.add_argument("--raise", dest="raised", choices=LANES, metavar="LANE")
    parser.add_argument("--because", metavar="TEXT")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if bool(options.raised) != bool(options.because):
        parser.error("--raise and --because go together")
    if unknown := [name for name in options.lanes if name not in LANES]:
        parser.error(f"there is no lane {unknown[0]!r}; lanes: {', '.join(LANES)}")
    if shutil.which("valgrind") is None:
        print("valgrind is needed: install it from your system's packages")
        return 0
    budgets = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {"lanes": {}, "raised": []}
    python = f"{platform.python_implementation()} {sys.version.split('[')[0].strip()} {platform.machine()}"
    if budgets.get("python", python) != python and not options.write:
        print(f"not compared: the budgets are of {budgets['python']}, this is {python}")
        return 0
    budgets["python"] = python
    names = [options.raised] if options.raised else options.lanes or list(LANES)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "hosts.txt").write_text(hosts(), "utf-8")
        over = [name for name in names if compare(name, folder, budgets, options)]
    if options.raised or options.write:
        FILE.write_text(json.dumps(budgets, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return int(bool(over))


def compare(name: str, folder: str, budgets: dict[str, Any], options: argparse.Namespace) -> bool:
    """Count a lane, print the comparison, and note a new budget. True where the lane is above its budget."""
    found = count(name, folder)
    last = budgets["lanes"].get(name)
    change = f"{(found / last['instructions'] - 1) * 100:+.1f} %" if last else "new"
    print(f"{name:22} {found:15,}  {change}", flush=True)
    is_over = last is not None and found > last["instructions"] * ALLOWED
    is_written = options.raised or (options.write and (last is None or found < last["instructions"]))
    is_compared = options.write or options.raised or last is None or "lines" in last
    counted = lines(name, folder) if LANES[name].by_lines and is_compared else {}
    slower = {
        function: number
        for function, number in counted.items()
        if last and "lines" in last and number > last["lines"].get(function, number) * ALLOWED_LINES
    }
    if options.raised:
        today = datetime.now(UTC).date().isoformat()
        before = last["instructions"] if last else 0
        budgets["raised"].append({"date": today, "lane": name, "from": before, "to": found, "because": options.because})
    elif is_over or slower:
        explain(name, last, calls(name, folder) if is_over else {}, slower)
        return True
    if is_written:
        budgets["lanes"][name] = {"instructions": found, "calls": calls(name, folder), "lines": counted}
    elif options.write and counted:
        last["lines"] = counted
    return False


def explain(name: str, last: dict[str, Any], now: dict[str, int], slower: dict[str, int]) -> None:
    if now:
        print(
            f"  more than {(ALLOWED - 1) * 100:.0f} % above its budget of {last['instructions']:,}; called more often:"
        )
    more = {function: number - last["calls"].get(function, 0) for function, number in now.items()}
    for function, added in sorted(more.items(), key=lambda row: -row[1])[:_NAMED]:
        if added > 0:
            print(f"    {function}: {now[function]:,} calls, {added:,} more")
    if slower:
        print(f"  functions in which {(ALLOWED_LINES - 1) * 100:.0f} % more lines run:")
    for function, number in sorted(slower.items(), key=lambda row: -row[1])[:_NAMED]:
        print(f"    {function}: {number:,} lines, {number - last['lines'][function]:,} more")
    print(f"  make it faster, or: python benchmarks/instructions.py --raise {name} --because TEXT")


if __name__ == "__main__":
    raise SystemExit(main())
