"""Mend every page of a folder and look at what became of it.

    python benchmarks/fixes.py PAGES [--unsafe] [--diff RULE]
    python benchmarks/fixes.py --broken 500 [--seed 16] [--unsafe]

PAGES is a folder of .html, .html.gz, .json or .jsonld files; nothing in it is changed. For every page that can be
mended: is it byte-identical outside the edits, does a second run change nothing, is nothing found that was not found
before (each finding is followed back to its place in the original), and does everything else on the page still say
the same (the values of all nodes, those that were mended aside), and is every script that was changed strict JSON?
With --broken the pages are blocks of JSON-LD that were broken on purpose (`broken_json.py`): each is made strict JSON
or is not touched. Where it says other than what was meant before it was broken, it is counted: a comma that was lost
inside a text is no error that anybody can see. Ends with 1 if anything is amiss.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from broken_json import broken_blocks as made_blocks
from broken_json import parsed

from waypost.fixes import FixedPage, broken_blocks, fix_page
from waypost.fixes.diff import unified_diff
from waypost.models.finding import FileReport
from waypost.models.page import Node
from waypost.reader import read_data, read_page
from waypost.reader.json_block import JsonBlock
from waypost.registry import load
from waypost.validate import validate_data, validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EXPECTED = frozenset({"microdata-content-attribute"})
"""Information that a fix may bring: a value is written as `content`, which consumers read and the standard does not know."""
DISPLAYED = frozenset({"recommended-property-missing", "date-without-offset", "html-in-text"})
"""Findings that a fix may show in its own item: an item that can be read now lacks what it lacked before, a date that can
be read now has no time zone, and a value under the right name of its property has tags in it, as it had before."""


def statements(page: bytes, is_html: bool) -> Counter[str]:
    """Everything that the nodes of a page say: a line for each property of a node with all its values."""
    words = load().vocabulary
    read = read_page(page, words) if is_html else read_data(page, words)

    def called(node: Node) -> str:
        return f"{' '.join(node.types)} {node.id}"

    lines = Counter(called(node) for node in read.nodes if not node.reference)
    for node in read.nodes:
        for prop, values in node.props.items():
            texts = [called(each) if isinstance(each, Node) else repr(each) for each in values]
            lines[f"{called(node)} {prop} {' | '.join(texts)}"] += 1
    return lines


def same_outside(data: bytes, result: FixedPage) -> bool:
    """Is every byte outside the changes that of the original?"""
    at, pieces = 0, []
    for change in result.changes:
        pieces += (data[at : change.start], change.data)
        at = change.end
    return b"".join([*pieces, data[at:]]) == result.data


def scripts_of(data: bytes, is_html: bool) -> dict[int, str]:
    words = load().vocabulary
    page = read_page(data, words) if is_html else read_data(data, words)
    return {block.index: block.text for block in page.blocks if isinstance(block, JsonBlock)}


def broken_and_changed(data: bytes, result: FixedPage, is_html: bool) -> list[int]:
    """Numbers of the scripts that are not as they were, and no strict JSON."""
    before = scripts_of(data, is_html)
    return [
        number
        for number, text in scripts_of(result.data, is_html).items()
        if text != before.get(number) and parsed(text) is None
    ]


def fix_broken(number: int, seed: int, unsafe: bool) -> int:
    """Mend blocks that were broken on purpose. Returns the number of those that are amiss."""
    outcomes: Counter[str] = Counter()
    bad = 0
    for block in made_blocks(number, seed):
        data = block.text.encode()
        result = fix_page(
            data, partial(validate_data, now=NOW), unsafe=unsafe, encoding="utf-8",
            broken=partial(broken_blocks, kind="json"),
        )  # fmt: skip
        value = parsed(result.data.decode())
        if result.data == data:
            outcomes["not touched"] += 1
        elif value is None or not same_outside(data, result):
            bad += 1
            print(f"AMISS {block.breaks}: {block.text!r}")
        else:
            outcomes["strict, says what was meant" if value == [block.intended] else "strict, says something else"] += 1
    print(f"{number} broken blocks (seed {seed}): {bad} amiss")
    for outcome, times in outcomes.most_common():
        print(f"  {times:4} {outcome}")
    return bad


def amiss(data: bytes, result: FixedPage, again: FixedPage, before: FileReport, is_html: bool) -> list[str]:
    found = []
    if not same_outside(data, result):
        found.append("not the original outside the edits")
    found += [f"script {number} was changed and is no JSON" for number in broken_and_changed(data, result, is_html)]
    if again.data != result.data:
        found.append(f"a second run changes {len(again.changes)} places")
    grown = Counter(f.rule for f in result.report.findings) - Counter(f.rule for f in before.findings)
    found += [f"{rule} is found {more} times more" for rule, more in grown.items() if rule not in EXPECTED | DISPLAYED]
    of_items = Counter((f.rule, f.item) for f in result.report.findings) - Counter(
        (f.rule, f.item) for f in before.findings
    )
    fixed = {each.item for each in result.fixed}
    found += [
        f"{rule} is found {more} times more in item {item}, where nothing was fixed"
        for (rule, item), more in of_items.items()
        if rule in DISPLAYED and grown[rule] and item not in fixed
    ]
    edits = sum(len(each.fix.edits) for each in result.fixed if each.fix and not each.rule.startswith("json-"))
    if (differing := (statements(data, is_html) - statements(result.data, is_html)).total()) > edits:
        found.append(f"{differing} values differ after {edits} edits of values")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path, nargs="?")
    parser.add_argument("--broken", type=int, metavar="N", help="mend N blocks that are broken on purpose")
    parser.add_argument("--seed", type=int, default=16, help="which N blocks")
    parser.add_argument("--unsafe", action="store_true", help="make the repairs too that guess")
    parser.add_argument(
        "--diff", metavar="RULE", help="show the changes to pages on which RULE was mended; all: any rule"
    )
    args = parser.parse_args()
    load()
    if args.broken:
        return 1 if fix_broken(args.broken, args.seed, args.unsafe) else 0
    if args.pages is None:
        parser.error("name a folder of pages, or --broken N")
    pages = touched = bad = 0
    fixed: Counter[str] = Counter()
    denied: Counter[str] = Counter()
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
        broken = partial(broken_blocks, kind="html" if is_html else "json")
        result = fix_page(data, judge, unsafe=args.unsafe, before=before, broken=broken)
        fixed.update(each.rule for each in result.fixed)
        denied.update(each.finding.rule for each in result.rejected)
        for each in result.rejected:
            print(f"{path.name}: {each.finding.rule} at {each.finding.line} is left: {each.reason}")
        if not result.changes:
            continue
        touched += 1
        again = fix_page(result.data, judge, unsafe=args.unsafe, broken=broken)
        for problem in amiss(data, result, again, before, is_html):
            bad += 1
            print(f"AMISS {path.name}: {problem}")
        if args.diff and (args.diff == "all" or any(each.rule == args.diff for each in result.fixed)):
            for line in unified_diff(path.name, data, result.changes):
                sys.stdout.write(line if len(line) < 400 else f"{line[:400]}...\n")
    took = time.perf_counter() - started
    print(
        f"{pages} pages, {touched} mended, {fixed.total()} repairs made, {denied.total()} left, {bad} amiss, {took:.1f} s"
    )
    for rule, times in fixed.most_common():
        print(f"  {times:4} {rule}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
