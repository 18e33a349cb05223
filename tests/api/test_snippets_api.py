"""Cards over the wire: made of three kinds of thing, kept for their organization alone, listed newest first."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.api.conftest import Api

from waypost.preview import make_snippet
from waypost.preview.request import kinds
from waypost.service import page_work
from waypost.store import snippets

ARTICLE = {"@type": "NewsArticle", "name": "Ferry runs again", "url": "https://news.example.com/ferry"}
DATA = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Ferry runs again",
        "datePublished": "2026-13-01"}  # fmt: skip
HTML = (
    '<html><body><script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",'
    '"headline":"Ferry runs again","image":"/ferry.jpg"}</script></body></html>'
)


def make(api: Api, key: str, kind: str = "news", **body: Any) -> Any:
    return api.call("POST", f"/v1/snippets/{kind}", key=key, json=body)


def stored(api: Api, key: str, name: str, url: str = "https://news.example.com/a") -> str:
    answer = make(api, key, document=ARTICLE | {"name": name, "url": url}, store=True)
    assert answer.status_code == 201
    return str(answer.json()["id"])


def stored_names(api: Api, key: str, query: str = "") -> list[str]:
    return [each["unified"]["name"] for each in api.call("GET", f"/v1/snippets/news{query}", key=key).json()["items"]]


def test_a_page_of_long_documents_ends_early_and_continues(api: Api) -> None:
    _, key = api.key("snippets", "relationships")
    for name in ("first", "second", "third"):
        answer = make(api, key, document=ARTICLE | {"name": name, "description": "long " * 40_000}, store=True)
        assert answer.status_code == 201

    page = api.call("GET", "/v1/snippets/news?limit=100", key=key).json()
    rest = api.call("GET", f"/v1/snippets/news?limit=100&cursor={page['next_cursor']}", key=key).json()

    names = [[item["unified"]["name"] for item in part["items"]] for part in (page, rest)]
    assert names == [["third", "second"], ["first"]]
    assert "next_cursor" not in rest


def test_no_long_stored_document_is_cleaned_on_the_loop(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    _, key = api.key("snippets", "relationships")
    short, long = (
        make(api, key, document=ARTICLE | {"description": "word " * count}, store=True).json()["id"]
        for count in (1, 10_000)
    )
    here: list[Any] = []
    clean = page_work._safe_snippet
    monkeypatch.setattr(page_work, "_safe_snippet", lambda *given: [here.append(given), clean(*given)][1])

    for name in (short, long):
        assert api.call("GET", f"/v1/snippets/news/{name}", key=key).status_code == 200

    assert len(here) == 1, "only the short one; the long one is cleaned by a worker"


def test_a_card_is_made_of_documents_data_and_pages(shared: Api) -> None:
    _, key = shared.key("snippets")

    of_document = make(shared, key, document=ARTICLE)
    of_data = make(shared, key, data=DATA)
    of_page = make(shared, key, html=HTML, base_url="https://news.example.com/ferry")

    for answer in (of_document, of_data, of_page):
        assert answer.status_code == 200
        assert set(answer.json()) == {"service_type", "unified", "snippet", "eligibility", "findings"}
        assert answer.json()["service_type"] == "NewsSnippet"
        assert answer.json()["snippet"]["title"] == "Ferry runs again"
    assert of_document.json()["findings"] == []
    (finding,) = [each for each in of_data.json()["findings"] if each["pointer"] == "/datePublished"]
    assert finding["pointer"] == "/datePublished"
    assert of_page.json()["unified"]["image"][0]["url"] == "https://news.example.com/ferry.jpg"


def test_a_stored_document_has_an_address_and_returns_unchanged(api: Api) -> None:
    _, key = api.key("snippets", "relationships")

    made = make(api, key, document=ARTICLE, store=True)

    assert made.status_code == 201
    assert made.headers["location"] == f"/v1/snippets/news/{made.json()['id']}"
    read = api.call("GET", made.headers["location"], key=key).json()
    assert read["created_at"] == "2026-11-20T10:00:00.000Z"
    assert read["domain"] == "news.example.com"
    assert {name: read[name] for name in ("id", "unified", "snippet", "service_type")} == {
        name: made.json()[name] for name in ("id", "unified", "snippet", "service_type")
    }
    assert api.call("GET", f"/v1/snippets/recipe/{read['id']}", key=key).status_code == 404


def test_a_key_that_only_reads_stores_nothing(api: Api) -> None:
    _, key = api.key("snippets")

    answer = make(api, key, document=ARTICLE, store=True)

    assert answer.status_code == 403
    assert answer.json()["required_scopes"] == ["snippets", "relationships"]
    assert stored_names(api, key) == []


def test_a_test_key_makes_a_card_and_stores_nothing(api: Api) -> None:
    _, key = api.key("snippets", "relationships", environment="test")

    answer = make(api, key, document=ARTICLE, store=True)

    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")
    assert stored_names(api, key) == []
    assert make(api, key, document=ARTICLE).status_code == 200


def test_documents_are_paged_newest_first_by_host_and_time(api: Api) -> None:
    _, key = api.key("snippets", "relationships")
    for number in range(5):
        stored(api, key, f"news {number}", f"https://{'www' if number % 2 else 'news'}.example.com/{number}")
        api.clock.tick(3600)

    assert stored_names(api, key) == ["news 4", "news 3", "news 2", "news 1", "news 0"]
    assert stored_names(api, key, "?domain=WWW.example.com") == ["news 3", "news 1"]
    assert stored_names(api, key, "?since=2026-11-20T13:00:00Z") == ["news 4", "news 3"]
    assert stored_names(api, key, "?since=2026-11-20T14:00:00%2B01:00") == ["news 4", "news 3"]
    assert stored_names(api, key, "?since=2026-11-21") == []
    page = api.call("GET", "/v1/snippets/news?limit=2&domain=news.example.com", key=key).json()
    onward = f"?limit=2&domain=news.example.com&cursor={page['next_cursor']}"
    assert stored_names(api, key, onward) == ["news 0"]
    other = api.call("GET", f"/v1/snippets/news?cursor={page['next_cursor']}", key=key)
    assert other.json()["code"] == "invalid-cursor"


def test_documents_belong_to_their_organization_alone(api: Api) -> None:
    _, key = api.key("snippets", "relationships", organization=api.other)
    _, stranger = api.key("snippets")
    name = stored(api, key, "ours")

    assert stored_names(api, stranger) == []
    assert api.call("GET", f"/v1/snippets/news/{name}", key=stranger).status_code == 404


def test_every_kind_has_a_list(shared: Api, registry: Any) -> None:
    _, key = shared.key("snippets")

    for kind in kinds(registry):
        assert shared.call("GET", f"/v1/snippets/{kind}", key=key).json() == {"items": []}
    unknown = shared.call("GET", "/v1/snippets/newz", key=key)
    assert (unknown.status_code, unknown.json()["did_you_mean"]) == (404, ["news"])


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid-request"),
        ({"document": ARTICLE, "data": DATA}, 422, "invalid-request"),
        ({"document": {"name": "x"}}, 422, "invalid-request"),
        ({"document": {"@type": "NewsArticle"}}, 422, "invalid-request"),
        ({"document": ARTICLE | {"wishes": 3}}, 422, "unreadable"),
        ({"document": {"@type": "Recipe", "name": "Soup"}}, 422, "nothing-to-show"),
        ({"data": {"@context": "https://schema.org", "@type": "NewsArticle"}}, 422, "nothing-to-show"),
        ({"html": "<p>nothing</p>"}, 422, "nothing-to-show"),
        ({"html": "<p>", "base_url": "ftp://example.com/"}, 422, "invalid-request"),
        ({"data": DATA, "store": "yes"}, 422, "invalid-request"),
    ],
)
def test_a_document_without_a_possible_card_is_rejected(
    shared: Api, body: dict[str, Any], status: int, code: str
) -> None:
    _, key = shared.key("snippets")

    answer = make(shared, key, **body)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?domain=https://news.example.com/", "domain-only"),
        ("?domain=a..b", "invalid-request"),
        ("?since=yesterday", "invalid-request"),
        ("?since=2026-02-30", "invalid-request"),
        ("?limit=0", "invalid-request"),
        ("?limit=101", "invalid-request"),
        ("?page=2", "invalid-request"),
    ],
)
def test_an_unanswerable_query_is_rejected(shared: Api, query: str, code: str) -> None:
    _, key = shared.key("snippets")

    answer = shared.call("GET", f"/v1/snippets/news{query}", key=key)

    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_places_of_findings_count_in_the_data_as_sent(shared: Api) -> None:
    _, key = shared.key("snippets")
    data = '{ "@context":"https://schema.org",  "@type":"NewsArticle","headline":"x", "datePublished":"2026-13-01"}'

    answer = shared.call(
        "POST",
        "/v1/snippets/news",
        key=key,
        content='{"data":' + data + "}",
        headers={"Content-Type": "application/json"},
    )

    (finding,) = [each for each in answer.json()["findings"] if each["pointer"] == "/datePublished"]
    assert data.encode()[finding["start"] : finding["end"]] == b'"2026-13-01"'


def test_a_script_in_a_name_stays_inside_the_json(shared: Api) -> None:
    _, key = shared.key("snippets")

    answer = make(shared, key, document=ARTICLE | {"name": "</script><script>alert(1)"})

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


SCRIPT = "javascript:alert(1)"
HOSTILE = ARTICLE | {
    "url": SCRIPT,
    "id": SCRIPT,
    "sameAs": [SCRIPT],
    "author": [{"@type": "Person", "name": "M", "url": SCRIPT}],
    "image": [{"url": "data:image/png;base64,AA"}],
}
DROPPED = {"/id", "/url", "/sameAs/0", "/author/0/url", "/image/0/url"}


def test_address_outside_the_web_is_dropped_with_a_finding(api: Api) -> None:
    _, key = api.key("snippets", "relationships")

    made = make(api, key, document=HOSTILE, store=True).json()

    assert "javascript:" not in json.dumps([made["unified"], made["snippet"]])
    assert {(each["rule"], each["pointer"]) for each in made["findings"]} == {("url-scheme-odd", at) for at in DROPPED}
    assert made["unified"]["url"] == "about:blank"


def test_public_preview_drops_it_and_fills_from_the_site(shared: Api) -> None:
    site = {"name": "Harbour Courier", "domain": "news.example.com"}
    answer = shared.call("POST", "/api/ai/snippet", json={"kind": "news", "site": site, "document": HOSTILE}).json()

    assert "javascript:" not in json.dumps([answer["unified"], answer["snippet"]])
    assert answer["unified"]["url"] == "https://news.example.com/"
    assert {each["detail"].split()[0] for each in answer["warnings"] if each["code"] == "address-dropped"} == DROPPED


def test_document_stored_before_the_rule_is_read_without_it(api: Api) -> None:
    _, key = api.key("snippets", "search")
    card = msgspec.to_builtins(make_snippet(ARTICLE | {"@context": "https://schema.org", "id": ARTICLE["url"]}).snippet)
    hidden = HOSTILE | {"@context": "https://schema.org", "name": "Ferry\u202e runs\u200b again"}
    stored = api.state.store.write(
        lambda db: snippets.put(db, api.acme.id, "NewsSnippet", hidden, card | {"url": SCRIPT}, "test", api.clock.now)
    )

    read = api.call("GET", f"/v1/snippets/news/{stored.id}", key=key).json()
    (found,) = api.call("GET", "/v1/search?q=ferry", key=key).json()["results"]

    assert "javascript:" not in json.dumps(read)
    assert read["unified"]["name"] == found["name"] == "Ferry runs again"


def test_problems_of_a_document_are_named_by_their_pointers(shared: Api) -> None:
    _, key = shared.key("snippets")
    document = {"@type": "NewsArticle", "name": 1, "sameAs": [3], "image": [{"width": "a"}], "colour": "red"}
    required = {
        "#/document/name": "type", "#/document/sameAs/0": "type", "#/document/image/0/url": "required",
        "#/document/image/0/width": "type", "#/document/colour": "unknown-member",
    }  # fmt: skip

    made = make(shared, key, document=document)
    previewed = shared.call("POST", "/api/ai/snippet", json={"kind": "news", "document": document})

    for answer in (made, previewed):
        assert (answer.status_code, answer.json()["code"]) == (422, "unreadable")
        assert {each["pointer"]: each["code"] for each in answer.json()["errors"]} == required


def test_a_missing_choice_is_named_with_its_members(shared: Api) -> None:
    (error,) = shared.call("POST", "/api/ai/snippet", json={"kind": "news"}).json()["errors"]

    assert error["detail"] == "exactly one of document or markup must be there"


def test_a_kind_that_is_missing_accuses_no_other_member(shared: Api) -> None:
    answer = shared.call("POST", "/api/ai/snippet", json={"document": {"@type": "NewsArticle", "name": "Ferry runs"}})

    assert [(error["pointer"], error["code"]) for error in answer.json()["errors"]] == [("#/kind", "required")]


def test_base_url_next_to_a_document_is_an_error(shared: Api) -> None:
    _, key = shared.key("snippets")
    document = {"@type": "NewsArticle", "name": "Ferry runs"}

    (error,) = make(shared, key, document=document, base_url="https://example.com/").json()["errors"]

    assert error["pointer"] == "#/base_url"
    assert error["detail"] == "it may not be there next to the other members"


@pytest.mark.parametrize(
    ("body", "state", "text"),
    [
        ({"data": {"@context": "https://schema.org", "@type": "Recipe", "name": "Soup"}}, "not_eligible",
         "not eligible: 1 required property missing"),
        ({"html": "<script type='application/ld+json'>{\"@context\": \"https://schema.org\", \"@type\": \"Recipe\", "
                  "\"name\": \"Soup\", \"image\": \"https://www.example.com/soup.jpg\"}</script>"}, "eligible",
         "eligible for recipe results"),
        ({"document": {"@type": "Recipe", "name": "Soup", "url": "https://www.example.com/"}}, "unknown",
         "Google has a rich result of this kind; whether a page qualifies was not checked"),
    ],
    ids=["data", "page", "document"],
)  # fmt: skip
def test_a_card_states_its_eligibility_like_its_badge(api: Api, body: dict[str, Any], state: str, text: str) -> None:
    answer = api.call("POST", "/v1/snippets/recipe", key=api.key("snippets")[1], json=body)

    assert answer.status_code == 200
    assert answer.json()["eligibility"] == {"state": state, "text": text}
