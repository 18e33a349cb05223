"""Parts of requests to the service, and the request of a batch. A checked URL is in the body, never in an address."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from waypost.client.responses import Batch, Decision, Problem
from waypost.client.transport import Request, Response, read_as, read_decision
from waypost.models.decision import SensitiveUrl

Url = SensitiveUrl | str
Check = tuple[Url, str]
"""A URL and the intended action."""


def batch(checks: Sequence[Check], *, until_first_stop: bool = False) -> Request[Batch]:
    """Decisions for up to 50 checks at once. A Problem as an entry is a stop. Raises NoAnswer."""
    body = without_none(
        items=[{"url": text_of(url), "intended_action": action} for url, action in checks],
        semantic="deny_on_first_deny" if until_first_stop else None,
    )
    request = post_once("/v1/agent-safety/batch", body, lambda answer: read_batch(answer, len(checks)))
    return msgspec.structs.replace(request, items=len(checks))


def read_batch(answer: Response, items: int) -> Batch:
    """Decisions of a batch, entry by entry: an unreadable entry becomes a Problem and leaves the rest valid."""
    read = msgspec.json.decode(answer.body, type=_RawBatch)
    stopped = read.stopped_at
    # A shorter list would leave it open which decision belongs to which item.
    if len(read.results) != (items if stopped is None else stopped + 1) or len(read.results) > items:
        raise ValueError("the answer has another number of results than the request has items")
    return Batch(results=tuple(_entry(answer, entry) for entry in read.results), stopped_at=stopped)


class _RawBatch(msgspec.Struct):
    results: list[msgspec.Raw]
    stopped_at: int | None = None


class _RawEntry(msgspec.Struct):
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_DECISION = read_decision(Decision)
_UNREADABLE = Problem(code="unreadable", title="the service's answer cannot be read")


def _entry(answer: Response, raw: msgspec.Raw) -> Decision | Problem:
    try:
        error = msgspec.json.decode(raw, type=_RawEntry).error
        if error is msgspec.UNSET:
            return _DECISION(answer._replace(body=bytes(raw)))
        return msgspec.json.decode(error, type=Problem)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _UNREADABLE


def of_path(
    method: str,
    path: str,
    arguments: Mapping[str, Any],
    *,
    in_path: Collection[str] = (),
    once: bool = False,
    repeatable: bool = False,
    statuses: frozenset[int] = frozenset({200}),
) -> Request[dict[str, Any]]:
    """Request with arguments in the path, the others in the query string of a GET, else in the body. Raises NoAnswer.

    once  whether the service carries out repeated requests only once
    """
    path = path.format_map({name: quoted(arguments[name]) for name in in_path})
    rest = {name: value for name, value in arguments.items() if name not in in_path}
    if method == "GET":
        return query(path, read_as(dict[str, Any]), **rest)
    if once:
        return post_once(path, rest, read_as(dict[str, Any]), statuses=statuses)
    return post(path, rest, read_as(dict[str, Any]), repeatable=repeatable, statuses=statuses)


def query(path: str, read: Any, **parameters: str | int | None) -> Request[Any]:
    """Request by GET; parameters that are None are left out."""
    params = {name: str(value) for name, value in parameters.items() if value is not None}
    return Request(method="GET", path=path, read=read, params=params, repeatable=True)


def post(
    path: str,
    body: Mapping[str, Any],
    read: Any,
    *,
    repeatable: bool = False,
    statuses: frozenset[int] = frozenset({200}),
) -> Request[Any]:
    """Request by POST with a JSON body."""
    encoded = msgspec.json.encode(body)
    return Request(method="POST", path=path, read=read, body=encoded, repeatable=repeatable, statuses=statuses)


def post_once(
    path: str, body: Mapping[str, Any], read: Any, *, statuses: frozenset[int] = frozenset({200})
) -> Request[Any]:
    """Request with an idempotency key: the service carries out repeated requests only once."""
    request = post(path, body, read, repeatable=True, statuses=statuses)
    return msgspec.structs.replace(request, headers={"idempotency-key": str(uuid.uuid4())})


def without_none(**members: Any) -> dict[str, Any]:
    """Members of a body that are given."""
    return {name: value for name, value in members.items() if value is not None}


def text_of(url: Url) -> str:
    """Text of a URL, for the body of a request."""
    return url.reveal() if isinstance(url, SensitiveUrl) else url


def quoted(text: str) -> str:
    """Segment of a path. Dots alone are quoted too, because `..` leads to another path."""
    quoted = quote(text, safe="")
    # Only segments of dots: a dot in a name needs no escape.
    return quoted.replace(".", "%2E") if not quoted.strip(".") else quoted
