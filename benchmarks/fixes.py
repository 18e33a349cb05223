"""Mend every page of a folder and look at what became of it.

    python benchmarks/fixes.py PAGES [--unsafe] [--diff RULE]

PAGES is a folder of .html, .html.gz, .json or .jsonld files; nothing in it is changed. For every page that can be
mended: is it byte-identical outside the edits, does a second run change nothing, is nothing found that was not found
before (each finding is followed back to its place in the original), and does everything else on the page still say
the same (the values of all nodes, those that were mended aside)? Ends with 1 if anything is amiss.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from waypost.extract import read_data, read_page
from waypost.fix import FixedPage, fix_page
from waypost.fix.diff import unified_diff
from waypost.models.finding import FileReport
from waypost.models.page import Node
from waypost.registry import load
from waypost.validate import validate_data, validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def told(page: bytes, is_html: bool) -> Counter[str]:
    """Everything that the nodes of a page say: a line for each property of a node with all its values."""
    words = load().vocabulary
    read = read_page(page, words) if is_html else read_data(page, words)

    def called(node: Node) -> str:
        return f"{' '.join(node.types)} {node.id}"

    lines = Counter(called(node) for node in read.nodes if not node.reference)
    for node in read.nodes:
        for prop, values in node.props.items():
            said = [called(each) if isinstance(each, Node) else repr(each) for each in values]
            lines[f"{called(node)} {prop} {' | '.join(said)}"] += 1
    return lines


def amiss(data: bytes, mended: FixedPage, again: FixedPage, before: FileReport, is_html: bool) -> list[str]:
    found = []
    at, pieces, kept = 0, [], []
    for change in mended.changes:
        pieces += (data[at : change.start], change.data)
        kept.append(data[at : change.start])
        at = change.end
    if b"".join([*pieces, data[at:]]) != mended.data:
        found.append("not the original outside the edits")
    if again.data != mended.data:
        found.append(f"a second run changes {len(again.changes)} places")
    grown = Counter(f.rule for f in mended.report.findings) - Counter(f.rule for f in before.findings)
    found += [f"{rule} is found {more} times more" for rule, more in grown.items()]
    edits = sum(len(each.fix.edits) for each in mended.fixed if each.fix and not each.rule.startswith("json-"))
    if (differing := (told(data, is_html) - told(mended.data, is_html)).total()) > edits:
        found.append(f"{differing} values differ after {edits} edits of values")
    return found


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("pages", type=Path)
    asked.add_argument("--unsafe", action="store_true", help="make the repairs too that guess")
    asked.add_argument(
        "--diff", metavar="RULE", help="show the changes to pages on which RULE was mended; all: any rule"
    )
    args = asked.parse_args()
    load()
    pages = touched = bad = 0
    fixed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    started = time.perf_counter()
    for path in sorted(args.pages.rglob("*")):
        if not path.name.removesuffix(".gz").endswith((".html", ".htm", ".json", ".jsonld")):
            continue
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        is_html = "html" in path.name or ".htm" in path.name
        validate = validate_page if is_html else validate_data

        def judge(page: bytes, validate=validate) -> FileReport:
            return validate(page, now=NOW)

        pages += 1
        before = judge(data)
        mended = fix_page(data, judge, unsafe=args.unsafe, before=before)
        fixed.update(each.rule for each in mended.fixed)
        refused.update(each.finding.rule for each in mended.rejected)
        for each in mended.rejected:
            print(f"{path.name}: {each.finding.rule} at {each.finding.line} is left: {each.reason}")
        if not mended.changes:
            continue
        touched += 1
        again = fix_page(mended.data, judge, unsafe=args.unsafe)
        for fault in amiss(data, mended, again, before, is_html):
            bad += 1
            print(f"AMISS {path.name}: {fault}")
        if args.diff and (args.diff == "all" or any(each.rule == args.diff for each in mended.fixed)):
            for line in unified_diff(path.name, data, mended.changes):
                sys.stdout.write(line if len(line) < 400 else f"{line[:400]}...\n")
    took = time.perf_counter() - started
    print(
        f"{pages} pages, {touched} mended, {fixed.total()} repairs made, {refused.total()} left, {bad} amiss, {took:.1f} s"
    )
    for rule, times in fixed.most_common():
        print(f"  {times:4} {rule}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
