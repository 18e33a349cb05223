"""Secrets of requests by origin, from options, configuration, URLs and netrc."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from waypost.config import Config
from waypost.config_file import ConfigFile
from waypost.errors import FetchDenied
from waypost.models.access import OriginTable
from waypost.net.access import (
    OWN_AGENT,
    Access,
    AccessError,
    Secrets,
    agent,
    basic,
    cookie,
    header,
    joined,
    passwords_of_netrc,
    secrets_in,
)
from waypost.net.fetch import read_url

T = TypeVar("T")
_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))")


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the command line about requests. `repr` has the names of headers, never a value.

    headers  (name, value), also of cookies and passwords.
    cert     file of a client certificate; `key` is a separate file with the key.
    origin   origin of the secrets; None for the only origin of the addresses.
    """

    headers: tuple[tuple[str, str], ...] = ()
    cert: str | None = None
    key: str | None = None
    origin: str | None = None
    user_agent: str | None = None

    def __repr__(self) -> str:
        return f"<Given: {', '.join(name for name, _ in self.headers) or 'no header'}>"

    @property
    def has_secrets(self) -> bool:
        return bool(self.headers or self.cert)


class _Unset(AccessError):
    """Environment variable that is not set."""


def access_for(
    given: Given, config: Config, named: Iterable[str] = (), in_lists: Iterable[str] = (), *, netrc: bool = True
) -> Access:
    """Access to the addresses of a run. Raises AccessError.

    named     URLs on the command line; the options are for the origin of these.
    in_lists  URLs from lists; the origin counts without a URL in `named`.
    netrc     whether passwords of the netrc file are used for the origins.
    """
    typed, found = [*named], [*in_lists]
    origins = _origins(typed) or _origins(found)
    secrets: dict[str, Secrets] = {}
    missing: dict[str, str] = {}
    if netrc:
        for origin, host in origins.items():
            if login := passwords_of_netrc([host]).get(host):
                secrets[origin] = Secrets(dict([basic(":".join(login))]))
    for url in [*typed, *found]:
        for origin, own in secrets_in(url).items():
            # The first password of an origin; each URL with one is requested with its own.
            secrets[origin] = own.over(secrets[origin]) if origin in secrets else own
    _add_tables(config, secrets, missing)
    if given.has_secrets:
        origin = _target(given, origins)
        own = _checked(origin, Secrets(joined(given.headers), (given.cert, given.key) if given.cert else None))
        secrets[origin] = own.over(secrets[origin]) if origin in secrets else own
        missing.pop(origin, None)
    elif given.key or given.origin:
        raise AccessError("--key needs --cert" if given.key else "--origin says where a --header is sent; give one")
    for origin in origins:
        if origin in missing:
            raise AccessError(missing[origin])
    return Access(agent=_agent(given, config), secrets=secrets, missing=missing)


def _add_tables(config: Config, secrets: dict[str, Secrets], missing: dict[str, str]) -> None:
    """Add the secrets of the configuration. Raises AccessError."""
    for part, source in config.parts:
        for text, table in part.fetch.origins.items() if part.fetch else ():
            origin, known = _of_table(text, table, source, secrets)
            if isinstance(known, Secrets):
                secrets[origin] = known
                missing.pop(origin, None)
            else:
                missing[origin] = known


def _origins(urls: Iterable[str]) -> dict[str, str]:
    """origin -> host, in the order of the URLs."""
    origins: dict[str, str] = {}
    for url in urls:
        try:
            stop = read_url(url)
        except FetchDenied:
            continue
        origins[stop.origin] = stop.host
    return origins


