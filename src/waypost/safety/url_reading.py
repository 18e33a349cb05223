"""Reading of a whole URL: where it leads in the end, and who publishes at its address.

Path and query are read here, in memory, and leave as a `UrlReading`, which holds none of their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

import msgspec

from waypost.errors import InvalidUrl
from waypost.formats.urls import has_two_hosts
from waypost.models.decision import SensitiveUrl, Target, UrlReading
from waypost.registry.functions import functions_of
from waypost.registry.link_parameters import link_parameters_of
from waypost.registry.places import Publishers, Redirector, UrlPath, Where, places_of, unquote_fully
from waypost.registry.world import World
from waypost.safety.brand_index import brand_index_of
from waypost.safety.destination_values import (
    FOREIGN,
    HIDDEN,
    hidden_in,
    leads_to,
    members_of,
    normal_name,
    path_leads_to,
    readable,
)
from waypost.safety.host_reading import HostReading
from waypost.safety.network_evidence import imitates
from waypost.safety.relationship import is_run_by_owner
from waypost.safety.saml import receiver_of
from waypost.safety.target import UrlParts, check_host, of_host, split

MOST_HOPS = 6
"""Most redirecting hosts inside each other; more of them hide a destination on purpose."""
_MOST_PARAMETERS = 200
_MOST_INSIDE = 4
"""URLs of the same owner inside each other that are read for the URL of another owner."""
_ABSOLUTE = re.compile(r"https?:\S", re.IGNORECASE)
_RELATIVE_SCHEME = re.compile(r"\s*[/\\]{2,}[^/\\\s]")
_HOST_FIRST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,24}\.?(?::\d+)?(?:[/?#]|$)", re.IGNORECASE)
_MENTION = re.compile(f"(?i:{_ABSOLUTE.pattern})|{HIDDEN.pattern}|=\\s*[/\\\\]{{2}}")
"""Sign of a URL in a text, or of one without a scheme after an equals sign."""
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
_AUTHORIZATION_PATH = re.compile("/(?:oauth2?|authori[sz]e|authorization|openid-connect|oidc)(?:/|$)", re.IGNORECASE)
"""Path of an authorization endpoint, where the client's identifier alone asks for a sign-in (RFC 6749, 3.1)."""
_STATE = frozenset({"state", "nonce"})
"""Parameters of such a request that the receiver alone reads (RFC 6749, 4.1.1; OpenID Connect Core, 3.1.2)."""
_SIGN_IN = re.compile(
    "client[_.-]?(?:id|key)|app[_.-]?id|oauth[_.-]?(?:token|consumer[_.-]?key)|openid.mode|response[_.-]?type|samlrequest|"
    "wtrealm|wreply",
    re.IGNORECASE,
)
_SIGN_IN_NAMES = frozenset(normal_name(name) for name in (*_CLIENTS, "openid.mode")) | _REQUESTS
_HTTP = re.compile("https?:", re.IGNORECASE)
_PIECES = re.compile("[&;?#]")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts of an app on the user's own machine (RFC 8252, 7.3)."""
_RELAY_STATE = frozenset({"relaystate"})
"""Parameter that the receiver of a SAML response alone reads (SAML 2.0 Bindings, 3.4.3)."""
_OPENID_RECEIVERS = frozenset({"openid.return_to", "openid.realm", "openid.trust_root"})
_PROOFPOINT_2 = str.maketrans("-_", "%/")
_AS_WRITTEN = re.compile(r"[\w.~/!$'()*+,=&? -]*", re.ASCII)
"""Text without a scheme, unchanged by every decoding."""
_SIGN = re.compile("//|aHR0c|Oi8v|ovL|6Ly|68747470")
"""Part that a text as written has wherever `_MENTION` finds a sign; found in a quarter of the time."""

_NAMES = re.compile("(?:^|[&?+ ])([^=&?+ ]*)")
"""Name of a parameter, and whatever may be one, in path, query and fragment with spaces in between."""


class Address(msgspec.Struct, frozen=True):
    """Destination of a URL, and the reading of its path and query."""

    target: Target
    reading: UrlReading


class _PublishersAt(NamedTuple):
    """Entries for a host: patterns of entries without `when`, of all entries, and the names in `when`."""

    entries: tuple[Publishers, ...]
    plain: tuple[str, ...]
    paths: tuple[str, ...]
    needed: frozenset[str]


