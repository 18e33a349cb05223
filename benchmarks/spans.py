"""For every finding on a folder of pages: are the bytes at its place the key or value that it names?

    python benchmarks/spans.py PAGES [--show N]

PAGES is a folder of .html, .html.gz, .json or .jsonld files. Counts findings whose bytes fit what they name
(a JSON key or value with its quotes, an attribute's name or value, a node's brace or start tag), and prints
those that do not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from waypost.models.finding import Finding
from waypost.registry import load
from waypost.validate import validate_data, validate_page

_SCRIPT = re.compile(rb"<script\b[^>]*ld\+json[^>]*>(.*?)</script", re.IGNORECASE | re.DOTALL)
_ABSENT = object()


def pointed(value: Any, pointer: str) -> Any:
    """What a JSON Pointer leads to (RFC 6901), or _ABSENT."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return _ABSENT
    return value


def fits(finding: Finding, data: bytes, blocks: list[Any]) -> bool:
    """The bytes at the finding's place are the key, the value or the node that it names.

    JSON-LD is judged by the standard library's own reading of the block: the piece is the value that the
    pointer leads to, the key that ends it, or the opening of the object or list there. Of a block that is
    not valid JSON only the range is judged. Markup: a start tag, or a piece that an attribute's quotes, a
    space inside them, or the tags around a text enclose.
    """
    piece = data[finding.start : finding.end]
    if finding.syntax == "html" or finding.rule.startswith("json-"):
        return 0 <= finding.start <= finding.end <= len(data)
    if finding.syntax == "json-ld":
        block = blocks[finding.block] if finding.block is not None and finding.block < len(blocks) else _ABSENT
        if block is _ABSENT:
            return True
        there = pointed(block, finding.pointer)
        last = finding.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        if piece in (b"{", b"["):
            return isinstance(there, dict if piece == b"{" else list)
        try:
            read = json.loads(piece)
        except ValueError:
            return False
        return (
            read in (there, last)
            or (
                isinstance(there, dict)
                and read
                in (there.get("@type"), there.get("@id"), *(t for t in [there.get("@type")] if isinstance(t, list)))
            )
            or _within(read, there)
        )
    if piece.startswith(b"<") and piece.endswith(b">"):
        return True
    before, after = data[finding.start - 1 : finding.start], data[finding.end : finding.end + 1]
    return before in (b'"', b"'", b">", b"=", b" ", b"\n", b"\t", b"\r") and (
        after in (b'"', b"'", b"<", b">", b" ", b"/", b"\n", b"\t", b"\r")
    )


def _within(read: Any, there: Any) -> bool:
    """A type among several, a value object's value."""
    if isinstance(there, dict):
        return any(read == each or (isinstance(each, list) and read in each) for each in there.values())
    return isinstance(there, list) and read in there


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    registry = load()
    paths = sorted(p for p in options.pages.rglob("*") if p.suffix in {".gz", ".html", ".json", ".jsonld"})
    good, strange, slowest = 0, [], (0.0, "")
    for path in paths:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        validate = validate_data if path.suffix in {".json", ".jsonld"} else validate_page
        began = time.perf_counter()
        report = validate(data, registry, path=path.name, url="https://www.example.com/page")
        slowest = max(slowest, (time.perf_counter() - began, path.name))
        blocks = []
        for script in [data] if validate is validate_data else _SCRIPT.findall(data):
            try:
                blocks.append(json.loads(script.decode("utf-8-sig")))
            except ValueError:
                blocks.append(_ABSENT)
        for finding in report.findings:
            if fits(finding, data, blocks):
                good += 1
            else:
                piece = data[finding.start : finding.end][:60]
                strange.append(
                    f"{path.name}:{finding.line}:{finding.column} {finding.rule} {finding.pointer} {piece!r}"
                )
    print(f"{len(paths)} pages, {good + len(strange)} findings, {good} stand on what they name; slowest {slowest}")
    for line in strange[: options.show]:
        print("  -", line)
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
