"""The console in a browser without scripts: sign in, make, exchange and end keys, sign out."""

from __future__ import annotations

import html
import json
import re
from typing import Any, get_args
from urllib.parse import urlencode

import pytest
from tests.api.conftest import NOW, SITE, Api

from waypost.api.console import review_words
from waypost.api.console.pages import digest_of
from waypost.models import api_key as making
from waypost.models.relationship import RELATIONSHIP_TYPES, STATES, Claim
from waypost.safety.ownership import Change
from waypost.store import relationships, sessions
from waypost.store.disputes import COMPLAINTS, STATUSES


class Browser:
    """Keeps the cookie, sends forms as a browser does."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.cookie = ""

    def get(self, path: str, **headers: str) -> Any:
        return self._call("GET", path, headers)

    def send(self, path: str, fields: Any, **headers: str) -> Any:
        usual = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        return self._call("POST", path, usual | headers, content=urlencode(fields, doseq=True))

    def _call(self, method: str, path: str, headers: dict[str, str], **more: Any) -> Any:
        sent = {"Accept": "text/html", **({"Cookie": self.cookie} if self.cookie else {}), **headers}
        sent = {name.replace("_", "-"): value for name, value in sent.items()}
        answer = self.api.call(method, path, headers=sent, **more)
        if given := answer.headers.get("set-cookie"):
            self.cookie = given.partition(";")[0]
        return answer

    def sign_in(self, person: str = "ann", organization: Any = None) -> str:
        """The token that forms must send back."""
        organization_id = (organization or self.api.acme).id
        token = self.api.state.store.write(
            lambda db: sessions.create_link(db, organization_id, person, self.api.clock.now)
        )
        answer = self.send("/keys/sign-in", {"token": token})
        assert (answer.status_code, answer.headers["location"]) == (303, "/keys/")
        return hidden(self.get("/keys/new"))["csrf"]


@pytest.fixture
def browser(api: Api) -> Browser:
    return Browser(api)


def hidden(page: Any) -> dict[str, str]:
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text)
    return {name: html.unescape(value) for name, value in fields}


def key_form(csrf: str, **changed: Any) -> dict[str, Any]:
    return {"csrf": csrf, "name": "till", "labels": ["Read"], "environment": "live", "expires_days": "30"} | changed


def displayed_key(page: Any) -> str:
    (text,) = re.findall(making.PATTERN, page.text)
    return str(text)


def test_link_signs_in_once_and_fetching_keeps_it_valid(api: Api, browser: Browser) -> None:
    token = api.state.store.write(lambda db: sessions.create_link(db, api.acme.id, "ann", NOW))
    for _ in range(3):
        page = browser.get(f"/keys/sign-in?token={token}")
        assert page.status_code == 200
        assert hidden(page) == {"token": token}
        assert "script-src 'none'" in page.headers["content-security-policy"]

    first = browser.send("/keys/sign-in", {"token": token})

    assert first.status_code == 303
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("waypost_session=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/keys/"} <= set(cookie.split("; "))
    assert browser.send("/keys/sign-in", {"token": token}).status_code == 404
    assert browser.get(f"/keys/sign-in?token={token}").status_code == 404


def test_link_is_good_for_a_quarter_of_an_hour(api: Api, browser: Browser) -> None:
    token = api.state.store.write(lambda db: sessions.create_link(db, api.acme.id, "ann", NOW))
    api.clock.tick(15 * 60)

    assert browser.send("/keys/sign-in", {"token": token}).status_code == 404
    assert browser.cookie == ""


@pytest.mark.parametrize(
    ("site", "host", "secure"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", False),
        ("http://127.0.0.1:8000", "localhost:8000", False),
        ("http://[::1]:8000", "[::1]:8000", False),
        ("http://127.0.0.1:8000", "waypost.test", True),
        ("http://waypost.test", "127.0.0.1:8000", True),
        ("https://waypost.test", "waypost.test", True),
        ("https://127.0.0.1", "127.0.0.1", True),
    ],
)
def test_the_cookie_is_secure_except_on_plain_local_http(open_api: Any, site: str, host: str, secure: bool) -> None:
    api = open_api(site_url=site)
    token = api.state.store.write(lambda db: sessions.create_link(db, api.acme.id, "ann", NOW))

    answer = Browser(api).send("/keys/sign-in", {"token": token}, Host=host)

    assert ("Secure" in answer.headers["set-cookie"].split("; ")) is secure


def test_without_a_session_the_address_explains_sign_in(browser: Browser) -> None:
    page = browser.get("/keys/")

    assert page.status_code == 200
    assert "waypost org login-link" in page.text
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/keys/new", "/keys/some/rotate", "/keys/some/revoke"])
def test_pages_of_the_console_need_a_session(browser: Browser, path: str) -> None:
    page = browser.get(path)

    assert page.status_code == 401
    assert page.headers["content-type"].startswith("text/html")
    assert "waypost org login-link" in page.text


def test_a_new_key_without_a_permission_returns_the_form(browser: Browser) -> None:
    csrf = browser.sign_in()

    answer = browser.send("/keys/review", key_form(csrf, labels=[], environment="test"))

    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "Choose at least one permission." in answer.text
    assert 'value="till"' in answer.text
    assert '<option value="test" selected>' in answer.text
    assert hidden(answer)["csrf"] == csrf


def test_a_key_is_reviewed_made_displayed_once_and_masked(api: Api, browser: Browser) -> None:
    csrf = browser.sign_in()
    review = browser.send("/keys/review", key_form(csrf, scopes=["audit"]))
    words = html.unescape(re.sub(r"<[^>]+>|\s+", " ", review.text))
    assert "It can look up domains, find relationships that passed review, search records" in words
    assert "It cannot request decisions about actions" in words
    assert "anyone who has it sees who did what" in words

    made = browser.send(
        "/keys/create", hidden(review) | {"scopes": re.findall(r'name="scopes" value="(\w+)"', review.text)}
    )

    text = displayed_key(made)
    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    (script,) = re.findall(r"<script([^>]*)>(.*?)</script>", made.text, re.DOTALL)
    assert script[0] == ""
    assert f"script-src {digest_of(script[1])};" in made.headers["content-security-policy"]
    assert "connect-src 'none';" in made.headers["content-security-policy"]
    assert api.call("GET", "/v1/audit-events", key=text).status_code == 200
    api.state.keyring.flush()
    listing = browser.get("/keys/")
    assert text not in listing.text
    for displayed in ("till", f"wp_live_...{text[-4:]}", "Live", "Read", "audit", "2026-11-20", "just now", "Acme"):
        assert displayed in listing.text
    (event,) = [
        each for each in api.call("GET", "/v1/audit-events", key=text).json()["items"] if each["type"] == "key.created"
    ]
    assert event["actor"] == "ann"


def test_a_key_of_the_console_acts_for_its_maker(api: Api, browser: Browser) -> None:
    csrf = browser.sign_in("ann")
    one, two = (
        displayed_key(browser.send("/keys/create", key_form(csrf, labels=[], scopes=["relationships", "review"])))
        for _ in range(2)
    )
    claim = {"entity": {"name": "Acme"}, "domain": "acme.example.com", "relationship_type": "official_site"}
    name = api.call("POST", "/v1/relationships", key=one, json=claim).json()["relationship_id"]

    answer = api.call("POST", f"/v1/review-queue/{name}/approve", key=two, json={"reason": "mine"})

    assert answer.json()["code"] == "conflict"


def test_a_key_is_exchanged_and_ended(api: Api, browser: Browser) -> None:
    csrf = browser.sign_in()
    old = displayed_key(browser.send("/keys/create", key_form(csrf)))
    (name,) = set(re.findall(r"/keys/([0-9a-f-]{36})/rotate", browser.get("/keys/").text))

    assert "Rotate till?" in browser.get(f"/keys/{name}/rotate").text
    new = displayed_key(browser.send(f"/keys/{name}/rotate", {"csrf": csrf, "overlap": "3600"}))

    assert api.call("GET", "/v1/organization", key=old).headers["waypost-key-expires"] == "2026-11-20T11:00:00.000Z"
    assert api.call("GET", "/v1/organization", key=new).status_code == 200
    assert "Replaced" in browser.get("/keys/").text
    assert "Revoke till?" in browser.get(f"/keys/{name}/revoke").text
    assert browser.send(f"/keys/{name}/revoke", {"csrf": csrf}).headers["location"] == "/keys/"
    assert api.call("GET", "/v1/organization", key=old).json()["code"] == "key-revoked"


def test_a_form_without_the_sessions_own_token_changes_nothing(api: Api, browser: Browser) -> None:
    csrf = browser.sign_in()
    strangers = Browser(api).sign_in("eve", api.other)

    for sent in ("", strangers, csrf[:-1] + ("0" if csrf[-1] != "0" else "1")):
        answer = browser.send("/keys/create", key_form(sent))
        assert answer.status_code in {403, 422}
    assert "There are no keys yet" in browser.get("/keys/").text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec_Fetch_Site": "same-origin"}, 303),
        ({"Sec_Fetch_Site": "none"}, 303),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Sec_Fetch_Site": "same-origin", "Origin": "null"}, 303),
        ({"Sec_Fetch_Site": "", "Origin": SITE}, 303),
        ({"Sec_Fetch_Site": "", "Origin": "null"}, 303),
        ({"Sec_Fetch_Site": "", "Origin": "http://evil.example"}, 403),
        ({"Sec_Fetch_Site": "", "Origin": "http://127.0.0.1:8001"}, 403),
    ],
)
def test_form_must_come_from_a_page_of_this_site(
    api: Api, browser: Browser, headers: dict[str, str], status: int
) -> None:
    csrf = browser.sign_in()
    sent = {name.replace("_", "-"): value for name, value in headers.items()}

    out = browser.send("/keys/sign-out", {"csrf": csrf}, **sent)
    token = api.state.store.write(lambda db: sessions.create_link(db, api.acme.id, "ann", NOW))
    into = Browser(api).send("/keys/sign-in", {"token": token}, **sent)

    assert (out.status_code, into.status_code) == (status, status)


def test_other_cookies_of_the_same_host_do_no_harm(browser: Browser) -> None:
    browser.sign_in()
    own = browser.cookie

    for cookies in (f'a={{"x": [1, 2]}}; {own}', f"b; =c; {own}; d=@", f"x{own}; {own}", f"{own};"):
        browser.cookie = cookies
        assert browser.get("/keys/new").status_code == 200, cookies
    browser.cookie = f"x{own}; {own[:-1]}"
    assert browser.get("/keys/new").status_code == 401


def test_signing_out_ends_the_session_as_well_as_the_cookie(browser: Browser) -> None:
    csrf = browser.sign_in()
    before = browser.cookie

    answer = browser.send("/keys/sign-out", {"csrf": csrf})

    assert "Max-Age=0" in answer.headers["set-cookie"]
    browser.cookie = before
    assert browser.get("/keys/new").status_code == 401


def test_a_session_ends_after_eight_hours(api: Api, browser: Browser) -> None:
    browser.sign_in()
    api.clock.tick(8 * 3600)

    assert browser.get("/keys/new").status_code == 401


def test_session_sees_the_keys_of_its_own_organization_alone(api: Api, browser: Browser) -> None:
    theirs, _ = api.key("domain", organization=api.other)
    csrf = browser.sign_in()

    assert theirs.id not in browser.get("/keys/").text
    assert browser.get(f"/keys/{theirs.id}/revoke").status_code == 404
    assert browser.send(f"/keys/{theirs.id}/revoke", {"csrf": csrf}).status_code == 404
    assert browser.send(f"/keys/{theirs.id}/rotate", {"csrf": csrf, "overlap": "0"}).status_code == 404


def test_no_one_takes_over_a_colleagues_key_that_reviews(api: Api, browser: Browser) -> None:
    colleagues, _ = api.key("review")
    csrf = browser.sign_in()

    answer = browser.send(f"/keys/{colleagues.id}/rotate", {"csrf": csrf, "overlap": "0"})

    assert answer.status_code == 409
    assert not re.search(making.PATTERN, answer.text)


@pytest.mark.parametrize(
    "changed",
    [
        {"name": ""},
        {"labels": [], "scopes": []},
        {"labels": ["Everything"]},
        {"expires_days": "731"},
        {"expires_days": "0"},
        {"expires_days": "x"},
        {"environment": "staging"},
        {"organization": "another"},
    ],
)
def test_an_impossible_key_is_rejected_with_a_page(browser: Browser, changed: dict[str, Any]) -> None:
    csrf = browser.sign_in()

    for path in ("/keys/review", "/keys/create"):
        answer = browser.send(path, key_form(csrf, **changed))
        assert answer.status_code == 422
        assert answer.headers["content-type"].startswith("text/html")


def test_names_are_text_and_never_markup(browser: Browser) -> None:
    csrf = browser.sign_in()
    browser.send("/keys/create", key_form(csrf, name='<img src=x onerror="alert(1)">'))

    assert "<img" not in browser.get("/keys/").text


def test_many_keys_are_paged(api: Api, browser: Browser) -> None:
    for number in range(51):
        api.key("domain") if number else api.key("search")
    browser.sign_in()
    first = browser.get("/keys/")
    (onward,) = re.findall(r'href="(/keys/\?cursor=[^"]+)"', first.text)

    second = browser.get(html.unescape(onward))

    assert first.text.count("<tr>") == 51
    assert second.text.count("<tr>") == 2
    assert browser.get("/keys/?cursor=abc").status_code == 422


def test_a_session_is_not_a_key(browser: Browser) -> None:
    browser.sign_in()

    assert browser.get("/v1/keys").status_code == 401


def test_people_review_the_claims_and_disputes_of_others(api: Api) -> None:
    ann, bea = Browser(api), Browser(api)
    csrf, other = ann.sign_in("ann"), bea.sign_in("bea")
    key = displayed_key(
        ann.send("/keys/create", key_form(csrf, labels=[], scopes=["relationships", "dispute", "agent"]))
    )
    claim = {"entity": {"name": "Acme"}, "domain": "acme.example.com", "relationship_type": "official_site",
             "statement": "<b>ours</b>"}  # fmt: skip
    name = api.call("POST", "/v1/relationships", key=key, json=claim).json()["relationship_id"]
    request_body = {"url": "https://acme.example.com/", "intended_action": "payment"}
    path = api.call("POST", "/v1/agent-safety", key=key, json=request_body).json()["dispute_path"]
    words = {"claim": "other", "statement": "why?"}
    dispute = api.call("POST", path, key=key, json=words).json()["dispute_id"]

    listing = bea.get("/keys/reviews/")
    displayed = bea.get(f"/keys/reviews/{name}")
    own = ann.send(f"/keys/reviews/{name}", {"csrf": csrf, "step": "approve", "reason": "mine"})
    done = bea.send(f"/keys/reviews/{name}", {"csrf": other, "step": "approve", "reason": "seen"})
    turned_down = bea.send(f"/keys/reviews/{dispute}", {"csrf": other, "step": "reject", "reason": "it is right"})

    assert "acme.example.com" in listing.text
    assert "<b>ours" not in displayed.text
    assert own.status_code == 409
    assert done.headers["location"] == turned_down.headers["location"] == "/keys/reviews/"
    assert api.call("GET", f"/v1/relationships/{name}", key=key).json()["state"] == "accepted"
    assert api.call("GET", f"/v1/disputes/{dispute}", key=key).json()["status"] == "rejected"
    assert "No open reviews" in bea.get("/keys/reviews/").text


def test_a_disputed_decision_stands_before_the_reviewer_in_words(api: Api, browser: Browser) -> None:
    browser.sign_in("bea")
    _, key = api.key("dispute", "agent")
    request_body = {"url": "https://acme.example.com/", "intended_action": "payment"}
    path = api.call("POST", "/v1/agent-safety", key=key, json=request_body).json()["dispute_path"]
    words = {"claim": "outdated", "statement": "The shop moved."}
    dispute = api.call("POST", path, key=key, json=words).json()["dispute_id"]

    listing, displayed, form = browser.get("/keys/reviews/"), browser.get(f"/keys/reviews/{dispute}"), browser.get(path)

    assert "Dispute: Outdated: it was right and is no longer" in listing.text
    assert "<h1>Dispute about acme.example.com</h1>" in displayed.text
    for page in (displayed, form):
        assert "Paying <code>payment</code>" in page.text
        assert "No review confirms the owner of this destination. <code>unverified</code>" in page.text
    assert "Every action stops there until a reviewer ends it." in displayed.text


def test_a_disputed_owner_is_reinstated_or_revoked_for_good(api: Api, browser: Browser) -> None:
    claim = Claim(
        domain="nettle.example.com", scope="host", entity="nettle", entity_name="Nettle", type="official_payment",
        submitter="ann", origin="ann", source="form", organization=api.acme.id,
    )  # fmt: skip
    now = api.clock.now
    name = api.state.store.write(lambda db: relationships.submit(db, claim, now)).id
    api.state.store.write(lambda db: relationships.accept(db, name, "bea", now, "seen"))
    api.state.store.write(lambda db: relationships.dispute(db, name, "bea", now, "doubtful"))
    browser.sign_in("cid")

    page = browser.get(f"/keys/reviews/{name}")

    assert re.findall(r'name="step" value="([a-z-]+)"[^>]*>([^<]+)<', page.text) == [
        ("approve", "Reinstate"), ("reject", "Revoke"),
    ]  # fmt: skip


def test_a_decided_item_has_no_buttons(api: Api, browser: Browser) -> None:
    claim = Claim(
        domain="nettle.example.com", scope="host", entity="nettle", entity_name="Nettle", type="official_site",
        submitter="ann", origin="ann", source="form", organization=api.acme.id,
    )  # fmt: skip
    name = api.state.store.write(lambda db: relationships.submit(db, claim, api.clock.now)).id
    browser.sign_in("cid")
    waiting = browser.get(f"/keys/reviews/{name}")
    api.state.store.write(lambda db: relationships.reject(db, name, "bea", api.clock.now, "wrong"))

    decided = browser.get(f"/keys/reviews/{name}")

    assert re.findall(r'name="step" value="([a-z-]+)"', waiting.text) == ["approve", "request-changes", "reject"]
    assert decided.status_code == 200
    assert 'name="step"' not in decided.text


def test_every_code_on_a_review_has_its_words() -> None:
    ended = {"not_registered", "registration_ending", "registered_after_review"}
    assert set(review_words.COMPLAINTS) == set(COMPLAINTS)
    assert set(review_words.TYPES) == set(RELATIONSHIP_TYPES)
    assert set(review_words.STATES) == {*STATES, *STATUSES}
    assert set(review_words.CHANGES) == {*get_args(Change), *ended}


def test_reviews_of_another_organization_are_not_there(api: Api) -> None:
    _, key = api.key("relationships")
    claim = {"entity": {"name": "Acme"}, "domain": "acme.example.com", "relationship_type": "official_site"}
    name = api.call("POST", "/v1/relationships", key=key, json=claim).json()["relationship_id"]
    stranger = Browser(api)
    csrf = stranger.sign_in("eve", api.other)

    assert "No open reviews" in stranger.get("/keys/reviews/").text
    assert stranger.get(f"/keys/reviews/{name}").status_code == 404
    sent = {"csrf": csrf, "step": "approve", "reason": "x"}
    assert stranger.send(f"/keys/reviews/{name}", sent).status_code == 404


@pytest.fixture
def site(tmp_path: Any) -> Any:
    """A built site, as far as the console needs it."""
    frame = {
        "version": "1", "registry": "2", "registry_files": 3, "sections": [["Keys", "keys/"], ["Rules", "rules/"]],
        "style": "assets/s.css", "bench": "assets/b.css", "theme": "assets/t.js", "script": "assets/u.js",
        "search": "assets/i.js", "icon": "assets/i.svg", "base": "", "api": "", "csp": "default-src 'none'",
    }  # fmt: skip
    folder = tmp_path / "site"
    (folder / "keys").mkdir(parents=True)
    (folder / "site.manifest.json").write_text(json.dumps({"frame": frame, "files": {}}))
    (folder / "keys" / "index.html").write_text("<!doctype html><title>What keys are</title>")
    return folder


def test_a_built_site_frames_the_console(open_api: Any, site: Any) -> None:
    browser = Browser(open_api(site=str(site)))
    explained = browser.get("/keys/")
    csrf = browser.sign_in()

    listing, made = browser.get("/keys/"), browser.send("/keys/create", key_form(csrf))

    assert "What keys are" in explained.text
    assert explained.headers["cache-control"] == "no-store"
    for displayed in ('href="/keys/" aria-current="true"', 'href="/rules/index.html"', "/assets/b.css", "/assets/u.js"):
        assert displayed in listing.text
    assert "/assets/b.css" in made.text
    assert "<script " not in made.text, "no script but the page's own is near the text of a key"


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"frame": 3}', '{"frame": {}}', '{"frame": {"version": "1"}}'])
def test_an_unreadable_manifest_leaves_the_console_standing_alone(open_api: Any, site: Any, broken: str) -> None:
    (site / "site.manifest.json").write_text(broken)
    browser = Browser(open_api(site=str(site)))
    browser.sign_in()

    assert browser.get("/keys/new").status_code == 200


def test_hidden_characters_of_third_parties_are_on_no_page(api: Api, browser: Browser) -> None:
    claim = Claim(
        domain="nettle.example.com", scope="host", entity="nettle", entity_name="Net\u202eelt \u200bWorks",
        type="official_payment", submitter="ann", origin="ann", source="form", organization=api.acme.id,
    )  # fmt: skip
    api.state.store.write(lambda db: relationships.submit(db, claim, NOW))
    browser.sign_in()

    listing = browser.get("/keys/reviews/").text

    assert "Netelt Works" in listing
    assert "\u202e" not in listing
