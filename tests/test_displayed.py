"""Values of the markup and what people see of the page: which texts count, which amount is the price."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import jsonschema
import pytest

from waypost.formats.currencies import currencies
from waypost.models.finding import Finding
from waypost.reader.visible import STRUCK, UNCERTAIN, headings, visible_texts
from waypost.registry import load
from waypost.report import render
from waypost.validate import build_report, validate_data, validate_page
from waypost.validate.displayed.amounts import amounts_in
from waypost.validate.displayed.lines import all_lines, lines_of
from waypost.validate.displayed.word_lists import visible_words
from waypost.validate.displayed.words import words_of

ROOT = Path(__file__).parents[1]
REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PRODUCT = {
    "@context": "https://schema.org", "@type": "Product", "name": "Plum press",
    "offers": {"@type": "Offer", "price": "19.90", "priceCurrency": "USD", "availability": "https://schema.org/InStock"},
}  # fmt: skip
LANGUAGES = sorted(visible_words().languages)


def page(body: str, language: str = "en", **offer: str) -> bytes:
    item = PRODUCT | {"offers": PRODUCT["offers"] | offer}  # type: ignore[operator]
    script = f'<script type="application/ld+json">{json.dumps(item)}</script>'
    return f'<!doctype html><html lang="{language}">{script}<body><h1>Plum press</h1>{body}</body>'.encode()


def contradictions(data: bytes) -> list[Finding]:
    report = validate_page(data, REGISTRY, now=NOW)
    return [each for each in report.findings if each.rule == "markup-contradicts-page"]


def kinds(body: str, language: str = "en") -> list[tuple[str, str]]:
    words = words_of(language)
    return [(each.text, each.kind) for each in amounts_in(all_lines(lines_of(visible_texts(body, 0), words)), words)]


def test_the_file_of_words_is_valid_by_its_schema() -> None:
    document = json.loads((ROOT / "src" / "waypost" / "data" / "visible" / "words.json").read_text("utf-8"))
    schema = json.loads((ROOT / "schemas" / "meta" / "visible-words.schema.json").read_text("utf-8"))

    jsonschema.Draft202012Validator(schema).validate(document)
    assert {code for codes in document["signs"].values() for code in codes.split()} <= {
        *currencies().current,
        *currencies().withdrawn,
    }
    for language, words in document["languages"].items():
        assert all(text == text.lower() for text in words.values()), language


@pytest.mark.parametrize("language", LANGUAGES)
def test_sold_out_contradicts_in_stock_in_each_language(language: str) -> None:
    for words in visible_words().languages[language]["out_of_stock"].split(", "):
        (found,) = contradictions(page(f"<p>$19.90</p><p>{escape(words.capitalize())}</p>", language))

        assert found.property == "availability"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_button_contradicts_out_of_stock_in_each_language(language: str) -> None:
    buy = visible_words().languages[language]["buy"].split(", ")[0]
    available = page(f"<p>$19.90</p><button>{buy}</button>", language, availability="https://schema.org/OutOfStock")
    disabled = page(f"<p>$19.90</p><button disabled>{buy}</button>", language, availability="OutOfStock")

    assert [each.property for each in contradictions(available)] == ["availability"]
    assert contradictions(disabled) == []


@pytest.mark.parametrize(
    "body",
    [
        "<p hidden>$24.90</p>",
        "<p style='display: none'>$24.90</p>",
        "<p aria-hidden=true>$24.90</p>",
        "<template>$24.90</template>",
        "<noscript>$24.90</noscript>",
        "<script>'$24.90'</script>",
        "<nav>$24.90</nav>",
        "<footer>$24.90</footer>",
        "<div class='related-products'>$24.90</div>",
        "<p class=hidden>$24.90</p>",
        "<h2>You may also like</h2><p>$24.90</p>",
        "<p>From $24.90</p>",
        "<p>You save <b>$24.90</b></p>",
        "<p>Shipping: $24.90</p>",
        "<p>$24.90 / month</p>",
        "<p>$10.00 – $24.90</p>",
        "<p>{{ price }} $24.90</p>",
        "<p>€24.90</p>",
        "<p>$19.90</p><p>$24.90</p>",
        "<p>$20</p>",
    ],
)
def test_another_amount_than_the_price_contradicts_nothing(body: str) -> None:
    assert contradictions(page(body)) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<s>$25</s> <b>$19</b>", [("$25", "struck"), ("$19", "current")]),
        ("<p>Was $25.00</p><p>Now $19.00</p>", [("$25.00", "former"), ("$19.00", "current")]),
        ("<span>RRP</span> <span>£25</span><span>£19</span>", [("£25", "former"), ("£19", "current")]),
        ("<p>$19<sup>99</sup></p>", [("$19", "current")]),
        ("<p>1 299,00 kr</p>", [("1 299,00 kr", "current")]),
        ("<p>Save 3</p><p>CHF 1'299.00</p>", [("CHF 1'299.00", "current")]),
        ("<b>64,90 €</b><b>79,90 €</b>", [("64,90 €", "current"), ("79,90 €", "current")]),
        ("<p>$19.99 CAD</p>", [("$19.99 CAD", "current")]),
        ("<p class=regular-price>$19</p>", [("$19", "regular")]),
        ("<p>Member price $15</p>", [("$15", "other")]),
        ("<p>-$5</p>", [("$5", "other")]),
        ("<p>19€95</p>", [("19€95", "current")]),
        ("<p>978,00 € / tk</p>", [("978,00 €", "current")]),
        ("<p>£3<span>/ 3 pack</span></p>", [("£3", "current")]),
        ("<p><b>SAVE 70</b><i>$229.99</i></p>", [("$229.99", "current")]),
        ("<p><s>statt 4.50</s> <b>CHF <!-- -->2.25</b></p>", [("CHF 2.25", "current")]),
        ("<p><b>12,00</b> <i>€</i> <b>14,00</b> <i>€</i></p>", [("12,00 €", "current"), ("14,00 €", "current")]),
    ],
)
def test_the_words_around_an_amount_give_its_kind(body: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(body) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<section><b data-qa=item-price>$24.90</b><h1>Plum press</h1><p>Text</p></section>",
        "<h1>Plum press <b class=price>$24.90</b></h1><p>Text</p>",
        "<h1>Plum press</h1><h2>Colour</h2><p class=price>$24.90</p>",
        "<h1>Plum press</h1><p class=price>24.90</p>",
        "<h1>Plum press</h1><p>$24.90</p><p>$29.90</p>",
        "<div>Plum press</div><p>$24.90</p>",
    ],
)
def test_a_price_is_found_apart_from_its_usual_place(html: str) -> None:
    data = page("").decode().replace("<h1>Plum press</h1>", html).encode()
    true = data.replace(b'"19.90"', b'"24.90"')

    assert [each.property for each in contradictions(data)] == ["price"]
    assert contradictions(true) == []


@pytest.mark.parametrize(
    "html",
    [
        "<h1>Plum press</h1><p>A</p><h2>More</h2><p>$24.90</p><p>B</p><p>C</p><p>$21.00</p>",
        "<h1>Plum press</h1><p class=price-filter>24.90</p>",
        "<h1>Plum press</h1><p>$24.90</p><p>$29.90</p><p>$34.90</p>",
        "<p>$24.90</p><h1>Plum press</h1>",
    ],
)
def test_an_unclear_price_contradicts_nothing(html: str) -> None:
    assert contradictions(page("").decode().replace("<h1>Plum press</h1>", html).encode()) == []


def test_variants_of_a_page_with_different_states_contradict_nothing() -> None:
    sold_out = json.dumps(PRODUCT | {"offers": PRODUCT["offers"] | {"availability": "OutOfStock"}})  # type: ignore[operator]
    both = page(f"<p>$19.90</p><button>Add to cart</button><script type=application/ld+json>{sold_out}</script>")

    assert contradictions(both) == []


@pytest.mark.parametrize(
    ("html", "is_found"),
    [
        ("<div><button>Add to cart</button></div><h1>Plum press</h1><p>Text</p>", True),
        (
            "<h1>Plum press</h1><div class=p-section--withoutSidebar><p>$19.90</p><button>Add to cart</button></div>",
            True,
        ),
        ("<h1>Plum press</h1><p>Text</p><h2>More</h2><button>Add to cart</button>", True),
        ("<div><button>Add to cart</button><button>Buy now</button></div><h1>Plum press</h1><p>Text</p>", False),
        ("<div><button disabled>Add to cart</button></div><h1>Plum press</h1><p>Text</p>", False),
        ("<h1>Plum press</h1><div class=sidebar><button>Add to cart</button></div>", False),
        ("<div><button>Add to cart</button></div><h1>Plum press</h1><p>Sold out</p>", False),
        ("<header><a href=/shops>Buy online</a></header><h1>Plum press</h1><p>Text</p>", False),
        ("<p>Order now</p><h1>Plum press</h1><p>Text</p>", False),
        ("<h1>Plum press</h1><p>Text</p><h2>More</h2><p>Sold out</p><button>Add to cart</button>", False),
    ],
)
def test_a_button_is_found_apart_from_the_heading(html: str, is_found: bool) -> None:
    data = page("", availability="OutOfStock").decode().replace("<h1>Plum press</h1>", html).encode()

    assert [each.property for each in contradictions(data)] == ["availability"] * is_found


@pytest.mark.parametrize(
    ("html", "is_found"),
    [
        ("<h2>Opinions</h2><p><span class=ratings-stat>4.00</span> <span class=ratings-total>12 ratings</span>", True),
        ("<h2>Opinions</h2><p class=rating-summary>4.0 (12)</p>", True),
        ("<h2>Opinions</h2><p class=rating-summary>4.0 (40)</p>", False),
        ("<h2>Opinions</h2><p class=seller-rating>12 ratings</p>", False),
        ("<h2>Opinions</h2><p class=rating>12 ratings</p><p class=rating>3 ratings</p>", False),
        ("<p class=rating>Rating: 4.0</p>", False),
        (
            "<h2>Opinions</h2><div class='review ratings'><b class=reviewer>Ann</b> <i>12 reviews</i><p>Good.</div>",
            False,
        ),
    ],
)
def test_a_count_stands_apart_in_an_element_for_ratings(html: str, is_found: bool) -> None:
    rating = {"@type": "AggregateRating", "ratingValue": 4, "reviewCount": 40}
    item = json.dumps({k: v for k, v in PRODUCT.items() if k != "offers"} | {"aggregateRating": rating})
    data = (
        f"<html lang=en><h1>Plum press</h1><script type=application/ld+json>{item}</script><p>Text</p>{html}".encode()
    )

    assert [each.property for each in contradictions(data)] == ["reviewCount"] * is_found


def test_a_number_of_reviews_counts_over_the_reviews() -> None:
    rating = '{"@context": "https://schema.org", "@type": "Product", "name": "Plum press", "aggregateRating": '
    rating += '{"@type": "AggregateRating", "ratingValue": 4, "reviewCount": 40}}'
    html = f"<h1>Plum press</h1><script type=application/ld+json>{rating}</script><h2>Reviews (40)</h2><p>Good.</p>"

    assert contradictions(html.encode()) == []
    assert [each.property for each in contradictions(html.replace("(40)", "(12)").encode())] == ["reviewCount"]


def test_cents_in_smaller_type_belong_to_the_amount() -> None:
    assert contradictions(page("<p>$19<sup>90</sup></p>")) == []
    assert len(contradictions(page("<p>$19<sup>40</sup></p>", price="24.90"))) == 1


def test_json_and_markdown_have_no_page_to_compare_with() -> None:
    item = PRODUCT | {"description": "<h1>Plum press</h1><p>$24.90</p>"}

    assert len(contradictions(page("<p>$24.90</p>"))) == 1
    assert "markup-contradicts-page" not in [each.rule for each in validate_data(item, REGISTRY, now=NOW).findings]


def test_texts_of_a_page_keep_their_places() -> None:
    source = "<h1>A &amp; B</h1>\n<p><s>x</s> y<!-- no --><b class='d-none'>z</b></p>"

    texts = list(visible_texts(source, 0))

    assert [(each.text, source[each.start : each.end]) for each in texts] == [
        ("A & B", "A &amp; B"), ("x", "x"), ("y", "y"), ("z", "z"),
    ]  # fmt: skip
    assert [each.flags for each in texts] == [0, STRUCK, 0, UNCERTAIN]


def test_a_heading_in_a_comment_or_a_script_is_none() -> None:
    source = "<!-- <h1>a</h1> --><script>'<h1>b</h1>'</script><template><h1>c</h1></template><h1>d</h1><h1x>"

    assert list(headings(source)) == [source.index("<h1>d")]


def test_reports_show_the_values_side_by_side() -> None:
    report = build_report([validate_page(page("<p>$24.90</p>"), REGISTRY, path="a.html", now=NOW)], REGISTRY)

    text = render(report, "text")
    html = render(report, "html")
    (found,) = [each for each in json.loads(render(report, "json"))["files"][0]["findings"] if "compared" in each]

    assert "  markup 1:182: 19.90 USD | page 1:298: $24.90\n" in text
    assert '<th scope="col">Markup</th><th scope="col">Page</th>' in html
    assert [(each["source"], each["value"]) for each in found["compared"]] == [
        ("markup", "19.90 USD"),
        ("page", "$24.90"),
    ]
    assert found["related"][0]["message"] == "the page displays '$24.90'"


@pytest.mark.parametrize(
    "body",
    ["<p '" * 40_000, "<p \"" * 40_000, "<!-- " * 40_000, "<s>" * 60_000, "<h1>" * 40_000, "1 " * 200_000 + "$",
     "$" * 200_000, "$1 <b>" * 40_000, "<script>" * 40_000, "<p>" + "1," * 200_000],
)  # fmt: skip
def test_a_hostile_page_is_read_within_limits(body: str) -> None:
    assert len(contradictions(page(body))) <= 1
    assert len(list(visible_texts(body, 0))) <= 6_000
