"""Policies of the service: listed for every key, submitted and accepted by reviewers of the operator."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from waypost.models.wire.keys import FreezeRequest
from waypost.models.wire.policies import PolicyEntry, PolicyList, PolicyRequest
from waypost.operations.context import Result, ServiceContext
from waypost.operations.table import ANY_KEY, operation
from waypost.service.body import Body
from waypost.service.own_policies import check_file, listing, to_dict
from waypost.store import organizations, own_policies
from waypost.store.engines import Connection
from waypost.store.errors import NotPermitted
from waypost.store.own_policies import StoredPolicy

_EXAMPLE = {
    "policy_version": "acme-pay-2026-11-29",
    "about": "Acme's agents may pay small amounts at shops that sign their checkouts.",
    "state": "submitted",
    "extends": "baseline-2026-11-29",
    "submitted_by": "ann",
}
_FILE = """policy_id = "acme-pay"
date = "2026-11-29"
extends = "baseline-2026-11-29"
about = "Acme's agents upload nothing."
never = ["upload"]
"""
Version = Annotated[str, Meta(max_length=80, description="The policy's version.")]


@operation(
    "GET /v1/policies",
    id="listPolicies",
    title="List the policies",
    tag="Decisions",
    scope=ANY_KEY,
    limit="reading",
    answer="The policies.",
    example={"policies": [_EXAMPLE]},
)
async def list_policies(context: ServiceContext) -> Result[PolicyList]:
    """The policies that ship with waypost, and the operator's own with their files. `in_use` is the one by which this
    service decides.
    """
    stored = await context.fetch(own_policies.find_all)
    return Result({"policies": listing(context.service.world, stored, context.service.policy)})


@operation(
    "POST /v1/policies",
    id="submitPolicy",
    title="Submit a policy",
    tag="Decisions",
    scope="review",
    limit="reviews",
    live=True,
    body=Body("policy-request", limit=131_072, examples={"a policy": {"file": _FILE}}),
    answer="The policy.",
    example=_EXAMPLE,
    problems=("conflict", "not-permitted"),
)
async def submit_policy(request: PolicyRequest, context: ServiceContext) -> Result[PolicyEntry]:
    """Submits a policy file of the operator, as `waypost policy add` does. It decides nothing until another person
    accepts it and the service is set to it. Errors name the line and the member.
    """
    text, today = request.file, datetime.fromtimestamp(context.now() / 1000, UTC).date()
    version = check_file(text, context.service.world, today)
    return await _done(context, lambda db, now, who: own_policies.submit(db, version, text, now, who))


@operation(
    "POST /v1/policies/{version}/accept",
    id="acceptPolicy",
    title="Accept a policy",
    tag="Decisions",
    scope="review",
    limit="reviews",
    live=True,
    answer="The policy.",
    example=_EXAMPLE | {"state": "accepted", "accepted_by": "bea"},
    problems=("conflict", "not-found", "not-permitted"),
)
async def accept_policy(version: Version, context: ServiceContext) -> Result[PolicyEntry]:
    """Accepts a policy that another person submitted."""
    return await _done(context, lambda db, now, who: own_policies.accept(db, version, now, who))


@operation(
    "POST /v1/policies/{version}/withdraw",
    id="withdrawPolicy",
    title="Withdraw a policy",
    tag="Decisions",
    scope="review",
    limit="reviews",
    live=True,
    body=Body("freeze-request", examples={"a reason": {"reason": "the shop was sold"}}),
    answer="The policy.",
    example=_EXAMPLE | {"state": "withdrawn", "withdrawn_by": "ann"},
    problems=("conflict", "not-found", "not-permitted"),
)
async def withdraw_policy(version: Version, request: FreezeRequest, context: ServiceContext) -> Result[PolicyEntry]:
    """Withdraws a policy: it decides nothing any more. A service that is set to it makes no decisions until it is set
    to another one.
    """
    return await _done(context, lambda db, now, who: own_policies.withdraw(db, version, now, who, request.reason))


def of_operator(db: Connection, organization: str) -> bool:
    """Whether an organization is the operator's, whose people alone decide about policies."""
    operator = organizations.first(db)
    return operator is not None and operator.id == organization


Step = Callable[[Connection, int, str], StoredPolicy]
"""(database, milliseconds since 1970, person) -> policy after a step."""
Write = Callable[[Callable[[Connection], StoredPolicy]], Awaitable[StoredPolicy]]


async def take(write: Write, step: Step, now: int, organization: str, holder: str) -> StoredPolicy:
    """Policy after a step by a person. Raises NotPermitted for people of another organization than the operator's."""

    def permitted(db: Connection) -> StoredPolicy:
        if not of_operator(db, organization):
            raise NotPermitted("policies apply to every organization; people of the operator decide about them")
        return step(db, now, holder)

    return await write(permitted)


async def _done(context: ServiceContext, step: Step) -> Result[PolicyEntry]:
    key = context.key
    return Result(to_dict(await take(context.write, step, context.now(), key.organization, key.holder)))
