"""Policies of the service: listed for every key, submitted and accepted by reviewers of the operator."""

from __future__ import annotations

from collections.abc import Callable

from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.endpoint import ANY_KEY, Answer, Body, Contract, Parameter
from waypost.api.request import Call, Reply, json_reply
from waypost.service.own_policies import check_file, listing, to_dict
from waypost.store import organizations, own_policies
from waypost.store.engines import Connection
from waypost.store.errors import NotPermitted
from waypost.store.own_policies import StoredPolicy

_VERSION = (Parameter("version", "The policy's version.", {"type": "string", "maxLength": 80}, place="path"),)
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
_ANSWER = {200: Answer("The policy.", "policy", example=_EXAMPLE)}


@get(
    "/v1/policies",
    operation_id="listPolicies",
    summary="List the policies",
    description="The policies that ship with waypost, and the operator's own with their files. `in_use` is the one by "
    "which this service decides.",
    tags=["Decisions"],
    opt=Contract(
        scopes=(ANY_KEY,),
        limit="reading",
        answers={200: Answer("The policies.", "policy-list", example={"policies": [_EXAMPLE]})},
    ),
)
async def list_policies(call: NamedDependency[Call]) -> Reply:
    service, stored = call.state.service, await call.state.fetch(own_policies.find_all)
    return json_reply({"policies": listing(service.world, stored, service.policy)})


@post(
    "/v1/policies",
    operation_id="submitPolicy",
    summary="Submit a policy",
    description="Submits a policy file of the operator, as `waypost policy add` does. It decides nothing until another "
    "person accepts it and the service is set to it. Errors name the line and the member.",
    tags=["Decisions"],
    status_code=200,
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        live=True,
        body=Body("policy-request", limit=131_072, examples={"a policy": {"file": _FILE}}),
        answers=_ANSWER,
        problems=("conflict", "not-permitted"),
    ),
)
async def submit_policy(call: NamedDependency[Call]) -> Reply:
    text = str((await call.document())["file"])
    version = check_file(text, call.state.service.world, call.state.utc().date())
    return await _done(call, lambda db, now, who: own_policies.submit(db, version, text, now, who))


@post(
    "/v1/policies/{version:str}/accept",
    operation_id="acceptPolicy",
    summary="Accept a policy",
    description="Accepts a policy that another person submitted.",
    tags=["Decisions"],
    status_code=200,
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        live=True,
        parameters=_VERSION,
        answers={200: Answer("The policy.", "policy", example=_EXAMPLE | {"state": "accepted", "accepted_by": "bea"})},
        problems=("conflict", "not-found", "not-permitted"),
    ),
)
async def accept_policy(call: NamedDependency[Call]) -> Reply:
    version = call.members["version"]
    return await _done(call, lambda db, now, who: own_policies.accept(db, version, now, who))


@post(
    "/v1/policies/{version:str}/withdraw",
    operation_id="withdrawPolicy",
    summary="Withdraw a policy",
    description="Withdraws a policy: it decides nothing any more. A service that is set to it makes no decisions until "
    "it is set to another one.",
    tags=["Decisions"],
    status_code=200,
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        live=True,
        parameters=_VERSION,
        body=Body("freeze-request", examples={"a reason": {"reason": "the shop was sold"}}),
        answers={
            200: Answer("The policy.", "policy", example=_EXAMPLE | {"state": "withdrawn", "withdrawn_by": "ann"})
        },
        problems=("conflict", "not-found", "not-permitted"),
    ),
)
async def withdraw_policy(call: NamedDependency[Call]) -> Reply:
    version, reason = call.members["version"], str((await call.document())["reason"])
    return await _done(call, lambda db, now, who: own_policies.withdraw(db, version, now, who, reason))


def of_operator(db: Connection, organization: str) -> bool:
    """Whether an organization is the operator's, whose people alone decide about policies."""
    operator = organizations.first(db)
    return operator is not None and operator.id == organization


Step = Callable[[Connection, int, str], StoredPolicy]
"""(database, milliseconds since 1970, person) -> policy after a step."""


async def take(call: Call, step: Step, organization: str, holder: str) -> StoredPolicy:
    """Policy after a step by a person. Raises NotPermitted for people of another organization than the operator's."""
    now = call.state.now()

    def permitted(db: Connection) -> StoredPolicy:
        if not of_operator(db, organization):
            raise NotPermitted("policies apply to every organization; people of the operator decide about them")
        return step(db, now, holder)

    return await call.state.write(permitted)


async def _done(call: Call, step: Step) -> Reply:
    return json_reply(to_dict(await take(call, step, call.key.organization, call.key.holder)))
