"""Validation, previews and schemas over the wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.api.conftest import SITE, Api, codes

from waypost.preview.request import kinds
from waypost.registry import Registry
from waypost.validate import validate_data

RECIPE = {"@context": "https://schema.org", "@type": "Recipe", "name": "Nettle soup", "cookTime": "30 minutes"}
PAGE = '<p itemscope itemtype="https://schema.org/Bok"><b itemprop="name">x</b>'
SITE_OF_NEWS = {"name": "Harbour Courier", "domain": "news.example.com"}


def test_an_invalid_document_is_answered_with_its_report(api: Api, registry: Registry) -> None:
    _, key = api.key("validate")
    answer = api.call("POST", "/v1/validate", key=key, json={"data": RECIPE})
    body = answer.json()
    assert (answer.status_code, body["valid"]) == (200, False)
    sent = json.dumps(RECIPE, separators=(",", ":")).encode()
    own = validate_data(sent, registry, path="request", now=api.state.utc(), site=SITE)
    (file,) = body["files"]
    assert file["path"] == "request"
    assert [(each["rule"], each["start"]) for each in file["findings"]] == [(f.rule, f.start) for f in own.findings]
    assert body["summary"]["errors"] == sum(f.severity == "error" for f in own.findings)


def test_places_count_in_the_bytes_as_sent(api: Api) -> None:
    _, key = api.key("validate")
    data = '{ "@context": "https://schema.org",\n  "@type": "Recipe", "name": "é",   "cookTime": "30 minutes" }'
    body = f'{{"syntax": "auto", "data": {data}}}'.encode()
    answer = api.call(
        "POST", "/v1/validate", key=key, content=body, headers={"content-type": "application/json"}
    ).json()
    (finding,) = (each for each in answer["files"][0]["findings"] if each.get("property") == "cookTime")
    assert data.encode()[finding["start"] : finding["end"]] == b'"30 minutes"'
    assert finding["line"] == 2


@pytest.mark.parametrize(
    ("media", "content"),
    [
        ("text/html", PAGE),
        ("text/html; charset=utf-8", PAGE),
        ("application/ld+json", json.dumps({"@context": "https://schema.org", "@type": "Bok"})),
    ],
)
def test_a_page_or_json_ld_may_be_sent_unwrapped(api: Api, media: str, content: str) -> None:
    _, key = api.key("validate")
    answer = api.call("POST", "/v1/validate", key=key, content=content.encode(), headers={"content-type": media}).json()
    assert [each["rule"] for each in answer["files"][0]["findings"]] == ["unknown-type"]


def test_sarif_comes_when_it_is_what_the_caller_accepts(api: Api) -> None:
    _, key = api.key("validate")
    answer = api.call(
        "POST", "/v1/validate", key=key, json={"data": RECIPE}, headers={"accept": "application/sarif+json"}
    )
    assert answer.headers["content-type"] == "application/sarif+json"
    assert answer.json()["version"] == "2.1.0"
    assert answer.json()["runs"][0]["results"]


def test_batch_has_a_report_or_problem_on_each_line(api: Api) -> None:
    _, key = api.key("validate")
    lines = [json.dumps({"html": PAGE}), '{"html": 1}', "no json", json.dumps({"data": {"@type": "Thing"}})]
    answer = api.call(
        "POST",
        "/v1/validate",
        key=key,
        content="\n".join(lines).encode(),
        headers={"content-type": "application/x-ndjson"},
    )
    body = [json.loads(line) for line in answer.text.splitlines()]
    assert [("valid" in each, each.get("error", {}).get("code")) for each in body] == [
        (True, None),
        (False, "invalid-request"),
        (False, "malformed-json"),
        (True, None),
    ]


def test_names_of_the_caller_s_own_vocabulary_are_accepted(api: Api) -> None:
    _, key = api.key("validate")
    data = {"@context": "https://schema.org", "@type": "RepairPass", "name": "Lamp", "repairScore": 7}

    plain, accepted, rejected = (
        api.call("POST", "/v1/validate", key=key, json={"data": data} | more)
        for more in ({}, {"also": ["RepairPass", "repairScore"]}, {"also": ["schema:x"]})
    )

    assert "unknown-type" in {each["rule"] for each in plain.json()["files"][0]["findings"]}
    assert accepted.json()["files"][0]["findings"] == []
    assert rejected.status_code == 422


def test_syntax_type_and_profile_choose_what_is_checked(api: Api) -> None:
    _, key = api.key("validate")
    page = PAGE + f'</p><script type="application/ld+json">{json.dumps(RECIPE)}</script>'
    answer = api.call("POST", "/v1/validate", key=key, json={"html": page, "syntax": "microdata"}).json()
    assert {each["syntax"] for each in answer["files"][0]["findings"]} == {"microdata"}
    thing = {"@context": "https://schema.org", "@type": "Recipe", "name": "x"}
    for more in ({"type": "Recipe"}, {"profile": "google/recipe"}):
        answer = api.call("POST", "/v1/validate", key=key, json={"data": thing, **more}).json()
        assert "google/recipe" in {each.get("profile") for each in answer["files"][0]["findings"]}


@pytest.mark.parametrize(
    ("body", "place", "intended"),
    [
        ({"data": {}, "profile": "google/recip"}, "#/profile: unknown-profile", ["google/recipe"]),
        ({"data": {}, "type": "Recpie"}, "#/type: unknown-type", ["Recipe"]),
    ],
)
def test_a_near_miss_is_named(api: Api, body: dict[str, Any], place: str, intended: list[str]) -> None:
    _, key = api.key("validate")
    answer = api.call("POST", "/v1/validate", key=key, json=body)
    assert codes(answer) == [place]
    assert intended[0] in answer.json()["did_you_mean"]


@pytest.mark.parametrize("body", [{}, {"data": {}, "html": ""}, {"data": "text"}, {"html": "x", "syntax": "json"}])
def test_what_is_to_be_checked_must_be_clear(api: Api, body: dict[str, Any]) -> None:
    _, key = api.key("validate")
    answer = api.call("POST", "/v1/validate", key=key, json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-request")


def test_the_missions_request_is_a_website(api: Api) -> None:
    body = {"kind": "schema", "site": {**SITE_OF_NEWS, "description": "News of the harbour."}}
    answer = api.call("POST", "/api/ai/snippet", json=body)
    document = answer.json()
    assert answer.status_code == 200
    assert (document["snippet"]["service_type"], document["snippet"]["title"]) == ("WebSiteSnippet", "Harbour Courier")
    assert document["unified"]["url"] == "https://news.example.com/"
    assert document["warnings"] == []
    assert (document["meta"]["source"], document["meta"]["provider"]) == ("registry", "waypost")
    assert document["meta"]["time"] >= 0
    assert document["meta"]["fetched"] == "2026-11-20T10:00:00.000Z"


def test_every_kind_can_be_previewed_from_a_named_document(api: Api, registry: Registry) -> None:
    examples = {each["x-kind"]: each["examples"][0] for each in registry.mappings.values() if each.get("examples")}
    for kind, service in kinds(registry).items():
        document = examples.get(kind) or {"name": "A thing"}
        if kind == "breadcrumb":
            document = {"name": "A thing", "breadcrumb": [{"position": 1, "name": "Home"}]}
        answer = api.call("POST", "/api/ai/snippet", json={"kind": kind, "site": SITE_OF_NEWS, "document": document})
        assert answer.status_code == 200, (kind, answer.text)
        assert answer.json()["snippet"]["service_type"] == service


def test_what_the_site_fills_in_is_reported(api: Api) -> None:
    body = {"kind": "news", "site": SITE_OF_NEWS, "document": {"name": "Ferry runs again"}}
    answer = api.call("POST", "/api/ai/snippet", json=body).json()
    assert answer["unified"]["provider"]["name"] == "Harbour Courier"
    assert [each["detail"].split()[0] for each in answer["warnings"]] == ["url", "provider", "isPartOf"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"kind": "schema"}, "invalid-request"),
        ({"kind": "news", "site": SITE_OF_NEWS}, "invalid-request"),
        ({"kind": "news", "document": {}, "markup": "x"}, "invalid-request"),
        ({"kind": "nothing", "document": {}}, "invalid-request"),
        ({"kind": "schema", "site": {"name": "x", "domain": "https://x.example.com/"}}, "invalid-request"),
        ({"kind": "news", "document": {"name": "x", "colour": "red"}}, "unreadable"),
        ({"kind": "recipe", "markup": json.dumps({"@context": "https://schema.org", "@type": "Event", "name": "x"})},
         "nothing-to-show"),
        ({"kind": "news", "markup": "<p>nothing</p>"}, "nothing-to-show"),
    ],
)  # fmt: skip
def test_a_card_that_cannot_be_drawn_has_a_reason(api: Api, body: dict[str, Any], code: str) -> None:
    answer = api.call("POST", "/api/ai/snippet", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_a_schema_is_public_conditional_and_leads_to_itself(api: Api, registry: Registry) -> None:
    answer = api.call("GET", "/v1/schema/NewsSnippet")
    Draft202012Validator.check_schema(answer.json())
    assert answer.headers["content-type"] == "application/schema+json"
    assert answer.json()["$id"] == f"{SITE}/schemas/{registry.version}/NewsSnippet.json"
    by_id = api.call("GET", answer.json()["$id"])
    assert by_id.content == answer.content
    for held in (answer.headers["etag"], f'"x", W/{answer.headers["etag"]}', "*"):
        again = api.call("GET", "/v1/schema/NewsSnippet", headers={"if-none-match": held})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
    head = api.call("HEAD", "/v1/schema/NewsSnippet")
    assert (head.content, head.headers["content-length"]) == (b"", str(len(answer.content)))


def test_a_standard_type_answers_with_the_service_types_schema(api: Api) -> None:
    answer = api.call("GET", "/v1/schema/NewsArticle")
    assert answer.headers["content-location"] == "/v1/schema/NewsSnippet"
    assert answer.content == api.call("GET", "/v1/schema/NewsSnippet").content
    plain = api.call("GET", "/v1/schema/NewsArticle", headers={"accept": "application/json"})
    assert plain.headers["content-type"] == "application/json"


def test_an_unknown_type_names_those_there_are(api: Api) -> None:
    answer = api.call("GET", "/v1/schema/NewsArtikel").json()
    assert (answer["status"], answer["code"]) == (404, "unknown-type")
    assert "NewsSnippet" in answer["available_types"]
    assert answer["did_you_mean"][0] == "NewsArticle"


def test_every_published_schema_accepts_the_cards_own_documents(api: Api, registry: Registry) -> None:
    index = api.call("GET", "/v1/schema").json()
    assert index["registry_version"] == registry.version
    assert len(index["schemas"]) == len(registry.mappings) + 1  # and the unified model
    for row in index["schemas"]:
        document = json.loads(api.call("GET", row["href"]).content)
        Draft202012Validator.check_schema(document)
        assert '"../' not in json.dumps(document)


def test_the_operators_own_requirements_count(open_api: Callable[..., Api], tmp_path: Path) -> None:
    (tmp_path / "acme-sku.json").write_text(json.dumps(
        {"title": "The sku is not one of Acme's.", "description": "Acme's article numbers are AC and six digits.",
         "source": "https://docs.example.com/numbers", "read": "2026-11-29", "authority": "project",
         "severity": "error", "kind": "value", "types": ["Product"], "properties": ["sku"],
         "when": {"does_not_match": "^AC[0-9]{6}$"}, "message": "the sku {'value'} is not AC and six digits"}
    ), "utf-8")  # fmt: skip
    (tmp_path / "product.json").write_text(json.dumps(
        {"name": "acme/product", "title": "Acme product", "heading": "Acme product page", "status": "supported",
         "types": ["Product"], "doc": "https://docs.example.com/product-pages",
         "checked": {"date": "2026-11-29", "sources": ["acme"], "confidence": "high"},
         "notes": "What every product page of Acme has.", "required": [{"path": "gtin"}]}
    ), "utf-8")  # fmt: skip
    config = tmp_path / "waypost.toml"
    config.write_text(
        'profiles = ["product.json"]\nchecks = ["acme-sku.json"]\n[rules]\nprice-invalid = "off"\n', "utf-8"
    )
    api = open_api(requirements=str(config))
    _, key = api.key("validate")
    offer = {"@type": "Offer", "price": "1,50", "priceCurrency": "EUR"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": "A", "sku": "X-1", "offers": offer}

    def reported(**more: Any) -> set[tuple[str, str | None]]:
        body = api.call("POST", "/v1/validate", key=key, json={"data": product, **more}).json()
        return {(each["rule"], each.get("profile")) for each in body["files"][0]["findings"]}

    assert {("acme-sku", None), ("required-property-missing", "acme/product")} <= reported()
    assert "price-invalid" not in {rule for rule, _ in reported()}
    assert ("required-property-missing", "acme/product") not in reported(profile="google/product-snippet")

    config.write_text("profiles = 1\n", "utf-8")
    answer = api.call("POST", "/v1/validate", key=key, json={"data": product})
    assert answer.status_code == 503
    assert str(tmp_path) not in answer.text
