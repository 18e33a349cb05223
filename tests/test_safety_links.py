"""Authorization requests and prefilled parameters: who receives, what the receiver may do, and what a URL chooses."""

from __future__ import annotations

import asyncio
import base64
import json
import zlib
from typing import Any
from urllib.parse import quote

import pytest

from waypost.models.decision import Decision, Evidence, SensitiveUrl, Target
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.registry.link_parameters import link_parameters_of
from waypost.registry.world import load
from waypost.safety.saml import receiver_of
from waypost.service import Service

WORLD = load()
NOW = 1_795_694_400_000
DAY = 86_400_000
CANARY = "k4n4ry"
CURRENT = ("baseline", "strict")


async def everything_seen(target: Target, within_s: float) -> Observations:
    times: dict[str, Any] = {"observed_at": NOW, "valid_until": NOW + 600_000}
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    return Observations(
        host=target.host,
        observed_at=NOW,
        dns=DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=TlsObservation(status="observed", valid=True, **times),
        http=HttpObservation(status="observed", hops=(hop,), answer=200, media_type="text/html", body=b"<p>", **times),
        registration=RegistrationObservation(status="observed", registered_at=NOW - 900 * DAY, **times),
    )


def decided(url: str, action: str = "login", policy: str = "baseline", **more: Any) -> Decision:
    known = more.pop("known", ())
    service = Service(
        WORLD,
        probe=everything_seen,
        now=lambda: NOW,
        lists=lambda target, now: (Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW),),
        known=lambda target, now: tuple(each for each in known if each.domain == target.host),
    )
    return asyncio.run(service.check_async(SensitiveUrl(url), action, policy=policy, **more)).decision


GOOGLE = "https://accounts.google.com/o/oauth2/v2/auth?client_id=1&response_type=code"
TO_DROPBOX = f"{GOOGLE}&scope=openid&redirect_uri=https%3A%2F%2Fwww.dropbox.com%2Fcb"


@pytest.mark.parametrize(
    ("names", "allowed"),
    [
        (["Dropbox"], True),
        (["Google"], True),
        (["Google", "Dropbox"], True),
        (["PayPal"], False),
        (["Nobody Ltd"], False),
    ],
)
def test_the_brand_that_a_caller_names_may_be_the_receiver(names: list[str], allowed: bool) -> None:
    decision = decided(TO_DROPBOX, counterparties=names)

    assert decision.action_allowed is allowed
    assert ("counterparty_mismatch" in decision.reason_codes) is (names == ["PayPal"])


def test_a_named_receiver_without_a_review_stays_a_stop() -> None:
    decision = decided(f"{GOOGLE}&redirect_uri=https://stranger.test/", counterparties=["stranger.test"])

    assert decision.action_allowed is False
    assert "sign_in_receiver_not_verified" in decision.reason_codes


@pytest.mark.parametrize(
    ("scope", "grants"),
    [
        ("openid email", ""),
        ("https://mail.google.com/", "mail"),
        ("HTTPS%3A%2F%2FMAIL.GOOGLE.COM%2F", "mail"),
        ("openid%20https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fdrive", "files"),
        ("openid+offline_access", "offline"),
        ("openid&access_type=offline", "offline"),
        ("a.new.scope", "other"),
        ("", "other"),
    ],
)
def test_the_scopes_describe_the_receivers_rights(scope: str, grants: str) -> None:
    decision = decided(f"{GOOGLE}&redirect_uri=https://stranger.test/{CANARY}&scope={scope}")

    details = [piece.detail for piece in decision.evidence if piece.id == "url.grants"]
    assert details == ([f"the receiver may from then on use: {grants}"] if grants else [])
    assert CANARY not in repr(decision)


def test_more_than_an_identity_takes_a_receiver_reviewed_by_two() -> None:
    def visit(scope: str) -> Decision:
        review = Relationship(
            id="r", domain="app.test", entity="x", state="accepted", scope="host", reviewed_at=NOW - DAY,
            review_expires_at=NOW + DAY,
        )  # fmt: skip
        return decided(f"{GOOGLE}&redirect_uri=https://app.test/&scope={scope}", "visit", known=(review,))

    assert "sign_in_receiver_not_checked" not in visit("openid").unknowns
    assert "sign_in_receiver_not_checked" in visit("https://mail.google.com/").unknowns


