"""Every question that an agent may have, as a request. A checked URL stands in a body and nowhere else."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from waypost.client.responses import (
    Batch,
    Decision,
    Dispute,
    DomainProfile,
    KeptDecision,
    MadeSnippet,
    OfficialPage,
    Problem,
    SchemaIndex,
    SearchPage,
    SnippetPage,
    Validation,
)
from waypost.client.transport import Answer, Asked, read_as, read_decision
from waypost.models.decision import SensitiveUrl

Url = SensitiveUrl | str
Check = tuple[Url, str]
"""A URL and what is intended there."""


def agent_safety(
    url: Url, action: str, *, include: Iterable[str] = (), claimed_brand: str | None = None, audience: str | None = None
) -> Asked[Decision]:
    body = _members(
        url=_revealed(url),
        intended_action=action,
        include=list(include) or None,
        claimed_brand=claimed_brand,
        audience=audience,
    )
    return _post("/v1/agent-safety", body, read_decision(Decision))


def check_url(url: Url, action: str | None = None, *, include: Iterable[str] = ()) -> Asked[Decision]:
    body = _members(url=_revealed(url), intended_action=action, include=list(include) or None)
    return _post("/v1/check-url", body, read_decision(Decision))


def batch(checks: Sequence[Check], *, until_first_stop: bool = False) -> Asked[Batch]:
    body = _members(
        items=[{"url": _revealed(url), "intended_action": action} for url, action in checks],
        semantic="deny_on_first_deny" if until_first_stop else None,
    )
    return _once("/v1/agent-safety/batch", body, lambda answer: _batch(answer, len(checks)))


def decision(decision_id: str) -> Asked[KeptDecision]:
    return _get(f"/v1/decisions/{_quoted(decision_id)}", read_decision(KeptDecision))


def dispute(
    decision_id: str, claim: str, statement: str, *, contact: str | None = None, evidence: Iterable[str] = ()
) -> Asked[Dispute]:
    body = _members(claim=claim, statement=statement, contact=contact, evidence=list(evidence) or None)
    asked = _once(f"/v1/decisions/{_quoted(decision_id)}/disputes", body, read_as(Dispute))
    return msgspec.structs.replace(asked, statuses=frozenset({202}))


def read_dispute(dispute_id: str) -> Asked[Dispute]:
    return _get(f"/v1/disputes/{_quoted(dispute_id)}", read_as(Dispute))


def domain(host: str) -> Asked[DomainProfile]:
    return _get("/v1/domain", read_as(DomainProfile), domain=host)


def official(
    query: str,
    *,
    kind: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Asked[OfficialPage]:
    return _get("/v1/official", read_as(OfficialPage), q=query, type=kind, limit=limit, cursor=cursor)


def search(
    query: str,
    *,
    kind: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Asked[SearchPage]:
    body = _members(query=query, type=kind, limit=limit, cursor=cursor)
    return msgspec.structs.replace(_post("/v1/search", body, read_as(SearchPage)), repeatable=True)


def validate(
    *,
    data: Any = None,
    html: str | None = None,
    kind: str | None = None,
    syntax: str | None = None,
    profile: str | None = None,
    base_url: str | None = None,
) -> Asked[Validation]:
    body = _members(data=data, html=html, type=kind, syntax=syntax, profile=profile, base_url=base_url)
    return msgspec.structs.replace(_post("/v1/validate", body, read_as(Validation)), repeatable=True)


def schemas() -> Asked[SchemaIndex]:
    return _get("/v1/schema", read_as(SchemaIndex))


def schema(name: str) -> Asked[dict[str, Any]]:
    return _get(f"/v1/schema/{_quoted(name)}", read_as(dict[str, Any]))


def snippets(
    kind: str, *, domain: str | None = None, since: str | None = None, limit: int | None = None,
    cursor: str | None = None,
) -> Asked[SnippetPage]:  # fmt: skip
    path = f"/v1/snippets/{_quoted(kind)}"
    return _get(path, read_as(SnippetPage), domain=domain, since=since, limit=limit, cursor=cursor)


def make_snippet(
    kind: str,
    *,
    document: Mapping[str, Any] | None = None,
    data: Any = None,
    html: str | None = None,
    base_url: str | None = None,
    store: bool = False,
) -> Asked[MadeSnippet]:
    body = _members(document=document, data=data, html=html, base_url=base_url, store=store or None)
    asked = _post(f"/v1/snippets/{_quoted(kind)}", body, read_as(MadeSnippet))
    return msgspec.structs.replace(asked, repeatable=not store, statuses=frozenset({201 if store else 200}))


def jwks() -> Asked[dict[str, Any]]:
    return _get("/.well-known/jwks.json", read_as(dict[str, Any]))


def _batch(answer: Answer, items: int) -> Batch:
    """Each entry by itself: one that cannot be read is a problem, and the others still stand."""
    read = msgspec.json.decode(answer.body, type=_RawBatch)
    stopped = read.stopped_at
    if len(read.results) != (items if stopped is None else stopped + 1) or len(read.results) > items:
        raise ValueError("there is another number of results than of items")
    return Batch(results=tuple(_entry(answer, each) for each in read.results), stopped_at=stopped)


class _RawBatch(msgspec.Struct):
    results: list[msgspec.Raw]
    stopped_at: int | None = None


class _RawEntry(msgspec.Struct):
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_DECISION = read_decision(Decision)
_UNREADABLE = Problem(code="unreadable", title="the service's answer cannot be read")


def _entry(answer: Answer, raw: msgspec.Raw) -> Decision | Problem:
    try:
        error = msgspec.json.decode(raw, type=_RawEntry).error
        if error is msgspec.UNSET:
            return _DECISION(answer._replace(body=bytes(raw)))
        return msgspec.json.decode(error, type=Problem)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _UNREADABLE


def _get(path: str, read: Any, **query: str | int | None) -> Asked[Any]:
    named = {name: str(value) for name, value in query.items() if value is not None}
    return Asked(method="GET", path=path, read=read, query=named, repeatable=True)


def _post(path: str, body: Mapping[str, Any], read: Any) -> Asked[Any]:
    return Asked(method="POST", path=path, read=read, body=msgspec.json.encode(body))


def _once(path: str, body: Mapping[str, Any], read: Any) -> Asked[Any]:
    """A request that the service carries out once, however often it comes."""
    asked = _post(path, body, read)
    return msgspec.structs.replace(asked, headers={"idempotency-key": str(uuid.uuid4())}, repeatable=True)


def _members(**named: Any) -> dict[str, Any]:
    return {name: value for name, value in named.items() if value is not None}


def _revealed(url: Url) -> str:
    return url.reveal() if isinstance(url, SensitiveUrl) else url


def _quoted(text: str) -> str:
    """A member of a path; one of dots alone would lead elsewhere."""
    quoted = quote(text, safe="")
    return quoted.replace(".", "%2E") if not quoted.strip(".") else quoted