class _Step(NamedTuple):
    """Result of reading a single URL: the URL behind the address, or facts of the address."""

    leads_to: UrlParts | None = None
    unresolved: bool = False
    nested: bool = False
    copied: bool = False


_STAYS = _Step()
_UNRESOLVED = _Step(unresolved=True)
Parameters = list[tuple[str, str]]


def read_address(url: SensitiveUrl | str, world: World) -> Address:
    """Innermost destination of an absolute http or https URL. Raises InvalidUrl."""
    text = url.reveal() if isinstance(url, SensitiveUrl) else url
    if "\\" in text and has_two_hosts(text):
        raise InvalidUrl("a backslash stands before the path, where programs read different hosts; write /")
    parts = split(url)
    check_host(parts.target.host)
    found = _read(parts, world)
    if parts.user_host and (brand := _posed_as(parts, world)):
        return Address(found.target, msgspec.structs.replace(found.reading, poses_as=brand))
    return found


def _posed_as(parts: UrlParts, world: World) -> str:
    """Slug of the brand with the official host that the user name reads like; empty for the host's own brand."""
    user, host = of_host(parts.user_host), parts.target
    brand = world.official.get(user.registrable) or world.official.get(user.host)
    own = world.brand_at(host.registrable) or world.brand_at(host.host)
    return brand.slug if brand and (own is None or own.owner != brand.owner) else ""


def _read(parts: UrlParts, world: World) -> Address:
    # Most checked URLs are front pages: nothing can be hidden in them.
    if parts.path == "/" and not (parts.query or parts.fragment) and not _always_redirects(parts.target, world):
        reading = UrlReading(publishers=_publishers(parts, world), beyond_functions=_is_beyond_functions(parts, world))
        return Address(parts.target, reading)
    if not _redirectors(parts.target, world) and _is_ordinary(parts, world):
        reading = UrlReading(
            publishers=_publishers(parts, world),
            beyond_functions=_is_beyond_functions(parts, world),
            deeper=True,
        )
        return Address(parts.target, reading)
    return read_closely(parts, world)


def read_closely(parts: UrlParts, world: World, levels: int = _MOST_INSIDE) -> Address:
    """Innermost destination of the parts of a URL, with every part decoded and searched.

    levels  receivers of a sign-in inside each other that are read
    """
    through: list[Target] = []
    nested = copied = False
    while True:
        step = _step(parts, world)
        nested, copied = nested or step.nested, copied or step.copied
        if step.leads_to is None:
            break
        through.append(parts.target)
        parts = step.leads_to
        if len(through) == MOST_HOPS:
            step = _UNRESOLVED
            break
    pairs = _pairs(parts)
    sign_in = _sign_in(parts, pairs, world, levels)
    receivers = tuple(dict.fromkeys(each for each in sign_in.hosts if each in sign_in.others))
    reading = UrlReading(
        through=tuple(through),
        unresolved=step.unresolved,
        nested=nested or any(_is_no_receiver(each, world) for each in receivers),
        copied=copied,
        publishers=_publishers(parts, world),
        deeper=parts.path != "/" or bool(parts.query or parts.fragment),
        hands_over=bool(receivers) or sign_in.to_app,
        receivers=receivers,
        sign_in=tuple(dict.fromkeys(sign_in.hosts)),
        app_receives=sign_in.to_app,
        grants=sign_in.grants,
        prefilled=_prefilled(parts, pairs, world),
        beyond_functions=_is_beyond_functions(parts, world),
    )
    return Address(parts.target, reading)


def _is_ordinary(parts: UrlParts, world: World) -> bool:
    """Whether path, query and fragment certainly hold no URL, no destination's name and no sign-in.

    Saves most URLs the closer reading (`benchmarks/service.py --instructions`), with the same result.
    """
    text = _all_of(parts)
    if not _AS_WRITTEN.fullmatch(text) or _SIGN.search(text) or path_leads_to(parts.path):
        return False
    # Frameworks route by fragments, `#!/cart?next=...`: their parameters are read closely.
    if parts.fragment.startswith(("!", "/", "?")):
        return False
    # The names of all parameters made normal at once; what is not a parameter only costs the closer reading.
    names = _NAMES.findall(normal_name(text))
    filled_in = link_parameters_of(world).prefilled.keys()
    return not any(
        name in _SIGN_IN_NAMES or name in filled_in or name in places_of(world).destinations for name in names
    )


