"""Pages become unified documents and cards: the worked examples, in three syntaxes and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import msgspec
import pytest

from waypost.errors import NothingToShow
from waypost.models.snippet import Preview
from waypost.preview import make_snippet, to_markup, trace
from waypost.reader import read_page
from waypost.registry import Registry, load

CASES = Path(__file__).parent / "cases" / "snippets"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NAMES = sorted(case.name for case in CASES.iterdir())


@cache
def registry() -> Registry:
    return load()


def markup_of(name: str) -> Any:
    return json.loads((CASES / name / "input.json").read_text(encoding="utf-8"))


def expected_of(name: str) -> Any:
    return json.loads((CASES / name / "expected.json").read_text(encoding="utf-8"))


def plain(preview: Preview) -> Any:
    return msgspec.json.decode(msgspec.json.encode(preview))


def preview(source: Any, now: datetime = NOW) -> Any:
    return plain(make_snippet(source, registry(), now=now))


@pytest.mark.parametrize("name", NAMES)
def test_a_worked_example_becomes_its_document_and_its_card(name: str) -> None:
    data = (CASES / name / "input.json").read_bytes()

    assert preview(data) == expected_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_document_returns_to_equal_markup(name: str) -> None:
    unified = expected_of(name)["unified"]

    assert preview(to_markup(unified, registry()))["unified"] == unified


@pytest.mark.parametrize("name", NAMES)
def test_document_shows_as_the_page_it_was_made_from(name: str) -> None:
    expected = expected_of(name)

    rendered = preview(expected["unified"])

    assert rendered["unified"] == expected["unified"]
    assert rendered["snippet"] | {"status": "-"} == expected["snippet"] | {"status": "-"}


def things(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The top-level things of a JSON-LD document, with references by @id replaced by what they point to."""
    graph = document.get("@graph", [document])
    by_id = {thing["@id"]: thing for thing in graph if "@id" in thing}
    used: set[str] = set()

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"@id"} and value["@id"] in by_id:
            used.add(value["@id"])
            return filled(by_id[value["@id"]])
        return {key: filled(each) for key, each in value.items() if key != "@context"}

    done = [filled(thing) for thing in graph]
    return [thing for thing in done if thing.get("@id") not in used]


def types_of(thing: dict[str, Any]) -> list[str]:
    found = thing["@type"]
    return found if isinstance(found, list) else [found]


def scalar(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def members(thing: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for prop, values in thing.items():
        if not prop.startswith("@"):
            for value in values if isinstance(values, list) else [values]:
                yield prop, value


def microdata(thing: dict[str, Any], prop: str = "") -> str:
    types = " ".join(f"https://schema.org/{name}" for name in types_of(thing))
    own = f' itemid="{escape(thing["@id"])}"' if "@id" in thing else ""
    named = f' itemprop="{prop}"' if prop else ""
    inside = []
    for each, value in members(thing):
        if isinstance(value, dict):
            inside.append(microdata(value, each))
        elif str(value).startswith("https://"):
            inside.append(f'<link itemprop="{each}" href="{escape(value)}">')
        else:
            inside.append(f'<meta itemprop="{each}" content="{escape(scalar(value))}">')
    return f'<div{named} itemscope itemtype="{types}"{own}>{"".join(inside)}</div>'


def rdfa(thing: dict[str, Any], prop: str = "") -> str:
    own = f' resource="{escape(thing["@id"])}"' if "@id" in thing else ""
    named = f' property="{prop}"' if prop else ""
    inside = []
    for each, value in members(thing):
        if isinstance(value, dict):
            inside.append(rdfa(value, each))
        elif str(value).startswith("https://"):
            inside.append(f'<link property="{each}" href="{escape(value)}">')
        else:
            inside.append(f'<meta property="{each}" content="{escape(scalar(value))}">')
    return f'<div{named} typeof="{" ".join(types_of(thing))}"{own}>{"".join(inside)}</div>'


def page(body: str) -> bytes:
    return f"<!doctype html><title>x</title><body vocab='https://schema.org/'>{body}</body>".encode()


@pytest.mark.parametrize("write", [microdata, rdfa])
@pytest.mark.parametrize("name", NAMES)
def test_same_example_in_another_syntax_is_the_same_document(name: str, write: Any) -> None:
    body = "".join(write(thing) for thing in things(markup_of(name)))

    assert preview(page(body)) == expected_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_document_fits_both_of_its_schemas(name: str) -> None:
    expected = expected_of(name)
    schemas = registry()
    unified, own = schemas.unified, schemas.mappings[expected["service_type"]]

    jsonschema_rs.validator_for(unified, validate_formats=True).validate(expected["unified"])
    jsonschema.Draft202012Validator(unified).validate(expected["unified"])
    folder = "https://registry.example/"
    jsonschema_rs.validator_for(
        {**own, "$id": f"{folder}mappings/own.json"},
        registry=jsonschema_rs.Registry([(f"{folder}unified.schema.json", unified)]),
        validate_formats=True,
    ).validate(expected["unified"])


def test_a_retired_result_is_retired_from_its_day() -> None:
    faq = (CASES / "QASnippet-faq" / "input.json").read_bytes()

    eve = preview(faq, datetime(2026, 5, 6, 23, tzinfo=UTC))["snippet"]["status"]
    day = preview(faq, datetime(2026, 5, 7, tzinfo=UTC))["snippet"]["status"]

    assert (eve, day) == ("supported", "retired")


def test_a_person_without_a_profile_page_is_promised_nothing() -> None:
    person = {"@context": "https://schema.org", "@type": "Person", "name": "Mira Oldenburg"}

    assert preview(person)["snippet"]["status"] == "none"


def test_every_field_is_traced_to_where_it_was_written() -> None:
    html = page('<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop="name">Plum cake</h1></div>')
    read = read_page(html, registry().vocabulary)

    _, origins = trace(read, registry(), now=NOW)

    ((node, prop, index),) = origins["name"]
    span = read.span_of(node, prop, index)
    assert read.text[span.start : span.end] == "Plum cake"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<p>hello", "no structured data"),
        ('<div itemscope itemtype="https://schema.org/HowTo"></div>', "HowTo has no card"),
        ('<div itemscope itemtype="https://schema.org/Product"></div>', "the Product has no name"),
    ],
)
def test_nothing_to_show_has_a_reason(body: str, reason: str) -> None:
    with pytest.raises(NothingToShow, match=reason):
        preview(page(body))


