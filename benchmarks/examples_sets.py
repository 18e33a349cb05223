"""Reads example sets that say one thing in three syntaxes, and says where the three are read differently.

    python benchmarks/examples_sets.py FOLDER [--show N]

FOLDER holds text files as schema.org publishes them: each example begins with a line `TYPES: ...` and has the
parts `PRE-MARKUP:`, `MICRODATA:`, `RDFA:` and `JSON:`. Every part with markup goes through `validate_page`. Prints
how many crashed (none may), the findings by severity, rule and syntax, and in how many examples two syntaxes have
the same items (types of all nodes) and the same findings. Ends with 1 when anything crashed.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from waypost.models.finding import Finding
from waypost.reader import read_page
from waypost.registry import Registry, load
from waypost.validate import validate_parsed

_MARK = re.compile(r"^(PRE-MARKUP|MICRODATA|RDFA|JSON):[ \t]*$", re.MULTILINE)
_EXAMPLE = re.compile(r"^TYPES:(.*)$", re.MULTILINE)
SYNTAXES = {"MICRODATA": "microdata", "RDFA": "rdfa", "JSON": "json-ld"}
HAS = {"microdata": "itemscope", "rdfa": "typeof", "json-ld": "{"}
URL = "https://www.example.com/page"


class Example(NamedTuple):
    """name: file and number. parts: syntax -> markup; a part without any markup is left out."""

    name: str
    parts: dict[str, str]


class Reading(NamedTuple):
    """What one part came to: how often each type is a node's, and what was found."""

    types: Counter[str]
    findings: list[Finding]


def examples(folder: Path) -> Iterator[Example]:
    for path in sorted(folder.rglob("*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        starts = [match.end() for match in _EXAMPLE.finditer(text)]
        ends = [*[match.start() for match in _EXAMPLE.finditer(text)][1:], len(text)]
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
            pieces = _MARK.split(text[start:end])
            named = dict(zip(pieces[1::2], pieces[2::2], strict=True))
            parts = {SYNTAXES[name]: piece for name, piece in named.items() if name in SYNTAXES}
            parts = {syntax: piece for syntax, piece in parts.items() if HAS[syntax] in piece}
            yield Example(f"{path.stem}#{number}", {s: as_page(p, s) for s, p in parts.items()})


def as_page(piece: str, syntax: str) -> str:
    """A part as a page: bare JSON gets the script around it."""
    if syntax == "json-ld" and "<script" not in piece.lower():
        piece = f'<script type="application/ld+json">{piece}</script>'
    return f"<!doctype html><title>An example</title>\n{piece}"


def read(markup: str, registry: Registry) -> Reading:
    page = read_page(markup.encode(), registry.vocabulary, url=URL)
    types = Counter(name for node in page.nodes if node.same_as is None and not node.reference for name in node.types)
    return Reading(types, validate_parsed(page, registry).findings)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=10, help="how many differences to print")
    options = parser.parse_args()
    registry, began = load(), time.perf_counter()
    parts: Counter[str] = Counter()
    crashed: list[str] = []
    found: Counter[tuple[str, str, str]] = Counter()
    alike: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    different: list[str] = []
    for example in examples(options.folder):
        readings: dict[str, Reading] = {}
        for syntax, markup in example.parts.items():
            parts[syntax] += 1
            try:
                readings[syntax] = read(markup, registry)
            except Exception:  # noqa: BLE001 - that there is none is what this is for
                crashed.append(f"{example.name} {syntax}: {traceback.format_exc()}")
                continue
            found.update((f.severity, f.rule, syntax) for f in readings[syntax].findings)
        for one, other in itertools.combinations(sorted(readings), 2):
            pair = f"{one} and {other}"
            pairs[pair] += 1
            mine, theirs = readings[one].types, readings[other].types
            alike[f"{pair}: types"] += mine == theirs
            rule_sets = [{f.rule for f in readings[each].findings if f.severity != "info"} for each in (one, other)]
            alike[f"{pair}: rules"] += rule_sets[0] == rule_sets[1]
            if mine != theirs:
                more, less = dict(mine - theirs), dict(theirs - mine)
                different.append(f"{example.name}: only {one} {more}, only {other} {less}")
            elif rule_sets[0] != rule_sets[1]:
                more, less = sorted(rule_sets[0] - rule_sets[1]), sorted(rule_sets[1] - rule_sets[0])
                different.append(f"{example.name}: same types; only {one} {more}, only {other} {less}")
    took = time.perf_counter() - began
    print(f"{parts.total()} parts ({dict(parts)}) in {took:.1f} s, {len(crashed)} crashed")
    for (severity, rule), count in sorted(Counter((s, r) for s, r, _ in found.elements()).items()):
        print(f"  {severity:8} {rule:36} {count:5}  {_by_syntax(found, severity, rule)}")
    for pair, count in sorted(pairs.items()):
        print(f"{pair}: {count} examples; {alike[f'{pair}: types']} with the same types, "
              f"{alike[f'{pair}: rules']} with the same rules")  # fmt: skip
    for line in (*crashed, *different[: options.show]):
        print("  -", line)
    return 1 if crashed else 0


def _by_syntax(found: Counter[tuple[str, str, str]], severity: str, rule: str) -> str:
    return ", ".join(f"{syntax} {n}" for (s, r, syntax), n in sorted(found.items()) if (s, r) == (severity, rule))


if __name__ == "__main__":
    sys.exit(main())
