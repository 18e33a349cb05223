"""The guard around an agent's tools: nothing is paid at a look-alike, and an allow ends when its time is over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from waypost.client import Decision
from waypost.client.transport import host_of
from waypost.guard import Guard, LocalClient, Stopped
from waypost.service.fixtures import open_fixtures

SECRET = "s3cr3t"
SHOP = f"https://allow.test/{SECRET}?token={SECRET}"
IMITATION = f"https://impersonation.test/{SECRET}?token={SECRET}"
PAID: list[str] = []


@pytest.fixture
def guard() -> Iterator[Guard]:
    PAID.clear()
    with open_fixtures() as service:
        yield Guard(LocalClient(service))


def pay(checkout: str, amount: str) -> str:
    """Pay an amount at a checkout."""
    PAID.append(checkout)
    return f"paid {amount}"


async def pay_later(checkout: str, amount: str) -> str:
    """Pay an amount at a checkout."""
    return pay(checkout, amount)


def decision_with(**changed: Any) -> Decision:
    """Decision that allows a payment at allow.test, with changes."""
    members = {
        "decision_id": "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10", "normalized_domain": "allow.test",
        "relationship_status": "verified_official", "risk_status": "no_high_risk_signal_observed", "action": "payment",
        "action_allowed": True, "reason_codes": ("official_relationship_verified",), "confidence_class": "high",
        "unknowns": (), "expires_at": datetime.now(UTC) + timedelta(minutes=5), "dispute_path": "",
    }  # fmt: skip
    return Decision(**(members | changed))


class Answers:
    """Source of the decisions that it was given, in their order; the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self.left, self.requests = list(answers), 0

    def require(self, _url: str, _action: str) -> Any:
        self.requests += 1
        found = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        if isinstance(found, Exception):
            raise found
        return found


def test_allowed_payments_happen_and_a_lookalike_is_not_paid(guard: Guard) -> None:
    guarded = guard("payment", url="checkout")(pay)

    assert guarded(SHOP, amount="9 EUR") == "paid 9 EUR"
    with pytest.raises(Stopped) as stop:
        guarded(IMITATION, "9 EUR")

    assert PAID == [SHOP]
    assert stop.value.decision
    assert stop.value.decision.official_alternative == "https://allow.test/"
    assert SECRET not in str(stop.value)


def test_without_the_guard_the_imitation_is_paid() -> None:
    PAID.clear()
    pay(IMITATION, "9 EUR")
    assert PAID == [IMITATION]


def test_a_coroutine_is_guarded_too(guard: Guard) -> None:
    guarded = guard("payment", url="checkout")(pay_later)

    assert asyncio.run(guarded(SHOP, "9 EUR")) == "paid 9 EUR"
    with pytest.raises(Stopped):
        asyncio.run(guarded(IMITATION, "9 EUR"))
    assert PAID == [SHOP]


def test_an_allow_serves_until_expiry_and_is_requested_again() -> None:
    soon = decision_with(expires_at=datetime.now(UTC) + timedelta(milliseconds=-1))
    answers = Answers(decision_with(), decision_with())
    guard = Guard(answers)
    guard.require(SHOP, "payment")
    guard.require(SHOP, "payment")
    assert answers.requests == 1

    over = Answers(soon, decision_with())
    with pytest.raises(Stopped):
        Guard(over).require(SHOP, "payment")

    stored = Answers(decision_with(), Stopped("stop", ("threat_list_match",)))
    guard = Guard(stored)
    first = guard.require(SHOP, "payment")
    ((key, _),) = guard._allowed.items()
    guard._allowed[key] = decision_with(expires_at=soon.expires_at)
    with pytest.raises(Stopped):
        guard.require(SHOP, "payment")
    assert (first.action_allowed, stored.requests) == (True, 2)


@pytest.mark.parametrize(
    "answer",
    [
        decision_with(action="login"),
        decision_with(normalized_domain="other.test"),
        decision_with(action_allowed=False),
        decision_with(relationship_status="disputed"),
        decision_with(confidence_class="splendid"),
        decision_with(expires_at=datetime(2020, 1, 1, tzinfo=UTC)),
        TimeoutError(SHOP),
        None,
        {"action_allowed": True},
    ],
    ids=[
        "of another action",
        "about another host",
        "that stops",
        "disputed",
        "of unknown confidence",
        "expired",
        "that came too late",
        "empty",
        "in another form",
    ],
)
def test_every_answer_but_a_plain_allow_stops(answer: Any) -> None:
    PAID.clear()
    guarded = Guard(Answers(answer))("payment", url="checkout")(pay)

    with pytest.raises(Stopped) as stop:
        guarded(SHOP, "9 EUR")

    assert (PAID, SECRET in str(stop.value)) == ([], False)


@pytest.mark.parametrize("url", [None, 5, "", "no url", b"https://allow.test/"])
def test_what_is_not_a_url_stops(guard: Guard, url: Any) -> None:
    with pytest.raises(Stopped):
        guard("payment", url="checkout")(pay)(url, "9 EUR")
    assert PAID == []


@pytest.mark.parametrize(
    "url",
    [
        "https://allow.test\\@evil.test/",
        "https://allow.test\\.evil.test/",
        "https://evil.test\\@allow.test/",
        "https:\\\\allow.test/",
        "https:/\\allow.test/",
        "https://allow.test:443\\@evil.test/pay?to=1",
        "https://allow.te\u00dft/",
    ],
)
def test_a_url_in_which_programs_read_different_hosts_stops(url: str) -> None:
    """A browser goes to the host before the backslash, `urllib` and `httpx` to the one behind it."""
    PAID.clear()
    found = host_of(url)
    answers = Answers(decision_with(normalized_domain=found))

    with pytest.raises(Stopped) as stop:
        Guard(answers)("payment", url="checkout")(pay)(url, "9 EUR")

    assert (PAID, stop.value.reasons, bool(found)) == ([], ("other_destination",), True)


