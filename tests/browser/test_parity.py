"""The engine in the browser says what Python says, to the letter; see `benchmarks/parity.py`."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.pages.home import compared_cases
from waypost.preview import make_snippet
from waypost.preview.catalogue import catalogue_of
from waypost.preview.pick import main_node
from waypost.reader import read_page
from waypost.registry import load
from waypost.registry.own_files import read_checks, read_profile
from waypost.validate.rulebook import rules_by_name

ROOT = Path(__file__).parents[2]
REGISTRY = load()
MADE = 500 if os.environ.get("WAYPOST_BROWSER") == "required" else 150
HOSTILE = {
    "brackets": ("[" * 1_000_000, "json"),
    "things inside things": ('{"@context":"https://schema.org","@type":"Person","knows":' * 20_000, "json"),
    "quotes": ("\"'" * 400_000, "json"),
    "names without end": ('{"' + "a" * 1_000_000, "json"),
    "commas": ("{" + "," * 500_000 + "}", "json"),
    "open tags": ("<div itemscope>" * 4_000, "html"),
    "attributes": ("<p " + "a=b " * 200_000 + ">", "html"),
    "unclosed quote": ('<p a="' + "<" * 900_000, "html"),
    "comments": ("<!-- " * 200_000, "html"),
    "bodies": ("<body a b c>" * 80_000, "html"),
    "RDFa in RDFa": ("<div vocab='https://schema.org/' prefix='a: b' typeof=Person rel=knows>" * 2_000, "html"),
    "words of property": (f"<div vocab='https://schema.org/' typeof=Person><p property='{'name ' * 20_000}'>x", "html"),
    "words of prefix": (f"<div prefix='{'a: b ' * 50_000}' typeof='a:c'><p property='a:d'>x", "html"),
    "RDFa without items": ("<p typeof=Person property=name>x</p>" * 5_000, "html"),
}


def _parity() -> Any:
    spec = importlib.util.spec_from_file_location("parity", ROOT / "benchmarks" / "parity.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["parity"] = module
    spec.loader.exec_module(module)
    return module


PARITY = _parity()


@pytest.fixture(scope="module")
def engine(browser: Any) -> Iterator[Any]:
    with PARITY.opened(browser, REGISTRY) as made:
        yield made


@pytest.fixture(scope="module")
def answers(engine: Any) -> list[tuple[Any, Any]]:
    """Each shared case, with the answer of the browser's engine about it."""
    samples = list(PARITY.cases())
    parts = (samples[start : start + 50] for start in range(0, len(samples), 50))
    return [pair for part in parts for pair in zip(part, engine.answers(part), strict=True)]


def test_both_engines_agree_on_every_shared_case(answers: list[tuple[Any, Any]]) -> None:
    found = [
        difference
        for sample, answer in answers
        for difference in PARITY.differences(sample, PARITY.python_answer(sample, REGISTRY), answer)
    ]

    assert answers
    assert not found, "\n".join(map(str, found[:5]))


def test_the_number_on_the_front_page_is_of_compared_cases(answers: list[tuple[Any, Any]]) -> None:
    compared = {sample.name for sample, _ in answers}

    assert set(compared_cases(ROOT / "tests" / "cases")) <= compared


def test_the_engine_reports_the_expected_findings_of_each_case(engine: Any, answers: list[tuple[Any, Any]]) -> None:
    about_rules = [(sample, answer) for sample, answer in answers if sample.name.startswith("rules/")]
    empty = engine.page.evaluate("() => engine.validate({text: '{}', media: 'json'})")
    missing = {rule["name"] for rule in empty["not_checked"]}

    assert about_rules
    for sample, answer in about_rules:
        findings = [json.loads(finding) for finding in answer.findings]
        path = PARITY.CASES / sample.name
        expected = json.loads((path.parent / "expected.json").read_text("utf-8"))[path.name]
        found = [
            f"{finding['severity']} {finding['rule']} {finding['line']}:{finding['column']} {finding['message']}"
            for finding in findings
        ]
        assert found == [line for line in expected if line.split(" ")[1] not in missing], sample.name


def test_both_engines_name_the_same_main_item(engine: Any) -> None:
    books = catalogue_of(REGISTRY)
    for path in sorted([*PARITY.CASES.glob("visits/*.html"), *PARITY.CASES.glob("main/*.html")]):
        read = read_page(path.read_bytes(), REGISTRY.vocabulary)
        node = main_node(read, books)
        assert node is not None
        expected = [node.block.syntax, node.block.index, node.block.pointer(node)]
        script = "text => engine.part('reading').mainPlace(engine.read(text))"
        assert engine.page.evaluate(script, path.read_text("utf-8")) == expected, path.name


def test_both_engines_agree_on_made_documents(engine: Any) -> None:
    found = PARITY.compared(list(PARITY.Maker(REGISTRY, seed=5).samples(MADE)), engine, REGISTRY)

    assert not found, "\n".join(map(str, found[:5]))


