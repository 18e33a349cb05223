"""Decisions on the pages: nine statements, each code beside its sentence, a shape and a word, never colour alone."""

from __future__ import annotations

import html
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from tests.command import Run

from waypost.errors import RegistryError
from waypost.pages import Settings, render
from waypost.pages.draft import Source
from waypost.pages.safety import Safety
from waypost.registry import load
from waypost.registry.world import load as load_world

ROOT = Path(__file__).parent.parent
SOURCE = Source(load(), load_world(), datetime(2026, 11, 20, 12, tzinfo=UTC))
CODES = SOURCE.world.document("codes.json")
CELLS = [
    "Request",
    "Relationship",
    "Risk seen",
    "Evidence",
    "Confidence",
    "Unknowns",
    "Reason codes",
    "Policy",
    "Decision id",
]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    files, _ = render(SOURCE, Settings(only="safety/"))
    return {name: data.decode() for name, data in files.items() if name.endswith(".html")}


@pytest.fixture(scope="module")
def recorded(pages: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in pages.items() if re.fullmatch(r"safety/replay/[^/]+/index\.html", name)}


def test_every_recorded_case_has_nine_statements_in_order(recorded: dict[str, str]) -> None:
    assert len(recorded) == len(list((ROOT / "tests" / "cases" / "decisions").glob("*.json")))
    for name, text in recorded.items():
        cells = text.partition('<dl class="cells">')[2].partition("</dl>")[0]
        assert re.findall(r"<dt>(.*?)</dt>", cells) == CELLS, name


def test_recorded_decision_is_drawn_as_recorded_with_its_day(recorded: dict[str, str]) -> None:
    for name, text in recorded.items():
        verdict = text.partition('<div class="verdict"')[2].partition("<dl")[0]
        assert verdict.startswith(' data-v="recorded"'), name
        assert 'href="#v-over"' in verdict
        heading = re.sub(r"<[^>]+>", "", verdict.partition("<h2")[2].partition(">")[2].partition("</h2>")[0])
        assert re.match(r"RECORDED: On \d+ \w+ 20\d\d: (stop, |[a-z ]+ was allowed until \d\d:\d\d UTC)", heading), name
        assert "Was valid until" in verdict
        assert "not a live answer" in verdict


def test_no_page_draws_a_record_as_a_live_allow(pages: dict[str, str]) -> None:
    home, _ = render(SOURCE, Settings(only=""))
    everything = pages | {"index.html": home["index.html"].decode()}
    drawn = [name for name, text in everything.items() if 'class="verdict"' in text]

    assert {"index.html", "safety/index.html", "safety/reading/index.html"} < set(drawn)
    for name, text in everything.items():
        assert 'data-v="go"' not in text, name
        assert "is allowed here until" not in text, name
        assert "#v-go" not in text.replace('id="v-go"', ""), name
    assert "This record allows nothing now." in pages["safety/reading/index.html"]


def test_the_list_of_records_has_the_verdicts_of_then(pages: dict[str, str]) -> None:
    text = pages["safety/replay/index.html"]

    assert "was allowed</span>" in text
    assert "tag-go" not in text
    assert text.count('<time class="num" datetime="') == len(Safety(SOURCE).panels)


def test_raw_codes_are_displayed_next_to_their_sentences(recorded: dict[str, str]) -> None:
    safety = Safety(SOURCE)
    for panel in safety.panels.values():
        text = recorded[f"{panel.address}index.html"].replace("&#39;", "'")
        decision_text = panel.decision
        for kind, code in (
            ("relationship_statuses", decision_text.relationship_status),
            ("risk_statuses", decision_text.risk_status),
            ("confidence_classes", decision_text.confidence_class),
            *(("unknowns", code) for code in decision_text.unknowns),
            *(("reason_codes", code) for code in decision_text.reason_codes),
        ):
            assert code in text
            assert CODES[kind][code] in text, (panel.name, code)


def test_an_empty_list_of_unknowns_is_displayed(recorded: dict[str, str]) -> None:
    empty = [panel for panel in Safety(SOURCE).panels.values() if not panel.decision.unknowns]

    assert empty
    for panel in empty:
        assert "An empty list, not a missing one." in recorded[f"{panel.address}index.html"]


def test_every_code_has_a_page_with_advice(pages: dict[str, str]) -> None:
    for folder, kind, words in (
        ("reasons", "reason_codes", "What would change it"),
        ("unknowns", "unknowns", "What would settle it"),
        ("evidence", "evidence_types", "How it is collected"),
    ):
        for code in CODES[kind]:
            assert words in pages[f"safety/{folder}/{code}/index.html"], code


def test_a_code_without_advice_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    world = SOURCE.world
    real = world.document

    def with_one_more(path: str) -> object:
        document = real(path)
        return (
            document | {"unknowns": {**document["unknowns"], "new_one": "New."}} if path == "codes.json" else document
        )

    monkeypatch.setattr(world, "document", with_one_more)

    with pytest.raises(RegistryError, match=r"unknowns: new_one is in one of the two lists"):
        Safety(SOURCE)


def test_recorded_case_that_no_longer_holds_stops_the_build(tmp_path: Path) -> None:
    cases = tmp_path / "decisions"
    (cases / "given").mkdir(parents=True)
    real = ROOT / "tests" / "cases"
    (cases / "given" / "everything-seen.json").write_bytes(
        (real / "decisions" / "given" / "everything-seen.json").read_bytes()
    )
    report = (
        (real / "decisions" / "payment-at-an-unknown-host.json")
        .read_text()
        .replace("no_decisive_signal", "threat_list_match")
    )
    (cases / "a-case.json").write_text(report)
    brands = tmp_path / "signals" / "brands"
    brands.mkdir(parents=True)

    with pytest.raises(RegistryError, match=r"a-case\.json: another decision comes of this case"):
        _ = Safety(replace(SOURCE, cases=tmp_path)).panels


def test_no_page_has_the_path_of_a_checked_address(pages: dict[str, str]) -> None:
    assert not [name for name, text in pages.items() if "k4n4ry" in text]


def test_policies_stand_side_by_side_with_what_differs(pages: dict[str, str]) -> None:
    text = pages["safety/policies/index.html"]

    assert "tier 3, evidence: + threat_list_check" in text
    assert "because" not in text.partition("next to baseline")[2].partition("</ul>")[0]


def test_policies_are_compared_by_additions_and_removals(pages: dict[str, str]) -> None:
    text = pages["safety/policies/index.html"]

    assert "tier 3, evidence: + threat_list_check" in text
    assert "tier 0, further_unknowns: + page_content_not_inspected, + redirect_target_not_checked" in text
    assert "None" not in text


def test_each_command_of_decision_pages_gets_a_decision(pages: dict[str, str], command: Run) -> None:
    codes = [
        html.unescape(code) for page in pages.values() for code in re.findall(r"<code>(waypost check [^<-][^<]*)", page)
    ]
    commands = {tuple(shlex.split(code)[1:]) for code in codes if " URL " not in f"{code} "}

    assert any("--fixtures" in words for words in commands)
    for words in commands:
        offline = () if "--fixtures" in words else ("--offline",)
        assert command(*words, *offline).status in (0, 1), words
