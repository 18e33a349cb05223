"""Ed25519 keys and compact JWS by the package joserfc, which is loaded at the first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from waypost.errors import MissingExtra
from waypost.receipts.claims import ALGORITHMS

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey
    from joserfc.jws import JWSRegistry

_KIND = {"kty": "OKP", "crv": "Ed25519"}


@cache
def registry() -> JWSRegistry:
    """Algorithms of receipts, and limits on the parts of a receipt. Raises MissingExtra."""
    try:
        from joserfc.jws import JWSRegistry
    except ImportError:
        raise MissingExtra("joserfc", "receipts", "to sign decisions and to check them") from None

    class Registry(JWSRegistry):
        def get_alg(self, name: str) -> Any:
            # Without the warning of RFC 9864 about EdDSA at each use: the older name is known to more libraries.
            return self.algorithms[name] if name in ALGORITHMS else super().get_alg(name)

    return Registry(algorithms=ALGORITHMS)


def generate_key() -> tuple[str, str]:
    """(public, secret) halves of a new key, base64url."""
    from joserfc.jwk import OKPKey

    made = OKPKey.generate_key("Ed25519").as_dict(private=True)
    return str(made["x"]), str(made["d"])


def public_key(x: str) -> OKPKey:
    """Key that verifies. Raises ValueError."""
    return _key({"x": x})


def private_key(x: str, d: str) -> OKPKey:
    """Key that signs. Raises ValueError, also where the two halves do not belong together."""
    key = _key({"x": x, "d": d})
    # Halves of two keys would sign receipts that no verifier accepts.
    if key.public_key != public_key(x).public_key:
        raise ValueError("the halves of the key do not belong together")
    return key


def _key(halves: Mapping[str, Any]) -> OKPKey:
    from joserfc.jwk import OKPKey

    return OKPKey.import_key({**_KIND, **halves})
