"""Settings that are refused at the start, and those next to them that are not."""

from __future__ import annotations

from typing import Any

import pytest

from waypost.api.settings import Settings, SettingsError, read_settings
from waypost.api.startup_checks import _addresses, mistakes_in


def mistakes(environment: dict[str, str] | None = None, **given: Any) -> list[str]:
    return mistakes_in(read_settings(environment=environment or {}, **given), environment or {})


@pytest.mark.parametrize(
    "proxies",
    [
        ("0.0.0.0/0",), ("0.0.0.0/1",), ("128.0.0.0/1",), ("::/0",), ("2000::/3",), ("::/1",), ("8.0.0.0/7",),
        ("0.0.0.0/2", "10.0.0.0/8"), tuple(f"{first}.0.0.0/8" for first in range(1, 20)), ("2001::/16",),
        ("10.0.0.0/33",), ("proxy.example.com",), ("",), ("::ffff:0:0/96",), ("::ffff:10.0.0.0/104",),
    ],
)  # fmt: skip
def test_networks_with_clients_are_rejected_as_proxies(proxies: tuple[str, ...]) -> None:
    (problem, *_) = mistakes(trusted_proxies=proxies)

    assert problem.startswith("trusted_proxies: ")


@pytest.mark.parametrize(
    "proxies",
    [
        ("127.0.0.1",), ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8"),
        ("104.16.0.0/13", "2606:4700::/32"), ("fd00::/48", "::1"), ("10.1.2.3/24",),
    ],
)  # fmt: skip
def test_networks_of_proxies_are_trusted(proxies: tuple[str, ...]) -> None:
    assert mistakes(trusted_proxies=proxies) == []


def test_a_network_of_both_families_is_named_as_matched() -> None:
    (problem,) = mistakes(trusted_proxies=("::ffff:10.0.0.0/104",))

    assert problem == "trusted_proxies: ::ffff:10.0.0.0/104 matches no client; write 10.0.0.0/8"


@pytest.mark.parametrize("host", ["*", "*.example.com", "https://example.com", "example.com/", "", "a b", "ü.example",
                                  "example.com:99999", "example.com:x", "::1"])  # fmt: skip
def test_what_no_host_header_has_is_rejected(host: str) -> None:
    (problem,) = mistakes(allowed_hosts=(host,))

    assert problem.startswith(f"allowed_hosts: {host!r}")


def test_hosts_in_all_their_forms_are_allowed() -> None:
    hosts = (
        "Trust.Example.com",
        "example.com:8443",
        "localhost",
        "10.0.0.7",
        "[::1]",
        "[::1]:80",
        "a_b.example",
        "x.test.",
    )

    assert mistakes(allowed_hosts=hosts) == []
    assert read_settings(environment={}, allowed_hosts=hosts).allowed_hosts[0] == "trust.example.com"


@pytest.mark.parametrize(
    "contact",
    ["security", "security@example.com", "mailto:", "mailto:security", "mailto:a@b", "http://example.com/", "https://",
     "https:example.com", "tel:", "tel:12", "mailto:a@example.com\nPolicy: x", "mailto:a b@example.com", "ftp://x.example/",
     "https://exa mple.com/", "mailto:@example.com", "mailto:a@b@example.com"],
)  # fmt: skip
def test_an_unreachable_contact_is_rejected(contact: str) -> None:
    (problem,) = mistakes(security_contact=contact)

    assert problem.startswith("security_contact: ")
    assert "\n" not in problem


@pytest.mark.parametrize("contact", ["", "mailto:security@example.com", "mailto:a.b+c@x.example.org?subject=waypost",
                                     "https://example.com/security", "tel:+1-201-555-0123"])  # fmt: skip
def test_a_contact_may_be_mail_page_or_phone(contact: str) -> None:
    assert mistakes(security_contact=contact) == []


