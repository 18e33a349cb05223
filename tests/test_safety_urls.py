"""Whole URLs: the decision is about where a URL leads in the end and who publishes there, and path and query stay here.

tests/cases/urls/strangers.json   nothing sensitive is allowed at any of them
tests/cases/urls/own.json         the same hosts' own pages, which are allowed as before
tests/cases/urls/hosts.json       hosts as written, the host that is read, or words of the error
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from waypost.errors import InvalidUrl
from waypost.models.decision import ACTIONS, Decision, Evidence, SensitiveUrl, Target
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.registry.world import World, load
from waypost.safety.policy import policies
from waypost.safety.target import split
from waypost.safety.url_reading import read_address, read_closely
from waypost.service import Checked, Service

CASES = Path(__file__).parent / "cases" / "urls"
GUIDE = Path(__file__).parent.parent / "site" / "docs" / "agents.md"
STRANGERS = [(case["url"], case["domain"]) for case in json.loads((CASES / "strangers.json").read_text())["urls"]]
RECEIVERS = [case["url"] for case in json.loads((CASES / "receivers.json").read_text())["urls"]]
SPELLINGS = json.loads((CASES / "hosts.json").read_text("utf-8"))["urls"]
OWN = [case["url"] for case in json.loads((CASES / "own.json").read_text())["urls"]]
WORLD = load()
NOW = 1_796_040_000_000
MINUTE, DAY = 60_000, 86_400_000
CANARY = "k4n4ry"
NO_MATCH = Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW)


async def everything_seen(target: Target, within_s: float) -> Observations:
    times = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    return Observations(
        host=target.host,
        observed_at=NOW,
        dns=DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=TlsObservation(status="observed", valid=True, **times),
        http=HttpObservation(status="observed", hops=(hop,), answer=200, media_type="text/html", body=b"<p>", **times),
        registration=RegistrationObservation(status="observed", registered_at=NOW - 900 * DAY, **times),
    )


CURRENT = [version for version in policies(WORLD) if version.endswith("2026-11-29")]
SERVICE = Service(
    WORLD, probe=everything_seen, now=lambda: NOW, new_id=lambda: "d", lists=lambda target, now: (NO_MATCH,)
)


@cache
def checked(url: str, action: str = "login", policy: str = "strict") -> Checked:
    return SERVICE.check(SensitiveUrl(url), action, policy=policy)


def decided(url: str, action: str = "login", policy: str = "strict") -> Decision:
    return checked(url, action, policy).decision


# Thousands of addresses: a test for each would cost more than the decisions.
def test_third_party_pages_on_reviewed_hosts_have_other_owners() -> None:
    others = {url: (domain, found) for url, domain in STRANGERS if (found := decided(url).normalized_domain) != domain}
    pairs = [("login", "strict"), *((action, policy) for policy in CURRENT for action in ("payment", "upload"))]
    allowed = [(url, *each) for url, _ in STRANGERS for each in pairs if decided(url, *each).action_allowed]

    assert others == {}, "the domain that was expected, and the one decided about"
    assert allowed == []


def test_the_owners_own_pages_are_allowed_as_before() -> None:
    found = {url: decided(url) for url in OWN}

    assert [(url, each.reason_codes, each.unknowns) for url, each in found.items() if not each.action_allowed] == []
    assert {each.reason_codes for each in found.values()} == {("official_relationship_verified",)}


def test_path_and_query_enter_no_decision_or_input() -> None:
    results = {url: checked(url) for url in [url for url, _ in STRANGERS] + OWN}

    results_text = {
        url: msgspec.json.encode((each.decision, each.case)).decode() + repr(each) for url, each in results.items()
    }
    assert [url for url, text in results_text.items() if CANARY in text.lower()] == []


def test_clock_of_these_tests_is_after_every_shipped_review() -> None:
    reviewed = {entry.reviewed for brand in WORLD.brands.values() for entry in brand.official_domains}

    # A review from the future verifies nothing, and a page that nothing verifies is stopped whoever publishes there.
    assert max(reviewed) < datetime.fromtimestamp(NOW / 1000, UTC).date().isoformat()


def reasons(url: str, **more: Any) -> tuple[str, ...]:
    return decided(url, **more).reason_codes


def test_the_decision_states_that_the_outer_host_redirects() -> None:
    decision = decided(f"https://www.google.com/url?q=https://stranger.test/{CANARY}")

    assert decision.reason_codes == ("redirects_elsewhere",)
    assert [piece.detail for piece in decision.evidence if piece.summary_code == "redirector_url"] == [
        "the address at www.google.com redirects to stranger.test"
    ]


def test_a_redirector_to_an_imitation_names_the_brand() -> None:
    decision = decided("https://www.google.com/url?q=https://paypa1.test/")

    assert decision.relationship_status == "suspected_impersonation"
    assert decision.official_alternative == "https://paypal.com/"


def test_a_wrapped_verified_destination_is_decided_by_itself() -> None:
    decision = decided(
        "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.paypal.com%2Fsignin&data=05"
    )

    assert (decision.normalized_domain, decision.action_allowed) == ("www.paypal.com", True)


def test_a_redirector_without_encryption_verifies_nothing_behind_it() -> None:
    decision = decided("http://www.google.com/url?q=https://www.paypal.com/")

    assert decision.action_allowed is False
    assert "insecure_transport" in decision.reason_codes


def test_another_domain_with_a_redirectors_label_is_none() -> None:
    decision = decided("https://www.google.test/url?q=https://www.paypal.com/")

    assert decision.normalized_domain == "www.google.test"
    assert decision.action_allowed is False


def test_url_within_more_redirectors_than_needed_is_not_followed() -> None:
    url = "https://stranger.test/"
    for _ in range(12):
        url = f"https://www.google.com/url?q={url.replace('%', '%25').replace('&', '%26').replace('?', '%3F')}"

    decision = decided(url)

    assert decision.action_allowed is False


def test_unread_evidence_is_an_unknown_for_its_policies() -> None:
    page, front = "https://www.paypal.com/signin", "https://www.paypal.com/"

    assert decided(page).unknowns == ("page_content_not_inspected",)
    assert decided(front).unknowns == ()
    assert decided(page, policy="baseline-2026-11-20").unknowns == ()
    assert "redirect_target_not_checked" in decided("https://www.linkedin.com/slink?code=x").unknowns
    assert "redirect_target_not_checked" in decided("https://www.chase.com/?next=https://stranger.test/").unknowns


SIGN_IN = f"https://github.com/login/oauth/authorize?client_id=1&redirect_uri=https://stranger.test/{CANARY}"


@pytest.mark.parametrize(
    ("url", "receiver"),
    [
        (SIGN_IN, "stranger.test"),
        ("https://github.com/login/oauth/authorize?client_id=1&scope=repo", "a receiver that the URL does not name"),
        ("https://github.com/login/oauth/authorize?client_id=1", "a receiver that the URL does not name"),
        ("https://github.com/login/oauth/authorize?client_id=1&redirect_uri=app%3A%2F%2Fx", "a receiver that the URL"),
        ("https://github.com/login/oauth/authorize?client_id=1&redirect_uri=//stranger.test", "stranger.test"),
        (
            "https://steamcommunity.com/openid/login?openid.mode=checkid_setup&openid.return_to=https://stranger.test",
            "stranger.test",
        ),
    ],
)
def test_a_login_names_the_unchecked_receiver_of_its_result(url: str, receiver: str) -> None:
    decision = decided(url)

    assert "sign_in_receiver_not_checked" in decision.unknowns
    (detail,) = [piece.detail for piece in decision.evidence if piece.id == "url.receiver"]
    assert detail.startswith(f"the result of the sign-in goes to {receiver}")


@pytest.mark.parametrize("action", [action for action in ACTIONS if action not in {"login", "visit"}])
def test_other_actions_stop_when_the_result_goes_elsewhere(action: str) -> None:
    for policy in CURRENT:
        decision = decided(SIGN_IN, action, policy)

        assert decision.action_allowed is False
        assert "redirect_target_not_checked" in decision.unknowns


GOOGLE = "https://accounts.google.com/o/oauth2/v2/auth?client_id=1&response_type=code&scope=https://mail.google.com/"
INSIDE = "https://accounts.google.com/o/oauth2/auth?client_id=1&scope=x&redirect_uri=https%3A%2F%2Fstranger.test"
OWN_RECEIVER = f"{GOOGLE}&redirect_uri=https%3A%2F%2Fmail.google.com%2Fcb"
UNREVIEWED = [
    *(f"{GOOGLE}&redirect_uri={value}" for value in (
        "https://stranger.test/cb", "https%3A%2F%2Fstranger.test%2Fcb", "https%253A%252F%252Fstranger.test%252Fcb",
        "stranger.test/cb", "//stranger.test/cb", "%2F%5Cstranger.test", "http://mail.google.com/cb",
        "http://localhost:4711/cb", "http://127.0.0.1/", "com.example.app:/cb", "postmessage",
        "urn:ietf:wg:oauth:2.0:oob", "storagerelay://https/stranger.test?id=1", "https://mail.google.com@stranger.test/",
        "https://www.google.com/url?q=https://stranger.test/", "https://sites.google.com/view/stranger",
        "/url?q=https://stranger.test/", "https://mail.google.com:8443/cb", "",
    )),
    GOOGLE,
    *RECEIVERS,
    f"{OWN_RECEIVER}&redirect_uri=https://stranger.test/",
    f"{OWN_RECEIVER}&REDIRECT_URI=https://stranger.test/",
    f"{OWN_RECEIVER}&request=eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL3N0cmFuZ2VyLnRlc3QifQ.",
    f"{OWN_RECEIVER}&request_uri=urn:ietf:params:oauth:request_uri:x",
    "https://accounts.google.com/#client_id=1&response_type=token&redirect_uri=https://stranger.test/",
    f"https://accounts.google.com/ServiceLogin?continue={quote(INSIDE, safe='')}",
    "https://github.com/login/oauth/authorize?client%5Fid=1&redirect%5Furi=https%3A%2F%2Fstranger.test",
    "https://github.com/login/oauth/authorize?response_type=code&redirect_uri=https://stranger.test/",
    "https://github.com/login/oauth/authorize?clientId=1&redirectUri=https://stranger.test/",
    "https://login.microsoftonline.com/x/saml2?SAMLRequest=fZJNT",
    "https://login.microsoftonline.com/common/wsfed?wa=wsignin1.0&wtrealm=https://stranger.test",
    "https://login.microsoftonline.com/common/wsfed?wa=wsignin1.0&wtrealm=x&wreply=https://stranger.test",
]  # fmt: skip


@pytest.mark.parametrize("action", ["login", "payment", "send_personal_data"])
def test_a_sign_in_with_unreviewed_receiver_is_never_allowed(action: str) -> None:
    found = {(url, policy): decided(url, action, policy) for url in UNREVIEWED for policy in CURRENT}

    assert [place for place, each in found.items() if each.action_allowed] == []
    # Where the host redirects too, the decision is about the host inside.
    own = {place: each for place, each in found.items() if each.reason_codes != ("redirects_elsewhere",)}
    assert len(own) > len(found) - 10
    assert [place for place, each in own.items() if "sign_in_receiver_not_verified" not in each.reason_codes] == []
    assert [place for place, each in own.items() if "sign_in_receiver_not_checked" not in each.unknowns] == []


@pytest.mark.parametrize(
    "receiver",
    [
        "https://mail.google.com/cb",  # a domain of the same owner
        "https://www.dropbox.com/cb",  # of another reviewed owner, for whom the user signs in
        "https%3A%2F%2Faccounts.google.com%2Fcb",
        "/cb",
    ],
)
def test_a_sign_in_with_a_reviewed_receiver_is_allowed(receiver: str) -> None:
    decision = decided(f"{GOOGLE}&redirect_uri={receiver}")

    assert decision.action_allowed is True
    assert decision.reason_codes == ("official_relationship_verified",)
    assert "sign_in_receiver_not_checked" not in decision.unknowns


def test_a_review_verifies_a_receiver_and_disputes_end_it() -> None:
    def login(state: str) -> Decision:
        review = Relationship(
            id="r", domain="app.reviewed.test", entity="x", state=state, scope="host", reviewed_at=NOW - DAY,
            review_expires_at=NOW + DAY, grave=True,
        )  # fmt: skip
        service = Service(
            WORLD, probe=everything_seen, now=lambda: NOW, lists=lambda target, now: (NO_MATCH,),
            known=lambda target, now: (review,) if target.host == review.domain else (),
        )  # fmt: skip
        return service.check(f"{GOOGLE}&redirect_uri=https://app.reviewed.test/cb", "login").decision

    assert login("accepted").action_allowed is True
    assert "sign_in_receiver_not_verified" in login("disputed").reason_codes
    assert "sign_in_receiver_not_verified" in login("expired").reason_codes


def test_a_list_that_names_the_receiver_stops_sign_in() -> None:
    match = msgspec.structs.replace(NO_MATCH, id="list.match", strength="decisive")
    service = Service(
        WORLD, probe=everything_seen, now=lambda: NOW,
        lists=lambda target, now: (match if target.host == "www.dropbox.com" else NO_MATCH,),
    )  # fmt: skip
    decision = service.check(f"{GOOGLE}&redirect_uri=https://www.dropbox.com/cb", "login").decision

    assert decision.action_allowed is False
    assert "threat_list_match" in decision.reason_codes


def test_an_earlier_policy_decides_sign_in_as_before() -> None:
    decision = decided(SIGN_IN, policy="baseline-2026-12-01")

    assert decision.action_allowed is True
    assert "sign_in_receiver_not_checked" in decision.unknowns


@pytest.mark.parametrize("code", ["user_code", "userCode", "device_code", "device-code"])
@pytest.mark.parametrize("policy", CURRENT)
def test_a_sign_in_with_a_device_code_is_stopped(code: str, policy: str) -> None:
    decision = decided(f"https://github.com/login/device?{code}={CANARY}", policy=policy)

    assert decision.action_allowed is False
    assert decision.reason_codes == ("filled_in_by_url", "sign_in_receiver_not_verified")


@pytest.mark.parametrize("action", ["login", "payment"])
@pytest.mark.parametrize("policy", CURRENT)
def test_a_page_for_device_codes_has_no_known_receiver(action: str, policy: str) -> None:
    decision = decided("https://github.com/login/device", action, policy)

    assert (decision.relationship_status, decision.action_allowed) == ("verified_official", False)
    assert "a receiver that the URL does not name" in str([piece.detail for piece in decision.evidence])
    assert decided("https://github.com/login", action, policy).action_allowed is True


def test_a_sign_in_at_the_owners_site_needs_nothing() -> None:
    own = "https://auth.openai.com/authorize?client_id=1&redirect_uri=https%3A%2F%2Fchatgpt.com%2F&response_type=code"

    assert decided(own).unknowns == ("page_content_not_inspected",)


def test_a_hosts_review_covers_its_port_unlike_a_domains() -> None:
    def at_port(scope: str) -> Decision:
        review = Relationship(
            id="r", domain="pay.reviewed.test" if scope == "host" else "reviewed.test", entity="x", state="accepted",
            scope=scope, reviewed_at=NOW - DAY, review_expires_at=NOW + DAY, grave=True,
        )  # fmt: skip
        service = Service(
            WORLD, probe=everything_seen, now=lambda: NOW, known=lambda target, now: (review,),
            lists=lambda target, now: (NO_MATCH,),
        )  # fmt: skip
        return service.check("https://pay.reviewed.test:8443/", "payment").decision

    assert at_port("host").action_allowed is True
    assert at_port("registrable").action_allowed is False
    assert at_port("registrable").unknowns == ("official_relationship_not_confirmed",)


def test_a_shared_platform_is_named_as_such() -> None:
    assert reasons("https://www.paypal.com/paypalme/somebody") == ("published_by_strangers",)
    assert reasons("https://www.paypal.com/paypalme/somebody", policy="strict-2026-11-20") == ("no_decisive_signal",)


def world_of_the_guide() -> World:
    """The shipped world with the guide's platform and shop, and with an entry as the shipped ones of booking sites."""
    files = dict(WORLD.files)
    paypal = json.loads(files["brands/p/paypal.json"])
    for slug in ("stays", "shop"):
        domain = paypal["official_domains"][0] | {"domain": f"{slug}.example"}
        changes = {"slug": slug, "names": [slug], "owner": slug, "tokens": [], "official_domains": [domain]}
        files[f"brands/{slug[0]}/{slug}.json"] = json.dumps(paypal | changes | {"further_domains": []}).encode()
    places = json.loads(files["places/publishers.json"])
    (booking,) = [
        e
        for e in places["publishers"]
        if e["what"] == "listing" and e["hosts"][0] == "booking.com" and "/hotel/*" in e["paths"]
    ]
    places["publishers"].append(booking | {"hosts": ["stays.example"]})
    return World(files | {"places/publishers.json": json.dumps(places).encode()})


