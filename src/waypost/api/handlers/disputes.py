"""Disputes of decisions: with an API key, or in a browser by the dispute address of a decision.

The browser page needs no key: a decision's id is secret enough, and the page shows nothing beyond the decision.
Cross-site request forgery is not a threat, because no session is used.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.console.forms import form, is_form
from waypost.api.console.pages import page
from waypost.api.console.review_words import COMPLAINTS
from waypost.api.endpoint import ANY_KEY, FORM, KIB, PAGE, PUBLIC, Answer, Body, Contract, Parameter
from waypost.api.handlers.relationships import dispute_to_dict
from waypost.api.idempotency import idempotent
from waypost.api.request import Call, Reply, json_reply
from waypost.formats.text import timestamp
from waypost.models.wire.disputes import DisputeRequest
from waypost.store import decisions, disputes
from waypost.store.disputes import PUBLIC as PUBLIC_ACTOR

_DECISION = "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10"
_ID = "3c7a2c54-3f0e-4bd1-8a3f-0d3f2f1c7a11"


_EXAMPLE = {
    "dispute_id": _ID,
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
_OF_DECISION = (Parameter("decision_id", "The decision's id.", {"type": "string", "maxLength": 64}, place="path"),)
_MEMBERS = (Parameter("id", "The dispute's id.", {"type": "string", "maxLength": 64}, place="path"),)


@get(
    "/v1/decisions/{decision_id:str}/disputes",
    operation_id="showDisputeForm",
    summary="Open the dispute form",
    description="The page that `dispute_path` opens in a browser. It needs no key and shows the decision. An unknown "
    "id gets the same response as one that is no longer stored.",
    tags=["Disputes"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="dispute-page",
        parameters=(*_OF_DECISION,),
        answers={200: Answer("The page.", "", PAGE)},
    ),
)
async def show(call: NamedDependency[Call]) -> Reply:
    """Page with the decision and a dispute form."""
    found = await _by_capability(call)
    codes = call.state.service.world.document("codes.json")
    return page(call, "dispute.html", "Dispute a decision", decision=found.document, expired=found.expired,
                claims=COMPLAINTS, codes=codes)  # fmt: skip


@post(
    "/v1/decisions/{decision_id:str}/disputes",
    operation_id="openDispute",
    summary="Dispute a decision",
    description="With a key, for a decision of its organization; or without one, with the form that GET returns. A "
    "dispute changes nothing by itself: a reviewer decides. A dispute of a decision for a test key is never reviewed. "
    "Without a key, each address can have one open dispute of a decision, and each decision and organization a few. "
    "URLs given as evidence are never fetched.",
    tags=["Disputes"],
    opt=Contract(
        scopes=("dispute",),
        limit="submissions",
        parameters=(*_OF_DECISION,),
        body=Body(
            "dispute-request",
            limit=32 * KIB,
            others=(FORM,),
            examples={"a wrong risk": {"claim": "wrong_risk", "statement": _WHOLE["statement"]}},
        ),
        answers={
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
    ),
)
@idempotent
async def lodge(call: NamedDependency[Call]) -> Reply:
    if is_form(call):
        return await _from_page(call)
    wording = await call.struct(DisputeRequest)
    state, key, now, name = call.state, call.key, call.state.now(), call.members["decision_id"]
    about = await state.fetch(lambda db: decisions.find(db, key.organization, name, now, key.environment))
    made = await state.write(lambda db: disputes.lodge(db, about, wording, key.holder, now, key=key.id))
    document = dispute_to_dict(made)
    # The answer to a submission repeats none of its text.
    public = {member: document[member] for member in ("dispute_id", "status", "created_at", "decision_id")}
    return json_reply(public, 202, {"location": f"/v1/disputes/{made.id}"}, decision_id=name)


async def _from_page(call: Call) -> Reply:
    wording = msgspec.convert(await form(call), DisputeRequest)
    state, now = call.state, call.state.now()
    about = await _by_capability(call)
    made = await state.write(lambda db: disputes.lodge(db, about, wording, PUBLIC_ACTOR, now, address=call.address))
    return page(call, "disputed.html", "Your dispute was sent", status=202, dispute=made)


async def _by_capability(call: Call) -> decisions.StoredDecision:
    now, name = call.state.now(), call.members["decision_id"]
    return await call.state.fetch(lambda db: decisions.by_capability(db, name, now))


@get(
    "/v1/disputes/{id:str}",
    operation_id="readDispute",
    summary="Get a dispute",
    description="A dispute about a decision of the organization, no matter who opened it. `effect` says what a review "
    "changed, and `effect_detail` says so in words, also where nothing changed.",
    tags=["Disputes"],
    opt=Contract(
        scopes=("dispute",),
        limit="reading",
        parameters=(*_MEMBERS,),
        answers={200: Answer("The dispute.", "dispute", example=_WHOLE)},
    ),
)
async def read(call: NamedDependency[Call]) -> Reply:
    name, key = call.members["id"], call.key
    found = await call.state.fetch(lambda db: disputes.find(db, key.organization, name, key.environment))
    if found.opened_by == PUBLIC_ACTOR:  # who objected without a key is known to reviewers alone
        found = msgspec.structs.replace(found, contact="")
    return json_reply(dispute_to_dict(found))


@post(
    "/v1/disputes/{id:str}/withdraw",
    operation_id="withdrawDispute",
    summary="Withdraw a dispute",
    description="While it is open or under review, with the key that opened it or the replacement of that key. A "
    "dispute that someone else opened, with or without a key, can only be rejected by a reviewer.",
    tags=["Disputes"],
    opt=Contract(
        scopes=("dispute",),
        limit="submissions",
        parameters=(*_MEMBERS,),
        body=Body("withdraw-request", optional=True, examples={"a mistake": {"reason": "the decision was right"}}),
        answers={200: Answer("The dispute.", "dispute", example=_WHOLE | {"status": "withdrawn"})},
        problems=("conflict", "not-permitted"),
    ),
)
async def withdraw(call: NamedDependency[Call]) -> Reply:
    params = await call.optional_document()
    state, key, now, name = call.state, call.key, call.state.now(), call.members["id"]
    reason = str(params.get("reason", ""))
    await state.fetch(lambda db: disputes.find(db, key.organization, name, key.environment))
    done = await state.write(
        lambda db: disputes.withdraw(db, key.organization, name, key.holder, now, reason, key=key.id)
    )
    return json_reply(dispute_to_dict(done))


@post(
    "/v1/receipts/verify",
    operation_id="verifyReceipt",
    summary="Verify a receipt",
    description="Reports whether this service signed the receipt and whether it is still valid. Compare the URL "
    "and the action with yours: the service cannot do that. Receipts can also be verified offline, with the "
    "keys at /.well-known/jwks.json; that cannot show whether the organization has frozen its actions since.",
    tags=["Disputes"],
    opt=Contract(
        scopes=(ANY_KEY,),
        limit="reading",
        body=Body(
            "receipt-request",
            examples={"a receipt": {"receipt": "eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiIuLi4ifQ.c2lnbmF0dXJl"}},
        ),
        answers={
            200: Answer(
                "The verdict.",
                "receipt-verdict",
                example={"valid": True, "decision_id": _DECISION, "expires_at": "2026-11-20T09:45:00.000Z"},
            )
        },
    ),
)
async def verify(call: NamedDependency[Call]) -> Reply:
    """Validity of a receipt's signature, and its expiry."""
    from waypost.receipts import ReceiptInvalid, read

    params, now = await call.document(), call.state.now()
    found = read(params["receipt"], call.state.signing.jwks(now), now=now)
    if isinstance(found, ReceiptInvalid):
        return json_reply({"valid": False, "reason": found.reason})
    name = found.claims.jti
    about = {"decision_id": name, "expires_at": timestamp(found.claims.exp * 1000)}
    if await call.state.fetch(lambda db: decisions.is_frozen(db, name, now)):
        return json_reply({"valid": False, "reason": "frozen", **about})
    return json_reply({"valid": True, **about})
