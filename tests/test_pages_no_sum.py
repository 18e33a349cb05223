"""No page, header or field sums a decision up in a number, a grade or a colour alone: a lint over what is served.

The templates have a lint of their own in test_pages_appearance.py; this one reads what comes of them, so that a
sentence from a data file, a field of the API or a header cannot do what a template may not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.test_pages_appearance import SUMMING_UP

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.contract import openapi
from waypost.contract.headers import page_headers
from waypost.registry import load

ROOT = Path(__file__).parent.parent
REGISTRY = load()
# Operations about snippets tell what people rated: that is the page's own word, and no decision.
ABOUT_DECISIONS = re.compile(
    r"(?:safety/|docs/agents/|api/(?!.*snippet)(?:check|decide|verify|find|show|look|list|read|dispute)[\w-]*/).*html"
)
MEASURES = re.compile(r'<(?:meter|progress)\b|role="(?:meter|progressbar)"|type="range"|<svg[^>]*class="[^"]*gauge')
SUMS = re.compile(
    r"\b(?:safety|trust|risk|threat|confidence|reputation)[ _-](?:score|rating|grade|index|level|percent\w*|points?)\b",
    re.IGNORECASE,
)
STATES = re.compile(r'<(\w+)[^>]*\bclass="([^"]*\btag-(?:go|stop|heed|open|gone)\b[^"]*)"[^>]*>(.*?)</\1>', re.DOTALL)
VERDICT = re.compile(r'<div[^>]*\bclass="verdict[^"]*"[^>]*>.*?</h\d>', re.DOTALL)
# What a decision tells in numbers: when, how long and how many of what. Nothing else of it is one.
COUNTED = re.compile(r"(?:_s|_ms|_at|_days|_bytes|status|tier|position|count|limit|total|remaining|quota|version)$")
GIVEN_TO_AGENTS = ("decision", "kept-decision", "batch-answer", "official-answer", "domain-profile", "receipt-verdict",
                   "relationship", "search-answer")  # fmt: skip


def words_of(html: str) -> str:
    """What a reader of the main part is told: its text and the labels that are only heard."""
    main = html[html.index("<main") : html.rindex("</main>")]
    heard = " ".join(re.findall(r'(?:aria-label|title|alt|data-\w+|class)="([^"]*)"', main))
    return unescape(re.sub(r"<[^>]+>", " ", main)) + " " + heard


def of_decisions(name: str, html: str) -> list[str]:
    """How a page about decisions sums one up."""
    return [*SUMMING_UP.findall(words_of(html)), *of_any(name, html)]


def of_any(name: str, html: str) -> list[str]:
    """How any page would: a measure drawn or a sum named, a state without a word, a verdict without a shape."""
    found = [*MEASURES.findall(html), *SUMS.findall(unescape(re.sub(r"<[^>]+>", " ", html)))]
    found += [
        f"only a colour: {match[0]}" for match in STATES.finditer(html) if not re.search(r">[^<]*\w", f">{match[3]}")
    ]
    found += [f"no shape or no word: {match[0]}" for match in VERDICT.finditer(html)
              if "<svg" not in match[0] or not re.search(r"<h\d[^>]*>(?:<[^>]*>|[^<\w])*\w", match[0])]  # fmt: skip
    return found


def fields(schema: Any, at: str = "") -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every member of a schema: where, its name, what it may be."""
    if isinstance(schema, dict):
        for name, member in (schema.get("properties") or {}).items():
            yield at, name, member
        for name, part in schema.items():
            yield from fields(part, f"{at}/{name}")
    elif isinstance(schema, list):
        for part in schema:
            yield from fields(part, at)


def of_schema(schema: Any) -> list[str]:
    """The members that sum up: by their name, or as a number that counts and times nothing."""
    found = []
    for at, name, member in fields(schema):
        kinds = member.get("type", ()) if isinstance(member, dict) else ()
        number = bool({"number", "integer"} & {*([kinds] if isinstance(kinds, str) else kinds)})
        if SUMMING_UP.search(name.replace("_", " ")) or SUMS.search(name) or (number and not COUNTED.search(name)):
            found.append(f"{at}/{name}")
    return found


@pytest.fixture(scope="module")
def site(built_site: Path) -> dict[str, str]:
    return {path.relative_to(built_site).as_posix(): path.read_text("utf-8") for path in built_site.rglob("*.html")}


def test_no_page_about_decisions_sums_one_up(site: dict[str, str]) -> None:
    about = {name: html for name, html in site.items() if ABOUT_DECISIONS.fullmatch(name)}

    assert len(about) > 100
    assert {name: found for name, html in about.items() if (found := of_decisions(name, html))} == {}


def test_no_page_draws_a_measure_or_relies_on_colour(site: dict[str, str]) -> None:
    assert sum(len(STATES.findall(html)) for html in site.values()) > 200
    assert sum(len(VERDICT.findall(html)) for html in site.values()) > 20
    assert {name: found for name, html in site.items() if (found := of_any(name, html))} == {}


@pytest.mark.parametrize("name", GIVEN_TO_AGENTS)
def test_no_field_of_an_answer_sums_a_decision_up(name: str) -> None:
    schema = json.loads((ROOT / "schemas" / "api" / f"{name}.schema.json").read_text("utf-8"))

    assert list(fields(schema))
    assert of_schema(schema) == []


def test_no_header_sums_a_decision_up() -> None:
    described = openapi.expanded()
    answers = [answer for way in described["paths"].values() for reported in way.values() if isinstance(reported, dict)
               for answer in reported.get("responses", {}).values()]  # fmt: skip
    headers = {*page_headers(), *(name for answer in answers for name in answer.get("headers", {}))}

    assert len(headers) > 8
    assert [name for name in headers if SUMMING_UP.search(name.replace("-", " ")) or SUMS.search(name)] == []


PAGE = '<html><body><main id="main">{}</main></body></html>'


@pytest.mark.parametrize(
    "wrong",
    [
        "<p>Its safety score is high</p>",
        "<p>87 % safe</p>",
        "<p>Grade A</p>",
        "<p>A trust-level of three</p>",
        "<meter value=3></meter>",
        '<div role="progressbar"></div>',
        '<input type="range">',
        '<span class="gauge"></span>',
        '<span aria-label="rated high"></span>',
        '<span class="tag tag-stop"></span>',
        '<span class="tag tag-go"><svg></svg></span>',
        '<div class="verdict"><h2>Stop</h2>',
        '<div class="verdict"><svg></svg><h2></h2>',
    ],
)
def test_a_page_that_did_would_be_found(wrong: str) -> None:
    assert of_decisions("safety/index.html", PAGE.format(wrong))
    assert not of_decisions("safety/index.html", PAGE.format('<span class="tag tag-stop"><svg></svg>Stop</span>'))


@pytest.mark.parametrize(
    "member", [{"risk_score": {}}, {"grade": {}}, {"percent": {}}, {"weight": {"type": "number"}}, {"trust_level": {}}]
)
def test_a_field_that_did_would_be_found(member: dict[str, Any]) -> None:
    assert of_schema({"$defs": {"A": {"properties": member}}})
    assert not of_schema({"properties": {"valid_s": {"type": "integer"}, "reason_codes": {"type": "array"}}})
