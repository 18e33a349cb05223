"""How a service is run: one struct, from a TOML file and from WAYPOST_* variables, the variables winning."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from waypost.api.limits import LimitError, with_quotas
from waypost.errors import WaypostError
from waypost.formats.text import near


class SettingsError(WaypostError):
    """A setting cannot be used; names it and what to do."""

    code = "settings-fault"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting of a service.

    site_url          where the site is reached from outside; also the issuer of receipts
    base_url          where the API is reached; the site's address unless it has its own
    host, port        what the process listens on
    socket            path of a UNIX socket to listen on instead
    data              the data folder: store, feeds, signing keys
    site              folder of the built site; none serves the API alone
    offline           never look at a destination over the network
    policy            id or version of the policy for decisions
    workers           processes that serve
    allowed_hosts     names that the Host header may have; empty takes any (only behind a proxy that checks)
    trusted_proxies   addresses or networks whose X-Forwarded-For and -Proto are believed
    cors_origins      origins that may read the public endpoints from a browser
    admin_port        loopback port for metrics; 0 has none
    log               "json" on standard error, or "none"
    legacy_rate_headers  send RateLimit-Limit and its kin too
    outbound, outbound_each  network checks at once: in the process, and for one organization
    receipt_algorithm "EdDSA", or "Ed25519" for verifiers that know RFC 9864
    security_contact  URI for security.txt, mailto: or https:; the site's security page unless given
    quotas            other quotas than the usual ones, by the names in GET /v1/limits; only in the file
    drain_s           seconds that a shutdown waits for requests under way
    """

    site_url: str = "http://127.0.0.1:8000"
    base_url: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    socket: str = ""
    data: str = ""
    site: str = ""
    offline: bool = False
    policy: str = ""
    workers: int = 1
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    admin_port: int = 0
    log: Literal["json", "none"] = "json"
    legacy_rate_headers: bool = False
    outbound: int = 32
    outbound_each: int = 4
    receipt_algorithm: Literal["EdDSA", "Ed25519"] = "EdDSA"
    drain_s: float = 10.0
    security_contact: str = ""
    quotas: dict[str, int] = {}

    @property
    def api_url(self) -> str:
        return self.base_url or self.site_url


_PREFIX = "WAYPOST_"
_NOT_SETTINGS = frozenset({"service", "api_key", "dnstwist", "browser", "axe", "config", "quotas"})
"""Variables of ours that are for other programs than the server."""
_TRUE = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def read_settings(file: Path | None = None, environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """The settings of a file, of the environment and of the command line, the later ones winning.

    given   what the command line named; None counts as not named
    Raises SettingsError.
    """
    found: dict[str, Any] = _of_file(file) if file else {}
    found |= _of_environment(os.environ if environment is None else environment)
    found |= {name: value for name, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(found, Settings)
        with_quotas(settings.quotas)
    except (msgspec.ValidationError, LimitError) as error:
        raise SettingsError(f"settings: {error}") from None
    return msgspec.structs.replace(
        settings, site_url=settings.site_url.rstrip("/"), base_url=settings.base_url.rstrip("/")
    )


def _of_file(file: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: {error}") from None
    for name in found:
        if name not in Settings.__struct_fields__:
            suggestions = near(name, Settings.__struct_fields__)
            raise SettingsError(
                f"{file}: there is no setting {name!r}"
                + (f"; did you mean {' or '.join(suggestions)}?" if suggestions else "")
            )
    return found


def _of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    kinds = {each.name: each.type for each in msgspec.structs.fields(Settings)}
    found: dict[str, Any] = {}
    for variable, text in environment.items():
        name = variable.removeprefix(_PREFIX).lower()
        if variable.startswith(_PREFIX) and name in kinds and name not in _NOT_SETTINGS:
            found[name] = _value(variable, text, kinds[name])
    return found


def _value(variable: str, text: str, kind: Any) -> Any:
    if kind is bool:
        if text.lower() not in _TRUE:
            raise SettingsError(f"{variable}: write true or false")
        return _TRUE[text.lower()]
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise SettingsError(f"{variable}: a number is wanted") from None
    if kind is str:
        return text
    return tuple(each.strip() for each in text.split(",") if each.strip())
