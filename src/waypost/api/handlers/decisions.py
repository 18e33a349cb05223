"""Decisions: whether an action may go ahead at a destination now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

import msgspec
from litestar import get, post
from litestar.di import NamedDependency

from waypost import tracing
from waypost.api.auth import spend
from waypost.api.endpoint import KIB, Answer, Body, Contract, Parameter, hot
from waypost.api.idempotency import idempotent
from waypost.api.request import Call, Reply, json_reply
from waypost.api.state import ServiceState
from waypost.errors import WaypostError
from waypost.models.api_key import Environment
from waypost.models.decision import UNSPECIFIED, Decision, decode_sensitive
from waypost.models.wire.decisions import BatchRequest, CheckRequest
from waypost.safety.policy import DEFAULT
from waypost.safety.serialize import CHECK_URL, decision_members
from waypost.service import LEAST_S, MOST_S, WITHIN_S, Checked
from waypost.service.batches import batch_s, in_order
from waypost.service.problems import ProblemError, to_problem
from waypost.store import decisions
from waypost.store.errors import Unknown

T = TypeVar("T")

DEADLINE = "waypost-deadline-ms"
_ACTION = "#/intended_action"
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


DEADLINE_PARAMETER = Parameter(
    "Waypost-Deadline-Ms",
    "Milliseconds that checking the destination may take. A check that takes longer becomes an unknown, not an error.",
    {"type": "integer", "minimum": 50, "maximum": 5000},
    place="header",
)
_LINK = {"Link": 'where to dispute the decision: `<...>; rel="dispute"`'}
_ABOUT = (
    "A stop also has status 200: only `action_allowed: true` permits the action. Any other status, a timeout or an "
    "unreadable response is also a stop. Wherever you show a decision, include `reason_codes`, `unknowns`, "
    "`confidence_class` and `dispute_path`. Request a new one after `expires_at`."
)


@hot
@post(
    "/v1/agent-safety",
    operation_id="checkAgentSafety",
    summary="Check a destination",
    description=f"Call this before your agent signs in, pays, uploads, submits or creates an account. {_ABOUT}",
    tags=["Decisions"],
    opt=Contract(
        scopes=("agent",),
        limit="checks",
        parameters=(DEADLINE_PARAMETER,),
        body=Body("agent-safety-request", examples={"a payment": {"url": _URL, "intended_action": "payment"}}),
        answers={200: Answer("The decision.", "decision", example=EXAMPLE, headers=_LINK)},
        problems=("invalid-url", "unsupported-scheme", "unknown-action"),
    ),
)
async def agent_safety(call: NamedDependency[Call]) -> Reply:
    return await _answered(call, await _check_request(call), frozenset())


@hot
@post(
    "/v1/check-url",
    operation_id="checkUrl",
    summary="Check a URL, with evidence",
    description="The same decision, with its evidence. Without an action the URL is checked as for the strictest "
    f"action, and nothing is allowed. {_ABOUT}",
    tags=["Decisions"],
    opt=Contract(
        scopes=("check",),
        limit="checks",
        parameters=(DEADLINE_PARAMETER,),
        body=Body(
            "check-request",
            examples={"any action": {"url": _URL}, "a login": {"url": _URL, "intended_action": "login"}},
        ),
        answers={
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
        problems=("invalid-url", "unsupported-scheme", "unknown-action"),
    ),
)
async def check_url(call: NamedDependency[Call]) -> Reply:
    return await _answered(call, await _check_request(call), CHECK_URL)


@post(
    "/v1/agent-safety/batch",
    operation_id="checkAgentSafetyBatch",
    summary="Check several destinations",
    description="Up to 50 checks, answered in their order; each counts as one request. They run side by side within "
    "your organization's share of network checks, and end with the connection. A check that gets no place in time has "
    "the unknown `network_check_not_made`. An entry that is an error counts as a stop. With `deny_on_first_deny` the "
    "answer ends at the first stop, which `stopped_at` numbers from 0.",
    tags=["Decisions"],
    opt=Contract(
        scopes=("agent",),
        limit="checks",
        parameters=(DEADLINE_PARAMETER,),
        body=Body(
            "batch-request",
            limit=256 * KIB,
            examples={"two pages": {"items": [{"url": _URL, "intended_action": "payment"}]}},
        ),
        answers={200: Answer("A result for each item.", "batch-answer", example={"results": [EXAMPLE]})},
    ),
)
@idempotent
async def batch(call: NamedDependency[Call]) -> Reply:
    request = await call.struct(BatchRequest, decode_sensitive)
    # One request was counted when the call was admitted.
    await spend(call, len(request.items) - 1)
    within = within_of(call)

    async def decided(number: int, check: CheckRequest) -> tuple[dict[str, Any], bool]:
        """Entry of the answer for an item, and whether the item is allowed."""
        try:
            # The schema leaves it open, since /v1/check-url takes the same item without an action.
            if check.intended_action is None:
                raise ProblemError("invalid-request", errors=[_missing(number)])
            made = await make_decision(call, check, frozenset(), within)
            await wait_until_durable(call, made)
        except WaypostError as error:
            # An error counts as a denial, for `deny_on_first_deny` too.
            return {"error": to_problem(error, call.request_id, call.state.settings.site_url).body}, False
        return made.members, made.decision.action_allowed

    works = [partial(decided, number, check) for number, check in enumerate(request.items)]
    results = await all_decided(call, works, within, until_denied=request.semantic == "deny_on_first_deny")
    document: dict[str, Any] = {"results": [entry for entry, _ in results]}
    if request.semantic == "deny_on_first_deny" and not results[-1][1]:
        document["stopped_at"] = len(results) - 1
    return json_reply(document)


async def all_decided(
    call: Call,
    works: Sequence[Callable[[], Coroutine[Any, Any, tuple[T, bool]]]],
    within_s: float,
    *,
    until_denied: bool = False,
) -> list[tuple[T, bool]]:
    """Results of a batch in order, each with its permission: as many at once as the organization has network checks.

    until_denied  the results end with the first denial, and nothing after it is checked

    Raises ProblemError, and ends what runs, where the client is gone.
    """
    at_once = 1 if until_denied else call.state.settings.outbound_each
    ends_in_s = batch_s(len(works), at_once, within_s)

    async def gathered() -> list[tuple[T, bool]]:
        found: list[tuple[T, bool]] = []
        async with aclosing(in_order(works, at_once=at_once, ends_in_s=ends_in_s)) as results:
            async for result in results:
                found.append(result)
                if until_denied and not result[1]:
                    break
        return found

    return await call.while_connected(gathered())


@get(
    "/v1/decisions/{decision_id:str}",
    operation_id="readDecision",
    summary="Get a decision",
    description="A decision of your own organization, kept for 30 days: a live key gets those of live keys, a test key "
    "those of test keys. `expired` says whether its time is over: then "
    "it grants nothing, whatever it allowed.",
    tags=["Decisions"],
    opt=Contract(
        scopes=("agent", "check"),
        limit="reading",
        parameters=(Parameter("decision_id", "The decision's id.", {"type": "string", "maxLength": 36}, place="path"),),
        answers={200: Answer("The decision.", "kept-decision", example=EXAMPLE | {"expired": True}, headers=_LINK)},
    ),
)
async def read(call: NamedDependency[Call]) -> Reply:
    """Stored decision of the caller's organization, with `expired`."""
    name, now = call.members["decision_id"], call.state.now()
    owner, environment = call.key.organization, call.key.environment
    found = await call.state.fetch(lambda db: decisions.find(db, owner, name, now, environment))
    members = found.document | {"expired": found.expired}
    if found.frozen:
        members["frozen"] = True
    if found.superseded_by:
        members["superseded_by"] = found.superseded_by
    return json_reply(members, headers=_link(members), decision_id=name)


