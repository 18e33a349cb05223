"""Checks by a person who is signed in to the console: what the form of the site's page for a destination sends.

The address is below the path of the session's cookie, so that no other page of the site gets the cookie.
"""

from __future__ import annotations

from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.console import session as sessions
from waypost.api.console.forms import form
from waypost.api.decisions import Caller, make_decision, wait_until_durable
from waypost.api.endpoint import FORM, PUBLIC, SESSION, Answer, Body, Contract
from waypost.api.request import Call, Reply, json_reply
from waypost.models.decision import SensitiveUrl
from waypost.models.wire.decisions import CheckRequest
from waypost.operations.decisions import EXAMPLE
from waypost.safety.serialize import CHECK_URL
from waypost.service import WITHIN_S
from waypost.service.decision_panel import panel_of

_PANEL = {
    "verdict": "Stop: not enough is known to pay here",
    "dated": "On 20 November 2026: stop, not enough is known to pay here",
    "past": "On 20 November 2026: stop, not enough was known to pay here",
    "tier": 3,
    "because": "Money does not come back.",
    "row": {
        "line": "relationship",
        "holds": False,
        "required": ["verified_official"],
        "found": ["unverified"],
    },
    "effects": [
        {
            "type": "registry_review",
            "status": "not_observed",
            "turns": True,
            "text": "With a valid review of the owner: allowed.",
        },
    ],
    "decision": EXAMPLE,
}


@get(
    "/keys/session",
    operation_id="readSession",
    summary="Whether a browser is signed in",
    description="For the forms of the site: the organization and the token that a form sends back. Without a session "
    "the answer says so; it is not an error.",
    tags=["Console"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        answers={200: Answer("The session.", "session-answer", example={"signed_in": False})},
    ),
)
async def session(call: NamedDependency[Call]) -> Reply:
    found = await sessions.of(call)
    if found is None:
        return json_reply({"signed_in": False})
    return json_reply({"signed_in": True, "organization": found.organization.name, "csrf": found.csrf})


@post(
    "/keys/check",
    operation_id="checkHere",
    summary="Check a destination at the console",
    description="A form of the site. It must come from a page of this site, with the token of the session. The "
    "decision is made and kept as one for a live key of the organization.",
    tags=["Console"],
    opt=Contract(
        scopes=(SESSION,),
        limit="preview",
        body=Body("check-form", media=FORM),
        answers={200: Answer("The decision, with the row that decided.", "check-panel", example=_PANEL)},
        problems=("csrf", "invalid-url", "unsupported-scheme"),
    ),
)
async def check(call: NamedDependency[Call]) -> Reply:
    fields = await form(call)
    assert call.session is not None
    request = CheckRequest(url=SensitiveUrl(fields["url"]), intended_action=fields["intended_action"])
    # A person has no key: the decision is kept as one of the organization.
    caller = Caller(call.session.organization.id, "live", "")
    made = await make_decision(call, request, CHECK_URL, WITHIN_S, caller)
    panel = panel_of(made.decision, made.checked.case, call.state.decides(caller).world)
    await wait_until_durable(call, made)
    return json_reply(panel | {"decision": made.members}, decision_id=made.decision.decision_id)
