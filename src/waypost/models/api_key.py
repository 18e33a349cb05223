"""API keys: how they are written, what they may do, and the life of one.

A key is `wp_live_` or `wp_test_`, 32 random characters and 6 that check the rest: 46 in all, 190 bits of chance. A
typing error is seen without asking anybody, and a scanner for secrets that finds `PATTERN` can be sure by `is_key`.
The text itself is shown once and kept nowhere; what is kept is its SHA-256.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import zlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

import msgspec

from waypost.errors import WaypostError
from waypost.formats.text import listed, near, timestamp

Environment = Literal["live", "test"]
Scope = Literal[
    "domain", "official", "search", "snippets", "agent", "check", "dispute", "relationships", "validate",
    "keys", "review", "audit",
]  # fmt: skip
Label = Literal["Read", "Write", "Validate"]
State = Literal["active", "rotating", "expired", "revoked"]

ENVIRONMENTS: tuple[Environment, ...] = get_args(Environment)
SCOPES: tuple[Scope, ...] = get_args(Scope)
LABELS: Mapping[Label, tuple[Scope, ...]] = MappingProxyType(
    {
        "Read": ("domain", "official", "search", "snippets"),
        "Write": ("agent", "check", "dispute", "relationships"),
        "Validate": ("validate",),
    }
)
"""Presets that people are shown. The scopes `keys`, `review` and `audit` are given by name alone."""

EDGES: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        "active": frozenset({"rotating", "expired", "revoked"}),
        "rotating": frozenset({"expired", "revoked"}),
        "expired": frozenset(),
        "revoked": frozenset(),
    }
)
"""From each state of a key to those that may follow."""

PATTERN = r"wp_(?:live|test)_[0-9A-Za-z]{38}"
"""What a key looks like, for scanners; what `is_key` refuses of it is none."""
RANDOM_LENGTH, CHECK_LENGTH = 32, 6
DAY_MS = 86_400_000
USUAL_DAYS, MOST_DAYS = 365, 730
USUAL_OVERLAP_S, MOST_OVERLAP_S = 86_400, 604_800
MOST_NAME = 80
MOST_NETWORKS = 32

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [one + two for one in _DIGITS for two in _DIGITS]
_PREFIXES: Mapping[Environment, str] = MappingProxyType({each: f"wp_{each}_" for each in ENVIRONMENTS})
_STARTS = tuple(_PREFIXES.values())
_LENGTH = len("wp_live_") + RANDOM_LENGTH + CHECK_LENGTH


class KeyRequestError(WaypostError):
    """What was asked for is no key that can be made; `member` names the member of the request at fault."""

    code, status = "invalid-request", 422

    def __init__(self, text: str, member: str) -> None:
        super().__init__(text)
        self.member = member


class InsufficientScope(WaypostError):
    """More was asked for than may be given; `required` are the scopes that are missing."""

    code, status = "insufficient-scope", 403

    def __init__(self, required: Iterable[str]) -> None:
        self.required = tuple(required)
        super().__init__(f"this takes the {_scopes(self.required)}")


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key as the store knows it. Its text is not here, and nowhere else.

    hash          the SHA-256 of its text
    holder        who reviews and submits when it is used: whoever made it with a key or at the console, else `key:`
                  and the id of the first of the keys that replaced each other
    limits        quotas of this key alone, by the name of the policy
    ip_allowlist  networks it may be used from; empty: from everywhere
    replaced_by   the key it was exchanged for, or empty

    Times are milliseconds since 1970, UTC.
    """

    id: str
    hash: bytes
    name: str
    prefix: str
    last4: str
    organization: str
    organization_name: str
    scopes: frozenset[Scope]
    environment: Environment
    holder: str
    created_at: int
    created_by: str
    expires_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None
    replaced_by: str = ""
    ip_allowlist: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}

    @property
    def masked(self) -> str:
        return f"{self.prefix}...{self.last4}"

    @property
    def actor(self) -> str:
        """How the audit names whoever used this key."""
        return f"key:{self.id}"

    def state(self, now: int) -> State:
        if self.revoked_at is not None:
            return "revoked"
        if now >= self.expires_at:
            return "expired"
        return "rotating" if self.replaced_by else "active"

    def is_allowed_from(self, address: str) -> bool:
        """Whether the key may be used from an IP address; what is no address is outside every network."""
        if not self.ip_allowlist:
            return True
        try:
            asked = ipaddress.ip_address(address)
        except ValueError:
            return False
        asked = getattr(asked, "ipv4_mapped", None) or asked
        return any(asked in ipaddress.ip_network(each) for each in self.ip_allowlist)


