"""AuthZEN Authorization API 1.0: decisions for policy enforcement points, by the words of that specification.

Source: https://openid.net/specs/authorization-api-1_0.html, read 2026-11-23. The resource is a destination, the action
an intended action. The subject decides nothing and is not kept. Its rules that differ from those of /v1 are declared
here: schemas that admit unknown members, `only_400` and `echoes_id`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.auth import spend
from waypost.api.decisions import DEADLINE_PARAMETER, all_decided, within_of
from waypost.api.endpoint import KIB, PUBLIC, Answer, Body, Contract
from waypost.api.operations import CallContext
from waypost.api.pagination import Pages
from waypost.api.request import Call, Reply, json_reply
from waypost.contract.problems import problems
from waypost.errors import WaypostError
from waypost.models.decision import ACTIONS
from waypost.models.wire.decisions import CheckRequest
from waypost.operations import OPERATIONS
from waypost.operations.decisions import EXAMPLE
from waypost.operations.official import reviewed_hits
from waypost.safety.policy import DEFAULT
from waypost.service import body as strict
from waypost.service.hosts import host_of, in_url
from waypost.service.problems import as_problem_error
from waypost.service.search_index import in_order, index_of, normalized

_DECIDE = OPERATIONS["agent_safety"]
"""Operation behind every evaluation, whose scope and limit apply."""
_PERMIT = {"decision": EXAMPLE["action_allowed"], "context": EXAMPLE | {"policy_version": DEFAULT}}
_EVALUATION: dict[str, Any] = {
    "subject": {"type": "agent", "id": "buyer-1"},
    "action": {"name": "payment"},
    "resource": {"type": "url", "id": "https://shop.example.com/pay"},
}
_ONE = Body("access-evaluation-request", limit=64 * KIB, examples={"a payment": _EVALUATION})
_SEVERAL = Body(
    "access-evaluations-request",
    limit=256 * KIB,
    examples={"two actions": _EVALUATION | {"evaluations": [{}, {"action": {"name": "login"}}]}},
)
_RESOURCES = Body(
    "access-resources-request",
    limit=64 * KIB,
    examples={
        "where to pay": {
            "subject": _EVALUATION["subject"],
            "action": {"name": "payment"},
            "resource": {"type": "host"},
            "context": {"claimed_brand": "Acme"},
        }
    },
)
_ACTIONS = Body(
    "access-actions-request",
    limit=64 * KIB,
    examples={"a shop": {name: _EVALUATION[name] for name in ("subject", "resource")}},
)
_PERMITTED = {"decision_id": EXAMPLE["decision_id"], "expires_at": EXAMPLE["expires_at"]}
_KINDS = frozenset({"url", "host", "domain"})
_PER_PAGE = 10
"""Destinations of a page: each is checked over the network."""
_KEYS = {"subject": ("type", "id"), "action": ("name",), "resource": ("type", "id"), "context": ()}
"""Members of a request, each with the members that a default fills in where an evaluation leaves them out."""
_NO_DESTINATION = frozenset({"invalid-url", "unsupported-scheme", "domain-only", "invalid-request"})
"""Problems of `resource.id`, which deny an evaluation and are not errors of the request."""


@get(
    "/.well-known/authzen-configuration",
    operation_id="readAuthzenConfiguration",
    summary="Get the AuthZEN metadata",
    description="The metadata of AuthZEN Authorization API 1.0. There is no search by subject, since the subject "
    "decides nothing.",
    tags=["Service"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        answers={200: Answer("The endpoints.", "authzen-configuration")},
        cache="public, max-age=300, stale-while-revalidate=86400",
    ),
)
async def configuration(call: NamedDependency[Call]) -> Reply:
    base = call.state.settings.api_url.rstrip("/")
    return json_reply(
        {
            "policy_decision_point": base,
            "access_evaluation_endpoint": f"{base}/access/v1/evaluation",
            "access_evaluations_endpoint": f"{base}/access/v1/evaluations",
            "search_resource_endpoint": f"{base}/access/v1/search/resource",
            "search_action_endpoint": f"{base}/access/v1/search/action",
        }
    )


@post(
    "/access/v1/evaluation",
    operation_id="evaluateAccess",
    summary="Evaluate access (AuthZEN)",
    description="The decision of /v1/agent-safety in the format of AuthZEN Authorization API 1.0. A denial also has "
    "status 200; an unknown action, kind of resource or id is denied too. `context` holds the decision: request a new "
    "one after its `expires_at`.",
    tags=["Decisions"],
    opt=Contract(
        scopes=_DECIDE.scopes,
        limit=_DECIDE.limit,
        parameters=(DEADLINE_PARAMETER,),
        body=_ONE,
        answers={200: Answer("The evaluation.", "access-evaluation", example=_PERMIT)},
        only_400=True,
        echoes_id=True,
    ),
)
async def evaluation(call: NamedDependency[Call]) -> Reply:
    return await _single(call, await call.document())


@post(
    "/access/v1/evaluations",
    operation_id="evaluateAccesses",
    summary="Evaluate several requests (AuthZEN)",
    description="Up to 50 evaluations, answered in their order; each counts as one request. Members next to "
    "`evaluations` are defaults for each of them. An evaluation that cannot be made is a denial.",
    tags=["Decisions"],
    opt=Contract(
        scopes=_DECIDE.scopes,
        limit=_DECIDE.limit,
        parameters=(DEADLINE_PARAMETER,),
        body=_SEVERAL,
        answers={200: Answer("The evaluations.", "access-evaluations", example={"evaluations": [_PERMIT]})},
        only_400=True,
        echoes_id=True,
    ),
)
async def evaluations(call: NamedDependency[Call]) -> Reply:
    request = await call.document()
    items = request.get("evaluations")
    # By the specification an empty or missing list makes the request a single evaluation.
    if not items:
        return await _single(call, strict.validated(request, _ONE, call.registry))
    within = within_of(call)
    # One request was counted when the call was admitted.
    await spend(call, len(items) - 1)
    ends_early = request.get("options", {}).get("evaluations_semantic") == "deny_on_first_deny"

    async def answered(each: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        try:
            answer = await _evaluated(call, strict.validated(_filled(each, request), _ONE, call.registry))
        except WaypostError as error:
            answer = _denied_by(error)
        return answer, answer["decision"]

    answers = await all_decided(call, [partial(answered, each) for each in items], within, until_denied=ends_early)
    return json_reply({"evaluations": [answer for answer, _ in answers]})


async def _single(call: Call, evaluation: dict[str, Any]) -> Reply:
    within_of(call)  # before anything is answered
    answer = await _evaluated(call, evaluation)
    return json_reply(answer, decision_id=answer["context"].get("decision_id", ""))


def _filled(evaluation: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Evaluation with the defaults of its request: whole members, and the type, id or name that a member lacks."""
    made = {name: evaluation.get(name, defaults.get(name)) for name in _KEYS if name in evaluation or name in defaults}
    for name, keys in _KEYS.items():
        own, default = made.get(name), defaults.get(name, {})
        if isinstance(own, dict):
            # Only the identifying keys are filled in; properties of the default are about another entity.
            made[name] = {key: default[key] for key in keys if key in default} | own
    return made


