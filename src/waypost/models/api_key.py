"""API keys: format, scopes and states.

A key is `wp_live_` or `wp_test_`, 32 random characters and 6 check characters: 46 in all, 190 random bits. A
typing error is found without a lookup, and a secret scanner confirms a match of `PATTERN` with `is_key`.
The user sees the secret once; the store has only the SHA-256.
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
from waypost.formats.text import join_words, near, timestamp

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
"""Presets of the console. The scopes `keys`, `review` and `audit` are granted by name alone."""

EDGES: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        "active": frozenset({"rotating", "expired", "revoked"}),
        "rotating": frozenset({"expired", "revoked"}),
        "expired": frozenset(),
        "revoked": frozenset(),
    }
)
"""State of a key -> possible next states."""

PATTERN = r"wp_(?:live|test)_[0-9A-Za-z]{38}"
"""Regular expression of keys for secret scanners; `is_key` also checks the check characters."""
RANDOM_LENGTH, CHECK_LENGTH = 32, 6
DAY_MS = 86_400_000
USUAL_DAYS, MOST_DAYS = 365, 730
USUAL_OVERLAP_S, MOST_OVERLAP_S = 86_400, 604_800
MOST_NAME = 80
MOST_NETWORKS = 32

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Two digits a step: half the divisions, and a table of 3,844 texts.
_PAIRS = [one + two for one in _DIGITS for two in _DIGITS]
_PREFIXES: Mapping[Environment, str] = MappingProxyType({name: f"wp_{name}_" for name in ENVIRONMENTS})
_STARTS = tuple(_PREFIXES.values())
_LENGTH = len("wp_live_") + RANDOM_LENGTH + CHECK_LENGTH


class KeyRequestError(WaypostError):
    """Invalid request for a key. `member` names the invalid member of the request."""

    code, status = "invalid-request", 422

    def __init__(self, text: str, member: str) -> None:
        super().__init__(text)
        self.member = member


class InsufficientScope(WaypostError):
    """Scopes missing for a request. `required` are the missing scopes."""

    code, status = "insufficient-scope", 403

    def __init__(self, required: Iterable[str]) -> None:
        self.required = tuple(required)
        super().__init__(f"this takes the {_scopes(self.required)}")


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """API key as stored, without the secret.

    hash          SHA-256 of the secret
    holder        name for reviews and submissions by this key: the key's creator, else `key:` and the id of the
                  first key of a chain of rotations
    limits        quotas of this key alone: name of the rate limit -> number
    ip_allowlist  networks from which the key is valid; empty: everywhere
    replaced_by   id of the successor after a rotation, or empty

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
        """Name of the key's user in the audit log."""
        return f"key:{self.id}"

    def state(self, now: int) -> State:
        if self.revoked_at is not None:
            return "revoked"
        if now >= self.expires_at:
            return "expired"
        return "rotating" if self.replaced_by else "active"

    def is_allowed_from(self, address: str) -> bool:
        """Whether the allowlist contains an IP address; an invalid address is outside every network."""
        if not self.ip_allowlist:
            return True
        try:
            client = ipaddress.ip_address(address)
        except ValueError:
            return False
        # An IPv4 client of a socket for both families (RFC 4291, 2.5.5.2) is the same as one of a socket for IPv4.
        client = getattr(client, "ipv4_mapped", None) or client
        return any(client in ipaddress.ip_network(network) for network in self.ip_allowlist)


def new_text(environment: Environment) -> str:
    """Secret of a new key, from the system's random source."""
    body = _PREFIXES[environment] + "".join(secrets.choice(_DIGITS) for _ in range(RANDOM_LENGTH))
    return body + _check(body)


def is_key(text: str) -> bool:
    """Whether a text has the format of a key, with valid check characters. The key may still be unknown."""
    return (
        len(text) == _LENGTH
        and text.isascii()
        and text.startswith(_STARTS)
        and _check(text[:-CHECK_LENGTH]) == text[-CHECK_LENGTH:]
        and text[8:].isalnum()
    )


def hash_of(text: str) -> bytes:
    """SHA-256 of a secret, as stored."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _check(body: str) -> str:
    """CRC-32 of the key without check characters, in base 62, the most significant digit first."""
    rest, last = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    first, second = divmod(rest, len(_PAIRS))
    return _PAIRS[first] + _PAIRS[second] + _PAIRS[last]


def labels_of(scopes: Iterable[str]) -> list[str]:
    """Labels for a key's scopes: `Read`, or `Read 3/4` with one of four scopes missing."""
    held = set(scopes)
    counted = [(label, sum(scope in held for scope in scopes), len(scopes)) for label, scopes in LABELS.items()]
    return [label if count == total else f"{label} {count}/{total}" for label, count, total in counted if count]


def scopes_of(*, labels: Iterable[str] = (), scopes: Iterable[str] = ()) -> frozenset[Scope]:
    """Scopes for labels and scope names. Raises KeyRequestError, which names the unknown label or scope."""
    found: set[Scope] = set()
    for label in labels:
        preset = next((known for known in LABELS if known.casefold() == label.casefold()), None)
        if preset is None:
            raise KeyRequestError(f"there is no label {label!r}{_suggestion(label, LABELS)}", "labels")
        found.update(LABELS[preset])
    for name in scopes:
        scope = next((known for known in SCOPES if known == name), None)
        if scope is None:
            raise KeyRequestError(f"there is no scope {name!r}{_suggestion(name, SCOPES)}", "scopes")
        found.add(scope)
    if not found:
        raise KeyRequestError("a key needs at least one scope", "scopes")
    return frozenset(found)


def check_grant(requested: Iterable[str], held: Iterable[str]) -> None:
    """Check that a key grants only scopes of its own. Raises InsufficientScope."""
    beyond = set(requested) - set(held)
    if beyond:
        raise InsufficientScope(in_order(beyond))


def in_order(scopes: Iterable[str]) -> tuple[str, ...]:
    """Scopes in the order of the documentation."""
    held = set(scopes)
    return tuple(scope for scope in SCOPES if scope in held)


def networks(given: Iterable[str]) -> tuple[str, ...]:
    """IP addresses and networks in canonical CIDR notation, without repeats. Raises KeyRequestError."""
    found = []
    for text in given:
        try:
            # Strict: of `192.0.2.7/24` it is unclear whether the address or the network is intended.
            found.append(str(ipaddress.ip_network(text.strip())))
        except ValueError:
            raise KeyRequestError("this is not an IP address or network such as 192.0.2.0/24", "ip_allowlist") from None
    if len(found) > MOST_NETWORKS:
        raise KeyRequestError(f"at most {MOST_NETWORKS} networks", "ip_allowlist")
    return tuple(dict.fromkeys(found))


def to_dict(key: Key) -> dict[str, Any]:
    """Key as JSON: the secret masked, absent members left out."""
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
    return f"scope {names[0]}" if len(names) == 1 else f"scopes {join_words(names)}"


def _suggestion(name: str, known: Iterable[str]) -> str:
    names = list(known)
    found = near(name, names)
    return f"; did you mean {join_words(found, 'or')}?" if found else f" among {join_words(names)}"
