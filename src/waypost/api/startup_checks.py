"""Startup checks: settings and file permissions that would make the service unsafe."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from waypost.api.settings import Settings
from waypost.errors import UnknownPolicy, WaypostError
from waypost.store.open import NAME, data_folder

_SECRETS = (NAME, f"{NAME}-wal")


def problems_in(settings: Settings) -> list[str]:
    """Sentences, each about a problem to fix before the service may start."""
    return [*_addresses(settings), *_numbers(settings), *_policy(settings), *_folder(settings), *_store(settings)]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _addresses(settings: Settings) -> Iterator[str]:
    yield from _own_address("site_url", settings.site_url)
    yield from _own_address("base_url", settings.api_url)
    if not _is_local(settings.host) and not settings.socket and not settings.allowed_hosts:
        yield "allowed_hosts: others reach this address; name the hosts that the service answers for"
    for proxy in settings.trusted_proxies:
        yield from _proxy(proxy)
    for origin in settings.cors_origins:
        if origin == "*" or urlsplit(origin).scheme not in {"http", "https"}:
            yield f"cors_origins: {origin!r} is not an origin; name each as https://site.example"


def _own_address(name: str, address: str) -> Iterator[str]:
    """Problem of an address under which the service is reached. `name` is the setting's."""
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        yield f"{name}: {address!r} is not an address; write it as https://trust.example.com"
    elif parts.scheme == "http" and not _is_local(parts.hostname):
        yield f"{name}: keys and sign-in links would travel in the clear; serve it over https"
    elif parts.path.strip("/") or parts.query or parts.fragment:
        yield f"{name}: only scheme, host and port; the service has no place below another path"


def _proxy(proxy: str) -> Iterator[str]:
    try:
        network = ipaddress.ip_network(proxy, strict=False)
    except ValueError:
        yield f"trusted_proxies: {proxy!r} is not an address or network"
        return
    # 0.0.0.0/0 or ::/0: any client could then choose its own address.
    if network.prefixlen == 0:
        yield f"trusted_proxies: {proxy} trusts everyone, and so no one's address would count"


def _numbers(settings: Settings) -> Iterator[str]:
    for name, least, most in (("port", 0, 65535), ("admin_port", 0, 65535), ("workers", 1, 64), ("outbound", 1, 1024),
                              ("outbound_each", 1, 1024), ("page_workers", 0, 64), ("replicas", 1, 64),
                              ("page_wait_s", 0, 300), ("drain_s", 0, 600)):  # fmt: skip
        if not least <= getattr(settings, name) <= most:
            yield f"{name}: from {least} to {most}"


def _policy(settings: Settings) -> Iterator[str]:
    if not settings.policy:
        return
    from waypost.registry import world
    from waypost.safety.policy import find

    try:
        find(world.load(), settings.policy)
    except UnknownPolicy as error:
        yield f"policy: {error}"


def _folder(settings: Settings) -> Iterator[str]:
    folder = data_folder(settings.data or None)
    if not folder.is_dir():
        made = f"mkdir -m 700 {folder}" if settings.store else f"`waypost org create NAME --data {folder}` makes it"
        yield f"data: there is no folder {folder}; {made}"
        return
    # The folder holds the signing keys and the hashes of API keys.
    if folder.stat().st_mode & 0o077:
        yield f"data: others can read {folder}: chmod 700 {folder}"
    for path in (folder / name for name in _SECRETS):
        if path.exists() and path.stat().st_mode & 0o077:
            yield f"data: others can read {path}: chmod 600 {path}"
    if not os.access(folder, os.W_OK):
        yield f"data: {folder} cannot be written"
    if settings.site and not (Path(settings.site) / "index.html").is_file():
        yield f"site: {settings.site} holds no site; `waypost build --output {settings.site}` makes it"


def _store(settings: Settings) -> Iterator[str]:
    from waypost.receipts.stored_keys import read_keys
    from waypost.store import organizations
    from waypost.store.open import open_store
    from waypost.store.wrapping import HOW, from_environment

    folder = data_folder(settings.data or None)
    if not folder.is_dir():
        return
    name, given = ("store", "--store ADDRESS") if settings.store else ("data", f"--data {folder}")
    try:
        if settings.store and not from_environment():
            yield f"store: the secrets in a database are wrapped by a key: {HOW}"
            return
        with open_store(settings.store or folder) as store:
            if store.read(organizations.first) is None:
                yield f"{name}: there is no organization; `waypost org create NAME {given}` makes the operator's"
            if settings.store:
                store.read(read_keys)  # a key that does not unwrap them shows here
    except WaypostError as error:
        yield f"{name}: {error}"
