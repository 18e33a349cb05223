"""A URL becomes a target: every published vector, and nothing secret kept."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import ada_url
import msgspec
import publicsuffixlist
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import InvalidUrl, UnsupportedScheme
from waypost.models.decision import SensitiveUrl, decode_sensitive
from waypost.models.wire.decisions import CheckRequest
from waypost.safety.suffixes import suffixes_of
from waypost.safety.target import normalise, origin, parse, registrable_domain, scripts_of

VECTORS = Path(__file__).resolve().parent.parent.parent / "shared" / "vectors"
needs_vectors = pytest.mark.skipif(not VECTORS.is_dir(), reason="the published vectors lie beside the checkout only")
CANARY = "k4n4ry"


def rows(name: str) -> list[dict]:
    return [row for row in json.loads((VECTORS / name).read_text(encoding="utf-8")) if isinstance(row, dict)]


@needs_vectors
def test_every_url_of_the_platform_tests_is_read_correctly() -> None:
    missed = []
    for row in rows("urltestdata.json"):
        try:
            href = parse(row["input"], row["base"]).href
        except InvalidUrl:
            href = None
        if href != (None if row.get("failure") else row["href"]):
            missed.append(row["input"])

    assert missed == []


@needs_vectors
@pytest.mark.parametrize("file", ["toascii.json", "IdnaTestV2.sample.json"])
def test_every_host_of_the_vectors_becomes_its_ascii(file: str) -> None:
    missed = []
    for row in rows(file):
        try:
            host = parse(f"https://{row['input']}/x").hostname
        except InvalidUrl:
            host = None
        if host != row["output"]:
            missed.append(row["input"])

    assert missed == []


@needs_vectors
def test_every_row_of_the_public_suffix_vectors_holds() -> None:
    text = (VECTORS / "test_psl.txt").read_text(encoding="utf-8")
    cases = re.findall(r"^checkPublicSuffix\('(.*?)', (?:'(.*?)'|null)\);", text, re.MULTILINE)

    missed = [
        (host, expected)
        for host, expected in cases
        if (registrable_domain(host.lower()) if not host.startswith(".") else None) != (expected or None)
    ]

    assert len(cases) >= 70
    assert missed == []


def rule_hosts() -> Iterator[str]:
    """For each rule of the list a name that it matches, the suffix itself, and names above and below."""
    for line in Path(publicsuffixlist.PSLFILE).read_text(encoding="utf-8").split("\n"):
        rule = line.partition(" ")[0]
        if rule and not rule.startswith("//"):
            name = ada_url.idna_to_ascii(rule.removeprefix("!").replace("*", "any")).decode("ascii")
            yield from (name, f"a.{name}", f"b.a.{name}", f"{name}.no-such-suffix", name.partition(".")[2] or name)


def test_one_suffix_table_agrees_with_the_packages_reader() -> None:
    whole, registries = (publicsuffixlist.PublicSuffixList(only_icann=icann) for icann in (False, True))

    wrong = [
        host
        for host in rule_hosts()
        if suffixes_of(host)
        != (
            whole.publicsuffix(host),
            registries.publicsuffix(host),
            registries.publicsuffix(host, accept_unknown=False) is not None,
        )
    ]

    assert wrong == []


def test_a_url_is_cut_down_to_its_host() -> None:
    target = normalise(f"HTTPS://Shop.Example.CO.UK:8443/{CANARY}?q={CANARY}#{CANARY}")

    assert target.scheme == "https"
    assert target.host == "shop.example.co.uk"
    assert target.registrable == "example.co.uk"
    assert target.suffix == "co.uk"
    assert target.own_labels == ("shop", "example")
    assert target.port == 8443
    assert CANARY not in repr(target)
    assert CANARY not in msgspec.json.encode(target).decode()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://0177.0.0.1/", "127.0.0.1"),
        ("http://127。0。0。1/", "127.0.0.1"),
        ("http://[0:0::1]/", "::1"),
        ("http://[::ffff:10.0.0.1]/", "::ffff:a00:1"),
    ],
)
def test_an_address_is_seen_in_every_spelling(url: str, address: str) -> None:
    assert normalise(url).address == address
    assert normalise(url).labels == ()


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (r"http:\\other.test\@example.com", "other.test"),
        ("https://example.com@other.test/", "other.test"),
        ("https://example.com%2F@other.test/", "other.test"),
        ("https:other.test", "other.test"),
        ("https://other.test.", "other.test"),
    ],
)
def test_text_before_the_host_is_not_the_host(url: str, host: str) -> None:
    assert normalise(url).host == host


def test_credentials_are_noticed_and_dropped() -> None:
    target = normalise(f"https://{CANARY}:{CANARY}@example.com/")

    assert target.userinfo
    assert target.userinfo_poses is False
    assert CANARY not in repr(target)


def test_host_name_in_the_place_of_credentials_is_named() -> None:
    assert normalise("https://www.example.com@other.test/").userinfo_poses is True
    assert normalise("https://someone%40example.com:word@other.test/").userinfo_poses is False


@pytest.mark.parametrize(
    "user",
    [
        "www%2Eexample%2Ecom", "www%252Eexample%252Ecom", "www.example.com%2Flogin", "www.example.com%2Flogin%3Fx=1",
        "https:%2F%2Fwww.example.com", "https%3A%2F%2Fwww.example.com%2F", "%2F%2Fwww.example.com",
        "www.example.com%20", "www.example.com:443", "www.example.com.", "WWW.Example.COM", "www.example.com%3A443",
        "%EF%BD%97ww.example.com", "www%E3%80%82example.com",
    ],
)  # fmt: skip
def test_a_user_name_is_decoded_before_its_comparison(user: str) -> None:
    assert normalise(f"https://{user}@other.test/").userinfo_poses is True


@pytest.mark.parametrize("user", ["jane", "jane:pw", "jane%40example.com", "jane%2540example.com", "a.b", "%2F", "com"])
def test_the_name_of_a_user_differs_from_a_host(user: str) -> None:
    assert normalise(f"https://{user}@other.test/").userinfo_poses is False


def test_international_names_are_stored_both_ways() -> None:
    target = normalise("https://bücher.example/")

    assert target.host == "xn--bcher-kva.example"
    assert target.unicode_host == "bücher.example"
    assert target.scripts == ("Latin",)
    assert normalise("https://аpple.example/").scripts == ("Cyrillic", "Latin")


@pytest.mark.parametrize(
    ("host", "registrable", "hosted"),
    [
        ("shop.weebly.com", "shop.weebly.com", True),
        ("a.b.webflow.io", "b.webflow.io", True),
        ("someone.github.io", "someone.github.io", True),
        ("www.example.com", "example.com", False),
        ("weebly.com", "weebly.com", False),
        ("www.weebly.com", "weebly.com", False),
        ("a.b.example.uk.com", "example.uk.com", True),
    ],
)
def test_a_tenant_of_a_host_is_its_own_domain(host: str, registrable: str, hosted: bool) -> None:
    target = normalise(f"https://{host}/")

    assert (target.registrable, target.hosted) == (registrable, hosted)


@pytest.mark.parametrize(
    "url", ["", "example.com", "https://", "https://exa mple.com", "//example.com/", "https://a..b/", "https://.a.b/"]
)
def test_what_is_not_an_absolute_url_is_rejected(url: str) -> None:
    with pytest.raises(InvalidUrl):
        normalise(url)


@pytest.mark.parametrize("url", ["ftp://example.com/", "javascript:alert(1)", "file:///etc/passwd", "data:,x"])
def test_other_schemes_are_rejected(url: str) -> None:
    with pytest.raises(UnsupportedScheme):
        normalise(url)


def test_control_characters_and_endless_urls_are_rejected_unread() -> None:
    with pytest.raises(InvalidUrl, match="control"):
        normalise("https://exam\tple.com/")
    with pytest.raises(InvalidUrl, match="longer"):
        normalise("https://example.com/" + "a" * 9000)


def test_a_refusal_never_repeats_the_url() -> None:
    with pytest.raises(InvalidUrl) as refusal:
        normalise(f"https://exa mple.com/{CANARY}?{CANARY}")

    assert CANARY not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_a_sensitive_url_reveals_only_permitted_parts() -> None:
    url = SensitiveUrl(f"https://example.com/{CANARY}", display="https://example.com")

    forms = [str(url), repr(url), f"{url:>40}", repr([url]), str(copy.deepcopy([url])), repr(CheckRequest(url=url))]
    forms += [repr(pickle.loads(pickle.dumps(url)).reveal()), repr(pickle.dumps(url))]

    assert not any(CANARY in form for form in forms)
    assert url.reveal().endswith(CANARY)
    with pytest.raises(AttributeError):
        url._text = "other"


def test_a_check_request_from_json_rejects_unknown_members() -> None:
    vectors = msgspec.json.decode(
        b'{"url":"https://example.com/x","intended_action":"payment"}', type=CheckRequest, dec_hook=decode_sensitive
    )

    assert vectors.url.reveal() == "https://example.com/x"
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"url":"https://example.com/","intended_action":"gift"}', type=CheckRequest)


def test_scripts_common_to_all_are_omitted() -> None:
    assert scripts_of("123-4") == ()
    assert scripts_of("日本ab1") == ("Han", "Latin")


@given(st.text(max_size=60))
def test_any_text_is_either_a_target_or_a_refusal(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}.example/"):
        try:
            target = normalise(url)
        except InvalidUrl:
            continue
        assert target.host == target.host.lower()
        assert target.address or target.host.endswith(target.registrable)


@given(st.from_regex(r"[a-z0-9]{1,8}(\.[a-z]{2,5}){1,3}", fullmatch=True))
def test_a_printed_target_reads_back_the_same(host: str) -> None:
    try:
        target = normalise(f"https://{host}/secret?x=1")
    except InvalidUrl:
        return
    assert normalise(origin(target)) == target
    assert ada_url.URL(origin(target)).hostname in {target.host, f"[{target.host}]"}
