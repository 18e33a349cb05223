"""The console and the dispute form, from a sign-in link to a revoked key, as a person would go through them."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.models.relationship import Claim, OwnershipDoubt, OwnershipSnapshot
from waypost.store import doubts, relationships
from waypost.store.open import open_store

_REQUEST = {"url": "https://shop.example.com/cart", "intended_action": "payment"}


def send_request(site: str, key: str) -> tuple[int, dict[str, Any]]:
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{site}/v1/agent-safety", json.dumps(_REQUEST).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as rejected:
        with rejected:
            return rejected.code, json.loads(rejected.read())


def test_a_key_is_created_used_rotated_and_revoked(browser: Any, up: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Create API key").click()
    page.get_by_label("Name", exact=True).fill("checkout agent")
    page.get_by_label("Write").check()
    page.get_by_role("button", name="Review").click()
    assert "It can" in page.inner_text("main")
    assert "It cannot" in page.inner_text("main")
    page.get_by_role("button", name="Create and show once").click()
    key = page.input_value("#key")
    assert re.fullmatch(r"wp_live_[0-9A-Za-z]{38}", key)
    page.get_by_role("link", name="I have stored it").click()
    assert key not in page.content()
    assert f"wp_live_...{key[-4:]}" in page.inner_text("main")
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])").find(key) == -1

    status, decision = send_request(up["site_url"], key)
    assert (status, decision["action_allowed"]) == (200, False)

    row = page.get_by_role("row").filter(has_text="checkout agent")
    row.get_by_role("link", name="Rotate").click()
    page.get_by_role("button", name="Rotate and show the new key once").click()
    fresh = page.input_value("#key")
    assert fresh != key
    page.get_by_role("link", name="I have stored it").click()
    assert send_request(up["site_url"], fresh)[0] == 200

    page.get_by_role("row").filter(has_text=fresh[-4:]).get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke").click()
    time.sleep(1.0)
    status, problem = send_request(up["site_url"], fresh)
    assert (status, problem["code"]) == (401, "key-revoked")

    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{up['site_url']}/keys/")
    assert fresh[-4:] not in page.inner_text("main")
    assert "You are not signed in" in page.inner_text("main")
    assert messages == []
    context.close()


def test_sign_in_link_works_once_and_opening_is_free(browser: Any, up: dict[str, Any]) -> None:
    for _ in range(2):  # a prefetch, then the person
        with urllib.request.urlopen(up["sign_in_url"], timeout=120) as observed:
            assert observed.status == 200
    first, second = browser.new_context(), browser.new_context()
    page = first.new_page()
    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    assert page.url == f"{up['site_url']}/keys/"
    other = second.new_page()
    other.goto(up["sign_in_url"])
    assert other.get_by_role("button", name="Sign in").count() == 0
    first.close()
    second.close()


def test_a_decision_is_disputed_without_a_key(browser: Any, up: dict[str, Any]) -> None:
    _, decision = send_request(up["site_url"], up["key"])
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{up['site_url']}{decision['dispute_path']}")
    displayed = page.inner_text("main")
    assert "shop.example.com" in displayed
    assert "/cart" not in displayed
    page.get_by_label("Reason", exact=True).fill("This shop is ours.")
    page.get_by_role("button", name="Send the dispute").click()
    assert "waits for a reviewer" in page.inner_text("main")
    page.goto(f"{up['site_url']}/v1/decisions/{'0' * 8}-0000-4000-8000-{'0' * 12}/disputes")
    assert "There is no such decision" in page.inner_text("main")
    context.close()


def test_a_signed_in_person_checks_destinations_and_disputes_decisions(browser: Any, up: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(f"{up['site_url']}/safety/check/")
    page.fill("#check-host", "https://shop.example.com/cart?token=s3cret")
    page.select_option("#check-action", "payment")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("#checked")
    assert "You are not signed in" in page.inner_text("[data-shown]")
    assert "--fixtures" not in page.inner_text("[data-shown]")
    page.fill("#check-host", "https://allow.test/cart")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("text=https://allow.test/cart' --action payment --fixtures")

    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{up['site_url']}/safety/check/")
    page.fill("#check-host", "https://shop.example.com/cart?token=s3cret")
    page.select_option("#check-action", "payment")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".decision")
    displayed = page.inner_text(".decision")
    assert page.locator(".decision.is-live").count() == 1
    assert re.fullmatch(
        r"LIVE: On \d+ \w+ 20\d\d: stop, not enough is known to pay here", page.text_content(".decision h2")
    )
    assert "shop.example.com" in displayed
    assert "relationship: not met" in displayed
    assert "s3cret" not in displayed + page.url
    path = page.get_attribute(".next a", "href")

    page.get_by_role("link", name="Dispute this decision").click()
    assert "shop.example.com" in page.inner_text("main")

    page.goto(f"{up['site_url']}/safety/check/")
    page.get_by_label("Decision id", exact=True).fill(re.findall(r"decisions/([0-9a-f-]{36})/", str(path))[0])
    page.get_by_role("button", name="Dispute this decision").click()
    page.wait_for_url("**/disputes")
    assert "shop.example.com" in page.inner_text("main")
    assert messages == []
    context.close()


def test_samples_name_the_service_of_the_page(browser: Any, up: dict[str, Any], served: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{up['site_url']}/api/check-agent-safety/")
    assert f"curl -X POST '{up['site_url']}/v1/agent-safety'" in page.inner_text(".samples pre >> nth=0")

    page.goto(f"{served}api/check-agent-safety/index.html")

    assert served.rstrip("/") not in page.inner_text(".samples")
    context.close()


def test_the_search_finds_and_an_operation_is_read(browser: Any, up: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(up["site_url"])
    page.keyboard.press("/")
    page.keyboard.type("/v1/agent-safety")
    page.locator("#hits [role=option]").filter(has_text="/v1/agent-safety").first.click()
    page.wait_for_url("**/api/**")
    assert "/v1/agent-safety" in page.inner_text("main")
    assert "curl" in page.inner_text("main")
    context.close()


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CLIPPED = """() => [...document.querySelectorAll("html, main .wide, main textarea, main input, main code")]
  .filter((each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).display !== "inline")
  .map((each) => `${each.outerHTML.slice(0, 80)}: ${each.scrollWidth} px in ${each.clientWidth} px`)"""

OVER = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [
  `${document.documentElement.scrollWidth} px`,
  ...[...document.querySelectorAll("main *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1
    && !each.closest(".wide")).map((each) => each.outerHTML.slice(0, 90)).slice(0, 3)]"""


