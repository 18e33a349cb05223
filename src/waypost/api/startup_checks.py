"""Startup checks: settings and file permissions of an unsafe service, and settings without effect."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from waypost.api.settings import Settings, misspelled
from waypost.errors import UnknownPolicy, WaypostError, install_command
from waypost.formats.ip_addresses import Network
from waypost.store.folder import NAME, data_folder

_SECRETS = (NAME, f"{NAME}-wal")
_WIDEST = {4: 8, 6: 20}
"""Shortest prefix of a trusted network: 10.0.0.0/8 is the largest private network, and no proxy has a /20 alone."""
_LARGEST_PART = {4: 16, 6: 4096}
"""Part of the addresses of a version, at most, in the trusted networks together."""
_USUAL_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]")
_MAIL = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@(?:[^\s@<>,;:.]+\.)+[^\s@<>,;:.]{2,}")
_PHONE = re.compile(r"\+[0-9](?:[0-9.()-]*[0-9])?")


def problems_in(settings: Settings, environment: Mapping[str, str] | None = None) -> list[str]:
    """Sentences, each about a problem to fix before the service may start."""
    return [
        *_addresses(settings),
        *mistakes_in(settings, environment),
        *_policy(settings),
        *_folder(settings),
        *_store(settings),
    ]


def mistakes_in(settings: Settings, environment: Mapping[str, str] | None = None) -> list[str]:
    """Sentences about values without effect, or with an unintended effect, on any machine."""
    return [
        *misspelled(os.environ if environment is None else environment),
        *_hosts(settings),
        *_proxies(settings),
        *_origins(settings),
        *_contact(settings),
        *_numbers(settings),
        *_together(settings),
        *_requirements(settings),
    ]


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


def _own_address(name: str, address: str) -> Iterator[str]:
    """Problem of an address under which the service is reached. `name` is the setting's."""
    scheme, host, rest = _parts(address)
    if scheme not in {"http", "https"} or not host:
        yield f"{name}: {address!r} is not an address; write it as https://trust.example.com"
    elif "@" in urlsplit(address).netloc:
        yield f"{name}: a user and a password do not belong in it; every answer would show them"
    elif scheme == "http" and not _is_local(host):
        yield f"{name}: keys and sign-in links would travel in the clear; serve it over https"
    elif rest.strip("/"):
        yield f"{name}: only scheme, host and port; the service has no place below another path"


def _parts(address: str) -> tuple[str, str, str]:
    """(scheme, host, path with query and fragment) of an address; empty for one that cannot be read."""
    if not address.isascii() or not address.isprintable() or " " in address:
        return "", "", ""
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises for one that is no port
    except ValueError:
        return "", "", ""
    host = (parts.hostname or "").lower()
    is_host = _HOST.fullmatch(f"[{host}]" if ":" in host else host)
    return parts.scheme, host if is_host else "", parts._replace(scheme="", netloc="").geturl()


def _hosts(settings: Settings) -> Iterator[str]:
    for host in settings.allowed_hosts:
        if "*" in host:
            yield f"allowed_hosts: {host!r} has a wildcard; name each host, so that no other site passes for this one"
            continue
        name, _, port = (
            host.rpartition(":") if re.search(r":\d+$", host) and not host.endswith("]") else (host, "", "0")
        )
        if not _HOST.fullmatch(name) or int(port) > 65535:
            yield f"allowed_hosts: {host!r} is not a host; write it as trust.example.com, international names as xn--"


def _proxies(settings: Settings) -> Iterator[str]:
    networks: list[Network] = []
    for proxy in settings.trusted_proxies:
        try:
            network = ipaddress.ip_network(proxy, strict=False)
        except ValueError:
            yield f"trusted_proxies: {proxy!r} is not an address or network"
            continue
        mapped = getattr(network.network_address, "ipv4_mapped", None)
        if mapped is not None and network.prefixlen >= 96:
            yield f"trusted_proxies: {proxy} matches no client; write {mapped}/{network.prefixlen - 96}"
        # Any client within it could choose its own address.
        elif network.prefixlen < _WIDEST[network.version]:
            yield f"trusted_proxies: {proxy} is too wide for proxies: clients within it could choose their address"
        else:
            networks.append(network)
    for version, part in _LARGEST_PART.items():
        ours = [network for network in networks if network.version == version]
        collapsed: Iterator[Network] = ipaddress.collapse_addresses(ours)  # type: ignore[type-var]
        covered = sum(network.num_addresses for network in collapsed)
        if covered > 2 ** (32 if version == 4 else 128) // part:
            yield (
                f"trusted_proxies: the IPv{version} networks cover too much of the internet together; name the proxies'"
                " own"
            )


