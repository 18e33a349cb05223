"""Operations of the service: requests, and the methods of both clients for them.

Written by tools/make_client.py from `waypost.operations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from waypost.client.methods import async_method, method
from waypost.client.requests import Url, post, post_once, quoted, text_of, without_none
from waypost.client.requests import query as _query
from waypost.client.responses import (
    Decision,
    Dispute,
    DomainProfile,
    MadeSnippet,
    OfficialPage,
    SchemaIndex,
    SearchPage,
    SnippetPage,
    StoredDecision,
    Validation,
)
from waypost.client.transport import Request, read_as, read_decision


class Details(TypedDict, total=False):
    """Further parameters of `agent_safety` about whom the caller means and what is paid."""

    claimed_brand: str | None
    payee: str | Mapping[str, str] | None
    payment_endpoint: Url | None
    signed_checkout: Url | None
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
    signed_checkout: Url | None = None,
    amount: Mapping[str, Any] | None = None,
    audience: str | None = None,
    referred_by: str | None = None,
) -> Request[Decision]:
    """Decision about an action. `include`: evidence_summary, policy_version, receipt. Raises NoAnswer.

    claimed_brand  the brand of the shop as you know it: name, slug or domain
    payee          name of the recipient of a payment, or its `name`, `type` and `id`
    payment_endpoint  URL that takes the payment
    signed_checkout   checkout as the merchant signed it: a JWT, an AP2 mandate or the JSON of a UCP checkout
    amount         `currency`, `value` and `cap` in the currency's minor unit: `{"currency": "EUR", "value": 1999}`
    referred_by    decision_id of the allowed checkout that leads to the URL
    """
    body = without_none(
        url=text_of(url),
        intended_action=action,
        include=list(include) or None,
        claimed_brand=claimed_brand,
        payee={"name": payee} if isinstance(payee, str) else payee,
        payment_endpoint=None if payment_endpoint is None else text_of(payment_endpoint),
        signed_checkout=None if signed_checkout is None else text_of(signed_checkout),
        amount=amount,
        audience=audience,
        referred_by=referred_by,
    )
    return post("/v1/agent-safety", body, read_decision(Decision))


def check_url(
    url: Url,
    action: str | None = None,
    *,
    include: Iterable[str] = (),
    claimed_brand: str | None = None,
    payee: str | Mapping[str, str] | None = None,
    payment_endpoint: Url | None = None,
    signed_checkout: Url | None = None,
    amount: Mapping[str, Any] | None = None,
    referred_by: str | None = None,
) -> Request[Decision]:
    """Decision with evidence; never an approval without an action. Parameters as in `agent_safety`. Raises NoAnswer."""
    body = without_none(
        url=text_of(url),
        intended_action=action,
        include=list(include) or None,
        claimed_brand=claimed_brand,
        payee={"name": payee} if isinstance(payee, str) else payee,
        payment_endpoint=None if payment_endpoint is None else text_of(payment_endpoint),
        signed_checkout=None if signed_checkout is None else text_of(signed_checkout),
        amount=amount,
        referred_by=referred_by,
    )
    return post("/v1/check-url", body, read_decision(Decision))


def decision(decision_id: str) -> Request[StoredDecision]:
    """Stored decision of your organization. Raises NoAnswer."""
    return _query(f"/v1/decisions/{quoted(decision_id)}", read_decision(StoredDecision))


def dispute(
    decision_id: str,
    claim: str,
    statement: str,
    *,
    contact: str | None = None,
    evidence: Iterable[str] = (),
) -> Request[Dispute]:
    """Object to a decision: file a dispute with the service. Raises NoAnswer."""
    body = without_none(claim=claim, statement=statement, contact=contact, evidence=list(evidence) or None)
    return post_once(f"/v1/decisions/{quoted(decision_id)}/disputes", body, read_as(Dispute), statuses=frozenset({202}))


def domain(host: str) -> Request[DomainProfile]:
    """Profile of a domain, given as a host without the rest of a URL. Raises NoAnswer."""
    return _query("/v1/domain", read_as(DomainProfile), domain=host)


def jwks() -> Request[dict[str, Any]]:
    """Public keys of receipts, for `waypost.receipts.verify`. Raises NoAnswer."""
    return _query("/.well-known/jwks.json", read_as(dict[str, Any]))


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
    body = without_none(document=document, data=data, html=html, base_url=base_url, store=store or None)
    return post(
        f"/v1/snippets/{quoted(kind)}",
        body,
        read_as(MadeSnippet),
        repeatable=not store,
        statuses=frozenset({200, 201}),
    )


def official(
    query: str,
    *,
    kind: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Request[OfficialPage]:
    """Relationships accepted in a review. Raises NoAnswer."""
    return _query("/v1/official", read_as(OfficialPage), q=query, type=kind, limit=limit, cursor=cursor)


def read_dispute(dispute_id: str) -> Request[Dispute]:
    """Status of an objection. Raises NoAnswer."""
    return _query(f"/v1/disputes/{quoted(dispute_id)}", read_as(Dispute))


def schema(name: str) -> Request[dict[str, Any]]:
    """JSON Schema by service type, by standard type, or of `Unified`. Raises NoAnswer."""
    return _query(f"/v1/schema/{quoted(name)}", read_as(dict[str, Any]))


def schemas() -> Request[SchemaIndex]:
    """Index of the schemas. Raises NoAnswer."""
    return _query("/v1/schema", read_as(SchemaIndex))


def search(
    query: str,
    *,
    kind: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Request[SearchPage]:
    """Records, reviewed or not according to `review_status`. Raises NoAnswer."""
    body = without_none(query=query, type=kind, limit=limit, cursor=cursor)
    return post("/v1/search", body, read_as(SearchPage), repeatable=True)


def snippets(
    kind: str = "news",
    *,
    domain: str | None = None,
    since: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Request[SnippetPage]:
    """Documents stored by your organization, newest first. Raises NoAnswer."""
    return _query(
        f"/v1/snippets/{quoted(kind)}",
        read_as(SnippetPage),
        domain=domain,
        since=since,
        limit=limit,
        cursor=cursor,
    )


def validate(
    *,
    data: Any = None,
    html: str | None = None,
    kind: str | None = None,
    syntax: str | None = None,
    profile: str | None = None,
    base_url: str | None = None,
    also: Iterable[str] = (),
    template: bool = False,
) -> Request[Validation]:
    """Findings on JSON-LD (`data`) or a page (`html`). `also`: further names of types and properties to accept.

    template  `html` is a template: nothing is reported about what its engine computes.

    Raises NoAnswer.
    """
    body = without_none(
        data=data,
        html=html,
        type=kind,
        syntax=syntax,
        profile=profile,
        base_url=base_url,
        also=list(also) or None,
        template=template or None,
    )
    return post("/v1/validate", body, read_as(Validation), repeatable=True)


class Operations:
    """Methods that block."""

    agent_safety = method(agent_safety)
    check_url = method(check_url)
    decision = method(decision)
    dispute = method(dispute)
    domain = method(domain)
    jwks = method(jwks)
    make_snippet = method(make_snippet)
    official = method(official)
    read_dispute = method(read_dispute)
    schema = method(schema)
    schemas = method(schemas)
    search = method(search)
    snippets = method(snippets)
    validate = method(validate)


class AsyncOperations:
    """Methods that are coroutines."""

    agent_safety = async_method(agent_safety)
    check_url = async_method(check_url)
    decision = async_method(decision)
    dispute = async_method(dispute)
    domain = async_method(domain)
    jwks = async_method(jwks)
    make_snippet = async_method(make_snippet)
    official = async_method(official)
    read_dispute = async_method(read_dispute)
    schema = async_method(schema)
    schemas = async_method(schemas)
    search = async_method(search)
    snippets = async_method(snippets)
    validate = async_method(validate)
