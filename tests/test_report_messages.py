"""Search Console: the messages are valid, sentences are recognised in any language, and each page has an example."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from waypost.pages import messages as pages
from waypost.pages.draft import Source
from waypost.pages.message_examples import example_of, silence
from waypost.registry import load
from waypost.registry.message_search import find_message
from waypost.registry.messages import Sentence, report_messages, sentences
from waypost.registry.report_sentences import finding_sentences, message_pages
from waypost.registry.world import load as load_world
from waypost.report import render
from waypost.validate import build_report, validate_page

REGISTRY = load()
(REPORT,) = report_messages(REGISTRY)
SOURCE = Source(REGISTRY, load_world(), datetime(2026, 11, 20, 12, tzinfo=UTC))
PASTED = json.loads((Path(__file__).parent / "cases" / "messages" / "sentences.json").read_text("utf-8"))["cases"]
SENTENCES = list(sentences(REPORT))


def test_the_messages_are_valid() -> None:
    document = REGISTRY.document("messages/google.json")

    jsonschema.Draft202012Validator(REGISTRY.document("meta/messages.schema.json")).validate(document)


def test_there_are_forty_five_wordings_with_sources() -> None:
    assert len(REPORT.templates) >= 45
    assert not [each.name for each in REPORT.templates if not each.source.startswith("https://") or not each.fix]
    assert {wording.language for each in REPORT.templates for wording in each.wordings} == set(pages.LANGUAGES)


def test_every_wording_is_among_the_pasted_sentences() -> None:
    templates = {case["page"].split("/")[1] for case in PASTED}

    assert templates == {each.name for each in REPORT.templates}


@pytest.mark.parametrize("case", PASTED, ids=lambda case: case["pasted"])
def test_a_pasted_sentence_is_recognised(case: dict[str, str]) -> None:
    found = find_message(REGISTRY, case["pasted"])

    assert found is not None
    _, template, *step = case["page"].rstrip("/").split("/")
    assert found.template.name == template
    if step and not step[0].startswith("#"):
        own = next(each for each in SENTENCES if each.template.name == template and each.slug == step[0])
        assert {name.strip("<>") for name in own.fields} == set(found.fields)


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda each: each.text)
def test_the_bad_example_of_a_message_is_reported(sentence: Sentence) -> None:
    name = f"{sentence.template.name}/{sentence.slug}"

    pair = example_of(name, sentence, SOURCE)

    if pair is not None:
        assert bool(pair.findings) is not bool(silence(name))
        assert pair.bad != pair.good


def test_the_sentence_of_a_finding_has_its_page(built_site: Path) -> None:
    found = {
        text for paths in finding_sentences(REGISTRY).values() for rules in paths.values() for text in rules.values()
    }

    assert set(message_pages(REGISTRY)) == found
    for page in message_pages(REGISTRY).values():
        assert (built_site / page / "index.html").is_file(), page


def test_a_report_as_a_page_links_the_message() -> None:
    event = '{"@context": "https://schema.org", "@type": "Event", "name": "Fair"}'
    checked = validate_page(
        f'<script type="application/ld+json">{event}</script>'.encode(),
        REGISTRY,
        now=SOURCE.now,
        site="https://checks.example.com",
    )
    (finding,) = (each for each in checked.findings if each.search_console and each.property == "location")

    report = render(build_report([checked], REGISTRY), "html")

    assert finding.search_console == 'Missing field "location"'
    assert '<a href="https://checks.example.com/messages/missing-field/location/">Missing field' in report


def test_sentences_of_a_wording_have_different_addresses() -> None:
    addresses = [pages.address_of(each.template.name, each.slug) for each in SENTENCES]

    assert len(addresses) == len(set(addresses))


def test_a_rule_names_its_messages_nearest_first() -> None:
    titles = [title for title, _ in pages.of_rule(REGISTRY, "price-invalid")]

    assert titles[0] == "Invalid price format in “…” property"
