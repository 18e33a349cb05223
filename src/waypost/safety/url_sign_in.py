"""Sign-in that a URL requests: who receives its result.

Sources: OAuth 2.0 (RFC 6749), OpenID Connect Core, SAML 2.0 Bindings, WS-Federation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from waypost.models.decision import Target
from waypost.registry.link_parameters import link_parameters_of, providers_at
from waypost.registry.places import unquote_fully
from waypost.registry.world import World
from waypost.safety.brand_index import brand_index_of
from waypost.safety.destination_values import (
    members_of,
    normal_name,
    readable,
)
from waypost.safety.host_reading import HostReading
from waypost.safety.network_evidence import imitates
from waypost.safety.saml import receiver_of
from waypost.safety.target import UrlParts
from waypost.safety.url_publishers import is_of_owner
from waypost.safety.url_texts import (
    MOST_PARAMETERS,
    RELATIVE_SCHEME,
    Parameters,
    all_of,
    host_first,
    parameters_of,
    split_or_none,
    url_in,
)

_CLIENTS = frozenset({"client_id", "client_key", "app_id", "appid", "oauth_token", "oauth_consumer_key"})
"""Parameters that name another site to a sign-in (RFC 6749, 4.1.1; RFC 5849, 2.2)."""
_AUTHORIZATION = frozenset({"response_type", "redirect_uri", "scope", "request_uri", "request", "oauth_callback"})
"""Parameters of which an authorization request has one in addition to the client (RFC 6749, 4.1.1; RFC 9126, 4)."""
_REQUESTS = frozenset({"responsetype", "samlrequest", "wtrealm", "wreply"})
"""Normal names of parameters that request a sign-in without a client (OpenID Connect Core, 3.1.2.1; SAML 2.0 Bindings,
3.4.4; WS-Federation, 13.2)."""
_RECEIVING = frozenset(
    {
        "redirecturi", "redirecturl", "oauthcallback", "openidreturnto", "openidrealm", "openidtrustroot", "wreply",
        "assertionconsumerserviceurl",
    }
)  # fmt: skip
"""Normal names of parameters with the receiver of a sign-in's result."""
_HIDES_RECEIVER = frozenset({"request", "requesturi"})
"""Normal names of parameters with a document in place of the receiver (RFC 9101, section 4): its words win."""
_NORMAL_CLIENTS = frozenset(map(normal_name, _CLIENTS))
_NORMAL_AUTHORIZATION = frozenset(map(normal_name, _AUTHORIZATION)) | _RECEIVING
_AUTHORIZATION_PATH = re.compile(
    "/(?:oauth2?|authori[sz]e|authorization|openid-connect|oidc)(?:[/?&# ]|$)", re.IGNORECASE
)
"""Path of an authorization endpoint, here or at a URL inside: there the client's identifier alone asks for a sign-in
(RFC 6749, 3.1)."""
_STATE = frozenset({"state", "nonce"})
"""Parameters of such a request that the receiver alone reads (RFC 6749, 4.1.1; OpenID Connect Core, 3.1.2)."""
_SIGN_IN = re.compile(
    "client[_.-]?(?:id|key)|app[_.-]?id|oauth[_.-]?(?:token|consumer[_.-]?key)|openid.mode|response[_.-]?type|samlrequest|"
    "wtrealm|wreply",
    re.IGNORECASE,
)
SIGN_IN_NAMES = frozenset(normal_name(name) for name in (*_CLIENTS, "openid.mode")) | _REQUESTS
_HTTP = re.compile("https?:", re.IGNORECASE)
_PIECES = re.compile("[&;?#]")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts of an app on the user's own machine (RFC 8252, 7.3)."""
_RELAY_STATE = frozenset({"relaystate"})
"""Parameter that the receiver of a SAML response alone reads (SAML 2.0 Bindings, 3.4.3)."""
_OPENID_RECEIVERS = frozenset({"openid.return_to", "openid.realm", "openid.trust_root"})


def receiver_parameters(names: set[str]) -> frozenset[str]:
    """Parameters of a sign-in for another site: its receiver, and what the receiver alone reads.

    The sign-in happens at this host, whoever receives its result. OAuth: RFC 6749, section 4.1.1, under the names that
    providers use; OpenID 2.0, section 9.1.
    """
    if not names.isdisjoint(_CLIENTS) and not names.isdisjoint(_AUTHORIZATION):
        return _STATE | {"redirect_uri"}
    if "samlrequest" in names:
        return _RELAY_STATE
    return _OPENID_RECEIVERS if "openid.mode" in names else frozenset()


