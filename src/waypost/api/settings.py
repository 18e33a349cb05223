"""Settings of the service: a struct read from a TOML file and from WAYPOST_* variables, which take precedence."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

import msgspec

from waypost.api.limits import LimitError, with_quotas
from waypost.errors import WaypostError
from waypost.formats.text import near


class SettingsError(WaypostError):
    """Invalid setting. The message names the setting and a correction."""

    code = "settings-fault"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a service.

    site_url          public address of the site; also the issuer of receipts
    base_url          public address of the API; the site's address if empty
    host, port        address to listen on
    socket            path of a UNIX socket to listen on instead
    data              data folder: store, feeds, signing keys
    store             address of a PostgreSQL database in place of the file in the data folder
    replicas          replicas with the same database, this one among them; they share the slack of the quotas
    site              folder of the built site; empty serves the API alone
    offline           never check a destination over the network
    policy            id or version of the policy for decisions
    requirements      configuration (`waypost.toml`) whose profiles, checks and rules count for pages that are validated
    workers           number of server processes
    allowed_hosts     accepted names in the Host header; empty accepts any (only behind a proxy that checks)
    trusted_proxies   addresses or networks whose X-Forwarded-For is believed
    cors_origins      origins that may read the public endpoints from a browser
    admin_port        loopback port for metrics; 0 for none
    log               "json" on standard error, or "none"
    otel              spans of OpenTelemetry, exported as OTEL_EXPORTER_OTLP_ENDPOINT says
    legacy_rate_headers  also send RateLimit-Limit, -Remaining and -Reset
    outbound, outbound_each  concurrent network checks: of the process, and of an organization
    receipt_algorithm "EdDSA", or "Ed25519" for verifiers that know RFC 9864
    security_contact  URI for security.txt, mailto: or https:; the site's security page if empty
    quotas            quotas that replace the usual ones, by the names in GET /v1/limits; only in the file
    page_workers      processes that check pages, of each server process; 0 for one more than its share of the cores
    page_wait_s       seconds that a page may wait for such a process before it is answered with 503; a page behind
                      long pages waits longer
    drain_s           seconds that a shutdown waits for running requests
    """

    site_url: str = "http://127.0.0.1:8000"
    base_url: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    socket: str = ""
    data: str = ""
    store: str = ""
    replicas: int = 1
    site: str = ""
    offline: bool = False
    policy: str = ""
    requirements: str = ""
    workers: int = 1
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    admin_port: int = 0
    log: Literal["json", "none"] = "json"
    otel: bool = False
    legacy_rate_headers: bool = False
    outbound: int = 32
    outbound_each: int = 4
    receipt_algorithm: Literal["EdDSA", "Ed25519"] = "EdDSA"
    page_workers: int = 0
    page_wait_s: float = 30.0
    drain_s: float = 10.0
    security_contact: str = ""
    quotas: dict[str, int] = {}

    @property
    def api_url(self) -> str:
        return self.base_url or self.site_url


_PREFIX = "WAYPOST_"
_ONLY_IN_FILE = frozenset({"quotas"})
_NOT_SETTINGS = frozenset({
    "api_key", "axe", "browser", "config", "dnstwist", "service", "serving", "store_key", "store_key_file",
    "test_postgres",
})  # fmt: skip
"""Names of WAYPOST_* variables without a setting, or of further programs."""
_SERVICE_LINK = re.compile(
    r"(?:[a-z0-9_]+_)?(?:service_(?:host|port(?:_[a-z0-9_]+)?)|port_\d+_(?:tcp|udp|sctp)(?:_[a-z]+)?)"
)
"""Names of variables set by Kubernetes in every pod, for a Service named `waypost`."""
_SERVICE_ADDRESS = re.compile(r"(?:tcp|udp|sctp)://")
"""Beginning of the value of WAYPOST_PORT set by Kubernetes."""
_TRUE = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def read_settings(file: Path | None = None, environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Settings from a file, the environment and the command line; later sources override earlier ones.

    given   options of the command line; None counts as not given

    Raises SettingsError.
    """
    found: dict[str, Any] = _of_file(file) if file else {}
    # Later sources win, so that a container overrides the file of its image, and a command both.
    found |= _of_environment(os.environ if environment is None else environment)
    found |= {name: value for name, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(found, Settings)
        with_quotas(settings.quotas)
    except (msgspec.ValidationError, LimitError) as error:
        raise SettingsError(f"settings: {error}") from None
    # Paths are appended, and an issuer with a slash is another issuer (RFC 7519, section 2: no transformation).
    return msgspec.structs.replace(
        settings,
        site_url=settings.site_url.rstrip("/"),
        base_url=settings.base_url.rstrip("/"),
        # Host names have no letter case (RFC 9110, section 4.2.3).
        allowed_hosts=tuple(host.lower() for host in settings.allowed_hosts),
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
    kinds = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    found: dict[str, Any] = {}
    for variable, text in environment.items():
        name = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX) or (name == "port" and _SERVICE_ADDRESS.match(text)):
            continue
        if name in _ONLY_IN_FILE:
            raise SettingsError(f"{variable}: set {name} in the file of --config")
        if name in kinds:
            found[name] = _value(variable, text, kinds[name])
    return found


def misspelled(environment: Mapping[str, str]) -> Iterator[str]:
    """Sentences about WAYPOST_* variables with a name similar to a known name, hence without effect."""
    known = {f"{_PREFIX}{name.upper()}": name for name in (*Settings.__struct_fields__, *_NOT_SETTINGS)}
    for variable in sorted(environment):
        # Windows has names in upper case alone.
        if not variable.upper().startswith(_PREFIX) or variable in known:
            continue
        name = variable[len(_PREFIX) :].lower()
        if _SERVICE_LINK.fullmatch(name):
            continue
        exact = [right for right, other in known.items() if other.replace("_", "") == name.replace("_", "")]
        if similar := exact or near(variable, known):
            yield f"{variable}: there is no such variable; did you mean {' or '.join(similar)}?"


def _value(variable: str, text: str, kind: Any) -> Any:
    if kind is bool:
        if text.lower() not in _TRUE:
            raise SettingsError(f"{variable}: write true or false")
        return _TRUE[text.lower()]
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise SettingsError(f"{variable}: give a number") from None
    if kind is str or get_origin(kind) is Literal:
        return text
    return tuple(part.strip() for part in text.split(",") if part.strip())
