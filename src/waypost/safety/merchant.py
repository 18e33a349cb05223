"""Payment compared with the files of the destination's own host: keys, endpoints, payees and signed checkouts.

Only a host's own files over a checked connection are evidence about the payees of the host. Missing files never agree,
and no outcome makes a decision milder than a review: an outcome adds a reason to stop, an unknown or evidence.

Sources: UCP profile `/.well-known/ucp` with `signing_keys` (ucp.dev, 2026-08-25); x402 version 2, whose payment
requirements name `payTo`, and the manifest `/.well-known/x402` (draft-hawkins-x402-dns-discovery-03); organization
identifier of a certificate by ETSI EN 319 412-1, 5.1.4. Read 2026-11-29.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from waypost.errors import InvalidUrl
from waypost.models.decision import Target
from waypost.models.payment import (
    DECLARED,
    MerchantFile,
    MerchantFiles,
    MerchantReading,
    Outcome,
    PaymentRequest,
    folded,
)
from waypost.safety.signed_checkout import Checkout, merchant_sites, read_checkout, usable_keys
from waypost.safety.target import check_host, of_host, split

_MOST = 64
_DEEPEST = 12
_ORGANIZATION = re.compile(r"(?:VAT|NTR|PSD|LEI)[A-Z]{2}-\S{2,64}")
"""Identifier of a legal person: kind of register, country, number."""
_IDS = frozenset({"merchant_id", "merchantid", "gateway_merchant_id", "gatewaymerchantid"})
"""Members of a payment handler's configuration with the account of the merchant, in lower case."""


def needs_files(request: PaymentRequest, target: Target) -> bool:
    """Whether files of the host are evidence about a payment. Other payments cost no request."""
    if target.scheme != "https" or target.address:
        return False
    if request.checkout is not None or (request.payee_id is not None and request.payee_type in DECLARED):
        return True
    endpoint = _host(request.endpoint.reveal()) if request.endpoint is not None else None
    return endpoint is not None and endpoint.registrable != target.registrable


def read_merchant(
    request: PaymentRequest, files: MerchantFiles | None, organization_id: str, now: int
) -> MerchantReading:
    """Comparison of a payment with a host's files and certificate. Never raises.

    organization_id  identifier of the organization in the host's certificate, or empty
    """
    ucp = files.ucp if files else MerchantFile()
    profile = _content(ucp)
    status = "failed" if ucp.status == "read" and profile is None else ucp.status
    keys = usable_keys(profile or {})
    checkout = Checkout("")
    if request.checkout is not None:
        checkout = read_checkout(request.checkout.reveal(), keys, request.amount, now)
        # Without the host's own answer its keys are unknown, not absent.
        if checkout.because == "no_key" and status not in {"read", "absent"}:
            checkout = Checkout("failed", "no_profile")
    return MerchantReading(
        profile=status,
        has_keys=bool(keys),
        signature=checkout.outcome,
        because=checkout.because,
        payee=_payee(request, files, profile, status, checkout, organization_id),
        # Names of a merchant, and no connections: their scheme and port say nothing.
        names=tuple(of_host(host.host) for host in _hosts(merchant_sites(checkout.content))),
        leads_to=tuple(_hosts([checkout.content["continue_url"]] if "continue_url" in checkout.content else [])),
        endpoints=tuple(_hosts(_endpoints(profile or {}))),
        observed_at=files.observed_at if files else 0,
        valid_until=files.valid_until if files else 0,
    )


def _payee(
    request: PaymentRequest,
    files: MerchantFiles | None,
    profile: Mapping[str, Any] | None,
    status: str,
    checkout: Checkout,
    organization_id: str,
) -> Outcome:
    """Outcome of the payee's identifier, by its type."""
    if request.payee_id is None:
        return ""
    identifier, kind = request.payee_id.reveal(), request.payee_type or "other"
    if kind == "ap2":
        merchant = checkout.content.get("merchant")
        named = merchant.get("id") if isinstance(merchant, Mapping) else None
        return _among(kind, identifier, [named] if isinstance(named, str) else [])
    if kind == "ucp":
        declared = list(_accounts((profile or {}).get("ucp"), 0))
        return _among(kind, identifier, declared) if status in {"read", "absent"} else "failed"
    if kind == "x402":
        x402 = files.x402 if files else MerchantFile()
        manifest = _content(x402)
        if x402.status == "absent":
            return "unseen"
        return "failed" if manifest is None else _among(kind, identifier, list(_pay_to(manifest, 0)))
    if kind == "other" and _ORGANIZATION.fullmatch(identifier.strip()):
        same_kind = organization_id[:5] == identifier.strip()[:5]
        return _among(kind, identifier, [organization_id] if same_kind else [])
    return "unseen"


def _among(kind: str, identifier: str, declared: list[str]) -> Outcome:
    """Outcome of an identifier among the declared ones: `unseen` where the host declares none."""
    if not declared:
        return "unseen"
    return "agrees" if folded(kind, identifier) in {folded(kind, each) for each in declared} else "contradicts"


def _pay_to(value: Any, depth: int) -> Iterator[str]:
    """Addresses `payTo` in an x402 manifest, in the requirements of each of its resources."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        if isinstance(value.get("payTo"), str):
            yield value["payTo"]
        for each in value.values():
            yield from _pay_to(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from _pay_to(each, depth + 1)


def _accounts(value: Any, depth: int, *, inside: bool = False) -> Iterator[str]:
    """Accounts of the merchant in the payment handlers of a UCP profile."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for name, each in value.items():
            if inside and name.lower() in _IDS and isinstance(each, str):
                yield each
            yield from _accounts(each, depth + 1, inside=inside or name == "payment_handlers")
    elif isinstance(value, list):
        for each in value:
            yield from _accounts(each, depth + 1, inside=inside)


def _endpoints(profile: Mapping[str, Any]) -> Iterator[str]:
    """Addresses of the services in a UCP profile."""
    ucp = profile.get("ucp")
    services = ucp.get("services") if isinstance(ucp, Mapping) else None
    for offered in services.values() if isinstance(services, Mapping) else ():
        for service in offered if isinstance(offered, list) else (offered,):
            endpoint = service.get("endpoint") if isinstance(service, Mapping) else None
            if isinstance(endpoint, str):
                yield endpoint


def _hosts(addresses: Iterable[object]) -> Iterator[Target]:
    """Hosts of addresses; a host without an owner for an unreadable address."""
    for address in list(addresses)[:_MOST]:
        yield _host(address if isinstance(address, str) else "") or _UNREADABLE


_UNREADABLE = Target(
    scheme="https", host="unreadable.invalid", unicode_host="unreadable.invalid", registrable="unreadable.invalid",
    suffix="invalid", labels=("unreadable", "invalid"),
)  # fmt: skip


def _host(address: str) -> Target | None:
    try:
        target = split(address).target
        check_host(target.host)
    except InvalidUrl:
        return None
    return target


def _content(file: MerchantFile) -> dict[str, Any] | None:
    """JSON object of a file that was read; None for any other."""
    if file.status != "read":
        return None
    try:
        content = msgspec.json.decode(file.data)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
