"""Keys over the wire: shown once, never more than their maker has, ended at once."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest
from tests.api.conftest import Api, codes

from waypost.models import api_key as making
from waypost.models.api_key import DAY_MS

KEY_REQUEST = {"name": "checkout agent", "scopes": ["agent", "check"]}


def make(api: Api, key: str, headers: Any = None, **changed: Any) -> Any:
    body = {name: each for name, each in (KEY_REQUEST | changed).items() if each is not None}
    return api.call("POST", "/v1/keys", key=key, json=body, headers=headers)


def test_new_key_is_displayed_once_and_works_at_once(api: Api) -> None:
    _, admin = api.key("keys", "agent", "check")

    answer = make(api, admin)

    made = answer.json()
    assert answer.status_code == 201
    assert making.is_key(made["key"])
    assert answer.headers["location"] == f"/v1/keys/{made['id']}"
    assert api.call("GET", answer.headers["location"], key=made["key"]).status_code == 403
    entries = api.call("GET", answer.headers["location"], key=admin).json()
    assert entries == {name: each for name, each in made.items() if name != "key"}
    assert entries["masked"] == f"wp_live_...{made['key'][-4:]}"
    assert entries["labels"] == ["Write 2/4"]


@pytest.mark.sqlite("it reads the file")
def test_no_file_of_the_store_has_a_keys_text(api: Api) -> None:
    _, admin = api.key("keys", "agent", "check")

    text = make(api, admin, headers={"Idempotency-Key": "once-only"}).json()["key"]

    folder = api.state.store.path.parent
    assert not [each.name for each in folder.iterdir() if each.is_file() and text.encode() in each.read_bytes()]


def test_no_label_stands_for_scopes_that_manage_others(api: Api) -> None:
    _, admin = api.key()

    made = make(api, admin, scopes=None, labels=["Read", "Write", "Validate"]).json()

    assert made["labels"] == ["Read", "Write", "Validate"]
    assert not set(made["scopes"]) & {"keys", "review", "audit"}


def test_no_one_hands_on_a_scope_they_do_not_have(api: Api) -> None:
    _, admin = api.key("keys", "agent")

    answer = make(api, admin)

    assert answer.status_code == 403
    assert answer.json()["code"] == "insufficient-scope"
    assert answer.json()["required_scopes"] == ["check"]


def test_a_test_key_makes_test_keys_alone(api: Api) -> None:
    _, admin = api.key("keys", "agent", "check", environment="test")

    assert make(api, admin).json()["code"] == "insufficient-scope"
    assert make(api, admin, environment="test").json()["environment"] == "Test"


def test_a_network_bound_key_makes_none_beyond_its_network(api: Api) -> None:
    _, admin = api.key("keys", "agent", "check", ip_allowlist=("192.0.2.0/24",))

    assert make(api, admin).json()["ip_allowlist"] == ["192.0.2.0/24"]
    assert make(api, admin, ip_allowlist=["192.0.2.7"]).json()["ip_allowlist"] == ["192.0.2.7/32"]
    for outside in (["198.51.100.1"], ["0.0.0.0/0"], ["2001:db8::/32"]):
        assert codes(make(api, admin, ip_allowlist=outside)) == ["#/ip_allowlist: refused"]


def test_a_keys_quota_is_never_above_its_makers(api: Api) -> None:
    _, admin = api.key("keys", "agent", "check", limits={"checks": 10})

    assert make(api, admin).json()["limits"] == {"checks": 10}
    assert make(api, admin, limits={"checks": 5}).json()["limits"] == {"checks": 5}
    assert codes(make(api, admin, limits={"checks": 11})) == ["#/limits/checks: refused"]
    assert codes(make(api, admin, limits={"lookups": 121})) == ["#/limits/lookups: refused"]
    assert codes(make(api, admin, limits={"wishes": 1})) == ["#/limits: refused"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"name": " "}, "#/name: pattern"),
        ({"name": "a\u0000b"}, "#/name: pattern"),
        ({"name": "x" * 81}, "#/name: maxLength"),
        ({"scopes": ["everything"]}, "#/scopes/0: enum"),
        ({"scopes": []}, "#/scopes: minItems"),
        ({"expires_at": "2026-11-20T09:59:59.999Z"}, "#/expires_at: refused"),
        ({"expires_at": "2029-11-20T10:00:00.000Z"}, "#/expires_at: refused"),
        ({"expires_at": "2027-02-30T10:00:00.000Z"}, "#/expires_at: refused"),
        ({"ip_allowlist": ["300.1.1.1"]}, "#/ip_allowlist: refused"),
        ({"id": "mine"}, "#/id: unknown-member"),
    ],
)
def test_a_request_for_an_impossible_key_names_the_member(shared: Api, changed: dict[str, Any], expected: str) -> None:
    _, admin = shared.key()

    answer = make(shared, admin, **changed)

    assert answer.status_code == 422
    assert expected in codes(answer)


def test_a_key_is_valid_for_a_year_by_default(api: Api) -> None:
    _, admin = api.key()

    assert make(api, admin).json()["expires_at"] == "2027-11-20T10:00:00.000Z"
    assert make(api, admin, expires_at="2026-12-01T00:00:00.000Z").json()["expires_at"] == "2026-12-01T00:00:00.000Z"


def test_the_same_request_twice_makes_and_displays_one_key(api: Api) -> None:
    _, admin = api.key()
    headers = {"Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}

    first = make(api, admin, headers=headers)
    again = make(api, admin, headers={"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"})

    assert (first.status_code, again.status_code) == (201, 201)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert again.json()["replayed"] is True
    assert "key" not in again.json()
    assert again.json()["id"] == first.json()["id"]
    assert len(api.call("GET", "/v1/keys", key=admin).json()["items"]) == 2


def test_an_idempotency_key_serves_one_request_for_a_day(api: Api) -> None:
    _, admin = api.key()
    _, stranger = api.key(organization=api.other)
    headers = {"Idempotency-Key": "abc"}
    first = make(api, admin, headers=headers).json()["id"]

    assert make(api, admin, headers=headers, name="another").json()["code"] == "idempotency-mismatch"
    assert make(api, stranger, headers=headers).json()["id"] != first
    api.clock.tick(86_400)
    assert make(api, admin, headers=headers, name="another").status_code == 201


@pytest.mark.parametrize("header", ["x" * 65, "a b", '"a b"', "a\x7f", '""', '"a', "é", ""])
def test_a_malformed_idempotency_key_is_rejected(shared: Api, header: str) -> None:
    _, admin = shared.key()

    answer = make(shared, admin, headers={"Idempotency-Key": header.encode("latin-1")})

    assert answer.status_code == 400
    assert codes(answer) == ["Idempotency-Key: pattern"]


def test_a_failed_request_may_repeat_its_idempotency_key(api: Api) -> None:
    _, admin = api.key("keys")
    headers = {"Idempotency-Key": "abc"}

    assert make(api, admin, headers=headers).status_code == 403
    assert make(api, admin, headers=headers, scopes=["keys"]).status_code == 201


def test_an_exchanged_key_reports_how_long_it_is_valid(api: Api) -> None:
    key, admin = api.key("keys", "check", "domain")

    answer = api.call("POST", f"/v1/keys/{key.id}/rotate", key=admin, json={"overlap_seconds": 60})

    made = answer.json()
    assert answer.status_code == 201
    assert made["scopes"] == ["domain", "check", "keys"]
    old = api.call("GET", f"/v1/keys/{key.id}", key=admin)
    assert old.headers["waypost-key-expires"] == "2026-11-20T10:01:00.000Z"
    assert old.json()["replaced_by"] == made["id"]
    assert api.call("POST", f"/v1/keys/{key.id}/rotate", key=admin).json()["code"] == "conflict"
    api.clock.tick(60)
    assert api.call("GET", "/v1/keys", key=admin).json()["code"] == "key-expired"
    assert api.call("GET", "/v1/keys", key=made["key"]).status_code == 200


def test_without_a_body_the_old_key_lasts_a_day(api: Api) -> None:
    key, admin = api.key()
    api.call("POST", f"/v1/keys/{key.id}/rotate", key=admin)

    answer = api.call("GET", "/v1/organization", key=admin)

    assert answer.headers["waypost-key-expires"] == "2026-11-21T10:00:00.000Z"


def test_exchanging_a_key_needs_all_of_its_rights(api: Api) -> None:
    strong, _ = api.key("agent", "audit")
    _, admin = api.key("keys", "agent")

    answer = api.call("POST", f"/v1/keys/{strong.id}/rotate", key=admin)

    assert answer.status_code == 403
    assert answer.json()["required_scopes"] == ["audit"]


def test_exchanging_a_colleagues_key_makes_no_second_reviewer(api: Api) -> None:
    colleagues, _ = api.key("review")
    own, admin = api.key("keys", "review")

    assert api.call("POST", f"/v1/keys/{colleagues.id}/rotate", key=admin).json()["code"] == "conflict"
    assert api.call("POST", f"/v1/keys/{own.id}/rotate", key=admin).status_code == 201


def test_a_network_bound_key_exchanges_none_that_is_unbound(api: Api) -> None:
    free, _ = api.key("domain")
    near, _ = api.key("domain", ip_allowlist=("192.0.2.7/32",))
    _, admin = api.key("keys", "domain", ip_allowlist=("192.0.2.0/24",))

    assert api.call("POST", f"/v1/keys/{free.id}/rotate", key=admin).json()["code"] == "conflict"
    assert api.call("POST", f"/v1/keys/{near.id}/rotate", key=admin).status_code == 201


def test_revoked_key_is_rejected_at_once_with_the_reason(api: Api) -> None:
    key, text = api.key("domain")
    _, admin = api.key("keys", "domain")

    revoked = api.call("POST", f"/v1/keys/{key.id}/revoke", key=admin)
    again = api.call("DELETE", f"/v1/keys/{key.id}", key=admin)

    assert revoked.status_code == again.status_code == 200
    assert revoked.json()["revoked_at"] == "2026-11-20T10:00:00.000Z"
    assert again.json() == revoked.json()
    rejected = api.call("GET", "/v1/organization", key=text)
    assert (rejected.status_code, rejected.json()["code"]) == (401, "key-revoked")


def test_keys_of_another_organization_are_not_there(api: Api) -> None:
    theirs, _ = api.key(organization=api.other)
    _, admin = api.key()
    nothing = api.call("GET", "/v1/keys/no-such-key", key=admin).json()

    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/revoke")):
        answer = api.call(method, f"/v1/keys/{theirs.id}{path}", key=admin)
        assert answer.status_code == 404
        own = {name: each for name, each in answer.json().items() if name not in {"instance", "request_id"}}
        assert own == {name: each for name, each in nothing.items() if name not in {"instance", "request_id"}}
    assert theirs.id not in str(api.call("GET", "/v1/keys", key=admin).json())


def test_keys_are_paged_newest_first_with_a_cursor(api: Api) -> None:
    ids = [api.key("domain")[0].id for _ in range(5)]
    newest, admin = api.key("keys")

    seen: list[str] = []
    cursor = ""
    for _ in range(4):
        page = api.call("GET", f"/v1/keys?limit=2{cursor}", key=admin).json()
        seen += [each["id"] for each in page["items"]]
        if "next_cursor" not in page:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [newest.id, *reversed(ids)]


def test_a_cursor_is_valid_in_its_own_list_alone(api: Api) -> None:
    for _ in range(3):
        api.key("domain")
    _, admin = api.key("keys", "audit")
    _, stranger = api.key("keys", organization=api.other)
    cursor = api.call("GET", "/v1/keys?limit=1", key=admin).json()["next_cursor"]

    assert api.call("GET", f"/v1/keys?limit=3&cursor={cursor}", key=admin).status_code == 200
    for path, key in (
        (f"/v1/keys?cursor={cursor}", stranger),
        (f"/v1/audit-events?cursor={cursor}", admin),
        (f"/v1/keys?flag=live&cursor={cursor}", admin),
        (f"/v1/keys?cursor=A{cursor[1:]}", admin) if cursor[0] != "A" else (f"/v1/keys?cursor=B{cursor[1:]}", admin),
    ):
        answer = api.call("GET", path, key=key)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-cursor"), path
    api.clock.tick(3600)
    assert api.call("GET", f"/v1/keys?cursor={cursor}", key=admin).json()["code"] == "invalid-cursor"


def test_flags_pick_the_keys_in_a_state(api: Api) -> None:
    trial, _ = api.key("domain", environment="test")
    dead, _ = api.key("domain")
    _, admin = api.key("keys", "domain")
    api.call("POST", f"/v1/keys/{dead.id}/revoke", key=admin)

    def flagged(flag: str) -> list[str]:
        return [each["id"] for each in api.call("GET", f"/v1/keys?flag={flag}", key=admin).json()["items"]]

    assert flagged("revoked") == [dead.id]
    assert flagged("test") == [trial.id]
    assert dead.id not in flagged("active")
    assert flagged("expired") == []


def test_an_organization_reads_itself_its_use_and_its_events(api: Api) -> None:
    _, text = api.key("agent", "audit")
    api.call("POST", "/v1/agent-safety", key=text, json={"url": "https://a.test/", "intended_action": "payment"})

    organization = api.call("GET", "/v1/organization", key=text).json()
    usage = api.call("GET", "/v1/usage?days=1", key=text).json()
    events = api.call("GET", "/v1/audit-events", key=text).json()["items"]

    assert organization == {"id": api.acme.id, "name": "Acme", "created_at": "2026-11-20T10:00:00.000Z"}
    checks = next(each for each in usage["policies"] if each["name"] == "checks")
    assert (checks["quota"], checks["remaining"], checks["window_s"]) == (60, 59, 60)
    assert [each["type"] for each in events] == ["organization.created", "key.created"]
    assert {each["organization"] for each in events} == {api.acme.id}
    assert events[1]["prev_hash"] == events[0]["hash"]
    assert all(re.fullmatch("[0-9a-f]{64}", each["hash"]) for each in events)


def test_a_request_is_not_answered_twice_at_once(api: Api) -> None:
    _, admin = api.key()
    more = {"key": admin, "json": KEY_REQUEST, "headers": {"Idempotency-Key": "twice"}}

    answers = api.together([("POST", "/v1/keys", more)] * 4)

    made = [each for each in answers if each.status_code == 201 and "idempotency-replayed" not in each.headers]
    assert len(made) == 1
    for each in answers:
        if each.status_code != 201:
            assert (each.status_code, each.json()["code"]) == (409, "idempotency-in-progress")
    assert len(api.call("GET", "/v1/keys", key=admin).json()["items"]) == 2


def test_every_reader_can_verify_that_events_are_complete(api: Api) -> None:
    for name in ("Zoë", 'a "b" \\ c'):
        _, key = api.key()
        make(api, key, name=name)
    head, cursor = "0" * 64, ""

    for _ in range(9):
        page = api.call("GET", f"/v1/audit-events?limit=2{cursor}", key=key).json()
        for event in page["items"]:
            content = {name: each for name, each in event.items() if name != "hash"}
            canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            assert event["prev_hash"] == head
            assert event["hash"] == hashlib.sha256((head + canonical).encode()).hexdigest()
            head = event["hash"]
        if "next_cursor" not in page:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert event["sequence"] == 5


def test_no_one_ends_a_key_with_more_rights_or_time(api: Api) -> None:
    strong, _ = api.key("agent", "audit")
    lasting, _ = api.key("agent", valid_ms=700 * DAY_MS)
    equal, _ = api.key("agent")
    _, admin = api.key("keys", "agent")

    for method, path in (("POST", "/revoke"), ("DELETE", "")):
        more = api.call(method, f"/v1/keys/{strong.id}{path}", key=admin)
        longer = api.call(method, f"/v1/keys/{lasting.id}{path}", key=admin)
        assert (more.status_code, more.json()["required_scopes"]) == (403, ["audit"])
        assert (longer.status_code, longer.json()["code"]) == (403, "not-permitted")
    assert api.call("POST", f"/v1/keys/{equal.id}/revoke", key=admin).status_code == 200
    assert "revoked_at" not in api.call("GET", f"/v1/keys/{strong.id}", key=admin).json()


def test_test_key_neither_ends_nor_exchanges_a_live_one(api: Api) -> None:
    live, text = api.key("agent")
    trial, _ = api.key("agent", environment="test")
    _, admin = api.key("keys", "agent", environment="test")

    for method, path in (("POST", "/revoke"), ("DELETE", ""), ("POST", "/rotate")):
        assert api.call(method, f"/v1/keys/{live.id}{path}", key=admin).json()["code"] == "insufficient-scope"
    assert api.call("GET", "/v1/organization", key=text).status_code == 200
    assert api.call("POST", f"/v1/keys/{trial.id}/rotate", key=admin).json()["environment"] == "Test"


def test_a_key_gives_no_longer_life_than_its_own(api: Api) -> None:
    _, admin = api.key("keys", "agent", "check", valid_ms=30 * DAY_MS)
    lasting, _ = api.key("agent")

    assert make(api, admin).json()["expires_at"] == "2026-12-20T10:00:00.000Z"
    assert codes(make(api, admin, expires_at="2026-12-20T10:00:00.001Z")) == ["#/expires_at: refused"]
    assert make(api, admin, expires_at="2026-12-20T10:00:00.000Z").status_code == 201
    assert api.call("POST", f"/v1/keys/{lasting.id}/rotate", key=admin).json()["code"] == "not-permitted"


def test_repeated_exchanges_do_not_extend_a_keys_life(api: Api) -> None:
    key, text = api.key("keys", valid_ms=30 * DAY_MS)
    name = key.id
    for _ in range(3):
        api.clock.tick(86_400)
        made = api.call("POST", f"/v1/keys/{name}/rotate", key=text).json()
        assert made["expires_at"] == "2026-12-20T10:00:00.000Z"
        name, text = made["id"], made["key"]


def test_an_answer_is_repeated_to_its_own_key_alone(api: Api) -> None:
    _, admin = api.key()
    _, colleague = api.key()
    headers = {"Idempotency-Key": "same"}

    first, second = make(api, admin, headers=headers), make(api, colleague, headers=headers)

    assert second.status_code == 201
    assert "idempotency-replayed" not in second.headers
    assert second.json()["id"] != first.json()["id"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/organization?api_key={key}", "/v1/organization?x={key}", "/v1/search?q={key}", "/v1/nothing?key={key}",
        "/v1/nothing/{key}", "/?utm={key}", "/v1/agent-safety?token={key}", "/v1/schema?%6bey=x",
        "/v1/organization?KEY=1",
        "/v1/organization?a=1&access_token=", "/v1/decisions/{key}/disputes", "/keys/sign-in?token={key}",
        "/v1/organization?x=%77p_live_{rest}", "/healthz?key={key}",
    ],
)  # fmt: skip
def test_key_in_an_address_is_rejected_and_never_repeated(shared: Api, path: str) -> None:
    _, text = shared.key()
    target = path.format(key=text, rest=text[8:])

    for method in ("GET", "POST", "DELETE"):
        for key in (text, ""):
            answer = shared.call(method, target, key=key)
            assert (answer.status_code, answer.json()["code"]) == (400, "key-in-url"), (method, bool(key))
            assert "rotate" in answer.text
            assert text[8:] not in answer.text
            assert text[8:] not in str(answer.headers)


def test_parameter_like_a_key_on_a_page_is_allowed(shared: Api) -> None:
    assert shared.call("GET", "/docs/?key=value").status_code == 404  # there is no site here
    assert shared.call("GET", "/docs/?key=value").headers["content-type"] == "application/problem+json"


def test_the_limits_are_those_of_the_reading_key(api: Api) -> None:
    _, maker = api.key("keys", "agent")
    body = {"name": "few", "scopes": ["agent"], "limits": {"checks": 7}}
    key = api.call("POST", "/v1/keys", key=maker, json=body).json()["key"]

    answer, usual = (api.call("GET", "/v1/limits", key=each).json() for each in (key, maker))

    limits = {policy["name"]: policy for policy in answer["policies"]}
    assert (limits["checks"]["quota"], limits["lookups"]) == (7, usual["policies"][2])
    assert "QUERY /v1/search" in limits["lookups"]["endpoints"]
    assert answer["body_bytes"]["QUERY /v1/search"] == answer["body_bytes"]["POST /v1/search"]
    assert "each of its lines" in limits["validate"]["counts"]
    assert "pages opened" in limits["dispute-page"]["counts"]
