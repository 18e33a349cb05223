"""Rate limits: how many requests the holder of a key, or an address without a key, may send.

Windows slide: in no period of a policy's length do more requests than the quota get through. (A generic cell rate
algorithm that accepts a whole quota at once lets nearly two quotas through in the first window.) A policy with a daily
quota also counts by the day, UTC. Refused requests are not counted.

Processes of a service share a key's quota through the store. A process lets a small part of the quota through on its
own and reports the count once a second; beyond that part the process asks the store first. The quota is exceeded by
`SLACK` at the most, however the requests fall on the processes, and a usual request does not wait for the store.
Addresses are counted by each process separately, in memory alone.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self

from waypost.errors import WaypostError
from waypost.formats.text import near
from waypost.service import clock
from waypost.store import usage
from waypost.store.errors import StoreError
from waypost.store.usage import DAY_MS, SLOTS, Draw, Drawn, counts_until, wait_of

if TYPE_CHECKING:
    from waypost.store import Store

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
    Policy("validate", 60),
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
    Policy("dispute-page", 30, counts="address", what="disputes sent by the form of a browser, without a key"),
    Policy("sign-in", 10, counts="address"),
)
SLACK = 0.2
"""Fraction of a quota that may get through beyond the quota, over all processes together."""
RECHECK_MS = 1000
"""Milliseconds that a refusal is reused before the store is asked again: another process may have given units back."""
EVERY_S = 1.0
TIDY_EVERY = 60
MOST_ADDRESSES = 20_000
"""Addresses remembered for a policy; beyond the limit the least recently seen address is forgotten."""
MOST_QUOTA = 1_000_000_000


class LimitError(WaypostError):
    """Invalid quota. `member` is the name under which the quota was given."""

    code, status = "invalid-request", 422

    def __init__(self, member: str, reason: str) -> None:
        super().__init__(f"limits: {member}: {reason}")
        self.member = member


class Holder(Protocol):
    """Key, as far as limits need one: a key may have quotas of its own."""

    @property
    def id(self) -> str: ...
    @property
    def organization(self) -> str: ...
    @property
    def limits(self) -> Mapping[str, int]: ...


class Standing(NamedTuple):
    """Remaining quota of a holder under a policy. `reset_s`: seconds until part of the quota is free again."""

    policy: str
    quota: int
    window_s: int
    remaining: int
    reset_s: int


class _Rule(NamedTuple):
    """Policy with its daily policy, if any, and the names of both in the headers."""

    policy: Policy
    day: Policy | None
    window_ms: int
    period: str
    day_period: str


class _State(NamedTuple):
    """Counts at the time of a verdict; a granted request is included. Times in milliseconds."""

    rule: _Rule
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
        return (window, Standing(day.name, self.day_quota, day.window_s, self.left_today, self.reset_today_s))

    @property
    def reset_s(self) -> int:
        return -(-self.fresh_ms // 1000) if self.fresh_ms > 0 else self.rule.policy.window_s

    @property
    def left_today(self) -> int:
        return min(max(self.day_quota - self.used_today, 0), self.day_quota)

    @property
    def reset_today_s(self) -> int:
        return -(-_rest_of_day(self.now) // 1000)

    def headers(self) -> dict[str, str]:
        """RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4)."""
        rule, quota, day_quota = self.rule, self.quota, self.day_quota
        limits = f'"{rule.period}";r={max(quota - self.used, 0)};t={self.reset_s}'
        if rule.day is not None:
            limits += f', "{rule.day_period}";r={self.left_today};t={self.reset_today_s}'
        return {"ratelimit-policy": _policy_header(rule.policy.name, quota, day_quota, rule), "ratelimit": limits}

    def legacy_headers(self) -> dict[str, str]:
        """RateLimit-Limit, -Remaining and -Reset, as sent by older services, for the shortest window."""
        return {
            "ratelimit-limit": str(self.quota),
            "ratelimit-remaining": str(max(self.quota - self.used, 0)),
            "ratelimit-reset": str(self.reset_s),
        }


class Allowed(NamedTuple):
    """Verdict that lets a request through. `day`: the day that counted the request, in days since 1970."""

    subject: str
    policy: str
    cost: int
    day: int
    state: _State

    @property
    def headers(self) -> dict[str, str]:
        return self.state.headers()

    @property
    def legacy_headers(self) -> dict[str, str]:
        return self.state.legacy_headers()


class LimitExceeded(NamedTuple):
    """Verdict that refuses a request. `names` are the exceeded policies; `retry_after_s` is at least 1."""

    names: tuple[str, ...]
    retry_after_s: int
    state: _State

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
MOST_POLICY_HEADERS = 1024


def _policy_header(name: str, quota: int, day_quota: int, rule: _Rule) -> str:
    """RateLimit-Policy header, cached because nearly every answer has the same value."""
    found = _POLICY_HEADERS.get((name, quota, day_quota))
    if found is None:
        found = f'"{rule.policy.period}";q={quota};w={rule.policy.window_s}'
        if rule.day:
            found += f', "{rule.day.period}";q={day_quota};w={rule.day.window_s}'
        if len(_POLICY_HEADERS) < MOST_POLICY_HEADERS:
            _POLICY_HEADERS[name, quota, day_quota] = found
    return found


def with_quotas(quotas: Mapping[str, int], policies: Sequence[Policy] = POLICIES) -> tuple[Policy, ...]:
    """Policies with the quotas replaced by name. Raises LimitError."""
    checked = checked_quotas(quotas, policies, counts=("key", "organization", "address"))
    return tuple(policy._replace(quota=checked.get(policy.name, policy.quota)) for policy in policies)


def checked_quotas(
    quotas: Mapping[str, int], policies: Sequence[Policy] = POLICIES, counts: tuple[Counts, ...] = ("key",)
) -> dict[str, int]:
    """Quotas by policy name, validated. Raises LimitError for an unknown name or an invalid number."""
    known = [policy.name for policy in policies if policy.counts in counts]
    for name, quota in quotas.items():
        if name not in known:
            suggestions = near(name, known)
            raise LimitError(name, f"there is no such limit; {'did you mean' if suggestions else 'there are'} "
                               f"{', '.join(suggestions or known)}")  # fmt: skip
        if isinstance(quota, bool) or not isinstance(quota, int) or not 1 <= quota <= MOST_QUOTA:
            raise LimitError(name, f"a whole number from 1 to {MOST_QUOTA} is wanted")
    return dict(quotas)


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Network that is counted for an address: an IPv4 address, or the /64 of an IPv6 address.

    A customer gets at least a /64, so single IPv6 addresses would be no limit.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(found) >> 64 << 64))


class _Window:
    """Sliding window of a subject under a policy: expiry in milliseconds -> cost, the oldest first."""

    __slots__ = ("slots", "used")

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.used = 0

    def settle(self, now: int, until: int) -> None:
        """Drop costs that have left the window. `until` is the expiry of a cost counted now."""
        while self.slots:
            oldest = next(iter(self.slots))
            if oldest > now:
                break
            self.used -= self.slots.pop(oldest)
        if self.slots and next(reversed(self.slots)) > until:
            # The clock was set back: costs counted in its future are moved to now.
            early = sum(self.slots.pop(expiry) for expiry in [end for end in self.slots if end > until])
            self.slots[until] = self.slots.get(until, 0) + early

    def add(self, cost: int, until: int) -> None:
        self.slots[until] = self.slots.get(until, 0) + cost
        self.used += cost

    def fresh_ms(self, now: int) -> int:
        return next(iter(self.slots)) - now if self.slots else 0


class _Memory:
    """Counterpart of `store.usage` in memory, for addresses and for a service without a store."""

    def __init__(self) -> None:
        # policy -> subject -> window, the least recently seen subject first
        self._windows: dict[str, dict[str, _Window]] = {}
        # day -> (policy, subject) -> cost
        self._days: dict[int, dict[tuple[str, str], int]] = {}

    def draw(self, draw: Draw, now: int) -> Drawn:
        until = counts_until(now, draw.window_ms)
        window = self._window(draw.policy, draw.subject)
        window.settle(now, until)
        used_today, fits_today, today = 0, True, now // DAY_MS
        if draw.day_policy:
            used_today = self._day(today).get((draw.day_policy, draw.subject), 0)
            fits_today = used_today + draw.amount <= draw.day_quota
        granted = draw.amount > 0 and fits_today and window.used + draw.amount <= draw.quota
        wait_ms = 0
        if granted:
            window.add(draw.amount, until)
            if draw.day_policy:
                used_today += draw.amount
                self._day(today)[draw.day_policy, draw.subject] = used_today
        else:
            room = draw.quota - window.used
            wait_ms = wait_of(window.slots.items(), room, draw.amount, now, draw.window_ms)
        return Drawn(granted, window.used, used_today, window.fresh_ms(now), wait_ms, fits_today)

    def give_back(self, subject: str, policy: str, day: int, cost: int) -> None:
        counts = self._day(day)
        if (policy, subject) in counts:
            counts[policy, subject] = max(counts[policy, subject] - cost, 0)

    def _window(self, policy: str, subject: str) -> _Window:
        windows = self._windows.setdefault(policy, {})
        found = windows.pop(subject, None)
        if found is None:
            if len(windows) >= MOST_ADDRESSES:
                del windows[next(iter(windows))]
            found = _Window()
        windows[subject] = found  # reinserted last, so that the first entry is the least recently seen
        return found

    def _day(self, day: int) -> dict[tuple[str, str], int]:
        """Counts of a day. Yesterday and tomorrow are kept too, in case the clock is set back over midnight."""
        if day not in self._days:
            self._days[day] = {}
            for old in [known for known in self._days if abs(known - day) > 1]:
                del self._days[old]
        return self._days[day]


class _Account:
    """Usage of a holder under a policy, as this process knows the numbers.

    used, used_today  counts by the last answer of the store
    spent             let through since then and not reported
    reported          on the way to the store
    denied_until      milliseconds since 1970: a request of `denied_cost` or more is refused until then
    """

    __slots__ = (
        "day",
        "denied_cost",
        "denied_until",
        "fresh_at",
        "last",
        "refusal",
        "reported",
        "reported_today",
        "rule",
        "spent",
        "spent_today",
        "store_call",
        "subject",
        "used",
        "used_today",
    )  # fmt: skip

    def __init__(self, subject: str, rule: _Rule, now: int) -> None:
        self.subject = subject
        self.rule = rule
        self.used = self.used_today = 0
        self.spent = self.spent_today = 0
        self.reported = self.reported_today = 0
        self.day = now // DAY_MS
        self.fresh_at = 0
        self.last = now
        self.denied_until = 0
        self.denied_cost = 0
        self.refusal: LimitExceeded | None = None
        self.store_call: asyncio.Future[None] | None = None


class Limits:
    """Rate limits of a running service.

    store      shares the counts between processes; without a store every process counts alone
    processes  upper bound of the processes that share the store; too high a bound only makes the store busier
    now        clock for the reports once a second and on close, in milliseconds since 1970
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        policies: Sequence[Policy] = POLICIES,
        processes: int = 2,
        now: Callable[[], int] = clock,
    ) -> None:
        self.policies = tuple(policies)
        self._store = store
        self._now = now
        # Every process may let this fraction of a quota through unreported, so all of them exceed it by SLACK at most.
        self._free = SLACK / max(processes, 1)
        self._memory = _Memory()
        self._accounts: dict[tuple[str, str], _Account] = {}
        days = {policy.part_of: policy for policy in policies if policy.part_of}
        self._rules = {
            policy.name: _Rule(
                policy,
                (day := days.get(policy.name)),
                policy.window_s * 1000,
                policy.period,
                day.period if day else "",
            )
            for policy in policies
            if not policy.part_of
        }

    def of_address(self, address: str, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded:
        """Count a request without a key. `now` is milliseconds since 1970, UTC."""
        return self._here(network_of(address), self._rules[policy], {}, now, cost)

    async def of_key(self, holder: Holder, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded:
        """Count a request with a key, or `cost` items of a batch.

        Raises StoreError if the store is needed for the verdict and fails; the request must then be refused.
        """
        while True:
            verdict = self.at_once(holder, policy, now, cost)
            if not isinstance(verdict, _Account):
                return verdict
            # Another request waits for the store with this account: decide after it, by the fresh counts.
            if verdict.store_call is not None:
                await asyncio.wait((verdict.store_call,))
                continue
            return await self._draw_from_store(verdict, *_quotas(self._rules[policy], holder), now, cost)

    def at_once(self, holder: Holder, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded | _Account:
        """Verdict without the store if possible; otherwise the account for which the store has to be asked."""
        rule = self._rules[policy]
        subject, limits = _counted_as(holder, rule)
        if self._store is None:
            return self._here(subject, rule, limits, now, cost)
        account = self._accounts.get((policy, subject))
        if account is None:
            account = self._accounts[policy, subject] = _Account(subject, rule, now)
        account.last = now
        quota = limits.get(policy, rule.policy.quota)
        day_quota = limits.get(rule.day.name, rule.day.quota) if rule.day else 0
        return self._known(account, quota, day_quota, now, cost) or account

    def forgive(self, allowed: Allowed) -> None:
        """Give units back to the daily quota because the answer was an error."""
        rule = self._rules[allowed.policy]
        if rule.day is None:
            return
        account = self._accounts.get((allowed.policy, allowed.subject))
        if account is None:
            self._memory.give_back(allowed.subject, rule.day.name, allowed.day, allowed.cost)
        elif account.day == allowed.day:
            account.spent_today -= allowed.cost

    def standings(self, holder: Holder, now: int) -> list[Standing]:
        """Remaining quotas of a key under every policy that counts keys or organizations."""
        found: list[Standing] = []
        for rule in self._rules.values():
            if rule.policy.counts != "address":
                found += self._standings_of(holder, rule, now)
        return found

    async def run(self) -> None:
        """Report to the store once a second until cancelled. A failed report is repeated in the next round."""
        rounds = 0
        while True:
            await asyncio.sleep(EVERY_S)
            rounds += 1
            try:
                await self.settle(self._now(), tidy=rounds % TIDY_EVERY == 0)
            except StoreError:
                continue  # The counts were restored. Until a report succeeds they use up the local part of the quota.

    async def settle(self, now: int, *, tidy: bool = False) -> None:
        """Report the local counts to the store and read the counts of all processes. Raises StoreError."""
        accounts = self._to_report()
        if self._store is not None and (accounts or tidy):
            await self._settle(accounts, [self._draw(account, 0) for account in accounts], now, tidy=tidy)
        self._drop_idle(now)

    async def _settle(
        self, accounts: Sequence[_Account], draws: Sequence[Draw], now: int, *, tidy: bool = False
    ) -> list[Drawn]:
        """Send draws to the store. `store_call` makes other requests for these accounts wait. Raises StoreError."""
        assert self._store is not None
        pending = asyncio.get_running_loop().create_future()
        for account in accounts:
            account.store_call = pending
        try:
            # Shielded: a client that disconnects cancels its request, but the store still counts the draw.
            work = self._store.writer.submit(lambda db: usage.settle(db, draws, now, tidy=tidy))
            drawn = await asyncio.shield(asyncio.wrap_future(work))
        except Exception as error:
            for account in accounts:
                _restore(account)
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"the store could not count what was spent ({type(error).__name__})") from error
        finally:
            for account in accounts:
                account.store_call = None
            pending.set_result(None)
        for account, found in zip(accounts, drawn, strict=True):
            _learn(account, found, now)
        return drawn

    def close(self) -> None:
        """Report the remaining counts. A failing store loses the counts of a second at most."""
        if self._store is None or not (accounts := self._to_report()):
            return
        now = self._now()
        draws = [self._draw(account, 0) for account in accounts]
        try:
            self._store.write(lambda db: usage.settle(db, draws, now))
        except Exception:  # noqa: BLE001 - the rest of the service still has to be closed
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _here(
        self, subject: str, rule: _Rule, limits: Mapping[str, int], now: int, cost: int
    ) -> Allowed | LimitExceeded:
        """Verdict by the counts in memory."""
        policy, day = rule.policy, rule.day
        quota = limits.get(policy.name, policy.quota)
        day_quota = limits.get(day.name, day.quota) if day else 0
        draw = Draw(
            subject, policy.name, rule.window_ms, quota, day.name if day else "", now // DAY_MS, day_quota, amount=cost
        )
        drawn = self._memory.draw(draw, now)
        state = _State(rule, quota, day_quota, drawn.used, drawn.used_today, drawn.fresh_ms, now)
        if drawn.granted:
            return Allowed(subject, policy.name, cost, now // DAY_MS, state)
        return _exceeded(drawn, state)

    def _known(
        self, account: _Account, quota: int, day_quota: int, now: int, cost: int
    ) -> Allowed | LimitExceeded | None:
        """Verdict by the local account alone; None if the store has to be asked."""
        # A `denied_until` further away than RECHECK_MS dates from before the clock was set back: ignored.
        if 0 < account.denied_until - now <= RECHECK_MS and cost >= account.denied_cost and account.refusal:
            return account.refusal
        rule = account.rule
        pending = account.spent + account.reported + cost
        # Beyond the local part, or near the quota, only the store knows the counts of the other processes.
        if pending > quota * self._free or account.used + pending > quota:
            return None
        used_today = 0
        if rule.day:
            used_today = account.used_today + account.spent_today + account.reported_today + cost
            # After midnight UTC the store has to start the new day's count.
            if used_today > day_quota or account.day != now // DAY_MS:
                return None
        account.spent += cost
        account.spent_today += cost
        if account.fresh_at <= now:
            account.fresh_at = now + rule.window_ms
        state = _State(rule, quota, day_quota, account.used + pending, used_today, account.fresh_at - now, now)
        return Allowed(account.subject, rule.policy.name, cost, account.day, state)

    async def _draw_from_store(
        self, account: _Account, quota: int, day_quota: int, now: int, cost: int
    ) -> Allowed | LimitExceeded:
        """Verdict of the store. Raises StoreError."""
        rule = account.rule
        draw = self._draw(account, cost)._replace(quota=quota, day_quota=day_quota)
        (drawn,) = await self._settle([account], [draw], now)
        state = _State(rule, quota, day_quota, drawn.used, drawn.used_today, drawn.fresh_ms, now)
        if drawn.granted:
            return Allowed(account.subject, rule.policy.name, cost, now // DAY_MS, state)
        refusal = _exceeded(drawn, state)
        account.refusal, account.denied_cost = refusal, cost
        account.denied_until = now + min(refusal.retry_after_s * 1000, RECHECK_MS)
        return refusal

    def _draw(self, account: _Account, amount: int) -> Draw:
        """Draw of `amount` for the store; moves the local counts to `reported`."""
        rule, day = account.rule, account.rule.day
        account.reported, account.spent = account.spent, 0
        account.reported_today, account.spent_today = account.spent_today, 0
        return Draw(
            account.subject,
            rule.policy.name,
            rule.window_ms,
            rule.policy.quota,
            day.name if day else "",
            account.day,
            day.quota if day else 0,
            account.reported,
            account.reported_today,
            amount,
        )

    def _to_report(self) -> list[_Account]:
        accounts = self._accounts.values()
        return [account for account in accounts if not account.store_call and (account.spent or account.spent_today)]

    def _drop_idle(self, now: int) -> None:
        """Forget accounts that were idle for a whole window: the store no longer counts their requests either."""
        for name, account in list(self._accounts.items()):
            # abs: after the clock was set back `last` lies in the future. A slot more, as the store rounds up to slots.
            quiet = abs(now - account.last) > account.rule.window_ms + account.rule.window_ms // SLOTS
            if quiet and not (account.store_call or account.spent or account.spent_today):
                del self._accounts[name]

    def _standings_of(self, holder: Holder, rule: _Rule, now: int) -> tuple[Standing, ...]:
        policy, day = rule.policy, rule.day
        subject, limits = _counted_as(holder, rule)
        quota = limits.get(policy.name, policy.quota)
        day_quota = limits.get(day.name, day.quota) if day else 0
        if self._store is None:
            draw = Draw(subject, policy.name, rule.window_ms, quota, day.name if day else "", 0, day_quota)
            drawn = self._memory.draw(draw, now)
            return _State(rule, quota, day_quota, drawn.used, drawn.used_today, drawn.fresh_ms, now).standings()
        used, fresh_ms = self._store.read(lambda db: usage.used_in_window(db, subject, policy.name, now))
        today = 0
        if day:
            today = self._store.read(lambda db: usage.used_on(db, subject, day.name, now // DAY_MS))
        if account := self._accounts.get((policy.name, subject)):
            used += account.spent + account.reported
            today += account.spent_today + account.reported_today if account.day == now // DAY_MS else 0
            fresh_ms = fresh_ms or account.fresh_at - now
        return _State(rule, quota, day_quota, used, today, fresh_ms, now).standings()


_NONE: Mapping[str, int] = MappingProxyType({})


def _counted_as(holder: Holder, rule: _Rule) -> tuple[str, Mapping[str, int]]:
    """(subject that is counted, quotas of the key's own)"""
    if rule.policy.counts == "organization":
        return f"organization:{holder.organization}", _NONE
    return holder.id, holder.limits


def _quotas(rule: _Rule, holder: Holder) -> tuple[int, int]:
    """(quota, quota of the day or 0)"""
    _, limits = _counted_as(holder, rule)
    day = rule.day
    return limits.get(rule.policy.name, rule.policy.quota), limits.get(day.name, day.quota) if day else 0


def _learn(account: _Account, drawn: Drawn, now: int) -> None:
    account.used, account.used_today = drawn.used, drawn.used_today
    account.reported = account.reported_today = 0
    account.fresh_at = now + drawn.fresh_ms
    if account.day != now // DAY_MS:
        account.day = now // DAY_MS
        account.spent_today = 0


def _restore(account: _Account) -> None:
    account.spent += account.reported
    account.spent_today += account.reported_today
    account.reported = account.reported_today = 0


def _rest_of_day(now: int) -> int:
    return DAY_MS - now % DAY_MS


def _exceeded(drawn: Drawn, state: _State) -> LimitExceeded:
    rule = state.rule
    names: tuple[str, ...] = ()
    wait_ms = 0
    if drawn.wait_ms:
        names, wait_ms = (rule.policy.name,), drawn.wait_ms
    if rule.day and not drawn.fits_today:
        names, wait_ms = (*names, rule.day.name), max(wait_ms, _rest_of_day(state.now))
    # Rounded up, so that a client that waits exactly this long is not refused again.
    return LimitExceeded(names, max(-(-wait_ms // 1000), 1), state)
