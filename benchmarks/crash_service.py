"""Kill the whole service while it answers, again and again: what was acknowledged is there, and it starts clean.

    python benchmarks/crash_service.py [--times 30] [--seconds 1.5]

Each round starts `waypost serve` on the same folder, asks for decisions and makes and revokes keys from eight threads,
and kills it with SIGKILL after some seconds. After the last round every decision and every audit event that was
acknowledged must be in the store, the audit chains whole and SQLite's own integrity check clean.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WAYPOST = [sys.executable, "-m", "waypost"]
QUOTAS = ("checks", "checks-day", "keys")


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}


def run(*arguments: str) -> str:
    return subprocess.run([*WAYPOST, *arguments], capture_output=True, text=True, env=environment(), check=True).stdout


def hammer(port: int, key: str, ends: threading.Event, decisions: list[str], keys: list[str]) -> None:
    """Ask until the service is gone; what it acknowledged is written down."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    number = 0
    while not ends.is_set():
        number += 1
        try:
            if number % 20:
                body = {"url": f"https://shop{number}.example.com/", "intended_action": "payment"}
                connection.request("POST", "/v1/agent-safety", json.dumps(body), headers)
            else:
                body = {"name": f"k{number}", "scopes": ["search"], "environment": "test"}
                connection.request("POST", "/v1/keys", json.dumps(body), headers)
            answer = connection.getresponse()
            document = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            return
        if answer.status == 200:
            decisions.append(document["decision_id"])
        elif answer.status == 201:
            keys.append(document["id"])


def one_round(config: Path, port: int, key: str, seconds: float) -> tuple[list[str], list[str], float]:
    began = time.perf_counter()
    process = subprocess.Popen([*WAYPOST, "serve", "--config", str(config)], env=environment(), start_new_session=True)
    for _ in range(400):
        try:
            probe = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            probe.request("GET", "/readyz")
            if probe.getresponse().status == 200:
                break
        except OSError:
            pass
        if process.poll() is not None:
            raise SystemExit(f"the service did not start again: exit status {process.returncode}")
        time.sleep(0.05)
    ready = time.perf_counter() - began
    decisions: list[str] = []
    keys: list[str] = []
    ends = threading.Event()
    threads = [threading.Thread(target=hammer, args=(port, key, ends, decisions, keys)) for _ in range(8)]
    for each in threads:
        each.start()
    time.sleep(seconds * random.uniform(0.5, 1.0))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    ends.set()
    for each in threads:
        each.join()
    return decisions, keys, ready


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--port", type=int, default=18888)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data, config = Path(name) / "data", Path(name) / "server.toml"
        lines = [f'data = "{data}"', f"port = {options.port}", "offline = true", 'log = "none"']
        lines += [
            f'site_url = "http://127.0.0.1:{options.port}"',
            "[quotas]",
            *(f'"{each}" = 100000000' for each in QUOTAS),
        ]
        config.write_text("\n".join([*lines, ""]))
        run("org", "create", "Acme", "--data", str(data))
        made = run("keys", "create", "--name", "crash", "--scopes", "agent,keys,search", "--data", str(data), "--json")
        key = json.loads(made)["key"]
        decisions: list[str] = []
        keys: list[str] = []
        slowest = 0.0
        for number in range(options.times):
            some, others, ready = one_round(config, options.port, key, options.seconds)
            decisions += some
            keys += others
            slowest = max(slowest, ready)
            print(f"{number + 1}: {len(some)} decisions, {len(others)} keys, ready after {ready:.1f} s", flush=True)
        checked = run("store", "check", "--data", str(data))
        exported = [json.loads(line) for line in run("store", "export", "--data", str(data)).splitlines()]
    text = json.dumps(exported)
    lost = [each for each in decisions if each not in text]
    events = {each.get("subject") or each.get("about") or "" for each in exported}
    unaudited = [each for each in keys if each not in text]
    print(checked.strip())
    print(f"{options.times} kills, {len(decisions)} decisions and {len(keys)} keys acknowledged: {len(lost)} decisions and "
          f"{len(unaudited)} keys lost; slowest start {slowest:.1f} s; {len(exported)} rows, {len(events)} subjects")  # fmt: skip
    return int(bool(lost or unaudited))


if __name__ == "__main__":
    raise SystemExit(main())
