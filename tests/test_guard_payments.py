"""The guard at the moment of acting: navigations, forms with their targets and hidden payees, sign-ins, tool calls."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from waypost.guard import Guard, LocalClient, PageHold, Stopped
from waypost.models.decision import Evidence, Target
from waypost.models.observation import Observations
from waypost.models.payment import MerchantFile, MerchantFiles
from waypost.safety.form_fields import is_authorization, payees_of
from waypost.service import Service, clock

from .test_guard import decision_with
from .test_safety_links import WORLD, everything_seen

SHOP = "https://www.kickstarter.com/checkout"
CHECKOUT = "https://checkout.stripe.com/c/pay/cs_1"
CONSENT = (
    "https://accounts.google.com/o/oauth2/v2/auth?client_id=1&response_type=code&redirect_uri=https://evil.test/cb"
)
A, B = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "0x742d35Cc6634C0532925a3b844Bc9e7595f0bEb0"
PART = '--b\r\nContent-Disposition: form-data; name="business"\r\n\r\nann@example.com\r\n'
FORM = "application/x-www-form-urlencoded"


class Request:
    """Request of a browser, with what the hold reads of it."""

    def __init__(self, url: str, method: str = "GET", body: str = "", page: str = SHOP, media_type: str = FORM) -> None:
        self.url, self.method, self.post_data = url, method, body
        self.headers = {"content-type": media_type}
        self.frame = type("Frame", (), {"url": page})()

    def is_navigation_request(self) -> bool:
        return True


class Route:
    """Route of a browser that says what became of its request."""

    def __init__(self, request: Request) -> None:
        self.request, self.outcome = request, ""

    def continue_(self) -> None:
        self.outcome = "sent"

    def fetch(self, max_redirects: int) -> Any:
        self.outcome = "sent"
        return type("Answer", (), {"status": 200, "headers": {}})()

    def fulfill(self, **_how: Any) -> None:
        pass

    def abort(self, _why: str) -> None:
        self.outcome = "stopped"


async def seen_now(target: Target, within_s: float) -> Observations:
    """Observations of a good host at this moment: a guard compares expiries with the clock of the machine."""
    now, seen = clock(), await everything_seen(target, within_s)
    times = {"observed_at": now, "valid_until": now + 600_000}
    parts = {
        name: msgspec.structs.replace(getattr(seen, name), **times) for name in ("dns", "tls", "http", "registration")
    }
    return msgspec.structs.replace(seen, observed_at=now, **parts)


async def files(target: Target, _within_s: float) -> MerchantFiles:
    manifest = MerchantFile(status="read", data=json.dumps({"accepts": [{"payTo": A}]}).encode())
    absent = MerchantFile(status="absent")
    return MerchantFiles(host=target.host, observed_at=clock(), valid_until=clock() + 60_000, ucp=absent, x402=manifest)


@pytest.fixture
def guard() -> Guard:
    clean = (Evidence(type="threat_list_check", status="observed", id="list"),)
    return Guard(LocalClient(Service(WORLD, probe=seen_now, merchants=files, lists=lambda *_: clean)))


def outcome(hold: PageHold, *requests: Request) -> list[str]:
    routes = [Route(request) for request in requests]
    for route in routes:
        hold.handle(route)
    return [route.outcome for route in routes]


def test_the_form_of_a_shop_may_go_to_its_provider(guard: Guard) -> None:
    hold = PageHold(guard, "payment")

    assert outcome(hold, Request(SHOP, page="about:blank"), Request(CHECKOUT, "POST", "plan=1")) == ["sent", "sent"]
    assert hold.stops == []


def test_a_link_of_a_shop_leads_to_its_provider(guard: Guard) -> None:
    assert outcome(PageHold(guard, "payment"), Request(SHOP, page="about:blank"), Request(CHECKOUT)) == ["sent", "sent"]
    assert outcome(PageHold(guard, "payment"), Request(CHECKOUT, page="about:blank")) == ["stopped"]


@pytest.mark.parametrize(
    ("target", "body", "page", "reason"),
    [
        ("https://www.paypal.com/checkoutnow", "amount=5", SHOP, "payee_mismatch"),
        ("https://stranger.test/pay", "amount=5", SHOP, "payee_mismatch"),
        (SHOP, f"payTo={B}&amount=5", SHOP, "payee_mismatch"),
        (SHOP, f"pay_to={A}&payto={B}", SHOP, "payee_mismatch"),
        (CHECKOUT, f"payTo={B}", SHOP, "payee_mismatch"),
        (CHECKOUT, "plan=1", "https://www.dropbox.com/plans", "payee_mismatch"),
    ],
)
def test_a_form_with_another_receiver_is_stopped(guard: Guard, target: str, body: str, page: str, reason: str) -> None:
    hold = PageHold(guard, "payment")

    assert outcome(hold, Request(target, "POST", body, page)) == ["stopped"]
    assert reason in hold.stops[0].reasons
    assert B not in str(hold.stops[0])


def test_a_form_with_the_declared_payee_goes(guard: Guard) -> None:
    assert outcome(PageHold(guard, "payment"), Request(SHOP, "POST", f"payTo={A}&amount=5")) == ["sent"]


def test_an_authorization_is_checked_as_a_login(guard: Guard) -> None:
    hold = PageHold(guard, "visit")

    assert outcome(hold, Request("https://accounts.google.com/signin"), Request(CONSENT)) == ["sent", "stopped"]
    assert "sign_in_receiver_not_verified" in hold.stops[0].reasons


def test_forms_may_have_an_action_of_their_own(guard: Guard) -> None:
    hold = PageHold(guard, "visit", "submission")

    sent = outcome(hold, Request("https://stranger.test/"), Request("https://stranger.test/", "POST", "a=1"))

    assert sent == ["sent", "stopped"]


def test_the_calls_of_a_proxy_are_checked(guard: Guard) -> None:
    check = guard.before_call({"navigate": "visit", "pay": "payment", "look": ""})

    check("look", {})
    check("navigate", {"url": "https://stranger.test/"})
    check("pay", {"to": {"url": SHOP}, "payTo": A})
    for name, arguments in (
        ("pay", {"url": "https://stranger.test/"}),
        ("pay", {"url": SHOP, "payTo": B}),
        ("pay", {"urls": [SHOP, "https://stranger.test/"]}),
        ("pay", {"amount": 5}),
        ("delete_everything", {"url": SHOP}),
    ):
        with pytest.raises(Stopped):
            check(name, arguments)


def test_details_of_a_payment_are_part_of_the_check(guard: Guard) -> None:
    paid: list[str] = []

    @guard("payment", url="checkout", details=lambda checkout, payee: {"payee": {"type": "x402", "id": payee}})
    def pay(checkout: str, payee: str) -> None:
        paid.append(payee)

    pay(SHOP, A)
    with pytest.raises(Stopped):
        pay(SHOP, B)
    assert paid == [A]


def test_an_allow_is_reused_for_seconds_only() -> None:
    class Counted:
        requests = 0

        def require(self, url: str, action: str, **details: Any) -> Any:
            self.requests += 1
            return decision_with()

    for reuse_s, requests in ((60.0, 1), (0.0, 2)):
        client = Counted()
        guard = Guard(client, reuse_s=reuse_s)
        guard.require("https://allow.test/", "payment")
        guard.require("https://allow.test/", "payment")
        assert client.requests == requests


@pytest.mark.parametrize(
    ("body", "media_type", "found"),
    [
        ("payTo=x&amount=1", FORM, {"x": "x402"}),
        ('{"order": {"beneficiary_iban": "DE89"}}', "application/json; charset=utf-8", {"DE89": "iban"}),
        (PART, "multipart/form-data; boundary=b", {"ann@example.com": "other"}),
        ("iban=DE89&wallet=mine&payee=", FORM, {}),
        ('{"order": {"payee": {"iban": "DE89"}}}', "application/json", {"DE89": "iban"}),
        ('{"creditor": {"account": "DE89"}}', "application/json", {"DE89": "other"}),
        ('{"variables": {"input": {"walletAddress": "0x%s"}}}' % ("a1" * 20), "application/json",
         {"0x" + "a1" * 20: "address"}),
        ("to=0x" + "a1" * 20, FORM, {"0x" + "a1" * 20: "address"}),
        ("to=ann%40example.com&walletAddress=main&from=0x" + "a1" * 20, FORM, {}),
        ("{", "application/json", {}),
        ("\x00\xff", "application/octet-stream", {}),
    ],
)  # fmt: skip
def test_payees_are_found_in_the_fields(body: str, media_type: str, found: dict[str, str]) -> None:
    assert payees_of(body, media_type) == found


def test_authorization_requests_are_known_by_their_parameters() -> None:
    assert is_authorization(CONSENT)
    assert is_authorization("https://id.test/saml?SAMLRequest=x")
    assert is_authorization("https://id.test/authorize?client_id=1&redirect_uri=https%3A%2F%2Fa.test%2F")
    assert is_authorization("https://id.test/authorize#client_id=1&response_type=token")
    assert is_authorization("https://id.test/wsfed?wa=wsignin1.0&wtrealm=urn%3Aa")
    assert not is_authorization("https://shop.test/?client_id=1")