def test_each_url_is_checked_before_the_first_is_paid(guard: Guard) -> None:
    def pay_all(checkouts: list[str]) -> int:
        return len([pay(each, "9 EUR") for each in checkouts])

    guarded = guard("payment", url="checkouts")(pay_all)

    assert guarded([SHOP, f"{SHOP}&more"]) == 2
    PAID.clear()
    for checkouts in ([SHOP, IMITATION], [IMITATION, SHOP], [SHOP, None], [], [[SHOP]], {SHOP: 1}):
        with pytest.raises(Stopped):
            guarded(checkouts)
    assert PAID == []


def test_an_allow_that_expires_while_others_wait_stops() -> None:
    PAID.clear()
    soon = decision_with(expires_at=datetime.now(UTC) + timedelta(seconds=0.2))

    class Slow:
        def require(self, url: str, action: str) -> Decision:
            if url == SHOP:
                return soon
            time.sleep(0.3)
            return decision_with()

    def pay_all(checkouts: list[str]) -> None:
        PAID.extend(checkouts)

    with pytest.raises(Stopped) as stop:
        Guard(Slow())("payment", url="checkouts")(pay_all)([SHOP, f"{SHOP}&more"])

    assert (PAID, stop.value.reasons) == ([], ("expired",))


def test_only_the_declared_argument_is_checked(guard: Guard) -> None:
    """The guide says so: an address in another argument needs a guard of its own, or a function that names both."""

    def pay_and_report(checkout: str, report: str) -> None:
        PAID.extend([checkout, report])

    guard("payment", url="checkout")(pay_and_report)(SHOP, IMITATION)
    assert PAID == [SHOP, IMITATION]

    PAID.clear()
    both = guard("payment", url=lambda checkout, report: [checkout, report])(pay_and_report)
    with pytest.raises(Stopped):
        both(SHOP, IMITATION)
    assert PAID == []


def test_a_generator_is_rejected_because_it_acts_later(guard: Guard) -> None:
    def pay_in_parts(checkout: str) -> Iterator[str]:
        yield pay(checkout, "9 EUR")

    async def pay_in_parts_later(checkout: str) -> Any:
        yield pay(checkout, "9 EUR")

    for function in (pay_in_parts, pay_in_parts_later):
        with pytest.raises(TypeError, match="a generator acts after it was called"):
            guard("payment", url="checkout")(function)


def test_object_with_a_coroutine_call_is_checked_when_awaited(guard: Guard) -> None:
    class Tool:
        async def __call__(self, checkout: str) -> str:
            return pay(checkout, "9 EUR")

    guarded = guard("payment", url="checkout")(Tool())
    assert asyncio.run(guarded(SHOP)) == "paid 9 EUR"

    PAID.clear()
    late = guarded(SHOP)
    guard._allowed.clear()
    guard._client = Answers(Stopped("stop", ("threat_list_match",)))
    with pytest.raises(Stopped):
        asyncio.run(late)
    assert PAID == []


def test_the_url_may_be_found_by_a_function(guard: Guard) -> None:
    def order(basket: dict[str, str]) -> str:
        return pay(basket["shop"], "9 EUR")

    guarded = guard("payment", url=lambda basket: basket["shop"])(order)
    assert guarded({"shop": SHOP}) == "paid 9 EUR"
    with pytest.raises(TypeError, match="has no parameter nowhere"):
        guard("payment", url="nowhere")(order)


def test_a_url_that_changes_before_its_decision_is_stopped() -> None:
    PAID.clear()
    basket = {"shop": SHOP}

    class Slow:
        async def require(self, url: str, action: str) -> Decision:
            basket["shop"] = IMITATION
            return decision_with()

    async def order(basket: dict[str, str]) -> str:
        return pay(basket["shop"], "9 EUR")

    with pytest.raises(Stopped) as stop:
        asyncio.run(Guard(Slow())("payment", url=lambda basket: basket["shop"])(order)(basket))

    assert (PAID, stop.value.reasons) == ([], ("other_destination",))


def test_a_call_cancelled_before_its_decision_does_nothing() -> None:
    PAID.clear()

    class Endless:
        async def require(self, url: str, action: str) -> Decision:
            await asyncio.sleep(60)
            return decision_with()

    async def give_up() -> None:
        task = asyncio.ensure_future(Guard(Endless())("payment", url="checkout")(pay_later)(SHOP, "9 EUR"))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert PAID == []


def test_a_redirect_to_another_host_is_stopped(guard: Guard) -> None:
    httpx = pytest.importorskip("httpx")

    def answer(request: Any) -> Any:
        PAID.append(request.url.host)
        elsewhere = {"location": IMITATION} if request.url.host == "allow.test" else {}
        return httpx.Response(307 if elsewhere else 200, headers=elsewhere)

    hooks = {"request": [guard.before_request("payment")]}
    with (
        httpx.Client(transport=httpx.MockTransport(answer), event_hooks=hooks, follow_redirects=True) as http,
        pytest.raises(Stopped),
    ):
        http.post(SHOP)

    assert PAID == ["allow.test"]
