"""Signed decisions: what was decided about one action at one URL, in a form that anybody can check offline.

    result = verify(receipt, jwks, url=url, action="payment", audience=organization)
    if not result:
        stop(result.reason)

A receipt is a JWS in compact form (RFC 7515), signed with Ed25519 (RFC 8037). It says nothing about the URL but its
host: the rest is behind a salted hash, which only who knows the URL can check. It holds no longer than the decision.

The keys lie in `signing-keys.json` of the data folder, for its owner alone; what may be published of them in
`jwks.json` beside it. A new key is published for a day before anything is signed with it, and an old one until the
last of its receipts is over.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from waypost.errors import MissingExtra, WaypostError
from waypost.formats.text import timestamp
from waypost.models.decision import Decision, SensitiveUrl

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Algorithm = Literal["EdDSA", "Ed25519"]
Reason = Literal[
    "malformed",
    "unknown_type",
    "unknown_algorithm",
    "unknown_key",
    "bad_signature",
    "bad_claims",
    "not_yet_valid",
    "expired",
    "other_audience",
    "other_action",
    "other_url",
    "action_not_allowed",
]

TYPE = "waypost-receipt+jwt"
ALGORITHMS: tuple[Algorithm, ...] = ("EdDSA", "Ed25519")
"""RFC 8037's name, which more libraries know, and that of RFC 9864. Both are accepted, for an Ed25519 key alone."""
SECRET_FILE, PUBLIC_FILE = "signing-keys.json", "jwks.json"
SKEW_S = 30
"""How much a verifier's clock may differ, at the most."""
LONGEST_S = 86_400
"""No receipt holds for longer, whatever its decision does."""
AHEAD_MS = 86_400_000
"""For how long a key is published before anything is signed with it."""
LOOK_AGAIN_MS = 1000
MOST_BYTES = 8192
SALT_BYTES = 16
_KEY_BYTES, _SIGNATURE_BYTES = 32, 64


class SigningError(WaypostError):
    """The signing keys cannot be used; names the file and what to do."""

    code, status = "not-ready", 503


class RotationError(WaypostError):
    """There is no reason to rotate now."""

    code, status = "conflict", 409


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    alg: str
    kid: str
    typ: str


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    """What a receipt says. `iat` and `exp` are seconds since 1970, UTC; `exp` is never after the decision's end.

    dom, act, ok   the normalized domain, the action and whether it may go ahead
    rc, unk, conf, pol  reason codes, unknowns, confidence class and policy version of the decision
    uh, us         the URL's hash, and its salt
    """

    iss: str
    aud: str
    jti: str
    iat: int
    exp: int
    dom: str
    act: str
    ok: bool
    rc: tuple[str, ...]
    unk: tuple[str, ...]
    conf: str
    pol: str
    uh: str
    us: str


class Verified(NamedTuple):
    """A receipt that holds. As a condition it is true."""

    claims: Claims

    def __bool__(self) -> bool:
        return True


class Refused(NamedTuple):
    """A receipt that is to be treated as a stop. As a condition it is false."""

    reason: Reason

    def __bool__(self) -> bool:
        return False


def verify(
    receipt: str,
    jwks: Mapping[str, Any],
    *,
    url: SensitiveUrl | str,
    action: str,
    audience: str | None = None,
    now: int | None = None,
) -> Verified | Refused:
    """Whether a receipt allows this action at this URL now. Everything else is refused, and nothing is raised.

    jwks      the key set of the service that signed, from its `/.well-known/jwks.json`
    audience  who the receipt must be for: your organization's id, or what you asked with; None takes any
    now       milliseconds since 1970, UTC; the system's clock without it

    Raises MissingExtra where the package to check signatures with is not installed.
    """
    found = read(receipt, jwks, now=now)
    if isinstance(found, Refused):
        return found
    claims = found.claims
    if audience is not None and claims.aud != audience:
        return Refused("other_audience")
    if claims.act != action:
        return Refused("other_action")
    if not _is_about(claims, url):
        return Refused("other_url")
    if claims.ok is not True:
        return Refused("action_not_allowed")
    return found


