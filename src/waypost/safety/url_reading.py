"""Reading of a whole URL: where it leads in the end, and who publishes at its address.

Path and query are read here, in memory, and leave as a `UrlReading`, which holds none of their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from waypost.errors import InvalidUrl
from waypost.formats.urls import has_two_hosts
from waypost.models.decision import SensitiveUrl, Target, UrlReading
from waypost.registry.link_parameters import link_parameters_of
from waypost.registry.places import DEVICE_SIGN_IN, Redirector, UrlPath, Where, places_of, unquote_fully
from waypost.registry.world import World
from waypost.safety.destination_values import (
    HIDDEN,
    leads_to,
    members_of,
    normal_name,
    path_leads_to,
    readable,
)
from waypost.safety.target import UrlParts, check_host, of_host, split
from waypost.safety.url_publishers import is_beyond_functions, is_of_owner, is_unlisted, own_name_of, publishers_of
from waypost.safety.url_sign_in import SIGN_IN_NAMES, is_no_receiver, pairs_of, receiver_parameters, sign_in_of
from waypost.safety.url_texts import (
    ABSOLUTE,
    RELATIVE_SCHEME,
    Parameters,
    all_of,
    host_first,
    parameters_of,
    split_or_none,
    url_in,
)

MOST_HOPS = 6
"""Most redirecting hosts inside each other; more of them hide a destination on purpose."""
_MOST_INSIDE = 4
"""URLs of the same owner inside each other that are read for the URL of another owner."""
_MENTION = re.compile(f"(?i:{ABSOLUTE.pattern})|{HIDDEN.pattern}|=\\s*[/\\\\]{{2}}")
"""Sign of a URL in a text, or of one without a scheme after an equals sign."""
_PROOFPOINT_2 = str.maketrans("-_", "%/")
_AS_WRITTEN = re.compile(r"[\w.~/!$'()*+,=&? -]*", re.ASCII)
"""Text without a scheme, unchanged by every decoding."""
_SEPARATORS = re.compile("[&;?#]")
_BEFORE_NAME = re.compile("[&?+ ]")
_NAMES = re.compile("(?:^|[&?+ ])([^=&?+ ]*)")
"""Name of a parameter, and whatever may be one, in path, query and fragment with spaces in between."""


class Address(msgspec.Struct, frozen=True):
    """Destination of a URL, and the reading of its path and query."""

    target: Target
    reading: UrlReading


class _Step(NamedTuple):
    """Result of reading a single URL: the URL behind the address, or facts of the address.

    parameters  those of the URL, where they were read
    """

    leads_to: UrlParts | None = None
    unresolved: bool = False
    nested: bool = False
    copied: bool = False
    parameters: Parameters | None = None


_STAYS = _Step()
_UNRESOLVED = _Step(unresolved=True)


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


def _read(parts: UrlParts, world: World, levels: int = _MOST_INSIDE) -> Address:
    """Innermost destination of the parts of a URL. `levels` as in `read_closely`."""
    # Most checked URLs are front pages: nothing can be hidden in them.
    if parts.path == "/" and not (parts.query or parts.fragment) and not _always_redirects(parts.target, world):
        reading = UrlReading(publishers=publishers_of(parts, world), beyond_functions=is_beyond_functions(parts, world))
        return Address(parts.target, reading)
    if not _redirectors(parts.target, world) and _is_ordinary(parts, world):
        publishers = publishers_of(parts, world)
        if publishers == DEVICE_SIGN_IN:
            return read_closely(parts, world, levels)
        reading = UrlReading(
            publishers=publishers,
            beyond_functions=is_beyond_functions(parts, world),
            deeper=True,
        )
        return Address(parts.target, reading)
    return read_closely(parts, world, levels)


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
    pairs, publishers = pairs_of(parts, step.parameters), publishers_of(parts, world)
    # Whose device gets the sign-in is known to the code alone, which comes from elsewhere.
    of_device = publishers == DEVICE_SIGN_IN
    sign_in = sign_in_of(parts, pairs, world, partial(_stays, world=world, levels=levels))
    receivers = tuple(dict.fromkeys(each for each in sign_in.hosts if each in sign_in.others))
    reading = UrlReading(
        through=tuple(through),
        unresolved=step.unresolved,
        nested=nested or any(is_no_receiver(each, world) for each in receivers),
        copied=copied,
        publishers="" if of_device else publishers,
        deeper=parts.path != "/" or bool(parts.query or parts.fragment),
        hands_over=bool(receivers) or sign_in.to_app or of_device,
        receivers=receivers,
        sign_in=tuple(dict.fromkeys(sign_in.hosts)),
        app_receives=sign_in.to_app or of_device,
        grants=sign_in.grants,
        prefilled=_prefilled(parts, pairs, world),
        beyond_functions=is_beyond_functions(parts, world, step.parameters),
    )
    return Address(parts.target, reading)


def _is_ordinary(parts: UrlParts, world: World) -> bool:
    """Whether path, query and fragment certainly hold no URL, no destination's name and no sign-in.

    Saves most URLs the closer reading (`benchmarks/service.py --instructions`), with the same result.
    """
    text = all_of(parts)
    if not _AS_WRITTEN.fullmatch(text) or _has_sign(text) or path_leads_to(parts.path):
        return False
    # Frameworks route by fragments, `#!/cart?next=...`: their parameters are read closely.
    if parts.fragment.startswith(("!", "/", "?")):
        return False
    if not (parts.query or parts.fragment or _BEFORE_NAME.search(parts.path)):
        return True
    # The names of all parameters made normal at once; what is not a parameter only costs the closer reading.
    names = _NAMES.findall(normal_name(text))
    return (
        SIGN_IN_NAMES.isdisjoint(names)
        and link_parameters_of(world).prefilled.keys().isdisjoint(names)
        and places_of(world).destinations.isdisjoint(names)
    )


def _has_sign(text: str) -> bool:
    """Whether a text as written has a part that stands wherever `_MENTION` finds a sign."""
    return "//" in text or "aHR0c" in text or "Oi8v" in text or "ovL" in text or "6Ly" in text or "68747470" in text


def _always_redirects(target: Target, world: World) -> bool:
    """Whether the host's name holds the destination, so that even the front page shows another page."""
    return any(entry.at.host for entry in _redirectors(target, world))


