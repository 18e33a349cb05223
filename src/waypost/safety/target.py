"""Targets of URLs: scheme, host and port. Path, query and credentials are dropped here.

A single parser, after the WHATWG standard, reads every URL: where two parsers disagree about the host, a check of
one site lets an agent pay another.
"""

from __future__ import annotations

import ipaddress
import re
from bisect import bisect_right
from functools import cache, lru_cache

import ada_url
import msgspec

from waypost.errors import InvalidUrl, UnsupportedScheme
from waypost.models.decision import SensitiveUrl, Target
from waypost.registry.world import DATA, document, hosting_suffixes
from waypost.safety.destination_values import readable
from waypost.safety.suffixes import suffixes_of

LONGEST_URL = 8192
"""Longest URL that API and command line accept, in characters."""
_PARTS = ("href",)
_ALL_PARTS = (*_PARTS, "username", "password")
_PORTS = {"http": 80, "https": 443}
USUAL_PORTS = frozenset(_PORTS.values())
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HOST = re.compile(r"[a-z0-9._:-]+")
_BARE_HOST = re.compile(r"(?://)?((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*)\.?(?::\d+)?(?:[/?#]|$)", re.IGNORECASE)
_LONGEST_LABEL = 63
"""Letters of the longest label of a host name (RFC 1035, section 2.3.4)."""
_HOST_END = re.compile(r"[;,|!&=+\s]")
"""Characters at which a host in a user name ends for its reader."""
_NO_NAME = "any-name-at-all"


def parse(text: str, base: str | None = None) -> ada_url.URL:
    """URL parsed by the WHATWG standard, relative to `base` if given. Raises InvalidUrl."""
    try:
        return ada_url.URL(text, base=base)
    except ValueError:
        raise InvalidUrl("it is not a valid URL") from None


class UrlParts(msgspec.Struct, frozen=True):
    """Target of a URL with its path, query and fragment as the parser writes them. As secret as the URL.

    user_host  host that the user name or password reads like, or empty
    """

    target: Target
    path: str
    query: str
    fragment: str
    user_host: str = ""


def _without_scheme(text: str) -> str:
    """Error for a text that begins with a host; empty for another text. Names the host alone, without what follows."""
    found = _BARE_HOST.match(text.strip())
    if not found:
        return ""
    host = found[1].lower()
    suffixes = suffixes_of(host)
    return f"it has no scheme: write https://{host}/" if suffixes.known and suffixes.registry != host else ""


def normalise(url: SensitiveUrl | str) -> Target:
    """Target of an absolute http or https URL. Raises InvalidUrl, also for a host as in `check_host`."""
    target = split(url).target
    check_host(target.host)
    return target


def check_host(host: str) -> None:
    """Check the host of a requested URL: no long labels, no characters outside registered names, as in `*.example.com`.

    Raises InvalidUrl. A nested URL may keep such a host, since resolvers answer for any name.
    """
    if not _HOST.fullmatch(host):
        raise InvalidUrl("its host has a character that no host name has")
    if len(host) > _LONGEST_LABEL and len(max(host.split("."), key=len)) > _LONGEST_LABEL and ":" not in host:
        raise InvalidUrl(f"a label of its host is longer than {_LONGEST_LABEL} letters")


def split(url: SensitiveUrl | str) -> UrlParts:
    """Parts of an absolute http or https URL. Raises InvalidUrl."""
    text = url.reveal() if isinstance(url, SensitiveUrl) else url
    # The order decides the message; control characters would be dropped silently by the parser (WHATWG URL, 4.4).
    if len(text) > LONGEST_URL:
        raise InvalidUrl(f"it is longer than {LONGEST_URL} characters")
    if not (text.isascii() and text.isprintable()) and _CONTROL.search(text):
        raise InvalidUrl("it holds control characters")
    try:
        parsed = ada_url.parse_url(text, _ALL_PARTS if "@" in text else _PARTS)
    except ValueError:
        raise InvalidUrl(_without_scheme(text) or "it is not a valid URL; write it as https://example.com/") from None
    href = parsed["href"]
    scheme = href[: href.index(":")]
    if scheme not in _PORTS:
        raise UnsupportedScheme(_without_scheme(text) or "only http and https addresses can be checked")
    name, port, path, query, fragment = _parts_of(href, scheme)
    if "@" not in text:  # without "@" there are no credentials (WHATWG URL, authority state)
        if "#" not in text and isinstance(url, SensitiveUrl):
            url.set_canonical(href)
        return UrlParts(of_host(name, scheme=scheme, port=port), path, query, fragment)
    username = parsed["username"]
    userinfo = bool(username or parsed["password"])
    user_host = _host_in(username, parsed["password"]) if userinfo else ""
    target = of_host(name, scheme=scheme, port=port, userinfo=userinfo, userinfo_poses=bool(user_host))
    return UrlParts(target, path, query, fragment, user_host)


def _parts_of(href: str, scheme: str) -> tuple[str, int, str, str, str]:
    """Host, port, path, query and fragment of an http or https URL as the parser writes it.

    The parser writes `/`, `?`, `#` and `@` unescaped only where they separate parts (WHATWG URL, 4.5): to split its
    text is exact. To ask it for each part would take twice as long as the parsing.
    """
    start = len(scheme) + 3
    end = href.index("/", start)
    name = href[start:end].rpartition("@")[2]
    port = _PORTS[scheme]
    if ":" in name and not name.endswith("]"):
        name, _, digits = name.rpartition(":")
        port = int(digits)
    text, _, fragment = href[end:].partition("#")
    path, _, query = text.partition("?")
    return name, port, path, query, fragment


