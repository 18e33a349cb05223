"""A host name out of a request: a name, and nothing of an address that somebody may have pasted."""

from __future__ import annotations

import re

from waypost.api.problems import ErrorItem, ProblemError
from waypost.errors import InvalidUrl
from waypost.models.decision import Target
from waypost.models.relationship import Scope
from waypost.registry.world import World
from waypost.safety.relationship import is_run_by_owner
from waypost.safety.target import normalise, of_host

_MORE = re.compile(r"[/?#@:\\\s]")


def host_of(text: str, place: ErrorItem) -> Target:
    """The host that a text names, in Unicode or in A-labels. `place` is where it stood.

    Raises ProblemError, before anything of a pasted URL is looked at.
    """
    if _MORE.search(text):
        raise ProblemError(
            "domain-only", errors=[place | {"code": "domain-only", "detail": "a host name, nothing more"}]
        )
    try:
        if "%" in text:
            raise InvalidUrl("a host name has no escapes")
        return normalise(f"https://{text}/")
    except InvalidUrl:
        raise ProblemError(
            "invalid-request", errors=[place | {"code": "host", "detail": "this is no host name"}]
        ) from None


def covers_domain(domain: str, scope: Scope, world: World) -> bool:
    """Whether a review of a domain verifies the domain itself: not where strangers publish, unless of one host."""
    return scope == "host" or is_run_by_owner(world, of_host(domain))