def _always_redirects(target: Target, world: World) -> bool:
    """Whether the host's name holds the destination, so that even the front page shows another page."""
    return any(entry.at.host for entry in _redirectors(target, world))


@lru_cache(maxsize=4096)
def _redirectors(target: Target, world: World) -> tuple[Redirector, ...]:
    return places_of(world).redirectors.entries(target.host, _own_name(target, world))


@lru_cache(maxsize=4096)
def _publishers_at(target: Target, world: World) -> _PublishersAt:
    """Entries for a host, with what shows soonest that no entry is about an address."""
    places, own_name = places_of(world), _own_name(target, world)
    found = places.publishers.entries(target.host, own_name)
    entries = tuple(entry for entry in found if entry.is_about(target.host, places.words.reserved))
    # Where third parties publish on the host or its domain, any name may be the code of an invitation.
    of_domain = places.publishers.entries(target.registrable, own_name.rpartition(".")[2])
    if not all(entry.is_general for entry in (*entries, *of_domain)):
        entries = tuple(
            msgspec.structs.replace(entry, names="path") if entry.names == "code" else entry for entry in entries
        )
    return _PublishersAt(
        entries,
        tuple(dict.fromkeys(path for entry in entries if not entry.when for path in entry.paths)),
        tuple(dict.fromkeys(path for entry in entries for path in entry.paths)),
        frozenset(name for entry in entries for name in entry.when),
    )


def _own_name(target: Target, world: World) -> str:
    """Host without its public suffix, for a domain of a registered brand; empty for a third party's domain."""
    return ".".join(target.own_labels) if world.brand_at(target.registrable) else ""


def _publishers(parts: UrlParts, world: World) -> str:
    """Kind of content of third parties at an address; empty for none.

    The front page is of the host's owner, except with a fragment that is a place, and on a tenant's host.
    """
    entries, plain, paths, needed = _publishers_at(parts.target, world)
    if entries and parts.path == "/" and not parts.query:
        fragment = bool(parts.fragment)
        entries = tuple(e for e in entries if e.names == "host" or (fragment and any("#" in path for path in e.paths)))
    if not entries:
        return ""
    path, words = UrlPath(parts.path, parts.fragment, _wiki_title(parts.query)), places_of(world).words
    names = _names(parts) if needed else frozenset()
    # One search in place of one for each entry, without the paths of those that need a parameter of another name.
    if not path.matches(plain if needed.isdisjoint(names) else paths):
        return ""
    for entry in entries:
        if entry.applies(path, names, words):
            return entry.what
    return ""


def _is_beyond_functions(parts: UrlParts, world: World) -> bool:
    """Whether third parties publish at a brand, and the address is not one of the owner's functions."""
    target = parts.target
    brand = world.brand_at(target.registrable) or world.brand_at(target.host)
    functions = functions_of(world)
    if brand is None or not functions.applies(brand):
        return False
    names = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    path, fragment = UrlPath(parts.path), unquote_fully(parts.fragment)
    return not functions.has(target.host, _below(target, world), path, names, fragment)


def _below(target: Target, world: World) -> tuple[str, ...]:
    """Labels of a host in front of the registrable domain. A host reviewed by itself is as good as a domain."""
    return () if target.host in world.official else target.own_labels[:-1]


def _is_unlisted(target: Target, world: World) -> bool:
    """Whether a host of a brand where third parties publish may be a third party's, whatever the path."""
    brand = world.brand_at(target.registrable) or world.brand_at(target.host)
    functions = functions_of(world)
    if brand is None or not functions.applies(brand) or target.host in functions.at_hosts:
        return False
    return not functions.is_of_owner(_below(target, world))


def _wiki_title(query: str) -> str:
    """Last `title` of a query, which names a wiki's page; empty for none."""
    if "title" not in query.lower() and "%" not in query:
        return ""
    return next((value for name, value in reversed(parse_qsl(query)) if name.lower() == "title"), "")


def _names(parts: UrlParts) -> frozenset[str]:
    """Names of the parameters of query and fragment, in lower case."""
    pairs = f"{parts.query}&{parts.fragment}".split("&") if parts.query or parts.fragment else []
    return frozenset(unquote(pair.partition("=")[0]).lower() for pair in pairs)


