"""What changed in the registry and among the codes since the last release, entry by entry.

`site/releases/<version>.json` holds the contents of a release as digests; `tools/record_release.py` writes it on the
day of the release, and it is never changed afterwards.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from waypost.pages.draft import Source
from waypost.validate.rulebook import rulebook

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
        "Rules": {each.name: _digest([each.doc, each.severity, each.authority]) for each in rulebook().values()},
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


def last_release(folder: Path) -> tuple[str, Contents] | None:
    """The newest recorded release, its version and contents; None before the first."""
    recorded = sorted(folder.glob("*.json"), key=lambda path: [int(part) for part in re.findall(r"\d+", path.stem)])
    if not recorded:
        return None
    told = json.loads(recorded[-1].read_text("utf-8"))
    return told["version"], told["contents"]
