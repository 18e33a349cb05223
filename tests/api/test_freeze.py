"""The freeze over the wire: a reviewer starts it, two people end it, and a sensitive action stops meanwhile."""

from __future__ import annotations

from typing import Any

from tests.api.conftest import Api

WHY = {"reason": "an agent was taken over"}


def test_a_freeze_stops_until_two_people_end_it(api: Api) -> None:
    _, ann = api.key("agent", "review")
    _, bea = api.key("agent", "review")

    def start(key: str) -> Any:
        return api.call("POST", "/v1/freeze", key=key, json=WHY)

    def end(key: str) -> Any:
        return api.call("POST", "/v1/freeze/end", key=key, json=WHY)

    def reasons() -> list[str]:
        body = {"url": "https://shop.example.com/", "intended_action": "payment"}
        found: list[str] = api.call("POST", "/v1/agent-safety", key=ann, json=body).json()["reason_codes"]
        return found

    assert "actions_frozen" not in reasons()
    who = start(ann).json()["by"]
    assert "actions_frozen" in reasons()
    assert end(ann).json()["end_requested_by"] == who
    assert end(ann).status_code == 409
    assert api.call("GET", "/v1/freeze", key=bea).json()["frozen"] is True
    assert end(bea).json() == {"frozen": False}
    assert "actions_frozen" not in reasons()
