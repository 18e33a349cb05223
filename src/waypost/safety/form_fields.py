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
    **dict.fromkeys((f"{who}address" for who in ("payee", "recipient", "beneficiary", "receiver")), "address"),
    **dict.fromkeys((f"{who}wallet" for who in ("payee", "recipient", "beneficiary", "receiver")), "address"),
    **dict.fromkeys(("payee", "payeeid", "business", "receiveremail", "beneficiaryid", "recipientid"), "other"),
}
"""Names of fields without signs and in lower case, with the type of the payee."""
_PART = re.compile(r'name="([^"\r\n]{1,200})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]*)')
_AUTHORIZATION = ({"client_id", "response_type"}, {"samlrequest"}, {"client_id", "request_uri"}, {"user_code"})
"""Sets of parameters of which one is in every authorization request: OAuth 2.0, SAML, pushed requests, device codes."""


def payees_of(body: str, media_type: str) -> dict[str, str]:
    """Payees in the body of a request: identifiers with their types. Empty for a body without any."""
    found: dict[str, str] = {}
    for name, value in _fields(body[:LONGEST], media_type.partition(";")[0].strip().lower()):
        kind = _PAYEES.get(re.sub(r"[^a-z0-9]", "", name.lower()))
        if kind and value.strip():
            found[value.strip()] = kind
    return found


def is_authorization(url: str) -> bool:
    """Whether a URL is an authorization request: a sign-in, or access for another party."""
    try:
        names = {name.lower() for name, _ in parse_qsl(urlsplit(url).query, max_num_fields=MOST)}
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
            yield from _members(inner, each, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _members(inner, name, depth + 1)
    elif isinstance(value, str):
        yield name, value
