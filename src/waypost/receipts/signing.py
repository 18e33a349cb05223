"""Signing of decisions with the keys of a data folder, or of a database that replicas share."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from waypost.models.decision import Decision, SensitiveUrl
from waypost.receipts import key_file
from waypost.receipts.canonical_form import SALT_BYTES, url_hash
from waypost.receipts.claims import LONGEST_S, TYPE, Algorithm, ReceiptClaims
from waypost.receipts.jose import private_key, registry
from waypost.receipts.key_file import PUBLIC_FILE, SECRET_FILE, KeyFile, SigningError, SigningKey, Stamp

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

RELOAD_MS = 1000
"""Shortest time between two checks of the key file, in milliseconds."""


class SigningKeys:
    """Signing keys of a data folder. A rotation by another process is noticed within a second.

    folder  None for the keys of a database, whose changes `replace` brings
    """

    def __init__(self, folder: Path | None, file: KeyFile, stamp: Stamp = (0, 0), now: int = 0) -> None:
        self._folder = folder
        self._file = file
        self._stamp = stamp
        self._checked_at = now
        self._private: dict[str, OKPKey] = {}

    @classmethod
    def open(cls, folder: Path, now: int) -> SigningKeys:
        """Keys of a folder; a first key is made where there was never any. Raises SigningError, MissingExtra."""
        registry()
        path = folder / SECRET_FILE
        if not path.exists():
            if (folder / PUBLIC_FILE).exists():
                raise SigningError(
                    f"{path} is lost: {PUBLIC_FILE} next to it says that there were keys; put the file back from a "
                    "copy, or make a new key with `waypost keys rotate-signing`"
                )
            key_file.write(folder, KeyFile(keys=(key_file.new_key(now, now, ()),)), now, first=True)
        file, stamp = key_file.load(path)
        return cls(folder, file, stamp, now)

    def replace(self, file: KeyFile) -> None:
        """Use other keys from now on. For the keys of a database."""
        self._file, self._private = file, {}

    def jwks(self, now: int) -> dict[str, Any]:
        """Key set to publish: the current key, the next, and old keys with receipts that have not expired."""
        self._reload(now)
        return key_file.to_jwks(self._file, now)

    def current(self, now: int) -> SigningKey:
        """The key that signs. Raises SigningError."""
        self._reload(now)
        return key_file.current_key(self._file, now)

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
        """Receipt of a decision about a URL, a compact JWS. Raises SigningError.

        issuer    address of the service
        audience  an organization's id, or the audience that the request named
        """
        from joserfc.jws import serialize_compact
        from joserfc.util import urlsafe_b64encode

        key = self.current(now)
        # A salt for each receipt, so that equal URLs have different hashes.
        salt = secrets.token_bytes(SALT_BYTES)
        issued = now // 1000
        claims = ReceiptClaims(
            iss=issuer,
            aud=audience,
            jti=decision.decision_id,
            iat=issued,
            # Rounded down: a receipt never outlives its decision.
            exp=min(decision.expires_at // 1000, issued + LONGEST_S),
            dom=decision.normalized_domain,
            act=decision.action,
            ok=decision.action_allowed,
            rc=decision.reason_codes,
            unk=decision.unknowns,
            conf=decision.confidence_class,
            pol=decision.policy_version,
            uh=url_hash(salt, url),
            us=urlsafe_b64encode(salt).decode(),
        )
        header = {"alg": algorithm, "kid": key.kid, "typ": TYPE}
        return serialize_compact(header, msgspec.json.encode(claims), self._private_key(key), registry=registry())

    def _private_key(self, key: SigningKey) -> OKPKey:
        if key.kid not in self._private:
            # One key signs at a time, so one is kept.
            self._private = {key.kid: private_key(key.x, key.d)}
        return self._private[key.kid]

    def _reload(self, now: int) -> None:
        """Read the key file again if it changed. Raises SigningError."""
        # A clock set back makes the difference negative: the file is then checked at once.
        if self._folder is None or 0 <= now - self._checked_at < RELOAD_MS:
            return
        path = self._folder / SECRET_FILE
        try:
            if key_file.stamp(path) != self._stamp:
                self._file, self._stamp = key_file.load(path)
                self._private = {}
        except OSError as error:
            raise key_file.unreadable(path, error) from None
        self._checked_at = now
