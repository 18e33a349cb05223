"""`waypost report`: counts of a made crawl over three templates, in every format."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

pytest.importorskip("fastwarc")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from jsonschema import Draft202012Validator, FormatChecker
from tests.crawl.archives import record, write

from waypost.cli import main
from waypost.crawl.analysis import CrawlReport, Totals, _together
from waypost.crawl.report_words import summary
from waypost.crawl.shapes import templates
from waypost.registry import load

NOW = "2026-11-20T00:00:00Z"
OFFER = {"@type": "Offer", "price": "12.50", "priceCurrency": "EUR"}
PRODUCT = {"@type": "Product", "name": "Kettle", "image": "https://example.com/k.jpg", "offers": OFFER}
ARTICLE = {"@type": "NewsArticle", "headline": "Bridge reopens", "image": "https://example.com/b.jpg"}
RECIPE = {"@type": "Recipe", "name": "Pie", "image": "https://example.com/p.jpg"}
NO_IMAGE = {"@type": "Recipe", "name": "Pie"}
RATED = {"aggregateRating": {"@type": "AggregateRating", "ratingValue": 4, "reviewCount": 2}}


def site(path: Path, wrong_prices: int = 4) -> Path:
    """Archive of 12 products, some with wrong prices, one rated; 6 articles; 6 recipes, 2 of them without an image."""
    wrong = PRODUCT | {"offers": OFFER | {"price": "12,50"}}
    items = [wrong] * wrong_prices + [PRODUCT] * (11 - wrong_prices) + [PRODUCT | RATED]
    items += [ARTICLE] * 6 + [RECIPE] * 4 + [NO_IMAGE] * 2
    records = []
    for number, item in enumerate(items):
        data = json.dumps({"@context": "https://schema.org", **item})
        body = f'<title>{number}</title><script type="application/ld+json">{data}</script>'.encode()
        records.append(record(f"https://example.com/{number}", body))
    return write(path, records, packed=True)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawled")
    for name, wrong in (("now", 4), ("before", 8)):
        archive = site(folder / f"{name}.warc.gz", wrong)
        moment = NOW if name == "now" else "2026-10-20T00:00:00Z"
        main(["crawl", "-q", "--no-config", "--now", moment, str(archive), "--out", str(folder / name)])
    return folder


@pytest.fixture
def report(crawled: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(["report", str(crawled / "now"), "--since", str(crawled / "before"), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_rich_result_has_eligible_pages_and_other_reasons(report: Any) -> None:
    found = {each["profile"]: each for each in report["results"]}

    assert (found["google/product-snippet"]["eligible"], found["google/product-snippet"]["missed"]) == (8, 4)
    assert (found["google/recipe"]["eligible"], found["google/recipe"]["missed"]) == (4, 2)
    assert [reason["rule"] for reason in found["google/recipe"]["reasons"]] == ["required-property-missing"]
    assert found["google/recipe"]["reasons"][0]["share"] == 1


def test_the_three_templates_are_found_with_their_causes(report: Any) -> None:
    found = {each["name"]: each for each in report["templates"]}

    assert {name: each["pages"] for name, each in found.items()} == {
        "Product in JSON-LD": 12, "NewsArticle in JSON-LD": 6, "Recipe in JSON-LD": 6,
    }  # fmt: skip
    price = found["Product in JSON-LD"]["reasons"][0]
    assert (price["rule"], price["pages"], price["share"]) == ("price-invalid", 4, round(4 / 12, 4))
    assert [place["path"] for place in price["examples"]] == [f"https://example.com/{number}" for number in range(3)]


def test_the_fixes_that_make_most_pages_eligible_come_first(report: Any) -> None:
    fixes = [(fix["gained"], [reason["rule"] for reason in fix["reasons"]]) for fix in report["fixes"]]

    assert fixes == [(4, ["price-invalid"]), (2, ["required-property-missing"])]


def test_the_changes_since_an_earlier_crawl_are_counted(report: Any) -> None:
    changes = report["changes"]

    assert (changes["new"], changes["gone"], changes["changed"], changes["unchanged"]) == (0, 0, 4, 20)
    results = [(each["profile"], each["before"], each["after"]) for each in changes["results"]]
    assert ("google/product-snippet", 4, 8) in results
    assert ("price-invalid", 8, 4) in [(each["rule"], each["before"], each["after"]) for each in changes["causes"]]
    days = [(each["day"], each["with_errors"]) for each in report["timeline"]]
    assert days == [("2026-10-20", 10), ("2026-11-20", 6)]
    assert (changes["lost"], changes["new_errors"]) == (0, 0)


@pytest.mark.parametrize(
    ("new", "old", "kinds", "status", "message"),
    [
        ("now", "before", "lost-eligibility,new-error,gone-page", 0, ""),
        ("before", "now", "lost-eligibility", 1, "lost-eligibility: 4 since"),
        ("before", "now", "new-error", 1, "new-error: 1 since"),
        ("before", "now", "gone-page", 0, ""),
    ],
)
def test_what_became_worse_fails_on_request(
    new: str, old: str, kinds: str, status: int, message: str, crawled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = main(["report", str(crawled / new), "--since", str(crawled / old), "--fail-on", kinds])

    assert ended == status
    assert message in capsys.readouterr().err


def test_a_gate_needs_an_earlier_crawl(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(crawled / "now"), "--fail-on", "new-error"]) == 2
    assert "--fail-on needs --since" in capsys.readouterr().err


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl of 6 articles, each with another wrong date, at two places of the markup."""
    folder = tmp_path_factory.mktemp("varied")
    records = []
    for number in range(6):
        article = ARTICLE | {"datePublished": f"May {number + 1}, 2026", "author": {"@type": "Person", "name": "Ann"}}
        data = json.dumps({"@context": "https://schema.org", "@graph": [article]} if number % 2 else
                          {"@context": "https://schema.org", **article})  # fmt: skip
        extra = {"@context": "https://schema.org", **RECIPE} | ({"keywords": "pie"} if number < 2 else {})
        body = "".join(
            f'<script type="application/ld+json">{each}</script>' for each in (data, json.dumps(extra))
        ).encode()
        records.append(record(f"https://example.com/{number}", body))
    archive = write(folder / "a.warc.gz", records, packed=True)
    main(["crawl", "-q", "--no-config", "--now", NOW, str(archive), "--out", str(folder / "out")])
    return folder / "out"


