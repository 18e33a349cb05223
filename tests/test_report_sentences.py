"""A finding carries Search Console's sentence where exactly one is known: everywhere in the same words."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests import test_engine_node

from waypost.cli import main
from waypost.registry import load
from waypost.registry.messages import report_messages
from waypost.registry.report_sentences import finding_sentences
from waypost.validate import validate_data

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
FOLDER = Path(__file__).parent / "cases"
CASES = json.loads((FOLDER / "messages" / "findings.json").read_text("utf-8"))["cases"]
EVENT = json.dumps({"@context": "https://schema.org", **CASES[3]["item"]})
SENTENCE = CASES[3]["sentence"]
PROGRAM = test_engine_node.PROGRAM.replace(
    "const fixes =",
    "return report.files[0].findings.map((each) => [each.rule, each.search_console ?? null]);\n  const fixes =",
)


def sentences_of(text: str) -> list[list[str | None]]:
    report = validate_data(text.encode(), registry=REGISTRY, now=NOW)
    return [[finding.rule, finding.search_console] for finding in report.findings]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['item']['@type']} {case['rule']}")
def test_a_finding_has_the_sentence_of_its_case(case: dict[str, Any]) -> None:
    text = json.dumps({"@context": "https://schema.org", **case["item"]})

    assert [case["rule"], case["sentence"]] in sentences_of(text)


def test_the_browser_gives_every_finding_the_same_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [json.dumps({"@context": "https://schema.org", **case["item"]}) for case in CASES]
    texts += [path.read_text("utf-8") for path in test_engine_node.SAMPLES if test_engine_node.is_text(path)]
    texts = [text for text in texts if "\r" not in text and not text.startswith("\ufeff")]
    monkeypatch.setattr(sys.modules["tests.test_engine_node"], "PROGRAM", PROGRAM)
    requests = [{"text": text, "url": None} for text in texts]

    made = test_engine_node.answers(tmp_path, requests)

    expected = [sentences_of(text) for text in texts]
    assert made == expected
    assert len({sentence for each in expected for _, sentence in each if sentence}) > 10


def test_every_sentence_is_of_a_report() -> None:
    known = {(message.profile, message.path) for each in report_messages(REGISTRY) for message in each.messages}
    sides = {(profile, "|".join(sorted(path.split("|")))) for profile, path in known}

    held = {(profile, path) for profile, paths in finding_sentences(REGISTRY).items() for path in paths}

    assert held <= sides
    assert len(held) > 50


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--verbose"], f"Search Console: {SENTENCE}"),
        (["--explain"], f"Search Console's sentence for a finding above: {SENTENCE}"),
        (["--format", "json"], f'"search_console": {json.dumps(SENTENCE)}'),
        (["--format", "html"], "Search Console: Missing field"),
        ([], ""),
    ],
)
def test_a_report_shows_the_sentence_where_details_are_requested(
    arguments: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "event.jsonld"
    page.write_text(EVENT, "utf-8")

    main(["validate", str(page), "--no-config", *arguments])

    text = capsys.readouterr().out
    assert expected in text if expected else SENTENCE not in text
