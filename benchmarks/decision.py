"""What a decision costs: made in process from evidence at hand, beside the bare look into the policy; and the first one.

    python benchmarks/decision.py [--rounds 20000] [--starts 20]

The evidence is made up and the clock stands still: nothing is resolved or opened. The three hosts are a reviewed one
that is allowed, one that imitates a listed brand, and one that nobody knows; each decision begins with its URL. A
first decision is a process of its own, in alternated rounds with a bare interpreter; bytecode is cached in a folder
of its own, warmed by one round before.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from waypost.models import observation
from waypost.models.decision import EVIDENCE_TYPES, Evidence
from waypost.registry.world import load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import Facts, failed_lines, find
from waypost.safety.target import normalise

NOW = 1_795_176_000_000
MINUTE, DAY = 60_000, 86_400_000
URLS = ("https://www.paypal.com/", "https://paypal-login.example/", "https://garden-tools.example/")
FIRST = """
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.target import normalise
from waypost.registry.world import load
decide(DecisionInput(decision_id="x", target=normalise("https://paypal-login.example/"), action="payment", now=0), load())
"""


def everything_seen(host: str) -> observation.Observations:
    times = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
    return observation.Observations(
        host=host,
        observed_at=NOW,
        dns=observation.DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=observation.TlsObservation(status="observed", valid=True, **times),
        http=observation.HttpObservation(
            status="observed", hops=(observation.Hop(scheme="https", host=host, port=443),), answer=200, **times
        ),
        registration=observation.RegistrationObservation(status="observed", registered_at=NOW - 900 * DAY, **times),
    )


def timed_us(work: Callable[[], object], rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        began = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - began) / 1000)
    return sorted(times)


def print_times(name: str, times: list[float]) -> float:
    middle = statistics.median(times)
    print(f"{name:<44} p50 {middle:7.1f} us   p99 {times[len(times) * 99 // 100]:7.1f} us")
    return middle


def in_process(rounds: int) -> None:
    world = load()
    tier = find(world).tier("payment")
    facts = Facts(
        relationship="verified_official",
        risk="no_high_risk_signal_observed",
        confidence="high",
        evidence=dict.fromkeys(EVIDENCE_TYPES, "observed"),
        unknowns=frozenset(),
    )
    bare = print_times(
        "the policy alone, all lines hold", timed_us(lambda: failed_lines(tier, "payment", facts), rounds)
    )
    no_match = Evidence(type="threat_list_check", status="observed", id="list.miss", observed_at=NOW)
    for url in URLS:
        seen = everything_seen(normalise(url).host)

        def work(url: str = url, seen: observation.Observations = seen) -> object:
            case = DecisionInput(
                decision_id="x", target=normalise(url), action="payment", now=NOW, seen=seen, further=(no_match,)
            )
            return decide(case, world)

        decision = work()
        output = f"{decision.normalized_domain}: {'allowed' if decision.action_allowed else 'stop'}"
        middle = print_times(output, timed_us(work, rounds))
        print(f"{'':<44} {middle / bare:.0f} times the policy alone, {decision.relationship_status}")


def first_ones(starts: int) -> None:
    check = [sys.executable, "-m", "waypost", "check", URLS[1], "--action", "payment", "--offline", "--json"]
    lanes = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import and one decision, offline": [sys.executable, "-c", FIRST],
        "waypost check --offline --json": check,
    }
    times: dict[str, list[float]] = {name: [] for name in lanes}
    with tempfile.TemporaryDirectory() as cache:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": cache, "WAYPOST_DATA": cache}
        for turn in range(starts + 1):
            for name, command in lanes.items():
                began = time.perf_counter()
                subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
                if turn:
                    times[name].append((time.perf_counter() - began) * 1000)
    for name, each in times.items():
        print(f"{name:<44} best {min(each):6.1f} ms   median {statistics.median(each):6.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--starts", type=int, default=20)
    args = parser.parse_args()
    in_process(args.rounds)
    print()
    first_ones(args.starts)


if __name__ == "__main__":
    main()