def test_one_mistake_with_many_values_is_one_cause(varied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(varied), "--format", "json"]) == 0
    causes = json.loads(capsys.readouterr().out)["causes"]

    dates = [each for each in causes if each["rule"] == "date-invalid"]
    assert [(each["pages"], each["places"], each["variants"]) for each in dates] == [(6, 6, 6)]
    assert main(["report", str(varied)]) == 0
    assert "datePublished: 'May 1, 2026' is not an ISO 8601 date, and 5 like it" in capsys.readouterr().out


def test_missing_recommended_properties_of_a_type_are_one_cause(
    varied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(varied), "--format", "json"]) == 0
    causes = json.loads(capsys.readouterr().out)["causes"]

    found = [each for each in causes if each["message"].startswith("Recipe: recommended properties missing: ")]
    assert [each["pages"] for each in found] == [6]
    assert "author, " in found[0]["message"]


def test_a_recommended_property_counts_only_where_some_have_it() -> None:
    messages = {
        "Recipe: recommended properties missing: author, video": 4,
        "Recipe: recommended property missing: author": 2,
    }

    assert _together(messages) == "Recipe: recommended properties missing: author, video (at 4 of 6)"


def test_counts_of_the_causes_are_those_of_the_tables(varied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(varied), "--format", "json"]) == 0
    causes = json.loads(capsys.readouterr().out)["causes"]
    by_rule = "SELECT rule, count(*) FROM findings WHERE severity <> 'info' AND suppressed IS NULL GROUP BY rule"
    assert main(["report", str(varied), "--sql", by_rule, "--format", "json"]) == 0

    counted: dict[str, int] = {}
    for each in causes:
        counted[each["rule"]] = counted.get(each["rule"], 0) + each["places"]
    assert counted == {row["rule"]: row["count_star()"] for row in json.loads(capsys.readouterr().out)}


