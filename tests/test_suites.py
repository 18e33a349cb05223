"""Public suites of pages and files: what is expected of each, except for the names in tests/cases/suites.json.

The suites are read from a folder next to the checkout, and the tests are skipped where it is absent. An exception
has a reason, and the test fails where the exception is no longer needed: the list may only shrink.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from waypost.models.page import Node, Page, Value
from waypost.reader import read_data, read_page
from waypost.registry import load
from waypost.validate import validate_parsed

ROOT = Path(__file__).parents[1]
VECTORS = ROOT.parent / "shared" / "vectors"
EXAMPLES = ROOT.parent / "shared" / "eval" / "schemaorg-examples"
EXCEPTIONS: dict[str, dict[str, str]] = json.loads((ROOT / "tests/cases/suites.json").read_text("utf-8"))
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
SCHEMA = "https://schema.org/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFA_TESTS = "http://rdfa.info/test-suite/test-cases/"
MICRODATA_TESTS = "http://w3c.github.io/microdata-rdf/tests/"
NOT_DATA = ("http://www.w3.org/ns/rdfa#usesVocabulary", "http://www.w3.org/1999/xhtml/vocab#role")

Results = dict[str, str]  # name of a case -> how it differs from what is expected, "" where it does not


def google_samples() -> Results:
    folder = needed(VECTORS / "google-samples")
    true_errors = json.loads((folder / "true-errors.json").read_text("utf-8"))
    results = {}
    for entry in json.loads((folder / "index.json").read_text("utf-8")):
        name = entry["file"]
        page = read_page((folder / name).read_bytes(), REGISTRY.vocabulary, path=name)
        found = [each for each in validate_parsed(page, REGISTRY, now=NOW).findings if each.severity == "error"]
        messages = [each.message for each in found if each.rule not in true_errors.get(name, ())]
        results[name] = "; ".join(messages) or ("" if page.roots else "no item is read")
    return results


def schema_org_examples() -> Results:
    """Examples of the vocabulary owe no rich result anything: errors of profiles do not count."""
    spec = importlib.util.spec_from_file_location("examples_sets", ROOT / "benchmarks" / "examples_sets.py")
    assert spec is not None
    assert spec.loader is not None
    sets: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sets)
    results = {}
    for example in sets.examples(needed(EXAMPLES)):
        for syntax, markup in example.parts.items():
            page = read_page(markup.encode(), REGISTRY.vocabulary, url=sets.URL)
            found = validate_parsed(page, REGISTRY, now=NOW).findings
            messages = [each.message for each in found if each.severity == "error" and each.profile is None]
            difference = "; ".join(messages) or ("" if page.roots else "no item is read")
            results[f"{example.name} {syntax}"] = difference
    return results


def json_parsing() -> Results:
    results: Results = {}
    for file in sorted(needed(VECTORS / "json-parsing" / "test_parsing").glob("[yn]_*.json")):
        raw = file.read_bytes()
        script = b'<!doctype html><meta charset=utf-8><script type="application/ld+json">' + raw + b"</script>"
        for page in (read_data(raw, REGISTRY.vocabulary), read_page(script, REGISTRY.vocabulary)):
            found = validate_parsed(page, REGISTRY, now=NOW).findings
            is_reported = any(each.rule.startswith(("json-", "html-")) and each.severity != "info" for each in found)
            is_expected = is_reported is file.name.startswith("n_")
            difference = "" if is_expected else "reported" if is_reported else "not reported"
            results[file.name] = results.get(file.name) or difference
    return results


def rdfa_lite() -> Results:
    return rdfa("rdfa1.1-lite")


def rdfa_core() -> Results:
    return rdfa("rdfa1.1")


def rdfa(version: str) -> Results:
    """Tests for HTML5 whose subjects all have a type: others cannot be nodes."""
    rdflib = pytest.importorskip("rdflib")
    folder = needed(VECTORS / "rdfa")
    results = {}
    for test in json.loads((folder / "manifest.jsonld").read_text("utf-8"))["@graph"]:
        if version not in test["versions"] or "html5" not in test["hostLanguages"]:
            continue
        path = f"{version}/html5/{test['num']}.html"
        page = folder / "test-cases" / path
        if "graph" in test["description"] and "processor" in test.get("queryParam", "") + test["description"]:
            continue  # messages of the processor, no data
        if not page.exists() or not page.with_suffix(".ttl").exists():
            continue
        expected = expected_graph(page.with_suffix(".ttl"), RDFA_TESTS + path)
        typed = set(expected.subjects(rdflib.RDF.type))
        if typed and set(expected.subjects()) <= typed:
            read = read_page(page.read_bytes(), REGISTRY.vocabulary, url=RDFA_TESTS + path, syntaxes=["rdfa"])
            results[test["num"]] = difference_of(expected, graph_of(read))
    return results


def microdata_to_rdf() -> Results:
    pytest.importorskip("rdflib")
    results = {}
    for page in sorted(needed(VECTORS / "microdata-rdf").glob("*.html")):
        if page.with_suffix(".ttl").exists():
            url = MICRODATA_TESTS + page.name
            read = read_page(page.read_bytes(), REGISTRY.vocabulary, url=url, syntaxes=["microdata"])
            results[page.stem] = difference_of(expected_graph(page.with_suffix(".ttl"), url), graph_of(read))
    return results


SUITES: dict[str, Callable[[], Results]] = {
    "google-samples": google_samples,
    "schema-org-examples": schema_org_examples,
    "json-parsing": json_parsing,
    "rdfa-lite": rdfa_lite,
    "rdfa-core": rdfa_core,
    "microdata-to-rdf": microdata_to_rdf,
}


CASES = {
    "google-samples": 123,
    "schema-org-examples": 871,
    "json-parsing": 283,
    "rdfa-lite": 15,
    "rdfa-core": 25,
    "microdata-to-rdf": 83,
}


def needed(folder: Path) -> Path:
    if not folder.exists():
        pytest.skip(f"{folder.name} is not next to the checkout")
    return folder


# A node's text stands for literals and addresses alike, so that objects are compared as text, without datatypes.


def term(name: str) -> Any:
    import rdflib

    return rdflib.URIRef(name.replace("http://schema.org/", SCHEMA, 1) if ":" in name else SCHEMA + name)


def text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    written = format(value, "f") if isinstance(value, Decimal) else " ".join(str(value).split())
    return written.replace("http://schema.org/", SCHEMA, 1)


def collapsed(graph: Any) -> Any:
    """Triples of data with objects as text, unless they are subjects."""
    import rdflib

    subjects = set(graph.subjects())
    found = rdflib.Graph()
    for subject, predicate, value in graph:
        if str(predicate) in NOT_DATA:
            continue
        if str(predicate) == TYPE:
            value = term(str(value))
        elif isinstance(value, rdflib.Literal) or (isinstance(value, rdflib.URIRef) and value not in subjects):
            value = rdflib.Literal(text(value))
        found.add((subject, term(str(predicate)), value))
    return found


def expected_graph(file: Path, url: str) -> Any:
    import rdflib

    try:
        return collapsed(rdflib.Graph().parse(data=file.read_text("utf-8"), format="turtle", publicID=url))
    except SyntaxError:  # an address that RDFa accepts and Turtle does not
        return rdflib.Graph()


def graph_of(page: Page) -> Any:
    import rdflib

    names: dict[Node, Any] = {}

    def name(node: Node) -> Any:
        head = node.same_as or node
        is_blank = head.id is None or head.id.startswith("_:")
        return names.setdefault(head, rdflib.BNode() if is_blank else rdflib.URIRef(head.id or ""))

    def objects(values: list[Value]) -> Iterator[Any]:
        for value in values:
            if value is not None:
                yield name(value) if isinstance(value, Node) else rdflib.Literal(text(value))

    graph = rdflib.Graph()
    for node in page.nodes:
        if node.same_as is None and not node.reference:
            for kind in node.types:
                graph.add((name(node), rdflib.RDF.type, term(kind)))
            for prop, values in node.props.items():
                for value in objects(values):
                    graph.add((name(node), term(prop), value))
    return collapsed(graph)


def difference_of(expected: Any, found: Any) -> str:
    """First triples that are missing (-) or too much (+), with `_` for blank nodes; "" for equal graphs."""
    from rdflib.compare import isomorphic

    if len(expected) == len(found) and isomorphic(expected, found):
        return ""

    def lines(graph: Any) -> set[str]:
        return {re.sub(r"\b[Nn][0-9a-f]{32}\b", "_", " ".join(map(str, triple))) for triple in graph}

    missing, extra = lines(expected) - lines(found), lines(found) - lines(expected)
    return "; ".join([f"- {line}" for line in sorted(missing)] + [f"+ {line}" for line in sorted(extra)])[:400] or "?"


@pytest.mark.parametrize("suite", SUITES)
def test_a_public_suite_passes_except_for_known_cases(suite: str) -> None:
    results, known = SUITES[suite](), EXCEPTIONS[suite]
    failures = {name: difference for name, difference in results.items() if difference}

    assert len(results) >= CASES[suite]
    assert {name: what for name, what in failures.items() if name not in known} == {}
    assert sorted(set(known) - set(failures)) == [], "these pass now: remove them from tests/cases/suites.json"


def test_each_exception_has_a_suite_and_a_reason() -> None:
    assert set(EXCEPTIONS) == set(SUITES)
    assert all(reason.strip() for known in EXCEPTIONS.values() for reason in known.values())
