"""Forms of the console, and answers about a browser session."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from waypost.models.api_key import Environment, Label, Scope
from waypost.models.decision import Action
from waypost.models.wire.common import Closed, FormToken, PlainText, Prose, like, published


@published("check-form")
class CheckForm(Closed, frozen=True, kw_only=True):
    """A destination and the action that a signed-in person intends."""

    csrf: Annotated[PlainText, like("session-form", "csrf")]
    url: Annotated[PlainText, like("check-request", "url")]
    intended_action: Annotated[Action, like("check-request", "intended_action")]


@published("key-form")
class KeyForm(Closed, frozen=True, kw_only=True):
    """A key as requested in a form."""

    csrf: FormToken
    name: Annotated[PlainText, Meta(min_length=1, max_length=80, description="What it is for.")]
    labels: Annotated[tuple[Label, ...], Meta(description="Sets of scopes.")] = ()
    scopes: Annotated[tuple[Scope, ...], Meta(description="Scopes by name.")] = ()
    environment: Annotated[Environment, Meta(description="`live`, or `test` for fixed answers about test hosts.")]
    expires_days: Annotated[str, Meta(pattern=r"^[0-9]{1,3}$", description="Days until it expires.")]


@published("review-form")
class ReviewForm(Closed, frozen=True, kw_only=True):
    """A reviewer's decision at the console."""

    csrf: FormToken
    step: Annotated[Literal["approve", "reject", "request-changes", "uphold"], Meta(description="The decision.")]
    reason: Annotated[
        Prose,
        Meta(
            min_length=1,
            max_length=2000,
            description="The reason, for the history.",
        ),
    ]


@published("freeze-form")
class FreezeForm(Closed, frozen=True, kw_only=True):
    """A step of a freeze: its start, or the request or the confirmation of its end."""

    csrf: FormToken
    step: Annotated[Literal["start", "end"], Meta(description="The step.")]
    reason: Annotated[PlainText, like("freeze-request", "reason")]


@published("policy-form")
class PolicyForm(Closed, frozen=True, kw_only=True):
    """A policy to submit at the console."""

    csrf: FormToken
    file: Annotated[Prose, like("policy-request", "file")]


@published("policy-step-form")
class PolicyStepForm(Closed, frozen=True, kw_only=True):
    """A decision about a policy at the console."""

    csrf: FormToken
    step: Annotated[Literal["accept", "withdraw"], Meta(description="The decision.")]
    reason: Annotated[PlainText | None, like("freeze-request", "reason")] = None


@published("rotation-form")
class RotationForm(Closed, frozen=True, kw_only=True):
    """How the old key is retired."""

    csrf: FormToken
    overlap: Annotated[
        Literal["0", "3600", "86400", "604800"], Meta(description="Seconds that the old key stays valid.")
    ]


@published("session-answer")
class SessionAnswer(Closed, frozen=True, kw_only=True):
    """Whether the browser is signed in to the console."""

    signed_in: Annotated[bool, Meta(description="Whether there is a session.")]
    organization: Annotated[str | None, Meta(description="The name of the session's organization.")] = None
    csrf: Annotated[str | None, Meta(description="The token that forms of this session send back.")] = None


@published("session-form", title="Form of a session")
class SessionForm(Closed, frozen=True, kw_only=True):
    """The form that a button of the console sends."""

    csrf: FormToken


@published("sign-in-form", title="Sign-in form")
class SignInForm(Closed, frozen=True, kw_only=True):
    """The form that the page of a sign-in link sends."""

    token: Annotated[PlainText, Meta(min_length=1, max_length=64, description="The link's token.")]
