"""Counts that the processes of a service share through the store.

A process lets a small part of the quota through on its own and reports the count once a second; beyond that part the
process asks the store first. The quota is exceeded by `SLACK` at the most, however the requests fall on the processes,
and a usual request does not wait for the store.

Every process counts addresses in memory. Where a service has several processes, an address that uses up the local part
gets an account too, under a keyed hash, since addresses are not stored. While the store is away, and for more addresses
than `MOST_SHARED` at the same time, each process counts alone.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from waypost.api.limits.verdict import Allowed, LimitExceeded, State, exceeded
from waypost.api.limits.window import Memory
from waypost.formats.ip_addresses import network_of
from waypost.service import clock
from waypost.service.limit_policies import POLICIES, Policy, Rule, Standing
from waypost.store import usage
from waypost.store.errors import StoreError
from waypost.store.usage import DAY_MS, SLOTS, Draw, Drawn

if TYPE_CHECKING:
    from waypost.store import Store

SLACK = 0.2
"""Fraction of a quota that may get through beyond the quota, over all processes together."""
RECHECK_MS = 1000
"""Milliseconds that a refusal is reused before the store is read again: another process may have given units back."""
EVERY_S = 1.0
TIDY_EVERY = 60
DRAW_S = 3.0
"""Seconds that a request waits for the store to count it."""
MOST_SHARED = 256
"""Addresses of a policy that a process counts through the store, which bounds what a flood of addresses writes."""


class Holder(Protocol):
    """Key, as far as limits need one: a key may have quotas of its own."""

    @property
    def id(self) -> str: ...
    @property
    def organization(self) -> str: ...
    @property
    def limits(self) -> Mapping[str, int]: ...


class Account:
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

    def __init__(self, subject: str, rule: Rule, now: int) -> None:
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
    secret     key of the hashes of addresses, the same in all processes; empty to count addresses in each process alone
    now        clock for the reports once a second and on close, in milliseconds since 1970
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        policies: Sequence[Policy] = POLICIES,
        processes: int = 2,
        secret: bytes = b"",
        now: Callable[[], int] = clock,
    ) -> None:
        self.policies = tuple(policies)
        self._store = store
        self._now = now
        # Every process may let this fraction of a quota through unreported, so all of them exceed it by SLACK at most.
        self._free = SLACK / max(processes, 1)
        self._secret = secret
        self._memory = Memory()
        self._accounts: dict[tuple[str, str], Account] = {}
        self._shared_addresses = dict.fromkeys((policy.name for policy in policies if policy.counts == "address"), 0)
        days = {policy.part_of: policy for policy in policies if policy.part_of}
        self._rules = {
            policy.name: Rule(
                policy,
                (day := days.get(policy.name)),
                policy.window_s * 1000,
                policy.period,
                day.period if day else "",
            )
            for policy in policies
            if not policy.part_of
        }

    async def of_address(self, address: str, policy: str, now: int) -> Allowed | LimitExceeded:
        """Count a request without a key. `now` is milliseconds since 1970, UTC."""
        rule, network = self._rules[policy], network_of(address)
        here = self._here(network, rule, {}, now, 1)
        # What no process counts beyond its part, and what this process alone refuses, is not for the store.
        is_few = here.state.used <= rule.policy.quota * self._free
        if self._store is None or not self._secret or is_few or isinstance(here, LimitExceeded):
            return here
        account = self._address_account(network, rule, here.state.used - 1, now)
        if account is None:
            return here
        try:
            verdict = await self._of_account(account, rule.policy.quota, 0, now, 1)
        except StoreError:
            return here
        if isinstance(verdict, LimitExceeded):
            self._memory.take_back(network, policy, rule.window_ms, now, 1)
        return verdict

    def _address_account(self, network: str, rule: Rule, spent: int, now: int) -> Account | None:
        """Account of an address; a new one has `spent` to report. None where too many have one."""
        policy = rule.policy.name
        subject = "address:" + hashlib.blake2b(network.encode(), key=self._secret[:64], digest_size=16).hexdigest()
        account = self._accounts.get((policy, subject))
        if account is None:
            if self._shared_addresses[policy] >= MOST_SHARED:
                return None
            self._shared_addresses[policy] += 1
            account = self._accounts[policy, subject] = Account(subject, rule, now)
            account.spent = spent
        account.last = now
        return account

    async def _of_account(
        self, account: Account, quota: int, day_quota: int, now: int, cost: int
    ) -> Allowed | LimitExceeded:
        """Verdict about an account, by the store where the local counts are not enough. Raises StoreError."""
        while (verdict := self._known(account, quota, day_quota, now, cost)) is None:
            # Another request waits for the store with this account: decide after it, by the fresh counts.
            if account.store_call is None:
                return await self._draw_from_store(account, quota, day_quota, now, cost)
            await asyncio.wait((account.store_call,))
        return verdict

    async def of_key(self, holder: Holder, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded:
        """Count a request with a key, or `cost` items of a batch.

        Raises StoreError if the store is needed for the verdict and fails; the request must then be refused.
        """
        verdict = self.at_once(holder, policy, now, cost)
        if not isinstance(verdict, Account):
            return verdict
        return await self._of_account(verdict, *_quotas(self._rules[policy], holder), now, cost)

    def at_once(self, holder: Holder, policy: str, now: int, cost: int = 1) -> Allowed | LimitExceeded | Account:
        """Verdict without the store if possible; otherwise the account for which the store has to be queried."""
        rule = self._rules[policy]
        subject, limits = _counted_as(holder, rule)
        if self._store is None:
            return self._here(subject, rule, limits, now, cost)
        account = self._accounts.get((policy, subject))
        if account is None:
            account = self._accounts[policy, subject] = Account(subject, rule, now)
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
        self, accounts: Sequence[Account], draws: Sequence[Draw], now: int, *, tidy: bool = False
    ) -> list[Drawn]:
        """Send draws to the store. `store_call` makes other requests for these accounts wait. Raises StoreError."""
        assert self._store is not None
        pending = asyncio.get_running_loop().create_future()
        for account in accounts:
            account.store_call = pending
        try:
            # Shielded: a client that disconnects cancels its request, but the store still counts the draw.
            work = self._store.writer.submit(lambda db: usage.settle(db, draws, now, tidy=tidy))
            # Not `wait_for`: in Python 3.11 it swallows a cancellation that meets the result, and `run` never ends.
            async with asyncio.timeout(DRAW_S):
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
        self, subject: str, rule: Rule, limits: Mapping[str, int], now: int, cost: int
    ) -> Allowed | LimitExceeded:
        """Verdict by the counts in memory."""
        policy, day = rule.policy, rule.day
        quota = limits.get(policy.name, policy.quota)
        day_quota = limits.get(day.name, day.quota) if day else 0
        draw = Draw(
            subject, policy.name, rule.window_ms, quota, day.name if day else "", now // DAY_MS, day_quota, amount=cost
        )
        drawn = self._memory.draw(draw, now)
        state = State(rule, quota, day_quota, drawn.used, drawn.used_today, drawn.fresh_ms, now)
        if drawn.granted:
            return Allowed(subject, policy.name, cost, now // DAY_MS, state)
        return exceeded(drawn, state)

    def _known(
        self, account: Account, quota: int, day_quota: int, now: int, cost: int
    ) -> Allowed | LimitExceeded | None:
        """Verdict by the local account alone; None if the store has to be queried."""
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
        state = State(rule, quota, day_quota, account.used + pending, used_today, account.fresh_at - now, now)
        return Allowed(account.subject, rule.policy.name, cost, account.day, state)

    async def _draw_from_store(
        self, account: Account, quota: int, day_quota: int, now: int, cost: int
    ) -> Allowed | LimitExceeded:
        """Verdict of the store. Raises StoreError."""
        rule = account.rule
        draw = self._draw(account, cost)._replace(quota=quota, day_quota=day_quota)
        (drawn,) = await self._settle([account], [draw], now)
        state = State(rule, quota, day_quota, drawn.used, drawn.used_today, drawn.fresh_ms, now)
        if drawn.granted:
            return Allowed(account.subject, rule.policy.name, cost, now // DAY_MS, state)
        refusal = exceeded(drawn, state)
        account.refusal, account.denied_cost = refusal, cost
        account.denied_until = now + min(refusal.retry_after_s * 1000, RECHECK_MS)
        return refusal

    def _draw(self, account: Account, amount: int) -> Draw:
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

    def _to_report(self) -> list[Account]:
        accounts = self._accounts.values()
        return [account for account in accounts if not account.store_call and (account.spent or account.spent_today)]

    def _drop_idle(self, now: int) -> None:
        """Forget accounts that were idle for a whole window: the store no longer counts their requests either."""
        for name, account in list(self._accounts.items()):
            # abs: after the clock was set back `last` lies in the future. A slot more, as the store rounds up to slots.
            quiet = abs(now - account.last) > account.rule.window_ms + account.rule.window_ms // SLOTS
            if quiet and not (account.store_call or account.spent or account.spent_today):
                del self._accounts[name]
                if account.rule.policy.counts == "address":
                    self._shared_addresses[account.rule.policy.name] -= 1

    def _standings_of(self, holder: Holder, rule: Rule, now: int) -> tuple[Standing, ...]:
        policy, day = rule.policy, rule.day
        subject, limits = _counted_as(holder, rule)
        quota = limits.get(policy.name, policy.quota)
        day_quota = limits.get(day.name, day.quota) if day else 0
        if self._store is None:
            draw = Draw(subject, policy.name, rule.window_ms, quota, day.name if day else "", 0, day_quota)
            drawn = self._memory.draw(draw, now)
            return State(rule, quota, day_quota, drawn.used, drawn.used_today, drawn.fresh_ms, now).standings()
        used, fresh_ms = self._store.read(lambda db: usage.used_in_window(db, subject, policy.name, now))
        today = 0
        if day:
            today = self._store.read(lambda db: usage.used_on(db, subject, day.name, now // DAY_MS))
        if account := self._accounts.get((policy.name, subject)):
            used += account.spent + account.reported
            today += account.spent_today + account.reported_today if account.day == now // DAY_MS else 0
            fresh_ms = fresh_ms or account.fresh_at - now
        return State(rule, quota, day_quota, used, today, fresh_ms, now).standings()


_NONE: Mapping[str, int] = MappingProxyType({})


def _counted_as(holder: Holder, rule: Rule) -> tuple[str, Mapping[str, int]]:
    """(subject that is counted, quotas of the key's own)"""
    if rule.policy.counts == "organization":
        return f"organization:{holder.organization}", _NONE
    return holder.id, holder.limits


def _quotas(rule: Rule, holder: Holder) -> tuple[int, int]:
    """(quota, quota of the day or 0)"""
    _, limits = _counted_as(holder, rule)
    day = rule.day
    return limits.get(rule.policy.name, rule.policy.quota), limits.get(day.name, day.quota) if day else 0


def _learn(account: Account, drawn: Drawn, now: int) -> None:
    account.used, account.used_today = drawn.used, drawn.used_today
    account.reported = account.reported_today = 0
    account.fresh_at = now + drawn.fresh_ms
    if account.day != now // DAY_MS:
        account.day = now // DAY_MS
        account.spent_today = 0


def _restore(account: Account) -> None:
    account.spent += account.reported
    account.spent_today += account.reported_today
    account.reported = account.reported_today = 0
