"""Write docs/messages.md: every message that the cases of the tests bring about, with its severity and its hint.

    python tools/make_messages.py [--check]

Messages that differ only in quoted values and numbers are one row, with the values of the first. --check writes nothing
and ends with status 1 where the file is not what the cases say.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from make_expected import CASES, NOW, PAGE_URL, REGISTRY, SUFFIXES, report_of

from waypost.models.finding import SEVERITIES, Finding
from waypost.validate import validate_data
from waypost.validate.rulebook import rules_by_name

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "messages.md"
PROFILE_CASES = ROOT / "tests" / "cases" / "profiles"
HEAD = """# Messages

Every message that a case of the tests brings about, with its severity and its hint: what people read, to be read aloud
when it changes. Written by `tools/make_messages.py`; `tests/test_messages.py` compares it with the cases.

Messages that differ only in values are one row. Severities are those of the cases: a profile makes a warning an error
where the value is required. Rules about several pages of a site have folders of pages as cases and are not here.
"""
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9][0-9.,:-]*")
_NAMES = re.compile(r"(?<=missing: ).*|(?<=it holds: ).*|^.*(?= is missing; )|(?<=; ).*(?= results need it)|^\w+(?=: )")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def findings() -> Iterator[Finding]:
    """Findings of all cases of rules and profiles, in the order of the folders and files."""
    for folder in sorted(CASES.iterdir()):
        if folder.is_dir():
            for case in sorted(folder.glob("*-*")):
                if case.suffix in SUFFIXES and case.is_file():
                    report = report_of(case)
                    yield from (*report.findings, *report.suppressed)
    for case in sorted(PROFILE_CASES.glob("*/*-*.json")):
        yield from validate_data(case.read_bytes(), REGISTRY, path=case.name, url=PAGE_URL, now=NOW).findings


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Rule, severity, message and hint of each kind of message, by rule and severity."""
    found: dict[tuple[str, int, str, str], tuple[str, str]] = {}
    for finding in findings():
        kind = _NAMES.sub("", _VALUE.sub("", finding.message))
        advice = _VALUE.sub("", finding.hint or "")
        key = (finding.rule, SEVERITIES.index(finding.severity), kind, advice)
        found.setdefault(key, (finding.message, finding.hint or ""))
    for (rule, severity, *_), (message, hint) in sorted(found.items(), key=lambda row: row[0][:2]):
        yield rule, SEVERITIES[severity], message, hint


def page() -> str:
    """Markdown of the table, a section for each rule."""
    parts = [HEAD]
    last = ""
    for rule, severity, message, hint in rows():
        if rule != last:
            title = rules_by_name()[rule].doc.partition("\n")[0].removesuffix(".")
            parts.append(f"\n## {rule}\n\n{_plain(title)}.\n\n| severity | message | hint |\n|---|---|---|\n")
            last = rule
        parts.append(f"| {severity} | {_plain(message)} | {_plain(hint)} |\n")
    return "".join(parts)


def _plain(text: str) -> str:
    visible = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)
    return _SPECIAL.sub(r"\\\1", visible)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if the file is out of date")
    args = parser.parse_args()
    text = page()
    if args.check:
        return int(not OUTPUT.is_file() or OUTPUT.read_text("utf-8") != text)
    OUTPUT.write_text(text, "utf-8")
    print(f"{OUTPUT.relative_to(ROOT)}: {text.count(chr(10) + '| ') - 2 * text.count('## ')} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