def read(receipt: str, jwks: Mapping[str, Any], *, now: int | None = None) -> Verified | Refused:
    """Whether a receipt was signed by one of these keys and still holds, whatever it says. See `verify`."""
    check = _checker()
    try:
        return _read(receipt, jwks, time.time_ns() // 1_000_000 if now is None else now, check)
    except Exception:  # noqa: BLE001 - what cannot be understood is no receipt
        return Refused("malformed")


def _read(receipt: str, jwks: Mapping[str, Any], now: int, check: Any) -> Verified | Refused:
    parts = receipt.split(".")
    if len(receipt) > MOST_BYTES or len(parts) != 3:
        return Refused("malformed")
    raw = [_decoded(each) for each in parts]
    header = msgspec.json.decode(raw[0], type=_Header)
    if header.typ != TYPE:
        return Refused("unknown_type")
    if header.alg not in ALGORITHMS:
        return Refused("unknown_algorithm")
    key = _public_key(jwks, header.kid)
    if key is None:
        return Refused("unknown_key")
    if len(raw[2]) != _SIGNATURE_BYTES or not check(key, raw[2], f"{parts[0]}.{parts[1]}".encode("ascii")):
        return Refused("bad_signature")
    try:
        claims = msgspec.json.decode(raw[1], type=Claims)
    except msgspec.DecodeError:
        return Refused("bad_claims")
    if claims.exp <= claims.iat or claims.exp - claims.iat > LONGEST_S:
        return Refused("bad_claims")
    if now < (claims.iat - SKEW_S) * 1000:
        return Refused("not_yet_valid")
    if now >= (claims.exp + SKEW_S) * 1000:
        return Refused("expired")
    return Verified(claims)


def _public_key(jwks: Mapping[str, Any], kid: str) -> bytes | None:
    """The one Ed25519 key of this name. What kind of key it is, the key set says and never the receipt."""
    named = [each for each in jwks["keys"] if isinstance(each, Mapping) and each.get("kid") == kid]
    if len(named) != 1:
        return None
    key = named[0]
    if key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or key.get("use", "sig") != "sig":
        return None
    if key.get("alg", "EdDSA") not in ALGORITHMS:
        return None
    found = _decoded(key["x"])
    return found if len(found) == _KEY_BYTES else None


def _is_about(claims: Claims, url: SensitiveUrl | str) -> bool:
    try:
        salt = _decoded(claims.us)
        return len(salt) == SALT_BYTES and hmac.compare_digest(claims.uh, _url_hash(salt, url))
    except Exception:  # noqa: BLE001 - a URL that cannot be read is not the one
        return False


def canonical(url: SensitiveUrl | str) -> str:
    """A URL as the WHATWG parser writes it, without fragment and credentials. Raises ValueError."""
    import ada_url

    if isinstance(url, SensitiveUrl):
        if url.canonical:
            return url.canonical
        text = url.reveal()
    else:
        text = url
    if "#" not in text and "@" not in text:
        return str(ada_url.normalize_url(text))
    found = ada_url.URL(text)
    found.username = found.password = found.hash = ""
    return found.href


def _url_hash(salt: bytes, url: SensitiveUrl | str) -> str:
    return _encoded(hashlib.sha256(salt + canonical(url).encode()).digest())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decoded(text: str) -> bytes:
    """Base64url without padding, in its one spelling (RFC 7515 appendix C). Raises ValueError."""
    found = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _encoded(found) != text:
        raise ValueError("this is not how base64url is written")
    return found


def _checker() -> Any:
    """(public key, signature, message) -> whether they belong together."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise _missing() from None

    def check(key: bytes, signature: bytes, message: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    return check


def _missing() -> MissingExtra:
    return MissingExtra("cryptography", "receipts", "to sign decisions and to check them")


class Key(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A signing key. Times are milliseconds since 1970, UTC.

    x, d    its public and its secret half, base64url; the secret one is dropped by the rotation after its end
    starts  from when on it signs
    ended   since when it signs no more; 0 while it does or will
    """

    kid: str
    x: str
    starts: int
    d: str = ""
    ended: int = 0


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The file of keys. `former` are the names of keys that are published no more: none is ever used again."""

    keys: tuple[Key, ...]
    former: tuple[str, ...] = ()


class Rotated(NamedTuple):
    """A new key and from when on it signs, in milliseconds since 1970, UTC."""

    kid: str
    starts: int


class SigningKeys:
    """The signing keys of a data folder. A rotation by another process is noticed within a second."""

    def __init__(self, folder: Path, kept: _Kept, seen: tuple[int, int], now: int) -> None:
        self._folder = folder
        self._kept = kept
        self._seen = seen
        self._looked = now
        self._private: dict[str, Ed25519PrivateKey] = {}

    @classmethod
    def open(cls, folder: Path, now: int) -> SigningKeys:
        """The keys of a folder; a first one is made where there was never any. Raises SigningError, MissingExtra."""
        _checker()
        path = folder / SECRET_FILE
        if not path.exists():
            if (folder / PUBLIC_FILE).exists():
                raise SigningError(
                    f"{path} is lost: {PUBLIC_FILE} beside it says that there were keys; put the file back from a "
                    "copy, or make a new key with `waypost keys rotate-signing`"
                )
            _write(folder, _Kept(keys=(_new_key(now, now, ()),)), now, first=True)
        kept, seen = _load(path)
        return cls(folder, kept, seen, now)

    def jwks(self, now: int) -> dict[str, Any]:
        """What is published: the key that signs, the next one, and old ones whose receipts may still hold."""
        self._look(now)
        return _jwks(self._kept, now)

    def current(self, now: int) -> Key:
        """The key that signs. Raises SigningError."""
        self._look(now)
        return _current(self._kept, now, self._folder)

    def sign(
        self,
        decision: Decision,
        *,
        url: SensitiveUrl | str,
        issuer: str,
        audience: str,
        now: int,
        algorithm: Algorithm = "EdDSA",
    ) -> str:
        """The receipt of a decision about a URL. Raises SigningError.

        issuer    the address of the service
        audience  who it is for: an organization's id, or what the caller named
        """
        key = self.current(now)
        salt = secrets.token_bytes(SALT_BYTES)
        issued = now // 1000
        claims = Claims(
            iss=issuer,
            aud=audience,
            jti=decision.decision_id,
            iat=issued,
            exp=min(decision.expires_at // 1000, issued + LONGEST_S),
            dom=decision.normalized_domain,
            act=decision.action,
            ok=decision.action_allowed,
            rc=decision.reason_codes,
            unk=decision.unknowns,
            conf=decision.confidence_class,
            pol=decision.policy_version,
            uh=_url_hash(salt, url),
            us=_encoded(salt),
        )
        header = msgspec.json.encode(_Header(alg=algorithm, kid=key.kid, typ=TYPE))
        signed = f"{_encoded(header)}.{_encoded(msgspec.json.encode(claims))}"
        return f"{signed}.{_encoded(self._of(key).sign(signed.encode('ascii')))}"

    def _of(self, key: Key) -> Ed25519PrivateKey:
        if key.kid not in self._private:
            self._private = {key.kid: _private(key)}
        return self._private[key.kid]

    def _look(self, now: int) -> None:
        """Read the file again if it is another than the one we know."""
        if 0 <= now - self._looked < LOOK_AGAIN_MS:
            return
        path = self._folder / SECRET_FILE
        try:
            if _stamp(path) != self._seen:
                self._kept, self._seen = _load(path)
                self._private = {}
        except OSError as fault:
            raise _unreadable(path, fault) from None
        self._looked = now


def rotate_signing(folder: Path, now: int) -> Rotated:
    """Make the next key. It is published at once and signs a day from now.

    Where the keys are lost it signs at once; what was published stays so for a day.
    Raises SigningError, RotationError and MissingExtra.
    """
    _checker()
    path = folder / SECRET_FILE
    if path.exists():
        kept = _load(path)[0]
        if waiting := [each for each in kept.keys if each.starts > now]:
            raise RotationError(
                f"the key {waiting[0].kid} is published already and signs from {timestamp(waiting[0].starts)} on; "
                "rotate again after that"
            )
        starts = now + AHEAD_MS
    else:
        kept, starts = _remembered(folder, now), now
    taken = (*kept.former, *(each.kid for each in kept.keys))
    made = _new_key(now, starts, taken)
    _write(folder, _settled(kept, made, now), now, first=False)
    return Rotated(made.kid, made.starts)


def _settled(kept: _Kept, made: Key, now: int) -> _Kept:
    """The keys with a new one: who has signed for the last time loses the secret half, who is over its place."""
    current = next((each.kid for each in reversed(kept.keys) if each.d and each.starts <= now), "")
    keys: list[Key] = []
    former = list(kept.former)
    for each in kept.keys:
        ended = each.ended or (0 if each.kid == current else now)
        if each.kid == current:
            ended = made.starts
        if now >= ended + LONGEST_S * 1000:
            former.append(each.kid)
            continue
        keys.append(msgspec.structs.replace(each, ended=ended, d=each.d if ended > now else ""))
    return _Kept(keys=(*keys, made), former=tuple(former))


def _remembered(folder: Path, now: int) -> _Kept:
    """What the published file knows of keys whose secret half is lost."""
    path = folder / PUBLIC_FILE
    try:
        known = msgspec.json.decode(path.read_bytes())["keys"]
        return _Kept(keys=tuple(Key(kid=each["kid"], x=each["x"], starts=0, ended=now) for each in known))
    except FileNotFoundError:
        return _Kept(keys=())
    except (OSError, msgspec.DecodeError, KeyError, TypeError):
        raise SigningError(f"{path} cannot be read; remove it to begin with new keys") from None


def _new_key(now: int, starts: int, taken: tuple[str, ...]) -> Key:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    return Key(
        kid=_name(now, taken),
        x=_encoded(private.public_key().public_bytes_raw()),
        d=_encoded(private.private_bytes_raw()),
        starts=starts,
    )


def _name(now: int, taken: tuple[str, ...]) -> str:
    """`2026-11-a`, then `2026-11-b`; after z comes `z1`."""
    month = f"{datetime.fromtimestamp(now / 1000, UTC):%Y-%m}"
    letters = [chr(ord("a") + n) for n in range(26)]
    names = [f"{month}-{each}" for each in letters]
    free = (each for each in names if each not in taken)
    number = 1 + sum(each.startswith(f"{month}-z") for each in taken)
    return next(free, f"{month}-z{number}")


def _private(key: Key) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(_decoded(key.d))


def _current(kept: _Kept, now: int, folder: Path) -> Key:
    able = [each for each in kept.keys if each.d and each.starts <= now]
    # A clock set back to before the first key began finds that one: it is the only one that could have signed.
    able = able or [each for each in kept.keys if each.d][:1]
    if not able:
        raise SigningError(
            f"{folder / SECRET_FILE} holds no key to sign with; make one with `waypost keys rotate-signing`"
        )
    return able[-1]


def _jwks(kept: _Kept, now: int) -> dict[str, Any]:
    shown = [each for each in kept.keys if not each.ended or now < each.ended + LONGEST_S * 1000]
    return {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": each.x, "kid": each.kid, "use": "sig"} for each in shown]}


def _load(path: Path) -> tuple[_Kept, tuple[int, int]]:
    """The keys of a file, each of them whole, and by what to know the file again. Raises SigningError."""
    try:
        mode = path.stat().st_mode
        if sys.platform != "win32" and mode & 0o077:
            raise SigningError(
                f"{path} may be read by others (mode {mode & 0o777:03o}): run `chmod 600` on it, then `waypost keys "
                "rotate-signing`, since somebody may have copied it"
            )
        seen = _stamp(path)
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        for each in kept.keys:
            _check_whole(each)
    except OSError as fault:
        raise _unreadable(path, fault) from None
    except (msgspec.DecodeError, ValueError):
        raise SigningError(
            f"{path} is damaged; put it back from a copy, or remove it and make a new key with `waypost keys "
            "rotate-signing`"
        ) from None
    return kept, seen


def _check_whole(key: Key) -> None:
    """Raises ValueError where the two halves of a key do not belong together."""
    if len(_decoded(key.x)) != _KEY_BYTES:
        raise ValueError(key.kid)
    if key.d and _encoded(_private(key).public_key().public_bytes_raw()) != key.x:
        raise ValueError(key.kid)


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_ino


def _unreadable(path: Path, fault: OSError) -> SigningError:
    return SigningError(f"{path} cannot be read: {(fault.strerror or str(fault)).lower()}")


def _write(folder: Path, kept: _Kept, now: int, *, first: bool) -> None:
    """Put both files in place, each as a whole. Of several processes that make a first key one wins."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _place(folder / SECRET_FILE, msgspec.json.encode(kept), 0o600, only_new=first)
        if first:
            kept = _load(folder / SECRET_FILE)[0]
        _place(folder / PUBLIC_FILE, msgspec.json.encode(_jwks(kept, now)), 0o644)
    except OSError as fault:
        raise SigningError(f"{folder / SECRET_FILE} cannot be written: {(fault.strerror or '').lower()}") from None


def _place(path: Path, data: bytes, mode: int, *, only_new: bool = False) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # made with mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        if only_new:
            try:
                os.link(name, path)
            except FileExistsError:
                return
        else:
            Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
