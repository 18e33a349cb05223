"""Cards say what is there: prices with their stock, dates in words, placeholders named; the same in both engines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.models.snippet import Snippet
from waypost.pages.bundle import scripts
from waypost.pages.card_gaps import cards, gaps_of, slots_of
from waypost.pages.modules import joined
from waypost.preview import make_snippet
from waypost.registry import load
from waypost.report.card import draw
from waypost.validate import validate_data

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()


def thing(kind: str, **members: Any) -> dict[str, Any]:
    return {"@context": "https://schema.org", "@type": kind, **members}


def offer(price: Any = None, stock: str = "", **members: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"@type": "Offer", "priceCurrency": "EUR", **members}
    if price is not None:
        made["price"] = price
    return made | ({"availability": f"https://schema.org/{stock}"} if stock else {})


def product(*offers: Any, **members: Any) -> dict[str, Any]:
    return thing("Product", name="Pot", offers=list(offers), **members)


def rated(**rating: Any) -> dict[str, Any]:
    return thing("Product", name="Pot", aggregateRating={"@type": "AggregateRating", "ratingCount": 3, **rating})


def event(start: str, end: str = "", **members: Any) -> dict[str, Any]:
    return thing("Event", name="F", startDate=start, **({"endDate": end} if end else {}), **members)


def line(price: str, **members: Any) -> dict[str, Any]:
    return {"@type": "UnitPriceSpecification", "price": price, "priceCurrency": "EUR", **members}


PRICES: list[tuple[Any, str | None]] = [
    (product(offer("64.90", "OutOfStock")), "€64.90 · Out of stock"),
    (product(offer("64.90", "SoldOut")), "€64.90 · Sold out"),
    (product(offer("64.90", "Discontinued")), "€64.90 · Discontinued"),
    (product(offer("64.90", "Reserved")), "€64.90 · Reserved"),
    (product(offer("64.90", "PreOrder")), "€64.90 · Pre-order"),
    (product(offer("64.90", "BackOrder")), "€64.90 · Back order"),
    (product(offer("64.90", "PreSale")), "€64.90 · Pre-sale"),
    (product(offer("64.90", "InStock")), "€64.90"),
    (product(offer("64.90")), "€64.90"),
    (product(offer("8", "OutOfStock"), offer("12", "InStock")), "€12"),
    (product(offer("8", "OutOfStock"), offer("10", "PreOrder")), "€10 · Pre-order"),
    (product(offer("8", "SoldOut"), offer("10", "SoldOut")), "€8 – €10 · Sold out"),
    (product(offer(None, "OutOfStock")), None),
    (product({"@type": "Offer", "price": "12"}), "12 · currency not given"),
    (product({"@type": "AggregateOffer", "lowPrice": "10", "priceCurrency": "USD"}), "From $10"),
    (product({"@type": "AggregateOffer", "highPrice": "30", "priceCurrency": "USD"}), "Up to $30"),
    (product({"@type": "AggregateOffer", "lowPrice": 10, "highPrice": 30, "priceCurrency": "USD"}), "$10 – $30"),
    (product({"@type": "AggregateOffer", "lowPrice": 10, "highPrice": 10, "priceCurrency": "USD"}), "$10"),
    (product(offer(0)), "Free"),
    (product({"@type": "Offer", "price": "0.00"}), "Free"),
    (product(offer(0), offer("9.50")), "Free – €9.50"),
    (product(offer("Price: 12 EUR")), None),
    (product(offer("{{ price }}")), None),
    (product(offer("64.90", priceValidUntil="2025-01-01")), "€64.90 · expired on 1 January 2025"),
    (product(offer("64.90", priceValidUntil="2027-01-01")), "€64.90"),
    (product(offer("5", priceValidUntil="2025-01-01"), offer("6")), "€5 – €6"),
    (event("2027-05-01", offers=offer("30", "InStock", validFrom="2027-01-01T10:00")), "€30 · from 1 January 2027"),
    (
        event("2027-05-01", offers=offer("30", "SoldOut", validThrough="2026-11-01")),
        "€30 · Sold out · expired on 1 November 2026",
    ),
    (
        product(offer(None, priceSpecification=[line("79", priceType="https://schema.org/ListPrice"), line("64.90")])),
        "€64.90",
    ),
    (product(offer("1250000", priceCurrency="JPY")), "¥1,250,000"),
]
FACTS: list[tuple[Any, str, str | None]] = [
    (product(offer("8", "OutOfStock"), offer("12", "InStock")), "Availability", "In stock"),
    (product(offer("8", "OutOfStock"), offer("12")), "Availability", None),
    (product(offer("8", "OutOfStock"), offer("9", "BackOrder")), "Availability", "Back order"),
    (
        product(offer("64.90", priceSpecification=[line("79", priceType="https://schema.org/StrikethroughPrice")])),
        "List price",
        "€79",
    ),
    (product(offer("64.90", priceSpecification=[line("79", priceType="ListPrice")])), "List price", "€79"),
    (
        product(
            offer(
                "64.90",
                priceSpecification=[line("59", validForMemberTier={"@type": "MemberProgramTier", "name": "Gold"})],
            )
        ),
        "List price",
        None,
    ),
    (event("2026-12-12T19:30:00+01:00", "2026-12-12T22:00"), "When", "12 December 2026, 19:30 – 22:00"),
    (event("2026-12-12T19:30", "2026-12-14T12:00"), "When", "12 December 2026, 19:30 – 14 December 2026, 12:00"),
    (event("2026-12-12", "2026-12-14"), "When", "12 December 2026 – 14 December 2026"),
    (event("2026-12-12", "2026-12-12"), "When", "12 December 2026"),
    (event("2026-12-12", "soon"), "When", "12 December 2026"),
    (event("2026-12"), "When", "December 2026"),
    (event("2026"), "When", "2026"),
    (event("2026-02-31"), "When", None),
    (event("03/04/2026"), "When", None),
    (thing("JobPosting", title="Baker", validThrough="2026-12-31"), "Apply by", "31 December 2026"),
    (
        thing(
            "JobPosting",
            title="B",
            baseSalary={
                "@type": "MonetaryAmount",
                "currency": "USD",
                "value": {"@type": "QuantitativeValue", "minValue": 40000, "maxValue": 60000, "unitText": "YEAR"},
            },
        ),
        "Salary",
        "$40,000 – $60,000 per year",
    ),
    (thing("Recipe", name="Soup", prepTime="PT10M", cookTime="PT90M"), "Cooking", "1 h 30 min"),
    (thing("Recipe", name="Soup", prepTime="PT10M", totalTime="PT100M"), "Preparation", "10 min"),
    (thing("Recipe", name="Soup", totalTime="P1DT2H"), "Time", "1 d 2 h"),
    (thing("VideoObject", name="V", duration="PT3723S"), "Length", "1:02:03"),
    (thing("VideoObject", name="V", duration="PT59S"), "Length", "0:59"),
    (thing("QAPage", mainEntity={"@type": "Question", "name": "Why?", "answerCount": 0}), "Answers", "0"),
]
DATES: list[tuple[Any, str | None]] = [
    (thing("Article", headline="A", datePublished="2026-05-04T10:00:00Z"), "2026-05-04T10:00:00Z"),
    (thing("Article", headline="A", datePublished="03/04/2026"), None),
    (thing("Article", headline="A", datePublished="2026-02-31"), None),
    (thing("Article", headline="A", datePublished="{{ date }}"), None),
]
BADGES: list[tuple[Any, list[str]]] = [
    (event("2019-05-01T19:00:00+02:00"), ["Over"]),
    (event("2026-11-19", "2026-11-21"), []),
    (event("2026-11-01", "2026-11-02"), ["Over"]),
    (event("2026-11-20"), []),
    (event("2027-05-01"), []),
    (event("2019-05-01", eventStatus="https://schema.org/EventCancelled"), ["Cancelled", "Over"]),
    (thing("JobPosting", title="Baker", validThrough="2026-01-01"), ["Closed"]),
    (thing("JobPosting", title="Baker", validThrough="2027-01-01"), []),
    (thing("VideoObject", name="V", expires="2026-01-01"), ["Expired"]),
]
STARS: list[tuple[Any, str, str]] = [
    (rated(ratingValue=4.6), "★★★★½", "4.6/5 (3)"),
    (rated(ratingValue=4.75), "★★★★★", "4.75/5 (3)"),
    (rated(ratingValue=4.2), "★★★★☆", "4.2/5 (3)"),
    (rated(ratingValue=8.5, bestRating=10), "★★★★½", "8.5/10 (3)"),
    (rated(ratingValue=85, bestRating=100), "★★★★½", "85/100 (3)"),
    (rated(ratingValue="70%"), "★★★★☆", "70/100 (3)"),
    (rated(ratingValue=1), "★☆☆☆☆", "1/5 (3)"),
]
PICTURE = "https://www.example.com/pot.jpg"
PLACEHOLDER = "a placeholder that was never filled in"
REMARKS: list[tuple[Any, list[tuple[str, str]]]] = [
    (thing("Article", headline="{{ page.title }}"), [("title", PLACEHOLDER)]),
    (thing("Article", headline="<%= title %> - Shop"), [("title", PLACEHOLDER)]),
    (thing("Article", headline="%title%"), [("title", PLACEHOLDER)]),
    (thing("Article", headline="A", description="undefined"), [("description", PLACEHOLDER)]),
    (thing("Article", headline="A", description="[object Object]"), [("description", PLACEHOLDER)]),
    (thing("Article", headline="A", author="NaN"), [("byline", PLACEHOLDER)]),
    (thing("Article", headline="A", author=["Ann", "By: Bob"]), [("byline", "begins with the label “By:”")]),
    (thing("Article", headline="A", author="Posted by Ann"), [("byline", "begins with the label “Posted by”")]),
    (thing("Article", headline="A", author="Author: Ann"), [("byline", "begins with the label “Author:”")]),
    (thing("Article", headline="A", author="Byron"), []),
    (thing("Article", headline="Title: A"), [("title", "begins with the label “Title:”")]),
    (thing("Article", headline="Leeds: a city guide"), []),
    (
        thing("Article", headline="A", publisher={"@type": "Organization", "name": "${site.name}"}),
        [("site_name", PLACEHOLDER)],
    ),
    (product(offer("5", priceCurrency="{{ currency }}")), [("price", PLACEHOLDER)]),
    (thing("Product", name="Pot", brand="Brand: Loma"), [("facts/brand", "begins with the label “Brand:”")]),
    (
        thing("JobPosting", title="Baker", hiringOrganization={"@type": "Organization", "name": "%company%"}),
        [("facts/hiringOrganization", PLACEHOLDER)],
    ),
    (
        thing(
            "LocalBusiness",
            name="K",
            address={"@type": "PostalAddress", "streetAddress": "undefined", "addressLocality": "Leeds"},
        ),
        [("facts/location", PLACEHOLDER)],
    ),
    (thing("QAPage", mainEntity={"@type": "Question", "name": "What does {{ x }} mean in Jinja?"}), []),
    (thing("QAPage", mainEntity={"@type": "Question", "name": "{{ question }}"}), [("title", PLACEHOLDER)]),
    (thing("Article", headline="A", description=f"How {{{{ x }}}} works. {'word ' * 60}"), []),
]
ALL = [each[0] for table in (PRICES, FACTS, DATES, BADGES, STARS, REMARKS) for each in table]


@cache
def card(markup: str) -> Snippet:
    return make_snippet(markup.encode(), REGISTRY, now=NOW).snippet


def card_of(document: Any) -> Snippet:
    return card(json.dumps(document))


@pytest.mark.parametrize(("document", "text"), PRICES)
def test_a_price_has_the_reasons_against_paying_it(document: Any, text: str | None) -> None:
    price = card_of(document).price

    assert (price and price.text) == text


@pytest.mark.parametrize(("document", "label", "text"), FACTS)
def test_a_fact_is_written_in_words(document: Any, label: str, text: str | None) -> None:
    facts = {fact.label: fact.value for fact in card_of(document).facts}

    assert facts.get(label) == text


@pytest.mark.parametrize(("document", "date"), DATES)
def test_only_a_day_of_the_calendar_is_a_date(document: Any, date: str | None) -> None:
    assert card_of(document).date == date


@pytest.mark.parametrize(("document", "badges"), BADGES)
def test_what_is_over_has_a_badge(document: Any, badges: list[str]) -> None:
    assert list(card_of(document).badges) == badges


@pytest.mark.parametrize(("document", "stars", "text"), STARS)
def test_a_rating_has_half_stars_in_its_scale(document: Any, stars: str, text: str) -> None:
    assert f"│ {stars} {text} " in draw(card_of(document))


@pytest.mark.parametrize(("document", "remarks"), REMARKS)
def test_placeholders_and_labels_inside_values_are_named(document: Any, remarks: list[tuple[str, str]]) -> None:
    made = card_of(document)

    assert [(each.slot, each.text) for each in made.remarks] == remarks
    drawn = " ".join(re.sub(r"[│\s]+", " ", draw(made)).split())
    assert all(f"[{text}]" in drawn for _, text in remarks)


def test_day_and_a_stock_stand_once_on_a_terminal() -> None:
    sold, concert = draw(card_of(product(offer("64.90", "SoldOut")))), draw(card_of(event("2026-12-12T19:30")))

    assert sold.count("Sold out") == 1
    assert concert.count("12 December 2026") == 1
    assert "2026-12-12" not in concert


def test_a_page_without_an_address_gets_none() -> None:
    made = make_snippet(json.dumps(thing("Article", headline="A")).encode(), REGISTRY, now=NOW)

    assert (made.snippet.url, made.snippet.display_url, made.snippet.site_name) == (None, None, None)
    assert "about:" not in draw(made.snippet)


GAPS: list[tuple[Any, dict[str, str]]] = [
    (
        product(offer("Price: 12 EUR"), image=PICTURE),
        {"price": "No valid price: 'Price: 12 EUR' is not a plain number"},
    ),
    (product(offer("{{ price }}"), image=PICTURE), {"price": "No valid price: "}),
    (product(offer("call us"), image=PICTURE), {"price": "No valid price: 'call us' is not a plain number"}),
    (product(offer("5")), {"image": "No picture: not eligible for merchant listing results: "}),
    (
        thing("Product", name="Pot", image="[object Object]", offers=offer("5", "InStock")),
        {"image": "No valid picture: '[object Object]' is a placeholder"},
    ),
    (rated(ratingValue="4,5"), {"rating": "No valid rating: '4,5' is not a number"}),
    (rated(ratingValue=7), {"rating": "No valid rating: "}),
    (
        thing(
            "Product",
            name="Pot",
            review={"@type": "Review", "author": "Ann", "reviewRating": {"@type": "Rating", "ratingValue": "good"}},
        ),
        {},
    ),
    (
        thing("Article", headline="A", datePublished="03/04/2026"),
        {"date": "No valid date: '03/04/2026' is not an ISO 8601 date"},
    ),
    (thing("Article", headline="A", datePublished="2026-02-31"), {"date": "No valid date: "}),
    (thing("Article", headline="A"), {}),
    (thing("Recipe", name="Soup"), {"image": "No picture: image is missing"}),
    (event("tomorrow"), {"date": "No valid date: "}),
    (thing("VideoObject", name="V", uploadDate="2026-05-01T10:00:00Z"), {"image": "No picture: "}),
    (product(offer("64.90", "OutOfStock"), image=PICTURE), {}),
]


@pytest.mark.parametrize(("document", "gaps"), GAPS)
def test_a_gap_comes_from_a_finding_only(document: Any, gaps: dict[str, str]) -> None:
    made = card_of(document)
    findings = validate_data(json.dumps(document).encode(), REGISTRY, now=NOW).findings

    found = gaps_of(REGISTRY.mappings[made.service_type], msgspec.to_builtins(made), findings, cards())

    assert found.keys() == gaps.keys()
    assert all(found[slot].startswith(words) for slot, words in gaps.items()), found


CARDS = """
const fs = require("fs");
const [folder, parts, texts] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const made = texts.map((markup) => engine.preview({ markup, media: "json", now: "2026-11-20T12:00:00Z" }).snippet);
process.stdout.write(JSON.stringify(made));
"""
GAPS_OF = """
const fs = require("fs");
const [script, cases] = [process.argv[2], JSON.parse(fs.readFileSync(0, "utf8"))];
globalThis.document = { querySelector: () => null };
const { gapsOf } = (0, eval)(`(()=>{${fs.readFileSync(script, "utf8")};return { gapsOf }})()`);
process.stdout.write(JSON.stringify(cases.map(([snippet, cards, findings]) => gapsOf(snippet, cards, findings))));
"""


def ran(folder: Path, program: str, *arguments: str, given: Any) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    (folder / "program.js").write_text(program, "utf-8")
    made = subprocess.run(
        [node, str(folder / "program.js"), *arguments],
        input=json.dumps(given), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-2000:]
    return json.loads(made.stdout)


def test_both_engines_make_the_same_cards(tmp_path: Path) -> None:
    parts = scripts(REGISTRY)
    for name, data in parts.items():
        (tmp_path / name).write_bytes(data)

    made = ran(tmp_path, CARDS, str(tmp_path), json.dumps(list(parts)), given=[json.dumps(each) for each in ALL])

    for document, other in zip(ALL, made, strict=True):
        assert other == json.loads(msgspec.json.encode(card_of(document))), document


def test_both_engines_find_the_same_gaps(tmp_path: Path) -> None:
    shared = cards() | {"drawn": {name: slots_of(each) for name, each in REGISTRY.mappings.items()}}
    given, expected = [], []
    for document, _ in GAPS:
        made = card_of(document)
        findings = validate_data(json.dumps(document).encode(), REGISTRY, now=NOW).findings
        builtin = msgspec.to_builtins(made)
        given.append([builtin, shared, [msgspec.to_builtins(each) for each in findings]])
        expected.append(gaps_of(REGISTRY.mappings[made.service_type], builtin, findings, cards()))

    script = tmp_path / "card.js"
    script.write_text(joined("workbench/card.js"), "utf-8")
    assert ran(tmp_path, GAPS_OF, str(script), given=given) == expected
