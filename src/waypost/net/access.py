"""Secrets and settings of requests: headers, cookies, passwords, client certificates, user agents and proxies.

A secret belongs to an origin (scheme, host and port) and is sent to no further origin, also after a redirect. Messages
and `repr` have the names of headers, never a value.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from waypost import __version__, identity
from waypost.errors import FetchDenied, FetchFailed, WaypostError
from waypost.formats.ip_addresses import is_loopback
from waypost.formats.text import near
from waypost.net.fetch import Stop, read_url

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_OURS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "host", "if-modified-since", "if-none-match",
     "keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"}
)  # fmt: skip
_USERINFO = re.compile(r"\s*https?:[/\\]{2}([^/\\?#]*)@", re.IGNORECASE)


class AccessError(WaypostError):
    """Unusable header, password, certificate or user agent. The message never contains a value."""

    code, status = "access", 422


class Secrets(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """Secrets of an origin: headers by name, and files of a client certificate and its key."""

    headers: dict[str, str] = {}
    certificate: tuple[str, str | None] | None = None

    def __repr__(self) -> str:
        names = [*self.headers, *["a client certificate"] * bool(self.certificate)]
        return f"<Secrets: {', '.join(names) or 'none'}>"

    __str__ = __repr__

    def over(self, other: Secrets) -> Secrets:
        """Union of two sets of secrets; of two headers with a name, the header of `self` counts."""
        mine = {name.lower() for name in self.headers}
        rest = {name: value for name, value in other.headers.items() if name.lower() not in mine}
        return Secrets(rest | self.headers, self.certificate or other.certificate)


NO_SECRETS = Secrets()


OWN_AGENT = f"waypost/{__version__}" + (f" (+{identity.home()})" if identity.home() else "")


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are requested.

    agent    User-Agent.
    secrets  secrets by origin.
    missing  origin -> why a required secret is unknown: the origin is not requested.
    """

    agent: str = OWN_AGENT
    secrets: dict[str, Secrets] = {}
    missing: dict[str, str] = {}

    @property
    def is_own(self) -> bool:
        """Whether pages are requested under waypost's own name."""
        return self.agent == OWN_AGENT

    def towards(self, stop: Stop, own: Mapping[str, Secrets] = {}) -> Secrets:
        """Secrets for a destination. `own`: secrets in the requested URL. Raises FetchDenied for missing secrets."""
        if why := self.missing.get(stop.origin):
            raise FetchDenied(why, "access")
        known = self.secrets.get(stop.origin, NO_SECRETS)
        # A header that was given counts most; a password in the URL says more than one for the whole origin.
        if mine := own.get(stop.origin):
            return mine.over(known) if "Authorization" not in known.headers or _is_basic(known) else known.over(mine)
        return known


def _is_basic(secrets: Secrets) -> bool:
    return secrets.headers["Authorization"].startswith("Basic ")


def header(text: str) -> tuple[str, str]:
    """(name, value) of `Name: value`. Raises AccessError."""
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not _TOKEN.fullmatch(name):
        raise AccessError("write a header as 'Name: value'")
    if name.lower() in _OURS:
        raise AccessError(f"{name} is set by waypost itself")
    if not value:
        raise AccessError(f"the header {name} has no value")
    # A line break would begin another header.
    if not _VALUE.fullmatch(value):
        raise AccessError(f"the header {name} has a character that no header may have")
    return name, value


def cookie(text: str) -> tuple[str, str]:
    """Header with cookies, given as `name=value; name=value`. Raises AccessError."""
    pairs = [pair.strip() for pair in text.split(";") if pair.strip()]
    if not pairs or not all("=" in pair and _TOKEN.fullmatch(pair.partition("=")[0]) for pair in pairs):
        raise AccessError("write a cookie as name=value")
    return header(f"Cookie: {'; '.join(pairs)}")


def basic(text: str) -> tuple[str, str]:
    """Header for `user:password` (RFC 7617). Raises AccessError."""
    user, colon, _ = text.partition(":")
    if not colon or not user:
        raise AccessError("write it as user:password")
    if not text.isprintable():
        raise AccessError("user and password have a character that cannot be sent")
    return "Authorization", f"Basic {base64.b64encode(text.encode()).decode()}"


def joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by name; cookies are joined, of further repeated names the last counts."""
    found: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in headers:
        spelled = names.setdefault(name.lower(), name)
        together = f"{found[spelled]}; {value}" if spelled in found and name.lower() == "cookie" else value
        found[spelled] = together
    return found


def secrets_in(url: str) -> dict[str, Secrets]:
    """Password in a URL, by origin; empty without one, or for text that is not a URL."""
    if not (found := _USERINFO.match(url)):
        return {}
    user, _, password = found[1].partition(":")
    try:
        return {read_url(url).origin: Secrets(dict([basic(f"{unquote(user)}:{unquote(password)}")]))}
    except (FetchDenied, AccessError):
        return {}


def without_userinfo(url: str) -> str:
    """URL without user and password, in the spelling of the standard; text without a valid URL unchanged."""
    try:
        return read_url(url).href
    except FetchDenied:
        return url


class Crawler(msgspec.Struct, frozen=True):
    """Crawler with a documented User-Agent: name to give, text, address of the documentation, day of reading."""

    name: str
    agent: str
    source: str
    read: str


class _Crawlers(msgspec.Struct, frozen=True):
    chrome: str
    crawlers: tuple[Crawler, ...]


@cache
def crawlers() -> dict[str, Crawler]:
    """Crawlers by name."""
    data = (resources.files("waypost") / "data" / "crawlers.json").read_bytes()
    found = msgspec.json.decode(data, type=_Crawlers)
    return {
        each.name: msgspec.structs.replace(each, agent=each.agent.replace("W.X.Y.Z", found.chrome))
        for each in found.crawlers
    }


def agent(text: str) -> str:
    """User-Agent of a crawler by name, else the text unchanged. Raises AccessError."""
    name = text.strip().lower()
    if name in crawlers():
        return crawlers()[name].agent
    # A text of one plain word is a name, misspelled or unknown.
    if re.fullmatch(r"[a-z0-9_-]+", name):
        similar = near(name, crawlers())
        hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(crawlers())}"
        raise AccessError(f"there is no crawler named {name!r}; {hint}; any other text has a version, as in shop/1.0")
    return header(f"User-Agent: {text}")[1]


class Proxy(NamedTuple):
    """Proxy of the environment: host, port and the value of Proxy-Authorization."""

    host: str
    port: int
    authorization: str | None

    def __repr__(self) -> str:
        return f"<Proxy {self.host}:{self.port}>"


def proxy_for(stop: Stop) -> Proxy | None:
    """Proxy for a destination by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, or None. Raises FetchFailed.

    A loopback address is never requested from a proxy, where the address would mean the proxy's machine.
    """
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    proxies: dict[str, str] = getproxies_environment()
    text = proxies.get(stop.scheme) or proxies.get("all")
    if not text or is_loopback(stop.host) or proxy_bypass_environment(f"{stop.host}:{stop.port}", proxies):
        return None
    name = f"{stop.scheme.upper()}_PROXY" if proxies.get(stop.scheme) else "ALL_PROXY"
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port or 80
    except ValueError:
        raise FetchFailed(f"{name} is not the address of a proxy", "proxy") from None
    if parts.scheme != "http" or not host:
        raise FetchFailed(f"{name} is not the address of a proxy such as http://proxy.example.com:3128", "proxy")
    if parts.username is None:
        return Proxy(host, port, None)
    user, password = unquote(parts.username), unquote(parts.password or "")
    return Proxy(host, port, basic(f"{user}:{password}")[1])


def passwords_of_netrc(hosts: Iterable[str]) -> dict[str, tuple[str, str]]:
    """host -> (user, password) in the file $NETRC, else ~/.netrc. Raises AccessError for a file with errors.

    The entry `default`, for unnamed hosts, is left out.
    """
    from netrc import NetrcParseError, netrc
    from pathlib import Path

    named = os.environ.get("NETRC")
    try:
        path = Path(named) if named else Path.home() / ("_netrc" if os.name == "nt" else ".netrc")
        entries = netrc(str(path)).hosts
    except NetrcParseError as error:
        # Its own message quotes the file.
        place = f"{path}:{error.lineno}" if error.lineno else str(path)
        raise AccessError(f"{place}: this is not a line of a netrc file") from None
    except UnicodeDecodeError:
        raise AccessError(f"{path}: this is not a netrc file") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: no home
        if named:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise AccessError(f"{named} (NETRC): {why}") from None
        return {}
    found = {}
    for host in hosts:
        login = entries.get(host) if host != "default" else None
        if login and login[2] is not None:
            found[host] = (login[0] or login[1] or "", login[2])
    return found