SCHEMA = json.loads(load().files["crawl/report-1.json"])


@pytest.mark.parametrize("since", [True, False], ids=["with an earlier crawl", "alone"])
def test_the_report_for_programs_has_the_published_shape(
    since: bool, crawled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = ["--since", str(crawled / "before")] * since

    assert main(["report", str(crawled / "now"), *earlier, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)

    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA, format_checker=FormatChecker()).validate(report)
    assert not Draft202012Validator(SCHEMA).is_valid(report | {"score": 1})


def test_the_published_shape_has_the_members_of_the_report() -> None:
    made = msgspec.json.schema(CrawlReport)["$defs"]
    published = SCHEMA["$defs"] | {"CrawlReport": SCHEMA}

    assert {name: [*each["properties"]] for name, each in made.items()} == {
        name: [*each["properties"]] for name, each in published.items()
    }


def test_every_format_has_equal_numbers_and_pages_load_nothing(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [str(tmp_path / f"report.{ending}") for ending in ("html", "md")]

    assert main(["report", str(crawled / "now"), "--output", outputs[0], "--output", outputs[1]]) == 0
    page, markdown = (Path(name).read_text("utf-8") for name in outputs)

    assert "24 pages were checked: " in page
    assert "24 pages were checked: " in markdown
    assert "8 of 12 pages eligible (67 %)" in page
    assert "4 more pages eligible" in page
    assert "4 more pages eligible" in markdown
    assert "<script" not in page
    assert not re.search(r"(?:src|href|url)\s*[=(]", re.sub(r'<a href="https?://[^"]+" rel="noreferrer">', "", page))
    assert capsys.readouterr().err == f"waypost: the report is in {outputs[0]} and {outputs[1]}\n"


def test_a_name_of_a_page_is_escaped_in_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.dumps(
        {"@context": "https://schema.org", "@type": "Product", "name": "x", "offers": {"price": "<b>1,0"}}
    )
    body = f'<script type="application/ld+json">{data}</script>'.encode()
    archive = write(tmp_path / "a.warc", [record("https://example.com/<i>", body)], packed=False)
    main(["crawl", "-q", "--no-config", str(archive), "--out", str(tmp_path / "out")])

    main(["report", str(tmp_path / "out"), "--format", "html"])

    page = capsys.readouterr().out
    assert "<b>1,0" not in page
    assert "/<i>" not in page


def test_sql_answers_as_text_and_as_json(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "SELECT rule, count(*) AS places FROM findings WHERE severity = 'error' GROUP BY ALL ORDER BY ALL"

    main(["report", str(crawled / "now"), "--sql", query])
    assert capsys.readouterr().out == "rule\tplaces\nprice-invalid\t4\nrequired-property-missing\t2\n"
    main(["report", str(crawled / "now"), "--sql", query, "--format", "json"])
    assert json.loads(capsys.readouterr().out)[0] == {"rule": "price-invalid", "places": 4}


WRONG = {
    "no crawl": (["{tmp}"], 3, "there is no crawl here"),
    "no query": (["{out}", "--sql", "SELEKT"], 2, "--sql: "),
    "no format": (["{out}", "--output", "{tmp}/report.pdf"], 2, "its ending names no format"),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_impossible_report_is_rejected(
    case: str, crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, status, message = WRONG[case]

    assert main(["report", *(each.format(tmp=tmp_path, out=crawled / "now") for each in arguments)]) == status
    assert message in capsys.readouterr().err


def test_shapes_with_few_optional_properties_are_one_template() -> None:
    common = ["json-ld Product", *(f"json-ld Product/{name}" for name in "abcdefgh")]
    article = ["json-ld Article", "json-ld Article/name"]

    found = templates({"all": (5, [*common, "json-ld Product/x"]), "few": (3, common), "article": (9, article)})

    assert found == {"all": "all", "few": "all", "article": "article"}


def test_one_page_is_counted_as_one() -> None:
    report: Any = SimpleNamespace(totals=Totals(1, 1, 1, 2, 0, 0, with_items=1, with_errors=1))

    assert summary(report) == "1 page was checked: 0 are eligible for a rich result, 1 has errors"