def _origins(settings: Settings) -> Iterator[str]:
    for origin in settings.cors_origins:
        scheme, host, rest = _parts(origin)
        # A browser sends an origin in this form (RFC 6454, section 6.2), which is compared as it is.
        is_usual_port = scheme in _USUAL_PORTS and origin.endswith(f":{_USUAL_PORTS[scheme]}")
        if scheme not in _USUAL_PORTS or not host or rest or "@" in origin or origin != origin.lower():
            yield f"cors_origins: {origin!r} is not an origin; name each as https://site.example, without a path"
        elif is_usual_port:
            yield f"cors_origins: no browser sends {origin!r}, with the usual port; write {origin.rpartition(':')[0]!r}"


def _contact(settings: Settings) -> Iterator[str]:
    contact = settings.security_contact
    scheme, _, rest = contact.partition(":")
    known = {
        "mailto": _MAIL.fullmatch(rest.partition("?")[0]) is not None,
        "https": bool(_parts(contact)[1]),
        "tel": _PHONE.fullmatch(rest) is not None,
    }
    # A line break would begin another field of security.txt (RFC 9116, section 2.5.3).
    if contact and not (known.get(scheme) and contact.isprintable() and " " not in contact):
        yield (
            f"security_contact: {contact!r} is not an address for a report; write mailto:security@example.com, "
            "https://example.com/report or tel:+1-201-555-0123"
        )


def _numbers(settings: Settings) -> Iterator[str]:
    for name, least, most in (("port", 0, 65535), ("admin_port", 0, 65535), ("workers", 1, 64), ("outbound", 1, 1024),
                              ("outbound_each", 1, 1024), ("page_workers", 0, 64), ("replicas", 1, 64),
                              ("page_wait_s", 0, 300), ("drain_s", 0, 600)):  # fmt: skip
        if not least <= getattr(settings, name) <= most:
            yield f"{name}: from {least} to {most}"


def _together(settings: Settings) -> Iterator[str]:
    """Problems of settings together, or with the machine."""
    if settings.admin_port and settings.admin_port == settings.port and not settings.socket:
        yield f"admin_port: {settings.admin_port} is the port of the service; name another one for the metrics"
    if settings.outbound_each > settings.outbound:
        yield f"outbound_each: one organization cannot have more than outbound has for all, {settings.outbound}"
    if settings.replicas > 1 and not settings.store:
        yield "replicas: several need a database, which store names; on one machine use workers"
    if settings.otel and find_spec("opentelemetry") is None:
        yield f"otel: it needs the extra otel: {install_command('otel')}"
    if settings.socket and not Path(settings.socket).absolute().parent.is_dir():
        yield f"socket: there is no folder {Path(settings.socket).absolute().parent}"


def _policy(settings: Settings) -> Iterator[str]:
    if not settings.policy:
        return
    from waypost.registry import world
    from waypost.safety.policy import find

    try:
        find(world.load(), settings.policy)
    except UnknownPolicy as error:
        if not _is_own_policy(settings):
            yield f"policy: {error}; `waypost policy list` names the operator's own"


def _is_own_policy(settings: Settings) -> bool:
    """Whether the setting names an accepted policy of the store."""
    from waypost.store import open_store, own_policies
    from waypost.store.folder import NAME

    folder = data_folder(settings.data or None)
    if not settings.store and not (folder / NAME).is_file():
        return False
    try:
        with open_store(settings.store or folder) as store:
            accepted = store.read(own_policies.accepted)
    except WaypostError:
        return True  # the check of the store says what is wrong with it
    return any(settings.policy in {version, version[:-11]} for version in accepted)


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


def _requirements(settings: Settings) -> Iterator[str]:
    from waypost.config import ConfigError
    from waypost.lint.own_requirements import requirements_at

    if settings.requirements:
        try:
            requirements_at(Path(settings.requirements))
        except ConfigError as error:
            yield f"requirements: {error}"


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