async def _evaluated(call: Call, evaluation: dict[str, Any]) -> dict[str, Any]:
    """Answer to one evaluation. Raises WaypostError where none can be given."""
    kind, name, action = evaluation["resource"]["type"], evaluation["resource"]["id"], evaluation["action"]["name"]
    # The certification suite of the working group asks about records; live keys get no such answer.
    if kind == "record" and call.key.environment == "test":
        return _of_scenario(call, evaluation)
    if unknown := _unknown(kind, action):
        return {"decision": False, "context": unknown}
    try:
        url = name if kind == "url" else f"https://{in_url(host_of(name, {'pointer': '#/resource/id'}))}/"
        members = _facts(evaluation) | {"url": url, "intended_action": action, "include": ["policy_version"]}
        made = await _DECIDE.run(_DECIDE.typed(members), CallContext(call))
    except WaypostError as error:
        # A destination that cannot be read is denied, as policy enforcement points expect; other errors stay errors.
        if as_problem_error(error).code in _NO_DESTINATION:
            return _denied_by(error)
        raise
    return {"decision": made.allowed, "context": made.members}


_FACTS = {*CheckRequest.__struct_fields__} - {"url", "intended_action", "include", "audience"}
"""Members of the context that bind the decision; by the specification all others are ignored."""


def _facts(evaluation: dict[str, Any]) -> dict[str, Any]:
    given = evaluation.get("context", {})
    return {name: given[name] for name in _FACTS if name in given}


def _unknown(kind: str, action: str) -> dict[str, str]:
    """Reason why nothing is decided about a kind of resource or an action; empty if something is."""
    if kind not in _KINDS:
        return {
            "reason": "unknown-resource-type",
            "detail": "destinations alone are decided about: url, host or domain",
        }
    if action not in ACTIONS:
        return {"reason": "unknown-action", "detail": problems()["unknown-action"].when}
    return {}