@lru_cache(maxsize=4096)
def _redirectors(target: Target, world: World) -> tuple[Redirector, ...]:
    return places_of(world).redirectors.entries(target.host, own_name_of(target, world))


def _step(parts: UrlParts, world: World) -> _Step:
    entries = _redirectors(parts.target, world)
    mentions = _mentions_url(parts) or bool(path_leads_to(parts.path)) or _has_destination(parts, world)
    if not entries and not mentions:
        return _STAYS
    try:
        parameters = parameters_of(parts)
    except ValueError:  # too many parameters
        return _UNRESOLVED
    entry = _entry(parts, parameters, entries)
    if entry is None:
        step = _without_entry(parts, parameters, entries, world) if mentions else _STAYS
        return step._replace(parameters=parameters)
    if entry.kind == "own":
        return _STAYS
    if entry.kind == "opaque":
        return _UNRESOLVED
    return _followed(entry, parts, parameters)._replace(copied=entry.kind == "copy")


def _mentions_url(parts: UrlParts) -> bool:
    """Whether path, query or fragment may hold a URL. Most hold none, which saves the closer reading."""
    return _MENTION.search(readable(all_of(parts))) is not None


def _has_destination(parts: UrlParts, world: World) -> bool:
    """Whether a parameter is named for a destination; only then its value may be a URL without a scheme."""
    return next(_for_destinations(parts, world), None) is not None