def test_the_guides_table_has_the_decisions_of_platforms() -> None:
    service = Service(
        world_of_the_guide(), probe=everything_seen, now=lambda: NOW, lists=lambda target, now: (NO_MATCH,)
    )
    rows = re.findall(r"^\| `(https://\S+)` \| [^|]+ \| ([^|]+) \|$", GUIDE.read_text("utf-8"), re.MULTILINE)

    assert len(rows) == 3
    for url, answer in rows:
        for action in ("login", "payment"):
            decision = service.check(url, action, policy="strict").decision
            results_text = "a stop with `published_by_strangers`" if not decision.action_allowed else "may be allowed"
            assert answer == results_text, (url, action, decision.reason_codes, decision.unknowns)
            assert ("published_by_strangers" in decision.reason_codes) is not decision.action_allowed


@pytest.mark.parametrize(
    "query",
    [
        "q=" + "%25" * 900 + "68ttps",
        "&".join(f"a{n}=1" for n in range(400)) + "&q=https://stranger.test",
        "q=https://[::1",
        "q=https://",
        "q=aHR0cHM6Ly8",
        "q=https%3A%2F%2F%00%0d%0a",
        "=&&;;q",
    ],
)
def test_query_that_was_made_to_confuse_is_a_stop(query: str) -> None:
    assert decided(f"https://www.google.com/url?{query}").action_allowed is False


