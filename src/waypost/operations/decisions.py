"""Decisions: whether an action may go ahead at a destination now."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from waypost.errors import WaypostError
from waypost.models.wire.decisions import BatchAnswer, BatchRequest, CheckRequest, StoredDecision
from waypost.models.wire.tools import (
    ToolCheckManyRequest,
    ToolCheckRequest,
    ToolExplainRequest,
    ToolExplanation,
)
from waypost.operations.context import Context, Decided, Result, ServiceContext
from waypost.operations.table import Answer, Method, Tool, operation
from waypost.safety.policy import DEFAULT
from waypost.safety.serialize import CHECK_URL
from waypost.service.body import KIB, Body
from waypost.service.problems import ProblemError
from waypost.store import decisions

_URL = "https://shop.example.com/pay"
_ID = "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10"
EXAMPLE: dict[str, Any] = {
    "decision_id": _ID,
    "normalized_domain": "shop.example.com",
    "relationship_status": "unverified",
    "risk_status": "no_high_risk_signal_observed",
    "action": "payment",
    "action_allowed": False,
    "reason_codes": ["no_decisive_signal"],
    "confidence_class": "medium",
    "unknowns": ["official_relationship_not_confirmed"],
    "expires_at": "2026-11-20T09:45:00.000Z",
    "dispute_path": f"/v1/decisions/{_ID}/disputes",
}
_LINK = {"Link": 'where to dispute the decision: `<...>; rel="dispute"`'}
_ABOUT = (
    "A stop also has status 200: only `action_allowed: true` permits the action. Any other status, a timeout or an "
    "unreadable response is also a stop. Wherever you show a decision, include `reason_codes`, `unknowns`, "
    "`confidence_class` and `dispute_path`. Request a new one after `expires_at`."
)
_REJECTS = {"intended_action": "unknown-action"}
_PROBLEMS = ("invalid-url", "unsupported-scheme", "unknown-action")
_NAMED_PAYEE = ("str | Mapping[str, str]", '{{"name": {0}}} if isinstance({0}, str) else {0}')


@operation(
    "POST /v1/agent-safety",
    id="checkAgentSafety",
    title="Check a destination",
    about=f"Call this before your agent signs in, pays, uploads, submits or creates an account. {_ABOUT}",
    tag="Decisions",
    scope="agent",
    limit="checks",
    body=Body("agent-safety-request", examples={"a payment": {"url": _URL, "intended_action": "payment"}}),
    rejects=_REJECTS,
    answer={200: Answer("The decision.", "decision", example=EXAMPLE, headers=_LINK)},
    problems=_PROBLEMS,
    deadline=True,
    network=True,
    hot=True,
    client=Method(
        "agent_safety",
        "Decision",
        """Decision about an action. `include`: evidence_summary, policy_version, receipt. Raises NoAnswer.

    claimed_brand  the brand of the shop as you know it: name, slug or domain
    payee          name of the recipient of a payment, or its `name`, `type` and `id`
    payment_endpoint  URL that takes the payment
    signed_checkout   checkout as the merchant signed it: a JWT, an AP2 mandate or the JSON of a UCP checkout
    amount         `currency`, `value` and `cap` in the currency's minor unit: `{"currency": "EUR", "value": 1999}`
    referred_by    decision_id of the allowed checkout that leads to the URL
    """,
        {"intended_action": "action"},
        types={"payee": _NAMED_PAYEE},
    ),
    tool=Tool(
        "check_destination",
        "Check a destination before an action",
        "Call this before a payment, a login, an upload, a form with personal data, or an account: it decides "
        "whether the intended action may go ahead at the URL now. Only a result that begins ALLOW: permits it, for "
        "this action at this host until expires_at. Everything else is a hard stop: a result that begins STOP:, an "
        "error, a timeout, no result. Do not retry with another action or a changed URL to get an ALLOW.",
        takes=ToolCheckRequest,
    ),
)
async def agent_safety(check: CheckRequest, context: Context) -> Decided:
    return await context.decide(check)


@operation(
    "POST /v1/check-url",
    id="checkUrl",
    title="Check a URL, with evidence",
    about="The same decision, with its evidence. Without an action the URL is checked as for the strictest action, "
    f"and nothing is allowed. {_ABOUT}",
    tag="Decisions",
    scope="check",
    limit="checks",
    body=Body(
        "check-request",
        examples={"any action": {"url": _URL}, "a login": {"url": _URL, "intended_action": "login"}},
    ),
    rejects=_REJECTS,
    answer={
        200: Answer(
            "The decision.",
            "decision",
            example=EXAMPLE
            | {
                "evidence_summary": [{"type": "automated_network_check", "status": "observed"}],
                "policy_version": DEFAULT,
            },
            headers=_LINK,
        )
    },
    problems=_PROBLEMS,
    deadline=True,
    network=True,
    hot=True,
    client=Method(
        "check_url",
        "Decision",
        "Decision with evidence; never an approval without an action. Parameters as in `agent_safety`. "
        "Raises NoAnswer.",
        {"intended_action": "action"},
        first=("url", "intended_action"),
        types={"payee": _NAMED_PAYEE},
        without=("audience",),
    ),
)
async def check_url(check: CheckRequest, context: Context) -> Decided:
    return await context.decide(check, CHECK_URL)


@operation(
    "POST /v1/agent-safety/batch",
    id="checkAgentSafetyBatch",
    title="Check several destinations",
    tag="Decisions",
    scope="agent",
    limit="checks",
    body=Body(
        "batch-request",
        limit=256 * KIB,
        examples={"two pages": {"items": [{"url": _URL, "intended_action": "payment"}]}},
    ),
    answer="A result for each item.",
    example={"results": [EXAMPLE]},
    deadline=True,
    network=True,
    idempotent=True,
    tool=Tool(
        "check_many",
        about="Up to 50 checks at once, decided one by one, in order. Each entry stands alone: an entry that is an "
        "error or has action_allowed false is a stop for that destination. With deny_on_first_deny the answer ends at "
        "the first stop.",
        takes=ToolCheckManyRequest,
        limit=256 * KIB,
        within=120.0,
    ),
)
async def batch(request: BatchRequest, context: Context) -> Result[BatchAnswer]:
    """Up to 50 checks, answered in their order; each counts as one request. They run side by side within your
    organization's share of network checks, and end with the connection. A check that gets no place in time has the
    unknown `network_check_not_made`. An entry that is an error counts as a stop. With `deny_on_first_deny` the answer
    ends at the first stop, which `stopped_at` numbers from 0.
    """
    await context.spend(len(request.items) - 1)

    async def decided(number: int, check: CheckRequest) -> tuple[Any, bool]:
        """Entry of the answer for an item, and whether the item is allowed."""
        try:
            # The schema leaves it open, since /v1/check-url takes the same item without an action.
            if check.intended_action is None:
                pointer = f"#/items/{number}/intended_action"
                place = {"pointer": pointer, "code": "required", "detail": "the member is missing"}
                raise ProblemError("invalid-request", errors=[place])
            made = await context.decide(check)
        except WaypostError as error:
            # An error counts as a denial, for `deny_on_first_deny` too.
            return {"error": context.problem(error)}, False
        return made.members, made.allowed

    ends_early = request.semantic == "deny_on_first_deny"
    works = [partial(decided, number, check) for number, check in enumerate(request.items)]
    results = await context.all_decided(works, until_denied=ends_early)
    document: dict[str, Any] = {"results": [entry for entry, _ in results]}
    if ends_early and not results[-1][1]:
        document["stopped_at"] = len(results) - 1
    return Result(document)


@operation(
    "GET /v1/decisions/{decision_id}",
    id="readDecision",
    title="Get a decision",
    tag="Decisions",
    scope=("agent", "check"),
    limit="reading",
    answer={200: Answer("The decision.", "kept-decision", example=EXAMPLE | {"expired": True}, headers=_LINK)},
    client=Method("decision", "StoredDecision", "Stored decision of your organization. Raises NoAnswer."),
    tool=Tool(
        "explain_decision",
        "Explain a decision",
        "What a decision of this server rests on, with a sentence for each of its codes. It approves nothing: call "
        "check_destination before an action.",
        takes=ToolExplainRequest,
        gives=ToolExplanation,
    ),
)
async def decision(
    decision_id: Annotated[str, Meta(max_length=36, description="The decision's id.")], context: ServiceContext
) -> Result[StoredDecision]:
    """A decision of your own organization, kept for 30 days: a live key gets those of live keys, a test key those of
    test keys. `expired` says whether its time is over: then it grants nothing, whatever it allowed.
    """
    key, now = context.key, context.now()
    found = await context.fetch(lambda db: decisions.find(db, key.organization, decision_id, now, key.environment))
    members = found.document | {"expired": found.expired}
    if found.frozen:
        members["frozen"] = True
    if found.superseded_by:
        members["superseded_by"] = found.superseded_by
    return Result(members, headers=dispute_link(members), decision_id=decision_id)


def dispute_link(members: dict[str, Any]) -> dict[str, str]:
    """Header with the address where a decision is disputed."""
    return {"link": f'<{members["dispute_path"]}>; rel="dispute"'}
