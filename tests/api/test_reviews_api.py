"""From a claim to a relationship that counts, and back: over the wire, with a second pair of eyes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.api.conftest import Api, codes

from waypost.models.decision import Target
from waypost.models.observation import Observations
from waypost.service import Service
from waypost.service.fixtures import Fixture, _seen
from waypost.service.providers import StoredRelationships
from waypost.service.store_notes import StoreNotes

CLAIM = {
    "entity": {"name": "Nettle Works"},
    "domain": "pay.nettle-works.example.com",
    "relationship_type": "official_payment",
    "url": "https://pay.nettle-works.example.com/",
    "statement": "Linked from the imprint.",
    "evidence": ["https://www.nettle-works.example.com/imprint"],
}
URL = "https://pay.nettle-works.example.com/till?order=1"
BECAUSE = {"reason": "seen on the entity's own site"}


@pytest.fixture
def api(api: Api) -> Iterator[Api]:
    """A service that finds every destination well: what it decides rests on reviews alone."""

    async def observe(target: Target, within_s: float) -> Observations:
        return _seen(target, Fixture(about="", network="well"), api.clock.now)

    state = api.state
    before = state.service
    state.service = Service(before.world, probe=observe, known=StoredRelationships(state.store), now=api.clock)
    yield api
    state.service = before


def submit(api: Api, key: str, **changed: Any) -> Any:
    return api.call("POST", "/v1/relationships", key=key, json=CLAIM | changed)


def review(api: Api, key: str, name: str, step: str, body: Any = BECAUSE) -> Any:
    return api.call("POST", f"/v1/review-queue/{name}/{step}", key=key, json=body)


def decide(api: Api, key: str, action: str = "payment") -> dict[str, Any]:
    request_body = {"url": URL, "intended_action": action}
    answer: dict[str, Any] = api.call("POST", "/v1/agent-safety", key=key, json=request_body).json()
    return answer


def test_a_relationship_from_its_claim_to_an_upheld_dispute(api: Api) -> None:
    _, agent = api.key("agent", "relationships", "dispute", "official", "audit")
    _, ann = api.key("review")
    _, bea = api.key("review")

    filed = submit(api, agent, scope="global")
    name = filed.json()["relationship_id"]
    assert (filed.status_code, filed.json()) == (202, {"relationship_id": name, "review_status": "unreviewed"})
    assert filed.headers["location"] == f"/v1/relationships/{name}"
    assert decide(api, agent)["relationship_status"] == "claimed_unreviewed"

    (waiting,) = api.call("GET", "/v1/review-queue", key=ann).json()["items"]
    assert (waiting["id"], waiting["kind"], waiting["relationship"]["needed"]) == (name, "relationship", 2)
    once = review(api, ann, name, "approve").json()["relationship"]
    assert (once["state"], len(once["approvals"])) == ("in_review", 1)
    assert not decide(api, agent)["action_allowed"]
    assert review(api, ann, name, "approve").json()["code"] == "conflict"
    assert review(api, bea, name, "approve").json()["relationship"]["state"] == "accepted"

    allowed = decide(api, agent)
    assert (allowed["action_allowed"], allowed["relationship_status"]) == (True, "verified_official")
    assert api.call("GET", f"/v1/relationships/{name}", key=agent).json()["review_status"] == "reviewed"

    opened = api.call(
        "POST", allowed["dispute_path"], key=agent, json={"claim": "wrong_relationship", "statement": "It was sold."}
    )
    dispute = opened.json()["dispute_id"]
    assert (opened.status_code, opened.json()["status"]) == (202, "open")
    assert decide(api, agent)["action_allowed"], "an open dispute alone changes nothing"
    upheld = review(api, ann, dispute, "uphold").json()
    assert (upheld["kind"], upheld["dispute"]["status"]) == ("dispute", "upheld")

    stopped = decide(api, agent)
    assert (stopped["action_allowed"], stopped["relationship_status"]) == (False, "disputed")
    assert api.call("GET", f"/v1/disputes/{dispute}", key=agent).json()["status"] == "upheld"
    answer = [each["type"] for each in api.call("GET", "/v1/audit-events?limit=100", key=agent).json()["items"]]
    assert [each for each in answer if not each.startswith(("key.", "organization."))] == [
        "relationship.submitted",
        "relationship.taken_up",
        "relationship.approved",
        "relationship.accepted",
        "dispute.opened",
        "dispute.taken_up",
        "dispute.upheld",
        "relationship.disputed",
    ]


def test_an_organizations_own_acceptance_serves_its_own_keys_alone(api: Api) -> None:
    _, agent = api.key("agent", "relationships", organization=api.other)
    _, reviewer = api.key("review", organization=api.other)
    _, stranger = api.key("agent", "review")
    name = submit(api, agent).json()["relationship_id"]

    assert api.call("GET", "/v1/review-queue", key=stranger).json()["items"] == []
    assert review(api, stranger, name, "approve").status_code == 404
    assert review(api, reviewer, name, "approve").json()["relationship"]["state"] == "accepted"

    assert decide(api, agent)["action_allowed"]
    assert decide(api, stranger)["relationship_status"] == "unverified"


def test_no_submitter_reviews_their_claim_with_any_key(api: Api) -> None:
    _, own = api.key("relationships", "review", "keys")
    name = submit(api, own).json()["relationship_id"]
    another = api.call("POST", "/v1/keys", key=own, json={"name": "second hat", "scopes": ["review"]}).json()["key"]

    for key in (own, another):
        answer = review(api, key, name, "approve")
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


def test_claims_for_all_are_reviewed_by_the_operator_alone(api: Api) -> None:
    _, theirs = api.key("relationships", "review", organization=api.other)
    _, operator = api.key("review")
    name = submit(api, theirs, scope="global", relationship_type="official_site").json()["relationship_id"]

    assert review(api, theirs, name, "approve").status_code == 404
    assert review(api, operator, name, "request-changes").json()["relationship"]["state"] == "unreviewed"
    assert review(api, operator, name, "reject").json()["relationship"]["state"] == "rejected"
    assert api.call("GET", f"/v1/relationships/{name}", key=theirs).json()["state"] == "rejected"
    history = api.call("GET", f"/v1/review-queue/{name}", key=operator).json()["history"]
    assert [each["act"] for each in history] == ["submitted", "taken_up", "sent_back", "taken_up", "rejected"]


def test_a_review_needs_its_reason_and_a_possible_step(api: Api) -> None:
    _, submitter = api.key("relationships")
    _, reviewer = api.key("review")
    name = submit(api, submitter).json()["relationship_id"]

    assert codes(review(api, reviewer, name, "approve", {})) == ["#/reason: required"]
    assert review(api, reviewer, name, "approve", {"reason": " "}).status_code == 409
    assert review(api, reviewer, name, "uphold").status_code == 409
    assert review(api, reviewer, "rel_none", "approve").status_code == 404


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"domain": "https://a.example.com/pay"}, "#/domain: pattern"),
        ({"domain": "com"}, "#/domain: value"),
        ({"domain": "192.0.2.1"}, "#/domain: value"),
        ({"entity": {"name": "a\u0007b"}}, "#/entity/name: pattern"),
        ({"entity": {"name": "https://"}}, "#/entity/name: value"),
        ({"entity": {"name": "Ann", "type": "person"}}, "#/entity/type: enum"),
        ({"relationship_type": "friend"}, "#/relationship_type: enum"),
        ({"url": "javascript:alert(1)"}, "#/url: pattern"),
        ({"evidence": ["https://a.example.com/"] * 2}, "#/evidence: uniqueItems"),
        ({"evidence": [f"https://a.example.com/{each}" for each in range(6)]}, "#/evidence: maxItems"),
        ({"state": "accepted"}, "#/state: unknown-member"),
    ],
)
def test_claim_that_cannot_be_filed_names_the_wrong_member(api: Api, changed: dict[str, Any], expected: str) -> None:
    _, key = api.key("relationships")

    answer = submit(api, key, **changed)

    assert answer.status_code == 422
    assert expected in codes(answer)


def test_a_claim_is_readable_by_its_maker_alone(api: Api) -> None:
    _, own = api.key("relationships", organization=api.other)
    _, stranger = api.key("relationships")
    name = submit(api, own).json()["relationship_id"]

    assert api.call("GET", f"/v1/relationships/{name}", key=own).json()["statement"] == CLAIM["statement"]
    assert api.call("GET", f"/v1/relationships/{name}", key=stranger).status_code == 404


def test_a_reviewer_gets_places_to_check_and_rival_claims(api: Api) -> None:
    _, one = api.key("relationships")
    _, two = api.key("relationships")
    _, reviewer = api.key("review")
    name = submit(api, one).json()["relationship_id"]
    api.clock.tick(1)
    assert submit(api, two, evidence=["https://example.org/"]).json()["relationship_id"] == name

    answer = api.call("GET", f"/v1/review-queue/{name}", key=reviewer).json()["relationship"]

    assert answer["evidence"] == ["https://www.nettle-works.example.com/imprint", "https://example.org/"]
    assert (answer["claims"], answer["origins"]) == (2, 2)


def test_the_name_of_a_registered_brand_leads_to_it(api: Api) -> None:
    _, key = api.key("relationships")
    brand = next(iter(api.state.service.world.brands.values()))

    filed = submit(api, key, entity={"name": brand.name.upper()})

    answer = api.call("GET", filed.headers["location"], key=key).json()
    assert answer["entity"] == {"id": brand.slug, "name": brand.name, "type": "organization"}


HIDDEN = "\u202e\u200b\u2066\ufeff\u034f\u115f\u3164\U000e0041"


def test_a_name_is_compared_as_it_is_read(api: Api) -> None:
    _, key = api.key("relationships")

    reported = [
        api.call("GET", submit(api, key, entity={"name": name}).headers["location"], key=key).json()["entity"]
        for name in (f"Pay{HIDDEN}Pal", f"Evil{HIDDEN}Corp")
    ]

    assert reported[0] == {"id": "paypal", "name": "PayPal", "type": "organization"}
    assert reported[1] == {"id": "evilcorp", "name": "EvilCorp", "type": "organization"}
    assert codes(submit(api, key, entity={"name": HIDDEN})) == ["#/entity/name: value"]


def test_a_reviewer_reads_nothing_that_hides(api: Api) -> None:
    _, agent = api.key("agent", "relationships", "dispute")
    _, reviewer = api.key("review")
    host = "https://pay.nettle-works.example.com/"
    claim = {"statement": f"our{HIDDEN} till", "url": f"{host}{HIDDEN}", "evidence": [f"{host}{HIDDEN}"]}
    words = {
        "claim": "other",
        "statement": f"not{HIDDEN} theirs",
        "contact": f"ann{HIDDEN}",
        "evidence": [host + HIDDEN],
    }
    name = submit(api, agent, scope="global", **claim).json()["relationship_id"]
    path = decide(api, agent)["dispute_path"]
    dispute = api.call("POST", path, key=agent, json=words).json()["dispute_id"]
    for step in ("request-changes", "approve"):
        review(api, reviewer, name, step, {"reason": f"seen{HIDDEN} there"})
    api.call("POST", f"/v1/disputes/{dispute}/withdraw", key=agent, json={"reason": f"mine{HIDDEN}"})

    answer = [api.call("GET", f"/v1/review-queue/{each}", key=reviewer).json() for each in (name, dispute)]
    answer.append(api.call("GET", f"/v1/disputes/{dispute}", key=agent).json())

    text = msgspec.json.encode(answer).decode()
    assert [char for char in HIDDEN if char in text] == []
    assert answer[0]["relationship"]["url"].startswith(f"{host}%E2%80%AE%E2%80%8B")
    assert answer[0]["relationship"]["evidence"] == [answer[0]["relationship"]["url"]]
    assert [event["reason"] for event in answer[1]["history"] if "reason" in event] == ["mine"]
    assert (answer[2]["contact"], answer[2]["statement"]) == ("ann", "not theirs")


def test_a_difference_from_an_approvals_facts_becomes_a_doubt(api: Api) -> None:
    _, agent = api.key("agent", "relationships")
    _, ann = api.key("review")
    _, bea = api.key("review")
    registrar = ["Example Registrar"]

    async def observe(target: Target, within_s: float) -> Observations:
        seen = _seen(target, Fixture(about="", network="well"), api.clock.now)
        today = msgspec.structs.replace(seen.registration, registrar=registrar[0])
        return msgspec.structs.replace(seen, registration=today)

    api.state.service = Service(
        api.state.service.world,
        probe=observe,
        known=api.state.service._providers[0],
        now=api.clock,
        notes=StoreNotes(api.state.store, every_s=0),
    )
    name = submit(api, agent, scope="global").json()["relationship_id"]
    for reviewer in (ann, bea):
        assert review(api, reviewer, name, "approve").status_code == 200
    assert "ownership_continuity_unknown" not in decide(api, agent)["unknowns"]

    registrar[0] = "Another Registrar"
    api.clock.now += 120_000
    assert "ownership_continuity_unknown" in decide(api, agent)["unknowns"]
    api.state.store.write(lambda db: None)  # what was left to the writer is durable now

    (item,) = api.call("GET", "/v1/review-queue", key=ann).json()["items"]
    doubt = item["doubt"]
    assert (item["kind"], doubt["relationship_id"], doubt["changes"]) == ("doubt", name, ["registrar"])
    assert (doubt["reviewed"]["registrar"], doubt["observed"]["registrar"]) == ("Example Registrar", registrar[0])
    assert api.call("GET", f"/v1/review-queue/{item['id']}", key=ann).json()["id"] == item["id"]
    assert review(api, ann, item["id"], "approve").json()["code"] == "conflict"

    rejected = review(api, ann, item["id"], "reject").json()
    assert rejected["doubt"]["state"] == "rejected"
    assert "ownership_continuity_unknown" not in decide(api, agent)["unknowns"]
    assert api.call("GET", "/v1/review-queue", key=ann).json()["items"] == []
