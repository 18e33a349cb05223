"""How well the name signals tell an imitation from an ordinary host, beside two older ways, in one run.

    python benchmarks/names.py [FOLDER] [--half a|b|all] [--leave-one-out] [--fresh tune|closed] [--misses] [--flags] [--words FILE]

FOLDER holds `impersonation-dev.jsonl` (host, brand, alt) and `benign-dev.jsonl` (host, kind: plain, lookalike,
official). No host is opened. The words, the brands and the strengths were tuned on all of these hosts, both halves of
them, so what is found here is more and what is flagged is less than on hosts never seen; the halves show only how
far the numbers move by chance. Nothing was tuned on the hosts made up for the second part: sites that the registry
knows, taken for strangers, two words of a word list, and names of companies with a word. They are ordinary and they
are harder than most; some of the last would be bought by nobody but an imitator. `--fresh` counts flags in one part of `benign-fresh.jsonl` alone: `tune` is
for looking at, `closed` for figures that are published, and is not looked at between two of them. `--misses` and `--flags` print hosts.
`--leave-one-out` judges each source of hosts by what was chosen without it, and lists accusations with and without a
second fact. `accused` counts the facts that a name alone shows: a decisive name, free hosting.
`dnstwist` is compared where a Python with it is named by WAYPOST_DNSTWIST.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import name_sources
from name_sources import read, sourced
from rapidfuzz.distance import Levenshtein

from waypost.models.decision import Evidence
from waypost.registry.world import World, load
from waypost.safety.brand_index import BrandIndex, brand_index_of
from waypost.safety.catalogue import signals_taking
from waypost.safety.host_reading import HostReading
from waypost.safety.relationship import imitation
from waypost.safety.target import of_host

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "eval" / "safety"
RATES = (0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005)
WORDS = Path("/usr/share/dict/american-english")
MADE_UP = 50_000
ENDINGS = ("com", "com", "com", "org", "net", "co.uk", "de", "io", "info", "shop", "online")
ADDED = "organization"
"""Sites of `make_sites.py`, listed because they resemble a brand: no sample of ordinary names."""
ORDINARY = frozenset({"plain", "lookalike"})
_TWISTS = "import dnstwist,sys\nfor d in sys.stdin.read().split():\n f=dnstwist.Fuzzer(d)\n f.generate()\n print(*(p['domain'] for p in f.domains))"


class Row(NamedTuple):
    """A host, what it is, and the brands that would be right to name."""

    host: str
    kind: str
    right: frozenset[str]


def rows(folder: Path) -> Iterator[Row]:
    for line in (folder / "impersonation-dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Row(row["host"], "imitation", frozenset({row["brand"], *row["alt"]}))
    for line in (folder / "benign-dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Row(row["host"], row["kind"], frozenset())


def fresh(folder: Path, part: str) -> Iterator[Row]:
    """Ordinary hosts of one part of the fresh file. Names that machines look up, not people, are a kind of their own."""
    for line in (folder / "benign-fresh.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if (part == "tune") == bool(hashlib.sha256(f"fresh:{row['host']}".encode()).digest()[0] & 1):
            yield Row(row["host"], row["kind"], frozenset())


def half(host: str) -> str:
    return "ab"[hashlib.sha256(host.encode()).digest()[0] & 1]


def evidence(host: str, world: World) -> list[Evidence]:
    return observed(host, brand_index_of(world))


def observed(host: str, names: BrandIndex) -> list[Evidence]:
    reading = HostReading(of_host(host), names)
    return [each for signal in signals_taking("reading") for each in signal.observe(reading)]


def share(some: int, of: int) -> str:
    return f"{100 * some / of:6.2f} % ({some} of {of})" if of else "none given"


def operating_point(found: list[tuple[Row, list[Evidence]]], world: World) -> None:
    """What `suspected_impersonation` finds, names and wrongly flags."""
    total = Counter(row.kind for row, _ in found)
    named = [(row, imitation(seen, world)) for row, seen in found]
    flagged = Counter(row.kind for row, brand in named if brand)
    right = sum(brand.slug in row.right for row, brand in named if brand and row.kind == "imitation")
    ordinary = sum(flagged[kind] for kind in ORDINARY), sum(total[kind] for kind in ORDINARY)
    print(f"  imitations found        {share(flagged['imitation'], total['imitation'])}")
    print(f"  brand named rightly     {share(right, flagged['imitation'])}")
    print(f"  ordinary hosts flagged  {share(*ordinary)}")
    for kind in ("plain", "lookalike", "official"):
        print(f"    {kind:<21} {share(flagged[kind], total[kind])}")


def best_first(found: list[tuple[Row, list[Evidence]]]) -> dict[tuple[str, str], int]:
    """The kinds of evidence in the order in which they should be heeded.

    By the shipped strengths, then by what half a says of each kind within a strength.
    """
    hits: Counter[tuple[str, str, bool]] = Counter()
    for row, seen in found:
        if half(row.host) == "a":
            hits.update({(each.id, each.strength, row.kind == "imitation") for each in seen})
    rank = {"decisive": 0, "strong": 0, "medium": 1, "weak": 2, "context": 3}

    def key(kind: tuple[str, str]) -> tuple[int, float]:
        return rank[kind[1]], -(hits[*kind, True] + 0.5) / (hits[*kind, False] + 0.5)

    kinds = {(each.id, each.strength) for _, seen in found for each in seen}
    return {kind: place for place, kind in enumerate(sorted(kinds, key=key))}


def curve(found: list[tuple[Row, list[Evidence]]], order: dict[tuple[str, str], int]) -> str:
    """Found at each rate of ordinary hosts flagged, when kinds of evidence are heeded one after another."""
    last = len(order)
    ranked = sorted(
        (min((order.get((e.id, e.strength), last) for e in seen), default=last), row.kind) for row, seen in found
    )
    total = Counter(kind for _, kind in ranked)
    ordinary, imitations = sum(total[kind] for kind in ORDINARY), total["imitation"]
    best = dict.fromkeys(RATES, 0.0)
    flagged = hit = 0
    for place, group in groupby(ranked, key=lambda each: each[0]):
        if place == last:
            break
        kinds = Counter(kind for _, kind in group)
        flagged += sum(kinds[kind] for kind in ORDINARY)
        hit += kinds["imitation"]
        for rate in RATES:
            if flagged <= rate * ordinary:
                best[rate] = max(best[rate], hit / imitations)
    return "   ".join(f"{100 * rate:g} %: {100 * best[rate]:.1f} %" for rate in RATES)


def compare(name: str, found: list[Row], flags: Callable[[str], bool]) -> None:
    began = time.perf_counter()
    flagged = Counter(row.kind for row in found if flags(row.host))
    each_us = (time.perf_counter() - began) / len(found) * 1e6
    total = Counter(row.kind for row in found)
    ordinary = sum(flagged[kind] for kind in ORDINARY), sum(total[kind] for kind in ORDINARY)
    print(f"  {name:<38} finds {share(flagged['imitation'], total['imitation'])}, flags {share(*ordinary)}")
    print(f"  {'':<38} official {share(flagged['official'], total['official'])}, {each_us:.1f} us a host")


def one_edit_away(world: World) -> Callable[[str], bool]:
    labels = {of_host(brand.home).own_labels[-1] for brand in world.brands.values() if of_host(brand.home).own_labels}
    by_length: dict[int, list[str]] = {}
    for label in labels:
        by_length.setdefault(len(label), []).append(label)

    def flags(host: str) -> bool:
        target = of_host(host)
        own = target.own_labels[-1] if target.own_labels else ""
        if world.brand_at(target.registrable):
            return False
        near = (label for length in range(len(own) - 1, len(own) + 2) for label in by_length.get(length, ()))
        return any(Levenshtein.distance(own, label, score_cutoff=1) <= 1 for label in near)

    return flags


def permutations(world: World, python: str) -> Callable[[str], bool]:
    homes = "\n".join(brand.home for brand in world.brands.values())
    made = subprocess.run([python, "-c", _TWISTS], input=homes, capture_output=True, text=True, check=True).stdout
    names = set(made.split()) - set(world.official) - set(world.further)
    print(f"  dnstwist made {len(names)} names")
    return lambda host: of_host(host).registrable in names


class Strangers(BrandIndex):
    """The same names, with nobody known to own a site but the listed brands."""

    def owned(self, registrable: str, host: str) -> bool:
        return (self.world.brand_at(registrable) or self.world.brand_at(host)) is not None


def made_up(world: World, words: Path) -> Iterator[tuple[str, list[str]]]:
    """Hosts that nothing was tuned on, by what they are."""
    yield (
        "sites of the registry, unknown",
        sorted(
            domain
            for site in world.sites
            for domain in site.domains
            if ADDED not in site.categories and not world.brand_at(of_host(domain).registrable)
        ),
    )
    if not words.is_file():
        return
    chance = random.Random(20261120)
    plain = [word for word in words.read_text(encoding="utf-8").split() if re.fullmatch("[a-z]{3,9}", word)]
    names = [re.sub("[^a-z0-9]", "", site.name.lower()) for site in world.sites if ADDED not in site.categories]
    companies = [name for name in names if 4 <= len(name) <= 14]
    for what, firsts in (("two words", plain), ("a company's name and a word", companies)):
        yield (
            what,
            [
                f"{chance.choice(firsts)}{chance.choice(('', '-'))}{chance.choice(plain)}.{chance.choice(ENDINGS)}"
                for _ in range(MADE_UP)
            ],
        )


def cross_check(world: World, words: Path) -> None:
    names = Strangers(world)
    for what, hosts in made_up(world, words):
        flagged = sum(imitation(observed(host, names), world) is not None for host in hosts)
        print(f"  {what:<32} flagged {share(flagged, len(hosts))}")


def flagged_of_fresh(hosts: list[Row], world: World, *, show: bool) -> None:
    seen = [(row, imitation(evidence(row.host, world), world)) for row in hosts]
    for kind in ("plain", "dns-popular"):
        of = [brand for row, brand in seen if row.kind == kind]
        print(f"  {kind:<12} flagged {share(sum(brand is not None for brand in of), len(of))}")
    for row, brand in seen:
        if brand and show:
            print(f"    {row.kind:<12} {row.host} {brand.slug}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--half", choices=["a", "b", "all"], default="all")
    parser.add_argument("--words", type=Path, default=WORDS)
    parser.add_argument("--fresh", choices=["tune", "closed"])
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--flags", action="store_true")
    args = parser.parse_args()
    if not args.folder.is_dir():
        sys.exit("there are no hosts to try here: name the folder that holds them")
    began = time.perf_counter()
    world = load()
    brand_index_of(world)
    print(f"{len(world.brands)} brands, world {world.version}, ready in {(time.perf_counter() - began) * 1e3:.0f} ms")
    if args.leave_one_out:
        hosts = sourced(args.folder, world)
        name_sources.report(
            [read(host, source, evidence(host, world), world, imitates=bad) for host, source, bad in hosts]
        )
        return
    if args.fresh:
        flagged_of_fresh(list(fresh(args.folder, args.fresh)), world, show=args.flags)
        return
    every = list(rows(args.folder))
    began = time.perf_counter()
    found = [(row, evidence(row.host, world)) for row in every]
    print(f"{(time.perf_counter() - began) / len(every) * 1e6:.1f} us a host, the target included\n")
    selected = [each for each in found if args.half in {"all", half(each[0].host)}]
    print(
        f"half {args.half}: {len(selected)} hosts; both halves were used for tuning, so expect worse of hosts never seen"
    )
    operating_point(selected, world)
    print(f"  found at so many ordinary hosts flagged:  {curve(selected, best_first(found))}\n")
    print("other ways, same hosts")
    plain = [row for row, _ in selected]
    compare("Levenshtein <= 1 on the label", plain, one_edit_away(world))
    if twister := os.environ.get("WAYPOST_DNSTWIST"):
        compare("member of dnstwist's permutations", plain, permutations(world, twister))
    print("\nordinary hosts made up, nothing tuned on them")
    cross_check(world, args.words)
    for row, seen in selected:
        suspected = imitation(seen, world) is not None
        if (args.misses and row.kind == "imitation" and not suspected) or (
            args.flags and row.kind in ORDINARY and suspected
        ):
            print(row.kind, row.host, sorted({(each.id, each.strength, each.brand) for each in seen}))


if __name__ == "__main__":
    main()
