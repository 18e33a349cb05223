"""Payees as case files: attacks on who is paid are all stopped, and honest shapes are never stopped for the payee."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from joserfc import jws
from joserfc.jwk import ECKey

from waypost.formats.canonical_json import canonical_json
from waypost.models.decision import Decision, Evidence, SensitiveUrl, Target
from waypost.models.observation import Observations
from waypost.models.payment import Amount, MerchantFile, MerchantFiles, PaymentRequest
from waypost.registry.world import World, load
from waypost.service import Service

from .test_safety_links import NOW, everything_seen

CASES = Path(__file__).parent / "cases" / "payees"
ATTACKS, HONEST = (sorted((CASES / kind).glob("*.json")) for kind in ("attacks", "honest"))
CURRENT = ("baseline", "strict")
CANARY = "chk_k4n4ry"
CURVES = {"old": "P-256", "shop": "P-256", "stranger": "P-256", "shop384": "P-384"}


@cache
def key(name: str) -> ECKey:
    return ECKey.generate_key(CURVES[name])


def jwk(name: str, **members: Any) -> dict[str, Any]:
    return {**key(name).as_dict(private=False), "kid": name, "use": "sig", **members}


@cache
def small_world() -> World:
    """Shipped data with made-up brands: two shops, a brand of the group of one, its payment provider and another."""

    def brand(slug: str, **members: Any) -> bytes:
        domain = {"domain": f"{slug}.example", "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"]}
        empty = {name: [] for name in ("aliases", "categories", "countries", "tokens", "short_or_common_tokens")}
        return msgspec.json.encode(
            {"slug": slug, "names": [slug.title()], "owner": slug, **empty, "official_domains": [domain],
             "further_domains": [], **members}
        )  # fmt: skip

    provider = {"brand": "payco", "source": "https://shop.example/imprint", "read": "2026-11-29"}
    files = {path: data for path, data in load().files.items() if not path.startswith("brands/")}
    return World(
        files
        | {
            "brands/s/shop.json": brand("shop", payment_providers=[provider]),
            "brands/s/shop-pay.json": brand("shop-pay", owner="shop"),
            "brands/k/kiosk.json": brand("kiosk"),
            "brands/p/payco.json": brand("payco"),
            "brands/o/otherpay.json": brand("otherpay"),
        }
    )


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def timed(members: dict[str, Any]) -> dict[str, Any]:
    """Members with times given in seconds from now: `exp_s` is `exp`."""
    found = {name: value for name, value in members.items() if not name.endswith("_s") and value is not None}
    for name, value in members.items():
        if name == "expires_at_s":
            found["expires_at"] = msgspec.to_builtins(at(value))
        elif name.endswith("_s"):
            found[name[:-2]] = NOW // 1000 + value
    return found


def at(seconds: int) -> Any:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(NOW // 1000 + seconds, UTC)


def published_keys(entries: list[Any]) -> list[Any]:
    found = []
    for each in entries:
        named = {"key": each} if isinstance(each, str) else each
        members = timed({name: value for name, value in named.items() if name not in {"key", "raw"}})
        found.append(named["raw"] if "raw" in named else jwk(named["key"], **members))
    return found


def file_of(content: Any) -> MerchantFile:
    if content in {"absent", "failed"} if isinstance(content, str) else False:
        return MerchantFile(status=content)
    if isinstance(content, dict):
        lists = {name: published_keys(content[name]) for name in ("signing_keys", "keys") if name in content}
        content = content | lists
    return MerchantFile(
        status="read", data=content.encode() if isinstance(content, str) else json.dumps(content).encode()
    )


def token_of(how: dict[str, Any], content: dict[str, Any]) -> str:
    """JWT of a checkout: with another header, another content after the signature, or another signature."""
    name = how.get("key", "shop")
    algorithm = {"P-256": "ES256", "P-384": "ES384"}[CURVES[name]]
    header: dict[str, Any] = {"alg": algorithm, "kid": how.get("kid", name)}
    header = {member: value for member, value in header.items() if value is not None}
    token = jws.serialize_compact(header, canonical_json(content), key(name), algorithms=[algorithm])
    first, payload, signature = token.split(".")
    if "header" in how:
        changed = how["header"] | ({"jwk": jwk("stranger")} if "jwk" in how["header"] else {})
        first = encoded(json.dumps(header | changed).encode())
    if "after" in how:
        payload = encoded(canonical_json(content | how["after"]))
    return f"{first}.{payload}.{how.get('signature', signature)}"


def detached(how: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    first, _, signature = token_of(how, content).split(".")
    return content | how.get("after", {}) | {"ap2": {"merchant_authorization": f"{first}..{signature}"}}


def mandate(how: dict[str, Any], content: dict[str, Any], *, plain: bool = False) -> str:
    """Checkout mandate of AP2: an SD-JWT whose disclosures hold the merchant's JWT."""
    token = token_of(how, content)
    digest = {"other": b"another checkout"}.get(how.get("hash", ""), token.encode())
    claims = {"vct": "mandate.checkout.1", "checkout_hash": encoded(hashlib.sha256(digest).digest())}
    if how.get("hash") == "none":
        del claims["checkout_hash"]
    if how.get("hash") == "sha-512":
        claims |= {"_sd_alg": "sha-512", "checkout_hash": encoded(hashlib.sha512(digest).digest())}
    head = encoded(b'{"alg":"ES256","typ":"kb+sd-jwt"}')
    if plain:
        return f"{head}.{encoded(json.dumps(claims | {'checkout_jwt': token}).encode())}.sig"
    disclosed = [["salt", claims], ["salt", "checkout_jwt", token]]
    if "twice" in how:
        disclosed.append(["salt", "checkout_jwt", token_of({"key": how["twice"]}, content)])
    parts = [encoded(json.dumps(each).encode()) for each in disclosed]
    return "~".join([f"{head}.{encoded(b'{}')}.sig", *parts, ""])


