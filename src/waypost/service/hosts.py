"""Host names in requests: parsed strictly, so that a pasted URL is refused before any part is used."""

from __future__ import annotations

import re

from waypost.errors import InvalidUrl
from waypost.models.decision import Target
from waypost.models.relationship import Scope
from waypost.registry.world import World
from waypost.safety.relationship import is_run_by_owner
from waypost.safety.target import normalise, of_host
from waypost.service.problems import ErrorItem, ProblemError

_MORE = re.compile(r"[/?#@:\\\s]")


def host_of(text: str, place: ErrorItem) -> Target:
    """Target for a host name in Unicode or A-labels. `place` is the request's place for the error.

    Raises ProblemError for a URL, an escape or an invalid host name.
    """
    # First of all: a pasted URL may hold secrets, and no part of it is processed or logged.
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
            "invalid-request", errors=[place | {"code": "host", "detail": "this is not a host name"}]
        ) from None


def in_url(target: Target) -> str:
    """Host of a target as it is written in a URL."""
    return f"[{target.host}]" if ":" in target.host else target.host


def covers_domain(domain: str, scope: Scope, world: World) -> bool:
    """Whether a review of a domain verifies the domain itself.

    False if third parties publish on subdomains, unless the review is for a single host.
    """
    return scope == "host" or is_run_by_owner(world, of_host(domain))