def ld(**thing: Any) -> dict[str, Any]:
    return {"@context": "https://schema.org", **thing}


def test_a_price_stays_as_the_page_wrote_it() -> None:
    data = b'{"@context":"https://schema.org","@type":"Product","name":"Pot","offers":{"@type":"Offer","price":64.90,"priceCurrency":"EUR"}}'

    rendered = preview(data)

    assert rendered["unified"]["offers"][0]["price"] == "64.90"
    assert rendered["snippet"]["price"] == {"text": "€64.90", "low": "64.90", "high": "64.90", "currency": "EUR"}


def test_the_price_is_that_of_what_can_be_bought() -> None:
    offers = [
        {"@type": "Offer", "price": "10", "priceCurrency": "USD", "availability": "SoldOut"},
        {"@type": "Offer", "price": "1250.00", "priceCurrency": "USD", "availability": "http://schema.org/InStock"},
        {"@type": "Offer", "price": "30.5", "priceCurrency": "USD"},
    ]

    rendered = preview(ld(**{"@type": "Product"}, name="Pot", offers=offers))

    assert rendered["snippet"]["price"]["text"] == "$30.5 – $1,250.00"


def test_the_price_line_without_kind_is_paid() -> None:
    lines = [
        {"@type": "UnitPriceSpecification", "price": "12", "priceType": "https://schema.org/StrikethroughPrice"},
        {"@type": "UnitPriceSpecification", "price": "9", "priceCurrency": "EUR"},
    ]

    rendered = preview(ld(**{"@type": "Product"}, name="Pot", offers={"@type": "Offer", "priceSpecification": lines}))

    assert rendered["snippet"]["price"]["text"] == "€9"


@pytest.mark.parametrize(
    ("rating", "text", "stars"),
    [
        ({"ratingValue": "85%", "ratingCount": 3}, "85/100 (3)", 4.4),
        ({"ratingValue": "4/5", "reviewCount": 1200}, "4/5 (1,200)", 4),
        ({"ratingValue": 8.5, "bestRating": 10}, "8.5/10", 4.3),
        ({"ratingValue": "4.8421052631579", "ratingCount": 19}, "4.84211/5 (19)", 4.8),
    ],
)
def test_ratings_are_read_on_their_own_scale(rating: dict[str, Any], text: str, stars: float) -> None:
    rendered = preview(ld(**{"@type": "Product"}, name="Pot", aggregateRating={"@type": "AggregateRating", **rating}))

    assert rendered["snippet"]["rating"]["text"] == text
    assert rendered["snippet"]["rating"]["stars"] == stars


def test_a_rating_outside_its_scale_is_not_drawn() -> None:
    rating = {"@type": "AggregateRating", "ratingValue": 8, "ratingCount": 2}

    assert preview(ld(**{"@type": "Product"}, name="Pot", aggregateRating=rating))["snippet"]["rating"] is None


def test_a_bare_author_is_a_node_without_addresses() -> None:
    article = ld(**{"@type": "Article"}, headline="Plums", author=["Mira", "https://example.com/staff/7"])

    assert preview(article)["unified"]["author"] == [{"@type": "Thing", "name": "Mira"}]


