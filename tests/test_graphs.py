"""Graphs of shops and content systems: what each node gets, next to what Google documents.

The graphs are built after the public code of Yoast SEO, Rank Math, AIOSEO, SEOPress, Slim SEO, WooCommerce and The
Events Calendar, read 2026-11-28, and after descriptions of what Shopify and Wix write, with invented values.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from waypost.models.finding import NodeVerdict
from waypost.registry import load
from waypost.report import View
from waypost.report._causes import verdict_lines, verdicts
from waypost.validate import validate_page

REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CASES = Path(__file__).parent / "cases" / "graphs"
EXPECTED: dict[str, list[dict[str, Any]]] = json.loads((CASES / "expected.json").read_bytes())


def row(verdict: NodeVerdict) -> dict[str, Any]:
    name = f" {verdict.name!r}" if verdict.name else ""
    made = {
        "node": " ".join(verdict.types) + name,
        "line": verdict.line,
        "via": verdict.via,
        "eligible": list(verdict.eligible),
        "not_eligible": {each.profile: each.why for each in verdict.not_eligible},
        "retired": list(verdict.retired),
        "lapsed": [each.text for each in verdict.lapsed],
    }
    return {key: value for key, value in made.items() if value or key == "eligible"}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_node_of_the_graph_gets_what_google_documents(name: str) -> None:
    file = validate_page((CASES / f"{name}.html").read_bytes(), REGISTRY, path=f"{name}.html", now=NOW)
    lines = "\n".join(verdict_lines(verdicts(file, View())))

    expected = [{key: value for key, value in each.items() if key != "documented"} for each in EXPECTED[name]]
    assert [row(verdict) for verdict in file.verdicts] == expected
    for verdict in file.verdicts:
        if verdict.eligible or any(each.severity == "error" for each in verdict.not_eligible):
            assert f"{verdict.types[0]}" in lines


def test_every_graph_has_its_table() -> None:
    assert {path.stem for path in CASES.glob("*.html")} == set(EXPECTED)
