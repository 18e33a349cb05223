"""Every endpoint with every scope, without a key, and with keys that hold no more. Made from the endpoint table."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api import promises
from tests.api.conftest import Api

from waypost.api.endpoint import ANY_KEY, PUBLIC, SESSION, Endpoint
from waypost.api.table import table
from waypost.models.api_key import SCOPES
from waypost.store import keys

# What the mission names, written out once more: the table in the code must not change without this one.
NAMED = {
    ("POST", "/v1/agent-safety"): "agent",
    ("POST", "/v1/check-url"): "check",
    ("GET", "/v1/domain"): "domain",
    ("GET", "/v1/official"): "official",
    ("GET", "/v1/search"): "search",
    ("GET", "/v1/snippets/news"): "snippets",
    ("POST", "/v1/validate"): "validate",
    ("GET", "/v1/schema/{type}"): PUBLIC,
    ("POST", "/api/ai/snippet"): PUBLIC,
}
KEYED = [each for each in table() if each.scopes not in {(PUBLIC,), (SESSION,)}]
MEMBERS = {"type": "NewsSnippet", "kind": "news", "version": "x", "file": "x"}


def call(api: Api, endpoint: Endpoint, key: str = "", **more: Any) -> Any:
    """A request with nothing in it: whoever is let through learns at the most that something is missing."""
    path = endpoint.path.format(**{name: MEMBERS.get(name, "none") for name in endpoint.members})
    api.clock.tick(7)  # so that no limit is met
    return api.call(endpoint.method, path, key=key, **more)


def named(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


def test_the_endpoints_of_the_mission_need_its_scopes() -> None:
    found = {(each.method, each.path): each.scopes for each in table()}

    assert {where: found[where] for where in NAMED} == {where: (scope,) for where, scope in NAMED.items()}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_opens_what_names_it_and_nothing_else(shared: Api, scope: str) -> None:
    _, key = shared.key(scope)

    for endpoint in KEYED:
        answer = call(shared, endpoint, key)
        if endpoint.scopes == (ANY_KEY,) or scope in endpoint.scopes:
            assert answer.status_code not in {401, 403}, named(endpoint)
        else:
            body = answer.json()
            assert (answer.status_code, body["code"]) == (403, "insufficient-scope"), named(endpoint)
            assert body["required_scopes"] == list(endpoint.scopes)
            assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


def test_without_a_key_only_what_is_public_answers(shared: Api) -> None:
    for endpoint in table():
        answer = call(shared, endpoint)
        if endpoint.public:
            assert answer.status_code not in {401, 403}, named(endpoint)
        else:
            assert answer.status_code == 401, named(endpoint)
            assert "www-authenticate" in answer.headers


def test_a_key_opens_no_page_of_a_session(shared: Api) -> None:
    _, key = shared.key()

    for endpoint in table():
        if endpoint.scopes == (SESSION,):
            assert call(shared, endpoint, key).status_code == 401, named(endpoint)


@pytest.mark.parametrize(
    ("state", "code"), [("expired", "key-expired"), ("revoked", "key-revoked"), ("mistyped", "unauthenticated")]
)
def test_a_key_that_holds_no_more_opens_nothing(api: Api, state: str, code: str) -> None:
    made, key = api.key(valid_ms=3_600_000)
    if state == "expired":
        api.clock.tick(3600)
    elif state == "revoked":
        api.state.store.write(lambda db: keys.revoke(db, api.acme.id, made.id, "test", api.clock.now))
        api.state.keyring.refresh()
    else:
        key = key[:-1] + ("0" if key[-1] != "0" else "1")

    for endpoint in KEYED:
        answer = call(api, endpoint, key)
        assert (answer.status_code, answer.json()["code"]) == (401, code), named(endpoint)
        assert 'error="invalid_token"' in answer.headers["www-authenticate"]


def test_every_answer_to_an_exchanged_key_names_its_end(api: Api) -> None:
    made, key = api.key()
    api.state.store.write(lambda db: keys.rotate(db, api.acme.id, made.id, "test", api.clock.now, 86_400))
    api.state.keyring.refresh()

    for endpoint in KEYED:
        answer = call(api, endpoint, key)
        assert answer.headers["waypost-key-expires"] == "2026-11-21T10:00:00.000Z", named(endpoint)


def test_fixtures_are_there_for_test_keys_alone(shared: Api) -> None:
    _, trial = shared.key("agent", environment="test")
    _, live = shared.key("agent")
    request_body = {"url": "https://allow.test/pay", "intended_action": "payment"}

    assert shared.call("POST", "/v1/agent-safety", key=trial, json=request_body).json()["action_allowed"] is True
    assert shared.call("POST", "/v1/agent-safety", key=live, json=request_body).json()["action_allowed"] is False


@pytest.mark.parametrize("endpoint", [each for each in table() if each.scopes != (SESSION,)], ids=named)
def test_documented_examples_match_the_schemas_of_their_endpoints(registry: Any, endpoint: Endpoint) -> None:
    for status, answer in endpoint.answers.items():
        if answer.example is not None:
            errors = [str(each) for each in promises.validator(registry, answer.schema).iter_errors(answer.example)]
            assert not errors, f"{status}: {errors}"
    for name, example in (endpoint.body.examples if endpoint.body else {}).items():
        assert endpoint.body is not None
        errors = [str(each) for each in promises.validator(registry, endpoint.body.schema).iter_errors(example)]
        assert not errors, f"{name}: {errors}"


def test_a_key_works_as_a_bearer_token_alone(shared: Api) -> None:
    _, key = shared.key()

    for header in (key, f"Basic {key}", f"Bearer  {key} x", f"Token {key}", "Bearer", ""):
        assert shared.call("GET", "/v1/organization", headers={"Authorization": header}).status_code == 401, header
        shared.clock.tick(7)
    assert shared.call("GET", "/v1/organization", headers={"Authorization": f"bearer {key}"}).status_code == 200
