"""Messages on the wire: checks of incoming messages, and texts of outgoing errors.

The SDK answers many errors before a handler is reached, with texts from the request: a method, a version, a header.
Every outgoing error is therefore written again, beginning with STOP.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from waypost.mcp.answers import STOP

MOST_BYTES = 4 << 20
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
REPEATED = "a member is repeated in the message"
# Codes of JSON-RPC 2.0 (section 5.1), and those above -32100 that the Model Context Protocol adds.
_TEXTS = {
    PARSE_ERROR: "the message is not JSON",
    INVALID_REQUEST: "the message is not a valid request",
    -32601: "there is no such method",
    -32602: "the request does not match its schema",
    -32603: "the server failed",
    -32002: "there is no such resource",
    -32022: "this version of the protocol is not supported here",
    -32021: "the client lacks a capability that the request needs",
    -32020: "a header does not match the request",
}
# Searched in bytes that are not JSON or not complete: only ids that cannot be text of the caller's are read from them.
_ID = re.compile(rb'"id"\s*:\s*(-?\d{1,15}|"[\w.:-]{1,64}")')
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CAPABILITIES = frozenset({"elicitation", "experimental", "extensions", "roots", "sampling", "tasks"})
_VERSION = re.compile(r"v?\d[\d.-]{0,20}")
"""Requested version that an error may repeat, as the protocol asks: digits, so that it is not text of the caller's."""


class Rejected(Exception):
    """Rejection of an incoming message. `answer` is the message to send back."""

    def __init__(self, code: int, text: str, request_id: Any = None) -> None:
        super().__init__(text)
        self.answer = _error(code, text, request_id)


def checked(line: bytes) -> dict[str, Any]:
    """Incoming message, after checks left out by the SDK. Raises Rejected."""
    if len(line) > MOST_BYTES:
        raise too_long(line)
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Rejected(PARSE_ERROR, _TEXTS[PARSE_ERROR], _id_of(line)) from None
    if not isinstance(message, dict):
        raise Rejected(INVALID_REQUEST, _TEXTS[INVALID_REQUEST])
    # An error names the request wherever its id can be read (JSON-RPC 2.0, section 5).
    request_id = message.get("id")
    known = request_id if _is_id(request_id) else None
    named = isinstance(message.get("method"), str) or "result" in message or "error" in message
    whole = isinstance(message.get("params", {}), dict) and message.get("jsonrpc") == "2.0"
    if not named or not whole or ("id" in message and known is None):
        raise Rejected(INVALID_REQUEST, _TEXTS[INVALID_REQUEST], known)
    if has_repeated_member(line):
        raise Rejected(INVALID_REQUEST, REPEATED, known)
    return message


def has_repeated_member(message: bytes) -> bool:
    """Whether an object names a member twice: a guard in front may read the first of them, and the tools the last.

    False for a text that is not JSON.
    """
    try:
        json.loads(message, object_pairs_hook=_once)
    except _RepeatedMember:
        return True
    except (ValueError, RecursionError):
        return False
    return False


class _RepeatedMember(Exception):
    """Object with a member twice."""


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _RepeatedMember


def too_long(beginning: bytes) -> Rejected:
    """Rejection of a message above the limit, with the id if found near the beginning."""
    found = _ID.search(beginning[:4096])
    request_id = msgspec.json.decode(found[1]) if found else None
    return Rejected(INVALID_REQUEST, f"the message is longer than {MOST_BYTES >> 20} MiB", request_id)


def _id_of(line: bytes) -> Any:
    """Id of a message with a lone surrogate, valid in JSON and invalid in UTF-8."""
    try:
        request_id = json.loads(line)["id"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return request_id if _is_id(request_id) else None


def _is_id(value: Any) -> bool:
    # `True` is an int in Python, and no id in JSON-RPC; a long text would be repeated in the answer.
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and len(value) <= 256)


def with_own_error_text(message: bytes) -> bytes:
    """Outgoing message. An error gets a text of ours, and as data only versions of the protocol and capabilities."""
    if b'"error"' not in message:
        return message
    try:
        members = msgspec.json.decode(message)
        error = members.get("error")
    except (msgspec.DecodeError, UnicodeDecodeError, AttributeError):
        return _error(-32603, _TEXTS[-32603], None)
    # A result or a notification may have a member of this name, and is not an error.
    if not isinstance(error, dict) or "method" in members or "result" in members:
        return message
    code, text = error.get("code", 0), str(error.get("message", ""))
    if not text.startswith(STOP):
        text = f"{STOP} {_TEXTS.get(code, 'the request failed; there is no result')}"
    members["error"] = {"code": code, "message": text} | _retained(error.get("data"))
    return msgspec.json.encode(members)


def _retained(data: Any) -> dict[str, Any]:
    """Member `data` of an error, with what a client needs in order to ask in another way. None of it is free text."""
    if not isinstance(data, dict):
        return {}
    if isinstance(capabilities := data.get("requiredCapabilities"), dict):
        return {"data": {"requiredCapabilities": {name: {} for name in capabilities if name in _CAPABILITIES}}}
    if not isinstance(data.get("supported"), list):
        return {}
    versions: dict[str, Any] = {"supported": [each for each in data["supported"] if _is_date(each)]}
    requested = data.get("requested")
    if isinstance(requested, str) and _VERSION.fullmatch(requested):
        versions["requested"] = requested
    return {"data": versions}


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and bool(_DATE.fullmatch(value))


def _error(code: int, text: str, request_id: Any) -> bytes:
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": f"{STOP} {text}"}}
    )
