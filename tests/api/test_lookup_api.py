"""What is known of a domain, what passed review, and search over everything."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.conftest import Api, codes

from waypost.models.relationship import Claim
from waypost.safety.relationship import lapses
from waypost.store import relationships

DAY = 86_400_000


@pytest.fixture
def brand(api: Api) -> Any:
    """A listed brand whose home passed a review that holds."""
    brands = api.state.service.world.brands.values()
    return next(each for each in brands if each.official_domains and each.official_domains[0].reviewed == "2026-11-20")


def accepted(api: Api, organization: str = "", **changed: Any) -> str:
    """A relationship that two others have reviewed."""
    claim = Claim(
        **{
            "domain": "nettle.example.com", "scope": "host", "entity": "nettle", "entity_name": "Nettle Works",
            "type": "official_payment", "submitter": "ann", "origin": "ann", "source": "form",
            "organization": organization,
        } | changed
    )  # fmt: skip
    write, now = api.state.store.write, api.clock.now
    name = write(lambda db: relationships.submit(db, claim, now)).id
    for reviewer in ("bea", "cem"):
        write(lambda db, who=reviewer: relationships.accept(db, name, who, now, "seen", 30))  # type: ignore[misc]
    return name


def lookup(api: Api, key: str, name: str) -> Any:
    return api.call("GET", "/v1/domain", key=key, params={"domain": name})


def results(api: Api, key: str, path: str = "/v1/search", **question: Any) -> list[dict[str, Any]]:
    answer = api.call("GET", path, key=key, params=question)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_an_unknown_domain_is_an_answer_with_unknowns(shared: Api) -> None:
    _, key = shared.key("domain")

    document = lookup(shared, key, "Shop.Example.com").json()

    assert document["normalized_domain"] == "shop.example.com"
    assert (document["registrable_domain"], document["public_suffix"]) == ("example.com", "com")
    assert (document["is_idn"], document["scripts"]) == (False, ["Latin"])
    assert document["relationship_status"] == "unverified"
    assert document["official_for"] == []
    assert "official_relationship_not_confirmed" in document["unknowns"]
    assert document["expires_at"] > "2026-11-20T10:00:00.000Z"


def test_both_forms_of_an_international_name_are_returned(shared: Api) -> None:
    _, key = shared.key("domain")

    for name in ("bücher.example", "xn--bcher-kva.example", "BÜCHER。example."):
        document = lookup(shared, key, name).json()
        assert (document["normalized_domain"], document["unicode_domain"]) == (
            "xn--bcher-kva.example",
            "bücher.example",
        )
        assert document["is_idn"] is True


def test_a_lookup_stores_no_decision(api: Api) -> None:
    _, key = api.key("domain")
    lookup(api, key, "shop.example.com")

    assert api.state.read(lambda db: db.execute("SELECT count(*) FROM decision").fetchone()[0]) == 0


@pytest.mark.parametrize(
    "pasted",
    [
        "https://shop.example.com", "shop.example.com/", "shop.example.com/a?token=canary", "shop.example.com?x",
        "shop.example.com#x", "ann:canary@shop.example.com", "ann@shop.example.com", "shop.example.com:443",
        "\\\\shop.example.com", "[::1]", "shop.example.com x",
    ],
)  # fmt: skip
def test_a_pasted_url_is_rejected_before_it_is_read(shared: Api, pasted: str) -> None:
    _, key = shared.key("domain")

    answer = lookup(shared, key, pasted)

    assert (answer.status_code, answer.json()["code"]) == (422, "domain-only")
    assert "canary" not in answer.text


@pytest.mark.parametrize("name", ["a..b", ".", "exa%6dple.com", "a" * 64 + "..", "shop.example.com／pay", "exa<mple"])
def test_what_is_not_a_host_name_is_rejected(shared: Api, name: str) -> None:
    _, key = shared.key("domain")

    assert codes(lookup(shared, key, name)) == ["domain: host"]


@pytest.mark.parametrize("question", ["", "?domain=", "?domain=a%00b", "?domain=a.test&domain=b.test", "?host=a.test"])
def test_a_query_about_no_domain_is_rejected(shared: Api, question: str) -> None:
    _, key = shared.key("domain")

    assert shared.call("GET", f"/v1/domain{question}", key=key).status_code == 422


def test_a_reviewed_domain_names_its_owner(api: Api, brand: Any) -> None:
    _, key = api.key("domain")

    document = lookup(api, key, brand.official_home).json()

    assert document["relationship_status"] == "verified_official"
    assert {"entity_id": brand.slug, "name": brand.name, "relationship_type": "official_site"} in document[
        "official_for"
    ]


def test_an_own_acceptance_is_visible_to_own_keys_alone(api: Api) -> None:
    accepted(api, api.other.id)
    _, own = api.key("domain", "official", "search", organization=api.other)
    _, stranger = api.key("domain", "official", "search")

    assert lookup(api, own, "nettle.example.com").json()["official_for"] == [
        {"entity_id": "nettle", "name": "Nettle Works", "relationship_type": "official_payment"}
    ]
    assert lookup(api, stranger, "nettle.example.com").json()["official_for"] == []
    assert [each["domain"] for each in results(api, own, "/v1/official", q="nettle works")] == ["nettle.example.com"]
    assert results(api, stranger, "/v1/official", q="nettle works") == []
    assert results(api, stranger, q="nettle works") == []


def test_test_keys_see_fixtures_and_live_keys_do_not(api: Api) -> None:
    _, trial = api.key("domain", environment="test")
    _, live = api.key("domain")

    assert lookup(api, trial, "allow.test").json()["relationship_status"] == "verified_official"
    assert lookup(api, trial, "allow.test").json()["official_for"]
    assert lookup(api, live, "allow.test").json()["relationship_status"] == "unverified"


def test_official_finds_what_ships_and_what_was_accepted(api: Api, brand: Any) -> None:
    name = accepted(api)
    _, key = api.key("official")

    shipped = results(api, key, "/v1/official", q=brand.name)
    (own,) = results(api, key, "/v1/official", q="nettle wor")

    assert brand.official_home in [each["domain"] for each in shipped]
    assert own["relationship_id"] == name
    assert own["entity"] == {"id": "nettle", "name": "Nettle Works", "type": "organization"}
    assert own["url"] == "https://nettle.example.com/"
    assert (own["review_status"], own["relationship_type"]) == ("reviewed", "official_payment")
    assert (own["reviewed_at"], own["expires_at"]) == ("2026-11-20T10:00:00.000Z", "2026-12-20T10:00:00.000Z")
    assert results(api, key, "/v1/official", q="nettle", type="official_login") == []
    assert results(api, key, "/v1/official", q="nettle", type="official_payment") == [own]


def test_official_returns_only_current_undisputed_reviews(api: Api, brand: Any) -> None:
    name = accepted(api)
    accepted(api, domain="two.nettle.example.com")
    claim = Claim(domain="three.nettle.example.com", scope="host", entity="nettle", entity_name="Nettle Works",
                  type="official_site", submitter="ann", origin="ann", source="form")  # fmt: skip
    api.state.store.write(lambda db: relationships.submit(db, claim, api.clock.now))
    _, key = api.key("official")
    api.state.store.write(lambda db: relationships.dispute(db, name, "bea", api.clock.now, "sold"))

    assert [each["domain"] for each in results(api, key, "/v1/official", q="nettle")] == ["two.nettle.example.com"]
    api.clock.now += 30 * DAY
    assert results(api, key, "/v1/official", q="nettle") == []
    api.clock.now = lapses(api.state.service.world, brand, brand.official_domains[0])
    _, later = api.key("official")
    assert brand.official_home not in [each["domain"] for each in results(api, later, "/v1/official", q=brand.name)]


def test_owners_agent_is_named_but_not_its_official_site(api: Api) -> None:
    accepted(api, type="affiliate")
    _, key = api.key("official", "domain", "search")

    assert results(api, key, "/v1/official", q="nettle") == []
    document = lookup(api, key, "nettle.example.com").json()
    assert document["relationship_status"] == "verified_affiliate"
    assert [each["relationship_type"] for each in document["official_for"]] == ["affiliate"]
    assert results(api, key, q="nettle")[0]["relationship_status"] == "verified_affiliate"


def test_search_finds_every_kind_of_record_with_its_review(api: Api, brand: Any) -> None:
    accepted(api)
    rejected = accepted(api, entity="nettle-two", entity_name="Nettle Two", domain="two.example.com")
    api.state.store.write(lambda db: relationships.revoke(db, rejected, "bea", api.clock.now, "wrong"))
    _, key = api.key("search", "snippets", "relationships")
    api.call("POST", "/v1/snippets/person", key=key,
             json={"document": {"@type": "Person", "name": "Nettle Grower"}, "store": True})  # fmt: skip

    found = {each["name"]: each for each in results(api, key, q="nettle")}
    by_kind = {each["kind"] for each in results(api, key, q=brand.name, limit=100)}

    assert (found["Nettle Works"]["kind"], found["Nettle Works"]["review_status"]) == ("relationship", "reviewed")
    assert found["Nettle Works"]["relationship_status"] == "verified_official"
    assert (found["Nettle Two"]["state"], found["Nettle Two"]["review_status"]) == ("revoked", "unreviewed")
    assert (found["Nettle Grower"]["kind"], found["Nettle Grower"]["review_status"]) == ("person", "unreviewed")
    assert by_kind >= {"organization", "domain", "relationship"}
    (schema, *_) = results(api, key, q="news article", type="schema")
    assert (schema["id"], schema["name"], schema["url"]) == ("NewsSnippet", "NewsArticle", "/v1/schema/NewsSnippet")
    assert results(api, key, q="datePublished", type="field")[0]["id"] == "datePublished"
    assert all("score" not in each for each in found.values())


def test_the_best_match_comes_first_and_reviewed_before_unreviewed(api: Api, brand: Any) -> None:
    _, key = api.key("search")

    found = results(api, key, q=brand.official_home, limit=100)

    assert found[0]["domain"] == brand.official_home
    assert found[0]["review_status"] == "reviewed"


def test_a_brands_principal_site_precedes_its_other_domains(shared: Api) -> None:
    _, key = shared.key("search", "official")
    brands = [brand for brand in shared.state.service.world.brands.values() if len(brand.official_domains) > 5][:20]

    for brand in brands:
        found = results(shared, key, q=brand.name, type="domain", limit=100)
        searched = [hit["domain"] for hit in found if hit["name"] == brand.name and hit["review_status"] == "reviewed"]
        found = results(shared, key, "/v1/official", q=brand.name, limit=100)
        official = [hit["domain"] for hit in found if hit["entity"]["id"] == brand.slug]
        for own in (searched, official):
            assert own[0] == brand.home, brand.slug
            assert own == [domain for domain in brand.domains if domain in own], brand.slug


@pytest.mark.parametrize(
    ("words", "site"),
    [("amazon", "amazon.com"), ("apple", "apple.com"), ("google", "google.com"), ("microsoft", "microsoft.com"),
     ("paypal", "paypal.com")],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/search", "/v1/official"])
def test_search_for_a_brand_leads_to_its_own_site(shared: Api, path: str, words: str, site: str) -> None:
    _, key = shared.key("search", "official")

    assert results(shared, key, path, q=words)[0]["domain"] == site


def test_a_brands_accepted_domains_follow_its_principal_site(api: Api) -> None:
    _, key = api.key("search", "official")
    accepted(api, domain="a-paypal.example", scope="registrable", entity="paypal", entity_name="PayPal",
             type="official_site")  # fmt: skip

    for path in ("/v1/search", "/v1/official"):
        found = [hit["domain"] for hit in results(api, key, path, q="paypal", limit=100)]
        assert found[0] == "paypal.com"
        assert "a-paypal.example" in found


def test_the_three_forms_of_a_search_find_the_same(api: Api, brand: Any) -> None:
    _, key = api.key("search")
    question = {"query": brand.name, "type": "domain", "limit": 3}

    by_query = api.call("GET", "/v1/search", key=key, params={"q": brand.name, "type": "domain", "limit": 3})
    by_get = api.call("GET", "/v1/search", key=key, json=question)
    by_post = api.call("POST", "/v1/search", key=key, json=question)
    by_both = api.call("GET", "/v1/search", key=key, params={"q": brand.name}, json=question)

    assert by_query.json()["results"]
    assert by_query.json()["results"] == by_get.json()["results"] == by_post.json()["results"]
    assert by_both.json()["results"] == by_get.json()["results"]
    assert {each.headers["cache-control"] for each in (by_query, by_get, by_post)} == {"no-store"}


def test_a_search_by_query_may_be_cached_by_callers(api: Api, brand: Any) -> None:
    _, key = api.key("search")
    question = {"query": brand.name, "type": "domain", "limit": 3}

    by_query = api.call("QUERY", "/v1/search", key=key, json=question)
    again = api.call("QUERY", "/v1/search", key=key, json=question, headers={"If-None-Match": by_query.headers["etag"]})
    other = question | {"query": "nettle"}
    changed = api.call("QUERY", "/v1/search", key=key, json=other, headers={"If-None-Match": by_query.headers["etag"]})

    by_post = api.call("POST", "/v1/search", key=key, json=question)
    assert by_query.json()["results"] == by_post.json()["results"]
    assert (by_query.headers["cache-control"], by_query.headers["vary"]) == ("private, max-age=30", "Authorization")
    assert (again.status_code, again.content, changed.status_code) == (304, b"", 200)


@pytest.mark.parametrize("method", ["GET", "POST", "QUERY", "PUT"])
def test_every_answer_about_searching_describes_valid_queries(shared: Api, method: str) -> None:
    answer = shared.call(method, "/v1/search", key=shared.key("search")[1])

    assert answer.headers["accept-query"] == '"application/json"'
    assert method != "PUT" or answer.headers["allow"] == "GET, HEAD, POST, QUERY"


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/v1/search", {"json": {"query": "acme", "nope": 1}}, 422),
        ("/v1/search", {"content": b'{"query": "acme"}', "headers": {"Content-Type": "text/plain"}}, 415),
        ("/v1/search", {}, 400),
        ("/v1/search?q=acme", {"json": {"query": "acme"}}, 422),
        ("/v1/official", {"json": {"query": "acme"}}, 405),
    ],
    ids=["an unknown member", "another kind of body", "no body", "a query string", "another path"],
)
def test_an_invalid_query_is_rejected(shared: Api, path: str, sent: dict[str, Any], status: int) -> None:
    answer = shared.call("QUERY", path, key=shared.key("search", "official")[1], **sent)

    assert (answer.status_code, "etag" in answer.headers) == (status, False)


def test_a_query_needs_a_searching_keys_scope(shared: Api) -> None:
    without = shared.call("QUERY", "/v1/search", json={"query": "acme"})
    other = shared.call("QUERY", "/v1/search", key=shared.key("agent")[1], json={"query": "acme"})

    assert (without.status_code, other.status_code) == (401, 403)


def test_two_different_questions_in_one_request_are_none(shared: Api) -> None:
    _, key = shared.key("search")

    for question in ({"q": "acme"}, {"type": "domain"}, {"limit": 3}):
        body = {"query": "nettle", "type": "organization", "limit": 4}
        answer = shared.call("GET", "/v1/search", key=key, params=question, json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "ambiguous-query")


def test_a_missing_query_is_reported_with_a_likely_cause(shared: Api) -> None:
    _, key = shared.key("search")

    answer = shared.call("GET", "/v1/search", key=key)

    assert answer.status_code == 422
    assert codes(answer) == ["q: required"]
    assert "proxy" in answer.json()["detail"]
    assert shared.call("POST", "/v1/search", key=key).json()["code"] == "empty-body"
    assert shared.call("POST", "/v1/search?q=acme", key=key, json={"query": "acme"}).status_code == 422


def test_a_body_of_another_kind_is_rejected(shared: Api) -> None:
    _, key = shared.key("search")

    answer = shared.call("GET", "/v1/search", key=key, content=b'{"query":"a"}', headers={"Content-Type": "text/plain"})

    assert answer.status_code == 415


@pytest.mark.parametrize("text", ["a\u0000b", "a\u0085b", "", "x" * 201])
def test_control_characters_and_lengths_are_rejected_in_every_form(shared: Api, text: str) -> None:
    _, key = shared.key("search")

    assert shared.call("GET", "/v1/search", key=key, params={"q": text}).status_code == 422
    assert shared.call("GET", "/v1/search", key=key, json={"query": text}).status_code == 422
    assert shared.call("POST", "/v1/search", key=key, json={"query": text}).status_code == 422


@pytest.mark.parametrize("text", ["...", "a AND b", '"', "*", "name:acme", "NEAR(a b)", "-acme", "é" * 100, "🙂"])
def test_a_query_holds_words_and_never_an_operator(shared: Api, text: str) -> None:
    _, key = shared.key("search", "official")

    assert shared.call("GET", "/v1/search", key=key, params={"q": text}).status_code == 200
    assert shared.call("GET", "/v1/official", key=key, params={"q": text}).status_code == 200


def test_a_name_is_found_with_and_without_its_accents(api: Api) -> None:
    accepted(api, entity="cafe", entity_name="Café Müller", domain="cafe.example.com")
    _, key = api.key("search")

    for text in ("Café Müller", "Cafe\u0301 Mu\u0308ller", "cafe muller"):
        assert [each["domain"] for each in results(api, key, q=text, type="relationship")] == ["cafe.example.com"]


def test_pages_of_a_search_hold_every_hit_once(api: Api) -> None:
    for number in range(7):
        accepted(api, domain=f"n{number}.example.com", entity_name="Nettle Works")
    _, key = api.key("search", "official")

    for path in ("/v1/search", "/v1/official"):
        seen: list[str] = []
        question = {"q": "nettle", "limit": "3"}
        for _ in range(4):
            page = api.call("GET", path, key=key, params=question).json()
            seen += [each["domain"] for each in page["results"]]
            if "next_cursor" not in page:
                break
            question["cursor"] = page["next_cursor"]
        assert sorted(seen) == [f"n{number}.example.com" for number in range(7)]
    assert api.call("GET", "/v1/search", key=key, params=question | {"q": "works"}).json()["code"] == "invalid-cursor"
    again = api.call("POST", "/v1/search", key=key, json={"query": "nettle", "cursor": question["cursor"]})
    assert (again.json()["code"], again.json()["errors"][0]["pointer"]) == ("invalid-cursor", "#/cursor")


def test_a_third_partys_name_arrives_without_hidden_characters(api: Api) -> None:
    _, key = api.key("domain", "official", "search")
    accepted(api, entity_name="Net\u200btle \u202eskroW\u202c " + "x" * 400, url="javascript:alert(1)")

    (found,) = results(api, key, q="nettle", type="relationship")
    (reviewed,) = results(api, key, "/v1/official", q="nettle")
    (owner,) = lookup(api, key, "nettle.example.com").json()["official_for"]

    for name in (found["name"], reviewed["entity"]["name"], owner["name"]):
        assert name.startswith("Nettle skroW xxx")
        assert len(name) == 200
    assert "url" not in found
    assert reviewed["url"] == "https://nettle.example.com/"


@pytest.mark.parametrize(
    "url",
    ["https://elsewhere.test/login", "https://nettle.example.com.elsewhere.test/", "https://ann@nettle.example.com/",
     "https://example.com/", "https://", "https://nettle.example.com\\@elsewhere.test/"],
)  # fmt: skip
def test_no_review_of_a_host_leads_to_another(api: Api, url: str) -> None:
    _, key = api.key("official", "search", "relationships")
    accepted(api, url=url)

    (found,) = results(api, key, q="nettle", type="relationship")
    (reviewed,) = results(api, key, "/v1/official", q="nettle")
    claim = {"entity": {"name": "Nettle"}, "domain": "nettle.example.com", "relationship_type": "official_login"}
    filed = api.call("POST", "/v1/relationships", key=key, json=claim | {"url": url})

    assert "url" not in found
    assert reviewed["url"] == "https://nettle.example.com/"
    assert filed.status_code == 422
    assert filed.json()["errors"][0]["pointer"] == "#/url"


def test_a_url_below_a_reviewed_domain_is_of_it(api: Api) -> None:
    _, key = api.key("official", "search", "relationships")
    accepted(api, domain="nettle.example", scope="registrable", url="https://pay.nettle.example/till")

    (found,) = results(api, key, q="nettle", type="relationship")
    (reviewed,) = results(api, key, "/v1/official", q="nettle")

    assert found["url"] == reviewed["url"] == "https://pay.nettle.example/till"
