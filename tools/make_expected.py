"""Write tests/cases/rules/<rule>/expected.json: the findings that every engine reports for the cases of a rule.

    python tools/make_expected.py [RULE ...] [--update]

An entry is a list of "severity rule line:column message" for each file. An existing file stays as it is, unless
--update is given: read the difference before you commit it. Cases that are folders of pages (site rules) have none.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from waypost.extract.markdown import read_markdown
from waypost.models.finding import FileReport
from waypost.registry import load
from waypost.validate import validate_data, validate_page, validate_parsed

CASES = Path(__file__).resolve().parent.parent / "tests" / "cases" / "rules"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGE_URL = "https://www.example.com/page"
REGISTRY = load()
SUFFIXES = frozenset({".html", ".json", ".jsonld", ".md"})


def cases(folder: Path) -> list[Path]:
    """Case files of a rule, sorted by name."""
    return sorted(path for path in folder.glob("*-*") if path.suffix in SUFFIXES and path.is_file())


def report_of(case: Path) -> FileReport:
    """Report on a case. The page's address is known, unless the case's name ends in `of-unknown-address`."""
    if case.suffix == ".md":
        page = read_markdown(case.read_bytes(), REGISTRY.vocabulary, path=case.name, url=PAGE_URL)
        return validate_parsed(page, REGISTRY, now=NOW)
    validate = validate_page if case.suffix == ".html" else validate_data
    url = None if "of-unknown-address" in case.stem else PAGE_URL
    return validate(case.read_bytes(), REGISTRY, path=case.name, url=url, now=NOW)


def findings_of(report: FileReport) -> list[str]:
    """Findings of a report, one line each, in the order of the report."""
    return [
        f"{finding.severity} {finding.rule} {finding.line}:{finding.column} {finding.message}"
        for finding in report.findings
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rules", nargs="*", metavar="RULE")
    parser.add_argument("--update", action="store_true", help="write over files that exist")
    options = parser.parse_args()
    for folder in sorted(CASES / rule for rule in options.rules) or sorted(p for p in CASES.iterdir() if p.is_dir()):
        findings = {case.name: findings_of(report_of(case)) for case in cases(folder)}
        target = folder / "expected.json"
        text = json.dumps(findings, ensure_ascii=False, indent=1) + "\n"
        if not findings or (target.exists() and target.read_text("utf-8") == text):
            continue
        if target.exists() and not options.update:
            print(f"{target.relative_to(CASES.parent.parent.parent)} has other findings; --update writes over it")
            return 1
        target.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
