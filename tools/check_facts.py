"""Show how old the facts of the registry are, and which pages to read again.

    python tools/check_facts.py [--older-than DAYS] [--today YYYY-MM-DD]

Facts with a date: profiles, messages, rules, checks, feeds of products, generators, the vocabulary, brands, lists and
policies. A line for each kind says how many facts it has, and the age of the oldest; with `--older-than`, a line for
each fact that is older names its file and its sources, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "profiles": "schemas/profiles/**/*.json", "messages": "schemas/messages/**/*.json",
    "checks": "schemas/checks/*.json", "feeds": "schemas/feeds/*.json",
    "generators": "schemas/generators/*.json", "vocabulary": "schemas/vocabulary/*.json", "tables": "schemas/*.json",
    "brands": "src/waypost/data/brands/*/*.json", "policies": "src/waypost/data/policies/*.json",
    "lists": "src/waypost/data/*.json",
}  # fmt: skip
RULES = "src/waypost/validate/rules/*.py"
DATES = ("read", "reviewed", "as_of", "checked", "seen", "date")
SOURCES = ("source", "sources", "doc", "url", "newest_source")
# A released policy never changes; messages have the day on which someone met them, lists the day of their version.
NOT_READ_AGAIN = frozenset({"policies", "messages", "lists"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_READ = re.compile(r"Source: (.*?), read (\d{4}-\d\d-\d\d)", re.DOTALL)


class Fact(NamedTuple):
    """Dated fact: kind, file below the root, day on which the source was read, sources in words."""

    kind: str
    path: str
    day: date
    sources: str


def facts(root: Path = ROOT) -> Iterator[Fact]:
    """Oldest dated fact of each file, and of each rule."""
    for kind, pattern in FILES.items():
        for path in sorted(root.glob(pattern)):
            if found := sorted(_dated(json.loads(path.read_bytes()), "")):
                day, sources = found[0]
                yield Fact(kind, path.relative_to(root).as_posix(), day, sources)
    for path in sorted(root.glob(RULES)):
        if found := _READ.search(path.read_text("utf-8")):
            sources = " ".join(found[1].split())
            yield Fact("rules", path.relative_to(root).as_posix(), date.fromisoformat(found[2]), sources)


def _dated(value: Any, above: str) -> Iterator[tuple[date, str]]:
    """(day, sources) of every dated object in a document; `above`: sources of the object around it."""
    if isinstance(value, list):
        for each in value:
            yield from _dated(each, above)
    elif isinstance(value, dict):
        named = [value[name] for name in SOURCES if isinstance(value.get(name), str | list)]
        sources = (
            ", ".join(
                str(each)
                for part in named
                for each in (part if isinstance(part, list) else [part])
                if isinstance(each, str)
            )
            or above
        )
        # Of an object with several dates, the day on which someone read the source counts.
        days = [value[name] for name in DATES if isinstance(value.get(name), str) and _DAY.fullmatch(value[name])]
        if days:
            yield date.fromisoformat(days[0]), sources
        for name, each in value.items():
            if name not in SOURCES or isinstance(each, dict | list):
                yield from _dated(each, sources)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--older-than", type=int, metavar="DAYS", help="fail if a fact is older, and list what to read")
    parser.add_argument("--today", type=date.fromisoformat, default=datetime.now(UTC).date(), metavar="DAY")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts(options.root):
        by_kind.setdefault(fact.kind, []).append(fact)
    old: list[Fact] = []
    for kind, found in sorted(by_kind.items()):
        oldest = min(found, key=lambda fact: fact.day)
        print(f"{kind}: {len(found)}, the oldest of {oldest.day} ({_age(oldest, options.today)} days): {oldest.path}")
        if options.older_than is not None and kind not in NOT_READ_AGAIN:
            old += [fact for fact in found if _age(fact, options.today) > options.older_than]
    for fact in sorted(old, key=lambda fact: (fact.day, fact.path)):
        print(f"read again: {fact.path} ({fact.day}): {fact.sources or 'no source named'}")
    return 1 if old else 0


def _age(fact: Fact, today: date) -> int:
    return (today - fact.day).days


if __name__ == "__main__":
    sys.exit(main())
