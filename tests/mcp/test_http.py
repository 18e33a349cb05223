"""The server over HTTP, in front of a service: whose keys it takes, whom it refuses, and what the SDK's client gets."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from tests.mcp.conftest import HELLO, PATIENCE_S, SECRET, WAYPOST, Service, environment, first

from waypost.mcp.arrival import MOST_ARRIVING, REQUESTS_OF_KEY, SESSIONS_OF_KEY, Holders

URL = f"https://stop.test/{SECRET}?token={SECRET}"
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
def address(service: Service) -> Iterator[str]:
    process = subprocess.Popen(
        [*WAYPOST, "mcp", "--http", "--port", "0", "--service", service.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdout
    yield process.stdout.readline().split()[1]
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert SECRET not in out + err
    assert service.key not in out + err


def post(address: str, message: dict[str, Any], **headers: str) -> httpx.Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(address, json=message, headers=ACCEPT | given, timeout=PATIENCE_S, trust_env=False)


def opening() -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}


@pytest.mark.parametrize("authorization", ["", "Basic eDp5", "Bearer", "Bearer wp_live_no-such-key", "Bearer a b"])
def test_without_a_key_of_the_service_nothing_is_revealed(address: str, authorization: str) -> None:
    answer = post(address, opening(), **({"authorization": authorization} if authorization else {}))

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["error"]["message"].startswith("STOP:")


def test_a_key_in_the_address_is_rejected_with_advice(address: str, service: Service) -> None:
    for given in ({}, {"authorization": f"Bearer {service.key}"}):
        answer = post(f"{address}?x=1&api%5Fkey={service.key}", opening(), **given)

        assert answer.status_code == 400
        assert "rotate it" in answer.json()["error"]["message"]
        assert service.key not in answer.text


@pytest.mark.parametrize("header", ["Authorization: Bearer KEY", "Host: evil.test", "Mcp-Session-Id: a", "X: LONG"])
def test_contradicting_and_endless_headers_are_rejected(address: str, service: Service, header: str) -> None:
    """The SDK reads the first of two, and we the last: one key would be checked and another one used."""
    url = httpx.URL(address)
    body = json.dumps(opening()).encode()
    sent = header.replace("KEY", "wp_test_other").replace("LONG", "x" * 200_000)
    lines = [
        f"POST {url.path} HTTP/1.1", f"Host: {url.netloc.decode()}", f"Authorization: Bearer {service.key}", sent,
        "Mcp-Session-Id: b" if "Session" in sent else "X-Other: b", "Connection: close", f"Content-Length: {len(body)}",
        "Content-Type: application/json", "Accept: application/json, text/event-stream", "", "",
    ]  # fmt: skip
    with socket.create_connection((url.host, url.port), timeout=PATIENCE_S) as line:
        with suppress(OSError):  # the server may end a connection in the middle of a long header
            line.sendall("\r\n".join(lines).encode() + body)
        answer = b""
        with suppress(OSError):
            while part := line.recv(65536):
                answer += part

    assert b" 400 " in answer.partition(b"\r\n")[0] or (not answer and "X: " in sent), answer[:200]


@pytest.mark.parametrize("header", [{"host": "evil.test"}, {"origin": "https://evil.test"}])
def test_a_rebound_name_is_rejected(address: str, service: Service, header: dict[str, str]) -> None:
    answer = post(address, opening(), authorization=f"Bearer {service.key}", **header)

    assert answer.status_code in {403, 421}
    assert answer.json()["error"]["message"].startswith("STOP:")


def test_a_key_loses_its_own_oldest_sessions_only(address: str, service: Service) -> None:
    other = service.keys("create", "--name", "many", "--labels", "Write")["key"]
    stored = post(address, opening(), authorization=f"Bearer {service.key}").headers["mcp-session-id"]
    sessions = [
        post(address, opening(), authorization=f"Bearer {other}").headers["mcp-session-id"]
        for _ in range(SESSIONS_OF_KEY + 1)
    ]

    def lists(session: str, key: str) -> int:
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        return post(address, message, authorization=f"Bearer {key}", mcp_session_id=session).status_code

    assert [lists(session, other) for session in (*sessions[:2], sessions[-1])] == [404, 200, 200]
    assert lists(stored, service.key) == 200


def test_silent_and_slow_connections_exclude_no_one(address: str, service: Service) -> None:
    other = service.keys("create", "--name", "slow", "--labels", "Write")["key"]
    host, port = address.removeprefix("http://").removesuffix("/mcp").split(":")
    slow = f"POST /mcp HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {other}\r\ncontent-length: 99999\r\n\r\n{{"
    waiting = []
    try:
        for number in range(2 * MOST_ARRIVING + 50):
            waiting.append(socket.create_connection((host, int(port)), timeout=PATIENCE_S))
            if number % 2:
                waiting[-1].sendall(slow.encode())
        answer = post(address, opening(), authorization=f"Bearer {service.key}")
        oldest = waiting[0].recv(100)
    finally:
        for connection in waiting:
            connection.close()

    assert answer.status_code == 200
    assert oldest.startswith(b"HTTP/1.1 408 ")


def test_a_key_has_bounded_requests_at_a_time() -> None:
    holders = Holders(idle_s=600)

    assert [holders.begin("a") for _ in range(REQUESTS_OF_KEY + 1)] == [True] * REQUESTS_OF_KEY + [False]
    assert holders.begin("b")
    holders.end("a")
    assert holders.begin("a")


def test_another_key_cannot_use_a_session(address: str, service: Service) -> None:
    opened = post(address, opening(), authorization=f"Bearer {service.key}")
    session = opened.headers["mcp-session-id"]
    other = service.keys("create", "--name", "other", "--labels", "Write")["key"]

    answer = post(
        address,
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        authorization=f"Bearer {other}",
        mcp_session_id=session,
    )

    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("headers", "status", "text"),
    [
        ({"accept": "text/html"}, 406, "the header Accept must name application/json and text/event-stream"),
        ({"mcp_session_id": SECRET}, 404, "there is no such session; begin with initialize"),
        ({"content_type": "text/xml"}, 400, "the request does not follow the protocol"),
    ],
)
def test_an_http_error_is_a_stop_with_advice(
    address: str, service: Service, headers: dict[str, str], status: int, text: str
) -> None:
    sent = {"mcp_protocol_version": "2025-11-25"} | headers

    answer = post(address, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                  authorization=f"Bearer {service.key}", **sent)  # fmt: skip

    assert (answer.status_code, answer.json()["error"]["message"]) == (status, f"STOP: refused: {text}")


@pytest.mark.parametrize("key_of", ["Read", "revoked"])
def test_a_key_that_may_not_check_gets_a_stop(address: str, service: Service, key_of: str) -> None:
    made = service.keys("create", "--name", "agent", "--labels", "Read" if key_of == "Read" else "Write")
    result = asyncio.run(called(address, made["key"]))
    if key_of == "revoked":
        service.keys("revoke", made["id"])
        # Another process revoked it; the service knows within a second.
        for _ in range(50):
            result = asyncio.run(called(address, made["key"], opens=False))
            if "stop.test" not in first(result):
                break
            time.sleep(0.1)
    assert first(result).startswith("STOP: no decision and no result:")


async def called(address: str, key: str, *, opens: bool = True) -> dict[str, Any]:
    """Result of a check by the SDK's own client; without `opens` by a single request of the stateless revision."""
    arguments = {"url": URL, "intended_action": "payment"}
    if not opens:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": "check_destination", "arguments": arguments, "_meta": meta}
        answer = post(
            address,
            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params},
            authorization=f"Bearer {key}",
            mcp_protocol_version="2026-07-28",
            mcp_method="tools/call",
            mcp_name="check_destination",
        )
        found: dict[str, Any] = (
            json.loads(answer.text.split("data: ")[-1]) if "data: " in answer.text else answer.json()
        )
        return found["result"]  # type: ignore[no-any-return]
    from mcp.client.session import ClientSession
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async with (
        create_mcp_http_client(headers={"authorization": f"Bearer {key}"}) as http,
        streamable_http_client(address, http_client=http) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        result = await session.call_tool("check_destination", arguments)
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def test_the_sdks_client_gets_the_decision_of_the_service(address: str, service: Service) -> None:
    result = asyncio.run(called(address, service.key))

    assert first(result).startswith("STOP: payment at stop.test must not go ahead.")
    assert result["structuredContent"]["dispute_path"]


def test_the_stateless_revision_gets_it_in_one_request(address: str, service: Service) -> None:
    result = asyncio.run(called(address, service.key, opens=False))

    assert first(result).startswith("STOP: payment at stop.test must not go ahead.")


def test_a_message_outside_json_is_answered_without_echo(address: str, service: Service) -> None:
    headers = ACCEPT | {"authorization": f"Bearer {service.key}"}
    answer = httpx.post(address, content=b"{" + SECRET.encode(), headers=headers, trust_env=False)

    assert answer.json()["error"]["message"].startswith("STOP:")
    assert SECRET not in answer.text


def test_a_repeated_member_is_an_error(address: str, service: Service) -> None:
    headers = ACCEPT | {"authorization": f"Bearer {service.key}"}
    text = json.dumps(opening()).replace('"params"', '"method": "ping", "params"')
    answer = httpx.post(address, content=text.encode(), headers=headers, trust_env=False)

    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("STOP:")


def stateless(method: str, version: str, **params: Any) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}


