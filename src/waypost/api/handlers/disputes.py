"""Dispute page of a decision, in a browser by the decision's dispute address.

The page needs no key: a decision's id is secret enough, and the page shows nothing beyond the decision. Cross-site
request forgery is not a threat, because no session is used.
"""

from __future__ import annotations

import msgspec
from litestar import get
from litestar.di import NamedDependency

from waypost.api.console.forms import form
from waypost.api.console.pages import page
from waypost.api.console.review_words import COMPLAINTS
from waypost.api.endpoint import PAGE, PUBLIC, Answer, Contract, Parameter
from waypost.api.operations import FORMS
from waypost.api.request import Call, Reply
from waypost.models.wire.disputes import DisputeRequest
from waypost.store import decisions, disputes
from waypost.store.disputes import PUBLIC as PUBLIC_ACTOR

_OF_DECISION = (Parameter("decision_id", "The decision's id.", {"type": "string", "maxLength": 64}, place="path"),)


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


async def submit(call: Call) -> Reply:
    wording = msgspec.convert(await form(call), DisputeRequest)
    state, now = call.state, call.state.now()
    about = await _by_capability(call)
    made = await state.write(lambda db: disputes.lodge(db, about, wording, PUBLIC_ACTOR, now, address=call.address))
    return page(call, "disputed.html", "Your dispute was sent", status=202, dispute=made)


async def _by_capability(call: Call) -> decisions.StoredDecision:
    now, name = call.state.now(), call.members["decision_id"]
    return await call.state.fetch(lambda db: decisions.by_capability(db, name, now))


FORMS["openDispute"] = submit
