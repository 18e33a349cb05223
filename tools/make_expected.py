"""Write the expected.json of cases: of a rule (tests/cases/rules/NAME) or of a mapping (tests/cases/snippets/NAME).

    python tools/make_expected.py [NAME ...] [--update]

For a rule: a list of "severity rule line:column message" for each file, which every engine must report. Cases that are
folders of pages (site rules) have none. For a mapping: the unified document and the card of its input.json. Without a
NAME all are written. An existing file stays as it is, unless --update is given: read the difference before you commit.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from waypost.models.finding import FileReport
from waypost.preview import make_snippet
from waypost.reader.markdown import read_markdown
from waypost.registry import load
from waypost.validate import validate_data, validate_page, validate_parsed

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases" / "rules"
SNIPPETS = ROOT / "tests" / "cases" / "snippets"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGE_URL = "https://www.example.com/page"
REGISTRY = load()
SUFFIXES = frozenset({".html", ".json", ".jsonld", ".md"})


def cases(folder: Path) -> list[Path]:
    """Case files of a rule, sorted by name."""
    return sorted(path for path in folder.glob("*-*") if path.suffix in SUFFIXES and path.is_file())


def report_of(case: Path) -> FileReport:
    """Report on a case. The page's address is known, unless the case's name ends in `of-unknown-address`.

    `<!-- profile: google/recipe -->` in a case names a profile.
    """
    if case.suffix == ".md":
        page = read_markdown(case.read_bytes(), REGISTRY.vocabulary, path=case.name, url=PAGE_URL)
        return validate_parsed(page, REGISTRY, now=NOW)
    named = re.search(rb"<!-- profile: (\S+) -->", case.read_bytes())
    profiles = (named[1].decode(),) if named else ()
    validate = validate_page if case.suffix == ".html" else validate_data
    url = None if "of-unknown-address" in case.stem else PAGE_URL
    return validate(case.read_bytes(), REGISTRY, path=case.name, url=url, now=NOW, profiles=profiles)


def findings_of(report: FileReport) -> list[str]:
    """Findings of a report, one line each, in the order of the report."""
    return [
        f"{finding.severity} {finding.rule} {finding.line}:{finding.column} {finding.message}"
        for finding in report.findings
    ]


def expected_of(folder: Path) -> tuple[Any, int]:
    """Content of expected.json for a folder of cases, and its indent. The content is empty where there is no case."""
    if folder.parent == SNIPPETS:
        made = make_snippet((folder / "input.json").read_bytes(), REGISTRY, now=NOW)
        return msgspec.json.decode(msgspec.json.encode(made)), 2
    return {case.name: findings_of(report_of(case)) for case in cases(folder)}, 1


def folder_of(name: str) -> Path:
    """Folder of a rule's or a mapping's cases. Exits with status 2 where neither has one."""
    for parent in (CASES, SNIPPETS):
        if name and (parent / name).is_dir():
            return parent / name
    sys.exit(f"make_expected.py: there is no folder {name!r} in tests/cases/rules or tests/cases/snippets")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a rule, or a mapping's title as in RecipeSnippet")
    parser.add_argument("--update", action="store_true", help="write over files that exist")
    options = parser.parse_args()
    every = [path for parent in (CASES, SNIPPETS) for path in parent.glob("*/")]
    for folder in [folder_of(name) for name in options.names] or sorted(every):
        content, indent = expected_of(folder)
        target = folder / "expected.json"
        if not content or (target.exists() and json.loads(target.read_text("utf-8")) == content):
            continue
        if target.exists() and not options.update:
            print(f"{target.relative_to(ROOT)} differs from what is found today; --update writes over it")
            return 1
        target.write_text(json.dumps(content, ensure_ascii=False, indent=indent) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