def test_white_space_around_a_header_is_ignored(address: str, service: Service) -> None:
    """RFC 9110 section 5.5; the conformance suite asks for it."""
    headers = {
        "authorization": f"Bearer {service.key}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
    }
    message = stateless("tools/call", "2026-07-28", name="schema", arguments={})

    other = post(address, message, **headers, mcp_name="dispute")
    # httpx sends no such value.
    line = http.client.HTTPConnection(httpx.URL(address).netloc.decode(), timeout=PATIENCE_S)
    sent = {name.replace("_", "-"): value for name, value in headers.items()} | ACCEPT | {"mcp-name": "  schema  "}
    line.request("POST", httpx.URL(address).path, json.dumps(message), sent)
    spaced = line.getresponse()
    text = spaced.read()
    line.close()

    assert (spaced.status, first(json.loads(text)["result"]).partition(":")[0]) == (200, "RESULT")
    assert (other.status_code, other.json()["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize(("version", "repeated"), [("v999.0.0", True), ("2031-01-01", True), (SECRET, False)])
def test_an_unknown_version_is_repeated_only_when_numeric(
    address: str, service: Service, version: str, repeated: bool
) -> None:
    headers = {"authorization": f"Bearer {service.key}", "mcp-protocol-version": version, "mcp-method": "tools/list"}

    error = post(address, stateless("tools/list", version), **headers).json()["error"]

    assert error["message"].startswith("STOP:")
    assert error["data"].get("requested") == (version if repeated else None)
    assert "2026-07-28" in error["data"]["supported"]
