"""List of the policies of a service, as the API, the console and the command line show it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from waypost.formats.text import timestamp, without_hidden
from waypost.models.wire.policies import PolicyFile
from waypost.registry.world import World
from waypost.safety.own_policy import OwnPolicyError, read_policy
from waypost.safety.policy import policies
from waypost.service.problems import ProblemError
from waypost.store.own_policies import StoredPolicy


def listing(world: World, stored: Iterable[StoredPolicy], in_use: str = "") -> list[dict[str, Any]]:
    """Members of every policy: the shipped ones, then the operator's own.

    in_use  version that the service decides by
    """
    shipped = [
        {"policy_version": version, "about": policy.about, "state": "shipped"}
        for version, policy in sorted(policies(world).items())
    ]
    found = [*shipped, *(to_dict(policy) for policy in stored)]
    return [each | {"in_use": True} if each["policy_version"] == in_use else each for each in found]


def check_file(text: str, world: World, today: date) -> str:
    """Version of a policy file. Raises ProblemError with the line and the member of each error."""
    try:
        policy = read_policy(text, "file", world)
    except OwnPolicyError as error:
        raise ProblemError(
            "invalid-request",
            errors=[{"pointer": "#/file", "code": "policy", "detail": str(each)} for each in error.errors],
        ) from None
    if policy.file.date > today.isoformat():
        place = {"pointer": "#/file", "code": "policy", "detail": f"the date {policy.file.date} is in the future"}
        raise ProblemError("invalid-request", errors=[place])
    return policy.policy.version


def to_dict(policy: StoredPolicy) -> dict[str, Any]:
    """Members of an operator's policy; empty ones are left out."""
    file = _file_of(policy.text)
    members = {
        "policy_version": policy.version,
        "about": without_hidden(file.about) if file else "",
        "state": policy.state,
        "extends": file.extends if file else "",
        "submitted_by": without_hidden(policy.submitted_by),
        "submitted_at": timestamp(policy.submitted_at),
        "accepted_by": without_hidden(policy.accepted_by),
        "accepted_at": timestamp(policy.accepted_at) if policy.accepted_at else "",
        "withdrawn_by": without_hidden(policy.withdrawn_by),
        "file": policy.text,
    }
    return {name: value for name, value in members.items() if value or name == "about"}


def _file_of(text: str) -> PolicyFile | None:
    import tomllib

    import msgspec

    try:
        return msgspec.convert(tomllib.loads(text), PolicyFile)
    except (ValueError, msgspec.ValidationError):  # an earlier release accepted another form
        return None
