"""What holds for every endpoint: keys, limits, headers, and problems for everything."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.api.conftest import SITE, Api
from tools.api_description import document, written

from waypost.api.auth import address_of
from waypost.api.endpoint import PUBLIC
from waypost.api.request import Call
from waypost.api.table import TableError, check, table
from waypost.contract import openapi
from waypost.contract.problems import problems
from waypost.registry import Registry
from waypost.store import clock as store_clock


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not-found"),
        ("GET", "/v1", 404, "not-found"),
        ("GET", "/nothing", 404, "not-found"),
        ("GET", "/v1/agent-safety", 405, "method-not-allowed"),
        ("TRACE", "/v1/check-url", 405, "method-not-allowed"),
        ("POST", "/v1/schema", 405, "method-not-allowed"),
        ("GET", "/v1/schema?key=secret", 400, "key-in-url"),
        ("GET", "/v1/schema?unknown=1", 422, "invalid-request"),
        ("GET", "/v1/schema/" + "x" * 9000, 414, "uri-too-long"),
    ],
)
def test_everything_that_cannot_be_answered_is_a_problem(
    api: Api, method: str, path: str, status: int, code: str
) -> None:
    answer = api.call(method, path)
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert body["type"] == problems()[code].address(SITE)
    assert body["instance"] == f"urn:uuid:{body['request_id']}"
    assert answer.headers["x-request-id"] == body["request_id"]
    assert "secret" not in answer.text
    if status == 405:
        assert answer.headers["allow"] == ", ".join(body["allow"])


def test_an_unexpected_error_is_a_problem_without_details(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    _, key = api.key("agent")
    monkeypatch.setattr(api.state, "decides", lambda _: (_ for _ in ()).throw(ValueError("a secret of ours")))
    answer = api.call(
        "POST", "/v1/agent-safety", key=key, json={"url": "https://shop.example.com/", "intended_action": "payment"}
    )
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text


def test_a_request_id_is_echoed_only_when_well_formed(api: Api) -> None:
    assert api.call("GET", "/healthz", headers={"x-request-id": "my-id_1.2"}).headers["x-request-id"] == "my-id_1.2"
    made = api.call("GET", "/healthz", headers={"x-request-id": "no good"}).headers["x-request-id"]
    assert len(made) == 36


def test_without_a_key_nothing_of_the_body_is_read(api: Api) -> None:
    for path in ("/v1/agent-safety", "/v1/validate"):
        answer = api.call("POST", path, content=b"{", headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == 'Bearer realm="waypost"'


def test_more_processes_give_an_address_no_more_tries(open_api: Callable[..., Api]) -> None:
    first = open_api(workers=2)
    second = open_api(workers=2, data=str(first.state.folder), store=first.state.settings.store)

    for path, quota in (("/v1/usage", 20), ("/v1/schema", 600)):
        answers = [each.call("GET", path).status_code for _ in range(quota) for each in (first, second)]

        passed = len(answers) - answers.count(429)
        assert quota <= passed <= quota * 1.2, path


def test_an_expired_key_is_reported_to_its_holder_alone(api: Api) -> None:
    from waypost.store import keys

    held, text = api.key("validate")
    api.state.store.write(lambda db: keys.revoke(db, api.acme.id, held.id, "test", api.clock.now))
    api.state.keyring.refresh()
    body = {"data": {}}
    assert api.call("POST", "/v1/validate", key=text, json=body).json()["code"] == "key-revoked"
    _, other = api.key("validate", valid_ms=60_000)
    api.state.keyring.refresh()
    api.clock.tick(61)
    assert api.call("POST", "/v1/validate", key=other, json=body).json()["code"] == "key-expired"
    mistyped = other[:-1] + ("1" if other.endswith("0") else "0")
    assert api.call("POST", "/v1/validate", key=mistyped, json=body).json()["code"] == "unauthenticated"


def test_a_key_may_be_bound_to_addresses(api: Api) -> None:
    _, here = api.key("validate", ip_allowlist=("192.0.2.0/24",))
    _, elsewhere = api.key("validate", ip_allowlist=("198.51.100.0/24",))
    api.state.keyring.refresh()
    assert api.call("POST", "/v1/validate", key=here, json={"data": {}}).status_code == 200
    rejected = api.call("POST", "/v1/validate", key=elsewhere, json={"data": {}})
    assert (rejected.status_code, rejected.json()["code"]) == (403, "address-not-allowed")


def test_forwarded_addresses_count_only_from_a_trusted_proxy(open_api: Callable[..., Api]) -> None:
    plain, proxied = open_api(), open_api(trusted_proxies=("192.0.2.0/24",))
    for api, seen in ((plain, False), (proxied, True)):
        _, key = api.key("validate", ip_allowlist=("203.0.113.9/32",))
        api.state.keyring.refresh()
        answer = api.call(
            "POST", "/v1/validate", key=key, json={"data": {}}, headers={"x-forwarded-for": "10.0.0.1, 203.0.113.9"}
        )
        assert (answer.status_code == 200) is seen


@pytest.mark.parametrize(
    ("peer", "sent", "counted"),
    [
        ("192.0.2.1", "203.0.113.9", "203.0.113.9"),
        ("192.0.2.1", "198.51.100.7, 203.0.113.9", "203.0.113.9"),
        ("192.0.2.1", "203.0.113.9, 192.0.2.5", "203.0.113.9"),
        ("192.0.2.1", "203.0.113.9:4711", "203.0.113.9"),
        ("192.0.2.1", "[2001:db8::9]:4711", "2001:db8::9"),
        ("192.0.2.1", "2001:DB8:0::9", "2001:db8::9"),
        ("192.0.2.1", "::ffff:203.0.113.9", "203.0.113.9"),
        ("192.0.2.1", "198.51.100.7, unknown", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7,", "192.0.2.1"),
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.5", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.9" + ", 192.0.2.5" * 15, "203.0.113.9"),
        ("192.0.2.1", "203.0.113.9" + ", 192.0.2.5" * 1000, "192.0.2.1"),
        # A socket for both families shows IPv4 peers as IPv6 addresses.
        ("::ffff:192.0.2.1", "203.0.113.9", "203.0.113.9"),
        ("203.0.113.1", "198.51.100.7", "203.0.113.1"),
        ("::ffff:203.0.113.1", "198.51.100.7", "::ffff:203.0.113.1"),
        ("2001:db8::1", "198.51.100.7", "2001:db8::1"),
        ("", "203.0.113.9", "203.0.113.9"),
    ],
)
def test_the_address_behind_proxies_is_the_last_untrusted_one(peer: str, sent: str, counted: str) -> None:
    networks = (ipaddress.ip_network("192.0.2.0/24"),)
    call = SimpleNamespace(
        scope={"client": (peer, 4711) if peer else None},
        state=SimpleNamespace(trusted_proxies=networks),
        header=lambda name: sent if name == "x-forwarded-for" else "",
    )
    assert address_of(cast("Call", call)) == counted


def test_only_configured_hosts_are_answered_for(open_api: Callable[..., Api]) -> None:
    api = open_api(allowed_hosts=("waypost.test", "127.0.0.1"))
    assert api.call("GET", "/healthz").status_code == 200
    for host in ("evil.example", "waypost.test.evil.example", "evil.example:8000"):
        assert api.call("GET", "/healthz", headers={"host": host}).json()["code"] == "unknown-host"


def test_failed_keys_are_limited_by_address(api: Api) -> None:
    seen = [api.call("POST", "/v1/validate", key="wp_live_wrong", json={}).status_code for _ in range(22)]
    assert seen == [401] * 20 + [429] * 2


def test_rejected_and_wrong_requests_never_count_by_the_day(api: Api) -> None:
    _, text = api.key("agent")
    for _ in range(3):
        api.call("POST", "/v1/agent-safety", key=text, json={})
    body = {"url": "https://shop.example.com/", "intended_action": "payment"}
    left = api.call("POST", "/v1/agent-safety", key=text, json=body).headers["ratelimit"]
    assert left.startswith('"minute";r=56;')
    assert '"day";r=9999;' in left


def test_readiness_needs_a_writable_store(api: Api) -> None:
    ready = api.call("GET", "/readyz").json()
    parts = {"store", "clock", "registry", "policy", "signing_key"} | ({"shared_files"} if api.state.shared else set())
    assert ready["checks"] == dict.fromkeys(parts, True)
    assert ready["versions"]["registry"] == api.state.registry.version
    api.state.store.close()
    report = api.call("GET", "/readyz")
    assert (report.status_code, report.json()["checks"]["store"]) == (503, False)


def test_readiness_needs_a_clock_ahead_of_the_records(api: Api) -> None:
    body = {"url": "https://shop.example.com/", "intended_action": "payment"}
    _, text = api.key("agent")
    present = api.clock.now
    api.clock.now = present + 86_400_000
    assert api.call("POST", "/v1/agent-safety", key=text, json=body).status_code == 200

    api.clock.now = present  # somebody sets the clock right after a day of wrong time

    assert api.call("POST", "/v1/agent-safety", key=text, json=body).status_code == 503
    report = api.call("GET", "/readyz")
    assert (report.status_code, report.json()["checks"]["clock"], report.json()["checks"]["store"]) == (
        503,
        False,
        True,
    )
    api.state.store.write(lambda db: store_clock.trust(db, "ann", present))
    assert api.call("GET", "/readyz").status_code == 200
    assert api.call("POST", "/v1/agent-safety", key=text, json=body).status_code == 200


def test_the_description_matches_the_table_and_is_valid(registry: Registry) -> None:
    made = document(table(), registry)
    assert written(made) == written(openapi.document()), "run tools/make_openapi.py"
    validator = pytest.importorskip("openapi_spec_validator")
    validator.validate(made)


def test_every_example_of_the_description_matches_its_schema(registry: Registry) -> None:
    from waypost.service.body import read

    for each in table():
        for body in (each.body.examples if each.body else {}).values():
            assert each.body is not None
            read(json.dumps(body).encode(), each.body, registry)


def test_every_operation_describes_its_scopes_and_every_status(registry: Registry) -> None:
    made = document(table(), registry)
    for each in table():
        operation = made["paths"][each.path][each.method.lower()]
        assert operation["summary"]
        assert operation["description"]
        assert bool(operation["security"]) != (each.scopes == (PUBLIC,))
        assert {"500", "405"} <= set(operation["responses"])


def test_endpoint_without_a_scope_keeps_the_service_from_starting() -> None:
    (some,) = (each for each in table() if each.path == "/v1/validate")
    with pytest.raises(TableError, match="no scope"):
        check([some._replace(scopes=())])
    with pytest.raises(TableError, match="no limit named"):
        check([some._replace(limit="whatever")])
    with pytest.raises(TableError, match="twice"):
        check([some, some])


def test_site_is_served_with_its_policy_and_nothing_else(open_api: Callable[..., Api], tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "rules").mkdir(parents=True)
    (site / "index.html").write_text("home")
    (site / "rules" / "index.html").write_text("rules")
    (site / "404.html").write_text("nothing")
    (tmp_path / "secret.html").write_text("secret")
    (site / "link.html").symlink_to(tmp_path / "secret.html")
    api = open_api(site=str(site))
    home = api.call("GET", "/")
    assert (home.text, home.headers["content-type"]) == ("home", "text/html; charset=utf-8")
    assert "default-src 'none'" in home.headers["content-security-policy"]
    names = [name for name, _ in home.headers.multi_items()]
    assert len(names) == len(set(names)), "each header once"
    assert api.call("GET", "/", headers={"if-none-match": home.headers["etag"]}).status_code == 304
    assert api.call("GET", "/?utm_source=x").text == "home"
    moved = api.call("GET", "/rules")
    assert (moved.status_code, moved.headers["location"]) == (308, "rules/")
    for path in ("/../secret.html", "/%2e%2e/secret.html", "/link.html", "/rules/../../secret.html", "/index.html%00"):
        answer = api.call("GET", path)
        assert answer.status_code == 404, path
    page = api.call("GET", "/nothing", headers={"accept": "text/html"})
    assert (page.status_code, page.text) == (404, "nothing")
    assert api.call("GET", "/nothing").headers["content-type"] == "application/problem+json"


def test_a_deprecated_endpoint_names_its_dates(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    route = next(each for each in table() if each.path == "/healthz")
    old: Any = route._replace(deprecated=1_796_083_200, sunset=1_811_635_200)
    from waypost.api.exchange import deprecation

    assert deprecation(old, SITE) == {
        "deprecation": "@1796083200",
        "link": f'<{SITE}/docs/versioning/>; rel="deprecation"; type="text/html"',
        "sunset": "Sun, 30 May 2027 00:00:00 GMT",
    }


def test_pages_of_configured_origins_read_public_data_only(open_api: Callable[..., Api]) -> None:
    site = "https://docs.example.com"
    api = open_api(cors_origins=(site,))
    body = {"kind": "schema", "site": {"name": "A", "domain": "a.example.com"}}
    answer = api.call("POST", "/api/ai/snippet", json=body, headers={"origin": site})
    assert answer.headers["access-control-allow-origin"] == site
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["vary"] == "Origin"
    before = api.call("OPTIONS", "/api/ai/snippet", headers={"origin": site, "access-control-request-method": "POST"})
    assert before.status_code == 204
    assert "content-length" not in before.headers
    assert before.headers["access-control-allow-methods"] == "POST"
    for origin in ("https://evil.example", "null", f"{site}.evil.example"):
        rejected = api.call("POST", "/api/ai/snippet", json=body, headers={"origin": origin})
        assert "access-control-allow-origin" not in rejected.headers
    assert api.call("OPTIONS", "/v1/validate", headers={"origin": site}).status_code == 405
    assert "access-control-allow-origin" not in api.call("GET", "/healthz", headers={"origin": site}).headers


def test_the_description_only_grows(registry: Registry) -> None:
    from tools.api_promise import FILE, broken, promised

    made = document(table(), registry)
    assert list(broken(registry.document(FILE), promised(made))) == []
    less = json.loads(json.dumps(made))
    del less["paths"]["/v1/validate"]
    del less["components"]["schemas"]["decision"]["properties"]["unknowns"]
    less["components"]["schemas"]["check-request"]["required"].append("audience")
    report = list(broken(promised(made), promised(less)))
    assert "validate is gone" in report
    assert "checkAgentSafety: application/json unknowns is gone from the 200" in report
    assert "checkUrl: body audience must be sent now" in report


def test_every_problem_appears_once_with_its_advice(registry: Registry) -> None:
    entries = registry.document("api/problems.json")["problems"]
    assert len({each["code"] for each in entries}) == len(entries)
    assert all(each["when"] and each["do"] for each in entries)
    answered = {code for each in table() for code in [*each.codes(), "method-not-allowed"]}
    assert answered <= {each["code"] for each in entries}


def test_the_catalog_leads_to_the_description_and_its_pages(api: Api) -> None:
    answer = api.call("GET", "/.well-known/api-catalog")

    (links,) = answer.json()["linkset"]
    assert links["anchor"] == f"{SITE}/v1"
    assert links["service-desc"][0]["href"] == f"{SITE}/openapi.json"
    assert 'rel="api-catalog"' in answer.headers["link"]


def test_the_description_names_the_address_of_the_service(api: Api) -> None:
    made = api.call("GET", "/openapi.json").json()

    assert made["servers"] == [{"url": SITE}]
    assert made["paths"] == openapi.document()["paths"]


def test_description_is_made_once_for_all_who_read_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    first = api.call("GET", "/openapi.json")
    monkeypatch.setattr(openapi, "document", lambda: pytest.fail("made again"))

    assert api.call("GET", "/openapi.json").content == first.content


def test_the_security_contact_expires_in_half_a_year(open_api: Callable[..., Api]) -> None:
    api = open_api(security_contact="mailto:security@example.com")

    lines = api.call("GET", "/.well-known/security.txt").text.splitlines()

    assert lines[:2] == ["Contact: mailto:security@example.com", "Expires: 2027-05-19T00:00:00Z"]


def test_the_first_decision_finds_the_indexes_built(open_api: Callable[..., Api]) -> None:
    """Built by the first decision, they kept everyone waiting for 0.2 s and longer."""
    from waypost.registry.places import places_of
    from waypost.safety.brand_index import brand_index_of
    from waypost.safety.evidence import _by_name

    for each in (places_of, brand_index_of, _by_name):
        each.cache_clear()

    open_api()

    for each in (places_of, brand_index_of, _by_name):
        assert each.cache_info().currsize, each