async def _check_request(call: Call) -> CheckRequest:
    try:
        return await call.struct(CheckRequest, decode_sensitive)
    except ProblemError as error:
        # A more specific code than `invalid-request`, if the action is the only error.
        if error.errors and all(item.get("pointer") == _ACTION and item["code"] == "enum" for item in error.errors):
            raise ProblemError("unknown-action", errors=error.errors) from None
        raise


async def _answered(call: Call, check: CheckRequest, always: frozenset[Any]) -> Reply:
    made = await make_decision(call, check, always, within_of(call))
    # Encoded during the disk write: when the write is done, all requests of its batch must be answered at once.
    answer = json_reply(made.members, headers=_link(made.members), decision_id=made.decision.decision_id)
    await wait_until_durable(call, made)
    return answer


class Caller(msgspec.Struct, frozen=True):
    """Caller of a decision. `key_id` is empty for a person at the console."""

    organization: str
    environment: Environment
    key_id: str


class PendingDecision(msgspec.Struct, frozen=True):
    """Decision on the way to the store. `members` go into the answer; `saving` is done when the decision is durable."""

    checked: Checked
    decision: Decision
    members: dict[str, Any]
    saving: asyncio.Future[None]


async def wait_until_durable(call: Call, made: PendingDecision) -> None:
    """Wait until a decision is durable. Raises StoreError; without durable storage a decision must not be answered."""
    if tracing.TRACER is None:
        await made.saving
    else:
        with tracing.span("waypost.store.save"):
            await made.saving
    decision = made.decision
    call.state.metrics.decided(decision.action, decision.action_allowed, decision.relationship_status)


