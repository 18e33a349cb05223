"""Console pages about all decisions of an organization: freeze and policies. Plain forms without scripts."""

from __future__ import annotations

from litestar.di import NamedDependency

from waypost.api.console.forms import form
from waypost.api.console.pages import page
from waypost.api.endpoint import Answer, Parameter
from waypost.api.handlers.console import KEYS, form_handler, page_handler, session_of
from waypost.api.request import Call, Reply
from waypost.operations.policies import Step, of_operator, take
from waypost.service.own_policies import check_file, listing
from waypost.service.problems import ProblemError
from waypost.store import freezes, own_policies
from waypost.store.engines import Connection

_BACK = {303: Answer("Back to the page.", "", "text/html", headers={"Location": "The page."})}
_VERSION = (Parameter("version", "The policy's version.", {"type": "string", "maxLength": 80}, place="path"),)


@page_handler("/keys/freeze/", "showFreeze", "Show the freeze of the organization", slash=True)
async def show_freeze(call: NamedDependency[Call]) -> Reply:
    owner = session_of(call).organization.id
    freeze = await call.state.fetch(lambda db: freezes.find(db, owner))
    standing = await call.state.fetch(lambda db: freezes.standing(db, owner, call.state.now()))
    return page(call, "freeze.html", "Freeze", crumbs=KEYS, freeze=freeze, standing=standing)


@form_handler(
    "/keys/freeze/", "freezeHere", "Start a freeze, or request or confirm its end", "freeze-form", _BACK,
    problems=("csrf", "conflict"), slash=True,
)  # fmt: skip
async def freeze(call: NamedDependency[Call]) -> Reply:
    who, now, fields = session_of(call), call.state.now(), await form(call)
    owner, step, reason = who.organization.id, str(fields["step"]), str(fields["reason"])

    def taken(db: Connection) -> object:
        if step == "start":
            return freezes.start(db, owner, now, who.holder, reason)
        return freezes.end(db, owner, now, who.holder, reason)

    await call.state.write(taken)
    return Reply(b"", 303, "", {"location": "/keys/freeze/"})


@page_handler("/keys/policies/", "showPolicies", "List the policies", slash=True)
async def show_policies(call: NamedDependency[Call]) -> Reply:
    return await _policies(call)


async def _policies(call: Call, text: str = "", problem: ProblemError | None = None) -> Reply:
    owner, service = session_of(call).organization.id, call.state.service
    stored = await call.state.fetch(own_policies.find_all)
    return page(
        call, "policies.html", "Policies", status=problem.status if problem else 200, crumbs=KEYS,
        policies=listing(service.world, stored, service.policy), text=text,
        errors=[error["detail"] for error in problem.errors] if problem else [],
        is_operator=await call.state.fetch(lambda db: of_operator(db, owner)),
    )  # fmt: skip


@form_handler(
    "/keys/policies/", "submitPolicyHere", "Submit a policy", "policy-form", _BACK,
    problems=("csrf", "conflict", "not-permitted"), slash=True,
)  # fmt: skip
async def submit_policy(call: NamedDependency[Call]) -> Reply:
    text = str((await form(call))["file"]) + "\n"
    try:
        version = check_file(text, call.state.service.world, call.state.utc().date())
    except ProblemError as problem:
        return await _policies(call, text, problem)
    return await _done(call, lambda db, now, who: own_policies.submit(db, version, text, now, who))


@form_handler(
    "/keys/policies/{version:str}", "decidePolicyHere", "Accept or withdraw a policy", "policy-step-form", _BACK,
    parameters=_VERSION, problems=("csrf", "conflict", "not-found", "not-permitted"),
)  # fmt: skip
async def decide_policy(call: NamedDependency[Call]) -> Reply:
    fields, version = await form(call), call.members["version"]
    if fields["step"] == "accept":
        return await _done(call, lambda db, now, who: own_policies.accept(db, version, now, who))
    reason = str(fields.get("reason", ""))
    return await _done(call, lambda db, now, who: own_policies.withdraw(db, version, now, who, reason))


async def _done(call: Call, step: Step) -> Reply:
    who = session_of(call)
    await take(call.state.write, step, call.state.now(), who.organization.id, who.holder)
    return Reply(b"", 303, "", {"location": "/keys/policies/"})