def _step(parts: UrlParts, world: World) -> _Step:
    entries = _redirectors(parts.target, world)
    mentions = _mentions_url(parts) or bool(path_leads_to(parts.path)) or _has_destination(parts, world)
    if not entries and not mentions:
        return _STAYS
    try:
        parameters = _parameters(parts)
    except ValueError:  # too many parameters
        return _UNRESOLVED
    entry = _entry(parts, parameters, entries)
    if entry is None:
        return _without_entry(parts, parameters, entries, world) if mentions else _STAYS
    if entry.kind == "own":
        return _STAYS
    if entry.kind == "opaque":
        return _UNRESOLVED
    return _followed(entry, parts, parameters)._replace(copied=entry.kind == "copy")


def _mentions_url(parts: UrlParts) -> bool:
    """Whether path, query or fragment may hold a URL. Most hold none, which saves the closer reading."""
    return _MENTION.search(readable(_all_of(parts))) is not None


def _all_of(parts: UrlParts) -> str:
    """Path, query and fragment, with spaces in between."""
    return f"{parts.path} {parts.query} {parts.fragment}"


def _has_destination(parts: UrlParts, world: World) -> bool:
    """Whether a parameter is named for a destination; only then its value may be a URL without a scheme."""
    if not (parts.query or parts.fragment):
        return False
    named = places_of(world).destinations
    pairs = f"{parts.query}&{parts.fragment.lstrip('!/?')}".replace("?", "&").replace(";", "&").split("&")
    for pair in pairs:
        name, equals, _ = pair.partition("=")
        if equals and normal_name(name) in named:
            return True
    return False


def _parameters(parts: UrlParts) -> Parameters:
    """Parameters of query and fragment, names as written. Raises ValueError for too many."""
    texts = [text for text in (parts.query, parts.fragment) if text]
    return [pair for text in texts for pair in parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)]


def _entry(parts: UrlParts, parameters: Parameters, entries: tuple[Redirector, ...]) -> Redirector | None:
    """First entry about the address; none about a front page, unless the host's name holds the destination."""
    if not entries:
        return None
    front = parts.path == "/" and not parts.query
    path, names = UrlPath(parts.path), {name.lower() for name, _ in parameters}
    fitting = (entry for entry in entries if entry.applies(path, names))
    return next((entry for entry in fitting if not front or entry.at.host), None)


def _followed(entry: Redirector, parts: UrlParts, parameters: Parameters) -> _Step:
    """Step to the destination of an entry's address, if there is exactly one."""
    texts, unreadable, stays = [], False, False
    for where in (entry.at, entry.also):
        for value in _values(where, parts, parameters):
            found = _url_in(_decoded(value, entry.encoding)) or _host_first(value)
            texts.append(found)
            relative = value.startswith("/") and not _RELATIVE_SCHEME.match(value)
            unreadable = unreadable or not (found or relative)
            stays = stays or relative
    # Any further URL counts too: a redirect with two candidates has no one destination.
    texts += [_url_in(text) for pair in parameters for text in pair]
    found_parts = [_split_or_none(text) for text in texts if text]
    # One destination written twice is still one.
    readable = {(each.target.scheme, each.target.host, each.target.port): each for each in found_parts if each}
    if not found_parts and not unreadable:
        return _STAYS if stays or entry.optional else _UNRESOLVED
    if unreadable or None in found_parts or len(readable) != 1:
        return _UNRESOLVED
    return _Step(leads_to=next(iter(readable.values())))


def _values(where: Where, parts: UrlParts, parameters: Parameters) -> Iterator[str]:
    """Non-empty texts from the part of a URL with the destination."""
    names = {name.lower() for name in where.parameters}
    yield from (value for name, value in parameters if name.lower() in names and value)
    low = parts.path.lower()
    marker = next((each for each in where.after if low.startswith(each)), "")
    if rest := parts.path[len(marker) :] if marker else "":
        yield unquote(rest)
    if where.query and parts.query:
        yield unquote_fully(parts.query)
    if where.path and (found := _url_in(parts.path)):
        yield found
    if where.host and (label := parts.target.host.removesuffix(f".{where.host}")) != parts.target.host:
        # "-" stands for "." and "--" for "-" (developers.google.com/search/docs/specialty/translation).
        yield label.replace("--", "\0").replace("-", ".").replace("\0", "-")


def _decoded(value: str, encoding: str) -> str:
    if encoding == "proofpoint-2":
        return unquote(value.translate(_PROOFPOINT_2))
    return value.partition("__;")[0] if encoding == "proofpoint-3" else value