def new_text(environment: Environment) -> str:
    """The text of a new key, by the system's own source of chance."""
    body = _PREFIXES[environment] + "".join(secrets.choice(_DIGITS) for _ in range(RANDOM_LENGTH))
    return body + _check(body)


def is_key(text: str) -> bool:
    """Whether a text is written as a key is, down to its check; says nothing about whether there is such a key."""
    return (
        len(text) == _LENGTH
        and text.isascii()
        and text.startswith(_STARTS)
        and _check(text[:-CHECK_LENGTH]) == text[-CHECK_LENGTH:]
        and text[8:].isalnum()
    )


def hash_of(text: str) -> bytes:
    """What is kept of a key's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _check(body: str) -> str:
    """The CRC-32 of a key's text in base 62, the most significant digit first."""
    rest, last = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    first, second = divmod(rest, len(_PAIRS))
    return _PAIRS[first] + _PAIRS[second] + _PAIRS[last]


def labels_of(scopes: Iterable[str]) -> list[str]:
    """The labels that a key's scopes amount to: `Read`, or `Read 3/4` where one is missing."""
    held = set(scopes)
    counted = [(label, sum(each in held for each in meant), len(meant)) for label, meant in LABELS.items()]
    return [label if some == whole else f"{label} {some}/{whole}" for label, some, whole in counted if some]


def scopes_of(*, labels: Iterable[str] = (), scopes: Iterable[str] = ()) -> frozenset[Scope]:
    """The scopes behind labels and scopes by name. Raises KeyRequestError, which names what is unknown."""
    found: set[Scope] = set()
    for label in labels:
        meant = next((known for known in LABELS if known.casefold() == label.casefold()), None)
        if meant is None:
            raise KeyRequestError(f"there is no label {label!r}{_meant(label, LABELS)}", "labels")
        found.update(LABELS[meant])
    for scope in scopes:
        known = next((each for each in SCOPES if each == scope), None)
        if known is None:
            raise KeyRequestError(f"there is no scope {scope!r}{_meant(scope, SCOPES)}", "scopes")
        found.add(known)
    if not found:
        raise KeyRequestError("a key needs at least one scope", "scopes")
    return frozenset(found)


def check_grant(asked: Iterable[str], held: Iterable[str]) -> None:
    """Nobody gives away what they do not have. Raises InsufficientScope."""
    beyond = set(asked) - set(held)
    if beyond:
        raise InsufficientScope(in_order(beyond))


def in_order(scopes: Iterable[str]) -> tuple[str, ...]:
    """Scopes in the order in which they are documented."""
    held = set(scopes)
    return tuple(each for each in SCOPES if each in held)


def networks(given: Iterable[str]) -> tuple[str, ...]:
    """Addresses and networks in their usual spelling. Raises KeyRequestError."""
    found = []
    for text in given:
        try:
            found.append(str(ipaddress.ip_network(text.strip())))
        except ValueError:
            raise KeyRequestError("this is no IP address or network such as 192.0.2.0/24", "ip_allowlist") from None
    if len(found) > MOST_NETWORKS:
        raise KeyRequestError(f"at most {MOST_NETWORKS} networks", "ip_allowlist")
    return tuple(dict.fromkeys(found))


def told(key: Key) -> dict[str, Any]:
    """A key as it is listed: masked, what is absent left out."""
    members: dict[str, Any] = {
        "id": key.id,
        "name": key.name,
        "masked": key.masked,
        "environment": key.environment.capitalize(),
        "labels": labels_of(key.scopes),
        "scopes": list(in_order(key.scopes)),
        "organization": {"id": key.organization, "name": key.organization_name},
        "created_at": timestamp(key.created_at),
        "last_used_at": timestamp(key.last_used_at) if key.last_used_at is not None else None,
        "expires_at": timestamp(key.expires_at),
        "revoked_at": timestamp(key.revoked_at) if key.revoked_at is not None else None,
        "replaced_by": key.replaced_by or None,
        "ip_allowlist": list(key.ip_allowlist) or None,
        "limits": dict(key.limits) or None,
    }
    return {name: value for name, value in members.items() if value is not None}


def _scopes(names: tuple[str, ...]) -> str:
    return f"scope {names[0]}" if len(names) == 1 else f"scopes {listed(names)}"


def _meant(name: str, known: Iterable[str]) -> str:
    names = list(known)
    found = near(name, names)
    return f"; did you mean {listed(found, 'or')}?" if found else f" among {listed(names)}"
