"""Requests to the service, next to those of `queries`. A checked URL is sent in the body, never in an address.

Both clients have a method for the functions here, with the same parameters and docstring.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict
from urllib.parse import quote

import msgspec

from waypost.client.responses import (
    Batch,
    Decision,
    Dispute,
    MadeSnippet,
    Problem,
    SearchPage,
    SnippetPage,
    StoredDecision,
    Validation,
)
from waypost.client.transport import Request, Response, read_as, read_decision
from waypost.models.decision import SensitiveUrl

Url = SensitiveUrl | str
Check = tuple[Url, str]
"""A URL and the intended action."""


class Details(TypedDict, total=False):
    """Further parameters of `agent_safety` about whom the caller means and what is paid."""

    claimed_brand: str | None
    payee: str | Mapping[str, str] | None
    payment_endpoint: Url | None
    signed_checkout: str | None
    amount: Mapping[str, Any] | None
    referred_by: str | None


def agent_safety(
    url: Url,
    action: str,
    *,
    include: Iterable[str] = (),
    claimed_brand: str | None = None,
    payee: str | Mapping[str, str] | None = None,
    payment_endpoint: Url | None = None,
    signed_checkout: str | None = None,
    amount: Mapping[str, Any] | None = None,
    referred_by: str | None = None,
    audience: str | None = None,
) -> Request[Decision]:
    """Decision about an action. `include`: evidence_summary, policy_version, receipt. Raises NoAnswer.

    claimed_brand  whom you believe to deal with: name, slug or domain
    payee          name of the recipient of a payment, or its `name`, `type` and `id`
    payment_endpoint  URL that takes the payment
    signed_checkout   checkout as the merchant signed it: a JWT, an AP2 mandate or the JSON of a UCP checkout
    amount         `currency`, `value` and `cap` in the currency's minor unit: `{"currency": "EUR", "value": 1999}`
    referred_by    decision_id of the allowed checkout that leads to the URL
    """
    body = _without_none(
        url=_text_of(url),
        intended_action=action,
        include=list(include) or None,
        claimed_brand=claimed_brand,
        payee={"name": payee} if isinstance(payee, str) else payee,
        payment_endpoint=None if payment_endpoint is None else _text_of(payment_endpoint),
        signed_checkout=signed_checkout,
        amount=amount,
        referred_by=referred_by,
        audience=audience,
    )
    return _post("/v1/agent-safety", body, read_decision(Decision))


def check_url(
    url: Url,
    action: str | None = None,
    *,
    include: Iterable[str] = (),
    claimed_brand: str | None = None,
    payee: str | Mapping[str, str] | None = None,
    payment_endpoint: Url | None = None,
    signed_checkout: str | None = None,
    amount: Mapping[str, Any] | None = None,
    referred_by: str | None = None,
) -> Request[Decision]:
    """Decision with evidence; never an approval without an action. Parameters as in `agent_safety`. Raises NoAnswer."""
    body = _without_none(
        url=_text_of(url),
        intended_action=action,
        include=list(include) or None,
        claimed_brand=claimed_brand,
        payee={"name": payee} if isinstance(payee, str) else payee,
        payment_endpoint=None if payment_endpoint is None else _text_of(payment_endpoint),
        signed_checkout=signed_checkout,
        amount=amount,
        referred_by=referred_by,
    )
    return _post("/v1/check-url", body, read_decision(Decision))


def batch(checks: Sequence[Check], *, until_first_stop: bool = False) -> Request[Batch]:
    """Decisions for up to 50 checks at once. A Problem as an entry is a stop. Raises NoAnswer."""
    body = _without_none(
        items=[{"url": _text_of(url), "intended_action": action} for url, action in checks],
        semantic="deny_on_first_deny" if until_first_stop else None,
    )
    request = _post_once("/v1/agent-safety/batch", body, lambda answer: read_batch(answer, len(checks)))
    return msgspec.structs.replace(request, items=len(checks))


def decision(decision_id: str) -> Request[StoredDecision]:
    """Stored decision of your organization. Raises NoAnswer."""
    return query(f"/v1/decisions/{_quoted(decision_id)}", read_decision(StoredDecision))


def dispute(
    decision_id: str, claim: str, statement: str, *, contact: str | None = None, evidence: Iterable[str] = ()
) -> Request[Dispute]:
    """Object to a decision: file a dispute with the service. Raises NoAnswer."""
    body = _without_none(claim=claim, statement=statement, contact=contact, evidence=list(evidence) or None)
    request = _post_once(f"/v1/decisions/{_quoted(decision_id)}/disputes", body, read_as(Dispute))
    return msgspec.structs.replace(request, statuses=frozenset({202}))


def read_dispute(dispute_id: str) -> Request[Dispute]:
    """Status of an objection. Raises NoAnswer."""
    return query(f"/v1/disputes/{_quoted(dispute_id)}", read_as(Dispute))


def search(
    query: str,
    *,
    kind: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Request[SearchPage]:
    """Records, reviewed or not according to `review_status`. Raises NoAnswer."""
    body = _without_none(query=query, type=kind, limit=limit, cursor=cursor)
    # A search changes nothing, though it is sent by POST to keep the words out of addresses.
    return msgspec.structs.replace(_post("/v1/search", body, read_as(SearchPage)), repeatable=True)


def validate(
    *,
    data: Any = None,
    html: str | None = None,
    kind: str | None = None,
    syntax: str | None = None,
    profile: str | None = None,
    base_url: str | None = None,
    also: Sequence[str] = (),
    template: bool = False,
) -> Request[Validation]:
    """Findings on JSON-LD (`data`) or a page (`html`). `also`: further names of types and properties to accept.

    template  `html` is a template: nothing is reported about what its engine computes.

    Raises NoAnswer.
    """
    body = _without_none(
        data=data, html=html, type=kind, syntax=syntax, profile=profile, base_url=base_url, also=[*also] or None,
        template=template or None,
    )  # fmt: skip
    return msgspec.structs.replace(_post("/v1/validate", body, read_as(Validation)), repeatable=True)


def schema(name: str) -> Request[dict[str, Any]]:
    """JSON Schema by service type, by standard type, or of `Unified`. Raises NoAnswer."""
    return query(f"/v1/schema/{_quoted(name)}", read_as(dict[str, Any]))


def snippets(
    kind: str = "news", *, domain: str | None = None, since: str | None = None, limit: int | None = None,
    cursor: str | None = None,
) -> Request[SnippetPage]:  # fmt: skip
    """Documents stored by your organization, newest first. Raises NoAnswer."""
    path = f"/v1/snippets/{_quoted(kind)}"
    return query(path, read_as(SnippetPage), domain=domain, since=since, limit=limit, cursor=cursor)


def make_snippet(
    kind: str,
    *,
    document: Mapping[str, Any] | None = None,
    data: Any = None,
    html: str | None = None,
    base_url: str | None = None,
    store: bool = False,
) -> Request[MadeSnippet]:
    """Card of a document, of JSON-LD or of a page. Raises NoAnswer."""
    body = _without_none(document=document, data=data, html=html, base_url=base_url, store=store or None)
    request = _post(f"/v1/snippets/{_quoted(kind)}", body, read_as(MadeSnippet))
    # Storing twice would make two documents.
    return msgspec.structs.replace(request, repeatable=not store, statuses=frozenset({201 if store else 200}))


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


def of_path(method: str, path: str, arguments: Mapping[str, Any]) -> Request[dict[str, Any]]:
    """Request with its arguments in the query string of a GET, else in the body. Raises NoAnswer."""
    if method == "GET":
        return query(path, read_as(dict[str, Any]), **arguments)
    return _post(path, arguments, read_as(dict[str, Any]))


def query(path: str, read: Any, **parameters: str | int | None) -> Request[Any]:
    """Request by GET; parameters that are None are left out."""
    params = {name: str(value) for name, value in parameters.items() if value is not None}
    return Request(method="GET", path=path, read=read, params=params, repeatable=True)


def _post(path: str, body: Mapping[str, Any], read: Any) -> Request[Any]:
    return Request(method="POST", path=path, read=read, body=msgspec.json.encode(body))


def _post_once(path: str, body: Mapping[str, Any], read: Any) -> Request[Any]:
    """Request with an idempotency key: the service carries out repeated requests only once."""
    request = _post(path, body, read)
    return msgspec.structs.replace(request, headers={"idempotency-key": str(uuid.uuid4())}, repeatable=True)


def _without_none(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _text_of(url: Url) -> str:
    return url.reveal() if isinstance(url, SensitiveUrl) else url


def _quoted(text: str) -> str:
    """Segment of a path. Dots alone are quoted too, because `..` leads to another path."""
    quoted = quote(text, safe="")
    # Only segments of dots: a dot in a name needs no escape.
    return quoted.replace(".", "%2E") if not quoted.strip(".") else quoted