def _url_in(value: str) -> str:
    """First absolute URL in a value, decoded as often as needed; empty for none."""
    text = readable(value)
    if not (found := _ABSOLUTE.search(text)):
        text = next((each for each in hidden_in(text) if _ABSOLUTE.search(each)), text)
        found = _ABSOLUTE.search(text)
    if found:
        return text[found.start() :].strip()
    return f"https:{text.strip()}" if _RELATIVE_SCHEME.match(text) else ""


def _host_first(value: str) -> str:
    """URL of a value without a scheme; empty for a value without a host in front."""
    text = unquote_fully(value).strip()
    return f"https://{text}" if _HOST_FIRST.match(text) else ""


def _split_or_none(text: str) -> UrlParts | None:
    if text == FOREIGN:
        return None
    try:
        # Browsers drop these characters inside a URL, where `split` would refuse them (WHATWG URL 4.4).
        return split(re.sub(r"[\x00-\x20\x7f-\x9f]", "", text))
    except InvalidUrl:
        return None


def _without_entry(parts: UrlParts, parameters: Parameters, entries: tuple[Redirector, ...], world: World) -> _Step:
    """Step for an address without an entry, of a URL that may hold another URL.

    A host with redirecting addresses leads to the URL of another owner; for other hosts this is not known.
    """
    found = [_split_or_none(text) for text in _nested(parts, parameters, world) if text]
    foreign = [each for each in found if each is None or not _is_of_owner(each, parts.target, world)]
    if not foreign and any(each and _holds_foreign(each, parts.target, world, _MOST_INSIDE) for each in found):
        return _Step(nested=True)
    if not foreign:
        return _STAYS
    inner = {each.target.host: each for each in foreign if each is not None}
    # With two hosts of third parties no one can know which one a redirect leads to; so too with one that is unreadable.
    redirects = any(entry.kind in {"redirect", "opaque"} for entry in entries)
    if redirects and len(inner) == 1 and None not in foreign:
        return _Step(leads_to=next(iter(inner.values())), nested=True)
    return _Step(nested=True)


def _nested(parts: UrlParts, parameters: Parameters, world: World) -> Iterator[str]:
    """URLs in path and parameters: possible destinations."""
    names = {name.lower() for name, _ in parameters}
    identifiers = places_of(world).identifiers
    receivers = _receivers(names)
    yield _url_in(parts.path) if _MENTION.search(readable(parts.path)) else path_leads_to(parts.path)
    for outer, text in parameters:
        if outer.lower() in receivers:
            continue
        for name, value in members_of(outer, text) or [(outer, text)]:
            low = name.lower()
            if low not in identifiers and f"{low[: low.rfind('.') + 1]}*" not in identifiers:
                yield _url_in(value)
                yield _url_in(name)
                if normal_name(name) in places_of(world).destinations and not _url_in(value):
                    yield leads_to(value)


def _holds_foreign(inner: UrlParts, outer: Target, world: World, levels: int) -> bool:
    """Whether a URL of the same owner holds the URL of another owner, at any of a few levels."""
    try:
        parameters = _parameters(inner)
    except ValueError:
        return True
    found = [_split_or_none(text) for text in _nested(inner, parameters, world) if text]
    if any(each is None or not _is_of_owner(each, outer, world) for each in found):
        return True
    # Deeper than anyone nests honestly: counted as foreign.
    if levels == 0:
        return bool(found)
    return any(_holds_foreign(each, outer, world, levels - 1) for each in found if each)


def _receivers(names: set[str]) -> frozenset[str]:
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


def _sign_in(parts: UrlParts, pairs: Parameters | None, world: World, levels: int) -> _SignIn:
    """Receivers of the sign-in that a URL requests, here or at a URL inside. `pairs` is None for too many."""
    if pairs is None:
        return _SignIn(to_app=True) if _SIGN_IN.search(unquote_fully(_all_of(parts))) else _NO_SIGN_IN
    names = {name for name, _ in pairs}
    if not _requests_sign_in(names, parts.path):
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
        if not _is_of_owner(receiver, parts.target, world):
            others.add(receiver.target)
        # Unencrypted, anyone on the way reads the result; a user name before the host is there to be read as a host.
        is_plain = receiver.target.scheme == "https" and not receiver.target.userinfo
        to_app = to_app or not is_plain or not _stays(receiver, world, levels)
    grants = link_parameters_of(world).scopes.kinds(parts.target.host, pairs) - {"identity"}
    return _SignIn(tuple(hosts), frozenset(others), to_app, tuple(sorted(grants)))