@post(
    "/access/v1/search/resource",
    operation_id="searchResources",
    summary="Search permitted destinations (AuthZEN)",
    description="Reviewed destinations where the action is permitted now: those of the brand in "
    "`context.claimed_brand` or, without one, all that ship with waypost. Each page checks up to "
    f"{_PER_PAGE} destinations and returns those that are permitted, which may be none; each check counts as one "
    "request. Follow `next_token` until it is empty.",
    tags=["Decisions"],
    opt=Contract(
        scopes=_DECIDE.scopes,
        limit=_DECIDE.limit,
        parameters=(DEADLINE_PARAMETER,),
        body=_RESOURCES,
        answers={
            200: Answer(
                "The destinations.",
                "access-resources",
                example={
                    "results": [{"type": "host", "id": "shop.example.com", "properties": _PERMITTED}],
                    "page": {"next_token": "", "count": 1},
                },
            )
        },
        problems=("invalid-cursor",),
        only_400=True,
        echoes_id=True,
    ),
)
async def search_resources(call: NamedDependency[Call]) -> Reply:
    request, within = await call.document(), within_of(call)
    kind, action, part = request["resource"]["type"], request["action"]["name"], request.get("page", {})
    brand = normalized(request.get("context", {}).get("claimed_brand") or "")
    pages = Pages(call, kind, action, brand)
    after = pages.position(part.get("token"), {"pointer": "#/page/token"})
    if unknown := _unknown(kind, action):
        return _results([], context=unknown)
    index_of(call.state.decides(call.key).world, call.state.registry)  # the deadline is for the store
    hosts = await call.state.search(lambda: _destinations(call, brand))
    start = int(after[0]) if after else 0
    # Each result costs a decision, so the page is short whatever the caller's limit.
    end = start + min(int(part.get("limit", _PER_PAGE)), _PER_PAGE)
    names = [f"https://{host}/" if kind == "url" else host for host in hosts[start:end]]
    found = await _permitted(call, [request | {"resource": {"type": kind, "id": name}} for name in names], within)
    results = [{"type": kind, "id": name, "properties": made} for name, made in zip(names, found, strict=True) if made]
    return _results(results, pages.token((end,)) if end < len(hosts) else "")


@post(
    "/access/v1/search/action",
    operation_id="searchActions",
    summary="Search permitted actions (AuthZEN)",
    description="The actions that are permitted at the destination now, each with its decision. All actions are "
    "checked, and each counts as one request.",
    tags=["Decisions"],
    opt=Contract(
        scopes=_DECIDE.scopes,
        limit=_DECIDE.limit,
        parameters=(DEADLINE_PARAMETER,),
        body=_ACTIONS,
        answers={
            200: Answer(
                "The actions.",
                "access-actions",
                example={
                    "results": [{"name": "payment", "properties": _PERMITTED}],
                    "page": {"next_token": "", "count": 1},
                },
            )
        },
        only_400=True,
        echoes_id=True,
    ),
)
async def search_actions(call: NamedDependency[Call]) -> Reply:
    request, within = await call.document(), within_of(call)
    if unknown := _unknown(request["resource"]["type"], ACTIONS[0]):
        return _results([], context=unknown)
    found = await _permitted(call, [request | {"action": {"name": action}} for action in ACTIONS], within)
    return _results([{"name": name, "properties": made} for name, made in zip(ACTIONS, found, strict=True) if made])


def _destinations(call: Call, brand: str) -> list[str]:
    """Hosts with a review that is valid now: those that are found for a brand, or all that ship."""
    if brand:
        return list(
            dict.fromkeys(hit.document["domain"] for hit in in_order(reviewed_hits(CallContext(call), brand, "")))
        )
    world, now = call.state.decides(call.key).world, call.state.now()
    entries = index_of(world, call.state.registry).entries
    return [entry.domain for entry in entries if entry.kind == "relationship" and entry.reviewed(now)]


async def _permitted(call: Call, evaluations: list[dict[str, Any]], within_s: float) -> list[dict[str, str]]:
    """Id and expiry of the decision that permits each evaluation; empty for a denial and for what cannot be decided."""
    # Before any check, so that a caller over the limit causes no requests to others.
    await spend(call, max(len(evaluations) - 1, 0))

    async def permitted(evaluation: dict[str, Any]) -> tuple[dict[str, str], bool]:
        try:
            answer = await _evaluated(call, evaluation)
        except WaypostError:
            return {}, False
        context = answer["context"]
        is_permitted = answer["decision"] is True
        return {name: context[name] for name in _PERMITTED} if is_permitted else {}, is_permitted

    return [found for found, _ in await all_decided(call, [partial(permitted, each) for each in evaluations], within_s)]


def _results(results: Iterable[dict[str, Any]], token: str = "", context: dict[str, str] | None = None) -> Reply:
    found = list(results)
    page = {"next_token": token, "count": len(found)}
    return json_reply({"results": found, "page": page} | ({"context": context} if context else {}))


def _denied(reason: str, detail: str, **more: Any) -> dict[str, Any]:
    return {"decision": False, "context": {"reason": reason, "detail": detail, **more}}


def _denied_by(error: WaypostError) -> dict[str, Any]:
    problem = as_problem_error(error)
    return _denied(problem.code, str(problem), **({"errors": list(problem.errors)} if problem.errors else {}))


def _of_scenario(call: Call, evaluation: dict[str, Any]) -> dict[str, Any]:
    """Answer by the working group's certification scenario, which is about made records and never a destination."""
    rules = call.state.decides(call.key).world.document("authzen-scenario.json")["rules"]
    allowed = next((rule["decision"] for rule in rules if _holds(rule, evaluation)), False)
    detail = "a made record of the certification scenario, for test keys"
    return _denied("certification-scenario", detail) | {"decision": allowed}


def _holds(rule: dict[str, Any], evaluation: dict[str, Any]) -> bool:
    """Whether a request has every member of a rule, apart from the rule's decision."""
    return all(
        name == "decision"
        or (_holds(value, evaluation.get(name, {})) if isinstance(value, dict) else evaluation.get(name) == value)
        for name, value in rule.items()
    )
