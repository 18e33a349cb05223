"""Changes of the registry and of decision codes since the last release, entry by entry.

`site/releases/<version>.json` holds the contents of a release as digests. `tools/record_release.py` writes the file on
the day of the release; afterwards the file never changes.
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
from uuid import NAMESPACE_OID, uuid5

from waypost.pages.draft import Source
from waypost.pages.links import Link, relative_to
from waypost.pages.site_rules import current_rules

Contents = dict[str, dict[str, str]]
"""Kind of entry -> name -> digest."""


class Change(NamedTuple):
    """Added, changed and removed entries of a kind, as (name, address of the page); removed entries have no page."""

    kind: str
    added: list[tuple[str, str]]
    changed: list[tuple[str, str]]
    removed: list[str]


def contents(source: Source) -> Contents:
    """Entries with a page: kind -> name -> digest of the content."""
    registry, codes = source.registry, source.world.document("codes.json")
    return {
        "Rules": {rule.name: _digest([rule.doc, rule.severity, rule.authority]) for rule in current_rules().values()},
        "Rich results": {name: _digest(registry.document(f"profiles/{name}.json")) for name in registry.profiles},
        "Mappings": {mapping["x-standard-type"]: _digest(mapping) for mapping in registry.mappings.values()},
        "Fields": {name: _digest(schema) for name, schema in registry.unified["properties"].items()},
        "Reason codes": {name: _digest(code) for name, code in codes["reason_codes"].items()},
        "Unknowns": {name: _digest(code) for name, code in codes["unknowns"].items()},
        "Policies": {
            path.split("/")[1][:-5]: _digest(source.world.document(path))
            for path in source.world.files
            if path.startswith("policies/")
        },
    }


def _digest(value: Any) -> str:
    # Order and layout of a file are not a change of its content.
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
    """Differences between two releases by kind; kinds without a difference are left out."""
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
    """Contents of the registry recorded on the day of a release, `date` ("2026-11-20")."""

    version: str
    date: str
    contents: Contents


def releases(folder: Path) -> list[Release]:
    """Recorded releases, oldest first."""
    # By number: "0.10" comes after "0.9".
    recorded = sorted(folder.glob("*.json"), key=lambda path: [int(part) for part in re.findall(r"\d+", path.stem)])
    documents = [json.loads(path.read_text("utf-8")) for path in recorded]
    return [Release(document["version"], document["date"], document["contents"]) for document in documents]


def last_release(folder: Path) -> tuple[str, Contents] | None:
    """Version and contents of the newest release; None before the first."""
    recorded = releases(folder)
    return (recorded[-1].version, recorded[-1].contents) if recorded else None


FEED = "changelog/feed.xml"
_FEED_ID = uuid5(NAMESPACE_OID, "waypost registry")
"""Id of the feed, from which those of the entries are made: independent of the site's address."""
_MOST_ENTRIES = 40


def feed(source: Source, folder: Path, base: str) -> bytes:
    """Changes of the registry from release to release as an Atom feed (RFC 4287), newest first.

    Unreleased changes have the fixed day of the examples as date, because a build has no clock, and the registry's
    digest as id: a feed reader shows a new entry after every change.
    """
    recorded = releases(folder)
    today = source.now.strftime("%Y-%m-%d")
    entries: list[tuple[str, str, str, list[Change]]] = []
    # The first release is compared with nothing: all of it is new.
    for before, after in pairwise([Release("", "", {}), *recorded]):
        entries.append(
            (f"waypost {after.version}", after.version, after.date, changes(before.contents, after.contents))
        )
    unreleased = changes(recorded[-1].contents if recorded else {}, contents(source))
    if unreleased:
        version = f"unreleased/{source.registry.version}"
        entries.append((f"Not released yet: registry {source.registry.version}", version, today, unreleased))
    to = _absolute(base) if base else relative_to(FEED)
    # ISO dates sort as text.
    updated = max((date for _, _, date, _ in entries), default=today)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
        # RFC 4287, section 4.2.6: an id is permanent, whatever the address of the feed.
        f"<id>{_FEED_ID.urn}</id>",
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


def _entry(title: str, version: str, date: str, changed: list[Change], to: Link) -> Iterator[str]:
    counts = {name: sum(len(getattr(change, name)) for change in changed) for name in ("added", "changed", "removed")}
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "Nothing changed"
    yield "<entry>"
    yield f"<id>{uuid5(_FEED_ID, version).urn}</id>"
    yield f"<title>{escape(title)}</title>"
    yield f"<updated>{date}T00:00:00Z</updated>"
    yield f'<link rel="alternate" type="text/html" href="{escape(to("changelog/"))}"/>'
    yield f"<summary>{summary}</summary>"
    if changed:
        yield f'<content type="html">{escape("".join(_change_as_html(change, to) for change in changed))}</content>'
    yield "</entry>"


def _change_as_html(change: Change, to: Link) -> str:
    """Changes of a kind as HTML; only the count for many changes."""
    named = [("added", change.added), ("changed", change.changed), ("removed", [(name, "") for name in change.removed])]
    parts = [f"<h3>{escape(change.kind)}</h3>"]
    for label, entries in named:
        if len(entries) > _MOST_ENTRIES:
            parts.append(f'<p>{len(entries)} {label}: <a href="{escape(to("changelog/"))}">see the changelog</a></p>')
        elif entries:
            items = "".join(f"<li>{_linked(name, to(address) if address else '')}</li>" for name, address in entries)
            parts.append(f"<p>{len(entries)} {label}:</p><ul>{items}</ul>")
    return "".join(parts)


def _linked(name: str, link: str) -> str:
    return f'<a href="{escape(link)}">{escape(name)}</a>' if link else escape(name)
