"""How often somebody may ask: never more than a quota in any window, on one process or on several."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.api.limits import (
    DAY_S,
    POLICIES,
    Allowed,
    LimitError,
    LimitExceeded,
    Limits,
    Policy,
    checked_quotas,
    window,
    with_quotas,
)
from waypost.api.limits import shared as sharing
from waypost.formats.ip_addresses import network_of
from waypost.store import Store, open_store, usage
from waypost.store.errors import StoreError

NOON = 1_795_176_000_000 // 86_400_000 * 86_400_000 + 43_200_000
SECOND, MINUTE, DAY = 1000, 60_000, 86_400_000


class Key(NamedTuple):
    id: str = "key-1"
    limits: Mapping[str, int] = {}
    organization: str = "org-1"


KEY = Key()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def admissions(
    limits: Limits, times: int, now: int, policy: str = "checks", key: Key = KEY, cost: int = 1
) -> list[bool]:
    async def each() -> list[bool]:
        return [isinstance(await limits.of_key(key, policy, now, cost), Allowed) for _ in range(times)]

    return asyncio.run(each())


def request(
    limits: Limits, now: int = NOON, policy: str = "checks", key: Key = KEY, cost: int = 1
) -> Allowed | LimitExceeded:
    return asyncio.run(limits.of_key(key, policy, now, cost))


def request_from(
    limits: Limits, address: str = "192.0.2.1", policy: str = "preview", now: int = NOON
) -> Allowed | LimitExceeded:
    return asyncio.run(limits.of_address(address, policy, now))


def exceeded(verdict: Allowed | LimitExceeded) -> LimitExceeded:
    assert isinstance(verdict, LimitExceeded)
    return verdict


def allowed(verdict: Allowed | LimitExceeded) -> Allowed:
    assert isinstance(verdict, Allowed)
    return verdict


def test_the_numbers_are_those_that_were_promised():
    promised = {
        "checks": (60, 60), "checks-day": (10_000, DAY_S), "lookups": (120, 60), "validate": (60, 60),
        "keys": (10, 60), "failed-auth": (20, 60), "preview": (30, 60), "schema": (600, 60),
    }  # fmt: skip

    assert {each.name: (each.quota, each.window_s) for each in POLICIES if each.name in promised} == promised
    assert {each.name for each in POLICIES if each.counts == "address"} >= {"failed-auth", "preview", "schema"}


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
def test_full_quota_passes_at_once_until_its_window_ends(store: Store, *, shared: bool):
    limits = Limits(store if shared else None)

    assert admissions(limits, 61, NOON) == [True] * 60 + [False]

    assert admissions(limits, 1, NOON + MINUTE - 1) == [False]
    assert admissions(limits, 61, NOON + MINUTE + 1 * SECOND) == [True] * 60 + [False]


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
def test_a_client_that_waits_as_advised_gets_through(store: Store, *, shared: bool):
    limits = Limits(store if shared else None)
    for n in range(60):
        request(limits, NOON + n * 777)

    verdict = exceeded(request(limits, NOON + 50 * SECOND, cost=7))

    assert isinstance(request(limits, NOON + (50 + verdict.retry_after_s) * SECOND, cost=7), Allowed)


def test_batch_costs_its_items_and_passes_entirely_or_not(store: Store):
    limits = Limits(store)

    assert admissions(limits, 2, NOON, cost=50) == [True, False]
    assert admissions(limits, 11, NOON) == [True] * 10 + [False]


def test_concurrent_requests_share_their_queries_to_the_store(store: Store, monkeypatch: pytest.MonkeyPatch):
    total = 0
    settle = usage.settle

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal total
        total += 1
        return settle(*arguments, **named)

    monkeypatch.setattr(usage, "settle", counted)
    limits = Limits(store)

    async def crowd() -> list[Allowed | LimitExceeded]:
        return await asyncio.gather(*(limits.of_key(KEY, "checks", NOON) for _ in range(300)))

    verdicts = asyncio.run(crowd())

    assert sum(isinstance(each, Allowed) for each in verdicts) == 60
    assert total <= 12


def test_policies_and_holders_do_not_spend_each_others_quotas(store: Store):
    limits = Limits(store)
    admissions(limits, 60, NOON)

    assert admissions(limits, 1, NOON, policy="reading") == [True]
    assert admissions(limits, 1, NOON, key=Key("key-2")) == [True]
    assert admissions(limits, 1, NOON) == [False]


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
def test_human_reviews_are_limited_for_an_entire_organization(store: Store, *, shared: bool):
    limits = Limits(store if shared else None)
    one, two = Key("one", {"submissions": 999}), Key("two")

    passed = [admissions(limits, 1, NOON, policy="submissions", key=key)[0] for key in (one, two) * 12]

    assert passed == [True] * 20 + [False] * 4
    assert admissions(limits, 1, NOON, policy="submissions", key=Key("three", organization="org-2")) == [True]
    assert {each.policy: each.remaining for each in limits.standings(two, NOON)}["submissions"] == 0


def test_a_key_may_have_quotas_of_its_own(store: Store):
    limits = Limits(store)

    assert admissions(limits, 4, NOON, key=Key("few", {"checks": 3})) == [True] * 3 + [False]
    assert admissions(limits, 4, NOON, key=Key("short days", {"checks-day": 2})) == [True, True, False, False]
    assert all(admissions(limits, 100, NOON, key=Key("many", {"checks": 1000})))


@pytest.mark.parametrize(
    ("quotas", "message"),
    [
        ({"check": 5}, "limits: check: there is no such limit; did you mean checks"),
        ({"preview": 5}, "limits: preview: there is no such limit; "),
        ({"checks": 0}, "limits: checks: give a whole number from 1 to 1000000000"),
        ({"checks": True}, "limits: checks: give a whole number"),
        ({"checks": 1.5}, "limits: checks: give a whole number"),
    ],
)
def test_an_invalid_quota_is_rejected_with_its_name(quotas: dict[str, int], message: str):
    with pytest.raises(LimitError) as raised:
        checked_quotas(quotas)

    assert str(raised.value).startswith(message)


def test_an_operator_may_set_every_quota():
    limits = Limits(policies=with_quotas({"preview": 2, "checks": 1}))

    verdicts = [request_from(limits) for _ in range(3)]

    assert [type(each) for each in verdicts] == [Allowed, Allowed, LimitExceeded]
    assert admissions(limits, 2, NOON) == [True, False]


def test_the_headers_are_those_of_the_draft(store: Store):
    limits = Limits(store)
    admissions(limits, 17, NOON)

    verdict = allowed(request(limits, NOON + 100))

    assert verdict.headers == {
        "ratelimit-policy": '"minute";q=60;w=60, "day";q=10000;w=86400',
        "ratelimit": '"minute";r=42;t=61, "day";r=9982;t=43200',
    }
    assert verdict.legacy_headers == {"ratelimit-limit": "60", "ratelimit-remaining": "42", "ratelimit-reset": "61"}


def test_rejection_names_the_limit_and_the_time_to_retry(store: Store):
    limits = Limits(store)
    admissions(limits, 60, NOON + 100)

    verdict = exceeded(request(limits, NOON + 30 * SECOND))

    assert verdict.headers == {
        "ratelimit-policy": '"minute";q=60;w=60, "day";q=10000;w=86400',
        "ratelimit": '"minute";r=0;t=31, "day";r=9940;t=43170',
        "retry-after": "31",
    }
    assert (verdict.policies, verdict.names, verdict.retry_after_s) == (("minute",), ("checks",), 31)


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
def test_a_rejected_request_uses_nothing_of_the_day(store: Store, *, shared: bool):
    limits = Limits(store if shared else None)

    admissions(limits, 300, NOON)

    assert limits.standings(KEY, NOON)[1].remaining == 10_000 - 60


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
def test_an_error_counts_by_the_minute_and_never_daily(store: Store, *, shared: bool):
    limits = Limits(store if shared else None)
    verdicts = [allowed(request(limits, NOON, cost=5)) for _ in range(4)]

    for each in verdicts[:3]:
        limits.forgive(each)

    minute, day = limits.standings(KEY, NOON)[:2]
    assert (minute.remaining, day.remaining) == (40, 9995)


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
def test_day_that_is_used_up_starts_again_at_midnight(store: Store, *, shared: bool):
    limits = Limits(store if shared else None)
    key = Key("daily", {"checks-day": 90})
    admissions(limits, 60, NOON, key=key)
    admissions(limits, 60, NOON + 2 * MINUTE, key=key)

    verdict = exceeded(request(limits, NOON + 4 * MINUTE, key=key))

    assert (verdict.policies, verdict.retry_after_s) == (("day",), 43_200 - 240)
    assert isinstance(request(limits, NOON + 43_200 * SECOND, key=key), Allowed)


def test_the_day_survives_a_restart(tmp_path: Path):
    with open_store(tmp_path) as store, Limits(store, now=lambda: NOON) as limits:
        admissions(limits, 33, NOON)

    with open_store(tmp_path) as store, Limits(store) as limits:
        assert limits.standings(KEY, NOON + 1)[1].remaining == 10_000 - 33
        assert admissions(limits, 28, NOON + 1) == [True] * 27 + [False]


@pytest.mark.parametrize("shared", [False, True], ids=["in memory", "through the store"])
@pytest.mark.parametrize("back", [SECOND, MINUTE, DAY, 400 * DAY])
def test_a_clock_set_back_neither_frees_nor_locks_quotas(store: Store, back: int, *, shared: bool):
    limits = Limits(store if shared else None)
    admissions(limits, 60, NOON)

    assert admissions(limits, 5, NOON - back) == [False] * 5
    assert admissions(limits, 60, NOON - back + MINUTE + 2 * SECOND) == [True] * 60


def test_ipv6_customer_is_one_address_and_mapped_is_ipv4():
    limits = Limits(policies=[Policy("schema", 2, counts="address")])
    verdicts = [request_from(limits, f"2001:db8:1:2::{n:x}", "schema") for n in range(3)]

    assert isinstance(verdicts[2], LimitExceeded)
    assert isinstance(request_from(limits, "2001:db8:1:3::1", "schema"), Allowed)
    assert network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_of("fe80::1%eth0") == "fe80::"
    assert network_of("") == network_of("a socket file") == "unknown"


def test_a_flood_of_addresses_does_not_grow_the_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(window, "MOST_ADDRESSES", 100)
    limits = Limits()

    async def flood() -> None:
        for n in range(1000):
            await limits.of_address(f"198.51.{n // 256}.{n % 256}", "preview", NOON)
            await limits.of_address("192.0.2.1", "preview", NOON)

    asyncio.run(flood())

    assert len(limits._memory._windows["preview"]) == 100
    assert isinstance(request_from(limits), LimitExceeded)  # who keeps asking is remembered


def test_addresses_are_forgotten_when_their_window_is_over():
    limits = Limits()
    for minute in range(0, 10, 2):
        for n in range(50):
            request_from(limits, f"198.51.{minute}.{n}", now=NOON + minute * MINUTE)

    assert len(limits._memory._windows["preview"]) == 50


ADDRESSES = [policy.name for policy in POLICIES if policy.counts == "address"]


@pytest.mark.parametrize("policy", ADDRESSES)
def test_processes_that_share_a_store_count_an_address_together(store: Store, policy: str):
    quota = next(each.quota for each in POLICIES if each.name == policy)
    replicas = [Limits(store, processes=3, secret=b"secret") for _ in range(3)]

    passed = sum(isinstance(request_from(each, policy=policy), Allowed) for _ in range(quota) for each in replicas)

    assert quota <= passed <= quota * 1.2
    assert isinstance(request_from(replicas[0], "192.0.2.2", policy), Allowed)
    assert isinstance(request_from(replicas[0], policy=policy, now=NOON + 2 * MINUTE + SECOND), Allowed)


def test_rejections_of_another_process_use_nothing_here(store: Store):
    first, second = (Limits(store, secret=b"secret") for _ in range(2))
    while isinstance(request_from(first), Allowed):
        pass

    for n in range(40):
        request_from(second, now=NOON + n * SECOND)

    assert isinstance(request_from(second, now=NOON + MINUTE + SECOND), Allowed)


def test_the_store_holds_no_address_of_rare_clients(store: Store):
    limits = Limits(store, secret=b"secret")

    for n in range(300):
        request_from(limits, f"198.51.100.{n % 250}")
    assert not limits._accounts
    for _ in range(30):
        request_from(limits, "192.0.2.1")

    rows = store.read(lambda db: db.execute("SELECT subject FROM usage_slot").fetchall())
    assert rows
    assert "192.0.2" not in str(rows)


def test_flood_of_addresses_takes_bounded_room_in_the_store(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "MOST_SHARED", 5)
    limits = Limits(store, secret=b"secret")

    passed = [request_from(limits, f"198.51.100.{n}") for n in range(20) for _ in range(31)]

    assert len(limits._accounts) == 5
    assert [sum(isinstance(each, Allowed) for each in passed[n : n + 31]) for n in range(0, 620, 31)] == [30] * 20
    asyncio.run(limits.settle(NOON + SECOND))
    asyncio.run(limits.settle(NOON + 3 * MINUTE))
    for _ in range(30):
        request_from(limits, "203.0.113.1", now=NOON + 3 * MINUTE)
    assert len(limits._accounts) == 1


def test_addresses_are_counted_while_the_store_is_away(store: Store):
    limits = Limits(store, secret=b"secret")
    store.close()

    passed = [isinstance(request_from(limits), Allowed) for _ in range(31)]

    assert passed == [True] * 30 + [False]


def test_holders_who_are_quiet_are_forgotten(store: Store):
    limits = Limits(store)
    for n in range(50):
        request(limits, NOON, key=Key(f"key-{n}"))

    asyncio.run(limits.settle(NOON + SECOND))
    asyncio.run(limits.settle(NOON + 2 * MINUTE, tidy=True))

    assert not limits._accounts
    assert store.read(lambda db: db.execute("SELECT count(*) FROM usage_slot").fetchone()) == (0,)
    assert store.read(lambda db: usage.days(db, "key-7", 0, 10**6)) == [(NOON // DAY, "checks-day", 1)]


def test_a_store_that_cannot_write_rejects_dependent_requests(tmp_path: Path):
    store = open_store(tmp_path)
    limits = Limits(store)
    admissions(limits, 6, NOON)
    store.close()

    with pytest.raises(StoreError):
        request(limits, NOON)
    with pytest.raises(StoreError):
        asyncio.run(limits.settle(NOON))

    assert next(iter(limits._accounts.values())).spent == 6  # still to be reported
    limits.close()


def test_store_that_fails_in_the_middle_is_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "EVERY_S", 0.001)
    store.write(lambda db: db.execute("ALTER TABLE usage_slot RENAME TO gone"))
    limits = Limits(store, now=lambda: NOON)
    admissions(limits, 6, NOON)
    with pytest.raises(StoreError, match="could not count what was spent"):
        request(limits, NOON)

    async def rows_stored() -> int:
        reporting = asyncio.create_task(limits.run())
        await asyncio.sleep(0.05)
        store.write(lambda db: db.execute("ALTER TABLE gone RENAME TO usage_slot"))
        for _ in range(2000):
            account = limits._accounts["checks", KEY.id]
            if not (account.spent or account.reported):
                break
            await asyncio.sleep(0.005)
        reporting.cancel()
        return limits.standings(KEY, NOON)[0].remaining

    assert asyncio.run(rows_stored()) == 54


STEPS = st.lists(
    st.tuples(st.integers(0, 20_000), st.integers(1, 12), st.sampled_from(["one", "other", "settle"])), max_size=120
)


def passed_in_any_window(passed: list[tuple[int, int]], window: int = MINUTE) -> int:
    """The most that got through in any window. passed: (when, cost)"""
    return max((sum(cost for at, cost in passed if start <= at < start + window) for start, _ in passed), default=0)


@given(STEPS)
@settings(deadline=None, max_examples=60)
def test_in_no_window_does_more_than_the_quota_pass(steps: list[tuple[int, int, str]]):
    limits, now, passed = Limits(policies=[Policy("checks", 30)]), NOON, []

    for wait, cost, _ in steps:
        now += wait
        if isinstance(request(limits, now, cost=cost), Allowed):
            passed.append((now, cost))

    assert passed_in_any_window(passed) <= 30


@pytest.mark.parametrize("seed", range(6))
def test_memory_and_store_count_alike(store: Store, seed: int):
    chance, memory = random.Random(seed), window.Memory()
    now = NOON
    for _ in range(150):
        now += chance.choice([0, 10, 900, 5000, 30_000, -4000])
        expected = chance.randint(0, 9)
        total = usage.Draw("key", "checks", MINUTE, 40, "checks-day", now // DAY, 300, amount=expected)

        assert store.write(lambda db, total=total, now=now: usage.draw(db, total, now)) == memory.draw(total, now)


@pytest.mark.parametrize("seed", range(6))
def test_two_processes_exceed_the_quota_by_a_fifth_at_most(tmp_path: Path, seed: int):
    """Two limiters that know of each other through the file alone, in every order that chance brings."""
    chance = random.Random(seed)
    policies = [Policy("checks", 60)]
    with open_store(tmp_path) as here, open_store(tmp_path) as there:
        both = [Limits(here, policies=policies), Limits(there, policies=policies)]
        now, passed = NOON, []
        for step in range(1200):
            now += chance.choice([0, 0, 1, 20, 300])
            which = chance.choices([0, 1], weights=[1, 1 if seed % 2 else 5])[0]
            cost = chance.choice([1, 1, 1, 5])
            if isinstance(request(both[which], now, cost=cost), Allowed):
                passed.append((now, cost))
            if step % 10 == 0:
                asyncio.run(both[chance.randrange(2)].settle(now))

    assert 55 <= passed_in_any_window(passed) <= 72


def hammer(folder: Path, go: Connection, for_s: float) -> None:
    """A process that asks as often as it can, until its time is over."""

    async def run() -> int:
        with open_store(folder) as store, Limits(store, policies=[Policy("checks", 60)]) as limits:
            go.send("ready")
            go.recv()
            reporting = asyncio.create_task(limits.run())
            through, end = 0, time.monotonic() + for_s
            while time.monotonic() < end:
                through += isinstance(await limits.of_key(KEY, "checks", time.time_ns() // 1_000_000), Allowed)
                await asyncio.sleep(0)
            reporting.cancel()
            return through

    go.send(asyncio.run(run()))


def test_two_real_processes_share_a_quota(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    open_store(tmp_path).close()
    lines, processes = [], []
    for _ in range(2):
        ours, theirs = context.Pipe()
        processes.append(context.Process(target=hammer, args=(tmp_path, theirs, 1.5)))
        processes[-1].start()
        lines.append(ours)

    for each in lines:
        assert each.poll(120)
        assert each.recv() == "ready"
    for each in lines:
        each.send("go")
    through = [each.recv() if each.poll(120) else -1 for each in lines]
    for each in processes:
        each.join(120)

    assert all(each >= 0 for each in through)
    assert 54 <= sum(through) <= 72


@pytest.mark.parametrize("turns", range(6))
def test_cancelled_reports_end_as_the_store_answers(turns: int, store: Store, monkeypatch: pytest.MonkeyPatch):
    """The service's end waits for them."""
    monkeypatch.setattr(sharing, "EVERY_S", 0)
    monkeypatch.setattr(sharing, "TIDY_EVERY", 1)
    answers: list[Future[list[Any]]] = []
    monkeypatch.setattr(store.writer, "submit", lambda _: answers.append(Future()) or answers[-1])

    async def run() -> bool:
        reporting = asyncio.create_task(Limits(store).run())
        while not answers:
            await asyncio.sleep(0)
        answers[0].set_result([])
        for _ in range(turns):
            await asyncio.sleep(0)
        reporting.cancel()
        done, _ = await asyncio.wait({reporting}, timeout=0.2)
        reporting.cancel()
        return bool(done)

    assert asyncio.run(run())