@pytest.mark.parametrize(
    "url",
    [
        "https://www.paypal.com\\@other.test/",
        "https://www.paypal.com\\.other.test/",
        "https://other.test\\@www.paypal.com/",
        "https:\\\\www.paypal.com/",
        "https:/\\www.paypal.com/",
        "https:www.paypal.com\\@other.test/",
    ],
)
def test_an_ambiguous_host_gets_no_decision(url: str) -> None:
    """A browser goes to the host before the backslash; curl, `urllib` and `httpx` go to the one behind it."""
    with pytest.raises(InvalidUrl, match="a backslash stands before the path"):
        read_address(SensitiveUrl(url), WORLD)


def test_a_backslash_behind_the_host_belongs_to_the_path() -> None:
    for path in ("/a\\b", "/?q=\\", "?q=\\@other.test", "#\\"):
        assert read_address(f"https://www.paypal.com{path}", WORLD).target.host == "www.paypal.com"


HOSTS = ("www.paypal.com", "www.google.com", "allow.test", "shop.example.com", "docs.google.com", "t.co")
PIECES = (
    *("/", "//", "?", "&", "=", "#", "#!", "#/", ";", ".", "-", "_", "%", "%2F", "%253A", ":", "\\", "@", "+", "!"),
    *("next", "return_url", "returnUrl", "Redirect-Uri", "client_id", "scope", "openid.mode", "state", "u", "url", "q"),
    *("redirect", "go", "out", "a", "1", "https", "https:", "http://", "other.test", "//other.test", "javascript:"),
    *("aHR0cHM6Ly9vdGhlci50ZXN0", "68747470733a2f2f6f", "ovL", "é", "&#58;", "\\u003a", "do", "account.do", "paypalme"),
)


