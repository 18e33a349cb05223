"""Messages of a client that are not as the protocol has them: each request gets an error, and the server goes on.

Source: JSON-RPC 2.0, sections 4 and 5; Language Server Protocol 3.17, "Base Protocol", "Server lifecycle".
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from waypost.registry import Registry, load

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from waypost.lint.project import Project
from waypost.lsp.server import serve

PARSE, INVALID, UNKNOWN_METHOD, PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002
PAGE = {"uri": "file:///page.html", "languageId": "html", "version": 1, "text": "<p>one</p>\n<p>two</p>"}
AT = {"textDocument": {"uri": PAGE["uri"]}}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load()


def framed(body: Any, field: str = "Content-Length") -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"{field}: {len(content)}\r\n\r\n".encode() + content


def request(number: object, method: object, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


BEGIN = framed(request(0, "initialize", processId=None, rootUri=None, capabilities={}))
OPEN = framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": PAGE}})
END = framed({"jsonrpc": "2.0", "id": 99, "method": "shutdown"})


def answers(registry: Registry, *messages: bytes) -> list[dict[str, Any]]:
    """Responses to messages, in the order of arrival."""
    out = BytesIO()
    serve(Project(registry, use_config=False), BytesIO(b"".join(messages)), out)
    found, rest = [], out.getvalue()
    while rest:
        head, _, body = rest.partition(b"\r\n\r\n")
        length = int(head.partition(b"\r\n")[0].removeprefix(b"Content-Length: "))
        found.append(json.loads(body[:length]))
        rest = body[length:]
    return [each for each in found if "method" not in each]


def errors(registry: Registry, *messages: Any) -> list[tuple[object, int]]:
    """Id and code of each error for messages between `initialize` and `shutdown`, which both are answered.

    Bytes are sent as they are.
    """
    sent = [each if isinstance(each, bytes) else framed(each) for each in messages]
    found = answers(registry, BEGIN, OPEN, *sent, END)
    assert {each["id"] for each in found if "error" not in each} >= {0, 99}
    return [(each["id"], each["error"]["code"]) for each in found if "error" in each]


@pytest.mark.parametrize(
    "position",
    [
        {"line": -1, "character": 0},
        {"line": 0, "character": -5},
        {"line": 10**30, "character": 0},
        {"line": None, "character": 0},
        {"line": 0},
        {},
        [],
        None,
        "x",
    ],
)
@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/completion"])
def test_a_malformed_position_is_an_error_of_the_params(registry: Registry, method: str, position: object) -> None:
    assert errors(registry, request(7, method, **AT, position=position)) == [(7, PARAMS)]


@pytest.mark.parametrize("line", [10**6, 2**31 - 1])
def test_a_position_behind_the_end_is_answered(registry: Registry, line: int) -> None:
    assert errors(registry, request(7, "textDocument/hover", **AT, position={"line": line, "character": line})) == []


@pytest.mark.parametrize("params", [None, [], 5, "x", {}, {"textDocument": None}, {"textDocument": {}}])
@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/codeAction", "textDocument/documentSymbol"])
def test_params_that_do_not_fit_are_an_error(registry: Registry, method: str, params: object) -> None:
    assert errors(registry, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}) == [(7, PARAMS)]
    assert errors(registry, {"jsonrpc": "2.0", "id": "a", "method": method}) == [("a", PARAMS)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"{", (None, PARSE)),
        (b"\xff\xfe", (None, PARSE)),
        (b"[" * 100_000, (None, PARSE)),
        (b"[]", (None, INVALID)),
        (b"null", (None, INVALID)),
        (b"1", (None, INVALID)),
        ([request(7, "textDocument/hover")], (None, INVALID)),
        ({"jsonrpc": "1.0", "id": 7, "method": "initialize"}, (7, INVALID)),
        ({"id": 7, "method": "textDocument/hover"}, (7, INVALID)),
        ({"jsonrpc": "2.0", "id": 7}, (7, INVALID)),
        (request(7, 5), (7, INVALID)),
        (request([1], "textDocument/hover"), (None, INVALID)),
        (request(None, "textDocument/hover"), (None, INVALID)),
        (request(True, "textDocument/hover"), (None, INVALID)),
        (request(7, "initialize", processId=None, rootUri=None, capabilities={}), (7, INVALID)),
        (request(7, "no/such"), (7, UNKNOWN_METHOD)),
        (request(7, "textDocument/hover", textDocument={"jsonrpc": "2.0", "id": 1, "method": "x"}), (7, PARAMS)),
    ],
)
def test_other_than_a_request_is_an_error(registry: Registry, message: Any, expected: tuple[object, int]) -> None:
    assert errors(registry, framed(message)) == [expected]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {}},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": 5}}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 12345}},
        {"jsonrpc": "2.0", "method": "no/such"},
        {"jsonrpc": "2.0", "id": 12345, "result": 1},
        {"jsonrpc": "2.0", "id": {}, "result": 1},
    ],
)
def test_notifications_and_responses_get_no_answer(registry: Registry, message: dict[str, Any]) -> None:
    assert errors(registry, message) == []


def test_requests_before_and_after_the_session_are_errors(registry: Registry) -> None:
    hover = request(7, "textDocument/hover", **AT, position={"line": 0, "character": 0})
    before = answers(registry, framed(hover), BEGIN, END)
    after = answers(registry, BEGIN, END, framed(hover))

    assert [(each["id"], each["error"]["code"]) for each in before if "error" in each] == [(7, NOT_INITIALIZED)]
    assert [(each["id"], each["error"]["code"]) for each in after if "error" in each] == [(7, INVALID)]


@pytest.mark.parametrize(
    "header", [b"garbage\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 99999999999999\r\n\r\n", b"\r\n\r\n"]
)
def test_headers_without_a_length_are_ignored(registry: Registry, header: bytes) -> None:
    assert errors(registry, header) == []


def test_a_header_is_read_in_any_case(registry: Registry) -> None:
    assert errors(registry, framed(request(7, "no/such"), "content-length")) == [(7, UNKNOWN_METHOD)]