def _prefilled(parts: UrlParts, pairs: Parameters | None, world: World) -> str:
    """Kind of choice that the parameters of a URL make for the user; empty for none."""
    if pairs is None:
        return "unreadable"
    known = link_parameters_of(world).prefilled
    # `/send/amount=5`: some sites route by such segments.
    segments = [piece.partition("=") for piece in readable(parts.path).split("/") if "=" in piece]
    for name, value in (*pairs, *((normal_name(name), value) for name, _, value in segments)):
        if (entry := known.get(name)) and not entry.is_harmless(value):
            return entry.what
    return ""


def _pairs(parts: UrlParts) -> Parameters | None:
    """Parameters of a URL and of the URLs inside it, with normal names; None for too many."""
    if not (parts.query or parts.fragment or ";" in parts.path):
        return []
    try:
        return _all_pairs(parts)
    except ValueError:
        return None


def _all_pairs(parts: UrlParts) -> Parameters:
    """Parameters as in `_pairs`. Raises ValueError for too many."""
    written = _parameters(parts)
    pairs = [pair for outer, text in written for pair in (*members_of(outer, text), (outer, text))]
    inner = [found for _, text in written if (found := _url_in(text)) and _SIGN_IN.search(found)]
    # Decoded to the end, with every separator cut: whatever is nested in whatever way stands there by its name.
    path_parameters = parts.path.partition(";")[2]
    for text in (f"{path_parameters}&{parts.query}&{parts.fragment}", *inner):
        pieces = _PIECES.split(readable(text))
        if len(pieces) > _MOST_PARAMETERS:
            raise ValueError
        pairs += [(name, value) for name, equals, value in (piece.partition("=") for piece in pieces) if equals]
    # `params[redirect_uri]` is read by its last name.
    return [(normal_name(name.strip().rpartition("[")[2].rstrip("]")), value.strip()) for name, value in pairs]


def _requests_sign_in(names: set[str], path: str) -> bool:
    if not _REQUESTS.isdisjoint(names) or "openidmode" in names:
        return True
    if _NORMAL_CLIENTS.isdisjoint(names):
        return False
    # The client is known to the host alone.
    return not _NORMAL_AUTHORIZATION.isdisjoint(names) or bool(_AUTHORIZATION_PATH.search(unquote_fully(path)))


def _receiver(value: str, target: Target) -> UrlParts | None:
    """Receiver in a value, a path of the host itself or a URL; None for an app, or for what cannot be read."""
    text = readable(value).strip()
    if _RELATIVE_SCHEME.match(text):
        text = f"https:{text}"
    elif text.startswith("/"):
        host = f"[{target.host}]" if ":" in target.host else target.host
        text = f"{target.scheme}://{host}:{target.port}{text}"
    elif not _HTTP.match(text):
        text = _host_first(text)
    return _split_or_none(text)


def _stays(receiver: UrlParts, world: World, levels: int) -> bool:
    """Whether the result of a sign-in stays with the receiver, at a page of the host's owner."""
    if levels == 0:
        return False
    if _is_unlisted(receiver.target, world):
        return False
    reading = read_closely(receiver, world, levels - 1).reading
    # A receiver's own sign-in, with a receiver of its own, hands on what it gets.
    return not (
        reading.through or reading.unresolved or reading.nested or reading.copied or reading.publishers
        or reading.hands_over
    )  # fmt: skip


def _is_no_receiver(target: Target, world: World) -> bool:
    """Whether no honest site has its users sign in for this receiver: it imitates a brand, or nothing is encrypted."""
    if target.host in _LOOPBACK:
        return False
    return target.scheme == "http" or bool(target.address) or imitates(HostReading(target, brand_index_of(world)))


def _is_of_owner(inner: UrlParts, outer: Target, world: World) -> bool:
    """Whether a URL is of a target's owner, as far as brands and domains show.

    Of a host where third parties publish, only the front page is: no one else publishes there.
    """
    there = inner.target
    if there.host == outer.host:
        return True
    # The listed host itself: names below it are third parties' from their front page on.
    front = inner.path == "/" and not inner.query and there.host in world.user_content and not there.hosted
    if not ((front or is_run_by_owner(world, there)) and is_run_by_owner(world, outer)):
        return False
    here, over = world.brand_at(outer.registrable), world.brand_at(there.registrable)
    return there.registrable == outer.registrable or bool(here and over and here.owner == over.owner)
