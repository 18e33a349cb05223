"""Batches in every interface: side by side, in order, under one deadline, and ended with their client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.api.conftest import Api
from tests.test_service import seen_of

from waypost.models.decision import Target
from waypost.models.observation import Observations
from waypost.service import Service
from waypost.service.batches import LONGEST_S, batch_s, in_order
from waypost.service.outbound_limit import OutboundLimit

PLACES = 4


class Network:
    """Probe that takes its time and counts who is on the way."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.most = 0

    async def __call__(self, target: Target, within_s: float) -> Observations:
        self.begun.append(target.host)
        self.most = max(self.most, len(self.begun) - len(self.ended))
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.ended.append(target.host)
        return seen_of(target)


def on(api: Api, network: Network) -> None:
    """Let live keys of the service be answered over a network."""
    limit = OutboundLimit(network, api.clock, 32, PLACES)
    api.state.service = Service(api.state.service.world, probe=limit, now=api.clock)


def items(count: int) -> list[dict[str, str]]:
    return [{"url": f"https://host-{number}.test/pay", "intended_action": "payment"} for number in range(count)]


def evaluations(count: int) -> dict[str, Any]:
    names = [{"resource": {"type": "url", "id": each["url"]}} for each in items(count)]
    return {"subject": {"type": "agent", "id": "a"}, "action": {"name": "payment"}, "evaluations": names}


@pytest.mark.parametrize(
    ("path", "body", "member", "host"),
    [
        ("/v1/agent-safety/batch", {"items": items(10)}, "results", lambda each: each["normalized_domain"]),
        (
            "/access/v1/evaluations",
            evaluations(10),
            "evaluations",
            lambda each: each["context"]["normalized_domain"],
        ),
    ],
)
def test_a_batch_runs_in_the_share_of_its_organization(api: Api, path: str, body: Any, member: str, host: Any) -> None:
    _, key = api.key("agent")
    on(api, network := Network(0.05))

    answer = api.call("POST", path, key=key, json=body)

    assert [host(each) for each in answer.json()[member]] == [f"host-{number}.test" for number in range(10)]
    assert network.most == PLACES
    assert "network_check_not_made" not in answer.text


def test_batch_waits_longer_for_its_places_than_one_check(api: Api) -> None:
    _, key = api.key("agent")
    on(api, Network(0.2))

    # Three rounds of 0.2 seconds, where each check has 0.3.
    answer = api.call(
        "POST", "/v1/agent-safety/batch", key=key, json={"items": items(12)}, headers={"Waypost-Deadline-Ms": "300"}
    )

    assert "network_check_not_made" not in answer.text


def test_a_denial_ends_a_batch_before_the_next_check(api: Api) -> None:
    _, key = api.key("agent")
    on(api, network := Network(0))

    body = {"items": items(3), "semantic": "deny_on_first_deny"}
    answer = api.call("POST", "/v1/agent-safety/batch", key=key, json=body).json()
    others = evaluations(3) | {"options": {"evaluations_semantic": "deny_on_first_deny"}}
    denied = api.call("POST", "/access/v1/evaluations", key=key, json=others).json()

    assert (len(answer["results"]), answer["stopped_at"], len(denied["evaluations"])) == (1, 0, 1)
    assert network.begun == ["host-0.test"]


@pytest.mark.parametrize(
    ("path", "body"), [("/v1/agent-safety/batch", {"items": items(20)}), ("/access/v1/evaluations", evaluations(20))]
)
def test_a_client_that_is_gone_ends_its_batch(api: Api, path: str, body: Any) -> None:
    _, key = api.key("agent")
    on(api, network := Network(30))

    async def leave() -> list[Any]:
        gone, sent = asyncio.Event(), []
        messages = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = {"host": "127.0.0.1:8000", "authorization": f"Bearer {key}", "content-type": "application/json"}
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": ("192.0.2.7", 1),
            "server": ("127.0.0.1", 8000), "headers": [(a.encode(), b.encode()) for a, b in headers.items()],
        }  # fmt: skip
        running = asyncio.create_task(api.app(scope, receive, send))
        while len(network.begun) < PLACES:
            await asyncio.sleep(0.01)
        gone.set()
        await asyncio.wait_for(running, 120)
        return sent

    sent = api.run(leave())

    assert len(network.begun) == len(network.ended) == PLACES
    assert sent[0]["status"] == 503


def test_a_single_check_during_a_batch_gets_its_place(api: Api) -> None:
    _, key = api.key("agent")
    on(api, Network(0.1))
    batch = ("POST", "/v1/agent-safety/batch", {"key": key, "json": {"items": items(24)}})
    single = ("POST", "/v1/agent-safety", {"key": key, "json": {**items(1)[0], "url": "https://other.test/"}})

    answers = api.together([batch, single])

    assert "network_check_not_made" not in answers[1].text


def test_checks_without_a_place_are_reported_as_not_made(api: Api) -> None:
    _, key = api.key("agent")
    on(api, Network(0.4))
    requests = [
        ("POST", "/v1/agent-safety", {"key": key, "headers": {"Waypost-Deadline-Ms": "450"},
                                      "json": {**each, "include": ["evidence_summary"]}})
        for each in items(PLACES + 3)
    ]  # fmt: skip

    answers = [answer.json() for answer in api.together(requests)]
    kinds = {"registration_data_check", "automated_network_check"}

    for answer in answers[:PLACES]:
        assert "network_check_not_made" not in answer["unknowns"]
    for answer in answers[PLACES:]:
        statuses = {each["status"] for each in answer["evidence_summary"] if each["type"] in kinds}
        assert "network_check_not_made" in answer["unknowns"]
        assert {"dns_timeout", "dns_not_resolved"}.isdisjoint(answer["unknowns"])
        assert statuses == {"not_attempted"}
        assert answer["expires_at"] == api.state.written(api.clock.now + 5000)


def test_a_deadline_of_a_batch_grows_with_its_rounds() -> None:
    assert batch_s(50, 4, 1.5) == 19.5
    assert batch_s(3, 4, 1.5) == 1.5
    assert batch_s(50, 1, 1.5) == LONGEST_S


def test_slow_check_at_the_front_holds_up_no_other() -> None:
    begun: list[int] = []

    async def work(number: int) -> int:
        begun.append(number)
        await asyncio.sleep(0.2 if number == 0 else 0.01)
        return number

    async def run() -> list[int]:
        return [each async for each in in_order([lambda n=n: work(n) for n in range(8)], at_once=2)]

    assert asyncio.run(run()) == list(range(8))
    assert begun == list(range(8))
