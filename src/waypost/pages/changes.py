"""What changed in the registry and among the codes since the last release, entry by entry.

`site/releases/<version>.json` holds the contents of a release as digests; `tools/record_release.py` writes it on the
day of the release, and it is never changed afterwards.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from waypost.pages.draft import Source
from waypost.pages.links import Link, relative_to
from waypost.validate.rulebook import rules_by_name

Contents = dict[str, dict[str, str]]
"""Kind of entry -> name -> digest."""


class Change(NamedTuple):
    """What became of one kind of entry: (name, address of its page) each; what was removed has no page."""

    kind: str
    added: list[tuple[str, str]]
    changed: list[tuple[str, str]]
    removed: list[str]


def contents(source: Source) -> Contents:
    """Every entry that has a page, with the digest of what it says."""
    registry, codes = source.registry, source.world.document("codes.json")
    return {
        "Rules": {each.name: _digest([each.doc, each.severity, each.authority]) for each in rules_by_name().values()},
        "Rich results": {name: _digest(registry.document(f"profiles/{name}.json")) for name in registry.profiles},
        "Mappings": {each["x-standard-type"]: _digest(each) for each in registry.mappings.values()},
        "Fields": {name: _digest(schema) for name, schema in registry.unified["properties"].items()},
        "Reason codes": {name: _digest(told) for name, told in codes["reason_codes"].items()},
        "Unknowns": {name: _digest(told) for name, told in codes["unknowns"].items()},
        "Policies": {
            path.split("/")[1][:-5]: _digest(source.world.document(path))
            for path in source.world.files
            if path.startswith("policies/")
        },
    }


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


_FOLDERS = {
    "Rules": "rules",
    "Rich results": "profiles",
    "Mappings": "mappings",
    "Fields": "model",
    "Reason codes": "safety/reasons",
    "Unknowns": "safety/unknowns",
    "Policies": "safety/policies",
}


def changes(old: Contents, new: Contents) -> list[Change]:
    """What was added, changed and removed, kind by kind; kinds in which nothing did are left out."""
    found = []
    for kind, entries in new.items():
        before = old.get(kind, {})
        addresses = {name: f"{_FOLDERS[kind]}/{name.lstrip('@')}/" for name in entries}
        change = Change(
            kind,
            [(name, addresses[name]) for name in sorted(entries.keys() - before.keys())],
            [(name, addresses[name]) for name in sorted(entries) if name in before and before[name] != entries[name]],
            sorted(before.keys() - entries.keys()),
        )
        if any(change[1:]):
            found.append(change)
    return found


class Release(NamedTuple):
    """What was recorded on the day of a release. `date` is that day, "2026-11-20"."""

    version: str
    date: str
    contents: Contents


def releases(folder: Path) -> list[Release]:
    """Every recorded release, the oldest first."""
    recorded = sorted(folder.glob("*.json"), key=lambda path: [int(part) for part in re.findall(r"\d+", path.stem)])
    told = [json.loads(path.read_text("utf-8")) for path in recorded]
    return [Release(each["version"], each["date"], each["contents"]) for each in told]


def last_release(folder: Path) -> tuple[str, Contents] | None:
    """The newest recorded release, its version and contents; None before the first."""
    recorded = releases(folder)
    return (recorded[-1].version, recorded[-1].contents) if recorded else None


FEED = "changelog/feed.xml"
_NAMED = "tag:waypost.example,2026:registry"
"""What the names of the feed and its entries begin with (RFC 4151): they stay the same wherever the site stands."""
_MOST_LISTED = 40


def feed(source: Source, folder: Path, base: str) -> bytes:
    """The differences of the registry from release to release as Atom (RFC 4287), the newest first.

    Dates are those of the releases, and for what is not released yet the fixed day of the examples: a build has no
    clock. What is not released is named by the registry's digest, so a reader sees an entry each time it changes.
    """
    recorded = releases(folder)
    today = source.now.strftime("%Y-%m-%d")
    entries: list[tuple[str, str, str, list[Change]]] = []
    for before, after in pairwise([Release("", "", {}), *recorded]):
        entries.append(
            (f"waypost {after.version}", after.version, after.date, changes(before.contents, after.contents))
        )
    unreleased = changes(recorded[-1].contents if recorded else {}, contents(source))
    if unreleased:
        version = f"unreleased/{source.registry.version}"
        entries.append((f"Not released yet: registry {source.registry.version}", version, today, unreleased))
    to = _absolute(base) if base else relative_to(FEED)
    updated = max((date for _, _, date, _ in entries), default=today)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
        f"<id>{_NAMED}</id>",
        "<title>waypost: changes of the registry</title>",
        "<subtitle>Rules, rich results, mappings, fields, codes and policies, entry by entry.</subtitle>",
        f"<updated>{updated}T00:00:00Z</updated>",
        "<author><name>The waypost authors</name></author>",
        f'<link rel="self" type="application/atom+xml" href="{escape(to(FEED))}"/>',
        f'<link rel="alternate" type="text/html" href="{escape(to("changelog/"))}"/>',
        *(line for entry in reversed(entries) for line in _entry(*entry, to)),
        "</feed>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _absolute(base: str) -> Link:
    return lambda address: f"{base}{address}"


def _entry(title: str, version: str, date: str, told: list[Change], to: Link) -> Iterator[str]:
    counts = {name: sum(len(getattr(each, name)) for each in told) for name in ("added", "changed", "removed")}
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "Nothing changed"
    yield "<entry>"
    yield f"<id>{_NAMED}/{version}</id>"
    yield f"<title>{escape(title)}</title>"
    yield f"<updated>{date}T00:00:00Z</updated>"
    yield f'<link rel="alternate" type="text/html" href="{escape(to("changelog/"))}"/>'
    yield f"<summary>{summary}</summary>"
    if told:
        yield f'<content type="html">{escape("".join(_told(each, to) for each in told))}</content>'
    yield "</entry>"


def _told(change: Change, to: Link) -> str:
    """One kind of entry as HTML; of many, only how many."""
    named = [("added", change.added), ("changed", change.changed), ("removed", [(name, "") for name in change.removed])]
    parts = [f"<h3>{escape(change.kind)}</h3>"]
    for label, entries in named:
        if len(entries) > _MOST_LISTED:
            parts.append(f'<p>{len(entries)} {label}: <a href="{escape(to("changelog/"))}">see the changelog</a></p>')
        elif entries:
            listed = "".join(f"<li>{_linked(name, to(address) if address else '')}</li>" for name, address in entries)
            parts.append(f"<p>{len(entries)} {label}:</p><ul>{listed}</ul>")
    return "".join(parts)


def _linked(name: str, link: str) -> str:
    return f'<a href="{escape(link)}">{escape(name)}</a>' if link else escape(name)
