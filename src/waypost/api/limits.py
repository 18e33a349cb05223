"""How often the holder of a key, or an address without one, may ask.

In no window of a policy's length does more than its quota get through: the window slides. (A generic cell rate
algorithm that takes a whole quota at once lets nearly two of them through in the first window.) What has a quota by
the day is counted by the day of UTC too; what is refused counts nowhere.

The processes of a service share the quota of a key through the store. Each lets a small part of it through without
asking, and reports that once a second; beyond that part it asks first. So the quota is exceeded by `SLACK` at the
most, however the requests fall on the processes, and a usual request waits for nothing. Addresses are counted by each
process for itself: they are kept in memory alone, and for as long as they count.
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
    """At most `quota` in any `window_s` seconds; with `part_of`, on any day, of what that other policy counts."""

    name: str
    quota: int
    window_s: int = 60
    counts: Counts = "key"
    part_of: str = ""

    @property
    def period(self) -> str:
        """Its name in the headers, which are about the one answer they come with."""
        return _PERIODS.get(self.window_s) or self.name


DAY_S = DAY_MS // 1000
_PERIODS = {60: "minute", DAY_S: "day"}
POLICIES: tuple[Policy, ...] = (
    Policy("checks", 60),
    Policy("checks-day", 10_000, DAY_S, part_of="checks"),
    Policy("lookups", 120),
    Policy("validate", 60),
    Policy("reading", 120),
    Policy("keys", 10),
    # What people have to look at is limited for all keys of an organization together.
    Policy("submissions", 20, counts="organization"),
    Policy("submissions-day", 200, DAY_S, counts="organization", part_of="submissions"),
    Policy("reviews", 60),
    Policy("failed-auth", 20, counts="address"),
    Policy("preview", 30, counts="address"),
    Policy("schema", 600, counts="address"),
    Policy("dispute-page", 30, counts="address"),
    Policy("sign-in", 10, counts="address"),
)
SLACK = 0.2
"""How much of a quota may get through beyond it, over all processes together."""
RECHECK_MS = 1000
"""A refusal holds for this long before the store is asked again: another process may have given something back."""
EVERY_S = 1.0
TIDY_EVERY = 60
MOST_ADDRESSES = 20_000
"""Addresses remembered for each policy; beyond them the one that was quiet longest is forgotten."""
MOST_QUOTA = 1_000_000_000


class LimitError(WaypostError):
    """A quota of a key's own cannot be set; `member` is the name it stands under."""

    code, status = "invalid-request", 422

    def __init__(self, member: str, reason: str) -> None:
        super().__init__(f"limits: {member}: {reason}")
        self.member = member


class Holder(Protocol):
    """A key, as far as its limits go: every key has quotas of its own."""

    @property
    def id(self) -> str: ...
    @property
    def organization(self) -> str: ...
    @property
    def limits(self) -> Mapping[str, int]: ...


class Standing(NamedTuple):
    """Where somebody stands with one policy. `reset_s`: seconds until something of the quota comes back."""

    policy: str
    quota: int
    window_s: int
    remaining: int
    reset_s: int


class _Rule(NamedTuple):
    """A policy, and what it counts by the day if anything; with what both are called in the headers."""

    policy: Policy
    day: Policy | None
    window_ms: int
    period: str
    day_period: str


class _State(NamedTuple):
    """What was known when a verdict was given, the things asked for included where they were granted."""

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
        """draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4."""
        rule, quota, day_quota = self.rule, self.quota, self.day_quota
        limits = f'"{rule.period}";r={max(quota - self.used, 0)};t={self.reset_s}'
        if rule.day is not None:
            limits += f', "{rule.day_period}";r={self.left_today};t={self.reset_today_s}'
        return {"ratelimit-policy": _policy_header(rule.policy.name, quota, day_quota, rule), "ratelimit": limits}

    def legacy_headers(self) -> dict[str, str]:
        """What was sent before there were policies, about the shortest window."""
        return {
            "ratelimit-limit": str(self.quota),
            "ratelimit-remaining": str(max(self.quota - self.used, 0)),
            "ratelimit-reset": str(self.reset_s),
        }


