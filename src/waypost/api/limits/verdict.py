"""Verdicts of the rate limits about a request, and their headers."""

from __future__ import annotations

import msgspec

from waypost.service.limit_policies import Rule, Standing
from waypost.store.usage import DAY_MS, Drawn


class State(msgspec.Struct, frozen=True):
    """Counts at the time of a verdict; a granted request is included. Times in milliseconds."""

    rule: Rule
    quota: int
    day_quota: int
    used: int
    used_today: int
    fresh_ms: int
    now: int

    def standings(self) -> tuple[Standing, ...]:
        policy, day = self.rule.policy, self.rule.day
        window = Standing(policy.name, self.quota, policy.window_s, max(self.quota - self.used, 0), self.reset_s)
        if day is None:
            return (window,)
        return (window, Standing(day.name, self.day_quota, day.window_s, self.left_today, _rest_of_day(self.now)))

    @property
    def reset_s(self) -> int:
        return -(-self.fresh_ms // 1000) if self.fresh_ms > 0 else self.rule.policy.window_s

    @property
    def left_today(self) -> int:
        return min(max(self.day_quota - self.used_today, 0), self.day_quota)

    def headers(self) -> dict[str, str]:
        """RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4)."""
        rule, quota, day_quota = self.rule, self.quota, self.day_quota
        limits = f'"{rule.period}";r={max(quota - self.used, 0)};t={self.reset_s}'
        if rule.day is not None:
            limits += f', "{rule.day_period}";r={self.left_today};t={_rest_of_day(self.now)}'
        policy = _POLICY_HEADERS.get((rule.policy.name, quota, day_quota))
        return {"ratelimit-policy": policy or _policy_header(quota, day_quota, rule), "ratelimit": limits}

    def legacy_headers(self) -> dict[str, str]:
        """RateLimit-Limit, -Remaining and -Reset, as sent by older services, for the shortest window."""
        return {
            "ratelimit-limit": str(self.quota),
            "ratelimit-remaining": str(max(self.quota - self.used, 0)),
            "ratelimit-reset": str(self.reset_s),
        }


class Allowed(msgspec.Struct, frozen=True):
    """Verdict that lets a request through. `day`: the day that counted the request, in days since 1970."""

    subject: str
    policy: str
    cost: int
    day: int
    state: State

    @property
    def headers(self) -> dict[str, str]:
        return self.state.headers()

    @property
    def legacy_headers(self) -> dict[str, str]:
        return self.state.legacy_headers()


class LimitExceeded(msgspec.Struct, frozen=True):
    """Verdict that refuses a request. `names` are the exceeded policies; `retry_after_s` is at least 1."""

    names: tuple[str, ...]
    retry_after_s: int
    state: State

    @property
    def policies(self) -> tuple[str, ...]:
        """Exceeded policies by their names in the headers."""
        rule = self.state.rule
        return tuple(policy.period for policy in (rule.policy, rule.day) if policy and policy.name in self.names)

    @property
    def headers(self) -> dict[str, str]:
        """RateLimit headers and Retry-After (RFC 9110 section 10.2.3)."""
        return self.state.headers() | {"retry-after": str(self.retry_after_s)}

    @property
    def legacy_headers(self) -> dict[str, str]:
        return self.state.legacy_headers()


_POLICY_HEADERS: dict[tuple[str, int, int], str] = {}
"""RateLimit-Policy headers, kept because nearly every answer has the same."""
MOST_POLICY_HEADERS = 1024


def _policy_header(quota: int, day_quota: int, rule: Rule) -> str:
    """RateLimit-Policy header."""
    found = f'"{rule.policy.period}";q={quota};w={rule.policy.window_s}'
    if rule.day:
        found += f', "{rule.day.period}";q={day_quota};w={rule.day.window_s}'
    if len(_POLICY_HEADERS) < MOST_POLICY_HEADERS:
        _POLICY_HEADERS[rule.policy.name, quota, day_quota] = found
    return found


def exceeded(drawn: Drawn, state: State) -> LimitExceeded:
    rule = state.rule
    names: tuple[str, ...] = ()
    wait_ms = 0
    if drawn.wait_ms:
        names, wait_ms = (rule.policy.name,), drawn.wait_ms
    if rule.day and not drawn.fits_today:
        names, wait_ms = (*names, rule.day.name), max(wait_ms, _rest_of_day(state.now) * 1000)
    # Rounded up, so that a client that waits exactly this long is not refused again.
    return LimitExceeded(names, max(-(-wait_ms // 1000), 1), state)


def _rest_of_day(now: int) -> int:
    """Seconds until the next day, rounded up."""
    return -(-(DAY_MS - now % DAY_MS) // 1000)