@given(st.sampled_from(HOSTS), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("allow.test", "pay?order=1")
@example("allow.test", "/")
@example("allow.test", "?q=eyJuZXh0IjoiLy9vdGhlci50ZXN0In0é")
@example("allow.test", "éaHR0cHM6Ly9vdGhlci50ZXN0")
@example("allow.test", "#!/next=other.test")
@example("allow.test", "x=?//other.test")
@example("allow.test", "?next=other.test#client_id=1&scope=2")
def test_an_ordinary_url_is_read_as_if_searched(host: str, rest: str) -> None:
    url = f"https://{host}/{rest}"
    try:
        parts = split(url)
        found = read_address(url, WORLD)
    except InvalidUrl:
        return
    assert found == read_closely(parts, WORLD)


def test_a_brands_own_service_accuses_only_acting_pages() -> None:
    assert decided("https://onedrivefiles01.blob.core.windows.net/").relationship_status != "suspected_impersonation"
    assert decided("https://onedrive-login.blob.core.windows.net/").relationship_status == "suspected_impersonation"
    assert decided("https://onedrivefiles01.pages.dev/").action_allowed is False


@pytest.mark.parametrize("case", SPELLINGS, ids=lambda case: case["url"][:60])
def test_a_host_is_read_as_browsers_read_it_or_rejected(case: dict[str, str]) -> None:
    if "error" in case:
        with pytest.raises(InvalidUrl, match=case["error"]):
            read_address(SensitiveUrl(case["url"]), WORLD)
        return

    address = read_address(SensitiveUrl(case["url"]), WORLD)

    assert address.target.host == case["host"]
    assert address.reading.poses_as == case.get("poses_as", "")