def test_name_that_differs_from_the_headline_is_another_name() -> None:
    article = ld(**{"@type": "Article"}, headline="Plums", name="Plums | Example")

    assert preview(article)["unified"]["alternateName"] == ["Plums | Example"]


def test_a_role_stands_for_what_it_qualifies() -> None:
    role = {"@type": "Role", "author": {"@type": "Person", "name": "Mira"}, "startDate": "2019"}

    assert preview(ld(**{"@type": "Article"}, headline="Plums", author=role))["snippet"]["byline"] == "Mira"


def test_references_in_json_texts_are_decoded_once() -> None:
    assert (
        preview(ld(**{"@type": "Article"}, headline="Fen &amp; Field &amp;lt;"))["snippet"]["title"]
        == "Fen & Field &lt;"
    )


def test_opening_hours_in_one_text_are_read() -> None:
    bakery = ld(**{"@type": "Bakery"}, name="Kornhaus", openingHours=["Mo-Fr 06:30-18:00", "Sa 6:30-12:30"])

    (hours,) = [fact for fact in preview(bakery)["snippet"]["facts"] if fact["label"] == "Hours"]

    assert hours["value"] == "Mon–Fri 06:30–18:00; Sat 06:30–12:30"


def test_the_main_entity_of_a_page_wins() -> None:
    graph = [
        {"@type": "JobPosting", "title": "Baker"},
        {"@type": "ItemPage", "mainEntity": {"@type": "Product", "name": "Pot"}},
    ]

    assert preview({"@context": "https://schema.org", "@graph": graph})["service_type"] == "ProductSnippet"


def test_a_recipe_wins_over_the_article_around_it() -> None:
    graph = [
        {"@type": "Article", "headline": "My plums", "mainEntityOfPage": "https://example.com/plums"},
        {"@type": "Recipe", "name": "Plum cake"},
    ]

    assert preview({"@context": "https://schema.org", "@graph": graph})["service_type"] == "RecipeSnippet"


def test_of_several_articles_the_pages_own_is_rendered() -> None:
    articles = [
        ld(**{"@type": "Article"}, headline=each, mainEntityOfPage=f"https://example.com/{each}") for each in "abc"
    ]

    rendered = plain(make_snippet(articles, registry(), url="https://www.example.com/b/", now=NOW))

    assert rendered["snippet"]["title"] == "b"


def test_list_page_shows_as_the_type_of_its_members() -> None:
    members = [{"@type": "Recipe", "name": name, "url": f"https://example.com/{name}"} for name in ("plum", "pear")]
    rendered = preview(ld(**{"@type": "ItemList"}, name="Cakes", itemListElement=members))

    assert (rendered["service_type"], rendered["standard_type"]) == ("RecipeSnippet", "ItemList")
    assert [item["title"] for item in rendered["snippet"]["items"]] == ["plum", "pear"]


@pytest.mark.parametrize(
    ("days", "badge"),
    [
        (("2026-11-22", "2026-11-23"), "Upcoming"),
        (("2026-11-19", "2026-11-21"), "Live"),
        (("2026-11-17", "2026-11-18"), "Streamed live"),
    ],
)
def test_a_broadcast_is_upcoming_live_or_over(days: tuple[str, str], badge: str) -> None:
    broadcast = {"@type": "BroadcastEvent", "isLiveBroadcast": True, "startDate": days[0], "endDate": days[1]}

    assert preview(ld(**{"@type": "VideoObject"}, name="Tide", publication=broadcast))["snippet"]["badges"] == [badge]


def test_an_eighteenth_mapping_is_one_file() -> None:
    mapping = json.loads(registry().files["mappings/recipe.schema.json"])
    mapping |= {"title": "MovieSnippet", "x-standard-type": "Movie", "x-source-types": ["Movie"]}
    mapping["x-rank"] = {"page": 999, "tie": 999, "lifts": True}
    mapping["x-card"] |= {"facts": [{"key": "author", "label": "By", "show": "list", "from": ["author.name"]}]}
    more = Registry(registry().files | {"mappings/movie.schema.json": json.dumps(mapping).encode()})
    movie = ld(**{"@type": "Movie"}, name="The Tide Mill", creator={"@type": "Person", "name": "Ada"})

    rendered = plain(make_snippet(movie, more, now=NOW))

    assert rendered["service_type"] == "MovieSnippet"
    assert rendered["snippet"]["facts"] == [{"key": "author", "label": "By", "value": "Ada"}]
    with pytest.raises(NothingToShow, match="Movie has no card"):
        preview(movie)


@pytest.mark.parametrize("length", ["PT99999999999S", f"PT{'9' * 400}S"], ids=["long", "beyond all numbers"])
def test_a_length_without_room_is_not_drawn(length: str) -> None:
    video = {
        "@context": "https://schema.org",
        "@type": "VideoObject",
        "name": "How a tide mill works",
        "url": "https://example.com/v",
        "duration": length,
    }

    assert not make_snippet(video).snippet.facts