class Allowed(NamedTuple):
    """Something that may go on. `day`: on which day it was counted, in days since 1970."""

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
    """Something that may not go on now. `names` are the policies that it would break, `retry_after_s` at least 1."""

    names: tuple[str, ...]
    retry_after_s: int
    state: _State

    @property
    def policies(self) -> tuple[str, ...]:
        """The broken policies by their names in the headers."""
        rule = self.state.rule
        return tuple(each.period for each in (rule.policy, rule.day) if each and each.name in self.names)

    @property
    def headers(self) -> dict[str, str]:
        """As those of `Allowed`, and Retry-After (RFC 9110 section 10.2.3)."""
        return self.state.headers() | {"retry-after": str(self.retry_after_s)}

    @property
    def legacy_headers(self) -> dict[str, str]:
        return self.state.legacy_headers()


_POLICY_HEADERS: dict[tuple[str, int, int], str] = {}
MOST_POLICY_HEADERS = 1024


def _policy_header(name: str, quota: int, day_quota: int, rule: _Rule) -> str:
    """RateLimit-Policy, remembered: it is the same for nearly every answer."""
    found = _POLICY_HEADERS.get((name, quota, day_quota))
    if found is None:
        found = f'"{rule.policy.period}";q={quota};w={rule.policy.window_s}'
        if rule.day:
            found += f', "{rule.day.period}";q={day_quota};w={rule.day.window_s}'
        if len(_POLICY_HEADERS) < MOST_POLICY_HEADERS:
            _POLICY_HEADERS[name, quota, day_quota] = found
    return found


def with_quotas(quotas: Mapping[str, int], policies: Sequence[Policy] = POLICIES) -> tuple[Policy, ...]:
    """The policies with other quotas, by name. Raises LimitError."""
    checked = checked_quotas(quotas, policies, counts=("key", "organization", "address"))
    return tuple(each._replace(quota=checked.get(each.name, each.quota)) for each in policies)


def checked_quotas(
    quotas: Mapping[str, int], policies: Sequence[Policy] = POLICIES, counts: tuple[Counts, ...] = ("key",)
) -> dict[str, int]:
    """Quotas that somebody names, if each is one. Raises LimitError."""
    known = [each.name for each in policies if each.counts in counts]
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
    """Whom an address counts for: itself, or with IPv6 its /64, which is what one customer gets at the least."""
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
    """What one subject has spent under one policy: until when it counts -> how much, the oldest first."""

    __slots__ = ("slots", "used")

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.used = 0

    def settle(self, now: int, until: int) -> None:
        """Let go of what has left the window. `until` is when something spent now would leave it."""
        while self.slots:
            oldest = next(iter(self.slots))
            if oldest > now:
                break
            self.used -= self.slots.pop(oldest)
        if self.slots and next(reversed(self.slots)) > until:
            # The clock was set back: what lies in its future counts as if it were spent now.
            early = sum(self.slots.pop(each) for each in [each for each in self.slots if each > until])
            self.slots[until] = self.slots.get(until, 0) + early

    def add(self, cost: int, until: int) -> None:
        self.slots[until] = self.slots.get(until, 0) + cost
        self.used += cost

    def fresh_ms(self, now: int) -> int:
        return next(iter(self.slots)) - now if self.slots else 0


class _Memory:
    """The same as `store.usage` for one process that needs no store."""

    def __init__(self) -> None:
        self._windows: dict[str, dict[str, _Window]] = {}
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
        windows[subject] = found  # The last of the table is the one that asked last.
        return found

    def _day(self, day: int) -> dict[tuple[str, str], int]:
        """The counts of a day. Two days are kept, so that a clock set back over midnight finds its own again."""
        if day not in self._days:
            self._days[day] = {}
            for each in [each for each in self._days if abs(each - day) > 1]:
                del self._days[each]
        return self._days[day]