def _target(given: Given, origins: dict[str, str]) -> str:
    """Origin of the options. Raises AccessError for an ambiguous origin."""
    if given.origin is not None:
        try:
            return _origin_of(given.origin)
        except AccessError as error:
            raise AccessError(f"--origin: {error}") from None
    if len(origins) == 1:
        return next(iter(origins))
    if not origins:
        raise AccessError("--header, --cookie, --auth and --cert are for addresses; there is none")
    some = " and ".join([*origins][:2])
    raise AccessError(
        f"--header, --cookie, --auth and --cert go to one origin, and the addresses have {len(origins):,}, such as "
        f'{some}; name it with --origin, or give each its own in the configuration: [fetch.origins."https://..."]'
    )


def _origin_of(text: str) -> str:
    try:
        stop = read_url(text)
    except FetchDenied:
        stop = None
    if stop is None or stop.target != "/" or "@" in text:
        raise AccessError("write an origin, as in https://staging.example.com")
    return stop.origin


def _agent(given: Given, config: Config) -> str:
    if given.user_agent is not None:
        return agent(given.user_agent)
    for part, source in reversed(config.parts):
        if part.fetch and part.fetch.user_agent is not None:
            try:
                return agent(part.fetch.user_agent)
            except AccessError as error:
                raise AccessError(f"{_place(source, 'user-agent')}: fetch.user-agent: {error}") from None
    return OWN_AGENT


def _of_table(text: str, table: OriginTable, source: str, secrets: dict[str, Secrets]) -> tuple[str, Secrets | str]:
    """(origin, secrets or the reason why a secret is unknown) of a table of the configuration. Raises AccessError."""
    read = partial(_read, source, text)
    try:
        origin = _origin_of(text)
    except AccessError as error:
        raise AccessError(f'{_place(source, "origins", text)}: fetch.origins."{text}": {error}') from None
    try:
        headers = [read(partial(_named, name), value, "headers", name) for name, value in table.headers.items()]
        headers += [read(cookie, table.cookie, "cookie")] if table.cookie is not None else []
        headers += [read(basic, table.auth, "auth")] if table.auth is not None else []
        folder = Path(source).parent
        cert = str(folder / read(str, table.cert, "cert")) if table.cert is not None else None
        key = str(folder / read(str, table.key, "key")) if table.key is not None else None
    except _Unset as error:
        return origin, str(error)
    try:
        if key and not cert:
            raise AccessError("key needs cert")
        found = _checked(origin, Secrets(joined(headers), (cert, key) if cert else None))
    except AccessError as error:
        name = "cert" if cert else "key"
        raise AccessError(f'{_place(source, "origins", text, name)}: fetch.origins."{text}".{name}: {error}') from None
    return origin, found.over(secrets[origin]) if origin in secrets else found


def _named(name: str, value: str) -> tuple[str, str]:
    return header(f"{name}: {value}")


def _read(source: str, origin: str, shape: Callable[[str], T], value: str, *keys: str) -> T:
    """Value of the configuration with its environment variables. Raises AccessError, never with the value."""
    where = f'fetch.origins."{origin}".{".".join(keys)}'

    def variable_text(found: re.Match[str]) -> str:
        if found[1]:
            return "$"
        name = found[2] or found[3]
        if not (text := os.environ.get(name, "")):
            place = _place(source, "origins", origin, *keys)
            raise _Unset(f"{place}: {where}: the environment variable {name} is not set")
        return text

    expanded = _VARIABLE.sub(variable_text, value)
    try:
        return shape(expanded)
    except AccessError as error:
        raise AccessError(f"{_place(source, 'origins', origin, *keys)}: {where}: {error}") from None


def _place(source: str, *keys: str) -> str:
    """File and line of a key in the table `fetch`."""
    return f"{source}:{ConfigFile(Path(source)).line('fetch', *keys)}"


def _checked(origin: str, secrets: Secrets) -> Secrets:
    """Secrets with a usable certificate. Raises AccessError for an unusable certificate."""
    if secrets.certificate:
        from waypost.net.pool import with_certificate

        if not origin.startswith("https:"):
            raise AccessError(f"a client certificate needs https, and {origin} is not")
        with_certificate(secrets.certificate)
    return secrets
