"""Secrets by origin: their order, and that none of them is in a text for people."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import pytest

from waypost.config import Config, load
from waypost.lint.access import Given, access_for
from waypost.net.access import (
    Access,
    AccessError,
    Proxy,
    Secrets,
    agent,
    basic,
    cookie,
    crawlers,
    header,
    joined,
    passwords_of_netrc,
    secrets_in,
    without_userinfo,
)
from waypost.net.fetch import read_url

SECRET = "pw-8f3a"
STAGING = "https://staging.test"


@pytest.mark.parametrize(
    "value",
    [
        Secrets({"Authorization": SECRET}, ("client.pem", None)),
        Access(secrets={STAGING: Secrets({"Cookie": SECRET})}),
        Given(headers=(("X-Token", SECRET),), cert="client.pem"),
        Proxy("proxy.test", 3128, SECRET),
    ],
)
def test_no_text_of_a_value_has_the_secret(value: object) -> None:
    texts = [repr(value), str(value), f"{value}", repr([value])]
    try:
        raise KeyError(value)
    except KeyError:
        texts.append(traceback.format_exc())

    assert not [text for text in texts if SECRET in text]


@pytest.mark.parametrize(
    "text", [SECRET, f": {SECRET}", f"X y: {SECRET}", f"Host: {SECRET}", f"X: {SECRET}\r\nY: z", "X:"]
)
def test_an_unusable_header_is_an_error_without_its_value(text: str) -> None:
    with pytest.raises(AccessError) as raised:
        header(text)

    assert SECRET not in str(raised.value)


def test_cookies_are_joined_and_other_headers_replaced() -> None:
    given = [cookie("a=1"), ("x-token", "old"), cookie("b=2; c=3"), ("X-Token", "new")]

    assert joined(given) == {"Cookie": "a=1; b=2; c=3", "x-token": "new"}


@pytest.mark.parametrize(
    ("url", "user"),
    [
        ("https://ci:pw@staging.test/x", "ci:pw"),
        ("HTTPS://ci:p%40%3A%C3%BC@staging.test:443", "ci:p@:ü"),
        ("https://ci@staging.test/", "ci:"),
        ("https:/\\ci:pw@staging.test/", "ci:pw"),
    ],
)
def test_user_and_password_of_a_url_are_decoded(url: str, user: str) -> None:
    assert secrets_in(url) == {STAGING: Secrets(dict([basic(user)]))}
    assert "ci" not in without_userinfo(url)


@pytest.mark.parametrize(
    "url", ["https://staging.test/a@b", "https://staging.test/?q=a:b@c", "ftp://a:b@staging.test/", "a@b"]
)
def test_an_at_sign_elsewhere_is_not_a_password(url: str) -> None:
    assert secrets_in(url) == {}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("TOKEN", "of the configuration")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    (tmp_path / "netrc").write_text("machine staging.test login ci password of-netrc\ndefault login x password y\n")
    (tmp_path / "waypost.toml").write_text(
        f'[fetch.origins."{STAGING}"]\nheaders = {{ X-Token = "${{TOKEN}} for $$5" }}\n'
    )
    return load(tmp_path / "waypost.toml")


def test_the_command_line_goes_before_the_configuration(config: Config) -> None:
    configured = access_for(Given(), config, [f"{STAGING}/page"])
    given = access_for(Given(headers=(header("x-token: mine"), basic("me:mine"))), config, [f"{STAGING}/page"])

    assert configured.secrets[STAGING].headers == {
        "X-Token": "of the configuration for $5", "Authorization": basic("ci:of-netrc")[1],
    }  # fmt: skip
    assert given.secrets[STAGING].headers == {"x-token": "mine", "Authorization": basic("me:mine")[1]}


def test_the_default_of_netrc_is_left_out(config: Config) -> None:
    assert passwords_of_netrc(["other.test", "default", "staging.test"]) == {"staging.test": ("ci", "of-netrc")}
    assert access_for(Given(), Config(), ["https://other.test/"]).secrets == {}


def test_a_password_in_the_url_goes_before_others() -> None:
    stop, own = read_url(f"{STAGING}/x"), secrets_in("https://me:mine@staging.test/x")
    other, token = Secrets(dict([basic("ci:other")])), Secrets({"Authorization": "Bearer x"})

    assert Access(secrets={STAGING: other}).towards(stop, own) == own[STAGING]
    assert Access(secrets={STAGING: token}).towards(stop, own) == token
    assert Access().towards(read_url("http://staging.test/x"), own) == Secrets()


def test_each_crawler_has_a_dated_source_and_a_current_version() -> None:
    for name, crawler in crawlers().items():
        assert re.fullmatch(r"[a-z-]+", name)
        assert crawler.source.startswith("https://")
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", crawler.read)
        assert "W.X.Y.Z" not in crawler.agent
    assert "Chrome/1" in agent("Googlebot")
    assert agent("shop/1.0 (test)") == "shop/1.0 (test)"