class _Account:
    """What this process knows of one holder under one policy.

    used, used_today  as the store knew it last
    spent             let through since then; `reported` is on its way to the store
    denied_until     milliseconds: what costs `denied_cost` or more is refused until then
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
    """The limits of a running service.

    store      through which the processes share what they count; without it each counts alone
    processes  how many share the store, at the most: more than there are does no harm, fewer does
    now        for what happens once a second and at the end
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
        self._free = SLACK / max(processes, 1)
        self._memory = _Memory()
        self._accounts: dict[tuple[str, str], _Account] = {}
        days = {each.part_of: each for each in policies if each.part_of}
        self._rules = {
            each.name: _Rule(
                each,
                (day := days.get(each.name)),
                each.window_s * 1000,
                each.period,
                day.period if day else "",
            )
            for each in policies
            if not each.part_of
        }

    def of_address(self, address: str, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded:
        """Count something that came from an address without a key. `now` is milliseconds since 1970, UTC."""
        return self._here(network_of(address), self._rules[policy], {}, now, cost)

    async def of_key(self, holder: Holder, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded:
        """Count something that came with a key; of a batch, each of its items.

        Raises StoreError where the store has to be asked and cannot be: then nothing may go on.
        """
        while True:
            verdict = self.at_once(holder, policy, now, cost)
            if not isinstance(verdict, _Account):
                return verdict
            if verdict.store_call is not None:
                await asyncio.wait((verdict.store_call,))
                continue
            return await self._draw_from_store(verdict, *_quotas(self._rules[policy], holder), now, cost)

    def at_once(self, holder: Holder, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded | _Account:
        """The verdict as far as this process can give it alone; where it cannot, the account to ask the store about."""
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
        """Give the day back what it counted: the answer was an error."""
        rule = self._rules[allowed.policy]
        if rule.day is None:
            return
        account = self._accounts.get((allowed.policy, allowed.subject))
        if account is None:
            self._memory.give_back(allowed.subject, rule.day.name, allowed.day, allowed.cost)
        elif account.day == allowed.day:
            account.spent_today -= allowed.cost

    def standings(self, holder: Holder, now: int) -> list[Standing]:
        """Where the holder of a key stands with every policy that counts keys or their organizations."""
        found: list[Standing] = []
        for rule in self._rules.values():
            if rule.policy.counts != "address":
                found += self._standings_of(holder, rule, now)
        return found

    async def run(self) -> None:
        """Report to the store once a second, until cancelled. A store that cannot write is tried again."""
        rounds = 0
        while True:
            await asyncio.sleep(EVERY_S)
            rounds += 1
            try:
                await self.settle(self._now(), tidy=rounds % TIDY_EVERY == 0)
            except StoreError:
                continue  # What was to be reported is still held, and what it leaves no room for is refused.

    async def settle(self, now: int, *, tidy: bool = False) -> None:
        """Report what was let through, and learn what the others let through. Raises StoreError."""
        accounts = self._to_report()
        if self._store is not None and (accounts or tidy):
            await self._settle(accounts, [self._draw(each, 0) for each in accounts], now, tidy=tidy)
        self._drop_idle(now)

    async def _settle(
        self, accounts: Sequence[_Account], draws: Sequence[Draw], now: int, *, tidy: bool = False
    ) -> list[Drawn]:
        """Take some draws to the store. Meanwhile nobody else asks for these accounts."""
        assert self._store is not None
        pending = asyncio.get_running_loop().create_future()
        for each in accounts:
            each.store_call = pending
        try:
            # Shielded: who asked may go away, but what is on its way to the store is counted there.
            work = self._store.writer.submit(lambda db: usage.settle(db, draws, now, tidy=tidy))
            drawn = await asyncio.shield(asyncio.wrap_future(work))
        except Exception as error:
            for each in accounts:
                _restore(each)
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"the store could not count what was spent ({type(error).__name__})") from error
        finally:
            for each in accounts:
                each.store_call = None
            pending.set_result(None)
        for each, found in zip(accounts, drawn, strict=True):
            _learn(each, found, now)
        return drawn

    def close(self) -> None:
        """Report what is left. A store that cannot write loses it: no more than a second's."""
        if self._store is None or not (accounts := self._to_report()):
            return
        now = self._now()
        draws = [self._draw(each, 0) for each in accounts]
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
        """Count in memory."""
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
        """The verdict as far as this process can give it alone."""
        # A refusal that would hold for longer was given before the clock was set back.
        if 0 < account.denied_until - now <= RECHECK_MS and cost >= account.denied_cost and account.refusal:
            return account.refusal
        rule = account.rule
        pending = account.spent + account.reported + cost
        if pending > quota * self._free or account.used + pending > quota:
            return None
        used_today = 0
        if rule.day:
            used_today = account.used_today + account.spent_today + account.reported_today + cost
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
        """The verdict of the store."""
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
        """Put what was spent on its way to the store."""
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
        return [each for each in self._accounts.values() if not each.store_call and (each.spent or each.spent_today)]

    def _drop_idle(self, now: int) -> None:
        """Forget who was quiet for a window: what the store knows of them counts no more either."""
        for name, each in list(self._accounts.items()):
            quiet = abs(now - each.last) > each.rule.window_ms + each.rule.window_ms // SLOTS
            if quiet and not (each.store_call or each.spent or each.spent_today):
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
    """(who is counted, the quotas of their own)"""
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
    return LimitExceeded(names, max(-(-wait_ms // 1000), 1), state)
