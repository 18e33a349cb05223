"""Make schemas/vocabulary/schemaorg.json from a schema.org release.

    python tools/make_vocabulary.py PATH/schemaorg-all-https.jsonld [--release 30.0]

Takes names and relations only: parents, layer, successor; domains, ranges, inverse; members and their
types. No prose is taken. Terms of other vocabularies, which the release lists as equivalents, are left
out. A member that has a parent is a type too, as Dermatology. `schemas/vocabulary/additions.json` holds what
a later release adds, where its file is not available. The counts below are of both: new ones fail here until
they are reviewed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RELEASES = {"30.0": "2026-03-19"}
EXPECTED = {"30.1": {"types": 962, "properties": 1540, "members": 546}}
TARGET = Path(__file__).resolve().parent.parent / "schemas" / "vocabulary" / "schemaorg.json"
ADDITIONS = TARGET.with_name("additions.json")
KINDS = ("types", "properties", "members")


def names(value: Any) -> Iterator[str]:
    """Bare names of the schema.org terms that a member of the release's graph points to."""
    for entry in value if isinstance(value, list) else [value]:
        iri = entry.get("@id", "") if isinstance(entry, dict) else entry
        if isinstance(iri, str) and iri.startswith("schema:"):
            yield iri.removeprefix("schema:")


def layer(node: dict[str, Any]) -> str | None:
    """pending, attic, auto ...: the host in front of schema.org; core terms have none."""
    part = node.get("schema:isPartOf")
    return part["@id"].removeprefix("https://").partition(".")[0] if part else None


def table(graph: list[dict[str, Any]], release: str) -> dict[str, Any]:
    """Types {p parents, l layer, s successors, dt}, properties {d, r, i, l, s, p}, members {t, l, s}.

    What is empty is left out.
    """
    types: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    members: dict[str, Any] = {}
    for node in graph:
        if not node["@id"].startswith("schema:"):
            continue
        name = node["@id"].removeprefix("schema:")
        kinds = node["@type"] if isinstance(node["@type"], list) else [node["@type"]]
        common = {"l": layer(node), "s": sorted(names(node.get("schema:supersededBy", [])))}
        if "rdf:Property" in kinds:
            entry = {
                "d": sorted(names(node.get("schema:domainIncludes", []))),
                "r": sorted(names(node.get("schema:rangeIncludes", []))),
                "i": next(names(node.get("schema:inverseOf", [])), None),
                "p": sorted(names(node.get("rdfs:subPropertyOf", []))),
            }
            properties[name] = {k: v for k, v in (entry | common).items() if v}
        elif "rdfs:Class" in kinds:
            entry = {"p": sorted(names(node.get("rdfs:subClassOf", []))), "dt": "schema:DataType" in kinds}
            types[name] = {k: v for k, v in (entry | common).items() if v}
        else:
            entry = {"t": sorted(names(kinds))}
            members[name] = {k: v for k, v in (entry | common).items() if v}
            if parents := sorted(names(node.get("rdfs:subClassOf", []))):
                types[name] = {"p": parents} | ({"l": common["l"]} if common["l"] else {})
    return {"release": release, "date": RELEASES[release], "types": types, "properties": properties, "members": members}


def add(made: dict[str, Any], additions: dict[str, Any]) -> None:
    """Add the terms and relations of a later release to a table. Raises ValueError for additions to another release."""
    if additions["since"] != made["release"]:
        raise ValueError(f"the additions are to {additions['since']}, not to {made['release']}: remove or renew them")
    made["release"], made["date"] = additions["release"], additions["date"]
    for kind in KINDS:
        for name, added in additions[kind].items():
            entry = made[kind].setdefault(name, {})
            for key, value in added.items():
                entry[key] = sorted({*entry.get(key, ()), *value}) if isinstance(value, list) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="schemaorg-all-https.jsonld of a release")
    parser.add_argument("--release", default="30.0")
    options = parser.parse_args()
    made = table(json.loads(options.source.read_bytes())["@graph"], options.release)
    add(made, json.loads(ADDITIONS.read_bytes()))
    counts = {kind: len(made[kind]) for kind in KINDS}
    if counts != EXPECTED.get(made["release"]):
        print(f"counts {counts} are not those expected of {made['release']}: review them, then change EXPECTED")
        return 1
    known = made["types"].keys()
    dangling = {p for t in made["types"].values() for p in t.get("p", ())} - known
    dangling |= {n for p in made["properties"].values() for n in (*p.get("d", ()), *p.get("r", ()))} - known
    if dangling:
        print(f"terms that nothing defines: {sorted(dangling)}")
        return 1
    data = json.dumps(made, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    TARGET.write_bytes(data + b"\n")
    digest = hashlib.sha256(data + b"\n").hexdigest()
    TARGET.with_suffix(".json.sha256").write_text(f"{digest}  {TARGET.name}\n", encoding="utf-8")
    print(f"{TARGET.name}: {counts}, {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