def signed_in(browser: Any, up: dict[str, Any], **view: Any) -> Any:
    page = browser.new_context(**view).new_page()
    page.goto(up["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    return page


def make_key(page: Any, site: str) -> str:
    page.goto(f"{site}/keys/new")
    page.get_by_label("Name", exact=True).fill("an agent with a long name that checks before it pays")
    page.get_by_label("Write").check()
    page.get_by_role("button", name="Review").click()
    page.get_by_role("button", name="Create and show once").click()
    return str(page.input_value("#key"))


def test_leaving_a_key_that_was_not_saved_needs_confirmation(browser: Any, up: dict[str, Any]) -> None:
    page = signed_in(browser, up, permissions=["clipboard-read", "clipboard-write"])
    requests: list[str] = []
    page.on("dialog", lambda dialog: (requests.append(dialog.type), dialog.accept()))

    make_key(page, up["site_url"])
    page.click("#key")
    page.goto(f"{up['site_url']}/keys/")
    assert requests == ["beforeunload"]

    key = make_key(page, up["site_url"])
    page.get_by_role("button", name="Copy", exact=True).click()
    page.locator("#copied", has_text="Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == key
    page.goto(f"{up['site_url']}/keys/")
    make_key(page, up["site_url"])
    page.get_by_role("link", name="I have stored it").click()
    page.wait_for_url("**/keys/")

    assert requests == ["beforeunload"]
    page.context.close()


def test_the_console_is_complete_on_a_phone(browser: Any, up: dict[str, Any]) -> None:
    _, decision = send_request(up["site_url"], up["key"])
    page = signed_in(browser, up, **PHONE)
    make_key(page, up["site_url"])
    assert page.evaluate(CLIPPED) == []
    assert page.eval_on_selector("#key", "field => field.scrollHeight <= field.clientHeight")
    page.get_by_role("link", name="I have stored it").click()

    for path in ("/keys/", "/keys/new", "/keys/reviews/", decision["dispute_path"], "/safety/check/"):
        page.goto(up["site_url"] + path)
        assert page.evaluate(CLIPPED) == [], path
    page.goto(f"{up['site_url']}/keys/")
    assert page.evaluate(
        "getComputedStyle(document.querySelector('td[data-column=Permissions]'), '::before').content"
    ) == ('"Permissions"')
    page.context.close()


NARROW = {"viewport": {"width": 320, "height": 568}}
FORMS = (
    "/keys/", "/keys/new", "/keys/{key}/rotate", "/keys/{key}/revoke", "/keys/reviews/", "{review}",
    "/safety/check/", "{dispute}", "/v1/decisions/00000000-0000-4000-8000-000000000000/disputes",
    "/keys/sign-in?token=used",
)  # fmt: skip


def test_no_console_page_scrolls_sideways_at_320_pixels(browser: Any, up: dict[str, Any]) -> None:
    """WCAG 2.2, 1.4.10: 320 pixels are a screen of 1,280 at 400 percent. Names are as long as they may be."""
    _, decision = send_request(up["site_url"], up["key"])
    host = f"{'a' * 60}.{'b' * 60}.example.com"
    store = open_store(Path(up["data_dir"]))
    claim = Claim(
        domain=host, scope="registrable", entity="acme", entity_name="A" * 80, type="official_site",
        submitter="s" * 60, origin="ann", source="form",
    )  # fmt: skip
    store.write(lambda db: relationships.submit(db, claim, int(time.time() * 1000)))
    store.close()
    page = signed_in(browser, up, **NARROW)
    page.goto(f"{up['site_url']}/keys/new")
    page.get_by_label("Name", exact=True).fill("w" * 80)
    page.get_by_label("Write").check()
    page.get_by_role("button", name="Review").click()
    wide = {"review of a key": page.evaluate(OVER)}
    page.get_by_role("button", name="Create and show once").click()
    wide["key shown once"] = page.evaluate(OVER)
    page.get_by_role("link", name="I have stored it").click()
    key = str(page.locator("a[href$='/rotate']").first.get_attribute("href")).split("/")[2]

    page.goto(f"{up['site_url']}/keys/reviews/")
    review = page.get_by_role("row").filter(has_text=host).get_by_role("link", name="Review").get_attribute("href")

    for form in FORMS:
        address = form.format(key=key, review=review, dispute=decision["dispute_path"])
        page.goto(up["site_url"] + address)
        wide[form] = page.evaluate(OVER)
    page.goto(f"{up['site_url']}/keys/")
    page.locator("td details summary").first.click()
    wide["scopes opened"] = page.evaluate(OVER)

    assert {name: places for name, places in wide.items() if places} == {}
    page.context.close()


def cut_after(route: Any) -> None:
    """The service does what it was asked for, and the connection ends before its answer."""
    route.fetch(max_redirects=0)
    route.abort("connectionreset")


@pytest.mark.parametrize(
    ("act", "button", "words", "found"),
    [
        ("", "Create and show once", "the key may exist although no one has seen it", "an agent"),
        ("rotate", "Rotate and show the new key once", "the new key may exist although no one has seen it", "Replaced"),
        ("revoke", "Revoke", "the key may be revoked already", "Revoked"),
    ],
)
def test_a_key_form_prepares_for_a_lost_answer(
    act: str, button: str, words: str, found: str, browser: Any, up: dict[str, Any]
) -> None:
    page = signed_in(browser, up)
    if act:
        make_key(page, up["site_url"])
        page.get_by_role("link", name="I have stored it").click()
        page.locator(f"a[href$='/{act}']").first.click()
    else:
        page.goto(f"{up['site_url']}/keys/new")
        page.get_by_label("Name", exact=True).fill("an agent")
        page.get_by_label("Write").check()
        page.get_by_role("button", name="Review").click()
    before = page.inner_text("main")
    page.route("**/keys/**", lambda route: cut_after(route) if route.request.method == "POST" else route.continue_())

    with page.expect_event("requestfailed"):
        page.get_by_role("button", name=button, exact=True).click(no_wait_after=True)
    page = page.context.new_page()  # the first one shows the browser's own page about the error
    page.goto(f"{up['site_url']}/keys/")

    assert "If the answer does not arrive" in before
    assert words in before
    assert found in page.inner_text("tbody")
    page.context.close()


THEN = OwnershipSnapshot(
    registered_at=1_500_000_000_000, registrar="Example Registrar", name_servers=("ns1.dns.example",)
)


def test_a_doubt_about_an_owner_waits_for_the_reviewer(browser: Any, up: dict[str, Any]) -> None:
    now = int(time.time() * 1000)
    claim = Claim(
        domain="acme.example", scope="registrable", entity="acme", entity_name="Acme", type="official_site",
        submitter="ann", origin="ann", source="form",
    )  # fmt: skip
    store = open_store(Path(up["data_dir"]))
    name = store.write(lambda db: relationships.submit(db, claim, now)).id
    store.write(lambda db: relationships.accept(db, name, "bea", now, "looked", snapshot=THEN))
    doubt = OwnershipDoubt(
        relationship=name, organization="", domain="acme.example", entity="acme", changes=("registrar",),
        reviewed=THEN, observed=msgspec.structs.replace(THEN, registrar="Another Registrar"),
    )  # fmt: skip
    assert store.write(lambda db: doubts.raise_doubt(db, doubt, now))
    store.close()
    page = signed_in(browser, up)

    page.get_by_role("link", name="Open reviews").click()
    row = page.get_by_role("row").filter(has_text="acme.example")
    assert "Changed: registrar" in row.inner_text()
    row.get_by_role("link", name="Review").click()
    displayed = page.inner_text("main")
    assert "Example Registrar" in displayed
    assert "Another Registrar" in displayed
    page.get_by_label("Reason", exact=True).fill("They moved to another registrar and told us.")
    page.get_by_role("button", name="Confirm the owner").click()

    page.wait_for_url("**/keys/reviews/")
    assert "acme.example" not in page.inner_text("main")
    page.context.close()
