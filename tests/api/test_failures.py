"""Whatever fails on the way to a decision, nobody is told that they may go ahead."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.api.conftest import Api

from waypost.isolation.threads import ProviderThreads
from waypost.service import Service
from waypost.service.providers import InMemory

REQUEST = {"url": "https://allow.test/", "intended_action": "payment"}


def send_request(api: Api, key: str) -> Any:
    return api.call("POST", "/v1/agent-safety", key=key, json=REQUEST)


@pytest.fixture
def allowed(api: Api) -> str:
    """A key that is allowed to pay at the fixture, as long as everything works."""
    _, key = api.key("agent", environment="test")
    assert send_request(api, key).json()["action_allowed"] is True
    return key


def check_rejected(answer: Any) -> None:
    assert answer.status_code == 503, answer.text
    assert answer.json()["code"] == "not-ready"
    assert answer.headers["retry-after"]
    assert "action_allowed" not in answer.text
    assert "sqlite" not in answer.text.lower()


def test_a_store_that_was_closed(api: Api, allowed: str) -> None:
    api.state.store.close()
    check_rejected(send_request(api, allowed))


@pytest.mark.parametrize(
    "code",
    [sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN],
)
@pytest.mark.sqlite("errors of a file; test_store_postgres.py ends connections")
def test_a_disk_that_is_full_or_cannot_be_written(
    api: Api, allowed: str, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    from waypost.store import decisions

    def fails(*_: Any) -> None:
        error = sqlite3.OperationalError("what SQLite says then")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(decisions, "put_at_once", fails)
    check_rejected(send_request(api, allowed))
    monkeypatch.setattr(decisions, "put_at_once", lambda *_: False)
    monkeypatch.setattr(decisions, "put", fails)
    check_rejected(send_request(api, allowed))
    monkeypatch.undo()
    assert send_request(api, allowed).json()["action_allowed"] is True


@pytest.mark.sqlite("locks of a file")
def test_a_store_that_another_process_has_locked(api: Api, allowed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = sqlite3.connect(api.state.store.path, isolation_level=None)
    api.state.store.write(lambda db: db.execute("PRAGMA busy_timeout = 50"))
    other.execute("BEGIN IMMEDIATE")
    try:
        check_rejected(send_request(api, allowed))
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert send_request(api, allowed).json()["action_allowed"] is True


def test_a_hanging_database_stops_decisions_and_nothing_else(
    api: Api, allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.api import state
    from waypost.store import decision_queue

    limits = (state, "READ_S"), (state, "_READY_S"), (decision_queue, "SAVE_S")
    for module, name in limits:
        monkeypatch.setattr(module, name, 0.2)
    monkeypatch.setattr(api.state, "_readers", ProviderThreads())
    _, reader = api.key("search", "validate")
    awake = threading.Event()
    read = api.state.store.read
    busy = api.state.store.writer.submit(lambda _: awake.wait(30))
    monkeypatch.setattr(api.state.store, "read", lambda work: awake.wait(30) and read(work))
    request = ("POST", "/v1/agent-safety", {"key": allowed, "json": REQUEST})
    others = [("GET", "/v1/search?q=acme", {"key": reader}), ("GET", "/readyz", {}), ("GET", "/healthz", {})]

    answers = api.together([request, *others])
    monkeypatch.setattr(api.state.keyring, "_due", float("-inf"))
    unread = api.together([request])
    awake.set()
    busy.result()
    for module, name in limits:  # a busy machine may need longer to connect
        monkeypatch.setattr(module, name, 10.0)

    check_rejected(answers[0])
    check_rejected(unread[0])
    assert [answer.status_code for answer in answers[1:]] == [503, 503, 200]
    assert '"store":false' in answers[2].text.replace(" ", "") or answers[2].json()["code"] == "not-ready"
    assert send_request(api, allowed).json()["action_allowed"] is True


def test_searches_that_take_long_stop_themselves_alone(api: Api, allowed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.api import state
    from waypost.store import search

    monkeypatch.setattr(state, "READ_S", 0.2)
    monkeypatch.setattr(state, "MOST_SEARCHES", 3)
    _, reader = api.key("search", "official", "agent")
    awake, find, searched = threading.Event(), search.search, []
    monkeypatch.setattr(
        search, "search", lambda *args, **more: (awake.wait(30), searched.append(args), find(*args, **more))[-1]
    )
    paths = ["/v1/search?q=acme", "/v1/official?q=acme", "/v1/search?q=example", "/v1/search?q=other"]
    request = ("POST", "/v1/agent-safety", {"key": allowed, "json": REQUEST})

    *late, decision = api.together([*(("GET", path, {"key": reader}) for path in paths), request])
    awake.set()
    monkeypatch.setattr(state, "READ_S", 10.0)
    again = api.call("GET", paths[0], key=reader)

    assert [(answer.status_code, answer.json()["code"]) for answer in late] == [(503, "not-ready")] * 4
    details = sorted(answer.json()["detail"] for answer in late)
    assert details == [state._LONG_SEARCH] * 3 + [state._MANY_SEARCHES]
    assert decision.json()["action_allowed"] is True
    assert again.status_code == 200
    # The third began when no one waited for it any more. The others end beside the last answer.
    for _ in range(2400):
        if len(searched) > state.SEARCH_THREADS:
            break
        time.sleep(0.05)
    assert len(searched) == state.SEARCH_THREADS + 1


def test_a_clock_that_went_back(api: Api, allowed: str) -> None:
    api.clock.tick(-3600)
    check_rejected(send_request(api, allowed))
    api.clock.tick(3600)
    assert send_request(api, allowed).json()["action_allowed"] is True


def test_keys_that_cannot_be_read(api: Api, allowed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.store import keys

    def fails(*_: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(keys, "changed", fails)
    monkeypatch.setattr(api.state.keyring, "_due", float("-inf"))
    check_rejected(send_request(api, allowed))


def test_relationships_that_cannot_be_read(api: Api, allowed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    known = InMemory(fails)
    monkeypatch.setattr(api.state, "fixtures", Service(api.state.fixtures.world, known=known, now=api.clock))
    check_rejected(send_request(api, allowed))


def test_a_caller_that_leaves_costs_no_other_its_answer(api: Api, allowed: str) -> None:
    async def run() -> list[Any]:
        held = [asyncio.create_task(api.state.write(lambda db: db.execute("SELECT 1").fetchone())) for _ in range(8)]
        await asyncio.sleep(0)
        held[3].cancel()
        return await asyncio.gather(*held, return_exceptions=True)

    results = asyncio.run(run())
    assert [type(each) for each in results].count(asyncio.CancelledError) == 1
    assert results.count((1,)) == 7


def test_one_piece_of_work_that_fails_is_undone_alone(api: Api) -> None:
    def well(db: Any) -> int:
        db.execute("INSERT INTO setting (name, value) VALUES ('well', ?)", (b"1",))
        return 1

    def badly(db: Any) -> None:
        db.execute("INSERT INTO setting (name, value) VALUES ('badly', ?)", (b"1",))
        raise ValueError("no")

    async def run() -> list[Any]:
        work: list[Callable[..., Any]] = [well, badly]
        return await asyncio.gather(*(api.state.write(each) for each in work), return_exceptions=True)

    one, other = asyncio.run(run())
    assert one == 1
    assert isinstance(other, ValueError)
    names = api.state.read(lambda db: {row[0] for row in db.execute("SELECT name FROM setting")})
    assert "well" in names
    assert "badly" not in names
