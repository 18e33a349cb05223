"""Decisions of a request: made, stored, and several side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

import msgspec

from waypost import tracing
from waypost.api.endpoint import Parameter
from waypost.api.request import Call
from waypost.api.state import ServiceState
from waypost.models.api_key import Environment
from waypost.models.decision import UNSPECIFIED, Decision
from waypost.models.wire.decisions import CheckRequest
from waypost.safety.serialize import CHECK_URL, decision_members
from waypost.service import LEAST_S, MOST_S, WITHIN_S, Checked
from waypost.service.batches import batch_s, in_order
from waypost.service.problems import ProblemError
from waypost.store import decisions
from waypost.store.errors import Unknown

T = TypeVar("T")

DEADLINE = "waypost-deadline-ms"
DEADLINE_PARAMETER = Parameter(
    "Waypost-Deadline-Ms",
    "Milliseconds that checking the destination may take. A check that takes longer becomes an unknown, not an error.",
    {"type": "integer", "minimum": 50, "maximum": 5000},
    place="header",
)


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