def test_both_engines_read_made_rdfa_equally(engine: Any) -> None:
    found = PARITY.compared(list(PARITY.Maker(REGISTRY, seed=6).rdfa_samples(MADE // 3)), engine, REGISTRY)

    assert not found, "\n".join(map(str, found[:5]))


WRITTEN_ALIKE = {
    "zero below zero": '{"@context": "https://schema.org", "@type": "ItemList", "numberOfItems": -0, '
    '"itemListElement": [{"@type": "Thing", "name": "x"}]}',
    "one type that reads as two": '<script type="application/ld+json">{"@context": "https://schema.org", '
    '"@type": "Recipe, Article"}</script><p itemscope itemtype="https://schema.org/Recipe, https://schema.org/Article">'
    '<b itemprop="headline">x</b></p>',
}


@pytest.mark.parametrize("text", WRITTEN_ALIKE.values(), ids=WRITTEN_ALIKE)
def test_both_engines_distinguish_what_is_written_alike(engine: Any, text: str) -> None:
    media = "html" if text.startswith("<") else "json"
    sample = PARITY.Sample("written alike", text, media)

    assert not PARITY.compared([sample], engine, REGISTRY)
    assert engine.answers([sample])[0].findings


@pytest.mark.parametrize("change", ["drop", "move"])
def test_a_difference_between_the_engines_is_noticed(engine: Any, change: str) -> None:
    samples = [sample for sample in PARITY.cases() if sample.name.startswith("rules/price-negative/bad")]

    assert PARITY.compared(samples, engine, REGISTRY, change=change)


def test_rule_that_is_broken_on_one_side_is_noticed(browser: Any) -> None:
    """The browser forgets a type; what is of that type is then unknown to it alone."""
    samples = [sample for sample in PARITY.cases() if sample.name == "snippets/RecipeSnippet/input.json"]
    with PARITY.opened(browser, REGISTRY) as engine:
        assert not PARITY.compared(samples, engine, REGISTRY)

        engine.page.evaluate("() => engine.vocabulary.types.delete('Recipe')")

        assert PARITY.compared(samples, engine, REGISTRY)


@pytest.mark.parametrize(
    "folder", sorted(path.parent.name for path in (PARITY.CASES / "snippets").glob("*/expected.json"))
)
def test_a_document_of_the_model_gets_the_same_card(engine: Any, folder: str) -> None:
    written = (PARITY.CASES / "snippets" / folder / "input.json").read_bytes()
    document = make_snippet(written, REGISTRY, url=PARITY.URL, now=PARITY.NOW).unified

    card = engine.page.evaluate(
        "([document, now]) => engine.preview({document, now}).snippet", [document, PARITY.NOW.isoformat()]
    )

    expected = make_snippet(document, REGISTRY, now=PARITY.NOW).snippet
    assert card == json.loads(msgspec.json.encode(expected))


def test_each_field_of_a_preview_names_its_source(engine: Any) -> None:
    text = '{"@context": "https://schema.org", "@type": "Recipe", "name": "𝒳 soup", "cookTime": "PT5M"}'

    origins = engine.page.evaluate("(markup) => engine.preview({markup, media: 'json'}).origins", text)

    place = origins["name"][0]
    units = text.encode("utf-16-le")
    assert place["pointer"] == "/name"
    assert units[place["from"] * 2 : place["to"] * 2].decode("utf-16-le") == '"𝒳 soup"'
    assert text.encode()[place["start"] : place["end"]].decode() == '"𝒳 soup"'


def test_every_rule_is_checked_or_named_as_not_checked(engine: Any) -> None:
    named = engine.page.evaluate(
        "() => engine.validate({text: '{}', media: 'json'}).not_checked.map((each) => each.name)"
    )
    found = set()
    for sample in PARITY.cases():
        rule = sample.name.split("/")[1]
        if sample.name.startswith("rules/") and "/bad-" in sample.name and rule not in named:
            found.add(rule)

    assert "fetching a URL" in named
    assert set(named) - {"fetching a URL"} <= set(rules_by_name())
    assert found | set(named) >= set(rules_by_name())


@pytest.mark.parametrize("kind", HOSTILE)
def test_slow_text_is_read_completely_and_checked_alike(engine: Any, kind: str) -> None:
    text, media = HOSTILE[kind]

    found = PARITY.compared([PARITY.Sample(kind, text, media)], engine, REGISTRY)

    assert not found, str(found[0])[:2000]


def test_page_with_too_many_open_elements_is_reported_unread(engine: Any) -> None:
    """The browser's own parser looks through all of them at each further tag."""
    page = "<div itemscope>" * 60_000

    findings = engine.page.evaluate("(text) => engine.validate({text, media: 'html'}).files[0].findings", page)

    assert [each["rule"] for each in findings] == ["html-too-deep"]


def test_a_checked_page_neither_runs_nor_logs(engine: Any) -> None:
    page = (
        "<!doctype html><base href='https://elsewhere.test/'><meta http-equiv=refresh content='0;url=https://elsewhere.test/'>"
        "<style>body { color: red }</style><body style='color: red' onload='window.ran = 1' onclick=x>"
        "<svg><style>a {}</style><script>window.ran = 1</script></svg><img src=x onerror='window.ran = 1'>"
        "<script>window.ran = 1</script><iframe srcdoc='<script>parent.ran = 1</script>'></iframe>"
    )

    ran = engine.page.evaluate("(text) => { engine.validate({text, media: 'html'}); return window.ran; }", page)

    assert ran is None
    assert engine.complaints == []


def test_the_engine_shows_the_digest_of_the_registry(engine: Any) -> None:
    assert engine.page.evaluate("() => engine.version") == REGISTRY.version


def test_both_engines_agree_on_a_companys_requirements(browser: Any) -> None:
    own = ROOT / "examples" / "own-rules" / "src" / "acme_rules"
    files = (read_profile(own / "product.json"), *read_checks(own / "checks"))
    registry = REGISTRY.extended(files, ())
    samples = [
        sample._replace(profiles=("acme/product",)) for sample in PARITY.cases() if '"Product"' in sample.text
    ][:60]  # fmt: skip

    with PARITY.opened(browser, registry) as engine:
        answers = engine.answers(samples)
        found = [
            difference
            for sample, answer in zip(samples, answers, strict=True)
            for difference in PARITY.differences(sample, PARITY.python_answer(sample, registry), answer)
        ]

    assert any('"acme/product"' in finding for answer in answers for finding in answer.findings)
    assert not found, "\n".join(map(str, found[:5]))