def of_host(
    name: str, *, scheme: str = "https", port: int = 443, userinfo: bool = False, userinfo_poses: bool = False
) -> Target:
    """Target of a host in the URL parser's form: lower case, A-labels, canonical addresses. Raises InvalidUrl."""
    known = _read(name)
    if port == 443 and scheme == "https" and not (userinfo or userinfo_poses):
        return known
    return msgspec.structs.replace(known, scheme=scheme, port=port, userinfo=userinfo, userinfo_poses=userinfo_poses)


@lru_cache(maxsize=4096)
def _read(name: str) -> Target:
    """Target of a host at https. Cached, since the same few hosts are checked again and again. Raises InvalidUrl."""
    if address := _address(name):
        return Target(
            scheme="https",
            host=address,
            unicode_host=address,
            registrable=address,
            suffix="",
            labels=(),
            address=address,
        )
    host = name.removesuffix(".")
    labels = tuple(host.split("."))
    if "" in labels or len(host) > 253:
        raise InvalidUrl("it names no host")
    unicode_host = ada_url.idna_to_unicode(host) if "xn--" in host else host
    suffix, hosted = public_suffix(host)
    return Target(
        scheme="https",
        host=host,
        unicode_host=unicode_host,
        registrable=_below(host, suffix),
        suffix=suffix,
        labels=labels,
        scripts=scripts_of(unicode_host),
        hosted=hosted,
    )


def origin(target: Target) -> str:
    """Scheme and host of a target, for logs and messages."""
    return f"{target.scheme}://[{target.host}]" if ":" in target.host else f"{target.scheme}://{target.host}"


def public_suffix(host: str) -> tuple[str, bool]:
    """Longest suffix of a host below which names are given out, and whether the host belongs to a tenant there.

    The suffix itself and its `www` belong to its operator. Where a wildcard rule makes every name below a domain a
    suffix (`*.hosting.example`), those names belong to tenants.
    """
    whole, registry, _ = suffixes_of(host)
    ours, hosting = host, hosting_suffixes()
    while ours and ours not in hosting:
        ours = ours.partition(".")[2]
    longest = ours if len(ours) > len(whole) else whole
    if longest != registry and host in {longest, f"www.{longest}"}:
        above = longest.partition(".")[2]
        any_name = f"{_NO_NAME}.{above}"
        return (above, True) if suffixes_of(any_name).whole == any_name else (registry, False)
    return longest, longest != registry


def registrable_domain(host: str) -> str | None:
    """Public suffix with a label before it, by the public suffix list alone; None for a bare suffix."""
    suffix = suffixes_of(host).whole
    return None if suffix == host else _below(host, suffix)


def _below(host: str, suffix: str) -> str:
    """Suffix of a host with the label before it."""
    if host == suffix:
        return host
    return f"{host[: -len(suffix) - 1].rpartition('.')[2]}.{suffix}"


def _address(host: str) -> str:
    """Canonical form of an IP literal from the URL parser, or empty."""
    if host.startswith("["):
        return parse(f"https://{host}/").hostname[1:-1]  # Python's own spelling differs between its versions.
    if host and host.rstrip(".")[-1:].isdigit():
        try:
            # The URL parser has made every spelling of an IPv4 address canonical before (WHATWG URL 3.5).
            return str(ipaddress.IPv4Address(host.rstrip(".")))
        except ValueError:
            return ""
    return ""


def _host_in(username: str, password: str) -> str:
    """Host that a user name reads like: a name under a registry's suffix, alone or with a path behind it; else empty.

    Names are read as people see them, with every escape undone. An address of mail is a user's name.
    """
    text = readable(username).strip()
    # `https://https://acme.example@other.test`: the scheme is the name, and the rest the password.
    if text.lower() in _PORTS:
        text = readable(password)
    elif "://" in text:
        text = text.partition("://")[2]
    text = _HOST_END.split(text.lstrip("/\\").partition("@")[0], maxsplit=1)[0]
    try:
        name = parse(f"https://{text}/").hostname.removesuffix(".")
    except InvalidUrl:
        return ""
    found = suffixes_of(name)
    return name if found.known and found.registry != name else ""


@cache
def _script_runs() -> tuple[list[int], list[int], list[str]]:
    runs = document(DATA / "scripts.json")["runs"]
    return [r[0] for r in runs], [r[1] for r in runs], [r[2] for r in runs]


def scripts_of(text: str) -> tuple[str, ...]:
    """UAX #24 scripts of a text, sorted; without Common and Inherited, which belong to every script."""
    if text.isascii():
        return ("Latin",) if text.lower() != text.upper() else ()
    firsts, lasts, names = _script_runs()
    found = {"Latin" for c in text if c.isascii() and c.isalpha()}
    for point in (ord(c) for c in text if not c.isascii()):
        run = bisect_right(firsts, point) - 1
        if run >= 0 and point <= lasts[run]:
            found.add(names[run])
    return tuple(sorted(found - {"Common", "Inherited"}))
