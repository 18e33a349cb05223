"""Fields of a form or a script's request, read for a hidden payee; and the parameters of authorization requests.

The names are those of recipients of money. Fields with an account or a wallet of the payer have further names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

MOST, LONGEST, DEEPEST = 256, 65_536, 6
_PAYEES = {
    "payto": "x402",
    "merchantid": "ucp",
    "gatewaymerchantid": "ucp",
    **dict.fromkeys((f"{who}iban" for who in ("payee", "recipient", "beneficiary", "creditor", "receiver")), "iban"),
    "creditoraccount": "other",
    **dict.fromkeys((f"{who}address" for who in ("payee", "recipient", "beneficiary", "receiver")), "address"),
    **dict.fromkeys((f"{who}wallet" for who in ("payee", "recipient", "beneficiary", "receiver")), "address"),
    **dict.fromkeys(("payee", "payeeid", "business", "receiveremail", "beneficiaryid", "recipientid"), "other"),
}
"""Names of fields without signs and in lower case, with the type of the payee."""
_PART = re.compile(r'name="([^"\r\n]{1,200})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]*)')
_DESTINATIONS = frozenset({"to", "toaddress", "walletaddress", "cryptoaddress", "destination", "destinationaddress"})
"""Names of fields that are a payee where the value has the form of an address of a cryptocurrency."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}|bc1[0-9a-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|T[1-9A-HJ-NP-Za-km-z]{33}")
_AUTHORIZATION = (
    {"client_id", "response_type"},
    {"client_id", "redirect_uri"},
    {"client_id", "request_uri"},
    {"samlrequest"},
    {"wtrealm"},
    {"user_code"},
)
"""Sets of parameters of which one is in every authorization request: OAuth 2.0 (also pushed, or without a
response type), SAML, WS-Federation, device codes."""


def payees_of(body: str, media_type: str) -> dict[str, str]:
    """Payees in the body of a request: identifiers with their types. Empty for a body without any."""
    found: dict[str, str] = {}
    for name, value in _fields(body[:LONGEST], media_type.partition(";")[0].strip().lower()):
        plain = re.sub(r"[^a-z0-9]", "", name.lower())
        # `payee.iban`: the last two names of a nested member are one name, too.
        last = re.sub(r"[^a-z0-9]", "", "".join(name.lower().split(".")[-2:]))
        alone = re.sub(r"[^a-z0-9]", "", name.lower().rpartition(".")[2])
        kind = _PAYEES.get(plain) or _PAYEES.get(last) or _PAYEES.get(alone)
        if kind is None and alone in _DESTINATIONS and _ADDRESS.fullmatch(value.strip()):
            kind = "address"
        if kind and value.strip():
            found[value.strip()] = kind
    return found


def is_authorization(url: str) -> bool:
    """Whether a URL is an authorization request: a sign-in, or access for another party."""
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, max_num_fields=MOST) + parse_qsl(parts.fragment, max_num_fields=MOST)
        names = {name.lower() for name, _ in pairs}
    except ValueError:
        return True  # too many parameters, or none that can be read
    return any(needed <= names for needed in _AUTHORIZATION)


def _fields(body: str, media_type: str) -> Iterator[tuple[str, str]]:
    if media_type == "multipart/form-data":
        yield from _PART.findall(body)
    elif media_type.endswith("json") or (body.lstrip()[:1] in {"{", "["} and media_type in {"", "text/plain"}):
        try:
            yield from _members(msgspec.json.decode(body), "", 0)
        except (ValueError, RecursionError):
            return
    else:
        try:
            yield from parse_qsl(body, max_num_fields=MOST)
        except ValueError:
            return


def _members(value: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST:
        return
    if isinstance(value, dict):
        for each, inner in value.items():
            yield from _members(inner, f"{name}.{each}" if name else each, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _members(inner, name, depth + 1)
    elif isinstance(value, str):
        yield name, value
