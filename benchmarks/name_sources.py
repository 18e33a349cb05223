"""Hosts by source for `names.py --leave-one-out`: each source judged by what was chosen without it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waypost.models.decision import Evidence
from waypost.registry.world import World
from waypost.safety.accusation import weigh
from waypost.safety.target import of_host

MOST = 0.0005
"""Share of the ordinary hosts of the other sources that a kind of evidence may point at, to be chosen."""
WEIGHTY = frozenset({"decisive", "strong"})


class Host(NamedTuple):
    """Host with its source, and the kinds of strong evidence about it: signal and case, without its size.

    imitates  the host imitates a brand
    accused   the shipped rules accuse the host, with the facts that the name alone shows
    """

    name: str
    source: str
    imitates: bool
    kinds: frozenset[str]
    signals: frozenset[str]
    accused: bool


class Row(NamedTuple):
    """Counts of a source. `chosen`: seen by the kinds chosen on the other sources."""

    source: str
    imitates: bool
    hosts: int
    seen: int
    chosen: int
    accused: int
    with_second_fact: int


def sourced(folder: Path, world: World) -> Iterator[tuple[str, str, bool]]:
    """Host, source and whether it imitates.

    The list of imitations names no source of a host: its parts are the sectors of the imitated brands, which leave
    out all brands of a kind at once.
    """
    for line in (folder / "benign-dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["host"], f"dev: {row['kind']}", False
    for line in (folder / "benign-fresh.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["host"], f"fresh: {row['src']}", False
    for line in (folder / "impersonation-dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        brand = world.brands.get(row["brand"])
        yield row["host"], f"brands: {brand.categories[0] if brand and brand.categories else 'not listed'}", True


def read(name: str, source: str, evidence: Sequence[Evidence], world: World, *, imitates: bool) -> Host:
    strong = [piece for piece in evidence if piece.strength in WEIGHTY and piece.brand]
    weighed = weigh(of_host(name), evidence, None, world, 0)
    kinds = frozenset(f"{piece.id}/{piece.strength}" for piece in strong)
    signals = frozenset(str(piece.summary_code) for piece in strong)
    return Host(name, source, imitates, kinds, signals, weighed.accused is not None)


def chosen_without(hosts: Iterable[Host], source: str) -> frozenset[str]:
    """Kinds of evidence chosen by the measure on every source except one: rare on ordinary hosts, seen on imitations."""
    ordinary: Counter[str] = Counter()
    imitations: Counter[str] = Counter()
    total = 0
    for host in hosts:
        if host.source != source:
            (imitations if host.imitates else ordinary).update(host.kinds)
            total += not host.imitates
    # The budget is shared: kinds are taken from the most precise on, until it is spent.
    spent, taken = 0, []
    for kind in sorted(imitations, key=lambda kind: (-(imitations[kind] + 0.5) / (ordinary[kind] + 0.5), kind)):
        spent += ordinary[kind]
        if spent > MOST * total:
            break
        taken.append(kind)
    return frozenset(taken)


def rows(hosts: Sequence[Host]) -> Iterator[Row]:
    for source in sorted({host.source for host in hosts}):
        own = [host for host in hosts if host.source == source]
        chosen = chosen_without(hosts, source)
        yield Row(
            source,
            own[0].imitates,
            len(own),
            sum(bool(host.kinds) for host in own),
            sum(not chosen.isdisjoint(host.kinds) for host in own),
            sum(host.accused for host in own),
            sum(bool(host.kinds) or host.accused for host in own),
        )


def signals_by_source(hosts: Sequence[Host]) -> Iterator[tuple[str, int, int, int, int]]:
    """Signal, imitations that it alone sees, sectors of brands with one, ordinary hosts it alone points at, their sources."""
    for signal in sorted({signal for host in hosts for signal in host.signals}):
        alone = [host for host in hosts if host.signals == {signal}]
        found, wrong = [h for h in alone if h.imitates], [h for h in alone if not h.imitates]
        yield signal, len(found), len({h.source for h in found}), len(wrong), len({h.source for h in wrong})


def report(hosts: Sequence[Host]) -> None:
    print("share of hosts, in percent; no threshold was chosen on the source of its row")
    print(f"{'source':<28}{'hosts':>7}{'seen':>8}{'chosen':>8}{'accused':>9}{'  accused with a second fact':>28}")
    for imitates, what in ((False, "ordinary hosts"), (True, "imitations")):
        total = Counter[str]()
        for row in rows(hosts):
            if row.imitates != imitates:
                continue
            total.update(
                hosts=row.hosts, seen=row.seen, chosen=row.chosen, accused=row.accused, second=row.with_second_fact
            )
            shares = [100 * n / row.hosts for n in (row.seen, row.chosen, row.accused, row.with_second_fact)]
            print(f"{row.source:<28}{row.hosts:>7}" + "{:>8.2f}{:>8.2f}{:>9.3f}{:>28.3f}".format(*shares))
        shares = [100 * total[name] / total["hosts"] for name in ("seen", "chosen", "accused", "second")]
        print(f"{'all ' + what:<28}{total['hosts']:>7}" + "{:>8.2f}{:>8.2f}{:>9.3f}{:>28.3f}\n".format(*shares))
    print("signal: imitations seen by it alone (in so many sectors), ordinary hosts by it alone (in so many sources)")
    for signal, found, sectors, wrong, sources in signals_by_source(hosts):
        print(f"  {signal:<28}{found:>6} ({sectors}){wrong:>8} ({sources})")
    print("\nordinary hosts that are accused, to be read by hand")
    for host in hosts:
        if host.accused and not host.imitates:
            print(f"  {host.source:<22} {host.name} {sorted(host.kinds)}")