def saml(receiver: str, before: str = "") -> str:
    request = f'{before}<s:AuthnRequest xmlns:s="urn:oasis:names:tc:SAML:2.0:protocol" Version="2.0"{receiver}/>'
    packed = zlib.compressobj(wbits=-15)
    return quote(base64.b64encode(packed.compress(request.encode()) + packed.flush()).decode(), safe="")


SAML = "https://login.microsoftonline.com/common/saml2?RelayState=https%3A%2F%2Fwww.dropbox.com%2Fhome&SAMLRequest="
ACS = ' AssertionConsumerServiceURL="{}"'
OWN_ACS = saml(ACS.format("https://www.dropbox.com/"))


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        (saml(ACS.format("https://www.dropbox.com/saml_login")), True),
        (saml(ACS.format("https://stranger.test/acs")), False),
        (saml(ACS.format("http://www.dropbox.com/saml_login")), False),
        (saml(' AssertionConsumerServiceIndex="1"'), False),
        (saml("", f"<!--{ACS.format('https://www.dropbox.com/')}-->"), False),
        (f"{OWN_ACS}&SAMLRequest={saml(ACS.format('https://stranger.test/'))}", False),
        (f"{OWN_ACS}&samlrequest={saml('')}", False),
    ],
)  # fmt: skip
def test_the_receiver_in_a_saml_request_is_a_destination(request_: str, allowed: bool) -> None:
    decision = decided(SAML + request_)

    assert decision.action_allowed is allowed
    assert ("sign_in_receiver_not_verified" in decision.reason_codes) is not allowed


def test_a_saml_request_that_expands_too_far_names_no_receiver() -> None:
    assert receiver_of(base64.b64encode(zlib.compress(b" " * 1_000_000)[2:-4]).decode()) == ""


PAY = "https://www.paypal.com/pay"
CHOSEN = [
    "walletAddress=0xk4n4ry", "WALLET_ADDRESS=0xk4n4ry", "wallet%41ddress=x", "wallet%2541ddress=x", "linkToken=x",
    "amount=5", "Amount=5", "to=ann@other.test", "to=0x52908400098527886E0F7030069857D2E4169EE7",
    "a=1&b=2&payee=x", "params[amount]=5", "q=%7B%22amount%22%3A%225%22%7D",
    f"q={base64.b64encode(json.dumps({'recipient': 'x'}).encode()).decode()}",
    "continue=https%3A%2F%2Fwww.paypal.com%2Fx%3Famount%3D5", "to=de&to=ann@other.test", "user_code=ABCD-EFGH",
    "invite_code=x7", "x=1;amount=5",
]  # fmt: skip


@pytest.mark.parametrize("action", ["payment", "login", "upload"])
def test_a_url_with_recipient_amount_or_device_stops(action: str) -> None:
    urls = [f"{PAY}{mark}{text}" for text in CHOSEN for mark in ("?", "#", "?z=1&")] + [
        f"{PAY};amount=5",
        f"{PAY}/amount=5",
    ]
    found = {(url, policy): decided(url, action, policy) for url in urls for policy in CURRENT}

    assert [place for place, each in found.items() if each.action_allowed] == []
    assert [place for place, each in found.items() if "filled_in_by_url" not in each.reason_codes] == []
    assert CANARY not in repr(found.values())


def test_a_visit_to_a_prefilled_page_goes_ahead() -> None:
    decision = decided(f"{PAY}?amount=5", "visit")

    assert (decision.action_allowed, decision.relationship_status) == (True, "unverified")


@pytest.mark.parametrize(
    "text", ["to=de", "to=LHR", "to=2026-12-24", "to=100", "amount=", "to=en-GB", "total=5", "q=amount"]
)
def test_languages_airports_and_days_are_not_recipients(text: str) -> None:
    assert decided(f"https://www.paypal.com/signin?{text}").action_allowed is True


def test_every_name_of_a_prefilling_parameter_is_a_stop() -> None:
    names = link_parameters_of(WORLD).prefilled

    assert len(names) > 90
    assert [name for name in names if decided(f"{PAY}?{name}=x9@other.test", "payment").action_allowed] == []
