"""Prometheus metrics (text exposition format 0.0.4) of a process, and their sum over the processes of a service.

Labels come from fixed lists: no host, no requested path, no key.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from waypost.api.logs import METHODS, OTHER, ROUTE
from waypost.models.decision import ACTIONS, RELATIONSHIP_STATUSES, UNSPECIFIED

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
MOST_ROUTES = 256
MOST_NAMES = 64
MOST_ANSWERS = 1024
"""Label combinations kept in the cache; further combinations are built again for every answer."""
MOST_FILES = 256

_COUNTERS = {
    "waypost_requests_total": ("Requests by the template of their path.", ("route", "method", "status")),
    "waypost_decisions_total": ("Decisions made.", ("action", "allowed", "relationship_status")),
    "waypost_problems_total": ("Answers that were problems.", ("code",)),
    "waypost_ratelimited_total": ("Requests refused by a limit.", ("policy",)),
}
_SECONDS = "waypost_request_seconds"
_Labels = tuple[str, ...]


class Snapshot(msgspec.Struct):
    """Counts of a process. counters: name -> [(label values, count)]; seconds: route -> (count per bucket, sum)."""

    counters: dict[str, list[tuple[_Labels, int]]]
    seconds: dict[str, tuple[list[int], float]]


class Metrics:
    """Counters of a process."""

    def __init__(self) -> None:
        self._counters: dict[str, dict[_Labels, int]] = {name: {} for name in _COUNTERS}
        self._seconds: dict[str, tuple[list[int], list[float]]] = {}
        self._routes: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._answers: dict[tuple[str, str, int], _Labels] = {}

    def answered(self, *, route: str, method: str, status: int, seconds: float, problem: str = "") -> None:
        """Count an answered request."""
        labels = self._answers.get((route, method, status))
        if labels is None:
            labels = (self._route(route), method if method in METHODS else OTHER, str(int(status)))
            if len(self._answers) < MOST_ANSWERS:
                self._answers[route, method, status] = labels
        counts = self._counters["waypost_requests_total"]
        counts[labels] = counts.get(labels, 0) + 1
        found = self._seconds.get(labels[0])
        if found is None:
            found = self._seconds[labels[0]] = ([0] * (len(BUCKETS_S) + 1), [0.0])
        buckets, total = found
        buckets[bisect_left(BUCKETS_S, seconds)] += 1
        total[0] += seconds
        if problem:
            self._count("waypost_problems_total", self._name(problem))

    def decided(self, action: str, allowed: bool, relationship_status: str) -> None:
        """Count a decision."""
        labels = (
            action if action in ACTIONS or action == UNSPECIFIED else OTHER,
            "true" if allowed is True else "false",
            relationship_status if relationship_status in RELATIONSHIP_STATUSES else OTHER,
        )
        counts = self._counters["waypost_decisions_total"]
        counts[labels] = counts.get(labels, 0) + 1

    def limited(self, policy: str) -> None:
        """Count a request refused by a limit."""
        self._count("waypost_ratelimited_total", self._name(policy))

    def text(self) -> str:
        """Counters in Prometheus text format."""
        return "".join(f"{line}\n" for line in _lines(self.snapshot()))

    def snapshot(self) -> Snapshot:
        return Snapshot(
            {name: list(counts.items()) for name, counts in self._counters.items()},
            {route: (list(buckets), total[0]) for route, (buckets, total) in self._seconds.items()},
        )

    def add(self, snapshot: Snapshot) -> None:
        """Add the counts of another process."""
        for name, counts in snapshot.counters.items():
            for labels, count in counts:
                # A file may come from another version, with other counters or labels.
                if name in self._counters and len(labels) == len(_COUNTERS[name][1]):
                    self._counters[name][labels] = self._counters[name].get(labels, 0) + count
        for route, (buckets, total) in snapshot.seconds.items():
            mine, sums = self._seconds.setdefault(route, ([0] * (len(BUCKETS_S) + 1), [0.0]))
            if len(buckets) == len(mine):
                mine[:] = [a + b for a, b in zip(mine, buckets, strict=True)]
                sums[0] += total

    def _count(self, name: str, *labels: str) -> None:
        counts = self._counters[name]
        counts[labels] = counts.get(labels, 0) + 1

    def _route(self, route: str) -> str:
        if route in self._routes:
            return route
        # Bounded: every new label value costs memory here and in Prometheus.
        return _bounded(self._routes, route, MOST_ROUTES) if ROUTE.fullmatch(route) else OTHER

    def _name(self, name: str) -> str:
        """Label for a problem code or a policy name; "other" if malformed or beyond the limit."""
        good = len(name) <= MOST_NAMES and name.replace("-", "").isalnum() and name.isascii()
        return _bounded(self._names, name, MOST_NAMES * 4) if good else OTHER


def _bounded(known: dict[str, str], name: str, most: int) -> str:
    if name not in known and len(known) >= most:
        return OTHER
    return known.setdefault(name, name)


def _lines(of: Snapshot) -> Iterator[str]:
    for name, (about, labels) in _COUNTERS.items():
        yield f"# HELP {name} {about}"
        yield f"# TYPE {name} counter"
        for values, count in sorted(of.counters.get(name, [])):
            yield f"{name}{_labelled(zip(labels, values, strict=True))} {count}"
    yield f"# HELP {_SECONDS} How long answering took, by the template of the path."
    yield f"# TYPE {_SECONDS} histogram"
    for route, (buckets, total) in sorted(of.seconds.items()):
        sofar = 0
        for bound, count in zip([*map(repr, BUCKETS_S), "+Inf"], buckets, strict=True):
            # Prometheus buckets are cumulative.
            sofar += count
            yield f"{_SECONDS}_bucket{_labelled([('route', route), ('le', bound)])} {sofar}"
        yield f"{_SECONDS}_sum{_labelled([('route', route)])} {total:.6f}"
        yield f"{_SECONDS}_count{_labelled([('route', route)])} {sofar}"


def _labelled(pairs: Iterable[tuple[str, Any]]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in pairs) + "}"


class Sharing:
    """Metrics of several processes, exchanged as files in a shared folder.

    Files of ended processes stay until `clear`, since a Prometheus counter must never decrease.
    """

    def __init__(self, folder: Path, metrics: Metrics) -> None:
        self._folder = folder
        self._metrics = metrics
        self._file = folder / f"metrics-{os.getpid()}.json"

    def write(self) -> None:
        """Write the counts of this process to its file, atomically. Called once a second."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._file.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(self._metrics.snapshot()))
        # Atomic, so that a reader never sees half a file.
        fresh.replace(self._file)

    def text(self) -> str:
        """Sum over all processes in Prometheus text format; current numbers for this process, files for the rest."""
        total = Metrics()
        total.add(self._metrics.snapshot())
        for file in sorted(self._folder.glob("metrics-*.json"))[:MOST_FILES]:
            if file != self._file:
                try:
                    total.add(msgspec.json.decode(file.read_bytes(), type=Snapshot))
                except (OSError, msgspec.DecodeError, UnicodeDecodeError):
                    continue
        return total.text()


def clear(folder: Path) -> None:
    """Delete the files of an earlier run. Called once, before the processes start."""
    for file in folder.glob("metrics-*"):
        file.unlink(missing_ok=True)
