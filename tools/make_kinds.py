"""Make src/waypost/data/kinds.json: which properties take values of one plain kind only.

    python tools/make_kinds.py

From schemas/vocabulary/schemaorg.json. A property is listed where the vocabulary names nothing else for it:
text is welcome nearly everywhere, so only where it is not can a value be of the wrong kind. A few are added
or left out by hand, because consumers read them so; each says why.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "schemas" / "vocabulary" / "schemaorg.json"
TARGET = ROOT / "src" / "waypost" / "data" / "kinds.json"

# Properties that also allow Text, but that every consumer reads as the kind.
READ_AS = {
    "number": ["bestRating", "highPrice", "latitude", "longitude", "lowPrice", "price", "ratingValue", "worstRating"],
    "duration": ["activityDuration", "cookTime", "duration", "performTime", "prepTime", "timeRequired", "totalTime"],
}
# A four-digit year is what everybody writes, and what these properties are for; prices and ratings have own rules.
LEFT_OUT = {"copyrightYear", "yearBuilt", "price", "lowPrice", "highPrice", "ratingValue", "bestRating", "worstRating",
            "latitude", "longitude", "maxPrice", "minPrice"}  # fmt: skip


# Kind -> the ranges it allows; the first that fits counts.
ONLY = {
    "date": {"Date", "DateTime"},
    "time": {"Date", "DateTime", "Time"},
    "integer": {"Integer"},
    "number": {"Number", "Float", "Integer"},
    "boolean": {"Boolean"},
    "url": {"URL"},
    "duration": {"Duration"},
}


def is_enumeration(name: str, types: dict[str, Any]) -> bool:
    waiting, seen = [name], set()
    while waiting:
        each = waiting.pop()
        if each == "Enumeration":
            return True
        if each not in seen:
            seen.add(each)
            waiting.extend(types.get(each, {}).get("p", ()))
    return False


def kinds(vocabulary: dict[str, Any]) -> dict[str, list[str]]:
    """Kind -> sorted properties."""
    types = vocabulary["types"]
    found: dict[str, set[str]] = {kind: set() for kind in (*ONLY, "enumeration")}
    for name, term in vocabulary["properties"].items():
        ranges = set(term.get("r", ()))
        if not ranges:
            continue
        kind = next((kind for kind, allowed in ONLY.items() if ranges <= allowed), None)
        if kind is None and all(is_enumeration(each, types) for each in ranges):
            kind = "enumeration"
        if kind is not None:
            found[kind].add(name)
    for kind, names in READ_AS.items():
        found[kind].update(names)
    made = {kind: sorted(names - LEFT_OUT) for kind, names in found.items()}
    for layer in ("superseded", "attic"):
        made[layer] = sorted(
            name for name, term in vocabulary["properties"].items()
            if (term.get("s") if layer == "superseded" else term.get("l") == "attic" and not term.get("s"))
        )  # fmt: skip
    return made


def written(made: dict[str, list[str]]) -> str:
    return json.dumps(made, indent=1) + "\n"


def main() -> int:
    made = kinds(json.loads(SOURCE.read_bytes()))
    TARGET.write_text(written(made), encoding="utf-8")
    print(", ".join(f"{kind}: {len(names)}" for kind, names in made.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
