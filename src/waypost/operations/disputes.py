"""Disputes of decisions, and the verification of their receipts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from waypost.formats.text import timestamp
from waypost.models.wire import disputes as wire
from waypost.models.wire.disputes import DisputeOpened, DisputeRequest, ReceiptRequest, ReceiptVerdict, WithdrawRequest
from waypost.models.wire.tools import ToolDisputeRequest
from waypost.operations.context import Result, ServiceContext
from waypost.operations.reviews import dispute_to_dict
from waypost.operations.table import ANY_KEY, Answer, Method, Tool, operation
from waypost.service.body import KIB, Body
from waypost.store import decisions, disputes
from waypost.store.disputes import PUBLIC as PUBLIC_ACTOR

FORM = "application/x-www-form-urlencoded"
_DECISION = "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10"
_EXAMPLE = {
    "dispute_id": "3c7a2c54-3f0e-4bd1-8a3f-0d3f2f1c7a11",
    "status": "open",
    "created_at": timestamp(int(datetime(2026, 11, 20, 9, tzinfo=UTC).timestamp() * 1000)),
    "decision_id": _DECISION,
}
_WHOLE: dict[str, Any] = _EXAMPLE | {
    "changed_at": _EXAMPLE["created_at"],
    "claim": "wrong_risk",
    "statement": "The redirect leads to our own checkout.",
    "environment": "Live",
    "effect": "none",
    "effect_detail": "It changes nothing until a reviewer has looked.",
}
DecisionId = Annotated[str, Meta(max_length=64, description="The decision's id.")]
DisputeId = Annotated[str, Meta(max_length=64, description="The dispute's id.")]


@operation(
    "POST /v1/decisions/{decision_id}/disputes",
    id="openDispute",
    title="Dispute a decision",
    tag="Disputes",
    scope="dispute",
    limit="submissions",
    body=Body(
        "dispute-request",
        limit=32 * KIB,
        others=(FORM,),
        examples={"a wrong risk": {"claim": "wrong_risk", "statement": _WHOLE["statement"]}},
    ),
    answer={
        202: Answer(
            "It waits for a review.",
            "dispute-opened",
            example=_EXAMPLE,
            headers={"Location": "The dispute's address, for the key's organization."},
            others=("text/html",),
        )
    },
    form_limit="dispute-page",
    problems=("not-permitted", "conflict"),
    idempotent=True,
    client=Method("dispute", "Dispute", "Object to a decision: file a dispute with the service. Raises NoAnswer."),
    tool=Tool(
        "dispute",
        about="File an objection to a decision with the service that made it. It changes nothing until a reviewer "
        "agrees and allows no action. Ask the person before you file one.",
        takes=ToolDisputeRequest,
        writes=True,
        summary=lambda _: "the dispute is filed and waits for a reviewer; the stop stands",
    ),
    network=True,
)
async def dispute(decision_id: DecisionId, wording: DisputeRequest, context: ServiceContext) -> Result[DisputeOpened]:
    """With a key, for a decision of its organization; or without one, with the form that GET returns. A dispute changes
    nothing by itself: a reviewer decides. A dispute of a decision for a test key is never reviewed. Without a key, each
    address can have one open dispute of a decision, and each decision and organization a few. URLs given as evidence
    are never fetched.
    """
    key, now = context.key, context.now()
    about = await context.fetch(lambda db: decisions.find(db, key.organization, decision_id, now, key.environment))
    made = await context.write(lambda db: disputes.lodge(db, about, wording, key.holder, now, key=key.id))
    # The answer to a submission repeats none of its text.
    opened = DisputeOpened(
        dispute_id=made.id, status=made.status, created_at=timestamp(made.created_at), decision_id=made.decision_id
    )
    return Result(opened, headers={"location": f"/v1/disputes/{made.id}"}, decision_id=decision_id)


@operation(
    "GET /v1/disputes/{id}",
    id="readDispute",
    title="Get a dispute",
    tag="Disputes",
    scope="dispute",
    limit="reading",
    answer="The dispute.",
    example=_WHOLE,
    client=Method("read_dispute", "Dispute", "Status of an objection. Raises NoAnswer.", {"id": "dispute_id"}),
)
async def read_dispute(id: DisputeId, context: ServiceContext) -> Result[wire.Dispute]:  # noqa: A002
    """A dispute about a decision of the organization, no matter who opened it. `effect` says what a review changed, and
    `effect_detail` says so in words, also where nothing changed.
    """
    key = context.key
    found = await context.fetch(lambda db: disputes.find(db, key.organization, id, key.environment))
    if found.opened_by == PUBLIC_ACTOR:  # who objected without a key is known to reviewers alone
        found = msgspec.structs.replace(found, contact="")
    return Result(dispute_to_dict(found))


@operation(
    "POST /v1/disputes/{id}/withdraw",
    id="withdrawDispute",
    title="Withdraw a dispute",
    tag="Disputes",
    scope="dispute",
    limit="submissions",
    body=Body("withdraw-request", optional=True, examples={"a mistake": {"reason": "the decision was right"}}),
    answer="The dispute.",
    example=_WHOLE | {"status": "withdrawn"},
    problems=("conflict", "not-permitted"),
)
async def withdraw_dispute(
    id: DisputeId,  # noqa: A002
    request: WithdrawRequest,
    context: ServiceContext,
) -> Result[wire.Dispute]:
    """While it is open or under review, with the key that opened it or the replacement of that key. A dispute that
    someone else opened, with or without a key, can only be rejected by a reviewer.
    """
    key, now, reason = context.key, context.now(), request.reason or ""
    await context.fetch(lambda db: disputes.find(db, key.organization, id, key.environment))
    done = await context.write(
        lambda db: disputes.withdraw(db, key.organization, id, key.holder, now, reason, key=key.id)
    )
    return Result(dispute_to_dict(done))


@operation(
    "POST /v1/receipts/verify",
    id="verifyReceipt",
    title="Verify a receipt",
    tag="Disputes",
    scope=ANY_KEY,
    limit="reading",
    body=Body(
        "receipt-request", examples={"a receipt": {"receipt": "eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiIuLi4ifQ.c2lnbmF0dXJl"}}
    ),
    answer="The verdict.",
    example={"valid": True, "decision_id": _DECISION, "expires_at": "2026-11-20T09:45:00.000Z"},
)
async def verify_receipt(request: ReceiptRequest, context: ServiceContext) -> ReceiptVerdict:
    """Reports whether this service signed the receipt and whether it is still valid. Compare the URL and the action
    with yours: the service cannot do that. Receipts can also be verified offline, with the keys at
    /.well-known/jwks.json; that cannot show whether the organization has frozen its actions since.
    """
    from waypost.receipts import ReceiptInvalid, read

    now = context.now()
    found = read(request.receipt, context.signing_keys(), now=now)
    if isinstance(found, ReceiptInvalid):
        reason: Any = found.reason  # without an audience, an action or a URL there is no reason about these
        return ReceiptVerdict(valid=False, reason=reason)
    name, ends = found.claims.jti, timestamp(found.claims.exp * 1000)
    if await context.fetch(lambda db: decisions.is_frozen(db, name, now)):
        return ReceiptVerdict(valid=False, reason="frozen", decision_id=name, expires_at=ends)
    return ReceiptVerdict(valid=True, decision_id=name, expires_at=ends)
