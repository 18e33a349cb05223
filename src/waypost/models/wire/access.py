"""Bodies and answers of the AuthZEN endpoints: evaluations, searches of resources and of actions, metadata."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.wire.common import URI, Closed, Open, PlainText, Prose, Time, like, published
from waypost.models.wire.decisions import Decision, Payee, PaymentAmount, ProblemPlace


class Subject(Open, frozen=True, kw_only=True):
    type: Annotated[str, Meta(description="A kind of subject.")]
    id: Annotated[str, Meta(description="Identifies the subject.")]
    properties: Annotated[dict[str, Any] | None, Meta(description="Further attributes; not read.")] = None


class AccessAction(Open, frozen=True, kw_only=True):
    name: Annotated[
        str, Meta(description="The intended action, one of those of /v1/agent-safety. Any other is denied.")
    ]
    properties: Annotated[dict[str, Any] | None, Meta(description="Further attributes; not read.")] = None


class Resource(Open, frozen=True, kw_only=True):
    type: Annotated[str, Meta(description="`url`, or `host` (also `domain`). Any other is denied.")]
    id: Annotated[
        str,
        Meta(description="An absolute http or https URL, or a host name; a host stands for its front page at https."),
    ]
    properties: Annotated[dict[str, Any] | None, Meta(description="Further attributes; not read.")] = None


class AccessContext(Open, frozen=True, kw_only=True):
    claimed_brand: Annotated[PlainText | None, like("check-request", "claimed_brand")] = None
    payee: Annotated[Payee | None, like("check-request", "payee")] = None
    payment_endpoint: Annotated[PlainText | None, like("check-request", "payment_endpoint")] = None
    signed_checkout: Annotated[Prose | None, like("check-request", "signed_checkout")] = None
    amount: Annotated[PaymentAmount | None, like("check-request", "amount")] = None
    referred_by: Annotated[PlainText | None, like("check-request", "referred_by")] = None


@published("access-evaluation-request")
class AccessEvaluationRequest(Open, frozen=True, kw_only=True):
    """May a subject do an action at a resource (AuthZEN Authorization API 1.0)? Members that are not named here are
    ignored.
    """

    subject: Annotated[
        Subject, Meta(description="The caller. It does not affect the decision, and is neither stored nor logged.")
    ]
    action: Annotated[AccessAction, Meta(description="The intended action.")]
    resource: Annotated[Resource, Meta(description="The destination.")]
    context: Annotated[
        AccessContext | None,
        Meta(description="Further facts from the caller, as in /v1/agent-safety; other members are ignored."),
    ] = None


@published("access-denial")
class AccessDenial(Closed, frozen=True, kw_only=True):
    """Why an evaluation was denied without a decision about a destination."""

    reason: Annotated[
        str,
        Meta(
            pattern=r"^[a-z-]+$",
            description="A short name: unknown-resource-type, certification-scenario, or the code of a problem.",
        ),
    ]
    detail: Annotated[str, Meta(description="The same in a sentence, without any value of the request.")]
    errors: Annotated[tuple[ProblemPlace, ...] | None, like("problem", "errors")] = None


@published("access-permit")
class AccessPermit(Closed, frozen=True, kw_only=True):
    """The decision that permits it. Evaluate again after its expiry, and at the moment of acting."""

    decision_id: Annotated[str, like("decision", "decision_id")]
    expires_at: Annotated[Time, like("decision", "expires_at")]


@published("access-evaluation")
class AccessEvaluation(Closed, frozen=True, kw_only=True):
    """Whether the action is permitted. Only `decision` true permits."""

    decision: Annotated[bool, Meta(description="True until the decision in `context` expires; false is a hard stop.")]
    context: Annotated[Decision | AccessDenial, Meta(description="The decision, or why none was made.")]


class EvaluationsOptions(Open, frozen=True, kw_only=True):
    evaluations_semantic: Annotated[
        Literal["execute_all", "deny_on_first_deny"] | None,
        Meta(
            description="Whether to go on after a denial; execute_all unless given. permit_on_first_permit "
            "is refused: a permit is about one action at one destination, and none stands in for "
            "another."
        ),
    ] = None


@published("access-evaluations-request")
class AccessEvaluationsRequest(Open, frozen=True, kw_only=True):
    """Several evaluations and their shared members. Without `evaluations` it is one request, as for
    /access/v1/evaluation. Members that are not named here are ignored.
    """

    subject: Annotated[dict[str, Any] | None, Meta(description="The subject of every evaluation that names none.")] = (
        None
    )
    action: Annotated[dict[str, Any] | None, Meta(description="The action of every evaluation that names none.")] = None
    resource: Annotated[
        dict[str, Any] | None,
        Meta(
            description="The resource of every evaluation that names none; its type and id stand in for one "
            "that an evaluation leaves out."
        ),
    ] = None
    context: Annotated[dict[str, Any] | None, Meta(description="The context of every evaluation that has none.")] = None
    evaluations: Annotated[
        tuple[dict[str, Any], ...],
        Meta(
            max_length=50,
            description="Requests as for /access/v1/evaluation. An incomplete one is denied, and the others "
            "are answered.",
        ),
    ] = ()
    options: Annotated[EvaluationsOptions | None, Meta(description="How to evaluate.")] = None


@published("access-evaluations")
class AccessEvaluations(Closed, frozen=True, kw_only=True):
    """An evaluation for each that was requested, in their order; where none was requested, `decision` and `context` of
    the one.
    """

    evaluations: Annotated[
        tuple[AccessEvaluation, ...] | None,
        Meta(description="The evaluations; with deny_on_first_deny they end at the first denial."),
    ] = None
    decision: Annotated[bool | None, like("access-evaluation", "decision")] = None
    context: Annotated[Decision | AccessDenial | None, like("access-evaluation", "context")] = None


class ResourceType(Open, frozen=True, kw_only=True):
    type: Annotated[str, Meta(description="`url`, or `host` (also `domain`). Any other kind has no results.")]


class PageRequested(Open, frozen=True, kw_only=True):
    token: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=512,
                description="`next_token` of the previous page. Everything else must be the same.",
            ),
        ]
        | None
    ) = None
    limit: (
        Annotated[
            int, Meta(ge=1, description="Maximum number of destinations to check: 10 by default, and 10 at most.")
        ]
        | None
    ) = None


@published("access-resources-request", title="Access resource search request")
class AccessResourcesRequest(Open, frozen=True, kw_only=True):
    """Where may a subject do an action (AuthZEN Authorization API 1.0)? Members that are not named here are ignored."""

    subject: Annotated[Subject, like("access-evaluation-request", "subject")]
    action: Annotated[AccessAction, like("access-evaluation-request", "action")]
    resource: Annotated[ResourceType, Meta(description="The kind of resource; an id is ignored.")]
    context: Annotated[AccessContext | None, like("access-evaluation-request", "context")] = None
    page: Annotated[PageRequested | None, Meta(description="Which part of the results.")] = None


class FoundResource(Closed, frozen=True, kw_only=True):
    type: Annotated[str, Meta(description="The kind that was searched for.")]
    id: Annotated[str, Meta(description="The host, or its front page.")]
    properties: AccessPermit


class NextPage(Closed, frozen=True, kw_only=True):
    next_token: Annotated[str, Meta(description="The token of the next page; empty where there is none.")]
    count: Annotated[int, Meta(ge=0, description="How many results there are here.")]


@published("access-resources", title="Access resource search")
class AccessResources(Closed, frozen=True, kw_only=True):
    """Destinations where the action is permitted now."""

    results: Annotated[tuple[FoundResource, ...], Meta(description="The permitted ones, each with its decision.")]
    page: Annotated[NextPage, Meta(description="Which part of the results.")]
    context: AccessDenial | None = None


@published("access-actions-request", title="Access action search request")
class AccessActionsRequest(Open, frozen=True, kw_only=True):
    """What may a subject do at a resource (AuthZEN Authorization API 1.0)? Members that are not named here are
    ignored.
    """

    subject: Annotated[Subject, like("access-evaluation-request", "subject")]
    resource: Annotated[Resource, like("access-evaluation-request", "resource")]
    context: Annotated[AccessContext | None, like("access-evaluation-request", "context")] = None


class FoundAction(Closed, frozen=True, kw_only=True):
    name: Annotated[str, Meta(description="The action.")]
    properties: AccessPermit


@published("access-actions", title="Access action search")
class AccessActions(Closed, frozen=True, kw_only=True):
    """Actions that are permitted at the destination now."""

    results: Annotated[tuple[FoundAction, ...], Meta(description="The permitted ones, each with its decision.")]
    page: Annotated[NextPage, Meta(description="Which part of the results.")]
    context: AccessDenial | None = None


@published("authzen-configuration", title="AuthZEN configuration")
class AuthzenConfiguration(Closed, frozen=True, kw_only=True):
    """Where the AuthZEN endpoints are. An endpoint that is not named is not there."""

    policy_decision_point: Annotated[str, Meta(description="The address of this service."), URI]
    access_evaluation_endpoint: Annotated[str, Meta(description="One evaluation."), URI]
    access_evaluations_endpoint: Annotated[str, Meta(description="Several evaluations."), URI]
    search_resource_endpoint: Annotated[str, Meta(description="Where an action is permitted."), URI]
    search_action_endpoint: Annotated[str, Meta(description="What is permitted at a destination."), URI]
