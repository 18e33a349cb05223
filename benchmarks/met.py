"""How often is each rule met on real pages, and each rich result asked for?

    python benchmarks/met.py FOLDER [--write site/met.json]

FOLDER holds pages as for truth.py. Counted are pages, not findings, and never hosts: `rules` has the number of pages
with a finding of the rule, `results` the number of pages with an item that is eligible for the rich result or has a
finding of it. The site's lists of rules and of rich results are in this order.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from truth import pages_of

from waypost.registry import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", type=Path, help="the file to write")
    args = parser.parse_args()
    rules: Counter[str] = Counter()
    results: Counter[str] = Counter()
    pages = 0
    for page_report in pages_of(args.folder, load()):
        pages += 1
        findings = [*page_report.report.findings, *page_report.report.suppressed]
        rules.update({finding.rule for finding in findings})
        eligible = {name for item in page_report.report.items for name in (*item.eligible, *item.retired)}
        results.update(eligible | {finding.profile for finding in findings if finding.profile})
    document = {
        "about": "Pages on which a rule is met or a rich result is asked for: the order of lists, and nothing else.",
        "source": f"benchmarks/met.py over {pages} real pages that are not part of the project",
        "pages": pages,
        "rules": dict(rules.most_common()),
        "results": dict(results.most_common()),
    }
    text = json.dumps(document, indent=2) + "\n"
    if args.write:
        args.write.write_text(text, "utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