async def _check_audience(state: ServiceState, audience: str) -> None:
    """Check an audience that is not the caller's organization. Raises ProblemError for another organization.

    A receipt for another organization would look as if its reviewers had approved the decision. An audience that is no
    organization here is the caller's own business.
    """
    if await state.is_organization(audience):
        place = {"pointer": "#/audience", "code": "refused", "detail": "this is another organization"}
        raise ProblemError("invalid-request", errors=[place])


async def make_decision(
    call: Call, check: CheckRequest, always: frozenset[Any], within_s: float, caller: Caller | None = None
) -> PendingDecision:
    """Decision for a check, queued for storage; without a caller it is for the request's key.

    Raises ProblemError for an audience of another organization.
    """
    state = call.state
    if caller is None:
        key = call.key
        who = Caller(key.organization, key.environment, key.id)
    else:
        who = caller
    if check.audience and check.audience != who.organization:
        await _check_audience(state, check.audience)
    referrer = await _referrer(state, who, check.referred_by) if check.referred_by else ""
    with state.on_behalf_of(who.organization):
        checked = await state.decides(who).check_async(
            check.url,
            check.intended_action or UNSPECIFIED,
            counterparties=check.counterparties,
            payment=check.payment,
            referrer=referrer,
            within_s=within_s,
        )
    decision = checked.decision
    include = always.union(check.include)
    path = f"/v1/decisions/{decision.decision_id}/disputes"
    # All members are stored, also those that this answer leaves out.
    whole = decision_members(decision, CHECK_URL, path)
    # Queued before the answer is put together, so that the disk works meanwhile.
    # The URL itself may hold secrets: the HMAC only shows whether a later receipt is about the same one.
    url_hmac = await state.url_hmac(who.organization, check.url)
    saving = state.save(_record(who, url_hmac, checked, msgspec.json.encode(whole)))
    members = whole.copy()
    for name in CHECK_URL:
        if name not in include:
            del members[name]
    if "receipt" in include:
        members["receipt"] = state.receipt(checked, check.url, check.audience or who.organization)
    return PendingDecision(checked, decision, members, saving)


async def _referrer(state: ServiceState, who: Caller, name: str) -> str:
    """Host of the organization's allowed checkout with an id; empty for any other decision, and for an expired one."""
    now = state.now()
    try:
        found = await state.fetch(lambda db: decisions.find(db, who.organization, name, now, who.environment))
    except Unknown:
        return ""
    leads = found.record.action in {"payment", "checkout"} and found.document.get("action_allowed") is True
    return found.record.normalized_domain if leads and not found.expired else ""


def _record(who: Caller, url_hmac: bytes, checked: Checked, document: bytes) -> decisions.DecisionRecord:
    decision = checked.decision
    return decisions.DecisionRecord(
        id=decision.decision_id,
        organization=who.organization,
        environment=who.environment,
        key_id=who.key_id,
        created_at=checked.case.now,
        expires_at=decision.expires_at,
        normalized_domain=decision.normalized_domain,
        action=decision.action,
        url_hmac=url_hmac,
        document=document,
    )


def within_of(call: Call) -> float:
    """Time limit for network checks in seconds, from the Waypost-Deadline-Ms header. Raises ProblemError."""
    if not call.has_header(DEADLINE):
        return WITHIN_S
    text = call.header(DEADLINE)
    least, most = int(LEAST_S * 1000), int(MOST_S * 1000)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and least <= int(text) <= most):
        place = {"header": "Waypost-Deadline-Ms", "code": "integer", "detail": f"a whole number from {least} to {most}"}
        raise ProblemError("bad-header", errors=[place])
    return int(text) / 1000


def _missing(number: int) -> dict[str, str]:
    return {"pointer": f"#/items/{number}/intended_action", "code": "required", "detail": "the member is missing"}


def _link(members: dict[str, Any]) -> dict[str, str]:
    return {"link": f'<{members["dispute_path"]}>; rel="dispute"'}
