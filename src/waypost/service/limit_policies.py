"""Policies of the rate limits, and quotas that settings and keys give in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from waypost.errors import WaypostError
from waypost.formats.text import near
from waypost.store.usage import DAY_MS

Counts = Literal["key", "organization", "address"]


class Policy(NamedTuple):
    """Rate limit: at most `quota` requests in any `window_s` seconds.

    counts   subject that is counted: a key, an organization or an address
    what     requests that are counted, where it is not every request to the endpoints of the policy
    part_of  for a daily quota, the name of the policy whose requests are counted by the day
    """

    name: str
    quota: int
    window_s: int = 60
    counts: Counts = "key"
    part_of: str = ""
    what: str = ""

    @property
    def period(self) -> str:
        """Name in the RateLimit headers: "minute" or "day", or the policy's name for a window of another length."""
        return _PERIODS.get(self.window_s) or self.name


DAY_S = DAY_MS // 1000
_PERIODS = {60: "minute", DAY_S: "day"}
POLICIES: tuple[Policy, ...] = (
    Policy("checks", 60, what="checks; a batch counts each of its items"),
    Policy("checks-day", 10_000, DAY_S, part_of="checks", what="checks that were answered; a batch counts each item"),
    Policy("lookups", 120),
    Policy("validate", 60, what="requests; a batch counts each of its lines"),
    Policy("reading", 120),
    Policy("keys", 10),
    # Submissions cost reviewers' time, so all keys of an organization share the quota.
    Policy("submissions", 20, counts="organization"),
    Policy("submissions-day", 200, DAY_S, counts="organization", part_of="submissions"),
    Policy("reviews", 60),
    Policy("failed-auth", 20, counts="address", what="requests to any endpoint whose key is missing or not valid"),
    Policy("preview", 30, counts="address"),
    Policy("pages", 10, counts="address", what="pages fetched for the box of the site"),
    Policy("schema", 600, counts="address"),
    Policy(
        "dispute-page",
        30,
        counts="address",
        what="dispute pages opened, and disputes sent by their form, without a key",
    ),
    Policy("sign-in", 10, counts="address"),
)

MOST_QUOTA = 1_000_000_000


class LimitError(WaypostError):
    """Invalid quota. `member` is the name under which the quota was given."""

    code, status = "invalid-request", 422

    def __init__(self, member: str, reason: str) -> None:
        super().__init__(f"limits: {member}: {reason}")
        self.member = member


class Rule(NamedTuple):
    """Policy with its daily policy, if any, and the names of both in the headers."""

    policy: Policy
    day: Policy | None
    window_ms: int
    period: str
    day_period: str


def with_quotas(quotas: Mapping[str, int]) -> tuple[Policy, ...]:
    """Policies with the quotas replaced by name. Raises LimitError."""
    checked = checked_quotas(quotas, counts=("key", "organization", "address"))
    return tuple(policy._replace(quota=checked.get(policy.name, policy.quota)) for policy in POLICIES)


def checked_quotas(quotas: Mapping[str, int], counts: tuple[Counts, ...] = ("key",)) -> dict[str, int]:
    """Quotas by policy name, validated. Raises LimitError for an unknown name or an invalid number."""
    known = [policy.name for policy in POLICIES if policy.counts in counts]
    for name, quota in quotas.items():
        if name not in known:
            suggestions = near(name, known)
            raise LimitError(name, f"there is no such limit; {'did you mean' if suggestions else 'there are'} "
                               f"{', '.join(suggestions or known)}")  # fmt: skip
        if isinstance(quota, bool) or not isinstance(quota, int) or not 1 <= quota <= MOST_QUOTA:
            raise LimitError(name, f"give a whole number from 1 to {MOST_QUOTA}")
    return dict(quotas)


class Standing(NamedTuple):
    """Remaining quota of a holder under a policy. `reset_s`: seconds until part of the quota is free again."""

    policy: str
    quota: int
    window_s: int
    remaining: int
    reset_s: int