def checkout_of(how: dict[str, Any]) -> str:
    changes = how.get("with", {})
    ends = {} if "expires_at" in changes else {"expires_at_s": 3600}
    content = timed(
        ends
        | {"id": CANARY, "status": "ready_for_complete", "currency": "EUR", "line_items": [],
         "totals": [{"type": "subtotal", "amount": 1699}, {"type": "total", "amount": 1999}]} | changes
    )  # fmt: skip
    forms: dict[str, Callable[[], str]] = {
        "text": lambda: str(how["text"]),
        "jwt": lambda: token_of(how, content),
        "ucp": lambda: json.dumps(detached(how, content)),
        "mandate": lambda: mandate(how, content),
        "plain-mandate": lambda: mandate(how, content, plain=True),
        "ucp-mandate": lambda: "~".join(
            ["e30.e30.sig", encoded(json.dumps(["salt", "checkout", detached(how, content)]).encode()), ""]
        ),
    }
    return forms[how["form"]]()


def decided(case: dict[str, Any], policy: str, action: str) -> Decision:
    async def probe(target: Target, within_s: float) -> Observations:
        seen = await everything_seen(target, within_s)
        tls = msgspec.structs.replace(seen.tls, organization_id=case.get("organization_id", ""))
        return msgspec.structs.replace(seen, tls=tls)

    async def files(target: Target, _within_s: float) -> MerchantFiles:
        found = case["hosts"].get(target.host, {})
        ucp, x402 = (file_of(found.get(name, "absent")) for name in ("ucp", "x402"))
        return MerchantFiles(host=target.host, observed_at=NOW, valid_until=NOW + 60_000, ucp=ucp, x402=x402)

    payee = case.get("payee", {})
    payment = PaymentRequest(
        endpoint=SensitiveUrl(case["payment_endpoint"]) if "payment_endpoint" in case else None,
        payee_type=payee.get("type"),
        payee_id=SensitiveUrl(payee["id"]) if payee else None,
        checkout=SensitiveUrl(checkout_of(case["checkout"])) if "checkout" in case else None,
        amount=Amount(**case["amount"]) if "amount" in case else None,
    )
    service = Service(
        small_world(),
        probe=probe,
        merchants=files,
        now=lambda: NOW,
        lists=lambda target, now: (Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW),),
    )
    url = SensitiveUrl(case.get("url", "https://shop.example/checkout"))
    return asyncio.run(service.check_async(url, action, policy=policy, payment=payment)).decision


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_on_the_payee_is_stopped(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))

    found = [decided(case, policy, action) for policy in CURRENT for action in ("payment", "checkout")]

    assert [each.action_allowed for each in found] == [False] * 4
    for each in found:
        assert (
            "payee_mismatch" in each.reason_codes
            or {"merchant_evidence_not_read", "payee_not_verified"} & {*each.unknowns}
            or (each.relationship_status == "unverified")
        )
        assert CANARY not in repr(each)


@pytest.mark.parametrize("path", HONEST, ids=lambda path: path.stem)
def test_an_honest_payment_is_not_stopped_for_the_payee(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))

    baseline, strict = (decided(case, policy, "payment") for policy in CURRENT)

    assert baseline.action_allowed is True
    assert "payee_mismatch" not in strict.reason_codes
    # `strict` wants every payee confirmed; what was confirmed goes ahead there too.
    assert strict.action_allowed or not case.get("confirmed")
    assert CANARY not in repr((baseline, strict))


def test_there_are_enough_cases_of_either_kind() -> None:
    assert len(ATTACKS) >= 60
    assert len(HONEST) >= 50
