"""Log of refusals and outages: a line each, with its cause; stack frames only for an error of the program."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.api.conftest import Api

from waypost.api.logs import Logs
from waypost.errors import NotReady
from waypost.isolation.workers import Busy, Pool, WorkerLost
from waypost.service.problems import ProblemError
from waypost.store import decisions
from waypost.store.errors import StoreError

CHECK = {"url": "https://allow.test/", "intended_action": "payment"}
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(api: Api) -> Lines:
    """The lines that the service logged so far."""
    written: list[bytes] = []
    api.state.logs = Logs(write=written.append)
    return lambda: [json.loads(line) for line in written]


@pytest.fixture
def key(api: Api) -> str:
    return api.key(environment="test")[1]


def full(*_: Any) -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    error.sqlite_errorname = "SQLITE_FULL"
    raise error


@pytest.mark.sqlite("errors of a file")
def test_a_full_disk_is_a_line_with_its_code(api: Api, key: str, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "put_at_once", full)

    assert api.call("POST", "/v1/agent-safety", key=key, json=CHECK).status_code == 503

    (line,) = lines()
    assert (line["event"], line["status"], line["problem"]) == ("request", 503, "not-ready")
    assert line["cause"] == "SQLITE_FULL"


@pytest.mark.parametrize("error", [Busy, WorkerLost, lambda: NotReady("late"), lambda: StoreError("away")])
def test_overload_and_lost_parts_are_lines_without_frames(
    api: Api, key: str, lines: Lines, monkeypatch: pytest.MonkeyPatch, error: Callable[[], Exception]
) -> None:
    async def run(*_: Any, **__: Any) -> None:
        raise error()

    monkeypatch.setattr(Pool, "run", run)

    page = {"content-type": "text/html"}
    assert api.call("POST", "/v1/validate", key=key, content=b"<p>", headers=page).status_code == 503

    (line,) = lines()
    assert (line["event"], line["problem"], line["cause"].rpartition(".")[2]) == (
        "request", "not-ready", type(error()).__name__,
    )  # fmt: skip


def test_a_closed_store_is_a_line_a_request(api: Api, key: str, lines: Lines) -> None:
    api.call("POST", "/v1/agent-safety", key=key, json=CHECK)
    api.state.store.close()

    for path in ("/v1/agent-safety", "/v1/check-url"):
        assert api.call("POST", path, key=key, json=CHECK).status_code == 503
    assert api.call("GET", "/readyz").status_code == 503

    assert {line["event"] for line in lines()} == {"request"}
    assert [line.get("cause", "") for line in lines()] == ["", *["waypost.store.errors.StoreClosed"] * 2, ""]


def test_refusals_are_a_line_without_a_cause(api: Api, key: str, lines: Lines) -> None:
    rejected = [
        api.call("GET", "/v1/organization").status_code,
        api.call("GET", "/v1/decisions/unknown", key=key).status_code,
        api.call("POST", "/v1/agent-safety", key=key, content=b"{").status_code,
        api.call("POST", "/v1/agent-safety", key=key, json={"url": "x"}).status_code,
        api.call("GET", "/nowhere").status_code,
        api.call("PUT", "/v1/agent-safety").status_code,
    ]

    assert rejected == [401, 404, 415, 422, 404, 405]
    assert [(line["event"], "cause" in line) for line in lines()] == [("request", False)] * 6


@pytest.mark.parametrize(
    "messages",
    [
        [{"type": "http.disconnect"}],
        [{"type": "http.request", "body": b'{"url"', "more_body": True}, {"type": "http.disconnect"}],
    ],
)
@pytest.mark.parametrize("path", ["/v1/agent-safety", "/v1/agent-safety/batch", "/v1/validate", "/v1/relationships"])
def test_a_client_that_leaves_is_a_line(api: Api, lines: Lines, path: str, messages: list[dict[str, Any]]) -> None:
    _, live = api.key()
    left = list(messages)

    async def receive() -> dict[str, Any]:
        return left.pop(0) if left else {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        """The client reads nothing."""

    headers = {"host": "127.0.0.1", "authorization": f"Bearer {live}", "content-type": "application/json"}
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()], "client": ("192.0.2.1", 1),
        "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 80), "state": {},
    }  # fmt: skip
    api._loop.run_until_complete(api.app(scope, receive, send))

    assert [line["event"] for line in lines()] == ["request"]


def test_error_of_the_program_is_logged_with_its_frames(
    api: Api, key: str, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "find", lambda *_: 1 / 0)

    assert api.call("GET", "/v1/decisions/any", key=key).status_code == 500

    failure, request = lines()
    assert failure["event"] == "failure"
    assert failure["route"] == "/v1/decisions/{decision_id}"
    assert failure["faults"][0]["type"] == "ZeroDivisionError"
    assert failure["faults"][0]["frames"]
    assert (request["status"], "cause" in request) == (500, False)


def test_a_background_task_logs_an_outage_without_frames() -> None:
    from waypost.api.background import _noted

    written: list[bytes] = []
    state: Any = SimpleNamespace(logs=Logs(write=written.append))

    async def task(error: Exception) -> None:
        raise error

    for error in (StoreError("away"), ValueError("a bug")):
        asyncio.run(_noted(state, task(error)))

    outage, failure = map(json.loads, written)
    assert (outage["event"], outage["cause"]) == ("outage", "waypost.store.errors.StoreError")
    assert failure["event"] == "failure"
    assert "away" not in str(written)


@pytest.mark.sqlite("the disk of a file")
def test_a_nearly_full_disk_is_not_ready(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    assert api.call("GET", "/readyz").status_code == 200
    monkeypatch.setattr("waypost.api.state.disk_usage", lambda _: SimpleNamespace(free=1 << 20))

    answer = api.call("GET", "/readyz")

    assert (answer.status_code, answer.json()["checks"]["store"]) == (503, False)


def test_a_site_without_an_address_uses_the_services_sitemap(tmp_path: Any) -> None:
    from waypost.api.settings import Settings
    from waypost.api.site import UNPLACED, Site
    from waypost.pages.feeds import _UNPLACED

    assert UNPLACED.decode() == _UNPLACED
    (tmp_path / "sitemap.xml").write_text(f"<url><loc>{_UNPLACED}rules/</loc></url>")
    (tmp_path / "other.xml").write_text(f"<loc>{_UNPLACED}</loc>")
    site = Site(Settings(site=str(tmp_path), site_url="http://127.0.0.1:8080"))

    found, other = site.page("/sitemap.xml"), site.page("/other.xml")
    assert found is not None
    assert other is not None
    assert found.content == b"<url><loc>http://127.0.0.1:8080/rules/</loc></url>"
    assert _UNPLACED.encode() in other.content


def test_a_page_missing_during_the_build_may_come(tmp_path: Any) -> None:
    from waypost.api.settings import Settings
    from waypost.api.site import Site

    running = [True]
    site = Site(Settings(site=str(tmp_path)), lambda: running[0])
    call = SimpleNamespace(scope={"path": "/rules/"}, header=lambda _: "text/html")

    early = site.answer(cast("Any", call))
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "index.html").write_text("<p>rules")
    built = site.answer(cast("Any", call))
    running[0] = False
    call.scope["path"] = "/nothing/"

    assert (early.status_code, early.headers["retry-after"]) == (503, "2")
    assert (built.status_code, built.content) == (200, b"<p>rules")
    with pytest.raises(ProblemError) as missing:
        site.answer(cast("Any", call))
    assert missing.value.code == "not-found"