class _SignIn(NamedTuple):
    """Receivers of a sign-in's result: hosts, hosts of other owners among them, and any that no review can be about."""

    hosts: tuple[Target, ...] = ()
    others: frozenset[Target] = frozenset()
    to_app: bool = False
    grants: tuple[str, ...] = ()


_NO_SIGN_IN = _SignIn()


def sign_in_of(parts: UrlParts, pairs: Parameters | None, world: World, stays: Callable[[UrlParts], bool]) -> _SignIn:
    """Receivers of the sign-in that a URL requests, here or at a URL inside. `pairs` is None for too many.

    stays  whether the result stays with a receiver
    """
    if pairs is None:
        return _SignIn(to_app=True) if _SIGN_IN.search(unquote_fully(all_of(parts))) else _NO_SIGN_IN
    names = {name for name, _ in pairs}
    if not _requests_sign_in(names, all_of(parts)):
        return _NO_SIGN_IN
    requests = [receiver_of(value) for name, value in pairs if name == "samlrequest"]
    values = dict.fromkeys([value for name, value in pairs if name in _RECEIVING and value] + [*filter(None, requests)])
    hosts: list[Target] = []
    others: set[Target] = set()
    # Of several receivers no one knows which one the host takes: each has to be reviewed.
    to_app = not values or not _HIDES_RECEIVER.isdisjoint(names) or not all(requests)
    for value in values:
        receiver = _receiver(value, parts.target)
        if receiver is None:
            to_app = True
            continue
        hosts.append(receiver.target)
        if not is_of_owner(receiver, parts.target, world):
            others.add(receiver.target)
        # Unencrypted, anyone on the way reads the result; a user name before the host is there to be read as a host.
        is_plain = receiver.target.scheme == "https" and not receiver.target.userinfo
        to_app = to_app or not is_plain or not stays(receiver)
    grants = link_parameters_of(world).scopes.kinds(providers_at(parts.target.host, world), pairs) - {"identity"}
    return _SignIn(tuple(hosts), frozenset(others), to_app, tuple(sorted(grants)))


def pairs_of(parts: UrlParts, written: Parameters | None) -> Parameters | None:
    """Parameters of a URL and of the URLs inside it, with normal names; None for too many.

    written  parameters of the URL, where they were read before
    """
    if not (parts.query or parts.fragment or ";" in parts.path):
        return []
    try:
        return _all_pairs(parts, parameters_of(parts) if written is None else written)
    except ValueError:
        return None


def _all_pairs(parts: UrlParts, written: Parameters) -> Parameters:
    """Parameters as in `pairs_of`. Raises ValueError for too many."""
    pairs = [pair for outer, text in written for pair in (*members_of(outer, text), (outer, text))]
    inner = [found for _, text in written if (found := url_in(text)) and _SIGN_IN.search(found)]
    # Decoded to the end, with every separator cut: whatever is nested in whatever way stands there by its name.
    path_parameters = parts.path.partition(";")[2]
    for text in (f"{path_parameters}&{parts.query}&{parts.fragment}", *inner):
        pieces = _PIECES.split(readable(text))
        if len(pieces) > MOST_PARAMETERS:
            raise ValueError
        pairs += [(name, value) for name, equals, value in (piece.partition("=") for piece in pieces) if equals]
    # `params[redirect_uri]` is read by its last name.
    return [(normal_name(name.strip().rpartition("[")[2].rstrip("]")), value.strip()) for name, value in pairs]


def _requests_sign_in(names: set[str], text: str) -> bool:
    if not _REQUESTS.isdisjoint(names) or "openidmode" in names:
        return True
    if _NORMAL_CLIENTS.isdisjoint(names):
        return False
    # The client is known to the host alone.
    return not _NORMAL_AUTHORIZATION.isdisjoint(names) or bool(_AUTHORIZATION_PATH.search(unquote_fully(text)))


def _receiver(value: str, target: Target) -> UrlParts | None:
    """Receiver in a value, a path of the host itself or a URL; None for an app, or for what cannot be read."""
    text = readable(value).strip()
    if RELATIVE_SCHEME.match(text):
        text = f"https:{text}"
    elif text.startswith("/"):
        host = f"[{target.host}]" if ":" in target.host else target.host
        text = f"{target.scheme}://{host}:{target.port}{text}"
    elif not _HTTP.match(text):
        text = host_first(text)
    return split_or_none(text)


def is_no_receiver(target: Target, world: World) -> bool:
    """Whether no honest site has its users sign in for this receiver: it imitates a brand, or nothing is encrypted."""
    if target.host in _LOOPBACK:
        return False
    return target.scheme == "http" or bool(target.address) or imitates(HostReading(target, brand_index_of(world)))