def _for_destinations(parts: UrlParts, world: World) -> Iterator[str]:
    """Values of parameters named for a destination, wherever they are: behind `;` in the path, in a place of an app
    (`#/login?next=...`), or in a place on the same host (`next=/exit?url=...`).
    """
    if not (parts.query or parts.fragment or ";" in parts.path):
        return
    named = places_of(world).destinations
    for piece in _SEPARATORS.split(readable(f"{parts.path.partition(';')[2]}&{parts.query}&{parts.fragment}")):
        name, equals, value = piece.partition("=")
        if equals and normal_name(name.lstrip("!/")) in named:
            yield value


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
            found = url_in(_decoded(value, entry.encoding)) or host_first(value)
            texts.append(found)
            relative = value.startswith("/") and not RELATIVE_SCHEME.match(value)
            unreadable = unreadable or not (found or relative)
            stays = stays or relative
    # Any further URL counts too: a redirect with two candidates has no one destination.
    texts += [url_in(text) for pair in parameters for text in pair]
    found_parts = [split_or_none(text) for text in texts if text]
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
    if where.path and (found := url_in(parts.path)):
        yield found
    if where.host and (label := parts.target.host.removesuffix(f".{where.host}")) != parts.target.host:
        # "-" stands for "." and "--" for "-" (developers.google.com/search/docs/specialty/translation).
        yield label.replace("--", "\0").replace("-", ".").replace("\0", "-")


def _decoded(value: str, encoding: str) -> str:
    if encoding == "proofpoint-2":
        return unquote(value.translate(_PROOFPOINT_2))
    return value.partition("__;")[0] if encoding == "proofpoint-3" else value


def _without_entry(parts: UrlParts, parameters: Parameters, entries: tuple[Redirector, ...], world: World) -> _Step:
    """Step for an address without an entry, of a URL that may hold another URL.

    A host with redirecting addresses leads to the URL of another owner; for other hosts this is not known.
    """
    found = [split_or_none(text) for text in _nested(parts, parameters, world) if text]
    foreign = [each for each in found if each is None or not is_of_owner(each, parts.target, world)]
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
    receivers = receiver_parameters(names)
    yield url_in(parts.path) if _MENTION.search(readable(parts.path)) else path_leads_to(parts.path)
    for outer, text in parameters:
        if outer.lower() in receivers:
            continue
        for name, value in members_of(outer, text) or [(outer, text)]:
            low = name.lower()
            if low not in identifiers and f"{low[: low.rfind('.') + 1]}*" not in identifiers:
                yield url_in(value)
                yield url_in(name)
                if normal_name(name) in places_of(world).destinations and not url_in(value):
                    yield leads_to(value)
    yield from (leads_to(value) for value in _for_destinations(parts, world) if not url_in(value))


def _holds_foreign(inner: UrlParts, outer: Target, world: World, levels: int) -> bool:
    """Whether a URL of the same owner holds the URL of another owner, at any of a few levels."""
    try:
        parameters = parameters_of(inner)
    except ValueError:
        return True
    found = [split_or_none(text) for text in _nested(inner, parameters, world) if text]
    if any(each is None or not is_of_owner(each, outer, world) for each in found):
        return True
    # Deeper than anyone nests honestly: counted as foreign.
    if levels == 0:
        return bool(found)
    return any(_holds_foreign(each, outer, world, levels - 1) for each in found if each)


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


def _stays(receiver: UrlParts, world: World, levels: int) -> bool:
    """Whether the result of a sign-in stays with the receiver, at a page of the host's owner."""
    if levels == 0:
        return False
    if is_unlisted(receiver.target, world):
        return False
    reading = _read(receiver, world, levels - 1).reading
    # A receiver's own sign-in, with a receiver of its own, hands on what it gets.
    return not (
        reading.through or reading.unresolved or reading.nested or reading.copied or reading.publishers
        or reading.hands_over
    )  # fmt: skip