@pytest.mark.parametrize(
    "origin",
    ["*", "null", "https://site.example/", "https://site.example/a", "https://*.example", "HTTPS://site.example",
     "https://Site.example", "https://site.example:443", "http://site.example:80", "https://a@site.example",
     "site.example", "https://site.example:x"],
)  # fmt: skip
def test_what_no_browser_sends_is_rejected_as_origin(origin: str) -> None:
    (problem,) = mistakes(cors_origins=(origin,))

    assert problem.startswith("cors_origins: ")


def test_origins_with_and_without_a_port_are_allowed() -> None:
    assert mistakes(cors_origins=("https://site.example", "http://127.0.0.1:3000", "https://[::1]:8443")) == []


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"port": 9000, "admin_port": 9000}, "admin_port"),
        ({"outbound": 4, "outbound_each": 5}, "outbound_each"),
        ({"replicas": 2}, "replicas"),
        ({"socket": "/nonexistent/waypost.sock"}, "socket"),
        ({"drain_s": float("nan")}, "drain_s"),
        ({"page_wait_s": float("inf")}, "page_wait_s"),
        ({"workers": 0}, "workers"),
    ],
)
def test_settings_that_mean_nothing_are_named(given: dict[str, Any], name: str) -> None:
    (problem,) = mistakes(**given)

    assert problem.startswith(f"{name}: ")


def test_a_socket_and_any_free_port_share_no_port() -> None:
    assert mistakes(port=9000, admin_port=9000, socket="/tmp/waypost.sock") == []
    assert mistakes(port=0, admin_port=0) == []


@pytest.mark.parametrize(
    ("variable", "right"),
    [
        ("WAYPOST_ALLOWEDHOSTS", "WAYPOST_ALLOWED_HOSTS"), ("WAYPOST_TRUSTED_PROXY", "WAYPOST_TRUSTED_PROXIES"),
        ("WAYPOST_ADMINPORT", "WAYPOST_ADMIN_PORT"), ("WAYPOST_OFLINE", "WAYPOST_OFFLINE"),
        ("WAYPOST_STORE_KEYFILE", "WAYPOST_STORE_KEY_FILE"), ("Waypost_Store", "WAYPOST_STORE"),
        ("WAYPOST_SITEURL", "WAYPOST_SITE_URL"), ("WAYPOST_WORKER", "WAYPOST_WORKERS"),
    ],
)  # fmt: skip
def test_a_misspelled_variable_is_named_with_the_right_one(variable: str, right: str) -> None:
    (problem,) = mistakes({variable: "1"})

    assert problem.startswith(f"{variable}: there is no such variable; did you mean {right}")


def test_variables_of_others_are_none_of_ours() -> None:
    links = {
        "WAYPOST_PORT": "tcp://10.96.0.7:80", "WAYPOST_SERVICE_HOST": "10.96.0.7", "WAYPOST_SERVICE_PORT": "80",
        "WAYPOST_SERVICE_PORT_HTTP": "80", "WAYPOST_PORT_80_TCP": "tcp://10.96.0.7:80",
        "WAYPOST_PORT_80_TCP_ADDR": "10.96.0.7", "WAYPOST_PORT_80_TCP_PORT": "80", "WAYPOST_PORT_80_TCP_PROTO": "tcp",
    }  # fmt: skip
    usual = {"WAYPOST_API_KEY": "k", "WAYPOST_SERVICE": "https://x.example", "WAYPOST_STORE_KEY": "k", "PATH": "/"}

    assert mistakes(links | usual) == []
    assert read_settings(environment=links).port == 8000


def test_quotas_cannot_be_a_variable() -> None:
    with pytest.raises(SettingsError, match="WAYPOST_QUOTAS: set quotas in the file"):
        read_settings(environment={"WAYPOST_QUOTAS": "checks=1"})


@pytest.mark.parametrize(
    "address",
    ["http://[", "https://a:b@trust.example.com", "https://trust.example.com:x", "https://", "https://a b.example",
     "https://trust.example.com/?x=1", "https://trust.example.com\n", "ftp://trust.example.com"],
)  # fmt: skip
def test_an_unreachable_address_is_rejected(address: str) -> None:
    problems = list(_addresses(Settings(site_url=address)))

    assert {problem.partition(":")[0] for problem in problems} == {"site_url", "base_url"}
